"""Where buffers live: lift, sink and delete allocations (paper, appendix A.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cursors.cursor import at_path
from ..cursors.kinds import AllocCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import scope_at
from ..ir import build as b
from ..ir.cells import written_args
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Assign,
    Binary,
    Call,
    Expr,
    For,
    If,
    ProcDef,
    Reduce,
    StrideExpr,
    WindowDef,
)
from ..ir.span import Span, span_of
from ..ir.types import Tensor
from ..ir.walk import Path, get, get_as, mentions, walk, with_child
from ..logic.questions import evaluation, safety, written_fields
from .framework import Trial, Where, primitive
from .helpers.access import rename_uses, statement_of
from .helpers.arguments import Levels
from .helpers.references import positive
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import ready, stays_race_free

__all__ = ["delete_buffer", "lift_alloc", "sink_alloc"]


def alloc_at(rw: Rewrite, path: Path) -> Alloc:
    """The allocation at a path of the current tree."""
    return get_as(rw.tree, path, Alloc)


def shape_of(alloc: Alloc) -> Sequence[Expr]:
    """The extents of an allocation: none for a scalar."""
    return alloc.type.shape if isinstance(alloc.type, Tensor) else ()


def rest_of(rw: Rewrite, path: Path) -> Span:
    """The statements after an allocation: its scope."""
    s = span_of(path)
    return Span(s.parent, s.label, s.hi, len(getattr(rw.node(s.parent), s.label)))


@primitive(
    "A.5",
    same_values=True,
    trial=Trial(programs="sized sized temporary independent", at=(("inside a scope", 85),)),
)
def lift_alloc(rw: Rewrite, a: AllocCursor, n_lifts: Levels = 1) -> Where:
    """`for i: s0; a: T; s  ~>  a: T; for i: s0; s`, also out of an `if`, `n_lifts` times.

    The extents use only names that are in scope outside, and are the same and positive there, even if the loop runs
    zero times or the condition is false. Values carried between iterations need no proof: a program that would notice
    reads uninitialised memory. Iterations of a parallel loop must not share what they write. Returns the
    allocation.

    Fails with `NotApplicable` if there is no scope around the allocation, or the extents depend on what the scope
    defines; with `Unsafe` if the extents may change or not be positive, or if parallel iterations would share the
    buffer.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         a: f32
    ...         a = 2.0
    ...         x[i] = a
    ... ''')
    >>> print(lift_alloc.direct(p, "a"))
    def foo(n: size, x: f32[n] @ DRAM):
        a: f32 @ DRAM
        for i in seq(0, n):
            a = 2.0
            x[i] = a

    Refused: with one buffer for all of them, iterations that run at the same time would write the same place.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in par(0, n):
    ...         a: f32
    ...         a = 2.0
    ...         x[i] = a
    ... ''')
    >>> print(lift_alloc()(q, q.find_alloc("a")).failure())
    lift_alloc(): not true: no two iterations of i touch one location that either writes
    one writes a, the other writes a
    for instance with i = 1, i' = 0, n = 2
        def foo(n: size, x: f32[n] @ DRAM):
            for i in par(0, n):
    -->         a: f32 @ DRAM
                a = 2.0
                x[i] = a
    """
    positive(n_lifts, "n_lifts")
    path = a.path
    for _ in range(n_lifts):
        applicable(len(path) > 1, "the allocation is at the top level: there is no scope to lift it out of", a)
        path = _lift(rw, path)
    return path


def _lift(rw: Rewrite, path: Path) -> Path:
    alloc, outside = alloc_at(rw, path), path[:-1]
    known = scope_at(rw.tree, outside).types
    inner = [s for s in sorted(mentions(alloc.type), key=lambda s: s.id) if s not in known]
    applicable(not inner, f"the extents of {alloc.sym} depend on {', '.join(map(str, inner))}")
    scope = at_path(rw.proc, outside)  # the edits so far are inside it
    for e in shape_of(alloc):
        require(safety.unchanged(rw.tree, span_of(outside), e), scope)
        ready(rw, evaluation.has_value(rw.tree, span_of(outside), e), scope)
        what = f"the extents of {alloc.sym} are positive outside the scope"
        require(safety.holds(rw.tree, outside, Binary("<=", b.ONE, e), what), scope)
    at = span_of(outside)
    rw.move(span_of(path), at._replace(hi=at.lo))
    stays_race_free(rw, at.path(1))
    return outside


@primitive(
    "A.5",
    same_values=True,
    cursors={"target": "stay, first copy", "values inside": "stay, first copy"},
    trial=Trial(
        programs="temporary temporary borrowed borrowed accumulation branches",
        at=(("used in one scope", 85),),
    ),
)
def sink_alloc(rw: Rewrite, a: AllocCursor) -> Where:
    """`a: T; s0; for i: s  ~>  s0; for i: a: T; s`, also into an `if`.

    One loop or `if` must be the only statement that uses the buffer. Into a loop: no iteration may read what an
    earlier one left. Into an `if`: a branch that does not use the buffer gets none; if both use it, each gets its
    own. Returns the (first) allocation.

    Fails with `NotApplicable` if several statements use the buffer, or if the loop's bounds or the condition do;
    with `Unsafe` if an iteration may read what an earlier one left, or if code before changes the extents.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     a: f32
    ...     for i in seq(0, n):
    ...         a = 2.0
    ...         x[i] = a
    ... ''')
    >>> print(sink_alloc.direct(p, "a"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            a: f32 @ DRAM
            a = 2.0
            x[i] = a

    Refused: an iteration reads the sum that the one before it left.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     a: f32
    ...     for i in seq(0, n):
    ...         if i == 0:
    ...             a = 0.0
    ...         a += x[i]
    ...         x[i] = a
    ... ''')
    >>> print(sink_alloc()(q, q.find_alloc("a")).failure())
    sink_alloc(): not true: a is surely written before it is read
    it accumulates into a
    for instance with i = 1, n = 2
        def foo(n: size, x: f32[n] @ DRAM):
    -->     a: f32 @ DRAM
            for i in seq(0, n):
                if i == 0:
    """
    tree = rw.proc.tree
    rest = rest_of(rw, a.path)
    using = [i for i, s in enumerate(rest.members(tree)) if a.sym in mentions(s)]
    applicable(len(using) == 1, f"exactly one statement must use {a.name()}; {len(using)} do", a)
    path = rest.path(using[0])
    for e in shape_of(alloc_at(rw, a.path)):
        require(safety.unchanged(tree, rest._replace(hi=rest.lo + using[0] + 1), e), a)
    scope = get(tree, path)
    if isinstance(scope, For):
        _into_loop(tree, path, scope, a)
        labels = ["body"]
    else:
        branch = of_kind(scope, If, f"the statement that uses {a.name()} is neither a loop nor an `if`", a)
        applicable(a.sym not in mentions(branch.cond), f"the condition uses {a.name()}", a)
        labels = [x for x in ("body", "orelse") if any(a.sym in mentions(s) for s in getattr(branch, x))]
        if len(labels) == 2:
            _twin(rw, alloc_at(rw, a.path), Span(path, "orelse", 0, len(branch.orelse)))
    rw.move(span_of(a.path), Span(path, labels[0], 0, 0))
    return rw.now(a.path)


def _into_loop(tree: ProcDef, path: Path, loop: For, a: AllocCursor) -> None:
    used = a.sym in mentions(loop.lo) | mentions(loop.hi)
    applicable(not used, f"the loop's bounds use {a.name()}", a)
    require(safety.carried(tree, path, a.sym), a)


def _twin(rw: Rewrite, alloc: Alloc, branch: Span) -> None:
    """Give a branch a buffer of its own in place of one that it shares with the other branch."""
    twin = rw.fresh(alloc.sym.name)
    rename_uses(rw, branch, alloc.sym, twin)
    rw.insert(branch._replace(hi=branch.lo), with_child(alloc, "sym", twin))


@primitive(
    "A.5",
    same_values=True,
    cursors={"target": "gone", "elsewhere": "stay, gone", "values inside": "gone", "values elsewhere": "stay, gone"},
    trial=Trial(programs="temporary anything accumulation"),
)
def delete_buffer(rw: Rewrite, a: AllocCursor) -> Where:
    """`a: T; s  ~>  s`, if nothing reads the buffer but code that only writes to it, which goes too.

    What goes are assignments and reductions to the buffer, its windows, writes to those, and calls that write to
    nothing else. A question for the buffer's stride keeps it alive. Returns the statement around the allocation, or
    the procedure.

    Fails with `Unsafe` if other code uses the buffer.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     a: f32
    ...     for i in seq(0, n):
    ...         a = x[i]
    ...         x[i] = 0.0
    ... ''')
    >>> print(delete_buffer.direct(p, "a"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0

    Refused: what is in `a` is read.

    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     a: f32
    ...     a = 2.0
    ...     x = a
    ... ''')
    >>> print(delete_buffer()(q, q.find_alloc("a")).failure())
    delete_buffer(): not provable: only code that writes to a uses it
            a: f32 @ DRAM
            a = 2.0
    -->     x = a
    """
    tree, rest = rw.proc.tree, rest_of(rw, a.path)
    names = [a.sym]
    gone = set[Path]()
    for path in _uses(tree, rest, names):
        stmt = statement_of(path)
        if stmt not in gone:  # else an operand of what goes; such expressions are pure
            if not _only_writes(tree, stmt, path, names):
                require(safety.Clash(f"only code that writes to {a.name()} uses it"), at_path(rw.proc, path))
            gone.add(stmt)
    for stmt in sorted(gone):
        rw.delete(span_of(rw.now(stmt)))
    rw.delete(span_of(a.path))
    return a.path[:-1]


def _uses(tree: ProcDef, scope: Span, names: list[Sym]) -> Iterator[Path]:
    """The places that name a buffer or its windows, also those of windows, in textual order. Of the windows, `names`
    gets the names as they are met."""
    for i in range(scope.hi - scope.lo):
        start = scope.path(i)
        for path, n in walk(get(tree, start), start, lambda n: not mentions(n).isdisjoint(names)):
            if isinstance(n, WindowDef) and n.rhs.sym in names:
                names.append(n.sym)
            if getattr(n, "sym", None) in names:
                yield path


def _only_writes(tree: ProcDef, stmt: Path, use: Path, names: Sequence[Sym]) -> bool:
    """Whether a statement that uses a buffer, at the path `use`, does nothing but write to it or view it."""
    s = get(tree, stmt)
    match s:
        case Assign() | Reduce():
            return s.sym in names
        case WindowDef():
            return not isinstance(get(tree, use), StrideExpr)
        case Call():
            changed = written_args(s.f.tree)
            passed = zip(s.f.tree.args, s.args, strict=True)
            written = [getattr(actual, "sym", None) for formal, actual in passed if formal.sym in changed]
            only = not written_fields(s) and all(sym in names for sym in written)
            return only and not isinstance(get(tree, use), StrideExpr)
    return False
