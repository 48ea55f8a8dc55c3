"""Gemmini's two local memories, which are addressed by rows of 16 elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import ClassVar

from ..c import Index, Objection, PlacedMemory, Term
from ..c.terms import num, offset
from ..kernel import Scalar

DIM = 16
"""Rows and columns of the systolic array, and elements of a row of local memory."""

BLOCK = 4
"""Tiles side by side that one load or store takes at most."""

HEADER, MODEL = "exo_gemmini.h", "exo_gemmini_model.h"
INCLUDE_DIR = Path(__file__).parent
"""The folder of the header that generated code includes."""


class GemminiMemory(PlacedMemory):
    """Rows of 16 elements of one precision. A buffer is dense, so its innermost extent is 16."""

    unit: ClassVar[str] = "rows"
    cc_flags: ClassVar[tuple[str, ...]] = (f"-I{INCLUDE_DIR}",)
    architecture: ClassVar[str] = "riscv64"
    headers: ClassVar[tuple[Path, ...]] = (INCLUDE_DIR / HEADER, INCLUDE_DIR / MODEL)
    holds: ClassVar[str] = ""
    base: ClassVar[int] = 0

    def prelude(self) -> str:
        return f'#include "{HEADER}"'

    def units(self, scalar: Scalar, shape: tuple[int, ...]) -> int:
        if scalar.name != self.holds:
            raise Objection(f"{self} holds {self.holds}, not {scalar}")
        if not shape or shape[-1] != DIM:
            extent = shape[-1] if shape else "that of a single value"
            raise Objection(f"the innermost extent in {self} must be {DIM}, a row; it is {extent}")
        return prod(shape[:-1])

    def place(self, name: str, at: int) -> str:
        return f"const uint32_t {name} = {self.base + at:#x}u;"

    def element(self, name: str, index: Sequence[Index], strides: Sequence[Term]) -> str:
        """The address of the row in which a window begins."""
        *outer, column = index
        if not column.kept or column.at.value != 0:
            raise Objection(f"an instruction takes whole rows of {self}: `{name}[.., 0:{DIM}]`, from column 0 on")
        rows = offset((i.at for i in outer), (num(_rows(s)) for s in strides[:-1]))
        return name if rows.value == 0 else f"({name} + {rows})"

    def epilogue(self) -> str:
        return "exo_gemmini_fence();"


def _rows(stride: Term) -> int:
    assert stride.value is not None, "extents are constant"
    return stride.value // DIM


class _Scratchpad(GemminiMemory):
    capacity: ClassVar[int] = 16384
    holds: ClassVar[str] = "i8"


class _Accumulator(GemminiMemory):
    capacity: ClassVar[int] = 1024
    holds: ClassVar[str] = "i32"
    base: ClassVar[int] = 1 << 31


GEMM_SCRATCH = _Scratchpad("GEMM_SCRATCH")
"""The scratchpad: 256 KiB, 16384 rows of 16 int8."""
GEMM_ACCUM = _Accumulator("GEMM_ACCUM")
"""The accumulator: 64 KiB, 1024 rows of 16 int32."""
