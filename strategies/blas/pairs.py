"""Loops over pairs: numbers whose two parts are neighbours, as complex ones are.

An iteration has a pair, and loops over its two parts. Some pairs fill a vector, whose lanes are the parts. What the
other part of a pair takes part in is of a vector that an instruction loads with the parts of each pair exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolz import unique

from exo_strat import (
    AllocCursor,
    BinaryOpCursor,
    ForCursor,
    Machine,
    Memory,
    NodeCursor,
    Proc,
    ReduceCursor,
    Script,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    focus,
    lift_scope,
    moves,
    mult_dim,
    mult_loops,
    nav,
    on,
    reorder_loops,
    rewrite_expr,
    seq,
    set_memory,
    simplify,
    stage_mem,
    strategy,
    unroll_buffer,
    unroll_loop,
)

from .. import std
from ..inspect import inner_loop, innermost_loops, sums, unique_name
from ..std.compute import Update, factors
from ..std.staging import allocation
from ..std.vectorize import rules_for
from ..std.writing import INSIDE, element, halves, text
from .level1 import FEW, RULES, together

VECTORS: Final = 4
"""Vectors that are taken together unless said. Measured by
`python -m benchmarks.blas --level complex --only dotu --only scal --only axpy`."""

SUMS: Final = 2
"""Pairs that are taken together where there are no vectors: each may have four sums."""


@strategy
def optimize_pairs(p: Proc, c: ForCursor, machine: Machine, precision: str, vectors: int = VECTORS) -> Script:
    """`for i: for k in (0, 2): s  ~>  for io: s[4 vectors]; for io: s[vector]; s[masked vector]`, by instructions.

    So many `vectors` are taken together, a power of two, each with sums of its own. The last pairs are a masked vector,
    so that they are rounded as all others are. Without vectors, sums are of `SUMS` pairs together, and the rest is left
    to the C compiler. Fails if the machine has no instruction for something in the loop. Focus: a loop from 0 whose
    iterations are independent, but for sums, and have loops over the two parts. Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def turned(n: size, b: f32[2], x: f32[2 * n], y: f32[2 * n]):
    ...     for i in seq(0, n):
    ...         for k in seq(0, 2):
    ...             y[2 * i + k] = b[k] * x[2 * i + 1 - k]
    ... ''')
    >>> print(schedule(at("for i in _: _", optimize_pairs(avx2, "f32", 1)), p))
    def turned(n: size, b: f32[2] @ DRAM, x: f32[2 * n] @ DRAM, y: f32[2 * n] @ DRAM):
        if 0 < n / 4:
            v: f32[8] @ AVX2
            mm256_set1_pair_ps(v[0:8], b[0:2])
            for ioo in seq(0, n / 4):
                v_1: f32[8] @ AVX2
                v_2: f32[8] @ AVX2
                mm256_loadu_exchanged_ps(v_2[0:8], x[8 * ioo:8 * ioo + 8])
                mm256_mul_ps(v_1[0:8], v[0:8], v_2[0:8])
                mm256_storeu_ps(y[8 * ioo:8 * ioo + 8], v_1[0:8])
        if 0 < n % 4:
            v: f32[8] @ AVX2
            v_1: f32[8] @ AVX2
            v_2: f32[8] @ AVX2
            mm256_set1_pair_ps(v_1[0:8], b[0:2])
            mm256_maskz_loadu_exchanged_ps(2 * (n % 4), v_2[0:8], x[8 * (n / 4):2 * n])
            mm256_mul_ps(v[0:8], v_1[0:8], v_2[0:8])
            mm256_mask_storeu_ps(2 * (n % 4), y[8 * (n / 4):2 * n], v[0:8])
    """
    if not machine.vec_widths:
        yield single_pairs(machine.mem_type)
        return None
    width, registers = machine.vec_width(precision), machine.mem_type
    instructions = machine.get_instructions(precision)
    rules = rules_for(instructions, (first_product_rule, *RULES))
    p, whole = yield seq(lanes_of_pairs(width, registers), sums_of_lanes(registers), whole_vectors(c, width // 2))
    rest, parts = whole.next(), whole.as_block()
    if sums(whole):
        p, parts = yield on(whole, together(vectors, registers, FEW))
    for loop in (*innermost_loops(parts), *innermost_loops(rest)):
        yield on(loop, std.locals_in(registers), focus(loop))
        yield seq(std.stage_compute(precision, registers, rules), std.fission_into_singles())
    if not sums(whole):
        yield on(whole, std.licm(), together(vectors, registers))
    yield on(rest, std.unguard(), nav(moves.root), simplify())
    yield seq(std.replace_all(instructions), std.check_lanes(registers, True), std.unroll_loops(vectors))
    yield std.cleanup()
    return None


def first_product_rule(s: Update) -> Sequence[NodeCursor] | None:
    """`t = a * b + c * d`: the first product is fused with the sum. C compilers do so, too: what is left to them, as
    pairs that are no neighbours, is rounded alike.

    Returns a, b and the other product; None for other statements.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(a: f32, b: f32, x: f32, y: f32): y = a * x + b * y")
    >>> [e.text() for e in first_product_rule(p.find("y = _"))]
    ['a', 'x', 'b * y']
    """
    value = s.rhs()
    if isinstance(s, ReduceCursor) or not isinstance(value, BinaryOpCursor) or value.op() not in "+-":
        return None
    pair = factors(value.lhs())
    return None if pair is None else (*pair, value.rhs())


@strategy
def single_pairs(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for i: for k in (0, 2): s  ~>  for i: s[k -> 0]; s[k -> 1]`, with sums of `SUMS` pairs apart. Focus: the outer
    loop."""
    yield std.unroll_loops(2)
    for a in c.body():
        if isinstance(a, AllocCursor):
            yield on(a, unroll_buffer(0))
    p, c = yield focus(c)
    if sums(c):
        p, c = yield in_buffers(memory)
        yield together(SUMS, memory)
    yield std.cleanup()
    return None


@strategy
def lanes_of_pairs(p: Proc, c: ForCursor, width: int, memory: Memory) -> Script:
    """`for i in (0, n): for k in (0, 2): s  ~>  for io: for l in (0, w): if w*io + l < 2 n: s[i -> .., k -> l % 2]`.

    So for each loop over the two parts, with w/2 pairs in a vector. What an iteration allocates for its pair is a
    register in `memory`. Focus: the loop over pairs. Returns the outer loop.
    """
    end, lane = text(c.hi()), unique_name(p, "l")
    for parts in c.body():
        if isinstance(parts, ForCursor):
            yield on(parts, std.share_sums())
    p, c = yield seq(focus(c), divide_loop(width // 2, halves(c), tail="guard"))
    yield on(c, nav(INSIDE), std.fission_into_singles())
    p, c = yield focus(c)
    for s in c.body():
        if isinstance(s, AllocCursor):
            yield on(s, mult_dim(0, 1), set_memory(memory))
        elif isinstance(s, ForCursor):
            yield on(s, nav(INSIDE >> INSIDE), lift_scope())
            p, lanes = yield on(s, mult_loops(lane))
            yield seq(nav(INSIDE >> moves.cond), rewrite_expr(f"{width} * {c.name()} + {lane} < 2 * ({end})"))
            yield on(lanes, simplify())
    yield focus(c)
    return c


@strategy
def sums_of_lanes(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for io: for l: s[l%2] += e  ~>  for l: t[l] = 0; for io: for l: t[l] += e; for l: s[l%2] += t[l]`, for all sums.

    As `std.parallelize_reductions`, of sums that are not all of one element. Focus: the outer loop, which is returned.
    """
    if not sums(c):
        return c
    lanes = inner_loop(c)
    yield seq(reorder_loops(), focus(c), in_buffers(memory))
    yield on(lanes, std.fission_into_singles())
    p, c = yield on(c, nav(moves.parent), reorder_loops())
    return c


@strategy
def in_buffers(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for i: a += e  ~>  t = 0; for i: t += e; a += t`, for all sums. Focus: the loop, which is returned."""
    for target in unique(map(element, sums(c))):
        p, block = yield on(c, stage_mem(target, unique_name(p, "acc"), accum=True))
        yield on(allocation(block), set_memory(memory))
    yield focus(c)
    return c


@strategy
def whole_vectors(p: Proc, c: ForCursor, pairs: ForCursor, some: int) -> Script:
    """`for io: for l: if g: s  ~>  for io in (0, n / some): for l: s; if 0 < n % some: for l: if g: s`. Focus: the loop
    over vectors of so many `pairs`. Returns that over whole ones."""
    end = text(pairs.hi())
    p, whole = yield cut_loop(f"({end}) / {some}")
    for lanes in innermost_loops(whole):
        yield on(lanes, nav(INSIDE), eliminate_dead_code())
    yield on(whole.next(), std.if_it_runs(unroll_loop(), f"0 < ({end}) % {some}"))
    p, whole = yield focus(whole)
    return whole
