# ruff: noqa
"""Programs that show a fault of the importer; four of them are refused. `test_knockouts.py` names them."""

import numpy as np


def repeated(k: "i64[n]"):
    k //= 5
    return np.argmax(k), np.argmin(k)


def doubled(y):
    y *= 2.0
    return y


def written_between(x: "f64[n]"):
    return x * 3.0 + doubled(x)


def shared(x: "f64[n]", steps: "int"):
    y = x
    for _ in range(steps):
        y[0] = 1.0
        y = y + 1.0


def square_product(a: "f64[n, n]", b: "f64[n, n]"):
    return a @ b


def mixed(x: "f32[n]", k: "i64[n]"):
    return x * k


def constants(x: "f64[n]", s: "float"):
    t = 1.0
    if s > 5.0:
        t = 2.0
    return x * t


def exchanged(n: "int"):
    a, b = 1.0, 2.0
    for _ in range(n):
        a, b = b, a
    return a, b


def asked_between(a: "f64[n, m]"):
    s = 1
    for row in a:
        row[0] = np.sum(s)
        s = s + row
    return s


def asked_by_a_function(a: "f64[n, m]"):
    s = 1
    size = lambda: np.sum(s)
    for row in a:
        row[0] = size()
        s = s + row
    return a
