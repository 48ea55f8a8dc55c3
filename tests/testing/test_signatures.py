"""Comparing procedures of which one takes other arguments than the other, which it was made from."""

from __future__ import annotations

import pytest

from exo_strat.cursors.proc import Proc, _next_version
from exo_strat.direct import partial_eval, rename, transpose
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.interp import Array, run
from exo_strat.testing import Inputs, Miscompiled, assert_equivalent
from exo_strat.testing.signatures import back, forth, signature_steps

P = proc_from_source("""
def foo(n: size, m: size, x: f32[n, m], y: [f32][m, 2]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] = y[j, 0]
""")


def given(p: Proc, **args: object) -> Inputs:
    return Inputs(args, {})


def test_fixed_arguments_are_given_to_the_original() -> None:
    q = rename(partial_eval(P, 3, m=2), "bar")
    values = back(signature_steps(P, q), given(q, x=1, y=2))
    assert values.args == {"n": 3, "m": 2, "x": 1, "y": 2}


def test_a_dense_buffer_is_turned_by_copying_a_window_by_its_strides() -> None:
    q = transpose(transpose(P, "x"), "y")
    x = Array([1, 2, 3, 4, 5, 6], 0, (3, 2), (2, 1))
    y = Array(list(range(20)), 1, (2, 3), (9, 2))
    steps = signature_steps(P, q)
    values = back(steps, given(q, n=2, m=3, x=x, y=y))
    assert values.args["x"] == Array([1, 3, 5, 2, 4, 6], 0, (2, 3), (3, 1))
    assert values.args["y"] == Array(y.cells, 1, (3, 2), (2, 9))
    left = forth(steps, run(P, values.args))
    assert left.outputs["x"] == ((1, 1), (3, 3), (5, 5))
    assert left == run(q, {"n": 2, "m": 3, "x": x, "y": y})


def test_several_rewrites_in_a_row_are_compared() -> None:
    q = transpose(partial_eval(transpose(P, "x"), m=4), "y")
    assert assert_equivalent(P, q, narrower=True) > 0


def test_a_difference_is_found() -> None:
    q = partial_eval(P, 2)
    other = proc_from_source(str(q).replace("y[j, 0]", "y[j, 1]"))
    made = _next_version(q, other.tree, q.rewritten, True)  # type: ignore[arg-type]
    with pytest.raises(Miscompiled, match=r"x should be"):
        assert_equivalent(P, _child_of(P, made), narrower=True)


def _child_of(p: Proc, q: Proc) -> Proc:
    """A version of `p` with the tree of another, as if the same rewrite had made it."""
    assert q.rewritten is not None
    return _next_version(p, q.tree, q.rewritten, True)


def test_unrelated_procedures_take_what_they_take() -> None:
    assert signature_steps(P, proc_from_source(str(P))) == ()
