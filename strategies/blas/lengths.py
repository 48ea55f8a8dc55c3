"""Loops over vectors of two lengths: the longer ones for what is long enough, the shorter ones for the rest.

A loop of few iterations is faster with shorter vectors: more of them are whole, and lanes are added up in fewer steps.
"""

from __future__ import annotations

from exo_strat import (
    ForCursor,
    Machine,
    Op,
    Proc,
    Script,
    cut_loop,
    focus,
    moves,
    nav,
    on,
    seq,
    simplify,
    specialize,
    strategy,
)

from .. import std
from ..inspect import innermost_loops, sums
from ..std.vectorize import rules_for
from ..std.writing import text
from .level1 import RULES, whole_vectors


@strategy
def by_length(p: Proc, c: ForCursor, width: int, wide: Op, narrow: Op, rest: Op | None = None) -> Script:
    """`for i in (0, n): s  ~>  if n < w: for i: s else: (for i in (0, n / w * w): s); for i in (n / w * w, n): s`.

    The plans act on the loops: `narrow` on that of a few iterations, `wide` on that of whole vectors of `width`
    iterations, `rest` on that after them. Without one, and of sums, the loop is not cut: `wide` is to see to what is
    left over. Focus: the loop. Returns the procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", by_length(8, identity, identity, identity)), p))
    def zero(n: size, x: f32[n] @ DRAM):
        if n < 8:
            for i in seq(0, n):
                x[i] = 0.0
        else:
            for i in seq(0, n / 8 * 8):
                x[i] = 0.0
            for i in seq(n / 8 * 8, n):
                x[i] = 0.0
    """
    end = text(c.hi())
    p, choice = yield specialize(f"{end} < {width}")
    few, many = choice.body()[0], choice.orelse()[0]
    if rest is not None and not sums(c):
        p, many = yield on(many, cut_loop(f"({end}) / {width} * {width}"))
        yield on(many.next(), rest)
    yield seq(on(few, narrow), on(many, wide))
    return None


@strategy
def with_masked_end(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for i in (0, n): s  ~>  for io in (0, n / w): s[vector]; s[masked vector]`, as instructions of a machine, also
    where `optimize_level_1` would end with single numbers: of loops with sums and updates, so that these are added up
    once. Focus: a loop whose iterations are independent, but for sums. Returns the procedure.

    >>> from backends.targets import avx512
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", with_masked_end(avx512, "f32")), p))
    def zero(n: size, x: f32[n] @ DRAM):
        for io in seq(0, n / 16):
            v: f32[16] @ AVX512
            mm512_setzero_ps(v[0:16])
            mm512_storeu_ps(x[16 * io:16 * io + 16], v[0:16])
        if 0 < n % 16:
            v: f32[16] @ AVX512
            mm512_setzero_ps(v[0:16])
            mm512_mask_storeu_ps(n % 16, x[16 * (n / 16):n], v[0:16])
    """
    width, registers = machine.vec_width(precision), machine.mem_type
    instructions = machine.get_instructions(precision)
    p, whole = yield seq(std.cse(), focus(c), whole_vectors(width, registers, True))
    rest = whole.next()
    for loop in (*innermost_loops(whole), *innermost_loops(rest)):
        yield on(loop, std.locals_in(registers), focus(loop))
        yield seq(std.stage_compute(precision, registers, rules_for(instructions, RULES)), std.fission_into_singles())
    yield on(rest, std.unguard(), nav(moves.root), simplify())
    yield seq(std.replace_all(instructions), std.check_lanes(registers, True), std.cleanup())
    return None
