"""Patterns: what each form finds, and what is said when it finds nothing or is no pattern."""

from __future__ import annotations

import pytest

from exo_strat.cursors.cursor import BlockCursor, Cursor
from exo_strat.cursors.kinds import AllocCursor, ExternCursor, ReadCursor
from exo_strat.cursors.proc import InvalidCursorError, Proc
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.frontend.errors import PatternError
from exo_strat.frontend.patterns import parse_pattern
from exo_strat.ir.memory import DRAM_STACK
from exo_strat.ir.nodes import Expr
from exo_strat.ir.printing import names_at, print_expr, print_stmt
from exo_strat.ir.types import f32, index


@config
class Cfg:
    scale: f32
    rows: index


FOO = proc_from_source("def foo(n: size, v: [f32][n]):\n    v[0] = 1.0")

P = proc_from_source(
    """
def p(n: size, x: f32[n, 8], y: f32[n], u: f32):
    assert n % 4 == 0
    t: f32[8] @ DRAM_STACK
    r: f32
    for i in seq(0, n):
        w = x[i, 0:4]
        y[i] = x[i, 0] + 1.0
        y[i] += x[i, 1] * 2.0
        for j in par(2, 8):
            t[j] = -relu(x[i, j])
            if i < 4 and not j == 3:
                t[0] = 0.0
            else:
                t[1] = 0.0
    foo(n, y[0:n])
    foo(4, x[0:4, 3])
    Cfg.scale = y[0]
    Cfg.rows = n / 2
    for i in seq(0, n / 4):
        if n > 8:
            u = Cfg.scale * select(u, 0.0, u, x[4 * i, 7])
    for i in vec(0, 4):
        pass
""",
    {"foo": FOO, "Cfg": Cfg, "DRAM_STACK": DRAM_STACK},
)


def shown(c: Cursor) -> str:
    """A match on one line: the first line of each of its statements."""
    names = names_at(P.tree)
    if isinstance(c, BlockCursor):
        return "; ".join(shown(s) for s in c)
    node = c.node  # type: ignore[attr-defined]
    return print_expr(node, names) if isinstance(node, Expr) else print_stmt(node, names).partition("\n")[0]


def found(pattern: str, p: Proc | Cursor = P) -> list[str]:
    return [shown(c) for c in p.find_all(pattern)]


LOOPS = ["for i in seq(0, n):", "for j in par(2, 8):", "for i in seq(0, n / 4):", "for i in vec(0, 4):"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        # loops
        ("for _ in _: _", LOOPS),
        ("for i in _: _", [LOOPS[0], LOOPS[2], LOOPS[3]]),
        ("for i in _:_ #1", [LOOPS[2]]),
        ("for i in seq(0, n): _", [LOOPS[0]]),
        ("for i in seq(_, _): _", [LOOPS[0], LOOPS[2]]),
        ("for _ in par(_): _", [LOOPS[1]]),
        ("for _ in _(0, _): _", [LOOPS[0], LOOPS[2], LOOPS[3]]),
        ("for i in _:\n    if _: _", [LOOPS[2]]),
        ("for i in _: pass", [LOOPS[3]]),
        # branches
        ("if _: _", ["if i < 4 and not j == 3:", "if n > 8:"]),
        ("if n > _: _", ["if n > 8:"]),
        ("if _ and not _: _", ["if i < 4 and not j == 3:"]),
        ("if _:\n    _\nelse:\n    _", ["if i < 4 and not j == 3:"]),
        ("if _:\n    _\nelse:\n    u = _", []),
        # assignments and reductions
        ("y[_] = _", ["y[i] = x[i, 0] + 1.0"]),
        ("y = _", ["y[i] = x[i, 0] + 1.0"]),
        ("_ = 0.0", ["t[0] = 0.0", "t[1] = 0.0"]),
        ("t[_] = 0.0 #1", ["t[1] = 0.0"]),
        ("y[i] += _", ["y[i] += x[i, 1] * 2.0"]),
        ("_ += _ * 2", ["y[i] += x[i, 1] * 2.0"]),
        ("x[_] = _", []),
        ("_ = _", ["w = x[i, 0:4]", "y[i] = x[i, 0] + 1.0", "t[j] = -relu(x[i, j])", "t[0] = 0.0", "t[1] = 0.0",
                   "Cfg.scale = y[0]", "Cfg.rows = n / 2", "u = Cfg.scale * select(u, 0.0, u, x[4 * i, 7])"]),
        # windows
        ("w = _", ["w = x[i, 0:4]"]),
        ("w = x[_]", ["w = x[i, 0:4]"]),
        ("x[_, 0:4]", ["x[i, 0:4]"]),
        ("x[_:_, _]", ["x[0:4, 3]"]),
        ("x[:, 3]", ["x[0:4, 3]"]),
        # allocations
        ("t: _", ["t: f32[8] @ DRAM_STACK"]),
        ("_: _", ["t: f32[8] @ DRAM_STACK", "r: f32 @ DRAM"]),
        ("r : f32", ["r: f32 @ DRAM"]),
        ("_: f32[_]", ["t: f32[8] @ DRAM_STACK"]),
        ("_: _[8]", ["t: f32[8] @ DRAM_STACK"]),
        ("t: f32[9]", []),
        ("_: f64", []),
        ("_: _ @ DRAM", ["r: f32 @ DRAM"]),
        ("_: f32[_] @ DRAM_STACK", ["t: f32[8] @ DRAM_STACK"]),
        # calls
        ("foo(_)", ["foo(n, y[0:n])", "foo(4, x[0:4, 3])"]),
        ("foo(n, _)", ["foo(n, y[0:n])"]),
        ("foo(_, x[_]) #0", ["foo(4, x[0:4, 3])"]),
        ("_(4, _)", ["foo(4, x[0:4, 3])"]),
        ("bar(_)", []),
        # configs
        ("Cfg.scale = _", ["Cfg.scale = y[0]"]),
        ("_._ = _", ["Cfg.scale = y[0]", "Cfg.rows = n / 2"]),
        ("Cfg.scale", ["Cfg.scale"]),
        # expressions
        ("x[_]", ["x[i, 0:4]", "x[i, 0]", "x[i, 1]", "x[i, j]", "x[0:4, 3]", "x[4 * i, 7]"]),
        ("x", ["x[i, 0:4]", "x[i, 0]", "x[i, 1]", "x[i, j]", "x[0:4, 3]", "x[4 * i, 7]"]),
        ("x[i, _]", ["x[i, 0:4]", "x[i, 0]", "x[i, 1]", "x[i, j]"]),
        ("x[i, _] #2", ["x[i, 1]"]),
        ("_ + 1.0", ["x[i, 0] + 1.0"]),
        ("_ * 2", ["x[i, 1] * 2.0"]),
        ("_ * _", ["x[i, 1] * 2.0", "Cfg.scale * select(u, 0.0, u, x[4 * i, 7])", "4 * i"]),
        ("relu(_)", ["relu(x[i, j])"]),
        ("select(u, 0, _, _)", ["select(u, 0.0, u, x[4 * i, 7])"]),
        ("-_", ["-relu(x[i, j])"]),
        ("not _", ["not j == 3"]),
        ("_ == 3", ["j == 3"]),
        ("n / _", ["n / 2", "n / 4"]),
        ("2.0", ["2.0"]),
        ("7", ["7"]),
        ("8.0", []),
        ("pass", ["pass"]),
        # several statements
        ("t: _; r: _", ["t: f32[8] @ DRAM_STACK; r: f32 @ DRAM"]),
        ("y[_] = _; y[_] += _", ["y[i] = x[i, 0] + 1.0; y[i] += x[i, 1] * 2.0"]),
        ("foo(_); foo(_); _", ["foo(n, y[0:n]); foo(4, x[0:4, 3]); Cfg.scale = y[0]"]),
        ("foo(_); foo(_)", ["foo(n, y[0:n]); foo(4, x[0:4, 3])"]),
        ("_; t[1] = 0.0", []),
        ("r: _; t: _", []),
    ],
)  # fmt: skip
def test_a_pattern_finds_in_textual_order(pattern: str, expected: list[str]) -> None:
    assert found(pattern) == expected
    if expected:
        first = P.find(pattern)
        assert isinstance(first, Cursor) and shown(first) == expected[0]


def test_a_search_starts_at_its_cursor() -> None:
    inner = P.find_loop("j")
    assert isinstance(inner, Cursor)
    assert found("t[_] = _", inner) == ["t[j] = -relu(x[i, j])", "t[0] = 0.0", "t[1] = 0.0"]
    assert found("for _ in _: _", inner) == [LOOPS[1]]
    block = P.find("t: _; r: _")
    assert isinstance(block, BlockCursor)
    assert found("_: _", block) == ["t: f32[8] @ DRAM_STACK", "r: f32 @ DRAM"] and found("y[_] = _", block) == []
    assert found("_; _", block) == ["t: f32[8] @ DRAM_STACK; r: f32 @ DRAM"]


def test_assertions_and_arguments_are_not_searched() -> None:
    assert found("n % _") == []
    assert isinstance(P.find("n"), ReadCursor) and P.find("n").parent() == P.find_loop("i")  # type: ignore[union-attr]


def test_names_as_references() -> None:
    assert P.find_loop("i #1") == P.find("for i in _: _ #1") == P.find_loop("for i in _: _ #1")
    assert P.find_loop("i", many=True) == P.find_all("for i in _: _")
    assert isinstance(P.find_alloc("t"), AllocCursor) and P.find_alloc("t: f32[_]") == P.find_alloc("t")
    assert P.find_alloc_or_arg("y") == P.args()[2] and P.find_alloc_or_arg("r: _") == P.find_alloc("r")
    assert isinstance(P.find("relu(_)"), ExternCursor)


def test_strides_are_found() -> None:
    p = proc_from_source("def f(x: [f32][8, 8], n: stride):\n    if stride(x, 1) == n:\n        x[0, 0] = 0.0")
    for pattern in ("stride(x, 1)", "stride(_, 1)", "stride(x, _)", "stride(_)", "stride(_, _)"):
        assert len(p.find_all(pattern)) == 1
    assert p.find_all("stride(x, 0)") == p.find_all("stride(y, 1)") == []


def test_a_printed_name_is_found_too() -> None:
    p = proc_from_source("""
def f(i: size, x: f32[i]):
    for i in seq(0, i):
        x[i] = 0.0
""")
    assert "for i_1 in" in str(p)
    assert p.find_loop("i_1") == p.find_loop("i") and p.find("x[i_1] = _") == p.find("x[i] = _")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("for k in _: _", "nothing matches 'for k in _: _' in p: its loops are i, j"),
        ("for i in _: _ #3", "nothing matches 'for i in _: _ #3' in p: there are 3 matches, and the first is #0"),
        ("7 #1", "nothing matches '7 #1' in p: there is 1 match, and the first is #0"),
        ("t[_] = 1.0", "in p: the nearest assignment: `t[j] = -relu(x[i, j])`; `t[0] = 0.0`; `t[1] = 0.0`"),
        ("y[_] -= _", "the object language has no reduction but +=, *=, `x = min(x, e)` and `x = max(x, e)`"),
        ("s: _", "in p: the nearest allocation: `t: f32[8] @ DRAM_STACK`; `r: f32 @ DRAM`"),
        ("bar(4, _)", "in p: the nearest call: `foo(4, x[0:4, 3])`"),
        ("Cfg.row = _", "in p: the nearest config write: `Cfg.scale = y[0]`; `Cfg.rows = n / 2`"),
        ("if m > 8: _", "in p: the nearest `if`: `if n > 8:`"),
        ("z", "in p: the nearest read: `n`; `x[i, 0:4]`; `i`"),
        ("_ % 4", "in p: the nearest expression: "),
        ("9", "in p: the nearest literal: `8`; `0`; `4`"),
        ("r: _; r = _", "in p: there is no 'r = _'; the nearest assignment"),
        ("r: _; t: _", "in p: each of these statements is there, but not one right after the other"),
    ],
)
def test_what_was_not_found_comes_with_what_was_near(pattern: str, message: str) -> None:
    with pytest.raises((InvalidCursorError, PatternError)) as caught:
        P.find(pattern)
    assert message in str(caught.value)


def test_a_search_below_a_cursor_says_where_it_looked() -> None:
    loop = P.find_loop("i #2")
    assert isinstance(loop, Cursor)
    with pytest.raises(InvalidCursorError) as caught:
        loop.find("y[_] = _")
    assert str(caught.value).startswith("nothing matches 'y[_] = _' here: it has no assignment\n")
    assert "-->     for i in vec(0, 4):" in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "message", "marked"),
    [
        ("", "an empty pattern", ""),
        ("for i in", "not a pattern", "for i in"),
        ("x[_ = 1", "not a pattern", "x[_ = 1"),
        ("x = _ # two", "after # stands the number of the match", "x = _ # two"),
        ("x #-1", "after # stands the number", "x #-1"),
        ("while _: _", "the object language has no while", "while _: _"),
        ("x = y = _", "assignment to several targets", "x = y = _"),
        ("x: f32 = 1.0", "allocation with a value", "x: f32 = 1.0"),
        ("for i, j in _: _", "loop of this form", "for i, j in _: _"),
        ("x = 'a'", "literal 'a'", "x = 'a'"),
        ("foo(n=_)", "arguments by name", "foo(n=_)"),
        ("x[0:4:2]", "slice with a step", "x[0:4:2]"),
        ("_ ** 2", "no pow", "_ ** 2"),
        ("lambda: _", "no lambda", "lambda: _"),
        ("x = _\ny = (yield _)", "no yield", "y = (yield _)"),
    ],
)
def test_what_is_no_pattern(pattern: str, message: str, marked: str) -> None:
    with pytest.raises(PatternError, match=message) as caught:
        P.find(pattern)
    place = caught.value.place
    assert place is not None and place.text == marked and place.file == "<pattern>"


@pytest.mark.parametrize("name", ["", "i j", "1", "i+", "_ _"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(PatternError, match="is no name, such as 'i' or 'i #2'"):
        P.find_loop(name)


def test_patterns_are_values() -> None:
    assert parse_pattern("x #1") == parse_pattern("x #1") and hash(parse_pattern("x")) == hash(parse_pattern("x"))
    assert parse_pattern("x") != parse_pattern("y")


def test_fewer_indices_match_the_first_ones() -> None:
    p = proc_from_source("""
    def f(x: f32[8, 8, 8], y: f32[8]):
        for i in seq(0, 8):
            x[i, 0, 1] = y[i]
            x[0, i, 1] = x[i, 0, 2]
            w = x[i, 0, 0:4]
            w[0] = 1.0
    """)

    def found(pattern: str) -> list[str]:
        return [str(c).partition("--> ")[2].partition("\n")[0].strip() for c in p.find_all(pattern)]

    assert found("x[i] = _") == found("x[i, 0] = _") == found("x[i, 0, 1] = _") == ["x[i, 0, 1] = y[i]"]
    assert found("x[_] = _") == found("x[_, _] = _") == ["x[i, 0, 1] = y[i]", "x[0, i, 1] = x[i, 0, 2]"]
    assert found("x[i, 0, 1, 0] = _") == found("y[i, 0]") == found("x[1] = _") == []
    assert found("_ = x[i]") == ["x[0, i, 1] = x[i, 0, 2]"], "a window shows all of its dimensions"


@pytest.mark.parametrize("number", ["99999999999999999999", "9" * 5000, "10"])
def test_a_number_that_no_match_has(number: str) -> None:
    with pytest.raises(InvalidCursorError, match="the first is #0"):
        P.find(f"for i in _: _ #{number}")
    with pytest.raises(InvalidCursorError, match="the first is #0"):
        P.find_loop(f"i #{number}")
