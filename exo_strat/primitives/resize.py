"""The extents of buffers: less of a dimension, a ring, two dimensions in one (paper, appendix A.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeAlias

from ..cursors.cursor import at_path
from ..cursors.kinds import AllocCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Binary, Call, Expr, Interval, Point, ProcDef, StrideExpr, WinDim
from ..ir.span import Span
from ..ir.walk import get, walk
from ..logic.forms import TRUE, Formula, conj, eq, is_opaque, lin, ne
from ..logic.questions import Access, Sharing, difference, facts_at, if_reached, safety, undisturbed
from .buffers import alloc_at, rest_of, shape_of
from .dims import dimension, one_block, reshape
from .framework import Trial, Where, primitive
from .helpers.access import Dims, Redirect, bounds, named, redirect, uses_in
from .helpers.arguments import Dim, Kind
from .helpers.references import ExprLike
from .helpers.refusing import applicable, argument, require
from .helpers.scoping import extent_arg, integer_arg
from .helpers.wellformed import still_parallel, well_formed

__all__ = ["mult_dim", "resize_dim"]

_Along: TypeAlias = Callable[[WinDim], Sequence[WinDim]]
"""Where a point or interval along one dimension goes."""


def sharing_is_seen(rw: Rewrite, span: Span, place: AllocCursor) -> None:
    """Owed in the scope of a buffer when cells come to share memory: iterations of parallel loops stay apart, and
    no call gets by two arguments what it writes."""
    nodes = [(p, n) for k in range(span.hi - span.lo) for p, n in walk(rw.node(span.path(k)), span.path(k))]
    still_parallel(rw, nodes, place)
    if any(isinstance(n, Call) for _, n in nodes):
        well_formed(rw)


# -- resize_dim ---------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={"values inside": "stay, replaced, gone", "values elsewhere": "stay, first copy, replaced, gone"},
    trial=Trial(programs="ring ring grid temporary"),
)
def resize_dim(
    rw: Rewrite,
    a: AllocCursor,
    dim: Dim,
    size: Annotated[ExprLike, Kind("a smaller extent", (2, 3, 4, 1, "n", "n + 1"))],
    offset: Annotated[ExprLike, Kind("an offset")],
    fold: bool = False,
) -> Where:
    """`a: T[_, n, _]; a[_, e, _]  ~>  a: T[_, size, _]; a[_, e - offset, _]`, or with `fold`
    `a[_, (e - offset) % size, _]`.

    `size` is the new extent of dimension `dim`, and `offset` the old index that becomes 0. Both are expressions in
    scope at the allocation. The size is positive. Every index along the dimension, and every window, lies within
    `offset` and `offset + size`. If code asks for a stride of the buffer, that stride stays the same.

    With `fold`, the dimension becomes a ring buffer, as by Halide's storage folding. The size is then a literal, and
    indices may lie anywhere: the old elements `e`, `e + size`, `e + 2 * size` and so on share one new element. Every
    read must still find the value of its own old element: no other one that shares its place is written between that
    element's last write and the read. No window along the dimension wraps around the end of the ring. Iterations of a
    parallel loop share no new element that one of them writes, and no call gets such an element through two of its
    arguments. Returns the allocation.

    Fails with `BadArgument` if there is no such dimension, or with `fold` the size is no literal, and with `Unsafe`
    if one of the conditions does not hold.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1], y: f32[n]):
    ...     a: f32[n + 1]
    ...     a[0] = x[0]
    ...     for i in seq(0, n):
    ...         a[i + 1] = x[i + 1]
    ...         y[i] = a[i] + a[i + 1]
    ... ''')
    >>> print(resize_dim.direct(p, "a", 0, 2, 0, fold=True))
    def foo(n: size, x: f32[n + 1] @ DRAM, y: f32[n] @ DRAM):
        a: f32[2] @ DRAM
        a[0] = x[0]
        for i in seq(0, n):
            a[(i + 1) % 2] = x[i + 1]
            y[i] = a[i % 2] + a[(i + 1) % 2]

    Refused: `a[2]` would be outside of the smaller buffer.

    >>> q = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     a: f32[4]
    ...     for i in seq(0, 3):
    ...         a[i] = x[i]
    ... ''')
    >>> print(resize_dim(0, 2, 0)(q, q.find_alloc("a")).failure())
    resize_dim(0, 2, 0): not true: every access along dimension 0 is in what is left of it
    for instance with i = 2
            a: f32[4] @ DRAM
            for i in seq(0, 3):
    -->         a[i] = x[i]
    """
    old = shape_of(alloc_at(rw, a.path))
    dim = dimension(a, len(old), dim)
    extent, start = extent_arg(rw, size, a), integer_arg(rw, offset, a.path)
    rest = rest_of(rw, a.path)
    shape = [*old[:dim], extent, *old[dim + 1 :]]
    if fold:
        at = _fold(rw, a, dim, extent, start)
    else:
        _nothing_lost(rw, a.sym, rest, dim, start, b.add(start, extent))
        at = _shift(start)
    reshape(rw, a.path, shape)
    redirect(rw, rest, a.sym, _along(a.sym, shape, dim, at))
    if fold:
        sharing_is_seen(rw, rest, a)
    return a.path


def _along(sym: Sym, shape: Sequence[Expr], dim: int, at: Callable[[WinDim], Dims]) -> Redirect:
    """Where accesses go if indices along one dimension change."""

    def point(idx: Sequence[Expr]) -> Sequence[Expr]:
        (moved,) = [d.pt for d in at(Point(idx[dim])) if isinstance(d, Point)]
        return [*idx[:dim], moved, *idx[dim + 1 :]]

    def window(dims: Dims) -> Dims:
        return [*dims[:dim], *at(dims[dim]), *dims[dim + 1 :]]

    return Redirect(sym, shape, point, window, lambda d: d)


def _nothing_lost(rw: Rewrite, sym: Sym, rest: Span, dim: int, lo: Expr, hi: Expr) -> None:
    """Owed when a dimension gets smaller: all that is accessed, and every window, lies in what is left."""
    tree = rw.proc.tree
    for path in uses_in(tree, rest, sym):
        node = get(tree, path)
        if isinstance(node, StrideExpr):
            continue
        least, end = bounds(named(node, declarations(tree))[dim])
        inside = Binary("and", Binary("<=", lo, least), Binary("<=", end, hi))
        what = f"every access along dimension {dim} is in what is left of it"
        require(safety.holds(tree, path, inside, what), at_path(rw.proc, path))


def _shift(by: Expr) -> _Along:
    def at(d: WinDim) -> Sequence[WinDim]:
        if isinstance(d, Point):
            return [Point(difference(d.pt, by))]
        return [Interval(difference(d.lo, by), difference(d.hi, by))]

    return at


def _fold(rw: Rewrite, a: AllocCursor, dim: int, extent: Expr, start: Expr) -> _Along:
    """What a ring owes, and where its indices go."""
    c = literal(extent)
    argument(c is not None, "a ring needs a literal size: object code divides by literals only")
    assert c is not None
    tree, rest = rw.proc.tree, rest_of(rw, a.path)
    for path in uses_in(tree, rest, a.sym):
        one_block(rw, path, dim, c, start)
    _ring_holds(tree, a, rest, dim, c)

    def at(d: WinDim) -> Sequence[WinDim]:
        (lo, hi) = bounds(d)
        first = b.mod(difference(lo, start), c)
        return [Point(first) if isinstance(d, Point) else Interval(first, b.add(first, difference(hi, lo)))]

    return at


def _ring_holds(tree: ProcDef, a: AllocCursor, rest: Span, dim: int, c: int) -> None:
    """Owed of a ring of c slots: reads find the values of their own cells."""

    def meets(x: Access, y: Access) -> Formula:
        """Cells that differ along the dimension by a multiple of c."""
        i, j = x.index[dim], y.index[dim]
        along = TRUE if i is None or j is None else conj(eq((i - j).mod(c), 0), ne(i, j))
        others = [(p, q) for d, (p, q) in enumerate(zip(x.index, y.index, strict=True)) if d != dim]
        return conj(along, *(eq(p, q) for p, q in others if p is not None and q is not None))

    accesses = [x for x in safety.effects(tree, rest) if x.buffer == a.sym]
    what = f"a value of {a.name()} is not overwritten in the ring before it is read"
    verdict = undisturbed(tree, facts_at(tree, rest.path()), Sharing(accesses, meets), what)
    require(if_reached(tree, a.path, verdict), a, "new layout")


def literal(e: Expr) -> int | None:
    """The value of an expression that is a constant by its form."""
    if is_opaque(e):
        return None
    x = lin(e)
    return x.const if x.is_const else None


# -- mult_dim -----------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={"values inside": "stay, first copy, gone", "values elsewhere": "stay, first copy, gone"},
    trial=Trial(programs="grid asked", at=(("two dimensions", 85),)),
)
def mult_dim(
    rw: Rewrite,
    a: AllocCursor,
    hi_dim: Annotated[int, Kind("mostly the first dimension")],
    lo_dim: Annotated[int, Kind("mostly the second dimension")],
) -> Where:
    """`a: T[n, _, c]; a[i, _, j]  ~>  a: T[c*n, _]; a[c*i + j, _]`, the inverse of `divide_dim`.

    Object code multiplies by literals only: c is a literal, or else every index i is one. A window may keep
    `lo_dim` if it has one index along `hi_dim` and its dimensions stay in order; the other way round only if c is
    1. A stride that is asked for must stay the same. Returns the allocation.

    Fails with `BadArgument` if the two are no dimensions of the buffer, with `NotApplicable` if an index or a
    window cannot be written so, and with `Unsafe` if a stride may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 4]):
    ...     a: f32[n, 4]
    ...     for i in seq(0, n):
    ...         for j in seq(0, 4):
    ...             a[i, j] = x[i, j]
    ... ''')
    >>> print(mult_dim.direct(p, "a", 0, 1))
    def foo(n: size, x: f32[n, 4] @ DRAM):
        a: f32[4 * n] @ DRAM
        for i in seq(0, n):
            for j in seq(0, 4):
                a[4 * i + j] = x[i, j]

    Refused: `a[i, j]` would be `a[m * i + j]`, but object code multiplies by literals only.

    >>> q = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     a: f32[n, m]
    ...     for i in seq(0, n):
    ...         for j in seq(0, m):
    ...             a[i, j] = x[i, j]
    ... ''')
    >>> print(mult_dim(0, 1)(q, q.find_alloc("a")).failure())
    mult_dim(0, 1): neither dimension 0 nor 1 of a has a literal extent
        def foo(n: size, m: size, x: f32[n, m] @ DRAM):
    -->     a: f32[n, m] @ DRAM
            for i in seq(0, n):
                for j in seq(0, m):
    """
    old = shape_of(alloc_at(rw, a.path))
    hi, lo = dimension(a, len(old), hi_dim), dimension(a, len(old), lo_dim)
    argument(hi != lo, f"{hi_dim!r} and {lo_dim!r} are one dimension")
    applicable(not is_opaque(old[lo]), f"the extent of dimension {lo} depends on config fields, which may change", a)
    merged = times(old[hi], old[lo])
    applicable(merged is not None, f"neither dimension {hi} nor {lo} of {a.name()} has a literal extent", a)
    left = [d for d in range(len(old)) if d != lo]
    shape = [merged if d == hi and merged is not None else old[d] for d in left]
    reshape(rw, a.path, shape)
    redirect(rw, rest_of(rw, a.path), a.sym, _merged(a, shape, old[lo], hi, lo, left))
    return a.path


def _merged(
    a: AllocCursor, shape: Sequence[Expr], extent: Expr, hi: int, lo: int, left: Sequence[int]
) -> Redirect:
    """Where accesses go if the dimension `lo`, of this extent, is merged into `hi`; those in `left` stay."""

    def joint(i: Expr, j: Expr) -> Expr:
        blocks = times(i, extent)
        what = f"the index along dimension {hi}, or the extent of dimension {lo}, must be a literal to be multiplied"
        applicable(blocks is not None, what, a)
        assert blocks is not None
        return b.add(blocks, j)

    def point(idx: Sequence[Expr]) -> Sequence[Expr]:
        return [joint(idx[hi], idx[lo]) if d == hi else idx[d] for d in left]

    def window(dims: Dims) -> Dims | None:
        one = _joint_window(dims[hi], dims[lo], joint, literal(extent) == 1)
        kept = [lo if d == hi and isinstance(dims[lo], Interval) else d for d in left]
        kept = [d for d in kept if isinstance(dims[d], Interval)]
        if one is None or kept != sorted(kept):
            return None
        return [one if d == hi else dims[d] for d in left]

    return Redirect(a.sym, shape, point, window, lambda d: left.index(hi if d == lo else d))


def times(x: Expr, y: Expr) -> Expr | None:
    """The product of two expressions, if one is a literal."""
    k = literal(x)
    if k is not None:
        return b.mul(k, y)
    k = literal(y)
    return None if k is None else b.mul(k, x)


def _joint_window(i: WinDim, j: WinDim, joint: Callable[[Expr, Expr], Expr], single: bool) -> WinDim | None:
    """What a window shows of two dimensions, in the one that they become; `single`: the inner one has one cell."""
    match i, j:
        case Point(pt=x), Point(pt=y):
            return Point(joint(x, y))
        case Point(pt=x), Interval(lo=lo, hi=hi):
            return Interval(joint(x, lo), joint(x, hi))
        case Interval(lo=lo, hi=hi), Point(pt=y) if single:
            return Interval(joint(lo, y), joint(hi, y))
    return None
