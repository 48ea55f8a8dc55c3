"""Image pipelines beside Halide (its autoschedulers, its own schedules, what we found for it), Exo and plain C.

    python -m benchmarks.halide [WIDTHxHEIGHT ..] [--pipelines blur ..] [--threads 1 2] [--budget 60] [--quick]

First all are tuned: our schedules by a search over their holes, Halide's by its autoschedulers with one set of
parameters after another, for `budget` seconds each. Then all must agree, and take turns; the median of the rounds
counts, without the time in which other programs had the processor. So does what the machine can do at most, copying and
multiply-adds, which take turns with them.

What was tuned and measured is kept in a folder (`--folder`), so that it can be done in pieces:

    python -m benchmarks.halide --folder found --only tune --pipelines blur
    python -m benchmarks.halide --folder found --only measure --pipelines blur --threads 1
    python -m benchmarks.halide --folder found --only show

`--exo C` is a folder with the C of Exo's own schedules for blur, which is of 16-bit integers there, and unsharp mask.
It is made in a checkout of its repository, github.com/exo-lang/exo, with `pip install exo-lang`; unsharp takes minutes:

    cd apps/x86/halide/blur && exocc -o C/blur --stem blur blur.py
    cd apps/x86/halide/unsharp && exocc -o C/unsharp --stem unsharp unsharp.py
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import inspect
import json
import os
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby, product
from math import prod
from pathlib import Path
from statistics import median

import numpy as np

from backends.measuring import elapsed, now
from backends.targets import best_machine
from benchmarks.halide_pipelines import PIPELINES, aligned
from benchmarks.halide_rivals import (
    AUTOSCHEDULERS,
    LANES,
    WRITTEN,
    Call,
    Halide,
    Rival,
    compile_halide,
    in_c,
    in_exo,
    in_halide,
    ours,
    plain,
)
from benchmarks.halide_search import our_values, theirs
from benchmarks.measure import show
from benchmarks.peak import peak_run
from examples.halide import blur, unsharp
from exo_strat import Op, schedule, trace

Library = tuple[str, Sequence[str], str]
"""A schedule in Halide, its options, and the shared library."""
SAMPLE_SECONDS = 0.02
BUDGET = 60.0
ROUNDS = 11
NUMBERS = "one thread and two"
TOLERANCE = 1e-3
"""By how much results may differ, of numbers around 1: sums are made in any order."""
PAPER = {"blur": ("6", "116", "5"), "unsharp": ("26", "975", "13")}
"""Lines and rewrites in the paper's Figure 13c, and lines in Halide."""


@dataclass(frozen=True)
class Job:
    """A pipeline at a size on so many threads."""

    pipeline: str
    width: int
    height: int
    threads: int

    def __str__(self) -> str:
        return f"{self.pipeline}_{self.width}x{self.height}_{self.threads}"

    @property
    def where(self) -> str:
        """As tables call it."""
        return f"{self.pipeline}, {self.width}x{self.height}, {self.threads}"


@dataclass(frozen=True)
class Measured:
    """Nanoseconds a pixel of each rival, who is missing and why, GB/s of copying, GFLOP/s at most."""

    times: dict[str, float]
    missing: dict[str, str]
    bandwidth: float
    peak: float


# -- tuning -------------------------------------------------------------------------------------------


def tuned(folder: Path, jobs: Sequence[Job], seconds: float) -> None:
    """Tune and compile everything for jobs; what it came to goes into the folder. On any number of threads ours has
    the same values."""
    for (pipeline, *size), some in groupby(jobs, lambda job: (job.pipeline, job.width, job.height)):
        values, said = our_values(pipeline, (size[0], size[1]), seconds)
        for job in some:
            halide, missing = tuned_halide(folder, job, seconds)
            found = {"ours": values, "search": said, "halide": halide, "missing": missing}
            (folder / f"{job}.tuned.json").write_text(json.dumps(found, indent=1))


def tuned_halide(folder: Path, job: Job, seconds: float) -> tuple[dict[str, Library], dict[str, str]]:
    """What Halide makes of a job, and what it does not and why."""
    size, missing = (job.width, job.height), dict[str, str]()
    if PIPELINES[job.pipeline].numbers is not np.float32:
        return {}, {"Halide": "benchmarks/halide_peer.py has the pipelines in floating point"}
    libraries: dict[str, Library] = {}
    try:
        for name, made in theirs(folder, job.pipeline, size, job.threads, seconds).items():
            if isinstance(made, str):
                missing[f"Halide {name}"] = made
            else:
                libraries[f"Halide {name}"] = (made.halide.schedule, made.halide.options, made.library)
        for name, lanes in product(WRITTEN.get(job.pipeline, ()), LANES):
            written = Halide(name, (f"lanes={lanes}",))
            library = folder / f"{name}_{lanes}.so"
            if not library.exists():
                compile_halide(folder, library.stem, job.pipeline, size, written)
            title = f"Halide {name.removeprefix(f'{job.pipeline}_')} {lanes}"
            libraries[title] = (written.schedule, written.options, str(library))
    except (OSError, subprocess.CalledProcessError) as e:
        missing["Halide"] = str(e)
    return libraries, missing


# -- measurements -------------------------------------------------------------------------------------


def medians(runs: Sequence[Call], rounds: int) -> list[float]:
    """Seconds a call takes, in rounds in which all take turns. The first call of a turn does not count: it finds the
    caches and the threads of another."""
    calls = [max(1, round(SAMPLE_SECONDS / _sample(run, 1))) for run in runs]
    taken = [[_sample(run, n) for run, n in zip(runs, calls, strict=True)] for _ in range(rounds)]
    return [median(column) for column in zip(*taken, strict=True)]


def _sample(run: Call, calls: int) -> float:
    run()
    start = now()
    for _ in range(calls):
        run()
    return elapsed(start, now()) / calls


def measured(folder: Path, job: Job, rounds: int, exo: Path | None = None) -> None:
    """Measure what was tuned for a job, and what is in the folder of Exo's C.

    Raises `AssertionError` if the rivals disagree."""
    found = json.loads((folder / f"{job}.tuned.json").read_text())
    in_plain_c = plain(folder)
    rivals = [ours("ours", job.pipeline, {}, in_plain_c.threads)]
    if found["ours"]:
        rivals = [ours("ours, tuned", job.pipeline, found["ours"], in_plain_c.threads), *rivals]
    rivals += [in_c(in_plain_c, name) for name in PIPELINES[job.pipeline].plain]
    for name, (which, options, library) in found["halide"].items():
        rivals.append(replace(in_halide(Path(library), Halide(which, tuple(options))), name=name))
    missing = found["missing"]
    try:
        if exo is not None:
            rivals.append(in_exo(exo, folder, job.pipeline, (job.width, job.height), in_plain_c.threads))
    except LookupError as e:
        missing = {**missing, "Exo": str(e)}
    times, bandwidth, peak = timed(job, rivals, in_plain_c, rounds)
    result = Measured(times, missing, bandwidth, peak)
    (folder / f"{job}.measured.json").write_text(json.dumps(asdict(result), indent=1))


def timed(
    job: Job, rivals: Sequence[Rival], in_plain_c: ctypes.CDLL, rounds: int
) -> tuple[dict[str, float], float, float]:
    """Nanoseconds a pixel of each, GB/s of copying, GFLOP/s at most."""
    p, pixels = PIPELINES[job.pipeline], job.width * job.height
    arrays = p.arrays(job.width, job.height)
    out = arrays[list(arrays)[-1]]
    for r in rivals:
        r.threads(job.threads)
    calls = [r.bind(job.width, job.height, arrays) for r in rivals]
    wanted = np.empty_like(out)
    for r, call in zip(rivals, calls, strict=True):
        out[:] = 0
        call()
        if r is rivals[0]:
            wanted[:] = out
        exact = out.dtype.kind != "f"
        close = np.array_equal(out, wanted) if exact else np.allclose(out, wanted, rtol=TOLERANCE, atol=TOLERANCE)
        assert close, f"{r.name} computes something else: {job}"
    adds, work = peak_run(best_machine())
    words = out.nbytes // 4 // job.height
    copied_to = aligned(out.shape, p.numbers)
    copy = in_c(in_plain_c, "copy").bind(words, job.height, {"from": wanted, "to": copied_to})
    *times, copied, added = medians([*calls, copy, adds], rounds)
    named = {r.name: t * 1e9 / pixels for r, t in zip(rivals, times, strict=True)}
    return named, out.nbytes * 2e-9 / copied, job.threads * work / added


# -- tables -------------------------------------------------------------------------------------------


def best(times: dict[str, float], who: Callable[[str], bool]) -> tuple[str, float] | None:
    """Who of some takes least, and how long."""
    some = {name: t for name, t in times.items() if who(name)}
    return min(some.items(), key=lambda x: x[1]) if some else None


def is_ours(name: str) -> bool:
    """Whether a rival is a schedule of ours."""
    return name.startswith("ours")


def is_automatic(name: str) -> bool:
    """Whether a rival was made by an autoscheduler."""
    return name in [f"Halide {x}" for x in AUTOSCHEDULERS]


def compared(results: dict[Job, Measured]) -> list[tuple[object, ...]]:
    """Ours beside the best autoscheduler and the best of all others."""
    rows: list[tuple[object, ...]] = []
    for job, m in results.items():
        mine, auto = best(m.times, is_ours), best(m.times, is_automatic)
        rest = best(m.times, lambda name: not is_ours(name))
        assert mine is not None
        row: list[object] = [job.where, f"{mine[1]:.3f}"]
        for other in (auto, rest):
            row += ["-", "missing", "-"] if other is None else [other[0], f"{other[1]:.3f}", other[1] / mine[1]]
        rows.append(tuple(row))
    return rows


def limits(results: dict[Job, Measured]) -> list[tuple[object, ...]]:
    """Ours beside the machine's limits."""
    rows: list[tuple[object, ...]] = []
    for job, m in results.items():
        p, mine = PIPELINES[job.pipeline], best(m.times, is_ours)
        assert mine is not None
        moved, done = p.bytes(job.width, job.height) / mine[1], p.flops / mine[1]
        share = f"{moved / m.bandwidth:.0%}", f"{done / m.peak:.0%}"
        rows.append(
            (job.where, f"{moved:.1f}", f"{m.bandwidth:.1f}", share[0], f"{done:.1f}", f"{m.peak:.0f}", share[1])
        )
    return rows


def lines(make: Callable[..., Op]) -> int:
    """The lines of a schedule: what stands between the parentheses that it returns."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(make)))
    made = next(n.value for n in ast.walk(tree) if isinstance(n, ast.Return))
    assert isinstance(made, ast.Call) and made.args
    return (made.args[-1].end_lineno or 0) - made.args[0].lineno + 1


def scheduling() -> list[tuple[object, ...]]:
    """Lines, rewrites and seconds of each schedule of the paper's two pipelines, and the published figures."""
    rows: list[tuple[object, ...]] = []
    for name, module in (("blur", blur), ("unsharp", unsharp)):
        naive = PIPELINES[name].naive
        for which, op in module.SCHEDULES.items():
            make: Callable[[], Op] = getattr(module, which.lower().replace(" ", "_"))
            start = time.perf_counter()
            schedule(op, naive)
            taken = time.perf_counter() - start
            rows.append((f"{name}, {which}", lines(make), trace(op, naive)[1].counts.rewrites, f"{taken:.3f}"))
        exo, rewrites, halide = PAPER[name]
        rows += [(f"{name}, Figure 13c", exo, rewrites, "-"), (f"{name}, Halide there", halide, "-", "-")]
    return rows


def shown(folder: Path, jobs: Iterable[Job]) -> None:
    """All tables of what the folder has of some jobs."""
    show("Schedules", ("schedule", "lines", "rewrites", "seconds"), scheduling())
    files = {job: folder / f"{job}.measured.json" for job in jobs}
    results = {job: Measured(**json.loads(f.read_text())) for job, f in files.items() if f.exists()}
    for job, m in results.items():
        rows: list[tuple[object, ...]] = [(name, f"{t:.3f}") for name, t in sorted(m.times.items(), key=lambda x: x[1])]
        rows += [(name, f"missing: {why}") for name, why in m.missing.items()]
        show(f"{job.where} threads: nanoseconds a pixel", ("rival", "ns"), rows, NUMBERS)
    titles = ("pipeline, size, threads", "ours", "best autoscheduler", "ns", "ratio", "best of all", "ns", "ratio")
    show("How many times as fast ours is as others (nanoseconds a pixel)", titles, compared(results), NUMBERS)
    for threads in sorted({job.threads for job in results}):
        found = [r[4] for r, job in zip(compared(results), results, strict=True) if job.threads == threads]
        ratios = [x for x in found if isinstance(x, float)]
        if ratios:
            mean = prod(ratios) ** (1 / len(ratios))
            print(f"{threads} thread(s): {mean:.2f} of the best autoscheduler in the mean, {min(ratios):.2f} at least")
    at = ("ours at", "GB/s", "copying", "share", "GFLOP/s", "peak", "share")
    show("What must come and go, and the machine's limits", at, limits(results), NUMBERS)


# -- the command --------------------------------------------------------------------------------------


def jobs_of(asked: argparse.Namespace) -> list[Job]:
    """What is asked for."""
    given = [tuple(map(int, x.split("x"))) for x in asked.sizes]
    return [
        Job(name, size[0], size[1], threads)
        for name in asked.pipelines
        for size in (given or PIPELINES[name].images[: 1 if asked.quick else None])
        for threads in asked.threads
    ]


def main(asked: argparse.Namespace, folder: Path) -> None:
    """Tune, measure and show."""
    # read when OpenMP is loaded: its threads are not to spin into the turn of another rival
    os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    folder.mkdir(parents=True, exist_ok=True)
    jobs = jobs_of(asked)
    if "tune" in asked.only:
        tuned(folder, jobs, asked.budget)
    for job in jobs if "measure" in asked.only else ():
        measured(folder, job, 5 if asked.quick else ROUNDS, asked.exo)
    if "show" in asked.only:
        shown(folder, jobs)


def arguments(given: Iterable[str] | None = None) -> argparse.Namespace:
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.halide")
    parser.add_argument("sizes", nargs="*", metavar="WIDTHxHEIGHT")
    parser.add_argument("--pipelines", nargs="+", choices=PIPELINES, default=list(PIPELINES))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of tuning for each of ours and theirs")
    parser.add_argument("--folder", type=Path, help="where what was tuned and measured is kept")
    parser.add_argument("--only", nargs="+", choices=("tune", "measure", "show"), default=["tune", "measure", "show"])
    parser.add_argument("--exo", type=Path, help="a folder of C that exocc made of Exo's own schedules")
    parser.add_argument("--quick", action="store_true", help="one size and few rounds")
    return parser.parse_args(given if given is None else list(given))


if __name__ == "__main__":
    parsed = arguments()
    if parsed.folder is not None:
        main(parsed, parsed.folder)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(parsed, Path(temporary))
