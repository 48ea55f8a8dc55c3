"""Lemmas about products are true of all integers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exo_strat.ir.names import Sym
from exo_strat.logic.forms.formula import Lin, V, eq, evaluate, ge, product
from exo_strat.logic.solver.lemmas import lemmas

a, b, c = (V(Sym(name, k)) for k, name in enumerate("abc"))
x, y, z = map(Lin.of, (a, b, c))
QUESTION = [ge(product(x, y), product(z, y)), eq(product(product(x, y), z), product(x, x)), ge(product(x.div(2), y), 1)]

number = st.integers(-9, 9)


@given(number, number, number)
def test_lemmas_hold_everywhere(i: int, j: int, k: int) -> None:
    found = lemmas(QUESTION)
    assert found
    for f in found:
        assert evaluate(f, {a: i, b: j, c: k})


def test_questions_without_products_need_none() -> None:
    assert lemmas([ge(x, y * 3)]) == []
