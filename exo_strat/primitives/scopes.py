"""Scope transformations (paper, appendix A.3). Imports `framework`, `loops`, `logic.safety` and `ir`."""

from __future__ import annotations

from pyrsistent import pvector

from ..cursors.cursor import StmtCursor
from ..cursors.edits import Span, span_of
from ..cursors.kinds import ForCursor, IfCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.nodes import Expr, For, If, Pass, Read
from ..ir.walk import Path, get, mentions, walk
from ..logic import safety
from .framework import Where, applicable, primitive, ref, require
from .loops import reorder_loops
from .scoping import body_span, bounds_stay, loop_at


@primitive()
def fuse(rw: Rewrite, first: ForCursor | IfCursor, second: object) -> Where:
    """`for i: s1; for j: s2  ~>  for i: s1; s2[j -> i]`, and `if e: s1; if e: s2  ~>  if e: s1; s2`. Paper: A.3.

    The second scope is the statement right after the first, with the same range or condition. Returns the
    fused scope. Fails with `Unsafe` if some s2 touches the data of an s1 of a later iteration.
    """
    kind: type[StmtCursor] = ForCursor if isinstance(first, ForCursor) else IfCursor
    other = ref(rw, second, kind)
    applicable(other.path == span_of(first.path).path(1), "the second scope must stand right after the first", other)
    if isinstance(first, ForCursor):
        _fuse_loops(rw, first.path, other.path)
    else:
        _fuse_ifs(rw, first.path, other.path)
    return first.path


def _absorb(rw: Rewrite, path: Path, after: Path, label: str) -> None:
    """Move a branch of the scope at `after` behind the same branch of the scope at `path`."""
    n = len(getattr(rw.node(path), label))
    rw.move(body_span(rw, after, label), Span(path, label, n, n))


def _fuse_loops(rw: Rewrite, path: Path, after: Path) -> None:
    tree = rw.proc.tree
    one, two = loop_at(tree, path), loop_at(tree, after)
    bounds_stay(tree, path)
    require(safety.equal_at(tree, path, one.lo, two.lo, "both loops start at the same iteration"))
    require(safety.equal_at(tree, path, one.hi, two.hi, "both loops end at the same iteration"))
    whole = safety.Blk(path, "body", 0, len(one.body))
    require(safety.unchanged(tree, whole, two.lo))
    require(safety.unchanged(tree, whole, two.hi))
    require(safety.fuse(tree, path, after))
    rw.substitute_in(body_span(rw, after), two.iter, b.var(one.iter))
    _absorb(rw, path, after, "body")
    rw.delete(span_of(after))
    if one.mode != two.mode:
        rw.set(path, mode="seq")


def _fuse_ifs(rw: Rewrite, path: Path, after: Path) -> None:
    tree = rw.proc.tree
    one, two = get(tree, path), get(tree, after)
    assert isinstance(one, If) and isinstance(two, If)
    whole = span_of(path)
    require(safety.unchanged(tree, safety.Blk(*whole), one.cond))
    require(safety.unchanged(tree, safety.Blk(*whole), two.cond))
    if one.cond != two.cond:
        require(safety.equal_at(tree, path, one.cond, two.cond, "both conditions are equal"))
    _absorb(rw, path, after, "body")
    _absorb(rw, path, after, "orelse")
    rw.delete(span_of(after))


@primitive()
def lift_scope(rw: Rewrite, scope: ForCursor | IfCursor) -> Where:
    """Exchanges a loop or `if` with the loop or `if` around it, of which it is all. Paper: A.3.

    `for i: if e: s else: s2  ~>  if e: (for i: s) else: (for i: s2)` if e does not change in the loop;
    `if e: for i: s  ~>  for i: if e: s`; `if e: (if e2: s else: s2) else: s3  ~>
    if e2: (if e: s else: s3) else: (if e: s2 else: s3)`; two loops as in `reorder_loops`.
    Returns the scope, which is now outside.
    """
    parent = scope.parent()
    at = span_of(scope.path)
    applicable(len(getattr(parent.node, at.label)) == 1, "the scope must be all of its parent's block", scope)
    if isinstance(parent, ForCursor) and isinstance(scope, ForCursor):
        return reorder_loops.spec.fn(rw, parent)
    if isinstance(parent, ForCursor):
        return _if_out_of_for(rw, parent.path)
    if isinstance(scope, ForCursor):
        return _for_out_of_if(rw, parent.path, at.label)
    return _if_out_of_if(rw, parent.path, at.label)


def _reads_data(e: Expr) -> bool:
    return any(isinstance(n, Read) for _, n in walk(e))


def _hoist(rw: Rewrite, path: Path, label: str) -> Path:
    """Move the only statement of a branch before its parent; returns where the parent stands now."""
    at = span_of(path)
    rw.move(Span(path, label, 0, 1), at._replace(hi=at.lo))
    return at.path(1)


def _if_out_of_for(rw: Rewrite, path: Path) -> Path:
    tree = rw.proc.tree
    loop = loop_at(tree, path)
    cond = loop.body[0]
    assert isinstance(cond, If)
    applicable(loop.iter not in mentions(cond.cond), f"the condition depends on {loop.iter}")
    require(safety.unchanged(tree, safety.Blk(path, "body", 0, 1), cond.cond))
    if _reads_data(cond.cond):
        require(safety.holds(tree, path, b.lt(loop.lo, loop.hi), "the loop runs at least once"))
    nested = _hoist(rw, path, "body")
    rw.move(body_span(rw, path), Span(nested, "body", 0, 0))
    if cond.orelse:
        i = rw.fresh(loop.iter.name)
        other = rw.wrap(body_span(rw, path, "orelse"), For(i, loop.lo, loop.hi, pvector(), loop.mode))
        rw.substitute_in(body_span(rw, other), loop.iter, b.var(i))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    return path


def _for_out_of_if(rw: Rewrite, path: Path, label: str) -> Path:
    tree = rw.proc.tree
    cond = get(tree, path)
    assert isinstance(cond, If)
    applicable(not cond.orelse and label == "body", "the `if` must have no else branch")
    loop_path: Path = (*path, ("body", 0))
    loop = loop_at(tree, loop_path)
    require(safety.unchanged(tree, safety.Blk(loop_path, "body", 0, len(loop.body)), cond.cond))
    nested = _hoist(rw, path, "body")
    rw.move(body_span(rw, path), Span(nested, "body", 0, 0))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    return path


def _if_out_of_if(rw: Rewrite, path: Path, label: str) -> Path:
    tree = rw.proc.tree
    outer = get(tree, path)
    assert isinstance(outer, If)
    inner = getattr(outer, label)[0]
    other_label = "orelse" if label == "body" else "body"
    other = getattr(outer, other_label)
    applicable(
        not _reads_data(inner.cond) or not other, "the inner condition reads data that need not be there otherwise"
    )
    nested = _hoist(rw, path, label)
    rw.move(body_span(rw, path), Span(nested, label, 0, 0))
    if inner.orelse or other:
        frame = If(outer.cond, pvector(), pvector())
        at = Span(path, "orelse", 0, len(inner.orelse))
        if inner.orelse:
            twin = rw.wrap(at, frame, label)
        else:
            twin = at.path()
            rw.insert(at, frame if label == "orelse" else If(outer.cond, pvector([Pass()]), pvector()))
        if other:
            rw.insert(Span(twin, other_label, 0, 0), *rw.copy(other))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    return path

