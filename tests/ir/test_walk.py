"""Walks and maps over trees: what they visit, what they change, and what they share."""

from __future__ import annotations

from exo_strat import proc_from_source
from exo_strat.ir.build import num
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Expr, For, Node, ProcDef, Stmt
from exo_strat.ir.walk import binders, children, get, mentions, parts, rename, statements, subst, update, walk

TREE = proc_from_source("""
def foo(n: size, x: f32[n, 4], y: [f32][4]):
    assert n >= 4
    for i in seq(0, n):
        t: f32[4]
        if i < 2:
            for j in seq(0, 4):
                t[j] = x[i, j]
        else:
            w = x[i, 0:4]
            w[0] += y[i % 4]
    y[0] = 1.0
""").tree
LOOP = TREE.body[0]
assert isinstance(LOOP, For)


def test_statements_are_those_of_the_walk() -> None:
    assert list(statements(TREE)) == [(p, n) for p, n in walk(TREE) if isinstance(n, Stmt)]
    branch = (("body", 0), ("body", 1))
    below = get(TREE, branch)
    assert list(statements(below, branch)) == [(p, n) for p, n in walk(below, branch) if isinstance(n, Stmt)]
    assert list(statements(LOOP.hi)) == []


def test_parts_are_the_children() -> None:
    for path, n in walk(TREE):
        assert parts(n) == [c for _, c in children(n)]
        assert all(get(TREE, (*path, step)) is c for step, c in children(n))


def _changed(old: Node, new: Node) -> set[int]:
    """The nodes of `old` of which `new` has another object in the same place."""
    return {id(n) for p, n in walk(old) if get(new, p) is not n}


def test_substitution_copies_what_mentions_the_variable_and_shares_the_rest() -> None:
    i = LOOP.iter
    new = subst(LOOP.body[1], {i: num(3)})
    assert i not in mentions(new)
    assert _changed(LOOP.body[1], new) == {id(n) for _, n in walk(LOOP.body[1]) if i in mentions(n)}
    assert subst(LOOP.body[0], {i: num(3)}) is LOOP.body[0]
    assert subst(LOOP, {i: num(3)}).iter == i


def test_renaming_goes_through_binders_windows_and_strides() -> None:
    env = {s: Sym(s.name.upper(), 100 + s.id) for s in binders(TREE)}
    new: ProcDef = rename(TREE, env)
    assert mentions(new) == set(env.values()) and binders(new) == tuple(env.values())
    assert rename(new, {b: a for a, b in env.items()}) == TREE


def test_an_update_that_changes_nothing_gives_the_same_object() -> None:
    path = (("body", 0), ("body", 1), ("cond", None))
    assert update(TREE, path, lambda e: e) is TREE
    new = update(TREE, path, lambda _: num(1))
    assert isinstance(get(new, path), Expr) and new.body[1] is TREE.body[1]
    assert update(LOOP, (("body", None),), lambda block: block[:1]).body == LOOP.body[:1]  # type: ignore[index]
