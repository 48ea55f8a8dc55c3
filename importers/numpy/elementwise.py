"""Functions that NumPy applies element by element: broadcasting, promotion, and what each computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from ..control import Poly, number
from ..report import stop
from .context import Context
from .kinds import BOOL, INT, Kind, resolve
from .program import Bin, Cmp, Conv, Data, Elem, Fn, Logic, Neg, Not, Num, Select, Whole
from .values import Along, Array, Chosen, Computed, Indices, Integer, Static, Value, View, reindexed, scalar

Emit: TypeAlias = Callable[[Context, list[Data], Kind], Data]

# -- values as arrays -----------------------------------------------------------------------------------


def array(ctx: Context, v: Value, what: str = "this") -> Array:
    """A value as an array whose elements can be asked for."""
    return ctx.lazy(operand(ctx, v, what))


def operand(ctx: Context, v: Value, what: str = "this") -> Array | Computed:
    """A value as an array."""
    match v:
        case Array() | Computed():
            return v
        case Integer(value=p):
            return scalar(Whole(p, INT) if p.constant is None else Num(p.constant, INT))
        case Static(value=bool() as b):
            return scalar(Num(b, BOOL))
        case Chosen():
            why = "how many elements it has depends on data"
            raise stop(ctx.place, what, why, "write np.where(mask, .., 0), or assign under the mask")
        case _:
            why = "an array or number is needed"
            raise stop(ctx.place, what, why, "pass arrays and numbers")


def broadcast_shape(ctx: Context, shapes: Sequence[Indices], what: str) -> Indices:
    """The shape that arrays of these shapes have together."""
    out: list[Poly] = []
    for k in range(max(map(len, shapes), default=0), 0, -1):
        found = number(1)
        for s in shapes:
            if len(s) >= k and s[-k].constant != 1:
                found = s[-k] if found.constant == 1 else ctx.same(found, s[-k], what)
        out.append(found)
    return tuple(out)


def stretched(ctx: Context, a: Array, shape: Indices) -> Array:
    """An array in a larger shape. What isn't cheap is computed once for each of its own elements."""
    if a.ndim == len(shape) and all(
        (p.constant == 1) == (q.constant == 1) for p, q in zip(a.shape, shape, strict=True)
    ):
        return a
    more = len(shape) - a.ndim
    if a.ndim and not a.cheap:
        a = ctx.materialised(a)
    dims = []
    for k, e in enumerate(a.shape):
        single = e.constant == 1 and shape[more + k].constant != 1
        dims.append(Along(number(0), None if single else more + k))
    return reindexed(a, tuple(dims), shape)


# -- numbers --------------------------------------------------------------------------------------------


def converted(ctx: Context, e: Data, kind: Kind) -> Data:
    """A value at another type; a float as an integer is cut towards zero, as NumPy does it."""
    if isinstance(e, Num):
        return Num(_literal(ctx, e.value, kind), kind)
    if e.kind.name == kind.name:
        return e
    if isinstance(e, Whole):
        return whole_number(e.value, kind)
    if kind.is_bool:
        return Cmp("!=", e, Num(0, e.kind))
    if e.kind.is_bool:
        return chosen(ctx, e, lambda: Num(1, kind), lambda: Num(0, kind), kind)
    if e.kind.is_float and kind.is_int:
        return Conv(function(ctx, "trunc", [e], e.kind), kind)
    return Conv(e, kind)


def _literal(ctx: Context, value: int | float | bool, kind: Kind) -> int | float | bool:
    if kind.is_bool:
        return bool(value)
    if kind.is_int and isinstance(value, float):
        value = int(value)
    if kind.is_int:
        info = np.iinfo(kind.dtype)
        if not info.min <= value <= info.max:
            raise stop(ctx.place, str(value), f"it does not fit {kind}", "NumPy raises an OverflowError here")
        return int(value)
    if isinstance(value, float) and not math.isfinite(value):
        what = "nan" if math.isnan(value) else "inf"
        why = "the object language computes with numbers, and has no infinite literals"
        raise stop(ctx.place, what, why, "take a number that is large enough, or begin with the first element")
    return float(value)


def whole_number(value: Poly, kind: Kind) -> Data:
    """A control integer as a number; products of several are multiplied as numbers."""
    if value.is_affine():
        return Whole(value, kind)
    terms: list[Data] = []
    for m, c in value.terms:
        factors: list[Data] = [Num(c, kind)] if c != 1 or not m else []
        factors += [Whole(Poly((((a,), 1),)), kind) for a in m]
        term = factors[0]
        for f in factors[1:]:
            term = Bin("*", term, f, kind)
        terms.append(term)
    out = terms[0]
    for t in terms[1:]:
        out = Bin("+", out, t, kind)
    return out


def function(ctx: Context, name: str, args: Sequence[Data], kind: Kind) -> Data:
    """A call of an extern, which the file defines if it must."""
    ctx.procedure.externs.add(name)
    return Fn(name, tuple(args), kind)


def chosen(ctx: Context, cond: Data, yes: Callable[[], Data], no: Callable[[], Data], kind: Kind) -> Data:
    """One of two values: an expression, or a variable that a branch sets if a side takes statements."""
    if isinstance(cond, Num):
        return yes() if cond.value else no()
    with ctx.scratch() as extra:
        sides = yes(), no()
    if not extra and not any(s.kind.is_bool for s in sides):
        return Select(cond, *sides, kind)
    v = ctx.buffer("t", kind, ())
    ctx.branch(cond, lambda: ctx.put(v, (), yes()), lambda: ctx.put(v, (), no()))
    return Elem(v.buffer, (), kind)


# -- what functions compute -----------------------------------------------------------------------------


def _bin(op: str) -> Emit:
    return lambda ctx, args, kind: Bin(op, args[0], args[1], kind)


def _fn(name: str) -> Emit:
    return lambda ctx, args, kind: function(ctx, name, args, kind)


def _cmp(op: str) -> Emit:
    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        a, b = args
        if isinstance(a, Whole) and a.kind.weak and isinstance(b, Whole | Num) and b.kind == a.kind:
            q = b.value if isinstance(b, Whole) else number(int(b.value))
            return Cmp(op, a.value, q)
        if isinstance(b, Whole) and b.kind.weak and isinstance(a, Num) and a.kind == b.kind:
            return Cmp(op, number(int(a.value)), b.value)
        if a.kind.is_bool:
            what, why = f"`{op}` of truth values", "conditions are combined by and, or, not"
            raise stop(ctx.place, what, why, "write it with &, |, ~")
        return Cmp(op, a, b)

    return emit


def _logic(op: str, name: str) -> Emit:
    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        if kind.is_bool:
            return conjunction(op, args[0], args[1])
        return Bin(name, args[0], args[1], kind)

    return emit


def conjunction(op: str, a: Data, b: Data) -> Data:
    """`and` or `or`; what is known falls away."""
    neutral = op == "and"
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Num):
            return y if bool(x.value) == neutral else x
    return Logic(op, a, b)


def negation(a: Data) -> Data:
    """`not`."""
    if isinstance(a, Num):
        return Num(not a.value, BOOL)
    return a.arg if isinstance(a, Not) else Not(a)


def _power(ctx: Context, args: list[Data], kind: Kind) -> Data:
    base, exponent = args
    n = exponent.value if isinstance(exponent, Num) else None
    if n is not None and n == int(n) and 1 <= n <= 8:
        return product(base if isinstance(base, Elem | Num) or n == 1 else ctx.scalar(base), int(n), kind)
    if n == 0:
        return Num(1 if kind.is_int else 1.0, kind)
    if kind.is_int:
        raise stop(ctx.place, "`**` of integers", "the exponent is no number from 0 to 8", "convert to float first")
    if n == 0.5:
        return function(ctx, "sqrt", [base], kind)
    if n == -1:
        return Bin("/", Num(1.0, kind), base, kind)
    return function(ctx, "pow", args, kind)


def product(e: Data, n: int, kind: Kind) -> Data:
    """A power as a product."""
    out = e
    for _ in range(n - 1):
        out = Bin("*", out, e, kind)
    return out


def _remainder(ctx: Context, args: list[Data], kind: Kind) -> Data:
    if kind.is_float:
        return function(ctx, "floor_mod", args, kind)
    ctx.procedure.notes.append("integers are not divided by zero, for which NumPy has 0 and a warning")
    return Bin("%", args[0], args[1], kind)


def _floor_divide(ctx: Context, args: list[Data], kind: Kind) -> Data:
    if kind.is_float:
        return function(ctx, "floor_divide", args, kind)
    ctx.procedure.notes.append("integers are not divided by zero, for which NumPy has 0 and a warning")
    return Bin("//", args[0], args[1], kind)


def _extreme(name: str) -> Emit:
    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        ctx.procedure.notes.append("data is no NaN where the largest or smallest of several numbers is taken")
        return function(ctx, name, args, kind)

    return emit


def _sign(ctx: Context, args: list[Data], kind: Kind) -> Data:
    x = args[0] if isinstance(args[0], Elem) else ctx.scalar(args[0])
    zero = Num(0, kind)
    below = lambda: chosen(ctx, Cmp("<", x, zero), lambda: Num(-1, kind), lambda: zero, kind)  # noqa: E731
    return chosen(ctx, Cmp(">", x, zero), lambda: Num(1, kind), below, kind)


def _square(ctx: Context, args: list[Data], kind: Kind) -> Data:
    return _power(ctx, [args[0], Num(2, kind)], kind)


def _invert(ctx: Context, args: list[Data], kind: Kind) -> Data:
    return negation(args[0]) if kind.is_bool else Bin("-", Num(-1, kind), args[0], kind)


def _shift(op: str) -> Emit:
    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        ctx.procedure.notes.append("integers are shifted by less than their width")
        return Bin(op, args[0], args[1], kind)

    return emit


def _same(ctx: Context, args: list[Data], kind: Kind) -> Data:
    return args[0]


def _whole_already(name: str) -> Emit:
    """Functions that leave integers as they are."""
    return lambda ctx, args, kind: args[0] if kind.is_int else function(ctx, name, args, kind)


_NAMED: Final = {
    "sin": "sin", "cos": "cos", "tan": "tan", "sqrt": "sqrt", "exp": "expf", "log": "log", "tanh": "tanh",
    "sinh": "sinh", "cosh": "cosh", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "hypot": "hypot", "exp2": "exp2", "expm1": "expm1", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "cbrt": "cbrt", "fmod": "fmod", "fabs": "abs",
}  # fmt: skip
EMIT: Final[dict[str, Emit]] = {
    "add": _bin("+"), "subtract": _bin("-"), "multiply": _bin("*"), "divide": _bin("/"),
    "floor_divide": _floor_divide, "remainder": _remainder, "power": _power, "float_power": _power,
    "negative": lambda ctx, args, kind: Neg(args[0], kind), "positive": _same, "absolute": _fn("abs"),
    "square": _square, "sign": _sign, "reciprocal": lambda ctx, args, kind: Bin("/", Num(1.0, kind), args[0], kind),
    "maximum": _extreme("fmax"), "minimum": _extreme("fmin"), "fmax": _extreme("fmax"), "fmin": _extreme("fmin"),
    "less": _cmp("<"), "less_equal": _cmp("<="), "greater": _cmp(">"), "greater_equal": _cmp(">="),
    "equal": _cmp("=="), "not_equal": _cmp("!="),
    "bitwise_and": _logic("and", "&"), "bitwise_or": _logic("or", "|"),
    "logical_and": lambda ctx, args, kind: conjunction("and", args[0], args[1]),
    "logical_or": lambda ctx, args, kind: conjunction("or", args[0], args[1]),
    "logical_not": lambda ctx, args, kind: negation(args[0]), "invert": _invert,
    "bitwise_xor": _bin("^"), "right_shift": _shift(">>"), "left_shift": _shift("<<"),
    "rint": _fn("rint"), **{n: _whole_already(n) for n in ("floor", "ceil", "trunc")},
    **{name: _fn(extern) for name, extern in _NAMED.items()},
}  # fmt: skip
"""What element-wise functions compute of operands that were promoted."""
OTHER_NAMES: Final = {
    "abs": "absolute", "mod": "remainder", "true_divide": "divide", "pow": "power", "bitwise_not": "invert",
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2",
}  # fmt: skip
LOGICAL: Final = ("logical_and", "logical_or", "logical_not")
ARITHMETIC: Final = ("add", "subtract", "multiply", "negative", "absolute", "maximum", "minimum", "fmax", "fmin")
INTEGER_ONLY: Final = ("reciprocal", "power", "square")


def ufunc_name(name: str) -> str | None:
    """NumPy's own name of an element-wise function, if it is taken."""
    name = OTHER_NAMES.get(name, name)
    return name if name in EMIT else None


def _of_chosen(ctx: Context, name: str, args: Sequence[Value], picked: Sequence[Chosen], operator: bool) -> Chosen:
    """A function of elements under a mask: of all elements, under the mask."""
    one = picked[0]
    for a in args:
        alike = a.key == one.key if isinstance(a, Chosen) else operand(ctx, a).ndim == 0
        if not alike:
            raise stop(ctx.place, "elements under a mask", "how many there are depends on data", "use one mask for all")
    parts = [a.part if isinstance(a, Chosen) else a for a in args]
    return Chosen(array(ctx, apply(ctx, name, parts, operator)), one.mask, one.key)


def applied(ctx: Context, name: str, args: Sequence[Value], operator: bool = False) -> Array | Chosen:
    """An element-wise function of arrays, or of elements under a mask."""
    picked = [a for a in args if isinstance(a, Chosen)]
    return _of_chosen(ctx, name, args, picked, operator) if picked else apply(ctx, name, args, operator)


def apply(ctx: Context, name: str, args: Sequence[Value], operator: bool = False) -> Array:
    """An element-wise function of arrays: an array that is computed where it is used."""
    what = f"np.{name}" if not operator else "an operation"
    arrays = [array(ctx, a, what) for a in args]
    kinds = [a.kind for a in arrays]
    if name in LOGICAL:
        found: tuple[Kind, ...] | None = (*(BOOL for _ in kinds), BOOL)
    else:
        found = resolve(name, kinds, operator)
    if found is None:
        of = " and ".join(map(str, kinds))
        raise stop(ctx.place, what, f"there is no {name} of {of} among the types that are taken", "convert with astype")
    if found[0].is_bool and (name in ARITHMETIC or name in INTEGER_ONLY):
        why = f"{name} of truth values is not arithmetic in NumPy"
        raise stop(ctx.place, what, why, "convert with astype, or use &, | and ~")
    if name == "reciprocal" and found[0].is_int:
        raise stop(ctx.place, what, "of integers it is 0 but for 1 and -1", "convert to float first")
    shape = broadcast_shape(ctx, [a.shape for a in arrays], what)
    arrays = [stretched(ctx, a, shape) for a in arrays]
    ins, out, emit = found[:-1], found[-1], EMIT[name]
    folded = _folded(name, arrays, ins, out)
    if folded is not None:
        return scalar(folded)
    reads = tuple(r for a in arrays for r in a.reads)
    ats = [a.at for a in arrays]

    def at(idx: Indices) -> Data:
        wanted = [Kind(k.name, g.weak) if g.weak and operator else k for k, g in zip(ins, kinds, strict=True)]
        return emit(ctx, [_argument(ctx, x(idx), k, name) for x, k in zip(ats, wanted, strict=True)], out)

    return Array(shape, out, at, reads, None, cheap=False)


def _argument(ctx: Context, e: Data, kind: Kind, name: str) -> Data:
    compared = name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
    return e if compared and isinstance(e, Whole) and kind.weak and kind.is_int else converted(ctx, e, kind)


def _folded(name: str, arrays: Sequence[Array], ins: Sequence[Kind], out: Kind) -> Data | None:
    """The value of a function of constants."""
    if any(a.ndim for a in arrays):
        return None
    values = [a.at(()) if not a.reads and a.cheap else None for a in arrays]
    if not all(isinstance(v, Num) for v in values):
        return None
    given = [k.dtype.type(v.value) for v, k in zip(values, ins, strict=True) if isinstance(v, Num)]
    with np.errstate(all="ignore"):
        found: Any = getattr(np, name)(*given)
    found = found.item()
    if isinstance(found, float) and not math.isfinite(found):
        return None
    return Num(found, out)


def where(ctx: Context, cond: Value, yes: Value, no: Value) -> Array:
    """np.where of three arrays."""
    c, a, b = (array(ctx, v, "np.where") for v in (cond, yes, no))
    found = resolve("add", [a.kind, b.kind]) if not (a.kind.is_bool and b.kind.is_bool) else (BOOL, BOOL, BOOL)
    if found is None:
        raise stop(ctx.place, "np.where", f"there is no type for {a.kind} and {b.kind}", "convert with astype")
    kind = found[-1]
    shape = broadcast_shape(ctx, [c.shape, a.shape, b.shape], "np.where")
    c, a, b = (stretched(ctx, v, shape) for v in (c, a, b))

    def at(idx: Indices) -> Data:
        test = converted(ctx, c.at(idx), BOOL)
        sides = (lambda: converted(ctx, a.at(idx), kind)), (lambda: converted(ctx, b.at(idx), kind))
        return chosen(ctx, test, *sides, kind)

    return Array(shape, kind, at, (*c.reads, *a.reads, *b.reads), None, cheap=False)


def as_type(ctx: Context, a: Array, kind: Kind) -> Array:
    """astype: a copy at another type."""
    at = a.at
    return Array(a.shape, kind, lambda idx: converted(ctx, at(idx), kind), a.reads, None, cheap=a.cheap)


# -- storing --------------------------------------------------------------------------------------------


def assign(ctx: Context, target: View, value: Array | Computed, mask: Array | None = None) -> None:
    """Write an array to a place. The right side is complete before the first element is stored: where an element that
    is read may have been written, it is computed in a buffer of its own first."""
    if isinstance(value, Computed):
        plain = value.kind.name == target.buffer.kind.name and value.shape == target.shape and mask is None
        if plain and target.buffer not in value.reads:
            value.fill(target)
            return
        value = ctx.materialised(value)
    value = stretched(ctx, value, _fitting(ctx, value, target))
    if mask is not None and any(_clash(ctx, r, target) for r in mask.reads):
        mask = ctx.materialised(mask)
    if any(_clash(ctx, r, target) for r in value.reads):
        value = stretched(ctx, ctx.materialised(value), target.shape)
    kind, at = target.buffer.kind, value.at

    def put(idx: Indices) -> None:
        ctx.put(target, idx, converted(ctx, at(idx), kind))

    def element(idx: Indices) -> None:
        if mask is None:
            put(idx)
        else:
            ctx.branch(mask.at(idx), lambda: put(idx))

    ctx.nest(target.shape, element)


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
    if r.buffer is not target.buffer or r.dims == target.dims:
        return False
    if len(r.dims) != len(target.dims):
        return True
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
