"""Printing: legal object code that reads back as the same tree, with readable names.

The generator below draws trees that are well scoped and well typed, else anything goes: names are
few, so that they clash; nesting is free, so that precedence matters.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrsistent import pmap, pvector

from exo_strat.frontend.decorators import DEFAULT_ENV, proc_from_source, reparse_env
from exo_strat.frontend.errors import ParseError
from exo_strat.frontend.parser import ProcParser
from exo_strat.frontend.source import Source, parse_python
from exo_strat.ir.build import num
from exo_strat.ir.config import Config
from exo_strat.ir.externs import relu, select
from exo_strat.ir.memory import DRAM, Memory
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Pass,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from exo_strat.ir.printing import names_at, print_expr, print_lines, print_proc, render
from exo_strat.ir.types import R, Tensor, Type, bool_, f32, i8, index, int_, size, stride_
from exo_strat.ir.walk import binders, rename, with_child

SRAM = Memory("SRAM")
CFG = Config("Cfg", pmap({"scale": f32, "rows": index, "on": bool_}))
CALLEE = proc_from_source("def callee(n: int, b: bool, s: f32, v: [f32][4]):\n    pass")
ENV = {"Cfg": CFG, "SRAM": SRAM, "callee": CALLEE}
NAMES = st.sampled_from(["i", "i_1", "x", "n", "Cfg", "callee", "relu"])
INTS = (size, index, int_, stride_)


@dataclass
class Trees:
    """Draws a tree piece by piece. `scope` has the variables that may be used."""

    draw: st.DrawFn
    scope: list[tuple[Sym, Type]] = field(default_factory=list)
    next_id: int = 0

    def bind(self, t: Type) -> Sym:
        sym = Sym(self.draw(NAMES), self.next_id)
        self.next_id += 1
        self.scope.append((sym, t))
        return sym

    def one(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def syms(self, *types: Type) -> list[Sym]:
        return [s for s, t in self.scope if t in types]

    def tensors(self) -> list[tuple[Sym, Tensor]]:
        return [(s, t) for s, t in self.scope if isinstance(t, Tensor)]

    # -- expressions ------------------------------------------------------------------------------

    def integer(self, depth: int = 2) -> Expr:
        kind = self.one("var", "lit", "field", "stride", *("unary", "sum", "factor", "quot") * min(depth, 1))
        match kind:
            case "unary":
                return Unary("-", self.integer(depth - 1))
            case "sum":
                return Binary(self.one("+", "-"), self.integer(depth - 1), self.integer(depth - 1))
            case "factor":
                parts = [num(self.draw(st.integers(-3, 9))), self.integer(depth - 1)]
                return Binary("*", *self.draw(st.permutations(parts)))
            case "quot":
                return Binary(self.one("/", "%"), self.integer(depth - 1), num(self.draw(st.integers(1, 9))))
            case "stride" if found := self.tensors():
                s, t = self.draw(st.sampled_from(found))
                return StrideExpr(s, self.draw(st.integers(0, len(t.shape) - 1)))
            case "field":
                return ReadConfig(CFG, "rows")
            case "var" if ints := self.syms(*INTS):
                return Var(self.draw(st.sampled_from(ints)))
            case _:
                return num(self.draw(st.integers(-20, 20)))

    def truth(self, depth: int = 2) -> Expr:
        kind = self.one("var", "lit", "field", *("not", "logic", "compare", "data", "equal") * min(depth, 1))
        compare = ("<", "<=", ">", ">=", "==", "!=")
        match kind:
            case "not":
                return Unary("not", self.truth(depth - 1))
            case "logic":
                return Binary(self.one("and", "or"), self.truth(depth - 1), self.truth(depth - 1))
            case "equal":
                return Binary(self.one("==", "!="), self.truth(depth - 1), self.truth(depth - 1))
            case "compare":
                return Binary(self.one(*compare), self.integer(depth - 1), self.integer(depth - 1))
            case "data":
                return Binary(self.one(*compare), self.data(depth - 1), self.data(depth - 1))
            case "field":
                return ReadConfig(CFG, "on")
            case "var" if found := self.syms(bool_):
                return Var(self.draw(st.sampled_from(found)))
            case _:
                return Const(self.draw(st.booleans()), bool_)

    def data(self, depth: int = 2) -> Expr:
        kind = self.one("read", "elem", "lit", "field", *("unary", "arith", "extern") * min(depth, 1))
        match kind:
            case "unary":
                return Unary("-", self.data(depth - 1))
            case "arith":
                return Binary(self.one("+", "-", "*", "/"), self.data(depth - 1), self.data(depth - 1))
            case "extern":
                f = self.draw(st.sampled_from([relu, select]))
                return ExternCall(f, pvector(self.data(depth - 1) for _ in range(f.arity)))
            case "field":
                return ReadConfig(CFG, "scale")
            case "read" if found := self.syms(f32, i8, R):
                return Read(self.draw(st.sampled_from(found)), pvector())
            case "elem" if tensors := self.tensors():
                s, t = self.draw(st.sampled_from(tensors))
                return Read(s, pvector(self.integer(1) for _ in t.shape))
            case _:
                numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)
                return Const(self.draw(numbers | st.integers(-9, 9)), R)

    def window(self, rank: int | None = None) -> tuple[WindowExpr, Tensor] | None:
        found = [(s, t) for s, t in self.tensors() if rank is None or len(t.shape) >= rank]
        if not found:
            return None
        s, t = self.draw(st.sampled_from(found))
        kept = rank or self.draw(st.integers(1, len(t.shape)))
        which = sorted(self.draw(st.permutations(range(len(t.shape))))[:kept])
        dims = [
            Interval(self.integer(1), self.integer(1)) if d in which else Point(self.integer(1))
            for d in range(len(t.shape))
        ]
        return WindowExpr(s, pvector(dims)), Tensor(t.base, pvector([num(1)] * kept), True)

    # -- statements -------------------------------------------------------------------------------

    def block(self, depth: int) -> list[Stmt]:
        outer = len(self.scope)
        stmts = [self.stmt(depth) for _ in range(self.draw(st.integers(1, 3)))]
        del self.scope[outer:]
        return stmts

    def stmt(self, depth: int) -> Stmt:
        kinds = ("write", "write", "alloc", "window", "call", "config", "pass")
        match self.one(*kinds, *("for", "if") * (2 * min(depth, 1))):
            case "for":
                lo, hi, mode = self.integer(), self.integer(), self.one("seq", "par", "vec")
                it = self.bind(index)
                body = self.block(depth - 1)
                self.scope.remove((it, index))
                return For(it, lo, hi, pvector(body), mode)
            case "if":
                orelse = self.block(depth - 1) if self.draw(st.booleans()) else []
                return If(self.truth(), pvector(self.block(depth - 1)), pvector(orelse))
            case "alloc":
                t = self.data_type(windows=False)
                return Alloc(self.bind(t), t, self.draw(st.sampled_from([DRAM, SRAM])))  # type: ignore[arg-type]
            case "window" if made := self.window():
                return WindowDef(self.bind(made[1]), made[0])
            case "call" if made := self.window(1):
                return Call(CALLEE, pvector([self.integer(), self.truth(), self.data(), made[0]]))
            case "config":
                name = self.one("scale", "rows", "on")
                return WriteConfig(CFG, name, {"scale": self.data, "rows": self.integer, "on": self.truth}[name]())
            case "write":
                return self.write()
            case _:
                return Pass()

    def write(self) -> Stmt:
        op = self.draw(st.sampled_from(["", "+", "*", "min", "max"]))
        scalars, tensors = self.syms(f32, i8, R), self.tensors()
        if tensors and (not scalars or self.draw(st.booleans())):
            s, t = self.draw(st.sampled_from(tensors))
            place = s, pvector(self.integer() for _ in t.shape), self.data()
        elif scalars:
            place = self.draw(st.sampled_from(scalars)), pvector(), self.data()
        else:
            return Pass()
        return Reduce(*place, op) if op else Assign(*place)

    def data_type(self, windows: bool) -> Type:
        base = self.draw(st.sampled_from([f32, i8, R]))
        shape = [self.integer(1) for _ in range(self.draw(st.integers(0, 2)))]
        return Tensor(base, pvector(shape), windows and self.draw(st.booleans())) if shape else base

    def arg(self) -> Arg:
        control = [*INTS, bool_]
        t = self.draw(st.sampled_from(control)) if self.draw(st.booleans()) else self.data_type(windows=True)
        mem = None if t in control else self.draw(st.sampled_from([DRAM, SRAM]))
        return Arg(self.bind(t), t, mem)


@st.composite
def trees(draw: st.DrawFn) -> ProcDef:
    """Whole procedures."""
    t = Trees(draw)
    args, spelled = [], set[str]()
    for _ in range(draw(st.integers(0, 5))):
        args.append(t.arg())
        spelled.add(args[-1].sym.name)
    preds = [t.truth() for _ in range(draw(st.integers(0, 2)))]
    return ProcDef("p", pvector(args), pvector(preds), pvector(t.block(2)), None, t.next_id)


def parsed(text: str) -> ProcDef:
    """The tree of a text, without the checks of bounds."""
    source = Source("<test>", tuple(text.splitlines()))
    fn = parse_python(source, ParseError).body[0]
    assert isinstance(fn, ast.FunctionDef)
    return ProcParser({**DEFAULT_ENV, **ENV}, source).procedure(fn, None)


def anonymous(tree: ProcDef) -> ProcDef:
    """The tree with variables numbered in textual order and all called alike."""
    env = {s: Sym("v", k) for k, s in enumerate(binders(tree))}
    return with_child(rename(tree, env), "next_id", len(env))


# -- reading back --------------------------------------------------------------------------------------


@given(trees())
def test_a_printed_tree_reads_back_as_itself(tree: ProcDef) -> None:
    text = print_proc(tree)
    again = parsed(text)
    assert anonymous(again) == anonymous(tree)
    assert print_proc(again) == text


@given(trees())
def test_no_name_is_captured(tree: ProcDef) -> None:
    names = names_at(tree)
    assert names.keys() == set(binders(tree))
    assert all(spelled == s.name or spelled.startswith(f"{s.name}_") for s, spelled in names.items())
    assert len({names[a.sym] for a in tree.args}) == len(tree.args)


@settings(max_examples=40)
@given(trees())
def test_every_line_knows_its_statement(tree: ProcDef) -> None:
    lines = print_lines(tree)
    assert "\n".join(text for _, text in lines) == print_proc(tree)
    paths = [p for p, _ in lines if p is not None]
    assert len(set(paths)) == len(paths)
    for path in paths:
        marked = [line for line in render(tree, path).splitlines() if line.startswith("--> ")]
        assert marked == [f"--> {dict(lines)[path]}"]


# -- precedence and literals ---------------------------------------------------------------------------

N, B, X = Sym("n", 0), Sym("b", 1), Sym("x", 2)
n, b, x = Var(N), Var(B), Read(X, pvector())


def op(name: str, lhs: Expr, rhs: Expr) -> Expr:
    return Binary(name, lhs, rhs)


def data(value: float) -> Expr:
    return Const(value, R)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (op("-", n, op("-", n, num(1))), "n - (n - 1)"),
        (op("-", op("-", n, n), num(1)), "n - n - 1"),
        (op("*", num(2), op("+", n, num(1))), "2 * (n + 1)"),
        (op("+", op("*", num(2), n), num(1)), "2 * n + 1"),
        (op("*", op("/", n, num(4)), num(4)), "n / 4 * 4"),
        (op("/", op("*", num(4), n), num(4)), "4 * n / 4"),
        (op("*", num(4), op("/", n, num(4))), "4 * (n / 4)"),
        (op("-", n, num(-1)), "n - -1"),
        (op("*", num(-1), n), "-1 * n"),
        (op("+", num(2), num(3)), "2 + 3"),
        (Unary("-", n), "-n"),
        (Unary("-", op("+", n, n)), "-(n + n)"),
        (Unary("-", op("*", n, num(2))), "-(n * 2)"),
        (op("*", Unary("-", n), num(2)), "-n * 2"),
        (Unary("-", Unary("-", n)), "--n"),
        (Unary("-", num(5)), "-(5)"),
        (Unary("-", num(-5)), "-(-5)"),
        (Unary("-", data(0.5)), "-(0.5)"),
        (Unary("not", op("and", b, b)), "not (b and b)"),
        (op("and", Unary("not", b), b), "not b and b"),
        (op("and", op("or", b, b), b), "(b or b) and b"),
        (op("or", op("and", b, b), b), "b and b or b"),
        (op("and", b, op("and", b, b)), "b and (b and b)"),
        (op("==", op("<", n, num(1)), b), "(n < 1) == b"),
        (op("==", Unary("not", b), b), "(not b) == b"),
        (Unary("not", op("==", n, num(1))), "not n == 1"),
        (op("<", op("+", n, num(1)), op("%", n, num(2))), "n + 1 < n % 2"),
        (data(2), "2.0"),
        (data(-0.1), "-0.1"),
        (data(1e30), "1e+30"),
        (data(2**60 + 1), "1152921504606846977.0"),
        (op("/", data(1.0), op("/", x, data(3.0))), "1.0 / (x / 3.0)"),
        (Const(True, bool_), "True"),
    ],
)  # fmt: skip
def test_parentheses_only_where_needed(e: Expr, text: str) -> None:
    assert print_expr(e, {}) == text


# -- names ---------------------------------------------------------------------------------------------


def test_names_that_clash_get_numbers() -> None:
    a, i, j, k = Sym("a", 0), Sym("i", 1), Sym("i", 2), Sym("i_1", 3)
    inner = For(j, num(0), Var(i), pvector([For(k, num(0), Var(j), pvector([Pass()]))]))
    body = For(i, num(0), num(4), pvector([inner]))
    again = For(Sym("i", 4), num(0), num(4), pvector([Pass()]))
    tree = ProcDef("p", pvector([Arg(a, size, None)]), pvector(), pvector([body, again]), None, 5)
    assert print_proc(tree) == """def p(a: size):
    for i in seq(0, 4):
        for i_1 in seq(0, i):
            for i_1_1 in seq(0, i_1):
                pass
    for i in seq(0, 4):
        pass"""


def test_an_allocation_keeps_its_name_for_what_follows() -> None:
    outer, inner, it = Sym("t", 0), Sym("t", 1), Sym("t", 2)
    zero = data(0.0)
    loop = For(it, num(0), num(4), pvector([Alloc(inner, f32, DRAM), Assign(inner, pvector(), zero)]))
    body = [Alloc(outer, f32, DRAM), loop, Assign(outer, pvector(), zero)]
    assert print_proc(ProcDef("p", pvector(), pvector(), pvector(body), None, 3)) == """def p():
    t: f32 @ DRAM
    for t_1 in seq(0, 4):
        t_2: f32 @ DRAM
        t_2 = 0.0
    t = 0.0"""


def test_a_memory_prints_by_its_name() -> None:
    @dataclass(frozen=True)
    class Bank(Memory):
        bytes: int = 64

    tree = ProcDef("p", pvector(), pvector(), pvector([Alloc(Sym("t", 0), f32, Bank("FAST"))]), None, 1)
    assert print_proc(tree).endswith("t: f32 @ FAST")


# -- a whole procedure ---------------------------------------------------------------------------------

WHOLE = """@instr('whole({n}, {x_data});', '#include <whole.h>')
def whole(n: size, m: index, flag: bool, x: f32[n, 8] @ DRAM, v: [i8][n, m + 1] @ SRAM, s: R @ DRAM, d: stride):
    assert m >= 0 and m < n
    assert n >= 4
    assert stride(v, 1) == 1
    t: f32[n / 4 + 1, 2] @ SRAM
    u: f32 @ DRAM
    w = x[m:n, 3]
    for i in seq(0, n):
        for j in par(0, 8):
            x[i, j] = -2.5 + relu(s) * (s - 1.0)
        x[i, 0] += s / 3.0
    if flag and not n == 4 or d != 1:
        callee(n, not flag, s, x[0:4, 2])
        Cfg.rows = n % 4 - -1
    elif m % 2 == 0:
        pass
    else:
        w[0] = Cfg.scale
    for k in vec(m, n):
        t[k / 4, 1] = v[k, m]"""


def test_a_whole_procedure() -> None:
    p = proc_from_source(WHOLE, ENV)
    assert str(p) == WHOLE
    assert proc_from_source(str(p), reparse_env(p.tree)) == p
