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


def plan(precision: str, masks: bool, machine: Machine) -> Op:
    """What loops over the rows of a matrix with few columns are scheduled by; with masks if it is only read."""
    return at("for i in _: _", optimize_skinny(precision, shorter(machine), COLUMNS[precision], masks))


def kernel(precision: str, program: Proc) -> Kernel:
    """The kernel of a program, for a matrix with few columns."""
    name = named_for(precision, f"{program.name()}_skinny")
    few = direct.add_assertion(typed(program, precision, name), f"n <= {COLUMNS[precision]}")
    return Kernel(name, precision, few, partial(plan, precision, program != ger))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(kernel(t, p) for t in ("f32", "f64") for p in (gemv_n, gemv_trans, ger))
