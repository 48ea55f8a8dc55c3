"""bfloat16 in C: the upper half of a float, which is stored and nothing else.

C has no such type that all compilers know, so it is `uint16_t`, and two functions convert. A number is rounded to the
nearest one when it is stored, of two to the even one. From a double that takes a third function: by way of a float it
would be rounded twice.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ..kernel import Scalar

BF16 = Scalar("bf16")

PRELUDE = """\
#include <string.h>
#ifndef EXO_BF16
#define EXO_BF16
// bfloat16 is the upper half of a float. What is stored is rounded to the nearest, of two to the even one.
static inline float exo_from_bf16(uint16_t x) {
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline uint16_t exo_to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);  // NaN
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// Rounded once: what a float is not equal to makes its last bit odd, and so is not taken for the middle of two.
static inline uint16_t exo_double_to_bf16(double x) {
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if ((double)f != x) bits = (bits - ((f < 0 ? -(double)f : (double)f) > (x < 0 ? -x : x))) | 1;
    memcpy(&f, &bits, sizeof f);
    return exo_to_bf16(f);
}
#endif"""

EXACT_IN_FLOAT = ("f16", "f32", "i8", "i16", "u8", "u16")
"""The precisions all of whose numbers are floats."""


def rounded(x: float) -> float:
    """A number as bfloat16 holds it.

    >>> rounded(0.1), rounded(1 + 2**-8), rounded(1 + 3 * 2**-8), rounded(3.4e38)
    (0.10009765625, 1.0, 1.015625, inf)
    """
    if x == 0 or not math.isfinite(x):
        return x
    last = Fraction(2) ** (max(math.frexp(x)[1], -125) - 8)
    n = round(Fraction(x) / last) * last  # Python rounds a half to the even number
    return math.copysign(math.inf if abs(n) >= 2**128 else float(abs(n)), x)
