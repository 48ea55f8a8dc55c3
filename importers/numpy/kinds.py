"""The types of NumPy values, and what NumPy makes of them when it computes.

All of promotion is asked of NumPy itself. A Python number is *weak*: beside an array it takes the array's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Final

import numpy as np

from ..report import NOWHERE, stop

DTYPES: Final = {
    "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool",
}  # fmt: skip
"""NumPy's names of the types that are taken, by those of the object language."""
NAMES: Final = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class Kind:
    """A type of values: `name` as in `DTYPES`; `weak` for Python's own numbers and truth values.

    A number that has one type on some ways through a program, and another on others, is kept at `name`; `ways` are the
    types that it may have.
    """

    name: str
    weak: bool = False
    ways: tuple[Kind, ...] = field(default=(), compare=False)

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
    def each(self) -> tuple[Kind, ...]:
        return self.ways or (self,)

    @property
    def strong(self) -> Kind:
        """The type of an array of such numbers."""
        if len({w.name for w in self.each}) > 1:
            why = f"it is {self}, which depends on the way through the program, and so would be the type of an array"
            raise stop(NOWHERE, "a number", why, "convert it with float, int or a type of NumPy")
        return Kind(self.name)

    def alike(self, other: Kind) -> bool:
        """Whether two kinds are one, on all ways."""
        return self == other and set(self.each) == set(other.each)

    def __str__(self) -> str:
        if self.ways:
            return " or ".join(map(str, self.ways))
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

    >>> kind_of(np.dtype("float32")) == Kind("f32"), kind_of(np.dtype("complex64"))
    (True, None)
    """
    name = NAMES.get(dtype.name)
    return Kind(name) if name is not None else None


def resolve(ufunc: str, kinds: Sequence[Kind], operator: bool = False) -> tuple[Kind, ...] | None:
    """The types at which NumPy computes a function: those of the operands, then that of the result; None if there is no
    such loop for what is taken. `operator`: Python's own numbers stay weak.

    >>> [k.name for k in resolve("add", [Kind("f32"), FLOAT])], [k.name for k in resolve("add", [Kind("f32"), I64])]
    (['f32', 'f32', 'f32'], ['f64', 'f64', 'f64'])
    """
    if any(k.ways for k in kinds):
        return _on_all_ways(ufunc, kinds, operator)
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


EXACT: Final = ("add", "subtract", "multiply", "negative", "positive", "absolute", "maximum", "minimum")
"""Functions whose values of whole numbers are the same if they are computed in floating point."""


def _on_all_ways(ufunc: str, kinds: Sequence[Kind], operator: bool) -> tuple[Kind, ...] | None:
    """The types of a function of numbers that have several; None unless all ways give the same number."""
    ways = list(product(*(k.each for k in kinds)))
    found = [resolve(ufunc, way, operator) for way in ways]
    done = [f for f in found if f is not None]
    if len(done) < len(found):
        return None
    fixed = [f for way, f in zip(ways, done, strict=True) if not all(k.weak for k in way)]
    fixed = fixed or [f for f in done if f[0].is_float][:1] or done
    first = fixed[0]
    names = [k.name for k in first]
    if any([k.name for k in f] != names for f in fixed):
        return None
    for f in done:
        rounded = first[-1].is_float and (f[-1].is_float or ufunc in EXACT)
        chosen = first[-1].is_bool or ufunc in ("maximum", "minimum")
        if [k.name for k in f] != names and not chosen and not rounded:
            return None
    if any(k.name == "f32" != i.name and k.ways for k, i in zip(kinds, first, strict=False)):
        return None
    return (*first[:-1], _one_of([f[-1] for f in done], first[-1]))


def _one_of(ways: Sequence[Kind], kept: Kind) -> Kind:
    """A type that is one of several, and kept as one of them."""
    each = tuple(dict.fromkeys(w for k in ways for w in k.each))
    return each[0] if len(each) == 1 else Kind(kept.name, all(w.weak for w in each), each)


def can_cast(a: Kind, b: Kind) -> bool:
    """Whether an operation in place may store a value of one type in another."""
    return a.weak or bool(np.can_cast(a.dtype, b.dtype, "same_kind"))


def joined(a: Kind, b: Kind) -> Kind | None:
    """One type for a variable that has either; None if there is none that holds both.

    >>> str(joined(FLOAT, Kind("f32"))), joined(Kind("f32"), Kind("f64"))
    ('a Python float or float32', None)
    """
    kept = _kept(a, b)
    return None if kept is None else _one_of([a, b], kept)


def _kept(a: Kind, b: Kind) -> Kind | None:
    """What a variable is kept as that has either type."""
    if a.name == b.name:
        return a
    if a.is_bool or b.is_bool:
        return None
    if a.weak and b.weak:
        return FLOAT
    if a.weak or b.weak:
        strong, weak = (b, a) if a.weak else (a, b)
        return strong if strong.is_float or weak.is_int else None
    return None


def holds(kind: Kind, given: Kind, value: int | float | None) -> bool:
    """Whether a variable of a type keeps a Python number as it is: one that isn't known, only in 64 bits."""
    if not given.weak or kind.weak or given.name == kind.name or (kind.name == "f64" and given.is_int):
        return True
    if value is None:
        return False
    if kind.is_int:
        info = np.iinfo(kind.dtype)
        return value == int(value) and info.min <= value <= info.max
    return float(np.float32(value)) == value
