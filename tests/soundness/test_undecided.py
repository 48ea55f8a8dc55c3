"""Where the solver can decide nothing, as products of unknowns are in all facts, every rewrite is refused in words or
right: no question ends in an error, and none is answered by default."""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import Tally, check_op
from exo_strat.testing.applications import application
from exo_strat.testing.choices import Choices

C = Config("C", pmap({"k": types.index}))
P = proc_from_source(
    """
def undecided(n: size, k: size, m: size, x: f32[n, k, m], y: f32, z: f32[8]):
    assert stride(x, 0) % 16 == 0
    a: f32[8]
    C.k = 0
    for i in seq(0, 8):
        if stride(x, 0) == 48:
            a[i] = z[i] + y
            y += 1.0
    for i in seq(0, n):
        for j in seq(0, k):
            if stride(x, 1) < 3 * n:
                x[i, j, 0] = a[0]
            else:
                z[C.k] = 2.0 * y
        y = z[0]
        y = z[1]
""",
    {"C": C},
)
TIMES = 12


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_a_rewrite_is_refused_or_right(name: str) -> None:
    for seed in range(TIMES):
        drawn = application(Choices.seeded(seed), P, PRIMITIVES[name])
        if drawn is not None:
            op, c = drawn
            check_op(op, P, c, Tally())
