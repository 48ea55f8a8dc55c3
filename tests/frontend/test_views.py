"""Buffers with other extents: what the language takes, what it refuses, what a program means, what rewrites may do."""

from __future__ import annotations

import numpy as np
import pytest
from returns.result import Success

from backends.c import MemoryAccessError, compile
from backends.c.memory import CMemory, Index
from backends.c.terms import Term
from backends.jit import jit
from exo_strat import (
    CheckError,
    ObjectTypeError,
    Op,
    ParseError,
    Proc,
    ViewExprCursor,
    at,
    delete_buffer,
    expand_dim,
    extract_subproc,
    inline,
    inline_assign,
    inline_window,
    parallelize_loop,
    proc_from_source,
    rearrange_dim,
    reorder_loops,
    reorder_stmts,
    resize_dim,
    schedule,
    set_memory,
    stage_mem,
)
from exo_strat.interp import run
from exo_strat.ops.failure import Failure
from exo_strat.testing.equivalence import assert_equivalent

HEAD = "def foo(n: size, m: size, x: f32[n, m], y: f32[n * m]):\n    "
SUM = """
def foo(n: size, m: size, x: f32[n, m], y: f32[n * m]):
    v = y.view(n, m)
    for i in seq(0, n):
        for j in seq(0, m):
            v[i, j] += x[i, j]
    y[0] = 0.0
"""


def accepted(op: Op, p: Proc) -> Proc:
    q = schedule(op, p)
    assert assert_equivalent(p, q) > 0
    return q


def refused(op: Op, p: Proc) -> str:
    outcome = op(p)
    assert not isinstance(outcome, Success), outcome
    failure: Failure = outcome.failure()
    return str(failure)


# -- the language -------------------------------------------------------------------------------------


def test_it_has_the_elements_of_the_buffer_row_by_row() -> None:
    p = proc_from_source(SUM)
    assert proc_from_source(str(p)).tree == p.tree
    inputs = {"n": 2, "m": 3, "x": [[10, 20, 30], [40, 50, 60]], "y": [1, 2, 3, 4, 5, 6]}
    assert run(p, inputs).outputs["y"] == (0, 22, 33, 44, 55, 66)
    x, y = (np.array(inputs[k], np.float32) for k in "xy")
    jit(p)(2, 3, x, y)
    assert y.tolist() == [0, 22, 33, 44, 55, 66]
    found = p.find("y.view(_, _)")
    assert isinstance(found, ViewExprCursor) and found.name() == "y"


@pytest.mark.parametrize("extents", ["n * m", "m, n", "1, n, m", "m * n, 1", "n, m"])
def test_products_that_are_equal_whatever_the_sizes(extents: str) -> None:
    rest = ", ".join("0" * (extents.count(",") + 1))
    proc_from_source(f"{HEAD}w = x.view({extents})\n    w[{rest}] = 1.0")


@pytest.mark.parametrize(
    "view, message",
    [
        ("x.view(n)", "more elements than x, or fewer; for example n = 1, m = 2: 1, and not 2"),
        ("x.view(m, n + 1)", "for example n = 1, m = 1: 2, and not 1"),
        ("x.view(n, n)", "for example n = 1, m = 2: 1, and not 2"),
        ("x.view(n * m - 1, 1)", "extent n \\* m - 1 of w may be less than 1"),
        ("y.view(n * n, m)", "for example n = 2, m = 1: 4, and not 2"),
    ],
)
def test_products_that_differ_are_refused_with_sizes(view: str, message: str) -> None:
    rest = ", ".join("0" * (view.count(",") + 1))
    with pytest.raises(CheckError, match=message):
        proc_from_source(f"{HEAD}w = {view}\n    w[{rest}] = 1.0")


def test_an_assertion_may_tell_that_they_are_equal() -> None:
    text = "def foo(n: size, x: f32[n]):\n    assert n == 6\n    w = x.view(2, 3)\n    w[1, 2] = 1.0"
    assert run(proc_from_source(text), {"n": 6, "x": [0] * 6}).outputs["x"] == (0, 0, 0, 0, 0, 1)
    with pytest.raises(CheckError, match="for example n = 1: 6, and not 1"):
        proc_from_source(text.replace("    assert n == 6\n", ""))


@pytest.mark.parametrize(
    "lines, error, message",
    [
        ("w = x.view(n * m)|x[0, 0] = 1.0|w[0] = 1.0", CheckError, "x is named while w is used"),
        ("w = x.view(n * m)|y[0] = x[0, 0]|w[0] = 1.0", CheckError, "x is named while w is used"),
        ("w = x.view(n * m)|v = x.view(m, n)|w[0] = 1.0", CheckError, "x is named while w is used"),
        ("u = x[0, 0:m]|w = x.view(n * m)|u[0] = 1.0|w[0] = 1.0", CheckError, "u is named while w is used"),
        ("w = x.view(n * m)|s = w[0:1]|x[0, 0] = 1.0|s[0] = 1.0", CheckError, "x is named while w is used"),
        ("w = y.view(n, m)|for i in seq(0, n):|    y[0] = w[i, 0]", CheckError, "y is named while w is used"),
        ("u = x[0, 0:m]|w = u.view(m, 1)|w[0, 0] = 1.0", ObjectTypeError, "only a dense tensor has other extents"),
        ("w = x.view(n * m)|v = w.view(n, m)|v[0, 0] = 1.0", CheckError, "only such a dense one"),
        ("s: f32|w = s.view(1)|w[0] = 1.0", ObjectTypeError, "only a dense tensor"),
        ("w = x.view()|w[0] = 1.0", ParseError, "the new extents stand in the parentheses"),
        ("w = x.view(0.5)|w[0] = 1.0", ObjectTypeError, "an integer control expression"),
        ("y[0] = x.view(n * m)", ParseError, "a call is a name"),
        ("w = z.view(n * m)|w[0] = 1.0", Exception, "'z' means nothing here"),
        ("w = y.view(n, m)|w[n, 0] = 1.0", CheckError, "out of bounds in dimension 0"),
    ],
)
def test_what_is_refused(lines: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        proc_from_source(HEAD + lines.replace("|", "\n    "))


@pytest.mark.parametrize(
    "lines",
    [
        "x[0, 0] = 1.0|w = x.view(n * m)|w[0] = 1.0|x[0, 0] = 2.0",
        "w = x.view(n * m)|w[0] = 1.0|v = x.view(m, n)|v[0, 0] = 2.0",
        "for i in seq(0, n):|    x[i, 0] = 1.0|    w = x.view(n * m)|    w[0] += 1.0",
        "u = x[0, 0:m]|w = x.view(n * m)|s = w[0:1]|s[0] = 1.0|u[0] = 1.0",
    ],
)
def test_the_buffer_has_its_name_before_and_after(lines: str) -> None:
    p = proc_from_source(HEAD + lines.replace("|", "\n    "))
    x = np.zeros((2, 3), np.float32)
    jit(p)(2, 3, x, np.zeros(6, np.float32))
    assert run(p, {"n": 2, "m": 3, "x": [[0] * 3] * 2, "y": [0] * 6}).outputs["x"] == tuple(map(tuple, x.tolist()))


def test_it_is_a_dense_argument() -> None:
    scale = proc_from_source("def scale(k: size, x: f32[k]):\n    for i in seq(0, k):\n        x[i] = 2.0 * x[i]")
    text = "def foo(x: f32[2, 3]):\n    w = x.view(6)\n    scale(6, w)"
    p = proc_from_source(text, {"scale": scale})
    assert run(p, {"x": [[1, 2, 3], [4, 5, 6]]}).outputs["x"] == ((2, 4, 6), (8, 10, 12))
    accepted(at("scale(_)", inline()), p)
    inner = proc_from_source("def inner(x: f32[6]):\n    v = x.view(2, 3)\n    v[1, 0] = 9.0")
    q = proc_from_source("def foo(z: f32[6]):\n    inner(z)", {"inner": inner})
    assert "v = z.view(2, 3)" in str(accepted(at("inner(_)", inline()), q))


def test_where_elements_do_not_lie_row_by_row_c_has_none() -> None:
    class Backwards(CMemory):
        def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
            return f"{name}[7 - ({index[-1].at})]"

    p = proc_from_source("def foo(x: f32[8]):\n    w = x.view(2, 4)\n    w[0, 0] = 1.0")
    compile([p])
    with pytest.raises(MemoryAccessError, match="has no other extents"):
        compile([set_memory.direct(p, "x", Backwards("BACKWARDS"))])


# -- rewrites -----------------------------------------------------------------------------------------


def test_its_elements_are_told_apart() -> None:
    p = proc_from_source(SUM)
    accepted(at("for i in _: _", parallelize_loop()), p)
    accepted(at("for i in _: _", reorder_loops()), p)
    q = accepted(at("for i in _: _", extract_subproc("bar")), p)
    assert "bar(n, m, x, v)" in str(q)
    shifted = proc_from_source(SUM.replace("+= x[i, j]", "= v[0, j]"))
    assert "no two iterations of i touch" in refused(at("for i in _: _", parallelize_loop()), shifted)


@pytest.mark.parametrize(
    "lines, op, message",
    [
        ("t = y[0]|v = y.view(n, m)|v[0, 0] = 2.0|x[0, 0] = t", at("t = _", inline_assign()), "does not change"),
        ("t = y[0]|v = y.view(n, m)|x[0, 0] = t|v[0, 0] = 2.0", at("t = _", inline_assign()), "y is named while v"),
        ("v = y.view(n, m)|v[0, 0] = 1.0|y[0] = 2.0", at("v[_] = _; y[_] = _", reorder_stmts()), "commute"),
        ("y[0] = 1.0|v = y.view(n, m)|v[0, 0] = 2.0", at("y[_] = _; v = _", reorder_stmts()), "y is named while v"),
        ("v = y.view(n, m)|v[0, 0] = 1.0", at("v = _", inline_window()), "v is no window"),
        ("v = y.view(n, m)|v[0, 0] = 1.0|y[0] = 2.0", at("v[_] = _; y[_] = _", stage_mem("v[0, 0]", "s")), "uses y"),
        ("v = y.view(n, m)|v[0, 0] = 1.0", at("v[_] = _", stage_mem("y[0:n]", "s")), "also reaches y by the window v"),
    ],
)
def test_what_it_does_is_done_to_the_buffer(lines: str, op: Op, message: str) -> None:
    p = proc_from_source(f"{HEAD}t: f32\n    " + lines.replace("|", "\n    "))
    assert message in refused(op, p)


def test_what_concerns_neither_is_done() -> None:
    lines = "t: f32|t = y[0]|v = y.view(n, m)|x[0, 0] = v[0, 0]|y[0] = t + 1.0"
    accepted(at("t = _", inline_assign()), proc_from_source(HEAD + lines.replace("|", "\n    ")))
    lines = "v = y.view(n, m)|v[0, 0] = 2.0|x[0, 0] = 1.0"
    accepted(at("v[_] = _; x[_] = _", reorder_stmts()), proc_from_source(HEAD + lines.replace("|", "\n    ")))


LOCAL = """
def foo(n: size, x: f32[n]):
    t: f32[4, n]
    v = t.view(n, 4)
    for i in seq(0, n):
        v[i, 2] = x[i]
"""


@pytest.mark.parametrize("op", [rearrange_dim([1, 0]), resize_dim(1, "2 * n", "0"), expand_dim("n", "0")])
def test_the_extents_of_the_buffer_stay(op: Op) -> None:
    p = proc_from_source(LOCAL + "        x[i] = v[i, 2]\n")
    assert "other extents" in refused(at("t: _", op), p)


def test_a_buffer_that_nobody_reads_goes_with_it() -> None:
    assert "view" not in str(accepted(at("t: _", delete_buffer()), proc_from_source(LOCAL)))
