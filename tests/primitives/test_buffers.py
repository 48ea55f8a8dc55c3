"""Where buffers live: each primitive accepted and refused, what it returns, and where old cursors go."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from returns.result import Success

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import delete_buffer, lift_alloc, sink_alloc
from exo_strat.frontend.checks import check
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, SchedulingError, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import delete_buffer as delete_op
from exo_strat.primitives import lift_alloc as lift_op
from exo_strat.primitives import sink_alloc as sink_op

Same = Callable[..., None]


@config
class Cfg:
    n: index


def body(p: Proc) -> str:
    """The lines below the signature."""
    check(p.tree)
    return "\n".join(line[4:] for line in str(p).splitlines()[1:])


def refused(f: Callable[..., Proc], p: Proc, *args: object, **kwargs: object) -> Failure:
    before = str(p)
    with pytest.raises(SchedulingError) as e:
        f(p, *args, **kwargs)
    assert str(p) == before
    return e.value.failure


def result(op: Op, p: Proc, c: Cursor) -> tuple[Proc, Cursor]:
    before = str(p)
    outcome = op(p, c)
    assert isinstance(outcome, Success), str(outcome.failure())
    assert str(p) == before
    return outcome.unwrap()


NEST = proc_from_source("""
def foo(n: size, m: size, x: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] = 0.0
            a: f32[n]
            a[i] = 2.0
            x[i, j] += a[i]
""")


# -- lift_alloc ---------------------------------------------------------------------------------------


def test_lift_moves_before_the_loop_and_before_what_stands_first_in_it(same: Same) -> None:
    a, store = NEST.find_alloc("a"), NEST.find("a[_] = _")
    q, c = result(lift_op(2), NEST, a)
    assert body(q) == (
        "a: f32[n] @ DRAM\nfor i in seq(0, n):\n    for j in seq(0, m):\n"
        "        x[i, j] = 0.0\n        a[i] = 2.0\n        x[i, j] += a[i]"
    )
    assert c == q.find_alloc("a") == q.forward(a)
    assert q.forward(store) == q.find("a[_] = _")
    same(NEST, q, n=3, m=2)
    assert lift_alloc(lift_alloc(NEST, "a"), "a") == q


def test_lift_out_of_a_branch_leaves_a_pass() -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[4]):
        if n < 3:
            x[0] = 1.0
        else:
            a: f32[4]
        for i in seq(0, 4):
            b: f32
    """)
    assert body(lift_alloc(p, "a")) == (
        "a: f32[4] @ DRAM\nif n < 3:\n    x[0] = 1.0\nfor i in seq(0, 4):\n    b: f32 @ DRAM"
    )
    assert body(lift_alloc(p, "b")).endswith("b: f32 @ DRAM\nfor i in seq(0, 4):\n    pass")


def test_lift_owes_nothing_about_values_that_iterations_leave(same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32[2]
            a[0] = x[i]
            if i == 0:
                a[1] = 3.0
            x[i] = a[0]
    """)
    same(p, lift_alloc(p, "a"), n=3)


@pytest.mark.parametrize(
    ("head", "extent"),
    [("for i in seq(0, n):", "n - 1"), ("if n > 4:", "n - 4"), ("for i in seq(4, n):", "n - 4")],
)
def test_lift_needs_extents_that_are_positive_outside(head: str, extent: str) -> None:
    inner = "if n > 1:" if extent == "n - 1" else "if n < 100:"
    p = proc_from_source(f"""
    def foo(n: size, x: f32[n]):
        {head}
            {inner}
                a: f32[{extent}]
                a[0] = 1.0
    """)
    f = refused(lift_alloc, p, "a", 2)
    assert isinstance(f, Unsafe) and "positive" in f.message
    assert f.counterexample is not None and f.counterexample["n"] <= 4


def test_lift_needs_extents_that_mean_something_outside() -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32[i + 1]
            a[i] = 1.0
    """)
    f = refused(lift_alloc, p, "a")
    assert isinstance(f, NotApplicable) and "depend on i" in f.message
    assert isinstance(refused(lift_alloc, NEST, "a", 3), NotApplicable)
    assert isinstance(refused(lift_alloc, NEST, "a", 0), BadArgument)


def test_lift_out_of_a_parallel_loop_only_if_iterations_stay_apart(same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        for i in par(0, n):
            shared: f32
            own: f32[n]
            shared = x[i]
            own[i] = shared
            x[i] = own[i] + 1.0
    """)
    f = refused(lift_alloc, p, "shared")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    q = lift_alloc(p, "own")
    assert body(q).startswith("own: f32[n] @ DRAM\nfor i in par(0, n):\n    shared")
    same(p, q, n=4)


def test_lift_needs_extents_that_nothing_in_the_scope_changes() -> None:
    p = proc_from_source(
        """
    def foo(x: f32[4]):
        for i in seq(0, 4):
            a: f32[Cfg.n % 4 + 1]
            a[0] = 1.0
            Cfg.n = i
    """,
        {"Cfg": Cfg},
    )
    assert isinstance(refused(lift_alloc, p, "a"), Unsafe)


# -- sink_alloc ---------------------------------------------------------------------------------------


def test_sink_into_the_loop_that_uses_it(same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        a: f32[2]
        x[0] = 0.0
        for i in seq(0, n):
            a[0] = x[i]
            x[i] += a[0]
    """)
    store = p.find("a[_] = _")
    q, c = result(sink_op(), p, p.find_alloc("a"))
    assert body(q).startswith("x[0] = 0.0\nfor i in seq(0, n):\n    a: f32[2] @ DRAM\n    a[0] = x[i]")
    assert c == q.find_alloc("a") and q.forward(store) == q.find("a[_] = _")
    same(p, q, n=3)
    assert body(lift_alloc(q, "a")).startswith("x[0] = 0.0\na: f32[2] @ DRAM\nfor i")


def test_sink_must_not_cut_values_that_iterations_leave() -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            if i == 0:
                a = 1.0
            x[i] = a
    """)
    f = refused(sink_alloc, p, "a")
    assert isinstance(f, Unsafe) and f.counterexample is not None and f.counterexample["i"] > 0


def test_sink_needs_one_user() -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        a: f32
        b: f32
        for i in seq(0, n):
            a = 1.0
        a = 2.0
        b = 3.0
    """)
    assert "2 do" in refused(sink_alloc, p, "a").message
    assert "neither a loop nor" in refused(sink_alloc, p, "b").message


def test_sink_into_both_branches_gives_each_its_own(same: Same) -> None:
    p = proc_from_source("""
    def bar(y: f32[4]):
        y[0] = 2.0

    """)
    q = proc_from_source(
        """
    def foo(n: size, x: f32[4]):
        a: f32[4]
        if n < 3:
            a[0] = 1.0
            x[0] = a[0]
        else:
            bar(a)
            x[1] = a[0]
    """,
        {"bar": p},
    )
    r = sink_alloc(q, "a")
    assert body(r) == (
        "if n < 3:\n    a: f32[4] @ DRAM\n    a[0] = 1.0\n    x[0] = a[0]\n"
        "else:\n    a: f32[4] @ DRAM\n    bar(a)\n    x[1] = a[0]"
    )
    for n in (1, 5):
        same(q, r, n=n)


def test_sink_into_the_branch_that_uses_it_but_not_past_a_condition_that_does() -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[4]):
        a: f32
        b: f32[4]
        if n < 3:
            x[0] = 1.0
        else:
            a = 2.0
        if stride(b, 0) == 1:
            b[0] = 1.0
    """)
    assert "else:\n    a: f32 @ DRAM\n    a = 2.0" in body(sink_alloc(p, "a"))
    assert "condition uses b" in refused(sink_alloc, p, "b").message


# -- delete_buffer ------------------------------------------------------------------------------------


def test_delete_takes_dead_stores_along(same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32[n]
            a[i] = x[i]
            a[i] += a[i] * 2.0
            if x[i] < 3.0:
                a[0] = 1.0
            x[i] = 1.0
    """)
    last = p.find("x[_] = _")
    q, c = result(delete_op(), p, p.find_alloc("a"))
    assert body(q) == "for i in seq(0, n):\n    if x[i] < 3.0:\n        pass\n    x[i] = 1.0"
    assert c == q.find_loop("i") and q.forward(last) == q.find("x[_] = _")
    assert not q.forward(p.find("a[_] = _")).is_valid
    same(p, q, n=3)


def test_delete_takes_windows_and_calls_along_that_only_write_to_the_buffer(same: Same) -> None:
    copy = proc_from_source("""
    def copy(n: size, dst: [f32][n], src: [f32][n]):
        for i in seq(0, n):
            dst[i] = src[i]
    """)
    p = proc_from_source(
        """
    def foo(n: size, x: f32[n], b: bool):
        a: f32[n]
        w = a[0:n]
        copy(n, w[0:n], x[0:n])
        for i in seq(0, n):
            v = w[0:n]
            v[i] += a[i]
        if b:
            copy(n, a[0:n], x[0:n])
        x[0] = 2.0
    """,
        {"copy": copy},
    )
    q = delete_buffer(p, "a")
    assert body(q) == "for i in seq(0, n):\n    pass\nif b:\n    pass\nx[0] = 2.0"
    same(p, q, n=3, b=True)


STRIDE = "if stride(a, 0) == 1:\n            x[0] = 1.0"


USES = ["x[0] = a[0]", "x[0] = x[1] * a[1]", "w = a[0:2]\n        x[0] = w[1]", "bar(x[0:2], a[0:2])", STRIDE]


@pytest.mark.parametrize("use", USES)
def test_delete_keeps_a_buffer_that_is_used(use: str) -> None:
    bar = proc_from_source("""
    def bar(y: [f32][2], z: [f32][2]):
        y[0] = 2.0
        z[0] = 3.0
    """)
    p = proc_from_source(
        f"""
    def foo(x: f32[4]):
        a: f32[4]
        a[0] = 1.0
        a[1] = 1.0
        {use}
    """,
        {"bar": bar},
    )
    f = refused(delete_buffer, p, "a")
    assert isinstance(f, Unsafe) and "only code that writes to a uses it" in f.message and f.place is not None
