"""Level 3: the naive programs of products of matrices, and their kernels.

Programs are over the precision `R`, and row-major: what a wrapper makes of columns.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product

from exo_strat import *
from exo_strat import direct
from strategies.blas import turning
from strategies.blas.dots import optimize_dots
from strategies.blas.level1 import optimize_level_1
from strategies.blas.level3 import DEPTH, Pack, optimize_gemm, packed, packed_across

from .kernel import LETTERS, Kernel, named_for, typed, unit_stride
from .level2 import shorter


@proc
def gemm(m: size, n: size, k: size, alpha: R, a: [R][m, k], b: [R][k, n], c: [R][m, n]):
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = 0.0
            for p in seq(0, k):
                t += a[i, p] * b[p, j]
            c[i, j] += alpha * t


@proc
def gemm_new(m: size, n: size, k: size, alpha: R, a: [R][m, k], b: [R][k, n], c: [R][m, n]):
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = 0.0
            for p in seq(0, k):
                t += a[i, p] * b[p, j]
            c[i, j] = alpha * t


@proc
def matrix_add(m: size, n: size, a: [R][m, n], c: [R][m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] += a[i, j]


@proc
def matrix_turn(m: size, n: size, a: [R][m, n], c: [R][m, n]):
    assert stride(a, 0) == 1
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            c[i, j] = a[i, j]


@proc
def matrix_scale(m: size, n: size, beta: R, c: [R][m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = beta * c[i, j]


@proc
def matrix_zero(m: size, n: size, c: [R][m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = 0.0


BY_ROWS = (matrix_add, matrix_scale, matrix_zero)
"""Loops over rows of neighbours."""

PRODUCTS = (gemm, gemm_new)
"""Products that are added to what is there, times beta, or to nothing."""

PACKING: dict[str, Pack | None] = {"packed": packed, "across": packed_across, "unpacked": None, "narrow": None}
"""The kernels of a product, by how panels of B are packed. The last one is for few columns: its vectors are shorter."""


def products(precision: str, tile: Proc, pack: str, machine: Machine) -> Op:
    """What products are scheduled by."""
    if pack != "narrow":
        return optimize_gemm(machine, precision, tile, PACKING[pack])
    narrower = shorter(machine)
    return identity if narrower is machine else optimize_gemm(narrower, precision, tile, None)


def dots(precision: str, machine: Machine) -> Op:
    """What products of few rows and columns and many products each are scheduled by."""
    return optimize_dots(machine, precision) if machine.vec_widths else identity


def rows(precision: str, machine: Machine) -> Op:
    """What loops over rows are scheduled by."""
    return at("for j in _: _", optimize_level_1(machine, precision))


def turned(precision: str, machine: Machine) -> Op:
    """What a matrix by columns is copied to rows by."""
    return at("for j in _: _", turning.turned(machine, precision))


@cache
def kernels_for(precision: str) -> tuple[Kernel, ...]:
    """The kernels of a precision."""
    found = []
    for p, pack in product(PRODUCTS, PACKING):
        any_b = typed(p, precision, named_for(precision, p.name(), "narrow" if pack == "narrow" else ""))
        tile = direct.add_assertion(any_b, "stride(b, 1) == 1")
        program = direct.add_assertion(any_b, "stride(b, 0) == 1") if pack == "across" else tile
        program = program if PACKING[pack] is None else direct.add_assertion(program, f"k <= {DEPTH}")
        program = schedule(rename(named_for(precision, p.name(), pack)), program)
        found.append(Kernel(program.name(), precision, program, partial(products, precision, tile, pack)))
    program = typed(gemm, precision, named_for(precision, "gemm_dots"))
    along = direct.add_assertion(direct.add_assertion(program, "stride(a, 1) == 1"), "stride(b, 0) == 1")
    found.append(Kernel(along.name(), precision, along, partial(dots, precision)))
    for family, plan in ((BY_ROWS, rows), ((matrix_turn,), turned)):
        for p in family:
            program = typed(p, precision, named_for(precision, p.name()))
            program = unit_stride(program) if family is BY_ROWS else program
            found.append(Kernel(program.name(), precision, program, partial(plan, precision)))
    return tuple(found)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    return tuple(k for precision in LETTERS for k in kernels_for(precision))
