"""Checks of what code evaluates, and of config fields, that are knocked out: each makes a program that traps, computes
something else, or does not pass the checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from exo_strat import direct
from exo_strat.cursors.proc import Proc
from exo_strat.logic.effects import config_data as held
from exo_strat.logic.effects import config_state as configs
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import evaluation
from exo_strat.ops.failure import SchedulingError
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

    primitive: str
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
UNSET = "t: f32\nx[0] = 1.0\nt = 2.0"
FIELD = "if n > 2:\n    C.k = 2\n    C.n = 2\n"

KNOCKED = [
    Knocked("rewrite_expr", "what a condition evaluates", evaluation, "no_more", ignored, DIVIDES,
            turned("x[0] / y < 3.0 and y != 0.0")),
    Knocked("rewrite_expr", "on which condition", evaluation, "evaluations", unconditional, UNWRITTEN,
            turned("t < 3.0 and n < 3")),
    Knocked("rewrite_expr", "that a value is there", evaluation, "_exists", ignored, UNWRITTEN,
            turned("t < 3.0 and n < 3")),
    Knocked("rewrite_expr", "that a divisor may be zero", evaluation, "undefined", lambda _: None, DIVIDES,
            turned("x[0] / y < 3.0 and y != 0.0")),
    Knocked("specialize", "what keeps zero away", evaluation, "_excludes_zero", lambda *_: True, "x[1] = 0.0",
            lambda p: direct.specialize(p, "x[_] = _", "n > 1 and x[0] / (y - y) < 3.0")),
    Knocked("insert_noop_call", "what a call is passed", evaluation, "has_value", ignored, UNSET,
            lambda p: direct.insert_noop_call(p, p.find("x[_] = _").before(), NOOP, ["t * 2.0"])),
    Knocked("insert_noop_call", "the arguments of a call", evaluation, "evaluations", values_only, UNSET,
            lambda p: direct.insert_noop_call(p, p.find("x[_] = _").before(), NOOP, ["t * 2.0"])),
    Knocked("replace", "what a callee asserts", evaluation, "evaluations", values_only,
            FIELD + "for i in seq(0, 4):\n    x[i] = 0.0", lambda p: direct.replace(p, "i", ASKS)),
    Knocked("bind_expr", "an element by reference", staging, "read_early", lambda *_: False, "t: f32\nswitch(t, y, 1)",
            lambda p: direct.bind_expr(p, p.find("switch(_)").args()[0], "a")),  # type: ignore[attr-defined]
    Knocked("expand_dim", "an index that need not be set", evaluation, "has_value", ignored,
            FIELD + "t: f32\nt = 1.0\ny = t", lambda p: direct.expand_dim(p, "t", "C.n", "0")),
    Knocked("stage_mem", "the place of a window that need not be set", evaluation, "has_value", ignored,
            FIELD + "if n > 2:\n    x[C.k % 4] = 1.0", lambda p: direct.stage_mem(p, p.body()[-1], "x[C.k % 4]", "s")),
    Knocked("specialize", "that a field need not be set", evaluation, "_is_set", lambda *_: True,
            FIELD + "x[0] = 0.0", lambda p: direct.specialize(p, "x[_] = _", "C.k == 2")),
    Knocked("rewrite_expr", "what a field may have lost", held, "_changes", lambda *_: False,
            "C.a = y\ny = 2.0\nx[0] = C.a",
            lambda p: direct.rewrite_expr(p, p.find("x[_] = _").rhs(), "y")),  # type: ignore[attr-defined]
]  # fmt: skip


@pytest.mark.parametrize(("primitive", "knocked"), [(k.primitive, k) for k in KNOCKED], ids=[k.what for k in KNOCKED])
def test_a_check_that_is_missed(primitive: str, knocked: Knocked, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize(
    ("primitive", "lines", "rewrite"),
    [
        # Nobody knows what the first loop leaves in the field, as it need not run.
        (
            "fission",
            "for i in seq(1, n):\n    C.k = 3\n    x[C.k] = 0.0",
            lambda p: direct.fission(p, p.find("C.k = _").after()),
        ),
        # Only one iteration, as the field is 1; in a loop around it somebody else may have set it.
        (
            "add_loop",
            "C.k = 1\nfor i in par(0, C.k):\n    x[0] = x[1]\n    C.k = 0",
            lambda p: direct.add_loop(p, p.find_loop("i"), "t", 1),
        ),
    ],
)
def test_checks_follow_every_rewrite(
    primitive: str, lines: str, rewrite: Callable[[Proc], Proc], monkeypatch: pytest.MonkeyPatch
) -> None:
    def rewritten() -> tuple[Proc, Proc]:
        p = parsed(lines)
        return p, rewrite(p)

    with pytest.raises(SchedulingError, match="still known of config fields"):
        rewritten()
    monkeypatch.setattr(framework, "_fields_still_known", lambda _: None)
    p, q = rewritten()
    with pytest.raises(Malformed):
        assert_lawful(p, q, str(p))
