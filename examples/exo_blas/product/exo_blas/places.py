"""Where the libraries are, and what C and CMake need to use them."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


def libraries() -> Path:
    """The folder of the libraries: `libexo_blas.so` and `.a`, and `libexo_blas64.so` and `.a`, whose integers have 64
    bits and whose functions end with `_64` (`cblas_sgemm_64`, `sgemm_64_`)."""
    return _HERE / "lib"


def library(integers: int = 32) -> Path:
    """The shared library with integers of 32 or 64 bits. Raises `ValueError` for others."""
    if integers not in (32, 64):
        raise ValueError(f"the libraries have integers of 32 or 64 bits, not {integers!r}")
    return libraries() / ("libexo_blas64.so" if integers == 64 else "libexo_blas.so")


def include() -> Path:
    """The folder of `exo_blas.h`, for `-I`."""
    return _HERE / "include"


def pkgconfig() -> Path:
    """The folder of `exo_blas.pc` and `exo_blas64.pc`, for `PKG_CONFIG_PATH`."""
    return libraries() / "pkgconfig"


def cmake() -> Path:
    """The folder of the CMake package, for `-Dexo_blas_DIR=`."""
    return libraries() / "cmake" / "exo_blas"


def isa() -> str:
    """The instruction set in use: `c`, `avx2` or `avx512`."""
    told = loaded().exo_blas_isa_64
    told.restype = ctypes.c_char_p
    name: bytes = told()
    return name.decode()


@cache
def loaded() -> ctypes.CDLL:
    """The library that the functions on arrays call: it takes arrays of any size. Raises `ImportError` if it isn't
    there: this may be the folder of the source, which Python finds before what was installed."""
    path = library(64)
    if not path.exists():
        why = "it was built without it (LIBRARIES)" if library().exists() else "it was imported from its source"
        raise ImportError(f"{path} isn't there, which exo_blas calls: {why}")
    return ctypes.CDLL(str(path))
