"""How long scheduling takes: the demos' schedules, those of image pipelines and for Gemmini, and schedules that
exo-lang runs line by line, too.

    python -m benchmarks.schedule_time [--blas]

With `--blas`, those of the BLAS only: all variants of some routines, and the whole library, scheduled and compiled.
Of the latter each run is a process of its own, ours and exo-lang's in turns; imports don't count.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median
from typing import Annotated
from unittest.mock import patch

import typer

from backends.targets import available_targets, avx2, avx512
from backends.toolchain import CACHE_VARIABLE
from benchmarks.common_schedules import SCHEDULES
from benchmarks.measure import show, told
from benchmarks.peers import python_with
from examples.exo_blas.builder.catalogue import catalogue
from examples.exo_blas.builder.library import build
from examples.exo_blas.builder.units import kernels_of, units
from examples.gemmini import appendix_b, matmul
from examples.halide import blur, unsharp
from exo_strat import Op, Proc, schedule, trace
from exo_strat.cli.demo import rewrites
from strategies import demos

REPEATS = 5
PAPER, BETTER = appendix_b.case(256, 256, 512), matmul.case(matmul.Product(256, 256, 512))
IMAGES: tuple[tuple[str, Callable[[], Op], Proc, str], ...] = (
    ("blur, paper", blur.paper, blur.blur, "about 5"),
    ("blur, groups", blur.groups, blur.blur, "about 5"),
    ("unsharp, rows", unsharp.rows, unsharp.unsharp, "about 97"),
    ("unsharp, groups", unsharp.groups, unsharp.unsharp, "about 97"),
    *((f"Gemmini, {case.name}", case.plan, case.naive(), "about 11") for case in (PAPER, BETTER)),
)
"""Schedules of pipelines and of a matrix product for Gemmini, and the seconds published for exo-lang's (its package has
no Halide library to run)."""
BLAS = {"axpy": "41", "dot": "18", "asum": "39", "rot": "44", "gemv": "210", "trmv": "300"}
"""Routines, and the seconds that exo-lang's newest source takes for all its variants on such a machine."""
COMMON = Path(__file__).with_name("common_schedules.py")


def ours() -> list[tuple[object, ...]]:
    """The demos' schedules: rewrites made, seconds the first time and the median of all."""
    rows: list[tuple[object, ...]] = []
    kernels = (demos.sgemm, demos.gemv_n, demos.gemv_t, demos.axpy)
    for machine, demo in told([*product(reversed(available_targets()), kernels)], "demos"):
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            p = demo.schedule(machine)
            times.append(time.perf_counter() - start)
        rows.append((f"{demo.name}, {machine.name}", rewrites(p), f"{times[0]:.3f}", f"{median(times):.3f}"))
    return rows


def images() -> list[tuple[object, ...]]:
    """The pipelines' schedules: rewrites made, seconds the first time and the median of all, exo-lang's."""
    rows: list[tuple[object, ...]] = []
    for name, make, naive, published in told(IMAGES, "images, Gemmini"):
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            schedule(make(), naive)
            times.append(time.perf_counter() - start)
        count = trace(make(), naive)[1].counts.rewrites
        rows.append((name, count, f"{times[0]:.3f}", f"{median(times):.3f}", published))
    return rows


def blas() -> list[tuple[object, ...]]:
    """All variants of routines, in both precisions, for AVX2 and AVX-512; then the whole library, nothing kept."""
    rows: list[tuple[object, ...]] = []
    for routine, theirs in told([*BLAS.items()], "routines"):
        kernels = [k for u in units() if u.wrapper == routine for _, k in kernels_of(u)]
        start = time.perf_counter()
        counts = [rewrites(k.scheduled(m)) for m in (avx2, avx512) for k in kernels]
        rows.append((routine, len(counts), sum(counts), f"{time.perf_counter() - start:.2f}", theirs))
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {CACHE_VARIABLE: folder}):
        start = time.perf_counter()
        build(Path(folder) / "blas")
        taken = time.perf_counter() - start
    return [*rows, ("the library, with C, two processes", len(catalogue()), "-", f"{taken:.1f}", "-")]


def beside_exo_lang() -> list[tuple[object, ...]]:
    """The common schedules: milliseconds here and there, and how many times faster ours is."""
    pythons = {"ours": Path(sys.executable), "exo-lang": python_with("exo-lang")}
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for who, python in told([*pythons.items()] * REPEATS, "beside exo-lang"):
        command = [str(python), str(COMMON), *SCHEDULES]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            name, seconds, _ = line.split()
            found[name, who].append(float(seconds))
    both = {name: [median(found[name, who]) * 1e3 for who in pythons] for name in SCHEDULES}
    return [(name, f"{a:.1f}", f"{b:.1f}", f"{b / a:.1f}") for name, (a, b) in both.items()]


def main(
    blas_only: Annotated[bool, typer.Option("--blas", help="The table of the BLAS only, else all.")] = False,
) -> None:
    """How long scheduling takes: all tables take about ten minutes."""
    titles = ("routine", "kernels", "rewrites", "seconds", "exo-lang, s")
    show("Schedules of the BLAS, AVX2 and AVX-512", titles, blas())
    if blas_only:
        return
    show("Schedules of the demos", ("schedule", "rewrites", "first, s", "median, s"), ours())
    columns = ("schedule", "rewrites", "first, s", "median, s", "exo-lang, published, s")
    show("Schedules of image pipelines and for Gemmini", columns, images())
    show("Beside exo-lang", ("schedule", "ours, ms", "exo-lang, ms", "times faster"), beside_exo_lang())


if __name__ == "__main__":
    typer.run(main)
