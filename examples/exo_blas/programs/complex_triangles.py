"""Complex numbers, level 3: B := A B and B := A^-1 B, in place, for a triangular A, and their kernels.

A is a lower triangle, or conj(A) if s is -1. An upper one is a lower one from the last row back, and what multiplies
from the right does so with the transposed from the left. Products are as in `complex_gemm.py`.

Rows are taken by blocks, these by strips, and these by four: of a system, each loses first what those before it in the
block, or in all blocks, contribute, and then the part that is smaller is solved; a product is the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from exo_strat import *
from exo_strat import Machine
from strategies.blas.pairs import optimize_pairs

from .complex_blocks import APART, DEEP, FEW, SLICE, STRIP, TURNED, WIDE
from .complex_gemm import (
    LEAVES,
    added,
    copied,
    copied_rows,
    factors_n,
    instructions,
    product,
    resized,
    scaled,
    turning,
)
from .complex_triangle_vector import inverse
from .complex_vectors import Plan, kernels_of, multiplied, written
from .kernel import Kernel

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


# Of four rows, vectors stay in registers while they are computed. `r` and `g` are what B and B with its parts exchanged
# are multiplied by.

FOUR = """
def four_{name}(n: size, s: R, a: [R][4, 4, 2], d: [R][4, 3], b: [R][4, 2 * n]):
    assert stride(b, 1) == 1
    r: R[4, 4] @ DRAM_STACK
    g: R[4, 4, 2] @ DRAM_STACK
    for i in seq(0, 4):
        for p in seq(0, i):
            r[i, p] = {sign}a[i, p, 0]
            g[i, p, 0] = {other}(s * a[i, p, 1])
            g[i, p, 1] = {sign}(s * a[i, p, 1])
{diagonal}    for j in seq(0, n):
{rows}
"""
DIAGONAL = """    for i in seq(0, 4):
        r[i, i] = d[i, 0]
        g[i, i, 0] = -d[i, 1]
        g[i, i, 1] = d[i, 1]
"""
"""`d` has the elements of the diagonal, or their inverses."""


def row_of(i: int, solved: bool, unit: bool) -> str:
    """What is done with row i of four: first the products with other rows, or that with its own."""
    lines = [f"t{i}: R[2]"]

    def products(p: int, into: str, new: bool) -> list[str]:
        first = f"{into} {'=' if new else '+='} r[{i}, {p}] * b[{p}, 2 * j + k]"
        second = f"{into} += g[{i}, {p}, k] * b[{p}, 2 * j + 1 - k]"
        return [f"for k in seq(0, 2):\n            {s}" for s in (first, second)]

    own = f"for k in seq(0, 2):\n            t{i}[k] = b[{i}, 2 * j + k]"
    lines += products(i, f"t{i}[k]", True) if not solved and not unit else [own]
    for p in range(i):
        lines += products(p, f"t{i}[k]", False)
    lines.append(f"for k in seq(0, 2):\n            b[{i}, 2 * j + k] = t{i}[k]")
    if solved and not unit:
        lines += [f"u{i}: R[2]", *products(i, f"u{i}[k]", True)]
        lines.append(f"for k in seq(0, 2):\n            b[{i}, 2 * j + k] = u{i}[k]")
    return "\n".join(f"        {line}" for line in lines)


def four(name: str, solved: bool, unit: bool) -> str:
    """The text of the program of four rows."""
    signs = {"sign": "-", "other": ""} if solved else {"sign": "", "other": "-"}
    rows = "\n".join(row_of(i, solved, unit) for i in (range(4) if solved else range(3, -1, -1)))
    return FOUR.format(name=name, diagonal="" if unit else DIAGONAL, rows=rows, **signs)


TEXTS = [four(*kind) for kind in (("product", False, False), ("product_unit", False, True))]
TEXTS += [four(*kind) for kind in (("solution", True, False), ("solution_unit", True, True))]
FOURS = written("\n".join(t.strip() + "\n" for t in TEXTS), {})
four_product, four_product_unit, four_solution, four_solution_unit = FOURS.values()


@proc
def few_product(m: size, n: size, unit: bool, s: R, a: [R][m, m, 2], b: [R][m, 2 * n]):
    """B := A B, of few rows"""
    assert stride(b, 1) == 1
    if m == 4:
        d: R[4, 3] @ DRAM_STACK
        if unit:
            four_product_unit(n, s, a[0:4, 0:4, 0:2], d, b[0:4, 0 : 2 * n])
        else:
            for i in seq(0, 4):
                d[i, 0] = a[i, i, 0]
                d[i, 1] = s * a[i, i, 1]
            four_product(n, s, a[0:4, 0:4, 0:2], d, b[0:4, 0 : 2 * n])
    else:
        small_product(m, n, unit, s, a, b)


@proc
def few_solution(m: size, n: size, unit: bool, s: R, a: [R][m, m, 2], b: [R][m, 2 * n]):
    """B := A^-1 B, of few rows"""
    assert stride(b, 1) == 1
    if m == 4:
        d: R[4, 3] @ DRAM_STACK
        if unit:
            four_solution_unit(n, s, a[0:4, 0:4, 0:2], d, b[0:4, 0 : 2 * n])
        else:
            for i in seq(0, 4):
                e: R[2] @ DRAM_STACK
                e[0] = a[i, i, 0]
                e[1] = s * a[i, i, 1]
                inverse(e, d[i, 0:3])
            if d[0, 2] == 1.0 and d[1, 2] == 1.0 and d[2, 2] == 1.0 and d[3, 2] == 1.0:
                four_solution(n, s, a[0:4, 0:4, 0:2], d, b[0:4, 0 : 2 * n])
            else:
                small_solution(m, n, unit, s, a, b)
    else:
        small_solution(m, n, unit, s, a, b)


# -- from the left ------------------------------------------------------------------------------------

PRODUCTS = """
            if far:
                copied({h}, {d}, a[i : i + {h}, {p} : {p} + {d}, 0:2], near[0:{h}, 0:{d}, 0:2])
                product({h}, n, {d}, f, near[0:{h}, 0:{d}, 0:2], b[{p} : {p} + {d}, 0 : 2 * n],
                              b[i : i + {h}, 0 : 2 * n])
            else:
                product({h}, n, {d}, f, a[i : i + {h}, {p} : {p} + {d}, 0:2], b[{p} : {p} + {d}, 0 : 2 * n],
                              b[i : i + {h}, 0 : 2 * n])
"""
"""What rows before some add to these. If A is `far`, its block is copied."""


def rows_by(size: int, before: str, then: str, solved: bool) -> str:
    """A loop over blocks of rows, each of which has products with those `before` and `then` something within."""
    count = f"(m + {size} - 1) / {size}"
    i = f"{size} * io" if solved else f"{size} * ({count} - 1 - io)"
    steps = f"{before.strip()}\n        {then}" if solved else f"{then}\n        {before.strip()}"
    return f"""    for io in seq(0, {count}):
        i = {i}
        h = min({size}, m - {i})
        {steps}
"""


def by_rows(name: str, few: str, solved: bool) -> str:
    """The texts of all rows of a block of B that is near: by blocks, strips, and fours."""
    given = "a[i : i + h, i : i + h, 0:2]"
    rows = "b[i : i + h, 0 : 2 * n]"
    beside = PRODUCTS.format(h="h", p="0", d="i")
    fours = rows_by(4, f"if i > 0:{beside}", f"{few}(h, n, unit, s, {given}, {rows})", solved)
    then = f"{name}_fours(h, n, unit, far, q, x, s, f, {given}, near, {rows})"
    strips = rows_by(STRIP, f"if i > 0:{beside}", then, solved)
    blocks = PRODUCTS.format(h="h", p="p", d="d")
    pieces = f"""for po in seq(0, (i + {DEEP} - 1) / {DEEP}):
            p = {DEEP} * po
            d = min({DEEP}, i - {DEEP} * po){blocks}"""
    then = f"{name}_strips(h, n, unit, far, q, x, s, f, {given}, near, {rows})"
    blocks = rows_by(SLICE, pieces, then, solved)
    types = "s: R, f: [R][4, 2], a: [R][m, m, 2]"
    asserted = "assert stride(f, 1) == 1 and stride(a, 2) == 1 and stride(b, 1) == 1"
    room = "near: [R][q, x, 2], b: [R][m, 2 * n]"
    return f"""
def {name}_fours(m: size, n: size, unit: bool, far: bool, q: size, x: size, {types}, {room}):
    {asserted}
    assert stride(near, 1) == 2 and stride(near, 2) == 1
    assert not far or m <= q and m <= x
{fours}
def {name}_strips(m: size, n: size, unit: bool, far: bool, q: size, x: size, {types}, {room}):
    {asserted}
    assert stride(near, 1) == 2 and stride(near, 2) == 1
    assert not far or m <= q and m <= x
{strips}
def {name}_blocks(m: size, n: size, unit: bool, far: bool, q: size, x: size, {types}, {room}):
    {asserted}
    assert stride(near, 1) == 2 and stride(near, 2) == 1
    assert not far or (m <= q or {SLICE} <= q) and (m <= x or {DEEP} <= x)
{blocks}
"""


BY_ROWS = written(
    by_rows("product", "few_product", False) + by_rows("solution", "few_solution", True),
    {p.name(): p for p in (few_product, few_solution, copied, product)},
)

LEFT = """
def NAME_in(
    m: size, n: size, unit: bool, far: bool, near: bool, q: size, x: size, s: R, f: [R][4, 2], a: [R][m, m, 2],
    room: [R][q, x, 2], b: [R][m, 2 * n]
):
    assert stride(f, 1) == 1 and stride(a, 2) == 1 and stride(b, 1) == 1
    assert stride(room, 1) == 2 and stride(room, 2) == 1
    assert not far or (m <= q or {SLICE} <= q) and (m <= x or {DEEP} <= x)
    if near:
        WAY_blocks(m, n, unit, far, q, x, s, f, a, room, b)
    else:
        t: R[m, 2 * min(n, {WIDE}) + {APART}] @ KEPT
        for jo in seq(0, (n + {WIDE} - 1) / {WIDE}):
            j = {WIDE} * jo
            w = min({WIDE}, n - {WIDE} * jo)
            copied_rows(m, w, b[0:m, 2 * j : 2 * (j + w)], t[0:m, 0 : 2 * w])
            WAY_blocks(m, w, unit, far, q, x, s, f, a, room, t[0:m, 0 : 2 * w])
            copied_rows(m, w, t[0:m, 0 : 2 * w], b[0:m, 2 * j : 2 * (j + w)])

def NAME_left(
    m: size, n: size, unit: bool, far: bool, near: bool, s: R, alpha: [R][2], a: [R][m, m, 2], b: [R][m, 2 * n]
):
    assert stride(a, 2) == 1 and stride(b, 1) == 1
    scaled(m, n, alpha, b)
    if m <= {FEW}:
        if alpha[0] != 0.0 or alpha[1] != 0.0:
            small_WAY(m, n, unit, s, a, b)
    elif alpha[0] != 0.0 or alpha[1] != 0.0:
        one: R[2] @ DRAM_STACK
        f: R[4, 2] @ DRAM_STACK
        one[0] = SIGN
        one[1] = 0.0
        factors_n(one, s, 1.0, f)
        if far:
            room: R[min(m, {SLICE}), min(m, {DEEP}) + {APART} / 2, 2] @ KEPT
            NAME_in(m, n, unit, far, near, min(m, {SLICE}), min(m, {DEEP}) + {APART} / 2, s, f, a, room, b)
        else:
            none: R[1, 1, 2] @ DRAM_STACK
            NAME_in(m, n, unit, far, near, 1, 1, s, f, a, none, b)
"""
"""B := alpha A B, or alpha A^-1 B: where it is if B is `near`, else in copies of some columns. If A is `far`, blocks of
it are copied."""


def written_for(text: str, known: dict[str, Proc]) -> dict[str, Proc]:
    """The programs of a text, of products and of solutions."""
    sizes = {"FEW": FEW, "DEEP": DEEP, "SLICE": SLICE, "WIDE": WIDE, "APART": APART, "STRIP": STRIP, "TURNED": TURNED}
    text = text.format(**sizes)
    product = text.replace("NAME", "trmm").replace("WAY", "product").replace("SIGN", "1.0")
    solution = text.replace("NAME", "trsm").replace("WAY", "solution").replace("SIGN", "-1.0")
    return written(product + solution, known)


FROM_LEFT = written_for(
    LEFT,
    {**BY_ROWS, **{p.name(): p for p in (scaled, factors_n, copied_rows, small_product, small_solution)}},
)
trmm_left, trsm_left = FROM_LEFT["trmm_left"], FROM_LEFT["trsm_left"]

# -- from the right -----------------------------------------------------------------------------------


# The pairs of B's rows are neighbours, or these from the last one back.

TURNED_PAIRS = """
def turned_{way}(m: size, n: size, b: [R][m, n, 2], t: [R][n, 2 * m]):
    assert stride(b, 1) == {stride} and stride(b, 2) == 1 and stride(t, 1) == 1
    for j in seq(0, m):
        for i in seq(0, n):
            for r in seq(0, 2):
                t[i, 2 * j + r] = b[j, i, r]

def returned_{way}(m: size, n: size, t: [R][n, 2 * m], b: [R][m, n, 2]):
    assert stride(b, 1) == {stride} and stride(b, 2) == 1 and stride(t, 1) == 1
    for j in seq(0, m):
        for i in seq(0, n):
            for r in seq(0, 2):
                b[j, i, r] = t[i, 2 * j + r]
"""
"""T := B^T, and B := T^T"""
WAYS = written(TURNED_PAIRS.format(way="forward", stride=2) + TURNED_PAIRS.format(way="back", stride=-2), {})
turned_forward, returned_forward, turned_back, returned_back = WAYS.values()


@proc
def turned(m: size, n: size, b: [R][m, n, 2], t: [R][n, 2 * m]):
    """T := B^T"""
    assert stride(b, 2) == 1 and stride(t, 1) == 1
    if stride(b, 1) == 2:
        turned_forward(m, n, b, t)
    elif stride(b, 1) == -2:
        turned_back(m, n, b, t)
    else:
        for j in seq(0, m):
            for i in seq(0, n):
                t[i, 2 * j] = b[j, i, 0]
                t[i, 2 * j + 1] = b[j, i, 1]


@proc
def returned(m: size, n: size, t: [R][n, 2 * m], b: [R][m, n, 2]):
    """B := T^T"""
    assert stride(b, 2) == 1 and stride(t, 1) == 1
    if stride(b, 1) == 2:
        returned_forward(m, n, t, b)
    elif stride(b, 1) == -2:
        returned_back(m, n, t, b)
    else:
        for j in seq(0, m):
            for i in seq(0, n):
                b[j, i, 0] = t[i, 2 * j]
                b[j, i, 1] = t[i, 2 * j + 1]


RIGHT = """
def NAME_turned(
    m: size, n: size, h: size, unit: bool, far: bool, s: R, alpha: [R][2], a: [R][n, n, 2], t: [R][n, 2 * h],
    b: [R][m, n, 2]
):
    assert stride(a, 2) == 1 and stride(b, 2) == 1 and stride(t, 1) == 1
    assert m <= h or {TURNED} <= h
    for io in seq(0, (m + {TURNED} - 1) / {TURNED}):
        i = {TURNED} * io
        g = min({TURNED}, m - {TURNED} * io)
        turned(g, n, b[i : i + g, 0:n, 0:2], t[0:n, 0 : 2 * g])
        NAME_left(n, g, unit, far, True, s, alpha, a, t[0:n, 0 : 2 * g])
        returned(g, n, t[0:n, 0 : 2 * g], b[i : i + g, 0:n, 0:2])

def NAME_right(m: size, n: size, unit: bool, far: bool, s: R, alpha: [R][2], a: [R][n, n, 2], b: [R][m, n, 2]):
    assert stride(a, 2) == 1 and stride(b, 2) == 1
    if n <= {STRIP} / 2:
        few: R[n, 2 * min(m, {TURNED}) + {APART}] @ BLOCK
        NAME_turned(m, n, min(m, {TURNED}), unit, far, s, alpha, a, few[0:n, 0 : 2 * min(m, {TURNED})], b)
    else:
        t: R[n, 2 * min(m, {TURNED}) + {APART}] @ KEPT
        NAME_turned(m, n, min(m, {TURNED}), unit, far, s, alpha, a, t[0:n, 0 : 2 * min(m, {TURNED})], b)
"""
"""B^T := alpha A B^T, or alpha A^-1 B^T"""
FROM_RIGHT = written_for(RIGHT, {**FROM_LEFT, turned.name(): turned, returned.name(): returned})
trmm_right, trsm_right = FROM_RIGHT["trmm_right"], FROM_RIGHT["trsm_right"]

# -- kernels ------------------------------------------------------------------------------------------


def four_rows(precision: str, machine: Machine) -> Op:
    """What the programs of four rows are scheduled by."""
    return at("for j in _: _", optimize_pairs(machine, precision, 1))


OWN: Mapping[str, Plan] = {
    **dict.fromkeys(FOURS, four_rows),
    "turned_forward": partial(turning, "t", "b", (0, 0), ""),
    "turned_back": partial(turning, "t", "b", (0, 0), "b"),
    "returned_forward": partial(turning, "b", "t", (0, 0), ""),
    "returned_back": partial(turning, "b", "t", (0, 0), "b"),
}
"""Loops that are only here, with what each is scheduled by."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return kernels_of((trmm_left, trmm_right, trsm_left, trsm_right), {**LEAVES, **OWN}, instructions)
