"""Runs in which integers are held in as many bits as they are declared with.

The reference interpreter is exact: it does not see precisions. What must fit its precision, and does in a program
before a rewrite, must also do so after it. So the program before is run to see whether all fits; and the one after,
with all that does not fit reduced as a machine does it, to see whether that shows. (A sum may be taken in another
order: what does not fit on the way makes no difference then.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import trunc
from typing import Final

from ..frontend.scope import declarations
from ..interp import Array, Number, Outcome, Trap
from ..interp.compiler import ACCUMULATE, ARITHMETIC, Compiler, Eval, Exec, Frame, State, Trapped
from ..ir.externs import ExternFn, bitnot
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    Node,
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
    WindowExpr,
    WriteConfig,
)
from ..ir.precisions import concrete, element, index_value, integer_range, modular, sized
from ..ir.printing import names_at
from ..ir.types import Control, Scalar, bf16, f64
from ..ir.walk import Path, is_control, unknown_node, walk
from .inputs import Inputs


class Mixed(Exception):
    """The operands of an operator are of different precisions, or an argument is of another than is asked for: a
    backend refuses that."""


def run_bounded(tree: ProcDef, given: Inputs, strict: bool) -> Outcome:
    """Runs a procedure on inputs that it admits. What does not fit its precision is a trap of kind "overflow" if
    `strict`, and else reduced.

    Raises `Mixed`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: i8, y: i32):
    ...     y = x + x
    ... ''')
    >>> given = Inputs({"x": Array([100], 0, (), ()), "y": Array([0], 0, (), ())}, {})
    >>> run_bounded(p.tree, given, strict=False).outputs["y"]
    -56
    """
    values = [v._replace(cells=list(v.cells)) if isinstance(v, Array) else v for v in given.args.values()]
    state, trap = State(dict(given.configs), None), None
    try:
        _compiled(tree)[strict].run(tree, state, values)
    except Trapped as t:
        assert t.tree is not None
        trap = Trap(t.kind, t.message, t.tree, t.path)
    names = names_at(tree)
    outputs = {names[a.sym]: v.value() for a, v in zip(tree.args, values, strict=True) if isinstance(v, Array)}
    return Outcome(outputs, state.configs, trap)


@memo_by_identity
def is_bounded(tree: ProcDef) -> bool:
    """Whether a procedure computes with integers as data, itself or in what it calls."""
    return any(
        (isinstance(n, Arg | Alloc) and not isinstance(n.type, Control) and not element(n.type).is_float)
        or (isinstance(n, ExternCall) and n.f.result is not None and not Scalar(n.f.result).is_float)
        or (isinstance(n, Call) and is_bounded(n.f.tree))
        for _, n in walk(tree)
    )


@memo_by_identity
def is_mixed(tree: ProcDef) -> bool:
    """Whether precisions are mixed in a way that a backend refuses."""
    try:
        _compiled(tree)
    except Mixed:
        return True
    return False


@dataclass(frozen=True)
class Code:
    """A procedure as Python functions."""

    slots: int
    steps: Sequence[Exec]

    def run(self, tree: ProcDef, state: State, values: Sequence[object]) -> None:
        """Runs it; a trap tells the procedure that it is in."""
        frame: Frame = [state, *values, *[None] * (self.slots - len(values))]
        try:
            for step in self.steps:
                step(frame)
        except Trapped as t:
            t.tree = t.tree or tree
            raise


@memo_by_identity
def _compiled(tree: ProcDef) -> tuple[Code, Code]:
    """What runs a procedure, and what does so strictly."""
    return _code(tree, False), _code(tree, True)


def _code(tree: ProcDef, strict: bool) -> Code:
    return code_of(tree, Bounded({}, declarations(tree), strict))


def code_of(tree: ProcDef, make: Bounded) -> Code:
    """What runs a procedure, made by a compiler that has no slots yet."""
    for a in tree.args:
        make.slot(a.sym)
    steps = [*(make.asserted(e, tree.name, ()) for e in tree.preds), make.block(tree.body, (), "body")]
    return Code(len(make.slots), steps)


def _agreed(one: Scalar | None, two: Scalar | None) -> Scalar | None:
    if one is not None and two is not None and one != two:
        raise Mixed(f"{one} and {two}")
    return one or two


def _no_storage(e: Expr, at: Scalar) -> None:
    """At bf16 nothing is computed, and what two roundings could differ of is not converted to it."""
    if at == bf16 and (isinstance(e, Unary | Binary) or (isinstance(e, ExternCall) and e.f.result is None)):
        raise Mixed("an operation at bf16")
    if at == bf16 and index_value(e) is not None:
        raise Mixed("an integer at bf16")


@dataclass(frozen=True)
class Bounded(Compiler):
    """Compiles statements so that their values are held at their precisions."""

    strict: bool

    def precision(self, e: Node) -> Scalar | None:
        """The precision of a data expression; None if it is all literals."""
        match e:
            case Read(sym=s):
                return concrete(element(self.types[s]))
            case ReadConfig(config=c, field=f):
                t = c.fields[f]
                return concrete(t) if isinstance(t, Scalar) else None
            case Unary(arg=a):
                return self.precision(a)
            case Binary(lhs=a, rhs=b):
                return _agreed(self.precision(a), self.precision(b))
            case ExternCall(f=ExternFn(result=str(result))):
                return Scalar(result)
            case ExternCall(args=args):
                found: Scalar | None = None
                for a in args:
                    found = _agreed(found, self.precision(a))
                return found
            case Select(then=a, other=b):
                return _agreed(self.precision(a), self.precision(b))
            case Const() | WindowExpr() | ViewExpr() | Var() | StrideExpr() | Cell() | Claim():
                return None
            case _:
                unknown_node(e, "its precision")

    def fitted(self, value: Eval, t: Scalar, path: Path) -> Eval:
        """The value, if it fits; else a trap, or what is left of it."""
        if t.is_float:
            return value
        lo, hi = integer_range(t)
        span: Final = hi - lo + 1

        def fit(f: Frame) -> Number:
            x: Number = value(f)
            if lo <= x <= hi and x == trunc(x):
                return x
            if self.strict:
                raise Trapped("overflow", f"{x} does not fit {t}", path)
            return (trunc(x) - lo) % span + lo

        return fit

    def expr(self, e: Expr, path: Path) -> Eval:
        """A control expression; its comparisons of data are at one precision."""
        if isinstance(e, Binary) and not is_control(e.lhs):
            at = self.precision(e) or f64
            if at == bf16:
                raise Mixed("a comparison at bf16")
            return self._compared(e.op, self.data(e.lhs, at, path), self.data(e.rhs, at, path))
        return super().expr(e, path)

    def _compared(self, op: str, lhs: Eval, rhs: Eval) -> Eval:
        compare = ARITHMETIC[op]
        return lambda f: compare(lhs(f), rhs(f))

    def data(self, e: Expr, at: Scalar, path: Path) -> Eval:
        """A data expression computed at a precision."""
        _no_storage(e, at)
        match e:
            case Const():
                return self.fitted(self.literal(e, path), at, path)
            case Unary(arg=a):
                return self.fitted(self.negative(self.data(a, at, path), at), at, path)
            case Binary(op=op, lhs=x, rhs=y):
                return self.fitted(self._operation(op, self.data(x, at, path), self.data(y, at, path), path), at, path)
            case ExternCall(f=ExternFn(result=str(result)), args=args) if index_value(e) is not None:
                return self.fitted(self.number(args[0], path), Scalar(result), path)
            case ExternCall(f=fn, args=args) if fn.wraps:
                own = self.precision(args[0]) or Scalar(str(fn.result))
                value = self._extern(fn, [self.modulo(args[0], own, path)], path)
                return self.fitted(value, Scalar(str(fn.result)), path)
            case ExternCall(f=ExternFn(result=str(result)), args=args):
                return self.converted(args[0], Scalar(result), path)
            case ExternCall(f=fn, args=args):
                if fn == bitnot and at.name.startswith("u"):
                    raise Mixed(f"{fn.shown} at {at}")
                return self.fitted(self.operation(fn, [self.data(a, at, path) for a in args], at, path), at, path)
            case Select(cond=c, then=x, other=y):
                cond, then, other = self.expr(c, path), self.data(x, at, path), self.data(y, at, path)
                return lambda f: then(f) if cond(f) else other(f)
            case _:
                return super().expr(e, path)

    def literal(self, e: Const, path: Path) -> Eval:
        """A literal of data, at no precision yet."""
        return super().expr(e, path)

    def negative(self, arg: Eval, at: Scalar) -> Eval:
        """A value of a precision, negated."""
        return lambda f: -arg(f)

    def modulo(self, e: Expr, at: Scalar, path: Path) -> Eval:
        """An expression computed at a precision that it need not fit: what it comes to is taken modulo 2^n."""
        match e:
            case Const():
                return self.literal(e, path)
            case Unary(arg=a):
                return self.negative(self.modulo(a, at, path), at)
            case Binary(op=op, lhs=x, rhs=y) if modular(e):
                return self._operation(op, self.modulo(x, at, path), self.modulo(y, at, path), path)
            case ExternCall(f=fn, args=args) if free := modular(e):
                made = [(self.modulo if ("args", k) in free else self.data)(a, at, path) for k, a in enumerate(args)]
                return self.operation(fn, made, at, path)
            case _:
                return self.data(e, at, path)

    def operation(self, fn: ExternFn, args: list[Eval], at: Scalar, path: Path) -> Eval:
        """An extern function of values at a precision."""
        if fn.integer and at.is_float:
            raise Mixed(f"{fn.name} at {at}")
        return self._extern(sized(fn, at), args, path)

    def number(self, e: Expr, path: Path) -> Eval:
        """A control integer as data, at no precision yet."""
        return self.expr(e, path)

    def _operation(self, op: str, x: Eval, y: Eval, path: Path) -> Eval:
        if op == "/":
            divide = ExternFn("divide", 2, lambda x, y: x / y, "")
            return self._extern(divide, [x, y], path)
        f = ARITHMETIC[op]
        return lambda frame: f(x(frame), y(frame))

    def converted(self, e: Expr, to: Scalar, path: Path) -> Eval:
        """A data expression computed at its own precision and then converted."""
        own = self.precision(e) or to
        if to == bf16 and own.name in ("i64", "u64"):
            raise Mixed(f"{own} at bf16")
        value = self.data(e, own, path)
        return value if own == to else self.fitted(value, to, path)

    def stmt(self, s: Stmt, path: Path) -> Exec:
        match s:
            case Assign(sym=sym, idx=idx, rhs=rhs):
                return self._assign(self._place(sym, idx, path), self.converted(rhs, self._held(sym), path))
            case WriteConfig(config=c, field=field, rhs=rhs) if isinstance(t := c.fields[field], Scalar):
                return self._set_config(f"{c.name}.{field}", self.converted(rhs, concrete(t), path))
            case _:
                return super().stmt(s, path)

    def _held(self, sym: Sym) -> Scalar:
        return concrete(element(self.types[sym]))

    def _reduce(self, s: Reduce, path: Path) -> Exec:
        place, t = self._place(s.sym, s.idx, path), self._held(s.sym)
        if t == bf16:
            raise Mixed("a reduction at bf16")
        old, operand = self._read(s.sym, place, path), self.converted(s.rhs, t, path)
        return self._assign(place, self.fitted(self._accumulated(s.op, old, operand), t, path))

    def _accumulated(self, op: str, old: Eval, operand: Eval) -> Eval:
        accumulate = ACCUMULATE[op]
        return lambda f: accumulate(old(f), operand(f))

    def _actual(self, formal: Arg, e: Expr, path: Path) -> Eval:
        if isinstance(formal.type, Control):
            return super()._actual(formal, e, path)
        want = concrete(element(formal.type))
        if isinstance(e, Read | WindowExpr):
            if self._held(e.sym) != want:
                raise Mixed(f"argument {formal.sym}")
            return super()._actual(formal, e, path)
        value = self.converted(e, want, path)
        return lambda f: Array([value(f)], 0, (), ())

    def _call(self, s: Call, path: Path) -> Exec:
        callee = self._callee(s.f.tree)
        actuals = [self._actual(a, e, path) for a, e in zip(s.f.tree.args, s.args, strict=True)]
        return lambda f: callee.run(s.f.tree, f[0], [a(f) for a in actuals])

    def _callee(self, tree: ProcDef) -> Code:
        return _compiled(tree)[self.strict]
