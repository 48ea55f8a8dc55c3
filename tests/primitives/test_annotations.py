"""Memories, precisions, windows, parallel loops and names: what may be declared, and what may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    call_eqv,
    eliminate_dead_code,
    parallelize_loop,
    rename,
    rename_variable,
    set_memory,
    set_precision,
    set_window,
    vectorize_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.memory import DRAM_STACK
from exo_strat.ir.nodes import Instr
from exo_strat.ir.walk import with_child
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import parallelize_loop as parallel_op
from exo_strat.primitives import set_memory as memory_op
from exo_strat.primitives import set_precision as precision_op
from exo_strat.primitives import set_window as window_op
from exo_strat.primitives import vectorize_loop as vectorize_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index


DENSE = proc_from_source("""
def dense(v: f32[4]):
    v[0] = 1.0
""")
ROW = proc_from_source("""
def row(v: [f32][4]):
    assert stride(v, 0) == 1
    v[0] = 1.0
""")
ADD = proc_from_source("""
def add(v: [f32][1], a: f32):
    v[0] += a
""")


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "dense": DENSE, "row": ROW, "add": ADD})


P = source("""
def foo(n: size, x: f32[n + 2], s: f32):
    a: f32[n]
    for i in seq(0, n):
        a[i] = s
        x[i] = a[i]
""")
LOAD = Proc(with_child(P.tree, "instr", Instr("load({x_data});")))


# -- declarations -------------------------------------------------------------------------------------


def test_declarations_change_in_place(applied: Applied) -> None:
    a, x, s = P.find_alloc("a"), P.find_alloc_or_arg("x"), P.find_alloc_or_arg("s")
    q, c = applied(memory_op(DRAM_STACK), P, a)
    assert "a: f32[n] @ DRAM_STACK" in str(q) and c == q.find_alloc("a") == q.forward(a)
    q, c = applied(precision_op("f64"), P, x)
    assert "x: f64[n + 2]" in str(q) and c == q.find_alloc_or_arg("x") == q.forward(x)
    assert q.forward(x.shape()[0]) == c.shape()[0]
    q, c = applied(precision_op("i8"), P, s)
    assert "s: i8 @ DRAM" in str(q) and c == q.forward(s)
    q, c = applied(window_op(), P, x)
    assert "x: [f32][n + 2]" in str(q) and c == q.forward(x) and q.forward(x.shape()[0]) == c.shape()[0]
    assert set_window(q, "x", False) == P


def test_declaring_what_is_declared_changes_nothing() -> None:
    assert set_precision(P, "x", "f32") is P and set_window(P, "x", False) is P
    assert set_memory(P, "a", P.find_alloc("a").node.mem) is P


def test_declarations_of_control_arguments_say_nothing_of_memory(refused: Refused) -> None:
    assert "lives in no memory" in refused(set_memory, P, "n", DRAM_STACK).message
    assert "no precision" in refused(set_precision, P, "n", "f32").message
    assert "only a tensor" in refused(set_window, P, "n").message
    assert "only a tensor" in refused(set_window, P, "s").message
    f = refused(set_precision, P, "x", "f31")
    assert isinstance(f, BadArgument) and "use one of" in f.message
    assert isinstance(refused(set_memory, P, "x", "DRAM"), BadArgument)


@pytest.mark.parametrize(("f", "args"), [(set_memory, (DRAM_STACK,)), (set_precision, ("f64",)), (set_window, ())])
def test_an_instruction_is_what_its_c_text_was_written_for(
    f: Callable[..., Proc], args: tuple[object, ...], refused: Refused
) -> None:
    failure = refused(f, LOAD, "x", *args)
    assert isinstance(failure, NotApplicable) and "C text" in failure.message


def test_other_precisions_compute_something_else(refused: Refused) -> None:
    q = source("""
    def bar(x: f32[6], s: f32):
        add(x[0:1], s)
    """)
    assert "not versions" in refused(call_eqv, q, "add(_)", set_precision(ADD, "v", "f64")).message
    assert call_eqv(q, "add(_)", set_memory(ADD, "v", DRAM_STACK)) != q


# -- set_window ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("callee", ["dense", "row"])
def test_a_window_need_not_have_the_strides_that_a_call_needs(callee: str, refused: Refused) -> None:
    p = source(f"""
    def foo(x: f32[4]):
        {callee}(x)
    """)
    f = refused(set_window, p, "x")
    assert isinstance(f, Unsafe) and "not well-formed" in f.message


def test_a_window_starts_a_class_of_interchangeable_procedures_of_its_own(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[4]):
        if stride(x, 0) == 1:
            x[0] = 1.0
    """)
    short = set_window(eliminate_dead_code(p, "if _: _"), "x")
    both = set_window(p, "x")  # differs from `short` on windows with another stride
    caller = proc_from_source("def bar(y: f32[4, 4]):\n    foo(y[0:4, 0])", {"foo": both})
    assert "not versions" in refused(call_eqv, caller, "foo(_)", short).message


# -- parallelize_loop ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["par", "vec"])
def test_iterations_that_keep_to_themselves_run_in_parallel(
    mode: str, same: Same, body: Body, applied: Applied
) -> None:
    p = source("""
    def foo(n: size, x: f32[2 * n, 2], y: f32[n + 1]):
        for i in seq(0, n):
            a: f32[2]
            w = x[2 * i + 1, 0:2]
            a[0] = y[i] + y[i + 1]
            w[1] = a[0]
            x[2 * i, 1] += w[0]
    """)
    loop = p.find_loop("i")
    q, c = applied(parallel_op(mode), p, loop)
    assert body(q).startswith(f"for i in {mode}(0, n):") and c == q.find_loop("i") == q.forward(loop)
    same(p, q, n=4)
    assert parallelize_loop(q, "i", "seq") == p


CALLEES = {
    "first": proc_from_source("def first(m: size, x: [f32][m], y: [f32][m]):\n    x[0] = y[0]"),
    "all_of": proc_from_source(
        "def all_of(m: size, x: [f32][m], y: [f32][m]):\n    for j in seq(0, m):\n        x[j] = y[j]"
    ),
}


def calls(stmt: str) -> Proc:
    """A loop over calls."""
    text = f"def foo(n: size, x: f32[2 * n + 1], y: f32[2 * n + 1]):\n    for i in seq(0, n):\n        {stmt}"
    return proc_from_source(text, CALLEES)


@pytest.mark.parametrize(
    "stmt",
    [
        "all_of(2, x[2 * i:2 * i + 2], y[2 * i:2 * i + 2])",
        "first(3, x[2 * i:2 * i + 3], y[2 * i:2 * i + 3])",
    ],
    ids=["windows apart", "windows that overlap, and are not all written"],
)
def test_calls_that_write_apart_run_in_parallel(stmt: str, same: Same) -> None:
    p = calls(stmt)
    same(p, parallelize_loop(p, "i"), n=4)


@pytest.mark.parametrize(
    "stmt", ["all_of(3, x[2 * i:2 * i + 3], y[2 * i:2 * i + 3])", "first(2, x[0:2], y[2 * i:2 * i + 2])"]
)
def test_calls_that_write_one_place_race(stmt: str, refused: Refused) -> None:
    failure = refused(parallelize_loop, calls(stmt), "i")
    assert isinstance(failure, Unsafe) and failure.counterexample is not None


@pytest.mark.parametrize(
    ("stmt", "distance"),
    [("x[i] = x[i + 1]", 1), ("x[i / 2] = 1.0", 1), ("x[i % 3] = 1.0", 3), ("x[0] += y[i]", None)],
)
def test_iterations_that_meet_race(stmt: str, distance: int | None, refused: Refused) -> None:
    p = source(f"""
    def foo(n: size, x: f32[n + 3], y: f32[n]):
        for i in seq(0, n):
            {stmt}
    """)
    f = refused(parallelize_loop, p, "i")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    apart = abs(f.counterexample["i"] - f.counterexample["i'"])
    assert apart % distance == 0 if distance else apart


@pytest.mark.parametrize(
    "stmt",
    [
        "Cfg.n = 3",
        "t = y[i]\n            y[i] = t",
        "w = x[0:1]\n            w[0] = y[i]",
        "add(x[0:1], y[i])",
        "if x[0] < 1.0:\n                x[i] = 2.0",
        "for k in seq(0, i):\n                x[k] = 1.0",
    ],
)
def test_races_hide_in_shared_scratch_windows_calls_conditions_and_config_fields(stmt: str, refused: Refused) -> None:
    p = source(f"""
    def foo(n: size, x: f32[n], y: f32[n]):
        t: f32
        for i in seq(0, n):
            {stmt}
    """)
    assert isinstance(refused(parallelize_loop, p, "i"), Unsafe)


def test_modes_have_names(refused: Refused) -> None:
    f = refused(parallelize_loop, P, "i", "omp")
    assert isinstance(f, BadArgument) and "seq, par, vec" in f.message


# -- vectorize_loop -----------------------------------------------------------------------------------


def test_lanes_touch_nothing_of_each_other(applied: Applied, same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 1, 2], y: f32[2 * n]):
        for i in seq(-1, n):
            t: f32
            t = y[(i + 1) / 2]
            w = x[i + 1, 0:2]
            w[1] += t
            w[0] = 2.0 * w[1]
    """)
    loop = p.find_loop("i")
    q, c = applied(vectorize_op(), p, loop)
    assert body(q).startswith("for i in vec(-1, n):") and c == q.find_loop("i") == q.forward(loop)
    same(p, q, n=3)
    assert parallelize_loop(q, "i", "seq") == p


@pytest.mark.parametrize(
    "stmt", ["x[i] = x[i + 1]", "x[0] += y[i]", "t = y[i]\n            y[i] = t", "Cfg.n = 3", "x[i / 2] = 1.0"]
)
def test_lanes_that_meet(stmt: str, refused: Refused) -> None:
    p = source(f"""
    def foo(n: size, x: f32[n + 3], y: f32[n]):
        t: f32
        for i in seq(0, n):
            {stmt}
    """)
    f = refused(vectorize_loop, p, "i")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    assert f.counterexample["i"] != f.counterexample["i'"]


# -- rename -------------------------------------------------------------------------------------------


def test_rename_changes_the_name_only(refused: Refused) -> None:
    q = rename(P, "bar")
    assert str(q) == str(P).replace("foo", "bar") and q.forward(P.find_loop("i")) == q.find_loop("i")
    assert isinstance(refused(rename, P, "not a name"), BadArgument)


def test_a_variable_gets_another_name_wherever_it_is_used(same: Same) -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(0, n):
        a: f32[2]
        w = a[0:1]
        for i in seq(0, 1):
            w[i] = x[i]
        x[i] = a[0]
""")
    inner, alloc, view = p.find_loop("i #1"), p.find_alloc("a"), p.find("w = _")
    q = rename_variable(rename_variable(rename_variable(p, inner, "k"), alloc, "b"), view, "v")
    assert "v = b[0:1]" in str(q) and "v[k] = x[k]" in str(q) and "x[i] = b[0]" in str(q)
    assert str(q.forward(p.find("x[_] = _"))).count("-->") == 1
    assert rename_variable(q, "k", "k") is q
    same(p, q, n=3)


def test_of_two_variables_of_one_name_the_inner_one_prints_with_a_number() -> None:
    p = source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 1.0")
    q = rename_variable(p, "i", "n")
    assert "for n_1 in seq(0, n)" in str(q) and "x[n_1]" in str(q)
