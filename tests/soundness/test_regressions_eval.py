"""What was wrong, by name, about what code evaluates and about config fields: false rewrites, and true ones that were
refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent

import pytest
from pyrsistent import pmap

from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    bind_config,
    bind_expr,
    cut_loop,
    divide_loop,
    expand_dim,
    extract_subproc,
    fission,
    fold_into_reduce,
    fuse,
    insert_noop_call,
    join_loops,
    lift_alloc,
    lift_scope,
    parallelize_loop,
    reorder_loops,
    rewrite_expr,
    specialize,
    stage_mem,
    write_config,
)
from exo_strat.direct import replace as replace_by_call
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ops.failure import SchedulingError
from exo_strat.testing import assert_equivalent, assert_lawful

C = Config("C", pmap({"n": types.size, "k": types.index, "on": types.bool_, "a": types.f32, "d": types.f64}))


def parsed(lines: str, args: str = "n: size, x: f32[8], y: f32", **names: object) -> Proc:
    return proc_from_source(f"def f({args}):\n{indent(lines, '    ')}", {"C": C, **names})


def right(p: Proc, q: Proc) -> Proc:
    """A version that is lawful and computes the same."""
    assert_lawful(p, q, str(p))
    assert assert_equivalent(p, q) > 0
    return q


NOOP = proc_from_source("def noop(v: f32):\n    pass")
PREFETCH = proc_from_source("def prefetch(k: size, v: [f32][1]):\n    pass")
SWITCH = proc_from_source("def switch(v: f32, w: f32, k: index):\n    if k > 3:\n        w = v")
ASKS = proc_from_source(
    "def asks(v: [f32][4]):\n    assert C.n >= 1\n    for i in seq(0, 4):\n        v[i] = 0.0", {"C": C}
)

# -- what is evaluated ----------------------------------------------------------------------------------

NO_SIZE = re.escape("C.n is a size, and may be set to less than 1")
NO_ZERO, WRITTEN, DOMAIN = "does not divide by zero", "is surely written before", "sqrt surely has a value"


@pytest.mark.parametrize(
    ("before", "old", "new", "why"),
    [
        ("", "y != 0.0 and x[0] / y < 3.0", "x[0] / y < 3.0 and y != 0.0", NO_ZERO),
        ("", "y == 0.0 or x[0] / y < 3.0", "x[0] / y < 3.0 or y == 0.0", NO_ZERO),
        ("", "n < 4 and sqrt(y) < 3.0", "sqrt(y) < 3.0 and n < 4", DOMAIN),
        ("t: f32\nif n < 4:\n    t = 1.0", "n < 4 and t < 3.0", "t < 3.0 and n < 4", WRITTEN),
        ("t: f32\nif n < 4:\n    t = 1.0", "n < 4 and t < 3.0", "n < 5 and t < 3.0 and n < 4", WRITTEN),
        ("t: f32\nif n < 4:\n    t = 1.0", "n < 4 and t < 3.0", "n <= 3 and (n < 5 and t < 3.0)", ""),
        ("", "C.on and n < 4", "C.on and n < 4 and C.on", ""),
        ("", "n < 4 and C.on", "C.on and n < 4", WRITTEN),
        ("C.on = True", "n < 4 and C.on", "C.on and n < 4", ""),
        ("", "n < 4 and x[3] / x[4] < 1.0", "4 > n and x[3] / x[4] < 1.0", ""),
    ],
)
def test_conditions_evaluate_no_more_than_they_did(before: str, old: str, new: str, why: str) -> None:
    p = parsed(f"{before or 'pass'}\nif {old}:\n    x[1] = 0.0")
    target = p.body()[-1].cond()  # type: ignore[attr-defined]
    if not why:
        right(p, rewrite_expr(p, target, new))
    else:
        with pytest.raises(SchedulingError, match=why):
            rewrite_expr(p, target, new)


def test_a_field_that_need_not_be_set_is_not_read_for_nothing() -> None:
    p = parsed("if n > 4:\n    C.k = 1\nfor i in seq(0, 4):\n    x[i] = 0.0")
    with pytest.raises(SchedulingError, match="which the expression reads, is surely written before"):
        rewrite_expr(p, p.find_loop("i").lo(), "C.k - C.k")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("x[0] / x[1]", NO_ZERO), ("sqrt(x[1])", DOMAIN), ("t * 2.0", WRITTEN), ("C.a", WRITTEN), ("t", ""),
        ("u * 2.0", ""), ("x[3] / x[4]", ""), ("C.d * 2.0", ""),
    ],
)  # fmt: skip
def test_what_a_call_is_passed_has_a_value(value: str, why: str) -> None:
    """A scalar is passed by reference, so it need not have one; what the next statement evaluates has one."""
    p = parsed("t: f32\nu: f32\nu = 1.0\nC.d = 1.0\nx[0] = x[3] / x[4]\nt = 2.0\nif n > 4:\n    C.a = 1.0")
    gap = p.find("x[_] = _").before()
    if not why:
        right(p, insert_noop_call(p, gap, NOOP, [value]))
    else:
        with pytest.raises(SchedulingError, match=why):
            insert_noop_call(p, gap, NOOP, [value])


@pytest.mark.parametrize(("before", "known"), [("pass", False), ("C.n = 3", True), ("if C.n < 4:\n    pass", False)])
def test_a_field_in_the_arguments_of_a_call_is_set(before: str, known: bool) -> None:
    p = parsed(f"{before}\nx[0] = 0.0\nif n > 4:\n    C.n = 2")
    gap, args = p.find("x[_] = _").before(), ["C.n", "x[C.n - 1:C.n]"]
    if known:
        right(p, insert_noop_call(p, gap, PREFETCH, args))
    else:
        with pytest.raises(SchedulingError):
            insert_noop_call(p, gap, PREFETCH, args)


@pytest.mark.parametrize(
    ("condition", "known"),
    [
        ("y != 0.0 and x[0] / y < 3.0", True),
        ("y == 0.0 or x[0] / y < 3.0", True),
        ("0.0 < y and x[0] / y < 3.0", True),
        ("not (y == 0.0) and x[0] / y < 3.0", True),
        ("y < 1.0 and x[0] / y < 3.0", False),
        ("y >= 0.0 and x[0] / y < 3.0", False),
        ("y != 0.0 or x[0] / y < 3.0", False),
        ("0.0 >= y or x[0] / y < 1.0", True),
        ("y != 1.0 and x[0] / y < 3.0", False),
        ("y == 2.0 and x[0] / y < 3.0", True),
    ],
)
def test_a_condition_that_keeps_zero_away(condition: str, known: bool) -> None:
    p = parsed("y = 1.0")
    if known:
        right(p, specialize(p, "y = _", condition))
    else:
        with pytest.raises(SchedulingError, match=NO_ZERO):
            specialize(p, "y = _", condition)


def test_conditions_that_keep_zero_away_change_places_with_others() -> None:
    p = parsed("if n < 4:\n    if y != 0.0 and x[0] / y < 3.0:\n        y += 1.0")
    right(p, lift_scope(p, "if _ and _: _"))


@pytest.mark.parametrize("bind", [lambda p, e: bind_expr(p, e, "a"), lambda p, e: bind_config(p, e, C, "a")])
def test_an_element_that_a_callee_need_not_read(bind: Callable[[Proc, object], Proc]) -> None:
    p = parsed("t: f32\nswitch(t, y, n)", switch=SWITCH)
    with pytest.raises(SchedulingError, match=WRITTEN):
        bind(p, p.find("switch(_)").args()[0])  # type: ignore[attr-defined]


def test_a_field_that_a_callee_asserts_about_is_set() -> None:
    """That a size is at least 1 is known of a field that nobody set, too."""
    p = parsed("if n > 4:\n    C.n = 2\nfor i in seq(0, 4):\n    x[i] = 0.0")
    with pytest.raises(SchedulingError, match=WRITTEN):
        replace_by_call(p, "i", ASKS)
    p = parsed("C.n = n\nfor i in seq(0, 4):\n    x[i] = 0.0")
    right(p, replace_by_call(p, "i", ASKS))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("for i in seq(0, 3):\n    x[i] = 1.0", "for j in seq(0, C.k):\n    x[j] += 1.0"),
        ("for i in seq(0, C.k):\n    x[i] = 1.0", "for j in seq(0, 3):\n    x[j] += 1.0"),
        ("if n < 4:\n    x[n] = 1.0", "if n < C.k + 1:\n    x[n] += 1.0"),
        ("if n < C.k + 1:\n    x[n] = 1.0", "if n < 4:\n    x[n] += 1.0"),
    ],
)
def test_what_is_equal_through_a_field_is_fused(first: str, second: str) -> None:
    """The result did not pass the checks."""
    p = parsed(f"C.k = 3\n{first}\n{second}")
    right(p, fuse(p, p.body()[1], p.body()[2]))


# -- config fields --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["0 - 3", "n - 1", "C.k"])
def test_a_size_that_is_not_positive_is_stored_nowhere(value: str) -> None:
    with pytest.raises(CheckError, match=NO_SIZE):
        parsed(f"C.n = {value}")
    if value != "C.k":
        p = parsed("x[0] = 0.0")
        with pytest.raises(SchedulingError, match=NO_SIZE):
            write_config(p, p.body()[0].before(), C, "n", value)
    p = parsed(f"for i in seq({value}, n):\n    x[0] = 0.0")
    with pytest.raises(SchedulingError, match=NO_SIZE):
        bind_config(p, p.find_loop("i").lo(), C, "n")


def test_sizes_of_a_run_are_positive() -> None:
    p = parsed("x[0] = 0.0\nif C.n > 2:\n    x[0] = 1.0")
    inputs = {"n": 1, "x": [0] * 8, "y": 0}
    assert run(p, inputs, {"C.n": 3}).trap is None
    assert str(run(p, inputs, {"C.n": 0}).trap).startswith("extent: C.n is 0")


def test_no_example_is_a_size_of_zero() -> None:
    with pytest.raises(CheckError, match=r"for example C.n = 8: index 8"):
        parsed("x[C.n] = 0.0")


def test_a_field_that_holds_data_is_what_it_was_set_to() -> None:
    p = parsed("C.a = y\nx[0] = C.a")
    assert "x[0] = y" in str(right(p, rewrite_expr(p, p.find("x[_] = _").rhs(), "y")))  # type: ignore[attr-defined]
    p = parsed("C.a = y\nx[0] = y")
    assert "x[0] = C.a" in str(right(p, rewrite_expr(p, p.find("x[_] = _").rhs(), "C.a")))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("lines", "why"), [("C.a = y\ny = 2.0\nx[0] = C.a", "equal"), ("C.d = y\nx[0] = C.d", "equal")]
)
def test_a_field_that_may_hold_something_else(lines: str, why: str) -> None:
    p = parsed(lines)
    with pytest.raises(SchedulingError, match=why):
        rewrite_expr(p, p.find("x[_] = _").rhs(), "y")  # type: ignore[attr-defined]


LOOP = "assert C.n < 9\nfor i in seq(0, C.n):\n    x[i] = 0.0"
ELEMENT = "if 0 <= C.k and C.k < 8:\n    x[C.k] += y"


@pytest.mark.parametrize(
    ("lines", "rewrite"),
    [
        (LOOP, lambda p: divide_loop(p, "i", 2, ["io", "ii"])),
        (LOOP, lambda p: cut_loop(p, "i", 1)),
        (LOOP, lambda p: extract_subproc(p, "i", "rows")[0]),
        (LOOP, lambda p: extract_subproc(p, "x[_] = _", "row")[0]),
        (ELEMENT, lambda p: stage_mem(p, "x[_] += _", "x[C.k]", "t")),
        (ELEMENT, lambda p: specialize(p, p.body()[0], "C.k == 2")),
        (ELEMENT, lambda p: bind_expr(p, "y", "a")),
        ("C.k = 2\nfor i in seq(0, C.k):\n    x[i] = 0.0\nfor j in seq(2, 4):\n    x[j] = 0.0",
         lambda p: join_loops(p, "i", "j")),
        ("C.n = n\nt: f32\nt = 1.0\ny = t", lambda p: expand_dim(p, "t", "C.n", "C.n - 1")),
        ("C.n = 4\nfor i in seq(0, n):\n    t: f32[C.n]\n    t[0] = 1.0\n    y = t[0]", lambda p: lift_alloc(p, "t")),
    ],
)  # fmt: skip
def test_rewrites_of_what_fields_bound(lines: str, rewrite: Callable[[Proc], Proc]) -> None:
    p = parsed(lines)
    right(p, rewrite(p))


@pytest.mark.parametrize(
    ("lines", "rewrite"),
    [
        (ELEMENT, lambda p: stage_mem(p, p.body()[0], "x[C.k]", "t")),
        (ELEMENT, lambda p: rewrite_expr(p, p.body()[0].cond(), "C.k < 8")),
        ("if n > 4:\n    C.n = 2\nt: f32\nt = 1.0\ny = t", lambda p: expand_dim(p, "t", "C.n", "C.n - 1")),
        ("C.n = n\nt: f32\nt = 1.0\nC.n = n + 1\ny = t", lambda p: expand_dim(p, "t", "C.n", "C.n - 1")),
        ("for i in seq(0, n):\n    C.n = 4\n    t: f32[C.n]\n    t[0] = 1.0\n    y = t[0]",
         lambda p: lift_alloc(p, "t")),
        ("for i in seq(1, n):\n    t: f32[C.n]\n    t[0] = 1.0\n    y = t[0]", lambda p: lift_alloc(p, "t")),
    ],
)  # fmt: skip
def test_what_a_field_does_not_bound_where_it_is_asked(lines: str, rewrite: Callable[[Proc], Proc]) -> None:
    p = parsed(lines)
    with pytest.raises(SchedulingError):
        rewrite(p)


def test_the_second_part_of_a_condition_knows_the_first() -> None:
    parsed("if 0 <= C.k and C.k < 8 and x[C.k] > 0.0:\n    y = 1.0")
    parsed("for i in seq(0, n):\n    if i >= 8 or x[i] > 0.0:\n        y = 1.0")
    with pytest.raises(CheckError, match="out of bounds"):
        parsed("for i in seq(0, n):\n    if x[i] > 0.0 and i < 8:\n        y = 1.0")
    p = parsed("for i in seq(0, n):\n    if i < 8 and x[i] > 0.0:\n        y = 1.0")
    with pytest.raises(SchedulingError, match="out of bounds"):
        rewrite_expr(p, p.find("if _: _").cond(), "x[i] > 0.0 and i < 8")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("value", "folded"),
    [
        ("y / x[0]", "y *= 1.0 / x[0]"),
        ("y * x[1] / x[0]", "y *= x[1] / x[0]"),
        ("y / x[0] * x[1]", "y *= 1.0 / x[0] * x[1]"),
    ],
)
def test_a_quotient_accumulates(value: str, folded: str) -> None:
    p = parsed(f"y = {value}")
    assert folded in str(right(p, fold_into_reduce(p, "y = _")))
    p = parsed(f"y = {value}", "n: size, x: i32[8], y: i32")
    with pytest.raises(SchedulingError, match="no operand is the old value of y"):
        fold_into_reduce(p, "y = _")


RANGE = "C.n = 3\nfor i in seq(0, C.n):\n    x[i] = 1.0\n"


@pytest.mark.parametrize(
    ("lines", "rewrite"),
    [
        (RANGE + "    x[i + 4] = 2.0", lambda p: fission(p, p.find("x[i] = _").after())),
        (RANGE + "for i in seq(0, C.n):\n    x[i + 3] = 2.0", lambda p: fuse(p, "i", "i #1")),
        (RANGE + "    x[i + 4] = 2.0", lambda p: parallelize_loop(p, "i")),
        ("C.n = 3\nfor i in seq(0, C.n):\n    for j in seq(0, C.n):\n        x[i] = 1.0\n        x[j + 3] = 2.0",
         lambda p: reorder_loops(p, "i j")),
    ],
)  # fmt: skip
def test_how_often_a_loop_runs_that_a_field_bounds(lines: str, rewrite: Callable[[Proc], Proc]) -> None:
    p = parsed(lines)
    right(p, rewrite(p))
