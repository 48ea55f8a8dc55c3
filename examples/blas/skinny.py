"""Products and updates of a matrix with few columns: the kernels of `level2` once more, with the shared vector in
registers. Imports `exo_strat`, `kernel`, `level2` and `strategies.blas`.
"""

from __future__ import annotations

from functools import partial

from exo_strat import *
from exo_strat import direct
from strategies.blas.skinny import optimize_few_columns, optimize_skinny

from .kernel import Kernel, named_for, typed
from .level2 import gemv_n, gemv_trans, ger, shorter

COLUMNS = {"f32": 80, "f64": 40}
"""How many columns there are at most: ten vectors of AVX2."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a matrix with few columns are scheduled by."""
    return at("for i in _: _", optimize_skinny(precision, shorter(machine), COLUMNS[precision]))


def kernel(precision: str, program: Proc, case: str = "skinny", *bounds: str) -> Kernel:
    """The kernel of a program, for a matrix with few columns."""
    name, most = named_for(precision, program.name(), case), COLUMNS[precision]
    few = typed(program, precision, name)
    for bound in bounds or (f"n <= {most}",):
        few = direct.add_assertion(few, bound.format(w=most // 10, most=most))
    return Kernel(name, precision, few, partial(plan, precision))


def few_columns(precision: str, program: Proc, most: int) -> Kernel:
    """The kernel of a program, for a matrix with so few columns that vectors don't pay."""
    name = named_for(precision, f"{program.name()}_few")
    few = direct.add_assertion(typed(program, precision, name), f"n <= {most}")
    return Kernel(name, precision, few, lambda _: at("for i in _: _", optimize_few_columns(most)))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module. Those that write the matrix are for whole vectors, or one at least."""
    products = (kernel(t, p) for t in COLUMNS for p in (gemv_n, gemv_trans))
    whole = (kernel(t, ger, "skinny", "n <= {most}", "n % {w} == 0") for t in COLUMNS)
    ragged = (kernel(t, ger, "ragged", "{w} <= n", "n < {most} + {w}") for t in COLUMNS)
    few = (k for t in COLUMNS for k in (few_columns(t, gemv_n, COLUMNS[t] // 10 - 1), few_columns(t, gemv_trans, 7)))
    return (*products, *whole, *ragged, *few)
