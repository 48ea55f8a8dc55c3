"""Arrays as BLAS has them: matrices by rows or transposed, vectors with increments; and what is asked of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.inexact[Any]]
Side: TypeAlias = Literal["left", "right"]

BY_ROWS: Final = 101
BY_COLUMNS: Final = 102
PLAIN: Final = 111
TRANSPOSED: Final = 112
ADJOINT: Final = 113
UPPER: Final = 121
LOWER: Final = 122
NON_UNIT: Final = 131
UNIT: Final = 132
LEFT: Final = 141
RIGHT: Final = 142
LETTERS: Final[dict[np.dtype[Any], str]] = {
    np.dtype(np.float32): "s",
    np.dtype(np.float64): "d",
    np.dtype(np.complex64): "c",
    np.dtype(np.complex128): "z",
}
"""What the names of functions begin with."""


@dataclass(frozen=True, eq=False)
class Adjoint:
    """The conjugate transposed of a matrix, which BLAS reads where it is. To NumPy, it is an array of its own."""

    of: Array

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> Array:
        return np.array(self.of.conj().T, dtype, copy=copy)


def adjoint(a: ArrayLike) -> Adjoint:
    """`a.conj().T`, which takes no copy where BLAS can read a itself: in `gemm`, `gemv`, `herk`, `her2k`, `trmm`,
    `trmv`, `trsm`, `trsv`.

    `lower` is about what is handed over: the adjoint of a lower triangle is an upper one.

    >>> np.asarray(adjoint([[1 + 2j, 3 + 4j]]))
    array([[1.-2.j],
           [3.-4.j]])
    """
    return Adjoint(array("a", a))


def operand(a: ArrayLike) -> tuple[ArrayLike, bool]:
    """A matrix without copies, and whether its elements have to be conjugated."""
    return (a.of.T, of_complex(a.of)) if isinstance(a, Adjoint) else (a, False)


class Window(NamedTuple):
    """A matrix as BLAS has it: by rows, or transposed, which is by columns, and then maybe conjugated."""

    matrix: Array
    transposed: bool
    conjugated: bool = False

    @property
    def run(self) -> tuple[int, int]:
        """Its address, and the distance of rows in elements."""
        m = self.matrix.T if self.transposed else self.matrix
        distance = m.strides[0] // m.itemsize if len(m) > 1 else 0
        return m.ctypes.data, max(1, m.shape[1], distance)

    @property
    def flag(self) -> int:
        if not self.transposed:
            return PLAIN
        return ADJOINT if self.conjugated else TRANSPOSED

    @property
    def layout(self) -> int:
        return BY_COLUMNS if self.transposed else BY_ROWS

    def uplo(self, lower: bool, turned: bool = False) -> int:
        """Which triangle is stored, of the rows that BLAS sees; of what is `turned` once more, the other one."""
        return triangle(lower, self.transposed != turned)

    def side(self, side: Side) -> int:
        """Where another matrix is, if this one's transposed is computed."""
        return LEFT if (side == "left") != self.transposed else RIGHT


def triangle(lower: bool, transposed: bool = False) -> int:
    """The flag of a triangle, or of the one that it is transposed. Raises `TypeError` for letters of BLAS."""
    return LOWER if true("lower", lower) != transposed else UPPER


def diagonal(unit: bool) -> int:
    """The flag of a diagonal of ones, or of another one. Raises `TypeError` for letters of BLAS."""
    return UNIT if true("unit", unit) else NON_UNIT


def true(name: str, given: bool) -> bool:
    """Whether something is so. Raises `TypeError` for what is neither True nor False."""
    if not isinstance(given, bool | np.bool_):
        raise TypeError(f"{name} is True or False, not {given!r}")
    return bool(given)


def by_rows(m: Array) -> bool:
    """Whether elements of a row are neighbours, and rows don't overlap."""
    item = m.itemsize
    near = m.shape[1] <= 1 or m.strides[1] == item
    return near and (m.shape[0] <= 1 or (m.strides[0] >= max(1, m.shape[1]) * item and m.strides[0] % item == 0))


def window(m: Array, conjugated: bool = False) -> Window:
    """A matrix to be read: as it is where rows or columns are of neighbours, else a copy. So is what is conjugated, by
    rows: BLAS conjugates what it transposes."""
    if by_rows(m) and not conjugated:
        return Window(m, False)
    return Window(m, True, conjugated) if by_rows(m.T) else row_window(m, conjugated)


def row_window(m: Array, conjugated: bool = False) -> Window:
    """The same by rows."""
    if conjugated:
        return Window(np.conjugate(m, order="C"), False)
    return Window(m if by_rows(m) else np.ascontiguousarray(m), False)


def factor(m: Array, conjugated: bool) -> Window:
    """A matrix to be multiplied with its own adjoint: by rows, or the adjoint of what is by rows."""
    return window(m, True) if conjugated else row_window(m)


def alike_windows(s: Window, t: Window) -> tuple[Window, Window]:
    """Two matrices of which one flag tells how they are stored: both by rows, if it is not the same already."""
    if s.flag == t.flag:
        return s, t
    return row_window(s.matrix, s.conjugated), row_window(t.matrix, t.conjugated)


def in_place(out: Array, run: Callable[[Window], None]) -> Array:
    """What is computed into a matrix, or into a copy that is copied back."""
    w = window(out)
    run(w)
    if w.matrix is not out:
        out[...] = w.matrix
    return out


def strided(x: Array) -> tuple[int, int]:
    """The address of a vector as BLAS has it, and its increment: with a negative one, it begins at its end."""
    if len(x) <= 1:
        return x.ctypes.data, 1
    step = x.strides[0] // x.itemsize
    return (x.ctypes.data + (len(x) - 1) * x.strides[0] if step < 0 else x.ctypes.data), step


def column(x: Array) -> Array:
    """A vector as a matrix."""
    return x[:, None]


def apart(x: Array, out: Array) -> Array:
    """An input, copied if it may have memory in common with what is written."""
    return x.copy() if np.may_share_memory(x, out) else x


def of_complex(x: Array) -> bool:
    return x.dtype.kind == "c"


def alike(**arrays: ArrayLike) -> list[Array]:
    """Arrays of one type: that which all have, or double precision for lists and integers."""
    found = {name: array(name, x) for name, x in arrays.items()}
    known = {x.dtype for x in found.values() if x.dtype in LETTERS}
    if len(known) > 1:
        raise TypeError(", ".join(f"{n} is {x.dtype}" for n, x in found.items()) + ": all must be of one type")
    dtype = next(iter(known), np.dtype(np.float64))
    wanted = f"{dtype} here" if known else TYPES
    return [converted(name, x, dtype, f"and has to be {wanted}") for name, x in found.items()]


TYPES = "float32, float64, complex64 or complex128"


def array(name: str, x: ArrayLike) -> Array:
    """What is given, as an array. Raises `TypeError` for one with a mask, or a list of such."""
    if masked(x):
        raise TypeError(f"{name} has a mask, which BLAS doesn't know: give {name}.filled(0), or {name}.data")
    return np.asarray(x)


def masked(x: object) -> bool:
    """Whether an array, or something in a list, has a mask, which NumPy forgets when it makes an array of it."""
    return isinstance(x, np.ma.MaskedArray) or (isinstance(x, list | tuple) and any(map(masked, x)))


def converted(name: str, x: Array, dtype: np.dtype[Any], why: str) -> Array:
    """An array of this type. Raises `TypeError`, which says why, if it is of another one than integers."""
    if x.dtype != dtype and x.dtype.kind not in "biu":
        raise TypeError(f"{name} is {kind(x.dtype)}, {why}")
    aligned = np.require(x, dtype, ["A"])
    odd = any(s % aligned.itemsize for s in aligned.strides) or (aligned.ndim == 1 and 0 in aligned.strides)
    return aligned.copy() if odd else aligned


def inputs(out: Array, name: str = "out", /, **arrays: ArrayLike) -> list[Array]:
    """Arrays of the type of what is updated, which has this name."""
    updated(**{name: out})
    why = f"{name} is {out.dtype}: both must be of one type"
    return [converted(n, array(n, x), out.dtype, why) for n, x in arrays.items()]


def updated(**arrays: Array) -> None:
    for name, x in arrays.items():
        if not isinstance(x, np.ndarray) or x.dtype not in LETTERS:
            wanted = f"an array of {TYPES}, not {about(x)}: convert it before"
            raise TypeError(f"{name} is updated, so it has to be {wanted}")
        array(name, x)
        if not x.flags.writeable:
            raise ValueError(f"{name} is updated, and can't be written")
        if not x.flags.aligned or any(s % x.itemsize for s in x.strides) or overlaps_itself(x):
            raise ValueError(f"{name} is updated, so its elements have to be whole and apart in memory: copy it first")


def overlaps_itself(x: Array) -> bool:
    """Whether two elements of an array may have memory in common.

    >>> import numpy as np
    >>> overlaps_itself(np.zeros((3, 4)).T), overlaps_itself(np.lib.stride_tricks.sliding_window_view(np.zeros(9), 3))
    (False, True)
    """
    steps = sorted((abs(s) // x.itemsize, n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1)
    reach, nested = 0, x.size > 0
    for step, n in steps:
        nested = nested and step > reach
        reach += step * (n - 1)
    if nested or x.size == 0:
        return False
    places = reduce(np.add.outer, (step * np.arange(n) for step, n in steps), np.zeros((), np.int64))
    return np.unique(places).size < places.size


def about(x: object) -> str:
    return f"an array of {kind(x.dtype)}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"


def numbers(like: Array, **given: complex) -> None:
    """Of real arrays, numbers have to be real."""
    of_numbers(**given)
    if not of_complex(like):
        real(**given)


def real(**given: complex) -> None:
    of_numbers(**given)
    for name, value in given.items():
        if is_complex(value):
            raise TypeError(f"{name} is {value}, and has to be real here")


def of_numbers(**given: Any) -> None:
    for name, value in given.items():
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise ValueError(f"{name} is an integer of {value.bit_length()} bits, which no float holds")
        if masked(value):
            raise TypeError(f"{name} has a mask, and has to be a number")
        if not isinstance(value, (float, int)) and (np.ndim(value) or np.asarray(value).dtype.kind not in "biufc"):
            raise TypeError(f"{name} is {value!r}, and has to be a number")


def kind(dtype: np.dtype[Any]) -> str:
    """What a type is called, with the order of bytes if it is none of this processor's.

    >>> import numpy as np
    >>> kind(np.dtype("f8")), kind(np.dtype("f8").newbyteorder())
    ('float64', 'float64 of the other byte order')
    """
    return str(dtype) if dtype.isnative else f"{dtype.newbyteorder('=')} of the other byte order"


def is_complex(number: complex) -> bool:
    """Whether it is one of Python's or NumPy's complex numbers."""
    return not isinstance(number, (float, int)) and np.iscomplexobj(number)


def with_out(
    alpha: complex, beta: complex, out: Array | None, shape: Callable[..., tuple[int, ...]], **arrays: ArrayLike
) -> tuple[list[Array], Array]:
    """Inputs, and the array that the result goes to: a new one of this shape if none is given."""
    if out is not None:
        given = inputs(out, **arrays)
        numbers(out, alpha=alpha, beta=beta)
        return given, out
    if beta != 0:
        raise ValueError(f"beta is {beta}, so out has to be given")
    found = alike(**arrays)
    numbers(found[0], alpha=alpha, beta=beta)
    try:
        made = np.zeros(shape(*found), found[0].dtype)
    except (IndexError, TypeError):
        said = (f"{name} has {x.ndim} dimension{'s' * (x.ndim != 1)}" for name, x in zip(arrays, found, strict=True))
        raise ValueError(f"{' and '.join(said)}, which don't fit") from None
    return found, made


def shaped(ndim: int, **arrays: Array) -> None:
    for name, x in arrays.items():
        if x.ndim != ndim:
            raise ValueError(f"{name} has {x.ndim} dimension{'s' * (x.ndim != 1)}, not {ndim}")


def vectors(**arrays: Array) -> None:
    shaped(1, **arrays)


class Size(NamedTuple):
    """How many there are, and of what: rows, columns or elements."""

    number: int
    kind: str

    def __str__(self) -> str:
        return f"{self.number} {self.kind.removesuffix('s') if self.number == 1 else self.kind}"


def elements(x: Array) -> Size:
    return Size(len(x), "elements")


def rows(m: Array) -> Size:
    return Size(m.shape[0], "rows")


def columns(m: Array) -> Size:
    return Size(m.shape[1], "columns")


def square(**matrix: Array) -> Size:
    """The rows of a square matrix."""
    ((name, m),) = matrix.items()
    shaped(2, **matrix)
    if m.shape[0] != m.shape[1]:
        raise ValueError(f"{name} is {m.shape[0]} x {m.shape[1]}, and has to be square")
    return rows(m)


def same(**sizes: Size) -> int:
    """The size that all have."""
    numbers = {size.number for size in sizes.values()}
    if len(numbers) > 1:
        raise ValueError("sizes don't fit: " + ", ".join(f"{name} has {size}" for name, size in sizes.items()))
    return numbers.pop()


def of_side(side: str, m: Array) -> Size:
    """Of a matrix with another on this side of it, the size that both have in common."""
    if side not in ("left", "right"):
        raise ValueError(f"side is left or right, not {side!r}")
    return rows(m) if side == "left" else columns(m)
