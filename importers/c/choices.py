"""Choices between control integers: minima and maxima."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from ..control import Poly, Quotient, chosen, extremes, least, most
from ..report import stop
from . import lookups
from .bounds import lowest, surely_not_negative
from .conditions import condition, negated
from .context import Context
from .integers import integer, observed
from .program import Cond, Truth, facts_of
from .syntax import Assign, Call, Choice, Step
from .types import Int
from .typing import number as number_type
from .typing import type_of
from .walks import inside


def choice(ctx: Context, e: Choice) -> Poly:
    """`a < b ? a : b` and the like: a minimum or a maximum."""
    cond = condition(ctx, e.cond)
    t = number_type(type_of(e, ctx.functions))
    if isinstance(cond, Truth):
        side = e.yes if cond.value else e.no
        return observed(ctx, side, t) if isinstance(t, Int) else integer(ctx, side)
    with ctx.guarded(cond):
        yes = observed(ctx, e.yes, t) if isinstance(t, Int) else integer(ctx, e.yes)
    with ctx.guarded(negated(cond)):
        no = observed(ctx, e.no, t) if isinstance(t, Int) else integer(ctx, e.no)
    found = chosen_by(ctx, cond, yes, no)
    if found is None and ctx.cells and not any(isinstance(x, Assign | Step | Call) for x in inside(e)):
        return lookups.computed(ctx, e)
    if found is None:
        what = "?: in an index, a size or a loop bound"
        raise stop(e.place, what, "it is no minimum and no maximum of two, as a < b ? a : b is", "use an if")
    return found


def chosen_by(ctx: Context, cond: Cond, yes: Poly, no: Poly) -> Poly | None:
    """`yes if cond else no` as a minimum or maximum; None if it is neither."""
    if yes == no:
        return yes
    here, there = facts_of(cond), facts_of(negated(cond))
    if not here or not there:
        return None
    for found, difference in ((most, yes - no), (least, no - yes)):
        if _surely(ctx, ((difference, here), (-difference, there)), yes, no):
            return found(yes, no)
    # i + 1 < n ? i + 1 : i is the smaller one of i + 1 and n - 1, where i is at most that
    for side, kept, where in ((yes, here, there), (no, there, here)):
        rest = no if side is yes else yes
        for found, other in ((least, side + kept[0]), (most, side - kept[0])) if len(kept) == 1 else ():
            if _surely(ctx, ((rest - other, where), (other - rest, where)), yes, no):
                return found(side, other)
    return None


def _surely(ctx: Context, wanted: Sequence[tuple[Poly, tuple[Poly, ...]]], yes: Poly, no: Poly) -> bool:
    """Whether differences aren't negative where facts hold; what that needs is asked for."""
    needs = [_not_negative(ctx, p, facts) for p, facts in wanted]
    if any(n is None for n in needs):
        return False
    for need in (p for n in needs for p in n or ()):
        why = f"one of {yes} and {no} is the smaller one only if this is not negative"
        ctx.need(need, why, "use an if", ctx.function.place)
    return True


def _not_negative(ctx: Context, p: Poly, facts: tuple[Poly, ...]) -> list[Poly] | None:
    """What must hold so that a difference isn't negative where facts hold: of a minimum both sides, of a maximum one.
    None if that isn't known."""
    if any(d.constant is not None and d.constant >= 0 for d in (p, *(p - f for f in facts))):
        return []
    for e, c in extremes(p):
        sides = [_not_negative(ctx, chosen(p, e, side), facts) for side in (e.a, e.b)]
        if c < 0:
            return next((s for s in sides if s is not None), None)
        return None if sides[0] is None or sides[1] is None else [*sides[0], *sides[1]]
    scale = lcm(*(a.by for m, _ in p.terms for a in m if isinstance(a, Quotient)))  # more is known of 2 * (i / 2)
    low = lowest(p * scale, ctx.frames, ctx.facts)
    return [p] if low is not None and surely_not_negative(low + (scale - 1)) else None
