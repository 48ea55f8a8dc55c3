"""What the demonstrations run beside."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from strategies import rivals
from strategies.demos import axpy, gemv_n, sgemm
from strategies.rivals import Rival, saxpy


def test_axpy_runs_beside_a_blas_and_says_which() -> None:
    assert axpy.rival == saxpy().name
    assert "saxpy" in axpy.rival, "the NumPy of the tests has a BLAS that can be called"
    assert "matmul, which calls" in sgemm.rival and "dot, which calls" in gemv_n.rival


@pytest.mark.parametrize("rival", [saxpy(), Rival("parts", rivals._by_parts)], ids=["blas", "parts"])
def test_a_rival_adds_to_its_array(rival: Rival) -> None:
    a, x, y = np.array(2, np.float32), np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    call = rival.call(a, x, y)
    call()
    call()
    assert np.array_equal(y, 1 + 4 * x)


def test_arrays_live_as_long_as_the_call() -> None:
    call = axpy.peer(axpy.inputs((100_000,), np.random.default_rng(0)))
    gc.collect()
    for _ in range(3):
        call()


def test_numpy_without_a_blas_that_can_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "NAMES", ())
    monkeypatch.setattr(rivals, "_of_scipy", lambda: None)
    assert "product and sum" in saxpy.__wrapped__().name
