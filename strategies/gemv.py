"""Products of a matrix and a vector. Imports `exo_strat`, `programs` and `vectors`."""

from __future__ import annotations

from collections.abc import Callable

from exo_strat import (
    ForCursor,
    Machine,
    Op,
    Proc,
    Script,
    divide_loop,
    expand_dim,
    focus,
    lift_alloc,
    lift_scope,
    moves,
    nav,
    reorder_loops,
    schedule,
    seq,
    set_memory,
    simplify,
    stage_mem,
    strategy,
)

from .programs import sgemv, sgemv_trans
from .vectors import INSIDE, emit, registers, split_after, to_lanes, vectorize

PRECISION = "f32"
ROWS = 8
"""Rows taken together: each element of the vector is loaded once for all of them."""


def schedule_gemv(machine: Machine, transposed: bool) -> Proc:
    """`y += A x`, or `y += A^T x`, for a machine. Raises `SchedulingError` if a step fails."""
    if not machine.vec_widths:
        return sgemv_trans if transposed else sgemv
    plan, program = (axpys, sgemv_trans) if transposed else (dots, sgemv)
    return schedule(seq(nav(moves.find_loop("i")), row_blocks(machine, plan), nav(moves.root), simplify()), program)


@strategy
def row_blocks(p: Proc, c: ForCursor, machine: Machine, block: Callable[[Machine, int, str], Op]) -> Script:
    """The rows by blocks of `ROWS` and the rest one by one. Focus: the loop over rows.

    `block(machine, rows, row)` is applied to the loop over the rows of a block, `ii`.
    """
    p, several = yield divide_loop(ROWS, ("io", "ii"), tail="cut")
    assert isinstance(several, ForCursor)
    p, single = yield seq(focus(several.next()), divide_loop(1, ("ir", "ii"), tail="perfect"))
    yield seq(focus(several), nav(INSIDE), block(machine, ROWS, f"{ROWS} * io + ii"))
    yield seq(focus(single), nav(INSIDE), block(machine, 1, f"{ROWS} * (M / {ROWS}) + ir + ii"))
    return None


# -- y += A x -----------------------------------------------------------------------------------------


@strategy
def dots(p: Proc, c: ForCursor, machine: Machine, rows: int, row: str) -> Script:
    """Dot products of a block of rows. Focus: `for ii: for j`."""
    width = machine.vec_width(PRECISION)
    p, full = yield seq(nav(INSIDE), divide_loop(width, ("jo", "l"), tail="cut"))
    assert isinstance(full, ForCursor)
    p, last = yield seq(focus(full.next()), divide_loop(width, ("jm", "l"), tail="guard"))
    yield seq(focus(full), split_after(c), nav(moves.prev()), partial_sums(machine, rows, row))
    p, last = yield seq(focus(last), nav(moves.parent), reorder_loops())
    yield seq(nav(INSIDE >> INSIDE), vectorize(machine, PRECISION))
    yield seq(focus(last), emit(machine, PRECISION))
    return None


@strategy
def partial_sums(p: Proc, c: ForCursor, machine: Machine, rows: int, row: str) -> Script:
    """A partial sum in each lane, added up at the end. Focus: `for ii: for jo: for l`."""
    width, block = machine.vec_width(PRECISION), c
    p, lanes = yield seq(nav(INSIDE), reorder_loops())
    p, depth = yield seq(nav(INSIDE), stage_mem(f"y[{row}]", "acc", accum=True), nav(moves.nth(0)))
    zero, sums = depth.prev(), depth.prev(2)
    yield seq(focus(sums), to_lanes(machine, PRECISION, lanes), expand_dim(rows, "ii"), lift_alloc())
    yield seq(focus(zero), split_after(block))
    yield seq(focus(depth), split_after(block))
    outwards = seq(nav(moves.parent), reorder_loops())
    p, depth = yield seq(focus(depth), outwards, outwards)
    p, added = yield seq(nav(INSIDE), stage_mem(f"x[{width} * jo:{width} * jo + {width}]", "xs"), nav(moves.nth(0)))
    yield seq(focus(added.prev(2)), set_memory(registers(machine)))
    yield seq(focus(added), nav(INSIDE), vectorize(machine, PRECISION))
    p, depth = yield focus(depth)
    for part in (depth.prev(), depth, depth.next()):
        yield seq(focus(part), emit(machine, PRECISION))
    return None


# -- y += A^T x ---------------------------------------------------------------------------------------


@strategy
def axpys(p: Proc, c: ForCursor, machine: Machine, rows: int, row: str) -> Script:
    """Multiples of a block of rows, added to y vector by vector. Focus: `for ii: for j`."""
    width = machine.vec_width(PRECISION)
    p, full = yield seq(reorder_loops(), divide_loop(width, ("jo", "l"), tail="cut"))
    assert isinstance(full, ForCursor)
    p, last = yield seq(focus(full.next()), divide_loop(width, ("jm", "l"), tail="guard"))
    yield seq(focus(full), nav(INSIDE), reorder_loops())
    p, added = yield seq(stage_mem(f"y[{width} * jo:{width} * jo + {width}]", "ys"), nav(moves.nth(0)))
    yield seq(focus(added.prev(2)), set_memory(registers(machine)))
    yield seq(focus(added), nav(INSIDE), vectorize(machine, PRECISION))
    yield seq(focus(full), emit(machine, PRECISION))
    yield seq(focus(last), nav(moves.find_loop("ii")), lift_scope(), nav(moves.parent), reorder_loops())
    yield seq(nav(INSIDE), vectorize(machine, PRECISION))
    yield seq(focus(last), emit(machine, PRECISION))
    return None
