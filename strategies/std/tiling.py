"""Tiles of loop nests."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    ForCursor,
    Op,
    Proc,
    Script,
    StmtCursor,
    WindowDefCursor,
    attempt,
    divide_loop,
    fail,
    fission,
    focus,
    identity,
    lift_scope,
    moves,
    nav,
    on,
    reorder_loops,
    repeat_n,
    seq,
    strategy,
    try_else,
)

from ..inspect import nest
from .splitting import fission_after, fission_before
from .writing import INSIDE, halves

Names = Sequence[tuple[str, str]]


@strategy
def tile(p: Proc, c: ForCursor, *sizes: int, names: Names = (), tail: str | None = None) -> Script:
    """`for i: for j: s  ~>  for io: for jo: for ii: for ji: s`, for a nest of as many loops as there are sizes.

    Top down: each loop is divided, from the outermost in, and its loop over tiles lifted out of the tiles around.
    With `tail` "perfect" the sizes must divide the ranges; with "guard" `if`s keep the last tiles within them; with
    "cut" and "cut_and_guard" what is left over goes to nests of its own, which are tiled along the loops outside of
    the cut only. Without, "perfect" where that is possible and "guard" elsewhere. `names` are those of the outer and
    inner loops, by default the names of the loops with o and i. Focus: the outermost loop. Returns the outermost
    loop over tiles. Paper: sections 3.2 and 3.3.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[m, 8 * n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, 8 * n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", tile(4, 8)), p))
    def foo(m: size, n: size, x: f32[m, 8 * n] @ DRAM):
        for io in seq(0, (m + 3) / 4):
            for jo in seq(0, 8 * n / 8):
                for ii in seq(0, 4):
                    if 4 * io + ii < m:
                        for ji in seq(0, 8):
                            x[4 * io + ii, 8 * jo + ji] = 0.0
    """
    loops = nest(c)[: len(sizes)]
    pairs = names or [halves(x) for x in loops]
    yield agree(loops, sizes, pairs)
    around: StmtCursor | None = None
    for loop, size, pair in zip(loops, sizes, pairs, strict=True):
        p, tiles = yield on(loop, divided(size, pair, tail))
        if around is not None:
            p, tiles = yield rise_into(around)
        around = tiles
    return c


def divided(size: int, names: tuple[str, str], tail: str | None) -> Op:
    """`divide_loop`; without a tail "perfect" or else "guard"."""
    tails = ("perfect", "guard") if tail is None else (tail,)
    return try_else(*(divide_loop(size, names, tail=t) for t in tails))


def agree(loops: Sequence[ForCursor], sizes: Sequence[int], names: Names) -> Op:
    """Nothing, if there are as many loops as sizes, and as many pairs of names; else a failure."""
    if not sizes:
        return fail("there is no loop to tile: give a size for each")
    if len(loops) < len(sizes):
        return fail(f"{len(sizes)} loops are to be tiled, and the nest has {len(loops)}{_between(loops[-1])}")
    return identity if len(names) == len(sizes) else fail(f"{len(sizes)} loops have {len(names)} pairs of names")


def _between(c: ForCursor) -> str:
    """What ends a nest at a loop, if it is a window definition before a loop."""
    window = next((s for s in c.body() if isinstance(s, WindowDefCursor)), None)
    if window is None or not any(isinstance(s, ForCursor) for s in c.body()):
        return ""
    return f": the window {window.name()} is defined between two loops; inline_window takes it away"


@strategy
def rise_into(p: Proc, c: StmtCursor, scope: StmtCursor) -> Script:
    """`for a: for i: s1; c; s2  ~>  for a: (for i: s1); (c with for i inside); (for i: s2)`, up to `scope`, here a.

    A loop or `if` exchanged with all that is around it up to a scope, the rest of which is split off. Focus: the
    loop, which is returned. The scope is a cursor, so the Op is for versions of one procedure; a strategy for any
    procedure finds the cursor in the one it gets: `p, c = yield rise_into(p.find_loop("i"))`.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[n, m], y: f32[n, m]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             y[j, 0] = 0.0
    ...             for k in seq(0, m):
    ...                 x[j, k] = 0.0
    ... ''')
    >>> print(schedule(at("for k in _: _", rise_into(p.find_loop("i"))), p))
    def foo(m: size, n: size, x: f32[n, m] @ DRAM, y: f32[n, m] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, n):
                y[j, 0] = 0.0
            for k in seq(0, m):
                for j in seq(0, n):
                    x[j, k] = 0.0
    """
    while c.parent() != p.forward(scope):
        p, c = yield seq(attempt(fission_before()), attempt(fission_after()), lift_scope())
    return c


@strategy
def tile_bottom_up(p: Proc, c: ForCursor, *sizes: int, names: Names = (), tail: str = "cut") -> Script:
    """`for i: for j: s  ~>  for io: for jo: for ii: for ji: s`, and such a nest for every combination of rests.

    n loops give 2**n perfect nests: along each dimension, a nest has either full tiles or the rest. With
    `tail="perfect"`, where the sizes must divide, it is one nest. `names` as for `tile`. Focus: the outermost loop.
    Returns the block of nests. Paper: appendix C.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", tile_bottom_up(4, 8)), p))
    def foo(m: size, n: size, x: f32[m, n] @ DRAM):
        for io in seq(0, m / 4):
            for jo in seq(0, n / 8):
                for ii in seq(0, 4):
                    for ji in seq(0, 8):
                        x[4 * io + ii, 8 * jo + ji] = 0.0
        for jo in seq(0, n / 8):
            for ii in seq(0, m % 4):
                for ji in seq(0, 8):
                    x[4 * (m / 4) + ii, 8 * jo + ji] = 0.0
        for io in seq(0, m / 4):
            for ii in seq(0, 4):
                for ji in seq(0, n % 8):
                    x[4 * io + ii, 8 * (n / 8) + ji] = 0.0
        for ii in seq(0, m % 4):
            for ji in seq(0, n % 8):
                x[4 * (m / 4) + ii, 8 * (n / 8) + ji] = 0.0
    """
    loops = nest(c)[: len(sizes)]
    pairs = names or [halves(x) for x in loops]
    yield agree(loops, sizes, pairs)
    if len(sizes) > 1:
        p, nests = yield seq(nav(INSIDE), tile_bottom_up(*sizes[1:], names=pairs[1:], tail=tail))
        for part in list(nests)[:-1]:
            yield on(part, nav(moves.after), fission())
    depths = tile_loops(len(sizes) - 1, tail)
    p, first = yield focus(c)
    for loop, depth in zip(first.expand(0, len(depths) - 1), depths, strict=True):
        inwards = repeat_n(seq(reorder_loops(), nav(INSIDE)), depth)
        p, tiles = yield on(loop, divide_loop(sizes[0], pairs[0], tail=tail))
        if tail == "cut":
            yield on(tiles.next(), inwards)
        yield on(tiles, nav(INSIDE), inwards)
    p, first = yield focus(c)
    return first.expand(0, len(tile_loops(len(sizes), tail)) - 1)


def tile_loops(n: int, tail: str) -> list[int]:
    """How many loops over tiles each nest that `tile_bottom_up` makes of n loops has, in order."""
    if n == 0:
        return [0]
    rest = [0] if tail == "cut" else []
    return [depth + more for depth in tile_loops(n - 1, tail) for more in (1, *rest)]


@strategy
def in_blocks(p: Proc, c: ForCursor, size: int, names: tuple[str, str], then: Op) -> Script:
    """`for i: s  ~>  for io: (for ii in (0, b): s); if 0 < n % b: (for ii in (0, n % b): s)`.

    Whole blocks of iterations, and one of those that are left; `then` is for both loops over ii. Focus: the loop.
    Returns the procedure.

    >>> from exo_strat import at, proc_from_source, schedule, unroll_loop
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", in_blocks(2, ("io", "ii"), attempt(unroll_loop()))), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for io in seq(0, n / 2):
            x[2 * io + 0] = 0.0
            x[2 * io + 1] = 0.0
        if 0 < n % 2:
            x[2 * (n / 2) + 0] = 0.0
    """
    p, full = yield divide_loop(size, names, tail="cut_and_guard")
    for blocks in (full, full.next()):
        yield on(blocks, nav(INSIDE), then)
    return None
