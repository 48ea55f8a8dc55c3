"""All that computes the image pipelines, as calls of one kind: ours, Halide's, Exo's and plain C. Imports `exo_strat`,
`backends` and `peers`.

Halide's wheel lives in an environment of its own and compiles ahead of time.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backends.jit import jit
from benchmarks.halide_pipelines import PIPELINES, Arrays
from benchmarks.measure import FAST_MATH
from benchmarks.peers import python_with
from exo_strat import schedule

PEER = Path(__file__).with_name("halide_peer.py")
PLAIN_C = Path(__file__).with_name("halide_plain.c")
FLAGS = ("-std=gnu11", "-O3", "-march=native", *FAST_MATH, "-fopenmp", "-fPIC", "-shared")
COMPILING = 180.0
"""Seconds after which Halide is taken to hang."""

Call = Callable[[], object]


@dataclass(frozen=True)
class Rival:
    """One way to compute a pipeline: `bind` makes a call of it on arrays, which it keeps, for a width and height."""

    name: str
    bind: Callable[[int, int, Arrays], Call]
    threads: Callable[[int], object]


@dataclass(frozen=True)
class Halide:
    """A schedule in Halide: the name of one in `halide_peer.py`, or of an autoscheduler with its parameters."""

    schedule: str
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.schedule, *self.options))


AUTOSCHEDULERS = ("Adams2019", "Li2018", "Mullapudi2016")
"""Those in the wheel that are for processors; Anderson2021 is for GPUs."""
LANES = (8, 16, 32)
WRITTEN = {
    "blur": ("blur_figure_11", "blur_app", "blur_app32", "blur_strips32", "blur_groups"),
    "unsharp": ("unsharp_app", "unsharp_strips"),
}
"""Schedules that people wrote: Halide's authors, and ours for it (`strips`, `groups`)."""

# -- ours, and plain C --------------------------------------------------------------------------------


def ours(name: str, pipeline: str, values: Mapping[str, Any], threads: Callable[[int], object]) -> Rival:
    """Our schedule with values of its holes. The C compiler may reorder sums, as in plain C, and as Halide does."""
    p = PIPELINES[pipeline]
    compiled = jit(schedule(p.schedule.fill(values), p.naive), flags=FAST_MATH)
    return Rival(name, lambda w, h, arrays: compiled.bind(**p.controls(w, h), **arrays), threads)


def plain(folder: Path) -> ctypes.CDLL:
    """The functions in C, and how many threads OpenMP has, for ours, too."""
    return built(folder / "plain.so", PLAIN_C)


def in_c(library: ctypes.CDLL, name: str) -> Rival:
    """One of the functions in C."""
    found = library[name]
    found.argtypes = (ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def bind(w: int, h: int, arrays: Arrays) -> Call:
        first, last = (list(arrays.values())[k].ctypes.data for k in (0, -1))

        def call(kept: Arrays = arrays) -> object:
            return found(h, w, first, last)

        return call

    return Rival(f"C, {name}", bind, library.threads)


def built(library: Path, *arguments: object) -> ctypes.CDLL:
    """A shared library by gcc."""
    subprocess.run(["gcc", *FLAGS, *map(str, arguments), "-lm", "-lpthread", "-ldl", "-o", library], check=True)
    return ctypes.CDLL(str(library))


# -- Exo ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exo:
    """A schedule of Exo's authors: the file in which `exocc` puts it, the function, and of what the width and height of
    an image must be multiples."""

    stem: str
    function: str
    width: int
    height: int


EXO = {"blur16": Exo("blur", "exo_blur_halide", 256, 32), "unsharp": Exo("unsharp", "exo_unsharp_vectorized", 1, 32)}
"""Those in the folder apps/x86/halide of Exo's repository. Its blur is of 16-bit integers."""


def in_exo(exo: Path, folder: Path, pipeline: str, size: tuple[int, int], threads: Callable[[int], object]) -> Rival:
    """What `exocc` made of Exo's own schedule, compiled with the flags of plain C.

    Raises `LookupError` if it has none for this pipeline and size, or the folder lacks it."""
    made = EXO.get(pipeline)
    if made is None:
        raise LookupError("its repository has no schedule of this pipeline")
    if size[0] % made.width or size[1] % made.height:
        raise LookupError(f"its schedule takes images of {made.width} k x {made.height} l pixels")
    sources = sorted(exo.rglob(f"{made.stem}.c"))
    if not sources:
        raise LookupError(f"there is no {made.stem}.c in {exo}")
    library = built(folder / f"exo_{made.stem}.so", sources[0])
    found = library[made.function]
    found.argtypes = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def bind(w: int, h: int, arrays: Arrays) -> Call:
        first, last = (list(arrays.values())[k].ctypes.data for k in (0, -1))

        def call(kept: Arrays = arrays) -> object:
            return found(None, w, h, last, first)

        return call

    return Rival("Exo", bind, threads)


# -- Halide -------------------------------------------------------------------------------------------


class _Kind(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Dimension(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_int32) for name in ("min", "extent", "stride", "flags"))


class _Buffer(ctypes.Structure):
    """Halide's description of an image."""

    _fields_ = (
        ("device", ctypes.c_uint64),
        ("device_interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("kind", _Kind),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(_Dimension)),
        ("padding", ctypes.c_void_p),
    )


FLOAT = _Kind(2, 32, 1)


def described(array: np.ndarray) -> _Buffer:
    """An array as Halide sees it: the innermost dimension first."""
    strides = [n // array.itemsize for n in array.strides]
    sides = [_Dimension(0, n, s, 0) for n, s in zip(array.shape[::-1], strides[::-1], strict=True)]
    return _Buffer(host=array.ctypes.data, kind=FLOAT, dimensions=array.ndim, dim=(_Dimension * array.ndim)(*sides))


def compile_halide(folder: Path, name: str, pipeline: str, size: tuple[int, int], made: Halide) -> Path:
    """The shared library of a schedule. `-P`: this module must not be taken for the wheel.

    Raises `subprocess.CalledProcessError` if Halide can't compile it, and `subprocess.TimeoutExpired`."""
    what = (PEER, folder, name, pipeline, made.schedule, *size, *made.options)
    command = [str(python_with("halide")), "-P", *map(str, what)]
    subprocess.run(command, check=True, capture_output=True, timeout=COMPILING)
    library = folder / f"{name}.so"
    whole = ("-Wl,--whole-archive", str(folder / f"{name}.a"), "-Wl,--no-whole-archive")
    subprocess.run(["gcc", "-shared", *whole, "-lpthread", "-ldl", "-o", library], check=True, capture_output=True)
    return library


def in_halide(library: Path, made: Halide) -> Rival:
    """What Halide made of a schedule."""
    loaded = ctypes.CDLL(str(library))
    found = loaded[library.stem]

    def threads(n: int) -> None:
        loaded.halide_shutdown_thread_pool()  # or else threads of an earlier, larger number go on to take part
        loaded.halide_set_num_threads(n)

    def bind(w: int, h: int, arrays: Arrays) -> Call:
        buffers: Sequence[_Buffer] = [described(a) for a in arrays.values()]
        pointers = [ctypes.byref(b) for b in buffers]

        def call(kept: Arrays = arrays) -> object:
            return found(*pointers)

        return call

    return Rival(f"Halide {made}", bind, threads)
