"""Indices and bounds that are read from memory: what must be asserted of the arrays that they are read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..control import Element, Poly, Symbol, elements, number, of, opaque
from .bounds import highest, lowest, surely_not_negative, uppers
from .context import Context
from .lookups import changing
from .pointers import dimensions
from .program import Access, Frame
from .syntax import Variable
from .types import Int
from .typing import element_type
from .widths import MEMORY


def is_read_from_memory(index: Poly, frames: Sequence[Frame]) -> bool:
    """Whether an index depends on what is read from memory, by itself or by the bounds of loops around."""
    wanted, polys = set(index.symbols()), [index]
    for f in reversed(frames):
        if f.symbol in wanted:
            wanted |= f.lo.symbols() | f.hi.symbols()
            polys += [f.lo, f.hi]
    return any(True for p in polys for _ in elements(p))


def claim(ctx: Context) -> None:
    """Say between which numbers the elements must be that indices are made of."""
    p = ctx.procedure
    shapes = {a.var: a.shape for a in p.args}
    for a in p.accesses:
        extents = shapes.get(a.var) or tuple(d for d in dimensions(ctx, a.var) if d is not None)
        for index, extent in zip(p.indices.get(a, a.indices), extents, strict=False):
            for found in () if changing(index) else _claimed(ctx, a, index, extent):
                if found not in p.claims:
                    p.claims.append(found)


def _claimed(ctx: Context, a: Access, index: Poly, extent: Poly) -> Iterator[tuple[Variable, Poly, Poly]]:
    """What an access asks of the elements in its index."""
    names: dict[Element, Symbol] = {}

    def name(e: Element) -> Symbol:
        if e not in names:
            names[e] = Symbol(e.text(), ctx.counter + 1 + len(names))
        return names[e]

    frames = tuple(Frame(f.symbol, opaque(f.lo, name), opaque(f.hi, name)) for f in a.frames)
    facts = tuple(opaque(f, name) for f in a.facts)
    other = [opaque(f, name) for f in a.other]
    plain = opaque(index, name)
    arguments = {x.symbol for x in ctx.procedure.args}
    below = [extent - 1 - u for u in uppers(plain, frames, facts) if u.symbols() <= arguments]
    above = [surely_not_negative(-u) for u in uppers(-plain, frames, facts) if u.symbols() <= arguments]
    least: dict[Variable, Poly] = {}
    most: dict[Variable, Poly] = {}
    for bound, upwards in ((lowest(plain, frames, facts), False), (highest(plain, frames, facts), True)):
        if below if upwards else any(above):  # conditions say so
            continue
        for e, s in names.items():
            c = None if bound is None else (bound.coefficient(s) or number(0)).constant
            if bound is None or c not in (1, -1) or not isinstance(e.array, Variable):
                continue
            rest = bound - of(s) * c
            if not rest.symbols() <= arguments:
                continue
            from_above, from_below = (extent - rest, -rest) if c > 0 else (rest - extent + 1, rest + 1)
            end = from_above if upwards else from_below
            (most if upwards == (c > 0) else least)[e.array] = end
    for v in {**least, **most}:
        t = element_type(v)
        assert isinstance(t, Int)
        first, last = t.range if t.bits < 64 else (-MEMORY, MEMORY)
        lo, hi = least.get(v), most.get(v)
        if lo is None:
            lo = number(first if any(above) else 0)
        own = [of(s) - lo + 1 for e, s in names.items() if e.array is v]
        if any(p in other or -p in other for p in own):  # a number that stands for none, such as -1
            lo = lo - 1
        if hi is None:
            hi = number(last + 1) if below else extent + 1
        if not (surely_not_negative(lo * -1 + t.range[0]) and surely_not_negative(hi - t.range[1] - 1)):
            yield v, lo, hi
