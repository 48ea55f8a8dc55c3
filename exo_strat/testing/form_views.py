"""The form of buffers with other extents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyrsistent import PVector, pvector

from ..cursors.proc import Proc
from ..frontend.scope import types_at
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import (
    Assign,
    Binary,
    Const,
    Expr,
    Node,
    Read,
    Reduce,
    Stmt,
    StrideExpr,
    ViewExpr,
    WindowDef,
    WindowExpr,
)
from ..ir.types import Tensor
from ..ir.walk import get, mentions, put_at, rewrite, statements, walk, with_child
from .choices import Choices
from .form_places import checked, fresh


def views(ch: Choices, p: Proc) -> Proc | None:
    """A few statements reach the elements of a dense buffer by one with other extents. While they do, they name that
    one only."""
    places = [path for path, _ in statements(p.tree)]
    path = ch.pick(places)
    label, first = path[-1]
    assert first is not None
    block: PVector[Stmt] = getattr(get(p.tree, path[:-1]), label)
    last = min(len(block), first + 1 + ch.upto(2))
    types, used = types_at(p.tree, path), frozenset[Sym]().union(*map(mentions, block[first:last]))
    dense = sorted((s for s in used if _is_dense(types.get(s))), key=lambda s: s.id)
    if not dense:
        return None
    sym = ch.pick(dense)
    t = types[sym]
    assert isinstance(t, Tensor)
    others = (n for s in block[first:last] for _, n in walk(s) if isinstance(n, WindowExpr | ViewExpr | StrideExpr))
    if any(n.sym == sym for n in others):
        return None
    tree, name = fresh(p.tree, ch.pick(["w", "v"]))
    split = isinstance(t.shape[0], Const) and t.shape[0].value % 2 == 0 and ch.chance(60)
    one, behind, two = b.num(1), ch.chance(50), b.num(2)
    if split:
        shape: list[Expr] = [b.num(int(t.shape[0].value) // 2), two, *t.shape[1:]]  # type: ignore[union-attr]
    else:
        shape = [*t.shape, one] if behind else [one, *t.shape]

    def there(idx: Iterable[Expr]) -> PVector[Expr]:
        i, *rest = idx
        if split:
            return pvector([Binary("/", i, two), Binary("%", i, two), *rest])
        return pvector([i, *rest, b.ZERO] if behind else [b.ZERO, i, *rest])

    def visit(n: Node) -> Node:
        if isinstance(n, Read | Assign | Reduce) and n.sym == sym and n.idx:
            return replace(n, sym=name, idx=there(n.idx))
        return n

    inside = [rewrite(s, visit) for s in block[first:last]]
    made = WindowDef(name, ViewExpr(sym, len(t.shape), pvector(shape)))
    new = pvector([*block[:first], made, *inside, *block[last:]])
    changed = with_child(get(tree, path[:-1]), label, new)
    return checked(put_at(tree, path[:-1], changed))


def _is_dense(t: object) -> bool:
    return isinstance(t, Tensor) and not t.window
