"""Convolutions with few weights: rows taken together share what they read."""

from __future__ import annotations

from exo_strat import Machine, Op, hole, moves, named, nav, seq

from . import std
from .blas.level2 import optimize_level_2_general

ROWS, VECTORS = 2, 2
"""Rows, and vectors of columns, that are taken together unless said.
`python -m benchmarks.tuning --kernel convolution` looks for better ones."""


@named
def convolve(machine: Machine, precision: str, taps: int) -> Op:
    """`for i: for j: for r: for c: y[i, j] += k[r, c] * x[i + r, j + c]`, for up to so many `taps` each way.

    In vectors of columns. Sums stay in registers, and rows that are taken together load once what they share: the plan
    of the BLAS for level 2, without loops over weights. Holes: so many `rows`, and `vectors` of columns. Focus: the
    procedure. Returns it.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule, space
    >>> p = proc_from_source('''
    ... def smooth(m: size, n: size, k: f32[3], x: f32[m, n + 2], y: f32[m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             for c in seq(0, 3):
    ...                 y[i, j] += k[c] * x[i, j + c]
    ... ''')
    >>> op = convolve(avx2, "f32", 3)
    >>> print(space(op))
    convolve.rows: 1, 2, 4, 8 (default 2)
    convolve.vectors: 1, 2, 4 (default 2)
    further holes may be known when it runs: space(op, p)
    >>> q = schedule(op, p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())[:4]]
    ['io < m / 2', 'joo < n / 16', 'joi < n / 8 % 2', 'ji < n % 8']
    """
    rows, vectors = hole("rows", (1, 2, 4, 8), default=ROWS), hole("vectors", (1, 2, 4), default=VECTORS)
    by_rows = optimize_level_2_general(machine, precision, rows, vectors)
    return seq(std.unroll_loops(taps), nav(moves.body >> moves.nth(0)), by_rows)
