"""Products of matrices, level 3 of BLAS, on NumPy arrays. The package says what all functions have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    BY_ROWS,
    Array,
    Side,
    Window,
    alike_windows,
    apart,
    columns,
    diagonal,
    factor,
    in_place,
    inputs,
    numbers,
    of_complex,
    of_side,
    operand,
    real,
    row_window,
    rows,
    same,
    shaped,
    square,
    window,
    with_out,
)
from .calls import function, kind_of


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
    m, n, k = same(a=rows(p), out=rows(c)), same(b=columns(q), out=columns(c)), same(a=columns(p), b=rows(q))
    p, q = apart(p, c), apart(q, c)

    def compute(w: Window) -> None:
        # of a b by columns, (a b)^T = b^T a^T is computed
        s, t = window(p.T if w.transposed else p, conjugated), window(q.T if w.transposed else q, conjugated_b)
        first, second = (t, s) if w.transposed else (s, t)
        sizes = (n, m, k) if w.transposed else (m, n, k)
        call = function("gemm", c, "fffiiitpipitpi")
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
    n = same(a=rows(p), out=square(out=c))
    s = window(apart(p, c))
    call = function("syrk", c, "fffiitpitpi")
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
    n = same(a=rows(p), out=square(out=c))
    p = apart(p, c)

    def compute(w: Window) -> None:
        # the transposed of a a^H is made of the conjugates of a
        s = factor(p, conjugated != w.transposed)
        call = function("herk", c, "fffiirpirpi")
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
    n, k = same(a=rows(p), b=rows(q), out=square(out=c)), same(a=columns(p), b=columns(q))
    s, t = alike_windows(window(apart(p, c)), window(apart(q, c)))
    call = function("syr2k", c, "fffiitpipitpi")
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
    n, k = same(a=rows(p), b=rows(q), out=square(out=c)), same(a=columns(p), b=columns(q))
    p, q = apart(p, c), apart(q, c)

    def compute(w: Window) -> None:
        # the transposed of what is computed is made of the conjugates of alpha, a and b
        s, t = alike_windows(factor(p, conjugated != w.transposed), factor(q, conjugated_b != w.transposed))
        number = np.conj(alpha) if w.transposed else alpha
        call = function("her2k", c, "fffiitpipirpi")
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
    m, n = same(b=rows(q), out=rows(c)), same(b=columns(q), out=columns(c))
    same(a=square(a=p), b=of_side(side, q))
    p, q = apart(p, c), apart(q, c)
    kind = kind_of(c) if hermitian else "sy"
    # a symmetric matrix is its own transposed; a Hermitian one isn't
    stored = row_window if kind == "he" else window

    def compute(w: Window) -> None:
        s, other = stored(p.T if w.transposed else p), row_window(q.T if w.transposed else q)
        sizes = (n, m) if w.transposed else (m, n)
        call = function(f"{kind}mm", c, "fffiitpipitpi")
        triangle_of_s = s.uplo(lower, w.transposed)
        call(BY_ROWS, w.side(side), triangle_of_s, *sizes, alpha, *s.run, *other.run, beta, *w.run)

    return in_place(c, compute)


def _triangle_and_matrix(
    name: str, a: ArrayLike, b: Array, side: Side, lower: bool, unit: bool, alpha: complex
) -> Array:
    a, conjugated = operand(a)
    (m,) = inputs(b, "b", a=a)
    numbers(b, alpha=alpha)
    shaped(b=b, ndim=2)
    same(a=square(a=m), b=of_side(side, b))
    m = apart(m, b)

    def compute(w: Window) -> None:
        # of a b by columns, b^T is computed, with a^T on the other side
        s = window(m.T if w.transposed else m, conjugated)
        sizes = b.shape[::-1] if w.transposed else b.shape
        flags = (BY_ROWS, w.side(side), s.uplo(lower, w.transposed), s.flag, diagonal(unit))
        function(name, b, "fffffiitpipi")(*flags, *sizes, alpha, *s.run, *w.run)

    return in_place(b, compute)
