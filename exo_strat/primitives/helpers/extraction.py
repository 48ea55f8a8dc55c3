"""A run of statements as a procedure of its own: which arguments it takes, what it must assert. For `subprocs`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pyrsistent import pvector

from ...cursors.proc import Proc
from ...frontend.decorators import make_proc
from ...frontend.errors import CheckError
from ...frontend.scope import types_at
from ...ir import build as b
from ...ir.cells import has_cells, steadied
from ...ir.names import Sym
from ...ir.nodes import (
    Arg,
    Binary,
    Call,
    Expr,
    For,
    If,
    Interval,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WinDim,
    WindowDef,
    WindowExpr,
)
from ...ir.printing import names_at
from ...ir.span import Span
from ...ir.types import Control, Tensor, Type
from ...ir.walk import COMPARISONS, Path, alpha_normal, child, free_syms, in_scope, is_control, mentions, rename, walk
from ...logic.forms import eq, is_opaque, lin, stride_of
from ...logic.questions import asks_config, conditions_at, prove_at, safety, to_expr, values_at
from .access import strides_asked
from .wellformed import call_error, memories_at

OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


@dataclass(frozen=True)
class Extraction:
    """A run of statements at a place, with the windows that are to be defined inside, the variables in scope and
    what is known there."""

    tree: ProcDef
    path: Path
    name: str
    windows: tuple[WindowDef, ...]
    stmts: tuple[Stmt, ...]
    types: Mapping[Sym, Type]
    facts: tuple[Expr, ...]
    given: frozenset[Sym] = frozenset()

    def body(self) -> tuple[Stmt, ...]:
        return (*self.windows, *self.stmts)

    def variables(self) -> frozenset[Sym]:
        """What is passed: what the code uses and does not define, what is asked for, and their extents' variables."""
        found = free_syms(pvector(self.body())) | self.given
        while True:
            more = frozenset[Sym]().union(*(mentions(t) for s, t in self.types.items() if s in found))
            if more <= found:
                return found
            found |= more

    def wider(self) -> Extraction:
        """With the control variables that what is known compares to those passed."""
        passed = self.variables()
        near = [mentions(f) for f in self.facts if mentions(f) & passed]
        more = frozenset(s for s in frozenset[Sym]().union(*near) if isinstance(self.types.get(s), Control))
        return replace(self, given=passed | more)

    def asserted(self) -> list[Expr]:
        """What is known and speaks of nothing but what is passed."""
        passed = self.variables()
        known = [*self.facts, *self._strides(passed), *self._fields()]
        return [f for f in dict.fromkeys(known) if mentions(f) <= passed]

    def _strides(self, passed: frozenset[Sym]) -> Iterator[Expr]:
        """The windows passed whose elements are neighbours, where somebody asks for that."""
        asked = strides_asked(self.procedure([]))
        for s in (s for s in self.types if s in passed):
            for d in sorted(asked.get(s, ())):
                if prove_at(self.tree, self.path, eq(stride_of(s, d), 1)):
                    yield Binary("==", StrideExpr(s, d), b.ONE)

    def _fields(self) -> Iterator[Expr]:
        """What is known of config fields, as far as control values go: if the code asks about them, or they bound
        variables that it uses."""
        conditions, used = conditions_at(self.tree, self.path), free_syms(pvector(self.stmts))
        if not any(map(asks_config, self.stmts)) and not any(mentions(e) & used for e, _ in conditions):
            return
        known = values_at(self.tree, self.path)
        for field in sorted(known, key=lambda r: (r.config.name, r.field)):
            yield Binary("==", field, known[field])
        for e, truth in conditions:
            if all(is_control(n) for _, n in walk(e) if isinstance(n, ReadConfig)):
                yield e if truth else _not(e)

    def procedure(self, preds: Sequence[Expr]) -> ProcDef:
        """The procedure's tree; its variables still have the caller's numbers."""
        passed, mems = self.variables(), memories_at(self.tree, self.path)
        args = [Arg(s, t, mems.get(s)) for s, t in self.types.items() if s in passed]
        body = pvector(self.body())
        return ProcDef(self.name, pvector(args), pvector(preds), body, None, self.tree.next_id)

    def call(self, include_asserts: bool) -> Call:
        """The call of the procedure that may stand in the place of the statements.

        Raises `CheckError` if the procedure is not well-formed by itself, or the call is not.
        """
        preds = self.asserted()
        made = self._checked(preds)
        if not include_asserts:
            for f in list(preds):
                fewer = [x for x in preds if x is not f]
                try:
                    made, preds = self._checked(fewer), fewer
                except CheckError:
                    continue
        return made

    def _checked(self, preds: Sequence[Expr]) -> Call:
        tree = self.procedure(preds)
        args: list[Expr] = [Var(a.sym) if isinstance(a.type, Control) else Read(a.sym, pvector()) for a in tree.args]
        spelled = names_at(tree)  # two that are passed may have one name
        apart = {a.sym: Sym(spelled[a.sym], a.sym.id) for a in tree.args if spelled[a.sym] != a.sym.name}
        call = Call(_fresh(rename(tree, apart)), pvector(args))
        error = _race(tree) or call_error(self.tree, self.path, call)
        if error is not None:
            raise error
        return call


def _race(tree: ProcDef) -> CheckError | None:
    """What stands against a parallel loop of a new procedure."""
    for path, n in walk(tree):
        if isinstance(n, For) and n.mode != "seq" and not (v := safety.parallel(tree, path)):
            return CheckError(path, v.obligation)
    return None


def _fresh(tree: ProcDef) -> Proc:
    return make_proc(alpha_normal(steadied(tree) if has_cells(tree) else tree))


def extracted(tree: ProcDef, span: Span, name: str, include_asserts: bool) -> Call | CheckError:
    """The call of a new procedure that a run of statements may become, or what stands against it.

    Windows are passed as windows, or else defined inside: where the code also uses what they are windows of, a
    call would get one buffer twice. Variables that the code does not use are passed if it takes what is known
    of them to show that all is in bounds.
    """
    first: CheckError | None = None
    for whole in _ways(tree, span, name):
        this, last = whole, None
        while last is None or this.given != last.given:
            try:
                return this.call(include_asserts)
            except CheckError as e:
                first = first or e
            this, last = this.wider(), this
    assert first is not None
    return first


def _ways(tree: ProcDef, span: Span, name: str) -> Iterator[Extraction]:
    path, stmts = span.path(), tuple(span.members(tree))
    types = {s: _normal(t) for s, t in types_at(tree, path).items()}
    way = Extraction(tree, path, name, (), stmts, types, tuple(known_at(tree, path)))
    yield way
    windows: list[WindowDef] = []
    used = free_syms(pvector(stmts))
    for _, n in reversed(list(in_scope(tree, path))):
        if isinstance(n, WindowDef) and n.sym in used:
            windows.insert(0, n)
            used |= {n.rhs.sym}
    if windows and not any(isinstance(w.rhs, ViewExpr) or any(map(is_opaque, _offsets(w.rhs))) for w in windows):
        yield replace(way, windows=tuple(windows))


def _offsets(w: WindowExpr) -> list[Expr]:
    return [e for d in w.idx for e in _parts(d)]


def _parts(d: WinDim) -> tuple[Expr, ...]:
    return (d.lo, d.hi) if isinstance(d, Interval) else (d.pt,)


def _normal(t: Type) -> Type:
    """A type with simple extents: those of windows are differences."""
    if isinstance(t, Tensor) and t.window and not any(map(is_opaque, t.shape)):
        return replace(t, shape=pvector(to_expr(lin(e)) for e in t.shape))
    return t


# -- what is known, as object code --------------------------------------------------------------------


def known_at(tree: ProcDef, path: Path) -> Iterator[Expr]:
    """The conditions that hold for good just before the statement at `path`: assertions, the ranges of the loops
    and the conditions of the branches around it."""
    for p in tree.preds:
        yield from _stable(p, True)
    node: Node = tree
    for label, k in path:
        if isinstance(node, For):
            i = Var(node.iter)
            yield from (c for c in (Binary("<=", node.lo, i), Binary("<", i, node.hi)) if not is_opaque(c))
        elif isinstance(node, If):
            yield from _stable(node.cond, label == "body")
        node = child(node, (label, k))


def _stable(e: Expr, truth: bool) -> Iterator[Expr]:
    """What follows for good from `e` being `truth`, as conditions."""
    match e:
        case Unary(op="not", arg=a):
            yield from _stable(a, not truth)
        case Binary(op=op, lhs=x, rhs=y) if op == ("and" if truth else "or"):
            yield from _stable(x, truth)
            yield from _stable(y, truth)
        case _ if is_opaque(e):
            return
        case _:
            yield e if truth else _not(e)


def _not(e: Expr) -> Expr:
    """The condition that another one is false."""
    if isinstance(e, Binary) and e.op in COMPARISONS:
        return Binary(OPPOSITE[e.op], e.lhs, e.rhs)
    return Unary("not", e)
