"""Complex numbers, level 3: one triangle of a product, and its kernel.

Products are as in `complex_gemm.py`.
"""

from __future__ import annotations

from exo_strat import *

from .complex_blocks import APART, DEEP, SMALL, TALL, WIDE
from .complex_gemm import (
    LEAVES,
    copied,
    copied_rows,
    factors_n,
    instructions,
    panel,
    product,
    scaled_row,
    turned_rows,
)
from .complex_vectors import kernels_of
from .kernel import Kernel
from .storage import BLOCK, KEPT

# -- blocks -------------------------------------------------------------------------------------------


@proc
def half(n: size, lower: bool, t: [R][n, 2 * n], c: [R][n, 2 * n]):
    """C += T, of one triangle"""
    for i in seq(0, n):
        if lower:
            for j in seq(0, 2 * i + 2):
                c[i, j] += t[i, j]
        else:
            for j in seq(2 * i, 2 * n):
                c[i, j] += t[i, j]


@proc
def strips(n: size, k: size, lower: bool, f: [R][4, 2], a: [R][n, k, 2], b: [R][k, 2 * n], c: [R][n, 2 * n]):
    """C += A B, of one triangle, by strips of rows: a square at the diagonal, half of it in vain, and what is beside
    it"""
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1 and stride(f, 1) == 1
    for io in seq(0, (n + SMALL - 1) / SMALL):
        i = SMALL * io
        h = min(SMALL, n - SMALL * io)
        t: R[SMALL, 2 * SMALL] @ DRAM_STACK
        for p in seq(0, SMALL):
            for j in seq(0, 2 * SMALL):
                t[p, j] = 0.0
        product(h, h, k, f, a[i : i + h, 0:k, 0:2], b[0:k, 2 * i : 2 * (i + h)], t[0:h, 0 : 2 * h])
        half(h, lower, t[0:h, 0 : 2 * h], c[i : i + h, 2 * i : 2 * (i + h)])
        if lower:
            if i > 0:
                product(h, i, k, f, a[i : i + h, 0:k, 0:2], b[0:k, 0 : 2 * i], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product(h, n - i - h, k, f, a[i : i + h, 0:k, 0:2], b[0:k, 2 * (i + h) : 2 * n],
                              c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


@proc
def column(
    n: size, k: size, j: index, w: size, lower: bool, f: [R][4, 2], a: [R][n, k, 2], b: [R][k, 2 * w], c: [R][n, 2 * n],
):  # fmt: skip
    """C += A B, of some columns of one triangle: theirs at the diagonal, and all below it or above"""
    assert j >= 0 and j + w <= n
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1 and stride(f, 1) == 1
    strips(w, k, lower, f, a[j : j + w, 0:k, 0:2], b, c[j : j + w, 2 * j : 2 * (j + w)])
    if lower:
        if j + w < n:
            product(n - j - w, w, k, f, a[j + w : n, 0:k, 0:2], b, c[j + w : n, 2 * j : 2 * (j + w)])
    else:
        if j > 0:
            product(j, w, k, f, a[0:j, 0:k, 0:2], b, c[0:j, 2 * j : 2 * (j + w)])


@proc
def corner(
    n: size, k: size, lower: bool, turned: bool, p0: index, j0: index, r: size, q: size, f: [R][4, 2],
    a: [R][n, k, 2], b: [R][r, 2 * q], c: [R][n, 2 * n],
):  # fmt: skip
    """C += A B, of one triangle: a block of B, which is copied, is used for all below it or above"""
    assert p0 >= 0 and j0 >= 0
    assert (turned and j0 + n <= r and p0 + k <= q) or (not turned and p0 + k <= r and j0 + n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1 and stride(f, 1) == 1
    t: R[min(k, DEEP), 2 * min(n, WIDE) + APART] @ KEPT
    for po in seq(0, (k + DEEP - 1) / DEEP):
        p = DEEP * po
        d = min(DEEP, k - DEEP * po)
        for jo in seq(0, (n + WIDE - 1) / WIDE):
            j = WIDE * jo
            w = min(WIDE, n - WIDE * jo)
            if turned:
                turned_rows(w, d, b[j0 + j : j0 + j + w, 2 * (p0 + p) : 2 * (p0 + p + d)], t[0:d, 0 : 2 * w])
            else:
                copied_rows(d, w, b[p0 + p : p0 + p + d, 2 * (j0 + j) : 2 * (j0 + j + w)], t[0:d, 0 : 2 * w])
            column(n, d, j, w, lower, f, a[0:n, p : p + d, 0:2], t[0:d, 0 : 2 * w], c)


# -- updates ------------------------------------------------------------------------------------------


@proc
def rank(
    n: size, k: size, lower: bool, turned: bool, near: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2],
    a: [R][n, k, 2], b: [R][r, 2 * q], c: [R][n, 2 * n],
):  # fmt: skip
    """C += alpha A B, of one triangle. If B is near, A and B are read where they are, but for a B that is turned."""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        f: R[4, 2] @ DRAM_STACK
        factors_n(alpha, sa, sb, f)
        if near and not turned:
            strips(n, k, lower, f, a, b[0:k, 0 : 2 * n], c)
        else:
            if near or stride(a, 1) == 2:
                corner(n, k, lower, turned, 0, 0, r, q, f, a, b, c)
            else:
                t: R[min(n, TALL), min(k, DEEP) + APART / 2, 2] @ KEPT
                for io in seq(0, (n + TALL - 1) / TALL):
                    i = TALL * io
                    h = min(TALL, n - TALL * io)
                    for po in seq(0, (k + DEEP - 1) / DEEP):
                        p = DEEP * po
                        d = min(DEEP, k - DEEP * po)
                        copied(h, d, a[i : i + h, p : p + d, 0:2], t[0:h, 0:d, 0:2])
                        corner(h, d, lower, turned, p, i, r, q, f, t[0:h, 0:d, 0:2], b,
                               c[i : i + h, 2 * i : 2 * (i + h)])  # fmt: skip
                        if lower:
                            if i > 0:
                                panel(h, i, d, turned, p, 0, r, q, f, t[0:h, 0:d, 0:2], b, c[i : i + h, 0 : 2 * i])
                        else:
                            if i + h < n:
                                panel(h, n - i - h, d, turned, p, i + h, r, q, f, t[0:h, 0:d, 0:2], b,
                                      c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


@proc
def real_diagonal(n: size, c: [R][n, 2 * n]):
    """The diagonal of a Hermitian matrix is real, whatever its imaginary parts are, which nobody reads."""
    for i in seq(0, n):
        c[i, 2 * i + 1] = 0.0


@proc
def scaled_triangle(n: size, lower: bool, real: bool, beta: [R][2], c: [R][n, 2 * n]):
    """C := beta C, of one triangle"""
    assert stride(c, 1) == 1
    if beta[0] != 1.0 or beta[1] != 0.0:
        for i in seq(0, n):
            if lower:
                scaled_row(i + 1, real, beta, c[i, 0 : 2 * i + 2])
            else:
                scaled_row(n - i, real, beta, c[i, 2 * i : 2 * n])


@proc
def rank_k(
    n: size, k: size, lower: bool, turned: bool, near: bool, hermitian: bool, r: size, q: size, sa: R, sb: R,
    alpha: [R][2], a: [R][n, k, 2], b: [R][r, 2 * q], beta: [R][2], c: [R][n, 2 * n],
):  # fmt: skip
    """C := alpha A B + beta C, of one triangle"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    if beta[0] != 1.0 or beta[1] != 0.0 or alpha[0] != 0.0 or alpha[1] != 0.0:
        if hermitian:
            real_diagonal(n, c)
        scaled_triangle(n, lower, hermitian, beta, c)
        rank(n, k, lower, turned, near, r, q, sa, sb, alpha, a, b, c)
        if hermitian:
            real_diagonal(n, c)


# -- sums of two ---------------------------------------------------------------------------------------


@proc
def half_of_both(n: size, lower: bool, s: R, t: [R][n, 2 * n], c: [R][n, 2 * n]):
    """C += T + T^T, of one triangle, or C += T + T^H, if s is -1"""
    for i in seq(0, n):
        if lower:
            for j in seq(0, i + 1):
                c[i, 2 * j] += t[i, 2 * j] + t[j, 2 * i]
                c[i, 2 * j + 1] += t[i, 2 * j + 1] + s * t[j, 2 * i + 1]
        else:
            for j in seq(i, n):
                c[i, 2 * j] += t[i, 2 * j] + t[j, 2 * i]
                c[i, 2 * j + 1] += t[i, 2 * j + 1] + s * t[j, 2 * i + 1]


@proc
def strips_of_both(
    n: size, k: size, lower: bool, s: R, f: [R][4, 2], g: [R][4, 2], a: [R][n, k, 2], b: [R][n, k, 2],
    u: [R][k, 2 * n], v: [R][k, 2 * n], c: [R][n, 2 * n],
):  # fmt: skip
    """C += A V + B U, of one triangle: of a square at the diagonal, the second product is the first one turned"""
    assert stride(f, 1) == 1 and stride(g, 1) == 1 and stride(a, 2) == 1 and stride(b, 2) == 1
    assert stride(u, 1) == 1 and stride(v, 1) == 1 and stride(c, 1) == 1
    for io in seq(0, (n + SMALL - 1) / SMALL):
        i = SMALL * io
        h = min(SMALL, n - SMALL * io)
        t: R[SMALL, 2 * SMALL] @ DRAM_STACK
        for p in seq(0, SMALL):
            for j in seq(0, 2 * SMALL):
                t[p, j] = 0.0
        product(h, h, k, f, a[i : i + h, 0:k, 0:2], v[0:k, 2 * i : 2 * (i + h)], t[0:h, 0 : 2 * h])
        half_of_both(h, lower, s, t[0:h, 0 : 2 * h], c[i : i + h, 2 * i : 2 * (i + h)])
        if lower:
            if i > 0:
                product(h, i, k, f, a[i : i + h, 0:k, 0:2], v[0:k, 0 : 2 * i], c[i : i + h, 0 : 2 * i])
                product(h, i, k, g, b[i : i + h, 0:k, 0:2], u[0:k, 0 : 2 * i], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product(h, n - i - h, k, f, a[i : i + h, 0:k, 0:2], v[0:k, 2 * (i + h) : 2 * n],
                        c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip
                product(h, n - i - h, k, g, b[i : i + h, 0:k, 0:2], u[0:k, 2 * (i + h) : 2 * n],
                        c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


@proc
def rank_2k(
    n: size, k: size, lower: bool, turned: bool, hermitian: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2],
    other: [R][2], a: [R][n, k, 2], b: [R][n, k, 2], u: [R][r, 2 * q], v: [R][r, 2 * q], beta: [R][2],
    c: [R][n, 2 * n],
):  # fmt: skip
    """C := alpha A V + other B U + beta C, of one triangle, of small matrices: U is the transposed of A, and V of B, or
    they are, and `turned`"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 2) == 1 and stride(u, 1) == 1 and stride(v, 1) == 1 and stride(c, 1) == 1
    if beta[0] != 1.0 or beta[1] != 0.0 or alpha[0] != 0.0 or alpha[1] != 0.0:
        if hermitian:
            real_diagonal(n, c)
        scaled_triangle(n, lower, hermitian, beta, c)
        if alpha[0] != 0.0 or alpha[1] != 0.0:
            f: R[4, 2] @ DRAM_STACK
            g: R[4, 2] @ DRAM_STACK
            factors_n(alpha, sa, sb, f)
            factors_n(other, sa, sb, g)
            s: R
            s = -1.0 if hermitian else 1.0
            if turned:
                x: R[k, 2 * n + APART] @ BLOCK
                y: R[k, 2 * n + APART] @ BLOCK
                turned_rows(n, k, u[0:n, 0 : 2 * k], x[0:k, 0 : 2 * n])
                turned_rows(n, k, v[0:n, 0 : 2 * k], y[0:k, 0 : 2 * n])
                strips_of_both(n, k, lower, s, f, g, a, b, x[0:k, 0 : 2 * n], y[0:k, 0 : 2 * n], c)
            else:
                strips_of_both(n, k, lower, s, f, g, a, b, u[0:k, 0 : 2 * n], v[0:k, 0 : 2 * n], c)
        if hermitian:
            real_diagonal(n, c)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return kernels_of((rank_k, rank_2k), LEAVES, instructions)
