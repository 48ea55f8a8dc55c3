"""Random procedures at several precisions: integers and floats, conversions, operations on integers.

A procedure at one precision is written anew at others. Its shape stays: operands that another precision holds are
converted, now and then a value is computed at another precision than the one that it is stored at, or a literal is none
that a precision holds, and of some integers and a literal, or other data, a quotient is taken or their bits combined,
or what they make need not fit and is wrapped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pyrsistent import pvector

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.externs import (
    CONVERSIONS,
    DIVISIONS,
    SHIFTS,
    WRAPS,
    ExternFn,
    bitand,
    bitnot,
    bitor,
    bitxor,
    floordiv,
    shl,
)
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    ExternCall,
    If,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Select,
    Unary,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from ..ir.precisions import conversion, element, index_value, size_of
from ..ir.printing import print_proc
from ..ir.types import Control, Scalar, Tensor, bf16, f32
from ..ir.walk import is_control, map_children, walk, with_child
from .choices import Choices
from .library import environment

PALETTES: Final = (
    ("i32", "f32"), ("i8", "i32"), ("i16", "f32"), ("i32",), ("i8", "i16", "f32"), ("i32", "i64"), ("u8", "i16"),
    ("u8", "u16", "i32"), ("f64", "i32"), ("u32", "i64"), ("f32", "f64"), ("f64", "f32"),
    ("bf16", "f32"),
)  # fmt: skip
"""The precisions that occur in one procedure."""

OPERATIONS: Final[tuple[ExternFn | None, ...]] = (
    floordiv, *DIVISIONS, bitand, bitor, bitxor, bitnot, *SHIFTS, None, None, None,
)  # fmt: skip
"""Operations on integers; None is a wrap."""

PERCENT = 25
"""How many procedures are written at several precisions. With none, no choice is made."""


def at_precisions(
    ch: Choices, p: Proc, palettes: Sequence[tuple[str, ...]] = PALETTES, percent: int | None = None
) -> Proc:
    """The procedure itself, mostly, or with other precisions: in `percent` of the draws, if that is given.

    >>> p = proc_from_source("def foo(n: size, x: f32[n], u: f32[6]):\\n    x[0] = x[0] + u[1]", {})
    >>> print(at_precisions(Choices.seeded(312), p))
    def foo(n: size, x: f32[n] @ DRAM, u: i16[6] @ DRAM):
        x[0] = wrap_i16((i16(x[0]) + u[1]) << 4)
    """
    percent = PERCENT if percent is None else percent
    if percent == 0 or not ch.chance(percent):
        return p
    palette, passed, types = ch.pick(palettes), _passed(p.tree), declarations(p.tree)
    buffers = sorted((s for s, t in types.items() if not isinstance(t, Control)), key=lambda s: s.id)
    chosen = {s: element(types[s]) for s in buffers}
    views = {n.sym: n.rhs.sym for _, n in walk(p.tree) if isinstance(n, WindowDef)}
    accumulated = {views.get(n.sym, n.sym) for _, n in walk(p.tree) if isinstance(n, Reduce)}
    for s in buffers:
        if s in views:
            chosen[s] = chosen[views[s]]
        elif chosen[s].is_float and (s not in passed or ch.chance(5)):  # the library's procedures take f32
            chosen[s] = _computed_with(Scalar(ch.pick(palette))) if s in accumulated else Scalar(ch.pick(palette))
    tree = _Rewriter(ch, palette, chosen).tree(p.tree)
    return proc_from_source(print_proc(tree), environment())


def _computed_with(t: Scalar) -> Scalar:
    """The precision at which numbers of one are computed with: bf16 is for storing."""
    return f32 if t == bf16 else t


def _passed(tree: ProcDef) -> frozenset[Sym]:
    """The buffers that some call gets, maybe by way of windows."""
    found = {e.sym for _, n in walk(tree) if isinstance(n, Call) for e in n.args if isinstance(e, Read | WindowExpr)}
    for _, n in reversed(list(walk(tree))):
        if isinstance(n, WindowDef) and n.sym in found:
            found.add(n.rhs.sym)
    return frozenset(found)


@dataclass(frozen=True)
class _Rewriter:
    """Writes a procedure at the precisions chosen for its buffers."""

    ch: Choices
    palette: tuple[str, ...]
    chosen: Mapping[Sym, Scalar]

    def tree(self, tree: ProcDef) -> ProcDef:
        """The procedure at these precisions."""
        made = self.node(tree)
        assert isinstance(made, ProcDef)
        return made

    def node(self, n: Node) -> Node:
        """A declaration or statement, and what is in it."""
        match n:
            case Alloc(type=t, sym=s) | Arg(type=t, sym=s) if not isinstance(t, Control):
                base = self.chosen[s]
                return with_child(n, "type", with_child(t, "base", base) if isinstance(t, Tensor) else base)
            case Assign(sym=s, rhs=e) | Reduce(sym=s, rhs=e):
                return with_child(n, "rhs", self.value(e, self.chosen[s]))
            case WriteConfig(rhs=e) if not is_control(e):
                return with_child(n, "rhs", self.value(e, f32))
            case If(cond=c):
                return map_children(with_child(n, "cond", self.condition(c)), self.node)
            case Call(args=args):
                return with_child(n, "args", pvector(self.argument(e) for e in args))
            case _:
                return map_children(n, self.node)

    def argument(self, e: Expr) -> Expr:
        """What is passed to a procedure of the library: buffers as they are."""
        return e if is_control(e) or isinstance(e, Read | WindowExpr) else self.computed(e, f32)

    def condition(self, e: Expr) -> Expr:
        """A condition, with comparisons of data at one precision."""
        match e:
            case Binary(op=op, lhs=x, rhs=y) if not is_control(x):
                first = next((n for _, n in walk(e) if isinstance(n, Read)), None)
                at = f32 if first is None else _computed_with(self.chosen[first.sym])
                return Binary(op, self.computed(x, at), self.computed(y, at))
            case Binary(op=op, lhs=x, rhs=y):
                return Binary(op, self.condition(x), self.condition(y))
            case Unary(op=op, arg=x):
                return Unary(op, self.condition(x))
            case _:
                return e

    def value(self, e: Expr, target: Scalar) -> Expr:
        """A value that is stored at a precision: mostly computed at it, too."""
        at = Scalar(self.ch.pick(self.palette)) if self.ch.chance(25) else target
        return e if self.is_copied(e, at) else self.computed(e, _computed_with(at))

    def is_copied(self, e: Expr, at: Scalar) -> bool:
        """Whether a value is one of bf16 that is stored as it is."""
        return at == bf16 and (isinstance(e, Const) or (isinstance(e, Read) and self.chosen[e.sym] == at))

    def computed(self, e: Expr, at: Scalar) -> Expr:
        """A value computed at a precision, or a part of it at another one."""
        match e:
            case Read(sym=s):
                return self.converted(e, self.chosen[s], at)
            case ReadConfig():
                return self.converted(e, f32, at)
            case Binary(op=op, lhs=x, rhs=y):
                if self.ch.chance(8):
                    own = _computed_with(Scalar(self.ch.pick(self.palette)))
                    return self.converted(self.computed(e, own), own, at, always=True)
                return self.operated(Binary(op, self.computed(x, at), self.computed(y, at)), at, 25)
            case Unary(op=op, arg=x):
                return Unary(op, self.computed(x, at))
            case Select(cond=c, then=x, other=y):
                return Select(self.condition(c), self.computed(x, at), self.computed(y, at))
            case ExternCall() if (i := index_value(e)) is not None:  # rounded once, or now and then twice
                return conversion(e if at.is_float and self.ch.chance(20) else i, at)
            case ExternCall(f=f, args=args):
                return self.operated(ExternCall(f, pvector(self.computed(a, at) for a in args)), at, 20)
            case Const() if at.is_float and self.ch.chance(20):
                return b.data(0.1)
            case _:
                return e

    def converted(self, e: Expr, own: Scalar, at: Scalar, always: bool = False) -> Expr:
        """A value at another precision; now and then converted where it need not be."""
        if own != at or always or self.ch.chance(3):
            e = ExternCall(CONVERSIONS[at.name], pvector([e]))
        return self.operated(e, at, 12)

    def operated(self, e: Expr, at: Scalar, percent: int) -> Expr:
        """The value, or now and then an operation on it and on a literal, or on data, which may be zero."""
        if at.is_float or not self.ch.chance(percent):
            return e
        f = self.ch.pick(OPERATIONS)
        if f is bitnot and at.name[0] != "u":
            return ExternCall(bitnot, pvector([e]))
        if f is None or f is bitnot:
            return self.wrapped(e, at)
        if f in SHIFTS:
            return ExternCall(f, pvector([e, self.amount(at)]))
        return ExternCall(f, pvector([e, self.operand(at)]))

    def operand(self, at: Scalar) -> Expr:
        """A literal at a precision, or now and then data."""
        literals = ["2.0", "3.0", "1.0"] if at.name[0] == "u" else ["2.0", "3.0", "-2.0", "1.0"]
        literal = b.data(float(self.ch.pick(literals)))
        whole = [s for s, t in sorted(self.chosen.items(), key=lambda x: x[0].id) if s.name in ("r",)]
        if whole and self.ch.chance(15):
            return self.plain(Read(whole[0], pvector()), self.chosen[whole[0]], at)
        return literal

    def amount(self, at: Scalar) -> Expr:
        """By how much a number is shifted: mostly less than it has bits."""
        return self.operand(at) if self.ch.chance(30) else b.data(float(self.ch.upto(size_of(at) * 8 - 5)))

    def wrapped(self, e: Expr, at: Scalar) -> Expr:
        """A value, or what is made of it and need not fit, modulo what there is of a precision."""
        x = self.operand(at)
        made: Expr = self.ch.pick((
            Binary("*", e, b.data(100.0)), Binary("-", e, x), Binary("+", Binary("*", e, e), x), Unary("-", e),
            ExternCall(bitnot, pvector([e])), ExternCall(shl, pvector([e, self.amount(at)])), e,
        ))  # fmt: skip
        return ExternCall(WRAPS[f"wrap_{at}"], pvector([made]))

    @staticmethod
    def plain(e: Expr, own: Scalar, at: Scalar) -> Expr:
        return e if own == at else ExternCall(CONVERSIONS[at.name], pvector([e]))
