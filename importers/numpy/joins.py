"""Variables that have other values after a branch or an iteration: each is kept in a place of its own, a slot.

To keep a value in a slot copies it. In NumPy the variable would stand for the same array, which other names may share;
a copy is the same only if none of them is written afterwards. That is asked for here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..control import Poly
from ..report import SAID, Stop, stop
from .context import Context
from .elementwise import array
from .kinds import Kind, holds, joined
from .program import Num, Whole
from .storing import assign
from .values import Array, Integer, Member, Static, Tuple, Unknown, Value, View, of_view, whole

ROUNDS = 6
"""How often a body is translated until the types of its variables stay the same."""


@dataclass(frozen=True)
class Slot:
    """The type and shape of what a variable holds."""

    kind: Kind
    shape: tuple[Poly, ...]


def changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[str]:
    """The variables of before that have other values after."""
    return [n for n, v in before.items() if n in after and not same(v, after[n])]


def same(a: Value, b: Value) -> bool:
    """Whether two values are surely one."""
    if a is b:
        return True
    if isinstance(a, Array) and isinstance(b, Array) and a.view is not None:
        return a.view == b.view and a.kind.alike(b.kind)
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return all(same(x, y) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, Array) and isinstance(b, Array) and not a.reads and not b.reads and not a.ndim and not b.ndim:
        return a.at(()) == b.at(()) and a.kind.alike(b.kind)
    return isinstance(a, Integer | Static | Member | Unknown) and a == b


def slot_of(ctx: Context, name: str, values: Sequence[Value]) -> Slot:
    """What a variable must be kept as, to have any of these values."""
    kinds: list[Kind] = []
    shape: tuple[Poly, ...] | None = None
    for v in values:
        if isinstance(v, Unknown):
            raise stop(ctx.place, name, v.why, v.remedy) if v.why else Stop(SAID)
        if not isinstance(v, Array | Integer) and not (isinstance(v, Static) and isinstance(v.value, bool)):
            why = "it changes in a loop or branch, and is no number or array"
            raise stop(ctx.place, name, why, "give it one value")
        a = array(ctx, v)
        kinds.append(a.kind)
        if shape is not None and len(shape) != a.ndim:
            why, remedy = "its number of dimensions changes in a loop or branch", "begin with an array of that shape"
            raise stop(ctx.place, name, why, f"{remedy}, or use another name")
        shape = a.shape if shape is None else tuple(ctx.same(p, q, name) for p, q in zip(shape, a.shape, strict=True))
    kind = kinds[0]
    for k in kinds[1:]:
        found = joined(kind, k)
        if found is None:
            why = f"it is {kind} on one way through a loop or branch, and {k} on another"
            raise stop(ctx.place, name, why, "convert it with astype, or begin with the later type")
        kind = found
    for v in values:
        kept_exactly(ctx, name, array(ctx, v), kind)
    return Slot(kind, shape or ())


def unknown_of(problem: Stop) -> Unknown:
    """What a variable is that can't be kept."""
    p = problem.problem
    return Unknown(p.why, p.remedy) if p.what else Unknown("")


def kept_exactly(ctx: Context, name: str, v: Array, kind: Kind) -> None:
    """A Python number must be one of the type that its variable is kept as."""
    e = v.at(()) if not v.ndim and v.cheap and not v.reads else None
    known = e.value if isinstance(e, Num) else None
    whole = isinstance(e, Whole) and kind.is_int  # it is asked for where it is converted
    if not whole and not holds(kind, v.kind, known):
        why = f"it is {v.kind} on one way through a loop or branch, and {kind.each[-1]} on another, which rounds it"
        raise stop(ctx.place, name, why, "convert it with astype, or begin with the later type")


def placed(v: View, s: Slot) -> Array:
    """The value of a variable in its slot."""
    return replace(of_view(v), kind=s.kind)


def owned(ctx: Context, name: str, v: Value, s: Slot) -> View | None:
    """The place of a variable's value, if that can be its slot: a buffer that no other name stands for."""
    if not isinstance(v, Array) or v.view is None:
        return None
    b = v.view.buffer
    fits = b.role == "local" and v.view == View(b, whole(b).dims, v.view.shape) and b.kind == s.kind
    alone = all(n == name for n in ctx.holders(b)) and len(ctx.holders(b)) == 1
    return v.view if fits and alone and v.view.shape == s.shape else None


def enter(ctx: Context, slots: Mapping[str, Slot], copies: bool) -> dict[str, View]:
    """Make slots; with `copies`, the variables' values go to them, and the variables stand for them."""
    places: dict[str, View] = {}
    for name, s in slots.items():
        v = ctx.env[name]
        found = owned(ctx, name, v, s)
        if found is None:
            found = ctx.buffer(name.partition(" ")[0], s.kind, s.shape)
            if copies:
                movable(ctx, name, v)
                assign(ctx, found, array(ctx, v))
        places[name] = found
        if copies:
            ctx.env[name] = placed(found, s)
    return places


def leave(ctx: Context, places: Mapping[str, View]) -> None:
    """Copy the values of variables to their slots, as if all at once."""
    moves = [(n, p) for n, p in places.items() if not _is_there(ctx.env[n], p)]
    values: dict[str, Array] = {}
    for n, _ in moves:
        movable(ctx, n, ctx.env[n])
        values[n] = array(ctx, ctx.env[n])
    for n, _ in moves:
        others = {p.buffer for m, p in moves if m != n}
        if any(r.buffer in others for r in values[n].reads):
            values[n] = ctx.materialised(values[n], n)
    for n, p in moves:
        assign(ctx, p, values[n])


def _is_there(v: Value, p: View) -> bool:
    return isinstance(v, Array) and v.view == p


def movable(ctx: Context, name: str, v: Value) -> None:
    """A copy of a value must be as good as the value itself."""
    if not isinstance(v, Array) or v.ndim == 0 or v.view is None:
        return
    others = [n for n in ctx.holders(v.view.buffer) if n != name]
    if v.view.buffer.role == "argument":
        others.append(v.view.buffer.name)
    written = ctx.changed_in_place[-1]
    if others and (name in written or any(n in written for n in others)):
        why = f"it may stand for the same array as {others[0]}, which depends on a loop or branch, and one is written"
        raise stop(ctx.place, name, why, "copy it: x = y.copy()")
