"""Matrices with vectors, level 2 of BLAS, on NumPy arrays. The package says what all functions have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    BY_ROWS,
    Array,
    apart,
    column,
    columns,
    diagonal,
    elements,
    in_place,
    inputs,
    numbers,
    of_complex,
    operand,
    real,
    rows,
    same,
    shaped,
    square,
    strided,
    triangle,
    vectors,
    window,
    with_out,
)
from .calls import function, kind_of
from .level3 import symm, syr2k, syrk


def gemv(a: ArrayLike, x: ArrayLike, *, alpha: complex = 1.0, beta: complex = 0.0, out: Array | None = None) -> Array:
    """`out = alpha a x + beta out`. Returns it: a new vector, unless it is given.

    >>> gemv([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    array([3., 7.])
    """
    a, conjugated = operand(a)
    (m, u), y = with_out(alpha, beta, out, lambda a, x: (len(a),), a=a, x=x)
    shaped(a=m, ndim=2)
    vectors(x=u, out=y)
    height, width = same(out=elements(y), a=rows(m)), same(x=elements(u), a=columns(m))
    if width == 0:
        y[...] = np.multiply(beta, y, dtype=y.dtype) if beta else 0
        return y
    w = window(apart(m, y), conjugated)
    sizes = (width, height) if w.transposed else (height, width)
    call = function("gemv", y, "ffiitpipitpi")
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


def _outer(name: str, alpha: complex, x: ArrayLike, y: ArrayLike, a: Array) -> Array:
    u, v = inputs(a, "a", x=x, y=y)
    numbers(a, alpha=alpha)
    vectors(x=u, y=v)
    shaped(a=a, ndim=2)
    m, n = same(x=elements(u), a=rows(a)), same(y=elements(v), a=columns(a))
    u, v = apart(u, a), apart(v, a)
    call = function(name if of_complex(a) else "ger", a, "fiitpipipi")
    return in_place(a, lambda w: call(w.layout, m, n, alpha, *strided(u), *strided(v), *w.run))


def _symmetric_and_vector(
    a: ArrayLike, x: ArrayLike, lower: bool, alpha: complex, beta: complex, out: Array | None, hermitian: bool
) -> Array:
    (m, u), y = with_out(alpha, beta, out, lambda a, x: (len(a),), a=a, x=x)
    size = square(a=m)
    vectors(x=u, out=y)
    n = same(x=elements(u), out=elements(y), a=size)
    if of_complex(y) and not hermitian:  # BLAS has this of matrices only
        symm(m, column(u), lower=lower, alpha=alpha, beta=beta, out=column(y))
        return y
    w = window(apart(m, y))
    call = function(f"{kind_of(y)}mv", y, "ffitpipitpi")
    call(w.layout, triangle(lower), n, alpha, *w.run, *strided(apart(u, y)), beta, *strided(y))
    return y


def _rank_1(alpha: complex, x: ArrayLike, a: Array, lower: bool, hermitian: bool) -> Array:
    (u,) = inputs(a, "a", x=x)
    numbers(a, alpha=alpha)
    vectors(x=u)
    n = same(x=elements(u), a=square(a=a))
    if of_complex(a) and not hermitian:  # as of symv
        return syrk(column(u), lower=lower, alpha=alpha, beta=1.0, out=a)
    u = apart(u, a)
    call = function(f"{kind_of(a)}r", a, "ffirpipi")
    return in_place(a, lambda w: call(w.layout, triangle(lower), n, alpha, *strided(u), *w.run))


def _rank_2(alpha: complex, x: ArrayLike, y: ArrayLike, a: Array, lower: bool, hermitian: bool) -> Array:
    u, v = inputs(a, "a", x=x, y=y)
    numbers(a, alpha=alpha)
    vectors(x=u, y=v)
    n = same(x=elements(u), y=elements(v), a=square(a=a))
    if of_complex(a) and not hermitian:  # as of symv
        return syr2k(column(u), column(v), lower=lower, alpha=alpha, beta=1.0, out=a)
    u, v = apart(u, a), apart(v, a)
    call = function(f"{kind_of(a)}r2", a, "ffitpipipi")
    return in_place(a, lambda w: call(w.layout, triangle(lower), n, alpha, *strided(u), *strided(v), *w.run))


def _triangle(name: str, a: ArrayLike, x: Array, lower: bool, unit: bool) -> Array:
    a, conjugated = operand(a)
    (m,) = inputs(x, "x", a=a)
    vectors(x=x)
    n = same(a=square(a=m), x=elements(x))
    w = window(apart(m, x), conjugated)
    call = function(name, x, "ffffipipi")
    # of a matrix by columns, the transposed of the other triangle
    call(BY_ROWS, w.uplo(lower), w.flag, diagonal(unit), n, *w.run, *strided(x))
    return x
