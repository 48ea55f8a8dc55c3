"""The shapes of arrays that C passes as pointers, found from the accesses.

A flat pointer that is indexed `a[i * lda + j]` becomes an array of rows of lda elements: what i, j and so on are
multiplied by are the strides. The number of rows is the least for which all accesses are inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import gcd

from ..control import Element, Poly, Symbol, divided, elements, number, of, opaque
from ..names import spelled
from ..report import Problem, stop
from . import lookups
from .bounds import cases, highest, loosest, sign, surely_not_negative, uppers
from .cells import claim, is_read_from_memory
from .context import Context, Given
from .pointers import dimensions
from .program import Access, Allocate, Argument, Frame, Need
from .syntax import Pointer, Variable
from .types import I64, U64, Int
from .typing import element_type, is_pointer, rank

INSIDE = "so that all accesses are inside"
"""Why an assertion was added."""


def find_shapes(ctx: Context) -> None:
    """Give every array argument a shape, and every access its indices."""
    p = ctx.procedure
    by_var: dict[Variable, list[Access]] = {}
    for a in p.accesses:
        by_var.setdefault(a.var, []).append(a)
    for arg in list(p.args):
        if is_pointer(arg.var.type):
            with ctx.reporting():
                _shape(ctx, arg, by_var.pop(arg.var, []))
    for v, accesses in by_var.items():
        with ctx.reporting():
            if v in ctx.allocated:
                _rows_of_heap(ctx, v, accesses)
            declared = [d for d in dimensions(ctx, v) if d is not None]
            _place_all(ctx, declared, accesses)
    for a, extents in ctx.flat_windows:
        _check_window(ctx, a, extents)
    _sizes(ctx)
    _reorder(ctx)
    lookups.keep_inside(ctx, {a.var: a.shape for a in ctx.procedure.args if a.shape})
    claim(ctx)


def _reorder(ctx: Context) -> None:
    """What an array's shape names comes before it."""
    p = ctx.procedure
    left, out = list(p.args), list[Argument]()
    by_symbol = {a.symbol: a for a in p.args if a.symbol is not None}
    while left:
        a = left.pop(0)
        for s in sorted((s for e in a.shape for s in e.symbols()), key=lambda s: s.id):
            if by_symbol[s] in left:
                left.remove(by_symbol[s])
                out.append(by_symbol[s])
        out.append(a)
    if [a.var for a in out] != [a.var for a in p.args]:
        p.notes.append(f"arguments stand in another order than in C: {', '.join(a.var.name for a in out)}")
    p.args = out


def _shape(ctx: Context, arg: Argument, accesses: list[Access]) -> None:
    if _is_single(ctx, arg, accesses):
        for a in accesses:
            ctx.procedure.indices[a] = ()
        arg.var.single = True
        return
    declared = dimensions(ctx, arg.var)
    inner = [d for d in declared[1:] if d is not None]
    if len(declared) == 1:
        strides = _strides(ctx, arg.var, accesses)
        if strides is None:
            return
        if strides and declared[0] is not None:
            total = divided(declared[0], strides[0])
            declared = (total[0] if total and total[1].constant == 0 else None,)
        inner = _ratios(strides)
    first = declared[0]
    _place_all(ctx, [first or number(0), *inner], accesses)
    arg.var.rows = tuple(inner) if rank(arg.var) == 1 else ()
    is_unknown = first is None and any(_is_unknown(ctx, a) for a in accesses)
    told = _told(ctx, accesses) if is_unknown else None
    if is_unknown and told is None:
        first = new_size(ctx, arg.var, bool(inner))
    if first is None:
        first = told or _extent(ctx, arg.var, accesses)
        if first is None:
            return
        ctx.procedure.notes.append(_note(arg.var, [first, *inner], bool(inner) and rank(arg.var) == 1))
    arg.shape = (first, *inner)


def _check_window(ctx: Context, a: Access, extents: tuple[Poly, ...]) -> None:
    """Report a part of a flat array that another function sees with rows, if the array hasn't got these."""
    shape = next((x.shape for x in ctx.procedure.args if x.var is a.var), ()) or dimensions(ctx, a.var)
    if len(shape) < len(extents) or tuple(shape[len(shape) - len(extents) + 1 :]) != extents[1:]:
        rows = " x ".join(x.text() for x in extents[1:])
        why = f"the function sees rows of {rows} elements, and here it has others"
        ctx.report.add(Problem(a.place, f"{a.var.c_name} as an argument", why, "declare both with the same dimensions"))


def _is_single(ctx: Context, arg: Argument, accesses: list[Access]) -> bool:
    """Whether a pointer of a function that others call is one to a single number: `*p` and nothing else."""
    plain = isinstance(arg.var.type, Pointer) and rank(arg.var) == 1 and arg.var not in ctx.windowed
    found = ctx.procedure.windows and plain and bool(accesses)
    return found and all(len(a.indices) == 1 and a.indices[0].constant == 0 for a in accesses)


def _rows_of_heap(ctx: Context, v: Variable, accesses: list[Access]) -> None:
    """Give a buffer that is allocated flat the rows that its indices have."""
    strides = _strides(ctx, v, accesses)
    total = dimensions(ctx, v)[0]
    if not strides or total is None:
        return
    parts = divided(total, strides[0])
    if parts is None or parts[1].terms:
        what = f"{v.c_name} has {total} elements, and rows of {strides[0]}"
        raise stop(accesses[0].place, what, "these are no whole rows", "allocate whole rows")
    inner = _ratios(strides)
    v.rows = tuple(inner)
    ctx.shapes[v] = ctx.allocated[v].shape = (parts[0], *inner)


def _is_unknown(ctx: Context, a: Access) -> bool:
    """Whether it isn't known where an access is, as its first index is read from memory."""
    found = lookups.cases(ctx, ctx.procedure.indices.get(a, a.indices)[0], a)
    values = () if found is None else ((g.value, g) for g in found if g.value is not None)
    return found is None or any(is_read_from_memory(v, g.frames) and not _below(ctx, v, g) for v, g in values)


def _told(ctx: Context, accesses: list[Access]) -> Poly | None:
    """The extent that loops with constant bounds tell, if no number that is read from memory is a larger index, as its
    type has none: `h[i] = 0` for i up to 255, and `h[b[k]]` of bytes. C has so many elements, and needs no more."""
    told = read = -1
    for a in accesses:
        index = ctx.procedure.indices.get(a, a.indices)[0]
        bounds: dict[Element, Frame] = {}

        def name(e: Element, bounds: dict[Element, Frame] = bounds) -> Symbol:
            if e not in bounds:
                t = element_type(e.array) if isinstance(e.array, Variable) else I64
                lo, hi = t.range if isinstance(t, Int) else I64.range
                bounds[e] = Frame(Symbol(e.text(), ctx.counter + 1 + len(bounds)), number(lo), number(hi + 1))
            return bounds[e].symbol

        plain = opaque(index, name)
        high = highest(plain, (*a.frames, *bounds.values()), ())
        if high is None or high.constant is None:
            return None
        told, read = (told, max(read, high.constant)) if bounds else (max(told, high.constant), read)
    return number(told + 1) if told >= read >= 0 else None


def _below(ctx: Context, index: Poly, g: Given) -> list[Poly]:
    """What an index is at most, in terms of arguments."""
    bounds = [highest(index, g.frames, g.facts), loosest(index, g.frames), *uppers(index, g.frames, g.facts)]
    fixed = (b for b in bounds if b is not None and not any(True for _ in elements(b)))
    return [b for b in fixed if b.symbols() <= _arguments(ctx)]


def new_size(ctx: Context, array: Variable, of_rows: bool = False) -> Poly:
    """The extent of an array whose indices are read from memory: an argument that C hasn't."""
    ctx.counter += 1
    name = spelled(f"{array.name}_{'rows' if of_rows else 'size'}", ctx.names)
    ctx.names.add(name)
    symbol = Symbol(name, ctx.counter)
    v = Variable(name, name, U64, "size", array.place)
    ctx.procedure.args.append(Argument(v, symbol, type=U64, extent_of=array))
    ctx.procedure.notes.append(f"{name} is an argument that C hasn't: nothing else tells the extent of {array.name}")
    return of(symbol)


def _note(v: Variable, shape: Sequence[Poly], flat: bool) -> str:
    many = " x ".join(e.text() if e.is_atom() else f"({e.text()})" for e in shape)
    return f"{v.name} points to {many} element{'' if many == '1' else 's'}{', row after row' if flat else ''}"


def _ratios(strides: Sequence[Poly]) -> list[Poly]:
    """The extents that strides mean: each but the first extent is a stride by the next."""
    found: list[Poly] = []
    for a, b in pairwise([*strides, number(1)]):
        parts = divided(a, b)
        assert parts is not None
        found.append(parts[0])
    return found


# -- strides --------------------------------------------------------------------------------------------


def _strides(ctx: Context, v: Variable, accesses: list[Access]) -> list[Poly] | None:
    """The strides of a flat array other than 1, the largest first; None after a problem."""
    found: dict[Poly, Access] = {}
    for a in accesses:
        for s in _multipliers(a):
            found.setdefault(s, a)
    found = _without_factors(found)
    ordered = sorted(_leading(found), key=lambda s: (-s.degree, s.text()))
    kept: list[Poly] = []
    for s in ordered:
        plain = _plain_part(s)
        fitting = next((t for t in (s, plain) if not kept or _divides(kept[-1], t)), None)
        if fitting is not None:
            kept.append(fitting)
            continue
        a = found[s]
        what = f"{v.c_name} is indexed with strides {kept[-1].text()} and {s.text()}"
        why = "neither is a multiple of the other, so it is no array of rows"
        ctx.report.add(Problem(a.place, what, why, "pass the two as arrays of their own"))
        return None
    return kept


def _divides(p: Poly, by: Poly) -> bool:
    parts = divided(p, by)
    return parts is not None and parts[1].constant == 0


def _plain_part(s: Poly) -> Poly:
    """A polynomial without the number that divides all its coefficients."""
    content = gcd(*(c for _, c in s.terms))
    return Poly(tuple((m, c // content) for m, c in s.terms))


def _without_factors(found: dict[Poly, Access]) -> dict[Poly, Access]:
    """Strides of which no two differ by a number only: of `w` and `2 * w` it is `w`, the greatest common divisor."""
    best: dict[Poly, tuple[int, Access]] = {}
    for s, a in found.items():
        content = gcd(*(c for _, c in s.terms))
        plain = _plain_part(s)
        before = best.get(plain)
        best[plain] = (content, a) if before is None else (gcd(content, before[0]), before[1])
    return {s * c: a for s, (c, a) in best.items()}


def _leading(found: Iterable[Poly]) -> list[Poly]:
    """Of strides that only differ in smaller terms, such as n and the n + 1 of a diagonal, the plainest."""
    best: dict[tuple[object, ...], Poly] = {}
    for s in sorted(found, key=lambda s: (len(s.terms), s.text())):
        best.setdefault(tuple(t for t in s.terms if len(t[0]) == s.degree), s)
    return list(best.values())


def _multipliers(a: Access) -> list[Poly]:
    """What an index multiplies: by loops' variables, or by sizes."""
    if a.indices[0].is_affine():
        return []
    read: set[Symbol] = set()

    def name(e: Element) -> Symbol:
        read.add(s := Symbol(e.text(), -1))
        return s

    index = opaque(a.indices[0], name)
    found: list[Poly] = []
    frames = [f.symbol for f in a.frames]
    for s in frames:
        c = index.coefficient(s)
        if c is not None and c.constant is None and not any(t in frames for t in c.symbols()):
            found.append(abs_of(c))
    bounds = {s for f in a.frames for s in f.hi.symbols()}
    for m, _ in index.terms:
        plain = [x for x in m if isinstance(x, Symbol) and x not in read and x not in frames]
        if len(plain) == len(m) - 1 and not any(x in frames for x in m):
            found.append(Poly(((tuple(plain), 1),)))
        elif len(m) == 2 and len(plain) == 2 and not found:
            found.append(of(next((x for x in plain if x in bounds), plain[-1])))
    return [s for s in found if s.constant is None]


def abs_of(c: Poly) -> Poly:
    """A stride as a positive number."""
    return -c if sign(c) is False else c


# -- indices --------------------------------------------------------------------------------------------


def _place_all(ctx: Context, shape: list[Poly], accesses: list[Access]) -> None:
    for a in accesses:
        if len(a.indices) == len(shape):
            ctx.procedure.indices[a] = _carried(a.indices, shape, a) if len(shape) > 1 else a.indices
        elif len(a.indices) == 1:
            ctx.procedure.indices[a] = _digits(a.indices[0], shape[1:], a)
        else:
            what = f"{a.var.c_name} with {len(a.indices)} of {len(shape)} indices"
            ctx.report.add(Problem(a.place, what, "an element has one index for each dimension", "write all"))


def _digits(index: Poly, inner: Sequence[Poly], a: Access) -> tuple[Poly, ...]:
    """A flat index as one for each dimension: quotients by the strides."""
    strides = [number(1)]
    for e in reversed(inner):
        strides.insert(0, strides[0] * e)
    found: list[Poly] = []
    rest = index
    for s in strides[:-1]:
        parts = divided(rest, s)
        quotient, rest = parts if parts is not None else (number(0), rest)
        if _is_negative(rest, a):
            quotient, rest = quotient - 1, rest + s
        found.append(quotient)
    return (*found, rest)


def _is_negative(rest: Poly, a: Access) -> bool:
    """Whether a remainder is surely below 0, so that it counts from the row before."""
    high = highest(rest, a.frames, a.facts)
    return high is not None and bool(high.terms) and sign(high) is False


def _carried(indices: tuple[Poly, ...], shape: Sequence[Poly], a: Access) -> tuple[Poly, ...]:
    """Indices of a pointer that walks through rows: what the last one has of whole rows goes to the one before."""
    out = list(indices)
    for k in range(len(out) - 1, 0, -1):
        row = shape[k]
        high = highest(out[k], a.frames, a.facts)
        if high is None or ((row - 1 - high).constant is not None and (row - 1 - high).offset >= 0):
            continue
        parts = divided(out[k], row)
        if parts is not None and parts[0].terms and (row.constant is None or row.constant > 1):
            quotient, rest = parts
            if _is_negative(rest, a):
                quotient, rest = quotient - 1, rest + row
            out[k - 1], out[k] = out[k - 1] + quotient, rest
    return tuple(out)


# -- extents --------------------------------------------------------------------------------------------


def _extent(ctx: Context, v: Variable, accesses: list[Access]) -> Poly | None:
    """How many rows, or elements, an array needs."""
    needed: list[list[Poly]] = []
    every = [
        (a, first, g)
        for a in accesses
        for g in lookups.cases(ctx, ctx.procedure.indices.get(a, a.indices)[0], a) or ()
        if g.value is not None
        for first in cases(g.value, True)
    ]
    for a, first, g in every:
        bounds = _below(ctx, first, g)
        if not bounds:
            what = f"{v.c_name}[{first.text()}]"
            why = "how many elements the array needs can't be told from its loops"
            remedy = f"declare its extent: {v.c_name}[n] in the place of *{v.c_name}"
            ctx.report.add(Problem(a.place, what, why, remedy))
            return None
        needed.append([b + 1 for b in bounds])
    if not needed:
        return number(1)
    needed = _without_smaller(needed)
    enough = [c for alternatives in needed for c in alternatives if _suffices(c, needed)]
    if not enough:
        enough = _beside_numbers(ctx, needed)
    if not enough:
        texts = " and ".join(sorted({alternatives[0].text() for alternatives in needed}))
        what = f"the extent of {v.c_name}"
        why = f"its accesses need {texts} elements, and which is more isn't known"
        remedy = f"declare it: {v.c_name}[n] in the place of *{v.c_name}"
        ctx.report.add(Problem(accesses[0].place, what, why, remedy))
        return None
    found = next(c for c in enough if all(_at_least(d, c) for d in enough if _at_least(c, d)))
    for a, first, g in every:
        if lookups.changing(ctx.procedure.indices.get(a, a.indices)[0]):
            high = highest(first, g.frames, g.facts)
            assert high is not None
            ctx.procedure.body.append(Need(found - 1 - high, f"{v.c_name} has {found} elements", "", a.place))
    ones = found.replaced({s: number(1) for s in found.symbols()}).constant
    return found + max(0, 1 - (1 if ones is None else ones))


def _without_smaller(needed: list[list[Poly]]) -> list[list[Poly]]:
    """What accesses need, without numbers that are smaller than others."""
    fixed = [min(c.constant or 0 for c in cs) for cs in needed if all(c.constant is not None for c in cs)]
    others = [list(cs) for cs in dict.fromkeys(tuple(cs) for cs in needed if any(c.constant is None for c in cs))]
    return [*others, *([[number(max(fixed))]] if fixed else [])]


def _beside_numbers(ctx: Context, needed: list[list[Poly]]) -> list[Poly]:
    """What is enough for all accesses but those to elements with fixed numbers; of these it is asserted."""
    fixed = [c.constant for alternatives in needed for c in alternatives if c.constant is not None]
    others = [alternatives for alternatives in needed if all(c.constant is None for c in alternatives)]
    enough = [c for alternatives in others for c in alternatives if _suffices(c, others)]
    if enough:
        found = next(c for c in enough if all(_at_least(d, c) for d in enough if _at_least(c, d)))
        ctx.procedure.assertions.append((found - max(fixed), INSIDE))
        return [found]
    return []


def _suffices(extent: Poly, needed: list[list[Poly]]) -> bool:
    """Whether an extent is enough for every access, by one of its upper bounds."""
    return all(any(_at_least(extent, c) for c in alternatives) for alternatives in needed)


def _arguments(ctx: Context) -> frozenset[Symbol]:
    return frozenset(a.symbol for a in ctx.procedure.args if a.symbol is not None)


def _at_least(p: Poly, q: Poly) -> bool:
    """Whether one extent is surely as large as another, all arguments being at least 1."""
    return surely_not_negative(p - q)


# -- sizes ----------------------------------------------------------------------------------------------


def _sizes(ctx: Context) -> None:
    """Which control arguments are sizes, at least 1: those that an extent needs so."""
    shapes = [e for a in ctx.procedure.args for e in a.shape]
    stack = [*ctx.procedure.body]
    while stack:
        s = stack.pop()
        if isinstance(s, Allocate):
            shapes += s.shape
        for label in ("body", "yes", "no"):
            stack += getattr(s, label, [])
    single = {s for e in shapes if len(e.symbols()) == 1 for s in e.symbols()}
    several = {s for e in shapes for s in e.symbols()} - single
    bounds = {s for a in ctx.procedure.accesses for f in a.frames for s in _plain(f.hi)}
    for arg in ctx.procedure.args:
        if arg.symbol is None:
            continue
        arg.size = arg.symbol in single or (arg.symbol in several and arg.symbol in bounds)
        if arg.symbol in several and not arg.size:
            ctx.procedure.assertions.append((of(arg.symbol), "so that arrays have elements"))


def _plain(hi: Poly) -> list[Symbol]:
    """The variables that are the bound of a loop by themselves, but for a number."""
    rest = hi - hi.offset
    return [rest.symbol] if rest.symbol is not None and hi.offset <= 0 else []
