"""Level 1 of the library against NumPy: every instruction set, size, increment and kind of number.

Vectors lie between pages that trap, so that a read or a write beyond an end ends the test.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas, load
from examples.exo_blas.builder.units import Unit, units
from examples.exo_blas.tests.conftest import Version

WRAPPERS = ("axpy", "both/copy", "both/norms", "both/rot", "both/swap", "dot", "dsdot", "iamax", "rotg", "rotm")
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 1000, 2047, 2048, 2049, 5000)
STEPS = (1, -1, 2, -3, 0)


@dataclass(frozen=True)
class Vec:
    """A vector of CBLAS: memory, increment, and the elements in order as a view of it."""

    memory: np.ndarray
    inc: int
    n: int

    @property
    def address(self) -> int:
        return self.memory.ctypes.data

    @property
    def view(self) -> np.ndarray:
        first = (1 - self.n) * self.inc if self.inc < 0 else 0
        step = self.memory.itemsize * self.inc
        return np.lib.stride_tricks.as_strided(self.memory[first:], (self.n,), (step,))


@pytest.fixture(scope="module")
def blas(version: tuple[str, str], blas_of: Callable[..., Cblas]) -> Cblas:
    return blas_of(WRAPPERS, version)


@pytest.fixture
def vec(guarded: Callable[..., np.ndarray], letter: str) -> Callable[..., Vec]:
    rng = np.random.default_rng(7)

    def make(n: int, inc: int, at_end: bool = True, dtype: str = "") -> Vec:
        dtype = dtype or ("f4" if letter == "s" else "f8")
        memory = guarded(1 + (max(n, 1) - 1) * abs(inc), dtype, at_end)
        memory[:] = rng.uniform(-1, 1, len(memory))
        return Vec(memory, inc, max(n, 0))

    return make


def cases() -> Iterator[tuple[int, int, int, bool]]:
    """Sizes and increments: all sizes for neighbours, some for the rest; at either end of a page."""
    for n in SIZES:
        yield n, 1, 1, True
        yield n, 1, 1, False
    for n in (0, 1, 2, 7, 33, 100, 2049):
        for incx in STEPS:
            for incy in STEPS:
                if (incx, incy) != (1, 1):
                    yield n, incx, incy, n % 2 == 0


def exact(v: Vec) -> np.ndarray:
    """The elements in more than double precision."""
    return v.view.astype(np.result_type(v.memory, np.longdouble))


def eps(v: Vec) -> float:
    return float(np.finfo(v.memory.dtype).eps)


def f(blas: Cblas, letter: str, routine: str) -> Callable[..., float]:
    name = f"cblas_i{letter}{routine[1:]}" if routine.startswith("i") else f"cblas_{letter}{routine}"
    return getattr(blas, name)


# -- sums ---------------------------------------------------------------------------------------------


def test_dot_is_as_exact_as_a_sum_in_any_order(blas, letter, vec):
    for n, incx, incy, at_end in cases():
        x, y = vec(n, incx, at_end), vec(n, incy, at_end)
        found = f(blas, letter, "dot")(n, x.address, incx, y.address, incy)
        products = exact(x) * exact(y)
        assert abs(found - products.sum()) <= (n + 1) * eps(x) * np.abs(products).sum(), (n, incx, incy)


def test_dot_in_double_precision(blas, vec):
    for n, incx, incy, at_end in cases():
        x, y = vec(n, incx, at_end, "f4"), vec(n, incy, at_end, "f4")
        products = exact(x) * exact(y)
        bound = (n + 1) * 2.0**-52 * np.abs(products).sum()
        assert abs(blas.cblas_dsdot(n, x.address, incx, y.address, incy) - products.sum()) <= bound
        rounded = blas.cblas_sdsdot(n, 0.5, x.address, incx, y.address, incy)
        assert abs(rounded - (products.sum() + np.longdouble(0.5))) <= bound + 2.0**-23 * (abs(rounded) + 1e-30)


def test_asum(blas, letter, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        found = f(blas, letter, "asum")(n, x.address, incx)
        want = np.abs(exact(x)).sum() if incx > 0 else 0
        assert abs(found - want) <= (n + 1) * eps(x) * want, (n, incx)


def test_nrm2(blas, letter, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        for scale in (1.0, 1e30, 1e-30, 1e-42) if letter == "s" else (1.0, 1e300, 1e-300, 1e-318):
            big = vec(n, incx, at_end)
            big.memory[:] = x.memory * scale
            want = np.sqrt((exact(big) ** 2).sum())
            found = f(blas, letter, "nrm2")(n, big.address, incx)
            least = np.finfo(x.memory.dtype).smallest_subnormal
            assert abs(found - want) <= (n + 3) * eps(x) * want + least, (n, scale)


def test_nrm2_of_what_is_no_number(blas, letter, vec):
    for special, want in ((np.inf, np.inf), (-np.inf, np.inf), (np.nan, np.nan)):
        for n in (1, 5, 100):
            x = vec(n, 1)
            x.memory[n // 2] = special
            assert np.array_equal(f(blas, letter, "nrm2")(n, x.address, 1), want, equal_nan=True)


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_sums_pass_on_what_is_no_number(blas, letter, vec, special):
    for n in (1, 8, 33, 100):
        for k in {0, n // 2, n - 1}:
            x, y = vec(n, 1), vec(n, 1)
            x.memory[k], y.memory[k] = special, 1
            assert np.array_equal(f(blas, letter, "dot")(n, x.address, 1, y.address, 1), special, equal_nan=True)
            assert np.array_equal(f(blas, letter, "asum")(n, x.address, 1), special, equal_nan=True)


# -- updates ------------------------------------------------------------------------------------------


def one_by_one(x: Vec, y: Vec, step: Callable[[Any, Any], tuple[Any, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """What the reference leaves in memory, element by element."""
    kind = np.result_type(x.memory, np.longdouble)
    a, b = (Vec(v.memory.astype(kind), v.inc, v.n) for v in (x, y))
    to, into = a.view, b.view
    for i in range(x.n):
        to[i], into[i] = step(to[i], into[i])
    return a.memory, b.memory


UPDATES = {
    "axpy": (lambda x, y: (x, np.longdouble(0.75) * x + y), lambda g, n, x, y: g(n, 0.75, *x, *y)),
    "copy": (lambda x, y: (x, x), lambda g, n, x, y: g(n, *x, *y)),
    "swap": (lambda x, y: (y, x), lambda g, n, x, y: g(n, *x, *y)),
    "rot": (lambda x, y: (x * 0.75 + y * 0.5, y * 0.75 - x * 0.5), lambda g, n, x, y: g(n, *x, *y, 0.75, 0.5)),
}


@pytest.mark.parametrize("routine", sorted(UPDATES))
def test_an_update_is_that_of_the_reference(blas, letter, vec, routine):
    step, call = UPDATES[routine]
    for n, incx, incy, at_end in cases():
        if n > 300 and (incx, incy) != (1, 1):
            continue
        x, y = vec(n, incx, at_end), vec(n, incy, at_end)
        wanted = one_by_one(x, y, step)
        call(f(blas, letter, routine), n, (x.address, incx), (y.address, incy))
        tolerance = 4 * eps(x) * max(n if 0 in (incx, incy) else 1, 1)
        np.testing.assert_allclose(x.memory, wanted[0].astype(x.memory.dtype), rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(y.memory, wanted[1].astype(x.memory.dtype), rtol=tolerance, atol=tolerance)


def test_scal(blas, letter, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        want = x.memory.copy()
        if incx > 0:
            want[::incx][:n] *= want.dtype.type(0.75)
        f(blas, letter, "scal")(n, 0.75, x.address, incx)
        assert np.array_equal(x.memory, want), (n, incx)


def test_scal_by_zero_passes_on_what_is_no_number(blas, letter, vec):
    x = vec(40, 1)
    x.memory[7] = np.nan
    f(blas, letter, "scal")(40, 0.0, x.address, 1)
    assert np.isnan(x.memory[7])
    assert np.count_nonzero(x.memory) == 1


@pytest.mark.parametrize("flag", [-2, -1, 0, 1])
def test_rotm(blas, letter, vec, flag):
    h = np.array([flag, 0.5, -0.75, 0.25, 1.5], "f4" if letter == "s" else "f8")
    h11, h21, h12, h22 = {-2: (1, 0, 0, 1), -1: h[1:], 0: (1, h[2], h[3], 1), 1: (h[1], -1, 1, h[4])}[flag]
    for n, incx, incy, at_end in cases():
        if n > 300 and (incx, incy) != (1, 1):
            continue
        x, y = vec(n, incx, at_end), vec(n, incy, at_end)
        wanted = one_by_one(x, y, lambda a, b: (h11 * a + h12 * b, h21 * a + h22 * b))
        f(blas, letter, "rotm")(n, x.address, incx, y.address, incy, h.ctypes.data)
        steps = max(n, 1) if 0 in (incx, incy) else 1
        for found, want in zip((x.memory, y.memory), wanted, strict=True):
            scale = max(1.0, float(np.abs(want).max()))
            np.testing.assert_allclose(found, want.astype(found.dtype), rtol=0, atol=8 * eps(x) * steps * scale)


@pytest.mark.parametrize("routine", ["rot", "rotm", "axpy"])
def test_an_element_becomes_the_same_wherever_it_is(blas, letter, vec, routine):
    """To the last bit, in a vector or left over: LAPACK's tests compare what was computed with other sizes."""
    c, s = 0.8125, 0.30078125
    h = np.array([-1, 0.7, 0.3, -0.6, 1.1], "f4" if letter == "s" else "f8")
    calls = {
        "rot": lambda n, x, y: (n, x, 1, y, 1, c, s),
        "rotm": lambda n, x, y: (n, x, 1, y, 1, h.ctypes.data),
        "axpy": lambda n, x, y: (n, c, x, 1, y, 1),
    }
    for n in (1, 5, 8, 19, 40, 67):
        x, y = vec(n, 1), vec(n, 1)
        alone = x.memory.copy(), y.memory.copy()
        f(blas, letter, routine)(*calls[routine](n, x.address, y.address))
        for i in range(n):
            f(blas, letter, routine)(*calls[routine](1, *(v[i:].ctypes.data for v in alone)))
        assert np.array_equal(x.memory, alone[0]) and np.array_equal(y.memory, alone[1]), n


# -- the largest --------------------------------------------------------------------------------------


def largest(x: np.ndarray) -> int:
    """The reference: a later one only counts if it is larger."""
    best = 0
    for i in range(len(x)):
        if abs(x[i]) > abs(x[best]):
            best = i
    return best


def test_iamax_is_the_first_of_the_largest(blas, letter, vec):
    for n, incx, _, at_end in cases():
        x = vec(n, incx, at_end)
        want = largest(x.view) if n > 0 and incx > 0 else 0
        assert f(blas, letter, "iamax")(n, x.address if incx > 0 else None, incx) == want, (n, incx)


def test_iamax_with_equals_and_with_what_is_no_number(blas, letter, vec):
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 8, 9, 31, 40, 64, 100, 2500):
        for values in ([1, -1], [0], [np.nan, 1, 2], [np.inf, -np.inf, np.nan, 1], [np.nan]):
            for incx in (1, 2):
                x = vec(n, incx)
                x.view[:] = rng.choice(values, n)
                assert f(blas, letter, "iamax")(n, x.address, incx) == largest(x.view), (n, values)


# -- plane rotations ----------------------------------------------------------------------------------


def test_rotg(blas, letter):
    dtype = "f4" if letter == "s" else "f8"
    size = 1e30 if letter == "s" else 1e300
    for a, b in ((3, 4), (-3, 4), (4, -3), (0, 2), (2, 0), (0, 0), (size, size), (1 / size, 1 / size)):
        v = np.array([a, b, 0, 0], dtype)
        f(blas, letter, "rotg")(*(v.ctypes.data + v.itemsize * i for i in range(4)))
        r, z, c, s = (float(e) for e in v)
        np.testing.assert_allclose([c * a + s * b, c * b - s * a], [r, 0], rtol=1e-6, atol=1e-6 * abs(r))
        np.testing.assert_allclose(c * c + s * s, 1, rtol=1e-6)
        want = 0 if b == 0 else 1 if a == 0 else s if abs(a) > abs(b) else 1 / c
        np.testing.assert_allclose(z, want, rtol=1e-6)


def test_rotmg_makes_the_second_entry_zero(blas, letter):
    dtype = "f4" if letter == "s" else "f8"
    for d1, d2, x, y in ((1, 2, 3, 4), (2, 1, 4, 3), (1e-8, 3, 2, 1), (3e8, 2, 1, 1), (1, -0.25, 1, 1), (1, 1, 1, 0)):
        v, h = np.array([d1, d2, x], dtype), np.zeros(5, dtype)
        f(blas, letter, "rotmg")(*(v.ctypes.data + v.itemsize * i for i in range(3)), y, h.ctypes.data)
        full = {-2: (1, 0, 0, 1), -1: h[1:], 0: (1, h[2], h[3], 1), 1: (h[1], -1, 1, h[4])}[int(h[0])]
        h11, h21, h12, h22 = map(float, full)
        np.testing.assert_allclose(h11 * x + h12 * y, v[2], rtol=1e-5)
        np.testing.assert_allclose(h21 * x + h22 * y, 0, atol=1e-5 * max(abs(h21 * x), 1e-30))
        # sqrt(d) (x, y) keeps its length
        np.testing.assert_allclose(v[0] * float(v[2]) ** 2, d1 * x * x + d2 * y * y, rtol=1e-4)


def test_nothing_is_done_for_no_elements(blas, letter, vec):
    x, y = vec(4, 1), vec(4, 1)
    before = x.memory.copy(), y.memory.copy()
    for n in (0, -1):
        f(blas, letter, "axpy")(n, 2.0, x.address, 1, y.address, 1)
        f(blas, letter, "scal")(n, 2.0, x.address, 1)
        f(blas, letter, "swap")(n, x.address, 1, y.address, 1)
        assert f(blas, letter, "dot")(n, x.address, 1, y.address, 1) == 0
        assert f(blas, letter, "nrm2")(n, x.address, 1) == 0
        assert f(blas, letter, "iamax")(n, x.address, 1) == 0
    assert np.array_equal(x.memory, before[0]) and np.array_equal(y.memory, before[1])


@pytest.mark.parametrize("first", [0, 1, 7])
def test_copies_that_pass_the_caches(blas, letter, vec, first):
    """From 10 MB on. What is written begins anywhere in a line, and ends at a page that traps."""
    n = (10 << 20) // (4 if letter == "s" else 8) + first
    x, y = vec(n, 1), vec(29 + n, 1)
    before = y.memory[:29].copy()
    f(blas, letter, "copy")(n, x.address, 1, y.memory[29:].ctypes.data, 1)
    assert np.array_equal(y.memory[29:], x.memory) and np.array_equal(y.memory[:29], before)


# -- entry points -------------------------------------------------------------------------------------


def test_a_library_with_vectors_has_the_plain_versions_too(blas_of, best):
    fast = blas_of(WRAPPERS, best)
    plain = load(Path(fast.library._name), "c")
    x = np.arange(7, dtype="f4")
    for blas, isa in ((fast, best.isa), (plain, "c")):
        blas.library.exo_blas_isa.restype = ctypes.c_char_p
        assert blas.library.exo_blas_isa().decode() == isa
        assert blas.cblas_sdot(7, x.ctypes.data, 1, x.ctypes.data, 1) == 91


def test_functions_of_level_1_are_entry_points_themselves():
    assert Unit("dot", "f64").direct and Unit("complex/dot", "f64").direct
    assert not Unit("gemv", "f64").direct and not Unit("complex/gemv", "f64").direct


def on_the_way(code: str) -> str:
    """The instructions of an entry point before it jumps as there are no vectors, and then to the plain version."""
    before, jump, rest = re.split(r"\tj\w+ +(\w+) ", code, maxsplit=1)
    assert "<exo_wide>" in before
    there, to, _ = rest.partition(f"{jump}:")[2].partition("\tjmp")
    assert to, code
    return before + there


def test_a_processor_without_vectors_meets_no_instruction_of_theirs(blas_of):
    """Theirs begin with a v. Entry points are those for AVX2."""
    if shutil.which("objdump") is None:
        pytest.skip("there is no objdump")
    library = blas_of(WRAPPERS, Version("avx2", "s")).library
    command = ["objdump", "-d", "--no-show-raw-insn", library._name]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "__asan" in text:
        pytest.skip("a sanitizer adds code of its own")
    functions = re.findall(r"<(cblas_[a-z0-9_]+)>:\n((?:.+\n)+)", text)
    entries = {name for name, code in functions if "<exo_wide>" in code}
    assert entries == {r for u in units() if u.direct for r in u.routines() if hasattr(library, r)} > {"cblas_saxpy"}
    assert not [name for name, code in functions if name in entries and re.search(r"\tv\w+", on_the_way(code))]


def test_a_wrapper_asks_for_flags():
    assert Unit("axpy", "f32").flags(vectors=True) == ("-fno-tree-vectorize",)
    assert Unit("axpy", "f32").flags(vectors=False) == ()
    assert Unit("gemm", "f32").flags(vectors=False)[:2] == ("-ffp-contract=off", "-O2")
    assert Unit("rotm", "f32").flags(vectors=True) == ("-mtune=skylake", "-falign-loops=32")
    assert Unit("iamax", "f32").flags(vectors=True) == ()
