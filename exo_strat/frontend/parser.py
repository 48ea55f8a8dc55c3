"""Procedures: from Python syntax to the tree.

Names become variables here, types are checked here; bounds, assertions and aliasing are checked
afterwards, on the tree (`checks.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyrsistent import pmap, pvector

from ..ir.memory import DRAM, Memory
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Call,
    Callee,
    Expr,
    For,
    If,
    Instr,
    Pass,
    ProcDef,
    Read,
    Reduce,
    Stmt,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from ..ir.reductions import CALLED
from ..ir.types import CONTROLS, SCALARS, Control, Scalar, Tensor, Type, index
from ..ir.walk import Path
from .errors import ObjectTypeError, ParseError, Place, ScopeError
from .exprs import ExprParser, as_data, describe, is_bool_type, is_int_type
from .scope import Scope, near_names
from .source import Source, parse_python
from .words import MODES

_INSTEAD: Final[Mapping[type[ast.operator], str]] = {
    ast.Sub: "; write `x += -e` for `x -= e`",
    ast.Div: "; write `x = x / e` for `x /= e`",
}
_REDUCTIONS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Mult: "*"}


@dataclass
class ProcParser:
    """Parses one procedure. Numbers variables in textual order; remembers where statements stood."""

    env: Mapping[str, object]
    source: Source
    places: dict[Path, Place] = field(default_factory=dict)
    next_id: int = 0

    def fresh(self, name: str) -> Sym:
        self.next_id += 1
        return Sym(name, self.next_id - 1)

    def exprs(self, scope: Scope, products: bool = False) -> ExprParser:
        return ExprParser(scope, self.source, products)

    # -- the procedure ----------------------------------------------------------------------------

    def procedure(self, fn: ast.FunctionDef, instr: Instr | None) -> ProcDef:
        a = fn.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.defaults or a.posonlyargs:
            self.source.fail(ParseError, fn, "arguments of a procedure are plain: no defaults, no stars")
        if fn.returns is not None and not (isinstance(fn.returns, ast.Constant) and fn.returns.value is None):
            self.source.fail(ParseError, fn.returns, "a procedure returns nothing: it writes its arguments")
        scope = Scope(pmap(), pmap(), self.env)
        args: list[Arg] = []
        for i, arg in enumerate(a.args):
            self.places[(("args", i),)] = self.source.place(arg)
            t, mem = self.annotation(arg, arg.annotation, scope)
            if scope.sym(arg.arg) is not None:
                self.source.fail(ParseError, arg, f"two arguments are called {arg.arg}")
            sym = self.fresh(arg.arg)
            args.append(Arg(sym, t, mem))
            scope = scope.bind(arg.arg, sym, t)
        body = [s for s in fn.body if not _is_docstring(s)]
        preds: list[Expr] = []
        while body and isinstance(body[0], ast.Assert):
            self.places[(("preds", len(preds)),)] = self.source.place(body[0])
            preds.append(self.exprs(scope, products=True).condition(body[0].test))
            body = body[1:]
        stmts = self.block(body, scope, (), "body") if body else [Pass()]
        self.places[()] = self.source.place(fn)
        return ProcDef(fn.name, pvector(args), pvector(preds), pvector(stmts), instr, self.next_id)

    def annotation(self, at: ast.AST, node: ast.expr | None, scope: Scope) -> tuple[Type, Memory | None]:
        """The type and memory that `T @ MEM` means."""
        if node is None:
            self.source.fail(ParseError, at, "every argument and allocation needs a type")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = self.quoted(node, node.value)
        mem: Memory | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            mem = self.memory(node.right)
            node = node.left
        t = self.type(node, scope)
        if isinstance(t, Control):
            if mem is not None:
                self.source.fail(ObjectTypeError, node, "a control argument lives in no memory")
            return t, None
        return t, mem or DRAM

    def quoted(self, node: ast.expr, text: str) -> ast.expr:
        """The annotation in a string, standing where the string does."""
        try:
            inner = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            self.source.fail(ParseError, node, f"{text!r} is no type")
        for n in ast.walk(inner):
            ast.copy_location(n, node)
        return inner

    def memory(self, node: ast.expr) -> Memory:
        name = node.id if isinstance(node, ast.Name) else ""
        found = self.env.get(name)
        if not isinstance(found, Memory):
            near = near_names(name, [k for k, v in self.env.items() if isinstance(v, Memory)])
            if isinstance(found, type):
                near = f"; {name} is a class, a memory is a value: {name} = Memory({name!r})"
            self.source.fail(ParseError, node, f"after @ stands the name of a memory, such as DRAM{near}")
        return found

    def type(self, node: ast.expr, scope: Scope) -> Type:
        if isinstance(node, ast.Name):
            known = CONTROLS.get(node.id) or SCALARS.get(node.id)
            if known is not None:
                return known
            value = self.env.get(node.id)
            if isinstance(value, Scalar | Control):
                return value
        if isinstance(node, ast.Subscript):
            inside = node.value.elts if isinstance(node.value, ast.List) else []
            window = len(inside) == 1
            base = self.type(inside[0] if window else node.value, scope)
            if isinstance(base, Scalar):
                dims = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                if not dims:
                    self.source.fail(ParseError, node, f"a tensor has an extent, as in {base}[8]; a scalar is {base}")
                extents = pvector(self.exprs(scope, products=True).integer(d) for d in dims)
                return Tensor(base, extents, window)
        near = near_names(node.id, [*CONTROLS, *SCALARS]) if isinstance(node, ast.Name) else ""
        self.source.fail(ParseError, node, f"this is no type: write size, index, f32, f32[n, m], [f32][n, m] ..{near}")

    # -- statements -------------------------------------------------------------------------------

    def block(self, stmts: Sequence[ast.stmt], scope: Scope, path: Path, label: str) -> list[Stmt]:
        out: list[Stmt] = []
        for s in stmts:
            here = (*path, (label, len(out)))
            self.places[here] = self.source.place(s)
            stmt, scope = self.stmt(s, scope, here)
            out.append(stmt)
        return out

    def stmt(self, s: ast.stmt, scope: Scope, path: Path) -> tuple[Stmt, Scope]:
        match s:
            case ast.For():
                return self.loop(s, scope, path), scope
            case ast.If():
                cond = self.exprs(scope).condition(s.test)
                body = self.block(s.body, scope, path, "body")
                orelse = self.block(s.orelse, scope, path, "orelse")
                return If(cond, pvector(body), pvector(orelse)), scope
            case ast.AnnAssign():
                return self.alloc(s, scope)
            case ast.Assign():
                if len(s.targets) != 1:
                    self.source.fail(ParseError, s, "assign to one target at a time")
                return self.assign(s.targets[0], s.value, scope)
            case ast.AugAssign():
                return self.reduction(s, scope), scope
            case ast.Expr(value=ast.Call() as call):
                return self.call(call, scope), scope
            case ast.Pass():
                return Pass(), scope
            case ast.Assert():
                self.source.fail(ParseError, s, "assertions stand at the top of a procedure, before its statements")
            case _:
                what = "assignments, reductions, allocations, windows, calls, for, if and pass"
                self.source.fail(ParseError, s, f"the object language has no such statement, only {what}")

    def loop(self, s: ast.For, scope: Scope, path: Path) -> For:
        if not isinstance(s.target, ast.Name) or s.orelse:
            self.source.fail(ParseError, s, "a loop is `for i in seq(lo, hi):`, without an else")
        it = s.iter
        if not isinstance(it, ast.Call) or not isinstance(it.func, ast.Name) or it.func.id not in MODES:
            self.source.fail(ParseError, s.iter, "a loop's range is seq(lo, hi), par(lo, hi) or vec(lo, hi)")
        if len(it.args) != 2 or it.keywords:
            what = f"{it.func.id} takes two arguments: the first iteration and one past the last"
            self.source.fail(ParseError, it, what)
        exprs = self.exprs(scope)
        lo, hi = exprs.integer(it.args[0]), exprs.integer(it.args[1])
        i = self.fresh(s.target.id)
        body = self.block(s.body, scope.bind(s.target.id, i, index), path, "body")
        return For(i, lo, hi, pvector(body), it.func.id)

    def alloc(self, s: ast.AnnAssign, scope: Scope) -> tuple[Stmt, Scope]:
        if not isinstance(s.target, ast.Name) or s.value is not None:
            self.source.fail(ParseError, s, "an allocation is `name: type @ MEM`; it takes no value")
        t, mem = self.annotation(s, s.annotation, scope)
        if isinstance(t, Control) or mem is None:
            self.source.fail(ObjectTypeError, s, "only data can be allocated, not control values")
        if isinstance(t, Tensor) and t.window:
            self.source.fail(ObjectTypeError, s, "a window is made by `w = x[lo:hi]`, not allocated")
        sym = self.fresh(s.target.id)
        return Alloc(sym, t, mem), scope.bind(s.target.id, sym, t)

    def assign(self, target: ast.expr, value: ast.expr, scope: Scope) -> tuple[Stmt, Scope]:
        exprs = self.exprs(scope)
        if isinstance(target, ast.Attribute):
            return self.write_config(target, value, scope), scope
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in CALLED:
            return self.choice(target, value, value.func.id, scope), scope
        if isinstance(target, ast.Name):
            known = scope.sym(target.id)
            e, t = exprs.expr(value)
            if isinstance(e, WindowExpr) and (known is None or isinstance(scope.type(known), Tensor)):
                assert isinstance(t, Tensor)
                sym = self.fresh(target.id)
                return WindowDef(sym, e), scope.bind(target.id, sym, t)
        sym, idx = self.destination(target, scope)
        return Assign(sym, pvector(idx), exprs.data(value)), scope

    def choice(self, target: ast.expr, call: ast.Call, op: str, scope: Scope) -> Reduce:
        """The reduction `x = min(x, e)` or `x = max(x, e)`."""
        exprs = self.exprs(scope)
        sym, idx = self.destination(target, scope)
        if len(call.args) != 2 or call.keywords or exprs.expr(call.args[0])[0] != Read(sym, pvector(idx)):
            what = f"{op} is a reduction: `x = {op}(x, e)`, with what is written as its first argument"
            self.source.fail(ParseError, call, f"{what}; of any two values, take f{op}")
        return Reduce(sym, pvector(idx), exprs.data(call.args[1]), op)

    def write_config(self, target: ast.Attribute, value: ast.expr, scope: Scope) -> WriteConfig:
        exprs = self.exprs(scope)
        config, name = exprs.config_field(target)
        e, t = exprs.expr(value)
        want = config.fields[name]
        data = as_data(e, t) if isinstance(want, Scalar) else None
        fits = is_bool_type(t) if is_bool_type(want) else is_int_type(t)
        if isinstance(want, Scalar) and data is not None:
            return WriteConfig(config, name, data)
        if isinstance(want, Scalar) or not fits:
            self.source.fail(ObjectTypeError, value, f"{config.name}.{name} holds {describe(want)}, not {describe(t)}")
        return WriteConfig(config, name, e)

    def destination(self, target: ast.expr, scope: Scope) -> tuple[Sym, list[Expr]]:
        """The buffer and indices that are written."""
        exprs = self.exprs(scope)
        if isinstance(target, ast.Name):
            if scope.sym(target.id) is None and target.id not in scope.env:
                near = near_names(target.id, scope.names) or f"; declare it first: `{target.id}: f32`"
                self.source.fail(ScopeError, target, f"{target.id!r} means nothing here{near}")
            sym, t = exprs.buffer(target, "an assignment")
            if not isinstance(t, Scalar):
                self.source.fail(ObjectTypeError, target, f"{sym} is {describe(t)}: this cannot be assigned as a whole")
            return sym, []
        if isinstance(target, ast.Subscript):
            e, t = exprs.subscript(target)
            if isinstance(e, Read) and isinstance(t, Scalar):
                return e.sym, list(e.idx)
            self.source.fail(ObjectTypeError, target, "one element at a time can be assigned, not a window")
        self.source.fail(ParseError, target, "assign to a scalar, an element or a config field")

    def reduction(self, s: ast.AugAssign, scope: Scope) -> Reduce:
        op = _REDUCTIONS.get(type(s.op))
        if op is None:
            instead = _INSTEAD.get(type(s.op), "")
            what = "a reduction is `x += e`, `x *= e`, `x = min(x, e)` or `x = max(x, e)`"
            self.source.fail(ParseError, s, what + instead)
        sym, idx = self.destination(s.target, scope)
        return Reduce(sym, pvector(idx), self.exprs(scope).data(s.value), op)

    # -- calls ------------------------------------------------------------------------------------

    def call(self, node: ast.Call, scope: Scope) -> Call:
        if not isinstance(node.func, ast.Name) or node.keywords:
            self.source.fail(ParseError, node, "a call is a name with arguments by position")
        f = self.env.get(node.func.id)
        tree = getattr(f, "tree", None)
        if f is None:
            procs = [k for k, v in self.env.items() if hasattr(v, "tree")]
            self.source.fail(ScopeError, node, f"{node.func.id!r} means nothing here{near_names(node.func.id, procs)}")
        if not isinstance(tree, ProcDef):
            self.source.fail(ObjectTypeError, node, f"{node.func.id!r} is no procedure that could be called")
        if len(node.args) != len(tree.args):
            what = f"{tree.name} takes {len(tree.args)} arguments, not {len(node.args)}"
            self.source.fail(ObjectTypeError, node, what)
        args = [self.actual(x, formal, scope) for x, formal in zip(node.args, tree.args, strict=True)]
        return Call(f, pvector(args))  # type: ignore[arg-type]

    def actual(self, node: ast.expr, formal: Arg, scope: Scope) -> Expr:
        exprs = self.exprs(scope)
        want = formal.type
        e, t = exprs.expr(node)
        if isinstance(want, Tensor):
            if not isinstance(t, Tensor) or len(t.shape) != len(want.shape):
                self.source.fail(ObjectTypeError, node, f"{formal.sym} must be {describe(want)}, not {describe(t)}")
            if not want.window and (t.window or isinstance(e, WindowExpr)):
                self.source.fail(ObjectTypeError, node, f"{formal.sym} must be a whole dense tensor, not a window")
            return e
        if isinstance(want, Scalar):
            return exprs.data(node)
        if is_bool_type(want) != is_bool_type(t) or not isinstance(t, Control):
            self.source.fail(ObjectTypeError, node, f"{formal.sym} must be {describe(want)}, not {describe(t)}")
        return e


def parse_call(callee: Callee, args: Sequence[str], scope: Scope) -> Call:
    """A call with its arguments given as text. Raises a `FrontendError` if they do not fit."""
    name = callee.tree.name
    source = Source("<text>", (f"{name}({', '.join(args)})",))
    match parse_python(source, ParseError).body:
        case [ast.Expr(value=ast.Call() as node)]:
            return ProcParser({name: callee}, source).call(node, scope)
        case _:
            raise ParseError("the arguments of a call are needed here", source.at(1, 0))


def _is_docstring(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str)


def functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """The function definitions at the top of a module."""
    return (s for s in module.body if isinstance(s, ast.FunctionDef))
