"""What `gemv` calls: matrices of few columns, and others as one of several ways says.

All ways are the same naive program. `far` is a matrix that comes from memory, and is read by many rows together. Else
rows are taken in parts of so many columns, `part`; where they are added up, by `panels` of so many rows, `panel`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache, partial

from exo_strat import *
from strategies import std
from strategies.blas.large import as_dots, by_case, by_many, by_parts, by_width, only_row
from strategies.blas.level1 import optimize_level_1
from strategies.blas.neighbours import among_neighbours

from . import level2, skinny
from .dense import of_any_stride, plan_near, product_of
from .kernel import LETTERS, Kernel, kernel_of
from .storage import ROOM


@proc
def gemv_n_large(m: size, n: size, far: bool, part: size, alpha: R, a: [R][m, n], x: [R][n], y: [R][m]):
    assert stride(a, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[i] += alpha * (a[i, j] * x[j])


@proc
def gemv_trans_large(
    m: size, n: size, far: bool, panels: bool, panel: size, part: size, alpha: R, a: [R][m, n], x: [R][m], y: [R][n]
):
    assert stride(a, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[j] += alpha * x[i] * a[i, j]


@cache
def function(kernel: Kernel) -> Kernel:
    """The kernel as a function that is handed the numbers themselves."""
    return dataclasses.replace(kernel, plan=partial(plan_near, kernel))


@cache
def ways(precision: str, program: Proc) -> dict[str, Kernel]:
    """The kernels for any number of columns, many rows, some columns and few."""
    few = skinny.LANES[precision] - 1 if program is level2.gemv_n else skinny.FEW
    found = {
        "": level2.kernel(precision, program),
        "many": level2.many(precision, program),
        "skinny": skinny.kernel(precision, program),
        "few": skinny.few_columns(precision, program, few),
    }
    return {way: function(kernel) for way, kernel in found.items()}


def plan_narrow(precision: str, program: Proc, machine: Machine) -> Op:
    """What a matrix of few columns is scheduled by: calls of the kernels for few columns and for some."""
    kernels = ways(precision, program)
    few, some = kernels["few"], kernels["skinny"]
    least = skinny.LANES[precision] if program is level2.gemv_n else skinny.FEW + 1
    choice = by_case(f"n < {least}", replace(few.program), replace(some.program))
    made = (few.scheduled(machine), some.scheduled(machine))
    return among_neighbours((ALONG[program],), ROOM, choice, made)


def plan_large(precision: str, program: Proc, machine: Machine) -> Op:
    """What a matrix of many columns is scheduled by."""
    kernels = ways(precision, program)
    near, many, some, few = (replace(kernels[way].program) for way in ("", "many", "skinny", "few"))
    row = only_row(optimize_level_1(level2.shorter(machine), precision))
    number: Op
    if program is level2.gemv_n:
        number = as_dots()
        parts = by_parts("part", "", seq(number, near))
    else:
        number = at(moves.body >> moves.nth(0), std.licm())
        parts = by_parts("part", "panel", seq(number, by_width(skinny.FEW + 1, few, some)))
    others = by_case("part < n" if program is level2.gemv_n else "panels", parts, seq(number, near))
    far = by_case("far", seq(number, by_many(level2.MANY, many, near)), others)
    choice = by_case("m == 1", seq(number, row), far)
    return among_neighbours((ALONG[program],), ROOM, choice, tuple(k.scheduled(machine) for k in kernels.values()))


ALONG = {level2.gemv_n: "x", level2.gemv_trans: "y"}
"""The vector that a loop over columns goes through."""


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
        bounds = () if program is level2.gemv_n else (f"part <= {most}",)
        plan = partial(plan_large, precision, program)
        many = kernel_of(large, precision, plan, "added", *bounds, calls=tuple(found.values()))
        yield from (product_of(k, "m" if program is level2.gemv_n else "n") for k in (few, many))
