"""Conditions of C: on control integers, on data, and on pointers."""

from __future__ import annotations

from ..control import Poly, elements, number
from ..report import Stop, stop
from . import expressions, lookups
from .context import Context, Sometimes
from .conversions import compared
from .integers import integer, observed
from .pointers import address, element, is_null
from .program import OPPOSITE, Compare, Cond, Lit, Logic, Need, Not, Truth
from .syntax import Assign, Binary, Call, Cast, Expr, Index, Literal, Step, Unary, Untaken, Use
from .types import I32, I64, Int, common
from .typing import COMPARISONS, LOGICAL, decayed, is_pointer, type_of
from .typing import number as number_type
from .walks import inside, truth_number
from .widths import numbers

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What a comparison is with its sides exchanged."""


def condition(ctx: Context, e: Expr) -> Cond:
    """The truth value of an expression. In `a && b`, b is only looked at where a holds."""
    match e:
        case Untaken(what=what, why=why, remedy=remedy):
            raise stop(e.place, what, why, remedy)
        case Unary(op="!", arg=arg):
            return negated(condition(ctx, arg))
        case Binary(op=op) if op in LOGICAL:
            try:
                with ctx.attempt():
                    return _both(ctx, e)
            except Sometimes:
                if ctx.guards or ctx.counting:
                    raise
                return _comparison(ctx, "!=", truth_number(e), Literal(0, I32, "0", e.place))
        case Binary(op=op, lhs=a, rhs=b) if op in COMPARISONS:
            return _comparison(ctx, op, a, b)
        case _:
            return _comparison(ctx, "!=", e, Literal(0, I32, "0", e.place))


def _both(ctx: Context, e: Binary) -> Cond:
    """`a && b` or `a || b`, where b needs no statements."""
    first = condition(ctx, e.lhs)
    if isinstance(first, Truth):
        return condition(ctx, e.rhs) if first.value == (e.op == "&&") else first
    with ctx.guarded(first if e.op == "&&" else negated(first)):
        second = condition(ctx, e.rhs)
    if isinstance(second, Truth):
        return first if second.value == (e.op == "&&") else second
    return Logic("and" if e.op == "&&" else "or", first, second)


def negated(c: Cond) -> Cond:
    """The opposite. Of data it stays a `not`, as a comparison with NaN is false either way."""
    match c:
        case Truth(value=value):
            return Truth(not value)
        case Not(arg=arg):
            return arg
        case Compare(op=op, lhs=lhs, rhs=rhs) if isinstance(lhs, Poly) or isinstance(lhs.type, Int):
            return Compare(OPPOSITE[op], lhs, rhs)
        case _:
            return Not(c)


def _comparison(ctx: Context, op: str, a: Expr, b: Expr) -> Cond:
    if any(is_pointer(decayed(type_of(x, ctx.functions))) for x in (a, b)):
        return _pointers(ctx, op, a, b)
    if _is_control(ctx, a) and _is_control(ctx, b):
        return control_comparison(ctx, op, a, b)
    if ctx.counting and all(_is_control(ctx, e) or _is_bound(ctx, e) for e in (a, b)):
        return control_comparison(ctx, op, a, b)
    known = _of_indices(ctx, op, a, b)
    if known is not None:
        return known
    x, y = compared(expressions.data(ctx, a), expressions.data(ctx, b), a.place)
    if isinstance(x, Lit) and isinstance(y, Lit):
        return _decided(op, x, y)
    return Compare(op, x, y)


def _decided(op: str, x: Lit, y: Lit) -> Truth:
    u, v = x.value, y.value
    found = {"<": u < v, "<=": u <= v, ">": u > v, ">=": u >= v, "==": u == v, "!=": u != v}
    return Truth(found[op])


def _is_control(ctx: Context, e: Expr) -> bool:
    if isinstance(e, Use) and not is_pointer(e.var.type):
        return isinstance(e.var.type, Int) and ctx.is_control(e.var) and not ctx.has_data(e)
    if isinstance(e, Step) and isinstance(e.target, Use):
        return isinstance(e.target.var.type, Int) and ctx.is_control(e.target.var)
    return isinstance(type_of(e, ctx.functions), Int) and not ctx.has_data(e) and not is_truth(e)


def _of_indices(ctx: Context, op: str, a: Expr, b: Expr) -> Cond | None:
    """A comparison of what is read from an array of indices, as control: it may say that an index is inside. None if it
    isn't one, or if C may convert the two to other numbers."""
    sides = [_is_control(ctx, e) for e in (a, b)]
    if not any(lookups.is_index(ctx, e) for e in (a, b)) or not all(
        control or lookups.is_index(ctx, e) for control, e in zip(sides, (a, b), strict=True)
    ):
        return None
    with ctx.trial():
        try:
            control_comparison(ctx, op, a, b)
        except Stop:
            return None
        if any(not isinstance(n, Need) or any(True for _ in elements(n.value)) for n in ctx.block):
            return None
    return control_comparison(ctx, op, a, b)


def _is_bound(ctx: Context, e: Expr) -> bool:
    """Whether an expression is made of control integers and elements of arrays of integers that are arguments."""
    if isinstance(e, Index):
        try:
            var, _ = element(ctx, e)
        except Stop:
            return False
        return isinstance(type_of(e, ctx.functions), Int) and var.storage in ("argument", "file", "member")
    if isinstance(e, Binary) and e.op in ("+", "-"):
        return _is_bound(ctx, e.lhs) and _is_bound(ctx, e.rhs)
    return _is_control(ctx, e)


def is_truth(e: Expr) -> bool:
    """Whether an expression is a comparison, or made of some."""
    return (isinstance(e, Binary) and e.op in (*COMPARISONS, *LOGICAL)) or (isinstance(e, Unary) and e.op == "!")


def control_comparison(ctx: Context, op: str, a: Expr, b: Expr) -> Cond:
    """A comparison of control integers, at the type that C compares them at."""
    s, u = number_type(type_of(a, ctx.functions)), number_type(type_of(b, ctx.functions))
    assert isinstance(s, Int) and isinstance(u, Int)
    t = common(s, u)
    assert isinstance(t, Int)
    if op in TURNED and not t.signed and not ctx.counting:
        both = _both_ends(ctx, op, a, b, t) or _both_ends(ctx, TURNED[op], b, a, t)
        if both is not None:
            return both
    x, y = observed(ctx, a, t), observed(ctx, b, t)
    if any(p.constant is not None and p.constant > I64.range[1] for p in (x, y)) and (x - y).constant is None:
        large = x.constant is not None  # and all sizes and indices are smaller
        return _decided(op, Lit(int(large), I32), Lit(int(not large), I32))
    return decided(Compare(op, x, y))


def _both_ends(ctx: Context, op: str, a: Expr, b: Expr, t: Int) -> Cond | None:
    """`(unsigned)i < n`, which says that i isn't negative, too: C takes a negative i for a number beyond half of what
    the type holds, and n is none. None where the left side has no number below 0, or a side has effects."""
    index = _before_conversion(ctx, a, t)
    if index is None or any(isinstance(x, Assign | Step | Call) for e in (a, b) for x in inside(e)):
        return None
    x = integer(ctx, index)
    least = numbers(ctx, x)[0]
    if least is not None and least >= 0:
        return None
    y = observed(ctx, b, t)
    most, half = numbers(ctx, y)[1], t.range[1] // 2
    if most is None or most > half:
        why = f"{y} may be larger than half of what its type holds, and so may be what C makes of a negative number"
        ctx.need(number(half) - y, why, "compare signed numbers", a.place)
    negative, inside_of = Compare("<", x, number(0)), Compare("<" if op in ("<", ">=") else "<=", x, y)
    if op in ("<", "<="):
        return Logic("and", negated(negative), inside_of)
    return Logic("or", negative, negated(inside_of))


def _before_conversion(ctx: Context, e: Expr, t: Int) -> Expr | None:
    """What is converted to an unsigned type, if that is a signed number of no more bits."""
    if isinstance(e, Cast) and e.type == t:
        e = e.arg
    own = number_type(type_of(e, ctx.functions))
    return e if isinstance(own, Int) and own.signed and own.bits <= t.bits else None


def decided(c: Compare) -> Cond:
    """A comparison of control integers; its truth value, if their difference is a number."""
    assert isinstance(c.lhs, Poly) and isinstance(c.rhs, Poly)
    d = (c.lhs - c.rhs).constant
    if d is None:
        return c
    return _decided(c.op, Lit(d, I32), Lit(0, I32))


def _pointers(ctx: Context, op: str, a: Expr, b: Expr) -> Cond:
    """Pointers into one array are compared by their indices; a null pointer only with --nonnull."""
    for p, other in ((a, b), (b, a)):
        if is_null(other) and op in ("==", "!="):
            if isinstance(p, Use) and (p.var.c_name in ctx.options.nonnull or p.var.storage != "argument"):
                ctx.procedure.notes.append(f"{p.var.c_name} is no null pointer")
                return Truth(op == "!=")
            name = p.var.c_name if isinstance(p, Use) else "this pointer"
            why = "arrays of the object language always exist"
            raise stop(a.place, f"a test whether {name} is null", why, f"if it never is, say so: --nonnull {name}")
    x, y = address(ctx, a), address(ctx, b)
    if x.var is not y.var or x.indices[:-1] != y.indices[:-1]:
        raise stop(a.place, "a comparison of pointers", "they point to different arrays, or rows", "compare indices")
    return decided(Compare(op, x.indices[-1], y.indices[-1]))
