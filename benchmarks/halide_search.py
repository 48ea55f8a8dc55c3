"""What tuning makes of each pipeline in equal time: of ours, by a random search over its holes; of Halide's, by its
autoschedulers with one set of parameters after another. Each measures what it makes on one thread."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from backends.measuring import elapsed, measuring, now
from backends.native_machine import native_machine
from backends.targets import best_machine
from benchmarks.halide_pipelines import PIPELINES
from benchmarks.halide_rivals import AUTOSCHEDULERS, Call, Halide, compile_halide, in_halide
from benchmarks.measure import FAST_MATH
from exo_strat import Machine
from exo_strat.tuning import random_search, tune
from exo_strat.tuning.apart import Ended, apart

SAMPLES = 7
LIMIT = 60.0
"""Seconds that a measurement may take."""


class Made(NamedTuple):
    """What an autoscheduler made, and seconds a call takes."""

    halide: Halide
    library: str
    seconds: float


def our_values(pipeline: str, size: tuple[int, int], seconds: float) -> tuple[dict[str, Any], str]:
    """Values of the holes of our schedule that are best after so many seconds, and what the search says of itself."""
    p = PIPELINES[pipeline]
    arrays = p.arrays(*size)
    measure = measuring(p.naive, p.controls(*size), arguments=arrays, flags=FAST_MATH, limit=LIMIT, pinned=True)
    found = tune(p.schedule, p.naive, measure, search=random_search(seed=0), seconds=seconds)
    return dict(found.best.decisions) if found.best is not None else {}, str(found)


def theirs(
    folder: Path, pipeline: str, size: tuple[int, int], threads: int, seconds: float, machine: Machine | None = None
) -> dict[str, Made | str]:
    """The best of each autoscheduler after so many seconds for all, or why there is none. Each is tried once with its
    defaults, however long it takes."""
    best: dict[str, Made | str] = {}
    start, known = time.monotonic(), set[Halide]()
    for n, made in enumerate(candidates(threads, machine or native_machine(best_machine()).machine)):
        if n >= len(AUTOSCHEDULERS) and time.monotonic() - start > seconds:
            break
        if made in known:
            continue
        known.add(made)
        name = f"{pipeline}_{size[0]}x{size[1]}_{threads}_{n}"
        try:
            library = compile_halide(folder, name, pipeline, size, made)
        except subprocess.SubprocessError as e:
            said = getattr(e, "stderr", None) or str(e).encode()
            best.setdefault(made.schedule, said.decode().strip().splitlines()[-1][:80])
            continue
        [taken] = apart([partial(_seconds, library, made, pipeline, size)], 1, LIMIT)
        old = best.get(made.schedule)
        if isinstance(taken, Ended):
            best.setdefault(made.schedule, taken.reason)
        elif not isinstance(old, Made) or taken < old.seconds:
            best[made.schedule] = Made(made, str(library), taken)
    return best


def candidates(threads: int, machine: Machine) -> Iterator[Halide]:
    """Autoschedulers with their defaults, then with other parameters: caches of this processor, other costs of a load,
    and narrow or random searches."""
    parallel = f"parallelism={threads}"
    yield from (Halide(name, (parallel,)) for name in AUTOSCHEDULERS)
    sizes = [c.bytes for c in machine.processor.caches]
    for seed in count(1):
        if seed <= len(sizes):
            for balance in (10, 20, 40):
                cache = f"last_level_cache_size={sizes[-seed]}"
                yield Halide("Mullapudi2016", (parallel, cache, f"balance={balance}"))
        if seed == 1:
            yield Halide("Adams2019", (parallel, "beam_size=1"))
            yield Halide("Adams2019", (parallel, "disable_subtiling=1"))
        random = ("beam_size=4", "random_dropout=80", f"random_dropout_seed={seed}")
        yield Halide("Adams2019", (parallel, *random))


def _seconds(library: Path, made: Halide, pipeline: str, size: tuple[int, int]) -> float:
    """The median seconds of a call, on one thread."""
    rival = in_halide(library, made)
    rival.threads(1)
    call = rival.bind(*size, PIPELINES[pipeline].arrays(*size))
    call()
    return median(_once(call) for _ in range(SAMPLES))


def _once(call: Call) -> float:
    start = now()
    call()
    return elapsed(start, now())
