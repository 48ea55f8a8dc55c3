"""The extents of buffers: cut, folded into a ring, two dimensions made one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import divide_dim, lift_alloc, mult_dim, parallelize_loop, resize_dim
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import mult_dim as mult_op
from exo_strat.primitives import resize_dim as resize_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index


FILL = proc_from_source("""
def fill(w: [f32][2]):
    for q in seq(0, 2):
        w[q] = 2.0
""")
ROW = proc_from_source("""
def row(w: [f32][2]):
    assert stride(w, 0) == 1
    for q in seq(0, 2):
        w[q] = 2.0
""")
DENSE = proc_from_source("""
def dense(w: f32[4]):
    for q in seq(0, 4):
        w[q] = 2.0
""")
COPY = proc_from_source("""
def copy(v: [f32][2], w: [f32][2]):
    for q in seq(0, 2):
        w[q] = v[q]
""")
ENV = {"copy": COPY, "fill": FILL, "row": ROW, "dense": DENSE, "Cfg": Cfg}


def source(text: str) -> Proc:
    return proc_from_source(text, ENV)


# -- resize_dim without folding -----------------------------------------------------------------------

REGION = source("""
def foo(n: size, x: f32[n + 2], y: f32[n]):
    for i in seq(0, n):
        a: f32[n + 2]
        for k in seq(0, 3):
            a[i + k] = x[i + k]
        y[i] = a[i] + a[i + 1] + a[i + 2]
""")


def test_resize_to_the_region_that_an_iteration_needs(same: Same, body: Body, applied: Applied) -> None:
    store = REGION.find("a[_] = _")
    q, c = applied(resize_op(0, 3, "i"), REGION, REGION.find_alloc("a"))
    assert body(q) == (
        "for i in seq(0, n):\n    a: f32[3] @ DRAM\n    for k in seq(0, 3):\n"
        "        a[k] = x[i + k]\n    y[i] = a[0] + a[1] + a[2]"
    )
    assert c == q.find_alloc("a") and q.forward(store) == q.find("a[_] = _")
    same(REGION, q, n=4)


def test_resize_may_enlarge_and_shift(same: Same, body: Body) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4, 4]
        for i in seq(0, 4):
            a[i, 3 - i] = x[i]
            x[i] += a[i, 3 - i]
    """)
    q = resize_dim(p, "a", 1, 8, -2)
    assert "a: f32[4, 8]" in body(q) and "a[i, 5 - i] = x[i]" in body(q)
    same(p, q)


def test_resize_moves_windows_calls_and_questions_for_strides(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[4]):
        a: f32[8]
        fill(a[4:6])
        w = a[5:7]
        w[1] = 3.0
        if stride(a, 0) == 1:
            x[0] = a[4] + a[6]
    """)
    q = resize_dim(p, "a", 0, 3, 4)
    assert "fill(a[0:2])" in body(q) and "w = a[1:3]" in body(q) and "x[0] = a[0] + a[2]" in body(q)
    same(p, q, n=1)


@pytest.mark.parametrize(("size", "offset"), [(2, "i"), (3, "i + 1"), (3, 0)])
def test_resize_must_not_lose_a_cell(size: int, offset: object, refused: Refused) -> None:
    f = refused(resize_dim, REGION, "a", 0, size, offset)
    assert isinstance(f, Unsafe) and "what is left" in f.message and f.counterexample is not None
    assert f.place is not None


def test_resize_counts_all_that_a_window_shows(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[8]
        w = a[0:4]
        w[1] = 3.0
    """)
    assert "w = a[0:2]" in str(resize_dim(source("""
    def foo(x: f32[4]):
        a: f32[8]
        w = a[0:2]
        w[1] = 3.0
    """), "a", 0, 2, 0))  # fmt: skip
    assert isinstance(refused(resize_dim, p, "a", 0, 2, 0), Unsafe)


def test_resize_needs_a_positive_extent_that_stays(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[n]
        if n < 1:
            a[0] = 1.0
    """)
    f = refused(resize_dim, p, "a", 0, "n - 1", 0)
    assert isinstance(f, Unsafe) and "positive" in f.message and f.counterexample == {"n": 1}
    assert isinstance(refused(resize_dim, p, "a", 0, "Cfg.n", 0), BadArgument)
    assert isinstance(refused(resize_dim, p, "a", 0, "k", 0), BadArgument)
    assert isinstance(refused(resize_dim, p, "a", 1, 4, 0), BadArgument)


def test_resize_keeps_a_stride_that_is_asked_for(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4, 4]
        a[0, 0] = 1.0
        if stride(a, 0) == 4:
            x[0] = a[0, 0]
    """)
    f = refused(resize_dim, p, "a", 1, 2, 0)
    assert isinstance(f, Unsafe) and "stride" in f.message
    assert "a: f32[2, 4]" in str(resize_dim(p, "a", 0, 2, 0))


def test_resize_under_a_callee_that_takes_a_dense_buffer(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        dense(a)
    """)
    assert isinstance(refused(resize_dim, p, "a", 0, 5, 0), NotApplicable)


# -- resize_dim with folding --------------------------------------------------------------------------

LINE = """
def foo(n: size, x: f32[n + 2], y: f32[n]):
    a: f32[n + 2]
    a[0] = x[0]
    a[1] = x[1]
    for i in seq(0, n):
        {first}
        {second}
"""


def line(first: str, second: str) -> Proc:
    return source(LINE.format(first=first, second=second))


STORE, USE = "a[i + 2] = x[i + 2]", "y[i] = a[i] + a[i + 1] + a[i + 2]"


def test_fold_into_a_ring_that_holds_what_is_still_needed(same: Same, body: Body, refused: Refused) -> None:
    p = line(STORE, USE)
    q = resize_dim(p, "a", 0, 3, 0, fold=True)
    assert "a: f32[3] @ DRAM" in body(q) and "a[(i + 2) % 3] = x[i + 2]" in body(q)
    for n in (1, 2, 5):
        same(p, q, n=n)
    f = refused(resize_dim, p, "a", 0, 2, 0, fold=True)
    assert isinstance(f, Unsafe) and "overwritten in the ring" in f.message
    assert f.counterexample is not None and "a[i + 2]" in f.details


def test_fold_in_the_middle_of_an_iteration(same: Same, refused: Refused) -> None:
    p = line("y[i] = a[i] + a[i + 1]", STORE)
    same(p, resize_dim(p, "a", 0, 2, 0, fold=True), n=4)
    assert isinstance(refused(resize_dim, p, "a", 0, 1, 0, fold=True), Unsafe)


def test_fold_where_each_iteration_computes_its_window_anew(same: Same) -> None:
    p = lift_alloc(REGION, "a")
    q = resize_dim(p, "a", 0, 3, 0, fold=True)
    assert "a[(i + k) % 3] = x[i + k]" in str(q)
    same(p, q, n=5)
    same(p, resize_dim(p, "a", 0, 4, -7, fold=True), n=5)


def test_fold_is_not_stopped_by_another_run_over_the_same_cells(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1], y: f32[n]):
        a: f32[n + 1]
        for j in seq(0, 2):
            a[0] = x[0]
            for i in seq(0, n):
                a[i + 1] = x[i + 1] + a[i]
                y[i] = a[i]
    """)
    same(p, resize_dim(p, "a", 0, 2, 0, fold=True), n=4)


def test_fold_must_not_lose_what_is_read_after_the_loop(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 2], y: f32[n]):
        a: f32[n + 2]
        for i in seq(0, n):
            a[i] = x[i]
            y[i] = a[i]
        y[0] = a[0]
    """)
    f = refused(resize_dim, p, "a", 0, 2, 0, fold=True)
    assert isinstance(f, Unsafe) and f.counterexample is not None


def test_fold_counts_accumulations_as_reads_and_conditional_writes_as_none(refused: Refused, same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        a: f32[n]
        for i in seq(0, n):
            a[i] = 0.0
            for j in seq(0, n):
                a[i] += x[j]
            y[i] = a[i]
    """)
    same(p, resize_dim(p, "a", 0, 1, 0, fold=True), n=3)
    late = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        a: f32[n]
        for i in seq(0, n):
            a[i] = 0.0
        for i in seq(0, n):
            if x[i] < 1.0:
                a[i] = 1.0
            y[i] = a[i]
    """)
    assert isinstance(refused(resize_dim, late, "a", 0, 1, 0, fold=True), Unsafe)


def test_fold_sees_through_windows_and_calls(refused: Refused, same: Same) -> None:
    p = source("""
    def foo(n: size, y: f32[n]):
        a: f32[2 * n]
        for i in seq(0, n):
            fill(a[2 * i:2 * i + 2])
            w = a[2 * i:2 * i + 2]
            y[i] = w[0] + w[1]
    """)
    q = resize_dim(p, "a", 0, 2, 0, fold=True)
    assert "fill(a[0:2])" in str(q) or "a[(2 * i) % 2:(2 * i) % 2 + 2]" in str(q) or "a[2 * i % 2" in str(q)
    same(p, q, n=3)
    f = refused(resize_dim, p, "a", 0, 3, 0, fold=True)
    assert isinstance(f, Unsafe) and "one block of 3" in f.message


def test_fold_must_not_make_iterations_of_a_parallel_loop_meet(refused: Refused) -> None:
    p = parallelize_loop(source("""
    def foo(n: size, x: f32[n]):
        a: f32[n]
        for i in seq(0, n):
            a[i] = x[i]
    """), "i")  # fmt: skip
    f = refused(resize_dim, p, "a", 0, 2, 0, fold=True)
    assert isinstance(f, Unsafe) and "iterations of i" in f.message


def test_fold_sees_parallel_loops_that_write_by_windows(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        v = a[0:2]
        w = a[2:4]
        for i in par(0, 2):
            v[i] = x[0]
            w[1 - i] = x[1]
    """)
    f = refused(resize_dim, p, "a", 0, 2, 0, fold=True)
    assert isinstance(f, Unsafe) and "iterations of i" in f.message and f.details.startswith("afterwards")


def test_fold_must_not_pass_a_slot_to_a_call_twice(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        fill(a[0:2])
        copy(a[0:2], a[2:4])
        x[0] = a[2] + a[3]
    """)
    f = refused(resize_dim, p, "a", 0, 2, 0, fold=True)
    assert isinstance(f, Unsafe) and "copy" in f.message


def test_fold_needs_a_literal_size(refused: Refused) -> None:
    f = refused(resize_dim, line(STORE, USE), "a", 0, "n", 0, fold=True)
    assert isinstance(f, BadArgument) and "literal" in f.message


# -- mult_dim -----------------------------------------------------------------------------------------

PLANE = source("""
def foo(n: size, x: f32[n, 4], y: f32[n]):
    a: f32[n, 4]
    for i in seq(0, n):
        for j in seq(0, 4):
            a[i, j] = x[i, j]
        fill(a[i, 1:3])
        y[i] = a[i, 3]
""")


def test_mult_makes_one_dimension_of_two(same: Same, body: Body, applied: Applied) -> None:
    q, c = applied(mult_op(0, 1), PLANE, PLANE.find_alloc("a"))
    assert body(q).startswith("a: f32[4 * n] @ DRAM")
    assert "a[4 * i + j] = x[i, j]" in body(q)
    assert "fill(a[4 * i + 1:4 * i + 3])" in body(q) and "y[i] = a[4 * i + 3]" in body(q)
    assert c == q.find_alloc("a")
    same(PLANE, q, n=3)


def test_mult_of_dimensions_that_are_apart_or_in_the_other_order(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[4, n, 2]
        for i in seq(0, n):
            a[3, i, 1] = x[i]
            x[i] += a[3, i, 1]
    """)
    assert "a: f32[8, n]" in body(mult_dim(p, "a", 0, 2)) and "a[7, i]" in body(mult_dim(p, "a", 0, 2))
    assert "a: f32[n, 8]" in body(mult_dim(p, "a", 2, 0)) and "a[i, 7]" in body(mult_dim(p, "a", 2, 0))
    for dims in ((0, 2), (2, 0), (0, 1), (1, 2)):
        same(p, mult_dim(p, "a", *dims), n=3)


def test_mult_undoes_divide(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        assert n % 4 == 0
        a: f32[n]
        for i in seq(0, n):
            a[i] = x[i]
            x[i] += a[i]
    """)
    q = divide_dim(p, "a", 0, 4)
    assert "a: f32[n / 4, 4]" in body(q)
    same(p, mult_dim(q, "a", 0, 1), n=8)


def test_mult_by_a_symbolic_extent_needs_literal_indices(refused: Refused, same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[2, n]
        for i in seq(0, n):
            a[0, i] = x[i]
            a[1, i] = a[0, i] * 2.0
            x[i] = a[1, i]
    """)
    q = mult_dim(p, "a", 0, 1)
    assert "a: f32[2 * n]" in str(q) and "a[n + i]" in str(q)
    same(p, q, n=3)
    r = source("""
    def foo(n: size, x: f32[n]):
        a: f32[2, n]
        for i in seq(0, 2):
            for j in seq(0, n):
                a[i, j] = x[j]
    """)
    f = refused(mult_dim, r, "a", 0, 1)
    assert isinstance(f, NotApplicable) and "literal" in f.message
    s = source("""
    def foo(n: size, x: f32[n]):
        a: f32[n, n]
        a[0, 0] = x[0]
    """)
    assert "literal extent" in refused(mult_dim, s, "a", 0, 1).message


WHOLE = """
def foo(x: f32[4]):
    a: f32[{shape}]
    a[0, 0] = 1.0
    {use}
"""


@pytest.mark.parametrize(
    ("shape", "use"), [("4, 2", "fill(a[1:3, 0])"), ("2, 4", "w = a[0:2, 0:4]"), ("4, 2", "w = a[0:4, 0:2]")]
)
def test_mult_must_express_windows(shape: str, use: str, refused: Refused) -> None:
    f = refused(mult_dim, source(WHOLE.format(shape=shape, use=use)), "a", 0, 1)
    assert isinstance(f, NotApplicable) and "window" in f.message


def test_mult_by_one_keeps_windows_of_the_outer_dimension(same: Same) -> None:
    p = source(WHOLE.format(shape="4, 1", use="fill(a[1:3, 0])\n    x[0] = a[2, 0]"))
    q = mult_dim(p, "a", 0, 1)
    assert "fill(a[1:3])" in str(q) and "x[0] = a[2]" in str(q)
    same(p, q)


def test_mult_keeps_strides_that_are_asked_for(refused: Refused) -> None:
    p = source(WHOLE.format(shape="4, 2", use="if stride(a, 1) == 1:\n        row(a[1, 0:2])"))
    assert "stride(a, 0) == 1" in str(mult_dim(p, "a", 0, 1)) and "row(a[2:4])" in str(mult_dim(p, "a", 0, 1))
    q = source(WHOLE.format(shape="4, 2", use="if stride(a, 0) == 2:\n        x[0] = 1.0"))
    f = refused(mult_dim, q, "a", 0, 1)
    assert isinstance(f, Unsafe) and "stride" in f.message


def test_mult_needs_two_dimensions(refused: Refused) -> None:
    for dims in ((0, 0), (0, 2), (-1, 0), (True, 0)):
        assert isinstance(refused(mult_dim, PLANE, "a", *dims), BadArgument)


# -- divide_dim of symbolic extents -------------------------------------------------------------------


def test_divide_a_symbolic_extent_that_the_divisor_divides(same: Same, refused: Refused) -> None:
    text = """
    def foo(n: size, x: f32[2 * n]):
        {known}
        a: f32[{extent}]
        for i in seq(0, 2 * n):
            a[i] = x[i]
            x[i] += a[i]
    """
    even = source(text.format(known="assert n > 0", extent="2 * n"))
    assert "a[i / 2, i % 2] = x[i]" in str(divide_dim(even, "a", 0, 2))
    same(even, divide_dim(even, "a", 0, 2), n=3)
    f = refused(divide_dim, even, "a", 0, 4)
    assert isinstance(f, Unsafe) and "4 divides the extent" in f.message and f.counterexample == {"n": 1}
    known = source(text.format(known="assert n % 2 == 0", extent="2 * n"))
    assert "a: f32[2 * n / 4, 4]" in str(divide_dim(known, "a", 0, 4))
    odd = source(text.format(known="assert n > 0", extent="2 * n + 1"))
    assert isinstance(refused(divide_dim, odd, "a", 0, 2), Unsafe)
