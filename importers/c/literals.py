"""Numbers: as C reads them, computes with them while it compiles, and as object code writes them."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import TypeVar

from ..report import Place
from .syntax import Literal
from .types import F32, F64, I32, I64, Float, Int, Number

N = TypeVar("N", Fraction, float)
ESCAPES = {"n": 10, "t": 9, "0": 0, "r": 13, "\\": 92, "'": 39, '"': 34}


def read_number(kind: str, text: str, place: Place) -> Literal | None:
    """The literal that C means by a text; None if it is none that is taken."""
    if kind == "char":
        return _character(text, place)
    if "float" in kind or "double" in kind:
        return _floating(text, place)
    if "int" in kind and not text.endswith("'"):
        return _integer(text, place)
    return None


def _character(text: str, place: Place) -> Literal | None:
    inner = text[1:-1]
    if len(inner) == 1:
        return Literal(ord(inner), I32, text, place)
    code = ESCAPES.get(inner[1:]) if inner.startswith("\\") else None
    return None if code is None else Literal(code, I32, text, place)


def characters(text: str) -> list[int] | None:
    """The numbers of the characters in a text between quotes; None if one is not taken."""
    found: list[int] = []
    rest = text[1:-1] if text.startswith('"') and text.endswith('"') else None
    while rest:
        size = 2 if rest.startswith("\\") else 1
        code = ord(rest) if size == 1 and len(rest) == 1 else ESCAPES.get(rest[1:2]) if size == 2 else ord(rest[0])
        if code is None or code > 127 or (rest[:2] == "\\0" and rest[2:3].isdigit()):
            return None
        found.append(code)
        rest = rest[size:]
    return None if rest is None else found


def _floating(text: str, place: Place) -> Literal | None:
    digits = text.lower()
    is_hex = digits.startswith("0x")
    if digits.endswith("l"):
        return None
    single = digits.endswith("f") and not (is_hex and "p" not in digits)
    digits = digits.removesuffix("f") if single else digits
    try:
        value = float.fromhex(digits) if is_hex else float(digits)
    except OverflowError:
        return None
    if single:
        value = rounded(Fraction(value) if is_hex else Fraction(digits), F32)
    if abs(value) > largest(F32 if single else F64):
        return None
    return Literal(value, F32 if single else F64, text, place)


def _integer(text: str, place: Place) -> Literal:
    digits = text.lower().rstrip("ul")
    suffix = text.lower()[len(digits) :]
    base = 16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 8 if digits.startswith("0") else 10
    value = int(digits, base)
    signs = (False,) if "u" in suffix else (True,) if base == 10 else (True, False)
    for bits in (64,) if "l" in suffix else (32, 64):
        for signed in signs:
            t = Int(bits, signed)
            if value <= t.range[1]:
                return Literal(value, t, text, place)
    return Literal(value, I64, text, place)


def rounded(value: Fraction, t: Float) -> float:
    """The nearest number of a floating-point type, ties to even; infinite beyond its range.

    >>> rounded(Fraction("0.1"), F32), rounded(Fraction("0.1"), F64)
    (0.10000000149011612, 0.1)
    """
    if t == F64 or value == 0:
        return _nearest_double(value)
    size = abs(value)
    exponent = max(math.floor(_log2(size)), -126)
    unit = Fraction(2) ** (exponent - 23)
    return _nearest_double(round(value / unit) * unit) if size < Fraction(2) ** 129 else _infinite(value)


def _log2(x: Fraction) -> int:
    """The exponent of the largest power of two that is at most x."""
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if Fraction(2) ** guess <= x else guess - 1


def _nearest_double(value: Fraction) -> float:
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return _infinite(value)


def _infinite(like: Fraction) -> float:
    return -math.inf if like < 0 else math.inf


def converted(value: int | float, source: Number, target: Number) -> int | float | None:
    """What a constant is after a conversion; None if C doesn't say, or it has no number for it."""
    if isinstance(target, Float):
        if isinstance(value, float) and not math.isfinite(value):
            return None
        found = _signed(rounded(Fraction(value), target), value)
        return found if abs(found) <= largest(target) else None
    lo, hi = target.range
    if target.truth:
        return int(value != 0)
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and lo <= int(value) <= hi else None
    return (value - lo) % (hi - lo + 1) + lo


def _signed(found: float, like: int | float) -> float:
    """A number whose zero has the sign of another's: a Fraction has no -0."""
    return math.copysign(0.0, like) if found == 0 else found


def largest(t: Float) -> float:
    """The largest number of a type."""
    return 1.7976931348623157e308 if t == F64 else 3.4028234663852886e38


def computed(op: str, x: int | float, y: int | float, t: Number) -> int | float | None:
    """A constant expression at its type; None if C doesn't say what it is, or the operator isn't arithmetic."""
    if isinstance(t, Float):
        if op not in ("+", "-", "*", "/") or (op == "/" and y == 0) or not (math.isfinite(x) and math.isfinite(y)):
            return None
        a, b = Fraction(x), Fraction(y)
        found = rounded(_apply(op, a, b), F64) if t == F64 else _single(op, a, b)
        return converted(_signed(found, _apply(op, float(x), float(y))), F64, t)
    assert isinstance(x, int) and isinstance(y, int)
    whole = _whole(op, x, y)
    if whole is None:
        return None
    inside = t.range[0] <= whole <= t.range[1]
    return whole if inside else None if t.signed else whole % (t.range[1] + 1)


def _apply(op: str, a: N, b: N) -> N:
    return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b


def _single(op: str, a: Fraction, b: Fraction) -> float:
    return rounded(_apply(op, a, b), F32)


def _whole(op: str, x: int, y: int) -> int | None:
    """Integers as C has them: a quotient is cut towards zero."""
    if op in ("/", "%") and y == 0:
        return None
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) if op in ("/", "%") else 0
    shift = op in ("<<", ">>")
    if shift and not 0 <= y < 64:
        return None
    table = {"+": x + y, "-": x - y, "*": x * y, "/": quotient, "%": x - quotient * y, "&": x & y, "|": x | y}
    table |= {"^": x ^ y, "<<": x << y if shift else 0, ">>": x >> y if shift else 0}
    return table.get(op)


def written(value: int | float, t: Number) -> str:
    """How object code writes a number that is computed with at type `t`, so that it is read as just that.

    >>> written(2, F64), written(0.10000000149011612, F32), written(3, I32), written(1e300, F64)
    ('2.0', '0.1', '3', '1e+300')
    """
    if isinstance(t, Int):
        return str(value)
    if t == F32:
        for digits in range(1, 10):
            text = f"{float(value):.{digits}g}"
            if rounded(Fraction(text), F32) == value:
                return repr(float(text))
    return repr(float(value))


def fits_single(value: float) -> bool:
    """Whether a number is one of type `float`."""
    try:
        return bool(struct.unpack("<f", struct.pack("<f", value))[0] == value)
    except OverflowError:
        return False
