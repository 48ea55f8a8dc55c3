"""Iterations with steps of their own that wait for each other: several at once, in vectors."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2, plain_c
from exo_strat import CallCursor, Proc, on, proc_from_source, schedule, trace
from exo_strat.testing import assert_equivalent
from strategies.auto import auto
from strategies.auto.lanes import in_lanes
from strategies.inspect import statements


def horner(step: str = "s = s * x[i] + c[k]") -> Proc:
    return proc_from_source(f"""
def horner(n: size, d: size, c: f64[d], x: f64[n], y: f64[n]):
    for i in seq(0, n):
        s: f64
        s = 0.0
        for k in seq(0, d):
            {step}
        y[i] = s
""")


def test_a_polynomial_is_computed_at_several_places_at_once() -> None:
    p = horner()
    q = schedule(auto(avx2), p)
    calls = {s.subproc().name() for s in statements(q.root()) if isinstance(s, CallCursor)}
    assert any("fmadd" in name for name in calls) and assert_equivalent(p, q) > 0
    rng = np.random.default_rng(0)
    for n, d in ((1, 1), (15, 3), (16, 4), (70, 9)):
        c, x, y = rng.random(d), rng.random(n), np.zeros(n)
        jit(q, avx2)(n, d, c, x, y)
        assert np.allclose(y, np.polyval(c, x))


@pytest.mark.parametrize(
    "p",
    [
        horner("s += x[i] * c[k]"),  # a sum waits for nothing
        proc_from_source("""
def rows(n: size, m: size, x: f64[n, m + 1]):
    for i in seq(0, n):
        for k in seq(0, m):
            x[i, k + 1] = 2.0 * x[i, k]
"""),  # elements of several iterations lie apart
        proc_from_source("""
def shared(n: size, d: size, s: f64, c: f64[d], y: f64[n]):
    for i in seq(0, n):
        for k in seq(0, d):
            s = s * c[k] + 1.0
        y[i] = s
"""),  # an iteration goes on from what the one before it left
    ],
)
def test_others_are_refused(p: Proc) -> None:
    assert trace(on(p.body()[0], in_lanes(avx2, "f64")), p)[1].failure is not None


def test_without_vectors_there_are_no_lanes() -> None:
    assert trace(on(horner().body()[0], in_lanes(plain_c, "f64")), horner())[1].failure is not None
