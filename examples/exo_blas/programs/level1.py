"""Level 1: the naive programs of vector operations, and their kernels.

Programs are over the precision `R`. Numbers that a routine returns are written to `r`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial

from backends.targets import PLAIN_C
from exo_strat import *
from strategies.blas.level1 import optimize_level_1
from strategies.std import stream_stores
from strategies.std.writing import INSIDE

from . import ways
from .calls import TYPES
from .kernel import LETTERS, Kernel, named_for, typed, unit_stride
from .level1_blocks import FLAGGED, LARGEST_OF, NORMS, ROTATIONS


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
def first(n: size, least: R, none: R, x: [R][n], k: [R][n], r: R):
    p: R
    p = none
    for i in seq(0, n):
        p = min(p, select(fmax(abs(x[i]), -1.0), least, none, k[i]))
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
    """What loops over vectors are scheduled by."""
    return at("for i in _: _", optimize_level_1(machine, precision))


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
def moved(precision: str, machine: Machine) -> Op:
    """What a copy is scheduled by that is left to the C library: it has the processor move what no first cache has room
    for, which then doesn't read the lines that it overwrites."""
    program = unit_stride(typed(copy, precision, f"move_{precision}"))
    move = make_instr(f"memmove(&{{y_data}}, &{{x_data}}, {{n}} * sizeof({TYPES[precision]}));", "#include <string.h>")
    return at("for i in _: _", replace(schedule(move, program)))


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
    (`_parts`), and of `_long` vectors; of a copy, also of those that are far away, and `_moved`."""
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
        yield kernel(program, precision, "_moved", moved)


def way(ending: str, make: Callable[..., Proc], kernel: Kernel, *loops: Kernel) -> Kernel:
    """The kernel `saxpy_long` of what calls these loops."""
    name = f"{kernel.name}_{ending}"
    return Kernel(name, kernel.precision, make(name, *(k.program for k in loops)), partial(of_loops, loops))


MOST = sys.float_info.max
"""The largest number in double precision."""

LEAST = {"f32": 2.0**-126, "f64": 2.0**-1022}
"""The least number of a precision that has all its bits."""


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

def norms() -> Iterator[Kernel]:
    """The kernels of Euclidean norms."""
    loops = [k for p in (ssquares, dsquares) for k in by_ways(p, "f64")]
    loops += [kernel(p, "f64", "_strided", strided, near=False) for p in (amax, dscaled, ssquares, dsquares)]
    return written(NORMS, {k.name: k for k in loops}, LARGEST=MOST)


# -- the largest ------------------------------------------------------------------------------------------

def largest(precision: str) -> Iterator[Kernel]:
    """The kernels that search for the largest number."""
    loops = [kernel(amax, precision, "", plan), kernel(first, precision, "", plan)]
    loops += [kernel(p, precision, ending, strided, near=False) for p, ending in ((copy, "_strided"), (search, ""))]
    return written(in_precision(LARGEST_OF, precision), {k.name: k for k in loops})


# -- modified rotations ------------------------------------------------------------------------------------

def flagged(precision: str) -> Iterator[Kernel]:
    """The kernels of rotm."""
    loops = [*by_ways(rotm, precision), *(kernel(p, precision, "", plan) for p in (rotm_unit, rotm_diagonal))]
    return written(in_precision(FLAGGED, precision), {k.name: k for k in loops})


# -- numbers ----------------------------------------------------------------------------------------------

def rotations(precision: str) -> Iterator[Kernel]:
    """What is about single numbers, and is left as it is."""
    least = LEAST[precision]
    return written(in_precision(ROTATIONS, precision), {}, SMALL=least, LARGE=1 / least, GAMMA=4096.0, SQUARE=2.0**24)


@cache
def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    loops = [(p, t) for t in LETTERS for p in TYPED] + [(dsdot, "f64")]
    both = [*(k for p, t in loops for k in by_ways(p, t)), *norms()]
    both += [k for t in LETTERS for k in (*largest(t), *rotations(t), *flagged(t))]
    return (*both, *(kernel(amax, t, "", plan) for t in LETTERS))
