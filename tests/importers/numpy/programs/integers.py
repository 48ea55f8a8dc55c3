# ruff: noqa
"""Integers beyond their types: NumPy wraps around, Python's own have no bits."""

from __future__ import annotations

import numpy as np


def wrapping(a: "u8[n]", b: "u8[n]"):
    c = a + b
    return c, a * b - c, -a, (a + b) * 1.0, (a * a) // 3, (a - b) > c, ~a, a**3, a << 1


def signed(a: "i8[n]", b: "i8[n]"):
    a += b
    a *= 3
    return (a - b) // 7, -b, b.astype(np.uint8), a.astype(np.uint16) + 1


def hashed(a: "i64[n]"):
    h = np.int64(1469598103934665603)
    for v in a:
        h = (h ^ v) * 1099511628211
    return h


def narrow_products(a: "u8[n, m]", b: "u8[m, n]"):
    return a @ b, np.prod(a, axis=1), np.cumsum(a, axis=0), np.einsum("ij,ji->", a, b)


def compared(a: "u8[n]", t: "int"):
    return a > t, a <= 300, a == -1, (a < 500) & (a > -300), a > 1.5


def indices_wrap(x: "f64[300]", k: "i8[n]"):
    return x[k + 100] + x[k.astype(np.uint8)]


def python_integers(a: "u8[n]", t: "int"):
    a[0] = t
    return a + t


def floats_beside_counters(x: "f64[n]"):
    count = 0
    for i in range(len(x)):
        if x[i] > i:
            count += 1
    return count, x > 1, x == len(x)


def truths(x: "f64[n]", y: "bool[n]"):
    right = (x > 0) == y
    return right, y ^ (x > 1), right.argmax(), right.max(), np.min(y), np.mean(right)
