"""Level 1: the naive programs of vector operations, and their kernels.

Programs are over the precision `R`. Numbers that a routine returns are written to `r`.
"""

from __future__ import annotations

import sys
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
def ssquares(n: size, x: [f32][n], r: f64):
    t: f64
    t = 0.0
    for i in seq(0, n):
        xi: f64
        xi = x[i]
        t += xi * xi
    r = t


@proc
def dsquares(n: size, x: [f64][n], r: f64):
    t: f64
    t = 0.0
    for i in seq(0, n):
        t += x[i] * x[i]
    r = t


@proc
def dscaled(n: size, scale: f64, x: [f64][n], r: f64):
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

DOUBLE = (dsdot, ssquares, dsquares, dscaled)
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
    parts = ways.apart(f"{near.name}_parts", slow.program, 2)
    yield Kernel(parts.name(), precision, parts, lambda _: ways.pairwise())
    first = kernel(program, precision, "_before", strided)
    yield way("long", ways.long_update, near, near, first)
    if program is copy:
        far = kernel(program, precision, "_far", streamed)
        yield way("long", ways.long_update, far, far, first)


def way(ending: str, make: Callable[..., Proc], kernel: Kernel, *loops: Kernel) -> Kernel:
    """The kernel `saxpy_long` of what calls these loops."""
    name = f"{kernel.name}_{ending}"
    return Kernel(name, kernel.precision, make(name, *(k.program for k in loops)), partial(of_loops, loops))


# -- Euclidean norms --------------------------------------------------------------------------------------

# In double precision, the sum of squares is enough if it is of middle size: nothing overflowed, and what vanished does
# not count, an error of at most n 2^-1074. Else numbers are scaled by a power of two first. That of neighbours leaves
# this to the one of long vectors, and says so by -1. Squares of single precision neither overflow nor vanish.

LARGEST = sys.float_info.max
NORMS = """
def dnrm2_scaled(n: size, x: [f64][n], r: f64):
    most: f64
    damax_strided(n, 0.0, x[0:n], most)
    r = most
    if 0.0 < most and most < LARGEST:
        e: f64
        e = fmax(exponent(most), -1000.0)
        scale: f64
        scale = ldexp(1.0, -e)
        squares: f64
        dscaled_strided(n, scale, x[0:n], squares)
        r = ldexp(sqrt(squares), e)

def dnrm2(n: size, x: [f64][n], r: f64):
    assert stride(x, 0) == 1
    if n == 1:
        r = abs(x[0])
    else:
        squares: f64
        dsquares(n, x[0:n], squares)
        r = -1.0 if squares < 1e-270 or squares > LARGEST else sqrt(squares)

def dnrm2_long(n: size, x: [f64][n], r: f64):
    assert stride(x, 0) == 1
    squares: f64
    if n >= 2048:
        dsquares_long(n, x[0:n], squares)
    else:
        dsquares(n, x[0:n], squares)
    if squares < 1e-270 or squares > LARGEST:
        dnrm2_scaled(n, x[0:n], r)
    else:
        r = sqrt(squares)

def dnrm2_apart(n: size, x: [f64][n], r: f64):
    squares: f64
    dsquares_apart(n, x[0:n], squares)
    if squares < 1e-270 or squares > LARGEST:
        dnrm2_scaled(n, x[0:n], r)
    else:
        r = sqrt(squares)

def dnrm2_parts(n: size, x: [f64][n, 2], r: f64):
    parts: f64[2] @ DRAM_STACK
    dnrm2_apart(n, x[0:n, 0], parts[0])
    dnrm2_apart(n, x[0:n, 1], parts[1])
    dnrm2_long(2, parts[0:2], r)

def snrm2(n: size, x: [f32][n], r: f64):
    assert stride(x, 0) == 1
    if n == 1:
        r = abs(x[0])
    else:
        squares: f64
        ssquares(n, x[0:n], squares)
        r = sqrt(squares)

def snrm2_long(n: size, x: [f32][n], r: f64):
    assert stride(x, 0) == 1 and n >= 2048
    squares: f64
    ssquares_long(n, x[0:n], squares)
    r = sqrt(squares)

def snrm2_apart(n: size, x: [f32][n], r: f64):
    squares: f64
    ssquares_apart(n, x[0:n], squares)
    r = sqrt(squares)

def snrm2_parts(n: size, x: [f32][n, 2], r: f64):
    re: f64
    im: f64
    ssquares_strided(n, x[0:n, 0], re)
    ssquares_strided(n, x[0:n, 1], im)
    r = sqrt(re + im)
"""


def norms() -> Iterator[Kernel]:
    """The kernels of Euclidean norms."""
    called = {k.name: k for p in (ssquares, dsquares) for k in by_ways(p, "f64")}
    called |= {k.name: k for k in (kernel(p, "f64", "_strided", strided, near=False) for p in (amax, dscaled, ssquares))}
    for text in NORMS.strip().split("\n\n"):
        made = proc_from_source(text, {"LARGEST": LARGEST, **{name: k.program for name, k in called.items()}})
        found = Kernel(made.name(), "f64", made, partial(of_loops, tuple(called.values())))
        called[found.name] = found
        yield found


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    loops = [(p, t) for t in LETTERS for p in TYPED] + [(dsdot, "f64")]
    both = [*(k for p, t in loops for k in by_ways(p, t)), *norms()]
    more = [(rotm_diagonal, plan), (rotm_unit, plan), (amax, plan), (first, plan), (iamax, strided)]
    return (*both, *(kernel(p, t, "", how, how is plan) for p, how in more for t in LETTERS))
