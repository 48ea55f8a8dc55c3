"""Functions that take numbers apart and scale them: their meaning on exact numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from exo_strat.ir.externs import (
    ExternFn,
    alternate,
    cos,
    erf,
    expf,
    exponent,
    fma,
    ldexp,
    ldexpf,
    pow_,
    rint,
    rsqrt,
    sigmoid,
    significand,
    sin,
    tanh,
)


@pytest.mark.parametrize("x", [Fraction(3, 4), Fraction(1), Fraction(149, 100), Fraction(1, 10**40), Fraction(10**40)])
def test_a_number_is_its_significand_times_a_power_of_two(x: Fraction) -> None:
    assert Fraction(3, 4) <= significand.eval(x) < Fraction(3, 2)
    assert significand.eval(x) * Fraction(2) ** int(exponent.eval(x)) == x


def test_at_the_ends_of_the_range() -> None:
    assert [exponent.eval(Fraction(n, 4)) for n in (3, 5, 6, 7, 8, 12)] == [0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("x", [Fraction(0), Fraction(-1)])
def test_what_is_not_positive_has_no_exponent(x: Fraction) -> None:
    for f in (exponent, significand):
        with pytest.raises(ValueError, match="only positive numbers"):
            f.eval(x)


def test_scaling_is_exact_and_takes_whole_exponents_that_two_factors_reach() -> None:
    assert ldexpf.eval(Fraction(1, 3), Fraction(-252)) == Fraction(1, 3 * 2**252)
    assert ldexp.eval(Fraction(3), Fraction(2044)) == 3 * 2**2044
    for f, k in ((ldexpf, Fraction(253)), (ldexp, Fraction(-2045)), (ldexp, Fraction(1, 2))):
        with pytest.raises(ValueError, match="a whole number from"):
            f.eval(Fraction(1), k)


def test_halves_are_rounded_to_the_even_number() -> None:
    assert [rint.eval(Fraction(n, 2)) for n in (-3, -1, 1, 3, 5)] == [-2, 0, 0, 2, 2]


def test_the_power_of_minus_one_takes_whole_exponents() -> None:
    assert [alternate.eval(Fraction(5), Fraction(k)) for k in (-3, -2, 0, 1)] == [-5, 5, 5, -5]
    with pytest.raises(ValueError, match="a whole number"):
        alternate.eval(Fraction(1), Fraction(1, 2))


def test_roots_powers_and_a_product_in_a_sum() -> None:
    assert rsqrt.eval(Fraction(1, 16)) == 4
    assert pow_.eval(Fraction(-2), Fraction(-3)) == Fraction(-1, 8)
    assert fma.eval(Fraction(1, 3), Fraction(3), Fraction(-1)) == 0


@pytest.mark.parametrize("call", [lambda: rsqrt.eval(Fraction(0)), lambda: pow_.eval(Fraction(-2), Fraction(1, 2))])
def test_of_what_has_no_value_there_is_none(call: Callable[[], Fraction]) -> None:
    with pytest.raises(ValueError):
        call()


@pytest.mark.parametrize("f", [cos, erf, expf, sigmoid, sin, tanh])
@pytest.mark.parametrize("x", [Fraction(10) ** 400, -(Fraction(10) ** 400), Fraction(710), Fraction(-746)])
def test_functions_without_poles_have_a_value_for_all_numbers(f: ExternFn, x: Fraction) -> None:
    assert 0 <= abs(f.eval(x)) < Fraction(2) ** 1024


def test_beyond_f64_a_power_of_e_is_the_largest_there() -> None:
    assert expf.eval(Fraction(709)) < expf.eval(Fraction(710)) == expf.eval(Fraction(10) ** 9) < Fraction(2) ** 1024
    assert 0 <= expf.eval(Fraction(-1000)) < Fraction(1, 2**1022)
