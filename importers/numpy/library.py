"""NumPy's functions and the methods of arrays, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from ..control import Poly, number
from ..report import stop
from . import products, reductions
from .context import Context
from .elementwise import (
    applied,
    apply,
    array,
    as_type,
    assign,
    broadcast_shape,
    chosen,
    operand,
    stretched,
    ufunc_name,
    where,
)
from .indexing import reshaped, transposed
from .kinds import BOOL, DTYPES, F64, FLOAT, I64, INT, Kind, resolve
from .program import Cmp, Data, Num, Whole
from .reductions import axis_number, computed
from .values import (
    Along,
    Array,
    Chosen,
    Computed,
    Indices,
    Integer,
    Member,
    Static,
    Tuple,
    Value,
    View,
    reindexed,
    scalar,
)

Call: TypeAlias = Callable[[Context, Sequence[Value], Mapping[str, Value]], Value]

CONSTANTS: Final = {"pi": math.pi, "e": math.e, "euler_gamma": 0.5772156649015329, "inf": math.inf, "nan": math.nan}
TYPES: Final = {name: Kind(short) for short, name in DTYPES.items()} | {
    "bool_": BOOL, "double": F64, "single": Kind("f32"), "int_": I64, "intp": I64, "float_": F64, "uint": Kind("u64"),
}  # fmt: skip
NOT_TAKEN: Final = {
    "linalg": "it solves or decomposes, which is no loop over elements",
    "fft": "it is a transform of its own, no loop over elements",
    "random": "its result isn't determined by its arguments",
    "nonzero": "how many elements it has depends on data",
    "unique": "how many elements it has depends on data",
    "argwhere": "how many elements it has depends on data",
    "flatnonzero": "how many elements it has depends on data",
    "sort": "the object language has no sorting",
    "argsort": "the object language has no sorting",
}


def constant(name: str) -> Value | None:
    """A constant or type of NumPy or math."""
    if name in CONSTANTS:
        return scalar(Num(CONSTANTS[name], FLOAT))
    if name == "newaxis":
        return Static(None)
    return Static(TYPES[name]) if name in TYPES else None


def call(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """A call of a function of NumPy; `name` is without `numpy.` in front."""
    ufunc = ufunc_name(name.removesuffix(".outer"))
    if ufunc is not None and name.endswith(".outer"):
        return _outer(ctx, ufunc, args)
    if ufunc is not None:
        return _ufunc(ctx, ufunc, args, named)
    head = name.partition(".")[0]
    if name in CALLS:
        return CALLS[name](ctx, args, named)
    real = reductions.NAMED.get(name, name)
    if real in reductions.SUMS or real in reductions.POSITIONS or real in reductions.RUNNING:
        return _reduced(ctx, real, args, named)
    if name in TYPES:
        return _cast(ctx, Static(TYPES[name]), args)
    if head in NOT_TAKEN:
        raise stop(ctx.place, f"np.{name}", NOT_TAKEN[head], "compute it outside, and pass the result")
    raise stop(ctx.place, f"np.{name}", "the importer doesn't know this function", "write it as a loop")


def method(
    ctx: Context, a: Array | Computed | Chosen, name: str, args: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """A call of a method of an array."""
    if isinstance(a, Chosen):
        return reductions.of_chosen(ctx, name, a, dict(named))
    if name == "astype" and args:
        return as_type(ctx, ctx.lazy(a), kind(ctx, args[0]))
    if name == "fill" and len(args) == 1 and isinstance(a, Array) and a.view is not None:
        assign(ctx, a.view, array(ctx, args[0]))
        return Static(None)
    if name == "item" and not args and a.ndim == 0:
        return a
    if name == "reshape":
        shape = args[0] if len(args) == 1 and isinstance(args[0], Tuple) else Tuple(tuple(args))
        return CALLS["reshape"](ctx, [a, shape], named)
    if name == "transpose" and args:
        order = args[0] if len(args) == 1 and isinstance(args[0], Tuple) else Tuple(tuple(args))
        return CALLS["transpose"](ctx, [a, order], named)
    if name == "flatten":
        return as_type(ctx, array(ctx, CALLS["ravel"](ctx, [a], named)), a.kind)
    if name in (
        "copy",
        "ravel",
        "transpose",
        "swapaxes",
        "dot",
        "conj",
        "conjugate",
        "clip",
        "round",
        "squeeze",
        "trace",
        "diagonal",
    ):
        return call(ctx, name, [a, *args], named)
    if name in reductions.SUMS or name in reductions.POSITIONS or name in reductions.RUNNING:
        return _reduced(ctx, name, [a, *args], named)
    raise stop(ctx.place, f".{name}(..)", "the importer doesn't know this method", "write it as a loop")


def _ufunc(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    for key in named:
        if key != "out":
            raise stop(ctx.place, f"np.{name}(.., {key}=..)", "this argument isn't taken", "write it in another way")
    arity = 1 if name in UNARY else 2
    out = named.get("out") or (args[arity] if len(args) > arity else None)
    if len(args) < arity:
        raise stop(ctx.place, f"np.{name}", f"it takes {arity} arguments", "NumPy raises a TypeError here")
    found = applied(ctx, name, args[:arity])
    return found if out is None else _into(ctx, out, operand(ctx, found))


def _outer(ctx: Context, name: str, args: Sequence[Value]) -> Value:
    """np.add.outer and the like: each element of one array with each of another."""
    a, b = array(ctx, args[0]), array(ctx, args[1])
    shape = (*a.shape, *(number(1) for _ in b.shape))
    return apply(ctx, name, [reindexed(a, tuple(Along(number(0), k) for k in range(a.ndim)), shape), b])


def _triangle(upper: bool) -> Call:
    """np.triu, np.tril: 0 on the other side of a diagonal."""

    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        a = array(ctx, args[0])
        k = args[1] if len(args) > 1 else named.get("k", Integer(number(0)))
        if a.ndim != 2 or not isinstance(k, Integer):
            raise stop(ctx.place, "np.triu", "it is taken of matrices", "write np.where")
        at, of, by = a.at, a.kind.strong, k.value

        def element(idx: Indices) -> Data:
            inside = Cmp(">=" if upper else "<=", idx[1], idx[0] + by)
            return chosen(ctx, inside, lambda: at(idx), lambda: Num(0, of), of)

        return Array(a.shape, of, element, a.reads, None, cheap=False)

    return make


def _cov(ctx: Context, v: Value) -> Value:
    """np.cov of rows of samples."""
    a = array(ctx, v)
    if a.ndim != 2:
        raise stop(ctx.place, "np.cov", "it is taken of matrices", "write it with @")
    ctx.require(a.shape[0] - 2, "so that the covariance is a matrix", "np.cov", "of one row NumPy gives a number")
    apart = ctx.materialised(apply(ctx, "subtract", [a, reductions.reduction(ctx, "mean", a, _KEEP)]))
    total = products.matmul(ctx, apart, transposed(apart, (1, 0)))
    return apply(ctx, "divide", [total, Integer(a.shape[1] - 1)])


_KEEP: Final[dict[str, Value]] = {"axis": Integer(number(1)), "keepdims": Static(True)}
UNARY: Final = [
    "negative",
    "positive",
    "absolute",
    "square",
    "sign",
    "reciprocal",
    "logical_not",
    "invert",
    "rint",
    "floor",
    "ceil",
    "trunc",
    "sin",
    "cos",
    "tan",
    "sqrt",
    "exp",
    "log",
    "tanh",
    "sinh",
    "cosh",
    "arcsin",
    "arccos",
    "arctan",
    "exp2",
    "expm1",
    "log2",
    "log10",
    "log1p",
    "cbrt",
    "fabs",
]


def _into(ctx: Context, out: Value, found: Array | Computed) -> Value:
    """`out=` of a function."""
    if not isinstance(out, Array) or out.view is None:
        raise stop(ctx.place, "out=", "it is no array that can be written", "assign to the array")
    assign(ctx, out.view, found)
    return out


def _reduced(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    options = dict(named)
    if isinstance(args[0], Chosen):
        return reductions.of_chosen(ctx, name, args[0], options)
    out = options.pop("out", None)
    if len(args) > 1:
        options["axis"] = args[1]
    if name in reductions.POSITIONS:
        found: Value = reductions.position(ctx, name, args[0], options)
    elif name in reductions.RUNNING:
        found = reductions.running(ctx, name, args[0], options)
    else:
        found = reductions.reduction(ctx, name, _list(ctx, args[0]), options)
    return found if out is None else _into(ctx, out, operand(ctx, found))


def _list(ctx: Context, v: Value) -> Value:
    return _stack_of(ctx, v.items, 0) if isinstance(v, Tuple) else v


def kind(ctx: Context, v: Value) -> Kind:
    """A type that is named by NumPy, Python or a text."""
    found = v.value if isinstance(v, Static) else None
    if isinstance(found, str) and found in TYPES:
        return TYPES[found]
    if isinstance(found, Kind):
        return found.strong
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
    return tuple(out)


def _made(ctx: Context, shape: Indices, value: Num | Whole | None, of: Kind, name: str = "t") -> Computed:
    """A new array of one number."""

    def fill(out: View) -> None:
        if value is not None:
            ctx.nest(out.shape, lambda idx: ctx.store(out, idx, value))

    return Computed(shape, of, fill, (), name)


def _dtype(ctx: Context, args: Sequence[Value], named: Mapping[str, Value], at: int, usual: Kind) -> Kind:
    given = named.get("dtype") or (args[at] if len(args) > at else None)
    return usual if given is None or given == Static(None) else kind(ctx, given)


def _filled(value: int | None) -> Call:
    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        shape = shape_of(ctx, args[0] if args else named.get("shape", Static(None)), "a shape")
        of = _dtype(ctx, args, named, 1, F64)
        return _made(ctx, shape, None if value is None else Num(value, of), of)

    return make


def _like(value: int | None) -> Call:
    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        a = operand(ctx, args[0])
        of = _dtype(ctx, args, named, 1, a.kind.strong)
        return _made(ctx, a.shape, None if value is None else Num(value, of), of)

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
    return _constant(ctx, a.shape, args[1], _dtype(ctx, args, named, 2, a.kind))


def _copy(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, _list(ctx, args[0]))
    return as_type(ctx, a, _dtype(ctx, args, named, 1, a.kind.strong))


def _asarray(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, _list(ctx, args[0]))
    of = _dtype(ctx, args, named, 1, a.kind.strong)
    return a if of == a.kind else as_type(ctx, a, of)


def _cast(ctx: Context, to: Static, args: Sequence[Value]) -> Value:
    return as_type(ctx, array(ctx, args[0]), kind(ctx, to))


def _arange(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    lo, hi = (Integer(number(0)), args[0]) if len(args) == 1 else (args[0], args[1])
    step = args[2].value.constant if len(args) > 2 and isinstance(args[2], Integer) else 1 if len(args) < 3 else None
    if not isinstance(lo, Integer) or not isinstance(hi, Integer) or not step:
        raise stop(
            ctx.place, "np.arange", "its bounds are no integers, or its step isn't known now", "scale np.arange(n)"
        )
    first, by = lo.value, step
    count = (hi.value - first + (by - 1)).over(by) if by > 0 else (first - hi.value + (-by - 1)).over(-by)
    of = _dtype(ctx, args, named, 3, I64)
    return Array((count,), of, lambda idx: _whole(first + idx[0] * by, of), cheap=True)


def _whole(p: Poly, of: Kind) -> Num | Whole:
    return Whole(p, of) if p.constant is None else Num(p.constant, of)


def _linspace(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    n = args[2].value if len(args) > 2 and isinstance(args[2], Integer) else number(50)
    of = _dtype(ctx, args, named, 5, F64)
    lo, hi = array(ctx, args[0]), array(ctx, args[1])
    index = Array((n,), F64, lambda idx: _whole(idx[0], F64))
    ends = named.get("endpoint", Static(True)) == Static(True)
    step = apply(ctx, "divide", [apply(ctx, "subtract", [hi, lo]), Integer(n - 1 if ends else n)])
    if step.cheap is False:
        step = ctx.materialised(step)
    return as_type(ctx, apply(ctx, "add", [apply(ctx, "multiply", [index, step]), lo]), of)


def _eye(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    n = shape_of(ctx, args[0], "np.eye")[0]
    m = shape_of(ctx, args[1], "np.eye")[0] if len(args) > 1 else n
    of = _dtype(ctx, args, named, 3, F64)
    if m != n:
        ctx.require(m - n, "so that the diagonal is inside", "np.eye", "make it square")

    def fill(out: View) -> None:
        ctx.nest(out.shape, lambda idx: ctx.store(out, idx, Num(0, of)))
        ctx.nest((n,), lambda idx: ctx.store(out, (idx[0], idx[0]), Num(1, of)))

    return Computed((n, m), of, fill, (), "t")


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


def _clip(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    lo = args[1] if len(args) > 1 else named.get("min", Static(None))
    hi = args[2] if len(args) > 2 else named.get("max", Static(None))
    found: Value = args[0]
    if lo != Static(None):
        found = apply(ctx, "maximum", [found, lo])
    if hi != Static(None):
        found = apply(ctx, "minimum", [found, hi])
    return found


def _round(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    if len(args) > 1 or named:
        raise stop(ctx.place, "np.round", "it rounds to digits", "scale, take np.rint, and scale back")
    a = array(ctx, args[0])
    return apply(ctx, "positive" if a.kind.is_int else "rint", [a])


def _where(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    if len(args) != 3:
        raise stop(ctx.place, "np.where", "how many elements it has depends on data", "give it both values")
    return where(ctx, args[0], args[1], args[2])


def _stack_of(ctx: Context, items: Sequence[Value], axis: int) -> Computed:
    """Arrays of one shape side by side along a new axis."""
    arrays = [array(ctx, _list(ctx, v)) for v in items]
    shape = broadcast_shape(ctx, [a.shape for a in arrays], "np.stack")
    out_shape = (*shape[:axis], number(len(arrays)), *shape[axis:])
    of = _common(ctx, arrays)

    def fill(out: View) -> None:
        for n, a in enumerate(arrays):
            dims = [Along(number(0), k) for k in range(len(shape))]
            here = (*dims[:axis], Along(number(n)), *dims[axis:])
            assign(ctx, out.after(tuple(here), shape), as_type(ctx, a, of))

    return computed(arrays, out_shape, of, fill)


def _common(ctx: Context, arrays: Sequence[Array]) -> Kind:
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
    return _stack_of(ctx, items, axis_number(ctx, axis, ndim, "np.stack"))


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
    of = _common(ctx, arrays)

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


def _fixed(f: Callable[..., Value], count: int) -> Call:
    """A function of so many arrays."""

    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        if len(args) != count or named:
            raise stop(ctx.place, "a call", f"it is taken with {count} arguments", "write it in another way")
        return f(ctx, *args)

    return make


def _dot(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    found = products.dot(ctx, args[0], args[1])
    return _product_into(ctx, found, args, named)


def _matmul(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    return _product_into(ctx, products.matmul(ctx, args[0], args[1]), args, named)


def _product_into(ctx: Context, found: Value, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    out = named.get("out") or (args[2] if len(args) > 2 else None)
    return found if out is None else _into(ctx, out, operand(ctx, found))


def _copyto(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    return _into(ctx, args[0], operand(ctx, args[1]))


CALLS: Final[dict[str, Call]] = {
    "zeros": _filled(0), "ones": _filled(1), "empty": _filled(None), "ndarray": _filled(None),
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(None), "full": _full, "full_like": _full_like,
    "copy": _copy, "array": _copy, "asarray": _asarray, "ascontiguousarray": _asarray,
    "arange": _arange, "linspace": _linspace, "eye": _eye, "identity": _eye,
    "reshape": _reshape, "ravel": _ravel, "transpose": _transpose, "swapaxes": _swapaxes,
    "expand_dims": _expand_dims, "squeeze": _squeeze, "flip": _flip, "clip": _clip, "round": _round,
    "where": _where, "stack": _stack, "concatenate": _concatenate, "hstack": _hstack,
    "vstack": lambda ctx, args, named: _concatenate(ctx, args, {}),
    "dot": _dot, "matmul": _matmul, "copyto": _copyto,
    "inner": _fixed(products.inner, 2), "vdot": _fixed(products.inner, 2), "outer": _fixed(products.outer, 2),
    "multiply.outer": _fixed(products.outer, 2), "trace": _fixed(products.trace, 1),
    "diagonal": _fixed(lambda ctx, a: products.diagonal(array(ctx, a)), 1),
    "tensordot": lambda ctx, args, named: products.tensordot(
        ctx, args[0], args[1], args[2] if len(args) > 2 else named.get("axes")
    ),
    "einsum": lambda ctx, args, named: products.einsum(ctx, args),
    "triu": _triangle(True), "tril": _triangle(False), "cov": _fixed(_cov, 1),
    "diff": _fixed(reductions.difference, 1),
    "linalg.norm": lambda ctx, args, named: reductions.norm(ctx, args[0], dict(named)),
    "conj": _copy, "conjugate": _copy,
    "real": lambda ctx, args, named: args[0],
}  # fmt: skip
"""Functions that are no element-wise ones, by what stands after `np.`."""

PYTHON: Final[Mapping[str, Kind]] = {"float": FLOAT, "int": INT, "bool": BOOL}


def member(v: Member) -> str:
    """What stands after the module's name."""
    return v.path.partition(".")[2]
