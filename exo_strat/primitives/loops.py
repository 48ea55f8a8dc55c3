"""Loop transformations (paper, appendix A.1). Imports `framework`, `logic.safety` and `ir`.

Loops may start anywhere and may be empty; `n` below is `hi - lo`.
"""

from __future__ import annotations

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor, GapCursor
from ..cursors.edits import Span, span_of
from ..cursors.kinds import ForCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.nodes import Binary, Const, Expr, For, If, Pass, ProcDef
from ..ir.walk import Path, get, mentions, with_child
from ..logic import safety
from .framework import ExprLike, Where, applicable, argument, blk, expr_arg, name_arg, primitive, require
from .scoping import body_span, bounds_stay, escaping, loop_at, trip_count

TAILS = ("perfect", "guard", "cut", "cut_and_guard")


@primitive()
def reorder_loops(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i: for j: s  ~>  for j: for i: s`. Paper: A.1.

    The target is the outer loop; the inner one is all of its body. Returns the loop that is now outside.
    Fails with `Unsafe` if iterations (i, j) and (i', j') that change places touch the same data.
    """
    tree, path = rw.proc.tree, loop.path
    outer = loop_at(tree, path)
    inner = outer.body[0]
    applicable(len(outer.body) == 1 and isinstance(inner, For), "the loop's body must be one loop and nothing else")
    assert isinstance(inner, For)
    applicable(
        outer.iter not in mentions(inner.lo) | mentions(inner.hi), f"the inner loop's bounds depend on {outer.iter}"
    )
    require(safety.interchange(tree, path))
    at = span_of(path)
    rw.move(Span(path, "body", 0, 1), at._replace(hi=at.lo))
    nested = at.path(1)
    rw.move(body_span(rw, path), Span(nested, "body", 0, 0))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    return path


@primitive()
def divide_loop(
    rw: Rewrite, loop: ForCursor, c: int, names: tuple[str, str], tail: str = "guard", perfect: bool = False
) -> Where:
    """`for i in (lo, hi): s  ~>  for io in (0, n/c): for ii in (0, c): s[i -> lo + c*io + ii]`. Paper: A.1.

    `tail` says what becomes of the last `n % c` iterations: "perfect" (there are none; also `perfect=True`),
    "guard" (`n/c` is rounded up and the body guarded by `if`), "cut" (a loop over `ii` of their own after the
    main one), "cut_and_guard" (the same inside `if n % c > 0`). The cuts need `lo <= hi`, as `n % c` is a floor
    operation. Returns the outer loop.
    """
    tail = "perfect" if perfect else tail
    argument(isinstance(c, int) and c >= 1, f"the factor must be a positive integer, not {c!r}")
    argument(tail in TAILS, f"tail must be one of {', '.join(TAILS)}, not {tail!r}")
    argument(len(names) == 2, "two names are needed: for the outer and the inner iterator")
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    n = b.sub(old.hi, old.lo)
    if tail == "perfect":
        obligation = f"{c} divides the loop's number of iterations"
        require(safety.holds(tree, path, Binary("==", b.mod(n, c), b.ZERO), obligation), loop)
    elif tail != "guard":
        require(safety.holds(tree, path, Binary("<=", old.lo, old.hi), "the loop's range is not negative"), loop)
    bounds_stay(tree, path)
    io, ii = rw.fresh(name_arg(names[0])), rw.fresh(name_arg(names[1]))
    if tail.startswith("cut"):
        _add_tail(rw, path, old, c, name_arg(names[1]), guarded=tail == "cut_and_guard")
    i_new = b.add(old.lo, b.add(b.mul(c, b.var(io)), b.var(ii)))
    rw.set(path, iter=io, lo=b.ZERO, hi=b.div(b.add(n, b.num(c - 1)) if tail == "guard" else n, c))
    body = body_span(rw, path)
    rw.substitute_in(body, old.iter, i_new)
    if tail == "guard":
        body = span_of(rw.wrap(body, If(b.lt(i_new, old.hi), pvector(), pvector())))
    rw.wrap(body, For(ii, b.ZERO, b.num(c), pvector()))
    return path


def _add_tail(rw: Rewrite, path: Path, old: For, c: int, name: str, guarded: bool) -> None:
    n = b.sub(old.hi, old.lo)
    ii = rw.fresh(name)
    rest = For(ii, b.ZERO, b.mod(n, c), rw.copy(old.body), old.mode)
    if not guarded:
        rw.insert_after(path, rest)
        where: Path = span_of(path).path(1)
    else:
        rw.insert_after(path, If(b.lt(b.ZERO, b.mod(n, c)), pvector([rest]), pvector()))
        where = (*span_of(path).path(1), ("body", 0))
    first = b.add(old.lo, b.mul(c, b.div(n, c)))
    rw.substitute_in(body_span(rw, where), old.iter, b.add(first, b.var(ii)))


@primitive()
def mult_loops(rw: Rewrite, loop: ForCursor, name: str) -> Where:
    """`for i: for j in (l, l+c): s  ~>  for k in (0, n*c): s[i -> lo + k/c, j -> l + k%c]`. Paper: A.1.

    The inner loop is all of the outer one's body and runs a constant number c >= 1 of times. Returns the new loop.
    """
    tree, path = rw.proc.tree, loop.path
    outer = loop_at(tree, path)
    inner = outer.body[0]
    applicable(len(outer.body) == 1 and isinstance(inner, For), "the loop's body must be one loop and nothing else")
    assert isinstance(inner, For)
    c = trip_count(inner)
    applicable(c is not None and c >= 1, "the inner loop must run a constant, positive number of times", loop)
    assert c is not None
    bounds_stay(tree, path)
    inner_path = (*path, ("body", 0))
    bounds_stay(tree, inner_path)
    k = rw.fresh(name_arg(name))
    rw.set(path, iter=k, lo=b.ZERO, hi=b.mul(c, b.sub(outer.hi, outer.lo)))
    body = rw.unwrap(inner_path)
    rw.substitute_in(body, inner.iter, b.add(inner.lo, b.mod(b.var(k), c)))
    rw.substitute_in(body, outer.iter, b.add(outer.lo, b.div(b.var(k), c)))
    return path


@primitive()
def cut_loop(rw: Rewrite, loop: ForCursor, cut: ExprLike) -> Where:
    """`for i in (lo, hi): s  ~>  for i in (lo, e): s; for i in (e, hi): s`. Paper: A.1.

    `e` is a control expression in scope before the loop, with `lo <= e <= hi`. Returns the first loop.
    """
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    e = expr_arg(rw, cut, path)
    require(safety.holds(tree, path, Binary("<=", old.lo, e), "the cut is not before the loop's start"), loop)
    require(safety.holds(tree, path, Binary("<=", e, old.hi), "the cut is not after the loop's end"), loop)
    bounds_stay(tree, path)
    require(safety.unchanged(tree, safety.Blk(path, "body", 0, len(old.body)), e), loop)
    rw.insert_after(path, *rw.copy([with_child(old, "lo", e)]))
    rw.set(path, hi=e)
    return path


@primitive()
def shift_loop(rw: Rewrite, loop: ForCursor, start: ExprLike) -> Where:
    """`for i in (lo, hi): s  ~>  for i in (e, hi + e - lo): s[i -> i + lo - e]`. Paper: A.1.

    `e` is a control expression in scope before the loop. Returns the loop.
    """
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    e = expr_arg(rw, start, path)
    bounds_stay(tree, path)
    require(safety.unchanged(tree, safety.Blk(path, "body", 0, len(old.body)), e), loop)
    rw.set(path, lo=e, hi=b.add(old.hi, b.sub(e, old.lo)))
    rw.substitute_in(body_span(rw, path), old.iter, b.add(b.var(old.iter), b.sub(old.lo, e)))
    return path


@primitive()
def fission(rw: Rewrite, gap: GapCursor, n_lifts: int = 1) -> Where:
    """`for i: s1; s2  ~>  for i: s1; for i: s2`, at a gap. Also through `if`s. Paper: A.1.

    `n_lifts` enclosing scopes are split, from the inside out. Returns the second of the two outermost parts.
    Fails with `Unsafe` if some s1 touches the data of an s2 of an earlier iteration.
    """
    argument(isinstance(n_lifts, int) and n_lifts >= 1, f"n_lifts must be a positive integer, not {n_lifts!r}")
    at = gap.span
    for _ in range(n_lifts):
        applicable(bool(at.parent), "the gap is at the top level: there is no scope to split", gap)
        at = _split(rw, at)
    return at.path()


def _split(rw: Rewrite, gap: Span) -> Span:
    """Split the scope around a gap of the current tree; returns the gap between the parts."""
    tree, path, k = rw.tree, gap.parent, gap.lo
    scope = get(tree, path)
    n = len(getattr(scope, gap.label))
    applicable(0 < k < n, "the gap must have statements of the scope on both sides")
    applicable(not escaping(tree, Span(path, gap.label, 0, k)), "a name defined before the gap is used after it")
    second: For | If
    if isinstance(scope, For):
        require(safety.fission(tree, path, k))
        bounds_stay(tree, path)
        i = rw.fresh(scope.iter.name)
        second = For(i, scope.lo, scope.hi, pvector(), scope.mode)
    else:
        assert isinstance(scope, If)
        applicable(not scope.orelse, "an `if` with an else branch cannot be split")
        require(safety.unchanged(tree, safety.Blk(path, "body", 0, k), scope.cond))
        second = If(scope.cond, pvector(), pvector())
    rw.insert_after(path, second)
    after = span_of(path).path(1)
    rw.move(Span(path, "body", k, n), Span(after, "body", 0, 0))
    if isinstance(scope, For):
        rw.substitute_in(body_span(rw, after), scope.iter, b.var(i))
    s = span_of(after)
    return s._replace(hi=s.lo)


@primitive()
def remove_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i: s  ~>  s`, if s does not use i, is idempotent, and the loop runs at least once. Paper: A.1.

    Returns the block.
    """
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    used = any(old.iter in mentions(s) for s in old.body)
    applicable(not used, f"the loop's body depends on {old.iter}", loop)
    require(safety.holds(tree, path, b.lt(old.lo, old.hi), "the loop runs at least once"), loop)
    require(safety.repeatable(tree, path), loop)
    return rw.unwrap(path)


@primitive()
def add_loop(rw: Rewrite, block: BlockCursor, name: str, hi: ExprLike, guard: bool = False) -> Where:
    """`s  ~>  for i in (0, hi): s`, or with `guard` `for i in (0, hi): if i == 0: s`. Paper: A.1.

    `hi` must be positive; without a guard, s must be idempotent. Returns the loop.
    """
    tree, span = rw.proc.tree, block.span
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    end = expr_arg(rw, hi, span.path())
    require(safety.holds(tree, span.path(), b.lt(b.ZERO, end), "the new loop runs at least once"), block)
    if not guard:
        require(safety.idempotent(tree, blk(block)), block)
    i = rw.fresh(name_arg(name))
    if guard:
        span = span_of(rw.wrap(span, If(Binary("==", b.var(i), b.ZERO), pvector(), pvector())))
    return rw.wrap(span, For(i, b.ZERO, end, pvector()))


@primitive()
def unroll_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in (lo, lo+n): s  ~>  s[i -> lo]; ..; s[i -> lo+n-1]`, for a constant n. Paper: A.1.

    A loop that never runs becomes `pass`. Returns the block of all copies.
    """
    path = loop.path
    old = loop_at(rw.proc.tree, path)
    n = trip_count(old)
    applicable(n is not None, "the loop must run a constant number of times", loop)
    assert n is not None
    if n <= 0:
        rw.replace(path, Pass())
        return path
    bounds_stay(rw.proc.tree, path)
    copies = [rw.copy(old.body) for _ in range(n - 1)]
    first = rw.unwrap(path)
    size = first.hi - first.lo
    for k, stmts in enumerate(copies, 1):
        rw.insert_after(first.path(k * size - 1), *stmts)
    for k in range(n):
        at = first.lo + k * size
        rw.substitute_in(first._replace(lo=at, hi=at + size), old.iter, _nth(old.lo, k))
    return first._replace(hi=first.lo + n * size)


def _nth(lo: Expr, k: int) -> Expr:
    return b.num(int(lo.value) + k) if isinstance(lo, Const) else b.add(lo, b.num(k))
