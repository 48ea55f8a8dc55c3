"""What the solver answers, and recorders of what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..forms.formula import Atom, Formula, Model


@dataclass(frozen=True, slots=True)
class Proved:
    """The goal holds wherever the facts hold."""

    def __bool__(self) -> Literal[True]:
        return True


@dataclass(frozen=True, slots=True)
class Refuted:
    """The facts hold and the goal fails in `model`, which gives each unknown of the question a value."""

    model: Model

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither could be shown within the resource limit."""

    why: str

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(frozen=True, slots=True)
class Sat:
    """All formulas hold in `model`, which gives each unknown of the question a value."""

    model: Model


@dataclass(frozen=True, slots=True)
class Unsat:
    """The formulas cannot hold together."""


Answer: TypeAlias = Proved | Refuted | Unknown
"""True if it is `Proved`."""
Satisfiability: TypeAlias = Sat | Unsat | Unknown
"""Neither true nor false: what is not known to be one may be the other."""


@dataclass(slots=True)
class Stats:
    """What was asked while `recording`, in connected sets of formulas: how many, and how many of them the
    small procedure and Z3 had to decide; the rest were remembered."""

    asked: int = 0
    omega: int = 0
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


Words: TypeAlias = str | Callable[[], str]
"""A text, or what makes it when somebody wants to read it."""


def spelled(words: Words) -> str:
    """The text itself."""
    return words if isinstance(words, str) else words()


@dataclass(frozen=True, slots=True)
class Question:
    """What `prove`, `satisfiable` or `prove_exists` was asked, and its answer: whether wherever `facts` hold
    there are values of `chosen` for which `goal` holds.

    `satisfiable(fs)` asks whether `fs` imply `FALSE`: `Unsat` is kept as `Proved`, and `Sat` as `Refuted`.
    `obligation` says in words what the question is about; `seconds` is how long the answer took.
    """

    facts: tuple[Formula, ...]
    goal: Formula
    chosen: tuple[Atom, ...]
    answer: Answer
    obligation: str = ""
    seconds: float = field(default=0.0, compare=False)


_listener: ContextVar[list[Question] | None] = ContextVar("listener", default=None)


@contextmanager
def listening() -> Iterator[list[Question]]:
    """Collects the questions asked inside the `with` block, in order, also those whose answers the solver
    remembers. What other modules remember is not asked: see `ir.memo.forget`."""
    heard: list[Question] = []
    token = _listener.set(heard)
    try:
        yield heard
    finally:
        _listener.reset(token)


def listener() -> list[Question] | None:
    """Where the innermost `listening` block collects questions, if there is one."""
    return _listener.get()
