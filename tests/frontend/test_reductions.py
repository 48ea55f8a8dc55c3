"""Reductions by `+`, `*`, `min` and `max`: parsed, printed, found."""

from __future__ import annotations

import pytest

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir.externs import extern
from exo_strat.ir.nodes import Assign, ExternCall, Reduce

FOO = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n], s: f32):
    for i in seq(0, n):
        x[i] += y[i]
        x[i] *= y[i] + 1.0
        x[i] = min(x[i], y[i])
        s = max(s, x[i] * 2.0)
        x[i] = fmin(x[i], y[i])
""")


def test_each_is_a_reduction_by_its_operator() -> None:
    stmts = FOO.tree.body[0].body  # type: ignore[union-attr]
    assert [s.op for s in stmts if isinstance(s, Reduce)] == ["+", "*", "min", "max"]
    plain = stmts[4]
    assert isinstance(plain, Assign) and isinstance(plain.rhs, ExternCall)
    assert [c.op() for c in FOO.find_loop("i").body()[:4]] == ["+", "*", "min", "max"]  # type: ignore[union-attr]


def test_what_is_printed_parses_to_the_same() -> None:
    lines = [line.strip() for line in str(FOO).splitlines()]
    assert lines[3:6] == ["x[i] *= y[i] + 1.0", "x[i] = min(x[i], y[i])", "s = max(s, x[i] * 2.0)"]
    assert proc_from_source(str(FOO)).tree == FOO.tree


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("x[_] *= _", ["x[i] *= y[i] + 1.0"]),
        ("_ = min(_, _)", ["x[i] = min(x[i], y[i])"]),
        ("x[_] = min(x[_], y[_])", ["x[i] = min(x[i], y[i])"]),
        ("_ = max(_)", ["s = max(s, x[i] * 2.0)"]),
        ("s = max(s, _ * 2.0)", ["s = max(s, x[i] * 2.0)"]),
        ("x[_] = _", ["x[i] = fmin(x[i], y[i])"]),  # a reduction is no assignment
        ("x[_] = fmin(_)", ["x[i] = fmin(x[i], y[i])"]),
        ("x[_] += _", ["x[i] += y[i]"]),
    ],
)
def test_patterns_tell_them_apart(pattern: str, found: list[str]) -> None:
    marked = [line for c in FOO.find_all(pattern) for line in str(c).splitlines() if line.startswith("-->")]
    assert [line.removeprefix("-->").strip() for line in marked] == found


def test_a_pattern_for_another_operator_finds_nothing() -> None:
    assert not FOO.find_all("s *= _") and not FOO.find_all("s = min(_)") and not FOO.find_all("x[_] = max(_)")


@pytest.mark.parametrize("name", ["min", "max"])
def test_the_names_of_reductions_are_taken(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is the name of a reduction"):
        extern(name, 2, min, "")
