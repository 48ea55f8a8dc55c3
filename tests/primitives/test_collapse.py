"""Two nested loops of any sizes as one: what comes out, what can be done with it, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import collapse_loops, divide_loop, inline, parallelize_loop, rewrite_expr, shift_loop, simplify
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import collapse_loops as collapse_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index


def source(text: str, **env: object) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, **env})


COPY = source("""
def foo(n: size, m: size, x: f32[n, m], y: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] = y[i, j]
""")


def test_rows_and_columns_are_quotient_and_remainder(same: Same, body: Body, applied: Applied) -> None:
    write = COPY.find("x[_] = _")
    q, c = applied(collapse_op("k"), COPY, COPY.find_loop("i"))
    assert body(q) == "for k in seq(0, n * m):\n    x[k / m, k % m] = y[k / m, k % m]"
    assert c == q.find_loop("k") and q.forward(write) == q.find("x[_] = _")
    assert str(source(str(q))) == str(q)
    for n, m in [(3, 4), (1, 5), (5, 1)]:
        same(COPY, q, n=n, m=m)


def test_loops_that_start_anywhere(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, m: size, lo: int, x: f32[n, n + m]):
        assert 0 <= lo
        for i in seq(lo, n):
            for j in seq(i, i + m):
                x[i, j] += 1.0
    """)
    q = collapse_loops(p, "i j", "k")
    assert body(q) == "for k in seq(0, (n - lo) * m):\n    x[lo + k / m, lo + k / m + k % m] += 1.0"
    for n, m, lo in [(4, 3, 1), (3, 2, 3), (2, 2, 5)]:
        same(p, q, n=n, m=m, lo=lo)


def test_a_count_that_is_known_is_a_literal(body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n, 4]):
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, j] = 0.0
    """)
    assert body(collapse_loops(p, "i j", "k")) == "for k in seq(0, 4 * n):\n    x[k / 4, k % 4] = 0.0"


def test_three_loops_become_one(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, m: size, l: size, x: f32[n, m, l]):
        for a in seq(0, n):
            for b in seq(0, m):
                for c in seq(0, l):
                    x[a, b, c] += 1.0
    """)
    q = simplify(collapse_loops(collapse_loops(p, "b c", "s"), "a s", "t"))
    assert body(q) == "for t in seq(0, n * m * l):\n    x[t / (m * l), t % (m * l) / l, t % (m * l) % l] += 1.0"
    same(p, q, n=2, m=3, l=4)
    assert body(parallelize_loop(q, "t")).startswith("for t in par(")


def test_the_new_loop_is_run_in_parallel(same: Same, body: Body) -> None:
    q = parallelize_loop(collapse_loops(COPY, "i j", "k"), "k")
    assert body(q).startswith("for k in par(0, n * m):")
    same(COPY, q, n=3, m=4)


def test_it_is_parallel_from_the_start_if_both_loops_were(body: Body) -> None:
    for outer, inner, mode in [("par", "par", "par"), ("par", "seq", "seq"), ("seq", "par", "seq")]:
        p = source(f"""
        def foo(n: size, m: size, x: f32[n, m]):
            for i in {outer}(0, n):
                for j in {inner}(0, m):
                    x[i, j] += 1.0
        """)
        assert body(collapse_loops(p, "i j", "k")).startswith(f"for k in {mode}(")


@pytest.mark.parametrize("tail", ["guard", "cut", "cut_and_guard"])
def test_the_new_loop_is_divided(tail: str, same: Same) -> None:
    q = divide_loop(collapse_loops(COPY, "i j", "k"), "k", 4, ["ko", "ki"], tail=tail)
    for n, m in [(3, 3), (1, 1), (2, 4)]:
        same(COPY, q, n=n, m=m)


def test_divided_by_its_columns_it_is_two_loops_again(same: Same, body: Body) -> None:
    q = simplify(divide_loop(collapse_loops(COPY, "i j", "k"), "k", "m", ["i", "j"], tail="perfect"))
    assert str(q) == str(COPY)
    p = source("""
    def foo(n: size, m: size, x: f32[n]):
        for i in seq(0, n):
            x[i] += 1.0
    """)
    for tail in ("guard", "cut", "cut_and_guard"):
        q = divide_loop(p, "i", "m", ["io", "ii"], tail=tail)
        for n, m in [(7, 3), (6, 3), (2, 5), (4, 1)]:
            same(p, q, n=n, m=m)


def test_a_size_that_need_not_divide_the_loop(refused: Refused) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n, n]):
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 0.0
    """)
    f = refused(divide_loop, p, "j", "m", ["jo", "ji"], tail="perfect")
    assert isinstance(f, Unsafe) and "m divides the loop's number of iterations" in f.message
    assert f.counterexample["n"] % f.counterexample["m"] != 0
    f = refused(divide_loop, p, "j", "m - 1", ["jo", "ji"])
    assert isinstance(f, Unsafe) and f.counterexample["m"] == 1
    f = refused(divide_loop, p, "j", "i + 1", ["jo", "ji"])  # positive, but another number in each iteration
    assert isinstance(f, NotApplicable) and "control arguments only" in f.message


def test_floors_of_negative_numbers(same: Same) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n, m]):
        for k in seq(0 - n * m, 0):
            x[k / m + n, k % m] += f32(k / m)
    """)
    q = shift_loop(p, "k", 0)
    for n, m in [(3, 3), (1, 4), (4, 1)]:
        same(p, q, n=n, m=m)


# -- refused ------------------------------------------------------------------------------------------


def nest(outer: str, inner: str, args: str = "n: size, m: size", asserted: str = "True") -> Proc:
    return source(f"""
    def foo({args}, x: f32):
        assert {asserted}
        for i in {outer}:
            for j in {inner}:
                x += 1.0
    """)


def test_a_triangle(refused: Refused) -> None:
    f = refused(collapse_loops, nest("seq(0, n)", "seq(0, i + 1)"), "i j", "k")
    assert isinstance(f, Unsafe) and "as often in each iteration" in f.message and f.counterexample["i"] == 1


def test_an_inner_loop_that_may_be_empty(refused: Refused, same: Same) -> None:
    f = refused(collapse_loops, nest("seq(0, n)", "seq(0, n - 1)"), "i j", "k")
    assert isinstance(f, Unsafe) and f.counterexample["n"] == 1
    # both ranges may be negative: the product would be none
    f = refused(collapse_loops, nest("seq(0, d)", "seq(0, e)", "d: index, e: index", "d < 0 or e > 0"), "i j", "k")
    assert isinstance(f, Unsafe) and f.counterexample["d"] < 0 and f.counterexample["e"] < 1
    p = nest("seq(0, d)", "seq(0, e)", "d: index, e: index", "e > 0")
    for d, e in [(-3, 2), (0, 1), (2, 2)]:
        same(p, collapse_loops(p, "i j", "k"), d=d, e=e)


def test_a_count_that_is_no_size(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n, n, n]):
        for a in seq(0, n):
            for i in seq(0, n):
                for j in seq(0, a + 1):
                    x[a, i, j] = 0.0
    """)
    f = refused(collapse_loops, p, "i j", "k")
    assert isinstance(f, NotApplicable) and "control arguments only" in f.message
    f = refused(collapse_loops, nest("seq(0, n)", "seq(0, Cfg.n)"), "i j", "k")
    assert isinstance(f, NotApplicable) and "config field" in f.message


def test_a_count_that_is_read_from_a_buffer(refused: Refused) -> None:
    p = source("""
    def foo(n: size, ptr: i32[2], x: f32[n]):
        assert within(ptr, 1, n + 1)
        for i in seq(3, 1):
            for j in seq(ptr[i], 2 * ptr[i]):
                x[0] += 1.0
    """)
    f = refused(collapse_loops, p, "i j", "k")  # no such element exists before the loop: no example of its value
    assert isinstance(f, NotApplicable) and "depends on data" in f.message


def test_at_least_one_column_wherever_it_is_divided(refused: Refused) -> None:
    """A divisor is positive in the whole procedure, so that code may be moved."""
    p = source("""
    def foo(n: size, d: index, x: f32[n]):
        if d > 0:
            for i in seq(0, n):
                for j in seq(0, d):
                    x[i] += 1.0
    """)
    f = refused(collapse_loops, p, "i j", "k")
    assert isinstance(f, NotApplicable) and "the divisor may be less than 1" in f.message


DEAD = """
def foo(n: size, x: f32[n]):
    if n < 1:
        for i in seq(0, n):
            {0}
"""
"""Code that never runs, where all is proved."""


def test_no_literal_below_1_divides_where_nothing_runs(refused: Refused) -> None:
    row = source("""
    def row(n: size, m: size, x: f32[n]):
        x[n / (m + 1)] = 0.0
    """)
    below = "what is at least 1 only"
    p = source(DEAD.format("for j in seq(2, 2):\n                x[j] = 0.0"))
    assert below in refused(collapse_loops, p, "i j", "k").message
    p = source(DEAD.format("x[i / 4] = 0.0"))
    assert below in str(refused(rewrite_expr, p, p.find("i / _").rhs(), "0"))
    p = source(DEAD.format("row(n, -1, x)"), row=row)
    assert below in str(refused(inline, p, "row(_)"))
    p = source(DEAD.format("x[i] = 0.0"))
    assert "a positive integer, not 0" in str(refused(divide_loop, p, "i", "n - n", ("io", "ii"), tail="cut"))


def test_code_between_the_loops(refused: Refused) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 0.0
            for j in seq(0, m):
                x[i] += 1.0
    """)
    assert "one loop and nothing else" in refused(collapse_loops, p, "i", "k").message


def test_a_callee_that_divides_is_inlined_where_its_size_is_one(refused: Refused, same: Same) -> None:
    rows = source("""
    def rows(n: size, m: size, x: [f32][n, m]):
        for k in seq(0, n * m):
            x[k / m, k % m] = 1.0
    """)
    text = """
    def foo(n: size, x: f32[n + 1, n + 1]):
        for i in seq(0, n):
            rows(n, {0}, x[0:n, 0:{0}])
    """
    p = source(text.format("n + 1"), rows=rows)
    same(p, inline(p, "rows(_)"), n=3)
    p = source(text.format("i + 1"), rows=rows)
    assert "control arguments only" in refused(inline, p, "rows(_)").message
