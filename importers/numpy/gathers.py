"""Arrays as indices, `x[rows, cols]`, and indices that are computed.

An index that sizes, loops and arguments decide is proved, or asserted, to be inside. Any other one is computed into a
variable: a negative one counts from the end, and `outside` is set if it lies beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..control import Poly, Symbol, number, of
from ..report import Stop, stop
from . import cells
from .arithmetic import converted, whole_number
from .context import Context
from .elementwise import array, broadcast_shape, stretched
from .indexing import REST, Slice, position, sliced
from .kinds import I64
from .program import Cmp, Data, Elem, Logic, Num
from .reductions import add
from .storing import ready
from .values import Along, Array, Computed, Indices, Integer, Static, Value, View, reindexed

NEW_AXIS = Static(None)


@dataclass(frozen=True)
class Picked:
    """What `a[..]` means with arrays among the indices. `base` has the axes that they index first, then the others;
    the indices stand for the axes `first` to `first + len(chosen)` of the result."""

    base: Array
    indices: tuple[Array, ...]
    chosen: Indices
    first: int
    shape: Indices
    what: str

    def at(self, ctx: Context, idx: Indices) -> Indices:
        """The indices of `base` for those of the result."""
        end = self.first + len(self.chosen)
        inner = idx[self.first : end]
        extents = self.base.shape[: len(self.indices)]
        where = [_index(ctx, i.at(inner), e, self.what) for i, e in zip(self.indices, extents, strict=True)]
        return (*where, *idx[: self.first], *idx[end:])


def with_arrays(index: Sequence[Value | Slice]) -> bool:
    """Whether an array of integers is among the indices."""
    return any(isinstance(v, Array | Computed) and v.ndim and v.kind.is_int for v in index)


def picked(ctx: Context, a: Array, index: Sequence[Value | Slice], what: str) -> Picked:
    """`a[index]`, with arrays of integers among the indices. As in NumPy, these go together with single integers; what
    they pick stands where they stand, or first, if others stand between."""
    used = sum(v not in (NEW_AXIS, REST) for v in index)
    if used > a.ndim:
        raise stop(ctx.place, what, f"{used} indices for {a.ndim} dimensions", "NumPy raises an IndexError here")
    full = list(index) if REST in index else [*index, REST]
    every = Slice(None, None, None)
    dims: list[Along | int] = []
    rest: list[Poly] = []
    arrays: list[Array] = []
    first, between, apart = 0, False, False
    for v in full:
        for part in [every] * (a.ndim - used) if v == REST else [v]:
            if part == NEW_AXIS:
                rest.append(number(1))
            elif isinstance(part, Slice):
                along, n = sliced(ctx, part, a.shape[len(dims)], len(rest), what)
                dims.append(along)
                rest.append(n)
            else:
                dims.append(len(arrays))
                arrays.append(_integers(ctx, part, what))
        if v in (NEW_AXIS, REST) or isinstance(v, Slice):
            between = bool(arrays)
            continue
        first = len(rest) if len(arrays) == 1 else first
        apart = apart or between
    chosen = broadcast_shape(ctx, [x.shape for x in arrays], what)
    count = len(arrays)
    extents = tuple(a.shape[k] for k, d in enumerate(dims) if isinstance(d, int))
    places = tuple(Along(number(0), d) if isinstance(d, int) else _later(d, count) for d in dims)
    base = reindexed(a, places, (*extents, *rest))
    first = 0 if apart else first
    shape = (*rest[:first], *chosen, *rest[first:])
    return Picked(base, tuple(stretched(ctx, x, chosen) for x in arrays), chosen, first, shape, what)


def _later(d: Along, count: int) -> Along:
    return Along(d.offset, None if d.axis is None else d.axis + count, d.step)


def _integers(ctx: Context, v: Value | Slice, what: str) -> Array:
    if not isinstance(v, Array | Computed | Integer) or (not isinstance(v, Integer) and not v.kind.is_int):
        raise stop(ctx.place, what, "an index of this kind isn't taken", "use integers and slices")
    return array(ctx, v)


def gathered(ctx: Context, p: Picked) -> Array:
    """What is read there: a copy."""
    unknown = tuple(View(r.buffer, (), p.shape) for r in p.base.reads)
    about = tuple(View(r.buffer, (), p.shape) for i in p.indices for r in i.reads)
    at = p.base.at
    known = p.base.cheap and all(_is_known(ctx, i) for i in p.indices)
    return Array(p.shape, p.base.kind, lambda idx: at(p.at(ctx, idx)), (*unknown, *about), None, known)


def _is_known(ctx: Context, index: Array) -> bool:
    """Whether an index needs no statements of its own."""
    try:
        with ctx.scratch() as block:
            e = index.at(tuple(of(Symbol("i", -1 - k, True)) for k in range(index.ndim)))
            return cells.control(ctx, e) is not None and not block
    except Stop:
        return False


def scattered(ctx: Context, p: Picked, value: Array | Computed, op: str = "=") -> None:
    """`a[index] = value`, one after the other: of elements for one place the last one stays. With another operator,
    np.add.at and the like."""
    if p.base.view is None:
        raise stop(ctx.place, p.what, "what is written is no array that a name stands for", "give it a name")
    target = p.base.view
    indices = tuple(ctx.materialised(i) if any(r.buffer is target.buffer for r in i.reads) else i for i in p.indices)
    p = Picked(p.base, indices, p.chosen, p.first, p.shape, p.what)
    value = ready(ctx, value, View(target.buffer, (), p.shape))

    def one(idx: Indices) -> None:
        where = p.at(ctx, idx)
        e = converted(ctx, value.at(idx), target.buffer.kind)
        if op == "=":
            ctx.put(target, where, e)
        else:
            add(ctx, target, where, e, op)

    ctx.nest(p.shape, one)


# -- one index ------------------------------------------------------------------------------------------


def _index(ctx: Context, e: Data, extent: Poly, what: str) -> Poly:
    """An index of an array as a control integer that is inside."""
    p = cells.control(ctx, e)
    if p is None:
        return computed(ctx, e, extent)
    try:
        return position(ctx, Integer(p), extent, what)
    except Stop:
        if not cells.elements(p):
            raise
        return computed(ctx, e, extent)


def computed(ctx: Context, e: Data, extent: Poly) -> Poly:
    """An index that is computed, as a control integer."""
    v = ctx.buffer("at", I64, ())
    at = Elem(v.buffer, (), I64)
    n = Num(extent.constant, I64) if extent.constant is not None else whole_number(extent, I64)
    ctx.store(v, (), converted(ctx, e, I64))
    ctx.branch(Cmp("<", at, Num(0, I64)), lambda: ctx.store(v, (), n, "+="))
    beyond = Logic("or", Cmp("<", at, Num(0, I64)), Cmp(">=", at, n))
    ctx.branch(beyond, lambda: ctx.store(View(ctx.outside, (), ()), (), Num(1, I64)))
    ctx.prover.arrays[v.buffer.name] = "i64"
    ctx.counter += 1
    return of(Symbol(f"min(max({v.buffer.name}, 0), {extent - 1})", ctx.counter, True))
