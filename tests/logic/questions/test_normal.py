"""The normal form: what it looks like, that it keeps values, and that it is one."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pmap, pvector

from exo_strat.frontend.exprs import parse_expr
from exo_strat.frontend.scope import Scope
from exo_strat.ir import types
from exo_strat.ir.build import num, var
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Binary, Const, Expr, Read, ReadConfig, StrideExpr, Unary, Var
from exo_strat.ir.printing import print_expr
from exo_strat.logic.forms.formula import Formula, conj, eq, evaluate, ge, le, lt
from exo_strat.logic.forms.translate import Env, flag, lin, unknown
from exo_strat.logic.questions.normal import difference, normalize_expr, to_expr

i, j, n, c, x = (Sym(name, k) for k, name in enumerate(("i", "j", "n", "c", "x"), 1))
NAMES = {s: s.name for s in (i, j, n, c, x)}
ENV = Env(bools=pmap({c: flag(c)}))
CFG = Config("CFG", pmap({"m": types.index}))
TYPES = {i: types.index, j: types.index, n: types.size, c: types.bool_}
SCOPE = Scope(
    pmap({s.name: s for s in NAMES}), pmap({**TYPES, x: types.Tensor(types.f32, pvector([var(n)]))}), {"CFG": CFG}
)


def normal(text: str, *facts: Formula) -> str:
    e = normalize_expr(parse_expr(text, SCOPE), facts, ENV)
    assert normalize_expr(e, facts, ENV) is e
    return print_expr(e, NAMES)


def within(s: Sym, lo: int, hi: int) -> Formula:
    return conj(ge(unknown(s), lo), lt(unknown(s), hi))


# -- by example ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64 * i + 64 - 64 * i", "64"),
        ("64 * i + j - 64 * i", "j"),
        ("3 + j + 16 * i - 2", "16 * i + j + 1"),
        ("2 * (i + 3) - i", "i + 6"),
        ("-1 * i + j", "j - i"),
        ("0 - i", "-i"),
        ("n - n", "0"),
        ("(8 * i + 4) / 4", "2 * i + 1"),
        ("(i + 8) % 4", "i % 4"),
        ("i - 4 * (i / 4)", "i % 4"),
        ("i / 8 - 2 * (i / 16)", "i / 8 % 2"),
        ("3 * ((i + j) / 4) - 12 * ((i + j) / 16) + j", "3 * ((i + j) / 4 % 4) + j"),
        ("i / 6 - 2 * (i / 16)", "i / 6 - 2 * (i / 16)"),
        ("i / 2 / 3", "i / 6"),
        ("(0 - 1) / 4", "-1"),
        ("(0 - 1) % 4", "3"),
    ],
)
def test_sums_are_in_order_and_what_cancels_is_gone(text: str, expected: str) -> None:
    assert normal(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(4 * i + j) / 4", "i"),
        ("(4 * i + j) % 4", "j"),
        ("(8 * i + 2 * j + 1) / 8", "i"),
        ("(16 * i + 4 * j + 3) / 4", "4 * i + j"),
        ("(4 * i + j - 4) / 4", "i - 1"),
        ("(4 * i + j + 1) / 4", "i + (j + 1) / 4"),
    ],
)
def test_quotients_are_resolved_where_the_rest_is_in_range(text: str, expected: str) -> None:
    assert normal(text, within(j, 0, 4)) == expected


def test_quotients_of_negative_numbers_round_down() -> None:
    assert normal("j / 4", within(j, -4, 0)) == "-1"
    assert normal("j % 4", within(j, -4, 0)) == "j + 4"
    assert normal("j / 4", within(j, -1, 4)) == "j / 4"


def test_remainders_that_are_known_to_be_zero() -> None:
    divides = eq(unknown(n).mod(8), 0)
    assert normal("n % 8", divides) == "0"
    assert normal("8 * (n / 8) + i", divides) == "i + n"
    assert normal("n / 8", divides) == "n / 8"
    assert normal("n % 8") == "n % 8"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i < 4", "True"),
        ("i >= 4", "False"),
        ("j < 4 and i < 4", "j < 4"),
        ("i < 4 or j < 4", "True"),
        ("i < 4 and (c or i > 9)", "c"),
        ("not (i + 0 < j)", "not i < j"),
        ("8 * i + j < 8 * i + n", "j < n"),
        ("i % 4 == 0", "i == 0"),
        ("c == True", "c == True"),
    ],
)
def test_conditions_that_are_known_are_literals(text: str, expected: str) -> None:
    assert normal(text, within(i, 0, 4)) == expected


def test_what_is_read_is_left_alone_unless_it_does_not_matter() -> None:
    assert normal("CFG.m + 0 < 4") == "CFG.m + 0 < 4"
    assert normal("CFG.m - CFG.m") == "CFG.m - CFG.m"
    assert normal("CFG.m < 4 and i + 0 < n") == "CFG.m < 4 and i < n"
    assert normal("CFG.m < 4 and i < i") == "False"
    small = Binary("<", Read(x, pvector([var(i)])), Const(1.0, types.R))
    assert normalize_expr(small, (), ENV) is small


def test_an_expression_in_normal_form_is_the_same_object() -> None:
    for e in (var(i), num(3), StrideExpr(x, 0), ReadConfig(CFG, "m"), parse_expr("4 * i + j - 1", SCOPE)):
        assert normalize_expr(e, (), ENV) is e


def test_differences() -> None:
    four = parse_expr("4 * i + 4", SCOPE)
    assert difference(four, parse_expr("4 * i", SCOPE)) == num(4)
    assert difference(ReadConfig(CFG, "m"), num(1)) == Binary("-", ReadConfig(CFG, "m"), num(1))


# -- by property --------------------------------------------------------------------------------------

LEAVES = st.one_of(st.integers(-9, 9).map(num), st.sampled_from([i, j, n]).map(var))
LITERAL = st.integers(1, 6).map(num)


def _larger(e: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(Binary, st.sampled_from(["+", "-"]), e, e),
        st.builds(Binary, st.just("*"), LEAVES, e),
        st.builds(Binary, st.sampled_from(["/", "%"]), e, LITERAL),
        st.builds(Unary, st.just("-"), e),
    )


INTEGERS = st.recursive(LEAVES, _larger, max_leaves=6)
COMPARED = st.builds(Binary, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), INTEGERS, INTEGERS)
CONDITIONS = st.recursive(
    st.one_of(COMPARED, st.just(var(c))),
    lambda e: st.one_of(
        st.builds(Binary, st.sampled_from(["and", "or"]), e, e),
        st.builds(Binary, st.sampled_from(["==", "!="]), e, e),
        st.builds(Unary, st.just("not"), e),
    ),
    max_leaves=3,
)
RANGES = st.tuples(st.integers(-4, 2), st.integers(1, 5)).map(lambda r: (r[0], r[0] + r[1]))

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def value(e: Expr, at: dict[Sym, int]) -> int:
    match e:
        case Const(value=v):
            return int(v)
        case Var(sym=s):
            return at[s]
        case Unary(op=op, arg=a):
            return -value(a, at) if op == "-" else not value(a, at)
        case Binary(op="and", lhs=a, rhs=b):
            return value(a, at) and value(b, at)
        case Binary(op="or", lhs=a, rhs=b):
            return value(a, at) or value(b, at)
        case Binary(op=op, lhs=a, rhs=b):
            return int(OPERATORS[op](value(a, at), value(b, at)))
    raise AssertionError(e)


@given(st.one_of(INTEGERS, CONDITIONS), RANGES, RANGES, st.one_of(st.none(), INTEGERS, st.just(var(n))))
def test_values_are_kept_and_normalising_twice_is_normalising_once(
    e: Expr, of_i: tuple[int, int], of_j: tuple[int, int], divided: Expr | None
) -> None:
    facts = [within(i, *of_i), within(j, *of_j), ge(unknown(n), 1), le(unknown(n), 8)]
    if divided is not None:
        facts.append(eq(lin(divided).mod(4), 0))
    new = normalize_expr(e, facts, ENV)
    assert normalize_expr(new, facts, ENV) is new
    for p, q, r, b in product(range(*of_i), range(*of_j), range(1, 9), (False, True)):
        at = {i: p, j: q, n: r, c: int(b)}
        if divided is None or value(divided, at) % 4 == 0:
            assert value(new, at) == value(e, at)


@given(INTEGERS)
def test_an_affine_form_is_what_its_expression_means(e: Expr) -> None:
    assert lin(to_expr(lin(e))) == lin(e)


@given(INTEGERS, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9))
def test_affine_forms_have_the_value_of_the_expression(e: Expr, p: int, q: int, r: int) -> None:
    model = {a: v for s, v in ((i, p), (j, q), (n, r)) for a, _ in unknown(s).terms}
    assert evaluate(eq(lin(e), value(e, {i: p, j: q, n: r})), model)


@pytest.mark.parametrize(
    "text, simple",
    [
        ("n < 9 and x[0] < 1.0 and n > 0", "x[0] < 1.0"),
        ("n < 3 and n > 3 and x[0] < 1.0", "False"),
        ("n < 3 and n > 1 and x[0] < 1.0 and n != 2 and n < 6", "n < 3 and n > 1 and x[0] < 1.0 and n != 2"),
        ("(n < 3 or n > 1) and x[0] < 1.0", "x[0] < 1.0"),
        ("x[0] < 1.0 or n > 4 or n < 1", "x[0] < 1.0"),
        ("n < 3 and (n < 9 and n > 0)", "n < 3"),
    ],
)
def test_chains_of_conditions_are_asked_about_as_far_as_they_read_no_data(text: str, simple: str) -> None:
    assert normal(text, ge(unknown(n), 1), lt(unknown(n), 5)) == simple
