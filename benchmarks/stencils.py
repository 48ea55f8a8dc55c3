"""Sweeps over time, imported from C, in tiles and as they are; and the C itself.

    python -m benchmarks.stencils [jacobi_2d heat_3d ...]

All of one kernel are run in turns, on data that is larger than the caches. Before that, each is compared with the C.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from backends.jit import jit
from benchmarks.measure import seconds, show
from exo_strat import Proc, Tensor, at, proc_from_source, schedule
from importers.c import from_c
from strategies.stencils import time_tile

SOURCE = Path(__file__).parents[1] / "examples" / "stencils.c"
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-std=gnu11", "-fPIC", "-shared")
"""For the C as it is."""

TILES: dict[str, tuple[tuple[int, ...], ...]] = {
    "jacobi_1d": ((256, 2048),),
    "jacobi_2d": ((10, 32), (10, 32, 512)),
    "seidel_2d": ((10, 32), (10, 32, 512)),
    "heat_3d": ((5, 8, 16), (5, 8, 16, 128)),
    "fdtd_2d": ((10, 32), (10, 32, 512)),
}
"""Steps and iterations of the tiles that are tried."""
SIZES: dict[str, dict[str, int]] = {
    "jacobi_1d": {"tsteps": 256, "n": 3_000_000},
    "jacobi_2d": {"tsteps": 20, "n": 2800},
    "seidel_2d": {"tsteps": 20, "n": 2000},
    "heat_3d": {"tsteps": 10, "n": 200},
    "fdtd_2d": {"tmax": 20, "nx": 2000, "ny": 2000},
}


def imported(name: str) -> Proc:
    """A function of the file as object code."""
    text = from_c(SOURCE, name)
    return proc_from_source(text[text.index("def ") :])


def original(name: str, folder: Path) -> Callable[..., object]:
    """The function as the C compiler makes it."""
    library = folder / "stencils.so"
    subprocess.run(["gcc", *FLAGS, "-o", str(library), str(SOURCE)], check=True)
    return getattr(ctypes.CDLL(str(library)), name)  # type: ignore[no-any-return]


def arguments(p: Proc, sizes: Mapping[str, int]) -> dict[str, object]:
    """Random arrays for some sizes."""
    rng = np.random.default_rng(0)
    shapes = {a.name(): [sizes[e.text()] for e in a.shape()] for a in p.args() if isinstance(a.type(), Tensor)}
    return {**sizes, **{name: rng.random(shape) for name, shape in shapes.items()}}


def measure(name: str, folder: Path) -> list[tuple[object, ...]]:
    """A row for the C, for what is imported, and for each size of tiles: seconds, and how much faster than the C."""
    p, c = imported(name), original(name, folder)
    tilings = [schedule(at("for t in _: _", time_tile(*sizes)), p) for sizes in TILES[name]]
    given = arguments(p, SIZES[name])
    runs: list[Callable[..., object]] = [partial(_call, c)]
    runs += [jit(q) for q in (p, *tilings)]
    results = []
    for run in runs:
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in given.values()]
        run(*copies)
        results.append([x for x in copies if isinstance(x, np.ndarray)])
    for found in results[1:]:
        for x, y in zip(results[0], found, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-9)
    times = seconds(*(partial(run, *given.values()) for run in runs))
    whats = ("gcc -O3", "imported", *(f"tiles {' x '.join(map(str, sizes))}" for sizes in TILES[name]))
    size = ", ".join(f"{k} = {v}" for k, v in SIZES[name].items())
    return [(f"{name}, {size}", what, t, times[0] / t, times[1] / t) for what, t in zip(whats, times, strict=True)]


def _call(f: Callable[..., object], *args: object) -> None:
    f(*(x.ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else x for x in args))


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        rows = [row for name in sys.argv[1:] or TILES for row in measure(name, Path(made))]
    show("Sweeps over time", ("kernel", "", "seconds", "of gcc's speed", "of untiled"), rows)
