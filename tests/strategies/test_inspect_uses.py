"""Questions about buffers and values: what is read, written, declared; what depends on what."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from exo_strat import (
    AllocCursor,
    ArgCursor,
    ForCursor,
    InvalidCursorError,
    NodeCursor,
    Proc,
    WindowDefCursor,
    f32,
    proc_from_source,
)
from exo_strat.testing import examples, procs, samples
from exo_strat.testing.recording import record
from strategies.inspect import (
    declaration,
    depends_on,
    is_constant,
    is_invariant,
    is_reduction,
    precision,
    symbol,
    symbols_read,
    symbols_written,
    unique_name,
    unique_names,
)


def find(p: Proc, pattern: str) -> NodeCursor:
    found = p.find(pattern)
    assert isinstance(found, NodeCursor)
    return found


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


@pytest.fixture
def p() -> Proc:
    scale = proc_from_source("""
def scale(k: size, a: f32, v: [f32][k]):
    for i in seq(0, k):
        v[i] = a * v[i]
""")
    return proc_from_source(
        """
def foo(n: size, x: f32[n, 8], y: f64[n], r: f32):
    for i in seq(0, n):
        a: f32
        a = 2.0
        w = x[i, 0:4]
        scale(4, a, w)
        for j in seq(0, 8):
            y[i] += x[i, j] * a
        r = r + 1.0
""",
        {"scale": scale},
    )


def names(syms: tuple[object, ...]) -> list[str]:
    return [str(s) for s in syms]


def test_what_is_read_and_written_through_windows_and_calls(p: Proc) -> None:
    call = find(p, "scale(_)")
    assert names(symbols_read(call)) == ["a", "x"]
    assert names(symbols_written(call)) == ["x"]
    assert names(symbols_written(p.root())) == ["a", "x", "y", "r"]
    assert names(symbols_read(loop(p, "j"))) == ["x", "a", "y"]


def test_declarations(p: Proc) -> None:
    place = find(p, "y[_] += _")
    assert isinstance(declaration(place, "x"), ArgCursor)
    assert isinstance(declaration(place, "a"), AllocCursor)
    assert isinstance(declaration(place, "w"), WindowDefCursor)
    assert declaration(place, "j") == loop(p, "j")
    assert declaration(place, find(p, "x[_]")) == declaration(p.root(), "x")
    with pytest.raises(InvalidCursorError, match="'z' means nothing here"):
        declaration(place, "z")


def test_a_name_means_what_it_means_in_object_code() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(0, n):
        for i in seq(0, n):
            x[i] = 0.0
""")
    outer, inner = loop(p, "i"), loop(p, "i #1")
    place = find(p, "x[_] = _")
    assert symbol(place, "i_1") == inner.sym
    assert symbol(place, "i") == outer.sym


def test_reductions(p: Proc) -> None:
    j, update = loop(p, "j"), find(p, "y[_] += _")
    assert is_reduction(update)
    assert is_reduction(update, j)
    assert not is_reduction(update, loop(p, "i"))
    assert is_reduction(j)
    assert not is_reduction(loop(p, "i"))
    assert not is_reduction(find(p, "r = _"))


def test_dependence(p: Proc) -> None:
    i, j = loop(p, "i"), loop(p, "j")
    assert is_invariant(find(p, "a #1"), j)
    assert depends_on(find(p, "a #1"), i)
    assert depends_on(find(p, "x[_] #1"), j)
    assert depends_on(find(p, "r + 1.0"), i)
    assert is_constant(find(p, "1.0"))
    assert not is_constant(find(p, "r + 1.0"))


def test_precision(p: Proc) -> None:
    assert str(precision(find(p, "y[_] += _"))) == "f64"
    assert precision(find(p, "x[_] * a")) == f32
    assert precision(find(p, "2.0")) == f32
    assert precision(declaration(p.root(), "x")) == f32
    with pytest.raises(InvalidCursorError, match="no data"):
        precision(loop(p, "i").hi())


def test_new_names(p: Proc) -> None:
    assert unique_name(p, "t") == "t"
    assert unique_name(p, "a") == "a_1"
    assert unique_names(p, ("t", "t", "i")) == ("t", "t_1", "i_1")


@given(procs())
@settings(max_examples=examples(40))
def test_a_run_reads_and_writes_nothing_else(p: Proc) -> None:
    read, written = symbols_read(p.root()), symbols_written(p.root())
    for given_ in samples(p, limit=3):
        log = record(p.tree, given_)
        cells = {id(getattr(v, "cells", None)): s for s, v in log.args.items()}
        for e in log.events:
            s = cells.get(id(e.cells))
            assert s is None or e.kind == "W" or s in read
            assert s is None or e.kind == "R" or s in written
