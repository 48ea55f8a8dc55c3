"""Code copied for special cases: what comes out, and which conditions cannot be asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import parallelize_loop, reorder_stmts, specialize
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.nodes import For
from exo_strat.ir.walk import binders, walk
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import specialize as specialize_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    on: bool


NEED = proc_from_source(
    """
def need(x: f32):
    assert Cfg.n == 3
    x = 1.0
""",
    {"Cfg": Cfg},
)


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "need": NEED})


SUM = source("""
def foo(n: size, flag: bool, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        t: f32
        t = x[i]
        y[i] += t
    y[0] = 2.0
""")


def test_cases_one_after_the_other(same: Same, body: Body, applied: Applied) -> None:
    loop, t = SUM.find_loop("i"), SUM.find("t = _")
    q, c = applied(specialize_op(("n == 4", "flag")), SUM, loop)
    copy = "{0}for i in seq(0, n):\n{0}    t: f32 @ DRAM\n{0}    t = x[i]\n{0}    y[i] += t\n"
    assert body(q) == (
        "if n == 4:\n" + copy.format("    ") + "elif flag:\n" + copy.format("    ")
        + "else:\n" + copy.format("    ") + "y[0] = 2.0"
    )  # fmt: skip
    assert c == q.find("if _: _") and q.forward(loop) == q.find_loop("i") and q.forward(t) == q.find("t = _")
    for n in (3, 4):
        for flag in (False, True):
            same(SUM, q, n=n, flag=flag)


def test_copies_bind_variables_of_their_own() -> None:
    q = specialize(SUM, SUM.find_loop("i"), ["n == 4", "n == 8"])
    loops = [n.iter for _, n in walk(q.tree) if isinstance(n, For)]
    assert len(loops) == len(set(loops)) == 3 and len(set(binders(q.tree))) == len(binders(q.tree))


def test_one_condition_and_a_block(same: Same, body: Body) -> None:
    q = specialize(SUM, SUM.find_loop("i").expand(0, 1), "n % 4 == 0")
    assert body(q).startswith("if n % 4 == 0:\n    for i") and body(q).endswith("        y[i] += t\n    y[0] = 2.0")
    same(SUM, q, n=4, flag=False)
    same(SUM, q, n=5, flag=False)


def test_a_condition_on_an_iterator(same: Same) -> None:
    s = SUM.find("y[_] += _")
    same(SUM, specialize(SUM, s, "i == 0"), n=3, flag=True)


@pytest.mark.parametrize("cond", ["n", "n + 1", "x[0]", "i == 0", "k == 0", "n ==", "x[0] < 1.0 and m > 0", 3])
def test_what_is_no_condition_there(cond: object, refused: Refused) -> None:
    assert isinstance(refused(specialize, SUM, SUM.find_loop("i"), cond), BadArgument)


def test_no_condition_at_all(refused: Refused) -> None:
    assert isinstance(refused(specialize, SUM, SUM.find_loop("i"), []), BadArgument)


def test_a_name_that_is_used_later(refused: Refused) -> None:
    f = refused(specialize, SUM, SUM.find("t: _"), "n == 4")
    assert isinstance(f, NotApplicable) and "used after it" in f.message


# -- conditions that read data and config fields -------------------------------------------------------


def test_data_that_is_surely_there(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        a: f32
        a = x[0]
        b: f32[4]
        for k in seq(0, 3):
            b[k] = a
        w = b[1:4]
        for i in seq(0, n):
            y[i] = a
    """)
    loop = p.find_loop("i")
    for cond in ("a < 2.0", "b[2] < x[n - 1] + 1.0", "n < 2 or x[0] < a", "fmax(a, x[0]) == a"):
        same(p, specialize(p, loop, cond), n=3)
        same(p, specialize(p, loop, cond), n=1)


@pytest.mark.parametrize(
    ("cond", "message"),
    [
        ("c < 2.0", "surely written"),
        ("b[3] < 2.0", "surely written"),
        ("w[2] < 2.0", "surely written"),
        ("b[0] < 1.0 and c < 2.0", "surely written"),
        ("a / x[0] < 2.0", "has a value"),
        ("sqrt(a) < 2.0", "has a value"),
        ("x[n] < 2.0", "n"),
        ("x[1] < 2.0", "1"),
        ("Cfg.on", "surely written"),
        ("Cfg.n == 2", "surely written"),
    ],
)
def test_conditions_that_may_have_no_value(cond: str, message: str, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        a: f32
        a = x[0]
        c: f32
        if x[0] < 0.0:
            c = 1.0
        b: f32[4]
        for k in seq(0, 3):
            b[k] = a
        w = b[1:4]
        for i in seq(0, n):
            y[i] = a + sqrt(0.0)
            Cfg.on = True
            Cfg.n = 2
    """)
    f = refused(specialize, p, p.find_loop("i"), cond)
    assert isinstance(f, Unsafe) and message in f.message


def test_what_the_code_itself_reads_first(same: Same, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        if Cfg.on:
            x[0] = 1.0
        Cfg.n = 3
        if Cfg.n == 3:
            x[0] = 2.0
    """)
    one, two = p.find("if Cfg.on: _"), p.find("if Cfg.n == 3: _")
    same(p, specialize(p, one, "Cfg.on"), {"Cfg.on": True}, n=2)
    same(p, specialize(p, one, "not Cfg.on"), {"Cfg.on": False}, n=2)
    same(p, specialize(p, two, "Cfg.n == 4"), {"Cfg.on": True}, n=2)
    assert isinstance(refused(specialize, p, one, "Cfg.n == 4"), Unsafe)
    assert isinstance(refused(specialize, p, p.find("Cfg.n = _").expand(0, 1), "Cfg.n == 4"), Unsafe)


def test_conditions_do_not_race(same: Same, refused: Refused) -> None:
    p = parallelize_loop(
        source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            x[i] = y[i]
    """),
        "i",
    )
    s = p.find("x[_] = _")
    assert isinstance(refused(specialize, p, s, "x[i + 1] < 2.0"), Unsafe)
    for cond in ("x[i] < 2.0", "y[0] < 2.0", "x[n] < 2.0"):
        same(p, specialize(p, s, cond), n=3)


def test_what_a_callee_asserts_about_config_fields_is_still_known(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        Cfg.n = 3
        need(x[0])
    """)
    whole = p.find("Cfg.n = _").expand(0, 1)
    q = specialize(p, whole, "n == 2")
    same(p, q, n=2)
    same(p, specialize(p, p.find("Cfg.n = _"), "n == 2"), n=2)


def test_a_name_means_a_loop_where_statements_are_wanted(same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            x[i] = 2.0
        a = x[0]
        x[0] = a + a
    """)
    q = specialize(p, "i", "n == 4")
    assert q.find("if _: _").body()[0] == q.find_loop("i")  # type: ignore[attr-defined]
    same(p, q, n=4)
    same(p, reorder_stmts(p, "a", "i"), n=4)
