"""Faults of the C backend, and of what it shares with the kernel, that were found once. Each test names one."""

from __future__ import annotations

import numpy as np
import pytest
from pyrsistent import pmap

from backends import jit
from backends.c import NameClashError, compile
from exo_strat import Config, Control, Proc, extern, f32, f64, proc_from_source, replace
from exo_strat.failure import SchedulingError
from exo_strat.interp import run

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
