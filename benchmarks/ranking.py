"""How well a model orders candidates, and what records of other sizes are worth.

    python -m benchmarks.ranking [--kernels NAME ..] [--trials 40]     rank correlations of model and times
    python -m benchmarks.ranking --unseen                              sizes that were never tuned

The model is `strategies.ranking.cycles`, which `exo-strat tune --search model` goes by. Candidates are random ones of a
strategy's space, measured one by one beside the best so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from backends.measuring import measuring
from backends.native_machine import native_machine
from backends.settings import setting_here
from backends.targets import best_machine
from benchmarks.measure import show
from exo_strat import *
from exo_strat.tuning import Prepared, Timed, Tuning, climbing, random_search, starting, tune
from exo_strat.tuning.records import Record, recorded
from exo_strat.tuning.tuned import known_values
from strategies.blas.level1 import optimize_level_1
from strategies.inspect import nest
from strategies.ranking import cycles
from strategies.std import jam as jam_loop
from strategies.std import tile, unroll_and_jam
from strategies.stencils import time_tile

SEED = 1
TENTH = 10
"""The budget at sizes that were never tuned is so many times smaller."""

BLOCKS = (4, 16, 64)
JAMS = (1, 2, 4)
VECTORS = (1, 2, 4)


@proc
def gemm(n: size, a: f32[n, n], b: f32[n, n], c: f32[n, n]):
    assert n % 64 == 0
    for i in seq(0, n):
        for p in seq(0, n):
            for j in seq(0, n):
                c[i, j] += a[i, p] * b[p, j]


@proc
def convolution(n: size, w: f32[3, 3], x: f32[n + 2, n + 2], y: f32[n, n]):
    assert n % 64 == 0
    for i in seq(0, n):
        for j in seq(0, n):
            y[i, j] = 0.0
    for i in seq(0, n):
        for r in seq(0, 3):
            for s in seq(0, 3):
                for j in seq(0, n):
                    y[i, j] += w[r, s] * x[i + r, j + s]


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
def in_tiles(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """A product in tiles, several products of each sum taken together."""
    rows, depth = (yield hole("rows", BLOCKS, default=16)), (yield hole("depth", BLOCKS, default=64))
    columns, jam = (yield hole("columns", (16, 64), default=64)), (yield hole("jam", JAMS))
    p, c = yield tile(rows, depth, columns, tail="perfect")
    p, _ = yield on(nest(c)[4], unroll_and_jam(jam, tail="perfect"))
    yield on(p.find_loop("ji"), optimize_level_1(machine, "f32", (yield hole("vectors", VECTORS)), strict=True))


@strategy
def in_rows(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """A convolution: several rows together, and all elements of the window, of its rows, or one by one."""
    rows, window = (yield hole("rows", JAMS)), (yield hole("window", ("one by one", "by rows", "at once")))
    p, _ = yield unroll_and_jam(rows, tail="perfect")
    for name in {"one by one": (), "by rows": ("s",), "at once": ("r", "s")}[window]:
        p, _ = yield on(p.find_loop(name), jam_loop())
    j = p.find_loop("j", many=True)[-1]
    yield on(j, optimize_level_1(machine, "f32", (yield hole("vectors", VECTORS)), strict=True))


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
    return {
        "gemm": Case(gemm, at("for i in _: _", in_tiles(target)), {"n": 448}, ({"n": 128}, {"n": 256}, {"n": 832})),
        "convolution": Case(
            convolution, at("for i in _: _ #1", in_rows(target)), {"n": 448}, ({"n": 128}, {"n": 256}, {"n": 832})
        ),
        "stencil": Case(
            stencil,
            at("for t in _: _", in_time()),
            {"steps": 32, "n": 500},
            ({"steps": 32, "n": 120}, {"steps": 32, "n": 260}, {"steps": 32, "n": 800}),
        ),
    }


def ranked(case: Case, target: Machine, trials: int) -> Tuning:
    """Random candidates, each with its time and what the model says."""
    model = cycles(native_machine(target).machine, case.sizes)
    measure = measuring(case.proc, case.sizes, target)
    return tune(case.op, case.proc, measure, search=random_search(SEED), trials=trials, model=model)


def unseen(case: Case, target: Machine, trials: int) -> tuple[float, int]:
    """The speed at sizes that were never tuned, after a tenth of the trials, as a part of that after all of them; and
    after how many. Both are timed again, in turns."""
    where, known = setting_here(target), list[Record]()
    for sizes in case.others:
        found = tune(case.op, case.proc, measuring(case.proc, sizes, target), search=climbing(SEED), trials=trials)
        known += recorded(case.op, case.proc, found.tried, where, sizes, "")
    measure, few = measuring(case.proc, case.sizes, target), max(1, trials // TENTH)
    start = known_values(case.op, case.proc, known, where, case.sizes)
    quick = tune(case.op, case.proc, measure, search=starting(start, climbing(SEED)), trials=few)
    full = tune(case.op, case.proc, measure, search=climbing(SEED), trials=trials)
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
            found = ranked(known[name], target, trials)
            measured = sum(t.status == "measured" for t in found.tried)
            rows.append((name, len(found.tried), measured, found.correlation or 0.0))
    if seen:
        show("Speed at unseen sizes, of that when fully tuned", ("program", "trials", "of these", "speed"), rows)
    else:
        show("Rank correlation of model and times", ("program", "candidates", "measured", "correlation"), rows)


if __name__ == "__main__":
    typer.run(main)
