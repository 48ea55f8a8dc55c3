"""Which data value a config field is known to hold at a place.

It holds what it was last set to, told by an expression in terms of the code at hand, for as long as nothing may
change what that expression reads. (Control values never change: what is known of those is in `configs`.)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Arg,
    Call,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    StrideExpr,
    Var,
    WindowDef,
    WriteConfig,
)
from ...ir.precisions import concrete, conversion, converted, precision
from ...ir.span import Span
from ...ir.types import Scalar, Tensor, Type
from ...ir.walk import Path, binders, child, declarators, get, get_as, is_control, mentions, rewrite, walk
from ..forms.formula import lt
from ..forms.translate import is_opaque, lin
from ..solver.proofs import prove
from .accesses import effects
from .config_state import written_fields
from .context import facts_at
from .same_value import place_of


def held_at(tree: ProcDef, path: Path, field: ReadConfig) -> Expr | None:
    """An expression that, evaluated just before the statement at `path`, gives what a data field holds; None if
    none is known."""
    value: Expr | None = None
    at: Path = ()
    node: Node = tree
    for label, k in path:
        if label not in ("body", "orelse") or k is None:
            break
        if isinstance(node, For):
            value = _each(tree, at, value, field)
        value = _after_first(tree, at, label, k, value, field)
        at = (*at, (label, k))
        node = child(node, (label, k))
    return value


def held_in(tree: ProcDef, path: Path, e: Expr) -> Expr:
    """An expression with what data fields are known to hold, just before the statement at `path`, put in."""

    def put_in(n: Node) -> Node:
        known = held_at(tree, path, n) if isinstance(n, ReadConfig) and not is_control(n) else None
        return n if known is None else known

    return rewrite(e, put_in)


@memo_by_identity
def left_by(call: Call, field: ReadConfig) -> Expr | None:
    """What a call leaves in a data field, in terms of its arguments when it is called; None if that is not known."""
    callee = call.f.tree
    value = _after_first(callee, (), "body", len(callee.body), None, field)
    if value is None or not mentions(value) <= {a.sym for a in callee.args if not isinstance(a.type, Tensor)}:
        return None
    actual = {a.sym: _passed(a, e) for a, e in zip(callee.args, call.args, strict=True)}
    put_in = rewrite(value, lambda n: actual[n.sym] if isinstance(n, Var | Read) else n)
    return put_in if _lasting(put_in) else None


def _after_first(tree: ProcDef, at: Path, label: str, n: int, value: Expr | None, field: ReadConfig) -> Expr | None:
    """What is held after the first n statements of a block, given what is held before it."""
    for k in range(n):
        value = _after(tree, (*at, (label, k)), value, field)
    return value


def _after(tree: ProcDef, path: Path, value: Expr | None, field: ReadConfig) -> Expr | None:
    """What is held after a statement, given what is held before it."""
    s = get(tree, path)
    match s:
        case WriteConfig(config=c, field=f, rhs=rhs) if ReadConfig(c, f) == field:
            return stored(tree, rhs, field) if _lasting(rhs) else None
        case For():
            return _each(tree, path, value, field) or _last(tree, path, s, field)
        case If(body=body, orelse=orelse):
            one = _after_first(tree, path, "body", len(body), value, field)
            return one if one == _after_first(tree, path, "orelse", len(orelse), value, field) else None
        case Call() if field in written_fields(s):
            left = left_by(s, field)
            value = None if left is None else rewrite(left, partial(_needless, data_types(tree)))
    return None if value is None or _changes(tree, path, value) else value


def _each(tree: ProcDef, path: Path, value: Expr | None, field: ReadConfig) -> Expr | None:
    """What is held before each iteration of a loop, and after a loop that may not run."""
    loop = get_as(tree, path, For)
    return value if _after_first(tree, path, "body", len(loop.body), value, field) == value else None


def _last(tree: ProcDef, path: Path, loop: For, field: ReadConfig) -> Expr | None:
    """What the last iteration of a loop that surely runs leaves."""
    value = _after_first(tree, path, "body", len(loop.body), None, field)
    if value is None or mentions(value) & frozenset(binders(loop)) or is_opaque(loop.lo) or is_opaque(loop.hi):
        return None
    runs = prove(facts_at(tree, path), lt(lin(loop.lo), lin(loop.hi)), f"the loop over {loop.iter} runs")
    return value if runs else None


def stored(tree: ProcDef, e: Expr, field: ReadConfig) -> Expr:
    """What a data field holds when a value was written to it: the value at the field's precision."""
    t = field.config.fields[field.field]
    if not isinstance(t, Scalar) or _is_small(e):
        return e
    types = data_types(tree)
    return conversion(e, t) if precision(e, types) is None else converted(e, t, types)


def _passed(formal: Arg, actual: Expr) -> Expr:
    """What a scalar argument is in the callee: a value at the argument's precision."""
    t = formal.type
    if isinstance(t, Scalar) and not (isinstance(actual, Read) or _is_small(actual)):
        return conversion(actual, t)
    return actual


def _needless(types: Mapping[Sym, Type], n: Node) -> Node:
    """An expression less a conversion to the precision that it has."""
    if isinstance(n, ExternCall) and n.f.converts:
        own = precision(n.args[0], types)
        return n.args[0] if own is not None and concrete(own).name == n.f.result else n
    return n


def _is_small(e: Expr) -> bool:
    """Whether an expression is a literal that every precision holds as it is."""
    return isinstance(e, Const) and e.value == e.value // 1 and 0 <= e.value < 128


@memo_by_identity
def data_types(tree: ProcDef) -> Mapping[Sym, Type]:
    """The types of the buffers of a procedure; a window's is that of its buffer."""
    types: dict[Sym, Type] = {}
    for d in declarators(tree):
        if isinstance(d, WindowDef):
            types[d.sym] = types[d.rhs.sym]
        elif isinstance(d, Arg | Alloc):
            types[d.sym] = d.type
    return types


def _lasting(e: Expr) -> bool:
    """Whether the value of an expression depends on data in known places only."""
    return not any(
        isinstance(n, ReadConfig | StrideExpr) or (isinstance(n, Read) and any(map(is_opaque, n.idx)))
        for _, n in walk(e)
    )


def _changes(tree: ProcDef, path: Path, e: Expr) -> bool:
    """Whether the statement at `path` may write to a buffer that an expression reads."""
    label, k = path[-1]
    assert k is not None
    written = {a.buffer for a in effects(tree, Span(path[:-1], label, k, k + 1)) if a.writes}
    return any(place_of(tree, n).buffer in written for _, n in walk(e) if isinstance(n, Read))


__all__ = ["held_at", "held_in", "left_by", "stored"]
