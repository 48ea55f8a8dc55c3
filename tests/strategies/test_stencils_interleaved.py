"""Sweeps whose elements wait for each other, several steps of time at a time."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2
from exo_strat import Proc, at, proc_from_source, schedule
from strategies.stencils import interleave_steps


def sweep(value: str, first: int = 1, target: str = "x[i, j]") -> Proc:
    return proc_from_source(f"""
def sweep(T: size, n: size, x: f64[n, n]):
    for t in seq(0, T):
        for i in seq({first}, n - 1):
            for j in seq(1, n - 1):
                {target} = {value}
""")


NINE = " + ".join(f"x[i{di}, j{dj}]" for di in (" - 1", "", " + 1") for dj in (" - 1", "", " + 1"))


@pytest.mark.parametrize("value", [f"0.1 * ({NINE})", "0.2 * x[i, j - 1] + (x[i + 1, j] + 0.5 * x[i, j])"])
@pytest.mark.parametrize(("steps", "width"), [(2, 4), (4, 8)])
def test_steps_in_turns_compute_the_same(value: str, steps: int, width: int) -> None:
    p = sweep(value)
    q = schedule(at("for t in _: _", interleave_steps(avx2, "f64", steps, width)), p)
    ours, plain = jit(q, avx2), jit(p)
    for times, n in ((1, 3), (5, 13), (8, 70)):
        x = np.random.default_rng(n).random((n, n))
        wanted, found = x.copy(), x.copy()
        plain(times, n, wanted)
        ours(times, n, found)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("p", "why"),
    [
        (sweep("0.5 * (x[i, j] + x[i, j + 1])"), "this is no sweep of two loops in which elements wait"),
        (sweep("x[i, j - 1] * x[i, j]"), "what was computed in the iteration before is not in a sum"),
        (sweep("0.5 * (x[i, j - 1] + x[i - 1, j + 1] + x[n - 1 - i, j])"), "reorder_loops"),
    ],
)
def test_other_sweeps_are_refused(p: Proc, why: str) -> None:
    failed = at("for t in _: _", interleave_steps(avx2, "f64", 4, 8))(p).failure()
    assert why in str(failed)
