"""The dimensions of buffers (paper, appendix A.5). Imports `framework`, `access` and `buffers`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as altered

from pyrsistent import pvector

from ..cursors.edits import Span
from ..cursors.kinds import AllocCursor
from ..cursors.rewrite import Rewrite
from ..frontend.exprs import parse_expr
from ..frontend.scope import scope_at
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Alloc, Binary, Expr, Interval, Point, ProcDef, WinDim
from ..ir.types import Tensor
from ..ir.walk import Path, get, mentions
from ..logic import safety
from ..logic.context import facts_at
from ..logic.coverage import all_covered
from ..logic.translate import lin
from .access import Redirect, redirect, uses
from .buffers import alloc_at, rest_of
from .framework import ExprLike, Where, applicable, argument, expr_arg, primitive, require


def _shape(alloc: Alloc) -> Sequence[Expr]:
    return alloc.type.shape if isinstance(alloc.type, Tensor) else pvector()


def _set_shape(rw: Rewrite, path: Path, shape: Sequence[Expr]) -> None:
    old = alloc_at(rw, path)
    base = old.type.base if isinstance(old.type, Tensor) else old.type
    rw.replace((*path, ("type", None)), Tensor(base, pvector(shape)))


def _use_paths(tree: ProcDef, rest: Span, sym: Sym) -> list[Path]:
    return [p for i in range(rest.hi - rest.lo) for p, _ in uses(get(tree, rest.path(i)), sym, rest.path(i))]


@primitive()
def expand_dim(rw: Rewrite, a: AllocCursor, size: ExprLike, index: ExprLike) -> Where:
    """`a: T[_]; s  ~>  a: T[size, _]; s[a[_] -> a[index, _]]`. Paper: A.5.

    `size` is an expression at the allocation and positive there; `index` one in scope wherever the buffer
    is used, with `0 <= index < size`. Where the index varies, each read must still find what was written at
    the same index. Returns the allocation.
    """
    tree, sym = rw.proc.tree, a.sym
    rest = rest_of(rw, a.path)
    places = _use_paths(tree, rest, sym)
    extent = expr_arg(rw, size, a.path)
    e = _index(rw, index, places, a.path)
    require(safety.holds(tree, a.path, Binary("<=", b.ONE, extent), "the new extent is positive"), a)
    for path in places:
        known = scope_at(tree, path).types
        applicable(all(s in known for s in mentions(e)), f"{index!r} means nothing where {a.name()} is used", a)
        bound = Binary("and", Binary("<=", b.ZERO, e), Binary("<", e, extent))
        require(safety.holds(tree, path, bound, "the index is within the new dimension"))
    _still_covered(tree, a, rest, e)
    _set_shape(rw, a.path, [extent, *_shape(alloc_at(rw, a.path))])
    how = Redirect(sym, lambda idx: [e, *idx], lambda dims: [Point(e), *dims], lambda d: d + 1)
    redirect(rw, rest, sym, how)
    return a.path


def _index(rw: Rewrite, index: ExprLike, places: Sequence[Path], default: Path) -> Expr:
    if isinstance(index, str) and places:
        return parse_expr(index, scope_at(rw.proc.tree, places[0]))
    return expr_arg(rw, index, default)


def _still_covered(tree: ProcDef, a: AllocCursor, rest: Span, e: Expr) -> None:
    """Owed when the new index varies while the buffer lives: reads find their values in their own slice."""
    at_alloc = scope_at(tree, a.path).types
    if all(s in at_alloc for s in mentions(e)):
        return
    accesses = [
        altered(x, index=(lin(e), *x.index)) if x.buffer == a.sym else x
        for x in safety.effects(tree, safety.Blk(*rest))
    ]
    require(all_covered(tree, facts_at(tree, a.path), accesses, a.sym), a)


@primitive()
def rearrange_dim(rw: Rewrite, a: AllocCursor, perm: tuple[int, ...]) -> Where:
    """`a: T[n0, n1, n2]  ~>  a: T[n_perm[0], n_perm[1], n_perm[2]]`, with its accesses. Paper: A.5.

    A window of the buffer must keep the order of its dimensions, and the buffer must not be passed whole.
    Returns the allocation.
    """
    shape = _shape(alloc_at(rw, a.path))
    argument(sorted(perm) == list(range(len(shape))), f"{perm!r} is no permutation of the {len(shape)} dimensions")

    def window(dims: Sequence[WinDim]) -> Sequence[WinDim] | None:
        kept = [d for d in perm if isinstance(dims[d], Interval)]
        return [dims[d] for d in perm] if kept == sorted(kept) else None

    _set_shape(rw, a.path, [shape[d] for d in perm])
    how = Redirect(a.sym, lambda idx: [idx[d] for d in perm], window, lambda d: perm.index(d), whole=False)
    redirect(rw, rest_of(rw, a.path), a.sym, how)
    return a.path


@primitive()
def divide_dim(rw: Rewrite, a: AllocCursor, dim: int, c: int) -> Where:
    """`a: T[_, n, _]; a[_, e, _]  ~>  a: T[_, n/c, c, _]; a[_, e/c, e%c, _]`, if c divides n. Paper: A.5.

    A window along the dimension must stay within one block of c. Returns the allocation.
    """
    tree = rw.proc.tree
    shape = _shape(alloc_at(rw, a.path))
    argument(0 <= dim < len(shape), f"{a.name()} has {len(shape)} dimensions: there is no dimension {dim}")
    argument(isinstance(c, int) and c >= 1, f"the factor must be a positive integer, not {c!r}")
    n = shape[dim]
    require(safety.holds(tree, a.path, Binary("==", b.mod(n, c), b.ZERO), f"{c} divides the extent"), a)
    rest = rest_of(rw, a.path)
    for path in _use_paths(tree, rest, a.sym):
        _one_block(tree, path, dim, c)

    def split(d: WinDim) -> Sequence[WinDim]:
        if isinstance(d, Point):
            return [Point(b.div(d.pt, c)), Point(b.mod(d.pt, c))]
        lo = b.mod(d.lo, c)
        return [Point(b.div(d.lo, c)), Interval(lo, b.add(lo, b.sub(d.hi, d.lo)))]

    _set_shape(rw, a.path, [*shape[:dim], b.div(n, c), b.num(c), *shape[dim + 1 :]])
    how = Redirect(
        a.sym,
        lambda idx: [*idx[:dim], b.div(idx[dim], c), b.mod(idx[dim], c), *idx[dim + 1 :]],
        lambda dims: [*dims[:dim], *split(dims[dim]), *dims[dim + 1 :]],
        lambda d: d if d < dim else None if d == dim else d + 1,
        whole=False,
    )
    redirect(rw, rest, a.sym, how)
    return a.path


def _one_block(tree: ProcDef, path: Path, dim: int, c: int) -> None:
    """Owed of a window along the divided dimension: it is not empty and lies within one block."""
    dims = getattr(get(tree, path), "idx", ())
    d = dims[dim] if dim < len(dims) else None
    if isinstance(d, Interval):
        last = b.sub(d.hi, b.ONE)
        inside = Binary("and", Binary("<=", d.lo, last), Binary("==", b.div(d.lo, c), b.div(last, c)))
        require(safety.holds(tree, path, inside, f"the window lies within one block of {c}"))

