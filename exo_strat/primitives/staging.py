"""Staging: values and windows in buffers of their own (paper, appendix A.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pyrsistent import PVector, pvector

from ..cursors.cursor import BlockCursor, ExprCursor, at_path
from ..cursors.rewrite import Rewrite
from ..frontend.precisions import precision_at
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.cells import has_cells, written_args
from ..ir.memory import DRAM
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Cell,
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
    ViewExpr,
    WinDim,
    WindowDef,
    WindowExpr,
)
from ..ir.precisions import converted, element
from ..ir.printing import names_at, print_expr
from ..ir.reductions import NEUTRAL
from ..ir.span import Span, span_of
from ..ir.types import Scalar, Tensor, Type
from ..ir.walk import Path, children, get, get_expr, is_control, mentions, put_at, walk
from ..logic.forms import is_opaque
from ..logic.questions import Clash, Readiness, Undecided, Verdict, difference, evaluation, safety, windows_at
from .framework import Trial, Where, primitive
from .helpers.access import Dims, Redirect, bounds, named, redirect_each, shown, statement_of, uses_in
from .helpers.arguments import Kind, NewName
from .helpers.references import name_arg, window_arg
from .helpers.refusing import MAYBE_SKIPPED, applicable, require
from .helpers.scoping import escaping, fits_alone, no_new_races, ready
from .helpers.start import least_value
from .helpers.wellformed import in_bounds

__all__ = ["bind_expr", "stage_mem"]

# -- bind_expr ----------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={"target": "place", "values elsewhere": "stay, replaced, gone"},
    trial=Trial(
        programs="guarded handed handed handed lent calls repeated configuration sums two_writes",
        at=(("passed to a call", 75), ("data", 90)),
    ),
)
def bind_expr(rw: Rewrite, e: ExprCursor, name: NewName, cse: bool = False) -> Where:
    """`s  ~>  a: T; a = e; s[e -> a]`.

    `e` is a data value that the statement evaluates whenever it runs. With `cse`, every equal expression (of equal
    places; operands of sums and products in any order) in the statement is replaced, and in the statements after it
    until one may change what `e` reads. T is the precision of `e`; a literal's is that of its context. A call that
    takes another one is given `f32(a)` or the like. Returns the assignment.

    Fails with `NotApplicable` if the expression is control, stands for a buffer that a call may write, may be
    skipped (the second part of an `and` or `or`, a side of `a if c else b`), or need not fit T (a sum in
    `wrap_u8(..)`); with `Unsafe` if it may read what was never written.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = x[i] * x[i]
    ... ''')
    >>> print(bind_expr.direct(p, "x[_]", "a", cse=True))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            a: f32 @ DRAM
            a = x[i]
            y[i] = a * a

    Refused: the callee would set the copy, and leave `x` as it is.

    >>> zero = proc_from_source('''
    ... def zero(y: f32):
    ...     y = 0.0
    ... ''')
    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     zero(x)
    ... ''', {"zero": zero})
    >>> print(bind_expr("a")(q, q.find("zero(_)").args()[0]).failure())
    bind_expr('a'): this stands for a buffer
        def foo(x: f32 @ DRAM):
    -->     zero(x)
    """
    tree, value = rw.proc.tree, e.node
    applicable(not is_control(value), "only data can be bound to a buffer, not a control expression", e)
    applicable(not isinstance(value, WindowExpr | ViewExpr) and is_value(tree, e.path), "this stands for a buffer", e)
    above = (get(tree, e.path[:n]) for n in range(len(e.path)))
    applicable(not any(isinstance(n, Cell) for n in above), "this stands in an index or a bound", e)
    stmt = e.stmt().path
    applicable(not evaluation.maybe_skipped(tree, stmt, e.path), MAYBE_SKIPPED, e)
    fits_alone(e)
    early = read_early(rw, e)
    a = rw.fresh(name_arg(name))
    rhs: Expr = value
    held = precision_at(tree, e.path)
    rw.add_part(stmt, Alloc(a, held, DRAM), Assign(a, pvector(), rhs), before=True)
    for step, _ in children(rhs):
        rw.carry((*rw.now(e.path), step), (*span_of(stmt).path(1), ("rhs", None), step))
    for path in _equal_places(tree, stmt, e.path) if cse else [e.path]:
        # a call takes an expression at any precision, but a buffer at its own only
        formal = None if isinstance(value, Read) else _formal(tree, path)
        read = Read(a, pvector())
        rw.replace(rw.now(path), read if formal is None else converted(read, element(formal.type), {a: held}))
    if early:
        no_new_races(rw, span_of(stmt).path(1))
    return span_of(stmt).path(1)


def is_value(tree: ProcDef, path: Path) -> bool:
    """Whether a data expression only gives its value: a call may write an argument, or take it whole."""
    call, formal = get(tree, path[:-1]), _formal(tree, path)
    if formal is None or not isinstance(call, Call):
        return True
    return isinstance(formal.type, Scalar) and formal.sym not in written_args(call.f.tree)


def _formal(tree: ProcDef, path: Path) -> Arg | None:
    """The parameter that stands for an argument of a call; None of other expressions."""
    call, k = get(tree, path[:-1]), path[-1][1]
    return call.f.tree.args[k] if isinstance(call, Call) and k is not None else None


def read_early(rw: Rewrite, e: ExprCursor) -> bool:
    """Whether a value that is to be read right before its statement need not be read by that: a call passes it by
    reference. Owed then: it was written."""
    tree = rw.proc.tree
    if not (isinstance(e.node, Read) and isinstance(get(tree, e.path[:-1]), Call)):
        return False
    ready(rw, evaluation.has_value(tree, span_of(e.stmt().path), e.node), e)
    return True


def _equal_places(tree: ProcDef, stmt: Path, path: Path) -> list[Path]:
    """The places of values equal to that at `path`, and computed as it is, from its statement on, as long as nothing
    changes it."""
    e = get_expr(tree, path)
    own = precision_at(tree, path)
    s = span_of(stmt)
    block: Sequence[Stmt] = getattr(get(tree, s.parent), s.label)
    found: list[Path] = []
    for k in range(s.lo, len(block)):
        here = Span(s.parent, s.label, k, k + 1)
        same = bool(safety.unchanged(tree, here, e))
        at = here.path()
        # what a statement evaluates before it changes anything
        if not same and isinstance(block[k], If):
            at = (*at, ("cond", None))
        if same or not isinstance(block[k], For):
            found += [p for p in _places_of(tree, at, e) if precision_at(tree, p) == own]
        if not same:
            break
    return found


def _places_of(tree: ProcDef, at: Path, e: Expr) -> list[Path]:
    """The places, in what stands at a path, of values that equal `e`; none of them inside another, nor in an index."""
    found: list[Path] = []
    for p, n in walk(get(tree, at), at, into=lambda n: not isinstance(n, Cell)):
        if not isinstance(n, Read | Const | Unary | Binary | ExternCall | Select | ReadConfig) or is_control(n):
            continue
        inside = bool(found) and p[: len(found[-1])] == found[-1]
        if not inside and is_value(tree, p) and safety.equal_at(tree, p, n, e):
            found.append(p)
    return found


# -- stage_mem ----------------------------------------------------------------------------------------


@primitive(
    "A.5",
    same_values=True,
    cursors={"values inside": "stay, replaced, gone", "values elsewhere": "stay, first copy"},
    trial=Trial(programs="patch patch accumulation windows overlaid two_writes"),
)
def stage_mem(
    rw: Rewrite, block: BlockCursor, window: Annotated[str, Kind("a window")], name: NewName, accum: bool = False
) -> Where:
    """`s  ~>  tmp: T[..]; tmp = a[w]; s[a -> tmp]; a[w] = tmp`, or with `accum`
    `s  ~>  tmp: T[..]; tmp = 0.0; s[a -> tmp]; a[w] += tmp`.

    `window` is the window `a[w]` as object code, such as `"a[0:n, j]"`; intervals are half-open. `name` is the name of
    `tmp`, which has a dimension for each interval. The window is not empty and lies within the buffer. Every access
    and window of the block lies wholly inside the window or wholly outside of it, and the block uses the buffer's own
    name, or only that of a view of it, which is staged as a buffer is. An access outside of the window stays as it is.

    The load `tmp = a[w]` is left out if the block writes the whole window before it reads any of it. The store
    `a[w] = tmp` is left out if the block writes nothing of the window. What is loaded of a local buffer must have been
    written before.

    With `accum`, nothing is loaded: the block computes a partial result, which is accumulated into the window at the
    end. All that the block may do with the window is to accumulate into it, by one operator. For `+`, `tmp` starts at
    0, for `*` at 1. For `min` and `max` there is no such number: `tmp` starts at the value to which the whole buffer
    was set before, and since then the buffer was only accumulated into. Returns the block, without the copies.

    Fails with `NotApplicable` if the block uses the buffer under another name, or with `accum` does more than
    accumulate; with `Unsafe` if one of the other conditions does not hold.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for k in seq(0, 8):
    ...             y[i] += x[i]
    ... ''')
    >>> print(stage_mem.direct(p, "for k in _: _", "y[i]", "acc"))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            acc: f32 @ DRAM
            acc = y[i]
            for k in seq(0, 8):
                acc += x[i]
            y[i] = acc
    >>> print(stage_mem.direct(p, "for k in _: _", "y[i]", "acc", accum=True))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            acc: f32 @ DRAM
            acc = 0.0
            for k in seq(0, 8):
                acc += x[i]
            y[i] += acc

    Refused: the block reaches beyond the window.

    >>> q = proc_from_source('''
    ... def foo(x: f32[8], y: f32[8]):
    ...     for i in seq(0, 8):
    ...         y[i] = x[7 - i]
    ... ''')
    >>> print(stage_mem("x[0:4]", "tmp")(q, q.find_loop("i")).failure())
    stage_mem('x[0:4]', 'tmp'): not true: every access of the block is inside the window, or else surely beside it
    x[7 - i] is neither
    for instance with i = 0
        def foo(x: f32[8] @ DRAM, y: f32[8] @ DRAM):
            for i in seq(0, 8):
    -->         y[i] = x[7 - i]
    """
    span, s = block.span, block.span
    buffer, dims = window_arg(rw, window, span.path())
    _window_fits(rw, s, buffer, dims)
    tree = _of_its_own(rw.proc.tree, span, buffer, block)
    _only_name(tree, span, buffer, block)
    places = _places_inside(rw, tree, s, buffer, dims, block)
    part = dims if len(places) < len(uses_in(tree, span, buffer)) else None
    store = safety.writes_to(tree, s, buffer, part)
    done = Clash(ACCUMULATED) if accum else _written_first(tree, s, buffer, dims, store, part)
    load = not done
    op, start = _accumulation(tree, s, buffer, part, block) if accum else (None, None)
    if load:
        there = _initialised(rw, tree, s, buffer, dims)
        # of a block that may write all itself nobody knows whether it needs anything
        ready(rw, done if isinstance(there, Clash) and isinstance(done, Undecided) else there, block)
    tmp = rw.fresh(name_arg(name))
    alloc, how = _copy_of(tree, buffer, dims, tmp)
    redirect_each(rw, places, buffer, lambda _: how)
    before = [alloc, *([_load(rw, buffer, dims, tmp, start)] if load else [])]
    if store:
        rw.insert_after(span.path(span.hi - span.lo - 1), _store(rw, buffer, dims, tmp, op))
    rw.insert_before(span.path(), *before)
    no_new_races(rw, span.path())
    return span._replace(lo=span.lo + len(before), hi=span.hi + len(before))


def _of_its_own(tree: ProcDef, span: Span, view: Sym, block: BlockCursor) -> ProcDef:
    """The tree in which a view is a buffer that is allocated. So it is as long as nothing else names what it views,
    which is owed of the block: of what is before it, from the view on, the static checks have shown it."""
    views = windows_at(tree, span.path())
    rhs = views.get(view)
    if not isinstance(rhs, ViewExpr):
        return tree
    used = frozenset[Sym]().union(*map(mentions, span.members(tree)))
    names = [rhs.sym, *(w for w, e in views.items() if w != view and e.sym == rhs.sym)]
    again = next((n for n in names if n in used), None)
    applicable(again is None, f"the block also uses {again}, of which {view} is a view", block)
    scope = next(p for p, n in walk(tree) if isinstance(n, WindowDef) and n.sym == view)
    whole = Tensor(element(declarations(tree)[rhs.sym]), rhs.shape)
    return put_at(tree, scope, Alloc(view, whole, DRAM))


def _initialised(rw: Rewrite, tree: ProcDef, s: Span, buffer: Sym, dims: Dims) -> Readiness:
    """Whether all of a window is written before the block; of a view, by its name or all of what it views before."""
    there = safety.initialised(tree, s, buffer, dims)
    view = windows_at(rw.proc.tree, s.path()).get(buffer)
    if there or view is None:
        return there
    viewed = declarations(tree)[view.sym]
    shape = viewed.shape if isinstance(viewed, Tensor) else ()
    return safety.initialised(rw.proc.tree, s, view.sym, [Interval(b.ZERO, n) for n in shape])


def _accumulation(
    tree: ProcDef, s: Span, buffer: Sym, part: Dims | None, block: BlockCursor
) -> tuple[str, Expr]:
    """The operator by which a block accumulates into a buffer, which must be all that it does to it, and a value
    with which nothing changes if it is accumulated, too."""
    used = sorted({a.op for a in safety.effects(tree, s) if a.buffer == buffer and a.kind == "A"})
    op = next((x for x in used if safety.only_accumulates(tree, s, buffer, x, part)), "")
    adds = op != "" and safety.writes_to(tree, s, buffer, part)
    applicable(adds, f"the block does more, or less, than accumulate into {buffer} by one operator", block)
    start = b.data(NEUTRAL[op]) if op in NEUTRAL else least_value(tree, s, buffer, op)
    what = f"{op} has no neutral number to start from, nor was {buffer} set to a value and only accumulated into since"
    advice = f"set {buffer} to a value in the procedure before, or vectorize another loop; stage_mem: do without accum"
    applicable(start is not None, f"{what}: {advice}", block)
    assert start is not None
    return op, start


ACCUMULATED = "the block needs nothing of what the window holds before"


def _written_first(tree: ProcDef, s: Span, buffer: Sym, dims: Dims, store: bool, part: Dims | None) -> Verdict:
    """Whether neither the block nor the store after it needs what the window holds before."""
    covered = safety.covered(tree, s, buffer, part)
    return safety.fully_written(tree, s, buffer, dims) if covered and store else covered


def _window_fits(rw: Rewrite, s: Span, buffer: Sym, dims: Dims) -> None:
    """Owed of the window: it stays the same, is not empty and lies within the buffer."""
    tree = rw.proc.tree
    t, names = declarations(tree)[buffer], names_at(tree)
    for k, (d, extent) in enumerate(zip(dims, t.shape if isinstance(t, Tensor) else (), strict=True)):
        applicable(not is_opaque(extent), f"the extents of {buffer} depend on config fields, which may have changed")
        lo, hi = bounds(d)
        for e in (lo, hi):
            if has_cells(e):
                in_bounds(tree, e, s.path())
            require(safety.unchanged(tree, s, e), about="new code")
            ready(rw, evaluation.has_value(tree, s, e))
        inside = Binary("and", Binary("<=", b.ZERO, lo), Binary("<=", hi, extent))
        require(safety.holds(tree, s.path(), Binary("<", lo, hi), "the window is not empty"))
        part = f"{print_expr(lo, names)}:{print_expr(hi, names)}" if isinstance(d, Interval) else print_expr(lo, names)
        where = f"in dimension {k}: {part}, where the extent is {print_expr(extent, names)}"
        what = f"the window lies within {buffer} {where}"
        require(safety.holds(tree, s.path(), inside, what))


def _only_name(tree: ProcDef, span: Span, buffer: Sym, block: BlockCursor) -> None:
    """The block reaches the buffer by no other name, and no window that it makes of it lives on."""
    views = windows_at(tree, span.path())
    if buffer in views:
        applicable(False, f"{buffer} is a window: stage the buffer that it views, after `inline_window`", block)
    used = frozenset[Sym]().union(*map(mentions, span.members(tree)))
    after = windows_at(tree, Span(span.parent, span.label, span.hi, span.hi).path())
    leaving = escaping(tree, span)
    for w in sorted(after, key=lambda x: x.id):
        base = after[w].sym
        while base in after:
            base = after[base].sym
        if base == buffer:
            hidden = w in views and w in used
            what = f"the block also reaches {buffer} by the window {w}: `inline_window` it first"
            applicable(not hidden, what, block)
            applicable(w not in leaving, f"the window {w} of {buffer} is used after the block", block)


def _places_inside(
    rw: Rewrite, tree: ProcDef, s: Span, buffer: Sym, dims: Dims, block: BlockCursor
) -> list[Path]:
    """The places of the block that go to the copy: those inside the window. Owed of every other: it is beside it."""
    places, types = uses_in(tree, Span(*s), buffer), declarations(tree)
    verdict = safety.within(tree, s, buffer, dims)
    passed = [path for path in places if isinstance(get(tree, path[:-1]), Call)]  # which a callee need not touch
    if verdict and all(_surely_inside(tree, path, types, dims) for path in passed):
        for path in places:
            inside = _inside(shown(get(tree, path), types) or (), dims)
            what = "every window that the block makes is inside the window"
            require(safety.holds(tree, path, inside, what), at_path(rw.proc, statement_of(path)))
        return places
    found: list[Path] = []
    for path in places:
        node = get(tree, path)
        cells = named(node, types)
        if isinstance(node, StrideExpr) or _surely_inside(tree, path, types, dims):
            found.append(path)
        elif not safety.holds_everywhere(tree, path, _beside(cells, dims)):
            what = "every access of the block is inside the window, or else surely beside it"
            neither = safety.holds(tree, path, _inside(cells, dims), what)
            if not neither:
                # no run need touch what is passed
                neither = neither.said(details=f"{_spelled(tree, node)} is neither", shown=path not in passed)
            require(neither, at_path(rw.proc, statement_of(path)))
    if all(isinstance(get(tree, path), StrideExpr) for path in found):
        require(verdict, block)
    return found


def _surely_inside(tree: ProcDef, path: Path, types: Mapping[Sym, Type], dims: Dims) -> bool:
    """Whether what a place names is inside a window wherever control gets there."""
    return safety.holds_everywhere(tree, path, _inside(named(get(tree, path), types), dims))


def _spelled(tree: ProcDef, n: Node) -> str:
    """What an access is to, in object code."""
    e = Read(n.sym, n.idx) if isinstance(n, Assign | Reduce) else n
    assert isinstance(e, Read | WindowExpr | ViewExpr)
    return print_expr(e, names_at(tree))


def _inside(cells: Dims, window: Dims) -> Expr:
    """The condition that all that an access shows is inside a window."""
    found: Expr = b.TRUE
    for d, outer in zip(cells, window, strict=False):
        (lo, hi), (least, most) = bounds(d), bounds(outer)
        inside = Binary("and", Binary("<=", least, lo), Binary("<=", hi, most))
        found = inside if found == b.TRUE else Binary("and", found, inside)
    return found


def _beside(cells: Dims, window: Dims) -> Expr:
    """The condition that nothing that an access shows is inside a window."""
    found: Expr = b.FALSE
    for d, outer in zip(cells, window, strict=False):
        (lo, hi), (least, most) = bounds(d), bounds(outer)
        beside = Binary("or", Binary("<=", hi, least), Binary("<=", most, lo))
        found = beside if found == b.FALSE else Binary("or", found, beside)
    return found


def _copy_of(tree: ProcDef, buffer: Sym, dims: Dims, tmp: Sym) -> tuple[Alloc, Redirect]:
    """The copy's allocation, and how accesses inside the window go to it."""
    kept = [(n, d.lo) for n, d in enumerate(dims) if isinstance(d, Interval)]
    shape = [difference(d.hi, d.lo) for d in dims if isinstance(d, Interval)]
    base = element(declarations(tree)[buffer])

    def window(old: Dims) -> Dims | None:
        dropped = [old[n] for n, d in enumerate(dims) if isinstance(d, Point)]
        if not kept or any(isinstance(d, Interval) for d in dropped):
            return None
        return [_shifted(old[n], lo) for n, lo in kept]

    def point(idx: Sequence[Expr]) -> Sequence[Expr]:
        return [difference(idx[n], lo) for n, lo in kept]

    alloc = Alloc(tmp, Tensor(base, pvector(shape)) if shape else base, DRAM)
    return alloc, Redirect(tmp, shape, point, window, None)


def _shifted(d: WinDim, by: Expr) -> WinDim:
    if by == b.ZERO:
        return d
    return Point(difference(d.pt, by)) if isinstance(d, Point) else Interval(difference(d.lo, by), difference(d.hi, by))


def _load(rw: Rewrite, buffer: Sym, dims: Dims, tmp: Sym, start: Expr | None) -> Stmt:
    """The loop nest that copies a window to its staged buffer, or gives that a value to start from."""
    iters, there = _cells(rw, dims)
    return _nest(iters, Assign(tmp, _inner(iters), Read(buffer, there) if start is None else start))


def _store(rw: Rewrite, buffer: Sym, dims: Dims, tmp: Sym, op: str | None) -> Stmt:
    """The loop nest that copies a staged buffer back to its window, or accumulates it."""
    iters, there = _cells(rw, dims)
    value = Read(tmp, _inner(iters))
    return _nest(iters, Assign(buffer, there, value) if op is None else Reduce(buffer, there, value, op))


def _cells(rw: Rewrite, dims: Dims) -> tuple[list[tuple[Sym, Expr]], PVector[Expr]]:
    """An iterator and an extent for each interval of a window, and its cells in terms of them."""
    iters: list[tuple[Sym, Expr]] = []
    cells: list[Expr] = []
    for d in dims:
        if isinstance(d, Point):
            cells.append(d.pt)
        else:
            i = rw.fresh(f"i{len(iters)}")
            iters.append((i, difference(d.hi, d.lo)))
            cells.append(b.add(d.lo, b.var(i)))
    return iters, pvector(cells)


def _inner(iters: list[tuple[Sym, Expr]]) -> PVector[Expr]:
    """The same cell of the staged buffer."""
    return pvector([b.var(i) for i, _ in iters])


def _nest(iters: list[tuple[Sym, Expr]], stmt: Stmt) -> Stmt:
    for i, n in reversed(iters):
        stmt = For(i, b.ZERO, n, pvector([stmt]))
    return stmt
