"""ELEVATE's rules for loops: what they make, what they refuse, and that what they make computes the same."""

from __future__ import annotations

import pytest

from exo_strat import (
    AllocCursor,
    ForCursor,
    Op,
    Proc,
    at,
    divide_dim,
    moves,
    proc_from_source,
    schedule,
    seq,
    traversals,
)
from exo_strat.testing import assert_equivalent, check_strategy, every, examples
from strategies.elevate import (
    fmap,
    fuseReduceMap,
    innermost,
    isMap,
    isReduce,
    mapNest,
    normalize,
    outermost,
    parallel,
    reduceMapFission,
    reorder,
    split,
    storeInMemory,
    tile,
    try_,
    unroll,
    vectorize,
)

PRODUCT = proc_from_source("""
def product(m: size, n: size, k: size, a: f32[8 * m, 8 * k], b: f32[8 * k, 8 * n], c: f32[8 * m, 8 * n]):
    for i in seq(0, 8 * m):
        for j in seq(0, 8 * n):
            c[i, j] = 0.0
            for k0 in seq(0, 8 * k):
                c[i, j] += a[i, k0] * b[k0, j]
""")
CUBE = proc_from_source("""
def cube(x: f32[2, 3, 4]):
    for i in seq(0, 2):
        for j in seq(0, 3):
            for k in seq(0, 4):
                x[i, j, k] = 0.0
""")
PREFIX = proc_from_source("""
def prefix(n: size, x: f32[8 * n + 1]):
    for i in seq(0, 8 * n):
        x[i + 1] = x[i] + 1.0
""")


def names(p: Proc) -> list[str]:
    return [c.name() for c in traversals.loops(p.root()) if isinstance(c, ForCursor)]


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


# -- what they make -----------------------------------------------------------------------------------


def test_a_product_of_tiles_of_a_product() -> None:
    op = seq(
        tile(8, 8) @ outermost(mapNest(2)),
        reduceMapFission(2) @ outermost(isReduce),
        split(4) @ innermost(isReduce),
        reorder(1, 2, 5, 6, 3, 4) @ outermost(mapNest(2)),
    )
    q = schedule(op, PRODUCT)
    assert names(q) == ["io", "jo", "ii", "ji", "k0o", "k0i", "ii", "ji"]
    assert assert_equivalent(PRODUCT, q)


@pytest.mark.parametrize("order", [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1), (2, 1)], ids=str)
def test_every_order_of_a_nest(order: tuple[int, ...]) -> None:
    wanted = [*("ijk"[n - 1] for n in order), *"ijk"[len(order) :]]
    assert names(schedule(reorder(*order), CUBE, loop(CUBE, "i"))) == wanted


def test_an_order_takes_as_few_exchanges_as_it_needs() -> None:
    assert len(schedule(reorder(1, 2, 3), CUBE, loop(CUBE, "i")).history()) == 0
    assert len(schedule(reorder(3, 2, 1), CUBE, loop(CUBE, "i")).history()) == 3


def test_tiles_of_three_loops() -> None:
    q = schedule(tile(2, 3, 2), CUBE, loop(CUBE, "i"))
    assert names(q) == ["io", "jo", "ko", "ii", "ji", "ki"]
    assert assert_equivalent(CUBE, q)


@pytest.mark.parametrize("op", [vectorize(4), parallel], ids=["vectorize", "parallel"])
def test_again_changes_nothing(op: Op) -> None:
    once = schedule(op @ innermost(isMap), CUBE)
    assert schedule(op @ innermost(isMap), once) is once


def test_memory_is_filled_once_if_it_is_only_read() -> None:
    q = schedule(at(moves.body, storeInMemory("b", "t", layout=divide_dim(1, 8))), PRODUCT)
    assert [c.name() for c in traversals.nlr(q.root()) if isinstance(c, AllocCursor)] == ["t"]
    assert names(q) == ["i0", "i1", "i", "j", "k0"]
    assert assert_equivalent(PRODUCT, q)


def test_memory_is_only_emptied_if_it_is_written_first() -> None:
    q = schedule(at(moves.body, storeInMemory("c", "t", copy=try_(reorder(2, 1)))), PRODUCT)
    assert names(q) == ["i", "j", "k0", "i1", "i0"]
    assert assert_equivalent(PRODUCT, q)


def test_products_are_not_stored_before_they_are_added() -> None:
    p = proc_from_source("""
def two(n: size, x: f32[n], y: f32[n], r: f32[2]):
    s: f32[n]
    for i in seq(0, n):
        s[i] = x[i] * x[i]
    r[0] = 0.0
    for i in seq(0, n):
        r[0] += s[i]
    t: f32[n]
    for i in seq(0, n):
        t[i] = x[i] * y[i]
    r[1] = 0.0
    for i in seq(0, n):
        r[1] += t[i]
""")
    q = schedule(normalize(fuseReduceMap()), p)
    assert not any(isinstance(c, AllocCursor) for c in traversals.nlr(q.root()))
    assert names(q) == ["i", "i"]
    assert assert_equivalent(p, q)


# -- what they refuse ---------------------------------------------------------------------------------

REFUSED: list[tuple[Op, Proc, str, str]] = [
    (fuseReduceMap(), CUBE, "i", "this acts on an allocation, but the focus is a loop"),
    (reorder(1, 1), CUBE, "i", "(1, 1) is no order of the 2 loops here"),
    (reorder(2, 1, 3, 4), CUBE, "i", "(2, 1, 3, 4) is no order of the 3 loops here"),
    (reorder(1, 3, 2), PRODUCT, "i", "reorder_loops"),
    (split(7), PRODUCT, "i", "divide_loop"),
    (vectorize(8), PREFIX, "i", "no two iterations of"),
    (parallel, PREFIX, "i", "no two iterations of"),
    (unroll, PREFIX, "i", "unroll_loop"),
    (reduceMapFission(), PREFIX, "i", "fission"),
    (fmap(split(2)), PREFIX, "i", "this acts on a loop, but the focus is an assignment"),
    (fmap(reorder(1)), PREFIX, "i", "this acts on a loop, but the focus is an assignment"),
    (storeInMemory("y", "t"), PREFIX, "i", "y"),
]


@pytest.mark.parametrize(("op", "p", "name", "why"), REFUSED, ids=lambda x: str(x) if isinstance(x, Op) else "")
def test_a_refusal_says_why(op: Op, p: Proc, name: str, why: str) -> None:
    assert why in str(op(p, loop(p, name)).failure())


# -- that it computes the same ------------------------------------------------------------------------


SOUND = [
    split(2),
    tile(2),
    tile(2, 2),
    reorder(2, 1),
    reduceMapFission(),
    vectorize(2),
    parallel,
    unroll,
    seq(isMap, parallel),
    storeInMemory("x", "t"),
    storeInMemory("x", "t", copy=try_(parallel)),
]


@pytest.mark.parametrize("op", SOUND, ids=str)
def test_on_random_programs_the_meaning_stays(op: Op) -> None:
    check_strategy(op, at=every(ForCursor), max_examples=examples(25))
