"""The processor's peak: fused multiply-adds on registers and nothing else, as a kernel of our own.

    python -m benchmarks.peak
"""

from __future__ import annotations

import numpy as np

from backends.jit import jit
from backends.targets import available_targets
from benchmarks.measure import Run, seconds, show
from exo_strat import Machine, proc_from_source


def multiply_adds(machine: Machine) -> tuple[Run, float]:
    """A run of single-precision fused multiply-adds on vector registers, and how many GFLOP it makes."""
    width, chains = machine.vec_width("f32"), machine.registers - 6
    prefix = "mm512" if width == 16 else "mm256"
    names = ("fmadd", "loadu", "set1_value", "storeu")
    instructions = {n: machine.instruction(f"{prefix}_{n}_ps") for n in names}
    memory = machine.mem_type
    body = "\n        ".join(f"fmadd(a, b, c[{i}, 0:{width}])" for i in range(chains))
    # the chains start with different values, or the C compiler would run one for all
    source = f"""
def peak(n: size, x: f32, out: f32[{chains}, {width}]):
    a: f32[{width}] @ {memory.name}
    b: f32[{width}] @ {memory.name}
    c: f32[{chains}, {width}] @ {memory.name}
    set1_value(a[0:{width}], x)
    set1_value(b[0:{width}], x)
    {"; ".join(f"loadu(c[{i}, 0:{width}], out[{i}, 0:{width}])" for i in range(chains))}
    for k in seq(0, n):
        {body}
    {"; ".join(f"storeu(out[{i}, 0:{width}], c[{i}, 0:{width}])" for i in range(chains))}
"""
    kernel = jit(proc_from_source(source, {**instructions, memory.name: memory}), machine)
    n, out = 100_000, np.random.default_rng(0).random((chains, width), np.float32)
    return lambda: kernel(n, 0.5, out), 2 * n * chains * width / 1e9


if __name__ == "__main__":
    machines = [m for m in available_targets() if m.vec_widths]
    runs = [multiply_adds(m) for m in machines]
    times = seconds(*(run for run, _ in runs))
    rows = [(m.name, work / t) for m, (_, work), t in zip(machines, runs, times, strict=True)]
    show("Peak, f32 multiply-add", ("target", "GFLOP/s"), rows)
