"""Rows of a matrix that are taken several at a time: those of rectangles, and of triangles that are solved."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2
from exo_strat import Failure, Proc, at, decisions, proc_from_source, schedule
from exo_strat.testing import assert_equivalent
from strategies.auto import auto
from strategies.auto.rows import is_solved, rows_together
from strategies.inspect import loops_inside


def solved(rows: str = "seq(0, n)", columns: str = "seq(0, i)") -> Proc:
    return proc_from_source(f"""
def solved(n: size, a: f64[n, n], b: f64[n], x: f64[n]):
    for i in {rows}:
        x[i] = b[i]
        for j in {columns}:
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
""")


FORWARD, BACKWARD = solved(), solved("seq(n - 1, -1, -1)", "seq(i + 1, n)")
PRODUCT = proc_from_source("""
def product(n: size, a: f64[n, n], x: f64[n], y: f64[n]):
    for i in seq(0, n):
        for j in seq(0, i):
            y[i] += a[i, j] * x[j]
""")


@pytest.mark.parametrize("p", [FORWARD, BACKWARD])
@pytest.mark.parametrize("n", [1, 7, 8, 43])
def test_a_triangle_is_solved_several_rows_at_a_time(p: Proc, n: int) -> None:
    q = schedule(auto(avx2, "f64"), p)
    assert any(x.name() == "io" and loops_inside(x) for x in loops_inside(q.root()))
    rng = np.random.default_rng(n)
    a, b, x = rng.random((n, n)) + n * np.eye(n), rng.random(n), np.zeros(n)
    jit(q, avx2)(n=n, a=a, b=b, x=x)
    np.testing.assert_allclose((np.tril(a) if p is FORWARD else np.triu(a)) @ x, b)


def test_rows_that_need_no_others_are_no_system() -> None:
    solve, multiply = loops_inside(FORWARD.root())[0], loops_inside(PRODUCT.root())[0]
    assert is_solved(solve) and not is_solved(multiply)
    step = decisions(at("for i in _: _", rows_together(avx2, "f64", 4, 1)), PRODUCT)[0]
    assert isinstance(step.failure(), Failure)


def test_nothing_is_left_over_where_the_rows_divide() -> None:
    p = proc_from_source("""
def gemv(n: size, a: f64[64, n], x: f64[n], y: f64[64]):
    for i in seq(0, 64):
        for j in seq(0, n):
            y[i] += a[i, j] * x[j]
""")
    q = schedule(at("for i in _: _", rows_together(avx2, "f64", 4, 1)), p)
    assert [x.hi().text() for x in q.body()] == ["16"]  # type: ignore[attr-defined]
    assert assert_equivalent(p, q) > 0
