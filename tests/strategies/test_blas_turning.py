"""Copies that are turned by whole tiles, the last of which overlap those before."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2, plain_c
from examples.exo_blas.programs.kernel import typed
from examples.exo_blas.programs.level3 import matrix_turn
from examples.exo_blas.programs.products import matrix_turn_rows
from exo_strat import Machine, at, schedule
from strategies.blas.turning import turned

DTYPES = {"f32": "f4", "f64": "f8"}
SHAPES = ((1, 1), (4, 8), (9, 19), (64, 8), (65, 9), (66, 15), (67, 10), (5, 120), (17, 33), (100, 31))


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=repr)
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("by_rows", [False, True])
def test_each_element_is_copied(machine: Machine, precision: str, by_rows: bool) -> None:
    naive = typed(matrix_turn_rows if by_rows else matrix_turn, precision, "turn")
    scheduled = schedule(at("for j in _: _", turned(machine, precision, by_rows=by_rows)), naive)
    for m, n in SHAPES:
        a, c = np.arange(m * n, dtype=DTYPES[precision]).reshape(n, m), np.zeros((m, n), DTYPES[precision])
        jit(scheduled, machine)(m, n, a if by_rows else a.T, c)
        assert np.array_equal(c, a.T)
