"""Terms keep their meaning when printed; control expressions evaluate with floor division."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backends.c.symbols import bounds
from backends.c.terms import Term, add, binary, mul, num, sub, unary
from backends.evaluate import Values, evaluate
from backends.kernel import Binary, Const, Control, Expr, Sym, Unary, Var

NAMES = {"a": 7, "b": -3, "c": 2}


def terms() -> st.SearchStrategy[tuple[Term, int]]:
    """A term, and its value when a, b and c have theirs."""
    numbers = st.integers(-9, 9).map(lambda n: (num(n), n))
    names = st.sampled_from(sorted(NAMES.items())).map(lambda v: (Term(v[0]), v[1]))

    def extend(inner: st.SearchStrategy[tuple[Term, int]]) -> st.SearchStrategy[tuple[Term, int]]:
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: (add(p[0][0], p[1][0]), p[0][1] + p[1][1])),
            pair.map(lambda p: (sub(p[0][0], p[1][0]), p[0][1] - p[1][1])),
            pair.map(lambda p: (mul(p[0][0], p[1][0]), p[0][1] * p[1][1])),
            pair.map(lambda p: (binary("<", p[0][0], p[1][0]), int(p[0][1] < p[1][1]))),
            inner.map(lambda t: (unary("-", t[0]), -t[1])),
        )

    return st.recursive(numbers | names, extend, max_leaves=12)


@given(terms())
def test_printed_terms_have_the_value_they_were_made_with(case: tuple[Term, int]) -> None:
    term, value = case
    assert int(eval(term.text, dict(NAMES))) == value
    assert term.value in (None, value)


INDEX, SIZE = Sym("i", 0), Sym("n", 1)


def integers() -> st.SearchStrategy[Expr]:
    def lit(n: int) -> Expr:
        return Const(n, Control("int"))

    leaves: st.SearchStrategy[Expr] = st.one_of(st.integers(-9, 9).map(lit), st.sampled_from([Var(INDEX), Var(SIZE)]))
    return st.recursive(
        leaves,
        lambda e: st.one_of(
            st.builds(Binary, st.sampled_from("+-*"), e, e),
            st.builds(Binary, st.sampled_from("/%"), e, st.integers(1, 5).map(lit)),
            st.builds(Unary, st.just("-"), e),
        ),
        max_leaves=8,
    )


@given(integers(), st.integers(-3, 4), st.integers(1, 20))
def test_bounds_hold(e: Expr, i: int, n: int) -> None:
    lo, hi = bounds(e, {INDEX: (-3, 4), SIZE: (1, None)})
    value = evaluate(e, Values({INDEX: i, SIZE: n}, {}))
    assert (lo is None or lo <= value) and (hi is None or value <= hi)
