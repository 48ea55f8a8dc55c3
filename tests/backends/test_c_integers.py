"""Integer data: the floor of a quotient, and conversions, mean in C what they mean to the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from backends import jit
from backends.c import compile
from backends.c.errors import PrecisionError
from backends.c.module import MODULO
from exo_strat import Proc, bind_expr, inline_assign, proc_from_source
from exo_strat.interp import run

Code = Callable[..., Proc]
PRECISIONS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def drawn(precision: str, n: int) -> np.ndarray:
    """Integers of a precision, both ends and zero among them."""
    info = np.iinfo(f"{precision[0]}{int(precision[1:]) // 8}")
    rng = Random(precision)
    ends = [int(info.min), int(info.max), 0, 1, -1 if info.min else 2]
    return np.array([*ends, *(rng.randint(info.min, info.max) for _ in range(n - len(ends)))], info.dtype)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("divisor", ["3", "8", "9", "100", "-3"])
def test_a_quotient_is_the_floor(code: Code, precision: str, divisor: str) -> None:
    if divisor.startswith("-") and precision.startswith("u"):
        divisor = "7"
    p = code(f"""
    def p(n: size, x: {precision}[n], y: {precision}[n]):
        for i in seq(0, n):
            y[i] = x[i] // {divisor}
    """)
    x = drawn(precision, 40)
    y = np.zeros_like(x)
    jit(p)(40, x, y)
    assert y.tolist() == [v // int(divisor) for v in x.tolist()]
    assert y.tolist() == list(run(p, {"n": 40, "x": x.tolist(), "y": [0] * 40}).outputs["y"])  # type: ignore[arg-type]


def test_a_quotient_of_two_values(code: Code) -> None:
    p = code("""
    def p(x: i32[4], y: i32[4], z: i32[4]):
        for i in seq(0, 4):
            z[i] = x[i] // y[i]
    """)
    x, y, z = (np.array(v, np.int32) for v in ([7, -7, 7, -7], [2, 2, -2, -2], [0] * 4))
    jit(p)(x, y, z)
    assert z.tolist() == [3, -4, -4, 3]
    trap = run(p, {"x": [1] * 4, "y": [1, 0, 1, 1], "z": [0] * 4}).trap
    assert trap is not None and trap.kind == "domain"


def test_a_conversion_widens_what_is_computed(code: Code) -> None:
    """255 * 255 * 255 needs 24 bits; without the conversions, it would be divided at 8 bits."""
    p = code("""
    def p(x: u8, y: i32[1], z: f64[1]):
        y[0] = (i32(x) * i32(x) * i32(x)) // 255
        z[0] = f64(x) / 2.0 + f64(x * 1.0)
    """)
    y, z = np.zeros(1, np.int32), np.zeros(1)
    jit(p)(255, y, z)
    assert y[0] == 255 * 255 and z[0] == 382.5
    assert run(p, {"x": 255, "y": [0], "z": [0]}).outputs["y"] == (255 * 255,)


def test_operands_are_of_one_precision_and_quotients_of_integers(code: Code) -> None:
    for rhs, why in (
        ("x[0] // 2.0", "needs an integer precision, not f32: convert with i32"),
        ("k[0] // h[0]", "i32 and i16"),
        ("i32(h[0]) + h[0]", "i32 and i16"),
        ("k[0] / 3.0", "would round; use `//`"),
        ("f32(k[0] / 3.0)", "would round"),
        ("u8(300.0)", "outside the range of u8"),
    ):
        p = code(f"""
    def p(x: f32[4], k: i32[4], h: i16[4]):
        k[1] = {rhs}
    """)
        with pytest.raises(PrecisionError, match=why.replace("(", r"\(")):
            jit(p)


def test_a_name_for_a_value_has_the_precision_to_which_it_is_converted(code: Code) -> None:
    p = code("""
    def p(x: u8[4], y: i32[4]):
        for i in seq(0, 4):
            y[i] = i32(x[i]) * i32(x[i])
    """)
    q = bind_expr.direct(p, "i32(_)", "t", cse=True)
    assert "t: i32 @" in str(q) and "y[i] = t * t" in str(q)
    x, y = np.array([1, 2, 100, 255], np.uint8), np.zeros(4, np.int32)
    jit(q)(x, y)
    assert y.tolist() == [1, 4, 10000, 65025]
    assert str(inline_assign.direct(q, "t = _")).count("i32(x[i])") == 2


def test_an_operator_is_printed_and_parses_to_the_same() -> None:
    p = proc_from_source("""
def p(n: size, x: u8[n // 2 + 1], y: u16[n]):
    y[n // 2] = u16(x[n // 2]) // 3 + y[0]
""")
    assert "y[n / 2] = u16(x[n / 2]) // 3 + y[0]" in str(p)
    assert proc_from_source(str(p)).tree == p.tree


def test_a_sum_may_overflow_on_the_way(code: Code) -> None:
    """As one does that was put in another order. The sanitizer ends the process if C left that undefined."""
    p = code("""
    def p(n: size, x: i32[n], y: i32[1]):
        for i in seq(0, n):
            y[0] += x[i]
    """)
    y = np.zeros(1, np.int32)
    trapping = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    jit(p, flags=trapping)(3, np.array([2**31 - 1, 1, -2], np.int32), y)
    assert y[0] == 2**31 - 2
    assert compile([p]).cc_flags == (MODULO,)
    assert compile([code("def q(y: f32[1]):\n    y[0] = 0.0")]).cc_flags == ()


def test_a_choice_that_is_stored_is_converted_by_the_assignment(code: Code) -> None:
    """gcc sees that this is a minimum and a maximum, and has instructions for them, unless each side is converted."""
    p = code("""
    def p(n: size, x: i32[n], y: u8[n], z: i16[n]):
        for i in seq(0, n):
            y[i] = 0 if x[i] < 0 else 255 if x[i] > 255 else x[i]
            z[i] = f32(y[i]) if x[i] > 0 else -1.5
    """)
    assert "y[i] = x[i] < 0 ? 0 : x[i] > 255 ? 255 : x[i];" in compile([p]).source
    x, y, z = np.array([-7, 0, 3, 255, 256, 1 << 20], np.int32), np.zeros(6, np.uint8), np.zeros(6, np.int16)
    jit(p)(6, x, y, z)
    assert y.tolist() == [0, 0, 3, 255, 255, 255] and z.tolist() == [-1, -1, 3, 255, 255, 255]
