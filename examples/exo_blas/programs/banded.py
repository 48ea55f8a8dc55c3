"""Level 2, banded: the naive programs of products with a band of a matrix, and their kernels.

Row i of a band is stored next to row i - 1, one element further to the left. So the matrix as a whole is a window whose
rows are one element closer than those of the storage are, of which only the band is there: programs read nothing else,
and write none of it. `gbmv_..`, `sbmv_..`, `tbmv_..` and `tbsv_..` are the naive programs, with k diagonals beside the
main one, or kl below and ku above; their rows are cut where the band leaves the matrix, and the pieces are the kernels.
A row of a `band` has w elements, from its own number on; in `left`, the first column is that of the matrix, in `right`,
the last one. In `symv_..`, `trsv_..` the diagonal is the first of the w elements of an upper band, the last one of a
lower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

from exo_strat import *
from strategies.blas.banded import NARROW, Piece, in_pieces, optimize_band, optimize_narrow_band
from strategies.blas.level1 import optimize_level_1
from strategies.blas.strided import Part, as_function, calls_of, if_else, if_neighbours, near_or_copied

from . import level2
from .kernel import Kernel, kernel_of, named_for
from .level2 import shorter, with_unit_diagonal
from .orientations import SCALED, TRIANGLES, by_half, by_orientation, choice, indented
from .vectors import NEAR


@proc
def band_n(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(i, i + w):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def left_n(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(0, i + w):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def right_n(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = 0.0
        for j in seq(i, m + w - 1):
            t += a[i, j] * x[j]
        y[i] += alpha * t


@proc
def band_trans(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(i, i + w):
            y[j] += t * a[i, j]


@proc
def left_trans(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(0, i + w):
            y[j] += t * a[i, j]


@proc
def right_trans(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        for j in seq(i, m + w - 1):
            y[j] += t * a[i, j]


@proc
def symv_band_u(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i]
        u: R
        u = 0.0
        for j in seq(i + 1, i + w):
            y[j] += t * a[i, j]
            u += a[i, j] * x[j]
        y[i] += t * a[i, i] + alpha * u


@proc
def symv_band_l(m: size, w: size, alpha: R, a: [R][m, m + w - 1], x: [R][m + w - 1], y: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = alpha * x[i + w - 1]
        u: R
        u = 0.0
        for j in seq(i, i + w - 1):
            y[j] += t * a[i, j]
            u += a[i, j] * x[j]
        y[i + w - 1] += t * a[i, i + w - 1] + alpha * u


@proc
def trsv_band_ln(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[i + w - 1]
        for j in seq(i, i + w - 1):
            t += -a[i, j] * x[j]
        x[i + w - 1] = t / a[i, i + w - 1]


@proc
def trsv_band_un(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[m - 1 - i]
        for j in seq(m - i, m - 1 - i + w):
            t += -a[m - 1 - i, j] * x[j]
        x[m - 1 - i] = t / a[m - 1 - i, m - 1 - i]


@proc
def trsv_band_ut(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[i] / a[i, i]
        x[i] = t
        minus: R
        minus = -t
        for j in seq(i + 1, i + w):
            x[j] += minus * a[i, j]


@proc
def trsv_band_lt(m: size, w: size, a: [R][m, m + w - 1], x: [R][m + w - 1]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[m - 2 - i + w] / a[m - 1 - i, m - 2 - i + w]
        x[m - 2 - i + w] = t
        minus: R
        minus = -t
        for j in seq(m - 1 - i, m - 2 - i + w):
            x[j] += minus * a[m - 1 - i, j]


# Triangles of a band, in the form of its full rows, and packed ones


@proc
def trsv_ut(n: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = x[i] / a[i, i]
        x[i] = t
        minus: R
        minus = -t
        for j in seq(i + 1, n):
            x[j] += minus * a[i, j]


@proc
def trsv_lt(n: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        t: R
        t = x[n - 1 - i] / a[n - 1 - i, n - 1 - i]
        x[n - 1 - i] = t
        minus: R
        minus = -t
        for j in seq(0, n - 1 - i):
            x[j] += minus * a[n - 1 - i, j]


PARTS = (left_n, right_n, left_trans, right_trans)
BANDS = (
    *(band_n, band_trans, symv_band_u, symv_band_l),
    *(trsv_band_ln, trsv_band_un, trsv_band_ut, trsv_band_lt),
    *map(with_unit_diagonal, (trsv_band_ln, trsv_band_un, trsv_band_ut, trsv_band_lt)),
)
"""Programs with kernels for a band that is wide, and for any."""
SCATTERED = (trsv_ut, trsv_lt, with_unit_diagonal(trsv_ut), with_unit_diagonal(trsv_lt))
DENSE = {p.name(): p for p in (*level2.PROGRAMS, *SCATTERED)}
"""Programs of what a band may be beside full rows: rows with all columns, and triangles at its beginning or end."""

# -- naive programs, for vectors of any increments ----------------------------------------------------

NAIVE = {
    "gbmv_rows": """
def gbmv_rows(m: size, n: size, kl: index, ku: index, alpha: R, a: [R][m, n], x: [R][n], y: [R][m]):
    assert kl >= 0 and ku >= 0
    assert stride(a, 1) == 1
    for i in seq(0, min(m, n + kl)):
        t: R
        t = 0.0
        for j in seq(max(0, i - kl), min(n, i + ku + 1)):
            t += a[i, j] * x[j]
        y[i] += alpha * t
""",
    "gbmv_columns": """
def gbmv_columns(m: size, n: size, kl: index, ku: index, alpha: R, a: [R][m, n], x: [R][m], y: [R][n]):
    assert kl >= 0 and ku >= 0
    assert stride(a, 1) == 1
    for i in seq(0, min(m, n + kl)):
        t: R
        t = alpha * x[i]
        for j in seq(max(0, i - kl), min(n, i + ku + 1)):
            y[j] += t * a[i, j]
""",
}


def of_band(program: Proc) -> str:
    """A program of `level2` for a triangle, of which k diagonals beside the main one are there.

    >>> print(of_band(level2.symv_u))
    def sbmv_u(n: size, k: index, alpha: R @ DRAM, a: [R][n, n] @ DRAM, x: [R][n] @ DRAM, y: [R][n] @ DRAM):
        assert k >= 0
        assert stride(a, 1) == 1
        for i in seq(0, n):
            t: R @ DRAM
            t = alpha * x[i]
            u: R @ DRAM
            u = 0.0
            for j in seq(i + 1, min(n, i + 1 + k)):
                y[j] += t * a[i, j]
                u += a[i, j] * x[j]
            y[i] += t * a[i, i] + alpha * u
    """
    text = str(program).replace("symv", "sbmv").replace("trsv", "tbsv").replace("(n: size,", "(n: size, k: index,")
    text = re.sub(r" *assert stride\([xy].*\n", "", text)
    text = text.replace("    assert", "    assert k >= 0\n    assert", 1)
    text = re.sub(r"for j in seq\(0, (.*)\):", r"for j in seq(max(0, \1 - k), \1):", text)
    return re.sub(r"for j in seq\(([^0].*), n\):", r"for j in seq(\1, min(n, \1 + k)):", text)


def of_triangle(variant: str) -> str:
    """x := op(A) x, of the diagonal and the band beside it, which begins a row or a column later.

    >>> print(of_triangle("un"))
    def tbmv_un(n: size, k: index, a: [R][n, n], x: [R][n]):
        assert k >= 0
        assert stride(a, 1) == 1
        u: R[n]
        for c in seq(0, n):
            u[c] = x[c]
        for i in seq(0, n):
            x[i] = a[i, i] * u[i]
        if 0 < k and 1 < n:
            gbmv_rows(n - 1, n - 1, 0, k - 1, 1.0, a[0:n - 1, 1:n], u[1:n], x[0:n - 1])
    """
    half, way = variant[0], variant[1]
    before, after = "0:n - 1", "1:n"
    beside = f"k - 1, 0, 1.0, a[{after}, {before}]" if half == "l" else f"0, k - 1, 1.0, a[{before}, {after}]"
    given, written = (before, after) if (half == "l") == (way == "n") else (after, before)
    diagonal = "" if variant.endswith("unit") else "\n    for i in seq(0, n):\n        x[i] = a[i, i] * u[i]"
    return f"""\
def tbmv_{variant}(n: size, k: index, a: [R][n, n], x: [R][n]):
    assert k >= 0
    assert stride(a, 1) == 1
    u: R[n]
    for c in seq(0, n):
        u[c] = x[c]{diagonal}
    if 0 < k and 1 < n:
        gbmv_{'rows' if way == 'n' else 'columns'}(n - 1, n - 1, {beside}, u[{given}], x[{written}])"""


NAIVE |= {f"sbmv_{half}": of_band(DENSE[f"symv_{half}"]) for half in "lu"}
NAIVE |= {f"tbsv_{v}": of_band(DENSE[f"trsv_{v}"]) for v in TRIANGLES}
NAIVE |= {f"tbmv_{v}": of_triangle(v) for v in TRIANGLES}


def routine(name: str, arguments: str, body: str) -> tuple[str, str]:
    """A whole routine, of naive programs."""
    return name, f"def {name}({arguments}):\n{indented(body)}"


def scaled(size: str, body: str) -> str:
    """y := beta y, and what is added to it unless alpha is 0."""
    return f"{SCALED.replace('seq(0, n)', f'seq(0, {size})')}\nif alpha != 0.0:\n{indented(body)}"


GIVEN = "assert k >= 0\nassert stride(a, 1) == 1\n"
ROUTINES = dict(
    (
        routine(
            "gbmv",
            "dots: bool, ny: size, nx: size, kl: index, ku: index, alpha: R, rows: [R][ny, nx], columns: [R][nx, ny], "
            "x: [R][nx], beta: R, y: [R][ny]",
            "assert kl >= 0 and ku >= 0\nassert stride(rows, 1) == 1\nassert stride(columns, 1) == 1\n"
            + scaled(
                "ny",
                choice(
                    "dots",
                    "gbmv_rows(ny, nx, kl, ku, alpha, rows, x, y)",
                    "gbmv_columns(nx, ny, kl, ku, alpha, columns, x, y)",
                ),
            ),
        ),
        routine(
            "sbmv",
            "lower: bool, n: size, k: index, alpha: R, a: [R][n, n], x: [R][n], beta: R, y: [R][n]",
            GIVEN + scaled("n", by_half(lambda half: f"sbmv_{half}(n, k, alpha, a, x, y)")),
        ),
        *(
            routine(
                name,
                "lower: bool, dots: bool, unit: bool, n: size, k: index, a: [R][n, n], x: [R][n]",
                GIVEN + by_orientation(partial("{0}_{1}(n, k, a, x)".format, name)),
            )
            for name in ("tbmv", "tbsv")
        ),
    )
)
"""Whole routines. Of gbmv, op(A) is given by its rows, if they are `dots` with x, or else by its columns, either of
which are the rows of the matrix that is stored."""

# -- kernels ------------------------------------------------------------------------------------------


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a band are scheduled by."""
    return at("for i in _: _", optimize_band(shorter(machine), precision))


def narrow(machine: Machine) -> Op:
    """What they are scheduled by where rows are too short for vectors."""
    return at("for i in _: _", optimize_narrow_band())


@cache
def pieces_of(precision: str) -> Mapping[str, tuple[Kernel, ...]]:
    """The kernels of what programs are cut into, by the names of these. They are made once: a call of one version of a
    procedure takes the place of a call of another."""
    wide = partial(plan, precision)
    found: dict[str, tuple[Kernel, ...]] = {p.name(): (kernel_of(p, precision, wide),) for p in PARTS}
    for p in BANDS:
        found[p.name()] = (
            kernel_of(p, precision, wide, "", f"w >= {NARROW}"),
            kernel_of(p, precision, narrow, "narrow", f"w < {NARROW}"),
        )
    return found | {name: (level2.kernel(precision, p),) for name, p in DENSE.items()}


ROWS = "min(m, n + kl)"
PRODUCT = (
    Piece(f"min(kl, {ROWS})", "0", "i + ku + 1"),
    Piece(f"min(n - ku, {ROWS})", "i - kl", "i + ku + 1", "kl + ku + 1"),
    Piece("", "i - kl", "n"),
)
"""Rows that begin with the first column, full ones, and those that end with the last column, of a band that is narrower
than the matrix."""
WIDE_PRODUCT = (
    Piece(f"min(max(0, n - ku), {ROWS})", "0", "i + ku + 1"),
    Piece(f"min(kl, {ROWS})", "0", "n"),
    Piece("", "i - kl", "n"),
)
"""The same of a band that is as wide as the matrix: the rows between have all columns."""
TRIANGULAR = {
    "l": (Piece("min(k, n)", "0", "i"), Piece("", "i - k", "i", "k + 1")),
    "u": (Piece("max(0, n - k)", "i + 1", "i + 1 + k", "k + 1"), Piece("", "i + 1", "n")),
    "un": (Piece("min(k, n)", "n - i", "n"), Piece("", "n - i", "n - i + k", "k + 1")),
    "lt": (Piece("max(0, n - k)", "n - 1 - i - k", "n - 1 - i", "k + 1"), Piece("", "0", "n - 1 - i")),
}
"""The triangle at the beginning, or at the end, and full rows."""
TRIANGULAR |= {"ln": TRIANGULAR["l"], "ut": TRIANGULAR["u"]}


def source_in(precision: str, name: str, text: str, env: Mapping[str, Proc]) -> Proc:
    """A program over `R`, which calls others, in a precision."""
    program = proc_from_source(re.sub(r"\bR\b", precision, text), dict(env))
    return schedule(rename(named_for(precision, name)), program)


@cache
def programs_in(precision: str) -> Mapping[str, Proc]:
    """The naive programs in a precision."""
    found: dict[str, Proc] = {}
    for name, text in NAIVE.items():
        found[name] = source_in(precision, name, text, found)
    return found


@cache
def function(machine: Machine, precision: str, k: Kernel) -> Part:
    """A kernel as a function."""
    near = schedule(rename(f"{k.name}_near"), k.program)
    by_kernel = as_function(shorter(machine), precision, NEAR, [(k.program, k.scheduled(machine))])
    return near, schedule(by_kernel, near)


def in_parts(machine: Machine, precision: str, name: str) -> Op:
    """What a program is scheduled by whose rows are cut into pieces."""
    kind, _, variant = name.partition("_")
    of = {"gbmv": ("left", "band", "right", "gemv"), "sbmv": ("symv", "symv_band"), "tbsv": ("trsv", "trsv_band")}[kind]
    variant = {"rows": "n", "columns": "trans"}.get(variant, variant)
    parts = [function(machine, precision, k) for part in of for k in pieces_of(precision)[f"{part}_{variant}"]]
    if kind == "gbmv":
        narrow, wide = (in_pieces(pieces, parts) for pieces in (PRODUCT, WIDE_PRODUCT))
        return if_neighbours(VECTORS, if_else("kl + ku < n", narrow, wide))
    vectors = [x for x in VECTORS if kind == "sbmv" or x != "y"]
    return if_neighbours(vectors, in_pieces(TRIANGULAR[variant.removesuffix("_unit")], parts))


def beside_diagonal(machine: Machine, precision: str, parts: Sequence[Part]) -> Op:
    """What a product with a triangle is scheduled by."""
    copy = at("for c in _: _", if_neighbours(["x"], optimize_level_1(shorter(machine), precision, 1)))
    return seq(copy, calls_of(parts), at("u: _", set_memory(NEAR)))


VECTORS = ("x", "y")


def parts_of(machine: Machine, precision: str, kind: str) -> tuple[Part, ...]:
    """The naive programs of a kind, and what they are scheduled as."""
    programs = {name: p for name, p in programs_in(precision).items() if name.startswith(kind)}
    if kind == "tbmv":
        products = parts_of(machine, precision, "gbmv")
        return tuple((p, schedule(beside_diagonal(machine, precision, products), p)) for p in programs.values())
    return tuple((p, schedule(in_parts(machine, precision, name), p)) for name, p in programs.items())


def plan_routine(precision: str, name: str, machine: Machine) -> Op:
    """What a whole routine is scheduled by."""
    parts = parts_of(machine, precision, name)
    vectors = [x for x in VECTORS if name in ("gbmv", "sbmv") or x != "y"]
    usual = "beta == 1.0" if "y" in vectors else ""
    return near_or_copied(shorter(machine), precision, vectors, NEAR, parts, usual)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    return tuple(k for t in ("f32", "f64") for k in kernels_in(t))


def kernels_in(precision: str) -> Iterator[Kernel]:
    """All kernels in a precision: those of pieces, and whole routines."""
    found = pieces_of(precision)
    yield from (k for p in (*PARTS, *BANDS) for k in found[p.name()])
    env = programs_in(precision)
    for name, text in ROUTINES.items():
        program = source_in(precision, name, text, env)
        yield Kernel(program.name(), precision, program, partial(plan_routine, precision, name))
