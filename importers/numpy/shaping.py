"""Arrays in another shape or order, and arrays that are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..control import Poly, divided, number, product
from ..report import stop
from .context import Call, Context
from .elementwise import array, as_type, broadcast_shape, stretched
from .indexing import reshaped, transposed
from .making import shape_of
from .program import Num
from .reductions import axis_number, computed
from .values import Along, Indices, Integer, Static, Tuple, Value, View, in_a_row, reindexed


def _reshape(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    shape = list(shape_of(ctx, args[1], "reshape"))
    if any(e.constant == -1 for e in shape):
        at = next(k for k, e in enumerate(shape) if e.constant == -1)
        rest = shape[:at] + shape[at + 1 :]
        shape[at] = _missing_extent(ctx, a.shape, rest)
    return reshaped(ctx, a, tuple(shape), "reshape")


def _missing_extent(ctx: Context, have: Indices, rest: Sequence[Poly]) -> Poly:
    total, by = product(have), product(rest)
    if by.constant is not None and by.constant > 0:
        found = total.over(by.constant)
        ctx.same(total, found * by, "reshape")
        return found
    parts = divided(total, by)
    if parts is None or parts[1] != number(0):
        raise stop(ctx.place, "reshape", "the extent -1 is no product of the array's extents", "write it out")
    return parts[0]


def _ravel(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    found = reshaped(ctx, a, (product(a.shape),), "ravel")
    if a.view is None or found.view is None or in_a_row(a.view):
        return found
    return replace(as_type(ctx, found, found.kind), copies=True)


def _transpose(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    given = args[1] if len(args) > 1 else named.get("axes")
    if isinstance(given, Tuple):
        order = [axis_number(ctx, i, a.ndim, "transpose") for i in given.items]
        if sorted(order) != list(range(a.ndim)):
            raise stop(ctx.place, "transpose", "its axes aren't all of the array", "NumPy raises a ValueError here")
        return transposed(a, order)
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
    given = args[1] if len(args) > 1 else named.get("axis")
    ones = [k for k, e in enumerate(a.shape) if e.constant == 1]
    if given is not None and given != Static(None):
        items = given.items if isinstance(given, Tuple) else (given,)
        wanted = [axis_number(ctx, i, a.ndim, "squeeze") for i in items]
        if not set(wanted) <= set(ones):
            raise stop(ctx.place, "squeeze", "the extent isn't known to be 1", "index the axis with 0")
        ones = wanted
    shape = tuple(e for k, e in enumerate(a.shape) if k not in ones)
    if a.ndim and not shape:
        raise stop(ctx.place, "squeeze", "an array without dimensions isn't taken", "index the element")
    return reshaped(ctx, a, shape, "squeeze")


def _flip(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    given = args[1] if len(args) > 1 else named.get("axis")
    everywhere = given is None or given == Static(None)
    axes = range(a.ndim) if everywhere else [axis_number(ctx, given, a.ndim, "flip")]
    dims = tuple(Along(e - 1, k, -1) if k in axes else Along(number(0), k) for k, e in enumerate(a.shape))
    return reindexed(a, dims, a.shape)


def _moveaxis(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    x, y = (axis_number(ctx, v, a.ndim, "np.moveaxis") for v in args[1:3])
    order = [k for k in range(a.ndim) if k != x]
    order.insert(y, x)
    return transposed(a, order)


def _turned(*axes: int) -> Call:
    """flipud, fliplr: the order of an axis turned round."""
    return lambda ctx, args, named: _flip(ctx, [args[0], *(Integer(number(k)) for k in axes)], {})


def _rot90(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    given = args[1] if len(args) > 1 else named.get("k", Integer(number(1)))
    k = given.value.constant if isinstance(given, Integer) else None
    if a.ndim != 2 or k is None:
        raise stop(ctx.place, "np.rot90", "it is taken of matrices, by a number that is known now", "write a.T[::-1]")
    out: Value = a
    for _ in range(k % 4):
        out = _flip(ctx, [transposed(array(ctx, out), (1, 0)), Integer(number(0))], {})
    return out


def _broadcast_to(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    shape = broadcast_shape(ctx, [a.shape, shape_of(ctx, args[1], "a shape")], "np.broadcast_to")
    found = stretched(ctx, a, shape)
    return replace(as_type(ctx, found, found.kind), copies=True)


def _diag(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The diagonal of a matrix; of a vector, the matrix with it."""
    a = array(ctx, args[0])
    if a.ndim == 2:
        ctx.same(a.shape[0], a.shape[1], "np.diag")
        both = Along(number(0), 0)
        return replace(as_type(ctx, reindexed(a, (both, both), (a.shape[0],)), a.kind), copies=True)
    if a.ndim != 1:
        raise stop(ctx.place, "np.diag", "it is taken of vectors and matrices", "write a loop")
    n, kind = a.shape[0], a.kind.strong

    def fill(out: View) -> None:
        ctx.nest(out.shape, lambda idx: ctx.store(out, idx, Num(0, kind)))
        ctx.nest((n,), lambda idx: ctx.put(out, (idx[0], idx[0]), a.at(idx)))

    return computed([a], (n, n), kind, fill)


CALLS: Final[dict[str, Call]] = {
    "reshape": _reshape, "ravel": _ravel, "transpose": _transpose, "swapaxes": _swapaxes,
    "expand_dims": _expand_dims, "squeeze": _squeeze, "flip": _flip,
    "moveaxis": _moveaxis, "flipud": _turned(0), "fliplr": _turned(1), "rot90": _rot90,
    "broadcast_to": _broadcast_to, "diag": _diag,
}  # fmt: skip
"""Functions that give arrays another shape or order, by what stands after `np.`."""
