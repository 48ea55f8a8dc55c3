"""Level 2, banded: the naive programs of products with a band of a matrix, and their kernels.

Row i of a band is stored next to row i - 1, one element further to the left. So the matrix as a whole is a window whose
rows are one element closer than those of the storage are, of which only the band is there: programs read nothing else,
and write none of it. Wrappers part the rows where the band leaves the matrix. A row of the `band` has w elements, from
its own number on; in `left`, the first column is that of the matrix, in `right`, the last one. In `symv_..`, `trsv_..`
the diagonal is the first of the w elements of an upper band, the last one of a lower.
"""

from __future__ import annotations

from functools import partial

from exo_strat import *
from strategies import std
from strategies.blas.banded import NARROW, optimize_band, optimize_narrow_band

from .kernel import Kernel, kernel_of
from .level2 import shorter, with_unit_diagonal


@proc
def band_n(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(i, i + w):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def left_n(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(0, i + w):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def right_n(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(i, m + w - 1):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def band_trans(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(i, i + w):
            y[j] += t * a[i, j]


@proc
def left_trans(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(0, i + w):
            y[j] += t * a[i, j]


@proc
def right_trans(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(i, m + w - 1):
            y[j] += t * a[i, j]


@proc
def symv_band_u(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        u: R
        u = 0.0
        for j in seq(i + 1, i + w):
            y[j] += t * a[i, j]
            u += a[i, j] * x[j]
        y[i] += t * a[i, i] + alpha * u


@proc
def symv_band_l(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i + w - 1]
        u: R
        u = 0.0
        for j in seq(i, i + w - 1):
            y[j] += t * a[i, j]
            u += a[i, j] * x[j]
        y[i + w - 1] += t * a[i, i + w - 1] + alpha * u


@proc
def diagonal(m: size, d: [R][m], x: [R][m], y: [R][m]):
    for i in seq(0, m):
        y[i] = d[i] * x[i]


@proc
def trsv_band_ln(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[i + w - 1]
        for j in seq(i, i + w - 1):
            t += -a[i, j] * x[j]
        x[i + w - 1] = t / a[i, i + w - 1]


@proc
def trsv_band_un(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[m - 1 - i]
        for j in seq(m - i, m - 1 - i + w):
            t += -a[m - 1 - i, j] * x[j]
        x[m - 1 - i] = t / a[m - 1 - i, m - 1 - i]


@proc
def trsv_band_ut(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[i] / a[i, i]
        x[i] = t
        minus: R
        minus = -t
        for j in seq(i + 1, i + w):
            x[j] += minus * a[i, j]


@proc
def trsv_band_lt(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[m - 2 - i + w] / a[m - 1 - i, m - 2 - i + w]
        x[m - 2 - i + w] = t
        minus: R
        minus = -t
        for j in seq(m - 1 - i, m - 2 - i + w):
            x[j] += minus * a[m - 1 - i, j]


PARTS = (left_n, right_n, left_trans, right_trans)
BANDS = (
    *(band_n, band_trans, symv_band_u, symv_band_l),
    *(trsv_band_ln, trsv_band_un, trsv_band_lt, trsv_band_ut),
    *map(with_unit_diagonal, (trsv_band_ln, trsv_band_un, trsv_band_lt, trsv_band_ut)),
)
"""Programs with kernels for a band that is wide, and for any."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a band are scheduled by."""
    return at("for i in _: _", optimize_band(shorter(machine), precision))


def narrow(machine: Machine) -> Op:
    """What they are scheduled by where rows are too short for vectors."""
    return at("for i in _: _", optimize_narrow_band())


def plain(machine: Machine) -> Op:
    """What is left to the C compiler, as its elements are not neighbours."""
    return std.cleanup()


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    return tuple(k for t in ("f32", "f64") for k in kernels_in(t))


def kernels_in(precision: str) -> tuple[Kernel, ...]:
    """All kernels in a precision."""
    wide = partial(plan, precision)
    return (
        *(kernel_of(p, precision, wide) for p in PARTS),
        *(kernel_of(p, precision, wide, "", f"w >= {NARROW}") for p in BANDS),
        *(kernel_of(p, precision, narrow, "narrow", f"w < {NARROW}") for p in BANDS),
        kernel_of(diagonal, precision, plain),
    )
