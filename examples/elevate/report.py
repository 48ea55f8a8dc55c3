"""Schedules, compiles, runs and compares the versions of a case, and makes tables of that. Imports `cases`, a backend
and rich."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich import box
from rich.markup import escape
from rich.table import Table

from backends.jit import jit
from exo_strat import Counts, Op, Proc, SchedulingError, trace
from exo_strat.interp import run

from .cases import PAPER_SECONDS, Args, Case, Reported

ENOUGH = 0.1

# -- what is measured ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scheduled:
    """A version: the program that its strategy made, and what that took, in seconds of the processor."""

    name: str
    proc: Proc
    counts: Counts
    seconds: float


@dataclass(frozen=True)
class Measured:
    """A version as it ran: seconds of the fastest run, speed-up over the first version, whether the result has the same
    bits (each operation rounded by itself), and whether it is the same in exact arithmetic (None: not asked)."""

    version: Scheduled
    seconds: float
    speedup: float
    same_bits: bool
    same_numbers: bool | None


def scheduled(name: str, strategy: Op, program: Proc) -> Scheduled:
    """Apply a strategy and count what it does. Raises `SchedulingError` if it fails."""
    start = time.process_time()
    _, derivation = trace(strategy, program)
    seconds = time.process_time() - start
    if derivation.result is None:
        assert derivation.failure is not None
        raise SchedulingError(derivation.failure)
    return Scheduled(name, derivation.result, derivation.counts, seconds)


def versions(case: Case) -> tuple[Scheduled, ...]:
    """All versions of a case."""
    return tuple(scheduled(name, strategy, case.program) for name, strategy in case.versions.items())


def measure(case: Case, runs: int = 3) -> Iterator[Measured]:
    """All versions of a case, each after it ran. The numbers that they run on are the same ones."""
    first, slowest = None, 0.0
    for version in versions(case):
        seconds = timed(version.proc, case.arguments(normal(), *case.large), runs)
        slowest = slowest or seconds
        bits = result(version.proc, case.arguments(normal(), *case.large))
        first = bits if first is None else first
        exact = same_numbers(case, version.proc) if case.small else None
        yield Measured(version, seconds, slowest / seconds, np.array_equal(bits, first), exact)


def result(proc: Proc, args: Args) -> Any:
    """What a procedure writes into its last argument, if no product is fused with the sum that it feeds."""
    jit(proc, flags=("-ffp-contract=off",))(*args)
    return args[-1]


def timed(proc: Proc, args: Args, runs: int) -> float:
    """Seconds of the fastest run, of at least so many, and of as many as take `ENOUGH` seconds together."""
    call = jit(proc).bind(*args)
    times = [_seconds(call) for _ in range(runs)]
    while sum(times) < ENOUGH:
        times.append(_seconds(call))
    return min(times)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


# -- what runs ----------------------------------------------------------------------------------------


def normal() -> Callable[..., Any]:
    """Makes arrays of normally distributed numbers, the same ones each time."""
    random = np.random.default_rng(0)
    return lambda *shape: random.standard_normal(shape, np.float32)


def whole(seed: int) -> Callable[..., Any]:
    """Makes arrays of small whole numbers."""
    random = np.random.default_rng(seed)
    return lambda *shape: random.integers(-9, 10, shape)


def same_numbers(case: Case, proc: Proc, times: int = 2) -> bool:
    """Whether a procedure computes exactly what the case's program does, on random arguments of the small sizes."""
    return all(_exactly(case.program, args) == _exactly(proc, args) for args in map(whole_args(case), range(times)))


def whole_args(case: Case) -> Callable[[int], Args]:
    """Arguments of the small sizes for a seed, in whole numbers."""
    return lambda seed: case.arguments(whole(seed), *case.small)


def _exactly(proc: Proc, args: Args) -> object:
    values = [a.astype(int).tolist() if isinstance(a, np.ndarray) else a for a in args]
    outcome = run(proc, dict(zip((a.name() for a in proc.args()), values, strict=True)))
    assert outcome.trap is None, outcome.trap
    return outcome.outputs


# -- tables -------------------------------------------------------------------------------------------

YES, NO = "[green]yes[/]", "[red]no[/]"


def mark(answer: bool | None) -> str:
    """A yes or no for a table."""
    return "" if answer is None else YES if answer else NO


COLUMNS = ("rewrites", "steps", "questions", "schedule\n[s]", "run\n[ms]", "speed-up", "same\nbits")
PAPER_COLUMNS = ("ELEVATE:\nsteps", "schedule\n[s]", "speed-up")


def table(case: Case, reported: dict[str, Reported] | None = None, runs: int = 3) -> Table:
    """What a case does, version by version; beside it what the paper reports, if that is given."""
    grid = Table(title=case.name, title_justify="left", box=box.SIMPLE_HEAD)
    grid.add_column("version", no_wrap=True)
    for column in COLUMNS if reported else (*COLUMNS, "same\nnumbers"):
        grid.add_column(escape(column), justify="right", no_wrap=True)
    for column in PAPER_COLUMNS if reported else ():
        grid.add_column(escape(column), justify="right", no_wrap=True, style="cyan")
    for m in measure(case, runs):
        grid.add_row(*row(m), *(_beside(reported[m.version.name]) if reported else [mark(m.same_numbers)]))
    return grid


def row(m: Measured) -> tuple[str, ...]:
    """The cells of a version that every table has."""
    c = m.version.counts
    counts = (str(n) for n in (c.rewrites, c.steps, c.questions))
    return (
        m.version.name, *counts, f"{m.version.seconds:.3f}", f"{m.seconds * 1e3:.2f}", f"{m.speedup:.1f}",
        mark(m.same_bits),
    )  # fmt: skip


def _beside(r: Reported) -> tuple[str, ...]:
    return r.steps, PAPER_SECONDS, r.speedup
