"""Statements that do nothing: put in and taken out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import delete_pass, insert_noop_call, insert_pass
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import BadArgument, Failure, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import delete_pass as delete_op
from exo_strat.primitives import insert_noop_call as call_op
from exo_strat.primitives import insert_pass as insert_op

Body = Callable[[Proc], str]
Same = Callable[..., None]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]

PREFETCH = proc_from_source("""
@instr("__builtin_prefetch(&{x_data});")
def prefetch(m: size, x: [f32][m]):
    assert m <= 16
    pass
""")


@config
class Cfg:
    scale: f32


FOO = proc_from_source(
    """
def foo(n: size, x: f32[n + 1], s: f32):
    t: f32[4]
    for i in seq(0, n):
        x[i] = x[i + 1]
""",
    {"Cfg": Cfg},
)


def test_a_pass_is_put_in_a_gap(body: Body, applied: Applied) -> None:
    q, c = applied(insert_op(), FOO, FOO.find("x[_] = _").after())  # type: ignore[union-attr]
    assert body(q).splitlines()[-2:] == ["    x[i] = x[i + 1]", "    pass"] and c == q.find("pass")
    assert q.forward(FOO.find("x[_] = _")) == q.find("x[_] = _")
    q = insert_pass(FOO, FOO.find_loop("i").before())  # type: ignore[union-attr]
    assert body(q).splitlines()[1] == "pass"


def test_every_pass_that_is_not_needed_goes(body: Body, same: Same, applied: Applied) -> None:
    p = proc_from_source("""
def foo(n: size, s: f32):
    pass
    for i in seq(0, n):
        pass
        pass
    if n < 3:
        pass
        s = 1.0
        pass
    else:
        pass
    if n < 2:
        s = 2.0
    else:
        pass
        s = 3.0
    pass
""")
    q, c = applied(delete_op(), p, p.root())
    assert body(q).splitlines() == [
        "for i in seq(0, n):", "    pass", "if n < 3:", "    s = 1.0",
        "if n < 2:", "    s = 2.0", "else:", "    s = 3.0",
    ]  # fmt: skip
    assert c == q.root() and q.forward(p.find("s = 1.0")) == q.find("s = 1.0")
    same(p, q, n=2)
    assert delete_pass(q) is q


def test_what_insert_pass_did_delete_pass_undoes() -> None:
    for c in FOO.find("for i in _: _"), FOO.find("x[_] = _"):
        assert str(delete_pass(insert_pass(FOO, c.before()))) == str(FOO)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("args", "call"),
    [
        (["1", "x[i:i + 1]"], "prefetch(1, x[i:i + 1])"),
        ([1, "x[n:n + 1]"], "prefetch(1, x[n:n + 1])"),
        (["4", "t[0:4]"], "prefetch(4, t[0:4])"),  # nothing is read: t need not be written
    ],
)
def test_a_call_that_does_nothing(args: list[object], call: str, body: Body, same: Same, applied: Applied) -> None:
    q, c = applied(call_op(PREFETCH, args), FOO, FOO.find("x[_] = _").before())  # type: ignore[union-attr]
    assert body(q).splitlines()[2:] == [f"    {call}", "    x[i] = x[i + 1]"] and c == q.find("prefetch(_)")
    assert q.forward(FOO.find("x[_] = _")) == q.find("x[_] = _")
    same(FOO, q, n=3)


def test_an_argument_may_be_a_cursor(body: Body) -> None:
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    touch = proc_from_source("def touch(i: index, v: f32):\n    pass")
    q = insert_noop_call(p, p.find("x[_] = _").after(), touch, [p.find("i"), "x[0]"])  # type: ignore[union-attr]
    assert body(q).endswith("x[i] = 0.0\n    touch(i, x[0])")


GAP = FOO.find("x[_] = _").before()  # type: ignore[union-attr]


@pytest.mark.parametrize("args", [[], ["1"], ["1", "x[i:i + 1]", "1"], ["1", "z[0:1]"], ["1", "x[0:1], 2"], ["1", "?"]])
def test_arguments_that_do_not_fit(args: list[str], refused: Refused) -> None:
    assert isinstance(refused(insert_noop_call, FOO, GAP, PREFETCH, args), BadArgument)


@pytest.mark.parametrize(
    ("args", "because"),
    [
        (["1", "x[i + 1:i + 2]"], None),
        (["2", "x[i + 1:i + 3]"], "out of bounds"),
        (["2", "x[i:i + 1]"], "differ"),
        (["17", "x[0:17]"], ""),
        (["n", "x[0:n]"], "m <= 16"),
        (["0", "x[0:0]"], ""),
    ],
)
def test_windows_must_fit_and_assertions_hold(args: list[str], because: str | None, refused: Refused) -> None:
    if because is None:
        assert insert_noop_call(FOO, GAP, PREFETCH, args)
        return
    failure = refused(insert_noop_call, FOO, GAP, PREFETCH, args)
    assert isinstance(failure, Unsafe) and because in str(failure)


@pytest.mark.parametrize(
    ("source", "because"),
    [
        ("def bar(v: f32):\n    v = 1.0", "bar changes nothing"),
        ("def bar(v: f32):\n    v += 0.0", "bar changes nothing"),
        ("def bar(v: f32):\n    Cfg.scale = v", "bar changes nothing"),
        ("def bar(v: f32):\n    a: f32\n    a = 1.0 / v", "may divide by zero"),
        ("def bar(v: f32):\n    a: f32\n    a = Cfg.scale", "may not be set"),
        ("def bar(v: f32):\n    a: f32\n    a = a + v", "may be read before it is written"),
    ],
)
def test_a_callee_must_change_nothing_and_end(source: str, because: str, refused: Refused) -> None:
    bar = proc_from_source(source, {"Cfg": Cfg})
    failure = refused(insert_noop_call, FOO, GAP, bar, ["s"])
    assert isinstance(failure, Unsafe) and because in str(failure)


def test_a_callee_reads_only_what_is_initialised(refused: Refused, body: Body) -> None:
    bar = proc_from_source("def bar(v: f32):\n    a: f32\n    a = v")
    assert isinstance(refused(insert_noop_call, FOO, GAP, bar, ["t[0]"]), Unsafe)
    assert "bar(x[i])" in body(insert_noop_call(FOO, GAP, bar, ["x[i]"]))


def test_reads_of_a_callee_must_not_race(refused: Refused) -> None:
    bar = proc_from_source("def bar(v: f32):\n    a: f32\n    a = v")
    p = proc_from_source("def foo(n: size, x: f32[n + 1]):\n    for i in par(0, n):\n        x[i] = 0.0")
    gap = p.find("x[_] = _").before()  # type: ignore[union-attr]
    assert insert_noop_call(p, gap, bar, ["x[i]"]) and insert_noop_call(p, gap, PREFETCH, ["1", "x[i + 1:i + 2]"])
    assert isinstance(refused(insert_noop_call, p, gap, bar, ["x[i + 1]"]), Unsafe)
