"""Every violation that the harness, or a helper of it, ever found, by name: what was accepted or claimed once, and
is not any more."""

from __future__ import annotations

from textwrap import indent

import pytest
from returns.result import Success

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ops.failure import SchedulingError, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import (
    bind_expr,
    call_eqv,
    commute_expr,
    cut_loop,
    delete_config,
    expand_dim,
    guard_first,
    inline,
    inline_assign,
    lift_alloc,
    lift_reduce_constant,
    merge_writes,
    rearrange_dim,
    rename,
    reorder_stmts,
    rewrite_expr,
    set_window,
    shift_loop,
    simplify,
    specialize,
    split_write,
    stage_mem,
)
from exo_strat.testing import assert_lawful
from exo_strat.testing.counterexamples import assert_real
from exo_strat.testing.forwarding import assert_forwarding
from exo_strat.testing.laws import assert_head_stays
from exo_strat.testing.library import environment


def parsed(text: str, **names: object) -> Proc:
    return proc_from_source(text, {**environment(), **names})


def test_a_scalar_has_no_dimensions_to_rearrange() -> None:
    p = parsed("def foo(x: f32[2]):\n    a: f32\n    a = 1.0\n    x[0] = a")
    with pytest.raises(SchedulingError, match="no dimensions to rearrange"):
        rearrange_dim.direct(p, "a", ())


def test_two_callees_of_one_name_print_with_numbers() -> None:
    """The text of the procedure named both."""
    old = parsed("def bar(v: [f32][4]):\n    for i in seq(0, 4):\n        v[i] = 0.0")
    new = rename.direct(shift_loop.direct(rename.direct(old, "other"), "i", 1), "bar")
    p = parsed("def foo(x: f32[4]):\n    bar(x[0:4])\n    bar(x[0:4])", bar=old)
    q = call_eqv.direct(p, "bar(_)", new)
    assert [line.strip() for line in str(q).splitlines()[1:]] == ["bar(x[0:4])", "bar_1(x[0:4])"]
    assert_lawful(p, q, str(p))


def test_a_procedure_for_dense_arguments_only_does_not_stand_for_one_for_windows() -> None:
    old = parsed("def bar(n: size, x: [f32][n]):\n    x[0] = x[0]")
    dense = rename.direct(set_window.direct(old, "x", False), "dense")
    p = parsed("def foo(y: f32[4, 4]):\n    bar(4, y[0:4, 1])", bar=old)
    with pytest.raises(SchedulingError):
        call_eqv.direct(p, "bar(_)", dense)


def test_a_literal_factor_is_rewritten_into_a_product_of_variables() -> None:
    """The text is object code."""
    p = parsed("def foo(n: size, u: f32[6]):\n    assert n == 4\n    for i in seq(0, 2):\n        u[2 * i] = 0.0")
    factor = p.find("u[_] = _").idx()[0].lhs()  # type: ignore[union-attr]
    q = rewrite_expr.direct(p, factor, "n / 2")
    assert str(parsed(str(q))) == str(q)


def test_no_counterexample_runs_through_a_branch_on_config_fields() -> None:
    """Here the write never happens: the claim that its value is read was made with sizes and iterations."""
    p = parsed(
        "def foo(n: size, x: f32[n]):\n    Cfg.on = False\n    for i in seq(0, n):\n        if Cfg.on:\n"
        "            Cfg.scale = x[0]\n        Cfg.mode = 1\n    for i in seq(0, n):\n"
        "        Cfg.scale = Cfg.scale + 1.0"
    )
    outcome = delete_config()(p, p.find_all("Cfg.scale = x[0]")[0])
    if not isinstance(outcome, Success):
        failure = outcome.failure()
        assert isinstance(failure, Unsafe) and assert_real(p, failure) == "none"


def test_a_counterexample_may_need_arguments_that_it_does_not_name() -> None:
    p = parsed(
        "def foo(n: size, c: index, x: f32[n]):\n    assert 0 <= c\n    assert c <= n\n"
        "    for i in seq(0, c + 1):\n        for j in seq(0, 4):\n            x[0] = 0.0"
    )
    failure = cut_loop("i / 2")(p, p.find_loop("j")).failure()  # type: ignore[arg-type]
    assert assert_real(p, failure) == "real"


def test_an_index_that_a_field_bounds_can_be_bound() -> None:
    """What a config field was known to hold once counted for calls only: the result was not well-formed."""
    p = parsed("def foo(u: f32[6]):\n    Cfg.mode = 0\n    tell(u[Cfg.mode], 0)")
    q = bind_expr.direct(p, "u[_]", "a")
    assert_lawful(p, q, str(p))


def test_an_extent_that_is_positive_for_what_a_field_holds_can_be_lifted() -> None:
    """The static checks did not know once what the field holds: the result was not well-formed."""
    p = parsed(
        "def foo(y: f32[4]):\n    Cfg.mode = 2\n    for i in seq(2, 2):\n"
        "        a: f32[Cfg.mode]\n        a[0] = 1.0\n        y[0] = a[0]"
    )
    q = lift_alloc.direct(p, "a")
    assert_lawful(p, q, str(p))


def test_a_value_that_a_later_iteration_reads_at_another_index_is_kept() -> None:
    """The read stands after the assignment, but is not of the element that the same iteration writes."""
    p = parsed(
        "def foo(x: f32[4], y: f32[4]):\n    a: f32[5]\n    for i in seq(0, 5):\n        a[i] = 0.0\n"
        "    for j in seq(0, 4):\n        a[j + 1] = x[j]\n        y[j] = a[j]"
    )
    with pytest.raises(SchedulingError, match="no later iteration reads"):
        inline_assign.direct(p, "a[j + 1] = _")


def test_extents_of_an_instruction_may_be_written_otherwise() -> None:
    """It takes what it took."""
    p = parsed("@instr('t({y});')\ndef foo(n: size, y: [f32][n + 2]):\n    y[0] = 0.0")
    q = commute_expr.direct(p, p.args()[1].shape()[0])
    assert "[f32][2 + n]" in str(q)
    assert_head_stays(p, q)


@pytest.mark.parametrize(
    ("text", "op", "place"),
    [
        ("x[0] = r\nCfg.on = True\ntoggle(x)", reorder_stmts("toggle(_)"), "Cfg.on = _"),
        ("for i in par(0, n):\n    a[i] = x[i]\n    x[i] = a[i]", specialize("x[0] < 2.0"), "a[_] = _"),
        ("for i in seq(0, n):\n    if i < 3:\n        a[0] = x[i]\n    x[i] = a[0]", expand_dim("4", "i % 2"), "a: _"),
    ],
)
def test_a_counterexample_may_be_of_accesses_that_only_some_programs_make(text: str, op: Op, place: str) -> None:
    """A field that a callee asserts, a condition that the rewrite would add, data that is asserted."""
    head = "def foo(n: size, x: f32[4], r: f32):\n    assert n == 4\n    assert r < 2.0\n    a: f32[4]\n"
    p = parsed(head + indent(text, "    "))
    failure = op(p, p.find(place)).failure()
    assert isinstance(failure, Unsafe) and assert_real(p, failure) in ("real", "open", "none")


def test_a_value_that_is_put_in_keeps_the_precision_at_which_it_was_held() -> None:
    """Else the product would overflow 32 bits in C."""
    p = parsed("def foo(x: i32[4], y: i64[4]):\n    a: i64\n    a = x[0]\n    y[0] = a * a")
    assert "y[0] = i64(x[0]) * i64(x[0])" in str(inline_assign.direct(p, "a = _"))


def test_a_new_dimension_keeps_apart_what_was_written_last() -> None:
    """The last iteration reads what the one before it wrote; at its own index, an older value is written, too."""
    p = parsed(
        "def foo(x: f32[4], y: f32[4]):\n    a: f32\n    for i in seq(0, 4):\n"
        "        if i < 3:\n            a = x[i]\n        y[i] = a"
    )
    with pytest.raises(SchedulingError, match="written last"):
        expand_dim.direct(p, "a: _", 4, "i % 2")
    assert "a[i] = x[i]" in str(expand_dim.direct(parsed(str(p).replace("i < 3", "i < 4")), "a: _", 4, "i"))


def test_code_that_no_dense_tensor_reaches_must_not_race_in_a_window() -> None:
    p = parsed(
        "def foo(n: size, x: f32[n], r: f32):\n    if stride(x, 0) == 2:\n"
        "        for i in par(0, 4):\n            r = r + x[0]"
    )
    with pytest.raises(SchedulingError, match="no two iterations of i touch"):
        set_window.direct(p, "x")


def test_writes_that_convert_are_merged_at_the_precision_of_what_they_write() -> None:
    """Else the sum would overflow 8 bits, or be of two precisions."""
    p = parsed("def foo(x: i8[4], y: i16[4], r: i32):\n    r = x[0] * x[0]\n    r += y[1]\n    r += 100.0")
    q = merge_writes.direct(p, "r = _", "r += y[_]")
    assert "r = i32(x[0] * x[0]) + i32(y[1])" in str(q)
    again = merge_writes.direct(q, "r = _", "r += 100.0")
    assert "+ 100.0" in str(again)


@pytest.mark.parametrize("precisions", [("i32", "i8"), ("f32", "i32"), ("i32", "u32"), ("f64", "f32")])
def test_a_part_of_a_sum_may_not_fit_where_the_sum_does(precisions: tuple[str, str]) -> None:
    """`100 + 100 - 150` fits 8 bits, 200 does not; 0.5 + 0.5 is a whole number."""
    own, held = precisions
    p = parsed(f"def foo(x: {own}[4], r: {held}):\n    r = x[0] + x[1]")
    with pytest.raises(SchedulingError, match="may not hold a part of it"):
        split_write.direct(p, "r = _")
    text = "    r = 0.0\n    for i in seq(0, 4):\n        r += c * x[i]"
    p = parsed(f"def foo(x: {own}[4], c: {own}, r: {held}):\n{text}")
    with pytest.raises(SchedulingError, match="may not hold a part of it"):
        lift_reduce_constant.direct(p, p.body())


def test_a_value_that_is_rounded_before_it_is_held_is_not_taken_apart() -> None:
    """The product is one of 24 bits; taken apart it would be made in double precision."""
    p = parsed("def foo(x: f32[4], r: f64):\n    r = x[0] * x[1]")
    with pytest.raises(SchedulingError, match="computed at f32: r is f64"):
        split_write.direct(p, "r = _")
    p = parsed("def foo(x: f32[4], c: f32, r: f64):\n    r = 0.0\n    for i in seq(0, 4):\n        r += c * x[i]")
    with pytest.raises(SchedulingError, match="computed at f32: r is f64"):
        lift_reduce_constant.direct(p, p.body())


def test_a_maximum_may_start_from_a_value_of_the_code_before() -> None:
    """A cursor to that value stays where it is."""
    p = parsed("def foo(x: f32, y: f32[4]):\n    x = 0.5\n    for j in seq(0, 4):\n        x = max(x, y[j])")
    q = stage_mem.direct(p, "for j in _: _", "x", "t", accum=True)
    assert str(q).count("0.5") == 2 and q.forward(p.find("0.5")) == q.find("0.5")
    assert_forwarding(p, stage_mem("x", "t", accum=True), p.find_loop("j").as_block(), q)


def test_the_difference_of_unsigned_numbers_is_split_where_it_is_held() -> None:
    """What is subtracted has no negative at its own precision: the result was 2**32 too large."""
    p = parsed("def foo(x: u32[4], r: i64):\n    r = x[0] - x[1]")
    assert "r += -i64(x[1])" in str(split_write.direct(p, "r = _"))


def test_a_factor_that_comes_out_of_a_sum_is_converted() -> None:
    p = parsed("def foo(x: i8[4], c: i8, r: i32):\n    r = 0.0\n    for i in seq(0, 4):\n        r += c * x[i]")
    assert "r = i32(c) * r" in str(lift_reduce_constant.direct(p, p.body()))


def test_literals_that_are_put_in_keep_the_precision_at_which_they_were_held() -> None:
    """Else 100 + 100 would be computed in 8 bits."""
    p = parsed("def foo(y: i8[4]):\n    a: i32\n    a = 100.0\n    y[0] = (a + a) // 2")
    assert "(i32(100.0) + i32(100.0)) // 2" in str(inline_assign.direct(p, "a = _"))
    p = parsed("def foo(y: i32[4]):\n    a: i32\n    a = 100.0\n    y[0] = (a + a) // 2")
    assert "(100.0 + 100.0) // 2" in str(inline_assign.direct(p, "a = _"))


def test_an_argument_that_is_inlined_keeps_the_precision_at_which_it_was_passed() -> None:
    square = parsed("def square(a: i64, r: i64):\n    r = a * a")
    p = parsed("def foo(x: i32[4], r: i64):\n    square(x[0] + 1.0, r)\n    square(9.0, r)", square=square)
    assert "r = i64(x[0] + 1.0) * i64(x[0] + 1.0)" in str(p := inline.direct(p, "square(x[_] + _, _)"))
    assert "r = 9.0 * 9.0" in str(inline.direct(p, "square(_)"))


def test_what_is_left_of_a_simplified_value_keeps_its_precision() -> None:
    """Else 100 + 100 would be computed in 8 bits."""
    p = parsed("def foo(x: i32[4], y: i8[4]):\n    y[0] = (0.0 * x[0] + 100.0 + 100.0) // 2")
    assert "i32(" in str(simplify.direct(p))


def test_equal_literals_of_other_precisions_are_not_bound_together() -> None:
    p = parsed("def foo(x: i32[4], y: i8[4]):\n    x[0] = x[1] + 2.0\n    y[0] = y[1] + 2.0\n    x[2] = x[3] + 2.0")
    q = bind_expr.direct(p, p.find("x[0] = _").rhs().rhs(), "a", cse=True)  # type: ignore[union-attr]
    assert "a: i32" in str(q) and "y[1] + 2.0" in str(q) and "x[3] + a" in str(q)


def test_a_bound_argument_has_the_precision_of_the_parameter() -> None:
    """A literal took that of 32-bit floats, which the backend then refused."""
    twice = parsed("def twice(a: f64, r: f64):\n    r = a + a")
    p = parsed("def foo(r: f64):\n    twice(2.0, r)", twice=twice)
    assert "a: f64" in str(bind_expr.direct(p, p.find("2.0"), "a"))


def test_no_counterexample_is_claimed_in_a_loop_up_to_a_config_field() -> None:
    """It named a second iteration, which the field that was set before the loop rules out."""
    p = parsed("""
def foo(n: size, x: f32[n], r: f32):
    Cfg.mode = 1
    for i in seq(0, Cfg.mode):
        for j in seq(0, i + 1):
            r = Cfg.scale
            x[0] = Cfg.scale
""")
    failure = guard_first("i")(p, p.find("r = _")).failure()
    assert "runs in the first iteration of i" in str(failure) and "for instance" not in str(failure)
