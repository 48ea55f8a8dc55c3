"""`a if c else b`, and an `if` around one statement, as a call that evaluates both sides: what comes out, and what
stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.proc import Proc
from exo_strat.direct import eliminate_dead_code, evaluate_both, specialize
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]


@config
class Cfg:
    gain: f32


HEAD = "def foo(n: size, x: f32[n], y: f32[n], d: f64[n], k: i8[n], on: bool):\n    for i in {}(0, n):\n        "


def proc_of(line: str, mode: str = "seq") -> Proc:
    """One statement in a loop over all elements."""
    return proc_from_source(HEAD.format(mode) + line, {"Cfg": Cfg})


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("x[i] if x[i] < y[i] else 1.0", "select(x[i], y[i], x[i], 1.0)"),
        ("x[i] if x[i] > y[i] else 1.0", "select(y[i], x[i], x[i], 1.0)"),
        ("x[i] if x[i] >= y[i] else 1.0", "select(x[i], y[i], 1.0, x[i])"),
        ("x[i] if x[i] <= y[i] else 1.0", "select(y[i], x[i], 1.0, x[i])"),
        ("x[i] if x[i] == y[i] else 1.0", "select(x[i], y[i], 1.0, select(y[i], x[i], 1.0, x[i]))"),
        ("x[i] if x[i] != y[i] else 1.0", "select(x[i], y[i], x[i], select(y[i], x[i], x[i], 1.0))"),
        ("x[i] if not x[i] < y[i] else 1.0", "select(x[i], y[i], 1.0, x[i])"),
        ("x[i] if 0.0 < x[i] < 9.0 else 1.0", "select(0.0, x[i], select(x[i], 9.0, x[i], 1.0), 1.0)"),
        ("x[i] if x[i] < 0.0 or 9.0 < x[i] else 1.0", "select(x[i], 0.0, x[i], select(9.0, x[i], x[i], 1.0))"),
        ("erf(x[i]) if 0.0 < x[i] else tanh(x[i])", "select(0.0, x[i], erf(x[i]), tanh(x[i]))"),
    ],
)
def test_the_call_chooses_what_the_condition_did(text: str, call: str, body: Body, same: Same) -> None:
    p = proc_of(f"y[i] = {text}")
    q = evaluate_both(p, "_ if _ else _")
    assert body(q).splitlines()[-1].strip() == f"y[i] = {call}"
    same(p, q, n=3, on=True)


def test_what_the_condition_reads_is_there(body: Body) -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    t: f32[n]
    for i in seq(0, n):
        if x[i] > 0.0:
            t[i] = x[i]
    for i in seq(0, n):
        y[i] = t[i] if t[i] < 1.0 else 1.0
""")
    assert "select(t[i], 1.0, t[i], 1.0)" in body(evaluate_both(p, "_ if _ else _"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y[i] = x[i - 1] if i > 0 else 0.0", "the condition asks for control values"),
        ("y[i] = x[i] if on and x[i] < 0.0 else 0.0", "the condition asks for control values"),
        ("y[i] = x[i] if d[i] < 0.0 else 0.0", "a comparison is not at f32, as the value is"),
        ("d[i] = 0.1 if x[i] < 0.0 else 0.2", "a comparison is not at f64, as the value is"),
        ("k[i] = k[i] + 1 if k[i] < 100 else k[i]", "integers may overflow where they are not wanted"),
        ("y[i] = f32(k[i] * 2) if x[i] < 1.0 else 0.0", "integers may overflow where they are not wanted"),
        ("k[i] = i16(k[i]) * 2 if i16(k[i]) < 1 else 0", "integers may overflow where they are not wanted"),
        ("k[i] = u8(k[i]) if u8(k[i]) < 1 else 0", "integers may overflow where they are not wanted"),
        ("k[i] = i32(i) if i32(i) < 1 else 0", "integers may overflow where they are not wanted"),
        ("k[i] = i8(d[i]) if k[i] < 1 else 0", "integers may overflow where they are not wanted"),
    ],
)
def test_a_choice_of_another_form_is_left_alone(line: str, message: str, refused: Refused) -> None:
    f = refused(evaluate_both, proc_of(line), "_ if _ else _")
    assert isinstance(f, NotApplicable) and message in str(f)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y[i] = y[i] / x[i] if x[i] != 0.0 else 0.0", "it does not divide by zero"),
        ("y[i] = 1.0 if x[i] != 0.0 and y[i] / x[i] > 2.0 else 0.0", "it does not divide by zero"),
        ("y[i] = sqrt(x[i]) if x[i] >= 0.0 else 0.0", "sqrt surely has a value"),
        ("y[i] = Cfg.gain if x[i] >= 0.0 else 0.0", "Cfg.gain, which the expression reads, is surely written before"),
    ],
)
def test_a_side_that_may_have_no_value_is_not_evaluated(line: str, message: str, refused: Refused) -> None:
    f = refused(evaluate_both, proc_of(line), "_ if _ else _")
    assert isinstance(f, Unsafe) and message in str(f)


def test_a_side_that_was_never_written_is_not_read(refused: Refused) -> None:
    p = proc_from_source("""
def foo(x: f32, y: f32):
    t: f32
    if x > 0.0:
        t = x
    y = t if x > 0.0 else 0.0
""")
    f = refused(evaluate_both, p, "_ if _ else _")
    assert isinstance(f, Unsafe) and "t, which the expression reads, is surely written before" in str(f)


def test_a_side_that_another_thread_writes_is_not_read(refused: Refused) -> None:
    p = proc_of("if not 1.0 > 2.0: y[i] = y[0] if 1.0 > 2.0 else x[i]", "par")
    assert "no two iterations of i touch one location" in str(refused(evaluate_both, p, "_ if _ else _"))


def test_a_side_that_lies_out_of_bounds_is_not_read(refused: Refused) -> None:
    p = proc_of("y[i] = (x[i - 1] if x[i] > 0.0 else 0.0) if (x[i] > 0.0) == (i > 0) else 1.0")
    assert "x[i - 1] may be out of bounds" in str(refused(evaluate_both, p, "x[_] if _ else _"))


def test_sides_at_one_precision_of_integers_are_chosen(same: Same, body: Body) -> None:
    p = proc_of("k[i] = k[i] if k[i] < 100 else 7")
    q = evaluate_both(p, "_ if _ else _")
    assert body(q).splitlines()[-1].strip() == "k[i] = select(k[i], 100.0, k[i], 7.0)"
    same(p, q, n=3, on=False)


def test_operations_on_integers_that_always_fit_are_evaluated(same: Same, body: Body) -> None:
    p = proc_of("k[i] = 0 if k[i] < 0 else select(k[i], 9, k[i] >> 2 | 1, fmin(k[i], 90))")
    q = evaluate_both(p, "_ if _ else _")
    assert body(q).count("select") == 2
    same(p, q, n=3, on=False)
    p = proc_of("k[i] = i16(k[i]) if i16(k[i]) < 90 else 90")
    q = evaluate_both(p, "_ if _ else _")
    assert body(q).endswith("k[i] = select(i16(k[i]), 90.0, i16(k[i]), 90.0)")
    same(p, q, n=3, on=False)


# -- an `if` as a choice ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("if x[i] > 0.0: y[i] += x[i]", "y[i] += select(0.0, x[i], x[i], 0.0)"),
        ("if x[i] > 0.0: y[0] *= x[i]", "y[0] *= select(0.0, x[i], x[i], 1.0)"),
        ("if x[i] > 0.0: y[i] = expf(x[i])", "y[i] = select(0.0, x[i], expf(x[i]), y[i])"),
        ("if x[i] > 0.0: y[i] = x[i]\nelse: y[i] = 0.5", "y[i] = select(0.0, x[i], x[i], 0.5)"),
        ("if x[i] > 0.0: y[0] += x[i]\nelse: y[0] += 2.0", "y[0] += select(0.0, x[i], x[i], 2.0)"),
        ("if x[i] < 1.0: y[0] = max(y[0], x[i])\nelse: y[0] = max(y[0], 1.0)",
         "y[0] = max(y[0], select(x[i], 1.0, x[i], 1.0))"),
        ("if x[i] > 0.0: y[0] = max(y[0], x[i])", "y[0] = max(y[0], select(0.0, x[i], x[i], y[0]))"),
        ("if d[i] < 9.0: d[i] = min(d[i], x[i])", "d[i] = min(d[i], select(d[i], 9.0, f64(x[i]), d[i]))"),
        ("if x[i] <= 1.0: d[i] += x[i]", "d[i] += select(1.0, x[i], 0.0, x[i])"),
        ("if d[i] < 1.0: d[i] = x[i]", "d[i] = select(d[i], 1.0, f64(x[i]), d[i])"),
        ("if k[i] > 3: k[i] = 3", "k[i] = select(3.0, k[i], 3.0, k[i])"),
    ],
)  # fmt: skip
def test_a_branch_becomes_a_choice(lines: str, value: str, body: Body, same: Same) -> None:
    p = proc_of(lines.replace("\n", "\n        "))
    q = evaluate_both(p, "if _: _")
    assert body(q).splitlines()[-1].strip() == value
    same(p, q, n=3, on=True)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("if i < 1: y[i] += x[i]", "the condition asks for control values"),
        ("if x[i] > 0.0:\n    y[i] = 0.0\n    x[i] = 0.0", "an `if` that holds one statement is needed"),
        ("if x[i] > 0.0: pass", "the `if` must hold an assignment or a reduction"),
        ("if x[i] > 0.0: y[i] = x[i]\nelse: y[i] += x[i]", "must write the same place in the same way"),
        ("if x[i] > 0.0: y[i] *= x[i]\nelse: y[i] += x[i]", "must write the same place in the same way"),
        ("if x[i] > 0.0: d[i] = f64(x[i])", "a comparison is not at f64, as the value is"),
        ("if k[i] > 0: k[i] += k[i] * k[i]", "integers may overflow where they are not wanted"),
    ],
)
def test_a_branch_of_another_form_stays(lines: str, message: str, refused: Refused) -> None:
    f = refused(evaluate_both, proc_of(lines.replace("\n", "\n        ")), "if _: _")
    assert isinstance(f, NotApplicable) and message in str(f)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("if x[i] > 0.0: y[i] += sqrt(x[i])", "sqrt surely has a value"),
        ("if x[i] > 0.0: y[i] = x[i]\nelse: y[0] = x[i]", "both branches write one place"),
        ("t: f32\nif x[i] > 0.0: t = x[i]", "t, which the expression reads, is surely written before"),
        ("t: f32\nif x[i] > 0.0: t = max(t, x[i])", "t, which the expression reads, is surely written before"),
    ],
)
def test_a_branch_that_keeps_something_away_stays(lines: str, message: str, refused: Refused) -> None:
    f = refused(evaluate_both, proc_of(lines.replace("\n", "\n        ")), "if _: _")
    assert isinstance(f, Unsafe) and message in str(f)


def test_cursors_follow_what_a_branch_held() -> None:
    p = proc_of("if x[i] > 0.0: y[i] += x[i]")
    q = evaluate_both(p, "if _: _")
    statement, compared = q.forward(p.find("y[_] += _")), q.forward(p.find("_ > _").lhs())
    assert statement.rhs().text().startswith("select") and compared.stmt().path == statement.path


# -- a side that is known -----------------------------------------------------------------------------


def test_a_choice_that_is_decided_becomes_its_side(body: Body, same: Same) -> None:
    p = proc_of("y[i] = 2.0 * (x[i] if i < n else 0.0)")
    q = eliminate_dead_code(p, p.find("_ if _ else _"))
    assert body(q).splitlines()[-1].strip() == "y[i] = 2.0 * x[i]"
    same(p, q, n=3, on=True)


def test_a_branch_decides_on_data_for_the_choices_in_it(body: Body, same: Same) -> None:
    p = proc_of("y[i] = x[i] if d[i] < 9.0 else 1.0")
    q = specialize(p, p.find("y[_] = _"), "d[i] < 9.0")
    for choice in q.find("_ if _ else _", many=True):
        q = eliminate_dead_code(q, choice)
    lines = [line.strip() for line in body(q).splitlines()[1:]]
    assert lines == ["if d[i] < 9.0:", "y[i] = x[i]", "else:", "y[i] = 1.0"]
    same(p, q, n=3, on=True)


def test_a_choice_that_is_open_stays(refused: Refused) -> None:
    p = proc_of("y[i] = x[i] if i > 0 else 1.0")
    f = refused(eliminate_dead_code, p, p.find("_ if _ else _"))
    assert isinstance(f, Unsafe) and "for instance with i = 0" in str(f)
    q = proc_of("y[i] = x[i] if x[i] > 0.0 else 1.0")
    assert isinstance(refused(eliminate_dead_code, q, q.find("_ if _ else _")), Unsafe)
    r = proc_of("if x[i] > 0.0:\n            x[i] = -1.0\n            y[i] = x[i] if x[i] > 0.0 else 1.0")
    assert isinstance(refused(eliminate_dead_code, r, r.find("_ if _ else _")), Unsafe)


def test_a_value_is_not_turned_into_a_place(refused: Refused) -> None:
    reset = proc_from_source("def reset(a: f32, to: f32):\n    to = 0.0\n    to += a")
    p = proc_from_source("def foo(n: size, x: f32, y: f32):\n    reset(x if n > 0 else 1.0, y)", {"reset": reset})
    assert "passed by reference" in str(refused(eliminate_dead_code, p, p.find("_ if _ else _")))
