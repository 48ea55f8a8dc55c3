"""Staging: values and windows in buffers of their own (paper, appendix A.5). Imports `framework` and `access`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrsistent import PVector, pvector

from ..cursors.cursor import BlockCursor, ExprCursor, at_path
from ..cursors.edits import Span, span_of
from ..cursors.rewrite import Rewrite
from ..frontend.check_views import written_args
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.memory import DRAM
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Assign,
    Binary,
    Call,
    Expr,
    For,
    If,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    WinDim,
    WindowExpr,
)
from ..ir.types import R, Scalar, Tensor, Type
from ..ir.walk import COMPARISONS, LOGICAL, Path, get, is_control, mentions, walk
from ..logic import safety
from ..logic.dependence import Safe
from ..logic.effects import windows_at
from ..logic.normal import difference
from ..logic.translate import is_opaque
from .access import Dims, Redirect, bounds, redirect, shown, statement_of, uses_in
from .framework import Where, applicable, blk, name_arg, primitive, require, window_arg
from .scoping import escaping, stays_race_free

# -- bind_expr ----------------------------------------------------------------------------------------


@primitive()
def bind_expr(rw: Rewrite, e: ExprCursor, name: str, cse: bool = False) -> Where:
    """`s  ~>  a: T; a = e; s[e -> a]`. Paper: A.5.

    `e` is a data value that the statement evaluates whenever it runs. With `cse`, every equal expression in
    the statement is replaced, and in the statements after it until one may change what `e` reads. T is the
    precision of `e`; a literal's is that of its context. Returns the assignment.

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
    """
    tree, value = rw.proc.tree, e.node
    applicable(not is_control(value), "only data can be bound to a buffer, not a control expression", e)
    applicable(not isinstance(value, WindowExpr) and _is_value(tree, e.path), "this stands for a buffer", e)
    stmt = e.stmt().path
    applicable(not _maybe_skipped(tree, stmt, e.path), "this is the second part of an `and` or `or`", e)
    a = rw.fresh(name_arg(name))
    for path in _equal_places(tree, stmt, e.path) if cse else [e.path]:
        rw.replace(path, Read(a, pvector()))
    rhs: Expr = value  # type: ignore[assignment]
    rw.insert_before(stmt, Alloc(a, precision_at(tree, e.path), DRAM), Assign(a, pvector(), rhs))
    return span_of(stmt).path(1)


def _is_value(tree: ProcDef, path: Path) -> bool:
    """Whether a data expression only gives its value: a call may write an argument, or take it whole."""
    call, k = get(tree, path[:-1]), path[-1][1]
    if not isinstance(call, Call) or k is None:
        return True
    formal = call.f.tree.args[k]
    return isinstance(formal.type, Scalar) and formal.sym not in written_args(call.f.tree)


def _maybe_skipped(tree: ProcDef, stmt: Path, path: Path) -> bool:
    """Whether a statement may run without evaluating the expression at `path`."""
    for n in range(len(stmt), len(path)):
        node = get(tree, path[:n])
        if isinstance(node, Binary) and node.op in LOGICAL and path[n][0] == "rhs":
            return True
    return False


def _equal_places(tree: ProcDef, stmt: Path, path: Path) -> list[Path]:
    """The places of values equal to that at `path`, from its statement on, as long as nothing changes it."""
    e: Expr = get(tree, path)  # type: ignore[assignment]
    s = span_of(stmt)
    block: Sequence[Stmt] = getattr(get(tree, s.parent), s.label)
    found: list[Path] = []
    for k in range(s.lo, len(block)):
        here = safety.Blk(s.parent, s.label, k, k + 1)
        same = isinstance(safety.unchanged(tree, here, e), Safe)
        at = here.path()
        # what a statement evaluates before it changes anything
        if not same and isinstance(block[k], If):
            at = (*at, ("cond", None))
        if same or not isinstance(block[k], For):
            found += [p for p, n in walk(get(tree, at), at) if n == e and _is_value(tree, p)]
        if not same:
            break
    return found


def precision_at(tree: ProcDef, path: Path) -> Scalar:
    """The precision of the data expression at `path`: that of what it reads, or else of its context."""
    types = declarations(tree)
    for n in range(len(path), 0, -1):
        node = get(tree, path[:n])
        if isinstance(node, Assign | Reduce):
            return _base(types[node.sym])
        if is_control(node) and not (isinstance(node, Binary) and node.op in COMPARISONS):
            break
        read = [t for _, x in walk(node) if (t := _read_type(x, types)) is not None]
        if read:
            return next((t for t in read if t != R), R)
    return R


def _read_type(n: Node, types: Mapping[Sym, Type]) -> Scalar | None:
    if isinstance(n, Read):
        return _base(types[n.sym])
    t = n.config.fields[n.field] if isinstance(n, ReadConfig) else None
    return t if isinstance(t, Scalar) else None


def _base(t: Type) -> Scalar:
    scalar = t.base if isinstance(t, Tensor) else t
    assert isinstance(scalar, Scalar)
    return scalar


# -- stage_mem ----------------------------------------------------------------------------------------


@primitive()
def stage_mem(rw: Rewrite, block: BlockCursor, window: str, name: str, accum: bool = False) -> Where:
    """`s  ~>  tmp: T[..]; tmp = a[w]; s[a -> tmp]; a[w] = tmp`, for a window w of a buffer a. Paper: A.5.

    `window` is object code such as `"a[0:n, j]"`, half-open; `tmp` has a dimension for each interval. It
    must lie within the buffer, and every access and window of the block within it, by the buffer's own name.
    The load is left out if the block writes the whole window before it reads any of it, the store if it
    writes nothing. What is loaded of a local buffer must have been written before. With `accum`, which needs
    a block that only accumulates into the window, `tmp` starts at zero and is added back.
    Returns the block, without the copies.

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
    """
    tree, span, s = rw.proc.tree, block.span, blk(block)
    applicable(len(block) > 0, "there is no statement to stage the window for", block)
    buffer, dims = window_arg(rw, window, span.path())
    _window_fits(tree, s, buffer, dims)
    _only_name(tree, span, buffer, block)
    _nothing_outside(rw, s, buffer, dims, block)
    store = safety.writes_to(tree, s, buffer)
    load = accum or _reads_before(tree, s, buffer, dims, store)
    if accum:
        adds = store and safety.only_accumulates(tree, s, buffer)
        applicable(adds, f"the block does more, or less, than accumulate into {buffer}", block)
    if load:
        require(safety.initialised(tree, s, buffer, dims), block)
    tmp = rw.fresh(name_arg(name))
    alloc, how = _copy_of(tree, buffer, dims, tmp)
    redirect(rw, span, buffer, how)
    before = [alloc, *([_copy(rw, buffer, dims, tmp, "zero" if accum else "load")] if load else [])]
    if store:
        rw.insert_after(span.path(span.hi - span.lo - 1), _copy(rw, buffer, dims, tmp, "add" if accum else "store"))
    rw.insert_before(span.path(), *before)
    for n in range(1, len(span.parent) + 1):
        stays_race_free(rw, span.parent[:n])
    return span._replace(lo=span.lo + len(before), hi=span.hi + len(before))


def _reads_before(tree: ProcDef, s: safety.Blk, buffer: Sym, dims: Dims, store: bool) -> bool:
    """Whether the block, or the store after it, may need what the window holds before."""
    if not isinstance(safety.covered(tree, s, buffer), Safe):
        return True
    return store and not isinstance(safety.fully_written(tree, s, buffer, dims), Safe)


def _window_fits(tree: ProcDef, s: safety.Blk, buffer: Sym, dims: Dims) -> None:
    """Owed of the window: it stays the same, is not empty and lies within the buffer."""
    t = declarations(tree)[buffer]
    for d, extent in zip(dims, t.shape if isinstance(t, Tensor) else (), strict=True):
        applicable(not is_opaque(extent), f"the extents of {buffer} depend on config fields, which may have changed")
        lo, hi = bounds(d)
        for e in (lo, hi):
            require(safety.unchanged(tree, s, e))
        inside = Binary("and", Binary("<=", b.ZERO, lo), Binary("<=", hi, extent))
        require(safety.holds(tree, s.path(), Binary("<", lo, hi), "the window is not empty"))
        require(safety.holds(tree, s.path(), inside, f"the window lies within {buffer}"))


def _only_name(tree: ProcDef, span: Span, buffer: Sym, block: BlockCursor) -> None:
    """The block reaches the buffer by no other name, and no window that it makes of it lives on."""
    views = windows_at(tree, span.path())
    applicable(buffer not in views, f"{buffer} is a window: stage the buffer that it views", block)
    used = frozenset[Sym]().union(*map(mentions, span.members(tree)))
    after = windows_at(tree, Span(span.parent, span.label, span.hi, span.hi).path())
    leaving = escaping(tree, span)
    for w in sorted(after, key=lambda x: x.id):
        base = after[w].sym
        while base in after:
            base = after[base].sym
        if base == buffer:
            applicable(w not in views or w not in used, f"the block also reaches {buffer} by the window {w}", block)
            applicable(w not in leaving, f"the window {w} of {buffer} is used after the block", block)


def _nothing_outside(rw: Rewrite, s: safety.Blk, buffer: Sym, dims: Dims, block: BlockCursor) -> None:
    """Owed of the block: what it accesses, and the windows that it makes, are inside the window."""
    tree = rw.proc.tree
    require(safety.within(tree, s, buffer, dims), block)
    types = declarations(tree)
    for path in uses_in(tree, Span(*s), buffer):
        for d, outer in zip(shown(get(tree, path), types) or (), dims, strict=False):
            (lo, hi), (least, most) = bounds(d), bounds(outer)
            inside = Binary("and", Binary("<=", least, lo), Binary("<=", hi, most))
            what = "every window that the block makes is inside the window"
            require(safety.holds(tree, path, inside, what), at_path(rw.proc, statement_of(path)))


def _copy_of(tree: ProcDef, buffer: Sym, dims: Dims, tmp: Sym) -> tuple[Alloc, Redirect]:
    """The copy's allocation, and how accesses inside the window go to it."""
    kept = [(n, d.lo) for n, d in enumerate(dims) if isinstance(d, Interval)]
    shape = [difference(d.hi, d.lo) for d in dims if isinstance(d, Interval)]
    base = _base(declarations(tree)[buffer])

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


def _copy(rw: Rewrite, buffer: Sym, dims: Dims, tmp: Sym, how: str) -> Stmt:
    """The loop nest that copies between a window and its staged buffer."""
    iters: list[tuple[Sym, Expr]] = []
    outside: list[Expr] = []
    for d in dims:
        if isinstance(d, Point):
            outside.append(d.pt)
        else:
            i = rw.fresh(f"i{len(iters)}")
            iters.append((i, difference(d.hi, d.lo)))
            outside.append(b.add(d.lo, b.var(i)))
    inside: PVector[Expr] = pvector([b.var(i) for i, _ in iters])
    there = pvector(outside)
    stmt: Stmt
    if how == "zero":
        stmt = Assign(tmp, inside, b.data(0.0))
    elif how == "load":
        stmt = Assign(tmp, inside, Read(buffer, there))
    else:
        stmt = (Reduce if how == "add" else Assign)(buffer, there, Read(tmp, inside))
    for i, n in reversed(iters):
        stmt = For(i, b.ZERO, n, pvector([stmt]))
    return stmt
