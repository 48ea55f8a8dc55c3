"""Functions that take axes together: sums, means, extremes and where they are, running sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..control import Poly, number
from ..report import stop
from .arithmetic import EMIT, calculated, converted, function, may_wrap, negation, whole_number
from .context import Context
from .elementwise import apply, array, as_type, flag
from .kinds import F64, I64, INT, Kind, kind_of, resolve
from .program import Bin, Cmp, Data, Elem, Num
from .values import Along, Array, Chosen, Computed, Indices, Integer, Static, Tuple, Value, View, reindexed

SUMS: Final = ("sum", "prod", "mean", "var", "std", "any", "all", "max", "min", "count_nonzero", "ptp")
NAMED: Final = {"amax": "max", "amin": "min", "product": "prod"}
POSITIONS: Final = ("argmax", "argmin")
RUNNING: Final = ("cumsum", "cumprod", "running largest", "running smallest")
ACCUMULATE: Final = {
    "add.accumulate": "cumsum", "multiply.accumulate": "cumprod",
    "maximum.accumulate": "running largest", "minimum.accumulate": "running smallest",
}  # fmt: skip


@dataclass(frozen=True)
class Axes:
    """The axes that are taken together, and those that stay, with the shape of the result."""

    taken: tuple[int, ...]
    kept: tuple[int, ...]
    shape: Indices
    keepdims: bool

    def split(self, a: Array) -> Indices:
        return tuple(a.shape[k] for k in self.taken)

    def joined(self, idx: Indices, inner: Indices) -> Indices:
        """The array's indices for those of the result and those of the axes that are taken."""
        own = [idx[k] for k in self.kept] if self.keepdims else list(idx)
        found = dict(zip(self.kept, own, strict=True)) | dict(zip(self.taken, inner, strict=True))
        return tuple(found[k] for k in range(len(found)))


def axes_of(ctx: Context, a: Array | Computed, axis: Value | None, keepdims: Value | None, what: str) -> Axes:
    """The axes that an argument names."""
    match axis:
        case None | Static(value=None):
            taken = list(range(a.ndim))
        case Tuple(items=items):
            taken = [axis_number(ctx, i, a.ndim, what) for i in items]
        case _:
            taken = [axis_number(ctx, axis, a.ndim, what)]
    keep = keepdims is not None and flag(ctx, keepdims, f"{what}(.., keepdims=..)")
    kept = tuple(k for k in range(a.ndim) if k not in taken)
    one = number(1)
    shape = tuple(one if k in taken else e for k, e in enumerate(a.shape) if keep or k not in taken)
    return Axes(tuple(sorted(taken)), kept, shape, keep)


def axis_number(ctx: Context, v: Value | None, ndim: int, what: str) -> int:
    """An axis as a number from 0."""
    k = v.value.constant if isinstance(v, Integer) else None
    if k is None:
        raise stop(ctx.place, what, "its axis is no integer that is known now", "write the axis as a literal")
    if not -ndim <= k < ndim:
        raise stop(ctx.place, what, f"there is no axis {k}", "NumPy raises an AxisError here")
    return k % ndim


def reduction(ctx: Context, name: str, v: Value, options: dict[str, Value]) -> Value:
    """A sum or the like, over all axes or some."""
    what = f"np.{name}"
    a = _once(ctx, array(ctx, v, what), name in ("var", "std", "ptp"))
    axes = axes_of(ctx, a, options.get("axis"), options.get("keepdims"), what)
    for key in options:
        allowed = {"sum": ("dtype",), "prod": ("dtype",), "mean": ("dtype",), "var": ("ddof",), "std": ("ddof",)}
        if key not in ("axis", "keepdims", *allowed.get(name, ())):
            raise stop(ctx.place, f"{what}(.., {key}=..)", "this argument isn't taken", "write it in another way")
    match name:
        case "sum" | "prod":
            return _total(
                ctx, a, axes, _sum_kind(ctx, name, a.kind, options.get("dtype")), "+" if name == "sum" else "*"
            )
        case "count_nonzero":
            at = a.at
            truth = Array(
                a.shape, Kind("bool"), lambda idx: converted(ctx, at(idx), Kind("bool")), a.reads, cheap=False
            )
            return _total(ctx, truth, axes, I64, "+")
        case "mean":
            of = _named_kind(ctx, options.get("dtype"))
            return _mean(ctx, a if of is None else as_type(ctx, a, of), axes)
        case "var" | "std":
            return _variance(ctx, a, axes, options, name)
        case "ptp":
            return apply(ctx, "subtract", [_extreme(ctx, a, axes, "max"), _extreme(ctx, a, axes, "min")])
        case "any" | "all":
            return _truth(ctx, a, axes, name)
        case _:
            return _extreme(ctx, a, axes, name)


def added(ctx: Context, v: Value) -> Computed:
    """Python's `sum`: 0 and one element after the other, each sum of the type that NumPy adds them in."""
    a = array(ctx, v, "sum")
    axes = axes_of(ctx, a, None, None, "sum")
    first = resolve("add", [INT, a.kind], operator=True)
    assert first is not None
    _not_empty(ctx, a, axes, "sum")
    return _total(ctx, a, axes, first[-1].strong, "+")


def of_chosen(ctx: Context, name: str, c: Chosen, options: dict[str, Value]) -> Value:
    """A sum or mean of the elements under a mask."""
    if name not in ("sum", "mean", "prod") or options:
        why = "how many elements it has depends on data"
        raise stop(ctx.place, "elements under a mask", why, "write np.where(mask, .., 0), or assign under the mask")
    if name == "mean":
        count = reduction(ctx, "sum", c.mask, {})
        part = c.part if c.part.kind.is_float else as_type(ctx, c.part, F64)
        found = apply(ctx, "divide", [of_chosen(ctx, "sum", Chosen(part, c.mask, c.key), {}), count])
        return as_type(ctx, found, part.kind.strong)
    kind = _sum_kind(ctx, name, c.part.kind, None)
    op = "+" if name == "sum" else "*"

    def fill(out: View) -> None:
        ctx.store(out, (), Num(0 if op == "+" else 1, kind))

        def one(idx: Indices) -> None:
            ctx.branch(c.mask.at(idx), lambda: add(ctx, out, (), c.part.at(idx), op))

        ctx.nest(c.part.shape, one)

    return computed([c.part, c.mask], (), kind, fill, "total")


def _once(ctx: Context, a: Array, several: bool) -> Array:
    """An array whose elements are asked for several times is computed first."""
    return ctx.materialised(a) if several and not a.cheap else a


def computed(a: Sequence[Array], shape: Indices, kind: Kind, fill: Callable[[View], None], name: str = "t") -> Computed:
    """An array that is computed as a whole from others."""
    return Computed(shape, kind, fill, tuple(dict.fromkeys(r.buffer for x in a for r in x.reads)), name)


def _sum_kind(ctx: Context, name: str, kind: Kind, dtype: Value | None) -> Kind:
    """What NumPy sums at: integers in 64 bits."""
    named = _named_kind(ctx, dtype)
    if named is not None:
        return named
    found = kind_of(getattr(np, name)(np.zeros(1, kind.dtype)).dtype)
    assert found is not None
    return found


def _named_kind(ctx: Context, dtype: Value | None) -> Kind | None:
    from .making import kind

    return None if dtype is None or dtype == Static(None) else kind(ctx, dtype)


def _total(ctx: Context, a: Array, axes: Axes, kind: Kind, op: str) -> Computed:
    """A sum or product over axes: each element of the result begins with 0 or 1."""
    if kind.is_float:
        ctx.procedure.notes.append("sums are added in order, where NumPy adds pairs of blocks: the rounding is another")

    def fill(out: View) -> None:
        first = Num(0 if op == "+" else 1, kind)
        _together(
            ctx,
            (a, axes, axes.split(a), None),
            out.shape,
            lambda idx: ctx.store(out, idx, first),
            lambda idx, inner: add(ctx, out, idx, a.at(axes.joined(idx, inner)), op),
        )

    return computed([a], axes.shape, kind, fill, "total" if not axes.shape else "t")


def side_by_side(a: Array, axis: int) -> bool:
    """Whether elements along an axis stand side by side in memory, wherever the array is read."""
    return all(r.dims and (r.dims[-1].axis, r.dims[-1].step) == (axis, 1) for r in a.reads)


def _together(
    ctx: Context,
    over: tuple[Array, Axes, Indices, Indices | None],
    shape: Indices,
    begin: Callable[[Indices], None],
    more: Callable[[Indices, Indices], None],
) -> None:
    """Each element of a result begins, and becomes more for each index of the axes that are taken: element by element,
    or, if the last axis that stays is of elements side by side, all that differ in it alone."""
    a, axes, inner, start = over
    if inner == start:
        ctx.nest(shape, begin)
        return
    if not axes.kept or not side_by_side(a, axes.kept[-1]):

        def element(idx: Indices) -> None:
            begin(idx)
            ctx.nest(inner, lambda k: more(idx, k), start)

        ctx.nest(shape, element)
        return
    at = axes.kept[-1] if axes.keepdims else len(axes.kept) - 1

    def row(idx: Indices) -> None:
        ctx.nest(shape[at:], lambda last: begin((*idx, *last)))
        ctx.nest(inner, lambda k: ctx.nest(shape[at:], lambda last: more((*idx, *last), k)), start)

    ctx.nest(shape[:at], row)


def add(ctx: Context, out: View, idx: Indices, e: Data, op: str = "+") -> None:
    """`out[idx] += e`, or with another operator."""
    kind = out.buffer.kind
    if op in ("min", "max"):
        ctx.store(out, idx, converted(ctx, e, kind), op)
    elif may_wrap(kind, op):
        before = Elem(out.buffer, out.at(idx), kind)
        ctx.store(out, idx, calculated(op, before, converted(ctx, e, kind), kind))
    elif e.kind.is_bool and op == "+":
        ctx.branch(e, lambda: ctx.store(out, idx, Num(1, kind), "+="))
    else:
        ctx.store(out, idx, converted(ctx, e, kind), f"{op}=")


def _count(ctx: Context, a: Array, axes: Axes, kind: Kind, less: int = 0) -> Data:
    n = number(1)
    for e in axes.split(a):
        n = n * e
    n = n - less
    if n.constant is not None:
        return Num(float(max(n.constant, 0)), kind)
    count = whole_number(n, kind)
    return count if not less or ctx.proves(n) else function(ctx, "fmax", [Num(0.0, kind), count], kind)


def _mean(ctx: Context, a: Array, axes: Axes, less: int = 0) -> Computed:
    kind = a.kind.strong if a.kind.is_float else F64
    total = _total(ctx, a, axes, kind, "+")
    for e in axes.split(a):
        ctx.require(e, "so that slices don't end before they begin", "a mean", "begin the slice inside of the array")

    def fill(out: View) -> None:
        total.fill(out)
        n = _count(ctx, a, axes, kind, less)
        ctx.nest(out.shape, lambda idx: _divide(ctx, out, idx, n))

    return computed([a], axes.shape, kind, fill, "mean")


def _divide(ctx: Context, out: View, idx: Indices, n: Data) -> None:
    ctx.store(out, idx, Bin("/", Elem(out.buffer, out.at(idx), out.buffer.kind), n, out.buffer.kind))


def _variance(ctx: Context, a: Array, axes: Axes, options: dict[str, Value], name: str) -> Value:
    ddof = options.get("ddof")
    less = 0 if ddof is None else ddof.value.constant if isinstance(ddof, Integer) else None
    if less is None:
        raise stop(ctx.place, f"np.{name}", "ddof is no number that is known now", "write it as a literal")
    kept = Axes(axes.taken, axes.kept, tuple(number(1) if k in axes.taken else e for k, e in enumerate(a.shape)), True)
    a = as_type(ctx, a, F64) if not a.kind.is_float else a
    apart = apply(ctx, "subtract", [a, ctx.materialised(_mean(ctx, a, kept))])
    found = _mean(ctx, apply(ctx, "square", [apart]), axes, less)
    return found if name == "var" else apply(ctx, "sqrt", [found])


def _first(axes: Axes) -> Indices:
    return tuple(number(0) for _ in axes.taken)


def _extreme(ctx: Context, a: Array, axes: Axes, name: str) -> Computed:
    """The largest or smallest: the first element, then each one that is beyond."""
    kind = a.kind
    _not_empty(ctx, a, axes, name)
    if kind.is_bool:
        return _truth(ctx, a, axes, "any" if name == "max" else "all")
    ctx.procedure.notes.append("data is no NaN where the largest or smallest of several numbers is taken")

    def fill(out: View) -> None:
        inner = axes.split(a)
        start = (number(1),) if len(inner) == 1 else _first(axes)

        more = lambda idx, k: ctx.store(out, idx, a.at(axes.joined(idx, k)), name)  # noqa: E731
        first = lambda idx: ctx.store(out, idx, a.at(axes.joined(idx, _first(axes))))  # noqa: E731
        _together(ctx, (a, axes, inner, start), out.shape, first, more)

    return computed([a], axes.shape, kind.strong, fill, "largest" if name == "max" else "smallest")


def _not_empty(ctx: Context, a: Array, axes: Axes, name: str) -> None:
    for e in axes.split(a):
        ctx.require(e - 1, "so that there is an element", f"np.{name}", "NumPy raises a ValueError for an empty array")


def _truth(ctx: Context, a: Array, axes: Axes, name: str) -> Computed:
    """any, all: 0 or 1, which an element that decides changes."""
    start, other = (0, 1) if name == "any" else (1, 0)
    kind = Kind("bool")

    def fill(out: View) -> None:
        def one(idx: Indices, inner: Indices) -> None:
            test = converted(ctx, a.at(axes.joined(idx, inner)), kind)
            put = lambda: ctx.store(out, idx, Num(other, kind))  # noqa: E731
            if name == "any":
                ctx.branch(test, put)
            else:
                ctx.branch(negation(test), put)

        def element(idx: Indices) -> None:
            ctx.store(out, idx, Num(start, kind))
            ctx.nest(axes.split(a), lambda inner: one(idx, inner))

        ctx.nest(out.shape, element)

    return computed([a], axes.shape, kind, fill)


def position(ctx: Context, name: str, v: Value, options: dict[str, Value]) -> Computed:
    """argmax, argmin: the index of the first of the largest or smallest."""
    what = f"np.{name}"
    a = array(ctx, v, what)
    a = as_type(ctx, a, Kind("u8")) if a.kind.is_bool else a
    axis = options.get("axis")
    axes = axes_of(ctx, a, axis, options.get("keepdims"), what)
    _not_empty(ctx, a, axes, name)
    ctx.procedure.notes.append("data is no NaN where the largest or smallest of several numbers is taken")
    op = ">" if name == "argmax" else "<"

    def fill(out: View) -> None:
        def element(idx: Indices) -> None:
            best = ctx.scalar(a.at(axes.joined(idx, _first(axes))), "best")
            ctx.store(out, idx, Num(0, I64))

            def one(k: Indices) -> None:
                e = a.at(axes.joined(idx, k))
                e = e if isinstance(e, Elem) else ctx.scalar(e)

                def better() -> None:
                    ctx.store(View(best.buffer, (), ()), (), e)
                    ctx.store(out, idx, whole_number(_flat(a, axes, k), I64))

                ctx.branch(Cmp(op, e, best), better)

            ctx.nest(axes.split(a), one, (number(1),) if len(axes.taken) == 1 else None)

        ctx.nest(out.shape, element)

    return computed([a], axes.shape, I64, fill, "at")


def _flat(a: Array, axes: Axes, k: Indices) -> Poly:
    """The index in the flattened axes that are taken."""
    out = number(0)
    for e, i in zip(axes.split(a), k, strict=True):
        out = out * e + i
    return out


def running(ctx: Context, name: str, v: Value, options: dict[str, Value]) -> Computed:
    """cumsum, cumprod, and the largest or smallest so far, along an axis."""
    what = f"np.{name}" if name in ("cumsum", "cumprod") else name
    a = array(ctx, v, what)
    axis = options.get("axis")
    if a.ndim != 1 and (axis is None or axis == Static(None)):
        raise stop(ctx.place, what, "without an axis it runs through a flattened array", "name an axis")
    k = 0 if axis is None or axis == Static(None) else axis_number(ctx, axis, a.ndim, what)
    outer = tuple(number(1) if d == k else e for d, e in enumerate(a.shape))

    if name in ("running largest", "running smallest"):
        return _extreme_so_far(ctx, a, k, outer, "maximum" if name == "running largest" else "minimum")
    kind = _sum_kind(ctx, "sum" if name == "cumsum" else "prod", a.kind, options.get("dtype"))
    op = "+" if name == "cumsum" else "*"
    first = 1 if op == "*" else -0.0 if kind.is_float else 0  # to which -0.0 is added in NumPy as it is

    def fill(out: View) -> None:
        run = ctx.buffer("run", kind, ())

        def line(idx: Indices) -> None:
            ctx.store(run, (), Num(first, kind))

            def one(inner: Indices) -> None:
                at = (*idx[:k], inner[0], *idx[k + 1 :])
                add(ctx, run, (), a.at(at), op)
                ctx.store(out, at, Elem(run.buffer, (), kind))

            ctx.nest((a.shape[k],), one)

        ctx.nest(outer, line)

    return computed([a], a.shape, kind, fill)


def _extreme_so_far(ctx: Context, a: Array, k: int, outer: Indices, name: str) -> Computed:
    """The largest or smallest of the elements up to each one."""
    kind = a.kind.strong
    if kind.is_bool:
        raise stop(ctx.place, f"np.{name}.accumulate", "of truth values", "convert with astype")

    def fill(out: View) -> None:
        run = ctx.buffer("run", kind, ())
        so_far = Elem(run.buffer, (), kind)

        def line(idx: Indices) -> None:
            ctx.store(run, (), a.at(idx))
            ctx.store(out, idx, so_far)

            def one(inner: Indices) -> None:
                at = (*idx[:k], inner[0], *idx[k + 1 :])
                ctx.store(run, (), EMIT[name](ctx, [so_far, a.at(at)], kind))
                ctx.store(out, at, so_far)

            ctx.nest((a.shape[k],), one, (number(1),))

        ctx.nest(outer, line)

    return computed([a], a.shape, kind, fill)


def difference(ctx: Context, v: Value) -> Array:
    """np.diff along the last axis."""
    a = _once(ctx, array(ctx, v, "np.diff"), True)
    if not a.ndim:
        raise stop(ctx.place, "np.diff", "of a single number", "NumPy raises a ValueError here")
    shape = (*a.shape[:-1], a.shape[-1] - 1)
    keep = tuple(Along(number(0), k) for k in range(a.ndim - 1))
    later = reindexed(a, (*keep, Along(number(1), a.ndim - 1)), shape)
    before = reindexed(a, (*keep, Along(number(0), a.ndim - 1)), shape)
    return apply(ctx, "subtract", [later, before])


def norm(ctx: Context, v: Value, options: dict[str, Value]) -> Value:
    """The Euclidean norm, of all elements or along an axis."""
    a = _once(ctx, array(ctx, v, "np.linalg.norm"), True)
    a = a if a.kind.is_float else as_type(ctx, a, F64)
    return apply(ctx, "sqrt", [reduction(ctx, "sum", apply(ctx, "square", [a]), options)])
