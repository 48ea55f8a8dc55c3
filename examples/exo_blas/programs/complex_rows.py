"""Complex numbers, level 2: programs on matrices of any storage, and their kernels.

A matrix is rows of reals that begin somewhere (`ROWS` in storage.py), of twice as many as there are columns. Row i has
the columns i - below to i + above, as far as there are such: so a dense matrix, a band, and a triangle, packed or not,
are one. Of what is conjugated, vectors are: conj(A) x is the conjugated of A conj(x). `s` is -1 then, else 1.

A row times a vector x is two sums of reals, of a u and of a v, with u = (re, -im) and v = (im, re) of each pair of x.
What rows add to a vector is added up in p, times the real parts of their factors, and in q, times the imaginary ones:
the pair j of it is (p[j].re - q[j].im, p[j].im + q[j].re), and if the rows are conjugated (p[j].re + q[j].im,
q[j].re - p[j].im). A vector of n pairs that no caller sees is 2 n reals.

Four rows are taken together, in the columns that all of them have. Programs here are written in blocks; what they call
is scheduled (`LEAVES`). `tests/test_complex_programs.py` compares them with the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TypeAlias

from exo_strat import *
from exo_strat import proc_from_source
from strategies.blas.calls import calls, calls_scheduled
from strategies.blas.level1 import optimize_level_1
from strategies.blas.pairs import optimize_pairs

from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed
from .level2 import shorter
from .storage import BLOCK, PAIRS, ROOM, ROWS

MEMORIES = {"PAIRS": PAIRS, "BLOCK": BLOCK, "ROOM": ROOM, "ROWS": ROWS}

# -- loops over the reals of rows ---------------------------------------------------------------------


@proc
def dots(n: size, a: [R][n], b: [R][n], c: [R][n], d: [R][n], u: [R][n], v: [R][n], w: [R][8]):
    assert stride(a, 0) == 1 and stride(b, 0) == 1 and stride(c, 0) == 1 and stride(d, 0) == 1
    assert stride(u, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1
    for j in seq(0, n):
        w[0] += a[j] * u[j]
        w[2] += b[j] * u[j]
        w[4] += c[j] * u[j]
        w[6] += d[j] * u[j]
        w[1] += a[j] * v[j]
        w[3] += b[j] * v[j]
        w[5] += c[j] * v[j]
        w[7] += d[j] * v[j]


@proc
def dot(n: size, a: [R][n], u: [R][n], v: [R][n], w: [R][2]):
    assert stride(a, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1
    s: R
    t: R
    s = 0.0
    t = 0.0
    for j in seq(0, n):
        s += a[j] * u[j]
        t += a[j] * v[j]
    w[0] += s
    w[1] += t


@proc
def adds(n: size, a: [R][n], b: [R][n], c: [R][n], d: [R][n], x: [R][8], p: [R][n], q: [R][n]):
    assert stride(a, 0) == 1 and stride(b, 0) == 1 and stride(c, 0) == 1 and stride(d, 0) == 1
    assert stride(x, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    for j in seq(0, n):
        s: R
        t: R
        s = p[j]
        t = q[j]
        s += x[0] * a[j]
        t += x[1] * a[j]
        s += x[2] * b[j]
        t += x[3] * b[j]
        s += x[4] * c[j]
        t += x[5] * c[j]
        s += x[6] * d[j]
        t += x[7] * d[j]
        p[j] = s
        q[j] = t


@proc
def add(n: size, a: [R][n], x: [R][2], p: [R][n], q: [R][n]):
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    for j in seq(0, n):
        p[j] += x[0] * a[j]
        q[j] += x[1] * a[j]


@proc
def both(n: size, a: [R][n], x: [R][2], u: [R][n], v: [R][n], p: [R][n], q: [R][n], w: [R][2]):
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    assert stride(p, 0) == 1 and stride(q, 0) == 1 and stride(w, 0) == 1
    s: R
    t: R
    s = 0.0
    t = 0.0
    for j in seq(0, n):
        p[j] += x[0] * a[j]
        q[j] += x[1] * a[j]
        s += a[j] * u[j]
        t += a[j] * v[j]
    w[0] += s
    w[1] += t


@proc
def rank(n: size, x: [R][2], u: [R][n], v: [R][n], a: [R][n]):
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for j in seq(0, n):
        t: R
        t = a[j]
        t += x[0] * u[j]
        t += x[1] * v[j]
        a[j] = t


@proc
def ranks(n: size, x: [R][8], u: [R][n], v: [R][n], a: [R][n], b: [R][n], c: [R][n], d: [R][n]):
    assert stride(a, 0) == 1 and stride(b, 0) == 1 and stride(c, 0) == 1 and stride(d, 0) == 1
    assert stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for j in seq(0, n):
        e: R
        f: R
        g: R
        h: R
        e = a[j]
        f = b[j]
        g = c[j]
        h = d[j]
        e += x[0] * u[j]
        f += x[2] * u[j]
        g += x[4] * u[j]
        h += x[6] * u[j]
        e += x[1] * v[j]
        f += x[3] * v[j]
        g += x[5] * v[j]
        h += x[7] * v[j]
        a[j] = e
        b[j] = f
        c[j] = g
        d[j] = h


@proc
def rank2(n: size, x: [R][2], u: [R][n], v: [R][n], y: [R][2], f: [R][n], g: [R][n], a: [R][n]):
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    assert stride(y, 0) == 1 and stride(f, 0) == 1 and stride(g, 0) == 1
    for j in seq(0, n):
        t: R
        t = a[j]
        t += x[0] * u[j]
        t += x[1] * v[j]
        t += y[0] * f[j]
        t += y[1] * g[j]
        a[j] = t


# -- loops over the reals of vectors ------------------------------------------------------------------

# Pairs are multiplied as they are, and with their parts exchanged, by numbers of each part.


@proc
def signed(n: size, f: [R][2], x: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] = f[k] * x[2 * i + k]


@proc
def plus(n: size, f: [R][2], x: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] += f[k] * x[2 * i + k]


@proc
def plus_both(n: size, f: [R][2], g: [R][2], p: [R][2 * n], q: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(g, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] += f[k] * p[2 * i + k]
            y[2 * i + k] += g[k] * q[2 * i + 1 - k]


@proc
def times(n: size, f: [R][2], g: [R][2], x: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(g, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] = f[k] * x[2 * i + k] + g[k] * x[2 * i + 1 - k]


@proc
def parted(n: size, f: [R][2], g: [R][2], x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(g, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            u[2 * i + k] = f[k] * x[2 * i + k]
            v[2 * i + k] = g[k] * x[2 * i + 1 - k]


@proc
def parted_times(n: size, f: [R][4, 2], x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    assert stride(f, 1) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            u[2 * i + k] = f[0, k] * x[2 * i + k] + f[1, k] * x[2 * i + 1 - k]
            v[2 * i + k] = f[2, k] * x[2 * i + k] + f[3, k] * x[2 * i + 1 - k]


@proc
def multiplied(n: size, r: R, i: R, x: [R][2 * n]):
    """x := (r + i I) x"""
    assert stride(x, 0) == 1
    b: R[2] @ DRAM_STACK
    b[0] = -i
    b[1] = i
    for j in seq(0, n):
        t: R[2] @ DRAM_STACK
        for k in seq(0, 2):
            t[k] = x[2 * j + 1 - k]
        for k in seq(0, 2):
            x[2 * j + k] = r * x[2 * j + k] + b[k] * t[k]


@proc
def zeros(n: size, p: [R][n]):
    assert stride(p, 0) == 1
    for j in seq(0, n):
        p[j] = 0.0


# -- vectors ------------------------------------------------------------------------------------------


@proc
def taken(n: size, s: R, x: [R][2 * n] @ PAIRS, near: [R][2 * n]):
    """near := x, or conj(x)"""
    assert stride(near, 0) == 1
    if stride(x, 0) == 1:
        f: R[2] @ DRAM_STACK
        f[0] = 1.0
        f[1] = s
        signed(n, f, x, near)
    else:
        for i in seq(0, n):
            near[2 * i] = x[2 * i]
            near[2 * i + 1] = s * x[2 * i + 1]


@proc
def given(n: size, s: R, near: [R][2 * n], x: [R][2 * n] @ PAIRS):
    """x := near, or conj(near)"""
    assert stride(near, 0) == 1
    if stride(x, 0) == 1:
        f: R[2] @ DRAM_STACK
        f[0] = 1.0
        f[1] = s
        signed(n, f, near, x)
    else:
        for i in seq(0, n):
            x[2 * i] = near[2 * i]
            x[2 * i + 1] = s * near[2 * i + 1]


@proc
def taken_times(n: size, s: R, b: [R][2], x: [R][2 * n] @ PAIRS, near: [R][2 * n]):
    """near := b x, or conj(b x)"""
    assert stride(near, 0) == 1
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = b[0]
    f[1] = s * b[0]
    g[0] = -b[1]
    g[1] = s * b[1]
    if stride(x, 0) == 1:
        times(n, f, g, x, near)
    else:
        for i in seq(0, n):
            near[2 * i] = f[0] * x[2 * i] + g[0] * x[2 * i + 1]
            near[2 * i + 1] = f[1] * x[2 * i + 1] + g[1] * x[2 * i]


@proc
def spread(n: size, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    """What multiplies rows of A in x"""
    assert stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = -1.0
    g[0] = 1.0
    g[1] = 1.0
    parted(n, f, g, x, u, v)


@proc
def taken_spread(n: size, s: R, x: [R][2 * n] @ PAIRS, u: [R][2 * n], v: [R][2 * n]):
    """What multiplies rows of A in x, or conj(x)"""
    assert stride(u, 0) == 1 and stride(v, 0) == 1
    if stride(x, 0) == 1:
        f: R[2] @ DRAM_STACK
        g: R[2] @ DRAM_STACK
        f[0] = 1.0
        f[1] = -s
        g[0] = s
        g[1] = 1.0
        parted(n, f, g, x, u, v)
    else:
        near: R[2 * n] @ ROOM
        taken(n, s, x, near)
        spread(n, near, u, v)


@proc
def taken_spread_times(n: size, s: R, b: [R][2], x: [R][2 * n] @ PAIRS, u: [R][2 * n], v: [R][2 * n]):
    """What multiplies rows of A in b x, or conj(b x)"""
    assert stride(u, 0) == 1 and stride(v, 0) == 1
    if stride(x, 0) == 1:
        f: R[4, 2] @ DRAM_STACK
        f[0, 0] = b[0]
        f[0, 1] = -(s * b[0])
        f[1, 0] = -b[1]
        f[1, 1] = -(s * b[1])
        f[2, 0] = s * b[1]
        f[2, 1] = -b[1]
        f[3, 0] = s * b[0]
        f[3, 1] = b[0]
        parted_times(n, f, x, u, v)
    else:
        near: R[2 * n] @ ROOM
        taken_times(n, s, b, x, near)
        spread(n, near, u, v)


@proc
def spread_few(lo: index, hi: index, n: size, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    """The same of some of x"""
    assert lo >= 0 and hi <= n
    for i in seq(lo, hi):
        u[2 * i] = x[2 * i]
        u[2 * i + 1] = -x[2 * i + 1]
        v[2 * i] = x[2 * i + 1]
        v[2 * i + 1] = x[2 * i]


@proc
def scaled(n: size, b: [R][2], y: [R][2 * n]):
    """y := b y, which is not read if b is 0"""
    assert stride(y, 0) == 1
    if b[0] == 0.0 and b[1] == 0.0:
        zeros(2 * n, y)
    else:
        if b[0] != 1.0 or b[1] != 0.0:
            multiplied(n, b[0], b[1], y)


@proc
def added(
    n: size, some: bool, s: R, beta: [R][2], w: [R][2 * n], two: bool, t: R, p: [R][2 * n], q: [R][2 * n],
    y: [R][2 * n],
):  # fmt: skip
    """y := beta y, if there are `some` plus w; if `two` plus p and q, of rows, or if t is -1 of conjugated rows. What
    is added is conjugated if s is -1."""
    assert stride(w, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1 and stride(y, 0) == 1
    scaled(n, beta, y)
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = s
    if some:
        plus(n, f, w, y)
    if two:
        f[1] = s * t
        g[0] = -t
        g[1] = s
        plus_both(n, f, g, p, q, y)


@proc
def added_to(
    n: size, some: bool, s: R, beta: [R][2], w: [R][2 * n], two: bool, t: R, p: [R][2 * n], q: [R][2 * n],
    y: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """The same, of a y whose pairs may be apart"""
    assert stride(w, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    if stride(y, 0) == 1:
        added(n, some, s, beta, w, two, t, p, q, y)
    else:
        near: R[2 * n] @ ROOM
        taken(n, 1.0, y, near)
        added(n, some, s, beta, w, two, t, p, q, near)
        given(n, 1.0, near, y)


# -- products with rows -------------------------------------------------------------------------------


@proc
def rows_alone(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    a: [R][m, 1, 2 * n] @ ROWS, u: [R][2 * n], v: [R][2 * n], w: [R][2 * m],
):  # fmt: skip
    """w += A x, of the rows lo to hi and what they have of the columns left to right, row by row"""
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1
    for k in seq(lo, hi):
        lowest = max(left, k - below)
        end = min(right, k + above + 1)
        if lowest < end:
            dot(2 * (end - lowest), a[k, 0, 2 * lowest : 2 * end], u[2 * lowest : 2 * end], v[2 * lowest : 2 * end],
                w[2 * k : 2 * k + 2])  # fmt: skip


@proc
def columns_alone(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    a: [R][m, 1, 2 * n] @ ROWS, x: [R][2 * m], p: [R][2 * n], q: [R][2 * n],
):  # fmt: skip
    """p, q += A^T x, likewise"""
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and stride(x, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    for k in seq(lo, hi):
        lowest = max(left, k - below)
        end = min(right, k + above + 1)
        if lowest < end:
            add(2 * (end - lowest), a[k, 0, 2 * lowest : 2 * end], x[2 * k : 2 * k + 2], p[2 * lowest : 2 * end],
                q[2 * lowest : 2 * end])  # fmt: skip


@proc
def rows_together(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    enough: size, a: [R][m, 1, 2 * n] @ ROWS, u: [R][2 * n], v: [R][2 * n], w: [R][2 * m],
):  # fmt: skip
    """w += A x, of the rows lo to hi and what they have of the columns left to right"""
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1
    for io in seq(0, (hi - lo + 3) / 4):
        i = lo + 4 * io
        first = max(left, i + 3 - below)
        last = min(right, i + above + 1)
        if i + 4 <= hi and first + enough <= last:
            dots(2 * (last - first), a[i, 0, 2 * first : 2 * last], a[i + 1, 0, 2 * first : 2 * last],
                 a[i + 2, 0, 2 * first : 2 * last], a[i + 3, 0, 2 * first : 2 * last], u[2 * first : 2 * last],
                 v[2 * first : 2 * last], w[2 * i : 2 * i + 8])  # fmt: skip
            if max(left, i - below) < first:
                for k in seq(i, i + 4):
                    for j in seq(2 * max(left, k - below), 2 * first):
                        w[2 * k] += a[k, 0, j] * u[j]
                        w[2 * k + 1] += a[k, 0, j] * v[j]
            if last < min(right, i + above + 4):
                for k in seq(i, i + 4):
                    for j in seq(2 * last, 2 * min(right, k + above + 1)):
                        w[2 * k] += a[k, 0, j] * u[j]
                        w[2 * k + 1] += a[k, 0, j] * v[j]
        else:
            for k in seq(i, min(i + 4, hi)):
                lowest = max(left, k - below)
                end = min(right, k + above + 1)
                if lowest < end:
                    dot(2 * (end - lowest), a[k, 0, 2 * lowest : 2 * end], u[2 * lowest : 2 * end],
                        v[2 * lowest : 2 * end], w[2 * k : 2 * k + 2])  # fmt: skip


@proc
def columns_together(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    enough: size, a: [R][m, 1, 2 * n] @ ROWS, x: [R][2 * m], p: [R][2 * n], q: [R][2 * n],
):  # fmt: skip
    """p, q += A^T x, of the rows lo to hi and what they have of the columns left to right"""
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and stride(x, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    for io in seq(0, (hi - lo + 3) / 4):
        i = lo + 4 * io
        first = max(left, i + 3 - below)
        last = min(right, i + above + 1)
        if i + 4 <= hi and first + enough <= last:
            adds(2 * (last - first), a[i, 0, 2 * first : 2 * last], a[i + 1, 0, 2 * first : 2 * last],
                 a[i + 2, 0, 2 * first : 2 * last], a[i + 3, 0, 2 * first : 2 * last], x[2 * i : 2 * i + 8],
                 p[2 * first : 2 * last], q[2 * first : 2 * last])  # fmt: skip
            if max(left, i - below) < first:
                for k in seq(i, i + 4):
                    for j in seq(2 * max(left, k - below), 2 * first):
                        p[j] += x[2 * k] * a[k, 0, j]
                        q[j] += x[2 * k + 1] * a[k, 0, j]
            if last < min(right, i + above + 4):
                for k in seq(i, i + 4):
                    for j in seq(2 * last, 2 * min(right, k + above + 1)):
                        p[j] += x[2 * k] * a[k, 0, j]
                        q[j] += x[2 * k + 1] * a[k, 0, j]
        else:
            for k in seq(i, min(i + 4, hi)):
                lowest = max(left, k - below)
                end = min(right, k + above + 1)
                if lowest < end:
                    add(2 * (end - lowest), a[k, 0, 2 * lowest : 2 * end], x[2 * k : 2 * k + 2],
                        p[2 * lowest : 2 * end], q[2 * lowest : 2 * end])  # fmt: skip


@proc
def by_rows(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    enough: size, a: [R][m, 1, 2 * n] @ ROWS, u: [R][2 * n], v: [R][2 * n], w: [R][2 * m],
):  # fmt: skip
    """w += A x, of the rows lo to hi and what they have of the columns left to right"""
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1
    if below + above < enough:
        rows_alone(m, n, lo, hi, left, right, below, above, a, u, v, w)
    else:
        rows_together(m, n, lo, hi, left, right, below, above, enough, a, u, v, w)


@proc
def by_columns(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    enough: size, a: [R][m, 1, 2 * n] @ ROWS, x: [R][2 * m], p: [R][2 * n], q: [R][2 * n],
):  # fmt: skip
    """p, q += A^T x, likewise"""
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and stride(x, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    if below + above < enough:
        columns_alone(m, n, lo, hi, left, right, below, above, a, x, p, q)
    else:
        columns_together(m, n, lo, hi, left, right, below, above, enough, a, x, p, q)


@proc
def gbmv_rows(
    m: size, n: size, below: index, above: index, enough: size, s: R, alpha: [R][2], a: [R][m, 1, 2 * n] @ ROWS,
    x: [R][2 * n] @ PAIRS, beta: [R][2], y: [R][2 * m] @ PAIRS,
):  # fmt: skip
    """y := alpha A x + beta y, or alpha conj(A) x + beta y; of sums, more columns than `enough` are, as those that
    not all rows have are on both sides"""
    assert below >= -1 and above >= -1 and stride(a, 2) == 1
    w: R[2 * m] @ ROOM
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        taken_spread_times(n, s, alpha, x, u, v)
        zeros(2 * m, w)
        by_rows(m, n, 0, m, 0, n, below, above, 3 * enough, a, u, v, w)
        added_to(m, True, s, beta, w, False, 1.0, w, w, y)
    else:
        added_to(m, False, s, beta, w, False, 1.0, w, w, y)


@proc
def gbmv_columns(
    m: size, n: size, below: index, above: index, enough: size, s: R, alpha: [R][2], a: [R][m, 1, 2 * n] @ ROWS,
    x: [R][2 * m] @ PAIRS, beta: [R][2], y: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """y := alpha A^T x + beta y, or alpha A^H x + beta y"""
    assert below >= -1 and above >= -1 and stride(a, 2) == 1
    p: R[2 * n] @ ROOM
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near: R[2 * m] @ ROOM
        q: R[2 * n] @ ROOM
        taken_times(m, s, alpha, x, near)
        zeros(2 * n, p)
        zeros(2 * n, q)
        by_columns(m, n, 0, m, 0, n, below, above, enough, a, near, p, q)
        added_to(n, False, s, beta, p, True, 1.0, p, q, y)
    else:
        added_to(n, False, s, beta, p, False, 1.0, p, p, y)


# Of a dense matrix, where a row begins takes less time.


@proc
def gemv_rows(
    m: size, n: size, s: R, alpha: [R][2], a: [R][m, 2 * n], x: [R][2 * n] @ PAIRS, beta: [R][2],
    y: [R][2 * m] @ PAIRS,
):  # fmt: skip
    """y := alpha A x + beta y, or alpha conj(A) x + beta y"""
    assert stride(a, 1) == 1
    w: R[2 * m] @ ROOM
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        taken_spread_times(n, s, alpha, x, u, v)
        zeros(2 * m, w)
        for i in seq(0, m / 4):
            dots(2 * n, a[4 * i, 0 : 2 * n], a[4 * i + 1, 0 : 2 * n], a[4 * i + 2, 0 : 2 * n], a[4 * i + 3, 0 : 2 * n],
                 u, v, w[8 * i : 8 * i + 8])  # fmt: skip
        for k in seq(m / 4 * 4, m):
            dot(2 * n, a[k, 0 : 2 * n], u, v, w[2 * k : 2 * k + 2])
        added_to(m, True, s, beta, w, False, 1.0, w, w, y)
    else:
        added_to(m, False, s, beta, w, False, 1.0, w, w, y)


@proc
def gemv_columns(
    m: size, n: size, s: R, alpha: [R][2], a: [R][m, 2 * n], x: [R][2 * m] @ PAIRS, beta: [R][2],
    y: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """y := alpha A^T x + beta y, or alpha A^H x + beta y"""
    assert stride(a, 1) == 1
    p: R[2 * n] @ ROOM
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near: R[2 * m] @ ROOM
        q: R[2 * n] @ ROOM
        taken_times(m, s, alpha, x, near)
        zeros(2 * n, p)
        zeros(2 * n, q)
        for i in seq(0, m / 4):
            adds(2 * n, a[4 * i, 0 : 2 * n], a[4 * i + 1, 0 : 2 * n], a[4 * i + 2, 0 : 2 * n], a[4 * i + 3, 0 : 2 * n],
                 near[8 * i : 8 * i + 8], p, q)  # fmt: skip
        for k in seq(m / 4 * 4, m):
            add(2 * n, a[k, 0 : 2 * n], near[2 * k : 2 * k + 2], p, q)
        added_to(n, False, s, beta, p, True, 1.0, p, q, y)
    else:
        added_to(n, False, s, beta, p, False, 1.0, p, p, y)


@proc
def hermitian(
    n: size, below: index, above: index, s: R, alpha: [R][2], a: [R][n, 1, 2 * n] @ ROWS, x: [R][2 * n] @ PAIRS,
    beta: [R][2], y: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """y := alpha A x + beta y, of a Hermitian A, or conj(A), of which one triangle is stored"""
    assert below >= 0 and above >= 0 and stride(a, 2) == 1
    w: R[2 * n] @ ROOM
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near: R[2 * n] @ ROOM
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        p: R[2 * n] @ ROOM
        q: R[2 * n] @ ROOM
        taken_times(n, s, alpha, x, near)
        spread(n, near, u, v)
        zeros(2 * n, p)
        zeros(2 * n, q)
        for i in seq(0, n):
            w[2 * i] = a[i, 0, 2 * i] * near[2 * i]
            w[2 * i + 1] = a[i, 0, 2 * i] * near[2 * i + 1]
            if above == 0:
                first = max(0, i - below)
                if first < i:
                    both(2 * (i - first), a[i, 0, 2 * first : 2 * i], near[2 * i : 2 * i + 2], u[2 * first : 2 * i],
                         v[2 * first : 2 * i], p[2 * first : 2 * i], q[2 * first : 2 * i],
                         w[2 * i : 2 * i + 2])  # fmt: skip
            else:
                last = min(n, i + above + 1)
                if i + 1 < last:
                    both(2 * (last - i - 1), a[i, 0, 2 * i + 2 : 2 * last], near[2 * i : 2 * i + 2],
                         u[2 * i + 2 : 2 * last], v[2 * i + 2 : 2 * last], p[2 * i + 2 : 2 * last],
                         q[2 * i + 2 : 2 * last], w[2 * i : 2 * i + 2])  # fmt: skip
        added_to(n, True, s, beta, w, True, -1.0, p, q, y)
    else:
        added_to(n, False, s, beta, w, False, 1.0, w, w, y)


# -- updates ------------------------------------------------------------------------------------------


@proc
def spread_back(n: size, s: R, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    """u := x, or conj(x), and v := u times i; s is as ever"""
    assert stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = s
    g[0] = -s
    g[1] = 1.0
    parted(n, f, g, x, u, v)


@proc
def updated(
    m: size, n: size, enough: size, x: [R][2 * m], u: [R][2 * n], v: [R][2 * n], a: [R][m, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """To each row of A, u times the real part of its element of x and v times the imaginary one"""
    assert stride(a, 2) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1 and stride(x, 0) == 1
    for io in seq(0, (m + 3) / 4):
        i = 4 * io
        if i + 4 <= m and enough <= n:
            ranks(2 * n, x[2 * i : 2 * i + 8], u, v, a[i, 0, 0 : 2 * n], a[i + 1, 0, 0 : 2 * n],
                  a[i + 2, 0, 0 : 2 * n], a[i + 3, 0, 0 : 2 * n])  # fmt: skip
        else:
            for k in seq(i, min(i + 4, m)):
                rank(2 * n, x[2 * k : 2 * k + 2], u, v, a[k, 0, 0 : 2 * n])


@proc
def ger(
    m: size, n: size, enough: size, s: R, alpha: [R][2], x: [R][2 * m] @ PAIRS, r: R, y: [R][2 * n] @ PAIRS,
    a: [R][m, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """A := alpha x y^T + A, of x and y or conj(x) and conj(y): s and r are their signs"""
    assert stride(a, 2) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        own: R[2 * m] @ ROOM
        near: R[2 * n] @ ROOM
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        f: R[2] @ DRAM_STACK
        f[0] = alpha[0]
        f[1] = s * alpha[1]
        taken(n, 1.0, y, near)
        spread_back(n, r, near, u, v)
        taken_times(m, s, f, x, own)
        updated(m, n, enough, own, u, v, a)


@proc
def her(n: size, lower: bool, s: R, alpha: R, x: [R][2 * n] @ PAIRS, a: [R][n, 1, 2 * n] @ ROWS):
    """A := alpha x x^H + A, of a Hermitian A of which one triangle is stored, or of conj(A)"""
    assert stride(a, 2) == 1
    if alpha != 0.0:
        near: R[2 * n] @ ROOM
        own: R[2] @ DRAM_STACK
        u: R[2 * n] @ ROOM
        v: R[2 * n] @ ROOM
        taken(n, s, x, near)
        spread_back(n, -1.0, near, u, v)
        for i in seq(0, n):
            own[0] = alpha * near[2 * i]
            own[1] = alpha * near[2 * i + 1]
            if lower:
                rank(2 * (i + 1), own, u[0 : 2 * (i + 1)], v[0 : 2 * (i + 1)], a[i, 0, 0 : 2 * (i + 1)])
            else:
                rank(2 * (n - i), own, u[2 * i : 2 * n], v[2 * i : 2 * n], a[i, 0, 2 * i : 2 * n])
            a[i, 0, 2 * i + 1] = 0.0


@proc
def her2(
    n: size, lower: bool, s: R, alpha: [R][2], x: [R][2 * n] @ PAIRS, y: [R][2 * n] @ PAIRS,
    a: [R][n, 1, 2 * n] @ ROWS,
):  # fmt: skip
    """A := alpha x y^H + conj(alpha) y x^H + A, of a Hermitian A of which one triangle is stored, or of conj(A)"""
    assert stride(a, 2) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near_x: R[2 * n] @ ROOM
        near_y: R[2 * n] @ ROOM
        own_x: R[2] @ DRAM_STACK
        own_y: R[2] @ DRAM_STACK
        ux: R[2 * n] @ ROOM
        vx: R[2 * n] @ ROOM
        uy: R[2 * n] @ ROOM
        vy: R[2 * n] @ ROOM
        taken(n, s, x, near_x)
        taken(n, s, y, near_y)
        spread_back(n, -1.0, near_x, ux, vx)
        spread_back(n, -1.0, near_y, uy, vy)
        for i in seq(0, n):
            own_x[0] = alpha[0] * near_x[2 * i] - s * alpha[1] * near_x[2 * i + 1]
            own_x[1] = alpha[0] * near_x[2 * i + 1] + s * alpha[1] * near_x[2 * i]
            own_y[0] = alpha[0] * near_y[2 * i] + s * alpha[1] * near_y[2 * i + 1]
            own_y[1] = alpha[0] * near_y[2 * i + 1] - s * alpha[1] * near_y[2 * i]
            if lower:
                rank2(2 * (i + 1), own_x, uy[0 : 2 * (i + 1)], vy[0 : 2 * (i + 1)],
                      own_y, ux[0 : 2 * (i + 1)], vx[0 : 2 * (i + 1)],
                      a[i, 0, 0 : 2 * (i + 1)])  # fmt: skip
            else:
                rank2(2 * (n - i), own_x, uy[2 * i : 2 * n], vy[2 * i : 2 * n],
                      own_y, ux[2 * i : 2 * n], vx[2 * i : 2 * n], a[i, 0, 2 * i : 2 * n])  # fmt: skip
            a[i, 0, 2 * i + 1] = 0.0


# -- triangles ----------------------------------------------------------------------------------------


@proc
def trmv_rows(
    n: size, below: index, above: index, enough: size, unit: bool, s: R, a: [R][n, 1, 2 * n] @ ROWS,
    x: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """x := A x, or conj(A) x, of a triangle; of one with a unit diagonal, below or above are less by 1"""
    assert below >= -1 and above >= -1 and stride(a, 2) == 1
    near: R[2 * n] @ ROOM
    u: R[2 * n] @ ROOM
    v: R[2 * n] @ ROOM
    taken_spread(n, s, x, u, v)
    if unit:
        taken(n, s, x, near)
    else:
        zeros(2 * n, near)
    rows_together(n, n, 0, n, 0, n, below, above, enough, a, u, v, near)
    given(n, s, near, x)


@proc
def trmv_columns(
    n: size, below: index, above: index, enough: size, unit: bool, s: R, a: [R][n, 1, 2 * n] @ ROWS,
    x: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """x := A^T x, or A^H x, of a triangle; of one with a unit diagonal, below or above are less by 1"""
    assert below >= -1 and above >= -1 and stride(a, 2) == 1
    near: R[2 * n] @ ROOM
    p: R[2 * n] @ ROOM
    q: R[2 * n] @ ROOM
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = 1.0
    g[0] = -1.0
    g[1] = 1.0
    taken(n, s, x, near)
    zeros(2 * n, p)
    zeros(2 * n, q)
    columns_together(n, n, 0, n, 0, n, below, above, enough, a, near, p, q)
    if not unit:
        zeros(2 * n, near)
    plus_both(n, f, g, p, q, near)
    given(n, s, near, x)


# -- triangular systems -------------------------------------------------------------------------------

FAR = 2.0**62
"""Numbers beyond this one and its inverse are scaled by it before they are inverted: so that is no 0 nor infinity."""


@proc
def inverse(d: [R][2], w: [R][3]):
    """Of a number d, its inverse is (w[0], w[1]) times w[2], of which the pair is found as R. L. Smith does (1962)"""
    p: R
    q: R
    p = d[0] if abs(d[1]) <= abs(d[0]) else d[1]
    q = d[1] if abs(d[1]) <= abs(d[0]) else d[0]
    w[2] = FAR if abs(p) < 1.0 / FAR else 1.0 / FAR if abs(p) > FAR else 1.0
    p = p * w[2]
    t: R
    e: R
    t = q * w[2] / p
    e = 1.0 / (p + q * w[2] * t)
    w[0] = e if abs(d[1]) <= abs(d[0]) else t * e
    w[1] = -(t * e) if abs(d[1]) <= abs(d[0]) else -e


@proc
def inverses(n: size, unit: bool, a: [R][n, 1, 2 * n] @ ROWS, d: [R][3 * n]):
    """Of the diagonal's elements"""
    assert stride(a, 2) == 1 and stride(d, 0) == 1
    if not unit:
        for i in seq(0, n):
            inverse(a[i, 0, 2 * i : 2 * i + 2], d[3 * i : 3 * i + 3])


@proc
def solved(unit: bool, d: [R][3], re: R, im: R, x: [R][2]):
    """x := (re + i im) d, or without d"""
    assert stride(d, 0) == 1 and stride(x, 0) == 1
    if unit:
        x[0] = re
        x[1] = im
    else:
        x[0] = (re * d[0] - im * d[1]) * d[2]
        x[1] = (re * d[1] + im * d[0]) * d[2]


@proc
def solved_rows(
    n: size, lo: index, hi: index, below: index, above: index, unit: bool, a: [R][n, 1, 2 * n] @ ROWS,
    d: [R][3 * n], w: [R][2 * n], x: [R][2 * n],
):  # fmt: skip
    """x := A^-1 (x - w), of the triangle of the rows and columns lo to hi"""
    assert lo >= 0 and hi <= n and below >= 0 and above >= 0 and stride(a, 2) == 1 and stride(d, 0) == 1
    assert stride(w, 0) == 1 and stride(x, 0) == 1
    for ii in seq(0, hi - lo):
        re: R
        im: R
        if above == 0:
            i = lo + ii
            re = x[2 * i] - w[2 * i]
            im = x[2 * i + 1] - w[2 * i + 1]
            for j in seq(max(lo, i - below), i):
                re += a[i, 0, 2 * j + 1] * x[2 * j + 1]
                im += -(a[i, 0, 2 * j + 1] * x[2 * j])
                re += -(a[i, 0, 2 * j] * x[2 * j])
                im += -(a[i, 0, 2 * j] * x[2 * j + 1])
            solved(unit, d[3 * i : 3 * i + 3], re, im, x[2 * i : 2 * i + 2])
        else:
            k = hi - 1 - ii
            re = x[2 * k] - w[2 * k]
            im = x[2 * k + 1] - w[2 * k + 1]
            for j in seq(k + 1, min(hi, k + above + 1)):
                re += a[k, 0, 2 * j + 1] * x[2 * j + 1]
                im += -(a[k, 0, 2 * j + 1] * x[2 * j])
                re += -(a[k, 0, 2 * j] * x[2 * j])
                im += -(a[k, 0, 2 * j] * x[2 * j + 1])
            solved(unit, d[3 * k : 3 * k + 3], re, im, x[2 * k : 2 * k + 2])


@proc
def solved_columns(
    n: size, lo: index, hi: index, below: index, above: index, unit: bool, a: [R][n, 1, 2 * n] @ ROWS,
    d: [R][3 * n], p: [R][2 * n], q: [R][2 * n], x: [R][2 * n],
):  # fmt: skip
    """x := A^-T (x - p - i q), of the triangle of the rows and columns lo to hi"""
    assert lo >= 0 and hi <= n and below >= 0 and above >= 0 and stride(a, 2) == 1 and stride(d, 0) == 1
    assert stride(p, 0) == 1 and stride(q, 0) == 1 and stride(x, 0) == 1
    for ii in seq(0, hi - lo):
        re: R
        im: R
        if above == 0:
            k = hi - 1 - ii
            re = x[2 * k] - (p[2 * k] - q[2 * k + 1])
            im = x[2 * k + 1] - (p[2 * k + 1] + q[2 * k])
            for j in seq(k + 1, min(hi, k + below + 1)):
                re += a[j, 0, 2 * k + 1] * x[2 * j + 1]
                im += -(a[j, 0, 2 * k + 1] * x[2 * j])
                re += -(a[j, 0, 2 * k] * x[2 * j])
                im += -(a[j, 0, 2 * k] * x[2 * j + 1])
            solved(unit, d[3 * k : 3 * k + 3], re, im, x[2 * k : 2 * k + 2])
        else:
            i = lo + ii
            re = x[2 * i] - (p[2 * i] - q[2 * i + 1])
            im = x[2 * i + 1] - (p[2 * i + 1] + q[2 * i])
            for j in seq(max(lo, i - above), i):
                re += a[j, 0, 2 * i + 1] * x[2 * j + 1]
                im += -(a[j, 0, 2 * i + 1] * x[2 * j])
                re += -(a[j, 0, 2 * i] * x[2 * j])
                im += -(a[j, 0, 2 * i] * x[2 * j + 1])
            solved(unit, d[3 * i : 3 * i + 3], re, im, x[2 * i : 2 * i + 2])


@proc
def trsv_rows(
    n: size, below: index, above: index, enough: size, unit: bool, s: R, a: [R][n, 1, 2 * n] @ ROWS,
    x: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """x := A^-1 x, or conj(A)^-1 x, of a triangle"""
    assert below >= 0 and above >= 0 and stride(a, 2) == 1
    near: R[2 * n] @ ROOM
    d: R[3 * n] @ ROOM
    w: R[2 * n] @ ROOM
    u: R[2 * n] @ ROOM
    v: R[2 * n] @ ROOM
    taken(n, s, x, near)
    inverses(n, unit, a, d)
    zeros(2 * n, w)
    for io in seq(0, (n + 3) / 4):
        if above == 0:
            lo = 4 * io
            hi = min(n, 4 * io + 4)
            rows_together(n, n, lo, hi, 0, lo, below, above, enough, a, u, v, w)
            solved_rows(n, lo, hi, below, above, unit, a, d, w, near)
            spread_few(lo, hi, n, near, u, v)
        else:
            last = n - 4 * io
            first = max(0, n - 4 * io - 4)
            rows_together(n, n, first, last, last, n, below, above, enough, a, u, v, w)
            solved_rows(n, first, last, below, above, unit, a, d, w, near)
            spread_few(first, last, n, near, u, v)
    given(n, s, near, x)


@proc
def trsv_columns(
    n: size, below: index, above: index, enough: size, unit: bool, s: R, a: [R][n, 1, 2 * n] @ ROWS,
    x: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """x := A^-T x, or A^-H x, of a triangle"""
    assert below >= 0 and above >= 0 and stride(a, 2) == 1
    near: R[2 * n] @ ROOM
    d: R[3 * n] @ ROOM
    p: R[2 * n] @ ROOM
    q: R[2 * n] @ ROOM
    taken(n, s, x, near)
    inverses(n, unit, a, d)
    zeros(2 * n, p)
    zeros(2 * n, q)
    for io in seq(0, (n + 3) / 4):
        if above == 0:
            last = n - 4 * io
            first = max(0, n - 4 * io - 4)
            solved_columns(n, first, last, below, above, unit, a, d, p, q, near)
            columns_together(n, n, first, last, 0, first, below, above, enough, a, near, p, q)
        else:
            lo = 4 * io
            hi = min(n, 4 * io + 4)
            solved_columns(n, lo, hi, below, above, unit, a, d, p, q, near)
            columns_together(n, n, lo, hi, hi, n, below, above, enough, a, near, p, q)
    given(n, s, near, x)


# -- kernels ------------------------------------------------------------------------------------------

Plan: TypeAlias = Callable[[str, Machine], Op]
"""What a loop is scheduled by, for a precision and a machine."""


def reals(vectors: int, precision: str, machine: Machine) -> Op:
    """What loops over reals are scheduled by; so many vectors are taken together, or as many as the machine likes."""
    return at("for j in _: _", optimize_level_1(shorter(machine), precision, vectors))


def pairs(loop: str, vectors: int, precision: str, machine: Machine) -> Op:
    """What loops over pairs that are neighbours are scheduled by."""
    return at(f"for {loop} in _: _", optimize_pairs(shorter(machine), precision, vectors))


LEAVES: Mapping[str, Plan] = {
    **{p.name(): partial(reals, 1) for p in (dots, adds, ranks)},
    **{p.name(): partial(reals, 0) for p in (dot, add, both, rank, rank2, zeros)},
    **{p.name(): partial(pairs, "i", 1) for p in (signed, plus, plus_both, times, parted, parted_times)},
    "multiplied": partial(pairs, "j", 1),
}
"""What loops that are vectors are scheduled by."""

PROGRAMS = (
    gemv_rows, gemv_columns, gbmv_rows, gbmv_columns, hermitian, ger, her, her2, trmv_rows, trmv_columns, trsv_rows,
    trsv_columns,
)  # fmt: skip
"""What wrappers call."""


@cache
def typed_with_calls(program: Proc, precision: str, instructions: tuple[tuple[str, Proc], ...] = ()) -> Proc:
    """The program in a precision, and so all that it calls; some of that are `instructions`, by name."""
    called = {c.subproc().name(): c.subproc() for c in calls(program)}
    own = {n: dict(instructions).get(n) or typed_with_calls(p, precision, instructions) for n, p in called.items()}
    if own:
        program = proc_from_source(str(program), {**MEMORIES, **own})
    return typed(program, precision, f"{COMPLEX_LETTERS[precision]}{program.name()}")


def planned(leaves: Mapping[str, Plan], precision: str) -> Callable[[Machine], Op]:
    """What a program is scheduled by whose loops are in what it calls: these `leaves`, by the names of programs."""
    return partial(planned_for, tuple(leaves.items()), precision)


def planned_for(leaves: tuple[tuple[str, Plan], ...], precision: str, machine: Machine) -> Op:
    plans = tuple((f"{COMPLEX_LETTERS[precision]}{name}", plan(precision, machine)) for name, plan in leaves)
    return calls_scheduled(plans)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    typed_programs = ((t, typed_with_calls(p, t)) for t in LETTERS for p in PROGRAMS)
    return tuple(Kernel(p.name(), t, p, planned(LEAVES, t)) for t, p in typed_programs)
