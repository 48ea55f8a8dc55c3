"""False rewrites that came in by a name: what was accepted once, and is not any more."""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat import (
    Config,
    Memory,
    SchedulingError,
    config,
    direct,
    extern,
    f32,
    index,
    make_proc,
    proc_from_source,
    reparse_env,
)
from exo_strat.frontend.errors import CheckError
from exo_strat.ir.walk import with_child


@config
class Cfg:
    a: index


SAME_NAME = Config("Cfg", pmap({"a": index, "b": f32}))

BAR = proc_from_source("def bar(x: f32):\n    x = 1.0")


def test_a_version_that_leaves_another_value_in_a_config_of_the_same_name() -> None:
    """In C they are one record, and to the analyses two."""
    version = direct.write_config(BAR, BAR.find("x = _").before(), SAME_NAME, "b", 7.0)
    p = proc_from_source(
        "def foo(x: f32, y: f32[8]):\n    Cfg.a = 3\n    bar(x)\n    if Cfg.a == 3:\n        y[0] = 1.0",
        {"Cfg": Cfg, "bar": BAR},
    )
    with pytest.raises(SchedulingError, match="two different things are called Cfg in foo and what it calls"):
        direct.call_eqv(p, "bar(_)", version)
    same = direct.write_config(BAR, BAR.find("x = _").before(), Cfg, "a", 7)
    with pytest.raises(SchedulingError, match=r"Cfg\.a is not read afterwards"):
        direct.call_eqv(p, "bar(_)", same)


@pytest.mark.parametrize(
    ("one", "two", "text"),
    [
        (Cfg, SAME_NAME, "ONE.a = 1\n    TWO.a = 2"),
        (Memory("M"), type("Other", (Memory,), {})("M"), "s: f32 @ ONE\n    t: f32 @ TWO"),
        (extern("e", 1, abs, "{0}"), extern("e", 1, abs, "-({0})"), "x = ONE(x)\n    x = TWO(x)"),
        (Config("M", pmap({"a": index})), Memory("M"), "ONE.a = 1\n    t: f32 @ TWO"),
    ],
)
def test_a_name_means_one_thing_in_a_program(one: object, two: object, text: str) -> None:
    first, _, second = text.partition("\n    ")
    with pytest.raises(CheckError, match="two different things are called"):
        proc_from_source(f"def f(x: f32):\n    {text}", {"ONE": one, "TWO": two})
    callee = proc_from_source(f"def g(x: f32):\n    {first}", {"ONE": one})
    caller = f"def f(x: f32):\n    {second}\n    g(x)"
    with pytest.raises(CheckError, match="two different things are called"):
        proc_from_source(caller, {"TWO": two, "g": callee})


@pytest.mark.parametrize(
    "head",
    [
        "n: size, x: f32[n]):\n    assert n < 0",
        "n: size, x: f32[n]):\n    assert n < 5\n    assert n > 5",
        "n: size, x: f32[n]):\n    assert n % 4 == 1\n    assert n % 2 == 0",
        "b: bool, x: f32[4]):\n    assert b\n    assert not b",
        "x: f32[4]):\n    assert Cfg.a == 3\n    assert Cfg.a == 4",
        "n: size, m: size, x: f32[n]):\n    assert n < m\n    assert m < n",
        "x: [f32][4]):\n    assert stride(x, 0) == 1\n    assert stride(x, 0) == 2",
        "x: f32[4]):\n    assert 1 == 2",
    ],
)
def test_assertions_that_no_call_can_meet(head: str) -> None:
    """Whatever is asked of such a procedure was true."""
    with pytest.raises(CheckError, match="no arguments meet all that is asserted"):
        proc_from_source(f"def f({head}\n    x[0] = 1.0", {"Cfg": Cfg})


def test_assertions_that_few_calls_meet() -> None:
    asserts = "    assert n < 2\n    assert Cfg.a == 3"
    p = proc_from_source(f"def f(n: size, x: f32[n]):\n{asserts}\n    x[0] = 1.0", {"Cfg": Cfg})
    assert proc_from_source(str(p), reparse_env(p.tree)) == p
    with pytest.raises(SchedulingError, match="no arguments meet all that is asserted"):
        direct.add_assertion(p, "Cfg.a == 4")
    other = proc_from_source("def f(x: f32):\n    assert Cfg.a == 5\n    x = 1.0", {"Cfg": Cfg})
    with pytest.raises(CheckError, match="no arguments meet all that is asserted"):
        make_proc(with_child(p.tree, "preds", p.tree.preds.extend(other.tree.preds)))


def test_arithmetic_in_a_divisor_stays_as_it_is_written() -> None:
    """Otherwise what a rewrite puts there is another procedure when its text is read."""
    p = proc_from_source("def f(n: size, x: f32[n]):\n    if n % 2 == 0:\n        x[n / 2 - 1] = 0.0")
    for pattern in ("n % _", "n / _"):
        q = direct.rewrite_expr(p, p.find(pattern).rhs(), "2 + 0")  # type: ignore[attr-defined]
        assert "(2 + 0)" in str(q) and str(proc_from_source(str(q))) == str(q)
