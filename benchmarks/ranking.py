"""How well a model orders candidates, and what records of other sizes are worth.

    python -m benchmarks.ranking [--kernels NAME ..] [--trials 40]     rank correlations of model and times
    python -m benchmarks.ranking --unseen                              sizes that were never tuned

The model is `strategies.ranking.cycles`, which `exo-strat tune --search model` goes by. Candidates are random ones of a
strategy's space, each measured in turns with the best one so far, and all once more: no model can order candidates
better than two measurements of them agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from backends.measuring import measuring
from backends.native_machine import native_machine
from backends.settings import setting_here
from backends.targets import best_machine
from benchmarks.measure import show
from exo_strat import *
from exo_strat.tuning import Prepared, Programs, Timed, climbing, random_search, starting, tune
from exo_strat.tuning.ranks import spearman
from exo_strat.tuning.records import Record, recorded
from exo_strat.tuning.tuned import known_values
from strategies import programs
from strategies.convolution import convolve
from strategies.gemm import gemm
from strategies.ranking import cycles
from strategies.stencils import time_tile

SEED = 1
TENTH = 10
"""The budget at sizes that were never tuned is so many times smaller."""


@proc
def stencil(steps: size, n: size, a: f32[n, n], b: f32[n, n]):
    assert n > 2
    for t in seq(0, steps):  # noqa: B007, object code counts time steps
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])


@strategy
def in_time(p: Proc, c: ForCursor) -> Script:
    """A stencil in tiles that go through several steps, or as it is."""
    steps = yield hole("steps", (1, 2, 4, 8, 16))
    outer, inner = (yield hole("outer", (8, 16, 32, 64, 128))), (yield hole("inner", (16, 64, 256)))
    yield time_tile(steps, outer, inner)


@dataclass(frozen=True)
class Case:
    """A program with a strategy, the sizes at which they are measured, and others that were tuned before."""

    proc: Proc
    op: Op
    sizes: Mapping[str, int]
    others: tuple[Mapping[str, int], ...]


def cases(target: Machine) -> dict[str, Case]:
    """The programs by name."""
    here = native_machine(target).machine
    square, *squares = ({"m": n, "n": n, "k": n} for n in (448, 128, 256, 832))
    image, *images = ({"h": 3 * n, "w": 4 * n} for n in (160, 40, 80, 300))
    grid, *grids = ({"steps": 32, "n": n} for n in (500, 120, 260, 800))
    return {
        "gemm": Case(programs.sgemm, gemm(here), square, tuple(squares)),
        "convolution": Case(programs.convolution, convolve(here, "f32", taps=3), image, tuple(images)),
        "stencil": Case(stencil, at("for t in _: _", in_time()), grid, tuple(grids)),
    }


def ranked(case: Case, target: Machine, trials: int) -> tuple[int, float, float, float]:
    """How many of some random candidates were measured, each in turns with the best so far; the rank correlation of
    these times and what the model says, and of the times of two measurements; and how many times as long the slowest
    takes as the fastest."""
    model = cycles(native_machine(target).machine, case.sizes)
    measure, known = measuring(case.proc, case.sizes, target), Programs()
    search = partial(tune, case.op, case.proc, measure, search=random_search(SEED), trials=trials, programs=known)
    found = search(model=model)
    first, second = (
        {frozenset(t.values.items()): t.seconds for t in f.tried if t.seconds is not None} for f in (found, search())
    )
    both = [(first[values], second[values]) for values in first if values in second]
    agreeing = spearman([a for a, _ in both], [b for _, b in both])
    return len(first), found.correlation or 0.0, agreeing or 0.0, max(first.values()) / min(first.values())


def unseen(case: Case, target: Machine, trials: int) -> tuple[float, int]:
    """The speed at sizes that were never tuned, after a tenth of the trials, as a part of that after all of them; and
    after how many. Both are timed again, in turns."""
    where, known = setting_here(target), list[Record]()
    tuning = partial(tune, case.op, case.proc, programs=Programs())
    for sizes in case.others:
        found = tuning(measuring(case.proc, sizes, target), search=climbing(SEED), trials=trials)
        known += recorded(case.op, case.proc, found.tried, where, sizes, "")
    measure, few = measuring(case.proc, case.sizes, target), max(1, trials // TENTH)
    start = known_values(case.op, case.proc, known, where, case.sizes)
    quick = tuning(measure, search=starting(start, climbing(SEED)), trials=few)
    full = tuning(measure, search=climbing(SEED), trials=trials)
    ours, theirs = (measure.prepare(found.best_proc) for found in (quick, full))
    assert isinstance(ours, Prepared) and isinstance(theirs, Prepared)
    timed = measure.time(ours, theirs)
    assert isinstance(timed, Timed) and timed.beside is not None
    return timed.beside / timed.seconds, few


def main(
    kernels: Annotated[list[str] | None, typer.Option(help="Only these programs; may be repeated.")] = None,
    trials: Annotated[int, typer.Option(help="How many candidates are measured.")] = 40,
    seen: Annotated[bool, typer.Option("--unseen", help="Sizes that were never tuned.")] = False,
) -> None:
    """Prints how well a model orders candidates, and what records of other sizes are worth."""
    target = best_machine()
    known = cases(target)
    wrong = sorted({*(kernels or ())} - {*known})
    if wrong:
        raise typer.BadParameter(f"no program is called {', '.join(wrong)}; there are {', '.join(known)}")
    rows: list[tuple[object, ...]] = []
    for name in kernels or known:
        if seen:
            part, few = unseen(known[name], target, trials)
            rows.append((name, trials, few, part))
        else:
            rows.append((name, *ranked(known[name], target, trials)))
    if seen:
        show("Speed at unseen sizes, of that when fully tuned", ("program", "trials", "of these", "speed"), rows)
    else:
        heads = ("program", "candidates", "model", "two measurements", "slowest to fastest")
        show("Rank correlation of times with", heads, rows)


if __name__ == "__main__":
    typer.run(main)
