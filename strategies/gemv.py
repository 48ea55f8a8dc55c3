"""Products of a matrix and a vector."""

from __future__ import annotations

from collections.abc import Callable

from exo_strat import (
    ForCursor,
    Machine,
    Op,
    Proc,
    Script,
    divide_loop,
    lift_scope,
    moves,
    nav,
    on,
    reorder_loops,
    schedule,
    seq,
    simplify,
    strategy,
)

from . import std
from .programs import sgemv, sgemv_trans
from .vectors import INSIDE, emit, registers, vectorize_lanes

PRECISION = "f32"
ROWS = 8
"""Rows taken together: each element of the vector is loaded once for all of them."""


def schedule_gemv(machine: Machine) -> Proc:
    """`y += A x` for a machine. Raises `SchedulingError` if a step fails."""
    return _in_rows(machine, dots, sgemv)


def schedule_gemv_t(machine: Machine) -> Proc:
    """`y += A^T x` for a machine. Raises `SchedulingError` if a step fails."""
    return _in_rows(machine, axpys, sgemv_trans)


def _in_rows(machine: Machine, block: Callable[[Machine], Op], program: Proc) -> Proc:
    if not machine.vec_widths:
        return program
    return schedule(seq(nav(moves.find_loop("i")), row_blocks(machine, block), nav(moves.root), simplify()), program)


@strategy
def row_blocks(p: Proc, c: ForCursor, machine: Machine, block: Callable[[Machine], Op]) -> Script:
    """The rows by blocks of `ROWS` and the rest one by one. Focus: the loop over rows.

    `block(machine)` is applied to the loop over the rows of a block, `ii`.
    """
    p, several = yield divide_loop(ROWS, ("io", "ii"), tail="cut")
    assert isinstance(several, ForCursor)
    p, single = yield on(several.next(), divide_loop(1, ("ir", "ii"), tail="perfect"))
    yield on(several, nav(INSIDE), block(machine))
    yield on(single, nav(INSIDE), block(machine))
    return None


# -- y += A x -----------------------------------------------------------------------------------------


@strategy
def dots(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """Dot products of a block of rows. Focus: `for ii: for j`."""
    width = machine.vec_width(PRECISION)
    p, full = yield seq(nav(INSIDE), divide_loop(width, ("jo", "l"), tail="cut"))
    rest = full.next()
    yield on(full, std.fission_after(), nav(moves.parent), partial_sums(machine))
    if machine.supports_predication:
        p, last = yield on(rest, divide_loop(width, ("jm", "l"), tail="guard"))
        p, last = yield on(last, nav(moves.parent), reorder_loops())
        yield seq(nav(INSIDE >> INSIDE), vectorize_lanes(machine, PRECISION))
        yield on(last, emit(machine, PRECISION))
    return None


@strategy
def partial_sums(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """A partial sum in each lane, added up at the end. Focus: `for ii: for jo: for l`."""
    p, depth = yield seq(nav(INSIDE), std.parallelize_reductions(registers(machine)))
    yield on(c, std.fission_into_singles())
    p, depth = yield on(depth, nav(moves.parent), reorder_loops())
    yield seq(nav(INSIDE), std.auto_stage_mem("x", "xs", registers(machine)), nav(moves.nth(0)))
    yield seq(nav(INSIDE), vectorize_lanes(machine, PRECISION))
    for part in (depth.prev(), depth, depth.next()):
        yield on(part, emit(machine, PRECISION))
    return None


# -- y += A^T x ---------------------------------------------------------------------------------------


@strategy
def axpys(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """Multiples of a block of rows, added to y vector by vector. Focus: `for ii: for j`."""
    width = machine.vec_width(PRECISION)
    p, full = yield seq(reorder_loops(), divide_loop(width, ("jo", "l"), tail="cut"))
    assert isinstance(full, ForCursor)
    rest = full.next()
    yield on(full, nav(INSIDE), reorder_loops())
    yield seq(std.auto_stage_mem("y", "ys", registers(machine)), nav(moves.nth(0)))
    yield seq(nav(INSIDE), vectorize_lanes(machine, PRECISION))
    yield on(full, emit(machine, PRECISION))
    if machine.supports_predication:
        p, last = yield on(rest, divide_loop(width, ("jm", "l"), tail="guard"))
        yield on(last, nav(moves.find_loop("ii")), lift_scope(), nav(moves.parent), reorder_loops())
        yield seq(nav(INSIDE), vectorize_lanes(machine, PRECISION))
        yield on(last, emit(machine, PRECISION))
    return None
