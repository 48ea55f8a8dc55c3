"""Level 1: the naive programs of vector operations, and their kernels.

Programs are over the precision `R`. Numbers that a routine returns are written to `r`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial

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
def search(n: size, x: [R][n], k: [R][n], r: R):
    most: R
    place: R
    most = -1.0
    place = 0.0
    for i in seq(0, n):
        place = select(most, fmax(x[i], -x[i]), k[i], place)
        most = fmax(fmax(x[i], -x[i]), most)
    r = place


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


@cache
def kernel(program: Proc, precision: str, variant: str, how: Callable[[str, Machine], Op], near: bool = True) -> Kernel:
    """A kernel that is scheduled by one of these, of vectors whose elements are neighbours, if they are `near`."""
    name = program.name() + variant if program in DOUBLE else named_for(precision, program.name() + variant)
    mine = typed(program, precision, name)
    return Kernel(name, precision, unit_stride(mine) if near else mine, partial(how, precision))


def of_loops(loops: tuple[Kernel, ...], machine: Machine) -> Op:
    """What calls of loops are scheduled by."""
    return ways.scheduled(tuple((k.program.name(), k.scheduled(machine)) for k in loops))


@cache
def by_ways(program: Proc, precision: str) -> tuple[Kernel, ...]:
    return tuple(_by_ways(program, precision))


def _by_ways(program: Proc, precision: str) -> Iterator[Kernel]:
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


def in_precision(texts: str, precision: str, letter: str = "") -> str:
    """Programs over `R`, which are called `Tamax`, in a precision; of complex numbers, `Samax` is one of real ones."""
    real = LETTERS[precision]
    texts = re.sub(r"\bS(?=[a-z])", real, re.sub(r"\bT(?=[a-z])", letter or real, texts))
    return re.sub(r"\bR\b", precision, texts)


def written(texts: str, called: dict[str, Kernel], **values: float) -> Iterator[Kernel]:
    """The kernels of programs that call others, and each other, with the numbers that they mention."""
    known = dict(called)
    for text in texts.strip().split("\n\n"):
        made = proc_from_source(text, {**values, **{name: k.program for name, k in known.items()}})
        loops = tuple(known[name] for name in dict.fromkeys(ways.called(made)))
        known[made.name()] = Kernel(made.name(), "", made, partial(of_loops, loops))
        yield known[made.name()]


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
    assert stride(x, 1) == 1
    re: f64
    im: f64
    dsquares_strided(n, x[0:n, 0], re)
    dsquares_strided(n, x[0:n, 1], im)
    if re + im < 1e-270 or re + im > LARGEST:
        parts: f64[2] @ DRAM_STACK
        dnrm2_scaled(n, x[0:n, 0], parts[0])
        dnrm2_scaled(n, x[0:n, 1], parts[1])
        dnrm2_long(2, parts[0:2], r)
    else:
        r = sqrt(re + im)

def snrm2(n: size, x: [f32][n], r: f64):
    assert stride(x, 0) == 1
    if n == 1:
        r = abs(x[0])
    else:
        squares: f64
        ssquares(n, x[0:n], squares)
        r = sqrt(squares)

def snrm2_long(n: size, x: [f32][n], r: f64):
    assert stride(x, 0) == 1
    assert n >= 2048
    squares: f64
    ssquares_long(n, x[0:n], squares)
    r = sqrt(squares)

def snrm2_apart(n: size, x: [f32][n], r: f64):
    squares: f64
    ssquares_apart(n, x[0:n], squares)
    r = sqrt(squares)

def snrm2_parts(n: size, x: [f32][n, 2], r: f64):
    assert stride(x, 1) == 1
    re: f64
    im: f64
    ssquares_strided(n, x[0:n, 0], re)
    ssquares_strided(n, x[0:n, 1], im)
    r = sqrt(re + im)
"""


def norms() -> Iterator[Kernel]:
    """The kernels of Euclidean norms."""
    loops = [k for p in (ssquares, dsquares) for k in by_ways(p, "f64")]
    loops += [kernel(p, "f64", "_strided", strided, near=False) for p in (amax, dscaled, ssquares, dsquares)]
    return written(NORMS, {k.name: k for k in loops}, LARGEST=LARGEST)


# -- the largest ------------------------------------------------------------------------------------------

# The first index of the largest |x[i]|. A number that is none never is the largest. Few numbers are taken one after the
# other. Of others, the largest is known first; the least index is that of what is above the next smaller number. Many are
# taken in chunks; pieces of 32 of the first of the best chunks are asked for the largest until one has it. The last piece
# begins early instead of being short. Counts are the numbers from 0 to 63. `start` is room.

LARGEST_OF = """
def Tiamax(n: size, counts: R[64], x: [R][n], r: i64):
    assert n <= 64
    place: R
    Tsearch(n, x[0:n], counts[0:n], place)
    r = i64(place)

def Tiamax_at(n: size, most: R, counts: R[64], x: [R][n], r: i64):
    assert n <= 64
    assert stride(x, 0) == 1
    below: R
    below = most - LEAST if most < SMALL else fmin(most * SHRUNK, LARGEST)
    place: R
    Tfirst(n, below, 64.0, x[0:n], counts[0:n], place)
    r = i64(place)

def Tiamax_few(n: size, counts: R[64], x: [R][n], r: i64):
    assert n <= 64
    assert stride(x, 0) == 1
    most: R
    Tamax(n, -1.0, x[0:n], most)
    Tiamax_at(n, most, counts, x[0:n], r)

def Tiamax_from(n: size, at: index, most: R, counts: R[64], x: [R][n], r: i64):
    assert 0 <= at
    assert at <= n - 32
    assert stride(x, 0) == 1
    found: u8
    found = 0
    for p in seq(0, (n - at + 31) / 32):
        if found == 0:
            here: R
            Tamax(32, -1.0, x[min(at + 32 * p, n - 32):min(at + 32 * p, n - 32) + 32], here)
            if most <= here:
                found = 1
                place: i64
                Tiamax_at(32, most, counts, x[min(at + 32 * p, n - 32):min(at + 32 * p, n - 32) + 32], place)
                r = i64(min(at + 32 * p, n - 32)) + place

def Tiamax_many(n: size, counts: R[64], x: [R][n], start: i64, r: i64):
    assert n >= 32
    assert stride(x, 0) == 1
    most: R
    if n <= 4096:
        Tamax(n, -1.0, x[0:n], most)
        Tiamax_from(n, 0, most, counts, x[0:n], r)
    else:
        most = -1.0
        start = 0
        for c in seq(0, (n + 4095) / 4096):
            here: R
            Tamax(min(4096, n - 4096 * c), most, x[4096 * c:4096 * c + min(4096, n - 4096 * c)], here)
            if most < here:
                most = here
                start = i64(4096 * c)
        Tiamax_from(n, min(max(start, 0), n - 32), most, counts, x[0:n], r)

def Tiamax_long(n: size, counts: R[64], x: [R][n], start: i64, r: i64):
    assert n >= 2048
    assert stride(x, 0) == 1
    tops: R[33] @ DRAM_STACK
    tops[32] = -1.0
    for p in par(0, 32):
        Tamax(n / 2048 * 64, -1.0, x[n / 2048 * 64 * p:n / 2048 * 64 * (p + 1)], tops[p])
    if 0 < n % 2048:
        Tamax(n % 2048, -1.0, x[n / 2048 * 2048:n], tops[32])
    most: R
    most = -1.0
    start = 0
    for p in seq(0, 33):
        if most < tops[p]:
            most = tops[p]
            start = i64(n / 2048 * 64 * p)
    Tiamax_from(n, min(max(start, 0), n - 32), most, counts, x[0:n], r)

def Tiamax_copied(n: size, at: index, most: R, counts: R[64], x: [R][n], some: R[512], r: i64):
    assert 0 <= at and at < n
    if at + 512 < n:
        Tcopy_strided(512, x[at:at + 512], some[0:512])
    place: i64
    if n - at <= 64:
        Tiamax_at(n - at, most, counts, some[0:n - at], place)
    else:
        Tiamax_from(min(512, n - at), 0, most, counts, some[0:min(512, n - at)], place)
    r = i64(at) + place

def Tiamax_apart(n: size, counts: R[64], x: [R][n], start: i64, r: i64):
    if n <= 64:
        Tiamax(n, counts, x[0:n], r)
    else:
        most: R
        some: R[512] @ DRAM_STACK
        most = -1.0
        start = 0
        for c in seq(0, (n + 511) / 512):
            here: R
            Tcopy_strided(min(512, n - 512 * c), x[512 * c:512 * c + min(512, n - 512 * c)], some[0:min(512, n - 512 * c)])
            Tamax(min(512, n - 512 * c), most, some[0:min(512, n - 512 * c)], here)
            if most < here:
                most = here
                start = i64(512 * c)
        Tiamax_copied(n, min(max(start, 0), n - 1), most, counts, x[0:n], some, r)
"""
LIMITS = {"f32": (24, 126, (2.0 - 2.0**-23) * 2.0**127), "f64": (53, 1022, sys.float_info.max)}
"""Of a precision: bits of a number, the least exponent of a normal one, negated, and the largest."""


def largest(precision: str) -> Iterator[Kernel]:
    """The kernels that search for the largest number."""
    bits, least, most = LIMITS[precision]
    loops = [kernel(amax, precision, "", plan), kernel(first, precision, "", plan)]
    loops += [kernel(p, precision, ending, strided, near=False) for p, ending in ((copy, "_strided"), (search, ""))]
    values = {"LEAST": 2.0 ** (1 - least - bits), "SMALL": 2.0 ** (1 - least), "SHRUNK": 1 - 2.0**-bits, "LARGEST": most}
    return written(in_precision(LARGEST_OF, precision), {k.name: k for k in loops}, **values)


# -- modified rotations ------------------------------------------------------------------------------------

# The flag h[0] tells which entries of H are 1 or -1: all are given, those of the diagonal are 1, or the others are. Except
# for what the processor has near, to multiply by 1 takes no time.

FLAGGED = """
def Tflagged(n: size, h: R[5], x: [R][n], y: [R][n]):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    if h[0] < 0.0:
        Trotm(n, h[1], h[3], h[2], h[4], x[0:n], y[0:n])
    elif h[0] == 0.0:
        Trotm_unit(n, h[3], h[2], x[0:n], y[0:n])
    else:
        Trotm_diagonal(n, h[1], h[4], x[0:n], y[0:n])

def Tflagged_apart(n: size, nx: size, ny: size, h: R[5], x: [R][nx], y: [R][ny]):
    a: R = 1.0
    b: R = 1.0
    c: R = -1.0
    d: R = 1.0
    if h[0] != 0.0:
        a = h[1]
        d = h[4]
    if h[0] <= 0.0:
        b = h[3]
        c = h[2]
    Trotm_apart(n, nx, ny, a, b, c, d, x[0:nx], y[0:ny])

def Tflagged_long(n: size, before: index, shared: size, h: R[5], x: [R][n], y: [R][n]):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    assert 0 <= before and before < n and shared >= 2048
    a: R = 1.0
    b: R = 1.0
    c: R = -1.0
    d: R = 1.0
    if h[0] != 0.0:
        a = h[1]
        d = h[4]
    if h[0] <= 0.0:
        b = h[3]
        c = h[2]
    Trotm_long(n, before, shared, a, b, c, d, x[0:n], y[0:n])
"""


def flagged(precision: str) -> Iterator[Kernel]:
    """The kernels of rotm."""
    loops = [*by_ways(rotm, precision), *(kernel(p, precision, "", plan) for p in (rotm_unit, rotm_diagonal))]
    return written(in_precision(FLAGGED, precision), {k.name: k for k in loops})


# -- numbers ----------------------------------------------------------------------------------------------

# |re| + |im| of one number; the rotation that takes (a, b) to (r, 0), scaled, so that squares are of middle size; and the modified one that takes
# (sqrt(d1) x, sqrt(d2) y) to a multiple of (1, 0), whose d1 and d2 are kept of middle size.

ROTATIONS = """
def Tcabs1(z: R[2], r: R):
    r = abs(z[0]) + abs(z[1])

def Trotg(a: R, b: R, c: R, s: R):
    if b == 0.0:
        c = 1.0
        s = 0.0
        b = 0.0
    elif a == 0.0:
        c = 0.0
        s = 1.0
        a = b
        b = 1.0
    else:
        larger: R
        larger = a if abs(a) > abs(b) else b
        scale: R
        scale = fmin(fmax(abs(larger), SMALL), LARGE)
        r: R
        r = scale * sqrt(a / scale * (a / scale) + b / scale * (b / scale))
        r = -r if larger < 0.0 else r
        c = a / r
        s = b / r
        b = s if abs(a) > abs(b) else (1.0 / c if c != 0.0 else 1.0)
        a = r

def Trescaled(d: R, x: R, h: R, g: R):
    if d != 0.0:
        for k in seq(0, 1000):
            if abs(d) <= 1.0 / SQUARE:
                d *= SQUARE
                x /= GAMMA
                h /= GAMMA
                g /= GAMMA
        for k in seq(0, 1000):
            if abs(d) >= SQUARE:
                d /= SQUARE
                x *= GAMMA
                h *= GAMMA
                g *= GAMMA

def Trotmg(d1: R, d2: R, x: R, y: R, param: R[5]):
    if not d1 < 0.0 and d2 * y == 0.0:
        param[0] = -2.0
    else:
        flag: R = -1.0
        h11: R = 0.0
        h12: R = 0.0
        h21: R = 0.0
        h22: R = 0.0
        p1: R = d1 * x
        p2: R = d2 * y
        u: R
        if not d1 < 0.0:
            if abs(p1 * x) > abs(p2 * y):
                u = 1.0 + y / x * (p2 / p1)
                if u > 0.0:
                    flag = 0.0
                    h11 = 1.0
                    h12 = p2 / p1
                    h21 = -(y / x)
                    h22 = 1.0
                    d1 /= u
                    d2 /= u
                    x *= u
            elif not p2 * y < 0.0:
                flag = 1.0
                h11 = p1 / p2
                h12 = 1.0
                h21 = -1.0
                h22 = x / y
                u = 1.0 + h11 * h22
                p1 = d2 / u
                d2 = d1 / u
                d1 = p1
                x = y * u
        if flag < 0.0:
            d1 = 0.0
            d2 = 0.0
            x = 0.0
        elif (d1 != 0.0 and (d1 <= 1.0 / SQUARE or d1 >= SQUARE)) or (d2 != 0.0 and (abs(d2) <= 1.0 / SQUARE or abs(d2) >= SQUARE)):
            flag = -1.0
            Trescaled(d1, x, h11, h12)
            u = 1.0
            Trescaled(d2, u, h21, h22)
        param[0] = flag
        if flag <= 0.0:
            param[2] = h21
            param[3] = h12
        if flag != 0.0:
            param[1] = h11
            param[4] = h22
"""


def rotations(precision: str) -> Iterator[Kernel]:
    """What is about single numbers, and is left as it is."""
    least = 2.0 ** -LIMITS[precision][1]
    return written(in_precision(ROTATIONS, precision), {}, SMALL=least, LARGE=1 / least, GAMMA=4096.0, SQUARE=2.0**24)


@cache
def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    loops = [(p, t) for t in LETTERS for p in TYPED] + [(dsdot, "f64")]
    both = [*(k for p, t in loops for k in by_ways(p, t)), *norms(), *(k for t in LETTERS for k in (*largest(t), *rotations(t), *flagged(t)))]
    return (*both, *(kernel(amax, t, "", plan) for t in LETTERS))
