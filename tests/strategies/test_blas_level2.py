"""The steps of level 2 and of skinny matrices: what becomes of the loops."""

from __future__ import annotations

from backends.targets import PLAIN_C, avx2
from exo_strat import *
from strategies import std
from strategies.blas.level2 import apart_from_triangle, optimize_level_2_general
from strategies.blas.skinny import for_each_count, optimize_few_columns, optimize_skinny, shared_vector
from strategies.std import fission_where_possible, share_sums
from strategies.std.writing import text

TRIANGLE = """
def foo(n: size, a: f32[4 * n, 4 * n + 9], x: f32[4 * n + 9], y: f32[4 * n]):
    for io in seq(0, n):
        for ii in seq(0, 4):
            t: f32
            t = 0.0
            for j in seq({columns}):
                t += a[4 * io + ii, j] * x[j]
            y[4 * io + ii] += t
"""


def test_rows_of_a_triangle_share_a_rectangle():
    ranges = {
        "0, 4 * io + ii": ["0, 4 * io", "4 * io, 4 * io + ii"],
        "4 * io + ii + 1, 4 * n": ["4 * io + ii + 1, 4 * io + 4", "4 * io + 4, 4 * n"],
        # the rectangle begins at a multiple of the rows, where these may begin with a whole vector
        "4 * io + ii, 4 * n": ["4 * io + ii, 4 * io + 4", "4 * io + 4, 4 * n"],
        # that of a band begins where the last row does
        "4 * io + ii, 4 * io + ii + 9": [
            "4 * io + ii, 4 * io + 3",
            "4 * io + 3, 4 * io + 9",
            "4 * io + 9, 4 * io + ii + 9",
        ],
    }
    for columns, wanted in ranges.items():
        p = proc_from_source(TRIANGLE.format(columns=columns))
        q = schedule(at("for j in _: _", apart_from_triangle(p.find_loop("ii"))) >> simplify(), p)
        parts = [loop for loop in traversals.loops(q.root()) if loop.name() == "j"]
        assert [f"{part.lo().text()}, {part.hi().text()}" for part in parts] == wanted


def test_rows_that_need_those_before_stay_together():
    p = proc_from_source(
        """
def solve(n: size, a: f32[4 * n, 4 * n], x: f32[4 * n]):
    for io in seq(0, n):
        for ii in seq(0, 4):
            t: f32
            t = 0.0
            for j in seq(0, 4 * io):
                t += a[4 * io + ii, j] * x[j]
            for j in seq(4 * io, 4 * io + ii):
                t += a[4 * io + ii, j] * x[j]
            x[4 * io + ii] += -t
"""
    )
    q = schedule(at("for ii in _: _", fission_where_possible()), p)
    parts = [loop for loop in traversals.loops(q.root()) if loop.name() == "ii"]
    assert len(parts) == 3  # t = 0; the rectangle; the triangle with what is solved


def test_what_rows_add_to_is_loaded_and_stored_once():
    p = proc_from_source(
        """
def foo(n: size, a: f32[2, n], y: f32[n]):
    for j in seq(0, n):
        y[j] += a[0, j]
        y[j] += a[1, j]
"""
    )
    q = schedule(at("for j in _: _", share_sums()), p)
    assert str(q).count("y[j]") == 2


def test_the_shared_vector_has_an_element_for_each_column():
    p = proc_from_source(TRIANGLE.format(columns="0, 4 * n"))
    assert shared_vector(p.find_loop("j")) == "x"


def test_there_is_code_for_each_number_of_vectors():
    p = proc_from_source(
        """
def foo(n: size, x: f32[n], y: f32[n]):
    assert n <= 12
    v: f32[n]
    for j in seq(0, n / 4):
        y[j] = x[j]
    if 0 < n % 4:
        y[n / 4] = x[n / 4]
"""
    )
    q = schedule(at("v: _", for_each_count("n", 4, 12)) >> std.cleanup(), p)
    assert [loop.hi().text() for loop in traversals.loops(q.root())] == ["1", "2", "3"]
    assert [f"y[{k}] = x[{k}]" in str(q) for k in range(4)] == [True, True, True, False]


def test_without_vectors_rows_stay_loops():
    p = proc_from_source(TRIANGLE.format(columns="0, 4 * n"))
    q = schedule(at("for ii in _: _", optimize_skinny(PLAIN_C, "f32", 40)), p)
    assert [loop.name() for loop in traversals.loops(q.root())][:2] == ["io", "ii"]
    assert "n ==" not in str(q)


def test_columns_of_written_rows_that_make_no_vector_stay_scalar():
    p = proc_from_source("""
def foo(m: size, n: size, x: f32[m], y: f32[n], a: f32[m, n]):
    assert n >= 8
    assert n < 24
    for i in seq(0, m):
        for j in seq(0, n):
            a[i, j] += x[i] * y[j]
""")
    q = schedule(at("for i in _: _", optimize_skinny(avx2, "f32", 16)), p)
    assert [text(loop.lo()) for loop in q.find_all("for j in _: _")] == ["8", "16"]


def test_rows_that_are_left_over_are_taken_two_at_a_time():
    p = proc_from_source(
        """
def foo(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    for i in seq(0, m):
        for j in seq(0, n):
            y[i] += a[i, j] * x[j]
"""
    )
    q = schedule(at("for i in _: _", optimize_level_2_general(avx2, "f32")), p)
    assert [loop.hi().text() for loop in q.body() if isinstance(loop, ForCursor)] == ["m / 4", "m / 2 % 2", "m % 2"]


def test_few_columns_are_code_without_loops_and_rows_that_add_to_them_take_turns():
    p = proc_from_source(
        """
def foo(m: size, n: size, a: f32[m, n], x: f32[m], y: f32[n]):
    assert n <= 3
    for i in seq(0, m):
        for j in seq(0, n):
            y[j] += x[i] * a[i, j]
"""
    )
    q = schedule(at("for i in _: _", optimize_few_columns(3)), p)
    assert [loop.hi().text() for loop in traversals.loops(q.root())] == ["m / 2"] * 3
    assert [str(q).count(f"a[2 * io, {k}]") for k in range(3)] == [3, 2, 1]
    assert [str(q).count(f"a[2 * io + 1, {k}]") for k in range(3)] == [3, 2, 1]
