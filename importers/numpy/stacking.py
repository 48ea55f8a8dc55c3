"""Arrays that are put together, and lists of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..control import Poly, number
from ..report import stop
from .context import Call, Context
from .elementwise import array, as_type
from .kinds import Kind, resolve
from .reductions import axis_number, computed
from .storing import assign
from .values import Along, Array, Computed, Integer, Static, Tuple, Value, View, reindexed


def listed(ctx: Context, v: Value) -> Value:
    """A value; a list of arrays as one array."""
    return stack_of(ctx, v.items, 0) if isinstance(v, Tuple) else v


def stack_of(ctx: Context, items: Sequence[Value], axis: int) -> Computed:
    """Arrays of one shape side by side along a new axis."""
    if not items:
        raise stop(ctx.place, "a list", "it is empty, and arrays here have elements", "write it with numbers in it")
    arrays = [array(ctx, listed(ctx, v)) for v in items]
    shape = arrays[0].shape
    for a in arrays[1:]:
        _alike(ctx, arrays[0], a, -1)
    out_shape = (*shape[:axis], number(len(arrays)), *shape[axis:])
    of = common(ctx, arrays)

    def fill(out: View) -> None:
        for n, a in enumerate(arrays):
            dims = [Along(number(0), k) for k in range(len(shape))]
            here = (*dims[:axis], Along(number(n)), *dims[axis:])
            assign(ctx, out.after(tuple(here), shape), as_type(ctx, a, of))

    return computed(arrays, out_shape, of, fill)


def common(ctx: Context, arrays: Sequence[Array]) -> Kind:
    """The type of arrays that are put together: of a Python float, float64."""
    of = arrays[0].kind.strong
    for a in arrays[1:]:
        found = resolve("add", [of, a.kind.strong]) if of != a.kind.strong else (of,)
        if found is None:
            raise stop(ctx.place, "arrays of several types", "there is no common type", "convert with astype")
        of = found[-1]
    return of.strong


def _stack(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    items = _items(ctx, args[0], "np.stack")
    ndim = items[0].ndim + 1
    axis = args[1] if len(args) > 1 else named.get("axis", Integer(number(0)))
    return stack_of(ctx, items, axis_number(ctx, axis, ndim, "np.stack"))


def _concatenate(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    arrays = _items(ctx, args[0], "np.concatenate")
    given = args[1] if len(args) > 1 else named.get("axis", Integer(number(0)))
    axis = axis_number(ctx, given, arrays[0].ndim, "np.concatenate")
    return _joined(ctx, arrays, axis)


def _joined(ctx: Context, arrays: Sequence[Array], axis: int) -> Computed:
    total = number(0)
    for a in arrays:
        _alike(ctx, arrays[0], a, axis)
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


def _alike(ctx: Context, a: Array, b: Array, axis: int) -> None:
    """Ask that arrays have the same extents but for one axis, or all: here nothing is broadcast."""
    pairs = enumerate(zip(a.shape, b.shape, strict=False))
    if a.ndim != b.ndim or any(k != axis and (p.constant == 1) != (q.constant == 1) for k, (p, q) in pairs):
        raise stop(ctx.place, "arrays of several shapes", "they don't go together", "NumPy raises a ValueError here")
    for k, (p, q) in enumerate(zip(a.shape, b.shape, strict=True)):
        if k != axis:
            ctx.same(p, q, "arrays that are joined")


def _items(ctx: Context, v: Value, what: str) -> list[Array]:
    if not isinstance(v, Tuple) or not v.items:
        raise stop(ctx.place, what, "which arrays it joins isn't known now", "write them as a tuple")
    return [array(ctx, listed(ctx, i) if isinstance(i, Tuple) and i.items else i, what) for i in v.items]


def _sided(name: str, axis: int) -> Call:
    """hstack, vstack and the like: along an axis, which vectors get first."""

    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        arrays = _items(ctx, args[0], f"np.{name}")
        if name == "hstack":
            return _joined(ctx, arrays, 0 if arrays[0].ndim == 1 else 1)
        if all(a.ndim == 1 for a in arrays):
            return stack_of(ctx, arrays, axis)
        return _joined(ctx, [_row(a, axis) if a.ndim == 1 else a for a in arrays], axis)

    return make


def _row(a: Array, axis: int) -> Array:
    """A vector as a row or column of a matrix."""
    one, n = number(1), a.shape[0]
    return reindexed(a, (Along(number(0), 1 - axis),), (one, n) if axis == 0 else (n, one))


def _append(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    arrays = [array(ctx, v) for v in args[:2]]
    axis = args[2] if len(args) > 2 else named.get("axis")
    if axis is not None and axis != Static(None):
        return _joined(ctx, arrays, axis_number(ctx, axis, arrays[0].ndim, "np.append"))
    if any(a.ndim > 1 for a in arrays):
        raise stop(ctx.place, "np.append", "without an axis it flattens", "name an axis")
    return _joined(ctx, [a if a.ndim else reindexed(a, (), (number(1),)) for a in arrays], 0)


def _roll(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Elements that leave at one end come back at the other."""
    a, what = array(ctx, args[0]), "np.roll"
    a = a if a.cheap else ctx.materialised(a)
    shift, axis = args[1], args[2] if len(args) > 2 else named.get("axis", Static(None))
    if axis == Static(None) and a.ndim == 1:
        axis = Integer(number(0))
    pairs = [(shift, axis)]
    if isinstance(axis, Tuple) and isinstance(shift, Tuple):
        pairs = list(zip(shift.items, axis.items, strict=False))
    out: Array | Computed = a
    for by, at in pairs:
        if not isinstance(by, Integer) or not isinstance(at, Integer):
            raise stop(ctx.place, what, "its shift or axis isn't known now", "roll along one axis by an integer")
        out = _rolled(ctx, ctx.lazy(out), by.value, axis_number(ctx, at, a.ndim, what))
    return out


def _rolled(ctx: Context, a: Array, by: Poly, axis: int) -> Computed:
    n = a.shape[axis]
    left = -by if by.constant is not None and by.constant < 0 else n - by
    for e in (left, n - left):
        ctx.require(e, "so that it rolls once around at most", "np.roll", "roll by less than the extent")

    def part(lo: Poly, count: Poly) -> Array:
        dims = tuple(Along(lo if k == axis else number(0), k) for k in range(a.ndim))
        return reindexed(a, dims, (*a.shape[:axis], count, *a.shape[axis + 1 :]))

    return _joined(ctx, [part(left, n - left), part(number(0), left)], axis)


def _repeat(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """Each element several times."""
    a, what = array(ctx, args[0]), "np.repeat"
    axis = args[2] if len(args) > 2 else named.get("axis", Static(None))
    times = args[1].value.constant if isinstance(args[1], Integer) else None
    if times is None or times < 1 or (axis == Static(None) and a.ndim != 1):
        raise stop(ctx.place, what, "how often isn't known now, or it flattens", "give it a number and an axis")
    k = 0 if axis == Static(None) else axis_number(ctx, axis, a.ndim, what)
    shape = (*a.shape[:k], a.shape[k] * times, *a.shape[k + 1 :])

    def fill(out: View) -> None:
        for n in range(times):
            dims = tuple(Along(number(n), k, times) if d == k else Along(number(0), d) for d in range(a.ndim))
            assign(ctx, out.after(dims, a.shape), a)

    return computed([a], shape, a.kind.strong, fill)


def _tile(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """An array several times."""
    a = array(ctx, args[0])
    items = args[1].items if isinstance(args[1], Tuple) else (args[1],)
    times = [i.value.constant if isinstance(i, Integer) else None for i in items]
    while len(times) < a.ndim:
        times.insert(0, 1)
    if len(times) > a.ndim:
        more = len(times) - a.ndim
        dims = tuple(Along(number(0), k + more) for k in range(a.ndim))
        a = reindexed(a, dims, (*(number(1) for _ in range(more)), *a.shape))
    out: Array | Computed = a
    out = as_type(ctx, a, a.kind)
    for axis, n in enumerate(times):
        if n is None or n < 1:
            raise stop(ctx.place, "np.tile", "how often isn't a number that is known now", "write the number")
        out = _joined(ctx, [ctx.lazy(out)] * n, axis) if n > 1 else out
    return out


def _pad(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """An array with a border of one number."""
    a, what = array(ctx, args[0]), "np.pad"
    mode = args[2] if len(args) > 2 else named.get("mode", Static("constant"))
    if mode != Static("constant"):
        raise stop(ctx.place, what, "only borders of one number are taken", "write the borders as slices")
    ends = _widths(ctx, args[1], a.ndim, what)
    border = as_type(ctx, array(ctx, named.get("constant_values", Integer(number(0)))), a.kind.strong)
    if border.ndim:
        raise stop(ctx.place, what, "its borders are several numbers", "write the borders as slices")
    shape = tuple(e + lo + hi for e, (lo, hi) in zip(a.shape, ends, strict=True))

    def fill(out: View) -> None:
        ctx.nest(out.shape, lambda idx: ctx.put(out, idx, border.at(())))
        dims = tuple(Along(lo, k) for k, (lo, _) in enumerate(ends))
        assign(ctx, out.after(dims, a.shape), a)

    return computed([a, border], shape, a.kind.strong, fill)


def _widths(ctx: Context, v: Value, ndim: int, what: str) -> list[tuple[Poly, Poly]]:
    """How much is added before and after each axis."""
    match v:
        case Integer(value=p):
            ends = [(p, p)] * ndim
        case Tuple(items=(Integer(value=p), Integer(value=q))):
            ends = [(p, q)] * ndim
        case Tuple(items=items) if len(items) in (1, ndim) and all(isinstance(i, Tuple) for i in items):
            ends = [e for i in items for e in _widths(ctx, i, 1, what)] * (ndim // len(items))
        case _:
            raise stop(ctx.place, what, "its widths aren't integers that are known now", "write the borders as slices")
    for p in (e for pair in ends for e in pair):
        ctx.require(p, "so that borders are added", what, "NumPy raises a ValueError here")
    return ends


CALLS: Final[dict[str, Call]] = {
    "stack": _stack, "concatenate": _concatenate, "append": _append, "roll": _roll, "repeat": _repeat, "tile": _tile,
    "pad": _pad, "hstack": _sided("hstack", 1), "vstack": _sided("vstack", 0),
    "column_stack": _sided("column_stack", 1),
}  # fmt: skip
"""Functions that put arrays together, by what stands after `np.`."""
