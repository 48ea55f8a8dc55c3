"""C functions as object code.

    from importers.c import from_c
    print(from_c(Path("kernel.c"), "gemm"))

The way: the preprocessor over small headers of our own (`preprocess`), pycparser (`reader`), a translation that follows
integer variables in closed form (`translate`), shapes for bare pointers (`shapes`), and the ordinary front end, which
checks all of it (`verify`).
"""

from __future__ import annotations

from ..report import ImportRefusedError, Place, Problem
from .convert import from_c

__all__ = ["ImportRefusedError", "Place", "Problem", "from_c"]
