"""One buffer in place of another, and one for each index."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import BlockCursor, Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import parallelize_loop, reuse_buffer, set_memory, unroll_buffer, unroll_loop
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.memory import DRAM_STACK
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import reuse_buffer as reuse_op
from exo_strat.primitives import unroll_buffer as unroll_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index


COPY = proc_from_source("""
def copy(v: [f32][2], w: [f32][2]):
    for q in seq(0, 2):
        w[q] = v[q]
""")
ROW = proc_from_source("""
def row(w: [f32][2]):
    assert stride(w, 0) == 1
    for q in seq(0, 2):
        w[q] = 2.0
""")
SET = proc_from_source("""
def set(s: f32):
    s = 5.0
""")
ENV = {"copy": COPY, "row": ROW, "set": SET, "Cfg": Cfg}


def source(text: str) -> Proc:
    return proc_from_source(text, ENV)


# -- reuse_buffer -------------------------------------------------------------------------------------

TWO = """
def foo(n: size, x: f32[n]):
    a: f32[n]
    for i in seq(0, n):
        a[i] = x[i]
    for i in seq(0, n):
        x[i] += a[i]
    b: f32[n]
    for i in seq(0, n):
        b[i] = 2.0 * x[i]
    for i in seq(0, n):
        x[i] = b[i]{more}
"""


def test_reuse_after_the_last_use(same: Same, body: Body, applied: Applied) -> None:
    p = source(TWO.format(more=""))
    store = p.find("b[_] = _")
    q, c = applied(reuse_op("b"), p, p.find_alloc("a"))
    assert "b" not in body(q).replace("body", "") and "a[i] = 2.0 * x[i]" in body(q)
    assert c == q.find_alloc("a") and q.forward(store) == q.find("a[_] = 2.0 * _")
    assert not q.forward(p.find_alloc("b")).is_valid
    same(p, q, n=3)


def test_reuse_must_not_lose_a_value_that_is_still_read(refused: Refused) -> None:
    f = refused(reuse_buffer, source(TWO.format(more=" + a[i]")), "a", "b")
    assert isinstance(f, Unsafe) and f.counterexample is not None and "shares its place" in f.details
    assert "overwritten by the other" in f.message


def test_reuse_within_an_iteration_that_fills_both_anew(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            a = x[i]
            x[i] = a * a
            b: f32
            b = x[i] + 1.0
            x[i] = b
    """)
    same(p, reuse_buffer(p, "a", "b"), n=3)


def test_reuse_must_not_lose_what_an_iteration_leaves_for_the_next(refused: Refused, same: Same) -> None:
    text = """
    def foo(n: size, x: f32[n]):
        a: f32
        a = 0.0
        for i in seq(0, n):
            {first}
            b: f32
            b = x[i]
            x[i] = b + 1.0
    """
    f = refused(reuse_buffer, source(text.format(first="a += x[i]")), "a", "b")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    p = source(text.format(first="a = x[i]"))
    same(p, reuse_buffer(p, "a", "b"), n=3)


def test_reuse_while_both_live_if_they_keep_to_different_cells(same: Same, refused: Refused) -> None:
    text = """
    def foo(x: f32[4]):
        a: f32[4]
        a[0] = x[0]
        b: f32[4]
        b[{at}] = x[1]
        x[2] = a[0] + b[{at}]
    """
    p = source(text.format(at=1))
    same(p, reuse_buffer(p, "a", "b"))
    assert isinstance(refused(reuse_buffer, source(text.format(at=0)), "a", "b"), Unsafe)


def test_reuse_of_an_element_that_is_read_as_the_other_is_written(same: Same) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        for i in seq(0, 4):
            a[i] = x[i]
        b: f32[4]
        for i in seq(0, 4):
            b[i] = a[i] + 1.0
        for i in seq(0, 4):
            x[i] = b[i]
    """)
    q = reuse_buffer(p, "a", "b")
    assert "a[i] = a[i] + 1.0" in str(q)
    same(p, q)


@pytest.mark.parametrize("use", ["copy(a[0:2], b[0:2])", "w = a[0:2]\n        copy(w, b[0:2])"])
def test_reuse_must_not_pass_one_buffer_twice(use: str, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32[4]):
        a: f32[2]
        a[0] = x[0]
        a[1] = x[1]
        b: f32[2]
        {use}
        x[2] = b[0]
    """)
    assert isinstance(refused(reuse_buffer, p, "a", "b"), Unsafe)


def test_reuse_sees_windows_of_the_outer_buffer(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        a[1] = x[0]
        w = a[1:3]
        b: f32[4]
        b[1] = 2.0
        x[1] = b[1]
        x[2] = w[0]
    """)
    assert isinstance(refused(reuse_buffer, p, "a", "b"), Unsafe)


def test_reuse_must_not_share_between_iterations_that_run_in_parallel(refused: Refused) -> None:
    p = parallelize_loop(source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            b: f32
            b = x[i]
            x[i] = b + 1.0
    """), "i")  # fmt: skip
    f = refused(reuse_buffer, p, "a", "b")
    assert isinstance(f, Unsafe) and "iterations of i" in f.message


def test_reuse_sees_parallel_loops_that_use_a_window(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[2]
        for i in par(0, n):
            b: f32[2]
            b[0] = x[i]
            v = b[0:2]
            x[i] = v[0]
    """)
    f = refused(reuse_buffer, p, "a", "b")
    assert isinstance(f, Unsafe) and "iterations of i" in f.message


def test_reuse_needs_buffers_that_are_alike(refused: Refused) -> None:
    text = """
    def foo(n: size, m: size, x: f32[n]):
        a: {one}
        b: {two}
        b{at} = 1.0
    """
    for one, two, at, why in [
        ("f32[n]", "f64[n]", "[0]", "f64"),
        ("f32[n]", "f32", "", "dimensions"),
        ("f32[Cfg.n % 4 + 4]", "f32[Cfg.n % 4 + 4]", "[0]", "config"),
    ]:
        f = refused(reuse_buffer, source(text.format(one=one, two=two, at=at)), "a", "b")
        assert isinstance(f, NotApplicable) and why in f.message
    f = refused(reuse_buffer, source(text.format(one="f32[n]", two="f32[m]", at="[0]")), "a", "b")
    assert isinstance(f, Unsafe) and "same extents" in f.message and f.counterexample is not None
    p = set_memory(source(text.format(one="f32", two="f32", at="")), "a", DRAM_STACK)
    assert "DRAM_STACK" in refused(reuse_buffer, p, "a", "b").message


def test_reuse_takes_extents_that_are_equal_but_written_otherwise(same: Same) -> None:
    p = source("""
    def foo(n: size, m: size, x: f32[n]):
        assert m == 2 * n
        a: f32[m]
        for i in seq(n, n + 1):
            b: f32[2 * i]
            b[n] = x[0]
            x[0] = b[n] * 2.0
    """)
    same(p, reuse_buffer(p, "a", "b"), n=3, m=6)


def test_extents_of_the_inner_buffer_say_nothing_about_the_rest(refused: Refused) -> None:
    """Where `b` is allocated, i is 1; but `a` is needed in the iterations before."""
    p = source("""
    def foo(x: f32[4]):
        a: f32[1]
        a[0] = 1.0
        for i in seq(0, 2):
            if i == 1:
                b: f32[i]
                b[0] = x[0]
                x[1] = b[0]
        for i in seq(0, 1):
            x[i] = a[0]
    """)
    assert isinstance(refused(reuse_buffer, p, "a", "b"), Unsafe)


def test_reuse_needs_the_second_in_the_scope_of_the_first(refused: Refused) -> None:
    p = source(TWO.format(more=""))
    assert isinstance(refused(reuse_buffer, p, "b", "a"), NotApplicable)
    assert isinstance(refused(reuse_buffer, p, "a", "a"), NotApplicable)


# -- unroll_buffer ------------------------------------------------------------------------------------

PARTS = source("""
def foo(x: f32[4]):
    a: f32[2, 4]
    for j in seq(0, 4):
        a[0, j] = x[j]
        a[1, j] = a[0, j] * 2.0
    copy(a[1, 0:2], a[0, 2:4])
    row(a[1, 1:3])
    set(a[0, 3])
    w = a[0, 1:4]
    x[0] = w[1] + a[1, 2] + w[2]
""")


def test_unroll_gives_each_index_a_buffer(same: Same, body: Body, applied: Applied) -> None:
    last = PARTS.find("x[_] = _")
    q, c = applied(unroll_op(0), PARTS, PARTS.find_alloc("a"))
    text = body(q)
    assert text.startswith("a_0: f32[4] @ DRAM\na_1: f32[4] @ DRAM\n")
    assert "a_1[j] = a_0[j] * 2.0" in text and "copy(a_1[0:2], a_0[2:4])" in text and "w = a_0[1:4]" in text
    assert isinstance(c, BlockCursor) and [s.name() for s in c] == ["a_0", "a_1"]  # type: ignore[attr-defined]
    assert q.forward(last) == q.find("x[_] = _")
    same(PARTS, q)


def test_unroll_down_to_scalars(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            t: f32[3]
            for k in seq(0, 3):
                t[k] = x[i] * 2.0
            set(t[1])
            x[i] = t[0] + t[1] + t[2]
    """)
    q = unroll_buffer(unroll_loop(p, "k"), "t", 0)
    assert "t_2: f32 @ DRAM" in body(q) and "set(t_1)" in body(q) and "x[i] = t_0 + t_1 + t_2" in body(q)
    same(p, q, n=2)


def test_unroll_of_an_index_that_is_a_sum_of_literals(same: Same) -> None:
    p = source("""
    def foo(x: f32[4]):
        for i in seq(0, 2):
            a: f32[2, 2]
            a[i - i + 1, i] = x[i]
            x[i] += a[1, i]
    """)
    same(p, unroll_buffer(p, "a", 0))


@pytest.mark.parametrize(
    ("use", "dim", "why"),
    [
        ("a[i, 0] = 1.0", 0, "no literal"),
        ("w = a[0:1, 0]", 0, "several"),
        ("copy(a[0:2, 0], x[0:2])", 0, "several"),
        ("if stride(a, 0) == 1:\n                pass", 0, "stride"),
    ],
)
def test_unroll_needs_to_know_the_index_everywhere(use: str, dim: int, why: str, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32[4]):
        a: f32[2, 4]
        for i in seq(0, 2):
            {use}
    """)
    f = refused(unroll_buffer, p, "a", dim)
    assert isinstance(f, NotApplicable) and why in f.message and f.place is not None


def test_unroll_of_an_inner_dimension_must_keep_strides_that_are_asked_for(refused: Refused, same: Same) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[2, 4]
        a[0, 1] = x[0]
        a[1, 1] = x[1]
        x[2] = a[0, 1]
        x[3] = a[1, 1]
    """)
    same(p, unroll_buffer(p, "a", 1))
    q = source("""
    def foo(x: f32[4]):
        a: f32[2, 4]
        a[0, 1] = x[0]
        if stride(a, 0) == 4:
            x[2] = a[0, 1]
    """)
    f = refused(unroll_buffer, q, "a", 1)
    assert isinstance(f, Unsafe) and "stride" in f.message


def test_unroll_needs_a_literal_extent(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[n]
        a[0] = x[0]
    """)
    assert "no literal" in refused(unroll_buffer, p, "a", 0).message
    assert isinstance(refused(unroll_buffer, p, "a", 1), BadArgument)


def test_unroll_has_a_limit(refused: Refused) -> None:
    p = source("""
    def foo(x: f32):
        a: f32[1000000000]
        a[0] = x
    """)
    assert "1000000000 copies would be more code" in refused(unroll_buffer, p, "a", 0).message


def test_unroll_of_an_index_that_is_never_reached(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[2]
        a[0] = x[0]
        if n < 1:
            a[5] = 1.0
    """)
    assert "outside dimension" in refused(unroll_buffer, p, "a", 0).message
