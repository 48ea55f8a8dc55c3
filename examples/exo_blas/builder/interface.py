"""The library's header, with the names that functions have with 64-bit integers, and what wrappers are written with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from .routines import declarations, routines

FOLDER = Path(__file__).parents[1] / "cblas"

Bits: TypeAlias = Literal[32, 64]
"""Of integers."""

_OWN = ("exo_blas_isa", "exo_blas_choices", "cblas_xerbla", "xerbla_", "xerbla_array_", "lsame_")
_FIRST = "#ifndef CBLAS_INT\n"
_FUNCTIONS = "// The functions of builder/routines.py"


def parts() -> Mapping[str, str]:
    """The text of the files that all units are written with, besides the header, by their names."""
    return {name: (FOLDER / name).read_text() for name in ("choices.h", "unit.h")}


@cache
def header() -> str:
    """The text of `exo_blas.h`: the file of `cblas/` with the functions of `routines`, and what EXO_BLAS_64 makes of
    their names, as in netlib's library.

    >>> for line in header().splitlines():
    ...     if "sgemm" in line and "batch" not in line and line.startswith("#"):
    ...         print(line)
    #define cblas_sgemm cblas_sgemm_64
    #define sgemm_ sgemm_64_
    """
    text = (FOLDER / "exo_blas.h").read_text().replace(_FUNCTIONS, declarations())
    names = {name: f"{name.removesuffix('_')}_64{'_' * name.endswith('_')}" for name in _OWN}
    names |= {r.name: f"{r.name}_64" for r in routines()}
    names |= {f"{r.fortran}_": f"{r.fortran}_64_" for r in routines()}
    lines = (
        "// With -DEXO_BLAS_64: the functions of libexo_blas64, whose integers have 64 bits.",
        "#ifdef EXO_BLAS_64",
        "#define CBLAS_INT int64_t",
        *(f"#define {old} {new}" for old, new in names.items()),
        "#endif\n\n",
    )
    return text.replace(_FIRST, "\n".join(lines) + _FIRST, 1)
