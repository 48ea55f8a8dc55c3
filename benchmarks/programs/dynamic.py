"""Dynamic programming."""

from __future__ import annotations

import numpy as np

from exo_strat import *

from .program import Arrays, Program


@proc
def floyd_warshall(n: size, d: f64[n, n]):
    """The lengths of the shortest paths between all vertices, from those of the edges"""
    for k in seq(0, n):
        for i in seq(0, n):
            for j in seq(0, n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


@proc
def nussinov(n: size, s: f64[n], t: f64[n, n]):
    """t[i, j]: how many pairs of complementary bases, not beside each other, s[i], .. s[j] can fold into"""
    for i in seq(n - 1, -1, -1):
        for j in seq(i + 1, n):
            t[i, j] = t[i + 1, j]
            if i + 1 < j and s[i] + s[j] == 3.0:
                t[i, j] = max(t[i, j], t[i + 1, j - 1] + 1.0)
            for k in seq(i, j):
                t[i, j] = max(t[i, j], t[i, k] + t[k + 1, j])


def _bases(x: Arrays) -> None:
    """Four kinds, of which 0 and 3, and 1 and 2, are complementary; no pairs yet."""
    x["s"] = np.floor(4 * x["s"])
    x["t"][:] = 0


PROGRAMS = (
    Program(floyd_warshall, {"n": 2800}),
    Program(nussinov, {"n": 2500}, prepare=_bases),
)
