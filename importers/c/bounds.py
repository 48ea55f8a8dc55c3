"""The least and the greatest value of an index, over the loops around it."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from ..control import Monomial, Poly, Quotient, Symbol, chosen, extremes, number, of
from .program import Frame


def highest(p: Poly, frames: Sequence[Frame], facts: Sequence[Poly] = ()) -> Poly | None:
    """An upper bound of p in terms of arguments; None if none is found. `facts` aren't negative where p is taken."""
    best: Poly | None = None
    for other in uppers(p, frames, facts):
        if best is None or surely_not_negative(best - other):
            best = other
    return best


def uppers(p: Poly, frames: Sequence[Frame], facts: Sequence[Poly] = ()) -> list[Poly]:
    """Upper bounds of p in terms of arguments: each is one."""
    return [u for f in (number(0), *facts) for u in _extremes(p + f, frames, True)]


def cases(p: Poly, up: bool) -> list[Poly]:
    """Polynomials of which the largest is p: the two sides of each maximum; or, if not `up`, the smallest."""
    for e, c in extremes(p):
        if (c < 0) == up:
            return [q for side in (e.a, e.b) for q in cases(chosen(p, e, side), up)]
    return [p]


def loosest(p: Poly, frames: Sequence[Frame]) -> Poly | None:
    """Another upper bound, in which quotients that are taken away count as 0; None if there is none."""
    for f in reversed(frames):
        c = p.coefficient(f.symbol)
        if c is None or sign(c) is False:
            return None
        p = p.replaced({f.symbol: f.hi - 1}) if c.terms else p
    kept = [(m, c) for m, c in p.terms if c > 0 or not any(isinstance(a, Quotient) for a in m)]
    taken = [a for m, c in p.terms if c < 0 for a in m if isinstance(a, Quotient)]
    return Poly(tuple(kept)) if taken and all(surely_not_negative(a.of) for a in taken) else None


def lowest(p: Poly, frames: Sequence[Frame], facts: Sequence[Poly] = ()) -> Poly | None:
    """A lower bound of p."""
    found = highest(-p, frames, facts)
    return None if found is None else -found


def _extremes(p: Poly, frames: Sequence[Frame], up: bool) -> list[Poly]:
    """Upper bounds, or lower ones. A minimum is at most each of its sides."""
    for e, c in extremes(p):
        if (c > 0) == up:
            return [q for side in (e.a, e.b) for q in _extremes(chosen(p, e, side), frames, up)]
    if not frames:
        return [_without_quotients(p, None, up)]
    f = frames[-1]
    p = _without_quotients(p, f.symbol, up)
    if f.symbol not in p.symbols():
        return _extremes(p, frames[:-1], up)
    rises = _rises(p, f.symbol)
    if rises is None:
        return []
    return _extremes(p.replaced({f.symbol: f.hi - 1 if rises == up else f.lo}), frames[:-1], up)


def _rises(p: Poly, s: Symbol) -> bool | None:
    """Whether p rises with a symbol, or falls, in all its terms, quotients among them; None if that isn't clear."""
    plain = Poly(tuple((m, c) for m, c in p.terms if not any(isinstance(a, Quotient) for a in m)))
    slope = plain.coefficient(s)
    found: set[bool | None] = {None} if slope is None else {sign(slope)} if slope.terms else set()
    for m, c in p.terms:
        for a in m:
            if isinstance(a, Quotient) and s in a.of.symbols():
                inner = a.of.coefficient(s) if len(m) == 1 else None
                rises = None if inner is None else sign(inner)
                found.add(None if rises is None else rises == (c > 0))
    return found.pop() if len(found) == 1 else None


def _without_quotients(p: Poly, s: Symbol | None, up: bool) -> Poly:
    """Quotients are replaced by what bounds them: `c * (q / by)` is at most `c * q / by`. Of those that are left the
    next loops take care."""
    out = number(0)
    for m, c in p.terms:
        out = out + _term(m, c, s, up)
    return out


def _term(m: Monomial, c: int, s: Symbol | None, up: bool) -> Poly:
    whole = Poly(((m, c),))
    if len(m) != 1 or not isinstance(m[0], Quotient):
        return whole
    q = m[0]
    if s is not None and s not in q.of.symbols():
        return whole
    if c % q.by == 0:
        bound = q.of if (c > 0) == up else q.of - (q.by - 1)
        return bound * (c // q.by)
    return whole


def sign(c: Poly) -> bool | None:
    """Whether a coefficient is positive, if sizes are; None if that isn't clear."""
    signs = {k > 0 for _, k in c.terms}
    return signs.pop() if len(signs) == 1 else None


def surely_not_negative(p: Poly) -> bool:
    """Whether p isn't negative if all its symbols are at least 1.

    >>> n = of(Symbol("n", 0))
    >>> surely_not_negative(n - (n + 1).over(2)), surely_not_negative(n.over(2) - 1)
    (True, False)
    """
    for e, c in extremes(p):
        sides = (surely_not_negative(chosen(p, e, side)) for side in (e.a, e.b))
        return all(sides) if c > 0 else any(sides)
    scale = lcm(*(a.by for m, _ in p.terms for a in m if isinstance(a, Quotient)))
    low = _without_quotients(p * scale, None, False)
    return surely_least(low, 1 - scale, low.symbols())


def surely_least(p: Poly, least: int, sizes: frozenset[Symbol]) -> bool:
    """Whether p is at least a number, as sizes are at least 1.

    >>> n = Symbol("n", 0)
    >>> surely_least(of(n) - 1, 0, frozenset([n])), surely_least(of(n) - 2, 0, frozenset([n]))
    (True, False)
    """
    for e, c in extremes(p):
        sides = (surely_least(chosen(p, e, side), least, sizes) for side in (e.a, e.b))
        return all(sides) if c > 0 else any(sides)
    moved = p.replaced({s: of(s) + 1 for s in sizes})
    if any(not isinstance(a, Symbol) or a not in sizes for m, _ in moved.terms for a in m):
        return p.constant is not None and p.constant >= least
    return moved.offset >= least and all(c > 0 for m, c in moved.terms if m)
