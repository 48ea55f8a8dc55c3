"""Kernels of the demos beside NumPy, and beside the processor's peak.

    python -m benchmarks.kernels [NAME ..]
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
import typer

from backends.jit import jit
from backends.targets import available_targets
from benchmarks.measure import seconds, show
from benchmarks.peak import peak_run
from exo_strat import Machine
from strategies import demos
from strategies.demos import Demo, Shape

DEMOS: dict[str, tuple[Demo, tuple[Shape, ...]]] = {
    "sgemm": (demos.sgemm, tuple((n, n, n) for n in (64, 127, 256, 512, 1000, 1024, 1536, 2048))),
    "gemv": (demos.gemv_n, tuple((n, n) for n in (64, 255, 256, 1024, 2048))),
    "gemv_t": (demos.gemv_t, tuple((n, n) for n in (64, 255, 256, 1024, 2048))),
    "axpy": (demos.axpy, ((1024,), (4096,), (65536,), (1 << 20,))),
}


def measure(name: str, machine: Machine) -> list[tuple[object, ...]]:
    """A row for each shape: our rate, NumPy's and their ratio; the peak, and our share of it."""
    demo, shapes = DEMOS[name]
    kernel = jit(demo.schedule(machine), machine)
    top = peak_run(machine) if machine.vec_widths else None
    rows: list[tuple[object, ...]] = []
    for shape in shapes:
        args = demo.inputs(shape, np.random.default_rng(0))
        work = demo.flops(shape) / 1e9
        times = seconds(partial(kernel, *args), demo.peer(args), *([top[0]] if top else []))
        ours, numpy = work / times[0], work / times[1]
        best = (top[1] / times[2], f"{ours * times[2] / top[1]:.0%}") if top else ("-", "-")
        rows.append((f"{name} {' x '.join(map(str, shape))}", ours, numpy, ours / numpy, *best))
    return rows


def main(
    kernels: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]..", help=f"Of {', '.join(DEMOS)}; else all.")
    ] = None,
) -> None:
    """Compares kernels of the demos with NumPy and the processor's peak, on each target that this processor can run."""
    unknown = sorted({*(kernels or ())} - {*DEMOS})
    if unknown:
        raise typer.BadParameter(f"no kernel is called {', '.join(unknown)}; there are {', '.join(DEMOS)}")
    for target in reversed(available_targets()):
        found = [row for name in kernels or DEMOS for row in measure(name, target)]
        show(target.name, ("kernel", "GFLOP/s", "NumPy", "ratio", "FMA peak", "of peak"), found)


if __name__ == "__main__":
    typer.run(main)
