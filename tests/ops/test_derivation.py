"""How a trace shows in a notebook."""

from __future__ import annotations

import re
from itertools import accumulate

from exo_strat import (
    Op,
    Trace,
    at,
    attempt,
    divide_loop,
    fail,
    identity,
    proc_from_source,
    rename,
    reorder_loops,
    repeat_n,
    seq,
    trace,
)
from exo_strat.ops.derivation import CHANGES, DEEPEST, STEPS

P = proc_from_source("""
def sums(n: size, m: size, x: f32[n, m], y: f32[n]):
    for k in seq(0, n):
        for j in seq(0, m):
            y[k] += x[k, j]
""")


def traced(op: Op) -> Trace:
    return trace(op, P)[1]


def shown(op: Op) -> str:
    return traced(op)._repr_html_()


def steps(text: str) -> int:
    return text.count("&nbsp;ok&nbsp;") + text.count("&nbsp;refused&nbsp;")


def test_a_step_shows_how_it_ended_its_time_its_questions_and_its_place() -> None:
    text = shown(at("for k in _: _", reorder_loops()))
    assert "&nbsp;ok&nbsp;" in text and " ms" in text and "question" in text
    assert "# for k in seq(0, n):" in text


def test_a_rewrite_shows_what_it_changed() -> None:
    text = shown(at("for k in _: _", reorder_loops()))
    assert "- " in text and "<del" in text and "<ins" in text


def test_a_refusal_shows_why_and_the_failure_of_the_whole_stands_first() -> None:
    text = shown(at("for k in _: _", divide_loop(4, ("ko", "ki"), tail="perfect")))
    assert text.index("not true: 4 divides") < text.index("refused after 0 rewrites")
    assert text.count("for instance with") >= 2  # in the failure, and at the step


def test_what_is_said_is_no_markup() -> None:
    text = shown(attempt(fail("<script>alert(1)</script>")))
    assert "<script" not in text and "&lt;script&gt;" in text


def test_a_film_of_thousands_of_rewrites_is_bounded() -> None:
    flat = traced(seq(*(rename(f"p{n}") for n in range(1_900))))
    assert flat.counts.rewrites == 1_900
    text = flat._repr_html_()
    assert len(text) < 400_000
    assert steps(text) == STEPS
    assert f"{1_900 - (STEPS - 1)} steps are inside left out" in text
    assert text.count("<ins") == CHANGES


def test_of_too_many_steps_the_one_that_failed_is_kept() -> None:
    text = shown(seq(*(rename(f"p{n}") for n in range(1_000)), fail("the end")))
    assert text.count("the end") >= 2
    assert steps(text) == STEPS + 1  # and the failure of the whole


def test_like_steps_are_counted() -> None:
    text = shown(repeat_n(rename("foo"), 20))
    assert "more like it" in text


def nested(op: Op, depth: int) -> Op:
    for n in range(depth):
        op = seq(rename(f"r{n}"), attempt(op))
    return op


def test_deep_derivations_end_somewhere() -> None:
    text = shown(nested(identity, 300))
    steps = re.findall("<(/?)details", text)
    assert max(accumulate(-1 if closing else 1 for closing in steps)) == DEEPEST
    assert "left out" in text
