"""Procedures: from Python syntax to the tree.

Names become variables here, types are checked here; bounds, assertions and aliasing are checked
afterwards, on the tree (`checks.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pyrsistent import pmap, pvector

from ..ir import build as b
from ..ir.cells import has_cells, steadied
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
    ViewExpr,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from ..ir.precisions import element
from ..ir.reductions import CALLED
from ..ir.types import CONTROLS, SCALARS, Control, R, Scalar, Tensor, Type, f32, index
from ..ir.walk import Path, walk
from .errors import ObjectTypeError, ParseError, Place, ScopeError
from .exprs import ExprParser, as_data, describe, is_bool_type, is_int_type
from .matching import OPERATIONS
from .scope import Given, Scope, near_names
from .short_forms import MOST_NODES, changing, constant, counted, iterations, negative, signed
from .source import Source, parse_python
from .words import MODES

_REDUCTIONS: Final[Mapping[type[ast.operator], str]] = {ast.Add: "+", ast.Mult: "*"}
_UPDATES: Final[tuple[type[ast.AST], ...]] = (ast.Sub, ast.Div, ast.Pow, *OPERATIONS)

FLAG = "put what is left under `if stop == 0:`, with a flag `stop: u8` that is set to 1"
INSTEAD: Final[dict[type[ast.stmt], str]] = {
    ast.Break: f"To leave a loop early, {FLAG}",
    ast.Continue: "For the rest of an iteration, use the other side of the `if`",
    ast.While: f"Loop to a bound, and {FLAG}",
    ast.Return: "A procedure returns nothing: write to an argument",
}
"""What to write for a statement of Python that the object language lacks."""


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

    def exprs(self, scope: Scope, asserts: bool = False) -> ExprParser:
        return ExprParser(scope, self.source, asserts)

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
        scope = replace(scope, assigned=pmap(_assigned(fn)))
        body = [s for s in fn.body if not _is_docstring(s)]
        preds: list[Expr] = []
        while body and isinstance(body[0], ast.Assert):
            self.places[(("preds", len(preds)),)] = self.source.place(body[0])
            preds.append(self.exprs(scope, asserts=True).assertion(body[0].test))
            body = body[1:]
        stmts = self.block(body, scope, (), "body") if body else [Pass()]
        self.places[()] = self.source.place(fn)
        tree = ProcDef(fn.name, pvector(args), pvector(preds), pvector(stmts), instr, self.next_id)
        return steadied(tree) if has_cells(tree) else tree

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
                extents = pvector(self.exprs(scope).integer(d) for d in dims)
                return Tensor(base, extents, window)
        near = near_names(node.id, [*CONTROLS, *SCALARS]) if isinstance(node, ast.Name) else ""
        self.source.fail(ParseError, node, f"this is no type: write size, index, f32, f32[n, m], [f32][n, m] ..{near}")

    # -- statements -------------------------------------------------------------------------------

    def block(self, stmts: Sequence[ast.stmt], scope: Scope, path: Path, label: str) -> list[Stmt]:
        out: list[Stmt] = []
        for s in stmts:
            here = (*path, (label, len(out)))
            made, scope = self.stmt(s, scope, here)
            for k in range(len(out), len(out) + len(made)):
                self.places[(*path, (label, k))] = self.source.place(s)
            out += made
        if stmts and not out:  # names for control values leave no statement
            self.places[(*path, (label, 0))] = self.source.place(stmts[0])
            return [Pass()]
        return out

    def stmt(self, s: ast.stmt, scope: Scope, path: Path) -> tuple[list[Stmt], Scope]:
        """What a statement becomes, its first part at `path`, and the scope after it."""
        match s:
            case ast.For():
                return [self.loop(s, scope, path)], scope
            case ast.If():
                cond = self.exprs(scope).condition(s.test)
                body = self.block(s.body, scope, path, "body")
                orelse = self.block(s.orelse, scope, path, "orelse")
                return [If(cond, pvector(body), pvector(orelse))], scope
            case ast.AnnAssign():
                return self.alloc(s, scope)
            case ast.Assign():
                if len(s.targets) != 1:
                    self.source.fail(ParseError, s, "assign to one target at a time")
                return self.assign(s.targets[0], s.value, scope)
            case ast.AugAssign():
                return [self.update(s, scope)], scope
            case ast.Expr(value=ast.Call() as call):
                return [self.call(call, scope)], scope
            case ast.Pass():
                return [Pass()], scope
            case ast.Assert():
                self.source.fail(ParseError, s, "assertions stand at the top of a procedure, before its statements")
            case _:
                what = "assignments, reductions, allocations, windows, calls, for, if and pass"
                instead = f" {INSTEAD[type(s)]}" if type(s) in INSTEAD else ""
                self.source.fail(ParseError, s, f"the object language has no such statement, only {what}.{instead}")

    def loop(self, s: ast.For, scope: Scope, path: Path) -> For:
        if not isinstance(s.target, ast.Name) or s.orelse:
            self.source.fail(ParseError, s, "a loop is `for i in seq(lo, hi):`, without an else")
        it = s.iter
        if not isinstance(it, ast.Call) or not isinstance(it.func, ast.Name) or it.func.id not in MODES:
            self.source.fail(ParseError, s.iter, "a loop's range is seq(lo, hi), par(lo, hi) or vec(lo, hi)")
        if len(it.args) not in (2, 3) or it.keywords:
            what = f"{it.func.id} takes two arguments, the first iteration and one past the last, and may take a step"
            self.source.fail(ParseError, it, what)
        exprs, name = self.exprs(scope), s.target.id
        lo, hi = exprs.integer(it.args[0]), exprs.integer(it.args[1])
        step = self.step(it.args[2], scope) if len(it.args) == 3 else 1
        i = self.fresh(name)
        if step == 1:
            inner = scope.bind(name, i, index)
        else:
            self.steady(it.args[0], lo, "of a loop with a step the start is put in where the index is used")
            inner = scope.give(name, Given(counted(lo, step, i), index, "the index of a loop"))
            lo, hi = b.ZERO, iterations(lo, hi, step)
        return For(i, lo, hi, pvector(self.block(s.body, inner, path, "body")), it.func.id)

    def step(self, node: ast.expr, scope: Scope) -> int:
        """The step of a loop."""
        step = constant(self.exprs(scope).integer(node))
        if step is None:
            what = "the step of a loop is a literal, or a constant of the Python program: it multiplies the counter"
            self.source.fail(ObjectTypeError, node, what)
        if step == 0:
            what = "a step of 0 gets nowhere: a step is 1 or more, or for a loop that falls -1 or less"
            self.source.fail(ObjectTypeError, node, what)
        return step

    def alloc(self, s: ast.AnnAssign, scope: Scope) -> tuple[list[Stmt], Scope]:
        """An allocation, and the assignment of its value if it has one. As in Python, the value is evaluated first: the
        new name does not stand in it."""
        if not isinstance(s.target, ast.Name):
            self.source.fail(ParseError, s, "an allocation is `name: type @ MEM`, or `name: type @ MEM = value`")
        name = s.target.id
        t, mem = self.annotation(s, s.annotation, scope)
        if isinstance(t, Control) or mem is None:
            hint = "" if s.value is None else f"; write `{name} = {self.source.text(s.value)}`, which names the value"
            self.source.fail(ObjectTypeError, s, f"only data can be allocated, not control values{hint}")
        if isinstance(t, Tensor) and t.window:
            self.source.fail(ObjectTypeError, s, "a window is made by `w = x[lo:hi]`, not allocated")
        if isinstance(t, Tensor) and s.value is not None:
            what = f"{name} is {describe(t)}: only a scalar is allocated with a value"
            self.source.fail(ObjectTypeError, s.value, f"{what}; assign its elements in a loop")
        value = None if s.value is None else self.exprs(scope).data(s.value)
        sym = self.fresh(name)
        made: list[Stmt] = [Alloc(sym, t, mem)]
        if value is not None:
            made.append(Assign(sym, pvector(), value))
        return made, scope.bind(name, sym, t)

    def assign(self, target: ast.expr, value: ast.expr, scope: Scope) -> tuple[list[Stmt], Scope]:
        exprs = self.exprs(scope)
        if isinstance(target, ast.Attribute):
            return [self.write_config(target, value, scope)], scope
        known = scope.sym(target.id) if isinstance(target, ast.Name) else None
        free = isinstance(target, ast.Name) and known is None and target.id not in scope.given
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in CALLED and not free:
            return [self.choice(target, value, value.func.id, scope)], scope
        if isinstance(target, ast.Name):
            e, t = self.reshaped(value, scope) or exprs.expr(value)
            if isinstance(e, WindowExpr | ViewExpr) and (free or (known and isinstance(scope.type(known), Tensor))):
                assert isinstance(t, Tensor)
                sym = self.fresh(target.id)
                return [WindowDef(sym, e)], scope.bind(target.id, sym, t)
            if isinstance(t, Control) and free:
                return [], scope.give(target.id, self.given(value, e, t))
        sym, idx = self.destination(target, scope, value)
        return [Assign(sym, pvector(idx), exprs.data(value))], scope

    def reshaped(self, node: ast.expr, scope: Scope) -> tuple[Expr, Type] | None:
        """`x.view(n, m)`, if that is what is written: a buffer with other extents."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "view":
            return None
        exprs = self.exprs(scope)
        sym, t = exprs.buffer(node.func.value, "`.view(..)`")
        if not isinstance(t, Tensor) or t.window:
            what = f"{sym} is {describe(t)}: only a dense tensor has other extents"
            self.source.fail(ObjectTypeError, node, what)
        if not node.args or node.keywords:
            self.source.fail(ParseError, node, f"the new extents stand in the parentheses: {sym}.view(n, m)")
        shape = pvector(exprs.integer(x) for x in node.args)
        return ViewExpr(sym, len(t.shape), shape), Tensor(t.base, shape, False)

    def given(self, node: ast.expr, e: Expr, t: Control) -> Given:
        """What a name stands for that is given a control value."""
        self.steady(node, e, "what is given a name is put in where the name is used")
        if sum(1 for _ in walk(e)) > MOST_NODES:
            what = "this value has become very long, as it is put in where the name is used: write a part of it there"
            self.source.fail(ParseError, node, what)
        return Given(e, t, f"a control value, given in line {self.source.place(node).line}")

    def steady(self, node: ast.expr, e: Expr, what: str) -> None:
        """Refuse a control value that is put in elsewhere, and need not be the same there."""
        why = changing(e)
        if why is not None:
            message = f"{what}, so it must be the same there; this depends on {why}: write it where it is used"
            self.source.fail(ObjectTypeError, node, message)

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

    def destination(
        self, target: ast.expr, scope: Scope, value: ast.expr | None = None
    ) -> tuple[Sym, list[Expr]]:
        """The buffer and indices that are written; `value` helps to say what is missing."""
        exprs = self.exprs(scope)
        if isinstance(target, ast.Name):
            if (given := scope.given.get(target.id)) is not None:
                hint = "a name for a control value is given one once, so take another name; data is declared as in"
                self.source.fail(ObjectTypeError, target, f"{target.id} is {given.what}: {hint} `{target.id}: f32`")
            if scope.sym(target.id) is None and target.id not in scope.env:
                t = exprs.expr(value)[1] if value is not None else R
                held = t if isinstance(t, Scalar) and t != R else f32
                near = near_names(target.id, scope.names) or f"; declare it first: `{target.id}: {held}`"
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

    def update(self, s: ast.AugAssign, scope: Scope) -> Stmt:
        """`x += e` and the like: a reduction, or else the assignment of `x / e`."""
        if not isinstance(s.op, (*_REDUCTIONS, *_UPDATES)):
            what = "a reduction is `x += e`, `x -= e`, `x *= e`, `x = min(x, e)` or `x = max(x, e)`"
            self.source.fail(ParseError, s, f"{what}; `x /= e`, `x ^= e` and the like are assignments")
        sym, idx = self.destination(s.target, scope)
        exprs, base = self.exprs(scope), element(scope.type(sym))
        op = _REDUCTIONS.get(type(s.op))
        if op is not None:
            return Reduce(sym, pvector(idx), exprs.data(s.value), op)
        if isinstance(s.op, ast.Sub) and not base.name.startswith("u"):  # unsigned numbers have no negative
            return Reduce(sym, pvector(idx), negative(signed(exprs.data(s.value), base, scope.types)))
        value = ast.copy_location(ast.BinOp(s.target, s.op, s.value), s)
        return Assign(sym, pvector(idx), exprs.data(value))

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
        e, t = replace(exprs, cells=isinstance(want, Control)).expr(node)
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


def _assigned(fn: ast.FunctionDef) -> dict[str, int]:
    """The names to which a function gives values, each with the first line."""
    named = (n for s in fn.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return {n.id: n.lineno for n in sorted(named, key=lambda n: -n.lineno)}


def _is_docstring(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str)


def functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """The function definitions at the top of a module."""
    return (s for s in module.body if isinstance(s, ast.FunctionDef))
