"""Precision rules (paper, A.7).

A literal takes the precision of its context; `R` is f32; the operands of an operator agree; only an
assignment, a reduction, a config write and a conversion such as `u16(x)` convert.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from ..kernel import (
    Assign,
    Binary,
    Cell,
    Const,
    Expr,
    ExternCall,
    ExternFn,
    If,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Scalar,
    Select,
    StrideExpr,
    Sym,
    Unary,
    Var,
    WindowExpr,
    WriteConfig,
    concrete,
    f64,
    get,
    is_control,
    modular,
    size_of,
    statements,
)
from .bfloat import BF16
from .errors import Objection, PrecisionError, marked
from .symbols import Data
from .types import literal

SHIFTS = ("<<", ">>")
STORAGE = "bf16 is for storing only: compute at f32, with f32(x)"


def _is_stored(e: Expr) -> bool:
    """Whether an expression only fetches a number, or converts one."""
    match e:
        case ExternCall(f=f):
            return f.result is not None
        case Binary() | Unary():
            return is_control(e)
        case _:
            return True


def _agree(what: str, a: Scalar | None, b: Scalar | None) -> Scalar | None:
    if a is not None and b is not None and a != b:
        raise Objection(f"the operands of {what} are {a} and {b}; set_precision, or stage one at the other's")
    return a or b


def precision(e: Expr, data: Mapping[Sym, Data]) -> Scalar | None:
    """The precision of a data expression; None if it is all literals. Raises `Objection`."""
    match e:
        case Read(sym=s):
            return data[s].scalar
        case ReadConfig(config=c, field=f):
            t = c.fields[f]
            return concrete(t) if isinstance(t, Scalar) else None
        case Unary(arg=a):
            return precision(a, data)
        case Binary(op=op, lhs=a, rhs=b):
            return _agree(f"`{op}`", precision(a, data), precision(b, data))
        case ExternCall(f=ExternFn(result=str(result))):
            return Scalar(result)
        case ExternCall(f=f, args=args):
            each: Iterable[Scalar | None] = (precision(a, data) for a in args)
            return reduce(lambda x, y: _agree(f.name, x, y), each, None)
        case Select(then=a, other=b):
            return _agree("`a if c else b`", precision(a, data), precision(b, data))
        case Const() | Var() | StrideExpr() | WindowExpr():
            return None
        case _:
            raise AssertionError(f"not an expression: {e}")


def compared_at(e: Binary, data: Mapping[Sym, Data]) -> Scalar:
    """The precision of a comparison. Literals among themselves, as in `(0.1 if c else 1.0) < 0.5`, are compared at the
    one with the most digits, so that no two numbers become one."""
    return precision(e, data) or f64


def _check_value(e: Expr, at: Scalar, data: Mapping[Sym, Data]) -> None:
    """Literals fit the precision `at` that they are computed in, and so do the operators."""
    if at == BF16 and not _is_stored(e):
        raise Objection(STORAGE)
    match e:
        case Const(value=v) if not is_control(e):
            literal(v, at)
        case Unary(arg=a):
            _check_value(a, at, data)
        case Binary(op=op, lhs=a, rhs=b):
            if op == "%" or (op == "/" and not at.is_float):
                instead = "`//`, or a" if op == "/" else "a"
                raise Objection(f"`{op}` on {at} would round; use {instead} floating-point precision")
            _check_value(a, at, data)
            _check_value(b, at, data)
        case ExternCall(f=f, args=args) if f.wraps:
            check_wrapped(args[0], Scalar(str(f.result)), data)
        case ExternCall(f=ExternFn(result=str()), args=args):
            if at == BF16 and is_control(args[0]):
                raise Objection("bf16 of a control integer would be rounded twice, or not: write bf16(f64(..))")
            if not is_control(args[0]):  # whether an integer fits is asked where its range is known
                check_value(args[0], at, data)
        case ExternCall(f=f, args=args):
            _check_operation(e, at)
            if "{s}" in f.c and not at.is_float:
                raise Objection(f"{f.name} needs a floating-point precision, not {at}")
            if f.operator == "~" and at.name.startswith("u"):
                raise Objection(f"{f.shown} at {at} is negative: write wrap_{at}(~..)")
            for a in args:
                _check_value(a, at, data)
        case Select(cond=c, then=a, other=b):
            check_condition(c, data)
            _check_value(a, at, data)
            _check_value(b, at, data)
        case Const() | Var() | StrideExpr() | Read() | ReadConfig() | WindowExpr():
            pass
        case _:
            raise AssertionError(f"not an expression: {e}")


def _check_operation(e: ExternCall, at: Scalar) -> None:
    """An operation on integers is one at its precision."""
    f = e.f
    if f.integer and at.is_float:
        raise Objection(f"{f.shown} needs an integer precision, not {at}: convert with i32(..)")
    if f.operator in SHIFTS and isinstance(by := e.args[1], Const) and not 0 <= by.value < 8 * size_of(at):
        raise Objection(f"{f.shown} by {by.value:g} has no value at {at}, which has {8 * size_of(at)} bits")


def check_wrapped(e: Expr, to: Scalar, data: Mapping[Sym, Data]) -> None:
    """What is reduced to a precision is computed at one of integers. Literals need not fit where others need not."""
    own = precision(e, data) or to
    if own.is_float:
        raise Objection(f"wrap_{to} reduces an integer, not {own}: convert with i64(..)")
    _check_free(e, own, data)


def _check_free(e: Expr, at: Scalar, data: Mapping[Sym, Data]) -> None:
    free = modular(e)
    if isinstance(e, Const) and not float(e.value).is_integer():
        raise Objection(f"the literal {e.value} is not an integer, as {at} needs")
    if isinstance(e, ExternCall) and free:
        _check_operation(e, at)
        for by in e.args[len(free) :]:
            _check_value(by, at, data)
    for step in free:
        part = get(e, (step,))
        assert isinstance(part, Expr)
        _check_free(part, at, data)
    if not free and not isinstance(e, Const):
        _check_value(e, at, data)


def check_value(e: Expr, target: Scalar, data: Mapping[Sym, Data]) -> None:
    """A data expression that is converted to `target` computes at one precision that fits it."""
    if target == BF16 and (own := precision(e, data)) is not None and own.name in ("i64", "u64"):
        raise Objection(f"{own} would be rounded twice when it is stored at {target}: convert with f64(..)")
    _check_value(e, precision(e, data) or target, data)


def check_condition(e: Expr, data: Mapping[Sym, Data]) -> None:
    """Comparisons of data inside a condition agree in precision."""
    match e:
        case Binary(lhs=a) if not is_control(a):
            at = compared_at(e, data)
            if at == BF16:
                raise Objection(STORAGE)
            _check_value(a, at, data)
            _check_value(e.rhs, at, data)
        case Binary(lhs=a, rhs=b):
            check_condition(a, data)
            check_condition(b, data)
        case Unary(arg=a):
            check_condition(a, data)
        case Const() | Var() | StrideExpr() | ReadConfig() | Cell():
            pass
        case _:
            raise AssertionError(f"not a condition: {e}")


def check_precisions(tree: ProcDef, data: Mapping[Sym, Data]) -> None:
    """Every statement of a procedure computes at consistent precisions; raises `PrecisionError`."""
    for path, n in statements(tree):
        try:
            match n:
                case Reduce(sym=s) if data[s].scalar == BF16:
                    raise Objection(f"{STORAGE}, and store the result")
                case Assign(sym=s, rhs=e) | Reduce(sym=s, rhs=e):
                    check_value(e, data[s].scalar, data)
                case WriteConfig(config=c, field=f, rhs=e):
                    t = c.fields[f]
                    if isinstance(t, Scalar):
                        check_value(e, concrete(t), data)
                case If(cond=e):
                    check_condition(e, data)
                case _:
                    pass
        except Objection as problem:
            raise marked(PrecisionError, tree, path, str(problem)) from problem
