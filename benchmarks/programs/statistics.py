"""Statistics of observations, one in each row."""

from __future__ import annotations

from exo_strat import *

from .program import Program

FLAT = 0.1
"""A deviation that is less counts as none."""


@proc
def covariance(n: size, m: size, x: f64[n, m], mean: f64[m], c: f64[m, m]):
    """The covariances of the columns, which are centred on the way"""
    for j in seq(0, m):
        mean[j] = 0.0
    for i in seq(0, n):
        for j in seq(0, m):
            mean[j] += x[i, j]
    for j in seq(0, m):
        mean[j] /= f64(n)
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] -= mean[j]
    for i in seq(0, m):
        for j in seq(i, m):
            c[i, j] = 0.0
        for k in seq(0, n):
            for j in seq(i, m):
                c[i, j] += x[k, i] * x[k, j]
        for j in seq(i, m):
            c[i, j] /= f64(n) - 1.0
            c[j, i] = c[i, j]


@proc
def correlation(n: size, m: size, x: f64[n, m], mean: f64[m], dev: f64[m], c: f64[m, m]):
    """The correlations of the columns, which are centred and scaled on the way"""
    for j in seq(0, m):
        mean[j] = 0.0
        dev[j] = 0.0
    for i in seq(0, n):
        for j in seq(0, m):
            mean[j] += x[i, j]
    for j in seq(0, m):
        mean[j] /= f64(n)
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] -= mean[j]
            dev[j] += x[i, j] * x[i, j]
    for j in seq(0, m):
        dev[j] = sqrt(dev[j] / f64(n))
        if dev[j] <= FLAT:
            dev[j] = 1.0
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] /= sqrt(f64(n)) * dev[j]
    for i in seq(0, m):
        c[i, i] = 1.0
        for j in seq(i + 1, m):
            c[i, j] = 0.0
        for k in seq(0, n):
            for j in seq(i + 1, m):
                c[i, j] += x[k, i] * x[k, j]
        for j in seq(i + 1, m):
            c[j, i] = c[i, j]


PROGRAMS = (
    Program(covariance, {"n": 1400, "m": 1200}),
    Program(correlation, {"n": 1400, "m": 1200}),
)
