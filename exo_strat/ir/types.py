"""Types of the object language.

Data scalars hold numbers; control types hold the integers and truth values that loops, indices and
conditions are made of. `R` is a data scalar whose precision is not decided yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from pyrsistent import PVector

from .frozen import deep, fast_init
from .memo import Remembers

if TYPE_CHECKING:
    from .nodes import Expr


@fast_init
@dataclass(frozen=True, slots=True)
class Scalar(Remembers):
    """A data type: a real number, held at a precision that only the backend reads."""

    name: str
    CHILDREN: ClassVar[tuple[tuple[str, bool], ...]] = ()

    def __str__(self) -> str:
        return self.name

    @property
    def is_float(self) -> bool:
        return self.name[0] in "bfR"


@fast_init
@dataclass(frozen=True, slots=True)
class Control(Remembers):
    """A control type: `size` (>= 1), `index` (>= 0 is not implied), `int`, `bool` or `stride`."""

    name: str
    CHILDREN: ClassVar[tuple[tuple[str, bool], ...]] = ()

    def __str__(self) -> str:
        return self.name


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Tensor(Remembers):
    """An array of `base` with the given extents; `window` if it may be a strided view of another."""

    base: Scalar
    shape: PVector[Expr]
    window: bool = False
    CHILDREN: ClassVar[tuple[tuple[str, bool], ...]] = (("shape", True),)


DataType: TypeAlias = Scalar | Tensor
Type: TypeAlias = Scalar | Control | Tensor

R: Final = Scalar("R")
bf16, f16, f32, f64 = (Scalar(n) for n in ("bf16", "f16", "f32", "f64"))
i8, i16, i32, i64 = (Scalar(n) for n in ("i8", "i16", "i32", "i64"))
u8, u16, u32, u64 = (Scalar(n) for n in ("u8", "u16", "u32", "u64"))
size, index, int_, bool_, stride_ = (Control(n) for n in ("size", "index", "int", "bool", "stride"))

SCALARS: Final = {t.name: t for t in (R, bf16, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64)}
CONTROLS: Final = {t.name: t for t in (size, index, int_, bool_, stride_)}
