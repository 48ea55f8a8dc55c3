"""Level 2, packed: the kernels of triangles that are stored row after row, without gaps. Imports `exo_strat`, `kernel`,
`level2` and `strategies.blas`.

Where a row of a packed triangle begins is quadratic in its number, which object code, whose indices are affine, can't
say. Of two rows it can: they are the rows of a matrix, at the distance between these two. So wrappers go through pairs
of rows. Each is a rectangle of two rows, for the programs here, and a corner at the diagonal, a triangle of 2 x 2 for
the programs of `level2`. Programs for rectangles are for any number of rows; their kernels are for two.
"""

from __future__ import annotations

from functools import partial

from exo_strat import *
from strategies import std
from strategies.blas.packed import optimize_few_rows

from . import level2
from .kernel import Kernel, named_for, typed


@proc
def symv_r(m: size, n: size, alpha: R, a: [R][m, n], x: [R][m], y: [R][m], u: [R][n], v: [R][n]):
    assert stride(a, 1) == 1
    assert stride(u, 0) == 1
    assert stride(v, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        w: R
        w = 0.0
        for j in seq(0, n):
            v[j] += t * a[i, j]
            w += a[i, j] * u[j]
        y[i] += alpha * w


@proc
def ger2(m: size, n: size, alpha: R, x: [R][m], y: [R][m], u: [R][n], v: [R][n], a: [R][m, n]):
    assert stride(a, 1) == 1
    assert stride(u, 0) == 1
    assert stride(v, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        w: R
        w = alpha * y[i]
        for j in seq(0, n):
            a[i, j] += t * v[j] + w * u[j]


RECTANGLES = (level2.gemv_n, level2.gemv_trans, level2.ger, symv_r, ger2)
"""What is scheduled for two rows."""

CORNERS = tuple(p for p in level2.PROGRAMS if p not in RECTANGLES)
"""What is left to the C compiler, which knows that there are one or two rows."""


def pair(precision: str, machine: Machine) -> Op:
    """What loops over two rows are scheduled by."""
    return at("for i in _: _", optimize_few_rows(precision, machine, vectors=2))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    pairs = [rectangle(t, p) for t in ("f32", "f64") for p in RECTANGLES]
    return (*pairs, *(corner(t, p) for t in ("f32", "f64") for p in CORNERS))


def rectangle(precision: str, program: Proc) -> Kernel:
    """The kernel of a program over rows, for two of them."""
    name = named_for(precision, program.name(), "pair")
    two = schedule(partial_eval(m=2), typed(program, precision, name))
    return Kernel(name, precision, two, partial(pair, precision))


def corner(precision: str, program: Proc) -> Kernel:
    """The kernel of a program over a triangle, for a corner."""
    name = named_for(precision, program.name(), "corner")
    return Kernel(name, precision, typed(program, precision, name), plain)


def plain(machine: Machine) -> Op:
    """What loops over a corner are scheduled by."""
    return std.cleanup()
