"""Level 2, packed: rows of which there are few. Imports `exo_strat`, `std`, `inspect`, `level1` and `level2`."""

from __future__ import annotations

from exo_strat import DRAM_STACK, ForCursor, Machine, Proc, Script, focus, seq

from .. import std
from ..inspect import innermost_loops
from ..std.writing import strategy
from .level1 import locals_in
from .level2 import block_of_rows, row


@strategy
def optimize_few_rows(p: Proc, c: ForCursor, precision: str, machine: Machine, vectors: int = 1) -> Script:
    """`for i in (0, r): for j: s  ~>  for j: s[0]; ..; s[r-1]`, and level 1 on the loop inside, for a literal r.

    What `optimize_level_2_general` does with each block of rows. Focus: the loop over rows. Returns the procedure.
    """
    p, c = yield seq(focus(c), locals_in(DRAM_STACK), focus(c))
    if machine.vec_widths:
        yield block_of_rows(precision, machine, vectors)
    else:
        for loop in innermost_loops(c):
            yield seq(focus(loop), row(precision, machine, vectors))
    yield std.cleanup()
    return None
