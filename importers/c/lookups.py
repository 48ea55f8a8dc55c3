"""Indices that are computed from data: `x[best]`, `table[(int)f]`, `count[digit(k)]`.

The object language takes an integer of memory as an index. Where it points to isn't known, so it is kept inside by a
minimum and a maximum: `x[min(max(best, 0), n - 1)]`. In C an index outside leaves open what happens, so nothing is
changed by that, if x has just so many elements. How many is what C declares, or what the values need that the index may
have, or else an argument that C hasn't.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..control import Element, Poly, Symbol, elements, least, most, number, of
from ..report import NOWHERE, Stop, stop
from . import conversions, expressions, pointers
from .bounds import highest, lowest, surely_not_negative
from .constants import constant
from .context import Context, Given
from .program import (
    Access,
    Allocate,
    Arithmetic,
    Chosen,
    Converted,
    Data,
    Extern,
    Frame,
    Lit,
    Need,
    Read,
    Scalar,
    Store,
    Whole,
    facts_of,
    other_than_0,
)
from .syntax import Array, Assign, Binary, Cast, Expr, Index, Literal, Pointer, Step, Table, Unary, Use, Variable
from .types import I32, I64, U64, Int
from .typing import element_type, is_pointer, type_of
from .values import Address
from .walks import initial, inside, used

MANY = 64
"""How many values of indices are looked at, for one access."""


def changing(p: Poly) -> list[Element]:
    """The elements in a polynomial that may change."""
    return [e for e in elements(p) if e.changes]


# -- reading --------------------------------------------------------------------------------------------


def is_read(ctx: Context, e: Expr) -> bool:
    """Whether an expression in an index is computed as data, and then read."""
    if not ctx.has_data(e) or is_pointer(type_of(e, ctx.functions)):
        return False
    t = type_of(e, ctx.functions)
    match e:
        case Binary(op="+" | "-" | "*") | Unary(op="+" | "-"):
            return not (isinstance(t, Int) and t.signed)
        case Index() | Unary(op="*"):
            return not _never_changes(ctx, e)
        case _:
            return True


def _never_changes(ctx: Context, e: Expr) -> bool:
    """Whether an element is one of an argument that the function doesn't write, at an index that is in closed form."""
    with ctx.trial():
        try:
            var, indices = pointers.element(ctx, e)
        except Stop:
            return False
        outside = var.storage in ("argument", "file", "member") and isinstance(element_type(var), Int)
        outside = outside and not is_constant(var)
        return outside and var not in ctx.hints.changing and not any(changing(i) for i in indices)
    raise AssertionError("a trial ends")


def is_index(ctx: Context, e: Expr) -> bool:
    """Whether an expression is an element of an array that indices are read from and that never changes, but for a
    number that is added."""
    if isinstance(e, Binary) and e.op in ("+", "-") and isinstance(e.rhs, Literal):
        return is_index(ctx, e.lhs)
    if isinstance(e, Cast) and isinstance(e.type, Int):
        return is_index(ctx, e.arg)
    return isinstance(e, Index) and any(v in ctx.kinds.indices for v in used(e)) and _never_changes(ctx, e)


def read(ctx: Context, e: Expr) -> Poly:
    """An integer of memory as an index."""
    with ctx.reading(cells=False):
        if isinstance(e, Step) and not any(isinstance(x, Step | Assign) for x in inside(e.target)):
            return of(Element(_stepped(ctx, e), (), _moment(ctx)))
        value = expressions.data(ctx, e)
        match value:
            case _ if value.type == U64:
                return of(Element(_kept(ctx, value, e), (), _moment(ctx)))
            case Scalar(var=v) if isinstance(v.type, Int):
                return of(Element(v, (), _moment(ctx)))
            case Read(access=a) if isinstance(value.type, Int) and not any(changing(i) for i in a.indices):
                return of(Element(a.var, a.indices, _moment(ctx)))
            case _:
                return of(Element(_kept(ctx, value, e), (), _moment(ctx)))


def computed(ctx: Context, e: Expr) -> Poly:
    """An index that is a choice of numbers in closed form, but in none itself: `x[i + 1 < n ? i + 1 : 0]`."""
    with ctx.reading(cells=False):
        value = expressions.data(ctx, e)
    v = _kept(ctx, value, e)
    given(ctx, v, value)
    return of(Element(v, (), _moment(ctx)))


def _moment(ctx: Context) -> int:
    ctx.counter += 1
    return ctx.counter


def _kept(ctx: Context, value: Data, e: Expr) -> Variable:
    """A variable with the value of an index; of one byte or two, if that is enough. Indices of C have a sign."""
    if ctx.guards:
        raise ctx.only_sometimes(e.place, "an index behind &&, || or ?")
    assert isinstance(value.type, Int)
    lo, hi = conversions.value_range(value)
    t = next((t for t in (Int(8, False), Int(16, False)) if lo >= 0 and hi <= t.range[1]), value.type)
    t = I64 if t == U64 else t
    v = ctx.temporary("at", t, e.place)
    ctx.block += [Allocate(v, (), e.place), Store(v, "=", conversions.stored(value, t, e.place), e.place)]
    return v


def _stepped(ctx: Context, e: Step) -> Variable:
    """`k++` and `++k` of data: the step comes before, and what k is for the index is kept."""
    from .statements import store  # which asks for expressions

    v = None
    if e.after:
        v = _kept(ctx, expressions.data(ctx, e.target), e)
    elif ctx.guards:
        raise ctx.only_sometimes(e.place, "a step behind &&, || or ?")
    store(ctx, e.target, "+" if e.by > 0 else "-", Lit(1, Int(32, True)), e.place)
    return v or _kept(ctx, expressions.data(ctx, e.target), e)


def check_rows(e: Expr, var: Variable, indices: tuple[Poly, ...]) -> None:
    """Raise a problem if a pointer that walks through rows is moved by what is read from memory: it may leave its row,
    which an index of `x[i][j]` does not."""
    at = e
    while isinstance(at, Index):
        at = at.base
    if any(changing(i) for i in indices[1:]) and not (isinstance(at, Use) and at.var is var):
        why = "it walks through the rows of an array, and in which row it is depends on data"
        raise stop(e.place, f"a pointer into {var.c_name}", why, f"write all indices: {var.c_name}[i][j]")


def is_flat(ctx: Context, var: Variable, index: Poly) -> bool:
    """Whether an index of a flat array is computed as it stands in C: it was found that it can't be taken apart, or
    isn't in closed form."""
    return var in ctx.hints.flat and (bool(changing(index)) or not index.is_affine())


def flat(ctx: Context, index: Poly, e: Expr) -> Poly:
    """An index that is computed as a number."""
    at = e.rhs if isinstance(e, Binary) and e.op == "+" else e
    t = type_of(at, ctx.functions)
    steps = any(isinstance(x, Step | Assign) for x in inside(e))
    if isinstance(e, Binary) and isinstance(t, Int) and not steps and _begins(ctx, e.lhs):
        with ctx.reading(cells=False):
            value = expressions.data(ctx, at)
    else:
        value = expressions.summed(index, Int(32, True))
    return of(Element(_kept(ctx, value, e), (), _moment(ctx)))


def _begins(ctx: Context, e: Expr) -> bool:
    """Whether an expression is the name of an array, or of a pointer that is where it was."""
    if not isinstance(e, Use):
        return False
    held = ctx.values.get(e.var)
    return isinstance(e.var.type, Array) or (isinstance(held, Address) and held.indices == (number(0),))


def remainder(ctx: Context, e: Binary, x: Poly, by: Poly) -> Poly:
    """`x % by`, of a number that isn't negative and a size."""
    why = f"C cuts {x.operand()} % {by.operand()} towards zero, and the object language takes the floor"
    ctx.need(x, why, "add a multiple", e.place)
    ctx.need(by - 1, f"{by} may be 0", "test it", e.place)
    v = _kept(ctx, Arithmetic("%", Whole(x, I32), Whole(by, I32), I32), e)
    if not ctx.report.muted:
        ctx.given[v] = [Given(number(0)), Given(by - 1)]
    return of(Element(v, (), _moment(ctx)))


# -- where it may point to ------------------------------------------------------------------------------


def given(ctx: Context, v: Variable, value: Data | None) -> None:
    """An integer of the function is given a value; None if it isn't known."""
    if v.storage != "local" or not isinstance(v.type, Int) or ctx.report.muted:
        return
    ctx.given.setdefault(v, []).extend(_values(ctx, value, (*ctx.facts, *_beside(ctx, ctx.facts, ctx.other))))


def _values(ctx: Context, value: Data | None, facts: tuple[Poly, ...]) -> Iterator[Given]:
    match value:
        case Extern(name="tmod", args=(Whole(value=x), Whole(value=by))) if _is_positive(ctx, x, by):
            yield from (Given(p, ctx.frames, facts) for p in (number(0), by - 1))
        case Lit(value=int() as k):
            yield Given(number(k), ctx.frames, facts)
        case Whole(value=p):
            yield Given(p, ctx.frames, facts)
        case Chosen(cond=cond, yes=yes, no=no):
            for side, holds in ((yes, True), (no, False)):
                here = (*facts, *facts_of(cond, holds))
                yield from _values(ctx, side, (*here, *_beside(ctx, here, other_than_0(cond, holds))))
        case Converted(arg=arg):
            yield from _values(ctx, arg, facts)
        case _:
            yield Given(None, ctx.frames, facts)


def _beside(ctx: Context, facts: tuple[Poly, ...], other: tuple[Poly, ...]) -> Iterator[Poly]:
    """Of what is not 0, but never negative, that it is at least 1; and so of its opposite."""
    for p in (*other, *(-p for p in other)):
        low = lowest(p, ctx.frames, facts)
        if low is not None and surely_not_negative(low):
            yield p - 1


def _is_positive(ctx: Context, x: Poly, by: Poly) -> bool:
    """Whether a remainder is one of a number that isn't negative, by a size. The front end proves it."""
    low = lowest(x, ctx.frames, ctx.facts)
    if low is None or not surely_not_negative(low) or not surely_not_negative(by - 1):
        return False
    ctx.need(low, f"C cuts {x.operand()} % {by.operand()} towards zero", "", NOWHERE)
    ctx.need(by - 1, f"{by} may be 0", "", NOWHERE)
    return True


def cases(ctx: Context, index: Poly, a: Access) -> list[Given] | None:
    """What an index may be: for each value that its elements may have; None if that isn't known."""
    found = [Given(index, a.frames, a.facts)]
    for e in changing(index):
        values = _numbers(e)
        if isinstance(e.array, Variable) and not e.indices:
            values = ctx.given.get(e.array, [])
        if not values or len(found) * len(values) > MANY:
            return None
        found = [g for one in found for v in values for g in _with(ctx, one, e, v)]
        if any(g.value is None for g in found):
            return None
    return found


def _numbers(e: Element) -> list[Given]:
    """The least and the greatest number of a constant table."""
    v = e.array
    if not isinstance(v, Variable) or not is_constant(v) or not isinstance(v.init, Table):
        return []
    found = list(initial(v))
    if not all(constant(x) is not None for x in found):
        return []
    every = {constant(x) or 0 for x in found} | {0}  # what a table leaves out is 0
    return [Given(number(min(every))), Given(number(max(every)))]


def is_constant(v: Variable) -> bool:
    """Whether a variable never changes, and its value stands in the file."""
    return v.const and v.init is not None and not isinstance(v.type, Pointer)


def _with(ctx: Context, g: Given, e: Element, v: Given) -> Iterator[Given]:
    """An index with a value in the place of an element. The loops around the two are not in the same iteration."""
    if v.value is None or g.value is None:
        yield Given(None)
        return
    fresh: dict[Symbol, Poly] = {}
    frames: list[Frame] = []
    for f in v.frames:
        ctx.counter += 1
        symbol = Symbol(f.symbol.name, ctx.counter, True)
        frames.append(Frame(symbol, f.lo.replaced(fresh), f.hi.replaced(fresh)))
        fresh[f.symbol] = of(symbol)
    facts = tuple(p.replaced(fresh) for p in v.facts)
    value = g.value.with_element(e, v.value.replaced(fresh))
    yield Given(value, (*g.frames, *frames), (*g.facts, *facts))


# -- kept inside ----------------------------------------------------------------------------------------


def keep_inside(ctx: Context, extents: dict[Variable, tuple[Poly, ...]]) -> None:
    """Say of each index that is computed that it is inside, by a minimum and a maximum."""
    p = ctx.procedure
    for a in p.accesses:
        indices = p.indices.get(a, a.indices)
        shape = extents.get(a.var) or tuple(d for d in pointers.dimensions(ctx, a.var) if d is not None)
        if len(shape) < len(indices):  # no extent was found, which is reported
            continue
        if len(a.indices) < len(indices) and any(changing(i) for i in indices[1:]):
            _check_rows_of(ctx, a, indices, shape)
        if any(changing(i) for i in indices):
            p.indices[a] = tuple(_inside(i, x) for i, x in zip(indices, shape, strict=True))
            if p.windows and a.var in extents and p.indices[a] != indices:
                note = f"indices of {a.var.name} that depend on data are inside of the part of an array that it is"
                p.notes += [] if note in p.notes else [note]


def _check_rows_of(ctx: Context, a: Access, indices: tuple[Poly, ...], shape: tuple[Poly, ...]) -> None:
    """Of a flat array a number beyond a row is in the next one, so it isn't enough to keep it inside."""
    for index, row in zip(indices[1:], shape[1:], strict=True):
        for g in cases(ctx, index, a) or [Given(None)] if changing(index) else ():
            low = None if g.value is None else lowest(g.value, g.frames, g.facts)
            high = None if g.value is None else highest(g.value, g.frames, g.facts)
            wanted = [] if low is None or high is None else [low, row - 1 - high]
            if wanted and all(surely_not_negative(n) for n in wanted):
                why = f"{a.var.c_name} has rows of {row} elements"
                ctx.procedure.body += [Need(n, why, "declare it with rows", a.place) for n in wanted]
            else:
                ctx.flat.add(a.var)
                why = "in which row an index is depends on data"
                raise stop(a.place, f"an element of {a.var.c_name}", why, "declare the array with rows: x[n][m]")


def _inside(index: Poly, extent: Poly) -> Poly:
    if not changing(index):
        return index
    if len(index.terms) == 1 and index.terms[0][1] == 1 and isinstance(index.terms[0][0][0], Element):
        e = index.terms[0][0][0]
        assert isinstance(e.array, Variable)
        t = element_type(e.array)
        assert isinstance(t, Int)
        lo, hi = t.range
        low = index if lo >= 0 else most(index, number(0))
        return low if extent.constant is not None and hi < extent.constant else least(low, extent - 1)
    return least(most(index, number(0)), extent - 1)
