"""Complex numbers, level 3: B := A B and B := A^-1 B, in place, for a triangular A, and their kernels.

A is a lower triangle, or conj(A) if s is -1. An upper one is a lower one from the last row back, and what multiplies
from the right does so with the transposed from the left. Products are as in `complex_gemm.py`.
"""

from __future__ import annotations

from exo_strat import *

from .complex_blocks import APART, SLICE, SMALL, TURNED, WIDE
from .complex_gemm import LEAVES, added, copied, expanded, factors_n, instructions, product_n, resized, scaled
from .complex_triangle_vector import inverse
from .complex_vectors import kernels_of, multiplied, written
from .kernel import Kernel
from .storage import BLOCK

# -- small triangles ----------------------------------------------------------------------------------


@proc
def small_product(m: size, n: size, unit: bool, s: R, a: [R][m, m, 2], b: [R][m, 2 * n]):
    """B := A B, row by row from the last one"""
    assert stride(b, 1) == 1
    for io in seq(0, m):
        if not unit:
            multiplied(n, a[m - 1 - io, m - 1 - io, 0], s * a[m - 1 - io, m - 1 - io, 1], b[m - 1 - io, 0 : 2 * n])
        for p in seq(0, m - 1 - io):
            added(n, a[m - 1 - io, p, 0], s * a[m - 1 - io, p, 1], b[p, 0 : 2 * n], b[m - 1 - io, 0 : 2 * n])


@proc
def small_solution(m: size, n: size, unit: bool, s: R, a: [R][m, m, 2], b: [R][m, 2 * n]):
    """B := A^-1 B, row by row"""
    assert stride(b, 1) == 1
    for i in seq(0, m):
        for p in seq(0, i):
            added(n, -a[i, p, 0], -(s * a[i, p, 1]), b[p, 0 : 2 * n], b[i, 0 : 2 * n])
        if not unit:
            d: R[2] @ DRAM_STACK
            w: R[3] @ DRAM_STACK
            d[0] = a[i, i, 0]
            d[1] = s * a[i, i, 1]
            inverse(d, w)
            multiplied(n, w[0], w[1], b[i, 0 : 2 * n])
            if w[2] != 1.0:
                resized(2 * n, w[2], b[i, 0 : 2 * n])


# -- from the left ------------------------------------------------------------------------------------


@proc
def copied_below(m: size, h: size, a: [R][m, h, 2], t: [R][m, h, 2]):
    """T := A, of columns of a triangle, below the small triangles"""
    assert h <= m and stride(a, 2) == 1 and stride(t, 2) == 1
    for jo in seq(0, (h + SMALL - 1) / SMALL):
        j = SMALL * jo
        g = min(SMALL, h - SMALL * jo)
        if j + g < m:
            copied(m - j - g, g, a[j + g : m, j : j + g, 0:2], t[j + g : m, j : j + g, 0:2])


@proc
def slice_product(
    m: size, n: size, h: size, unit: bool, s: R, f: [R][4, 2], a: [R][m, h, 2], low: [R][m, h, 2],
    e: [R][2 * h, 2 * n], b: [R][m, 2 * n],
):  # fmt: skip
    """B := A B, of columns of a triangle, which `low` has below small triangles: what the first rows of B, which are
    expanded to e, add to all others, and at last to themselves"""
    assert h <= m and stride(f, 1) == 1
    assert stride(a, 2) == 1 and stride(low, 1) == 2 and stride(low, 2) == 1 and stride(e, 1) == 1 and stride(b, 1) == 1
    if m > SMALL:
        expanded(h, n, f, b[0:h, 0 : 2 * n], e)
    if h < m:
        product_n(m - h, 2 * n, h, low[h:m, 0:h, 0:2], e, b[h:m, 0 : 2 * n])
    for jo in seq(0, (h + SMALL - 1) / SMALL):
        j = SMALL * ((h + SMALL - 1) / SMALL - 1 - jo)
        g = min(SMALL, h - SMALL * ((h + SMALL - 1) / SMALL - 1 - jo))
        if j + g < h:
            product_n(h - j - g, 2 * n, g, low[j + g : h, j : j + g, 0:2], e[2 * j : 2 * (j + g), 0 : 2 * n],
                      b[j + g : h, 0 : 2 * n])  # fmt: skip
        small_product(g, n, unit, s, a[j : j + g, j : j + g, 0:2], b[j : j + g, 0 : 2 * n])


@proc
def slice_solution(
    m: size, n: size, h: size, unit: bool, s: R, f: [R][4, 2], a: [R][m, h, 2], low: [R][m, h, 2],
    e: [R][2 * h, 2 * n], b: [R][m, 2 * n],
):  # fmt: skip
    """B := A^-1 B, likewise: the first rows of B, which are then expanded to e, and what all others lose"""
    assert h <= m and stride(f, 1) == 1
    assert stride(a, 2) == 1 and stride(low, 1) == 2 and stride(low, 2) == 1 and stride(e, 1) == 1 and stride(b, 1) == 1
    for jo in seq(0, (h + SMALL - 1) / SMALL):
        j = SMALL * jo
        g = min(SMALL, h - SMALL * jo)
        small_solution(g, n, unit, s, a[j : j + g, j : j + g, 0:2], b[j : j + g, 0 : 2 * n])
        if j + g < m:
            expanded(g, n, f, b[j : j + g, 0 : 2 * n], e[2 * j : 2 * (j + g), 0 : 2 * n])
        if j + g < h:
            product_n(h - j - g, 2 * n, g, low[j + g : h, j : j + g, 0:2], e[2 * j : 2 * (j + g), 0 : 2 * n],
                      b[j + g : h, 0 : 2 * n])  # fmt: skip
    if h < m:
        product_n(m - h, 2 * n, h, low[h:m, 0:h, 0:2], e, b[h:m, 0 : 2 * n])


@proc
def trmm_left(m: size, n: size, unit: bool, s: R, alpha: [R][2], a: [R][m, m, 2], b: [R][m, 2 * n]):
    """B := alpha A B"""
    assert stride(a, 2) == 1 and stride(b, 1) == 1
    scaled(m, n, alpha, b)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        one: R[2] @ DRAM_STACK
        f: R[4, 2] @ DRAM_STACK
        one[0] = 1.0
        one[1] = 0.0
        factors_n(one, s, 1.0, f)
        e: R[2 * min(m, SLICE), 2 * min(n, WIDE) + APART] @ BLOCK
        near: R[m, SLICE + APART / 2, 2] @ BLOCK
        for jo in seq(0, (n + WIDE - 1) / WIDE):
            j = WIDE * jo
            w = min(WIDE, n - WIDE * jo)
            for io in seq(0, (m + SLICE - 1) / SLICE):
                i = SLICE * ((m + SLICE - 1) / SLICE - 1 - io)
                h = min(SLICE, m - SLICE * ((m + SLICE - 1) / SLICE - 1 - io))
                if stride(a, 1) == 2:
                    slice_product(m - i, w, h, unit, s, f, a[i:m, i : i + h, 0:2], a[i:m, i : i + h, 0:2],
                                  e[0 : 2 * h, 0 : 2 * w], b[i:m, 2 * j : 2 * (j + w)])  # fmt: skip
                else:
                    copied_below(m - i, h, a[i:m, i : i + h, 0:2], near[0 : m - i, 0:h, 0:2])
                    slice_product(m - i, w, h, unit, s, f, a[i:m, i : i + h, 0:2], near[0 : m - i, 0:h, 0:2],
                                  e[0 : 2 * h, 0 : 2 * w], b[i:m, 2 * j : 2 * (j + w)])  # fmt: skip


@proc
def trsm_left(m: size, n: size, unit: bool, s: R, alpha: [R][2], a: [R][m, m, 2], b: [R][m, 2 * n]):
    """B := alpha A^-1 B"""
    assert stride(a, 2) == 1 and stride(b, 1) == 1
    scaled(m, n, alpha, b)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        one: R[2] @ DRAM_STACK
        f: R[4, 2] @ DRAM_STACK
        one[0] = -1.0
        one[1] = 0.0
        factors_n(one, s, 1.0, f)
        e: R[2 * min(m, SLICE), 2 * min(n, WIDE) + APART] @ BLOCK
        near: R[m, SLICE + APART / 2, 2] @ BLOCK
        for jo in seq(0, (n + WIDE - 1) / WIDE):
            j = WIDE * jo
            w = min(WIDE, n - WIDE * jo)
            for io in seq(0, (m + SLICE - 1) / SLICE):
                i = SLICE * io
                h = min(SLICE, m - SLICE * io)
                if stride(a, 1) == 2:
                    slice_solution(m - i, w, h, unit, s, f, a[i:m, i : i + h, 0:2], a[i:m, i : i + h, 0:2],
                                   e[0 : 2 * h, 0 : 2 * w], b[i:m, 2 * j : 2 * (j + w)])  # fmt: skip
                else:
                    copied_below(m - i, h, a[i:m, i : i + h, 0:2], near[0 : m - i, 0:h, 0:2])
                    slice_solution(m - i, w, h, unit, s, f, a[i:m, i : i + h, 0:2], near[0 : m - i, 0:h, 0:2],
                                   e[0 : 2 * h, 0 : 2 * w], b[i:m, 2 * j : 2 * (j + w)])  # fmt: skip


# -- from the right -----------------------------------------------------------------------------------


@proc
def turned(m: size, n: size, b: [R][m, n, 2], t: [R][n, 2 * m]):
    """T := B^T"""
    assert stride(b, 2) == 1 and stride(t, 1) == 1
    for jo in seq(0, (n + SMALL - 1) / SMALL):
        for i in seq(0, m):
            for j in seq(SMALL * jo, min(n, SMALL * jo + SMALL)):
                t[j, 2 * i] = b[i, j, 0]
                t[j, 2 * i + 1] = b[i, j, 1]


@proc
def turned_back(m: size, n: size, t: [R][n, 2 * m], b: [R][m, n, 2]):
    """B := T^T"""
    assert stride(b, 2) == 1 and stride(t, 1) == 1
    for jo in seq(0, (n + SMALL - 1) / SMALL):
        for i in seq(0, m):
            for j in seq(SMALL * jo, min(n, SMALL * jo + SMALL)):
                b[i, j, 0] = t[j, 2 * i]
                b[i, j, 1] = t[j, 2 * i + 1]


RIGHT = f"""
def NAME_right(m: size, n: size, unit: bool, s: R, alpha: [R][2], a: [R][n, n, 2], b: [R][m, n, 2]):
    assert stride(a, 2) == 1 and stride(b, 2) == 1
    t: R[n, 2 * min(m, {TURNED}) + {APART}] @ BLOCK
    for io in seq(0, (m + {TURNED} - 1) / {TURNED}):
        i = {TURNED} * io
        h = min({TURNED}, m - {TURNED} * io)
        turned(h, n, b[i : i + h, 0:n, 0:2], t[0:n, 0 : 2 * h])
        NAME_left(n, h, unit, s, alpha, a, t[0:n, 0 : 2 * h])
        turned_back(h, n, t[0:n, 0 : 2 * h], b[i : i + h, 0:n, 0:2])
"""
"""B^T := alpha A B^T, or alpha A^-1 B^T"""
FROM_RIGHT = written(
    RIGHT.replace("NAME", "trmm") + RIGHT.replace("NAME", "trsm"),
    {p.name(): p for p in (trmm_left, trsm_left, turned, turned_back)},
)
trmm_right, trsm_right = FROM_RIGHT["trmm_right"], FROM_RIGHT["trsm_right"]

# -- kernels ------------------------------------------------------------------------------------------


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return kernels_of((trmm_left, trmm_right, trsm_left, trsm_right), LEAVES, instructions)
