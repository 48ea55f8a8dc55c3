"""Faults of the C backend, and of what it shares with the kernel, that were found once. Each test names one."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from pyrsistent import pmap

from backends import jit
from backends.c import NameClashError, PrecisionError, RangeError, compile
from exo_strat import Config, Control, Proc, extern, f32, f64, proc_from_source, replace, set_precision
from exo_strat.interp import run
from exo_strat.ops.failure import SchedulingError

TWICE = extern("scaled", 1, lambda x: 2 * x, "(2 * ({0}))")
THRICE = extern("scaled", 1, lambda x: 3 * x, "(3 * ({0}))")
SAME_TEXT = extern("scaled", 1, lambda x: 4 * x, "(2 * ({0}))")


def parsed(text: str, **names: object) -> Proc:
    return proc_from_source(text, names)


# -- one name, one meaning --------------------------------------------------------------------------------


def test_externs_of_one_name_are_one_only_if_their_definitions_are() -> None:
    assert TWICE != THRICE and TWICE != SAME_TEXT
    assert extern("scaled", 1, TWICE.eval, TWICE.c) == TWICE
    assert extern("scaled", 1, TWICE.eval, "(({0}) + ({0}))") != TWICE


def test_code_with_another_extern_of_that_name_is_not_replaced_by_a_call() -> None:
    text = "def {}(x: [f32][4]):\n    for i in seq(0, 4):\n        x[i] = scaled(x[i])\n"
    callee = parsed(text.format("callee"), scaled=TWICE)
    same = replace.direct(parsed(text.format("p"), scaled=TWICE), "for i in _: _", callee)
    assert "callee(" in str(same)
    with pytest.raises(SchedulingError):
        replace.direct(parsed(text.format("p"), scaled=THRICE), "for i in _: _", callee)


def test_procedures_with_externs_of_one_name_stay_two() -> None:
    text = "def f(x: [f32][1]):\n    x[0] = scaled(x[0])\n"
    two, three = parsed(text, scaled=TWICE), parsed(text, scaled=THRICE)
    assert two != three
    caller = "def {}(x: f32[1]):\n    f(x[0:1])\n"
    p, q = parsed(caller.format("p"), f=two), parsed(caller.format("q"), f=three)
    assert [run(r, {"x": [5]}).outputs["x"] for r in (p, q)] == [(10,), (15,)]
    for r, want in ((p, 10), (q, 15)):
        x = np.array([5], np.float32)
        jit(r)(x)
        assert x == [want]
    with pytest.raises(NameClashError, match="two different things are called scaled"):
        compile([p, q])


def test_configs_of_one_name_are_not_one_variable_of_a_module() -> None:
    one, other = Config("State", pmap({"a": f32})), Config("State", pmap({"a": f64}))
    text = "def {}(x: {}[1]):\n    State.a = x[0]\n    x[0] = State.a\n"
    p, q = parsed(text.format("p", "f32"), State=one), parsed(text.format("q", "f64"), State=other)
    with pytest.raises(NameClashError, match="two different things are called State"):
        compile([p, q])


def test_names_of_fields_and_configs_stay_apart_in_c() -> None:
    """So a field `int` beside `int_`, which is what C calls it; and names that C can't spell."""
    fields = ["int", "int_", "int__", "a", "a_", "u3b1", "\u03b1", "linux", "_"]
    state = Config("int", pmap({name: Control("int") for name in fields}))
    greek = Config("\u03b1", pmap({"a": Control("int")}))
    latin = Config("u3b1", pmap({"a": Control("int")}))
    lines = [f"int.{name} = {n}" for n, name in enumerate(fields)] + ["\u03b1.a = 100", "u3b1.a = 200"]
    checks = [f"if int.{name} == {n}:\n        x[{n}] = 1.0" for n, name in enumerate(fields)]
    checks += ["if \u03b1.a == 100 and u3b1.a == 200:\n        x[9] = 1.0"]
    p = parsed("\n    ".join(["def p(x: f32[10]):", *lines, *checks]), int=state, u3b1=latin, **{"\u03b1": greek})
    x = np.zeros(10, np.float32)
    jit(p)(x)
    assert x.all()


def test_externs_with_names_that_c_cannot_spell_stay_apart() -> None:
    env = {name: extern(name, 1, abs, f"({k} * ({{0}}))") for k, name in enumerate(["\u03b1", "u3b1"])}
    p = parsed("def p(x: f64[2]):\n    x[0] = \u03b1(x[0])\n    x[1] = u3b1(x[1])\n", **env)
    x = np.ones(2)
    jit(p)(x)
    assert list(x) == [0, 1]


# -- numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("def p(n: size, x: f32[1]):\n    if 4 * n < 12:\n        x[0] = 1.0\n", 2**60),
        ("def p(n: size, x: f32[1]):\n    for i in seq(0, n):\n        if n + i < 3:\n            x[0] = 1.0\n", 2**62),
        ("def p(n: size, x: f32[1]):\n    half(3 * n, x[0:1])\n", 2**60),
        ("def p(n: int, x: f32[1]):\n    if -8 * (n - 1) < 12:\n        x[0] = 1.0\n", 2**56),
        ("def p(n: size, x: f32[n]):\n    for i in seq(0, n / 8):\n        x[8 * i + 7] = 1.0\n", None),
    ],
)
def test_sizes_for_which_an_index_may_overflow_are_refused(text: str, most: int | None) -> None:
    half = parsed("def half(m: size, x: [f32][1]):\n    if 2 * m < 12:\n        x[0] = 1.0\n")
    p = parsed(text, half=half)
    header = compile([p]).header
    assert (f"requires |n| <= {most}: then no integer overflows" in header) if most else "overflows" not in header
    f, x = jit(p), np.zeros(1, np.float32)
    f(1, x)
    for n in (most + 1, 2**63 - 1) if most else ():
        with pytest.raises(ValueError, match=f"argument n = {n} is beyond {most}"):
            f(n, x)


def test_conditions_on_the_largest_arguments_are_right() -> None:
    """Random sums and products in C, as Python computes them."""
    rng = Random(0)
    sides = [_side(rng, 3) for _ in range(80)]
    tests = [f"{a} {rng.choice(['<', '==', '<='])} {b}" for a, b in zip(sides[::2], sides[1::2], strict=True)]
    lines = [f"    if {test}:\n        x[{k}] = 1.0\n" for k, test in enumerate(tests)]
    p = parsed(f"def p(n: size, m: int, x: f32[{len(tests)}]):\n{''.join(lines)}")
    most, f = compile([p]).functions[0].most, jit(p, flags=["-O0"])
    for n, m in [(most, most), (most, -most), (1, most), (1, -most), (most - 1, most - 1), (2, 3)]:
        x = np.zeros(len(tests), np.float32)
        f(n, m, x)
        assert list(x) == [eval(test.replace("/", "//"), {"n": n, "m": m}) for test in tests]


def _side(rng: Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["n", "m", str(rng.randint(0, 40))])
    a = _side(rng, depth - 1)
    how = rng.choice(["sum", "difference", "scaled", "part", "rest"])
    if how in ("sum", "difference"):
        return f"({a} {'+' if how == 'sum' else '-'} {_side(rng, depth - 1)})"
    op = {"scaled": "*", "part": "/", "rest": "%"}[how]
    return f"({a} {op} {rng.randint(2, 9)})"


@pytest.mark.parametrize("number", [2**63, 10**30, -(2**63) - 1])
def test_a_control_literal_is_not_cut(number: int) -> None:
    p = parsed(f"def p(n: index, x: f32[1]):\n    if n < {number}:\n        x[0] = 1.0\n")
    with pytest.raises(RangeError, match="may not fit the 64 bits of C"):
        compile([p])


def test_config_fields_do_not_overflow() -> None:
    state = Config("State", pmap({"n": Control("size"), "m": Control("int")}))
    p = parsed(
        "def p(n: size, x: f32[1]):\n    State.n = 4 * n\n    if 4 * State.n < 100:\n        x[0] = 1.0\n", State=state
    )
    assert compile([p]).functions[0].most == 2**56
    # what grows from call to call has no bound but that which is checked when it is written
    text = "def q(x: f32[1]):\n    State.m = State.m + 1\n    if 3 * State.m == 9:\n        x[0] = 1.0\n"
    q = parsed(text, State=state)
    assert "exo_cfg_State.m = exo_within(exo_cfg_State.m + 1, " in compile([q]).source
    f, x = jit(q), np.zeros(1, np.float32)
    for n in range(5):
        x[0] = 0
        f(x)
        assert x[0] == (n == 2)


LITERALS = [
    ("f32", "1e300"),
    ("f32", "3.5e38"),
    ("f16", "100000.0"),
    ("f16", "65520.0"),
    ("f32", "1e-60"),
    ("f16", "1e-9"),
]


@pytest.mark.parametrize(("precision", "number"), LITERALS)
def test_a_data_literal_that_its_precision_cannot_hold_is_refused(precision: str, number: str) -> None:
    text = f"def p(x: f64[2]):\n    x[0] = {number}\n    x[1] = 2.0 * x[0] + {number}\n"
    p = parsed(text)
    compile([p])
    for q in (parsed(text.replace("f64", precision)), set_precision.direct(p, "x", precision)):
        with pytest.raises(PrecisionError, match=rf"the literal .* {precision}"):
            compile([q])


def test_the_largest_and_smallest_literals_of_a_precision_are_taken() -> None:
    for precision, dtype in (("f16", np.float16), ("f32", np.float32), ("f64", np.float64)):
        info = np.finfo(dtype)
        numbers = [float(info.max), float(info.smallest_subnormal), 1.0005]
        lines = [f"    x[{k}] = {n!r}\n" for k, n in enumerate(numbers)]
        x = np.zeros(3, dtype)
        jit(parsed(f"def p(x: {precision}[3]):\n{''.join(lines)}"))(x)
        assert list(x) == [dtype(n) for n in numbers]


def test_what_fills_a_template_is_one_operand() -> None:
    """`{y_data}/{x_data}` with pointers would begin a comment."""
    template = "{y_data} = {y_data}/{x_data}-{n_int}-{z};"
    f = parsed(f'@instr("{template}")\ndef f(y: f32, x: f32, z: f32, n: int):\n    y = y / x - z\n')
    p = parsed("def p(x: f32, y: f32, z: f32):\n    f(y, x, -z, -3)\n    f(y, x, z, 2)\n", f=f)
    y = np.full(1, 12, np.float32)
    jit(p)(4.0, y, 5.0)
    assert y[0] == (12 / 4 + 3 + 5) / 4 - 2 - 5


def test_the_least_control_literal() -> None:
    """C has no number 9223372036854775808 that could be negated."""
    p = parsed(f"def p(n: index, x: f32[1]):\n    if {-(2**63)} < n:\n        x[0] = 1.0\n")
    assert "INT64_MIN < n" in compile([p]).source


def test_literals_among_themselves_are_compared_with_all_their_digits() -> None:
    """In single precision 16777216 and 16777217 are one number."""
    p = parsed(
        "def f(x: f32[2], y: i32[2]):\n"
        "    for i in seq(0, 2):\n"
        "        y[i] = 1 if (16777217 if x[i] > 0.0 else 5) == 16777216 else 2\n"
    )
    x, y = np.array([1, -1], np.float32), np.zeros(2, np.int32)
    jit(p)(x, y)
    assert [*y] == [*run(p, {"x": [1, -1], "y": [0, 0]}).outputs["y"]] == [2, 2]
