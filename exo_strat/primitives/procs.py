"""Multiple procedures (paper, appendix A.4). Imports `framework`, `logic` and `frontend.checks`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor
from ..cursors.edits import Span, span_of
from ..cursors.kinds import CallCursor
from ..cursors.proc import Proc
from ..cursors.rewrite import Rewrite
from ..failure import unsafe
from ..frontend.checks import check
from ..frontend.errors import CheckError
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC, Memory
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Call,
    Expr,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    Reduce,
    StrideExpr,
    Var,
    WinDim,
    WindowDef,
    WindowExpr,
)
from ..ir.types import Control, R, Scalar, Tensor
from ..ir.walk import rewrite, walk, with_child
from ..logic import safety
from ..logic.affine import Atom, Lin, V, subst_lin
from ..logic.normal import to_expr
from ..logic.translate import lin
from ..logic.unify import Unified, Unifier, View, fresh_callee, skeleton
from .framework import Where, applicable, argument, primitive, refuse, require
from .scoping import escaping

ADDRESSABLE = (DRAM, DRAM_STACK, DRAM_STATIC)


def well_formed(rw: Rewrite) -> None:
    """Owed when a call is new: what its callee asserts, extents, strides, bounds, no aliasing."""
    try:
        check(rw.tree)
    except CheckError as e:
        refuse(unsafe(e.message, e.counterexample))


# -- inline -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Actuals:
    """What a callee's arguments stand for at a call."""

    control: Mapping[Sym, Expr]
    buffers: Mapping[Sym, Expr]

    def put(self, n: Node) -> Node:
        """A node of the callee's body, whose parts are done, in the caller's terms."""
        match n:
            case Var(sym=s):
                return self.control.get(s, n)
            case Read(sym=s, idx=idx) if s in self.buffers:
                return self._read(self.buffers[s], idx)
            case Assign(sym=s) | Reduce(sym=s) if s in self.buffers:
                place = self._read(self.buffers[s], n.idx)
                assert isinstance(place, Read)
                return with_child(with_child(n, "sym", place.sym), "idx", place.idx)
            case WindowExpr(sym=s, idx=dims) if s in self.buffers:
                return self._window(self.buffers[s], dims)
            case StrideExpr(sym=s, dim=d) if s in self.buffers:
                return self._stride(self.buffers[s], d)
            case _:
                return n

    def _read(self, actual: Expr, idx: Sequence[Expr]) -> Expr:
        if isinstance(actual, WindowExpr):
            if not idx:
                return actual
            inner = iter(idx)
            place = [d.pt if isinstance(d, Point) else b.add(d.lo, next(inner)) for d in actual.idx]
            return Read(actual.sym, pvector(place))
        return Read(actual.sym, pvector(idx)) if isinstance(actual, Read) and not actual.idx else actual

    def _window(self, actual: Expr, dims: Sequence[WinDim]) -> Expr:
        if isinstance(actual, Read):
            return WindowExpr(actual.sym, pvector(dims))
        assert isinstance(actual, WindowExpr)
        inner = iter(dims)
        out: list[WinDim] = []
        for d in actual.idx:
            if isinstance(d, Point):
                out.append(d)
                continue
            w = next(inner)
            out.append(
                Point(b.add(d.lo, w.pt)) if isinstance(w, Point) else Interval(b.add(d.lo, w.lo), b.add(d.lo, w.hi))
            )
        return WindowExpr(actual.sym, pvector(out))

    def _stride(self, actual: Expr, dim: int) -> Expr:
        if isinstance(actual, Read):
            return StrideExpr(actual.sym, dim)
        assert isinstance(actual, WindowExpr)
        kept = [d for d, w in enumerate(actual.idx) if isinstance(w, Interval)]
        return StrideExpr(actual.sym, kept[dim])


@primitive()
def inline(rw: Rewrite, call: CallCursor) -> Where:
    """`foo(e, x)  ~>  the body of foo, with e and x put in`. Paper: A.4. Returns the block."""
    tree, node = rw.proc.tree, call.node
    assert isinstance(node, Call)
    callee = node.f.tree
    here = safety.Blk(*span_of(call.path))
    written = {n.sym for _, n in walk(callee) if isinstance(n, Assign | Reduce)}
    control: dict[Sym, Expr] = {}
    buffers: dict[Sym, Expr] = {}
    for formal, actual in zip(callee.args, node.args, strict=True):
        if isinstance(formal.type, Control):
            control[formal.sym] = actual
        else:
            buffers[formal.sym] = actual
        if not isinstance(actual, Read | WindowExpr):
            applicable(formal.sym not in written, f"{formal.sym} is written, but a value was passed for it", call)
        if isinstance(formal.type, Control | Scalar) and formal.sym not in written:
            require(safety.unchanged(tree, here, actual), call)
    actuals = Actuals(control, buffers)
    body = [rewrite(s, actuals.put) for s in rw.copy(callee.body)]
    rw.insert_after(call.path, *body)
    at = span_of(call.path)
    rw.delete(at)
    return Span(at.parent, at.label, at.lo, at.lo + len(body))


# -- replace ------------------------------------------------------------------------------------------


@primitive()
def replace(rw: Rewrite, block: BlockCursor, callee: Proc) -> Where:
    """`s  ~>  foo(..)`, if s is the body of foo for some arguments. Paper: A.4.

    The arguments are found by unification; they must be unique up to the choice of a buffer's dimension
    of extent 1, for which the last is taken. What a call of foo requires is then proved. Returns the call.
    """
    argument(isinstance(callee, Proc), f"{callee!r} is no procedure")
    tree, span = rw.proc.tree, block.span
    stmts = list(block.stmts)
    same = [skeleton(s) for s in stmts] == [skeleton(s) for s in callee.tree.body]
    applicable(same, f"the block does not have the shape of {callee.name()}'s body", block)
    types = declarations(tree)
    ranks = {s: len(t.shape) if isinstance(t, Tensor) else 0 for s, t in types.items() if not isinstance(t, Control)}
    other = fresh_callee(callee.tree, tree.next_id + 1)
    found = next((u for u in Unifier(other, ranks).solutions(stmts) if _fits(tree, span, other, u, types)), None)
    applicable(found is not None, f"the block does not unify with the body of {callee.name()}", block)
    assert found is not None
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    call = Call(callee, pvector(_actual(a, found) for a in other.args))
    rw.insert_before(span.path(), call)
    rw.delete(Span(span.parent, span.label, span.lo + 1, span.hi + 1))
    well_formed(rw)
    return span.path()


def _fits(tree: ProcDef, span: Span, callee: ProcDef, u: Unified, types: Mapping[Sym, object]) -> bool:
    """Whether what is left of the equations holds, and memories and precisions agree."""
    for e in u.rest:
        goal = safety.linear(tree, span.path(), e)
        if not goal:
            return False
    mems = _memories(tree)
    for a in callee.args:
        if isinstance(a.type, Tensor):
            view = u.views.get(a.sym)
            if view is None or not _agrees(a, types[view.sym], mems.get(view.sym)):
                return False
        elif isinstance(a.type, Scalar):
            value = u.values.get(a.sym)
            if value is None or (isinstance(value, Read) and not _agrees(a, types[value.sym], mems.get(value.sym))):
                return False
    return True


def _memories(tree: ProcDef) -> Mapping[Sym, Memory]:
    mems: dict[Sym, Memory] = {}
    for _, n in walk(tree):
        if isinstance(n, Arg | Alloc) and n.mem is not None:
            mems[n.sym] = n.mem
        elif isinstance(n, WindowDef) and n.rhs.sym in mems:
            mems[n.sym] = mems[n.rhs.sym]
    return mems


def _agrees(formal: Arg, t: object, mem: Memory | None) -> bool:
    want = formal.type.base if isinstance(formal.type, Tensor) else formal.type
    have = t.base if isinstance(t, Tensor) else t
    place = formal.mem == mem or (formal.mem in ADDRESSABLE and mem in ADDRESSABLE)
    return place and (want == have or R in (want, have))


def _actual(a: Arg, u: Unified) -> Expr:
    if isinstance(a.type, Control):
        return to_expr(u.control[a.sym])
    if not isinstance(a.type, Tensor):
        return u.values[a.sym]
    view: View = u.views[a.sym]
    if not a.type.window:
        return Read(view.sym, pvector())
    env: dict[Atom, Lin] = {V(s): x for s, x in u.control.items()}
    extents = iter([subst_lin(lin(e), env) for e in a.type.shape])
    dims: list[WinDim] = []
    for kept, offset in view.dims:
        lo = to_expr(offset)
        dims.append(Interval(lo, to_expr(offset + next(extents))) if kept else Point(lo))
    return WindowExpr(view.sym, pvector(dims))


# -- call_eqv -----------------------------------------------------------------------------------------


@primitive()
def call_eqv(rw: Rewrite, call: CallCursor, other: Proc) -> Where:
    """`foo(..)  ~>  bar(..)`, for two versions of one procedure that compute the same. Paper: A.4.

    They must descend from one original by rewrites that keep its values (not from one whose precision was
    changed), and take the same arguments. Returns the call.
    """
    node = call.node
    assert isinstance(node, Call)
    argument(isinstance(other, Proc), f"{other!r} is no procedure")
    old = node.f
    same = isinstance(old, Proc) and old.origin is other.origin
    applicable(same, f"{old.tree.name} and {other.name()} are not versions of one procedure", call)
    kinds = [(type(a.type), getattr(a.type, "window", None)) for a in old.tree.args]
    applicable(
        kinds == [(type(a.type), getattr(a.type, "window", None)) for a in other.tree.args],
        "the two procedures take different kinds of arguments",
        call,
    )
    rw.set(call.path, f=other)
    well_formed(rw)
    return call.path

