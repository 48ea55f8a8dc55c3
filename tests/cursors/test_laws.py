"""The laws of cursors: forwarding through random sequences of edits, branching time, navigation.

K numbers are those of the law catalogue. Programs are nests of loops, branches and assignments of
literals; a version is made from another by one to three atomic edits of any kind.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyrsistent import pvector

from exo_strat.cursors.cursor import BlockCursor, Cursor, ExprCursor, GapCursor, GoneCursor, NodeCursor, StmtCursor
from exo_strat.cursors.edits import Delete, Edit, Insert, Move, Replace, Wrap
from exo_strat.cursors.kinds import ForCursor, IfCursor
from exo_strat.cursors.proc import InvalidCursorError, Proc
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.ir.build import data, lt, num
from exo_strat.ir.memory import DRAM
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Arg, Assign, Binary, For, If, Pass, ProcDef, Stmt, Var
from exo_strat.ir.printing import print_lines
from exo_strat.ir.span import Span, span_of
from exo_strat.ir.types import R
from exo_strat.ir.walk import Path, walk

X, IT = Sym("x", 0), Sym("i", 1)
numbers = st.integers(0, 9)


def leaf(n: int) -> Stmt:
    return Assign(X, pvector(), Binary("+", data(float(n)), data(1.0)))


def loop(body: list[Stmt]) -> Stmt:
    return For(IT, num(0), num(4), pvector(body))


def branch(body: list[Stmt], orelse: list[Stmt]) -> Stmt:
    return If(lt(Var(IT), num(2)), pvector(body), pvector(orelse))


statements = st.recursive(
    numbers.map(leaf),
    lambda s: st.lists(s, min_size=1, max_size=3).map(loop)
    | st.tuples(st.lists(s, min_size=1, max_size=2), st.lists(s, max_size=2)).map(lambda t: branch(*t)),
    max_leaves=8,
)


def program(body: list[Stmt], name: str = "p") -> Proc:
    return Proc(ProcDef(name, pvector([Arg(X, R, DRAM)]), pvector(), pvector(body), None, 2))


programs = st.lists(statements, min_size=1, max_size=4).map(program)


# -- random edits -------------------------------------------------------------------------------------


def lists_of(tree: ProcDef) -> list[Span]:
    """Every statement list of a tree, as a span over all of it."""
    found = [(path, n, label) for path, n in walk(tree) for label in ("body", "orelse") if hasattr(n, label)]
    return [Span(path, label, 0, len(getattr(n, label))) for path, n, label in found]


def inside(path: Path, span: Span) -> bool:
    j = span.step_of(path)
    return j is not None and span.lo <= j < span.hi


def gap(draw: st.DrawFn, lists: list[Span]) -> Span:
    whole = draw(st.sampled_from(lists))
    at = draw(st.integers(0, whole.hi))
    return whole._replace(lo=at, hi=at)


def edit_once(draw: st.DrawFn, rw: Rewrite) -> None:
    """One atomic edit, of a random kind at a random place."""
    lists = lists_of(rw.tree)
    full = [s for s in lists if s.hi > 0]
    kind = draw(st.sampled_from(["insert", "delete", "replace", "set", "move", "wrap"] if full else ["insert"]))
    if kind == "insert":
        rw.insert(gap(draw, lists), *[leaf(n) for n in draw(st.lists(numbers, min_size=1, max_size=2))])
        return
    whole = draw(st.sampled_from(full))
    lo = draw(st.integers(0, whole.hi - 1))
    span = whole._replace(lo=lo, hi=draw(st.integers(lo + 1, whole.hi)))
    node = rw.node(span.path())
    if kind == "delete":
        rw.delete(span)
    elif kind == "replace":
        rw.replace(span.path(), draw(st.sampled_from([Pass(), leaf(9), loop([leaf(8)])])))
    elif kind == "set" and not isinstance(node, Pass):
        rw.set(span.path(), **({"rhs": data(7.0)} if isinstance(node, Assign) else {"body": pvector([leaf(7)])}))
    elif kind in ("set", "wrap"):
        rw.wrap(span, For(IT, num(0), num(1), pvector()))
    else:
        to = gap(draw, [s for s in lists if not inside(s.parent, span)])
        same = (to.parent, to.label) == (span.parent, span.label)
        rw.move(span, to._replace(lo=lo, hi=lo) if same and span.lo < to.lo < span.hi else to)


def later(draw: st.DrawFn, p: Proc) -> Proc:
    """A version made from `p` by a few edits."""
    rw = Rewrite(p)
    for _ in range(draw(st.integers(1, 3))):
        edit_once(draw, rw)
    q = rw.finish("edits", ())
    assume(q is not p)
    return q


@st.composite
def histories(draw: st.DrawFn, length: int = 3) -> tuple[Proc, ...]:
    """Versions, each made from the one before."""
    versions = [draw(programs)]
    while len(versions) < length:
        versions.append(later(draw, versions[-1]))
    return tuple(versions)


@st.composite
def branches(draw: st.DrawFn) -> tuple[Proc, Proc, Proc]:
    """A version and two that were made from it."""
    p = draw(programs)
    return p, later(draw, p), later(draw, p)


def cursors(p: Proc) -> Iterator[Cursor]:
    """Every cursor of a procedure: to nodes, gaps and blocks."""
    for c in p.root().descendants():
        yield c
        if isinstance(c, StmtCursor):
            yield from (c.before(), c.after())
    for s in lists_of(p.tree):
        for lo in range(s.hi):
            yield from (BlockCursor(p, s._replace(lo=lo, hi=hi)) for hi in range(lo + 1, s.hi + 1))


def edits_of(q: Proc) -> tuple[Edit, ...]:
    assert q.rewritten is not None
    return q.rewritten.edits


# -- K1: forwarding ------------------------------------------------------------------------------------


@given(histories(1))
def test_forwarding_to_the_same_version_is_identity(versions: tuple[Proc, ...]) -> None:
    (p,) = versions
    assert all(p.forward(c) is c for c in cursors(p))


@given(histories(4))
def test_forwarding_composes(versions: tuple[Proc, ...]) -> None:
    p, q, r, s = versions
    for c in cursors(p):
        assert r.forward(q.forward(c)) == r.forward(c)
        assert s.forward(r.forward(q.forward(c))) == s.forward(r.forward(c)) == s.forward(c)


@given(histories(3))
def test_what_is_gone_stays_gone(versions: tuple[Proc, ...]) -> None:
    p, q, r = versions
    for c in cursors(p):
        there = q.forward(c)
        assert there.is_valid == (not isinstance(there, GoneCursor))
        if not there.is_valid:
            assert r.forward(there) == GoneCursor(r) == r.forward(c)


def touches(edit: Edit, path: Path) -> bool:
    """Whether an edit changes something at or below a path of the tree that it is applied to."""
    match edit:
        case Replace(path=at):
            places = [at]
        case Move(src=src, dst=dst):
            places = [src.parent, dst.parent]
        case Insert(at=at) | Delete(at=at) | Wrap(at=at):
            places = [at.parent]
    return any(place[: len(path)] == path for place in places)


@given(histories(2))
def test_what_no_edit_touched_forwards_to_the_same_object(versions: tuple[Proc, ...]) -> None:
    p, q = versions
    for c in p.root().descendants():
        path: Path | None = c.path
        touched = False
        for edit in edits_of(q):
            touched = touched or (path is not None and touches(edit, path))
            path = None if path is None else edit.forward(path)
        there = q.forward(c)
        assert there.is_valid == (path is not None)
        if isinstance(there, NodeCursor) and not touched:
            assert there.path == path and there.node is c.node and type(there) is type(c)


@given(programs, st.data())
def test_what_moves_or_is_wrapped_keeps_its_identity(p: Proc, data: st.DataObject) -> None:
    stmts = [c for c in p.root().descendants() if isinstance(c, StmtCursor)]
    moved = data.draw(st.sampled_from(stmts))
    rw = Rewrite(p)
    if data.draw(st.booleans()):
        rw.wrap(span_of(moved.path), For(IT, num(0), num(1), pvector()))
    else:
        places = [s for s in lists_of(p.tree) if not inside(s.parent, span_of(moved.path))]
        rw.move(span_of(moved.path), gap(data.draw, places))
    q = rw.finish("moved", ())
    below = list(moved.descendants())
    assert [q.forward(c).node for c in below] == [c.node for c in below]  # type: ignore[attr-defined]
    assert all(q.forward(c).node is c.node for c in below)  # type: ignore[attr-defined]
    assert all(q.forward(c).is_valid for c in cursors(p) if not isinstance(c, BlockCursor))


@given(programs, st.data())
def test_what_is_deleted_is_gone_and_nothing_else(p: Proc, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([s for s in lists_of(p.tree) if s.hi]))
    lo = data.draw(st.integers(0, whole.hi - 1))
    span = whole._replace(lo=lo, hi=data.draw(st.integers(lo + 1, whole.hi)))
    rw = Rewrite(p)
    rw.delete(span)
    q = rw.finish("deleted", ())
    for c in cursors(p):
        if isinstance(c, BlockCursor):
            deleted = all(inside(c.span.path(i), span) for i in range(len(c)))
        else:
            deleted = inside(c.place(), span)
        assert q.forward(c).is_valid != deleted


@given(histories(2))
def test_gaps_go_with_their_statements(versions: tuple[Proc, ...]) -> None:
    p, q = versions
    for c in p.root().descendants():
        if isinstance(c, StmtCursor):
            there = q.forward(c.as_block())
            assert q.forward(c.before()) == (there.before() if isinstance(there, BlockCursor) else there)
            assert q.forward(c.after()) == (there.after() if isinstance(there, BlockCursor) else there)


def runs(p: Proc) -> Iterator[BlockCursor]:
    """Every block of a procedure, those of fewer statements first."""
    found = [c for c in cursors(p) if isinstance(c, BlockCursor)]
    return iter(sorted(found, key=lambda c: (sum(1 for s in c for _ in s.statements()), -len(c.span.parent))))


@given(histories(2))
def test_a_block_forwards_to_the_least_block_of_what_survives(versions: tuple[Proc, ...]) -> None:
    p, q = versions
    blocks = list(runs(q))
    for c in cursors(p):
        if isinstance(c, BlockCursor):
            alive = [q.forward(s) for m in c for s in m.statements()]
            places = [s.path for s in alive if isinstance(s, StmtCursor)]
            least = next((r for r in blocks if all(inside(s, r.span) for s in places)), None) if places else None
            assert q.forward(c) == (GoneCursor(q) if least is None else least)


@given(programs, st.data())
def test_a_block_goes_on_to_what_came_in_its_place(p: Proc, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([s for s in lists_of(p.tree) if s.hi]))
    lo = data.draw(st.integers(0, whole.hi - 1))
    span = whole._replace(lo=lo, hi=data.draw(st.integers(lo + 1, whole.hi)))
    new = data.draw(st.lists(statements, min_size=1, max_size=2))
    rw = Rewrite(p)
    at = rw.exchange(span, *new)
    q = rw.finish("exchanged", ())
    assert list(BlockCursor(q, at).stmts) == new
    for c in cursors(p):
        if isinstance(c, BlockCursor) and all(inside(m.path, span) for m in c):
            assert q.forward(c) == BlockCursor(q, at)
        elif isinstance(c, BlockCursor) and any(inside(m.path, span) for m in c):
            left = [q.forward(m) for m in c if not inside(m.path, span)]
            ends = [*(m.path for m in left), at.path(), at.path(len(new) - 1)]  # type: ignore[attr-defined]
            assert q.forward(c) == BlockCursor(q, span._replace(lo=min(ends)[-1][1], hi=max(ends)[-1][1] + 1))
        elif isinstance(c, GapCursor) and inside(c.anchor_path, span):
            there = BlockCursor(q, at)
            assert q.forward(c) == (there.after() if c.is_after else there.before())
        elif isinstance(c, NodeCursor):
            assert q.forward(c).is_valid != inside(c.path, span)


def test_forwarding_and_navigation_do_not_commute() -> None:
    """K9, the paper's example: the statement after a cursor is deleted."""
    p = program([leaf(0), leaf(1), leaf(2)])
    first = p.body()[0]
    rw = Rewrite(p)
    rw.delete(span_of(first.next().path))
    q = rw.finish("deleted", ())
    assert not q.forward(first.next()).is_valid
    assert q.forward(first).next() == q.body()[1]  # type: ignore[attr-defined]


# -- branching time ------------------------------------------------------------------------------------


@given(branches())
def test_a_sibling_branch_is_refused(versions: tuple[Proc, Proc, Proc]) -> None:
    _, left, right = versions
    with pytest.raises(InvalidCursorError, match="another version of p, from which this one was not made"):
        right.forward(left.root())
    with pytest.raises(InvalidCursorError, match="look the place up again in the p at hand"):
        left.forward(right.body())


@given(histories(3))
def test_time_goes_forward_only(versions: tuple[Proc, ...]) -> None:
    p, q, r = versions
    for older in (p, q):
        with pytest.raises(InvalidCursorError, match="a later version of p, and time goes forward only"):
            older.forward(r.root())


@given(programs, programs)
def test_another_procedure_is_refused(p: Proc, q: Proc) -> None:
    other = program(list(q.tree.body), "q")
    with pytest.raises(InvalidCursorError, match="another procedure, q, not to p; look the place up again in the p"):
        p.forward(other.body())
    twin = program(list(p.tree.body))
    assert twin == p
    with pytest.raises(InvalidCursorError, match="another procedure, also called p"):
        p.forward(twin.root())


@given(branches())
def test_branches_do_not_disturb_each_other(versions: tuple[Proc, Proc, Proc]) -> None:
    p, left, right = versions
    assert list(left.versions()) == [left, p] and list(right.versions()) == [right, p]
    assert left.forward(p.root()) == left.root() and right.forward(p.root()) == right.root()


@given(programs, st.data())
def test_the_input_of_an_edit_is_untouched(p: Proc, data: st.DataObject) -> None:
    tree, text = p.tree, "\n".join(line for _, line in print_lines(p.tree))
    nodes = [(path, id(n)) for path, n in walk(tree)]
    q = later(data.draw, p)
    assert p.tree is tree and [(path, id(n)) for path, n in walk(p.tree)] == nodes
    assert "\n".join(line for _, line in print_lines(p.tree)) == text
    assert q.parent is p and p.history() == () and q.history() == ("edits",)


# -- K8: navigation ------------------------------------------------------------------------------------


@given(programs)
def test_next_and_prev_are_inverse(p: Proc) -> None:
    for s in lists_of(p.tree):
        block = [BlockCursor(p, s)[i] for i in range(s.hi)]
        for i, a in enumerate(block):
            for j, c in enumerate(block):
                if i < j:
                    assert a.next(j - i) == c and c.prev(j - i) == a
        if block:
            with pytest.raises(InvalidCursorError, match="no statement 1 after"):
                block[-1].next()
            with pytest.raises(InvalidCursorError, match="no statement 1 before"):
                block[0].prev()


@given(programs)
def test_a_child_has_its_parent(p: Proc) -> None:
    for c in p.root().descendants():
        if isinstance(c, ForCursor):
            children: list[NodeCursor] = [c.lo(), c.hi(), *c.body()]
        elif isinstance(c, IfCursor):
            children = [c.cond(), *c.body(), *(c.orelse() if c.has_else() else ())]
        else:
            continue
        assert all(k.parent() == c for k in children)
        assert all(k.root() == p.root() for k in children)
    for s in p.body():
        with pytest.raises(InvalidCursorError, match="top level"):
            s.parent()


@given(programs)
def test_gaps_and_blocks_lead_back(p: Proc) -> None:
    for c in cursors(p):
        if isinstance(c, GapCursor):
            assert c == (c.anchor().after() if c.is_after else c.anchor().before())
        elif isinstance(c, BlockCursor):
            assert c.before().anchor() == c[0] and c.after().anchor() == c[-1]
            assert c[0].expand(0, len(c) - 1) == c == c[-1].expand(len(c) - 1, 0) == c.as_block() == c[:]
            assert c.expand(None, None) == c[0].expand(None, None) and len(c.expand(None, None)) >= len(c)
            assert [s.path for s in c] == [c.span.path(i) for i in range(len(c))]
        elif isinstance(c, StmtCursor):
            assert c.as_block()[0] == c and c.before() != c.after()


@given(programs)
def test_an_expression_knows_its_statement(p: Proc) -> None:
    for c in p.root().descendants():
        if isinstance(c, ExprCursor):
            here = c.stmt().path
            assert c.path[: len(here)] == here
            assert all(label not in ("body", "orelse") for label, _ in c.path[len(here) :])


@given(programs)
def test_cursors_are_equal_where_they_point_alike(p: Proc) -> None:
    mine, again = list(cursors(p)), list(cursors(p))
    assert mine == again and len(set(mine)) == len(mine)
    assert list(map(hash, mine)) == list(map(hash, again))
    twin = program(list(p.tree.body))
    assert all(a != b for a, b in zip(mine, cursors(twin), strict=True))


# -- K11: the diamond ----------------------------------------------------------------------------------


def change(p: Proc, at: Cursor, kind: str) -> Proc:
    """A change of one statement and nothing around it."""
    c = p.forward(at)
    assert isinstance(c, StmtCursor)
    rw = Rewrite(p)
    if kind == "replace":
        rw.replace(c.path, leaf(9))
    elif kind == "wrap":
        rw.wrap(span_of(c.path), For(IT, num(0), num(3), pvector()))
    elif kind == "insert":
        rw.insert_before(c.path, leaf(8))
    else:
        rw.delete(span_of(c.path))
    return rw.finish(kind, c.path)


KINDS = st.sampled_from(["replace", "wrap", "insert", "delete"])


@given(programs, KINDS, KINDS, st.data())
def test_changes_of_disjoint_statements_commute(p: Proc, one: str, two: str, data: st.DataObject) -> None:
    stmts = [c for c in p.root().descendants() if isinstance(c, StmtCursor)]
    a = data.draw(st.sampled_from(stmts))
    apart = [c for c in stmts if c.path[: len(a.path)] != a.path and a.path[: len(c.path)] != c.path]
    assume(apart)
    b = data.draw(st.sampled_from(apart))
    left, right = change(change(p, a, one), b, two), change(change(p, b, two), a, one)
    assert left.tree == right.tree
    for c in cursors(p):
        there, again = left.forward(c), right.forward(c)
        if not isinstance(c, BlockCursor):  # of a block, what was inserted last is inside or outside
            assert there.is_valid == again.is_valid
            assert not there.is_valid or there.place() == again.place()
