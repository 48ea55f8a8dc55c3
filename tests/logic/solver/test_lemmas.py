"""Lemmas about products are true of all integers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat.ir.names import Sym
from exo_strat.logic.forms.affine import OTHER, quotient, remainder, subst_lin, value_of
from exo_strat.logic.forms.formula import Formula, Lin, V, conj, eq, evaluate, ge, le, lt, ne, neg, product
from exo_strat.logic.solver.answers import Proved, Refuted
from exo_strat.logic.solver.lemmas import lemmas
from exo_strat.logic.solver.proofs import prove, prove_exists

a, b, c = (V(Sym(name, k)) for k, name in enumerate("abc"))
x, y, z = map(Lin.of, (a, b, c))
QUESTION = [ge(product(x, y), product(z, y)), eq(product(product(x, y), z), product(x, x)), ge(product(x.div(2), y), 1)]

number = st.integers(-9, 9)


@given(number, number, number)
def test_lemmas_hold_everywhere(i: int, j: int, k: int) -> None:
    found = [f for part in lemmas(QUESTION) for f in part]
    assert found
    for f in found:
        assert evaluate(f, {a: i, b: j, c: k})


def test_questions_without_products_need_none() -> None:
    assert list(lemmas([ge(x, y * 3)])) == [[], [], []]


# -- quotients by forms -------------------------------------------------------------------------------

n, m, k = (V(Sym(name, number)) for number, name in enumerate("nmk", 3))
N, M, K = map(Lin.of, (n, m, k))
COUNT = product(N, M)
Q, R = quotient(K, M), remainder(K, M)
INSIDE = [ge(M, 1), ge(N, 1), ge(K, 0), lt(K, COUNT)]
DIVIDED = [
    *INSIDE, lt(Q, N), le(x, Q), eq(quotient(x - K, M + 1), y), ge(product(quotient(x, COUNT), M), K),
    lt(x, product(y, M + 1)), ge(quotient(x, M + 1), y + 1), ne(remainder(y, COUNT), R),
]  # fmt: skip
far = st.integers(-(10**20), 10**20)


@settings(max_examples=40)
@given(st.tuples(*[number | far] * 6))
def test_lemmas_of_quotients_hold_everywhere(values: tuple[int, ...]) -> None:
    """Also where what is divided by is no size."""
    model = dict(zip((a, b, c, n, m, k), values, strict=True))
    for part in lemmas(DIVIDED):
        for f in part:
            assert evaluate(f, model), f


@settings(max_examples=40)
@given(number | far, st.integers(1, 9) | st.integers(1, 10**10), st.integers(1, 9) | st.integers(1, 10**10))
def test_what_is_proved_of_rows_and_columns(i: int, columns: int, rows: int) -> None:
    model = {k: i, m: columns, n: rows}
    for goal in (lt(Q, N), ge(Q, 0), ge(R, 0), lt(R, M), eq(product(Q, M) + R, K)):
        assert isinstance(prove(INSIDE, goal), Proved)
        assert evaluate(goal, model) or not all(evaluate(f, model) for f in INSIDE)
    assert (i // columns, i % columns) == (value_of(Q, model), value_of(R, model))


def other(f: Lin) -> Lin:
    return subst_lin(f, {k: Lin.of(V(k.sym, OTHER))})


def test_iterations_of_a_loop_over_rows_and_columns_are_apart() -> None:
    both = [*INSIDE, ge(other(K), 0), lt(other(K), COUNT), lt(K, other(K))]
    assert prove(both, neg(conj(eq(Q, other(Q)), eq(R, other(R)))))
    assert prove(both, le(Q, other(Q)))
    for one in (Q, R):  # one of the two is not enough
        answer = prove(both, ne(one, other(one)))
        assert isinstance(answer, Refuted) and value_of(one, answer.model) == value_of(other(one), answer.model)


def test_each_row_and_column_is_in_some_iteration() -> None:
    there = [ge(M, 1), ge(N, 1), ge(x, 0), lt(x, N), ge(y, 0), lt(y, M)]
    assert prove_exists(there, [k], conj(ge(K, 0), lt(K, COUNT), eq(Q, x), eq(R, y)))
    assert prove_exists(INSIDE, [a, b], conj(*there[2:], eq(product(x, M) + y, K)))
    beyond = [*there[:2], ge(x, 0), le(x, N), *there[4:]]
    assert isinstance(prove_exists(beyond, [k], conj(ge(K, 0), lt(K, COUNT), eq(Q, x), eq(R, y))), Refuted)


def test_a_product_of_what_is_chosen_is_no_number_of_its_own() -> None:
    """Of `m*a + a == k` a solution is known for each value that `m*a` might have: it need not be m times a."""
    assert not prove_exists(INSIDE, [a], eq(product(M, x) + x, K))
    assert not prove_exists(INSIDE, [a], eq(product(x, x) + x, K))
    assert not prove_exists(INSIDE, [a], eq(quotient(x, M) + x, K))
    assert prove_exists(INSIDE, [a], eq(product(M, x) + x, product(K, M) + K))


FALSE_CLAIMS: list[tuple[list[Formula], Formula]] = [
    ([ge(N, 1), ge(K, 0), le(K, COUNT)], lt(Q, N)),  # m may be 0
    (INSIDE, lt(Q, N - 1)),
    (INSIDE, lt(Q, M)),
    ([ge(M, 1), ge(N, 1), lt(K, COUNT)], ge(Q, 0)),
    ([ge(M, 1), ge(K, 0), le(K, COUNT)], lt(Q, N)),
]


@pytest.mark.parametrize(("facts", "goal"), FALSE_CLAIMS)
def test_what_is_false_has_a_counterexample(facts: list[Formula], goal: Formula) -> None:
    answer = prove(facts, goal)
    assert not answer
    if isinstance(answer, Refuted):
        assert all(evaluate(f, answer.model) for f in facts) and not evaluate(goal, answer.model)
