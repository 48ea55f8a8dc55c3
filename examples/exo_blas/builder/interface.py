"""The interface: the functions that `exo_blas.h` declares, and the names that they have with 64-bit integers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

FOLDER = Path(__file__).parents[1] / "cblas"

Bits: TypeAlias = Literal[32, 64]
"""Of integers."""

_PROTOTYPE = re.compile(r"^(?P<result>\w+) (?P<name>cblas_\w+)\((?P<params>[^;]*)\);", re.MULTILINE)
_OWN = ("exo_blas_isa", "exo_blas_choices", "cblas_xerbla", "xerbla_", "xerbla_array_", "lsame_")
_FIRST = "#ifndef CBLAS_INT\n"


def parts() -> Mapping[str, str]:
    """The text of the files that all units are written with, besides the header, by their names."""
    return {name: (FOLDER / name).read_text() for name in ("choices.h", "unit.h")}


class Prototype(NamedTuple):
    """A CBLAS function of the header."""

    result: str
    name: str
    params: str

    def arguments(self) -> str:
        """The names of its parameters."""
        return ", ".join(re.findall(r"(\w+)$", p)[0] for p in self.params.split(", "))

    @property
    def routine(self) -> str:
        """What it is called in Fortran: `sgemm`, `cdotu` of `cblas_cdotu_sub`."""
        return self.name.removeprefix("cblas_").removesuffix("_sub")


def prototypes(header: str) -> tuple[Prototype, ...]:
    """The functions that a header declares, but for `cblas_xerbla`.

    >>> [(p.name, p.arguments()) for p in prototypes("float cblas_sasum(int n,\\n  const float *x);")]
    [('cblas_sasum', 'n, x')]
    """
    found = (Prototype(m["result"], m["name"], " ".join(m["params"].split())) for m in _PROTOTYPE.finditer(header))
    return tuple(p for p in found if p.name != "cblas_xerbla")


@cache
def header() -> str:
    """The text of `exo_blas.h`: the file of `cblas/`, and what EXO_BLAS_64 makes of its names, as in netlib's library.

    >>> for line in header().splitlines():
    ...     if "sgemm" in line and "batch" not in line and line.startswith("#"):
    ...         print(line)
    #define cblas_sgemm cblas_sgemm_64
    #define sgemm_ sgemm_64_
    """
    text = (FOLDER / "exo_blas.h").read_text()
    found = prototypes(text)
    names = {name: f"{name.removesuffix('_')}_64{'_' * name.endswith('_')}" for name in _OWN}
    names |= {p.name: f"{p.name}_64" for p in found}
    names |= {f"{p.routine}_": f"{p.routine}_64_" for p in found}
    lines = (
        "// With -DEXO_BLAS_64: the functions of libexo_blas64, whose integers have 64 bits.",
        "#ifdef EXO_BLAS_64",
        "#define CBLAS_INT int64_t",
        *(f"#define {old} {new}" for old, new in names.items()),
        "#endif\n\n",
    )
    return text.replace(_FIRST, "\n".join(lines) + _FIRST, 1)
