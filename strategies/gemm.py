"""The demo's matrix product: the plan of the BLAS, on dense matrices."""

from __future__ import annotations

from exo_strat import Machine, Op, Proc, named, schedule

from .blas.level3 import optimize_deep_gemm
from .programs import sgemm, sgemm_tile


@named
def gemm(machine: Machine) -> Op:
    """`C += A B` for a machine: a plan for `programs.sgemm`.

    >>> from backends.targets import avx2
    >>> from exo_strat import space
    >>> print(space(gemm(avx2)))
    gemm.optimize_deep_gemm.rows: 2, 4, 5, 6, 8, 12 (default 6)
    gemm.optimize_deep_gemm.vectors: 1, 2, 3, 4 (default 2)
    gemm.optimize_deep_gemm.depth: 128, 256, 512, 1024 (default 512)
    gemm.optimize_deep_gemm.width: 64, 128, 256, 512 (default 256)
    further holes may be known when it runs: space(op, p)
    """
    return optimize_deep_gemm(machine, "f32", sgemm_tile)


def schedule_sgemm(machine: Machine) -> Proc:
    """`C += A B` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(gemm(machine), sgemm)
