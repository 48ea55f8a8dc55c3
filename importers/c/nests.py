"""Loops that together run `n * m` times: one for each factor."""

from __future__ import annotations

from collections.abc import Sequence

from ..control import Poly, Symbol, number, of
from ..report import Place
from .context import Context
from .program import Data, For, Frame, Stmt, Store
from .syntax import Binary, Use, Variable
from .values import Known
from .walks import changed, expressions, used


def filled(ctx: Context, array: Variable, count: Poly, value: Data, place: Place) -> None:
    """A loop that gives all elements of a flat array one value."""
    frames, at = nest(ctx, count, ctx.symbol("k").name)
    body: list[Stmt] = []
    with ctx.into(body), ctx.within(*frames):
        ctx.block.append(Store(ctx.access(array, (at,), place), "=", value, place))
    ctx.written.add(array)
    ctx.block += nested(frames, body, place)


def nested(frames: Sequence[Frame], body: list[Stmt], place: Place) -> list[Stmt]:
    """Loops around statements."""
    for f in reversed(frames):
        body = [For(f, body, place)]
    return body


def nest(ctx: Context, trips: Poly, name: str) -> tuple[tuple[Frame, ...], Poly]:
    """Loops that together run so often: one, or of `n * m` two. And how often they ran before."""
    frames: list[Frame] = []
    at, live = number(0), ctx.live
    for f in factors(ctx, trips):
        symbol = ctx.symbol(name)
        ctx.live = (*ctx.live, symbol.name)
        frames.append(Frame(symbol, number(0), f))
        at = at * f + of(symbol)
    ctx.live = live
    return tuple(frames), at


def factors(ctx: Context, trips: Poly) -> list[Poly]:
    """The factors of a product of arguments, with the lengths of rows last: by these are indices elsewhere
    multiplied."""
    if trips.is_affine() or len(trips.terms) != 1:
        return [trips]
    m, c = trips.terms[0]
    if not all(isinstance(a, Symbol) and not a.iterator for a in m) or c < 0:
        return [trips]
    rows = _row_lengths(ctx)
    ordered = sorted((of(a) for a in m), key=lambda p: p.symbol in rows)
    return [*ordered, *([number(c)] if c > 1 else [])]


def _row_lengths(ctx: Context) -> set[Symbol]:
    """The arguments that a counter is divided by somewhere in the function, or else multiplied."""
    found: set[Symbol] = set()
    divisors: set[Symbol] = set()
    fixed = set(ctx.function.args) - changed(ctx.function.body)
    for e in expressions(ctx.function.body):
        if not isinstance(e, Binary) or e.op not in ("*", "/", "%"):
            continue
        for by, other in ((e.rhs, e.lhs), (e.lhs, e.rhs))[: 2 if e.op == "*" else 1]:
            held = ctx.values.get(by.var) if isinstance(by, Use) else None
            counts = any(v not in fixed for v in used(other))
            if isinstance(held, Known) and held.value.symbol is not None and counts:
                (found if e.op == "*" else divisors).add(held.value.symbol)
    return divisors or found
