"""Rows whose elements wait for each other, several rows at a time."""

from __future__ import annotations

from exo_strat import (
    AssignCursor,
    ForCursor,
    Machine,
    Proc,
    Script,
    attempt,
    divide_loop,
    fail,
    fuse,
    nav,
    on,
    repeat,
    strategy,
)

from .. import std
from ..blas.level1 import optimize_level_1
from ..inspect import innermost_loops, loops_inside
from ..std.writing import INSIDE, halves
from ..stencils import waits_for

VECTORS = 4
"""Vectors of a row that are taken together. Measured by `python -m benchmarks.auto --kernels deriche`."""


@strategy
def rows_in_turns(p: Proc, c: ForCursor, machine: Machine, precision: str, rows: int) -> Script:
    """`for i: for j: x[i, j] = e(x[i, j - 1])  ~>  for io: for j: x[4 io, j] = e; x[4 io + 1, j] = e; ..`.

    So many `rows` at a time, which don't need each other: their elements take turns. The loops over the same rows that
    come next are taken with it while the rows are in a cache. What else there is in a row is computed in vectors, row
    by row. Focus: the loop over rows. Fails if no element waits for the one before in its row, or if rows do.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(m: size, n: size, x: f32[m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(1, n):
    ...             x[i, j] = x[i, j] + x[i, j - 1]
    ... ''')
    >>> print(schedule(at("for i in _: _", rows_in_turns(avx2, "f32", 2)), p))
    def sums(m: size, n: size, x: f32[m, n] @ DRAM):
        for io in seq(0, m / 2):
            for j in seq(1, n):
                x[2 * io, j] = x[2 * io, j] + x[2 * io, j - 1]
                x[2 * io + 1, j] = x[2 * io + 1, j] + x[2 * io + 1, j - 1]
        for ii in seq(0, m % 2):
            for j in seq(1, n):
                x[2 * (m / 2) + ii, j] = x[2 * (m / 2) + ii, j] + x[2 * (m / 2) + ii, j - 1]
    """
    if not has_recurrence(c):
        yield fail("no element waits for the one before in its row")
    p, c = yield repeat(fuse_next())
    p, blocks = yield divide_loop(rows, halves(c), tail="cut")
    p, parts = yield on(blocks, nav(INSIDE), std.fission_where_possible())
    waiting = [part for part in parts if has_recurrence(part)]
    for part in waiting:
        yield on(part, std.jam())
    for part in parts:  # level 1 unrolls what is short
        for loop in loops_inside(part) if part not in waiting else ():
            yield attempt(on(loop, optimize_level_1(machine, precision, VECTORS, strict=True)))
    yield std.unroll_loops(rows)
    yield std.cleanup()


def has_recurrence(c: ForCursor) -> bool:
    """Whether an innermost loop writes what its next iteration reads."""
    loops = (x for x in innermost_loops(c) if x != c)
    return any(isinstance(s, AssignCursor) and waits_for(s, x) is not None for x in loops for s in x.body())


@strategy
def fuse_next(p: Proc, c: ForCursor) -> Script:
    """`for i: s1; for i: s2  ~>  for i: s1; s2`, with the loop that comes next. Focus: the first loop. Returns it."""
    yield fuse(c.next())
