"""NumPy's functions and the methods of arrays, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..control import number
from ..report import stop
from . import composed, gathers, making, products, reductions, shaping, stacking
from .arithmetic import chosen
from .context import Call, Context
from .elementwise import applied, apply, array, as_type, operand, strong, ufunc_name, where
from .indexing import transposed
from .kinds import F64, FLOAT, INT, PYTHON_BOOL, Kind, can_cast
from .making import TYPES, cast, kind
from .program import Cmp, Data, Num
from .stacking import listed
from .storing import assign
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
    reindexed,
    scalar,
)

CONSTANTS: Final = {"pi": math.pi, "e": math.e, "euler_gamma": 0.5772156649015329, "inf": math.inf, "nan": math.nan}
NOT_TAKEN: Final = {
    "linalg": "it solves or decomposes, which is no loop over elements",
    "fft": "it is a transform of its own, no loop over elements",
    "random": "its result isn't determined by its arguments",
    "nonzero": "how many elements it has depends on data",
    "unique": "how many elements it has depends on data",
    "argwhere": "how many elements it has depends on data",
    "flatnonzero": "how many elements it has depends on data",
    "sort": "the object language has no sorting",
    **dict.fromkeys(("argsort", "median", "percentile", "quantile", "partition"), "the object language has no sorting"),
    **dict.fromkeys(("searchsorted", "interp", "digitize"), "it searches a sorted array, in steps that depend on data"),
    **dict.fromkeys(("histogram", "bincount"), "how many elements it has, or its bins, depend on data"),
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
        return _outer(ctx, ufunc, args, named)
    if name in ACCUMULATED and len(args) == 3:
        return _accumulated(ctx, name, args)
    if ufunc is not None:
        return _ufunc(ctx, ufunc, args, named)
    head = name.partition(".")[0]
    if name in reductions.ACCUMULATE:
        return _reduced(ctx, reductions.ACCUMULATE[name], args, {"axis": Integer(number(0))} | dict(named))
    if name in CALLS:
        return _bound(ctx, name, args, named)
    real = reductions.NAMED.get(name, name)
    if real in reductions.SUMS or real in reductions.POSITIONS or real in reductions.RUNNING:
        return _reduced(ctx, real, args, named)
    if name in TYPES and len(args) == 1 and not named:
        return cast(ctx, Static(TYPES[name]), args)
    if head in NOT_TAKEN:
        raise stop(ctx.place, f"np.{name}", NOT_TAKEN[head], "compute it outside, and pass the result")
    raise stop(ctx.place, f"np.{name}", "the importer doesn't know this function", "write it as a loop")


TAKES: Final = {
    "zeros": "shape dtype", "ones": "shape dtype", "empty": "shape dtype", "ndarray": "shape dtype",
    "zeros_like": "a dtype", "ones_like": "a dtype", "empty_like": "a dtype", "full": "shape fill_value dtype",
    "full_like": "a fill_value dtype", "copy": "a", "array": "object dtype", "asarray": "a dtype",
    "ascontiguousarray": "a dtype", "conj": "x", "conjugate": "x", "arange": "start stop step * dtype",
    "linspace": "start stop num * endpoint dtype", "eye": "N M * dtype", "identity": "n * dtype",
    "reshape": "a shape", "ravel": "a", "transpose": "a axes", "swapaxes": "a axis1 axis2", "expand_dims": "a axis",
    "squeeze": "a axis", "flip": "m axis", "moveaxis": "a source destination", "flipud": "m", "fliplr": "m",
    "rot90": "m k", "broadcast_to": "array shape", "diag": "v", "stack": "arrays axis", "concatenate": "arrays axis",
    "append": "arr values axis", "roll": "a shift axis", "repeat": "a repeats axis", "tile": "A reps",
    "pad": "array pad_width mode * constant_values", "hstack": "tup", "vstack": "tup", "column_stack": "tup",
    "cross": "a b", "average": "a axis weights", "convolve": "a v mode", "correlate": "a v mode",
    "trapezoid": "y x * dx", "isclose": "a b * rtol atol", "allclose": "a b * rtol atol", "array_equal": "a1 a2",
    "fill_diagonal": "a val", "clip": "a min max * a_min a_max out", "round": "a decimals", "where": "condition x y",
    "dot": "a b out", "matmul": "x1 x2 out", "copyto": "dst src", "tensordot": "a b axes", "triu": "m k", "tril": "m k",
    "linalg.norm": "x * axis keepdims", "real": "val",
}  # fmt: skip
"""The arguments with which functions are taken, in NumPy's order; after `*` those that are given by name."""
LEAST: Final = {"swapaxes": 3, "moveaxis": 3} | dict.fromkeys(
    ("allclose", "append", "array_equal", "broadcast_to", "convolve", "copyto", "correlate", "cross", "dot",
     "expand_dims", "fill_diagonal", "full", "full_like", "isclose", "linspace", "matmul", "pad", "repeat", "reshape",
     "roll", "tensordot", "tile"), 2,
)  # fmt: skip
"""How many of these functions need, if more than one."""


def _bound(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """A call, if all of its arguments are known here."""
    if name in TAKES:
        places, _, others = TAKES[name].partition("*")
        allowed = [*places.split(), *others.split()]
        unknown = next((k for k in named if k not in allowed), None)
        if unknown is not None:
            raise stop(ctx.place, f"np.{name}(.., {unknown}=..)", "this argument isn't taken", "leave it out")
        if len(args) > len(places.split()):
            raise stop(ctx.place, f"np.{name}", f"it is taken with the arguments {places.strip()}", "leave others out")
        left = [p for p in places.split()[len(args) :] if p in named]
        first = places.split()[: len(args) + len(left)]
        if left and first[len(args) :] == left:
            args = [*args, *(named[p] for p in left)]
            named = {k: v for k, v in named.items() if k not in left}
        if len(args) < LEAST.get(name, 1):
            raise stop(ctx.place, f"np.{name}", "it gets too few arguments", "NumPy raises a TypeError here")
    return CALLS[name](ctx, args, named)


def method(
    ctx: Context, a: Array | Computed | Chosen, name: str, args: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """A call of a method of an array."""
    if isinstance(a, Chosen):
        return reductions.of_chosen(ctx, name, a, dict(named) | ({"axis": args[0]} if args else {}))
    if name in ("tolist", "tobytes", "view"):
        raise stop(ctx.place, f".{name}(..)", "it is no array of numbers of its own", "leave it to the caller")
    if name == "astype" and len(args) == 1 and not named:
        return as_type(ctx, ctx.lazy(a), kind(ctx, args[0]))
    if name == "fill" and len(args) == 1 and isinstance(a, Array) and a.view is not None:
        assign(ctx, a.view, array(ctx, args[0]))
        return Static(None)
    if name == "item" and not args and a.ndim == 0:
        of = PYTHON_BOOL if a.kind.is_bool else INT if a.kind.is_int else FLOAT
        return as_type(ctx, ctx.lazy(a), of)
    if name == "reshape":
        shape = args[0] if len(args) == 1 and isinstance(args[0], Tuple) else Tuple(tuple(args))
        return _bound(ctx, "reshape", [a, shape], named)
    if name == "transpose" and args:
        order = args[0] if len(args) == 1 and isinstance(args[0], Tuple) else Tuple(tuple(args))
        return _bound(ctx, "transpose", [a, order], named)
    if name in ("conj", "conjugate") and not args and not named:
        return a
    if name == "flatten":
        return as_type(ctx, array(ctx, _bound(ctx, "ravel", [a, *args], named)), a.kind)
    if name in (
        "copy",
        "ravel",
        "transpose",
        "swapaxes",
        "dot",
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


def _outer(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """np.add.outer and the like: each element of one array with each of another. Python's numbers become arrays."""
    if len(args) != 2 or named:
        raise stop(ctx.place, f"np.{name}.outer", "it is taken with two arguments", "write it with None as an index")
    a, b = (strong(ctx, v) for v in args)
    shape = (*a.shape, *(number(1) for _ in b.shape))
    return apply(ctx, name, [reindexed(a, tuple(Along(number(0), k) for k in range(a.ndim)), shape), b])


ACCUMULATED: Final = {"add.at": "+", "multiply.at": "*", "maximum.at": "max", "minimum.at": "min"}


def _accumulated(ctx: Context, name: str, args: Sequence[Value]) -> Value:
    """np.add.at and the like: one element after the other, so a place that stands twice is changed twice."""
    what = f"np.{name}"
    target, index, by = args
    at = list(index.items) if isinstance(index, Tuple) else [index]
    if not isinstance(target, Array) or not gathers.with_arrays(at):
        raise stop(ctx.place, what, "it is taken of an array and arrays of indices", "write a loop")
    found = operand(ctx, by, what)
    if target.kind.is_int and found.kind.is_float:
        raise stop(ctx.place, what, "integers get numbers of floating point, which NumPy refuses", "use astype")
    gathers.scattered(ctx, gathers.picked(ctx, target, at, what), found, ACCUMULATED[name])
    return Static(None)


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
    a = as_type(ctx, a, F64)
    a = a if a.cheap else ctx.materialised(a)
    apart = ctx.materialised(apply(ctx, "subtract", [a, reductions.reduction(ctx, "mean", a, _KEEP)]))
    total = products.matmul(ctx, apart, transposed(apart, (1, 0)))
    return apply(ctx, "divide", [total, Integer(a.shape[1] - 1)])


_KEEP: Final[dict[str, Value]] = {"axis": Integer(number(1)), "keepdims": Static(True)}
UNARY: Final = [
    "negative", "positive", "absolute", "square", "sign", "reciprocal", "logical_not", "invert", "rint", "floor",
    "ceil", "trunc", "sin", "cos", "tan", "sqrt", "exp", "log", "tanh", "sinh", "cosh", "arcsin", "arccos",
    "arctan", "exp2", "expm1", "log2", "log10", "log1p", "cbrt", "fabs",
]  # fmt: skip
"""Element-wise functions of one array."""


def _into(ctx: Context, out: Value, found: Array | Computed) -> Value:
    """`out=` of a function."""
    if not isinstance(out, Array) or out.view is None:
        raise stop(ctx.place, "out=", "it is no array that can be written", "assign to the array")
    if not can_cast(found.kind, out.kind):
        why = f"the result is {found.kind} and the array {out.kind}, which NumPy refuses to cast"
        raise stop(ctx.place, "out=", why, "convert with astype")
    assign(ctx, out.view, found)
    return out


def _reduced(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    options = dict(named)
    if not args:
        raise stop(ctx.place, f"np.{name}", "the array isn't given by place", "write it first, without its name")
    if len(args) > 2:
        raise stop(ctx.place, f"np.{name}", "more than the array and the axis are given by place", "name them")
    if len(args) > 1:
        options["axis"] = args[1]
    if isinstance(args[0], Chosen):
        return reductions.of_chosen(ctx, name, args[0], options)
    out = options.pop("out", None)
    if name in reductions.POSITIONS:
        found: Value = reductions.position(ctx, name, args[0], options)
    elif name in reductions.RUNNING:
        found = reductions.running(ctx, name, args[0], options)
    else:
        found = reductions.reduction(ctx, name, listed(ctx, args[0]), options)
    if out is None:
        return found
    made = operand(ctx, found)
    if isinstance(out, Array) and out.kind.name != made.kind.name:
        why = f"NumPy computes at the type of `out`, which is {out.kind}, and not {made.kind}"
        raise stop(ctx.place, f"np.{name}(.., out=..)", why, "name the type: dtype=.., and assign the result")
    return _into(ctx, out, made)


def _clip(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    lo = args[1] if len(args) > 1 else named.get("min", named.get("a_min", Static(None)))
    hi = args[2] if len(args) > 2 else named.get("max", named.get("a_max", Static(None)))
    found: Value = as_type(ctx, array(ctx, args[0]), array(ctx, args[0]).kind)
    if lo != Static(None):
        found = apply(ctx, "maximum", [found, lo])
    if hi != Static(None):
        found = apply(ctx, "minimum", [found, hi])
    return found if "out" not in named else _into(ctx, named["out"], operand(ctx, found))


def _round(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = array(ctx, args[0])
    digits = args[1].value.constant if len(args) > 1 and isinstance(args[1], Integer) else None if len(args) > 1 else 0
    if digits is None or digits < 0:
        raise stop(ctx.place, "np.round", "how many decimals isn't a number that is known now", "write it as a literal")
    if a.kind.is_int:
        return apply(ctx, "positive", [a])
    if not digits:
        return apply(ctx, "rint", [a])
    by = scalar(Num(float(10**digits), FLOAT))
    return apply(ctx, "divide", [apply(ctx, "rint", [apply(ctx, "multiply", [a, by])]), by])


def _where(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    if len(args) != 3:
        raise stop(ctx.place, "np.where", "how many elements it has depends on data", "give it both values")
    return boxed(where(ctx, args[0], args[1], args[2]))


def boxed(a: Array) -> Array:
    """An array that stays one where it has no dimensions."""
    return a if a.ndim else replace(a, boxed=True)


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
    _into(ctx, args[0], operand(ctx, args[1]))
    return Static(None)


def _einsum(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    for key in named:
        if key not in ("optimize", "out"):
            raise stop(ctx.place, f"np.einsum(.., {key}=..)", "this argument isn't taken", "leave it out")
    found = products.einsum(ctx, args)
    return found if "out" not in named else _into(ctx, named["out"], operand(ctx, found))


CALLS: Final[dict[str, Call]] = {
    **making.CALLS, **shaping.CALLS, **stacking.CALLS, **composed.CALLS,
    "clip": _clip, "round": _round, "where": _where,
    "dot": _dot, "matmul": _matmul, "copyto": _copyto,
    "inner": _fixed(products.inner, 2), "vdot": _fixed(products.inner, 2), "outer": _fixed(products.outer, 2),
    "trace": _fixed(products.trace, 1),
    "diagonal": _fixed(products.readable_diagonal, 1),
    "tensordot": lambda ctx, args, named: boxed(
        ctx.lazy(products.tensordot(ctx, args[0], args[1], args[2] if len(args) > 2 else named.get("axes")))
    ),
    "einsum": lambda ctx, args, named: _einsum(ctx, args, named),
    "triu": _triangle(True), "tril": _triangle(False), "cov": _fixed(_cov, 1),
    "diff": _fixed(reductions.difference, 1),
    "linalg.norm": lambda ctx, args, named: reductions.norm(ctx, args[0], dict(named)),
    "real": lambda ctx, args, named: args[0],
}  # fmt: skip
"""Functions that are no element-wise ones, by what stands after `np.`."""

PYTHON: Final[Mapping[str, Kind]] = {"float": FLOAT, "int": INT, "bool": PYTHON_BOOL}


def member(v: Member) -> str:
    """What stands after the module's name."""
    return v.path.partition(".")[2]
