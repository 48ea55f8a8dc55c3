"""What statements do to memory: their accesses.

The summary of a statement is a list of accesses: which location (an affine index in the base buffer),
how (read, write, accumulate), under which guard (loop ranges and conditions inside the statement), and
when (a timestamp to be compared lexicographically). Windows are resolved to base buffers, calls to
their callee's accesses with arguments put in, config fields are buffers of rank 0; buffers allocated
inside are private and left out. Summaries are memoised on the statement.

What cannot be said in terms that stay the same is left out of guards and positions, so that an access
may seem to happen more often, or anywhere; `Access.exact` tells whether it surely happens as described.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final, NamedTuple, TypeAlias

from pyrsistent import pvector

from ...ir.cells import has_cells
from ...ir.frozen import fast_init
from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Assign,
    Binary,
    Call,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Select,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from ...ir.span import Span
from ...ir.types import Control, Scalar, Tensor, Type, bool_
from ...ir.walk import LOGICAL, Path, asked_at_entry, children, get, put_at, rewrite, unknown_node, walk
from ..forms.affine import Atom, BoolAtom, Element, Leaf, Lin, Opaque, V, lin_atoms, product, subst_lin
from ..forms.formula import TRUE, Formula, atoms, conj, le, lt, map_lins
from ..forms.translate import EMPTY, is_opaque, lin, unknown
from .config_state import values_at, written_fields
from .context import branch_facts, flatten, range_facts, stable_facts
from .summaries import summed

Buffer: TypeAlias = Sym | tuple[str, str, str]
Index: TypeAlias = tuple[Lin | None, ...]
CALLEE: Final = "@"
"""The instance of an iterator of a callee, which is none of the caller's."""


class Tick(NamedTuple):
    """A part of a timestamp: a position in a block, or an iteration. Between iterations of a loop that
    is not `seq` there is no order."""

    at: Lin
    ordered: bool = True


@fast_init
@dataclass(frozen=True, slots=True)
class Seen:
    """Where an access is by the extents with which a buffer is seen, row by row: of two accesses to one buffer that are
    seen with equal extents, the places are one if the indices are. `exact` as of the access, but for its position in
    the buffer itself."""

    shape: tuple[Lin, ...]
    index: Index
    exact: bool

    def position(self) -> Lin | None:
        """How many elements come before it."""
        if None in self.index:
            return None
        before = Lin(0)
        for n, x in zip(self.shape, self.index, strict=True):
            assert x is not None
            before = product(before, n) + x
        return before


@fast_init
@dataclass(frozen=True, slots=True)
class Access:
    """One access, for every instance of `iters` that satisfies `guard`.

    `index` has None where the position is not known; `exact` is false if the guard or index leaves
    something out (a condition on data or config fields), so that the access need not happen. `node` is the
    expression or statement that makes it; of what a callee does, the call. `joint` tells that it sums up writes
    that are listed, too: those of both branches of an `if`, of which one surely runs. `until` is given if it stands
    for several at different times: the first is at `when`, the last at `until`. Then it is not exact. `seen` is given
    if it is through a buffer with other extents.
    """

    buffer: Buffer
    kind: str
    index: Index
    node: Node
    guard: Formula = TRUE
    iters: tuple[V, ...] = ()
    exact: bool = True
    when: tuple[Tick, ...] = ()
    op: str = ""
    joint: bool = False
    until: tuple[Tick, ...] | None = None
    seen: Seen | None = None

    @property
    def end(self) -> tuple[Tick, ...]:
        """The time of the last of what it stands for."""
        return self.when if self.until is None else self.until

    @property
    def writes(self) -> bool:
        """Whether it changes the location."""
        return self.kind != "R"

    @property
    def reads(self) -> bool:
        """Whether it needs the location's old value."""
        return self.kind != "W"

    def placed(self, ticks: tuple[Tick, ...], iters: tuple[V, ...], guard: Formula, sure: bool = True) -> Access:
        """The same access where more is around it: `ticks` come before its time; it is not `sure` that it happens if
        the guard leaves something out. (`dataclasses.replace` takes three times as long.)"""
        when, until = (*ticks, *self.when), None if self.until is None else (*ticks, *self.until)
        seen = self.seen if sure or self.seen is None else Seen(self.seen.shape, self.seen.index, False)
        return Access(
            self.buffer, self.kind, self.index, self.node, guard, iters, self.exact and sure, when, self.op,
            self.joint, until, seen,
        )  # fmt: skip

    def at(self, buffer: Buffer, index: Index, exact: bool, seen: Seen | None = None) -> Access:
        """The same access of another buffer."""
        return Access(
            buffer, self.kind, index, self.node, self.guard, self.iters, exact, self.when, self.op, self.joint,
            self.until, seen,
        )  # fmt: skip

    def made_by(self, node: Node) -> Access:
        """The same access, made by another node."""
        return Access(
            self.buffer, self.kind, self.index, node, self.guard, self.iters, self.exact, self.when, self.op,
            self.joint, self.until, self.seen,
        )  # fmt: skip

    def timed(self, *ticks: Tick) -> Access:
        """The same access, where `ticks` come before its time."""
        return self.placed(ticks, self.iters, self.guard)


def config_key(config: str, field: str) -> Buffer:
    """The buffer that a config field is."""
    return ("config", config, field)


def move(a: Access, env: Mapping[Atom, Lin]) -> Access:
    """An access with unknowns replaced: an iterator by an iterator, an outer variable by a value."""
    def put_in(x: Lin) -> Lin:
        return subst_lin(x, env)

    return _mapped(a, put_in, map_lins(a.guard, put_in), _renamed(a, env))


def move_all(found: Iterable[Access], env: Mapping[Atom, Lin]) -> Iterator[Access]:
    """Accesses with unknowns replaced, as by `move`. What is the same in many of them is replaced once."""
    put_in = cache(partial(subst_lin, env=env))
    guarded = cache(partial(map_lins, g=put_in))
    return (_mapped(a, put_in, guarded(a.guard), _renamed(a, env)) for a in found)


def _renamed(a: Access, env: Mapping[Atom, Lin]) -> tuple[V, ...]:
    """The iterators of an access, of which some are replaced."""
    return tuple([_iterator(env[i]) if i in env else i for i in a.iters])


def _mapped(a: Access, f: Callable[[Lin], Lin], guard: Formula, iters: tuple[V, ...]) -> Access:
    """An access with each form in it changed, under another guard."""

    def each(index: Index) -> Index:
        return tuple([None if x is None else f(x) for x in index])

    def moved(when: tuple[Tick, ...]) -> tuple[Tick, ...]:
        return tuple([Tick(f(t.at), t.ordered) for t in when])

    seen = None if a.seen is None else Seen(tuple(map(f, a.seen.shape)), each(a.seen.index), a.seen.exact)
    when, until = moved(a.when), None if a.until is None else moved(a.until)
    return Access(a.buffer, a.kind, each(a.index), a.node, guard, iters, a.exact, when, a.op, a.joint, until, seen)


def _iterator(x: Lin) -> V:
    ((v, _),) = x.terms
    assert isinstance(v, V)
    return v


# -- expressions --------------------------------------------------------------------------------------


def index_of(es: Iterable[Expr]) -> Index:
    """Affine positions; None for what depends on config fields."""
    return tuple(None if is_opaque(e) else lin(e) for e in es)


@memo_by_identity
def reads_of(e: Node) -> tuple[Access, ...]:
    """The reads that evaluating an expression (or indices, or a window's creation) makes."""
    if isinstance(e, Binary) and e.op in LOGICAL:  # the second part only runs if the first doesn't decide
        return (*reads_of(e.lhs), *_side(e.lhs, e.op == "and", e.rhs))
    if isinstance(e, Select):
        return (*reads_of(e.cond), *_side(e.cond, True, e.then), *_side(e.cond, False, e.other))
    if not isinstance(e, _WHOLE):
        unknown_node(e, "which of its parts it evaluates")
    found: list[Access] = []
    if isinstance(e, Read):
        idx = index_of(e.idx)
        found.append(Access(e.sym, "R", idx, e, exact=None not in idx))
    elif isinstance(e, ReadConfig):
        found.append(Access(config_key(e.config.name, e.field), "R", (), e))
    elif isinstance(e, Claim):
        found.append(Access(e.sym, "R", (None,) * e.rank, e, exact=False))
    for _, c in children(e):
        found.extend(reads_of(c))
    return tuple(found)


_WHOLE = (
    Read, ReadConfig, Var, Const, Unary, Binary, ExternCall, StrideExpr, WindowExpr, ViewExpr, Interval, Point, Type,
    Cell, Claim,
)  # fmt: skip
"""What evaluates all of its parts."""


def _side(condition: Expr, truth: bool, e: Expr) -> list[Access]:
    """The reads of an expression that is only evaluated where a condition is `truth`."""
    reads = reads_of(e)
    guard = conj(*stable_facts(condition, EMPTY, truth)) if reads else TRUE
    return _guarded(reads, guard, not is_opaque(condition))


def _at(time: int, accesses: Iterable[Access]) -> list[Access]:
    tick = Tick(Lin(time))
    return [a.timed(tick) for a in accesses]


def _guarded(
    accesses: Iterable[Access], guard: Formula, exact: bool, when: tuple[Tick, ...] = (), iters: tuple[V, ...] = ()
) -> list[Access]:
    """Accesses with a guard, and what comes before them in time and in the nest of loops."""
    if guard == TRUE and exact and not when:
        return list(accesses)
    both = cache(partial(conj, guard))  # many have one guard
    return [a.placed(when, (*iters, *a.iters), both(a.guard), exact) for a in accesses]


# -- statements ---------------------------------------------------------------------------------------


Shown: TypeAlias = WindowExpr | ViewExpr
"""What a name may stand for in a procedure besides a buffer."""


@memo_by_identity
def accesses(s: Stmt) -> tuple[Access, ...]:
    """The accesses of a statement to buffers that it does not itself allocate."""
    return _accesses(s, whole=False)


@memo_by_identity
def accesses_at_most(s: Stmt) -> tuple[Access, ...]:
    """Fewer accesses, which take in all `accesses` of a statement: a call, other than of an instruction, is taken to
    touch all of the windows that it is given. They are not exact, and have no times."""
    return _accesses(s, whole=True)


def _accesses(s: Stmt, whole: bool) -> tuple[Access, ...]:
    match s:
        case Assign(sym=sym, idx=idx, rhs=rhs):
            return (*_operands(idx, rhs), *_at(1, [_store(s, sym, "W", idx)]))
        case Reduce(sym=sym, idx=idx, rhs=rhs, op=op):
            return (*_operands(idx, rhs), *_at(1, [replace(_store(s, sym, "A", idx), op=op)]))
        case WriteConfig(config=c, field=f, rhs=rhs):
            return (*_at(0, reads_of(rhs)), *_at(1, [Access(config_key(c.name, f), "W", (), s)]))
        case For():
            return _loop(s, whole)
        case If():
            return _branch(s, whole)
        case WindowDef(rhs=rhs):
            return tuple(_at(0, [a for _, d in children(rhs) for a in reads_of(d)]))
        case Alloc(type=t):
            return tuple(_at(0, reads_of(t)))
        case Call():
            return _call(s, _touched if whole and s.f.tree.instr is None else _of_callee)
        case _:
            return ()


def _operands(idx: Iterable[Expr], rhs: Expr) -> list[Access]:
    return _at(0, [a for e in (*idx, rhs) for a in reads_of(e)])


def _store(s: Stmt, sym: Sym, kind: str, idx: Iterable[Expr]) -> Access:
    position = index_of(idx)
    return Access(sym, kind, position, s, exact=None not in position)


def _loop(s: For, whole: bool) -> tuple[Access, ...]:
    bounds = _at(0, (*reads_of(s.lo), *reads_of(s.hi)))
    i, guard = V(s.iter), conj(*range_facts(s))
    exact = not (is_opaque(s.lo) or is_opaque(s.hi))
    turn = Tick(unknown(s.iter), s.mode == "seq")
    return (*bounds, *_guarded(block_accesses(s.body, whole=whole), guard, exact, (Tick(Lin(1)), turn), (i,)))


def _branch(s: If, whole: bool) -> tuple[Access, ...]:
    exact = not is_opaque(s.cond)
    out = _at(0, reads_of(s.cond))
    inside = {label: block_accesses(getattr(s, label), whole=whole) for label in ("body", "orelse")}
    for time, label in ((1, "body"), (2, "orelse")):
        guard = conj(*branch_facts(s, label, EMPTY))
        out += _guarded(inside[label], guard, exact, (Tick(Lin(time)),))
    return tuple(out) if exact else (*out, *_either(inside["body"], inside["orelse"]))


def _either(body: Sequence[Access], orelse: Sequence[Access]) -> Iterator[Access]:
    """What an `if` surely writes, whichever of its branches runs: what both write. There is no time for it within
    the statement: it is before all that comes after, and not known to be before or after anything in it."""
    names: dict[int, tuple[V, ...]] = {}

    def place(a: Access) -> Hashable:
        """Where an access is, up to the names of its iterators: those are of the first one that has as many."""
        alike = names.setdefault(len(a.iters), a.iters)
        env: dict[Atom, Lin] = {i: Lin.of(j) for i, j in zip(a.iters, alike, strict=True)}
        index = tuple([None if x is None else subst_lin(x, env) for x in a.index])
        return a.buffer, len(a.iters), index, map_lins(a.guard, lambda x: subst_lin(x, env))

    writes = {place(a): a for a in body if a.kind == "W" and a.exact}  # equal ones once: they double with each branch
    others = {place(b) for b in orelse if b.kind == "W" and b.exact}
    for where, a in writes.items():
        if where in others:
            yield replace(a, when=(), joint=True)


def block_accesses(
    stmts: Sequence[Stmt],
    windows: Mapping[Sym, Shown] | None = None,
    only: Buffer | None = None,
    whole: bool = False,
) -> list[Access]:
    """The accesses of a run of statements, timed by position; `windows` are those in scope before it. With `only`,
    those to one buffer; with `whole`, `accesses_at_most`."""
    of = accesses_at_most if whole else accesses
    out: list[Access] = []
    private: set[Sym] = set()
    local: set[Sym] = set()
    views = dict(windows or {})
    for k, s in enumerate(stmts):
        if only is None:
            out += _at(k, [resolve(a, views) for a in of(s)])
        elif any(_base(b, views) == only for b in _places(s)):
            out += _at(k, [a for b in of(s) if (a := resolve(b, views)).buffer == only])
        if isinstance(s, Alloc):
            private.add(s.sym)
        elif isinstance(s, WindowDef):
            views[s.sym] = s.rhs
            local.add(s.sym)
    if not (private or local):
        return out
    # Another instance of the block may have another extent, and so other strides.
    ours = private | local
    return [_without(a, lambda leaf: _is_of(leaf, ours)) for a in out if a.buffer not in private]


def _without(a: Access, gone: Callable[[Leaf], bool]) -> Access:
    """The access less what is said of it in terms of unknowns that mean nothing outside."""

    def left(x: Lin | None) -> Lin | None:
        return None if x is None or any(map(gone, lin_atoms(x))) else x

    parts = flatten(a.guard)
    known = [f for f in parts if not any(map(gone, atoms(f)))]
    index, seen = tuple(map(left, a.index)), a.seen
    if seen is not None:
        whole, there = len(known) == len(parts), tuple(map(left, seen.index))
        exact = seen.exact and whole and None not in there
        seen = None if None in map(left, seen.shape) else Seen(seen.shape, there, exact)
    if len(known) == len(parts) and (index, seen) == (a.index, a.seen):
        return a
    return replace(a, index=index, guard=conj(*known), exact=False, seen=seen)


def _is_of(leaf: Leaf, syms: set[Sym]) -> bool:
    """Whether an unknown is a stride or an element of some buffers."""
    return _is_stride(leaf, syms) or (isinstance(leaf, Element) and leaf.sym in syms)


def _is_stride(leaf: Leaf, syms: set[Sym] | None = None) -> bool:
    """Whether an unknown is a stride, of one of `syms` if they are given."""
    match leaf:
        case Opaque(key=("stride", Sym() as s, _)):
            return syms is None or s in syms
        case _:
            return False


def resolve(a: Access, views: Mapping[Sym, Shown]) -> Access:
    """The access in terms of the buffer that a window views."""
    if isinstance(a.node, Call) and views and has_cells(a.node):
        a = _holding(a, views)
    while isinstance(a.buffer, Sym) and a.buffer in views:
        rhs = views[a.buffer]
        a = _reshaped(a, rhs) if isinstance(rhs, ViewExpr) else _through(a, rhs)
    return a


def _reshaped(a: Access, e: ViewExpr) -> Access:
    """An access of a buffer with other extents. Where it is in a buffer of more than one dimension is not known, but
    for what `Seen` tells."""
    seen = a.seen
    if seen is None or None in seen.index:
        seen = Seen(tuple(map(lin, e.shape)), a.index, a.exact)
    if e.rank > 1:
        return a.at(e.sym, (None,) * e.rank, False, seen)
    return a.at(e.sym, (seen.position(),), seen.exact, seen)


def _through(a: Access, w: WindowExpr) -> Access:
    index = _shifted(a.index, w)
    return a.at(w.sym, index, a.exact and None not in index)


def _shifted(index: Index, w: WindowExpr) -> Index:
    """The place in a buffer of a place in a window of it."""
    inner = iter(index)
    out: list[Lin | None] = []
    for d in w.idx:
        if isinstance(d, Point):
            out.append(None if is_opaque(d.pt) else lin(d.pt))
        else:
            x = next(inner, None)
            out.append(None if x is None or is_opaque(d.lo) else lin(d.lo) + x)
    return tuple(out)


def _holding(a: Access, views: Mapping[Sym, Shown]) -> Access:
    """What a call does, with elements of windows, from which the callee takes indices, as those of their buffers."""

    def there(sym: Sym, index: Index) -> Element | None:
        found: tuple[Sym, Index] | None = (sym, index)
        while found is not None and found[0] in views:
            found = _lies(found[1], views[found[0]])
        return None if found is None or None in found[1] else Element(found[0], found[1])  # type: ignore[arg-type]

    return _with_elements(a, views, there, {})


def _lies(index: Index, actual: Shown | Read | None) -> tuple[Sym, Index] | None:
    """In which buffer, and where, an element lies of what a window views, or of what is passed; None if in none."""
    match actual:
        case WindowExpr():
            return actual.sym, _shifted(index, actual)
        case Read(sym=sym, idx=idx):
            return sym, index_of(idx) if idx else index
        case _:
            return None


def _with_elements(
    a: Access,
    own: Container[Sym],
    there: Callable[[Sym, Index], Element | None],
    env: Mapping[Atom, Lin],
) -> Access:
    """An access with unknowns replaced as by `move`, and elements of `own` buffers by those that are `there`; less what
    is said of it in terms of elements of which that isn't known."""
    moved: dict[Element, Element | None] = {}

    def target(e: Element) -> Element | None:
        if e not in moved:
            moved[e] = there(e.sym, tuple(map(put_in, e.index)))
        return moved[e]

    def put_in(x: Lin) -> Lin:
        inside = (e for e in lin_atoms(x) if isinstance(e, Element) and e.sym in own)
        known: dict[Atom, Lin] = {e: Lin.of(t) for e in inside if (t := target(e)) is not None}
        return subst_lin(x, {**env, **known} if known else env)

    a = _without(a, lambda leaf: isinstance(leaf, Element) and leaf.sym in own and target(leaf) is None)
    return _mapped(a, put_in, map_lins(a.guard, put_in), _renamed(a, env))


# -- calls --------------------------------------------------------------------------------------------


def _call(s: Call, within: Callable[[ProcDef, frozenset[Sym]], tuple[Access, ...]]) -> tuple[Access, ...]:
    callee = s.f.tree
    ints: dict[Sym, Expr] = {}
    views: dict[Sym, WindowExpr | Read | None] = {}
    out: list[Access] = []
    hidden: set[Sym] = set()
    for formal, actual in zip(callee.args, s.args, strict=True):
        if isinstance(formal.type, Control):
            out += reads_of(actual)
            if formal.type == bool_ or is_opaque(actual):
                hidden.add(formal.sym)
            else:
                ints[formal.sym] = actual
        elif isinstance(actual, Read | WindowExpr):
            views[formal.sym] = actual
            out += [a for d in actual.idx for a in reads_of(d)]
        else:
            views[formal.sym] = None
            out += reads_of(actual)
    out = _at(0, out)
    scalars = {f.sym for f in callee.args if isinstance(f.type, Scalar)}
    env: dict[Atom, Lin] = {V(f): lin(e) for f, e in ints.items()}
    made = within(callee, frozenset(hidden))
    moved = (_of_caller(a, env, views) for a in made) if has_cells(callee) else move_all(made, env)
    inside = [placed.made_by(s) for a in moved if (placed := _place(a, views, scalars)) is not None]
    return (*out, *summed(inside))


@memo_by_identity
def body_accesses(tree: ProcDef) -> tuple[Access, ...]:
    """The accesses of a procedure's body to its arguments and to config fields."""
    return tuple(block_accesses(tree.body))


@memo_by_identity
def _of_callee(tree: ProcDef, hidden: frozenset[Sym]) -> tuple[Access, ...]:
    """The accesses of a procedure that is called, with iterators that are not the caller's, and less what is said of
    them in terms of what only the callee knows, such as the control arguments that are `hidden` from the caller."""
    asked = [a for e in asked_at_entry(tree) for a in reads_of(e)]
    return _seen_outside([*_at(0, asked), *_at(1, body_accesses(tree))], hidden)


@memo_by_identity
def _touched(tree: ProcDef, hidden: frozenset[Sym]) -> tuple[Access, ...]:
    """What takes in all that a procedure that is called does: it touches all elements of the arguments that it touches,
    which none of its accesses is outside of, and config fields."""
    asked = [a for e in asked_at_entry(tree) for a in reads_of(e)]
    found = [*asked, *block_accesses(tree.body, whole=True)]
    shapes: dict[Buffer, Sequence[Expr]] = {a.sym: a.type.shape for a in tree.args if isinstance(a.type, Tensor)}
    out: list[Access] = []
    for (buffer, kind), a in {(a.buffer, a.kind): a for a in found}.items():
        index = tuple(V(buffer, str(d)) for d in range(len(shapes.get(buffer, ()))) if isinstance(buffer, Sym))
        position = tuple(map(Lin.of, index))
        above = [le(0, x) for x in position]
        below = [lt(x, lin(n)) for x, n in zip(position, shapes.get(buffer, ()), strict=True) if not is_opaque(n)]
        out.append(Access(buffer, kind, position, a.node, conj(*above, *below), index, exact=False, op=a.op))
    return _seen_outside(out, hidden)


def _seen_outside(made: Iterable[Access], hidden: frozenset[Sym]) -> tuple[Access, ...]:
    """Accesses of a procedure that is called, as its callers know them."""

    def gone(leaf: Leaf) -> bool:
        match leaf:
            case V(sym=s) | BoolAtom(key=("bool", Sym() as s)):
                return s in hidden
            case _:
                return _is_stride(leaf)

    known = [_without(a, gone) for a in made]
    foreign: dict[Atom, Lin] = {i: Lin.of(V(i.sym, i.instance + CALLEE)) for a in known for i in a.iters}
    return tuple(move_all(known, foreign))


def _of_caller(a: Access, env: Mapping[Atom, Lin], views: Mapping[Sym, WindowExpr | Read | None]) -> Access:
    """A callee's access in terms of the caller's integers, and of elements of its buffers."""

    def there(sym: Sym, index: Index) -> Element | None:
        found = _lies(index, views[sym])
        return None if found is None or None in found[1] else Element(found[0], found[1])  # type: ignore[arg-type]

    return _with_elements(a, views, there, env)


def _place(a: Access, views: Mapping[Sym, WindowExpr | Read | None], scalars: set[Sym]) -> Access | None:
    """A callee's access in the caller's buffers; None if it is to a value that was passed."""
    if not isinstance(a.buffer, Sym):
        return a
    actual = views.get(a.buffer)
    if actual is None:
        return None
    if isinstance(actual, WindowExpr):
        return _through(a, actual)
    if a.buffer in scalars:
        idx = index_of(actual.idx)
        return a.at(actual.sym, idx, a.exact and None not in idx)
    return a.at(actual.sym, a.index, a.exact, a.seen)


# -- places -------------------------------------------------------------------------------------------


def effects(tree: ProcDef, blk: Span) -> list[Access]:
    """The accesses of a run of statements, in base buffers."""
    return block_accesses(blk.members(tree), windows_at(tree, blk.path()))


def effects_at_most(tree: ProcDef, blk: Span) -> list[Access]:
    """What takes in all `effects` of a run of statements, in fewer accesses (`accesses_at_most`)."""
    return block_accesses(blk.members(tree), windows_at(tree, blk.path()), whole=True)


def effects_on(tree: ProcDef, blk: Span, buffer: Buffer) -> list[Access]:
    """The `effects` of a run of statements on one buffer: no others are made."""
    return block_accesses(blk.members(tree), windows_at(tree, blk.path()), only=buffer)


def number_of_places(tree: ProcDef, blk: Span, buffer: Buffer) -> int:
    """In how many places a run of statements, and what they call, accesses a buffer. To count them takes much less time
    than to make the accesses of a call of something large."""
    return _places_of_block(blk.members(tree), windows_at(tree, blk.path()))[buffer]


def _places_of_block(stmts: Sequence[Stmt], windows: Mapping[Sym, Shown]) -> Counter[Buffer]:
    found: Counter[Buffer] = Counter()
    views = dict(windows)
    for s in stmts:
        for buffer, number in _places(s).items():
            found[_base(buffer, views)] += number
        if isinstance(s, WindowDef):
            views[s.sym] = s.rhs
    return found


def _base(buffer: Buffer, views: Mapping[Sym, Shown]) -> Buffer:
    """The buffer that a window views."""
    while isinstance(buffer, Sym) and buffer in views:
        buffer = views[buffer].sym
    return buffer


@memo_by_identity
def _places(s: Stmt) -> Counter[Buffer]:
    match s:
        case For(lo=lo, hi=hi, body=body):
            return _counted((*reads_of(lo), *reads_of(hi))) + _places_of_block(body, {})
        case If(cond=cond, body=body, orelse=orelse):
            return _counted(reads_of(cond)) + _places_of_block(body, {}) + _places_of_block(orelse, {})
        case Call(f=f, args=args):
            given = {formal.sym: e for formal, e in zip(f.tree.args, args, strict=True)}
            found = _counted([a for e in args for a in reads_of(e)])
            asked = _counted([a for e in asked_at_entry(f.tree) for a in reads_of(e)])
            for buffer, number in (_places_of_body(f.tree) + asked).items():
                actual = given.get(buffer) if isinstance(buffer, Sym) else None
                if isinstance(actual, Read | WindowExpr):
                    found[actual.sym] += number
                elif not isinstance(buffer, Sym):
                    found[buffer] += number
            return found
        case _:
            return _counted(accesses(s))


@memo_by_identity
def _places_of_body(tree: ProcDef) -> Counter[Buffer]:
    return _places_of_block(tree.body, {})


def _counted(found: Iterable[Access]) -> Counter[Buffer]:
    return Counter([a.buffer for a in found])


def with_known_fields(tree: ProcDef, blk: Span) -> tuple[ProcDef, list[Access]]:
    """The tree with what is known of config fields put into the conditions and bounds of a run of statements that
    does not write them, and the reads that are then missing, at times that are not known.

    For questions about what happens, not about what the text says: code that never runs stays, and is checked.
    """
    stmts = blk.members(tree)
    asked = frozenset[ReadConfig]().union(*map(_asked, stmts))
    if not asked:
        return tree, []
    written = frozenset[ReadConfig]().union(*map(written_fields, stmts))
    known = {f: v for f, v in values_at(tree, blk.path()).items() if f in asked and f not in written}
    fields = sorted(known, key=lambda f: (f.config.name, f.field))
    reads = [Access(config_key(f.config.name, f.field), "R", (), f, exact=False) for f in fields]
    for k, s in enumerate(stmts, blk.lo):
        new = _with_fields(s, known)
        if new is not s:
            tree = put_at(tree, (*blk.parent, (blk.label, k)), new)
    return tree, reads


@memo_by_identity
def _asked(s: Stmt) -> frozenset[ReadConfig]:
    """The config fields that conditions and bounds in a statement read."""
    out: set[ReadConfig] = set()
    if isinstance(s, For | If):
        for e in (s.lo, s.hi) if isinstance(s, For) else (s.cond,):
            out.update(n for _, n in walk(e) if isinstance(n, ReadConfig))
        for inner in (*s.body, *(s.orelse if isinstance(s, If) else ())):
            out |= _asked(inner)
    return frozenset(out)


def _with_fields(s: Stmt, known: Mapping[ReadConfig, Expr]) -> Stmt:
    """A statement with known config fields put into its conditions and bounds."""
    if not isinstance(s, For | If) or not _asked(s) & known.keys():
        return s

    def put_in(n: Node) -> Node:
        return known.get(n, n) if isinstance(n, ReadConfig) else n

    body = pvector(_with_fields(inner, known) for inner in s.body)
    if isinstance(s, If):
        return If(rewrite(s.cond, put_in), body, pvector(_with_fields(inner, known) for inner in s.orelse))
    return For(s.iter, rewrite(s.lo, put_in), rewrite(s.hi, put_in), body, s.mode)


def in_loops(accesses: Sequence[Access], *loops: For) -> list[Access]:
    """Accesses of a body, guarded by the ranges of the loops around it, whose iterators stay fixed."""
    guard = conj(*(f for loop in loops for f in range_facts(loop)))
    return _guarded(accesses, guard, not any(is_opaque(e) for loop in loops for e in (loop.lo, loop.hi)))


def windows_at(tree: ProcDef, path: Path) -> dict[Sym, Shown]:
    """The windows in scope at a place, and the buffers with other extents."""
    views: dict[Sym, Shown] = {}
    node: Node = tree
    for n, (label, i) in enumerate(path):
        if i is None or label not in ("body", "orelse"):
            break
        for s in getattr(node, label)[:i]:
            if isinstance(s, WindowDef):
                views[s.sym] = s.rhs
        if n + 1 < len(path) or i < len(getattr(node, label)):
            node = get(node, ((label, i),))
    return views
