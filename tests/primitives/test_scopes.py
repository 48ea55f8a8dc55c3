"""Scopes fused and exchanged: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import fission, fuse, lift_scope, parallelize_loop
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import fuse as fuse_op
from exo_strat.primitives import lift_scope as lift_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    on: bool


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg})


def values(f: Failure) -> dict[str, int]:
    """The counterexample of a refusal."""
    assert isinstance(f, Unsafe) and f.counterexample is not None, str(f)
    return dict(f.counterexample)


# -- fuse: loops --------------------------------------------------------------------------------------


def test_fuse_loops_and_split_them_again(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n + 1]):
        for i in seq(-1, n):
            x[i + 1] = 1.0
        for j in seq(0 - 1, n):
            a: f32
            a = x[j + 1]
            y[j + 1] = a
    """)
    i, j, s = p.find_loop("i"), p.find_loop("j"), p.find("y[_] = _")
    q, c = applied(fuse_op(j), p, i)
    assert body(q) == (
        "for i in seq(-1, n):\n    x[i + 1] = 1.0\n    a: f32 @ DRAM\n    a = x[i + 1]\n    y[i + 1] = a"
    )
    assert c == q.find_loop("i") == q.forward(i)
    assert q.forward(s) == q.find("y[_] = _") and not q.forward(j).is_valid
    same(p, q, n=3)
    same(p, fission(q, q.find("x[_] = _").after()), n=3)


def test_fuse_needs_one_range(refused: Refused) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n + m], y: f32[n + m]):
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(1, n):
            y[j] = 1.0
        for k in seq(1, m):
            y[k] = 1.0
    """)
    assert "start at the same" in refused(fuse, p, "i", "j").message
    f = refused(fuse, p, "j", "k")
    assert "end at the same" in f.message and values(f)["n"] != values(f)["m"]
    f = refused(fuse, p, "i", "k")
    assert isinstance(f, NotApplicable) and "right after" in f.message


def test_fuse_proves_that_ranges_are_equal(same: Same) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n], y: f32[n]):
        assert n % 4 == 0
        assert m == n / 4
        for i in seq(0, n / 4):
            x[i] = 1.0
        for j in seq(n % 4, m):
            y[j] = 1.0
    """)
    same(p, fuse(p, "i", "j"), n=8, m=2)


def test_fuse_refuses_what_a_later_iteration_of_the_first_loop_touches(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, n):
            y[j] = x[j + 1]
    """)
    found = values(refused(fuse, p, "i", "j"))
    assert found["i"] + 1 == found["i'"] < found["n"]


def test_fuse_sees_bodies_that_share_a_prefix_or_names(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            x[0] = 1.0
        for i in seq(0, n):
            x[0] = 1.0
            x[0] += y[i]
    """)
    assert isinstance(refused(fuse, p, "i", p.find_loop("i #1")), Unsafe)


@pytest.mark.parametrize("stmt", ["Cfg.n = 3", "Cfg.n = i"])
def test_fuse_sees_that_the_first_loop_changes_the_bounds_of_the_second(stmt: str, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32):
        for i in seq(0, Cfg.n):
            {stmt}
        for j in seq(0, Cfg.n):
            x += 1.0
    """)
    assert isinstance(refused(fuse, p, "i", "j"), Unsafe)


def test_fuse_keeps_a_loop_parallel_only_without_races(same: Same, body: Body, refused: Refused) -> None:
    text = """
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        for i in par(0, n):
            x[i + 1] = 1.0
        for j in {}(0, n):
            y[j] = x[{}]
    """
    p = source(text.format("par", "j"))  # in order this is fine: iteration j - 1 wrote x[j]
    found = values(refused(fuse, p, "i", "j"))
    assert abs(found["i"] - found["i'"]) == 1
    q = fuse(parallelize_loop(p, "j", "seq"), "i", "j")
    assert body(q).startswith("for i in seq(0, n):")
    same(p, q, n=4)
    p = source(text.format("par", "j + 1"))
    q = fuse(p, "i", "j")
    assert body(q).startswith("for i in par(0, n):")
    same(p, q, n=4)


# -- fuse: branches -----------------------------------------------------------------------------------


def test_fuse_branches_with_their_else_branches(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32, y: f32):
        if n < 3:
            x = 1.0
        if n + 1 <= 3:
            y = x
        else:
            x = 2.0
    """)
    one, two = p.find("x = 1.0"), p.find("x = 2.0")
    q, c = applied(fuse_op(p.find("if _: _ #1")), p, p.find("if _: _"))
    assert body(q) == "if n < 3:\n    x = 1.0\n    y = x\nelse:\n    x = 2.0"
    assert c == q.find("if _: _") and q.forward(one) == q.find("x = 1.0") and q.forward(two) == q.find("x = 2.0")
    for n in (2, 3):
        same(p, q, n=n)


def test_fuse_needs_conditions_that_are_equal(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32):
        if n < 3:
            x = 1.0
        if n <= 3:
            x = 2.0
    """)
    assert values(refused(fuse, p, p.find("if _: _"), p.find("if _: _ #1"))) == {"n": 3}


@pytest.mark.parametrize(
    ("cond", "change"),
    [("x < 3.0", "x = 4.0"), ("Cfg.on", "Cfg.on = False"), ("Cfg.n == 2 and n < 3", "Cfg.n = 3")],
)
def test_fuse_needs_a_condition_that_the_first_branch_keeps(
    cond: str, change: str, same: Same, refused: Refused
) -> None:
    text = """
    def foo(n: size, x: f32, y: f32):
        if {cond}:
            {stmt}
        if {cond}:
            y += 1.0
    """
    p = source(text.format(cond=cond, stmt="y = 1.0"))
    q = fuse(p, p.find("if _: _"), p.find("if _: _ #1"))
    same(p, q, {"Cfg.on": True, "Cfg.n": 2}, n=2)
    p = source(text.format(cond=cond, stmt=change))
    assert isinstance(refused(fuse, p, p.find("if _: _"), p.find("if _: _ #1")), Unsafe)


# -- lift_scope ---------------------------------------------------------------------------------------


def test_lift_a_branch_out_of_a_loop(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n]):
        for i in seq(2, n):
            if m < 3:
                x[i] = 1.0
            else:
                a: f32
                a = 2.0
                x[i] = a
    """)
    cond, loop, one, two = p.find("if _: _"), p.find_loop("i"), p.find("x[_] = 1.0"), p.find("x[_] = a")
    q, c = applied(lift_op(), p, cond)
    assert body(q) == (
        "if m < 3:\n    for i in seq(2, n):\n        x[i] = 1.0\n"
        "else:\n    for i in seq(2, n):\n        a: f32 @ DRAM\n        a = 2.0\n        x[i] = a"
    )
    assert c == q.find("if _: _") == q.forward(cond) and q.forward(loop) == q.find_loop("i")
    assert q.forward(one) == q.find("x[_] = 1.0") and q.forward(two) == q.find("x[_] = a")
    assert q.find_loop("i").sym != q.find_loop("i #1").sym
    for n, m in [(4, 2), (4, 3), (1, 2)]:
        same(p, q, n=n, m=m)


def test_lift_a_branch_only_if_its_condition_stays(refused: Refused) -> None:
    text = """
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            if {}:
                {}
    """
    p = source(text.format("i < 3", "x[i] = 1.0"))
    assert "depends on i" in refused(lift_scope, p, "if _: _").message
    for cond, stmt in [("x[0] < 3.0", "x[i] = 4.0"), ("Cfg.on", "Cfg.on = False")]:
        p = source(text.format(cond, stmt))
        f = refused(lift_scope, p, "if _: _")
        assert isinstance(f, Unsafe) and "does not change" in f.message


@pytest.mark.parametrize("cond", ["x[n - 3] < 3.0", "a < 3.0", "Cfg.on"])
def test_lift_must_not_read_what_an_empty_loop_does_not(cond: str, same: Same, refused: Refused) -> None:
    text = """
    def foo(n: size, x: f32[n], y: f32):
        a: f32
        for i in seq(0, n):
            a = x[i]
        for i in seq({}, n):
            if {}:
                y += 1.0
    """
    f = refused(lift_scope, source(text.format(2, cond).replace("seq(0", "seq(2")), "if _: _")
    assert "at least once" in f.message and values(f)["n"] <= 2  # x[n - 3] is out of bounds there
    p = source(text.format(0, cond.replace("n - 3", "0")))
    same(p, lift_scope(p, "if _: _"), {"Cfg.on": True}, n=3)


@pytest.mark.parametrize("cond", ["x[0] < 3.0", "a < 3.0", "Cfg.on"])
def test_lift_may_ask_early_what_surely_has_a_value(cond: str, same: Same, body: Body) -> None:
    for around, within in (
        ("for i in seq(k, n)", f"if {cond}"),
        ("if k < 3", f"if {cond}"),
        ("if k < 3", "for i in seq(0, Cfg.n)"),
    ):
        p = source(f"""
        def foo(n: size, k: size, x: f32[n], y: f32):
            a: f32
            a = x[0]
            Cfg.on = True
            Cfg.n = 2
            {around}:
                {within}:
                    y += 1.0
        """)
        q = lift_scope(p, p.body()[-1].body()[0])  # type: ignore[attr-defined]
        assert body(q).endswith(f"{within}:\n    {around}:\n        y += 1.0")
        for k in (2, 3, 4):
            same(p, q, n=3, k=k)


def test_lift_a_loop_out_of_a_branch(same: Same, body: Body, refused: Refused) -> None:
    text = """
    def foo(n: size, x: f32[n], y: f32[n]):
        if {}:
            for i in par(0, {}):
                {} = 4.0
    """
    p = source(text.format("x[0] < 3.0", "n", "y[i]"))
    q = lift_scope(p, "i")
    assert body(q) == "for i in par(0, n):\n    if x[0] < 3.0:\n        y[i] = 4.0"
    assert q.forward(p.find_loop("i")) == q.find_loop("i") and q.forward(p.find("if _: _")) == q.find("if _: _")
    same(p, q, n=3)
    f = refused(lift_scope, source(text.format("x[0] < 3.0", "n", "x[i]")), "i")
    assert isinstance(f, Unsafe) and f.details == "one reads x[0], the other writes x[i]"
    f = refused(lift_scope, source(text.format("n < 3", "Cfg.n % 1", "x[0]").replace("par", "seq")), "i")
    assert isinstance(f, Unsafe) and "surely written before" in f.message


def test_lift_a_loop_only_out_of_a_branch_without_else(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        if n < 3:
            x[0] = 1.0
        else:
            for i in seq(0, n):
                x[i] = 1.0
    """)
    assert "no else branch" in refused(lift_scope, p, "i").message


@pytest.mark.parametrize("inner_else", [False, True])
@pytest.mark.parametrize("outer_else", [False, True])
@pytest.mark.parametrize("within", ["body", "orelse"])
def test_lift_a_branch_out_of_a_branch(within: str, outer_else: bool, inner_else: bool, same: Same, body: Body) -> None:
    inner = "if m < 3:\n        x = 1.0" + ("\n    else:\n        x = 2.0" if inner_else else "")
    other = "a: f32\n    a = y\n    x = a"
    yes, no = (inner, other) if within == "body" else (other, inner)
    text = f"def foo(n: size, m: size, x: f32, y: f32):\n  if n < 3:\n    {yes}\n"
    p = source(text + (f"  else:\n    {no}\n" if outer_else or within == "orelse" else ""))
    cond = p.find("if m < 3: _")
    q = lift_scope(p, cond)
    assert body(q).startswith("if m < 3:\n    if n < 3:") and q.forward(cond) == q.find("if m < 3: _")
    assert q.forward(p.find("x = 1.0")) == q.find("x = 1.0")
    allocs = q.find_all("a: _")
    assert len({a.sym for a in allocs}) == len(allocs) == (2 if outer_else or within == "orelse" else 0)
    for n, m in [(2, 2), (2, 3), (3, 2), (3, 3)]:
        same(p, q, n=n, m=m)


@pytest.mark.parametrize("cond", ["x[4] < 3.0", "Cfg.on"])
def test_lift_must_not_read_what_the_outer_condition_guards(cond: str, refused: Refused) -> None:
    p = source(f"""
    def foo(n: size, x: f32[n], y: f32):
        if n > 4:
            if {cond}:
                y = 1.0
    """)
    f = refused(lift_scope, p, f"if {cond}: _")
    wanted = "out of bounds" if "x" in cond else "surely written before"
    assert isinstance(f, Unsafe) and wanted in f.message


def test_lift_of_two_loops_is_their_exchange(same: Same, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n, 4], y: f32[n + 1, 5]):
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, j] += 1.0
        for k in seq(0, n):
            for l in seq(0, 4):
                y[k + 1, l] = y[k, l + 1]
    """)
    q = lift_scope(p, "j")
    assert q.forward(p.find_loop("j")) == q.find_loop("j") == q.body()[0]
    same(p, q, n=3)
    assert values(refused(lift_scope, p, "l"))["k"] + 1 == values(refused(lift_scope, p, "l"))["k'"]


def test_lift_needs_a_scope_around_of_which_this_one_is_all(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 0.0
            for j in seq(0, n):
                x[j] = 1.0
    """)
    assert "no scope around" in refused(lift_scope, p, "i").message
    assert "all of its parent" in refused(lift_scope, p, "j").message
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 0.0
    """)
    assert "no scope around" in refused(lift_scope, p, "i").message
