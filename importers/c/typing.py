"""The C type of an expression."""

from __future__ import annotations

from collections.abc import Mapping

from .functions import result_type
from .syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Cast,
    Choice,
    Comma,
    Expr,
    Function,
    Index,
    Literal,
    Pointer,
    SizeOf,
    Step,
    Type,
    Unary,
    Untaken,
    Use,
    Variable,
)
from .types import I32, I64, U64, Float, Int, Number, Other, common, promoted

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL = ("&&", "||")


def decayed(t: Type) -> Type:
    """An array as the pointer to its first element."""
    return Pointer(t.of) if isinstance(t, Array) else t


def is_pointer(t: Type) -> bool:
    """Whether a value of the type points to elements."""
    return isinstance(t, Array | Pointer)


def number(t: Type) -> Number | None:
    """A type that values are computed at."""
    return t if isinstance(t, Int | Float) else None


def type_of(e: Expr, functions: Mapping[str, Function]) -> Type:
    """The type of an expression."""
    match e:
        case Literal(type=t):
            return t
        case Use(var=v):
            return decayed(v.type) if v.storage == "argument" else v.type
        case Index(base=base) | Unary(op="*", arg=base):
            t = decayed(type_of(base, functions))
            return t.to if isinstance(t, Pointer) else Other("no pointer")
        case Unary(op="&", arg=arg):
            return Pointer(type_of(arg, functions))
        case Unary(op="!"):
            return I32
        case Unary(arg=arg):
            return _promoted(type_of(arg, functions))
        case Step(target=x) | Assign(target=x):
            return type_of(x, functions)
        case Binary():
            known = e.__dict__.get("_type")  # a memo: types of long sums are asked for at each of their parts
            found = known if known is not None else _binary(e, functions)
            e.__dict__["_type"] = found
            return found
        case Choice(yes=yes, no=no):
            return _combined(type_of(yes, functions), type_of(no, functions))
        case Cast(type=t):
            return t
        case Call(name=name):
            return functions[name].result if name in functions else result_type(name)
        case Comma(parts=parts):
            return decayed(type_of(parts[-1], functions))
        case SizeOf():
            return U64
        case Untaken(what=what):
            return Other(what)


def _binary(e: Binary, functions: Mapping[str, Function]) -> Type:
    if e.op in COMPARISONS or e.op in LOGICAL:
        return I32
    a, b = decayed(type_of(e.lhs, functions)), decayed(type_of(e.rhs, functions))
    if is_pointer(a) and is_pointer(b):
        return I64
    if is_pointer(a) or is_pointer(b):
        return a if is_pointer(a) else b
    return _promoted(a) if e.op in ("<<", ">>") else _combined(a, b)


def _combined(a: Type, b: Type) -> Type:
    x, y = number(a), number(b)
    return common(x, y) if x is not None and y is not None else decayed(a)


def _promoted(t: Type) -> Type:
    found = number(t)
    return t if found is None else promoted(found)


def rank(v: Variable) -> int:
    """The number of dimensions of an array or pointer as C declares it."""
    count, t = 0, v.type
    while isinstance(t, Array | Pointer):
        count, t = count + 1, t.of if isinstance(t, Array) else t.to
    return count


def element_type(v: Variable) -> Type:
    """The type of an array's elements."""
    t = v.type
    while isinstance(t, Array | Pointer):
        t = t.of if isinstance(t, Array) else t.to
    return t


def shown(t: Type) -> str:
    """A type in a message."""
    if isinstance(t, Pointer):
        return f"{shown(t.to)} *".replace("* *", "**")
    return f"{shown(t.of)}[]" if isinstance(t, Array) else str(t)
