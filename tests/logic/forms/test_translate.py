"""Control expressions read as affine forms and formulas."""

from __future__ import annotations

import pytest
from pyrsistent import pmap, pvector

from exo_strat.ir import types
from exo_strat.ir.build import FALSE as F
from exo_strat.ir.build import TRUE as T
from exo_strat.ir.build import data, num, var
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Binary, Expr, Read, ReadConfig, StrideExpr, Unary
from exo_strat.logic.forms.affine import OTHER
from exo_strat.logic.forms.formula import FALSE, TRUE, Lin, V, conj, disj, eq, ge, iff, lt, ne, neg, product
from exo_strat.logic.forms.translate import Env, cond, flag, is_opaque, lin, stride_of, unknown

i, j, n, b, c, x = (Sym(name, k) for k, name in enumerate(("i", "j", "n", "b", "c", "x"), 1))
I, J, N = unknown(i), unknown(j), unknown(n)  # noqa: E741
CFG = Config("CFG", pmap({"size": types.size, "on": types.bool_, "scale": types.f32}))


def op(name: str, lhs: Expr | Sym, rhs: Expr | Sym | int) -> Expr:
    def expr(e: Expr | Sym | int) -> Expr:
        return var(e) if isinstance(e, Sym) else num(e) if isinstance(e, int) else e

    return Binary(name, expr(lhs), expr(rhs))


def test_arithmetic() -> None:
    assert lin(op("-", op("+", op("*", num(3), i), 4), j)) == I * 3 + 4 - J
    assert lin(Unary("-", var(i))) == -I
    assert lin(op("/", op("+", i, 5), 4)) == (I + 5).div(4)
    assert lin(op("%", op("+", i, 8), 4)) == I.mod(4)
    assert lin(op("*", op("+", n, 1), j)) == product(N, J) + J


def test_conditions() -> None:
    assert cond(op("<", i, n)) == lt(I, N)
    assert cond(op("and", op(">=", i, 0), op("!=", i, n))) == conj(ge(I, 0), ne(I, N))
    assert cond(Unary("not", op("or", op("==", i, 0), op("<", i, n)))) == conj(ne(I, 0), ge(I, N))
    assert (cond(T), cond(F)) == (TRUE, FALSE)


def test_truth_values_compare() -> None:
    assert cond(op("==", b, T)) == flag(b)
    assert cond(op("==", b, F)) == neg(flag(b))
    assert cond(op("!=", b, op("<", i, n))) == neg(iff(flag(b), lt(I, N)))
    both = Env().bind_bool(b, flag(b)).bind_bool(c, flag(c))
    assert cond(op("==", b, c), both) == iff(flag(b), flag(c))


def test_variables_stand_for_forms() -> None:
    env = Env().bind(i, J * 4).bind_bool(b, lt(I, N)).bind_stride(x, 0, N)
    assert lin(op("+", i, n), env) == J * 4 + N
    assert cond(op("or", b, op("==", j, 0)), env) == disj(lt(I, N), eq(J, 0))
    assert lin(StrideExpr(x, 0), env) == N
    assert lin(StrideExpr(x, 1), env) == stride_of(x, 1)


def test_primed_iterators_are_other_instances() -> None:
    env = Env().primed([i], instance=OTHER)
    assert lin(op("+", i, j), env) == Lin.of(V(i, OTHER)) + J


def test_config_and_data_belong_to_a_moment() -> None:
    size, positive = ReadConfig(CFG, "size"), op("<", data(0.0), Read(x, pvector([var(i)])))
    before, after = Env().at("before"), Env().at("after")
    for e in (op("<", i, size), ReadConfig(CFG, "on"), positive):
        assert cond(e, before) == cond(e, before)
        assert cond(e, before) != cond(e, after)
        assert is_opaque(e)
    assert not is_opaque(op("<", i, StrideExpr(x, 0)))


def test_a_condition_on_another_element_is_another_condition() -> None:
    positive = op("<", data(0.0), Read(x, pvector([var(i)])))
    assert cond(positive, Env().bind(i, J)) != cond(positive, Env().bind(i, N))


@pytest.mark.parametrize("e", [T, op("<", i, n), Read(x, pvector()), data(1.0), ReadConfig(CFG, "scale")])
def test_only_integers_are_affine_forms(e: Expr) -> None:
    with pytest.raises(TypeError, match="not an integer control expression"):
        lin(e)


@pytest.mark.parametrize("e", [num(1), op("+", i, n), Read(x, pvector()), ReadConfig(CFG, "size")])
def test_only_truth_values_are_conditions(e: Expr) -> None:
    if isinstance(e, ReadConfig):
        e = Unary("-", e)
    with pytest.raises(TypeError, match="not a condition"):
        cond(e)
