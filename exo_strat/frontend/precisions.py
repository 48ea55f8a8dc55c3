"""At which precision data is computed. Imports `ir` and scopes.

A literal takes the precision of its context, `R` is f32, and the operands of an operator agree. A value is converted
where it is stored, and by `u16(x)` and the like. So what is moved elsewhere may come to be computed at another
precision, where less fits: `converted` keeps it at its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyrsistent import pvector

from ..ir.externs import CONVERSIONS, ExternFn
from ..ir.names import Sym
from ..ir.nodes import (
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    ExternCall,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Unary,
    WriteConfig,
)
from ..ir.types import Control, R, Scalar, Tensor, Type, f32
from ..ir.walk import COMPARISONS, Path, children, get, is_control
from .scope import types_at

BITS = {"f16": 11, "f32": 24, "f64": 53}
"""The bits of the whole numbers that a floating-point precision surely holds."""


def decided(t: Scalar) -> Scalar:
    """A precision as it is computed with."""
    return f32 if t == R else t


def element(t: Type) -> Scalar:
    """The precision of a buffer of data."""
    scalar = t.base if isinstance(t, Tensor) else t
    assert isinstance(scalar, Scalar)
    return scalar


def integer_range(t: Scalar) -> tuple[int, int]:
    """The least and the greatest value of an integer precision.

    >>> integer_range(Scalar("i8")), integer_range(Scalar("u16"))
    ((-128, 127), (0, 65535))
    """
    bits = int(t.name[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if t.name[0] == "i" else (0, (1 << bits) - 1)


def holds(wide: Scalar, narrow: Scalar) -> bool:
    """Whether every value of one precision is one of another.

    >>> holds(Scalar("i32"), Scalar("u16")), holds(Scalar("f32"), Scalar("i32")), holds(Scalar("i8"), Scalar("u8"))
    (True, False, False)
    """
    wide, narrow = decided(wide), decided(narrow)
    if narrow.is_float:
        return wide.is_float and BITS[wide.name] >= BITS[narrow.name]
    least, most = integer_range(narrow)
    if wide.is_float:
        return most.bit_length() <= BITS[wide.name]
    lo, hi = integer_range(wide)
    return lo <= least and most <= hi


def precision(e: Node, types: Mapping[Sym, Type]) -> Scalar | None:
    """The precision of a data expression, by what it reads; None if it is made of literals only."""
    found = list(_read(e, types))
    return next((t for t in found if t != R), R) if found else None


def _read(e: Node, types: Mapping[Sym, Type]) -> Iterator[Scalar]:
    """The precisions of what is read; of what is converted, only that to which it is."""
    match e:
        case Read(sym=s):
            yield element(types[s])
        case ReadConfig(config=c, field=f) if isinstance(t := c.fields[f], Scalar):
            yield t
        case ExternCall(f=ExternFn(result=str(result))):
            yield Scalar(result)
        case _:
            for _, child in children(e):
                yield from _read(child, types)


def precision_at(tree: ProcDef, path: Path) -> Scalar:
    """The precision at which the data expression at `path` is computed: that of what it reads, or what is computed
    with it, or else of its context."""
    types = types_at(tree, path)
    for n in range(len(path), 0, -1):
        node = get(tree, path[:n])
        if _context(node, path[n:], types) is not None:
            break
        found = precision(node, types)
        if found is not None:
            return found
    return context_at(tree, path)


def context_at(tree: ProcDef, path: Path) -> Scalar:
    """The precision to which what is computed at `path` is converted in the end: that of the place that it is stored
    at, or of a conversion around it. Literals have it, unless something is read with them."""
    types = types_at(tree, path)
    for n in range(len(path) - 1, 0, -1):
        found = _context(get(tree, path[:n]), path[n:], types)
        if found is not None:
            return found
    return R


def _context(node: Node, below: Path, types: Mapping[Sym, Type]) -> Scalar | None:
    """The precision that a node asks of what it evaluates at `below`, if it does; `R` is asked in conditions."""
    match node:
        case Assign(sym=s) | Reduce(sym=s):
            return element(types[s])
        case WriteConfig(config=c, field=f) if isinstance(t := c.fields[f], Scalar):
            return t
        case Call(f=callee) if below and below[0][1] is not None:
            formal = callee.tree.args[below[0][1]].type
            return R if isinstance(formal, Control) else element(formal)
        case ExternCall(f=ExternFn(result=str(result))) if below:
            return Scalar(result)
        case Const() | Unary() | Binary() | Read() | ExternCall() | ReadConfig() if not is_control(node):
            return None
        case Binary(op=op) if op in COMPARISONS and precision(node, types) is not None:
            return None
        case _:
            return R


def converted(e: Expr, to: Scalar, types: Mapping[Sym, Type]) -> Expr:
    """A value as it is when it is held at a precision: `i64(e)`, unless `e` is computed at that one, or is made of
    literals only."""
    own = precision(e, types)
    return e if own is None or decided(own) == decided(to) else conversion(e, to)


def conversion(e: Expr, to: Scalar) -> Expr:
    """`i64(e)` and the like."""
    return ExternCall(CONVERSIONS[decided(to).name], pvector([e]))


def put_at(tree: ProcDef, path: Path, e: Expr, held: Scalar, types: Mapping[Sym, Type]) -> Expr:
    """A value that was held at a precision, for the place at `path`: converted, if it would be computed at another
    one there."""
    literal = precision(e, types) is None and decided(context_at(tree, path)) != decided(held)
    return conversion(e, held) if literal else converted(e, held, types)
