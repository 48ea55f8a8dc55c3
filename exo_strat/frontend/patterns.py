"""Patterns: object code with holes, matched against trees. Imports `ir`, scopes and errors.

`_` matches any expression, block, name or list of indices; `#n` at the end picks the n-th match,
from 0. Names match by their readable spelling.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from ..ir import nodes as ir
from ..ir.names import Sym
from ..ir.types import Control
from ..ir.walk import Path, get, walk
from .errors import PatternError, Place

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip


@dataclass(frozen=True)
class NodeAt:
    """A match: one statement or expression."""

    path: Path


@dataclass(frozen=True)
class BlockAt:
    """A match: positions lo..hi-1 of the list `label` of the node at `parent`."""

    parent: Path
    label: str
    lo: int
    hi: int


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern: statements, or one expression."""

    text: str
    stmts: tuple[ast.stmt, ...] = field(compare=False, repr=False)
    nth: int | None

    def matches(self, tree: ir.Node, root: Path = ()) -> Iterator[NodeAt | BlockAt]:
        """Matches at and below the node at `root`, in textual order."""
        return self._pick(self._below(tree, root))

    def matches_block(self, tree: ir.Node, parent: Path, label: str, lo: int, hi: int) -> Iterator[NodeAt | BlockAt]:
        """Matches within a run of statements, in textual order."""

        def found() -> Iterator[NodeAt | BlockAt]:
            if len(self.stmts) > 1:
                yield from self._runs(tree, parent, label, lo, hi)
            for i in range(lo, hi):
                yield from self._below(tree, (*parent, (label, i)))

        return self._pick(found())

    def _pick(self, found: Iterator[NodeAt | BlockAt]) -> Iterator[NodeAt | BlockAt]:
        return found if self.nth is None else islice(found, self.nth, self.nth + 1)

    def _expr(self) -> ast.expr | None:
        s = self.stmts[0]
        if len(self.stmts) == 1 and isinstance(s, ast.Expr) and not _is_call_stmt(s.value):
            return s.value
        return None

    def _below(self, tree: ir.Node, root: Path) -> Iterator[NodeAt | BlockAt]:
        e = self._expr()
        for path, node in walk(get(tree, root), root):
            if e is not None:
                if isinstance(node, ir.Expr) and _expr(e, node):
                    yield NodeAt(path)
            elif len(self.stmts) == 1:
                if isinstance(node, ir.Stmt) and _stmt(self.stmts[0], node):
                    yield NodeAt(path)
            else:
                for label in ("body", "orelse"):
                    if hasattr(node, label):
                        yield from self._runs(tree, path, label, 0, len(getattr(node, label)))

    def _runs(self, tree: ir.Node, parent: Path, label: str, lo: int, hi: int) -> Iterator[BlockAt]:
        block = getattr(get(tree, parent), label)
        n = len(self.stmts)
        for i in range(lo, hi - n + 1):
            if all(_stmt(p, s) for p, s in zip(self.stmts, block[i : i + n], strict=True)):
                yield BlockAt(parent, label, i, i + n)


def _is_call_stmt(e: ast.expr) -> bool:
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id != "stride"


def _hole(e: ast.AST | None) -> bool:
    return isinstance(e, ast.Name) and e.id == "_"


def _name(p: ast.expr | str, sym: Sym) -> bool:
    text = p if isinstance(p, str) else p.id if isinstance(p, ast.Name) else None
    return text is not None and (text in ("_", sym.name))


def _indices(p: ast.expr) -> list[ast.expr]:
    return list(p.elts) if isinstance(p, ast.Tuple) else [p]


def _list(ps: Sequence[ast.expr], es: Sequence[Any]) -> bool:
    if len(ps) == 1 and _hole(ps[0]):
        return True
    return len(ps) == len(es) and all(_dim(p, e) for p, e in zip(ps, es, strict=True))


def _dim(p: ast.expr, e: ir.Expr | ir.WinDim) -> bool:
    if _hole(p):
        return True
    if isinstance(e, ir.Interval):
        return isinstance(p, ast.Slice) and _bound(p.lower, e.lo) and _bound(p.upper, e.hi)
    return _expr(p, e.pt if isinstance(e, ir.Point) else e)


def _bound(p: ast.expr | None, e: ir.Expr) -> bool:
    return p is None or _expr(p, e)


def _target(p: ast.expr, sym: Sym, idx: Sequence[Any]) -> bool:
    if isinstance(p, ast.Name):
        return _name(p, sym)
    return isinstance(p, ast.Subscript) and _name(p.value, sym) and bool(idx) and _list(_indices(p.slice), idx)


def _constant(p: ast.expr) -> object:
    if isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub) and isinstance(p.operand, ast.Constant):
        value = p.operand.value
        return -value if isinstance(value, int | float) else None
    return p.value if isinstance(p, ast.Constant) else None


def _expr(p: ast.expr, e: ir.Expr) -> bool:
    if _hole(p):
        return True
    match e:
        case ir.Var(sym=s):
            return isinstance(p, ast.Name) and _name(p, s)
        case ir.Read(sym=s, idx=idx) | ir.WindowExpr(sym=s, idx=idx):
            return _target(p, s, idx)
        case ir.Const(value=v, type=t):
            c = _constant(p)
            same_kind = isinstance(c, bool) == isinstance(v, bool) and not (
                isinstance(c, float) and isinstance(t, Control)
            )
            return c is not None and same_kind and c == v
        case ir.Unary(op=op, arg=a):
            wanted = ast.Not if op == "not" else ast.USub
            return isinstance(p, ast.UnaryOp) and isinstance(p.op, wanted) and _expr(p.operand, a)
        case ir.Binary(op=op, lhs=x, rhs=y):
            parts = _binary(p)
            return parts is not None and parts[0] == op and _expr(parts[1], x) and _expr(parts[2], y)
        case ir.ExternCall(f=f, args=args):
            return isinstance(p, ast.Call) and _spelled(p.func, f.name) and _list(p.args, args)
        case ir.StrideExpr(sym=s, dim=d):
            if not (isinstance(p, ast.Call) and _spelled(p.func, "stride") and len(p.args) == 2):
                return False
            return _name(p.args[0], s) and (_hole(p.args[1]) or _constant(p.args[1]) == d)
        case ir.ReadConfig(config=c, field=f):
            return _field(p, c.name, f)


def _binary(p: ast.expr) -> tuple[str, ast.expr, ast.expr] | None:
    if isinstance(p, ast.BinOp):
        return _BINARY.get(type(p.op), "?"), p.left, p.right
    if isinstance(p, ast.Compare) and len(p.ops) == 1:
        return _BINARY.get(type(p.ops[0]), "?"), p.left, p.comparators[0]
    if isinstance(p, ast.BoolOp):
        *first, last = p.values
        left = first[0] if len(first) == 1 else ast.BoolOp(p.op, list(first))
        return _BINARY[type(p.op)], left, last
    return None


def _spelled(p: ast.expr, name: str) -> bool:
    return isinstance(p, ast.Name) and p.id in ("_", name)


def _field(p: ast.expr, config: str, field: str) -> bool:
    return isinstance(p, ast.Attribute) and _spelled(p.value, config) and p.attr in ("_", field)


def _block(ps: Sequence[ast.stmt], block: Sequence[ir.Stmt]) -> bool:
    if len(ps) == 1 and isinstance(ps[0], ast.Expr) and _hole(ps[0].value):
        return True
    return len(ps) == len(block) and all(_stmt(p, s) for p, s in zip(ps, block, strict=True))


def _stmt(p: ast.stmt, s: ir.Stmt) -> bool:
    if isinstance(p, ast.Expr) and _hole(p.value):
        return True
    match s:
        case ir.Assign(sym=sym, idx=idx, rhs=rhs):
            return isinstance(p, ast.Assign) and _target(p.targets[0], sym, idx) and _expr(p.value, rhs)
        case ir.Reduce(sym=sym, idx=idx, rhs=rhs, op=op):
            same = isinstance(p, ast.AugAssign) and _BINARY.get(type(p.op)) == op
            return same and _target(p.target, sym, idx) and _expr(p.value, rhs)  # type: ignore[attr-defined]
        case ir.For():
            return isinstance(p, ast.For) and _name(p.target, s.iter) and _range(p.iter, s) and _block(p.body, s.body)
        case ir.If():
            return isinstance(p, ast.If) and _expr(p.test, s.cond) and _branches(p, s)
        case ir.Alloc(sym=sym):
            return isinstance(p, ast.AnnAssign) and _name(p.target, sym)
        case ir.WindowDef(sym=sym, rhs=rhs):
            return isinstance(p, ast.Assign) and _name(p.targets[0], sym) and _expr(p.value, rhs)
        case ir.Call(f=f, args=args):
            call = p.value if isinstance(p, ast.Expr) else None
            return isinstance(call, ast.Call) and _spelled(call.func, f.tree.name) and _list(call.args, args)
        case ir.WriteConfig(config=c, field=f, rhs=rhs):
            return isinstance(p, ast.Assign) and _field(p.targets[0], c.name, f) and _expr(p.value, rhs)
        case ir.Pass():
            return isinstance(p, ast.Pass)


def _range(p: ast.expr, s: ir.For) -> bool:
    if _hole(p):
        return True
    return isinstance(p, ast.Call) and _spelled(p.func, s.mode) and _list(p.args, (s.lo, s.hi))


def _branches(p: ast.If, s: ir.If) -> bool:
    return _block(p.body, s.body) and (not p.orelse or (bool(s.orelse) and _block(p.orelse, s.orelse)))


_NTH = re.compile(r"\s*#\s*(\d+)\s*$")


@lru_cache(maxsize=4096)
def parse_pattern(text: str) -> Pattern:
    """A pattern from its text."""
    m = _NTH.search(text)
    body = text[: m.start()] if m else text
    try:
        stmts = ast.parse(body.strip()).body
    except SyntaxError as e:
        raise PatternError(f"not a pattern: {e.msg}", Place("<pattern>", 1, text, (e.offset or 1) - 1)) from None
    if not stmts:
        raise PatternError("an empty pattern matches nothing", Place("<pattern>", 1, text, 0))
    return Pattern(text, tuple(stmts), int(m[1]) if m else None)
