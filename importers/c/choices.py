"""Choices between control integers: minima and maxima."""

from __future__ import annotations

from ..control import Poly, least, most
from ..report import stop
from .conditions import condition, negated
from .context import Context
from .integers import as_type, integer
from .program import Compare, Cond, Truth, facts_of
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
        return as_type(ctx, integer(ctx, side), side, t) if isinstance(t, Int) else integer(ctx, side)
    with ctx.guarded(cond):
        yes = as_type(ctx, integer(ctx, e.yes), e.yes, t) if isinstance(t, Int) else integer(ctx, e.yes)
    with ctx.guarded(negated(cond)):
        no = as_type(ctx, integer(ctx, e.no), e.no, t) if isinstance(t, Int) else integer(ctx, e.no)
    found = chosen_by(cond, yes, no)
    if found is None:
        what = "?: in an index, a size or a loop bound"
        raise stop(e.place, what, "it is no minimum and no maximum of two, as a < b ? a : b is", "use an if")
    return found


def chosen_by(cond: Cond, yes: Poly, no: Poly) -> Poly | None:
    """`yes if cond else no` as a minimum or maximum; None if it is neither."""
    if yes == no:
        return yes
    facts = facts_of(cond)
    if not isinstance(cond, Compare) or cond.op in ("==", "!=") or len(facts) != 1:
        return None
    above, below = (yes - no - facts[0]).constant, (no - yes - facts[0]).constant
    if above in (0, 1):
        return most(yes, no)
    return least(yes, no) if below in (0, 1) else None
