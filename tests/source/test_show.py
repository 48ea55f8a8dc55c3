"""What is printed of an Op is the Python that rebuilds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exo_strat
from exo_strat import (
    Cursor,
    Op,
    Primitive,
    Proc,
    at,
    attempt,
    choose,
    cut_loop,
    direct,
    divide_loop,
    fail,
    fix,
    focus,
    fuse,
    guard,
    identity,
    lift,
    moves,
    named,
    nav,
    not_,
    proc_from_source,
    reduce,
    reframe,
    rename,
    reorder_loops,
    repeat,
    repeat_n,
    savec,
    seq,
    strategy,
    traversals,
    try_else,
    when,
    where,
)
from exo_strat.ops.strategy import Atomic
from exo_strat.source import show
from exo_strat.testing import ops as primitive_ops
from exo_strat.testing import procs
from exo_strat.testing.library import CONFIG

P = proc_from_source("""
def foo(n: size, w: [f32][n], x: f32[n, n], y: f32[n]):
    assert n > 2
    for i in seq(0, n):
        if i < 3:
            y[i] = -1.0 + x[i, 0]
        else:
            pass
        for j in seq(0, n):
            x[i, j] = select(0.0, y[j], w[0], w[1])
""")


@strategy
def tile(p, c, size, names=("io", "ii")):  # type: ignore[no-untyped-def]
    yield divide_loop(size, names)


@named
def twice(op, times=2):  # type: ignore[no-untyped-def]
    return repeat_n(op, times)


def is_loop(c: Cursor) -> bool:
    return isinstance(c, exo_strat.ForCursor)


def length(p: Proc) -> int:
    return len(str(p))


NAMES: dict[str, Any] = {
    **{n: getattr(exo_strat, n) for n in exo_strat.__all__},
    **{"foo": P, "tile": tile, "twice": twice, "is_loop": is_loop, "length": length, "partial": partial},
}  # fmt: skip


def rebuilt(op: object, names: dict[str, Any] = NAMES) -> object:
    return eval(show(op), dict(names))


# -- each combinator, and each kind of argument -----------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "identity",
        "fail('no \"way\"')",
        "seq(rename('a'), rename('b'))",
        "try_else(rename('a'), rename('b'))",
        "attempt(rename('a'))",
        "try_else(rename('a'), rename('b'), identity)",
        "try_else(identity, rename('a'))",
        "repeat(reorder_loops())",
        "repeat(reorder_loops(), limit=3)",
        "repeat_n(reorder_loops(), 3)",
        "reduce(attempt(reorder_loops()), traversals.lrn)",
        "reduce(reorder_loops(), traversals.inner_loops, gone='fail')",
        "nav(moves.parent)",
        "nav(moves.here)",
        "nav(moves.find('x') >> moves.next_(2) >> moves.before)",
        "savec(rename('a'))",
        "savec(nav(moves.parent))",
        "savec(seq(rename('a'), nav(moves.parent)))",
        "at('for i in _: _', reorder_loops())",
        "at('for i in _: _', seq(reorder_loops(), rename('a')))",
        "at(foo.body()[0], reorder_loops())",
        "reframe(moves.body >> moves.nth(0), reorder_loops())",
        "reframe(moves.find('x') >> moves.parent, reorder_loops())",
        "focus(foo.body()[0].body()[0:2])",
        "on(foo.body()[0], reorder_loops())",
        "on(foo.body()[0], reorder_loops(), rename('a'))",
        "seq(rename('a'), focus(foo.body()[0]), reorder_loops())",
        "lift(divide_loop.direct, 4, ('io', 'ii'))",
        "when(is_loop)",
        "when(is_loop, reorder_loops())",
        "where(reorder_loops())",
        "not_(reorder_loops())",
        "guard(reorder_loops(), rename('a'))",
        "guard(reorder_loops(), rename('a'), rename('b'))",
        "choose(length, rename('a'), rename('b'))",
        "fix(lambda x: try_else(reorder_loops(), traversals.one(x)))",
        "fix(lambda x: fix(lambda x1: try_else(seq(x, x1), twice(x))))",
        "traversals.all_(rename('a'))",
        "traversals.some(rename('a'))",
        "traversals.once_td(reorder_loops())",
        "traversals.down_up(identity, traversals.normalize(reorder_loops()))",
        "tile(4)",
        "tile(4, names=('a', 'b'))",
        "twice(twice(rename('a'), times=3))",
        "set_precision('f32')",
        "set_precision(f32)",
        "set_memory(DRAM)",
        "partial_eval(8, m=3)",
        "specialize(('n < 3', 'n < 5'))",
        "replace(foo)",
        "fuse(foo.body()[0])",
        "cut_loop(foo.body()[0].hi())",
    ],
)
def test_an_op_prints_as_it_is_best_written(text: str) -> None:
    op = eval(text, dict(NAMES))
    assert repr(op) == text
    assert rebuilt(op) == op


def test_what_is_written_in_other_ways_prints_as_one() -> None:
    assert repr(seq(rename("a"), seq(identity, rename("b")))) == "seq(rename('a'), identity, rename('b'))"
    assert repr(lift(direct.divide_loop, 4, ["io", "ii"])) == "lift(divide_loop.direct, 4, ('io', 'ii'))"
    assert repr(savec(seq(nav(moves.find("x")), rename("a")))) == "at('x', rename('a'))"
    assert repr(reorder_loops() >> rename("a") | identity) == "attempt(seq(reorder_loops(), rename('a')))"
    assert repr(attempt(rename("a") | rename("b"))) == "try_else(rename('a'), rename('b'), identity)"
    assert repr(lift(partial(direct.cut_loop, cut=1))) == "lift(partial(cut_loop.direct, cut=1))"


def test_a_lambda_prints_as_its_text_with_the_values_that_it_closes_over() -> None:
    def above(k: int) -> Op:
        return reframe(lambda c: c.expand(k, 0), rename("a"))  # type: ignore[attr-defined]

    assert str(above(1)) == "reframe(lambda c: c.expand(1, 0), rename('a'))"
    op = when(lambda c: isinstance(c, exo_strat.ForCursor) and c.name() == "i", rename("z"))
    again = rebuilt(op, {**NAMES, "exo_strat": exo_strat})
    assert isinstance(again, Op)
    for c in (P.body()[0], P.root()):
        assert type(op(P, c)) is type(again(P, c))


@dataclass(frozen=True, repr=False)
class Mine(Atomic):
    op: Op
    n: int
    times: int = 1
    then: Op = identity


def test_an_op_of_another_author_prints_as_its_constructor() -> None:
    assert repr(attempt(Mine(rename("a"), 3))) == "attempt(Mine(rename('a'), 3))"
    assert repr(Mine(rename("a"), 3, then=rename("b"))) == "Mine(rename('a'), 3, then=rename('b'))"
    assert repr(Mine(rename("a"), 3, 2, rename("b"))) == "Mine(rename('a'), 3, times=2, then=rename('b'))"


# -- random strategies --------------------------------------------------------------------------------------

MOVES = st.sampled_from([moves.here, moves.parent, moves.find("x"), moves.find("x") >> moves.next_(2), moves.body])
LEAVES: st.SearchStrategy[Op] = st.one_of(
    st.sampled_from([identity, fail("no"), reorder_loops(), rename("a"), cut_loop("n"), tile(4), fuse(P.body()[0])]),
    MOVES.map(nav),
    st.just(focus(P.body()[0])),
)


def _composed(s: st.SearchStrategy[Op]) -> st.SearchStrategy[Op]:
    unary: list[Callable[[Op], Op]] = [
        attempt, where, not_, savec, twice, repeat, traversals.all_, traversals.one, traversals.some,
        traversals.once_td, traversals.frontier_td, traversals.normalize, lambda x: when(is_loop, x),
        lambda x: reduce(x, traversals.nlr),
        lambda x: fix(lambda x1: try_else(x, x1)), lambda x: fix(lambda y: seq(y, x, fix(lambda y: seq(y, x)))),
        lambda x: at("for i in _: _", x), lambda x: at(P.body()[0], x), lambda x: repeat(x, 3),
    ]  # fmt: skip
    nary: list[Callable[..., Op]] = [seq, try_else, guard, lambda *x: choose(length, *x)]
    return st.one_of(
        st.builds(lambda f, x: f(x), st.sampled_from(unary), s),
        st.builds(lambda f, x: f(*x), st.sampled_from(nary), st.lists(s, min_size=2, max_size=3)),
        st.builds(reframe, MOVES, s),
    )


@given(st.recursive(LEAVES, _composed, max_leaves=8))
def test_any_strategy_is_rebuilt_by_what_is_printed(op: Op) -> None:
    assert rebuilt(op) == op
    assert eval(str(op), dict(NAMES)) == op


def _bound(value: object) -> Iterator[tuple[str, object]]:
    """The procedures in an Op's arguments, by name."""
    match value:
        case tuple():
            for v in value:
                yield from _bound(v)
        case Primitive():
            yield from _bound(value.args)
        case Cursor():
            yield value.proc.name(), value.proc
        case Proc():
            yield value.name(), value


@given(procs(), st.data())
def test_any_primitive_is_rebuilt_by_what_is_printed(p: Proc, data: st.DataObject) -> None:
    op, _ = data.draw(primitive_ops(p))
    assert rebuilt(op, {**NAMES, CONFIG.name: CONFIG, **dict(_bound(op))}) == op


@given(procs())
def test_any_cursor_is_rebuilt_by_the_navigation_that_is_printed(p: Proc) -> None:
    for c in p.root().descendants():
        assert eval(show(c), {p.name(): p, "list": list}) == c


def test_a_deep_strategy_prints() -> None:
    deep: Op = identity
    for _ in range(3000):
        deep = where(deep)
    assert repr(deep).count("where(") == str(deep).count("where(") == 3000
