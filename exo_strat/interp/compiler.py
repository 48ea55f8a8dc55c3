"""A procedure as nested Python functions over a list of slots, one a variable.

Tests make thousands of tiny runs of one tree, so each is compiled once.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import inf, prod
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from ..frontend.scope import declarations
from ..ir.cells import has_cells, indexing, written_args
from ..ir.config import Config
from ..ir.externs import ExternFn
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Block,
    Call,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Select,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from ..ir.nodes import Cell as IndexCell
from ..ir.precisions import element, integer_range, precision, sized
from ..ir.printing import names_at, print_expr
from ..ir.types import Control, DataType, Tensor, Type, size
from ..ir.walk import LOGICAL, Path, declarators, is_control
from .values import Array, Cell, Number, blank, dense_strides, exact


class Trapped(Exception):
    """Leaves a run. The procedure is filled in where its call is made."""

    def __init__(self, kind: str, message: str, path: Path) -> None:
        self.kind, self.message, self.path = kind, message, path
        self.tree: ProcDef | None = None


class State(NamedTuple):
    """What all procedures of a run share."""

    configs: dict[str, Any]
    order: Random | None


Frame: TypeAlias = list[Any]
"""Slot 0 holds the `State`, the others a variable each: a number, or an `Array` for data."""
Eval: TypeAlias = Callable[[Frame], Any]
Exec: TypeAlias = Callable[[Frame], None]


def enter(tree: ProcDef, state: State, values: Sequence[Any]) -> None:
    """Checks what a procedure says about its arguments."""
    code = compiled(tree)
    _take(code.demands, code.slots, tree, state, values)


def invoke(tree: ProcDef, state: State, values: Sequence[Any]) -> None:
    """Runs a procedure, after these checks."""
    code = compiled(tree)
    _take(code.steps, code.slots, tree, state, values)


def _take(steps: Sequence[Exec], slots: int, tree: ProcDef, state: State, values: Sequence[Any]) -> None:
    frame = [state, *values, *[None] * (slots - len(values) - 1)]
    try:
        for step in steps:
            step(frame)
    except Trapped as t:
        t.tree = t.tree or tree
        raise


@dataclass(frozen=True)
class Code:
    """A procedure as Python functions."""

    slots: int
    demands: Sequence[Exec]
    steps: Sequence[Exec]
    """The demands, and then the body."""


@memo_by_identity
def compiled(tree: ProcDef) -> Code:
    slots: dict[Sym, int] = {}
    make = Compiler(slots, declarations(tree), ranges=_ranges(tree))
    for a in tree.args:
        make.slot(a.sym)
    names = names_at(tree)
    taken = indexing(tree)
    demands = [
        *(make.demand(a, (("args", k),)) for k, a in enumerate(tree.args)),
        *(make.indices(a, (("args", k),)) for k, a in enumerate(tree.args) if a.sym in taken),
        *(make.asserted(e, print_expr(e, names), (("preds", k),)) for k, e in enumerate(tree.preds)),
    ]
    body = make.block(tree.body, (), "body")
    return Code(len(slots) + 1, demands, [*demands, body])


def _ranges(tree: ProcDef) -> Mapping[Sym, tuple[int, int]]:
    """The least and greatest numbers that the buffers of integers hold, if indices are taken from any."""
    types: dict[Sym, DataType] = {}
    for d in declarators(tree) if has_cells(tree) else ():
        if isinstance(d, WindowDef):
            types[d.sym] = types[d.rhs.sym]
        elif isinstance(d, Arg | Alloc) and not isinstance(d.type, Control):
            types[d.sym] = d.type
    return {s: integer_range(element(t)) for s, t in types.items() if not element(t).is_float}


def _uninitialised(name: object, path: Path) -> Trapped:
    return Trapped("uninitialised", f"{name} was read but never written", path)


def _unfit(name: object, n: Number, path: Path) -> Trapped:
    return Trapped("fit", f"{n}, an element of {name} that is taken as an index, does not fit its precision", path)


def _outside(name: object, index: int, extent: int, path: Path) -> Trapped:
    return Trapped("out of bounds", f"index {index} of {name}, where the extent is {extent}", path)


ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod, "/": operator.floordiv,
    "min": min, "max": max,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
ACCUMULATE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "*": operator.mul, "min": min, "max": max,
}  # fmt: skip


@memo_by_identity
def _affine(e: Expr) -> tuple[dict[Sym, int], int] | None:
    """Multiples of variables and a constant whose sum a control integer is, if it is one."""
    match e:
        case Var(sym=s):
            return {s: 1}, 0
        case Const(value=int(v), type=Control()):
            return {}, v
        case Unary(op="-", arg=a):
            return _combined((a, -1))
        case Binary(op="+", lhs=a, rhs=b):
            return _combined((a, 1), (b, 1))
        case Binary(op="-", lhs=a, rhs=b):
            return _combined((a, 1), (b, -1))
        case Binary(op="*", lhs=Const(value=int(k), type=Control()), rhs=a):
            return _combined((a, k))
        case Binary(op="*", lhs=a, rhs=Const(value=int(k), type=Control())):
            return _combined((a, k))
        case _:
            return None


@memo_by_identity
def _is_integer(e: Binary) -> bool:
    """Whether an operation is on control values. It is asked at each level of a chain, which may be long."""
    return _is_integer(e.lhs) if isinstance(e.lhs, Binary) and e.op in "+-*/%" else is_control(e.lhs)


def _combined(*parts: tuple[Expr, int]) -> tuple[dict[Sym, int], int] | None:
    weights: dict[Sym, int] = {}
    constant = 0
    for e, k in parts:
        found = _affine(e)
        if found is None:
            return None
        for s, n in found[0].items():
            weights[s] = weights.get(s, 0) + k * n
        constant += k * found[1]
    return weights, constant


def _divide(x: Number, y: Number) -> Cell:
    return exact(Fraction(x, y))


@dataclass(frozen=True)
class Compiler:
    """Turns nodes into functions of a frame. `slots` says where each variable lives, `ranges` what buffers of
    integers hold, as far as that matters.

    What runs most often has a function for each of its usual shapes, which does at once what those of its parts would
    do one by one: indices that are sums of multiples of variables, places in one or two dimensions, sums.
    """

    slots: dict[Sym, int]
    types: Mapping[Sym, Type]
    ranges: Mapping[Sym, tuple[int, int]] = field(default_factory=dict, kw_only=True)

    def slot(self, s: Sym) -> int:
        return self.slots.setdefault(s, len(self.slots) + 1)

    # -- expressions --------------------------------------------------------------------------------

    def expr(self, e: Expr, path: Path) -> Eval:
        match e:
            case Const(value=v, type=t):
                constant = v if isinstance(t, Control) else exact(v)
                return lambda _: constant
            case Var(sym=s):
                return operator.itemgetter(self.slot(s))
            case Read(sym=s, idx=idx):
                return self._read(s, self._place(s, idx, path), path)
            case Unary(op=op, arg=a):
                arg = self.expr(a, path)
                return (lambda f: not arg(f)) if op == "not" else (lambda f: -arg(f))
            case Binary():
                return self._binary(e, path)
            case ExternCall(f=fn, args=args):
                known = sized(fn, precision(e, self.types)) if fn.sized else fn
                return self._extern(known, [self.expr(a, path) for a in args], path)
            case Select(cond=c, then=a, other=b):
                cond, then, other = self.expr(c, path), self.expr(a, path), self.expr(b, path)
                return lambda f: then(f) if cond(f) else other(f)
            case StrideExpr(sym=s, dim=d):
                slot = self.slot(s)
                return lambda f: f[slot].strides[d]
            case ReadConfig(config=c, field=field):
                return self._config_read(c, field, path)
            case WindowExpr():
                return self._window(e, path)
            case ViewExpr():
                return self._view(e, path)
            case IndexCell(read=r):
                return self._index(r.sym, self.expr(r, path), path)
            case Claim(kind=kind, sym=s, args=args):
                return self._claim(kind, s, [self._integer(a, path) for a in args])

    def _index(self, s: Sym, read: Eval, path: Path) -> Eval:
        """An element as a control integer: a whole number that its precision holds."""
        least, most = self.ranges.get(s, (-inf, inf))

        def index(f: Frame) -> int:
            n = self.plain(read(f))
            if n.denominator != 1 or not least <= n <= most:
                raise _unfit(s, n, path)
            return int(n)

        return index

    def plain(self, value: Any) -> Any:
        """The number that a value in memory is."""
        return value

    def _elements(self, a: Array) -> list[Any]:
        """The numbers in a buffer, row by row."""
        return [self.plain(a.cells[k]) for k in a.places()]

    def _claim(self, kind: str, s: Sym, bounds: list[Eval]) -> Eval:
        """Whether all elements of a buffer are as asserted."""
        slot = self.slot(s)

        def within(f: Frame) -> bool:
            lo, hi = [bound(f) for bound in bounds]
            return all(lo <= n < hi for n in self._elements(f[slot]))

        def distinct(f: Frame) -> bool:
            found = self._elements(f[slot])
            return len(set(found)) == len(found)

        def rising(f: Frame) -> bool:
            return all(m <= n for m, n in pairwise(self._elements(f[slot])))

        return {"within": within, "distinct": distinct, "rising": rising}[kind]

    def _read(self, s: Sym, place: Callable[[Frame], tuple[list[Cell], int]], path: Path) -> Eval:
        def read(f: Frame) -> Number:
            cells, k = place(f)
            value = cells[k]
            if value is None:
                raise _uninitialised(s, path)
            return value

        return read

    def _config_read(self, c: Config, field: str, path: Path) -> Eval:
        """A config field's value; a size is positive."""
        key = f"{c.name}.{field}"
        read = self._config(key, path)
        return _positive(read, key, path) if c.fields[field] == size else read

    def _config(self, key: str, path: Path) -> Eval:
        def config(f: Frame) -> Any:
            value = f[0].configs.get(key)
            if value is None:
                raise _uninitialised(key, path)
            return value

        return config

    def _integer(self, e: Expr, path: Path) -> Eval:
        """A control integer."""
        found = _affine(e) if isinstance(e, Unary | Binary) else None
        if found is None:
            return self.expr(e, path)
        weights, constant = found
        terms = [(self.slot(s), k) for s, k in weights.items()]
        if len(terms) == 1:
            ((a, m),) = terms
            return (lambda f: f[a] + constant) if m == 1 else (lambda f: m * f[a] + constant)
        if len(terms) == 2:
            (a, m), (b, n) = terms
            return lambda f: m * f[a] + n * f[b] + constant

        def total(f: Frame) -> Any:
            value = constant
            for slot, k in terms:
                value += k * f[slot]
            return value

        return total

    def _binary(self, e: Binary, path: Path) -> Eval:
        if e.op == "+":
            return self._sum(e, path)
        if e.op not in LOGICAL and _is_integer(e):
            lhs, rhs = self._integer(e.lhs, path), self._integer(e.rhs, path)
        else:
            lhs, rhs = self.expr(e.lhs, path), self.expr(e.rhs, path)
        if e.op == "*":
            return lambda f: lhs(f) * rhs(f)
        if e.op == "-":
            return lambda f: lhs(f) - rhs(f)
        if e.op == "and":
            return lambda f: lhs(f) and rhs(f)
        if e.op == "or":
            return lambda f: lhs(f) or rhs(f)
        if e.op not in ("/", "%"):
            op = ARITHMETIC[e.op]
            return lambda f: op(lhs(f), rhs(f))
        divide = ARITHMETIC[e.op] if is_control(e.lhs) else _divide

        def quotient(f: Frame) -> Any:
            x, y = lhs(f), rhs(f)
            if y == 0:
                raise Trapped("division", "division by zero", path)
            return divide(x, y)

        return quotient

    def _sum(self, e: Binary, path: Path) -> Eval:
        """`a + b + c + ..`, which may be long, from left to right."""
        chain: Expr = e
        last: list[Expr] = []
        while isinstance(chain, Binary) and chain.op == "+":
            last.append(chain.rhs)
            chain = chain.lhs
        first, second, *rest = [self.expr(x, path) for x in (chain, *reversed(last))]
        if not rest:
            return lambda f: first(f) + second(f)

        def total(f: Frame) -> Any:
            value = first(f) + second(f)
            for term in rest:
                value = value + term(f)
            return value

        return total

    def _extern(self, fn: ExternFn, args: list[Eval], path: Path) -> Eval:
        def extern(f: Frame) -> Cell:
            values = [Fraction(a(f)) for a in args]
            try:
                return exact(fn.eval(*values))
            except (ValueError, ArithmeticError) as e:
                shown = ", ".join(map(str, values))
                raise Trapped("domain", f"{fn.shown} of {shown} has no value: {e}", path) from None

        return extern

    # -- places -------------------------------------------------------------------------------------

    def _place(self, s: Sym, idx: Sequence[Expr], path: Path) -> Callable[[Frame], tuple[list[Cell], int]]:
        """Where an element lives: the cells and the position."""
        slot = self.slot(s)
        if not idx:

            def scalar(f: Frame) -> tuple[list[Cell], int]:
                cells, at, _, _ = f[slot]
                return cells, at

            return scalar
        points = [self._integer(i, path) for i in idx]
        first, *others = points

        def in_row(f: Frame) -> tuple[list[Cell], int]:
            cells, at, (extent,), (stride,) = f[slot]
            i = first(f)
            if not 0 <= i < extent:
                raise _outside(s, i, extent, path)
            return cells, at + i * stride

        def in_matrix(f: Frame) -> tuple[list[Cell], int]:
            cells, at, (rows, columns), (down, right) = f[slot]
            i = first(f)
            if not 0 <= i < rows:
                raise _outside(s, i, rows, path)
            j = second(f)
            if not 0 <= j < columns:
                raise _outside(s, j, columns, path)
            return cells, at + i * down + j * right

        def place(f: Frame) -> tuple[list[Cell], int]:
            cells, at, shape, strides = f[slot]
            for point, extent, stride in zip(points, shape, strides, strict=True):
                i = point(f)
                if not 0 <= i < extent:
                    raise _outside(s, i, extent, path)
                at += i * stride
            return cells, at

        if not others:
            return in_row
        second, *more = others
        return place if more else in_matrix

    def _window(self, w: WindowExpr, path: Path) -> Eval:
        slot = self.slot(w.sym)
        dims: list[tuple[Eval, Eval | None]] = [
            (self._integer(d.pt, path), None)
            if isinstance(d, Point)
            else (self._integer(d.lo, path), self._integer(d.hi, path))
            for d in w.idx
        ]

        def window(f: Frame) -> Array:
            cells, at, shape, strides = f[slot]
            kept: list[tuple[int, int]] = []
            for (first, last), extent, stride in zip(dims, shape, strides, strict=True):
                lo = first(f)
                hi = lo + 1 if last is None else last(f)
                if not 0 <= lo <= hi <= extent:
                    raise Trapped("out of bounds", f"{lo}:{hi} of {w.sym}, where the extent is {extent}", path)
                at += lo * stride
                if last is not None:
                    kept.append((hi - lo, stride))
            return Array(cells, at, tuple(n for n, _ in kept), tuple(s for _, s in kept))

        return window

    def _view(self, w: ViewExpr, path: Path) -> Eval:
        """All of a dense buffer, with other extents."""
        slot, extents = self.slot(w.sym), [self._integer(e, path) for e in w.shape]

        def view(f: Frame) -> Array:
            cells, at, shape, strides = f[slot]
            new = tuple([extent(f) for extent in extents])
            if min(new) < 1 or prod(new) != prod(shape) or strides != dense_strides(shape):
                raise Trapped("extent", f"{w.sym} of extents {shape} has no extents {new}", path)
            return Array(cells, at, new, dense_strides(new))

        return view

    def _actual(self, formal: Arg, e: Expr, path: Path) -> Eval:
        """A call's argument: a number, a view, or for a value passed as data a cell of its own."""
        if isinstance(formal.type, Control):
            return self.expr(e, path)
        if isinstance(e, WindowExpr):
            return self._window(e, path)
        if isinstance(e, Read) and not e.idx:
            return operator.itemgetter(self.slot(e.sym))
        if isinstance(e, Read):
            place = self._place(e.sym, e.idx, path)
            return lambda f: Array(*place(f), (), ())
        value = self.expr(e, path)
        return lambda f: Array([value(f)], 0, (), ())

    # -- statements ---------------------------------------------------------------------------------

    def block(self, stmts: Block, path: Path, label: str) -> Exec:
        steps = [self.stmt(s, (*path, (label, k))) for k, s in enumerate(stmts)]
        if len(steps) == 1:
            return steps[0]

        def block(f: Frame) -> None:
            for step in steps:
                step(f)

        return block

    def stmt(self, s: Stmt, path: Path) -> Exec:
        match s:
            case Assign(sym=sym, idx=idx, rhs=rhs):
                return self._assign(self._place(sym, idx, path), self.expr(rhs, path))
            case Reduce():
                return self._reduce(s, path)
            case For():
                return self._for(s, path)
            case If(cond=c, body=body, orelse=orelse):
                cond, yes, no = self.expr(c, path), self.block(body, path, "body"), self.block(orelse, path, "orelse")
                return lambda f: yes(f) if cond(f) else no(f)
            case Alloc(sym=sym, type=t):
                return self._alloc(sym, t, path)
            case WindowDef(sym=sym, rhs=w):
                shown = self._view(w, path) if isinstance(w, ViewExpr) else self._window(w, path)
                return self._let(self.slot(sym), shown)
            case Call():
                return self._call(s, path)
            case WriteConfig(config=c, field=field, rhs=rhs):
                key, value = f"{c.name}.{field}", self.expr(rhs, path)
                return self._set_config(key, _positive(value, key, path) if c.fields[field] == size else value)
            case _:
                return lambda _: None

    def _assign(self, place: Callable[[Frame], tuple[list[Cell], int]], rhs: Eval) -> Exec:
        def assign(f: Frame) -> None:
            cells, k = place(f)
            cells[k] = rhs(f)

        return assign

    def _reduce(self, s: Reduce, path: Path) -> Exec:
        place, rhs, op = self._place(s.sym, s.idx, path), self.expr(s.rhs, path), ACCUMULATE[s.op]

        def accumulate(f: Frame) -> None:
            cells, k = place(f)
            old = cells[k]
            if old is None:
                raise _uninitialised(s.sym, path)
            cells[k] = op(old, rhs(f))

        return accumulate

    def _for(self, s: For, path: Path) -> Exec:
        slot, lo, hi = self.slot(s.iter), self._integer(s.lo, path), self._integer(s.hi, path)
        body, any_order = self.block(s.body, path, "body"), s.mode != "seq"

        def loop(f: Frame) -> None:
            turns: Sequence[int] = range(lo(f), hi(f))
            if any_order and f[0].order is not None:
                turns = f[0].order.sample(turns, len(turns))
            for i in turns:
                f[slot] = i
                body(f)

        return loop

    def _alloc(self, s: Sym, t: DataType, path: Path) -> Exec:
        slot = self.slot(s)
        if not isinstance(t, Tensor):

            def scalar(f: Frame) -> None:
                f[slot] = Array([None], 0, (), ())

            return scalar
        extents = [self._integer(e, path) for e in t.shape]

        def allocate(f: Frame) -> None:
            shape = [e(f) for e in extents]
            if min(shape) < 1:
                raise Trapped("extent", f"{s} has extents {', '.join(map(str, shape))}", path)
            f[slot] = blank(shape)

        return allocate

    def _let(self, slot: int, value: Eval) -> Exec:
        def let(f: Frame) -> None:
            f[slot] = value(f)

        return let

    def _set_config(self, key: str, value: Eval) -> Exec:
        def write(f: Frame) -> None:
            f[0].configs[key] = value(f)

        return write

    # -- calls --------------------------------------------------------------------------------------

    def _call(self, s: Call, path: Path) -> Exec:
        callee = s.f.tree
        actuals = [self._actual(a, e, path) for a, e in zip(callee.args, s.args, strict=True)]

        def call(f: Frame) -> None:
            values = [a(f) for a in actuals]
            _require_apart(callee, values, path)
            invoke(callee, f[0], values)

        return call

    def demand(self, a: Arg, path: Path) -> Exec:
        """The check of an argument: sizes are positive, extents and the strides of dense tensors as declared."""
        slot, t = self.slot(a.sym), a.type
        if t == size:
            return lambda f: None if f[slot] >= 1 else _refuse("extent", f"{a.sym} is {f[slot]}", path)
        if not isinstance(t, Tensor):
            return lambda _: None
        extents = [self._integer(e, path) for e in t.shape]
        dense = not t.window

        def check(f: Frame) -> None:
            given, shape = f[slot], tuple([e(f) for e in extents])
            if given.shape != shape or min(shape) < 1:
                raise Trapped("extent", f"{a.sym} has extents {given.shape}, declared are {shape}", path)
            if dense:
                pairs = zip(given.strides, dense_strides(shape), shape, strict=True)
                if not all(s == d or n == 1 for s, d, n in pairs):
                    raise Trapped("stride", f"{a.sym} is not dense: its strides are {given.strides}", path)

        return check

    def indices(self, a: Arg, path: Path) -> Exec:
        """The check of an argument that indices are taken from: all elements are initialised, and such as its precision
        holds."""
        slot, (least, most) = self.slot(a.sym), self.ranges[a.sym]

        def check(f: Frame) -> None:
            for n in self._elements(f[slot]):
                if n is None:
                    raise _uninitialised(a.sym, path)
                if n.denominator != 1 or not least <= n <= most:
                    raise _unfit(a.sym, n, path)

        return check

    def asserted(self, e: Expr, text: str, path: Path) -> Exec:
        """The check of an assertion."""
        cond = self.expr(e, path)
        return lambda f: None if cond(f) else _refuse("assertion", f"{text} is false", path)


def _positive(value: Eval, key: str, path: Path) -> Eval:
    """A value that is one of a size."""

    def checked(f: Frame) -> Any:
        n = value(f)
        if n < 1:
            raise Trapped("extent", f"{key} is {n}", path)
        return n

    return checked


def _refuse(kind: str, message: str, path: Path) -> None:
    raise Trapped(kind, message, path)


def _require_apart(callee: ProcDef, values: Sequence[Any], path: Path) -> None:
    """No call may write a buffer that it also sees under another name."""
    data = [(a.sym, v) for a, v in zip(callee.args, values, strict=True) if isinstance(v, Array)]
    for n, (a, v) in enumerate(data):
        for b, w in data[:n]:
            shared = v.cells is w.cells and not written_args(callee).isdisjoint((a, b))
            if shared and not set(v.places()).isdisjoint(w.places()):
                raise Trapped("aliasing", f"arguments {b} and {a} of {callee.name} overlap", path)
