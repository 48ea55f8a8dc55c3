"""The operators that accumulate."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pyrsistent import pvector

from exo_strat.interp.compiler import ACCUMULATE
from exo_strat.ir.build import data
from exo_strat.ir.externs import relu
from exo_strat.ir.nodes import Binary, Expr, ExternCall
from exo_strat.ir.reductions import CALLED, IDEMPOTENT, NEUTRAL, combined, made_by, parts

ONE, TWO = data(1.0), data(2.0)
NUMBERS = [Fraction(x, 2) for x in (-3, 0, 1, 2, 5)]


@pytest.mark.parametrize("op", sorted(ACCUMULATE))
def test_what_combines_two_values_is_taken_apart_again(op: str) -> None:
    e = combined(op, ONE, TWO)
    assert parts(op, e) == (ONE, TWO) and made_by(e) == (op, ONE, TWO)
    assert all(parts(other, e) is None for other in ACCUMULATE if other != op)


@pytest.mark.parametrize("e", [ONE, Binary("-", ONE, TWO), Binary("/", ONE, TWO), ExternCall(relu, pvector([ONE]))])
def test_other_values_are_made_by_none(e: Expr) -> None:
    assert made_by(e) is None


@pytest.mark.parametrize("op", sorted(ACCUMULATE))
def test_the_tables_say_what_the_operators_do(op: str) -> None:
    f = ACCUMULATE[op]
    neutral = [e for e in NUMBERS if all(f(x, e) == x for x in NUMBERS)]
    assert neutral == [NEUTRAL[op]] if op in NEUTRAL else op in CALLED
    assert (op in IDEMPOTENT) == all(f(f(x, e), e) == f(x, e) for x in NUMBERS for e in NUMBERS)
    assert all(f(f(x, y), z) == f(f(x, z), y) for x in NUMBERS for y in NUMBERS for z in NUMBERS)
