"""What threads gain here at most, and from how much work on it pays to have them share a loop.

    python -m benchmarks.threads [--threads 2]

Products of matrices that have nothing to do with each other, one for each thread, are the most that threads can gain:
where they share a core, that is little. A loop is shared at a cost: the time of a short one that is parallel, less that
of one that is not; in operations on vectors, each of which doubles the numbers of one. That is the `fork` of a
`Processor`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated

import numpy as np
import typer

from backends.jit import JitFunction, jit
from backends.targets import best_machine
from benchmarks.measure import machine, on_cores, seconds
from exo_strat import at, parallelize_loop, proc_from_source, schedule
from strategies.auto import auto

PRODUCTS = proc_from_source("""
def products(t: size, n: size, a: f64[n, n], b: f64[n, n], c: f64[t, n, n]):
    for l in seq(0, t):
        for i in seq(0, n):
            for j in seq(0, n):
                for k in seq(0, n):
                    c[l, i, j] += a[i, k] * b[k, j]
""")
DOUBLE = proc_from_source("""
def double(n: size, x: f64[n, 4]):
    for i in seq(0, n):
        for j in seq(0, 4):
            x[i, j] = 2.0 * x[i, j]
""")
SIDE = 400
"""Rows of the matrices: they fit the caches."""
SHORT, LONG = 4, 2048
"""Vectors of the loops whose times tell the cost of sharing and of a statement."""


@cache
def products() -> tuple[JitFunction, JitFunction]:
    """Products one after the other, and each on a thread of its own."""
    target = best_machine()
    one = schedule(auto(target, "f64"), PRODUCTS)
    return jit(one, target), jit(schedule(at("for l in _: _", parallelize_loop()), one), target)


def gain(threads: int) -> float:
    """How many times as fast so many products are on so many threads as one after the other."""
    a = np.ones((SIDE, SIDE))
    c = np.zeros((threads, SIDE, SIDE))
    alone, together = seconds(*(run.bind(threads, SIDE, a, a, c) for run in products()))
    return alone / together


def fork() -> tuple[float, float]:
    """Seconds that it takes to share a loop, and that an operation on a vector takes."""
    runs = [jit(p) for p in (DOUBLE, schedule(at("for i in _: _", parallelize_loop()), DOUBLE))]
    x = np.zeros((LONG, 4))
    calls = [run.bind(n, x[:n]) for n in (SHORT, LONG) for run in runs]
    few, few_shared, many, _ = seconds(*calls)
    return few_shared - few, (many - few) / (LONG - SHORT)


def main(threads: Annotated[int, typer.Option(help="How many threads there are.")] = 2) -> None:
    """Measures what threads gain, and what they cost."""
    on_cores(threads)
    cost, operation = fork()
    print(f"products that have nothing to do with each other: {gain(threads):.2f} times as fast on {threads} threads")
    print(f"to share a loop (fork): {1e6 * cost:.1f} us, as {cost / operation:.0f} vector operations")
    print(f"{best_machine()} takes it for {best_machine().processor.fork}")
    print(machine(f"{threads} threads"))


if __name__ == "__main__":
    typer.run(main)
