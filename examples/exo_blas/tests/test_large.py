"""Level 2 as wrappers call it, scheduled, against its naive programs, by the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backends.targets import plain_c
from examples.exo_blas.programs import dense, gemv, ger
from examples.exo_blas.programs.kernel import Kernel
from exo_strat.interp import run

KERNELS = {k.name: k for module in (dense, gemv, ger) for k in module.kernels_for("f64")}
FLAGS = ("lower", "dots", "unit")
FROM = ("far", "long", "near", "ordered", "ordered_apart")
"""Numbers of columns, or of elements, from which on a matrix is taken another way."""
FEW = 44
"""Columns from which on `ger` has a kernel of its own, in double precision."""


def arguments(kernel: Kernel, rng: np.random.Generator) -> dict[str, Any]:
    """Small whole numbers, so that sums are exact; diagonals are ones."""
    trans, is_ger = "trans" in kernel.name, "ger" in kernel.name
    square = not is_ger and "gemv" not in kernel.name
    first, last = (1, 14) if not is_ger else (1, FEW) if kernel.name.endswith("few") else (FEW, 99)
    m, n = int(rng.integers(1, 30 if is_ger else 14)), int(rng.integers(first, last))
    given: dict[str, Any] = {"m": m, "n": n, "block": int(rng.integers(1, 6)), "part": 4, "panel": 3}
    given |= {"threads": int(rng.integers(1, 4)), "wide": int(rng.integers(1, 30))}
    given |= {"before": int(rng.integers(4)), "turn": int(rng.integers(4))}
    given |= {quantity: int(rng.integers(2 * m * n)) for quantity in FROM}
    given |= {flag: bool(rng.integers(2)) for flag in FLAGS} | {"alpha": 2, "beta": int(rng.integers(3))}
    rows, columns = (n, n) if square else (m, n)
    given["a"] = rng.integers(-2, 3, (rows, columns))
    if square:
        np.fill_diagonal(given["a"], 1)
    given |= {
        "x": rng.integers(-2, 3, rows if trans or is_ger else columns),
        "y": rng.integers(-2, 3, columns if trans or is_ger else rows),
    }
    given["d"] = np.ones(n, int)
    names = [a.name() for a in kernel.program.args()]
    return {name: v.tolist() if isinstance(v := given[name], np.ndarray) else v for name in names}


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_what_wrappers_call_computes_what_the_naive_program_does(name: str) -> None:
    kernel, rng = KERNELS[name], np.random.default_rng(7)
    scheduled = kernel.scheduled(plain_c)
    for _ in range(25):
        given = arguments(kernel, rng)
        want, found = run(kernel.program, given), run(scheduled, given)
        assert found.trap is None and want.trap is None, (given, found.trap, want.trap)
        assert found == want, given
