"""Level 2, dense: what wrappers call, for vectors of any increment and all forms of a triangle.

The kernels of `level2` do the work. Here is how they are reached: whichever the increments and the triangle that is
stored are.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import product
from typing import TypeAlias

from exo_strat import *
from strategies.blas.calls import other_versions
from strategies.blas.level1 import optimize_level_1
from strategies.blas.neighbours import among_neighbours, copies_by_vectors, numbers_first
from strategies.inspect import innermost_loops

from . import large, level2
from .kernel import LETTERS, Kernel, kernel_of
from .storage import ROOM


@proc
def scaled(n: size, beta: R, y: [R][n]):
    if beta == 0.0:
        for i in seq(0, n):
            y[i] = 0.0
    else:
        for i in seq(0, n):
            y[i] = beta * y[i]


Cases: TypeAlias = Mapping[tuple[bool, ...], Kernel]
"""Kernels by the flags that choose them."""

SYMMETRIC = {"symv": ("x", "y"), "syr": ("x",), "syr2": ("x", "y")}
"""Routines on a symmetric matrix, and their vectors."""

TRIANGULAR = {"trmv": ("lower", "dots"), "trsv": ("lower", "dots", "unit")}
"""Routines on a triangle, and what tells its forms apart: whether it is the lower one, whether its rows are dot
products or added up, and whether its diagonal is of ones, which `trmv` is given."""


def of_any_stride(program: Proc, *vectors: str) -> Proc:
    """The program for vectors of any strides.

    >>> print(of_any_stride(level2.syr_l, "x"))
    def syr_l(n: size, alpha: R @ DRAM, x: [R][n] @ DRAM, a: [R][n, n] @ DRAM):
        assert stride(a, 1) == 1
        for i in seq(0, n):
            t: R @ DRAM
            t = alpha * x[i]
            for j in seq(0, i + 1):
                a[i, j] += t * x[j]
    """
    return proc_from_source(re.sub(rf"    assert stride\(({'|'.join(vectors)}), 0\) == 1\n", "", str(program)))


def by_cases(name: str, flags: tuple[str, ...], cases: Mapping[tuple[bool, ...], Proc]) -> Proc:
    """A procedure that calls one of several, which have the same arguments, as flags say.

    >>> print(by_cases("syr", ("lower",), {(True,): level2.syr_l, (False,): level2.syr_u}))
    def syr(lower: bool, n: size, alpha: R @ DRAM, x: [R][n] @ DRAM, a: [R][n, n] @ DRAM):
        assert stride(a, 1) == 1
        assert stride(x, 0) == 1
        if lower:
            syr_l(n, alpha, x, a)
        else:
            syr_u(n, alpha, x, a)
    """
    one = next(iter(cases.values()))
    arguments = ", ".join(a.name() for a in one.args())

    def branches(chosen: tuple[bool, ...]) -> Iterator[str]:
        if len(chosen) == len(flags):
            yield f"{cases[chosen].name()}({arguments})"
            return
        for value, head in ((True, f"if {flags[len(chosen)]}:"), (False, "else:")):
            yield head
            yield from (f"    {line}" for line in branches((*chosen, value)))

    head = signature(name, one)
    head[0] = head[0].replace("(", f"({''.join(f'{f}: bool, ' for f in flags)}", 1)
    lines = (*head, *(f"    {line}" for line in branches(())))
    return proc_from_source("\n".join(lines), {p.name(): p for p in cases.values()})


def with_beta(name: str, product: Proc, scaled: Proc, extent: str) -> Proc:
    """The procedure that multiplies y, which has so many elements, by beta before a product is added to it.

    >>> print(with_beta("symv", level2.symv_l, scaled, "n"))
    def symv(n: size, alpha: R @ DRAM, a: [R][n, n] @ DRAM, x: [R][n] @ DRAM, beta: R @ DRAM, y: [R][n] @ DRAM):
        assert stride(a, 1) == 1
        assert stride(x, 0) == 1
        assert stride(y, 0) == 1
        if beta == 1.0:
            if alpha != 0.0:
                symv_l(n, alpha, a, x, y)
        else:
            scaled(n, beta, y)
            if alpha != 0.0:
                symv_l(n, alpha, a, x, y)
    """
    head = signature(name, product)
    head[0] = re.sub(r"(y: \[(\w+)\])", r"beta: \2, \1", head[0])
    added = f"if alpha != 0.0: {product.name()}({', '.join(a.name() for a in product.args())})"
    body = ("if beta == 1.0:", f"    {added}", "else:", f"    {scaled.name()}({extent}, beta, y)", f"    {added}")
    lines = (*head, *(f"    {line}" for line in body))
    return proc_from_source("\n".join(lines), {p.name(): p for p in (scaled, product)})


def signature(name: str, program: Proc) -> list[str]:
    """The lines of a procedure of this name that has a program's arguments and assertions."""
    lines = [line for line in str(program).split("\n") if line.startswith(("def ", "    assert "))]
    return [lines[0].replace(f"{program.name()}(", f"{name}(", 1), *lines[1:]]


def plan_near(kernel: Kernel, machine: Machine) -> Op:
    """What a kernel is scheduled by that is a function."""
    return seq(kernel.plan(machine), nav(moves.root >> moves.body), numbers_first())


def plan(vectors: tuple[str, ...], near: Kernel, machine: Machine) -> Op:
    """What a routine is scheduled by whose vectors may have any strides: calls of the kernel for neighbours."""
    return among_neighbours(vectors, ROOM, replace(near.program), (near.scheduled(machine),))


def plan_scaled(precision: str, machine: Machine) -> Op:
    """What loops over a vector are scheduled by, of neighbours or not."""
    loops = reduce(optimize_level_1(level2.shorter(machine), precision), innermost_loops)
    fast = at(moves.body, specialize("stride(y, 0) == 1") >> nav(moves.body >> moves.nth(0)) >> loops)
    return seq(fast, at(moves.body, numbers_first()))


def plan_cases(cases: tuple[Kernel, ...], machine: Machine) -> Op:
    """What a procedure is scheduled by that calls one of several kernels: they are parts of it, if they are short."""
    if any("block" in str(k.program) for k in cases):
        return other_versions(tuple(k.scheduled(machine) for k in cases))
    return seq(*(parts(k, machine) for k in cases))


def parts(kernel: Kernel, machine: Machine) -> Op:
    """What makes the first call of a kernel's program a part of its caller, as the kernel is scheduled."""
    return at(f"{kernel.name}(_)", call_eqv(kernel.scheduled(machine)) >> inline())


def plan_beta(added: Kernel, scaled: Kernel, machine: Machine) -> Op:
    """What a product is scheduled by before which y is scaled: where it is, that is a function."""
    name = added.name.removesuffix("_added")
    apart = at(moves.body >> moves.nth(0) >> moves.orelse, numbers_first() >> extract_subproc(f"{name}_scaled"))
    return seq(parts(added, machine), parts(added, machine), other_versions((scaled.scheduled(machine),)), apart)


def plan_copied(near: Kernel, machine: Machine) -> Op:
    """What a product in place is scheduled by, of neighbours: what x was before is copied by vectors."""
    copy = at("for i in _: _", optimize_level_1(level2.shorter(machine), near.precision, 1))
    product = at("for i in _: _ #1", replace(near.program))
    return seq(product, other_versions((near.scheduled(machine),)), copy, at("u: _", set_memory(ROOM)))


def plan_product(copied: Kernel, machine: Machine) -> Op:
    """What a product in place is scheduled by whose vector may have any stride."""
    block = nav(moves.expand(0, len(copied.program.body()) - 1))
    return among_neighbours(("x",), ROOM, seq(block, replace(copied.program)), (copied.scheduled(machine),))


def plan_far(near: Kernel, beside: Kernel, machine: Machine) -> Op:
    """What a large triangle is scheduled by: its vectors are copied, as that takes no time beside the matrix."""
    copies = at(moves.body >> moves.nth(-1), stage_mem("x[0:n]", "result"))
    room = seq(*(attempt(at(f"{v}: _", set_memory(ROOM))) for v in ("u", "result")))
    fast = copies_by_vectors(level2.shorter(machine), near.precision, "x")
    return seq(copies, large.plan_triangle(near, beside, machine), fast, room)


def in_place(program: Proc) -> Proc:
    """The program of a product, where x is copied to u first.

    >>> print(in_place(large.trmv_ln_far))
    def trmv_ln_far(n: size, block: size, a: [R][n, n] @ DRAM, d: [R][n] @ DRAM, x: [R][n] @ DRAM):
        assert stride(a, 1) == 1
        u: R[n] @ DRAM
        for i in seq(0, n):
            u[i] = x[i]
        for i in seq(0, n):
            x[i] = d[i] * u[i]
            for j in seq(0, i):
                x[i] += a[i, j] * u[j]
    """
    text = str(of_any_stride(program, "x", "y")).replace("x: [R][n] @ DRAM, y:", "y:")
    text = re.sub(r"\by\b", "x", re.sub(r"\bx\b", "u", text))
    return proc_from_source(
        text.replace("    for ", "    u: R[n]\n    for i in seq(0, n):\n        u[i] = x[i]\n    for ", 1)
    )


def triangle(precision: str, program: Proc) -> Kernel:
    """The kernel of a program of `level2` on a triangle, for vectors of any stride."""
    if program.name().startswith("trsv"):
        return any_stride(precision, program, ("x",))
    near, mine = near_kernel(precision, program), in_place(program)
    copied = kernel_of(mine, precision, partial(plan_copied, near), "copied", "stride(x, 0) == 1")
    return kernel_of(mine, precision, partial(plan_product, copied), "any")


def large_triangle(precision: str, program: Proc, near: Proc) -> Kernel:
    """The kernel of a program of `large` on a triangle, for vectors of any stride."""
    small, beside = near_kernel(precision, near), large.beside(precision, program)
    mine = in_place(program) if program.name().startswith("trmv") else of_any_stride(program, "x")
    return kernel_of(mine, precision, partial(plan_far, small, beside), "any")


def any_stride(precision: str, program: Proc, vectors: tuple[str, ...]) -> Kernel:
    """The kernel of a program for vectors of any strides."""
    near = near_kernel(precision, program)
    return kernel_of(of_any_stride(program, *vectors), precision, partial(plan, vectors, near), "any", calls=(near,))


@cache
def near_kernel(precision: str, program: Proc) -> Kernel:
    """The kernel of a program of `level2`, as a function that is handed the numbers themselves."""
    kernel = level2.kernel(precision, program)
    return dataclasses.replace(kernel, plan=partial(plan_near, kernel))


def choice_of(precision: str, name: str, flags: tuple[str, ...], cases: Cases) -> Kernel:
    """The kernel that goes to one of several, as flags say."""
    program = by_cases(f"{LETTERS[precision]}{name}", flags, {key: k.program for key, k in cases.items()})
    calls = tuple(dict.fromkeys(own for k in cases.values() for own in k.calls))
    return Kernel(program.name(), precision, program, partial(plan_cases, tuple(cases.values())), calls)


@cache
def scaled_kernel(precision: str) -> Kernel:
    """The kernel of `scaled`, which is handed the number itself."""
    return kernel_of(scaled, precision, partial(plan_scaled, precision))


def product_of(added: Kernel, extent: str) -> Kernel:
    """The kernel that scales y, of so many elements, before another adds to it."""
    scaling = scaled_kernel(added.precision)
    program = with_beta(added.name.removesuffix("_added"), added.program, scaling.program, extent)
    return Kernel(program.name(), added.precision, program, partial(plan_beta, added, scaling), (*added.calls, scaling))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(k for precision in LETTERS for k in kernels_for(precision))


def kernels_for(precision: str) -> Iterator[Kernel]:
    """The kernels of a precision."""
    programs = {p.name(): p for p in level2.PROGRAMS} | level2.MIRRORED
    for routine, vectors in SYMMETRIC.items():
        found = (any_stride(precision, programs[f"{routine}_{half}"], vectors) for half in "ul")
        halves: Cases = dict(zip(((False,), (True,)), found, strict=True))
        if routine == "symv":
            yield product_of(choice_of(precision, "symv_added", ("lower",), halves), "n")
        else:
            yield choice_of(precision, routine, ("lower",), halves)
    for routine, flags in TRIANGULAR.items():
        forms, far = dict[tuple[bool, ...], Kernel](), dict[tuple[bool, ...], Kernel]()
        for chosen in product((False, True), repeat=len(flags)):
            lower, dots, *unit = chosen
            name, one = f"{routine}_{'ul'[lower]}{'tn'[dots]}", "_unit" * any(unit)
            forms[chosen] = triangle(precision, programs[name + one])
            parts = next(p for p in large.TRIANGLES if p.name() == f"{name}_far{one}")
            far[chosen] = large_triangle(precision, parts, programs[name + one])
        yield choice_of(precision, routine, flags, forms)
        yield choice_of(precision, f"{routine}_far", flags, far)
