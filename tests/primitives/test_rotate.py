"""A window that slides: held, shifted, and filled at its end only."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    lift_alloc,
    parallelize_loop,
    resize_dim,
    rotate_buffer,
    simplify,
    unroll_buffer,
    unroll_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import rotate_buffer as rotate_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    scale: f64


TAKE = proc_from_source("""
def take(j: index, v: [f32][4], w: [f32][2]):
    assert 0 <= j
    assert j < 3
    for q in seq(0, 2):
        w[q] = v[j + q]
""")
ENV = {"take": TAKE, "Cfg": Cfg}


def source(text: str) -> Proc:
    return proc_from_source(text, ENV)


STENCIL = """
def blur(n: size, x: f32[n + 2], y: f32[n + 2]):
    t: f32[3]
    for i in seq({lo}, {hi}):
        {before}
        for k in seq(0, 3):
            {fill}
        {after}
    {end}
"""


def stencil(
    fill: str = "t[k] = x[i + k]",
    after: str = "y[i] = t[0] + t[1] + t[2]",
    before: str = "y[i] = 0.0",
    lo: str = "0",
    hi: str = "n",
    end: str = "y[0] = 1.0",
) -> Proc:
    return source(STENCIL.format(fill=fill, after=after, before=before, lo=lo, hi=hi, end=end))


# -- accepted -----------------------------------------------------------------------------------------


def test_rotate_keeps_cursors_to_what_fills_and_uses(same: Same, body: Body, applied: Applied) -> None:
    p = stencil()
    store, use = p.find("t[_] = _"), p.find("y[_] = t[0] + _ + _")
    q, c = applied(rotate_op(), p, p.find_loop("k"))
    assert body(q) == (
        "t: f32[3] @ DRAM\nfor k in seq(0, 2):\n    t[k + 1] = x[k]\nfor i in seq(0, n):\n    y[i] = 0.0\n"
        "    for k in seq(0, 2):\n        t[k] = t[k + 1]\n    t[2] = x[i + 2]\n    y[i] = t[0] + t[1] + t[2]\n"
        "y[0] = 1.0"
    )
    assert c == q.find_loop("i") == q.forward(p.find_loop("i"))
    assert q.forward(store) == q.find("t[2] = _") and q.forward(use) == q.find("y[_] = t[0] + _ + _")
    assert not q.forward(p.find_loop("k")).is_valid
    for n in (1, 2, 5):
        same(p, q, n=n)


def test_rotate_down_to_registers(same: Same, body: Body) -> None:
    """A stencil's schedule: the window an iteration needs, held over iterations, in one scalar a cell."""
    p = source("""
    def blur(n: size, x: f32[n + 2], y: f32[n]):
        for i in seq(0, n):
            t: f32[n + 2]
            for k in seq(0, 3):
                t[i + k] = 2.0 * x[i + k]
            y[i] = t[i] + t[i + 1] + t[i + 2]
    """)
    q = lift_alloc(resize_dim(p, "t", 0, 3, "i"), "t")
    q = rotate_buffer(q, "k")
    for _ in range(2):
        q = unroll_loop(q, "k")
    q = simplify(unroll_buffer(simplify(q), "t", 0))
    assert body(q) == (
        "t_0: f32 @ DRAM\nt_1: f32 @ DRAM\nt_2: f32 @ DRAM\nt_1 = 2.0 * x[0]\nt_2 = 2.0 * x[1]\n"
        "for i in seq(0, n):\n    t_0 = t_1\n    t_1 = t_2\n    t_2 = 2.0 * x[i + 2]\n    y[i] = t_0 + t_1 + t_2"
    )
    for n in (1, 4):
        same(p, q, n=n)


def test_rotate_a_loop_that_may_be_empty_fills_only_if_it_is_not(same: Same, body: Body) -> None:
    p = stencil(lo="1", end="y[0] = 1.0")
    q = rotate_buffer(p, "k")
    assert "if 1 < n:\n    for k in seq(0, 2):\n        t[k + 1] = x[k + 1]" in body(q)
    for n in (1, 2, 4):
        same(p, q, n=n)


def test_rotate_leaves_the_same_window_behind(same: Same) -> None:
    p = stencil(end="y[1] = t[0] + 2.0 * t[1] + 3.0 * t[2]")
    for n in (1, 2, 4):
        same(p, rotate_buffer(p, "k"), n=n)
    empty = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        t: f32[2]
        for k in seq(0, 2):
            t[k] = 7.0
        for i in seq(1, n):
            for k in seq(0, 2):
                t[k] = x[i + k]
        y[0] = t[0] + 2.0 * t[1]
    """)
    for n in (1, 3):
        same(empty, rotate_buffer(empty, "k #1"), n=n)


def test_rotate_rows_at_any_dimension(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 2, 4], y: f32[n, 4]):
        t: f32[4, 5]
        for i in seq(0, n):
            for k in seq(2, 5):
                for j in seq(0, 4):
                    t[j, k] = x[i + k - 2, j] * 2.0
                    t[j, k] += 1.0
            for j in seq(0, 4):
                y[i, j] = t[j, 2] + t[j, 4]
    """)
    q = rotate_buffer(p, "k")
    assert "for k in seq(2, 4):\n    for j in seq(0, 4):\n        t[j, k + 1] = x[k - 2, j] * 2.0" in body(q)
    assert "for i0 in seq(0, 4):\n            t[i0, k] = t[i0, k + 1]" in body(q)
    assert "t[j, 4] = x[i + 4 - 2, j] * 2.0" in body(q)
    same(p, q, n=3)


@pytest.mark.parametrize(
    "fill",
    [
        "t[k] = x[(i + k) / 2] * x[(i + k) % 2]",
        "t[k] = x[n + 1 - k - i]",
        "a: f32\n            a = x[i + k]\n            t[k] = a * a",
        "t[k] = 0.0\n            for r in seq(0, i + k + 1):\n                t[k] += x[r]",
        "if i + k < n:\n                t[k] = x[i + k]\n            else:\n                t[k] = 0.0",
        "w = x[i + k:n + 2]\n            t[k] = w[0]",
        "t[k] = 3.0",
    ],
)
def test_rotate_what_depends_on_the_sum(fill: str, same: Same) -> None:
    p = stencil(fill=fill)
    q = rotate_buffer(p, "k")
    for n in (1, 2, 5):
        same(p, q, n=n)


def test_rotate_a_window_that_a_call_fills(same: Same) -> None:
    p = source("""
    def foo(x: f32[4], y: f32[4]):
        t: f32[2, 2]
        for i in seq(0, 2):
            for k in seq(0, 2):
                take(i + k, x[0:4], t[k, 0:2])
            y[i] = t[0, 0] + t[1, 1]
    """)
    q = rotate_buffer(p, "k")
    assert "take(k, x[0:4], t[k + 1, 0:2])" in str(q) and "take(i + 1, x[0:4], t[1, 0:2])" in str(q)
    same(p, q)


def test_rotate_a_window_of_one_cell(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        t: f32[1]
        for i in seq(0, n):
            for k in seq(0, 1):
                t[k] = x[i + k]
            y[i] = t[0]
    """)
    same(p, rotate_buffer(p, "k"), n=3)


# -- refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fill",
    [
        "t[k] = x[i]",
        "t[k] = x[k]",
        "t[k] = x[i + k] * x[k]",
        "t[k] = x[2 * k + i - k - k]",
        "t[k] = 0.0\n            for r in seq(0, k + 1):\n                t[k] += x[i + k]",
        "if k < 1:\n                t[k] = x[i + k]\n            else:\n                t[k] = 0.0",
    ],
)
def test_the_fill_must_slide(fill: str, refused: Refused) -> None:
    f = refused(rotate_buffer, stencil(fill=fill), "k")
    assert isinstance(f, NotApplicable) and "sum only" in f.message and f.place is not None


@pytest.mark.parametrize("fill", ["t[2 - k] = x[i + k]", "t[k] = x[i + k] + t[0]", "t[(i + k) % 3] = x[i + k]"])
def test_the_fill_must_keep_to_its_index(fill: str, refused: Refused) -> None:
    p = stencil(fill=fill) if "t[0]" not in fill else source("""
    def blur(n: size, x: f32[n + 2], y: f32[n + 2]):
        t: f32[3]
        t[0] = 1.0
        for i in seq(0, n):
            for k in seq(0, 3):
                t[k] = x[i + k] + t[0]
            y[i] = t[2]
    """)  # fmt: skip
    f = refused(rotate_buffer, p, "k")
    assert isinstance(f, NotApplicable) and "always at index k" in f.message


def test_the_window_must_be_filled_for_sure(refused: Refused) -> None:
    f = refused(rotate_buffer, stencil(fill="if i + k < n:\n                t[k] = x[i + k]"), "k")
    assert isinstance(f, Unsafe) and "surely written" in f.message
    part = source("""
    def foo(n: size, x: f32[n + 2], y: f32[n]):
        t: f32[3, 2]
        for i in seq(0, n):
            for k in seq(0, 3):
                t[k, 0] = x[i + k]
            y[i] = t[0, 0] + t[2, 0]
    """)
    assert isinstance(refused(rotate_buffer, part, "k"), Unsafe)


def test_the_fill_must_not_accumulate_over_iterations(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 2], y: f32[n]):
        t: f32[3]
        for k in seq(0, 3):
            t[k] = 0.0
        for i in seq(0, n):
            for k in seq(0, 3):
                t[k] += x[i + k]
            y[i] = t[0] + t[2]
    """)
    assert isinstance(refused(rotate_buffer, p, "k #1"), Unsafe)


@pytest.mark.parametrize(
    "change",
    ["x[i] = 1.0", "x[n + 1] = y[0]", "for j in seq(0, n):\n            x[j] += 1.0", "w = x[1:3]\n        w[0] = 0.0"],
)
def test_what_the_window_is_filled_from_must_stay(change: str, refused: Refused) -> None:
    f = refused(rotate_buffer, stencil(after=change), "k")
    assert isinstance(f, Unsafe) and "stays the same in the loop over i" in f.message
    assert f.counterexample is not None
    assert isinstance(refused(rotate_buffer, stencil(before=change), "k"), Unsafe)


def test_what_the_window_is_filled_from_must_not_be_of_one_iteration(refused: Refused) -> None:
    p = stencil(before="a: f32\n        a = y[i]", fill="t[k] = x[i + k] * a")
    f = refused(rotate_buffer, p, "k")
    assert isinstance(f, NotApplicable) and "same iteration" in f.message


def test_a_config_field_that_the_loop_writes(refused: Refused, same: Same) -> None:
    p = stencil(fill="t[k] = x[i + k] * Cfg.scale")
    same(p, rotate_buffer(p, "k"), configs={"Cfg.scale": 3}, n=3)
    changing = stencil(fill="t[k] = x[i + k] * Cfg.scale", after="Cfg.scale = Cfg.scale + 1.0")
    assert isinstance(refused(rotate_buffer, changing, "k"), Unsafe)


@pytest.mark.parametrize("where", ["before", "after"])
def test_the_window_must_not_be_touched_elsewhere(where: str, refused: Refused) -> None:
    f = refused(rotate_buffer, stencil(**{where: "t[1] = 0.0"}), "k")
    assert isinstance(f, NotApplicable) and "is filled" in f.message
    g = refused(rotate_buffer, stencil(before="w = t[0:2]", after="w[0] = 1.0"), "k")
    assert isinstance(g, NotApplicable)


def test_a_read_before_the_fill_sees_the_window_of_the_iteration_before(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        t: f32[2]
        t[0] = 0.0
        t[1] = 0.0
        for i in seq(0, n):
            y[i] = t[1]
            for k in seq(0, 2):
                t[k] = x[i + k]
    """)
    assert isinstance(refused(rotate_buffer, p, "k"), NotApplicable)


def test_the_window_must_outlive_an_iteration_and_iterations_follow_each_other(refused: Refused) -> None:
    inner = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            t: f32[2]
            for k in seq(0, 2):
                t[k] = x[i + k]
            y[i] = t[0] + t[1]
    """)
    assert "lift its allocation" in refused(rotate_buffer, inner, "k").message
    outer = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        t: f32[2]
        for k in seq(0, 2):
            t[k] = x[k]
    """)
    assert "slide along a loop" in refused(rotate_buffer, outer, "k").message
    unused = source("""
    def foo(n: size, x: f32[2], y: f32[n]):
        t: f32[2]
        for i in seq(0, 1):
            for k in seq(0, 2):
                t[k] = x[i + k - i]
    """)
    parallel = parallelize_loop(unused, "i")
    f = refused(rotate_buffer, parallel, "k")
    assert isinstance(f, NotApplicable)


def test_the_window_must_have_a_fixed_width_above_zero(refused: Refused) -> None:
    text = """
    def foo(n: size, m: index, x: f32[n + 8], y: f32[n]):
        assert 0 <= m
        assert m <= 4
        t: f32[8]
        for i in seq(0, n):
            for k in seq(0, {width}):
                t[k] = x[i + k]
    """
    f = refused(rotate_buffer, source(text.format(width="m")), "k")
    assert isinstance(f, Unsafe) and "not empty" in f.message and f.counterexample is not None
    assert "depends on i" in refused(rotate_buffer, source(text.format(width="i % 2 + 1")), "k").message


def test_only_one_buffer_may_be_filled(refused: Refused) -> None:
    f = refused(rotate_buffer, stencil(fill="t[k] = x[i + k]\n            y[i + k] = 1.0"), "k")
    assert isinstance(f, NotApplicable) and "one buffer" in f.message
