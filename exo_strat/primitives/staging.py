"""Staging: values and windows in buffers of their own (paper, appendix A.5). Imports `framework` and `access`."""

from __future__ import annotations

from collections.abc import Sequence

from pyrsistent import PVector, pvector

from ..cursors.cursor import BlockCursor, ExprCursor
from ..cursors.edits import span_of
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.memory import DRAM
from ..ir.names import Sym
from ..ir.nodes import Alloc, Assign, Binary, Call, Expr, For, Interval, Point, ProcDef, Read, Reduce, Stmt, WinDim
from ..ir.types import R, Scalar, Tensor
from ..ir.walk import Path, get, is_control, mentions, walk
from ..logic import safety
from ..logic.dependence import Safe
from ..logic.effects import windows_at
from .access import Redirect, redirect
from .framework import Where, applicable, blk, name_arg, primitive, require, window_arg


def precision_of(tree: ProcDef, e: Expr) -> Scalar:
    """The precision of a data expression: that of the first buffer that it reads."""
    types = declarations(tree)
    for _, n in walk(e):
        if isinstance(n, Read):
            t = types[n.sym]
            return t.base if isinstance(t, Tensor) else t if isinstance(t, Scalar) else R
    return R


@primitive()
def bind_expr(rw: Rewrite, e: ExprCursor, name: str, cse: bool = False) -> Where:
    """`s  ~>  a: T; a = e; s[e -> a]`. Paper: A.5.

    `e` is a data expression. With `cse`, every equal expression in the statement is replaced, and in the
    statements after it until one of them changes what `e` reads. Returns the assignment.
    """
    tree, node = rw.proc.tree, e.node
    applicable(not is_control(node), "only data can be bound to a buffer, not a control expression", e)
    applicable(not isinstance(e.parent(), _call_kinds()), "an argument of a call cannot be bound", e)
    stmt = e.stmt()
    a = rw.fresh(name_arg(name))
    places = [e.path]
    if cse:
        places = _equal_places(tree, stmt.path, node)  # type: ignore[arg-type]
    for path in places:
        rw.replace(path, Read(a, pvector()))
    value: Expr = node  # type: ignore[assignment]
    rw.insert_before(stmt.path, Alloc(a, precision_of(tree, value), DRAM), Assign(a, pvector(), value))
    return span_of(stmt.path).path(1)


def _call_kinds() -> type:
    from ..cursors.kinds import CallCursor

    return CallCursor


def _equal_places(tree: ProcDef, path: Path, e: Expr) -> list[Path]:
    """The places of expressions equal to `e`, from its statement on, as long as its value is the same."""
    s = span_of(path)
    block: Sequence[Stmt] = getattr(get(tree, s.parent), s.label)
    found: list[Path] = []
    for k in range(s.lo, len(block)):
        here = safety.Blk(s.parent, s.label, k, k + 1)
        same = isinstance(safety.unchanged(tree, here, e), Safe)
        if same or isinstance(block[k], Assign | Reduce):
            found += [p for p, n in walk(block[k], here.path()) if n == e and _readable(tree, p)]
        if not same:
            break
    return found


def _readable(tree: ProcDef, path: Path) -> bool:
    return not isinstance(get(tree, path[:-1]), Call)


@primitive()
def stage_mem(rw: Rewrite, block: BlockCursor, window: str, name: str, accum: bool = False) -> Where:
    """`s  ~>  tmp: T[..]; tmp = a[w]; s[a -> tmp]; a[w] = tmp`, for a window of a buffer. Paper: A.5.

    `window` is object code such as `"a[0:n, j]"`, half-open; every access of the block to the buffer must
    fall inside it. The load is left out if the block writes the whole window before it reads any of it, the
    store if it writes nothing. With `accum`, which needs a block that only accumulates into the window, `tmp`
    starts at zero and is added back. Returns the block, without the copies.
    """
    tree, span, s = rw.proc.tree, block.span, blk(block)
    buffer, dims = window_arg(rw, window, span.path())
    _stageable(tree, s, buffer, dims)
    require(safety.within(tree, s, buffer, dims), block)
    written = safety.writes_to(tree, s, buffer)
    if accum:
        applicable(safety.only_accumulates(tree, s, buffer), "the block does more than accumulate into the window")
        load = store = True
    else:
        store = written
        load = not _needs_no_load(tree, s, buffer, dims, written)
    if load:
        require(safety.initialised(tree, s, buffer, dims), block)
    tmp = rw.fresh(name_arg(name))
    redirect(rw, span, buffer, _to_copy(tmp, dims))
    t = declarations(tree)[buffer]
    base = t.base if isinstance(t, Tensor) else t
    assert isinstance(base, Scalar)
    extents = [b.sub(d.hi, d.lo) for d in dims if isinstance(d, Interval)]
    before: list[Stmt] = [Alloc(tmp, Tensor(base, pvector(extents)) if extents else base, DRAM)]
    if load:
        before.append(_copy(rw, buffer, dims, tmp, "zero" if accum else "load"))
    if store:
        rw.insert_after(span.path(span.hi - span.lo - 1), _copy(rw, buffer, dims, tmp, "add" if accum else "store"))
    rw.insert_before(span.path(), *before)
    return span._replace(lo=span.lo + len(before), hi=span.hi + len(before))


def _needs_no_load(tree: ProcDef, s: safety.Blk, buffer: Sym, dims: Sequence[WinDim], written: bool) -> bool:
    if not isinstance(safety.covered(tree, s, buffer), Safe):
        return False
    return not written or isinstance(safety.fully_written(tree, s, buffer, dims), Safe)


def _stageable(tree: ProcDef, s: safety.Blk, buffer: Sym, dims: Sequence[WinDim]) -> None:
    """The window is a non-empty part of the buffer, and the block reaches the buffer by no other name."""
    views = windows_at(tree, s.path())
    applicable(buffer not in views, f"{buffer} is a window: stage the buffer that it views")
    used = frozenset[Sym]().union(*map(mentions, s.stmts(tree)))
    for w in sorted(views, key=lambda x: x.id):
        base = views[w].sym
        while base in views:
            base = views[base].sym
        applicable(w not in used or base != buffer, f"the block also reaches {buffer} through the window {w}")
    t = declarations(tree)[buffer]
    for d, extent in zip(dims, t.shape if isinstance(t, Tensor) else (), strict=True):
        lo, hi = (d.lo, d.hi) if isinstance(d, Interval) else (d.pt, b.add(d.pt, b.ONE))
        for e in (lo, hi):
            require(safety.unchanged(tree, s, e))
        inside = Binary("and", Binary("<=", b.ZERO, lo), Binary("<=", hi, extent))
        require(safety.holds(tree, s.path(), Binary("<", lo, hi), "the window is not empty"))
        require(safety.holds(tree, s.path(), inside, f"the window lies within {buffer}"))


def _to_copy(tmp: Sym, dims: Sequence[WinDim]) -> Redirect:
    kept = [(n, d) for n, d in enumerate(dims) if isinstance(d, Interval)]

    def window(old: Sequence[WinDim]) -> Sequence[WinDim] | None:
        if any(isinstance(old[n], Interval) for n, d in enumerate(dims) if isinstance(d, Point)) or not kept:
            return None
        return [_shifted(old[n], d.lo) for n, d in kept]

    return Redirect(tmp, lambda idx: [b.sub(idx[n], d.lo) for n, d in kept], window, lambda d: None)


def _shifted(d: WinDim, by: Expr) -> WinDim:
    if isinstance(d, Point):
        return Point(b.sub(d.pt, by))
    return Interval(b.sub(d.lo, by), b.sub(d.hi, by))


def _copy(rw: Rewrite, buffer: Sym, dims: Sequence[WinDim], tmp: Sym, how: str) -> Stmt:
    """The loop nest that copies between a window and its staged buffer."""
    iters: list[tuple[Sym, Expr]] = []
    outside: list[Expr] = []
    for d in dims:
        if isinstance(d, Point):
            outside.append(d.pt)
        else:
            i = rw.fresh(f"i{len(iters)}")
            iters.append((i, b.sub(d.hi, d.lo)))
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

