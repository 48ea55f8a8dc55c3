"""Cursors: navigation, patterns, and forwarding through time."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest
from pyrsistent import pvector

from exo_strat import InvalidCursor, Script, delete_pass, strategy
from exo_strat.cursors.cursor import BlockCursor, Cursor, GapCursor, GoneCursor, StmtCursor
from exo_strat.cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BinaryOpCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    ReadCursor,
    ReduceCursor,
)
from exo_strat.cursors.proc import InvalidCursorError, Proc
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import PatternError
from exo_strat.ir.nodes import Pass
from exo_strat.ir.span import Span, span_of
from exo_strat.primitives import cut_loop

GEMV = proc_from_source("""
def gemv(M: size, N: size, A: f32[M, N], x: f32[N], y: f32[M]):
    for i in seq(0, M):
        t: f32
        t = 0.0
        for j in seq(0, N):
            t += A[i, j] * x[j]
        if i > 0:
            y[i] = t
        else:
            y[i] = 2.0 * t
""")


def deleted(p: Proc, at: Span) -> Proc:
    rw = Rewrite(p)
    rw.delete(at)
    return rw.finish("a test", at.parent)


def test_a_loop_is_found_by_name_and_by_pattern() -> None:
    assert GEMV.find_loop("i") == GEMV.find("for i in _: _")
    assert isinstance(GEMV.find_loop("j"), ForCursor)
    assert GEMV.find_loop("j").name() == "j"


def test_every_kind_of_node_has_its_cursor() -> None:
    i = GEMV.find_loop("i")
    kinds = [type(s) for s in i.body()]
    assert kinds == [AllocCursor, AssignCursor, ForCursor, IfCursor]
    reduction = GEMV.find("t += _")
    assert isinstance(reduction, ReduceCursor)
    assert isinstance(reduction.rhs(), BinaryOpCursor)
    assert isinstance(reduction.rhs().lhs(), ReadCursor)
    assert isinstance(GEMV.find("2.0"), LiteralCursor)
    assert [a.name() for a in GEMV.args()] == ["M", "N", "A", "x", "y"]


def test_properties_of_declarations() -> None:
    a, t = GEMV.find_alloc_or_arg("A"), GEMV.find_alloc("t")
    assert isinstance(a, ArgCursor) and a.is_tensor() and [str(e.name()) for e in a.shape()] == ["M", "N"]
    assert isinstance(t, AllocCursor) and not t.is_tensor() and str(t.type()) == "f32" and str(t.mem()) == "DRAM"


def test_navigation_stays_in_the_tree_and_says_where_it_ended() -> None:
    t = GEMV.find_alloc("t")
    assert isinstance(t, StmtCursor)
    assert t.next() == GEMV.find("t = 0.0") and t.next().prev() == t
    assert t.next(2) == GEMV.find_loop("j")
    assert t.parent() == GEMV.find_loop("i")
    with pytest.raises(InvalidCursorError, match="no statement 1 before"):
        t.prev()
    with pytest.raises(InvalidCursorError, match="top level"):
        GEMV.find_loop("i").parent()
    with pytest.raises(InvalidCursorError, match="cannot grow"):
        t.expand(1, 0)


def test_branches_blocks_and_gaps() -> None:
    branch = GEMV.find("if _: _")
    assert isinstance(branch, IfCursor)
    assert branch.body()[0] != branch.orelse()[0]
    assert branch.body()[0].parent() == branch.orelse()[0].parent() == branch
    block = GEMV.find("t = 0.0").expand(1, 1)
    assert len(block) == 3 and block[0] == GEMV.find_alloc("t") and block[-1] == GEMV.find_loop("j")
    assert block.before() == block[0].before() and block.before().anchor() == block[0]
    with pytest.raises(InvalidCursorError, match="no number 3"):
        block[3]


def test_patterns_select_by_structure() -> None:
    assert len(GEMV.find_all("y[_] = _")) == 2
    assert GEMV.find("y[_] = _ #1") == GEMV.find("y[i] = 2.0 * t")
    assert GEMV.find("_ * _").rhs() == GEMV.find("x[j]")
    assert isinstance(GEMV.find("t: _; t = 0.0"), BlockCursor)
    assert GEMV.find_loop("j").find("x[_]") == GEMV.find("x[_]")
    assert GEMV.find_loop("j").find_all("y[_]") == []


def test_a_pattern_that_matches_nothing_or_is_none() -> None:
    with pytest.raises(InvalidCursorError, match="nothing matches 'z = _'"):
        GEMV.find("z = _")
    with pytest.raises(PatternError, match="not a pattern"):
        GEMV.find("for i in")
    with pytest.raises(PatternError, match="empty"):
        GEMV.find("  ")


def test_what_a_cursor_to_gone_code_would_have_is_asked_for_in_vain() -> None:
    gone = GoneCursor(GEMV)
    for name in ("path", "node", "span", "body"):
        with pytest.raises(InvalidCursorError, match="code that is gone"):
            getattr(gone, name)
        assert not hasattr(gone, name)

    @strategy
    def careless(p: Proc, c: Cursor) -> Script:
        nothing = p.find("pass")
        p, _c = yield delete_pass()
        return p.forward(nothing).body()  # type: ignore[attr-defined]

    failure = careless()(proc_from_source("def foo(x: f32):\n    pass\n    x = 1.0")).failure()
    assert isinstance(failure, InvalidCursor) and copy(gone) == gone


def test_what_is_gone_stays_gone() -> None:
    j = GEMV.find_loop("j")
    p = deleted(GEMV, span_of(j.path))
    q = deleted(p, span_of(p.find("if _: _").path))
    inner = GEMV.find("A[_]")
    for version in (p, q):
        assert isinstance(version.forward(j), GoneCursor)
        assert isinstance(version.forward(inner), GoneCursor)
    assert isinstance(q.forward(p.forward(inner)), GoneCursor)
    assert not q.forward(j).is_valid
    with pytest.raises(InvalidCursorError):
        q.forward(j).parent()


def test_a_cursor_forwards_to_the_same_object() -> None:
    store = GEMV.find("y[_] = _ #1")
    p = deleted(GEMV, span_of(GEMV.find("t = 0.0").path))
    assert p.forward(store).node is store.node
    assert p.forward(store).path != store.path


def test_blocks_and_gaps_forward_with_their_anchors() -> None:
    block = GEMV.find("t = 0.0").expand(1, 1)
    gap = GEMV.find_loop("j").after()
    p = deleted(GEMV, span_of(GEMV.find("t = 0.0").path))
    assert len(p.forward(block)) == 2
    assert p.forward(gap).anchor() == p.find_loop("j")
    assert isinstance(deleted(GEMV, span_of(GEMV.find_loop("j").path)).forward(gap), GoneCursor)
    assert isinstance(gap, GapCursor)


def test_time_branches() -> None:
    left = deleted(GEMV, span_of(GEMV.find("t = 0.0").path))
    right = deleted(GEMV, span_of(GEMV.find_loop("j").path))
    with pytest.raises(InvalidCursorError, match="another version"):
        right.forward(left.find_loop("i"))
    with pytest.raises(InvalidCursorError, match="later version of gemv, and time goes forward only"):
        GEMV.forward(left.find_loop("i"))
    assert right.forward(GEMV.find_loop("i")) == right.find_loop("i")


def test_forwarding_composes() -> None:
    p = deleted(GEMV, span_of(GEMV.find("t = 0.0").path))
    q = deleted(p, span_of(p.find_alloc("t").path))
    for c in GEMV.root().descendants():
        assert q.forward(p.forward(c)) == q.forward(c)


def test_forwarding_and_navigation_do_not_commute() -> None:
    t = GEMV.find_alloc("t")
    p = deleted(GEMV, span_of(t.next().path))
    assert not p.forward(t.next()).is_valid
    assert p.forward(t).next() == p.find_loop("j")


def test_an_emptied_body_gets_a_pass_and_a_rewrite_without_edits_is_the_same_proc() -> None:
    body = GEMV.find_loop("j").body()
    p = deleted(GEMV, body.span)
    assert list(p.find_loop("j").node.body) == [Pass()]
    assert Rewrite(GEMV).finish("a test", ()) is GEMV


def test_a_proc_never_changes() -> None:
    with pytest.raises(AttributeError, match="never changes"):
        GEMV.tree = GEMV.tree  # type: ignore[misc]
    assert proc_from_source(str(GEMV)) == GEMV and hash(GEMV) == hash(proc_from_source(str(GEMV)))
    assert GEMV.history() == ()


def test_printing_marks_the_place() -> None:
    marked = [line for line in str(GEMV.find("A[_]")).splitlines() if line.startswith("-->")]
    assert marked == ["-->             t += A[i, j] * x[j]"]


def test_same_named_iterators_are_told_apart() -> None:
    p = proc_from_source("""
def f(x: f32[8]):
    for i in seq(0, 8):
        x[i] = 0.0
    for i in seq(0, 8):
        x[i] = 1.0
""")
    first, second = p.find_loop("i"), p.find_loop("i #1")
    assert first != second and first.sym != second.sym
    assert p.find_loop("i", many=True) == [first, second]
    rw = Rewrite(p)
    rw.move(span_of(second.path), Span(first.path, "body", 0, 0))
    nested = rw.finish("a test", ())
    assert "for i_1 in seq(0, 8)" in str(nested)
    assert pvector([s.sym.name for s in (first, second)]) == pvector(["i", "i"])


def test_the_object_code_of_an_expression_is_its_text_and_not_its_picture() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[2 * n + 1]):
    for i in seq(0, 2 * n + 1):
        x[i] = 0.0
""")
    loop = p.find_loop("i")
    assert isinstance(loop, ForCursor)
    hi = loop.hi()
    assert hi.text() == "2 * n + 1"
    assert cut_loop(f"{hi.text()} - 1")(p, p.find_loop("i")).unwrap()
    failure = cut_loop(f"{hi} - 1")(p, p.find_loop("i")).failure()
    assert "the object code of an expression is `c.text()`" in failure.message


def test_the_statements_of_a_block_are_those_at_any_depth() -> None:
    p = proc_from_source("def foo(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0\n    x[0] = 1.0")
    assert [*p.body().statements()] == [p.find_loop("i"), p.find("x[i] = _"), p.body()[1]]


def test_an_edit_that_is_asked_wrongly_says_so() -> None:
    p = proc_from_source("def foo(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0")
    rw, path = Rewrite(p), p.find_loop("i").path
    wrong: Any = path
    with pytest.raises(TypeError, match=r"takes a Span, not .*span_of\(path\)"):
        rw.delete(wrong)
    with pytest.raises(TypeError, match="a For has no field upper; its fields: iter, lo, hi, body, mode"):
        rw.set(path, upper=3)
