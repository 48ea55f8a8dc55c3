"""Grids that are swept step by step."""

from __future__ import annotations

from exo_strat import *

from .program import Program

NINTH = 1 / 9


@proc
def jacobi_1d(steps: size, n: size, a: f64[n], b: f64[n]):
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1]
        for i in seq(1, n - 1):
            a[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1]


@proc
def jacobi_2d(steps: size, n: size, a: f64[n, n], b: f64[n, n]):
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                b[i, j] = 0.2 * (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j])
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                a[i, j] = 0.2 * (b[i - 1, j] + b[i, j - 1] + b[i, j] + b[i, j + 1] + b[i + 1, j])


@proc
def seidel_2d(steps: size, n: size, a: f64[n, n]):
    """The mean of nine points, in place"""
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                a[i, j] = NINTH * (
                    a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                    + a[i, j - 1] + a[i, j] + a[i, j + 1]
                    + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                )  # fmt: skip


@proc
def heat_3d(steps: size, n: size, a: f64[n, n, n], b: f64[n, n, n]):
    """Two explicit steps of the equation of heat at a time"""
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                for k in seq(1, n - 1):
                    b[i, j, k] = 0.25 * a[i, j, k] + 0.125 * (
                        a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k]
                        + a[i, j + 1, k] + a[i, j, k - 1] + a[i, j, k + 1]
                    )  # fmt: skip
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                for k in seq(1, n - 1):
                    a[i, j, k] = 0.25 * b[i, j, k] + 0.125 * (
                        b[i - 1, j, k] + b[i + 1, j, k] + b[i, j - 1, k]
                        + b[i, j + 1, k] + b[i, j, k - 1] + b[i, j, k + 1]
                    )  # fmt: skip


@proc
def fdtd_2d(steps: size, nx: size, ny: size, ex: f64[nx, ny], ey: f64[nx, ny], hz: f64[nx, ny], source: f64[steps]):
    """An electromagnetic wave in the plane: Yee's scheme, with a source along one side"""
    for t in seq(0, steps):
        for j in seq(0, ny):
            ey[0, j] = source[t]
        for i in seq(1, nx):
            for j in seq(0, ny):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in seq(0, nx):
            for j in seq(1, ny):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in seq(0, nx - 1):
            for j in seq(0, ny - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


@proc
def adi(
    steps: size, n: size, a: f64,
    u: f64[n, n], v: f64[n, n], q: f64[n, n], p: f64[n], g: f64[n],
):  # fmt: skip
    """The equation of heat by alternating directions (Peaceman and Rachford), a = dt / (2 dx^2), what is at the border
    stays: each half step is implicit in one direction, and there solves a tridiagonal system for each line"""
    assert n >= 3
    p[0] = 0.0
    for k in seq(1, n - 1):
        g[k] = 1.0 / (1.0 + 2.0 * a - a * p[k - 1])
        p[k] = a * g[k]
    for t in seq(0, steps):
        for j in seq(1, n - 1):
            q[0, j] = u[0, j]
            v[0, j] = u[0, j]
            v[n - 1, j] = u[n - 1, j]
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                q[i, j] = g[i] * (u[i, j] + a * (u[i, j - 1] - 2.0 * u[i, j] + u[i, j + 1]) + a * q[i - 1, j])
        for i in seq(n - 2, 0, -1):
            for j in seq(1, n - 1):
                v[i, j] = p[i] * v[i + 1, j] + q[i, j]
        for i in seq(1, n - 1):
            q[i, 0] = u[i, 0]
            for j in seq(1, n - 1):
                q[i, j] = g[j] * (v[i, j] + a * (v[i - 1, j] - 2.0 * v[i, j] + v[i + 1, j]) + a * q[i, j - 1])
            for j in seq(n - 2, 0, -1):
                u[i, j] = p[j] * u[i, j + 1] + q[i, j]


PROGRAMS = (
    Program(jacobi_1d, {"steps": 500, "n": 2000}),
    Program(jacobi_2d, {"steps": 500, "n": 1300}),
    Program(seidel_2d, {"steps": 500, "n": 2000}),
    Program(heat_3d, {"steps": 500, "n": 120}),
    Program(fdtd_2d, {"steps": 500, "nx": 1000, "ny": 1200}),
    Program(adi, {"steps": 500, "n": 1000}, {"a": 0.4}),
)
