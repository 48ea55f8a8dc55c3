"""Squares that are updated by their own rows and columns, and nests like products with other operations."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2
from exo_strat import at, proc_from_source, schedule
from strategies.auto import as_like_product, auto, in_panels, like_product

PATHS = proc_from_source("""
def paths(n: size, d: f64[n, n]):
    for k in seq(0, n):
        for i in seq(0, n):
            for j in seq(0, n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
""")


def like(value: str, operator: str = "max") -> str:
    return f"""
def foo(n: size, x: f64[n, n], y: f64[n, n], z: f64[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            for k in seq(0, n):
                z[i, j] = {operator}(z[i, j], {value})
"""


@pytest.mark.parametrize("value", ["x[i, k] + y[k, j]", "y[k, j] * x[i, k] + x[i, k]", "x[i, k]"])
def test_whatever_is_computed_of_a_row_and_a_column_is_like_a_product(value: str) -> None:
    p = proc_from_source(like(value))
    assert like_product(p.find_loop("i")) is not None
    q = schedule(at("for i in _: _", as_like_product(avx2)), p)
    for n in (1, 21):
        rng = np.random.default_rng(n)
        x, y, z = rng.random((3, n, n))
        wanted, found = z.copy(), z.copy()
        jit(p)(n, x, y, wanted)
        jit(q, avx2)(n, x, y, found)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "value", ["x[k, i] + y[k, j]", "x[i, j] + y[k, j]", "x[i, k] + 1.0", "x[i, 2 * k - k] + y[j, k]"]
)
def test_what_is_not_like_a_product_is_left(value: str) -> None:
    assert like_product(proc_from_source(like(value)).find_loop("i")) is None


@pytest.mark.parametrize("n", [1, 16, 50])
def test_paths_in_panels_are_the_same_paths_to_the_bit(n: int) -> None:
    """Also where a diagonal is negative, so that a step changes the row and the column that it reads"""
    q = schedule(auto(avx2, "f64").fill({"auto.planned.by_nest.by_steps.panels.size": 16}), PATHS)
    assert len(q.root().find_all("like_product(_)")) == 5
    for least in (0.0, -1.0):
        d = np.random.default_rng(n).uniform(least, 10.0, (n, n))
        wanted, found = d.copy(), d.copy()
        jit(PATHS)(n, wanted)
        jit(q, avx2)(n, found)
        np.testing.assert_array_equal(found, wanted)


def test_other_updates_get_no_panels() -> None:
    other = proc_from_source(str(PATHS).replace("d[i, k] + d[k, j]", "d[i, k] + d[j, k]"))
    op = at("for k in _: _", in_panels(avx2, 16))
    assert op(other).failure().message == "this is no update of a square by its own rows and columns"
