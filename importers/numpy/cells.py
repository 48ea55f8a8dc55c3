"""Integers that are read from arguments as indices and bounds: `x[idx[i] + 1]`, `range(ptr[i], ptr[i + 1])`.

The array that they are read from must be an argument that nothing writes. Where they index an array, an assertion says
between which numbers all its elements are: NumPy would count negative ones from the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..control import Poly, Symbol, number, of
from ..report import Problem
from .context import Context
from .printing import data as shown
from .program import Bin, Buffer, Conv, Data, Elem, Fn, For, If, Neg, Num, Stmt, Store, Whole


def steady(ctx: Context, b: Buffer) -> bool:
    """Whether a buffer is an argument of integers that the function doesn't write, as far as its names tell."""
    written = ctx.changed_in_place[0]
    return b.role == "argument" and b.kind.is_int and ctx.procedure.given.get(b.name, b.name) not in written


def control(ctx: Context, e: Data) -> Poly | None:
    """A number as a control integer, if it is made of sizes, iterators and elements of steady arguments."""
    match e:
        case Elem(buffer=b) if steady(ctx, b) and e.indices:
            _declare(ctx, b)
            return of(Symbol(shown(e), 0, True))
        case Num(value=int() as n) if not isinstance(n, bool):
            return number(n)
        case Whole(value=p):
            return p
        case Conv(arg=arg, kind=kind) if kind.is_int and arg.kind.is_int:
            return control(ctx, arg)
        case Fn(name="wrap_i32" | "wrap_u32" | "wrap_i64" | "wrap_u64", args=(arg,)):
            return control(ctx, arg)  # it is asserted to lie in an array, so it fits
        case Neg(arg=arg):
            x = control(ctx, arg)
            return None if x is None else -x
        case Bin(op="+" | "-" as op, lhs=a, rhs=b):
            x, y = control(ctx, a), control(ctx, b)
            return None if x is None or y is None else x + y if op == "+" else x - y
        case _:
            return None


def _declare(ctx: Context, b: Buffer) -> None:
    """Tell the prover of a buffer that indices are read from."""
    extents = ", ".join(e.text() for e in b.shape)
    ctx.prover.arrays.setdefault(b.name, f"{b.kind.precision}[{extents}]")
    ctx.index_buffers.add(b)


def within(ctx: Context, p: Poly, extent: Poly) -> None:
    """If an index is an element and a number, assert that all elements of that buffer are such."""
    cells = [s for s in p.symbols() if "[" in s.name]
    if len(cells) != 1 or not extent.symbols() <= ctx.arguments:
        return
    more = p - of(cells[0])
    name = cells[0].name.partition("[")[0]
    if more.constant is None or name not in {b.name for b in ctx.index_buffers}:
        return
    text = f"within({name}, {-more.constant}, {extent - more.constant})"
    ctx.procedure.assertions.setdefault(text, "so that indices are inside, and count from the start")


def elements(p: Poly) -> bool:
    """Whether an index is read from an array."""
    return any("[" in s.name for s in p.symbols())


def check(ctx: Context, stmts: Sequence[Stmt]) -> None:
    """Buffers that indices were read from must not be written."""
    for s in stmts:
        match s:
            case Store(buffer=b) if b in ctx.index_buffers:
                why = "indices are read from it, and it is written"
                ctx.report.add(Problem(s.place, b.name, why, "copy it to an argument of its own"))
            case For(body=body):
                check(ctx, body)
            case If(yes=yes, no=no):
                check(ctx, [*yes, *no])
            case _:
                pass
