"""`a if c else b`: only the side that the condition says is evaluated, and it is checked where that is so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from backends import jit
from backends.c import compile as c_module
from backends.c.errors import PrecisionError
from exo_strat import (
    Proc,
    SchedulingError,
    bind_expr,
    inline,
    nodes,
    parallelize_loop,
    proc_from_source,
    replace,
    simplify,
    stage_mem,
    vectorize_loop,
)
from exo_strat.cursors.kinds import SelectCursor
from exo_strat.frontend.errors import CheckError, ObjectTypeError
from exo_strat.interp import run
from exo_strat.ir import build as b
from exo_strat.ir.memo import Remembers
from exo_strat.ir.nodes import Assign, Select
from exo_strat.ir.precisions import precision
from exo_strat.ir.walk import is_bool, is_control
from exo_strat.logic.forms import is_opaque
from exo_strat.logic.questions import evaluation, reads_of
from exo_strat.testing.equivalence import assert_equivalent

HEAD = "def foo(n: size, x: f32[n], y: f32[n], d: f64[n], on: bool):\n    for i in seq(0, n):\n        "


def proc_of(line: str) -> Proc:
    """One statement in a loop over all elements."""
    return proc_from_source(HEAD + line)


SHIFTED = proc_of("y[i] = x[i - 1] if i > 0 else 0.0")


def inputs(n: int, **arrays: Sequence[float | None]) -> dict[str, object]:
    """A size, and arrays of that many numbers."""
    return {"n": n, "on": True, **{name: arrays.get(name, [1] * n) for name in ("x", "y", "d")}}


# -- what it is ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x[i - 1] if i > 0 else 0.0",
        "(1.0 if on else 2.0) if x[i] > 0.0 else 3.0",
        "1.0 if on else 2.0 if x[i] > 0.0 else 3.0",
        "x[i] if (1.0 if on else 2.0) > x[i] else 3.0",
        "2.0 * (x[i] if on and i > 0 or x[i] < 1.0 else -x[i])",
        "sqrt(x[i] if x[i] >= 0.0 else 0.0)",
        "x[i] / y[i] if y[i] != 0.0 else 0.0",
        "f32(d[i] if on else 1.0)",
        "f32(i) if on else f32(n - i)",
    ],
)
def test_it_prints_as_it_is_read(text: str) -> None:
    p = proc_of(f"y[i] = {text}")
    assert str(p).splitlines()[-1].strip() == f"y[i] = {text}"
    assert proc_from_source(str(p)).tree.body == p.tree.body


def test_its_parts_are_found_and_named() -> None:
    c = SHIFTED.find("_ if _ else _")
    assert isinstance(c, SelectCursor)
    assert [str(part.text()) for part in (c.cond(), c.then(), c.other())] == ["i > 0", "x[i - 1]", "0.0"]
    assert SHIFTED.find("x[_] if _ > 0 else 0.0") == c == SHIFTED.find("0.0").parent()


def test_literals_take_the_place_of_data() -> None:
    store = proc_of("y[i] = 1 if on else 2").find("y[_] = _").node
    assert isinstance(store, Assign) and store.rhs == Select(nodes.Var(store.rhs.cond.sym), b.data(1), b.data(2))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y[i] = x[i if on else 0]", "of control integers take min or max, or two statements"),
        ("y[1 if on else 0] = 0.0", "is a data value; write two statements under `if` and `else`, or min or max"),
        ("y[i] = i if on else x[i]", r"a control value \(index\) and a data value \(f32\); as data it is `f32"),
        ("y[i] = f32(i if on else 0)", "of control integers take min or max"),
        ("y[i] = x if on else x", "its sides can't be a 1-dimensional tensor"),
        ("y[i] = 1.0 if x[i] else 0.0", "a condition is needed here, not a data value"),
        ("if on if i > 0 else i > 1: pass", "of conditions write `c and a or not c and b`"),
    ],
)
def test_it_is_a_choice_of_data(line: str, message: str) -> None:
    with pytest.raises(ObjectTypeError, match=message):
        proc_of(line)


# -- what of it is evaluated --------------------------------------------------------------------------


def test_the_side_that_is_not_taken_is_not_evaluated() -> None:
    found = run(SHIFTED.tree, inputs(3, x=[1.0, 2.0, None], y=[None] * 3))
    assert found.trap is None and found.outputs["y"] == (0, 1, 2)


def test_the_side_that_is_taken_is() -> None:
    found = run(SHIFTED.tree, inputs(3, x=[1.0, None, 3.0]))
    assert found.trap is not None and found.trap.kind == "uninitialised"


@pytest.mark.parametrize("text", ["x[i] / d[i] if d[i] != 0.0 else 0.0", "0.0 if d[i] == 0.0 else x[i] / d[i]"])
def test_nothing_is_divided_by_zero(text: str) -> None:
    p = proc_from_source((HEAD + f"y[i] = {text}").replace("d: f64", "d: f32"))
    found = run(p.tree, inputs(3, x=[1.0, 2.0, 3.0], d=[2.0, 0.0, 1.0]))
    assert found.trap is None and [float(v) for v in found.outputs["y"]] == [0.5, 0.0, 3.0]


@pytest.mark.parametrize(
    "text",
    [
        "x[i - 1] if i > 0 else 0.0",
        "0.0 if i == 0 else x[i - 1]",
        "x[i + 1] if i + 1 < n and x[i] > 0.0 else x[i]",
        "x[i] if i == 0 or x[i] > x[i - 1] else 0.0",
        "x[i - 1] + x[i - 2] if i >= 2 else x[i - 1] if i > 0 else 0.0",
        "1.0 if (x[i - 1] if i > 0 else 0.0) > 0.0 else 0.0",
    ],
)
def test_each_side_is_in_bounds_where_it_is_taken(text: str) -> None:
    proc_of(f"y[i] = {text}")


@pytest.mark.parametrize(
    ("text", "example"),
    [
        ("x[i - 1] if i >= 0 else 0.0", "n = 1, i = 0"),
        ("0.0 if i > 0 else x[i - 1]", "n = 1, i = 0"),
        ("x[i - 1] if x[i] > 0.0 else 0.0", "n = 1, i = 0"),
        ("x[i - 1] if i > 0 or x[i] > 0.0 else 0.0", "n = 1, i = 0"),
        ("x[i] if x[i - 1] > 0.0 else 0.0", "n = 1, i = 0"),
        ("select(0.0, f32(i), x[i - 1], 0.0)", "n = 1, i = 0"),
    ],
)
def test_a_side_out_of_bounds_is_refused(text: str, example: str) -> None:
    with pytest.raises(CheckError, match=f"x\\[i - 1\\] may be out of bounds in dimension 0; for example {example}"):
        proc_of(f"y[i] = {text}")


# -- C ------------------------------------------------------------------------------------------------


def test_c_has_its_own_choice() -> None:
    assert "y[i] = i > 0 ? x[i - 1] : 0.0f;" in c_module([SHIFTED]).source


def test_c_computes_what_the_interpreter_does() -> None:
    p = proc_of("y[i] = 2.0 * (x[i] / y[i] if y[i] != 0.0 and i > 1 else x[i - 1] if i > 0 else 4.0)")
    x, y = np.array([1, 2, 3, 4], "f"), np.array([1, 0, 0, 8], "f")
    found = run(p.tree, inputs(4, x=x.tolist(), y=y.tolist())).outputs["y"]
    jit(p)(4, x, y, np.zeros(4), True)
    assert y.tolist() == [float(v) for v in found] == [8.0, 2.0, 4.0, 1.0]


def test_both_sides_have_one_precision_which_is_not_that_of_the_condition() -> None:
    p = proc_of("y[i] = x[i] if d[i] > 0.5 else 1.0")
    assert "y[i] = d[i] > 0.5 ? x[i] : 1.0f;" in c_module([p]).source
    with pytest.raises(PrecisionError, match="the operands of `a if c else b` are f32 and f64"):
        c_module([proc_of("y[i] = x[i] if on else d[i]")])
    with pytest.raises(PrecisionError, match="the operands of `>` are f32 and f64"):
        c_module([proc_of("y[i] = 1.0 if x[i] > d[i] else 0.0")])


def test_an_integer_fits_where_its_side_is_taken() -> None:
    p = proc_from_source("def foo(k: index, y: i8):\n    y = i8(k) if 0 <= k and k < 100 else -1")
    y = np.zeros((), "i1")
    jit(p)(1000, y)
    assert y == -1
    half = proc_from_source("def foo(k: index, y: i8):\n    y = i8(k) if 0 <= k else -1")
    with pytest.raises(ValueError, match="k"):
        jit(half)(1000, y)


def test_iterations_that_are_vectors_choose_each_for_itself() -> None:
    p = proc_of("y[i] = x[i - 1] if i > 0 and d[i] > 0.0 else 0.0")
    x, d, y = np.arange(50, dtype="f"), np.arange(50) % 3 - 1.0, np.zeros(50, "f")
    jit(vectorize_loop.direct(p, "i"))(50, x, y, d, True)
    assert y.tolist() == [x[i - 1] if i > 0 and d[i] > 0 else 0 for i in range(50)]


# -- binding ------------------------------------------------------------------------------------------


def test_a_side_is_not_bound_before_it() -> None:
    with pytest.raises(SchedulingError, match=r"this may be skipped: .* a side of `a if c else b`"):
        bind_expr.direct(SHIFTED, "x[_]", "t")


def test_what_is_always_evaluated_is_bound() -> None:
    p = proc_of("y[i] = x[i] if x[i] > 0.0 else 0.0")
    q = bind_expr.direct(p, p.find("x[_] > _").lhs(), "t", cse=True)
    assert str(q).splitlines()[-1].strip() == "y[i] = t if t > 0.0 else 0.0"


# -- simplifying --------------------------------------------------------------------------------------


def simplified(line: str) -> str:
    """The last line of what is left of a statement."""
    p = proc_of(line)
    return str(simplify.direct(p, p.root())).splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("x[i] if i < n else 0.0", "x[i]"),
        ("x[i] if n < 1 and x[i] > 0.0 else 0.0", "0.0"),
        ("x[i] if on else (1.0 if on else 2.0)", "x[i] if on else 2.0"),
        ("x[i - 1] if i > 0 else x[i] if i >= 1 else 0.0 * x[i]", "x[i - 1] if i > 0 else 0.0"),
        ("x[(2 * i) / 2] if i > 0 and x[i] > 0.0 and i >= 0 else 0.0", "x[i] if i > 0 and x[i] > 0.0 else 0.0"),
        ("x[i] if x[i] > 0.0 else 0.0", "x[i] if x[i] > 0.0 else 0.0"),
    ],
)
def test_a_side_that_is_decided_is_dropped(text: str, left: str) -> None:
    assert simplified(f"y[i] = {text}") == f"y[i] = {left}"


def test_what_is_left_is_computed_at_the_precision_that_it_was() -> None:
    assert simplified("d[i] = 1.1 if i >= 0 else x[i]") == "d[i] = f32(1.1)"


# -- accesses -----------------------------------------------------------------------------------------


def test_a_read_is_known_to_happen_where_its_side_is_taken() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    assert n >= 2
    for i in seq(0, n):
        y[i] = x[i - 1] if i > 0 else 0.0
""")
    staged = stage_mem.direct(p, p.find_loop("i"), "x[0:n - 1]", "t")
    assert str(staged).splitlines()[-1].strip() == "y[i] = t[i - 1] if i > 0 else 0.0"
    assert_equivalent(p, staged)
    outside = "the window lies within x in dimension 0: i - 1, where the extent is n\nfor instance with i = 0, n = 2"
    with pytest.raises(SchedulingError, match=outside):
        stage_mem.direct(p, p.find("y[_] = _"), "x[i - 1]", "t")


def test_an_iteration_that_reads_its_neighbour_stays_in_order() -> None:
    carried = proc_of("x[i] = x[i - 1] if i > 0 else 0.0")
    with pytest.raises(SchedulingError, match="no two iterations of i touch one location"):
        parallelize_loop.direct(carried, "i")
    first = proc_of("x[i] = x[0] if i == 0 else 2.0")
    assert_equivalent(first, parallelize_loop.direct(first, "i"))


def test_equal_choices_are_equal_values() -> None:
    p = proc_of("y[i] = (x[i] if i > 0 else 0.0) + (x[i] if 1 <= i else 0.0)")
    q = bind_expr.direct(p, p.find("x[_] if _ else _"), "t", cse=True)
    assert str(q).splitlines()[-1].strip() == "y[i] = t + t"
    r = proc_of("y[i] = (x[i] if i > 0 else 0.0) + (x[i] if i > 1 else 0.0)")
    assert "t + (" in str(bind_expr.direct(r, r.find("x[_] if _ else _"), "t", cse=True))


def test_a_procedure_with_a_choice_is_found_in_code() -> None:
    shift = proc_from_source("""
def shift(k: size, to: [f32][k], of: [f32][k]):
    for j in seq(0, k):
        to[j] = of[j - 1] if j > 0 else 0.0
""")
    p = proc_from_source("""
def foo(n: size, x: f32[n, n], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[0, i - 1] if i >= 1 else 0.0
""")
    q = replace.direct(p, "for i in _: _", shift)
    assert str(q).splitlines()[-1].strip() == "shift(n, y[0:n], x[0, 0:n])"
    back = inline.direct(q, "shift(_)")
    assert_equivalent(p, back)


# -- walks that meet what they don't know -------------------------------------------------------------


@dataclass(frozen=True)
class Dice(Remembers):
    """A node of a class that no walk knows: it has another value each time."""

    CHILDREN: ClassVar[nodes.Children] = ()


@pytest.mark.parametrize(
    "asked",
    [
        is_opaque,
        is_control,
        is_bool,
        reads_of,
        evaluation.undefined,
        lambda e: list(evaluation.evaluations(e)),
        lambda e: precision(e, {}),
    ],
)
def test_a_walk_takes_no_unknown_node_for_harmless(asked: object) -> None:
    with pytest.raises(TypeError, match="not known of a node of the class Dice"):
        asked(Dice())  # type: ignore[operator]
