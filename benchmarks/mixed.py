"""Sums at one precision of products of narrower numbers, beside what the C compiler makes of the loop.

    python -m benchmarks.mixed

The compiler may only reorder sums of floating-point numbers if it is told to: the last column is that.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from backends.bf16 import to_bf16
from backends.jit import jit
from backends.targets import available_targets
from benchmarks.measure import FAST_MATH, seconds, show
from exo_strat import Machine, Proc, at, proc_from_source, schedule
from strategies.blas.level1 import optimize_level_1

PAIRS = (("f32", "f64"), ("f16", "f32"), ("bf16", "f32"), ("u8", "f32"), ("i16", "f32"), ("i8", "i32"), ("i16", "i32"))
LENGTHS = (10_000, 100_000)
"""Long enough that the call from Python, which takes a few microseconds, does not count."""
DTYPES = {
    "bf16": np.uint16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "u8": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32,
}  # fmt: skip


def dot(narrow: str, wide: str) -> Proc:
    """The plain loop."""
    return proc_from_source(f"""
    def dot(n: size, x: {narrow}[n], y: {narrow}[n], s: {wide}):
        for i in seq(0, n):
            s += {wide}(x[i]) * {wide}(y[i])
    """)


def measure(narrow: str, wide: str, machine: Machine) -> list[tuple[object, ...]]:
    """A row for each length: how many products we do in a nanosecond, and of how many the compiler does each."""
    p = dot(narrow, wide)
    plan = schedule(at("for i in _: _", optimize_level_1(machine, wide)), p)
    kernels = (jit(plan, machine), jit(p, machine), jit(p, machine, FAST_MATH))
    rows = list[tuple[object, ...]]()
    for n in LENGTHS:
        rng = np.random.default_rng(n)
        numbers = [rng.integers(0, 4, n) for _ in "xy"]
        x, y = (to_bf16(a) if narrow == "bf16" else a.astype(DTYPES[narrow]) for a in numbers)
        s = np.zeros((), DTYPES[wide])
        ours, plain, fast = seconds(*(partial(kernel, n, x, y, s) for kernel in kernels))
        rows.append((f"{narrow} to {wide}", n, n / ours / 1e9, plain / ours, fast / ours))
    return rows


if __name__ == "__main__":
    for machine in (m for m in available_targets() if m.vec_widths):
        found = [row for pair in PAIRS for row in measure(*pair, machine)]
        columns = ("sum of products", "n", "1/ns", "gcc -O3 takes", "reordered")
        show(f"Mixed precision, {machine.name}", columns, found)
