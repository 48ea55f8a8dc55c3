"""What `gemv` calls: matrices of few columns, and others as one of several ways says.

All ways are the same naive program. The `only` row is a loop of level 1. `far` is a matrix that comes from memory, and
is read by many rows together. Else rows are taken in `parts` of at most so many columns, `part`; where they are added
up, by panels of so many rows, `panel`. Which way a matrix goes is decided of it as a whole, before threads share its
rows, or its columns: so results are the same for any number of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache, partial

from exo_strat import *
from strategies import std
from strategies.blas.calls import other_versions
from strategies.blas.large import as_dots, by_case, by_many, by_parts, only_row
from strategies.blas.level1 import optimize_level_1
from strategies.blas.neighbours import among_neighbours, numbers_first

from . import dense, level1, level2, skinny
from .dense import of_any_stride, plan_near, product_of
from .kernel import LETTERS, Kernel, kernel_of, named_for
from .parts import written
from .storage import ROOM


@proc
def gemv_n_large(
    m: size, n: size, only: bool, far: bool, parts: bool, part: size, alpha: R, a: [R][m, n], x: [R][n], y: [R][m]
):
    assert stride(a, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[i] += alpha * (a[i, j] * x[j])


@proc
def gemv_trans_large(
    m: size, n: size, far: bool, parts: bool, panel: size, alpha: R, a: [R][m, n], x: [R][m], y: [R][n]
):
    assert stride(a, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[j] += alpha * x[i] * a[i, j]


BY_ROWS = """
def {name}(
    m: size, n: size, threads: size, far: index, long: index, part: size,
    alpha: R, a: [R][m, n], x: [R][n], beta: R, y: [R][m]
):
    assert stride(a, 1) == 1
    if threads == 1:
        large(m, n, {way}, alpha, a[0:m, 0:n], x[0:n], beta, y[0:m])
    else:
        each = ((m + threads - 1) / threads + {unit} - 1) / {unit} * {unit}
        for k in par(0, threads):
            if each * k + each <= m:
                large(
                    each, n, {way}, alpha, a[each * k:each * k + each, 0:n], x[0:n], beta, y[each * k:each * k + each]
                )
            elif each * k < m:
                large(m - each * k, n, {way}, alpha, a[each * k:m, 0:n], x[0:n], beta, y[each * k:m])
"""
BY_COLUMNS = """
def {name}(
    m: size, n: size, threads: size, far: index, long: index, near: index, panel: size,
    alpha: R, a: [R][m, n], x: [R][m], beta: R, y: [R][n]
):
    assert stride(a, 1) == 1
    if threads == 1:
        large(m, n, {way}, alpha, a[0:m, 0:n], x[0:m], beta, y[0:n])
    else:
        each = ((n + threads - 1) / threads + {unit} - 1) / {unit} * {unit}
        for k in par(0, threads):
            if each * k + each <= n:
                large(
                    m, each, {way}, alpha, a[0:m, each * k:each * k + each], x[0:m], beta, y[each * k:each * k + each]
                )
            elif each * k < n:
                large(m, n - each * k, {way}, alpha, a[0:m, each * k:n], x[0:m], beta, y[each * k:n])
"""
"""A product of a matrix that threads share, which have rows, or columns, in multiples of a unit."""

SHARED = {level2.gemv_n: BY_ROWS, level2.gemv_trans: BY_COLUMNS}
ROWS = {level2.gemv_n: 8, level2.gemv_trans: 16}
"""Rows from which on it pays to take them in parts. Measured by `python -m benchmarks.blas --only gemv`."""
WAYS = {
    level2.gemv_n: f"m == 1, m * n > far, m >= {ROWS[level2.gemv_n]} and n >= long, part",
    level2.gemv_trans: f"m * n > far, m >= {ROWS[level2.gemv_trans]} and (n >= long or m * n <= near), panel",
}
"""Which way a matrix goes."""
UNITS = {level2.gemv_n: 4 * level2.MANY, level2.gemv_trans: 64}
"""Threads begin at multiples of it: a row is added up with the same others as on one thread, and a column is in a whole
vector, or not."""


@cache
def function(kernel: Kernel) -> Kernel:
    """The kernel as a function that is handed the numbers themselves."""
    return dataclasses.replace(kernel, plan=partial(plan_near, kernel))


@cache
def ways(precision: str, program: Proc) -> dict[str, Kernel]:
    """The kernels for any number of columns, many rows, some columns and few, and for a row that is added to y."""
    few, near = skinny.LANES[precision] - 1, level2.kernel(precision, program)
    if program is level2.gemv_n:
        near = dataclasses.replace(near, plan=partial(skinny.plan_some_more, precision))
    else:
        few = skinny.FEW
    found = {
        "": near,
        "many": level2.many(precision, program),
        "skinny": skinny.kernel(precision, program),
        "few": skinny.few_columns(precision, program, few),
        "row": kernel_of(level1.axpy, precision, partial(plan_row, precision), "row", *NEIGHBOURS),
    }
    return {way: function(kernel) for way, kernel in found.items()}


NEIGHBOURS = "stride(x, 0) == 1", "stride(y, 0) == 1"


def plan_row(precision: str, machine: Machine) -> Op:
    """What a loop over the columns of one row is scheduled by."""
    return at("for i in _: _", optimize_level_1(level2.shorter(machine), precision))


def plan_narrow(precision: str, program: Proc, machine: Machine) -> Op:
    """What a matrix of few columns is scheduled by: calls of the kernels for few columns and for some."""
    kernels = ways(precision, program)
    few, some = kernels["few"], kernels["skinny"]
    least = skinny.LANES[precision] if program is level2.gemv_n else skinny.FEW + 1
    choice = by_case(f"n < {least}", replace(few.program), replace(some.program))
    return among_neighbours((ALONG[program],), ROOM, choice)


LARGE = {level2.gemv_n: ("", "many", "skinny"), level2.gemv_trans: ("", "many", "skinny", "row")}
"""The ways of a matrix of many columns. A row that is added to y is a function: its loop takes less time there."""


def plan_large(precision: str, program: Proc, machine: Machine) -> Op:
    """What a matrix of many columns is scheduled by."""
    kernels = ways(precision, program)
    near, many, some, *added = (replace(kernels[way].program) for way in LARGE[program])
    most, lanes = skinny.VECTORS * skinny.LANES[precision], 2 * skinny.LANES[precision]  # parts are vectors of AVX-512
    if program is level2.gemv_n:
        number, alone = as_dots(), "only and m == 1"
        row = only_row(optimize_level_1(level2.shorter(machine), precision))
        parts = by_parts(f"({alike('part', lanes)}) * {lanes}", "", seq(number, near))
        others = by_case("parts", parts, seq(number, near))
    else:
        number, alone = at(moves.body >> moves.nth(0), std.licm()), "m == 1"
        row = only_row(*added)
        vectors = alike(most, lanes)
        panels = by_parts(f"({vectors}) * {lanes}", "panel", seq(number, some))
        others = by_case(f"parts and {vectors} <= {most // lanes}", panels, seq(number, near))
    far = by_case("far", seq(number, by_many(level2.MANY, many, near)), others)
    choice = by_case(alone, seq(number, row), far)
    return among_neighbours((ALONG[program],), ROOM, choice)


def alike(most: int | str, lanes: int) -> str:
    """How many vectors wide parts of n columns are, of which none has more columns than `most`, and all about as many.

    >>> alike(80, 8)
    '(n - 1) / ((n + 80 - 1) / 80) / 8 + 1'
    """
    return f"(n - 1) / ((n + {most} - 1) / {most}) / {lanes} + 1"


ALONG = {level2.gemv_n: "x", level2.gemv_trans: "y"}
"""The vector that a loop over columns goes through."""
EXTENTS = {level2.gemv_n: "m", level2.gemv_trans: "n"}
"""The elements of y."""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(k for precision in LETTERS for k in kernels_for(precision))


def kernels_for(precision: str) -> Iterator[Kernel]:
    """The kernels of a precision."""
    most = skinny.VECTORS * skinny.LANES[precision]
    for program, large in ((level2.gemv_n, gemv_n_large), (level2.gemv_trans, gemv_trans_large)):
        found, free = ways(precision, program), of_any_stride(program, ALONG[program])
        plan = partial(plan_narrow, precision, program)
        few = kernel_of(free, precision, plan, "narrow_added", f"n <= {most}", calls=(found["few"], found["skinny"]))
        plan = partial(plan_large, precision, program)
        called = tuple(found[way] for way in LARGE[program])
        many = product_of(kernel_of(large, precision, plan, "added", calls=called), EXTENTS[program])
        yield dataclasses.replace(product_of(few, EXTENTS[program]), alike=True)
        yield shared(precision, program, many)


def shared(precision: str, program: Proc, large: Kernel) -> Kernel:
    """The kernel of a product of a matrix that threads share, of which each calls the kernel of a large one."""
    name = named_for(precision, program.name(), "wide")
    source = SHARED[program].format(name=name, unit=UNITS[program], way=WAYS[program])
    made = written(source, precision, {"large": large.program})
    return Kernel(name, precision, made, partial(plan_shared, large), large.calls, alike=True)


def plan_shared(large: Kernel, machine: Machine) -> Op:
    """What such a product is scheduled by: what one thread does is part of it, and threads are a function."""
    apart = at(moves.body >> moves.nth(0) >> moves.orelse, numbers_first() >> extract_subproc(f"{large.name}_shared"))
    return seq(dense.parts(large, machine), other_versions((large.scheduled(machine),)), apart)
