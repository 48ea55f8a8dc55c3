"""The processor's peak: fused multiply-adds on registers and nothing else, as a kernel of our own.

    python -m benchmarks.peak
"""

from __future__ import annotations

import numpy as np

from backends.jit import jit
from backends.targets import available_targets
from benchmarks.measure import Run, seconds, show
from exo_strat import Machine
from strategies.limits import SPARE, multiply_adds


def peak_run(machine: Machine) -> tuple[Run, float]:
    """A run of single-precision fused multiply-adds on vector registers, and how many GFLOP it makes."""
    found = multiply_adds(machine)
    if found is None:
        raise ValueError(f"{machine} has no instructions for multiply-adds")
    p, operations = found
    kernel = jit(p, machine)
    n, out = 100_000, np.random.default_rng(0).random((machine.registers - SPARE, machine.vec_width("f32")), np.float32)
    return lambda: kernel(n, 0.5, out), n * operations / 1e9


if __name__ == "__main__":
    machines = [m for m in available_targets() if m.vec_widths]
    runs = [peak_run(m) for m in machines]
    times = seconds(*(run for run, _ in runs))
    rows = [(m.name, work / t) for m, (_, work), t in zip(machines, runs, times, strict=True)]
    show("Peak, f32 multiply-add", ("target", "GFLOP/s"), rows)
