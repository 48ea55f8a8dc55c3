"""Control integers as data: `f32(i)` is the number of i. What it is, how it moves, what it is in C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrsistent import pmap, pvector

from backends import jit
from backends.c import compile as c_module
from backends.c.errors import PrecisionError, RangeError
from exo_strat import (
    Proc,
    SchedulingError,
    at,
    bind_expr,
    cut_loop,
    divide_loop,
    fission,
    fuse,
    inline,
    mult_loops,
    proc_from_source,
    remove_loop,
    reorder_loops,
    reorder_stmts,
    replace,
    reverse_loop,
    rewrite_expr,
    schedule,
    shift_loop,
    simplify,
    stage_mem,
    unroll_loop,
)
from exo_strat.frontend.decorators import make_proc
from exo_strat.frontend.errors import CheckError, FrontendError, ObjectTypeError
from exo_strat.interp import Array, run
from exo_strat.ir import build as b
from exo_strat.ir.config import Config
from exo_strat.ir.externs import CONVERSIONS, ExternFn, sqrt
from exo_strat.ir.nodes import Assign, Expr, ExternCall, Interval
from exo_strat.ir.precisions import index_value
from exo_strat.ir.types import CONTROLS
from exo_strat.logic.forms import is_opaque
from exo_strat.testing.bounded import run_bounded
from exo_strat.testing.equivalence import assert_equivalent
from exo_strat.testing.inputs import Inputs
from exo_strat.testing.roundings import roundings

CFG = Config("Cfg", pmap({"rows": CONTROLS["index"]}))
PUT = proc_from_source("""
def put(k: index, a: f32, x: f32):
    x = a + f32(k)
""")
RAMP = proc_from_source("""
@instr("ramp({dst_data}, {base});")
def ramp(base: index, dst: [f32][8]):
    for l in seq(0, 8):
        dst[l] = f32(base + l)
""")
IOTA = proc_from_source("""
@instr("iota({dst_data});")
def iota(dst: [f32][8]):
    for l in seq(0, 8):
        dst[l] = f32(l)
""")
ENV = {"Cfg": CFG, "put": PUT}


def proc_of(text: str) -> Proc:
    """A procedure, which prints as it parses."""
    p = proc_from_source(text, ENV)
    assert str(proc_from_source(str(p), ENV)) == str(p)
    return p


RAMPS = proc_of("""
def foo(n: size, y: f32[n], z: i32[n]):
    for i in seq(0, n):
        y[i] = 2.0 * f32(i)
        z[i] = i32(n - i)
""")
TABLE = proc_of("""
def foo(m: size, y: f32[m, 4]):
    for i in seq(0, m):
        for j in seq(0, 4):
            y[i, j] = f32(4 * i - j)
""")

# -- what it is ---------------------------------------------------------------------------------------


def test_a_conversion_takes_a_control_integer() -> None:
    loop = RAMPS.tree.body[0]
    store = loop.body[1]  # type: ignore[union-attr]
    assert isinstance(store, Assign) and isinstance(store.rhs, ExternCall) and is_opaque(store.rhs)
    assert store.rhs.f is CONVERSIONS["i32"] and str(RAMPS).splitlines()[-1].strip() == "z[i] = i32(n - i)"
    assert index_value(store.rhs) == store.rhs.args[0] and index_value(store.rhs.args[0]) is None


def test_it_is_the_exact_number_of_the_integer() -> None:
    out = run(RAMPS, {"n": 3, "y": [None] * 3, "z": [None] * 3}).outputs
    assert out == {"y": (0, 2, 4), "z": (3, 2, 1)}
    p = proc_of("def foo(k: index, y: f32):\n    y = f32(k) + f32(k / 2) + f32(7)")
    assert run(p, {"k": -3, "y": 0}).outputs["y"] == -3 - 2 + 7  # a quotient of control integers is a floor


def test_a_name_for_a_control_value_is_one() -> None:
    p = proc_of(
        "def foo(n: size, y: f32[n]):\n    for i in seq(n - 1, -1, -2):\n        k = n - i\n        y[i] = f32(k)"
    )
    assert run(p, {"n": 5, "y": [0] * 5}).outputs["y"] == (5, 0, 3, 0, 1)


def test_literals_are_found_again_when_they_are_read_again() -> None:
    p = schedule(at("for j in _: _", unroll_loop()), TABLE)
    again = proc_from_source(str(p))
    assert [str(line) for line in str(p).splitlines()] == str(again).splitlines()
    assert "f32(4 * i - 3)" in str(p)


def test_where_a_number_is_missing_the_message_says_how_to_write_it() -> None:
    with pytest.raises(ObjectTypeError, match=r"cannot be combined by '/'; as data it is `f32\(..\)` of it"):
        proc_from_source("def foo(n: size, x: f32):\n    x = x / n")
    with pytest.raises(ObjectTypeError, match=r"not a control value \(size\); as data it is `f32\(..\)` of it"):
        proc_from_source("def foo(n: size, x: f32):\n    x = sqrt(n)")


@pytest.mark.parametrize("text", ["f32(n > 1)", "f32(n, n)", "sqrt(n)", "relu(2 * n)", "f32(x[0:2])", "n"])
def test_nothing_else_becomes_data(text: str) -> None:
    with pytest.raises(FrontendError):
        proc_from_source(f"def foo(n: size, s: f32, x: f32[2]):\n    s = {text}")


@pytest.mark.parametrize(("f", "arg"), [(CONVERSIONS["f32"], b.TRUE), (sqrt, b.ONE)])
def test_a_tree_that_is_made_by_hand_is_checked_too(f: ExternFn, arg: Expr) -> None:
    call = ExternCall(f, pvector([arg]))
    p = proc_from_source("def foo(x: f32):\n    x = 1.0")
    store = p.tree.body[0]
    assert isinstance(store, Assign)
    tree = type(p.tree)("foo", p.tree.args, p.tree.preds, pvector([Assign(store.sym, store.idx, call)]), None, 9)
    with pytest.raises(
        CheckError, match=r"is a (condition|control integer), where a (data value|control integer) is needed"
    ):
        make_proc(tree)


def test_an_expression_of_an_unknown_kind_is_not_taken_for_steady() -> None:
    with pytest.raises(TypeError, match="not known"):
        is_opaque(Interval(b.ZERO, b.ONE))  # type: ignore[arg-type]


# -- precisions ---------------------------------------------------------------------------------------


def test_it_must_fit_an_integer_precision() -> None:
    p = proc_of("def foo(k: index, y: i8):\n    y = i8(100 * k - 99 * k)")  # on the way there, anything does
    assert run_bounded(p.tree, inputs(127), strict=True).outputs["y"] == 127
    trap = run_bounded(p.tree, inputs(128), strict=True).trap
    assert trap is not None and trap.kind == "overflow"


def inputs(k: int) -> Inputs:
    """A size, and room for what comes of it."""
    return Inputs({"k": k, "y": Array([0], 0, (), ())}, {})


@pytest.mark.parametrize(("k", "rounded"), [(2**24, "none"), (2**24 + 1, "f32"), (-(2**25), "none")])
def test_a_float_holds_what_it_can(k: int, rounded: str) -> None:
    p = proc_of("def foo(k: index, y: f64):\n    y = f64(f32(k))")
    assert roundings(p.tree, inputs(k)).outputs["y"] == rounded
    y = np.zeros((), np.float64)
    jit(p)(k, y)
    assert y == np.float64(np.float32(k))


# -- how it moves -------------------------------------------------------------------------------------

MOVED: list[tuple[str, Proc, Callable[[Proc], Proc], str]] = [
    ("divide_loop", RAMPS, lambda p: divide_loop.direct(p, "i", 4, ("io", "ii"), tail="cut"), "i32(n - (4 * io + ii))"),
    ("cut_loop", RAMPS, lambda p: cut_loop.direct(p, "i", 1), "z[i] = i32(n - i)"),
    ("shift_loop", RAMPS, lambda p: shift_loop.direct(p, "i", 2), "2.0 * f32(i - 2)"),
    ("unroll_loop", TABLE, lambda p: simplify.direct(unroll_loop.direct(p, "j")), "y[i, 3] = f32(4 * i - 3)"),
    ("reorder_loops", TABLE, lambda p: reorder_loops.direct(p, "i j"), "f32(4 * i - j)"),
    ("fission", RAMPS, lambda p: fission.direct(p, p.find("y[_] = _").after()), "z[i] = i32(n - i)"),
    ("bind_expr", RAMPS, lambda p: bind_expr.direct(p, "f32(_)", "t"), "t = f32(i)"),
    ("stage_mem", RAMPS, lambda p: stage_mem.direct(p, "for i in _: _", "y[0:n]", "t"), "t[i] = 2.0 * f32(i)"),
]


@pytest.mark.parametrize(("p", "op", "line"), [m[1:] for m in MOVED], ids=[m[0] for m in MOVED])
def test_it_moves_with_the_loops(p: Proc, op: Callable[[Proc], Proc], line: str) -> None:
    q = op(p)
    assert line in str(q)
    assert assert_equivalent(p, q) > 0


def test_fused_loops_have_one_iterator() -> None:
    p = proc_of("""
def foo(n: size, y: f32[n], z: f32[n]):
    for i in seq(0, n):
        y[i] = f32(i)
    for j in seq(1, n + 1):
        z[j - 1] = f32(n - j)
""")
    q = fuse.direct(shift_loop.direct(p, "j", 0), "i", "j")
    assert "z[i + 1 - 1] = f32(n - (i + 1))" in str(q)
    assert assert_equivalent(p, q) > 0


def test_a_tile_and_its_iterators_become_one_loop() -> None:
    p = proc_of("""
def foo(n: size, y: f32[8 * n]):
    for io in seq(0, n):
        for ii in seq(0, 8):
            y[8 * io + ii] = f32(8 * io + ii)
""")
    q = mult_loops.direct(p, "io ii", "i")
    assert "= f32(8 * (i / 8) + i % 8)" in str(q) and "y[i] = f32(i)" in str(simplify.direct(q))
    assert assert_equivalent(p, q) > 0


def test_inlining_puts_arguments_in() -> None:
    p = proc_of("""
def foo(n: size, y: f32[n]):
    for i in seq(0, n):
        put(n - i, f32(i), y[i])
""")
    q = inline.direct(p, "put(_)")
    assert "f32(i) + f32(n - i)" in str(q)
    assert assert_equivalent(p, q) > 0


def test_equal_integers_are_equal_numbers() -> None:
    p = schedule(at("f32(i)", rewrite_expr("f32(i + n - n)")), RAMPS)
    assert "f32(i + n - n)" in str(p)
    with pytest.raises(SchedulingError):
        schedule(at("f32(i)", rewrite_expr("f32(i + 1)")), RAMPS)


def test_a_number_binds_with_all_that_equal_it() -> None:
    p = proc_of("""
def foo(n: size, y: f32[n], z: f32[n]):
    for i in seq(0, n):
        y[i] = f32(i + 1) * f32(1 + i)
        z[i] = f32(i) + f32(i + 1)
""")
    q = bind_expr.direct(p, "f32(i + 1)", "t", cse=True)
    assert [line.strip() for line in str(q).splitlines()[3:]] == ["t = f32(i + 1)", "y[i] = t * t", "z[i] = f32(i) + t"]


@pytest.mark.parametrize(
    ("body", "op"),
    [
        # which iteration wrote last shows
        ("for i in seq(0, n):\n        for j in seq(0, n):\n            y[0] = f64(i)", reorder_loops()),
        ("for i in seq(0, n):\n        y[0] = f64(i)", remove_loop()),
        ("for i in seq(0, n):\n        y[0] = f64(i)", reverse_loop()),
        ("for i in seq(0, n):\n        y[i / 2] = f64(i)\n        y[i / 2] = f64(i)\n", unroll_loop()),
    ],
)
def test_a_value_that_differs_from_iteration_to_iteration_is_seen(body: str, op: object) -> None:
    p = proc_of(f"def foo(n: size, y: f64[n]):\n    {body}")
    with pytest.raises(SchedulingError):
        schedule(at("for i in _: _", op), p)  # type: ignore[arg-type]


def test_a_value_is_not_taken_out_of_its_loop() -> None:
    p = proc_of("""
def foo(n: size, y: f64[n]):
    t: f64
    for i in seq(0, n):
        t = f64(i)
        y[i] = t
""")
    with pytest.raises(SchedulingError):
        fission.direct(p, p.find("t = _").after())  # every y[i] would be the last one
    with pytest.raises(SchedulingError):
        remove_loop.direct(p, "i")


def test_two_writes_of_other_numbers_do_not_change_places() -> None:
    p = proc_of("def foo(n: size, y: f32):\n    y = f32(n)\n    y = f32(n + 1)")
    with pytest.raises(SchedulingError):
        reorder_stmts.direct(p, p.body())


def test_a_config_field_is_read_when_its_number_is() -> None:
    p = proc_of("""
def foo(n: size, y: f32):
    Cfg.rows = n
    y = f32(Cfg.rows + 1)
    Cfg.rows = n + 1
""")
    with pytest.raises(SchedulingError):
        reorder_stmts.direct(p, p.body()[1:])
    with pytest.raises(SchedulingError):
        reorder_stmts.direct(p, p.body()[:2])


# -- instructions -------------------------------------------------------------------------------------


def lanes(value: str) -> Proc:
    return proc_of(f"""
def foo(n: size, y: f32[8 * n]):
    for io in seq(0, n):
        for ii in seq(0, 8):
            y[8 * io + ii] = f32({value})
""")


def test_an_instruction_takes_equal_integers_only() -> None:
    p = replace.direct(lanes("3 + 8 * io + ii"), "for ii in _: _", RAMP)
    assert str(p).splitlines()[-1].strip() == "ramp(8 * io + 3, y[8 * io:8 * io + 8])"
    assert "iota(y[8 * io:8 * io + 8])" in str(replace.direct(lanes("ii"), "for ii in _: _", IOTA))


@pytest.mark.parametrize("value", ["n - ii", "8 * io + 2 * ii", "n", "ii + 1"])
def test_an_instruction_does_not_take_others(value: str) -> None:
    instruction = IOTA if value == "ii + 1" else RAMP
    with pytest.raises(SchedulingError, match="does not unify"):
        replace.direct(lanes(value), "for ii in _: _", instruction)


def test_data_is_no_index_and_an_index_no_data() -> None:
    data = proc_of("def foo(n: size, x: f64[8], y: f32[8]):\n    for i in seq(0, 8):\n        y[i] = f32(x[i])")
    with pytest.raises(SchedulingError, match="stands where that has `dst\\[l\\] = f32\\(l\\)`"):
        replace.direct(data, "for i in _: _", IOTA)


# -- in C ---------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(n=st.integers(1, 40), k=st.integers(-(2**40), 2**40))
def test_c_computes_what_the_interpreter_does(n: int, k: int) -> None:
    y, z, w = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.float32)
    COMPILED(n, k, y, z, w)
    out = run(EVERY, {"n": n, "k": k, "y": [0] * n, "z": [0] * n, "w": [0] * n}).outputs
    assert tuple(y) == out["y"] and tuple(z) == out["z"]
    assert tuple(w) == tuple(np.float32(x) for x in out["w"])  # type: ignore[attr-defined]


EVERY = proc_of("""
def foo(n: size, k: index, y: f64[n], z: i64[n], w: f32[n]):
    for i in par(0, n):
        y[i] = f64(k - i) - f64(i / 3) * f64(-k % 7)
        z[i] = i64(k - 2 * i)
        w[i] = f32(k)
        if f64(i) < f64(n - i) or y[i] < f64(k):
            y[i] += 1.0
""")
COMPILED = jit(EVERY)


def test_c_has_a_cast() -> None:
    text = c_module([divide_loop.direct(RAMPS, "i", 8, ("io", "ii"), tail="cut")]).source
    assert "(float)(8 * io + ii)" in text and "(int32_t)(n - (8 * io + ii))" in text


def test_what_need_not_fit_bounds_the_arguments() -> None:
    p = proc_of("def foo(n: size, z: u8[n]):\n    for i in seq(0, n):\n        z[i] = u8(i)")
    z = np.zeros(255, np.uint8)
    f = jit(p)
    f(255, z)
    assert list(z) == list(range(255))
    with pytest.raises(ValueError, match="n = 300 is beyond 256"):
        f(300, np.zeros(300, np.uint8))


def test_a_condition_around_it_shows_that_it_fits() -> None:
    p = proc_of("""
def foo(n: size, z: i8):
    z = 0
    if n < 100:
        z = i8(-n)
""")
    z, f = np.zeros((), np.int8), jit(p)
    f(99, z)
    assert z == -99
    f(2**40, z)
    assert z == 0


def test_what_surely_does_not_fit_is_refused() -> None:
    with pytest.raises(RangeError, match="`k` may not fit u8: assert bounds of it, or take a wider precision"):
        c_module([proc_of("def foo(k: index, z: u8):\n    z = u8(k)")])
    c_module([proc_of("def foo(k: index, z: u8):\n    assert 0 <= k and k < 256\n    z = u8(k)")])
    c_module([proc_of("def foo(k: index, z: u64):\n    assert 0 <= k\n    z = u64(k)")])  # 64 bits have room for all k


def test_precisions_agree_as_elsewhere() -> None:
    with pytest.raises(PrecisionError, match="the operands of `\\+` are f64 and f32"):
        c_module([proc_of("def foo(n: size, x: f64):\n    x = x + f32(n)")])
