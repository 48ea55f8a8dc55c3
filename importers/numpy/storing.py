"""Stores of arrays: the right side is complete before the first element is stored."""

from __future__ import annotations

from ..control import Poly
from ..report import stop
from .arithmetic import converted
from .context import Context
from .elementwise import broadcast_shape, stretched
from .values import Along, Array, Computed, Indices, View


def assign(ctx: Context, target: View, value: Array | Computed, mask: Array | None = None) -> None:
    """Write an array to a place. The right side is complete before the first element is stored: where an element that
    is read may have been written, it is computed in a buffer of its own first."""
    if isinstance(value, Computed):
        plain = value.kind.name == target.buffer.kind.name and value.shape == target.shape and mask is None
        if plain and target.buffer not in value.reads:
            value.fill(target)
            return
        value = ctx.materialised(value)
    if mask is not None and any(_clash(ctx, r, target) for r in mask.reads):
        mask = ctx.materialised(mask)
    value = ready(ctx, value, target)
    kind, at = target.buffer.kind, value.at

    def put(idx: Indices) -> None:
        ctx.put(target, idx, converted(ctx, at(idx), kind))

    def element(idx: Indices) -> None:
        if mask is None:
            put(idx)
        else:
            ctx.branch(mask.at(idx), lambda: put(idx))

    ctx.nest(target.shape, element)


def ready(ctx: Context, value: Array | Computed, target: View) -> Array:
    """An array in the shape of a place, in a buffer of its own if it reads what a store there may change."""
    value = ctx.lazy(value)
    value = stretched(ctx, value, _fitting(ctx, value, target))
    if any(_clash(ctx, r, target) for r in value.reads):
        value = stretched(ctx, ctx.materialised(value), target.shape)
    return value


def _fitting(ctx: Context, value: Array, target: View) -> Indices:
    """The target's shape, if the value broadcasts to it."""
    extra = value.ndim - len(target.shape)
    if extra > 0:
        if any(e.constant != 1 for e in value.shape[:extra]):
            why = f"the value has {value.ndim} dimensions, the target {len(target.shape)}"
            raise stop(ctx.place, "an assignment", why, "NumPy raises a ValueError here")
        raise stop(ctx.place, "an assignment", "the value has more dimensions of extent 1", "index them with 0")
    shape = broadcast_shape(ctx, [value.shape, target.shape], "an assignment")
    for have, want in zip(shape, target.shape, strict=True):
        if want.constant == 1 and have.constant != 1:
            ctx.same(have, want, "an assignment")
    return target.shape


def _clash(ctx: Context, r: View, target: View) -> bool:
    """Whether an element that is read may be one that was written before."""
    if r.buffer is not target.buffer:
        return False
    if not r.dims or not target.dims:  # it isn't known which elements
        return bool(r.buffer.shape)
    if r.dims == target.dims:
        return False
    return not any(_apart(ctx, a, r.shape, b, target.shape) for a, b in zip(r.dims, target.dims, strict=True))


def _apart(ctx: Context, a: Along, of_a: Indices, b: Along, of_b: Indices) -> bool:
    """Whether two index ranges have no element in common."""
    (low_a, high_a), (low_b, high_b) = _range(a, of_a), _range(b, of_b)
    return ctx.proves(low_b - high_a - 1) or ctx.proves(low_a - high_b - 1)


def _range(a: Along, shape: Indices) -> tuple[Poly, Poly]:
    if a.axis is None:
        return a.offset, a.offset
    last = a.offset + (shape[a.axis] - 1) * a.step
    return (a.offset, last) if a.step > 0 else (last, a.offset)
