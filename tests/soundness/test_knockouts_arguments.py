"""The harness finds what goes wrong when nobody asks what a caller has written, or whether a call that is swapped
races; see `test_knockouts`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib import import_module

import pytest

from exo_strat import index
from exo_strat.cursors.proc import Proc
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.direct import bind_expr, call_eqv, delete_buffer, insert_pass, rename, replace, rewrite_expr, stage_mem
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.interp import Array
from exo_strat.interp.values import blank
from exo_strat.ir.nodes import ProcDef
from exo_strat.ir.span import Span
from exo_strat.logic.effects import contents
from exo_strat.logic.effects.accesses import Access, Buffer
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import evaluation
from exo_strat.primitives import framework, guards, procs, staging
from exo_strat.testing import Inputs, Malformed, Miscompiled, assert_equivalent, assert_lawful
from exo_strat.testing.library import callees, versions

Caught = Callable[..., None]


@config
class Cfg:
    n: index


READS = proc_from_source("def reads(x: [f32][8], y: [f32][8]):\n    t: f32\n    t = y[0]\n    x[1] = y[1]")
LEAN = rename(delete_buffer(READS, "t"), "lean")
LEANER = rename(insert_pass(LEAN, LEAN.body()[0].before()), "leaner")
ONE = proc_from_source("def one(i: index, x: [f32][8]):\n    assert 0 <= i and i < 8\n    x[i] = 1.0")
ALL = rename(stage_mem(ONE, "x[_] = _", "x[0:8]", "t"), "all_of_x")
NOP = proc_from_source("def nop(a: f32):\n    pass")
PUT = proc_from_source("def put(b: bool, x: [f32][8]):\n    if b:\n        x[0] = 1.0")

@pytest.fixture(autouse=True)
def _known_versions() -> None:
    """The versions that programs call are made, once for all tests, while no condition is knocked out."""
    for name in callees():
        versions(name)


# -- what is noted -------------------------------------------------------------------------------------

SHAPES = {"bind_expr": "calls", "bind_config": "calls", "call_eqv": "lent calls", "drop_guard": "lanes"}
NOTING = [
    "stage_mem",
    "specialize",
    "bind_expr",
    "bind_config",
    "write_config",
    "insert_noop_call",
    "drop_guard",
    "lift_scope",
    "lift_reduce_constant",
    "call_eqv",
]


@pytest.mark.parametrize("primitive", NOTING)
def test_what_is_read_in_addition_is_not_noted(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(Rewrite, "reads_more", lambda *_: None)
    must_be_caught(primitive, SHAPES.get(primitive, ""))


def all_reads(tree: ProcDef, blk: Span, buffer: Buffer) -> list[Access]:
    """Those of what the code itself wrote, too."""
    return [a for a in contents._of(tree, blk, buffer) if a.reads and a.exact]


@pytest.mark.parametrize("primitive", ["specialize"])
def test_reads_of_what_the_code_itself_wrote(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(contents, "exposed", all_reads)
    must_be_caught(primitive, "patch")


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_a_window_that_the_code_itself_may_write_first(primitive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """(Drawn too seldom.)"""
    lines = ("for i in seq(0, 2):", "    if a < 1.0:", "        x[i] = 0.0", "    y[i] = x[i]")
    p = program("x: f32[2], a: f32, y: f32[2]", *lines)
    written = Inputs({"x": blank((2,)), "a": Array([0], 0, (), ()), "y": blank((2,))}, {})
    assert stage_mem(p, "for i in _: _", "x[0:2]", "t").needs_since(p)
    monkeypatch.setattr(contents, "exposed", all_reads)
    q = stage_mem(p, "for i in _: _", "x[0:2]", "t")
    assert not q.needs_since(p)
    with pytest.raises(Miscompiled, match="x was read but never written"):
        assert_equivalent(p, q, written)


@pytest.mark.parametrize("primitive", ["stage_mem", "specialize"])
def test_reads_that_need_not_happen(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    of = contents._of
    monkeypatch.setattr(contents, "_of", lambda *args: [dataclasses.replace(a, exact=True) for a in of(*args)])
    must_be_caught(primitive)


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_accesses_that_come_later(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(contents, "_time", lambda tree, scope, path: (contents.Tick(contents.Lin(10**6)),))
    must_be_caught(primitive)


@pytest.mark.parametrize("primitive", ["bind_expr"])
def test_what_a_call_gets_by_reference(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(staging, "read_early", lambda *_: False)
    must_be_caught(primitive, "calls")


@pytest.mark.parametrize("primitive", ["drop_guard"])
def test_what_a_guard_kept_away(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(guards, "ready", lambda *_: None)
    must_be_caught(primitive)


# -- who is asked --------------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", ["call_eqv"])
def test_what_the_caller_wrote(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(evaluation, "arguments_ready", lambda *_: SAFE)
    must_be_caught(primitive)


@pytest.mark.parametrize("primitive", ["call_eqv"])
def test_what_both_versions_were_made_from_reads(primitive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its caller need not have written it, as the version that it calls does not read it. (Drawn too seldom.)"""
    p = program("y: f32[8], w: f32[8]", "lean(w[0:8], y[0:8])")
    read = Inputs({"y": Array([None, 1, *[None] * 6], 0, (8,), (1,)), "w": blank((8,))}, {})
    assert_equivalent(p, call_eqv(p, "lean(_)", LEANER), read)
    monkeypatch.setattr(evaluation, "runs", lambda *_: SAFE)
    q = call_eqv(p, "lean(_)", READS)
    assert not q.needs_since(p)
    with pytest.raises(Miscompiled):
        assert_equivalent(p, q, read)


@pytest.mark.parametrize("primitive", ["call_eqv"])
def test_a_note_of_an_earlier_version(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    """Only the last rewrite's counts."""
    monkeypatch.setattr(procs.Proc, "needs_since", lambda p, _: p.rewritten.needs if p.rewritten else frozenset())
    must_be_caught(primitive)


# -- parallel loops ------------------------------------------------------------------------------------


def program(args: str, *lines: str) -> Proc:
    body = "".join(f"    {line}\n" for line in lines)
    return proc_from_source(f"def foo({args}):\n{body}", {"Cfg": Cfg, "nop": NOP, "one": ONE, "lean": LEAN})


RACES: dict[str, tuple[Proc, Callable[[Proc], Proc]]] = {
    "call_eqv": (
        program("x: f32[8]", "for i in par(0, 8):", "    one(i, x[0:8])"),
        lambda p: call_eqv(p, "one(_)", ALL),
    ),
    "bind_expr": (
        program("x: f32[8]", "for i in par(0, 8):", "    nop(x[3])", "    x[i] = 0.0"),
        lambda p: bind_expr(p, p.find("nop(_)").args()[0], "t"),  # type: ignore[union-attr]
    ),
    "replace": (
        program("x: f32[8]", "for i in par(0, 8):", "    if i == 0:", "        x[0] = 1.0"),
        lambda p: replace(p, "if _: _", PUT),
    ),
    "rewrite_expr": (
        program(
            "y: f32",
            "Cfg.n = 0",
            "for i in par(0, 8):",
            "    if i == 0:",
            "        y = 1.0",
            "    if i == Cfg.n:",
            "        pass",
        ),
        lambda p: rewrite_expr(p, *(c.cond() for c in p.find_all("if _: _"))),  # type: ignore[attr-defined]
    ),
}
"""Programs that are drawn too seldom."""


@pytest.mark.parametrize("primitive", ["call_eqv", "bind_expr", "replace", "rewrite_expr"])
def test_a_race_that_was_not_there(primitive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("staging", "procs", "simplification"):
        monkeypatch.setattr(import_module(f"exo_strat.primitives.{module}"), "no_new_races", lambda *_: None)
    monkeypatch.setattr(framework, "new_race", lambda *_, **__: None)
    p, rewritten = RACES[primitive]
    with pytest.raises(Malformed, match="a parallel loop has a race"):
        assert_lawful(p, rewritten(p), str(p))


# -- staging -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_an_element_that_a_callee_does_not_touch(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(staging, "_surely_inside", lambda *_: True)
    must_be_caught(primitive)
