"""New arrays: of one number, of running numbers, copies of others; and the types that calls name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ..control import Poly, number
from ..report import stop
from .context import Call, Context
from .elementwise import apply, array, as_type, broadcast_shape, flag, operand, stretched
from .kinds import BOOL, DTYPES, F64, I64, Kind, kind_of
from .program import Num, Whole
from .stacking import listed
from .values import Array, Computed, Indices, Integer, Member, Static, Tuple, Value, View, in_a_row

TYPES: Final = {name: Kind(short) for short, name in DTYPES.items()} | {
    "bool_": BOOL, "double": F64, "single": Kind("f32"), "int_": I64, "intp": I64, "float_": F64, "uint": Kind("u64"),
}  # fmt: skip

PYTHON_TYPES: Final = {"builtins.float": F64, "builtins.int": I64, "builtins.bool": BOOL}


def kind(ctx: Context, v: Value) -> Kind:
    """A type that is named by NumPy, Python or a text."""
    found = v.value if isinstance(v, Static) else None
    if isinstance(found, str) and found in TYPES:
        return TYPES[found]
    if isinstance(found, Kind):
        return found.strong
    if isinstance(v, Member) and v.path in PYTHON_TYPES:
        return PYTHON_TYPES[v.path]
    raise stop(ctx.place, "a dtype", "it is no type that is taken", f"take one of {', '.join(DTYPES.values())}")


def shape_of(ctx: Context, v: Value, what: str) -> Indices:
    """A shape: an integer or a tuple of them."""
    items = v.items if isinstance(v, Tuple) else (v,)
    out = []
    for i in items:
        if not isinstance(i, Integer):
            why = "an extent is computed from data, and extents must come from sizes"
            raise stop(ctx.place, what, why, "pass it as a size")
        out.append(i.value)
    return _with_axes(ctx, tuple(out), what)


def _with_axes(ctx: Context, shape: Indices, what: str) -> Indices:
    """A shape of at least one dimension."""
    if not shape:
        raise stop(ctx.place, what, "an array without dimensions isn't taken", "take a number, or one element")
    return shape


def _made(ctx: Context, shape: Indices, value: Num | Whole | None, of: Kind, name: str = "t") -> Computed:
    """A new array of one number."""

    def fill(out: View) -> None:
        if value is not None:
            ctx.nest(out.shape, lambda idx: ctx.store(out, idx, value))

    return Computed(shape, of, fill, (), name)


def dtype(ctx: Context, args: Sequence[Value], named: Mapping[str, Value], at: int, usual: Kind) -> Kind:
    """The type that a call names, as `dtype` or at a place."""
    given = named.get("dtype") or (args[at] if len(args) > at else None)
    return usual if given is None or given == Static(None) else kind(ctx, given)


def _filled(value: int | None) -> Call:
    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        shape = shape_of(ctx, args[0] if args else named.get("shape", Static(None)), "a shape")
        of = dtype(ctx, args, named, 1, F64)
        return _made(ctx, shape, None if value is None else Num(value, of), of)

    return make


def _like(value: int | None) -> Call:
    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        a = operand(ctx, args[0])
        of = dtype(ctx, args, named, 1, a.kind.strong)
        shape = _with_axes(ctx, a.shape, "an array like this")
        return _made(ctx, shape, None if value is None else Num(value, of), of)

    return make


def _constant(ctx: Context, shape: Indices, v: Value, of: Kind | None) -> Value:
    a = array(ctx, v)
    a = as_type(ctx, a, of or a.kind.strong)
    return stretched(ctx, a, broadcast_shape(ctx, [a.shape, shape], "np.full"))


def _full(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    value = args[1] if len(args) > 1 else named["fill_value"]
    of = kind(ctx, named["dtype"]) if "dtype" in named else kind(ctx, args[2]) if len(args) > 2 else None
    return _constant(ctx, shape_of(ctx, args[0], "a shape"), value, of)


def _full_like(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = operand(ctx, args[0])
    return _constant(ctx, _with_axes(ctx, a.shape, "np.full_like"), args[1], dtype(ctx, args, named, 2, a.kind))


def copy(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """np.copy, np.array."""
    a = array(ctx, listed(ctx, args[0]))
    _with_axes(ctx, a.shape, "np.array of a number")
    return as_type(ctx, a, dtype(ctx, args, named, 1, a.kind.strong))


def _asarray(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, listed(ctx, args[0]))
    _with_axes(ctx, a.shape, "np.asarray of a number")
    of = dtype(ctx, args, named, 1, a.kind.strong)
    if a.kind.weak or of != a.kind:
        return as_type(ctx, a, of)
    return a


def _contiguous(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """np.ascontiguousarray: the array itself if its elements stand in a row, else a copy."""
    a = array(ctx, _asarray(ctx, args, named))
    return a if a.view is None or in_a_row(a.view) else replace(as_type(ctx, a, a.kind), copies=True)


def cast(ctx: Context, to: Static, args: Sequence[Value]) -> Value:
    """np.float32(x) and the like."""
    return as_type(ctx, array(ctx, args[0]), kind(ctx, to))


def _arange(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    later = next((k for k in named if k != "dtype"), None)
    if later is not None:
        raise stop(ctx.place, f"np.arange(.., {later}=..)", "what stands before it isn't given", "give all by place")
    lo, hi = (Integer(number(0)), args[0]) if len(args) == 1 else (args[0], args[1])
    step = args[2].value.constant if len(args) > 2 and isinstance(args[2], Integer) else 1 if len(args) < 3 else None
    if not isinstance(lo, Integer) or not isinstance(hi, Integer) or not step:
        raise stop(
            ctx.place, "np.arange", "its bounds are no integers, or its step isn't known now", "scale np.arange(n)"
        )
    first, by = lo.value, step
    count = (hi.value - first + (by - 1)).over(by) if by > 0 else (first - hi.value + (-by - 1)).over(-by)
    of = dtype(ctx, args, named, 3, I64)
    return Array((count,), of, lambda idx: _whole(first + idx[0] * by, of), cheap=True)


def _whole(p: Poly, of: Kind) -> Num | Whole:
    return Whole(p, of) if p.constant is None else Num(p.constant, of)


def _linspace(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    given = args[2] if len(args) > 2 else named.get("num", Integer(number(50)))
    if not isinstance(given, Integer):
        raise stop(ctx.place, "np.linspace", "how many numbers it has is computed from data", "pass it as a size")
    n = given.value
    lo, hi = array(ctx, args[0]), array(ctx, args[1])
    if lo.ndim or hi.ndim:
        raise stop(ctx.place, "np.linspace", "its ends are arrays", "write it with np.arange")
    found = kind_of(np.linspace(_sample(lo.kind), _sample(hi.kind), 2).dtype)
    assert found is not None
    usual, of = found, dtype(ctx, args, named, 5, found)
    ends = flag(ctx, named.get("endpoint", Static(True)), "np.linspace(.., endpoint=..)")
    first, last = (ctx.materialised(as_type(ctx, x, usual)) for x in (lo, hi))
    if ends and n.constant != 1:
        ctx.require(n - 2, "so that there are two ends", "np.linspace", "write np.array([..]) for one number")
    index = Array((n,), usual, lambda idx: _whole(idx[0], usual))
    parts = n - 1 if ends and n.constant != 1 else n
    step = ctx.materialised(apply(ctx, "divide", [apply(ctx, "subtract", [last, first]), Integer(parts)]))
    numbers = apply(ctx, "add", [apply(ctx, "multiply", [index, step]), first])
    if of.is_int:
        numbers, last = apply(ctx, "floor", [numbers]), apply(ctx, "floor", [last])
    all_, end = as_type(ctx, numbers, of), as_type(ctx, last, of)

    def fill(out: View) -> None:
        ctx.nest(out.shape, lambda idx: ctx.put(out, idx, all_.at(idx)))
        if ends and n.constant != 1:
            ctx.put(out, (n - 1,), end.at(()))

    return Computed((n,), of, fill, tuple(r.buffer for r in (*all_.reads, *end.reads)))


def _sample(k: Kind) -> Any:
    """A number of a kind, as NumPy gets it."""
    return (1.0 if k.is_float else 1) if k.weak else k.dtype.type(1)


def _eye(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    n = shape_of(ctx, args[0], "np.eye")[0]
    m = shape_of(ctx, args[1], "np.eye")[0] if len(args) > 1 else n
    of = dtype(ctx, args, named, 3, F64)
    if m != n:
        ctx.require(m - n, "so that the diagonal is inside", "np.eye", "make it square")

    def fill(out: View) -> None:
        ctx.nest(out.shape, lambda idx: ctx.store(out, idx, Num(0, of)))
        ctx.nest((n,), lambda idx: ctx.store(out, (idx[0], idx[0]), Num(1, of)))

    return Computed((n, m), of, fill, (), "t")


CALLS: Final[dict[str, Call]] = {
    "zeros": _filled(0), "ones": _filled(1), "empty": _filled(None), "ndarray": _filled(None),
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(None), "full": _full, "full_like": _full_like,
    "copy": copy, "array": copy, "asarray": _asarray, "ascontiguousarray": _contiguous, "conj": copy, "conjugate": copy,
    "arange": _arange, "linspace": _linspace, "eye": _eye, "identity": _eye,
}  # fmt: skip
"""Functions that make arrays, by what stands after `np.`."""
