"""Redirecting all accesses to a buffer.

Changing a buffer's layout means rewriting each place that names it: elements, windows, tensors passed
whole to calls, strides. `redirect` does so with small edits, so that cursors to what stays survive.

Strides are values that object code can ask for, itself or in what it calls. A redirected window may
have other strides than before only where nobody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyrsistent import pvector

from ...cursors.cursor import at_path
from ...cursors.rewrite import Rewrite
from ...frontend.scope import declarations
from ...ir import build as b
from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Assign,
    Binary,
    Call,
    Expr,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    Reduce,
    StrideExpr,
    ViewExpr,
    WinDim,
    WindowDef,
    WindowExpr,
)
from ...ir.span import Span
from ...ir.types import Tensor, Type
from ...ir.walk import Path, get, get_as, mentions, walk
from ...logic.forms import Lin, is_opaque, lin, product
from ...logic.questions import safety, to_expr
from .refusing import applicable, require

Dims = Sequence[WinDim]


@dataclass(frozen=True)
class Redirect:
    """Where accesses go: the new buffer and its extents, and how indices and windows map.

    `window` returns None for a window that cannot be expressed. `stride` tells which dimension of the new
    buffer moves like a dimension of the old one; it is None if the old buffer is still there to be asked.
    """

    to: Sym
    shape: Sequence[Expr]
    point: Callable[[Sequence[Expr]], Sequence[Expr]]
    window: Callable[[Dims], Dims | None]
    stride: Callable[[int], int] | None


# -- places -------------------------------------------------------------------------------------------


def uses(node: Node, sym: Sym, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """The places below a node that name a buffer."""
    for p, n in walk(node, path, lambda n: sym in mentions(n)):
        if getattr(n, "sym", None) == sym:
            yield p, n


def uses_in(tree: ProcDef, span: Span, sym: Sym) -> list[Path]:
    """The paths of the places in a run of statements that name a buffer."""
    return [p for i in range(span.hi - span.lo) for p, _ in uses(get(tree, span.path(i)), sym, span.path(i))]


def statement_of(path: Path) -> Path:
    """The path of the statement that holds what stands at `path`."""
    n = max(k for k, (label, _) in enumerate(path) if label in ("body", "orelse"))
    return path[: n + 1]


def shown(node: Node, types: Mapping[Sym, Type]) -> Dims | None:
    """What part of its buffer a window, or a tensor passed whole, shows; None for an element or a stride."""
    if isinstance(node, WindowExpr):
        return node.idx
    if isinstance(node, ViewExpr) or (isinstance(node, Read) and not node.idx):
        t = types[node.sym]
        if isinstance(t, Tensor):
            return [Interval(b.ZERO, n) for n in t.shape]
    return None


def named(node: Node, types: Mapping[Sym, Type]) -> Dims:
    """The part of its buffer that a place names: what it shows, or an element."""
    return shown(node, types) or [Point(i) for i in getattr(node, "idx", ())]


# -- strides ------------------------------------------------------------------------------------------


def dense_strides(shape: Sequence[Expr]) -> list[Lin | None]:
    """The strides of a dense buffer; None where they depend on config fields."""
    out: list[Lin | None] = []
    stride: Lin | None = Lin(1)
    for extent in reversed(shape):
        out.append(stride)
        stride = None if stride is None or is_opaque(extent) else product(stride, lin(extent))
    return out[::-1]


@memo_by_identity
def strides_asked(tree: ProcDef) -> Mapping[Sym, frozenset[int]]:
    """The dimensions of each buffer whose stride a procedure asks for, itself, through windows or in calls."""
    asked: dict[Sym, frozenset[int]] = {}

    def ask(sym: Sym, dims: frozenset[int]) -> None:
        asked[sym] = asked.get(sym, frozenset()) | dims

    def ask_through(e: Node, dims: frozenset[int]) -> None:
        if isinstance(e, WindowExpr):
            kept = [d for d, i in enumerate(e.idx) if isinstance(i, Interval)]
            ask(e.sym, frozenset(kept[d] for d in dims))
        elif isinstance(e, Read):
            ask(e.sym, dims)

    for _, n in reversed(list(walk(tree))):  # backwards: a window's uses come before its definition
        match n:
            case StrideExpr(sym=s, dim=d):
                ask(s, frozenset((d,)))
            case WindowDef(sym=s, rhs=rhs):
                ask_through(rhs, asked.get(s, frozenset()))
            case Call(f=f, args=args):
                inside = strides_asked(f.tree)
                for formal, actual in zip(f.tree.args, args, strict=True):
                    ask_through(actual, inside.get(formal.sym, frozenset()))
            case _:
                pass
    return asked


def _asked_of(tree: ProcDef, path: Path) -> frozenset[int]:
    """The dimensions, of those that the window at `path` keeps, whose stride somebody asks for."""
    holder = get(tree, path[:-1])
    if isinstance(holder, WindowDef):
        return strides_asked(tree).get(holder.sym, frozenset())
    callee, k = get_as(tree, path[:-1], Call).f.tree, path[-1][1]
    assert k is not None
    return strides_asked(callee).get(callee.args[k].sym, frozenset())


def _same_stride(rw: Rewrite, path: Path, sym: Sym, d: int, new: Lin | None) -> None:
    """Owed where somebody asks for a stride: it is what it was."""
    place = at_path(rw.proc, path)
    what = f"the stride of dimension {d} of {sym}, which is asked for, stays the same"
    applicable(new is not None, f"{what}: the new one depends on config fields", place)
    assert new is not None
    same = Binary("==", StrideExpr(sym, d), to_expr(new))
    require(safety.holds(rw.proc.tree, statement_of(path), same, what), place)


# -- edits --------------------------------------------------------------------------------------------


def relist(rw: Rewrite, path: Path, label: str, new: Sequence[Node]) -> None:
    """Turn a list of child nodes into `new`. Members that both have move; of the same number, others take the places of
    those that are gone."""
    old = list(getattr(rw.node(path), label))
    kept = [any(x is e for e in new) for x in old]
    if len(old) == len(new) and all(x is e or not k for x, e, k in zip(old, new, kept, strict=True)):
        for i, e in enumerate(new):
            rw.replace((*path, (label, i)), e)
    else:
        rw.set(path, **{label: pvector(new)})


def rename_uses(rw: Rewrite, span: Span, sym: Sym, to: Sym) -> None:
    """Give a buffer another name in a run of statements."""
    for path in uses_in(rw.tree, span, sym):
        rw.set(path, sym=to)


def redirect(rw: Rewrite, span: Span, sym: Sym, how: Redirect) -> None:
    """Send every access to `sym` in a run of statements elsewhere. No statement may have moved before.

    Fails with `NotApplicable` if a callee needs the whole dense buffer or a window cannot be expressed, and
    with `Unsafe` if a stride that somebody asks for changes.
    """
    redirect_each(rw, uses_in(rw.tree, span, sym), sym, lambda _: how)


def redirect_each(rw: Rewrite, places: Sequence[Path], sym: Sym, how: Callable[[Path], Redirect]) -> None:
    """Send the accesses to `sym` at some places, in textual order, each where `how` says; see `redirect`."""
    for path in reversed(places):  # inner places first: lists around them may shift
        _redirect_one(rw, path, sym, how(path))


def _redirect_one(rw: Rewrite, path: Path, sym: Sym, how: Redirect) -> None:
    node = rw.node(path)
    what = f"{sym} also has other extents, by a view, so its own stay"
    applicable(not isinstance(node, ViewExpr), what, at_path(rw.proc, path))
    part = shown(node, declarations(rw.proc.tree)) if isinstance(node, Read | WindowExpr) else None
    if part is not None:
        _redirect_window(rw, path, sym, part, how)
    elif isinstance(node, StrideExpr):
        if how.stride is not None:
            d = how.stride(node.dim)
            _same_stride(rw, path, sym, node.dim, dense_strides(how.shape)[d])
            rw.set(path, sym=how.to, dim=d)
    else:
        assert isinstance(node, Assign | Reduce | Read), f"{node} does not access a buffer"
        new = how.point(node.idx)
        rw.set(path, sym=how.to)
        relist(rw, path, "idx", new)


def _redirect_window(rw: Rewrite, path: Path, sym: Sym, part: Dims, how: Redirect) -> None:
    place = at_path(rw.proc, path)
    new = how.window(part)
    applicable(new is not None, f"this window of {sym} cannot be expressed in the new layout", place)
    assert new is not None
    before = [d for d, i in enumerate(part) if isinstance(i, Interval)]
    after = [d for d, i in enumerate(new) if isinstance(i, Interval)]
    strides = dense_strides(how.shape)
    for k in sorted(_asked_of(rw.proc.tree, path)):
        _same_stride(rw, path, sym, before[k], strides[after[k]])
    if isinstance(rw.node(path), WindowExpr):
        rw.set(path, sym=how.to)
        relist(rw, path, "idx", new)
    elif all(_is_whole(d, n) for d, n in zip(new, how.shape, strict=True)):
        rw.set(path, sym=how.to)
    else:
        _whole_to_window(rw, path, sym, WindowExpr(how.to, pvector(new)))


def _whole_to_window(rw: Rewrite, path: Path, sym: Sym, w: WindowExpr) -> None:
    """Pass a window where a whole tensor was passed."""
    place, call, k = at_path(rw.proc, path), get_as(rw.tree, path[:-1], Call), path[-1][1]
    assert k is not None
    formal = call.f.tree.args[k].type
    takes = isinstance(formal, Tensor) and formal.window
    applicable(takes, f"{call.f.tree.name} takes {sym} as a dense buffer, which would change", place)
    stable = not any(is_opaque(e) for d in w.idx for e in bounds(d))
    applicable(stable, "the extents of the window that is passed depend on config fields", place)
    rw.replace(path, w)


def _is_whole(d: WinDim, extent: Expr) -> bool:
    return isinstance(d, Interval) and d.lo == b.ZERO and d.hi == extent


def bounds(d: WinDim) -> tuple[Expr, Expr]:
    """The half-open interval that a dimension of a window covers."""
    return (d.pt, b.add(d.pt, b.ONE)) if isinstance(d, Point) else (d.lo, d.hi)
