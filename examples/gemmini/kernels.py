"""What the demonstration shows of a kernel: a case is a naive program, its schedule, operands and what must come out.

A module with kernels has a tuple of cases; `CASES` in `__main__` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from backends.gemmini import Counts, simulate
from exo_strat import Op, Proc, schedule

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A kernel of fixed sizes.

    `arguments` makes operands by name from a generator; of those `output` is what the kernel writes, and `expected`
    computes it by NumPy. `naive_instructions` counts the instructions of a direct mapping, in which each tile product
    loads its operands and each tile is zeroed and stored by itself; `least_in` the bytes of all inputs. `lines` is the
    number of steps of the schedule, one a line.
    """

    name: str
    naive: Callable[[], Proc]
    plan: Callable[[], Op]
    arguments: Callable[[np.random.Generator], Arguments]
    expected: Callable[[Arguments], np.ndarray[Any, Any]]
    output: str
    naive_instructions: int
    least_in: int
    lines: int


@dataclass(frozen=True)
class Measured:
    """What became of a case: rewrites, seconds of scheduling, what the model counts, whether the result is right."""

    rewrites: int
    seconds: float
    counts: Counts
    equal: bool


def scheduled(case: Case) -> Proc:
    """The kernel for Gemmini."""
    return schedule(case.plan(), case.naive())


def run(case: Case, p: Proc, seed: int = 0) -> tuple[Counts, bool]:
    """What the model counts for operands at random, and whether the result is that of NumPy."""
    arguments = case.arguments(np.random.default_rng(seed))
    counts = simulate(p)(**arguments)
    return counts, bool(np.array_equal(arguments[case.output], case.expected(arguments)))


@dataclass(frozen=True)
class Cycles:
    """What the model estimates that a case takes by some schedule, in cycles: for `exo_strat.tuning.Modelled`."""

    case: Case

    def __call__(self, p: Proc) -> float:
        counts, equal = run(self.case, p)
        if not equal:
            raise ValueError(f"{p.name()} computes something else than NumPy: report it as a bug")
        return float(counts.cycles)


def measure(case: Case) -> Measured:
    """Schedule a case and run it on the model."""
    naive = case.naive()
    start = perf_counter()
    p = schedule(case.plan(), naive)
    seconds = perf_counter() - start
    return Measured(len(p.history()) - len(naive.history()), seconds, *run(case, p))
