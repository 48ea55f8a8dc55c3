"""Steps of chains that take a program to a processor: its registers, its instructions, and the other memories of C.
Imports `strategies`, `backends` and the harness.
"""

from __future__ import annotations

from functools import cache

from returns.result import Success

from backends.targets import available, avx2, avx512, neon
from exo_strat import (
    DRAM,
    DRAM_STACK,
    DRAM_STATIC,
    AllocCursor,
    ForCursor,
    Machine,
    Op,
    Proc,
    Tensor,
    moves,
    nav,
    on,
    seq,
    set_memory,
)
from exo_strat.ir.nodes import Alloc, Arg, Const, For, Node
from exo_strat.ir.walk import walk
from exo_strat.testing import every
from exo_strat.testing.chains import Drawn
from exo_strat.testing.choices import Choices
from strategies import std

LOOPS, ALLOCATIONS = every(ForCursor), every(AllocCursor)
TAILS = ("cut", "cut_and_predicate", "guard", "predicate", "perfect")
RULES = ((std.fma_rule, std.negated_fma_rule), (std.broadcast_rule, std.fma_rule), ())
MOST = 3
"""At how many loops a step is tried."""
PLAIN = (DRAM_STATIC, DRAM_STACK, DRAM)
"""Memories that any C compiler knows."""


@cache
def machines() -> tuple[Machine, ...]:
    """Those with vectors that the processor at hand can be, and Neon, which an emulator can."""
    return (*(m for m in (avx2, avx512) if available(m)), neon)


def suited(p: Proc) -> tuple[Machine, ...]:
    """The machines that a program may go on to: of one architecture, once there is something of it."""
    names = {n.mem.name for _, n in walk(p.tree) if isinstance(n, Alloc | Arg) and n.mem is not None}
    on_arm = neon.mem_type.name in names
    on_x86 = not on_arm and any(m.mem_type.name in names for m in (avx2, avx512))
    return tuple(m for m in machines() if (m is not neon if on_x86 else m is neon if on_arm else True))


def on_vectors(ch: Choices, p: Proc) -> Drawn | None:
    """A loop as instructions on vectors of a machine."""
    machine, rules = ch.pick(suited(p)), ch.pick(RULES)
    precision, tail = ch.pick(_precisions(p, machine)), ch.pick(_tails(machine))
    op = std.vectorize_for(machine, precision, rules, tail, strict=True)
    return _somewhere(ch, p, f"vectorize_for {machine.name}", op)


def in_lanes(ch: Choices, p: Proc) -> Drawn | None:
    """A loop over the lanes of a machine, in memory: what `to_registers` goes on from."""
    machine, rules = ch.pick(suited(p)), ch.pick(RULES)
    precision, tail = ch.pick(_precisions(p, machine)), ch.pick(_tails(machine))
    op = std.vectorize(machine.vec_width(precision), precision, DRAM_STACK, (), rules, tail)
    return _somewhere(ch, p, f"vectorize for {machine.name} in memory", op)


def _somewhere(ch: Choices, p: Proc, name: str, op: Op) -> Drawn | None:
    """An Op at a loop where it succeeds, if one of a few is one, preferably without another loop inside."""
    loops = list(LOOPS(p))
    inner = [c for c in loops if not any(isinstance(n, For) for s in c.node.body for _, n in walk(s))]  # type: ignore
    found = ch.some(inner or loops, MOST)
    good = (c for c in found if isinstance(op(p, c), Success))
    return (name, op, next(good, found[0])) if found else None


def to_registers(ch: Choices, p: Proc) -> Drawn | None:
    """Buffers of a machine's lanes in its registers, and what uses them as its instructions."""
    machine = ch.pick(suited(p))
    precision = ch.pick(_precisions(p, machine))
    width = machine.vec_width(precision)
    lanes = [a for a in ALLOCATIONS(p) if isinstance(a, AllocCursor) and _lanes(a.node) == (precision, width)]
    if not lanes:
        return None
    moved = [on(a, set_memory(machine.mem_type)) for a in lanes]
    op = seq(*moved, nav(moves.root), std.replace_all(machine.get_instructions(precision)))
    return f"to registers of {machine.name}", op, p.root()


def instructions(ch: Choices, p: Proc) -> Drawn | None:
    """Code that instructions do, as calls of them."""
    machine = ch.pick(suited(p))
    found = machine.get_instructions(ch.pick(_precisions(p, machine)))
    return f"replace_all by instructions of {machine.name}", std.replace_all(found), p.root()


def elsewhere(ch: Choices, p: Proc) -> Drawn | None:
    """A buffer in another memory of C."""
    found = list(ALLOCATIONS(p))
    memory = ch.pick(PLAIN)
    return (f"set_memory {memory.name}", set_memory(memory), ch.pick(found)) if found else None


def _precisions(p: Proc, machine: Machine) -> list[str]:
    """The precisions of a program that a machine has vectors of; else one that it has."""
    declared = [n.type for _, n in walk(p.tree) if isinstance(n, Alloc | Arg)]
    names = {str(t.base if isinstance(t, Tensor) else t) for t in declared}
    return sorted(names & set(machine.vec_widths)) or ["f32"]


def _tails(machine: Machine) -> tuple[str, ...]:
    return tuple(t for t in TAILS if machine.supports_predication or "predicate" not in t)


def _lanes(n: Node) -> tuple[str, int] | None:
    """The precision of a buffer, and how long its rows are."""
    if not isinstance(n, Alloc) or not isinstance(n.type, Tensor):
        return None
    last = n.type.shape[-1]
    return (str(n.type.base), int(last.value)) if isinstance(last, Const) else None


DRAWS = (on_vectors, on_vectors, on_vectors, on_vectors, in_lanes, to_registers, instructions, elsewhere)
"""The steps, the more rewarding ones more often."""

__all__ = ["DRAWS", "machines", "suited"]
