"""What chains of rewrites found, by name: see `benchmarks.chains`."""

from __future__ import annotations

import pytest
from returns.result import Failure as Err

from exo_strat import Op, proc_from_source
from strategies.halide import H_compute_inline, H_reorder

TWO_NESTS = """
def foo(n: size, x: f32[n], r: f32):
    a: f32
    for j in seq(0, n):
        for i in seq(0, n):
            a = x[i]
    r = a
"""


@pytest.mark.parametrize(
    ("op", "why"),
    [
        (H_reorder("a", "i", "i"), "has no loop i inside those named before it"),
        (H_compute_inline("a"), "outside of any loop"),
    ],
    ids=str,
)
def test_halides_operators_fail_where_they_crashed(op: Op, why: str) -> None:
    p = proc_from_source(TWO_NESTS)
    outcome = op(p, p.root())
    assert isinstance(outcome, Err) and why in str(outcome.failure())
