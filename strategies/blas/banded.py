"""Level 2, banded: loops over rows, each of which begins and ends a column after the one before. Imports `exo_strat`
and `level2`."""

from __future__ import annotations

from exo_strat import ForCursor, Machine, Op, Proc, Script, focus, moves, named, nav, seq, shift_loop, simplify

from .. import std
from ..inspect import inner_loop
from ..std.writing import strategy, text
from .level2 import optimize_level_2_general

ROWS = 4
"""Rows taken together: of a band, each more makes the columns that all have fewer."""


NARROW = 2 * ROWS
"""Elements of a row from which on vectors pay."""


@named
def optimize_band(precision: str, machine: Machine) -> Op:
    """`for i: for j in (i, i + w): s  ~>  for io: (for j: s[0]); ..; for j: s[0]; ..; s[r-1]; for j: s[0]; ..`.

    The columns that some rows have that are taken together are before and after those of all; w is at least
    `ROWS`. Focus: the loop over rows. Returns the procedure.
    """
    return optimize_level_2_general(precision, machine, rows=ROWS, vectors=2)


@strategy
def optimize_narrow_band(p: Proc, c: ForCursor) -> Script:
    """`for i: for j in (i, i + w): s  ~>  if w == 1: for i: s[i]; else: if w == 2: for i: s[i]; s[i + 1]; ..`.

    For each width below `NARROW`, without vectors. Focus: the loop over rows. Returns the procedure.
    """
    columns = inner_loop(c)
    yield seq(focus(columns), shift_loop(0), nav(moves.root), simplify())
    p, columns = yield focus(columns)
    p, c = yield seq(focus(c), std.specialize_sizes(text(columns.hi()), range(NARROW)))
    yield seq(nav(moves.root), std.unroll_loops(NARROW), std.cleanup())
    return None
