"""The types of NumPy values, and what NumPy makes of them when it computes.

All of promotion is asked of NumPy itself. A Python number is *weak*: beside an array it takes the array's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

DTYPES: Final = {
    "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool",
}  # fmt: skip
"""NumPy's names of the types that are taken, by those of the object language."""
NAMES: Final = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class Kind:
    """A type of values: `name` as in `DTYPES`; `weak` for Python's own numbers and truth values."""

    name: str
    weak: bool = False

    @property
    def is_float(self) -> bool:
        return self.name[0] == "f"

    @property
    def is_bool(self) -> bool:
        return self.name == "bool"

    @property
    def is_int(self) -> bool:
        return self.name[0] in "iu"

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(DTYPES[self.name])

    @property
    def precision(self) -> str:
        """What values are stored as: truth values are 0 and 1."""
        return "u8" if self.is_bool else self.name

    @property
    def strong(self) -> Kind:
        return replace(self, weak=False)

    def __str__(self) -> str:
        names = {"f64": "float", "i64": "int", "bool": "bool"}
        return f"a Python {names[self.name]}" if self.weak and self.name in names else DTYPES[self.name]


FLOAT: Final = Kind("f64", weak=True)
INT: Final = Kind("i64", weak=True)
BOOL: Final = Kind("bool")
PYTHON_BOOL: Final = Kind("bool", weak=True)
F64: Final = Kind("f64")
I64: Final = Kind("i64")


def kind_of(dtype: np.dtype[Any]) -> Kind | None:
    """The kind of a NumPy type, if it is taken.

    >>> kind_of(np.dtype("float32")), kind_of(np.dtype("complex64"))
    (Kind(name='f32', weak=False), None)
    """
    name = NAMES.get(dtype.name)
    return Kind(name) if name is not None else None


def resolve(ufunc: str, kinds: Sequence[Kind], operator: bool = False) -> tuple[Kind, ...] | None:
    """The types at which NumPy computes a function: those of the operands, then that of the result; None if there is no
    such loop for what is taken. `operator`: Python's own numbers stay weak.

    >>> [k.name for k in resolve("add", [Kind("f32"), FLOAT])], [k.name for k in resolve("add", [Kind("f32"), I64])]
    (['f32', 'f32', 'f32'], ['f64', 'f64', 'f64'])
    """
    weak = all(k.weak for k in kinds)
    asked = [k.dtype if weak or not k.weak or k.is_bool else (float if k.is_float else int) for k in kinds]
    try:
        found = getattr(np, ufunc).resolve_dtypes((*asked, None))
    except TypeError:
        return None
    out = [kind_of(np.dtype(d)) for d in found]
    if any(k is None for k in out):
        return None
    done = tuple(k for k in out if k is not None)
    if weak and operator and done[-1].name in ("f64", "i64", "bool"):
        done = (*done[:-1], replace(done[-1], weak=True))
    return done


def can_cast(a: Kind, b: Kind) -> bool:
    """Whether an operation in place may store a value of one type in another."""
    return a.weak or bool(np.can_cast(a.dtype, b.dtype, "same_kind"))


def joined(a: Kind, b: Kind) -> Kind | None:
    """One type for a variable that has either; None if it would change how it is computed with."""
    if a == b:
        return a
    if a.is_bool and b.is_bool:
        return BOOL
    if a.is_bool or b.is_bool:
        return None
    if a.weak and b.weak:
        return FLOAT
    if a.weak or b.weak:
        strong, weak = (b, a) if a.weak else (a, b)
        return strong if strong.is_float or weak.is_int else None
    return None
