"""Complex numbers, level 3: one triangle of a product, and its kernel.

Products are as in `complex_gemm.py`.
"""

from __future__ import annotations

import re

from exo_strat import *

from .complex_blocks import APART, DEEP, SMALL, STRIP, TALL, WIDE
from .complex_gemm import LEAVES, copied, expanded, factors, instructions, panel, product_n, product_t, scaled_row
from .complex_vectors import kernels_of, written
from .kernel import Kernel
from .storage import BLOCK

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


STRIPS = """
def {name}_n(n: size, k: size, lower: bool, a: [R][n, k, 2], e: [R][2 * k, 2 * n], c: [R][n, 2 * n]):
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(e, 1) == 1 and stride(c, 1) == 1
    for io in seq(0, (n + {size} - 1) / {size}):
        i = {size} * io
        h = min({size}, n - {size} * io)
        {diagonal}
        if lower:
            if i > 0:
                product_n(h, 2 * i, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 0 : 2 * i], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product_n(h, 2 * (n - i - h), k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * (i + h) : 2 * n],
                          c[i : i + h, 2 * (i + h) : 2 * n])
"""
"""C += A E, of one triangle, by strips of rows: a block of the diagonal, and what is beside it."""

SQUARE = """t: R[{size}, 2 * {size}] @ DRAM_STACK
        for p in seq(0, {size}):
            for j in seq(0, 2 * {size}):
                t[p, j] = 0.0
        product_n(h, 2 * h, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * i : 2 * (i + h)], t[0:h, 0 : 2 * h])
        half(h, lower, t[0:h, 0 : 2 * h], c[i : i + h, 2 * i : 2 * (i + h)])"""
"""A square of which half is in vain"""

SQUARES = """squares_n(h, k, lower, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * i : 2 * (i + h)],
                  c[i : i + h, 2 * i : 2 * (i + h)])"""


def turned(text: str) -> str:
    """The text of programs of the transposed E.

    >>> turned("product_n(h, e[0:k, 0:n])")
    'product_t(h, e[0:n, 0:k])'
    """
    return re.sub(r"\be(: \[R\])?\[([^],]*), ([^]]*)\]", r"e\1[\3, \2]", text).replace("_n(", "_t(")


BY_STRIPS = STRIPS.format(name="squares", size=SMALL, diagonal=SQUARE.format(size=SMALL))
BY_STRIPS += STRIPS.format(name="triangle", size=STRIP, diagonal=SQUARES)
TRIANGLES = written(BY_STRIPS + turned(BY_STRIPS), {p.name(): p for p in (product_n, product_t, half)})
triangle_n, triangle_t = TRIANGLES["triangle_n"], TRIANGLES["triangle_t"]


@proc
def corner(
    n: size, k: size, lower: bool, turned: bool, p0: index, j0: index, r: size, q: size, f: [R][4, 2],
    a: [R][n, k, 2], b: [R][r, 2 * q], c: [R][n, 2 * n],
):  # fmt: skip
    """C += A B, of one triangle: an expanded block of B is used for all below it or above"""
    assert p0 >= 0 and j0 >= 0
    assert (turned and j0 + n <= r and p0 + k <= q) or (not turned and p0 + k <= r and j0 + n <= q)
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1 and stride(f, 1) == 1
    e: R[2 * min(k, DEEP), 2 * min(n, WIDE) + APART] @ BLOCK
    g: R[2 * min(n, WIDE), 2 * min(k, DEEP) + APART] @ BLOCK
    for po in seq(0, (k + DEEP - 1) / DEEP):
        p = DEEP * po
        d = min(DEEP, k - DEEP * po)
        for jo in seq(0, (n + WIDE - 1) / WIDE):
            j = WIDE * jo
            w = min(WIDE, n - WIDE * jo)
            if turned:
                expanded(w, d, f, b[j0 + j : j0 + j + w, 2 * (p0 + p) : 2 * (p0 + p + d)], g[0 : 2 * w, 0 : 2 * d])
                triangle_t(w, d, lower, a[j : j + w, p : p + d, 0:2], g[0 : 2 * w, 0 : 2 * d],
                           c[j : j + w, 2 * j : 2 * (j + w)])  # fmt: skip
                if lower:
                    if j + w < n:
                        product_t(n - j - w, 2 * w, d, a[j + w : n, p : p + d, 0:2], g[0 : 2 * w, 0 : 2 * d],
                                  c[j + w : n, 2 * j : 2 * (j + w)])  # fmt: skip
                else:
                    if j > 0:
                        product_t(j, 2 * w, d, a[0:j, p : p + d, 0:2], g[0 : 2 * w, 0 : 2 * d],
                                  c[0:j, 2 * j : 2 * (j + w)])  # fmt: skip
            else:
                expanded(d, w, f, b[p0 + p : p0 + p + d, 2 * (j0 + j) : 2 * (j0 + j + w)], e[0 : 2 * d, 0 : 2 * w])
                triangle_n(w, d, lower, a[j : j + w, p : p + d, 0:2], e[0 : 2 * d, 0 : 2 * w],
                           c[j : j + w, 2 * j : 2 * (j + w)])  # fmt: skip
                if lower:
                    if j + w < n:
                        product_n(n - j - w, 2 * w, d, a[j + w : n, p : p + d, 0:2], e[0 : 2 * d, 0 : 2 * w],
                                  c[j + w : n, 2 * j : 2 * (j + w)])  # fmt: skip
                else:
                    if j > 0:
                        product_n(j, 2 * w, d, a[0:j, p : p + d, 0:2], e[0 : 2 * d, 0 : 2 * w],
                                  c[0:j, 2 * j : 2 * (j + w)])  # fmt: skip


# -- updates ------------------------------------------------------------------------------------------


@proc
def rank(
    n: size, k: size, lower: bool, turned: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2], a: [R][n, k, 2],
    b: [R][r, 2 * q], c: [R][n, 2 * n],
):  # fmt: skip
    """C += alpha A B, of one triangle"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        f: R[4, 2] @ DRAM_STACK
        factors(turned, alpha, sa, sb, f)
        if stride(a, 1) == 2:
            corner(n, k, lower, turned, 0, 0, r, q, f, a, b, c)
        else:
            near: R[min(n, TALL), min(k, DEEP) + APART / 2, 2] @ BLOCK
            for io in seq(0, (n + TALL - 1) / TALL):
                i = TALL * io
                h = min(TALL, n - TALL * io)
                for po in seq(0, (k + DEEP - 1) / DEEP):
                    p = DEEP * po
                    d = min(DEEP, k - DEEP * po)
                    copied(h, d, a[i : i + h, p : p + d, 0:2], near[0:h, 0:d, 0:2])
                    corner(
                        h, d, lower, turned, p, i, r, q, f, near[0:h, 0:d, 0:2], b, c[i : i + h, 2 * i : 2 * (i + h)]
                    )
                    if lower:
                        if i > 0:
                            panel(h, i, d, turned, p, 0, r, q, f, near[0:h, 0:d, 0:2], b, c[i : i + h, 0 : 2 * i])
                    else:
                        if i + h < n:
                            panel(h, n - i - h, d, turned, p, i + h, r, q, f, near[0:h, 0:d, 0:2], b,
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
    n: size, k: size, lower: bool, turned: bool, hermitian: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2],
    a: [R][n, k, 2], b: [R][r, 2 * q], beta: [R][2], c: [R][n, 2 * n],
):  # fmt: skip
    """C := alpha A B + beta C, of one triangle"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    if beta[0] != 1.0 or beta[1] != 0.0 or alpha[0] != 0.0 or alpha[1] != 0.0:
        if hermitian:
            real_diagonal(n, c)
        scaled_triangle(n, lower, hermitian, beta, c)
        rank(n, k, lower, turned, r, q, sa, sb, alpha, a, b, c)
        if hermitian:
            real_diagonal(n, c)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return kernels_of((rank_k,), LEAVES, instructions)
