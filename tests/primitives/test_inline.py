"""Calls inlined: what is put in where, and what must not change meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import InvalidCursorError, Proc
from exo_strat.direct import inline, replace
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import inline as inline_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    st: stride
    scale: f32


def source(text: str, **env: object) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, **env})


def program(lines: str, args: str = "n: size, x: f32[n + 8], y: f32[8]", **env: object) -> Proc:
    return source(f"def foo({args}):\n" + "".join(f"    {s}\n" for s in lines.strip("\n").splitlines()), **env)


SCALE = source("""
def scale(n: size, a: f32, y: [f32][n]):
    for i in seq(0, n):
        t: f32
        t = a * y[i]
        y[i] = t
""")


def test_inline_puts_arguments_in_and_renames_what_the_callee_introduces(
    same: Same, body: Body, applied: Applied
) -> None:
    p = program(
        """
for i in seq(0, n):
    t: f32
    t = 2.0
    scale(3, t, x[i:i + 3])
    x[i] += t
""",
        scale=SCALE,
    )
    last = p.find("x[_] += _")
    q, c = applied(inline_op(), p, p.find("scale(_)"))
    assert body(q) == (
        "for i in seq(0, n):\n    t: f32 @ DRAM\n    t = 2.0\n    for i_1 in seq(0, 3):\n"
        "        t_1: f32 @ DRAM\n        t_1 = t * x[i + i_1]\n        x[i + i_1] = t_1\n    x[i] += t"
    )
    assert [str(s) for s in c] == [str(q.find_loop("i").body()[2])]
    assert q.forward(last) == q.find("x[_] += _") and not q.forward(p.find("scale(_)")).is_valid
    same(p, q, n=4)


def test_inline_through_windows_points_strides_and_further_calls(same: Same, body: Body) -> None:
    inner = source("""
def inner(z: [f32][2], s: f32):
    if stride(z, 0) == 1:
        z[1] = s
    else:
        z[0] = s
""")
    outer = source(
        """
def outer(z: [f32][4, 4], s: f32):
    w = z[1:3, 2]
    inner(w, s)
    inner(z[3, 0:2], z[0, 0])
    w[1] += s
""",
        inner=inner,
    )
    p = program("outer(x[1:5, 2, 0:4], y[3])", "x: f32[5, 3, 4], y: f32[8]", outer=outer)
    q = inline(p, "outer(_)")
    assert body(q) == (
        "w = x[2:4, 2, 2]\ninner(w, y[3])\ninner(x[4, 2, 0:2], x[1, 2, 0])\nw[1] += y[3]"
    )
    r = inline(q, "inner(_)")
    assert "if stride(w, 0) == 1:\n    w[1] = y[3]" in body(r)
    same(p, q)
    same(p, r)


def test_inline_scalars_by_reference(same: Same, body: Body) -> None:
    bump = source("def bump(a: f32, b: f32):\n    a += b\n    a += b\n")
    p = program("bump(x[1], y[1])\nt: f32\nt = 0.0\nbump(t, 2.0 * y[0])\nx[0] = t", bump=bump)
    q = inline(inline(p, "bump(_)"), "bump(_)")
    assert body(q) == (
        "x[1] += y[1]\nx[1] += y[1]\nt: f32 @ DRAM\nt = 0.0\nt += 2.0 * y[0]\nt += 2.0 * y[0]\nx[0] = t"
    )
    same(p, q, n=1)


def test_inline_a_value_is_computed_once(refused: Refused, same: Same) -> None:
    bad = source("def bad(v: f32, z: [f32][2]):\n    z[0] = 2.0\n    z[1] = v\n")
    p = program("bad(x[0] + 1.0, x[0:2])\nbad(x[2] + 1.0, x[0:2])", bad=bad)
    f = refused(inline, p, "bad(_)")
    assert isinstance(f, Unsafe) and f.place is not None
    same(p, inline(p, "bad(_) #1"), n=1)


SETS = source("""
def sets(k: index, s: f32, z: [f32][4]):
    Cfg.n = 2
    if k == 1:
        z[0] = 2.0
    s = 3.0
""")


def test_inline_what_a_call_evaluates_once_must_not_change(refused: Refused, same: Same) -> None:
    p = program("sets(Cfg.n, y[0], x[0:4])\nsets(n, y[0], x[0:4])", sets=SETS)
    assert isinstance(refused(inline, p, "sets(_)"), Unsafe)
    same(p, inline(p, "sets(_) #1"), n=1, configs={"Cfg.n": 1})


@pytest.mark.parametrize("call", ["sets(1, y[Cfg.n % 8], x[0:4])", "sets(1, y[0], x[Cfg.n % 4:Cfg.n % 4 + 4])"])
def test_inline_where_a_buffer_lies_must_not_change(refused: Refused, call: str) -> None:
    assert isinstance(refused(inline, program(call, sets=SETS), "sets(_)"), Unsafe)


def test_inline_where_config_stays(same: Same, body: Body) -> None:
    f = source("def get(k: index, z: [f32][4]):\n    if k == 1:\n        z[0] = Cfg.scale\n    Cfg.st = k\n")
    p = program("get(Cfg.n, x[0:4])", get=f)
    q = inline(p, "get(_)")
    assert body(q) == "if Cfg.n == 1:\n    x[0] = Cfg.scale\nCfg.st = Cfg.n"
    same(p, q, n=1, configs={"Cfg.n": 1, "Cfg.scale": 3})


def test_inline_bools(same: Same, body: Body) -> None:
    f = source("""
def on_off(on: bool, off: bool, z: [f32][4]):
    if on == True:
        z[0] = 1.0
    if on == off or not on:
        z[1] = 1.0
""")
    p = program("on_off(n < 3 or n > 5, n == 4, x[0:4])", on_off=f)
    q = inline(p, "on_off(_)")
    assert body(q) == (
        "if (n < 3 or n > 5) == True:\n    x[0] = 1.0\n"
        "if (n < 3 or n > 5) == (n == 4) or not (n < 3 or n > 5):\n    x[1] = 1.0"
    )
    for n in (1, 4):
        same(p, q, n=n)
    assert replace(q, q.body(), f) == p


def test_inline_keeps_modes_and_assertions_are_used_up(same: Same, body: Body) -> None:
    f = source("""
def clear(n: size, z: [f32][n]):
    assert n % 4 == 0
    for i in par(0, n / 4):
        z[4 * i + 3] = 0.0
""")
    p = program("for k in par(0, n):\n    clear(8, x[k, 0:8])", "n: size, x: f32[n, 8]", clear=f)
    q = inline(p, "clear(_)")
    assert body(q) == "for k in par(0, n):\n    for i in par(0, 8 / 4):\n        x[k, 4 * i + 3] = 0.0"
    same(p, q, n=3)


def test_inline_takes_a_call_by_its_name_or_its_callee(same: Same, body: Body) -> None:
    one = source("def one(x: f32[2]):\n    x[0] = 1.0")
    two = source("def two(x: f32[2]):\n    x[1] = 2.0")
    p = source("def foo(x: f32[2]):\n    one(x)\n    two(x)\n    two(x)", one=one, two=two)
    for ref in ("two", "two(_)", two):
        q = inline(p, ref)
        assert body(q) == "one(x)\nx[1] = 2.0\ntwo(x)"
        same(p, q)
    assert body(inline(p, "two #1")) == "one(x)\ntwo(x)\nx[1] = 2.0"
    with pytest.raises(InvalidCursorError, match="nothing calls three"):
        inline(p, source("def three(x: f32[2]):\n    pass"))
