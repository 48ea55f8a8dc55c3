"""The arithmetic behind bounds and amounts, compared with Python's on small numbers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat import Sym, nodes, print_expr
from strategies.inspect import Amount
from strategies.inspect.affine import Affine, Atom, Bound, Floor, Free, affine, expression, known
from strategies.inspect.elimination import limits

N, M = Free(Sym("n", 1)), Free(Sym("m", 2))
P, Q = Bound(("i",)), Bound(("j",))

Values = Mapping[Atom, int]


def value(x: Affine, at: Values) -> int:
    """What a form is."""
    return x.const + sum(k * (value(a.form, at) // a.by if isinstance(a, Floor) else at[a]) for a, k in x.terms)


@st.composite
def forms(draw: st.DrawFn, atoms: tuple[Atom, ...], depth: int = 2) -> Affine:
    """A form, maybe with quotients in quotients."""
    out = Affine.of(draw(st.integers(-6, 6)))
    for a in atoms:
        out = out + Affine.of(a) * draw(st.integers(-4, 4))
    if depth and draw(st.booleans()):
        inner = draw(forms(atoms, depth - 1))
        c = draw(st.integers(1, 5))
        out = out + (inner.floor(c) if draw(st.booleans()) else inner.mod(c)) * draw(st.integers(-2, 2))
    return out


@given(forms((N, M)), st.integers(1, 6), st.integers(-9, 9), st.integers(-9, 9))
def test_quotients_and_remainders_are_pythons(x: Affine, c: int, n: int, m: int) -> None:
    at: Values = {N: n, M: m}
    assert value(x.floor(c), at) == value(x, at) // c
    assert value(x.ceiling(c), at) == -(-value(x, at) // c)
    assert value(x.mod(c), at) == value(x, at) % c


@given(forms((N, M)), st.integers(-9, 9), st.integers(-9, 9))
def test_object_code_says_the_same(x: Affine, n: int, m: int) -> None:
    e = expression(x)
    assert eval(print_expr(e, {}).replace("/", "//"), {"n": n, "m": m}) == value(x, {N: n, M: m})
    back = affine(e, lambda s: Affine.of(Free(s)))
    assert back is not None and value(back, {N: n, M: m}) == value(x, {N: n, M: m})


@given(forms((N, M)), forms((M,)), st.integers(-9, 9), st.integers(-9, 9))
def test_putting_a_form_for_an_atom(x: Affine, y: Affine, n: int, m: int) -> None:
    assert value(x.put(N, y), {N: n, M: m}) == value(x, {N: value(y, {M: m}), M: m})


@given(st.lists(forms((N, P, Q), depth=1), min_size=1, max_size=4), forms((N, P, Q)))
@settings(max_examples=60, deadline=None)
def test_limits_hold_wherever_the_constraints_do(constraints: list[Affine], index: Affine) -> None:
    t = Bound(("t",))
    gap = Affine.of(t) - index
    below, above = limits((*constraints, gap, -gap), t)
    for n, i, j in product(range(-3, 5), repeat=3):
        at: Values = {N: n, P: i, Q: j}
        if all(value(x, at) >= 0 for x in constraints):
            assert all(value(x, at) <= value(index, at) for x in below)
            assert all(value(x, at) >= value(index, at) for x in above)


def test_what_follows_from_a_condition() -> None:
    n, m = nodes.Var(N.sym), nodes.Var(M.sym)
    less = nodes.Binary("<", n, m)

    def shown(cond: nodes.Expr, truth: bool) -> list[str]:
        return [print_expr(expression(x), {}) for x in known(cond, truth, lambda s: Affine.of(Free(s)))]

    assert shown(less, True) == ["m - n - 1"]
    assert shown(less, False) == ["n - m"]
    assert shown(nodes.Unary("not", less), False) == ["m - n - 1"]
    assert shown(nodes.Binary("and", less, less), False) == []
    assert shown(nodes.Binary("or", less, less), False) == ["n - m", "n - m"]
    assert shown(nodes.Binary("==", n, m), True) == ["n - m", "m - n"]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.integers(-4, 4), st.integers(0, 6))
def test_sums_of_polynomials(factors: list[int], lo: int, times: int) -> None:
    i = Amount.of(Affine.of(P))
    term, body = Amount.of(1), Amount()
    for k in factors:
        body, term = body + term * k, term * i
    total = body.over(P, Affine(lo), Affine.of(N))
    assert total is not None
    wanted = sum(k * x**p for x in range(lo, lo + times) for p, k in enumerate(factors))
    assert total.at(n=lo + times) == wanted
