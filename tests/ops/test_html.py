"""How Ops and failures show in a notebook."""

from __future__ import annotations

import re

from exo_strat import (
    NotApplicable,
    Op,
    Proc,
    Script,
    at,
    divide_loop,
    fail,
    lift,
    proc_from_source,
    reorder_loops,
    seq,
    strategy,
    try_else,
)
from exo_strat.cursors.cursor import Cursor
from exo_strat.ops.failure import Failure, unsafe
from exo_strat.ops.html import CAUSES, MESSAGE, VALUES

SWEEP = proc_from_source("""
def sweep(n: size, a: f32[n + 1, n + 1]):
    for i in seq(0, n):
        for j in seq(0, n):
            a[i + 1, j] = a[i, j + 1]
""")


def shown(value: Op | Failure) -> str:
    return value._repr_html_()


def refused(op: Op, p: Proc = SWEEP) -> Failure:
    return op(p).failure()


def test_a_failure_shows_why_for_which_values_and_where() -> None:
    text = shown(refused(at("for i in _: _", reorder_loops())))
    assert "not true: iterations of i and j that change places commute" in text
    assert "one writes a[i + 1, j], the other reads a[i, j + 1]" in text
    heads, values = text[text.index("<table") :].partition("</tr>")[::2]
    assert re.findall("<th [^>]*>([^<]*)", heads) == ["i", "i&#x27;", "j", "j&#x27;", "n"]
    assert re.findall("<td [^>]*>([^<]*)", values) == ["0", "1", "1", "0", "2"]
    assert text.count("<svg") == 1
    assert "--> " in text and "<b>for</b> i in seq(0, n):" in text


def test_a_failure_without_a_counterexample_has_no_table() -> None:
    assert "<table" not in shown(refused(fail("no")))


def test_what_a_failure_says_is_no_markup() -> None:
    text = shown(refused(fail("<img src=x onerror=alert(1)>")))
    assert "<img" not in text and "&lt;img" in text


def test_causes_are_folded_but_for_a_single_one() -> None:
    one = at("for i in _: _", divide_loop(8, ("io", "ii"), tail="perfect"))
    both = shown(refused(one | at("for i in _: _", reorder_loops())))
    assert both.count("<details>") == 2
    alone = NotApplicable("the whole fails", causes=(refused(one),))
    assert shown(alone).count("<details open>") == 1


def test_many_causes_and_many_values_are_counted() -> None:
    alternatives = try_else(*(fail(f"reason {n}") for n in range(CAUSES + 5)))
    assert "5 more causes are left out" in shown(refused(alternatives))
    assert "3 more variables are left out" in shown(unsafe("x", {f"v{n}": n for n in range(VALUES + 3)}))
    assert len(shown(Failure("x" * 100_000))) < 2 * MESSAGE


def test_a_place_that_the_message_shows_is_shown_once() -> None:
    failure = refused(at("for i in _: _", reorder_loops()))
    assert failure.place is not None
    again = NotApplicable(f"look here\n{failure.place}", place=failure.place)
    assert shown(again).count("--&gt; ") + shown(again).count("--> ") == 1


def test_a_primitive_shows_its_equation() -> None:
    assert "for i: for j: s  ~&gt;  for j: for i: s" in shown(reorder_loops())
    assert "reorder_loops()" in shown(reorder_loops())


def test_a_strategy_shows_the_first_line_of_its_documentation() -> None:
    @strategy
    def two_by_two(p: Proc, c: Cursor) -> Script:
        """`a < b` in four words.

        Not this.
        """
        yield fail()

    assert "<code" in shown(two_by_two()) and "a &lt; b</code> in four words." in shown(two_by_two())
    assert "Not this" not in shown(two_by_two())


def test_combinators_show_the_python_that_makes_them() -> None:
    op = seq(*(at("for i in _: _", reorder_loops()) for _ in range(20)))
    assert shown(op).count("at(&#x27;for i in _: _&#x27;, reorder_loops())") == 20


def test_an_op_that_holds_a_lambda_can_be_shown() -> None:
    assert "lift(lambda" in shown(lift(lambda p, c: p))


def test_a_large_op_is_bounded() -> None:
    assert len(shown(seq(*(fail(f"reason {n}") for n in range(5_000))))) < 100_000
