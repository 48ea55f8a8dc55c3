"""The Python file that is made of C functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..control import assertion
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
    title = f"{procedures[-1].name}, imported from {file.name} by exo-strat."
    return module(title, [*ALWAYS, *_assumed(procedures)], externs, bodies)


def _assumed(procedures: Sequence[Procedure]) -> Iterator[str]:
    """What is assumed of these procedures."""
    for p in procedures:
        of = f"{p.name}: " if len(procedures) > 1 else ""
        yield from (f"{of}{n}" for n in dict.fromkeys(p.notes))
        yield from (f"{of}the elements of {v.name} are at least {lo} and less than {hi}" for v, lo, hi in p.claims)
        yield from (f"{of}`{assertion(a)}`, {why}" for a, why in dict(p.assertions).items())
