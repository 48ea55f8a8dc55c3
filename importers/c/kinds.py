"""Which integer variables are control and which are data.

The object language keeps two kinds of integers apart: those that loops, bounds and indices are made of, and numbers in
memory. In C both are `int`. A variable is data if it is given a value that was read from memory; it is control if an
index, an extent or a loop asks for it. A variable that both is true of stays control, and the place where it gets its
value is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from . import inlined
from .syntax import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Choice,
    Declare,
    Expr,
    Function,
    If,
    Index,
    Loop,
    Result,
    Return,
    Step,
    Unary,
    Use,
    Variable,
)
from .types import I32, Float, Int
from .typing import COMPARISONS, LOGICAL, decayed, is_pointer, type_of
from .walks import changed, children, expressions, extents, initial, inside, own, statements, used


@dataclass
class Kinds:
    """What is known of the integer variables of a function."""

    function: Function
    functions: Mapping[str, Function]
    control_calls: Mapping[str, tuple[bool, ...]]
    """For functions that are translated already: which arguments are control."""
    data: set[Variable] = field(default_factory=set)
    asked: set[Variable] = field(default_factory=set)
    forced: frozenset[Variable] = frozenset()
    """Variables that are data, whatever asks for them."""
    indices: frozenset[Variable] = frozenset()
    """The arrays of which elements are indices."""

    def ask(self, found: Iterable[Variable]) -> None:
        """An index, an extent or a loop asks for variables."""
        self.asked.update(v for v in found if v not in self.forced)

    def is_data(self, v: Variable) -> bool:
        """Whether a scalar variable is data."""
        return not isinstance(v.type, Int) or (v in self.data and v not in self.asked)

    def has_data(self, e: Expr) -> bool:
        """Whether the value of an expression depends on memory."""
        match e:
            case Use(var=v):
                return not is_pointer(v.type) and (isinstance(v.type, Float) or v in self.data - self.asked)
            case Index() | Unary(op="*"):
                return not is_pointer(type_of(e, self.functions))
            case Call(name=name):
                if inlined.in_place(e, self.functions) is not None:
                    return any(self.has_data(a) for a in e.args)
                return name not in ("exo_assert",)
            case Unary(op="&"):
                return False
            case _:
                if isinstance(type_of(e, self.functions), Float):
                    return True
                return any(self.has_data(c) for c in children(e))


def kinds(
    function: Function,
    functions: Mapping[str, Function],
    calls: Mapping[str, tuple[bool, ...]],
    forced: frozenset[Variable] = frozenset(),
) -> Kinds:
    """Decide for a function; what is `forced` is data, and what is changed and outlives the call, as arguments that
    are control are passed by value."""
    outside = (v for v in changed(function.body) if v.storage in ("file", "static", "member"))
    forced |= {v for v in outside if isinstance(v.type, Int)}
    k = Kinds(function, functions, calls, set(forced), forced=forced)
    k.data.update(s.var for s in statements(function.body) if isinstance(s, Declare) and s.var.flag)
    k.data.update(v for v in _referenced(function) if isinstance(v.type, Int))
    k.ask(_asked(k))
    k.indices = frozenset(_indexing(function))
    pairs = list(_assignments(function))
    _spread(k, pairs)
    _settle(k, pairs)
    return k


def _referenced(f: Function) -> Iterator[Variable]:
    """The variables whose address is taken."""
    for e in expressions(f.body):
        if isinstance(e, Unary) and e.op == "&" and isinstance(e.arg, Use):
            yield e.arg.var


def _indexing(f: Function) -> Iterator[Variable]:
    """The arrays of which elements stand in indices: `x[idx[i] + 1]`."""
    for e in expressions(f.body):
        if isinstance(e, Index):
            for x in inside(e.at):
                if isinstance(x, Index) and isinstance(x.base, Use):
                    yield x.base.var


def _integers(e: Expr) -> Iterator[Variable]:
    """The integer variables that an index or bound is made of: not those inside of the indices of what it reads."""
    if isinstance(e, Index):
        return
    if isinstance(e, Use) and isinstance(e.var.type, Int):
        yield e.var
    for c in children(e):
        yield from _integers(c)


def _asked(k: Kinds) -> Iterator[Variable]:
    """The variables that indices, extents and loops ask for."""
    f = k.function
    for v in f.args:
        for e in extents(v.type):
            yield from _integers(e)
    for s in statements(f.body):
        match s:
            case Declare(var=v):
                for e in extents(v.type):
                    yield from _integers(e)
            case Loop(cond=cond, step=step, body=body) if cond is not None:
                moved = changed(step, body, cond)
                if any(v in moved for v in used(cond)):
                    yield from _integers(cond)
            case _:
                pass
        for whole in own(s):
            for e in inside(whole):
                yield from _asked_by(k, e)


def _asked_by(k: Kinds, e: Expr) -> Iterator[Variable]:
    match e:
        case Index(at=at):
            yield from _integers(at)
        case Binary(op="+" | "-", lhs=a, rhs=b):
            types = [is_pointer(decayed(type_of(x, k.functions))) for x in (a, b)]
            if any(types):
                yield from (v for x, p in zip((a, b), types, strict=True) if not p for v in _integers(x))
        case Assign(op="+" | "-", target=t, value=value) if is_pointer(type_of(t, k.functions)):
            yield from _integers(value)
        case Call(name="memset" | "memcpy" | "memmove" | "malloc" | "calloc", args=args):
            yield from (v for a in args[-2:] for v in _integers(a))
        case Call(name=name, args=args) if name in k.control_calls:
            for a, control in zip(args, k.control_calls[name], strict=False):
                if control:
                    yield from _integers(a)
        case _:
            return


def _assignments(f: Function) -> list[tuple[Variable, Expr | None, bool]]:
    """Each assignment to an integer variable: the value (None for a step), and whether it stands under an if."""
    found: list[tuple[Variable, Expr | None, bool]] = []

    def visit(s: object, under: bool) -> None:
        match s:
            case Block(parts=parts):
                for p in parts:
                    visit(p, under)
                return
            case If(cond=cond, yes=yes, no=no):
                values(cond, under)
                visit(yes, True)
                visit(no, True)
                return
            case Loop(first=first, cond=cond, step=step, body=body):
                visit(first, under)
                for e in (cond, step):
                    if e is not None:
                        values(e, under)
                visit(body, under)
                return
            case Declare(var=v):
                if isinstance(v.type, Int):
                    found.extend((v, e, under) for e in initial(v))
                for e in initial(v):
                    values(e, under)
            case Return() | _:
                for e in own(s):  # type: ignore[arg-type]
                    values(e, under)

    def values(whole: Expr, under: bool) -> None:
        for e in inside(whole):
            if isinstance(e, Assign) and isinstance(e.target, Use) and isinstance(e.target.var.type, Int):
                found.append((e.target.var, e.value, under))
            if isinstance(e, Step) and isinstance(e.target, Use) and isinstance(e.target.var.type, Int):
                found.append((e.target.var, None, under))

    visit(f.body, False)
    return found


def _spread(k: Kinds, pairs: list[tuple[Variable, Expr | None, bool]]) -> None:
    """What a control variable is computed from is control; what is given data is data; what is compared with
    control is control."""
    before = None
    while before != (len(k.asked), len(k.data)):
        before = len(k.asked), len(k.data)
        for v, value, _ in pairs:
            if value is None:
                continue
            if v.flag:
                continue
            if v in k.asked:
                k.ask(_integers(value))
            if k.has_data(value) or _is_truth(value):
                k.data.add(v)
        for e in expressions(k.function.body):
            if isinstance(e, Binary) and e.op in COMPARISONS and not k.has_data(e):
                both = [*_integers(e.lhs), *_integers(e.rhs)]
                if any(v in k.asked for v in both):
                    k.ask(v for v in both if v not in k.data)
            if isinstance(e, Binary) and e.op in ("<", "<=", ">", ">="):
                for a, b in ((e.lhs, e.rhs), (e.rhs, e.lhs)):
                    if _is_index(k, a) and not k.has_data(b):
                        k.ask(v for v in _integers(b) if v not in k.data)


def _is_index(k: Kinds, e: Expr) -> bool:
    """Whether an expression is an element of an array of indices, converted or not."""
    if isinstance(e, Cast):
        return _is_index(k, e.arg)
    return isinstance(e, Index) and any(v in k.indices for v in used(e))


def _is_truth(e: Expr) -> bool:
    return (isinstance(e, Binary) and e.op in (*COMPARISONS, *LOGICAL)) or (isinstance(e, Unary) and e.op == "!")


def _settle(k: Kinds, pairs: list[tuple[Variable, Expr | None, bool]]) -> None:
    """Variables that nothing asks for: locals are data if they are computed from numbers only, or under a condition;
    arguments if data is computed with them."""
    free = {v for v, _, _ in pairs} - k.asked - k.data
    for v in free:
        mine = [(value, under) for w, value, under in pairs if w is v]
        others = {u for value, _ in mine if value is not None for u in _integers(value)} - {v}
        if v.storage in ("argument", "member"):
            continue
        assert isinstance(v.type, Int)
        alone = not others & (k.asked | set(k.function.args))
        number = len(mine) == 1 and mine[0][0] is not None and _is_number(k, v, mine[0][0])
        if alone or number or any(u for _, u in mine) or v.type.bits < I32.bits:  # C cuts off bits of narrow ones
            k.data.add(v)
    if inlined.body(k.function) is not None:  # of sizes and indices it is put in place
        k.data.update(v for v in k.function.args if v not in k.asked)
    k.data.update(v for v in _returned(k, pairs) if v.storage == "argument" and v not in k.asked)
    for e in expressions(k.function.body):
        for v in _with_data(k, e):
            if v.storage != "local" and v not in k.asked:
                k.data.add(v)


def _returned(k: Kinds, pairs: list[tuple[Variable, Expr | None, bool]]) -> set[Variable]:
    """The integers that what is returned is computed from: a number in memory."""
    values = [s.value for s in statements(k.function.body) if isinstance(s, Return | Result) and s.value is not None]
    found = {v for e in values for v in _integers(e)}
    before = 0
    while before != len(found):
        before = len(found)
        found |= {u for v, value, _ in pairs if v in found and value is not None for u in _integers(value)}
    return found


def _is_number(k: Kinds, v: Variable, value: Expr) -> bool:
    """Whether a variable is given a product of variables, once, and no condition asks for it: a number like `area`."""
    products = (e for e in inside(value) if isinstance(e, Binary) and e.op == "*")
    if not any(any(True for _ in _integers(e.lhs)) and any(True for _ in _integers(e.rhs)) for e in products):
        return False
    asked = (e for e in expressions(k.function.body) if isinstance(e, Binary) and e.op in (*COMPARISONS, *LOGICAL))
    return not any(v in (*_integers(e.lhs), *_integers(e.rhs)) for e in asked)


def _with_data(k: Kinds, e: Expr) -> Iterator[Variable]:
    """The arguments that an expression combines with data, or stores."""
    match e:
        case Binary(lhs=a, rhs=b) if e.op not in LOGICAL:
            if k.has_data(a) != k.has_data(b):
                yield from _integers(b if k.has_data(a) else a)
        case Assign(target=target, value=value) if k.has_data(target) or k.has_data(value):
            yield from _integers(value)
        case Choice(yes=yes, no=no):
            yield from (*_integers(yes), *_integers(no))
        case Call(args=args, name=name) if name not in k.control_calls:
            yield from (v for a in args for v in _integers(a))
        case _:
            return
