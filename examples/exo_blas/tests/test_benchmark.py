"""The benchmark of the BLAS: its table knows every function, and what it calls is what the functions say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.blas import result
from benchmarks.blas_rivals import ROUTINES, Harness, Rival, parameters, plain
from benchmarks.blas_routines import LEVELS, Case, arguments, cases
from benchmarks.blas_summary import by_routine, overview
from benchmarks.blas_tables import Row as Measured
from benchmarks.blas_tables import csv_file, mean, ratio

SMALL = [c for level in LEVELS for c in cases(level) if c.dims.n <= 40 and c.dims.m <= 40 and c.dims.k <= 40]
"""A case for each routine, precision and variant would do: these are some more."""


def test_every_function_of_the_interface_is_measured() -> None:
    assert {c.function for level in LEVELS for c in cases(level)} == set(ROUTINES)


def test_arguments_are_as_many_as_parameters_and_arrays_where_there_are_pointers() -> None:
    for case in SMALL:
        given = arguments(case)
        for (_, name), value in zip(parameters(case.function), given, strict=True):
            assert isinstance(value, np.ndarray) == name.startswith("*"), (case.name, name)


def test_arrays_begin_with_a_cache_line_or_one_element_after() -> None:
    for level, elements in (("1", 0), ("unaligned", 1)):
        for case in cases(level, only=["sswap", "dswap"]):
            assert {v.ctypes.data % 64 for v in arguments(case)[1::2]} == {elements * arguments(case)[1].itemsize}


def test_a_matrix_has_room_for_its_rows_and_triangles_a_diagonal_of_ones() -> None:
    for case in SMALL:
        named = dict(zip((name for _, name in parameters(case.function)), arguments(case), strict=True))
        for name, (rows, ld) in case.routine.shapes(case.dims, case.variant).items():
            assert f"*{name}" not in named or named[f"*{name}"].size == rows * ld
        if case.routine.name in ("trmv", "tpmv", "tbmv"):
            ones = named["*ap" if case.routine.name == "tpmv" else "*a"] == 1
            assert np.count_nonzero(ones) == case.dims.n


@pytest.fixture(scope="module")
def harness() -> Harness:
    return Harness()


@pytest.fixture(scope="module")
def rival() -> Rival:
    return next(iter(plain()))


def called(harness: Harness, rival: Rival, case: Case) -> dict[str, np.ndarray]:
    """The arrays before and after a call, by name, and what it returned."""
    before, after = arguments(case), arguments(case)
    harness.seconds(rival, case.function, 1, after)
    names = [name.lstrip("*") for _, name in parameters(case.function)]
    found = {f"{n}0": np.array(v) for n, v in zip(names, before, strict=True)}
    found |= {n: np.array(v) for n, v in zip(names, after, strict=True)}
    return found | {"r": np.array(harness.returned(rival))}


def some_case(name: str, size: str) -> Case:
    return next(c for level in LEVELS for c in cases(level) if c.name == name and str(c.dims) == size)


def test_plain_loops_compute_a_sum(harness: Harness, rival: Rival) -> None:
    v = called(harness, rival, some_case("ddot", "33"))
    assert v["r"] == pytest.approx(v["x0"][:33] @ v["y0"][:33])


@pytest.mark.parametrize("inc", [2, -3])
def test_plain_loops_begin_at_the_last_element_if_an_increment_is_negative(
    harness: Harness, rival: Rival, inc: int
) -> None:
    v = called(harness, rival, some_case(f"daxpy inc {inc}", "33"))
    assert np.allclose(v["y"][: 33 * abs(inc) : abs(inc)], (v["y0"] + 0.5 * v["x0"])[: 33 * abs(inc) : abs(inc)])
    assert np.count_nonzero(v["y"] != v["y0"]) == 33


@pytest.mark.parametrize("variant", ["lnn", "lnu", "ltn", "ltu", "unn", "unu", "utn", "utu"])
def test_plain_loops_multiply_by_a_triangle_and_solve(harness: Harness, rival: Rival, variant: str) -> None:
    v = called(harness, rival, some_case(f"dtrmv_{variant}", "31"))
    a = v["a0"].reshape(31, 31)
    triangle = np.tril(a) if variant[0] == "l" else np.triu(a)
    triangle = triangle.T if variant[1] == "t" else triangle
    assert np.allclose(v["x"][:31], triangle @ v["x0"][:31], rtol=1e-12)
    w = called(harness, rival, some_case(f"dtrsv_{variant}", "31"))
    assert np.allclose(triangle @ w["x"][:31], w["x0"][:31], rtol=1e-12)


@pytest.mark.parametrize("variant", ["l", "u"])
def test_plain_loops_multiply_by_a_packed_triangle(harness: Harness, rival: Rival, variant: str) -> None:
    v = called(harness, rival, some_case(f"dspmv_{variant}", "31"))
    where = np.tril_indices(31) if variant == "l" else np.triu_indices(31)
    a = np.zeros((31, 31))
    a[where] = v["ap0"]
    a = a + a.T - np.diag(a.diagonal())
    assert np.allclose(v["y"][:31], v["y0"][:31] + 0.5 * a @ v["x0"][:31], rtol=1e-12)


def test_a_ratio_is_to_the_fastest_peer_that_has_the_case() -> None:
    row = Measured(some_case("saxpy", "33"), {"ours": 2.0, "a": 3.0, "b": 4.0}, 1.0)
    assert ratio(row, "ours", ("a", "b", "c")) == 1.5
    assert mean((0.5, 2.0)) == 1.0


def test_the_summary_has_the_means_of_what_was_written(tmp_path: Path) -> None:
    sizes = {"saxpy": ("33", "1000"), "daxpy": ("33",)}
    with csv_file(tmp_path, "1", ("ours, avx2", "ours, avx512", "a", "b")) as keep:
        for name, size in ((name, size) for name, some in sizes.items() for size in some):
            ours = {"ours, avx2": 2.0 if size == "33" else 4.0, "ours, avx512": 1.0}
            keep(Measured(some_case(name, size), {**ours, "a": 8.0, "b": 4.0}, 1.0))
    assert overview(tmp_path)[2] == [("Level 1", 3, pytest.approx(4 ** (1 / 3)), 4.0)]
    assert list(by_routine(tmp_path, "1")) == [("axpy", pytest.approx(2**0.5), 4.0, 2.0, 4.0)]


def test_functions_of_a_header_are_named_once() -> None:
    assert all(re.fullmatch(r"cblas_i?[sdcz]\w+", name) for name in ROUTINES)


def test_what_a_function_before_returned_is_no_result(harness: Harness, rival: Rival) -> None:
    dot, axpy = some_case("ddot", "7"), some_case("daxpy", "7")
    assert len(result(harness, rival, dot)) == 3
    assert len(result(harness, rival, axpy)) == 2
