"""Pointers: into which array they point, and where.

A pointer is an array and an index for each dimension of its type as far as it was followed; `p + k` moves the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..control import Poly, number
from ..report import Place, stop
from . import integers, lookups
from .syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Cast,
    Expr,
    Index,
    Literal,
    Pointer,
    Step,
    Type,
    Unary,
    Untaken,
    Use,
    Variable,
)
from .types import I64, Float, Int, Void
from .typing import decayed, is_pointer, type_of
from .values import Address

if TYPE_CHECKING:
    from .context import Context


def address(ctx: Context, e: Expr) -> Address:
    """Where a pointer points; its side effects happen."""
    match e:
        case Use(var=v) if isinstance(v.type, Array):
            return Address(v, (number(0),))
        case Use(var=v):
            found = ctx.known(v, e.place)
            assert isinstance(found, Address)
            return found
        case Index() | Unary(op="*"):
            var, indices = element(ctx, e)
            if not isinstance(type_of(e, ctx.functions), Array):
                raise stop(e.place, "a pointer in memory", "arrays of pointers are not taken", "pass a flat array")
            return Address(var, (*indices, number(0)))
        case Unary(op="&", arg=arg):
            var, indices = element(ctx, arg)
            if not indices:
                what = f"the address of {var.c_name}"
                raise stop(e.place, what, "a single number has no address in the object language", "make it an array")
            return Address(var, indices)
        case Binary(op=("+" | "-"), lhs=a, rhs=b):
            return _sum(ctx, e.op, a, b)
        case Step() | Assign():
            moved = integers.effect(ctx, e)
            if isinstance(moved, Address):
                return moved
        case Untaken(what=what, why=why, remedy=remedy):
            raise stop(e.place, what, why, remedy)
        case Cast(type=t, arg=arg) if _same_elements(t, type_of(arg, ctx.functions)):
            return address(ctx, arg)
        case Cast(type=t):
            why = "an array has one type of elements"
            raise stop(e.place, "a cast of a pointer", why, "declare the argument with the type it is used at")
        case Call(name=name):
            why = "memory of the object language ends with its block" if "alloc" in name else "it returns a pointer"
            raise stop(e.place, f"{name}(..)", why, "declare a local array, or pass it as an argument")
        case _:
            pass
    raise stop(e.place, "this pointer", "it isn't known into which array it points", "use an index of the array")


def _sum(ctx: Context, op: str, a: Expr, b: Expr) -> Address:
    if not is_pointer(decayed(type_of(a, ctx.functions))):
        a, b = b, a
    base = address(ctx, a)
    by = integers.at_type(ctx, b, I64)
    return Address(base.var, (*base.indices[:-1], base.indices[-1] + (by if op == "+" else -by)), base.needs)


def _same_elements(t: Type, source: Type) -> bool:
    source = decayed(source)
    return isinstance(t, Pointer) and isinstance(source, Pointer) and t.to == source.to


def element(ctx: Context, e: Expr) -> tuple[Variable, tuple[Poly, ...]]:
    """The array and the indices that an lvalue means."""
    match e:
        case Index(base=base, at=at):
            if is_pointer(decayed(type_of(at, ctx.functions))):
                base, at = at, base
            found = address(ctx, Binary("+", base, at, e.place))
            return found.var, _looked_up(ctx, found, Binary("+", base, at, e.place))
        case Unary(op="*", arg=arg):
            found = address(ctx, arg)
            return found.var, _looked_up(ctx, found, arg)
        case Use(var=v):
            return v, ()
        case _:
            raise stop(e.place, "this is no place in memory", "it can't be assigned or indexed", "")


def _looked_up(ctx: Context, found: Address, e: Expr) -> tuple[Poly, ...]:
    """The indices of an element; of a flat array whose rows aren't known, as a number that is computed first."""
    if not ctx.cells or len(found.indices) != 1 or not lookups.is_flat(ctx, found.var, found.indices[0]):
        return found.indices
    return (lookups.flat(ctx, found.indices[0], e),)


def dimensions(ctx: Context, v: Variable) -> tuple[Poly | None, ...]:
    """The extents of an array as C declares them, with the values that variables have where it does so; None for those
    that it doesn't say. The declaration must ask first."""
    if v in ctx.shapes:
        return ctx.shapes[v]
    found: list[Poly | None] = []
    t = v.type
    while isinstance(t, Array | Pointer):
        extent = t.extent if isinstance(t, Array) else None
        found.append(None if extent is None else integers.observed(ctx, extent))
        t = t.of if isinstance(t, Array) else t.to
    return ctx.shapes.setdefault(v, tuple(found))


def is_null(e: Expr) -> bool:
    """Whether an expression is a null pointer."""
    match e:
        case Cast(type=Pointer(to=Void()), arg=arg):
            return is_null(arg)
        case Literal(value=0):
            return True
        case _:
            return False


def size_of(ctx: Context, what: Expr | Type, place: Place) -> int:
    """The bytes of a type, or of an expression's type."""
    is_type = isinstance(what, Int | Float | Void | Array | Pointer)
    t: Type = what if is_type else type_of(what, ctx.functions)  # type: ignore[arg-type,assignment]
    return _bytes(ctx, t, place)


def _bytes(ctx: Context, t: Type, place: Place) -> int:
    match t:
        case Int(bits=bits) | Float(bits=bits):
            return bits // 8
        case Array(of=inner, extent=extent) if extent is not None:
            count = integers.observed(ctx, extent).constant
            if count is not None:
                return count * _bytes(ctx, inner, place)
        case Pointer():
            why = "an array argument is a pointer in C, too, and this is its size, not that of what it points to"
            raise stop(place, "sizeof of a pointer", why, "write the count, or ask for an element: sizeof x[0]")
        case _:
            pass
    raise stop(place, "sizeof", "the size is no number that is known here", "write the count")
