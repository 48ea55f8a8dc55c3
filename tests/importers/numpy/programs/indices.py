# ruff: noqa
"""Indices that are computed, arrays as indices, and loops that are left early."""

import numpy as np


def scattered(x: "f64[n]", k: "u8[m]", v: "f64[m]"):
    idx = k % n_of(x)
    y, z, w, u = x.copy(), x.copy(), x.copy(), x.copy()
    y[idx] = v
    z[idx] += v
    np.add.at(w, idx, v)
    u[idx] = u[idx[::-1]]
    return y, z, w, u


def n_of(x):
    return len(x)


def pairs(a: "f64[n, m]"):
    r, c = np.arange(a.shape[0]), a.argmax(axis=1)
    best = a[r, c]
    a[r, c] = 0.0
    return best, a[:, 0][::-1][r], a[0, c - 1]


def apart(a: "f64[2, n, m]"):
    c = a[0, 0].argmax() - np.arange(3)
    d = np.maximum(c, 0)
    return a[0, :, d], a[:, 0, d], a[..., d], a[0, ..., d], a[d * 0, :, d]


def counted_from_the_end(x: "f64[n]"):
    i = x.argmin() - len(x)
    x[i] = 7.0
    return x[int(-0.5)]


def quantized(x: "f64[n]", levels: "int"):
    h = np.zeros(levels)
    for i in (abs(x) * levels).astype(int):
        h[min(i, levels - 1)] += 1
    return h


def packed(x: "f64[n]"):
    k = 0
    for i in range(len(x)):
        if x[i] > 0:
            if x[i] > 1:
                continue
            x[k] = x[i]
            k += 1
        x[i] -= 0.5
    return k


def until(x: "f64[n]", t: "float"):
    s, count = 0.0, 0
    for v in x:
        if s > t:
            break
        s += abs(v)
        count += 1
    else:
        s = -1.0
    return s, count


def found(a: "f64[n, m]", t: "float"):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > t:
                return i, j
    return -1, -1


def while_both(x: "f64[n]", t: "float"):
    i = 0
    while i < len(x) and x[i] < t:
        x[i] = t
        i += 1
    return i


def lagged(x: "f64[n]", k: "int"):
    c = np.cumsum(x)
    return (c[k:] - c[:-k]) / k, x[-k:] * 2, x[-k]
