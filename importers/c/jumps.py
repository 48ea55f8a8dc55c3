"""Jumps as branches: `return`, `continue`, `break`, `goto` and `switch`.

What comes after a jump that may happen goes to the other side of its if:

    if (c) return a; rest;   is   if (c) return a; else { rest; }

A loop that is left early sets a flag, and does nothing in the iterations that are left:

    for (..) { if (c) break; rest; }   is   stop = 0; for (..) if (stop == 0) { if (c) stop = 1; else rest; }

A `return` or `goto` out of it sets the flag to a number of its own, which is asked for after the loop. Only jumps
forward are taken, and none into a block.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from ..names import spelled
from ..report import Place
from .liveness import is_read
from .syntax import (
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Comma,
    Continue,
    Declare,
    Do,
    Expr,
    Function,
    Goto,
    If,
    Index,
    Jump,
    Label,
    Literal,
    Loop,
    Result,
    Return,
    Step,
    Stmt,
    Type,
    Unary,
    Untaken,
    Use,
    Variable,
)
from .types import I32, Float, Int, promoted
from .typing import COMPARISONS, LOGICAL
from .walks import changed, expressions, inside, parts, statements

RETURN, CONTINUE, BREAK = "return", "continue", "break"
FEW = 400
"""How many statements a function may have after what follows jumps was copied to their branches."""


def without_jumps(f: Function) -> Function:
    """A function whose body has no jumps."""
    maker = _Maker({v.name for v in _variables(f)})
    return replace(f, body=Block(tuple(maker.run(f.body.parts, {RETURN})), f.body.place))


def _variables(f: Function) -> Iterator[Variable]:
    yield from f.args
    yield from (s.var for s in statements(f.body) if isinstance(s, Declare))
    yield from (e.var for e in expressions(f.body) if isinstance(e, Use))


def _target(s: Jump) -> str:
    """What a jump goes to: a label, or one of the words."""
    if isinstance(s, Goto):
        return f":{s.label}"
    return RETURN if isinstance(s, Return) else CONTINUE if isinstance(s, Continue) else BREAK


def _leaving(s: Stmt, inner: frozenset[str] = frozenset()) -> Iterator[Jump]:
    """The jumps out of a statement: those that don't go to a label in it, or to the loop that they stand in."""
    if isinstance(s, Jump):
        if _target(s) not in inner:
            yield s
        return
    if isinstance(s, Block):
        inner |= {f":{p.name}" for p in s.parts if isinstance(p, Label)}
    if isinstance(s, Loop):
        inner |= {BREAK, CONTINUE}
    for p in parts(s):
        yield from _leaving(p, inner)


def _jumps(stmts: Sequence[Stmt]) -> set[str]:
    """Where the jumps in statements go."""
    return {_target(j) for s in stmts for j in _leaving(s)}


@dataclass
class _Maker:
    """Rewrites one function; `names` are taken."""

    names: set[str]
    count: int = field(default=0)

    def run(self, stmts: Sequence[Stmt], ends: Collection[str]) -> list[Stmt]:
        """Statements without jumps to `ends`, which all mean the end of these statements. Others are left, each the
        last thing on its way."""
        split = _last_label(stmts)
        if split is not None:
            before, label, after = split
            return [*self.run(before, {label}), *self.run(after, ends)]
        out: list[Stmt] = []
        left = list(stmts)
        while left:
            s = left.pop(0)
            self.count += 1
            if self.count > 100 * FEW:
                raise RecursionError("too many jumps")
            if isinstance(s, Label):
                continue
            if isinstance(s, Jump):
                found = _after(left, _target(s))
                if found is None:
                    return [*out, *_ended(s, ends)]
                left = found
            elif isinstance(s, Loop):
                made, then = self.loop(s, left)
                out += made
                left = [*then, *left]
            elif not any(True for _ in _leaving(s)):
                out.append(self.inside(s))
            elif isinstance(s, Block):
                left = [*s.parts, *left]
            else:
                assert isinstance(s, If)
                sides = [Block(tuple(self.run((*side.parts, *left), ends)), side.place) for side in (s.yes, s.no)]
                return [*out, replace(s, yes=sides[0], no=sides[1])]
        return out

    def inside(self, s: Stmt) -> Stmt:
        """A statement that nothing jumps out of."""
        if isinstance(s, Block):
            return Block(tuple(self.run(s.parts, ())), s.place)
        if isinstance(s, If):
            yes, no = (Block(tuple(self.run(b.parts, ())), b.place) for b in (s.yes, s.no))
            return replace(s, yes=yes, no=no)
        return s

    # -- loops ------------------------------------------------------------------------------------

    def loop(self, s: Loop, rest: Sequence[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        """A loop without jumps out of it, and what asks after it which way it was left."""
        s = _with_steps(_with_condition(s))
        body = self.run(s.body.parts, {CONTINUE})
        out = dict.fromkeys(_target(j) for t in body for j in _leaving(t))
        first = Block(tuple(self.run(s.first.parts, ())), s.first.place)
        if not out:
            return [replace(s, first=first, body=Block(tuple(body), s.body.place))], []
        at = s.place
        flag = self.variable("stop", at)
        ended = {v: self.variable(f"{v.c_name}_end", at, v.type) for v in _asked_after(s, rest)}
        numbers = {target: k + 1 for k, target in enumerate(out)}
        marked = _Marker(flag, numbers, ended).block(Block(tuple(body), s.body.place))
        guarded = Block((If(_equal(flag, 0, at), marked, Block(()), at),), at)
        made: list[Stmt] = [Declare(flag, at), _set(flag, 0, at), *(Declare(w, at) for w in ended.values())]
        made.append(replace(s, first=first, body=guarded, flag=flag, ended=tuple(ended.items())))
        then: list[Stmt] = [
            If(_equal(flag, n, at), Block((_jump(target, at),)), Block(()), at)
            for target, n in numbers.items()
            if target != BREAK
        ]
        return made, then

    def variable(self, name: str, place: Place, like: Type = I32) -> Variable:
        """A new local integer that has room for those of a type."""
        t = promoted(like) if isinstance(like, Int) else I32
        v = Variable(spelled(name, self.names), name, t, "local", place, flag=True)
        self.names.add(v.name)
        return v


@dataclass(frozen=True)
class _Marker:
    """Writes the flag where a loop is left, and what variables are there."""

    flag: Variable
    numbers: dict[str, int]
    ended: dict[Variable, Variable]

    def block(self, b: Block) -> Block:
        return Block(tuple(t for s in b.parts for t in self.stmt(s)), b.place)

    def stmt(self, s: Stmt) -> Iterator[Stmt]:
        if isinstance(s, Jump):
            if isinstance(s, Return) and s.value is not None:
                yield Result(s.value, s.place)
            for v, w in self.ended.items():
                yield Do(Assign("", Use(w, s.place), Use(v, s.place), s.place), s.place)
            yield _set(self.flag, self.numbers[_target(s)], s.place)
        elif isinstance(s, If):
            yield replace(s, yes=self.block(s.yes), no=self.block(s.no))
        elif isinstance(s, Block):
            yield self.block(s)
        else:
            yield s


def _ended(s: Jump, ends: Collection[str]) -> list[Stmt]:
    """A jump at the end of its way: nothing, if it goes to this end."""
    if _target(s) not in ends:
        return [s]
    return [Result(s.value, s.place)] if isinstance(s, Return) and s.value is not None else []


def _after(stmts: Sequence[Stmt], target: str) -> list[Stmt] | None:
    """What comes after a label; None if it isn't among the statements."""
    for k, s in enumerate(stmts):
        if isinstance(s, Label) and f":{s.name}" == target:
            return list(stmts[k + 1 :])
    return None


def _last_label(stmts: Sequence[Stmt]) -> tuple[Sequence[Stmt], str, Sequence[Stmt]] | None:
    """The last label, if what is before it jumps to it, and to nowhere after it."""
    for k in range(len(stmts) - 1, -1, -1):
        s = stmts[k]
        if not isinstance(s, Label):
            continue
        targets = _jumps(stmts[:k])
        labels = {f":{t.name}" for t in stmts[: k + 1] if isinstance(t, Label)}
        if f":{s.name}" in targets:
            return (stmts[:k], f":{s.name}", stmts[k + 1 :]) if targets <= labels else None
    return None


def _with_condition(s: Loop) -> Loop:
    """A loop whose condition is on integers, if possible: `for (;;) { if (c) break; .. }` has the condition `!c`, and
    `while (i < n && x[i] > 0)` asks for the second in the body, with a break."""
    always = s.cond is None or (isinstance(s.cond, Literal) and s.cond.value != 0)
    top = s.body.parts[0] if s.body.parts else None
    if always and isinstance(top, If) and not top.no.parts and len(top.yes.parts) == 1:
        if isinstance(top.yes.parts[0], Break):
            negated = Unary("!", top.cond, top.place)
            return _with_condition(replace(s, cond=negated, body=Block(s.body.parts[1:], s.body.place)))
        return s
    if s.cond is None:
        return s
    joined = list(_conjuncts(s.cond))
    plain = [c for c in joined if _is_plain(c) and not _is_flag(c, s)]
    if not plain or len(plain) == len(joined) or not _keeps_order(joined, plain):
        return s
    tests = [If(Unary("!", c, c.place), Block((Break(c.place),)), Block(()), s.place) for c in joined if c not in plain]
    cond = reduce(lambda a, b: Binary("&&", a, b, a.place), plain)
    return replace(s, cond=cond, body=Block((*tests, *s.body.parts), s.body.place))


def _with_steps(s: Loop) -> Loop:
    """A loop that is left early, with the steps of its counters at the end of the body in its third part: there they
    happen in each iteration, also in those that do nothing as the loop was left."""
    jumps = _jumps(s.body.parts)
    if s.cond is None or CONTINUE in jumps or not jumps:
        return s
    counters = {x.var for x in inside(s.cond) if isinstance(x, Use)}
    places = (e for e in expressions(s.body) if isinstance(e, Index) or (isinstance(e, Unary) and e.op == "*"))
    counters |= {x.var for e in places for x in inside(e) if isinstance(x, Use)}
    body, steps = list(s.body.parts), list[Expr]()
    while body and isinstance(last := body[-1], Do) and _counts(last.value, counters):
        body.pop()
        steps.insert(0, last.value)
    steps += [] if s.step is None else [s.step]
    step = s.step if len(body) == len(s.body.parts) else Comma(tuple(steps), s.place)
    return replace(s, body=Block(tuple(body), s.body.place), step=step)


def _keeps_order(joined: Sequence[Expr], plain: Sequence[Expr]) -> bool:
    """Whether nothing is changed by parts of a condition, or only by what comes after those that are asked first:
    `i < n && (c = x[i]) != 0`."""
    changing = [any(isinstance(x, Assign | Step) for x in inside(c)) for c in joined]
    return not any(changing) or all(c not in plain for c in joined[changing.index(True) :])


def _counts(e: Expr, counters: Collection[Variable]) -> bool:
    """Whether an expression moves a counter by a number, or several."""
    if isinstance(e, Comma):
        return all(_counts(p, counters) for p in e.parts)
    if isinstance(e, Assign):
        moves = e.op in ("+", "-") and isinstance(e.value, Literal)
        return moves and isinstance(e.target, Use) and e.target.var in counters
    return isinstance(e, Step) and isinstance(e.target, Use) and e.target.var in counters


def _conjuncts(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Binary) and e.op == "&&":
        yield from _conjuncts(e.lhs)
        yield from _conjuncts(e.rhs)
    else:
        yield e


def _is_plain(e: Expr) -> bool:
    """Whether an expression is made of integers and pointers only, and reads no memory."""
    for x in inside(e):
        if isinstance(x, Index | Call) or (isinstance(x, Unary) and x.op == "*"):
            return False
        t = x.var.type if isinstance(x, Use) else x.type if isinstance(x, Literal) else None
        if isinstance(t, Float):
            return False
    return True


def _is_flag(e: Expr, s: Loop) -> bool:
    """Whether a condition asks for a variable that the loop sets to numbers, and doesn't count."""
    found = {x.var for x in inside(e) if isinstance(x, Use)}
    if len(found) != 1:
        return False
    v = next(iter(found))
    changes = [x for x in expressions(s.body) if isinstance(x, Assign | Step)]
    given = [x for x in changes if isinstance(x.target, Use) and x.target.var is v]
    return bool(given) and all(isinstance(x, Assign) and not x.op and _is_truth(x.value) for x in given)


def _is_truth(e: Expr) -> bool:
    return isinstance(e, Literal) or (isinstance(e, Binary) and e.op in (*COMPARISONS, *LOGICAL))


def _asked_after(s: Loop, rest: Sequence[Stmt]) -> list[Variable]:
    """The integers that a loop moves and that are read after it, before anything else is given to them."""
    inner = {d.var for d in statements(s) if isinstance(d, Declare)}
    moved = [v for v in changed(s.cond, s.step, s.body) if isinstance(v.type, Int) and v not in inner]
    return sorted((v for v in moved if is_read(v, rest)), key=lambda v: v.place)


def _equal(v: Variable, n: int, place: Place) -> Binary:
    return Binary("==", Use(v, place), Literal(n, I32, str(n), place), place)


def _set(v: Variable, n: int, place: Place) -> Do:
    return Do(Assign("", Use(v, place), Literal(n, I32, str(n), place), place), place)


def _jump(target: str, place: Place) -> Stmt:
    return Return(None, place) if target == RETURN else Goto(target.removeprefix(":"), place)


def left(f: Function) -> Iterator[Untaken]:
    """What is said of jumps that are left: backward, into a block, or out of nothing."""
    for s in statements(f.body):
        if isinstance(s, Jump):
            what = f"goto {s.label}" if isinstance(s, Goto) else type(s).__name__.lower()
            why = "it goes backward, or into a block, and the object language has only counted loops and branches"
            yield Untaken(what, why, "write a loop, or an if", s.place)
