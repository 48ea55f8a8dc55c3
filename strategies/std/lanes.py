"""What a plan for vectors has left without an instruction. Imports `exo_strat` and how this package writes."""

from __future__ import annotations

import warnings

from exo_strat import (
    Cursor,
    ForCursor,
    Memory,
    Proc,
    Script,
    fail,
    identity,
    mentions,
    names_at,
    nodes,
    print_stmt,
    traversals,
    walk,
)

from .writing import strategy


class NoInstructionWarning(UserWarning):
    """A loop over lanes that no instruction of the machine computes. C takes it where the lanes are in memory, and
    refuses it where they are in registers of the processor, which only instructions can write."""


@strategy
def check_lanes(p: Proc, c: Cursor, memory: Memory, strict: bool = False) -> Script:
    """`s  ~>  s`. Focus: what a plan for vectors has left. Returns it.

    Each loop over the lanes of registers in `memory`, at and below the focus, that is no call of an instruction is
    named in a
    `NoInstructionWarning`; with `strict` in a failure.

    >>> from exo_strat import DRAM_STACK, proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     v: f32[8] @ DRAM_STACK
    ...     for l in seq(0, 8):
    ...         v[l] = expf(x[l])
    ... ''')
    >>> print(check_lanes(DRAM_STACK, strict=True)(p).failure().message)
    no instruction computes `v[l] = expf(x[l])`, so a loop over lanes of DRAM_STACK is left: put it in a loop of its own
    """
    names = names_at(p.tree)
    left = dict.fromkeys(print_stmt(s, names) for s in by_lanes(c, memory))
    advice = f"so a loop over lanes of {memory} is left: put it in a loop of its own"
    message = "\n".join(f"no instruction computes `{text}`, {advice}" for text in left)
    if message and strict:
        yield fail(message)
    if message:
        more = " (fission, std.stage_expr) that stays as it is; with strict=True the plan fails instead"
        warnings.warn(message + more, NoInstructionWarning, stacklevel=2)
    yield identity
    return c


def by_lanes(c: Cursor, memory: Memory) -> list[nodes.Assign | nodes.Reduce]:
    """The assignments to and from registers that loops at and below a cursor make themselves, one lane at a time."""
    registers = {n.sym for _, n in walk(c.proc.tree) if isinstance(n, nodes.Alloc) and n.mem == memory}
    block = c.as_block() if isinstance(c, ForCursor) else c
    inside = (n for loop in traversals.inner_loops(block) if isinstance(loop, ForCursor) for _, n in walk(loop.node))
    found = (n for n in inside if isinstance(n, nodes.Assign | nodes.Reduce))
    return [n for n in found if not mentions(n).isdisjoint(registers)]
