"""Vector code from scalar loops: lanes, registers, instructions, unrolling. Imports `exo_strat` only.

A machine without vectors has registers of one element: the same schedules then make blocked scalar code.
"""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    AssignCursor,
    BlockCursor,
    Cursor,
    ForCursor,
    LiteralCursor,
    Machine,
    Memory,
    Op,
    Proc,
    Script,
    attempt,
    bind_expr,
    divide_loop,
    expand_dim,
    fail,
    fission,
    focus,
    identity,
    lift_alloc,
    nav,
    replace,
    seq,
    set_memory,
    strategy,
    try_else,
    unroll_loop,
    when,
)
from exo_strat.moves import next_, prev
from exo_strat.traversals import everywhere_bu, frontier_td

UNROLL = 8
"""Loops are unrolled if they run at most so often: the rows, or the vectors, of a register tile."""


def is_short_loop(c: Cursor) -> bool:
    """Whether the focus is a loop from 0 that runs at most `UNROLL` times."""
    if not isinstance(c, ForCursor):
        return False
    hi = c.hi()
    return isinstance(hi, LiteralCursor) and hi.value() <= UNROLL


def registers(machine: Machine) -> Memory:
    """Where what a kernel holds in registers is kept."""
    return machine.mem_type if machine.vec_widths else DRAM_STACK


def use_instructions(machine: Machine, precision: str) -> Op:
    """What instructions of the machine compute, at or below the focus, becomes calls of them; never fails."""
    return frontier_td(try_else(*map(replace, machine.get_instructions(precision)), fail("no instruction does this")))


def unroll_short_loops() -> Op:
    """Unrolls every short loop at or below the focus, the inner ones first."""
    return everywhere_bu(attempt(when(is_short_loop, unroll_loop())))


def in_lanes(machine: Machine, precision: str, vector: str = "v", lane: str = "l") -> Op:
    """A loop as one over vectors and one over the lanes of each, which it must fill. Returns the outer loop."""
    width = machine.vec_width(precision)
    return divide_loop(width, (vector, lane), tail="perfect") if width > 1 else identity


@strategy
def stage_in_register(p: Proc, c: Cursor, machine: Machine, precision: str, name: str) -> Script:
    """`for l: x[l] = e  ~>  t: T[W] @ REG; for l: t[l] = e; for l: x[l] = t[l]`. Focus: the loop over lanes.

    Returns the block of both loops.
    """
    assert isinstance(c, ForCursor)
    lanes, store = c, c.body()[0]
    assert isinstance(store, AssignCursor)
    p, c = yield seq(focus(store.rhs()), bind_expr(name))
    p, c = yield seq(nav(prev()), expand_dim(machine.vec_width(precision), lanes.name()), lift_alloc())
    p, c = yield set_memory(registers(machine))
    p, c = yield seq(focus(p.forward(store).before()), fission())
    assert isinstance(c, ForCursor)
    return c.expand(1, 0)
