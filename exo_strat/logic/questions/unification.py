"""Unification of a procedure's body with a block of statements, for `replace`.

The skeletons are matched first (kinds of statements, operators); each index, bound, extent, condition and number of an
integer (`f32(i)`) gives a linear equation between the callee's unknown arguments and the block's variables, which is
solved when it turns up: a choice that leads to a contradiction is given up at once. Loop iterators match up to a shift.
Operands of `+` and `*` match in either order. Config fields may be read in both at the same places; what a call
evaluates once never reads them. Calls match calls of the same procedure, windows windows, and buffers with other
extents such buffers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from math import copysign

from pyrsistent import PMap, pmap, pvector

from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Assign,
    Binary,
    Call,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Node,
    Pass,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Select,
    Stmt,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from ...ir.precisions import index_value
from ...ir.types import Control, Tensor, Type, bool_, int_
from ...ir.walk import COMPARISONS, LOGICAL, binders, is_bool, is_control, mentions, rename, walk
from ..forms.affine import Atom, Element, Lin, Opaque, V, lin_atoms, subst_lin
from ..forms.translate import is_opaque, lin, stride_of, unknown
from .normal import to_expr


@dataclass(frozen=True)
class View:
    """What a tensor argument is: a buffer of the caller, and for each of its dimensions the offset, and
    whether the dimension is kept (an interval) or dropped (a point)."""

    sym: Sym
    dims: tuple[tuple[bool, Lin], ...]


@dataclass(frozen=True)
class Match:
    """A state of matching: what the callee's buffers, scalar and bool arguments are; its iterators in terms
    of the block's (`env`); the iterators (`inner`) of the block; integer arguments that are `solved`, and
    what must be zero besides (`rest`)."""

    views: PMap[Sym, View] = field(default_factory=pmap)
    values: PMap[Sym, Expr] = field(default_factory=pmap)
    env: PMap[Sym, Lin] = field(default_factory=pmap)
    inner: frozenset[Sym] = frozenset()
    solved: PMap[Atom, Lin] = field(default_factory=pmap)
    rest: tuple[Lin, ...] = ()


@dataclass(frozen=True)
class Unified:
    """What the callee's arguments are: `values` of data scalars and bools, `control` integers; it is the
    block if each of `rest` is zero."""

    views: PMap[Sym, View]
    values: PMap[Sym, Expr]
    control: PMap[Sym, Lin]
    rest: tuple[Lin, ...]


@memo_by_identity
def skeleton(s: Node) -> Hashable:
    """The shape of a statement: kinds and operators of it and of what is inside, but no names or indices.

    Statements whose skeletons differ do not unify.
    """
    match s:
        case For(body=body, mode=mode):
            return ("for", mode, *map(skeleton, body))
        case If(body=body, orelse=orelse):
            return ("if", tuple(map(skeleton, body)), tuple(map(skeleton, orelse)))
        case Reduce(op=op, rhs=rhs):
            return ("reduce", op, shape(rhs))
        case Assign(rhs=rhs):
            return ("assign", shape(rhs))
        case WriteConfig(config=c, field=f):
            return ("config", c.name, f)
        case Call(f=callee):
            return ("call", callee.tree.name)
        case _:
            return (type(s).__name__,)


@memo_by_identity
def shape(e: Expr) -> Hashable:
    """The operators of a data expression; those of operands that may be exchanged in a fixed order."""
    match e:
        case Binary(op=op, lhs=x, rhs=y):
            parts = [shape(x), shape(y)]
            return (op, *(sorted(parts, key=repr) if op in "+*" else parts))
        case Unary(op=op, arg=a):
            return ("unary", op, shape(a))
        case ExternCall(f=f, args=args):
            return (f.name, *("index" if is_control(a) else shape(a) for a in args))
        case Select(then=x, other=y):
            return ("if", shape(x), shape(y))
        case _:
            return "value"


@memo_by_identity
def fresh_callee(tree: ProcDef) -> ProcDef:
    """The callee with variables that no caller has: their numbers are negative."""
    return rename(tree, {s: Sym(s.name, -1 - k) for k, s in enumerate(binders(tree))})


def _beginnings(e: Read | WindowExpr, rank: int) -> list[tuple[bool, Expr]]:
    """Where what an expression shows of its buffer begins along each dimension, and whether it shows more of it."""
    if isinstance(e, Read):
        return [(True, Const(0, int_))] * rank
    return [(True, d.lo) if isinstance(d, Interval) else (False, d.pt) for d in e.idx]


def _reads_config(x: Lin) -> bool:
    return any(
        not _is_stride(a) if isinstance(a, Opaque) else isinstance(a, Element) and a.moment is not None
        for a in lin_atoms(x)
    )


def _is_stride(a: Opaque) -> bool:
    return isinstance(a.key, tuple) and a.key[0] == "stride"


class Unifier:
    """Matches the body of `callee` (see `fresh_callee`) with a block; `ranks` says how many dimensions the
    caller's buffers have, those of the block included, `shapes` the extents of those around it."""

    def __init__(self, callee: ProcDef, ranks: Mapping[Sym, int], shapes: Mapping[Sym, Sequence[Expr]]) -> None:
        self.callee = callee
        self.ranks = ranks
        self.shapes = shapes
        self.tensors = {a.sym: a.type for a in callee.args if isinstance(a.type, Tensor)}
        self.scalars = {a.sym for a in callee.args if not isinstance(a.type, Tensor | Control)}
        self.bools = {a.sym for a in callee.args if a.type == bool_}
        self.integers = [a.sym for a in callee.args if isinstance(a.type, Control) and a.type != bool_]
        self.unknowns: frozenset[Atom] = frozenset(map(V, self.integers))
        self.order = {id(n): k for k, (_, n) in enumerate(walk(callee))}
        self.furthest: tuple[Stmt, Stmt] | None = None
        """The last statement of the callee that was compared, and that of the block: where no match was found."""
        self.unfit: tuple[Sym, Expr] | None = None
        """A scalar argument that was to be what no scalar argument can be, in these statements."""

    def _arrived(self, p: Stmt, s: Stmt) -> None:
        if self.furthest is None or self.order[id(p)] > self.order[id(self.furthest[0])]:
            self.furthest, self.unfit = (p, s), None

    def solutions(self, block: Sequence[Stmt]) -> Iterator[Unified]:
        """The ways in which the block is a call of the callee, most natural first."""
        matches = self._block(self.callee.body, block, Match())
        for m in chain.from_iterable(map(self._sized, matches)):
            if all(V(s) in m.solved for s in self.integers):
                u = self._settled(m)
                found = (*u.control.values(), *u.rest, *(x for v in u.views.values() for _, x in v.dims))
                if not self._open(found):
                    yield u

    def _sized(self, m: Match) -> Iterator[Match]:
        """With sizes that the body does not show: those of buffers that are passed as they are."""
        equal: list[Lin] = []
        for p, t in self.tensors.items():
            view = m.views.get(p)
            if view is not None and not t.window and any(V(s) not in m.solved for s in self.integers):
                shape = self.shapes.get(view.sym, ())
                equal += [self._lin(e, m) - lin(n) for e, n in zip(t.shape, shape, strict=False)]
        yield from self._zeros(equal, m)

    def _settled(self, m: Match) -> Unified:
        """The solution with the unknowns, and the strides of arguments, put in."""
        strides: dict[Atom, Lin] = {}
        for p, view in m.views.items():
            for k, d in enumerate([d for d, (kept, _) in enumerate(view.dims) if kept]):
                strides[Opaque(("stride", p, k))] = stride_of(view.sym, d)

        def put_in(x: Lin) -> Lin:
            return self._held(subst_lin(subst_lin(x, m.solved), strides), m)

        views = {
            p: View(v.sym, tuple((kept, put_in(x)) for kept, x in v.dims))
            for p, v in m.views.items() if p in self.tensors
        }  # fmt: skip
        control = {s: put_in(m.solved[V(s)]) for s in self.integers}
        rest = tuple(x for x in map(put_in, m.rest) if x != Lin(0))
        return Unified(pmap(views), m.values, pmap(control), rest)

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
        self._arrived(p, s)
        match p, s:
            case (Assign(), Assign()):
                yield from self._store(p, s, m)
            case (Reduce(), Reduce()) if p.op == s.op:
                yield from self._store(p, s, m)
            case (For(), For()) if p.mode == s.mode:
                yield from self._loop(p, s, m)
            case (If(), If()):
                for a in self._cond(p.cond, s.cond, m):
                    for b in self._block(p.body, s.body, a):
                        yield from self._block(p.orelse, s.orelse, b)
            case (WriteConfig(), WriteConfig()) if (p.config, p.field) == (s.config, s.field):
                yield from self._config(p, s, m)
            case (Alloc(), Alloc()) if p.mem == s.mem:
                yield from self._alloc(p, s, m)
            case (Call(), Call()) if p.f.tree is s.f.tree:
                yield from self._passed([a.type for a in p.f.tree.args], p.args, s.args, m)
            case (WindowDef(rhs=WindowExpr() as theirs), WindowDef(rhs=WindowExpr() as ours)):
                whole = View(s.sym, tuple((True, Lin(0)) for d in ours.idx if isinstance(d, Interval)))
                for a in self._shown(theirs, ours, m):
                    yield replace(a, views=a.views.set(p.sym, whole))
            case (WindowDef(rhs=ViewExpr() as theirs), WindowDef(rhs=ViewExpr() as ours)):
                yield from self._reshaped(p.sym, s.sym, theirs, ours, m)
            case (Pass(), Pass()):
                yield m
            case _:
                return

    def _store(self, p: Assign | Reduce, s: Assign | Reduce, m: Match) -> Iterator[Match]:
        for a in self._place(p.sym, p.idx, s.sym, s.idx, m):
            yield from self._expr(p.rhs, s.rhs, a)

    def _loop(self, p: For, s: For, m: Match) -> Iterator[Match]:
        lo = self._lin(p.lo, m)
        here = unknown(s.iter) - lin(s.lo) + lo
        if _reads_config(here):  # the body may change what the iterator is counted from
            return
        for a in self._zero(self._lin(p.hi, m) - lo - lin(s.hi) + lin(s.lo), m):
            inside = replace(a, env=a.env.set(p.iter, here), inner=a.inner | {s.iter})
            yield from self._block(p.body, s.body, inside)

    def _config(self, p: WriteConfig, s: WriteConfig, m: Match) -> Iterator[Match]:
        t = p.config.fields[p.field]
        if not isinstance(t, Control):
            yield from self._expr(p.rhs, s.rhs, m)
        elif t == bool_:
            yield from self._cond(p.rhs, s.rhs, m)
        else:
            yield from self._equal(p.rhs, s.rhs, m)

    def _alloc(self, p: Alloc, s: Alloc, m: Match) -> Iterator[Match]:
        if not isinstance(p.type, Tensor) or not isinstance(s.type, Tensor):
            if p.type == s.type:
                yield replace(m, views=m.views.set(p.sym, View(s.sym, ())))
            return
        if p.type.base == s.type.base and len(p.type.shape) == len(s.type.shape):
            whole = View(s.sym, tuple((True, Lin(0)) for _ in s.type.shape))
            yield from self._equals(p.type.shape, s.type.shape, replace(m, views=m.views.set(p.sym, whole)))

    # -- expressions ------------------------------------------------------------------------------

    def _lin(self, e: Expr, m: Match) -> Lin:
        """An integer of the callee, in terms of the block and of unknown arguments."""
        return subst_lin(lin(e), {V(s): x for s, x in m.env.items()})

    def _equal(self, p: Expr, s: Expr, m: Match) -> Iterator[Match]:
        yield from self._zero(self._lin(p, m) - lin(s), m)

    def _equals(self, ps: Sequence[Expr], ss: Sequence[Expr], m: Match) -> Iterator[Match]:
        if not ps:
            yield m
            return
        for a in self._equal(ps[0], ss[0], m):
            yield from self._equals(ps[1:], ss[1:], a)

    def _cond(self, p: Expr, s: Expr, m: Match) -> Iterator[Match]:
        match p, s:
            case (Const(), Const()) | (ReadConfig(), ReadConfig()) if p == s:
                yield m
            case (Var(), _) if p.sym in self.bools:
                yield from self._bool(p.sym, s, m)
            case (Unary(op="not"), Unary(op="not")):
                yield from self._cond(p.arg, s.arg, m)
            case (Binary(), Binary()) if p.op == s.op and p.op in COMPARISONS and not is_control(p.lhs):
                yield from self._operands((p.lhs, p.rhs), (s.lhs, s.rhs), m)
            case (Binary(), Binary()) if p.op == s.op and (p.op in LOGICAL or self._of_bools(p)):
                for a in self._cond(p.lhs, s.lhs, m):
                    yield from self._cond(p.rhs, s.rhs, a)
            case _:
                x, y = self._comparison(p), self._comparison(s)
                if x is not None and y is not None and x[0] == y[0]:
                    there = subst_lin(x[1], {V(k): e for k, e in m.env.items()})
                    yield from self._zero(there - y[1], m)

    def _of_bools(self, e: Binary) -> bool:
        """Whether a comparison is one of conditions."""
        return any(is_bool(x) or (isinstance(x, Var) and x.sym in self.bools) for x in (e.lhs, e.rhs))

    def _comparison(self, e: Expr) -> tuple[str, Lin] | None:
        """A comparison of integers as `lin >= 0`, `lin == 0` or `lin != 0`."""
        if not isinstance(e, Binary) or e.op not in COMPARISONS or not is_control(e.lhs):
            return None
        if is_bool(e.lhs) or is_bool(e.rhs):
            return None
        a, b = lin(e.lhs), lin(e.rhs)
        forms = {"<": b - a - 1, "<=": b - a, ">": a - b - 1, ">=": a - b}
        return (">=", forms[e.op]) if e.op in forms else (e.op, a - b)

    def _bool(self, p: Sym, s: Expr, m: Match) -> Iterator[Match]:
        """A bool argument: a condition that is the same wherever it is used."""
        fixed = is_control(s) and not is_opaque(s) and not (mentions(s) & m.inner)
        if fixed and m.values.get(p, s) == s:
            yield replace(m, values=m.values.set(p, s))

    def _expr(self, p: Expr, s: Expr, m: Match) -> Iterator[Match]:
        match p, s:
            case (Read(), _) if p.sym in self.scalars:
                yield from self._scalar(p.sym, s, m)
            case (Read(), Read()):
                yield from self._place(p.sym, p.idx, s.sym, s.idx, m)
            case (Const(), Const()):
                equal = p == s or (not is_control(p) and not is_control(s) and p.value == s.value)
                if equal and (p.value != 0 or copysign(1, p.value) == copysign(1, s.value)):  # -0.0 clears no register
                    yield m
            case (Unary(), Unary()) if p.op == s.op:
                yield from self._expr(p.arg, s.arg, m)
            case (Binary(), Binary()) if p.op == s.op:
                yield from self._operands((p.lhs, p.rhs), (s.lhs, s.rhs), m)
                if p.op in "+*":
                    yield from self._operands((p.lhs, p.rhs), (s.rhs, s.lhs), m)
            case (ExternCall(), ExternCall()) if p.f == s.f:
                i, j = index_value(p), index_value(s)
                if i is not None and j is not None:
                    yield from self._equal(i, j, m)
                elif i is None and j is None:
                    yield from self._operands(p.args, s.args, m)
            case (Select(), Select()):
                for a in self._cond(p.cond, s.cond, m):
                    yield from self._operands((p.then, p.other), (s.then, s.other), a)
            case (ReadConfig(), ReadConfig()) if p == s:
                yield m
            case _:
                return

    def _operands(self, ps: Sequence[Expr], ss: Sequence[Expr], m: Match) -> Iterator[Match]:
        if not ps:
            yield m
            return
        if [*map(shape, ps)] != [*map(shape, ss)]:
            return
        for a in self._expr(ps[0], ss[0], m):
            yield from self._operands(ps[1:], ss[1:], a)

    def _scalar(self, p: Sym, s: Expr, m: Match) -> Iterator[Match]:
        """A scalar argument: an element, scalar or literal that is the same wherever it is used."""
        fixed = isinstance(s, Const) or (
            isinstance(s, Read) and not any(is_opaque(i) or self._moves(lin(i), m) for i in s.idx)
        )
        if fixed and m.values.get(p, s) == s:
            yield replace(m, values=m.values.set(p, s))
        else:
            self.unfit = (p, s)

    # -- places -----------------------------------------------------------------------------------

    def _place(self, p: Sym, pidx: Sequence[Expr], s: Sym, sidx: Sequence[Expr], m: Match) -> Iterator[Match]:
        """An access of the callee matched with one of the block."""
        if self.ranks.get(s) != len(sidx):
            return
        if p in self.scalars:
            yield from self._scalar(p, Read(s, pvector(sidx)), m)
            return
        here, there = [self._held(self._lin(i, m), m) for i in pidx], [lin(i) for i in sidx]
        view = m.views.get(p)
        if view is None:
            yield from self._new_view(p, s, here, there, m)
        elif view.sym == s:
            yield from self._agree(view, here, there, m)

    def _new_view(self, p: Sym, s: Sym, here: Sequence[Lin], there: Sequence[Lin], m: Match) -> Iterator[Match]:
        """The views under which the first access to an argument is the one of the block."""
        if p not in self.tensors:
            return
        if self._open(here):
            for a in self._paired(here, there, m):
                yield from self._new_view(p, s, [self._held(x, a) for x in here], there, a)
            return
        if not self.tensors[p].window:  # only a whole buffer will do
            if len(here) == len(there):
                whole = View(s, tuple((True, Lin(0)) for _ in there))
                yield from self._agree(whole, here, there, replace(m, views=m.views.set(p, whole)))
            return
        for kept in reversed(list(combinations(range(len(there)), len(here)))):
            dims = tuple((d in kept, x - here[kept.index(d)] if d in kept else x) for d, x in enumerate(there))
            if not any(_reads_config(x) or self._moves(subst_lin(x, m.solved), m) for _, x in dims):
                yield replace(m, views=m.views.set(p, View(s, dims)))

    def _agree(self, view: View, here: Sequence[Lin], there: Sequence[Lin], m: Match) -> Iterator[Match]:
        inner = iter(here)
        yield from self._zeros([offset + next(inner) - x if kept else offset - x
                                for (kept, offset), x in zip(view.dims, there, strict=True)], m)  # fmt: skip

    # -- windows and calls ------------------------------------------------------------------------

    def _passed(self, formals: Sequence[Type], ps: Sequence[Expr], ss: Sequence[Expr], m: Match) -> Iterator[Match]:
        """Two calls of one procedure: what each passes for every argument."""
        if not formals:
            yield m
            return
        for a in self._actual(formals[0], ps[0], ss[0], m):
            yield from self._passed(formals[1:], ps[1:], ss[1:], a)

    def _actual(self, formal: Type, p: Expr, s: Expr, m: Match) -> Iterator[Match]:
        if formal == bool_:
            yield from self._cond(p, s, m)
        elif isinstance(formal, Control):
            yield from self._equal(p, s, m)
        elif not isinstance(formal, Tensor):
            yield from self._expr(p, s, m)
        elif isinstance(p, Read | WindowExpr) and isinstance(s, Read | WindowExpr):
            yield from self._shown(p, s, m)

    def _shown(self, p: Read | WindowExpr, s: Read | WindowExpr, m: Match) -> Iterator[Match]:
        """What a window, or a whole buffer, of the callee shows matched with what one of the block does: it begins
        at the same cell and keeps the same dimensions. (Where both are passed, or viewed, their ends follow.)"""
        view = m.views.get(p.sym)
        rank = sum(kept for kept, _ in view.dims) if view is not None else self._rank(p.sym)
        here, there = _beginnings(p, rank), _beginnings(s, self.ranks.get(s.sym, 0))
        pidx, sidx = ([e for _, e in begin] for begin in (here, there))
        for a in self._place(p.sym, pidx, s.sym, sidx, m):
            inner = iter(here)
            kinds = [kept and next(inner)[0] for kept, _ in a.views[p.sym].dims]
            if kinds == [interval for interval, _ in there]:
                yield a

    def _reshaped(self, p: Sym, s: Sym, theirs: ViewExpr, ours: ViewExpr, m: Match) -> Iterator[Match]:
        """Two buffers with other extents: these are equal, and the buffers of which they are made are matched whole."""
        if len(theirs.shape) != len(ours.shape):
            return
        whole = View(s, tuple((True, Lin(0)) for _ in ours.shape))
        for a in self._shown(Read(theirs.sym, pvector()), Read(ours.sym, pvector()), m):
            for b in self._equals(theirs.shape, ours.shape, a):
                yield replace(b, views=b.views.set(p, whole))

    def _rank(self, p: Sym) -> int:
        return len(self.tensors[p].shape) if p in self.tensors else 0

    # -- equations --------------------------------------------------------------------------------

    def _moves(self, x: Lin, m: Match) -> bool:
        """Whether a form depends on an iterator of the block."""
        return any(isinstance(a, V) and a.sym in m.inner for a in lin_atoms(x))

    def _zeros(self, xs: Sequence[Lin], m: Match) -> Iterator[Match]:
        if not xs:
            yield m
            return
        for a in self._zero(xs[0], m):
            yield from self._zeros(xs[1:], a)

    def _zero(self, x: Lin, m: Match) -> Iterator[Match]:
        """With the equation `x == 0`: solved for an unknown, or kept; nothing if it cannot hold."""
        x = self._held(subst_lin(x, m.solved), m)
        if self._open([x]):
            for paired in self._paired([x], [x], m):
                yield from self._zero(x, paired)
            return
        if x == Lin(0):
            yield m
        if x.is_const or _reads_config(x):  # a config field that does not cancel may change
            return
        for a, k in x.terms:
            others = x.without(a) if a in self.unknowns and abs(k) == 1 else None
            if others is not None:
                value = others * -k
                if not self._moves(value, m):
                    solved = {b: subst_lin(y, {a: value}) for b, y in m.solved.items()}
                    yield replace(m, solved=pmap(solved).set(a, value))
                return
        for p, s in _opposite(x):
            for found in self._zeros([i - j for i, j in zip(p.index, s.index, strict=True)], m):
                if subst_lin(Lin.of(p) - Lin.of(s), found.solved) == Lin(0):
                    yield from self._zero(x, found)
                    return
        # What must be zero in every iteration does not depend on it.
        if any(a in self.unknowns for a in lin_atoms(x)) or not self._moves(x, m):
            yield replace(m, rest=(*m.rest, x))

    # -- elements that are indices ----------------------------------------------------------------

    def _held(self, x: Lin, m: Match) -> Lin:
        """A form in which elements of the callee's arguments are those of the buffers that they are, if it is known."""
        known: dict[Atom, Lin] = {}
        for e in lin_atoms(x):
            if isinstance(e, Element) and e.moment is None:
                view, value = m.views.get(e.sym), m.values.get(e.sym)
                index = [self._held(subst_lin(i, m.solved), m) for i in e.index]
                if view is not None:
                    inner = iter(index)
                    there = tuple([offset + next(inner) if kept else offset for kept, offset in view.dims])
                    known[e] = Lin.of(Element(view.sym, there))
                elif isinstance(value, Read):
                    known[e] = Lin.of(Element(value.sym, tuple([lin(i) for i in value.idx])))
        return subst_lin(x, known) if known else x

    def _open(self, xs: Iterable[Lin]) -> list[Element]:
        """The elements of arguments of the callee of which it is not known which buffers they are, inner ones first."""
        own = self.tensors.keys() | self.scalars
        return sorted((e for e in dict.fromkeys(_elements(xs)) if e.sym in own), key=lambda e: len(_elements(e.index)))

    def _paired(self, ps: Sequence[Lin], ss: Sequence[Lin], m: Match) -> Iterator[Match]:
        """The matches in which the first such element is one of those of the block."""
        own, p = self.tensors.keys() | self.scalars, self._open(ps)[0]
        if p.moment is not None:
            return
        for s in dict.fromkeys(_elements(ss)):
            if s.sym in own or s.moment is not None or self.ranks.get(s.sym) != len(s.index):
                continue
            if p.sym in self.scalars:
                yield from self._scalar(p.sym, Read(s.sym, pvector(map(to_expr, s.index))), m)
            else:
                yield from self._new_view(p.sym, s.sym, p.index, s.index, m)


def _elements(xs: Iterable[Lin]) -> list[Element]:
    return [a for x in xs for a in lin_atoms(x) if isinstance(a, Element)]


def _opposite(x: Lin) -> Iterator[tuple[Element, Element]]:
    """Elements of one buffer in different places that would cancel if the places were one."""
    found = [(a, k) for a, k in x.terms if isinstance(a, Element) and a.moment is None]
    for (a, k), (b, n) in combinations(found, 2):
        if a.sym == b.sym and k == -n:
            yield a, b
