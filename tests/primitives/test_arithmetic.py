"""Sums and products written otherwise: accepted, refused for each reason, what is returned, where cursors go."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import fold_into_reduce, left_reassociate_expr, lift_reduce_constant, split_write
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, SchedulingError, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import fold_into_reduce as fold_op
from exo_strat.primitives import lift_reduce_constant as lift_op
from exo_strat.primitives import split_write as split_op

Body = Callable[[Proc], str]
Same = Callable[..., None]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    scale: f32
    row: index


def foo(stmts: str, args: str = "n: size, x: f32[n + 4], y: f32[n + 4], s: f32, a: f32") -> Proc:
    """A procedure with these statements."""
    lines = "\n".join(f"    {line}" for line in stmts.strip("\n").splitlines())
    return proc_from_source(f"def foo({args}):\n{lines}", {"Cfg": Cfg})


# -- left_reassociate_expr ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("x[0] + (y[0] + a)", "x[0] + y[0] + a"),
        ("x[0] * (y[0] * a)", "x[0] * y[0] * a"),
        ("x[0] + (y[0] + (a + 1.0))", "x[0] + y[0] + (a + 1.0)"),
        ("(x[0] + 1.0) + (y[0] * a + a)", "x[0] + 1.0 + y[0] * a + a"),
    ],
)
def test_operands_are_grouped_to_the_left(value: str, want: str, body: Body, same: Same) -> None:
    p = foo(f"s = {value}")
    q = left_reassociate_expr(p, p.body()[0].rhs())
    assert body(q) == f"s = {want}"
    same(p, q, n=1)


@pytest.mark.parametrize("value", ["x[0] - (y[0] - a)", "x[0] + y[0] * a", "x[0] * (y[0] + a)", "(x[0] + y[0]) + a"])
def test_other_forms_are_not_grouped(value: str, refused: Refused) -> None:
    p = foo(f"s = {value}")
    assert isinstance(refused(left_reassociate_expr, p, p.body()[0].rhs()), NotApplicable)


def test_indices_are_grouped_too(body: Body) -> None:
    p = foo("for i in seq(0, n):\n    x[i + (1 + 2)] = 0.0")
    assert body(left_reassociate_expr(p, "i + _")) == "for i in seq(0, n):\n    x[i + 1 + 2] = 0.0"


# -- split_write --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s = a + y[0]", "s = a\ns += y[0]"),
        ("s += a + y[0]", "s += a\ns += y[0]"),
        ("s = s + y[0]", "s = s\ns += y[0]"),
        ("s = a * y[0]", "s = a\ns *= y[0]"),
        ("s *= a * y[0]", "s *= a\ns *= y[0]"),
        ("s = fmax(a, y[0])", "s = y[0]\ns = max(s, a)"),
        ("s = min(s, fmin(a, y[0]))", "s = min(s, y[0])\ns = min(s, a)"),
        ("x[0] = a + x[1]", "x[0] = a\nx[0] += x[1]"),
        ("s = a - y[0]", "s = a\ns += -y[0]"),
        ("s += a - y[0]", "s += a\ns += -y[0]"),
        ("s += a * (y[0] + y[1])", "s += a * y[0]\ns += a * y[1]"),
        ("s += -((y[0] + y[1]) * 2.0) / a", "s += -(y[0] * 2.0) / a\ns += -(y[1] * 2.0) / a"),
    ],
)
def test_a_write_becomes_two(before: str, after: str, body: Body, same: Same, applied: Applied) -> None:
    p = foo(before)
    q, c = applied(split_op(), p, p.body()[0])
    assert body(q) == after
    assert [str(s) for s in c] == [str(s) for s in q.body()]  # type: ignore[attr-defined]
    same(p, q, n=1)


@pytest.mark.parametrize(
    "write", ["s = a", "s = a / y[0]", "s *= a - y[0]", "s += a * y[0]", "s *= a + y[0]", "s = max(s, fmin(a, y[0]))"]
)
def test_a_value_made_otherwise_is_not_split(write: str, refused: Refused) -> None:
    p = foo(write)
    assert isinstance(refused(split_write, p, p.body()[0]), NotApplicable)


def test_the_second_operand_must_not_read_what_is_written(refused: Refused) -> None:
    assert isinstance(refused(split_write, foo("s = a + s"), "s = _"), Unsafe)
    assert isinstance(refused(split_write, foo("s += s * (a + y[0])"), "s += _"), Unsafe)
    p = foo("for i in seq(0, n):\n    x[i] = a + x[n - 1]")
    failure = refused(split_write, p, "x[_] = _")
    assert isinstance(failure, Unsafe) and failure.counterexample is not None
    assert failure.counterexample["i"] == failure.counterexample["n"] - 1


def test_the_second_operand_must_not_read_it_through_a_window(refused: Refused) -> None:
    p = foo("w = x[1:3]\nx[1] = a + w[0]")
    assert isinstance(refused(split_write, p, "x[_] = _"), Unsafe)
    assert split_write(foo("w = x[1:3]\nx[1] = a + w[1]"), "x[_] = _")


def test_a_cursor_to_the_write_stays_with_the_first() -> None:
    p = foo("s = a + y[0]")
    c = p.find("s = _")
    q = split_write(p, c)
    assert q.forward(c) == q.body()[0]
    assert q.forward(p.find("y[0]")) == q.find("y[0]")  # type: ignore[arg-type]


# -- fold_into_reduce ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s = s + y[0]", "s += y[0]"),
        ("s = y[0] + s", "s += y[0]"),
        ("s = s - y[0]", "s += -y[0]"),
        ("s = s * y[0]", "s *= y[0]"),
        ("s = fmin(y[0], s)", "s = min(s, y[0])"),
        ("s = fmax(s, a)", "s = max(s, a)"),
        ("s = s + s", "s += s"),
        ("s = s + y[0] + a", "s += y[0] + a"),
        ("s = y[0] + (a + s)", "s += y[0] + a"),
        ("s = y[0] + s - a", "s += y[0] - a"),
        ("s = a * s * y[0]", "s *= a * y[0]"),
        ("s = fmax(a, fmax(s, y[0]))", "s = max(s, fmax(a, y[0]))"),
        ("x[n + 1] = x[1 + n] + a", "x[n + 1] += a"),
        ("x[0] = x[1] + x[0]", "x[0] += x[1]"),
    ],
)
def test_an_assignment_becomes_a_reduction(before: str, after: str, body: Body, same: Same, applied: Applied) -> None:
    p = foo(before)
    q, c = applied(fold_op(), p, p.body()[0])
    assert body(q) == after and c == q.body()[0]
    same(p, q, n=1)


@pytest.mark.parametrize(
    "write",
    ["s = a", "s = a + y[0]", "s = a - s", "s = a - s + y[0]", "s = a * (s + y[0])", "s = relu(s)"],
)
def test_a_value_without_the_old_one_is_not_folded(write: str, refused: Refused) -> None:
    assert isinstance(refused(fold_into_reduce, foo(write), "s = _"), NotApplicable)


def test_the_old_value_must_be_of_the_place_that_is_written(refused: Refused) -> None:
    p = foo("for i in seq(0, n):\n    x[i] = x[i + 1] + a")
    assert isinstance(refused(fold_into_reduce, p, "x[_] = _"), Unsafe)
    p = foo("for i in seq(0, n):\n    x[i] = x[0] + a")
    failure = refused(fold_into_reduce, p, "x[_] = _")
    assert isinstance(failure, Unsafe) and failure.counterexample is not None and failure.counterexample["i"] != 0


def test_a_cursor_to_the_assignment_goes_to_the_reduction(body: Body) -> None:
    p = foo("for i in seq(0, n):\n    x[i] = x[i] + a")
    c = p.find("x[_] = _")
    assert str(fold_into_reduce(p, c).forward(c)).count("x[i] += a") == 1


# -- lift_reduce_constant -----------------------------------------------------------------------------

DOT = """
s = 0.0
for i in seq(0, n):
    s += a * x[i]
"""


def test_a_factor_comes_out_of_a_sum(body: Body, same: Same, applied: Applied) -> None:
    p = foo(DOT)
    q, c = applied(lift_op(), p, p.body()[0:2])
    assert body(q) == "s = 0.0\nfor i in seq(0, n):\n    s += x[i]\ns = a * s"
    assert c == q.body()[2]
    same(p, q, n=3)


@pytest.mark.parametrize(
    ("value", "rest", "factor"),
    [
        ("x[i] * a", "x[i]", "a"),
        ("2.0 * (x[i] * a)", "x[i] * a", "2.0"),
        ("x[i] * a * y[i]", "x[i] * y[i]", "a"),
        ("x[i] * (y[i] * a)", "x[i] * y[i]", "a"),
        ("(a + 1.0) * x[i]", "x[i]", "(a + 1.0)"),
        ("y[n] * x[i]", "x[i]", "y[n]"),
    ],
)
def test_the_factor_may_stand_anywhere_in_the_product(
    value: str, rest: str, factor: str, body: Body, same: Same
) -> None:
    p = foo(DOT.replace("a * x[i]", value))
    q = lift_reduce_constant(p, p.body()[0:2])
    assert body(q) == f"s = 0.0\nfor i in seq(0, n):\n    s += {rest}\ns = {factor} * s"
    same(p, q, n=3)


@pytest.mark.parametrize(
    ("value", "rest"), [("-x[i]", "x[i]"), ("-(x[i] * y[i])", "x[i] * y[i]"), ("x[i] * -y[i]", "x[i] * y[i]")]
)
def test_a_sign_comes_out_too(value: str, rest: str, body: Body, same: Same) -> None:
    p = foo(DOT.replace("a * x[i]", value))
    q = lift_reduce_constant(p, p.body()[0:2])
    assert body(q) == f"s = 0.0\nfor i in seq(0, n):\n    s += {rest}\ns = -s"
    same(p, q, n=3)


def test_the_sign_of_integers_stays() -> None:
    p = foo(DOT.replace("a * x[i]", "-x[i]"), "n: size, x: i8[n], s: i8")
    with pytest.raises(SchedulingError, match="the negative of a sum of i8 may not fit it"):
        lift_reduce_constant(p, p.body()[0:2])


@pytest.mark.parametrize(
    ("value", "rest", "divisor"),
    [("x[i] / 9.0", "x[i]", "9.0"), ("x[i] * y[i] / a", "x[i] * y[i]", "a"), ("x[i] / a / y[i]", "x[i] / y[i]", "a")],
)
def test_a_divisor_comes_out_too(value: str, rest: str, divisor: str, body: Body, same: Same) -> None:
    p = foo(DOT.replace("a * x[i]", value))
    q = lift_reduce_constant(p, p.body()[0:2])
    assert body(q) == f"s = 0.0\nfor i in seq(0, n):\n    s += {rest}\ns = s / {divisor}"
    same(p, q, n=3)


def test_a_divisor_that_may_be_zero_stays_in_a_loop_that_may_be_empty(body: Body, refused: Refused) -> None:
    average = "s = 0.0\nfor i in seq(1, n):\n    s += x[i] / {}"
    p = foo(average.format("a"))
    assert "divide by zero" in str(refused(lift_reduce_constant, p, p.body()[0:2]))
    p = foo(average.format("4.0"))
    assert body(lift_reduce_constant(p, p.body()[0:2])).endswith("s = s / 4.0")
    p = foo("s = 0.0\nfor i in seq(0, n):\n    s += a / x[i]")
    assert isinstance(refused(lift_reduce_constant, p, p.body()[0:2]), NotApplicable)


def test_a_factor_comes_out_of_a_nest_and_several_sums(body: Body, same: Same) -> None:
    p = foo("""
x[0] = 0.0
for i in seq(0, n):
    for j in seq(0, 2):
        x[0] += a * y[i]
    y[i] = 1.0
    if i < 1:
        x[0] += y[i] * a
""")
    q = lift_reduce_constant(p, p.body()[0:2])
    assert body(q).splitlines()[3] == "        x[0] += y[i]" and body(q).splitlines()[-1] == "x[0] = a * x[0]"
    same(p, q, n=3)


@pytest.mark.parametrize(
    "stmts",
    [
        "s = 1.0\nfor i in seq(0, n):\n    s += a * x[i]",
        "s = a\nfor i in seq(0, n):\n    s += a * x[i]",
        "s = 0.0\nfor i in seq(0, n):\n    s += x[i]",
        "s = 0.0\nfor i in seq(0, n):\n    s += x[i] * y[i]",
        "s = 0.0\nfor i in seq(0, n):\n    s += a + x[i]",
        "s = 0.0\nfor i in seq(0, n):\n    s *= a * x[i]",
        "s = 0.0\nfor i in seq(0, n):\n    x[i] += a * x[i]",
        "s = 0.0\nif n < 4:\n    s += a * x[0]",
        "s = 0.0\nfor i in seq(0, n):\n    s += a * x[i]\n    s += x[i]",
    ],
)
def test_other_forms_are_left(stmts: str, refused: Refused) -> None:
    p = foo(stmts)
    assert isinstance(refused(lift_reduce_constant, p, p.body()[0:2]), NotApplicable)


@pytest.mark.parametrize(
    "stmts",
    [
        # the sum does not start at zero, as it is read or written in between
        "s = 0.0\nfor i in seq(0, n):\n    s += a * x[i]\n    y[i] = s",
        "s = 0.0\nfor i in seq(0, n):\n    s += a * x[i]\n    s = 1.0",
        "s = 0.0\nfor i in seq(0, n):\n    s += a * s",
        "s = 0.0\nfor i in seq(0, n):\n    if s < 2.0:\n        s += a * x[i]",
        # another place than the one that was set to zero
        "x[0] = 0.0\nfor i in seq(0, n):\n    x[i] += a * y[i]",
        # the factor changes
        "s = 0.0\nfor i in seq(0, n):\n    s += a * x[i]\n    a = x[i]",
        "s = 0.0\nfor i in seq(0, n):\n    s += y[0] * x[i]\n    y[i] = 1.0",
        "s = 0.0\nfor i in seq(0, n):\n    s += Cfg.scale * x[i]\n    Cfg.scale = 1.0",
    ],
)
def test_a_factor_stays_where_it_would_change_the_sum(stmts: str, refused: Refused) -> None:
    p = foo(stmts)
    assert isinstance(refused(lift_reduce_constant, p, p.body()[0:2]), Unsafe)


def test_an_alias_of_the_sum_or_the_factor_counts(refused: Refused) -> None:
    p = foo("w = x[0:2]\nx[0] = 0.0\nfor i in seq(0, n):\n    x[0] += a * y[i]\n    y[i] = w[0]")
    assert isinstance(refused(lift_reduce_constant, p, p.body()[1:3]), Unsafe)
    p = foo("w = y[0:2]\ns = 0.0\nfor i in seq(0, n):\n    s += y[0] * x[i]\n    w[0] = 1.0")
    assert isinstance(refused(lift_reduce_constant, p, p.body()[1:3]), Unsafe)


def test_a_factor_is_not_evaluated_where_it_need_not_have_a_value(body: Body, refused: Refused) -> None:
    local = "t: f32\ns = 0.0\nfor i in seq({}, n):\n    s += t * x[i]"
    p = foo(local.format(1))
    failure = refused(lift_reduce_constant, p, p.body()[1:3])
    assert isinstance(failure, Unsafe) and "surely written" in str(failure)
    p = foo(local.format(0))  # this loop runs: t was read
    assert body(lift_reduce_constant(p, p.body()[1:3])).endswith("s = t * s")
    p = foo("s = 0.0\nfor i in seq(1, n):\n    s += (1.0 / a) * x[i]")
    assert "divide by zero" in str(refused(lift_reduce_constant, p, p.body()[0:2]))
    p = foo("s = 0.0\nfor i in seq(1, n):\n    s += Cfg.scale * x[i]")
    assert "Cfg.scale, which the expression reads" in str(refused(lift_reduce_constant, p, p.body()[0:2]))


def test_a_factor_must_be_in_bounds_after_the_loop(refused: Refused) -> None:
    guarded = "s = 0.0\nfor i in seq(0, 3):\n    if n > 2:\n        s += z[n - 3] * x[i]"
    p = foo(guarded, "n: size, x: f32[3], z: f32[n], s: f32")
    failure = refused(lift_reduce_constant, p, p.body()[0:2])
    assert isinstance(failure, Unsafe) and "bounds" in str(failure)


def test_old_cursors_follow_the_loop() -> None:
    p = foo(DOT)
    loop, total = p.find_loop("i"), p.find("s += _")
    q = lift_reduce_constant(p, p.body()[0:2])
    assert q.forward(loop) == q.find_loop("i") and q.forward(total) == q.find("s += _")


# -- the floor of a quotient is none of these ---------------------------------------------------------


@pytest.mark.parametrize("stmts", ["x[0] = x[0] // 2.0", "x[0] = (x[0] + a) // 2.0", "x[0] = 2.0 // x[0]"])
def test_a_floor_is_no_accumulation(stmts: str, refused: Refused) -> None:
    p = foo(stmts)
    assert isinstance(refused(fold_into_reduce, p, p.body()[0]), NotApplicable)


@pytest.mark.parametrize("value", ["(x[0] // 2.0) // 3.0", "x[0] // (y[0] // 3.0)", "(x[0] + y[0]) // 2.0"])
def test_floors_are_not_regrouped(value: str, refused: Refused) -> None:
    p = foo(f"s = {value}")
    assert isinstance(refused(left_reassociate_expr, p, p.body()[0].rhs()), NotApplicable)


@pytest.mark.parametrize("value", ["y[i] // a", "y[i] // 2.0", "(a * y[i]) // 2.0"])
def test_a_divisor_stays_under_its_floor(value: str, refused: Refused) -> None:
    """7 // 2 + 7 // 2 is not (7 + 7) // 2."""
    p = foo(f"s = 0.0\nfor i in seq(0, n):\n    s += {value}")
    assert isinstance(refused(lift_reduce_constant, p, p.body()), NotApplicable)
