"""Data expressions: what C computes with numbers in memory.

Order of evaluation: what is hoisted (a choice, a call) is computed before the statement, which changes nothing as
expressions only read.
"""

from __future__ import annotations

from ..control import Poly, of
from ..report import Place, Stop, stop
from . import calls, conditions, conversions, lookups, ranges
from .context import Context, Sometimes
from .integers import effect, integer
from .pointers import element
from .program import (
    Access,
    Allocate,
    Arithmetic,
    Branch,
    Chosen,
    Cond,
    Data,
    Lit,
    Need,
    Negative,
    Read,
    Scalar,
    Stmt,
    Store,
    Truth,
    Whole,
)
from .syntax import (
    Assign,
    Binary,
    Call,
    Cast,
    Choice,
    Comma,
    Expr,
    Index,
    Literal,
    Step,
    Type,
    Unary,
    Untaken,
    Use,
    Variable,
)
from .types import I32, I64, Float, Int, Number
from .typing import number, shown, type_of
from .values import Held
from .walks import inside
from .widths import fits_surely


def data(ctx: Context, e: Expr) -> Data:
    """The value of an expression as data."""
    t = type_of(e, ctx.functions)
    if isinstance(e, Untaken):
        raise stop(e.place, e.what, e.why, e.remedy)
    if isinstance(e, Literal):
        return Lit(e.value, e.type)
    if isinstance(e, Choice) or conditions.is_truth(e):
        return _chosen(ctx, e)
    if isinstance(t, Int) and not ctx.has_data(e) and not (isinstance(e, Use) and not ctx.is_control(e.var)):
        return whole(ctx, e, t)
    match e:
        case Use(var=v) if isinstance(held := ctx.values.get(v), Held):
            kept = Scalar(held.var, _element(held.var.type, e.place))
            return conversions.convert(kept, _element(v.type, e.place), e.place)
        case Use(var=v):
            return Scalar(v, _element(v.type, e.place), ctx.ranges.get(v))
        case Index() | Unary(op="*"):
            access = place_of(ctx, e)
            assert isinstance(access, Access)
            return Read(access, _element(t, e.place), ranges.of_place(ctx, access))
        case Unary(op="-", arg=arg):
            return conversions.negative(data(ctx, arg), e.place)
        case Unary(op="+", arg=arg):
            assert isinstance(t, Int | Float)
            return conversions.convert(data(ctx, arg), t, e.place)
        case Binary(op=op, lhs=a, rhs=b):
            return conversions.arithmetic(op, data(ctx, a), data(ctx, b), e.place)
        case Cast(type=(Int() | Float()) as to, arg=arg):
            return conversions.convert(data(ctx, arg), to, e.place)
        case Call():
            return _call(ctx, e)
        case Comma(parts=parts):
            for p in parts[:-1]:
                if effect(ctx, p) is None:
                    raise stop(p.place, "`,`", "its first part does something else than count", "write two statements")
            return data(ctx, parts[-1])
        case Assign() | Step():
            return _assigned(ctx, e)
        case Unary(op="~", arg=arg):
            return conversions.inverted(data(ctx, arg), e.place)
        case Unary(op=op):
            raise stop(e.place, f"`{op}` on data", "the object language has no such operator", "")
        case _:
            what = f"a value of type {shown(t)}"
            raise stop(e.place, what, "it is no number that is taken", "use int, float or double")


def _assigned(ctx: Context, e: Assign | Step) -> Data:
    """An assignment or a step inside of an expression: it comes before the statement, as nothing else in that uses what
    it changes. Its value."""
    from .statements import assign, store  # which ask for expressions

    if ctx.guards or ctx.counting:
        why = "a condition of a loop, and what is computed only sometimes, are expressions of the object language"
        remedy = "assign in a statement of its own"
        raise stop(e.place, "an assignment of data inside of an expression", why, remedy)
    if isinstance(e, Assign):
        found = assign(ctx, e)
        assert found is not None, "what is assigned is data"
        return found
    kept: Variable | None = None
    if e.after:
        before = data(ctx, e.target)
        kept = ctx.temporary("before", before.type, e.place)
        ctx.block += [Allocate(kept, (), e.place), Store(kept, "=", before, e.place)]
        ranges.given(ctx, kept, before)
    store(ctx, e.target, "+" if e.by > 0 else "-", Lit(1, I32), e.place)
    if kept is None:
        return data(ctx, e.target)
    return Scalar(kept, _element(kept.type, e.place), ctx.ranges.get(kept))


def _element(t: Type, place: Place) -> Number:
    if isinstance(t, Int | Float):
        return t
    raise stop(place, f"data of type {shown(t)}", "arrays are of int, float and double types", "use one of these")


def whole(ctx: Context, e: Expr, t: Int) -> Data:
    """A control integer where a number is needed: of products and quotients of variables, that of the operands."""
    closed, sure = _is_closed(ctx, e, t)
    if (_combines(e) and not closed) or not sure:
        match e:
            case Binary(op=op, lhs=a, rhs=b):
                return conversions.arithmetic(op, data(ctx, a), data(ctx, b), e.place)
            case Unary(op="-", arg=arg):
                return conversions.negative(data(ctx, arg), e.place)
            case Unary(op="~", arg=arg):
                return conversions.inverted(data(ctx, arg), e.place)
            case Cast(arg=arg):
                return conversions.convert(data(ctx, arg), t, e.place)
            case Call():
                return _call(ctx, e)
            case _:
                pass
    value = integer(ctx, e)
    if not value.is_affine():
        return summed(value, t)
    if value.constant is not None:
        lo, hi = t.range
        return Lit((value.constant - lo) % (hi - lo + 1) + lo, t)
    if not t.signed and not fits_surely(ctx, value, t):
        return conversions.wrapped(Whole(value, I64), t)
    return Whole(value, t)


def _combines(e: Expr) -> bool:
    """Whether an expression has operators whose value is in closed form of some operands only."""
    return any(isinstance(x, Call | Choice) or (isinstance(x, Binary) and x.op not in ("+", "-")) for x in inside(e))


def _is_closed(ctx: Context, e: Expr, t: Int) -> tuple[bool, bool]:
    """Whether a control expression is a number in closed form without products, and whether all that is converted in
    it surely keeps its value."""
    before = ctx.doubts
    with ctx.trial():
        try:
            value = integer(ctx, e)
        except Stop:
            return False, True
        return value.is_affine(), ctx.doubts == before and (t.signed or t.bits < 64 or fits_surely(ctx, value, I64))
    raise AssertionError("a trial ends")


def summed(value: Poly, t: Int) -> Data:
    """A polynomial as data. C keeps the low bits of an unsigned one; a signed one fits, but its terms may not."""
    found: Data | None = None
    for m, c in value.terms:
        term: Data = Lit(abs(c), I64)
        for k, atom in enumerate(m):
            factor = Whole(of(atom), I64)
            term = factor if k == 0 and abs(c) == 1 else Arithmetic("*", term, factor, I64)
        if found is None:
            found = term if c > 0 else Negative(term, I64)
        else:
            found = Arithmetic("+" if c > 0 else "-", found, term, I64)
    assert found is not None
    return found if t == I64 else conversions.wrapped(found, t)


def place_of(ctx: Context, e: Expr) -> Access | Variable:
    """The place that an lvalue of data means."""
    if isinstance(e, Use):
        _element(e.var.type, e.place)
        return e.var
    if isinstance(e, Untaken):
        raise stop(e.place, e.what, e.why, e.remedy)
    with ctx.reading(cells=True):
        var, indices = element(ctx, e)
    if not indices:
        return var
    _element(type_of(e, ctx.functions), e.place)
    lookups.check_rows(e, var, indices)
    return ctx.access(var, indices, e.place)


def _chosen(ctx: Context, e: Expr) -> Data:
    """A choice or a truth value: a variable that an if sets."""
    known = conditions.condition(ctx, e.cond if isinstance(e, Choice) else e)
    if isinstance(known, Truth):
        if isinstance(e, Choice):
            return conversions.convert(data(ctx, e.yes if known.value else e.no), _number(ctx, e), e.place)
        return Lit(int(known.value), I32)
    t = _number(ctx, e)
    at_once = _side_by_side(ctx, e, known, t)
    if at_once is not None:
        return at_once
    if ctx.guards:
        raise ctx.only_sometimes(e.place, "?: behind && or ||")
    v = ctx.temporary("t", t, e.place)
    ctx.block.append(Allocate(v, (), e.place))
    ends = (e.yes, e.no) if isinstance(e, Choice) else (None, None)
    sides: list[list[Stmt]] = []
    found: list[tuple[int, int] | None] = []
    for k, (branch, holds) in enumerate(zip(ends, (known, conditions.negated(known)), strict=True)):
        before = ctx.ranges.copy()
        ranges.narrow(ctx, holds)
        with ctx.where(holds):
            sides.append(_side(ctx, v, branch, Lit(1 - k, I32), e.place))
        found.append(ctx.ranges.get(v))
        ctx.ranges = before
    ctx.block.append(Branch(known, sides[0], sides[1], e.place))
    if found[0] is not None and found[1] is not None:
        ctx.ranges[v] = ranges.union(found[0], found[1])
    return Scalar(v, t, ctx.ranges.get(v))


def _side_by_side(ctx: Context, e: Expr, cond: Cond, t: Number) -> Data | None:
    """A choice as an expression; None if a side needs statements."""
    if not isinstance(e, Choice):
        return Chosen(cond, Lit(1, I32), Lit(0, I32), I32)
    try:
        with ctx.attempt():
            return _at_once(ctx, e, cond, t)
    except Sometimes:
        if ctx.guards or ctx.counting:
            raise
        return None


def _at_once(ctx: Context, e: Choice, cond: Cond, t: Number) -> Data:
    """A choice whose sides are expressions."""
    sides: list[Data] = []
    needs: list[Stmt] = []
    for branch, holds in ((e.yes, cond), (e.no, conditions.negated(cond))):
        before = ctx.ranges.copy()
        ranges.narrow(ctx, holds)
        with ctx.into(needs), ctx.guarded(holds):
            sides.append(conversions.convert(data(ctx, branch), t, e.place))
        ctx.ranges = before
    if any(not isinstance(n, Need) for n in needs):
        raise ctx.only_sometimes(e.place, "a side of ?:")
    ctx.block += needs
    return Chosen(cond, sides[0], sides[1], t)


def _side(ctx: Context, v: Variable, e: Expr | None, value: Data, place: Place) -> list[Stmt]:
    """One side of a choice: the variable is set, to e or else to `value`."""
    assert isinstance(v.type, Int | Float)
    with ctx.into([]) as side:
        if e is not None:
            value = data(ctx, e)
        ranges.given(ctx, v, conversions.convert(value, v.type, place))
        ctx.block.append(Store(v, "=", conversions.stored(value, v.type, place), place))
    return side


def _number(ctx: Context, e: Expr) -> Number:
    found = number(type_of(e, ctx.functions))
    if found is None:
        raise stop(e.place, "?: of pointers", "it isn't known into which array the result points", "write an if")
    return found


def _call(ctx: Context, e: Call) -> Data:
    if e.name in ctx.functions:
        return calls.call_value(ctx, e)
    conversions.check_known(e.name, e.place)
    return conversions.called(e.name, [data(ctx, a) for a in e.args], e.place)
