"""C's conversions of control integers, all of them.

A control integer is a polynomial that is C's value but for a multiple of 2^bits of its type: sums, differences and
products are right however C wraps on the way. Where a value gets more bits, or is looked at, it must be C's value
itself. That is read off the loops and the types of arguments, or else asked of the front end; numbers that are stored
are computed as data instead. A 64-bit size or index is taken to be below 2^48: no memory has so many elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..control import Atom, Element, Least, Poly, Quotient, Symbol, number
from ..report import Place
from .bounds import uppers
from .context import Context
from .literals import converted as constant
from .program import Frame, facts_of
from .syntax import Expr, Variable
from .types import I32, I64, Int
from .typing import element_type, type_of
from .typing import number as number_type

Range = tuple[int | None, int | None]
MEMORY = 1 << 48
"""What 64-bit sizes and indices are below."""


def converted(ctx: Context, value: Poly, source: Int, t: Int, place: Place) -> Poly:
    """A value of one type at another one. Of what C would cut off it is asked that there is nothing."""
    if value.constant is not None:
        return number(_constant(value.constant, source, t))
    if source == t or _surely(ctx, value, source, t):
        return value
    if t.bits > source.bits:
        return exact(ctx, value, source, place)
    if t.signed or t.bits < I32.bits:
        _doubted(ctx)
        _fits(ctx, value, t, place)
    return value


def exact(ctx: Context, value: Poly, t: Int, place: Place, source: Int | None = None) -> Poly:
    """A value of a type that is looked at: compared, divided, or used as a size. `source`: what it was before it was
    converted to that type."""
    if value.constant is not None:
        return number(_constant(value.constant, t, t))
    if t.signed:
        return value
    lo, hi = numbers(ctx, value)
    if hi is None or hi > t.range[1]:
        _doubted(ctx)
        if hi is not None and _is_local(ctx, value):
            _fits(ctx, value, t, place)
    if lo is None or lo < 0:
        _doubted(ctx)
        signed = source is not None and (source.signed or source.bits < t.bits)
        why = f"{value} is converted to an unsigned type, and would wrap around below 0"
        if not signed:
            why = f"{value} is unsigned in C, and would wrap around below 0"
        ctx.need(value, why, "make the types signed, or test that it is not negative", place)
    return value


def as_type(ctx: Context, value: Poly, source: Expr, t: Int) -> Poly:
    """What an expression is at a type at which it is looked at."""
    own = number_type(type_of(source, ctx.functions))
    assert isinstance(own, Int)
    return exact(ctx, converted(ctx, value, own, t, source.place), t, source.place, own)


def lowered(value: Poly, t: Int) -> Poly:
    """A sum or product with its coefficients near 0: of an unsigned type they are known but for multiples of 2^bits."""
    if t.signed or value.constant is not None:
        return value
    half = 1 << t.bits - 1
    terms = ((m, (c + half) % (2 * half) - half) for m, c in value.terms)
    return Poly(tuple((m, c) for m, c in terms if c))


def fits_surely(ctx: Context, value: Poly, t: Int) -> bool:
    """Whether a number is surely one of a type, whatever the arguments are."""
    return _inside(numbers(ctx, value), t)


def _constant(value: int, source: Int, t: Int) -> int:
    exactly = constant(value, I64, source)
    found = constant(exactly if isinstance(exactly, int) else value, source, t)
    assert isinstance(found, int)
    return found


def _surely(ctx: Context, value: Poly, source: Int, t: Int) -> bool:
    """Whether a conversion changes nothing, as the number is one of both types."""
    if t.bits > source.bits and source.signed:
        return True
    if t.bits == source.bits and not t.signed and not t.truth:
        return True
    lo, hi = numbers(ctx, value)
    if source.signed:  # what is signed doesn't overflow
        lo, hi = _most(lo, source.range[0]), _least(hi, source.range[1])
    return _inside((lo, hi), source) and _inside((lo, hi), t)


def _inside(r: Range, t: Int) -> bool:
    return r[0] is not None and r[1] is not None and t.range[0] <= r[0] and r[1] <= t.range[1]


def _fits(ctx: Context, value: Poly, t: Int, place: Place) -> None:
    lo, hi = t.range
    why = f"{value} is stored in type {t}, and C would wrap it around at {hi + 1}"
    remedy = "use an int" if t.bits < I32.bits else "use a type that is as wide as the number"
    ctx.need(value - lo, why, remedy, place)
    ctx.need(number(hi) - value, why, remedy, place)


def _doubted(ctx: Context) -> None:
    ctx.doubts += 1


def _is_local(ctx: Context, value: Poly) -> bool:
    """Whether a number depends on no argument, but on numbers of the program alone."""
    arguments = {a.symbol for a in ctx.procedure.args}
    wanted = set(value.symbols())
    for f in reversed(ctx.frames):
        if f.symbol in wanted:
            wanted |= f.lo.symbols() | f.hi.symbols()
    return not wanted & arguments


# -- between which numbers a value is -------------------------------------------------------------------


def numbers(ctx: Context, p: Poly) -> Range:
    """Between which numbers a polynomial is, by the loops around and the types of arguments; None where that isn't
    known."""
    facts = (*ctx.facts, *(f for g in ctx.guards for f in facts_of(g)))
    highs = [_interval(ctx, q, ())[1] for q in uppers(p, ctx.frames, facts)]
    lows = [_interval(ctx, q, ())[1] for q in uppers(-p, ctx.frames, facts)]
    lo, hi = _interval(ctx, p, ctx.frames)
    for h in highs:
        hi = _least(hi, h)
    for low in lows:
        lo = _most(lo, None if low is None else -low)
    return lo, hi


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)


def _interval(ctx: Context, p: Poly, frames: Sequence[Frame]) -> Range:
    """The sum of what the terms are between."""
    lo: int | None = 0
    hi: int | None = 0
    for m, c in p.terms:
        term: Range = (c, c)
        for a in m:
            term = _product(term, _atom(ctx, a, frames))
        lo = None if lo is None or term[0] is None else lo + term[0]
        hi = None if hi is None or term[1] is None else hi + term[1]
    return lo, hi


def _product(a: Range, b: Range) -> Range:
    if a[0] is None or a[1] is None or b[0] is None or b[1] is None:
        return None, None
    corners = [x * y for x in (a[0], a[1]) for y in (b[0], b[1])]
    return min(corners), max(corners)


def _atom(ctx: Context, a: Atom, frames: Sequence[Frame]) -> Range:
    match a:
        case Symbol():
            return _symbol(ctx, a, frames)
        case Quotient(of=inner, by=by):
            lo, hi = _interval(ctx, inner, frames)
            return None if lo is None else lo // by, None if hi is None else hi // by
        case Least(a=x, b=y):
            (lo, hi), (low, high) = _interval(ctx, x, frames), _interval(ctx, y, frames)
            return None if lo is None or low is None else min(lo, low), _least(hi, high)
        case Element(array=Variable() as v):
            t = element_type(v)
            return _type(t) if isinstance(t, Int) else (None, None)
        case _:
            return None, None


def _symbol(ctx: Context, s: Symbol, frames: Sequence[Frame]) -> Range:
    for k, f in enumerate(frames):
        if f.symbol == s:
            lo, hi = _interval(ctx, f.lo, frames[:k])[0], _interval(ctx, f.hi, frames[:k])[1]
            return lo, None if hi is None else hi - 1
    t = next((a.type for a in ctx.procedure.args if a.symbol == s), None)
    return _type(t) if isinstance(t, Int) else (None, None)


def _type(t: Int) -> Range:
    if t.bits < 64:
        return t.range
    return (-MEMORY if t.signed else 0), MEMORY
