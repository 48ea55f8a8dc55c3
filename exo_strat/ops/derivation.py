"""How a trace shows in a notebook: the derivation as a tree that folds, with what each rewrite changed.

A schedule may have thousands of steps. What is shown is bounded: the steps nearest to the root come first, and what is
left out is counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..ir.html import Html, as_code, bold, box, changes, code, dim, ended, escaped, folded, joined, paragraph
from ..ir.html import Row as Line
from ..ir.hunks import hunks
from .explain import Row, alike, questions, row, summary, telling
from .html import failure_html
from .tracing import Trace

STEPS: Final = 300
"""So many steps are shown."""
DEEPEST: Final = 40
"""Steps inside so many others are not shown."""
CHANGES: Final = 80
"""What so many rewrites changed is shown."""
CHANGED: Final = 16
"""So many lines of a change are shown at once."""
FEW: Final = 12
"""So many steps inside of one are shown unfolded, near the root."""
SPACE: Final = Html(" ")


@dataclass
class _Step:
    """A step that is shown: how many like it are not, what is inside, and how many steps inside are left out."""

    trace: Trace
    depth: int
    more: int
    shown: Sequence[Trace]
    inside: list[_Step] = field(default_factory=list)
    left: int = 0


def trace_html(t: Trace) -> Html:
    """A derivation: how it ended, and the tree of what was tried. Each step has its outcome, its time, what it asked
    the solver, and what it changed or why it was refused."""
    counts = paragraph(bold(escaped(summary(t), 2_000)))
    why = [failure_html(t.failure)] if t.failure is not None else []
    return box(*why, counts, *_Shown(questions(t)).step(_kept(t)))


def _kept(t: Trace) -> _Step:
    """The steps that are shown, those of each level before those inside of them. Of too many the last one is kept:
    it is the one that failed, if one did."""
    root = _Step(t, 0, 0, telling(t))
    queue, free = deque([root]), STEPS - 1
    while queue:
        here = queue.popleft()
        inside = alike(here.shown)
        if len(inside) > free or here.depth + 1 >= DEEPEST:
            few = free if here.depth + 1 < DEEPEST else 0
            here.left = len(inside) - few
            inside = [*inside[: few - 1], inside[-1]] if few else []
        free -= len(inside)
        here.inside = [_Step(x, here.depth + 1, more, telling(x)) for x, more in inside]
        queue.extend(here.inside)
    return root


@dataclass
class _Shown:
    """What has been shown so far of what rewrites changed."""

    questions: dict[int, int]
    changes: int = 0

    def step(self, s: _Step) -> Iterator[Html]:
        """A step with what is inside."""
        told = row(s.trace, s.depth, s.more, self.questions[id(s.trace)], s.shown)
        head = _head(told)
        body = [code([Line(text) for text in (*told.decisions, *(told.reason or ()))])]
        body = body if told.decisions or told.reason else []
        body += self._change(s.trace)
        body += [html for x in s.inside for html in self.step(x)]
        body += [paragraph(dim(escaped(f"{_steps(s.left)} inside left out")))] if s.left else []
        is_near = s.depth < 2 and len(s.inside) <= FEW
        yield folded(head, *body, is_open=is_near and bool(s.inside)) if body else paragraph(head)
        if s.more:
            yield paragraph(dim(escaped(f"and {s.more} more like it")))

    def _change(self, t: Trace) -> list[Html]:
        """What a primitive rewrite changed."""
        old, new = t.place.proc, t.result
        if new is None or new.parent is not old or t.inside:
            return []
        self.changes += 1
        if self.changes > CHANGES:
            return [paragraph(dim(escaped("what it changed is left out")))] if self.changes == CHANGES + 1 else []
        before, after = str(old).splitlines(), str(new).splitlines()
        found = hunks(before, after)
        return [changes(before, found, shown=CHANGED) if found else dim(escaped("the object code reads the same"))]


def _head(r: Row) -> Html:
    """The line of a step."""
    asked = f", {r.questions} question{'' if r.questions == 1 else 's'}" if r.questions else ""
    at = (dim(joined(SPACE, as_code(escaped(f"# {r.place}", 100)))),) if r.place else ()
    time = dim(escaped(f" {r.seconds * 1e3:.1f} ms{asked} "))
    return joined(ended(r.reason is not None), time, as_code(escaped(r.op)), *at)


def _steps(n: int) -> str:
    return "1 step is" if n == 1 else f"{n} steps are"
