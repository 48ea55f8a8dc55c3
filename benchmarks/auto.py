"""What `strategies.auto` makes of programs, beside plain C of our own by other compilers.

    python -m benchmarks.auto [--kernels NAME ..] [--scale small|medium|large] [--target NAME] [--strategy identity]
        [--threads 2] [--tune SECONDS]

The programs are those of `benchmarks.programs`. All are built with `-O3 -march=native` and what -ffast-math does to
code. Runs are interleaved, each on the same arguments; a time is the median. Results are compared with those of gcc.
The limit of the machine is what the operations take at its measured peak, or what the arguments take at its measured
bandwidth, whichever is longer. With several threads, ours share loops, as Polly's do; what one thread of ours takes
stands beside it, and what products that have nothing to do with each other gained before and after, whichever is less:
if that is little, others use the processors, and the program is measured again. With `--tune`, holes are filled by a
search of so many seconds for each program; what the defaults take stands beside it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

import numpy as np
import typer
from rich.console import Console

from backends.jit import jit
from backends.measuring import measuring
from backends.targets import available_targets
from benchmarks.measure import FAST_MATH, machine, on_cores, seconds
from benchmarks.peak import peak_run
from benchmarks.programs import PROGRAMS, SCALES, Program, class_of, sources
from benchmarks.threads import gain
from exo_strat import Machine, Op, identity, schedule
from exo_strat.cli.tuning import SCREEN
from exo_strat.tuning import tune as searched
from strategies.auto import auto
from strategies.ranking import cycles

FLAGS = ("-O3", "-march=native", *FAST_MATH, "-shared", "-fPIC", "-lm")
POLLY = ("-mllvm", "-polly")
SHARED = ("-mllvm", "-polly-parallel", "-lgomp")
"""What lets Polly's code share loops among threads."""
PEERS = {"gcc": ("gcc",), "clang": ("clang",), "clang, Polly": ("clang", *POLLY)}
"""The compilers, and what each is told besides the flags. The newest version that is installed is taken (`newest`)."""
SECONDS = 2.0
"""How long the rounds of one program may take; there is one at least."""
ROUNDS = 9
TRIES = 3
FREE = 0.9
"""On several threads a program is measured again, so often at most, while programs that have nothing to do with each
other gain less than this part of the number of threads: then others use the processors, too."""
BUFFER = 1 << 28
"""Bytes that are copied to measure the bandwidth of memory: more than caches hold."""

Call = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class Row:
    """What came of one program: seconds of ours and of each peer, of scheduling, and of the machine's limit; of ours on
    one thread, if it is measured on several, and what independent products gain; and with the defaults, if it was
    tuned."""

    name: str
    ours: float
    peers: Mapping[str, float]
    scheduling: float
    limit: float
    flops: int
    single: float | None = None
    independent: float | None = None
    untuned: float | None = None

    @property
    def ratio(self) -> float:
        """The best peer's time to ours."""
        return min(self.peers.values()) / self.ours

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        times = tuple(f"{1e3 * t:.2f}" for t in (self.ours, *self.peers.values()))
        for other in (self.single, self.untuned):
            if other is not None:
                times = (*times, f"{1e3 * other:.2f}", f"{other / self.ours:.2f}")
                if other is self.single and self.independent is not None:
                    times = (*times, f"{self.independent:.2f}")
        speed, share = f"{self.flops / self.ours / 1e9:.1f}", f"{self.limit / self.ours:.2f}"
        return self.name, class_of(self.name), *times, f"{self.ratio:.2f}", speed, share, f"{self.scheduling:.1f}"


def table(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """The rows as Markdown, with the geometric mean of the ratios and the worst.

    >>> print(table([Row("gemm", 0.001, {"gcc": 0.002}, 3.0, 0.0005, 10**7)], ["gcc"]))
    | program | class | ours, ms | gcc, ms | ratio | GFLOP/s | of the limit | scheduling, s |
    |---|---|--:|--:|--:|--:|--:|--:|
    | gemm | products | 1.00 | 2.00 | 2.00 | 10.0 | 0.50 | 3.0 |
    <BLANKLINE>
    Geometric mean of the best peer's time to ours: 2.00. Worst: gemm, 2.00.
    """
    heads = ["program", "class", "ours, ms", *(f"{p}, ms" for p in peers)]
    heads += ["one thread, ms", "gain"] if rows[0].single is not None else []
    heads += ["independent gain"] if rows[0].independent is not None else []
    heads += ["untuned, ms", "gain"] if rows[0].untuned is not None else []
    heads += ["ratio", "GFLOP/s", "of the limit", "scheduling, s"]
    lines = [f"| {' | '.join(heads)} |", "|---|---|" + "--:|" * (len(heads) - 2)]
    lines += [f"| {' | '.join(r.cells())} |" for r in rows]
    worst = min(rows, key=lambda r: r.ratio)
    mean = prod(r.ratio for r in rows) ** (1 / len(rows))
    gains = [r.single / r.ours for r in rows if r.single is not None]
    gain = f" Of one thread's time to ours: {prod(gains) ** (1 / len(rows)):.2f}." if gains else ""
    said = f"Geometric mean of the best peer's time to ours: {mean:.2f}. Worst: {worst.name}, {worst.ratio:.2f}.{gain}"
    return "\n".join([*lines, "", said])


# -- builds -------------------------------------------------------------------------------------------


def newest(compiler: str) -> str:
    """The newest version of a compiler that is installed under its name and a number, as clang-19 is; else its name."""
    folders = map(Path, os.environ.get("PATH", "").split(os.pathsep))
    found = {file.name for folder in folders for file in folder.glob(f"{compiler}-*")}
    numbers = [int(number) for name in found if (number := name.removeprefix(f"{compiler}-")).isdecimal()]
    return f"{compiler}-{max(numbers)}" if numbers else compiler


def version(compiler: str) -> str:
    """What a compiler says it is, in short: `clang-19 19.1.7`."""
    said = subprocess.run([compiler, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True).stdout
    return f"{compiler} {said.strip()}"


def built(folder: Path, threads: int) -> dict[str, ctypes.CDLL]:
    """The C of all programs by each peer that works here."""
    found = {}
    for name, (compiler, *more) in PEERS.items():
        library = folder / f"{name.replace(', ', '_')}.so"
        shared = SHARED if threads > 1 and "-polly" in more else ()
        command = [newest(compiler), *more, *map(str, sources()), "-o", str(library), *FLAGS, *shared]
        if shutil.which(command[0]) and not subprocess.run(command, capture_output=True).returncode:
            found[name] = ctypes.CDLL(str(library))
    return found


def entry(library: ctypes.CDLL, program: Program) -> Call:
    """A program's function in C."""
    function = getattr(library, program.name)
    function.restype = None

    def call(arguments: Mapping[str, Any]) -> None:
        function(*map(_passed, arguments.values()))

    return call


def _passed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_long(value)


# -- measurements -------------------------------------------------------------------------------------


def measured(
    runs: Sequence[Call], program: Program, sizes: Mapping[str, int]
) -> tuple[list[float], list[dict[str, Any]]]:
    """Median seconds of each run, in rounds in which they take turns, and what the first call of each left."""
    start = program.arguments(sizes)
    arguments = [program.arguments(sizes) for _ in runs]
    left = []
    for run, given in zip(runs, arguments, strict=True):
        run(given)
        left.append({name: x.copy() if isinstance(x, np.ndarray) else x for name, x in given.items()})
    times: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + SECONDS
    while not times[0] or (len(times[0]) < ROUNDS and time.perf_counter() < end):
        for run, given, found in zip(runs, arguments, times, strict=True):
            for name, x in start.items():
                if isinstance(x, np.ndarray):
                    given[name][...] = x
            begin = time.perf_counter()
            run(given)
            found.append(time.perf_counter() - begin)
    return [median(found) for found in times], left


def undisturbed(
    runs: Sequence[Call], program: Program, sizes: Mapping[str, int], threads: int
) -> tuple[list[float], list[dict[str, Any]], float | None]:
    """What is `measured`, and what independent products gain by the threads; of some tries, the one in which they gain
    the most."""
    if threads == 1:
        return *measured(runs, program, sizes), None
    tries: list[tuple[list[float], list[dict[str, Any]], float]] = []
    while len(tries) < TRIES and all(free < FREE * threads for *_, free in tries):
        before = gain(threads)
        tries.append((*measured(runs, program, sizes), min(before, gain(threads))))
    return max(tries, key=lambda found: found[-1])


def limits(target: Machine) -> tuple[float, float]:
    """Operations in double precision a second, at most, and bytes to and from memory."""
    run, work = peak_run(target)
    a, b = np.ones(BUFFER // 16), np.zeros(BUFFER // 16)
    [peak, copy] = seconds(run, lambda: np.copyto(b, a))
    return work / 2 * 1e9 / peak, BUFFER / copy


def filled(plan: Op, program: Program, sizes: Mapping[str, int], target: Machine, seconds: float) -> Op:
    """The plan with the best values that a search of so many seconds finds."""
    measure = measuring(program.proc, sizes, target, arguments=program.arguments(sizes), flags=FAST_MATH)
    model = cycles(target, sizes)
    found = searched(plan, program.proc, measure, seconds=seconds, model=model, screen=SCREEN, unscheduled=True)
    return found.best_op


def compared(
    names: Sequence[str],
    scale: str,
    target: Machine,
    plans: Sequence[Op],
    libraries: Mapping[str, ctypes.CDLL],
    tuning: float = 0.0,
    threads: int = 1,
) -> Iterator[Row]:
    """A row for each program, by the first of the plans; the second is for one thread. With seconds for `tuning`, the
    first plan is tuned, and stands beside itself untuned. Raises `ValueError` if a result is not that of the first
    peer."""
    peak, bandwidth = limits(target)
    for program in map(PROGRAMS.__getitem__, names):
        sizes = program.sizes(scale)
        begin = time.process_time()
        with warnings.catch_warnings(action="ignore"):
            scheduled = [schedule(plan, program.proc) for plan in plans]
            scheduling = (time.process_time() - begin) / len(plans)
            if tuning:
                best = filled(plans[0], program, sizes, target, tuning)
                scheduled = [schedule(best, program.proc), *scheduled[1:], scheduled[0]]
        compiled = [jit(p, target, FAST_MATH) for p in scheduled]
        runs: list[Call] = [lambda given, f=f: f(**given) for f in compiled]  # type: ignore[misc]
        runs[1:1] = [entry(library, program) for library in libraries.values()]
        (mine, *others), (found, wanted, *_), free = undisturbed(runs, program, sizes, threads)
        theirs, rest = others[: len(libraries)], others[len(libraries) :]
        single, untuned = rest[0] if len(plans) > 1 else None, rest[-1] if tuning else None
        apart = program.difference(found, wanted)
        if not apart <= program.tolerance:
            raise ValueError(f"{program.name}: ours is {apart:.0e} from what {next(iter(libraries))} computes")
        flops = program.flops(sizes)
        limit = max(flops / peak, program.footprint(sizes) / bandwidth)
        peers = dict(zip(libraries, theirs, strict=True))
        yield Row(program.name, mine, peers, scheduling, limit, flops, single, free, untuned)


def main(
    kernels: Annotated[list[str] | None, typer.Option(help="Only these programs; may be repeated.")] = None,
    scale: Annotated[Literal["small", "medium", "large"], typer.Option(help=f"Sizes divided by {SCALES}.")] = "large",
    target: Annotated[str, typer.Option(help="A target of this processor, else that with the widest vectors.")] = "",
    strategy: Annotated[Literal["auto", "identity"], typer.Option(help="What is done to our programs.")] = "auto",
    threads: Annotated[int, typer.Option(help="How many threads share loops, ours and Polly's.")] = 1,
    tune: Annotated[float, typer.Option(help="Seconds of a search for each program; 0 for the defaults.", min=0)] = 0,
) -> None:
    """Compares programs under `auto` with plain C."""
    unknown = sorted({*(kernels or ())} - {*PROGRAMS})
    if unknown:
        raise typer.BadParameter(f"no program is called {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    targets = {m.name: m for m in available_targets() if m.vec_widths}
    chosen = targets.get(target) if target else max(targets.values(), key=lambda m: m.vec_width("f64"))
    if chosen is None:
        raise typer.BadParameter(f"no target of this processor is called {target}; there are {', '.join(targets)}")
    on_cores(threads)
    console, rows = Console(stderr=True), list[Row]()
    names = kernels or [*PROGRAMS]
    with tempfile.TemporaryDirectory() as folder:
        libraries = built(Path(folder), threads)
        counts = (threads, 1) if threads > 1 else (1,)
        plans = [auto(chosen, "f64", threads=n) if strategy == "auto" else identity for n in counts]
        for row in compared(names, scale, chosen, plans, libraries, tune, threads):
            rows.append(row)
            if console.is_terminal:
                console.print(f"{row.name}: {row.ratio:.2f} ({len(rows)} of {len(names)})")
    missing = [name for name in PEERS if name not in libraries]
    print(table(rows, [*libraries]))
    shown = machine("one thread" if threads == 1 else f"{threads} threads")
    compilers = sorted({version(newest(PEERS[name][0])) for name in libraries})
    print(f"\n{shown}; {chosen}, {scale}; peers by {', '.join(compilers)}; ", end="")
    print(f"peers missing: {', '.join(missing) or 'none'}.")


if __name__ == "__main__":
    typer.run(main)
