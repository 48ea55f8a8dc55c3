"""C's conversions of data, made explicit, and arithmetic on operands that agree.

The object language computes at one precision what C computes at one type. An integer must fit where it goes: where C
would wrap or cut off bits, the program isn't taken.
"""

from __future__ import annotations

from ..report import Place, stop
from .functions import known
from .literals import computed, converted, fits_single
from .program import Arithmetic, Chosen, Compare, Converted, Data, Extern, Lit, Negative, Read, Scalar, Whole
from .types import F32, F64, I32, I64, Float, Int, Number, common, precision

Range = tuple[int, int]
EXACT = ("+", "-", "*", "/")
BITS = ("&", "|", "^", ">>")
"""Operators on integers that the object language has as C does."""
DIVISIONS = {"/": ("//", "tdiv"), "%": ("%", "tmod")}
"""Operators on integers that C cuts towards zero: what says so where nothing is negative, and what does anyway."""


def convert(e: Data, to: Number, place: Place) -> Data:
    """A value at another type, as C converts it."""
    if e.type == to:
        return e
    match e:
        case Lit(value=value, type=t):
            found = converted(value, t, to)
            if found is None:
                raise stop(place, f"{value} as {to}", "C doesn't say what that is", "")
            return Lit(found, to)
        case Whole(value=value) if isinstance(to, Float) or _holds(to, e.type):
            return Whole(value, to)
        case Chosen(cond=cond, yes=yes, no=no) if isinstance(e.type, Float) and not _has_type(e):
            # literals would be computed with at the precision to which they are converted
            return Chosen(cond, convert(yes, to, place), convert(no, to, place), to)
    if isinstance(to, Int) and to.truth and (isinstance(e.type, Float) or not _inside(value_range(e), to.range)):
        return Chosen(Compare("!=", e, Lit(0 if isinstance(e.type, Int) else 0.0, e.type)), Lit(1, to), Lit(0, to), to)
    if isinstance(to, Int):
        if isinstance(e.type, Float):
            return Converted(Extern("trunc", (typed(e),), e.type), to)
        if not _inside(value_range(e), to.range):
            return wrapped(e, to)
    return Converted(e, to)


def stored(e: Data, to: Number, place: Place) -> Data:
    """A value for a place of a type: a store converts by itself."""
    found = convert(e, to, place)
    narrow = single(e) if to == F32 and e.type == F64 else None
    if narrow is not None:
        return narrow
    return found.arg if isinstance(found, Converted) else found


def _holds(to: Int, source: Number) -> bool:
    return isinstance(source, Int) and _inside(source.range, to.range)


def _inside(inner: Range, outer: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def arithmetic(op: str, a: Data, b: Data, place: Place) -> Data:
    """`a op b` at C's common type of the two."""
    t = common(a.type, b.type)
    if op in ("<<", ">>"):
        t = common(a.type, I32) if isinstance(a.type, Int) else t
    x, y = convert(a, t, place), convert(b, t, place)
    if isinstance(x, Lit) and isinstance(y, Lit):
        found = computed(op, x.value, y.value, t)
        if found is None:
            why = "C doesn't say what this constant is" if isinstance(t, Int) else "this constant is no finite number"
            raise stop(place, f"{x.value} {op} {y.value}", why, "")
        return Lit(found, t)
    if not _has_type(y):
        x = typed(x)
    return Arithmetic(op, x, y, t) if isinstance(t, Float) else _whole(op, x, y, t, place)


def wrapped(e: Data, t: Int) -> Data:
    """A number of an integer type that equals another one but for the bits that are lost."""
    return Extern(f"wrap_{precision(t)}", (typed(e),), t)


def typed(e: Data) -> Data:
    """A value at its type, whatever is around it: literals have no precision of their own in the object language."""
    return e if _has_type(e) else Converted(e, e.type)


def _has_type(e: Data) -> bool:
    """Whether a value has a part that tells its precision."""
    match e:
        case Lit():
            return False
        case Negative(arg=arg):
            return _has_type(arg)
        case Arithmetic(lhs=a, rhs=b) | Chosen(yes=a, no=b):
            return _has_type(a) or _has_type(b)
        case Extern(args=args):
            return any(_has_type(a) for a in args)
        case _:
            return True


def _whole(op: str, x: Data, y: Data, t: Int, place: Place) -> Data:
    """Arithmetic on integers: signed ones don't overflow, unsigned ones wrap around."""
    (a, b), (c, d) = value_range(x), value_range(y)
    if op in DIVISIONS:
        floor, cut = DIVISIONS[op]
        return Arithmetic(floor, x, y, t) if a >= 0 and c >= 0 else Extern(cut, (x, y), t)
    if op == "<<":
        if isinstance(y, Lit) and 0 <= y.value < t.bits - 1:
            return _whole("*", x, Lit(2 ** int(y.value), t), t, place)
        shifted = Arithmetic(op, x, y, t)
        return shifted if t.signed else wrapped(shifted, t)
    if op in BITS:
        return Arithmetic(op, x, y, t)
    found = Arithmetic(op, x, y, t)
    fits = t.signed or _inside(_bounds(op, (a, b), (c, d)), t.range)
    return found if fits else wrapped(found, t)


def negative(e: Data, place: Place) -> Data:
    """`-e`"""
    t = common(e.type, I32) if isinstance(e.type, Int) else e.type
    x = convert(e, t, place)
    if isinstance(x, Lit):
        found = computed("-", 0, x.value, t) if isinstance(t, Int) else -x.value
        if found is not None:
            return Lit(found, t)
    if isinstance(t, Int) and not t.signed:
        return _whole("-", Lit(0, t), x, t, place)
    return Negative(typed(x), t)


def inverted(e: Data, place: Place) -> Data:
    """`~e`: -1 - e, or of an unsigned number what is left of the greatest."""
    assert isinstance(e.type, Int)
    t = common(e.type, I32)
    assert isinstance(t, Int)
    return arithmetic("-", Lit(-1 if t.signed else t.range[1], t), convert(e, t, place), place)


def check_known(name: str, place: Place) -> None:
    """Raise a problem if a function is none that is known."""
    if name in ("fma", "fmaf"):
        why = "it rounds once, and the object language has no such operation"
        raise stop(place, f"{name}(..)", why, "write a * b + c")
    if name.startswith(("__builtin_inf", "__builtin_nan")):
        what = "INFINITY" if "inf" in name else "NAN"
        raise stop(place, what, "the object language has finite literals only", "pass it, or use FLT_MAX or DBL_MAX")
    if known(name) is None and name not in ("abs", "labs"):
        why = "this function is not in the file, and none that is known"
        remedy = f"put it into the file, or write what it does; if its value isn't needed, --ignore {name}"
        raise stop(place, f"{name}(..)", why, remedy)


def called(name: str, args: list[Data], place: Place) -> Data:
    """A call of a function of math.h."""
    found = known(name)
    if found is None:
        whole = I32 if name == "abs" else I64
        return Extern("abs", _held((convert(args[0], whole, place),), whole), whole)
    extern, t = found
    if len(args) != extern.arity:
        raise stop(place, f"{name}(..)", f"it takes {extern.arity} arguments", "")
    return Extern(extern.extern, _held(tuple(convert(a, t, place) for a in args), t), t)


def _held(args: tuple[Data, ...], t: Number) -> tuple[Data, ...]:
    """Arguments of a function. Literals alone would be computed with at the precision of what is around the call."""
    return args if any(_has_type(a) for a in args) else (Converted(args[0], t), *args[1:])


# -- ranges ---------------------------------------------------------------------------------------------


def value_range(e: Data) -> Range:
    """Between which numbers an integer value surely is."""
    assert isinstance(e.type, Int)
    match e:
        case Lit(value=value):
            return int(value), int(value)
        case Scalar(range=(lo, hi)) | Read(range=(lo, hi)):
            return lo, hi
        case Converted(arg=arg) if isinstance(arg.type, Int):
            inner = value_range(arg)
            return inner if _inside(inner, e.type.range) else e.type.range
        case Negative(arg=arg):
            lo, hi = value_range(arg)
            return _clipped((-hi, -lo), e.type)
        case Arithmetic(op="&", lhs=a, rhs=b):
            tops = [r[1] for r in (value_range(a), value_range(b)) if r[0] >= 0]
            return (0, min(tops)) if tops else e.type.range
        case Arithmetic(op="|" | "^", lhs=a, rhs=b):
            sides = (value_range(a), value_range(b))
            return (0, (1 << max(r[1] for r in sides).bit_length()) - 1) if min(sides)[0] >= 0 else e.type.range
        case Arithmetic(op="<<"):
            return e.type.range
        case Arithmetic(op=">>", lhs=a, rhs=b) | Extern(name="tdiv", args=(a, b)):
            return _cut(value_range(a), value_range(b), e)
        case Chosen(yes=a, no=b):
            sides = (value_range(a), value_range(b))
            return min(r[0] for r in sides), max(r[1] for r in sides)
        case Extern(name="tmod", args=(a, b)) | Arithmetic(op="%", lhs=a, rhs=b):
            (lo, hi), (c, d) = value_range(a), value_range(b)
            most = max(abs(c), abs(d)) - 1
            return (max(lo, -most) if lo < 0 else 0), (min(hi, most) if hi > 0 else 0)
        case Arithmetic(op=op, lhs=a, rhs=b):
            return _clipped(_bounds(op, value_range(a), value_range(b)), e.type)
        case _:
            return e.type.range


def _cut(x: Range, y: Range, e: Arithmetic | Extern) -> Range:
    """A number that is shifted or divided: the least shift, or divisor, gives what is farthest from 0."""
    shift = isinstance(e, Arithmetic)
    assert isinstance(e.type, Int)
    if y[0] < (0 if shift else 1):
        return e.type.range
    by = 2 ** min(y[0], e.type.bits) if shift else y[0]
    return min(x[0] // by, 0) if x[0] < 0 else 0, max(x[1] // by, 0)


def _clipped(r: Range, t: Int) -> Range:
    """A range within a type: signed arithmetic doesn't overflow."""
    return max(r[0], t.range[0]), min(r[1], t.range[1])


def _bounds(op: str, x: Range, y: Range) -> Range:
    if op == "+":
        return x[0] + y[0], x[1] + y[1]
    if op == "-":
        return x[0] - y[1], x[1] - y[0]
    if op == "//" and y[0] >= 1:
        return x[0] // y[1] if x[0] >= 0 else x[0] // y[0], x[1] // y[0]
    if op == "//":
        return min(x[0], 0), max(x[1], 0)
    corners = [a * b for a in x for b in y]
    return min(corners), max(corners)


# -- single precision -----------------------------------------------------------------------------------


def single(e: Data) -> Data | None:
    """A double value that is rounded to float at once, computed in float, if that gives the same number.

    One of + - * / or a square root of floats, in double and then rounded to float, is what float arithmetic gives, as
    double has more than twice the digits. Of two operations in a row that isn't true.
    """
    match e:
        case Arithmetic(op=op, lhs=a, rhs=b) if op in EXACT:
            x, y = _as_single(a), _as_single(b)
            return None if x is None or y is None else Arithmetic(op, x, y, F32)
        case Extern(name="sqrt" | "abs" | "fmax" | "fmin", args=args):
            found = [_as_single(a) for a in args]
            return None if any(a is None for a in found) else Extern(e.name, tuple(a for a in found if a), F32)
        case Negative(arg=arg):
            x = _as_single(arg)
            return None if x is None else Negative(x, F32)
        case Chosen(cond=cond, yes=a, no=b):
            x, y = (_as_single(s) or single(s) for s in (a, b))
            return None if x is None or y is None else Chosen(cond, x, y, F32)
        case _:
            return None


def _as_single(e: Data) -> Data | None:
    """A double value that is a float anyway, as that."""
    match e:
        case Chosen(cond=cond, yes=a, no=b):
            x, y = _as_single(a), _as_single(b)
            return None if x is None or y is None else Chosen(cond, x, y, F32)
        case Converted(arg=(Read() | Scalar() | Arithmetic() | Extern() | Negative() | Chosen()) as arg) if (
            arg.type == F32
        ):
            return arg
        case Lit(value=value) if fits_single(float(value)):
            return Lit(value, F32)
        case Negative(arg=arg):
            x = _as_single(arg)
            return None if x is None else Negative(x, F32)
        case _:
            return None


def compared(a: Data, b: Data, place: Place) -> tuple[Data, Data]:
    """Two values at the type that C compares them at; floats stay what they are where that says the same."""
    t = common(a.type, b.type)
    x, y = convert(a, t, place), convert(b, t, place)
    if t == F64:
        s, u = _as_single(x), _as_single(y)
        if s is not None and u is not None and not (isinstance(s, Lit) and isinstance(u, Lit)):
            return s, u
    literals = all(isinstance(v, Lit) for v in (x, y))
    return (x, y) if literals or _has_type(x) or _has_type(y) else (typed(x), y)
