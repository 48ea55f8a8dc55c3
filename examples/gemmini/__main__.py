"""Products of several sizes: rewrites, time, and what the model counts. Run as `python -m examples.gemmini`."""

from __future__ import annotations

from itertools import product
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from backends.gemmini import Counts, simulate
from exo_strat import Proc

from .matmul import better_steps, blocking, matmul, scheduled, steps

SIZES = ((64, 64, 64), (256, 256, 512), (512, 512, 512))


Matrix = NDArray[np.int8]


def expected(a: Matrix, b: Matrix, scale: float, act: bool) -> Matrix:
    """The product by NumPy: int32 sums, scaled in float32, rounded to even, clamped."""
    sums = a.astype(np.int32) @ b.astype(np.int32)
    rounded = np.clip(np.rint(sums.astype(np.float32) * np.float32(scale)), -128, 127)
    result: Matrix = (np.maximum(rounded, 0) if act else rounded).astype(np.int8)
    return result


def measured(p: Proc, n: int, m: int, k: int, scale: float = 0.01, act: bool = True) -> tuple[Counts, bool]:
    """What the model counts for random operands, and whether the result is right."""
    rng = np.random.default_rng(n + m + k)
    a, b = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((n, k), (k, m)))
    c = rng.integers(-128, 128, (n, m), dtype=np.int8)
    counts = simulate(p)(scale, act, a, b, c)
    return counts, bool(np.array_equal(c, expected(a, b, scale, act)))


def main() -> None:
    """A row for each size."""
    for plan in (steps, better_steps):
        plan(blocking(16, 16))  # the target's own derivations are no part of a schedule's time
    print("as in the paper; with + the better schedule")
    print("size         rewrites  seconds  instructions  configs  bytes in  least    bytes out  estimated use  equal")
    for (n, m, k), better in product(SIZES, (False, True)):
        start = perf_counter()
        p = scheduled(n, m, k, better)
        seconds = perf_counter() - start
        counts, equal = measured(p, n, m, k)
        size, rewrites = f"{n}x{m}x{k}{'+' * better}", len(p.history()) - len(matmul(n, m, k).history())
        print(
            f"{size:<13}{rewrites:<10}{seconds:<9.2f}{counts.instructions:<14}{counts.configs:<9}{counts.bytes_in:<10}"
            f"{(n + m) * k:<9}{counts.bytes_out:<11}{counts.utilisation:<15.0%}{'yes' if equal else 'NO'}"
        )


if __name__ == "__main__":
    main()
