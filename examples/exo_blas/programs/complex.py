"""Complex numbers: the programs on pairs of reals that all levels are made of, and their kernels.

A complex vector is n pairs, or 2 n reals that follow each other. What multiplies a row of a matrix by a vector goes
through the row's reals as they are, with a vector that has been taken apart once (`spread`): with u = (re, -im) and
v = (im, re) of each pair of x, the real and the imaginary part of `a x` are the sums of a u and of a v over reals. `s`
is -1 where a is conjugated, else 1. A sum of rows is added up in p, times the real parts of x, and q, times the
imaginary ones, and put together in the end (`combine`). Where a vector of pairs is multiplied, by a number or another
vector (`dot_pairs`, `axpy_pairs`, `scal_pairs`), its reals are, as they are and with the parts of each pair exchanged.
A product of matrices is one of reals, too: of rows of reals with a B of which each row has become two (`expand`), as in
the 1m method of F. G. Van Zee, "Implementing High-Performance Complex Matrix Multiplication via the 1m Method" (2020).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from exo_strat import *
from exo_strat import direct
from strategies.blas.level1 import optimize_level_1
from strategies.blas.level2 import optimize_level_2_general
from strategies.blas.pairs import optimize_pairs

from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed, unit_stride
from .level2 import shorter

# -- pairs --------------------------------------------------------------------------------------------


@proc
def axpy(n: size, ar: R, ai: R, x: [R][n, 2], y: [R][n, 2]):
    for i in seq(0, n):
        xr: R
        xr = x[i, 0]
        y[i, 0] += ar * xr - ai * x[i, 1]
        y[i, 1] += ar * x[i, 1] + ai * xr


@proc
def scal(n: size, ar: R, ai: R, x: [R][n, 2]):
    for i in seq(0, n):
        xr: R
        xi: R
        xr = x[i, 0]
        xi = x[i, 1]
        x[i, 0] = ar * xr - ai * xi
        x[i, 1] = ar * xi + ai * xr


@proc
def times(n: size, ar: R, ai: R, x: [R][n, 2], y: [R][n, 2]):
    for i in seq(0, n):
        y[i, 0] = ar * x[i, 0] - ai * x[i, 1]
        y[i, 1] = ar * x[i, 1] + ai * x[i, 0]


@proc
def copied(n: size, s: R, x: [R][n, 2], y: [R][n, 2]):
    for i in seq(0, n):
        y[i, 0] = x[i, 0]
        y[i, 1] = s * x[i, 1]


@proc
def plus(n: size, x: [R][n, 2], y: [R][n, 2]):
    for i in seq(0, n):
        y[i, 0] += x[i, 0]
        y[i, 1] += x[i, 1]


@proc
def divide(n: size, p: R, q: R, d: R, x: [R][n, 2]):
    for i in seq(0, n):
        xr: R
        xi: R
        xr = x[i, 0]
        xi = x[i, 1]
        x[i, 0] = (xr * p + xi * q) / d
        x[i, 1] = (xi * p - xr * q) / d


@proc
def size1(n: size, x: [R][n, 2], r: [R][n]):
    for i in seq(0, n):
        r[i] = fmax(x[i, 0], -x[i, 0]) + fmax(x[i, 1], -x[i, 1])


@proc
def spread(n: size, s: R, x: [R][n, 2], u: [R][n, 2], v: [R][n, 2]):
    for i in seq(0, n):
        u[i, 0] = x[i, 0]
        u[i, 1] = -(s * x[i, 1])
        v[i, 0] = x[i, 1]
        v[i, 1] = s * x[i, 0]


@proc
def combine(n: size, s: R, p: [R][n, 2], q: [R][n, 2], y: [R][n, 2]):
    for i in seq(0, n):
        y[i, 0] += p[i, 0] - s * q[i, 1]
        y[i, 1] += s * p[i, 1] + q[i, 0]


# -- vectors of pairs, as reals -----------------------------------------------------------------------

# Of a dot product, re re and im im are added up in p, re im and im re in q; what is conjugated decides on the signs of
# these in the end. `scal_pairs` rounds as `scal` does.


@proc
def dot_pairs(n: size, x: [R][2 * n], y: [R][2 * n], p: [R][2], q: [R][2]):
    for i in seq(0, n):
        for k in seq(0, 2):
            p[k] += x[2 * i + k] * y[2 * i + k]
            q[k] += x[2 * i + k] * y[2 * i + 1 - k]


@proc
def axpy_pairs(n: size, ar: R, ai: R, x: [R][2 * n], y: [R][2 * n]):
    b: R[2]
    b[0] = -ai
    b[1] = ai
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] += ar * x[2 * i + k]
            y[2 * i + k] += b[k] * x[2 * i + 1 - k]


@proc
def scal_pairs(n: size, ar: R, ai: R, x: [R][2 * n]):
    b: R[2]
    b[0] = -ai
    b[1] = ai
    for i in seq(0, n):
        t: R[2]
        for k in seq(0, 2):
            t[k] = x[2 * i + 1 - k]
        for k in seq(0, 2):
            x[2 * i + k] = ar * x[2 * i + k] + b[k] * t[k]


@proc
def expand(
    m: size,
    n: size,
    p: [R][2],
    q: [R][2],
    r: [R][2],
    s: [R][2],
    b: [R][m, 2 * n],
    e: [R][m, 2 * n],
    f: [R][m, 2 * n],
):
    for i in seq(0, m):
        for j in seq(0, n):
            for k in seq(0, 2):
                e[i, 2 * j + k] = p[k] * b[i, 2 * j + k] + q[k] * b[i, 2 * j + 1 - k]
                f[i, 2 * j + k] = r[k] * b[i, 2 * j + k] + s[k] * b[i, 2 * j + 1 - k]


# -- rows of reals ------------------------------------------------------------------------------------


@proc
def dot(n: size, a: [R][n], u: [R][n], v: [R][n], r: [R][2]):
    s: R
    t: R
    s = 0.0
    t = 0.0
    for j in seq(0, n):
        s += a[j] * u[j]
        t += a[j] * v[j]
    r[0] = s
    r[1] = t


@proc
def add(n: size, xr: R, xi: R, a: [R][n], p: [R][n], q: [R][n]):
    for j in seq(0, n):
        p[j] += xr * a[j]
        q[j] += xi * a[j]


@proc
def both(n: size, xr: R, xi: R, a: [R][n], u: [R][n], v: [R][n], p: [R][n], q: [R][n], r: [R][2]):
    s: R
    t: R
    s = 0.0
    t = 0.0
    for j in seq(0, n):
        p[j] += xr * a[j]
        q[j] += xi * a[j]
        s += a[j] * u[j]
        t += a[j] * v[j]
    r[0] = s
    r[1] = t


@proc
def rank(n: size, xr: R, xi: R, v: [R][n], w: [R][n], a: [R][n]):
    for j in seq(0, n):
        a[j] += xr * v[j] + xi * w[j]


@proc
def dots(m: size, n: size, a: [R][m, n], u: [R][n], v: [R][n], y: [R][m, 2]):
    for i in seq(0, m):
        s: R
        t: R
        s = 0.0
        t = 0.0
        for j in seq(0, n):
            s += a[i, j] * u[j]
            t += a[i, j] * v[j]
        y[i, 0] += s
        y[i, 1] += t


@proc
def adds(m: size, n: size, a: [R][m, n], x: [R][m, 2], p: [R][n], q: [R][n]):
    for i in seq(0, m):
        for j in seq(0, n):
            p[j] += x[i, 0] * a[i, j]
            q[j] += x[i, 1] * a[i, j]


PAIRS = {
    axpy: "xy",
    scal: "x",
    times: "xy",
    copied: "xy",
    plus: "xy",
    divide: "x",
    size1: "x",
    spread: "xuv",
    combine: "pqy",
}
"""Programs on pairs, with the vectors whose pairs are neighbours in the kernel of that name."""

STRIDED = (axpy, scal, times, copied, plus, size1, spread)
"""Programs on pairs that also have a kernel `_strided`, in which no pairs need be neighbours."""

NEAR = (dot_pairs, axpy_pairs, scal_pairs)
"""Programs on pairs that are neighbours, and lanes of vectors."""

ROWS = (dot, add, both, rank)
"""Programs on a row of reals."""

EXPANDED = (expand,)
"""Programs on rows of pairs that are neighbours."""

MATRICES = (dots, adds)
"""Programs on rows of reals."""

TOGETHER = (4, 1)
"""Rows of a matrix, and vectors of columns, that are taken together: each row has two sums for each vector. Measured by
`python -m benchmarks.blas --level complex --only gemv`."""


def as_written(machine: Machine) -> Op:
    """What pairs are scheduled by: that the parts of a vector change places is the C compiler's business."""
    return identity


def plan_pairs(precision: str, machine: Machine) -> Op:
    """What pairs that are neighbours are scheduled by."""
    on_stack = try_else(at("b: _", set_memory(DRAM_STACK)), identity)
    return seq(on_stack, nav(moves.root), at("for i in _: _", optimize_pairs(shorter(machine), precision)))


def plan_rows_of_pairs(precision: str, machine: Machine) -> Op:
    """What rows of pairs that are neighbours are scheduled by."""
    return at("for j in _: _", optimize_pairs(shorter(machine), precision, 1))


def plan_row(precision: str, machine: Machine) -> Op:
    """What a row of reals is scheduled by."""
    return at("for j in _: _", optimize_level_1(shorter(machine), precision))


def plan_rows(precision: str, machine: Machine) -> Op:
    """What rows of reals are scheduled by."""
    return at("for i in _: _", optimize_level_2_general(shorter(machine), precision, *TOGETHER))


def neighbours(program: Proc, vectors: str) -> Proc:
    """The program for vectors whose pairs are neighbours.

    >>> print(neighbours(plus, "x"))
    def plus(n: size, x: [R][n, 2] @ DRAM, y: [R][n, 2] @ DRAM):
        assert stride(x, 0) == 2
        for i in seq(0, n):
            y[i, 0] += x[i, 0]
            y[i, 1] += x[i, 1]
    """
    for x in vectors:
        program = direct.add_assertion(program, f"stride({x}, 0) == 2")
    return program


def kernel(program: Proc, precision: str, plan: Callable[[Machine], Op], variant: str = "") -> Kernel:
    """The kernel of a program, named for complex numbers of a precision: `caxpy`. Both parts of a pair are neighbours,
    and so are the elements of a row."""
    name = f"{COMPLEX_LETTERS[precision]}{program.name()}{variant}"
    return Kernel(name, precision, unit_stride(typed(program, precision, name)), plan)


@cache
def kernels() -> tuple[Kernel, ...]:
    """All kernels of complex numbers."""
    found = []
    for t in LETTERS:
        found += [kernel(neighbours(p, near), t, as_written) for p, near in PAIRS.items()]
        found += [kernel(p, t, as_written, "_strided") for p in STRIDED]
        found += [kernel(p, t, partial(plan_pairs, t)) for p in NEAR]
        found += [kernel(p, t, partial(plan_rows_of_pairs, t)) for p in EXPANDED]
        found += [kernel(p, t, partial(plan_row, t)) for p in ROWS]
        found += [kernel(p, t, partial(plan_rows, t)) for p in MATRICES]
    return tuple(found)
