"""The example of each primitive, as a moving picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from exo_strat import PRIMITIVES, Proc
from exo_strat.primitives.framework import Primitive
from exo_strat.testing.reference import Entry
from exo_strat.view.clip import clip

from . import SiteError

SETUP = "from exo_strat import proc_from_source\nfrom exo_strat.primitives import *\n"
"""How the examples begin, as docs/primitives.md says."""


def clips() -> Mapping[str, str]:
    """The clips of all primitives, by name."""
    return {name: clip_of(name) for name in PRIMITIVES}


def clip_of(name: str) -> str:
    """What a primitive does in its example that is accepted.

    Raises SiteError if the example applies it nowhere.
    """
    steps = Entry.of(PRIMITIVES[name].spec).accepted.steps
    shown: list[object] = []
    names: dict[str, Any] = {"print": lambda *args: shown.extend(args)}
    exec(SETUP + "\n".join(code for code, _ in steps), names)  # the text of our own docstrings
    for p in [x for x in (*reversed(shown), *reversed(names.values())) if isinstance(x, Proc)]:
        for made in versions(p, name):
            return clip(made, name)
    raise SiteError(f"the example of {name} in its docstring ends with no procedure that {name} made")


def versions(p: Proc, name: str) -> Iterator[Proc]:
    """The versions of a procedure that a primitive made, the latest first."""
    for v in p.versions():
        if v.rewritten is not None and isinstance(v.rewritten.op, Primitive) and v.rewritten.op.name == name:
            yield v
