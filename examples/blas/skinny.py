"""Products and updates of a matrix with few columns: the kernels of `level2` once more, with the shared vector in
registers. Imports `exo_strat`, `kernel`, `level2` and `strategies.blas`.
"""

from __future__ import annotations

from functools import partial

from exo_strat import *
from exo_strat import direct
from strategies.blas.skinny import optimize_skinny

from .kernel import Kernel, named_for, typed
from .level2 import gemv_n, gemv_trans, ger, shorter

COLUMNS = {"f32": 80, "f64": 40}
"""How many columns there are at most: ten vectors of AVX2."""


def plan(precision: str, machine: Machine) -> Op:
    """What loops over the rows of a matrix with few columns are scheduled by."""
    return at("for i in _: _", optimize_skinny(precision, shorter(machine), COLUMNS[precision]))


def kernel(precision: str, program: Proc) -> Kernel:
    """The kernel of a program, for a matrix with few columns; if it is written, these are whole vectors."""
    name, most = named_for(precision, f"{program.name()}_skinny"), COLUMNS[precision]
    few = direct.add_assertion(typed(program, precision, name), f"n <= {most}")
    if program == ger:
        few = direct.add_assertion(few, f"n % {most // 10} == 0")
    return Kernel(name, precision, few, partial(plan, precision))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(kernel(t, p) for t in COLUMNS for p in (gemv_n, gemv_trans, ger))
