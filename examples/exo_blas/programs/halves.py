"""Level 3, updates of rank k: naive programs of products of which one triangle is wanted, and their kernels."""

from __future__ import annotations

from functools import partial
from itertools import product

from exo_strat import *
from exo_strat import direct
from strategies.blas.halves import optimize_half, optimize_half_across
from strategies.blas.level1 import optimize_level_1
from strategies.blas.level3 import DEPTH
from strategies.blas.triangles import with_plan

from .calls import as_call_of, product_add
from .kernel import LETTERS, Kernel, named_for, typed
from .level3 import gemm, gemm_new
from .parts import Part, all_of, written
from .storage import NEAR


@proc
def half_lower(m: size, k: size, alpha: R, a: [R][m, k], b: [R][k, m], c: [R][m, m]):
    for i in seq(0, m):
        for j in seq(0, i + 1):
            t: R
            t = 0.0
            for p in seq(0, k):
                t += a[i, p] * b[p, j]
            c[i, j] += alpha * t


@proc
def half_upper(m: size, k: size, alpha: R, a: [R][m, k], b: [R][k, m], c: [R][m, m]):
    for i in seq(0, m):
        for j in seq(i, m):
            t: R
            t = 0.0
            for p in seq(0, k):
                t += a[i, p] * b[p, j]
            c[i, j] += alpha * t


@proc
def scale_lower(n: size, beta: R, c: [R][n, n]):
    for i in seq(0, n):
        for j in seq(0, i + 1):
            c[i, j] = beta * c[i, j]


@proc
def scale_upper(n: size, beta: R, c: [R][n, n]):
    for i in seq(0, n):
        for j in seq(i, n):
            c[i, j] = beta * c[i, j]


@proc
def zero_lower(n: size, c: [R][n, n]):
    for i in seq(0, n):
        for j in seq(0, i + 1):
            c[i, j] = 0.0


@proc
def zero_upper(n: size, c: [R][n, n]):
    for i in seq(0, n):
        for j in seq(i, n):
            c[i, j] = 0.0


ROUTINE = """
def {name}(n: size, k: size, shared: index, lower: bool, alpha: R, beta: R, a: [R][n, k],
    b: [R][{extents}], c: [R][n, n]):
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    assert stride(b, 1) == 1
    assert stride(c, 1) == 1
    if beta == 0.0:
        if lower:
            zero_lower(n, c[0:n, 0:n])
        else:
            zero_upper(n, c[0:n, 0:n])
    elif beta != 1.0:
        if lower:
            scale_lower(n, beta, c[0:n, 0:n])
        else:
            scale_upper(n, beta, c[0:n, 0:n])
    if alpha != 0.0:
        if lower:
            half_lower(n, k, shared, alpha, a[0:n, 0:k], {b}, c[0:n, 0:n])
        else:
            half_upper(n, k, shared, alpha, a[0:n, 0:k], {b}, c[0:n, 0:n])
"""

WIDTH = {"f32": 256, "f64": 128}
"""Rows of a square of the diagonal: so many columns of B as stay near."""

BLOCKED = """
def {name}(n: size, k: size, shared: index, alpha: R, a: [R][n, k], b: [R][{extents}], c: [R][n, n]):
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    assert stride(b, 1) == 1
    assert stride(c, 1) == 1
    if n >= {twice} and n * n >= shared:
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
SQUARE = """for po in seq(0, (k + {depth} - 1) / {depth}):
                    if {depth} * po + {depth} <= k:
                        half({count}, {depth}, alpha, a[{lo}:{hi}, {depth} * po:{depth} * po + {depth}], {b}, {c})
                    else:
                        half({count}, k - {depth} * po, alpha, a[{lo}:{hi}, {depth} * po:k], {b_last}, {c})
                if {more}:
                    product({others}, {count}, k, alpha, a[{rows}, 0:k], {b_all}, c[{rows}, {lo}:{hi}])"""


def in_squares(program: Proc, precision: str, across: bool, half: Proc) -> Proc:
    """A program on all of C by columns of blocks: the square of the diagonal, and a product of what is beside it."""
    lower, width = program is half_lower, WIDTH[precision]

    def b(rows: str, columns: str) -> str:
        return f"b[{columns}, {rows}]" if across else f"b[{rows}, {columns}]"

    def block(hi: str, count: str) -> str:
        lo = f"{width} * jo"
        here = f"{lo}:{hi}"
        return SQUARE.format(
            depth=DEPTH, lo=lo, hi=hi, count=count, c=f"c[{here}, {here}]",
            b=b(f"{DEPTH} * po:{DEPTH} * po + {DEPTH}", here), b_last=b(f"{DEPTH} * po:k", here), b_all=b("0:k", here),
            more=f"{hi} < n" if lower else "jo > 0", others=f"n - ({hi})" if lower else lo,
            rows=f"{hi}:n" if lower else f"0:{lo}",
        )  # fmt: skip

    name = named_for(precision, program.name(), "across" if across else "along")
    source = BLOCKED.format(
        name=name, width=width, twice=2 * width, extents="n, k" if across else "k, n",
        full=block(f"{width} * jo + {width}", str(width)), last=block("n", f"n - {width} * jo"),
    )  # fmt: skip
    product = as_call_of(product_add, precision, "b" if across else "")
    return written(source, precision, {"half": half, "product": product})


def half_of(program: Proc, precision: str, across: bool) -> Part:
    """The blocked form of a product of which a half is wanted, of a B by rows, or across, handed over turned."""
    half = typed(program, precision, f"{program.name()}_square")
    half = direct.transpose(half, "b") if across else half
    known = ("stride(b, 1) == 1", "stride(c, 1) == 1", f"m <= {WIDTH[precision]}", f"k <= {DEPTH}")
    half = schedule(seq(*map(add_assertion, known)), half)
    return Part(in_squares(program, precision, across, half), partial(plan, precision, across, half))


def scaled_of(program: Proc, precision: str) -> Part:
    """A program that scales a half of C, and what it is scheduled by."""
    mine = direct.add_assertion(typed(program, precision, named_for(precision, program.name())), "stride(c, 1) == 1")
    return Part(mine, partial(rows, precision))


def kernel(precision: str, across: bool) -> Kernel:
    """The kernel of an update of a lower or an upper half: beta C and alpha A B, of a B by rows, or across."""
    name = named_for(precision, "rank_k", "across" if across else "along")
    parts = {p.name(): half_of(p, precision, across) for p in (half_lower, half_upper)}
    parts |= {p.name(): scaled_of(p, precision) for p in (scale_lower, scale_upper, zero_lower, zero_upper)}
    extents, b = ("n, k", "b[0:n, 0:k]") if across else ("k, n", "b[0:k, 0:n]")
    source = ROUTINE.format(name=name, extents=extents, b=b)
    program = written(source, precision, {name: part.program for name, part in parts.items()})
    return Kernel(name, precision, program, partial(all_of, tuple(parts.values())))


def plan(precision: str, across: bool, half: Proc, machine: Machine) -> Op:
    """What such a kernel is scheduled by."""
    tiles = (typed(p, precision, named_for(precision, p.name())) for p in (gemm, gemm_new))
    add, new = (direct.add_assertion(t, "stride(b, 1) == 1") for t in tiles)
    if across:
        return with_plan(half, optimize_half_across(machine, precision, add, new, NEAR))
    return with_plan(half, optimize_half(machine, precision, add, new))


def rows(precision: str, machine: Machine) -> Op:
    """What loops over rows are scheduled by."""
    return at("for j in _: _", optimize_level_1(machine, precision))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(kernel(precision, across) for precision, across in product(LETTERS, (False, True)))
