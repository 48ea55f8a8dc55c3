"""Unification of a procedure's body with a block of statements, for `replace`. Imports translate and ir.

The skeletons are matched first (kinds of statements, operators); each index, bound and condition gives
a linear equation between the callee's unknown arguments and the block's variables. The equations are
solved by elimination. Loop iterators match up to a shift. Operands of `+` and `*` match in either order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pyrsistent import PMap, pmap

from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Assign,
    Binary,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Node,
    Pass,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    Unary,
    WriteConfig,
)
from ..ir.types import Tensor
from ..ir.walk import COMPARISONS, LOGICAL, binders, is_control, rename
from .affine import Atom, Lin, V, lin_atoms, subst_lin
from .translate import is_opaque, lin, unknown


@dataclass(frozen=True)
class View:
    """What a tensor argument is: a buffer of the caller, and for each of its dimensions the offset, and
    whether the dimension is kept (an interval) or dropped (a point)."""

    sym: Sym
    dims: tuple[tuple[bool, Lin], ...]


@dataclass(frozen=True)
class Match:
    """A state of matching: buffers, scalar values, iterators of the callee, equations `lin == 0`."""

    views: PMap[Sym, View]
    values: PMap[Sym, Expr]
    env: PMap[Sym, Lin]
    inner: frozenset[Sym]
    equations: tuple[Lin, ...]


@dataclass(frozen=True)
class Unified:
    """What the callee's arguments are."""

    views: PMap[Sym, View]
    values: PMap[Sym, Expr]
    control: PMap[Sym, Lin]
    rest: tuple[Lin, ...]


@memo_by_identity
def skeleton(s: Node) -> tuple[object, ...]:
    """The shape of a statement: kinds and operators of it and of what is inside, but no expressions.

    Statements whose skeletons differ do not unify.
    """
    match s:
        case For(body=body):
            return ("for", *map(skeleton, body))
        case If(body=body, orelse=orelse):
            return ("if", tuple(map(skeleton, body)), tuple(map(skeleton, orelse)))
        case Reduce(op=op, rhs=rhs):
            return ("reduce", op, _kind(rhs))
        case Assign(rhs=rhs):
            return ("assign", _kind(rhs))
        case WriteConfig(config=c, field=f):
            return ("config", c.name, f)
        case _:
            return (type(s).__name__,)


def _kind(e: Expr) -> object:
    match e:
        case Binary(op=op):
            return op
        case Unary(op=op):
            return ("unary", op)
        case ExternCall(f=f):
            return f.name
        case _:
            return "value"


def fresh_callee(tree: ProcDef, next_id: int) -> ProcDef:
    """The callee with variables that the caller surely does not have."""
    return rename(tree, {s: Sym(s.name, next_id + k) for k, s in enumerate(binders(tree))})


class Unifier:
    """Matches the body of `callee` (see `fresh_callee`) with a block; `ranks` are the dimensions of the
    caller's buffers."""

    def __init__(self, callee: ProcDef, ranks: dict[Sym, int]) -> None:
        self.callee = callee
        self.ranks = ranks
        self.tensors = {a.sym: len(a.type.shape) for a in callee.args if isinstance(a.type, Tensor)}
        self.scalars = {a.sym for a in callee.args if not isinstance(a.type, Tensor) and a.mem is not None}
        self.control = [a.sym for a in callee.args if a.mem is None]

    def solutions(self, block: Sequence[Stmt]) -> Iterator[Unified]:
        """The ways in which the block is a call of the callee, most natural first."""
        start = Match(pmap(), pmap(), pmap(), frozenset(), ())
        for m in self._block(self.callee.body, block, start):
            solved = self._solve(m)
            if solved is not None:
                yield solved

    # -- statements -------------------------------------------------------------------------------

    def _block(self, ps: Sequence[Stmt], ss: Sequence[Stmt], m: Match) -> Iterator[Match]:
        if len(ps) != len(ss):
            return
        if not ps:
            yield m
            return
        for first in self._stmt(ps[0], ss[0], m):
            yield from self._block(ps[1:], ss[1:], first)

    def _stmt(self, p: Stmt, s: Stmt, m: Match) -> Iterator[Match]:
        match p, s:
            case (Assign(), Assign()):
                yield from self._store(p, s, m)
            case (Reduce(), Reduce()) if p.op == s.op:
                yield from self._store(p, s, m)
            case (For(), For()):
                yield from self._loop(p, s, m)
            case (If(), If()):
                for a in self._cond(p.cond, s.cond, m):
                    for b in self._block(p.body, s.body, a):
                        yield from self._block(p.orelse, s.orelse, b)
            case (WriteConfig(), WriteConfig()) if (p.config, p.field) == (s.config, s.field):
                yield from self._expr(p.rhs, s.rhs, m)
            case (Alloc(), Alloc()) if not isinstance(p.type, Tensor) and p.type == s.type and p.mem == s.mem:
                yield replace(m, views=m.views.set(p.sym, View(s.sym, ())))
            case (Pass(), Pass()):
                yield m
            case _:
                return

    def _store(self, p: Assign | Reduce, s: Assign | Reduce, m: Match) -> Iterator[Match]:
        for a in self._place(p.sym, p.idx, s.sym, s.idx, m):
            yield from self._expr(p.rhs, s.rhs, a)

    def _loop(self, p: For, s: For, m: Match) -> Iterator[Match]:
        if p.mode != s.mode or any(map(is_opaque, (p.lo, p.hi, s.lo, s.hi))):
            return
        lo = self._lin(p.lo, m)
        m = self._equal(self._lin(p.hi, m) - lo, lin(s.hi) - lin(s.lo), m)
        m = replace(m, env=m.env.set(p.iter, unknown(s.iter) - lin(s.lo) + lo), inner=m.inner | {s.iter})
        yield from self._block(p.body, s.body, m)

    # -- expressions ------------------------------------------------------------------------------

    def _lin(self, e: Expr, m: Match) -> Lin:
        env: dict[Atom, Lin] = {V(s): x for s, x in m.env.items()}
        return subst_lin(lin(e), env)

    def _equal(self, a: Lin, b: Lin, m: Match) -> Match:
        d = a - b
        return m if d == Lin(0) else replace(m, equations=(*m.equations, d))

    def _cond(self, p: Expr, s: Expr, m: Match) -> Iterator[Match]:
        if isinstance(p, Binary) and isinstance(s, Binary) and p.op in LOGICAL and p.op == s.op:
            for a in self._cond(p.lhs, s.lhs, m):
                yield from self._cond(p.rhs, s.rhs, a)
            return
        x, y = self._comparison(p, m, callee=True), self._comparison(s, m, callee=False)
        if x is not None and y is not None and x[0] == y[0]:
            yield self._equal(x[1], y[1], m)

    def _comparison(self, e: Expr, m: Match, callee: bool) -> tuple[str, Lin] | None:
        """A comparison as `lin >= 0` or `lin == 0`."""
        if not isinstance(e, Binary) or e.op not in COMPARISONS or not is_control(e.lhs) or is_opaque(e):
            return None
        a, b = (self._lin(e.lhs, m), self._lin(e.rhs, m)) if callee else (lin(e.lhs), lin(e.rhs))
        forms = {"<": b - a - 1, "<=": b - a, ">": a - b - 1, ">=": a - b}
        if e.op in forms:
            return ">=", forms[e.op]
        return e.op, a - b

    def _expr(self, p: Expr, s: Expr, m: Match) -> Iterator[Match]:
        match p, s:
            case (Read(), _) if p.sym in self.scalars:
                yield from self._scalar(p.sym, s, m)
            case (Read(), Read()):
                yield from self._place(p.sym, p.idx, s.sym, s.idx, m)
            case (Const(), Const()):
                if p == s or (not is_control(p) and not is_control(s) and p.value == s.value):
                    yield m
            case (Unary(), Unary()) if p.op == s.op:
                yield from self._expr(p.arg, s.arg, m)
            case (Binary(), Binary()) if p.op == s.op:
                yield from self._operands((p.lhs, p.rhs), (s.lhs, s.rhs), m)
                if p.op in "+*":
                    yield from self._operands((p.lhs, p.rhs), (s.rhs, s.lhs), m)
            case (ExternCall(), ExternCall()) if p.f == s.f:
                yield from self._operands(p.args, s.args, m)
            case (ReadConfig(), ReadConfig()) if p == s:
                yield m
            case _:
                return

    def _operands(self, ps: Sequence[Expr], ss: Sequence[Expr], m: Match) -> Iterator[Match]:
        if not ps:
            yield m
            return
        for a in self._expr(ps[0], ss[0], m):
            yield from self._operands(ps[1:], ss[1:], a)

    def _scalar(self, p: Sym, s: Expr, m: Match) -> Iterator[Match]:
        """A scalar argument: an element, scalar or literal that is the same wherever it is used."""
        if not isinstance(s, Read | Const) or (isinstance(s, Read) and self._inside(s, m)):
            return
        if m.values.get(p, s) == s:
            yield replace(m, values=m.values.set(p, s))

    def _inside(self, s: Read, m: Match) -> bool:
        return any(is_opaque(i) or self._moves(lin(i), m) for i in s.idx)

    def _moves(self, x: Lin, m: Match) -> bool:
        """Whether a form depends on an iterator of the block."""
        return any(isinstance(a, V) and a.sym in m.inner for a in lin_atoms(x))

    # -- places -----------------------------------------------------------------------------------

    def _place(self, p: Sym, pidx: Sequence[Expr], s: Sym, sidx: Sequence[Expr], m: Match) -> Iterator[Match]:
        """An access of the callee matched with one of the block."""
        if any(map(is_opaque, sidx)) or self.ranks.get(s) != len(sidx):
            return
        there = [lin(i) for i in sidx]
        if p in self.scalars:
            yield from self._scalar(p, Read(s, sidx), m)  # type: ignore[arg-type]
            return
        here = [self._lin(i, m) for i in pidx]
        known = m.views.get(p)
        if known is not None:
            if known.sym == s:
                yield self._agree(known, here, there, m)
            return
        if p not in self.tensors:
            return
        for kept in reversed(list(combinations(range(len(there)), len(here)))):
            view = self._view(s, kept, here, there, m)
            if view is not None:
                yield replace(m, views=m.views.set(p, view))

    def _view(self, s: Sym, kept: Sequence[int], here: Sequence[Lin], there: Sequence[Lin], m: Match) -> View | None:
        dims: list[tuple[bool, Lin]] = []
        for d, x in enumerate(there):
            offset = x - here[kept.index(d)] if d in kept else x
            if self._moves(offset, m):
                return None
            dims.append((d in kept, offset))
        return View(s, tuple(dims))

    def _agree(self, view: View, here: Sequence[Lin], there: Sequence[Lin], m: Match) -> Match:
        rest = iter(here)
        for (kept, offset), x in zip(view.dims, there, strict=True):
            m = self._equal(offset + next(rest) if kept else offset, x, m)
        return m

    # -- equations --------------------------------------------------------------------------------

    def _solve(self, m: Match) -> Unified | None:
        """The control arguments from the equations; None if one is left open or depends on an iterator."""
        todo, solved = list(m.equations), dict[Atom, Lin]()
        for s in self.control:
            found = next((e for e in todo if abs(e.coefficient(V(s))) == 1), None)
            if found is None:
                continue
            value = (Lin.of(V(s)) - found * found.coefficient(V(s)))
            solved = {a: subst_lin(x, {V(s): value}) for a, x in solved.items()}
            solved[V(s)] = value
            todo = [subst_lin(e, {V(s): value}) for e in todo if e is not found]
        if any(V(s) not in solved for s in self.control):
            return None
        control = {s: solved[V(s)] for s in self.control}
        views = {p: replace(v, dims=tuple((k, subst_lin(x, solved)) for k, x in v.dims)) for p, v in m.views.items()}
        if any(self._moves(x, m) for x in control.values()):
            return None
        rest = tuple(e for e in todo if e != Lin(0))
        return Unified(pmap(views), m.values, pmap(control), rest)
