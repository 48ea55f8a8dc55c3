"""With EXO_BLAS_ZEROS=skip, results are those of the reference where a zero meets what is infinite or no number."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
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

LEAVING_OUT = tuple(r for r in routines() if kind_of(r))
KINDS = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
LD, LARGEST = 12, 7
TAKEN = {"syrk": (111, 112), "syr2k": (111, 112), "herk": (111, 113), "her2k": (111, 113)}
"""Transpositions that updates of complex numbers take."""
SPECIAL = {"f": (np.inf, -np.inf, np.nan), "c": (np.nan,)}
"""What is put in, by kind. A complex product with an infinity may be no number without any zero, and so may depend on
what alpha is multiplied with."""
INF, NAN = float("inf"), float("nan")


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


def test_wrong_arguments_are_told_before_anything_is_copied(pair, letter):
    library = pair[1].library._name
    call = f"ctypes.CDLL(sys.argv[1]).cblas_{letter}trmv(101, 121, 111, 132, 1 << 30, None, 7, None, 1)"
    environment = os.environ | {"EXO_BLAS_ZEROS": "skip"}
    command = [sys.executable, "-c", f"import ctypes, sys; {call}", library]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert done.returncode == 255
    assert done.stderr.startswith(f"Parameter 7 to routine cblas_{letter}trmv was incorrect\n")


def numbers(rng: np.random.Generator, count: int, kind: Any, special: bool = True) -> np.ndarray:
    """Numbers, many of which are 0 and some no numbers."""
    found = rng.choice([0, 0, 1, -1, 2, 0.5], count).astype(kind)
    if found.dtype.kind == "c":
        found.imag = np.where(found.real == 0, rng.choice([0, 0, 0, 1], count), rng.choice([0, 1, -1], count))
    if special:
        found[rng.random(count) < 0.06] = rng.choice(SPECIAL[found.dtype.kind])
    return found


def drawn(rng: np.random.Generator, r: Routine) -> Mapping[str, Any]:
    """Arguments of a function, by name."""
    letter, short = r.fortran[0], r.fortran[1:]
    kind = KINDS[letter]
    m, n, k = (int(v) for v in rng.integers(1, LARGEST + 1, 3))
    found: dict[str, Any] = {"m": m, "n": n, "k": k % 4 if short.startswith("tb") else k}
    found |= {"layout": rng.choice([101, 102]), "uplo": rng.choice([121, 122]), "diag": rng.choice([131, 132])}
    found |= {"side": rng.choice([141, 142]), "incx": rng.choice([1, 2, -1, -2]), "incy": rng.choice([1, 2, -1])}
    found["trans"] = rng.choice(TAKEN.get(short, (111, 112, 113)) if letter in "cz" else (111, 112, 113))
    found |= dict.fromkeys(("lda", "ldb", "ldc"), LD)
    for name in ("alpha", "beta"):
        found[name] = numbers(rng, 1, kind, special=False)
    for name in ("a", "b", "x", "y", "ap"):
        found[name] = numbers(rng, LD * LD, kind)
    return found | {"c": numbers(rng, LD * LD, kind, special=False)}


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
    written: np.ndarray = copies[next(p.name for p in r.parameters if "*" in p.declared and "const" not in p.declared)]
    return written


@pytest.mark.whole_blas
def test_random_calls_are_as_the_references(blas_of, plain, tmp_path):
    folder = fetched("reference", ["libblas3"])
    if folder is None:
        pytest.skip("the reference can't be got")
    if not os.environ.get("EXO_BLAS_LIBRARY"):
        pytest.skip("of a whole library: make blas-all")
    reference = ctypes.CDLL(str(next(folder.rglob("libblas.so.3"))))
    for machine in filter(available, TARGETS):
        skipping = with_skipping(blas_of([], plain._replace(isa=machine.name)), machine.name, tmp_path)
        rng = np.random.default_rng(11)
        for r in LEAVING_OUT * 40:
            given = drawn(rng, r)
            ours, theirs = (results(lib[r.name], r, given) for lib in (skipping.library, reference))
            assert np.array_equal(np.isnan(ours), np.isnan(theirs)), (r.name, given)
            finite = np.isfinite(ours) & np.isfinite(theirs)
            assert np.allclose(ours[finite], theirs[finite], rtol=1e-2, atol=1e-2), (r.name, given)
