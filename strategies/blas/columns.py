"""Loops whose columns are independent, as triangular products and systems are.

Columns are taken several vectors at a time, the last one masked; each vector's value is held in a register while the
products of its row are added to it.
"""

from __future__ import annotations

from typing import Final

from exo_strat import (
    ForCursor,
    Machine,
    Proc,
    ProcCursor,
    Script,
    hole,
    lift_scope,
    moves,
    nav,
    on,
    repeat_n,
    seq,
    set_memory,
    strategy,
)

from .. import std
from ..std.writing import INSIDE
from .level3 import along

VECTORS: Final = 4
"""Vectors of columns taken together unless said: enough for additions to overlap. Measured by
`python -m benchmarks.blas --only trmm --only trsm`."""


@strategy
def optimize_columns(p: Proc, c: ProcCursor, machine: Machine, precision: str) -> Script:
    """`for j: for i: t = ..; for p: t += ..; b[i, j] = ..` for a machine.

    Hole: so many `vectors` of columns are taken together. Focus: the procedure. Returns it.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule
    >>> tile = proc_from_source('''
    ... def tile(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] += t
    ... ''')
    >>> q = schedule(optimize_columns(avx2, "f32"), tile)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())[:6]]
    ['jo < n / 32', 'i < m', 'p < k', 'jo < n / 16 % 2', 'i < m', 'p < k']
    """
    vectors = (yield hole("vectors", (1, 2, 4, 8), default=VECTORS)) if machine.vec_widths else 1
    big = std.Tile(machine, precision, 1, vectors)
    yield seq(nav(moves.find_loop("j")), along(big, 1, columns), std.cleanup())
    return None


@strategy
def columns(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """`for j: for i: t = e; for p: t += ..; b = t  ~>  for i: t[..] = e; for p: t[..] += ..; b = t[..]`, by vectors."""
    scopes = 3 if t.masked else 2
    p, rows = yield seq(std.by_vectors(t), nav(moves.find_loop("i")), repeat_n(lift_scope(), scopes))
    yield seq(nav(INSIDE), std.fission_into_singles(2))
    p, value = yield on(rows, nav(moves.find_alloc("t")), set_memory(t.registers))
    yield on(rows, nav(moves.find_loop("p")), repeat_n(lift_scope(), scopes))
    yield on(rows, std.to_instructions(t, (std.fma_rule,)))
    return None
