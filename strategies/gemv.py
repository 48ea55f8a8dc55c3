"""Products of a matrix and a vector: the plan of the BLAS for level 2."""

from __future__ import annotations

from exo_strat import Machine, Op, Proc, at, hole, named, schedule

from .blas.level2 import optimize_level_2_general
from .programs import sgemv, sgemv_trans

ROWS, VECTORS = 8, 1
"""Rows that are added up together, and vectors of columns, unless said: each row adds to all of y. Measured by
`exo-strat demo gemv_t`, and `python -m benchmarks.tuning --kernel gemv_t`."""


@named
def gemv(machine: Machine) -> Op:
    """`y += A x` for a machine: a plan for `programs.sgemv`.

    >>> from backends.targets import avx2
    >>> from exo_strat import space
    >>> print(space(gemv(avx2), sgemv))
    gemv.optimize_level_2_general.rows: 1, 2, 4, 8 (default 4)
    gemv.optimize_level_2_general.vectors: 1, 2, 4, 8 (default 2)
    """
    return at("for i in _: _", optimize_level_2_general(machine, "f32"))


@named
def gemv_t(machine: Machine) -> Op:
    """`y += A^T x` for a machine: a plan for `programs.sgemv_trans`.

    >>> from backends.targets import avx2
    >>> from exo_strat import space
    >>> print(space(gemv_t(avx2)))
    gemv_t.rows: 4, 8, 12, 16 (default 8)
    gemv_t.vectors: 1, 2, 4 (default 1)
    further holes may be known when it runs: space(op, p)
    """
    rows, vectors = hole("rows", (4, 8, 12, 16), default=ROWS), hole("vectors", (1, 2, 4), default=VECTORS)
    return at("for i in _: _", optimize_level_2_general(machine, "f32", rows, vectors))


def schedule_gemv(machine: Machine) -> Proc:
    """`y += A x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(gemv(machine), sgemv)


def schedule_gemv_t(machine: Machine) -> Proc:
    """`y += A^T x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(gemv_t(machine), sgemv_trans)
