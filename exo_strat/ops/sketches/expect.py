"""The Op that checks a shape."""

from __future__ import annotations

from dataclasses import dataclass

from returns.result import Failure as Err
from returns.result import Success

from ...cursors.cursor import Cursor
from ...cursors.proc import Proc
from ...source import Pieces, call
from ..failure import NotApplicable
from ..strategy import Atomic, Op, Outcome
from .grammar import parse_sketch
from .matching import mismatch
from .shape import parts_at, sketched


@dataclass(frozen=True, repr=False)
class Expect(Atomic):
    """Succeeds, changing nothing, where the program has a shape."""

    text: str

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        parts = parts_at(c)
        found = mismatch(parse_sketch(self.text), parts)
        if found is None:
            return Success((p, c))
        message = f"expected {found.expected}, but there is {found.found}\nthe shape is {sketched(parts)}"
        return Err(NotApplicable(message, self, found.cursor or c))

    def source(self) -> Pieces:
        return call("expect", self.text)


def expect(sketch: str) -> Op:
    """Succeeds, changing nothing, if the loops and branches at the focus are as sketched; fails with those that are.

    See `exo_strat.ops.sketches` for what may stand in a sketch. Raises `SketchError` (a `ValueError`) if it is none.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[32, n]):
    ...     for i in par(0, 32):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> expect("par 32 > seq j _")(p)
    <Success: (<Proc zero: 0 rewrites>, <ProcCursor >)>
    >>> print(expect("par 32 > vec n")(p).failure().message)
    expected vec n, but there is seq j n
    the shape is par i 32 > seq j n
    """
    parse_sketch(sketch)
    return Expect(sketch)
