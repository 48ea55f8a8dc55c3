"""Types, scopes and bounds of expressions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pyrsistent import PVector

from ..ir.config import Config
from ..ir.names import Sym
from ..ir.nodes import (
    Binary,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    Interval,
    Point,
    Read,
    ReadConfig,
    Select,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowExpr,
)
from ..ir.precisions import index_value
from ..ir.types import Control, Scalar, bool_
from ..ir.walk import COMPARISONS, EXTREMA, LOGICAL, walk
from ..logic.effects import flatten
from ..logic.forms import Lin, conj, ge, le, neg
from ..logic.solver import Words
from .check_arithmetic import check_arithmetic
from .check_cells import check_cell, check_claim
from .check_place import Place
from .check_views import View, inside

Kind: TypeAlias = Literal["integer", "truth value", "number"]
"""Of control values, control conditions, and data."""


def check_kind(place: Place, e: Expr, expected: Kind) -> None:
    """Checks `e`, which stands at `place` and must be of the given kind."""
    kind = check_expr(place, e)
    if kind != expected:
        raise place.error(f"{place.show(e)} is a {_describe(kind)}, where a {_describe(expected)} is needed")


def _describe(kind: Kind) -> str:
    return {"integer": "control integer", "truth value": "condition", "number": "data value"}[kind]


def check_expr(place: Place, e: Expr) -> Kind:
    """Checks that all of `e` is in scope, well typed and in bounds; its kind."""
    match e:
        case Const(type=t):
            return "number" if isinstance(t, Scalar) else _control(t)
        case Var(sym=s):
            if s not in place.controls:
                raise place.error(f"no control variable {s} is in scope here")
            return _control(place.controls[s])
        case Read(sym=s, idx=idx):
            check_access(place, s, idx)
            return "number"
        case StrideExpr(sym=s, dim=d):
            if d not in range(place.view(s).rank):
                raise place.error(f"{place.show(e)}: {place.name(s)} has {place.view(s).rank} dimensions")
            return "integer"
        case ReadConfig(config=c, field=f):
            return check_kind_of_field(place, c, f)
        case Unary(op=op, arg=a):
            kind = check_expr(place.at(("arg", None)), a)
            if (kind == "truth value") != (op == "not"):
                raise place.error(f"{place.show(e)}: {op!r} does not apply to a {_describe(kind)}")
            return kind
        case Binary():
            return _check_binary(place, e)
        case ExternCall(f=f, args=args):
            if len(args) != f.arity:
                raise place.error(f"{f.name} takes {f.arity} arguments, {len(args)} given")
            for k, a in enumerate(args):
                check_kind(place.at(("args", k)), a, "number" if index_value(e) is None else "integer")
            return "number"
        case Select():
            return _check_select(place, e)
        case Cell(read=r):
            check_cell(place, e)
            check_access(place.at(("read", None)), r.sym, r.idx)
            return "integer"
        case Claim(args=args):
            check_claim(place, e)
            for k, a in enumerate(args):
                check_kind(place.at(("args", k)), a, "integer")
            return "truth value"
        case WindowExpr():
            raise place.error(f"{place.show(e)} is a window: it can only be named or passed to a call")
        case ViewExpr():
            raise place.error(f"{place.show(e)} is a buffer: it can only be named, as in `w = {place.show(e)}`")


def check_kind_of_field(place: Place, config: Config, field: str) -> Kind:
    """The kind of a config field, which must exist."""
    if field not in config.fields:
        raise place.error(f"{config.name} has no field {field}; it has {', '.join(sorted(config.fields))}")
    t = config.fields[field]
    return _control(t) if isinstance(t, Control) else "number"


def _control(t: Scalar | Control) -> Kind:
    return "truth value" if t == bool_ else "integer"


def _check_binary(place: Place, e: Binary) -> Kind:
    lhs = check_expr(place.at(("lhs", None)), e.lhs)
    if e.op in LOGICAL and lhs == "truth value" and _asks_bounds(e.rhs):
        # the second part is only evaluated if the first does not decide
        first = place.truth(e.lhs)
        place = place.know(flatten(first if e.op == "and" else neg(first)))
    rhs = check_expr(place.at(("rhs", None)), e.rhs)
    if lhs != rhs:
        raise place.error(f"{place.show(e)} mixes a {_describe(lhs)} and a {_describe(rhs)}")
    if e.op in LOGICAL or e.op in ("==", "!="):
        if e.op in LOGICAL and lhs != "truth value":
            raise place.error(f"{place.show(e)}: {e.op!r} joins conditions, not {_describe(lhs)}s")
        return "truth value"
    if lhs == "truth value":
        raise place.error(f"{place.show(e)}: {e.op!r} does not apply to conditions")
    if e.op in COMPARISONS:
        return "truth value"
    if e.op in EXTREMA and lhs == "number":
        raise place.error(f"{place.show(e)}: {e.op} is of control integers; of data, take f{e.op}")
    if e.op == "%" and lhs == "number":
        raise place.error(f"{place.show(e)}: data has no remainder")
    if e.op in "*/%" and lhs == "integer":
        check_arithmetic(place, e)
    return lhs


def _check_select(place: Place, e: Select) -> Kind:
    """Checks a choice: each side is only evaluated where the condition says so."""
    check_kind(place.at(("cond", None)), e.cond, "truth value")
    for label, side in (("then", e.then), ("other", e.other)):
        here = place.at((label, None))
        if _asks_bounds(side):
            here = here.know(flatten(place.truth(e.cond) if label == "then" else neg(place.truth(e.cond))))
        check_kind(here, side, "number")
    return "number"


def _asks_bounds(e: Expr) -> bool:
    """Whether an expression reads an element, which must be in bounds."""
    return any(isinstance(n, Read) for _, n in walk(e))


def check_access(place: Place, sym: Sym, idx: PVector[Expr]) -> View:
    """Checks an element access: one index a dimension, each an integer within the extent; the element."""
    access, view = Read(sym, idx), place.view(sym)
    _check_rank(place, access, view)
    points: list[tuple[Lin, Lin | None]] = []
    for k, i in enumerate(idx):
        check_kind(place.at(("idx", k)), i, "integer")
        points.append((place.number(i), None))
        _require_inside(place, access, k, points[-1][0], view.shape[k])
    return view.window(points)


def _check_rank(place: Place, e: Read | WindowExpr, view: View) -> None:
    if len(e.idx) != view.rank:
        given = f"{len(e.idx)} indices given, but {place.name(e.sym)} has {view.rank} dimensions"
        raise place.error(f"{place.show(e)}: {given}")


def _require_inside(place: Place, e: Read | WindowExpr, k: int, index: Lin, extent: Lin) -> None:
    message, numbers = _outside(place, e, k, "index {}")
    place.require(inside(index, extent), message, numbers, index, extent)


def _outside(place: Place, e: Read | WindowExpr, k: int, index: str) -> tuple[Words, Words]:
    """What to say if an access is out of bounds, and the template of an example. They are seldom wanted."""
    return (
        lambda: f"{place.show(e)} may be out of bounds in dimension {k}",
        lambda: f"{index}, and {place.name(e.sym)} has extent {{}}",
    )


def check_window(place: Place, w: WindowExpr) -> View:
    """Checks that a window lies within its buffer; the part of it that it shows.

    A window may be empty (`lo == hi`).
    """
    view = place.view(w.sym)
    _check_rank(place, w, view)
    parts: list[tuple[Lin, Lin | None]] = []
    for k, d in enumerate(w.idx):
        here = place.at(("idx", k))
        if isinstance(d, Point):
            check_kind(here.at(("pt", None)), d.pt, "integer")
            at = place.number(d.pt)
            _require_inside(place, w, k, at, view.shape[k])
            parts.append((at, None))
        else:
            parts.append(_check_interval(place, here, w, d, view.shape[k]))
    if all(hi is None for _, hi in parts):
        raise place.error(f"{place.show(w)} keeps no dimension: a window needs at least one interval lo:hi")
    return view.window(parts)


def _check_interval(place: Place, here: Place, w: WindowExpr, d: Interval, extent: Lin) -> tuple[Lin, Lin]:
    check_kind(here.at(("lo", None)), d.lo, "integer")
    check_kind(here.at(("hi", None)), d.hi, "integer")
    lo, hi = place.number(d.lo), place.number(d.hi)

    _, k = here.path[-1]
    assert k is not None
    goal = conj(ge(lo, 0), le(lo, hi), le(hi, extent))
    message, numbers = _outside(place, w, k, "{}:{}")
    place.require(goal, message, numbers, lo, hi, extent)
    return lo, hi
