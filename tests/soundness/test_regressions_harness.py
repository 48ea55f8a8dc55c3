"""What chains of rewrites (`benchmarks.chains`) and the replay of counterexamples found, by name."""

from __future__ import annotations

import pytest
from pyrsistent import pmap
from returns.result import Failure as Err

from exo_strat import Config, Op, Unsafe, lift_reduce_constant, parallelize_loop, proc_from_source, unroll_buffer
from exo_strat.ir import types
from exo_strat.testing.counterexamples import assert_real, claims
from strategies.halide import H_compute_inline, H_reorder

Width = Config("Width", pmap({"w": types.size}))

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


def refusal_of_unroll(bound: str) -> Unsafe:
    """That of a buffer of which `stride(a, 0)` is asked, in a loop."""
    p = proc_from_source(
        f"def f(n: size, y: f32[4]):\n    for i in seq({bound}, n + 1):\n        a: f32[n, 2]\n"
        "        a[0, 1] = 0.0\n        if stride(a, 0) == 1:\n            y[0] = 0.0",
        {"Width": Width},
    )
    failure = unroll_buffer(1)(p, p.find("a: _")).failure()
    assert isinstance(failure, Unsafe) and assert_real(p, failure) == ("real" if failure.counterexample else "none")
    return failure


def test_a_stride_that_changes_is_shown_where_the_loops_around_are_known() -> None:
    assert refusal_of_unroll("0").counterexample
    assert not refusal_of_unroll("Width.w").counterexample, "nobody knows which iterations there are"


def test_a_refusal_below_a_stride_that_is_a_size_is_seen_in_a_run() -> None:
    p = proc_from_source(
        "def f(n: size, x: [f32][n]):\n    if stride(x, 0) == n + 4:\n        for i in seq(0, n):\n"
        "            x[i] = x[0] + 1.0"
    )
    failure = parallelize_loop()(p, p.find_loop("i")).failure()
    assert isinstance(failure, Unsafe) and assert_real(p, failure) == "real"


def test_a_factor_that_other_iterations_write_is_told_in_words() -> None:
    """The loop over j never runs, so only the new code reads the factor: no run of the old one shows the race."""
    p = proc_from_source(
        "def f(n: size, z: f32[4, n], u: f32[6]):\n    for i in par(1, n):\n        z[1, i - 1] = 0.0\n"
        "        for j in seq(2, 2):\n            z[j, j - 1] += z[1, i] * u[0]"
    )
    failure = lift_reduce_constant()(p, p.find("z[_] = _").expand(0, 1)).failure()
    assert isinstance(failure, Unsafe) and assert_real(p, failure) == "none"
    assert "in the new code, for instance with" in failure.details


def test_a_factor_is_read_after_the_loop_where_nobody_read_it_before() -> None:
    """With n = 1 the sums never run, and so the old program does not read the factor that the loop writes."""
    p = proc_from_source(
        "def f(n: size, x: f32[n], u: f32[6], a: f32):\n    a = 0.0\n    for j in seq(0, n):\n"
        "        if j < n - 1:\n            a += x[0] * u[0]\n            a += x[0] * 2.0\n        x[0] = 3.0"
    )
    with claims() as claimed:
        failure = lift_reduce_constant()(p, p.body()).failure()
    assert isinstance(failure, Unsafe) and assert_real(p, failure, claimed) == "real"
