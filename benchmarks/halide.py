"""The image pipelines beside Halide (its own schedules and others) and plain C, interleaved in one run on one thread.

    python -m benchmarks.halide [WIDTHxHEIGHT ...]

Halide's wheel lives in an environment of its own (`benchmarks.peers`) and compiles ahead of time, for every width of
vectors. Before anything is timed, all rivals must agree.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

from backends.jit import jit
from benchmarks.measure import np, seconds, show
from benchmarks.peers import python_with
from examples.halide import blur, unsharp
from exo_strat import Op, Proc, schedule, trace

SIZES = ((1280, 960), (2560, 1920))
PEER = Path(__file__).with_name("halide_peer.py")
PLAIN_C = Path(__file__).with_name("halide_plain.c")
FLAGS = ("-std=gnu11", "-O3", "-march=native", "-ffast-math", "-fopenmp-simd", "-fPIC", "-shared")

Compiled = Callable[[int, int, np.ndarray, np.ndarray], object]


@dataclass(frozen=True)
class Pipeline:
    """A pipeline: its naive program and schedules, the planes of an image and how far it reaches beyond the result."""

    naive: Proc
    schedules: dict[str, Op]
    planes: tuple[int, ...]
    border: int
    plain: tuple[str, ...]


PIPELINES = {
    "blur": Pipeline(blur.blur, blur.SCHEDULES, (), 2, ("blur_rows", "blur_fused")),
    "unsharp": Pipeline(unsharp.unsharp, unsharp.SCHEDULES, (3,), 6, ("unsharp_rows",)),
}

# -- rivals -------------------------------------------------------------------------------------------

WRAPPER = """
#include "{name}.h"
#include "HalideRuntime.h"
void run_{name}(int64_t H, int64_t W, float *inp, float *out) {{
    halide_dimension_t di[] = {{{{0, W + {b}, 1}}, {{0, H + {b}, W + {b}}}, {{0, 3, (W + {b}) * (H + {b})}}}};
    halide_dimension_t dout[] = {{{{0, W, 1}}, {{0, H, W}}, {{0, 3, W * H}}}};
    struct halide_type_t f32 = {{halide_type_float, 32, 1}};
    halide_buffer_t i = {{0}}, o = {{0}};
    i.host = (uint8_t *)inp, i.type = f32, i.dimensions = {dims}, i.dim = di;
    o.host = (uint8_t *)out, o.type = f32, o.dimensions = {dims}, o.dim = dout;
    {name}(&i, &o);
}}
"""


def _function(library: Path, name: str) -> Compiled:
    found = ctypes.CDLL(str(library))[name]
    found.argtypes = (ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def call(h: int, w: int, inp: np.ndarray, out: np.ndarray) -> object:
        return found(h, w, inp.ctypes.data, out.ctypes.data)

    return call


def _build(library: Path, *arguments: object) -> Path:
    subprocess.run(["gcc", *FLAGS, *map(str, arguments), "-lm", "-lpthread", "-ldl", "-o", library], check=True)
    return library


def halides(folder: Path) -> Iterator[tuple[str, str, Compiled]]:
    """Pipeline, name and function of each of Halide's schedules. `-P`: this module must not be taken for the wheel."""
    python = python_with("halide")
    where = "import halide, pathlib; print(pathlib.Path(halide.__file__).parent / 'include')"
    include = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    made = subprocess.run([python, "-P", PEER, folder], capture_output=True, text=True, check=True).stdout
    for pipeline, name in map(str.split, made.splitlines()):
        p = PIPELINES[pipeline]
        source = folder / f"{name}.c"
        source.write_text(WRAPPER.format(name=name, b=p.border, dims=2 + len(p.planes)))
        library = _build(folder / f"{name}.so", f"-I{include}", f"-I{folder}", source, folder / f"{name}.a")
        yield pipeline, f"Halide {name.partition('_')[2]}", _function(library, f"run_{name}")


def rivals(folder: Path) -> dict[str, dict[str, Compiled]]:
    """For each pipeline, everything that computes it, by name."""
    plain = _build(folder / "plain.so", PLAIN_C)
    found: dict[str, dict[str, Compiled]] = {name: {} for name in PIPELINES}
    for name, p in PIPELINES.items():
        found[name] |= {f"ours, {s}": jit(schedule(op, p.naive)) for s, op in p.schedules.items()}
        found[name] |= {f"C, {f}": _function(plain, f) for f in p.plain}
    for name, rival, function in halides(folder):
        found[name][rival] = function
    return found


# -- measurements -------------------------------------------------------------------------------------


def image(p: Pipeline, width: int, height: int) -> np.ndarray:
    """A random image with its border."""
    shape = (*p.planes, height + p.border, width + p.border)
    return np.random.default_rng(0).uniform(0.1, 1.0, shape).astype(np.float32)


def timed(p: Pipeline, rivals: dict[str, Compiled], width: int, height: int) -> list[float]:
    """Nanoseconds a pixel for each rival, and for copying the image. Raises `AssertionError` if they disagree."""
    inp = image(p, width, height)
    shape = (*p.planes, height, width)
    outs = {name: np.zeros(shape, np.float32) for name in rivals}
    for name, run in rivals.items():
        run(height, width, inp, outs[name])
        first = next(iter(outs.values()))
        assert np.allclose(outs[name], first, rtol=1e-4, atol=1e-4), f"{name} computes something else"
    calls = [_bound(run, height, width, inp, outs[name]) for name, run in rivals.items()]
    source, copy = np.ones(shape, np.float32), np.zeros(shape, np.float32)
    return [t * 1e9 / (width * height) for t in seconds(*calls, lambda: np.copyto(copy, source))]


def _bound(run: Compiled, h: int, w: int, inp: np.ndarray, out: np.ndarray) -> Callable[[], object]:
    return lambda: run(h, w, inp, out)


def report(name: str, rivals: dict[str, Compiled], sizes: Sequence[tuple[int, int]]) -> None:
    """The table of a pipeline, and by how much our best is faster than every other's best."""
    p = PIPELINES[name]
    columns = [timed(p, rivals, *size) for size in sizes]
    rows = [(n, *values) for n, *values in zip((*rivals, "copying the image"), *columns, strict=True)]
    ours = [min(t for n, t in zip(rivals, column, strict=False) if n.startswith("ours")) for column in columns]
    best = [min(t for n, t in zip(rivals, column, strict=False) if not n.startswith("ours")) for column in columns]
    ratios = [b / o for b, o in zip(best, ours, strict=True)]
    mean = prod(ratios) ** (1 / len(ratios))
    title = f"{name}: nanoseconds a pixel (ours is {mean:.2f} times as fast as the best of the others)"
    show(title, ("rival", *(f"{w}x{h}" for w, h in sizes)), [(n, *(f"{t:.3f}" for t in ts)) for n, *ts in rows])


def scheduling() -> list[tuple[object, ...]]:
    """Rewrites and seconds of each schedule."""
    rows: list[tuple[object, ...]] = []
    for name, p in PIPELINES.items():
        for which, op in p.schedules.items():
            start = time.perf_counter()
            schedule(op, p.naive)
            taken = time.perf_counter() - start
            rows.append((f"{name}, {which}", trace(op, p.naive)[1].counts.rewrites, f"{taken:.3f}"))
    return rows


def main(sizes: Sequence[tuple[int, int]]) -> None:
    """All tables."""
    os.environ["HL_NUM_THREADS"] = "1"
    show("Schedules", ("schedule", "rewrites", "seconds"), scheduling())
    with tempfile.TemporaryDirectory() as folder:
        for name, found in rivals(Path(folder)).items():
            report(name, found, sizes)


if __name__ == "__main__":
    given = [(int(w), int(h)) for w, h in (x.split("x") for x in sys.argv[1:])]
    main(given or SIZES)
