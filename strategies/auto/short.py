"""Short sums, such as those over the window of a filter, written out."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from exo_strat import (
    AssignCursor,
    ForCursor,
    Proc,
    ProcCursor,
    ReduceCursor,
    Script,
    attempt,
    fail,
    focus,
    merge_writes,
    moves,
    nav,
    on,
    simplify,
    strategy,
    unroll_loop,
)

from ..inspect import enclosing_loops, is_reduction, loops_inside, nest, statements, trip_count

SHORT = 32
"""How many iterations of a sum are written out at most: a window of 5 x 5 has 25."""


@strategy
def short_sums_written_out(p: Proc, c: ProcCursor) -> Script:
    """`for k in (0, 3): x += e(k)  ~>  x += e(0) + e(1) + e(2)`, for all sums that are known to be short.

    So what is around them can be vectors. A sum is short if it is known to have few terms, and is in a loop that may
    have many. Focus: the procedure. Fails if there is none.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def blur(n: size, x: f32[n + 2], y: f32[n]):
    ...     for i in seq(0, n):
    ...         s: f32
    ...         s = 0.0
    ...         for k in seq(-1, 2):
    ...             s += x[i + k + 1]
    ...         y[i] = s / 3.0
    ... ''')
    >>> print(schedule(short_sums_written_out(), p))
    def blur(n: size, x: f32[n + 2] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            s: f32 @ DRAM
            s = x[i] + x[i + 1] + x[i + 2]
            y[i] = s / 3.0
    """
    found = list(short_sums(c))
    if not found:
        yield fail("no sum is known to be short")
    for loop in found:
        before = loop.expand(1, 0)[0] if len(loop.expand(None, 0)) > 1 else loop
        for x in reversed((loop, *loops_inside(loop))):
            p, copies = yield on(x, unroll_loop())
        total, count = copies[0], len(copies) - 1
        if isinstance(before, AssignCursor | ReduceCursor) and before.sym == total.sym:
            p, total = yield focus(before)
            count += 1
        for _ in range(count):
            p, total = yield on(total, attempt(nav(moves.expand(0, 1)) >> merge_writes()))
    yield nav(moves.root) >> simplify()


def short_sums(c: ProcCursor) -> Iterator[ForCursor]:
    """The outermost loops of short sums."""
    done: list[ForCursor] = []
    for s in statements(c):
        if isinstance(s, ForCursor) and not any(s.path[: len(x.path)] == x.path for x in done) and is_short_sum(s):
            done.append(s)
            yield s


def is_short_sum(c: ForCursor) -> bool:
    """Whether a loop is a perfect nest of few iterations that adds to one element, in a loop that may have many."""
    loops = nest(c)
    body = loops[-1].body()
    counts = [trip_count(x) for x in loops]
    adds = all(isinstance(s, ReduceCursor) and all(is_reduction(s, x) for x in loops) for s in body)
    is_short = all(counts) and prod(filter(None, counts)) <= SHORT
    return adds and is_short and any(trip_count(x) is None for x in enclosing_loops(c))
