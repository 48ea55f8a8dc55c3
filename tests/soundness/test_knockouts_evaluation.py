"""Checks of what code evaluates, and of config fields, that are knocked out: each makes a program that traps, computes
something else, or does not pass the checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from exo_strat import direct
from exo_strat.cursors.proc import Proc
from exo_strat.failure import SchedulingError
from exo_strat.frontend import check_expr, checks
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.logic import configs, evaluation, held
from exo_strat.logic.dependence import SAFE
from exo_strat.logic.formula import TRUE
from exo_strat.primitives import framework, staging
from exo_strat.testing import Malformed, Miscompiled, assert_equivalent, assert_lawful
from exo_strat.testing.inputs import samples

from .test_regressions_eval import ASKS, NOOP, SWITCH, parsed


def ignored(*_: object, **__: object) -> Any:
    return SAFE


def unconditional(n: Any, given: configs.Conditions = ()) -> Any:
    """Evaluations as if all were on no condition."""
    return (e._replace(given=()) for e in EVALUATIONS(n))


def values_only(n: Any, given: configs.Conditions = ()) -> Any:
    """Evaluations without those of what a call is passed, and of what its callee asserts."""
    return iter(()) if type(n).__name__ == "Call" else EVALUATIONS(n, given)


EVALUATIONS = evaluation.evaluations


class Knocked(NamedTuple):
    """A check that is left out, or forgets something; a program, and a rewrite of it that is refused otherwise."""

    what: str
    where: object
    name: str
    instead: Callable[..., Any]
    lines: str
    rewrite: Callable[[Proc], Proc]


def turned(text: str) -> Callable[[Proc], Proc]:
    return lambda p: direct.rewrite_expr(p, p.body()[-1].cond(), text)  # type: ignore[attr-defined]


DIVIDES = "y = 0.0\nif y != 0.0 and x[0] / y < 3.0:\n    x[1] = 0.0"
UNWRITTEN = "t: f32\nif n < 3:\n    t = 1.0\nif n < 3 and t < 3.0:\n    x[1] = 0.0"
FIELD = "if n > 2:\n    C.k = 2\n    C.n = 2\n"

KNOCKED = [
    Knocked("what a condition evaluates", evaluation, "no_more", ignored, DIVIDES,
            turned("x[0] / y < 3.0 and y != 0.0")),
    Knocked("on which condition", evaluation, "evaluations", unconditional, UNWRITTEN, turned("t < 3.0 and n < 3")),
    Knocked("that a value is there", evaluation, "_exists", ignored, UNWRITTEN, turned("t < 3.0 and n < 3")),
    Knocked("that a divisor may be zero", evaluation, "undefined", lambda _: None, DIVIDES,
            turned("x[0] / y < 3.0 and y != 0.0")),
    Knocked("what keeps zero away", evaluation, "_excludes_zero", lambda *_: True, "x[1] = 0.0",
            lambda p: direct.specialize(p, "x[_] = _", "n > 1 and x[0] / (y - y) < 3.0")),
    Knocked("what a call is passed", evaluation, "has_value", ignored, "t: f32\nx[0] = 1.0\nt = 2.0",
            lambda p: direct.insert_noop_call(p, p.find("x[_] = _").before(), NOOP, ["t * 2.0"])),
    Knocked("the arguments of a call", evaluation, "evaluations", values_only, "t: f32\nx[0] = 1.0\nt = 2.0",
            lambda p: direct.insert_noop_call(p, p.find("x[_] = _").before(), NOOP, ["t * 2.0"])),
    Knocked("what a callee asserts", evaluation, "evaluations", values_only,
            FIELD + "for i in seq(0, 4):\n    x[i] = 0.0", lambda p: direct.replace(p, "i", ASKS)),
    Knocked("an element by reference", staging, "read_early", lambda *_: False, "t: f32\nswitch(t, y, 1)",
            lambda p: direct.bind_expr(p, p.find("switch(_)").args()[0], "a")),  # type: ignore[attr-defined]
    Knocked("an index that need not be set", evaluation, "has_value", ignored,
            FIELD + "t: f32\nt = 1.0\ny = t", lambda p: direct.expand_dim(p, "t", "C.n", "0")),
    Knocked("that a field need not be set", evaluation, "_is_set", lambda *_: True,
            FIELD + "x[0] = 0.0", lambda p: direct.specialize(p, "x[_] = _", "C.k == 2")),
    Knocked("what a field may have lost", held, "_changes", lambda *_: False, "C.a = y\ny = 2.0\nx[0] = C.a",
            lambda p: direct.rewrite_expr(p, p.find("x[_] = _").rhs(), "y")),  # type: ignore[attr-defined]
]  # fmt: skip


@pytest.mark.parametrize("knocked", KNOCKED, ids=lambda k: k.what)
def test_a_check_that_is_missed(knocked: Knocked, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"switch": SWITCH}
    with pytest.raises(SchedulingError):
        knocked.rewrite(parsed(knocked.lines, **env))
    monkeypatch.setattr(knocked.where, knocked.name, knocked.instead)
    p = parsed(knocked.lines, **env)
    with pytest.raises((Malformed, Miscompiled)):
        q = knocked.rewrite(p)
        monkeypatch.undo()
        assert_lawful(p, q, str(p))
        assert_equivalent(p, q)
        assert_equivalent(p, q, [replace(given, configs={}) for given in samples(p)])


# -- what the checks know of fields ---------------------------------------------------------------------

WIDER = [
    ("a write that is forgotten", configs, "_kept", lambda known, s: known,
     "if 0 <= C.k and C.k < 8:\n    C.k = n + 8\n    x[C.k] = 0.0", {"C.k": 1}),
    ("a write in a loop that is forgotten", configs, "_round", lambda loop, known, facts: known,
     "C.k = 1\nfor i in seq(0, 3):\n    x[C.k] = 0.0\n    C.k = 9", {}),
    ("any field taken for a size", configs, "size", types.index, "if C.k < 8:\n    x[C.k] = 0.0", {"C.k": -1}),
    ("one part of an `or` taken for true", configs, "_on_fields", lambda e, truth: iter([(e.rhs, truth)]),
     "if n < 4 or (0 <= C.k and C.k < 8):\n    x[C.k] = 0.0", {"C.k": 9}),
    ("a branch taken for the other", configs, "_asked", lambda s, label: ((s.cond, True),),
     "if C.n < 8:\n    pass\nelse:\n    x[C.n] = 0.0", {"C.n": 8}),
    ("a size that need not be positive", checks, "ge", lambda *_: TRUE, "C.n = 2 - n", {}),
    ("a first part taken for true where it is false", check_expr, "neg", lambda f: f,
     "if n < 8 or x[n] > 0.0:\n    pass", {}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "lines", "fields"), [(row[0], *row[4:]) for row in WIDER])
def test_programs_that_pass_where_too_much_is_known(
    what: str, lines: str, fields: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CheckError):
        parsed(lines)
    where, name, instead = next(row[1:4] for row in WIDER if row[0] == what)
    monkeypatch.setattr(where, name, instead)
    tree = parsed(lines).tree
    monkeypatch.undo()
    assert run(tree, {"n": 2 if "2 - n" in lines else 9 if "x[n]" in lines else 1, "x": [1] * 8, "y": 1}, fields).trap


def test_checks_follow_every_rewrite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what the first loop leaves in the field, as it need not run."""
    lines = "for i in seq(1, n):\n    C.k = 3\n    x[C.k] = 0.0"

    def split() -> tuple[Proc, Proc]:
        p = parsed(lines)
        return p, direct.fission(p, p.find("C.k = _").after())

    with pytest.raises(SchedulingError, match="still known of config fields"):
        split()
    monkeypatch.setattr(framework, "_fields_still_known", lambda _: None)
    p, q = split()
    with pytest.raises(Malformed):
        assert_lawful(p, q, str(p))
