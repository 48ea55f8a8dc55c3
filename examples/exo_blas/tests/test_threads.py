"""Threads: how many there are doesn't change a bit of a result.

Sizes reach every way in which a large product is computed, and what is left over at the end of a thread's part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas
from examples.exo_blas.tests.test_random import COMPLEX

WRAPPERS = ("gemm", "gemv", "ger", "symm", "syrk", "syr2k", "trmm", "trsm")
ROWS, COLUMNS = 101, 102
NO, YES = 111, 112
THREADS = ("2", "3", "24")
"""The last are more than there are blocks of columns that a thread has whole."""
DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}

PRODUCTS = (
    (200, 150, 100), (97, 260, 90), (61, 2049, 17), (2000, 40, 30), (2000, 4, 300), (300, 3000, 12), (49, 67, 700),
    (7, 600, 600), (11, 512, 513), (5, 1000, 700), (1000, 5, 700), (1, 1500, 1500), (1500, 1, 1500), (130, 131, 600),
)  # fmt: skip
"""Extents of C and of the sum, that threads share."""
MATRICES = (
    (700, 401, 401), (401, 700, 700), (50, 6000, 6000), (6000, 50, 50), (6001, 83, 83), (1030, 1027, 1030),
    (200, 1539, 2048), (301, 2043, 2048), (50, 6001, 6144), (97, 5000, 5120),
)  # fmt: skip
"""Those of matrices that are multiplied with a vector, and how far apart rows are: at a distance of pages, what is
larger than the second cache is still taken as near."""
LAYERS = ((150, 201), (201, 150), (97, 500), (64, 1100), (600, 70))

Given = Sequence[Any]


def filled(rng: np.random.Generator, letter: str, *shape: int) -> np.ndarray:
    dtype = np.dtype(DTYPES[letter])
    parts = rng.uniform(-1, 1, (*shape, 2 if dtype.kind == "c" else 1)).astype(dtype.type(0).real.dtype)
    return parts.view(dtype)[..., 0]


def calls(letter: str) -> list[tuple[str, Given, np.ndarray]]:
    """Functions with their arguments, and the array that each writes."""
    rng = np.random.default_rng(3)
    scalar: Callable[[float], Any] = (lambda x: np.array([x], DTYPES[letter])) if letter in "cz" else (lambda x: x)
    one, some = scalar(1.0), scalar(0.3)  # by a power of two products are exact, and it doesn't show how they are added
    found: list[tuple[str, Given, np.ndarray]] = []
    for (m, n, k), ta, tb, beta in product(PRODUCTS, (NO, YES), (NO, YES), (0.0, 1.0, 0.7)):
        a, b, c = filled(rng, letter, m * k), filled(rng, letter, k * n), filled(rng, letter, m * n)
        lda, ldb = k if ta == NO else m, n if tb == NO else k
        found.append(("gemm", (ROWS, ta, tb, m, n, k, some, a, lda, b, ldb, scalar(beta), c, n), c))
    for (m, n, k), batch in product(((100, 90, 80), (9, 10, 11)), (2, 7, 3000)):
        if m * batch < 50_000:
            a, b, c = (filled(rng, letter, batch * size) for size in (m * k, k * n, m * n))
            each = (a, k, m * k, b, n, k * n, one, c, n, m * n, batch)
            found.append(("gemm_batch_strided", (ROWS, NO, NO, m, n, k, some, *each), c))
    for (m, n, lda), trans in product(MATRICES, (NO, YES)):
        a, x, y = filled(rng, letter, m * lda), filled(rng, letter, 6001), filled(rng, letter, 6001)
        found.append(("gemv", (ROWS, trans, m, n, some, a, lda, x, 1, one, y, 1), y))
    for (m, n), layout, side, uplo in product(LAYERS, (ROWS, COLUMNS), (141, 142), (121, 122)):
        order = m if side == 141 else n
        a, b, c = filled(rng, letter, order * order), filled(rng, letter, m * n), filled(rng, letter, m * n)
        a[:: order + 1] += 9
        ld = n if layout == ROWS else m
        found.append(("symm", (layout, side, uplo, m, n, some, a, order, b, ld, one, c, ld), c))
        square = filled(rng, letter, m * m)
        found.append(("syrk", (layout, uplo, NO, m, n, some, b, ld, one, square, m), square))
        for routine in ("trmm", "trsm"):
            x = filled(rng, letter, m * n)
            found.append((routine, (layout, side, uplo, NO, 131, m, n, some, a, order, x, ld), x))
    return found


def result(blas: Cblas, letter: str, routine: str, given: Given, out: np.ndarray) -> bytes:
    """What a call leaves in the array that it writes, which is as before after it."""
    before = out.copy()
    arguments = [v.ctypes.data if isinstance(v, np.ndarray) else v for v in given]
    getattr(blas, f"cblas_{letter}{routine}")(*arguments)
    found = out.tobytes()
    out[:] = before
    return found


def hold(blas: Cblas, letter: str, environment: pytest.MonkeyPatch) -> None:
    for routine, given, out in calls(letter):
        environment.setenv("EXO_NUM_THREADS", "1")
        want = result(blas, letter, routine, given, out)
        for threads in THREADS:
            environment.setenv("EXO_NUM_THREADS", threads)
            shown = [v for v in given if not isinstance(v, np.ndarray)]
            assert result(blas, letter, routine, given, out) == want, (routine, shown, threads)


def test_results_do_not_depend_on_the_number_of_threads(version, blas_of, monkeypatch) -> None:
    hold(blas_of(WRAPPERS, version), version.letter, monkeypatch)


LONG = (1 << 18, 300_001, 1_000_003, 3_000_000)
"""Lengths of vectors that threads share; the last are copied past the caches."""

LEVEL1 = ("axpy", "both/copy", "both/norms", "both/rot", "both/swap", "dot", "dsdot", "iamax", "rotm")


def vectors(letter: str, n: int, off: int) -> list[tuple[str, Given, tuple[np.ndarray, ...], Any]]:
    """Functions of level 1 with their arguments, the arrays that they write, and what these, or the number that is
    given back, have to be. Vectors begin so many elements after a line of the cache."""
    rng = np.random.default_rng(n)
    x, y = (filled(rng, letter, n + off)[off:] for _ in range(2))
    real = letter in "sd"
    u, v = (w.astype(np.longdouble if real else complex) for w in (x, y))
    scalar: Callable[[float], Any] = (lambda a: a) if real else (lambda a: np.array([a], DTYPES[letter]))
    name = {"s": "s", "d": "d", "c": "sc", "z": "dz"}[letter]
    found: list[tuple[str, Given, tuple[np.ndarray, ...], Any]] = [
        (f"{letter}axpy", (n, scalar(0.5), x, 1, y, 1), (y,), (v + u / 2,)),
        (f"{letter}scal", (n, scalar(0.5), x, 1), (x,), (u / 2,)),
        (f"{letter}copy", (n, x, 1, y, 1), (y,), (u,)),
        (f"{letter}swap", (n, x, 1, y, 1), (x, y), (v, u)),
        (f"{name}asum", (n, x, 1), (), np.abs(u.real).sum() + np.abs(u.imag).sum()),
        (f"{name}nrm2", (n, x, 1), (), np.sqrt((np.abs(u) ** 2).sum())),
        (f"i{letter}amax", (n, x, 1), (), np.argmax(np.abs(x.real) + np.abs(x.imag))),
    ]
    turned = f"{letter}rot" if real else {"c": "csrot", "z": "zdrot"}[letter]
    found.append((turned, (n, x, 1, y, 1, 0.6, 0.8), (x, y), (0.6 * u + 0.8 * v, 0.6 * v - 0.8 * u)))
    if not real:
        found += [
            (f"{letter}{kind}_sub", (n, x, 1, y, 1, r), (r,), (np.array([want]),))
            for kind, want in (("dotu", (u * v).sum()), ("dotc", (u.conj() * v).sum()))
            for r in (filled(rng, letter, 1),)
        ]
        found.append(({"c": "csscal", "z": "zdscal"}[letter], (n, 0.5, x, 1), (x,), (u / 2,)))
        return found
    found.append((f"{letter}dot", (n, x, 1, y, 1), (), (u * v).sum()))
    for flag in (-1, 0, 1):
        h = np.array([flag, 0.5, 0.25, -0.5, 0.75], DTYPES[letter])
        a, b, c, d = {-1: h[1:], 0: (1, h[2], h[3], 1), 1: (h[1], -1, 1, h[4])}[flag]
        found.append((f"{letter}rotm", (n, x, 1, y, 1, h), (x, y), (a * u + c * v, b * u + d * v)))
    if letter == "s":
        found += [
            ("dsdot", (n, x, 1, y, 1), (), (u * v).sum()),
            ("sdsdot", (n, 2.0, x, 1, y, 1), (), 2 + (u * v).sum()),
        ]
    return found


def hold_vectors(blas: Cblas, letter: str, environment: pytest.MonkeyPatch) -> None:
    eps = np.finfo(DTYPES[letter]).eps
    for n, off in product(LONG, (0, 1)):
        for routine, given, written, want in vectors(letter, n, off):
            arguments = [v.ctypes.data if isinstance(v, np.ndarray) else v for v in given]
            before, results = [w.copy() for w in written], set()
            for threads in ("1", *THREADS):
                environment.setenv("EXO_NUM_THREADS", threads)
                told = getattr(blas, f"cblas_{routine}")(*arguments)
                results.add((told, *(w.tobytes() for w in written)))
                near = zip(written, want, strict=True) if written else [(np.array(told), np.array(want))]
                for one, other in near:
                    assert np.abs(one - other).max() <= np.sqrt(n) * 8 * eps * max(1, np.abs(other).max()), routine
                for w, old in zip(written, before, strict=True):
                    w[:] = old
            assert len(results) == 1, (routine, n, off)


def test_long_vectors_are_shared(version, blas_of, monkeypatch) -> None:
    hold_vectors(blas_of(LEVEL1, version), version.letter, monkeypatch)


def test_so_are_those_of_complex_numbers(complex_version, blas_of, monkeypatch) -> None:
    hold_vectors(blas_of(COMPLEX, complex_version), complex_version.letter, monkeypatch)


def test_results_of_complex_numbers_do_not_either(complex_version, blas_of, monkeypatch) -> None:
    hold(blas_of(COMPLEX, complex_version), complex_version.letter, monkeypatch)
