"""Memory of the heap: `malloc` and `calloc` are local buffers, `free` is nothing."""

from __future__ import annotations

from ..control import divided, number
from ..names import spelled
from ..report import Place, stop
from . import integers, nests
from .context import Context
from .program import Allocate, Lit
from .syntax import Array, Call, Cast, Expr, Pointer, Variable
from .types import U64, Float, Int
from .typing import decayed, type_of
from .values import Address, Lost

SIZES = {"malloc": (0,), "calloc": (0, 1), "aligned_alloc": (1,)}
"""The arguments whose product is the number of bytes."""


def taken(e: Expr) -> Call | None:
    """The call of malloc or the like that an expression is."""
    while isinstance(e, Cast):
        e = e.arg
    return e if isinstance(e, Call) and e.name in SIZES else None


def allocate(ctx: Context, v: Variable, e: Call) -> Address:
    """A buffer, to whose first element a pointer points."""
    t = v.type.to if isinstance(v.type, Pointer) else None
    if not isinstance(t, Int | Float):
        raise stop(e.place, f"{e.name}(..) for {v.c_name}", "memory is for numbers of one type", "use int or double")
    if ctx.guards or v.storage != "local":
        why = "a buffer of the object language ends with the block that it is allocated in"
        raise stop(e.place, f"{e.name}(..) for {v.c_name}", why, "pass it as an argument")
    size = number(1)
    for k in SIZES[e.name]:
        size = size * integers.observed(ctx, e.args[k], U64)
    parts = divided(size, number(t.bits // 8))
    if parts is None or parts[1].terms:
        what = f"{e.name}(..) for {v.c_name}"
        raise stop(e.place, what, f"{size} bytes are no whole number of {t} elements", "multiply by sizeof")
    count = parts[0]
    name = spelled(v.c_name, ctx.names)
    array = Variable(name, v.c_name, Array(t, None), "heap", v.place)
    ctx.names.add(name)
    ctx.shapes[array] = (count,)
    made = Allocate(array, (count,), e.place)
    ctx.allocated[array] = made
    ctx.block.append(made)
    ctx.procedure.notes.append(f"there is memory for {v.c_name}")
    if e.name == "calloc":
        zero = Lit(0 if isinstance(t, Int) else 0.0, t)
        nests.filled(ctx, array, count, zero, e.place)
    return Address(array, (number(0),))


def free(ctx: Context, e: Call, place: Place) -> None:
    """The end of a buffer, which is that of its block."""
    from . import pointers

    if len(e.args) == 1 and isinstance(decayed(type_of(e.args[0], ctx.functions)), Pointer):
        found = pointers.address(ctx, e.args[0])
        if found.var.storage == "heap":
            for v, held in list(ctx.values.items()):
                if isinstance(held, Address) and held.var is found.var:
                    ctx.values[v] = Lost(f"{v.c_name} was freed")
            return
    why = "what was allocated elsewhere is freed elsewhere"
    raise stop(place, "free(..)", why, "free it where it was allocated")
