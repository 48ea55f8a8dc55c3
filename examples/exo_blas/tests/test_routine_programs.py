"""Banded and packed level 2: whole routines as programs, and as scheduled for a machine without vectors, compute what
they are defined to, on exact numbers by the interpreter. What isn't stored of a matrix, or mustn't be read, has no
value there, so that a read of it ends the test."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from backends.targets import plain_c
from examples.exo_blas.builder.catalogue import find
from exo_strat import Proc
from exo_strat.interp import Array, run

Given = dict[str, Any]
SYMMETRIC, TRIANGULAR = ("sbmv", "spmv"), ("tbmv", "tbsv", "tpmv", "tpsv")
SIZES = (1, 2, 3, 5, 9)


@cache
def program(name: str, scheduled: bool) -> Proc:
    kernel = find(f"d{name}")[1]
    return kernel.scheduled(plain_c) if scheduled else kernel.program


ALL = [(name, False) for name in ("gbmv", *SYMMETRIC, *TRIANGULAR, "spr", "spr2")]
WAYS = [*ALL, ("gbmv", True), ("tbmv", True), ("spmv", True), ("spr2", True)]


class Lab:
    """Small whole numbers, as vectors with gaps and as matrices of which only some elements are there."""

    def __init__(self) -> None:
        self.rng = random.Random(3)

    def drawn(self, *shape: int) -> np.ndarray:
        return np.array([Fraction(self.rng.randint(-3, 3)) for _ in range(int(np.prod(shape)))], object).reshape(shape)

    def vector(self, values: np.ndarray, inc: int) -> Array:
        cells: list[Any] = [None] * (abs(inc) * len(values))
        first = 0 if inc > 0 else (1 - len(values)) * inc
        for i, v in enumerate(values):
            cells[first + i * inc] = v
        return Array(cells, first, (len(values),), (inc,))

    def matrix(self, values: np.ndarray, there: np.ndarray) -> Array:
        return Array(list(np.where(there, values, None).flat), 0, values.shape, (values.shape[1], 1))


def in_band(m: int, n: int, kl: int, ku: int) -> np.ndarray:
    i, j = np.indices((m, n))
    return (j - i <= ku) & (i - j <= kl)


def result(p: Proc, given: Given, name: str) -> np.ndarray:
    found = run(p, given)
    assert found.trap is None, found.trap
    return np.array(found.outputs[name], object)


def factors() -> Iterator[tuple[Fraction, Fraction]]:
    yield from ((Fraction(2), Fraction(0)), (Fraction(0), Fraction(3)), (Fraction(-1), Fraction(1)))


@pytest.mark.parametrize("name,scheduled", [way for way in WAYS if way[0] == "gbmv"])
def test_products_with_a_band(name: str, scheduled: bool) -> None:
    lab = Lab()
    for ny, nx, kl, ku, dots in product((1, 3, 8), (1, 4, 9), (0, 2, 10), (0, 3, 11), (True, False)):
        m, n = (ny, nx) if dots else (nx, ny)
        there, a = in_band(m, n, kl, ku), lab.drawn(m, n)
        full = np.where(there, a, 0) if dots else np.where(there, a, 0).T
        (alpha, beta), inc = lab.rng.choice(list(factors())), lab.rng.choice((1, 2, -1))
        x, y = lab.drawn(nx), lab.drawn(ny)
        held, other = lab.matrix(a, there), lab.matrix(lab.drawn(n, m), np.full((n, m), False))
        given = {"dots": dots, "ny": ny, "nx": nx, "kl": kl, "ku": ku, "alpha": alpha, "beta": beta}
        given |= {"rows": held if dots else other, "columns": other if dots else held}
        given |= {"x": lab.vector(x, inc), "y": lab.vector(y if beta else np.full(ny, None), inc)}
        want = alpha * full.dot(x) + (beta * y if beta else 0)
        assert (result(program(name, scheduled), given, "y") == want).all(), (given, kl, ku)


@pytest.mark.parametrize("name,scheduled", [way for way in WAYS if way[0] in SYMMETRIC])
def test_products_with_half_of_a_matrix(name: str, scheduled: bool) -> None:
    lab = Lab()
    for n, k, lower, (alpha, beta), inc in product(SIZES, (0, 1, 4), (True, False), factors(), (1, -2)):
        k = k if name == "sbmv" else n
        there, a = in_band(n, n, k if lower else 0, 0 if lower else k), lab.drawn(n, n)
        half, x, y = np.where(there, a, 0), lab.drawn(n), lab.drawn(n)
        given = {"lower": lower, "n": n, "k": k, "alpha": alpha, "beta": beta, "a": lab.matrix(a, there)}
        given |= {"x": lab.vector(x if alpha else np.full(n, None), inc)}
        given |= {"y": lab.vector(y if beta else np.full(n, None), inc)}
        full = half + half.T - np.diag(np.diag(half))
        want = (alpha * full.dot(x) if alpha else 0) + (beta * y if beta else 0)
        given = {a.name(): given[a.name()] for a in program(name, scheduled).args()}
        assert (result(program(name, scheduled), given, "y") == want).all(), (n, k, lower, alpha, beta, inc)


@pytest.mark.parametrize("name,scheduled", [way for way in WAYS if way[0] in TRIANGULAR])
def test_triangles(name: str, scheduled: bool) -> None:
    lab = Lab()
    for n, k, lower, dots, unit in product(SIZES, (0, 2, 5), *[(True, False)] * 3):
        k = k if name[1] == "b" else n
        there, a = in_band(n, n, k if lower else 0, 0 if lower else k), lab.drawn(n, n)
        np.fill_diagonal(a, [Fraction(lab.rng.choice((-2, 1, 4))) for _ in range(n)])
        full = np.where(there, np.where(np.eye(n, dtype=bool), 1, a) if unit else a, 0)
        full, x = full if dots else full.T, lab.drawn(n)
        stored = there & ~(unit & np.eye(n, dtype=bool))
        given = {"lower": lower, "dots": dots, "unit": unit, "n": n, "k": k, "a": lab.matrix(a, stored)}
        given |= {"x": lab.vector(x, lab.rng.choice((1, 2, -1)))}
        given = {a.name(): given[a.name()] for a in program(name, scheduled).args()}
        found = result(program(name, scheduled), given, "x")
        want = (full.dot(x), found) if name.endswith("mv") else (x, full.dot(found))
        assert (want[0] == want[1]).all(), (n, k, lower, dots, unit)


@pytest.mark.parametrize("name,scheduled", [way for way in WAYS if way[0] in ("spr", "spr2")])
def test_updates(name: str, scheduled: bool) -> None:
    lab = Lab()
    for n, lower, alpha, inc in product(SIZES, (True, False), (Fraction(0), Fraction(-2)), (1, -2)):
        there, a = in_band(n, n, n if lower else 0, 0 if lower else n), lab.drawn(n, n)
        x, y = lab.drawn(n), lab.drawn(n)
        given = {"lower": lower, "n": n, "alpha": alpha, "a": lab.matrix(a, there)}
        given |= {v: lab.vector(w if alpha else np.full(n, None), inc) for v, w in (("x", x), ("y", y))}
        given = {a.name(): given[a.name()] for a in program(name, scheduled).args()}
        update = np.multiply.outer(x, x)
        if name == "spr2":
            update = np.multiply.outer(x, y) + np.multiply.outer(y, x)
        found = result(program(name, scheduled), given, "a")
        assert (found[there] == (a + alpha * update)[there]).all(), (n, lower, alpha, inc)
