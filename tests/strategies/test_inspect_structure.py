"""Questions about nests: what is around, what is below, which shape."""

from __future__ import annotations

import pytest

from exo_strat import ForCursor, InvalidCursorError, NodeCursor, Proc, proc_from_source
from strategies.inspect import (
    enclosing_ifs,
    enclosing_loop,
    enclosing_loops,
    enclosing_scopes,
    enclosing_stmt,
    inner_loop,
    innermost_loops,
    is_perfect_nest,
    loops_inside,
    nest,
    nest_shape,
    nth_inner_loop,
    statements,
    trip_count,
)


@pytest.fixture
def p() -> Proc:
    return proc_from_source("""
def foo(n: size, m: size, x: f32[n, m], y: f32[n]):
    for i in par(0, n):
        y[i] = 0.0
        for j in seq(0, m):
            for k in seq(2, 8):
                if k < 4:
                    y[i] += x[i, j]
                else:
                    pass
""")


def find(p: Proc, pattern: str) -> NodeCursor:
    found = p.find(pattern)
    assert isinstance(found, NodeCursor)
    return found


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


def test_what_is_around(p: Proc) -> None:
    read = find(p, "x[_]")
    assert [c.name() for c in enclosing_loops(read)] == ["i", "j", "k"]
    assert len(enclosing_ifs(read)) == 1
    assert len(enclosing_scopes(read)) == 4
    assert enclosing_loop(read).name() == "k"
    assert enclosing_loop(read, "i") == loop(p, "i")
    assert enclosing_stmt(read) == find(p, "y[_] += _")
    assert enclosing_stmt(find(p, "y[_] += _")) == find(p, "y[_] += _")


def test_what_is_not_around_is_said(p: Proc) -> None:
    with pytest.raises(InvalidCursorError, match="no loop z is around this"):
        enclosing_loop(find(p, "x[_]"), "z")
    with pytest.raises(InvalidCursorError, match="no loop is around this"):
        enclosing_loop(loop(p, "i"))
    with pytest.raises(InvalidCursorError, match="no loop is inside this"):
        inner_loop(loop(p, "k"))


def test_what_is_below(p: Proc) -> None:
    i = loop(p, "i")
    assert inner_loop(i).name() == inner_loop(i.body()).name() == "j"
    assert [nth_inner_loop(p.root(), n).name() for n in range(3)] == ["i", "j", "k"]
    assert [c.name() for c in loops_inside(i)] == ["j", "k"]
    assert [c.name() for c in innermost_loops(p.root())] == ["k"]
    assert len(statements(p.root())) == 7


def test_nests(p: Proc) -> None:
    assert [c.name() for c in nest(loop(p, "j"))] == ["j", "k"]
    assert is_perfect_nest(loop(p, "j"), 2)
    assert not is_perfect_nest(loop(p, "i"), 2)
    assert not is_perfect_nest(find(p, "y[_] = _"), 1)
    assert trip_count(loop(p, "k")) == 6
    assert trip_count(loop(p, "j")) is None


def test_shapes(p: Proc) -> None:
    assert str(nest_shape(p.root())) == "foo > par n > [y =; seq m > seq 2:8 > if > [y +=; else > pass]]"
    assert str(nest_shape(loop(p, "i").body())) == "block > [y =; seq m > seq 2:8 > if > [y +=; else > pass]]"
    assert nest_shape(loop(p, "k").body()) == nest_shape(find(p, "if _: _"))


def test_how_often_a_loop_runs() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n + 8]):
    for i in seq(n, n + 4):
        x[i] = 0.0
    for j in seq(3, 1):
        x[j] = 0.0
    for k in seq(0, n):
        x[k] = 0.0
""")
    assert [trip_count(loop(p, name)) for name in "ijk"] == [4, 0, None]
