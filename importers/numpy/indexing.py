"""Subscripts: which part of an array `a[..]` means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..control import Poly, Symbol, number, of, product
from ..report import stop
from . import cells
from .context import Context
from .elementwise import array
from .program import Data
from .prover import least
from .values import Along, Array, Computed, Indices, Integer, Static, Value, View, of_view, reindexed, whole


@dataclass(frozen=True)
class Slice:
    """`lo:hi:step`, each maybe missing."""

    lo: Value | None
    hi: Value | None
    step: Value | None


NEW_AXIS = Static(None)
REST = Static(...)


def parts(ctx: Context, index: Sequence[Value | Slice], ndim: int, what: str) -> list[Value | Slice]:
    """An index for each axis, with new axes between: `...` and what is left out are whole axes."""
    used = sum(v != NEW_AXIS and v != REST and not _is_mask(v) for v in index)
    used += sum(v.ndim for v in index if _is_mask(v) and isinstance(v, Array | Computed))
    if used > ndim:
        raise stop(ctx.place, what, f"{used} indices for {ndim} dimensions", "NumPy raises an IndexError here")
    rest: list[Value | Slice] = [Slice(None, None, None)] * (ndim - used)
    at = next((k for k, v in enumerate(index) if v == REST), len(index))
    return [*index[:at], *rest, *index[at + 1 :]]


def _is_mask(v: Value | Slice) -> bool:
    return isinstance(v, Array | Computed) and v.kind.is_bool and v.ndim > 0


def subscript(ctx: Context, a: Array, index: Sequence[Value | Slice], what: str) -> Array:
    """`a[index]`, without masks: a view; a number if all axes have an integer; a copy if an index is an array."""
    from . import gathers

    if gathers.with_arrays(index):
        return gathers.gathered(ctx, gathers.picked(ctx, a, index, what))
    dims: list[Along] = []
    shape: list[Poly] = []
    axis = 0
    for v in parts(ctx, index, a.ndim, what):
        if v == NEW_AXIS:
            shape.append(number(1))
            continue
        extent = a.shape[axis]
        axis += 1
        if isinstance(v, Slice):
            along, count = sliced(ctx, v, extent, len(shape), what)
            dims.append(along)
            shape.append(count)
        else:
            dims.append(Along(position(ctx, v, extent, what)))
    found = reindexed(a, tuple(dims), tuple(shape))
    if not shape and REST in index:
        raise stop(ctx.place, what, "an array without dimensions isn't taken", "leave out `...`")
    if not shape:
        return Array((), found.kind, found.at, found.reads, None, found.cheap)
    return found


def position(ctx: Context, v: Value, extent: Poly, what: str) -> Poly:
    """An index of an axis, from its start: a negative one counts from its end."""
    if isinstance(v, Array | Computed) and not v.ndim and v.kind.is_int:
        e = array(ctx, v).at(())
        if cells.control(ctx, e) is None:
            from .gathers import computed

            return computed(ctx, e, extent)
    p = integer(ctx, v, what)
    if not ctx.proves(p) or not ctx.proves(extent - 1 - p):
        low = least(p, ctx.frames)
        cells.within(ctx, p, extent)
        if low is not None and low != p:
            cells.within(ctx, low, extent + 1)
    if ctx.proves(p) or (not _from_end(ctx, p) and _counted(ctx, p)):
        at = p
    elif ctx.proves(-p - 1):
        at = p + extent
        ctx.require(at, "so that all indices are inside", what, "NumPy raises an IndexError for such an index")
    else:
        why = f"{p} may be negative here, and NumPy would count it from the end"
        raise stop(ctx.place, what, why, "test it with an if, or write the index from the end")
    ctx.require(extent - 1 - at, "so that all indices are inside", what, "NumPy raises an IndexError beyond the end")
    return at


def integer(ctx: Context, v: Value, what: str) -> Poly:
    """An index as a control integer."""
    if isinstance(v, Integer):
        return v.value
    if isinstance(v, Array) and not v.ndim and v.kind.is_int:
        found = cells.control(ctx, v.at(()))
        if found is not None:
            return found
    if isinstance(v, Array | Computed):
        if v.ndim:
            why = "it is indexed by an array: which elements is decided by data"
            raise stop(ctx.place, what, why, "write a loop over the indices")
        why = "this index is a number that is computed from data, and an index must come from sizes and loops"
        raise stop(ctx.place, what, why, "use range and sizes, or pass it as an int argument")
    raise stop(ctx.place, what, "an index of this kind isn't taken", "use integers and slices")


def sliced(ctx: Context, s: Slice, extent: Poly, axis: int, what: str) -> tuple[Along, Poly]:
    """The indices that a slice visits, and how many."""
    step = 1 if _missing(s.step) else integer(ctx, s.step, what).constant if s.step is not None else 1
    if not step:
        raise stop(ctx.place, what, "its step is no number that is known now", "write the step as a literal")
    if step > 0:
        lo = number(0) if _missing(s.lo) else _bound(ctx, s.lo, extent, what)
        hi = extent if _missing(s.hi) else _bound(ctx, s.hi, extent, what)
        lo = _least(ctx, lo, what)
        hi = hi if hi == extent else _within(ctx, hi, extent, what)
        return Along(lo, axis, step), (hi - lo + (step - 1)).over(step)
    lo = extent - 1 if _missing(s.lo) else _bound(ctx, s.lo, extent, what)
    hi = number(-1) if _missing(s.hi) else _bound(ctx, s.hi, extent, what)
    lo = lo if _missing(s.lo) else _within(ctx, lo, extent - 1, what)
    if not _missing(s.hi):
        ctx.require(hi, "so that slices don't go beyond arrays", what, "begin the slice inside of the array")
    return Along(lo, axis, step), (lo - hi + (-step - 1)).over(-step)


def _missing(v: Value | None) -> bool:
    return v is None or v == NEW_AXIS


def _bound(ctx: Context, v: Value | None, extent: Poly, what: str) -> Poly:
    """A bound of a slice, counted from the start."""
    assert v is not None
    p = integer(ctx, v, what)
    if not ctx.proves(p) or not ctx.proves(extent - p):
        cells.within(ctx, p, extent + 1)
    if ctx.proves(p) or (not _from_end(ctx, p) and _counted(ctx, p)):
        return p
    if ctx.proves(-p - 1):
        return p + extent
    why = f"the bound {p} may be negative here, and NumPy would count it from the end"
    raise stop(ctx.place, what, why, "test it with an if, or write the bound from the end")


def _least(ctx: Context, p: Poly, what: str) -> Poly:
    """A start, that NumPy moves to 0 if it is less."""
    if ctx.proves(p) or _assumed(ctx, p):
        return p
    return choice(ctx, "max", p, number(0))


def _within(ctx: Context, p: Poly, extent: Poly, what: str) -> Poly:
    """An end, that NumPy moves to the extent if it is beyond."""
    if ctx.proves(extent - p) or _assumed(ctx, extent - p):
        return p
    return choice(ctx, "min", p, extent)


def _counted(ctx: Context, p: Poly) -> bool:
    """Whether an index is assumed to count from the start: one that `int` arguments decide, over all loops."""
    if all(c < 0 for _, c in p.terms):
        return False
    low = least(p, ctx.frames)
    if low is None or low.constant is not None or not low.symbols() <= ctx.arguments:
        return False
    return ctx.assume(low, "so that indices count from the start") and ctx.proves(p)


def _from_end(ctx: Context, p: Poly) -> bool:
    """Whether an index is written as one from the end, `-k`: then that is assumed."""
    if not p.is_affine() or any(c > 0 for _, c in p.terms):
        return False
    low = least(-p - 1, ctx.frames)
    if low is None or low.constant is not None or not low.symbols() <= ctx.arguments:
        return False
    return ctx.assume(low, "so that indices count from the end") and ctx.proves(-p - 1)


def _assumed(ctx: Context, p: Poly) -> bool:
    """Whether an assertion on arguments makes a value not negative."""
    low = least(p, ctx.frames)
    if low is None or not low.symbols() <= ctx.arguments or low.constant is not None:
        return False
    return ctx.assume(low, "so that slices don't go beyond arrays") and ctx.proves(p)


def choice(ctx: Context, name: str, a: Poly, b: Poly) -> Poly:
    """The smaller or larger of two control integers."""
    if a.constant is not None and b.constant is not None:
        return number((min if name == "min" else max)(a.constant, b.constant))
    if ctx.proves(a - b):
        return b if name == "min" else a
    if ctx.proves(b - a):
        return a if name == "min" else b
    if not a.is_affine() or not b.is_affine():
        raise stop(ctx.place, name, "an operand multiplies sizes or iterators", "choose with an if")
    ctx.counter += 1
    return of(Symbol(f"{name}({a}, {b})", ctx.counter))


def mask_of(index: Sequence[Value | Slice]) -> Array | Computed | None:
    """The mask in an index, if there is one."""
    return next((v for v in index if isinstance(v, Array | Computed) and _is_mask(v)), None)


def masked(ctx: Context, a: Array, index: Sequence[Value | Slice], what: str) -> tuple[Array, Array]:
    """The part that a mask with slices beside it selects from, and the mask for each of its elements."""
    filled: list[Value | Slice] = []
    start = 0
    mask: Array | None = None
    for v in parts(ctx, index, a.ndim, what):
        if isinstance(v, Array | Computed) and _is_mask(v):
            if mask is not None:
                raise stop(ctx.place, what, "two masks", "combine them with &")
            mask = array(ctx, v)
            start = len([x for x in filled if isinstance(x, Slice) or x == NEW_AXIS])
            filled += [Slice(None, None, None)] * mask.ndim
        else:
            filled.append(v)
    assert mask is not None
    part = subscript(ctx, a, filled, what)
    for k, e in enumerate(mask.shape):
        ctx.same(part.shape[start + k], e, what)
    dims = tuple(Along(number(0), start + k) for k in range(mask.ndim))
    return part, reindexed(mask, dims, part.shape)


def transposed(a: Array, order: Sequence[int]) -> Array:
    """Axes in another order."""
    where = {axis: k for k, axis in enumerate(order)}
    dims = tuple(Along(number(0), where[k]) for k in range(a.ndim))
    return reindexed(a, dims, tuple(a.shape[k] for k in order))


def reshaped(ctx: Context, a: Array, shape: Indices, what: str) -> Array:
    """Another shape for the same elements, row after row."""
    inner = [e for e in a.shape if e.constant != 1]
    wanted = [e for e in shape if e.constant != 1]
    if len(inner) == len(wanted) and all(
        ctx.proves(p - q) and ctx.proves(q - p) for p, q in zip(inner, wanted, strict=True)
    ):
        return _renumbered(a, shape)
    groups = _groups(a.shape, shape)
    if groups is not None:
        return _split_axes(ctx, a, shape, groups, what)
    total, of_shape = product(a.shape), product(shape)
    if total != of_shape and not (ctx.proves(total - of_shape) and ctx.proves(of_shape - total)):
        pairs = list(zip(inner, wanted, strict=False))
        if len(inner) == len(wanted) > 1 and not any(p != q and p.symbols() & q.symbols() for p, q in pairs):
            for p, q in pairs:
                ctx.same(p, q, what)
            return _renumbered(a, shape)
        ctx.same(total, of_shape, what)
    at = a.at
    flat_of, split_of = shape, a.shape
    if any(e.constant is None for e in (*flat_of[1:], *split_of[1:])):
        return _renamed(ctx, a, shape, what)
    if not a.cheap:
        a = ctx.materialised(a)
        at = a.at
    reads = tuple(View(r.buffer, (), shape) for r in a.reads)
    return Array(shape, a.kind, lambda idx: at(_split(_flat(idx, flat_of), split_of)), reads, None, True, copies=True)


def _renumbered(a: Array, shape: Indices) -> Array:
    """Another shape that differs in axes of extent 1 only."""
    axes = iter([k for k, e in enumerate(shape) if e.constant != 1])
    dims = tuple(Along(number(0), None if e.constant == 1 else next(axes)) for e in a.shape)
    return reindexed(a, dims, shape)


def _groups(have: Indices, wanted: Indices) -> list[Indices] | None:
    """The extents that each one is split into, of which all but the first are literals: `h // 2, 2` of h."""
    rest, found = wanted, list[Indices]()
    for e in have:
        count, by = 1, 1
        while rest[:1] != (e.over(by),):
            if count >= len(rest) or not rest[count].constant:
                return None
            count, by = count + 1, by * (rest[count].constant or 1)
        found.append(rest[:count])
        rest = rest[count:]
    return None if rest else found


def _split_axes(ctx: Context, a: Array, shape: Indices, groups: Sequence[Indices], what: str) -> Array:
    """Each axis as several, which go together if they come to the same extent."""
    for e, group in zip(a.shape, groups, strict=True):
        ctx.same(e, product(group), what)
    source = a if a.cheap else ctx.materialised(a)

    def at(idx: Indices) -> Data:
        parts = iter(idx)
        return source.at(tuple(_flat(tuple(next(parts) for _ in g), g) for g in groups))

    reads = tuple(View(r.buffer, (), shape) for r in source.reads)
    return Array(shape, a.kind, at, reads, None, True, copies=a.view is not None or a.copies)


def _renamed(ctx: Context, a: Array, shape: Indices, what: str) -> Array:
    """Another shape for a whole buffer, which the object language has as a view. It is only read here."""
    v = a.view if a.view is not None and a.view == whole(a.view.buffer) else ctx.materialised(a).view
    assert v is not None
    if v != whole(v.buffer):
        why = "rows are joined or split at an extent that is no number, and how many elements there are isn't certain"
        raise stop(ctx.place, what, why, "keep the shape, or make all extents but the first literals")
    b = ctx.renamed(v.buffer, shape)
    shares = a.view is not None or a.copies
    at = of_view(whole(b)).at
    return Array(shape, a.kind, at, (View(v.buffer, (), shape),), None, True, copies=shares)


def _flat(idx: Indices, shape: Indices) -> Poly:
    out = number(0)
    for i, e in zip(idx, shape, strict=True):
        out = out * e + i
    return out


def _split(flat: Poly, shape: Indices) -> Indices:
    out: list[Poly] = []
    for e in reversed(shape[1:]):
        by = e.constant
        assert by is not None
        rest = flat.over(by)
        out.append(flat - rest * by)
        flat = rest
    return (flat, *reversed(out))
