"""One buffer in place of another, and one for each cell (paper, appendix A.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pyrsistent import pvector

from ..cursors.cursor import at_path
from ..cursors.edits import Move, Replace
from ..cursors.kinds import AllocCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir.names import Sym
from ..ir.nodes import Alloc, Expr, Point, ProcDef, StrideExpr
from ..ir.span import Span, span_of
from ..ir.types import Tensor
from ..ir.walk import Path, get, with_child
from ..logic.forms import FALSE, Formula, is_opaque
from ..logic.questions import Access, Sharing, facts_at, if_reached, safety, same_place, undisturbed
from .buffers import alloc_at, rest_of, shape_of
from .dims import dimension
from .framework import Trial, Where, primitive
from .helpers.access import Dims, Redirect, named, redirect_each, rename_uses, uses_in
from .helpers.arguments import Kind
from .helpers.references import ref
from .helpers.refusing import applicable, not_too_many, of_kind, require
from .resize import literal, sharing_is_seen

__all__ = ["reuse_buffer", "unroll_buffer"]

# -- reuse_buffer -------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={"elsewhere": "stay, gone", "values elsewhere": "stay, gone"},
    trial=Trial(programs="pair pair temporary"),
)
def reuse_buffer(rw: Rewrite, a: AllocCursor, b: Annotated[object, Kind("another buffer")]) -> Where:
    """`a: T; s0; b: T; s  ~>  a: T; s0; s[b -> a]`.

    `b`, a cursor or name, is an allocation in the scope of `a`, of the same precision, memory and extents. Wherever
    one of the two is read, its own value must still be there: written after any write to the same place of the
    other. So `a` may be used again after `b` if it is written anew. Iterations of a parallel loop must not come to
    share what they write, nor may a call get one buffer by two arguments if it writes it. Returns the allocation
    `a`.

    Fails with `NotApplicable` if the two allocations are not alike, or `b` is not in the scope of `a`; with
    `Unsafe` if a value may be overwritten before it is read, or if something comes to be shared.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[2]):
    ...     a: f32
    ...     a = x[0]
    ...     x[1] = a
    ...     b: f32
    ...     b = 2.0
    ...     x[0] = b
    ... ''')
    >>> print(reuse_buffer.direct(p, "a", "b"))
    def foo(x: f32[2] @ DRAM):
        a: f32 @ DRAM
        a = x[0]
        x[1] = a
        a = 2.0
        x[0] = a

    Refused: `a` is read after `b` is written.

    >>> q = proc_from_source('''
    ... def foo(x: f32[2]):
    ...     a: f32
    ...     a = x[0]
    ...     b: f32
    ...     b = 2.0
    ...     x[1] = a + b
    ... ''')
    >>> print(reuse_buffer("b")(q, q.find_alloc("a")).failure())
    reuse_buffer('b'): not true: no value of a or b is overwritten by the other before it is read
    it reads a; before that it writes b, which shares its place
            a: f32 @ DRAM
            a = x[0]
    -->     b: f32 @ DRAM
            b = 2.0
            x[1] = a + b
    """
    tree, other = rw.proc.tree, ref(rw, b, AllocCursor)
    applicable(other.path != a.path, "a buffer cannot take its own place", a)
    rest = rest_of(rw, a.path)
    k = rest.step_of(other.path)
    applicable(k is not None and k >= rest.lo, f"{other.name()} is not allocated in the scope of {a.name()}", other)
    _alike(rw, a, other)
    _values_stay(tree, a, other)
    scope = rest_of(rw, other.path)
    rename_uses(rw, scope, other.sym, a.sym)
    rw.delete(span_of(other.path))
    sharing_is_seen(rw, rest_of(rw, a.path), other)
    return a.path


def _alike(rw: Rewrite, a: AllocCursor, other: AllocCursor) -> None:
    """Owed: the two allocations have one precision, memory and shape."""
    one, two = alloc_at(rw, a.path), alloc_at(rw, other.path)
    base = [t.base if isinstance(t, Tensor) else t for t in (one.type, two.type)]
    applicable(base[0] == base[1], f"{a.name()} is {base[0]}, {other.name()} is {base[1]}", other)
    applicable(one.mem == two.mem, f"{a.name()} is in {one.mem.name}, {other.name()} in {two.mem.name}", other)
    old, new = shape_of(two), shape_of(one)
    applicable(len(old) == len(new), f"{a.name()} has {len(new)} dimensions, {other.name()} has {len(old)}", other)
    for m, n in zip(old, new, strict=True):
        stable = not is_opaque(m) and not is_opaque(n)
        applicable(stable, "the extents depend on config fields, which may have changed", other)
        require(safety.equal_at(rw.proc.tree, other.path, m, n, "the two buffers have the same extents"), other)


def _values_stay(tree: ProcDef, a: AllocCursor, other: AllocCursor) -> None:
    """Owed: reads find the values of their own buffer.

    What a program that does not trap reads from the inner buffer was written in the same life of it. So both
    may be seen as living equally long.
    """
    at, outer = span_of(a.path), a.node
    twin = with_child(outer, "sym", other.sym)  # its own extents may mean nothing there
    alike = Replace(other.path, twin).apply(tree)
    moved = Move(span_of(other.path), Span(at.parent, at.label, at.hi, at.hi)).apply(alike)
    end = len(getattr(get(moved, at.parent), at.label))
    scope = Span(at.parent, at.label, at.hi + 1, end)
    if scope.lo == scope.hi:
        return
    both = (a.sym, other.sym)

    def meets(x: Access, y: Access) -> Formula:
        return FALSE if x.buffer == y.buffer else same_place(x, y)

    accesses = [x for x in safety.effects(moved, scope) if x.buffer in both]
    what = f"no value of {a.name()} or {other.name()} is overwritten by the other before it is read"
    verdict = undisturbed(moved, facts_at(moved, scope.path()), Sharing(accesses, meets), what)
    require(if_reached(tree, a.path, verdict), other)


# -- unroll_buffer ------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={
        "target": "replaced",
        "values inside": "stay, first copy, gone",
        "values elsewhere": "stay, gone",
    },
    trial=Trial(programs="grid asked asked asked temporary", at=(("two dimensions", 85),)),
)
def unroll_buffer(rw: Rewrite, a: AllocCursor, dim: Annotated[int, Kind("a dimension with literal indices")]) -> Where:
    """`a: T[c, _]  ~>  a_0: T[_]; a_1: T[_] ...`, a buffer for each index along a dimension.

    The extent is a literal, and so is every index along the dimension. No window keeps the dimension, and nobody
    asks for its stride. Other strides that are asked for must stay the same. Returns the allocations.

    Fails with `NotApplicable` if the extent or an index is no literal, or a window keeps the dimension, and with
    `Unsafe` if a stride may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     a: f32[2]
    ...     a[0] = x[0]
    ...     a[1] = a[0] * x[1]
    ...     x[2] = a[1]
    ... ''')
    >>> print(unroll_buffer.direct(p, "a", 0))
    def foo(x: f32[4] @ DRAM):
        a_0: f32 @ DRAM
        a_1: f32 @ DRAM
        a_0 = x[0]
        a_1 = a_0 * x[1]
        x[2] = a_1

    Refused: which buffer holds `a[i]` depends on i.

    >>> q = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     a: f32[4]
    ...     for i in seq(0, 4):
    ...         a[i] = x[i]
    ... ''')
    >>> print(unroll_buffer(0)(q, q.find_alloc("a")).failure())
    unroll_buffer(0): this index along dimension 0 is no literal: unroll the loops around it
            a: f32[4] @ DRAM
            for i in seq(0, 4):
    -->         a[i] = x[i]
    """
    alloc = alloc_at(rw, a.path)
    old = shape_of(alloc)
    dim = dimension(a, len(old), dim)
    c = literal(old[dim])
    applicable(c is not None, f"the extent of dimension {dim} of {a.name()} is no literal", a)
    assert c is not None
    not_too_many(alloc, c, "resize or divide the dimension", a)
    rest = rest_of(rw, a.path)
    places = uses_in(rw.proc.tree, rest, a.sym)
    number = {path: _index_along(rw, a, path, dim, c) for path in places}
    shape = [*old[:dim], *old[dim + 1 :]]
    parts = [_part(rw.fresh(f"{a.sym.name}_{k}"), shape, dim) for k in range(c)]
    redirect_each(rw, places, a.sym, lambda path: parts[number[path]])
    _allocate(rw, a.path, [p.to for p in parts], shape)
    s = span_of(a.path)
    return s._replace(hi=s.lo + c)


def _index_along(rw: Rewrite, a: AllocCursor, path: Path, dim: int, c: int) -> int:
    """Which part of the buffer a place names; a question for a stride may go to any."""
    node, place = get(rw.proc.tree, path), at_path(rw.proc, path)
    if isinstance(node, StrideExpr):
        applicable(node.dim != dim, f"the stride of dimension {dim} of {a.name()} is asked for", place)
        return 0
    along = named(node, declarations(rw.proc.tree))[dim]
    k = literal(of_kind(along, Point, f"this shows several indices along dimension {dim}", place).pt)
    applicable(k is not None, f"this index along dimension {dim} is no literal: unroll the loops around it", place)
    assert k is not None
    applicable(0 <= k < c, f"index {k} is outside dimension {dim} of {a.name()}", place)
    return k


def _part(to: Sym, shape: Sequence[Expr], dim: int) -> Redirect:
    def point(idx: Sequence[Expr]) -> Sequence[Expr]:
        return [*idx[:dim], *idx[dim + 1 :]]

    def window(dims: Dims) -> Dims:
        return [*dims[:dim], *dims[dim + 1 :]]

    return Redirect(to, shape, point, window, lambda d: d if d < dim else d - 1)


def _allocate(rw: Rewrite, path: Path, names: Sequence[Sym], shape: Sequence[Expr]) -> None:
    """Allocate the parts in the place of the whole."""
    alloc = alloc_at(rw, path)
    whole = of_kind(alloc.type, Tensor, "a scalar has no parts")
    t = with_child(whole, "shape", pvector(shape)) if shape else whole.base
    rw.add_part(path, *(Alloc(name, t, alloc.mem) for name in names[1:]))
    rw.replace(path, Alloc(names[0], t, alloc.mem))
