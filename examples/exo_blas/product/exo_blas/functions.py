"""BLAS on NumPy arrays. See the package's docstring for what all of these functions have in common."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    BY_ROWS,
    LETTERS,
    Array,
    Side,
    Window,
    alike,
    alike_windows,
    apart,
    column,
    factor,
    in_place,
    inputs,
    is_complex,
    numbers,
    of_complex,
    of_side,
    operand,
    real,
    row_window,
    same,
    shaped,
    square,
    strided,
    triangle,
    updated,
    vectors,
    window,
    with_out,
)
from .places import loaded

NON_UNIT: Final = 131
UNIT: Final = 132
KINDS: dict[str, Any] = {"i": ctypes.c_int64, "f": ctypes.c_int, "p": ctypes.c_void_p}
"""The types of arguments by a letter: integers, flags, addresses; r, a real number of the arrays' precision; and t, the
number that elements are."""

REAL: Final = {"c": "s", "z": "d"}
NAMES: Final = {
    "nrm2": "{r}{t}nrm2",
    "asum": "{r}{t}asum",
    "iamax": "i{t}amax",
    "rot": "{t}{r}rot",
    "real_scal": "{t}{r}scal",
}
"""What functions are called that don't begin with the letter of the arrays alone, by this one and, if it is of complex
numbers, that of real ones: dznrm2."""


# -- level 1 ------------------------------------------------------------------------------------------


def dot(x: ArrayLike, y: ArrayLike) -> Any:
    """The sum of the products of elements.

    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    return _dot("dotu_sub", x, y)


def vdot(x: ArrayLike, y: ArrayLike) -> Any:
    """The same with the conjugates of x, as `np.vdot`. BLAS calls it dotc.

    >>> vdot([1 + 2j], [1 + 2j])
    (5+0j)
    """
    return _dot("dotc_sub", x, y)


def nrm2(x: ArrayLike) -> float:
    """The square root of the sum of squares, without overflow.

    >>> nrm2([3.0, 4.0])
    5.0
    """
    return _of_one("nrm2", x)


def asum(x: ArrayLike) -> float:
    """The sum of the sizes of elements. To BLAS, the size of a complex number is that of both parts together.

    >>> asum([1.0, -2.0])
    3.0
    >>> asum([3 - 4j])
    7.0
    """
    return _of_one("asum", x)


def iamax(x: ArrayLike) -> int:
    """Where the first element of the largest size is, which is that of `asum`. Raises `ValueError` where there is none.

    >>> iamax([1.0, -3.0, 2.0])
    1
    """
    (u,) = alike(x=x)
    vectors(x=u)
    if not len(u):
        raise ValueError("iamax: x has no elements")
    forward = u if u.strides[0] > 0 or len(u) == 1 else u.copy()
    return int(_function("iamax", u, "ipi", "i")(len(u), *strided(forward)))


def axpy(alpha: complex, x: ArrayLike, y: Array) -> Array:
    """`y += alpha x`. Returns y.

    >>> axpy(2.0, [1.0, 2.0], np.array([10.0, 20.0]))
    array([12., 24.])
    """
    (u,) = inputs(y, x=x)
    numbers(y, alpha=alpha)
    vectors(x=u, y=y)
    n = same(x=len(u), y=len(y))
    _function("axpy", y, "itpipi")(n, alpha, *strided(apart(u, y)), *strided(y))
    return y


def scal(alpha: complex, x: Array) -> Array:
    """`x *= alpha`. Returns x. A real alpha multiplies both parts of complex numbers.

    >>> scal(2.0, np.array([1.0, 2.0]))
    array([2., 4.])
    """
    updated(x=x)
    numbers(x, alpha=alpha)
    vectors(x=x)
    forward = x if x.strides[0] > 0 else x[::-1]
    call = _function("scal", x, "itpi") if is_complex(alpha) else _function("real_scal", x, "irpi")
    call(len(x), alpha, *strided(forward))
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
    real(c=c, s=s)
    _function("rot", x, "ipipirr")(n, *strided(x), *strided(y), c, s)
    return x, y


# -- level 2 ------------------------------------------------------------------------------------------


def gemv(a: ArrayLike, x: ArrayLike, *, alpha: complex = 1.0, beta: complex = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a x + beta out`. Returns it: a new vector, unless it is given.

    >>> gemv([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    array([3., 7.])
    """
    a, conjugated = operand(a)
    (m, u), y = with_out(alpha, beta, out, lambda a, x: (len(a),), a=a, x=x)
    shaped(a=m, ndim=2)
    vectors(x=u, out=y)
    rows, columns = same(out=len(y), a=m.shape[0]), same(x=len(u), a=m.shape[1])
    if columns == 0:
        y[...] = np.multiply(beta, y, dtype=y.dtype) if beta else 0
        return y
    w = window(apart(m, y), conjugated)
    sizes = (columns, rows) if w.transposed else (rows, columns)
    call = _function("gemv", y, "ffiitpipitpi")
    call(BY_ROWS, w.flag, *sizes, alpha, *w.run, *strided(apart(u, y)), beta, *strided(y))
    return y


def ger(alpha: complex, x: ArrayLike, y: ArrayLike, a: Array) -> Array:
    """`a += alpha x y^T`. Returns a.

    >>> ger(1.0, [1.0, 2.0], [3.0, 4.0], np.zeros((2, 2)))
    array([[3., 4.],
           [6., 8.]])
    """
    return _outer("geru", alpha, x, y, a)


def gerc(alpha: complex, x: ArrayLike, y: ArrayLike, a: Array) -> Array:
    """`a += alpha x y^H`: the same with the conjugates of y. Returns a.

    >>> gerc(1.0, [1 + 2j], [1 + 2j], np.ones((1, 1), complex))
    array([[6.+0.j]])
    """
    return _outer("gerc", alpha, x, y, a)


def symv(
    a: ArrayLike,
    x: ArrayLike,
    *,
    lower: bool = True,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    out: Array | None = None,
) -> Array:
    """`out = alpha a x + beta out` of a symmetric matrix, of which one triangle is read.

    >>> symv([[1.0, np.nan], [2.0, 3.0]], [1.0, 1.0])
    array([3., 5.])
    """
    return _symmetric_and_vector(a, x, lower, alpha, beta, out, hermitian=False)


def hemv(
    a: ArrayLike,
    x: ArrayLike,
    *,
    lower: bool = True,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    out: Array | None = None,
) -> Array:
    """The same of a Hermitian matrix: `a = a^H`.

    >>> hemv([[1.0, np.nan], [2j, 3.0]], [1.0, 1j])
    array([3.+0.j, 0.+5.j])
    """
    return _symmetric_and_vector(a, x, lower, alpha, beta, out, hermitian=True)


def syr(alpha: complex, x: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x x^T`, one triangle of it. Returns a.

    >>> syr(1.0, [1.0, 2.0], np.zeros((2, 2)))
    array([[1., 0.],
           [2., 4.]])
    """
    return _rank_1(alpha, x, a, lower, hermitian=False)


def her(alpha: float, x: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x x^H`, one triangle of it; its diagonal is real afterwards. Returns a.

    >>> her(1.0, [1 + 2j], np.ones((1, 1), complex))
    array([[6.+0.j]])
    """
    real(alpha=alpha)
    return _rank_1(alpha, x, a, lower, hermitian=True)


def syr2(alpha: complex, x: ArrayLike, y: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x y^T + alpha y x^T`, one triangle of it. Returns a.

    >>> syr2(1.0, [1.0, 2.0], [3.0, 4.0], np.zeros((2, 2)))
    array([[ 6.,  0.],
           [10., 16.]])
    """
    return _rank_2(alpha, x, y, a, lower, hermitian=False)


def her2(alpha: complex, x: ArrayLike, y: ArrayLike, a: Array, *, lower: bool = True) -> Array:
    """`a += alpha x y^H + conj(alpha) y x^H`, one triangle of it; its diagonal is real afterwards. Returns a.

    >>> her2(1j, [1 + 0j], [3j], np.ones((1, 1), complex))
    array([[7.+0.j]])
    """
    return _rank_2(alpha, x, y, a, lower, hermitian=True)


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


def gemm(a: ArrayLike, b: ArrayLike, *, alpha: complex = 1.0, beta: complex = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a b + beta out`. Returns it: a new matrix, unless it is given.

    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> gemm(a, a.T)
    array([[ 5., 11.],
           [11., 25.]])
    """
    (a, conjugated), (b, conjugated_b) = operand(a), operand(b)
    (p, q), c = with_out(alpha, beta, out, lambda a, b: (len(a), b.shape[1]), a=a, b=b)
    shaped(a=p, b=q, out=c, ndim=2)
    m, n = same(a=p.shape[0], out=c.shape[0]), same(b=q.shape[1], out=c.shape[1])
    k = same(a=p.shape[1], b=q.shape[0])
    p, q = apart(p, c), apart(q, c)

    def compute(w: Window) -> None:
        # of a b by columns, (a b)^T = b^T a^T is computed
        s, t = window(p.T if w.transposed else p, conjugated), window(q.T if w.transposed else q, conjugated_b)
        first, second = (t, s) if w.transposed else (s, t)
        sizes = (n, m, k) if w.transposed else (m, n, k)
        call = _function("gemm", c, "fffiiitpipitpi")
        call(BY_ROWS, first.flag, second.flag, *sizes, alpha, *first.run, *second.run, beta, *w.run)

    return in_place(c, compute)


def symm(
    a: ArrayLike,
    b: ArrayLike,
    *,
    side: Side = "left",
    lower: bool = True,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    out: Array | None = None,
) -> Array:
    """`out = alpha a b + beta out`, or with b a if a is on the right, of a symmetric a, of which one triangle is read.

    >>> symm([[1.0, np.nan], [2.0, 3.0]], np.eye(2))
    array([[1., 2.],
           [2., 3.]])
    """
    return _symmetric_and_matrix(a, b, side, lower, alpha, beta, out, hermitian=False)


def hemm(
    a: ArrayLike,
    b: ArrayLike,
    *,
    side: Side = "left",
    lower: bool = True,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    out: Array | None = None,
) -> Array:
    """The same of a Hermitian a: `a = a^H`.

    >>> hemm([[1.0, np.nan], [2j, 3.0]], [[1.0 + 0j], [1j]])
    array([[3.+0.j],
           [0.+5.j]])
    """
    return _symmetric_and_matrix(a, b, side, lower, alpha, beta, out, hermitian=True)


def syrk(
    a: ArrayLike, *, lower: bool = True, alpha: complex = 1.0, beta: complex = 0.0, out: Array | None = None
) -> Array:
    """`out = alpha a a^T + beta out`, one triangle of it.

    >>> syrk([[1.0], [2.0]])
    array([[1., 0.],
           [2., 4.]])
    """
    (p,), c = with_out(alpha, beta, out, lambda a: (len(a), len(a)), a=a)
    shaped(a=p, ndim=2)
    n = same(a=p.shape[0], out=square(out=c))
    s = window(apart(p, c))
    call = _function("syrk", c, "fffiitpitpi")
    return in_place(c, lambda w: call(BY_ROWS, w.uplo(lower), s.flag, n, p.shape[1], alpha, *s.run, beta, *w.run))


def herk(a: ArrayLike, *, lower: bool = True, alpha: float = 1.0, beta: float = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a a^H + beta out`, one triangle of it; its diagonal is real afterwards.

    >>> herk([[1 + 1j], [2.0]])
    array([[2.+0.j, 0.+0.j],
           [2.-2.j, 4.+0.j]])
    """
    real(alpha=alpha, beta=beta)
    a, conjugated = operand(a)
    (p,), c = with_out(alpha, beta, out, lambda a: (len(a), len(a)), a=a)
    if not of_complex(c):
        return syrk(p, lower=lower, alpha=alpha, beta=beta, out=c)
    shaped(a=p, ndim=2)
    n = same(a=p.shape[0], out=square(out=c))
    p = apart(p, c)

    def compute(w: Window) -> None:
        # the transposed of a a^H is made of the conjugates of a
        s = factor(p, conjugated != w.transposed)
        call = _function("herk", c, "fffiirpirpi")
        call(BY_ROWS, w.uplo(lower), s.flag, n, p.shape[1], alpha, *s.run, beta, *w.run)

    return in_place(c, compute)


def syr2k(
    a: ArrayLike,
    b: ArrayLike,
    *,
    lower: bool = True,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    out: Array | None = None,
) -> Array:
    """`out = alpha a b^T + alpha b a^T + beta out`, one triangle of it.

    >>> syr2k([[1.0], [2.0]], [[3.0], [4.0]])
    array([[ 6.,  0.],
           [10., 16.]])
    """
    (p, q), c = with_out(alpha, beta, out, lambda a, b: (len(a), len(a)), a=a, b=b)
    shaped(a=p, b=q, ndim=2)
    n, k = same(a=p.shape[0], b=q.shape[0], out=square(out=c)), same(a=p.shape[1], b=q.shape[1])
    s, t = alike_windows(window(apart(p, c)), window(apart(q, c)))
    call = _function("syr2k", c, "fffiitpipitpi")
    return in_place(c, lambda w: call(BY_ROWS, w.uplo(lower), s.flag, n, k, alpha, *s.run, *t.run, beta, *w.run))


def her2k(
    a: ArrayLike,
    b: ArrayLike,
    *,
    lower: bool = True,
    alpha: complex = 1.0,
    beta: float = 0.0,
    out: Array | None = None,
) -> Array:
    """`out = alpha a b^H + conj(alpha) b a^H + beta out`, one triangle of it; its diagonal is real afterwards.

    >>> her2k([[1j], [2.0]], [[3j], [4.0]])
    array([[ 6. +0.j,  0. +0.j],
           [ 0.-10.j, 16. +0.j]])
    """
    real(beta=beta)
    (a, conjugated), (b, conjugated_b) = operand(a), operand(b)
    (p, q), c = with_out(alpha, beta, out, lambda a, b: (len(a), len(a)), a=a, b=b)
    if not of_complex(c):
        return syr2k(p, q, lower=lower, alpha=alpha, beta=beta, out=c)
    shaped(a=p, b=q, ndim=2)
    n, k = same(a=p.shape[0], b=q.shape[0], out=square(out=c)), same(a=p.shape[1], b=q.shape[1])
    p, q = apart(p, c), apart(q, c)

    def compute(w: Window) -> None:
        # the transposed of what is computed is made of the conjugates of alpha, a and b
        s, t = alike_windows(factor(p, conjugated != w.transposed), factor(q, conjugated_b != w.transposed))
        number = np.conj(alpha) if w.transposed else alpha
        call = _function("her2k", c, "fffiitpipirpi")
        call(BY_ROWS, w.uplo(lower), s.flag, n, k, number, *s.run, *t.run, beta, *w.run)

    return in_place(c, compute)


def trmm(
    a: ArrayLike, b: Array, *, side: Side = "left", lower: bool = True, unit: bool = False, alpha: complex = 1.0
) -> Array:
    """`b = alpha a b`, or alpha b a if a is on the right, where a is triangular. Returns b.

    >>> trmm([[1.0, np.nan], [2.0, 3.0]], np.eye(2))
    array([[1., 0.],
           [2., 3.]])
    """
    return _triangle_and_matrix("trmm", a, b, side, lower, unit, alpha)


def trsm(
    a: ArrayLike, b: Array, *, side: Side = "left", lower: bool = True, unit: bool = False, alpha: complex = 1.0
) -> Array:
    """`b = alpha a^-1 b`, or alpha b a^-1 if a is on the right, where a is triangular. Returns b.

    >>> trsm([[1.0, np.nan], [2.0, 4.0]], np.array([[1.0], [6.0]]))
    array([[1.],
           [1.]])
    """
    return _triangle_and_matrix("trsm", a, b, side, lower, unit, alpha)


# -- what they have in common -------------------------------------------------------------------------


def _dot(name: str, x: ArrayLike, y: ArrayLike) -> Any:
    """A float; of complex arrays what the function of this name computes, a complex."""
    u, v = alike(x=x, y=y)
    vectors(x=u, y=v)
    n = same(x=len(u), y=len(v))
    if not of_complex(u):
        return float(_function("dot", u, "ipipi", "t")(n, *strided(u), *strided(v)))
    result = np.zeros((), u.dtype)
    _function(name, u, "ipipip")(n, *strided(u), *strided(v), result.ctypes.data)
    return complex(result)


def _of_one(name: str, x: ArrayLike) -> float:
    (u,) = alike(x=x)
    vectors(x=u)
    forward = u[::-1] if len(u) and u.strides[0] < 0 else u
    return float(_function(name, u, "ipi", "r")(len(u), *strided(forward)))


def _two(x: Array, y: Array) -> int:
    """How many elements each of two vectors has that are both updated."""
    updated(x=x, y=y)
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype}, y is {y.dtype}: both must be of one type")
    vectors(x=x, y=y)
    if np.may_share_memory(x, y) and np.shares_memory(x, y):
        raise ValueError("x and y are updated, and have elements in common")
    return same(x=len(x), y=len(y))


def _outer(name: str, alpha: complex, x: ArrayLike, y: ArrayLike, a: Array) -> Array:
    u, v = inputs(a, x=x, y=y)
    numbers(a, alpha=alpha)
    vectors(x=u, y=v)
    shaped(a=a, ndim=2)
    m, n = same(x=len(u), a=a.shape[0]), same(y=len(v), a=a.shape[1])
    u, v = apart(u, a), apart(v, a)
    call = _function(name if of_complex(a) else "ger", a, "fiitpipipi")
    return in_place(a, lambda w: call(w.layout, m, n, alpha, *strided(u), *strided(v), *w.run))


def _symmetric_and_vector(
    a: ArrayLike, x: ArrayLike, lower: bool, alpha: complex, beta: complex, out: Array | None, hermitian: bool
) -> Array:
    (m, u), y = with_out(alpha, beta, out, lambda a, x: (len(a),), a=a, x=x)
    n = square(a=m)
    vectors(x=u, out=y)
    same(x=len(u), out=len(y), a=n)
    if of_complex(y) and not hermitian:  # BLAS has this of matrices only
        symm(m, column(u), lower=lower, alpha=alpha, beta=beta, out=column(y))
        return y
    w = window(apart(m, y))
    call = _function(f"{_kind(y)}mv", y, "ffitpipitpi")
    call(w.layout, triangle(lower), n, alpha, *w.run, *strided(apart(u, y)), beta, *strided(y))
    return y


def _rank_1(alpha: complex, x: ArrayLike, a: Array, lower: bool, hermitian: bool) -> Array:
    (u,) = inputs(a, x=x)
    numbers(a, alpha=alpha)
    vectors(x=u)
    n = same(x=len(u), a=square(a=a))
    if of_complex(a) and not hermitian:  # as of symv
        return syrk(column(u), lower=lower, alpha=alpha, beta=1.0, out=a)
    u = apart(u, a)
    call = _function(f"{_kind(a)}r", a, "ffirpipi")
    return in_place(a, lambda w: call(w.layout, triangle(lower), n, alpha, *strided(u), *w.run))


def _rank_2(alpha: complex, x: ArrayLike, y: ArrayLike, a: Array, lower: bool, hermitian: bool) -> Array:
    u, v = inputs(a, x=x, y=y)
    numbers(a, alpha=alpha)
    vectors(x=u, y=v)
    n = same(x=len(u), y=len(v), a=square(a=a))
    if of_complex(a) and not hermitian:  # as of symv
        return syr2k(column(u), column(v), lower=lower, alpha=alpha, beta=1.0, out=a)
    u, v = apart(u, a), apart(v, a)
    call = _function(f"{_kind(a)}r2", a, "ffitpipipi")
    return in_place(a, lambda w: call(w.layout, triangle(lower), n, alpha, *strided(u), *strided(v), *w.run))


def _symmetric_and_matrix(
    a: ArrayLike,
    b: ArrayLike,
    side: Side,
    lower: bool,
    alpha: complex,
    beta: complex,
    out: Array | None,
    hermitian: bool,
) -> Array:
    (p, q), c = with_out(alpha, beta, out, lambda a, b: b.shape, a=a, b=b)
    shaped(b=q, out=c, ndim=2)
    m, n = (same(b=q.shape[i], out=c.shape[i]) for i in (0, 1))
    same(a=square(a=p), b=of_side(side, m, n))
    p, q = apart(p, c), apart(q, c)
    kind = _kind(c) if hermitian else "sy"
    # a symmetric matrix is its own transposed; a Hermitian one isn't
    stored = row_window if kind == "he" else window

    def compute(w: Window) -> None:
        s, other = stored(p.T if w.transposed else p), row_window(q.T if w.transposed else q)
        sizes = (n, m) if w.transposed else (m, n)
        call = _function(f"{kind}mm", c, "fffiitpipitpi")
        triangle_of_s = s.uplo(lower != w.transposed)
        call(BY_ROWS, w.side(side), triangle_of_s, *sizes, alpha, *s.run, *other.run, beta, *w.run)

    return in_place(c, compute)


def _triangle(name: str, a: ArrayLike, x: Array, lower: bool, unit: bool) -> Array:
    a, conjugated = operand(a)
    (m,) = inputs(x, a=a)
    vectors(x=x)
    n = same(a=square(a=m), x=len(x))
    w = window(apart(m, x), conjugated)
    call = _function(name, x, "ffffipipi")
    # of a matrix by columns, the transposed of the other triangle
    call(BY_ROWS, w.uplo(lower), w.flag, UNIT if unit else NON_UNIT, n, *w.run, *strided(x))
    return x


def _triangle_and_matrix(
    name: str, a: ArrayLike, b: Array, side: Side, lower: bool, unit: bool, alpha: complex
) -> Array:
    a, conjugated = operand(a)
    (m,) = inputs(b, a=a)
    numbers(b, alpha=alpha)
    shaped(b=b, ndim=2)
    same(a=square(a=m), b=of_side(side, *b.shape))
    m = apart(m, b)

    def compute(w: Window) -> None:
        # of a b by columns, b^T is computed, with a^T on the other side
        s = window(m.T if w.transposed else m, conjugated)
        sizes = b.shape[::-1] if w.transposed else b.shape
        flags = (BY_ROWS, w.side(side), s.uplo(lower != w.transposed), s.flag, UNIT if unit else NON_UNIT)
        _function(name, b, "fffffiitpipi")(*flags, *sizes, alpha, *s.run, *w.run)

    return in_place(b, compute)


def _kind(like: Array) -> str:
    """How functions of Hermitian matrices begin: of real numbers, these are symmetric."""
    return "he" if of_complex(like) else "sy"


def _function(name: str, like: Array, kinds: str, result: str = "") -> Callable[..., Any]:
    """The CBLAS function for the numbers of an array."""
    return _known(name, LETTERS[like.dtype], kinds, result)


@cache
def _known(name: str, letter: str, kinds: str, result: str) -> Callable[..., Any]:
    part = ctypes.c_float if letter in "sc" else ctypes.c_double
    kinds_of = KINDS | {"r": part, "t": _Pair(part) if letter in REAL else part}
    routine = NAMES.get(name, f"{{t}}{name}").format(t=letter, r=REAL.get(letter, ""))
    function = loaded()[f"cblas_{routine}_64"]
    function.argtypes = [kinds_of[k] for k in kinds]
    function.restype = kinds_of[result] if result else None
    return function


@dataclass(frozen=True)
class _Pair:
    """The type of complex numbers, for ctypes: CBLAS takes the address of their two parts."""

    part: type[ctypes.c_float] | type[ctypes.c_double]

    def from_param(self, value: complex) -> ctypes.Array[Any]:
        return (self.part * 2)(value.real, value.imag)
