"""bfloat16 is stored, rounded once to the nearest even number, and computed with as f32."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from backends import jit
from backends.bf16 import from_bf16, to_bf16
from backends.c import compile, expressions
from backends.c.bfloat import EXACT_IN_FLOAT, rounded
from backends.c.errors import PrecisionError
from exo_strat import Proc, proc_from_source
from exo_strat.direct import bind_expr, inline_assign, set_precision, stage_mem
from exo_strat.interp import run

Code = Callable[..., Proc]
ALL = np.arange(2**16, dtype=np.uint32).astype(np.uint16)


def halves(n: int) -> np.ndarray:
    """Doubles of all sizes, many of them at or near the middle of two bfloat16s."""
    rng = Random(7)
    found = [0.0, -0.0, np.inf, -np.inf, 3.3895313892515355e38, 3.39e38, 3.3961775292304e38, 1e300, 1e-300, 4.6e-41]
    while len(found) < n:
        bits = rng.randrange(2**16) & 0xFF7F | 0x80 * rng.randrange(2)
        middle = float(from_bf16(np.array([bits]))[0]) * (1 + 2.0 ** -rng.choice([8, 9, 30, 40, 52]))
        found.append(middle * rng.choice([1.0, -1.0, 1 + 2.0**-52, 1 - 2.0**-53]))
    return np.array([x for x in found if not np.isnan(x)])


def stored(code: Code, precision: str) -> Proc:
    return code(f"""
    def p(n: size, x: {precision}[n], y: bf16[n]):
        for i in seq(0, n):
            y[i] = x[i]
    """)


def test_what_is_stored_is_the_nearest_number(code: Code) -> None:
    x = halves(5000)
    y = np.zeros(len(x), np.uint16)
    jit(stored(code, "f64"))(len(x), x, y)
    want = np.array([rounded(float(v)) for v in x], np.float32)
    assert np.array_equal(from_bf16(y).view(np.uint32), want.view(np.uint32))
    assert np.array_equal(y, to_bf16(x))


def test_floats_are_rounded_as_doubles_are(code: Code) -> None:
    with np.errstate(over="ignore"):
        x = halves(5000).astype(np.float32)
    y = np.zeros(len(x), np.uint16)
    jit(stored(code, "f32"))(len(x), x, y)
    assert np.array_equal(y, to_bf16(x))


def test_a_double_is_not_rounded_by_way_of_a_float(code: Code) -> None:
    """A little above the middle of 1 and the next number: a float would take it for the middle, and that goes to 1."""
    x = 1 + 2.0**-8 + 2.0**-40
    y = np.zeros(1, np.uint16)
    jit(stored(code, "f64"))(1, np.array([x]), y)
    assert from_bf16(y)[0] == rounded(x) == 1 + 2.0**-7


def test_by_way_of_a_float_it_would_be_seen(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "EXACT_IN_FLOAT", (*EXACT_IN_FLOAT, "f64"))
    with pytest.raises(AssertionError):
        test_a_double_is_not_rounded_by_way_of_a_float(code)


def test_all_numbers_pass_through_f32(code: Code) -> None:
    """NaN stays NaN."""
    p = code("""
    def p(x: bf16[65536], y: bf16[65536], z: f32[65536]):
        for i in seq(0, 65536):
            z[i] = x[i]
            y[i] = f32(x[i]) * 1.0
    """)
    y, z = np.zeros_like(ALL), np.zeros(len(ALL), np.float32)
    jit(p)(ALL, y, z)
    assert np.array_equal(z.view(np.uint32), from_bf16(ALL).view(np.uint32))
    nan = np.isnan(z)
    assert np.array_equal(y[~nan], ALL[~nan]) and np.isnan(from_bf16(y[nan])).all()
    jit(stored(code, "bf16"))(2**16, ALL, y)
    assert np.array_equal(y, ALL)  # copied, bit by bit


@pytest.mark.parametrize("precision", ["i8", "u16", "i32", "u32", "f16"])
def test_other_numbers_are_rounded_once(code: Code, precision: str) -> None:
    dtype = np.dtype({"i": "int", "u": "uint", "f": "float"}[precision[0]] + precision[1:])
    rng = Random(precision)
    top = 2 ** (int(precision[1:]) - 1) - 1
    x = np.array([rng.randint(0, top) for _ in range(2000)]).astype(dtype)
    x = x[np.isfinite(x.astype(np.float64))]
    y = np.zeros(len(x), np.uint16)
    jit(stored(code, precision))(len(x), x, y)
    assert from_bf16(y).tolist() == [rounded(float(v)) for v in x]


def test_arithmetic_is_at_f32(code: Code) -> None:
    p = code("""
    def p(n: size, x: bf16[n], y: bf16[n], z: bf16[n]):
        for i in seq(0, n):
            z[i] = f32(x[i]) * f32(y[i]) + 0.1
    """)
    assert "z[i] = exo_to_bf16(exo_from_bf16(x[i]) * exo_from_bf16(y[i]) + 0.1f);" in compile([p]).source
    assert "const uint16_t *x, const uint16_t *y, uint16_t *z" in compile([p]).header
    x, y = to_bf16(np.linspace(-3, 3, 40)), to_bf16(np.linspace(5, 1, 40))
    z = np.zeros(40, np.uint16)
    jit(p)(40, x, y, z)
    assert np.array_equal(z, to_bf16(from_bf16(x) * from_bf16(y) + np.float32(0.1)))
    exact = run(p, {"n": 2, "x": [1, 2], "y": [3, 0.5], "z": [0, 0]}).outputs["z"]
    assert [float(v) for v in exact] == [3.1, 1.1]  # type: ignore[union-attr, arg-type]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("z = x + y", "bf16 is for storing only: compute at f32, with f32"),
        ("z = -x", "for storing only"),
        ("z = sqrt(x)", "for storing only"),
        ("z += 1.0", "and store the result"),
        ("z = max(z, x)", "and store the result"),
        ("f = f32(x * y)", "for storing only"),
        ("f = f32(x) + y", "f32 and bf16"),
        ("if x < y:\n        z = x", "for storing only"),
        ("if x < 1.0:\n        z = x", "for storing only"),
        ("z = bf16(n)", "of a control integer"),
        ("z = k", "i64 would be rounded twice"),
        ("f = f32(bf16(k))", "i64 would be rounded twice"),
        ("z = 1e39", "holds no number near the literal"),
        ("z = 1e-60", "holds no number near the literal"),
        ("z = x & 1", "for storing only"),
    ],
)
def test_what_is_refused(code: Code, line: str, why: str) -> None:
    p = code(f"def p(n: size, x: bf16, y: bf16, z: bf16, f: f32, k: i64):\n    {line}")
    with pytest.raises(PrecisionError, match=why):
        compile([p])


def test_what_only_fetches_is_taken(code: Code) -> None:
    p = code("""
    def p(n: size, x: bf16[4], z: bf16[8], f: f32, k: i32):
        z[0] = x[0] if f > 0.0 else x[1]
        z[1] = 0.1
        z[2] = bf16(k)
        z[3] = f64(f) * 1.5
        f = f32(bf16(f))
        k = i32(x[2])
        w = z[4:6]
        w[0] = f32(n)
        z[5] = -2.5 if f > 0.0 else x[3]
    """)
    z, f, k = np.zeros(8, np.uint16), np.array(1 + 2.0**-9, np.float32), np.array(257, np.int32)
    jit(p)(3, to_bf16([1.5, 2, 7, 4]), z, f, k)
    want = [1.5, rounded(0.1), 256.0, rounded((1 + 2.0**-9) * 1.5), 3.0, -2.5, 0, 0]
    assert from_bf16(z).tolist() == want
    assert f == 1.0 and k == 7


def test_arguments_of_jit(code: Code) -> None:
    p = code("def p(x: bf16, y: bf16[1]):\n    y[0] = x")
    y = np.zeros(1, np.uint16)
    for given in (0.1, np.float64(0.1), to_bf16(0.1), to_bf16([0.1])):
        y[0] = 0
        jit(p)(given, y)
        assert from_bf16(y)[0] == rounded(0.1)
    jit(p)(1 + 2.0**-8 + 2.0**-40, y)
    assert from_bf16(y)[0] == 1 + 2.0**-7  # a number is rounded once
    with pytest.raises(ValueError, match=r"must be uint16 \(bf16: see backends.bf16\), but is float32"):
        jit(p)(0.1, np.zeros(1, np.float32))


def test_a_buffer_is_made_one_of_bf16(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n], y: f32[n]):
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n):
            y[i] = t[i]
    """)
    q = set_precision(p, "t: _", "bf16")
    x = np.array([0.1, 1 + 2.0**-8, 5.0], np.float32)
    y = np.zeros(3, np.float32)
    jit(q)(3, x, y)
    assert y.tolist() == [rounded(float(v)) for v in x]
    assert "t: bf16[n]" in str(q)
    assert "exo_alloc(exo_times(sizeof(uint16_t), n))" in compile([q]).source


def test_a_tile_is_staged_as_it_is_stored(code: Code) -> None:
    p = code("""
    def p(x: bf16[8, 8], y: f32[8]):
        for i in seq(0, 8):
            for j in seq(0, 8):
                y[i] += f32(x[i, j])
    """)
    q = stage_mem(p, "for j in _: _", "x[i, 0:8]", "row")
    assert "row: bf16[8]" in str(q)
    q = bind_expr(q, "f32(_)", "a")
    assert "a: f32" in str(q) and "a = f32(row[j])" in str(q)
    x, y = to_bf16(np.arange(64).reshape(8, 8)), np.zeros(8, np.float32)
    jit(q)(x, y)
    assert y.tolist() == [float(sum(range(8 * i, 8 * i + 8))) for i in range(8)]
    with pytest.raises(PrecisionError, match="and store the result"):
        compile([set_precision(stage_mem(p, "for j in _: _", "y[i]", "acc"), "acc: _", "bf16")])


def test_a_value_that_was_held_at_bf16_stays_rounded_to_it() -> None:
    p = proc_from_source("""
    def p(x: f32, y: f32):
        t: bf16
        t = x * 1.5
        y = t
    """)
    q = inline_assign(p, "t = _")
    assert "y = bf16(x * 1.5)" in str(q)
    y = np.zeros((), np.float32)
    jit(q)(np.float32(1.01), y)
    assert y == rounded(float(np.float32(1.01) * np.float32(1.5)))
