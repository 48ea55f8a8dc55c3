"""Staging: what is copied in and out, when, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from returns.result import Success

from backends.c import compile
from exo_strat.cursors.cursor import BlockCursor, Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import bind_expr, stage_mem
from exo_strat.frontend.checks import check
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, SchedulingError, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import bind_expr as bind_op
from exo_strat.primitives import stage_mem as stage_op

Same = Callable[..., None]


@config
class Cfg:
    n: index
    scale: f64


def body(p: Proc) -> str:
    """The lines below the signature and the assertions."""
    check(p.tree)
    return "\n".join(line[4:] for line in str(p).splitlines()[1:] if "assert" not in line)


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


READS = proc_from_source("""
def reads(s: f32, w: [f32][2]):
    w[0] = s
""")
WRITES = proc_from_source("""
def writes(s: f32):
    s = 1.0
""")
ROW = proc_from_source("""
def row(w: [f32][4]):
    assert stride(w, 0) == 1
    for q in seq(0, 4):
        w[q] = 2.0
""")
DENSE = proc_from_source("""
def dense(w: f32[4]):
    for q in seq(0, 4):
        w[q] += 2.0
""")
ENV = {"reads": READS, "writes": WRITES, "row": ROW, "dense": DENSE, "Cfg": Cfg}


def source(text: str) -> Proc:
    return proc_from_source(text, ENV)


# -- bind_expr ----------------------------------------------------------------------------------------


def test_bind_one_place(same: Same) -> None:
    p = source("""
    def foo(x: f64[4], y: f64[4]):
        y[1] = x[0] * x[0] + 1.0
    """)
    store, first = p.find("y[_] = _"), p.find("x[0]")
    q, c = result(bind_op("a"), p, first)
    assert body(q) == "a: f64 @ DRAM\na = x[0]\ny[1] = a * x[0] + 1.0"
    assert c == q.find("a = _")
    assert q.forward(store) == q.find("y[_] = _") and q.forward(first) == q.find("y[_] = _").rhs().lhs().lhs()
    same(p, q)


def test_bind_all_places_until_an_operand_changes(same: Same) -> None:
    p = source("""
    def foo(x: f32[4], y: f32[4]):
        y[0] = x[0] * x[0]
        for i in seq(0, 4):
            y[i] += x[0]
        x[0] = x[0] + 2.0
        y[1] = x[0]
    """)
    q = bind_expr(p, "x[0]", "a", cse=True)
    assert body(q).splitlines()[2:] == [
        "y[0] = a * a", "for i in seq(0, 4):", "    y[i] += a", "x[0] = a + 2.0", "y[1] = x[0]"
    ]  # fmt: skip
    same(p, q)


def test_bind_values_that_are_equal_though_spelled_otherwise(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[2 * n], y: f32[n]):
        w = x[1:2 * n]
        for i in seq(1, n):
            y[i] = x[i] * 2.0 + y[0]
            y[i] += - -(y[0] + 2.0 * w[i - 1])
            for k in seq(i, i + 1):
                y[i] += x[(2 * i + 1) / 2] * 2.0 + y[i - k] + x[i] * 3.0
    """)
    q = bind_expr(p, p.find("x[_] * 2.0"), "a", cse=True)
    assert body(q).splitlines()[3:] == [
        "    a = x[i] * 2.0", "    y[i] = a + y[0]", "    y[i] += --(y[0] + a)",
        "    for k in seq(i, i + 1):", "        y[i] += a + y[i - k] + x[i] * 3.0",
    ]  # fmt: skip
    same(p, q, n=3)


@pytest.mark.parametrize("change", ["w[0] = 3.0", "writes(x[0])", "for i in seq(0, 4):\n            x[i] += x[0]"])
def test_bind_stops_where_an_alias_a_call_or_a_loop_changes_an_operand(change: str, same: Same) -> None:
    p = source(f"""
    def foo(x: f32[4], y: f32[4]):
        w = x[0:4]
        y[0] = x[0]
        {change}
        y[1] = x[0]
    """)
    q = bind_expr(p, "x[0]", "a", cse=True)
    assert "y[0] = a\n" in body(q) and "y[1] = x[0]" in body(q)
    same(p, q)


def test_bind_stops_where_a_config_field_is_written(same: Same) -> None:
    p = source("""
    def foo(x: f64[4]):
        Cfg.scale = 3.0
        x[0] = Cfg.scale
        x[1] = Cfg.scale
        Cfg.scale = Cfg.scale * 2.0
        x[2] = Cfg.scale
    """)
    q = bind_expr(p, p.find("x[0] = _").rhs(), "a", cse=True)
    assert body(q).splitlines()[3:] == ["x[0] = a", "x[1] = a", "Cfg.scale = a * 2.0", "x[2] = Cfg.scale"]
    same(p, q)


def test_bind_in_a_condition_whose_branch_changes_the_operand(same: Same) -> None:
    p = source("""
    def foo(x: f32[4]):
        if x[0] < 3.0 and x[1] > 0.0:
            x[0] = x[0] + 1.0
    """)
    q = bind_expr(p, "x[0]", "a", cse=True)
    assert body(q).endswith("a = x[0]\nif a < 3.0 and x[1] > 0.0:\n    x[0] = x[0] + 1.0")
    same(p, q)
    f = refused(bind_expr, p, "x[1]", "a")
    assert isinstance(f, NotApplicable) and "second part" in f.message


def test_bind_arguments_that_are_only_read(same: Same) -> None:
    p = source("""
    def foo(x: f32[4]):
        reads(x[3], x[0:2])
        reads(x[2] * 2.0, x[0:2])
        writes(x[1])
    """)
    q = bind_expr(bind_expr(p, "x[3]", "a"), "x[2]", "c")
    assert "reads(a, x[0:2])" in body(q) and "reads(c * 2.0, x[0:2])" in body(q)
    same(p, q)
    for place in ("x[1]", "x[0:2]"):
        assert isinstance(refused(bind_expr, p, place, "a"), NotApplicable)


def test_bind_takes_the_precision_of_what_is_read_or_of_the_context() -> None:
    p = source("""
    def foo(x: f64[4], y: i8[4], z: f32[4]):
        x[0] = 0.5
        x[1] = x[2] * 1.5
        z[0] = Cfg.scale
        z[1] = -y[0]
    """)
    for pattern, t in (("0.5", "f64"), ("1.5", "f64"), ("Cfg.scale", "f64"), ("-y[_]", "i8")):
        assert f"a: {t} @ DRAM" in body(bind_expr(p, pattern, "a"))


@pytest.mark.parametrize("t", ["f64", "f16", "bf16", "i32"])
def test_what_a_call_takes_at_another_precision_is_converted_as_before(t: str, same: Same) -> None:
    """A call takes an expression at its own precision, but a buffer only if it is of that."""
    lines = f"def foo(r: {t}, w: f32[2]):\n    for i in seq(0, 2):\n        reads(r if i < 1 else 2.0, w[0:2])"
    p = proc_from_source(lines, {"reads": READS})
    q = bind_expr(p, p.find("reads(_)").args()[0], "a")
    assert f"a: {t} @ DRAM" in body(q) and "reads(f32(a), w[0:2])" in body(q)
    same(p, q)
    compile((q,), "foo")


def test_bind_refuses_control_and_windows() -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        w = x[0:n]
        for i in seq(0, n):
            w[i] = 1.0
    """)
    for place in (p.find_loop("i").hi(), p.find("w[_] = _").idx()[0], p.find("x[_]")):
        assert isinstance(refused(bind_expr, p, place, "a"), NotApplicable)


# -- stage_mem: copies --------------------------------------------------------------------------------


def test_stage_the_example_of_the_paper(same: Same) -> None:
    p = source("""
    def foo(n: size, j: size, a: f32[n, n]):
        assert j < n
        for i in seq(0, n - 1):
            a[i, j] = a[i + 1, j - 1]
    """)
    loop = p.find_loop("i")
    q, c = result(stage_op("a[0:n, j-1:j+1]", "tmp"), p, loop)
    assert "tmp: f32[n, 2] @ DRAM" in body(q)
    assert "        tmp[i0, i1] = a[i0, j - 1 + i1]" in body(q)
    assert "    tmp[i, 1] = tmp[i + 1, 0]" in body(q)
    assert body(q).splitlines()[-1] == "        a[i0, j - 1 + i1] = tmp[i0, i1]"
    assert isinstance(c, BlockCursor) and list(c) == [q.forward(loop)]
    assert q.forward(p.find("a[_] = _")) == q.find("tmp[i, _] = _")
    same(p, q, n=4, j=2)


TILE = source("""
def foo(n: size, a: f32[n, 16], b: f32[16, 16], c: f32[n, 16]):
    assert n % 4 == 0
    for io in seq(0, n / 4):
        for k in seq(0, 16):
            for ii in seq(0, 4):
                for j in seq(0, 16):
                    c[4 * io + ii, j] += a[4 * io + ii, k] * b[k, j]
""")


def test_stage_a_tile_that_is_accumulated_into(same: Same) -> None:
    q = stage_mem(TILE, "for k in _: _", "c[4 * io:4 * io + 4, 0:16]", "acc")
    assert body(q).count("for i0 in") == 2
    assert "acc[ii, j] += a[4 * io + ii, k] * b[k, j]" in body(q)
    same(TILE, q, n=4)
    r = stage_mem(TILE, "for k in _: _", "c[4 * io:4 * io + 4, 0:16]", "acc", accum=True)
    assert "            acc[i0, i1] = 0.0" in body(r) and "c[4 * io + i0, i1] += acc[i0, i1]" in body(r)
    same(TILE, r, n=4)


def test_stage_what_is_only_read_without_a_store(same: Same) -> None:
    q = stage_mem(TILE, "for ii in _: _", "a[4 * io:4 * io + 4, k]", "col")
    assert "col[i0] = a[4 * io + i0, k]" in body(q) and "a[4 * io + i0, k] =" not in body(q)
    same(TILE, q, n=4)


def test_stage_what_is_written_first_without_a_load(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n, 4], y: f32[n]):
        for i in seq(0, n):
            y[i] = 0.0
            for k in seq(0, 4):
                y[i] += x[i, k]
    """)
    block = p.find_loop("i").body()
    q, c = result(stage_op("y[i]", "t"), p, block)
    assert body(q).splitlines()[1:] == [
        "    t: f32 @ DRAM", "    t = 0.0", "    for k in seq(0, 4):", "        t += x[i, k]", "    y[i] = t"
    ]  # fmt: skip
    assert c == q.forward(block)
    same(p, q, n=3)


@pytest.mark.parametrize("write", ["if n > 2:\n                x[i] = 1.0", "if i > 0:\n                x[i] = 1.0"])
def test_stage_loads_what_is_only_conditionally_written(write: str, same: Same) -> None:
    p = source(f"""
    def foo(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            {write}
    """)
    q = stage_mem(p, "for i in _: _", "x[0:n]", "t")
    assert "    t[i0] = x[i0]" in body(q)
    for n in (1, 2, 3):
        same(p, q, n=n)


def test_stage_scalars_conditions_and_externs(same: Same) -> None:
    p = source("""
    def foo(x: f32[4]):
        s: f32
        s = x[0]
        if s < 3.0:
            x[1] = relu(s)
            s = 2.0
        x[2] = s
    """)
    q = stage_mem(p, "if _: _", "s", "t")
    assert "t = s\nif t < 3.0:\n    x[1] = relu(t)\n    t = 2.0\ns = t" in body(q)
    same(p, q)


# -- stage_mem: windows and calls ---------------------------------------------------------------------


def test_stage_redirects_windows_and_calls(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n, 8], y: f32[8]):
        for i in seq(0, n):
            row(x[i, 4:8])
            w = x[i, 5:7]
            w[0] = 3.0
            writes(x[i, 6])
            y[0] = w[1]
    """)
    q = stage_mem(p, p.find_loop("i").body(), "x[i, 4:8]", "t")
    for line in ("row(t[0:4])", "w = t[1:3]", "writes(t[2])", "t: f32[4] @ DRAM", "x[i, 4 + i0] = t[i0]"):
        assert line in body(q)
    assert "t[i0] = x" not in body(q)
    same(p, q, n=2)


def test_stage_a_whole_buffer_for_a_callee_that_takes_it_dense(same: Same) -> None:
    p = source("""
    def foo(x: f32[4], y: f32[6]):
        dense(x)
    """)
    q = stage_mem(p, "dense(_)", "x", "t")
    assert "dense(t)" in body(q)
    same(p, q)


def test_stage_refuses_another_name_for_the_buffer() -> None:
    p = source("""
    def foo(x: f32[4], y: f32[4]):
        w = x[0:4]
        x[0] = 1.0
        y[0] = w[0]
        y[1] = w[1]
    """)
    f = refused(stage_mem, p, p.body()[1].expand(0, 1), "x", "t")
    assert isinstance(f, NotApplicable) and "window w" in f.message
    assert "stage the buffer" in refused(stage_mem, p, p.body()[2], "w", "t").message
    f = refused(stage_mem, p, p.body()[0].expand(0, 2), "x", "t")
    assert isinstance(f, NotApplicable) and "used after" in f.message
    assert body(stage_mem(p, p.body(), "x", "t")).splitlines()[3] == "w = t[0:4]"


def test_stage_refuses_a_window_wider_than_what_is_staged() -> None:
    p = source("""
    def foo(x: f32[4], y: f32[4]):
        w = x[0:4]
        y[0] = w[0]
    """)
    f = refused(stage_mem, p, p.body(), "x[0:1]", "t")
    assert isinstance(f, Unsafe) and "every window" in f.message


def test_stage_refuses_a_stride_that_a_callee_asks_for_and_keeps_the_value_of_others(same: Same) -> None:
    p = source("""
    def foo(x: f32[4, 8], y: f32[4]):
        for i in seq(0, 4):
            w = x[0:4, i]
            if stride(w, 0) == 8:
                y[0] = w[0]
            if stride(x, 0) == 8:
                y[1] = x[1, i]
    """)
    f = refused(stage_mem, p, p.find_loop("i").body(), "x[0:4, i]", "t")
    assert isinstance(f, Unsafe) and "stride" in f.message
    q = stage_mem(p, "if stride(x, _) == 8: _", "x[0:4, i]", "t")
    assert "if stride(x, 0) == 8:\n        y[1] = t[1]" in body(q)
    same(p, q)


# -- stage_mem: refusals ------------------------------------------------------------------------------

COPY = source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[n - 1 - i]
""")


@pytest.mark.parametrize(
    ("window", "because"),
    [
        ("x[1:n]", "not empty"),
        ("x[0:n + 1]", "lies within"),
        ("x[-1:n]", "lies within"),
        ("x[0:0]", "not empty"),
        ("x[0:1]", "inside the window"),
        ("y[0]", "inside the window"),
    ],
)
def test_stage_needs_a_window_around_the_accesses_and_in_the_buffer(window: str, because: str) -> None:
    f = refused(stage_mem, COPY, "for i in _: _", window, "t")
    assert isinstance(f, Unsafe) and because in f.message
    assert f.counterexample is not None or window == "x[0:0]"


def test_stage_needs_the_window_in_bounds_even_where_the_block_would_not_touch_it() -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            if i + 1 < n:
                y[i] = x[i + 1]
    """)
    assert isinstance(refused(stage_mem, p, "if _: _", "x[i + 1]", "t"), Unsafe)
    assert "t = x[i + 1]" in body(stage_mem(p, "y[_] = _", "x[i + 1]", "t"))


def test_stage_does_not_load_what_was_never_written(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32[n]
        for i in seq(0, n):
            if i == 0:
                a[i] = 1.0
        for i in seq(0, n):
            a[i] = 2.0
        for i in seq(0, n):
            if i == 0:
                a[i] = x[i]
    """)
    f = refused(stage_mem, p, p.body()[1], "a", "t")
    assert isinstance(f, Unsafe) and "surely written" in f.message
    loaded, written_first = stage_mem(p, p.body()[3], "a", "t"), stage_mem(p, p.body()[2], "a", "t")
    assert "    t[i0] = a[i0]" in body(loaded) and "= a[i0]" not in body(written_first)
    same(p, loaded, n=3)
    same(p, written_first, n=3)


def test_stage_does_not_load_what_only_earlier_iterations_wrote() -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            if i > 0:
                x[i] = a
            a = x[i]
    """)
    f = refused(stage_mem, p, "if _: _", "a", "t")
    assert isinstance(f, Unsafe) and f.counterexample is not None and f.counterexample["i"] == 0
    assert "        t = a" in body(stage_mem(p, "x[_] = _", "a", "t"))


def test_stage_must_not_make_a_parallel_loop_race() -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        for i in par(0, n):
            x[i] = 1.0
    """)
    f = refused(stage_mem, p, "x[_] = _", "x[0:n]", "t")
    assert isinstance(f, Unsafe) and "in the new code, for instance with n = 2" in f.details
    assert "x[i] = t" in body(stage_mem(p, "x[_] = _", "x[i]", "t"))


def test_stage_accum_needs_nothing_but_accumulation() -> None:
    p = source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            y[0] += x[i]
            x[i] += y[0]
    """)
    for window in ("y[0]", "x[0:n]"):
        assert isinstance(refused(stage_mem, p, "for i in _: _", window, "t", accum=True), NotApplicable)


def test_stage_needs_to_know_where_accesses_are() -> None:
    p = source("""
    def foo(x: f32[8]):
        x[Cfg.n % 4] = 1.0
    """)
    f = refused(stage_mem, p, p.body()[0], "x[0:3]", "t")
    assert isinstance(f, Unsafe) and "x[Cfg.n % 4]" in f.details


@pytest.mark.parametrize("known", ["if Cfg.n == 0:", "Cfg.n = 0\n        for i in seq(0, 1):"])
def test_what_config_fields_hold_bounds_a_place(known: str, same: Same) -> None:
    p = source(f"""
    def foo(x: f32[4]):
        {known}
            x[0] = x[Cfg.n % 2]
    """)
    q = stage_mem(p, p.find("x[0] = _"), "x[0:1]", "t")
    assert "t[0] = t[Cfg.n % 2]" in str(q)
    same(p, q, {"Cfg.n": 0})


# -- a view -------------------------------------------------------------------------------------------

VIEWED = """
def foo(n: size, x: f32[n, 8], b: f32[8]):
    w = x.view(8 * n)
    for k in seq(0, 8):
        w[k] += b[k]
    x[0, 0] = 1.0
"""


def test_a_view_is_staged_as_a_buffer(same: Same) -> None:
    p = proc_from_source(VIEWED)
    q = stage_mem(p, "w[_] += _", "w[k]", "t")
    assert "t = w[k]" in str(q) and "w[k] = t" in str(q)
    same(p, q, n=2)
    part = stage_mem(p, "for k in _: _", "w[0:8]", "t", accum=True)
    assert "w[i0] += t[i0]" in str(part)
    same(p, part, n=2)


def test_a_view_is_not_staged_where_its_buffer_is_used() -> None:
    p = proc_from_source(VIEWED)
    assert "the block also uses x, of which w is a view" in str(refused(stage_mem, p, p.body()[1:], "w[0:8]", "t"))


@pytest.mark.parametrize(("before", "ready"), [("x[i, j] = 2.0", True), ("y[0] = 2.0", False)])
def test_what_is_loaded_of_a_view_was_written(before: str, ready: bool) -> None:
    p = proc_from_source(f"""
def foo(n: size, y: f32[4]):
    x: f32[n, 8]
    for i in seq(0, n):
        for j in seq(0, 8):
            {before}
    w = x.view(8 * n)
    for k in seq(0, 4):
        if y[k] > 0.0:
            w[k] = y[k]
""")
    assert isinstance(stage_op("w[0:4]", "t")(p, p.find_loop("k")), Success) == ready


def test_a_window_that_is_too_large_is_told_with_its_dimension() -> None:
    p = proc_from_source("""
def foo(n: size, a: f32[n, n]):
    for i in seq(0, n):
        a[i, 0] = 0.0
""")
    with pytest.raises(SchedulingError, match=r"within a in dimension 1: 0:n \+ 1, where the extent is n\n"):
        stage_mem(p, p.find_loop("i"), "a[0:n, 0:n + 1]", "t")
