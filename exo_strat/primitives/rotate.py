"""A sliding window that is held and shifted instead of filled anew.

Not in the paper. It is what Halide's `store_at` and a stencil's register rotation need: each iteration keeps
what it can of the window of the one before, and computes what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard, cast

from pyrsistent import PVector, pvector

from ..cursors.cursor import at_path
from ..cursors.kinds import ForCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import scope_at
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Assign, Expr, For, If, Interval, Node, Point, ProcDef, Read, Stmt, Var, WinDim
from ..ir.span import Span, span_of
from ..ir.types import Tensor
from ..ir.walk import Path, get, is_bool, is_control, map_children, mentions, rename, subst, update
from ..logic.forms import TRUE, is_opaque, lin
from ..logic.questions import clash, facts_at, if_reached, in_loops, prime, safety, to_expr
from .framework import Trial, Where, primitive
from .helpers.access import uses_in
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import body_span, loop_at, no_new_races

__all__ = ["rotate_buffer"]


@primitive(
    same_values=True,
    cursors={
        "target": "gone",
        "inside": "last copy",
        "values inside": "stay, last copy, replaced, gone, lost",
        "values elsewhere": "stay, first copy, last copy",
    },
    trial=Trial(programs="stencil"),
)
def rotate_buffer(rw: Rewrite, fill: ForCursor) -> Where:
    """`for i in seq(lo, hi): s0; for k in seq(0, w): t[k] = f(i + k); s  ~>`
    `for k in seq(0, w - 1): t[k + 1] = f(lo + k)`;
    `for i in seq(lo, hi): s0; for k in seq(0, w - 1): t[k] = t[k + 1]; t[w - 1] = f(i + w - 1); s`.

    The target is the loop over k, a statement of the loop over i; its bounds may be any that do not change. The
    code before the loop over i is put under `if lo < hi` unless that is known. Returns the loop over i.

    Right if an iteration leaves the same values in t as before, also after the loop. So what the loop over k does
    depends on i and k by their sum only, apart from the index k of one dimension of t, the only buffer that it
    writes. It writes every cell of t at that index, w is positive, and what it reads besides is not written in the
    loop over i. The code s0 does not touch t, and s does not write it.

    Fails with `NotApplicable` if the loops do not have this form, and with `Unsafe` if the window may be empty or
    filled in part, or if the loop over i may change what it is filled from.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def blur(n: size, x: f32[n + 2], y: f32[n]):
    ...     t: f32[3]
    ...     for i in seq(0, n):
    ...         for k in seq(0, 3):
    ...             t[k] = x[i + k]
    ...         y[i] = t[0] + t[1] + t[2]
    ... ''')
    >>> print(rotate_buffer.direct(p, "k"))
    def blur(n: size, x: f32[n + 2] @ DRAM, y: f32[n] @ DRAM):
        t: f32[3] @ DRAM
        for k in seq(0, 2):
            t[k + 1] = x[k]
        for i in seq(0, n):
            for k in seq(0, 2):
                t[k] = t[k + 1]
            t[2] = x[i + 2]
            y[i] = t[0] + t[1] + t[2]

    Refused: the loop over i changes `x`, so the values that the window keeps are out of date.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n + 2]):
    ...     t: f32[3]
    ...     for i in seq(0, n):
    ...         for k in seq(0, 3):
    ...             t[k] = x[i + k]
    ...         x[i + 1] = t[0] + t[1] + t[2]
    ... ''')
    >>> print(rotate_buffer()(q, q.find_loop("k")).failure())
    rotate_buffer(): not true: what the window is filled from stays the same in the loop over i
    one reads x[i + k], the other writes x[i + 1]
    for instance with i = 1, i' = 0, k = 0, n = 2
            t: f32[3] @ DRAM
            for i in seq(0, n):
    -->         for k in seq(0, 3):
                    t[k] = x[i + k]
                x[i + 1] = t[0] + t[1] + t[2]
    """
    w = _window_of(rw, fill)
    _slides(rw.proc.tree, w, fill)
    _holds_still(rw.proc.tree, w, fill)
    loop, inner = loop_at(rw.proc.tree, w.outer), loop_at(rw.proc.tree, fill.path)
    last = b.sub(inner.hi, b.ONE)
    first, shift = _first(rw, w, loop, inner, last), _shift(rw, w, inner, last)
    rw.substitute_in(body_span(rw, fill.path), inner.iter, last)
    rw.add_part(fill.path, shift, before=True)
    rw.unwrap(span_of(fill.path).path(1))
    rw.add_part(w.outer, first, before=True)
    no_new_races(rw, w.outer)
    return span_of(w.outer).path(1)


class _Window(NamedTuple):
    """A sliding window: the loop along which it slides, the buffer, its dimension and extents."""

    outer: Path
    buffer: Sym
    dim: int
    shape: Sequence[Expr]


# -- conditions ---------------------------------------------------------------------------------------


def _window_of(rw: Rewrite, fill: ForCursor) -> _Window:
    """The window that a loop fills, if it has the form of one."""
    tree, outer = rw.proc.tree, fill.path[:-1]
    what = "the window must slide along a loop around the one that fills it"
    loop = of_kind(get(tree, outer), For, what, fill)
    applicable(loop.mode == "seq", f"the loop over {loop.iter} is {loop.mode}: no iteration follows another", fill)
    body = body_span(rw, fill.path)
    written = {a.buffer for a in safety.effects(tree, body) if a.writes}
    applicable(len(written) == 1, f"the loop must write one buffer, not {len(written)}", fill)
    t = of_kind(next(iter(written)), Sym, "the loop writes a config field", fill)
    known = scope_at(tree, outer).types.get(t)
    applicable(known is not None, f"{t} does not outlive an iteration: lift its allocation first", fill)
    declared = of_kind(known, Tensor, f"{t} has no dimension along which it could slide", fill)
    applicable(not any(map(is_opaque, declared.shape)), f"the extents of {t} depend on config fields", fill)
    dim = _sliding_dim(tree, fill, t, len(declared.shape))
    return _Window(outer, t, dim, declared.shape)


def _sliding_dim(tree: ProcDef, fill: ForCursor, t: Sym, rank: int) -> int:
    """The dimension of the buffer at which the filling loop is always at its own iterator."""
    loop = loop_at(tree, fill.path)
    k, body = lin(Var(loop.iter)), Span(fill.path, "body", 0, len(loop.body))
    touched = [a.index for a in safety.effects(tree, body) if a.buffer == t]
    named = [get(tree, p) for p in uses_in(tree, fill.as_block().span, t)]
    for d in range(rank):
        if all(index[d] == k for index in touched) and all(_at_iterator(n, d, loop.iter) for n in named):
            return d
    applicable(False, f"there is no dimension of {t} in which the loop is always at index {loop.iter}", fill)
    raise AssertionError("not applicable")


def _at_iterator(n: Node, d: int, k: Sym) -> bool:
    index = getattr(n, "idx", ())
    if d >= len(index):
        return False
    x = index[d].pt if isinstance(index[d], Point) else index[d]
    return not isinstance(x, Interval) and x == Var(k)


def _slides(tree: ProcDef, w: _Window, fill: ForCursor) -> None:
    """Owed: what the loop does in the next iteration is what it does now for the next index."""
    loop, inner = loop_at(tree, w.outer), loop_at(tree, fill.path)
    for e in (inner.lo, inner.hi):
        applicable(not is_opaque(e), "the width of the window depends on config fields", fill)
        applicable(loop.iter not in mentions(e), f"the width of the window depends on {loop.iter}", fill)
    require(safety.holds(tree, fill.path, b.lt(inner.lo, inner.hi), "the window is not empty"), fill)
    applicable(not is_opaque(loop.lo), f"{loop.iter} counts from a config field, which may change", fill)
    for n, s in enumerate(inner.body):
        later = subst(s, {loop.iter: b.add(Var(loop.iter), b.ONE)})
        beyond = subst(s, {inner.iter: b.add(Var(inner.iter), b.ONE)})
        what = (
            f"this must depend on {loop.iter} and {inner.iter} by their sum only, apart from {inner.iter} in {w.buffer}"
        )
        applicable(_same_code(later, beyond, w), what, at_path(fill.proc, (*fill.path, ("body", n))))


def _same_code(x: object, y: object, w: _Window) -> bool:
    """Whether two pieces of code are the same up to arithmetic and the index along the sliding dimension."""
    if x == y or _equal(x, y):
        return True
    if type(x) is not type(y) or not isinstance(x, Node):
        return False
    lists = dict(x.CHILDREN)
    for label in x.__match_args__:
        one, two = getattr(x, label), getattr(y, label)
        if label not in lists:
            if one != two:
                return False
        elif not lists[label]:
            if not _same_code(one, two, w):
                return False
        else:
            slides = label == "idx" and getattr(x, "sym", None) == w.buffer
            pairs = [p for d, p in enumerate(zip(one, two, strict=False)) if not (slides and d == w.dim)]
            if len(one) != len(two) or not all(_same_code(p, q, w) for p, q in pairs):
                return False
    return True


def _equal(x: object, y: object) -> bool:
    """Whether two control expressions are one integer by their form."""
    return _is_integer(x) and _is_integer(y) and lin(x) == lin(y)


def _is_integer(e: object) -> TypeGuard[Expr]:
    return isinstance(e, Expr) and is_control(e) and not is_bool(e) and not is_opaque(e)


def _holds_still(tree: ProcDef, w: _Window, fill: ForCursor) -> None:
    """Owed: the window is filled for sure, and only there, with values that the loop around does not change."""
    loop, inner, n = loop_at(tree, w.outer), loop_at(tree, fill.path), fill.path[-1][1]
    assert n is not None
    body = Span(fill.path, "body", 0, len(inner.body))
    before, after = Span(w.outer, "body", 0, n), Span(w.outer, "body", n + 1, len(loop.body))
    row: list[WinDim] = [Interval(b.ZERO, e) for e in w.shape]
    row[w.dim] = Point(Var(inner.iter))
    require(safety.fully_written(tree, body, w.buffer, row), fill)
    require(safety.covered(tree, body, w.buffer), fill)
    own = safety.defined(before.members(tree)) & mentions(inner)
    applicable(not own, "the loop uses what is allocated or named in the same iteration", fill)
    used = any(w.buffer in mentions(s) for s in before.members(tree))
    used = used or any(a.buffer == w.buffer for a in safety.effects(tree, before))
    applicable(not used, f"{w.buffer} is used in the loop over {loop.iter} before it is filled", fill)
    if after.lo < after.hi:
        changed = safety.writes_to(tree, after, w.buffer)
        applicable(not changed, f"{w.buffer} is also written after it is filled", fill)
    _inputs_stay(tree, w, fill)


def _inputs_stay(tree: ProcDef, w: _Window, fill: ForCursor) -> None:
    """Owed: what the filling loop reads, besides the window, no iteration of the loop around it writes."""
    loop = loop_at(tree, w.outer)
    whole = Span(w.outer, "body", 0, len(loop.body))
    inputs = [a for a in safety.effects(tree, Span(*fill.as_block().span)) if a.reads and a.buffer != w.buffer]
    writes = [prime(a, (loop.iter,)) for a in in_loops(safety.effects(tree, whole), loop) if a.writes]
    what = f"what the window is filled from stays the same in the loop over {loop.iter}"
    verdict = clash(tree, facts_at(tree, w.outer), in_loops(inputs, loop), writes, TRUE, what)
    require(if_reached(tree, w.outer, verdict), fill)


# -- edit ---------------------------------------------------------------------------------------------


def _first(rw: Rewrite, w: _Window, loop: For, inner: For, last: Expr) -> Stmt:
    """The code before the loop: all of the first window but its last index, one index further on."""
    k = rw.fresh(inner.iter.name)
    body = rw.copy(inner.body)
    moved = pvector(_started(rename(s, {inner.iter: k}), w, loop, k) for s in body)
    fill = For(k, inner.lo, last, moved)
    starts = b.lt(loop.lo, loop.hi)
    if safety.holds_everywhere(rw.proc.tree, w.outer, starts):
        return fill
    return If(starts, pvector([fill]), pvector())


def _started(s: Stmt, w: _Window, loop: For, k: Sym) -> Stmt:
    """A statement that fills index k, for the first iteration, filling the index after it."""

    after = b.add(Var(k), b.ONE)

    def one(n: Node) -> Node:
        if loop.iter in mentions(n) and _is_integer(n):
            return to_expr(lin(subst(n, {loop.iter: loop.lo})))
        if isinstance(n, Var) and n.sym == loop.iter:
            return loop.lo
        n = map_children(n, one)
        if getattr(n, "sym", None) == w.buffer and getattr(n, "idx", None):
            n = update(n, (("idx", w.dim),), lambda d: Point(after) if isinstance(d, Point) else after)
        return n

    return cast(Stmt, one(s))


def _shift(rw: Rewrite, w: _Window, inner: For, last: Expr) -> Stmt:
    """The loop nest that moves every held value one index down."""
    k = rw.fresh(inner.iter.name)
    iters = [k if d == w.dim else rw.fresh(f"i{d}") for d in range(len(w.shape))]
    to: PVector[Expr] = pvector([Var(i) for i in iters])
    stmt: Stmt = Assign(w.buffer, to, Read(w.buffer, to.set(w.dim, b.add(Var(k), b.ONE))))
    for d in reversed([d for d in range(len(w.shape)) if d != w.dim]):
        stmt = For(iters[d], b.ZERO, w.shape[d], pvector([stmt]))
    return For(k, inner.lo, last, pvector([stmt]))
