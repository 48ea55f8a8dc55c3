"""The functions of the package `exo_blas` on NumPy arrays of many strides, beside NumPy."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterator
from itertools import product
from types import ModuleType

import numpy as np
import pytest

from examples.exo_blas.builder.interface import FOLDER

LEVEL1 = ("asum", "axpy", "dnrm2", "dot", "iamax", "rot", "scal", "snrm2", "swap")
LEVEL2 = ("gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv")
WRAPPERS = (*LEVEL1, *LEVEL2, "gemm", "symm", "syrk", "syr2k", "trmm", "trsm")
SQUARES = ((5, 3), (1, 1), (0, 2), (4, 0), (19, 7))
rng = np.random.default_rng(1)


@pytest.fixture(scope="module")
def eb(version, blas_of) -> Iterator[ModuleType]:
    """The package, with the library under test."""
    library = blas_of(WRAPPERS, version, 64).library
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER.parent / "product")
        import exo_blas
        from exo_blas import functions, places

        functions._known.cache_clear()
        patch.setattr(functions, "loaded", lambda: library)
        patch.setattr(places, "loaded", lambda: library)
        yield exo_blas
        functions._known.cache_clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == "exo_blas"]:
            del sys.modules[name]


@pytest.fixture
def dtype(letter) -> type:
    return np.float32 if letter == "s" else np.float64


def matrices(m: int, n: int, dtype: type) -> Iterator[np.ndarray]:
    """By rows, by columns, of every other row or column, backwards."""
    big = rng.uniform(-1, 1, (3 * m + 5, 3 * n + 5)).astype(dtype)
    yield big[:m, :n].copy()
    yield rng.uniform(-1, 1, (n + 2, m + 3)).astype(dtype)[:n, :m].T
    yield big[: 2 * m : 2, :n]
    yield big[:m, : 2 * n : 2]
    yield big[:m, :n][::-1]
    yield big[:m, :n][:, ::-1]


def vectors(n: int, dtype: type) -> Iterator[np.ndarray]:
    """Of neighbours, every other element, backwards, a column."""
    big = rng.uniform(-1, 1, 3 * n + 9).astype(dtype)
    yield big[:n].copy()
    yield big[: 2 * n : 2]
    yield big[:n][::-1]
    yield rng.uniform(-1, 1, (n, 4)).astype(dtype)[:, 2]


def near(found, wanted, dtype) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-4 if dtype == np.float32 else 1e-11)


def triangle_of(m, lower: bool) -> np.ndarray:
    return np.tril(m) if lower else np.triu(m)


def with_triangle(wanted, before, lower: bool) -> np.ndarray:
    """One triangle of what is wanted, the rest as it was."""
    return np.tril(wanted) + np.triu(before, 1) if lower else np.triu(wanted) + np.tril(before, -1)


@pytest.mark.parametrize(
    ("m", "n", "k"), [(3, 4, 5), (1, 7, 2), (9, 1, 1), (0, 3, 2), (3, 0, 2), (3, 2, 0), (17, 9, 33)]
)
def test_products(m, n, k, eb, dtype):
    for a, b in product(matrices(m, k, dtype), matrices(k, n, dtype)):
        near(eb.gemm(a, b, alpha=2), 2 * a @ b, dtype)
        for c in matrices(m, n, dtype):
            wanted = 0.5 * c + a @ b
            assert eb.gemm(a, b, beta=0.5, out=c) is c
            near(c, wanted, dtype)
    for a, x in product(matrices(m, k, dtype), vectors(k, dtype)):
        near(eb.gemv(a, x), a @ x, dtype)
        for y in vectors(m, dtype):
            wanted = 0.5 * y + a @ x
            near(eb.gemv(a, x, beta=0.5, out=y), wanted, dtype)
            y[...] = np.nan
            near(eb.gemv(a, x, out=y), a @ x, dtype)
    for a, x, y in product(matrices(m, n, dtype), vectors(m, dtype), vectors(n, dtype)):
        wanted = a + 2.0 * np.outer(x, y)
        near(eb.ger(2.0, x, y, a), wanted, dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_symmetric_matrices(n, k, lower, eb, dtype):
    for s in matrices(n, n, dtype):
        triangle = triangle_of(s, lower)
        full = triangle + triangle.T - np.diag(np.diag(triangle))
        for x in vectors(n, dtype):
            near(eb.symv(s, x, lower=lower), full @ x, dtype)
        for side in ("left", "right"):
            for b in matrices(n, k, dtype) if side == "left" else matrices(k, n, dtype):
                wanted = full @ b if side == "left" else b @ full
                near(eb.symm(s, b, side=side, lower=lower), wanted, dtype)
                for c in matrices(*b.shape, dtype):
                    both = wanted + 0.5 * c
                    near(eb.symm(s, b, side=side, lower=lower, beta=0.5, out=c), both, dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_updates_of_symmetric_matrices(n, k, lower, eb, dtype):
    for s in matrices(n, n, dtype):
        for x, y in product(vectors(n, dtype), vectors(n, dtype)):
            wanted = with_triangle(s + 2.0 * np.outer(x, x), s, lower)
            near(eb.syr(2.0, x, s, lower=lower), wanted, dtype)
            wanted = with_triangle(s + 2.0 * np.outer(x, y) + 2.0 * np.outer(y, x), s, lower)
            near(eb.syr2(2.0, x, y, s, lower=lower), wanted, dtype)
            s *= 0.2
        for a, b in product(matrices(n, k, dtype), matrices(n, k, dtype)):
            near(eb.syrk(a, lower=lower), triangle_of(a @ a.T, lower), dtype)
            wanted = with_triangle(0.5 * s + a @ a.T, s, lower)
            near(eb.syrk(a, lower=lower, beta=0.5, out=s), wanted, dtype)
            wanted = with_triangle(0.5 * s + a @ b.T + b @ a.T, s, lower)
            near(eb.syr2k(a, b, lower=lower, beta=0.5, out=s), wanted, dtype)
            s *= 0.2


@pytest.mark.parametrize(("lower", "unit"), [*product([True, False], [True, False])])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_triangles(n, k, lower, unit, eb, dtype):
    for s in matrices(n, n, dtype):
        s *= 0.2
        s += 3 * np.eye(n, dtype=dtype)
        t = triangle_of(s, lower)
        if unit:
            t = t - np.diag(np.diag(t)) + np.eye(n)
        for x in vectors(n, dtype):
            before = x.copy()
            assert eb.trmv(s, x, lower=lower, unit=unit) is x
            near(x, t @ before, dtype)
            near(eb.trsv(s, x, lower=lower, unit=unit), before, dtype)
        for side in ("left", "right"):
            for b in matrices(n, k, dtype) if side == "left" else matrices(k, n, dtype):
                before = b.copy()
                eb.trmm(s, b, side=side, lower=lower, unit=unit, alpha=2.0)
                near(b, 2 * (t @ before if side == "left" else before @ t), dtype)
                near(eb.trsm(s, b, side=side, lower=lower, unit=unit, alpha=0.5), before, dtype)


@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_vectors(n, eb, dtype):
    for x in vectors(n, dtype):
        near(eb.nrm2(x), np.linalg.norm(x), dtype)
        near(eb.asum(x), np.abs(x).sum(), dtype)
        if n:
            assert eb.iamax(x) == np.argmax(np.abs(x))
        for y in vectors(n, dtype):
            near(eb.dot(x, y), x @ y, dtype)
            wanted = 0.5 * x + y
            near(eb.axpy(0.5, x, y), wanted, dtype)
            a, b = x.copy(), y.copy()
            eb.swap(x, y)
            np.testing.assert_array_equal((x, y), (b, a))
            eb.rot(x, y, 0.6, 0.8)
            near(x, 0.6 * b + 0.8 * a, dtype)
            near(y, 0.6 * a - 0.8 * b, dtype)
        wanted = -x
        near(eb.scal(-1, x), wanted, dtype)


def test_inputs_may_have_memory_in_common_with_what_is_written(eb, dtype):
    a = rng.uniform(-1, 1, (6, 6)).astype(dtype)
    before = a.copy()
    near(eb.gemm(a, a.T, out=a), before @ before.T, dtype)
    a[...] = before
    near(eb.gemv(a, a[1], out=a[0]), before @ before[1], dtype)
    a[...] = before
    near(eb.trmm(a, a), np.tril(before) @ before, dtype)
    a[...] = before
    near(eb.syrk(a, out=a), with_triangle(before @ before.T, before, True), dtype)
    a[...] = before
    near(eb.ger(1.0, a[0], a[:, 1], a), before + np.outer(before[0], before[:, 1]), dtype)


def test_what_does_not_fit_is_told(eb):
    two, one = np.eye(2), np.ones(3)
    wrong = [
        (lambda: eb.gemm([1.0], [[1.0]]), ValueError, "a has 1 dimensions"),
        (lambda: eb.gemm(3.0, 4.0), ValueError, "a has 0 dimensions"),
        (lambda: eb.gemm(np.float32(two), two), TypeError, "a is float32, b is float64: all must be of one precision"),
        (lambda: eb.gemm(two, np.ones((3, 2))), ValueError, "sizes don't fit: a has 2, b has 3"),
        (lambda: eb.gemm(two, two, beta=1), ValueError, "beta is 1, so out has to be given"),
        (lambda: eb.gemv(two, [1.0, 2.0], out=np.float32([1, 2])), TypeError, "a is float64, and has to be float32"),
        (lambda: eb.scal(2, [1.0]), TypeError, "x is updated, so .* an array of float32 or float64, not a list"),
        (lambda: eb.scal(2, np.arange(3)), TypeError, "not an array of int64"),
        (lambda: eb.scal(2, np.ones(3, ">f8")), TypeError, "not an array of >f8"),
        (lambda: eb.scal(2, np.broadcast_to(1.0, 3)), ValueError, "can't be written"),
        (lambda: eb.axpy(1, [1j], one[:1]), TypeError, "x is complex128, and has to be float64"),
        (lambda: eb.swap(one, one), ValueError, "have elements in common"),
        (lambda: eb.swap(one, np.ones(4)), ValueError, "sizes don't fit: x has 3, y has 4"),
        (lambda: eb.trsm(two, np.ones((3, 3))), ValueError, "sizes don't fit: a has 2, b has 3"),
        (lambda: eb.trmv(np.ones((2, 3)), one), ValueError, "a is 2 x 3, and has to be square"),
        (lambda: eb.symm(two, two, side="L"), ValueError, "side is left or right, not 'L'"),
        (lambda: eb.iamax([]), ValueError, "x has no elements"),
        (lambda: eb.library(16), ValueError, "integers of 32 or 64 bits, not 16"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()


def test_docstrings(eb, letter):
    if letter == "d":
        from exo_blas import functions

        for module in (eb, functions):
            assert doctest.testmod(module).failed == 0
