"""The image pipelines beside Halide (its own schedules and what we found for it) and plain C, in one run.

    python -m benchmarks.halide [--quick] [WIDTHxHEIGHT ...]

For one thread and for two, at each size: all rivals take turns, the median of the rounds counts, and so does what
the machine can do at most, copying and multiply-adds, which take turns with them. First all must agree.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from rich.console import Console

from backends.targets import best_machine
from benchmarks.halide_rivals import OURS, PIPELINES, Pipeline, Rival, rivals
from benchmarks.measure import show
from benchmarks.peak import multiply_adds
from examples.halide import blur, unsharp
from exo_strat import Op, schedule, trace

SIZES = ((1280, 960), (1283, 961), (2560, 1920), (2557, 1919), (5120, 2560))
THREADS = (1, 2)
NUMBERS = "one thread and two"
SAMPLE_SECONDS = 0.02
LINE = 32
"""Numbers in two lines of the caches, as Halide aligns."""
PAPER = {"blur": ("6", "116", "5"), "unsharp": ("26", "975", "13")}
"""Lines and rewrites in the paper's Figure 13c, and lines in Halide."""

# -- measurements -------------------------------------------------------------------------------------


class Column(NamedTuple):
    """What a size takes on so many threads: nanoseconds a pixel for each rival, GB/s of copying, GFLOP/s at most."""

    size: tuple[int, int]
    threads: int
    times: list[float]
    bandwidth: float
    peak: float

    @property
    def title(self) -> str:
        return f"{self.size[0]}x{self.size[1]}\n{self.threads} thread{'s' * (self.threads > 1)}"


def medians(runs: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Seconds a call takes, in rounds in which all take turns. The first call of a turn does not count: it finds the
    caches and the threads of another."""
    calls = [max(1, round(SAMPLE_SECONDS / _sample(run, 1))) for run in runs]
    taken = [[_sample(run, n) for run, n in zip(runs, calls, strict=True)] for _ in range(rounds)]
    return [median(column) for column in zip(*taken, strict=True)]


def _sample(run: Callable[[], object], calls: int) -> float:
    run()
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def image(p: Pipeline, width: int, height: int) -> np.ndarray:
    """A random image with its border."""
    shape = (*p.planes, height + p.border, width + p.border)
    found = aligned(shape)
    found[:] = np.random.default_rng(0).random(shape, np.float32) * np.float32(0.9) + np.float32(0.1)
    return found


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Zeros that begin at a line of the caches, as images that Halide allocates do; NumPy's begin anywhere."""
    room = np.zeros(prod(shape) + LINE, np.float32)
    first = -room.ctypes.data // room.itemsize % LINE
    return room[first : first + prod(shape)].reshape(shape)


def measured(
    p: Pipeline, rivals: Sequence[Rival], copying: Rival, size: tuple[int, int], threads: int, rounds: int
) -> Column:
    """Raises `AssertionError` if the rivals disagree."""
    width, height = size
    inp, out = image(p, width, height), aligned((*p.planes, height, width))
    for r in (*rivals, copying):
        r.threads(threads)
    rivals[0].run(height, width, inp, out)
    first = out.copy()
    for r in rivals:
        out[:] = 0
        r.run(height, width, inp, out)
        assert np.allclose(out, first, rtol=1e-4, atol=1e-4), f"{r.name} computes something else at {width}x{height}"
    adds, work = multiply_adds(best_machine())
    images = [_bound(r, height, width, inp, out) for r in rivals]
    lines = out.size // width
    *times, copied, added = medians([*images, _bound(copying, lines, width, first, out), adds], rounds)
    pixels = width * height
    return Column(size, threads, [t * 1e9 / pixels for t in times], out.nbytes * 2e-9 / copied, threads * work / added)


def _bound(r: Rival, h: int, w: int, inp: np.ndarray, out: np.ndarray) -> Callable[[], object]:
    return lambda: r.run(h, w, inp, out)


# -- tables -------------------------------------------------------------------------------------------


def ratios(rivals: Sequence[Rival], columns: Sequence[Column], published: bool) -> list[float]:
    """By how much ours, the first, is faster than the best of the others at each size."""

    def others(c: Column) -> Iterator[float]:
        for r, t in zip(rivals, c.times, strict=True):
            if not r.name.startswith("ours") and (r.published or not published):
                yield t

    return [min(others(c)) / c.times[0] for c in columns]


def summary(name: str, rivals: Sequence[Rival], columns: Sequence[Column]) -> list[tuple[object, ...]]:
    """Ratios for each number of threads, their geometric mean last."""
    rows: list[tuple[object, ...]] = []
    for threads in THREADS:
        some = [c for c in columns if c.threads == threads]
        for what, published in (("published schedules and C", True), ("all", False)):
            found = ratios(rivals, some, published)
            rows.append((f"{name}, {threads}, {what}", *found, prod(found) ** (1 / len(found))))
    return rows


def limits(name: str, columns: Sequence[Column]) -> list[tuple[object, ...]]:
    """Ours beside the machine's limits."""
    p = PIPELINES[name]
    rows: list[tuple[object, ...]] = []
    for c in columns:
        moved, done = p.bytes / c.times[0], p.flops / c.times[0]
        where = f"{name}, {c.size[0]}x{c.size[1]}, {c.threads}"
        share = f"{moved / c.bandwidth:.0%}", f"{done / c.peak:.0%}"
        rows.append((where, f"{moved:.1f}", f"{c.bandwidth:.1f}", share[0], f"{done:.1f}", f"{c.peak:.0f}", share[1]))
    return rows


def lines(make: Callable[..., Op]) -> int:
    """The lines of a schedule: what stands between the parentheses that it returns."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(make)))
    made = next(n.value for n in ast.walk(tree) if isinstance(n, ast.Return))
    assert isinstance(made, ast.Call) and made.args
    return (made.args[-1].end_lineno or 0) - made.args[0].lineno + 1


def scheduling() -> list[tuple[object, ...]]:
    """Lines, rewrites and seconds of each schedule, and the published figures."""
    rows: list[tuple[object, ...]] = []
    for name, module in (("blur", blur), ("unsharp", unsharp)):
        naive = PIPELINES[name].naive
        for which in module.SCHEDULES:
            make: Callable[[], Op] = getattr(module, which.lower().replace(" ", "_"))
            op = PIPELINES[name].schedules[which]
            start = time.perf_counter()
            schedule(op, naive)
            taken = time.perf_counter() - start
            rows.append((f"{name}, {which}", lines(make), trace(op, naive)[1].counts.rewrites, f"{taken:.3f}"))
        exo, rewrites, halide = PAPER[name]
        rows += [(f"{name}, Figure 13c", exo, rewrites, "-"), (f"{name}, Halide there", halide, "-", "-")]
    return rows


def _show(name: str, rivals: Sequence[Rival], columns: Sequence[Column], per: int = 5) -> None:
    """Nanoseconds a pixel, some columns at a time."""
    for at in range(0, len(columns), per):
        some = columns[at : at + per]
        rows = [(r.name, *(f"{c.times[k]:.3f}" for c in some)) for k, r in enumerate(rivals)]
        show(f"{name}: nanoseconds a pixel", ("rival", *(c.title for c in some)), rows, NUMBERS)


def main(sizes: Sequence[tuple[int, int]], rounds: int) -> None:
    """All tables."""
    # read when OpenMP is loaded: its threads are not to spin into the turn of another rival
    os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    show("Schedules", ("schedule", "lines", "rewrites", "seconds"), scheduling())
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, console.status("compiling") as status:
        found, copying = rivals(Path(folder))
        gained: list[tuple[object, ...]] = []
        reached: list[tuple[object, ...]] = []
        for name, some in found.items():
            columns: list[Column] = []
            for threads in THREADS:
                for size in sizes:
                    status.update(f"{name}, {size[0]}x{size[1]}, {threads} threads")
                    columns.append(measured(PIPELINES[name], some, copying, size, threads, rounds))
            _show(name, some, columns, len(sizes))
            gained += summary(name, some, columns)
            reached += limits(name, columns)
    named = tuple(f"{w}x{h}" for w, h in sizes)
    title = f"How many times as fast ours ({OURS}) is as the best of the others"
    show(title, ("pipeline, threads, others", *named, "mean"), gained, NUMBERS)
    titles = ("ours at", "GB/s", "copying", "share", "GFLOP/s", "peak", "share")
    show("What must come and go, and the machine's limits", titles, reached, NUMBERS)


def arguments(given: Iterable[str] | None = None) -> argparse.Namespace:
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.halide")
    parser.add_argument("sizes", nargs="*", metavar="WIDTHxHEIGHT")
    parser.add_argument("--quick", action="store_true", help="two sizes and few rounds")
    return parser.parse_args(given if given is None else list(given))


if __name__ == "__main__":
    asked = arguments()
    chosen = [(int(w), int(h)) for w, h in (x.split("x") for x in asked.sizes)]
    main(chosen or (SIZES[:2] if asked.quick else SIZES), 5 if asked.quick else 11)
