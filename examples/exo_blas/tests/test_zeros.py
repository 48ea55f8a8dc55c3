"""With EXO_BLAS_ZEROS=skip, results are those of the reference where a zero meets what is infinite or no number."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from backends.targets import available
from examples.exo_blas.binding import NUMBERS, Cblas, load
from examples.exo_blas.builder.library import TARGETS
from examples.exo_blas.builder.routines import Routine, routines
from examples.exo_blas.builder.zeros import kind_of
from examples.exo_blas.conformance.netlib import fetched
from examples.exo_blas.tests.test_random import COMPLEX

LEAVING_OUT = tuple(r for r in routines() if kind_of(r))
KINDS = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
LD, LARGEST = 12, 7
TAKEN = {"syrk": (111, 112), "syr2k": (111, 112), "herk": (111, 113), "her2k": (111, 113)}
"""Transpositions that updates of complex numbers take."""
INF, NAN = float("inf"), float("nan")
SPECIAL = {"f": (INF, -INF, NAN), "c": (NAN, complex(2, NAN))}
"""What is put in, by kind."""
INFINITE = (INF, complex(-INF, 1), complex(2, INF), complex(0, -INF), *SPECIAL["c"])
"""What is put in where all is computed again. A complex product with an infinity may be no number without any zero,
and so may depend on what alpha is multiplied with."""


def with_skipping(blas: Cblas, isa: str, folder: Path) -> Cblas:
    """The library as it is with EXO_BLAS_ZEROS: a copy, as that is read when one is loaded."""
    copy = folder / "libexo_blas.so"
    shutil.copy(blas.library._name, copy)
    with patch.dict(os.environ, {"EXO_BLAS_ZEROS": "skip"}):
        return load(copy, isa)


@pytest.fixture(scope="module")
def pair(blas_of: Any, version: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Cblas, Cblas]:
    """A library as it is usually, and as it leaves out zeros."""
    folder = tmp_path_factory.mktemp("zeros")
    blas = blas_of(["both/zeros", "trmv", "trsv", "ger", "gemv", "trsm", "gemm"], version)
    return blas, with_skipping(blas, version.isa, folder)


@pytest.fixture(scope="module")
def complex_skipping(blas_of: Any, complex_version: Any, tmp_path_factory: pytest.TempPathFactory) -> Cblas:
    """A library of complex numbers, as it leaves out zeros."""
    blas = blas_of((*COMPLEX, "both/zeros"), complex_version)
    return with_skipping(blas, complex_version.isa, tmp_path_factory.mktemp("zeros"))


def run(blas: Cblas, name: str, *arguments: Any) -> None:
    """Call a function, with arrays by address."""
    getattr(blas, name)(*(a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments))


def test_a_zero_hides_an_infinite_column(pair, letter):
    usual, skipping = pair
    a = np.array([[1, INF], [0, 1]], KINDS[letter])
    for blas, expected in ((usual, NAN), (skipping, 3)):
        x = np.array([3, 0], KINDS[letter])
        run(blas, f"cblas_{letter}trmv", 102, 122, 111, 132, 2, a.T.copy(), 2, x, 1)  # by columns: the lower triangle
        assert x[0] == 3
        x = np.array([3, 0], KINDS[letter])
        run(blas, f"cblas_{letter}trmv", 102, 121, 111, 132, 2, a.T.copy(), 2, x, 1)
        assert np.array_equal(x, np.array([expected, 0], KINDS[letter]), equal_nan=True)


def test_a_zero_on_the_diagonal_of_a_zero_is_not_divided_by(pair, letter):
    usual, skipping = pair
    a = np.array([[0, 1], [0, 2]], KINDS[letter])
    for blas, expected in ((usual, NAN), (skipping, 0)):
        x = np.array([1, 2], KINDS[letter])  # of which the last gives 1, and the first 1 - 1
        run(blas, f"cblas_{letter}trsv", 102, 121, 111, 131, 2, a.T.copy(), 2, x, 1)
        assert np.array_equal(x, np.array([expected, 1], KINDS[letter]), equal_nan=True)


def test_what_the_reference_multiplies_stays_no_number(pair, letter):
    _, skipping = pair
    x = np.array([3, 0], KINDS[letter])
    a = np.array([[1, INF], [0, 1]], KINDS[letter])
    run(skipping, f"cblas_{letter}trmv", 101, 121, 111, 132, 2, a, 2, x, 1)  # by rows, it adds up dot products
    assert np.isnan(x[0])


def test_a_complex_number_is_not_multiplied_by_a_beta_of_1(complex_skipping, complex_version):
    """1 + 0i times an infinity is no number, and neither the reference nor a function without beta multiplies so."""
    kind = KINDS[complex_version.letter]
    one, x, y = np.array([1], kind), np.array([3j], kind), np.array([-1 - 2j, complex(0, INF)], kind)
    a = np.array([complex(INF, -1), 0], kind)
    run(complex_skipping, f"cblas_{complex_version.letter}geru", 102, 1, 2, one, x, 1, y, 1, a, 1)
    assert a[0] == complex(INF, -4)
    assert np.isnan(a[1])


def test_a_complex_number_is_not_multiplied_by_an_alpha_of_1(complex_skipping, complex_version):
    letter, kind = complex_version.letter, KINDS[complex_version.letter]
    for name, side, alpha in (("trsv", (), ()), ("trsm", (141,), (np.array([1], kind),))):
        a, x = np.array([NAN, 0, 0, NAN], kind), np.array([complex(INF, 1), NAN], kind)
        shape, steps = ((2, 1), 2) if side else ((2,), 1)
        run(complex_skipping, f"cblas_{letter}{name}", 102, *side, 122, 111, 132, *shape, *alpha, a, 2, x, steps)
        assert x[0] == complex(INF, 1), name
        assert np.isnan(x[1]), name


def test_a_complex_number_is_not_multiplied_by_a_unit_diagonal(complex_skipping, complex_version):
    a = np.array([NAN, 0, 0, NAN], KINDS[complex_version.letter])
    x = np.array([complex(INF, 1), NAN], a.dtype)
    run(complex_skipping, f"cblas_{complex_version.letter}trmv", 102, 122, 111, 132, 2, a, 2, x, 1)
    assert x[0] == complex(INF, 1)
    assert np.isnan(x[1])


def test_imaginary_parts_of_a_hermitian_diagonal_are_not_read(complex_skipping, complex_version):
    letter, real = complex_version.letter, NUMBERS["float" if complex_version.letter == "c" else "double"]
    x, one, two = np.array([1, 0], KINDS[letter]), real(1), real(2)
    given = np.array([complex(3, NAN), 0, 0, NAN], x.dtype)
    c = given.copy()
    run(complex_skipping, f"cblas_{letter}her", 102, 121, 2, one, x, 1, c, 2)
    assert c[0] == 4
    assert np.isnan(c[3])
    c = given.copy()
    run(complex_skipping, f"cblas_{letter}herk", 102, 121, 111, 2, 1, one, x, 2, two, c, 2)
    assert c[0] == 7
    assert np.isnan(c[3])


def test_wrong_arguments_are_told_before_anything_is_copied(pair, letter):
    library = pair[1].library._name
    call = f"ctypes.CDLL(sys.argv[1]).cblas_{letter}trmv(101, 121, 111, 132, 1 << 30, None, 7, None, 1)"
    environment = os.environ | {"EXO_BLAS_ZEROS": "skip"}
    command = [sys.executable, "-c", f"import ctypes, sys; {call}", library]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert done.returncode == 255
    assert done.stderr.startswith(f"Parameter 7 to routine cblas_{letter}trmv was incorrect\n")


def numbers(rng: np.random.Generator, count: int, kind: Any, special: Sequence[complex] = ()) -> np.ndarray:
    """Numbers, many of which are 0 and some are special."""
    found = rng.choice([0, 0, 1, -1, 2, 0.5], count).astype(kind)
    if found.dtype.kind == "c":
        found.imag = np.where(found.real == 0, rng.choice([0, 0, 0, 1], count), rng.choice([0, 1, -1], count))
    if special:
        chosen = rng.random(count) < 0.06
        found[chosen] = rng.choice(special, np.count_nonzero(chosen))
    return found


def drawn(rng: np.random.Generator, r: Routine, special: Sequence[complex] = ()) -> Mapping[str, Any]:
    """Arguments of a function, by name."""
    letter, short = r.fortran[0], r.fortran[1:]
    kind = KINDS[letter]
    m, n, k = (int(v) for v in rng.integers(1, LARGEST + 1, 3))
    found: dict[str, Any] = {"m": m, "n": n, "k": k % 4 if short.startswith("tb") else k}
    found |= {"layout": rng.choice([101, 102]), "uplo": rng.choice([121, 122]), "diag": rng.choice([131, 132])}
    found |= {"side": rng.choice([141, 142]), "incx": rng.choice([1, 2, -1, -2]), "incy": rng.choice([1, 2, -1])}
    found["trans"] = rng.choice(TAKEN.get(short, (111, 112, 113)) if letter in "cz" else (111, 112, 113))
    found |= dict.fromkeys(("lda", "ldb", "ldc"), LD)
    special = special or SPECIAL[np.dtype(kind).kind]
    for name in ("alpha", "beta"):
        found[name] = numbers(rng, 1, kind) if rng.random() < 0.7 else np.ones(1, kind)
    for name in ("a", "b", "c", "x", "y", "ap"):
        found[name] = numbers(rng, LD * LD, kind, special)
    return found


def written(r: Routine) -> str:
    """The array that a function writes."""
    return next(p.name for p in r.parameters if "*" in p.declared and "const" not in p.declared)


def results(function: Any, r: Routine, given: Mapping[str, Any]) -> np.ndarray:
    """What a function of a library makes of copies of arguments."""
    copies = {name: v.copy() if isinstance(v, np.ndarray) else int(v) for name, v in given.items()}
    arguments: list[Any] = []
    for p in r.parameters:
        kind, value = p.declared.split()[0], copies[p.name]
        if "*" in p.declared:
            arguments.append(ctypes.c_void_p(value.ctypes.data))
        elif isinstance(value, np.ndarray):
            arguments.append(NUMBERS[kind](value.real[0]))
        else:
            arguments.append(ctypes.c_int(value))
    function.argtypes, function.restype = None, None
    function(*arguments)
    found: np.ndarray = copies[written(r)]
    return found


def leaves_out(given: Mapping[str, Any], r: Routine) -> bool:
    """Whether the reference leaves something out in a call."""
    names = {p.name for p in r.parameters}
    row_major = given["layout"] == 101
    left = "side" not in names or (given["side"] == 141) != row_major
    turned = "trans" in names and (given["trans"] != 111) != (row_major and "side" not in names)
    alpha = given["alpha"][0] if "alpha" in names else 1
    return not (left and turned) and alpha != 0 and (alpha.real != 0 or "const void *alpha" in r.params)


@pytest.fixture
def libraries(blas_of, plain, tmp_path) -> tuple[ctypes.CDLL, Iterator[tuple[Cblas, Cblas]]]:
    """The reference, and for each instruction set the library as it is usually, and as it leaves out zeros."""
    folder = fetched("reference", ["libblas3"])
    if folder is None:
        pytest.skip("the reference can't be got")
    if not os.environ.get("EXO_BLAS_LIBRARY"):
        pytest.skip("of a whole library: make blas-all")
    usual = {m.name: blas_of([], plain._replace(isa=m.name)) for m in TARGETS if available(m)}
    found = ((blas, with_skipping(blas, isa, tmp_path)) for isa, blas in usual.items())
    return ctypes.CDLL(str(next(folder.rglob("libblas.so.3")))), found


def parts(numbers: np.ndarray) -> np.ndarray:
    """Numbers as reals."""
    return numbers.view(numbers.real.dtype)


@pytest.mark.whole_blas
def test_random_calls_are_as_the_references(libraries):
    reference, ours = libraries
    for _, skipping in ours:
        rng = np.random.default_rng(11)
        for r in LEAVING_OUT * 40:
            given = drawn(rng, r)
            found, expected = (results(lib[r.name], r, given) for lib in (skipping.library, reference))
            assert np.array_equal(np.isnan(found), np.isnan(expected)), (r.name, given)
            finite = np.isfinite(found) & np.isfinite(expected)
            assert np.allclose(found[finite], expected[finite], rtol=1e-2, atol=1e-2), (r.name, given)


@pytest.mark.whole_blas
def test_what_is_computed_again_is_the_references_part_by_part(libraries):
    """Where the usual result has a new part that is no number, complex infinities are as the reference's, too."""
    reference, ours = libraries
    for usual, skipping in ours:
        rng, compared = np.random.default_rng(12), dict.fromkeys(LEAVING_OUT, 0)
        for r in LEAVING_OUT * 60:
            given = drawn(rng, r, INFINITE if r.fortran[0] in "cz" else ())
            before, after = (np.isnan(parts(v)) for v in (given[written(r)], results(usual.library[r.name], r, given)))
            if leaves_out(given, r) and np.any(after > before):
                found, expected = (parts(results(lib[r.name], r, given)) for lib in (skipping.library, reference))
                assert np.allclose(found, expected, rtol=1e-2, atol=1e-2, equal_nan=True), (r.name, given)
                compared[r] += 1
        assert min(compared.values()) > 0
