"""BLAS on NumPy arrays. See the package's docstring for what all of these functions have in common."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    LETTERS,
    Array,
    Side,
    Window,
    alike,
    apart,
    in_place,
    inputs,
    of_side,
    row_window,
    same,
    shaped,
    square,
    strided,
    updated,
    vectors,
    window,
    with_out,
)
from .places import loaded

ROWS: Final = 101
NON_UNIT: Final = 131
UNIT: Final = 132
KINDS: dict[str, Any] = {"i": ctypes.c_int64, "f": ctypes.c_int, "p": ctypes.c_void_p}
"""The types of arguments by a letter: integers, flags, addresses; and t, the number that elements are."""


# -- level 1 ------------------------------------------------------------------------------------------


def dot(x: ArrayLike, y: ArrayLike) -> float:
    """The sum of the products of elements.

    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    u, v = alike(x=x, y=y)
    vectors(x=u, y=v)
    n = same(x=len(u), y=len(v))
    return float(_function("dot", u, "ipipi", "t")(n, *strided(u), *strided(v)))


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
    (u,) = alike(x=x)
    vectors(x=u)
    if not len(u):
        raise ValueError("iamax: x has no elements")
    forward = u if u.strides[0] > 0 or len(u) == 1 else u.copy()
    return int(_function("amax", u, "ipi", "i")(len(u), *strided(forward)))


def axpy(alpha: float, x: ArrayLike, y: Array) -> Array:
    """`y += alpha x`. Returns y.

    >>> axpy(2.0, [1.0, 2.0], np.array([10.0, 20.0]))
    array([12., 24.])
    """
    (u,) = inputs(y, x=x)
    vectors(x=u, y=y)
    n = same(x=len(u), y=len(y))
    _function("axpy", y, "itpipi")(n, alpha, *strided(apart(u, y)), *strided(y))
    return y


def scal(alpha: float, x: Array) -> Array:
    """`x *= alpha`. Returns x.

    >>> scal(2.0, np.array([1.0, 2.0]))
    array([2., 4.])
    """
    updated(x=x)
    vectors(x=x)
    forward = x if x.strides[0] > 0 else x[::-1]
    _function("scal", x, "itpi")(len(x), alpha, *strided(forward))
    return x


def swap(x: Array, y: Array) -> tuple[Array, Array]:
    """Exchanges the elements of two vectors. Returns both.

    >>> swap(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    (array([3., 4.]), array([1., 2.]))
    """
    n = _two(x, y)
    _function("swap", x, "ipipi")(n, *strided(x), *strided(y))
    return x, y


def rot(x: Array, y: Array, c: float, s: float) -> tuple[Array, Array]:
    """`x, y = c x + s y, c y - s x`. Returns both.

    >>> rot(np.array([1.0]), np.array([2.0]), 0.0, 1.0)
    (array([2.]), array([-1.]))
    """
    n = _two(x, y)
    _function("rot", x, "ipipitt")(n, *strided(x), *strided(y), c, s)
    return x, y


# -- level 2 ------------------------------------------------------------------------------------------


def gemv(a: ArrayLike, x: ArrayLike, *, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a x + beta out`. Returns it: a new vector, unless it is given.

    >>> gemv([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    array([3., 7.])
    """
    (m, u), y = with_out(beta, out, lambda a, x: (len(a),), a=a, x=x)
    shaped(a=m, ndim=2)
    vectors(x=u, out=y)
    rows, columns = same(out=len(y), a=m.shape[0]), same(x=len(u), a=m.shape[1])
    if columns == 0:
        y[...] = y.dtype.type(beta) * y if beta else 0
        return y
    w = window(apart(m, y))
    sizes = (columns, rows) if w.transposed else (rows, columns)
    call = _function("gemv", y, "ffiitpipitpi")
    call(ROWS, w.flag, *sizes, alpha, *w.run, *strided(apart(u, y)), beta, *strided(y))
    return y


def ger(alpha: float, x: ArrayLike, y: ArrayLike, a: Array) -> Array:
    """`a += alpha x y^T`. Returns a.

    >>> ger(1.0, [1.0, 2.0], [3.0, 4.0], np.zeros((2, 2)))
    array([[3., 4.],
           [6., 8.]])
    """
    u, v = inputs(a, x=x, y=y)
    vectors(x=u, y=v)
    shaped(a=a, ndim=2)
    same(x=len(u), a=a.shape[0]), same(y=len(v), a=a.shape[1])
    u, v = apart(u, a), apart(v, a)

    def compute(w: Window) -> None:
        first, second = (v, u) if w.transposed else (u, v)
        _function("ger", a, "fiitpipipi")(
            ROWS, len(first), len(second), alpha, *strided(first), *strided(second), *w.run
        )

    return in_place(a, compute)


def symv(
    a: ArrayLike, x: ArrayLike, *, lower: bool = True, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None
) -> Array:
    """`out = alpha a x + beta out` of a symmetric matrix, of which one triangle is read.

    >>> symv([[1.0, np.nan], [2.0, 3.0]], [1.0, 1.0])
    array([3., 5.])
    """
    (m, u), y = with_out(beta, out, lambda a, x: (len(a),), a=a, x=x)
    n = square(a=m)
    vectors(x=u, out=y)
    same(x=len(u), out=len(y), a=n)
    w = window(apart(m, y))
    call = _function("symv", y, "ffitpipitpi")
    call(ROWS, w.uplo(lower), n, alpha, *w.run, *strided(apart(u, y)), beta, *strided(y))
    return y


def syr(alpha: float, x: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x x^T`, one triangle of it. Returns a.

    >>> syr(1.0, [1.0, 2.0], np.zeros((2, 2)))
    array([[1., 0.],
           [2., 4.]])
    """
    (u,) = inputs(a, x=x)
    vectors(x=u)
    n = same(x=len(u), a=square(a=a))
    u = apart(u, a)
    return in_place(a, lambda w: _function("syr", a, "ffitpipi")(ROWS, w.uplo(lower), n, alpha, *strided(u), *w.run))


def syr2(alpha: float, x: ArrayLike, y: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x y^T + alpha y x^T`, one triangle of it. Returns a.

    >>> syr2(1.0, [1.0, 2.0], [3.0, 4.0], np.zeros((2, 2)))
    array([[ 6.,  0.],
           [10., 16.]])
    """
    u, v = inputs(a, x=x, y=y)
    vectors(x=u, y=v)
    n = same(x=len(u), y=len(v), a=square(a=a))
    u, v = apart(u, a), apart(v, a)

    def compute(w: Window) -> None:
        _function("syr2", a, "ffitpipipi")(ROWS, w.uplo(lower), n, alpha, *strided(u), *strided(v), *w.run)

    return in_place(a, compute)


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
    (p, q), c = with_out(beta, out, lambda a, b: (len(a), b.shape[1]), a=a, b=b)
    shaped(a=p, b=q, out=c, ndim=2)
    m, n = same(a=p.shape[0], out=c.shape[0]), same(b=q.shape[1], out=c.shape[1])
    k = same(a=p.shape[1], b=q.shape[0])
    p, q = apart(p, c), apart(q, c)

    def compute(w: Window) -> None:
        first, second = (window(q.T), window(p.T)) if w.transposed else (window(p), window(q))
        sizes = (n, m, k) if w.transposed else (m, n, k)
        call = _function("gemm", c, "fffiiitpipitpi")
        call(ROWS, first.flag, second.flag, *sizes, alpha, *first.run, *second.run, beta, *w.run)

    return in_place(c, compute)


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
    (p, q), c = with_out(beta, out, lambda a, b: b.shape, a=a, b=b)
    shaped(b=q, out=c, ndim=2)
    m, n = (same(b=q.shape[i], out=c.shape[i]) for i in (0, 1))
    same(a=square(a=p), b=of_side(side, m, n))
    p, q, s = apart(p, c), apart(q, c), window(p)

    def compute(w: Window) -> None:
        other = row_window(q.T if w.transposed else q)
        sizes = (n, m) if w.transposed else (m, n)
        call = _function("symm", c, "fffiitpipitpi")
        call(ROWS, w.side(side), s.uplo(lower), *sizes, alpha, *s.run, *other.run, beta, *w.run)

    return in_place(c, compute)


def syrk(a: ArrayLike, *, lower: bool = True, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a a^T + beta out`, one triangle of it.

    >>> syrk([[1.0], [2.0]])
    array([[1., 0.],
           [2., 4.]])
    """
    (p,), c = with_out(beta, out, lambda a: (len(a), len(a)), a=a)
    shaped(a=p, ndim=2)
    n = same(a=p.shape[0], out=square(out=c))
    s = window(apart(p, c))
    call = _function("syrk", c, "fffiitpitpi")
    return in_place(c, lambda w: call(ROWS, w.uplo(lower), s.flag, n, p.shape[1], alpha, *s.run, beta, *w.run))


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
    (p, q), c = with_out(beta, out, lambda a, b: (len(a), len(a)), a=a, b=b)
    shaped(a=p, b=q, ndim=2)
    n, k = same(a=p.shape[0], b=q.shape[0], out=square(out=c)), same(a=p.shape[1], b=q.shape[1])
    s, t = window(apart(p, c)), window(apart(q, c))
    if s.transposed != t.transposed:
        s, t = row_window(s.matrix), row_window(t.matrix)
    call = _function("syr2k", c, "fffiitpipitpi")
    return in_place(c, lambda w: call(ROWS, w.uplo(lower), s.flag, n, k, alpha, *s.run, *t.run, beta, *w.run))


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


def _of_one(name: str, x: ArrayLike) -> float:
    (u,) = alike(x=x)
    vectors(x=u)
    forward = u[::-1] if len(u) and u.strides[0] < 0 else u
    return float(_function(name, u, "ipi", "t")(len(u), *strided(forward)))


def _two(x: Array, y: Array) -> int:
    """How many elements each of two vectors has that are both updated."""
    updated(x=x, y=y)
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype}, y is {y.dtype}: both must be of one precision")
    vectors(x=x, y=y)
    if np.may_share_memory(x, y) and np.shares_memory(x, y):
        raise ValueError("x and y are updated, and have elements in common")
    return same(x=len(x), y=len(y))


def _triangle(name: str, a: ArrayLike, x: Array, lower: bool, unit: bool) -> Array:
    (m,) = inputs(x, a=a)
    vectors(x=x)
    n = same(a=square(a=m), x=len(x))
    w = window(apart(m, x))
    call = _function(name, x, "ffffipipi")
    # of a matrix by columns, the transposed of the other triangle
    call(ROWS, w.uplo(lower), w.flag, UNIT if unit else NON_UNIT, n, *w.run, *strided(x))
    return x


def _triangle_and_matrix(name: str, a: ArrayLike, b: Array, side: Side, lower: bool, unit: bool, alpha: float) -> Array:
    (m,) = inputs(b, a=a)
    shaped(b=b, ndim=2)
    same(a=square(a=m), b=of_side(side, *b.shape))
    m = apart(m, b)

    def compute(w: Window) -> None:
        # of a b by columns, b^T is computed, with a^T on the other side
        s = window(m.T if w.transposed else m)
        sizes = b.shape[::-1] if w.transposed else b.shape
        flags = (ROWS, w.side(side), s.uplo(lower != w.transposed), s.flag, UNIT if unit else NON_UNIT)
        _function(name, b, "fffffiitpipi")(*flags, *sizes, alpha, *s.run, *w.run)

    return in_place(b, compute)


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
