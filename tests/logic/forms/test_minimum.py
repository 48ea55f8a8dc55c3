"""Minimum and maximum of affine forms: their values, the conditions on them, and what the solver proves of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.ir.names import Sym
from exo_strat.ir.printing import print_expr
from exo_strat.logic.forms.affine import Least, Lin, V, lin_atoms, maximum, minimum, subst_lin, value_of
from exo_strat.logic.forms.formula import eq, evaluate, ge, ne
from exo_strat.logic.forms.translate import lin
from exo_strat.logic.questions import to_expr
from exo_strat.logic.solver.proofs import prove

X, Y, Z = (V(Sym(name, k)) for k, name in enumerate("xyz"))
NAMES = {a.sym: a.sym.name for a in (X, Y, Z)}
POINTS = [dict(zip((X, Y, Z), values, strict=True)) for values in product(range(-3, 4), repeat=3)]


def forms(depth: int = 2) -> st.SearchStrategy[Lin]:
    """Affine forms in x, y, z, with minima and maxima, quotients of these, and multiples."""
    plain = st.builds(
        lambda c, a, b, d: Lin.sum(c, [(X, a), (Y, b), (Z, d)]),
        *[st.integers(-3, 3) for _ in range(4)],
    )
    if not depth:
        return plain
    inner = forms(depth - 1)
    return st.one_of(
        plain,
        st.builds(minimum, inner, inner),
        st.builds(maximum, inner, inner),
        st.builds(lambda x, c: x.div(c), inner, st.integers(1, 4)),
        st.builds(lambda x, y, k: x + y * k, inner, inner, st.integers(-2, 2)),
    )


@given(forms(), forms())
def test_their_values(x: Lin, y: Lin) -> None:
    for point in POINTS:
        a, b = value_of(x, point), value_of(y, point)
        assert value_of(minimum(x, y), point) == min(a, b)
        assert value_of(maximum(x, y), point) == max(a, b)
    assert minimum(x, y) == minimum(y, x) and maximum(x, y) == maximum(y, x)
    assert minimum(x, y) + maximum(x, y) == x + y


@given(forms(), forms())
def test_conditions_on_them(x: Lin, y: Lin) -> None:
    for p in POINTS:
        a, b = value_of(x, p), value_of(y, p)
        assert [evaluate(f(x, y), p) for f in (ge, eq, ne)] == [a >= b, a == b, a != b]


@given(forms(), forms(1))
def test_what_is_put_in_for_a_variable(x: Lin, y: Lin) -> None:
    new = subst_lin(x, {X: y})
    assert all(value_of(new, p) == value_of(x, {**p, X: value_of(y, p)}) for p in POINTS)


@given(forms())
def test_as_expressions_they_are_the_same(x: Lin) -> None:
    assert lin(to_expr(x)) == x, print_expr(to_expr(x), NAMES)


@given(forms(), forms(), st.integers(-2, 2))
def test_what_is_proved_and_refuted(x: Lin, y: Lin, c: int) -> None:
    within = [f for a in (X, Y, Z) for f in (ge(Lin.of(a), -3), ge(3, Lin.of(a)))]
    goal = ge(x + c, y)
    answer = prove(within, goal)
    counter = [p for p in POINTS if not evaluate(goal, p)]
    assert bool(answer) == (not counter)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (minimum(Lin.of(X), Lin.of(Y)), "min(x, y)"),
        (minimum(Lin.of(X), Lin(8)) + 3, "min(x + 3, 11)"),
        (maximum(Lin.of(X) * 2, Lin.of(X) * 2 + 4), "2 * x + 4"),
        (Lin.of(Z) - minimum(Lin.of(X) * 2, Lin.of(Y) * 4), "max(z - 2 * x, z - 4 * y)"),
    ],
)
def test_how_they_are_written(form: Lin, text: str) -> None:
    assert print_expr(to_expr(form), NAMES) == text


def test_one_atom_for_a_pair() -> None:
    low, high = minimum(Lin.of(X), Lin.of(Y) + 2), maximum(Lin.of(X), Lin.of(Y) + 2)
    assert len({a for a in lin_atoms(low + high * 3) if isinstance(a, Least)}) == 1
