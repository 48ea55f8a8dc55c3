"""Level 1: loops over vectors. Imports `exo_strat`, `std` and `inspect`.

One plan for all of them. Iterations are taken a vector at a time; what they all add to is added up in each lane, and
for several vectors at a time in several registers.
"""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ReduceCursor,
    Script,
    cut_loop,
    delete_pass,
    divide_loop,
    eliminate_dead_code,
    fail,
    focus,
    moves,
    named,
    nav,
    rearrange_dim,
    reorder_loops,
    repeat,
    seq,
    set_memory,
    simplify,
    specialize,
    try_else,
    unroll_loop,
)

from .. import std
from ..inspect import innermost_loops, is_reduction, statements
from ..std.writing import INSIDE, halves, strategy, text

RULES = (std.abs_rule, std.fma_rule)
SCALARS = 8
"""Sums in so many parts where there are no vectors."""


@named
def optimize_level_1(precision: str, machine: Machine, vectors: int = 4) -> Op:
    """`for i: s  ~>  for io: s[4 vectors]; for io: s[vector]; for i: s`, as instructions of a machine.

    `vectors` are taken together, with a register each for sums; the last iterations of sums are a masked vector, if
    the machine has masks. Without vectors, sums are in parts, and the rest is the C compiler's. Focus: a loop from 0
    whose iterations are independent, but for sums, minima and maxima. Returns the procedure. Paper: appendix D.1.
    """
    if not machine.vec_widths:
        return seq(sums_in_parts(SCALARS), std.cleanup())
    return seq(std.cse(), vector_loop(precision, machine, vectors), std.cleanup())


@strategy
def vector_loop(p: Proc, c: ForCursor, precision: str, machine: Machine, vectors: int) -> Script:
    """The plan of `optimize_level_1` for a machine with vectors."""
    width, registers = machine.vec_width(precision), machine.mem_type
    masked = machine.supports_predication and has_sums(c)
    p, whole = yield (whole_vectors if masked else single_rest)(width, registers)
    rest = whole.next()
    p, loops = yield seq(focus(whole), together(vectors, registers)) if vectors > 1 else focus(whole)
    for loop in (*innermost_loops(loops), *(innermost_loops(rest) if masked else ())):
        yield seq(focus(loop), locals_in(registers), focus(loop), std.stage_compute(precision, registers, RULES))
        yield std.fission_into_singles()
    yield seq(nav(moves.root), simplify(), std.replace_all(machine.get_instructions(precision)))
    yield std.unroll_loops(vectors)
    return None


@strategy
def locals_in(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for i: a: T; s  ~>  for i: a: T @ MEM; s`. Focus: the loop."""
    for s in statements(c):
        if isinstance(s, AllocCursor):
            yield seq(focus(s), set_memory(memory))
    return None


@strategy
def whole_vectors(p: Proc, c: ForCursor, width: int, memory: Memory) -> Script:
    """`for i in (0, n): s  ~>  for io in (0, n / w): for l: s; if 0 < n % w: for l: if l + n / w * w < n: s`.

    Sums are in lanes. Focus: the loop. Returns the one over whole vectors.
    """
    end = text(c.hi())
    p, c = yield divide_loop(width, halves(c), tail="guard")
    p, c = yield try_else(std.parallelize_reductions(memory), focus(c))
    p, whole = yield seq(focus(c), cut_loop(f"({end}) / {width}"))
    rest = whole.next()
    yield seq(focus(whole), nav(INSIDE >> INSIDE), eliminate_dead_code())
    p, choice = yield seq(focus(rest), specialize(f"0 < ({end}) % {width}"))
    yield seq(focus(choice.orelse()[0]), eliminate_dead_code(), nav(moves.root), delete_pass())
    yield seq(focus(choice), nav(INSIDE), unroll_loop())
    return whole  # type: ignore[no-any-return]


def has_sums(c: ForCursor) -> bool:
    """Whether iterations of a loop add to the same element."""
    return any(is_reduction(s, c) for s in statements(c) if isinstance(s, ReduceCursor))


@strategy
def single_rest(p: Proc, c: ForCursor, width: int, memory: Memory) -> Script:
    """`for i in (0, n): s  ~>  for io in (0, n / w): for l: s; for l in (0, n % w): s`. Focus: the loop.

    For updates even where there are masks: a vector that was stored with one can't be loaded before the store is
    done. Sums of the first loop, which is returned, are in lanes.
    """
    p, whole = yield divide_loop(width, halves(c), tail="cut")
    p, whole = yield try_else(std.parallelize_reductions(memory), focus(whole))
    return whole  # type: ignore[no-any-return]


@strategy
def together(p: Proc, c: ForCursor, vectors: int, memory: Memory) -> Script:
    """`for io: for l: s  ~>  for ioo: for ioi in (0, v): for l: s; for ioi: for l: s`, sums in v registers.

    The registers for sums are set up if there are so many vectors. Focus: a loop over vectors, around the one over
    lanes. Returns the block of both parts.
    """
    p, blocks = yield divide_loop(vectors, halves(c), tail="cut")
    single = blocks.next()
    p, _ = yield try_else(std.if_it_runs(sums_apart(memory)), focus(blocks))
    p, single = yield focus(single)
    return single.expand(1, 0)  # type: ignore[no-any-return]


@strategy
def sums_apart(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for o: for v: for l: a[l] += e  ~>  for v: for l: t[v, l] = 0; for o: for v: for l: t[v, l] += e; ..`.

    Sums in registers of their own, for each v. Focus: the outer loop. Returns the first buffer.
    """
    p, lanes = yield seq(nav(INSIDE), reorder_loops(), nav(moves.parent), reorder_loops())
    p, c = yield seq(nav(INSIDE), std.parallelize_reductions(memory))
    p, lanes = yield focus(lanes)
    sums = [s for s in lanes.body() if isinstance(s, AllocCursor)]
    if not sums:
        yield fail("there are no sums in the loop")
    p, nests = yield std.fission_into_singles()
    for s in sums:
        yield seq(focus(s), rearrange_dim((1, 0)))
    for n in nests:
        yield seq(focus(n), repeat(seq(reorder_loops(), nav(INSIDE))))
    return sums[0]


# -- without vectors ----------------------------------------------------------------------------------


@strategy
def sums_in_parts(p: Proc, c: ForCursor, parts: int) -> Script:
    """`for i in (0, n): s += e  ~>  for io in (0, n / 8): t[0] += e; ..; t[7] += e; for i: t[i] += e; s += t[..]`.

    A loop without sums stays. Focus: the loop.
    """
    if not has_sums(c):
        return None
    p, whole = yield whole_vectors(parts, DRAM_STACK)
    yield seq(focus(whole), nav(INSIDE), unroll_loop())
    return None
