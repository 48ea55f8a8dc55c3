"""exo_blas: BLAS for real and complex numbers. Where its libraries are, and its functions on NumPy arrays.

    >>> import numpy as np, exo_blas
    >>> a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    >>> exo_blas.gemm(a, b)
    array([[ 3.,  3.],
           [12., 12.]])

Arrays are of float32, float64, complex64 or complex128, all of a call of the same. They may have any strides:
transposed matrices (`a.T`) and steps (`x[::2]`) go to BLAS as they are, everything else in copies. What BLAS updates is
updated in place, and returned: `out` of matrix products, the last vector or matrix of other functions.
`EXO_NUM_THREADS` in the environment says how many threads share large products, `EXO_BLAS_ISA` (`c`, `avx2`, `avx512`)
which instructions may be used.

`a.conj().T` is a copy in NumPy. `adjoint(a)` is none, where BLAS can conjugate a itself:

    >>> a = np.array([[1 + 2j, 3 + 1j]])
    >>> exo_blas.gemm(a, exo_blas.adjoint(a))
    array([[15.+0.j]])

Of real numbers, a Hermitian matrix is a symmetric one: `hemv`, `her` and so on are `symv`, `syr` there, and `vdot` is
`dot`.
"""

from __future__ import annotations

from importlib.metadata import version

from .arrays import adjoint
from .level1 import asum, axpy, dot, iamax, nrm2, rot, scal, swap, vdot
from .level2 import gemv, ger, gerc, hemv, her, her2, symv, syr, syr2, trmv, trsv
from .level3 import gemm, hemm, her2k, herk, symm, syr2k, syrk, trmm, trsm
from .places import cmake, include, isa, libraries, library, pkgconfig

__all__ = [
    "adjoint", "asum", "axpy", "cmake", "dot", "gemm", "gemv", "ger", "gerc", "hemm", "hemv", "her", "her2", "her2k",
    "herk", "iamax", "include", "isa", "libraries", "library", "nrm2", "pkgconfig", "rot", "scal", "swap", "symm",
    "symv", "syr", "syr2", "syr2k", "syrk", "trmm", "trmv", "trsm", "trsv", "vdot",
]  # fmt: skip


def __getattr__(name: str) -> str:
    """The version of what is installed: there is none of the source."""
    if name == "__version__":
        return version("exo-blas")
    raise AttributeError(f"exo_blas has no {name}")
