"""Factorizations, and systems of equations."""

from __future__ import annotations

import numpy as np

from exo_strat import *

from .program import Arrays, Program


@proc
def cholesky(n: size, a: f64[n, n]):
    """A = L L', row by row; the lower triangle becomes L"""
    for i in seq(0, n):
        for j in seq(0, i):
            for k in seq(0, j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in seq(0, i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = sqrt(a[i, i])


@proc
def lu(n: size, a: f64[n, n]):
    """A = L U by elimination, L with ones on its diagonal"""
    for k in seq(0, n):
        for i in seq(k + 1, n):
            a[i, k] /= a[k, k]
            for j in seq(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@proc
def ludcmp(n: size, a: f64[n, n], b: f64[n], y: f64[n], x: f64[n]):
    """A = L U row by row, then L y = b and U x = y"""
    for i in seq(0, n):
        for k in seq(0, i):
            a[i, k] /= a[k, k]
            for j in seq(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    for i in seq(0, n):
        y[i] = b[i]
        for k in seq(0, i):
            y[i] -= a[i, k] * y[k]
    for i in seq(n - 1, -1, -1):
        x[i] = y[i]
        for k in seq(i + 1, n):
            x[i] -= a[i, k] * x[k]
        x[i] /= a[i, i]


@proc
def trisolv(n: size, a: f64[n, n], b: f64[n], x: f64[n]):
    """A x = b, of a lower triangle A"""
    for i in seq(0, n):
        x[i] = b[i]
        for k in seq(0, i):
            x[i] -= a[i, k] * x[k]
        x[i] /= a[i, i]


@proc
def durbin(n: size, r: f64[n], y: f64[n]):
    """T y = -r, of the Toeplitz matrix T with 1, r[0], .. r[n - 2] in its first row (Levinson's recursion)"""
    z: f64[n]
    alpha: f64
    beta: f64
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in seq(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = r[k]
        for i in seq(0, k):
            alpha += r[k - 1 - i] * y[i]
        alpha = -alpha / beta
        for i in seq(0, k):
            z[i] = y[i] + alpha * y[k - 1 - i]
        for i in seq(0, k):
            y[i] = z[i]
        y[k] = alpha


@proc
def gramschmidt(m: size, n: size, a: f64[m, n], q: f64[m, n], r: f64[n, n]):
    """A = Q R with orthonormal columns in Q, by the modified Gram-Schmidt process; A is used up"""
    for k in seq(0, n):
        square: f64
        square = 0.0
        for i in seq(0, m):
            square += a[i, k] * a[i, k]
        r[k, k] = sqrt(square)
        for i in seq(0, m):
            q[i, k] = a[i, k] / r[k, k]
        for j in seq(k + 1, n):
            r[k, j] = 0.0
        for i in seq(0, m):
            for j in seq(k + 1, n):
                r[k, j] += q[i, k] * a[i, j]
        for i in seq(0, m):
            for j in seq(k + 1, n):
                a[i, j] -= q[i, k] * r[k, j]


def _definite(x: Arrays) -> None:
    """A symmetric matrix, each diagonal element larger than the sum of its row."""
    x["a"] += x["a"].T + 2 * len(x["a"]) * np.eye(len(x["a"]))


def _dominant(x: Arrays) -> None:
    """A diagonal that no elimination makes small."""
    x["a"] += len(x["a"]) * np.eye(len(x["a"]))


def _falling(x: Arrays) -> None:
    """Correlations whose sum is less than 1/2, so that the Toeplitz matrix is positive definite."""
    x["r"] /= 2 * (np.arange(len(x["r"])) + 2.0) ** 2


PROGRAMS = (
    Program(cholesky, {"n": 2000}, prepare=_definite),
    Program(lu, {"n": 2000}, prepare=_dominant),
    Program(ludcmp, {"n": 2000}, prepare=_dominant),
    Program(trisolv, {"n": 2000}, prepare=_dominant),
    Program(durbin, {"n": 2000}, prepare=_falling),
    Program(gramschmidt, {"m": 1200, "n": 1000}, tolerance=1e-7),
)
