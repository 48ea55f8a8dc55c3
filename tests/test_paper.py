"""The Exo 2 paper's sections 3 to 6.1, run: its functions in its own words, and what it says that they do.

The first half writes schedules as functions on procedures, as the paper does; the second half as Ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from exo_strat import (
    Cursor,
    ForCursor,
    IfCursor,
    InvalidCursorError,
    LiteralCursor,
    Memory,
    Op,
    Proc,
    SchedulingError,
    StmtCursor,
    at,
    config,
    fission,
    focus,
    lift,
    lift_alloc,
    moves,
    nav,
    proc_from_source,
    reduce,
    reframe,
    reorder_stmts,
    repeat,
    savec,
    schedule,
    seq,
    simplify,
    size,
    traversals,
    try_else,
    unroll_loop,
)
from exo_strat import direct as d
from exo_strat.testing import assert_equivalent
from strategies import std
from strategies.inspect import bounds

GEMV = """
def gemv(M: size, N: size, A: f32[M, N], x: f32[N], y: f32[M]):
    {assertions}
    for i in seq(0, M):
        for j in seq(0, N):
            y[i] += A[i, j] * x[j]
"""


def gemv(*assertions: str) -> Proc:
    lines = [f"assert {a}" for a in assertions]
    return proc_from_source(GEMV.format(assertions="\n    ".join(lines) or "pass").replace("    pass\n", ""))


def body(p: Proc) -> str:
    """The statements of a procedure, as they print."""
    lines = str(p).splitlines()
    return "\n".join(line[4:] for line in lines[1:] if not line.startswith("    assert"))


# -- section 2: cursors -------------------------------------------------------------------------------


def test_a_loop_is_found_by_its_name_or_by_a_pattern() -> None:
    p = gemv()
    assert p.find_loop("i") == p.find("for i in _:_")


# -- section 3.1: sequential composition ----------------------------------------------------------------

TILED = """\
for io in seq(0, M / 8):
    for jo in seq(0, N / 8):
        for ii in seq(0, 8):
            for ji in seq(0, 8):
                y[8 * io + ii] += A[8 * io + ii, 8 * jo + ji] * x[8 * jo + ji]"""


def test_tiling_step_by_step() -> None:
    g = gemv("M % 8 == 0", "N % 8 == 0")
    g = d.divide_loop(g, "i", 8, ["io", "ii"], perfect=True)
    g = d.divide_loop(g, "j", 8, ["jo", "ji"], perfect=True)
    g = d.lift_scope(g, "jo")
    assert body(g) == TILED


# -- section 3.2: reusable fragments as functions --------------------------------------------------------


def tile2D(p: Proc, i_lp: str, j_lp: str, i_itrs: list[str], j_itrs: list[str], i_sz: int, j_sz: int) -> Proc:
    p = d.divide_loop(p, i_lp, i_sz, i_itrs, perfect=True)
    p = d.divide_loop(p, j_lp, j_sz, j_itrs, perfect=True)
    p = d.lift_scope(p, j_itrs[0])
    return p


def test_tile2d() -> None:
    g = gemv("M % 8 == 0", "N % 8 == 0")
    assert body(tile2D(g, "i", "j", ["io", "ii"], ["jo", "ji"], 8, 8)) == TILED


# -- section 3.3: control flow ----------------------------------------------------------------------------


def tilenD(p: Proc, loops: list[str], new_iters: list[list[str]], tile_sizes: list[int]) -> Proc:
    for i, loop in enumerate(loops):
        p = d.divide_loop(p, loop, tile_sizes[i], new_iters[i], perfect=True)
    for i, _ in enumerate(loops):
        for _ in range(i):
            p = d.lift_scope(p, new_iters[i][0])
    return p


def general_tile2D(p: Proc, i_lp: str, j_lp: str, i_itrs: list[str], j_itrs: list[str], i_sz: int, j_sz: int) -> Proc:
    orig_p = p
    try:
        p = tile2D(p, i_lp, j_lp, i_itrs, j_itrs, i_sz, j_sz)
    except SchedulingError:
        p = d.divide_loop(orig_p, i_lp, i_sz, i_itrs, tail="guard")
        p = d.divide_loop(p, j_lp, j_sz, j_itrs, tail="guard")
        p = d.lift_scope(p, j_itrs[0])
        p = d.lift_scope(p, j_itrs[0])
    return p


def test_tilend() -> None:
    p = proc_from_source("""
def cube(n: size, x: f32[4 * n, 4 * n, 4 * n]):
    for i in seq(0, 4 * n):
        for j in seq(0, 4 * n):
            for k in seq(0, 4 * n):
                x[i, j, k] = 0.0
""")
    iters = [["io", "ii"], ["jo", "ji"], ["ko", "ki"]]
    q = d.simplify(tilenD(p, ["i", "j", "k"], iters, [4, 4, 4]))
    assert [c.name() for c in traversals.loops(q.root())] == ["io", "jo", "ko", "ii", "ji", "ki"]  # type: ignore[attr-defined]
    assert q == schedule(at("for i in _: _", std.tile(4, 4, 4)) >> simplify(), p)


def test_general_tile2d_falls_back_on_guards() -> None:
    arguments = ("i", "j", ["io", "ii"], ["jo", "ji"], 8, 8)
    perfect = gemv("M % 8 == 0", "N % 8 == 0")
    assert body(general_tile2D(perfect, *arguments)) == TILED
    assert body(general_tile2D(gemv(), *arguments)) == """\
for io in seq(0, (M + 7) / 8):
    for jo in seq(0, (N + 7) / 8):
        for ii in seq(0, 8):
            if 8 * io + ii < M:
                for ji in seq(0, 8):
                    if 8 * jo + ji < N:
                        y[8 * io + ii] += A[8 * io + ii, 8 * jo + ji] * x[8 * jo + ji]"""
    for p in (perfect, gemv()):
        assert general_tile2D(p, *arguments) == schedule(at("for i in _: _", std.tile(8, 8)), p)


def test_the_errors_are_of_two_kinds() -> None:
    with pytest.raises(SchedulingError):
        d.divide_loop(gemv(), "i", 8, ["io", "ii"], perfect=True)
    with pytest.raises(InvalidCursorError):
        gemv().find_loop("i").parent()  # type: ignore[union-attr]


# -- section 3.4: higher-order functions ------------------------------------------------------------------

NEST = proc_from_source("""
def nest(n: size, x: f32[n, n], y: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            a: f32
            a = x[i, j]
            y[i, j] = a * a
""")


def p_seq(*ops: Callable[..., Any]) -> Callable[..., Any]:
    def func(p: Proc, c: Cursor, *args: Any) -> tuple[Proc, Cursor]:
        for op in ops:
            p, c = op(p, c, *args)
        return p, c

    return func


def p_repeat(op: Callable[..., Any]) -> Callable[..., Any]:
    def func(p: Proc, c: Cursor, *args: Any) -> tuple[Proc, Cursor]:
        try:
            while True:
                p, c = op(p, c, *args)
        except (SchedulingError, InvalidCursorError):
            return p, c

    return func


def p_try_else(op: Callable[..., Any], opelse: Callable[..., Any]) -> Callable[..., Any]:
    def func(p: Proc, c: Cursor, *args: Any) -> tuple[Proc, Cursor]:
        try:
            p, c = op(p, c, *args)
        except (SchedulingError, InvalidCursorError):
            p, c = opelse(p, c, *args)
        return p, c

    return func


def p_reduce(op: Callable[..., Any], top: Callable[[Cursor], Iterator[Cursor]]) -> Callable[..., Any]:
    def func(p: Proc, cur: Cursor, *args: Any) -> tuple[Proc, Cursor]:
        c = cur
        for c in top(cur):
            p, c = op(p, c, *args)
        return p, c

    return func


def p_lift(op: Callable[..., Proc]) -> Callable[..., Any]:
    return lambda p, c, *args: (op(p, c, *args), c)


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (p_seq(p_lift(d.lift_alloc), p_lift(d.lift_alloc)), seq(lift_alloc(), lift_alloc())),
        (p_repeat(p_lift(d.lift_alloc)), repeat(lift_alloc())),
        (p_try_else(p_lift(d.unroll_loop), p_lift(d.lift_alloc)), try_else(unroll_loop(), lift_alloc())),
        (p_repeat(p_lift(d.lift_alloc)), repeat(lift(d.lift_alloc))),
    ],
    ids=["seq", "repeat", "try_else", "lift"],
)
def test_the_combinators_are_those_of_the_paper(function: Callable[..., Any], op: Op) -> None:
    a = NEST.find_alloc("a")
    assert function(NEST, a)[0] == schedule(op, NEST, a)


def test_reduce_applies_an_op_along_a_traversal() -> None:
    divide = lift(d.divide_loop, 4, ["o", "i"], "guard")
    by_paper = p_reduce(p_lift(lambda p, c: d.divide_loop(p, c, 4, ["o", "i"], "guard")), traversals.loops)
    q = schedule(reduce(divide, traversals.loops), NEST)
    assert q == by_paper(NEST, NEST.root())[0]
    assert len(list(traversals.loops(q.root()))) == 4


def test_repeat_lifts_as_much_as_possible() -> None:
    a = NEST.find_alloc("a")
    assert schedule(repeat(lift_alloc()), NEST, a) == schedule(seq(lift_alloc(), lift_alloc()), NEST, a)


# -- section 4: inspection ---------------------------------------------------------------------------------


def test_all_loops_with_bounds_less_than_5_are_unrolled() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, 4, 5]):
    for i in seq(0, n):
        for j in seq(0, 4):
            for k in seq(0, 5):
                x[i, j, k] = 0.0
""")

    def unroll_short(p: Proc) -> Proc:
        for c in traversals.loops(p.root()):
            assert isinstance(c, ForCursor)
            hi = c.hi()
            if isinstance(hi, LiteralCursor) and hi.value() < 5:
                p = d.unroll_loop(p, c)
        return p

    q = unroll_short(p)
    assert [c.name() for c in traversals.loops(q.root())] == ["i", "k", "k", "k", "k"]  # type: ignore[attr-defined]
    assert q == schedule(std.unroll_loops(4), p)


def test_bounds_inference() -> None:
    p = proc_from_source("""
def foo(N: size, arr: f32[32 * N + 2], out: f32[32 * N]):
    for io in seq(0, N):
        for ii in seq(0, 32):
            x: f32
            x = arr[32 * io + ii] + arr[32 * io + ii + 1] + arr[32 * io + ii + 2]
            out[32 * io + ii] = x
""")
    io = p.find_loop("io")
    assert isinstance(io, ForCursor)
    assert str(bounds(io.body(), "arr")) == "arr[32 * io:32 * io + 34]"


# -- section 5: references ---------------------------------------------------------------------------------


def test_a_cursor_is_carried_forward_through_rewrites_of_other_code() -> None:
    p = proc_from_source("""
def foo(n: size, C: f32[n, n], D: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            C[i, j] = 0.0
    for i in seq(0, n):
        for j in seq(0, n):
            D[i, j] = 0.0
""")
    second = p.find_loop("j #1")
    assert isinstance(second, ForCursor)
    q = d.reorder_loops(p, "i j")
    assert q.forward(second) == q.find_loop("j #1")
    assert str(q.forward(second).node) == str(second.node)  # type: ignore[attr-defined]


def test_navigation_and_forwarding_do_not_commute() -> None:
    p = proc_from_source("""
def foo(x: f32, y: f32, z: f32):
    x = 0.0
    y = 1.0
    z = 2.0
""")
    x = p.find("x = _")
    q = d.reorder_stmts(p, "y = _", "z = _")
    assert isinstance(x, StmtCursor) and isinstance(there := q.forward(x), StmtCursor)
    assert q.forward(x.next()) == q.find("y = _")
    assert there.next() == q.find("z = _")


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
    assert body(hoisted) == """\
Load.row = 16
for io in seq(0, 8):
    for jo in seq(0, 8):
        B[io, jo, 0, 0] = 0.0
        for ko in seq(0, 8):
            B[io, jo, ko, 1] = 0.0
            ld_data(16, A[io, jo, ko, 0:16], B[io, jo, ko, 0:16])"""
    assert hoisted == schedule(hoist_5c, GEMMINI, c) == schedule(std.hoist(), GEMMINI, c)


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
    here = schedule(seq(focus(c), reframe(move, reorder_stmts()), nav(moves.after), fission()), GEMMINI)
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
    assert staged() == """\
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


def test_staging_with_fma() -> None:
    assert staged(std.fma_rule) == """\
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
