"""At which precision the data at a place of a procedure is computed."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.externs import ExternFn
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
    Select,
    Unary,
    WriteConfig,
)
from ..ir.precisions import concrete, conversion, converted, element, precision
from ..ir.types import Control, R, Scalar, Type
from ..ir.walk import COMPARISONS, Path, get, is_control
from .scope import types_at


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
        case Select() if below and below[0][0] == "cond":
            return R
        case Const() | Unary() | Binary() | Read() | ExternCall() | Select() | ReadConfig() if not is_control(node):
            return None
        case Binary(op=op) if op in COMPARISONS and precision(node, types) is not None:
            return None
        case _:
            return R


def put_at(tree: ProcDef, path: Path, e: Expr, held: Scalar, types: Mapping[Sym, Type]) -> Expr:
    """A value that was held at a precision, for the place at `path`: converted, if it would be computed at another
    one there."""
    literal = precision(e, types) is None and concrete(context_at(tree, path)) != concrete(held)
    return conversion(e, held) if literal else converted(e, held, types)
