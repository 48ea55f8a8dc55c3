"""Level 3 of the library against NumPy: every instruction set, order, transposition, triangle, side and diagonal.

What must not be read is NaN: triangles that are not stored, unit diagonals, C where `beta == 0`, and the ends of rows
beyond a matrix, which must stay as they are. Matrices end right before a page that traps.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas

WRAPPERS = ("gemm", "gemv", "ger", "symm", "syrk", "syr2k", "trmm", "trsm")
ROWS, COLUMNS = 101, 102
PLAIN, TURNED, CONJUGATE = 111, 112, 113
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LEFT, RIGHT = 141, 142

SIZES = (
    (0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (1, 17, 5), (17, 1, 5), (1, 9, 1), (9, 1, 40),
    (2, 3, 4), (5, 16, 7), (6, 64, 8), (7, 33, 3),
    (11, 70, 9), (16, 16, 16), (50, 65, 66), (97, 31, 20), (3, 40, 300), (70, 20, 257), (390, 18, 2),
    (8, 300, 150), (13, 1100, 33),
    (10, 11, 1100), (30, 43, 200), (300, 20, 70), (150, 10, 520),
    (60, 260, 17),
)  # fmt: skip
"""Extents of C and of the sum: edges of tiles, panels and blocks; B of few rows that is larger than what stays near;
sums along vectors, a B that is turned in pieces, and transposed products, in blocks and as a whole; a transposed A that
is turned."""

ORDERS = (1, 2, 5, 31, 32, 33, 40, 65, 100)
"""Orders of triangular matrices: parts that are not halved, and those that are."""

UPDATES = (
    (0, 3, 0.5), (3, 0, 0.5), (1, 1, 0.0), (7, 5, 1.0), (32, 9, 0.0), (33, 20, 2.0), (99, 3, 0.0), (70, 530, 0.5),
)  # fmt: skip
"""Orders of triangles, extents of sums, and beta. The last left matrices, if they are by columns, are turned in two
parts."""

Memory = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Matrix:
    """A matrix of CBLAS: its memory by rows or columns, the leading dimension, and the elements as a view."""

    memory: np.ndarray
    ld: int
    view: np.ndarray

    @property
    def address(self) -> int:
        return self.memory.ctypes.data

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        return self.view.astype(np.longdouble)

    def rest_is_untouched(self) -> bool:
        """Whether what is between its rows still is NaN."""
        at_ends = self.memory.size - self.view.size
        return int(np.isnan(self.memory).sum() - np.isnan(self.view).sum()) == at_ends


@pytest.fixture(scope="module")
def blas(version: tuple[str, str], blas_of: Callable[..., Cblas]) -> Cblas:
    return blas_of(WRAPPERS, version)


@pytest.fixture
def matrix(guarded: Memory, letter: str) -> Callable[..., Matrix]:
    rng = np.random.default_rng(7)
    dtype = "f4" if letter == "s" else "f8"

    def make(m: int, n: int, order: int, pad: int = 3) -> Matrix:
        outer, inner = (m, n) if order == ROWS else (n, m)
        ld = max(1, inner) + pad
        memory = guarded(max(0, (outer - 1) * ld + inner), dtype)
        memory[:] = np.nan
        view = np.lib.stride_tricks.as_strided(memory, (outer, inner), (ld * memory.itemsize, memory.itemsize))
        view[:] = rng.uniform(-1, 1, (outer, inner))
        return Matrix(memory, ld, view if order == ROWS else view.T)

    return make


def call(blas: Cblas, letter: str, routine: str, *args: object) -> None:
    getattr(blas, f"cblas_{letter}{routine}")(*(a.address if isinstance(a, Matrix) else a for a in args))


def turned(a: np.ndarray, trans: int) -> np.ndarray:
    return np.asarray(a) if trans == PLAIN else np.asarray(a).T


def close(found: Matrix, want: np.ndarray, terms: int, scale: float = 1.0) -> bool:
    eps = float(np.finfo(found.memory.dtype).eps)
    difference = np.abs(np.asarray(found) - want)
    return bool((difference <= 2 * (terms + 3) * eps * scale).all()) and found.rest_is_untouched()


# -- products -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [ROWS, COLUMNS])
def test_gemm(blas: Cblas, letter: str, matrix: Callable[..., Matrix], order: int) -> None:
    scalars = [(1.0, 1.0), (0.5, -2.0), (-1.0, 0.0), (0.0, 0.5), (0.0, 1.0), (2.0, 1.0)]
    for (number, (m, n, k)), (ta, tb) in product(enumerate(SIZES), product((PLAIN, TURNED), (PLAIN, CONJUGATE))):
        a = matrix(m, k, order) if ta == PLAIN else matrix(k, m, order)
        b = matrix(k, n, order) if tb == PLAIN else matrix(n, k, order)
        c = matrix(m, n, order)
        alpha, beta = scalars[(number + ta + tb) % len(scalars)]
        want = alpha * (turned(a, ta) @ turned(b, tb)) + beta * np.asarray(c)
        if beta == 0:
            c.view[:] = np.nan
        call(blas, letter, "gemm", order, ta, tb, m, n, k, alpha, a, a.ld, b, b.ld, beta, c, c.ld)
        assert close(c, want, k, 2.0), (m, n, k, ta, tb, alpha, beta)


@pytest.mark.parametrize(("order", "ta", "tb"), [*product((ROWS, COLUMNS), (PLAIN, TURNED), (PLAIN, TURNED))])
def test_a_batch_of_products(blas: Cblas, letter: str, guarded: Memory, order: int, ta: int, tb: int) -> None:
    """Of whole numbers, so that results are exact. All have one A, and the rows of the matrices C take turns."""
    rng, batch = np.random.default_rng(5), 3

    def whole(*shape: int) -> np.ndarray:
        memory = guarded(prod(shape), "f4" if letter == "s" else "f8").reshape(shape)
        memory[:] = rng.integers(-4, 5, shape)
        return memory

    for m, n, k in ((0, 2, 1), (1, 1, 1), (4, 3, 5), (16, 17, 9), (30, 40, 50)):
        a = whole(*((m, k) if (ta == PLAIN) == (order == ROWS) else (k, m)))
        b = whole(batch, *((k, n) if (tb == PLAIN) == (order == ROWS) else (n, k)))
        c = whole(*((m, batch, n) if order == ROWS else (n, batch, m)))
        p, q = (a.T if (ta == PLAIN) != (order == ROWS) else a), (b.mT if (tb == PLAIN) != (order == ROWS) else b)
        products = p @ q  # one for each b
        want = 2 * c - 0.5 * (products.transpose(1, 0, 2) if order == ROWS else products.transpose(2, 0, 1))
        given = (a.ctypes.data, max(1, a.shape[1]), 0, b.ctypes.data, max(1, b.shape[2]), k * n)
        side = c.shape[2]
        into = (c.ctypes.data, max(1, batch * side), side if m else 0)  # what is empty doesn't overlap
        call(blas, letter, "gemm_batch_strided", order, ta, tb, m, n, k, -0.5, *given, 2.0, *into, batch)
        assert np.array_equal(c, want), (m, n, k)


@pytest.mark.parametrize(("ta", "tb"), product((PLAIN, TURNED), (PLAIN, TURNED)))
def test_a_batch_of_small_products(blas: Cblas, letter: str, guarded: Memory, ta: int, tb: int) -> None:
    """Of all sizes for which there are kernels, and of some more; a C that beta makes 0 is not read."""
    rng, kind = np.random.default_rng(6), "f4" if letter == "s" else "f8"
    few = [(m, n, k) for m in range(1, 18) for n in (1, 2, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33) for k in (1, 3)]
    for number, (m, n, k) in enumerate((*few, (2, 3, 1500), (70, 3, 20), (3, 70, 20))):
        beta, batch = (0.0, 1.0, -2.0)[number % 3], 1 + number % 4 * 20
        a = guarded(batch * m * k, kind).reshape(batch, *((m, k) if ta == PLAIN else (k, m)))
        b = guarded(batch * k * n, kind).reshape(batch, *((k, n) if tb == PLAIN else (n, k)))
        a[:], b[:] = rng.integers(-4, 5, a.shape), rng.integers(-4, 5, b.shape)
        c = guarded(batch * m * n, kind).reshape(batch, m, n)
        c[:] = np.nan if beta == 0 else rng.integers(-4, 5, c.shape)
        want = 3 * ((a if ta == PLAIN else a.mT) @ (b if tb == PLAIN else b.mT)) + (beta * c if beta else 0)
        given = (a.ctypes.data, a.shape[2], m * k, b.ctypes.data, b.shape[2], k * n)
        into = (c.ctypes.data, n, m * n)
        call(blas, letter, "gemm_batch_strided", ROWS, ta, tb, m, n, k, 3.0, *given, beta, *into, batch)
        assert np.array_equal(c, want), (m, n, k, batch, beta)


def test_gemm_of_few_products_and_a_large_c(blas: Cblas, letter: str, matrix: Callable[..., Matrix]) -> None:
    m, n, k = 32, 70_000, 2  # B is turned in parts
    a, b, c = matrix(m, k, ROWS), matrix(n, k, ROWS), matrix(m, n, ROWS)
    want = 0.5 * (np.asarray(a) @ np.asarray(b).T) - 2 * np.asarray(c)
    call(blas, letter, "gemm", ROWS, PLAIN, TURNED, m, n, k, 0.5, a, a.ld, b, b.ld, -2.0, c, c.ld)
    assert close(c, want, k, 2.0)


def test_gemm_spreads_what_is_no_number_as_the_sums_do(blas: Cblas, letter: str, matrix: Callable[..., Matrix]) -> None:
    a, b, c = matrix(40, 30, ROWS), matrix(30, 50, ROWS), matrix(40, 50, ROWS)
    a.view[7, 3], b.view[2, 49] = np.nan, np.inf
    call(blas, letter, "gemm", ROWS, PLAIN, PLAIN, 40, 50, 30, 1.0, a, a.ld, b, b.ld, 1.0, c, c.ld)
    assert np.isnan(c.view[7]).all() and np.isinf(np.delete(c.view[:, 49], 7)).all()
    assert np.isfinite(np.delete(np.delete(c.view, 7, 0), 49, 1)).all()


def test_gemm_without_alpha_reads_neither_a_nor_b(blas: Cblas, letter: str, matrix: Callable[..., Matrix]) -> None:
    a, b, c = matrix(5, 4, ROWS), matrix(4, 6, ROWS), matrix(5, 6, ROWS)
    a.view[:], b.view[:] = np.nan, np.nan
    want = 0.5 * np.asarray(c)
    call(blas, letter, "gemm", ROWS, PLAIN, PLAIN, 5, 6, 4, 0.0, a, a.ld, b, b.ld, 0.5, c, c.ld)
    assert close(c, want, 1)


def one_triangle(a: Matrix, uplo: int) -> np.ndarray:
    """The symmetric matrix of a triangle; the other one becomes NaN."""
    stored = np.tril(a.view) if uplo == LOWER else np.triu(a.view)
    whole = stored + stored.T - np.diag(np.diag(stored))
    a.view[np.triu_indices(len(whole), 1) if uplo == LOWER else np.tril_indices(len(whole), -1)] = np.nan
    return whole.astype(np.longdouble)


def variants(*choices: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return product((ROWS, COLUMNS), *choices)


def test_symm(blas: Cblas, letter: str, matrix: Callable[..., Matrix]) -> None:
    for order, side, uplo in variants((LEFT, RIGHT), (UPPER, LOWER)):
        for n, other, beta in ((1, 1, 0.0), (5, 7, 1.0), (40, 3, 0.0), (130, 20, -0.5), (300, 9, 0.0)):
            m, columns = (n, other) if side == LEFT else (other, n)
            a, b, c = matrix(n, n, order), matrix(m, columns, order), matrix(m, columns, order)
            whole = one_triangle(a, uplo)
            want = 0.5 * (whole @ np.asarray(b) if side == LEFT else np.asarray(b) @ whole) + beta * np.asarray(c)
            if beta == 0:
                c.view[:] = np.nan
            call(blas, letter, "symm", order, side, uplo, m, columns, 0.5, a, a.ld, b, b.ld, beta, c, c.ld)
            assert close(c, want, n), (order, side, uplo, n, other)


@pytest.mark.parametrize("routine", ["syrk", "syr2k"])
def test_updates_of_a_triangle(blas: Cblas, letter: str, matrix: Callable[..., Matrix], routine: str) -> None:
    for order, uplo, trans in variants((UPPER, LOWER), (PLAIN, TURNED)):
        for n, k, beta in UPDATES:
            a, b = (matrix(n, k, order) if trans == PLAIN else matrix(k, n, order) for _ in range(2))
            c = matrix(n, n, order)
            x, y = turned(a, trans), turned(b, trans)
            written = np.tril(np.ones((n, n), bool)) if uplo == LOWER else np.triu(np.ones((n, n), bool))
            update = x @ x.T if routine == "syrk" else x @ y.T + y @ x.T
            want = np.where(written, 0.5 * update + beta * np.asarray(c), np.asarray(c))
            if beta == 0:
                c.view[written] = np.nan
            args = (a, a.ld) if routine == "syrk" else (a, a.ld, b, b.ld)
            call(blas, letter, routine, order, uplo, trans, n, k, 0.5, *args, beta, c, c.ld)
            assert close(c, want, 2 * k, 2.0), (order, uplo, trans, n, k, beta)


# -- triangular matrices ------------------------------------------------------------------------------


def triangular(a: Matrix, uplo: int, diag: int) -> np.ndarray:
    """A triangular matrix, well conditioned; what is not stored becomes NaN."""
    n = len(a.view)
    a.view[:] = a.view / max(n, 1) + 2 * np.eye(n)
    stored = np.tril(a.view) if uplo == LOWER else np.triu(a.view)
    a.view[np.triu_indices(n, 1) if uplo == LOWER else np.tril_indices(n, -1)] = np.nan
    if diag == UNIT:
        np.fill_diagonal(stored, 1)
        np.fill_diagonal(a.view, np.nan)
    return stored.astype(np.longdouble)


def systems() -> Iterator[tuple[int, ...]]:
    return variants((LEFT, RIGHT), (UPPER, LOWER), (PLAIN, TURNED), (NON_UNIT, UNIT))


@pytest.mark.parametrize("routine", ["trmm", "trsm"])
def test_triangular(blas: Cblas, letter: str, matrix: Callable[..., Matrix], routine: str) -> None:
    for number, (order, side, uplo, trans, diag) in enumerate(systems()):
        for n, other in ((ORDERS[number % len(ORDERS)], 7), (ORDERS[(number + 4) % len(ORDERS)], 70), (3, 0)):
            m, columns = (n, other) if side == LEFT else (other, n)
            a, b = matrix(n, n, order), matrix(m, columns, order)
            whole, before, alpha = turned(triangular(a, uplo, diag), trans), np.asarray(b), 0.5
            call(blas, letter, routine, order, side, uplo, trans, diag, m, columns, alpha, a, a.ld, b, b.ld)
            x = before if routine == "trmm" else np.asarray(b)
            applied = whole @ x if side == LEFT else x @ whole
            if routine == "trmm":
                assert close(b, alpha * applied, n), (order, side, uplo, trans, diag, n)
            else:
                eps = float(np.finfo(b.memory.dtype).eps)
                exact = (np.abs(applied - alpha * before) <= 8 * (n + 3) * eps).all()
                assert exact and b.rest_is_untouched(), (order, side, uplo, trans, diag, n)


@pytest.mark.parametrize("routine", ["trmm", "trsm"])
def test_without_alpha_b_becomes_zero(blas: Cblas, letter: str, matrix: Callable[..., Matrix], routine: str) -> None:
    a, b = matrix(5, 5, ROWS), matrix(5, 4, ROWS)
    a.view[:], b.view[:] = np.nan, np.nan
    call(blas, letter, routine, ROWS, LEFT, UPPER, PLAIN, UNIT, 5, 4, 0.0, a, a.ld, b, b.ld)
    assert (b.view == 0).all()


def test_a_row_of_infinities_stays_out_of_rows_that_do_not_use_it(
    blas: Cblas, letter: str, matrix: Callable[..., Matrix]
) -> None:
    for uplo, clean in ((LOWER, slice(0, 20)), (UPPER, slice(21, 80))):
        a, b = matrix(80, 80, ROWS), matrix(80, 9, ROWS)
        triangular(a, uplo, NON_UNIT)
        b.view[20] = np.inf
        call(blas, letter, "trmm", ROWS, LEFT, uplo, PLAIN, NON_UNIT, 80, 9, 1.0, a, a.ld, b, b.ld)
        assert np.isfinite(b.view[clean]).all()


@pytest.mark.parametrize("side", [LEFT, RIGHT])
@pytest.mark.parametrize("n", [3, 40])
def test_a_diagonal_whose_inverse_has_not_all_its_bits(
    blas: Cblas, letter: str, matrix: Callable[..., Matrix], side: int, n: int
) -> None:
    """The inverse of a number below the normal ones is infinite, that of a very large one has fewer bits."""
    kind = np.finfo(np.float32 if letter == "s" else np.float64)
    seldom = (kind.smallest_subnormal, kind.tiny, kind.tiny / 2, kind.max, np.inf, np.nan, 0.0)
    for order, uplo, number in product((ROWS, COLUMNS), (LOWER, UPPER), (1.0, *seldom)):
        a, b = matrix(n, n, order), matrix(n, n, order)
        triangular(a, uplo, NON_UNIT)
        a.view[:] = np.where(np.isnan(a.view), np.nan, 0)
        diagonal = np.full(n, 3, kind.dtype)
        diagonal[n // 2] = number
        np.fill_diagonal(a.view, diagonal)
        b.view[:] = np.clip(b.view, 0.5, 1) * (number if 0 < number < 1 else 1)
        with np.errstate(all="ignore"):
            want = b.view / (diagonal[:, None] if side == LEFT else diagonal)
        call(blas, letter, "trsm", order, side, uplo, PLAIN, NON_UNIT, n, n, 1.0, a, a.ld, b, b.ld)
        # a row of infinities makes others that are taken off no numbers
        of = slice(None) if np.isfinite(want).all() else n // 2 if side == LEFT else (slice(None), n // 2)
        assert np.allclose(b.view[of], want[of], 4 * kind.eps, 0, equal_nan=True), (order, uplo, number)


# -- arguments and threads ----------------------------------------------------------------------------

WRONG = (
    ("gemm", (100, 111, 111, 2, 2, 2, 1.0, 0, 2, 0, 2, 1.0, 0, 2), 1),
    ("gemm", (101, 0, 111, 2, 2, 2, 1.0, 0, 2, 0, 2, 1.0, 0, 2), 2),
    ("gemm", (101, 111, 0, 2, 2, 2, 1.0, 0, 2, 0, 2, 1.0, 0, 2), 3),
    ("gemm", (101, 111, 111, -1, 2, 2, 1.0, 0, 2, 0, 2, 1.0, 0, 2), 4),
    ("gemm", (101, 111, 111, 2, 3, 4, 1.0, 0, 3, 0, 3, 1.0, 0, 3), 9),
    ("gemm", (102, 111, 111, 2, 3, 4, 1.0, 0, 2, 0, 3, 1.0, 0, 2), 11),
    ("gemm", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, 0, 3, 1.0, 0, 2), 14),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 3, 8, 0, 3, 12, 1.0, 0, 3, 6, 2), 9),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, -8, 0, 3, 12, 1.0, 0, 3, 6, 2), 10),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, 8, 0, 2, 12, 1.0, 0, 3, 6, 2), 12),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, 8, 0, 3, -1, 1.0, 0, 3, 6, 2), 13),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, 8, 0, 3, 12, 1.0, 0, 2, 6, 2), 16),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, 8, 0, 3, 12, 1.0, 0, 3, 0, 2), 17),
    ("gemm_batch_strided", (101, 111, 111, 2, 3, 4, 1.0, 0, 4, 8, 0, 3, 12, 1.0, 0, 3, 6, -1), 18),
    ("symm", (101, 141, 121, 2, 3, 1.0, 0, 1, 0, 3, 1.0, 0, 3), 8),
    ("syrk", (101, 121, 111, 2, 3, 1.0, 0, 2, 1.0, 0, 2), 8),
    ("syr2k", (102, 121, 111, 2, 3, 1.0, 0, 2, 0, 1, 1.0, 0, 2), 10),
    ("trmm", (101, 141, 121, 111, 0, 2, 3, 1.0, 0, 2, 0, 3), 5),
    ("trsm", (102, 142, 121, 111, 131, 2, 3, 1.0, 0, 3, 0, 1), 12),
)


def run(blas: Cblas, program: str, *args: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, which is given the library's path."""
    path = blas.library._name
    return subprocess.run([sys.executable, "-c", program, path, *args], capture_output=True, text=True, timeout=60)


def test_wrong_arguments_end_the_program_with_their_position(blas: Cblas, letter: str) -> None:
    program = (
        "import os, sys; from pathlib import Path; from examples.exo_blas.binding import Cblas\n"
        "lib = Cblas(Path(sys.argv[1]))\n"
        f"for name, args, at in {WRONG!r}:\n"
        "    pid = os.fork()\n"
        "    if pid == 0: getattr(lib, sys.argv[2] + name)(*args); os._exit(0)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 255, name\n"
    )
    done = run(blas, program, f"cblas_{letter}")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("Parameter")]
    assert said == [f"Parameter {at} to routine cblas_{letter}{name} was incorrect" for name, _, at in WRONG]


def test_threads_share_the_rows(
    blas: Cblas, matrix: Callable[..., Matrix], letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXO_NUM_THREADS", "3")
    for m, n, k in ((200, 150, 100), (1, 2000, 2000), (2000, 4, 300)):
        a, b, c = matrix(m, k, ROWS), matrix(k, n, ROWS), matrix(m, n, ROWS)
        want = np.asarray(a).astype(float) @ np.asarray(b).astype(float)
        call(blas, letter, "gemm", ROWS, PLAIN, PLAIN, m, n, k, 1.0, a, a.ld, b, b.ld, 0.0, c, c.ld)
        assert close(c, want, k)
