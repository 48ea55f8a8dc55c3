"""The benchmark of the BLAS: its table knows every function, and what it calls is what the functions say."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.blas import disagreeing, result
from benchmarks.blas_rivals import (
    BY_HAND,
    PLAIN_C,
    ROUTINES,
    Harness,
    Rival,
    missing,
    opened,
    parameters,
    plain,
    plain_by,
)  # fmt: skip
from benchmarks.blas_routines import LEVELS, Case, arguments, cases
from benchmarks.blas_summary import by_function, overview
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


def test_the_summary_has_the_means_and_the_least_of_what_was_written(tmp_path: Path) -> None:
    sizes = {"saxpy": ("33", "1000"), "daxpy": ("33",)}
    for isa, ours in (("avx2", {"33": 2.0, "1000": 4.0}), ("avx512", {"33": 1.0, "1000": 1.0})):
        with csv_file(tmp_path, "1", isa, (f"ours, {isa}", "a", "b")) as keep:
            for name, size in ((name, size) for name, some in sizes.items() for size in some):
                keep(Measured(some_case(name, size), {f"ours, {isa}": ours[size], "a": 8.0, "b": 4.0}, 1.0))
    assert overview(tmp_path)[2] == [("Level 1", 3, "1.59 (1.00)", "4.00 (4.00)")]
    saxpy, daxpy = by_function(tmp_path, "1")
    assert saxpy == ("saxpy", "1.41 (1.00)", "4.00 (4.00)")
    assert daxpy == ("daxpy", "2.00 (2.00)", "4.00 (4.00)")


def test_functions_of_a_header_are_named_once() -> None:
    assert all(re.fullmatch(r"cblas_i?[sdcz]\w+", name) for name in ROUTINES)


def test_what_a_function_before_returned_is_no_result(harness: Harness, rival: Rival) -> None:
    dot, axpy = some_case("ddot", "7"), some_case("daxpy", "7")
    assert len(result(harness, rival, dot)) == 3
    assert len(result(harness, rival, axpy)) == 2


@pytest.mark.parametrize("variant", ["lln", "llt", "lun", "lut", "rln", "rlt", "run", "rut"])
def test_plain_loops_multiply_matrices_by_triangles_and_solve(harness: Harness, rival: Rival, variant: str) -> None:
    side, uplo, trans = tuple(variant)
    for diag in "nu":
        v = called(harness, rival, some_case(f"dtrmm_{variant}{diag}", "31"))
        a, b = v["a0"].reshape(31, 31), v["b0"].reshape(31, 31)
        triangle = np.tril(a) if uplo == "l" else np.triu(a)
        triangle = triangle if trans == "n" else triangle.T
        product = triangle @ b if side == "l" else b @ triangle
        assert np.allclose(v["b"].reshape(31, 31), -product, rtol=1e-12)
        w = called(harness, rival, some_case(f"dtrsm_{variant}{diag}", "31"))
        x = w["b"].reshape(31, 31)
        assert np.allclose(triangle @ x if side == "l" else x @ triangle, -w["b0"].reshape(31, 31), rtol=1e-12)


@pytest.mark.parametrize("variant", ["ln", "lt", "un", "ut"])
def test_plain_loops_update_a_triangle(harness: Harness, rival: Rival, variant: str) -> None:
    for name in ("dsyrk", "dsyr2k"):
        v = called(harness, rival, some_case(f"{name}_{variant}", "31"))
        a = v["a0"].reshape(31, 31) if variant[1] == "n" else v["a0"].reshape(31, 31).T
        b = a if name == "dsyrk" else v["b0"].reshape(31, 31) if variant[1] == "n" else v["b0"].reshape(31, 31).T
        added = 0.5 * a @ b.T + (0 if name == "dsyrk" else 0.5 * b @ a.T)
        half = np.tril if variant[0] == "l" else np.triu
        assert np.allclose(v["c"].reshape(31, 31), v["c0"].reshape(31, 31) + half(added), rtol=1e-12)


@pytest.mark.parametrize("variant", ["ll", "lu", "rl", "ru"])
def test_plain_loops_multiply_by_a_symmetric_matrix(harness: Harness, rival: Rival, variant: str) -> None:
    v = called(harness, rival, some_case(f"dsymm_{variant}", "31"))
    a, b = v["a0"].reshape(31, 31), v["b0"].reshape(31, 31)
    a = np.tril(a) + np.tril(a, -1).T if variant[1] == "l" else np.triu(a) + np.triu(a, 1).T
    product = a @ b if variant[0] == "l" else b @ a
    assert np.allclose(v["c"].reshape(31, 31), v["c0"].reshape(31, 31) + 0.5 * product, rtol=1e-12)


# -- the comparison of results, knocked out: what must be found --------------------------------------------------

KNOCKED_OUT = {
    "a triangle is taken for its diagonal": ("to = IS_LOWER ? i : last", "to = from", ("strmv_lnn", "1000")),
    "of a large triangle, too": ("to = IS_LOWER ? i : last", "to = from", ("dtrsv_unn", "2000")),
    "the first column of a triangle is left out": ("TO_LOWER(0)", "TO_LOWER(1)", ("strmv_lnn", "255")),
    "another row of A in a product": ("ROW(a, i)[l]", "ROW(a, i ^ 1)[l]", ("sgemm_nn", "128")),
    "the last column of C": ("F(axpy_)(n, alpha * (transa", "F(axpy_)(n - 1, alpha * (transa", ("sgemm_nn", "256")),
    "the last product of a sum": ("FOR(l, 0, k) F(axpy_)(n", "FOR(l, 0, k - 1) F(axpy_)(n", ("sgemm_nn", "512")),
    "alpha": ("F(axpy_)(n, alpha * x[i], y, ROW(a, i))", "F(axpy_)(n, x[i], y, ROW(a, i))", ("sger", "100")),
    "the last element of a long vector": (
        "F(axpy)(int n, T alpha, XY) { BOTH(", "F(axpy)(int n, T alpha, XY) { n--; BOTH(", ("daxpy", "8000000")
    ),
    "the tail of a long sum": ("F(asum)(int n, const T *x, int incx) { T t = 0;",
        "F(asum)(int n, const T *x, int incx) { T t = 0; n -= n % 4;", ("sasum", "100003")),
    "the last products of a long sum": ("F(dot)(int n, XY) { T t = 0;", "F(dot)(int n, XY) { T t = 0; n -= 8;",
        ("sdot", "8000000")),
    "the second half, where the largest is": ("size_t k = 0;", "size_t k = 0; n -= n / 2;", ("isamax", "1048576")),
    "the tail of a norm": ("double t = 0, most = 0;", "double t = 0, most = 0; n -= n % 4;", ("snrm2", "100003")),
    "another index": ("fabs(X) > most)", "fabs(X) >= most)", ("isamax", "1048576")),
    "a sign": ("-(IS_TRANS ?", "(IS_TRANS ?", ("strsm_llnn", "255")),
    "the diagonal of a solution": ("x + from)) / d", "x + from))", ("dtrsv_unn", "64")),
}  # fmt: skip
"""Text of the plain loops, what stands there instead, and a case that shows it."""


@pytest.mark.parametrize("fault", KNOCKED_OUT)
def test_what_computes_wrongly_disagrees(harness: Harness, rival: Rival, tmp_path: Path, fault: str) -> None:
    right, wrong, case = KNOCKED_OUT[fault]
    text = PLAIN_C.read_text()
    assert right in text
    file = tmp_path / f"{fault.replace(' ', '_').replace(',', '')}.c"
    file.write_text(text.replace(right, wrong))
    once_more = replace(rival, name="right")
    found = disagreeing(some_case(*case), (rival, once_more, Rival("wrong", plain_by("gcc", file))), harness)
    assert [told.rpartition(": ")[2] for told in found] == ["wrong"]


def test_what_most_others_disagree_with_is_named(harness: Harness, rival: Rival, tmp_path: Path) -> None:
    file = tmp_path / "no_alpha.c"
    file.write_text(PLAIN_C.read_text().replace("Y += alpha * X", "Y += X"))
    wrong = Rival("wrong", plain_by("gcc", file))
    some = (wrong, rival, replace(rival, name="right"))
    assert disagreeing(some_case("saxpy", "100"), some, harness) == ["saxpy 100: wrong"]


def test_a_peer_that_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't be loaded"):
        opened("none", tmp_path / "none.so")


def test_libraries_that_are_not_there_are_named(rival: Rival) -> None:
    assert rival.name not in missing([rival])
    assert set(BY_HAND) <= set(missing([rival]))
