"""At which precision data is computed, as far as an expression says so itself.

A literal takes the precision of its context, `R` is f32, and the operands of an operator agree. A value is converted
where it is stored, and by `u16(x)` and the like. So what is moved elsewhere may come to be computed at another
precision, where less fits: `converted` keeps it at its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from pyrsistent import pvector

from .externs import CONVERSIONS, ExternFn, bitand, bitnot, bitor, bitxor, shl
from .names import Sym
from .nodes import (
    Binary,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    Select,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowExpr,
)
from .types import Control, R, Scalar, Tensor, Type, f32
from .walk import Path, Step, get, is_control, unknown_node

BITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
"""The bits of the whole numbers that a floating-point precision surely holds."""
EXPONENTS = {"bf16": 8, "f16": 5, "f32": 8, "f64": 11}
"""The bits of its exponents."""


def concrete(t: Scalar) -> Scalar:
    """A precision as it is computed with."""
    return f32 if t == R else t


def element(t: Type) -> Scalar:
    """The precision of a buffer of data."""
    if isinstance(t, Control):
        raise TypeError(f"{t} is no type of data")
    return t.base if isinstance(t, Tensor) else t


def size_of(t: Scalar) -> int:
    """How many bytes an element takes.

    >>> size_of(f32), size_of(Scalar("i8"))
    (4, 1)
    """
    return int(concrete(t).name.lstrip("bfiu")) // 8


def integer_range(t: Scalar) -> tuple[int, int]:
    """The least and the greatest value of an integer precision.

    >>> integer_range(Scalar("i8")), integer_range(Scalar("u16"))
    ((-128, 127), (0, 65535))
    """
    bits = int(t.name[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if t.name[0] == "i" else (0, (1 << bits) - 1)


def includes(wide: Scalar, narrow: Scalar) -> bool:
    """Whether every value of one precision is one of another.

    >>> includes(Scalar("i32"), Scalar("u16")), includes(Scalar("i8"), Scalar("u8"))
    (True, False)
    >>> includes(Scalar("f32"), Scalar("bf16")), includes(Scalar("f16"), Scalar("bf16"))
    (True, False)
    """
    wide, narrow = concrete(wide), concrete(narrow)
    if narrow.is_float:
        tables = (BITS, EXPONENTS)
        return wide.is_float and all(bits[wide.name] >= bits[narrow.name] for bits in tables)
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
    """The precisions of what is read; of what is converted, only that to which it is; of `a if c else b`, those of its
    sides."""
    match e:
        case Read(sym=s):
            yield element(types[s])
        case ReadConfig(config=c, field=f) if isinstance(t := c.fields[f], Scalar):
            yield t
        case ExternCall(f=ExternFn(result=str(result))):
            yield Scalar(result)
        case ExternCall(args=parts):
            for part in parts:
                yield from _read(part, types)
        case Unary(arg=a):
            yield from _read(a, types)
        case Binary(lhs=a, rhs=b) | Select(then=a, other=b):
            yield from _read(a, types)
            yield from _read(b, types)
        case Var() | Const() | StrideExpr() | ReadConfig() | WindowExpr() | ViewExpr() | Cell() | Claim():
            return
        case _:
            unknown_node(e, "its precision")


def converted(e: Expr, to: Scalar, types: Mapping[Sym, Type]) -> Expr:
    """A value as it is when it is held at a precision: `i64(e)`, unless `e` is computed at that one, or is made of
    literals only."""
    own = precision(e, types)
    return e if own is None or concrete(own) == concrete(to) else conversion(e, to)


def index_value(e: Node) -> Expr | None:
    """The control integer whose number an expression is as data: `n - i` of `f32(n - i)`. None of any other."""
    if isinstance(e, ExternCall) and e.f.converts and is_control(e.args[0]):
        return e.args[0]
    return None


def conversion(e: Expr, to: Scalar) -> Expr:
    """`i64(e)` and the like."""
    return ExternCall(CONVERSIONS[concrete(to).name], pvector([e]))


# -- integers modulo a power of two -------------------------------------------------------------------------


def bits_of(at: Scalar | None) -> int:
    """How many bits the numbers of a precision have that are shifted."""
    return 64 if at is None or at.is_float else 8 * size_of(at)


def sized(f: ExternFn, at: Scalar | None) -> ExternFn:
    """An extern function whose meaning depends on its arguments' precision, at this one; others as they are. Where
    none is known, or none of integers, it is as at 64 bits."""
    if not f.sized:
        return f
    return replace(f, eval=partial(f.eval, bits_of(at)), sized=False)


_BITWISE = (bitand, bitor, bitxor, bitnot)


def modular(e: Node) -> tuple[Step, ...]:
    """The operands that an operation on data may take modulo 2^n if its result is only wanted modulo 2^n; none if it
    is no such operation. (A number shifted to the left is a product; by how much, is wanted as it is.)"""
    match e:
        case Binary(op="+" | "-" | "*") if not is_control(e):
            return ("lhs", None), ("rhs", None)
        case Unary(op="-") if not is_control(e):
            return (("arg", None),)
        case ExternCall(f=f, args=args) if f in _BITWISE:
            return tuple(("args", k) for k in range(len(args)))
        case ExternCall(f=f) if f == shl:
            return (("args", 0),)
        case _:
            return ()


def may_not_fit(tree: ProcDef, path: Path) -> bool:
    """Whether the data at a path need not fit the precision that it is computed at: it is taken modulo 2^n, as in
    `wrap_u8(..)`. What is read, converted, or the result of another function fits there, too."""
    e = get(tree, path)
    if not (modular(e) or isinstance(e, Const)):
        return False
    for n in reversed(range(len(path))):
        around = get(tree, path[:n])
        if isinstance(around, ExternCall) and around.f.wraps:
            return True
        if path[n] not in modular(around):
            return False
    return False
