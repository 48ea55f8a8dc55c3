"""What `auto` leaves alone so that each element is rounded as it is written."""

from __future__ import annotations

import numpy as np
import pytest

from backends import jit
from backends.cpu import features
from backends.targets import avx2
from exo_strat import Op, Proc, proc_from_source, schedule
from strategies.auto import auto, for_numpy

pytestmark = pytest.mark.skipif("avx2" not in features(), reason="this processor has no AVX2")
UNFUSED = ("-std=gnu11", "-O1", "-ffp-contract=off")
ROUNDED: Op = auto(avx2, rounded=True)


def sweep(value: str) -> Proc:
    return proc_from_source(f"""
def sweep(steps: size, n: size, x: f64[n, n]):
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                x[i, j] = {value}
""")


WAITS_FIRST = sweep("0.3 * (x[i, j - 1] + x[i - 1, j] + x[i, j + 1])")
WAITS_LAST = sweep("0.3 * (x[i - 1, j] + x[i, j + 1] + x[i, j - 1])")


@pytest.mark.parametrize("p", [WAITS_FIRST, WAITS_LAST], ids=["first", "last"])
def test_a_sum_that_waits_is_added_up_as_it_is_written(p: Proc) -> None:
    q = schedule(ROUNDED, p)
    assert str(q) != str(p)
    x = np.random.default_rng(0).random((170, 170))
    y = x.copy()
    jit(p, flags=UNFUSED)(8, 170, x)
    jit(q, avx2, UNFUSED)(8, 170, y)
    assert np.array_equal(x, y)


def test_steps_take_turns_only_where_what_waits_is_at_the_end_of_the_sum() -> None:
    assert ["r: f64" in str(schedule(ROUNDED, p)) for p in (WAITS_FIRST, WAITS_LAST)] == [False, True]


@pytest.mark.parametrize("value", ["x[i] * 0.0", "0.0 * x[i]", "x[i] + 0.0", "0.0 + 2.0 * x[i]", "t * x[i]"])
@pytest.mark.parametrize("plan", [ROUNDED, for_numpy(avx2)], ids=["auto", "for_numpy"])
def test_zeros_are_multiplied_and_added(plan: Op, value: str) -> None:
    """Infinity times 0 is no number, and -0 plus 0 is 0: plans would drop both."""
    p = proc_from_source(f"""
def foo(n: size, x: f64[n], y: f64[n]):
    t: f64
    t = 0.0
    for i in seq(0, n):
        y[i] = {value}
""")
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0])
    y, wanted = np.ones(7), np.ones(7)
    jit(schedule(plan, p), avx2, UNFUSED)(7, x, y)
    jit(p, flags=UNFUSED)(7, x, wanted)
    assert np.array_equal(np.isnan(y), np.isnan(wanted)) and np.array_equal(np.signbit(y), np.signbit(wanted))
