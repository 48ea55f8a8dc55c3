"""Functions that NumPy applies element by element: broadcasting and promotion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..control import Poly, number
from ..report import stop
from .arithmetic import ARITHMETIC, EMIT, INTEGER_ONLY, LOGICAL, OTHER_NAMES, PYTHONS, chosen, converted
from .context import Context
from .kinds import BOOL, INT, PYTHON_BOOL, Kind, resolve
from .program import Data, Num, Whole
from .values import Along, Array, Chosen, Computed, Indices, Integer, Static, Tuple, Value, reindexed, scalar

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
            return scalar(Num(b, PYTHON_BOOL))
        case Chosen():
            why = "how many elements it has depends on data"
            raise stop(ctx.place, what, why, "write np.where(mask, .., 0), or assign under the mask")
        case Tuple(items=items) if items:
            from .stacking import stack_of

            return stack_of(ctx, items, 0)
        case _:
            raise stop(ctx.place, what, "an array or number is needed", "pass arrays and numbers")


def flag(ctx: Context, v: Value, what: str) -> bool:
    """A flag of a call, which Python may give as a number."""
    match v:
        case Static(value=bool() as found):
            return found
        case Integer(value=p) if p.constant is not None:
            return p.constant != 0
        case _:
            raise stop(ctx.place, what, "it is neither True nor False as far as is known now", "write True or False")


def strong(ctx: Context, v: Value, what: str = "this") -> Array:
    """A value as an array, as `np.asarray` makes one: Python's numbers are int64 and float64 then."""
    a = array(ctx, v, what)
    return replace(a, kind=a.kind.strong)


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


# -- functions --------------------------------------------------------------------------------------


def ufunc_name(name: str) -> str | None:
    """NumPy's own name of an element-wise function, if it is taken."""
    name = OTHER_NAMES.get(name, name)
    return name if name in EMIT and name not in PYTHONS else None


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
    if operator:
        _of_numpy(ctx, args)
    arrays = [array(ctx, a, what) for a in args]
    kinds = [a.kind for a in arrays]
    if name in LOGICAL:
        found: tuple[Kind, ...] | None = (*(BOOL for _ in kinds), BOOL)
    else:
        found = resolve(PYTHONS.get(name, name), kinds, operator)
    if found is None:
        of = " and ".join(map(str, kinds))
        raise stop(ctx.place, what, f"there is no {name} of {of} among the types that are taken", "convert with astype")
    if found[0].is_bool and (name in ARITHMETIC or name in INTEGER_ONLY):
        why = f"{name} of truth values is not arithmetic in NumPy"
        raise stop(ctx.place, what, why, "convert with astype, or use &, | and ~")
    if name == "power" and kinds[0].is_bool:
        raise stop(ctx.place, what, "of truth values it has another type than of integers", "convert with astype")
    if name == "invert" and kinds[0] == PYTHON_BOOL:
        raise stop(ctx.place, what, "`~` of a Python bool is an integer", "write `not`")
    if name == "reciprocal" and found[0].is_int:
        raise stop(ctx.place, what, "of integers it is 0 but for 1 and -1", "convert to float first")
    if name == "fmod" and found[0].is_int:
        raise stop(ctx.place, what, "of integers it isn't taken", "convert to float first")
    shape = broadcast_shape(ctx, [a.shape for a in arrays], what)
    ins, out, emit = found[:-1], found[-1], EMIT[_of_power(arrays, operator) if name == "power" else name]
    arrays = [stretched(ctx, a, shape) for a in arrays]
    folded = _folded(name, arrays, ins, out)
    if folded is not None:
        return scalar(folded)
    reads = tuple(r for a in arrays for r in a.reads)
    ats = [a.at for a in arrays]

    def at(idx: Indices) -> Data:
        wanted = [
            Kind(k.name, g.weak) if g.weak and (operator or out.is_bool) else k for k, g in zip(ins, kinds, strict=True)
        ]
        return emit(ctx, [_argument(ctx, x(idx), k, name) for x, k in zip(ats, wanted, strict=True)], out)

    return Array(shape, out, at, reads, None, cheap=False)


def _of_power(arrays: Sequence[Array], operator: bool) -> str:
    """How NumPy raises to a power: to one number it may be by a square root, `**` of two numbers and powers by element
    are the C library's `pow`, which differs for -0.0 and -inf."""
    one = arrays[1].ndim == 0 and not (operator and arrays[0].ndim == 0)
    return "power" if one else "float_power"


def _of_numpy(ctx: Context, args: Sequence[Value]) -> None:
    """Operators of tuples and lists are NumPy's only beside an array or number of NumPy."""
    if any(isinstance(a, Tuple) for a in args) and not any(
        isinstance(a, Array | Computed) and (a.ndim or not a.kind.weak) for a in args
    ):
        why = "of tuples and lists it is Python's own, which isn't taken"
        raise stop(ctx.place, "an operation", why, "make an array before: a = np.array([..])")


def _argument(ctx: Context, e: Data, kind: Kind, name: str) -> Data:
    compared = name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
    weak = isinstance(e, Whole | Num) and e.kind.weak and e.kind.is_int
    return e if compared and weak and kind.is_int else converted(ctx, e, kind)


def _folded(name: str, arrays: Sequence[Array], ins: Sequence[Kind], out: Kind) -> Data | None:
    """The value of a function of constants."""
    if any(a.ndim for a in arrays) or name in PYTHONS:
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
