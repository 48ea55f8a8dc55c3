"""Loops run backwards, and loops over a wider range: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.kinds import ForCursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    divide_loop,
    fuse,
    reorder_loops,
    reverse_loop,
    shift_loop,
    simplify,
    tighten_loop,
    widen_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, SchedulingError, Unsafe
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
    with pytest.raises(SchedulingError, match="change places commute"):
        reorder_loops(p, "t i")


# -- tighten_loop -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "loop"),
    [
        ("2 <= i", "seq(2, n)"),
        ("i < m", "seq(0, min(n, m))"),
        ("2 <= i and i < m", "seq(2, min(n, m))"),
        ("i + 3 > m", "seq(max(0, m - 2), n)"),
        ("2 * i < m", "seq(0, min(n, (m + 1) / 2))"),
        ("i == 3", "seq(3, min(n, 4))"),
        ("min(m, 5) > i", "seq(0, min(min(n, m), 5))"),
        ("0 <= i", "seq(0, n)"),
    ],
)
def test_a_condition_becomes_a_range(condition: str, loop: str, same: Same, body: Body) -> None:
    p = source(f"""
    def foo(n: size, m: size, x: f32[n]):
        for i in seq(0, n):
            if {condition}:
                x[i] += 1.0
    """)
    q = tighten_loop(p, "i")
    assert body(q) == f"for i in {loop}:\n    x[i] += 1.0"
    for n, m in [(1, 1), (4, 3), (3, 9), (9, 4), (9, 8)]:
        same(p, q, n=n, m=m)


def test_what_does_not_bound_the_loop_stays(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n]):
        for i in seq(0, n):
            if x[i] > 3.0 and i < m and (i % 2 == 0 or i == 5):
                x[i] = 0.0
    """)
    q = tighten_loop(p, "i")
    assert body(q).startswith("for i in seq(0, min(n, m)):\n    if x[i] > 3.0 and (i % 2 == 0 or i == 5):")
    same(p, q, n=9, m=7)


def test_it_undoes_widening(body: Body) -> None:
    assert body(tighten_loop(widen_loop(INNER, "i", "lo - 2", "n + 3"), "i")) == body(INNER)


def test_bounds_in_config_fields_stay(body: Body, same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, Cfg.n):
            if 1 <= i and i < n:
                x[i] = 0.0
    """)
    q = tighten_loop(p, "i")
    assert body(q) == "for i in seq(1, min(Cfg.n, n)):\n    x[i] = 0.0"
    same(p, q, {"Cfg.n": 3}, n=5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x[i] = 0.0", "the loop's body must be an `if` without an else branch"),
        ("if i < 3:\n            x[i] = 0.0\n        else:\n            x[i] = 1.0", "without an else branch"),
        ("if i < 3:\n            x[i] = 0.0\n        x[i] = 1.0", "and nothing else"),
        ("if x[i] > 0.0:\n            x[i] = 0.0", "no part of the condition bounds i"),
        ("if i < 3 or i > 5:\n            x[i] = 0.0", "no part of the condition bounds i"),
        ("if i % 2 < 1:\n            x[i] = 0.0", "no part of the condition bounds i"),
        ("if i < Cfg.n:\n            x[i] = 0.0", "no part of the condition bounds i"),
    ],
)
def test_what_cannot_be_tightened(text: str, message: str, refused: Refused) -> None:
    f = refused(tighten_loop, source(f"def foo(x: f32[9]):\n    for i in seq(0, 9):\n        {text}"), "i")
    assert isinstance(f, NotApplicable) and message in f.message


# -- time tiles ---------------------------------------------------------------------------------------


def tiled(p: Proc, name: str, size: int) -> Proc:
    """A loop in tiles, its guard taken into the range."""
    return tighten_loop(divide_loop(p, name, size, [f"{name}o", f"{name}i"], tail="guard"), f"{name}i")


def test_a_sweep_in_place_goes_through_time_in_tiles(same: Same) -> None:
    p = source("""
    def sweep(T: size, n: size, x: f32[n + 2]):
        for t in seq(0, T):
            for i in seq(1, n + 1):
                x[i] = x[i - 1] + x[i] + x[i + 1]
    """)
    q = tiled(shift_loop(p, "i", "t + 1"), "t", 2)
    q = tiled(widen_loop(reorder_loops(q, "ti i"), "i", 0, "T + n"), "i", 3)
    q = simplify(reorder_loops(tighten_loop(q, "ii"), "ii ti"))
    assert [c.name() for c in q.root().descendants() if isinstance(c, ForCursor)] == ["to", "io", "ti", "ii"]
    for T, n in [(1, 1), (2, 3), (5, 7)]:
        same(p, q, T=T, n=n)


def test_a_sweep_of_nine_points_in_three_dimensions_of_tiles(same: Same) -> None:
    """Skewed by t, and by t + i."""
    points = " + ".join(f"a[i + {d}, j + {e}]" for d in range(3) for e in range(3))
    p = source(f"""
    def sweep(T: size, n: size, a: f32[n + 2, n + 2]):
        for t in seq(0, T):
            for i in seq(0, n):
                for j in seq(0, n):
                    a[i + 1, j + 1] = {points}
    """)
    q = tiled(shift_loop(shift_loop(p, "i", "t"), "j", "t + i"), "t", 2)
    q = tiled(widen_loop(reorder_loops(q, "ti i"), "i", 0, "T + n"), "i", 4)
    q = reorder_loops(tighten_loop(q, "ii"), "ii ti")
    q = reorder_loops(reorder_loops(q, "ii j"), "ti j")
    q = tiled(widen_loop(q, "j", 0, "2 * T + 2 * n"), "j", 4)
    q = reorder_loops(reorder_loops(tighten_loop(q, "ji"), "ji ti"), "ji ii")
    order = [c.name() for c in q.root().descendants() if isinstance(c, ForCursor)]
    assert order == ["to", "io", "jo", "ti", "ii", "ji"]
    for T, n in [(1, 1), (3, 4)]:
        same(p, q, T=T, n=n)


def test_a_skew_that_is_too_small() -> None:
    """Iteration (t, i) needs (t - 1, i + 2), which lies in the next column after a skew by one."""
    p = source("""
    def sweep(T: size, n: size, x: f32[n + 4]):
        for t in seq(0, T):
            for i in seq(2, n + 2):
                x[i] = x[i - 1] + x[i + 2]
    """)
    with pytest.raises(SchedulingError, match="iterations of t and i that change places commute"):
        reorder_loops(shift_loop(p, "i", "t + 2"), "t i")
    reorder_loops(shift_loop(p, "i", "2 * t + 2"), "t i")


# -- triangles ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inner", "made"),
    [
        ("seq(0, i + 1)", ("seq(0, n)", "seq(j, n)")),
        ("seq(i, n)", ("seq(0, n)", "seq(0, j + 1)")),
        ("seq(i, i + 3)", ("seq(0, n + 2)", "seq(max(0, j - 2), min(n, j + 1))")),
        ("seq(0, min(i, 4))", ("seq(0, min(4, n - 1))", "seq(j + 1, n)")),
        ("seq(2 * i, n + i)", ("seq(0, 2 * n - 1)", "seq(max(0, j - n + 1), j / 2 + 1)")),
        ("seq(i / 2, 5)", ("seq(0, 5)", "seq(0, min(n, 2 * j + 2))")),
    ],
)
def test_bounds_that_depend_on_the_outer_loop(inner: str, made: tuple[str, str], same: Same) -> None:
    p = source(f"""
    def foo(n: size, x: f32[2 * n + 8]):
        for i in seq(0, n):
            for j in {inner}:
                x[j] += 1.0
    """)
    q = reorder_loops(p, "i j")
    lines = [line.strip() for line in str(q).splitlines()[1:3]]
    assert lines == [f"for j in {made[0]}:", f"for i in {made[1]}:"]
    for n in (1, 2, 5, 9):
        same(p, q, n=n)


def test_a_bound_that_is_no_sum(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            for j in seq(0, i % 3):
                x[i] = 0.0
    """)
    assert "no bounds without i are known for j" in str(refused(reorder_loops, p, "i j"))
