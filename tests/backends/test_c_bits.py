"""Operations on integers of data mean in C what they mean to the interpreter: bits, shifts, quotients, wrapping."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from backends import jit
from backends.c import compile
from backends.c.errors import PrecisionError
from exo_strat import Proc
from exo_strat.interp import run

from .test_c_integers import PRECISIONS, drawn

Code = Callable[..., Proc]
TRAPPING = ("-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error")
"""What C leaves undefined ends the process."""

BITS = [
    "x[i] & y[i]", "x[i] | y[i]", "x[i] ^ y[i]", "x[i] & 5", "(x[i] ^ y[i]) & y[i]", "x[i] >> 3", "x[i] >> (y[i] & 7)",
    "(x[i] >> 1) ^ x[i]", "(x[i] & 1) << 4", "(x[i] & 1) << (y[i] & 3)",
]  # fmt: skip
WRAPPED = [
    "x[i] + y[i]", "x[i] * y[i] - 77 * x[i]", "-x[i]", "~x[i]", "x[i] << (y[i] & 7)", "(x[i] + y[i] ^ -1) & x[i]",
    "x[i] * 99999999999 + 1.0", "x[i] >> 2", "wrap_i8(x[i] * 3)", "wrap_u16(x[i]) << 9", "x[i] + (x[i] >> 1)",
]  # fmt: skip
DIVIDED = ["x[i] // y[i]", "x[i] % y[i]", "tdiv(x[i], y[i])", "tmod(x[i], y[i])", "x[i] % 7", "tmod(x[i], 7)"]


def same_in_c(code: Code, precision: str, to: str, values: list[str], y: np.ndarray | None = None) -> None:
    """Computes values of numbers of a precision, by the interpreter and in C under the sanitizer."""
    stores = "".join(f"\n            z[{k}, i] = {v}" for k, v in enumerate(values))
    p = code(f"""
    def p(x: {precision}[60], y: {precision}[60], z: {to}[{len(values)}, 60]):
        for i in seq(0, 60):{stores}
    """)
    x = drawn(precision, 60)
    y = x[::-1].copy() if y is None else y
    z = np.zeros((len(values), 60), f"{to[0]}{int(to[1:]) // 8}")
    want = run(p, {"x": x.tolist(), "y": y.tolist(), "z": z.tolist()})
    assert want.trap is None
    jit(p, flags=TRAPPING)(x, y, z)
    for value, row, expected in zip(values, z.tolist(), want.outputs["z"], strict=True):  # type: ignore[arg-type]
        assert row == list(expected), value  # type: ignore[arg-type]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_bits_and_shifts(code: Code, precision: str) -> None:
    same_in_c(code, precision, precision, BITS)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("to", ["i8", "u16", "i32", "u64"])
def test_what_is_wrapped_need_not_fit(code: Code, precision: str, to: str) -> None:
    same_in_c(code, precision, to, [f"wrap_{to}({e})" for e in WRAPPED])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_quotients_and_remainders(code: Code, precision: str) -> None:
    """Those that have no value, or one that does not fit, are left out: C can't compute the latter."""
    y = drawn(precision, 60)[::-1].copy()
    y[(y == 0) | (y == (0 if precision[0] == "u" else -1))] = 3
    same_in_c(code, precision, precision, DIVIDED, y)


def test_what_the_quotients_are(code: Code) -> None:
    p = code("""
    def p(x: i32, y: i32, r: i32[4]):
        r[0] = x // y
        r[1] = x % y
        r[2] = tdiv(x, y)
        r[3] = tmod(x, y)
    """)
    for (x, y), want in {(7, -2): (-4, -1, -3, 1), (-7, 2): (-4, 1, -3, -1), (-7, -2): (3, -1, 3, -1)}.items():
        assert run(p, {"x": x, "y": y, "r": [0] * 4}).outputs["r"] == want
        r = np.zeros(4, np.int32)
        jit(p)(x, y, r)
        assert r.tolist() == list(want)


def test_by_minus_one(code: Code) -> None:
    """The remainder is 0, though the processor faults on the quotient that would not fit."""
    p = code("def p(x: i32, y: i32, r: i32[2]):\n    r[0] = x % y\n    r[1] = tmod(x, y)")
    r = np.ones(2, np.int32)
    jit(p, flags=TRAPPING)(-(2**31), -1, r)
    assert r.tolist() == [0, 0]


@pytest.mark.parametrize("value", ["x >> y", "x << y", "wrap_i16(x << y)", "x % (y & 3)", "tdiv(x, y & 3)"])
@pytest.mark.parametrize("by", [16, -4, 64])
def test_what_has_no_value_traps(code: Code, value: str, by: int) -> None:
    p = code(f"def p(x: i16, y: i16, r: i16):\n    r = {value}")
    trap = run(p, {"x": 1, "y": by, "r": 0}).trap
    assert trap is not None and trap.kind == "domain"
    with pytest.raises(ArithmeticError, match=r"divided by zero|more bits than it has"):
        jit(p)(np.int16(1), np.int16(by), np.zeros((), np.int16))


def test_what_is_at_a_precision_with_other_bits(code: Code) -> None:
    for value, why in (
        ("h >> 16", "by 16 has no value at i16, which has 16 bits"),
        ("u << 8", "`<<` by 8"),
        ("~u", r"`~` at u8 is negative: write wrap_u8\(~"),
        ("wrap_i32(f)", r"reduces an integer, not f32: convert with i64"),
        ("f & 3", "`&` needs an integer precision, not f32"),
        ("wrap_i32(h + u)", "i16 and u8"),
        ("wrap_i32((h + 99999) >> 1)", "outside the range of i16"),
        ("wrap_i32(h * 0.5)", "not an integer"),
    ):
        p = code(f"def p(k: i32, h: i16, u: u8, f: f32):\n    k = {value}")
        with pytest.raises(PrecisionError, match=why):
            compile([p])


def test_a_checksum_reads_in_c_as_it_was_written(code: Code) -> None:
    p = code("""
    def crc(n: size, data: u8[n], table: u32[256], r: u32):
        for i in seq(0, n):
            r ^= u32(data[i])
            for k in seq(0, 8):
                if r & 1 == 1:
                    r = (r >> 1) ^ 0xEDB88320
                else:
                    r = r >> 1
    """)
    assert "r = (r >> 1) ^ 3988292384" in str(p)
    assert "*r = (*r >> 1) ^ 3988292384u;" in compile([p]).source
    data = np.frombuffer(b"123456789", np.uint8).copy()
    r = np.array(0xFFFFFFFF, np.uint32)
    jit(p)(9, data, np.zeros(256, np.uint32), r)
    assert int(r) ^ 0xFFFFFFFF == 0xCBF43926  # the check value of CRC-32


def test_a_hash_wraps(code: Code) -> None:
    p = code("""
    def fnv(n: size, data: u8[n], r: u64):
        r = 0xCBF29CE484222325
        for i in seq(0, n):
            r = wrap_u64((r ^ u64(data[i])) * 0x100000001B3)
    """)
    data = np.frombuffer(b"foobar", np.uint8).copy()
    r = np.zeros((), np.uint64)
    jit(p)(6, data, r)
    assert int(r) == 0x85944171F73967E8  # FNV-1a
    assert run(p, {"n": 6, "data": data.tolist(), "r": 0}).outputs["r"] == int(r)
