"""Level 2, packed: the programs of `level2` for triangles whose rows are stored without gaps.

What is stored how is said last: the plan is about the elements of a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from exo_strat import *
from strategies.blas.packed import Rows, optimize_packed

from . import level2
from .kernel import Kernel, kernel_of
from .storage import PACKED_LOWER, PACKED_UPPER

STORAGE = {"l": PACKED_LOWER, "u": PACKED_UPPER}
UPDATES = {"syr": Rows(4, alone_from=64), "syr2": Rows(4)}
"""How many rows are taken together where the matrix is written, unless said: stores are what takes time. Measured by
`python -m benchmarks.blas --only spr --only spr2`."""


def plan(precision: str, rows: Rows, storage: Memory, stored: Sequence[str], machine: Machine) -> Op:
    """What loops over rows are scheduled by."""
    return at("for i in _: _", optimize_packed(level2.shorter(machine), precision, stored, storage, rows))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this level."""
    return tuple(k for t in ("f32", "f64") for p in level2.PROGRAMS for k in kernels_of(t, p))


def kernels_of(precision: str, program: Proc) -> Iterator[Kernel]:
    """The kernels of a program on a triangle; if it is given the diagonal, one for a diagonal that is packed, too."""
    routine, _, variant = program.name().partition("_")
    storage = STORAGE.get(variant[:1])
    if storage is None:
        return
    cases: dict[str, Sequence[str]] = {"packed": ("a",)}
    if any(a.name() == "d" for a in program.args()):
        cases = {"packed": ("a", "d"), "packed_unit": ("a",)}
    for case, stored in cases.items():
        rows = UPDATES.get(routine, Rows())
        yield kernel_of(program, precision, partial(plan, precision, rows, storage, stored), case)
