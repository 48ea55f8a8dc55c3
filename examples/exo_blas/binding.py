"""CBLAS libraries from Python: functions with the types that `exo_blas.h` declares."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path
from typing import Any

from .builder.interface import Bits
from .builder.routines import Routine, routines

NUMBERS: dict[str, Any] = {"float": ctypes.c_float, "double": ctypes.c_double, "CBLAS_INDEX": ctypes.c_size_t}


class Cblas:
    """A CBLAS library: its functions are attributes, `lib.cblas_saxpy(..)`. Arrays are passed as addresses.

    `prefix` is what the library's names begin with, before `cblas_`; with `integers` of 64 bits they end with `_64`.
    """

    def __init__(self, library: Path, prefix: str = "", integers: Bits = 32) -> None:
        self.library = ctypes.CDLL(str(library))
        self._prefix, self._integers = prefix, integers
        self._known = {r.name: r for r in routines()}

    def __getattr__(self, name: str) -> Any:
        if name not in self._known:
            raise AttributeError(f"{name} is no CBLAS function of exo_blas.h")
        function = getattr(self.library, f"{self._prefix}{name}{'_64' * (self._integers == 64)}")
        function.argtypes, function.restype = _types(self._known[name], self._integers)
        setattr(self, name, function)
        return function


def _types(p: Routine, integers: Bits) -> tuple[list[Any], Any]:
    params = [q.rsplit(" ", 1) for q in p.params.split(", ")]
    numbers = NUMBERS | {"CBLAS_INT": ctypes.c_int64 if integers == 64 else ctypes.c_int32}
    kinds = [ctypes.c_void_p if name.startswith("*") else numbers.get(t, ctypes.c_int) for t, name in params]
    return kinds, NUMBERS.get(p.result)


def load(library: Path, isa: str, integers: Bits = 32) -> Cblas:
    """The library as it is on a processor that has this instruction set at most. Makes a copy beside it, as a file is
    loaded once only."""
    copy = library.with_name(f"{library.stem}_{isa}.so")
    scratch = copy.with_suffix(f".{os.getpid()}")
    shutil.copy(library, scratch)
    os.replace(scratch, copy)  # another process may have the one before in its memory
    before = os.environ.get("EXO_BLAS_ISA")
    os.environ["EXO_BLAS_ISA"] = isa
    try:
        return Cblas(copy, integers=integers)
    finally:
        if before is None:
            del os.environ["EXO_BLAS_ISA"]
        else:
            os.environ["EXO_BLAS_ISA"] = before
