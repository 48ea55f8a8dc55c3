"""Loops divided, joined, cut and shifted: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    cut_loop,
    divide_loop,
    mult_loops,
    reorder_loops,
    shift_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.nodes import ReadConfig
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import cut_loop as cut_op
from exo_strat.primitives import divide_loop as divide_op
from exo_strat.primitives import mult_loops as mult_op
from exo_strat.primitives import reorder_loops as reorder_op
from exo_strat.primitives import shift_loop as shift_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    on: bool


BUMP = proc_from_source(
    """
def bump():
    Cfg.n = Cfg.n + 1
""",
    {"Cfg": Cfg},
)


CFG_N = ReadConfig(Cfg, "n")


NEEDS = proc_from_source(
    """
def needs(x: f32):
    assert Cfg.on == True
    x = 1.0
""",
    {"Cfg": Cfg},
)


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "bump": BUMP, "needs": NEEDS})


def values(f: Failure) -> dict[str, int]:
    """The counterexample of a refusal."""
    assert isinstance(f, Unsafe) and f.counterexample is not None, str(f)
    return dict(f.counterexample)


# -- reorder_loops ------------------------------------------------------------------------------------


def test_reorder_keeps_cursors_to_both_loops_and_to_the_body(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n, m]):
        for i in seq(0, n):
            for j in seq(1, m):
                x[i, j] += x[i, 0]
    """)
    i, j, s = p.find_loop("i"), p.find_loop("j"), p.find("x[_] += _")
    q, c = applied(reorder_op(), p, i)
    assert body(q) == "for j in seq(1, m):\n    for i in seq(0, n):\n        x[i, j] += x[i, 0]"
    assert c == q.find_loop("j") == q.forward(j)
    assert q.forward(i) == q.find_loop("i") and q.forward(s) == q.find("x[_] += _")
    same(p, q, n=3, m=4)
    assert reorder_loops(p, "i j") == q and reorder_loops(q, "j i") == p


def test_reorder_allows_sums_into_one_place(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n, n], y: f32):
        for i in seq(0, n):
            for j in seq(0, n):
                y += x[i, j]
    """)
    same(p, reorder_loops(p, "i j"), n=3)


def test_reorder_refuses_iterations_that_change_places_and_touch_the_same(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1, n + 1]):
        for i in seq(0, n):
            for j in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
    """)
    found = values(refused(reorder_loops, p, "i j"))
    assert found["i"] < found["i'"] and found["j"] > found["j'"]
    assert (found["i"] + 1, found["j"]) == (found["i'"], found["j'"] + 1)


def test_reorder_needs_a_perfect_nest_with_bounds_that_can_be_exchanged(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            for j in seq(0, i % 3):
                x[i] = 0.0
        for k in seq(0, n):
            x[k] = 1.0
            for l in seq(0, n):
                x[l] = 0.0
    """)
    f = refused(reorder_loops, p, "i j")
    assert isinstance(f, NotApplicable) and "no bounds without i are known for j" in f.message
    assert "nothing else" in refused(reorder_loops, p, "k").message


def test_reorder_refuses_a_parallel_loop_that_would_race_outside(same: Same, body: Body, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[2 * n]):
        for i in seq(0, n):
            for j in par(0, n):
                x[i - j + n] += 1.0
    """)
    found = values(refused(reorder_loops, p, "i j"))  # iterations of j are on the same place at different i
    assert found["j"] != found["j'"]
    p = source("""
    def foo(n: size, x: f32[n, n]):
        for i in seq(0, n):
            for j in par(0, n):
                x[i, j] += 1.0
    """)
    q = reorder_loops(p, "i j")
    assert body(q).startswith("for j in par(0, n):\n    for i in seq(0, n):")
    same(p, q, n=3)


def test_reorder_with_bounds_that_config_fields_decide(body: Body, refused: Refused) -> None:
    inner = """
    def foo(n: size, lo: int, x: f32[n]):
        for i in seq({lo}, n):
            for j in seq(0, Cfg.n):
                {stmt}
    """
    add = "x[0] += 1.0"
    assert body(reorder_loops(source(inner.format(lo=0, stmt=add)), "i j")).startswith("for j in seq(0, Cfg.n):")
    f = refused(reorder_loops, source(inner.format(lo="lo", stmt=add)), "i j")  # nobody need have set Cfg.n
    assert "at least once" in f.message and values(f)["lo"] >= values(f)["n"]
    assert isinstance(refused(reorder_loops, source(inner.format(lo=0, stmt="bump()")), "i j"), Unsafe)


# -- divide_loop --------------------------------------------------------------------------------------

COPY = source("""
def foo(lo: int, n: int, x: f32[100], y: f32[100]):
    assert 0 <= lo
    assert n <= 100
    for i in seq(lo, n):
        x[i] += y[i]
""")


def test_divide_with_a_guard_wherever_the_loop_starts_and_however_short_it_is(same: Same, body: Body) -> None:
    q = divide_loop(COPY, "i", 4, ["io", "ii"])
    assert body(q) == (
        "for io in seq(0, (n - lo + 3) / 4):\n"
        "    for ii in seq(0, 4):\n"
        "        if lo + (4 * io + ii) < n:\n"
        "            x[lo + (4 * io + ii)] += y[lo + (4 * io + ii)]"
    )
    for lo, n in [(0, 8), (3, 12), (5, 6), (5, 5), (7, 2), (9, -30)]:
        same(COPY, q, lo=lo, n=n)


@pytest.mark.parametrize("tail", ["cut", "cut_and_guard"])
def test_divide_with_a_tail_of_its_own(tail: str, same: Same, body: Body, refused: Refused) -> None:
    p = source("""
    def foo(lo: int, n: int, x: f32[100], y: f32[100]):
        assert 0 <= lo
        assert lo <= n
        assert n <= 100
        for i in seq(lo, n):
            a: f32
            a = y[i]
            x[i] += a
    """)
    q = divide_loop(p, "i", 4, ("io", "ii"), tail=tail)
    rest = "for ii in seq(0, (n - lo) % 4):"
    assert ("if 0 < (n - lo) % 4:\n    " + rest if tail == "cut_and_guard" else "\n" + rest) in body(q)
    for lo, n in [(0, 8), (3, 12), (5, 6), (5, 5)]:
        same(p, q, lo=lo, n=n)
    f = refused(divide_loop, COPY, "i", 4, ("io", "ii"), tail=tail)  # (-1) % 4 is 3
    assert "not negative" in f.message and values(f)["lo"] > values(f)["n"]


def test_divide_perfectly(same: Same, body: Body, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[8 * n + 1]):
        for i in seq(1, 8 * n + 1):
            x[i] = 0.0
    """)
    q = divide_loop(p, "i", 4, ["io", "ii"], perfect=True)
    assert q == divide_loop(p, "i", 4, ["io", "ii"], tail="perfect")
    assert body(q) == (
        "for io in seq(0, (8 * n + 1 - 1) / 4):\n    for ii in seq(0, 4):\n        x[1 + (4 * io + ii)] = 0.0"
    )
    same(p, q, n=2)
    f = refused(divide_loop, p, "i", 3, ["io", "ii"], perfect=True)
    assert "3 divides" in f.message and values(f)["n"] * 8 % 3


def test_divide_returns_the_outer_loop_and_keeps_cursors_to_the_body(applied: Applied) -> None:
    loop, s = COPY.find_loop("i"), COPY.find("x[_] += _")
    q, c = applied(divide_op(4, ("io", "ii"), "guard"), COPY, loop)
    assert c == q.find_loop("io") == q.forward(loop) and q.forward(s) == q.find("x[_] += _")
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32
            a = 1.0
            x[i] = a
    """)
    old = p.find_alloc("a")
    q, c = applied(divide_op(4, ("io", "ii"), "cut"), p, p.find_loop("i"))
    main, tail = q.find_all("a: _")
    assert q.forward(old) == main and main.sym != tail.sym


def test_divide_keeps_a_parallel_loop_free_of_races(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in par(0, n):
            x[i] += 1.0
    """)
    q = divide_loop(p, "i", 4, ["io", "ii"], tail="cut")
    assert body(q).count("in par(") == 2 and "for ii in seq(0, 4)" in body(q)
    same(p, q, n=7)


def test_divide_must_not_evaluate_bounds_after_the_body_changed_them(body: Body, refused: Refused) -> None:
    p = source("""
    def foo():
        for i in seq(0, Cfg.n):
            bump()
    """)
    assert isinstance(refused(divide_loop, p, "i", 4, ["io", "ii"]), Unsafe)
    p = source("""
    def foo(x: f32):
        for i in seq(0, Cfg.n):
            x += 1.0
    """)
    assert "if 4 * io + ii < Cfg.n:" in body(divide_loop(p, "i", 4, ["io", "ii"]))


@pytest.mark.parametrize("tail", ["guard", "cut", "perfect"])
def test_divide_counts_from_a_config_field_that_stays(tail: str, same: Same, refused: Refused) -> None:
    text = """
    def foo(x: f32[8]):
        for i in seq(Cfg.n, Cfg.n + 4):
            if 0 <= i and i < 8:
                x[i] = 0.0
    """
    p = source(text)
    for start in (0, 3):
        same(p, divide_loop(p, "i", 2, ["io", "ii"], tail), {"Cfg.n": start})
    f = refused(divide_loop, source(f"{text}            Cfg.n = 1\n"), "i", 2, ["io", "ii"], tail)
    assert isinstance(f, Unsafe) and "Cfg.n" in f.details


@pytest.mark.parametrize(
    ("args", "what"),
    [
        ((0, ("io", "ii")), "positive integer"),
        ((4, ("io",)), "names: a list of 2"),
        ((4, ("io", "1")), "no name"),
        ((4, ("io", "ii"), "some"), "tail must be one of"),
    ],
)
def test_divide_says_which_argument_makes_no_sense(args: tuple[object, ...], what: str, refused: Refused) -> None:
    f = refused(divide_loop, COPY, "i", *args)
    assert isinstance(f, BadArgument) and what in f.message


# -- mult_loops ---------------------------------------------------------------------------------------


def test_mult_undoes_divide_wherever_the_loops_start(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, lo: int, x: f32[n, n + 5]):
        assert 0 <= lo
        for i in seq(lo, n):
            for j in seq(i + 1, i + 5):
                x[i, j] = 1.0
    """)
    s = p.find("x[_] = _")
    q, c = applied(mult_op("k"), p, p.find_loop("i"))
    assert body(q) == "for k in seq(0, 4 * (n - lo)):\n    x[lo + k / 4, lo + k / 4 + 1 + k % 4] = 1.0"
    assert c == q.find_loop("k") and q.forward(s) == q.find("x[_] = _")
    for n, lo in [(4, 1), (3, 3), (2, 5)]:
        same(p, q, n=n, lo=lo)


def test_mult_is_parallel_only_if_both_loops_are(same: Same, body: Body) -> None:
    text = """
    def foo(n: size, x: f32[n, 4], y: f32[n]):
        for i in {}(0, n):
            for j in {}(0, 4):
                {}
    """
    p = source(text.format("par", "seq", "y[i] += x[i, j]"))  # iterations of j are not independent
    assert body(mult_loops(p, "i j", "k")).startswith("for k in seq(0, 4 * n):")
    p = source(text.format("par", "par", "x[i, j] += y[i]"))
    q = mult_loops(p, "i j", "k")
    assert body(q).startswith("for k in par(0, 4 * n):")
    same(p, q, n=3)


def test_mult_needs_a_constant_positive_count(refused: Refused) -> None:
    for hi in ("n", "0"):
        p = source(f"""
        def foo(n: size, x: f32[n, n]):
            for i in seq(0, n):
                for j in seq(0, {hi}):
                    x[i, j] = 1.0
        """)
        assert "constant, positive" in refused(mult_loops, p, "i j", "k").message


# -- cut_loop -----------------------------------------------------------------------------------------


def test_cut_gives_two_loops_that_share_no_variable(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, c: int, x: f32[n], y: f32[n]):
        assert 2 <= c
        assert c <= n
        for i in seq(2, n):
            a: f32
            a = y[i]
            x[i] = a
    """)
    loop, a = p.find_loop("i"), p.find_alloc("a")
    q, c = applied(cut_op("c"), p, loop)
    assert body(q).startswith("for i in seq(2, c):") and "for i in seq(c, n):" in body(q)
    assert c == q.find_loop("i") == q.forward(loop) and q.forward(a) == q.find_alloc("a")
    first, second = q.find_all("a: _")
    assert first.sym != second.sym
    for n, k in [(5, 3), (5, 2), (5, 5), (2, 2)]:
        same(p, q, n=n, c=k)


def test_cut_must_lie_in_the_range(refused: Refused) -> None:
    f = refused(cut_loop, COPY, "i", "lo + 1")
    assert "after the loop's end" in f.message and values(f)["lo"] + 1 > values(f)["n"]
    f = refused(cut_loop, COPY, "i", "n - 1")
    assert "before the loop's start" in f.message and values(f)["n"] - 1 < values(f)["lo"]


@pytest.mark.parametrize(
    ("cut", "what"), [("i", "means nothing"), ("n < 3", "integer"), ("Cfg.n", "config field"), ("y[0]", "control")]
)
def test_cut_at_an_integer_that_is_known_before_the_loop(cut: str, what: str, refused: Refused) -> None:
    f = refused(cut_loop, COPY, "i", CFG_N if cut == "Cfg.n" else cut)
    assert isinstance(f, BadArgument) and what in f.message


def test_cut_at_what_a_cursor_points_to_only_if_it_is_in_scope(body: Body, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1]):
        for i in seq(0, n):
            x[i + 1] = 0.0
    """)
    f = refused(cut_loop, p, "i", p.find("x[_] = _").idx()[0])
    assert isinstance(f, BadArgument) and "i is not in scope" in f.message
    assert body(cut_loop(p, "i", p.find_loop("i").hi())).startswith("for i in seq(0, n):")


def test_cut_must_not_evaluate_the_end_after_the_body_changed_it(refused: Refused) -> None:
    p = source("""
    def foo():
        for i in seq(0, Cfg.n):
            bump()
    """)
    assert isinstance(refused(cut_loop, p, "i", "0"), Unsafe)


# -- shift_loop ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["0", "-3", "n", "lo", "lo + n"])
def test_shift_to_anywhere(start: str, same: Same, applied: Applied) -> None:
    loop, s = COPY.find_loop("i"), COPY.find("x[_] += _")
    q, c = applied(shift_op(start), COPY, loop)
    assert c == q.find_loop("i") == q.forward(loop) and q.forward(s) == q.find("x[_] += _")
    for lo, n in [(0, 4), (3, 9), (5, 5), (7, 2)]:
        same(COPY, q, lo=lo, n=n)


def test_shift_folds_the_offset(body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(2, n):
            x[i] = 0.0
    """)
    assert body(shift_loop(p, "i", 5)) == "for i in seq(5, n + 3):\n    x[i - 3] = 0.0"
    assert body(shift_loop(shift_loop(p, "i", 0), "i", 2)).startswith("for i in seq(2, n")
