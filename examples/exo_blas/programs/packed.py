"""Level 2, packed: the programs of `level2` for triangles whose rows are stored without gaps, and whole routines.

What is stored how is said last: the plan of a kernel is about the elements of a matrix. A routine is given the matrix
twice, as a lower and as an upper triangle, one of which it is; its vectors may have any increments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial

from exo_strat import *
from strategies.blas.mirrored import optimize_mirrored
from strategies.blas.packed import FEW, Rows, optimize_packed
from strategies.blas.strided import Part, as_function, few_apart, near_or_copied

from . import level2
from .banded import SCATTERED
from .kernel import Kernel, kernel_of, typed
from .orientations import SCALED, TRIANGLES, any_stride, by_half, by_orientation, indented, inlined
from .storage import PACKED, PACKED_LOWER, PACKED_UPPER
from .vectors import NEAR

STORAGE = {"l": PACKED_LOWER, "u": PACKED_UPPER}
UPDATES = {"syr": Rows(4, alone_from=64), "syr2": Rows(4, longer_from=6)}
"""How many rows are taken together where the matrix is written, unless said: stores are what takes time. Measured by
`python -m benchmarks.blas --only spr --only spr2`."""


def of_triangle(program: Proc, unit: bool = False) -> Proc:
    """A program of `level2` for a matrix whose rows are as long as they are many, and whose diagonal is its own, or
    ones (`unit`).

    >>> print(of_triangle(level2.trmv_ut))
    def trmv_ut(n: size, a: R[n, n] @ DRAM, x: [R][n] @ DRAM, y: [R][n] @ DRAM):
        assert stride(y, 0) == 1
        for i in seq(0, n):
            t: R @ DRAM
            t = x[n - 1 - i]
            for j in seq(n - i, n):
                y[j] += t * a[n - 1 - i, j]
            y[n - 1 - i] = a[n - 1 - i, n - 1 - i] * x[n - 1 - i]
    """
    text = str(program).replace("a: [R][n, n]", "a: R[n, n]").replace("    assert stride(a, 1) == 1\n", "")
    text = text.replace("d: [R][n] @ DRAM, ", "")
    text = re.sub(r"d\[([^]]*)\] \* ", "" if unit else r"a[\1, \1] * ", text)
    return proc_from_source(text.replace(program.name(), f"{program.name()}_unit", 1) if unit else text)


def routine(name: str, arguments: str, body: str) -> Proc:
    """A whole routine, of programs of `level2` and `trmv_.._near` for vectors of any increments."""
    source = f"def {name}({arguments.replace(' a: R', ' a: R[n, n] @ PACKED')}):\n{indented(body)}"
    return inlined(source, {k: any_stride(p) for k, p in NAMED.items()} | {"PACKED": PACKED})


def in_place(program: Proc) -> Proc:
    """A product x := A x by the program of y := A x.

    >>> print(in_place(NAMED["trmv_ln_unit"]))
    def trmv_ln_unit_near(n: size, a: R[n, n] @ DRAM, x: [R][n] @ DRAM):
        assert stride(x, 0) == 1
        u: R[n] @ DRAM
        for k in seq(0, n):
            u[k] = x[k]
        for i in seq(0, n):
            t: R @ DRAM
            t = u[i]
            for j in seq(0, i):
                t += a[i, j] * u[j]
            x[i] = t
    """
    name = program.name()
    source = f"""
def {name}_near(n: size, a: R[n, n], x: [R][n]):
    assert stride(x, 0) == 1
    u: R[n]
    for k in seq(0, n):
        u[k] = x[k]
    {name}(n, a, u, x)
"""
    return inlined(source, {name: program})


PRODUCTS = {f"trmv_{v}": of_triangle(getattr(level2, f"trmv_{v[:2]}"), v.endswith("unit")) for v in TRIANGLES}
SYSTEMS = {p.name(): of_triangle(p) for p in (*level2.PROGRAMS, *SCATTERED) if p.name().startswith("trsv")}
DENSE = {p.name(): p for p in level2.PROGRAMS} | level2.MIRRORED
SYMMETRIC = {name: of_triangle(p) for name, p in DENSE.items() if name.startswith("sy")}
IN_PLACE = {f"{name}_near": in_place(p) for name, p in PRODUCTS.items()}
NAMED = PRODUCTS | SYSTEMS | SYMMETRIC | IN_PLACE

UNLESS_0 = "if alpha != 0.0:\n"

spmv = routine(
    *("spmv", "lower: bool, n: size, alpha: R, a: R, x: [R][n], beta: R, y: [R][n]"),
    f"{SCALED}\n{UNLESS_0}" + indented(by_half(lambda h: f"symv_{h}(n, alpha, a, x, y)")),
)
spr = routine(
    *("spr", "lower: bool, n: size, alpha: R, x: [R][n], a: R"),
    UNLESS_0 + indented(by_half(lambda h: f"syr_{h}(n, alpha, x, a)")),
)
spr2 = routine(
    *("spr2", "lower: bool, n: size, alpha: R, x: [R][n], y: [R][n], a: R"),
    UNLESS_0 + indented(by_half(lambda h: f"syr2_{h}(n, alpha, x, y, a)")),
)
tpmv = routine(
    *("tpmv", "lower: bool, dots: bool, unit: bool, n: size, a: R, x: [R][n]"),
    by_orientation(lambda v: f"trmv_{v}_near(n, a, x)"),
)
tpsv = routine(
    *("tpsv", "lower: bool, dots: bool, unit: bool, n: size, a: R, x: [R][n]"),
    by_orientation(lambda v: f"trsv_{v}(n, a, x)"),
)
ROUTINES = {
    spmv: ("symv_l", "symv_u"),
    spr: ("syr_l", "syr_u"),
    spr2: ("syr2_l", "syr2_u"),
    tpmv: tuple(IN_PLACE),
    tpsv: tuple(SYSTEMS),
}
"""Whole routines, and the programs of which they are."""


@cache
def kernel(precision: str, name: str) -> Kernel:
    """The kernel of a triangle, in a precision. It is made once: a call of one version of a procedure takes the place
    of a call of another."""
    routine, _, variant = name.partition("_")
    rows, storage = UPDATES.get(routine, Rows()), STORAGE[variant[0]]
    program = schedule(store(storage), NAMED[name])
    if routine == "symv":
        return kernel_of(program, precision, partial(plan_mirrored, precision, rows, storage), "packed")
    return kernel_of(program, precision, partial(plan, precision, rows, storage), "packed")


def plan(precision: str, rows: Rows, storage: Memory, machine: Machine) -> Op:
    """What loops over rows are scheduled by: those of an ordinary matrix, until it is stored as it is."""
    packed = optimize_packed(level2.shorter(machine), precision, ("a",), storage, rows, level2.longest(machine))
    return store(DRAM) >> at("for i in _: _", packed)


def plan_mirrored(precision: str, rows: Rows, storage: Memory, machine: Machine) -> Op:
    """What products with a symmetric matrix are scheduled by, likewise."""
    if not machine.vec_widths:
        return plan(precision, rows, storage, machine)
    rows_of = optimize_mirrored(precision, level2.registers(precision, machine), ("a",), storage)
    return store(DRAM) >> at("for i in _: _", rows_of)


def store(memory: Memory) -> Op:
    """Has a program's matrix in a memory. Acts on the procedure."""
    return at(moves.find_alloc_or_arg("a"), set_memory(memory))


def part(precision: str, name: str, machine: Machine) -> Part:
    """What a routine does for vectors of neighbours: a few rows, or a function that calls the kernel, and before that
    copies x if that is the result, too."""
    k = kernel(precision, name.removesuffix("_near"))
    storage = STORAGE[name.partition("_")[2][0]]
    near, many = (typed(schedule(store(PACKED), NAMED[name]), precision, f"{k.name}_{way}") for way in ("near", "many"))
    by_kernel = as_function(level2.shorter(machine), precision, NEAR, [(k.program, k.scheduled(machine))])
    parts = (many, schedule(store(storage) >> by_kernel >> store(PACKED), many))
    return near, schedule(few_apart(FEW, parts, store(storage), store(PACKED)), near)


def plan_routine(precision: str, program: Proc, machine: Machine) -> Op:
    """What a whole routine is scheduled by."""
    parts = [part(precision, name, machine) for name in ROUTINES[program]]
    vectors = tuple(a.name() for a in program.args() if a.name() in ("x", "y"))
    usual = "beta == 1.0" if program is spmv else ""
    return near_or_copied(level2.shorter(machine), precision, vectors, NEAR, parts, usual)


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    return tuple(k for t in ("f32", "f64") for k in kernels_in(t))


def kernels_in(precision: str) -> Iterator[Kernel]:
    """All kernels in a precision: of triangles, and whole routines."""
    yield from (kernel(precision, name) for name in NAMED if name not in IN_PLACE)
    yield from (kernel_of(p, precision, partial(plan_routine, precision, p)) for p in ROUTINES)
