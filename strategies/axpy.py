"""Vector updates: the plan of the BLAS for level 1."""

from __future__ import annotations

from exo_strat import Machine, Proc, at, schedule

from .blas.level1 import optimize_level_1
from .programs import saxpy


def schedule_axpy(machine: Machine) -> Proc:
    """`y += a x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(at("for i in _: _", optimize_level_1(machine, "f32")), saxpy)
