"""What the kernel publishes for strategies and backends: each name does on a tree what its page says."""

from __future__ import annotations

from exo_strat import R, analysis, f64, proc_from_source
from exo_strat.frontend.exprs import parse_expr
from exo_strat.frontend.scope import scope_at
from exo_strat.ir.nodes import Expr

P = proc_from_source("""
def foo(n: size, x: f32[n], y: f64[n], r: R):
    for i in seq(0, n):
        x[i] = 2.0
    for j in seq(1, 5):
        r = y[0]
""")
LOOP, OTHER = (("body", 0),), (("body", 1),)


def test_what_is_asked_of_loops() -> None:
    assert analysis.iterations_apart(P.tree, LOOP)
    verdict = analysis.iterations_apart(P.tree, OTHER)
    assert not verdict and str(verdict).startswith("no two iterations of j touch one location that either writes; ")
    assert [analysis.trip_count(P.tree.body[k]) for k in (0, 1)] == [None, 4]


def test_what_is_asked_of_places() -> None:
    assert analysis.holds_everywhere(P.tree, (*LOOP, ("body", 0)), condition("i < n"))
    assert not analysis.holds_everywhere(P.tree, (*LOOP, ("body", 0)), condition("i < 4"))
    assert str(analysis.precision_at(P.tree, (*OTHER, ("body", 0), ("rhs", None)))) == "f64"


def condition(text: str) -> Expr:
    """A condition on the variables of the first loop, as a cursor to it takes it."""
    return parse_expr(text, scope_at(P.tree, (*LOOP, ("body", 0))))


def test_what_is_asked_of_a_precision() -> None:
    assert str(analysis.concrete(R)) == "f32"
    assert (analysis.size_of(R), analysis.size_of(f64)) == (4, 8)
