"""What NumPy's element-wise functions compute of numbers, and how numbers are converted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from ..control import Poly, number
from ..report import stop
from .context import Context
from .kinds import BOOL, Kind
from .program import Bin, Cmp, Conv, Data, Elem, Fn, Logic, Neg, Not, Num, Select, Whole

Emit: TypeAlias = Callable[[Context, list[Data], Kind], Data]


def converted(ctx: Context, e: Data, kind: Kind) -> Data:
    """A value at another type; a float as an integer is cut towards zero, as NumPy does it."""
    if isinstance(e, Num):
        return Num(_literal(ctx, _as_held(e, kind), kind), kind)
    if e.kind.name == kind.name:
        return e
    if isinstance(e, Select) and of_literals(e) and e.kind.is_float:
        return Select(e.cond, converted(ctx, e.yes, kind), converted(ctx, e.no, kind), kind)
    if isinstance(e, Whole):
        if kind.is_int and not np.can_cast(e.kind.dtype, kind.dtype):
            if not e.kind.weak:
                return around(whole_number(e.value, e.kind), kind)
            _fits(ctx, e.value, kind)
        return whole_number(e.value, kind)
    if kind.is_bool:
        return Cmp("!=", e, Num(0, e.kind))
    if e.kind.is_bool:
        return chosen(ctx, e, lambda: Num(1, kind), lambda: Num(0, kind), kind)
    if e.kind.is_float and kind.is_int:
        return Conv(function(ctx, "trunc", [held(e)], e.kind), kind)
    if e.kind.is_int and kind.is_int and not np.can_cast(e.kind.dtype, kind.dtype):
        return around(held(e), kind)
    return Conv(held(e), kind)


def _as_held(e: Num, kind: Kind) -> int | float | bool:
    """A literal's value as it is at its own type, if that is one of NumPy's with fewer digits: np.float32(0.1)."""
    if isinstance(e.value, float) and e.kind.is_float and not e.kind.weak and e.kind.name != kind.name:
        return float(e.kind.dtype.type(e.value))
    return e.value


def of_literals(e: Data) -> bool:
    """Whether nothing in a value tells its type: the object language computes literals at that of what is around."""
    match e:
        case Num():
            return True
        case Bin(lhs=a, rhs=b) | Select(yes=a, no=b):
            return of_literals(a) and of_literals(b)
        case Neg(arg=a):
            return of_literals(a)
        case Fn(name=name, args=args):
            return not name.startswith("wrap_") and all(map(of_literals, args))
        case _:
            return False


def held(e: Data) -> Data:
    """A value at its type, whatever is around it."""
    return Conv(e, e.kind) if of_literals(e) and not e.kind.is_bool else e


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


def _fits(ctx: Context, p: Poly, kind: Kind) -> None:
    """A Python integer must be one of a type."""
    info, why = np.iinfo(kind.dtype), f"so that {p} is a {kind}"
    what, remedy = f"{p} as {kind}", "NumPy raises an OverflowError for one that does not fit; take a wider type"
    ctx.require(p - int(info.min), why, what, remedy)
    if info.bits < 64:
        ctx.require(number(int(info.max)) - p, why, what, remedy)


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


# -- integers that wrap around --------------------------------------------------------------------------


def around(e: Data, kind: Kind) -> Data:
    """An integer modulo 2 to the bits of a type, as NumPy stores it."""
    return Fn(f"wrap_{kind.name}", (_exact(e, kind),), kind)


def _exact(e: Data, kind: Kind) -> Data:
    """An operand of what wraps around as a whole."""
    if isinstance(e, Fn) and e.name == f"wrap_{kind.name}" and e.args[0].kind.name == kind.name:
        return e.args[0]
    return e


def may_wrap(kind: Kind, op: str = "+") -> bool:
    """Whether a result of NumPy's arithmetic is taken modulo 2 to the bits of its type. Python's own integers have no
    bits, and sums of 64-bit ones are assumed to fit."""
    return kind.is_int and not kind.weak and (kind.name != "i64" or op in ("*", "<<"))


def calculated(op: str, a: Data, b: Data, kind: Kind) -> Data:
    """A sum, difference, product or shift of two operands."""
    parts = _exact(a, kind), _exact(b, kind)
    found = Bin(op, *parts, kind)
    return around(found, kind) if parts != (a, b) or (may_wrap(kind, op) and not _of_sizes(found)) else found


def _of_sizes(e: Data) -> bool:
    """Whether a number is at most a product of two sizes, which fits 64 bits."""
    match e:
        case Bin(op=op, lhs=a, rhs=b, kind=Kind("i64")):
            return all(isinstance(x, Whole | Num) if op == "*" else _of_sizes(x) for x in (a, b))
        case Whole(value=p):
            return p.is_affine()
        case _:
            return isinstance(e, Num)


# -- what functions compute -----------------------------------------------------------------------------


def _bin(op: str) -> Emit:
    return lambda ctx, args, kind: Bin(op, args[0], args[1], kind)


def _calculated(op: str) -> Emit:
    return lambda ctx, args, kind: calculated(op, args[0], args[1], kind)


def _fn(name: str) -> Emit:
    return lambda ctx, args, kind: function(ctx, name, args, kind)


def _cmp(op: str) -> Emit:
    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        a, b = args
        p, q = _python_integer(a), _python_integer(b)
        if p is not None and q is not None:
            return Cmp(op, p, q)
        if p is not None:
            b, a = _beside(ctx, b, p)
        if q is not None:
            a, b = _beside(ctx, a, q)
        if a.kind.name != b.kind.name:
            what, why = f"`{op}` of {a.kind} and {b.kind}", "the object language has no type that holds both"
            raise stop(ctx.place, what, why, "convert one with astype")
        if a.kind.is_bool:
            a, b = (converted(ctx, x, Kind("u8")) for x in (a, b))
        return Cmp(op, held(a) if of_literals(b) else a, b)

    return emit


def _xor(ctx: Context, args: list[Data], kind: Kind) -> Data:
    return _cmp("!=")(ctx, args, kind) if kind.is_bool else Bin("^", args[0], args[1], kind)


def _python_integer(e: Data) -> Poly | None:
    if isinstance(e, Num) and e.kind.is_int and e.kind.weak:
        return number(int(e.value))
    return e.value if isinstance(e, Whole) and e.kind.weak and e.kind.is_int else None


def _beside(ctx: Context, e: Data, p: Poly) -> tuple[Data, Data]:
    """An element of integers and a Python integer, which may lie beyond its type, as what can be compared."""
    info = np.iinfo(e.kind.dtype)
    if p.constant is not None and info.min <= p.constant <= info.max:
        return e, Num(p.constant, e.kind)
    if e.kind.name == "u64":
        if not ctx.proves(p) or p.constant is not None:
            raise stop(ctx.place, f"a comparison with {p}", "it may lie beyond 64 bits without a sign", "convert both")
        return e, whole_number(p, e.kind)
    wide = Kind("i64")
    return converted(ctx, e, wide), whole_number(p, wide) if p.constant is None else Num(p.constant, wide)


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


def _power(ctx: Context, args: list[Data], kind: Kind, root: bool = True) -> Data:
    """A power; with `root`, one of 0.5 is a square root whatever its base is."""
    base, exponent = args
    n = exponent.value if isinstance(exponent, Num) else None
    if n is not None and n == int(n) and 1 <= n <= 8:
        return product(base if isinstance(base, Elem | Num) or n == 1 else ctx.scalar(base), int(n), kind)
    if n == 0:
        return Num(1 if kind.is_int else 1.0, kind)
    if kind.is_int:
        raise stop(ctx.place, "`**` of integers", "the exponent is no number from 0 to 8", "convert to float first")
    if n == 0.5 and (root or _never_negative(base)):
        return function(ctx, "sqrt", [base], kind)
    if n == -1:
        return Bin("/", Num(1.0, kind), base, kind)
    return function(ctx, "pow", args, kind)


def _exact_power(ctx: Context, args: list[Data], kind: Kind) -> Data:
    """A power as the C library's `pow` has it, also of -0.0 and -inf."""
    return _power(ctx, args, kind, root=False)


def _never_negative(e: Data) -> bool:
    """Whether a float is surely no -0.0 and not less than 0: a sum of squares."""
    match e:
        case Num(value=v):
            return v > 0
        case Bin(op="*", lhs=a, rhs=b):
            return a == b
        case Bin(op="+", lhs=a, rhs=b):
            return _never_negative(a) and _never_negative(b)
        case _:
            return False


def product(e: Data, n: int, kind: Kind) -> Data:
    """A power as a product."""
    out = e
    for _ in range(n - 1):
        out = calculated("*", out, e, kind)
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
    """np.maximum, np.minimum: NaN if an operand is. Of a literal and another, the extern gives the other."""

    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        if not kind.is_float or any(isinstance(a, Num) for a in args):
            return function(ctx, name, sorted(args, key=lambda a: not isinstance(a, Num)), kind)
        return function(ctx, {"fmax": "maximum", "fmin": "minimum"}[name], args, kind)

    return emit


def _numbers_only(name: str) -> Emit:
    """np.fmax, np.fmin: the operand that is a number, if one is NaN."""

    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        if kind.is_float:
            ctx.procedure.notes.append("data is no NaN where the largest or smallest of several numbers is taken")
        return function(ctx, name, args, kind)

    return emit


def _first(name: str) -> Emit:
    """Python's `max` and `min` of two numbers: the first one, unless the second is larger or smaller. In C that is what
    the extern gives, told in the other order."""
    return lambda ctx, args, kind: function(ctx, name, args[::-1], kind)


def _sign(ctx: Context, args: list[Data], kind: Kind) -> Data:
    """1, -1, 0 (also of -0.0), or the number itself, which is NaN."""
    x = args[0] if isinstance(args[0], Elem) else ctx.scalar(args[0])
    zero = Num(0, kind)
    level = lambda: chosen(ctx, Cmp("==", x, zero), lambda: zero, lambda: x, kind) if kind.is_float else x  # noqa: E731
    below = lambda: chosen(ctx, Cmp("<", x, zero), lambda: Num(-1, kind), level, kind)  # noqa: E731
    if kind.name[0] == "u":
        below = lambda: zero  # noqa: E731
    return chosen(ctx, Cmp(">", x, zero), lambda: Num(1, kind), below, kind)


def _square(ctx: Context, args: list[Data], kind: Kind) -> Data:
    return _power(ctx, [args[0], Num(2, kind)], kind)


def _invert(ctx: Context, args: list[Data], kind: Kind) -> Data:
    if kind.name[0] == "u":
        return Bin("^", args[0], Num(np.iinfo(kind.dtype).max, kind), kind)
    return negation(args[0]) if kind.is_bool else Bin("-", Num(-1, kind), args[0], kind)


def _shift(op: str) -> Emit:
    """A shift; by a number of bits that the type doesn't have it gives in NumPy what is left: 0, or -1 of a negative
    number that is shifted to the right."""

    def by(a: Data, n: Data, kind: Kind) -> Data:
        return calculated(op, a, n, kind) if op == "<<" else Bin(op, a, n, kind)

    def emit(ctx: Context, args: list[Data], kind: Kind) -> Data:
        a, n = args
        last = kind.dtype.itemsize * 8 - 1
        if isinstance(n, Num) and 0 <= n.value <= last:
            return by(a, n, kind)
        if kind.weak:
            ctx.procedure.notes.append("Python's own integers are shifted by less than 64 bits, and not by less than 0")
            return by(a, n, kind)
        n = n if isinstance(n, Elem | Num) else ctx.scalar(n)
        fits: Data = Cmp("<=", n, Num(last, kind))
        if kind.name[0] == "i":
            fits = Logic("and", Cmp(">=", n, Num(0, kind)), fits)
        if isinstance(n, Num):
            fits = Num(False, BOOL)
        if op == ">>" and kind.name[0] == "i":
            return by(a, chosen(ctx, fits, lambda: n, lambda: Num(last, kind), kind), kind)
        return chosen(ctx, fits, lambda: by(a, Bin("&", n, Num(last, kind), kind), kind), lambda: Num(0, kind), kind)

    return emit


def _negative(ctx: Context, args: list[Data], kind: Kind) -> Data:
    return around(Neg(_exact(args[0], kind), kind), kind) if may_wrap(kind) else Neg(args[0], kind)


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
    "add": _calculated("+"), "subtract": _calculated("-"), "multiply": _calculated("*"), "divide": _bin("/"),
    "floor_divide": _floor_divide, "remainder": _remainder, "power": _power, "float_power": _exact_power,
    "negative": _negative, "positive": _same, "absolute": _fn("abs"),
    "square": _square, "sign": _sign, "reciprocal": lambda ctx, args, kind: Bin("/", Num(1.0, kind), args[0], kind),
    "maximum": _extreme("fmax"), "minimum": _extreme("fmin"),
    "fmax": _numbers_only("fmax"), "fmin": _numbers_only("fmin"),
    "larger": _first("fmax"), "smaller": _first("fmin"),
    "less": _cmp("<"), "less_equal": _cmp("<="), "greater": _cmp(">"), "greater_equal": _cmp(">="),
    "equal": _cmp("=="), "not_equal": _cmp("!="),
    "bitwise_and": _logic("and", "&"), "bitwise_or": _logic("or", "|"),
    "logical_and": lambda ctx, args, kind: conjunction("and", args[0], args[1]),
    "logical_or": lambda ctx, args, kind: conjunction("or", args[0], args[1]),
    "logical_not": lambda ctx, args, kind: negation(args[0]), "invert": _invert,
    "bitwise_xor": _xor, "right_shift": _shift(">>"), "left_shift": _shift("<<"),
    "rint": _fn("rint"), **{n: _whole_already(n) for n in ("floor", "ceil", "trunc")},
    **{name: _fn(extern) for name, extern in _NAMED.items()},
}  # fmt: skip
"""What element-wise functions compute of operands that were promoted."""
OTHER_NAMES: Final = {
    "abs": "absolute", "mod": "remainder", "true_divide": "divide", "pow": "power", "bitwise_not": "invert",
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2",
}  # fmt: skip
PYTHONS: Final = {"larger": "maximum", "smaller": "minimum"}
"""Functions of Python, and NumPy's of the same types."""
LOGICAL: Final = ("logical_and", "logical_or", "logical_not")
ARITHMETIC: Final = ("add", "subtract", "multiply", "negative", "absolute", "maximum", "minimum", "fmax", "fmin")
INTEGER_ONLY: Final = ("reciprocal", "power", "square")
