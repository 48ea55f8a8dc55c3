"""The Exo 2 paper's section 6, run: hoisting, references in linear time, and vectorising, as they stand there.

Written as functions on procedures, as in the paper, and as Ops; `test_paper.py` has the sections before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import exo_strat
from exo_strat import (
    Cursor,
    ForCursor,
    IfCursor,
    InvalidCursorError,
    Memory,
    Op,
    Proc,
    SchedulingError,
    at,
    config,
    fission,
    lift,
    moves,
    nav,
    on,
    proc_from_source,
    reframe,
    reorder_stmts,
    repeat,
    savec,
    schedule,
    seq,
    size,
    traversals,
    try_else,
)
from exo_strat import direct as d
from exo_strat.testing import assert_equivalent
from strategies import std


def body(p: Proc) -> str:
    """The statements of a procedure, as they print."""
    lines = str(p).splitlines()
    return "\n".join(line[4:] for line in lines[1:] if not line.startswith("    assert"))


# -- section 6.1.2: hoisting -----------------------------------------------------------------------------------


@config
class Load:
    row: size  # type: ignore[valid-type]


LD_DATA = proc_from_source(
    """
@instr("ld_data({src_data}, {dst_data});")
def ld_data(n: size, src: [f32][n], dst: [f32][n]):
    assert Load.row == n
    for i in seq(0, n):
        dst[i] = src[i]
""",
    {"Load": Load},
)
GEMMINI = proc_from_source(
    """
def kernel(A: f32[8, 8, 8, 16], B: f32[8, 8, 8, 16]):
    for io in seq(0, 8):
        for jo in seq(0, 8):
            B[io, jo, 0, 0] = 0.0
            for ko in seq(0, 8):
                B[io, jo, ko, 1] = 0.0
                Load.row = 16
                ld_data(16, A[io, jo, ko, 0:16], B[io, jo, ko, 0:16])
""",
    {"Load": Load, "ld_data": LD_DATA},
)
"""Figure 5a: an expensive write to a configuration register, in the innermost loop."""


def hoist_5b(p: Proc, c: Cursor) -> Proc:
    """Figure 5b: Python's loops and exceptions."""
    while True:
        try:
            try:
                while True:
                    p = d.reorder_stmts(p, p.forward(c).expand(1, 0))  # type: ignore[attr-defined]
            except (SchedulingError, InvalidCursorError):
                p = d.fission(p, p.forward(c).after())  # type: ignore[attr-defined]
                p = d.remove_loop(p, p.forward(c).parent())
        except (SchedulingError, InvalidCursorError):
            break
    return p


reorder_before = reframe(lambda c: c.expand(1, 0), lift(d.reorder_stmts))  # type: ignore[attr-defined]
remove_parent_loop = reframe(lambda c: c.parent(), lift(d.remove_loop))
fission_after = reframe(lambda c: c.after(), lift(d.fission))  # type: ignore[attr-defined]

hoist_5c = repeat(try_else(seq(fission_after, remove_parent_loop), reorder_before))
"""Figure 5c: higher-order functions."""


def test_both_schedules_hoist_the_configuration_out_of_all_loops() -> None:
    c = GEMMINI.find("Load.row = _")
    assert isinstance(c, Cursor)
    hoisted = hoist_5b(GEMMINI, c)
    assert (
        body(hoisted)
        == """\
Load.row = 16
for io in seq(0, 8):
    for jo in seq(0, 8):
        B[io, jo, 0, 0] = 0.0
        for ko in seq(0, 8):
            B[io, jo, ko, 1] = 0.0
            ld_data(16, A[io, jo, ko, 0:16], B[io, jo, ko, 0:16])"""
    )
    assert hoisted == schedule(hoist_5c, GEMMINI, c) == schedule(std.hoist(), GEMMINI, c)


@config
class ConfigLoad:
    src_stride: stride  # type: ignore[name-defined]


CONFIG_LD = proc_from_source(
    """
@instr("config_ld({src_stride});")
def config_ld(src_stride: stride):
    ConfigLoad.src_stride = src_stride
""",
    {"ConfigLoad": ConfigLoad},
)
LD_TILE = proc_from_source(
    """
@instr("ld_data({n}, {m}, {src_data}, {dst_data});")
def ld_data(n: size, m: size, src: [f32][n, m], dst: [f32][n, m]):
    assert ConfigLoad.src_stride == stride(src, 0)
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]
""",
    {"ConfigLoad": ConfigLoad},
)
AS_PRINTED = proc_from_source(
    """
def kernel(A: f32[128, 1024], T: f32[8, 8, 8, 16, 16]):
    for io in seq(0, 8):
        for jo in seq(0, 8):
            for ko in seq(0, 8):
                config_ld(stride(A, 0))
                ld_data(16, 16, A[16 * io:16 * io + 16, 16 * ko:16 * ko + 16], T[io, jo, ko, 0:16, 0:16])
""",
    {"config_ld": CONFIG_LD, "ld_data": LD_TILE},
)


def test_figure_5a_as_printed_with_operations_lifted_by_name() -> None:
    """The configuration is a call, of an instruction; and the names of `from exo_strat import *` are lifted."""
    before = reframe(lambda c: c.expand(1, 0), lift(exo_strat.reorder_stmts))  # type: ignore[attr-defined]
    leave = reframe(lambda c: c.parent(), lift(exo_strat.remove_loop))
    after = reframe(lambda c: c.after(), lift(exo_strat.fission))  # type: ignore[attr-defined]
    op = repeat(try_else(seq(after, leave), before))
    c = AS_PRINTED.find("config_ld(_)")
    assert isinstance(c, Cursor)
    hoisted = schedule(op, AS_PRINTED, c)
    assert (
        body(hoisted)
        == """\
config_ld(stride(A, 0))
for io in seq(0, 8):
    for jo in seq(0, 8):
        for ko in seq(0, 8):
            ld_data(16, 16, A[16 * io:16 * io + 16, 16 * ko:16 * ko + 16], T[io, jo, ko, 0:16, 0:16])"""
    )
    assert hoisted == hoist_5b(AS_PRINTED, c) == schedule(hoist_5c, AS_PRINTED, c)


# -- section 6.3.1: linear time ---------------------------------------------------------------------------------


def lrn(c: Any) -> Iterator[Cursor]:
    for s in c.body():
        if isinstance(s, ForCursor | IfCursor):
            yield from lrn(s)
        yield s


def test_lrn_is_postorder() -> None:
    p = GEMMINI
    assert list(lrn(p.root())) == list(traversals.lrn(p.root()))
    assert [c.name() for c in lrn(p.root()) if isinstance(c, ForCursor)] == ["ko", "jo", "io"]


def test_the_order_of_lifting_decides_the_order_of_loops() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            for k in seq(0, n):
                x[i, j, k] = 0.0
""")

    def lifted(*names: str) -> list[str]:
        q = p
        for name in names:
            q = d.lift_scope(q, p.find_loop(name))
        return [c.name() for c in traversals.loops(q.root()) if isinstance(c, ForCursor)]

    assert lifted("j", "k") == ["j", "k", "i"]
    assert lifted("k", "j") == ["i", "j", "k"]


def p_seq(*ops: Callable[..., Any]) -> Callable[..., Any]:
    def func(p: Proc, c: Cursor, *args: Any) -> tuple[Proc, Cursor]:
        for op in ops:
            p, c = op(p, c, *args)
        return p, c

    return func


def p_lift(op: Callable[..., Proc]) -> Callable[..., Any]:
    return lambda p, c, *args: (op(p, c, *args), c)


def p_nav(move: Callable[[Cursor], Cursor]) -> Callable[..., Any]:
    return lambda p, c: (p, move(p.forward(c)))


def p_savec(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda p, c: (op(p, c)[0], c)


def p_reframe(move: Callable[[Any], Cursor], op: Callable[..., Any]) -> Callable[..., Any]:
    return p_savec(p_seq(p_nav(move), op))


@pytest.mark.parametrize(
    ("place", "function", "op"),
    [
        ("Load.row = _", p_reframe(lambda c: c.expand(1, 0), p_lift(d.reorder_stmts)), std.reorder_before()),
        ("B[_] = 0.0 #1", p_reframe(lambda c: c.after(), p_lift(d.fission)), std.fission_after()),
    ],
    ids=["reorder_before", "fission_after"],
)
def test_a_primitive_with_a_relative_reference_is_one_line(place: str, function: Callable[..., Any], op: Op) -> None:
    c = GEMMINI.find(place)
    assert isinstance(c, Cursor)
    p, back = function(GEMMINI, c)
    q, there = op(GEMMINI, c).unwrap()
    assert p == q and q.forward(back) == there


def test_reframe_saves_the_cursor_around_a_move() -> None:
    c = GEMMINI.find("Load.row = _")
    assert isinstance(c, Cursor)
    move = moves.expand(1, 0)
    assert reframe(move, reorder_stmts()) == savec(seq(nav(move), reorder_stmts()))
    here = schedule(on(c, reframe(move, reorder_stmts()), nav(moves.after), fission()), GEMMINI)
    assert here == schedule(std.fission_after(), *std.reorder_before()(GEMMINI, c).unwrap())


# -- section 6.1.1: vectorize, Figure 4 --------------------------------------------------------------------------

VEC = Memory("VEC")
SAXPY = proc_from_source("""
def saxpy(n: size, a: f32, x: f32[n], y: f32[n]):
    assert n % 8 == 0
    for i in seq(0, n):
        y[i] += a * x[i]
""")


def staged(*rules: std.Rule) -> str:
    """Figure 4's steps: the loop divided, and the computation staged."""
    divided = d.simplify(d.divide_loop(SAXPY, "i", 8, ["io", "ii"], perfect=True))
    return body(schedule(at("for ii in _: _", std.stage_compute("f32", VEC, rules)), divided))


def test_staging_without_fma() -> None:
    assert (
        staged()
        == """\
for io in seq(0, n / 8):
    for ii in seq(0, 8):
        v: f32 @ VEC
        v_1: f32 @ VEC
        v_1 = y[8 * io + ii]
        v_2: f32 @ VEC
        v_3: f32 @ VEC
        v_3 = a
        v_4: f32 @ VEC
        v_4 = x[8 * io + ii]
        v_2 = v_3 * v_4
        v = v_1 + v_2
        y[8 * io + ii] = v"""
    )


def test_staging_with_fma() -> None:
    assert (
        staged(std.fma_rule)
        == """\
for io in seq(0, n / 8):
    for ii in seq(0, 8):
        v: f32 @ VEC
        v_1: f32 @ VEC
        v_1 = y[8 * io + ii]
        v_2: f32 @ VEC
        v_2 = a
        v_3: f32 @ VEC
        v_3 = x[8 * io + ii]
        v = v_1 + v_2 * v_3
        y[8 * io + ii] = v"""
    )


def instruction(name: str, params: str, does: str) -> Proc:
    return proc_from_source(
        f"""
@instr("{name}({{dst_data}});")
def {name}(dst: [f32][8] @ VEC, {params}):
    for i in seq(0, 8):
        dst[i] = {does}
""",
        {"VEC": VEC},
    )


INSTRUCTIONS = (
    instruction("vec_load", "src: [f32][8]", "src[i]"),
    instruction("vec_set", "value: f32", "value"),
    instruction("vec_add", "a: [f32][8] @ VEC, b: [f32][8] @ VEC", "a[i] + b[i]"),
    instruction("vec_mul", "a: [f32][8] @ VEC, b: [f32][8] @ VEC", "a[i] * b[i]"),
    instruction("vec_fma", "a: [f32][8] @ VEC, b: [f32][8] @ VEC, c: [f32][8] @ VEC", "c[i] + a[i] * b[i]"),
)


def vectorize(p: Proc, loop: str, vw: int, mem: Memory, instrs: tuple[Proc, ...], rules: tuple[std.Rule, ...]) -> Proc:
    """Section 6.1.1, as it stands there."""
    c = p.find_loop(loop)
    assert isinstance(c, ForCursor)
    p = d.divide_loop(p, c, vw, [f"{loop}o", f"{loop}i"], tail="cut")
    p = schedule(std.parallelize_reductions(mem), p, p.forward(c))
    inner = p.forward(c).body()[0]  # type: ignore[attr-defined]
    p = schedule(std.stage_compute("f32", mem, rules), p, inner)
    p = schedule(std.fission_into_singles(), p, inner)
    return schedule(std.replace_all(instrs), p)


@pytest.mark.parametrize(
    ("rules", "steps"),
    [
        ((), ["vec_load", "vec_set", "vec_load", "vec_mul", "vec_add"]),
        ((std.fma_rule,), ["vec_load", "vec_set", "vec_load", "vec_fma"]),
    ],
    ids=["without FMA", "with FMA"],
)
def test_vectorized_saxpy(rules: tuple[std.Rule, ...], steps: list[str]) -> None:
    q = vectorize(SAXPY, "i", 8, VEC, INSTRUCTIONS, rules)
    lines = [line.strip().partition("(")[0] for line in body(q).splitlines()]
    assert [line for line in lines if line.startswith("vec_")] == steps
    assert q == schedule(at("for i in _: _", std.vectorize(8, "f32", VEC, INSTRUCTIONS, rules)), SAXPY)
    assert assert_equivalent(SAXPY, q) > 0
