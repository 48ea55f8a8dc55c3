"""Tiles in local memory."""

from __future__ import annotations

from math import prod

from exo_strat import (
    AllocCursor,
    AssignCursor,
    BlockCursor,
    ForCursor,
    Memory,
    NodeCursor,
    Proc,
    Script,
    StmtCursor,
    bind_expr,
    divide_dim,
    divide_loop,
    expand_dim,
    fail,
    focus,
    identity,
    lift_alloc,
    lift_scope,
    mentions,
    nodes,
    on,
    rearrange_dim,
    resize_dim,
    seq,
    set_memory,
    simplify,
    strategy,
)

from ..inspect import enclosing_loop, enclosing_scopes, statements, trip_count
from ..std import auto_stage_mem
from ..std.writing import counter, halves

TILE = 16
"""Rows and columns of a tile: those of the accelerator's array, which `backends.gemmini` describes."""

ALONG = 4
"""Tiles side by side that one load takes, as many as the accelerator's loads do."""


def elements(c: AllocCursor) -> int | None:
    """How many elements a buffer has, if that is a number."""
    extents = [e.node.value if isinstance(e.node, nodes.Const) else None for e in c.shape()] if c.is_tensor() else []
    known = [int(e) for e in extents if e is not None]
    return prod(known) if len(known) == len(extents) else None


def expands(c: AllocCursor, loop: ForCursor, max_size: int) -> int | None:
    """How often a loop runs, if a buffer with as many copies has at most `max_size` elements."""
    times, have = trip_count(loop), elements(c)
    fits = times is not None and have is not None and 1 <= times * have <= max_size
    return times if fits else None


@strategy
def autolift_alloc(p: Proc, c: AllocCursor, max_size: int, n_lifts: int | None = None) -> Script:
    """`for i in (0, n): a: T; s[a]  ~>  a: T[n]; for i: s[a[i]]`, out of the loops around while the buffer is small.

    Each iteration gets a copy of the buffer, so that `fission` can split the loop. The allocation is lifted loop by
    loop, until the buffer would have more than `max_size` elements, or `n_lifts` times. Focus: the allocation, which
    is returned. Paper: appendix B.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, x: f32[m, 4, 8], y: f32[m, 4, 8]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, 4):
    ...             for k in seq(0, 8):
    ...                 t: f32
    ...                 t = x[i, j, k]
    ...                 y[i, j, k] = t
    ... ''')
    >>> print(schedule(at("t: _", autolift_alloc(64)), p))
    def foo(m: size, x: f32[m, 4, 8] @ DRAM, y: f32[m, 4, 8] @ DRAM):
        for i in seq(0, m):
            t: f32[4, 8] @ DRAM
            for j in seq(0, 4):
                for k in seq(0, 8):
                    t[j, k] = x[i, j, k]
                    y[i, j, k] = t[j, k]
    """
    for loop in enclosing_scopes(c)[::-1][:n_lifts]:
        times = expands(c, loop, max_size) if isinstance(loop, ForCursor) else None
        if not isinstance(loop, ForCursor) or times is None:
            break
        p, c = yield seq(expand_dim(times, counter(loop)), lift_alloc())
    return c


@strategy
def bind_and_lift(p: Proc, c: NodeCursor, name: str, memory: Memory, max_size: int) -> Script:
    """`for i: s[e]  ~>  a: T[n]; for i: a[i] = e; s[a[i]]`: `bind_expr`, then `autolift_alloc`.

    Focus: the expression. Returns the allocation. Paper: appendix B.

    >>> from exo_strat import DRAM_STACK, proc_from_source, schedule, on
    >>> p = proc_from_source('''
    ... def foo(m: size, x: f32[m, 4], y: f32[m, 4]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, 4):
    ...             y[i, j] = x[i, j]
    ... ''')
    >>> print(schedule(on(p.find("y[_] = _").rhs(), bind_and_lift("t", DRAM_STACK, 16)), p))
    def foo(m: size, x: f32[m, 4] @ DRAM, y: f32[m, 4] @ DRAM):
        for i in seq(0, m):
            t: f32[4] @ DRAM_STACK
            for j in seq(0, 4):
                t[j] = x[i, j]
                y[i, j] = t[j]
    """
    p, write = yield bind_expr(name)
    p, c = yield on(write.prev(), set_memory(memory), autolift_alloc(max_size))
    return c


@strategy
def stage_and_lift(
    p: Proc, c: StmtCursor | BlockCursor, buffer: str, name: str, memory: Memory, max_size: int
) -> Script:
    """`for i: s[x]  ~>  t: T[n, ..]; for i: t[i] = x[w]; s[t[i]]`, where w is the window of x that s accesses.

    The buffer t is allocated at the top of the procedure. It gets a dimension for each loop around on which w depends,
    from the inside out, as long as it has at most `max_size` elements. So a load that repeats an earlier one can later
    be left out (`load_once`). Focus: a statement or block. Returns the first loop of the load.

    >>> from exo_strat import DRAM_STACK, at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, x: f32[4, 8], y: f32[m, 4, 8]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, 4):
    ...             for k in seq(0, 8):
    ...                 y[i, j, k] = x[j, k]
    ... ''')
    >>> print(schedule(at("for k in _: _", stage_and_lift("x", "t", DRAM_STACK, 64)), p))
    def foo(m: size, x: f32[4, 8] @ DRAM, y: f32[m, 4, 8] @ DRAM):
        t: f32[4, 8] @ DRAM_STACK
        for i in seq(0, m):
            for j in seq(0, 4):
                for i0 in seq(0, 8):
                    t[j, i0] = x[j, i0]
                for k in seq(0, 8):
                    y[i, j, k] = t[j, k]
    """
    p, block = yield auto_stage_mem(buffer, name, memory)
    load = block[0].prev()
    alloc = load.prev()
    if not isinstance(load, ForCursor) or not isinstance(alloc, AllocCursor):
        yield fail(f"nothing is loaded from {buffer}: the code writes all that it reads")
    needed = {sym for s in statements(load) if isinstance(s, AssignCursor) for sym in mentions(s.rhs().node)}
    fits = True
    for scope in reversed(enclosing_scopes(load)):
        if fits and isinstance(scope, ForCursor) and scope.sym in needed:
            times = expands(alloc, scope, max_size)
            fits = times is not None
            p, alloc = yield on(alloc, expand_dim(times, counter(scope)) if times else identity)
        p, alloc = yield on(alloc, lift_alloc())
    p, load = yield focus(load)
    return load


@strategy
def as_tiles(p: Proc, c: AllocCursor, width: int = TILE, height: int | None = TILE) -> Script:
    """`t: T[_, r, c]  ~>  t: T[_, r/16, c/16, 16, 16]`, where r and c are rounded up, if they are literals.

    With no `height`, a tile has all rows: `t: T[_, c/16, r, 16]`. Returns the allocation.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: i8[40]):
    ...     t: i8[20, 40]
    ...     for j in seq(0, 40):
    ...         t[19, j] = x[j]
    ... ''')
    >>> print(schedule(at("t: _", as_tiles()), p))
    def foo(x: i8[40] @ DRAM):
        t: i8[2, 3, 16, 16] @ DRAM
        for j in seq(0, 40):
            t[1, j / 16, 3, j % 16] = x[j]
    """
    extents = [e.node.value if isinstance(e.node, nodes.Const) else None for e in c.shape()] if c.is_tensor() else []
    last = len(extents) - 1
    if last < 1:
        yield fail("a matrix is wanted")
    sizes = ((last, width), (last - 1, height)) if height is not None else ((last, width),)
    for dim, size in sizes:
        have = extents[dim]
        if have is not None and int(have) % size:
            p, c = yield on(c, resize_dim(dim, -(-int(have) // size) * size, 0))
        p, c = yield on(c, divide_dim(dim, size))
    at = last if height is not None else last - 1  # the rows of a tile, before its columns are counted
    p, c = yield on(c, rearrange_dim([*range(at), at + 1, at, at + 2]))
    return c


@strategy
def tile_layout(p: Proc, c: ForCursor, width: int = TILE, height: int | None = None, block: int = 0) -> Script:
    """`t: T[_, r, 16*n]; for i: for j: t[i, j] = e  ~>  t: T[_, n, r, 16]; for i: for jo: for ji: t[jo, i, ji] = e`.

    The layout of a local memory whose rows are so wide: a matrix as tiles, one after the other. Tiles have all r rows,
    or `height` of them, `t: T[_, r/h, n, h, 16]`; then the loop over rows is divided, too. With a `block`, for loads of
    that many tiles at once, `for i: for jo` becomes `for jb: for i: for jt in (0, block)`. Focus: the outer loop of a
    load, in which the innermost one runs along a row, and that around it over rows. Returns the loop.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: i8[8, 32], y: i8[8, 32]):
    ...     t: i8[8, 32]
    ...     for i in seq(0, 8):
    ...         for j in seq(0, 32):
    ...             t[i, j] = x[i, j]
    ...     for i in seq(0, 8):
    ...         for j in seq(0, 32):
    ...             y[i, j] = t[i, j]
    ... ''')
    >>> print(schedule(at("for i in _: _", tile_layout()) , p))
    def foo(x: i8[8, 32] @ DRAM, y: i8[8, 32] @ DRAM):
        t: i8[2, 8, 16] @ DRAM
        for i in seq(0, 8):
            for jo in seq(0, 2):
                for ji in seq(0, 16):
                    t[jo, i, ji] = x[i, 16 * jo + ji]
        for i in seq(0, 8):
            for j in seq(0, 32):
                y[i, j] = t[j / 16, i, j % 16]
    """
    write = next((s for s in statements(c) if isinstance(s, AssignCursor)), None)
    row = enclosing_loop(write) if write is not None else None
    alloc = allocation(p, write) if write is not None else None
    if alloc is None or row is None or row == c:
        yield fail("two loops around an assignment are wanted, the load of a matrix to a buffer of its own")
        return None
    rows = enclosing_loop(row)
    yield on(alloc, as_tiles(width, height))
    p, tiles = yield on(row, divide_loop(width, halves(row), tail="perfect"))
    if height is not None:
        yield on(rows, divide_loop(height, halves(rows), tail="perfect"))
    if block:
        yield on(tiles, divide_loop(block, (f"{row.name()}b", f"{row.name()}t"), tail="perfect"), lift_scope())
    p, c = yield on(c, simplify())
    return c


def allocation(p: Proc, write: AssignCursor) -> AllocCursor | None:
    """The allocation of the buffer that a statement writes; None for an argument and for a window."""
    return next((s for s in statements(p.root()) if isinstance(s, AllocCursor) and s.sym == write.sym), None)
