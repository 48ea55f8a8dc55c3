"""Copies that are turned by whole tiles, and by parts of tiles at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import available, avx2, avx512, plain_c
from examples.exo_blas.programs import complex_gemm, complex_triangles
from examples.exo_blas.programs.kernel import typed
from examples.exo_blas.programs.level3 import matrix_turn
from examples.exo_blas.programs.products import matrix_turn_rows
from exo_strat import Machine, at, schedule
from strategies.blas.turning import turned

DTYPES = {"f32": "f4", "f64": "f8"}
EDGES = tuple((m, n) for m in range(2, 10) for n in range(2, 14))
"""Those of parts of a tile, of every size."""
SHAPES = ((1, 1), (4, 8), (9, 19), (64, 8), (65, 9), (66, 15), (67, 10), (5, 120), (17, 33), (100, 31))


@pytest.mark.parametrize("machine", [m for m in (plain_c, avx2, avx512) if available(m)], ids=repr)
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("by_rows", [False, True])
def test_each_element_is_copied(machine: Machine, precision: str, by_rows: bool) -> None:
    naive = typed(matrix_turn_rows if by_rows else matrix_turn, precision, "turn")
    scheduled = schedule(at("for j in _: _", turned(machine, precision, by_rows=by_rows)), naive)
    for m, n in SHAPES + EDGES:
        a, c = np.arange(m * n, dtype=DTYPES[precision]).reshape(n, m), np.zeros((m, n), DTYPES[precision])
        jit(scheduled, machine)(m, n, a if by_rows else a.T, c)
        assert np.array_equal(c, a.T)


def pairs_of(m: int, n: int, precision: str) -> np.ndarray:
    """A matrix of pairs, each another."""
    return np.arange(2 * m * n, dtype=DTYPES[precision]).reshape(m, n, 2)


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=repr)
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_pairs_are_turned(machine: Machine, precision: str) -> None:
    naive = typed(complex_gemm.turned_rows, precision, "turn_pairs")
    scheduled = schedule(complex_gemm.LEAVES["turned_rows"](precision, machine), naive)
    for m, n in SHAPES:
        b, t = pairs_of(n, m, precision), np.zeros((m, 2 * n), DTYPES[precision])
        jit(scheduled, machine)(n, m, b.reshape(n, 2 * m), t)
        assert np.array_equal(t.reshape(m, n, 2), b.transpose(1, 0, 2))


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=repr)
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("way", ["forward", "back"])
def test_pairs_of_rows_from_the_last_one_back_are_turned(machine: Machine, precision: str, way: str) -> None:
    names = (f"turned_{way}", f"returned_{way}")
    there, back = (
        schedule(complex_triangles.OWN[n](precision, machine), typed(complex_triangles.WAYS[n], precision, n))
        for n in names
    )
    for m, n in SHAPES:
        if n == 1:  # its stride is no one's
            continue
        b, t, again = pairs_of(m, n, precision), np.zeros((n, 2 * m), DTYPES[precision]), pairs_of(m, n, precision) * 0
        window, result = (z[:, ::-1] if way == "back" else z for z in (b, again))
        jit(there, machine)(m, n, window, t)
        assert np.array_equal(t.reshape(n, m, 2), window.transpose(1, 0, 2))
        jit(back, machine)(m, n, t, result)
        assert np.array_equal(b, again)
