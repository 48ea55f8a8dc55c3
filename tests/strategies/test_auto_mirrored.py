"""Vectors that are updated by themselves turned round, in place."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2
from exo_strat import ForCursor, Proc, at, proc_from_source, schedule
from exo_strat.testing import assert_equivalent
from strategies.auto import auto, mirrored_in_place


def update(value: str, copied: str = "y[i] = z[i]", n: str = "n") -> Proc:
    return proc_from_source(f"""
def update(n: size, a: f64, y: f64[n], x: f64[n]):
    z: f64[n]
    for i in seq(0, n):
        z[i] = {value}
    for i in seq(0, {n}):
        {copied}
""")


TURNED = update("x[i] * y[i] + a * y[n - 1 - i]")
IN_PLACE = at("for i in _: _", mirrored_in_place())


def test_elements_and_those_that_mirror_them_are_stored_together() -> None:
    q = schedule(IN_PLACE, TURNED)
    assert [s.hi().text() for s in q.body() if isinstance(s, ForCursor)] == ["n / 2", "n - n / 2"]
    assert not q.root().find_all("z: f64[_]")
    assert_equivalent(TURNED, q)


@pytest.mark.parametrize("value", ["y[i] + y[i // 2]", "y[0] + a * y[n - 1 - i]"])
def test_what_needs_other_elements_is_refused(value: str) -> None:
    assert IN_PLACE(update(value.replace("//", "/"))).failure()


def test_the_loops_are_a_temporary_and_its_copy() -> None:
    more = update("y[i]", copied="y[i] = z[i]\n        x[i] = z[i]")
    assert "no loops that fill a temporary" in IN_PLACE(more).failure().message
    alone = proc_from_source("def f(n: size, x: f64[n]):\n    for i in seq(0, n):\n        x[i] = 1.0\n    x[0] = 2.0")
    assert "no loop comes next" in IN_PLACE(alone).failure().message


@pytest.mark.parametrize("n", [1, 2, 7, 8, 16, 37, 64])
def test_auto_does_so_in_vectors(n: int) -> None:
    q = schedule(auto(avx2, "f64"), TURNED)
    assert q.root().find_all("mm256_storer_pd(_)")
    x, y = np.random.default_rng(n).random((2, n))
    wanted, found = y.copy(), y.copy()
    jit(TURNED)(n, 0.5, wanted, x)
    jit(q, avx2)(n, 0.5, found, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
