"""What runs compute with: exact numbers, tensors and views of them; and how runs end."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from ..ir.nodes import ProcDef
from ..ir.printing import render
from ..ir.walk import Path

Number: TypeAlias = int | Fraction
"""An exact data value."""
Cell: TypeAlias = Number | None
"""A data value, or None if the cell was never written."""
Value: TypeAlias = "Cell | bool | tuple[Value, ...]"
"""What an argument holds after a run: a tensor is a nested tuple."""


class Array(NamedTuple):
    """A tensor or a view of one: element `idx` is `cells[offset + sum(idx * strides)]`.

    Views share `cells`, so a write through one is seen through all.
    """

    cells: list[Cell]
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def places(self) -> Sequence[int]:
        """The positions in `cells` of the elements, in row-major order."""
        if self.strides == dense_strides(self.shape):
            return range(self.offset, self.offset + prod(self.shape))
        return [self.offset + sum(map(operator.mul, idx, self.strides)) for idx in product(*map(range, self.shape))]

    def value(self) -> Value:
        """The elements as nested tuples; of a scalar, its value."""
        flat: list[Value] = [self.cells[k] for k in self.places()]
        for extent in reversed(self.shape[1:]):
            flat = [tuple(flat[k : k + extent]) for k in range(0, len(flat), extent)]
        return tuple(flat) if self.shape else flat[0]


def dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides.

    >>> dense_strides((2, 3, 4))
    (12, 4, 1)
    """
    out = [1]
    for extent in reversed(shape[1:]):
        out.append(out[-1] * extent)
    return tuple(reversed(out)) if shape else ()


def blank(shape: Sequence[int]) -> Array:
    """A dense tensor that was never written.

    >>> blank((2,)).value()
    (None, None)
    """
    return Array([None] * prod(shape), 0, tuple(shape), dense_strides(shape))


def array(values: object) -> Array:
    """A dense tensor from nested sequences of numbers; None is a cell that was never written.

    >>> array([[1, 2], [3, None]]).strides
    (2, 1)
    """
    if not isinstance(values, Sequence):
        return Array([exact(values)], 0, (), ())
    rows = [array(v) for v in values]
    if len({r.shape for r in rows}) != 1:
        raise ValueError(f"the rows of a tensor must have one shape, and there must be some: {values!r}")
    shape = (len(rows), *rows[0].shape)
    return Array([c for r in rows for c in r.cells], 0, shape, dense_strides(shape))


def exact(value: object) -> Cell:
    """A Python number as an exact one: an `int` if it is whole.

    >>> exact(2.0), exact(0.5)
    (2, Fraction(1, 2))
    """
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float | Fraction):
        number = value if type(value) is Fraction else Fraction(value)
        return number.numerator if number.denominator == 1 else number
    raise ValueError(f"{value!r} is no number")


@dataclass(frozen=True)
class Trap:
    """Why a run ended early.

    `kind` is "out of bounds", "uninitialised", "assertion" (also of a callee), "extent" (a size, extent or
    window that is too small, or not as declared), "stride", "aliasing", "division" or "domain" (an extern has
    no value). `path` stands in `tree`, the procedure that was running: maybe a callee.
    """

    kind: str
    message: str
    tree: ProcDef
    path: Path

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}\n{render(self.tree, self.path)}"


@dataclass(frozen=True)
class Outcome:
    """What a run leaves: the data arguments by name, config fields by "Config.field", the trap if any."""

    outputs: Mapping[str, Value]
    configs: Mapping[str, Value]
    trap: Trap | None
