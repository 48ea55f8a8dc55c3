"""Complex numbers, level 1: programs on pairs of reals, and their kernels.

A complex vector is n pairs, or 2 n reals that follow each other. Where a vector of pairs is multiplied, by a number or
another vector (`dot_pairs`, `axpy_pairs`, `scal_pairs`), its reals are, as they are and with the parts of each pair
exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from exo_strat import *
from exo_strat import direct
from strategies.blas.pairs import optimize_pairs

from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed, unit_stride

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
def copied(n: size, s: R, x: [R][n, 2], y: [R][n, 2]):
    for i in seq(0, n):
        y[i, 0] = x[i, 0]
        y[i, 1] = s * x[i, 1]


@proc
def size1(n: size, x: [R][n, 2], r: [R][n]):
    for i in seq(0, n):
        r[i] = fmax(x[i, 0], -x[i, 0]) + fmax(x[i, 1], -x[i, 1])


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


PAIRS = {axpy: "xy", scal: "x", size1: "x"}
"""Programs on pairs, with the vectors whose pairs are neighbours in the kernel of that name."""

STRIDED = (axpy, scal, copied, size1)
"""Programs on pairs that also have a kernel `_strided`, in which no pairs need be neighbours."""

NEAR = (dot_pairs, axpy_pairs, scal_pairs)
"""Programs on pairs that are neighbours, and lanes of vectors."""


def as_written(machine: Machine) -> Op:
    """What pairs are scheduled by: that the parts of a vector change places is the C compiler's business."""
    return identity


def plan_pairs(precision: str, machine: Machine) -> Op:
    """What pairs that are neighbours are scheduled by."""
    on_stack = try_else(at("b: _", set_memory(DRAM_STACK)), identity)
    return seq(on_stack, nav(moves.root), at("for i in _: _", optimize_pairs(machine, precision)))


def neighbours(program: Proc, vectors: str) -> Proc:
    """The program for vectors whose pairs are neighbours.

    >>> print(neighbours(size1, "x"))
    def size1(n: size, x: [R][n, 2] @ DRAM, r: [R][n] @ DRAM):
        assert stride(x, 0) == 2
        for i in seq(0, n):
            r[i] = fmax(x[i, 0], -x[i, 0]) + fmax(x[i, 1], -x[i, 1])
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
    return tuple(found)
