"""Formulas are canonical, and mean what integers say: checked against evaluation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.ir.names import Sym
from exo_strat.logic.forms.affine import OTHER
from exo_strat.logic.forms.formula import (
    FALSE,
    TRUE,
    BoolAtom,
    Eq,
    Formula,
    Lin,
    Mul,
    Opaque,
    Quot,
    V,
    atoms,
    between,
    conj,
    disj,
    eq,
    evaluate,
    ge,
    gt,
    iff,
    implies,
    le,
    lt,
    ne,
    neg,
    product,
    subst,
    value_of,
)

Vi, Vj, Vn = (V(Sym(n, k)) for k, n in enumerate("ijN", 1))
i, j, n = map(Lin.of, (Vi, Vj, Vn))
B = BoolAtom("b")

small = st.integers(-6, 6)
worlds = st.fixed_dictionaries({Vi: small, Vj: small, Vn: small, B: st.booleans()})


def linear(depth: int = 2) -> st.SearchStrategy[Lin]:
    base = st.one_of(small.map(Lin), st.sampled_from([i, j, n]))
    if depth == 0:
        return base
    sub = linear(depth - 1)
    divisor = st.integers(1, 5)
    return st.one_of(
        base,
        st.builds(lambda a, b: a + b, sub, sub),
        st.builds(lambda a, b: a - b, sub, sub),
        st.builds(lambda a, k: a * k, sub, small),
        st.builds(lambda a, c: a.div(c), sub, divisor),
        st.builds(lambda a, c: a.mod(c), sub, divisor),
    )


def formulas() -> st.SearchStrategy[Formula]:
    leaf = st.one_of(
        st.builds(lambda f, a, b: f(a, b), st.sampled_from([ge, gt, le, lt, eq, ne]), linear(1), linear(1)),
        st.sampled_from([B, TRUE, FALSE]),
    )
    return st.recursive(
        leaf,
        lambda f: st.one_of(
            *[st.builds(op, f, f) for op in (conj, disj, implies, iff)],
            st.builds(neg, f),
        ),
        max_leaves=5,
    )


def test_equal_forms_are_equal_data() -> None:
    assert i + j - i == j
    assert (i + j) * 2 == j * 2 + i + i
    assert hash(i + j) == hash(j + i)
    assert i - i == Lin(0)


def test_whole_multiples_leave_a_quotient() -> None:
    assert (i * 8 + j).div(8) == i + j.div(8)
    assert (i * 8 + 11).mod(8) == Lin(3)
    assert (j - 1).div(4) == (j + 3).div(4) - 1


def test_nested_quotients_become_one() -> None:
    assert i.div(2).div(3) == i.div(6)
    assert (i * 2).div(4) == i.div(2)
    assert (i * 2 + 1).div(4) == i.div(2)


def test_a_divisor_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        i.div(0)


def test_inequalities_are_tightened() -> None:
    assert ge(i * 2, 1) == ge(i, 1)
    assert eq(i * 2, 1) == FALSE
    assert eq(i, j) == eq(j, i)
    assert neg(ge(i, 1)) == le(i, 0)


def test_contradictory_literals_fold() -> None:
    assert conj(ge(i, 1), lt(i, 1)) == FALSE
    assert disj(eq(i, 1), ne(i, 1)) == TRUE
    assert conj() == TRUE
    assert disj() == FALSE


def test_products_multiply_out() -> None:
    assert product(n + 1, j) == product(j, n) + j
    assert product(n, Lin(3)) == n * 3
    assert product(product(n, j), i) == product(n, product(i, j))


def test_substitution_reaches_into_quotients_and_products() -> None:
    assert subst(eq((i + 1).div(4), j), {Vi: j * 4 + 2}) == TRUE
    assert subst(eq(product(n, j), 12), {Vn: Lin(3)}) == eq(j, 4)
    assert subst(ge(i, j), {Vn: Lin(3)}) is not None


def test_substitution_keeps_what_it_does_not_touch() -> None:
    f = conj(ge(i, j), ne(n.div(2), 3))
    assert subst(f, {V(Sym("other", 9)): Lin(0)}) is f


def test_atoms_are_listed_once_and_with_their_insides() -> None:
    q = Quot(i + 1, 4)
    assert atoms(conj(ge((i + 1).div(4), j), B, ge(i, 0))) == (Vj, q, Vi, B)
    assert atoms(eq(product(i, n), 0)) == (Mul((Vi, Vn)), Vi, Vn)


def test_tags_and_keys_tell_unknowns_apart() -> None:
    assert V(Vi.sym, OTHER) != Vi
    assert Lin.of(Opaque(("stride", 1))) != Lin.of(Opaque(("stride", 2)))
    assert isinstance(eq(V(Vi.sym, OTHER), i), Eq)


@given(linear(), linear(), worlds, st.integers(1, 7))
def test_arithmetic_is_that_of_integers(a: Lin, b: Lin, w: dict[V | BoolAtom, int], c: int) -> None:
    x, y = value_of(a, w), value_of(b, w)
    assert value_of(a + b, w) == x + y
    assert value_of(a - b, w) == x - y
    assert value_of(a * -3, w) == x * -3
    assert value_of(a.div(c), w) == x // c
    assert value_of(a.mod(c), w) == x % c
    assert value_of(product(a, b), w) == x * y


@given(linear(), linear(), worlds)
def test_comparisons_mean_what_they_say(a: Lin, b: Lin, w: dict[V | BoolAtom, int]) -> None:
    x, y = value_of(a, w), value_of(b, w)
    got = [evaluate(f(a, b), w) for f in (ge, gt, le, lt, eq, ne)]
    assert got == [x >= y, x > y, x <= y, x < y, x == y, x != y]
    assert evaluate(between(a, b, 3), w) == (x <= y < 3)


@given(formulas(), formulas(), worlds)
def test_connectives_mean_what_they_say(f: Formula, g: Formula, w: dict[V | BoolAtom, int]) -> None:
    p, q = evaluate(f, w), evaluate(g, w)
    assert evaluate(neg(f), w) == (not p)
    assert evaluate(conj(f, g), w) == (p and q)
    assert evaluate(disj(f, g), w) == (p or q)
    assert evaluate(implies(f, g), w) == (not p or q)
    assert evaluate(iff(f, g), w) == (p == q)


@given(formulas(), linear(), worlds)
def test_substitution_is_evaluation_at_the_new_value(f: Formula, a: Lin, w: dict[V | BoolAtom, int]) -> None:
    assert evaluate(subst(f, {Vi: a}), w) == evaluate(f, {**w, Vi: value_of(a, w)})
