"""Loops that compute in one precision what they go on with in another."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2, best_machine
from exo_strat import Proc, at, proc_from_source, schedule, trace
from exo_strat.testing import assert_equivalent
from strategies.auto import auto, conversions_apart
from strategies.inspect import nest_shape


def total(added: str) -> Proc:
    """A sum in f64 of what is computed from f32."""
    return proc_from_source(f"""
def total(n: size, x: f32[n], y: f32[n], s: f64):
    for i in seq(0, n):
        s += {added}
""")


@pytest.mark.parametrize(
    ("added", "parts"),
    [
        ("f64(x[i] * y[i])", "[t:; seq 8 > t =; seq 8 > s +=]"),
        ("f64(x[i] * y[i]) * f64(x[i])", "[t:; seq 8 > t =; seq 8 > s +=]"),
        ("f64(x[i] * y[i]) - f64(x[i] + y[i])", "[t:; t_1:; seq 8 > t =; seq 8 > t_1 =; seq 8 > s +=]"),
    ],
)
def test_what_is_converted_is_computed_before(added: str, parts: str) -> None:
    p = total(added)
    q = schedule(at("for i in _: _", conversions_apart(8)), p)
    assert str(nest_shape(q.find_loop("io"))) == f"seq n / 8 > {parts}"
    assert assert_equivalent(p, q) > 0


@pytest.mark.parametrize("added", ["f64(x[i])", "f64(x[i]) * f64(y[i])"])
def test_elements_are_converted_as_they_are_loaded(added: str) -> None:
    p = total(added)
    assert trace(at("for i in _: _", conversions_apart(8)), p)[1].failure is not None
    assert "mm256_loadu_cvtps_pd" in str(schedule(auto(avx2), p))


@pytest.mark.parametrize("n", [1, 7, 33, 1024, 3000])
def test_products_keep_their_rounding(n: int) -> None:
    p, machine = total("f64(x[i] * y[i])"), best_machine()
    x, y = (np.random.default_rng(k).random(n, np.float32) for k in range(2))
    s = np.zeros(1)
    jit(schedule(auto(machine), p), machine)(n, x, y, s)
    assert np.isclose(s[0], np.sum((x * y).astype(np.float64)), rtol=1e-13)
