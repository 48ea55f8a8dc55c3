"""Level 1: the naive programs of vector operations, and their kernels.

Programs are over the precision `R`. Numbers that a routine returns are written to `r`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from backends.targets import PLAIN_C, avx2
from exo_strat import *
from strategies.blas.level1 import optimize_level_1
from strategies.std import stream_stores
from strategies.std.writing import INSIDE

from . import ways
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


def kernel(program: Proc, precision: str, variant: str, how: Callable[[str, Machine], Op], near: bool = True) -> Kernel:
    """A kernel that is scheduled by one of these, of vectors whose elements are neighbours, if they are `near`."""
    name = program.name() + variant if program in DOUBLE else named_for(precision, program.name() + variant)
    mine = typed(program, precision, name)
    return Kernel(name, precision, unit_stride(mine) if near else mine, partial(how, precision))


def of_loops(loops: tuple[Kernel, ...], machine: Machine) -> Op:
    """What calls of loops are scheduled by."""
    return ways.scheduled(tuple((k.program.name(), k.scheduled(machine)) for k in loops))


def by_ways(program: Proc, precision: str) -> Iterator[Kernel]:
    """The kernels of a program: of neighbours, of vectors that are `_apart`, of parts of complex numbers that are so
    (`_parts`), and of `_long` vectors; of a copy, also of those that are far away."""
    near, slow = kernel(program, precision, "", plan), kernel(program, precision, "_strided", strided, near=False)
    yield near
    if any(a.name() == ways.RESULT for a in program.args()):
        yield kernel(program, precision, "_apart", strided, near=False)
        yield way("parts", ways.both_parts, near, slow)
        yield way("long", ways.long_sum, near, near)
        return
    yield way("apart", ways.apart, near, slow)
    yield way("parts", ways.apart_in_parts, near, slow)
    first = kernel(program, precision, "_before", strided)
    yield way("long", ways.long_update, near, near, first)
    if program is copy:
        far = kernel(program, precision, "_far", streamed)
        yield way("long", ways.long_update, far, far, first)


def way(ending: str, make: Callable[..., Proc], kernel: Kernel, *loops: Kernel) -> Kernel:
    """The kernel `saxpy_long` of what calls these loops."""
    name = f"{kernel.name}_{ending}"
    return Kernel(name, kernel.precision, make(name, *(k.program for k in loops)), partial(of_loops, loops))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    both = [k for t in LETTERS for p in (*TYPED, *DOUBLE) if t == "f64" or p not in DOUBLE for k in by_ways(p, t)]
    more = [(rotm_diagonal, plan), (rotm_unit, plan), (amax, plan), (first, plan), (iamax, strided)]
    return (*both, *(kernel(p, t, "", how, how is plan) for p, how in more for t in LETTERS))
