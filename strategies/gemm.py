"""The demo's matrix product: the plan of the BLAS, on dense matrices."""

from __future__ import annotations

from exo_strat import Machine, Proc, schedule

from .blas.level3 import optimize_deep_gemm
from .programs import sgemm, sgemm_tile


def schedule_sgemm(machine: Machine) -> Proc:
    """`C += A B` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(optimize_deep_gemm(machine, "f32", sgemm_tile), sgemm)
