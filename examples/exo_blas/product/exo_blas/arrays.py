"""Arrays as BLAS has them: matrices by rows or transposed, vectors with increments; and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.floating[Any]]
Side: TypeAlias = Literal["left", "right"]

PLAIN: Final = 111
TRANSPOSED: Final = 112
UPPER: Final = 121
LOWER: Final = 122
LEFT: Final = 141
RIGHT: Final = 142
LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}
"""What the names of functions begin with."""


class Window(NamedTuple):
    """A matrix as BLAS has it: by rows, or transposed, which is by columns."""

    matrix: Array
    transposed: bool

    @property
    def run(self) -> tuple[int, int]:
        """Its address, and the distance of rows in elements."""
        m = self.matrix.T if self.transposed else self.matrix
        distance = m.strides[0] // m.itemsize if len(m) > 1 else 0
        return m.ctypes.data, max(1, m.shape[1], distance)

    @property
    def flag(self) -> int:
        return TRANSPOSED if self.transposed else PLAIN

    def uplo(self, lower: bool) -> int:
        """Which triangle is stored, of the rows that BLAS sees."""
        return LOWER if lower != self.transposed else UPPER

    def side(self, side: Side) -> int:
        """Where another matrix is, if this one's transposed is computed."""
        return LEFT if (side == "left") != self.transposed else RIGHT


def by_rows(m: Array) -> bool:
    """Whether elements of a row are neighbours, and rows don't overlap."""
    item = m.itemsize
    near = m.shape[1] <= 1 or m.strides[1] == item
    return near and (m.shape[0] <= 1 or (m.strides[0] >= max(1, m.shape[1]) * item and m.strides[0] % item == 0))


def window(m: Array) -> Window:
    """A matrix to be read: as it is where rows or columns are of neighbours, else a copy."""
    if by_rows(m):
        return Window(m, False)
    return Window(m, True) if by_rows(m.T) else Window(np.ascontiguousarray(m), False)


def row_window(m: Array) -> Window:
    """The same by rows."""
    return Window(m if by_rows(m) else np.ascontiguousarray(m), False)


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


def apart(x: Array, out: Array) -> Array:
    """An input, copied if it may have memory in common with what is written."""
    return x.copy() if np.may_share_memory(x, out) else x


def alike(**arrays: ArrayLike) -> list[Array]:
    """Arrays of one precision: that which all have, or double precision for lists and integers."""
    found = {name: np.asarray(x) for name, x in arrays.items()}
    known = {x.dtype for x in found.values() if x.dtype in LETTERS}
    if len(known) > 1:
        raise TypeError(", ".join(f"{n} is {x.dtype}" for n, x in found.items()) + ": all must be of one precision")
    dtype = known.pop() if known else np.dtype(np.float64)
    return [converted(name, x, dtype) for name, x in found.items()]


def converted(name: str, x: Array, dtype: np.dtype[Any]) -> Array:
    if x.dtype != dtype and x.dtype.kind not in "biu":
        raise TypeError(f"{name} is {x.dtype}, and has to be {dtype} here")
    aligned = np.require(x, dtype, ["A"])
    odd = any(s % aligned.itemsize for s in aligned.strides) or (aligned.ndim == 1 and 0 in aligned.strides)
    return aligned.copy() if odd else aligned


def inputs(out: Array, **arrays: ArrayLike) -> list[Array]:
    """Arrays of the precision of what is updated."""
    updated(out=out)
    return [converted(name, np.asarray(x), out.dtype) for name, x in arrays.items()]


def updated(**arrays: Array) -> None:
    for name, x in arrays.items():
        if not isinstance(x, np.ndarray) or x.dtype not in LETTERS:
            raise TypeError(f"{name} is updated, so it has to be an array of float32 or float64, not {about(x)}")
        if not x.flags.writeable:
            raise ValueError(f"{name} is updated, and can't be written")
        if not x.flags.aligned or any(s % x.itemsize for s in x.strides) or (0 in x.strides and x.size > 1):
            raise ValueError(f"{name} is updated, so its elements have to be whole and apart in memory: copy it first")


def about(x: object) -> str:
    return f"an array of {x.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"


def with_out(
    beta: float, out: Array | None, shape: Callable[..., tuple[int, ...]], **arrays: ArrayLike
) -> tuple[list[Array], Array]:
    """Inputs, and the array that the result goes to: a new one of this shape if none is given."""
    if out is not None:
        return inputs(out, **arrays), out
    if beta != 0:
        raise ValueError(f"beta is {beta}, so out has to be given")
    found = alike(**arrays)
    try:
        made = np.zeros(shape(*found), found[0].dtype)
    except (IndexError, TypeError):
        said = (f"{name} has {x.ndim} dimensions" for name, x in zip(arrays, found, strict=True))
        raise ValueError(", ".join(said)) from None
    return found, made


def shaped(ndim: int, **arrays: Array) -> None:
    for name, x in arrays.items():
        if x.ndim != ndim:
            raise ValueError(f"{name} has {x.ndim} dimensions, not {ndim}")


def vectors(**arrays: Array) -> None:
    shaped(1, **arrays)


def square(**matrix: Array) -> int:
    """The rows of a square matrix."""
    ((name, m),) = matrix.items()
    shaped(2, **matrix)
    if m.shape[0] != m.shape[1]:
        raise ValueError(f"{name} is {m.shape[0]} x {m.shape[1]}, and has to be square")
    return len(m)


def same(**sizes: int) -> int:
    """The size that all have."""
    if len({*sizes.values()}) > 1:
        raise ValueError("sizes don't fit: " + ", ".join(f"{n} has {size}" for n, size in sizes.items()))
    return next(iter(sizes.values()))


def of_side(side: str, m: int, n: int) -> int:
    if side not in ("left", "right"):
        raise ValueError(f"side is left or right, not {side!r}")
    return m if side == "left" else n
