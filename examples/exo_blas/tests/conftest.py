"""The library under test, for every instruction set of this processor, and vectors between pages that trap.

`EXO_BLAS_LIBRARY` is a complete library to be tested, as `make blas` builds it. Without it, tests build what they need.
A test that asks for `version`, `letter` or its module's `blas` runs for every version; one that asks for
`complex_version`, for every version of complex numbers.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from backends.targets import available
from examples.exo_blas.binding import Cblas, load
from examples.exo_blas.builder.interface import Bits
from examples.exo_blas.builder.library import TARGETS, build, file_name
from examples.exo_blas.builder.units import units

PAGE = mmap.PAGESIZE
GIVEN = os.environ.get("EXO_BLAS_LIBRARY")
if GIVEN and not Path(GIVEN).is_file():
    raise pytest.UsageError(f"EXO_BLAS_LIBRARY is {GIVEN}, and there is no such library")
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Version(NamedTuple):
    """What is tested: an instruction set, and a precision by its letter; c and z are those of complex numbers."""

    isa: str
    letter: str


BEST = next(m.name for m in reversed(TARGETS) if available(m))
QUICK = ((BEST, "s"), ("c", "d"), (BEST, "c"), ("c", "z"))
"""The versions that `make test` builds; the others are tested on the whole library (`make blas-all`)."""


def versions(letters: str) -> Iterator[Any]:
    """All versions of these precisions, those that take long with their mark."""
    for isa, letter in product((m.name for m in TARGETS), letters):
        marks = () if (isa, letter) in QUICK else (pytest.mark.whole_blas,)
        yield pytest.param(Version(isa, letter), id=f"{isa}-{letter}", marks=marks)


@pytest.fixture(scope="module", params=versions("sd"))
def version(request: pytest.FixtureRequest) -> Version:
    found: Version = request.param
    return found


@pytest.fixture(scope="module", params=versions("cz"))
def complex_version(request: pytest.FixtureRequest) -> Version:
    found: Version = request.param
    return found


@pytest.fixture(scope="session")
def best() -> Version:
    """The version with the longest vectors among those that `make test` builds."""
    if BEST == "c":
        pytest.skip("this processor has no vectors that the library uses")
    return Version(BEST, "s")


@pytest.fixture(scope="session")
def plain() -> Version:
    """Plain C in double precision."""
    return Version("c", "d")


@pytest.fixture
def letter(version: Version) -> str:
    """What the names of the version's functions begin with."""
    return version.letter


@pytest.fixture(scope="session")
def blas_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[str], Version], Cblas]:
    """`blas_of(wrappers, version)`: a library that has some wrappers in one precision; with `integers=64`, of 64 bits.

    It is built once, for all processes that run tests.
    """
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    loaded: dict[tuple[Path, str], Cblas] = {}

    def make(wrappers: Sequence[str], version: Version, integers: Bits = 32) -> Cblas:
        if not available(next(m for m in TARGETS if m.name == version.isa)):
            pytest.skip(f"this processor has no {version.isa}")
        if GIVEN and not Path(GIVEN).with_name(file_name(integers)).exists():
            pytest.skip(f"there is no {file_name(integers)}: make blas builds it")
        library = place_of(folder, wrappers, version) / file_name(integers)
        if (library, version.isa) not in loaded:
            # one process at a time: kernels that libraries share are then scheduled once
            with (folder / "blas.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not library.exists():
                    provide(library, wrappers, version, integers)
                loaded[library, version.isa] = load(library, version.isa, integers)
        return loaded[library, version.isa]

    return make


def defining(*names: str) -> tuple[str, ...]:
    """The wrappers of routines: `gemv` of real numbers, `complex/gemv` of complex ones."""
    wanted = [(name.startswith("complex/"), name.removeprefix("complex/").replace("iamax", "amax")) for name in names]
    return tuple(
        dict.fromkeys(
            u.wrapper
            for u in units()
            for is_complex, name in wanted
            if u.is_complex == is_complex
            and (not u.routines() or any(re.fullmatch(rf"cblas_i?[a-z]{{1,2}}{name}(_sub)?", r) for r in u.routines()))
        )
    )


def place_of(folder: Path, wrappers: Sequence[str], version: Version) -> Path:
    """Where the library of some wrappers for a version is, or is to be."""
    if GIVEN:
        return folder / "blas"
    return folder / "-".join(("blas", *version, sha256(repr(sorted(wrappers)).encode()).hexdigest()[:12]))


def provide(library: Path, wrappers: Sequence[str], version: Version, integers: Bits) -> None:
    """Put a library there: a copy of the one that is given, or one for plain C and the version's instruction set."""
    if GIVEN:
        library.parent.mkdir(exist_ok=True)
        shutil.copy(Path(GIVEN).with_name(library.name), library)
        return
    real = {"c": "s", "z": "d"}.get(version.letter, version.letter)  # what wrappers of complex numbers call is real
    chosen = [u.name for u in units() if u.wrapper in wrappers and u.real in ("", real)]
    build(library.parent, [m for m in TARGETS if m.name in ("c", version.isa)], only=chosen, integers=integers)


Vector = np.ndarray


@pytest.fixture(scope="session")
def guarded() -> Callable[..., Vector]:
    """`guarded(count, dtype, at_end)`: an array that ends right before a page that traps, or begins right after one."""

    def make(count: int, dtype: str, at_end: bool = True) -> Vector:
        item = np.dtype(dtype).itemsize
        inner = max(1, -(-count * item // PAGE)) * PAGE
        pages = mmap.mmap(-1, inner + 2 * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        for trap in (start, start + PAGE + inner):
            assert _libc.mprotect(trap, PAGE, 0) == 0
        offset = PAGE + (inner - count * item if at_end else 0)
        return np.frombuffer(pages, dtype, count, offset)

    return make
