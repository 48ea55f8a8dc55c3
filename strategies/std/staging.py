"""Memory that is staged where it is used."""

from __future__ import annotations

from toolz import unique

from exo_strat import (
    AllocCursor,
    BlockCursor,
    ForCursor,
    Memory,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    focus,
    on,
    set_memory,
    stage_mem,
    strategy,
)

from ..inspect import is_reduction, staging_window, statements
from .writing import element


@strategy
def auto_stage_mem(
    p: Proc, c: StmtCursor | BlockCursor, buffer: str, name: str, memory: Memory | None = None, accum: bool = False
) -> Script:
    """`s[a]  ~>  t: T[..]; t = a[w]; s[t]; a[w] = t`, where w is the window of a that s accesses.

    As `stage_mem`, but the window is inferred: see `inspect.bounds`. Focus: a statement or block. Returns the block,
    without the copies. Paper: section 6.2.2.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[8 * n + 2], y: f32[8 * n]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 8):
    ...             y[8 * io + ii] = x[8 * io + ii] + x[8 * io + ii + 2]
    ... ''')
    >>> print(schedule(at("for ii in _: _", auto_stage_mem("x", "xs")), p))
    def foo(n: size, x: f32[8 * n + 2] @ DRAM, y: f32[8 * n] @ DRAM):
        for io in seq(0, n):
            xs: f32[10] @ DRAM
            for i0 in seq(0, 10):
                xs[i0] = x[8 * io + i0]
            for ii in seq(0, 8):
                y[8 * io + ii] = xs[ii] + xs[ii + 2]
    """
    p, block = yield stage_mem(staging_window(c, buffer), name, accum=accum)
    if memory is not None:
        yield on(allocation(block), set_memory(memory))
    return block


@strategy
def locals_in(p: Proc, c: ForCursor, memory: Memory) -> Script:
    """`for i: a: T; s  ~>  for i: a: T @ MEM; s`: what iterations allocate goes to a memory. Focus: the loop.

    >>> from exo_strat import DRAM_STACK, at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         t: f32
    ...         t = x[i] + 1.0
    ...         y[i] = t * t
    ... ''')
    >>> print(schedule(at("for i in _: _", locals_in(DRAM_STACK)), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            t: f32 @ DRAM_STACK
            t = x[i] + 1.0
            y[i] = t * t
    """
    for s in statements(c):
        if isinstance(s, AllocCursor):
            yield on(s, set_memory(memory))
    return None


@strategy
def share_sums(p: Proc, c: ForCursor) -> Script:
    """`for j: y[j] += e1; y[j] += e2  ~>  for j: t = y[j]; t += e1; t += e2; y[j] = t`.

    So for each element that is added to several times, but not in all iterations. Focus: the loop.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[8], y: f32[8]):
    ...     for j in seq(0, 8):
    ...         y[j] += x[j]
    ...         y[j] += x[7 - j]
    ... ''')
    >>> print(schedule(at("for j in _: _", share_sums()), p))
    def foo(x: f32[8] @ DRAM, y: f32[8] @ DRAM):
        for j in seq(0, 8):
            s: f32 @ DRAM
            s = y[j]
            s += x[j]
            s += x[7 - j]
            y[j] = s
    """
    targets = [element(s) for s in c.body() if isinstance(s, ReduceCursor) and not is_reduction(s, c)]
    for target in unique(t for t in targets if targets.count(t) > 1):
        p, c = yield focus(c)
        yield on(c.body(), stage_mem(target, "s"))
    return None


def allocation(block: BlockCursor) -> StmtCursor:
    """The buffer that was allocated for a block by `stage_mem`: right before it, but maybe for a load."""
    before = block[0].prev()
    return before if isinstance(before, AllocCursor) else before.prev()
