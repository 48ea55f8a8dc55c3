"""Level 2: the naive programs of products and updates with a dense matrix, and their kernels.

Matrices are row-major. `l` and `u` are the lower and the upper triangle, `n` and `t` the matrix and its transpose. What
a loop over columns goes through are neighbours, also where increments are others: wrappers copy such vectors. `trmv` is
given the diagonal, which may be a one for all rows; `trsv_.._unit` doesn't read it.
"""

from __future__ import annotations

import re
from functools import partial

from backends.targets import avx2
from exo_strat import *
from strategies.blas.level2 import optimize_level_2_general, optimize_updates
from strategies.blas.mirrored import Registers, optimize_mirrored

from . import lanes
from .kernel import Kernel, kernel_of


@proc
def gemv_n(m: size, n: size, alpha: R, a: [R][m, n], x: [R][n], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(0, n):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def gemv_trans(m: size, n: size, alpha: R, a: [R][m, n], x: [R][m], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(0, n):
            y[j] += t * a[i, j]


@proc
def ger(m: size, n: size, alpha: R, x: [R][m], y: [R][n], a: [R][m, n]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(0, n):
            a[i, j] += t * y[j]


@proc
def symv_l(n: size, alpha: R, a: [R][n, n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        t: R
        t = alpha * x[i]
        u: R
        u = 0.0
        for j in seq(0, i):
            y[j] += t * a[i, j]
            u += a[i, j] * x[j]
        y[i] += t * a[i, i] + alpha * u


@proc
def symv_u(n: size, alpha: R, a: [R][n, n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        t: R
        t = alpha * x[i]
        u: R
        u = 0.0
        for j in seq(i + 1, n):
            y[j] += t * a[i, j]
            u += a[i, j] * x[j]
        y[i] += t * a[i, i] + alpha * u


@proc
def syr_l(n: size, alpha: R, x: [R][n], a: [R][n, n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = alpha * x[i]
        for j in seq(0, i + 1):
            a[i, j] += t * x[j]


@proc
def syr_u(n: size, alpha: R, x: [R][n], a: [R][n, n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = alpha * x[i]
        for j in seq(i, n):
            a[i, j] += t * x[j]


@proc
def syr2_l(n: size, alpha: R, x: [R][n], y: [R][n], a: [R][n, n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        t: R
        t = alpha * x[i]
        u: R
        u = alpha * y[i]
        for j in seq(0, i + 1):
            a[i, j] += t * y[j] + u * x[j]


@proc
def syr2_u(n: size, alpha: R, x: [R][n], y: [R][n], a: [R][n, n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        t: R
        t = alpha * x[i]
        u: R
        u = alpha * y[i]
        for j in seq(i, n):
            a[i, j] += t * y[j] + u * x[j]


@proc
def trmv_ln(n: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = d[i] * x[i]
        for j in seq(0, i):
            t += a[i, j] * x[j]
        y[i] = t


@proc
def trmv_un(n: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = d[i] * x[i]
        for j in seq(i + 1, n):
            t += a[i, j] * x[j]
        y[i] = t


@proc
def trmv_lt(n: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        t: R
        t = x[i]
        for j in seq(0, i):
            y[j] += t * a[i, j]
        y[i] = d[i] * x[i]


@proc
def trmv_ut(n: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        t: R
        t = x[n - 1 - i]
        for j in seq(n - i, n):
            y[j] += t * a[n - 1 - i, j]
        y[n - 1 - i] = d[n - 1 - i] * x[n - 1 - i]


@proc
def trsv_ln(n: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = x[i]
        for j in seq(0, i):
            t += -a[i, j] * x[j]
        x[i] = t / a[i, i]


@proc
def trsv_un(n: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = x[n - 1 - i]
        for j in seq(n - i, n):
            t += -a[n - 1 - i, j] * x[j]
        x[n - 1 - i] = t / a[n - 1 - i, n - 1 - i]


@proc
def trsv_ut(n: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        x[i] = x[i] / a[i, i]
        t: R
        t = x[i]
        for j in seq(i + 1, n):
            x[j] += -t * a[i, j]


@proc
def trsv_lt(n: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        x[n - 1 - i] = x[n - 1 - i] / a[n - 1 - i, n - 1 - i]
        t: R
        t = x[n - 1 - i]
        for j in seq(0, n - 1 - i):
            x[j] += -t * a[n - 1 - i, j]


def with_unit_diagonal(program: Proc) -> Proc:
    """The same for a diagonal of ones, which is not read: what is solved for is not divided by it.

    >>> print(with_unit_diagonal(trsv_ln))
    def trsv_ln_unit(n: size, a: [R][n, n] @ DRAM, x: [R][n] @ DRAM):
        assert stride(a, 1) == 1
        assert stride(x, 0) == 1
        for i in seq(0, n):
            t: R @ DRAM
            t = x[i]
            for j in seq(0, i):
                t += -a[i, j] * x[j]
            x[i] = t
    """
    text = re.sub(r" / a\[.*\]", "", str(program))
    text = re.sub(r"^ *(\S.*) = \1\n", "", text, flags=re.MULTILINE)
    return proc_from_source(text.replace(program.name(), f"{program.name()}_unit", 1))


def with_diagonal_in_sum(program: Proc) -> Proc:
    """The same, with the diagonal in the sum of a row, beside the columns next to it.

    >>> print(with_diagonal_in_sum(symv_u))
    def symv_u(n: size, alpha: R @ DRAM, a: [R][n, n] @ DRAM, x: [R][n] @ DRAM, y: [R][n] @ DRAM):
        assert stride(a, 1) == 1
        assert stride(x, 0) == 1
        assert stride(y, 0) == 1
        for i in seq(0, n):
            t: R @ DRAM
            t = alpha * x[i]
            u: R @ DRAM
            u = 0.0
            u += a[i, i] * x[i]
            for j in seq(i + 1, n):
                y[j] += t * a[i, j]
                u += a[i, j] * x[j]
            y[i] += alpha * u
    """
    text, diagonal = str(program).replace("t * a[i, i] + ", ""), "u += a[i, i] * x[i]\n        "
    last = "y[i] += alpha" if program.name().endswith("_l") else "for j"
    return proc_from_source(text.replace(last, diagonal + last, 1))


PROGRAMS = (
    *(gemv_n, gemv_trans, ger),
    *(symv_l, symv_u, syr_l, syr_u, syr2_l, syr2_u),
    *(trmv_ln, trmv_un, trmv_lt, trmv_ut),
    *(trsv_ln, trsv_un, trsv_lt, trsv_ut),
    *map(with_unit_diagonal, (trsv_ln, trsv_un, trsv_lt, trsv_ut)),
)


TOGETHER = {syr_l: 0, syr_u: 0, syr2_l: 64, syr2_u: 64}
"""Updates of a triangle, and from which size on rows are better updated together, if they are, unless said. Measured by
`python -m benchmarks.blas --only syr --only syr2`."""


APART_FROM = {syr_l: 128, syr_u: 128, syr2_l: 0, syr2_u: 0}
"""Updates that use vectors of 512 bits, and from which size on their rows are apart then, if ever, by the same
measurement: rows that are together store to several lines of the cache in turns."""


MIRRORED = {p.name(): with_diagonal_in_sum(p) for p in (symv_l, symv_u)}
"""Products with a symmetric matrix that are dense or packed. Those with a band are as they are in `PROGRAMS`."""


MANY = 12
"""Rows of a large matrix that are read together, a vector of each: memory is asked for as many lines at once. Measured
by `python -m benchmarks.blas --only gemv`; `gemv.c` knows it, too."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over rows are scheduled by. Vectors of AVX-512 have 256 bits, as in `level1`."""
    return at("for i in _: _", optimize_level_2_general(shorter(machine), precision))


def plan_wide(precision: str, machine: Machine) -> Op:
    """What loops over rows of many columns are scheduled by."""
    return at("for i in _: _", wide_rows(precision, machine))


def wide_rows(precision: str, machine: Machine) -> Op:
    """What such a loop is scheduled by: with vectors as long as there are, one at a time if they are longer than those
    of AVX2."""
    longer = longest(machine) is not None
    rest = shorter(machine) if longer else None
    return optimize_level_2_general(machine, precision, vectors=int(longer), shorter=rest)


def plan_mirrored(precision: str, machine: Machine) -> Op:
    """What products with a symmetric matrix are scheduled by."""
    if not machine.vec_widths:
        return plan(precision, machine)
    return at("for i in _: _", optimize_mirrored(precision, registers(precision, machine)))


def registers(precision: str, machine: Machine) -> tuple[Registers, ...]:
    """The registers that products with a symmetric matrix use: of AVX-512, those of 256 bits and of 512."""
    kinds = ((avx2, 4), (machine, 8)) if machine != avx2 else ((avx2, 4),)
    return tuple(
        Registers(m, lanes.loaded_once(m, precision), lanes.others(m, precision), together) for m, together in kinds
    )


def plan_many(precision: str, machine: Machine) -> Op:
    """What loops over a multiple of `MANY` rows are scheduled by."""
    vectors = hole("vectors", (1, 2), default=1)
    return at("for i in _: _", optimize_level_2_general(shorter(machine), precision, MANY, vectors))


def plan_update(precision: str, together: int, apart_from: int | None, machine: Machine) -> Op:
    """What updates are scheduled by whose rows stay apart if there are few, or with vectors of 512 bits, if they are
    used, from `apart_from` rows on."""
    size = hole("together", (0, 32, 64, 128, 256), default=together)
    longer = None if apart_from is None else longest(machine)
    return at("for i in _: _", optimize_updates(shorter(machine), precision, size, longer, apart_from or 0))


def longest(machine: Machine) -> Machine | None:
    """The machine, if its vectors are longer than those of AVX2."""
    return machine if machine != shorter(machine) else None


def shorter(machine: Machine) -> Machine:
    """The machine with vectors of 256 bits instead of 512."""
    return avx2 if machine.name == "avx512" else machine


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    dense = [k for t in ("f32", "f64") for k in (*(kernel(t, p) for p in PROGRAMS), update(t, ger, 0, "row"))]
    return (*dense, *(many(t, p) for t in ("f32", "f64") for p in (gemv_n, gemv_trans)))


def kernel(precision: str, program: Proc) -> Kernel:
    """The kernel of a program in a precision."""
    if program in TOGETHER:
        return update(precision, program, TOGETHER[program])
    if program in MIRRORED.values():
        return kernel_of(program, precision, partial(plan_mirrored, precision))
    return kernel_of(program, precision, partial(plan_wide if program in (gemv_n, gemv_trans) else plan, precision))


def many(precision: str, program: Proc) -> Kernel:
    """The kernel of a program for a multiple of `MANY` rows."""
    return kernel_of(program, precision, partial(plan_many, precision), "many", f"m % {MANY} == 0")


def update(precision: str, program: Proc, together: int, variant: str = "") -> Kernel:
    """The kernel of an update whose rows stay apart if there are few."""
    return kernel_of(program, precision, partial(plan_update, precision, together, APART_FROM.get(program)), variant)
