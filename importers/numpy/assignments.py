"""Assignments."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ..control import number
from ..report import stop
from . import cells, gathers
from .context import Context
from .elementwise import array, operand
from .expressions import combined, index, value
from .indexing import mask_of, masked, subscript
from .kinds import can_cast
from .program import Elem, Num
from .source import place
from .storing import assign
from .values import Array, Chosen, Computed, Integer, Member, Tuple, Value, of_view


def bind(ctx: Context, t: ast.expr, v: Value) -> None:
    """An assignment."""
    match t:
        case ast.Name(id=name):
            set_name(ctx, name, v)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            unpack(ctx, items, v)
        case ast.Subscript():
            store(ctx, t, v)
        case _:
            raise stop(ctx.place, ast.unparse(t), "what is assigned to is no variable or array", "use an array")


def unpack(ctx: Context, targets: Sequence[ast.expr], v: Value) -> None:
    """`a, b = ..`: all of the right side is computed first."""
    if isinstance(v, Computed):
        v = ctx.materialised(v)
    if isinstance(v, Array) and v.ndim:
        ctx.same(v.shape[0], number(len(targets)), "an assignment to several")
        items: tuple[Value, ...] = tuple(
            subscript(ctx, v, [Integer(number(k))], "an assignment") for k in range(len(targets))
        )
    elif isinstance(v, Tuple):
        items = v.items
    else:
        raise stop(ctx.place, "an assignment to several", "the right side is no tuple", "assign one by one")
    if len(items) != len(targets):
        why = f"{len(items)} values for {len(targets)} names"
        raise stop(ctx.place, "an assignment to several", why, "Python raises a ValueError here")
    subscripts = any(isinstance(t, ast.Subscript) for t in targets)
    done = [_settled(ctx, i, subscripts) for i in items]
    for t, i in zip(targets, done, strict=True):
        bind(ctx, t, i)


def _settled(ctx: Context, v: Value, stored: bool) -> Value:
    """A value that later stores don't change: a place in memory stays one."""
    if isinstance(v, Tuple):
        return Tuple(tuple(_settled(ctx, i, True) for i in v.items), v.is_list)
    if isinstance(v, Computed) or (isinstance(v, Array) and v.reads and (v.view is None or (stored and v.ndim == 0))):
        return ctx.materialised(v)
    if isinstance(v, Array) and stored and v.view is not None:
        return v
    return v


def settled(ctx: Context, name: str, v: Value) -> Value:
    """A tuple whose numbers and arrays later stores don't change, but where it has places in memory."""
    if isinstance(v, Tuple):
        return Tuple(tuple(settled(ctx, name, i) for i in v.items), v.is_list)
    if isinstance(v, Member) and v.of is not None:
        raise stop(ctx.place, name, "a method is no array or number", "call it here")
    if isinstance(v, Chosen):
        raise stop(ctx.place, name, "how many elements it has depends on data", "write np.where(mask, .., 0)")
    if not isinstance(v, Array | Computed) or (isinstance(v, Array) and not v.reads):
        return v
    if isinstance(v, Array):
        ctx.unshared(v, name)
        if v.view is not None:
            return v
    return _kept(ctx.materialised(v), v)


def once(ctx: Context, what: str, v: Value) -> Value:
    """A value that is used several times, and is one object in Python: it is computed here, and all uses share it."""
    if isinstance(v, Tuple):
        return Tuple(tuple(once(ctx, what, i) for i in v.items), v.is_list)
    v = settled(ctx, what, v)
    return ctx.materialised(v) if isinstance(v, Array) and v.view is None and v.ndim else v


def set_name(ctx: Context, name: str, v: Value) -> None:
    """`name = v`: the name stands for a place in memory, or for a new buffer."""
    if isinstance(v, Chosen):
        v = Chosen(ctx.materialised(v.part, name), ctx.materialised(v.mask, "mask"), f"{name} {ctx.counter}")
    if not isinstance(v, Array | Computed):
        ctx.env[name] = v if isinstance(v, Chosen) else settled(ctx, name, v)
        return
    if isinstance(v, Array):
        ctx.unshared(v, name)
    if isinstance(v, Array) and v.view is not None:
        ctx.env[name] = v
        return
    if isinstance(v, Array) and not v.ndim and not v.reads and v.cheap and isinstance(v.at(()), Num):
        ctx.env[name] = v
        return
    if isinstance(v, Array) and _is_index(ctx, v) and name not in ctx.slots[-1]:
        ctx.env[name] = v
        return
    slot = ctx.slots[-1].get(name)
    fits = slot is not None and slot.buffer.kind == v.kind and slot.shape == v.shape
    if slot is not None and fits and all(n == name for n in ctx.holders(slot.buffer)):
        assign(ctx, slot, v)
        ctx.env[name] = _kept(replace(of_view(slot), kind=v.kind), v)
        return
    ctx.env[name] = _kept(ctx.materialised(v, name.partition(" ")[0]), v)


def _kept(at: Array, v: Array | Computed) -> Array:
    """An array that a value was computed into; it still says of what NumPy has it as a part."""
    if isinstance(v, Array) and v.copies and v.ndim:
        return replace(at, copies=True, reads=(*at.reads, *v.reads))
    if isinstance(v, Array) and v.boxed:
        return replace(at, boxed=True)
    return at


def _is_index(ctx: Context, v: Array) -> bool:
    """Whether a number is an element of an argument that isn't written, so that the name may stand for it."""
    e = v.at(()) if not v.ndim and v.cheap and len(v.reads) == 1 else None
    return isinstance(e, Elem) and cells.steady(ctx, e.buffer)


def store(ctx: Context, t: ast.Subscript, v: Value) -> None:
    """`a[..] = v`"""
    of = value(ctx, t.value)
    at = index(ctx, t.slice)
    ctx.place = place(t)
    what = ast.unparse(t)
    if isinstance(of, Array) and mask_of(at) is None and gathers.with_arrays(at):
        gathers.scattered(ctx, gathers.picked(ctx, of, at, what), operand(ctx, v, what))
        return
    target, mask = _target(ctx, of, at, what)
    alike = isinstance(v, Chosen) and mask is not None and v.key == ast.dump(t.slice)
    found = v.part if isinstance(v, Chosen) and alike else operand(ctx, v, what)
    if mask is not None and found.ndim and not alike:
        why = "the values under a mask are one number here"
        raise stop(ctx.place, what, why, "write np.where, or a loop")
    assert target.view is not None
    assign(ctx, target.view, found, mask)


def _target(ctx: Context, of: Value, at: list, what: str) -> tuple[Array, Array | None]:  # type: ignore[type-arg]
    """The place that is written, and the mask over it."""
    if not isinstance(of, Array) or (of.view is None and of.ndim):
        raise stop(ctx.place, what, "what is written is no array that a name stands for", "give it a name")
    mask: Array | None = None
    if mask_of(at) is not None:
        target, mask = masked(ctx, of, at, what)
    else:
        target = subscript(ctx, of, at, what)
    if target.view is None:
        place_read = next(iter(target.reads), None)
        if place_read is None or of.view is None:
            raise stop(ctx.place, what, "it is no place in memory", "assign to an element of an array")
        target = of_view(place_read)
    return target, mask


def augmented(ctx: Context, s: ast.AugAssign) -> None:
    """`x += e`: an array is changed in place, a number gets a new value."""
    if isinstance(s.target, ast.Subscript):
        of = value(ctx, s.target.value)
        at = index(ctx, s.target.slice)
        what = ast.unparse(s.target)
        ctx.place = place(s)
        if isinstance(of, Array) and mask_of(at) is None and gathers.with_arrays(at):
            _scattered_update(ctx, s, gathers.picked(ctx, of, at, what), what)
            return
        target, mask = _target(ctx, of, at, what)
        if mask is not None:
            _masked_update(ctx, s, target, mask)
            return
        e = value(ctx, s.value)
        ctx.place = place(s)
        _in_place(ctx, s.op, target, e, what)
        return
    assert isinstance(s.target, ast.Name)
    name = s.target.id
    before = value(ctx, ast.copy_location(ast.Name(name, ast.Load()), s.target))
    e = value(ctx, s.value)
    ctx.place = place(s)
    if isinstance(before, Array) and before.ndim:
        if before.view is None:
            before = ctx.materialised(before, name)
        _in_place(ctx, s.op, before, e, name)
        return
    if isinstance(before, Tuple) and before.is_list:
        raise stop(ctx.place, name, "it is a list, and changes under all its names", "write x = x + [..]")
    if isinstance(before, Array) and before.boxed:
        raise stop(ctx.place, name, "it is an array without dimensions, and changes in place", "write x = x + ..")
    set_name(ctx, name, combined(ctx, s.op, before, e))


def _in_place(ctx: Context, op: ast.operator, target: Array, e: Value, what: str) -> None:
    found = operand(ctx, combined(ctx, op, target, e))
    assert target.view is not None
    if target.ndim:
        _castable(ctx, found, target, f"{what} {type(op).__name__}")
    assign(ctx, target.view, found)


def _castable(ctx: Context, found: Array | Computed, target: Array, what: str) -> None:
    to = target.kind
    if not can_cast(found.kind, to):
        why = f"the result is {found.kind} and the array {to}, which NumPy refuses to cast in place"
        raise stop(ctx.place, what, why, "write x = x + .., or convert with astype")


def _scattered_update(ctx: Context, s: ast.AugAssign, at: gathers.Picked, what: str) -> None:
    """`a[index] += e`: NumPy reads all elements, then writes them, so a place that stands twice is changed once."""
    e = value(ctx, s.value)
    ctx.place = place(s)
    before = gathers.gathered(ctx, at)
    found = operand(ctx, combined(ctx, s.op, before, e), what)
    gathers.scattered(ctx, at, ctx.materialised(found))


def _masked_update(ctx: Context, s: ast.AugAssign, target: Array, mask: Array) -> None:
    """`a[mask] += e`"""
    e = value(ctx, s.value)
    ctx.place = place(s)
    what = ast.unparse(s.target)
    if isinstance(e, Chosen) and isinstance(s.target, ast.Subscript) and e.key == ast.dump(s.target.slice):
        e = e.part
    elif operand(ctx, e, what).ndim:
        raise stop(ctx.place, what, "the values under a mask are one number", "write np.where")
    found = array(ctx, combined(ctx, s.op, target, e))
    assert target.view is not None
    if not can_cast(found.kind, target.view.buffer.kind):
        raise stop(ctx.place, what, f"the result is {found.kind}, which NumPy refuses to cast in place", "use astype")
    assign(ctx, target.view, found, mask)
