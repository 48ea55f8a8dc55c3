"""What Gemmini does to a value on its way to int8, as extern functions.

Each is exact: `mul_f32` rounds to float32 as the hardware does, where object code would multiply numbers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exo_strat import extern

_DIGITS = 24
_LEAST = -149
_LARGEST = Fraction(2) ** 128
_LOW, _HIGH = Fraction(-128), Fraction(127)


def to_f32(x: Fraction | int) -> Fraction:
    """The float32 that is nearest to a number, of two the even one. Raises `OverflowError` beyond the largest.

    >>> to_f32(2**24 + 1), to_f32(2**24 + 3)
    (Fraction(16777216, 1), Fraction(16777220, 1))
    """
    x = Fraction(x)
    if x.denominator == 1 and abs(x.numerator) <= 2**_DIGITS:
        return x
    magnitude = abs(x).numerator.bit_length() - abs(x).denominator.bit_length()
    if abs(x) < Fraction(2) ** magnitude:
        magnitude -= 1
    unit = Fraction(2) ** max(magnitude - _DIGITS + 1, _LEAST)
    rounded = round(x / unit) * unit
    if abs(rounded) >= _LARGEST:
        raise OverflowError(f"{float(x)} is no finite float32")
    return rounded


def _mul_f32(x: Fraction, y: Fraction) -> Fraction:
    return to_f32(to_f32(x) * to_f32(y))


def _round_even(x: Fraction) -> Fraction:
    return Fraction(round(x))


def _clamp_i8(x: Fraction) -> Fraction:
    return min(max(x, _LOW), _HIGH)


mul_f32: Final = extern("mul_f32", 2, _mul_f32, "(({0}) * ({1}))")
"""The product of two numbers, each rounded to float32 first, and the product too."""
round_even: Final = extern("round_even", 1, _round_even, "rint{s}({0})")
"""The nearest integer, of two the even one."""
clamp_i8: Final = extern("clamp_i8", 1, _clamp_i8, "(({0}) < -128 ? -128 : ({0}) > 127 ? 127 : ({0}))")
"""The nearest number from -128 to 127."""
