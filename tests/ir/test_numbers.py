"""Numbers: NumPy's and odd ones, as constants of a program and as arguments of primitives."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import pytest

from exo_strat import Config, Proc, SchedulingError, config, direct, divide_loop, f32, proc_from_source, reparse_env
from exo_strat.frontend.errors import ObjectTypeError, ParseError
from exo_strat.ir.numbers import is_integer, is_number, plain
from exo_strat.ir.types import bool_


class Width(IntEnum):
    FOUR = 4


@config
class Cfg:
    scale: f32
    on: bool


P = proc_from_source(
    """
def f(n: size, m: index, b: bool, x: f32[n, 8], y: f32[n]):
    t: f32[4, 8]
    Cfg.on = b
    for i in seq(0, n):
        if i < 4:
            t[i, 0] = y[i]
        y[i] = x[i, 0] * 2.0
""",
    {"Cfg": Cfg},
)


def again(p: Proc) -> bool:
    """Whether the text of a procedure reads as it is."""
    return str(proc_from_source(str(p), reparse_env(p.tree))) == str(p)


def test_plain_numbers() -> None:
    odd = (np.float32(0.5), np.int8(3), np.uint64(2**64 - 1), np.bool_(True), Width.FOUR, np.array(2))
    values = [plain(v) for v in odd]
    assert values == [0.5, 3, 2**64 - 1, True, 4, 2]
    assert [type(v) for v in values] == [float, int, int, bool, int, int]
    assert plain(P) is P and plain(None) is None
    with pytest.raises(ValueError, match="longer than object code has any"):
        plain(10**5000)
    assert is_integer(3) and not is_integer(True) and not is_integer(3.0)
    assert is_number(3.0) and not is_number(float("nan")) and not is_number(float("inf")) and not is_number(True)


@pytest.mark.parametrize("value", [np.float64(0.1), np.float32(0.1), np.int64(3), -0.0, 1e300, 2**60, Width.FOUR])
@pytest.mark.parametrize("text", ["y = W", "y = -W * W", "y = y + (W - 1.0) / W"])
def test_a_python_constant_is_printed_as_it_is_read(value: object, text: str) -> None:
    p = proc_from_source(f"def f(y: f32):\n    {text}", {"W": value})
    assert again(p) and "np." not in str(p) and "Width" not in str(p)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan"), 1j, "3", 10**500])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises((ParseError, ObjectTypeError), match=r"no number|not a value|bits"):
        proc_from_source("def f(y: f32):\n    y = W", {"W": value})


def test_a_truth_value_is_no_number() -> None:
    for value in (True, np.bool_(True)):
        with pytest.raises(ObjectTypeError, match="a data value is needed"):
            proc_from_source("def f(y: f32):\n    y = W", {"W": value})


def test_primitives_take_numpys_numbers_and_arrays() -> None:
    four, zero = np.int64(4), np.int32(0)
    assert divide_loop(four, ["io", "ii"]) == divide_loop(4, ["io", "ii"])
    assert "np" not in repr(divide_loop(four, ["io", "ii"]))
    guard = P.find("if _: _")
    for q in (
        direct.divide_loop(P, "i", four, ["io", "ii"]),
        direct.cut_loop(P, "i", zero),
        direct.rearrange_dim(P, "t", np.array([1, 0])),
        direct.expand_dim(P, "t", four, zero),
        direct.divide_dim(P, "t", np.uint8(1), four),
        direct.partial_eval(P, n=four, b=np.bool_(True)),
        direct.partial_eval(P, four, np.int8(-3)),
        direct.rewrite_expr(P, "2.0", np.float32(2.0)),
        direct.write_config(P, P.find_loop("i").before(), Cfg, "scale", np.float32(0.1)),
        direct.write_config(P, P.find("Cfg.on = _").before(), Cfg, "on", np.bool_(False)),
        direct.drop_guard(proc_from_source(GUARDED), "if _: _", np.float64(0.0)),
    ):
        assert again(q) and "np." not in str(q)
    assert guard.body()[np.int64(0)] == guard.body()[0]
    assert P.body()[np.int64(1) :][0] == P.body()[1] and P.body()[0].next(np.int64(1)) == P.body()[1]


GUARDED = """
def g(n: size, x: f32[n]):
    assert n <= 8
    a: f32[8]
    for i in seq(0, 8):
        if i < n:
            a[i] = x[i]
    for i in seq(0, n):
        x[i] = a[i]
"""


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("-inf")])
def test_primitives_take_no_infinite_number(value: float) -> None:
    for use in (
        lambda: direct.rewrite_expr(P, "2.0", value),
        lambda: direct.write_config(P, P.find_loop("i").before(), Cfg, "scale", value),
        lambda: direct.drop_guard(proc_from_source(GUARDED), "if _: _", value),
    ):
        with pytest.raises(SchedulingError, match=r"is needed, not -?(nan|inf)"):
            use()


def test_a_config_of_a_bool() -> None:
    assert isinstance(Cfg, Config) and Cfg.fields["on"] == bool_
