"""Loops split, removed, added, unrolled: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import BlockCursor, Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    add_loop,
    fission,
    remove_loop,
    unroll_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.nodes import ReadConfig
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import add_loop as add_op
from exo_strat.primitives import fission as fission_op
from exo_strat.primitives import remove_loop as remove_op
from exo_strat.primitives import unroll_loop as unroll_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    on: bool


BUMP = proc_from_source(
    """
def bump():
    Cfg.n = Cfg.n + 1
""",
    {"Cfg": Cfg},
)


CFG_N = ReadConfig(Cfg, "n")


NEEDS = proc_from_source(
    """
def needs(x: f32):
    assert Cfg.on == True
    x = 1.0
""",
    {"Cfg": Cfg},
)


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "bump": BUMP, "needs": NEEDS})


def values(f: Failure) -> dict[str, int]:
    """The counterexample of a refusal."""
    assert isinstance(f, Unsafe) and f.counterexample is not None, str(f)
    return dict(f.counterexample)



COPY = source("""
def foo(lo: int, n: int, x: f32[100], y: f32[100]):
    assert 0 <= lo
    assert n <= 100
    for i in seq(lo, n):
        x[i] += y[i]
""")


# -- fission ------------------------------------------------------------------------------------------


def test_fission_splits_scopes_from_the_inside_out(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[n, n], y: f32[n, n]):
        for i in seq(0, n):
            if n > 2:
                for j in seq(i, n):
                    x[i, j] = 1.0
                    y[i, j] = x[i, j]
    """)
    one, two = p.find("x[_] = _"), p.find("y[_] = _")
    q, c = applied(fission_op(3), p, one.after())
    half = "for i in seq(0, n):\n    if n > 2:\n        for j in seq(i, n):\n            "
    assert body(q) == f"{half}x[i, j] = 1.0\n{half}y[i, j] = x[i, j]"
    assert c == q.find_loop("i #1") and q.forward(p.find_loop("i")) == q.find_loop("i")
    assert q.forward(one) == q.find("x[_] = _") and q.forward(two) == q.find("y[_] = _")
    assert q.find_loop("i").sym != q.find_loop("i #1").sym
    for n in (1, 4):
        same(p, q, n=n)


def test_fission_refuses_what_a_later_iteration_of_the_first_part_touches(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = x[i + 1]
    """)
    found = values(refused(fission, p, p.find("x[_] = _").after()))
    assert found["i"] + 1 == found["i'"] < found["n"]


def test_fission_must_not_part_a_reset_from_the_sum_that_outlives_the_iteration(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n, n], out: f32[n]):
        r: f32
        for i in seq(0, n):
            r = 0.0
            for k in seq(0, n):
                r += x[i, k]
            out[i] = r
    """)
    f = refused(fission, p, p.find("r = 0.0").after())
    assert isinstance(f, Unsafe) and "accumulates into r" in f.details


def test_fission_must_not_part_what_is_defined_from_its_uses(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32
            w = x[0:n]
            a = 1.0
            w[i] = a
    """)
    for pattern in ("a: _", "w = _", "a = _"):
        assert "defined before the gap" in refused(fission, p, p.find(pattern).after()).message


def test_fission_sees_through_windows_and_calls(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        w = x[1:n + 1]
        for i in seq(0, n):
            w[i] = 1.0
            y[i] = x[i + 1]
        for j in seq(0, n):
            bump()
            if Cfg.n == 3:
                y[j] = 0.0
    """)
    fission(p, p.find("w[_] = _").after())
    f = refused(fission, p, p.find("bump()").after())
    assert isinstance(f, Unsafe) and "Cfg.n" in f.details
    p = source(str(p).replace("y[i] = x[i + 1]", "y[i] = x[i]").replace("w[i] = 1.0", "w[i] = y[i]"))
    q = fission(p, p.find("w[_] = _").after())  # what an earlier iteration wrote is still read
    assert q != p
    p = source(str(p).replace("y[i] = x[i]", "y[i] = x[n]"))
    assert isinstance(refused(fission, p, p.find("w[_] = _").after()), Unsafe)


@pytest.mark.parametrize("head", ["for i in seq(0, Cfg.n):", "if Cfg.n == 3:"])
def test_fission_must_not_evaluate_what_the_first_part_changed(head: str, same: Same, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32, y: f32):
        {head}
            x += 1.0
            y += 1.0
            Cfg.n = 7
    """)
    q = fission(p, p.find("y += _").after())  # the second part may change it
    same(p, q, {"Cfg.n": 3})
    p = source(f"""
    def foo(y: f32):
        {head}
            Cfg.n = 7
            y += 1.0
    """)
    assert isinstance(refused(fission, p, p.find("Cfg.n = _").after()), Unsafe)


def test_fission_keeps_modes(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        for i in par(0, n):
            x[i] = 1.0
            y[i] = x[i]
    """)
    q = fission(p, p.find("x[_] = _").after())
    assert body(q).count("par(0, n)") == 2
    same(p, q, n=3)


BRANCHES = source("""
def foo(n: size, m: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        if m < 4:
            x[i] = 1.0
            y[i] = x[i]
        else:
            x[i] = 2.0
            y[i] = 3.0
""")


SPLIT_BODY = """
for i in seq(0, n):
    if m < 4:
        x[i] = 1.0
    else:
        x[i] = 2.0
        y[i] = 3.0
    if m < 4:
        y[i] = x[i]
"""
SPLIT_ELSE = """
for i in seq(0, n):
    if m < 4:
        x[i] = 1.0
        y[i] = x[i]
    else:
        x[i] = 2.0
    if m < 4:
        pass
    else:
        y[i] = 3.0
"""


def test_fission_leaves_the_other_branch_with_the_first_part(same: Same, body: Body, applied: Applied) -> None:
    for first, parts in [("x[_] = 1.0", SPLIT_BODY), ("x[_] = 2.0", SPLIT_ELSE)]:
        gap = BRANCHES.find(first).after()
        q, c = applied(fission_op(), BRANCHES, gap)
        assert body(q) == parts.strip()
        assert c == q.find("if _: _ #1") and q.forward(BRANCHES.find("if _: _")) == q.find("if _: _")
        apart = fission(BRANCHES, gap, n_lifts=2)
        assert len(apart.find_all("for i in _: _")) == 2
        for m in (3, 4):
            same(BRANCHES, q, n=2, m=m)
            same(BRANCHES, apart, n=2, m=m)


@pytest.mark.parametrize("changed", ["Cfg.on = False\n            x[0] = 1.0", "x[0] = 1.0\n            x[1] = 1.0"])
def test_fission_asks_the_condition_again(changed: str, same: Same, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32[4], y: f32):
        Cfg.on = True
        if Cfg.on:
            {changed}
        else:
            y = 1.0
    """)
    gap = p.find("if _: _").body()[0].after()  # type: ignore[attr-defined]
    if "Cfg" in changed:
        assert "does not change" in refused(fission, p, gap).message
    else:
        same(p, fission(p, gap), {"Cfg.on": True})


def test_fission_of_a_branch_that_the_other_one_would_undo(refused: Refused) -> None:
    """After the else branch the condition is true, so that its second part must not be asked about again."""
    p = source("""
    def foo(x: f32[2]):
        if x[0] < 1.0:
            x[1] = 2.0
            x[1] += 3.0
        else:
            x[0] = 0.0
    """)
    f = refused(fission, p, p.find("x[1] = _").after())
    assert isinstance(f, Unsafe) and f.details == "one reads x[0], the other writes x[0]"


def test_fission_needs_a_scope_and_statements_on_both_sides(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        if n > 3:
            x[0] = 1.0
            x[1] = 1.0
    """)
    assert "both sides" in refused(fission, p, p.find("x[_] = _").before()).message
    assert "top level" in refused(fission, p, p.find("if _: _").after()).message
    assert isinstance(refused(fission, p, p.find("x[_] = _").after(), 0), BadArgument)


# -- remove_loop and add_loop -------------------------------------------------------------------------


def test_remove_a_loop_that_does_the_same_each_time(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[4], y: f32):
        for i in seq(-1, n):
            a: f32
            a = y
            x[0] = a
            x[1] = x[0]
    """)
    s = p.find("x[0] = _")
    q, c = applied(remove_op(), p, p.find_loop("i"))
    assert body(q) == "a: f32 @ DRAM\na = y\nx[0] = a\nx[1] = x[0]"
    assert isinstance(c, BlockCursor) and len(c) == 4 and q.forward(s) == q.find("x[0] = _")
    assert not q.forward(p.find_loop("i")).is_valid
    same(p, q, n=3)


@pytest.mark.parametrize(
    ("stmt", "what"),
    [("x[0] += 1.0", "accumulates into x[0]"), ("x[0] = x[1]\n            x[1] = 2.0", "reads x[1]")],
)
def test_remove_and_add_refuse_what_is_not_idempotent(stmt: str, what: str, refused: Refused) -> None:
    p = source(f"""
    def foo(n: size, x: f32[4]):
        for i in seq(0, n):
            {stmt}
    """)
    f = refused(remove_loop, p, "i")
    assert isinstance(f, Unsafe) and what in f.details
    f = refused(add_loop, p, p.find_loop("i").body(), "k", 2)
    assert isinstance(f, Unsafe) and what in f.details


def test_what_runs_once_need_not_be_idempotent(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32):
        assert m == 1
        for i in seq(n, n + m):
            x += 1.0
    """)
    q = remove_loop(p, "i")
    assert body(q) == "x += 1.0"
    same(p, q, n=3, m=1)
    r = add_loop(q, "x += _", "i", "m")
    assert body(r) == "for i in seq(0, m):\n    x += 1.0"
    same(p, r, n=3, m=1)


def test_remove_refuses_a_body_that_reads_what_it_wrote_only_now_and_then(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[4]):
        for i in seq(0, n):
            if x[1] < 3.0:
                x[0] = 1.0
            x[1] = x[0]
    """)
    assert isinstance(refused(remove_loop, p, "i"), Unsafe)


def test_remove_refuses_a_body_that_steps_a_config_field(refused: Refused) -> None:
    p = source("""
    def foo(n: size):
        for i in seq(0, n):
            bump()
    """)
    assert isinstance(refused(remove_loop, p, "i"), Unsafe)


def test_remove_needs_an_iteration_and_no_use_of_the_iterator(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(1, n):
            x[0] = 1.0
        for j in seq(0, n):
            w = x[j:n]
            w[0] = 1.0
    """)
    f = refused(remove_loop, p, "i")
    assert "at least once" in f.message and values(f)["n"] <= 1
    f = refused(remove_loop, p, "j")
    assert isinstance(f, NotApplicable) and "depends on j" in f.message


def test_add_a_loop_with_and_without_a_guard(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        x[0] = 1.0
        x[0] += 2.0
    """)
    one, two = p.find("x[_] = _"), p.find("x[_] += _")
    q, c = applied(add_op("i", "n"), p, one.expand(0, 1))
    assert body(q) == "for i in seq(0, n):\n    x[0] = 1.0\n    x[0] += 2.0"
    assert c == q.find_loop("i") and q.forward(one) == q.find("x[_] = _")
    same(p, q, n=3)
    q, c = applied(add_op("i", 3, guard=True), p, two)
    assert body(q) == "x[0] = 1.0\nfor i in seq(0, 3):\n    if i == 0:\n        x[0] += 2.0"
    assert c == q.find_loop("i") and q.forward(two) == q.find("x[_] += _")
    same(p, q, n=3)


def test_add_needs_an_iteration_and_a_block_that_keeps_its_names_to_itself(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        a = 1.0
        x[0] = a
    """)
    f = refused(add_loop, p, "x[_] = _", "i", "n - 1")
    assert "at least once" in f.message and values(f) == {"n": 1}
    assert "used after" in refused(add_loop, p, p.find("a: _").expand(0, 1), "i", "n").message
    assert isinstance(refused(add_loop, p, "x[_] = _", "i", "n < 3"), BadArgument)
    assert isinstance(refused(add_loop, p, "x[_] = _", "3", "n"), BadArgument)


def test_what_a_callee_asserts_about_config_fields_must_still_be_known(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32):
        Cfg.on = False
        Cfg.on = True
        needs(x)
    """)
    f = refused(add_loop, p, "Cfg.on = _ #1", "i", "n", guard=True)  # true, but the checks don't count iterations
    assert isinstance(f, Unsafe) and "Cfg.on == True" in f.message
    add_loop(p, p.find("Cfg.on = _").expand(0, 2), "i", "n")


# -- unroll_loop --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("assert n == 4\n    for i in seq(0, n):", 4),
        ("assert n == 4\n    for i in seq(n / 3, n):", 3),
        ("if n < 2:\n        for i in seq(0, n):", 1),
        ("for j in seq(3, 4):\n        for i in seq(j, n + 5 - n):", 2),
        ("assert n % 8 == 3\n    for i in seq(0, n % 4):", 3),
    ],
)
def test_unroll_a_loop_whose_count_the_context_fixes(head: str, count: int, same: Same, body: Body) -> None:
    depth = "        " + "    " * (head.count("if") + head.count("for j"))
    p = source(f"def foo(n: size, x: f32[n + 8]):\n    {head}\n{depth}x[i] += 1.0")
    q = unroll_loop(p, "i")
    assert body(q).count("+= 1.0") == count and "for i" not in body(q)
    for n in (1, 3, 4, 11):
        if ("n == 4" not in head or n == 4) and ("% 8" not in head or n % 8 == 3):
            same(p, q, n=n)


def test_unroll_needs_one_count(refused: Refused) -> None:
    p = source("def foo(n: size, x: f32[n]):\n    assert n < 3\n    for i in seq(0, n):\n        x[i] = 1.0")
    assert isinstance(refused(unroll_loop, p, "i"), NotApplicable)


def test_unroll_has_a_limit(refused: Refused, body: Body) -> None:
    p = source("def foo(x: f32):\n    for i in seq(0, 1000000000):\n        x += 1.0")
    assert "1000000000 copies would be more code than anybody can use" in refused(unroll_loop, p, "i").message
    q = source("def foo(x: f32):\n    for i in seq(0, 1000):\n        for j in seq(0, 1000):\n            x += 1.0")
    once = unroll_loop(q, "j")
    assert body(once).count("+=") == 1000
    assert "1000 copies" in refused(unroll_loop, once, "i").message, "the limit is of what comes out"


def test_unroll_gives_each_copy_variables_of_its_own(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 3]):
        for i in seq(n, n + 3):
            a: f32
            w = x[i:i + 1]
            a = w[0]
            for k in seq(0, 2):
                x[i] += a
    """)
    s, loop = p.find("a = _"), p.find_loop("i")
    q, c = applied(unroll_op(), p, loop)
    assert isinstance(c, BlockCursor) and len(c) == 12 and "x[n + 2] += a_2" in body(q)
    assert q.forward(s) == q.find("a = _") and not q.forward(loop).is_valid
    for pattern in ("a: _", "for k in _: _"):
        assert len({x.sym for x in q.find_all(pattern)}) == 3
    same(p, q, n=2)


@pytest.mark.parametrize(("lo", "hi"), [("3", "3"), ("3", "1"), ("n", "n - 2")])
def test_unroll_a_loop_that_never_runs(lo: str, hi: str, same: Same, body: Body) -> None:
    p = source(f"""
    def foo(n: size, x: f32):
        for i in seq(0, 2):
            for j in seq({lo}, {hi}):
                x = 1.0
    """)
    q = unroll_loop(p, "j")
    assert body(q) == "for i in seq(0, 2):\n    pass"
    same(p, q, n=2)


def test_unroll_needs_a_constant_count(refused: Refused) -> None:
    assert "constant number" in refused(unroll_loop, COPY, "i").message


def test_unroll_counts_from_a_config_field_that_stays(same: Same, body: Body, refused: Refused) -> None:
    p = source("""
    def foo(x: f32):
        for i in seq(Cfg.n, Cfg.n + 2):
            x += 1.0
            bump()
    """)
    q = unroll_loop(p, "i")  # the count is known, and nobody asks for i
    assert body(q).count("bump()") == 2
    same(p, q, {"Cfg.n": 3})
    p = source("""
    def foo(x: f32[4]):
        for i in seq(Cfg.n, Cfg.n + 2):
            if i == 2:
                x[2] = 1.0
    """)
    same(p, unroll_loop(p, "i"), {"Cfg.n": 1})
    p = source("""
    def foo(x: f32[4]):
        for i in seq(Cfg.n, Cfg.n + 2):
            if i == 2:
                x[2] = 1.0
            bump()
    """)
    f = refused(unroll_loop, p, "i")
    assert isinstance(f, Unsafe) and "Cfg.n" in f.details
