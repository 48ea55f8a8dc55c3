"""What holds of all standard strategies: documentation, printing, and failures instead of exceptions."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
from pyrsistent import pmap
from returns.result import Success

import exo_strat
import strategies.inspect
from exo_strat import Cursor, Machine, Memory, Op, Proc, StmtCursor, at, proc_from_source, schedule, when
from strategies import std
from strategies.std import fma_rule

REG = Memory("REG")
OTHERS = {"Rule", "Tile", "fma_rule", "negated_fma_rule", "broadcast_rule", "abs_rule"}
BUILDERS = sorted(set(std.__all__) - OTHERS - {"NoInstructionWarning"})
TOY = Machine("TOY", pmap({"f32": 2}), REG, pmap())

OPS: list[Op] = [
    std.auto_stage_mem("x", "xs", REG),
    std.by_vectors(std.Tile(TOY, "f32", 1, 2)),
    std.cleanup(),
    std.cse("t"),
    std.dce(),
    std.expand_alloc(),
    std.fission_after(),
    std.fission_as_much_as_possible(),
    std.fission_before(),
    std.fission_into_singles(),
    std.fission_into_singles(2),
    std.fission_where_possible(),
    std.hoist(),
    std.if_it_runs(std.jam()),
    std.in_blocks(2, ("io", "ii"), std.jam()),
    std.interleave_loop(2, tail="recursive"),
    std.jam(),
    std.leave_loop(),
    std.licm(),
    std.locals_in(REG),
    std.parallelize_reductions(memory=REG),
    std.prefetch("f32", ["x[0, 0:1]"]),
    std.remove_parent_loop(),
    std.reorder_before(),
    std.replace_all([]),
    std.round_loop(4, up=False),
    std.share(),
    std.share_sums(),
    std.specialize_sizes("n", [1, 2]),
    std.specialize_sizes("n", [1, 2], [std.jam(), std.cse()]),
    std.stage_compute("f32", REG, [fma_rule]),
    std.stage_expr("t", n_lifts=2),
    std.stream_stores([]),
    std.tile(2, 3, names=[("a", "b"), ("c", "d")]),
    std.tile(2, tail="guard"),
    std.tile_bottom_up(2, 3),
    std.to_instructions(std.Tile(TOY, "f32", 1, 2), ()),
    std.transposed(TOY, "f32"),
    std.unguard(),
    std.branchless(),
    std.unroll_and_jam(2),
    std.unroll_loops(4),
    std.vectorize(2, "f32", REG, [], rules=[fma_rule], tail="guard"),
]


def doctests(module: str) -> list[doctest.DocTest]:
    """The examples of the functions that a module defines, through decorators too."""
    m = importlib.import_module(module)
    finder, own = doctest.DocTestFinder(recurse=False), []
    for name, value in vars(m).items():
        if callable(value) and getattr(value, "__module__", "") == module:
            own += finder.find(inspect.unwrap(value), f"{module}.{name}", globs={**vars(m)})
    return [t for t in own if t.examples]


MODULES = [f"strategies.std.{m.name}" for m in pkgutil.iter_modules(std.__path__)]


@pytest.mark.parametrize("test", [t for m in MODULES for t in doctests(m)], ids=lambda t: t.name.split(".")[-1])
def test_an_example_in_a_docstring_prints_what_it_says(test: doctest.DocTest) -> None:
    out: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=out.append)
    assert not failed, "".join(out)


@pytest.mark.parametrize("name", BUILDERS)
def test_a_strategy_is_documented_by_an_equation_and_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(std, name))
    assert doc is not None and ">>> " in doc
    assert " ~> " in doc
    assert "Focus: " in doc or "focus" in doc or "whole procedure" in doc or "`vectorize`" in doc or "`cse`" in doc


@pytest.mark.parametrize("op", OPS, ids=str)
def test_a_strategy_prints_as_python_that_rebuilds_it(op: Op) -> None:
    names: dict[str, Any] = {**vars(exo_strat), **vars(std), "REG": REG, "TOY": TOY}
    assert eval(str(op), names) == op


def test_each_strategy_is_among_those_printed() -> None:
    here = {str(op).partition("(")[0] for op in OPS}
    assert here | {"rise_into", "vectorize_for", "as_call", "check_lanes"} == set(BUILDERS)


def test_the_page_on_strategies_lists_all() -> None:
    page = (Path(exo_strat.__file__).parents[1] / "docs" / "strategies.md").read_text()
    questions = [name for name in strategies.inspect.__all__ if name[0].islower()]
    assert [name for name in (*std.__all__, *questions) if not re.search(rf"\b{name}\b", page)] == []


def test_the_plan_of_a_call_is_followed_once() -> None:
    followed: list[Cursor] = []
    op = std.as_call(CALLEE, when(lambda c: followed.append(c) is None))
    caller = proc_from_source("""
def foo(m: size, y: f32[m], z: f32[m]):
    for i in seq(0, m):
        y[i] = 0.0
    for j in seq(0, m):
        z[j] = 0.0
""")
    p = schedule(at("for j in _: _", op), schedule(at("for i in _: _", op), caller))
    assert str(p).count("bar(") == 2
    assert len(followed) == 1


# -- failures -----------------------------------------------------------------------------------------

CALLEE = proc_from_source("""
def bar(n: size, x: [f32][n]):
    for i in seq(0, n):
        x[i] = 0.0
""")
PROGRAM = proc_from_source(
    """
def foo(n: size, m: size, a: f32, x: f32[n, m], y: f32[n], b: bool):
    t: f32[n]
    w = x[0, 0:m]
    for i in seq(0, n):
        t[i] = 0.0
        for j in seq(0, m):
            if j < 2:
                y[i] += a * x[i, j]
            else:
                pass
    bar(n, y[0:n])
    if b:
        y[0] = sin(-t[0])
    z: f32
    for i in seq(1, 3):
        z = w[0]
        for j in seq(0, 3):
            z += y[0] * (a + 1.0)
        y[0] = z
""",
    {"bar": CALLEE},
)


def everywhere(p: Proc) -> list[Cursor]:
    nodes = list(p.root().descendants())
    stmts = [s for s in nodes if isinstance(s, StmtCursor)]
    return [*nodes, *(s.before() for s in stmts), *(s.as_block() for s in stmts), p.body()]


@pytest.mark.parametrize("op", OPS, ids=str)
def test_a_strategy_fails_in_words_wherever_it_does_not_apply(op: Op) -> None:
    for c in everywhere(PROGRAM):
        outcome = op(PROGRAM, c)
        assert isinstance(outcome, Success) or (outcome.failure().message and str(outcome.failure()))


@pytest.mark.parametrize(
    ("op", "place", "message"),
    [
        (std.tile(2, 3, 4), "for i in _: _", "3 loops are to be tiled, and the nest has 1"),
        (std.tile(2, names=[("a", "b"), ("c", "d")]), "for i in _: _", "1 loops have 2 pairs of names"),
        (std.tile_bottom_up(), "for i in _: _", "there is no loop to tile"),
        (std.tile(0), "for i in _: _", "no alternative applies"),
        (std.tile(2, tail="cutt"), "for i in _: _", "tail must be one of"),
        (std.specialize_sizes("n", ()), "for i in _: _", ""),
        (std.specialize_sizes("k", (1,)), "for i in _: _", ""),
        (std.rise_into(PROGRAM.find_loop("i #1")), "for j in _: _", "this is at the top level"),
        (std.expand_alloc(), "for i in _: _", "this acts on an allocation, but the focus is a loop"),
        (std.parallelize_reductions(), "for i in _: _", "the loop has more in it than a loop over lanes"),
        (std.vectorize(4, "f32", REG, (), tail="cutt"), "for i in _: _", "tail is one of perfect, cut, "),
        (std.vectorize(4, "f64", REG, ()), "for j in _: _ #1", "v is of precision f32, the registers of f64"),
        (std.vectorize(4, "f32", REG, ()), "for i in _: _", "only assignments and reductions become steps on"),
        (std.share(), "for j in _: _", "nothing is evaluated more than once here"),
    ],
    ids=str,
)
def test_a_failure_says_why(op: Op, place: str, message: str) -> None:
    assert exo_strat.at(place, op)(PROGRAM).failure().message.startswith(message)


def test_a_nest_that_a_window_interrupts_is_told_of() -> None:
    p = proc_from_source("""
def zero(n: size, x: f32[n, n]):
    for i in seq(0, n):
        w = x[i, 0:n]
        for j in seq(0, n):
            w[j] = 0.0
""")
    tiled = at("for i in _: _", std.tile(4, 4))
    assert "the window w is defined between two loops; inline_window" in tiled(p).failure().message
    assert isinstance((at("w = _", exo_strat.inline_window()) >> tiled)(p), Success)
