"""Level 1: the naive programs of vector operations, and their kernels.

Programs are over the precision `R`. Numbers that a routine returns are written to `r`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from backends.targets import PLAIN_C, avx2
from exo_strat import *
from strategies.blas.level1 import optimize_level_1
from strategies.std import stream_stores
from strategies.std.writing import INSIDE

from .kernel import LETTERS, Kernel, named_for, typed, unit_stride


@proc
def asum(n: size, x: [R][n], r: R):
    t: R
    t = 0.0
    for i in seq(0, n):
        t += abs(x[i])
    r = t


@proc
def axpy(n: size, alpha: R, x: [R][n], y: [R][n]):
    for i in seq(0, n):
        y[i] += alpha * x[i]


@proc
def copy(n: size, x: [R][n], y: [R][n]):
    for i in seq(0, n):
        y[i] = x[i]


@proc
def dot(n: size, x: [R][n], y: [R][n], r: R):
    t: R
    t = 0.0
    for i in seq(0, n):
        t += x[i] * y[i]
    r = t


@proc
def dsdot(n: size, x: [f32][n], y: [f32][n], r: f64):
    t: f64
    t = 0.0
    for i in seq(0, n):
        xi: f64
        yi: f64
        xi = x[i]
        yi = y[i]
        t += xi * yi
    r = t


@proc
def snrm2(n: size, x: [f32][n], r: f64):
    t: f64
    t = 0.0
    for i in seq(0, n):
        xi: f64
        xi = x[i]
        t += xi * xi
    r = t


@proc
def dnrm2(n: size, x: [f64][n], r: f64):
    t: f64
    t = 0.0
    for i in seq(0, n):
        t += x[i] * x[i]
    r = t


@proc
def dnrm2_scaled(n: size, scale: f64, x: [f64][n], r: f64):
    t: f64
    t = 0.0
    for i in seq(0, n):
        xi: f64
        xi = scale * x[i]
        t += xi * xi
    r = t


@proc
def iamax(n: size, x: [R][n], k: [R][n], m: R, p: R):
    for i in seq(0, n):
        p = select(m, fmax(x[i], -x[i]), k[i], p)
        m = fmax(fmax(x[i], -x[i]), m)


@proc
def amax(n: size, least: R, x: [R][n], r: R):
    m: R
    m = least
    for i in seq(0, n):
        m = max(m, abs(x[i]))
    r = m


@proc
def first(n: size, below: R, none: R, x: [R][n], k: [R][n], r: R):
    p: R
    p = none
    for i in seq(0, n):
        p = min(p, select(below, abs(x[i]), k[i], none))
    r = p


@proc
def rotm(n: size, h11: R, h12: R, h21: R, h22: R, x: [R][n], y: [R][n]):
    for i in seq(0, n):
        xx: R
        xy: R
        yx: R
        yy: R
        xx = h11 * x[i]
        xy = h12 * y[i]
        yx = h21 * x[i]
        yy = h22 * y[i]
        x[i] = xx + xy
        y[i] = yx + yy


@proc
def rotm_diagonal(n: size, h11: R, h22: R, x: [R][n], y: [R][n]):
    for i in seq(0, n):
        xi: R
        xi = h11 * x[i] + y[i]
        y[i] = h22 * y[i] - x[i]
        x[i] = xi


@proc
def rotm_unit(n: size, h12: R, h21: R, x: [R][n], y: [R][n]):
    for i in seq(0, n):
        xi: R
        xi = x[i] + h12 * y[i]
        y[i] = h21 * x[i] + y[i]
        x[i] = xi


@proc
def scal(n: size, alpha: R, x: [R][n]):
    for i in seq(0, n):
        x[i] = alpha * x[i]


@proc
def swap(n: size, x: [R][n], y: [R][n]):
    for i in seq(0, n):
        xi: R
        xi = x[i]
        x[i] = y[i]
        y[i] = xi


TYPED = (asum, axpy, copy, dot, rotm, scal, swap)
"""Programs for either precision, and for vectors of neighbours or of any strides."""

DOUBLE = (dsdot, snrm2, dnrm2, dnrm2_scaled)
"""Programs that compute in double precision whatever their vectors are."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over vectors are scheduled by. Those of AVX-512 have 256 bits: see `design.md`."""
    return at("for i in _: _", optimize_level_1(avx2 if machine.name == "avx512" else machine, precision))


SHORT = 4
"""Statements in a loop that are so few that a jump takes as long. Measured by
`python -m benchmarks.blas --level strided`."""


def _is_short(c: Cursor) -> bool:
    return isinstance(c, ForCursor) and len(c.body()) <= SHORT


TWICE = when(_is_short, divide_loop(2, ("io", "ii"), tail="cut") >> nav(INSIDE) >> unroll_loop())
"""Few statements twice."""


def strided(precision: str, machine: Machine) -> Op:
    """What they are scheduled by where elements are no neighbours, which is the same for all machines."""
    return plan(precision, PLAIN_C) >> attempt(at("for i in _: _", TWICE))


def streamed(precision: str, machine: Machine) -> Op:
    """What they are scheduled by where results would not stay in a cache."""
    return at("for i in _: _", optimize_level_1(machine, precision)) >> stream_stores(machine.get_streams(precision))


def kernel(program: Proc, precision: str, variant: str, how: Callable[[str, Machine], Op]) -> Kernel:
    """A kernel that is scheduled by one of these."""
    name = program.name() + variant if program in DOUBLE else named_for(precision, program.name() + variant)
    mine = typed(program, precision, name)
    return Kernel(name, precision, mine if how is strided else unit_stride(mine), partial(how, precision))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    ways = [(p, "", plan) for p in (*TYPED, *DOUBLE, rotm_diagonal, rotm_unit, amax, first)]
    ways += [(p, "_strided", strided) for p in (*TYPED, *DOUBLE)] + [(iamax, "", strided), (copy, "_far", streamed)]
    return tuple(kernel(p, t, end, how) for p, end, how in ways for t in LETTERS if t == "f64" or p not in DOUBLE)
