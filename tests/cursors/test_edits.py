"""The laws of the atomic edits, on random trees and random edits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pvector

from exo_strat.cursors.edits import Delete, Edit, Insert, Move, Replace, Wrap
from exo_strat.ir.build import data, num
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Assign, For, If, Pass, ProcDef, Stmt
from exo_strat.ir.span import Span
from exo_strat.ir.walk import get, walk

X, IT = Sym("x", 0), Sym("i", 1)
numbers = st.integers(0, 9)


def leaf(n: int) -> Stmt:
    return Assign(X, pvector(), data(float(n)))


def loop(body: list[Stmt]) -> Stmt:
    return For(IT, num(0), num(4), pvector(body))


def cond(body: list[Stmt], orelse: list[Stmt]) -> Stmt:
    return If(num(1), pvector(body), pvector(orelse))


statements = st.recursive(
    numbers.map(leaf),
    lambda s: st.lists(s, min_size=1, max_size=3).map(loop)
    | st.tuples(st.lists(s, min_size=1, max_size=2), st.lists(s, max_size=2)).map(lambda t: cond(*t)),
    max_leaves=12,
)
trees = st.lists(statements, min_size=1, max_size=4).map(
    lambda body: ProcDef("p", pvector(), pvector(), pvector(body), None, 2)
)


def lists_of(tree: ProcDef) -> list[Span]:
    """Every statement list of a tree, as a span over all of it."""
    found = []
    for path, n in walk(tree):
        for label in ("body", "orelse"):
            if hasattr(n, label):
                found.append(Span(path, label, 0, len(getattr(n, label))))
    return found


@st.composite
def spans(draw: st.DrawFn, tree: ProcDef, empty: bool = False) -> Span:
    whole = draw(st.sampled_from([s for s in lists_of(tree) if empty or s.hi > 0]))
    if empty:
        at = draw(st.integers(0, whole.hi))
        return whole._replace(lo=at, hi=at)
    lo = draw(st.integers(0, whole.hi - 1))
    return whole._replace(lo=lo, hi=draw(st.integers(lo + 1, whole.hi)))


def inside(path: tuple[object, ...], span: Span) -> bool:
    j = span.step_of(path)  # type: ignore[arg-type]
    return j is not None and span.lo <= j < span.hi


@st.composite
def edits(draw: st.DrawFn, tree: ProcDef) -> Edit:
    kind = draw(st.sampled_from(["insert", "delete", "replace", "move", "wrap"]))
    if kind == "insert":
        return Insert(draw(spans(tree, empty=True)), pvector([leaf(n) for n in draw(st.lists(numbers, max_size=3))]))
    span = draw(spans(tree))
    if kind == "delete":
        return Delete(span)
    if kind == "replace":
        return Replace(span.path(), Pass())
    if kind == "wrap":
        return Wrap(span, For(IT, num(0), num(1), pvector()), "body")
    gaps = [s for s in lists_of(tree) if not inside(s.parent, span)]
    whole = draw(st.sampled_from(gaps))
    at = draw(st.integers(0, whole.hi))
    same = (whole.parent, whole.label) == (span.parent, span.label)
    if same and span.lo < at < span.hi:
        at = span.lo
    return Move(span, whole._replace(lo=at, hi=at))


@given(st.data())
def test_what_an_edit_does_not_touch_forwards_to_the_same_object(data: st.DataObject) -> None:
    tree = data.draw(trees)
    edit = data.draw(edits(tree))
    new = edit.apply(tree)
    for path, node in walk(tree):
        if not path or path[-1][0] not in ("body", "orelse"):
            continue
        there = edit.forward(path)
        if there is None:
            assert isinstance(edit, Delete | Replace)
            continue
        old_kids, found = set(map(id, (n for _, n in walk(node)))), get(new, there)
        if isinstance(edit, Replace) and there == edit.path:
            assert found is edit.new
        elif found is not node:  # on the spine: something inside it changed, and its kind did not
            assert type(found) is type(node)
            assert old_kids


@given(st.data())
def test_forwarding_is_injective_and_misses_only_new_statements(data: st.DataObject) -> None:
    tree = data.draw(trees)
    edit = data.draw(edits(tree))
    new = edit.apply(tree)
    old_paths = [p for p, n in walk(tree) if p and p[-1][0] in ("body", "orelse")]
    alive = [q for p in old_paths if (q := edit.forward(p)) is not None]
    assert len(set(alive)) == len(alive)
    new_paths = [p for p, n in walk(new) if p and p[-1][0] in ("body", "orelse")]
    assert set(alive) <= set(new_paths)
    added = {Insert: lambda e: len(e.new), Wrap: lambda e: 1}.get(type(edit), lambda e: 0)(edit)
    assert len(new_paths) == len(alive) + added


@given(st.data())
def test_an_edit_shares_everything_off_the_spine(data: st.DataObject) -> None:
    tree = data.draw(trees)
    edit = data.draw(edits(tree))
    before = str(tree)
    new = edit.apply(tree)
    assert str(tree) == before
    touched = {id(n) for _, n in walk(tree)}
    fresh = [n for p, n in walk(new) if id(n) not in touched and isinstance(n, For | If | Assign)]
    depth = max((len(p) for p, _ in walk(new)), default=0)
    assert len(fresh) <= 2 * depth + 4


def test_a_move_counts_its_target_before_the_move() -> None:
    tree = ProcDef("p", pvector(), pvector(), pvector([leaf(0), leaf(1), leaf(2)]), None, 2)
    move = Move(Span((), "body", 0, 1), Span((), "body", 3, 3))
    assert [s.rhs.value for s in move.apply(tree).body] == [1.0, 2.0, 0.0]  # type: ignore[union-attr]
    assert move.forward((("body", 0),)) == (("body", 2),)
    assert move.forward((("body", 2),)) == (("body", 1),)


def test_an_update_that_changes_nothing_returns_the_same_tree() -> None:
    tree = ProcDef("p", pvector(), pvector(), pvector([leaf(0)]), None, 2)
    assert Replace((("body", 0),), tree.body[0]).apply(tree) is tree
