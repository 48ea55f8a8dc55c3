# ruff: noqa

import numpy as np


def sums(a: "f64[n, m]"):
    return np.sum(a), a.sum(axis=0), np.sum(a, axis=1, keepdims=True), a.sum(axis=(0, 1)), np.sum(a * 2.0, -1)


def integer_sums(k: "i32[n, m]", u: "u8[n]"):
    return k.sum(), k.sum(axis=1), u.sum(), np.mean(k), k.mean(axis=0)


def moments(a: "f64[n, m]"):
    return a.mean(), a.mean(axis=0), np.var(a, axis=1), np.std(a), a.std(axis=0, keepdims=True)


def sample_variance(x: "f64[n]"):
    assert x.shape[0] >= 2
    return np.var(x, ddof=1)


def single_moments(a: "f32[n, m]"):
    return a.mean(axis=1), a.var(axis=0), a.std()


def extremes(a: "f64[n, m]", k: "i64[n]"):
    return a.max(), a.min(axis=0), np.max(a, axis=1, keepdims=True), k.min(), np.ptp(k), np.amax(a)


def truth_sums(x: "f64[n]"):
    return np.sum(x > 0), np.any(x > 1), np.all(x > -1.9), np.count_nonzero(x > 0.5), (x > 0).mean()


def products_of_all(k: "i64[3]", x: "f64[n]"):
    return np.prod(k), x.prod()


def positions(x: "f64[n]", a: "f64[n, m]"):
    return np.argmax(x), x.argmin(), a.argmax(axis=1), np.argmin(a, axis=0)


def running(x: "f64[n]", k: "i32[n]", a: "f64[n, m]"):
    return np.cumsum(x), k.cumsum(), np.cumsum(a, axis=0), a.cumsum(axis=1), np.cumprod(x)


def softmax(x: "f32[n, m]"):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def normalised(a: "f64[n, m]"):
    a -= a.mean(axis=0)
    a /= a.std(axis=0) + 0.5
    return np.linalg.norm(a), np.linalg.norm(a, axis=1)


def matrix_products(a: "f64[n, k]", b: "f64[k, m]", x: "f64[k]", y: "f64[n]"):
    return a @ b, a @ x, y @ a, x @ x, np.dot(a, b), np.dot(x, x), a.dot(x), np.matmul(y, a)


def gemm(alpha: "float", beta: "float", c: "f64[n, m]", a: "f64[n, k]", b: "f64[k, m]"):
    c[:] = alpha * a @ b + beta * c


def product_into_itself(a: "f64[n, n]", x: "f64[n]"):
    x[:] = a @ x
    a[:] = a @ a


def gram(a: "f32[n, m]"):
    return a.T @ a, a @ a.T


def integer_product(a: "i64[n, k]", b: "i64[k, m]", c: "i32[n, k]"):
    return a @ b, c @ b


def batches(a: "f64[b, n, k]", c: "f64[b, k, m]", d: "f64[k, m]"):
    return a @ c, a @ d, np.matmul(a, c)


def outers(x: "f64[n]", y: "f64[m]"):
    return np.outer(x, y), np.outer(x + 1, y), np.inner(x, x), np.vdot(y, y)


def einsums(a: "f64[n, k]", b: "f64[k, m]", x: "f64[k]", t: "f64[n, k, m]"):
    first = np.einsum("ik,kj->ij", a, b)
    second = np.einsum("ik,k", a, x)
    third = np.einsum("ikm,k->mi", t, x)
    fourth = np.einsum("ij->", a)
    return first, second, third, fourth, np.einsum("ik,kj,k->i", a, b, x)


def diagonals(a: "f64[n, n]"):
    return np.trace(a), np.einsum("ii->i", a), np.diagonal(a) + 1.0


def tensor_products(a: "f64[n, k, m]", b: "f64[m, k]", c: "f64[k, m, n]"):
    return np.tensordot(a, b, axes=([1, 2], [1, 0])), np.tensordot(a, c, axes=2), np.tensordot(b, a, axes=([1], [1]))


def covariance(data: "f64[n, m]"):
    assert data.shape[0] > 1
    centred = data - data.mean(axis=0)
    return centred.T @ centred / (data.shape[0] - 1.0)


def differences(x: "f64[n]"):
    assert x.shape[0] > 1
    return np.diff(x)


def distances(x: "f64[n, d]", y: "f64[m, d]"):
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1))
