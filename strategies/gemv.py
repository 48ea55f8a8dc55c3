"""Products of a matrix and a vector: the plan of the BLAS for level 2."""

from __future__ import annotations

from exo_strat import Machine, Proc, at, schedule

from .blas.level2 import optimize_level_2_general
from .programs import sgemv, sgemv_trans

ROWS = 8
"""Rows that are added up together: each adds to all of y. Measured by `exo-strat demo gemv_t`."""


def schedule_gemv(machine: Machine) -> Proc:
    """`y += A x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(at("for i in _: _", optimize_level_2_general(machine, "f32")), sgemv)


def schedule_gemv_t(machine: Machine) -> Proc:
    """`y += A^T x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(at("for i in _: _", optimize_level_2_general(machine, "f32", rows=ROWS, vectors=1)), sgemv_trans)
