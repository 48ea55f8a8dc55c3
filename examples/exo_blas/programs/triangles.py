"""Level 3, triangular: naive programs of products with a triangle, and of systems, and their kernels.

A program is about `m` rows of B beside `k` other rows, which products of these are added to or taken from: those that
are known already of a system, or that are still as they were of a product. So a program is its own micro-kernel: of all
rows k is 0, and of a few of them k is how many others they need.
"""

from __future__ import annotations

import re

from exo_strat import *

from .calls import as_call_of, product_add, product_less


@proc
def trsm_lower(m: size, n: size, k: index, alpha: R, a: [R][m, k + m], b: [R][k + m, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = alpha * b[k + i, j]
            for p in seq(0, k + i):
                t += -a[i, p] * b[p, j]
            b[k + i, j] = t / a[i, k + i]


@proc
def trsm_lower_unit(m: size, n: size, k: index, alpha: R, a: [R][m, k + m], b: [R][k + m, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = alpha * b[k + i, j]
            for p in seq(0, k + i):
                t += -a[i, p] * b[p, j]
            b[k + i, j] = t


@proc
def trsm_upper(m: size, n: size, k: index, alpha: R, a: [R][m, m + k], b: [R][m + k, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(m - 1, -1, -1):
            t: R
            t = alpha * b[i, j]
            for p in seq(i + 1, m + k):
                t += -a[i, p] * b[p, j]
            b[i, j] = t / a[i, i]


@proc
def trsm_upper_unit(m: size, n: size, k: index, alpha: R, a: [R][m, m + k], b: [R][m + k, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(m - 1, -1, -1):
            t: R
            t = alpha * b[i, j]
            for p in seq(i + 1, m + k):
                t += -a[i, p] * b[p, j]
            b[i, j] = t


@proc
def trmm_lower(m: size, n: size, k: index, alpha: R, a: [R][m, k + m], b: [R][k + m, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(m - 1, -1, -1):
            t: R
            t = a[i, k + i] * b[k + i, j]
            for p in seq(0, k + i):
                t += a[i, p] * b[p, j]
            b[k + i, j] = alpha * t


@proc
def trmm_lower_unit(m: size, n: size, k: index, alpha: R, a: [R][m, k + m], b: [R][k + m, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(m - 1, -1, -1):
            t: R
            t = b[k + i, j]
            for p in seq(0, k + i):
                t += a[i, p] * b[p, j]
            b[k + i, j] = alpha * t


@proc
def trmm_upper(m: size, n: size, k: index, alpha: R, a: [R][m, m + k], b: [R][m + k, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = a[i, i] * b[i, j]
            for p in seq(i + 1, m + k):
                t += a[i, p] * b[p, j]
            b[i, j] = alpha * t


@proc
def trmm_upper_unit(m: size, n: size, k: index, alpha: R, a: [R][m, m + k], b: [R][m + k, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = b[i, j]
            for p in seq(i + 1, m + k):
                t += a[i, p] * b[p, j]
            b[i, j] = alpha * t


SYSTEMS = (trsm_lower, trsm_lower_unit, trsm_upper, trsm_upper_unit)
PRODUCTS = (trmm_lower, trmm_lower_unit, trmm_upper, trmm_upper_unit)

DEPTH = 512
"""Rows of a block: so many columns of them as a block of a product has stay in the second cache."""

BLOCKED = """
def {name}_strip(m: size, n: size, alpha: R, a: [R][m, m], b: [R][{extents}]):
    assert n <= {width}
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    for {order}:
        if {depth} * io + {depth} <= m:
            {full}
        else:
            {last}
"""

STRIPS = """
def {name}(m: size, n: size, few: size, shared: size, alpha: R, a: [R][m, m], b: [R][{extents}]):
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if m <= few:
        few_rows(m, n, alpha, a[0:m, 0:m], b[0:{rows}, 0:{columns}])
    else:
        if n >= {twice} and m * n >= shared:
            for jo in par(0, (n + {width} - 1) / {width}):
                if {width} * jo + {width} <= n:
                    {full}
                else:
                    {last}
        else:
            for jo in seq(0, (n + {width} - 1) / {width}):
                if {width} * jo + {width} <= n:
                    {full}
                else:
                    {last}
"""


def part(across: bool, rows: str, columns: str) -> str:
    """Some rows and columns of B, which is handed over turned if it is across."""
    return f"b[{columns}, {rows}]" if across else f"b[{rows}, {columns}]"


def blocked(program: Proc, precision: str, across: bool, width: int, rows: Proc) -> Proc:
    """A program on all rows of some columns, by blocks of rows: products of what is beside a triangle, and the triangle."""
    name, lower = program.name(), "lower" in program.name()
    solves = program in SYSTEMS

    def block(lo: str, hi: str) -> str:
        count = f"{hi} - ({lo})"
        first, last, more = ("0", lo, f"{lo} > 0") if lower else (hi, "m", f"{hi} < m")
        other = f"{last} - ({first})"
        mine, theirs = part(across, f"{lo}:{hi}", "0:n"), part(across, f"{first}:{last}", "0:n")
        beside, triangle = f"a[{lo}:{hi}, {first}:{last}]", f"a[{lo}:{hi}, {lo}:{hi}]"
        product = f"product({count}, n, {other}, alpha, {beside}, {theirs}, {mine})"
        if solves:
            lines = f"""if {more}:
                {product}
                rows({count}, n, 1.0, {triangle}, {mine})
            else:
                rows({count}, n, alpha, {triangle}, {mine})"""
        else:
            lines = f"""rows({count}, n, alpha, {triangle}, {mine})
            if {more}:
                {product}"""
        return lines

    blocks = f"(m + {DEPTH} - 1) / {DEPTH}"
    order = f"io in seq(0, {blocks})" if lower == solves else f"io in seq({blocks} - 1, -1, -1)"
    source = BLOCKED.format(
        name=name, width=width, depth=DEPTH, order=order, extents="n, m" if across else "m, n",
        full=block(f"{DEPTH} * io", f"{DEPTH} * io + {DEPTH}"), last=block(f"{DEPTH} * io", "m"),
    )  # fmt: skip
    product = product_less if solves else product_add
    env = {"rows": rows, "product": as_call_of(product, precision, across)}
    return proc_from_source(re.sub(r"\bR\b", precision, source), env)
