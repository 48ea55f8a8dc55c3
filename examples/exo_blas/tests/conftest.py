"""The library under test, for every instruction set of this processor, and vectors between pages that trap.

`EXO_BLAS_LIBRARY` is a complete library to be tested, as `make blas` builds it. Without it, tests build what they need.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backends.targets import available
from examples.exo_blas.binding import Cblas, load
from examples.exo_blas.builder.library import TARGETS, build

PAGE = mmap.PAGESIZE
GIVEN = os.environ.get("EXO_BLAS_LIBRARY")
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


@pytest.fixture(scope="session")
def blas_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...], str], Cblas]:
    """`blas_of(wrappers, isa)`: a library that has some wrappers, built once for each set of them and target."""
    loaded: dict[tuple[tuple[str, ...], str], Cblas] = {}

    def make(wrappers: tuple[str, ...], isa: str) -> Cblas:
        if not available(next(m for m in TARGETS if m.name == isa)):
            pytest.skip(f"this processor has no {isa}")
        if (wrappers, isa) not in loaded:  # once: a library that is in use must not be copied over
            folder = tmp_path_factory.mktemp("blas")
            targets = [m for m in TARGETS if m.name in ("c", isa)]
            # one process at a time: what it makes is kept in the cache, so that the next need not schedule it again
            with (tmp_path_factory.getbasetemp().parent / "blas.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                library = Path(shutil.copy(GIVEN, folder)) if GIVEN else build(folder, targets, only=wrappers)
            loaded[wrappers, isa] = load(library, isa)
        return loaded[wrappers, isa]

    return make


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
