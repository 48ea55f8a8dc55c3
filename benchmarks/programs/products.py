"""Products of matrices: alone, in chains, of symmetric and triangular ones, updates of rank k, a tensor by a matrix."""

from __future__ import annotations

from exo_strat import *

from .program import Program


@proc
def gemm(m: size, n: size, k: size, alpha: f64, beta: f64, a: f64[m, k], b: f64[k, n], c: f64[m, n]):
    """C = alpha A B + beta C"""
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = beta * c[i, j]
        for p in seq(0, k):
            for j in seq(0, n):
                c[i, j] += alpha * a[i, p] * b[p, j]


@proc
def mm2(
    m: size, n: size, k: size, q: size, alpha: f64, beta: f64,
    a: f64[m, k], b: f64[k, n], c: f64[n, q], t: f64[m, n], d: f64[m, q],
):  # fmt: skip
    """T = alpha A B, D = T C + beta D"""
    for i in seq(0, m):
        for j in seq(0, n):
            t[i, j] = 0.0
        for p in seq(0, k):
            for j in seq(0, n):
                t[i, j] += alpha * a[i, p] * b[p, j]
    for i in seq(0, m):
        for j in seq(0, q):
            d[i, j] = beta * d[i, j]
        for p in seq(0, n):
            for j in seq(0, q):
                d[i, j] += t[i, p] * c[p, j]


@proc
def mm3(
    m: size, n: size, k: size, q: size, r: size,
    a: f64[m, k], b: f64[k, n], c: f64[n, q], d: f64[q, r], e: f64[m, n], f: f64[n, r], g: f64[m, r],
):  # fmt: skip
    """E = A B, F = C D, G = E F"""
    for i in seq(0, m):
        for j in seq(0, n):
            e[i, j] = 0.0
        for p in seq(0, k):
            for j in seq(0, n):
                e[i, j] += a[i, p] * b[p, j]
    for i in seq(0, n):
        for j in seq(0, r):
            f[i, j] = 0.0
        for p in seq(0, q):
            for j in seq(0, r):
                f[i, j] += c[i, p] * d[p, j]
    for i in seq(0, m):
        for j in seq(0, r):
            g[i, j] = 0.0
        for p in seq(0, n):
            for j in seq(0, r):
                g[i, j] += e[i, p] * f[p, j]


@proc
def symm(m: size, n: size, alpha: f64, beta: f64, a: f64[m, m], b: f64[m, n], c: f64[m, n]):
    """C = alpha A B + beta C, of a symmetric A of which the lower triangle counts"""
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = beta * c[i, j]
    for i in seq(0, m):
        for p in seq(0, i):
            for j in seq(0, n):
                c[i, j] += alpha * a[i, p] * b[p, j]
            for j in seq(0, n):
                c[p, j] += alpha * a[i, p] * b[i, j]
        for j in seq(0, n):
            c[i, j] += alpha * a[i, i] * b[i, j]


@proc
def syrk(n: size, k: size, alpha: f64, beta: f64, a: f64[n, k], c: f64[n, n]):
    """C = alpha A A' + beta C, the lower triangle"""
    for i in seq(0, n):
        for j in seq(0, i + 1):
            c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += alpha * a[i, p] * a[j, p]


@proc
def syr2k(n: size, k: size, alpha: f64, beta: f64, a: f64[n, k], b: f64[n, k], c: f64[n, n]):
    """C = alpha (A B' + B A') + beta C, the lower triangle"""
    for i in seq(0, n):
        for j in seq(0, i + 1):
            c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += alpha * (a[i, p] * b[j, p] + b[i, p] * a[j, p])


@proc
def trmm(m: size, n: size, alpha: f64, a: f64[m, m], b: f64[m, n]):
    """B = alpha A B, of an upper triangle A"""
    for i in seq(0, m):
        for j in seq(0, n):
            b[i, j] = alpha * a[i, i] * b[i, j]
        for p in seq(i + 1, m):
            for j in seq(0, n):
                b[i, j] += alpha * a[i, p] * b[p, j]


@proc
def doitgen(r: size, q: size, p: size, x: f64[r, q, p], w: f64[p, p]):
    """X[r, q, :] = X[r, q, :] W"""
    row: f64[p]
    for i in seq(0, r):
        for j in seq(0, q):
            for k in seq(0, p):
                row[k] = 0.0
            for s in seq(0, p):
                for k in seq(0, p):
                    row[k] += x[i, j, s] * w[s, k]
            for k in seq(0, p):
                x[i, j, k] = row[k]


BOTH = {"alpha": 1.5, "beta": 1.2}
PROGRAMS = (
    Program(gemm, {"m": 1000, "n": 1100, "k": 1200}, BOTH, work=lambda m, n, k: 2 * m * n * k),
    Program(mm2, {"m": 800, "n": 900, "k": 1100, "q": 1200}, BOTH, work=lambda m, n, k, q: 2 * m * n * (k + q)),
    Program(mm3, {"m": 800, "n": 900, "k": 1000, "q": 1200, "r": 1100}),
    Program(symm, {"m": 1000, "n": 1200}, BOTH, work=lambda m, n: 2 * m * m * n),
    Program(syrk, {"n": 1200, "k": 1000}, BOTH, work=lambda n, k: n * (n + 1) * k),
    Program(syr2k, {"n": 1200, "k": 1000}, BOTH, work=lambda n, k: 2 * n * (n + 1) * k),
    Program(trmm, {"m": 1000, "n": 1200}, {"alpha": 1.5}, work=lambda m, n: m * (m - 1) * n),
    Program(doitgen, {"r": 150, "q": 140, "p": 160}),
)
