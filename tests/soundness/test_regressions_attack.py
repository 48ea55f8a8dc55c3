"""What two attackers found after the rest: false rewrites by name, and true ones that were refused."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from copy import copy
from dataclasses import fields
from textwrap import indent

import pytest
from pyrsistent import pmap

from exo_strat.cursors.cursor import BlockCursor, Cursor, GapCursor, GoneCursor, ProcCursor, StmtCursor
from exo_strat.cursors.kinds import AllocCursor, AssignCursor, ForCursor, PassCursor, WindowDefCursor, WriteConfigCursor
from exo_strat.cursors.proc import InvalidCursorError, Proc
from exo_strat.direct import (
    add_loop,
    bind_config,
    call_eqv,
    cut_loop,
    delete_buffer,
    delete_config,
    expand_dim,
    extract_subproc,
    fission,
    insert_noop_call,
    rename_variable,
    reorder_stmts,
    replace,
    rewrite_expr,
    shift_loop,
    sink_alloc,
    specialize,
    stage_mem,
    write_config,
)
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.ir import externs, types
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Binary, Const, Expr, Instr, StrideExpr, Var
from exo_strat.ir.span import Span
from exo_strat.ir.walk import Path
from exo_strat.ops.combinators import repeat
from exo_strat.ops.failure import InvalidCursor, SchedulingError
from exo_strat.primitives import PRIMITIVES, simplify
from exo_strat.primitives import reorder_stmts as exchange
from exo_strat.testing import assert_equivalent, assert_lawful

C = Config("C", pmap({"n": types.size, "k": types.index, "on": types.bool_, "a": types.f32}))


def parsed(lines: str, args: str = "n: size, x: f32[8], y: f32", **names: object) -> Proc:
    return proc_from_source(f"def f({args}):\n{indent(lines, '    ')}", {"C": C, **names})


def right(p: Proc, q: Proc) -> Proc:
    """A version that is lawful and computes the same."""
    assert_lawful(p, q, str(p))
    assert assert_equivalent(p, q) > 0
    return q


ASKS = proc_from_source(
    "def asks(k: size, x: f32[k], y: f32[2]):\n    assert x[0] < 1.0 or not (x[0] < 1.0)\n    y[1] = 0.0"
)
NEEDS_FIELD = proc_from_source("def needs_field(x: f32[8]):\n    assert C.n >= 1\n    pass", {"C": C})
PASSES_ON = proc_from_source("def passes_on(x: f32[8]):\n    inner(x)", {"inner": NEEDS_FIELD})


def test_a_call_reads_what_its_callee_asserts() -> None:
    p = parsed("t: f32[2]\nt[0] = 1.0\nt[1] = 2.0\nasks(2, t, y)", "y: f32[2]", asks=ASKS)
    q = right(p, stage_mem(p, "asks(_)", "t[0:2]", "u"))
    assert "u[i0] = t[i0]" in str(q)
    p = parsed("t: f32[2]\nt[0] = 1.0\nasks(2, t, y)", "y: f32[2]", asks=ASKS)
    with pytest.raises(SchedulingError, match="surely written"):
        stage_mem(p, "asks(_)", "t[0:2]", "u")
    with pytest.raises(SchedulingError, match="t\\[0\\]"):
        reorder_stmts(p, p.body()[1].expand(0, 1))


def test_what_an_inner_callee_asserts_of_a_field_has_to_be_set() -> None:
    p = parsed("x[0] = 1.0", "x: f32[8]")
    for callee in (NEEDS_FIELD, PASSES_ON):
        with pytest.raises(SchedulingError, match=r"C\.n"):
            insert_noop_call(p, p.body()[0].before(), callee, ["x"])
    for set_before in ("C.n = 3\nx[0] = 1.0", "for i in seq(0, C.n):\n    x[0] = 1.0"):
        p = parsed(set_before, "x: f32[8]")
        right(p, insert_noop_call(p, p.find("x[_] = _").before(), NEEDS_FIELD, ["x"]))


def test_a_call_reads_the_fields_in_the_extents_of_its_arguments() -> None:
    callee = proc_from_source("def sized(x: [f32][C.n + 1 - C.n]):\n    pass", {"C": C})
    p = parsed("C.n = 3\nsized(x[0:1])", "x: f32[8]", sized=callee)
    with pytest.raises(SchedulingError, match=r"C\.n"):
        reorder_stmts(p, p.body())
    with pytest.raises(SchedulingError, match=r"C\.n"):
        delete_config(p, "C.n = _")
    p = parsed("x[0] = 1.0", "x: f32[8]")
    with pytest.raises(SchedulingError, match=r"C\.n"):
        insert_noop_call(p, p.body()[0].before(), callee, ["x[0:1]"])


def test_a_field_of_type_size_in_an_extent_is_positive() -> None:
    p = proc_from_source("def whole(x: f32[C.n]):\n    x[0] = 1.0", {"C": C})
    proc_from_source("def three(x: f32[C.k]):\n    assert C.k == 4\n    x[3] = 1.0", {"C": C})
    q = parsed("C.n = 8\nwhole(x)", "x: f32[8]", whole=p)
    with pytest.raises(SchedulingError):
        delete_config(q, "C.n = _")
    with pytest.raises(CheckError, match="extent"):
        parsed("C.n = 7\nwhole(x)", "x: f32[8]", whole=p)
    with pytest.raises(CheckError, match="may be less than 1"):
        proc_from_source("def whole(x: f32[C.k]):\n    x[0] = 1.0", {"C": C})


def _made_by_hand() -> dict[str, tuple[str, Callable[[Proc], Proc]]]:
    n, x, zero = Var(Sym("n", 0)), Sym("x", 1), Const(0, types.int_)

    def asked(e: Expr) -> Callable[[Proc], Proc]:
        return lambda p: specialize(p, "i", Binary("==", e, zero))

    return {
        "quotient by zero": ("at least 1", asked(Binary("/", n, zero))),
        "no such dimension": ("no dimension 7", asked(StrideExpr(x, 7))),
        "no operator": ("is needed", asked(Binary("**", n, n))),
        "a buffer": ("control expression is needed", lambda p: shift_loop(p, "i", Var(x))),
        "bound by zero": ("at least 1", lambda p: shift_loop(p, "i", Binary("/", n, zero))),
        "no integer": ("is needed", lambda p: cut_loop(p, "i", Const(True, types.int_))),
        "too long": ("bits", lambda p: cut_loop(p, "i", 10**400)),
        "stored": ("at least 1", lambda p: write_config(p, p.body().before(), C, "k", Binary("/", n, zero))),
    }


@pytest.mark.parametrize("name", _made_by_hand())
def test_an_expression_that_no_text_says(name: str) -> None:
    message, rewrite = _made_by_hand()[name]
    p = parsed("y: f32[n * n]\ny[0] = 1.0\nfor i in seq(0, n):\n    x[i] = y[0]", "n: size, x: f32[n]")
    with pytest.raises(SchedulingError, match=message):
        rewrite(p)
    right(p, expand_dim(p, "y", p.find("n * n"), "0"))
    right(p, add_loop(p, "y[0] = _", "k", p.find("n * n")))
    right(p, expand_dim(p, "y", "n * n", "0"))


def test_an_argument_by_cursor_means_the_variable_that_it_names() -> None:
    prefetch = proc_from_source("def prefetch(k: index):\n    pass")
    p = parsed("for i in seq(0, 4):\n    x[i] = 0.0\nfor i in seq(4, 8):\n    x[i] = 1.0")
    there = p.find("x[i] = _").idx()[0]
    with pytest.raises(SchedulingError, match="not in scope"):
        insert_noop_call(p, p.find("x[i] = 1.0").before(), prefetch, [there])


def test_a_callee_that_asserts_of_a_buffer_that_nobody_wrote() -> None:
    source = "def c2(t: f32[2]):\n    assert t[0] < 1.0 or not (t[0] < 1.0)\n    pass"
    asserting = proc_from_source(source)
    around = proc_from_source("def c1(k: size):\n    u: f32[2]\n    c2(u)", {"c2": asserting})
    p = parsed("x[0] = 1.0", "x: f32[8]")
    with pytest.raises(SchedulingError, match="u may be read before it is written"):
        insert_noop_call(p, p.body()[0].before(), around, ["2"])
    p = parsed("t: f32[2]\nt[0] = 1.0\nc2(t)\nx[0] = 1.0", "x: f32[8]", c2=asserting)
    with pytest.raises(SchedulingError, match="t"):
        reorder_stmts(p, p.body()[1].expand(0, 1))


@pytest.mark.parametrize(("op", "compared"), [("and", "<"), ("or", "==")])
def test_a_condition_of_many_parts(op: str, compared: str) -> None:
    text = f" {op} ".join(f"n {compared} {k}" for k in range(300))
    p = parsed(f"if {text}:\n    x[0] = 1.0")
    assert str(p).count(f" {op} ") == 299


def test_code_that_never_runs_is_no_procedure_and_the_message_says_why() -> None:
    p = parsed("if n == 0:\n    x[n - 1] = 1.0\n    y = 3.0", "n: size, x: f32[n], y: f32")
    with pytest.raises(SchedulingError, match=r"this code never runs.*eliminate_dead_code"):
        extract_subproc(p, p.body()[0].body(), "t")


# -- the second attack ----------------------------------------------------------------------------------

PRECISE = "n: size, x: i64[8], y: f64[8], z: f32[8]"
BODIES = {
    "i32": ("def foo(a: i32, x: [i64][8]):\n    x[0] = a * a", "x[0] = 100000.0 * 100000.0"),
    "f32": ("def foo(a: f32, y: [f64][8]):\n    y[0] = a", "y[0] = 0.1"),
    "two": ("def foo(a: f32, c: f32, y: [f64][8]):\n    y[0] = a * c", "y[0] = 0.1 * 0.3"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_literal_that_replace_would_pass_at_another_precision(name: str) -> None:
    callee, line = BODIES[name]
    with pytest.raises(SchedulingError, match="a literal is computed with at another precision"):
        replace(parsed(line, PRECISE), "_ = _", proc_from_source(callee))


def test_a_literal_that_is_computed_with_at_the_precision_of_the_argument() -> None:
    foo = proc_from_source("def foo(a: f32, z: [f32][8], y: [f64][8]):\n    y[0] = a * z[0]")
    p = parsed("y[0] = 0.1 * z[0]", PRECISE)
    assert "foo(0.1, z[0:8], y[0:8])" in str(replace(p, "_ = _", foo))


Narrow = Config("C", pmap({"a": types.f32, "h": types.f16, "i": types.index}))
HELD = [
    ("C.a = y[0]\nC.h = y[0]\ny[1] = f64(C.a)\ny[2] = f64(C.h)", "f64(C.h)", "f64(C.a)"),
    ("C.a = y[0]\ny[1] = f64(C.a)\ny[2] = f64(y[0])", "f64(y[0])", "f64(C.a)"),
    ("C.a = 0.1\ny[1] = f64(0.1)\ny[2] = f64(C.a)", "f64(C.a)", "f64(0.1)"),
]


@pytest.mark.parametrize(("lines", "old", "new"), HELD)
def test_a_field_holds_a_value_at_its_own_precision(lines: str, old: str, new: str) -> None:
    p = parsed(lines, PRECISE, C=Narrow)
    with pytest.raises(SchedulingError, match="the two expressions are equal"):
        rewrite_expr(p, p.find(old), p.find(new))


def test_a_field_that_holds_what_it_is_compared_with() -> None:
    p = parsed("C.a = z[0]\ny[0] = f64(z[0])\ny[1] = f64(C.a)", PRECISE, C=Narrow)
    right(p, rewrite_expr(p, p.find("f64(C.a)"), p.find("f64(z[0])")))


def test_iterations_over_a_window_of_which_less_is_known() -> None:
    p = parsed("w = z[0:4]\nfor i in par(0, 4):\n    w[i] = 1.0", PRECISE, C=Narrow)
    with pytest.raises(SchedulingError, match="no two iterations of i"):
        bind_config(p, p.find("0 #0"), Narrow, "i")


def test_two_diamonds_of_calls_are_compared_at_once() -> None:
    def diamond() -> Proc:
        f = proc_from_source("def f0(x: [f32][8]):\n    x[0] = 1.0 + x[1]\n")
        for k in range(1, 40):
            name = f"f{k - 1}"
            f = proc_from_source(f"def f{k}(x: [f32][8]):\n    {name}(x)\n    {name}(x)\n", {name: f})
        return f

    assert diamond() == diamond()


def test_no_subclass_of_proc_can_claim_an_origin() -> None:
    with pytest.raises(TypeError, match="no subclasses"):
        type("Mine", (Proc,), {})


def test_a_conversion_in_an_argument_that_is_text() -> None:
    p = parsed("y[1] = f64(z[0])", PRECISE)
    assert rewrite_expr(p, "f64(_)", "f64(z[0])") == p


SUMS = "".join(f"x[0] += a[{k}]\n" for k in range(40))
DOT = proc_from_source(f"def dot(x: [f32][1], a: [f32][40]):\n{indent('x[0] = 0.0' + chr(10) + SUMS, '    ')}")
GEMV = proc_from_source(
    "def gemv(y: [f32][2], m: [f32][2, 40], x: [f32][40]):\n    y[0] = 0.0\n    y[1] = 0.0\n"
    + "".join(f"    y[{i}] += m[{i}, {k}] * x[{k}]\n" for k in range(40) for i in (0, 1))
)
DOTTED = "a: f32[40], y: f32[4]"
BY_DOT = parsed("t: f32[1]\nfor i in seq(0, 4):\n    dot(t[0:1], a)\n    y[i] = t[0]", DOTTED, dot=DOT)
BY_GEMV = parsed(
    "t: f32[2]\nfor i in seq(0, 4):\n    gemv(t[0:2], m[i, 0:2, 0:40], a)\n    y[i] = t[0]\n    z[i] = t[1]",
    "m: f32[4, 2, 40], a: f32[40], y: f32[4], z: f32[4]",
    gemv=GEMV,
)


@pytest.mark.parametrize(("p", "name"), [(BY_DOT, "dot"), (BY_GEMV, "gemv")])
def test_a_callee_that_assigns_before_many_accumulations(p: Proc, name: str) -> None:
    n = "1" if name == "dot" else "2"
    right(p, sink_alloc(p, "t"))
    right(p, stage_mem(p, f"{name}(_)", f"t[0:{n}]", "u"))
    q = right(p, expand_dim(p, "t", "4", "i"))
    right(p, fission(q, q.find(f"{name}(_)").after()))


def test_a_temporary_of_a_call_without_effects_that_is_summed_up_in_another_call() -> None:
    noop = parsed("t: f32[1]\ndot(t[0:1], a)", "a: f32[40]", dot=DOT)
    p = parsed("y[0] = a[0]", "a: f32[40], y: f32[4]")
    right(p, insert_noop_call(p, p.find("y[_] = _").before(), noop, ["a"]))


def test_a_callee_that_accumulates_before_it_assigns() -> None:
    late = proc_from_source(f"def late(x: [f32][1], a: [f32][40]):\n{indent(SUMS, '    ')}    x[0] = 0.0")
    p = parsed("t: f32[1]\nt[0] = 0.0\nfor i in seq(0, 4):\n    late(t[0:1], a)\n    t[0] = y[i]", DOTTED, late=late)
    with pytest.raises(SchedulingError):
        expand_dim(p, "t", "4", "i")


HALF = proc_from_source("def half(x: f32[4], y: f32[4]):\n    for i in seq(0, 2):\n        y[i] = x[i]")


def test_notes_of_a_version_that_a_second_init_cannot_take_away() -> None:
    staged = stage_mem(HALF, "for i in _: _", "x[0:4]", "t")
    made = staged.rewritten
    assert made is not None and made.needs
    made.__init__(made.op, made.edits, made.at, made.target, frozenset(), frozenset())  # type: ignore[misc]
    caller = parsed("t: f32[4]\nt[0] = 1.0\nt[1] = 1.0\nhalf(t, z)", "z: f32[4]", half=HALF)
    with pytest.raises(SchedulingError):
        call_eqv(caller, "half(_)", staged)


def test_a_second_init_changes_nothing() -> None:
    made = stage_mem(HALF, "for i in _: _", "x[0:4]", "t").rewritten
    assert made is not None
    values = (*made.edits, C, externs.sin, externs.CONVERSIONS["u8"], Instr("f();", c_fence="g();"))
    for x in (*values, made, PRIMITIVES["simplify"].spec):
        before = [getattr(x, f.name) for f in fields(x)]
        x.__init__(*[None] * len(before))  # type: ignore[misc]
        assert [getattr(x, f.name) for f in fields(x)] == before
        assert not hasattr(x, "__dict__") and not hasattr(x, "__setstate__")
    for x in values:
        assert pickle.loads(pickle.dumps(x)) == x == copy(x)
    form = PRIMITIVES["set_precision"]
    spec = form.spec
    form.__init__(dataclasses.replace(spec, same_values=True))  # type: ignore[call-arg]
    assert form.spec is spec
    again = pickle.loads(pickle.dumps(made))
    assert (again.edits, again.at, again.needs) == (made.edits, made.at, made.needs)


def test_what_a_config_and_an_extern_function_are_is_checked_when_they_are_made() -> None:
    with pytest.raises(TypeError, match="a field's type"):
        Config("D", pmap({"a": 1}))  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="an extern function"):
        externs.extern("not a name", 1, abs, "{0}")


LINES = "t: f32\nx[0] = 1.0\nfor i in seq(0, 4):\n    if i < 2:\n        y[i] = x[0]\nx[0] = 2.0\nC.a = 3.0"
PLACES = parsed(LINES, "x: f32[4], y: f32[4]")
IF: Path = (("body", 2), ("body", 0))
BY_HAND: list[Cursor] = [
    *[BlockCursor(PLACES, Span((), "body", lo, hi)) for lo, hi in ((-1, 1), (-2, 0), (3, 2), (1, 1), (4, 9))],
    *[BlockCursor(PLACES, Span((), label, 0, 1)) for label in ("args", "preds", "name", "orelse")],
    BlockCursor(PLACES, Span(IF, "orelse", 0, 1)),
    BlockCursor(PLACES, Span((("body", -3),), "body", 0, 1)),
    BlockCursor(PLACES, Span((), "body", True, 2)),
    BlockCursor(PLACES, ((), "body", 0, 1)),  # type: ignore[arg-type]
    *[GapCursor(PLACES, path, False) for path in ((("body", -1),), (("body", 5),), (("args", 0),), ())],
    *[AssignCursor(PLACES, path) for path in ((("body", -2),), (("body", 0),), (("body", 1.0),), ("body", 1))],  # type: ignore[arg-type]
    WindowDefCursor(PLACES, (("args", 0),)),
    AllocCursor(PLACES, (("args", 1),)),
    WriteConfigCursor(PLACES, (("body", -1),)),
    ForCursor(PLACES, (("body", 1),)),
    ForCursor(PLACES, [("body", 2)]),  # type: ignore[arg-type]
    ProcCursor(PLACES, IF),
    StmtCursor(PLACES, (("body", 1),)),
    type("Own", (BlockCursor,), {"is_valid": True})(PLACES, Span((), "body", 0, 1)),
    ForCursor(None, (("body", 2),)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("c", BY_HAND, ids=range(len(BY_HAND)))
def test_a_cursor_that_was_made_by_hand_and_points_nowhere(c: Cursor) -> None:
    for f in (reorder_stmts, delete_config, rename_variable, delete_buffer, stage_mem, insert_noop_call):
        with pytest.raises(InvalidCursorError, match="could point"):
            f(PLACES, c)
    for op in (simplify(), repeat(simplify())):
        assert isinstance(op(PLACES, c).failure(), InvalidCursor) and str(op(PLACES, c).failure())
    with pytest.raises((InvalidCursorError, SchedulingError), match=r"could point|a cursor or a number is needed"):
        rewrite_expr(PLACES, PLACES.find("1.0"), c)


def test_every_cursor_that_navigation_gives_points_somewhere() -> None:
    root = PLACES.root()
    found = [*root.descendants(), *[g for s in root.statements() for g in (s.before(), s.after(), s.as_block())]]
    assert len(found) > 30 and all(c.is_valid and PLACES.forward(c) is c for c in found)
    assert not PLACES.forward(GoneCursor(PLACES)).is_valid


def test_a_place_of_another_procedure() -> None:
    other = parsed("y[0] = x[0]\nx[0] = 1.0", "x: f32[4], y: f32[4]")
    assert isinstance(exchange().apply(PLACES, other.body()).failure(), InvalidCursor)


def test_a_cursor_to_an_accumulation_of_nothing_goes_as_simplify_declares() -> None:
    p = parsed("if n < 2:\n    y += 0.0\nelse:\n    y = 1.0")
    simple = PRIMITIVES["simplify"].spec
    assert "replaced" in simple.cursors["inside"]
    q = simplify.direct(p)
    assert isinstance(q.forward(p.find("y += _")), PassCursor)
