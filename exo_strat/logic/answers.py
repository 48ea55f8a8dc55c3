"""What the solver answers, and a recorder of what it was asked. Imports formula only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

from .formula import Model


@dataclass(frozen=True, slots=True)
class Proved:
    """The goal holds wherever the facts hold."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """The facts hold and the goal fails in `model`, which gives each unknown of the question a value."""

    model: Model


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither could be shown within the resource limit."""

    why: str


@dataclass(frozen=True, slots=True)
class Sat:
    """All formulas hold in `model`, which gives each unknown of the question a value."""

    model: Model


@dataclass(frozen=True, slots=True)
class Unsat:
    """The formulas cannot hold together."""


Answer: TypeAlias = Proved | Refuted | Unknown
Satisfiability: TypeAlias = Sat | Unsat | Unknown


@dataclass(slots=True)
class Stats:
    """What was asked while `recording`, in connected sets of formulas: how many, and how many of them the
    small procedure and Z3 had to decide; the rest were remembered."""

    asked: int = 0
    quick: int = 0
    z3: int = 0


_stats: ContextVar[Stats | None] = ContextVar("stats", default=None)


@contextmanager
def recording() -> Iterator[Stats]:
    """Counts the questions asked inside the `with` block."""
    stats = Stats()
    token = _stats.set(stats)
    try:
        yield stats
    finally:
        _stats.reset(token)


def recorder() -> Stats | None:
    """The recorder of the innermost `recording` block, if any."""
    return _stats.get()
