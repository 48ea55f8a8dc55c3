"""Loops over the rows of a matrix, in vectors, several rows at a time."""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    AssignCursor,
    ForCursor,
    Machine,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    divide_loop,
    fail,
    focus,
    forms,
    nav,
    on,
    reduce,
    strategy,
)

from .. import std
from ..blas.level1 import optimize_level_1
from ..blas.level2 import block_of_rows, optimize_level_2_general
from ..inspect import growth, innermost_loops, loops_inside, statements, trip_count
from ..std.writing import INSIDE, halves
from .triangles import growing


@strategy
def rows_together(p: Proc, c: ForCursor, machine: Machine, precision: str, rows: int, vectors: int) -> Script:
    """`for i: for j: s  ~>  for io: for j: s[0]; ..; s[r-1]`, for r rows at a time, and level 1 on the loops inside.

    As `optimize_level_2_general`, which it is for the rows of a triangle that is solved; of a rectangle the rows that
    are left are taken one by one: there are few, and the plan is found in half of the time. Focus: the loop over rows.
    Returns the procedure. Fails if an instruction is missing, or rows need those before them in another way.

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
    if not loops_inside(c) or not machine.vec_widths:
        yield fail("these are no rows, or there are no vectors")
    if rows > 1 and is_solved(c):
        yield optimize_level_2_general(machine, precision, rows, vectors, strict=True)
        return None
    if growing(c):
        yield fail("these are no rows of one length")
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    columns = optimize_level_1(machine, precision, vectors, strict=True)
    whole = (trip_count(c) or 1) % rows == 0
    p, blocks = yield divide_loop(rows, halves(c), tail="perfect" if whole else "cut")
    rest = () if whole else (blocks.next(),)
    if rows > 1:
        yield on(blocks, nav(INSIDE), block_of_rows(columns))
    for loop in rest:
        yield on(loop, reduce(columns, innermost_loops))
    yield std.cleanup()
    return None


def is_solved(c: ForCursor) -> bool:
    """Whether rows are those of a triangle, and each needs what those before it were solved for.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def forward(n: size, a: f64[n, n], x: f64[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i):
    ...             x[i] -= a[i, j] * x[j]
    ...         x[i] /= a[i, i]
    ... ''')
    >>> is_solved(p.find_loop("i"))
    True
    """
    inside = loops_inside(c)
    ends = (forms.affine(e.node) for x in inside for e in (x.lo(), x.hi()))
    if len(inside) != 1 or None in ends or growth(c) == 0:
        return False
    written = {s.sym for s in statements(c) if isinstance(s, AssignCursor | ReduceCursor)}
    return any(isinstance(e, ReadCursor) and e.idx() and e.sym in written for e in inside[0].descendants())
