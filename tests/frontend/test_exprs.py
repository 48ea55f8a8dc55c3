"""Expressions: precedence, literals, what is computed when, and expressions given as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import FrontendError, ObjectTypeError, ParseError, ScopeError
from exo_strat.frontend.exprs import constant, parse_expr, parse_window
from exo_strat.frontend.scope import Scope, scope_at
from exo_strat.ir.build import num
from exo_strat.ir.nodes import Binary, Const, Expr, Interval, Point, Unary, Var
from exo_strat.ir.printing import print_expr
from exo_strat.ir.types import R

P = proc_from_source("""
def f(n: size, m: index, flag: bool, x: f32[n + 8, 8], s: f32):
    for i in seq(0, n):
        s = x[i, 0]
""")


def scope() -> Scope:
    return replace(scope_at(P.tree, P.find("s = _").path), env={"W": 8, "ALPHA": 0.5, "ON": True})


def parsed(text: str) -> Expr:
    return parse_expr(text, scope())


def data(text: str) -> Expr:
    q = proc_from_source(f"def f(n: size, s: f32, t: f32):\n    s = {text}", {"W": 8, "ALPHA": 0.5})
    return q.tree.body[0].rhs  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "nested"),
    [
        ("n + m * 2", "n + (m * 2)"),
        ("n - m - 1", "(n - m) - 1"),
        ("n / 4 * 4", "(n / 4) * 4"),
        ("n % 4 / 2", "(n % 4) / 2"),
        ("-m % 4", "(-m) % 4"),
        ("-m * 2", "(-m) * 2"),
        ("n // 4", "n / 4"),
        ("not flag and n < m or m == 0", "((not flag) and (n < m)) or (m == 0)"),
        ("not n < m", "not (n < m)"),
        ("flag and n > 1 and m > 1", "(flag and (n > 1)) and (m > 1)"),
        ("0 <= m < n != 4", "((0 <= m) and (m < n)) and (n != 4)"),
        ("(n < m) == flag", "(n < m) == flag"),
        ("+n", "n"),
    ],
)
def test_operators_bind_as_in_python(text: str, nested: str) -> None:
    assert parsed(text) == parsed(nested)


def test_a_minus_that_touches_a_number_belongs_to_it() -> None:
    assert parsed("-5") == num(-5)
    assert parsed("-(5)") == parsed("- 5") == Unary("-", num(5))
    assert parsed("n - 5") == Binary("-", parsed("n"), num(5))
    assert parsed("--5") == Unary("-", num(-5))


def test_written_arithmetic_stays_as_written_and_python_constants_are_computed() -> None:
    assert parsed("2 * 4") == Binary("*", num(2), num(4))
    assert parsed("W * 2 + 1") == num(17)
    assert parsed("-W") == num(-8) and parsed("W") == num(8)
    assert parsed("n % (2 * 4)") == Binary("%", parsed("n"), parsed("2 * 4"))
    assert parsed("n / W") == Binary("/", parsed("n"), num(8))
    assert parsed("ON") == Const(True, parsed("flag == True").rhs.type)  # type: ignore[union-attr]


def test_the_value_of_a_constant() -> None:
    assert [constant(parsed(t)) for t in ("2 * (3 - 4)", "-(7) / 2", "-(7) % 4", "n + 1", "2 + m")] == [
        -2, -4, 1, None, None,
    ]  # fmt: skip
    assert constant(Binary("/", num(1), num(0))) is None


def test_integers_become_data_where_data_is_needed() -> None:
    assert data("1") == Const(1.0, R) and data("-1") == Const(-1.0, R)
    assert data("t * (2 + 1)") == data("t * (2.0 + 1.0)")
    assert data("ALPHA * t") == data("0.5 * t")
    assert data("9007199254740993.0") == Const(9007199254740993, R)
    assert data("1e300") == Const(1e300, R)
    with pytest.raises(ObjectTypeError, match="with a point"):
        data("1 / 2")
    with pytest.raises(ObjectTypeError, match=r"a control value \(int\)"):
        data("2 + n")


def test_a_variable_comes_from_the_scope() -> None:
    i = parsed("i")
    assert isinstance(i, Var) and i.sym == P.find_loop("i").sym
    with pytest.raises(ScopeError, match="'j' means nothing here"):
        parsed("j")


def test_a_window_as_text() -> None:
    sym, dims = parse_window("x[i:i + 8, 3]", scope())
    assert sym.name == "x" and isinstance(dims[0], Interval) and isinstance(dims[1], Point)
    assert print_expr(dims[0].hi, {}) == "i + 8"
    assert parse_window("x[2, 1]", scope())[1] == (Point(num(2)), Point(num(1)))
    whole = parse_window("x", scope())[1]
    assert [print_expr(d.hi, {}) for d in whole if isinstance(d, Interval)] == ["n + 8", "8"]
    assert parse_window("s", scope())[1] == ()


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("n +", ParseError, "not object code"),
        ("", ParseError, "an expression is needed"),
        ("n = 1", ParseError, "an expression is needed"),
        ("n; m", ParseError, "an expression is needed"),
        ("s", ObjectTypeError, "a control expression is needed here, not a data value"),
        ("  n / 0", ObjectTypeError, "at least 1"),
        ("\0", ParseError, "not object code"),
    ],
)
def test_bad_text(text: str, kind: type[FrontendError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        parsed(text)
    assert caught.value.place is not None and caught.value.place.file == "<text>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n", "a window needs a buffer"),
        ("x + 1", "cannot be combined"),
        ("n + 1", "a window is a buffer"),
        ("x[0]", "x has 2 dimensions, not 1"),
    ],
)
def test_bad_windows(text: str, message: str) -> None:
    with pytest.raises(ObjectTypeError, match=message):
        parse_window(text, scope())
