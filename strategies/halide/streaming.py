"""Stages that pass the caches."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    CallCursor,
    Cursor,
    ForCursor,
    IfCursor,
    Machine,
    Proc,
    Script,
    fail,
    focus,
    moves,
    nav,
    on,
    seq,
    simplify,
    specialize,
    strategy,
    try_else,
    vectorize_loop,
)

from .. import std
from ..inspect import precision, statements, symbols_read
from ..std.writing import text
from .pixels import in_pixels
from .references import own_loops, stage_symbol, writes


@strategy
def H_stream(p: Proc, c: Cursor, stage: str, loop: str, machine: Machine, least: int = 0) -> Script:
    """`for x in (0, W): out[x] = e  ~>  for x in (0, W/16): v = e; stream(out[16*x : 16*x + 16], v)`.

    These are non-temporal stores. They are for the last stage of a pipeline whose images are larger than the caches,
    where an ordinary store would first read the cache line from memory. Iterations that fill no vector become one
    vector with a mask, or scalar code. Where a loop stores to several places and a vector is a part of a cache line,
    vectors of a line are stored one after the other: a part of a line that has to leave before the rest comes costs
    much. Loops with fewer than `least` iterations, and loops with branches, become `vec`
    loops instead, as by `H_vectorize`. The machine's instructions stream only where the address is a multiple of the
    vector's size, so rows should begin at one. Fails if the pipeline reads the stage again, as then it should stay in
    the caches, or if the machine has no such stores.

    >>> from backends.targets import avx512
    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def double(W: size, inp: f32[16 * W], out: f32[16 * W]):
    ...     for x in seq(0, 16 * W):
    ...         out[x] = 2.0 * inp[x]
    ... ''')
    >>> print(schedule(H_stream("out", "x", avx512, 1024), p))
    def double(W: size, inp: f32[16 * W] @ DRAM, out: f32[16 * W] @ DRAM):
        if 1024 <= 16 * W:
            for xo in seq(0, W):
                v: f32[16] @ AVX512
                v_1: f32[16] @ AVX512
                v_2: f32[16] @ AVX512
                mm512_set1_value_ps(v_1[0:16], 2.0)
                mm512_loadu_ps(v_2[0:16], inp[16 * xo:16 * xo + 16])
                mm512_mul_ps(v[0:16], v_1[0:16], v_2[0:16])
                mm512_stream_ps(out[16 * xo:16 * xo + 16], v[0:16])
        else:
            for x in vec(0, 16 * W):
                out[x] = 2.0 * inp[x]
    """
    kind = precision(writes(p, stage)[-1]).name
    if stage_symbol(p, stage) in symbols_read(p.root()):
        yield fail(f"{stage} is read again, so it had better stay in the caches")
    if not machine.get_streams(kind):
        yield fail(f"{machine} has no stores of {kind} that pass the caches")
    for x in own_loops(p, stage, loop):
        guarded = any(isinstance(s, IfCursor) for s in statements(x))
        yield on(x, in_pixels(stage, vectorize_loop() if guarded else _streamed(machine, kind, least)))
    yield seq(nav(moves.root), simplify())
    return p.root()


@strategy
def _streamed(p: Proc, c: ForCursor, machine: Machine, precision: str, least: int) -> Script:
    """One loop of `H_stream`."""
    if least:
        p, choice = yield specialize(f"{least} <= {text(c.hi())} - ({text(c.lo())})")
        p, _ = yield on(choice.orelse()[0], vectorize_loop())
        p, c = yield focus(choice.body()[0])
    yield on(c, std.cse(), focus(c), std.locals_in(machine.mem_type))
    tails = ("perfect", "cut_and_predicate" if machine.supports_predication else "cut")
    p, vectors = yield on(c, try_else(*(std.vectorize_for(machine, precision, tail=t) for t in tails)))
    streams = machine.get_streams(precision)
    p, vectors = yield on(vectors, std.stream_stores(streams))
    parts = 8 * machine.processor.cache(1).line // machine.vec_bits(precision)
    if parts > 1 and _stores(vectors, streams) > 1:
        p, vectors = yield on(vectors, std.interleave_loop(parts))
    return vectors


def _stores(c: Cursor, streams: Sequence[Proc]) -> int:
    """How many of the calls at and below a cursor are stores that pass the caches."""
    names = {s.name() for s in streams}
    return sum(isinstance(s, CallCursor) and s.subproc().name() in names for s in statements(c))
