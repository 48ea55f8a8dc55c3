"""Staging a window that only some of a block's accesses are in: the others, beside it, stay with the buffer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import stage_mem
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import stage_mem as stage_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]

COPY = proc_from_source("""
def copy(v: [f32][4], w: [f32][4]):
    for q in seq(0, 4):
        w[q] = v[q]
""")


def source(text: str) -> Proc:
    return proc_from_source(text, {"copy": COPY})


ROWS = source("""
def foo(n: size, x: f32[4, n]):
    for i in seq(0, n):
        x[0, i] = 2.0
        x[0, i] += x[1, i] * x[2, i]
        x[3, i] = x[0, i]
""")


def test_rows_beside_the_window_stay(same: Same, body: Body, applied: Applied) -> None:
    last = ROWS.find("x[3, _] = _")
    q, c = applied(stage_op("x[0, 0:n]", "t"), ROWS, ROWS.find_loop("i"))
    assert body(q) == (
        "t: f32[n] @ DRAM\nfor i in seq(0, n):\n    t[i] = 2.0\n    t[i] += x[1, i] * x[2, i]\n    x[3, i] = t[i]\n"
        "for i0 in seq(0, n):\n    x[0, i0] = t[i0]"
    )
    assert str(c).startswith("for i in") or q.find_loop("i") == c[0]  # type: ignore[index]
    assert q.forward(last) == q.find("x[3, _] = _")
    same(ROWS, q, n=3)


def test_what_is_only_read_inside_is_not_stored_though_the_rest_is_written(same: Same, body: Body) -> None:
    q = stage_mem(ROWS, "for i in _: _", "x[1:3, 0:n]", "t")
    assert "x[1, i0" not in body(q) and "x[i0 + 1, i1] = " not in body(q)
    assert "t[i0, i1] = x[1 + i0, i1]" in body(q) or "t[i0, i1] = x[i0 + 1, i1]" in body(q)
    assert "x[0, i] += t[0, i] * t[1, i]" in body(q)
    same(ROWS, q, n=3)


def test_what_is_read_beside_the_window_needs_no_load(body: Body, same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n, 8]):
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, j] = x[i, j + 4]
    """)
    q = stage_mem(p, "for j in _: _", "x[i, 0:4]", "t")
    assert "t: f32[4] @ DRAM\n    for j in seq(0, 4):\n        t[j] = x[i, j + 4]\n" in body(q)
    same(p, q, n=2)


def test_what_is_not_initialised_beside_the_window_does_not_matter(same: Same, refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4, 2]
        for j in seq(0, 2):
            a[0, j] = x[j]
        for i in seq(0, 2):
            a[1, i] = a[0, i] + 1.0
            x[i] = a[1, i]
    """)
    same(p, stage_mem(p, "for i in _: _", "a[0, 0:2]", "t"))
    same(p, stage_mem(p, "for i in _: _", "a[1, 0:2]", "t"))


def test_parts_apart_by_a_condition_or_by_iterators(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            for j in seq(0, n):
                if j < i:
                    x[j] += x[i]
    """)
    q = stage_mem(p, "for j in _: _", "x[i]", "t")
    assert "x[j] += t" in body(q) and "x[i] = t" not in body(q)
    same(p, q, n=4)


def test_windows_and_calls_beside_the_window(same: Same, body: Body) -> None:
    p = source("""
    def foo(x: f32[12]):
        w = x[8:12]
        copy(x[0:4], x[4:8])
        v = x[4:8]
        x[0] = v[1]
    """)
    block = p.body()[1:4]
    q = stage_mem(p, block, "x[0:4]", "t")
    assert "copy(t[0:4], x[4:8])" in body(q) and "v = x[4:8]" in body(q) and "t[0] = v[1]" in body(q)
    same(p, q)
    r = stage_mem(p, block, "x[4:8]", "t")
    assert "copy(x[0:4], t[0:4])" in body(r) and "v = t[0:4]" in body(r)
    same(p, r)


def test_accumulation_inside_and_anything_beside(same: Same, refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[4]):
        for i in seq(0, n):
            y[1] = x[i] * 2.0
            y[0] += y[1]
            y[2] += y[0] - y[0]
    """)
    assert isinstance(refused(stage_mem, p, "for i in _: _", "y[0]", "t", accum=True), NotApplicable)
    q = source("""
    def foo(n: size, x: f32[n], y: f32[4]):
        for i in seq(0, n):
            y[1] = x[i] * 2.0
            y[0] += y[1]
    """)
    r = stage_mem(q, "for i in _: _", "y[0]", "t", accum=True)
    assert "t = 0.0" in str(r) and "y[0] += t" in str(r) and "t += y[1]" in str(r)
    same(q, r, n=3)
    assert isinstance(refused(stage_mem, q, "for i in _: _", "y[1]", "t", accum=True), NotApplicable)


@pytest.mark.parametrize(
    ("stmt", "window"),
    [
        ("x[j] = x[j + 1]", "x[0:4]"),  # some iterations are inside, some are not
        ("x[0] = x[j]", "x[0:4]"),
        ("w = x[2:6]\n            x[0] = w[3]", "x[0:4]"),  # straddles the edge
        ("copy(x[0:4], x[4:8])", "x[2:6]"),
        ("x[j] = 1.0", "x[7]"),
    ],
)
def test_an_access_must_be_inside_or_beside(stmt: str, window: str, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32[9]):
        for j in seq(0, 8):
            {stmt}
    """)
    f = refused(stage_mem, p, "for j in _: _", window, "t")
    assert isinstance(f, Unsafe) and "inside the window" in f.message and "is neither" in f.details


def test_a_block_that_is_all_beside_the_window(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[8]):
        x[1] = x[2]
    """)
    f = refused(stage_mem, p, "x[_] = _", "x[4:8]", "t")
    assert isinstance(f, Unsafe) and "inside the window" in f.message


def test_where_only_a_condition_on_data_keeps_accesses_apart(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        for i in seq(0, n):
            if y[i] < 1.0:
                x[i] = x[0] + 1.0
    """)
    f = refused(stage_mem, p, "for i in _: _", "x[0]", "t")
    assert isinstance(f, Unsafe) and f.counterexample is None and "x[i] is neither" in f.details


def test_other_names_of_the_buffer_still_stand_in_the_way(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[8]):
        w = x[4:8]
        x[0] = w[1]
    """)
    f = refused(stage_mem, p, "x[_] = _", "x[0:4]", "t")
    assert isinstance(f, NotApplicable) and "by the window w" in f.message


def test_a_window_of_the_other_part_that_lives_on(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[8]):
        x[0] = 1.0
        w = x[4:8]
        x[1] = w[0]
    """)
    assert isinstance(refused(stage_mem, p, p.body()[0:2], "x[0:2]", "t"), NotApplicable)
