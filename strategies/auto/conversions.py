"""Loops that compute in one precision what they go on with in another: a part for each."""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    ExternCursor,
    ForCursor,
    NodeCursor,
    Proc,
    Script,
    bind_expr,
    divide_loop,
    expand_dim,
    fail,
    focus,
    lift_alloc,
    on,
    set_memory,
    shift_loop,
    strategy,
)

from .. import std
from ..std.hoisting import is_operation
from ..std.writing import halves


@strategy
def conversions_apart(p: Proc, c: ForCursor, size: int) -> Script:
    """`for i: s += f64(x[i] * y[i])  ~>  for io: (for ii: t[ii] = x[..] * y[..]); for ii: s += f64(t[ii])`.

    Blocks of so many iterations, `size`, with what is computed before it is converted in a buffer near the processor,
    so that each part has one precision. Focus: an innermost loop. Returns the block in its
    place: a loop over whole blocks, and what is left. Fails if nothing is converted but elements.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n], s: f64):
    ...     for i in seq(0, n):
    ...         s += f64(x[i] * y[i])
    ... ''')
    >>> print(schedule(at("for i in _: _", conversions_apart(1024)), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM, s: f64 @ DRAM):
        for io in seq(0, n / 1024):
            t: f32[1024] @ DRAM_STACK
            for ii in seq(0, 1024):
                t[ii] = x[1024 * io + ii] * y[1024 * io + ii]
            for ii in seq(0, 1024):
                s += f64(t[ii])
        t: f32[1024] @ DRAM_STACK
        for ii in seq(0, n % 1024):
            t[ii] = x[1024 * (n / 1024) + ii] * y[1024 * (n / 1024) + ii]
        for ii in seq(0, n % 1024):
            s += f64(t[ii])
    """
    after = len(c.expand(0, None))
    if not converted(c):
        yield fail("nothing is converted but elements")
    p, c = yield shift_loop(0)
    p, blocks = yield divide_loop(size, halves(c), tail="cut")
    for block in (blocks.body()[0], blocks.next()):
        p, block = yield focus(block)
        while found := converted(block):
            p, assigned = yield on(found[0], bind_expr("t"))
            p, block = yield focus(block)
            p, _ = yield on(assigned.prev(), expand_dim(size, block.name()), set_memory(DRAM_STACK), lift_alloc())
            p, block = yield focus(block)
        yield on(block, std.fission_where_possible())
    p, blocks = yield focus(blocks)
    return blocks.expand(0, len(blocks.expand(0, None)) - after)


def converted(c: ForCursor) -> list[NodeCursor]:
    """What is computed in a loop and then converted to another precision."""
    found = (e for s in c.body() for e in s.descendants() if isinstance(e, ExternCursor))
    return [e.args()[0] for e in found if e.function().converts and is_operation(e.args()[0])]


__all__ = ["conversions_apart"]
