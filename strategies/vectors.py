"""Vector code for a machine: lanes, registers, instructions, unrolling.

A machine without vectors has lanes of one element: the same schedules then make blocked scalar code.
"""

from __future__ import annotations

from dataclasses import replace

from pyrsistent import pmap

from exo_strat import (
    DRAM_STACK,
    Machine,
    Memory,
    Op,
    divide_loop,
    identity,
    moves,
    named,
    nav,
    seq,
    simplify,
)

from . import std

INSIDE = moves.body >> moves.nth(0)
"""To the first statement of a loop."""

UNROLL = 8
"""Loops are unrolled if they run at most so often: the rows, or the vectors, of a register tile."""


def without_vectors(machine: Machine) -> Machine:
    """A machine's scalar half, for what fills no vector where lanes can't be masked."""
    return replace(machine, vec_widths=pmap(), instructions=pmap())


def registers(machine: Machine) -> Memory:
    """Where what a kernel holds in registers is kept."""
    return machine.mem_type if machine.vec_widths else DRAM_STACK


@named
def in_lanes(machine: Machine, precision: str, vector: str = "v", lane: str = "l") -> Op:
    """`for i: s  ~>  for v: for l: s`: vectors, and the lanes of each, which the loop must fill. Returns `for v`."""
    width = machine.vec_width(precision)
    return divide_loop(width, (vector, lane), tail="perfect") if width > 1 else identity


@named
def vectorize_lanes(machine: Machine, precision: str) -> Op:
    """`for l: y[l] = f(x[l])  ~>  for l: v[l] = x[l]; for l: u[l] = f(v[l]); for l: y[l] = u[l]`: steps on registers.

    Focus: a loop over lanes. Returns the block of all steps; without vectors nothing changes.
    """
    rules = (std.broadcast_rule, std.fma_rule)
    steps = seq(std.stage_compute(precision, machine.mem_type, rules), std.fission_into_singles())
    return steps if machine.vec_widths else nav(moves.as_block)


@named
def emit(machine: Machine, precision: str) -> Op:
    """The statement in focus as instructions, unrolled. The focus afterwards is where it was, or the procedure."""
    return seq(simplify(), std.replace_all(machine.get_instructions(precision)), std.unroll_loops(UNROLL))


@named
def vectorize_all(machine: Machine, precision: str, vectors: int = 4) -> Op:
    """A loop whose iterations are independent: by so many vectors a time, then by one, the last masked.

    Focus: the loop, around assignments and reductions. What all vectors share is loaded before. Without vectors
    nothing changes: the C compiler has what it needs. Returns the procedure, simplified.
    """
    if not machine.vec_widths:
        return nav(moves.root)
    steps = std.vectorize(
        machine.vec_width(precision),
        precision,
        machine.mem_type,
        (),
        (std.broadcast_rule, std.fma_rule),
        "cut_and_predicate" if machine.supports_predication else "cut",
    )
    plan = seq(steps, std.licm(), std.interleave_loop(vectors), std.cleanup())
    return seq(plan, std.replace_all(machine.get_instructions(precision)), std.check_lanes(machine.mem_type))
