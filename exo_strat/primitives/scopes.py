"""Scope transformations (paper, appendix A.3).

A condition or bound that reads data or config fields can be evaluated only where these have been written:
rewrites that evaluate one where it was not evaluated before owe that it was evaluated anyway.
"""

from __future__ import annotations

from pyrsistent import pvector

from ..cursors.cursor import StmtCursor
from ..cursors.kinds import ForCursor, IfCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.nodes import For, If, Pass
from ..ir.span import Span, span_of
from ..ir.walk import Path, get_as, mentions
from ..logic.forms import is_opaque
from ..logic.questions import Given, evaluation, safety
from .framework import Trial, Where, primitive
from .helpers.references import ref
from .helpers.refusing import applicable, require
from .helpers.scoping import body_span, evaluated_early, joint_mode, loop_at, ready, stays_race_free
from .loops import reorder_loops

__all__ = ["fuse", "lift_scope"]


@primitive(
    "A.3",
    same_values=True,
    cursors={"elsewhere": "stay, gone", "values elsewhere": "stay, replaced, gone"},
    trial=Trial(programs="twins twins twin_ifs configuration stages borrowed"),
)
def fuse(rw: Rewrite, first: ForCursor | IfCursor, second: object) -> Where:
    """`for i: s1; for j: s2  ~>  for i: s1; s2[j -> i]`, and `if e: s1; if e: s2  ~>  if e: s1; s2`.

    `second` (a cursor, pattern or name) is the statement right after the first and has the same range or
    condition; else branches are fused too. The fused loop is parallel if both were. Returns the fused scope,
    where cursors to the first point; cursors into the second follow its statements.

    Fails with `NotApplicable` if the two are not neighbours of one kind, and with `Unsafe` if bounds or
    conditions may differ, if s1 changes them, if some s2 touches the data of an s1 of a later iteration, or,
    in parallel loops, of any other iteration. An s2 may read an element that a later s1
    writes, if an earlier s1 wrote the same value there, as overlapping tiles do (see `logic.effects.determined`).

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for j in seq(0, n):
    ...         y[j] = x[j]
    ... ''')
    >>> print(fuse.direct(p, "i", "j"))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
            y[i] = x[i]

    Refused: iteration i of the second loop reads what iteration i + 1 of the first writes.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for j in seq(0, n):
    ...         y[j] = x[j + 1]
    ... ''')
    >>> print(fuse("j")(q, q.find_loop("i")).failure())
    fuse('j'): not true: the second loop does not touch what the first one does in a later iteration
    one reads x[j + 1], the other writes x[i]
    for instance with i = 0, i' = 1, n = 2
        def foo(n: size, x: f32[n + 1] @ DRAM, y: f32[n] @ DRAM):
    -->     for i in seq(0, n):
                x[i] = 0.0
            for j in seq(0, n):
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
    require(safety.equal_at(tree, path, one.lo, two.lo, "both loops start at the same iteration"))
    require(safety.equal_at(tree, path, one.hi, two.hi, "both loops end at the same iteration"))
    whole = Span(path, "body", 0, len(one.body))
    require(safety.unchanged(tree, whole, two.lo))
    require(safety.unchanged(tree, whole, two.hi))
    require(safety.fuse(tree, path, after))
    rw.substitute_in(body_span(rw, after), two.iter, b.var(one.iter))
    _absorb(rw, path, after, "body")
    rw.delete(span_of(after))
    rw.set(path, mode=joint_mode(one, two))
    stays_race_free(rw, path)


def _fuse_ifs(rw: Rewrite, path: Path, after: Path) -> None:
    tree = rw.proc.tree
    one, two = get_as(tree, path, If), get_as(tree, after, If)
    require(safety.unchanged(tree, span_of(path), two.cond))
    require(safety.equal_at(tree, path, one.cond, two.cond, "both conditions are equal"))
    _absorb(rw, path, after, "body")
    _absorb(rw, path, after, "orelse")
    rw.delete(span_of(after))


@primitive(
    "A.3",
    same_values=True,
    cursors={
        "elsewhere": "stay, first copy",
        "values inside": "stay, replaced, gone",
        "values elsewhere": "stay, first copy, gone",
    },
    trial=Trial(programs="lone_scope lone_scope nest configuration", at=(("all of a scope", 85),)),
)
def lift_scope(rw: Rewrite, scope: ForCursor | IfCursor) -> Where:
    """Exchanges a loop or `if` with the loop or `if` around it, of which it is all.

    The target is the inner scope. `for i: if e: s else: s2  ~>  if e: (for i: s) else: (for i: s2)` if e does
    not change in the loop; `if e: for i: s  ~>  for i: if e: s`; `if e: (if e2: s else: s2) else: s3  ~>
    if e2: (if e: s else: s3) else: (if e: s2 else: s3)`; two loops as in `reorder_loops`. Returns the scope,
    which is now outside. Cursors into s3 and to the loop point to the first of two copies.

    Fails with `NotApplicable` if the scope is not all of a loop or branch, or if e depends on i; with `Unsafe` if s
    changes e, or if a condition or bound that reads data or config fields would be evaluated where it was not (the
    loop may be empty, the other condition false) and need not have a value there.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         if m < 4:
    ...             x[i] = 0.0
    ...         else:
    ...             x[i] = 1.0
    ... ''')
    >>> print(lift_scope.direct(p, "if _: _"))
    def foo(n: size, m: size, x: f32[n] @ DRAM):
        if m < 4:
            for i in seq(0, n):
                x[i] = 0.0
        else:
            for i in seq(0, n):
                x[i] = 1.0

    Refused: an iteration changes what the condition reads.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32):
    ...     for i in seq(0, n):
    ...         if x < 1.0:
    ...             x = 2.0
    ... ''')
    >>> print(lift_scope()(q, q.find("if _: _")).failure())
    lift_scope(): not provable: the code does not change the expression
    one reads x, the other writes x
        def foo(n: size, x: f32 @ DRAM):
            for i in seq(0, n):
    -->         if x < 1.0:
                    x = 2.0
    """
    parent = scope.parent() if len(scope.path) > 1 else None
    applicable(isinstance(parent, ForCursor | IfCursor), "there is no scope around this one", scope)
    assert parent is not None
    at = span_of(scope.path)
    applicable(len(getattr(parent.node, at.label)) == 1, "the scope must be all of its parent's block", scope)
    if isinstance(parent, ForCursor) and isinstance(scope, ForCursor):
        return reorder_loops.spec.fn(rw, parent)
    if isinstance(parent, ForCursor):
        _if_out_of_for(rw, parent.path)
    elif isinstance(scope, ForCursor):
        _for_out_of_if(rw, parent.path, at.label)
    else:
        _if_out_of_if(rw, parent.path, at.label)
    return parent.path


def _hoist(rw: Rewrite, path: Path, label: str) -> Path:
    """Move the only statement of a branch before its parent; returns where the parent stands now."""
    at = span_of(path)
    rw.move(Span(path, label, 0, 1), at._replace(hi=at.lo))
    return at.path(1)


def _if_out_of_for(rw: Rewrite, path: Path) -> None:
    tree = rw.proc.tree
    loop = loop_at(tree, path)
    cond = get_as(tree, (*path, ("body", 0)), If)
    applicable(loop.iter not in mentions(cond.cond), f"the condition depends on {loop.iter}")
    require(safety.unchanged(tree, Span(path, "body", 0, 1), cond.cond))
    runs = safety.holds(tree, path, b.lt(loop.lo, loop.hi), "the loop runs at least once")
    early = is_opaque(cond.cond) and not runs
    if early:
        has_value = evaluation.has_value(tree, span_of(path), cond.cond)
        ready(rw, has_value if has_value or isinstance(has_value, Given) else runs)
    nested = _hoist(rw, path, "body")
    rw.move(body_span(rw, path), Span(nested, "body", 0, 0))
    if cond.orelse:
        i = rw.fresh(loop.iter.name)
        other = rw.wrap(body_span(rw, path, "orelse"), For(i, loop.lo, loop.hi, pvector(), loop.mode))
        rw.substitute_in(body_span(rw, other), loop.iter, b.var(i))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    if early:
        evaluated_early(rw, path, runs)


def _for_out_of_if(rw: Rewrite, path: Path, label: str) -> None:
    tree = rw.proc.tree
    cond = get_as(tree, path, If)
    applicable(not cond.orelse and label == "body", "the `if` must have no else branch")
    loop_path: Path = (*path, ("body", 0))
    loop = loop_at(tree, loop_path)
    early = [e for e in (loop.lo, loop.hi) if is_opaque(e)]
    for e in early:
        ready(rw, evaluation.has_value(tree, span_of(path), e))
    require(safety.unchanged(tree, Span(loop_path, "body", 0, len(loop.body)), cond.cond))
    nested = _hoist(rw, path, "body")
    rw.move(body_span(rw, path), Span(nested, "body", 0, 0))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    if early:
        evaluated_early(rw, path)


def _if_out_of_if(rw: Rewrite, path: Path, label: str) -> None:
    tree = rw.proc.tree
    outer = get_as(tree, path, If)
    inner = getattr(outer, label)[0]
    other_label = "orelse" if label == "body" else "body"
    other = getattr(outer, other_label)
    early = is_opaque(inner.cond)
    if early:
        ready(rw, evaluation.has_value(tree, span_of(path), inner.cond))
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
    if early:
        evaluated_early(rw, path)
