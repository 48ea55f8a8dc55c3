"""Level 2: matrices from memory, a part at a time.

A rectangle is read by many rows together, a large triangle by small triangles and the rectangles beside them, of so
many rows as `block` says. `more` and `less`: a product is added to y, or subtracted from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial

from exo_strat import *
from strategies import std
from strategies.blas.calls import other_versions
from strategies.blas.large import by_many, triangle_by_blocks

from . import level2
from .kernel import Kernel, kernel_of


@proc
def rows_more(m: size, n: size, a: [R][m, n], x: [R][n], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = y[i]
        for j in seq(0, n):
            t += a[i, j] * x[j]
        y[i] = t


@proc
def rows_less(m: size, n: size, a: [R][m, n], x: [R][n], y: [R][m]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, m):
        t: R
        t = y[i]
        for j in seq(0, n):
            t += -a[i, j] * x[j]
        y[i] = t


@proc
def columns_more(m: size, n: size, a: [R][m, n], x: [R][m], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[i]
        for j in seq(0, n):
            y[j] += t * a[i, j]


@proc
def columns_less(m: size, n: size, a: [R][m, n], x: [R][m], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(y, 0) == 1
    for i in seq(0, m):
        t: R
        t = x[i]
        for j in seq(0, n):
            y[j] += -t * a[i, j]


# y := A x


@proc
def trmv_ln_far(n: size, block: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        y[i] = d[i] * x[i]
        for j in seq(0, i):
            y[i] += a[i, j] * x[j]


@proc
def trmv_un_far(n: size, block: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        y[i] = d[i] * x[i]
        for j in seq(i + 1, n):
            y[i] += a[i, j] * x[j]


@proc
def trmv_lt_far(n: size, block: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        for j in seq(0, i):
            y[j] += x[i] * a[i, j]
        y[i] = d[i] * x[i]


@proc
def trmv_ut_far(n: size, block: size, a: [R][n, n], d: [R][n], x: [R][n], y: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        for j in seq(n - i, n):
            y[j] += x[n - 1 - i] * a[n - 1 - i, j]
        y[n - 1 - i] = d[n - 1 - i] * x[n - 1 - i]


@proc
def trsv_ln_far(n: size, block: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        for j in seq(0, i):
            x[i] += -a[i, j] * x[j]
        x[i] = x[i] / a[i, i]


@proc
def trsv_un_far(n: size, block: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        for j in seq(n - i, n):
            x[n - 1 - i] += -a[n - 1 - i, j] * x[j]
        x[n - 1 - i] = x[n - 1 - i] / a[n - 1 - i, n - 1 - i]


@proc
def trsv_ut_far(n: size, block: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        x[i] = x[i] / a[i, i]
        for j in seq(i + 1, n):
            x[j] += -x[i] * a[i, j]


@proc
def trsv_lt_far(n: size, block: size, a: [R][n, n], x: [R][n]):
    assert stride(a, 1) == 1
    assert stride(x, 0) == 1
    for i in seq(0, n):
        x[n - 1 - i] = x[n - 1 - i] / a[n - 1 - i, n - 1 - i]
        for j in seq(0, n - 1 - i):
            x[j] += -x[n - 1 - i] * a[n - 1 - i, j]


RECTANGLES = {"trmv": {"n": rows_more, "t": columns_more}, "trsv": {"n": rows_less, "t": columns_less}}
"""What is done with the rectangle beside a small triangle, whose rows are dot products or added up."""

TRIANGLES = (
    *(trmv_ln_far, trmv_un_far, trmv_lt_far, trmv_ut_far),
    *(trsv_ln_far, trsv_un_far, trsv_lt_far, trsv_ut_far),
    *map(level2.with_unit_diagonal, (trsv_ln_far, trsv_un_far, trsv_lt_far, trsv_ut_far)),
)


def plan_rectangle(many: Kernel, few: Kernel, machine: Machine) -> Op:
    """What a rectangle is scheduled by: calls for a multiple of many rows, and for those that are left."""
    parts = at("for i in _: _", by_many(level2.MANY, replace(many.program), replace(few.program)))
    return seq(parts, other_versions((many.scheduled(machine), few.scheduled(machine))))


def plan_triangle(near: Kernel, beside: Kernel, machine: Machine) -> Op:
    """What a triangle is scheduled by: calls for small triangles, and for what is beside them."""
    rows = moves.root >> moves.find_loop("j") >> moves.parent
    parts = at(rows, triangle_by_blocks("block", replace(near.program), replace(beside.program)))
    return seq(parts, other_versions((near.scheduled(machine), beside.scheduled(machine))))


def plan_part(rows: Callable[[Machine], Op], machine: Machine) -> Op:
    """What rows of a rectangle are scheduled by: what is the same for all columns is computed once."""
    return seq(at("for j in _: _", std.licm()), rows(machine))


@cache
def rectangle(precision: str, program: Proc) -> Kernel:
    """The kernel of a program on a rectangle."""
    parts = (kernel_of(program, precision, partial(level2.plan, precision), "few"), level2.many(precision, program))
    few, many = (dataclasses.replace(k, plan=partial(plan_part, k.plan)) for k in parts)
    return kernel_of(program, precision, partial(plan_rectangle, many, few))


def beside(precision: str, program: Proc) -> Kernel:
    """The kernel of the rectangle beside a small triangle, by the program of the large one."""
    routine, form, *_ = program.name().split("_")
    return rectangle(precision, RECTANGLES[routine][form[1]])
