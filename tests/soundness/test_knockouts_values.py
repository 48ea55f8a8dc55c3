"""The harness finds what goes wrong when value reasoning leaves something out: see `test_knockouts`.

Each variant of `determined`, `privatization`, `same_value`, `config_state` or `accesses` forgets one thing, and
accepts rewrites that change results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pyrsistent import pmap

from exo_strat import Proc, SchedulingError, proc_from_source
from exo_strat.direct import fission, lift_scope, reorder_loops, reorder_stmts
from exo_strat.ir.config import Config
from exo_strat.ir.types import index
from exo_strat.logic.effects import accesses as effects
from exo_strat.logic.effects import config_state as configs
from exo_strat.logic.effects import determined
from exo_strat.logic.effects import same_value as samevalue
from exo_strat.logic.effects.coverage import cover
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import evaluation
from exo_strat.logic.questions import privatization as private
from exo_strat.logic.solver.answers import Proved
from exo_strat.primitives import loops, scopes
from exo_strat.primitives.helpers import scoping
from exo_strat.testing import Miscompiled, assert_equivalent

Caught = Callable[..., None]

Patch = pytest.MonkeyPatch


def true(*_: object) -> bool:
    return True


# what is not asked: the module, its function, what it answers instead; who asks; shapes of programs
FORGOTTEN: list[tuple[object, str, Callable[..., object], str, str]] = [
    (determined, "determined", true, "fuse", "stages"),
    (determined, "determined", true, "fission", "stages"),
    (determined, "determined", true, "reorder_loops", "stages nest"),
    (determined, "determined", true, "reorder_stmts", "stages two_writes"),
    (determined, "cover", lambda *_: SAFE, "fuse", "stages"),
    (determined, "cover", lambda *_: SAFE, "fission", "stages"),
    (determined, "untouched", true, "fission", "stages"),
    (determined, "covered_in", true, "reorder_loops", "stages nest"),
    (determined, "same_value", true, "fuse", "stages"),
    (determined, "same_value", true, "fission", "stages"),
    (determined, "_same_code", true, "fission", "stages"),
    (samevalue, "_same_place", true, "fission", "stages"),
    (samevalue, "_same_place", true, "bind_expr", ""),
    (samevalue, "_same_operands", true, "bind_expr", ""),
    (private, "_dead", true, "fuse", "borrowed"),
    (private, "_dead", true, "reorder_loops", "borrowed"),
    (private, "_dead", true, "reorder_stmts", "borrowed"),
    (private, "cover", lambda *_: SAFE, "fission", "borrowed"),
    (private, "cover", lambda *_: SAFE, "reorder_stmts", "borrowed"),
    (loops, "_condition_stays", lambda *_: None, "fission", "twin_ifs configuration"),
    (scopes, "evaluated_early", lambda *_: None, "lift_scope", "lone_scope"),
    (scoping, "prove", lambda *_: Proved(), "unroll_loop", "nest patch"),
    (scoping, "prove", lambda *_: Proved(), "mult_loops", "nest"),
    (configs, "_kept", lambda known, _: known, "eliminate_dead_code", "configuration"),
]


@pytest.mark.parametrize(("module", "question", "answer", "primitive", "shapes"), FORGOTTEN)
def test_what_is_forgotten_is_missed(
    module: object, question: str, answer: object, primitive: str, shapes: str, monkeypatch: Patch,
    must_be_caught: Caught,
) -> None:  # fmt: skip
    monkeypatch.setattr(module, question, answer)
    must_be_caught(primitive, shapes)


@pytest.mark.parametrize("primitive", ["fuse", "fission", "reorder_loops"])
def test_accumulations_that_do_not_count(primitive: str, monkeypatch: Patch, must_be_caught: Caught) -> None:
    touched = determined.Region.touched
    monkeypatch.setattr(
        determined.Region, "touched", lambda self, s, b: [a for a in touched(self, s, b) if a.kind != "A"]
    )
    must_be_caught(primitive, "stages")


# -- what random programs seldom show -------------------------------------------------------------------

Cfg = Config("Cfg", pmap({"k": index}))
TILES = """
for io in seq(0, n):
    for ii in seq(0, 3):
        {}
    for jj in seq(0, 2):
        y[2 * io + jj] = b[2 * io + jj] + b[2 * io + jj + 1]
"""
MEETING = "for i in seq(0, n):\n    for j in seq(0, n):\n        b[i + j] = x[1]\n        x[i] = s"
DECIDED = "Cfg.k = 0\nfor j in seq(0, n):\n    Cfg.k = 1\n    if Cfg.k == 1:\n        x[0] = s\ny[0] = x[0]"


def in_two(p: Proc) -> Proc:
    loop: Any = p.find_loop("ii")
    return fission(p, loop.after())


def swapped(p: Proc) -> Proc:
    return reorder_loops(p, "i j")


def exchanged(p: Proc) -> Proc:
    loop: Any = p.find_loop("j")
    return reorder_stmts(p, loop.expand(0, 1))


def lifted(p: Proc) -> Proc:
    return lift_scope(p, "if _: _")


def exact(*args: Any) -> object:
    """The question of coverage, of writes that all surely happen."""
    *rest, writes, what = args
    ask: Any = cover
    return ask(*rest, [replace(w, exact=True) for w in writes], what)


REWRITES = {"fission": in_two, "lift_scope": lifted, "reorder_loops": swapped, "reorder_stmts": exchanged}

# what is forgotten; a primitive that asks; the module, its function, what it answers instead; the program
RARE: list[tuple[str, str, object, str, object, str]] = [
    ("a guard", "fission", determined, "cover", exact,
     TILES.format("if x[io] < 2.0:\n            b[2 * io + ii] = s")),
    ("the places of a sum", "fission", determined, "_one_place", true,
     TILES.format("b[2 * io + 2 - ii] = 0.0\n        for k in seq(0, 2):\n"
                  "            b[2 * io + 2 - ii + k] += x[2 * io + 2 - ii]")),
    ("a scalar that is set in between", "fission", determined, "_before", lambda stmts, code: tuple(stmts[0].body[:3]),
     TILES.format("t: f32\n        t = 0.0\n        b[2 * io + ii] = 0.0\n"
                  "        t = x[ii]\n        b[2 * io + ii] += t")),
    ("inputs that change", "reorder_loops", determined, "untouched", true, MEETING),
    ("a value that is not there yet", "lift_scope", evaluation, "has_value", lambda *_: SAFE,
     "a: f32\nfor i in seq(1, n):\n    a = s\nfor i in seq(1, n):\n    if a < 2.0:\n        y[i] = s"),
    ("a field that the code sets itself", "reorder_stmts", effects, "written_fields", lambda _: frozenset(), DECIDED),
]  # fmt: skip


@pytest.mark.parametrize(("what", "primitive"), [row[:2] for row in RARE])
def test_what_is_forgotten_is_missed_in_a_program_of_its_own(what: str, primitive: str, monkeypatch: Patch) -> None:
    module, question, answer, body = next(row[2:] for row in RARE if row[0] == what)
    op = REWRITES[primitive]
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    head = "def foo(n: size, s: f32, x: f32[2 * n + 4], b: f32[2 * n + 4], y: f32[2 * n + 4]):\n"
    p = proc_from_source(head + lines, {"Cfg": Cfg})
    with pytest.raises(SchedulingError):
        op(p)
    monkeypatch.setattr(module, question, answer)
    with pytest.raises(Miscompiled):
        assert_equivalent(p, op(p))
