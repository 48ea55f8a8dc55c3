"""Pointers that change places: `t = a; a = b; b = t;` at the end of each iteration.

After as many iterations as there are pointers each is where it was, so that many iterations are written together, and
those that are left after the loop:

    for (k = 0; k < n; k++) { f(a, b); swap a and b }   is   for k in seq(0, n / 2): f(a, b); f(b, a)
                                                             if n % 2 > 0: f(a, b)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import lcm

from ..control import Poly, number, of
from ..report import Place
from .context import Context
from .nests import nested
from .program import Branch, Compare, Frame, Stmt
from .syntax import Variable
from .values import Address, Lost, Motion, Value

MOST = 4
"""How many iterations are written together."""


def cycle(start: Mapping[Variable, Value], motions: Mapping[Variable, Motion]) -> dict[Variable, Variable]:
    """Pointers that change places in an iteration: each gets the place of another one."""
    marked = {m.mark: v for v, m in motions.items() if m.mark is not None}
    found: dict[Variable, Variable] = {}
    for v, m in motions.items():
        then, first = m.then, start[v]
        if not isinstance(then, Address) or not isinstance(first, Address) or then.indices[-1].symbol is None:
            continue
        w = marked.get(then.indices[-1].symbol)
        held = None if w is None else start[w]
        if w is not None and isinstance(held, Address) and then.var is held.var:
            found[v] = w
    while set(found) != set(found.values()):
        found = {v: w for v, w in found.items() if v in found.values() and w in found}
    return found if found and _period(found) <= MOST else {}


def _period(turn: Mapping[Variable, Variable]) -> int:
    """After how many iterations all pointers are where they were."""
    lengths = []
    for v in turn:
        count, w = 1, turn[v]
        while w is not v:
            count, w = count + 1, turn[w]
        lengths.append(count)
    return lcm(*lengths)


def held(turn: Mapping[Variable, Variable], start: Mapping[Variable, Value], v: Variable, rounds: int) -> Value:
    """Where a pointer is after some iterations."""
    for _ in range(rounds):
        v = turn[v]
    return start[v]


def rotated(
    ctx: Context,
    turn: Mapping[Variable, Variable],
    start: Mapping[Variable, Value],
    trips: Poly,
    name: str,
    iteration: Callable[[Poly, Mapping[Variable, Value]], None],
    place: Place,
) -> dict[Variable, Value]:
    """The loop, and the iterations that are left; what the pointers hold after it. `iteration` writes one."""
    period = _period(turn)
    ctx.need(trips, "how often the loop runs is divided by a number", "test that it runs", place)
    whole = trips.over(period)
    frame = Frame(ctx.symbol(name), number(0), whole)
    body: list[Stmt] = []
    with ctx.into(body), ctx.within(frame):
        for r in range(period):
            iteration(of(frame.symbol) * period + r, {v: held(turn, start, v, r) for v in turn})
    ctx.block += nested((frame,), body, place)
    left = trips - whole * period
    for r in range(period - 1):
        if left.constant is not None and left.constant <= r:
            break
        cond = Compare(">", left, number(r))
        with ctx.into([]) as side, ctx.where(cond):
            iteration(whole * period + r, {v: held(turn, start, v, r) for v in turn})
        ctx.block += side if left.constant is not None else [Branch(cond, side, [], place)]
    if left.constant is not None:
        return {v: held(turn, start, v, left.constant) for v in turn}
    return {v: Lost(f"into which array {v.c_name} points depends on how often a loop ran") for v in turn}
