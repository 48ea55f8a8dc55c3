"""Affine forms as strategies see them, compared with Python's arithmetic on small numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pvector

from exo_strat import Sym, forms, nodes, print_expr
from exo_strat.forms import Lin, V
from exo_strat.ir.build import num

N, M = V(Sym("n", 1)), V(Sym("m", 2))
n, m = nodes.Var(N.sym), nodes.Var(M.sym)


@st.composite
def sums(draw: st.DrawFn, depth: int = 2) -> Lin:
    """A form, maybe with quotients and remainders in each other."""
    out = Lin(draw(st.integers(-6, 6))) + Lin.of(N) * draw(st.integers(-4, 4)) + Lin.of(M) * draw(st.integers(-4, 4))
    if depth and draw(st.booleans()):
        inner, c = draw(sums(depth - 1)), draw(st.integers(1, 5))
        out = out + (inner.div(c) if draw(st.booleans()) else inner.mod(c)) * draw(st.integers(-2, 2))
    return out


@given(sums(), st.integers(-9, 9), st.integers(-9, 9))
def test_object_code_says_the_same_and_back(x: Lin, i: int, j: int) -> None:
    e = forms.to_expr(x)
    at: forms.Model = {N: i, M: j}
    assert eval(print_expr(e, {}).replace("/", "//"), {"n": i, "m": j}) == forms.value_of(x, at)
    back = forms.affine(e)
    assert back is not None and forms.value_of(back, at) == forms.value_of(x, at)


@given(sums(), sums(), st.integers(-9, 9), st.integers(-9, 9))
def test_variables_stand_for_forms(x: Lin, y: Lin, i: int, j: int) -> None:
    at: forms.Model = {N: i, M: j}
    wanted = forms.value_of(x, {N: forms.value_of(y, at), M: j})
    found = forms.affine(forms.to_expr(x), {N.sym: y})
    assert found is not None and forms.value_of(found, at) == wanted
    assert forms.value_of(forms.subst_lin(x, {N: y}), at) == wanted


def test_what_is_no_affine_form() -> None:
    product, quotient = nodes.Binary("*", n, m), nodes.Binary("/", n, m)
    stride, truth = nodes.StrideExpr(Sym("x", 3), 0), nodes.Binary("<", n, m)
    data = nodes.Read(Sym("y", 4), pvector())
    assert [forms.affine(e) for e in (product, quotient, stride, truth, data)] == [None] * 5
    assert forms.affine(product, {M.sym: Lin(4)}) == Lin.of(N) * 4
    assert forms.what_holds(nodes.Binary("<", quotient, n)) == ()


def test_what_is_unknown_is_one_of_the_values() -> None:
    unknown = Lin.of(forms.Opaque(("i",)))
    assert forms.affine(nodes.Binary("+", n, num(1)), {N.sym: unknown}) == unknown + 1


def test_what_follows_from_a_condition() -> None:
    less, more = nodes.Binary("<", n, m), nodes.Binary("<", m, n)

    def shown(condition: nodes.Expr, truth: bool) -> list[str]:
        return [print_expr(forms.to_expr(x), {}) for x in forms.what_holds(condition, truth)]

    assert shown(less, True) == ["m - n - 1"]
    assert shown(less, False) == ["n - m"]
    assert shown(nodes.Unary("not", less), False) == ["m - n - 1"]
    assert shown(nodes.Binary("and", less, more), False) == []
    assert shown(nodes.Binary("or", less, more), False) == ["n - m", "m - n"]
    assert shown(nodes.Binary("==", n, m), True) == ["n - m", "m - n"]
