"""Level 3, symmetric: naive programs of products with a symmetric matrix, and their kernels.

Of the matrix one triangle is stored, by rows: an element of the other one is read where it is mirrored.
"""

from __future__ import annotations

from functools import partial

from exo_strat import *
from strategies.blas.level3 import DEPTH
from strategies.blas.symmetric import optimize_symmetric

from .calls import as_call_of, product_add
from .kernel import LETTERS, Kernel, kernel_of
from .storage import NEAR


@proc
def symm_left_lower(m: size, n: size, alpha: R, a: [R][m, m], b: [R][m, n], c: [R][m, n]):
    for p in seq(0, m):
        for i in seq(0, m):
            t: R
            t = a[i, p] if p <= i else a[p, i]
            for j in seq(0, n):
                c[i, j] += alpha * (t * b[p, j])


@proc
def symm_left_upper(m: size, n: size, alpha: R, a: [R][m, m], b: [R][m, n], c: [R][m, n]):
    for p in seq(0, m):
        for i in seq(0, m):
            t: R
            t = a[p, i] if p <= i else a[i, p]
            for j in seq(0, n):
                c[i, j] += alpha * (t * b[p, j])


@proc
def symm_right_lower(m: size, n: size, alpha: R, a: [R][n, n], b: [R][m, n], c: [R][m, n]):
    for p in seq(0, n):
        for j in seq(0, n):
            t: R
            t = a[j, p] if p <= j else a[p, j]
            for i in seq(0, m):
                c[i, j] += alpha * (b[i, p] * t)


@proc
def symm_right_upper(m: size, n: size, alpha: R, a: [R][n, n], b: [R][m, n], c: [R][m, n]):
    for p in seq(0, n):
        for j in seq(0, n):
            t: R
            t = a[p, j] if p <= j else a[j, p]
            for i in seq(0, m):
                c[i, j] += alpha * (b[i, p] * t)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    programs = (symm_left_lower, symm_left_upper, symm_right_lower, symm_right_upper)
    return tuple(kernel(program, precision) for precision in LETTERS for program in programs)


def kernel(program: Proc, precision: str) -> Kernel:
    """The kernel of a program in a precision."""
    beside = [f"stride({x}, 1) == 1" for x in "abc"]
    return kernel_of(program, precision, partial(plan, precision), "", *beside)


def plan(precision: str, machine: Machine) -> Op:
    """What these programs are scheduled by."""
    return optimize_symmetric(machine, precision, DEPTH, as_call_of(product_add, precision), NEAR)
