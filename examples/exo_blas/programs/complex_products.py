"""Complex numbers, level 3: products of matrices, and what is made of them, and their kernels.

A product is one of reals, as in the 1m method of F. G. Van Zee, "Implementing High-Performance Complex Matrix
Multiplication via the 1m Method" (2020). C and A are rows of twice as many reals, and a row of alpha B becomes two: its
elements, and these times i (`expanded`). The real product of these is the complex one, with no operation more. Whether
A or B is conjugated are signs in these rows: `sa` and `sb` are -1 then, else 1.

A is a matrix of pairs with any strides; if the pairs of a row are no neighbours, it is copied. B lies by rows (`.._n`),
or it is the transposed of what does (`.._t`): then so is what is made of it. Programs here are written in blocks; they
call the real product, as an instruction, and loops that are scheduled. `tests/test_complex_programs.py` compares them
with the definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from exo_strat import *
from exo_strat import make_instr

from .calls import PROTOTYPE, TYPES
from .complex_rows import Plan, inverse, multiplied, pairs, planned, reals, typed_with_calls
from .kernel import LETTERS, Kernel, typed
from .storage import BLOCK

DEEP = 256
"""Rows of B at a time: as many reals as a product of reals takes."""
WIDE = 256
"""Columns of B at a time."""
TALL = 1024
"""Rows of A that are copied at a time."""
APART = 16
"""Reals by which rows of a block are farther apart, as no power of two is good: a cache line, and more."""
SMALL = 16
"""Rows of a triangle that are part of a square, or are solved without products."""
STRIP = 32
"""Rows of a triangle that are part of one product."""
SLICE = 64
"""Rows of a triangle that a product takes at a time."""
TURNED = 128
"""Rows that are turned at a time, to come from the left."""

# -- products of reals --------------------------------------------------------------------------------


@proc
def product_n(m: size, n: size, k: size, a: [R][m, k, 2], b: [R][2 * k, n], c: [R][m, n]):
    """C += A B, of A and C as reals"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            for p in seq(0, k):
                c[i, j] += a[i, p, 0] * b[2 * p, j]
                c[i, j] += a[i, p, 1] * b[2 * p + 1, j]


@proc
def product_t(m: size, n: size, k: size, a: [R][m, k, 2], b: [R][n, 2 * k], c: [R][m, n]):
    """C += A B^T, of A and C as reals"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            for p in seq(0, k):
                c[i, j] += a[i, p, 0] * b[j, 2 * p]
                c[i, j] += a[i, p, 1] * b[j, 2 * p + 1]


BY_NEIGHBOURS = {"product_n": "{b_stride_0}, 1", "product_t": "1, {b_stride_0}"}
"""The strides of B that are handed over."""


@cache
def as_instruction(program: Proc, precision: str) -> Proc:
    """One of these as an instruction: a call of the real product."""
    letter = LETTERS[precision]
    left = "&{a_data}, {a_stride_0}, 1"
    right = f"&{{b_data}}, {BY_NEIGHBOURS[program.name()]}"
    text = f"exo_{letter}product({{m}}, {{n}}, 2 * ({{k}}), 1, {left}, {right}, 1, &{{c_data}}, {{c_stride_0}});"
    prototype = PROTOTYPE.format(letter=letter, type=TYPES[precision])
    return schedule(make_instr(text, prototype), typed(program, precision, f"{program.name()}_{precision}"))


# -- loops --------------------------------------------------------------------------------------------


@proc
def expanded(m: size, n: size, f: [R][4, 2], b: [R][m, 2 * n], e: [R][2 * m, 2 * n]):
    assert stride(f, 1) == 1 and stride(b, 1) == 1 and stride(e, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            for k in seq(0, 2):
                e[2 * i, 2 * j + k] = f[0, k] * b[i, 2 * j + k] + f[1, k] * b[i, 2 * j + 1 - k]
                e[2 * i + 1, 2 * j + k] = f[2, k] * b[i, 2 * j + k] + f[3, k] * b[i, 2 * j + 1 - k]


@proc
def added(n: size, r: R, i: R, x: [R][2 * n], y: [R][2 * n]):
    """y += (r + i I) x"""
    assert stride(x, 0) == 1 and stride(y, 0) == 1
    b: R[2] @ DRAM_STACK
    b[0] = -i
    b[1] = i
    for j in seq(0, n):
        for k in seq(0, 2):
            y[2 * j + k] += r * x[2 * j + k]
            y[2 * j + k] += b[k] * x[2 * j + 1 - k]


@proc
def resized(n: size, r: R, x: [R][n]):
    """x := r x"""
    assert stride(x, 0) == 1
    for j in seq(0, n):
        x[j] = r * x[j]


@proc
def scaled_row(n: size, real: bool, beta: [R][2], x: [R][2 * n]):
    """x := beta x, or if it is real the real part of beta times x; of beta = 0, x is not read"""
    assert stride(x, 0) == 1
    if beta[0] == 0.0 and beta[1] == 0.0:
        for j in seq(0, 2 * n):
            x[j] = 0.0
    else:
        if real:
            resized(2 * n, beta[0], x)
        else:
            multiplied(n, beta[0], beta[1], x)


@proc
def scaled(m: size, n: size, beta: [R][2], c: [R][m, 2 * n]):
    """C := beta C"""
    assert stride(c, 1) == 1
    if beta[0] != 1.0 or beta[1] != 0.0:
        for i in seq(0, m):
            scaled_row(n, False, beta, c[i, 0 : 2 * n])


@proc
def copied(m: size, n: size, a: [R][m, n, 2], t: [R][m, n, 2]):
    """T := A, whose columns are of neighbours: as many rows at a time as lines stay near"""
    assert stride(a, 2) == 1 and stride(t, 2) == 1
    for io in seq(0, (m + SLICE - 1) / SLICE):
        for j in seq(0, n):
            for i in seq(SLICE * io, min(m, SLICE * io + SLICE)):
                t[i, j, 0] = a[i, j, 0]
                t[i, j, 1] = a[i, j, 1]


@proc
def factors_n(alpha: [R][2], sa: R, sb: R, f: [R][4, 2]):
    """What `expanded` makes alpha B of: each of both rows is a sum of B's parts, and of these exchanged."""
    f[0, 0] = alpha[0]
    f[0, 1] = sb * alpha[0]
    f[1, 0] = -(sb * alpha[1])
    f[1, 1] = alpha[1]
    f[2, 0] = -(sa * alpha[1])
    f[2, 1] = -(sa * sb * alpha[1])
    f[3, 0] = -(sa * sb * alpha[0])
    f[3, 1] = sa * alpha[0]


@proc
def factors_t(alpha: [R][2], sa: R, sb: R, f: [R][4, 2]):
    """The same of the transposed: x + iy is the square (x, y), (-y, x), the transposed of which is that of x - iy."""
    by: R[2] @ DRAM_STACK
    by[0] = alpha[0]
    by[1] = -(sa * alpha[1])
    factors_n(by, sa, -(sa * sb), f)


# -- products -----------------------------------------------------------------------------------------

# B is from row p0 and column j0 on. It lies by rows, or turned by columns: r rows of q pairs.


@proc
def panel(
    m: size, n: size, k: size, turned: bool, p0: index, j0: index, r: size, q: size, f: [R][4, 2],
    a: [R][m, k, 2], b: [R][r, 2 * q], c: [R][m, 2 * n],
):  # fmt: skip
    """C += A B, of an A with pairs that are neighbours"""
    assert p0 >= 0 and j0 >= 0
    assert (turned and j0 + n <= r and p0 + k <= q) or (not turned and p0 + k <= r and j0 + n <= q)
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1 and stride(f, 1) == 1
    if turned:
        e: R[2 * min(n, WIDE), 2 * min(k, DEEP) + APART] @ BLOCK
        for po in seq(0, (k + DEEP - 1) / DEEP):
            p = DEEP * po
            d = min(DEEP, k - DEEP * po)
            for jo in seq(0, (n + WIDE - 1) / WIDE):
                j = WIDE * jo
                w = min(WIDE, n - WIDE * jo)
                expanded(w, d, f, b[j0 + j : j0 + j + w, 2 * (p0 + p) : 2 * (p0 + p + d)], e[0 : 2 * w, 0 : 2 * d])
                product_t(m, 2 * w, d, a[0:m, p : p + d, 0:2], e[0 : 2 * w, 0 : 2 * d], c[0:m, 2 * j : 2 * (j + w)])
    else:
        e: R[2 * min(k, DEEP), 2 * min(n, WIDE) + APART] @ BLOCK
        for po in seq(0, (k + DEEP - 1) / DEEP):
            p = DEEP * po
            d = min(DEEP, k - DEEP * po)
            for jo in seq(0, (n + WIDE - 1) / WIDE):
                j = WIDE * jo
                w = min(WIDE, n - WIDE * jo)
                expanded(d, w, f, b[p0 + p : p0 + p + d, 2 * (j0 + j) : 2 * (j0 + j + w)], e[0 : 2 * d, 0 : 2 * w])
                product_n(m, 2 * w, d, a[0:m, p : p + d, 0:2], e[0 : 2 * d, 0 : 2 * w], c[0:m, 2 * j : 2 * (j + w)])


@proc
def factors(turned: bool, alpha: [R][2], sa: R, sb: R, f: [R][4, 2]):
    """What `expanded` makes alpha B of"""
    if turned:
        factors_t(alpha, sa, sb, f)
    else:
        factors_n(alpha, sa, sb, f)


@proc
def gemm(
    m: size, n: size, k: size, turned: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2], a: [R][m, k, 2],
    b: [R][r, 2 * q], c: [R][m, 2 * n],
):  # fmt: skip
    """C += alpha A B"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        f: R[4, 2] @ DRAM_STACK
        factors(turned, alpha, sa, sb, f)
        if stride(a, 1) == 2:
            panel(m, n, k, turned, 0, 0, r, q, f, a, b, c)
        else:
            near: R[min(m, TALL), min(k, DEEP) + APART / 2, 2] @ BLOCK
            for io in seq(0, (m + TALL - 1) / TALL):
                i = TALL * io
                h = min(TALL, m - TALL * io)
                for po in seq(0, (k + DEEP - 1) / DEEP):
                    p = DEEP * po
                    d = min(DEEP, k - DEEP * po)
                    copied(h, d, a[i : i + h, p : p + d, 0:2], near[0:h, 0:d, 0:2])
                    panel(h, n, d, turned, p, 0, r, q, f, near[0:h, 0:d, 0:2], b, c[i : i + h, 0 : 2 * n])


# -- one triangle of a product ------------------------------------------------------------------------


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
def squares_n(n: size, k: size, lower: bool, a: [R][n, k, 2], e: [R][2 * k, 2 * n], c: [R][n, 2 * n]):
    """C += A E, of one triangle, by squares of which half is in vain"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(e, 1) == 1 and stride(c, 1) == 1
    for io in seq(0, (n + SMALL - 1) / SMALL):
        i = SMALL * io
        h = min(SMALL, n - SMALL * io)
        t: R[SMALL, 2 * SMALL] @ DRAM_STACK
        for p in seq(0, SMALL):
            for j in seq(0, 2 * SMALL):
                t[p, j] = 0.0
        product_n(h, 2 * h, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * i : 2 * (i + h)], t[0:h, 0 : 2 * h])
        half(h, lower, t[0:h, 0 : 2 * h], c[i : i + h, 2 * i : 2 * (i + h)])
        if lower:
            if i > 0:
                product_n(h, 2 * i, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 0 : 2 * i], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product_n(h, 2 * (n - i - h), k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * (i + h) : 2 * n],
                          c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


@proc
def triangle_n(n: size, k: size, lower: bool, a: [R][n, k, 2], e: [R][2 * k, 2 * n], c: [R][n, 2 * n]):
    """C += A E, of one triangle"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(e, 1) == 1 and stride(c, 1) == 1
    for io in seq(0, (n + STRIP - 1) / STRIP):
        i = STRIP * io
        h = min(STRIP, n - STRIP * io)
        squares_n(
            h, k, lower, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * i : 2 * (i + h)], c[i : i + h, 2 * i : 2 * (i + h)]
        )
        if lower:
            if i > 0:
                product_n(h, 2 * i, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 0 : 2 * i], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product_n(h, 2 * (n - i - h), k, a[i : i + h, 0:k, 0:2], e[0 : 2 * k, 2 * (i + h) : 2 * n],
                          c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


@proc
def squares_t(n: size, k: size, lower: bool, a: [R][n, k, 2], e: [R][2 * n, 2 * k], c: [R][n, 2 * n]):
    """C += A E^T, of one triangle, by squares of which half is in vain"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(e, 1) == 1 and stride(c, 1) == 1
    for io in seq(0, (n + SMALL - 1) / SMALL):
        i = SMALL * io
        h = min(SMALL, n - SMALL * io)
        t: R[SMALL, 2 * SMALL] @ DRAM_STACK
        for p in seq(0, SMALL):
            for j in seq(0, 2 * SMALL):
                t[p, j] = 0.0
        product_t(h, 2 * h, k, a[i : i + h, 0:k, 0:2], e[2 * i : 2 * (i + h), 0 : 2 * k], t[0:h, 0 : 2 * h])
        half(h, lower, t[0:h, 0 : 2 * h], c[i : i + h, 2 * i : 2 * (i + h)])
        if lower:
            if i > 0:
                product_t(h, 2 * i, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * i, 0 : 2 * k], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product_t(h, 2 * (n - i - h), k, a[i : i + h, 0:k, 0:2], e[2 * (i + h) : 2 * n, 0 : 2 * k],
                          c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


@proc
def triangle_t(n: size, k: size, lower: bool, a: [R][n, k, 2], e: [R][2 * n, 2 * k], c: [R][n, 2 * n]):
    """C += A E^T, of one triangle"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(e, 1) == 1 and stride(c, 1) == 1
    for io in seq(0, (n + STRIP - 1) / STRIP):
        i = STRIP * io
        h = min(STRIP, n - STRIP * io)
        squares_t(
            h, k, lower, a[i : i + h, 0:k, 0:2], e[2 * i : 2 * (i + h), 0 : 2 * k], c[i : i + h, 2 * i : 2 * (i + h)]
        )
        if lower:
            if i > 0:
                product_t(h, 2 * i, k, a[i : i + h, 0:k, 0:2], e[0 : 2 * i, 0 : 2 * k], c[i : i + h, 0 : 2 * i])
        else:
            if i + h < n:
                product_t(h, 2 * (n - i - h), k, a[i : i + h, 0:k, 0:2], e[2 * (i + h) : 2 * n, 0 : 2 * k],
                          c[i : i + h, 2 * (i + h) : 2 * n])  # fmt: skip


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


# -- products with a matrix of which one triangle is stored -------------------------------------------


@proc
def mirrored(m: size, k: size, n: size, i0: index, p0: index, hermitian: bool, s: R, a: [R][n, n, 2], t: [R][m, k, 2]):
    """T := A, or conj(A), from row i0 and column p0 on, of an A that is stored from the diagonal down"""
    assert i0 >= 0 and p0 >= 0 and i0 + m <= n and p0 + k <= n and stride(a, 2) == 1 and stride(t, 2) == 1
    for i in seq(0, m):
        for p in seq(0, max(0, min(k, i0 + i + 1 - p0))):
            t[i, p, 0] = a[i0 + i, p0 + p, 0]
            t[i, p, 1] = s * a[i0 + i, p0 + p, 1]
        for p in seq(max(0, i0 + i + 1 - p0), k):
            t[i, p, 0] = a[p0 + p, i0 + i, 0]
            if hermitian:
                t[i, p, 1] = -(s * a[p0 + p, i0 + i, 1])
            else:
                t[i, p, 1] = s * a[p0 + p, i0 + i, 1]
        if hermitian and i0 + i - p0 >= 0 and i0 + i - p0 < k:
            t[i, i0 + i - p0, 1] = 0.0


@proc
def gemm_scaled(
    m: size, n: size, k: size, turned: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2], a: [R][m, k, 2],
    b: [R][r, 2 * q], beta: [R][2], c: [R][m, 2 * n],
):  # fmt: skip
    """C := alpha A B + beta C"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    scaled(m, n, beta, c)
    gemm(m, n, k, turned, r, q, sa, sb, alpha, a, b, c)


@proc
def symm_left(
    m: size, n: size, hermitian: bool, s: R, alpha: [R][2], a: [R][m, m, 2], b: [R][m, 2 * n], beta: [R][2],
    c: [R][m, 2 * n],
):  # fmt: skip
    """C := alpha A B + beta C, of a symmetric or Hermitian A, or conj(A), that is stored from the diagonal down"""
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    scaled(m, n, beta, c)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near: R[min(m, TALL), min(m, DEEP), 2] @ BLOCK
        for io in seq(0, (m + TALL - 1) / TALL):
            i = TALL * io
            h = min(TALL, m - TALL * io)
            for po in seq(0, (m + DEEP - 1) / DEEP):
                p = DEEP * po
                d = min(DEEP, m - DEEP * po)
                mirrored(h, d, m, i, p, hermitian, s, a, near[0:h, 0:d, 0:2])
                gemm(h, n, d, False, d, n, 1.0, 1.0, alpha, near[0:h, 0:d, 0:2], b[p : p + d, 0 : 2 * n],
                     c[i : i + h, 0 : 2 * n])  # fmt: skip


@proc
def symm_right(
    m: size, n: size, hermitian: bool, s: R, alpha: [R][2], a: [R][n, n, 2], b: [R][m, n, 2], beta: [R][2],
    c: [R][m, 2 * n],
):  # fmt: skip
    """C := alpha B A + beta C, likewise"""
    assert stride(a, 2) == 1 and stride(b, 1) == 2 and stride(b, 2) == 1 and stride(c, 1) == 1
    scaled(m, n, beta, c)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        near: R[min(n, DEEP), min(n, WIDE), 2] @ BLOCK
        for po in seq(0, (n + DEEP - 1) / DEEP):
            p = DEEP * po
            d = min(DEEP, n - DEEP * po)
            for jo in seq(0, (n + WIDE - 1) / WIDE):
                j = WIDE * jo
                w = min(WIDE, n - WIDE * jo)
                mirrored(d, w, n, p, j, hermitian, s, a, near[0:d, 0:w, 0:2])
                flat = near.view(min(n, DEEP), 2 * min(n, WIDE))
                gemm(m, w, d, False, d, w, 1.0, 1.0, alpha, b[0:m, p : p + d, 0:2], flat[0:d, 0 : 2 * w],
                     c[0:m, 2 * j : 2 * (j + w)])  # fmt: skip


# -- triangles: B := A B and B := A^-1 B, in place ----------------------------------------------------

# A is a lower triangle, or conj(A) if s is -1. An upper one is a lower one from the last row back, and what multiplies
# from the right does so with the transposed from the left.


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


@proc
def trmm_right(m: size, n: size, unit: bool, s: R, alpha: [R][2], a: [R][n, n, 2], b: [R][m, n, 2]):
    """B^T := alpha A B^T"""
    assert stride(a, 2) == 1 and stride(b, 2) == 1
    t: R[n, 2 * min(m, TURNED) + APART] @ BLOCK
    for io in seq(0, (m + TURNED - 1) / TURNED):
        i = TURNED * io
        h = min(TURNED, m - TURNED * io)
        turned(h, n, b[i : i + h, 0:n, 0:2], t[0:n, 0 : 2 * h])
        trmm_left(n, h, unit, s, alpha, a, t[0:n, 0 : 2 * h])
        turned_back(h, n, t[0:n, 0 : 2 * h], b[i : i + h, 0:n, 0:2])


@proc
def trsm_right(m: size, n: size, unit: bool, s: R, alpha: [R][2], a: [R][n, n, 2], b: [R][m, n, 2]):
    """B^T := alpha A^-1 B^T"""
    assert stride(a, 2) == 1 and stride(b, 2) == 1
    t: R[n, 2 * min(m, TURNED) + APART] @ BLOCK
    for io in seq(0, (m + TURNED - 1) / TURNED):
        i = TURNED * io
        h = min(TURNED, m - TURNED * io)
        turned(h, n, b[i : i + h, 0:n, 0:2], t[0:n, 0 : 2 * h])
        trsm_left(n, h, unit, s, alpha, a, t[0:n, 0 : 2 * h])
        turned_back(h, n, t[0:n, 0 : 2 * h], b[i : i + h, 0:n, 0:2])


# -- kernels ------------------------------------------------------------------------------------------


LEAVES: Mapping[str, Plan] = {
    "expanded": partial(pairs, "j", 1),
    "added": partial(pairs, "j", 4),
    "multiplied": partial(pairs, "j", 4),
    "resized": partial(reals, 0),
}
"""Loops that are vectors, with what each is scheduled by for a precision and a machine."""

PROGRAMS = (gemm_scaled, rank_k, symm_left, symm_right, trmm_left, trmm_right, trsm_left, trsm_right)
"""What wrappers call."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    found = []
    for t in LETTERS:
        products = tuple((p.name(), as_instruction(p, t)) for p in (product_n, product_t))
        for program in PROGRAMS:
            k = typed_with_calls(program, t, products)
            found.append(Kernel(k.name(), t, k, planned(LEAVES, t)))
    return tuple(found)
