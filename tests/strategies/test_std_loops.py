from __future__ import annotations

import pytest

from exo_strat import ForCursor, Op, Proc, Unsafe, at, proc_from_source, schedule, simplify
from exo_strat.ops.traversals import loops
from exo_strat.testing import assert_equivalent
from strategies import std
from strategies.inspect import nest_shape

GEMM = proc_from_source("""
def gemm(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            for l in seq(0, k):
                c[i, j] += a[i, l] * b[l, j]
""")


def shapes(p: Proc) -> list[str]:
    return [str(nest_shape(s)) for s in p.body()]


def of_i(op: Op, p: Proc = GEMM) -> Proc:
    q = schedule(at("for i in _: _", op), p)
    assert assert_equivalent(p, q) > 0
    return q


# -- tiles --------------------------------------------------------------------------------------------


def test_a_loop_that_divides_gets_no_guard() -> None:
    p = schedule(at("for i in _: _", std.round_loop(4)), GEMM)
    q = schedule(at("for i in _: _", std.tile(4)), p)
    assert len(q.find_all("if _: _")) == 1


def test_tiles_of_three_dimensions_with_rests_top_down() -> None:
    assert shapes(of_i(std.tile(2, 3, 4, tail="cut"))) == [
        "seq m / 2 > [seq n / 3 > [seq k / 4 > seq 2 > seq 3 > seq 4 > c +=; seq 2 > seq 3 > seq k % 4 > c +=]; "
        "seq 2 > seq n % 3 > seq k > c +=]",
        "seq m % 2 > seq n > seq k > c +=",
    ]


def test_tiles_of_three_dimensions_with_rests_bottom_up() -> None:
    q = of_i(std.tile_bottom_up(2, 3, 4))
    assert shapes(q) == [
        "seq m / 2 > seq n / 3 > seq k / 4 > seq 2 > seq 3 > seq 4 > c +=",
        "seq n / 3 > seq k / 4 > seq m % 2 > seq 3 > seq 4 > c +=",
        "seq m / 2 > seq k / 4 > seq 2 > seq n % 3 > seq 4 > c +=",
        "seq k / 4 > seq m % 2 > seq n % 3 > seq 4 > c +=",
        "seq m / 2 > seq n / 3 > seq 2 > seq 3 > seq k % 4 > c +=",
        "seq n / 3 > seq m % 2 > seq 3 > seq k % 4 > c +=",
        "seq m / 2 > seq 2 > seq n % 3 > seq k % 4 > c +=",
        "seq m % 2 > seq n % 3 > seq k % 4 > c +=",
    ]


def test_the_block_of_all_nests_is_returned() -> None:
    i = GEMM.find_loop("i")
    assert isinstance(i, ForCursor)
    q, block = std.tile_bottom_up(2, 3, 4)(GEMM, i).unwrap()
    assert block == q.body()


def test_tiles_bottom_up_may_be_perfect() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[8 * n, 4 * n]):
    for i in seq(0, 8 * n):
        for j in seq(0, 4 * n):
            x[i, j] = 0.0
""")
    up, down = (of_i(op >> simplify(), p) for op in (std.tile_bottom_up(8, 4, tail="perfect"), std.tile(8, 4)))
    assert str(up) == str(down) and shapes(up) == ["seq n > seq n > seq 8 > seq 4 > x ="]


def test_tiles_of_tiles_are_tiles() -> None:
    twice = of_i(std.tile(6, 4, tail="cut") >> at("for ii in _: _", std.tile(2, 2)))
    assert shapes(twice)[0].startswith("seq m / 6 > [seq n / 4 > seq 3 > seq 2 > seq 2 > seq 2 > seq k")


def test_dependences_that_forbid_tiles_are_refused() -> None:
    p = proc_from_source("""
def skewed(n: size, x: f32[n + 1, n + 1]):
    for i in seq(0, n):
        for j in seq(0, n):
            x[i + 1, j] = x[i, j + 1]
""")
    failure = at("for i in _: _", std.tile(4, 4))(p).failure()
    assert isinstance(failure, Unsafe) and failure.counterexample


# -- unrolled, jammed, interleaved --------------------------------------------------------------------------


def test_only_short_loops_of_constant_length_are_unrolled() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, 100, 8]):
    for i in seq(0, n):
        for j in seq(0, 100):
            for k in seq(0, 8):
                x[i, j, k] = 0.0
""")
    q = schedule(std.unroll_loops(8), p)
    assert [c.name() for c in loops(q.root()) if isinstance(c, ForCursor)] == ["i", "j"]
    assert len(q.find_all("x[_] = _")) == 8


ROWS = proc_from_source("""
def foo(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    for i in seq(0, m):
        t: f32
        t = 0.0
        for j in seq(0, n):
            t += a[i, j] * x[j]
        y[i] = t
""")


def test_rows_are_jammed_with_what_stands_around_the_inner_loop() -> None:
    q = of_i(std.unroll_and_jam(2), ROWS)
    assert shapes(q) == [
        "seq m / 2 > [t:; t =; t =; seq n > [t +=; t +=]; y =; y =]",
        "seq m % 2 > [t:; t =; seq n > t +=; y =]",
    ]


def test_rows_are_interleaved_statement_by_statement() -> None:
    q = of_i(std.interleave_loop(2), ROWS)
    assert shapes(q)[0] == "seq m / 2 > [t:; t =; t =; seq n > t +=; seq n > t +=; y =; y =]"


def test_what_is_left_over_is_interleaved_by_half_as_many() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 0.0
""")
    q = of_i(std.interleave_loop(4, "recursive"), p)
    assert [shape.count("x =") for shape in shapes(q)] == [4, 2, 1]


def test_an_inner_loop_that_depends_on_the_outer_one_is_copied() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[4 * n, 4 * n]):
    for i in seq(0, 4 * n):
        for j in seq(0, i + 1):
            x[i, j] = 0.0
""")
    q = of_i(std.unroll_and_jam(2, tail="perfect"), p)
    assert len(list(loops(q.root()))) == 3


# -- taken apart --------------------------------------------------------------------------------------------


def test_fission_goes_as_far_as_dependences_allow() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, n], s: f32[n], y: f32[n]):
    for i in seq(0, n):
        s[i] = 0.0
        for j in seq(0, n):
            s[i] += x[i, j]
            x[i, j] = s[i]
        y[i] = s[i]
""")
    q = schedule(at("s[_] += _", std.fission_as_much_as_possible()), p)
    assert shapes(q) == ["seq n > s =", "seq n > seq n > [s +=; x =]", "seq n > y ="]


def test_singles_go_through_a_guard() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[8], y: f32[8]):
    for l in seq(0, 8):
        if l < n:
            t: f32
            t = x[l]
            y[l] += t
""")
    q = schedule(at("for l in _: _", std.fission_into_singles()), p)
    assert shapes(q) == ["t:", "seq 8 > if > t =", "seq 8 > if > y +="]


@pytest.mark.parametrize("up", (True, False))
def test_a_rounded_loop_does_the_same(up: bool) -> None:
    of_i(std.round_loop(4, up=up))
