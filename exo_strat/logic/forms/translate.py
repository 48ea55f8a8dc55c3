"""Control expressions of the tree as affine forms and formulas.

An `Env` says what the variables stand for, so that one expression can be read at several instances of
its loops, or with a callee's arguments. Control variables never change, nor do steady cells; config fields and other
data do. An expression that reads them (`is_opaque`) becomes an unknown named after `Env.moment`: two readings are
the same unknown only if they are made at one moment. So a fact that is opaque holds for that moment
only; whoever shares it between moments is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add, sub
from typing import TypeAlias

from pyrsistent import PMap, pmap

from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Binary,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    Read,
    ReadConfig,
    Select,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowExpr,
)
from ...ir.types import bool_
from ...ir.walk import COMPARISONS, is_bool, is_control, mentions, unknown_node
from .affine import maximum, minimum, quotient, remainder
from .formula import (
    FALSE,
    TRUE,
    BoolAtom,
    Element,
    Every,
    Formula,
    Lin,
    Opaque,
    V,
    conj,
    disj,
    eq,
    iff,
    le,
    lt,
    ne,
    neg,
    product,
)


@lru_cache(maxsize=4096)
def unknown(sym: Sym, instance: str = "") -> Lin:
    """The variable itself, as an affine form."""
    return Lin.of(V(sym, instance))


def stride_of(sym: Sym, dim: int) -> Lin:
    """The stride of a buffer along a dimension, as an unknown."""
    return Lin.of(Opaque(("stride", sym, dim)))


def flag(sym: Sym) -> BoolAtom:
    """A bool variable, as an unknown."""
    return BoolAtom(("bool", sym))


Held: TypeAlias = tuple[Sym, tuple[tuple[Lin, int | None], ...]]
"""Where elements of a buffer lie in another: for each dimension of that one an offset, and the index that is added."""


@dataclass(frozen=True, slots=True)
class Env:
    """What control variables, bool variables and strides stand for, and in which buffer elements lie; those not named
    are themselves.

    `bools` also shows whether two variables that are compared are bools or integers.
    """

    vars: PMap[Sym, Lin] = field(default_factory=pmap)
    bools: PMap[Sym, Formula] = field(default_factory=pmap)
    strides: PMap[tuple[Sym, int], Lin] = field(default_factory=pmap)
    moment: Hashable = 0
    elements: PMap[Sym, Held] = field(default_factory=pmap)

    def bind(self, sym: Sym, x: Lin | int) -> Env:
        """With an integer variable standing for `x`."""
        return Env(self.vars.set(sym, Lin.of(x)), self.bools, self.strides, self.moment, self.elements)

    def bind_bool(self, sym: Sym, f: Formula) -> Env:
        """With a bool variable standing for `f`."""
        return Env(self.vars, self.bools.set(sym, f), self.strides, self.moment, self.elements)

    def bind_stride(self, sym: Sym, dim: int, x: Lin) -> Env:
        """With `stride(sym, dim)` standing for `x`."""
        return Env(self.vars, self.bools, self.strides.set((sym, dim), x), self.moment, self.elements)

    def primed(self, syms: Iterable[Sym], instance: str) -> Env:
        """With the given iterators standing for another instance of theirs."""
        instances = self.vars.update({s: unknown(s, instance) for s in syms})
        return Env(instances, self.bools, self.strides, self.moment, self.elements)

    def at(self, moment: Hashable) -> Env:
        """With config fields and data read at another moment."""
        return Env(self.vars, self.bools, self.strides, moment, self.elements)

    def hold(self, sym: Sym, where: Held) -> Env:
        """With the elements of `sym` lying in another buffer."""
        return Env(self.vars, self.bools, self.strides, self.moment, self.elements.set(sym, where))

    def element(self, sym: Sym, index: Sequence[Lin], moment: Hashable = None) -> Lin:
        """An element of `sym`."""
        where = self.elements.get(sym)
        if where is not None:
            sym, dims = where
            index = [offset if kept is None else offset + index[kept] for offset, kept in dims]
        return Lin.of(Element(sym, tuple(index), moment))


EMPTY = Env()


def lin(e: Expr, env: Env = EMPTY) -> Lin:
    """The value of an integer control expression.

    Raises `TypeError` for data, windows and truth values, which have none.

    >>> from exo_strat.ir.build import num, var
    >>> lin(Binary("%", Binary("+", var(Sym("i", 1)), num(8)), num(4)))
    i_1 - 4*(i_1)/4
    """
    if isinstance(e, Binary) and not env.vars and (known := _of_names(e)) is not None:
        return known
    match e:
        case Const(value=v, type=t) if t != bool_ and isinstance(v, int):
            return Lin(v)
        case Var(sym=s):
            hit = env.vars.get(s) if env.vars else None
            return unknown(s) if hit is None else hit
        case Unary(op="-", arg=a):
            return -lin(a, env)
        case Binary(op="+" | "-" | "*" | "/" | "%" | "min" | "max" as op, lhs=a, rhs=b):
            return _ARITHMETIC[op](lin(a, env), lin(b, env))
        case StrideExpr(sym=s, dim=d):
            return env.strides.get((s, d)) or stride_of(s, d)
        case ReadConfig(config=c, field=f) if is_control(e):
            return Lin.of(Opaque(("config", c.name, f, env.moment)))
        case Cell(read=r, steady=steady):
            return env.element(r.sym, [lin(i, env) for i in r.idx], None if steady else env.moment)
    raise TypeError(f"not an integer control expression: {e}")


@memo_by_identity
def _of_names(e: Binary) -> Lin | None:
    """The value of arithmetic on literals and variables that stand for themselves; None if there is more in it."""
    operation = _ARITHMETIC.get(e.op)
    if operation is None:
        return None
    a, b = _operand(e.lhs), _operand(e.rhs)
    return None if a is None or b is None else operation(a, b)


def _operand(e: Expr) -> Lin | None:
    match e:
        case Binary():
            return _of_names(e)
        case Var(sym=s):
            return unknown(s)
        case Const(value=v, type=t) if t != bool_ and isinstance(v, int):
            return Lin(v)
        case Unary(op="-", arg=a):
            value = _operand(a)
            return None if value is None else -value
        case _:
            return None


_ARITHMETIC: dict[str, Callable[[Lin, Lin], Lin]] = {
    "+": add, "-": sub, "*": product, "/": quotient, "%": remainder, "min": minimum, "max": maximum,
}  # fmt: skip


def cond(e: Expr, env: Env = EMPTY) -> Formula:
    """The truth of a condition; see the module for conditions on data and config fields.

    Raises `TypeError` for integers, data and windows, which have none.
    """
    match e:
        case Const(value=bool(v)):
            return TRUE if v else FALSE
        case Var(sym=s):
            return env.bools.get(s) or flag(s)
        case Unary(op="not", arg=a):
            return neg(cond(a, env))
        case Binary(op="and" | "or" as op):
            return (conj if op == "and" else disj)(*[cond(a, env) for a in operands(e, op)])
        case Binary(op=op, lhs=a, rhs=b) if op in COMPARISONS:
            return _comparison(e, op, a, b, env)
        case ReadConfig(config=c, field=f) if is_control(e):
            return BoolAtom(("config", c.name, f, env.moment))
        case Claim(kind=kind, sym=s, args=args):
            return Every(kind, s, tuple([lin(a, env) for a in args]))
    raise TypeError(f"not a condition: {e}")


def operands(e: Expr, op: str) -> list[Expr]:
    """The operands of a chain of one operator: of `(a and b) and c`, a, b and c."""
    right: list[Expr] = []
    while isinstance(e, Binary) and e.op == op:
        right.append(e.rhs)
        e = e.lhs
    return [e, *reversed(right)]


def _comparison(e: Expr, op: str, a: Expr, b: Expr, env: Env) -> Formula:
    if not (is_control(a) and is_control(b)):
        return _data_condition(e, env)
    if op in ("==", "!=") and (_is_truth(a, env) or _is_truth(b, env)):
        same = iff(cond(a, env), cond(b, env))
        return same if op == "==" else neg(same)
    match op:
        case "<" | "<=":
            return at_most(a, b, env, strict=op == "<")
        case ">" | ">=":
            return at_most(b, a, env, strict=op == ">")
        case _:
            return (eq if op == "==" else ne)(lin(a, env), lin(b, env))


def at_most(a: Expr, b: Expr, env: Env = EMPTY, strict: bool = False) -> Formula:
    """`a <= b`, or with `strict` `a < b`. A minimum or maximum becomes a condition on each of its operands."""
    match (a, b):
        case (Binary(op="min" | "max" as op, lhs=x, rhs=y), _):
            return (conj if op == "max" else disj)(at_most(x, b, env, strict), at_most(y, b, env, strict))
        case (_, Binary(op="min" | "max" as op, lhs=x, rhs=y)):
            return (conj if op == "min" else disj)(at_most(a, x, env, strict), at_most(a, y, env, strict))
        case _:
            return (lt if strict else le)(lin(a, env), lin(b, env))


def _is_truth(e: Expr, env: Env) -> bool:
    return is_bool(e) or (isinstance(e, Var) and e.sym in env.bools)


def _data_condition(e: Expr, env: Env) -> Formula:
    """Named by the expression, the moment, and what its variables stand for."""
    used = sorted(mentions(e), key=lambda s: s.id)
    bound = tuple((s, env.vars[s]) for s in used if s in env.vars)
    return BoolAtom(("data", env.moment, e, bound))


def is_opaque(e: Expr) -> bool:
    """Whether an expression reads data or config fields, so that its value belongs to a moment. An extern call, or a
    choice of data, does, whatever it is of: data values are no affine forms."""
    if isinstance(e, _OPERATORS):
        return _operands_opaque(e)
    if isinstance(e, _READS):
        return True
    if isinstance(e, Cell):
        return not e.steady or any(map(is_opaque, e.read.idx))
    if isinstance(e, Claim):
        return any(map(is_opaque, e.args))
    if not isinstance(e, _STEADY):
        unknown_node(e, "whether its value belongs to a moment")
    return False


_READS = (Read, ReadConfig, ExternCall, Select, WindowExpr, ViewExpr)
_STEADY = (Var, Const, StrideExpr)
_OPERATORS = (Unary, Binary)


@memo_by_identity
def _operands_opaque(e: Unary | Binary) -> bool:
    return any(is_opaque(x) for x in ((e.arg,) if isinstance(e, Unary) else (e.lhs, e.rhs)))


def trip_count(loop: For) -> int | None:
    """How often a loop runs, if that is a constant; below 1 if it never does.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size):
    ...     for i in seq(n, n + 4):
    ...         pass
    ... ''')
    >>> trip_count(p.tree.body[0])
    4
    """
    n = lin(loop.hi) - lin(loop.lo)
    return None if n.terms else n.const
