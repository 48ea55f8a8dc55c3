"""Level 3: batches of small products, all of the same sizes, at equal distances."""

from __future__ import annotations

from functools import cache, partial

from exo_strat import *
from strategies import std
from strategies.blas.batches import by_slim_tiles, turned_before
from strategies.blas.level3 import slim_rows
from strategies.blas.products import Made, at_once, either
from strategies.std.writing import INSIDE

from .kernel import LETTERS, Kernel, kernel_of
from .products import at_once_by, made, slim_kernels, slim_machines
from .storage import NEAR


@proc
def product_batch(
    batch: size, m: size, n: size, k: size, alpha: R, a: [R][batch, m, k], b: [R][batch, k, n], beta: R,
    c: [R][batch, m, n],
):  # fmt: skip
    assert stride(c, 2) == 1
    for g in seq(0, batch):
        for j in seq(0, n):
            for i in seq(0, m):
                if beta == 0.0:
                    c[g, i, j] = 0.0
                elif beta != 1.0:
                    c[g, i, j] = beta * c[g, i, j]
                for p in seq(0, k):
                    c[g, i, j] += alpha * (a[g, i, p] * b[g, p, j])


@proc
def product_batch_turned(
    batch: size, m: size, n: size, k: size, some: size, alpha: R, a: [R][batch, m, k], b: [R][batch, k, n], beta: R,
    c: [R][batch, m, n],
):  # fmt: skip
    assert stride(b, 1) == 1
    assert stride(c, 2) == 1
    for g in seq(0, batch):
        for j in seq(0, n):
            for i in seq(0, m):
                if beta == 0.0:
                    c[g, i, j] = 0.0
                elif beta != 1.0:
                    c[g, i, j] = beta * c[g, i, j]
                for p in seq(0, k):
                    c[g, i, j] += alpha * (a[g, i, p] * b[g, p, j])


def by_rows(precision: str, machine: Machine) -> Op:
    """What batches are scheduled by whose b have rows of neighbours: for few columns by slim tiles."""
    found = seq(nav(INSIDE), at_once(at_once_by(precision, machine), made(precision, machine, "matrix_scale")))
    for narrow, vectors in reversed(slim_machines(precision, machine)):
        if vectors <= VECTORS:
            tile = std.Tile(narrow, precision, slim_rows(narrow)[vectors], vectors)
            found = either(f"n <= {tile.cols}", by_slim_tiles(slim_kernels(precision, narrow, vectors), tile), found)
    return seq(nav(moves.find_loop("g")), found)


VECTORS = 2
"""Vectors of a row of c up to which there is a kernel for every number of rows."""


def by_columns(precision: str, machine: Machine) -> Op:
    """What batches are scheduled by whose b have columns of neighbours: they are turned, some at a time."""
    rows = batch_of(precision)
    turn = made(precision, machine, "matrix_turn")
    batch = Made(rows.program, rows.scheduled(machine))
    return seq(nav(moves.find_loop("g")), turned_before("some", NEAR, turn, batch))


@cache
def batch_of(precision: str) -> Kernel:
    """The kernel of batches whose b have rows of neighbours."""
    return kernel_of(product_batch, precision, partial(by_rows, precision), "", "stride(b, 2) == 1")


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    by_turns = (kernel_of(product_batch_turned, precision, partial(by_columns, precision)) for precision in LETTERS)
    return (*map(batch_of, LETTERS), *by_turns)
