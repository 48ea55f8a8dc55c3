"""The BLAS that NumPy carries, or SciPy's, for the demonstrations.

NumPy calls it for products of matrices, but not for `y += a x`: that routine is called here by its C name.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float32]

NAMES = ("scipy_cblas_saxpy64_", "cblas_saxpy64_", "cblas_saxpy$NEWLAPACK$ILP64", "scipy_cblas_saxpy", "cblas_saxpy")
"""What builds of NumPy call it; those with 64 in the name take sizes of 64 bits."""


class Rival(NamedTuple):
    """A routine: `call(a, x, y)` is a function that adds a x to y."""

    name: str
    call: Callable[[Array, Array, Array], Callable[[], object]]


def numpy_blas() -> str:
    """The name and the version of the BLAS that NumPy was built with."""
    found: Any = np.show_config(mode="dicts")
    blas = found.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'an unknown BLAS')} {blas.get('version', '')}".strip()


@cache
def saxpy() -> Rival:
    """`y += a x` by SciPy's BLAS if there is SciPy, else by NumPy's; if neither can be called, by NumPy's own product
    and sum, which the name says."""
    return _of_scipy() or _of_numpy() or Rival("NumPy's product and sum, as its BLAS can't be called", _by_parts)


def _of_scipy() -> Rival | None:
    try:
        blas: Any = import_module("scipy.linalg.blas")
        version = import_module("scipy").__version__
    except ImportError:
        return None
    return Rival(f"saxpy of SciPy {version}", lambda a, x, y: lambda: blas.saxpy(x, y, a=a.item()))


def _of_numpy() -> Rival | None:
    # what a library was linked with is found where it is
    library = ctypes.CDLL(str(import_module("numpy.linalg._umath_linalg").__file__))
    name = next((n for n in NAMES if hasattr(library, n)), None)
    if name is None:
        return None
    function, size = getattr(library, name), ctypes.c_int64 if "64" in name else ctypes.c_int32
    function.argtypes = [size, ctypes.c_float, ctypes.c_void_p, size, ctypes.c_void_p, size]
    function.restype = None

    def call(a: Array, x: Array, y: Array) -> Callable[[], object]:
        # these keep the arrays alive
        source, target = ((ctypes.c_float * v.size).from_buffer(v) for v in (x, y))  # type: ignore[arg-type]
        return partial(function, x.size, a.item(), source, 1, target, 1)

    return Rival(f"{name} of {numpy_blas()}, which NumPy carries", call)


def _by_parts(a: Array, x: Array, y: Array) -> Callable[[], object]:
    t = np.empty_like(x)

    def run() -> object:
        np.multiply(x, a, out=t)
        return np.add(y, t, out=y)

    return run
