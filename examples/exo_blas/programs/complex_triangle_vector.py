"""Complex numbers, level 2: products of a triangle and a vector, and triangular systems, and their kernels.

Matrices and signs are as in `complex_matrix_vector.py`.
"""

from __future__ import annotations

from exo_strat import *

from .complex_matrix_vector import LEAVES, LONG, add, adds, columns_together, dot, dots, rows_together
from .complex_vectors import (
    given,
    kernels_of,
    long_kernels_of,
    plus_both,
    spread_few,
    taken,
    taken_spread,
    written,
    zeros,
)
from .kernel import Kernel
from .storage import PAIRS, ROOM, ROWS

# -- corners ------------------------------------------------------------------------------------------

# Of four rows, the columns that not all of them have are a triangle of their own, without loops. What it adds up is set
# in w, which no loop over vectors has: such a loop would wait for single numbers that were stored just before.


PARTS = ("re", "im")
CORNERS = 8
"""Rows of a triangle from which on corners are apart."""


def corner(way: str, lower: bool) -> str:
    """The program of a corner, of which row r has the columns up to r, or from r on; `rows` times x, or `columns`. Of a
    row that begins on the diagonal, the first element is its own."""
    sizes = [r + 1 if lower else 4 - r for r in range(4)]
    rows = ", ".join(f"a{r}: [R][{2 * size}]" for r, size in enumerate(sizes))
    near = " and ".join(f"stride({x}, 0) == 1" for x in ("a0", "a1", "a2", "a3", "x", "w"))
    lines = [f"def corner_{way}_{'lower' if lower else 'upper'}(unit: bool, {rows}, x: [R][8], w: [R][8]):"]
    lines += [f"    assert {near}"]
    lines += [f"    {part}{t}: R" for t in range(4) for part in PARTS]

    def product(t: int, r: int, c: int, first: bool) -> list[str]:
        """Of the element (r, c), for the sum t, which it begins"""
        at = 2 * (c if lower else c - r)
        (re, im), (p, q) = (f"a{r}[{at}]", f"a{r}[{at + 1}]"), numbers(c if way == "rows" else r)
        begins = [f"re{t} = {re} * {p}", f"im{t} = {re} * {q}"]
        adds = [f"re{t} += {re} * {p}", f"im{t} += {re} * {q}"]
        return [*(begins if first else adds), f"re{t} += -({im} * {q})", f"im{t} += {im} * {p}"]

    def numbers(k: int) -> tuple[str, str]:
        """Both parts of an element of x, of which rows are given v."""
        re, im = f"x[{2 * k}]", f"x[{2 * k + 1}]"
        return (im, re) if way == "rows" else (re, im)

    own = [f"{part}{t} = {x}" for t in range(4) for part, x in zip(PARTS, numbers(t), strict=True)]
    lines += ["    if unit:", *(f"        {line}" for line in own)]
    lines += ["    else:", *(f"        {line}" for t in range(4) for line in product(t, t, t, True))]
    for r in range(4):
        for c in range(r) if lower else range(r + 1, 4):
            lines += [f"    {line}" for line in product(r if way == "rows" else c, r, c, False)]
    lines += [f"    w[{2 * t + k}] = {part}{t}" for t in range(4) for k, part in enumerate(PARTS)]
    return "\n".join(lines) + "\n\n"


TRIANGLE = """
def triangle_{way}(
    n: size, lower: bool, unit: bool, a: [R][n, 1, 2 * n] @ ROWS, {vectors}, w: [R][2 * n],
):
    assert stride(a, 2) == 1 and stride(w, 0) == 1 and {near}
    for io in seq(0, n / 4):
        i = 4 * io
        if lower:
            corner_{way}_lower(unit, {lower_rows}, {x}[2 * i:2 * i + 8], w[2 * i:2 * i + 8])
            if 0 < io:
                {left}
        else:
            corner_{way}_upper(unit, {upper_rows}, {x}[2 * i:2 * i + 8], w[2 * i:2 * i + 8])
            if i + 4 < n:
                {right}
    for k in seq(n / 4 * 4, n):
        re: R
        im: R
        re = {x}[2 * k + {p}] if unit else a[k, 0, 2 * k] * {x}[2 * k + {p}] - a[k, 0, 2 * k + 1] * {x}[2 * k + {q}]
        im = {x}[2 * k + {q}] if unit else a[k, 0, 2 * k] * {x}[2 * k + {q}] + a[k, 0, 2 * k + 1] * {x}[2 * k + {p}]
        if lower:
            for j in seq({lower_rest}):
                re += a[{r}, 0, 2 * {c}] * {x}[2 * j + {p}]
                im += a[{r}, 0, 2 * {c}] * {x}[2 * j + {q}]
                re += -(a[{r}, 0, 2 * {c} + 1] * {x}[2 * j + {q}])
                im += a[{r}, 0, 2 * {c} + 1] * {x}[2 * j + {p}]
        else:
            for j in seq({upper_rest}):
                re += a[{r}, 0, 2 * {c}] * {x}[2 * j + {p}]
                im += a[{r}, 0, 2 * {c}] * {x}[2 * j + {q}]
                re += -(a[{r}, 0, 2 * {c} + 1] * {x}[2 * j + {q}])
                im += a[{r}, 0, 2 * {c} + 1] * {x}[2 * j + {p}]
        w[2 * k] = re
        w[2 * k + 1] = im
        if lower and 4 <= n:
            {one}
"""


def triangle(way: str, vectors: str, four: str, one: str, *, by_row: bool) -> str:
    """The program of a whole triangle: w := A x, or w, p and q := the sums of A^T x"""
    lower_rows = ", ".join(f"a[i + {r}, 0, 2 * i:2 * i + {2 * r + 2}]" for r in range(4))
    upper_rows = ", ".join(f"a[i + {r}, 0, 2 * i + {2 * r}:2 * i + 8]" for r in range(4))

    before, after = "n / 4 * 4, k", "k + 1, n"
    given = vectors if by_row else f"x{vectors}"

    def between(first: str, last: str) -> str:
        rows = ", ".join(f"a[i + {r}, 0, {first}:{last}]" for r in range(4))
        parts = ", ".join(f"{v}[{first}:{last}]" for v in vectors)
        return four.format(n=f"{last} - ({first})", rows=rows, parts=parts)

    parts = {"vectors": ", ".join(f"{v}: [R][2 * n]" for v in given), "x": "v" if by_row else "x", "one": one}
    parts |= {"near": " and ".join(f"stride({v}, 0) == 1" for v in given)}
    parts |= {"lower_rows": lower_rows, "left": between("0", "2 * i"), "lower_rest": before if by_row else after}
    parts |= {"upper_rows": upper_rows, "right": between("2 * i + 8", "2 * n")}
    parts |= {"upper_rest": after if by_row else before}
    parts |= {"r": "k", "c": "j"} if by_row else {"r": "j", "c": "k"}
    return TRIANGLE.format(way=way, p=int(by_row), q=int(not by_row), **parts)


BEFORE = "0:2 * (n / 4 * 4)"  # the columns before the last corner, of less than four rows
TRIANGLES = written(
    "".join(corner(way, lower) for way in ("rows", "columns") for lower in (True, False))
    + triangle(
        "rows",
        "uv",
        "dots({n}, {rows}, {parts}, w[2 * i:2 * i + 8])",
        f"dot(2 * (n / 4 * 4), a[k, 0, {BEFORE}], u[{BEFORE}], v[{BEFORE}], w[2 * k:2 * k + 2])",
        by_row=True,
    )
    + triangle(
        "columns",
        "pq",
        "adds({n}, {rows}, x[2 * i:2 * i + 8], {parts})",
        f"add(2 * (n / 4 * 4), a[k, 0, {BEFORE}], x[2 * k:2 * k + 2], p[{BEFORE}], q[{BEFORE}])",
        by_row=False,
    ),
    {p.name(): p for p in (dot, dots, add, adds)},
)
triangle_rows, triangle_columns = TRIANGLES["triangle_rows"], TRIANGLES["triangle_columns"]

# -- products -----------------------------------------------------------------------------------------


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
    if n <= below + above + 1 and n >= CORNERS:
        triangle_rows(n, above <= 0, unit, a, u, v, near)
    else:
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
    if n <= below + above + 1 and n >= CORNERS:
        w: R[2 * n] @ ROOM
        triangle_columns(n, above <= 0, unit, a, near, p, q, w)
        plus_both(n, f, g, p, q, w)
        given(n, s, w, x)
    else:
        columns_together(n, n, 0, n, 0, n, below, above, enough, a, near, p, q)
        if not unit:
            zeros(2 * n, near)
        plus_both(n, f, g, p, q, near)
        given(n, s, near, x)


# -- systems ------------------------------------------------------------------------------------------

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


# Of a triangle of the rows and columns lo to hi: of a lower one from the first row to the last, of an upper one back.
# What is left of x's element k loses the products with those that are known.

SOLVED = """
def solved_{way}(
    n: size, lo: index, hi: index, below: index, above: index, unit: bool, a: [R][n, 1, 2 * n] @ ROWS,
    d: [R][3 * n], {sums}, x: [R][2 * n],
):
    assert lo >= 0 and hi <= n and below >= 0 and above >= 0 and stride(a, 2) == 1 and stride(d, 0) == 1
    assert {near} and stride(x, 0) == 1
    for ii in seq(0, hi - lo):
        re: R
        im: R
        if above == 0:
{lower}
        else:
{upper}
"""

ELEMENT = """
            {k} = {at}
            re = x[2 * {k}] - {re}
            im = x[2 * {k} + 1] - {im}
            for j in seq({known}):
                re += a[{a}, 0, 2 * {b} + 1] * x[2 * j + 1]
                im += -(a[{a}, 0, 2 * {b} + 1] * x[2 * j])
                re += -(a[{a}, 0, 2 * {b}] * x[2 * j])
                im += -(a[{a}, 0, 2 * {b}] * x[2 * j + 1])
            solved(unit, d[3 * {k} : 3 * {k} + 3], re, im, x[2 * {k} : 2 * {k} + 2])
"""


def solution(way: str, sums: str, re: str, im: str, turned: bool) -> str:
    """The program of one way: what the sums are of element K, and whether it goes by columns."""

    def element(lower: bool) -> str:
        forward = lower != turned
        k, far = "i" if forward else "k", "below" if lower else "above"
        at = "lo + ii" if forward else "hi - 1 - ii"
        known = f"max(lo, {k} - {far}), {k}" if forward else f"{k} + 1, min(hi, {k} + {far} + 1)"
        a, b = ("j", k) if turned else (k, "j")
        text = ELEMENT.format(k=k, at=at, re=re.replace("K", k), im=im.replace("K", k), known=known, a=a, b=b)
        return text.strip("\n")

    vectors = ", ".join(f"{s}: [R][2 * n]" for s in sums)
    near = " and ".join(f"stride({s}, 0) == 1" for s in sums)
    return SOLVED.format(way=way, sums=vectors, near=near, lower=element(True), upper=element(False))


SOLUTIONS = written(
    solution("rows", "w", "w[2 * K]", "w[2 * K + 1]", False)  # A^-1 (x - w)
    + solution("columns", "pq", "(p[2 * K] - q[2 * K + 1])", "(p[2 * K + 1] + q[2 * K])", True),  # A^-T (x - p - i q)
    {"solved": solved},
)
solved_rows, solved_columns = SOLUTIONS["solved_rows"], SOLUTIONS["solved_columns"]


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


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    programs = (trmv_rows, trmv_columns, trsv_rows, trsv_columns)
    return (*kernels_of(programs, LEAVES), *long_kernels_of(programs, LONG))
