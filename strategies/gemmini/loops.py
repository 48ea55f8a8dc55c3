"""Loops in front of the instructions of an accelerator: tiled, moved out, without those that do nothing, fused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from exo_strat import (
    AssignCursor,
    Cursor,
    ForCursor,
    IfCursor,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    add_loop,
    attempt,
    cut_loop,
    divide_loop,
    fail,
    focus,
    fuse,
    identity,
    lift_scope,
    mentions,
    moves,
    named,
    nav,
    nodes,
    on,
    remove_loop,
    reorder_loops,
    repeat,
    seq,
    simplify,
    specialize,
    strategy,
    unroll_loop,
)

from ..inspect import enclosing_loops, enclosing_scopes, loops_inside, trip_count
from ..normal import exhaust
from ..std.splitting import fission_after, fission_before
from ..std.writing import INSIDE, halves


@strategy
def tile_loops(p: Proc, c: ForCursor, tiles: Sequence[tuple[str, int]]) -> Script:
    """`for i: for j: s  ~>  for io: for jo: for ii: for ji: s`, for loops by name, each with the size of its tiles.

    The loops over tiles go outside of all of them, in the order given; what stood beside them stays where it was.
    The sizes must divide the ranges. Focus: the first of the loops or one around it. Returns the first loop over
    tiles. Paper: appendix B.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[16 * m, 16 * n]):
    ...     for i in seq(0, 16 * m):
    ...         for j in seq(0, 16 * n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", tile_loops([("i", 16), ("j", 16)])), p))
    def foo(m: size, n: size, x: f32[16 * m, 16 * n] @ DRAM):
        for io in seq(0, 16 * m / 16):
            for jo in seq(0, 16 * n / 16):
                for ii in seq(0, 16):
                    for ji in seq(0, 16):
                        x[16 * io + ii, 16 * jo + ji] = 0.0
    """
    depth = len(enclosing_scopes(c))
    outers: list[ForCursor] = []
    for name, size in tiles:
        here = p.forward(c)
        loop = next((x for x in (here, *loops_inside(here)) if isinstance(x, ForCursor) and x.name() == name), None)
        if loop is None:
            yield fail(f"there is no loop {name} here")
            return None
        p, outer = yield on(loop, divide_loop(size, halves(loop), tail="perfect"))
        while len(enclosing_scopes(outer)) > depth + len(outers):
            p, outer = yield seq(attempt(fission_before()), attempt(fission_after()), lift_scope())
        outers.append(outer)
    yield focus(outers[0] if outers else c)
    return outers[0] if outers else c


@strategy
def rise_over(p: Proc, c: ForCursor | IfCursor, *names: str) -> Script:
    """`for i: if e: for j: s  ~>  for j: for i: if e: s`: a loop or `if` out of all loops of these names.

    What is between goes along: each scope must be all of the one around it. Focus: the loop or `if`, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 4, 8]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, 4):
    ...             for k in seq(0, 8):
    ...                 x[i, j, k] = 0.0
    ... ''')
    >>> print(schedule(at("for k in _: _", rise_over("i", "j")), p))
    def foo(n: size, x: f32[n, 4, 8] @ DRAM):
        for k in seq(0, 8):
            for i in seq(0, n):
                for j in seq(0, 4):
                    x[i, j, k] = 0.0
    """
    while any(loop.name() in names for loop in enclosing_loops(c)):
        p, c = yield on(c, lift_scope())
    yield focus(c)
    return c


@strategy
def tile_ragged(p: Proc, c: Cursor, name: str, size: int) -> Script:
    """`for i in (1, 7): s  ~>  for i in (1, 4): s; for ii in (0, 3): s[i -> 4 + ii]`, for every loop of this name.

    Tiles begin at the multiples of a size; the first and the last may be smaller. All full ones are a nest. Ranges
    are literals. At and below the focus. Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[14]):
    ...     for i in seq(1, 14):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(tile_ragged("i", 4), p))
    def foo(x: f32[14] @ DRAM):
        for i in seq(1, 4):
            x[i] = 0.0
        for io in seq(0, 2):
            for ii in seq(0, 4):
                x[4 * io + ii + 4] = 0.0
        for ii in seq(0, 2):
            x[ii + 12] = 0.0
    """
    for loop in [x for x in (c, *loops_inside(c)) if isinstance(x, ForCursor) and x.name() == name]:
        lo, times = loop.lo().node, trip_count(loop)
        if not isinstance(lo, nodes.Const) or times is None:
            yield fail(f"the range of {name} has no literals as bounds")
            return None
        first = -int(lo.value) % size
        p, rest = yield focus(loop)
        if 0 < first < times:
            p, rest = yield seq(cut_loop(int(lo.value) + first), nav(moves.next_()))
            times -= first
        if times > size:
            yield on(rest, divide_loop(size, halves(loop), tail="cut"))
    p, root = yield seq(nav(moves.root), simplify())
    return root


@strategy
def reorder_loops_from_idx(p: Proc, c: AssignCursor | ReduceCursor) -> Script:
    """`for j: for i: t[i, j] = e  ~>  for i: for j: t[i, j] = e`: a perfect nest in the order of the indices.

    Loops whose iterators no index mentions stay inside of the others. Fails where the loops can't change places.
    Focus: the statement, which stays. Paper: appendix B.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[n, m], y: f32[m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             x[j, i] = y[i, j]
    ... ''')
    >>> print(schedule(at("x[_] = _", reorder_loops_from_idx()), p))
    def foo(m: size, n: size, x: f32[n, m] @ DRAM, y: f32[m, n] @ DRAM):
        for j in seq(0, n):
            for i in seq(0, m):
                x[j, i] = y[i, j]
    """
    ranks = {sym: n for n, i in reversed(list(enumerate(c.idx()))) for sym in mentions(i.node)}
    last = len(c.idx())

    def rank(loop: ForCursor) -> int:
        return ranks.get(loop.sym, last)

    while True:
        around = perfect_nest(p.forward(c))  # type: ignore[arg-type]
        wrong = next((a for a, b in pairwise(around) if rank(a) > rank(b)), None)
        if wrong is None:
            yield focus(c)
            return c
        p, _ = yield on(wrong, reorder_loops())


def perfect_nest(s: StmtCursor) -> tuple[ForCursor, ...]:
    """The loops around a statement that have nothing else in them, the outermost first."""
    found: list[ForCursor] = []
    inside: StmtCursor = s
    for loop in reversed(enclosing_loops(s)):
        if inside.parent() != loop or len(loop.body()) != 1:
            break
        found.insert(0, loop)
        inside = loop
    return tuple(found)


@strategy
def remove_redundant_loops(p: Proc, c: StmtCursor, num: int | None = None) -> Script:
    """`for i: for j: s[j]  ~>  for j: s[j]`: loops of a perfect nest whose iterations all do the same.

    At most `num` of them, the inner ones first. A loop that is needed is passed over: one that s depends on, that
    may be empty, or in which s accumulates. Focus: s, which stays. Never fails. Paper: appendix B.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             x[j] = 0.0
    ... ''')
    >>> print(schedule(at("x[_] = _", remove_redundant_loops()), p))
    def foo(m: size, n: size, x: f32[n] @ DRAM):
        for j in seq(0, n):
            x[j] = 0.0
    """
    left = num
    for loop in reversed(perfect_nest(c)):
        if left == 0:
            break
        before = p
        p, _ = yield attempt(on(loop, remove_loop()))
        if left is not None and p is not before:
            left -= 1
    yield focus(c)
    return c


@named
def fuse_all_loops() -> Op:
    """`for i: s1; for j: s2  ~>  for i: s1; s2[j -> i]`, wherever neighbouring loops may be one.

    In the whole procedure, the inner ones first. Never fails. Paper: appendix B.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for j in seq(0, n):
    ...         y[j] = x[j]
    ... ''')
    >>> print(schedule(fuse_all_loops(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
            y[i] = x[i]
    """
    return exhaust(fuse_next())


@strategy
def fuse_next(p: Proc, c: ForCursor) -> Script:
    """A loop and the statement after it as one loop. Focus: the loop, which is returned."""
    p, c = yield fuse(c.next())
    return c


@strategy
def load_ahead(p: Proc, c: ForCursor, distance: int = 1) -> Script:
    """`for i: load[i]; for j: s  ~>  load[0]; for j: if j < n - 1: load[j + 1]; s`, so that loads and work overlap.

    The first `distance` iterations of the load stay in front, the others go into the loop over s, which must not use
    them earlier. Focus: the loop that loads, from 0; the loop over s, of as many iterations, is next. Returns that.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[8], y: f32[8]):
    ...     t: f32[8]
    ...     for i in seq(0, 8):
    ...         t[i] = x[i]
    ...     for j in seq(0, 8):
    ...         if j >= 1:
    ...             y[j] = t[j - 1] + t[j]
    ... ''')
    >>> print(schedule(at("for i in _: _", load_ahead()), p))
    def foo(x: f32[8] @ DRAM, y: f32[8] @ DRAM):
        t: f32[8] @ DRAM
        t[0] = x[0]
        for j in seq(0, 8):
            if j + 1 < 8:
                t[j + 1] = x[j + 1]
            if j >= 1:
                y[j] = t[j - 1] + t[j]
    """
    times, use = trip_count(c), c.next()
    if times is None or times <= distance or not isinstance(use, ForCursor):
        yield fail(f"a loop of more than {distance} iterations is wanted, a literal number, and a loop after it")
        return None
    yield on(c, cut_loop(distance))
    p, once = yield seq(nav(moves.next_()), divide_loop(times, ("once", use.name()), tail="guard"))
    p, block = yield on(once, unroll_loop())
    p, use = yield on(block[0], fuse(p.forward(use)))
    yield on(c, unroll_loop() if distance == 1 else identity)
    p, c = yield on(use, simplify())
    return c


@strategy
def start_in_loop(p: Proc, c: ForCursor) -> Script:
    """`for i: z; for k: for i: s  ~>  for k: if k == 0: (for i: z; s) else: (for i: s)`.

    So the first product can overwrite what a sum begins with, and nothing has to be zeroed. The nests of z and s are
    fused as far as they go. Focus: the loop over z; the loop over k is next, from 0, a constant number of times.
    Returns the loop over k.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[4], y: f32[8, 4]):
    ...     for i in seq(0, 4):
    ...         x[i] = 0.0
    ...     for k in seq(0, 8):
    ...         for i in seq(0, 4):
    ...             x[i] += y[k, i]
    ... ''')
    >>> print(schedule(at("for i in _: _", start_in_loop()), p))
    def foo(x: f32[4] @ DRAM, y: f32[8, 4] @ DRAM):
        for k in seq(0, 8):
            if k == 0:
                for i in seq(0, 4):
                    x[i] = 0.0
                    x[i] += y[k, i]
            else:
                for i in seq(0, 4):
                    x[i] += y[k, i]
    """
    loop = c.next()
    times = trip_count(loop) if isinstance(loop, ForCursor) else None
    if not isinstance(loop, ForCursor) or times is None:
        yield fail("the next statement is no loop that runs a constant number of times")
        return None
    p, outer = yield on(c, add_loop(loop.name(), times, guard=True), fuse(loop))
    guard, rest = outer.body()[0], outer.body()[1]
    p, branch = yield on(rest, specialize(f"{outer.name()} == 0"))
    yield on(guard, fuse(branch))
    yield on(c, repeat(seq(fuse_next(), nav(INSIDE))))
    p, outer = yield focus(outer)
    return outer


@strategy
def unroll_all(p: Proc, c: Cursor, *names: str) -> Script:
    """`for i in (0, 2): s  ~>  s[i -> 0]; s[i -> 1]`, for every loop of one of these names.

    At and below the focus, the inner ones first. Returns the procedure. Paper: appendix B.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[2, 2]):
    ...     for i in seq(0, 2):
    ...         for j in seq(0, 2):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(unroll_all("j"), p))
    def foo(x: f32[2, 2] @ DRAM):
        for i in seq(0, 2):
            x[i, 0] = 0.0
            x[i, 1] = 0.0
    """
    loops = [x for x in (c, *loops_inside(c)) if isinstance(x, ForCursor) and x.name() in names]
    for loop in reversed(loops):
        yield on(loop, unroll_loop())
    p, root = yield nav(moves.root)
    return root
