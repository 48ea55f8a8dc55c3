"""Products and updates of a matrix with few columns: the kernels of `level2` once more, with the shared vector in
registers. Imports `exo_strat`, `kernel`, `level2` and `strategies.blas`.
"""

from __future__ import annotations

from functools import partial

from exo_strat import *
from strategies.blas.skinny import optimize_few_columns, optimize_skinny

from .kernel import Kernel, kernel_of
from .level2 import gemv_n, gemv_trans, ger, shorter

COLUMNS = {"f32": 80, "f64": 40}
"""How many columns there are at most: ten vectors of AVX2."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a matrix with few columns are scheduled by."""
    return at("for i in _: _", optimize_skinny(precision, shorter(machine), COLUMNS[precision]))


def plan_few(most: int, machine: Machine) -> Op:
    """What they are scheduled by where vectors don't pay."""
    return at("for i in _: _", optimize_few_columns(most))


def kernel(precision: str, program: Proc, case: str = "skinny", *bounds: str) -> Kernel:
    """The kernel of a program, for a matrix with few columns."""
    most = COLUMNS[precision]
    few = (bound.format(w=most // 10, most=most) for bound in bounds or ("n <= {most}",))
    return kernel_of(program, precision, partial(plan, precision), case, *few)


def few_columns(precision: str, program: Proc, most: int) -> Kernel:
    """The kernel of a program, for a matrix with so few columns that vectors don't pay."""
    return kernel_of(program, precision, partial(plan_few, most), "few", f"n <= {most}")


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module. Those that write the matrix are for whole vectors, or one at least."""
    products = (kernel(t, p) for t in COLUMNS for p in (gemv_n, gemv_trans))
    whole = (kernel(t, ger, "skinny", "n <= {most}", "n % {w} == 0") for t in COLUMNS)
    ragged = (kernel(t, ger, "ragged", "{w} <= n", "n < {most} + {w}") for t in COLUMNS)
    few = (k for t in COLUMNS for k in (few_columns(t, gemv_n, COLUMNS[t] // 10 - 1), few_columns(t, gemv_trans, 7)))
    return (*products, *whole, *ragged, *few)
