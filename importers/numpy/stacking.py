"""Arrays that are put together, and lists of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..control import number
from ..report import stop
from .context import Call, Context
from .elementwise import array, as_type, broadcast_shape
from .kinds import Kind, resolve
from .reductions import axis_number, computed
from .storing import assign
from .values import Along, Array, Computed, Integer, Tuple, Value, View


def listed(ctx: Context, v: Value) -> Value:
    """A value; a list of arrays as one array."""
    return stack_of(ctx, v.items, 0) if isinstance(v, Tuple) else v


def stack_of(ctx: Context, items: Sequence[Value], axis: int) -> Computed:
    """Arrays of one shape side by side along a new axis."""
    arrays = [array(ctx, listed(ctx, v)) for v in items]
    shape = broadcast_shape(ctx, [a.shape for a in arrays], "np.stack")
    out_shape = (*shape[:axis], number(len(arrays)), *shape[axis:])
    of = common(ctx, arrays)

    def fill(out: View) -> None:
        for n, a in enumerate(arrays):
            dims = [Along(number(0), k) for k in range(len(shape))]
            here = (*dims[:axis], Along(number(n)), *dims[axis:])
            assign(ctx, out.after(tuple(here), shape), as_type(ctx, a, of))

    return computed(arrays, out_shape, of, fill)


def common(ctx: Context, arrays: Sequence[Array]) -> Kind:
    of = arrays[0].kind
    for a in arrays[1:]:
        found = resolve("add", [of, a.kind]) if of != a.kind else (of,)
        if found is None:
            raise stop(ctx.place, "arrays of several types", "there is no common type", "convert with astype")
        of = found[-1]
    return of.strong


def _stack(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    items = args[0].items if isinstance(args[0], Tuple) else ()
    ndim = array(ctx, items[0]).ndim + 1
    axis = args[1] if len(args) > 1 else named.get("axis", Integer(number(0)))
    return stack_of(ctx, items, axis_number(ctx, axis, ndim, "np.stack"))


def _concatenate(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    items = args[0].items if isinstance(args[0], Tuple) else ()
    arrays = [array(ctx, v) for v in items]
    if not arrays:
        raise stop(ctx.place, "np.concatenate", "which arrays it joins isn't known now", "write them as a tuple")
    given = args[1] if len(args) > 1 else named.get("axis", Integer(number(0)))
    axis = axis_number(ctx, given, arrays[0].ndim, "np.concatenate")
    return _joined(ctx, arrays, axis)


def _joined(ctx: Context, arrays: Sequence[Array], axis: int) -> Computed:
    total = number(0)
    for a in arrays:
        total = total + a.shape[axis]
    shape = (*arrays[0].shape[:axis], total, *arrays[0].shape[axis + 1 :])
    of = common(ctx, arrays)

    def fill(out: View) -> None:
        at = number(0)
        for a in arrays:
            dims = tuple(Along(at if k == axis else number(0), k) for k in range(len(shape)))
            part = (*shape[:axis], a.shape[axis], *shape[axis + 1 :])
            assign(ctx, out.after(dims, part), as_type(ctx, a, of))
            at = at + a.shape[axis]

    return computed(arrays, shape, of, fill)


def _hstack(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    arrays = [array(ctx, v) for v in (args[0].items if isinstance(args[0], Tuple) else ())]
    return _joined(ctx, arrays, 0 if arrays[0].ndim == 1 else 1)


CALLS: Final[dict[str, Call]] = {
    "stack": _stack, "concatenate": _concatenate, "hstack": _hstack,
    "vstack": lambda ctx, args, named: _concatenate(ctx, args, {}),
}  # fmt: skip
"""Functions that put arrays together, by what stands after `np.`."""
