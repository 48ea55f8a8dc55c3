"""Products and updates of a matrix with few columns: the kernels of `level2` once more, with the shared vector in
registers.
"""

from __future__ import annotations

from functools import partial

from backends.targets import avx2
from exo_strat import *
from strategies.blas.skinny import optimize_few_columns, optimize_skinny

from .kernel import LETTERS, Kernel, kernel_of
from .level2 import gemv_n, gemv_trans, ger, shorter

LANES = {precision: avx2.vec_width(precision) for precision in LETTERS}
"""Elements of a vector of AVX2."""

ROW = 6
"""Registers that a row needs beside the columns. Measured by `python -m benchmarks.blas --level skinny`."""

VECTORS = avx2.registers - ROW
"""Columns are at most so many vectors. `gemv.c` and `ger.c` are told."""

MANY = {precision: (VECTORS + 1) * lanes for precision, lanes in LANES.items()}
"""Columns that are not few where the matrix is written: what makes no vector is apart."""

FEW = 7
"""Columns up to which those of a transposed matrix are taken without vectors, by the same measurement."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a matrix with few columns are scheduled by."""
    return at("for i in _: _", optimize_skinny(shorter(machine), precision, VECTORS * LANES[precision]))


def plan_few(most: int, machine: Machine) -> Op:
    """What they are scheduled by where vectors don't pay."""
    return at("for i in _: _", optimize_few_columns(most))


def kernel(precision: str, program: Proc, case: str = "skinny", *bounds: str) -> Kernel:
    """The kernel of a program, for a matrix with few columns."""
    width = LANES[precision]
    few = (bound.format(w=width, most=VECTORS * width) for bound in bounds or ("n <= {most}",))
    return kernel_of(program, precision, partial(plan, precision), case, *few)


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
