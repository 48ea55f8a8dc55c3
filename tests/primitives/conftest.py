"""Runs procedures on exact numbers, so that tests can compare what a rewrite computes with what there was."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from exo_strat.cursors.proc import Proc
from exo_strat.ir import nodes as ir
from exo_strat.ir.names import Sym
from exo_strat.ir.types import Control, Tensor, Type

Index = tuple[int, ...]
Result = Mapping[str, object]


class Trap(Exception):
    """Uninitialised memory was read, or a buffer left."""


@dataclass
class Buffer:
    """The cells of a dense buffer; a cell that is missing was never written."""

    shape: Index
    cells: dict[Index, Fraction] = field(default_factory=dict)

    def at(self, idx: Index) -> Index:
        if len(idx) != len(self.shape) or not all(0 <= i < n for i, n in zip(idx, self.shape, strict=True)):
            raise Trap(f"{idx} is outside {self.shape}")
        return idx

    def read(self, idx: Index) -> Fraction:
        if self.at(idx) not in self.cells:
            raise Trap(f"{idx} was never written")
        return self.cells[idx]

    def write(self, idx: Index, value: Fraction) -> None:
        self.cells[self.at(idx)] = value

    def strides(self) -> Index:
        out = [1]
        for n in reversed(self.shape[1:]):
            out.append(out[-1] * n)
        return tuple(reversed(out))


@dataclass(frozen=True)
class View:
    """A window: for each dimension of the buffer behind it an offset, and whether the window keeps it."""

    base: Buffer | View
    dims: tuple[tuple[int, bool], ...]

    def back(self, idx: Index) -> Index:
        inner = iter(idx)
        return tuple(lo + next(inner) if kept else lo for lo, kept in self.dims)

    def read(self, idx: Index) -> Fraction:
        return self.base.read(self.back(idx))

    def write(self, idx: Index, value: Fraction) -> None:
        self.base.write(self.back(idx), value)

    def strides(self) -> Index:
        return tuple(s for s, (_, kept) in zip(self.base.strides(), self.dims, strict=True) if kept)


ARITHMETIC: Mapping[str, Callable[..., object]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "%": lambda x, y: x % y,
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y, "!=": lambda x, y: x != y, "/": lambda x, y: x // y if isinstance(y, int) else x / y,
}  # fmt: skip


class Run:
    """One run of a procedure. Parallel loops run backwards if `backwards` is set."""

    def __init__(self, configs: dict[tuple[str, str], object], backwards: bool) -> None:
        self.configs, self.backwards = configs, backwards
        self.env: dict[Sym, object] = {}

    def value(self, e: object) -> object:
        match e:
            case ir.Const(value=v, type=t):
                return v if isinstance(t, Control) else Fraction(v)
            case ir.Var(sym=s):
                return self.env[s]
            case ir.Read(sym=s, idx=idx):
                return self.env[s].read(tuple(self.value(i) for i in idx))
            case ir.Unary(op=op, arg=a):
                return not self.value(a) if op == "not" else -self.value(a)
            case ir.Binary(op="and", lhs=x, rhs=y):
                return self.value(x) and self.value(y)
            case ir.Binary(op="or", lhs=x, rhs=y):
                return self.value(x) or self.value(y)
            case ir.Binary(op=op, lhs=x, rhs=y):
                return ARITHMETIC[op](self.value(x), self.value(y))
            case ir.ExternCall(f=f, args=args):
                return f.eval(*[self.value(a) for a in args])
            case ir.StrideExpr(sym=s, dim=d):
                return self.env[s].strides()[d]
            case ir.ReadConfig(config=c, field=f):
                return self.configs[c.name, f]
        raise AssertionError(e)

    def view(self, e: object) -> object:
        if isinstance(e, ir.WindowExpr):
            dims = [
                (self.value(d.lo), True) if isinstance(d, ir.Interval) else (self.value(d.pt), False) for d in e.idx
            ]
            return View(self.env[e.sym], tuple(dims))
        if isinstance(e, ir.Read):
            place = self.env[e.sym]
            return View(place, tuple((self.value(i), False) for i in e.idx)) if e.idx else place
        return Buffer((), {(): self.value(e)})

    def shape(self, t: Type) -> Index:
        return tuple(self.value(n) for n in t.shape) if isinstance(t, Tensor) else ()

    def block(self, stmts: object) -> None:
        for s in stmts:
            self.stmt(s)

    def stmt(self, s: object) -> None:
        match s:
            case ir.Assign(sym=sym, idx=idx, rhs=rhs):
                self.env[sym].write(tuple(self.value(i) for i in idx), self.value(rhs))
            case ir.Reduce(sym=sym, idx=idx, rhs=rhs):
                at = tuple(self.value(i) for i in idx)
                self.env[sym].write(at, self.env[sym].read(at) + self.value(rhs))
            case ir.For(iter=it, lo=lo, hi=hi, body=body, mode=mode):
                turns = range(self.value(lo), self.value(hi))
                for i in reversed(turns) if self.backwards and mode != "seq" else turns:
                    self.env[it] = i
                    self.block(body)
            case ir.If(cond=c, body=body, orelse=orelse):
                self.block(body if self.value(c) else orelse)
            case ir.Alloc(sym=sym, type=t):
                self.env[sym] = Buffer(self.shape(t))
            case ir.WindowDef(sym=sym, rhs=rhs):
                self.env[sym] = self.view(rhs)
            case ir.WriteConfig(config=c, field=f, rhs=rhs):
                self.configs[c.name, f] = self.value(rhs)
            case ir.Call(f=f, args=args):
                self.call(f.tree, [self.value(a) if isinstance(x.type, Control) else self.view(a)
                                   for x, a in zip(f.tree.args, args, strict=True)])  # fmt: skip

    def call(self, tree: ir.ProcDef, actuals: list[object]) -> None:
        inner = Run(self.configs, self.backwards)
        inner.env = {a.sym: v for a, v in zip(tree.args, actuals, strict=True)}
        if not all(inner.value(p) for p in tree.preds):
            raise Trap("an assertion is false")
        inner.block(tree.body)


def _run(p: Proc, controls: Mapping[str, int], backwards: bool) -> Result:
    run, fill = Run({}, backwards), itertools.count(1)
    for a in p.tree.args:
        if isinstance(a.type, Control):
            run.env[a.sym] = controls[a.sym.name]
    buffers: dict[str, Buffer] = {}
    for a in p.tree.args:
        if not isinstance(a.type, Control):
            shape = run.shape(a.type)
            cells = {idx: Fraction(next(fill) ** 2, 7) for idx in itertools.product(*map(range, shape))}
            buffers[a.sym.name] = run.env[a.sym] = Buffer(shape, cells)
    assert all(run.value(e) for e in p.tree.preds), "the test's sizes break an assertion"
    run.block(p.tree.body)
    return {**{n: b.cells for n, b in buffers.items()}, **{f"{c}.{f}": v for (c, f), v in run.configs.items()}}


@pytest.fixture
def same() -> Callable[..., None]:
    """Asserts that a rewritten procedure computes what the original does, for given sizes."""

    def check(p: Proc, q: Proc, **controls: int) -> None:
        want = _run(p, controls, False)
        assert _run(q, controls, False) == want
        assert _run(q, controls, True) == want

    return check
