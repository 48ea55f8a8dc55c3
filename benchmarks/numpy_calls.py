"""How fast functions under `@compiled` are against NumPy, on one core.

    python -m benchmarks.numpy_calls

For each function: the median of ratios, compiled to NumPy, each of two calls one after the other; and median times.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded

import numpy as np

from importers.numpy import compiled

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


def main() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.random((N, N), dtype=np.float32) for _ in range(2))
    print("| function | compiled / NumPy | compiled, ms | NumPy, ms |\n|---|---|---|---|")
    for f in FUNCTIONS:
        run = compiled(f)
        np.testing.assert_allclose(run(a, b), f(a, b), rtol=1e-2)
        times = []
        for _ in range(ROUNDS):
            start = perf_counter()
            run(a, b)
            between = perf_counter()
            f(a, b)
            times.append((between - start, perf_counter() - between))
        ours, theirs = (median(t) * 1e3 for t in zip(*times, strict=True))
        ratio = median(x / y for x, y in times)
        print(f"| `{f.__name__}` | {ratio:.1f} | {ours:.3f} | {theirs:.3f} |")


if __name__ == "__main__":
    main()
