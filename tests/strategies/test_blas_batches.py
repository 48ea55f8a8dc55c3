"""Batches of products: what is decided by sizes is decided before the loop over the products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from backends import jit
from backends.targets import avx2, avx512, plain_c
from examples.exo_blas.programs.batches import kernels
from exo_strat import CallCursor, ForCursor, IfCursor, Machine

ROWS, TURNED = (next(k for k in kernels() if k.name == f"dproduct_batch{name}") for name in ("", "_turned"))


def branches(c: IfCursor) -> Iterator[ForCursor]:
    """The statements that are reached by decisions only, which must be loops over products."""
    for s in (*c.body(), *c.orelse()):
        if isinstance(s, IfCursor):
            yield from branches(s)
        else:
            assert isinstance(s, ForCursor) and s.name() == "g"
            yield s


@pytest.mark.parametrize(("machine", "columns"), [(avx2, 8), (avx512, 16)], ids=str)
def test_loops_over_products_of_one_tile_only_call_kernels(machine: Machine, columns: int) -> None:
    scheduled = ROWS.scheduled(machine)
    assert f"if n <= {columns}:" in str(scheduled)
    (decided,) = scheduled.body()
    assert isinstance(decided, IfCursor)
    kernels = [loop for loop in branches(decided) if len(loop.body()) == 1 and isinstance(loop.body()[0], CallCursor)]
    assert {f"dgemm_new_slim_{columns}_{m}x2{masked}" for m in (1, 6) for masked in ("", "m")} <= {
        loop.body()[0].subproc().name() for loop in kernels
    }


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=str)
def test_a_batch_is_what_its_program_says(machine: Machine, computes_the_same: Callable[..., None]) -> None:
    scheduled = ROWS.scheduled(machine)
    for m, n, k in ((1, 1, 1), (2, 4, 3), (3, 5, 2), (8, 7, 2), (13, 3, 1), (2, 9, 2), (5, 13, 1)):
        computes_the_same(ROWS.program, scheduled, batch=2, m=m, n=n, k=k)


def test_matrices_are_turned_some_at_a_time() -> None:
    scheduled = TURNED.scheduled(plain_c)
    called = [s.subproc().name() for s in scheduled.root().descendants() if isinstance(s, CallCursor)]
    assert called == ["dmatrix_turn", "dproduct_batch"]
    multiply, rng = jit(scheduled, plain_c), np.random.default_rng(1)
    for batch, some in product((1, 5), (1, 2, 9)):
        a, b, c = (rng.integers(-9, 9, (batch, *shape)).astype(float) for shape in ((2, 4), (3, 4), (2, 3)))
        want = 2 * (a @ b.mT) + 3 * c
        multiply(batch, 2, 3, 4, some, np.array(2.0), a, b.mT, np.array(3.0), c)
        assert np.array_equal(c, want)
