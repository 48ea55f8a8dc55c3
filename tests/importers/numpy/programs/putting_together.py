# ruff: noqa
"""Arrays that are put together, and functions that are made of others."""

import numpy as np


def stacks(x: "f64[n]", y: "f64[n]", a: "f64[m, n]"):
    rows = np.vstack([x, y])
    return rows, np.column_stack((x, y)), np.vstack([a, x]), np.append(x, 1.5), np.array([x[0], 1])


def rolls(a: "f64[n, m]", k: "int"):
    return np.roll(a, 1, axis=0), np.roll(a, (1, -1), axis=(0, 1)), np.roll(a[0], k)


def borders(a: "f64[n, m]"):
    return np.pad(a, ((0, 2), (1, 0))), np.repeat(a, 2, axis=0), np.tile(a[0], (2, 3))


def diagonals(a: "f64[n, n]"):
    b = np.diag(np.diag(a))
    np.fill_diagonal(a, 2.0)
    return b, np.rot90(a)


def weighted(a: "f64[n, m]", w: "f64[n]", u: "f64[n, 3]", v: "f64[3]"):
    w = abs(w) + 1
    return np.average(a, axis=0, weights=w), np.cross(u, v), np.moveaxis(u, 0, -1)


def convolved(x: "f64[n]", k: "f64[m]"):
    return np.convolve(x, k), np.convolve(x, k, mode="same"), np.convolve(x, k, "valid"), np.correlate(x, k)


def close(x: "f64[n]", y: "f64[n]"):
    return np.allclose(x, x + 1e-9), np.isclose(x, y), np.trapezoid(y, x), np.round(x, 2), np.clip(x, a_min=0, a_max=1)


def grid(x: "f64[n]", y: "f64[m]"):
    xx, yy = np.meshgrid(x, y)
    return xx * yy


def types(h: "f32[n, m]", x: "f64[n]"):
    return (
        h.mean(dtype=np.float64),
        np.linspace(0, 1, num=5),
        np.zeros(2, dtype=int),
        x.astype(int),
        np.array([h[0, 0], 1.0]),
    )


def flattened(a: "f64[n, m]", b: "f64[n, m]", k: "u8[n, m]"):
    counts = np.zeros(256, dtype=np.int64)
    np.add.at(counts, k.ravel(), 1)
    dot = (a.ravel() - a.mean()) @ (b * 2).reshape(-1)
    for v in a.T.flatten():
        dot += v
    a[:] = (b.ravel() * 2).reshape(a.shape)
    return counts, dot, a.T.ravel() + 1


def comprehended(x: "f64[n]", w: "f64[3]", a: "f64[n, m]"):
    assert x.shape[0] >= 3
    windows = np.array([np.sum(x[i : i + 3] * w) for i in range(len(x) - 2)])
    squares = np.array([[x[i] * x[j] for j in range(3)] for i in range(len(x))])
    return windows, squares, sum(p * q for p, q in zip(x, x)), max(v for v in x), np.mean([r.max() for r in a])


def of_tuples(x: "f64[n]", out: "f64[n, 2]"):
    s = 0.0
    for k, v in enumerate(x, start=1):
        s += v / k
        out[k - 1] = s, out[k - 1, 0]
    out[0] += (1, 2)
    return np.maximum([1, 2], out), np.maximum.accumulate(x), np.minimum.accumulate(out, axis=1)


def split(a: "f64[n, n]", x: "f64[k]"):
    h, w = a.shape
    pooled = a.reshape(h // 2, 2, w // 2, 2).max(axis=(1, 3))
    return pooled, x.reshape(-1, 2).sum(axis=1), x.reshape(1, -1) * 2
