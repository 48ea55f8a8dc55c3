"""Whether a fragment of object code with holes matches a node.

The fragment is a Python syntax tree, the node one of the object language. `_` matches any expression,
block, name, type or list of indices; fewer indices than an element has match its first ones. A name matches the
variables of that name and the one that is printed so (`i_1`, if another `i` is in scope).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..ir import nodes as ir
from ..ir.build import num
from ..ir.externs import OPERATORS, ExternFn
from ..ir.names import Sym
from ..ir.printing import callee_names, names_at
from ..ir.reductions import CALLED
from ..ir.types import Control, Scalar, Tensor
from ..ir.walk import EXTREMA
from .words import DEFAULT_ENV

BINARY: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip
OPERATIONS: Final[dict[type[ast.AST], ExternFn]] = {
    op: OPERATORS[text] for op, text in (
        (ast.FloorDiv, "//"), (ast.Mod, "%"), (ast.BitAnd, "&"), (ast.BitOr, "|"), (ast.BitXor, "^"),
        (ast.Invert, "~"), (ast.LShift, "<<"), (ast.RShift, ">>"),
    )
}  # fmt: skip
"""What operators mean between integers of data."""


def is_hole(e: ast.AST | None) -> bool:
    """Whether a fragment is `_`."""
    return isinstance(e, ast.Name) and e.id == "_"


def _spelled(p: ast.expr, name: str) -> bool:
    return isinstance(p, ast.Name) and p.id in ("_", name)


def _field(p: ast.expr, config: str, field: str) -> bool:
    return is_hole(p) or (isinstance(p, ast.Attribute) and _spelled(p.value, config) and p.attr in ("_", field))


def _parts(p: ast.expr) -> list[ast.expr]:
    return list(p.elts) if isinstance(p, ast.Tuple) else [p]


def _scalar(p: ast.expr, t: Scalar) -> bool:
    return isinstance(p, ast.Name) and (p.id == "_" or DEFAULT_ENV.get(p.id) == t)


def _constant(p: ast.expr) -> int | float | bool | None:
    if isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub):
        value = _constant(p.operand)
        return None if value is None or isinstance(value, bool) else -value
    return p.value if isinstance(p, ast.Constant) and isinstance(p.value, int | float) else None


def _literal(p: ast.expr, e: ir.Const) -> bool:
    """`2` matches the data value 2.0 too, but `2.0` no control integer."""
    value = _constant(p)
    if value is None or isinstance(value, bool) != isinstance(e.value, bool):
        return False
    return value == e.value and not (isinstance(value, float) and isinstance(e.type, Control))


def _binary(p: ast.expr) -> tuple[str, ast.expr, ast.expr] | None:
    """The operator and operands of a fragment, chains nested as the parser nests them."""
    match p:
        case ast.BinOp(left=left, op=op, right=right):
            return BINARY.get(type(op), "?"), left, right
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return BINARY.get(type(op), "?"), left, right
        case ast.Compare(left=left, ops=[*ops, op], comparators=[*terms, right]):
            return "and", ast.Compare(left, ops, terms), ast.Compare(terms[-1], [op], [right])
        case ast.BoolOp(op=op, values=[left, right]):
            return BINARY[type(op)], left, right
        case ast.BoolOp(op=op, values=[*values, right]):
            return BINARY[type(op)], ast.BoolOp(op, values), right
        case _:
            return None


@dataclass(frozen=True)
class Matcher:
    """Matches fragments against the nodes of a procedure. How it prints is asked only where a fragment could
    be a name with a number, as `i_1`."""

    tree: ir.ProcDef

    def name(self, p: ast.expr, sym: Sym) -> bool:
        if not isinstance(p, ast.Name):
            return False
        return p.id in ("_", sym.name) or (p.id.startswith(sym.name) and p.id == names_at(self.tree).get(sym))

    def callee(self, p: ast.expr, f: ir.Callee) -> bool:
        if not isinstance(p, ast.Name):
            return False
        name = f.tree.name
        return p.id in ("_", name) or (p.id.startswith(name) and p.id == callee_names(self.tree).get(f))

    # -- expressions ------------------------------------------------------------------------------

    def expr(self, p: ast.expr, e: ir.Expr) -> bool:
        """Whether a fragment matches an expression."""
        if is_hole(p):
            return True
        match e:
            case ir.Var(sym=s):
                return self.name(p, s)
            case ir.Read(sym=s, idx=idx) | ir.WindowExpr(sym=s, idx=idx):
                return self.place(p, s, idx)
            case ir.ViewExpr(sym=s, shape=shape):
                named = isinstance(p, ast.Call) and isinstance(p.func, ast.Attribute) and p.func.attr == "view"
                return named and self.name(p.func.value, s) and self.dims(p.args, shape)  # type: ignore[attr-defined]
            case ir.Const():
                return _literal(p, e)
            case ir.Unary(op=op, arg=a):
                wanted = ast.Not if op == "not" else ast.USub
                return isinstance(p, ast.UnaryOp) and isinstance(p.op, wanted) and self.expr(p.operand, a)
            case ir.Binary(op=op, lhs=x, rhs=y) if op in EXTREMA:
                return isinstance(p, ast.Call) and _spelled(p.func, op) and self.dims(p.args, (x, y))
            case ir.Binary(op=op, lhs=x, rhs=y):
                parts = _binary(p)
                return parts is not None and parts[0] == op and self.expr(parts[1], x) and self.expr(parts[2], y)
            case ir.ExternCall(f=f, args=args) if isinstance(p, ast.BinOp | ast.UnaryOp):
                ps = [p.left, p.right] if isinstance(p, ast.BinOp) else [p.operand]
                return OPERATIONS.get(type(p.op)) == f and all(map(self.expr, ps, args))
            case ir.ExternCall(f=f, args=args):
                return (
                    isinstance(p, ast.Call)
                    and (_spelled(p.func, f.name) or _same_extern(p.func, f))
                    and self.dims(p.args, args)
                )
            case ir.Select(cond=c, then=x, other=y):
                if not isinstance(p, ast.IfExp):
                    return False
                return self.expr(p.test, c) and self.expr(p.body, x) and self.expr(p.orelse, y)
            case ir.StrideExpr(sym=s, dim=d):
                if not isinstance(p, ast.Call):
                    return False
                return _spelled(p.func, "stride") and self.dims(p.args, (ir.Var(s), num(d)))
            case ir.ReadConfig(config=c, field=f):
                return _field(p, c.name, f)
            case ir.Cell(read=r):
                names = ("index", "now")
                if isinstance(p, ast.Call) and len(p.args) == 1 and any(_spelled(p.func, name) for name in names):
                    p = p.args[0]
                return self.expr(p, r)
            case ir.Claim(kind=kind, sym=s, args=args):
                return isinstance(p, ast.Call) and _spelled(p.func, kind) and self.dims(p.args, (ir.Var(s), *args))

    def place(self, p: ast.expr, sym: Sym, idx: Sequence[Any]) -> bool:
        """Whether a fragment means a buffer, or with indices this part of it."""
        if isinstance(p, ast.Subscript):
            ps = _parts(p.slice)
            first = idx[: len(ps)] if not any(isinstance(d, ir.Interval | ir.Point) for d in idx) else idx
            return bool(idx) and self.name(p.value, sym) and self.dims(ps, first)
        return self.name(p, sym)

    def dims(self, ps: Sequence[ast.expr], es: Sequence[Any]) -> bool:
        """Whether fragments match indices or arguments; one `_` matches all of them."""
        if len(ps) == 1 and is_hole(ps[0]):
            return True
        return len(ps) == len(es) and all(self.dim(p, e) for p, e in zip(ps, es, strict=True))

    def dim(self, p: ast.expr, e: ir.Expr | ir.WinDim) -> bool:
        if is_hole(p):
            return True
        if isinstance(e, ir.Interval):
            return isinstance(p, ast.Slice) and self.bound(p.lower, e.lo) and self.bound(p.upper, e.hi)
        return self.expr(p, e.pt if isinstance(e, ir.Point) else e)

    def bound(self, p: ast.expr | None, e: ir.Expr) -> bool:
        return p is None or self.expr(p, e)

    # -- statements -------------------------------------------------------------------------------

    def stmt(self, p: ast.stmt, s: ir.Stmt) -> bool:
        """Whether a fragment matches a statement."""
        if isinstance(p, ast.Expr) and is_hole(p.value):
            return True
        match s:
            case ir.Assign(sym=sym, idx=idx, rhs=rhs):
                return isinstance(p, ast.Assign) and self.place(p.targets[0], sym, idx) and self.expr(p.value, rhs)
            case ir.Reduce(sym=sym, idx=idx, rhs=rhs, op=op):
                if isinstance(p, ast.Assign) and op in CALLED:
                    return self.place(p.targets[0], sym, idx) and self.choice(p.value, op, ir.Read(sym, idx), rhs)
                if not isinstance(p, ast.AugAssign) or BINARY.get(type(p.op)) != op:
                    return False
                return self.place(p.target, sym, idx) and self.expr(p.value, rhs)
            case ir.For():
                if not isinstance(p, ast.For):
                    return False
                return self.name(p.target, s.iter) and self.range(p.iter, s) and self.block(p.body, s.body)
            case ir.If():
                return isinstance(p, ast.If) and self.expr(p.test, s.cond) and self.branches(p, s)
            case ir.Alloc(sym=sym):
                return isinstance(p, ast.AnnAssign) and self.name(p.target, sym) and self.type(p.annotation, s)
            case ir.WindowDef(sym=sym, rhs=window):
                return isinstance(p, ast.Assign) and self.name(p.targets[0], sym) and self.expr(p.value, window)
            case ir.Call(f=f, args=args):
                call = p.value if isinstance(p, ast.Expr) else None
                return isinstance(call, ast.Call) and self.callee(call.func, f) and self.dims(call.args, args)
            case ir.WriteConfig(config=c, field=f, rhs=rhs):
                return isinstance(p, ast.Assign) and _field(p.targets[0], c.name, f) and self.expr(p.value, rhs)
            case ir.Pass():
                return isinstance(p, ast.Pass)

    def choice(self, p: ast.expr, op: str, place: ir.Read, rhs: ir.Expr) -> bool:
        """Whether a fragment is the right side of the reduction `x = min(x, e)` or `x = max(x, e)`."""
        return isinstance(p, ast.Call) and _spelled(p.func, op) and self.dims(p.args, (place, rhs))

    def block(self, ps: Sequence[ast.stmt], block: Sequence[ir.Stmt]) -> bool:
        """Whether fragments match a whole block; one `_` matches any."""
        if len(ps) == 1 and isinstance(ps[0], ast.Expr) and is_hole(ps[0].value):
            return True
        return len(ps) == len(block) and all(self.stmt(p, s) for p, s in zip(ps, block, strict=True))

    def range(self, p: ast.expr, s: ir.For) -> bool:
        if is_hole(p):
            return True
        return isinstance(p, ast.Call) and _spelled(p.func, s.mode) and self.dims(p.args, (s.lo, s.hi))

    def branches(self, p: ast.If, s: ir.If) -> bool:
        """A fragment without an else matches with and without one."""
        return self.block(p.body, s.body) and (not p.orelse or (bool(s.orelse) and self.block(p.orelse, s.orelse)))

    def type(self, p: ast.expr, s: ir.Alloc) -> bool:
        if isinstance(p, ast.BinOp):
            return _spelled(p.right, s.mem.name) and self.type(p.left, s)
        if isinstance(p, ast.Subscript):
            if not isinstance(s.type, Tensor):
                return False
            return _scalar(p.value, s.type.base) and self.dims(_parts(p.slice), s.type.shape)
        return is_hole(p) or (isinstance(s.type, Scalar) and _scalar(p, s.type))


def _same_extern(p: ast.expr, f: object) -> bool:
    return isinstance(p, ast.Name) and DEFAULT_ENV.get(p.id) == f
