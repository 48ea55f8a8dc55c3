"""Simplification (paper, appendix A.6). Imports `framework`, `logic.normal` and `logic.safety`."""

from __future__ import annotations

from collections.abc import Sequence

from pyrsistent import pvector

from ..cursors.cursor import ExprCursor, ProcCursor, StmtCursor
from ..cursors.edits import Span, span_of
from ..cursors.kinds import ForCursor, IfCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.memo import memo_by_identity
from ..ir.nodes import Binary, Const, Expr, For, If, Node, Pass, Stmt, Unary
from ..ir.types import Scalar
from ..ir.walk import Path, children, get, is_control
from ..logic import safety
from ..logic.answers import Proved
from ..logic.context import env_of, facts_at
from ..logic.context import holds as known
from ..logic.dependence import Safe
from ..logic.normal import normalize_expr
from ..logic.translate import is_opaque
from .framework import ExprLike, Where, applicable, expr_arg, primitive, require
from .scoping import trip_count


@primitive()
def simplify(rw: Rewrite, target: ProcCursor | StmtCursor) -> Where:
    """Control expressions in normal form, decided branches and empty loops resolved, `0` and `1` dropped from data.

    Acts on the whole procedure, or on the statement in focus. Idempotent. Paper: A.6. Returns the target.
    """
    roots = [target.path] if target.path else [(("body", i),) for i in range(len(rw.tree.body))]
    for root in reversed(roots):
        _stmt(rw, root)
    return None


def _stmt(rw: Rewrite, path: Path) -> None:
    """Simplify a statement of the current tree, from the outside in; statements after it keep their places."""
    s = get(rw.tree, path)
    assert isinstance(s, Stmt)
    if _is_simple(s):
        return
    for step, _ in list(children(s)):
        if step[0] not in ("body", "orelse"):
            _expr(rw, (*path, step))
    s = get(rw.tree, path)
    if isinstance(s, If) and _decided(rw, path, s):
        return
    if isinstance(s, For):
        n = trip_count(s)
        if n is not None and n <= 0:
            rw.replace(path, Pass())
            return
    for label in ("body", "orelse"):
        for i in reversed(range(len(getattr(get(rw.tree, path), label, ())))):
            _stmt(rw, (*path, (label, i)))
        _drop_passes(rw, path, label)


def _decided(rw: Rewrite, path: Path, s: If) -> bool:
    """Replace an `if` whose condition is known by its branch."""
    if is_opaque(s.cond):
        return False
    at = span_of(path)
    for label, condition in (("body", s.cond), ("orelse", Unary("not", s.cond))):
        if isinstance(known(rw.tree, path, condition), Proved):
            if not getattr(s, label):
                rw.replace(path, Pass())
                return True
            branch = rw.unwrap(path, label)
            for i in reversed(range(branch.hi - branch.lo)):
                _stmt(rw, Span(at.parent, at.label, branch.lo, branch.hi).path(i))
            return True
    return False


def _drop_passes(rw: Rewrite, path: Path, label: str) -> None:
    block: Sequence[Stmt] = getattr(get(rw.tree, path), label, pvector())
    keep = 0 if label == "orelse" else 1
    for i in reversed(range(len(block))):
        left = len(getattr(get(rw.tree, path), label))
        if isinstance(block[i], Pass) and left > keep:
            rw.delete(Span(path, label, i, i + 1))


def _expr(rw: Rewrite, path: Path) -> None:
    e = get(rw.tree, path)
    if _is_simple(e):
        return
    if is_control(e):
        new = normalize_expr(e, facts_at(rw.tree, path), env_of(rw.tree))  # type: ignore[arg-type]
        rw.replace(path, new)
        return
    for step, _ in list(children(e)):
        _expr(rw, (*path, step))
    e = get(rw.tree, path)
    shorter = _data(e)
    if shorter is not None:
        rw.replace(path, shorter)


def _is(e: Node, value: float) -> bool:
    return isinstance(e, Const) and isinstance(e.type, Scalar) and e.value == value


def _data(e: Node) -> Expr | None:
    """A data expression without a neutral or absorbing constant, if it has one."""
    if not isinstance(e, Binary) or is_control(e):
        return None
    x, y = e.lhs, e.rhs
    if e.op == "+":
        return y if _is(x, 0) else x if _is(y, 0) else None
    if e.op == "*":
        if _is(x, 0) or _is(y, 0):
            return b.data(0.0)
        return y if _is(x, 1) else x if _is(y, 1) else None
    neutral = {"-": 0, "/": 1}.get(e.op)
    return x if neutral is not None and _is(y, neutral) else None


@memo_by_identity
def _is_simple(n: Node) -> bool:
    """Whether there is surely nothing to simplify in a node: no operator, branch, empty loop or `pass`."""
    if isinstance(n, Binary | Unary | If | Pass):
        return False
    if isinstance(n, For) and (c := trip_count(n)) is not None and c <= 0:
        return False
    return all(_is_simple(c) for _, c in children(n))


@primitive()
def eliminate_dead_code(rw: Rewrite, scope: ForCursor | IfCursor) -> Where:
    """A loop that never runs becomes `pass`; an `if` whose condition is known becomes its branch. Paper: A.6.

    Returns what stands in its place.
    """
    tree, path = rw.proc.tree, scope.path
    node = get(tree, path)
    if isinstance(node, For):
        require(safety.holds(tree, path, Binary("<=", node.hi, node.lo), "the loop never runs"), scope)
        rw.replace(path, Pass())
        return path
    assert isinstance(node, If)
    if isinstance(safety.holds(tree, path, node.cond, ""), Safe):
        return rw.unwrap(path)
    require(safety.holds(tree, path, Unary("not", node.cond), "the condition is always true or always false"), scope)
    if node.orelse:
        return rw.unwrap(path, "orelse")
    rw.replace(path, Pass())
    return path


@primitive()
def rewrite_expr(rw: Rewrite, e: ExprCursor, new: ExprLike) -> Where:
    """`e  ~>  e'`, for control expressions that are equal where `e` stands. Paper: A.6. Returns the expression."""
    tree = rw.proc.tree
    applicable(is_control(e.node), "only control expressions can be rewritten", e)
    value = expr_arg(rw, new, e.path)
    require(safety.equal_at(tree, e.path, e.node, value, "the two expressions are equal"), e)  # type: ignore[arg-type]
    rw.replace(e.path, value)
    return e.path

