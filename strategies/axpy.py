"""Vector updates."""

from __future__ import annotations

from exo_strat import Machine, Proc, moves, nav, schedule, seq

from .programs import saxpy
from .vectors import vectorize_all


def schedule_axpy(machine: Machine) -> Proc:
    """`y += a x` for a machine. Raises `SchedulingError` if a step fails."""
    return schedule(seq(nav(moves.find_loop("i")), vectorize_all(machine, "f32")), saxpy)
