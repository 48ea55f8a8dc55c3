"""What keeps values at their precisions, knocked out: programs at several precisions show each, random ones or one that
is given. (Random programs call the library, which has one precision.)"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from pyrsistent import pmap

from exo_strat import direct
from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.logic.effects import config_data as held
from exo_strat.primitives import annotations, arithmetic, configs, inlining, procs, staging, writes
from exo_strat.testing import Miscompiled, assert_equivalent, precisions

Caught = Callable[..., None]
simplify = import_module("exo_strat.primitives.simplification")  # the package has a primitive of that name
Narrow = Config("Narrow", pmap({"a": types.f32}))


@pytest.fixture(autouse=True)
def _several_precisions(_one_precision: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precisions, "PERCENT", 100)


def as_it_is(e: Any, *_: object) -> Any:
    return e


def as_it_stands(tree: object, path: object, e: Any, *_: object) -> Any:
    return e


@pytest.mark.parametrize(
    ("primitive", "where", "name", "instead"),
    [
        ("split_write", arithmetic, "concrete", lambda *_: None),
        ("lift_reduce_constant", arithmetic, "converted", as_it_is),
        ("merge_writes", writes, "converted", as_it_is),
        ("inline_assign", inlining, "put_at", as_it_stands),
        ("bind_expr", staging, "precision_at", lambda *_: types.f32),
        ("bind_expr", staging, "fits_alone", lambda *_: None),
        ("bind_config", configs, "precision_at", lambda *_: types.f32),
    ],
)
def test_random_programs(
    primitive: str, where: object, name: str, instead: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught,
) -> None:  # fmt: skip
    monkeypatch.setattr(where, name, instead)
    must_be_caught(primitive)


def parsed(line: str, **names: object) -> Proc:
    return proc_from_source(f"def f(x: f32[4], u: u32[4], y: f64[4], z: i64):\n    {line}", {"Narrow": Narrow, **names})


CALLEE = proc_from_source("def g(a: f32, y: [f64][4]):\n    y[0] = a")


@pytest.mark.parametrize(
    ("primitive", "where", "name", "instead", "line", "rewrite"),
    [
        (
            "split_write", arithmetic, "converted", as_it_is,
            "z = u[0] - u[1]", lambda p: direct.split_write(p, "z = _"),
        ),
        (
            "simplify", simplify, "put_at", as_it_stands,
            "y[0] = 0.0 * x[0] + 0.1", direct.simplify,
        ),
        (
            "simplify", simplify, "element", lambda *_: types.f32,
            "y[0] = f32(y[1] * y[2])", direct.simplify,
        ),
        (
            "inline", procs, "put_at", as_it_stands,
            "g(0.1, y[0:4])", lambda p: direct.inline(p, "g(_)"),
        ),
        (
            "replace", procs, "_literals_agree", lambda *_: True,
            "y[0] = 0.1", lambda p: direct.replace(p, "y[_] = _", CALLEE),
        ),
        (
            "rewrite_expr", held, "stored", lambda tree, e, field: e,
            "Narrow.a = y[0]\n    y[1] = f64(Narrow.a)",
            lambda p: direct.rewrite_expr(p, p.find("f64(_)"), "f64(y[0])"),
        ),
        (
            "set_precision", annotations, "_shifts_have_values", lambda *_: None,
            "z = z >> 40", lambda p: direct.set_precision(p, p.args()[3], "i32"),
        ),
        (
            "bind_expr", staging, "fits_alone", lambda *_: None,
            "z = wrap_i64(u[1] * 4294967295)", lambda p: direct.bind_expr(p, "u[1] * _", "t"),
        ),
    ],
)  # fmt: skip
def test_a_program(
    primitive: str, where: object, name: str, instead: Callable[..., Any], line: str, rewrite: Callable[[Proc], Proc],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(where, name, instead)
    p = parsed(line, g=CALLEE)
    with pytest.raises(Miscompiled, match=r"precisions|overflow|traps"):
        assert_equivalent(p, rewrite(p))
