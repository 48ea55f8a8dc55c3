"""Loops run backwards, and loops over a wider range: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import fuse, reorder_loops, reverse_loop, shift_loop, simplify, widen_loop
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import reverse_loop as reverse_op
from exo_strat.primitives import widen_loop as widen_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg})


# -- reverse_loop -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lo", "n"), [(0, 5), (3, 8), (4, 4), (6, 2)])
def test_the_last_iteration_runs_first(lo: int, n: int, same: Same, applied: Applied) -> None:
    p = source("""
    def foo(lo: index, n: size, x: f32[n], y: f32[n]):
        assert 0 <= lo
        for i in seq(lo, n):
            y[i] = x[i] * 2.0
    """)
    q, loop = applied(reverse_op(), p, p.find_loop("i"))
    assert loop == q.find_loop("i") == q.forward(p.find_loop("i"))
    same(p, q, lo=lo, n=n)


def test_reversed_twice_it_is_as_before(body: Body) -> None:
    p = source("def foo(n: size, x: f32[n]):\n    for i in seq(2, n):\n        x[i] = 0.0")
    assert body(reverse_loop(p, "i")) == "for i in seq(2, n):\n    x[2 + n - 1 - i] = 0.0"
    assert body(simplify(reverse_loop(reverse_loop(p, "i"), "i"))) == body(p)


@pytest.mark.parametrize(
    "statement",
    [
        "s += x[i]",
        "s = max(s, x[i])",
        "s = 1.0",  # each iteration writes the same
        "x[i] = x[i] + 1.0",
    ],
)
def test_order_does_not_matter(statement: str, same: Same) -> None:
    p = source(f"def foo(x: f32[6], s: f32):\n    for i in seq(0, 6):\n        {statement}")
    same(p, reverse_loop(p, "i"))


def test_a_temporary_of_each_iteration_may_be_shared(same: Same) -> None:
    p = source("""
    def foo(x: f32[6], y: f32[6]):
        t: f32
        for i in seq(0, 6):
            t = x[i]
            y[i] = t * t
    """)
    same(p, reverse_loop(p, "i"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("for i in seq(0, 5): x[i + 1] = x[i]", {"i": 0, "i'": 1}),
        ("for i in seq(0, 6): s = x[i]", {"i": 0, "i'": 1}),  # the last one stays
        ("for i in seq(0, 6):\n        s += 1.0\n        s *= 2.0", {"i": 0, "i'": 1}),
    ],
)
def test_iterations_that_depend_on_each_other(text: str, values: dict[str, int], refused: Refused) -> None:
    f = refused(reverse_loop, source(f"def foo(x: f32[6], s: f32):\n    {text}"), "i")
    assert isinstance(f, Unsafe) and f.message == "iterations of i commute"
    assert f.counterexample == values


def test_a_temporary_that_is_read_later(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[6], y: f32[6]):
        t: f32
        for i in seq(0, 6):
            t = x[i]
            y[i] = t * t
        y[0] = t
    """)
    assert "iterations of i commute" in str(refused(reverse_loop, p, "i"))


def test_a_bound_that_the_body_changes(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[6]):
        for i in seq(0, Cfg.n):
            Cfg.n = 0
    """)
    assert "the code does not change the expression" in str(refused(reverse_loop, p, "i"))


# -- widen_loop ---------------------------------------------------------------------------------------

INNER = source("""
def foo(lo: index, n: size, x: f32[n]):
    assert 0 <= lo
    for i in seq(lo, n - 1):
        x[i] += 1.0
""")


def test_iterations_outside_of_the_old_range_do_nothing(same: Same, body: Body, applied: Applied) -> None:
    statement = INNER.find("x[_] += _")
    q, loop = applied(widen_op("lo - 2", "n + 3"), INNER, INNER.find_loop("i"))
    assert loop == q.find_loop("i") and q.forward(statement) == q.find("x[_] += _")
    assert body(q) == "for i in seq(lo - 2, n + 3):\n    if lo <= i and i < n - 1:\n        x[i] += 1.0"
    for lo, n in [(0, 4), (3, 9), (5, 6), (7, 2)]:
        same(INNER, q, lo=lo, n=n)


def test_cursors_to_the_old_bounds_go_to_the_guard() -> None:
    q = widen_loop(INNER, "i", 0, "n")
    loop = INNER.find_loop("i")
    assert [str(q.forward(c)).split("-->")[1].strip() for c in (loop.lo(), loop.hi())] == [
        "if lo <= i and i < n - 1:\n                x[i] += 1.0"
    ] * 2


def test_an_empty_loop_goes_into_any_range(same: Same) -> None:
    p = source("def foo(x: f32[4]):\n    for i in seq(3, 3):\n        x[i] = 0.0")
    same(p, widen_loop(p, "i", 7, 9))


@pytest.mark.parametrize(
    ("lo", "hi", "what"),
    [
        ("lo + 1", "n", "the new range starts no later than the old one"),
        ("1", "n", "the new range starts no later than the old one"),
        ("lo", "n - 2", "the new range ends no earlier than the old one"),
    ],
)
def test_an_iteration_would_be_lost(lo: str, hi: str, what: str, refused: Refused) -> None:
    f = refused(widen_loop, INNER, "i", lo, hi)
    assert isinstance(f, Unsafe) and what in f.message and f.counterexample is not None


def test_a_guard_would_see_another_bound(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[6]):
        for i in seq(0, 2):
            for j in seq(0, 4):
                Cfg.n = 3
            for j in seq(0, Cfg.n - Cfg.n + 2):
                Cfg.n = j
    """)
    assert "the code does not change the expression" in str(refused(widen_loop, p, "j #1", 0, 2))


def test_two_sweeps_of_different_ranges_in_one_loop(same: Same, body: Body) -> None:
    """The second sweep is shifted to run one behind the first, as it reads what that writes."""
    p = source("""
    def sweeps(n: size, x: f32[n], y: f32[n], z: f32[n]):
        assert n >= 4
        for i in seq(1, n - 1):
            y[i] = x[i - 1] + x[i + 1]
        for j in seq(2, n - 2):
            z[j] = y[j - 1] + y[j + 1]
    """)
    q = shift_loop(p, "j", 3)
    q = widen_loop(widen_loop(q, "i", 1, "n - 1"), "j", 1, "n - 1")
    q = fuse(q, "i", "j")
    assert body(q).startswith("for i in seq(1, n - 1):\n    if 1 <= i and i < n - 1:")
    for n in (4, 5, 9):
        same(p, q, n=n)


def test_a_skewed_nest_may_be_interchanged_after_it_is_widened(same: Same) -> None:
    """Iteration (t, i) needs (t - 1, i + 1): skewed by one, all that it needs lies in columns before."""
    p = source("""
    def sweep(n: size, x: f32[n + 2]):
        for t in seq(0, 3):
            for i in seq(1, n + 1):
                x[i] = x[i - 1] + x[i + 1]
    """)
    q = widen_loop(shift_loop(p, "i", "t + 1"), "i", 1, "n + 3")
    q = reorder_loops(q, "t i")
    assert q.find_loop("i").body()[0] == q.find_loop("t")
    for n in (1, 2, 7):
        same(p, q, n=n)
    with pytest.raises(Exception, match="change places commute"):
        reorder_loops(p, "t i")
