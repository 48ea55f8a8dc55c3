"""The BLAS libraries that are compared, behind one harness that calls any of them.

The harness is C, made from the table of routines: for each function one that calls a pointer so many times.
It is compiled for 32-bit and for 64-bit integers, as libraries have the one or the other.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from backends.cpu import features
from backends.targets import avx2, avx512
from backends.toolchain import build as build_c
from benchmarks.measure import FAST_MATH
from benchmarks.peers import home_of
from examples.exo_blas.binding import NUMBERS, load
from examples.exo_blas.builder.interface import header
from examples.exo_blas.builder.routines import Routine, routines
from examples.exo_blas.conformance.netlib import fetched

PLAIN_C = Path(__file__).with_name("blas_plain.c")
LIMITS = Path(__file__).with_name("blas_limits.c")
FLAGS = ("-std=gnu11", "-O3", "-march=native")
FORMS = (("", ""), ("scipy_", ""), ("scipy_", "64_"), ("", "64_"))
"""What stands before and after `cblas_saxpy` in a library's symbols; 64_ means 64-bit integers."""

ROUTINES = {r.name: r for r in routines()}

os.environ |= {"MKL_THREADING_LAYER": "SEQUENTIAL", "BLIS_NUM_THREADS": "1", "EXO_NUM_THREADS": "1"}

SETTINGS = {
    "avx2": {
        "OPENBLAS_CORETYPE": "Haswell",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "MKL_DEBUG_CPU_TYPE": "5",
        "AOCL_ENABLE_INSTRUCTIONS": "avx2",
        "LIBXSMM_TARGET": "hsw",
    },
    "avx512": {
        "OPENBLAS_CORETYPE": "SkylakeX",
        "MKL_ENABLE_INSTRUCTIONS": "AVX512",
        "MKL_DEBUG_CPU_TYPE": "7",
        "AOCL_ENABLE_INSTRUCTIONS": "avx512",
        "LIBXSMM_TARGET": "spr",
    },
}
"""What makes others use just these instructions: some don't by themselves, as they know a processor by its name. MKL
2018 is told by MKL_DEBUG_CPU_TYPE; on processors that aren't Intel's, it heeds nothing else."""
CONFIGURATIONS = {"avx2": {"haswell": "3", "zen3": "6"}, "avx512": {"skx": "0", "zen3": "6"}}
"""Those of BLIS, and what BLIS_ARCH_TYPE calls them in BLIS 0.9: each is a library of its own here."""
DEBIAN = {"OpenBLAS, Debian's": ("openblas", "libopenblas0-serial"), "BLIS": ("blis", "libblis4-serial")}
"""Libraries in packages of Debian, which are unpacked into the cache: how their files are called, and the packages."""
WHEELS = {"OpenBLAS": "libscipy_openblas", "MKL 2018": "libmkl_rt", "AOCL-BLIS": "libblis"}
"""Libraries in packages of Python, and how their files begin. Of MKL one can be in a process: two share what the first
one loads. That of 2018 takes AVX-512 on processors that are not Intel's, if it is told to."""
BY_HAND = ("ExoBLAS", "LIBXSMM")
"""Those that are built by hand and given by `--peer`: see blas_exo.c and blas_libxsmm.c."""


@dataclass(frozen=True)
class Rival:
    """A library, and the form of its symbols. `ours` are those that others are compared with; plain C has its own
    limits: `neighbours` says that from level 2 on it takes increments of 1 only."""

    name: str
    library: ctypes.CDLL
    prefix: str = ""
    suffix: str = ""
    ours: bool = False
    neighbours: bool = False

    @property
    def wide(self) -> bool:
        """Whether integers have 64 bits."""
        return self.suffix == "64_"

    def address(self, function: str) -> int | None:
        """Where a function is, or None if the library doesn't have it."""
        try:
            return ctypes.cast(self.library[f"{self.prefix}{function}{self.suffix}"], ctypes.c_void_p).value
        except AttributeError:
            return None


# -- the harness --------------------------------------------------------------------------------------

_TIMER = """
double time_{name}(void *f, int64_t calls, {params}) {{
    {result} (*run)({params}) = f;
    const double start = now();
    for (int64_t call = 0; call < calls; call++) {keep}run({arguments});
    return now() - start;
}}
"""
_CLOCK = """
#include <time.h>
volatile double result;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
"""


def timer(p: Routine) -> str:
    """The C function that times calls of a prototype's function."""
    keep = "" if p.result == "void" else "result = "
    return _TIMER.format(name=p.name, params=p.params, result=p.result, keep=keep, arguments=p.arguments)


class Harness:
    """Calls CBLAS functions from C, those of each library from a copy of its own: a processor predicts a call that goes
    to one place only some cycles earlier."""

    def __init__(self) -> None:
        source = "\n".join((header(), _CLOCK, *map(timer, ROUTINES.values())))
        self._narrow = build_c("blas_timer", source, FLAGS)
        self._wide = build_c("blas_timer64", source, (*FLAGS, "-DCBLAS_INT=int64_t"))
        self._folder = TemporaryDirectory()
        self._copies: dict[Rival, ctypes.CDLL] = {}

    def _copy(self, rival: Rival) -> ctypes.CDLL:
        """A rival's copy of the timers."""
        if rival not in self._copies:
            file = Path(self._folder.name) / f"timer{len(self._copies)}.so"
            shutil.copy(self._wide if rival.wide else self._narrow, file)
            self._copies[rival] = ctypes.CDLL(str(file))
        return self._copies[rival]

    def seconds(self, rival: Rival, function: str, calls: int, arguments: Sequence[Any]) -> float:
        """What so many calls take. Arrays are passed as addresses. Raises `KeyError` if the rival lacks the
        function."""
        address = rival.address(function)
        if address is None:
            raise KeyError(f"{rival.name} has no {function}")
        run = self._copy(rival)[f"time_{function}"]
        run.restype = ctypes.c_double
        given = [_converted(t, v, rival.wide) for t, v in zip(_types(function), arguments, strict=True)]
        found: float = run(ctypes.c_void_p(address), ctypes.c_int64(calls), *given)
        return found

    def returned(self, rival: Rival) -> float:
        """The number that the last call returned, of a function that `returns` one."""
        return ctypes.c_double.in_dll(self._copy(rival), "result").value


def parameters(function: str) -> tuple[tuple[str, str], ...]:
    """The types and names of a function's parameters; pointers have names that begin with *."""
    pairs = (p.rsplit(" ", 1) for p in ROUTINES[function].params.split(", "))
    return tuple((t, name) for t, name in pairs)


def returns(function: str) -> bool:
    """Whether a function returns a number."""
    return ROUTINES[function].result != "void"


def _types(function: str) -> tuple[str, ...]:
    return tuple("*" if name.startswith("*") else t for t, name in parameters(function))


def _converted(kind: str, value: Any, wide: bool) -> Any:
    if kind == "*":
        return ctypes.c_void_p(value.ctypes.data)
    if kind in NUMBERS:
        return NUMBERS[kind](value)
    return (ctypes.c_int64 if wide and kind == "CBLAS_INT" else ctypes.c_int32)(value)


# -- libraries ----------------------------------------------------------------------------------------


def opened(name: str, path: Path, settings: Mapping[str, str] | None = None) -> Rival:
    """The library of a file, as it is where the environment has these settings. Raises `ValueError` if it can't be
    loaded, or has no CBLAS functions."""
    with patch.dict(os.environ, settings or {}):
        try:
            library = ctypes.CDLL(str(path))
        except OSError as e:
            raise ValueError(f"{path} can't be loaded: {e}") from e
        for prefix, suffix in FORMS:
            if hasattr(library, f"{prefix}cblas_ddot{suffix}"):
                _called(*(getattr(library, f"{prefix}cblas_{name}{suffix}", None) for name in ("ddot", "dgemm")))
                return Rival(f"{name}{_version(library)}", library, prefix, suffix)
    raise ValueError(f"{path} has no function cblas_ddot: it is no CBLAS library")


def _called(ddot: Any, dgemm: Any) -> None:
    """Calls functions once: what a library's code depends on is asked for when the first one is called."""
    ddot.restype = ctypes.c_double
    data, n, x = (ctypes.c_double * 1)(1), ctypes.c_int64(1), ctypes.c_double(1)
    ddot(n, data, n, data, n)
    if dgemm:
        dgemm(101, 111, 111, n, n, n, x, data, n, data, n, x, (ctypes.c_double * 1)(1), n)


def _version(library: ctypes.CDLL) -> str:
    for query in ("openblas_get_config", "scipy_openblas_get_config", "scipy_openblas_get_config64_"):
        if hasattr(library, query):
            ask = library[query]
            ask.restype = ctypes.c_char_p
            words = ask().decode().split()
            return f" {words[1]}" if len(words) > 1 else ""
    return ""


def ours(library: Path, isa: str) -> Rival:
    """Our library, for an instruction set. Raises `ValueError` if this processor doesn't have it."""
    machine = {m.name: m for m in (avx2, avx512)}[isa]
    if not features().issuperset(machine.cpu_flags):
        raise ValueError(f"this processor has no {isa}")
    return Rival(f"ours, {isa}", load(library, isa).library, ours=True)


def plain(isa: str = "avx512") -> Iterator[Rival]:
    """Plain loops, compiled by the C compilers that there are, for this processor's instructions up to these."""
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            found = plain_by(compiler, PLAIN_C, ("-mno-avx512f",) if isa == "avx2" else ())
            yield Rival(f"plain C, {compiler}", found, neighbours=True)


def plain_by(compiler: str, file: Path, more: Sequence[str] = ()) -> ctypes.CDLL:
    """The library that a compiler makes of plain loops; the file includes itself."""
    text = file.read_text().replace("__FILE__", f'"{file}"')
    flags = (*FLAGS, *FAST_MATH, *more, "-Wl,-Bsymbolic")
    with patch.dict(os.environ, {"CC": compiler}):
        return ctypes.CDLL(str(build_c(f"{file.stem}_{compiler}", text, flags, sorted(features()))))


def libraries() -> Iterator[tuple[str, Path]]:
    """Others' libraries: NumPy's own, and those from packages of Debian and of Python."""
    folder = Path(np.__file__).parent.with_name("numpy.libs")
    yield from (("OpenBLAS, NumPy's", p) for p in sorted(folder.glob("*openblas*.so")))
    for name, (called, package) in DEBIAN.items():
        if unpacked := fetched(called, [package]):
            yield name, next(unpacked.rglob(f"lib{called}.so.*"))
    for name, beginning in WHEELS.items():
        files = sorted(home_of(name).rglob("*.so*"))
        for needed in (f for f in files if f.name.startswith("libomp")):
            ctypes.CDLL(str(needed), ctypes.RTLD_GLOBAL)  # it doesn't say where to look for it
        yield from [(name, f) for f in files if f.name.startswith(beginning)][:1]


def others(isa: str) -> Iterator[Rival]:
    """Others' libraries, as they are at best with these instructions. What can't be loaded is left out, and said."""
    for name, path in libraries():
        if name != "BLIS":
            try:
                yield opened(name, path, SETTINGS[isa])
            except ValueError as e:
                print(f"{name} is left out: {e}", file=sys.stderr)
        for configuration, number in CONFIGURATIONS[isa].items() if name == "BLIS" else ():
            with TemporaryDirectory() as folder:  # a file is loaded once only
                copy = Path(shutil.copy(path, Path(folder) / f"{configuration}.so"))
                yield opened(f"{name}, {configuration}", copy, {"BLIS_ARCH_TYPE": number})


def rivals(library: Path, isa: str, more: Sequence[str] = ()) -> tuple[Rival, ...]:
    """All that are compared, ours first. `more` are others, as NAME=FILE. Raises `ValueError` if this processor doesn't
    have the instruction set, or a file is no CBLAS library."""
    given = [(name, Path(path)) for name, _, path in (m.partition("=") for m in more)]
    return (ours(library, isa), *plain(isa), *(opened(name, path, SETTINGS[isa]) for name, path in given), *others(isa))


def missing(some: Sequence[Rival]) -> list[str]:
    """The libraries that should be compared and are not there."""
    wanted = ("plain C, gcc", "plain C, clang", "OpenBLAS, NumPy's", *DEBIAN, *WHEELS, *BY_HAND)
    known = [r.name for r in some]
    return [name for name in wanted if not any(k == name or k.startswith((f"{name},", f"{name} 0")) for k in known)]


# -- limits -------------------------------------------------------------------------------------------

REGISTER = {"avx2": 32, "avx512": 64}
"""Bytes of a register."""
KINDS = ("read", "scale", "copy", "update")
FOOTPRINTS = tuple(1 << k for k in range(12, 29))


class Limits:
    """What the processor does at most with an instruction set: multiply-adds a second, and passes over memory of each
    kind, measured now."""

    def __init__(self, rounds: int, isa: str) -> None:
        bits = 8 * REGISTER[isa]
        flags = (*FLAGS, "-ffp-contract=fast", f"-DBYTES={REGISTER[isa]}", f"-mprefer-vector-width={bits}")
        self._library = ctypes.CDLL(str(build_c("blas_limits", LIMITS.read_text(), flags)))
        self._rounds = rounds

    @cached_property
    def peaks(self) -> dict[str, float]:
        """Operations a second, by precision."""
        found = {}
        for precision, kind in (("f32", np.float32), ("f64", np.float64)):
            out = np.array([0.5, 0.5, 0], kind)
            run = self._library[f"peak_{precision}"]
            run.restype = ctypes.c_double
            steps = ctypes.c_int64(100_000)
            found[precision] = max(run(steps, ctypes.c_void_p(out.ctypes.data)) for _ in range(self._rounds))
        return found

    @cached_property
    def speeds(self) -> dict[str, list[float]]:
        """Bytes a second that a pass gets over, by kind, at each of FOOTPRINTS."""
        x, y = (aligned(FOOTPRINTS[-1] // 4, np.float32) for _ in range(2))
        x[:], y[:] = 1, 1
        return {k: [self._speed(k, n, x, y) for n in FOOTPRINTS] for k in KINDS}

    def _speed(self, kind: str, n: int, x: np.ndarray, y: np.ndarray) -> float:
        times = max(1, (1 << 22) // n)
        given = ctypes.c_int64(times), ctypes.c_int64(n), *(ctypes.c_void_p(v.ctypes.data) for v in (x, y))
        run = self._library[f"pass_{kind}"]
        run.restype = ctypes.c_double
        fastest: float = min(run(*given) for _ in range(self._rounds))
        return n * times / fastest

    def seconds(self, precision: str, flops: float, kind: str, bytes: float) -> float:
        """The least that so many operations, or a pass over so many bytes, take."""
        speed = np.interp(np.log2(max(bytes, 1)), np.log2(FOOTPRINTS), self.speeds[kind])
        return max(flops / self.peaks[precision], bytes / float(speed))


def aligned(elements: int, kind: Any) -> np.ndarray:
    """An array that begins with a cache line."""
    size = np.dtype(kind).itemsize
    room = np.empty(elements * size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + elements * size].view(kind)
