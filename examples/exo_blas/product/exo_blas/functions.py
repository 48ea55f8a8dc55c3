"""BLAS on NumPy arrays. See the package's docstring for what all of these functions have in common."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .places import loaded

Array: TypeAlias = NDArray[np.floating[Any]]
Side: TypeAlias = Literal["left", "right"]

ROWS: Final = 101
PLAIN, TRANSPOSED = 111, 112
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LEFT, RIGHT = 141, 142
LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}
KINDS: dict[str, Any] = {"i": ctypes.c_int64, "f": ctypes.c_int, "p": ctypes.c_void_p}


# -- level 1 ------------------------------------------------------------------------------------------


def dot(x: ArrayLike, y: ArrayLike) -> float:
    """The sum of the products of elements.

    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    u, v = _alike(x=x, y=y)
    _vectors(x=u, y=v)
    n = _same(x=len(u), y=len(v))
    return float(_function("dot", u, "ipipi", "t")(n, *_run(u), *_run(v)))


def nrm2(x: ArrayLike) -> float:
    """The square root of the sum of squares, without overflow.

    >>> nrm2([3.0, 4.0])
    5.0
    """
    return _of_one("nrm2", x)


def asum(x: ArrayLike) -> float:
    """The sum of the sizes of elements.

    >>> asum([1.0, -2.0])
    3.0
    """
    return _of_one("asum", x)


def iamax(x: ArrayLike) -> int:
    """Where the first element of the largest size is. Raises `ValueError` where there is none.

    >>> iamax([1.0, -3.0, 2.0])
    1
    """
    (u,) = _alike(x=x)
    _vectors(x=u)
    if not len(u):
        raise ValueError("iamax: x has no elements")
    forward = u if u.strides[0] > 0 or len(u) == 1 else u.copy()
    return int(_function("amax", u, "ipi", "i")(len(u), *_run(forward)))


def axpy(alpha: float, x: ArrayLike, y: Array) -> Array:
    """`y += alpha x`. Returns y.

    >>> axpy(2.0, [1.0, 2.0], np.array([10.0, 20.0]))
    array([12., 24.])
    """
    (u,) = _inputs(y, x=x)
    _vectors(x=u, y=y)
    n = _same(x=len(u), y=len(y))
    _function("axpy", y, "itpipi")(n, alpha, *_run(_apart(u, y)), *_run(y))
    return y


def scal(alpha: float, x: Array) -> Array:
    """`x *= alpha`. Returns x.

    >>> scal(2.0, np.array([1.0, 2.0]))
    array([2., 4.])
    """
    _updated(x=x)
    _vectors(x=x)
    forward = x if x.strides[0] > 0 else x[::-1]
    _function("scal", x, "itpi")(len(x), alpha, *_run(forward))
    return x


def swap(x: Array, y: Array) -> tuple[Array, Array]:
    """Exchanges the elements of two vectors. Returns both.

    >>> swap(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    (array([3., 4.]), array([1., 2.]))
    """
    n = _two(x, y)
    _function("swap", x, "ipipi")(n, *_run(x), *_run(y))
    return x, y


def rot(x: Array, y: Array, c: float, s: float) -> tuple[Array, Array]:
    """`x, y = c x + s y, c y - s x`. Returns both.

    >>> rot(np.array([1.0]), np.array([2.0]), 0.0, 1.0)
    (array([2.]), array([-1.]))
    """
    n = _two(x, y)
    _function("rot", x, "ipipitt")(n, *_run(x), *_run(y), c, s)
    return x, y


# -- level 2 ------------------------------------------------------------------------------------------


def gemv(a: ArrayLike, x: ArrayLike, *, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a x + beta out`. Returns it: a new vector, unless it is given.

    >>> gemv([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    array([3., 7.])
    """
    (m, u), y = _with_out(beta, out, lambda a, x: (len(a),), a=a, x=x)
    _shaped(a=m, ndim=2)
    _vectors(x=u, out=y)
    rows, columns = _same(out=len(y), a=m.shape[0]), _same(x=len(u), a=m.shape[1])
    if columns == 0:
        y[...] = y.dtype.type(beta) * y if beta else 0
        return y
    w = _window(_apart(m, y))
    sizes = (columns, rows) if w.transposed else (rows, columns)
    call = _function("gemv", y, "ffiitpipitpi")
    call(ROWS, w.flag, *sizes, alpha, *w.run, *_run(_apart(u, y)), beta, *_run(y))
    return y


def ger(alpha: float, x: ArrayLike, y: ArrayLike, a: Array) -> Array:
    """`a += alpha x y^T`. Returns a.

    >>> ger(1.0, [1.0, 2.0], [3.0, 4.0], np.zeros((2, 2)))
    array([[3., 4.],
           [6., 8.]])
    """
    u, v = _inputs(a, x=x, y=y)
    _vectors(x=u, y=v)
    _shaped(a=a, ndim=2)
    _same(x=len(u), a=a.shape[0]), _same(y=len(v), a=a.shape[1])
    u, v = _apart(u, a), _apart(v, a)

    def run(w: Window) -> None:
        first, second = (v, u) if w.transposed else (u, v)
        _function("ger", a, "fiitpipipi")(ROWS, len(first), len(second), alpha, *_run(first), *_run(second), *w.run)

    return _in_place(a, run)


def symv(
    a: ArrayLike, x: ArrayLike, *, lower: bool = True, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None
) -> Array:
    """`out = alpha a x + beta out` of a symmetric matrix, of which one triangle is read.

    >>> symv([[1.0, np.nan], [2.0, 3.0]], [1.0, 1.0])
    array([3., 5.])
    """
    (m, u), y = _with_out(beta, out, lambda a, x: (len(a),), a=a, x=x)
    n = _square(a=m)
    _vectors(x=u, out=y)
    _same(x=len(u), out=len(y), a=n)
    w = _window(_apart(m, y))
    call = _function("symv", y, "ffitpipitpi")
    call(ROWS, w.uplo(lower), n, alpha, *w.run, *_run(_apart(u, y)), beta, *_run(y))
    return y


def syr(alpha: float, x: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x x^T`, one triangle of it. Returns a.

    >>> syr(1.0, [1.0, 2.0], np.zeros((2, 2)))
    array([[1., 0.],
           [2., 4.]])
    """
    (u,) = _inputs(a, x=x)
    _vectors(x=u)
    n = _same(x=len(u), a=_square(a=a))
    u = _apart(u, a)
    return _in_place(a, lambda w: _function("syr", a, "ffitpipi")(ROWS, w.uplo(lower), n, alpha, *_run(u), *w.run))


def syr2(alpha: float, x: ArrayLike, y: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x y^T + alpha y x^T`, one triangle of it. Returns a.

    >>> syr2(1.0, [1.0, 2.0], [3.0, 4.0], np.zeros((2, 2)))
    array([[ 6.,  0.],
           [10., 16.]])
    """
    u, v = _inputs(a, x=x, y=y)
    _vectors(x=u, y=v)
    n = _same(x=len(u), y=len(v), a=_square(a=a))
    u, v = _apart(u, a), _apart(v, a)

    def run(w: Window) -> None:
        _function("syr2", a, "ffitpipipi")(ROWS, w.uplo(lower), n, alpha, *_run(u), *_run(v), *w.run)

    return _in_place(a, run)


def trmv(a: ArrayLike, x: Array, *, lower: bool = True, unit: bool = False) -> Array:
    """`x = a x`, where a is triangular; its diagonal is ones if `unit`. Returns x.

    >>> trmv([[1.0, np.nan], [2.0, 3.0]], np.array([1.0, 1.0]))
    array([1., 5.])
    """
    return _triangle("trmv", a, x, lower, unit)


def trsv(a: ArrayLike, x: Array, *, lower: bool = True, unit: bool = False) -> Array:
    """`x = a^-1 x`, where a is triangular: what a has to be multiplied with to give x. Returns x.

    >>> trsv([[1.0, np.nan], [2.0, 3.0]], np.array([1.0, 5.0]))
    array([1., 1.])
    """
    return _triangle("trsv", a, x, lower, unit)


# -- level 3 ------------------------------------------------------------------------------------------


def gemm(a: ArrayLike, b: ArrayLike, *, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a b + beta out`. Returns it: a new matrix, unless it is given.

    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> gemm(a, a.T)
    array([[ 5., 11.],
           [11., 25.]])
    """
    (p, q), c = _with_out(beta, out, lambda a, b: (len(a), b.shape[1]), a=a, b=b)
    _shaped(a=p, b=q, out=c, ndim=2)
    m, n = _same(a=p.shape[0], out=c.shape[0]), _same(b=q.shape[1], out=c.shape[1])
    k = _same(a=p.shape[1], b=q.shape[0])
    p, q = _apart(p, c), _apart(q, c)

    def run(w: Window) -> None:
        first, second = (_window(q.T), _window(p.T)) if w.transposed else (_window(p), _window(q))
        sizes = (n, m, k) if w.transposed else (m, n, k)
        call = _function("gemm", c, "fffiiitpipitpi")
        call(ROWS, first.flag, second.flag, *sizes, alpha, *first.run, *second.run, beta, *w.run)

    return _in_place(c, run)


def symm(
    a: ArrayLike,
    b: ArrayLike,
    *,
    side: Side = "left",
    lower: bool = True,
    alpha: float = 1.0,
    beta: float = 0.0,
    out: Array | None = None,
) -> Array:
    """`out = alpha a b + beta out`, or with b a if a is on the right, of a symmetric a, of which one triangle is read.

    >>> symm([[1.0, np.nan], [2.0, 3.0]], np.eye(2))
    array([[1., 2.],
           [2., 3.]])
    """
    (p, q), c = _with_out(beta, out, lambda a, b: b.shape, a=a, b=b)
    _shaped(b=q, out=c, ndim=2)
    m, n = (_same(b=q.shape[i], out=c.shape[i]) for i in (0, 1))
    _same(a=_square(a=p), b=_of_side(side, m, n))
    p, q, s = _apart(p, c), _apart(q, c), _window(p)

    def run(w: Window) -> None:
        other = _rows(q.T if w.transposed else q)
        sizes = (n, m) if w.transposed else (m, n)
        call = _function("symm", c, "fffiitpipitpi")
        call(ROWS, w.side(side), s.uplo(lower), *sizes, alpha, *s.run, *other.run, beta, *w.run)

    return _in_place(c, run)


def syrk(a: ArrayLike, *, lower: bool = True, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a a^T + beta out`, one triangle of it.

    >>> syrk([[1.0], [2.0]])
    array([[1., 0.],
           [2., 4.]])
    """
    (p,), c = _with_out(beta, out, lambda a: (len(a), len(a)), a=a)
    _shaped(a=p, ndim=2)
    n = _same(a=p.shape[0], out=_square(out=c))
    s = _window(_apart(p, c))
    call = _function("syrk", c, "fffiitpitpi")
    return _in_place(c, lambda w: call(ROWS, w.uplo(lower), s.flag, n, p.shape[1], alpha, *s.run, beta, *w.run))


def syr2k(
    a: ArrayLike,
    b: ArrayLike,
    *,
    lower: bool = True,
    alpha: float = 1.0,
    beta: float = 0.0,
    out: Array | None = None,
) -> Array:
    """`out = alpha a b^T + alpha b a^T + beta out`, one triangle of it.

    >>> syr2k([[1.0], [2.0]], [[3.0], [4.0]])
    array([[ 6.,  0.],
           [10., 16.]])
    """
    (p, q), c = _with_out(beta, out, lambda a, b: (len(a), len(a)), a=a, b=b)
    _shaped(a=p, b=q, ndim=2)
    n, k = _same(a=p.shape[0], b=q.shape[0], out=_square(out=c)), _same(a=p.shape[1], b=q.shape[1])
    s, t = _window(_apart(p, c)), _window(_apart(q, c))
    if s.transposed != t.transposed:
        s, t = _rows(s.matrix), _rows(t.matrix)
    call = _function("syr2k", c, "fffiitpipitpi")
    return _in_place(c, lambda w: call(ROWS, w.uplo(lower), s.flag, n, k, alpha, *s.run, *t.run, beta, *w.run))


def trmm(
    a: ArrayLike, b: Array, *, side: Side = "left", lower: bool = True, unit: bool = False, alpha: float = 1.0
) -> Array:
    """`b = alpha a b`, or alpha b a if a is on the right, where a is triangular. Returns b.

    >>> trmm([[1.0, np.nan], [2.0, 3.0]], np.eye(2))
    array([[1., 0.],
           [2., 3.]])
    """
    return _triangle_and_matrix("trmm", a, b, side, lower, unit, alpha)


def trsm(
    a: ArrayLike, b: Array, *, side: Side = "left", lower: bool = True, unit: bool = False, alpha: float = 1.0
) -> Array:
    """`b = alpha a^-1 b`, or alpha b a^-1 if a is on the right, where a is triangular. Returns b.

    >>> trsm([[1.0, np.nan], [2.0, 4.0]], np.array([[1.0], [6.0]]))
    array([[1.],
           [1.]])
    """
    return _triangle_and_matrix("trsm", a, b, side, lower, unit, alpha)


# -- what they have in common -------------------------------------------------------------------------


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


def _by_rows(m: Array) -> bool:
    """Whether elements of a row are neighbours, and rows don't overlap."""
    item = m.itemsize
    near = m.shape[1] <= 1 or m.strides[1] == item
    return near and (m.shape[0] <= 1 or (m.strides[0] >= max(1, m.shape[1]) * item and m.strides[0] % item == 0))


def _window(m: Array) -> Window:
    """A matrix to be read: as it is where rows or columns are of neighbours, else a copy."""
    if _by_rows(m):
        return Window(m, False)
    return Window(m, True) if _by_rows(m.T) else Window(np.ascontiguousarray(m), False)


def _rows(m: Array) -> Window:
    """The same by rows."""
    return Window(m if _by_rows(m) else np.ascontiguousarray(m), False)


def _in_place(out: Array, run: Callable[[Window], None]) -> Array:
    """What is computed into a matrix, or into a copy that is copied back."""
    w = _window(out)
    run(w)
    if w.matrix is not out:
        out[...] = w.matrix
    return out


def _run(x: Array) -> tuple[int, int]:
    """The address of a vector as BLAS has it, and its increment: with a negative one, it begins at its end."""
    if len(x) <= 1:
        return x.ctypes.data, 1
    step = x.strides[0] // x.itemsize
    return (x.ctypes.data + (len(x) - 1) * x.strides[0] if step < 0 else x.ctypes.data), step


def _apart(x: Array, out: Array) -> Array:
    """An input, copied if it has memory in common with what is written, or no strides that BLAS takes."""
    odd = any(s % x.itemsize for s in x.strides) or (x.ndim == 1 and len(x) > 1 and not x.strides[0])
    return x.copy() if odd or np.may_share_memory(x, out) else x


def _alike(**arrays: ArrayLike) -> list[Array]:
    """Arrays of one precision: that which all have, or double precision for lists and integers."""
    found = {name: np.asarray(x) for name, x in arrays.items()}
    known = {x.dtype for x in found.values() if x.dtype in LETTERS}
    if len(known) > 1:
        raise TypeError(", ".join(f"{n} is {x.dtype}" for n, x in found.items()) + ": all must be of one precision")
    dtype = known.pop() if known else np.dtype(np.float64)
    return [_converted(name, x, dtype) for name, x in found.items()]


def _converted(name: str, x: Array, dtype: np.dtype[Any]) -> Array:
    if x.dtype != dtype and x.dtype.kind not in "biu":
        raise TypeError(f"{name} is {x.dtype}, and has to be {dtype} here")
    aligned = np.require(x, dtype, ["A"])
    odd = any(s % aligned.itemsize for s in aligned.strides) or (aligned.ndim == 1 and 0 in aligned.strides)
    return aligned.copy() if odd else aligned


def _inputs(updated: Array, **arrays: ArrayLike) -> list[Array]:
    """Arrays of the precision of what is updated."""
    _updated(out=updated)
    return [_converted(name, np.asarray(x), updated.dtype) for name, x in arrays.items()]


def _updated(**arrays: Array) -> None:
    for name, x in arrays.items():
        if not isinstance(x, np.ndarray) or x.dtype not in LETTERS:
            raise TypeError(f"{name} is updated, so it has to be an array of float32 or float64, not {_about(x)}")
        if not x.flags.writeable:
            raise ValueError(f"{name} is updated, and can't be written")
        if not x.flags.aligned or any(s % x.itemsize for s in x.strides) or (0 in x.strides and x.size > 1):
            raise ValueError(f"{name} is updated, so its elements have to be whole and apart in memory: copy it first")


def _about(x: object) -> str:
    return f"an array of {x.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"


def _with_out(
    beta: float, out: Array | None, shape: Callable[..., tuple[int, ...]], **arrays: ArrayLike
) -> tuple[list[Array], Array]:
    """Inputs, and the array that the result goes to: a new one of this shape if none is given."""
    if out is not None:
        return _inputs(out, **arrays), out
    if beta != 0:
        raise ValueError(f"beta is {beta}, so out has to be given")
    found = _alike(**arrays)
    try:
        made = np.zeros(shape(*found), found[0].dtype)
    except (IndexError, TypeError):
        said = (f"{name} has {x.ndim} dimensions" for name, x in zip(arrays, found, strict=True))
        raise ValueError(", ".join(said)) from None
    return found, made


def _shaped(ndim: int, **arrays: Array) -> None:
    for name, x in arrays.items():
        if x.ndim != ndim:
            raise ValueError(f"{name} has {x.ndim} dimensions, not {ndim}")


def _vectors(**arrays: Array) -> None:
    _shaped(1, **arrays)


def _square(**matrix: Array) -> int:
    """The rows of a square matrix."""
    ((name, m),) = matrix.items()
    _shaped(2, **matrix)
    if m.shape[0] != m.shape[1]:
        raise ValueError(f"{name} is {m.shape[0]} x {m.shape[1]}, and has to be square")
    return len(m)


def _same(**sizes: int) -> int:
    """The size that all have."""
    if len({*sizes.values()}) > 1:
        raise ValueError("sizes don't fit: " + ", ".join(f"{n} has {size}" for n, size in sizes.items()))
    return next(iter(sizes.values()))


def _of_side(side: str, m: int, n: int) -> int:
    if side not in ("left", "right"):
        raise ValueError(f"side is left or right, not {side!r}")
    return m if side == "left" else n


def _of_one(name: str, x: ArrayLike) -> float:
    (u,) = _alike(x=x)
    _vectors(x=u)
    forward = u[::-1] if len(u) and u.strides[0] < 0 else u
    return float(_function(name, u, "ipi", "t")(len(u), *_run(forward)))


def _two(x: Array, y: Array) -> int:
    """How many elements each of two vectors has that are both updated."""
    _updated(x=x, y=y)
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype}, y is {y.dtype}: both must be of one precision")
    _vectors(x=x, y=y)
    if np.may_share_memory(x, y) and np.shares_memory(x, y):
        raise ValueError("x and y are updated, and have elements in common")
    return _same(x=len(x), y=len(y))


def _triangle(name: str, a: ArrayLike, x: Array, lower: bool, unit: bool) -> Array:
    (m,) = _inputs(x, a=a)
    _vectors(x=x)
    n = _same(a=_square(a=m), x=len(x))
    w = _window(_apart(m, x))
    call = _function(name, x, "ffffipipi")
    # of a matrix by columns, the transposed of the other triangle
    call(ROWS, w.uplo(lower), w.flag, UNIT if unit else NON_UNIT, n, *w.run, *_run(x))
    return x


def _triangle_and_matrix(name: str, a: ArrayLike, b: Array, side: Side, lower: bool, unit: bool, alpha: float) -> Array:
    (m,) = _inputs(b, a=a)
    _shaped(b=b, ndim=2)
    _same(a=_square(a=m), b=_of_side(side, *b.shape))
    m = _apart(m, b)

    def run(w: Window) -> None:
        # of a b by columns, b^T is computed, with a^T on the other side
        s = _window(m.T if w.transposed else m)
        sizes = b.shape[::-1] if w.transposed else b.shape
        flags = (ROWS, w.side(side), s.uplo(lower != w.transposed), s.flag, UNIT if unit else NON_UNIT)
        _function(name, b, "fffffiitpipi")(*flags, *sizes, alpha, *s.run, *w.run)

    return _in_place(b, run)


def _function(name: str, like: Array, kinds: str, result: str = "") -> Callable[..., Any]:
    """The CBLAS function for the precision of an array."""
    return _known(name, LETTERS[like.dtype], kinds, result)


@cache
def _known(name: str, letter: str, kinds: str, result: str) -> Callable[..., Any]:
    kinds_of = KINDS | {"t": ctypes.c_float if letter == "s" else ctypes.c_double}
    index = "i" if name == "amax" else ""
    function = loaded()[f"cblas_{index}{letter}{name}_64"]
    function.argtypes = [kinds_of[k] for k in kinds]
    function.restype = kinds_of[result] if result else None
    return function
