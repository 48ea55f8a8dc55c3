"""Redirecting all accesses to a buffer. Imports `framework` and `ir`.

Changing a buffer's layout means rewriting each place that names it: reads, stores, windows, whole
tensors passed to calls, strides. `redirect` does so with one small edit a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pyrsistent import pvector

from ..cursors.edits import Span
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Assign, Call, Expr, Interval, Node, Read, Reduce, StrideExpr, WinDim, WindowExpr
from ..ir.types import Tensor
from ..ir.walk import Path, get, mentions, walk
from .framework import applicable


@dataclass(frozen=True)
class Redirect:
    """Where accesses go: the new buffer, and how indices, window dimensions and strides map.

    `window` returns None for a window that cannot be expressed, `stride` likewise. `whole` says whether a
    tensor passed whole to a call may become a window.
    """

    to: Sym
    point: Callable[[Sequence[Expr]], Sequence[Expr]]
    window: Callable[[Sequence[WinDim]], Sequence[WinDim] | None]
    stride: Callable[[int], int | None]
    whole: bool = True


def uses(node: Node, sym: Sym, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """The places below a node that name a buffer."""
    for p, n in walk(node, path):
        if getattr(n, "sym", None) == sym:
            yield p, n


def used_in(stmts: Sequence[Node], sym: Sym) -> list[Node]:
    """The statements that mention a variable."""
    return [s for s in stmts if sym in mentions(s)]


def redirect(rw: Rewrite, span: Span, sym: Sym, how: Redirect) -> None:
    """Send every access to `sym` in a run of statements elsewhere."""
    for i in range(span.hi - span.lo):
        root = span.path(i)
        for path, node in list(uses(get(rw.tree, root), sym, root)):
            _one(rw, path, node, how)


def _one(rw: Rewrite, path: Path, node: Node, how: Redirect) -> None:
    match node:
        case Assign(idx=idx) | Reduce(idx=idx):
            rw.set(path, sym=how.to, idx=pvector(how.point(idx)))
        case Read(idx=idx):
            shape = _whole_shape(rw, path, node)
            if shape is None:
                rw.replace(path, Read(how.to, pvector(how.point(idx))))
            else:
                _window(rw, path, [Interval(b.ZERO, n) for n in shape], how, whole=True)
        case WindowExpr(idx=dims):
            _window(rw, path, dims, how, whole=False)
        case StrideExpr(dim=d):
            new = how.stride(d)
            applicable(new is not None, "a stride of the buffer is asked for, which would change")
            assert new is not None
            rw.replace(path, StrideExpr(how.to, new))
        case _:
            raise AssertionError(f"{node} does not access a buffer")


def _whole_shape(rw: Rewrite, path: Path, node: Read) -> Sequence[Expr] | None:
    """The extents of a tensor that a call gets whole; None for an element or a scalar."""
    t = declarations(rw.proc.tree).get(node.sym)
    parent = get(rw.tree, path[:-1])
    if not isinstance(t, Tensor) or node.idx or not isinstance(parent, Call):
        return None
    k = path[-1][1]
    assert k is not None
    formal = parent.f.tree.args[k]
    applicable(
        isinstance(formal.type, Tensor) and formal.type.window,
        f"{parent.f.tree.name} takes the whole dense buffer {node.sym}, which would change",
    )
    return t.shape


def _window(rw: Rewrite, path: Path, dims: Sequence[WinDim], how: Redirect, whole: bool) -> None:
    new = how.window(dims) if how.whole or not whole else None
    applicable(new is not None, "a window of the buffer cannot be expressed in the new layout")
    assert new is not None
    rw.replace(path, WindowExpr(how.to, pvector(new)))
