"""The arithmetic behind bounds and amounts, compared with Python's on small numbers."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat import Sym, forms
from exo_strat.forms import Atom, Lin, V, value_of
from exo_strat.testing import examples
from strategies.inspect import Amount
from strategies.inspect.elimination import bound, limits

N, M = V(Sym("n", 1)), V(Sym("m", 2))
P, Q, T = (bound(name).terms[0][0] for name in "ijt")


@st.composite
def linear(draw: st.DrawFn, atoms: tuple[Atom, ...], depth: int = 2) -> Lin:
    """A form, maybe with quotients in quotients."""
    out = Lin(draw(st.integers(-6, 6)))
    for a in atoms:
        out = out + Lin.of(a) * draw(st.integers(-4, 4))
    if depth and draw(st.booleans()):
        inner = draw(linear(atoms, depth - 1))
        c = draw(st.integers(1, 5))
        out = out + (inner.div(c) if draw(st.booleans()) else inner.mod(c)) * draw(st.integers(-2, 2))
    return out


@given(st.lists(linear((N, P, Q), depth=1), min_size=1, max_size=4), linear((N, P, Q)))
@settings(max_examples=examples(60))
def test_limits_hold_wherever_the_constraints_do(constraints: list[Lin], index: Lin) -> None:
    t = Lin.of(T)
    below, above = limits((*constraints, t - index, index - t), T)
    for n, i, j in product(range(-3, 5), repeat=3):
        at: forms.Model = {N: n, P: i, Q: j}
        if all(value_of(x, at) >= 0 for x in constraints):
            assert all(value_of(x, at) <= value_of(index, at) for x in below)
            assert all(value_of(x, at) >= value_of(index, at) for x in above)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.integers(-4, 4), st.integers(0, 6))
def test_sums_of_polynomials(factors: list[int], lo: int, times: int) -> None:
    i = Amount.of(Lin.of(P))
    term, body = Amount.of(1), Amount()
    for k in factors:
        body, term = body + term * k, term * i
    total = body.over(P, Lin(lo), Lin.of(N))
    assert total is not None
    wanted = sum(k * x**p for x in range(lo, lo + times) for p, k in enumerate(factors))
    assert total.at(n=lo + times) == wanted
