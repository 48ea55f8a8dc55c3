"""Vectors, level 1 of BLAS, on NumPy arrays. The package says what all functions have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    alike,
    apart,
    elements,
    inputs,
    is_complex,
    numbers,
    of_complex,
    real,
    same,
    strided,
    updated,
    vectors,
)
from .calls import function


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
    return int(function("iamax", u, "ipi", "i")(len(u), *strided(forward)))


def axpy(alpha: complex, x: ArrayLike, y: Array) -> Array:
    """`y += alpha x`. Returns y.

    >>> axpy(2.0, [1.0, 2.0], np.array([10.0, 20.0]))
    array([12., 24.])
    """
    (u,) = inputs(y, "y", x=x)
    numbers(y, alpha=alpha)
    vectors(x=u, y=y)
    n = same(x=elements(u), y=elements(y))
    function("axpy", y, "itpipi")(n, alpha, *strided(apart(u, y)), *strided(y))
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
    call = function("scal", x, "itpi") if is_complex(alpha) else function("real_scal", x, "irpi")
    call(len(x), alpha, *strided(forward))
    return x


def swap(x: Array, y: Array) -> tuple[Array, Array]:
    """Exchanges the elements of two vectors. Returns both.

    >>> swap(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    (array([3., 4.]), array([1., 2.]))
    """
    n = _two(x, y)
    function("swap", x, "ipipi")(n, *strided(x), *strided(y))
    return x, y


def rot(x: Array, y: Array, c: float, s: float) -> tuple[Array, Array]:
    """`x, y = c x + s y, c y - s x`. Returns both.

    >>> rot(np.array([1.0]), np.array([2.0]), 0.0, 1.0)
    (array([2.]), array([-1.]))
    """
    n = _two(x, y)
    real(c=c, s=s)
    function("rot", x, "ipipirr")(n, *strided(x), *strided(y), c, s)
    return x, y


def _dot(name: str, x: ArrayLike, y: ArrayLike) -> Any:
    """A float; of complex arrays what the function of this name computes, a complex."""
    u, v = alike(x=x, y=y)
    vectors(x=u, y=v)
    n = same(x=elements(u), y=elements(v))
    if not of_complex(u):
        return float(function("dot", u, "ipipi", "t")(n, *strided(u), *strided(v)))
    result = np.zeros((), u.dtype)
    function(name, u, "ipipip")(n, *strided(u), *strided(v), result.ctypes.data)
    return complex(result)


def _of_one(name: str, x: ArrayLike) -> float:
    (u,) = alike(x=x)
    vectors(x=u)
    forward = u[::-1] if len(u) and u.strides[0] < 0 else u
    return float(function(name, u, "ipi", "r")(len(u), *strided(forward)))


def _two(x: Array, y: Array) -> int:
    """How many elements each of two vectors has that are both updated."""
    updated(x=x, y=y)
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype}, y is {y.dtype}: both must be of one type")
    vectors(x=x, y=y)
    if np.may_share_memory(x, y) and np.shares_memory(x, y):
        raise ValueError("x and y are updated, and have elements in common")
    return same(x=elements(x), y=elements(y))
