"""Reductions by `*`, `min` and `max` in generated C: values, types, numbers that are none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from backends import jit
from backends.c.errors import RaceError
from exo_strat import Proc

Code = Callable[..., Proc]


def test_each_operator_computes_what_numpy_does(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n], y: f32[n], s: f64):
        for i in seq(0, n):
            x[i] *= y[i] + 1.0
            x[i] = max(x[i], y[i])
            x[i] = min(x[i], 6.0)
            s = max(s, x[i])
    """)
    x, y, s = np.linspace(-3, 3, 7, dtype=np.float32), np.linspace(1, 4, 7, dtype=np.float32), np.zeros(1)
    want = np.minimum(np.maximum(x * (y + 1), y), np.float32(6))
    f = jit(p)
    f(7, x, y, s)
    assert np.array_equal(x, want) and s[0] == want.max()
    assert "x[i] *= y[i] + 1.0f;" in f.module.source and "exo_max_f32(x[i], y[i])" in f.module.source


def test_bounds_are_taken_at_the_precision_of_what_is_written(code: Code) -> None:
    p = code("""
    def p(x: i8[3], y: i32[3]):
        for i in seq(0, 3):
            y[i] = max(y[i], x[i])
            y[i] *= 2.0
    """)
    x, y = np.array([-7, 0, 100], np.int8), np.array([-1000, 5, 70], np.int32)
    jit(p)(x, y)
    assert y.tolist() == [-14, 10, 200]


@pytest.mark.parametrize("op", ["min", "max"])
def test_the_old_value_stays_if_either_is_not_a_number(op: str, code: Code) -> None:
    p = code(f"""
    def p(x: f32[4], y: f32[4]):
        for i in seq(0, 4):
            x[i] = {op}(x[i], y[i])
    """)
    nan = np.nan
    x, y = np.array([nan, 1, nan, -1], np.float32), np.array([0, nan, nan, -1], np.float32)
    jit(p)(x, y)
    assert np.array_equal(x, np.array([nan, 1, nan, -1], np.float32), equal_nan=True)


def test_iterations_that_accumulate_into_one_place_may_not_be_parallel(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n], s: f32):
        for i in par(0, n):
            s = max(s, x[i])
    """)
    with pytest.raises(RaceError):
        jit(p)
