"""Complex numbers, level 3: products of matrices, and their kernels.

A product reads A where it is, with any strides, and B by rows that are near: as it lies in memory if it is small, else
copied in blocks, and turned if it is transposed. Each tile of C has two sums of reals, of B times the real parts of A
and times the imaginary ones, which are joined at the end, times alpha (`product_pairs`). Whether A or B is conjugated
are signs then (`factors_n`): `sa` and `sb` are -1 then, else 1.

Where there are no vectors, a product is one of reals, as in the 1m method of F. G. Van Zee, "Implementing
High-Performance Complex Matrix Multiplication via the 1m Method" (2020): C and A are rows of twice as many reals, and a
row of alpha B becomes two, its elements, and these times i (`expanded`).

A is a matrix of pairs with any strides; if it is large and the pairs of a row are no neighbours, it is copied. B lies
by rows, or it is the transposed of what does (`turned`). Programs here are written in blocks; they call what all units
share, as an instruction, and loops that are scheduled. `tests/test_complex_programs.py` compares them with the
definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from exo_strat import *
from exo_strat import Machine, make_instr
from strategies.blas.pair_products import optimize_pair_product
from strategies.blas.turning import pairs_turned

from .calls import PROTOTYPE, TYPES
from .complex_blocks import APART, DEEP, EIGHT, SMALL, TALL, WIDE
from .complex_vectors import Plan, kernels_of, multiplied, pairs, reals
from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed
from .storage import BLOCK, KEPT

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


@cache
def real_product(precision: str) -> Proc:
    """This as an instruction: a call of the real product."""
    letter = LETTERS[precision]
    given = "&{a_data}, {a_stride_0}, 1, &{b_data}, {b_stride_0}, 1, 1, &{c_data}, {c_stride_0}"
    text = f"exo_{letter}product({{m}}, {{n}}, 2 * ({{k}}), 1, {given});"
    prototype = PROTOTYPE.format(letter=letter, type=TYPES[precision])
    return schedule(make_instr(text, prototype), typed(product_n, precision, f"{product_n.name()}_{precision}"))


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
def conjugated(n: size, x: [R][2 * n]):
    """x := conj(x)"""
    assert stride(x, 0) == 1
    f: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = -1.0
    for j in seq(0, n):
        for k in seq(0, 2):
            x[2 * j + k] = f[k] * x[2 * j + k]


@proc
def turned_columns(n: size, m: size, a: [R][m, n, 2], t: [R][m, n, 2]):
    """T := A, whose columns are of neighbours"""
    assert stride(a, 0) == 2 and stride(a, 2) == 1 and stride(t, 1) == 2 and stride(t, 2) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            for r in seq(0, 2):
                t[i, j, r] = a[i, j, r]


@proc
def turned_columns_back(n: size, m: size, a: [R][m, n, 2], t: [R][m, n, 2]):
    """The same, of columns from the last element back"""
    assert stride(a, 0) == -2 and stride(a, 2) == 1 and stride(t, 1) == 2 and stride(t, 2) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            for r in seq(0, 2):
                t[i, j, r] = a[i, j, r]


@proc
def copied(m: size, n: size, a: [R][m, n, 2], t: [R][m, n, 2]):
    """T := A, of any strides"""
    assert stride(a, 2) == 1 and stride(t, 1) == 2 and stride(t, 2) == 1
    if stride(a, 0) == 2:
        turned_columns(n, m, a, t)
    elif stride(a, 0) == -2:
        turned_columns_back(n, m, a, t)
    else:
        for io in seq(0, (m + EIGHT - 1) / EIGHT):
            for j in seq(0, n):
                for i in seq(EIGHT * io, min(m, EIGHT * io + EIGHT)):
                    t[i, j, 0] = a[i, j, 0]
                    t[i, j, 1] = a[i, j, 1]


@proc
def copied_rows(m: size, n: size, b: [R][m, 2 * n], t: [R][m, 2 * n]):
    """T := B"""
    assert stride(b, 1) == 1 and stride(t, 1) == 1
    for i in seq(0, m):
        for j in seq(0, 2 * n):
            t[i, j] = b[i, j]


@proc
def turned_rows(n: size, m: size, b: [R][n, 2 * m], t: [R][m, 2 * n]):
    """T := B^T"""
    assert stride(b, 1) == 1 and stride(t, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            for r in seq(0, 2):
                t[i, 2 * j + r] = b[j, 2 * i + r]


@proc
def factors_n(alpha: [R][2], sa: R, sb: R, f: [R][4, 2]):
    """What sums of B times the parts of A are multiplied by, as they are and with their parts exchanged; and what
    `expanded` makes alpha B of"""
    f[0, 0] = alpha[0]
    f[0, 1] = sb * alpha[0]
    f[1, 0] = -(sb * alpha[1])
    f[1, 1] = alpha[1]
    f[2, 0] = -(sa * alpha[1])
    f[2, 1] = -(sa * sb * alpha[1])
    f[3, 0] = -(sa * sb * alpha[0])
    f[3, 1] = sa * alpha[0]


# -- products -----------------------------------------------------------------------------------------


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
def panel_expanded(m: size, n: size, k: size, f: [R][4, 2], a: [R][m, k, 2], b: [R][k, 2 * n], c: [R][m, 2 * n]):
    """The same of an A with pairs that are neighbours, by products of reals"""
    assert stride(f, 1) == 1 and stride(a, 1) == 2 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    e: R[2 * min(k, DEEP), 2 * min(n, WIDE) + APART] @ BLOCK
    for po in seq(0, (k + DEEP - 1) / DEEP):
        p = DEEP * po
        d = min(DEEP, k - DEEP * po)
        for jo in seq(0, (n + WIDE - 1) / WIDE):
            j = WIDE * jo
            w = min(WIDE, n - WIDE * jo)
            expanded(d, w, f, b[p : p + d, 2 * j : 2 * (j + w)], e[0 : 2 * d, 0 : 2 * w])
            product_n(m, 2 * w, d, a[0:m, p : p + d, 0:2], e[0 : 2 * d, 0 : 2 * w], c[0:m, 2 * j : 2 * (j + w)])


@proc
def product_expanded(m: size, n: size, k: size, f: [R][4, 2], a: [R][m, k, 2], b: [R][k, 2 * n], c: [R][m, 2 * n]):
    """What `product_pairs` does, for where there are no vectors"""
    assert stride(f, 1) == 1 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    if stride(a, 1) == 2:
        panel_expanded(m, n, k, f, a, b, c)
    else:
        near: R[m, min(k, DEEP), 2] @ BLOCK
        for po in seq(0, (k + DEEP - 1) / DEEP):
            p = DEEP * po
            d = min(DEEP, k - DEEP * po)
            copied(m, d, a[0:m, p : p + d, 0:2], near[0:m, 0:d, 0:2])
            panel_expanded(m, n, d, f, near[0:m, 0:d, 0:2], b[p : p + d, 0 : 2 * n], c)


@proc
def product_near(m: size, n: size, k: size, f: [R][4, 2], a: [R][m, k, 2], b: [R][k, 2 * n], c: [R][m, 2 * n]):
    assert stride(f, 1) == 1 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    product_pairs(m, n, k, f, a, b, c)


product = schedule(rename("product"), product_pairs)
"""What units share: `product_pairs`, or `product_expanded`, by threads"""

PAIRS_PROTOTYPE = """#include <stdint.h>
void exo_{letter}pairs(int64_t m, int64_t n, int64_t k, const {type} *f, int64_t f0, const {type} *a, int64_t a0,
    int64_t a1, const {type} *b, int64_t b0, {type} *c, int64_t ldc);"""
"""What the C function is handed that units share."""


@cache
def as_instruction(precision: str) -> Proc:
    """`product` as an instruction: a call of `PAIRS` of `cblas/complex/pairs.c`."""
    letter = COMPLEX_LETTERS[precision]
    left = "&{f_data}, {f_stride_0}, &{a_data}, {a_stride_0}, {a_stride_1}"
    text = f"exo_{letter}pairs({{m}}, {{n}}, {{k}}, {left}, &{{b_data}}, {{b_stride_0}}, &{{c_data}}, {{c_stride_0}});"
    prototype = PAIRS_PROTOTYPE.format(letter=letter, type=TYPES[precision])
    return schedule(make_instr(text, prototype), typed(product, precision, f"{product.name()}_{precision}"))


def instructions(precision: str) -> tuple[tuple[str, Proc], ...]:
    """What units share, by name."""
    return ((product_n.name(), real_product(precision)), (product.name(), as_instruction(precision)))


def pairs_names(machine: Machine) -> tuple[str, ...]:
    """What a unit says before its kernels, so that they call the product of its target.

    >>> from backends.targets import avx2
    >>> pairs_names(avx2)
    ('#define exo_cpairs exo_cpairs_avx2', '#define exo_zpairs exo_zpairs_avx2')
    """
    return tuple(f"#define exo_{letter}pairs exo_{letter}pairs_{machine.name}" for letter in COMPLEX_LETTERS.values())


# B is from row p0 and column j0 on. It lies by rows, or turned by columns: r rows of q pairs.


@proc
def panel(
    m: size, n: size, k: size, turned: bool, p0: index, j0: index, r: size, q: size, f: [R][4, 2],
    a: [R][m, k, 2], b: [R][r, 2 * q], c: [R][m, 2 * n],
):  # fmt: skip
    """C += A B, of a B that is copied in blocks"""
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
            product(m, w, d, f, a[0:m, p : p + d, 0:2], t[0:d, 0 : 2 * w], c[0:m, 2 * j : 2 * (j + w)])


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
        factors_n(alpha, sa, sb, f)
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
            t: R[k, 2 * n + APART] @ BLOCK
            turned_rows(n, k, b[0:n, 0 : 2 * k], t[0:k, 0 : 2 * n])
            product_pairs(m, n, k, f, a, t[0:k, 0 : 2 * n], c)
        else:
            product_pairs(m, n, k, f, a, b[0:k, 0 : 2 * n], c)


# -- products with a matrix of which one triangle is stored -------------------------------------------


@proc
def mirrored_square(m: size, hermitian: bool, s: R, a: [R][m, m, 2], t: [R][m, 2 * m]):
    """T := A, or conj(A), of an A that is stored from the diagonal down"""
    assert stride(a, 2) == 1 and stride(t, 1) == 1
    for i in seq(0, m):
        for p in seq(0, i + 1):
            t[i, 2 * p] = a[i, p, 0]
            t[i, 2 * p + 1] = s * a[i, p, 1]
        for p in seq(i + 1, m):
            t[i, 2 * p] = a[p, i, 0]
            if hermitian:
                t[i, 2 * p + 1] = -(s * a[p, i, 1])
            else:
                t[i, 2 * p + 1] = s * a[p, i, 1]
        if hermitian:
            t[i, 2 * i + 1] = 0.0


@proc
def turned_pairs(n: size, m: size, a: [R][n, m, 2], t: [R][m, 2 * n]):
    """T := A^T"""
    assert stride(a, 1) == 2 and stride(a, 2) == 1 and stride(t, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            for r in seq(0, 2):
                t[i, 2 * j + r] = a[j, i, r]


@proc
def turned_columns_flat(n: size, m: size, a: [R][m, n, 2], t: [R][m, 2 * n]):
    """T := A, whose columns are of neighbours"""
    assert stride(a, 0) == 2 and stride(a, 2) == 1 and stride(t, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            for r in seq(0, 2):
                t[i, 2 * j + r] = a[i, j, r]


@proc
def signed(m: size, n: size, s: R, t: [R][m, 2 * n]):
    """T := T, or conj(T)"""
    assert stride(t, 1) == 1
    if s != 1.0:
        for i in seq(0, m):
            conjugated(n, t[i, 0 : 2 * n])


@proc
def block_below(m: size, n: size, s: R, a: [R][m, n, 2], t: [R][m, 2 * n]):
    """T := A, or conj(A)"""
    assert stride(a, 2) == 1 and stride(t, 1) == 1
    if stride(a, 0) == 2:
        turned_columns_flat(n, m, a, t)
    else:
        for i in seq(0, m):
            for j in seq(0, n):
                t[i, 2 * j] = a[i, j, 0]
                t[i, 2 * j + 1] = a[i, j, 1]
    signed(m, n, s, t)


@proc
def block_above(m: size, n: size, s: R, a: [R][n, m, 2], t: [R][m, 2 * n]):
    """T := A^T, or A^H"""
    assert stride(a, 2) == 1 and stride(t, 1) == 1
    if stride(a, 1) == 2:
        turned_pairs(n, m, a, t)
    else:
        for i in seq(0, m):
            for p in seq(0, n):
                t[i, 2 * p] = a[p, i, 0]
                t[i, 2 * p + 1] = a[p, i, 1]
    signed(m, n, s, t)


@proc
def mirrored(m: size, k: size, n: size, i0: index, p0: index, hermitian: bool, s: R, a: [R][n, n, 2], t: [R][m, 2 * k]):
    """T := A, or conj(A), from row i0 and column p0 on, of an A that is stored from the diagonal down: by squares"""
    assert i0 >= 0 and p0 >= 0 and i0 + m <= n and p0 + k <= n
    assert i0 % SMALL == 0 and p0 % SMALL == 0 and (k % SMALL == 0 or p0 + k == n)
    assert stride(a, 2) == 1 and stride(t, 1) == 1
    turn: R
    turn = -s if hermitian else s
    for io in seq(0, (m + SMALL - 1) / SMALL):
        i = SMALL * io
        h = min(SMALL, m - SMALL * io)
        if i0 + i >= p0 + k:
            block_below(h, k, s, a[i0 + i : i0 + i + h, p0 : p0 + k, 0:2], t[i : i + h, 0 : 2 * k])
        else:
            if i0 + i + h <= p0:
                block_above(h, k, turn, a[p0 : p0 + k, i0 + i : i0 + i + h, 0:2], t[i : i + h, 0 : 2 * k])
            else:
                if i0 + i > p0:
                    block_below(h, i0 + i - p0, s, a[i0 + i : i0 + i + h, p0 : i0 + i, 0:2],
                                t[i : i + h, 0 : 2 * (i0 + i - p0)])  # fmt: skip
                if i0 + i + h <= p0 + k:
                    mirrored_square(h, hermitian, s, a[i0 + i : i0 + i + h, i0 + i : i0 + i + h, 0:2],
                                    t[i : i + h, 2 * (i0 + i - p0) : 2 * (i0 + i + h - p0)])  # fmt: skip
                    if i0 + i + h < p0 + k:
                        block_above(h, p0 + k - i0 - i - h, turn, a[i0 + i + h : p0 + k, i0 + i : i0 + i + h, 0:2],
                                    t[i : i + h, 2 * (i0 + i + h - p0) : 2 * k])  # fmt: skip


@proc
def symm_left(
    m: size, n: size, hermitian: bool, s: R, alpha: [R][2], a: [R][m, m, 2], b: [R][m, 2 * n], beta: [R][2],
    c: [R][m, 2 * n],
):  # fmt: skip
    """C := alpha A B + beta C, of a symmetric or Hermitian A, or conj(A), that is stored from the diagonal down"""
    assert stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    scaled(m, n, beta, c)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        f: R[4, 2] @ DRAM_STACK
        factors_n(alpha, 1.0, 1.0, f)
        flat: R[min(m, TALL), 2 * min(m, DEEP) + APART] @ BLOCK
        for io in seq(0, (m + TALL - 1) / TALL):
            i = TALL * io
            h = min(TALL, m - TALL * io)
            for po in seq(0, (m + DEEP - 1) / DEEP):
                p = DEEP * po
                d = min(DEEP, m - DEEP * po)
                mirrored(h, d, m, i, p, hermitian, s, a, flat[0:h, 0 : 2 * d])
                near = flat.view(min(m, TALL), min(m, DEEP) + APART / 2, 2)
                if m <= DEEP and n <= WIDE:
                    product(h, n, d, f, near[0:h, 0:d, 0:2], b[p : p + d, 0 : 2 * n], c[i : i + h, 0 : 2 * n])
                else:
                    panel(h, n, d, False, p, 0, m, n, f, near[0:h, 0:d, 0:2], b, c[i : i + h, 0 : 2 * n])


@proc
def symm_right(
    m: size, n: size, hermitian: bool, s: R, alpha: [R][2], a: [R][n, n, 2], b: [R][m, n, 2], beta: [R][2],
    c: [R][m, 2 * n],
):  # fmt: skip
    """C := alpha B A + beta C, likewise"""
    assert stride(a, 2) == 1 and stride(b, 1) == 2 and stride(b, 2) == 1 and stride(c, 1) == 1
    scaled(m, n, beta, c)
    if alpha[0] != 0.0 or alpha[1] != 0.0:
        f: R[4, 2] @ DRAM_STACK
        factors_n(alpha, 1.0, 1.0, f)
        near: R[min(n, DEEP), 2 * min(n, WIDE) + APART] @ BLOCK
        for po in seq(0, (n + DEEP - 1) / DEEP):
            p = DEEP * po
            d = min(DEEP, n - DEEP * po)
            for jo in seq(0, (n + WIDE - 1) / WIDE):
                j = WIDE * jo
                w = min(WIDE, n - WIDE * jo)
                mirrored(d, w, n, p, j, hermitian, s, a, near[0:d, 0 : 2 * w])
                product(m, w, d, f, b[0:m, p : p + d, 0:2], near[0:d, 0 : 2 * w], c[0:m, 2 * j : 2 * (j + w)])


# -- kernels ------------------------------------------------------------------------------------------


def pair_product(precision: str, machine: Machine) -> Op:
    """What a product of what is near is scheduled by."""
    name = f"{COMPLEX_LETTERS[precision]}{product_pairs.name()}"
    return optimize_pair_product(machine, precision, typed(product_pairs, precision, name))


def turning(dst: str, src: str, rows: tuple[int, int], back: str, precision: str, machine: Machine) -> Op:
    """What copies that are turned are scheduled by; see `pairs_turned`."""
    return at("for j in _: _", pairs_turned(machine, precision, dst, src, rows, back))


LEAVES: Mapping[str, Plan] = {
    "turned_columns": partial(turning, "t", "a", (0, 1), ""),
    "turned_columns_back": partial(turning, "t", "a", (0, 1), "a"),
    "turned_pairs": partial(turning, "t", "a", (0, 0), ""),
    "turned_columns_flat": partial(turning, "t", "a", (0, 1), ""),
    "conjugated": partial(pairs, "j", 1),
    "turned_rows": partial(turning, "t", "b", (0, 0), ""),
    "expanded": partial(pairs, "j", 1),
    "added": partial(pairs, "j", 4),
    "multiplied": partial(pairs, "j", 4),
    "resized": partial(reals, 0),
    "product_pairs": pair_product,
}
"""Loops that are vectors, with what each is scheduled by for a precision and a machine."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    programs = (gemm_near, gemm_scaled, product_near, product_expanded, symm_left, symm_right)
    return kernels_of(programs, LEAVES, instructions)
