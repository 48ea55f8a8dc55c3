"""A derivation step by step, in a notebook: a slider over the program's versions, with what each rewrite changed.

    outcome, t = trace(op, p)
    stepper(t)

It needs anywidget, which the extra `notebook` brings. The page loads nothing: the program in the browser is
`stepper.js` beside this file, and all that it shows is handed over as data, and put into the page as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Final

from .ir.html import Html, box, escaped, paragraph
from .ir.hunks import Hunk, hunks
from .ir.printing import Line, print_lines
from .ir.walk import Path
from .ops.derivation import trace_html
from .ops.tracing import Trace
from .source import show

LARGEST: Final = 4_000_000
"""So many characters of code that steps add are handed over; further steps are left out."""
LACKING: Final = (
    "stepping through a derivation needs anywidget, which is not installed: run `pip install 'exo-strat[notebook]'`, "
    "and start the notebook's kernel again. Here is the derivation without it."
)


@dataclass(frozen=True)
class Step:
    """A rewrite: the Op, the line at which it was applied, and what changed in the lines of object code."""

    op: str
    place: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True)
class Film:
    """A derivation as its first version and what each rewrite changed. The last ones may be left out."""

    name: str
    first: tuple[str, ...]
    steps: tuple[Step, ...]
    left_out: int = 0

    def data(self) -> dict[str, Any]:
        """What the page gets, as JSON has it. Of removed lines it gets the number."""
        steps = [{"op": s.op, "place": s.place, "hunks": [_hunk(h) for h in s.hunks]} for s in self.steps]
        return {"name": self.name, "first": list(self.first), "steps": steps, "leftOut": self.left_out}


def _hunk(h: Hunk) -> list[object]:
    return [h.at, len(h.removed), list(h.added)]


def film(t: Trace) -> Film:
    """The rewrites that led to a trace's result, or to where it was refused.

    >>> from exo_strat import proc_from_source, rename, trace
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> film(trace(rename("bar"), p)[1]).steps
    (Step(op="rename('bar')", place='', hunks=(Hunk(at=0, removed=('def foo(x: f32 @ DRAM):',), added=('def bar(x: \
f32 @ DRAM):',)),)),)
    """
    lines = print_lines(t.place.proc.tree)
    first, steps, used = _texts(lines), list[Step](), 0
    rewrites = t.rewrites()
    for p in rewrites:
        assert p.rewritten is not None
        after = print_lines(p.tree)
        found = hunks(_texts(lines), _texts(after))
        used += sum(len(text) for h in found for text in h.added)
        if used > LARGEST:
            break
        steps.append(Step(show(p.rewritten.op), _place(lines, p.rewritten.at), found))
        lines = after
    return Film(t.place.proc.name(), first, tuple(steps), len(rewrites) - len(steps))


def _texts(lines: Sequence[Line]) -> tuple[str, ...]:
    return tuple(text for _, text in lines)


def _place(lines: Sequence[Line], path: Path) -> str:
    """The line that shows a path; none for the procedure as a whole."""
    return next((text.strip() for at, text in reversed(lines) if at and path[: len(at)] == at), "")


@dataclass(frozen=True)
class Still:
    """What is shown where anywidget is missing: how to get it, and the derivation as a tree."""

    trace: Trace

    def __repr__(self) -> str:
        return LACKING

    def _repr_html_(self) -> Html:
        """What a notebook shows."""
        return box(paragraph(escaped(LACKING)), trace_html(self.trace))


def stepper(t: Trace) -> Any:
    """A widget that steps through a derivation: a slider, buttons and arrow keys; each version of the object code with
    the lines that a rewrite removed and added, and the rewrite. `step` of the widget is the number of rewrites that
    are done, and may be set.

    Without anywidget it is a value that says how to get it, and shows the derivation as a tree.

    Raises `TypeError` if it is not given a trace, such as the second part of what `trace(op, p)` returns.
    """
    if not isinstance(t, Trace):
        raise TypeError(f"stepper(t) takes what trace(op, p)[1] is, not {t!r}")
    if find_spec("anywidget") is None:
        return Still(t)
    import anywidget
    import traitlets

    shown = film(t)
    parts = {
        "_esm": files(__package__).joinpath("stepper.js").read_text(encoding="utf-8"),
        "film": traitlets.Dict().tag(sync=True),
        "step": traitlets.Int(min=0, max=len(shown.steps)).tag(sync=True),
    }
    return type("Stepper", (anywidget.AnyWidget,), parts)(film=shown.data())
