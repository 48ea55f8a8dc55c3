"""Complex numbers, level 2: programs on vectors, and how programs of complex numbers become kernels.

`s` is -1 where something is conjugated, else 1. A row of A times a vector x is two sums of reals, of a u and of a v,
with u = (re, -im) and v = (im, re) of each pair of x. What rows add to a vector is added up in p, times the real parts
of their factors, and in q, times the imaginary ones: the pair j of it is (p[j].re - q[j].im, p[j].im + q[j].re), and if
the rows are conjugated (p[j].re + q[j].im, q[j].re - p[j].im). A vector of n pairs that no caller sees is 2 n reals.

Programs of complex numbers are written in blocks; what they call is scheduled (`LEAVES`).
`tests/test_complex_programs.py` compares them with the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TypeAlias

from exo_strat import *
from exo_strat import proc_from_source
from strategies.blas.calls import calls, calls_scheduled
from strategies.blas.lengths import by_length, with_masked_end
from strategies.blas.level1 import optimize_level_1
from strategies.blas.pairs import optimize_pairs

from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed
from .level2 import shorter
from .storage import BLOCK, KEPT, PAIRS, ROOM, ROWS

MEMORIES = {"PAIRS": PAIRS, "BLOCK": BLOCK, "KEPT": KEPT, "ROOM": ROOM, "ROWS": ROWS}

# -- loops over the reals of vectors ------------------------------------------------------------------

# Pairs are multiplied as they are, and with their parts exchanged, by numbers of each part.


@proc
def signed(n: size, f: [R][2], x: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] = f[k] * x[2 * i + k]


@proc
def plus(n: size, f: [R][2], x: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] += f[k] * x[2 * i + k]


@proc
def plus_both(n: size, f: [R][2], g: [R][2], p: [R][2 * n], q: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(g, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] += f[k] * p[2 * i + k]
            y[2 * i + k] += g[k] * q[2 * i + 1 - k]


@proc
def times(n: size, f: [R][2], g: [R][2], x: [R][2 * n], y: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(g, 0) == 1 and stride(x, 0) == 1 and stride(y, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] = f[k] * x[2 * i + k] + g[k] * x[2 * i + 1 - k]


@proc
def parted(n: size, f: [R][2], g: [R][2], x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    assert stride(f, 0) == 1 and stride(g, 0) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            u[2 * i + k] = f[k] * x[2 * i + k]
            v[2 * i + k] = g[k] * x[2 * i + 1 - k]


@proc
def parted_times(n: size, f: [R][4, 2], x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    assert stride(f, 1) == 1 and stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    for i in seq(0, n):
        for k in seq(0, 2):
            u[2 * i + k] = f[0, k] * x[2 * i + k] + f[1, k] * x[2 * i + 1 - k]
            v[2 * i + k] = f[2, k] * x[2 * i + k] + f[3, k] * x[2 * i + 1 - k]


@proc
def multiplied(n: size, r: R, i: R, x: [R][2 * n]):
    """x := (r + i I) x"""
    assert stride(x, 0) == 1
    b: R[2] @ DRAM_STACK
    b[0] = -i
    b[1] = i
    for j in seq(0, n):
        t: R[2] @ DRAM_STACK
        for k in seq(0, 2):
            t[k] = x[2 * j + 1 - k]
        for k in seq(0, 2):
            x[2 * j + k] = r * x[2 * j + k] + b[k] * t[k]


@proc
def zeros(n: size, p: [R][n]):
    assert stride(p, 0) == 1
    for j in seq(0, n):
        p[j] = 0.0


# -- vectors ------------------------------------------------------------------------------------------


@proc
def taken(n: size, s: R, x: [R][2 * n] @ PAIRS, near: [R][2 * n]):
    """near := x, or conj(x)"""
    assert stride(near, 0) == 1
    if stride(x, 0) == 1:
        f: R[2] @ DRAM_STACK
        f[0] = 1.0
        f[1] = s
        signed(n, f, x, near)
    else:
        for i in seq(0, n):
            near[2 * i] = x[2 * i]
            near[2 * i + 1] = s * x[2 * i + 1]


@proc
def given(n: size, s: R, near: [R][2 * n], x: [R][2 * n] @ PAIRS):
    """x := near, or conj(near)"""
    assert stride(near, 0) == 1
    if stride(x, 0) == 1:
        f: R[2] @ DRAM_STACK
        f[0] = 1.0
        f[1] = s
        signed(n, f, near, x)
    else:
        for i in seq(0, n):
            x[2 * i] = near[2 * i]
            x[2 * i + 1] = s * near[2 * i + 1]


@proc
def taken_times(n: size, s: R, b: [R][2], x: [R][2 * n] @ PAIRS, near: [R][2 * n]):
    """near := b x, or conj(b x)"""
    assert stride(near, 0) == 1
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = b[0]
    f[1] = s * b[0]
    g[0] = -b[1]
    g[1] = s * b[1]
    if stride(x, 0) == 1:
        times(n, f, g, x, near)
    else:
        for i in seq(0, n):
            near[2 * i] = f[0] * x[2 * i] + g[0] * x[2 * i + 1]
            near[2 * i + 1] = f[1] * x[2 * i + 1] + g[1] * x[2 * i]


@proc
def spread(n: size, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    """What multiplies rows of A in x"""
    assert stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = -1.0
    g[0] = 1.0
    g[1] = 1.0
    parted(n, f, g, x, u, v)


@proc
def taken_spread(n: size, s: R, x: [R][2 * n] @ PAIRS, u: [R][2 * n], v: [R][2 * n]):
    """What multiplies rows of A in x, or conj(x)"""
    assert stride(u, 0) == 1 and stride(v, 0) == 1
    if stride(x, 0) == 1:
        f: R[2] @ DRAM_STACK
        g: R[2] @ DRAM_STACK
        f[0] = 1.0
        f[1] = -s
        g[0] = s
        g[1] = 1.0
        parted(n, f, g, x, u, v)
    else:
        near: R[2 * n] @ ROOM
        taken(n, s, x, near)
        spread(n, near, u, v)


@proc
def taken_spread_times(n: size, s: R, b: [R][2], x: [R][2 * n] @ PAIRS, u: [R][2 * n], v: [R][2 * n]):
    """What multiplies rows of A in b x, or conj(b x)"""
    assert stride(u, 0) == 1 and stride(v, 0) == 1
    if stride(x, 0) == 1:
        f: R[4, 2] @ DRAM_STACK
        f[0, 0] = b[0]
        f[0, 1] = -(s * b[0])
        f[1, 0] = -b[1]
        f[1, 1] = -(s * b[1])
        f[2, 0] = s * b[1]
        f[2, 1] = -b[1]
        f[3, 0] = s * b[0]
        f[3, 1] = b[0]
        parted_times(n, f, x, u, v)
    else:
        near: R[2 * n] @ ROOM
        taken_times(n, s, b, x, near)
        spread(n, near, u, v)


@proc
def spread_few(lo: index, hi: index, n: size, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    """The same of some of x"""
    assert lo >= 0 and hi <= n
    for i in seq(lo, hi):
        u[2 * i] = x[2 * i]
        u[2 * i + 1] = -x[2 * i + 1]
        v[2 * i] = x[2 * i + 1]
        v[2 * i + 1] = x[2 * i]


@proc
def spread_back(n: size, s: R, x: [R][2 * n], u: [R][2 * n], v: [R][2 * n]):
    """u := x, or conj(x), and v := u times i; s is as ever"""
    assert stride(x, 0) == 1 and stride(u, 0) == 1 and stride(v, 0) == 1
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = s
    g[0] = -s
    g[1] = 1.0
    parted(n, f, g, x, u, v)


@proc
def scaled(n: size, b: [R][2], y: [R][2 * n]):
    """y := b y, which is not read if b is 0"""
    assert stride(y, 0) == 1
    if b[0] == 0.0 and b[1] == 0.0:
        zeros(2 * n, y)
    else:
        if b[0] != 1.0 or b[1] != 0.0:
            multiplied(n, b[0], b[1], y)


@proc
def added(
    n: size, some: bool, s: R, beta: [R][2], w: [R][2 * n], two: bool, t: R, p: [R][2 * n], q: [R][2 * n],
    y: [R][2 * n],
):  # fmt: skip
    """y := beta y, if there are `some` plus w; if `two` plus p and q, of rows, or if t is -1 of conjugated rows. What
    is added is conjugated if s is -1."""
    assert stride(w, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1 and stride(y, 0) == 1
    scaled(n, beta, y)
    f: R[2] @ DRAM_STACK
    g: R[2] @ DRAM_STACK
    f[0] = 1.0
    f[1] = s
    if some:
        plus(n, f, w, y)
    if two:
        f[1] = s * t
        g[0] = -t
        g[1] = s
        plus_both(n, f, g, p, q, y)


@proc
def added_to(
    n: size, some: bool, s: R, beta: [R][2], w: [R][2 * n], two: bool, t: R, p: [R][2 * n], q: [R][2 * n],
    y: [R][2 * n] @ PAIRS,
):  # fmt: skip
    """The same, of a y whose pairs may be apart"""
    assert stride(w, 0) == 1 and stride(p, 0) == 1 and stride(q, 0) == 1
    if stride(y, 0) == 1:
        added(n, some, s, beta, w, two, t, p, q, y)
    else:
        near: R[2 * n] @ ROOM
        taken(n, 1.0, y, near)
        added(n, some, s, beta, w, two, t, p, q, near)
        given(n, 1.0, near, y)


# -- kernels ------------------------------------------------------------------------------------------

Plan: TypeAlias = Callable[[str, Machine], Op]
"""What a loop is scheduled by, for a precision and a machine."""


def reals(vectors: int, precision: str, machine: Machine) -> Op:
    """What loops over reals are scheduled by; so many vectors are taken together, or as many as the machine likes."""
    return at("for j in _: _", optimize_level_1(shorter(machine), precision, vectors))


def pairs(loop: str, vectors: int, precision: str, machine: Machine) -> Op:
    """What loops over pairs that are neighbours are scheduled by."""
    return at(f"for {loop} in _: _", optimize_pairs(shorter(machine), precision, vectors))


# Rows that are long enough, as the wrapper says, have vectors of 512 bits, where there are any. Those of triangles and
# bands are shorter, too, and of fewer than some of these vectors.

ENOUGH = 3
"""Vectors of 512 bits from which on sums have them. Measured, as what wrappers choose by, by
`python -m benchmarks.blas --level complex --only gemv --only hemv --only trmv`."""
SOME = 2
"""The same of updates."""


def long_reals(vectors: int, enough: int, precision: str, machine: Machine) -> Op:
    """What loops over reals of long rows are scheduled by: sums end with a masked vector, updates with shorter ones, as
    what a masked store wrote is late for the next row."""
    narrow, rest = (optimize_level_1(shorter(machine), precision, v) for v in (vectors, 1))
    wide = optimize_level_1(machine, precision, vectors)
    return at("for j in _: _", by_length(enough * machine.vec_width(precision), wide, narrow, rest))


def long_sums_and_updates(precision: str, machine: Machine) -> Op:
    """The same of loops that are both: all end with a masked vector, so that lanes are added up once."""
    narrow = optimize_level_1(shorter(machine), precision, 1)
    plan = by_length(machine.vec_width(precision), with_masked_end(machine, precision), narrow)
    return at("for j in _: _", plan)


def long_pairs(loop: str, vectors: int, precision: str, machine: Machine) -> Op:
    """What loops over pairs of long vectors are scheduled by."""
    return at(f"for {loop} in _: _", optimize_pairs(machine, precision, vectors))


def of_vectors(reals_by: Plan, pairs_by: Callable[[str], Plan]) -> dict[str, Plan]:
    """What loops over vectors are scheduled by, if reals and pairs are by these plans."""
    programs = (signed, plus, plus_both, times, parted, parted_times)
    return {"zeros": reals_by, **{p.name(): pairs_by("i") for p in programs}, "multiplied": pairs_by("j")}


LEAVES: Mapping[str, Plan] = of_vectors(partial(reals, 0), lambda loop: partial(pairs, loop, 1))
LONG: Mapping[str, Plan] = of_vectors(partial(long_reals, 0, SOME), lambda loop: partial(long_pairs, loop, 1))
"""What loops that are vectors are scheduled by; and those of long ones."""


def written(text: str, programs: Mapping[str, Proc]) -> dict[str, Proc]:
    """The programs of a text, by name, which call these and those before them."""
    found: dict[str, Proc] = {}
    for source in text.strip().split("\n\n"):
        p = proc_from_source(source, {**MEMORIES, **programs, **found})
        found[p.name()] = p
    return found


@cache
def typed_with_calls(
    program: Proc, precision: str, instructions: tuple[tuple[str, Proc], ...] = (), variant: str = ""
) -> Proc:
    """The program in a precision, and so all that it calls; some of that are `instructions`, by name."""
    called = {c.subproc().name(): c.subproc() for c in calls(program)}
    known = dict(instructions)
    own = {n: known.get(n) or typed_with_calls(p, precision, instructions, variant) for n, p in called.items()}
    if own:
        program = proc_from_source(str(program), {**MEMORIES, **own})
    return typed(program, precision, f"{COMPLEX_LETTERS[precision]}{program.name()}{variant}")


def planned(leaves: Mapping[str, Plan], precision: str, variant: str = "") -> Callable[[Machine], Op]:
    """What a program is scheduled by whose loops are in what it calls: these `leaves`, by the names of programs."""
    return partial(planned_for, tuple(leaves.items()), precision, variant)


def planned_for(leaves: tuple[tuple[str, Plan], ...], precision: str, variant: str, machine: Machine) -> Op:
    letter = COMPLEX_LETTERS[precision]
    plans = tuple((f"{letter}{name}{variant}", plan(precision, machine)) for name, plan in leaves)
    return calls_scheduled(plans)


def planned_long(leaves: Mapping[str, Plan], precision: str, machine: Machine) -> Op:
    """The same of what only machines with vectors of 512 bits call."""
    return identity if shorter(machine) == machine else planned(leaves, precision, "_long")(machine)


def kernels_of(
    programs: tuple[Proc, ...],
    leaves: Mapping[str, Plan],
    instructions: Callable[[str], tuple[tuple[str, Proc], ...]] = lambda precision: (),
) -> tuple[Kernel, ...]:
    """The kernels of these programs, in each precision; `instructions` are those of one that they call, by name."""
    typed_programs = ((t, typed_with_calls(p, t, instructions(t))) for t in LETTERS for p in programs)
    return tuple(Kernel(p.name(), t, p, planned(leaves, t)) for t, p in typed_programs)


def long_kernels_of(programs: tuple[Proc, ...], leaves: Mapping[str, Plan]) -> tuple[Kernel, ...]:
    """The kernels `_long` of these programs, in each precision."""
    typed_programs = ((t, typed_with_calls(p, t, (), "_long")) for t in LETTERS for p in programs)
    return tuple(Kernel(p.name(), t, p, partial(planned_long, leaves, t)) for t, p in typed_programs)
