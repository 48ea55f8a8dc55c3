"""Functions as vector code: how near, on arguments of all sizes, and for those that are not numbers.

`python -m benchmarks.mathlib errors` does the same with all 2^32 arguments of single precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.jit import jit
from backends.targets import available, avx2, avx512, plain_c
from exo_strat import Machine, Proc, at, extern, proc_from_source, schedule
from exo_strat.interp import run
from strategies import std
from strategies.mathlib import NAMES, NoStepsWarning, approximate_all, function
from strategies.mathlib.functions import NUMBERS, STEPS

Array = NDArray[Any]
BOUND = 3.0
"""Units in the last place. The exhaustive figures are in docs/mathlib.md."""
SCALAR = replace(plain_c, name="scalar", cc_flags=("-mfma",) if available(avx2) else ())
"""Plain C, with the processor's products and sums in one step, where it has them."""
EXACT: dict[str, Callable[[float], float]] = {
    "exp": math.exp, "log": math.log, "tanh": math.tanh, "erf": math.erf, "sin": math.sin, "cos": math.cos,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x),
}  # fmt: skip
KINDS: dict[str, Any] = {"f32": np.float32, "f64": np.float64}


def each_kernel() -> Iterator[Any]:
    """The functions on each machine. All of them as plain C, and some as vector code, are always tested."""
    always = {("exp", "f32", avx2), ("sin", "f64", avx2), ("log", "f32", avx512)}
    for name, precision, machine in product(EXACT, ("f32", "f64"), (SCALAR, avx2, avx512)):
        marks = () if machine is SCALAR or (name, precision, machine) in always else (pytest.mark.long,)
        yield pytest.param(name, precision, machine, marks=marks, id=f"{name}-{precision}-{machine}")


def loop(name: str, precision: str) -> Proc:
    called = next((f.name for f, n in NAMES.items() if n == name), name)
    second, passed = (f"w: {precision}[n], ", "x[i], w[i]") if name == "pow" else ("", "x[i]")
    p = proc_from_source(f"""
def p(n: size, x: {precision}[n], {second}y: {precision}[n]):
    for i in seq(0, n):
        y[i] = {called}({passed})
""")
    return schedule(approximate_all(precision), p)


@cache
def kernel(name: str, precision: str, machine: Machine) -> Callable[..., Array]:
    p = loop(name, precision)
    if machine.vec_widths:
        tail = "best" if precision == "f32" else "cut"  # what f64 has with masks is made of the same rows
        p = schedule(at("for i in _: _", std.vectorize_for(machine, precision, tail=tail, strict=True)), p)
    compiled = jit(p, machine)

    def values(*given: Array) -> Array:
        y = np.empty_like(given[0])
        compiled(len(y), *given, y)
        return y

    return values


def arguments(name: str, precision: str) -> Array:
    """Numbers of all exponents and both signs, and many of ordinary size, within the function's domain."""
    kind = KINDS[precision]
    info, rng = np.finfo(kind), np.random.default_rng(7)
    exponents = rng.uniform(info.minexp - info.nmant, info.maxexp, 4000)
    with np.errstate(under="ignore"):
        parts = (np.exp2(exponents), rng.uniform(0, 20, 4000), rng.uniform(0, 2, 4001))
        x: Array = np.concatenate(parts).astype(kind)
    if name == "log":
        positive: Array = x[x > 0]
        return positive
    x = x * rng.choice(np.array([-1, 1], kind), len(x))
    near: Array = x[np.abs(x) < NUMBERS[precision].turns] if name in ("sin", "cos") else x
    return near


def exact(name: str, x: Array) -> Array:
    def value(v: float) -> float:
        try:
            return EXACT[name](v)
        except OverflowError:
            return math.inf

    return np.array([value(v) for v in x.tolist()])


SPECIAL = {
    "exp": (0.0, math.inf, 1.0), "log": (math.nan, math.inf, -math.inf), "tanh": (-1.0, 1.0, 0.0),
    "erf": (-1.0, 1.0, 0.0), "sin": (math.nan, math.nan, 0.0), "cos": (math.nan, math.nan, 1.0),
    "sigmoid": (0.0, 1.0, 0.5),
}  # fmt: skip
"""What C has for -inf, inf and 0."""


def skip_without(machine: Machine) -> None:
    if not available(machine):
        pytest.skip("the processor does not have the instructions")


def assert_near(y: Array, right: Array, bound: float, *given: Array) -> None:
    """Infinite where what is right is, rounded, and else at most so many units in the last place away."""
    with np.errstate(over="ignore", under="ignore"):
        rounded = right.astype(y.dtype)
    np.testing.assert_array_equal(np.isinf(y), np.isinf(rounded))
    some = np.isfinite(rounded)
    units = np.abs(y[some] - right[some]) / np.spacing(np.abs(rounded[some])).astype(right.dtype)
    worst = int(units.argmax())
    assert units[worst] <= bound, (units[worst], [x[some][worst] for x in given])


@pytest.mark.parametrize(("name", "precision", "machine"), list(each_kernel()))
def test_values_are_near_and_special_ones_as_in_c(name: str, precision: str, machine: Machine) -> None:
    skip_without(machine)
    f, x = kernel(name, precision, machine), arguments(name, precision)
    assert_near(f(x), exact(name, x), BOUND + (precision == "f64"), x)  # Python's functions may be a unit off
    y = f(np.array([-math.inf, math.inf, 0.0, -0.0, math.nan] * 5, x.dtype))
    np.testing.assert_array_equal(y, np.array([*SPECIAL[name], SPECIAL[name][2], math.nan] * 5))
    if name in ("tanh", "erf", "sin"):
        assert np.signbit(y[3]) and not np.signbit(y[2])


@pytest.mark.parametrize(
    ("precision", "machine"),
    [pytest.param(p, m, marks=() if m is SCALAR else pytest.mark.long, id=f"{p}-{m}")
     for p in ("f32", "f64") for m in (SCALAR, avx2, avx512)],
)  # fmt: skip
def test_powers_are_near_and_special_ones_as_in_c(precision: str, machine: Machine) -> None:
    skip_without(machine)
    f, kind, rng = kernel("pow", precision, machine), KINDS[precision], np.random.default_rng(7)
    wide = np.float64 if precision == "f32" else np.longdouble
    least, most = np.finfo(kind).minexp - np.finfo(kind).nmant, np.finfo(kind).maxexp
    with np.errstate(under="ignore"):
        x = np.concatenate((np.exp2(rng.uniform(least, most, 3000)), rng.uniform(0.97, 1.03, 3001))).astype(kind)
    y = (rng.uniform(least, most, len(x)) / np.log2(x.astype(float))).astype(kind)
    whole = rng.random(len(x)) < 0.3
    x[whole], y[whole] = -x[whole], np.rint(y[whole])
    with np.errstate(over="ignore", under="ignore"):
        right = np.power(x.astype(wide), y.astype(wide))
    assert_near(f(x, y), right, BOUND, x, y)

    ends = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, math.inf, 2.0**20 + 1, 2.0**60, 1e-30, float(np.finfo(kind).max)]
    some = np.array([*ends, *(-e for e in ends), math.nan], kind)
    x, y = (a.ravel().copy() for a in np.meshgrid(some, some))
    with np.errstate(all="ignore"):
        right = np.power(x, y)
    found = f(x, y)
    np.testing.assert_allclose(found, right, rtol=4 * np.finfo(kind).eps, atol=0)
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(right)], np.signbit(right)[~np.isnan(right)])


@pytest.mark.parametrize("machine", [SCALAR, avx2, avx512], ids=str)
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_inverses_of_roots_are_an_instruction(precision: str, machine: Machine) -> None:
    skip_without(machine)
    f, x = kernel("rsqrt", precision, machine), arguments("log", precision)
    assert_near(f(x), 1 / np.sqrt(x.astype(np.longdouble)), 1.6, x)
    with np.errstate(all="ignore"):
        x = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, -1.0] * 4, x.dtype)
        np.testing.assert_array_equal(f(x), 1 / np.sqrt(x))


def test_a_logarithm_of_a_negative_number_is_nan() -> None:
    assert np.isnan(kernel("log", "f32", SCALAR)(np.array([-1.0, -1e-40, -3e38] * 6, np.float32))).all()


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_of_arguments_that_are_too_large_there_is_no_wrong_number(name: str) -> None:
    assert np.isnan(kernel(name, "f32", SCALAR)(np.array([1.1e6, -3e7, 3e38] * 6, np.float32))).all()


@pytest.mark.parametrize("name", STEPS)
def test_the_meaning_of_the_steps_is_near_the_function(name: str) -> None:
    for x in (Fraction(3, 4), Fraction(7, 2)):
        given = {"x": x, "out": None, **({"y": Fraction(-9, 4)} if name == "pow" else {})}
        y = run(function(name, "f64"), given).outputs["out"]
        right = EXACT[name](float(x)) if name in EXACT else float(x) ** -2.25
        assert float(y) == pytest.approx(right, rel=1e-14)  # type: ignore[arg-type]


def test_loops_around_other_work_become_vector_code() -> None:
    gelu = proc_from_source("""
def gelu(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = 0.5 * x[i] * (1.0 + tanh(0.7978846 * (x[i] + 0.044715 * x[i] * x[i] * x[i])))
""")
    skip_without(avx2)
    plan = at("for i in _: _", std.vectorize_for(avx2, "f32", tail="cut", strict=True))
    compiled = jit(schedule(plan, schedule(approximate_all("f32"), gelu)), avx2)
    x = np.linspace(-6, 6, 77, dtype=np.float32)
    y = np.empty_like(x)
    compiled(len(x), x, y)
    wide = x.astype(np.float64)
    right = 0.5 * wide * (1 + np.tanh(0.7978846 * (wide + 0.044715 * wide**3)))
    np.testing.assert_allclose(y, right, rtol=1e-5, atol=3e-7)


def test_functions_within_functions_and_of_one_s_own() -> None:
    mine = extern("tanh", 1, lambda x: x, "({0})")
    p = proc_from_source("def p(x: f32, y: f32): y = expf(log(x)) + mine(x)", {"mine": mine})
    q = schedule(approximate_all("f32"), p)
    assert " expf(" not in str(q) and " log(" not in str(q)
    assert "tanh(x)" in str(q), "a function of another meaning that has the name stays"


def test_calls_at_another_precision_stay() -> None:
    p = proc_from_source("def p(x: f64, y: f64): y = expf(x)")
    with pytest.warns(NoStepsWarning):
        assert schedule(approximate_all("f32"), p) is p


# -- calls that may be skipped ------------------------------------------------------------------------

BRANCHED = """if x[i] > 0.0:
            y[i] = x[i]
        else:
            y[i] = expf(x[i]) - 1.0
"""
CHOSEN = "y[i] = x[i] if x[i] > 0.0 else expf(x[i]) - 1.0"


def over_elements(lines: str) -> Proc:
    return proc_from_source(f"def p(n: size, x: f32[n], y: f32[n]):\n    for i in seq(0, n):\n        {lines}")


def test_a_call_in_a_choice_becomes_vector_code() -> None:
    skip_without(avx2)
    plan, lines = approximate_all("f32"), [BRANCHED, CHOSEN]
    branched, chosen = (schedule(plan, over_elements(text)) for text in lines)
    assert str(branched) == str(chosen)
    x = np.linspace(-9, 9, 37, dtype=np.float32)
    y = np.empty_like(x)
    vectors = at("for i in _: _", std.vectorize_for(avx2, "f32", tail="cut", strict=True))
    jit(schedule(vectors, chosen), avx2)(37, x, y)
    np.testing.assert_allclose(y, np.where(x > 0, x, np.expm1(x)), rtol=0, atol=2e-7)


def test_steps_that_are_chosen_twice_are_computed_once() -> None:
    p = schedule(approximate_all("f32"), over_elements("y[i] = expf(x[i]) if x[i] < 0.0 or x[i] > 9.0 else 1.0"))
    assert len(p.find_all("ldexpf(_)")) == 1
    assert p.find("y[_] = _").rhs().text() == "select(x[i], 0.0, t, select(9.0, x[i], t, 1.0))"


@pytest.mark.parametrize(
    ("lines", "precision", "why"),
    [
        (CHOSEN, "f64", "exp_f64 computes with f64, and this is f32"),
        ("y[i] = tanh(x[i])", "f64", "tanh_f64 computes with f64, and this is f32"),
        ("y[i] = log(x[i]) if x[i] > 0.0 else 0.0", "f32", "log surely has a value"),
    ],
)
def test_calls_of_which_none_becomes_steps_are_told_of(lines: str, precision: str, why: str) -> None:
    p = over_elements(lines)
    with pytest.warns(NoStepsWarning, match=why) as told:
        assert schedule(approximate_all(precision), p) == p
    assert told[0].filename == __file__
