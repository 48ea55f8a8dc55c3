"""The Exo 2 paper's sections 2 to 5, run: its functions in its own words, and what it says that they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from exo_strat import (
    Cursor,
    ForCursor,
    InvalidCursorError,
    LiteralCursor,
    Op,
    Proc,
    SchedulingError,
    StmtCursor,
    at,
    lift,
    lift_alloc,
    proc_from_source,
    reduce,
    repeat,
    schedule,
    seq,
    simplify,
    traversals,
    try_else,
    unroll_loop,
)
from exo_strat import direct as d
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
