"""How fast functions under `@compiled` are against NumPy, on one core.

    python -m benchmarks.numpy_calls

For each function: the median of ratios, compiled to NumPy, each of two calls one after the other; median times; and
what the first call takes, less imports, and that of a schedule that another process has kept. A product is scheduled
once for all functions.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import numpy as np

from backends.targets import best_machine
from importers.numpy import compiled
from strategies.auto import for_numpy

N = 512
ROUNDS = 15


def product(a: Any, b: Any) -> Any:
    return a @ b


def attention(a: Any, b: Any) -> Any:
    s = a @ b.T
    s -= s.max(axis=1, keepdims=True)
    p = np.exp(s)
    p /= p.sum(axis=1, keepdims=True)
    return p @ b


def vector_times_matrix(a: Any, b: Any) -> Any:
    return a[0] @ b


def matrix_times_vector(a: Any, b: Any) -> Any:
    return a @ b[0]


def sum_of_rows(a: Any, b: Any) -> Any:
    return a.sum(axis=1)


def sum_of_columns(a: Any, b: Any) -> Any:
    return a.sum(axis=0)


def normalised_columns(a: Any, b: Any) -> Any:
    return a / np.sqrt((a * a).sum(axis=0))


def distance(a: Any, b: Any) -> Any:
    return np.sqrt((a - b) ** 2 + 0.5 * a * b)


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    product, attention, vector_times_matrix, matrix_times_vector, sum_of_rows, sum_of_columns, normalised_columns,
    distance,
)  # fmt: skip


def timed(f: Callable[[Any, Any], Any], a: Any, b: Any) -> float:
    """Seconds of a call."""
    start = perf_counter()
    f(a, b)
    return perf_counter() - start


def main() -> None:
    for_numpy(best_machine())  # what is imported once is no part of a first call
    rng = np.random.default_rng(0)
    a, b = (rng.random((N, N), dtype=np.float32) for _ in range(2))
    print("| function | time, compiled / NumPy | compiled, ms | NumPy, ms | first call, s | kept, s |")
    print("|---|--:|--:|--:|--:|--:|")
    for f in FUNCTIONS:
        run = compiled(f)
        first, kept = timed(run, a, b), timed(compiled(f), a, b)
        np.testing.assert_allclose(run(a, b), f(a, b), rtol=1e-2)
        times = [(timed(run, a, b), timed(f, a, b)) for _ in range(ROUNDS)]
        ours, theirs = (median(t) * 1e3 for t in zip(*times, strict=True))
        ratio = median(x / y for x, y in times)
        print(f"| `{f.__name__}` | {ratio:.2f} | {ours:.3f} | {theirs:.3f} | {first:.1f} | {kept:.1f} |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EXO_STRAT_CACHE_DIR"] = folder
        main()
