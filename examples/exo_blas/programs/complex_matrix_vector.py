"""Complex numbers, level 2: products of a matrix of any storage and a vector, and their kernels.

A matrix is rows of reals that begin somewhere (`ROWS` in storage.py), of twice as many as there are columns. Row i has
the columns i - below to i + above, as far as there are such: so a dense matrix, a band, and a triangle, packed or not,
are one. Of what is conjugated, vectors are: conj(A) x is the conjugated of A conj(x). What u, v, p and q are,
`complex_vectors.py` says.

Four rows are taken together, in the columns that all of them have.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from exo_strat import *

from .complex_vectors import (
    ENOUGH,
    SOME,
    Plan,
    added_to,
    kernels_of,
    long_kernels_of,
    long_reals,
    long_sums_and_updates,
    reals,
    spread,
    taken_spread_times,
    taken_times,
    written,
    zeros,
)
from .complex_vectors import LEAVES as OF_VECTORS
from .complex_vectors import LONG as OF_LONG_VECTORS
from .kernel import Kernel
from .storage import PAIRS, ROOM, ROWS

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
def boths(n: size, a: [R][n], b: [R][n], x: [R][4], u: [R][n], v: [R][n], p: [R][n], q: [R][n], w: [R][4]):
    assert stride(a, 0) == 1 and stride(b, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    assert stride(p, 0) == 1 and stride(q, 0) == 1 and stride(w, 0) == 1
    for j in seq(0, n):
        s: R
        t: R
        s = p[j]
        t = q[j]
        w[0] += a[j] * u[j]
        w[1] += a[j] * v[j]
        w[2] += b[j] * u[j]
        w[3] += b[j] * v[j]
        s += x[0] * a[j]
        t += x[1] * a[j]
        s += x[2] * b[j]
        t += x[3] * b[j]
        p[j] = s
        q[j] = t


# -- products with rows -------------------------------------------------------------------------------

# What is done of the rows lo to hi, and of what they have of the columns left to right: row by row, four rows together,
# or as there are many columns on both sides of the diagonal.

TOGETHER = """
def {way}_alone(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    a: [R][m, 1, 2 * n] @ ROWS, {vectors},
):
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and {near}
    for k in seq(lo, hi):
        lowest = max(left, k - below)
        end = min(right, k + above + 1)
        if lowest < end:
            {one}

def {way}_together(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    enough: size, a: [R][m, 1, 2 * n] @ ROWS, {vectors},
):
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and {near}
    for io in seq(0, (hi - lo + 3) / 4):
        i = lo + 4 * io
        first = max(left, i + 3 - below)
        last = min(right, i + above + 1)
        if i + 4 <= hi and first + enough <= last:
            {four}
            if max(left, i - below) < first:
                for k in seq(i, i + 4):
                    for j in seq(2 * max(left, k - below), 2 * first):
                        {elements[0]}
                        {elements[1]}
            if last < min(right, i + above + 4):
                for k in seq(i, i + 4):
                    for j in seq(2 * last, 2 * min(right, k + above + 1)):
                        {elements[0]}
                        {elements[1]}
        else:
            for k in seq(i, min(i + 4, hi)):
                lowest = max(left, k - below)
                end = min(right, k + above + 1)
                if lowest < end:
                    {one}

def by_{way}(
    m: size, n: size, lo: index, hi: index, left: index, right: index, below: index, above: index,
    enough: size, a: [R][m, 1, 2 * n] @ ROWS, {vectors},
):
    assert lo >= 0 and hi <= m and left >= 0 and right <= n and below >= -1 and above >= -1
    assert stride(a, 2) == 1 and {near}
    if below + above < enough:
        {way}_alone(m, n, lo, hi, left, right, below, above, a, {names})
    else:
        {way}_together(m, n, lo, hi, left, right, below, above, enough, a, {names})
"""

FOUR = ", ".join(f"a[i + {r}, 0, 2 * first : 2 * last]" for r in range(4))
ROWS_OF = {  # w += A x
    "vectors": "u: [R][2 * n], v: [R][2 * n], w: [R][2 * m]",
    "names": "u, v, w",
    "near": "stride(u, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1",
    "one": "dot(2 * (end - lowest), a[k, 0, 2 * lowest : 2 * end], u[2 * lowest : 2 * end], v[2 * lowest : 2 * end],"
    " w[2 * k : 2 * k + 2])",
    "four": f"dots(2 * (last - first), {FOUR}, u[2 * first : 2 * last], v[2 * first : 2 * last], w[2 * i : 2 * i + 8])",
    "elements": ("w[2 * k] += a[k, 0, j] * u[j]", "w[2 * k + 1] += a[k, 0, j] * v[j]"),
}
COLUMNS_OF = {  # p, q += A^T x
    "vectors": "x: [R][2 * m], p: [R][2 * n], q: [R][2 * n]",
    "names": "x, p, q",
    "near": "stride(x, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1",
    "one": "add(2 * (end - lowest), a[k, 0, 2 * lowest : 2 * end], x[2 * k : 2 * k + 2], p[2 * lowest : 2 * end],"
    " q[2 * lowest : 2 * end])",
    "four": f"adds(2 * (last - first), {FOUR}, x[2 * i : 2 * i + 8], p[2 * first : 2 * last], q[2 * first : 2 * last])",
    "elements": ("p[j] += x[2 * k] * a[k, 0, j]", "q[j] += x[2 * k + 1] * a[k, 0, j]"),
}
WITH_ROWS = written(
    TOGETHER.format(way="rows", **ROWS_OF) + TOGETHER.format(way="columns", **COLUMNS_OF),
    {p.name(): p for p in (dot, dots, add, adds)},
)
rows_together, by_rows = WITH_ROWS["rows_together"], WITH_ROWS["by_rows"]
columns_together, by_columns = WITH_ROWS["columns_together"], WITH_ROWS["by_columns"]

# -- products -----------------------------------------------------------------------------------------


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
def of_both(a: [R][2], x: [R][2], y: [R][2], v: [R][2], w: [R][2]):
    """v += a y and w += conj(a) x, of an element of a Hermitian matrix"""
    assert stride(a, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1 and stride(v, 0) == 1 and stride(w, 0) == 1
    v[0] += a[0] * y[0] - a[1] * y[1]
    v[1] += a[0] * y[1] + a[1] * y[0]
    w[0] += a[0] * x[0] + a[1] * x[1]
    w[1] += a[0] * x[1] - a[1] * x[0]


@proc
def two_rows(
    n: size, lower: bool, a: [R][n, 1, 2 * n] @ ROWS, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n],
    p: [R][2 * n], q: [R][2 * n], w: [R][2 * n],
):  # fmt: skip
    """w := the diagonal's elements times x, and w, p and q += the others, of a whole triangle: two rows together in the
    columns that both have"""
    assert stride(a, 2) == 1 and stride(x, 0) == 1 and stride(w, 0) == 1
    assert stride(u, 0) == 1 and stride(v, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    for i in seq(0, n):
        w[2 * i] = a[i, 0, 2 * i] * x[2 * i]
        w[2 * i + 1] = a[i, 0, 2 * i] * x[2 * i + 1]
    for io in seq(0, n / 2):
        i = 2 * io
        if lower:
            of_both(a[i + 1, 0, 2 * i : 2 * i + 2], x[2 * i + 2 : 2 * i + 4], x[2 * i : 2 * i + 2],
                    w[2 * i + 2 : 2 * i + 4], w[2 * i : 2 * i + 2])  # fmt: skip
            if io > 0:
                boths(2 * i, a[i, 0, 0 : 2 * i], a[i + 1, 0, 0 : 2 * i], x[2 * i : 2 * i + 4], u[0 : 2 * i],
                      v[0 : 2 * i], p[0 : 2 * i], q[0 : 2 * i], w[2 * i : 2 * i + 4])  # fmt: skip
        else:
            of_both(a[i, 0, 2 * i + 2 : 2 * i + 4], x[2 * i : 2 * i + 2], x[2 * i + 2 : 2 * i + 4],
                    w[2 * i : 2 * i + 2], w[2 * i + 2 : 2 * i + 4])  # fmt: skip
            if i + 2 < n:
                boths(2 * (n - i - 2), a[i, 0, 2 * i + 4 : 2 * n], a[i + 1, 0, 2 * i + 4 : 2 * n],
                      x[2 * i : 2 * i + 4], u[2 * i + 4 : 2 * n], v[2 * i + 4 : 2 * n],
                      p[2 * i + 4 : 2 * n], q[2 * i + 4 : 2 * n], w[2 * i : 2 * i + 4])  # fmt: skip
    if lower and n > 1:
        for i in seq(n / 2 * 2, n):
            both(2 * i, a[i, 0, 0 : 2 * i], x[2 * i : 2 * i + 2], u[0 : 2 * i], v[0 : 2 * i], p[0 : 2 * i],
                 q[0 : 2 * i], w[2 * i : 2 * i + 2])  # fmt: skip


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


@proc
def hermitian_whole(
    n: size, lower: bool, s: R, alpha: [R][2], a: [R][n, 1, 2 * n] @ ROWS, x: [R][2 * n] @ PAIRS, beta: [R][2],
    y: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """The same, of a matrix that is no band"""
    assert stride(a, 2) == 1
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
        two_rows(n, lower, a, near, u, v, p, q, w)
        added_to(n, True, s, beta, w, True, -1.0, p, q, y)
    else:
        added_to(n, False, s, beta, w, False, 1.0, w, w, y)


# -- kernels ------------------------------------------------------------------------------------------

LEAVES: Mapping[str, Plan] = {
    **OF_VECTORS,
    **{p.name(): partial(reals, 1) for p in (dots, adds, boths)},
    **{p.name(): partial(reals, 0) for p in (dot, add, both)},
}
LONG: Mapping[str, Plan] = {
    **OF_LONG_VECTORS,
    "dots": partial(long_reals, 1, ENOUGH),
    "dot": partial(long_reals, 0, ENOUGH),
    "adds": partial(long_reals, 1, SOME),
    "add": partial(long_reals, 0, SOME),
    "boths": long_sums_and_updates,
    "both": partial(reals, 0),
}
"""What loops that are vectors are scheduled by; and those of long rows."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    both_lengths = (gemv_rows, gemv_columns, gbmv_rows, gbmv_columns, hermitian_whole)
    return (*kernels_of((*both_lengths, hermitian), LEAVES), *long_kernels_of(both_lengths, LONG))
