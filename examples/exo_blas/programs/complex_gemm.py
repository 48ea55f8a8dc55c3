"""Complex numbers, level 3: products of matrices, and their kernels.

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
from strategies.blas.pair_products import optimize_pair_product

from .calls import PROTOTYPE, TYPES
from .complex_blocks import APART, DEEP, SLICE, TALL, WIDE
from .complex_vectors import Plan, kernels_of, multiplied, pairs, reals
from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed
from .storage import BLOCK

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


def instructions(precision: str) -> tuple[tuple[str, Proc], ...]:
    """Both, by name."""
    return tuple((p.name(), as_instruction(p, precision)) for p in (product_n, product_t))


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


@proc
def factors(turned: bool, alpha: [R][2], sa: R, sb: R, f: [R][4, 2]):
    """What `expanded` makes alpha B of"""
    if turned:
        factors_t(alpha, sa, sb, f)
    else:
        factors_n(alpha, sa, sb, f)


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


# -- products of what is near -------------------------------------------------------------------------


@proc
def product_pairs(
    m: size, n: size, k: size, f: [R][4, 2], a: [R][m, k, 2], b: [R][k, 2 * n], c: [R][m, 2 * n],
):  # fmt: skip
    """C += A B, of sums s of the real parts of A, and t of the imaginary ones, times B; f is of `factors_n`"""
    assert stride(f, 1) == 1 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            s: R[2]
            t: R[2]
            for r in seq(0, 2):
                s[r] = 0.0
                t[r] = 0.0
            for p in seq(0, k):
                for r in seq(0, 2):
                    s[r] += a[i, p, 0] * b[p, 2 * j + r]
                    t[r] += a[i, p, 1] * b[p, 2 * j + r]
            u: R[2]
            v: R[2]
            w: R[2]
            for r in seq(0, 2):
                u[r] = s[1 - r]
                v[r] = t[1 - r]
                w[r] = c[i, 2 * j + r]
                w[r] += f[0, r] * s[r]
                w[r] += f[1, r] * u[r]
                w[r] += f[2, r] * t[r]
                w[r] += f[3, r] * v[r]
                c[i, 2 * j + r] = w[r]


@proc
def turned_rows(m: size, n: size, b: [R][n, 2 * m], t: [R][m, 2 * n]):
    """T := B^T"""
    assert stride(b, 1) == 1 and stride(t, 1) == 1
    for j in seq(0, n):
        for p in seq(0, m):
            t[p, 2 * j] = b[j, 2 * p]
            t[p, 2 * j + 1] = b[j, 2 * p + 1]


@proc
def gemm_near(
    m: size, n: size, k: size, turned: bool, r: size, q: size, sa: R, sb: R, alpha: [R][2], a: [R][m, k, 2],
    b: [R][r, 2 * q], beta: [R][2], c: [R][m, 2 * n],
):  # fmt: skip
    """C := alpha A B + beta C, of a B that is read where it is, or turned"""
    assert (turned and n <= r and k <= q) or (not turned and k <= r and n <= q)
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    scaled(m, n, beta, c)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        f: R[4, 2] @ DRAM_STACK
        factors_n(alpha, sa, sb, f)
        if turned:
            t: R[k, 2 * n] @ BLOCK
            turned_rows(k, n, b[0:n, 0 : 2 * k], t)
            product_pairs(m, n, k, f, a, t, c)
        else:
            product_pairs(m, n, k, f, a, b[0:k, 0 : 2 * n], c)


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


# -- kernels ------------------------------------------------------------------------------------------


def pair_product(precision: str, machine: Machine) -> Op:
    """What a product of what is near is scheduled by."""
    name = f"{COMPLEX_LETTERS[precision]}{product_pairs.name()}"
    return optimize_pair_product(machine, precision, typed(product_pairs, precision, name))


LEAVES: Mapping[str, Plan] = {
    "expanded": partial(pairs, "j", 1),
    "added": partial(pairs, "j", 4),
    "multiplied": partial(pairs, "j", 4),
    "resized": partial(reals, 0),
    "product_pairs": pair_product,
}
"""Loops that are vectors, with what each is scheduled by for a precision and a machine."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return kernels_of((gemm_scaled, gemm_near, symm_left, symm_right), LEAVES, instructions)
