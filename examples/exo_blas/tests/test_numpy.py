"""The functions of the package `exo_blas` on NumPy arrays of many strides, real and complex, beside NumPy."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Iterator
from itertools import product
from types import ModuleType

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from numpy.lib.stride_tricks import sliding_window_view as sliding

from examples.exo_blas.builder.interface import FOLDER
from examples.exo_blas.tests.conftest import defining

PRODUCT = FOLDER.parent / "product"
LEVEL1 = ("asum", "axpy", "dot", "iamax", "nrm2", "rot", "scal", "swap")
LEVEL2 = ("gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv")
LEVEL3 = ("gemm", "symm", "syrk", "syr2k", "trmm", "trsm")
COMPLEX = (
    *("asum", "axpy", "dotc", "dotu", "iamax", "nrm2", "rot", "scal", "swap"),
    *("gemv", "gerc", "geru", "hemv", "her", "her2", "trmv", "trsv"),
    *(*LEVEL3, "hemm", "herk", "her2k"),
)
WRAPPERS = (*LEVEL1, *LEVEL2, *LEVEL3, *(f"complex/{name}" for name in COMPLEX))
SQUARES = ((5, 3), (1, 1), (0, 2), (4, 0), (19, 7))
FENCED = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
rng = np.random.default_rng(1)


@pytest.fixture(scope="module")
def eb(version, blas_of) -> Iterator[ModuleType]:
    """The package, with the library under test."""
    library = blas_of(defining(*WRAPPERS), version, 64).library
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PRODUCT)
        import exo_blas
        from exo_blas import calls, places

        calls._known.cache_clear()
        patch.setattr(calls, "loaded", lambda: library)
        patch.setattr(places, "loaded", lambda: library)
        yield exo_blas
        calls._known.cache_clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == "exo_blas"]:
            del sys.modules[name]


@pytest.fixture(params=["real", "complex"])
def dtype(request, letter) -> type:
    real, pairs = (np.float32, np.complex64) if letter == "s" else (np.float64, np.complex128)
    return pairs if request.param == "complex" else real


def of(dtype: type, number: complex) -> complex:
    """A number for arrays of a type."""
    return number if is_complex(dtype) else number.real


def is_complex(dtype: type) -> bool:
    return np.dtype(dtype).kind == "c"


def random(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    x = rng.uniform(-1, 1, shape)
    return (x + 1j * rng.uniform(-1, 1, shape) if is_complex(dtype) else x).astype(dtype)


def matrices(m: int, n: int, dtype: type) -> Iterator[np.ndarray]:
    """By rows, by columns, of every other row or column, backwards."""
    big = random((3 * m + 5, 3 * n + 5), dtype)
    yield big[:m, :n].copy()
    yield random((n + 2, m + 3), dtype)[:n, :m].T
    yield big[: 2 * m : 2, :n]
    yield big[:m, : 2 * n : 2]
    yield big[:m, :n][::-1]
    yield big[:m, :n][:, ::-1]


def operands(eb: ModuleType, m: int, n: int, dtype: type) -> Iterator[tuple[object, np.ndarray]]:
    """Matrices and adjoints of matrices, each with what NumPy has for it."""
    yield from ((a, a) for a in matrices(m, n, dtype))
    yield from ((eb.adjoint(a), a.conj().T) for a in matrices(n, m, dtype))


def vectors(n: int, dtype: type) -> Iterator[np.ndarray]:
    """Of neighbours, every other element, backwards, a column."""
    big = random((3 * n + 9,), dtype)
    yield big[:n].copy()
    yield big[: 2 * n : 2]
    yield big[:n][::-1]
    yield random((n, 4), dtype)[:, 2]


def near(found, wanted, dtype) -> None:
    single = dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-4 if single else 1e-11)


def triangle_of(m, lower: bool) -> np.ndarray:
    return np.tril(m) if lower else np.triu(m)


def with_triangle(wanted, before, lower: bool) -> np.ndarray:
    """One triangle of what is wanted, the rest as it was."""
    return np.tril(wanted) + np.triu(before, 1) if lower else np.triu(wanted) + np.tril(before, -1)


def hermitian(m) -> np.ndarray:
    """With a real diagonal."""
    return m - 1j * np.diag(np.diag(m).imag) if np.iscomplexobj(m) else m


@pytest.mark.parametrize(
    ("m", "n", "k"), [(3, 4, 5), (1, 7, 2), (9, 1, 1), (0, 3, 2), (3, 0, 2), (3, 2, 0), (17, 9, 33)]
)
def test_products(m, n, k, eb, dtype):
    alpha, beta = of(dtype, 2 - 1j), of(dtype, 0.5 + 0.25j)
    for (a, a_), (b, b_) in product(operands(eb, m, k, dtype), operands(eb, k, n, dtype)):
        near(eb.gemm(a, b, alpha=alpha), alpha * a_ @ b_, dtype)
        for c in matrices(m, n, dtype):
            wanted = beta * c + a_ @ b_
            assert eb.gemm(a, b, beta=beta, out=c) is c
            near(c, wanted, dtype)
    for (a, a_), x in product(operands(eb, m, k, dtype), vectors(k, dtype)):
        near(eb.gemv(a, x, alpha=alpha), alpha * a_ @ x, dtype)
        for y in vectors(m, dtype):
            wanted = beta * y + a_ @ x
            near(eb.gemv(a, x, beta=beta, out=y), wanted, dtype)
            y[...] = np.nan
            near(eb.gemv(a, x, out=y), a_ @ x, dtype)
    for a, x, y in product(matrices(m, n, dtype), vectors(m, dtype), vectors(n, dtype)):
        wanted = a + alpha * np.outer(x, y)
        near(eb.ger(alpha, x, y, a), wanted, dtype)
        wanted = a + alpha * np.outer(x, y.conj())
        near(eb.gerc(alpha, x, y, a), wanted, dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_symmetric_matrices(n, k, lower, eb, dtype):
    alpha, beta = of(dtype, 2 - 1j), of(dtype, 0.5 + 0.25j)
    for s in matrices(n, n, dtype):
        triangle = triangle_of(s, lower)
        half = triangle - np.diag(np.diag(triangle))
        for mv, mm, full in (
            (eb.symv, eb.symm, triangle + half.T),
            (eb.hemv, eb.hemm, hermitian(triangle) + half.conj().T),
        ):
            for x in vectors(n, dtype):
                near(mv(s, x, lower=lower), full @ x, dtype)
                for y in vectors(n, dtype):
                    wanted = alpha * full @ x + beta * y
                    assert mv(s, x, lower=lower, alpha=alpha, beta=beta, out=y) is y
                    near(y, wanted, dtype)
            for side in ("left", "right"):
                for b in matrices(n, k, dtype) if side == "left" else matrices(k, n, dtype):
                    wanted = full @ b if side == "left" else b @ full
                    near(mm(s, b, side=side, lower=lower), wanted, dtype)
                    for c in matrices(*b.shape, dtype):
                        both = alpha * wanted + beta * c
                        near(mm(s, b, side=side, lower=lower, alpha=alpha, beta=beta, out=c), both, dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_updates_of_symmetric_matrices(n, k, lower, eb, dtype):
    alpha, beta = of(dtype, 2 - 1j), of(dtype, 0.5 + 0.25j)
    for s in matrices(n, n, dtype):
        for x, y in product(vectors(n, dtype), vectors(n, dtype)):
            wanted = with_triangle(s + alpha * np.outer(x, x), s, lower)
            near(eb.syr(alpha, x, s, lower=lower), wanted, dtype)
            wanted = with_triangle(s + alpha * np.outer(x, y) + alpha * np.outer(y, x), s, lower)
            near(eb.syr2(alpha, x, y, s, lower=lower), wanted, dtype)
            s *= 0.2
        for a, b in product(matrices(n, k, dtype), matrices(n, k, dtype)):
            near(eb.syrk(a, lower=lower), triangle_of(a @ a.T, lower), dtype)
            wanted = with_triangle(beta * s + alpha * a @ a.T, s, lower)
            near(eb.syrk(a, lower=lower, alpha=alpha, beta=beta, out=s), wanted, dtype)
            wanted = with_triangle(beta * s + alpha * a @ b.T + alpha * b @ a.T, s, lower)
            near(eb.syr2k(a, b, lower=lower, alpha=alpha, beta=beta, out=s), wanted, dtype)
            s *= 0.2


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_updates_of_hermitian_matrices(n, k, lower, eb, dtype):
    alpha = of(dtype, 2 - 1j)
    bar = np.conj(alpha)
    for s in matrices(n, n, dtype):
        for x, y in product(vectors(n, dtype), vectors(n, dtype)):
            before = s.copy()
            wanted = with_triangle(hermitian(s + 2 * np.outer(x, x.conj())), s, lower)
            near(eb.her(2.0, x, s, lower=lower), wanted, dtype)
            s[...] = 0.2 * before
            wanted = with_triangle(hermitian(s + alpha * np.outer(x, y.conj()) + bar * np.outer(y, x.conj())), s, lower)
            near(eb.her2(alpha, x, y, s, lower=lower), wanted, dtype)
            s[...] = before
        before = s.copy()
        for a, a_ in operands(eb, n, k, dtype):
            square = a_ @ a_.conj().T
            near(eb.herk(a, lower=lower), triangle_of(square, lower), dtype)
            wanted = with_triangle(hermitian(0.5 * s + 2 * square), s, lower)
            assert eb.herk(a, lower=lower, alpha=2.0, beta=0.5, out=s) is s
            near(s, wanted, dtype)
            s[...] = before
        by_rows_or_columns = [x for i, x in enumerate(operands(eb, n, k, dtype)) if i % 6 < 2]
        for (a, a_), (b, b_) in product(operands(eb, n, k, dtype), by_rows_or_columns):
            both = alpha * a_ @ b_.conj().T + bar * b_ @ a_.conj().T
            wanted = with_triangle(hermitian(0.5 * s + both), s, lower)
            near(eb.her2k(a, b, lower=lower, alpha=alpha, beta=0.5, out=s), wanted, dtype)
            s[...] = before
            s[...] = np.nan
            near(triangle_of(eb.her2k(a, b, lower=lower, alpha=alpha, out=s), lower), triangle_of(both, lower), dtype)
            s[...] = before


@pytest.mark.parametrize(("lower", "unit"), [*product([True, False], [True, False])])
@pytest.mark.parametrize(("n", "k"), SQUARES)
def test_triangles(n, k, lower, unit, eb, dtype):
    for s, _ in operands(eb, n, n, dtype):
        stored = s.of if isinstance(s, eb.arrays.Adjoint) else s
        stored *= 0.2
        stored += 3 * np.eye(n, dtype=dtype)
        t = triangle_of(stored if stored is s else stored.conj().T, lower)
        if unit:
            t = t - np.diag(np.diag(t)) + np.eye(n)
        for x in vectors(n, dtype):
            before = x.copy()
            assert eb.trmv(s, x, lower=lower, unit=unit) is x
            near(x, t @ before, dtype)
            near(eb.trsv(s, x, lower=lower, unit=unit), before, dtype)
        alpha = of(dtype, 2 - 1j)
        for side in ("left", "right"):
            for b in matrices(n, k, dtype) if side == "left" else matrices(k, n, dtype):
                before = b.copy()
                eb.trmm(s, b, side=side, lower=lower, unit=unit, alpha=alpha)
                near(b, alpha * (t @ before if side == "left" else before @ t), dtype)
                near(eb.trsm(s, b, side=side, lower=lower, unit=unit, alpha=1 / alpha), before, dtype)


@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_vectors(n, eb, dtype):
    alpha = of(dtype, 0.5 - 0.25j)
    number = complex if is_complex(dtype) else float
    for x in vectors(n, dtype):
        sizes = np.abs(x.real) + np.abs(x.imag)
        near(eb.nrm2(x), np.linalg.norm(x), dtype)
        near(eb.asum(x), sizes.sum(), dtype)
        if n:
            assert eb.iamax(x) == np.argmax(sizes)
        for y in vectors(n, dtype):
            assert type(eb.dot(x, y)) is type(eb.vdot(x, y)) is number
            near(eb.dot(x, y), x @ y, dtype)
            near(eb.vdot(x, y), np.vdot(x, y), dtype)
            wanted = alpha * x + y
            near(eb.axpy(alpha, x, y), wanted, dtype)
            a, b = x.copy(), y.copy()
            eb.swap(x, y)
            np.testing.assert_array_equal((x, y), (b, a))
            eb.rot(x, y, 0.6, 0.8)
            near(x, 0.6 * b + 0.8 * a, dtype)
            near(y, 0.6 * a - 0.8 * b, dtype)
        for factor in (-1, 0.5, alpha, dtype(alpha)):
            wanted = factor * x
            near(eb.scal(factor, x), wanted, dtype)


def test_a_real_factor_multiplies_both_parts(eb, dtype):
    if is_complex(dtype):
        x = np.array([complex(np.inf, 1)], dtype)
        np.testing.assert_array_equal(eb.scal(2, x).view(dtype(0).real.dtype), [np.inf, 2])


def test_inputs_may_have_memory_in_common_with_what_is_written(eb, dtype):
    a = random((6, 6), dtype)
    before = a.copy()
    near(eb.gemm(a, a.T, out=a), before @ before.T, dtype)
    a[...] = before
    near(eb.gemm(eb.adjoint(a), a, out=a), before.conj().T @ before, dtype)
    a[...] = before
    near(eb.gemv(a, a[1], out=a[0]), before @ before[1], dtype)
    a[...] = before
    near(eb.symv(a, a[1], out=a[0]), (np.tril(before) + np.tril(before, -1).T) @ before[1], dtype)
    a[...] = before
    near(eb.trmm(a, a), np.tril(before) @ before, dtype)
    a[...] = before
    near(eb.syrk(a, out=a), with_triangle(before @ before.T, before, True), dtype)
    a[...] = before
    near(eb.herk(eb.adjoint(a), out=a), with_triangle(before.conj().T @ before, before, True), dtype)
    a[...] = before
    near(eb.ger(1.0, a[0], a[:, 1], a), before + np.outer(before[0], before[:, 1]), dtype)
    a[...] = before
    near(eb.syr(1.0, a[0], a), with_triangle(before + np.outer(before[0], before[0]), before, True), dtype)


def test_an_adjoint_is_read_where_it_is_and_an_array_to_others(eb, dtype):
    a = random((4, 3), dtype)
    arrays = eb.arrays
    for m in (a, a[:, :2], a[::2]):
        given, conjugated = arrays.operand(eb.adjoint(m))
        w = arrays.window(given, conjugated)
        assert np.shares_memory(w.matrix, a)
        assert w.flag == (arrays.ADJOINT if is_complex(dtype) else arrays.TRANSPOSED)
    h = a.conj().T
    np.testing.assert_array_equal(eb.adjoint(a), h)
    np.testing.assert_array_equal(eb.adjoint(eb.adjoint(a)), a)
    near(eb.syrk(eb.adjoint(a)), np.tril(h @ h.T), dtype)
    near(eb.gemm(eb.adjoint([[1, 2]]), random((1, 2), dtype) * 0), np.zeros((2, 2)), dtype)


def test_a_column_may_be_written(eb, dtype):
    a, b, y = random((4, 3), dtype), random((3, 1), dtype), random((8,), dtype)
    eb.gemm(a, b, out=y[::2, None])
    near(y[::2, None], a @ b, dtype)


def test_elements_apart_are_written_wherever_they_are(eb):
    """Rows that lie between each other's elements, and such of more dimensions."""
    assert not eb.arrays.overlaps_itself(as_strided(np.zeros(8), (2, 2), (24, 16)))
    assert not eb.arrays.overlaps_itself(np.zeros((3, 4, 2))[::-2, :, ::-1].T)
    assert not eb.arrays.overlaps_itself(as_strided(np.zeros(1), (0, 2), (8, 0)))
    assert eb.arrays.overlaps_itself(as_strided(np.zeros(9), (3, 3), (16, 8)))
    out = as_strided(np.zeros(8), (2, 2), (24, 16))
    eb.gemm([[1], [2]], [[3, 4]], out=out)
    np.testing.assert_array_equal(out, [[3, 4], [6, 8]])


def test_what_does_not_fit_is_told(eb):
    two, one = np.eye(2), np.ones(3)
    types = "float32, float64, complex64 or complex128"
    wrong = [
        (lambda: eb.gemm([1.0], [[1.0]]), ValueError, "a has 1 dimension"),
        (lambda: eb.gemm(eb.adjoint([1.0]), [[1.0]]), ValueError, "a has 1 dimension"),
        (lambda: eb.gemm(3.0, 4.0), ValueError, "a has 0 dimensions"),
        (lambda: eb.gemm(np.float32(two), two), TypeError, "a is float32, b is float64: all must be of one type"),
        (lambda: eb.gemm(two, two + 0j), TypeError, "a is float64, b is complex128: all must be of one type"),
        (lambda: eb.gemm(eb.adjoint(two * 1j), two), TypeError, "a is complex128, b is float64: all must be"),
        (lambda: eb.gemm(two, np.ones((3, 2))), ValueError, "sizes don't fit: a has 2 columns, b has 3 rows"),
        (lambda: eb.gemm(two, eb.adjoint(np.ones((2, 3)))), ValueError, "a has 2 columns, b has 3 rows"),
        (lambda: eb.gemm(two, two, beta=1), ValueError, "beta is 1, so out has to be given"),
        (lambda: eb.gemm(two, two, alpha=1j), TypeError, "alpha is 1j, and has to be real here"),
        (lambda: eb.gemm(two, two, alpha="x"), TypeError, "alpha is 'x', and has to be a number"),
        (lambda: eb.her([1], one, np.eye(3) * 1j), TypeError, r"alpha is \[1\], and has to be a number"),
        (lambda: eb.gemv(two, [1.0, 2.0], out=np.float32([1, 2])), TypeError, "a is float64, out is float32: both"),
        (lambda: eb.gemv(two, [1, 2], out=np.ones(2), beta=1j), TypeError, "beta is 1j, and has to be real here"),
        (lambda: eb.scal(2, [1.0]), TypeError, f"x is updated, so .* an array of {types}, not a list"),
        (lambda: eb.scal(2, np.arange(3)), TypeError, "not an array of int64"),
        (lambda: eb.scal(2, np.ones(3, ">f8")), TypeError, "not an array of float64 of the other byte order"),
        (lambda: eb.scal(2, np.ones(3, "clongdouble")), TypeError, "not an array of complex256"),
        (lambda: eb.gemm(two, two, alpha=10**400), ValueError, "alpha is an integer of 1329 bits, which no float"),
        (lambda: eb.gemm(two, np.ones(3)), ValueError, "a has 2 dimensions and b has 1 dimension, which don't fit"),
        (lambda: eb.gemm(two, two, out=as_strided(np.zeros(4), (2, 2), (8, 8))), ValueError, "apart in memory"),
        (lambda: eb.ger(1, [1, 2], [1, 2, 3], sliding(np.zeros(4), 3, writeable=True)), ValueError, "apart in memory"),
        (lambda: eb.scal(2, np.broadcast_to(1.0, 3)), ValueError, "can't be written"),
        (lambda: eb.scal(np.complex64(2), np.ones(3)), TypeError, "alpha is .*2.*, and has to be real here"),
        (lambda: eb.axpy(1, [1j], one[:1]), TypeError, "x is complex128, y is float64: both must be of one"),
        (lambda: eb.axpy(1, [1.0], one[:1] + 0j), TypeError, "x is float64, y is complex128: both must be"),
        (lambda: eb.axpy(1j, one, np.ones(3)), TypeError, "alpha is 1j, and has to be real here"),
        (lambda: eb.swap(one, one), ValueError, "have elements in common"),
        (lambda: eb.swap(one, np.ones(4)), ValueError, "sizes don't fit: x has 3 elements, y has 4"),
        (lambda: eb.swap(one, one * 1j), TypeError, "x is float64, y is complex128: both must be of one type"),
        (lambda: eb.rot(one * 1j, one * 2j, 1, 1j), TypeError, "s is 1j, and has to be real here"),
        (lambda: eb.ger(1j, one, one, np.eye(3)), TypeError, "alpha is 1j, and has to be real here"),
        (lambda: eb.her(1j, one, np.eye(3) * 1j), TypeError, "alpha is 1j, and has to be real here"),
        (lambda: eb.herk(two * 1j, beta=1j, out=two * 1j), TypeError, "beta is 1j, and has to be real here"),
        (lambda: eb.her2k(two * 1j, two * 1j, beta=1j, out=two * 1j), TypeError, "beta is 1j, and has to be real"),
        (lambda: eb.syr(1, [1j], two * 1j), ValueError, "sizes don't fit: x has 1 element, a has 2 rows"),
        (lambda: eb.symv(two * 1j, one * 1j), ValueError, "x has 3 elements, out has 2 elements, a has 2 rows"),
        (lambda: eb.trsm(two, np.ones((3, 3))), ValueError, "sizes don't fit: a has 2 rows, b has 3 rows"),
        (lambda: eb.trsm(two, np.ones((2, 3)), side="right"), ValueError, "a has 2 rows, b has 3 columns"),
        (lambda: eb.gemm(two, two, out=np.ones((2, 3))), ValueError, "b has 2 columns, out has 3 columns"),
        (lambda: eb.gemm(np.float16(two), two), TypeError, "a is float16, and has to be float64 here"),
        (lambda: eb.nrm2(np.float16([1])), TypeError, "x is float16, and has to be float32, float64, "),
        (lambda: eb.gemm(np.ma.array(two), two), TypeError, "a has a mask, which BLAS doesn't know: give a.filled"),
        (lambda: eb.axpy(1, [1, 1], np.ma.array([1.0, 2.0])), TypeError, "y has a mask"),
        (lambda: eb.gemm(eb.adjoint(np.ma.array(two)), two), TypeError, "a has a mask"),
        (lambda: eb.gemm([np.ma.array([1.0, 2.0]), [3.0, 4.0]], two), TypeError, "a has a mask"),
        (lambda: eb.scal(np.ma.masked, np.ones(2)), TypeError, "alpha has a mask, and has to be a number"),
        (lambda: eb.trsv(two, np.ones(2), unit="no"), TypeError, "unit is True or False, not 'no'"),
        (lambda: eb.trsm(two, np.ones((2, 2)), lower="U"), TypeError, "lower is True or False, not 'U'"),
        (lambda: eb.symm(two, two, lower="U"), TypeError, "lower is True or False, not 'U'"),
        (lambda: eb.trsm(two, np.ones((2, 2)), alpha=1j), TypeError, "alpha is 1j, and has to be real here"),
        (lambda: eb.trmv(np.ones((2, 3)), one), ValueError, "a is 2 x 3, and has to be square"),
        (lambda: eb.symm(two, two, side="L"), ValueError, "side is left or right, not 'L'"),
        (lambda: eb.hemm(two, two, side="L"), ValueError, "side is left or right, not 'L'"),
        (lambda: eb.iamax([]), ValueError, "x has no elements"),
        (lambda: eb.library(16), ValueError, "integers of 32 or 64 bits, not 16"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()


def test_docstrings(eb, letter):
    if letter == "d":
        from exo_blas import arrays, level1, level2, level3

        for module in (eb, arrays, level1, level2, level3):
            found = doctest.testmod(module)
            assert found.attempted and not found.failed


def test_the_readme_says_what_its_programs_print(eb, letter, capsys):
    if letter == "d":
        names: dict[str, object] = {}
        for program in FENCED.findall((PRODUCT / "README.md").read_text()):
            exec(program, names)
            told = " ".join(capsys.readouterr().out.split())
            said = " ".join(re.findall(r"# (\[.*\])", program))
            assert told == " ".join(said.split())
