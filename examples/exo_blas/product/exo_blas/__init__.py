"""exo_blas: BLAS for real numbers. Where its libraries are, and its functions on NumPy arrays.

    >>> import numpy as np, exo_blas
    >>> a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    >>> exo_blas.gemm(a, b)
    array([[ 3.,  3.],
           [12., 12.]])

Arrays are of float32 or float64, all of a call of the same. They may have any strides: transposed matrices (`a.T`) and
steps (`x[::2]`) go to BLAS as they are, everything else in copies. What BLAS updates is updated in place, and returned:
`out` of matrix products, the last vector or matrix of other functions. `EXO_NUM_THREADS` in the environment says how
many threads share large products, `EXO_BLAS_ISA` (`c`, `avx2`, `avx512`) which instructions may be used.
"""

from __future__ import annotations

from .functions import (
    asum,
    axpy,
    dot,
    gemm,
    gemv,
    ger,
    iamax,
    nrm2,
    rot,
    scal,
    swap,
    symm,
    symv,
    syr,
    syr2,
    syr2k,
    syrk,
    trmm,
    trmv,
    trsm,
    trsv,
)
from .places import cmake, include, isa, libraries, library, pkgconfig

__all__ = [
    "asum", "axpy", "cmake", "dot", "gemm", "gemv", "ger", "iamax", "include", "isa", "libraries", "library", "nrm2",
    "pkgconfig", "rot", "scal", "swap", "symm", "symv", "syr", "syr2", "syr2k", "syrk", "trmm", "trmv", "trsm", "trsv",
]  # fmt: skip
