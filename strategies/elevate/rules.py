"""ELEVATE's rules and strategies for arrays, as they are for loops.

In ELEVATE a program composes `map`, `reduce`, `split`, `join` and `transpose`, and most steps bring it into the form
in which the next rule matches. A loop nest is in that form already: `split` with `join` is a divided loop, a pair of
transpositions exchanges two. Each strategy has ELEVATE's name; its equation shows the loops. New loops over i are
called `io` and `ii`.

>>> from exo_strat import proc_from_source, schedule
>>> p = proc_from_source("def foo(x: f32[2]):\\n    for i in seq(0, 2):\\n        x[i] = 0.0")
>>> schedule(parallel, p, p.find_loop("i")).find_loop("i").mode()
'par'
>>> print(schedule(unroll, p, p.find_loop("i")))
def foo(x: f32[2] @ DRAM):
    x[0] = 0.0
    x[1] = 0.0
"""

from __future__ import annotations

from dataclasses import dataclass

from exo_strat import (
    AllocCursor,
    BlockCursor,
    Cursor,
    ForCursor,
    InvalidCursorError,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    delete_buffer,
    divide_loop,
    fail,
    fission,
    fuse,
    guard,
    inline_assign,
    mentions,
    moves,
    named,
    nav,
    on,
    parallelize_loop,
    reorder_loops,
    reorder_stmts,
    seq,
    stage_mem,
    strategy,
    traversals,
    unroll_loop,
    vectorize_loop,
    when,
)

from ..inspect import enclosing_loops, staging_window, trip_count
from .combinators import fmap, id_


def is_loop(c: Cursor) -> bool:
    """Whether the focus is a loop.

    >>> from exo_strat import proc_from_source
    >>> is_loop(proc_from_source("def foo(x: f32): x = 0.0").root())
    False
    """
    return isinstance(c, ForCursor)


# -- map and reduce -----------------------------------------------------------------------------------


@strategy
def fuseReduceMap(p: Proc, c: AllocCursor) -> Script:
    """`t: T[n]; for k: t[k] = e; x = 0; for k: x += t[k]  ~>  x = 0; for k: x += e`.

    Focus: the allocation of what the map leaves to the reduction. Returns the loop. Fails if what follows is not of
    this form.

    >>> from exo_strat import proc_from_source, schedule
    >>> from strategies.elevate import topDown
    >>> p = proc_from_source('''
    ... def dot(n: size, x: f32[n], y: f32[n], r: f32):
    ...     t: f32[n]
    ...     for k in seq(0, n):
    ...         t[k] = x[k] * y[k]
    ...     r = 0.0
    ...     for k in seq(0, n):
    ...         r += t[k]
    ... ''')
    >>> print(schedule(fuseReduceMap() @ topDown, p))
    def dot(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM, r: f32 @ DRAM):
        r = 0.0
        for k in seq(0, n):
            r += x[k] * y[k]
    """
    p, init = yield seq(nav(moves.next_() >> moves.expand(0, 1)), reorder_stmts())
    p, loop = yield on(init.next(), fuse(init.next(2)))
    yield on(loop.body()[0], inline_assign())
    yield on(c, delete_buffer())
    return loop


@named
def reduceMapFission(depth: int = 1) -> Op:
    """`for i: s; for k: x += e  ~>  for i: s; for i: for k: x += e`, out of so many maps.

    Focus: the reduction, the loop over k. Returns the second outermost loop.

    >>> from exo_strat import proc_from_source, schedule
    >>> from strategies.elevate import isReduce, outermost
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n], a: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         for k in seq(0, 4):
    ...             x[i] += a[i, k]
    ... ''')
    >>> print(schedule(reduceMapFission() @ outermost(isReduce), p))
    def rows(n: size, x: f32[n] @ DRAM, a: f32[n, 4] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            for k in seq(0, 4):
                x[i] += a[i, k]
    """
    return seq(nav(moves.before), fission(depth))


# -- split and reorder --------------------------------------------------------------------------------


@strategy
def split(p: Proc, c: ForCursor, n: int) -> Script:
    """`for i in (0, m): s  ~>  for io in (0, m/n): for ii in (0, n): s`; n divides m. Returns the outer loop.

    Of a reduction too: that keeps the order of additions, where ELEVATE's `splitStrategy` changes it.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[8 * n]):
    ...     for i in seq(0, 8 * n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(split(8), p, p.find_loop("i")))
    def zero(n: size, x: f32[8 * n] @ DRAM):
        for io in seq(0, 8 * n / 8):
            for ii in seq(0, 8):
                x[8 * io + ii] = 0.0
    """
    yield divide_loop(n, (f"{c.name()}o", f"{c.name()}i"), tail="perfect")
    return None


def _nest(c: ForCursor) -> list[ForCursor]:
    """The focus and the loops in it around the first accumulation, or else the first innermost statement."""
    sums = (s for s in traversals.nlr(c) if isinstance(s, ReduceCursor))
    loops = list(enclosing_loops(next(sums, None) or next(traversals.leaves(c))))
    return loops[loops.index(c) :]


@strategy
def reorder(p: Proc, c: ForCursor, *order: int) -> Script:
    """`for i1: .. for in: s  ~>  for i_order[0]: .. for i_order[n-1]: s`, for a permutation of 1 .. n.

    The loops are those around the first accumulation, or else the first innermost statement, counted from the focus.
    Where two change places, the inner one must be all of the outer one's body. Returns the loop that is then outermost.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(x: f32[2, 3, 4]):
    ...     for i in seq(0, 2):
    ...         for j in seq(0, 3):
    ...             for k in seq(0, 4):
    ...                 x[i, j, k] = 0.0
    ... ''')
    >>> print(schedule(reorder(3, 1, 2), p, p.find_loop("i")))
    def zero(x: f32[2, 3, 4] @ DRAM):
        for k in seq(0, 4):
            for i in seq(0, 2):
                for j in seq(0, 3):
                    x[i, j, k] = 0.0
    """
    loops = _nest(c)[: len(order)]
    if sorted(order) != list(range(1, len(loops) + 1)):
        yield fail(f"{order} is no order of the {len(loops)} loops here")
    now = list(loops)
    for place, wanted in enumerate(order):
        for at in range(now.index(loops[wanted - 1]), place, -1):
            yield on(now[at - 1], reorder_loops())
            now[at - 1], now[at] = now[at], now[at - 1]
    return now[0]


@named
def tile(*sizes: int) -> Op:
    """`for i: for j: s  ~>  for io: for jo: for ii: for ji: s`, for any number of loops; sizes divide extents.

    Each loop is all of the body of the one around it. Returns the outermost loop.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(x: f32[64, 64]):
    ...     for i in seq(0, 64):
    ...         for j in seq(0, 64):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(tile(8, 16), p, p.find_loop("i")))
    def zero(x: f32[64, 64] @ DRAM):
        for io in seq(0, 8):
            for jo in seq(0, 4):
                for ii in seq(0, 8):
                    for ji in seq(0, 16):
                        x[8 * io + ii, 16 * jo + ji] = 0.0
    """
    splits: Op = id_
    for n in reversed(sizes):
        splits = split(n) if splits == id_ else seq(split(n), fmap(fmap(splits)))
    last = 2 * len(sizes) + 1
    return seq(splits, reorder(*range(1, last, 2), *range(2, last, 2)))


# -- how loops run ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InMode:
    """The predicate that holds at loops of a mode: `seq`, `par` or `vec`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32[8]):\\n    for i in par(0, 8):\\n        x[i] = 0.0")
    >>> InMode("par")(p.find_loop("i")), InMode("seq")(p.find_loop("i"))
    (True, False)
    """

    mode: str

    def __call__(self, c: Cursor) -> bool:
        return isinstance(c, ForCursor) and c.mode() == self.mode


@dataclass(frozen=True)
class Runs:
    """The predicate that holds at loops that run n times.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32[8]):\\n    for i in par(0, 8):\\n        x[i] = 0.0")
    >>> Runs(8)(p.find_loop("i")), Runs(4)(p.find_loop("i"))
    (True, False)
    """

    n: int

    def __call__(self, c: Cursor) -> bool:
        return isinstance(c, ForCursor) and trip_count(c) == self.n


parallel = guard(when(InMode("par")), id_, parallelize_loop())
"""`for i in seq: s  ~>  for i in par: s`, ELEVATE's `mapPar`. A loop that is parallel stays so."""

unroll = unroll_loop()
"""`for i in seq(0, 3): s  ~>  s[i -> 0]; s[i -> 1]; s[i -> 2]`, ELEVATE's `reduceSeqUnroll`."""


@named
def vectorize(n: int) -> Op:
    """`for i in (0, m): s  ~>  for io in (0, m/n): for ii in vec(0, n): s`, or `for i in vec(0, n): s` if m = n.

    A loop that is in this form stays so.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(x: f32[64]):
    ...     for i in seq(0, 64):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(vectorize(8), p, p.find_loop("i")))
    def zero(x: f32[64] @ DRAM):
        for io in seq(0, 8):
            for ii in vec(0, 8):
                x[8 * io + ii] = 0.0
    """
    whole = guard(when(InMode("vec")), id_, vectorize_loop())
    return guard(when(Runs(n)), whole, seq(split(n), fmap(vectorize_loop())))


# -- memory -------------------------------------------------------------------------------------------


@strategy
def storeInMemory(p: Proc, c: Cursor, buffer: str, name: str, layout: Op = id_, copy: Op = id_) -> Script:
    """`s  ~>  t: T[..]; t = a[w]; s[a -> t]; a[w] = t`, where w is what s accesses of a; without a needless copy.

    `buffer` is the name of a, `name` that of t. `layout` acts on the allocation, to turn or divide t; then `copy` on
    each loop nest that copies. Focus: a statement or a block. Returns what it has become.

    >>> from exo_strat import proc_from_source, rearrange_dim, schedule
    >>> p = proc_from_source('''
    ... def turn(n: size, a: f32[n, 4], b: f32[4, n]):
    ...     for i in seq(0, 4):
    ...         for j in seq(0, n):
    ...             b[i, j] = a[j, i]
    ... ''')
    >>> copied = storeInMemory("a", "t", layout=rearrange_dim((1, 0)), copy=reorder(2, 1) >> parallel)
    >>> print(schedule(copied, p, p.find_loop("i")))
    def turn(n: size, a: f32[n, 4] @ DRAM, b: f32[4, n] @ DRAM):
        t: f32[4, n] @ DRAM
        for i1 in par(0, 4):
            for i0 in seq(0, n):
                t[i1, i0] = a[i0, i1]
        for i in seq(0, 4):
            for j in seq(0, n):
                b[i, j] = t[i, j]
    """
    p, block = yield stage_mem(staging_window(c, buffer), name)  # type: ignore[arg-type]
    loads = [] if isinstance(block[0].prev(), AllocCursor) else [block[0].prev()]
    alloc = (loads or block)[0].prev()
    stores = [s for s in _after(block) if alloc.sym in mentions(s.node)]
    yield on(alloc, layout)
    for copied in (*loads, *stores):
        yield on(copied, copy)
    return block


def _after(block: BlockCursor) -> list[StmtCursor]:
    """The statement after a block, if there is one."""
    try:
        return [block[-1].next()]
    except InvalidCursorError:
        return []
