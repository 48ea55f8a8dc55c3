"""The model of what scheduled programs cost: it orders versions as everybody knows they run."""

from __future__ import annotations

import pytest

from backends.targets import avx2, plain_c
from exo_strat import *
from strategies.blas.level1 import optimize_level_1
from strategies.boxes import Boxes
from strategies.gemm import gemm
from strategies.programs import sgemm
from strategies.ranking import Work, cycles
from strategies.std import tile, unroll_and_jam

GEMM = proc_from_source("""
def gemm(n: size, a: f32[n, n], b: f32[n, n], c: f32[n, n]):
    assert n % 64 == 0
    for i in seq(0, n):
        for j in seq(0, n):
            for k in seq(0, n):
                c[i, j] += a[i, k] * b[k, j]
""")
DOT = proc_from_source("""
def dot(n: size, x: f32[n], y: f32[n], s: f32):
    for i in seq(0, n):
        s += x[i] * y[i]
""")


def test_contiguous_loops_inside_cost_less() -> None:
    rows = schedule(at("for j in _: _", reorder_loops()), GEMM)
    cost = cycles(avx2, {"n": 256})
    assert 2 * cost(rows) < cost(GEMM)


def test_tiles_cost_less_where_a_matrix_is_in_no_cache() -> None:
    rows = schedule(at("for j in _: _", reorder_loops()), GEMM)
    tiled = schedule(at("for i in _: _", tile(32, 32, 64, tail="perfect")), rows)
    small, large = (cycles(avx2, {"n": n}) for n in (64, 2048))
    assert large(tiled) < large(rows)
    assert abs(small(tiled) - small(rows)) < 0.2 * small(rows)


def test_sums_that_wait_for_each_other_cost_more() -> None:
    one, eight = (schedule(at("for i in _: _", optimize_level_1(avx2, "f32", k)), DOT) for k in (1, 8))
    cost = cycles(avx2, {"n": 2000})
    assert 2 * cost(eight) < cost(one) < cost(DOT)


def test_sums_without_a_register_cost_more() -> None:
    def sums(count: int) -> Proc:
        adds = "\n        ".join(f"s[{k}] += x[i] * {k}.0" for k in range(count))
        text = f"def f(n: size, x: f32[n]):\n    s: f32[{count}]\n    for k in seq(0, {count}):\n        s[k] = 0.0\n"
        return proc_from_source(f"{text}    for i in seq(0, n):\n        {adds}")

    cost = cycles(plain_c, {"n": 1000})
    assert cost(sums(32)) > 1.9 * cost(sums(16)) > 0


def test_instructions_wait_for_the_sums_they_add_to() -> None:
    rows = schedule(at("for j in _: _", reorder_loops()), GEMM)

    def cost(columns: int) -> float:
        tiles = at("for i in _: _", tile(16, 64, columns, tail="perfect"))
        lanes = at("for ji in _: _", optimize_level_1(avx2, "f32", 4, strict=True))
        return cycles(avx2, {"n": 64})(schedule(tiles >> lanes, rows))

    assert cost(8) > 1.5 * cost(32), "one sum at a time, and four"


def test_many_runs_of_elements_cost_more_from_far_memory() -> None:
    rows = proc_from_source("""
def add(n: size, x: f32[n, n], y: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            y[i, j] += x[i, j]
""")
    one = schedule(at("for j in _: _", optimize_level_1(avx2, "f32", 1)), rows)
    eight = schedule(at("for i in _: _", unroll_and_jam(8)), one)
    near, far = (cycles(avx2, {"n": n}) for n in (64, 1024))
    assert near(eight) < near(one) and far(eight) > 1.05 * far(one)


@pytest.mark.parametrize(("factors", "waits"), [(1, True), (20, False)])
def test_lines_come_while_the_units_compute(factors: int, waits: bool) -> None:
    p = proc_from_source(f"""
def powers(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = {" * ".join(["x[i]"] * factors)}
""")
    near, far = (cycles(avx2, {"n": n})(p) / n for n in (2_000, 20_000))
    assert (far > 1.1 * near) == waits


def test_elements_that_an_instruction_takes_from_memory_are_loaded() -> None:
    """In tiles of 12 x 1 vectors each product needs an element of a; in those of 6 x 2, two need one."""

    def cost(rows: int, vectors: int) -> float:
        holes = {"gemm.optimize_deep_gemm.rows": rows, "gemm.optimize_deep_gemm.vectors": vectors}
        return cycles(avx2, {"m": 96, "n": 96, "k": 96})(schedule(gemm(avx2).fill(holes), sgemm))

    assert cost(12, 1) > 1.1 * cost(6, 2)


def test_work_takes_the_units_that_are_busy_longest() -> None:
    model = cycles(avx2, {})
    assert model.taken(Work(fmas=8.0)) == 4.0 and model.taken(Work(fmas=8.0, stores=6.0)) == 6.0
    assert model.accessing(Work(fmas=8.0, loads=2.0)) == 1.0


@pytest.mark.parametrize(
    ("index", "touched"),
    [("i, j", 10 * 12), ("i, 0", 10), ("2 * i, j / 4", 19 * 3), ("i % 3, j", 3 * 12), ("9 - i, j", 10 * 12)],
)
def test_boxes_are_those_of_what_is_touched(index: str, touched: int) -> None:
    p = proc_from_source(f"""
def f(x: f32[40, 40]):
    for i in seq(0, 10):
        for j in seq(0, 12):
            x[{index}] = 0.0
""")
    assert Boxes(p.tree).touched(p.tree.body, {}).bytes == 4 * touched


def test_what_is_touched_through_windows_is_what_they_show() -> None:
    p = proc_from_source("""
def f(x: f32[40, 40]):
    w = x[2:30, 5]
    v = w[4:20]
    for i in seq(0, 10):
        v[i] = 0.0
""")
    assert Boxes(p.tree).touched(p.tree.body, {}).bytes == 4 * 10
