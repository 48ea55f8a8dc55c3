"""What `ger` calls: updates of matrices of few columns, and of others as one of several ways.

All ways are the same naive program. Stores are faster if no vector is on two cache lines: rows at some distance, one of
`steps`, begin at the same place of a vector, and their whole vectors are taken together. So many columns as `before` of
the first row are before its first whole vector, and each row has `turn` more. Rows with fewer columns than `wide` for
each step are not worth it, and are taken by panels of `PANEL` rows. A matrix of `ordered` to `far` elements is
in the last cache, where rows are faster one after the other; `ordered_apart`, if they don't all begin alike.
"""

from __future__ import annotations

from functools import cache, partial

from exo_strat import *
from strategies import std
from strategies.blas.large import by_case, by_rows_alike, by_wide_parts, in_panels
from strategies.blas.level1 import optimize_level_1
from strategies.blas.level2 import ROWS, optimize_level_2_general
from strategies.blas.neighbours import among_neighbours, numbers_first
from strategies.inspect import inner_loop

from . import level2, skinny
from .dense import of_any_stride
from .gemv import function
from .kernel import LETTERS, Kernel, kernel_of, named_for
from .parts import written
from .vectors import NEAR


@proc
def ger(
    m: size, n: size, before: index, turn: index, wide: size, ordered: index, ordered_apart: index, far: index,
    alpha: R, x: [R][m], y: [R][n], a: [R][m, n],
):  # fmt: skip
    assert stride(a, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            a[i, j] += alpha * x[i] * y[j]


PANEL = 32
"""Rows that stay in the first cache while the columns of one part after the other are updated. Measured by `python -m
benchmarks.blas --only ger`."""
SIZES = "before, turn, wide, ordered, ordered_apart, far"
ANY = """
def {name}(
    m: size, n: size, before: index, turn: index, wide: size, ordered: index, ordered_apart: index, far: index,
    alpha: R, x: [R][m], y: [R][n], a: [R][m, n]
):
    assert stride(a, 1) == 1
    assert n >= {least}
    if stride(y, 0) == 1:
        if {few}:
            panels(m, n, {sizes}, alpha, x[0:m], y[0:n], a[0:m, 0:n])
        else:
            near(m, n, {sizes}, alpha, x[0:m], y[0:n], a[0:m, 0:n])
    else:
        copy: R[n]
        for j in seq(0, n):
            copy[j] = y[j]
        if {few}:
            panels(m, n, {sizes}, alpha, x[0:m], copy[0:n], a[0:m, 0:n])
        else:
            near(m, n, {sizes}, alpha, x[0:m], copy[0:n], a[0:m, 0:n])
"""
"""An update by a y of any stride, which is copied if its elements are no neighbours. Panels are a function of their
own: the others need more registers, which would have to be saved for both."""

NUMBER = at(moves.body >> moves.nth(0), std.licm())
"""What all columns of a row are multiplied by is computed once."""


@cache
def ways(precision: str) -> dict[str, Kernel]:
    """The kernels for whole vectors of columns, for these and some more, and for any, row by row."""
    row = level2.update(precision, level2.ger, 0, "row")
    return {way: function(kernel) for way, kernel in ({"row": row} | skinny.updates(precision)).items()}


def calls(precision: str) -> dict[str, Op]:
    """What makes calls of the `ways`."""
    return {way: seq(NUMBER, replace(kernel.program)) for way, kernel in ways(precision).items()}


def plan_panels(precision: str, machine: Machine) -> Op:
    """What a matrix is scheduled by whose rows have some columns more than few."""
    width, made = skinny.LANES[precision], calls(precision)
    last = by_case(f"n % {width} == 0", made["skinny"], made["ragged"])
    parts = by_wide_parts(skinny.VECTORS * width, width, made["skinny"], last)
    return at("for i in _: _", in_panels(str(PANEL), parts))


def plan_wide(precision: str, machine: Machine) -> Op:
    """What a matrix of many columns is scheduled by."""
    width, made, shorter = skinny.LANES[precision], calls(precision), level2.shorter(machine)
    head = f"(before + turn * {{}}) % {width}"
    alone, together = optimize_level_1(shorter, precision), optimize_level_2_general(shorter, precision)
    in_order = seq(NUMBER, after_head(head), extracted("in_order", at("for j in _: _ #1", alone)))

    def alike_by(step: int) -> Op:
        part = seq(NUMBER, extracted(f"by_{step}", at("for _ in _: _", together)))
        return by_rows_alike(step, head, NUMBER, part)

    *closer, most = steps(precision)
    alike = alike_by(most)
    for step in reversed(closer):
        alike = by_case(f"{step} * turn % {width} == 0", alike_by(step), alike)
    unordered = "m * n < ordered or turn != 0 and m * n < ordered_apart or far <= m * n"
    many = by_case(unordered, alike, in_order)
    return at("for i in _: _", by_case(fewer("m", str(ROWS), precision), made["row"], many))


@strategy
def extracted(p: Proc, c: ForCursor, name: str, plan: Op) -> Script:
    """`s  ~>  f(..)`, where f is what a plan makes of the procedure that has nothing but s. Focus: s. Returns the
    procedure."""
    p, call = yield extract_subproc(f"{p.name()}_{name}")
    assert isinstance(call, CallCursor)
    yield call_eqv(schedule(plan, call.subproc()))
    yield nav(moves.root)
    return None


@strategy
def after_head(p: Proc, c: ForCursor, head: str) -> Script:
    """`for i: for j in (0, n): s  ~>  for i: for j in (0, h): s; for j in (h, n): s`, for the columns before the first
    whole vector of a row, in whose number `{}` is the row. Focus: the loop over rows, which is returned."""
    yield on(inner_loop(c), cut_loop(head.format(c.name())))
    p, c = yield focus(c)
    return c


def steps(precision: str) -> tuple[int, ...]:
    """The distances that rows may have which begin at the same place of a vector.

    >>> steps("f64")
    (1, 2, 4)
    """
    width = skinny.LANES[precision]
    return tuple(step for step in range(1, width + 1) if width % step == 0)


def fewer(n: str, least: str, precision: str) -> str:
    """The condition that there are fewer rows or columns than the least number, by rows that begin alike.

    >>> fewer("m", "4", "f64")
    'm < 1 * 4 or 1 * turn % 4 != 0 and m < 2 * 4 or 2 * turn % 4 != 0 and m < 4 * 4'
    """
    width, (first, *others) = skinny.LANES[precision], steps(precision)
    apart = (f"{step // 2} * turn % {width} != 0 and {n} < {step} * {least}" for step in others)
    return " or ".join((f"{n} < {first} * {least}", *apart))


def plan_few(precision: str, machine: Machine) -> Op:
    """What a matrix of few columns is scheduled by."""
    width, made = skinny.LANES[precision], {way: replace(k.program) for way, k in ways(precision).items()}
    vectors = by_case(f"n % {width} == 0", made["skinny"], by_case(f"n < {width}", made["row"], made["ragged"]))
    return among_neighbours(("y",), NEAR, vectors)


def plan_any(called: tuple[Kernel, ...], machine: Machine) -> Op:
    """What an update is scheduled by whose y may have any stride: a copy is made by a function, as it needs room."""
    *_, near = called
    apart = at(moves.body >> moves.nth(0) >> moves.orelse, numbers_first() >> extract_subproc(f"{near.name}_copied"))
    return seq(at("copy: _", set_memory(NEAR)), apart)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(k for precision in LETTERS for k in kernels_for(precision))


@cache
def kernels_for(precision: str) -> tuple[Kernel, ...]:
    """The kernels of a precision: of few columns, and of many."""
    least, called = skinny.MANY[precision], tuple(ways(precision).values())
    free = of_any_stride(level2.ger, "y")
    few = kernel_of(free, precision, partial(plan_few, precision), "few", f"n < {least}", calls=called, alike=True)
    plans = {"panels": partial(plan_panels, precision), "near": partial(plan_wide, precision)}
    known = ("stride(y, 0) == 1", f"n >= {least}")
    kind = partial(kernel_of, ger, precision, calls=called, alike=True)
    made = {way: function(kind(plan, way, *known)) for way, plan in plans.items()}
    name = named_for(precision, "ger_many")
    source = ANY.format(name=name, least=least, sizes=SIZES, few=fewer("n", "wide", precision))
    program = written(source, precision, {way: kernel.program for way, kernel in made.items()})
    ways_of_many = tuple(made.values())
    return few, Kernel(name, precision, program, partial(plan_any, ways_of_many), (*called, *ways_of_many), alike=True)
