"""Products and updates of a matrix with few columns: the kernels of `level2` once more, with the shared vector in
registers.
"""

from __future__ import annotations

from functools import partial

from backends.targets import avx2
from exo_strat import *
from strategies.blas.large import by_case
from strategies.blas.skinny import optimize_few_columns, optimize_skinny

from .kernel import LETTERS, Kernel, kernel_of
from .level2 import gemv_n, gemv_trans, ger, longest, plan_wide, shorter, wide_rows

LANES = {precision: avx2.vec_width(precision) for precision in LETTERS}
"""Elements of a vector of AVX2."""

ROW = 6
"""Registers that a row needs beside the columns. Measured by `python -m benchmarks.blas --level skinny`."""

VECTORS = avx2.registers - ROW
"""Columns are at most so many vectors. `gemv.c` and `ger.c` are told."""

MANY = {precision: (VECTORS + 1) * lanes for precision, lanes in LANES.items()}
"""Columns that are not few where the matrix is written: what makes no vector is apart."""

LEAST = 6
"""Vectors of AVX2 from which on those of AVX-512 pay, where rows are added up. Not where they are dot products, whose
lanes take longer to be added up, unless there are more than few columns."""

FEW = 7
"""Columns up to which those of a transposed matrix are taken without vectors, by the same measurement."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a matrix with few columns are scheduled by."""
    return at("for i in _: _", optimize_skinny(shorter(machine), precision, VECTORS * LANES[precision]))


def plan_longer(precision: str, condition: str, most: int, machine: Machine) -> Op:
    """What they are scheduled by, in vectors of AVX-512 unless a condition holds: then they have `most` columns."""
    longer = optimize_skinny(machine, precision, VECTORS * LANES[precision])
    if not longest(machine):
        return at("for i in _: _", longer)
    return at("for i in _: _", by_case(condition, optimize_skinny(shorter(machine), precision, most), longer))


def plan_some_more(precision: str, machine: Machine) -> Op:
    """What rows that are dot products are scheduled by: of vectors of AVX-512, twice as many columns are few."""
    if not longest(machine):
        return plan_wide(precision, machine)
    most = 2 * VECTORS * LANES[precision]
    few = optimize_skinny(machine, precision, most)
    return at("for i in _: _", by_case(f"n <= {most}", few, wide_rows(precision, machine)))


def plan_few(most: int, machine: Machine) -> Op:
    """What they are scheduled by where vectors don't pay."""
    return at("for i in _: _", optimize_few_columns(most))


def kernel(precision: str, program: Proc, case: str = "skinny", *bounds: str) -> Kernel:
    """The kernel of a program, for a matrix with few columns."""
    width = LANES[precision]
    most = VECTORS * width
    few = (bound.format(w=width, most=most) for bound in bounds or ("n <= {most}",))
    shorter_if = {
        (gemv_trans, "skinny"): (f"n < {LEAST * width}", LEAST * width),
        (ger, "skinny"): (f"n % {2 * width} != 0", most),
    }
    longer = shorter_if.get((program, case))
    made = partial(plan_longer, precision, *longer) if longer else partial(plan, precision)
    return kernel_of(program, precision, made, case, *few)


def few_columns(precision: str, program: Proc, most: int) -> Kernel:
    """The kernel of a program, for a matrix with so few columns that vectors don't pay."""
    return kernel_of(program, precision, partial(plan_few, most), "few", f"n <= {most}")


def updates(precision: str) -> dict[str, Kernel]:
    """The kernels that write the matrix: for whole vectors of columns, and for one at least."""
    whole = kernel(precision, ger, "skinny", "n <= {most}", "n % {w} == 0")
    return {"skinny": whole, "ragged": kernel(precision, ger, "ragged", "{w} <= n", "n < {most} + {w}")}


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    products = (kernel(t, p) for t in LANES for p in (gemv_n, gemv_trans))
    few = (k for t in LANES for k in (few_columns(t, gemv_n, LANES[t] - 1), few_columns(t, gemv_trans, FEW)))
    return (*products, *few, *(k for t in LANES for k in updates(t).values()))
