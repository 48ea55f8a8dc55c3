"""Level 3, updates of rank k: naive programs of products of which one triangle is wanted, and their kernels."""

from __future__ import annotations

from functools import partial
from itertools import product

from exo_strat import *
from exo_strat import direct
from strategies.blas.calls import with_plan
from strategies.blas.halves import optimize_half, optimize_half_across
from strategies.blas.level1 import optimize_level_1
from strategies.blas.level3 import DEPTH
from strategies.blas.symmetric import moved

from .calls import as_call_of, product_add, product_new
from .kernel import LETTERS, Kernel, named_for, typed
from .level3 import gemm, gemm_new, matrix_turn, turned
from .parts import MANY, PAD, Part, all_of, written
from .storage import KEPT, NEAR


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
def {name}(n: size, k: size, shared: index, lower: bool, alpha: R, beta: R, {arguments}, c: [R][n, n]):
{known}
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
            {part}_lower(n, k, shared, alpha, {windows}, c[0:n, 0:n])
        else:
            {part}_upper(n, k, shared, alpha, {windows}, c[0:n, 0:n])
"""

ALONG = """
def {name}_turned(n: size, k: size, shared: index, lower: bool, alpha: R, beta: R, {left}, c: [R][n, n]):
{by_columns}    assert stride(c, 1) == 1
    assert k <= DEPTH
{copies}    across(n, k, shared, lower, alpha, beta, {turned}, c[0:n, 0:n])

def {name}(n: size, k: size, far: index, shared: index, lower: bool, alpha: R, beta: R, {all}, c: [R][n, n]):
{by_columns}{by_rows}    assert stride(c, 1) == 1
    if k < far or n < MANY:
        in_place(n, k, shared, lower, alpha, beta, {given}, c[0:n, 0:n])
    elif alpha == 0.0:
        in_place(n, k, shared, lower, alpha, beta, {given}, c[0:n, 0:n])
    else:
        {name}_turned(n, min(k, DEPTH), shared, lower, alpha, beta, {first}, c[0:n, 0:n])
        for po in seq(1, (k + DEPTH - 1) / DEPTH):
            {name}_turned(n, min(k - DEPTH * po, DEPTH), shared, lower, alpha, 1.0, {block}, c[0:n, 0:n])
"""
COPY = """    copy_{0}: R[n, k + {pad}] @ KEPT
    turn(n, k, {0}[0:n, 0:k], copy_{0}[0:n, 0:k])
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


TWICE = """
def {name}_square(m: size, k: size, alpha: R, a: [R][m, k], tb: [R][{extents}], c: [R][m, m]):
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    assert stride(tb, 1) == 1
    assert stride(c, 1) == 1
    s: R[m, m]
    t: R[m, m]
    product(m, m, k, alpha, a[0:m, 0:k], {all}, s[0:m, 0:m])
    for x in seq(0, m):
        for y in seq(0, m):
            t[x, y] = s[y, x]
    for i in seq(0, m):
        for j in seq({first}, {end}):
            c[i, j] += s[i, j] + t[i, j]
"""
BOTH = """
def {name}(n: size, k: size, shared: index, alpha: R, a: [R][n, k], b: [R][n, k], ta: [R][{extents}],
    tb: [R][{extents}], c: [R][n, n]):
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    assert stride(b, 0) == 1 or stride(b, 1) == 1
    assert stride(ta, 1) == 1
    assert stride(tb, 1) == 1
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
SQUARE_OF_BOTH = """square({count}, k, alpha, a[{lo}:{hi}, 0:k], {tb}, c[{lo}:{hi}, {lo}:{hi}])
                if {more}:
                    product({others}, {count}, k, alpha, a[{rows}, 0:k], {tb}, c[{rows}, {lo}:{hi}])
                    product({others}, {count}, k, alpha, b[{rows}, 0:k], {ta}, c[{rows}, {lo}:{hi}])"""


def both_of(lower: bool, precision: str, across: bool) -> Part:
    """A product and its transposed, of which a half is wanted, by columns of blocks: of the square of the diagonal
    there is one product, whose transposed is added, too."""
    width, extents = WIDTH[precision], "n, k" if across else "k, n"

    def turned(x: str, columns: str) -> str:
        return f"{x}[{columns}, 0:k]" if across else f"{x}[0:k, {columns}]"

    def block(hi: str, count: str) -> str:
        lo = f"{width} * jo"
        return SQUARE_OF_BOTH.format(
            count=count, lo=lo, hi=hi, ta=turned("ta", f"{lo}:{hi}"), tb=turned("tb", f"{lo}:{hi}"),
            more=f"{hi} < n" if lower else "jo > 0", others=f"n - ({hi})" if lower else lo,
            rows=f"{hi}:n" if lower else f"0:{lo}",
        )  # fmt: skip

    name = named_for(precision, f"both_{'lower' if lower else 'upper'}", "across" if across else "along")
    ends = {"first": "0", "end": "i + 1"} if lower else {"first": "i", "end": "m"}
    source = TWICE.format(name=name, extents=extents.replace("n", "m"), all=turned("tb", "0:m"), **ends)
    new, add = (as_call_of(p, precision, "b" if across else "") for p in (product_new, product_add))
    square = written(source, precision, {"product": new})
    source = BOTH.format(
        name=name, extents=extents, width=width, twice=2 * width,
        full=block(f"{width} * jo + {width}", str(width)), last=block("n", f"n - {width} * jo"),
    )  # fmt: skip
    whole = written(source, precision, {"square": square, "product": add})
    return Part(whole, partial(plan_of_both, precision, square))


def plan_of_both(precision: str, square: Proc, machine: Machine) -> Op:
    """What it is scheduled by."""
    rows = at("for j in _: _", optimize_level_1(machine, precision))
    near = (at(f"{x}: _", set_memory(NEAR)) for x in "st")
    return with_plan(square, seq(rows, at("for x in _: _", moved(machine, precision)), *near))


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


ANY = "    assert stride({0}, 0) == 1 or stride({0}, 1) == 1"
ROWS = "    assert stride({0}, 1) == 1"


def kernel(precision: str, across: bool, both: bool) -> Kernel:
    """The kernel of an update of a lower or an upper half, where the matrices are: beta C and alpha A B, or `both` that
    and its transposed; of right operands by rows, or across, which are handed over turned."""
    name = named_for(precision, "rank_2k" if both else "rank_k", "across" if across else "along_in_place")
    left, right = (("a", "b"), ("ta", "tb")) if both else (("a",), ("b",))
    shapes = dict.fromkeys(left, "n, k") | dict.fromkeys(right, "n, k" if across else "k, n")
    whole = {x: "0:n, 0:k" if shape == "n, k" else "0:k, 0:n" for x, shape in shapes.items()}
    source = ROUTINE.format(
        name=name,
        part="both" if both else "half",
        arguments=", ".join(f"{x}: [R][{shape}]" for x, shape in shapes.items()),
        known="\n".join([*(ANY.format(x) for x in left), *(ROWS.format(x) for x in right)]),
        windows=", ".join(f"{x}[{all_of_it}]" for x, all_of_it in whole.items()),
    )
    if both:
        parts = {f"both_{half}": both_of(half == "lower", precision, across) for half in ("lower", "upper")}
    else:
        parts = {p.name(): half_of(p, precision, across) for p in (half_lower, half_upper)}
    parts |= {p.name(): scaled_of(p, precision) for p in (scale_lower, scale_upper, zero_lower, zero_upper)}
    program = written(source, precision, {name: part.program for name, part in parts.items()})
    return Kernel(name, precision, program, partial(all_of, tuple(parts.values())))


def along(precision: str, both: bool, across: Kernel, in_place: Kernel) -> Kernel:
    """The kernel of right operands by rows, and of left ones, by columns: these are turned, if they are large, and that
    for both by rows is called."""
    name = named_for(precision, "rank_2k" if both else "rank_k", "along")
    left, right = (("a", "b"), ("ta", "tb")) if both else (("a",), ("b",))
    source = ALONG.format(
        name=name,
        pad=PAD[precision],
        left=", ".join(f"{x}: [R][n, k]" for x in left),
        all=", ".join([*(f"{x}: [R][n, k]" for x in left), *(f"{x}: [R][k, n]" for x in right)]),
        by_columns="".join(f"    assert stride({x}, 0) == 1\n" for x in left),
        by_rows="".join(f"    assert stride({x}, 1) == 1\n" for x in right),
        copies="".join(COPY.format(x, pad=PAD[precision]) for x in left),
        turned=", ".join([f"copy_{x}[0:n, 0:k]" for x in left] * 2),
        first=", ".join(f"{x}[0:n, 0:min(k, DEPTH)]" for x in left),
        block=", ".join(f"{x}[0:n, DEPTH * po:DEPTH * po + min(k - DEPTH * po, DEPTH)]" for x in left),
        given=", ".join([*(f"{x}[0:n, 0:k]" for x in left), *(f"{x}[0:k, 0:n]" for x in right)]),
    )
    turn = typed(matrix_turn, precision, named_for(precision, "matrix_turn"))
    known = {"across": across.program, "in_place": in_place.program, "turn": turn, "KEPT": KEPT}
    program = written(source, precision, {**known, "DEPTH": DEPTH, "MANY": MANY})
    return Kernel(name, precision, program, partial(copied, precision, turn), (across, in_place), alike=True)


def copied(precision: str, turn: Proc, machine: Machine) -> Op:
    """What copies that are turned are scheduled by."""
    return with_plan(turn, turned(precision, machine))


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
    return tuple(k for precision, both in product(LETTERS, (False, True)) for k in ways(precision, both))


def ways(precision: str, both: bool) -> tuple[Kernel, ...]:
    """The kernels of an update, of which the last one calls the others."""
    across, in_place = kernel(precision, True, both), kernel(precision, False, both)
    return across, in_place, along(precision, both, across, in_place)
