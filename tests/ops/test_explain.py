"""What a strategy did, as text and on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from exo_strat import (
    Script,
    Trace,
    at,
    attempt,
    divide_loop,
    explain,
    identity,
    named,
    proc_from_source,
    rename,
    reorder_loops,
    repeat,
    seq,
    simplify,
    strategy,
    trace,
    try_else,
    unroll_loop,
)
from exo_strat.cli.commands import app
from exo_strat.cli.targets import runnable
from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.ops.explain import astray, changes, rows, summary
from exo_strat.ops.strategy import Op
from exo_strat.ops.traversals import once_td

P = proc_from_source("""
def sums(n: size, m: size, x: f32[n, m], y: f32[n]):
    for i in seq(0, n):
        y[i] = 0.0
    for k in seq(0, n):
        for j in seq(0, m):
            y[k] += x[k, j]
""")


def traced(op: Op) -> Trace:
    return trace(op, P)[1]


def tree(op: Op, everything: bool = False) -> list[str]:
    """The outcome, depth and Op of each row."""
    return [f"{'ok' if r.reason is None else 'no'} {'.' * r.depth}{r.op}" for r in rows(traced(op), everything)]


@strategy
def tile(p: Proc, c: Cursor, size: int) -> Script:
    names = ("io", "ii")
    _, outer = yield divide_loop(size, names, tail="perfect") | divide_loop(size, names, tail="cut")
    yield at(outer.body()[0], attempt(reorder_loops()))
    return None


@named
def tidy() -> Op:
    return seq(simplify(), rename("tidy"))


def test_alternatives_that_were_refused_stand_before_the_one_that_was_not() -> None:
    assert tree(at("for i in _: _", tile(4))) == [
        "ok at('for i in _: _', tile(4))",
        "ok .tile(4)",
        "ok ..try_else(divide_loop(...), divide_loop(...))",
        "no ...divide_loop(4, ('io', 'ii'), tail='perfect')",
        "ok ...divide_loop(4, ('io', 'ii'), tail='cut')",
        "ok ..at(sums.body()[0].body()[0], attempt(reorder_loops()))",
        "no ...reorder_loops()",
    ]


def test_of_a_traversal_the_uses_of_its_op_are_shown() -> None:
    assert tree(once_td(reorder_loops())) == [
        "ok traversals.once_td(reorder_loops())",
        *["no .reorder_loops()"] * 3,
        "ok .reorder_loops()",
    ]
    places = [r.place for r in rows(traced(once_td(reorder_loops())))]
    assert places == ["", "", "for i in seq(0, n):", "y[i] = 0.0", "for k in seq(0, n):"]


def test_of_many_alike_some_are_shown() -> None:
    op = seq(*[divide_loop(2, ("a", "b"), tail="cut")] * 9)
    first, *rest, last = rows(trace(op, P, P.body()[0])[1])
    assert first.more == 0 and [r.more for r in rest] == [0, 0] and last.more == 6
    assert explain(trace(op, P, P.body()[0])[1]).splitlines()[-2].endswith("and 6 more like it")


def test_an_equation_is_shown_with_what_it_stands_for() -> None:
    assert tree(tidy()) == ["ok tidy()", "ok .simplify()", "ok .rename('tidy')"]


def test_everything_shows_moves_and_the_insides_of_combinators() -> None:
    assert tree(at("for k in _: _", attempt(reorder_loops())), everything=True) == [
        "ok at('for k in _: _', attempt(reorder_loops()))",
        "ok .seq(nav(moves.find('for k in _: _')), attempt(reorder_loops()))",
        "ok ..nav(moves.find('for k in _: _'))",
        "ok ..attempt(reorder_loops())",
        "ok ...reorder_loops()",
    ]


def test_a_place_that_is_nowhere_is_named_at_the_end() -> None:
    nowhere = at("for z in _: _", unroll_loop())
    text = summary(traced(seq(attempt(nowhere), attempt(at("for i in _: _", divide_loop(0, ("a", "b"), tail="cut"))))))
    first, so, second, so_too, counts = text.splitlines()
    assert first == "nothing matches 'for z in _: _' in sums: its loops are i, k, j"
    assert so == "    so nav(moves.find('for z in _: _')) never applied, and was passed over"
    assert second == "the factor must be a positive integer, not 0" and so_too.startswith("    so divide_loop(0, ")
    assert counts.startswith("0 rewrites; ")


def test_what_was_refused_for_another_reason_or_applied_elsewhere_is_not_astray() -> None:
    assert astray(traced(attempt(at("for i in _: _", unroll_loop())))) == ()
    assert astray(traced(repeat(at("for i in _: _", rename_loop())))) == ()
    assert astray(traced(at("for z in _: _", unroll_loop()))) == ()  # the failure of the whole says it


@named
def rename_loop() -> Op:
    return divide_loop(2, ("a", "b"), tail="cut")


def test_a_reason_is_given_once() -> None:
    text = explain(traced(seq(identity, at("for z in _: _", rename("q")))))
    assert text.count("nothing matches 'for z in _: _'") == 1
    perfect = divide_loop(4, ("io", "ii"), tail="perfect")
    refused = list(rows(traced(at("for i in _: _", perfect | unroll_loop()))))
    assert [r.reason for r in refused] == [
        (),
        ("not true: 4 divides the loop's number of iterations", "for instance with m = 1, n = 1"),
        ("the loop must run a constant number of times",),
    ]


def test_the_summary_counts() -> None:
    assert summary(traced(seq(rename("a"), rename("b")))) == "2 rewrites; 3 of 3 steps succeeded, 0 questions"
    refused = traced(seq(rename("a"), at("for z in _: _", identity)))
    assert summary(refused).startswith("refused after 1 rewrite; 1 of 5 steps succeeded")


def test_each_rewrite_is_shown_as_a_diff() -> None:
    first, second = changes(traced(seq(rename("a"), at("for k in _: _", reorder_loops()))))
    assert (first.op, first.place, second.place) == ("rename('a')", "", "for k in seq(0, n):")
    assert [line for line in second.diff if line[0] in "+-"] == [
        "-    for k in seq(0, n):",
        "-        for j in seq(0, m):",
        "+    for j in seq(0, m):",
        "+        for k in seq(0, n):",
    ]


def test_what_was_refused_is_shown_up_to_there() -> None:
    assert [c.op for c in changes(traced(seq(rename("a"), try_else(seq(rename("b"), unroll_loop())))))] == [
        "rename('a')",
        "rename('b')",
    ]


# -- the command line -------------------------------------------------------------------------------------

FILE = """
from __future__ import annotations
from exo_strat import *

@proc
def sums(n: size, m: size, x: f32[n, m], y: f32[n]):
    for i in seq(0, n):
        for j in seq(0, m):
            y[i] += x[i, j]

swap = at("for i in _: _", reorder_loops())
lost = swap >> at("for z in _: _", identity)
endless = repeat(attempt(swap))
focused = at(sums.body()[0], reorder_loops())

@strategy
def tile(p, c, size):
    p, c = yield divide_loop(size, ("io", "ii"), tail="cut")

def renamed():
    return rename("other")

def for_machine(machine: Machine) -> Op:
    return rename(machine.name)

def unannotated(machine):
    return rename(machine.name)

def takes_two(a, b):
    return identity
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiles.py"
    path.write_text(FILE)
    return path


def run(*args: object, **environment: str) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args], env=environment)


def test_explain_prints_the_derivation(file: Path) -> None:
    shown = run("explain", f"{file}:swap", f"{file}:sums")
    assert shown.exit_code == 0, shown.stderr
    lines = [re.sub(r"^(ok|refused) +[\d.]+ +\d* +", r"\1 ", line) for line in shown.stdout.splitlines()[1:]]
    assert lines[:2] == ["ok at('for i in _: _', reorder_loops())", "ok reorder_loops()  # for i in seq(0, n):"]
    assert "\x1b" not in shown.stdout


def test_explain_ends_with_1_if_the_strategy_is_refused(file: Path) -> None:
    shown = run("explain", f"{file}:lost", f"{file}:sums")
    assert shown.exit_code == 1
    assert "nothing matches 'for z in _: _'" in shown.stdout and "refused after 1 rewrite" in shown.stdout
    assert shown.stdout.splitlines()[-1].startswith("because: nothing matches 'for z in _: _'")


def test_explain_steps_prints_diffs(file: Path) -> None:
    shown = run("explain", "--steps", f"{file}:lost", f"{file}:sums")
    assert "1. reorder_loops()  # for i in seq(0, n):" in shown.stdout
    assert "-        for j in seq(0, m):" in shown.stdout and "nothing matches" in shown.stdout


@pytest.mark.parametrize("strategy", ["tile(4)", "at('for j in _: _', tile(2))", "renamed", "focused"])
def test_a_strategy_may_be_a_call_or_a_function_without_arguments(strategy: str, file: Path) -> None:
    shown = run("explain", f"{file}:{strategy}", f"{file}:sums")
    assert shown.exit_code == (strategy == "tile(4)"), shown.stderr  # the focus of tile(4) is the procedure


def test_a_strategy_may_be_made_for_a_target(file: Path) -> None:
    assert "rename('avx2')" in run("explain", f"{file}:for_machine", f"{file}:sums", "--target", "avx2").stdout
    widest = run("explain", f"{file}:for_machine", f"{file}:sums")
    assert widest.exit_code == 0 and f"rename('{runnable(None).machine.name}')" in widest.stdout


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("{}", "names no strategy"),
        ("{}:nothing", "is not defined; its strategies: "),
        ("{}:tile", "missing a required argument: 'size'; write a call, such as tile(4)"),
        ("{}:unannotated", "`def unannotated(machine: Machine)`, gets the machine of --target"),
        ("{}:takes_two", "missing 2 required positional arguments"),
        ("{}:sums", "is a Proc, expected a strategy"),
        ("{}:3 + 4", "is a int, expected a strategy"),
        ("{}:(", "SyntaxError"),
        ("nothing.py:swap", "nothing.py does not exist"),
    ],
)
def test_a_bad_strategy_is_explained(strategy: str, words: str, file: Path) -> None:
    for command in (["lint"], ["explain"]):
        more = [f"{file}:sums"] if command == ["explain"] else []
        shown = run(*command, strategy.format(file), *more)
        assert shown.exit_code == 2 and words in shown.stderr and shown.stdout == ""


def test_colour_only_on_a_terminal_that_wants_it(file: Path) -> None:
    arguments = ("explain", f"{file}:lost", f"{file}:sums")
    coloured = run(*arguments, FORCE_COLOR="1").stdout
    assert "\x1b[32mok" in coloured and "\x1b[31mrefused" in coloured
    plain = run(*arguments, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[32m" not in plain and "\x1b[31m" not in plain
    assert "\x1b[32m+" in run(*arguments, "--steps", FORCE_COLOR="1").stdout


def test_lint_prints_faults_and_ends_with_1(file: Path) -> None:
    shown = run("lint", f"{file}:endless")
    assert shown.exit_code == 1
    assert "can't fail, so nothing ends the repetition" in shown.stdout and "1 fault" in shown.stdout
    assert (clean := run("lint", f"{file}:swap")).exit_code == 0 and clean.stdout == "no faults found\n"
