"""Programs and Ops of a depth at which Python's recursion limit ends recursive functions."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from backends.c import compile as compile_c
from exo_strat import (
    Op,
    Proc,
    at,
    attempt,
    bind_expr,
    can_fail,
    commute_expr,
    cut_loop,
    fail,
    fix,
    guard,
    identity,
    inline,
    interp,
    lint,
    proc_from_source,
    rename,
    savec,
    schedule,
    seq,
    simplify,
    specialize,
    stage_mem,
    try_else,
    when,
    where,
)
from exo_strat.ir.memo import forget
from exo_strat.ir.room import TooDeep, with_room

TERMS, CONDITIONS, CALLS, OPS = 900, 300, 1200, 3000


HEAD = "def foo(x: f32[8], y: f32[8]):\n    for i in seq(0, 8):\n"


def _sum() -> str:
    terms = " + ".join(f"x[{k % 8}]" for k in range(TERMS))
    return f"{HEAD}        y[i] = {terms}\n"


def _index() -> str:
    total = " + ".join(["i"] * TERMS)
    return f"{HEAD}        if {total} < {TERMS}:\n            y[i] = 1.0\n"


def _chain() -> str:
    cases = (f"        {'el' * (k > 0)}if x[{k % 8}] < {k}.0:\n            y[i] = {k}.0\n" for k in range(CONDITIONS))
    return f"{HEAD}{''.join(cases)}"


def _all() -> str:
    conditions = " and ".join(f"x[{k % 8}] < {k + 1}.0" for k in range(CONDITIONS))
    return f"{HEAD}        if {conditions}:\n            y[i] = 1.0\n"


TEXTS = pytest.mark.parametrize("text", [_sum, _index, _chain, _all], ids=["sum", "index", "chain", "all"])
INPUTS = {"x": list(range(8)), "y": [0] * 8}


@TEXTS
def test_deep_programs_are_read_printed_compared_and_run(text: Callable[[], str]) -> None:
    p = proc_from_source(text())
    q = proc_from_source(str(p))
    assert p == q and hash(p) == hash(q) and hash(p.tree) == hash(q.tree)
    assert str(p.find("i"))
    assert interp.run(p, INPUTS).trap is None
    assert "for (" in compile_c([p]).source


@TEXTS
def test_deep_programs_are_rewritten(text: Callable[[], str]) -> None:
    p = proc_from_source(text())
    for op in (cut_loop("4"), specialize("x[0] < 3.0")):
        q = schedule(at("for i in _: _", op), p)
        assert interp.run(q, INPUTS).outputs == interp.run(p, INPUTS).outputs


def test_a_deep_sum_is_simplified_and_its_operands_rewritten() -> None:
    p = proc_from_source(_sum())
    for op in (
        simplify(),
        at("_ + _", commute_expr()),
        at("_ + _", bind_expr("t")),
        at("y[_] = _", stage_mem("y", "t")),
    ):
        q = schedule(op, p)
        assert interp.run(q, INPUTS).outputs == interp.run(p, INPUTS).outputs


def _calls() -> Proc:
    p = proc_from_source("def p0(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n")
    for k in range(1, CALLS):
        p = proc_from_source(f"def p{k}(n: size, x: f32[n]):\n    p{k - 1}(n, x)\n", {f"p{k - 1}": p})
    return p


def test_a_long_chain_of_calls() -> None:
    p, q = _calls(), _calls()
    forget()  # what was remembered of each callee, when it was read
    assert p == q and hash(p) == hash(q)
    inlined = schedule(at("_(_)", inline()), p)
    assert str(inlined).replace(f"p{CALLS - 1}", f"p{CALLS - 2}") == str(p.find("_(_)").subproc())  # type: ignore[union-attr]
    assert schedule(simplify(), p) == p
    forget()
    assert interp.run(p, {"n": 2, "x": [None, None]}).outputs["x"] == (0, 0)
    assert proc_from_source("def top(n: size, x: f32[n]):\n    f(n, x)\n", {"f": p}).name() == "top"


def _nested(around: Callable[[Op], Op]) -> Op:
    op: Op = rename("a")
    for _ in range(OPS):
        op = around(op)
    return op


@pytest.mark.parametrize(
    "around",
    [
        lambda op: when(_always, op),
        lambda op: guard(rename("b"), op),
        lambda op: seq(rename("b"), savec(op)),
        lambda op: fix(lambda x: try_else(seq(op, fail("no"), x), identity)),
        lambda op: where(guard(op, identity)),
    ],
    ids=["when", "guard", "savec", "fix", "where"],
)
def test_ops_nested_deeply(around: Callable[[Op], Op]) -> None:
    op, again = _nested(around), _nested(around)
    assert op == again and hash(op) == hash(again)
    assert op != _nested(lambda o: attempt(seq(o, rename("c"))))
    assert len(repr(op)) > OPS
    assert can_fail(op) == can_fail(around(rename("a")))


def test_a_deep_op_is_linted() -> None:
    assert lint(_nested(lambda op: guard(rename("b"), op))) == ()
    assert [f.law for f in lint(_nested(lambda op: seq(rename("b"), savec(op))))] == []


def _always(_: object) -> bool:
    return True


def test_a_recursion_without_end_ends_with_an_error_and_leaves_the_limit_alone() -> None:
    limit = sys.getrecursionlimit()

    @with_room
    def endless(n: int) -> int:
        return endless(n + 1)

    with pytest.raises(TooDeep, match="nested too deeply"):
        endless(0)
    assert sys.getrecursionlimit() == limit


def test_what_is_raised_with_room_is_raised_by_the_call() -> None:
    @with_room
    def raises(n: int) -> int:
        if n == 0:
            raise LookupError("at the bottom")
        return raises(n - 1)

    with pytest.raises(LookupError, match="at the bottom"):
        raises(5000)
