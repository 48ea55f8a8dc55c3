"""Expressions: from Python syntax to the tree, with their types."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import reduce
from math import isfinite
from typing import Final, NoReturn, TypeAlias

from pyrsistent import pmap, pvector

from ..ir import build as b
from ..ir.config import Config
from ..ir.externs import BUILTIN, CONVERSIONS, WRAPS, ExternFn, bitnot
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
    ProcDef,
    Read,
    ReadConfig,
    Select,
    StrideExpr,
    Unary,
    Var,
    WinDim,
    WindowExpr,
)
from ..ir.numbers import plain
from ..ir.outside import mentioned_by
from ..ir.precisions import element
from ..ir.printing import names_in_scope, print_expr
from ..ir.reductions import CALLED
from ..ir.room import with_room
from ..ir.types import SCALARS, Control, R, Scalar, Tensor, Type, bool_, index, int_, stride_
from ..ir.walk import Path, walk
from .errors import FrontendError, ObjectTypeError, ParseError, ScopeError
from .matching import OPERATIONS
from .scope import Scope, near_names, types_at, window_type
from .short_forms import MOST_FACTORS, constant, is_simple, no_power
from .source import Source, parse_python

Typed: TypeAlias = tuple[Expr, Type]

_ARITH: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%"
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="
}  # fmt: skip


CLAIMS: Final = {"within": 3, "distinct": 1, "rising": 1}
"""What assertions say of all elements of a buffer, with the number of operands."""


def is_bool_type(t: Type) -> bool:
    """Whether a type is that of truth values."""
    return t == bool_


def is_int_type(t: Type) -> bool:
    """Whether a type is that of control integers."""
    return isinstance(t, Control) and t != bool_


def as_data(e: Expr, t: Type) -> Expr | None:
    """An expression as a data value; None if it is none.

    Integer literals become data, and their sums and products; quotients don't: `1 / 2` is 0 for integers. A constant
    that was computed with one has the type `index`.
    """
    if isinstance(t, Scalar):
        return e
    match e:
        case Const(value=value) if is_int_type(t) and t != index:
            return b.data(value)
        case Unary(op="-", arg=a):
            x = as_data(a, t)
            return None if x is None else Unary("-", x)
        case Binary(op=("+" | "-" | "*") as op, lhs=lhs, rhs=rhs):
            x, y = as_data(lhs, t), as_data(rhs, t)
            return None if x is None or y is None else Binary(op, x, y)
        case _:
            return None


@dataclass(frozen=True)
class ExprParser:
    """Parses expressions in a scope. `asserts`: whether this is an assertion. `cells`: whether an element of a buffer
    of integers is a control integer, as in an index or a bound."""

    scope: Scope
    source: Source
    asserts: bool = False
    cells: bool = False

    # -- wanted kinds -----------------------------------------------------------------------------

    def integer(self, node: ast.expr) -> Expr:
        """A control integer."""
        e, t = replace(self, cells=True).expr(node)
        if isinstance(e, Select):
            what = "an integer control expression is needed here: `a if c else b` is a data value; "
            self.fail(ObjectTypeError, node, f"{what}write two statements under `if` and `else`, or min or max")
        if not is_int_type(t):
            self.fail(ObjectTypeError, node, f"an integer control expression is needed here, not {describe(t)}")
        return e

    def condition(self, node: ast.expr) -> Expr:
        """A truth value."""
        e, t = self.expr(node)
        if not is_bool_type(t):
            self.fail(ObjectTypeError, node, f"a condition is needed here, not {describe(t)}")
        return e

    def assertion(self, node: ast.expr) -> Expr:
        """What is asserted: a condition, or what holds for all elements of a buffer, or several of these."""
        e = self.condition(node)
        parts = [e]
        while parts:
            part = parts.pop()
            if isinstance(part, Binary) and part.op == "and":
                parts += [part.lhs, part.rhs]
            elif not isinstance(part, Claim) and any(isinstance(n, Claim) for _, n in walk(part)):
                what = f"{', '.join(CLAIMS)} of a buffer can only be asserted by themselves or with `and`"
                self.fail(ObjectTypeError, node, what)
        return e

    def data(self, node: ast.expr) -> Expr:
        """A data value."""
        return self.as_value(node, *replace(self, cells=False).expr(node))

    def as_value(self, node: ast.expr, e: Expr, t: Type) -> Expr:
        """An expression that was parsed as a data value."""
        d = as_data(e, t)
        if d is None:
            self.fail(ObjectTypeError, node, f"a data value is needed here, not {describe(t)}{_as_number(e, t)}")
        return d

    def converted(self, node: ast.expr) -> Expr:
        """What a conversion takes: a data value, or a control integer."""
        e, t = replace(self, cells=False).expr(node)
        return e if is_int_type(t) else self.as_value(node, e, t)

    def fail(self, kind: type[FrontendError], node: ast.AST, message: str) -> NoReturn:
        self.source.fail(kind, node, message)

    # -- any expression ---------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> Typed:
        """An expression and its type."""
        match node:
            case ast.Constant():
                return self.literal(node, self.plain(node, node.value))
            case ast.Name():
                return self.name(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.BinOp():
                return self.binary(node)
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp():
                return self.logical(node)
            case ast.IfExp():
                return self.choice(node)
            case _:
                self.source.fail(ParseError, node, "the object language has no such expression")

    def plain(self, node: ast.AST, value: object) -> object:
        """A Python value that stands in object code, as a plain number if it is one."""
        try:
            return plain(value)
        except ValueError as e:
            self.source.fail(ParseError, node, str(e))

    def literal(self, node: ast.AST, value: object) -> Typed:
        if isinstance(value, bool):
            return Const(value, bool_), bool_
        if isinstance(value, int):
            return Const(value, int_), int_
        if isinstance(value, float) and isfinite(value):
            digits = self.source.text(node).removesuffix(".0") if abs(value) >= 2**53 else ""
            return Const(int(digits) if digits.isdigit() else value, R), R
        self.source.fail(ParseError, node, f"{value!r} is no number of the object language")

    def name(self, node: ast.Name) -> Typed:
        sym = self.scope.sym(node.id)
        if sym is not None:
            t = self.scope.type(sym)
            return (Var(sym), t) if isinstance(t, Control) else self.element(Read(sym, pvector()), t)
        if (given := self.scope.given.get(node.id)) is not None:
            return given.value, given.type
        if node.id not in self.scope.env or node.id in self.scope.assigned:
            self.unknown(node)
        value = self.plain(node, self.scope.env[node.id])
        if isinstance(value, bool | int | float):
            return self.literal(node, value)
        self.source.fail(ObjectTypeError, node, f"{node.id} is a {type(value).__name__}, not a value of object code")

    def buffer(self, node: ast.expr, what: str) -> tuple[Sym, Type]:
        """The buffer that a name means."""
        if not isinstance(node, ast.Name):
            self.source.fail(ParseError, node, f"{what} needs the name of a buffer here")
        if (given := self.scope.given.get(node.id)) is not None:
            self.source.fail(ObjectTypeError, node, f"{node.id} is {given.what}: {what} needs the name of a buffer")
        sym = self.scope.sym(node.id)
        if sym is None:
            self.unknown(node)
        return sym, self.scope.type(sym)

    def unknown(self, node: ast.Name) -> NoReturn:
        """Refuse a name that means nothing here. In Python a name that a function assigns is its own in all of it: so
        such a name means nothing of the program around the procedure, either."""
        line = self.scope.assigned.get(node.id, node.lineno)
        if line != node.lineno:
            where = f"line {self.source.first + line - 1} gives it a value, further down or in a block that has ended"
            self.source.fail(ScopeError, node, f"{node.id!r} means nothing here: {where}; give it one before, out here")
        raise ScopeError(self.scope.unknown(node.id).message, self.source.place(node))

    def subscript(self, node: ast.Subscript) -> Typed:
        sym, t = self.buffer(node.value, "an index")
        if not isinstance(t, Tensor):
            self.source.fail(ObjectTypeError, node, f"{sym} is {describe(t)} and cannot be indexed")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(parts) != len(t.shape):
            self.source.fail(ObjectTypeError, node, f"{sym} has {len(t.shape)} dimensions, not {len(parts)}")
        if not any(isinstance(x, ast.Slice) for x in parts):
            return self.element(Read(sym, pvector(self.integer(x) for x in parts)), t.base)
        w = WindowExpr(sym, pvector(self.window_dim(x, n) for x, n in zip(parts, t.shape, strict=True)))
        return w, window_type(w, t)

    def element(self, e: Read, t: Type) -> Typed:
        """An element or a whole buffer: where control integers are wanted, an element of integers is one."""
        if self.cells and isinstance(t, Scalar) and not t.is_float:
            return Cell(e, self.scope.is_steady(e.sym)), index
        return e, t

    def now(self, node: ast.Call) -> Typed:
        """`now(idx[i])`: an element as an integer of which nothing is known but its precision."""
        e = self.integer(node.args[0]) if len(node.args) == 1 else None
        if not isinstance(e, Cell):
            self.source.fail(ObjectTypeError, node, "now is of one element of a buffer of integers: `now(idx[i])`")
        return Cell(e.read, False, True), index

    def window_dim(self, node: ast.expr, extent: Expr) -> WinDim:
        if not isinstance(node, ast.Slice):
            return Point(self.integer(node))
        if node.step is not None:
            self.source.fail(ParseError, node, "a slice has no step")
        lo = b.ZERO if node.lower is None else self.integer(node.lower)
        return Interval(lo, extent if node.upper is None else self.integer(node.upper))

    def attribute(self, node: ast.Attribute) -> Typed:
        config, field = self.config_field(node)
        return ReadConfig(config, field), config.fields[field]

    def config_field(self, node: ast.Attribute) -> tuple[Config, str]:
        """The field that `Config.field` means."""
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        config = self.scope.env.get(name)
        if config is None and name and self.scope.sym(name) is None:
            configs = [k for k, v in self.scope.env.items() if isinstance(v, Config)]
            known = f"; the configs here are {', '.join(sorted(configs))}" if configs else "; no config is known here"
            self.source.fail(ScopeError, node, f"{name!r} means nothing here{near_names(name, configs) or known}")
        if not isinstance(config, Config):
            what = self.source.text(node.value) or name
            self.source.fail(ScopeError, node, f"{what} is no config: what stands after a dot is a config's field")
        if node.attr not in config.fields:
            known = ", ".join(sorted(config.fields))
            self.source.fail(ScopeError, node, f"{config.name} has no field {node.attr!r}; it has {known}")
        return config, node.attr

    def call(self, node: ast.Call) -> Typed:
        if not isinstance(node.func, ast.Name) or node.keywords:
            self.source.fail(ParseError, node, "a call is a name with arguments by position")
        name = node.func.id
        found = self.scope.env.get(name)
        if name == "stride" and not isinstance(found, ExternFn):
            return self.stride(node)
        if name == "index" and not isinstance(found, ExternFn) and len(node.args) == 1:
            return self.integer(node.args[0]), index
        if name == "now" and not isinstance(found, ExternFn):
            return self.now(node)
        if name in CLAIMS and not isinstance(found, ExternFn):
            return self.claim(node, name)
        if isinstance(found, ExternFn):
            f: ExternFn | None = found
        elif found is None or isinstance(found, Scalar):  # a text that is an argument knows no types
            f = BUILTIN.get(name) or CONVERSIONS.get(name if found is None else found.name)
        else:
            f = BUILTIN.get(name)
        if f is None and found is None:
            f = WRAPS.get(name)
        if f is None and hasattr(found, "tree"):
            self.source.fail(ObjectTypeError, node, f"{name} is a procedure: a call of it is a statement, not a value")
        if f is None and name in CALLED and (least := self.extremum(node, name)) is not None:
            return least
        if f is None and name in CALLED:
            what = f"{name} of data is a reduction, `x = {name}(x, e)`, and no value; of any two values, take f{name}"
            self.source.fail(ParseError, node, what)
        if f is None:
            what = f"there are {', '.join(sorted(BUILTIN))}, wrap_u8 and the like; define others with extern(...)"
            self.source.fail(ScopeError, node, f"{name!r} is no extern function: {what}")
        if len(node.args) != f.arity:
            self.source.fail(ObjectTypeError, node, f"{name} takes {f.arity} arguments, not {len(node.args)}")
        if f.result is not None:
            value = self.converted(node.args[0]) if f.converts else self.data(node.args[0])
            return ExternCall(f, pvector([value])), SCALARS[f.result]
        return ExternCall(f, pvector(self.data(a) for a in node.args)), R

    def claim(self, node: ast.Call, kind: str) -> Typed:
        """`within(idx, lo, hi)`, `distinct(idx)` or `rising(ptr)`."""
        if not self.asserts:
            self.source.fail(ObjectTypeError, node, f"{kind} of a buffer can only be asserted, and is no condition")
        if len(node.args) != CLAIMS[kind]:
            what = "takes a buffer of integers" + (", the least and one past the greatest" if kind == "within" else "")
            self.source.fail(ObjectTypeError, node, f"{kind} {what}")
        sym, t = self.buffer(node.args[0], kind)
        if isinstance(t, Control) or element(t).is_float:
            self.source.fail(ObjectTypeError, node.args[0], f"{kind} is of a buffer of integers, not of {describe(t)}")
        rank = len(t.shape) if isinstance(t, Tensor) else 0
        return Claim(kind, sym, rank, pvector(self.integer(a) for a in node.args[1:])), bool_

    def extremum(self, node: ast.Call, op: str) -> Typed | None:
        """`min(a, b, ..)` or `max(a, b, ..)`, if the first operand is a control integer."""
        if not node.args or isinstance(node.args[0], ast.Starred) or not is_int_type(self.expr(node.args[0])[1]):
            return None
        if len(node.args) < 2:
            self.source.fail(ObjectTypeError, node, f"{op} takes two control integers or more")
        first, *others = [self.integer(a) for a in node.args]
        return reduce(lambda x, y: Binary(op, x, y), others, first), int_

    def stride(self, node: ast.Call) -> Typed:
        if len(node.args) != 2 or not isinstance(node.args[1], ast.Constant) or type(node.args[1].value) is not int:
            self.source.fail(ParseError, node, "stride takes a buffer and the number of a dimension")
        sym, t = self.buffer(node.args[0], "stride")
        dim = node.args[1].value
        if not isinstance(t, Tensor) or not 0 <= dim < len(t.shape):
            self.source.fail(ObjectTypeError, node, f"{sym} has no dimension {dim}")
        return StrideExpr(sym, dim), stride_

    def unary(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            return Unary("not", self.condition(node.operand)), bool_
        if isinstance(node.op, ast.UAdd):
            return self.expr(node.operand)
        if isinstance(node.op, ast.Invert):
            e, t = self.expr(node.operand)
            return ExternCall(bitnot, pvector([self.bits(node, "~", e, t)])), _one_of(t, R)
        if not isinstance(node.op, ast.USub):
            self.source.fail(ParseError, node, "the object language has no such operator")
        e, t = self.expr(node.operand)
        if isinstance(t, Tensor) or is_bool_type(t):
            self.source.fail(ObjectTypeError, node, f"{describe(t)} cannot be negated")
        touches = isinstance(node.operand, ast.Constant) and node.operand.col_offset == node.col_offset + 1
        if isinstance(e, Const) and (touches or isinstance(node.operand, ast.Name)):
            return Const(-e.value, e.type), t  # `-5` is a literal, `-(5)` and `- 5` are not
        return Unary("-", e), t

    def bits(self, node: ast.expr, op: str, e: Expr, t: Type) -> Expr:
        """The operand of an operation that there is for data only."""
        if is_int_type(t) and as_data(e, t) is None:
            what = f"{op!r} is for integers of data, such as `i32(..)` of a control one"
            self.source.fail(ObjectTypeError, node, what)
        return self.as_value(node, e, t)

    def binary(self, node: ast.BinOp) -> Typed:
        if isinstance(node.op, ast.Pow):
            return self.power(node)
        f, op = OPERATIONS.get(type(node.op)), _ARITH.get(type(node.op))
        if f is None and op is None:
            self.source.fail(ParseError, node, "the object language has no such operator")
        (x, tx), (y, ty) = self.expr(node.left), self.expr(node.right)
        if op is None and f is not None:
            operands = [self.bits(node, f.operator, e, t) for e, t in ((x, tx), (y, ty))]
            return ExternCall(f, pvector(operands)), _one_of(tx, ty)
        assert op is not None
        if is_int_type(tx) and is_int_type(ty):
            result = self.integers(node, op, x, y)
            floor = op == "/" or any(isinstance(z, Const) and t == index for z, t in ((x, tx), (y, ty)))
            return result, index if floor and isinstance(result, Const) else int_
        dx, dy = as_data(x, tx), as_data(y, ty)
        if dx is None or dy is None:
            hint = _as_number(x, tx) or _as_number(y, ty)
            what = f"{describe(tx)} and {describe(ty)} cannot be combined by {op!r}{hint}"
            self.source.fail(ObjectTypeError, node, what)
        return ExternCall(f, pvector((dx, dy))) if f else Binary(op, dx, dy), _one_of(tx, ty)

    def power(self, node: ast.BinOp) -> Typed:
        """`x ** 3` is `x * x * x`."""
        base, power = self.source.text(node.left) or ast.unparse(node.left), self.exponent(node.right)
        if power is None or power not in range(1, MOST_FACTORS + 1):
            self.source.fail(ParseError, node, no_power(base, power))
        if not is_simple(node.left):
            what = f"{base} would be written {power:g} times: give it a name, as in `t: f32 = {base}`"
            self.source.fail(ParseError, node, f"{what}, and take `t ** {power:g}`")
        product = node.left
        for _ in range(1, int(power)):
            product = ast.copy_location(ast.BinOp(product, ast.Mult(), node.left), node)
        return self.expr(product)

    def exponent(self, node: ast.expr) -> int | float | None:
        """A power that is a literal or the name of a number; no quotient, which for integers is a floor."""
        inner = node.operand if isinstance(node, ast.UnaryOp) else node
        e, t = self.expr(node) if isinstance(inner, ast.Constant | ast.Name) else (None, int_)
        return e.value if t != index and isinstance(e, Const) and not isinstance(e.value, bool) else None

    def integers(self, node: ast.BinOp, op: str, x: Expr, y: Expr) -> Expr:
        n = constant(y)
        if op in "/%" and n is not None and n < 1:
            what = f"control integers can be combined by {op!r} with what is at least 1 only"
            self.source.fail(ObjectTypeError, node, what)
        result = Binary(op, x, y)
        value = constant(result)
        # What Python names stand for is computed now; arithmetic that is written out stays as it is written.
        return b.num(value) if value is not None and self.mentions_python(node) else result

    def mentions_python(self, node: ast.AST) -> bool:
        """Whether a name in it is a constant of the Python program around the procedure."""
        names = (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        return any(self.scope.sym(name) is None and name not in self.scope.given for name in names)

    def compare(self, node: ast.Compare) -> Typed:
        terms = [node.left, *node.comparators]
        values = self.of_integers(terms)
        parts: list[Expr] = []
        for left, op, right in zip(values, node.ops, values[1:], strict=False):
            name = _COMPARE.get(type(op))
            if name is None:
                self.source.fail(ParseError, node, "the object language has no such comparison")
            parts.append(self.one_comparison(node, name, left, right))
        result = parts[0]
        for more in parts[1:]:
            result = Binary("and", result, more)
        return result, bool_

    def of_integers(self, terms: list[ast.expr]) -> list[Typed]:
        """What is compared. Elements of buffers of integers are control integers there if a control value is compared
        with them, or in an assertion if all are integers."""
        here = replace(self, cells=False)
        if not any(map(here.shows_control, terms)):
            values = [here.expr(x) for x in terms]
            data = [t for _, t in values if isinstance(t, Scalar)]
            if not (self.asserts and data) or any(t.is_float for t in data):
                return values
        return [replace(self, cells=True).expr(x) for x in terms]

    def shows_control(self, node: ast.expr) -> bool:
        """Whether an operand is a control value by a name or a field in it."""
        match node:
            case ast.Name():
                sym = self.scope.sym(node.id)
                return node.id in self.scope.given or (sym is not None and isinstance(self.scope.type(sym), Control))
            case ast.Attribute():
                return isinstance(self.attribute(node)[1], Control)
            case ast.BinOp(left=x, right=y):
                return self.shows_control(x) or self.shows_control(y)
            case ast.UnaryOp(operand=x):
                return self.shows_control(x)
            case ast.Call(func=ast.Name(id=name)):
                of_control = name in CALLED and any(map(self.shows_control, node.args))
                return of_control or name in ("index", "now", "stride")
            case _:
                return False

    def one_comparison(self, node: ast.AST, op: str, left: Typed, right: Typed) -> Expr:
        (x, tx), (y, ty) = left, right
        if is_int_type(tx) and is_int_type(ty):
            return Binary(op, x, y)
        if is_bool_type(tx) and is_bool_type(ty) and op in ("==", "!="):
            return Binary(op, x, y)
        dx, dy = as_data(x, tx), as_data(y, ty)
        if dx is None or dy is None:
            self.source.fail(ObjectTypeError, node, f"{describe(tx)} and {describe(ty)} cannot be compared by {op!r}")
        return Binary(op, dx, dy)

    def choice(self, node: ast.IfExp) -> Typed:
        """`a if c else b`, which is data."""
        cond, (x, tx), (y, ty) = self.condition(node.test), self.expr(node.body), self.expr(node.orelse)
        dx, dy = as_data(x, tx), as_data(y, ty)
        if dx is None or dy is None:
            hint = _as_number(x, tx) if dx is None else _as_number(y, ty)
            self.source.fail(ObjectTypeError, node, f"`a if c else b` is a data value: {_no_sides(tx, ty)}{hint}")
        base = tx if isinstance(tx, Scalar) and tx != R else ty if isinstance(ty, Scalar) else R
        return Select(cond, dx, dy), base

    def logical(self, node: ast.BoolOp) -> Typed:
        op = "and" if isinstance(node.op, ast.And) else "or"
        result = self.condition(node.values[0])
        for more in node.values[1:]:
            result = Binary(op, result, self.condition(more))
        return result, bool_


def _one_of(x: Type, y: Type) -> Scalar:
    """The precision of two operands, one of which may be a literal."""
    return x if isinstance(x, Scalar) and x != R else y if isinstance(y, Scalar) else R


def _as_number(e: Expr, t: Type) -> str:
    """The end of a message about a control value where data is needed."""
    if not is_int_type(t):
        return ""
    return "; write its numbers as data, with a point" if constant(e) is not None else "; as data it is `f32(..)` of it"


def _no_sides(then: Type, other: Type) -> str:
    """Why two types are not those of the sides of a choice, and what to write instead."""
    if is_bool_type(then) and is_bool_type(other):
        return "of conditions write `c and a or not c and b`"
    if is_int_type(then) and is_int_type(other):
        return "of control integers take min or max, or two statements under `if` and `else`"
    return f"its sides can't be {describe(then)} and {describe(other)}"


def describe(t: Type) -> str:
    """A type in words."""
    if isinstance(t, Tensor):
        return f"a {len(t.shape)}-dimensional {'window' if t.window else 'tensor'} of {t.base}"
    return f"a data value ({t})" if isinstance(t, Scalar) else f"a control value ({t})"


def _parse(text: object) -> tuple[ast.expr, Source]:
    if not isinstance(text, str):
        raise ParseError(f"object code is a text, not {text!r}")
    if "--> " in text:
        raise ParseError("this is the picture of a cursor: the object code of an expression is `c.text()`")
    source = Source("<text>", tuple(text.strip().splitlines()))
    match parse_python(source, ParseError).body:
        case [ast.Expr(value=node)]:
            return node, source
        case _:
            raise ParseError("an expression is needed here", source.at(1, 0))


@with_room
def parse_expr(text: str, scope: Scope) -> Expr:
    """A control expression given as text."""
    node, source = _parse(text)
    e, t = ExprParser(scope, source, cells=True).expr(node)
    if not isinstance(t, Control):
        raise ObjectTypeError(f"a control expression is needed here, not {describe(t)}", source.place(node))
    return e


def read_again(e: Expr, tree: ProcDef, path: Path) -> Expr:
    """A control expression that was made by hand, or for another place, as its text says it just before the node at
    `path`: it gets the same checks. All that it mentions is in scope."""
    names = names_in_scope(tree, path)
    outside = {thing.name: thing for _, n in walk(e) if (thing := mentioned_by(n)) is not None}
    scope = Scope(pmap({name: s for s, name in names.items()}), pmap(types_at(tree, path)), outside, tree=tree)
    return parse_expr(print_expr(e, names), scope)


@with_room
def parse_data(text: str, scope: Scope) -> Expr:
    """A data value given as text; an integer literal is one too."""
    node, source = _parse(text)
    return ExprParser(scope, source).data(node)


@with_room
def parse_assertion(text: str, scope: Scope) -> Expr:
    """A condition given as text, in which sizes may be multiplied."""
    node, source = _parse(text)
    return ExprParser(scope, source, True).assertion(node)


@with_room
def parse_window(text: str, scope: Scope) -> tuple[Sym, tuple[WinDim, ...]]:
    """A window given as text: the buffer, and an interval or point for each dimension."""
    node, source = _parse(text)
    parser = ExprParser(scope, source)
    if isinstance(node, ast.Name):
        sym, t = parser.buffer(node, "a window")
        if isinstance(t, Control):
            raise ObjectTypeError(f"a window needs a buffer, not {describe(t)}", source.place(node))
        return sym, tuple(Interval(b.ZERO, n) for n in t.shape) if isinstance(t, Tensor) else ()
    e, _ = parser.expr(node)
    if isinstance(e, WindowExpr):
        return e.sym, tuple(e.idx)
    if isinstance(e, Read):
        return e.sym, tuple(Point(i) for i in e.idx)
    raise ObjectTypeError("a window is a buffer with slices or points", source.place(node))
