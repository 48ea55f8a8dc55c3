"""Level 2, dense: what wrappers call, for vectors of any increment and all forms of a triangle.

The kernels of `level2` do the work. Here is how they are reached: an increment that isn't 1, the triangle that is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

from exo_strat import (
    Machine,
    Op,
    Proc,
    at,
    call_eqv,
    extract_subproc,
    inline,
    moves,
    nav,
    proc,
    proc_from_source,
    reduce,
    rename,
    schedule,
    seq,
    specialize,
)
from strategies.blas.level1 import optimize_level_1
from strategies.blas.neighbours import among_neighbours, numbers_first
from strategies.inspect import innermost_loops

from . import level2
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


SYMMETRIC = {"symv": ("x", "y"), "syr": ("x",), "syr2": ("x", "y")}
"""Routines on a symmetric matrix, and their vectors."""


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
    return among_neighbours(vectors, ROOM, near.called(machine))


def plan_scaled(precision: str, machine: Machine) -> Op:
    """What loops over a vector are scheduled by, of neighbours or not."""
    loops = reduce(optimize_level_1(level2.shorter(machine), precision), innermost_loops)
    fast = at(moves.body, specialize("stride(y, 0) == 1") >> nav(moves.body >> moves.nth(0)) >> loops)
    return seq(fast, at(moves.body, numbers_first()))


def plan_cases(cases: tuple[Kernel, ...], machine: Machine) -> Op:
    """What a procedure is scheduled by that calls one of several kernels: they are parts of it."""
    return seq(*(at(f"{k.program.name()}(_)", call_eqv(k.scheduled(machine)) >> inline()) for k in cases))


def plan_beta(added: Kernel, scaled: Kernel, machine: Machine) -> Op:
    """What a product is scheduled by before which y is scaled: where it is, that is a function."""
    product = at(f"{added.name}(_)", call_eqv(added.scheduled(machine)) >> inline())
    scaling = at(f"{scaled.name}(_)", call_eqv(scaled.scheduled(machine)))
    name = added.name.removesuffix("_added")
    apart = at(moves.body >> moves.nth(0) >> moves.orelse, numbers_first() >> extract_subproc(f"{name}_scaled"))
    return seq(product, product, scaling, apart)


def any_stride(precision: str, program: Proc, vectors: tuple[str, ...]) -> Kernel:
    """The kernel of a program for vectors of any strides."""
    near = near_kernel(precision, program)
    return kernel_of(of_any_stride(program, *vectors), precision, partial(plan, vectors, near), "any", calls=(near,))


@cache
def near_kernel(precision: str, program: Proc) -> Kernel:
    """The kernel of a program of `level2`, as a function that is handed the numbers themselves."""
    kernel = level2.kernel(precision, program)
    return replace(kernel, plan=partial(plan_near, kernel))


def choice_of(precision: str, name: str, flags: tuple[str, ...], cases: Mapping[tuple[bool, ...], Kernel]) -> Kernel:
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
    return Kernel(
        program.name(), added.precision, program, partial(plan_beta, added, scaling), (*added.calls, scaling)
    )


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(k for precision in LETTERS for k in kernels_for(precision))


def kernels_for(precision: str) -> Iterator[Kernel]:
    """The kernels of a precision."""
    programs = {p.name(): p for p in level2.PROGRAMS}
    for routine, vectors in SYMMETRIC.items():
        halves = {(low,): any_stride(precision, programs[f"{routine}_{'ul'[low]}"], vectors) for low in (False, True)}
        if routine == "symv":
            yield product_of(choice_of(precision, "symv_added", ("lower",), halves), "n")
        else:
            yield choice_of(precision, routine, ("lower",), halves)
