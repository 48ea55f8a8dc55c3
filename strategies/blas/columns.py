"""Loops whose columns are independent, as triangular products and systems are. Imports `exo_strat`, `std` and `level3`.

Columns are taken several vectors at a time, the last one masked; each vector's value is held in a register while the
products of its row are added to it.
"""

from __future__ import annotations

from dataclasses import replace

from exo_strat import (
    AllocCursor,
    ForCursor,
    Machine,
    Proc,
    ProcCursor,
    Script,
    divide_loop,
    expand_dim,
    fission,
    focus,
    lift_alloc,
    moves,
    nav,
    seq,
    set_memory,
    specialize,
    unroll_loop,
)

from .. import std
from ..std.writing import INSIDE, strategy
from .level3 import Tile, by_vectors, outwards

VECTORS = 4
"""Vectors of columns taken together: enough for additions to overlap."""


@strategy
def optimize_columns(p: Proc, c: ProcCursor, machine: Machine, precision: str) -> Script:
    """`for j: for i: t = ..; for p: t += ..; b[i, j] = ..` for a machine. Focus: the procedure."""
    big = Tile(machine, precision, 1, VECTORS if machine.vec_widths else 1)
    p, panels = yield seq(nav(moves.find_loop("j")), divide_loop(big.cols, ("jo", "j"), tail="cut"))
    rest = panels.next()
    yield seq(focus(panels), nav(INSIDE), columns(big))
    left = [f"(n % {big.cols} + {big.width - 1}) / {big.width} == {v}" for v in range(1, big.vectors + 1)]
    p, branch = yield seq(focus(rest), specialize(left))
    for v in range(1, big.vectors + 1):
        yield seq(focus(branch), nav(INSIDE), columns(replace(big, vectors=v, masked=True)))
        branch = branch.orelse()[0]
    yield std.cleanup()
    if machine.vec_widths:
        yield std.replace_all(machine.get_instructions(precision))
    return None


@strategy
def columns(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for j: for i: t = e; for p: t += ..; b = t  ~>  for i: t[..] = e; for p: t[..] += ..; b = t[..]`, by vectors."""
    scopes = 3 if t.masked else 2
    p, rows = yield seq(by_vectors(t), nav(moves.find_loop("i")), outwards(scopes))
    value = next(s for s in rows.descendants() if isinstance(s, AllocCursor))
    first, sums = value.next(), value.next(2)
    lanes = seq(expand_dim(t.width, "jl"), expand_dim(t.vectors, "jv"))
    yield seq(focus(value), lanes, lift_alloc(scopes), set_memory(t.registers))
    for s in (first, sums):
        yield seq(focus(s), nav(moves.after), fission(scopes))
    p, sums = yield seq(focus(sums), outwards(scopes))
    p, rows = yield focus(rows)
    if t.in_vectors:
        steps = seq(std.stage_compute(t.precision, t.registers, (std.fma_rule,)), std.fission_into_singles())
        for s in loops(rows, "jl"):
            yield seq(focus(s), steps)
    p, rows = yield focus(rows) >> std.unguard()
    for s in loops(rows, "jv"):
        yield seq(focus(s), unroll_loop())
    return None


def loops(c: ForCursor, name: str) -> tuple[ForCursor, ...]:
    """The loops of a name in a loop."""
    return tuple(s for s in c.descendants() if isinstance(s, ForCursor) and s.name() == name)
