"""Control expressions: C's integers in closed form.

Each operand is converted to the type that C computes at: see `widths.py`.
"""

from __future__ import annotations

from ..control import Element, Poly, divided, elements, number, of
from ..report import Place, Stop, stop
from . import heap, inlined, lookups, pointers
from .bounds import lowest, surely_not_negative
from .context import NOT_CLOSED, QUOTIENT, Context
from .literals import computed
from .syntax import (
    Assign,
    Binary,
    Call,
    Cast,
    Choice,
    Comma,
    Expr,
    Function,
    Index,
    Literal,
    SizeOf,
    Step,
    Unary,
    Untaken,
    Use,
    Variable,
)
from .types import Int, promoted
from .typing import COMPARISONS, LOGICAL, decayed, element_type, is_pointer, type_of
from .typing import number as number_type
from .values import Address, Known, Value, last, moved
from .walks import inside
from .widths import as_type, converted, exact, lowered

READ = "an index, a size or a loop bound that is read from memory"


def integer(ctx: Context, e: Expr) -> Poly:
    """The value of a control expression; its side effects happen."""
    if ctx.cells and lookups.is_read(ctx, e):
        return lookups.read(ctx, e)
    match e:
        case Literal(value=int() as value):
            return number(value)
        case Use(var=v) if isinstance(v.type, Int) and ctx.is_control(v):
            held = ctx.known(v, e.place)
            assert isinstance(held, Known)
            return held.value
        case Use(var=v):
            raise stop(e.place, v.c_name, f"this is {READ}", "indices are read from arrays of integers only")
        case Unary(op="+", arg=arg):
            return integer(ctx, arg)
        case Unary(op="-", arg=arg):
            return -integer(ctx, arg)
        case Unary(op="~", arg=arg):
            return -integer(ctx, arg) - 1
        case Binary():
            return _binary(ctx, e)
        case Cast(type=Int() as t, arg=arg):
            return at_type(ctx, arg, t)
        case SizeOf(what=what):
            return number(pointers.size_of(ctx, what, e.place))
        case Step() | Assign():
            found = effect(ctx, e)
            if isinstance(found, Known):
                return found.value
            raise stop(e.place, "an assignment in an index", f"this is {READ}", "assign in a statement of its own")
        case Comma(parts=parts):
            for p in parts[:-1]:
                effect(ctx, p)
            return integer(ctx, parts[-1])
        case Untaken(what=what, why=why, remedy=remedy):
            raise stop(e.place, what, why, remedy)
        case Choice():
            from .choices import choice  # which asks for conditions, and these for integers

            return choice(ctx, e)
        case Call() if (inner := inlined.in_place(e, ctx.functions)) is not None:
            return _in_place(ctx, e, *inner)
        case Call(name=name):
            raise stop(e.place, f"{name}(..)", f"this is {READ}", "compute it before the call of this function")
        case Index() | Unary(op="*"):
            return _read(ctx, e)
        case _:
            raise stop(e.place, "a value from memory", f"this is {READ}", "compute it before this function is called")


def _in_place(ctx: Context, e: Call, f: Function, value: Expr) -> Poly:
    """What a function returns of control integers."""
    for v, a in zip(f.args, e.args, strict=True):
        assert isinstance(v.type, Int)
        ctx.values[v] = Known(at_type(ctx, a, v.type))
    assert isinstance(f.result, Int)
    return at_type(ctx, value, f.result)


def _read(ctx: Context, e: Expr) -> Poly:
    """An element of an array as an index or a bound: of an argument of integers that the function doesn't write."""
    var, indices = pointers.element(ctx, e)
    t = element_type(var)
    if not isinstance(t, Int) or not indices:
        raise stop(
            e.place, f"an element of {var.c_name}", "it is no integer that is read from an array", "use integers"
        )
    if var.storage not in ("argument", "file", "member") or lookups.is_constant(var):
        why = "indices and bounds are read from arguments only, as a local array changes"
        raise stop(e.place, f"an element of {var.c_name}", why, "pass the array")
    if var in ctx.hints.changing:
        why = "the function writes it, and takes its elements as indices or bounds"
        if var in ctx.hints.shared:
            why = "its elements are bounds here, and a caller passes an array that is written, or a local one"
        raise stop(e.place, f"an element of {var.c_name}", why, "write another array, or pass a copy")
    ctx.indexing.setdefault(var, e.place)
    ctx.access(var, indices, e.place)
    return of(Element(var, indices))


def observed(ctx: Context, e: Expr, t: Int | None = None) -> Poly:
    """The value of a control expression that is looked at, at its type or another one."""
    own = number_type(type_of(e, ctx.functions))
    value = integer(ctx, e)
    return as_type(ctx, value, e, t or own) if isinstance(own, Int) else value


def at_type(ctx: Context, e: Expr, t: Int) -> Poly:
    """The value of an expression, converted to a type."""
    own = number_type(type_of(e, ctx.functions))
    value = integer(ctx, e)
    return converted(ctx, value, own, t, e.place) if isinstance(own, Int) else value


def _binary(ctx: Context, e: Binary) -> Poly:
    if e.op in COMPARISONS or e.op in LOGICAL:
        what = f"`{e.op}` as a number in an index or bound"
        raise stop(e.place, what, "a truth value is no control integer", "use an if")
    kinds = [is_pointer(decayed(type_of(x, ctx.functions))) for x in (e.lhs, e.rhs)]
    if all(kinds) and e.op == "-":
        return _distance(ctx, e)
    t = number_type(type_of(e, ctx.functions))
    if not isinstance(t, Int):
        raise stop(e.place, "a value of floating-point type", f"this is {READ}", "convert data where it is assigned")
    x = at_type(ctx, e.lhs, t)
    y = observed(ctx, e.rhs) if e.op in ("<<", ">>") else at_type(ctx, e.rhs, t)
    if x.constant is not None and y.constant is not None:
        known = computed(e.op, exact(ctx, x, t, e.place).constant or 0, y.constant, t)
        if isinstance(known, int):
            return number(known)
    if e.op not in ("+", "-", "*"):
        return _divided(ctx, e, x, y, t)
    x, y = lowered(x, t), lowered(y, t)
    return lowered(x + y if e.op == "+" else x - y if e.op == "-" else x * y, t)


def _divided(ctx: Context, e: Binary, x: Poly, by: Poly, t: Int) -> Poly:
    """Quotients, remainders, shifts and masks: by numbers only."""
    if e.op in ("/", "%"):
        x, by = exact(ctx, x, t, e.lhs.place), exact(ctx, by, t, e.rhs.place)
    c = by.constant
    exactly = divided(x, by) if c is None and e.op == "/" else None
    if exactly is not None and exactly[0].terms and exactly[1].constant == 0:
        return exactly[0]
    parts = _digits(ctx, x, by) if c is None and e.op in ("/", "%") else None
    if parts is not None:
        for n in (parts[1], by - 1 - parts[1]):
            what = f"{x.operand()} {e.op} {by.operand()}"
            ctx.need(n, f"{what} is what is left only if that is not negative, and less", "", e.place)
        return parts[0] if e.op == "/" else parts[1]
    if c is None and e.op == "%" and ctx.cells:
        return lookups.remainder(ctx, e, x, by)
    if c is None:
        raise _by_a_variable(ctx, e)
    mask = lowered(number(c), t).constant or 0
    match e.op:
        case "/" | "%" if c > 0:
            if t.signed and x.over(c) * c != x:
                why = f"C cuts {x.operand()} {e.op} {c} towards zero, and the object language takes the floor"
                ctx.need(x, why, "test that it is not negative, or divide an unsigned value", e.place)
            quotient = x.over(c)
            return quotient if e.op == "/" else x - quotient * c
        case "<<" if 0 <= c < t.bits - 1:
            return lowered(x * (1 << c), t)
        case ">>" if 0 <= c < t.bits - 1:
            return exact(ctx, x, t, e.place).over(1 << c)
        case "&" if c >= 0 and c & (c + 1) == 0:
            return x - x.over(c + 1) * (c + 1)
        case "&" if mask < 0 and -mask & (-mask - 1) == 0:
            return x.over(-mask) * -mask
        case _:
            for v in (x.var for x in inside(e) if isinstance(x, Use)):
                if isinstance(held := ctx.values.get(v), Known) and any(True for _ in elements(held.value)):
                    ctx.lose(v)  # it is read from memory, so it may be data
            what = f"`{e.op}` of control integers"
            raise stop(e.place, what, NOT_CLOSED, "mask low or high bits, or pass the result")


def _by_a_variable(ctx: Context, e: Binary) -> Stop:
    """What is said of a quotient, a mask or a shift by what is no number."""
    what = f"`{e.op}` of control integers by a variable"
    if e.op in ("/", "%"):
        return stop(e.place, what, QUOTIENT, "divide by a number, or pass the result")
    return stop(e.place, what, NOT_CLOSED, "pass the result")


def _digits(ctx: Context, x: Poly, by: Poly) -> tuple[Poly, Poly] | None:
    """Quotient and remainder by a size, if these are what division of polynomials gives, as in `(i * n + j) / n`."""
    parts = divided(x, by)
    if parts is None or not parts[0].terms:
        return None
    ends = [lowest(n, ctx.frames, ctx.facts) for n in (parts[1], by - 1 - parts[1])]
    return parts if all(n is not None and surely_not_negative(n) for n in ends) else None


def _distance(ctx: Context, e: Binary) -> Poly:
    """The difference of two pointers."""
    a, b = pointers.address(ctx, e.lhs), pointers.address(ctx, e.rhs)
    if a.var is not b.var or a.indices[:-1] != b.indices[:-1]:
        raise stop(e.place, "the difference of two pointers", "they point to different arrays, or rows", "use indices")
    return a.indices[-1] - b.indices[-1]


# -- side effects ---------------------------------------------------------------------------------------


def effect(ctx: Context, e: Expr) -> Value | None:
    """Carry out a step or an assignment of a control variable or pointer; its value, or None if it is none of these."""
    match e:
        case Step(target=Use(var=v)) if moves(ctx, v):
            before = ctx.known(v, e.place)
            assert isinstance(before, Known | Address)
            after = moved(before, last(before) + e.by)
            if isinstance(after, Known) and isinstance(v.type, Int):
                wide = promoted(v.type)
                assert isinstance(wide, Int)
                after = moved(after, converted(ctx, lowered(after.value, wide), wide, v.type, e.place))
            set_value(ctx, v, after, e.place)
            return before if e.after else after
        case Assign(target=Use(var=v)) if moves(ctx, v):
            try:
                with ctx.reading(cells=False):
                    given = _assigned(ctx, e, v)
            except Stop:
                if ctx.has_data(e.value) or any(_is_cut(x) for x in inside(e.value)):
                    ctx.lose(v)
                raise
            set_value(ctx, v, given, e.place)
            return given
        case Comma(parts=parts):
            found: Value | None = None
            for p in parts:
                found = effect(ctx, p)
            return found
        case _:
            return None


def _is_cut(e: Expr) -> bool:
    """Whether an expression may be data where it isn't in closed form: a quotient, a remainder or a choice."""
    return isinstance(e, Choice) or (isinstance(e, Binary) and e.op in ("/", "%"))


def moves(ctx: Context, v: Variable) -> bool:
    """Whether a variable is followed in closed form: a control integer or a pointer."""
    return is_pointer(v.type) or (isinstance(v.type, Int) and ctx.is_control(v))


def set_value(ctx: Context, v: Variable, value: Value, place: Place) -> None:
    """From here on a variable has this value."""
    if ctx.guards:
        what = f"a change of {v.c_name} behind && or ||"
        raise stop(place, what, "it happens only sometimes", "write an if")
    ctx.values[v] = value


def _assigned(ctx: Context, e: Assign, v: Variable) -> Value:
    if is_pointer(v.type):
        call = heap.taken(e.value)
        if call is not None and not e.op:
            return heap.allocate(ctx, v, call)
        if e.op:
            return pointers.address(ctx, Binary(e.op, e.target, e.value, e.place))
        return pointers.address(ctx, e.value)
    assert isinstance(v.type, Int)
    value = Binary(e.op, e.target, e.value, e.place) if e.op else e.value
    return Known(at_type(ctx, value, v.type))
