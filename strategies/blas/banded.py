"""Level 2, banded: loops over rows, each of which begins and ends a column after the one before. Imports `exo_strat` and
`level2`."""

from __future__ import annotations

from exo_strat import Machine, Op, named

from .level2 import optimize_level_2_general

ROWS = 4
"""Rows taken together: of a band, each more makes the columns that all have fewer."""


@named
def optimize_band(precision: str, machine: Machine) -> Op:
    """`for i: for j in (i, i + w): s  ~>  for io: (for j: s[0]); ..; for j: s[0]; ..; s[r-1]; for j: s[0]; ..`.

    The columns that some rows have that are taken together are before and after those of all; w is at least
    `ROWS`. Focus: the loop over rows. Returns the procedure.
    """
    return optimize_level_2_general(precision, machine, rows=ROWS, vectors=2)
