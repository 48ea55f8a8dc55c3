"""Rewrites of code that makes buffers with other extents, by `view`, in the block that is rewritten."""

from __future__ import annotations

import pytest
from returns.result import Success

from exo_strat import (
    Op,
    Proc,
    at,
    fission,
    focus,
    inline,
    parallelize_loop,
    proc_from_source,
    reorder_loops,
    reorder_stmts,
    replace,
    reverse_loop,
    schedule,
    sink_alloc,
)
from exo_strat.logic.effects import dependence
from exo_strat.ops.failure import Failure
from exo_strat.testing import Miscompiled
from exo_strat.testing.counterexamples import assert_real
from exo_strat.testing.equivalence import assert_equivalent

HEAD = "def foo(n: size, m: size, x: f32[n, m], y: f32[n * m], z: f32[4 * n], u: f32[4, n]):\n    "
PARALLEL = at("for i in _: _", parallelize_loop())
REVERSE = at("for i in _: _", reverse_loop())


def of(lines: str) -> Proc:
    return proc_from_source(HEAD + lines.replace("|", "\n    "))


def accepted(op: Op, p: Proc) -> Proc:
    q = schedule(op, p)
    assert assert_equivalent(p, q) > 0
    return q


def refused(op: Op, p: Proc) -> Failure:
    outcome = op(p)
    assert not isinstance(outcome, Success), outcome
    failure: Failure = outcome.failure()
    return failure


def refuted(op: Op, p: Proc) -> str:
    failure = refused(op, p)
    assert assert_real(p, failure) == "real"
    return str(failure)


# -- iterations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        "for i in seq(0, n):|    v = y.view(n, m)|    for j in seq(0, m):|        v[i, j] = 1.0",
        "for i in seq(0, n):|    v = z.view(n, 4)|    for j in seq(0, 4):|        v[i, j] += 1.0|    z[4 * i] += 2.0",
        "for i in seq(0, n):|    v = y.view(n, m)|    v[i, m - 1] += 1.0|    y[m * i] += 2.0",
        "for i in seq(0, 4 * n):|    v = u.view(4 * n)|    v[i] += 1.0",
        "for i in seq(0, n):|    v = y.view(n, m)|    v[i, 0] = 1.0|    w = y.view(n, m, 1)|    w[i, m - 1, 0] = 2.0",
        "for i in seq(0, n):|    v = u.view(2, 2, n)|    w = v[0:2, 1, i]|    for k in seq(0, 2):|        w[k] = 1.0",
    ],
)
def test_each_iteration_has_elements_of_its_own(lines: str) -> None:
    accepted(PARALLEL, of(lines))
    accepted(REVERSE, of(lines))


@pytest.mark.parametrize(
    "lines",
    [
        "for i in seq(0, n):|    v = y.view(n, m)|    v[0, 0] = x[i, 0]",
        "for i in seq(0, n):|    v = z.view(n, 4)|    v[i, 2] = 1.0|    z[2 * i] = 2.0",
        "for i in seq(0, n):|    v = z.view(n, 4)|    v[i, 2] = 1.0|    w = z.view(4 * n, 1)|    w[i, 0] = 2.0",
        "for i in seq(0, n - 1):|    v = u.view(4 * n)|    v[i] = v[i + 1]",
        "for i in seq(0, n - 1):|    v = y.view(n, m)|    v[i, 0] = x[i, 0]|    y[m * i + m] = 2.0",
    ],
)
def test_iterations_that_meet_are_shown(lines: str) -> None:
    assert "no two iterations of i touch one location" in refuted(PARALLEL, of(lines))


@pytest.mark.parametrize(
    "lines",
    [
        # Where an element of one is in a buffer of two dimensions isn't known, so it may be any of them.
        "for i in seq(0, n):|    v = u.view(4 * n)|    v[i] = 1.0|    u[3, i] = 2.0",
        "for i in seq(0, n):|    v = u.view(4 * n)|    v[i] = 1.0|    w = u.view(2, 2, n)|    w[1, i, 0] = 2.0".replace(
            "seq(0, n)", "seq(0, 2)"
        ),
    ],
)
def test_by_two_names_they_may_meet(lines: str) -> None:
    failure = refused(PARALLEL, of(lines))
    assert getattr(failure, "counterexample", None) is None


def test_equal_indices_in_other_extents_are_other_places(monkeypatch: pytest.MonkeyPatch) -> None:
    p = proc_from_source(
        "def foo(t: f32[6], y: f32[3]):\n    for i in seq(0, 2):\n        v = t.view(2, 3)\n        v[i, 0] = 7.0\n"
        "        w = t.view(3, 2)\n        y[i] = w[i + 1, 1]\n"
    )
    assert "iterations of i commute" in refuted(REVERSE, p)
    monkeypatch.setattr(dependence, "seen_alike", lambda a, b: True)
    with pytest.raises(Miscompiled):
        assert_equivalent(p, schedule(REVERSE, p))


# -- buffers that are used by an iteration for itself --------------------------------------------------

ITS_OWN = """
def foo(n: size, x: f32[n, 6], y: f32[n]):
    t: f32[6]
    for i in seq(0, n):
        v = t.view(2, 3)
        for a in seq(0, 2):
            for b in seq(0, 3):
                v[a, b] = x[i, 3 * a + b]
        y[i] += v[0, 1] + v[1, 2]
"""
ROWS = """
def foo(n: size, x: f32[n], y: f32[n]):
    t: f32[2, n]
    for i in seq(0, n):
        v = t.view(2 * n)
        for k in seq(0, n):
            v[2 * k] = x[k]
            v[2 * k + 1] = x[i]
        y[i] += v[i]
"""


@pytest.mark.parametrize(
    "text",
    [
        ITS_OWN,
        ITS_OWN.replace("f32[6]\n    for", "f32[3, 2]\n    for"),
        ITS_OWN.replace("v[0, 1] + v[1, 2]", "t[1] + t[5]"),
        ITS_OWN.replace("        y[i]", "        w = t.view(6)\n        y[i]").replace("v[0, 1] + v[1, 2]", "w[4]"),
        ROWS,
    ],
)
def test_what_an_iteration_fills_first_is_its_own(text: str) -> None:
    accepted(REVERSE, proc_from_source(text))
    private = at("t: _", sink_alloc()) >> PARALLEL
    accepted(private, proc_from_source(text))
    assert "no two iterations of i touch" in str(refused(PARALLEL, proc_from_source(text)))  # they share the one buffer


@pytest.mark.parametrize(
    "old, new",
    [
        ("for b in seq(0, 3)", "for b in seq(0, 2)"),
        ("for a in seq(0, 2)", "for a in seq(1, 2)"),
        ("v[a, b] = ", "v[a, b] += "),
        ("                v[a, b] =", "                if x[i, 0] > 0.0: v[a, b] ="),
        ("for b in seq(0, 3)", "for b in seq(0, min(n - 3, 3))"),
        ("v[a, b] = x[i, 3 * a + b]", "v[1 - a, 2 - b] = v[a, b] + x[i, 3 * a + b]"),
    ],
)
def test_what_it_does_not_fill_it_has_from_another_one(old: str, new: str) -> None:
    text = ITS_OWN.replace("    for i", "    for k in seq(0, 6):\n        t[k] = 0.0\n    for i")
    p = proc_from_source(text.replace(old, new))
    assert "iterations of i commute" in str(refused(REVERSE, p))
    assert "t" in str(refused(at("t: _", sink_alloc()), p))


def test_what_is_read_later_is_no_iterations_own() -> None:
    p = proc_from_source(ITS_OWN + "    y[0] = t[3]\n")
    assert "iterations of i commute" in str(refused(REVERSE, p))


def test_a_loop_is_split_between_two_uses() -> None:
    more = "        w = t.view(3, 2)\n        for a in seq(0, 3):\n            w[a, 0] = x[i, a]\n"
    text = f"{ITS_OWN}{more}        y[i] += w[2, 0]\n"
    p = proc_from_source(text)
    q = accepted(focus(p.find("w = _").before()) >> fission(), p)
    assert str(q).count("for i in") == 2
    q = p = proc_from_source(text.replace("y[i] += w[2, 0]", "y[i] += w[2, 1]"))  # filled by the first part
    assert "does not" not in str(q) and refused(focus(p.find("w = _").before()) >> fission(), p)


# -- calls --------------------------------------------------------------------------------------------

FILL = (
    "def fill(n: size, m: size, y: f32[n * m]):\n    v = y.view(n, m)\n    for i in seq(0, n):\n        v[i, 0] = 1.0\n"
)


def test_a_callee_sees_its_argument_with_other_extents() -> None:
    fill = proc_from_source(FILL.replace("f32[n * m]", "f32[4 * n]").replace("view(n, m)", "view(n, 4)"))
    text = (
        "def foo(n: size, x: f32[4, n], y: f32[4 * n]):\n    v = x.view(4 * n)\n    fill(n, 2, v)\n    fill(n, 3, y)\n"
    )
    p = proc_from_source(text + "    y[1] = 2.0\n", {"fill": fill})
    accepted(at("fill(n, 3, y)\ny[_] = _", reorder_stmts()), p)
    accepted(at("fill(n, 3, y)", inline()), p)
    q = proc_from_source(text + "    y[0] = 2.0\n", {"fill": fill})
    assert "commute" in refuted(at("fill(n, 3, y)\ny[_] = _", reorder_stmts()), q)


# -- replace ------------------------------------------------------------------------------------------

PLAIN = "v = y.view(n, m)|for i in seq(0, n):|    v[i, 0] = 1.0"
REPLACE = at("v = _\nfor i in _: _", replace(proc_from_source(FILL)))


def test_code_with_a_view_is_a_call() -> None:
    assert "fill(n, m, y)" in str(accepted(REPLACE, of(PLAIN)))
    assert "fill(m, n, y)" in str(accepted(REPLACE, of(PLAIN.replace("n, m", "m, n").replace("(0, n)", "(0, m)"))))
    whole = proc_from_source(
        "def f(k: size, t: f32[k, 4]):\n    v = t.view(4 * k)\n    for i in seq(0, 4 * k):\n        v[i] = 1.0"
    )
    p = proc_from_source(
        "def foo(a: size, z: f32[2 * a, 4]):\n    v = z.view(8 * a)\n    for i in seq(0, 8 * a):\n        v[i] = 1.0"
    )
    assert "f(2 * a, z)" in str(accepted(at("v = _\nfor i in _: _", replace(whole)), p))


@pytest.mark.parametrize(
    "lines, why",
    [
        (
            PLAIN.replace("view(n, m)", "view(m, n)")
            .replace("(0, n)", "(0, m)")
            .replace("seq(0, m)", "seq(0, min(n, m))"),
            "unify",
        ),
        (PLAIN.replace("view(n, m)", "view(n, m, 1)").replace("[i, 0]", "[i, 0, 0]"), "unify"),
        (PLAIN.replace("view(n, m)", "view(1, n * m)").replace("v[i, 0]", "v[0, i]"), "unify"),
        (PLAIN.replace("[i, 0]", "[i, m - 1]"), "unify"),
        (PLAIN + "|v[0, 0] = 2.0", "a name defined in the block is used after it"),
        (PLAIN.replace("v = y.view(n, m)", "v = x[0:n, 0:m]"), "unify"),
    ],
)
def test_other_views_are_no_call(lines: str, why: str) -> None:
    assert why in str(refused(REPLACE, of(lines)))


def test_a_view_under_two_loops_may_be_interchanged() -> None:
    p = of("for i in seq(0, n):|    for j in seq(0, m):|        v = y.view(n, m)|        v[i, j] += x[i, j]")
    accepted(at("for i in _: _", reorder_loops()), p)
