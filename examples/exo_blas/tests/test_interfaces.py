"""The library's other names: those of Fortran, and those of both with 64-bit integers. What is called by one of them
does the same, bit by bit, as the CBLAS function in column-major order."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas
from examples.exo_blas.builder.routines import Routine, routines
from examples.exo_blas.tests.conftest import defining
from examples.exo_blas.tests.test_callers import LEVELS_2_AND_3, transposes, wrong_calls
from examples.exo_blas.tests.test_random import COMPLEX

LEVEL1 = ("asum", "axpy", "copy", "dot", "iamax", "rot", "rotg", "rotm", "rotmg", "scal", "swap")
LEVEL2 = ("gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv", "gbmv", "spr", "tpsv")
WRAPPERS = (*LEVEL1, *LEVEL2, "gemm", "symm", "syrk", "trmm", "trsm")
CASES = 12
ROOM = 400
LETTERS = {"TRANSPOSE": (b"NTC", 111), "UPLO": (b"UL", 121), "DIAG": (b"NU", 131), "SIDE": (b"LR", 141)}
FUNCTIONS = {p.name: p for p in routines()}


def is_single(p: Routine) -> bool:
    """Whether a function is about numbers of single precision, or pairs of them."""
    return p.fortran.removeprefix("i")[0] in "sc"


def drawn(p: Routine, rng: np.random.Generator) -> list[Any]:
    """Arguments: numbers as they are, flags as CBLAS has them, arrays for addresses. Sizes are up to 9, so that all
    arrays are large enough, also for complex numbers, which are pairs."""
    arguments: list[Any] = []
    for kind, name in (q.rsplit(" ", 1) for q in p.params.split(", ")):
        if kind == "CBLAS_LAYOUT":
            arguments.append(102)
        elif name.startswith("*"):
            single = "float" in kind or ("void" in kind and is_single(p))
            arguments.append(rng.uniform(0.5, 1.5, 2 * ROOM).astype(np.float32 if single else np.float64))
        elif kind == "CBLAS_TRANSPOSE":
            arguments.append(int(rng.choice(transposes(p))))
        elif kind.removeprefix("CBLAS_") in LETTERS:
            letters, first = LETTERS[kind.removeprefix("CBLAS_")]
            arguments.append(first + int(rng.integers(len(letters))))
        elif kind == "CBLAS_INT":
            given = {"k": (0, 3), "kl": (0, 3), "ku": (0, 3), "stridec": (1, 9)}.get(name, (0, 9))
            step = int(rng.choice([-2, -1, 1, 1, 3]))
            size = 11 if name.startswith("ld") else int(rng.integers(*given))
            arguments.append(step if name.startswith("inc") else size)
        else:
            number = rng.uniform(-2, 2)
            arguments.append(float(np.float32(number)) if kind == "float" else number)
    if p.fortran.endswith("rotm"):
        arguments[-1][0] = rng.choice([-2.0, -1.0, 0.0, 1.0])
    return arguments


def by_address(p: Routine, arguments: list[Any], integers: int) -> list[Any]:
    """The arguments as Fortran hands them over, without the layout."""
    numbers = {"float": ctypes.c_float, "double": ctypes.c_double}
    numbers["CBLAS_INT"] = ctypes.c_int64 if integers == 64 else ctypes.c_int32
    given: list[Any] = []
    for (kind, _), x in zip((q.rsplit(" ", 1) for q in p.params.split(", ")), arguments, strict=True):
        word = kind.removeprefix("CBLAS_")
        if isinstance(x, np.ndarray):
            given.append(ctypes.c_void_p(x.ctypes.data))
        elif word in LETTERS:
            letters, first = LETTERS[word]
            # what is no flag becomes no letter; small letters do as well
            at = x - first
            given.append(ctypes.c_char_p(letters[at : at + 1].lower() if 0 <= at < len(letters) else b"x"))
        elif word != "LAYOUT":
            given.append(ctypes.byref(numbers[kind](x)))
    return given


def result_of(p: Routine) -> Any:
    return {"float": ctypes.c_float, "double": ctypes.c_double, "void": None}.get(p.result, ctypes.c_int64)


class Pair(ctypes.Structure):
    """A complex number, as Fortran functions give it back."""

    _fields_ = (("re", ctypes.c_float), ("im", ctypes.c_float))


class LongPair(ctypes.Structure):
    _fields_ = (("re", ctypes.c_double), ("im", ctypes.c_double))


def call(blas: Cblas, p: Routine, arguments: list[Any], fortran: bool, integers: int) -> tuple[Any, list[Any]]:
    """What a function returns, and all that is in memory afterwards."""
    given = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    if fortran:
        function = blas.library[f"{p.fortran}{'_64' * (integers == 64)}_"]
        function.restype = result_of(p)
        if p.result == "CBLAS_INDEX":
            function.restype = ctypes.c_int64 if integers == 64 else ctypes.c_int32
        addresses = by_address(p, given, integers)
        if p.name.endswith("_sub"):  # what CBLAS writes to the last address
            function.restype = Pair if is_single(p) else LongPair
            pair = function(*addresses[:-1])
            given[-1][:2] = pair.re, pair.im
            returned = None
        else:
            returned = function(*addresses)
    else:
        returned = getattr(blas, p.name)(*(x.ctypes.data if isinstance(x, np.ndarray) else x for x in given))
    return returned, [x.tobytes() for x in given if isinstance(x, np.ndarray)]


@pytest.mark.parametrize(("fortran", "integers"), [(True, 32), (False, 64), (True, 64)])
def test_every_name_of_a_function_does_the_same(fortran, integers, version, blas_of):
    usual, other = blas_of(defining(*WRAPPERS), version), blas_of(defining(*WRAPPERS), version, integers)
    called = [p.fortran for p in same_by_other_names(usual, other, fortran, integers)]
    assert {re.sub("^i?[sd]", lambda found: found[0][:-1], name) for name in called} >= {*WRAPPERS}


@pytest.mark.parametrize(("fortran", "integers"), [(True, 32), (False, 64), (True, 64)])
def test_every_name_of_a_function_of_complex_numbers_does_the_same(fortran, integers, complex_version, blas_of):
    usual, other = blas_of(COMPLEX, complex_version), blas_of(COMPLEX, complex_version, integers)
    called = same_by_other_names(usual, other, fortran, integers)
    single = complex_version.letter == "c"
    assert {*called} >= {p for p in FUNCTIONS.values() if "void *" in p.params and is_single(p) == single}


def same_by_other_names(usual: Cblas, other: Cblas, fortran: bool, integers: int) -> list[Routine]:
    """The functions of a library, which by their other names do the same."""
    rng, called = np.random.default_rng(7), []
    for p in FUNCTIONS.values():
        if not hasattr(usual.library, p.name):
            continue
        called.append(p)
        for _ in range(CASES):
            arguments = drawn(p, rng)
            want, memory = call(usual, p, arguments, False, 32)
            if p.result == "CBLAS_INDEX" and fortran:  # counted from 1; 0 is for no elements
                n, _, inc = arguments
                want = want + 1 if n > 0 and inc > 0 else 0
            found, after = call(other, p, arguments, fortran, integers)
            shown = p.name, [x for x in arguments if not isinstance(x, np.ndarray)]
            np.testing.assert_equal(found, want, str(shown))
            assert after == memory, shown
    return called


TELL = """
import ctypes, json, sys
import numpy as np
from pathlib import Path
from examples.exo_blas.binding import Cblas
from examples.exo_blas.tests.test_interfaces import FUNCTIONS, by_address
own = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
own.exo_told.restype = ctypes.c_char_p
library, integers = ctypes.CDLL(sys.argv[2]), int(sys.argv[3])
none = np.empty(0)
for name, position, args in json.load(sys.stdin):
    own.exo_forget()
    p = FUNCTIONS[name]
    given = by_address(p, [none if a is None else a for a in args], integers)
    library[p.fortran + ("_64_" if integers == 64 else "_")](*given)
    told = own.exo_told().decode()
    if told != f"{position - 1} {p.fortran.upper():6}":
        print(name, args, "position", position - 1, "told", told)
"""

RECORD = """
#include <stdint.h>
#include <stdio.h>
static char told[64];
const char *exo_told(void) { return told; }
void exo_forget(void) { told[0] = 0; }
void xerbla_(const char *routine, const int32_t *position, size_t length) {
    if (!told[0]) snprintf(told, sizeof told, "%d %.*s", (int)*position, (int)length, routine);
}
void xerbla_64_(const char *routine, const int64_t *position, size_t length) {
    if (!told[0]) snprintf(told, sizeof told, "%d %.*s", (int)*position, (int)length, routine);
}
"""


@pytest.mark.parametrize("integers", [32, 64])
def test_every_wrong_argument_is_told_with_the_position_that_it_has_in_fortran(integers, version, blas_of, tmp_path):
    libraries = (blas_of(defining(*WRAPPERS), version), blas_of(defining(*WRAPPERS), version, integers))
    wrong_arguments_are_told(*libraries, integers, tmp_path)


@pytest.mark.parametrize("integers", [32, 64])
def test_every_wrong_argument_of_complex_numbers_is_told_likewise(integers, complex_version, blas_of, tmp_path):
    usual, other = blas_of(COMPLEX, complex_version), blas_of(COMPLEX, complex_version, integers)
    wrong_arguments_are_told(usual, other, integers, tmp_path)


def wrong_arguments_are_told(usual: Cblas, other: Cblas, integers: int, tmp_path: Path) -> None:
    library = Path(other.library._name)
    exported = [p for p in FUNCTIONS.values() if LEVELS_2_AND_3.match(p.name) and hasattr(usual.library, p.name)]
    calls = [(p.name, at, args) for p in exported for at, args in wrong_calls(p) if at > 1]
    assert len(calls) > 100
    record = tmp_path / "record.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", record], input=RECORD, text=True, check=True)
    command = [sys.executable, "-c", TELL, record, library, str(integers)]
    env = {**os.environ, "LD_PRELOAD": str(record)}
    done = subprocess.run(command, input=json.dumps(calls), capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
