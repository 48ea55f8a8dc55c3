"""Filters of images."""

from __future__ import annotations

from math import exp

from exo_strat import *

from .program import Program


@proc
def deriche(
    h: size, w: size, a0: f64, a1: f64, a2: f64, a3: f64, b1: f64, b2: f64,
    x: f64[h, w], p: f64[h, w], q: f64[h, w], y: f64[h, w],
):  # fmt: skip
    """Smooths an image by a recursive filter, along its rows and then along its columns: each time forward into p and
    backward into q, with nothing outside of the image"""
    assert h >= 3 and w >= 3
    for i in seq(0, h):
        p[i, 0] = a0 * x[i, 0]
        p[i, 1] = a0 * x[i, 1] + a1 * x[i, 0] + b1 * p[i, 0]
        for j in seq(2, w):
            p[i, j] = a0 * x[i, j] + a1 * x[i, j - 1] + b1 * p[i, j - 1] + b2 * p[i, j - 2]
    for i in seq(0, h):
        q[i, w - 1] = 0.0
        q[i, w - 2] = a2 * x[i, w - 1]
        for j in seq(w - 3, -1, -1):
            q[i, j] = a2 * x[i, j + 1] + a3 * x[i, j + 2] + b1 * q[i, j + 1] + b2 * q[i, j + 2]
    for i in seq(0, h):
        for j in seq(0, w):
            y[i, j] = p[i, j] + q[i, j]
    for j in seq(0, w):
        p[0, j] = a0 * y[0, j]
        p[1, j] = a0 * y[1, j] + a1 * y[0, j] + b1 * p[0, j]
    for i in seq(2, h):
        for j in seq(0, w):
            p[i, j] = a0 * y[i, j] + a1 * y[i - 1, j] + b1 * p[i - 1, j] + b2 * p[i - 2, j]
    for j in seq(0, w):
        q[h - 1, j] = 0.0
        q[h - 2, j] = a2 * y[h - 1, j]
    for i in seq(h - 3, -1, -1):
        for j in seq(0, w):
            q[i, j] = a2 * y[i + 1, j] + a3 * y[i + 2, j] + b1 * q[i + 1, j] + b2 * q[i + 2, j]
    for i in seq(0, h):
        for j in seq(0, w):
            y[i, j] = p[i, j] + q[i, j]


def smoothing(alpha: float) -> dict[str, float]:
    """Deriche's coefficients, for a response of (alpha |k| + 1) exp(-alpha |k|), scaled to the sum 1."""
    e = exp(-alpha)
    scale = (1 - e) ** 2 / (1 + 2 * alpha * e - e * e)
    a = {"a0": scale, "a1": scale * e * (alpha - 1), "a2": scale * e * (alpha + 1), "a3": -scale * e * e}
    return {**a, "b1": 2 * e, "b2": -e * e}


PROGRAMS = (Program(deriche, {"h": 2160, "w": 4096}, smoothing(0.25)),)
