"""The dimensions of buffers: each primitive accepted and refused, with windows, calls and strides."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from returns.result import Success

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import divide_dim, expand_dim, lift_alloc, rearrange_dim
from exo_strat.frontend.checks import check
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir import build as b
from exo_strat.ir.nodes import ReadConfig
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, SchedulingError, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import expand_dim as expand_op
from exo_strat.primitives import rearrange_dim as rearrange_op

Same = Callable[..., None]


@config
class Cfg:
    n: index


def body(p: Proc) -> str:
    """The lines below the signature."""
    check(p.tree)
    return "\n".join(line[4:] for line in str(p).splitlines()[1:])


def refused(f: Callable[..., Proc], p: Proc, *args: object) -> Failure:
    before = str(p)
    with pytest.raises(SchedulingError) as e:
        f(p, *args)
    assert str(p) == before
    return e.value.failure


def result(op: Op, p: Proc, c: Cursor) -> tuple[Proc, Cursor]:
    before = str(p)
    outcome = op(p, c)
    assert isinstance(outcome, Success), str(outcome.failure())
    assert str(p) == before
    return outcome.unwrap()


FILL = proc_from_source("""
def fill(w: [f32][4]):
    for q in seq(0, 4):
        w[q] = 2.0
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
        w[q] = 2.0
""")
ENV = {"fill": FILL, "row": ROW, "dense": DENSE, "Cfg": Cfg}


def source(text: str) -> Proc:
    return proc_from_source(text, ENV)


# -- expand_dim ---------------------------------------------------------------------------------------


def test_expand_by_an_enclosing_iterator_so_that_the_buffer_can_be_lifted(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32
            a = x[i]
            x[i] += a * a
    """)
    store = p.find("a = _")
    q, c = result(expand_op("n", "i"), p, p.find_alloc("a"))
    assert body(q) == ("for i in seq(0, n):\n    a: f32[n] @ DRAM\n    a[i] = x[i]\n    x[i] += a[i] * a[i]")
    assert c == q.find_alloc("a") and q.forward(store) == q.find("a[_] = _")
    same(p, q, n=3)
    same(p, lift_alloc(q, "a"), n=3)


def test_expand_keeps_cursors_to_the_old_indices_and_extents() -> None:
    p = source("""
    def foo(x: f32[4]):
        for i in seq(0, 4):
            a: f32[4]
            a[3 - i] = x[i]
    """)
    old_index, old_extent = p.find("a[_] = _").idx()[0], p.find_alloc("a").shape()[0]
    q = expand_dim(p, "a", 8, "i + 1")
    assert "a[i + 1, 3 - i] = x[i]" in str(q)
    assert q.forward(old_index).node is old_index.node
    assert q.forward(old_extent).node is old_extent.node


def test_expand_reaches_windows_calls_and_strides(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[4]):
        for i in seq(0, n):
            a: f32[4]
            fill(a)
            fill(a[0:4])
            w = a[1:3]
            w[0] = 3.0
            if stride(a, 0) == 1:
                x[0] = w[0] + w[1]
    """)
    q = expand_dim(p, "a", "n", "i")
    for line in ("fill(a[i, 0:4])", "w = a[i, 1:3]", "if stride(a, 1) == 1:", "a: f32[n, 4]"):
        assert line in body(q)
    same(p, q, n=2)


def test_expand_by_an_iterator_inside_the_buffers_life(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            a = x[i]
            x[i] = a + 1.0
    """)
    q = expand_dim(p, "a", "n", "i")
    assert "a[i] = x[i]" in body(q)
    same(p, q, n=3)


def test_expand_must_not_part_a_read_from_what_it_reads() -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            if i == 0:
                a = x[i]
            x[i] = a + 1.0
    """)
    f = refused(expand_dim, p, "a", "n", "i")
    assert isinstance(f, Unsafe) and f.counterexample is not None and f.counterexample["i"] > 0


def test_expand_needs_one_meaning_of_the_index() -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        for i in seq(0, n):
            a = x[i]
            x[i] = a
        for i in seq(0, n):
            a = x[i]
    """)
    f = refused(expand_dim, p, "a", "n", "i")
    assert isinstance(f, NotApplicable) and "not in scope" in f.message
    assert isinstance(refused(expand_dim, p, "a", "n", "nowhere"), BadArgument)


@pytest.mark.parametrize(("size", "index"), [("n - 1", "0"), ("0", "0"), ("n", "i + 1"), ("n", "i - 1"), ("2", "i")])
def test_expand_checks_extent_and_index(size: str, index: str) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(0, n):
            a: f32
            a = x[i]
    """)
    f = refused(expand_dim, p, "a", size, index)
    assert isinstance(f, Unsafe) and (f.counterexample is not None or size == "0")


@pytest.mark.parametrize(("size", "index"), [("b", "0"), ("4", "b"), ("4", "n < 3"), ("4", "x[0]"), ("i", "0")])
def test_expand_takes_integers_in_scope(size: str, index: str) -> None:
    p = source("""
    def foo(n: size, b: bool, x: f32[n]):
        a: f32
        for i in seq(0, n):
            a = x[i]
    """)
    assert isinstance(refused(expand_dim, p, "a", size, index), BadArgument)


def test_expand_by_config_fields_only_while_they_stay() -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        a: f32
        Cfg.n = n
        a = x[0]
        b: f32
        b = x[0]
    """)
    field = b.mod(ReadConfig(Cfg, "n"), 4)
    assert isinstance(refused(expand_dim, p, "a", b.add(field, b.ONE), field), Unsafe)
    assert isinstance(refused(expand_dim, p, "a", 4, field), Unsafe)
    assert "b[Cfg.n % 4] = x[0]" in body(expand_dim(p, "b", 4, field))


# -- rearrange_dim ------------------------------------------------------------------------------------


def test_rearrange_permutes_extents_indices_and_windows(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[8]):
        a: f32[2, 4, 8]
        for i in seq(0, 4):
            for j in seq(0, 8):
                a[1, i, j] = x[j]
        fill(a[1, 0:4, 3])
        x[0] = a[1, 2, 3] + a[1, 2, 4]
    """)
    first = p.find("a[_] = _").idx()[0]
    q, c = result(rearrange_op([2, 0, 1]), p, p.find_alloc("a"))
    for line in ("a: f32[8, 2, 4]", "a[j, 1, i] = x[j]", "fill(a[3, 1, 0:4])", "a[3, 1, 2] + a[4, 1, 2]"):
        assert line in body(q)
    assert c == q.find_alloc("a")
    assert q.forward(first).node is first.node and q.forward(first).path[-1] == ("idx", 1)
    same(p, q, n=1)
    assert rearrange_dim(q, "a", [1, 2, 0]) == p


def test_rearrange_by_the_identity_is_the_same_version() -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4, 4]
        dense(x)
        a[0, 1] = x[0]
    """)
    assert rearrange_dim(p, "a", [0, 1]) is p


def test_rearrange_must_not_turn_a_window_around() -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4, 4]
        w = a[0:2, 0:2]
        w[0, 1] = 1.0
    """)
    f = refused(rearrange_dim, p, "a", [1, 0])
    assert isinstance(f, NotApplicable) and "cannot be expressed" in f.message


@pytest.mark.parametrize(
    "use", ["row(a[0, 0:4])", "w = a[0, 0:4]\n        row(w)", "w = a[0, 0:4]\n        row(w[0:4])"]
)
def test_rearrange_must_not_change_a_stride_that_a_callee_asks_for(use: str) -> None:
    p = source(f"""
    def foo(x: f32[4]):
        a: f32[8, 4]
        {use}
        x[0] = a[0, 0]
    """)
    f = refused(rearrange_dim, p, "a", [1, 0])
    assert isinstance(f, Unsafe) and "stride" in f.message


def test_rearrange_must_not_change_the_value_of_a_stride() -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[2, 4]
        b: f32[4, 4]
        if stride(a, 0) == 4:
            x[0] = 1.0
        if stride(b, 0) == 4:
            x[0] = 1.0
    """)
    assert isinstance(refused(rearrange_dim, p, "a", [1, 0]), Unsafe)
    assert isinstance(refused(rearrange_dim, p, "b", [1, 0]), Unsafe)


@pytest.mark.parametrize("perm", [[0], [0, 0], [0, 2], [1, 2], ["a", 0], [0.5, 1], 3, "10"])
def test_rearrange_takes_a_permutation(perm: object) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[2, 4]
        a[0, 0] = x[0]
    """)
    assert isinstance(refused(rearrange_dim, p, "a", perm), BadArgument)


# -- divide_dim ---------------------------------------------------------------------------------------


def test_divide_splits_indices_into_block_and_place(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[12]):
        a: f32[2, 12]
        for i in seq(0, 3):
            for j in seq(0, 4):
                a[1, 4 * i + j] = x[4 * i + j]
            row(a[0, 4 * i:4 * i + 4])
            w = a[0, 4 * i + 1:4 * i + 3]
            x[4 * i] = a[1, 4 * i + 3] + a[0, 4 * i] + w[1]
    """)
    q = divide_dim(p, "a", 1, 4)
    assert "a: f32[2, 3, 4] @ DRAM" in body(q)
    assert "a[1, (4 * i + j) / 4, (4 * i + j) % 4] = x[4 * i + j]" in body(q)
    same(p, q, n=1)


def test_divide_a_symbolic_extent(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        assert n % 4 == 0
        a: f32[n]
        for i in seq(0, n):
            a[i] = x[i]
            x[i] = a[i] + 1.0
    """)
    q = divide_dim(p, "a", 0, 4)
    assert "a: f32[n / 4, 4] @ DRAM" in body(q)
    same(p, q, n=8)
    assert isinstance(refused(divide_dim, p, "a", 0, 3), Unsafe)


def test_divide_maps_strides(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[12]):
        a: f32[2, 12, 5]
        if stride(a, 0) == 60 and stride(a, 1) == 5 and stride(a, 2) == 1:
            x[0] = 1.0
    """)
    q = divide_dim(p, "a", 1, 4)
    assert "stride(a, 0) == 60 and stride(a, 2) == 5 and stride(a, 3) == 1" in body(q)
    same(p, q, n=1)


@pytest.mark.parametrize("window", ["2:6", "i:i + 2", "0:8", "n:n"])
def test_divide_needs_windows_within_a_block(window: str) -> None:
    p = source(f"""
    def foo(n: size, x: f32[12]):
        assert n < 8
        a: f32[12]
        for i in seq(0, 8):
            w = a[{window}]
            x[i] = 1.0
    """)
    assert isinstance(refused(divide_dim, p, "a", 0, 4), Unsafe)


def test_divide_refuses_a_whole_buffer_that_a_callee_takes_as_it_is() -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        dense(a)
        x[0] = a[0]
    """)
    assert isinstance(refused(divide_dim, p, "a", 0, 4), NotApplicable)
    assert isinstance(refused(divide_dim, p, "a", 0, 2), Unsafe)
    assert isinstance(refused(expand_dim, p, "a", 4, "0"), NotApplicable)


@pytest.mark.parametrize(("dim", "c"), [(1, 2), (-1, 2), ("x", 2), (0, 0), (0, -2), (0, "n")])
def test_divide_takes_a_dimension_and_a_factor(dim: object, c: object) -> None:
    p = source("""
    def foo(x: f32[4]):
        a: f32[4]
        a[0] = x[0]
    """)
    assert isinstance(refused(divide_dim, p, "a", dim, c), BadArgument)
