# ruff: noqa

import numpy as np


def made(n: "int", x: "f64[n]"):
    a = np.zeros((n, 2))
    a[:, 1] = x
    b = np.ones(n, dtype=np.float32)
    c = np.full((n,), 3)
    d = np.empty(n)
    d.fill(x[0])
    return a, b, c, d, np.zeros_like(b), np.full_like(x, 2)


def ranges(n: "int", x: "f64[n]"):
    i = np.arange(n)
    return i * 2, np.arange(1, n + 1) / 2, x * np.arange(n), np.linspace(0, 1, n + 1), np.arange(n, dtype=np.float32)


def eyes(a: "f64[n, n]"):
    n = a.shape[0]
    return np.eye(n), a + np.identity(n)


def grid(n: "int", m: "int", a: "f64[n, m]"):
    i = np.arange(n)[:, None]
    j = np.arange(m)[None, :]
    return np.where(i == j, 1.0, a), (i * m + j) % 3


def transposes(a: "f64[n, m]", t: "f64[n, m, 2]"):
    b = a.T.copy()
    b[0] = 1.0
    return b, np.transpose(t, (2, 0, 1)), t.swapaxes(0, 1) * 1, a.transpose() + 0


def shapes(a: "f64[n, 4]", x: "f64[6]"):
    flat = a.ravel() * 1.0
    return flat, a.reshape(a.shape[0], 2, 2) + 0, x.reshape(2, 3) * 1, x[:, None] * 1, a.reshape(-1) + 0, a.flatten()


def column(x: "f64[n]"):
    y = x.reshape(-1, 1)
    y *= 2.0
    return np.expand_dims(x, 0) + 0, y.squeeze() * 1


def joins(x: "f64[n]", y: "f64[m]", a: "f64[n, m]"):
    return np.concatenate((x, y)), np.stack((x, x * 2)), np.stack([x, x], axis=1), np.hstack((x, y)), np.vstack((a, a))


def literal_arrays(x: "f64[3]"):
    w = np.array([0.25, 0.5, 0.25])
    k = np.array([[1, 2], [3, 4]])
    return w @ x, k * 2


def slices(a: "f64[n, m]", t: "f64[n, m, k]"):
    return a[::2] + 0, a[::-1, ::-1] + 0, a[..., 0] * 1, t[0, ..., -1] + 0, a[1:, :-1] * 1, a[-1] + a[0], np.flip(a) + 0


def negative_steps(x: "f64[n]"):
    assert x.shape[0] >= 4
    return x[3:0:-1] + 0, x[-2::-2] * 1, x[:1:-1] + 0, x[-3:] + 0, x[:-3] + 0


def copies(x: "f64[n]"):
    y = x.copy()
    y[0] = 1.0
    z = np.array(x)
    z += y
    w = +x
    w[-1] = 0.0
    return y, z, w


def types(x: "f32[n]"):
    y = np.zeros(x.shape, dtype=x.dtype)
    y += x
    return y, x.size, np.asarray(x, dtype=np.float64)
