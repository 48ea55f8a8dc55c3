"""All that computes the image pipelines, as functions of one kind: ours, Halide's and plain C. Imports `exo_strat`,
`backends`, the examples and `peers`.

Halide's wheel lives in an environment of its own and compiles ahead of time, for every width of vectors.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backends.jit import jit
from backends.targets import best_machine
from benchmarks.measure import FAST_MATH
from benchmarks.peers import python_with
from examples.halide import blur, unsharp
from exo_strat import Op, Proc, schedule

PEER = Path(__file__).with_name("halide_peer.py")
PLAIN_C = Path(__file__).with_name("halide_plain.c")
FLAGS = ("-std=gnu11", "-O3", "-march=native", *FAST_MATH, "-fopenmp", "-fPIC", "-shared")

Run = Callable[[int, int, np.ndarray, np.ndarray], object]


@dataclass(frozen=True)
class Pipeline:
    """A pipeline: its naive program and schedules, the planes of an image, how far it reaches beyond the result, the
    plain C functions, and the floating-point operations of a pixel in the naive program, overlap left out."""

    naive: Proc
    schedules: Mapping[str, Op]
    planes: tuple[int, ...]
    border: int
    plain: tuple[str, ...]
    flops: int

    @property
    def bytes(self) -> int:
        """The bytes of a pixel that come from memory and go there at least: each plane once each way."""
        return 8 * (self.planes or (1,))[0]


@dataclass(frozen=True)
class Rival:
    """One way to compute a pipeline. `published` is whether its schedule is its authors' own."""

    name: str
    run: Run
    threads: Callable[[int], object]
    published: bool = True


PIPELINES = {
    "blur": Pipeline(blur.blur, blur.SCHEDULES, (), 2, ("blur_rows", "blur_fused"), 6),
    "unsharp": Pipeline(
        unsharp.unsharp,
        {**unsharp.SCHEDULES, "groups": unsharp.groups(machine=best_machine())},
        (3,), 6, ("unsharp_rows",), 31,
    ),
}  # fmt: skip
OURS = "groups"
"""The schedule of ours that is compared, for each pipeline at every size and number of threads."""
PUBLISHED = ("figure_11", "app")
"""Halide's own schedules; the others are what we found for it."""

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
void threads(int n) {{ halide_set_num_threads(n); }}
"""


def _function(library: ctypes.CDLL, name: str) -> Run:
    found = library[name]
    found.argtypes = (ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def call(h: int, w: int, inp: np.ndarray, out: np.ndarray) -> object:
        return found(h, w, inp.ctypes.data, out.ctypes.data)

    return call


def _build(library: Path, *arguments: object) -> ctypes.CDLL:
    subprocess.run(["gcc", *FLAGS, *map(str, arguments), "-lm", "-lpthread", "-ldl", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def halides(folder: Path) -> Iterator[tuple[str, Rival]]:
    """Each pipeline's name with one of Halide's schedules. `-P`: this module must not be taken for the wheel."""
    python = python_with("halide")
    where = "import halide, pathlib; print(pathlib.Path(halide.__file__).parent / 'include')"
    include = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    made = subprocess.run([python, "-P", PEER, folder], capture_output=True, text=True, check=True).stdout
    for pipeline, name in map(str.split, made.splitlines()):
        p = PIPELINES[pipeline]
        source = folder / f"{name}.c"
        source.write_text(WRAPPER.format(name=name, b=p.border, dims=2 + len(p.planes)))
        library = _build(folder / f"{name}.so", f"-I{include}", f"-I{folder}", source, folder / f"{name}.a")
        which = name.removeprefix(f"{pipeline}_")
        run = _function(library, f"run_{name}")
        yield pipeline, Rival(f"Halide {which}", run, library.threads, which.rpartition("_")[0] in PUBLISHED)


def rivals(folder: Path) -> tuple[dict[str, list[Rival]], Rival]:
    """For each pipeline everything that computes it, ours first; and copying an image."""
    plain = _build(folder / "plain.so", PLAIN_C)
    found: dict[str, list[Rival]] = {}
    for name, p in PIPELINES.items():
        names = sorted(p.schedules, key=lambda s: s != OURS)
        ours = [Rival(f"ours, {s}", jit(schedule(p.schedules[s], p.naive)), plain.threads) for s in names]
        found[name] = [*ours, *(Rival(f"C, {f}", _function(plain, f), plain.threads) for f in p.plain)]
    for name, rival in halides(folder):
        found[name].append(rival)
    return found, Rival("copying", _function(plain, "copy"), plain.threads)
