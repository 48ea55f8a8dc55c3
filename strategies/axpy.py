"""Vector updates: the plan of the BLAS for level 1."""

from __future__ import annotations

from exo_strat import Machine, Op, Proc, at, named, schedule

from .blas.level1 import optimize_level_1
from .programs import saxpy


@named
def axpy(machine: Machine) -> Op:
    """`y += a x` for a machine: a plan for `programs.saxpy`.

    >>> from backends.targets import avx2
    >>> from exo_strat import space
    >>> print(space(axpy(avx2), saxpy))
    axpy.optimize_level_1.vectors: 1, 2, 4, 8, 16 (default 4)
    """
    return at("for i in _: _", optimize_level_1(machine, "f32"))


def schedule_axpy(machine: Machine) -> Proc:
    """`y += a x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(axpy(machine), saxpy)
