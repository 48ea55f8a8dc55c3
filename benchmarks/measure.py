"""What the benchmarks share: interleaved timing, the machine's description, tables."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

Run = Callable[[], object]
T = TypeVar("T")

FAST_MATH = (
    "-fno-math-errno", "-fno-signed-zeros", "-fno-trapping-math", "-fassociative-math", "-freciprocal-math",
    "-ffinite-math-only",
)  # fmt: skip
"""What -ffast-math does to code. With that flag itself, a library would also make the process that loads it take
subnormal numbers for zero."""
ROUNDS = 15
SAMPLE_SECONDS = 0.03


def on_cores(threads: int) -> None:
    """Has the parallel loops of what is loaded from now on run on so many threads, each on a core of its own: a system
    may leave them all on one core, as one with two virtual processors did."""
    os.environ |= {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true" if threads > 1 else "false"}


def seconds(*rivals: Run) -> list[float]:
    """Seconds a call of each rival takes: the median of rounds in which they take turns, so that what
    else the machine does meets all of them."""
    calls = [max(1, round(SAMPLE_SECONDS / max(_sample(run, 1), 1e-7))) for run in rivals]
    rounds = [[_sample(run, n) for run, n in zip(rivals, calls, strict=True)] for _ in range(ROUNDS)]
    return [median(column) for column in zip(*rounds, strict=True)]


def _sample(run: Run, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def machine(threads: str) -> str:
    """The processor and the versions that matter."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    model = told.get("model name") or platform.processor()
    if "cpu family" in told:  # of two processors with one name
        model += f" (family {told['cpu family']}, model {told['model']})"
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    versions = f"Python {platform.python_version()}, NumPy {np.__version__} with {blas['name']} {blas['version']}"
    return f"{model}, {os.cpu_count()} cores; {versions}; {threads}; {date.today()}"


def told(things: Sequence[T], doing: str) -> Iterator[T]:
    """The things, one by one, while a terminal shows how many of them are done."""
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        yield from progress.track(things, description=doing)


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], threads: str = "one thread") -> None:
    """Print a table with the machine's description."""
    table = Table(*columns, title=title, caption=machine(threads))
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*(f"{x:.2f}" if isinstance(x, float) else str(x) for x in row))
    Console(width=110).print(table)
