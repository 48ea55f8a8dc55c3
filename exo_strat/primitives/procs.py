"""Multiple procedures (paper, appendix A.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor
from ..cursors.kinds import CallCursor
from ..cursors.proc import Proc
from ..cursors.rewrite import Rewrite
from ..frontend.precisions import precision_at, put_at
from ..frontend.scope import declarations, types_at
from ..ir import build as b
from ..ir.cells import indexing
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC, Memory
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Call,
    Const,
    Expr,
    For,
    If,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    Reduce,
    Stmt,
    StrideExpr,
    Var,
    ViewExpr,
    WinDim,
    WindowDef,
    WindowExpr,
)
from ..ir.precisions import concrete, element
from ..ir.printing import callee_names, names_at, print_expr, print_stmt
from ..ir.span import Span, span_of
from ..ir.types import Control, R, Tensor, Type, bool_
from ..ir.walk import Path, rewrite, walk, with_child
from ..logic.forms import Atom, Lin, V, is_opaque, lin, subst_lin
from ..logic.questions import (
    Unified,
    Unifier,
    View,
    accesses,
    evaluation,
    fresh_callee,
    safety,
    skeleton,
    to_expr,
    windows_at,
)
from ..ops.failure import NotApplicable, Refused, unsafe
from .framework import Trial, Where, primitive
from .helpers.access import bounds
from .helpers.arguments import Kind
from .helpers.refusing import applicable, of_kind, refuse, require
from .helpers.scoping import escaping, no_new_races, other_value, ready
from .helpers.wellformed import call_error, configs_differ, memories_at, well_formed

__all__ = ["call_eqv", "inline", "replace"]

ADDRESSABLE = (DRAM, DRAM_STACK, DRAM_STATIC)


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
            case ViewExpr(sym=s, rank=rank, shape=shape) if isinstance(whole := self.buffers.get(s), Read):
                return ViewExpr(whole.sym, rank, shape)
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


@primitive(
    "A.4",
    same_values=True,
    cursors={"target": "gone", "values inside": "gone, lost", "values elsewhere": "stay, first copy"},
    trial=Trial(programs="calls lent moved moved configuration drifting"),
)
def inline(rw: Rewrite, call: CallCursor) -> Where:
    """`foo(e, x)  ~>  the body of foo, with e and x put in`. Returns the block.

    A call evaluates its arguments once. So nothing in the callee may change what the values that are passed depend
    on, nor where the buffers that are passed lie (through config fields). What the callee introduces gets new
    names.

    Fails with `Unsafe` if the callee may change one of these.

    >>> from exo_strat import proc_from_source
    >>> double = proc_from_source('''
    ... def double(n: size, y: [f32][n]):
    ...     for i in seq(0, n):
    ...         y[i] = 2.0 * y[i]
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(x: f32[4, 8]):
    ...     for i in seq(0, 4):
    ...         double(6, x[i, 1:7])
    ... ''', {"double": double})
    >>> print(inline.direct(p, "double(_)"))
    def foo(x: f32[4, 8] @ DRAM):
        for i in seq(0, 4):
            for i_1 in seq(0, 6):
                x[i, 1 + i_1] = 2.0 * x[i, 1 + i_1]

    Refused: the callee changes the field whose value is passed, and uses that value afterwards.

    >>> from exo_strat import config
    >>> @config
    ... class Cfg:
    ...     row: index
    >>> first = proc_from_source('''
    ... def first(i: index, y: f32[8]):
    ...     assert 0 <= i and i < 8
    ...     Cfg.row = 0
    ...     y[i] = 0.0
    ... ''', {"Cfg": Cfg})
    >>> q = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     if 0 <= Cfg.row and Cfg.row < 8:
    ...         first(Cfg.row, x)
    ... ''', {"first": first, "Cfg": Cfg})
    >>> print(inline()(q, q.find("first(_)")).failure())
    inline(): not provable: the code does not change the expression
    one reads Cfg.row, the other writes Cfg.row in a call of first
        def foo(x: f32[8] @ DRAM):
            if 0 <= Cfg.row and Cfg.row < 8:
    -->         first(Cfg.row, x)
    """
    tree, node, at = rw.proc.tree, call.node, span_of(call.path)
    callee = node.f.tree
    control: dict[Sym, Expr] = {}
    buffers: dict[Sym, Expr] = {}
    for formal, given in zip(callee.args, node.args, strict=True):
        # indices are taken from arguments, not from their windows
        actual = _viewed(tree, call.path, given) if formal.sym in indexing(callee) else given
        passed = control if isinstance(formal.type, Control) else buffers
        passed[formal.sym] = _as_held(tree, callee, formal, actual)
        for e in evaluation.argument_values(actual):
            require(safety.unchanged(tree, at, e), call)
    actuals = Actuals(control, buffers)
    body = [rewrite(s, actuals.put) for s in rw.copy(callee.body)]
    inlined = rw.exchange(at, *body)
    well_formed(rw)
    return inlined


def _viewed(tree: ProcDef, path: Path, e: Expr) -> Expr:
    """A buffer or window that is passed, in terms of the buffer that has its elements, where that means the same."""
    views = windows_at(tree, path)
    while isinstance(e, Read | WindowExpr) and e.sym in views:
        rhs = views[e.sym]
        if isinstance(rhs, ViewExpr) or any(is_opaque(x) for d in rhs.idx for x in bounds(d)):
            break
        e = Actuals({}, {e.sym: rhs}).put(e)  # type: ignore[assignment]
    return e


def _as_held(tree: ProcDef, callee: ProcDef, formal: Arg, actual: Expr) -> Expr:
    """What is passed, at the precision of the argument: a value may be computed at another one."""
    if isinstance(formal.type, Control) or isinstance(actual, Read | WindowExpr):
        return actual
    held, types = element(formal.type), declarations(tree)
    places = [path for path, n in walk(callee) if isinstance(n, Read) and n.sym == formal.sym]
    values = [put_at(callee, path, actual, held, types) for path in places]
    return next((v for v in values if v != actual), actual)


# -- replace ------------------------------------------------------------------------------------------


@primitive(
    "A.4",
    same_values=True,
    cursors={"target": "gone", "inside": "gone", "values inside": "gone, lost"},
    trial=Trial(
        programs="calls lookalikes misfits misfits configuration",
        undoes="inline",
        at=(("like a callee", 85),),
    ),
)
def replace(rw: Rewrite, block: BlockCursor, callee: Annotated[Proc, Kind("what a block may call")]) -> Where:
    """`s  ~>  foo(..)`, if s is the body of foo for some arguments. Returns the call.

    The arguments are found by unification: integers from linear equations, windows from the accesses. Where
    a window could show either of two dimensions, the last is tried first. Scalars may be any element, scalar
    or literal. Loops match up to a shift of their iterators, operands of `+` and `*` in either order, calls if
    they are of the same procedure.

    Fails with `NotApplicable` if there are no such arguments, or only in other memories or precisions, and
    with `Unsafe` if what the call owes is not true here: what foo asserts, positive sizes, strides, windows
    that lie in their buffers, no overlap of an argument that is written with another one.

    >>> from exo_strat import proc_from_source
    >>> zero = proc_from_source('''
    ... def zero(n: size, y: [f32][n]):
    ...     assert n <= 8
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(x: f32[16, 4]):
    ...     for j in seq(0, 4):
    ...         for i in seq(10, 16):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(replace.direct(p, "for i in _: _", zero))
    def foo(x: f32[16, 4] @ DRAM):
        for j in seq(0, 4):
            zero(6, x[10:16, j])

    Refused: n may be 9, and `zero` asserts that it is at most 8.

    >>> zero = proc_from_source('''
    ... def zero(n: size, y: [f32][n]):
    ...     assert n <= 8
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ... ''')
    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(replace(zero)(q, q.find_loop("i")).failure())
    replace(zero): not true: zero asserts n <= 8, which may be false here; for example n = 9
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(0, n):
                x[i] = 0.0
    """
    tree, span, stmts = rw.proc.tree, block.span, list(block.stmts)
    same = [skeleton(s) for s in stmts] == [skeleton(s) for s in callee.tree.body]
    if not same:
        odd = _odd(tree, stmts, callee.tree)
        applicable(False, f"the block does not have the shape of {callee.name()}'s body: {odd}", block)
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    call = _as_call(tree, span, stmts, callee, block)
    ready(rw, evaluation.has_value(tree, block.span, call), block)
    rw.exchange(span, call)
    if not all(a.exact for a in accesses(call)):  # of what the callee does, less is known here
        no_new_races(rw, span.path())
    if configs_differ(stmts, call):
        well_formed(rw)
    return span.path()


def _as_call(tree: ProcDef, span: Span, stmts: Sequence[Stmt], callee: Proc, block: BlockCursor) -> Call:
    """The first call of `callee` that the block is and that may stand here."""
    path, fresh = span.path(), fresh_callee(callee.tree)
    types, mems = types_at(tree, path), memories_at(tree, path)
    ranks = {s: _rank(t) for s, t in types.items() if not isinstance(t, Control)}
    ranks |= {n.sym: _rank(n.type) for s in stmts for _, n in walk(s) if isinstance(n, Alloc)}
    ranks |= {n.sym: _kept(n.rhs) for s in stmts for _, n in walk(s) if isinstance(n, WindowDef)}
    first = u = None
    shapes = {s: t.shape for s, t in types.items() if isinstance(t, Tensor)}
    unifier = Unifier(fresh, ranks, shapes)
    for u in unifier.solutions(stmts):
        if all(safety.linear(tree, path, e) for e in u.rest) and _fits(fresh, u, types, mems):
            call = Call(callee, pvector(_actual(a, u) for a in fresh.args))
            error = call_error(tree, path, call)
            if error is None:
                return call
            first = first or error
    what = f"the block does not unify with the body of {callee.name()}"
    applicable(first is not None, f"{what}: {_apart(tree, unifier)}" if u is None else f"{what}: {UNFIT}", block)
    assert first is not None
    raise Refused(unsafe(first.message, first.counterexample))


def _head(tree: ProcDef, s: Stmt) -> str:
    """The first line of a statement of a tree."""
    return print_stmt(s, names_at(tree), callee_names(tree)).partition("\n")[0].removesuffix(":")


def _odd(tree: ProcDef, ours: Sequence[Stmt], callee: ProcDef) -> str:
    """The first statements in which a block and a callee's body are of different shapes."""
    theirs: Sequence[Stmt] = callee.body
    while len(ours) == len(theirs):
        a, b = next((a, b) for a, b in zip(ours, theirs, strict=True) if skeleton(a) != skeleton(b))
        if isinstance(a, For) and isinstance(b, For) and a.mode == b.mode:
            ours, theirs = a.body, b.body
        elif isinstance(a, If) and isinstance(b, If):
            same = [*map(skeleton, a.body)] == [*map(skeleton, b.body)]
            ours, theirs = (a.orelse, b.orelse) if same else (a.body, b.body)
        else:
            return f"`{_head(tree, a)}` stands where that has `{_head(callee, b)}`"
    return f"it has {len(ours)} statements where that has {len(theirs)}"


UNFIT = (
    "the arguments that make them equal do not fit: a buffer is of another memory or precision, or defined in the "
    "block, or a literal is computed with at another precision, or two integers are not known to be equal"
)


def _apart(tree: ProcDef, unifier: Unifier) -> str:
    """Which statement of a block no arguments make equal to the one in its place in the callee."""
    if unifier.furthest is None:
        return "both are empty"
    callee, (theirs, ours) = unifier.callee, unifier.furthest
    text = f"no arguments make `{_head(callee, theirs)}` of {callee.name} equal to `{_head(tree, ours)}`"
    if unifier.unfit is None:
        return text
    formal, value = unifier.unfit
    shown = print_expr(value, names_at(tree))
    given = f"one scalar or literal is passed, or one element, and here it is {shown}"
    return f"{text}: for {names_at(callee)[formal]} {given}"


def _rank(t: Type) -> int:
    return len(t.shape) if isinstance(t, Tensor) else 0


def _kept(w: WindowExpr | ViewExpr) -> int:
    """How many dimensions what a name stands for has."""
    return len(w.shape) if isinstance(w, ViewExpr) else sum(isinstance(d, Interval) for d in w.idx)


def _fits(callee: ProcDef, u: Unified, types: Mapping[Sym, Type], mems: Mapping[Sym, Memory]) -> bool:
    """Whether each buffer is known outside the block, and in a memory and of a precision that agree."""
    for a in callee.args:
        if isinstance(a.type, Tensor):
            view = u.views.get(a.sym)
            if view is None or not _agrees(a, types.get(view.sym), mems.get(view.sym)):
                return False
        elif a.type == bool_ or not isinstance(a.type, Control):
            value = u.values.get(a.sym)
            if value is None or (isinstance(value, Read) and not _agrees(a, types.get(value.sym), mems.get(value.sym))):
                return False
    return _literals_agree(callee, u)


def _literals_agree(callee: ProcDef, u: Unified) -> bool:
    """Whether each literal that is passed stands in the block at the precision of its argument, at which the callee
    computes with it. The block is the body of the callee with all of them put in."""
    passed = {
        a.sym: u.values[a.sym]
        for a in callee.args
        if not isinstance(a.type, Control) and isinstance(u.values.get(a.sym), Const)
    }
    if not passed:
        return True
    held = {a.sym: concrete(element(a.type)) for a in callee.args if a.sym in passed}
    places = [(path, n.sym) for path, n in walk(callee) if isinstance(n, Read) and n.sym in passed]
    block = rewrite(callee, lambda n: passed.get(n.sym, n) if isinstance(n, Read) else n)
    return all(concrete(precision_at(block, path)) == held[sym] for path, sym in places)


def _agrees(formal: Arg, t: Type | None, mem: Memory | None) -> bool:
    want = formal.type.base if isinstance(formal.type, Tensor) else formal.type
    have = t.base if isinstance(t, Tensor) else t
    return same_place(formal.mem, mem) and (want == have or (have is not None and R in (want, have)))


def same_place(one: Memory | None, two: Memory | None) -> bool:
    """Whether what lives in one memory may be passed for what is declared to live in the other."""
    return one == two or (one in ADDRESSABLE and two in ADDRESSABLE)


def _actual(a: Arg, u: Unified) -> Expr:
    if a.sym in u.control:
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


@primitive("A.4", same_values=True, again=True, trial=Trial(programs="calls lent lent configuration"))
def call_eqv(rw: Rewrite, call: CallCursor, other: Annotated[Proc, Kind("another version of what is called")]) -> Where:
    """`foo(..)  ~>  bar(..)`, for two versions of one procedure that compute the same.

    Both descend from one original by rewrites that keep its values (not by one that changes a precision, or asserts
    more), and take the same arguments. What `bar` asserts is proved.

    A rewrite may drop a computation that fails, such as a read of memory that was never written, but never adds
    one. So if `bar` was not made from `foo`, the version that both were made from must surely run. Where the two
    may leave different values in a config field (`bind_config`, `delete_config`, `write_config`), nothing reads it
    after the call before it is written again. Where `bar` may read more of an argument before it writes it
    (`stage_mem`, `specialize`, `bind_expr`), that was surely written, or `foo` reads it, too; of an argument of the
    caller, the caller's caller is asked. Iterations of a parallel loop around the call still share nothing that
    they write. Returns the call.

    Fails with `NotApplicable` if the two are no such versions, or take other arguments; with `Unsafe` if one of the
    other conditions does not hold.

    >>> from exo_strat import proc_from_source
    >>> from exo_strat.direct import rename, unroll_loop
    >>> bar = proc_from_source('''
    ... def bar(x: f32[2]):
    ...     for i in seq(0, 2):
    ...         x[i] = 0.0
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(x: f32[2]):
    ...     bar(x)
    ... ''', {"bar": bar})
    >>> print(call_eqv.direct(p, "bar(_)", rename(unroll_loop(bar, "i"), "bar_fast")))
    def foo(x: f32[2] @ DRAM):
        bar_fast(x)

    Refused: `fast` does not set the field, which is read after the call.

    >>> from exo_strat import config
    >>> from exo_strat.direct import delete_config
    >>> @config
    ... class Load:
    ...     scale: f32
    >>> bar = proc_from_source('''
    ... def bar(x: f32):
    ...     Load.scale = 2.0
    ...     x = 1.0
    ... ''', {"Load": Load})
    >>> fast = rename(delete_config(bar, "Load.scale = _"), "fast")
    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     bar(x)
    ...     x = Load.scale
    ... ''', {"bar": bar, "Load": Load})
    >>> print(call_eqv(fast)(q, q.find("bar(_)")).failure())
    call_eqv(fast): not true: Load.scale is not read afterwards, before it is written again
    it reads Load.scale
        def foo(x: f32 @ DRAM):
    -->     bar(x)
            x = Load.scale
    """
    node, tree, path = call.node, rw.proc.tree, call.path
    what = f"{node.f.tree.name} and {other.name()} are not versions of one procedure"
    old = of_kind(node.f, Proc, what, call)
    if old.origin is not other.origin:
        refuse(NotApplicable(what + _parting(old, other), place=call))
    same = [*map(_passing, old.tree.args)] == [*map(_passing, other.tree.args)]
    applicable(same, "the two procedures take different kinds of arguments, or in other memories", call)
    here = span_of(path)
    common = next(p for p in old.versions() if any(p is q for q in other.versions()))
    if common is not old:
        ready(rw, evaluation.runs(tree, here, with_child(node, "f", common)), call)
    new = with_child(node, "f", other)
    ready(rw, evaluation.arguments_ready(tree, here, new, other.needs_since(common)), call)
    error = call_error(tree, path, new)
    if error is not None:
        refuse(unsafe(error.message, error.counterexample))
    ready(rw, evaluation.has_value(tree, here, new), call)
    rw.set(path, f=other)
    no_new_races(rw, path)
    for field in sorted(old.leaves_since(common) | other.leaves_since(common), key=lambda f: (f.config.name, f.field)):
        other_value(rw, tree, span_of(path).path(1), field, call)
    if configs_differ([node], new):
        well_formed(rw)
    return path


def _parting(old: Proc, other: Proc) -> str:
    """Which rewrites made two procedures of one that are no longer interchangeable, in words; else nothing."""
    lines = [list(_lineage(p)) for p in (old, other)]
    if lines[0][-1] is not lines[1][-1]:
        return ""
    new = [p for line in lines for p in line if p.parent is not None and p.origin is not p.parent.origin]
    ops = dict.fromkeys(repr(p.rewritten.op) for p in new if p.rewritten is not None)
    return f" that compute the same for the same arguments, after {' and '.join(ops)}"


def _lineage(p: Proc | None) -> Iterator[Proc]:
    """A procedure and all that it was made from, up to the first."""
    while p is not None:
        yield p
        p = p.parent


def _passing(a: Arg) -> object:
    """How an argument is passed: its type, but for extents, and where it lives."""
    t = (a.type.base, len(a.type.shape), a.type.window) if isinstance(a.type, Tensor) else a.type
    return t, "memory" if a.mem in ADDRESSABLE else a.mem
