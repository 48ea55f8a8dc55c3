"""Level 2 of the library against NumPy in more precision: layouts, triangles, sizes, increments, what must not be read.

Vectors and matrices lie before pages that trap. What a routine must neither read nor write is NaN: the ends of rows,
the other triangle, a unit diagonal, what is between the elements of a vector.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas

ROW, COLUMN = 101, 102
NO, YES = 111, 112
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LAYOUTS = (ROW, COLUMN)

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 31, 33, 40, 65, 70, 100, 129)
STEPS = ((1, 1), (1, -1), (-2, 1), (3, -2))

WRAPPERS = ("gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv")


@pytest.fixture(scope="module")
def blas(version: tuple[str, str], blas_of: Callable[..., Cblas]) -> Cblas:
    return blas_of(WRAPPERS, version)


@dataclass(frozen=True)
class Lab:
    """A library, a precision, and numbers in guarded memory."""

    blas: Cblas
    letter: str
    guarded: Callable[..., np.ndarray]
    rng: np.random.Generator

    @property
    def dtype(self) -> str:
        return "f4" if self.letter == "s" else "f8"

    @property
    def eps(self) -> float:
        return float(np.finfo(self.dtype).eps)

    def call(self, routine: str, *args: Any) -> None:
        """Call a routine; arrays go by address."""
        function = getattr(self.blas, f"cblas_{self.letter}{routine}")
        function(*(a.memory.ctypes.data if isinstance(a, Vec | Mat) else a for a in args))

    def vec(self, n: int, inc: int) -> Vec:
        memory = self.guarded(1 + (max(n, 1) - 1) * abs(inc), self.dtype)
        memory[:] = np.nan
        v = Vec(memory, inc, n)
        v.view[:] = self.rng.uniform(-1, 1, n)
        return v

    def mat(self, m: int, n: int, layout: int, extra: int) -> Mat:
        rows, columns = (m, n) if layout == ROW else (n, m)
        lda = max(columns, 1) + extra
        memory = self.guarded(max((rows - 1) * lda + columns, 1), self.dtype)
        memory[:] = np.nan
        a = Mat(memory, m, n, lda, layout)
        a.view[:] = self.rng.uniform(-1, 1, (m, n))
        return a


@dataclass(frozen=True)
class Vec:
    """A vector of CBLAS: memory, increment, and the elements in order as a view of it."""

    memory: np.ndarray
    inc: int
    n: int

    @property
    def view(self) -> np.ndarray:
        first = (1 - self.n) * self.inc if self.inc < 0 else 0
        return np.lib.stride_tricks.as_strided(self.memory[first:], (self.n,), (self.memory.itemsize * self.inc,))


@dataclass(frozen=True)
class Mat:
    """A matrix of CBLAS: memory, and the elements as a view of it."""

    memory: np.ndarray
    m: int
    n: int
    lda: int
    layout: int

    @property
    def view(self) -> np.ndarray:
        strides = (self.lda, 1) if self.layout == ROW else (1, self.lda)
        item = self.memory.itemsize
        return np.lib.stride_tricks.as_strided(self.memory, (self.m, self.n), tuple(s * item for s in strides))

    def keep(self, uplo: int, unit: bool = False) -> np.ndarray:
        """What is outside a triangle becomes NaN, and a unit diagonal; returns the triangle, exactly, with zeros."""
        mask = np.tri(self.n, k=-1 if unit else 0, dtype=bool)
        mask = mask if uplo == LOWER else mask.T
        self.view[~mask] = np.nan
        whole = np.where(mask, self.view, 0).astype(np.longdouble)
        return whole + np.eye(self.n, dtype=np.longdouble) if unit else whole


@pytest.fixture
def lab(letter: str, blas: Cblas, guarded: Callable[..., np.ndarray]) -> Lab:
    return Lab(blas, letter, guarded, np.random.default_rng(11))


def squares() -> Iterator[tuple[int, int, int, int, int]]:
    """Layout, size, what rows have in excess, increments."""
    for k, (n, layout) in enumerate(product(SIZES, LAYOUTS)):
        yield layout, n, k % 3, 1, 1
    for layout, n, (incx, incy) in product(LAYOUTS, (1, 2, 9, 33, 70), STEPS[1:]):
        yield layout, n, 1, incx, incy
    yield ROW, 760, 0, 2, -1  # triangles are taken apart, and copies of vectors are no longer on the stack


def rectangles() -> Iterator[tuple[int, int, int, int, int, int]]:
    """Layout, both sizes, what rows have in excess, increments."""
    for k, (m, n, layout) in enumerate(product((0, 1, 3, 8, 13, 17, 40), (0, 1, 7, 8, 16, 31, 65), LAYOUTS)):
        incx, incy = STEPS[k // 2 % len(STEPS)]
        yield layout, m, n, k % 3, incx, incy
    yield ROW, 600, 520, 0, 1, 1
    yield ROW, 70, 203, 2, -2, 1  # rows begin at any place of a cache line
    yield COLUMN, 520, 600, 0, 2, -3
    for m, n in ((20, 80), (24, 96), (33, 113), (17, 144), (5, 161), (7, 352)):  # vectors of 512 bits, and what is left
        yield ROW, m, n, 0, 1, 1


def close(found: np.ndarray, want: np.ndarray, sizes: np.ndarray, n: int, eps: float, case: object) -> None:
    """Errors are at most what sums in any order may have; `sizes` are sums of what was added, without signs."""
    assert np.all(np.abs(found - want) <= (n + 4) * eps * sizes), (case, np.abs(found - want) / (eps * sizes + 1e-300))


def exact(x: np.ndarray) -> np.ndarray:
    return x.astype(np.longdouble)


# -- products -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("trans", [NO, YES, 113])
@pytest.mark.parametrize(("alpha", "beta"), [(0.75, 1.0), (1.0, 0.0), (-0.5, 0.25)])
def test_gemv(lab: Lab, trans: int, alpha: float, beta: float) -> None:
    for case in rectangles():
        layout, m, n, extra, incx, incy = case
        a = lab.mat(m, n, layout, extra)
        nx, ny = (n, m) if trans == NO else (m, n)
        x, y = lab.vec(nx, incx), lab.vec(ny, incy)
        full = exact(a.view if trans == NO else a.view.T)
        want = np.longdouble(alpha) * (full @ exact(x.view)) + np.longdouble(beta) * exact(y.view)
        sizes = abs(alpha) * (np.abs(full) @ np.abs(exact(x.view))) + abs(beta) * np.abs(exact(y.view))
        if m == 0 or n == 0:
            want = exact(y.view).copy()  # as in the reference: y is left alone
        elif beta == 0:
            y.view[:] = np.nan  # must not be read
        lab.call("gemv", layout, trans, m, n, alpha, a, a.lda, x, incx, beta, y, incy)
        close(y.view, want, sizes, nx, lab.eps, case)


def test_gemv_of_alpha_zero_reads_no_matrix(lab: Lab) -> None:
    for trans, beta in product((NO, YES), (0.0, 0.5, 1.0)):
        a, x, y = lab.mat(9, 9, ROW, 0), lab.vec(9, 1), lab.vec(9, 2)
        a.view[:], x.view[:] = np.nan, np.nan
        want = y.view * y.view.dtype.type(beta)
        lab.call("gemv", ROW, trans, 9, 9, 0.0, a, a.lda, x, 1, beta, y, 2)
        np.testing.assert_array_equal(y.view, want)


def test_gemv_passes_on_what_is_no_number(lab: Lab) -> None:
    for trans, special, n in product((NO, YES), (np.nan, np.inf), (1, 13, 40)):
        for k in {0, n // 2, n - 1}:
            a, x, y = lab.mat(n, n, ROW, 0), lab.vec(n, 1), lab.vec(n, 1)
            a.view[:], x.view[:] = 1, 1
            a.view[k, 0] = special
            lab.call("gemv", ROW, trans, n, n, 1.0, a, a.lda, x, 1, 0.0, y, 1)
            at = k if trans == NO else 0
            assert np.array_equal(y.view[at], special, equal_nan=True)
            assert np.isfinite(np.delete(y.view, at)).all()


@pytest.mark.parametrize("uplo", [UPPER, LOWER])
@pytest.mark.parametrize(("alpha", "beta"), [(0.75, 1.0), (-0.5, 0.0)])
def test_symv(lab: Lab, uplo: int, alpha: float, beta: float) -> None:
    for case in squares():
        layout, n, extra, incx, incy = case
        a, x, y = lab.mat(n, n, layout, extra), lab.vec(n, incx), lab.vec(n, incy)
        half = a.keep(uplo)
        full = half + half.T - np.diag(np.diag(half))
        want = np.longdouble(alpha) * (full @ exact(x.view)) + np.longdouble(beta) * exact(y.view)
        sizes = abs(alpha) * (np.abs(full) @ np.abs(exact(x.view))) + abs(beta) * np.abs(exact(y.view))
        if beta == 0:
            y.view[:] = np.nan
        lab.call("symv", layout, uplo, n, alpha, a, a.lda, x, incx, beta, y, incy)
        close(y.view, want, sizes, n, lab.eps, case)


@pytest.mark.parametrize("diag", [NON_UNIT, UNIT])
@pytest.mark.parametrize("trans", [NO, YES])
@pytest.mark.parametrize("uplo", [UPPER, LOWER])
def test_trmv(lab: Lab, uplo: int, trans: int, diag: int) -> None:
    for case in squares():
        layout, n, extra, incx, _ = case
        a, x = lab.mat(n, n, layout, extra), lab.vec(n, incx)
        full = a.keep(uplo, diag == UNIT)
        full = full if trans == NO else full.T
        want, sizes = full @ exact(x.view), np.abs(full) @ np.abs(exact(x.view))
        lab.call("trmv", layout, uplo, trans, diag, n, a, a.lda, x, incx)
        close(x.view, want, sizes, n, lab.eps, case)


@pytest.mark.parametrize("diag", [NON_UNIT, UNIT])
@pytest.mark.parametrize("trans", [NO, YES])
@pytest.mark.parametrize("uplo", [UPPER, LOWER])
def test_trsv(lab: Lab, uplo: int, trans: int, diag: int) -> None:
    """The solution solves a system that is as near as substitution promises."""
    for case in squares():
        layout, n, extra, incx, _ = case
        a, x = lab.mat(n, n, layout, extra), lab.vec(n, incx)
        a.view[:] /= max(n, 1)
        a.view[np.diag_indices(n)] += 1
        full = a.keep(uplo, diag == UNIT)
        full = full if trans == NO else full.T
        want = exact(x.view).copy()
        lab.call("trsv", layout, uplo, trans, diag, n, a, a.lda, x, incx)
        close(full @ exact(x.view), want, np.abs(full) @ np.abs(exact(x.view)), n, lab.eps, case)


# -- updates ------------------------------------------------------------------------------------------


def test_ger(lab: Lab) -> None:
    for case in rectangles():
        layout, m, n, extra, incx, incy = case
        a, x, y = lab.mat(m, n, layout, extra), lab.vec(m, incx), lab.vec(n, incy)
        product = np.longdouble(0.75) * np.outer(exact(x.view), exact(y.view))
        want = exact(a.view) + product
        sizes = np.abs(exact(a.view)) + np.abs(product)
        before = np.isnan(a.memory)
        lab.call("ger", layout, m, n, 0.75, x, incx, y, incy, a, a.lda)
        close(a.view, want, sizes, 0, lab.eps, case)
        np.testing.assert_array_equal(np.isnan(a.memory), before)


@pytest.mark.parametrize("uplo", [UPPER, LOWER])
def test_syr(lab: Lab, uplo: int) -> None:
    for case in squares():
        layout, n, extra, incx, _ = case
        a, x = lab.mat(n, n, layout, extra), lab.vec(n, incx)
        product = np.longdouble(0.75) * np.outer(exact(x.view), exact(x.view))
        want, sizes = a.keep(uplo) + product, np.abs(a.keep(uplo)) + np.abs(product)
        before = np.isnan(a.memory)
        lab.call("syr", layout, uplo, n, 0.75, x, incx, a, a.lda)
        inside = ~np.isnan(a.view)
        close(a.view[inside], want[inside], sizes[inside], 0, lab.eps, case)
        np.testing.assert_array_equal(np.isnan(a.memory), before)


@pytest.mark.parametrize("uplo", [UPPER, LOWER])
def test_syr2(lab: Lab, uplo: int) -> None:
    for case in squares():
        layout, n, extra, incx, incy = case
        a, x, y = lab.mat(n, n, layout, extra), lab.vec(n, incx), lab.vec(n, incy)
        product = np.longdouble(0.75) * np.outer(exact(x.view), exact(y.view))
        want = a.keep(uplo) + product + product.T
        sizes = np.abs(a.keep(uplo)) + np.abs(product) + np.abs(product.T)
        before = np.isnan(a.memory)
        lab.call("syr2", layout, uplo, n, 0.75, x, incx, y, incy, a, a.lda)
        inside = ~np.isnan(a.view)
        close(a.view[inside], want[inside], sizes[inside], 1, lab.eps, case)
        np.testing.assert_array_equal(np.isnan(a.memory), before)


# -- threads ------------------------------------------------------------------------------------------


def test_gemv_on_threads(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for trans, layout, m, n in product((NO, YES), LAYOUTS, (700, 401), (700,)):
        a = lab.mat(m, n, layout, 0)
        nx, ny = (n, m) if trans == NO else (m, n)
        x, y, z = lab.vec(nx, 1), lab.vec(ny, 2), lab.vec(ny, 2)
        lab.call("gemv", layout, trans, m, n, 1.0, a, a.lda, x, 1, 0.0, y, 2)
        with monkeypatch.context() as environment:
            environment.setenv("EXO_NUM_THREADS", "3")
            lab.call("gemv", layout, trans, m, n, 1.0, a, a.lda, x, 1, 0.0, z, 2)
        np.testing.assert_allclose(z.view, y.view, rtol=0, atol=lab.eps * m)


# -- arguments ----------------------------------------------------------------------------------------

# for each routine its arguments, right ones, and what is wrong at which position; "a" is some memory
WRONG = {
    "gemv": ([ROW, NO, 2, 2, 1.0, "a", 2, "a", 1, 1.0, "a", 1], {1: 7, 2: 7, 3: -1, 4: -1, 7: 1, 9: 0, 12: 0}),
    "ger": ([ROW, 2, 2, 1.0, "a", 1, "a", 1, "a", 2], {1: 7, 2: -1, 3: -1, 6: 0, 8: 0, 10: 1}),
    "symv": ([ROW, LOWER, 2, 1.0, "a", 2, "a", 1, 1.0, "a", 1], {1: 7, 2: 7, 3: -1, 6: 1, 8: 0, 11: 0}),
    "syr": ([ROW, LOWER, 2, 1.0, "a", 1, "a", 2], {1: 7, 2: 7, 3: -1, 6: 0, 8: 1}),
    "syr2": ([ROW, LOWER, 2, 1.0, "a", 1, "a", 1, "a", 2], {1: 7, 2: 7, 3: -1, 6: 0, 8: 0, 10: 1}),
    "trmv": ([ROW, LOWER, NO, UNIT, 2, "a", 2, "a", 1], {1: 7, 2: 7, 3: 7, 4: 7, 5: -1, 7: 1, 9: 0}),
    "trsv": ([ROW, LOWER, NO, UNIT, 2, "a", 2, "a", 1], {1: 7, 2: 7, 3: 7, 4: 7, 5: -1, 7: 1, 9: 0}),
}


@pytest.mark.parametrize("routine", sorted(WRONG))
def test_a_wrong_argument_is_told_by_its_position(lab: Lab, routine: str, capfd: pytest.CaptureFixture[str]) -> None:
    right, wrong = WRONG[routine]
    memory = lab.vec(8, 1)
    for position, value in wrong.items():
        args = [memory if a == "a" else a for a in right]
        args[position - 1] = value
        child = os.fork()  # the library's own cblas_xerbla ends the program
        if child == 0:
            lab.call(routine, *args)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 255
        assert f"Parameter {position} to routine cblas_{lab.letter}{routine} " in capfd.readouterr().err
