"""Walks over C expressions and statements."""

from __future__ import annotations

from collections.abc import Iterator

from .syntax import (
    Array,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Choice,
    Comma,
    Declare,
    Do,
    Expr,
    Function,
    If,
    Index,
    Literal,
    Loop,
    Result,
    Return,
    SizeOf,
    Step,
    Stmt,
    Table,
    Type,
    Unary,
    Use,
    Variable,
)
from .types import I32


def children(e: Expr) -> tuple[Expr, ...]:
    """The operands of an expression."""
    match e:
        case Index(base=a, at=b) | Binary(lhs=a, rhs=b) | Assign(target=a, value=b):
            return a, b
        case Unary(arg=a) | Cast(arg=a) | Step(target=a):
            return (a,)
        case Choice(cond=a, yes=b, no=c):
            return a, b, c
        case Call(args=args) | Comma(parts=args):
            return args
        case _:
            return ()


def inside(e: Expr) -> Iterator[Expr]:
    """An expression and all that is in it; what `sizeof` asks about is not evaluated."""
    if isinstance(e, SizeOf):
        return
    yield e
    for c in children(e):
        yield from inside(c)


def sometimes(e: Expr) -> tuple[Expr, ...]:
    """The operands of an expression that are evaluated only sometimes."""
    if isinstance(e, Choice):
        return e.yes, e.no
    return (e.rhs,) if isinstance(e, Binary) and e.op in ("&&", "||") else ()


def truth_number(e: Expr) -> Expr:
    """A condition as 1 or 0, in which `&&` and `||` are choices."""
    one, zero = (Literal(n, I32, str(n), e.place) for n in (1, 0))
    match e:
        case Binary(op="&&", lhs=lhs, rhs=rhs):
            return Choice(lhs, truth_number(rhs), zero, e.place)
        case Binary(op="||", lhs=lhs, rhs=rhs):
            return Choice(lhs, one, truth_number(rhs), e.place)
        case Unary(op="!", arg=Binary(op="&&" | "||") as arg):
            return Binary("==", truth_number(arg), zero, e.place)
        case Binary(op="<" | "<=" | ">" | ">=" | "==" | "!=") | Unary(op="!"):
            return e
        case _:
            return Binary("!=", e, zero, e.place)


def parts(s: Stmt) -> Iterator[Stmt]:
    """The statements in a statement."""
    match s:
        case Block(parts=found):
            yield from found
        case If(yes=yes, no=no):
            yield from (yes, no)
        case Loop(first=first, body=body):
            yield from (first, body)
        case _:
            return


def statements(s: Stmt) -> Iterator[Stmt]:
    """A statement and all that is in it."""
    yield s
    for p in parts(s):
        yield from statements(p)


def own(s: Stmt) -> Iterator[Expr]:
    """The expressions of a statement itself, not of those in it."""
    match s:
        case Declare(var=v):
            yield from extents(v.type)
            yield from initial(v)
        case Do(value=e) | If(cond=e):
            yield e
        case Loop(cond=cond, step=step):
            yield from (e for e in (cond, step) if e is not None)
        case Return(value=value) | Result(value=value) if value is not None:
            yield value
        case _:
            return


def extents(t: Type) -> Iterator[Expr]:
    """The extents of an array type."""
    while isinstance(t, Array):
        if t.extent is not None:
            yield t.extent
        t = t.of


def initial(v: Variable) -> Iterator[Expr]:
    """What a variable starts with."""
    stack = [] if v.init is None else [v.init]
    while stack:
        first = stack.pop(0)
        if isinstance(first, Table):
            stack = [*first.parts, *stack]
        else:
            yield first


def expressions(s: Stmt) -> Iterator[Expr]:
    """All expressions of a statement and of those in it, each once, whole ones before their parts."""
    for t in statements(s):
        for e in own(t):
            yield from inside(e)


def changed(*where: Stmt | Expr | None) -> frozenset[Variable]:
    """The variables that are assigned or stepped, by name."""
    found: set[Variable] = set()
    for w in where:
        if w is None:
            continue
        is_stmt = isinstance(w, Block | Declare | Do | If | Loop | Return | Result)
        for e in expressions(w) if is_stmt else inside(w):  # type: ignore[arg-type]
            if isinstance(e, Assign | Step) and isinstance(e.target, Use):
                found.add(e.target.var)
    return frozenset(found)


def variables(f: Function) -> set[Variable]:
    """The arguments of a function, and the variables that it declares or uses."""
    declared = {s.var for s in statements(f.body) if isinstance(s, Declare)}
    return {*f.args, *declared, *(e.var for e in expressions(f.body) if isinstance(e, Use))}


def used(e: Expr) -> Iterator[Variable]:
    """The variables of an expression."""
    return (x.var for x in inside(e) if isinstance(x, Use))
