"""The dimensions of buffers (paper, appendix A.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as altered
from typing import Annotated

from pyrsistent import pvector

from ..cursors.cursor import at_path
from ..cursors.kinds import AllocCursor
from ..cursors.rewrite import Rewrite
from ..frontend.exprs import parse_expr
from ..frontend.scope import declarations, scope_at, types_at
from ..ir import build as b
from ..ir.cells import has_cells
from ..ir.nodes import Binary, Expr, Interval, Point, ProcDef, StrideExpr, WinDim
from ..ir.span import Span, span_of
from ..ir.types import Tensor
from ..ir.walk import Path, get, mentions
from ..logic.forms import Formula, conj, eq, is_opaque, lin, ne
from ..logic.questions import Access, Sharing, difference, evaluation, facts_at, if_reached, safety, undisturbed
from .buffers import alloc_at, rest_of, shape_of
from .framework import Trial, Where, primitive
from .helpers.access import Dims, Redirect, redirect, relist, shown, statement_of, uses_in
from .helpers.arguments import Dim, Kind
from .helpers.references import ExprLike, positive
from .helpers.refusing import applicable, argument, require
from .helpers.scoping import extent_arg, integer_arg, ready
from .helpers.wellformed import in_bounds

__all__ = ["divide_dim", "expand_dim", "rearrange_dim"]


def reshape(rw: Rewrite, path: Path, shape: Sequence[Expr]) -> None:
    """Give an allocation other extents."""
    alloc = alloc_at(rw, path)
    if isinstance(alloc.type, Tensor):
        relist(rw, (*path, ("type", None)), "shape", shape)
    else:
        rw.replace((*path, ("type", None)), Tensor(alloc.type, pvector(shape)))


def dimension(a: AllocCursor, rank: int, dim: int) -> int:
    """An argument that names a dimension of an allocation of so many."""
    argument(0 <= dim < rank, f"{a.name()} has {rank} dimensions: there is no dimension {dim}")
    return dim


# -- expand_dim ---------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    again=True,
    trial=Trial(programs="temporary temporary accumulation sized"),
)
def expand_dim(
    rw: Rewrite,
    a: AllocCursor,
    size: Annotated[ExprLike, Kind("an extent for a new dimension")],
    index: Annotated[ExprLike, Kind("an index for a new dimension")],
) -> Where:
    """`a: T[_]; s  ~>  a: T[size, _]; s[a[_] -> a[index, _]]`.

    `size` is an expression at the allocation and positive there. `index` means the same at every access, and `0 <=
    index < size` there. Where the index varies while the buffer lives, each read must still find what was written
    at the same index before it. Returns the allocation.

    Fails with `NotApplicable` if the index is not in scope at an access, or means something else there; with
    `Unsafe` if the size may not be positive, if the index may lie outside, or if a read may not find its value.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         a: f32
    ...         a = 2.0
    ...         x[i] = a
    ... ''')
    >>> print(expand_dim.direct(p, "a", "n", "i"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            a: f32[n] @ DRAM
            a[i] = 2.0
            x[i] = a[i]

    Refused: the index i + 1 lies outside of the new dimension in the last iteration.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         a: f32
    ...         a = 2.0
    ...         x[i] = a
    ... ''')
    >>> print(expand_dim("n", "i + 1")(q, q.find_alloc("a")).failure())
    expand_dim('n', 'i + 1'): not true: the index is within the new dimension
    for instance with i = 0, n = 1
            for i in seq(0, n):
                a: f32 @ DRAM
    -->         a = 2.0
                x[i] = a
    """
    tree = rw.proc.tree
    rest = rest_of(rw, a.path)
    extent = extent_arg(rw, size, a, fixed=False)
    places = [p for p in uses_in(tree, rest, a.sym) if not isinstance(get(tree, p), StrideExpr)]
    e = _index(rw, a, index, places)
    for x in (extent, e):
        require(safety.unchanged(tree, rest, x), a, "new code")
        for path in (a.path, *map(statement_of, places)) if is_opaque(x) else ():
            ready(rw, evaluation.has_value(tree, span_of(path), x), at_path(rw.proc, path), "new code")
    bound = Binary("and", Binary("<=", b.ZERO, e), Binary("<", e, extent))
    for path in places:
        require(safety.holds(tree, path, bound, "the index is within the new dimension"), at_path(rw.proc, path))
    _values_found(tree, a, rest, e)
    shape = [extent, *shape_of(alloc_at(rw, a.path))]
    reshape(rw, a.path, shape)
    how = Redirect(a.sym, shape, lambda idx: [e, *idx], lambda dims: [Point(e), *dims], lambda d: d + 1)
    redirect(rw, rest, a.sym, how)
    return a.path


def _index(rw: Rewrite, a: AllocCursor, index: ExprLike, places: Sequence[Path]) -> Expr:
    """The index expression, which must be in scope, and mean one thing, wherever the buffer is accessed."""
    if not places:
        return integer_arg(rw, index, a.path, fixed=False)
    e = integer_arg(rw, index, places[0], fixed=False)
    for path in places[1:]:
        scope, place = scope_at(rw.proc.tree, path), at_path(rw.proc, path)
        applicable(all(s in scope.types for s in mentions(e)), f"{index!r} of the first access is not in scope", place)
        same = not isinstance(index, str) or parse_expr(index, scope) == e
        applicable(same, f"{index!r} means something else than at the first access", place)
        if has_cells(e):
            in_bounds(rw.proc.tree, e, path)
    return e


def _values_found(tree: ProcDef, a: AllocCursor, rest: Span, e: Expr) -> None:
    """Owed when the new index varies while the buffer lives: what was one cell is several now, and each read is of
    the one written last."""
    at_alloc = types_at(tree, a.path)
    if all(s in at_alloc for s in mentions(e)):
        return

    def meets(x: Access, y: Access) -> Formula:
        (i, *old), (j, *other) = x.index, y.index
        assert i is not None and j is not None
        return conj(ne(i, j), *(eq(p, q) for p, q in zip(old, other, strict=True) if p is not None and q is not None))

    effects = safety.effects(tree, rest)
    accesses = [altered(x, index=(lin(e), *x.index)) for x in effects if x.buffer == a.sym]
    what = f"each read of {a.name()} finds what was written last, at its own index of the new dimension"
    verdict = undisturbed(tree, facts_at(tree, a.path), Sharing(accesses, meets), what)
    require(if_reached(tree, a.path, verdict), a, "new code")


# -- rearrange_dim ------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    again=True,
    trial=Trial(programs="temporary grid asked asked asked windows", at=(("two dimensions", 85),)),
)
def rearrange_dim(
    rw: Rewrite, a: AllocCursor, perm: Annotated[Sequence[int], Kind("a permutation of dimensions")]
) -> Where:
    """`a: T[n0, n1, n2]  ~>  a: T[n_perm[0], n_perm[1], n_perm[2]]`, with its accesses.

    A window of the buffer must keep its dimensions in order, and a stride that is asked for must stay the same.
    Returns the allocation.

    Fails with `BadArgument` if `perm` is no permutation of the dimensions, with `NotApplicable` if a window would
    have other dimensions, and with `Unsafe` if a stride may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     a: f32[4, 8]
    ...     for i in seq(0, 8):
    ...         a[1, i] = x[i]
    ... ''')
    >>> print(rearrange_dim.direct(p, "a", [1, 0]))
    def foo(x: f32[8] @ DRAM):
        a: f32[8, 4] @ DRAM
        for i in seq(0, 8):
            a[i, 1] = x[i]

    Refused: the callee asks for a row whose elements are neighbours; it would get a column.

    >>> dense = proc_from_source('''
    ... def dense(y: [f32][8]):
    ...     assert stride(y, 0) == 1
    ...     y[0] = 0.0
    ... ''')
    >>> q = proc_from_source('''
    ... def foo():
    ...     a: f32[4, 8]
    ...     dense(a[2, 0:8])
    ... ''', {"dense": dense})
    >>> print(rearrange_dim([1, 0])(q, q.find_alloc("a")).failure())
    rearrange_dim((1, 0)): not true: the stride of dimension 1 of a, which is asked for, stays the same
    for instance with stride(a, 1) = 1
        def foo():
            a: f32[4, 8] @ DRAM
    -->     dense(a[2, 0:8])
    """
    old = shape_of(alloc_at(rw, a.path))
    applicable(bool(old), f"{a.name()} is a scalar: it has no dimensions to rearrange", a)
    fits = sorted(perm) == list(range(len(old)))
    argument(fits, f"{perm!r} is no permutation of the {len(old)} dimensions of {a.name()}")

    def window(dims: Dims) -> Dims | None:
        kept = [d for d in perm if isinstance(dims[d], Interval)]
        return [dims[d] for d in perm] if kept == sorted(kept) else None

    shape = [old[d] for d in perm]
    reshape(rw, a.path, shape)
    how = Redirect(a.sym, shape, lambda idx: [idx[d] for d in perm], window, perm.index)
    redirect(rw, rest_of(rw, a.path), a.sym, how)
    return a.path


# -- divide_dim ---------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={"values inside": "stay, gone", "values elsewhere": "stay, first copy, gone"},
    trial=Trial(programs="temporary grid"),
)
def divide_dim(rw: Rewrite, a: AllocCursor, dim: Dim, c: int) -> Where:
    """`a: T[_, n, _]; a[_, e, _]  ~>  a: T[_, n/c, c, _]; a[_, e/c, e%c, _]`, if c divides n.

    The extent n may be symbolic. A window along the dimension must stay within one block of c. Returns the
    allocation.

    Fails with `BadArgument` if there is no such dimension, and with `Unsafe` if c may not divide n, if a window may
    reach beyond one block, or if a stride that is asked for may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[12]):
    ...     a: f32[12]
    ...     for i in seq(0, 12):
    ...         a[i] = x[i]
    ... ''')
    >>> print(divide_dim.direct(p, "a", 0, 4))
    def foo(x: f32[12] @ DRAM):
        a: f32[3, 4] @ DRAM
        for i in seq(0, 12):
            a[i / 4, i % 4] = x[i]

    Refused: 4 does not divide 10.

    >>> q = proc_from_source('''
    ... def foo(x: f32[10]):
    ...     a: f32[10]
    ...     for i in seq(0, 10):
    ...         a[i] = x[i]
    ... ''')
    >>> print(divide_dim(0, 4)(q, q.find_alloc("a")).failure())
    divide_dim(0, 4): not true: 4 divides the extent
        def foo(x: f32[10] @ DRAM):
    -->     a: f32[10] @ DRAM
            for i in seq(0, 10):
                a[i] = x[i]
    """
    tree = rw.proc.tree
    old = shape_of(alloc_at(rw, a.path))
    dimension(a, len(old), dim)
    positive(c, "the factor")
    n = old[dim]
    require(safety.holds(tree, a.path, Binary("==", b.mod(n, c), b.ZERO), f"{c} divides the extent"), a)
    rest = rest_of(rw, a.path)
    for path in uses_in(tree, rest, a.sym):
        one_block(rw, path, dim, c)

    def point(idx: Sequence[Expr]) -> Sequence[Expr]:
        return [*idx[:dim], b.div(idx[dim], c), b.mod(idx[dim], c), *idx[dim + 1 :]]

    def window(dims: Dims) -> Dims:
        return [*dims[:dim], *_split(dims[dim], c), *dims[dim + 1 :]]

    shape = [*old[:dim], b.div(n, c), b.num(c), *old[dim + 1 :]]
    reshape(rw, a.path, shape)
    redirect(rw, rest, a.sym, Redirect(a.sym, shape, point, window, lambda d: d if d < dim else d + 1))
    return a.path


def one_block(rw: Rewrite, path: Path, dim: int, c: int, start: Expr = b.ZERO) -> None:
    """Owed of a window along a dimension that is cut into blocks of c, the first from `start`: it is not empty
    and lies within one block."""
    tree = rw.proc.tree
    dims = shown(get(tree, path), declarations(tree))
    d = None if dims is None else dims[dim]
    if isinstance(d, Interval):
        first, last = difference(d.lo, start), difference(b.sub(d.hi, b.ONE), start)
        inside = Binary("and", Binary("<=", first, last), Binary("==", b.div(first, c), b.div(last, c)))
        what = f"the window lies within one block of {c}"
        require(safety.holds(tree, path, inside, what), at_path(rw.proc, path))


def _split(d: WinDim, c: int) -> Sequence[WinDim]:
    """One dimension of a window, or a point, in blocks of c: which block, and where in it."""
    if isinstance(d, Point):
        return [Point(b.div(d.pt, c)), Point(b.mod(d.pt, c))]
    lo = b.mod(d.lo, c)
    return [Point(b.div(d.lo, c)), Interval(lo, b.add(lo, difference(d.hi, d.lo)))]
