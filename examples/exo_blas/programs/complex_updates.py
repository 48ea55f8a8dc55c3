"""Complex numbers, level 2: what is added to a matrix is the product of a column and a row; and its kernels.

Matrices and signs are as in `complex_matrix_vector.py`. A row of A is added u times the real part of an element, and v
times the imaginary one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from exo_strat import *

from .complex_vectors import LEAVES as OF_VECTORS
from .complex_vectors import LONG as OF_LONG_VECTORS
from .complex_vectors import SOME, Plan, kernels_of, long_kernels_of, long_reals, reals, spread_back, taken, taken_times
from .kernel import Kernel
from .storage import PAIRS, ROOM, ROWS

# -- loops over the reals of rows ---------------------------------------------------------------------


@proc
def rank(n: size, x: [R][2], u: [R][n], v: [R][n], a: [R][n]):
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for j in seq(0, n):
        t: R
        t = a[j]
        t += x[0] * u[j]
        t += x[1] * v[j]
        a[j] = t


@proc
def ranks(n: size, x: [R][8], u: [R][n], v: [R][n], a: [R][n], b: [R][n], c: [R][n], d: [R][n]):
    assert stride(a, 0) == 1 and stride(b, 0) == 1 and stride(c, 0) == 1 and stride(d, 0) == 1
    assert stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for j in seq(0, n):
        e: R
        f: R
        g: R
        h: R
        e = a[j]
        f = b[j]
        g = c[j]
        h = d[j]
        e += x[0] * u[j]
        f += x[2] * u[j]
        g += x[4] * u[j]
        h += x[6] * u[j]
        e += x[1] * v[j]
        f += x[3] * v[j]
        g += x[5] * v[j]
        h += x[7] * v[j]
        a[j] = e
        b[j] = f
        c[j] = g
        d[j] = h


@proc
def rank2(n: size, x: [R][2], u: [R][n], v: [R][n], y: [R][2], f: [R][n], g: [R][n], a: [R][n]):
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    assert stride(y, 0) == 1 and stride(f, 0) == 1 and stride(g, 0) == 1
    for j in seq(0, n):
        t: R
        t = a[j]
        t += x[0] * u[j]
        t += x[1] * v[j]
        t += y[0] * f[j]
        t += y[1] * g[j]
        a[j] = t


# -- updates ------------------------------------------------------------------------------------------


@proc
def updated(
    m: size, n: size, enough: size, x: [R][2 * m], u: [R][2 * n], v: [R][2 * n], a: [R][m, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """To each row of A, u times the real part of its element of x and v times the imaginary one"""
    assert stride(a, 2) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1 and stride(x, 0) == 1
    for io in seq(0, (m + 3) / 4):
        i = 4 * io
        if i + 4 <= m and enough <= n:
            ranks(2 * n, x[2 * i : 2 * i + 8], u, v, a[i, 0, 0 : 2 * n], a[i + 1, 0, 0 : 2 * n],
                  a[i + 2, 0, 0 : 2 * n], a[i + 3, 0, 0 : 2 * n])  # fmt: skip
        else:
            for k in seq(i, min(i + 4, m)):
                rank(2 * n, x[2 * k : 2 * k + 2], u, v, a[k, 0, 0 : 2 * n])


@proc
def ger(
    m: size, n: size, enough: size, s: R, alpha: [R][2], x: [R][2 * m] @ PAIRS, r: R, y: [R][2 * n] @ PAIRS,
    a: [R][m, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """A := alpha x y^T + A, of x and y or conj(x) and conj(y): s and r are their signs"""
    assert stride(a, 2) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        own: R[2 * m] @ ROOM
        near: R[2 * n] @ ROOM
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        f: R[2] @ DRAM_STACK
        f[0] = alpha[0]
        f[1] = s * alpha[1]
        taken(n, 1.0, y, near)
        spread_back(n, r, near, u, v)
        taken_times(m, s, f, x, own)
        updated(m, n, enough, own, u, v, a)


# The rows of an upper triangle begin anywhere in a line of a cache. If those of the matrix begin with one (`alike`),
# longer rows are taken from the first whole line on: a load or a store that is on two takes twice as long.

LINE = 8
"""Elements of which the lines of a cache that begin with one are whole."""
SPLIT = 64
"""Elements of a row from which on it is taken so."""


@proc
def her(
    n: size, lower: bool, alike: bool, s: R, alpha: R, x: [R][2 * n] @ PAIRS, a: [R][n, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """A := alpha x x^H + A, of a Hermitian A of which one triangle is stored, or of conj(A)"""
    assert stride(a, 2) == 1
    if alpha != 0.0:
        near: R[2 * n] @ ROOM
        own: R[2] @ DRAM_STACK
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        taken(n, s, x, near)
        spread_back(n, -1.0, near, u, v)
        for i in seq(0, n):
            own[0] = alpha * near[2 * i]
            own[1] = alpha * near[2 * i + 1]
            if lower:
                rank(2 * (i + 1), own, u[0 : 2 * (i + 1)], v[0 : 2 * (i + 1)], a[i, 0, 0 : 2 * (i + 1)])
            else:
                if alike and n - i >= SPLIT:
                    whole = (i + LINE - 1) / LINE * LINE
                    if i < whole:
                        rank(2 * (whole - i), own, u[2 * i : 2 * whole], v[2 * i : 2 * whole],
                             a[i, 0, 2 * i : 2 * whole])  # fmt: skip
                    rank(2 * (n - whole), own, u[2 * whole : 2 * n], v[2 * whole : 2 * n],
                         a[i, 0, 2 * whole : 2 * n])  # fmt: skip
                else:
                    rank(2 * (n - i), own, u[2 * i : 2 * n], v[2 * i : 2 * n], a[i, 0, 2 * i : 2 * n])
            a[i, 0, 2 * i + 1] = 0.0


@proc
def her2(
    n: size, lower: bool, alike: bool, s: R, alpha: [R][2], x: [R][2 * n] @ PAIRS, y: [R][2 * n] @ PAIRS,
    a: [R][n, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """A := alpha x y^H + conj(alpha) y x^H + A, of a Hermitian A of which one triangle is stored, or of conj(A)"""
    assert stride(a, 2) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near_x: R[2 * n] @ ROOM
        near_y: R[2 * n] @ ROOM
        own_x: R[2] @ DRAM_STACK
        own_y: R[2] @ DRAM_STACK
        ux: R[2 * n] @ ROOM
        vx: R[2 * n] @ ROOM
        uy: R[2 * n] @ ROOM
        vy: R[2 * n] @ ROOM
        taken(n, s, x, near_x)
        taken(n, s, y, near_y)
        spread_back(n, -1.0, near_x, ux, vx)
        spread_back(n, -1.0, near_y, uy, vy)
        for i in seq(0, n):
            own_x[0] = alpha[0] * near_x[2 * i] - s * alpha[1] * near_x[2 * i + 1]
            own_x[1] = alpha[0] * near_x[2 * i + 1] + s * alpha[1] * near_x[2 * i]
            own_y[0] = alpha[0] * near_y[2 * i] + s * alpha[1] * near_y[2 * i + 1]
            own_y[1] = alpha[0] * near_y[2 * i + 1] - s * alpha[1] * near_y[2 * i]
            if lower:
                rank2(2 * (i + 1), own_x, uy[0 : 2 * (i + 1)], vy[0 : 2 * (i + 1)],
                      own_y, ux[0 : 2 * (i + 1)], vx[0 : 2 * (i + 1)],
                      a[i, 0, 0 : 2 * (i + 1)])  # fmt: skip
            else:
                if alike and n - i >= SPLIT:
                    whole = (i + LINE - 1) / LINE * LINE
                    if i < whole:
                        rank2(2 * (whole - i), own_x, uy[2 * i : 2 * whole], vy[2 * i : 2 * whole], own_y,
                              ux[2 * i : 2 * whole], vx[2 * i : 2 * whole], a[i, 0, 2 * i : 2 * whole])  # fmt: skip
                    rank2(2 * (n - whole), own_x, uy[2 * whole : 2 * n], vy[2 * whole : 2 * n], own_y,
                          ux[2 * whole : 2 * n], vx[2 * whole : 2 * n], a[i, 0, 2 * whole : 2 * n])  # fmt: skip
                else:
                    rank2(2 * (n - i), own_x, uy[2 * i : 2 * n], vy[2 * i : 2 * n],
                          own_y, ux[2 * i : 2 * n], vx[2 * i : 2 * n], a[i, 0, 2 * i : 2 * n])  # fmt: skip
            a[i, 0, 2 * i + 1] = 0.0


# -- kernels ------------------------------------------------------------------------------------------

LEAVES: Mapping[str, Plan] = {
    **OF_VECTORS,
    "ranks": partial(reals, 1),
    **{p.name(): partial(reals, 0) for p in (rank, rank2)},
}
LONG: Mapping[str, Plan] = {
    **OF_LONG_VECTORS,
    "ranks": partial(long_reals, 1, SOME),
    **{p.name(): partial(long_reals, 0, SOME) for p in (rank, rank2)},
}
"""What loops that are vectors are scheduled by; and those of long rows."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return (*kernels_of((ger, her, her2), LEAVES), *long_kernels_of((ger, her, her2), LONG))
