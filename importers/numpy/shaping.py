"""Arrays in another shape or order, and arrays that are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..control import Poly, number
from ..report import stop
from .context import Call, Context
from .elementwise import array
from .indexing import reshaped, transposed
from .making import shape_of
from .reductions import axis_number
from .values import Along, Indices, Tuple, Value, reindexed


def _reshape(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    shape = list(shape_of(ctx, args[1], "reshape"))
    if any(e.constant == -1 for e in shape):
        at = next(k for k, e in enumerate(shape) if e.constant == -1)
        rest = shape[:at] + shape[at + 1 :]
        shape[at] = _missing_extent(ctx, a.shape, rest)
    return reshaped(ctx, a, tuple(shape), "reshape")


def _missing_extent(ctx: Context, have: Indices, rest: Sequence[Poly]) -> Poly:
    left = list(have)
    for e in rest:
        if e in left:
            left.remove(e)
        elif e.constant != 1:
            total = number(1)
            for x in left:
                total = total * x
            if e.constant and all(c % e.constant == 0 for _, c in total.terms):
                left = [total.over(e.constant)]
                continue
            raise stop(ctx.place, "reshape", "the extent -1 is no product of the array's extents", "write it out")
    out = number(1)
    for e in left:
        out = out * e
    return out


def _ravel(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    total = number(1)
    for e in a.shape:
        total = total * e
    return reshaped(ctx, a, (total,), "ravel")


def _transpose(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    given = args[1] if len(args) > 1 else named.get("axes")
    if isinstance(given, Tuple):
        return transposed(a, [axis_number(ctx, i, a.ndim, "transpose") for i in given.items])
    return transposed(a, range(a.ndim - 1, -1, -1))


def _swapaxes(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    x, y = (axis_number(ctx, v, a.ndim, "swapaxes") for v in args[1:3])
    order = list(range(a.ndim))
    order[x], order[y] = order[y], order[x]
    return transposed(a, order)


def _expand_dims(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    k = axis_number(ctx, args[1] if len(args) > 1 else named.get("axis"), a.ndim + 1, "expand_dims")
    shape = (*a.shape[:k], number(1), *a.shape[k:])
    return reindexed(a, tuple(Along(number(0), d if d < k else d + 1) for d in range(a.ndim)), shape)


def _squeeze(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    return reshaped(ctx, a, tuple(e for e in a.shape if e.constant != 1), "squeeze")


def _flip(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    given = args[1] if len(args) > 1 else named.get("axis")
    axes = range(a.ndim) if given is None else [axis_number(ctx, given, a.ndim, "flip")]
    dims = tuple(Along(e - 1, k, -1) if k in axes else Along(number(0), k) for k, e in enumerate(a.shape))
    return reindexed(a, dims, a.shape)


CALLS: Final[dict[str, Call]] = {
    "reshape": _reshape, "ravel": _ravel, "transpose": _transpose, "swapaxes": _swapaxes,
    "expand_dims": _expand_dims, "squeeze": _squeeze, "flip": _flip,
}  # fmt: skip
"""Functions that give arrays another shape or order, by what stands after `np.`."""
