"""Statements and operands exchanged: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import commute_expr, reorder_stmts
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import commute_expr as commute_op
from exo_strat.primitives import reorder_stmts as reorder_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    on: bool


SET = proc_from_source(
    """
def set(v: [f32][2]):
    v[0] = 1.0
    Cfg.n = 1
""",
    {"Cfg": Cfg},
)
NEEDS = proc_from_source(
    """
def needs(v: [f32][2]):
    assert Cfg.on == True
    v[0] = 1.0
""",
    {"Cfg": Cfg},
)


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "set": SET, "needs": NEEDS})


def pair(one: str, two: str) -> Proc:
    """The two statements next to each other, where there is a bit of everything."""
    return source(f"""
    def foo(n: size, x: f32[n + 4], y: f32[n + 4]):
        Cfg.on = True
        w = x[1:3]
        for i in seq(0, n):
            {one}
            {two}
            a: f32
            a = y[0]
            y[1] = a
    """)


# -- reorder_stmts ------------------------------------------------------------------------------------


def test_reorder_exchanges_statements_and_their_cursors(same: Same, body: Body, applied: Applied) -> None:
    p = pair("x[i] = 1.0", "x[i + 1] += x[i + 1]")
    one, two = p.find("x[_] = _"), p.find("x[_] += _")
    q, c = applied(reorder_op(), p, one.expand(0, 1))
    assert "x[i + 1] += x[i + 1]\n    x[i] = 1.0" in body(q)
    assert c == q.find("x[_] += _") == q.forward(two) and q.forward(one) == q.find("x[_] = _")
    same(p, q, n=3)
    assert reorder_stmts(p, one, two) == reorder_stmts(p, "x[_] = _", "x[_] += _") == q


def test_reorder_moves_a_block_past_the_statement_after_it(same: Same, body: Body) -> None:
    p = pair("x[i] = 1.0", "x[i] += 2.0")
    block = p.find("x[_] = _").expand(0, 1)
    q = reorder_stmts(p, block, "a: _")
    assert "a: f32 @ DRAM\n    x[i] = 1.0\n    x[i] += 2.0\n    a = y[0]" in body(q)
    assert list(q.forward(block).stmts) == list(block.stmts)
    same(p, q, n=3)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x[i] += 1.0", "x[0] += y[0]"),
        ("x[i] = 1.0", "w2 = x[0:2]"),
        ("for j in seq(0, i):\n                x[j] = 1.0", "x[i] = 2.0"),
        ("for j in seq(0, 0 - 1):\n                x[0] = 1.0", "x[0] = 2.0"),
        ("if i < 2:\n                x[0] = 1.0", "if i > 1:\n                x[0] = 2.0"),
        ("w[0] = 1.0", "x[0] = w[1]"),
    ],
)
def test_reorder_what_touches_different_places_or_only_adds(one: str, two: str, same: Same) -> None:
    p = pair(one, two)
    block = p.find_loop("i").body()
    same(p, reorder_stmts(p, block[0], block[1]), n=3)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x[i] = 1.0", "x[i] = 2.0"),
        ("x[i] = 1.0", "x[i] += 2.0"),
        ("x[i] = 1.0", "y[0] = x[n - 1]"),
        ("if x[2] < 1.0:\n                y[0] = 1.0", "x[i] = 2.0"),
        ("w[0] = 1.0", "x[1] = 2.0"),
        ("w[0] = 1.0", "y[0] = x[i]"),
        ("set(w[0:2])", "x[1] = 2.0"),
        ("set(w[0:2])", "Cfg.n = 2"),
        ("set(y[0:2])", "for j in seq(0, Cfg.n):\n                x[0] += 1.0"),
        ("Cfg.n = 1", "Cfg.n = 2"),
        ("Cfg.n = 1", "if Cfg.n == 1:\n                x[0] = 1.0"),
        ("Cfg.on = True", "needs(x[0:2])"),
    ],
)
def test_reorder_refuses_what_touches_the_same(one: str, two: str, refused: Refused) -> None:
    p = pair(one, two)
    block = p.find_loop("i").body()
    f = refused(reorder_stmts, p, block[0], block[1])
    assert isinstance(f, Unsafe) and "commute" in f.message and f.details


def test_reorder_shows_where_the_two_meet(refused: Refused) -> None:
    f = refused(reorder_stmts, pair("x[i + 2] = 1.0", "x[n - i] = 2.0"), "x[_] = 1.0", "x[_] = 2.0")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    assert f.counterexample["i"] + 2 == f.counterexample["n"] - f.counterexample["i"]
    assert f.details == "one writes x[i + 2], the other writes x[n - i]"


def test_reorder_keeps_definitions_before_uses(refused: Refused) -> None:
    p = pair("v = x[0:2]", "v[0] = 1.0")
    for one, two in [("v = _", "v[_] = _"), ("a: _", "a = _")]:
        f = refused(reorder_stmts, p, one, two)
        assert isinstance(f, Unsafe) and "defined in the first" in f.message


def test_reorder_needs_two_neighbours(refused: Refused) -> None:
    p = pair("x[i] = 1.0", "y[i] = 2.0")
    assert "must follow" in refused(reorder_stmts, p, "x[_] = _", "a: _").message
    assert isinstance(refused(reorder_stmts, p, "x[_] = _"), NotApplicable)
    assert isinstance(refused(reorder_stmts, p, p.find_loop("i").body()), NotApplicable)


# -- commute_expr -------------------------------------------------------------------------------------


def test_commute_sums_and_products_of_data_and_of_indices(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[2 * n + 1]):
        for i in seq(0, n):
            x[2 * i + 1] = x[i] * (x[0] + 1.0)
    """)
    e, s = p.find("x[i] * _"), p.find("x[_] = _")
    q, c = applied(commute_op(), p, e)
    assert body(q).endswith("x[2 * i + 1] = (x[0] + 1.0) * x[i]")
    assert c == q.find("x[_] = _").rhs() == q.forward(e) and q.forward(s) == q.find("x[_] = _")
    same(p, q, n=3)
    assert commute_expr(q, c) == p
    r = commute_expr(commute_expr(p, "2 * i + 1"), "2 * i")
    assert "x[1 + i * 2] =" in body(r)
    same(p, r, n=3)


@pytest.mark.parametrize("e", ["n - 1", "n / 2", "n % 2", "n < 3", "n < 3 and m < 3"])
def test_commute_nothing_else(e: str, refused: Refused) -> None:
    cond = e if "<" in e else f"{e} == 0"
    p = source(f"""
    def foo(n: size, m: size, x: f32):
        if {cond}:
            x = 0.0
    """)
    f = refused(commute_expr, p, e)
    assert isinstance(f, NotApplicable) and "does not commute" in f.message
