"""Loops in tiles of 16 by 16, where sizes need not be multiples.

Ranges are literals. A size that is no multiple leaves smaller tiles at the end, in nests of their own. Buffers as tiles
are in `buffers`.
"""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    BlockCursor,
    Cursor,
    ForCursor,
    Memory,
    Op,
    Proc,
    Script,
    StmtCursor,
    at,
    cut_loop,
    divide_loop,
    fail,
    fission,
    focus,
    moves,
    nav,
    on,
    rename_variable,
    reorder_loops,
    seq,
    set_memory,
    shift_loop,
    simplify,
    stage_mem,
    strategy,
    unroll_loop,
)

from ..inspect import bounds, enclosing_loops, enclosing_scopes, loops_inside, trip_count
from ..std.writing import halves
from .buffers import ALONG, TILE, as_tiles
from .loops import rise_over


@strategy
def each(p: Proc, c: Cursor, pattern: str, op: Op) -> Script:
    """`op` at every match of a pattern in the procedure, in order. Returns the procedure.

    Matches are those at the start; one that an application before removed is passed over.

    >>> from exo_strat import proc_from_source, schedule, unroll_loop
    >>> p = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     for i in seq(0, 2):
    ...         x[i] = 0.0
    ...     for i in seq(2, 4):
    ...         x[i] = 1.0
    ... ''')
    >>> print(schedule(each("for i in _: _", unroll_loop()), p))
    def foo(x: f32[4] @ DRAM):
        x[0] = 0.0
        x[1] = 0.0
        x[2] = 1.0
        x[3] = 1.0
    """
    for found in p.find_all(pattern):
        if p.forward(found).is_valid:
            p, _ = yield on(found, op)
    p, root = yield nav(moves.root)
    return root


@strategy
def block_loop(p: Proc, c: ForCursor, size: int) -> Script:
    """`for i in (0, 50): s  ~>  for io in (0, 3): for ii in (0, 16): s; for io in (0, 1): for ii in (0, 2): s`.

    Blocks of a size, then what is left as a nest of the same form. Focus: the loop, from 0. Returns the first nest.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[7]):
    ...     for i in seq(0, 7):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", block_loop(3)), p))
    def foo(x: f32[7] @ DRAM):
        for io in seq(0, 2):
            for ii in seq(0, 3):
                x[3 * io + ii] = 0.0
        for io in seq(0, 1):
            for ii in seq(0, 1):
                x[6 + (io + ii)] = 0.0
    """
    times = trip_count(c)
    if times is None:
        yield fail(f"how often {c.name()} runs is no literal")
        return None
    rest, names, full = c, halves(c), times - times % size
    if 0 < full < times:
        p, first = yield on(c, cut_loop(full))
        rest = first.next()
        yield on(first, divide_loop(size, names, tail="perfect"))
    yield on(rest, divide_loop(times - full or size, names, tail="perfect"))
    p, c = yield focus(c)
    return c


@strategy
def unroll_single(p: Proc, c: Cursor, *names: str) -> Script:
    """`for i in (0, 1): s  ~>  s[i -> 0]`, for every loop that runs once, or those of these names.

    Not where it has allocations of its own: they would live longer. At and below the focus, the inner ones first.
    Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[2, 1]):
    ...     for i in seq(0, 2):
    ...         for j in seq(0, 1):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(unroll_single(), p))
    def foo(x: f32[2, 1] @ DRAM):
        for i in seq(0, 2):
            x[i, 0] = 0.0
    """
    for loop in reversed([x for x in (c, *loops_inside(c)) if isinstance(x, ForCursor)]):
        if trip_count(loop) == 1 and (not names or loop.name() in names) and not allocates(p.forward(loop)):
            yield on(loop, unroll_loop())
    p, root = yield seq(nav(moves.root), simplify())
    return root


def allocates(loop: Cursor) -> bool:
    """Whether a loop has a buffer for each iteration."""
    return isinstance(loop, ForCursor) and any(isinstance(s, AllocCursor) for s in loop.body())


@strategy
def split_off(p: Proc, c: ForCursor, n_lifts: int) -> Script:
    """`for i: s0; for k: s; s1  ~>  for i: s0; for i: for k: s; for i: s1`, for that many loops around. Focus: `for k`.

    Returns the loop, which stays the focus.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[7], y: f32[7, 4]):
    ...     for i in seq(0, 7):
    ...         x[i] = 0.0
    ...         for k in seq(0, 4):
    ...             x[i] += y[i, k]
    ... ''')
    >>> print(schedule(at("for k in _: _", split_off(1)), p))
    def foo(x: f32[7] @ DRAM, y: f32[7, 4] @ DRAM):
        for i in seq(0, 7):
            x[i] = 0.0
        for i in seq(0, 7):
            for k in seq(0, 4):
                x[i] += y[i, k]
    """
    if len(enclosing_scopes(c)) < n_lifts:
        yield fail(f"{n_lifts} scopes around {c.name()} are wanted")
    for gap, end in ((moves.after, -1), (moves.before, 0)):
        p, c = yield focus(c)
        if enclosing_scopes(c)[-1].body()[end] != c:
            yield at(gap, fission(n_lifts))
    p, c = yield focus(c)
    return c


@strategy
def cut_nest(p: Proc, c: ForCursor, size: int) -> Script:
    """`for i: for j in (0, n): s  ~>  for i: for j in (0, size): s; for i: for j in (0, n - size): s[j -> size + j]`.

    Focus: the inner loop, from 0, all that is in the one around. Returns the inner loop of the second nest.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[7, 8]):
    ...     for i in seq(0, 7):
    ...         for j in seq(0, 8):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for j in _: _", cut_nest(6)), p))
    def foo(x: f32[7, 8] @ DRAM):
        for i in seq(0, 7):
            for j in seq(0, 6):
                x[i, j] = 0.0
        for i in seq(0, 7):
            for j in seq(0, 2):
                x[i, j + 6] = 0.0
    """
    p, first = yield cut_loop(size)
    p, rest = yield on(first.next(), shift_loop(0))
    yield at(moves.before, fission())
    p, c = yield focus(rest)
    return c


@strategy
def tile_nest(p: Proc, c: StmtCursor, rows: str, along: int = 1) -> Script:
    """`for i: for j: s  ~>  for jo: for i: for j: s`, where the new loop over j runs through a tile, 16 columns.

    With `along` above 1, so many tiles side by side are a nest, `for jo: for i: for jt: for j: s`. What is left is
    smaller nests; of loops that would run once, there are none. The rows are as before (`tile_ragged` tiles them).
    Focus: a statement inside of the loop of the name `rows`, which has no more than the loop over columns in it.
    Returns the procedure.

    >>> from exo_strat import at, proc_from_source, schedule, simplify
    >>> p = proc_from_source('''
    ... def foo(x: f32[8, 54]):
    ...     for i in seq(0, 8):
    ...         for j in seq(0, 54):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(seq(at("x[_] = _", tile_nest("i", along=2)), simplify()), p))
    def foo(x: f32[8, 54] @ DRAM):
        for i in seq(0, 8):
            for jt in seq(0, 2):
                for j in seq(0, 16):
                    x[i, 16 * jt + j] = 0.0
        for i in seq(0, 8):
            for j in seq(0, 16):
                x[i, j + 32] = 0.0
        for i in seq(0, 8):
            for j in seq(0, 6):
                x[i, j + 48] = 0.0
    """
    row = next((loop for loop in enclosing_loops(c) if loop.name() == rows), None)
    column = row.body()[0] if row is not None else None
    left = trip_count(column) if isinstance(column, ForCursor) else None
    if row is None or not isinstance(column, ForCursor) or left is None:
        yield fail(f"a loop {rows} around a loop of a literal range is wanted")
        return None
    name = column.name()
    p, outer = yield on(row, reorder_loops())
    rest = next(x for x in (outer, *loops_inside(outer)) if x.name() == name)
    while left:
        tiles = min(along, left // TILE)
        width = left - left % (TILE * tiles) if tiles else left
        loop = rest
        if width < left:
            p, loop = yield on(rest, cut_loop(width))
            p, rest = yield on(loop.next(), shift_loop(0))
        yield on(loop, tiles_side_by_side(rows, tiles, width))
        left -= width
    p, root = yield nav(moves.root)
    return root


@strategy
def tiles_side_by_side(p: Proc, c: ForCursor, rows: str, tiles: int, width: int) -> Script:
    """`for j: for i: s  ~>  for jo: for i: for jt: for j: s`: so many tiles together, of a width of columns.

    Without `jo` if there is nothing beside them, without `jt` if it is one tile or less. Focus: the loop over columns.
    """
    name, loop = c.name(), c
    if tiles and width > TILE * tiles:
        p, loop = yield on(loop, divide_loop(TILE * tiles, (f"{name}o", name), tail="perfect"))
        loop = loop.body()[0]
    if tiles > 1:
        p, loop = yield on(loop, divide_loop(TILE, (f"{name}t", name), tail="perfect"))
    inner = next(x for x in loops_inside(loop) if x.name() == rows)
    yield on(inner, rise_over(name, f"{name}t"))
    return None


@strategy
def load_tiles(
    p: Proc,
    c: StmtCursor | BlockCursor,
    matrix: str,
    name: str,
    memory: Memory,
    rows: str = "r",
    along: int = ALONG,
    window: str | None = None,
) -> Script:
    """`s[A]  ~>  t: T[r/16, c/16, 16, 16]; for j: for r: .. t[..] = A[r, ..]; s[t]`: what s uses of A, in tiles.

    In local memory in front of it, by `stage_mem`, `as_tiles` and `tile_nest`. With a `window`, such as
    `"A[0:n, 0:64]"`, that part of it; code uses the rest of the matrix as before. The loop of the load over rows is
    called `rows`. Focus: s, a statement or block. Returns the procedure.

    >>> from exo_strat import DRAM_STACK, at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: i8[64], a: i8[1, 64]):
    ...     for j in seq(0, 50):
    ...         x[j] = a[0, j]
    ... ''')
    >>> print(schedule(at("for j in _: _", load_tiles("a", "t", DRAM_STACK)), p))
    def foo(x: i8[64] @ DRAM, a: i8[1, 64] @ DRAM):
        t: i8[1, 4, 16, 16] @ DRAM_STACK
        for r in seq(0, 1):
            for i1t in seq(0, 3):
                for i1 in seq(0, 16):
                    t[r / 16, (16 * i1t + i1) / 16, r % 16, (16 * i1t + i1) % 16] = a[r, 16 * i1t + i1]
        for r in seq(0, 1):
            for i1 in seq(0, 2):
                t[r / 16, (i1 + 48) / 16, r % 16, (i1 + 48) % 16] = a[r, i1 + 48]
        for j in seq(0, 50):
            x[j] = t[0, j / 16, 0, j % 16]
    """
    # the window that is found of a single row is a matrix, too
    p, block = yield stage_mem(window or str(bounds(c, matrix, windows=True, inside=True)), name)
    load = block[0].prev()
    alloc = load.prev()
    if not isinstance(load, ForCursor) or not isinstance(alloc, AllocCursor):
        yield fail(f"nothing is loaded from {matrix}: the code writes all that it reads")
    p, load = yield on(alloc, set_memory(memory), as_tiles(), focus(load), rename_variable(rows))
    p, root = yield on(load.body()[0].body()[0], tile_nest(rows, along))
    return root
