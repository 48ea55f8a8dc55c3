"""Rewrites of operations on integers of data: what holds of numbers modulo 2^n, and what does not."""

from __future__ import annotations

import pytest

from exo_strat import Proc, config, proc_from_source
from exo_strat.direct import (
    bind_config,
    bind_expr,
    commute_expr,
    inline_assign,
    left_reassociate_expr,
    rewrite_expr,
    set_precision,
    simplify,
)
from exo_strat.interp import run
from exo_strat.ops.failure import SchedulingError


@config
class Cfg:
    mask: u8  # type: ignore[name-defined]


def line(text: str, args: str = "a: u8, b: u8, c: u8, x: i32, r: u8") -> Proc:
    return proc_from_source(f"def p({args}):\n    {text}")


def test_a_wrapped_sum_is_no_operand_of_a_sum() -> None:
    """250 + 10 is 4 modulo 256, and 4 + 3 is 7; but 10 + 3 is 13, and 250 + 13 does not fit."""
    p = line("r = c + wrap_u8(a + b)")
    assert run(p, {"a": 250, "b": 10, "c": 3, "x": 0, "r": 0}).outputs["r"] == 7
    with pytest.raises(SchedulingError, match=r"the right operand is not made by '\+'"):
        left_reassociate_expr(p, "c + _")
    with pytest.raises(SchedulingError, match=r"not (true|provable)"):
        rewrite_expr(p, "c + _", "wrap_u8(c + a) + b")
    with pytest.raises(SchedulingError, match=r"not (true|provable)"):
        rewrite_expr(p, "wrap_u8(_)", "a + b")


def test_inside_of_a_wrap_all_is_exact() -> None:
    p = line("r = wrap_u8(a + (b + c) * a)")
    assert "wrap_u8((c + b) * a + a)" in str(commute_expr(commute_expr(p, "b + c"), "a + _"))
    assert "wrap_u8(a + b + c)" in str(left_reassociate_expr(line("r = wrap_u8(a + (b + c))"), "a + _"))


def test_no_law_is_applied_to_a_shift() -> None:
    """(5 >> 1) << 1 is 4."""
    p = line("x = (x >> 1) << 1")
    assert run(p, {"a": 0, "b": 0, "c": 0, "x": 5, "r": 0}).outputs["x"] == 4
    assert "x = (x >> 1) << 1" in str(simplify(p, p.root()))
    for new in ("x", "(x << 1) >> 1", "x & -2"):
        with pytest.raises(SchedulingError, match=r"not (true|provable)"):
            rewrite_expr(p, "_ << _", new)
    p = line("x = (x & 0) % 1")
    assert "x = (x & 0) % 1" in str(simplify(p, p.root()))


def test_a_wrap_is_no_conversion_that_an_assignment_does() -> None:
    """Found by random programs: 600 is 88 modulo 256."""
    for text in ("r = wrap_u8(a * 100)", "r = wrap_u8(b)", "r = wrap_u8(a)", "r = wrap_u8(u8(a + b))"):
        p = line(text)
        assert "wrap_u8(" in str(simplify(p, p.root()))


def test_operations_are_staged() -> None:
    p = proc_from_source("""
    def p(n: size, c: u32[n], p: u32):
        for i in seq(0, n):
            c[i] = (c[i] >> 1) ^ p
    """)
    assert "t = c[i] >> 1" in str(q := bind_expr(p, "_ >> _", "t"))
    assert "t: u32" in str(q) and "c[i] = t ^ p" in str(q)
    assert str(inline_assign(q, "t = _")).count("(c[i] >> 1) ^ p") == 1


def test_a_value_of_a_wrap_is_bound_only_if_it_fits() -> None:
    """Where `a + b` need not fit u8, no u8 holds it."""
    p = line("r = wrap_u8((a + b) * 2 + ~c)")
    for part in ("a + b", "~c", "_ * _", "2"):
        with pytest.raises(SchedulingError, match="need not fit its precision"):
            bind_expr(p, part, "t")
        with pytest.raises(SchedulingError, match="need not fit its precision"):
            bind_config(p, part, Cfg, "mask")
    assert "t = wrap_u8(" in str(bind_expr(p, "wrap_u8(_)", "t"))
    assert "wrap_u8((t + b) * 2.0 + ~c)" in str(bind_expr(p, "a", "t"))


def test_operands_of_a_quotient_in_a_wrap_fit_and_are_bound() -> None:
    q = bind_expr(line("r = wrap_u8(((a + b) >> 1) + c)"), "a + b", "t")
    assert "t = a + b" in str(q) and "wrap_u8((t >> 1) + c)" in str(q)
    q = bind_expr(line("x = wrap_i32((x << (x & 7)) * 3)"), "x & _", "t")
    assert "wrap_i32((x << t) * 3.0)" in str(q)


def test_what_fits_may_be_put_into_a_wrap() -> None:
    p = proc_from_source("""
    def p(a: u8, b: u8, r: u8):
        t: u8
        t = a + b
        r = wrap_u8(t * b)
    """)
    assert "r = wrap_u8((a + b) * b)" in str(inline_assign(p, "t = _"))


def test_an_equal_value_that_must_fit_is_shared_with_a_wrap() -> None:
    p = proc_from_source("""
    def p(a: u8, b: u8, r: u8, s: u8):
        r = a + b
        s = wrap_u8((a + b) * 3)
    """)
    q = bind_expr(p, p.find("a + b"), "t", cse=True)
    assert "s = wrap_u8(t * 3.0)" in str(q)
    with pytest.raises(SchedulingError, match="need not fit"):
        bind_expr(p, p.find("a + b #1"), "t", cse=True)


def test_patterns_find_operations() -> None:
    p = line("x = (~x & 7) + (x << 2) % 3 - tdiv(x, x >> 1)")
    for text, shown in (
        ("_ & 7", "~x & 7"), ("~_", "~x"), ("_ << 2", "x << 2"), ("_ % _", "(x << 2) % 3"),
        ("_ >> 1", "x >> 1"), ("tdiv(_)", "tdiv(x, x >> 1)"),
    ):  # fmt: skip
        assert [c.text() for c in p.find_all(text)] == [shown]
    assert not p.find_all("_ | _") and not p.find_all("-_")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x = x & 1 | x ^ 2 & x", "(x & 1) | (x ^ (2 & x))"),
        ("x = x << 1 + 2", "x << (1.0 + 2.0)"),
        ("x = x | x | 1", "x | x | 1"),
        ("x = x | (x | 1)", "x | (x | 1)"),
        ("x = -x // 2 * 3 % x", "-x // 2 * 3.0 % x"),
        ("x = x - (x - 1) // 2", "x - (x - 1.0) // 2"),
        ("x = x // (x // 2)", "x // (x // 2)"),
        ("x = ~-x + -~x", "~-x + -~x"),
        ("x = 8 // x + 7.0 // 2", "8 // x + 7.0 // 2.0"),
        ("x = ~5 & x", "~5.0 & x"),
        ("x = (x + 1) * (x >> 1)", "(x + 1.0) * (x >> 1)"),
        ("x = x ^ -1", "x ^ -1.0"),
        ("x ^= x + 1", "x ^ (x + 1.0)"),
        ("x <<= 2", "x << 2"),
    ],
)
def test_operations_are_printed_and_read_again(text: str, shown: str) -> None:
    p = line(text)
    assert str(p).splitlines()[1] == f"    x = {shown}"
    assert proc_from_source(str(p)).tree == p.tree


def test_fewer_bits_can_be_shifted_less() -> None:
    p = line("x = (x >> 15) + (x >> 20)")
    assert run(p, {"a": 0, "b": 0, "c": 0, "x": -1, "r": 0}).trap is None
    with pytest.raises(SchedulingError, match="`>>` may be by more bits than the 16 that a number would have"):
        set_precision(p, p.args()[3], "i16")
    assert "x: i64" in str(set_precision(p, p.args()[3], "i64"))
    p = line("x = x >> 15")
    assert "x: i16" in str(set_precision(p, p.args()[3], "i16"))
