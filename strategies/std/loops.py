"""Loops made longer, shorter or fewer."""

from __future__ import annotations

from exo_strat import (
    Cursor,
    ForCursor,
    Proc,
    Script,
    attempt,
    cut_loop,
    divide_loop,
    focus,
    moves,
    mult_loops,
    nav,
    on,
    reorder_loops,
    seq,
    simplify,
    strategy,
    try_else,
    unroll_loop,
)

from ..inspect import statements, trip_count
from .splitting import fission_into_singles
from .writing import INSIDE, halves, text


@strategy
def unroll_loops(p: Proc, c: Cursor, limit: int = 8) -> Script:
    """`for i in (0, 2): s  ~>  s[i -> 0]; s[i -> 1]`, for every loop that runs at most `limit` times.

    At and below the focus, the inner ones first. Never fails. Returns the focus, or the procedure if that is gone.
    Paper: section 4.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 2]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, 2):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(unroll_loops(), p))
    def foo(n: size, x: f32[n, 2] @ DRAM):
        for i in seq(0, n):
            x[i, 0] = 0.0
            x[i, 1] = 0.0
    """
    for loop in reversed([s for s in statements(c) if is_short(s, limit)]):
        yield on(loop, attempt(unroll_loop()))
    yield try_else(focus(c), nav(moves.root))
    return None


def is_short(c: Cursor, limit: int) -> bool:
    """Whether a statement is a loop that runs at most `limit` times, a constant number."""
    times = trip_count(c) if isinstance(c, ForCursor) else None
    return times is not None and times <= limit


@strategy
def round_loop(p: Proc, c: ForCursor, width: int, up: bool = True) -> Script:
    """`for i in (0, n): s  ~>  for i in (0, w * ((n + w-1) / w)): if i < n: s`: the range rounded up.

    Down, with the rest in a loop of its own: `~>  for i in (0, w * (n / w)): s; for i in (w * (n / w), n): s`.
    Focus: a loop from 0. Returns the (first) loop. Paper: section 6.2.2.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", round_loop(8)), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, 8 * ((n + 7) / 8)):
            if i < n:
                x[i] = 0.0
    >>> print(schedule(at("for i in _: _", round_loop(8, up=False)), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, 8 * (n / 8)):
            x[i] = 0.0
        for i in seq(8 * (n / 8), n):
            x[i] = 0.0
    """
    if up:
        p, c = yield seq(divide_loop(width, halves(c), tail="guard"), mult_loops(c.name()), simplify())
    else:
        p, c = yield cut_loop(f"{width} * (({text(c.hi())}) / {width})")
    return c


@strategy
def interleave_loop(p: Proc, c: ForCursor, factor: int, tail: str = "cut") -> Script:
    """`for i: s1; s2  ~>  for io: s1[0]; s1[1]; s2[0]; s2[1]`, for `factor` iterations at a time.

    Allocations get an element for each. What `tail` says becomes of the last iterations is as in `divide_loop`;
    "recursive" interleaves half as many of them, and so on. Focus: the loop. Returns the outer loop. Paper: 6.2.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[4 * n], y: f32[4 * n]):
    ...     for i in seq(0, 4 * n):
    ...         t: f32
    ...         t = x[i]
    ...         y[i] = t * t
    ... ''')
    >>> print(schedule(at("for i in _: _", interleave_loop(2, tail="perfect")) >> simplify(), p))
    def foo(n: size, x: f32[4 * n] @ DRAM, y: f32[4 * n] @ DRAM):
        for io in seq(0, 2 * n):
            t: f32[2] @ DRAM
            t[0] = x[2 * io]
            t[1] = x[2 * io + 1]
            y[2 * io] = t[0] * t[0]
            y[2 * io + 1] = t[1] * t[1]
    """
    recursive = tail == "recursive"
    p, outer = yield divide_loop(factor, halves(c), tail="cut" if recursive else tail)
    p, singles = yield seq(nav(INSIDE), fission_into_singles())
    for s in singles:
        yield on(s, unroll_loop())
    if recursive and factor > 2:
        yield on(outer, nav(moves.next_()), interleave_loop(factor // 2, tail))
    return outer


@strategy
def unroll_and_jam(p: Proc, c: ForCursor, factor: int, tail: str = "cut") -> Script:
    """`for i: s1; for j: s2  ~>  for io: s1[0]; s1[1]; for j: s2[0]; s2[1]`, for `factor` iterations at a time.

    What `tail` says is as in `divide_loop`. Focus: the outer loop. Returns it. Paper: section 6.2.2.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, a: f32[2 * m, n], x: f32[n], y: f32[2 * m]):
    ...     for i in seq(0, 2 * m):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> print(schedule(at("for i in _: _", unroll_and_jam(2, tail="perfect")) >> simplify(), p))
    def foo(m: size, n: size, a: f32[2 * m, n] @ DRAM, x: f32[n] @ DRAM, y: f32[2 * m] @ DRAM):
        for io in seq(0, m):
            for j in seq(0, n):
                y[2 * io] += a[2 * io, j] * x[j]
                y[2 * io + 1] += a[2 * io + 1, j] * x[j]
    """
    p, outer = yield divide_loop(factor, halves(c), tail=tail)
    yield seq(nav(INSIDE), jam())
    return outer


@strategy
def jam(p: Proc, c: ForCursor) -> Script:
    """`for i in (0, 2): s1; for j: s2  ~>  s1[0]; s1[1]; for j: s2[0]; s2[1]`, also in loops inside of loops.

    A loop inside that depends on i is copied like other statements. Focus: a loop that runs a constant number of
    times.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[2, n]):
    ...     for i in seq(0, 2):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", jam()), p))
    def foo(n: size, x: f32[2, n] @ DRAM):
        for j in seq(0, n):
            x[0, j] = 0.0
            x[1, j] = 0.0
    """
    p, singles = yield fission_into_singles()
    for s in singles:
        yield on(s, try_else(seq(reorder_loops(), nav(INSIDE), jam()), unroll_loop()))
    return None
