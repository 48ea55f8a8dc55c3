"""Object code as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..control import Poly
from .program import (
    Alloc,
    Bin,
    Buffer,
    Cmp,
    Conv,
    Data,
    Elem,
    Flag,
    Fn,
    For,
    If,
    Logic,
    Neg,
    Not,
    Num,
    Procedure,
    Renamed,
    Select,
    Stmt,
    Store,
    Whole,
)

LEVELS = {"if": 0, "or": 1, "and": 2, "not": 3, "<": 4, "&": 5, "+": 6, "-": 6, "*": 7, "/": 7, "//": 7, "%": 7}
LEVELS |= {"neg": 8, "atom": 9, **dict.fromkeys(("|", "^", "<<", ">>"), LEVELS["&"])}
"""How tightly operators bind."""


class Line(NamedTuple):
    """A line of text, and the statement that it is of."""

    text: str
    of: Stmt | None = None


def lines(p: Procedure) -> list[Line]:
    """A procedure."""
    args = [f"{name}: {t}" for name, t in p.controls.items()]
    args += [declared(b) for b in (*p.arguments, *p.outputs)]
    out = [Line(f"def {p.name}({', '.join(args)}):")]
    out += [Line(f"    assert {a}") for a in p.assertions]
    return out + [Line(f"    {x.text}", x.of) for x in block(p.body)]


def declared(b: Buffer) -> str:
    """A buffer with its type."""
    extents = f"[{', '.join(e.text() for e in b.shape)}]" if b.shape else ""
    return f"{b.name}: {b.kind.precision}{extents}"


def block(stmts: list[Stmt]) -> Iterator[Line]:
    """Statements in a row."""
    found = [x for s in stmts for x in stmt(s)]
    yield from found or [Line("pass")]


def _inner(stmts: list[Stmt]) -> Iterator[Line]:
    return (Line(f"    {x.text}", x.of) for x in block(stmts))


def stmt(s: Stmt) -> Iterator[Line]:
    """A statement."""
    match s:
        case For(frame=f, body=body):
            step = "" if f.step == 1 else f", {f.step}"
            yield Line(f"for {f.symbol.name} in seq({f.lo}, {f.hi}{step}):", s)
            yield from _inner(body)
        case If(cond=c, yes=yes, no=no):
            yield Line(f"if {data(c)}:", s)
            yield from _inner(yes)
            if no:
                yield Line("else:", s)
                yield from _inner(no)
        case Store(buffer=b, indices=idx, value=value, op=op):
            where = place(b, idx)
            if op in ("min", "max"):
                yield Line(f"{where} = {op}({where}, {data(value)})", s)
            else:
                yield Line(f"{where} {op} {data(value)}", s)
        case Alloc(buffer=b):
            yield Line(declared(b), s)
        case Renamed(buffer=b, of=of):
            yield Line(f"{b.name} = {of.name}.view({', '.join(e.text() for e in b.shape)})", s)


def place(b: Buffer, indices: tuple[Poly, ...]) -> str:
    """An element."""
    return f"{b.name}[{', '.join(i.text() for i in indices)}]" if indices else b.name


def data(e: Data, level: int = 0) -> str:
    """An expression or condition, in parentheses where operators around bind more tightly."""
    text, own = _data(e)
    return f"({text})" if own < level else text


def _data(e: Data) -> tuple[str, int]:
    match e:
        case Num(value=value, kind=kind):
            text = _number(value, kind.is_float)
            return text, LEVELS["neg" if text.startswith("-") else "atom"]
        case Elem(buffer=b, indices=idx, kind=kind):
            return (f"{place(b, idx)} != 0", LEVELS["<"]) if kind.is_bool else (place(b, idx), LEVELS["atom"])
        case Flag(name=name):
            return name, LEVELS["atom"]
        case Whole(value=value, kind=kind):
            return f"{kind.precision}({value})", LEVELS["atom"]
        case Neg(arg=arg):
            return f"-{data(arg, LEVELS['atom'])}", LEVELS["neg"]
        case Bin(op=op, lhs=a, rhs=b):
            own = LEVELS[op]
            left, right = (own, own + 1) if own != LEVELS["&"] else (LEVELS["atom"], LEVELS["atom"])
            return f"{data(a, left)} {op} {data(b, right)}", own
        case Fn(name=name, args=args):
            return f"{name}({', '.join(data(a) for a in args)})", LEVELS["atom"]
        case Conv(arg=arg, kind=kind):
            return f"{kind.precision}({data(arg)})", LEVELS["atom"]
        case Cmp(op=op, lhs=a, rhs=b):
            both = [x.text() if isinstance(x, Poly) else data(x, LEVELS["+"]) for x in (a, b)]
            return f"{both[0]} {op} {both[1]}", LEVELS["<"]
        case Select(cond=c, yes=a, no=b):
            return f"{data(a, 1)} if {data(c, 1)} else {data(b)}", LEVELS["if"]
        case Logic(op=op, lhs=a, rhs=b):
            return f"{data(a, LEVELS[op])} {op} {data(b, LEVELS[op] + 1)}", LEVELS[op]
        case Not(arg=arg):
            return f"not {data(arg, LEVELS['not'])}", LEVELS["not"]


def _number(value: int | float | bool, is_float: bool) -> str:
    if isinstance(value, bool):
        return str(value)
    return repr(float(value)) if is_float else str(int(value))
