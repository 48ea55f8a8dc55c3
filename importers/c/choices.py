"""Choices between control integers: minima and maxima."""

from __future__ import annotations

from ..control import Poly, chosen, extremes, least, most
from ..report import stop
from .bounds import lowest, surely_not_negative
from .conditions import condition, negated
from .context import Context
from .integers import integer, observed
from .program import Cond, Truth, facts_of
from .syntax import Choice
from .types import Int
from .typing import number as number_type
from .typing import type_of


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
        wanted = [_not_negative(ctx, difference, here), _not_negative(ctx, -difference, there)]
        if all(w is not None for w in wanted):
            for need in (p for w in wanted for p in w or ()):
                why = f"one of {yes} and {no} is the smaller one only if this is not negative"
                ctx.need(need, why, "use an if", ctx.function.place)
            return found(yes, no)
    return None


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
    low = lowest(p, ctx.frames, ctx.facts)
    return [p] if low is not None and surely_not_negative(low) else None
