"""Loops whose columns are independent, as triangular products and systems are.

Columns are taken several vectors at a time, the last one masked; each vector's value is held in a register while the
products of its row are added to it.
"""

from __future__ import annotations

from exo_strat import (
    ForCursor,
    Machine,
    Proc,
    ProcCursor,
    Script,
    lift_scope,
    moves,
    nav,
    on,
    repeat_n,
    seq,
    set_memory,
    strategy,
)

from .. import std
from ..std.writing import INSIDE
from .level3 import along

VECTORS = 4
"""Vectors of columns taken together: enough for additions to overlap."""


@strategy
def optimize_columns(p: Proc, c: ProcCursor, machine: Machine, precision: str) -> Script:
    """`for j: for i: t = ..; for p: t += ..; b[i, j] = ..` for a machine. Focus: the procedure."""
    big = std.Tile(machine, precision, 1, VECTORS if machine.vec_widths else 1)
    yield seq(nav(moves.find_loop("j")), along(big, 1, columns), std.cleanup())
    return None


@strategy
def columns(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """`for j: for i: t = e; for p: t += ..; b = t  ~>  for i: t[..] = e; for p: t[..] += ..; b = t[..]`, by vectors."""
    scopes = 3 if t.masked else 2
    p, rows = yield seq(std.by_vectors(t), nav(moves.find_loop("i")), repeat_n(lift_scope(), scopes))
    yield seq(nav(INSIDE), std.fission_into_singles(2))
    p, value = yield on(rows, nav(moves.find_alloc("t")), set_memory(t.registers))
    yield on(rows, nav(moves.find_loop("p")), repeat_n(lift_scope(), scopes))
    yield on(rows, std.to_instructions(t, (std.fma_rule,)))
    return None
