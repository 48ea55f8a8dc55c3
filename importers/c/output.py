"""The Python file that is made of C functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..control import assertion
from ..names import kept
from ..output import module
from .printing import Printer
from .program import Procedure

ALWAYS = (
    "arguments do not overlap in memory",
    "sizes (arguments of type `size`) are at least 1, where C allows 0",
    "integers fit: sizes and indices in 64 bits and in their C types, signed data in its type",
)


def text(procedures: Sequence[Procedure], file: Path) -> str:
    """A file with the procedures, callees first."""
    bodies = ["\n".join(x.text for x in Printer(p).lines()) for p in procedures]
    externs = {e for p in procedures for e in p.externs}
    last = procedures[-1]
    title = f"{last.name}, imported from {file.name} by exo-strat."
    made = module(title, [*ALWAYS, *_assumed(procedures)], externs, bodies)
    return made + (f'\n\n{last.name} = direct.rename({last.name}, "{last.c_name}")\n' if _kept(last) else "")


def _kept(p: Procedure) -> bool:
    """Whether the procedure has C's name, and only Python another."""
    return kept(p.c_name, p.name)


def _assumed(procedures: Sequence[Procedure]) -> Iterator[str]:
    """What is assumed of these procedures."""
    for p in procedures:
        of = f"{p.name}: " if len(procedures) > 1 else ""
        if p.name != p.c_name:
            where = " in Python" if p is procedures[-1] and _kept(p) else ""
            yield f"{p.c_name} is called {p.name}{where}, as Python or object code has the name"
        yield from (f"{of}{n}" for n in dict.fromkeys(p.notes))
        yield from (f"{of}the elements of {v.name} are at least {lo} and less than {hi}" for v, lo, hi in p.claims)
        yield from (f"{of}`{assertion(a)}`, {why}" for a, why in dict(p.assertions).items())
