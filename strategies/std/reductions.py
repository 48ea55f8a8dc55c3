"""Sums in parts."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    ForCursor,
    Memory,
    Proc,
    ReduceCursor,
    Script,
    fail,
    identity,
    moves,
    nav,
    on,
    reorder_loops,
    set_memory,
    stage_mem,
    strategy,
)

from ..inspect import inner_loop, is_perfect_nest, is_reduction, statements, unique_name
from .splitting import fission_into_singles
from .staging import allocation
from .writing import element


@strategy
def parallelize_reductions(p: Proc, c: ForCursor, memory: Memory | None = None) -> Script:
    """`for io: for l: x += e  ~>  for l: t[l] = 0; for io: for l: t[l] += e; for l: x += t[l]`: partial sums.

    Each lane l has its own sum, or product. This is done for every element that the two loops only accumulate into; t
    is in `memory`, if one is given. Focus: the outer loop, whose body is the inner loop alone, which starts at 0.
    Returns the outer loop. Paper: section 6.1.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[8 * n], s: f32):
    ...     for io in seq(0, n):
    ...         for l in seq(0, 8):
    ...             s += x[8 * io + l]
    ... ''')
    >>> print(schedule(at("for io in _: _", parallelize_reductions()), p))
    def foo(n: size, x: f32[8 * n] @ DRAM, s: f32 @ DRAM):
        acc: f32[8] @ DRAM
        for l in seq(0, 8):
            acc[l] = 0.0
        for io in seq(0, n):
            for l in seq(0, 8):
                acc[l] += x[8 * io + l]
        for l in seq(0, 8):
            s += acc[l]
    """
    if not is_perfect_nest(c, 2):
        yield fail("the loop has more in it than a loop over lanes")
    lanes = inner_loop(c)
    own = {a.sym for a in statements(c) if isinstance(a, AllocCursor)}
    sums = [s for s in statements(c) if isinstance(s, ReduceCursor) and s.sym not in own]
    targets = dict.fromkeys(element(s) for s in sums if is_reduction(s, c) and is_reduction(s, lanes))
    if not targets:
        return c
    yield reorder_loops()
    for target in targets:
        name = unique_name(p, "acc")
        p, block = yield on(c, stage_mem(target, name, accum=True))
        yield on(allocation(block), identity if memory is None else set_memory(memory))
    yield on(lanes, fission_into_singles())
    p, c = yield on(c, nav(moves.parent), reorder_loops())
    return c
