"""Complex numbers: level 1 against its definitions, and what is easily got wrong of levels 2 and 3, whose functions are
also in `test_random.py`: distances whose bytes an `int` doesn't count, diagonals whose squares vanish or overflow.

Vectors lie between pages that trap, so that a read or a write beyond an end ends the test.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas
from examples.exo_blas.tests.test_level1 import Vec, cases, eps, exact, largest, one_by_one
from examples.exo_blas.tests.test_random import (
    COLUMN,
    COMPLEX,
    CONJ,
    DTYPES,
    LAYOUTS,
    LEFT,
    LOWER,
    NO,
    NON_UNIT,
    PAIRS,
    RIGHT,
    ROW,
    SIDES,
    TRANS,
    TRANSPOSES,
    UPLOS,
    UPPER,
    Lab,
    rank_case,
    right,
    triangle_case,
    triangles_case,
    update_case,
)

ALPHA = 0.75 - 0.5j
COSINE, SINE = 0.75, -0.5
PARTS = ("re", "im")


@pytest.fixture(scope="module")
def version(complex_version: tuple[str, str]) -> tuple[str, str]:
    """Here, c and z take the places of s and d."""
    return complex_version


@pytest.fixture(scope="module")
def blas(version: tuple[str, str], blas_of: Callable[..., Cblas]) -> Cblas:
    return blas_of(COMPLEX, version)


@pytest.fixture
def f(blas: Cblas, letter: str, guarded: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """`f("axpy", ..)` calls a routine. Vectors are an address and an increment; complex numbers go by address."""
    real = {"c": "s", "z": "d"}[letter]
    names = {"asum": f"{real}{letter}asum", "nrm2": f"{real}{letter}nrm2", "cabs1": f"{real}cabs1"}
    names |= {"iamax": f"i{letter}amax", "rscal": f"{letter}{real}scal", "rrot": f"{letter}{real}rot"}
    names |= {dot: f"{letter}{dot}_sub" for dot in ("dotu", "dotc")}

    def call(routine: str, *arguments: Any) -> Any:
        given: list[Any] = []
        kept: list[np.ndarray] = []
        for a in arguments:
            if isinstance(a, complex):
                kept.append(guarded(1, DTYPES[letter]))
                kept[-1][0] = a
                given.append(kept[-1].ctypes.data)
            else:
                given += (a.address, a.inc) if isinstance(a, Vec) else (a,)
        return getattr(blas, f"cblas_{names.get(routine, letter + routine)}")(*given)

    return call


@pytest.fixture
def vec(guarded: Callable[..., np.ndarray], letter: str) -> Callable[..., Vec]:
    """Vectors at either end of a page; those at the beginning are aligned as parts are, not as pairs."""
    rng = np.random.default_rng(7)
    dtype = np.dtype(DTYPES[letter])

    def make(n: int, inc: int, at_end: bool = True) -> Vec:
        count = 1 + (max(n, 1) - 1) * abs(inc)
        if at_end:
            memory = guarded(count, dtype.str)
        else:
            memory = guarded(2 * count + 1, f"f{dtype.itemsize // 2}", False)[1:].view(dtype)
        memory[:] = rng.uniform(-1, 1, count) + 1j * rng.uniform(-1, 1, count)
        return Vec(memory, inc, max(n, 0))

    return make


@pytest.fixture
def lab(guarded: Callable[..., np.ndarray], letter: str) -> Lab:
    return Lab(guarded, letter, 11)


# -- sums ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("routine", ["dotu", "dotc"])
def test_dot_is_as_exact_as_a_sum_in_any_order(f, vec, routine):
    for n, incx, incy, at_end in cases():
        x, y, r = vec(n, incx, at_end), vec(n, incy, at_end), vec(1, 1, at_end)
        f(routine, n, x, y, r.address)
        products = (exact(x).conj() if routine == "dotc" else exact(x)) * exact(y)
        bound = 2 * (n + 1) * eps(x) * np.abs(products).sum()
        assert abs(r.memory[0] - products.sum()) <= bound, (n, incx, incy)


def test_asum_is_of_both_parts(f, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        found = f("asum", n, x)
        want = (np.abs(exact(x).real) + np.abs(exact(x).imag)).sum() if incx > 0 else 0
        assert abs(found - want) <= (2 * n + 1) * eps(x) * want, (n, incx)


def test_nrm2(f, vec, letter):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        for scale in (1.0, 1e30, 1e-30, 1e-42) if letter == "c" else (1.0, 1e300, 1e-300, 1e-318):
            big = vec(n, incx, at_end)
            big.memory.real, big.memory.imag = x.memory.real * scale, x.memory.imag * scale
            want = np.sqrt((exact(big).real ** 2 + exact(big).imag ** 2).sum())
            least = np.finfo(x.memory.dtype).smallest_subnormal
            assert abs(f("nrm2", n, big) - want) <= (2 * n + 3) * eps(x) * want + least, (n, scale)


def test_the_size_of_one_number_is_the_sum_of_its_parts(f):
    for z, size in ((3 - 4j, 7), (-0.5 + 0j, 0.5), (0j, 0)):
        assert f("cabs1", z) == size


@pytest.mark.parametrize("part", PARTS)
def test_sums_pass_on_what_is_no_number(f, vec, part):
    for special, n in product((np.nan, np.inf, -np.inf), (1, 8, 33, 100)):
        for k in {0, n // 2, n - 1}:
            x, y, r = vec(n, 1), vec(n, 1), vec(1, 1)
            x.memory[k] = complex(special, 1) if part == "re" else complex(1, special)
            for routine in ("asum", "nrm2"):
                assert np.array_equal(f(routine, n, x), abs(special), equal_nan=True), (routine, special, n)
            for routine, (first, second) in product(("dotu", "dotc"), ((x, y), (y, x))):
                f(routine, n, first, second, r.address)
                assert not np.isfinite(r.memory[0]), (routine, special, n)


# -- updates ------------------------------------------------------------------------------------------

UPDATES = {
    "axpy": ((ALPHA,), lambda x, y: (x, ALPHA * x + y)),
    "copy": ((), lambda x, y: (x, x)),
    "swap": ((), lambda x, y: (y, x)),
    "rrot": ((COSINE, SINE), lambda x, y: (COSINE * x + SINE * y, COSINE * y - SINE * x)),
}


@pytest.mark.parametrize("routine", sorted(UPDATES))
def test_an_update_is_that_of_the_reference(f, vec, routine):
    scalars, step = UPDATES[routine]
    for n, incx, incy, at_end in cases():
        if n > 300 and (incx, incy) != (1, 1):
            continue
        x, y = vec(n, incx, at_end), vec(n, incy, at_end)
        wanted = one_by_one(x, y, step)
        f(routine, n, *((*scalars, x, y) if routine == "axpy" else (x, y, *scalars)))
        tolerance = 6 * eps(x) * max(n if 0 in (incx, incy) else 1, 1)
        for found, want in zip((x.memory, y.memory), wanted, strict=True):
            np.testing.assert_allclose(found, want.astype(found.dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("alpha", PAIRS[:7])
def test_axpy_of_scalars_with_parts_that_are_zero(f, vec, alpha):
    """Nothing is added if both parts are 0, not even what is no number."""
    for n, inc in ((3, 1), (40, 1), (9, 2)):
        x, y = vec(n, inc), vec(n, inc)
        if alpha == 0:
            x.memory[:] = complex(np.nan, np.nan)
        before = y.memory.copy()
        want = y.memory + alpha * x.memory if alpha else before
        f("axpy", n, alpha, x, y)
        np.testing.assert_allclose(y.view, want[::inc][:n], rtol=6 * eps(x), atol=6 * eps(x))


@pytest.mark.parametrize("alpha", [ALPHA, 1j, -2 + 0j, 1 + 0j, 1 + 2j])
def test_scal(f, vec, alpha):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        want = x.memory.copy()
        if incx > 0:
            want[::incx][:n] *= alpha
        f("scal", n, alpha, x)
        np.testing.assert_allclose(x.memory, want, rtol=6 * eps(x), atol=6 * eps(x))


def test_scal_by_a_real_number(f, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        want = x.memory.copy()
        if incx > 0:
            want.real[::incx][:n] *= want.real.dtype.type(0.3)
            want.imag[::incx][:n] *= want.real.dtype.type(0.3)
        f("rscal", n, 0.3, x)
        assert np.array_equal(x.memory, want), (n, incx)


@pytest.mark.parametrize(("routine", "zero"), [("scal", 0j), ("rscal", 0.0)])
def test_scal_by_zero_passes_on_what_is_no_number(f, vec, routine, zero):
    for inc in (1, 2):
        x = vec(40, inc)
        x.view[7] = complex(np.nan, 1)
        f(routine, 40, zero, x)
        assert np.isnan(x.view[7]) and np.count_nonzero(x.view) == 1


def test_scal_by_a_real_number_keeps_the_parts_apart(f, vec):
    """Of an infinite part, the other one doesn't become NaN."""
    for inc in (1, 2):
        x = vec(20, inc)
        x.view[3] = complex(np.inf, -2)
        f("rscal", 20, 0.5, x)
        assert x.view[3] == complex(np.inf, -1)


@pytest.mark.parametrize("routine", ["axpy", "scal", "rscal", "rrot"])
def test_an_element_becomes_the_same_wherever_it_is(f, vec, routine):
    """To the last bit, in a vector or left over: LAPACK's tests compare what was computed with other sizes."""
    c, s = 0.8125, 0.30078125
    given = {
        "axpy": lambda n, x, y: (n, complex(c, s), x, y),
        "scal": lambda n, x, y: (n, complex(c, s), x),
        "rscal": lambda n, x, y: (n, c, x),
        "rrot": lambda n, x, y: (n, x, y, c, s),
    }[routine]
    for n in (1, 5, 8, 19, 40, 67):
        x, y = vec(n, 1), vec(n, 1)
        alone = x.memory.copy(), y.memory.copy()
        f(routine, *given(n, x, y))
        for i in range(n):
            f(routine, *given(1, *(Vec(v[i:], 1, 1) for v in alone)))
        assert np.array_equal(x.memory, alone[0]) and np.array_equal(y.memory, alone[1]), n


def test_scal_of_pairs_that_are_no_neighbours_is_that_of_neighbours(f, vec):
    """To the last bit."""
    for n in (1, 5, 8, 19, 40, 67):
        x, far = vec(n, 1), vec(n, 2)
        far.view[:] = x.view
        for mine in (x, far):
            f("scal", n, complex(0.8125, 0.30078125), mine)
        assert np.array_equal(x.view, far.view), n


# -- the largest --------------------------------------------------------------------------------------


def sizes(x: np.ndarray) -> np.ndarray:
    """|re| + |im|, rounded as the reference does it."""
    return np.abs(x.real) + np.abs(x.imag)


def test_iamax_is_the_first_of_the_largest(f, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        want = largest(sizes(x.view)) if n > 0 and incx > 0 else 0
        assert f("iamax", n, x) == want, (n, incx)


def test_iamax_with_equals_and_with_what_is_no_number(f, vec):
    rng = np.random.default_rng(3)
    nan, inf = np.nan, np.inf
    infinite = [complex(1, nan), complex(inf, 0), 1]
    for n in (1, 2, 5, 8, 9, 31, 40, 64, 100, 300, 2500):
        # 3 + 4i is larger than 5, and no larger than 7i
        for values in ([3 + 4j, 5, -7j, 7], [0j, -0.0], [complex(nan, 1), 1, 2j], infinite):
            for incx in (1, 2):
                x = vec(n, incx)
                x.view[:] = rng.choice(values, n)
                assert f("iamax", n, x) == largest(sizes(x.view)), (n, values)


def test_nothing_is_done_for_no_elements(f, vec):
    x, y, r = vec(4, 1), vec(4, 1), vec(1, 1)
    before = x.memory.copy(), y.memory.copy()
    for n in (0, -1):
        f("axpy", n, ALPHA, x, y)
        f("scal", n, ALPHA, x)
        f("rscal", n, 2.0, x)
        f("copy", n, x, y)
        f("swap", n, x, y)
        f("rrot", n, x, y, COSINE, SINE)
        assert [f(routine, n, x) for routine in ("asum", "nrm2", "iamax")] == [0, 0, 0]
        for routine in ("dotu", "dotc"):
            r.memory[0] = 1
            f(routine, n, x, y, r.address)
            assert r.memory[0] == 0
    assert np.array_equal(x.memory, before[0]) and np.array_equal(y.memory, before[1])


# -- plane rotations ----------------------------------------------------------------------------------

SOME = (0j, 1 + 0j, 1j, -3 + 4j, 0.5 - 2j)


def test_rotg(f, vec, letter):
    """c a + s b = r and c b - conj(s) a = 0, where c is a real number and no less than 0; r points as a does."""
    huge = 2.0**120 if letter == "c" else 2.0**1000
    sizes_of_both = ((1, 1), (huge, huge), (1 / huge, 1 / huge), (huge, 1), (1, huge), (1 / huge, huge))
    for (one, other), p, q in product(sizes_of_both, SOME, SOME):
        v, b = vec(2, 1), vec(1, 1)
        cosine = vec(1, 1)
        v.memory[:], b.memory[0] = (p * one, 0), q * other
        a, was = exact(v)[0], exact(b)[0]
        f("rotg", v.address, b.address, cosine.address, v.memory[1:].ctypes.data)
        r, s, c = *exact(v), exact(cosine)[0].real
        length = max(abs(a), abs(was))
        assert b.memory[0] == was and c >= 0, (a, was)
        assert abs(c * c + abs(s) ** 2 - 1) <= 8 * eps(v), (a, was)
        assert abs(c * a + s * was - r) <= 16 * eps(v) * length, (a, was)
        assert abs(c * was - s.conj() * a) <= 16 * eps(v) * length, (a, was)
        if a:
            assert abs(r / abs(r) - a / abs(a)) <= 16 * eps(v), (a, was)
        if was == 0:
            assert (c, s, r) == (1, 0, a)


# -- distances ----------------------------------------------------------------------------------------

FAR = 2**30 + 3
"""Of pairs: twice as many parts are no `int`."""


@pytest.fixture
def far(letter: str) -> Callable[[int, int, int], np.ndarray]:
    """`far(place, m, n)`: a new matrix whose rows are at this distance, in memory of which hardly any is there."""
    dtype = np.dtype(DTYPES[letter])
    unreserved = getattr(mmap, "MAP_NORESERVE", 0x4000)
    try:
        pages = mmap.mmap(-1, (FAR + 100) * dtype.itemsize, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | unreserved)
    except OSError:
        pytest.skip("the system gives no such memory")
    memory, rng = np.frombuffer(pages, dtype), np.random.default_rng(5)

    def make(place: int, m: int = 2, n: int = 2) -> np.ndarray:
        strides = (FAR * dtype.itemsize, dtype.itemsize)
        view = np.lib.stride_tricks.as_strided(memory[place:], (m, n), strides)
        view[:] = rng.uniform(-1, 1, (m, n)) + 1j * rng.uniform(-1, 1, (m, n))
        return view

    return make


def test_elements_of_vectors_may_be_far_from_each_other(f, far, letter):
    for incx, incy in ((FAR, FAR), (-FAR, FAR), (FAR, -FAR), (-FAR, -FAR)):
        memory = [far(place, n=1)[:, 0] for place in (0, 7, 20)]
        x, y = (v[:: 1 if inc > 0 else -1] for v, inc in zip(memory, (incx, incy), strict=False))
        p, q, r = Vec(memory[0], incx, 2), Vec(memory[1], incy, 2), memory[2]
        near = {"rtol": 1e-5 if letter == "c" else 1e-14}
        for routine, left in (("dotu", x), ("dotc", x.conj())):
            f(routine, 2, p, q, r.ctypes.data)
            np.testing.assert_allclose(r[0], (left * y).sum(), **near)
        np.testing.assert_allclose(f("nrm2", 2, p), np.linalg.norm(x), **near)
        if incx > 0:
            np.testing.assert_allclose(f("asum", 2, p), sizes(x).sum(), **near)
            assert f("iamax", 2, p) == np.argmax(sizes(x))
            want = x * ALPHA * 0.5
            f("scal", 2, ALPHA, p)
            f("rscal", 2, 0.5, p)
            np.testing.assert_allclose(x, want, **near)
        want = y + ALPHA * x
        f("axpy", 2, ALPHA, p, q)
        np.testing.assert_allclose(y, want, **near)
        want, other = COSINE * x + SINE * y, COSINE * y - SINE * x
        f("rrot", 2, p, q, COSINE, SINE)
        np.testing.assert_allclose([x, y], [want, other], **near)
        f("swap", 2, p, q)
        np.testing.assert_allclose([y, x], [want, other], **near)
        f("copy", 2, p, q)
        assert np.array_equal(x, y)


def test_rows_of_matrices_may_be_far_from_each_other(f, far, letter):
    """So may be the elements of a vector, where it is a matrix's first column."""
    near = {"rtol": 1e-4, "atol": 1e-4} if letter == "c" else {"rtol": 1e-13, "atol": 1e-13}
    one, triangle = 1 + 0j, (ROW, LOWER, CONJ, NON_UNIT)

    def fresh() -> tuple[np.ndarray, ...]:
        return tuple(far(place) for place in (0, 7, 20))

    def at(m: np.ndarray) -> tuple[int, int]:
        return m.ctypes.data, FAR

    a, b, c = fresh()
    want = ALPHA * a.conj().T @ b[:, 0] + c[:, 0]
    f("gemv", ROW, CONJ, 2, 2, ALPHA, *at(a), *at(b), one, *at(c))
    np.testing.assert_allclose(c[:, 0], want, **near)
    a, b, c = fresh()
    want = c + ALPHA * np.outer(a[:, 0], b[:, 0].conj())
    f("gerc", ROW, 2, 2, ALPHA, *at(a), *at(b), *at(c))
    np.testing.assert_allclose(c, want, **near)
    a, b, c = fresh()
    want = np.tril(a).conj().T @ b[:, 0]
    f("trmv", *triangle, 2, *at(a), *at(b))
    np.testing.assert_allclose(b[:, 0], want, **near)
    f("trsv", *triangle, 2, *at(a), *at(b))
    np.testing.assert_allclose(np.tril(a).conj().T @ b[:, 0], want, **near)
    a, b, c = fresh()
    whole = np.tril(a, -1) + np.tril(a, -1).conj().T + np.diag(a.diagonal().real)
    want = ALPHA * whole @ b[:, 0] + c[:, 0]
    f("hemv", ROW, LOWER, 2, ALPHA, *at(a), *at(b), one, *at(c))
    np.testing.assert_allclose(c[:, 0], want, **near)
    a, b, c = fresh()
    want = ALPHA * a @ b.conj().T + c
    f("gemm", ROW, NO, CONJ, 2, 2, 2, ALPHA, *at(a), *at(b), one, *at(c))
    np.testing.assert_allclose(c, want, **near)
    a, b, c = fresh()
    whole = np.tril(a, -1) + np.tril(a, -1).conj().T + np.diag(a.diagonal().real)
    want = ALPHA * whole @ b + c
    f("hemm", ROW, LEFT, LOWER, 2, 2, ALPHA, *at(a), *at(b), one, *at(c))
    np.testing.assert_allclose(c, want, **near)
    a, b, c = fresh()
    want = np.tril(0.5 * a @ a.conj().T)
    f("herk", ROW, LOWER, NO, 2, 2, 0.5, *at(a), 0.0, *at(c))
    np.testing.assert_allclose(np.tril(c), want, **near)
    a, b, c = fresh()
    want = b @ np.tril(a).conj().T
    f("trmm", ROW, RIGHT, LOWER, CONJ, NON_UNIT, 2, 2, one, *at(a), *at(b))
    np.testing.assert_allclose(b, want, **near)
    f("trsm", ROW, RIGHT, LOWER, CONJ, NON_UNIT, 2, 2, one, *at(a), *at(b))
    np.testing.assert_allclose(b @ np.tril(a).conj().T, want, **near)


# -- division -----------------------------------------------------------------------------------------


def scaled_systems(lab: Lab, routine: str) -> Iterator[tuple[Any, float]]:
    """Systems, and a power of two by which both sides of them are multiplied, so that the solution is the same."""
    exponent = 120 if lab.letter == "c" else 1000
    for trans, uplo, scale in product(TRANSPOSES, UPLOS, (0.5**exponent, 1.0, 2.0**exponent)):
        layout = lab.one_of(LAYOUTS)
        if routine == "trsm":
            yield triangles_case(lab, routine, layout, lab.one_of(SIDES), uplo, trans, NON_UNIT), scale
        else:
            yield triangle_case(lab, routine, layout, uplo, trans, NON_UNIT), scale


@pytest.mark.parametrize("routine", ["trsv", "tbsv", "tpsv", "trsm"])
def test_diagonals_may_be_so_small_or_large_that_their_squares_are_not_there(blas, lab, letter, routine):
    call = getattr(blas, f"cblas_{letter}{routine}")
    for outcome, scale in scaled_systems(lab, routine):
        for operand in outcome.operands:
            parts = operand.memory.view(operand.memory.real.dtype)
            parts *= parts.dtype.type(scale)
            operand.before[:] = operand.memory
        # alpha stays, and the solution with it
        lab.run(call, outcome.arguments)
        assert right(outcome, lab.eps), (outcome.arguments, scale)


@pytest.mark.parametrize("routine", ["trsv", "tbsv", "tpsv", "trsm"])
def test_parts_of_a_diagonal_may_be_of_any_size(f, vec, letter, routine):
    """Their sum may be too large for a number, and they may be of very different sizes."""
    small, large, least = (2.0**-100, 2.0**100, 2.0**-140) if letter == "c" else (2.0**-900, 2.0**900, 2.0**-1060)
    most = 0.9 * float(np.finfo(DTYPES[letter]).max)
    parts = (0.0, 1.0, -3.0, small, -large, least, most)
    for re, im, trans in product(parts, parts, TRANSPOSES):
        if re == im == 0:
            continue
        a, x, want = vec(1, 1), vec(1, 1), 0.5 - 0.25j
        a.memory[0] = complex(re, im)
        d = exact(a)[0].conj() if trans == CONJ else exact(a)[0]
        x.memory[0] = complex(d * np.clongdouble(want))
        head, matrix = (ROW, UPPER, trans, NON_UNIT), (a.address,) if routine == "tpsv" else (a.address, 1)
        if routine == "trsm":
            f(routine, COLUMN, RIGHT, *head[1:], 1, 1, 1 + 0j, *matrix, x.address, 1)
        else:
            f(routine, *head, 1, *((0,) if routine == "tbsv" else ()), *matrix, x)
        assert abs(x.memory[0] - want) <= 20 * eps(x), (re, im, trans)


# -- Hermitian matrices -------------------------------------------------------------------------------


class Ones(Lab):
    """All scalars are 1."""

    def scalar(self, real: bool = False) -> Any:
        return 1.0 if real else 1 + 0j


@pytest.mark.parametrize("routine", ["her", "her2", "hpr", "hpr2", "herk", "her2k"])
def test_a_diagonal_becomes_real_even_if_only_zeros_are_added(blas, guarded, letter, routine):
    lab = Ones(guarded, letter, 12)
    for layout, uplo, size in product(LAYOUTS, UPLOS, range(3)):
        case = lab, routine, layout, uplo
        outcome = rank_case(*case, NO) if "k" in routine else update_case(*case)
        a = outcome.written
        for read in outcome.operands:
            if read is not a:
                read.memory[:] = 0
        lab.run(getattr(blas, f"cblas_{letter}{routine}"), outcome.arguments)
        there = a.place >= 0
        if outcome.want is not None:  # of no terms at all, the matrix stays as it is
            assert np.array_equal(a.memory[a.place[there]], a.operand.values[there]), (layout, uplo, size)


@pytest.mark.parametrize(("layout", "transa", "transb"), [*product(LAYOUTS, TRANSPOSES, TRANSPOSES)])
def test_a_product_of_whole_numbers_is_exact(f, guarded, letter, layout, transa, transb):
    """Small ones, so that there is no tolerance in which a wrong sign could be: all that is added up is less than 2^24.
    Extents are more than one block of rows, of columns or of the sum."""
    rng, order = np.random.default_rng(2), "C" if layout == ROW else "F"
    for m, n, k in ((1, 1, 1), (3, 2, 4), (9, 17, 5), (40, 33, 70), (2, 3, 600), (3, 530, 270), (1100, 5, 260)):
        shapes = ((m, k) if transa == NO else (k, m), (k, n) if transb == NO else (n, k), (m, n))
        numbers = [rng.integers(-3, 4, shape) + 1j * rng.integers(-3, 4, shape) for shape in shapes]
        a, b = ({NO: v, TRANS: v.T, CONJ: v.conj().T}[t] for v, t in zip(numbers, (transa, transb), strict=False))
        memory, given = [], []
        for values in numbers:
            memory.append(guarded(values.size, DTYPES[letter]))
            memory[-1][:] = values.ravel(order)
            given.append((memory[-1].ctypes.data, values.shape[layout == ROW]))
        f("gemm", layout, transa, transb, m, n, k, 1 - 1j, *given[0], *given[1], 2j, *given[2])
        want = (1 - 1j) * (a @ b) + 2j * numbers[2]
        assert np.array_equal(memory[2], want.ravel(order)), (m, n, k)


@pytest.mark.parametrize(("layout", "transa", "transb"), [*product(LAYOUTS, TRANSPOSES, TRANSPOSES)])
def test_a_batch_of_products_is_one_after_the_other(f, guarded, letter, layout, transa, transb):
    rng, batch, order = np.random.default_rng(2), 3, "C" if layout == ROW else "F"
    for m, n, k in ((1, 1, 1), (3, 2, 4), (9, 17, 5)):
        shapes = ((m, k) if transa == NO else (k, m), (k, n) if transb == NO else (n, k), (m, n))
        parts = [rng.integers(-3, 4, (2, batch, *shape)) for shape in shapes]
        sets = [[*(re + 1j * im)] for re, im in parts]
        sets[1] = sets[1][:1] * batch  # one B for all
        memory, given = [], []
        for k_th, values in enumerate(sets):
            some = values[:1] if k_th == 1 else values
            memory.append(guarded(sum(v.size for v in some), DTYPES[letter]))
            memory[-1][:] = np.concatenate([v.ravel(order) for v in some])
            given.append((memory[-1].ctypes.data, values[0].shape[layout == ROW], 0 if k_th == 1 else values[0].size))
        f("gemm_batch_strided", layout, transa, transb, m, n, k, 1 - 1j, *given[0], *given[1], 2j, *given[2], batch)
        want = []
        for a, b, c in zip(*sets, strict=True):
            p, q = ({NO: v, TRANS: v.T, CONJ: v.conj().T}[t] for v, t in ((a, transa), (b, transb)))
            want.append(((1 - 1j) * (p @ q) + 2j * c).ravel(order))
        assert np.array_equal(memory[2], np.concatenate(want)), (m, n, k)
