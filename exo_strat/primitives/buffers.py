"""Where buffers live: lift, sink and delete allocations (paper, appendix A.5). Imports `framework` and `access`."""

from __future__ import annotations

from ..cursors.edits import Span, span_of
from ..cursors.kinds import AllocCursor
from ..cursors.rewrite import Rewrite
from ..failure import unsafe
from ..ir import build as b
from ..ir.nodes import Alloc, Assign, Binary, For, If, Reduce
from ..ir.types import Tensor
from ..ir.walk import Path, get, mentions, with_child
from ..logic import safety
from .access import Redirect, redirect, used_in, uses
from .framework import Where, applicable, argument, primitive, refuse, require


def alloc_at(rw: Rewrite, path: Path) -> Alloc:
    """The allocation at a path of the current tree."""
    node = rw.node(path)
    assert isinstance(node, Alloc)
    return node


def rest_of(rw: Rewrite, path: Path) -> Span:
    """The statements after an allocation: its scope."""
    s = span_of(path)
    return Span(s.parent, s.label, s.hi, len(getattr(rw.node(s.parent), s.label)))


@primitive()
def lift_alloc(rw: Rewrite, a: AllocCursor, n_lifts: int = 1) -> Where:
    """`for i: a: T; s  ~>  a: T; for i: s`, also out of `if`s, `n_lifts` times. Paper: A.5.

    The extents must not depend on the iterator, and be positive outside too. Nothing is owed about values
    carried between iterations: a program that would notice reads uninitialised memory. Returns the allocation.
    """
    argument(isinstance(n_lifts, int) and n_lifts >= 1, f"n_lifts must be a positive integer, not {n_lifts!r}")
    path = a.path
    for _ in range(n_lifts):
        applicable(len(path) > 1, "the allocation is at the top level: there is no scope to lift it out of", a)
        path = _lift(rw, path)
    return path


def _lift(rw: Rewrite, path: Path) -> Path:
    alloc = alloc_at(rw, path)
    scope_path = path[:-1]
    scope = rw.node(scope_path)
    assert isinstance(scope, For | If)
    if isinstance(scope, For):
        applicable(scope.iter not in mentions(alloc.type), f"the extents of {alloc.sym} depend on {scope.iter}")
        if scope.mode != "seq":
            refuse(unsafe(f"the iterations of a {scope.mode} loop would share {alloc.sym}"))
    for e in alloc.type.shape if isinstance(alloc.type, Tensor) else ():
        what = f"the extents of {alloc.sym} are positive outside the scope"
        require(safety.holds(rw.tree, scope_path, Binary("<=", b.ONE, e), what))
    at = span_of(scope_path)
    rw.move(span_of(path), at._replace(hi=at.lo))
    return scope_path


@primitive()
def sink_alloc(rw: Rewrite, a: AllocCursor) -> Where:
    """`a: T; for i: s  ~>  for i: a: T; s`, also into an `if`. Paper: A.5.

    One loop or `if` must be the only statement that uses the buffer, and no iteration may read what an
    earlier one left. Into both branches of an `if` if both use it. Returns the (first) allocation.
    """
    tree = rw.proc.tree
    rest = rest_of(rw, a.path)
    using = [i for i, s in enumerate(rest.members(tree)) if a.sym in mentions(s)]
    applicable(len(using) == 1, f"one statement must use {a.name()}, not {len(using)}", a)
    path = rest.path(using[0])
    scope = get(tree, path)
    if isinstance(scope, For):
        applicable(a.sym not in mentions(scope.lo) | mentions(scope.hi), f"the loop's bounds use {a.name()}", a)
        require(safety.carried(tree, path, a.sym), a)
        rw.move(span_of(a.path), Span(path, "body", 0, 0))
        return rw.now(a.path)
    if not isinstance(scope, If):
        applicable(False, f"the statement that uses {a.name()} must be a loop or an `if`", a)
    assert isinstance(scope, If)
    applicable(a.sym not in mentions(scope.cond), f"the condition uses {a.name()}", a)
    labels = [x for x in ("body", "orelse") if used_in(getattr(scope, x), a.sym)]
    if len(labels) == 2:
        _into_else(rw, alloc_at(rw, a.path), path)
    rw.move(span_of(a.path), Span(path, labels[0], 0, 0))
    return rw.now(a.path)


def _into_else(rw: Rewrite, alloc: Alloc, path: Path) -> None:
    twin = rw.fresh(alloc.sym.name)
    n = len(rw.node(path).orelse)  # type: ignore[union-attr]
    same = Redirect(twin, lambda idx: idx, lambda dims: dims, lambda d: d)
    redirect(rw, Span(path, "orelse", 0, n), alloc.sym, same)
    rw.insert(Span(path, "orelse", 0, 0), with_child(alloc, "sym", twin))


@primitive()
def delete_buffer(rw: Rewrite, a: AllocCursor) -> Where:
    """`a: T; s  ~>  s`, if nothing reads the buffer; assignments to it go too. Paper: A.5.

    Returns the statement around it, or the root.
    """
    rest = rest_of(rw, a.path)
    stores: list[Path] = []
    for i in range(rest.hi - rest.lo):
        for path, node in uses(get(rw.tree, rest.path(i)), a.sym, rest.path(i)):
            applicable(isinstance(node, Assign | Reduce), f"{a.name()} is still used", rw.proc.root())
            stores.append(path)
    for path in stores:
        rw.delete(span_of(rw.now(path)))
    rw.delete(span_of(a.path))
    return a.path[:-1]

