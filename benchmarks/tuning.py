"""What a search finds for the strategies of this project that have holes, beside their defaults.

    python -m benchmarks.tuning [--kernel NAME ..] [--budget SECONDS] [--seed N]

Each kernel is tuned for its sizes within the budget. Then what the defaults make and what was found are timed again in
turns, so that the ratio is none of luck; the cycles of Gemmini's model need no second time. Refused are all candidates
that came to no time of their own, but for those that are the same program as another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

from backends.measuring import Measuring, measuring
from backends.native_machine import native_machine
from backends.targets import best_machine
from benchmarks.measure import machine
from examples.gemmini import convolution as gemmini_convolution
from examples.gemmini import matmul as gemmini_matmul
from examples.gemmini.kernels import Case, Cycles
from exo_strat import Machine, Op, Proc, at, schedule
from exo_strat.source import show
from exo_strat.tuning import Ended, Modelled, Prepared, Tuning, random_search, tune
from exo_strat.tuning.search import duration
from strategies import programs
from strategies.axpy import axpy
from strategies.blas.level1 import optimize_level_1
from strategies.convolution import convolve
from strategies.gemm import gemm
from strategies.gemv import gemv, gemv_t

BUDGET = 60.0
"""Seconds that the search for one kernel at one size may take, unless said."""

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Compared:
    """What the defaults take, and what was found, in words; how many times as fast that is, and the search."""

    default: str
    best: str
    ratio: float
    found: Tuning


@dataclass(frozen=True)
class Timed:
    """A program that this machine runs, its strategy, and the sizes at which it is tuned."""

    program: Proc
    plan: Callable[[Machine], Op]
    sizes: tuple[Sizes, ...]

    def cases(self) -> tuple[tuple[str, Callable[[float, int], Compared]], ...]:
        """The sizes in words, and the comparison for them."""
        return tuple((", ".join(f"{k} = {n}" for k, n in s.items()), partial(self.compared, s)) for s in self.sizes)

    def compared(self, sizes: Sizes, budget: float, seed: int) -> Compared:
        """Tunes it for some sizes, and times the defaults and the best in turns."""
        target = native_machine(best_machine()).machine
        op, measure = self.plan(target), measuring(self.program, sizes, target)
        found = tune(op, self.program, measure, search=random_search(seed), seconds=budget)
        first = found.tried[0]
        default, best = (first.seconds or 0.0,) * 2 if found.best is first else again(measure, found)
        return Compared(duration(default), duration(best), default / best, found)


@dataclass(frozen=True)
class Simulated:
    """A kernel of Gemmini's: its case, the naive program and the strategy. It costs what the model says."""

    case: Case
    plan: Op

    def cases(self) -> tuple[tuple[str, Callable[[float, int], Compared]], ...]:
        """Its name, and the comparison."""
        return ((self.case.name, self.compared),)

    def compared(self, budget: float, seed: int) -> Compared:
        """Tunes it by the estimate of cycles."""
        measure = Modelled(Cycles(self.case), "cycles")
        found = tune(self.plan, self.case.naive(), measure, search=random_search(seed), seconds=budget)
        default, best = (t.seconds or 0.0 for t in (found.tried[0], found.best or found.tried[0]))
        return Compared(f"{default:.0f} cycles", f"{best:.0f} cycles", default / best, found)


def again(measure: Measuring, found: Tuning) -> tuple[float, float]:
    """Seconds of what the defaults make, and of the best that was found, in turns. Raises `RuntimeError` if they can't
    be measured once more."""
    default, best = (measure.prepare(p) for p in (schedule(found.op, found.proc), found.best_proc))
    if isinstance(default, Prepared) and isinstance(best, Prepared):
        timed = measure.time(best, default)
        if not isinstance(timed, Ended) and timed.beside is not None:
            return timed.beside, timed.seconds
    raise RuntimeError("what was measured before can't be measured again")


def dot(target: Machine) -> Op:
    """`r += x y` for a machine."""
    return at("for i in _: _", optimize_level_1(target, "f32"))


def product(s: gemmini_matmul.Product) -> Simulated:
    """A product on Gemmini."""
    return Simulated(gemmini_matmul.case(s), gemmini_matmul.blocked(s))


def layer(s: gemmini_convolution.Layer) -> Simulated:
    """A convolution on Gemmini."""
    return Simulated(gemmini_convolution.case(s), gemmini_convolution.blocked(s))


SQUARE = ({"M": 100, "N": 100}, {"M": 1024, "N": 1024})
KERNELS: Mapping[str, tuple[Timed | Simulated, ...]] = {
    "sgemm": (Timed(programs.sgemm, gemm, tuple(dict.fromkeys("mnk", n) for n in (64, 256, 1024))),),
    "axpy": (Timed(programs.saxpy, axpy, ({"N": 1000}, {"N": 65536})),),
    "dot": (Timed(programs.sdot, dot, ({"N": 100}, {"N": 10_000})),),
    "gemv": (Timed(programs.sgemv, gemv, SQUARE),),
    "gemv_t": (Timed(programs.sgemv_trans, gemv_t, SQUARE),),
    "convolution": (Timed(programs.convolution, partial(convolve, precision="f32", taps=3), ({"h": 480, "w": 640},)),),
    "gemmini": (
        *(product(gemmini_matmul.Product(*s)) for s in ((100, 200, 300), (256, 256, 512))),
        layer(gemmini_convolution.Layer(1, 14, 14, 64, 64)),
    ),
}


def row(name: str, sizes: str, c: Compared) -> tuple[str, ...]:
    """A line of the table: the values are those of holes that have others than by default."""
    tried = c.found.tried
    refused = sum(t.status not in ("measured", "same") for t in tried)
    best: Mapping[str, Any] = c.found.best.decisions if c.found.best else {}
    values = ", ".join(f"{k.split('.')[-1]} = {show(v)}" for k, v in best.items() if tried[0].decisions.get(k) != v)
    counts = (f"{c.ratio:.2f}", str(len(tried)), str(refused))
    return name, sizes, c.default, c.best, *counts, values or "the defaults"


HEADS = ("kernel", "sizes", "default", "best found", "ratio", "trials", "refused", "values")


def line(cells: tuple[str, ...]) -> str:
    """A row of the table in Markdown.

    >>> line(("a", "b"))
    '| a | b |'
    """
    return f"| {' | '.join(cells)} |"


def main(
    kernel: Annotated[list[str] | None, typer.Option(help=f"Only {', '.join(KERNELS)}; may be repeated.")] = None,
    budget: Annotated[float, typer.Option(help="Seconds for the search of each kernel and size.")] = BUDGET,
    seed: Annotated[int, typer.Option(help="Of the random search.")] = 0,
) -> None:
    """Tunes kernels, and prints what was found beside the defaults."""
    unknown = sorted({*(kernel or ())} - {*KERNELS})
    if unknown:
        raise typer.BadParameter(f"no kernel is called {', '.join(unknown)}; there are {', '.join(KERNELS)}")
    print(line(HEADS))
    print("|---|---|--:|--:|--:|--:|--:|---|", flush=True)
    for name in kernel or [*KERNELS]:
        for customer in KERNELS[name]:
            for sizes, compared in customer.cases():
                print(line(row(name, sizes, compared(budget, seed))), flush=True)
    print(f"\n{machine('one thread')}; {best_machine()}; {budget:g} s of search each, seed {seed}.")


if __name__ == "__main__":
    typer.run(main)
