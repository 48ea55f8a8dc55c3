"""Banded and packed matrices of the library against NumPy, for which they are written out as dense ones.

What a matrix is not stored in is not a number, and memory ends where pages do that trap: so are gaps between rows, the
corners of a band that lie outside of the matrix, and the diagonal if it is said to be one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas

WRAPPERS = ("gbmv", "sbmv", "tbmv", "tbsv", "spmv", "spr", "spr2", "tpmv", "tpsv")
ROW, COL = 101, 102
NO, TRANS, CONJ = 111, 112, 113
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
STEPS = ((1, 1), (-1, 2), (3, -2), (-2, -1))
ORDERS = tuple(product((ROW, COL), (UPPER, LOWER)))
TRIANGLES = tuple(product((ROW, COL), (UPPER, LOWER), (NO, TRANS, CONJ), (NON_UNIT, UNIT)))
PACKED_SIZES = (0, 1, 2, 3, 4, 5, 8, 17, 34, 35, 70)
BANDS = (
    *((0, 0, 0), (1, 0, 0), (1, 3, 1), (2, 1, 0), (5, 0, 1), (6, 2, 0), (9, 9, 2), (9, 40, 0), (30, 7, 0)),
    *((41, 8, 3), (70, 12, 1), (75, 36, 0), (50, 49, 0)),
)
"""Sizes, diagonals beside the main one, and how much rows are apart beyond what they need."""


@dataclass(frozen=True)
class Stored:
    """A matrix of the library: its memory, and where each element is in it; -1 for those that are not there."""

    memory: np.ndarray
    place: np.ndarray

    @property
    def address(self) -> int:
        return self.memory.ctypes.data

    @property
    def dense(self) -> np.ndarray:
        there = self.place >= 0
        return np.where(there, self.memory.astype(np.longdouble)[np.where(there, self.place, 0)], 0)


@dataclass(frozen=True)
class Vec:
    """A vector of the library: memory, increment, and the elements in order as a view of it."""

    memory: np.ndarray
    inc: int
    n: int

    @property
    def passed(self) -> tuple[int, int]:
        return self.memory.ctypes.data, self.inc

    @property
    def view(self) -> np.ndarray:
        return self.memory[:: abs(self.inc)][: self.n][:: 1 if self.inc > 0 else -1]

    @property
    def exact(self) -> np.ndarray:
        return self.view.astype(np.longdouble)


@pytest.fixture(scope="module")
def blas(version: tuple[str, str], blas_of: Callable[..., Cblas]) -> Cblas:
    return blas_of(WRAPPERS, version)


@pytest.fixture
def call(letter: str, blas: Cblas) -> Callable[..., None]:
    """`call("gbmv", ..)` in one precision, which `call.dtype` is."""

    def run(routine: str, *args: object) -> None:
        getattr(blas, f"cblas_{letter}{routine}")(*args)

    run.dtype = np.dtype("f4" if letter == "s" else "f8")  # type: ignore[attr-defined]
    return run


class Maker:
    """Vectors and matrices of random numbers between pages that trap."""

    def __init__(self, guarded: Callable[..., np.ndarray], dtype: np.dtype) -> None:
        self.rng, self.guarded, self.dtype = np.random.default_rng(5), guarded, dtype
        self.eps = float(np.finfo(dtype).eps)

    def vec(self, n: int, inc: int) -> Vec:
        memory = self.guarded(max(n - 1, 0) * abs(inc) + 1, self.dtype.str, inc % 2 == 0)
        memory[:] = np.nan
        found = Vec(memory, inc, n)
        found.view[:] = self.rng.uniform(-1, 1, n)
        return found

    def stored(self, place: np.ndarray) -> Stored:
        used = place[place >= 0]
        memory = self.guarded(int(max(used.max(initial=-1) + 1, 1)), self.dtype.str, place.size % 2 == 0)
        memory[:] = np.nan
        memory[used] = self.rng.uniform(-1, 1, len(used))
        return Stored(memory, place)

    def band(self, layout: int, m: int, n: int, kl: int, ku: int, lda: int) -> Stored:
        """A general band. Each row, or column, of its storage is there as a whole."""
        i, j = np.indices((m, n))
        place = i * lda + j - i + kl if layout == ROW else j * lda + i - j + ku
        return self.stored(np.where((j - i <= ku) & (i - j <= kl), place, -1))

    def triangle_of_band(self, layout: int, uplo: int, n: int, k: int, lda: int) -> Stored:
        return self.band(layout, n, n, 0 if uplo == UPPER else k, k if uplo == UPPER else 0, lda)

    def packed(self, layout: int, uplo: int, n: int) -> Stored:
        i, j = np.indices((n, n))
        if layout == COL:
            i, j = j, i
        upper = (layout == ROW) == (uplo == UPPER)
        place = i * n - i * (i - 1) // 2 + j - i if upper else i * (i + 1) // 2 + j
        return self.stored(np.where(j >= i if upper else j <= i, place, -1))


@pytest.fixture
def make(guarded: Callable[..., np.ndarray], call: Callable[..., None]) -> Maker:
    return Maker(guarded, call.dtype)  # type: ignore[attr-defined]


def symmetric(a: np.ndarray) -> np.ndarray:
    return a + a.T - np.diag(np.diag(a))


def op(trans: int, a: np.ndarray) -> np.ndarray:
    return a if trans == NO else a.T


def close(found: np.ndarray, want: np.ndarray, sizes: np.ndarray, make: Maker, what: object) -> None:
    """Whether sums are as exact as they are in any order; `sizes` are those of the absolute values."""
    assert np.all(np.abs(found - want) <= (len(sizes) + 8) * make.eps * sizes), what


def beta_case(y: Vec, beta: float) -> np.ndarray:
    """What y begins with in exact arithmetic; it is no number where beta is 0."""
    before = beta * y.exact
    if beta == 0:
        y.view[:] = np.nan
        before = np.zeros(y.n, np.longdouble)
    return before


def general_bands() -> Iterator[tuple[int, int, int, int, int]]:
    yield from ((0, 3, 1, 1, 0), (3, 0, 1, 1, 0), (1, 1, 0, 0, 0), (1, 9, 2, 3, 1), (9, 1, 3, 2, 0), (5, 5, 0, 0, 1))
    yield from ((20, 20, 1, 1, 0), (20, 9, 3, 4, 2), (9, 30, 2, 30, 0), (40, 40, 6, 5, 0), (41, 37, 9, 12, 3))
    yield from ((60, 20, 30, 8, 0), (20, 60, 8, 30, 1), (30, 31, 40, 40, 0), (75, 70, 0, 20, 0), (70, 75, 20, 0, 0))


@pytest.mark.parametrize("layout", [ROW, COL])
def test_gbmv(call, make, layout):
    for m, n, kl, ku, more in general_bands():
        for trans, (incx, incy) in product((NO, TRANS, CONJ), STEPS):
            for alpha, beta in ((0.75, 0.0), (-1.0, 0.5)):
                a = make.band(layout, m, n, kl, ku, kl + ku + 1 + more)
                x, y = make.vec(m if trans != NO else n, incx), make.vec(n if trans != NO else m, incy)
                before = beta_case(y, beta)
                matrix = (kl, ku, alpha, a.address, kl + ku + 1 + more)
                call("gbmv", layout, trans, m, n, *matrix, *x.passed, beta, *y.passed)
                if m == 0 or n == 0:
                    continue
                full = op(trans, a.dense)
                sizes = np.abs(before) + np.abs(full) @ np.abs(x.exact)
                close(y.exact, alpha * full @ x.exact + before, sizes, make, (m, n, kl, ku, trans, incx, incy))


@pytest.mark.parametrize("layout,uplo", ORDERS)
def test_products_with_a_symmetric_matrix(call, make, layout, uplo):
    bands = [("sbmv", n, k, make.triangle_of_band(layout, uplo, n, k, k + 1 + more)) for n, k, more in BANDS]
    lda = {(n, k): k + 1 + more for n, k, more in BANDS}
    for routine, n, k, a in (*bands, *(("spmv", n, 0, make.packed(layout, uplo, n)) for n in PACKED_SIZES)):
        for (incx, incy), (alpha, beta) in product(STEPS, ((0.75, 0.0), (-1.0, 0.5), (0.0, 0.5))):
            x, y = make.vec(n, incx), make.vec(n, incy)
            before, full = beta_case(y, beta), symmetric(a.dense)
            matrix = (k, alpha, a.address, lda[n, k]) if routine == "sbmv" else (alpha, a.address)
            call(routine, layout, uplo, n, *matrix, *x.passed, beta, *y.passed)
            sizes = np.abs(before) + np.abs(full) @ np.abs(x.exact)
            close(y.exact, alpha * full @ x.exact + before, sizes, make, (routine, n, k, incx, incy))


@pytest.mark.parametrize("layout,uplo", ORDERS)
def test_updates_of_a_packed_matrix(call, make, layout, uplo):
    for n, (incx, incy), routine in product(PACKED_SIZES, STEPS, ("spr", "spr2")):
        a, x, y = make.packed(layout, uplo, n), make.vec(n, incx), make.vec(n, incy)
        before, there = a.dense, a.place >= 0
        call(routine, layout, uplo, n, 0.75, *x.passed, *(y.passed if routine == "spr2" else ()), a.address)
        update = np.outer(x.exact, x.exact)
        if routine == "spr2":
            update = np.outer(x.exact, y.exact) + np.outer(y.exact, x.exact)
        want = np.where(there, before + 0.75 * update, 0)
        assert np.all(np.abs(a.dense - want) <= 8 * make.eps), (routine, n, incx, incy)


def triangles(make: Maker, layout: int, uplo: int) -> Iterator[tuple[str, int, tuple[int, ...], Stored, int]]:
    """A letter for the kind, size, diagonals, matrix, distance of rows."""
    for n, k, more in BANDS:
        yield "b", n, (k,), make.triangle_of_band(layout, uplo, n, k, k + 1 + more), k + 1 + more
    for n in PACKED_SIZES:
        yield "p", n, (), make.packed(layout, uplo, n), 0


@pytest.mark.parametrize("layout,uplo,trans,diag", TRIANGLES)
def test_triangles(call, make, layout, uplo, trans, diag):
    for (kind, n, k, a, lda), incx in product(triangles(make, layout, uplo), (1, -1, 3)):
        a.memory[:] /= 1 + n
        a.memory[np.diag(a.place)] = np.nan if diag == UNIT else make.rng.choice((-1.5, 1.25), n)
        full = op(trans, np.where(np.eye(n, dtype=bool), 1, a.dense) if diag == UNIT else a.dense)
        matrix = (a.address, lda) if kind == "b" else (a.address,)
        x = make.vec(n, incx)
        before, what = x.exact, (kind, n, k, incx)
        call(f"t{kind}mv", layout, uplo, trans, diag, n, *k, *matrix, *x.passed)
        close(x.exact, full @ before, np.abs(full) @ np.abs(before), make, ("mv", what))
        before = x.exact
        call(f"t{kind}sv", layout, uplo, trans, diag, n, *k, *matrix, *x.passed)
        close(full @ x.exact, before, np.abs(full) @ np.abs(x.exact), make, ("sv", what))


@pytest.mark.parametrize("layout,uplo", ORDERS)
def test_what_is_no_number_spreads_as_far_as_its_row_and_column(call, make, layout, uplo):
    n, k = 40, 9
    matrices = {"sbmv": make.triangle_of_band(layout, uplo, n, k, k + 1), "spmv": make.packed(layout, uplo, n)}
    for routine, a in matrices.items():
        i, j = (11, 15) if uplo == UPPER else (15, 11)
        a.memory[a.place[i, j]] = np.nan
        x, y = make.vec(n, 1), make.vec(n, 1)
        matrix = (k, 1.0, a.address, k + 1) if routine == "sbmv" else (1.0, a.address)
        call(routine, layout, uplo, n, *matrix, *x.passed, 1.0, *y.passed)
        assert np.flatnonzero(np.isnan(y.view)).tolist() == [11, 15]
