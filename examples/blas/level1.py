"""Level 1: the naive programs of vector operations, and their kernels. Imports `exo_strat`,
`backends.targets`, `kernel` and `strategies.blas`.

Programs are over the precision `R`. Numbers that a routine returns are written to `r`.
"""

from __future__ import annotations

from functools import partial

from backends.targets import PLAIN_C, avx2
from exo_strat import *
from strategies.blas.level1 import optimize_level_1
from strategies.std import stream_stores

from .kernel import Kernel, named_for, typed, unit_stride


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


TYPED = (asum, axpy, copy, dot, rotm, rotm_diagonal, rotm_unit, scal, swap)
"""Programs for either precision, and for vectors of neighbours or of any strides."""

DOUBLE = (dsdot, snrm2, dnrm2, dnrm2_scaled)
"""Programs that compute in double precision whatever their vectors are."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over vectors are scheduled by. Those of AVX-512 have 256 bits: see `docs/blas.md`."""
    return at("for i in _: _", optimize_level_1(precision, avx2 if machine.name == "avx512" else machine))


def strided(precision: str, machine: Machine) -> Op:
    """What they are scheduled by where elements are no neighbours."""
    return plan(precision, PLAIN_C)


def streamed(precision: str, machine: Machine) -> Op:
    """What they are scheduled by where results would not stay in a cache."""
    vectors = at("for i in _: _", optimize_level_1(precision, machine))
    return vectors >> stream_stores(machine.get_streams(precision)) if machine.streams else vectors


def variants(program: Proc, precision: str, name: str) -> tuple[Kernel, Kernel]:
    """A program's kernels for vectors of neighbours, and for any strides."""
    any_stride = f"{name}_strided"
    return (
        Kernel(name, precision, unit_stride(typed(program, precision, name)), partial(plan, precision)),
        Kernel(any_stride, precision, typed(program, precision, any_stride), partial(strided, precision)),
    )


def far_copy(precision: str) -> Kernel:
    """The kernel of a copy that leaves the caches as they are."""
    name = named_for(precision, "copy_far")
    return Kernel(name, precision, unit_stride(typed(copy, precision, name)), partial(streamed, precision))


def searches(precision: str) -> tuple[Kernel, ...]:
    """The kernels of `iamax`, which its wrapper composes."""
    names = {p: named_for(precision, p.name()) for p in (amax, first, iamax)}
    whole = (unit_stride(typed(p, precision, names[p])) for p in (amax, first))
    scan = typed(iamax, precision, names[iamax])
    return (
        *(Kernel(p.name(), precision, p, partial(plan, precision)) for p in whole),
        Kernel(scan.name(), precision, scan, partial(strided, precision)),
    )


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    either = [k for t in ("f32", "f64") for p in TYPED for k in variants(p, t, named_for(t, p.name()))]
    far = [far_copy(t) for t in ("f32", "f64")]
    double = [k for p in DOUBLE for k in variants(p, "f64", p.name())]
    return (*either, *far, *double, *searches("f32"), *searches("f64"))
