"""Functions computed by procedures: what may take the place of an extern function."""

from __future__ import annotations

import pytest

from exo_strat import BadArgument, CallCursor, NotApplicable, Proc, at, proc_from_source
from exo_strat.direct import approximate, call_eqv
from exo_strat.interp import run
from exo_strat.primitives import approximate as approximate_op

NEAR = proc_from_source("def near(x: f32, y: f32): y = x - x * x * x / 6.0")


def parsed(body: str, arguments: str = "x: f32, y: f32", **env: object) -> Proc:
    return proc_from_source(f"def p({arguments}):\n    {body}\n", env)


def refusal(p: Proc, by: Proc) -> str:
    failure = at("sin(_)", approximate_op(by))(p).failure()
    assert isinstance(failure, BadArgument | NotApplicable)
    return failure.message


def test_the_procedure_computes_what_is_written_there() -> None:
    p = parsed("y = 2.0 * sin(x + 1.0)")
    q = approximate(p, "sin(_)", NEAR)
    assert str(q).endswith("near(x + 1.0, t)\n    y = 2.0 * t")
    assert run(q, {"x": 1, "y": None}).outputs["y"] == pytest.approx(2 * (2 - 8 / 6))


def test_cursors_to_what_is_passed_go_to_the_call() -> None:
    p = parsed("y = sin(x * 0.5)")
    passed = p.find("x * 0.5")
    q = approximate(p, "sin(_)", NEAR)
    call = q.find("near(_)")
    assert isinstance(call, CallCursor) and q.forward(passed) == call.args()[0]


def test_the_result_is_another_procedure() -> None:
    inner = parsed("y = sin(x)")
    caller = proc_from_source("def caller(x: f32, y: f32): inner(x, y)", {"inner": inner})
    with pytest.raises(Exception, match="are not versions of one procedure"):
        call_eqv(caller, "p(_)", approximate(inner, "sin(_)", NEAR))


@pytest.mark.parametrize(
    ("by", "why"),
    [
        ("def near(x: f32, z: f32, y: f32): y = x", "takes 3 arguments: 1 and a result are needed"),
        ("def near(x: f32[1], y: f32): y = x[0]", "numbers of one precision"),
        ("def near(x: f64, y: f32): y = x", "numbers of one precision"),
        ("def near(n: size, y: f32): y = 0.0", "numbers of one precision"),
        ("def near(x: f32, y: f32): y = x; x = 0.0", "write its last argument and no other"),
        ("def near(x: f32, y: f32): pass", "write its last argument and no other"),
        ("def near(x: f32, y: f32):\n    if x > 0.0:\n        y = x", "may leave its last argument as it was"),
        ("def near(x: f32, y: f32): y += x", "may leave its last argument as it was"),
        ("def near(x: f32, y: f32): y = y * x", "may read its last argument before it writes it"),
        ("def near(x: f32, y: f32): t: f32; y = x + t", "may read a buffer before it is written"),
        ("def near(x: f32, y: f32): assert x > 0.0; y = x", "assert nothing"),
    ],
)
def test_what_is_no_function_of_its_arguments_is_refused(by: str, why: str) -> None:
    assert why in refusal(parsed("y = sin(x)"), proc_from_source(by))


def test_a_procedure_that_calls_another_is_refused() -> None:
    outer = proc_from_source("def outer(x: f32, y: f32): near(x, y)", {"near": NEAR})
    assert "call no procedure" in refusal(parsed("y = sin(x)"), outer)


def test_other_precisions_are_refused() -> None:
    assert refusal(parsed("y = sin(x)", "x: f64, y: f64"), NEAR) == "near computes with f32, and this is f64"


def test_the_precision_is_that_of_what_is_read_and_not_of_what_is_written() -> None:
    q = approximate(parsed("y = sin(x)", "x: f32, y: f64"), "sin(_)", NEAR)
    assert "t: f32" in str(q)


@pytest.mark.parametrize(
    "body", ["y = sin(x) if x > 0.0 else 0.0", "if x > 0.0 and sin(x) > 0.0:\n        y = 0.0"]
)
def test_a_call_that_may_be_skipped_is_refused(body: str) -> None:
    assert "may be skipped" in refusal(parsed(body), NEAR)


def test_literals_are_not_shifted_at_a_precision_that_they_do_not_have() -> None:
    shifted = proc_from_source("def shifted(x: u8, k: u8, y: u8): y = x << k")
    p = parsed("y = (5.0 << 11) + u8(x)", "x: i16, y: i16")
    failure = approximate_op(shifted)(p, p.find("_ << _")).failure()
    assert "literals alone are shifted as at 64 bits" in failure.message
