"""What C changes behind `?:`, `&&` and `||`, as branches:

    out[k] = c[k] ? a[i++] : b[j++];   is   if (c[k]) out[k] = a[i++]; else out[k] = b[j++];
    x > 0 && (y[n++] = x);             is   if (x > 0) y[n++] = x;

In conditions of loops nothing is done. The other way round, an index that begins anew is a choice: so it is known that
it is less than n.

    r = i + 1; if (r == n) r = 0;      is   r = i + 1 == n ? 0 : i + 1;
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

from ..names import spelled
from ..report import Place
from .inlined import body
from .syntax import (
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
    Literal,
    Loop,
    Return,
    Step,
    Stmt,
    Table,
    Unary,
    Use,
    Variable,
)
from .types import I32, Int
from .typing import LOGICAL, number, type_of
from .walks import children, inside, sometimes, truth_number, variables


def with_branches(f: Function, functions: Mapping[str, Function]) -> Function:
    """A function that changes something behind `?:`, `&&` or `||` in conditions of loops only."""
    return replace(f, body=_Maker(functions, {v.name for v in variables(f)}).block(f.body))


class _Maker:
    """Rewrites one function of some; `names` are taken."""

    def __init__(self, functions: Mapping[str, Function], names: set[str]) -> None:
        self.functions = functions
        self.names = names

    def block(self, b: Block) -> Block:
        found: list[Stmt] = []
        for s in (t for part in b.parts for t in self.stmt(part)):
            one = self.anew(found[-1], s) if found else None
            found[len(found) - (one is not None) :] = [one or s]
        return Block(tuple(found), b.place)

    def anew(self, first: Stmt, s: Stmt) -> Stmt | None:
        """`r = e; if (r == n) r = 0;` as one statement; None if two statements are something else."""
        match s:
            case If(
                cond=Binary(op="==" | ">=" | ">" as op, lhs=Use(var=r), rhs=end),
                yes=Block(parts=(Do(value=Assign(op="", target=Use(var=again), value=Literal(value=0) as zero)),)),
                no=Block(parts=()),
            ) if r is again and r.storage == "local" and _is_plain(end, r):
                pass
            case _:
                return None
        e = first.var.init if isinstance(first, Declare) and first.var is r else None
        if isinstance(first, Do) and isinstance(first.value, Assign) and first.value.target == Use(r, s.place):
            e = None if first.value.op else first.value.value
        if (
            e is None
            or isinstance(e, Table)
            or not _is_plain(e, r)
            or not r.type == zero.type == type_of(e, self.functions)
        ):
            return None
        value = Choice(Binary(op, e, end, s.place), zero, e, s.place)
        if isinstance(first, Do):
            return Do(Assign("", Use(r, s.place), value, s.place), first.place)
        r.init = value
        return first

    def stmt(self, s: Stmt) -> Iterator[Stmt]:
        """What stands in the place of a statement."""
        match s:
            case Block():
                yield self.block(s)
            case Loop():
                yield replace(s, first=self.block(s.first), body=self.block(s.body))
            case If():
                yield from self.branch(replace(s, yes=self.block(s.yes), no=self.block(s.no)))
            case Do(value=e):
                yield from self.do(e, s.place)
            case Return(value=e) if e is not None and (found := _choice(e)) is not None:
                sides = [Return(_put(e, found, x), s.place) for x in self.sides(found)]
                yield self.either(found.cond, sides[0], sides[1], s.place)
            case Declare(var=v) if v.init is not None and not isinstance(v.init, Table) and _changes_perhaps(v.init):
                first, v.init = v.init, None
                yield s
                yield from self.do(Assign("", Use(v, s.place), first, s.place), s.place)
            case _:
                yield s

    def do(self, e: Expr, place: Place) -> Iterator[Stmt]:
        """An expression for its effects."""
        match e:
            case _ if not _changes_perhaps(e):
                yield Do(e, place)
            case Comma(parts=parts):
                for p in parts:
                    yield from self.do(p, place)
            case Binary(op="&&" | "||" as op, lhs=lhs, rhs=rhs) if not _changes_perhaps(lhs):
                cond = lhs if op == "&&" else Unary("!", lhs, e.place)
                yield If(cond, Block(tuple(self.do(rhs, place))), Block(()), place)
            case Choice(cond=cond) if not _changes_perhaps(cond):
                yield self.either(cond, Do(e.yes, place), Do(e.no, place), place)
            case _ if (found := _choice(e)) is not None:
                sides = [Do(_put(e, found, x), place) for x in self.sides(found)]
                yield self.either(found.cond, sides[0], sides[1], place)
            case _:
                yield Do(e, place)

    def either(self, cond: Expr, yes: Stmt, no: Stmt, place: Place) -> Stmt:
        return If(cond, Block(tuple(self.stmt(yes))), Block(tuple(self.stmt(no))), place)

    def sides(self, e: Choice) -> Iterator[Expr]:
        """The sides of a choice, each at the type of the choice."""
        t = type_of(e, self.functions)
        mixed = type_of(e.yes, self.functions) != type_of(e.no, self.functions) and number(t) is not None
        return (Cast(t, x, e.place) if mixed else x for x in (e.yes, e.no))

    def branch(self, s: If) -> Iterator[Stmt]:
        """An if: of `a && b` two of them, if there is no else; otherwise its condition is a number first."""
        changes = _changes_perhaps(s.cond)
        if isinstance(s.cond, Binary) and s.cond.op == "&&" and not s.no.parts and (changes or self.calls(s.cond)):
            inner = Block(tuple(self.branch(replace(s, cond=s.cond.rhs))))
            yield from self.branch(replace(s, cond=s.cond.lhs, yes=inner))
        elif not changes:
            yield s
        else:
            v = Variable(spelled("holds", self.names), "holds", I32, "local", s.place)
            self.names.add(v.name)
            yield Declare(v, s.place)
            yield from self.do(Assign("", Use(v, s.place), truth_number(s.cond), s.place), s.place)
            yield replace(s, cond=Binary("!=", Use(v, s.place), Literal(0, I32, "0", s.place), s.place))

    def calls(self, e: Binary) -> bool:
        """Whether a procedure is called in the second operand of `&&`."""
        named = (self.functions.get(x.name) for x in inside(e.rhs) if isinstance(x, Call))
        return any(f is not None and body(f) is None for f in named)


def _is_plain(e: Expr, but: Variable) -> bool:
    """Whether an expression is a sum of integers and numbers, without one of them."""
    match e:
        case Literal(type=t):
            return isinstance(t, Int)
        case Use(var=v):
            return isinstance(v.type, Int) and v is not but
        case Binary(op="+" | "-" | "*", lhs=lhs, rhs=rhs):
            return _is_plain(lhs, but) and _is_plain(rhs, but)
        case _:
            return False


def _changes_perhaps(e: Expr) -> bool:
    """Whether something is changed in an expression only sometimes."""
    return any(isinstance(y, Assign | Step) for x in inside(e) for s in sometimes(x) for y in inside(s))


def _choice(e: Expr) -> Choice | None:
    """A choice that changes something only sometimes, in a place that is always evaluated, and before which nothing
    must be done: C leaves open which operand of most operators comes first."""
    if isinstance(e, Choice) and _changes_perhaps(e) and not _changes_perhaps(e.cond):
        return e
    always = children(e)
    if isinstance(e, Choice | Comma) or (isinstance(e, Binary) and e.op in LOGICAL):
        always = always[:1]
    return next((found for c in always if (found := _choice(c)) is not None), None)


def _put(e: Expr, old: Expr, new: Expr) -> Expr:
    """An expression with one of its parts replaced."""
    if e is old:
        return new
    put: dict[str, object] = {}
    for f in fields(e):
        value = getattr(e, f.name)
        if isinstance(value, tuple):
            put[f.name] = tuple(_put(x, old, new) for x in value)
        elif any(value is c for c in children(e)):
            put[f.name] = _put(value, old, new)
    return replace(e, **put) if put else e  # type: ignore[arg-type]
