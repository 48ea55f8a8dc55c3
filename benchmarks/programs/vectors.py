"""Matrices by vectors."""

from __future__ import annotations

from exo_strat import *

from .program import Program


@proc
def gemver(
    n: size, alpha: f64, beta: f64, a: f64[n, n], u1: f64[n], v1: f64[n], u2: f64[n], v2: f64[n],
    y: f64[n], z: f64[n], x: f64[n], w: f64[n],
):  # fmt: skip
    """A += u1 v1' + u2 v2', x += beta A' y + z, w = alpha A x"""
    for i in seq(0, n):
        for j in seq(0, n):
            a[i, j] += u1[i] * v1[j] + u2[i] * v2[j]
    for i in seq(0, n):
        for j in seq(0, n):
            x[j] += beta * a[i, j] * y[i]
    for i in seq(0, n):
        x[i] += z[i]
    for i in seq(0, n):
        w[i] = 0.0
        for j in seq(0, n):
            w[i] += alpha * a[i, j] * x[j]


@proc
def gesummv(n: size, alpha: f64, beta: f64, a: f64[n, n], b: f64[n, n], x: f64[n], y: f64[n]):
    """y = alpha A x + beta B x"""
    for i in seq(0, n):
        s: f64
        t: f64
        s = 0.0
        t = 0.0
        for j in seq(0, n):
            s += a[i, j] * x[j]
            t += b[i, j] * x[j]
        y[i] = alpha * s + beta * t


@proc
def atax(m: size, n: size, a: f64[m, n], x: f64[n], y: f64[n]):
    """y = A' A x"""
    for j in seq(0, n):
        y[j] = 0.0
    for i in seq(0, m):
        s: f64
        s = 0.0
        for j in seq(0, n):
            s += a[i, j] * x[j]
        for j in seq(0, n):
            y[j] += a[i, j] * s


@proc
def bicg(m: size, n: size, a: f64[m, n], p: f64[n], r: f64[m], q: f64[m], s: f64[n]):
    """q = A p, s = A' r"""
    for j in seq(0, n):
        s[j] = 0.0
    for i in seq(0, m):
        q[i] = 0.0
        for j in seq(0, n):
            s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]


@proc
def mvt(n: size, a: f64[n, n], y1: f64[n], y2: f64[n], x1: f64[n], x2: f64[n]):
    """x1 += A y1, x2 += A' y2"""
    for i in seq(0, n):
        for j in seq(0, n):
            x1[i] += a[i, j] * y1[j]
    for i in seq(0, n):
        for j in seq(0, n):
            x2[j] += a[i, j] * y2[i]


BOTH = {"alpha": 1.5, "beta": 1.2}
PROGRAMS = (
    Program(gemver, {"n": 2000}, BOTH, work=lambda n: 8 * n * n),
    Program(gesummv, {"n": 1300}, BOTH),
    Program(atax, {"m": 1900, "n": 2100}),
    Program(bicg, {"m": 2100, "n": 1900}),
    Program(mvt, {"n": 2000}),
)
