"""Level 1: loops over vectors.

One plan for all of them. Iterations are taken a vector at a time; what they all add to is added up in each lane, and
for several vectors at a time in several registers.
"""

from __future__ import annotations

from typing import Final

from toolz import unique

from exo_strat import (
    ForCursor,
    Machine,
    Memory,
    Proc,
    Script,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    fission,
    focus,
    fuse,
    hole,
    moves,
    nav,
    on,
    reorder_stmts,
    seq,
    set_memory,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    strategy,
    try_else,
    unroll_loop,
)

from .. import std
from ..inspect import innermost_loops, sums, unique_name, updates
from ..models import partial_sums
from ..std.staging import allocation
from ..std.vectorize import rules_for
from ..std.writing import INSIDE, element, halves, text

RULES = (std.abs_rule, std.fma_rule, std.negated_fma_rule)

# What holes are filled with unless said, where the machine's numbers don't tell: as measured by
# `python -m benchmarks.blas --level 1`, and `python -m benchmarks.tuning --kernel axpy --kernel dot`.

MANY: Final = (1, 2, 4, 8, 16)
"""How many vectors may be taken together."""

TOGETHER: Final = 4
"""Vectors that are taken together where nothing is added up."""

FEW: Final = 4
"""Iterations from which on it pays to give vectors that are taken together a register each, and to join these."""


@strategy
def optimize_level_1(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    vectors: int = 0,
    strict: bool = False,
    shorter: Machine | None = None,
) -> Script:
    """`for i: s  ~>  for io: s[4 vectors]; for io: s[vector]; for i: s`, as instructions of a machine.

    So many `vectors` are taken together, a power of two. If it isn't given, it is a hole. That of sums is `parts`, by
    default as many that additions don't wait for each other (`models.partial_sums`), and one more is from how `few`
    iterations on; that of others is `vectors`. The last iterations of sums are a masked vector, if the machine has
    masks; of updates, one of a machine with `shorter` vectors, if it is given, and numbers. Without vectors, sums are
    in as many parts, and the rest is the C compiler's. Data of other precisions is
    converted as it is loaded and stored. What the machine has no instruction for is named in a `NoInstructionWarning`,
    or with `strict` a failure. Focus: a loop whose iterations are independent, but for sums, minima and maxima. Returns
    the procedure. Paper: appendix D.1.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def axpy(n: size, a: f32, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += a * x[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", optimize_level_1(avx2, "f32", vectors=1)), p))
    def axpy(n: size, a: f32 @ DRAM, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for ioo in seq(0, n / 8):
            v: f32[8] @ AVX2
            v_1: f32[8] @ AVX2
            v_2: f32[8] @ AVX2
            v_3: f32[8] @ AVX2
            mm256_loadu_ps(v_1[0:8], y[8 * ioo:8 * ioo + 8])
            mm256_set1_value_ps(v_2[0:8], a)
            mm256_loadu_ps(v_3[0:8], x[8 * ioo:8 * ioo + 8])
            mm256_fmadd_to_ps(v[0:8], v_2[0:8], v_3[0:8], v_1[0:8])
            mm256_storeu_ps(y[8 * ioo:8 * ioo + 8], v[0:8])
        for ii in seq(0, n % 8):
            y[8 * (n / 8) + ii] += a * x[8 * (n / 8) + ii]
    >>> from backends.targets import avx512
    >>> from strategies.inspect import loops_inside
    >>> q = schedule(at("for i in _: _", optimize_level_1(avx512, "f32", vectors=1, shorter=avx2)), p)
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['ioo < n / 16', 'iioo < n / 8 % 2', 'iii < n % 8']
    """
    p, c = yield shift_loop(0)
    parts = vectors if machine.vec_widths else 0  # without vectors, there is no number of them to go by
    few = FEW
    if sums(c):
        parts = parts or (yield hole("parts", MANY, default=partial_sums(machine)))
        few = few if vectors or parts <= 2 else (yield hole("few", (2, 4, 8, 16), default=FEW))
    elif machine.vec_widths:
        parts = parts or (yield hole("vectors", MANY, default=TOGETHER))
    if machine.vec_widths:
        yield vector_loop(machine, precision, parts, few, strict, shorter)
    elif sums(c):
        yield together(parts, machine.mem_type, few)
    yield std.cleanup()
    return None


@strategy
def vector_loop(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    vectors: int,
    few: int,
    strict: bool,
    shorter: Machine | None,
) -> Script:
    """The plan of `optimize_level_1` for a machine with vectors."""
    width, registers = machine.vec_width(precision), machine.mem_type
    masked = machine.supports_predication and only_sums(c)
    p, whole = yield seq(std.cse(), focus(c), whole_vectors(width, registers, masked))
    rest, parts = whole.next(), whole.as_block()
    instructions = machine.get_instructions(precision)
    rules = rules_for(instructions, RULES)
    if sums(whole):  # the sums that are apart have registers of their own
        p, parts = yield on(whole, together(vectors, registers, few))
    for loop in (*innermost_loops(parts), *(innermost_loops(rest) if masked else ())):
        yield on(loop, std.locals_in(registers), focus(loop), std.stage_compute(precision, registers, rules))
        yield std.fission_into_singles()
    if not sums(whole):  # both parts are copies, of what was taken apart once
        yield on(whole, together(vectors, registers, few))
    yield on(rest, std.unguard(), nav(moves.root), simplify())
    yield seq(std.replace_all(instructions), *[std.check_lanes(registers, strict)] * bool(instructions))
    yield std.unroll_loops(vectors)
    if shorter and not masked:
        yield on(rest, optimize_level_1(shorter, precision, 1, strict))
    return None


@strategy
def whole_vectors(p: Proc, c: ForCursor, width: int, memory: Memory, masked: bool) -> Script:
    """`for i in (0, n): s  ~>  for io in (0, n / w): for l: s; for l in (0, n % w): s`, with sums in lanes.

    `masked`, the rest is `if 0 < n % w: for l: if l + n / w * w < n: s`, with sums in the same lanes. That of updates
    isn't, even where there are masks: a vector that was stored with one can't be loaded before the store is done.
    Focus: the loop. Returns the one over whole vectors.
    """
    end = text(c.hi())
    p, whole = yield divide_loop(width, halves(c), tail="guard" if masked else "cut")
    p, whole = yield try_else(std.parallelize_reductions(memory), focus(whole))
    if masked:
        p, whole = yield on(whole, cut_loop(f"({end}) / {width}"))
        yield on(whole, nav(INSIDE >> INSIDE), eliminate_dead_code())
        yield on(whole.next(), std.if_it_runs(unroll_loop(), f"0 < ({end}) % {width}"))
    return whole


def only_sums(c: ForCursor) -> bool:
    """Whether iterations of a loop add to the same elements and write no others.

    A vector that was stored with a mask can't be loaded before the store is done: the last columns of a row would wait
    for those of the row before.
    """
    return bool(sums(c)) and sums(c) == updates(c)


@strategy
def together(p: Proc, c: ForCursor, vectors: int, memory: Memory, few: int = FEW) -> Script:
    """`for i in (0, n): s  ~>  for io in (0, n / v): for ii in (0, v): s; for ii: s`.

    Of sums, `~>  if 0 < n / 2: (for io in (0, n / 2): s; s); if 0 < n % 2: s`, with a register for each s, which are
    joined after the loop; of many pairs, from `few` times v / 2 on, v vectors each have a register. Focus: a loop over
    vectors, around the one over lanes, or over numbers. Returns the block of all parts.
    """
    if vectors == 1 or not sums(c):
        p, c = yield divide_loop(vectors, halves(c), tail="perfect" if vectors == 1 else "cut")
        return c.as_block() if vectors == 1 else c.expand(0, 1)
    end = text(c.hi())
    p, pairs = yield divide_loop(2, halves(c), tail="cut")
    p, single = yield on(pairs.next(), std.if_it_runs(unroll_loop(), f"0 < ({end}) % 2"), nav(moves.parent))
    yield on(pairs, std.if_it_runs(seq(halves_apart(memory), many_apart(vectors // 2, memory, few))))
    p, single = yield focus(single)
    return single.expand(1, 0)


@strategy
def many_apart(p: Proc, c: ForCursor, times: int, memory: Memory, few: int) -> Script:
    """`for i in (0, n): s  ~>  if n < 4 t: (for i: s) else: (for i in (0, n / t): s; ..; s); for i: s`.

    With t copies of s that have registers of their own. It takes some iterations, `few` times t, to make up for the
    joining. Focus: a loop over vectors or numbers. Returns what is in its place.
    """
    if times == 1:
        return c
    end = text(c.hi())
    p, choice = yield specialize(f"{end} < {few * times}")
    p, many = yield on(choice.orelse()[0], cut_loop(f"({end}) / {times} * {times}"))
    while times > 1:
        p, many = yield on(many, divide_loop(2, halves(many), tail="perfect"), halves_apart(memory))
        times //= 2
    return choice


@strategy
def halves_apart(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for o: for h in (0, 2): a += e  ~>  t = 0; for o: (t += e[h -> 0]; a += e[h -> 1]); a += t`, for sums.

    Focus: the outer loop, which is returned.
    """
    lanes = innermost_loops(c)[0]
    targets = unique(element(s).replace(f"[{lanes.name()}]", f"[0:{text(lanes.hi())}]") for s in sums(c))
    p, both = yield seq(nav(INSIDE), unroll_loop())
    p, second = yield on(both[len(both) // 2], nav(moves.before), fission())
    for target in targets:
        p, block = yield on(c, stage_mem(target, unique_name(p, "acc"), accum=True))
        p, block = yield on(allocation(block), set_memory(memory), focus(block))
        yield on(block[0].next(), reorder_stmts(p.forward(second)))
    p, c = yield on(c, fuse(second))
    return c
