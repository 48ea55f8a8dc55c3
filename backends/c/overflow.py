"""For which arguments no integer of C overflows.

The object language has integers, C 64 bits. An interval for each control variable, from the arguments down through all
calls, bounds what each expression and each part of it can be. Where one is taken as data of an integer precision, as in
`i32(n - i)`, it must fit that, too. Memory that is there bounds its extents, and with them the offsets of its elements:
a block has at most `MOST` bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias

from ..kernel import (
    Alloc,
    Arg,
    Binary,
    Call,
    Cell,
    Claim,
    Const,
    Control,
    Expr,
    ExternCall,
    ExternFn,
    For,
    Node,
    Path,
    ReadConfig,
    Scalar,
    StrideExpr,
    Sym,
    Tensor,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WriteConfig,
    declarators,
    holds_everywhere,
    is_control,
    mentions,
    print_expr,
    size_of,
    walk,
)
from .errors import AllocationError, BackendError, RangeError, marked
from .program import Function, Program
from .types import MOST, integer_range

_POWERS = frozenset(2**k for k in (62, 61, 60, 56, 48, 40, 32, 31, 24, 16, 8, 1))
_LIMITS = (MOST, *sorted(_POWERS | {2**31 - 1, 2**16 - 1, 2**15 - 1, 2**8 - 1, 2**7 - 1}, reverse=True))
"""What is tried as a bound of all arguments, the largest first."""
_ROUNDS = 3
"""How often the values of config fields are found anew, from what is written, before a bound is checked at run time."""

Interval: TypeAlias = tuple[int, int]
Register: TypeAlias = tuple[str, str]
"""A config and a field of it."""


@dataclass(frozen=True)
class Limits:
    """Nothing overflows if no control argument is beyond `most`, or minus that. `fields` are the values of config
    fields then; those of `checked`, which grow from call to call, are held to that where they are written."""

    most: int = MOST
    fields: Mapping[Register, Interval] = field(default_factory=dict)
    checked: frozenset[Register] = frozenset()


def limits(program: Program) -> Limits:
    """The limits of a program. Raises a `BackendError` if there are none."""
    for most in _LIMITS[:-1]:
        try:
            return _fields(program, Limits(most))
        except BackendError:
            continue
    return _fields(program, Limits(_LIMITS[-1]))


def limited(program: Program) -> Program:
    """The program with its limits. Raises a `BackendError` if it has none."""
    found = limits(program)
    known = {id(f): replace(f, most=found.most) for f in (*program.functions, *program.by_tree.values())}
    return replace(
        program,
        functions=tuple(known[id(f)] for f in program.functions),
        by_tree={k: known[id(f)] for k, f in program.by_tree.items()},
        checked=found.checked,
    )


def _fields(program: Program, found: Limits) -> Limits:
    """The limits with the values of config fields: what is written, again and again, until nothing new is."""
    for n in range(len(_control_fields(program)) + _ROUNDS + 1):
        written = _Pass(program, found).run()
        new = {r: w for r, w in written.items() if _join(found.fields.get(r, (0, 0)), w) != found.fields.get(r, (0, 0))}
        if not new:
            return found
        grown = {r: _join(found.fields.get(r, (0, 0)), w) for r, w in new.items()}
        if n >= _ROUNDS:
            grown = dict.fromkeys(new, (-found.most, found.most))
            found = replace(found, checked=found.checked | new.keys())
        found = replace(found, fields={**found.fields, **grown})
    raise AssertionError("each field is checked by now")


def _control_fields(program: Program) -> frozenset[Register]:
    nodes = (n for f in program.functions for n in declarators(f.tree) if isinstance(n, WriteConfig))
    return frozenset((n.config.name, n.field) for n in nodes if isinstance(n.config.fields[n.field], Control))


def _join(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


@dataclass
class _Pass:
    """A pass over all functions, callers first, for arguments within the limits."""

    program: Program
    limits: Limits
    passed: dict[str, dict[Sym, Interval]] = field(default_factory=dict)
    """What functions are called with."""
    written: dict[Register, Interval] = field(default_factory=dict)

    def run(self) -> Mapping[Register, Interval]:
        """What is written into config fields that are not checked."""
        for f in reversed(self.program.functions):
            ranges = self.passed.get(f.name, {})
            if f.exported:
                ranges = self._join_all(ranges, self._entry(f))
            if ranges or not any(isinstance(a.type, Control) for a in f.tree.args):
                _Function(self, f, dict(ranges)).run()
        return self.written

    def _entry(self, f: Function) -> Mapping[Sym, Interval]:
        most = self.limits.most
        kinds = {"size": (1, most), "bool": (0, 1)}
        return {a.sym: kinds.get(a.type.name, (-most, most)) for a in f.tree.args if isinstance(a.type, Control)}

    def call(self, f: Function, given: Mapping[Sym, Interval]) -> None:
        self.passed[f.name] = self._join_all(self.passed.get(f.name, {}), given)

    def _join_all(self, a: Mapping[Sym, Interval], b: Mapping[Sym, Interval]) -> dict[Sym, Interval]:
        return {**a, **{s: _join(a.get(s, r), r) for s, r in b.items()}}

    def write(self, register: Register, value: Interval) -> None:
        if register not in self.limits.checked:
            self.written[register] = _join(self.written.get(register, value), value)


@dataclass
class _Function:
    """The walk over one function. `ranges` are the values of its control variables."""

    whole: _Pass
    function: Function
    ranges: dict[Sym, Interval]
    path: Path = ()
    known: dict[int, Interval] = field(default_factory=dict)
    """By the identity of an expression: variables have one range each."""

    def run(self) -> None:
        tree = self.function.tree
        for a in tree.args:
            if isinstance(a.type, Tensor) and not a.type.window:
                self._there(a.sym, a.type.shape)
        for path, n in walk(tree):
            if path and path[0][0] != "preds":
                self.path = path
                self._node(n)

    def _there(self, sym: Sym, shape: Iterable[Expr]) -> None:
        """An array has no more elements than memory can have."""
        most = MOST // size_of(self.function.data[sym].scalar)
        for e in (factor for extent in shape for factor in _factors(extent)):
            if isinstance(e, Var):
                least, greatest = self.ranges[e.sym]
                self.ranges[e.sym] = min(least, most), min(greatest, most)

    def _node(self, n: Node) -> None:
        match n:
            case Arg(type=Tensor(shape=shape, window=False)):
                for factor in (f for extent in shape for f in _factors(extent)):
                    self.range(factor)
                self._size(n, shape)
            case Alloc(type=Tensor(shape=shape)):
                self._size(n, shape)
            case WindowDef(rhs=ViewExpr(shape=shape)):
                self._size(n, shape)
            case For(iter=i, lo=lo, hi=hi):
                least, greatest = self.range(lo)[0], self.range(hi)[1] - 1
                self.ranges[i] = least, max(least, greatest)
            case Call(f=f, args=args) if f.tree.instr is None:
                formals = [a for a in zip(f.tree.args, args, strict=True) if isinstance(a[0].type, Control)]
                self.whole.call(self.whole.program.by_tree[id(f.tree)], {a.sym: self.range(e) for a, e in formals})
            case WriteConfig(config=c, field=name, rhs=e) if isinstance(c.fields[name], Control):
                self.whole.write((c.name, name), self.range(e))
            case ExternCall(f=ExternFn(result=str(result)), args=args) if is_control(args[0]):
                self._as_data(args[0], Scalar(result))
            case Binary() | Unary() | Const() | Cell() if is_control(n) and not self._is_extent():
                self.range(n)
            case _:
                pass

    def _as_data(self, e: Expr, t: Scalar) -> None:
        """An integer that is taken as data of an integer precision fits it: in all its range, or where it stands."""
        found = self.range(e)
        if t.is_float:
            return
        least, most = integer_range(t)
        tree = self.function.tree
        open_ends = [Binary("<=", _number(least), e)] if found[0] < least else []
        open_ends += [Binary("<=", e, _number(most))] if found[1] > most else []
        if not all(holds_everywhere(tree, self.path, end) for end in open_ends):
            shown = print_expr(e, {s: s.name for s in mentions(e)})
            what = f"`{shown}` may not fit {t}: assert bounds of it, or take a wider precision"
            raise marked(RangeError, tree, self.path, what)

    def _is_extent(self) -> bool:
        """Whether this is in the extent of an argument that is no window: memory of that size is there."""
        return self.path[0][0] == "args"

    def _size(self, n: Arg | Alloc | WindowDef, shape: Iterable[Expr]) -> None:
        least = prod(max(1, self.range(factor)[0]) for extent in shape for factor in _factors(extent))
        if least * size_of(self.function.data[n.sym].scalar) > MOST:
            what = f"{n.sym} has at least {least} elements, more than memory can have"
            raise marked(AllocationError, self.function.tree, self.path, what)

    # -- expressions ----------------------------------------------------------------------------

    def range(self, e: Expr) -> Interval:
        """What a control expression can be. Raises a `BackendError` if that may be too large for C."""
        parts = [e]
        while isinstance(parts[-1], Binary) and is_control(parts[-1].lhs) and id(parts[-1]) not in self.known:
            parts.append(parts[-1].lhs)  # long sums are deep on the left: no recursion there
        for part in reversed(parts):
            if id(part) not in self.known:
                self.known[id(part)] = self._fits(part, self._range(part))
        return self.known[id(e)]

    def _fits(self, e: Expr, found: Interval) -> Interval:
        if found[0] >= -MOST - 1 and found[1] <= MOST:  # all that 64 bits hold, as an element of i64 may be
            return found
        shown = print_expr(e, {s: s.name for s in mentions(e)})
        raise marked(RangeError, self.function.tree, self.path, f"`{shown}` may not fit the 64 bits of C")

    def _range(self, e: Expr) -> Interval:
        match e:
            case Const(value=v):
                return int(v), int(v)
            case Var(sym=s):
                return self.ranges[s]
            case StrideExpr(sym=s):
                most = MOST // size_of(self.function.data[s].scalar)
                return -most, most
            case ReadConfig(config=c, field=name):
                return (0, 1) if c.fields[name] == BOOL else self.whole.limits.fields.get((c.name, name), (0, 0))
            case Cell(read=r):
                return self._of_buffer(r.sym)
            case Unary(op="-", arg=a):
                least, greatest = self.range(a)
                return -greatest, -least
            case Binary(op="*", lhs=d, rhs=Binary(op="/", lhs=x, rhs=by)) if d == by and not isinstance(d, Const):
                return self._multiple(e.rhs, self.range(x), self.range(d))
            case Binary(op="*", lhs=Binary(op="/", lhs=x, rhs=by), rhs=d) if d == by and not isinstance(d, Const):
                return self._multiple(e.lhs, self.range(x), self.range(d))
            case Binary(op="+" | "-" | "*" | "/" | "%" | "min" | "max", lhs=a, rhs=b):
                return _combined(e.op, self.range(a), self.range(b))
            case Unary(arg=a):
                self.range(a)
            case Binary(lhs=a, rhs=b) if is_control(a) and is_control(b):
                self.range(a)
                self.range(b)
            case _:
                pass  # a comparison of data, whose indices the walk meets
        return 0, 1

    def _multiple(self, quotient: Expr, x: Interval, by: Interval) -> Interval:
        """What the quotient of a number times its divisor can be: near that number."""
        self.range(quotient)
        return x[0] - by[1] + 1 if x[0] < 0 else 0, x[1]

    def _of_buffer(self, sym: Sym) -> Interval:
        """What elements of a buffer of integers can be, by its precision and by what is asserted."""
        least, most = integer_range(self.function.data[sym].scalar)
        for p in self.function.tree.preds:
            for _, n in walk(p):
                if isinstance(n, Claim) and (n.kind, n.sym) == ("within", sym):
                    least, most = max(least, self.range(n.args[0])[0]), min(most, self.range(n.args[1])[1] - 1)
        return least, most


BOOL = Control("bool")


def _number(n: int) -> Expr:
    return Const(n, Control("int"))


def _combined(op: str, a: Interval, b: Interval) -> Interval:
    match op:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case "/":
            corners = [x // y for x in a for y in _divisors(b)]
            return min(corners), max(corners)
        case "min":
            return min(a[0], b[0]), min(a[1], b[1])
        case "max":
            return max(a[0], b[0]), max(a[1], b[1])
        case _:
            least, most = _divisors(b)
            return a if a[0] >= 0 and a[1] < least else (0, min(a[1], most - 1) if a[0] >= 0 else most - 1)


def _divisors(b: Interval) -> Interval:
    """What a divisor can be: the checks know that it is at least 1."""
    return max(1, b[0]), max(1, b[1])


def _factors(e: Expr) -> list[Expr]:
    """What an extent is the product of."""
    return [*_factors(e.lhs), *_factors(e.rhs)] if isinstance(e, Binary) and e.op == "*" else [e]
