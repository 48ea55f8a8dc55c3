"""Level 3, triangular: naive programs of products with a triangle, and of systems, and their kernels.

A program is about `m` rows of B beside `k` other rows, which products of these are added to or taken from: those that
are known already of a system, or that are still as they were of a product. So a program is its own micro-kernel: of all
rows k is 0, and of a few of them k is how many others they need.
"""

from __future__ import annotations

from functools import partial
from itertools import product

from exo_strat import *
from exo_strat import direct
from strategies.blas import triangles
from strategies.blas.calls import with_plan

from .calls import as_call_of, product_add, product_less
from .kernel import LETTERS, Kernel, named_for, typed
from .parts import Part, all_of, written


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

WIDTH = {"f32": 256, "f64": 128}
"""Columns of a strip, whose rows stay near while others are computed from them."""

FEW, FEW_COLUMNS = 32, 64
"""Rows of a strip on the stack, and its columns."""

STRIP = """
def {name}_strip(m: size, n: size, near: index, alpha: R, a: [R][m, m], b: [R][{extents}]):
    assert n <= {width}
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if m <= {few}:
        few(m, n, alpha, a[0:m, 0:m], {all})
    else:
        for {order}:
            if {depth} * io + {depth} <= m:
                {full}
            else:
                {last}
"""

WHOLE = """
def {name}(m: size, n: size, near: index, shared: index, alpha: R, a: [R][m, m], b: [R][{extents}]):
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if n >= {twice} and m * n >= shared:
        for jo in par(0, (n + {width} - 1) / {width}):
            if {width} * jo + {width} <= n:
                strip(m, {width}, near, alpha, a[0:m, 0:m], {full})
            else:
                strip(m, n - {width} * jo, near, alpha, a[0:m, 0:m], {last})
    else:
        for jo in seq(0, (n + {width} - 1) / {width}):
            if {width} * jo + {width} <= n:
                strip(m, {width}, near, alpha, a[0:m, 0:m], {full})
            else:
                strip(m, n - {width} * jo, near, alpha, a[0:m, 0:m], {last})
"""


def part(across: bool, rows: str, columns: str) -> str:
    """Some rows and columns of B, which is handed over turned if it is across."""
    return f"b[{columns}, {rows}]" if across else f"b[{rows}, {columns}]"


def in_blocks(program: Proc, precision: str, across: bool, rows: Proc, few: Proc) -> Proc:
    """A program on a strip of columns, by blocks of rows: a product of what is beside a triangle, and the triangle."""
    lower, solves = "lower" in program.name(), program in SYSTEMS

    def block(lo: str, hi: str, count: str) -> str:
        first, last, more = ("0", lo, f"{lo} > 0") if lower else (hi, "m", f"{hi} < m")
        mine, theirs = part(across, f"{lo}:{hi}", "0:n"), part(across, f"{first}:{last}", "0:n")
        triangle = f"({count}, n, {{}}, a[{lo}:{hi}, {lo}:{hi}], {mine})"
        product = f"product({count}, n, {last} - ({first}), alpha, a[{lo}:{hi}, {first}:{last}], {theirs}, {mine})"
        scaled, known = f"rows{triangle.format('alpha')}", f"rows{triangle.format('1.0')}"
        lines = [f"if {more}:", f"    {product}", f"    {known}", "else:", f"    {scaled}"]
        return f"\n{' ' * 16}".join(lines if solves else [scaled, *lines[:2]])

    blocks = f"(m + {DEPTH} - 1) / {DEPTH}"
    source = STRIP.format(
        name=named_for(precision, program.name(), "right" if across else "left"),
        width=WIDTH[precision],
        depth=DEPTH,
        few=FEW if across else "near",
        all=part(across, "0:m", "0:n"),
        extents="n, m" if across else "m, n",
        order=f"io in seq(0, {blocks})" if lower == solves else f"io in seq({blocks} - 1, -1, -1)",
        full=block(f"{DEPTH} * io", f"{DEPTH} * io + {DEPTH}", str(DEPTH)),
        last=block(f"{DEPTH} * io", "m", f"m - {DEPTH} * io"),
    )
    product = as_call_of(product_less if solves else product_add, precision, "bc" if across else "")
    return written(source, precision, {"rows": rows, "few": few, "product": product})


def in_strips(name: str, precision: str, across: bool, strip: Proc) -> Proc:
    """A program on all columns by strips, which threads share if there is enough to do."""
    width = WIDTH[precision]
    source = WHOLE.format(
        name=name,
        width=width,
        twice=2 * width,
        extents="n, m" if across else "m, n",
        full=part(across, "0:m", f"{width} * jo:{width} * jo + {width}"),
        last=part(across, "0:m", f"{width} * jo:n"),
    )
    return written(source, precision, {"strip": strip})


ROUTINE = """
def {name}(m: size, n: size, near: index, shared: index, upper: bool, unit: bool, alpha: R, a: [R][m, m],
    b: [R][{extents}]):
    assert stride(b, 1) == 1
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    if upper:
        if unit:
            upper_unit({arguments})
        else:
            upper_any({arguments})
    elif unit:
        lower_unit({arguments})
    else:
        lower_any({arguments})
"""


def whole_of(program: Proc, precision: str, across: bool) -> Part:
    """The blocked form of a program, from the left, or across, from the right, with B turned."""
    name = named_for(precision, program.name(), "right" if across else "left")
    tile = typed(program, precision, named_for(precision, program.name()))
    rows = direct.transpose(tile, "b") if across else tile
    rows = schedule(seq(rename(f"{name}_rows"), partial_eval(k=0), add_assertion("stride(b, 1) == 1")), rows)
    tile = direct.add_assertion(tile, "stride(b, 1) == 1")
    near = schedule(seq(add_assertion(f"m <= {DEPTH}"), add_assertion(f"n <= {WIDTH[precision]}")), rows)
    few = schedule(seq(rename(f"{name}_few"), add_assertion(f"m <= {FEW}") if across else identity), rows)
    strip = in_blocks(program, precision, across, near, few)
    return Part(in_strips(name, precision, across, strip), partial(plan, precision, across, tile, near, few, strip))


def plan(precision: str, across: bool, tile: Proc, rows: Proc, few: Proc, strip: Proc, machine: Machine) -> Op:
    """What a program is scheduled by: the calls of its parts become those of what plans make of them."""
    big = triangles.tile_of(machine, precision)
    rows_plan = triangles.in_panels(tile, big, WIDTH[precision], across)
    few_plan = triangles.on_stack(tile, big, FEW, FEW_COLUMNS) if across else triangles.in_place(tile, big)
    return with_plan(strip, seq(with_plan(few, few_plan), with_plan(rows, rows_plan)))


def kernel(programs: tuple[Proc, ...], precision: str, across: bool) -> Kernel:
    """The kernel of programs on a lower and an upper triangle, without and with a unit diagonal."""
    names = ("lower_any", "lower_unit", "upper_any", "upper_unit")
    wholes = tuple(whole_of(program, precision, across) for program in programs)
    name = named_for(precision, programs[0].name().partition("_")[0], "right" if across else "left")
    arguments = f"m, n, near, shared, alpha, a[0:m, 0:m], {part(across, '0:m', '0:n')}"
    source = ROUTINE.format(name=name, extents="n, m" if across else "m, n", arguments=arguments)
    env = dict(zip(names, (w.program for w in wholes), strict=True))
    return Kernel(name, precision, written(source, precision, env), partial(all_of, wholes))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(kernel(*each) for each in product((SYSTEMS, PRODUCTS), LETTERS, (False, True)))
