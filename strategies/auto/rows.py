"""Loops over the rows of a matrix, in vectors, several rows at a time."""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    ForCursor,
    Machine,
    Proc,
    Script,
    divide_loop,
    fail,
    focus,
    nav,
    on,
    reduce,
    strategy,
)

from .. import std
from ..blas.level1 import optimize_level_1
from ..blas.level2 import block_of_rows
from ..inspect import innermost_loops, loops_inside
from ..std.writing import INSIDE, halves
from .triangles import growing


@strategy
def rows_together(p: Proc, c: ForCursor, machine: Machine, precision: str, rows: int, vectors: int) -> Script:
    """`for i: for j: s  ~>  for io: for j: s[0]; ..; s[r-1]`, for r rows at a time, and level 1 on the loops inside.

    As `optimize_level_2_general` for a rectangle, but the rows that are left are taken one by one: there are few, and
    the plan is found in half of the time. Focus: the loop over rows. Returns the procedure. Fails if an instruction is
    missing, or rows need those before them.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> q = schedule(at("for i in _: _", rows_together(avx2, "f32", rows=4, vectors=1)), p)
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['io < m / 4', 'joo < n / 8', 'ii < m % 4', 'joo < n / 8']
    """
    if not loops_inside(c) or growing(c) or not machine.vec_widths:
        yield fail("these are no rows of one length, or there are no vectors")
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    columns = optimize_level_1(machine, precision, vectors, strict=True)
    p, blocks = yield divide_loop(rows, halves(c), tail="cut")
    rest = blocks.next()
    if rows > 1:
        yield on(blocks, nav(INSIDE), block_of_rows(columns))
    yield on(rest, reduce(columns, innermost_loops))
    yield std.cleanup()
    return None
