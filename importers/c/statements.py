"""Statements."""

from __future__ import annotations

from ..control import number
from ..report import Place, Stop, stop
from . import conversions, extrema, lookups, loops, ranges
from .calls import call_statement
from .choices import chosen_by
from .conditions import condition, negated
from .context import Context
from .expressions import data, place_of
from .integers import effect, moves
from .order import check_order
from .pointers import dimensions
from .program import Allocate, Arithmetic, Branch, Cond, Data, Lit, Read, Scalar, Stmt, Store, Truth
from .syntax import (
    Array,
    Assign,
    Block,
    Break,
    Call,
    Comma,
    Continue,
    Declare,
    Do,
    Expr,
    Goto,
    If,
    Label,
    Loop,
    Result,
    Return,
    Step,
    Table,
    Untaken,
    Use,
    Variable,
)
from .syntax import Stmt as CStmt
from .types import I32, Float, Int, Number
from .typing import element_type
from .values import Known, Lost, Value, joined
from .walks import changed, inside

REDUCTIONS = ("+", "*")


def block(ctx: Context, s: Block) -> None:
    """The statements of a block; a problem in one is reported, and the next one is looked at."""
    for p in s.parts:
        try:
            statement(ctx, p)
        except Stop as found:
            ctx.report.add(found.problem)
            declared = {p.var} if isinstance(p, Declare) else set()
            for v in changed(p) | declared:
                if moves(ctx, v) and not isinstance(ctx.values.get(v), Lost):
                    # what only a trial met is said to nobody
                    ctx.values[v] = Lost(found.problem.why, reported=not ctx.report.muted)


def statement(ctx: Context, s: CStmt) -> None:
    """One statement."""
    match s:
        case Block():
            block(ctx, s)
        case Declare(var=v):
            declare(ctx, v, s.place)
        case Do(value=e):
            do(ctx, e)
        case If():
            branch(ctx, s)
        case Loop():
            loops.loop(ctx, s)
        case Result():
            finish(ctx, s)
        case Return() | Continue() | Break() | Goto() | Label():
            raise AssertionError("jumps are gone")
        case Untaken(what=what, why=why, remedy=remedy):
            raise stop(s.place, what, why, remedy)


# -- declarations ---------------------------------------------------------------------------------------


def declare(ctx: Context, v: Variable, place: Place) -> None:
    """A local variable: nothing is printed for control variables and pointers."""
    if v.storage == "static" and not (v.const and isinstance(v.init, Table)):
        return
    if isinstance(v.type, Array):
        _array(ctx, v, place)
    elif moves(ctx, v):
        ctx.values.pop(v, None)
        if v.init is not None and not isinstance(v.init, Table):
            do(ctx, Assign("", Use(v, place), v.init, place))
    elif isinstance(v.type, Int | Float):
        ctx.block.append(Allocate(v, (), place))
        if v.init is not None and not isinstance(v.init, Table):
            do(ctx, Assign("", Use(v, place), v.init, place))
    else:
        raise stop(place, f"{v.c_name} of type {v.type}", "variables are of int, float and double types", "use one")


def _array(ctx: Context, v: Variable, place: Place) -> None:
    if not isinstance(element_type(v), Int | Float):
        raise stop(place, f"{v.c_name}", "arrays are of int, float and double types", "use one of these")
    ctx.shapes.pop(v, None)
    shape = dimensions(ctx, v)
    if any(e is None for e in shape):
        raise stop(place, f"{v.c_name}", "its extent isn't known", "write the extent")
    ctx.block.append(Allocate(v, tuple(e for e in shape if e is not None), place))
    if isinstance(v.init, Table):
        fill(ctx, v, v.init, place)
    elif v.init is not None:
        raise stop(place, f"the first value of {v.c_name}", "an array starts with a list of numbers", "")


def fill(ctx: Context, v: Variable, table: Table, place: Place) -> None:
    """The numbers of a table, one assignment each; what it leaves out is 0."""
    counts = [e.constant for e in dimensions(ctx, v) if e is not None]
    if any(c is None for c in counts):
        raise stop(place, f"the first value of {v.c_name}", "its extent is no number", "assign in a loop")
    t = element_type(v)
    assert isinstance(t, Int | Float)
    for indices, e in _cells(table, tuple(c for c in counts if c is not None), ()):
        value = Lit(0, I32) if e is None else data(ctx, e)
        access = ctx.access(v, tuple(number(i) for i in indices), place)
        ctx.block.append(Store(access, "=", conversions.stored(value, t, place), place))


def _cells(
    table: Table | None, counts: tuple[int, ...], at: tuple[int, ...]
) -> list[tuple[tuple[int, ...], Expr | None]]:
    """Each element's indices and value, None for 0."""
    found: list[tuple[tuple[int, ...], Expr | None]] = []
    parts = () if table is None else table.parts
    if len(counts) > 1 and any(not isinstance(p, Table) for p in parts):
        raise stop(table.place if table else Place(0, 0), "this list", "each row needs braces of its own", "add them")
    for i in range(counts[0]):
        part = parts[i] if i < len(parts) else None
        if len(counts) > 1:
            found += _cells(part if isinstance(part, Table) else None, counts[1:], (*at, i))
        else:
            found.append(((*at, i), None if isinstance(part, Table) else part))
    return found


# -- expressions as statements --------------------------------------------------------------------------


def do(ctx: Context, e: Expr) -> None:
    """An expression for its effects."""
    check_order(e)
    match e:
        case Comma(parts=parts):
            for p in parts:
                do(ctx, p)
        case Assign():
            assign(ctx, e)
        case Step(target=t):
            if effect(ctx, e) is None:
                store(ctx, t, "+" if e.by > 0 else "-", Lit(1, I32), e.place)
        case Call():
            call_statement(ctx, e)
        case Untaken(what=what, why=why, remedy=remedy):
            raise stop(e.place, what, why, remedy)
        case _:
            if any(isinstance(x, Assign | Step | Call) for x in inside(e)):
                raise stop(e.place, "this statement", "its value is not used", "write what it does as an assignment")


def assign(ctx: Context, e: Assign) -> Data | None:
    """`a = b`, `a += b`, and `a = b = c`. The value, if it is data."""
    if isinstance(e.target, Use) and moves(ctx, e.target.var):
        effect(ctx, e)
        return None
    if isinstance(e.value, Assign) and not (isinstance(e.value.target, Use) and moves(ctx, e.value.target.var)):
        value = assign(ctx, e.value)
        assert value is not None
    else:
        value = data(ctx, e.value)
    return store(ctx, e.target, e.op, value, e.place)


def store(ctx: Context, target: Expr, op: str, value: Data, place: Place) -> Data:
    """A store of data; with an operator, C computes at the common type. What is then read there."""
    where = place_of(ctx, target)
    ctx.written.add(where if isinstance(where, Variable) else where.var)
    t = where.type if isinstance(where, Variable) else element_type(where.var)
    if not isinstance(t, Int | Float):
        raise stop(place, f"a store of type {t}", "arrays are of int, float and double types", "use one of these")
    known = ctx.ranges.get(where) if isinstance(where, Variable) else ranges.of_place(ctx, where)
    old: Data = Scalar(where, t, known) if isinstance(where, Variable) else Read(where, t, known)
    result = value if not op else conversions.arithmetic(op, old, value, place)
    if isinstance(where, Variable):
        ranges.given(ctx, where, conversions.convert(result, t, place))
        lookups.given(ctx, where, result)
    else:
        ranges.stored(ctx, where)
    if not op:
        new = conversions.stored(value, t, place)
        ctx.block.append(Store(where, *extrema.of_choice(where, new), place))
        now = Scalar(where, t, ctx.ranges.get(where)) if isinstance(where, Variable) else Read(where, t)
        return new if isinstance(new, Lit) and new.type == t else now
    new = conversions.stored(result, t, place)
    ctx.block.append(Store(where, *_reduced(op, old, new, t), place))
    return old


def _reduced(op: str, old: Data, new: Data, t: Number) -> tuple[str, Data]:
    """`x += e` for `x = x + e`, where both compute at one type."""
    if op in REDUCTIONS and isinstance(new, Arithmetic) and new.type == t and new.op == op and new.lhs == old:
        return f"{op}=", new.rhs
    return "=", new


# -- control flow ---------------------------------------------------------------------------------------


def branch(ctx: Context, s: If) -> None:
    """An if; of one whose condition is known, only what runs."""
    check_order(s.cond)
    cond = condition(ctx, s.cond)
    if isinstance(cond, Truth):
        block(ctx, s.yes if cond.value else s.no)
        return
    before, known = ctx.values.copy(), ctx.ranges.copy()
    ends, sides, after = [], list[list[Stmt]](), []
    for part, holds in ((s.yes, cond), (s.no, negated(cond))):
        ctx.values, ctx.ranges = before.copy(), known.copy()
        ranges.narrow(ctx, holds)
        with ctx.into([]) as side, ctx.where(holds):
            block(ctx, part)
        sides.append(side)
        ends.append(ctx.values)
        after.append(ctx.ranges)
    ctx.values, ctx.ranges = before, ranges.joined(*after)
    for v in ends[0].keys() | ends[1].keys():
        lost = Lost(f"{v.c_name} has no value yet")
        ctx.values[v] = _joined(ctx, cond, ends[0].get(v, lost), ends[1].get(v, lost), v)
    if sides[0] or not sides[1]:
        ctx.block.append(extrema.kept(Branch(cond, sides[0], sides[1], s.place)))
    else:
        ctx.block.append(Branch(negated(cond), sides[1], [], s.place))


def _joined(ctx: Context, cond: Cond, yes: Value, no: Value, v: Variable) -> Value:
    """What a variable holds after an if: the same on both sides, or the smaller or larger of two."""
    found = joined(yes, no, v.c_name)
    if isinstance(found, Lost) and isinstance(yes, Known) and isinstance(no, Known):
        value = chosen_by(ctx, cond, yes.value, no.value)
        if value is not None:
            return Known(value, tuple(dict.fromkeys((*yes.needs, *no.needs))))
    return found


def finish(ctx: Context, s: Result) -> None:
    """`return`: the value goes to an argument."""
    if ctx.result is None:
        return
    value = data(ctx, s.value)
    t = ctx.result.type
    assert isinstance(t, Int | Float)
    ctx.block.append(Store(ctx.result, "=", conversions.stored(value, t, s.place), s.place))
