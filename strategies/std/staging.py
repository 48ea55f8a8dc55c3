"""Memory that is staged where it is used. Imports `exo_strat` and `inspect`."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    BlockCursor,
    ForCursor,
    Memory,
    Proc,
    Script,
    StmtCursor,
    focus,
    seq,
    set_memory,
    stage_mem,
)

from ..inspect import staging_window, statements
from .writing import strategy


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
        yield seq(focus(allocation(block)), set_memory(memory))
    return block  # type: ignore[no-any-return]


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
            yield seq(focus(s), set_memory(memory))
    return None


def allocation(block: BlockCursor) -> StmtCursor:
    """The buffer that was allocated for a block by `stage_mem`: right before it, but maybe for a load."""
    before = block[0].prev()
    return before if isinstance(before, AllocCursor) else before.prev()
