"""Level 3, triangular: naive programs of products with a triangle, and of systems, and their kernels.

A program is about `m` rows of B beside `k` other rows, which products of these are added to or taken from: those that
are known already of a system, or that are still as they were of a product. So a program is its own micro-kernel: of all
rows k is 0, and of a few of them k is how many others they need.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import product

from exo_strat import *
from exo_strat import direct
from strategies.blas import triangles
from strategies.blas.calls import with_plan

from .calls import as_call_of, product_add, product_less
from .kernel import LETTERS, Kernel, named_for, typed
from .level1 import LEAST
from .level3 import matrix_turn, turned
from .parts import MANY, PAD, Part, all_of, written
from .storage import KEPT, ROOM


@proc
def trsm_lower(m: size, n: size, k: index, alpha: R, d: [R][m], a: [R][m, k + m], b: [R][k + m, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(0, m):
            t: R
            t = alpha * b[k + i, j]
            for p in seq(0, k + i):
                t += -a[i, p] * b[p, j]
            b[k + i, j] = t * d[i]


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
def trsm_upper(m: size, n: size, k: index, alpha: R, d: [R][m], a: [R][m, m + k], b: [R][m + k, n]):
    assert k >= 0
    for j in seq(0, n):
        for i in seq(m - 1, -1, -1):
            t: R
            t = alpha * b[i, j]
            for p in seq(i + 1, m + k):
                t += -a[i, p] * b[p, j]
            b[i, j] = t * d[i]


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


# Of a diagonal whose inverse has not all its bits, which is seldom, quotients are taken instead.


@proc
def quotients_lower(m: size, n: size, alpha: R, a: [R][m, m], b: [R][m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            b[i, j] = alpha * b[i, j]
        for p in seq(0, i):
            for j in seq(0, n):
                b[i, j] += -a[i, p] * b[p, j]
        for j in seq(0, n):
            b[i, j] = b[i, j] / a[i, i]


@proc
def quotients_upper(m: size, n: size, alpha: R, a: [R][m, m], b: [R][m, n]):
    for i in seq(m - 1, -1, -1):
        for j in seq(0, n):
            b[i, j] = alpha * b[i, j]
        for p in seq(i + 1, m):
            for j in seq(0, n):
                b[i, j] += -a[i, p] * b[p, j]
        for j in seq(0, n):
            b[i, j] = b[i, j] / a[i, i]


SYSTEMS = (trsm_lower, trsm_lower_unit, trsm_upper, trsm_upper_unit)
PRODUCTS = (trmm_lower, trmm_lower_unit, trmm_upper, trmm_upper_unit)

DEPTH = 512
"""Rows of a block: so many columns of them as a block of a product has stay in the second cache."""

WIDTH = {"f32": 256, "f64": 128}
"""Columns of a strip, whose rows stay near while others are computed from them."""

FEW, FEW_COLUMNS = 32, 64
"""Rows of a strip on the stack, and its columns."""

PIECE = 64
"""Rows of A that are turned together: of a triangle, few more elements than it has."""

BLOCKED = """
def T_triangle(m: size, n: size, near: index, alpha: R, d: [R][m], a: [R][m, m], b: [R][m; n]):
    assert m <= DEPTH and n <= WIDTH
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if m <= {few}:
        few(m, n, alpha, d[0:m], a[0:m, 0:m], b[0:m; 0:n])
    else:
        rows(m, n, alpha, d[0:m], a[0:m, 0:m], b[0:m; 0:n])

def T_strip(m: size, n: size, k: index, near: index, alpha: R, d: [R][m], a: [R][m, k + m], b: [R][k + m; n]):
    assert k >= 0
    assert m <= DEPTH and n <= WIDTH
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    {strip}

def T_strips(
    m: size, n: size, k: index, near: index, many: bool, alpha: R, d: [R][m], a: [R][m, k + m], b: [R][k + m; n]
):
    assert k >= 0
    assert m <= DEPTH
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if many:
        for jo in par(0, (n + WIDTH - 1) / WIDTH):
            if WIDTH * jo + WIDTH <= n:
                T_strip(m, WIDTH, k, near, alpha, d[0:m], a[0:m, 0:k + m], b[0:k + m; WIDTH * jo:WIDTH * jo + WIDTH])
            else:
                T_strip(m, n - WIDTH * jo, k, near, alpha, d[0:m], a[0:m, 0:k + m], b[0:k + m; WIDTH * jo:n])
    else:
        for jo in seq(0, (n + WIDTH - 1) / WIDTH):
            if WIDTH * jo + WIDTH <= n:
                T_strip(m, WIDTH, k, near, alpha, d[0:m], a[0:m, 0:k + m], b[0:k + m; WIDTH * jo:WIDTH * jo + WIDTH])
            else:
                T_strip(m, n - WIDTH * jo, k, near, alpha, d[0:m], a[0:m, 0:k + m], b[0:k + m; WIDTH * jo:n])

def T_turned(m: size, k: index, a: [R][m, k + m], t: [R][m, k + m]):
    assert k >= 0
    assert stride(a, 0) == 1
    assert stride(t, 1) == 1
    for io in seq(0, (m + PIECE - 1) / PIECE):
        if PIECE * io + PIECE <= m:
            turn(PIECE, {end} - ({first}), a[PIECE * io:PIECE * io + PIECE, {first}:{end}],
                t[PIECE * io:PIECE * io + PIECE, {first}:{end}])
        else:
            turn(m - PIECE * io, k + m - ({first}), a[PIECE * io:m, {first}:k + m], t[PIECE * io:m, {first}:k + m])

def T_block(
    m: size, n: size, k: index, near: index, far: index, many: bool, alpha: R, d: [R][m], a: [R][m, k + m],
    b: [R][k + m; n]
):
    assert k >= 0
    assert m <= DEPTH
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if stride(a, 1) != 1 and k + m >= far and n >= MANY:
        t: R[m, k + m + PAD] @ KEPT
        T_turned(m, k, a[0:m, 0:k + m], t[0:m, 0:k + m])
        T_strips(m, n, k, near, many, alpha, d[0:m], t[0:m, 0:k + m], b[0:k + m; 0:n])
    else:
        T_strips(m, n, k, near, many, alpha, d[0:m], a[0:m, 0:k + m], b[0:k + m; 0:n])

def T(
    m: size, n: size, near: index, far: index, shared: index, alpha: R, d: [R][m], a: [R][m, m], b: [R][m; n]
):
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if m <= {few} and n <= WIDTH:
        few(m, n, alpha, d[0:m], a[0:m, 0:m], b[0:m; 0:n])
    else:
        many = n >= 2 * WIDTH and m * n >= shared
        for {order}:
            if DEPTH * io + DEPTH <= m:
                {block}
            else:
                {last}
"""
"""A program by blocks of rows, and those by strips of columns, which threads share: a product with what is beside the
triangle, and the triangle. If the columns of A are of neighbours, the rows of a tile are a line of each: more than are
in the nearest cache, or in a set of it. So the part of a `far` block is copied to rows, once for all strips. `d` are
the inverses of the diagonal, of systems that have another one than 1. Of B, rows are before the semicolon."""


def across_or_not(source: str, across: bool) -> str:
    """Text in which B is handed over by rows, or turned, across.

    >>> across_or_not("b[0:m; 0:n]", False), across_or_not("b[0:m; 0:n]", True)
    ('b[0:m, 0:n]', 'b[0:n, 0:m]')
    """
    return re.sub(r"\[([^\[\];]*); ([^\[\];]*)\]", r"[\2, \1]" if across else r"[\1, \2]", source)


def blocked(program: Proc, precision: str, across: bool, **parts: Proc) -> Proc:
    """The blocked form of a program, which calls these `parts`."""
    lower, solves = "lower" in program.name(), program in SYSTEMS
    blocks = "(m + DEPTH - 1) / DEPTH"
    mine, others = ("k:k + m", "0:k") if lower else ("0:m", "m:k + m")
    triangle = f"T_triangle(m, n, near, {{}}, d[0:m], a[0:m, {mine}], b[{mine}; 0:n])"
    product = f"product(m, n, k, alpha, a[0:m, {others}], b[{others}; 0:n], b[{mine}; 0:n])"
    scaled, known = triangle.format("alpha"), triangle.format("1.0")
    lines = ["if k > 0:", f"    {product}", f"    {known}", "else:", f"    {scaled}"]

    def block(lo: str, hi: str, count: str) -> str:
        columns, k = (f"0:{hi}", lo) if lower else (f"{lo}:m", f"m - ({hi})")
        windows = f"d[{lo}:{hi}], a[{lo}:{hi}, {columns}], b[{columns}; 0:n]"
        return f"T_block({count}, n, {k}, near, far, many, alpha, {windows})"

    source = BLOCKED.format(
        few=FEW if across else "near",
        strip="\n    ".join(lines if solves else [scaled, *lines[:2]]),
        first="0" if lower else "PIECE * io",
        end="k + PIECE * io + PIECE" if lower else "k + m",
        order=f"io in seq(0, {blocks})" if lower == solves else f"io in seq({blocks} - 1, -1, -1)",
        block=block("DEPTH * io", "DEPTH * io + DEPTH", "DEPTH"),
        last=block("DEPTH * io", "m", "m - DEPTH * io"),
    )
    parts["product"] = as_call_of(product_less if solves else product_add, precision, "bc" if across else "")
    name = named_for(precision, program.name(), "right" if across else "left")
    numbers = {"DEPTH": DEPTH, "WIDTH": WIDTH[precision], "PIECE": PIECE, "MANY": MANY, "PAD": PAD[precision]}
    source = re.sub(r"\bT(?=_|\()", name, across_or_not(source, across))
    if all(a.name() != "d" for a in program.args()):
        source = re.sub(r" d(: \[R\])?\[[^\]]*\],", "", source)
    return written(source, precision, {**parts, **numbers, "KEPT": KEPT})


ROUTINE = """
def T(
    m: size, n: size, near: index, far: index, shared: index, upper: bool, unit: bool, alpha: R, a: [R][m, m],
    b: [R][m; n]
):
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if unit:
        if upper:
            upper_unit(m, n, near, far, shared, alpha, a[0:m, 0:m], b[0:m; 0:n])
        else:
            lower_unit(m, n, near, far, shared, alpha, a[0:m, 0:m], b[0:m; 0:n])
    else:
        {any}
"""

PRODUCT = """if upper:
            upper_any(m, n, near, far, shared, alpha, a[0:m, 0:m], b[0:m; 0:n])
        else:
            lower_any(m, n, near, far, shared, alpha, a[0:m, 0:m], b[0:m; 0:n])"""

INVERSES = """
def T_inverses(m: size, a: [R][m, m], d: [R][m], whole: R):
    whole = 1.0
    for i in seq(0, m):
        d[i] = 1.0 / a[i, i]
        x: R
        x = abs(a[i, i])
        if x < LEAST or x > MOST:
            whole = 0.0
"""

SYSTEM = """d: R[m] @ ROOM
        whole: R
        T_inverses(m, a[0:m, 0:m], d[0:m], whole)
        if whole == 0.0:
            if upper:
                quotients_upper(m, n, alpha, a[0:m, 0:m], b[0:m; 0:n])
            else:
                quotients_lower(m, n, alpha, a[0:m, 0:m], b[0:m; 0:n])
        elif upper:
            upper_any(m, n, near, far, shared, alpha, d[0:m], a[0:m, 0:m], b[0:m; 0:n])
        else:
            lower_any(m, n, near, far, shared, alpha, d[0:m], a[0:m, 0:m], b[0:m; 0:n])"""
"""What is done with a diagonal that is another one than 1. A system multiplies with its inverses, if they and what they
are of have all their bits: a product takes a fraction of the time of a quotient, which others wait for."""


def whole_of(program: Proc, precision: str, across: bool) -> Part:
    """The blocked form of a program, from the left, or across, from the right, with B turned."""
    name = named_for(precision, program.name(), "right" if across else "left")
    tile = typed(program, precision, named_for(precision, program.name()))
    rows = direct.transpose(tile, "b") if across else tile
    rows = schedule(seq(rename(f"{name}_rows"), partial_eval(k=0), add_assertion("stride(b, 1) == 1")), rows)
    tile = direct.add_assertion(tile, "stride(b, 1) == 1")
    near = schedule(seq(add_assertion(f"m <= {DEPTH}"), add_assertion(f"n <= {WIDTH[precision]}")), rows)
    few = schedule(seq(rename(f"{name}_few"), add_assertion(f"m <= {FEW}") if across else identity), rows)
    turn = typed(matrix_turn, precision, named_for(precision, "matrix_turn"))
    whole = blocked(program, precision, across, rows=near, few=few, turn=turn)
    return Part(whole, partial(plan, precision, across, tile, near, few, turn))


def plan(precision: str, across: bool, tile: Proc, rows: Proc, few: Proc, turn: Proc, machine: Machine) -> Op:
    """What a program is scheduled by: the calls of its parts become those of what plans make of them."""
    big = triangles.tile_of(machine, precision)
    rows_plan = triangles.in_panels(tile, big, WIDTH[precision], across)
    few_plan = triangles.on_stack(tile, big, FEW, FEW_COLUMNS) if across else triangles.in_place(tile, big)
    return seq(with_plan(few, few_plan), with_plan(rows, rows_plan), with_plan(turn, turned(precision, machine)))


def kernel(programs: tuple[Proc, ...], precision: str, across: bool) -> Kernel:
    """The kernel of programs on a lower and an upper triangle, without and with a unit diagonal."""
    parts = ("lower_any", "lower_unit", "upper_any", "upper_unit")
    wholes = tuple(whole_of(program, precision, across) for program in programs)
    name = named_for(precision, programs[0].name().partition("_")[0], "right" if across else "left")
    known: dict[str, object] = dict(zip(parts, (w.program for w in wholes), strict=True))
    source = ROUTINE.format(any=PRODUCT)
    if programs is SYSTEMS:
        source = INVERSES + ROUTINE.format(any=SYSTEM)
        known |= {"ROOM": ROOM, "LEAST": LEAST[precision], "MOST": 1 / LEAST[precision]}
        for program in (quotients_lower, quotients_upper):
            mine = typed(program, precision, named_for(precision, program.name(), "right" if across else "left"))
            known[program.name()] = direct.transpose(mine, "b") if across else mine
    source = re.sub(r"\bT(?=_|\()", name, across_or_not(source, across))
    return Kernel(name, precision, written(source, precision, known), partial(all_of, wholes))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(kernel(*each) for each in product((SYSTEMS, PRODUCTS), LETTERS, (False, True)))
