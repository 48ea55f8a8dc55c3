"""Calls: of functions of the file, which become calls of procedures, and of the few of string.h, which become loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..control import Poly, Symbol, divided, number, of
from ..report import Place, stop
from . import conversions, expressions, heap, lookups, ranges
from .context import Context
from .functions import MEMORY
from .integers import integer, observed
from .nests import nest
from .pointers import address, dimensions
from .program import Allocate, Argument, Data, For, Frame, Invoke, Lit, Procedure, Read, Scalar, Stmt, Store, Window
from .syntax import Call, Cast, Expr, Literal, Pointer, Unary, Use, Variable
from .types import U64, Float, Int, Void
from .typing import element_type, is_pointer
from .values import Address


def call_statement(ctx: Context, e: Call) -> None:
    """A call whose value isn't used."""
    if e.name in MEMORY:
        _memory(ctx, e)
    elif e.name in ctx.functions:
        _invoke(ctx, e)
    elif e.name == "exo_assert":
        ctx.procedure.notes.append("what the program asserts holds")
    elif e.name == "free":
        heap.free(ctx, e, e.place)
    else:
        why = "it isn't defined in this file, and what it does is not known"
        remedy = f"put the function into the file; or, if it changes nothing that is read here, --ignore {e.name}"
        raise stop(e.place, f"{e.name}(..)", why, remedy)


def call_value(ctx: Context, e: Call) -> Data:
    """A call whose value is used: a variable that the procedure sets."""
    result = _invoke(ctx, e)
    if result is None:
        raise stop(e.place, f"{e.name}(..)", "it returns nothing", "")
    assert isinstance(result.type, Int | Float)
    return Scalar(result, result.type)


def _invoke(ctx: Context, e: Call) -> Variable | None:
    """The call of a procedure; what it returns."""
    if ctx.guards:
        raise ctx.only_sometimes(e.place, f"{e.name}(..) behind && or ||")
    callee = ctx.callees.get(e.name)
    if callee is None:
        raise stop(e.place, f"{e.name}(..)", "this function isn't taken", "see what is said of it")
    quotient = next((a for a in callee.args if a.var.storage == "size" and a.extent_of is None), None)
    if quotient is not None:
        why = f"it has {quotient.var.name} as an argument, a quotient of two that C passes"
        raise stop(e.place, f"{e.name}(..)", why, "pass the quotient, and multiply in the function that is called")
    taken = sorted((a for a in callee.args if a.var.storage == "argument"), key=lambda a: a.position)
    if len(taken) != len(e.args):
        raise stop(e.place, f"{e.name}(..)", f"it takes {len(taken)} arguments", "")
    given = dict(zip((a.var for a in taken), e.args, strict=True))
    values = {a.symbol: _passed(ctx, a, given[a.var]) for a in taken if a.symbol is not None}
    arrays = {a.var: address(ctx, given[a.var]) for a in taken if a.shape}
    for a in callee.args:
        if a.symbol is not None and a.extent_of is not None:
            array = arrays.get(a.extent_of) or address(ctx, Use(a.extent_of, e.place))
            values[a.symbol] = _extent(ctx, a, array, e.place)
    known = {s: v for s, v in values.items() if s is not None}
    result: Variable | None = None
    args: list[Poly | Variable | Window] = []
    for a in callee.args:
        if a.symbol in values:
            args.append(values[a.symbol])
        elif a.var.storage == "result":
            assert a.type is not None
            result = ctx.temporary(f"{e.name}_result", a.type, e.place)
            ctx.block.append(Allocate(result, (), e.place))
            args.append(result)
        elif a.var.storage != "argument":
            args.append(_outer(ctx, e.name, a, known, e.place))
        elif a.var in arrays:
            _note(ctx, e.name, a.var, arrays[a.var].var, e.place)
            args.append(_window(ctx, a, arrays[a.var], known, e.place))
        elif is_pointer(a.var.type):
            one = _reference(ctx, a, given[a.var], a.var in callee.written)
            _note(ctx, e.name, a.var, one if isinstance(one, Variable) else one.access.var, e.place)
            args.append(one)
        else:
            args.append(_value(ctx, a, given[a.var], e.place))
    _claim(ctx, callee, {a: v.var for a, v in arrays.items()}, known)
    ranges.called(ctx)
    ctx.block.append(Invoke(callee.name, args, e.place))
    ctx.procedure.calls.append(e.name)
    return result


def _note(ctx: Context, name: str, formal: Variable, array: Variable, place: Place) -> None:
    """What a function does with an array that it gets."""
    ctx.procedure.passed.append((name, formal, array))
    if formal in ctx.callees[name].written:
        ctx.written.add(array)
    if formal in ctx.callees[name].indexing:
        ctx.indexing.setdefault(array, place)


def _claim(
    ctx: Context, callee: Procedure, arrays: Mapping[Variable, Variable], values: Mapping[Symbol, Poly]
) -> None:
    """What a procedure asks of the elements of its arrays is asked of what it gets."""
    own = {a.symbol for a in ctx.procedure.args}
    for formal, lo, hi in callee.claims:
        v = arrays.get(formal, formal)
        ends = lo.replaced(values), hi.replaced(values)
        claimed = v, *ends
        if all(e.symbols() <= own for e in ends) and v.storage != "local" and claimed not in ctx.procedure.claims:
            ctx.procedure.claims.append(claimed)


def _extent(ctx: Context, a: Argument, found: Address, place: Place) -> Poly:
    """The extent of an array that is passed, from where on it is, which C doesn't pass."""
    whole = dimensions(ctx, found.var)[len(found.indices) - 1]
    if whole is None:
        if not ctx.report.muted:
            ctx.unsized.add(found.var)
        why = f"it has {a.var.name} as an argument, the extent of an array, which C doesn't pass"
        raise stop(place, "this call", why, "declare the extent in the function that is called: x[n], not *x")
    return whole - found.indices[-1]


def _passed(ctx: Context, a: Argument, e: Expr) -> Poly:
    """A size or an index that is passed, at the type of the argument."""
    assert isinstance(a.type, Int)
    return observed(ctx, e, a.type)


def _outer(
    ctx: Context, name: str, a: Argument, values: Mapping[Symbol, Poly], place: Place
) -> Variable | Window | Poly:
    """A variable at file scope, which the caller has as an argument of its own."""
    if a.shape:
        _note(ctx, name, a.var, a.var, place)
        return _window(ctx, a, address(ctx, Use(a.var, place)), values, place)
    return a.var if a.symbol is None else integer(ctx, Use(a.var, place))


def _value(ctx: Context, a: Argument, e: Expr, place: Place) -> Variable:
    """A number that is passed: by reference, so it gets a variable of its own."""
    assert a.type is not None
    value = expressions.data(ctx, e)
    if isinstance(value, Scalar) and value.type == a.type:
        return value.var
    v = ctx.temporary(a.var.c_name, a.type, place)
    ctx.block += [Allocate(v, (), place), Store(v, "=", conversions.stored(value, a.type, place), place)]
    return v


def _reference(ctx: Context, a: Argument, e: Expr, written: bool) -> Variable | Window:
    """A single number that a function gets a pointer to: `&t`, or an element."""
    if isinstance(e, Unary) and e.op == "&" and isinstance(e.arg, Use) and isinstance(e.arg.var.type, Int | Float):
        v = e.arg.var
        if v.type != a.type:
            raise stop(e.place, f"the address of {v.c_name}", f"the function sees a {a.type} there", "use one type")
        if ctx.is_control(v):
            ctx.lose(v)
            why = "a function may change it, and indices or bounds are made of it"
            raise stop(e.place, f"the address of {v.c_name}", why, "return the number")
        if written:
            ctx.ranges.pop(v, None)
            lookups.given(ctx, v, None)
        return v
    found = address(ctx, e)
    if element_type(found.var) != a.type:
        why = f"the function sees a {a.type} there"
        raise stop(e.place, f"an element of {found.var.c_name} as an argument", why, "use one type")
    if written:
        ctx.written.add(found.var)
        ranges.stored(ctx, ctx.access(found.var, found.indices, e.place))
    return Window(ctx.access(found.var, found.indices, e.place), ())


def _window(ctx: Context, a: Argument, found: Address, values: Mapping[Symbol, Poly], place: Place) -> Window:
    """The part of an array that a procedure gets."""
    ctx.windowed.add(found.var)
    extents = tuple(x.replaced(values) for x in a.shape)
    rank = len(dimensions(ctx, found.var))
    if rank == 1 and len(extents) > 1 and len(found.indices) == 1:
        return _rows_of_flat(ctx, found, extents, place)
    if len(found.indices) != rank - len(extents) + 1:
        why = f"the function sees {len(extents)} dimensions, the array has {rank}"
        raise stop(place, f"{found.var.c_name} as an argument", why, "declare both with the same dimensions")
    corner = (*found.indices, *(number(0) for _ in extents[1:]))
    first = len(corner) - len(extents)
    end = (*corner[:first], *(c + x - 1 for c, x in zip(corner[first:], extents, strict=True)))
    ctx.access(found.var, end, place)
    return Window(ctx.access(found.var, corner, place), extents)


def _rows_of_flat(ctx: Context, found: Address, extents: tuple[Poly, ...], place: Place) -> Window:
    """The rows of a flat array that a procedure gets: the array must have such rows."""
    frames, index = [], number(0)
    for x in extents:
        frames.append(Frame(ctx.symbol("k"), number(0), x))
        index = index * x + of(frames[-1].symbol)
    with ctx.within(*frames):
        ctx.access(found.var, (found.indices[0] + index,), place)
    corner = ctx.access(found.var, found.indices, place)
    ctx.flat_windows.append((corner, extents))
    return Window(corner, extents)


# -- string.h -------------------------------------------------------------------------------------------


def _memory(ctx: Context, e: Call) -> None:
    """`memset(x, 0, bytes)` and `memcpy(x, y, bytes)`"""
    if len(e.args) != 3:
        raise stop(e.place, f"{e.name}(..)", "it takes 3 arguments", "")
    to, size = address(ctx, _plain(e.args[0])), observed(ctx, e.args[2], U64)
    t = element_type(to.var)
    assert isinstance(t, Int | Float)
    count = size.over(t.bits // 8)
    if count * (t.bits // 8) != size:
        raise stop(e.place, f"{e.name}(..)", f"{size} bytes are no whole number of {t} elements", "")
    frames, at = _cover(ctx, to, count, e.place)
    source = to
    byte = _byte(e, t) if e.name == "memset" else 0
    if e.name != "memset":
        source = address(ctx, _plain(e.args[1]))
        if element_type(source.var) != t or _rows(ctx, source) != _rows(ctx, to):
            raise stop(e.place, f"{e.name}(..)", "the two have elements of different types or rows", "write a loop")
        if source.var is to.var and e.name == "memmove":
            at = _in_order(ctx, e, to, source, count, at)

    def copy() -> Stmt:
        value: Data = Lit(byte if isinstance(t, Int) else 0.0, t)
        if source is not to:
            value = Read(ctx.access(source.var, _moved(source, at), e.place), t)
        ctx.written.add(to.var)
        return Store(ctx.access(to.var, _moved(to, at), e.place), "=", value, e.place)

    ranges.called(ctx)
    _nest(ctx, frames, copy, e.place)


def _byte(e: Call, t: Int | Float) -> int:
    """The number whose bytes are all what memset sets them to."""
    fill = e.args[1]
    negative = isinstance(fill, Unary) and fill.op == "-"
    value = fill.arg if isinstance(fill, Unary) and negative else fill
    if not isinstance(value, Literal) or not isinstance(value.value, int) or (value.value and isinstance(t, Float)):
        raise stop(e.place, "memset(..)", f"this is no number that is known in type {t}", "write a loop")
    byte = (-value.value if negative else value.value) & 255
    found = int.from_bytes(bytes([byte] * (t.bits // 8)), "little")
    return found - (1 << t.bits) if isinstance(t, Int) and found > t.range[1] else found


def _in_order(ctx: Context, e: Call, to: Address, source: Address, count: Poly, at: list[Poly]) -> list[Poly]:
    """The iterations of a copy within an array, in the order in which nothing is written before it is read."""
    by = to.indices[-1] - source.indices[-1]
    forward = by.constant is not None and by.constant <= 0
    if to.indices[:-1] != source.indices[:-1] or len(at) > 1 or by.constant is None:
        raise stop(e.place, f"{e.name}(..)", "both are in one array", "write a loop, in the order that is meant")
    return at if forward else [count - 1 - at[0]]


def _rows(ctx: Context, a: Address) -> tuple[Poly | None, ...]:
    """The shape of what an address points to, if that is a row of its array."""
    return dimensions(ctx, a.var)[len(a.indices) :]


def _plain(e: Expr) -> Expr:
    """A pointer without a cast to void *."""
    return e.arg if isinstance(e, Cast) and e.type == Pointer(Void()) else e


def _cover(ctx: Context, to: Address, count: Poly, place: Place) -> tuple[list[Frame], list[Poly]]:
    """Loops over so many elements from an address on: of the last dimension, or of whole rows."""
    shape = dimensions(ctx, to.var)
    inner = shape[len(to.indices) :]
    total = number(1)
    for x in inner:
        assert x is not None
        total = total * x
    outer = count
    if inner:
        found = divided(count, total)
        if found is None or found[1].constant != 0:
            raise stop(place, "memset or memcpy", "it ends in the middle of a row", "write loops")
        outer = found[0]
    if not inner:
        flat, whole = nest(ctx, outer, "k")
        return list(flat), [whole]
    frames = [Frame(ctx.symbol("k"), number(0), outer)]
    for x in inner:
        assert x is not None
        ctx.live = (*ctx.live, frames[-1].symbol.name)
        frames.append(Frame(ctx.symbol("k"), number(0), x))
    ctx.live = ctx.live[: len(ctx.live) - len(inner)]
    return frames, [of(f.symbol) for f in frames]


def _moved(base: Address, at: list[Poly]) -> tuple[Poly, ...]:
    """The element at these distances from an address."""
    return (*base.indices[:-1], base.indices[-1] + at[0], *at[1:])


def _nest(ctx: Context, frames: list[Frame], inner: Callable[[], Stmt], place: Place) -> None:
    """Loops around a statement."""
    if not frames:
        ctx.block.append(inner())
        return
    body: list[Stmt] = []
    with ctx.into(body), ctx.within(frames[0]):
        _nest(ctx, frames[1:], inner, place)
    ctx.block.append(For(frames[0], body, place))
