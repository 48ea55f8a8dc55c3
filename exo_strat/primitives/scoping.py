"""Small questions about scopes that several primitives ask. Imports `ir`, edits and `logic`."""

from __future__ import annotations

from ..cursors.edits import Span
from ..ir.names import Sym
from ..ir.nodes import Alloc, For, ProcDef, WindowDef
from ..ir.walk import Path, get, mentions
from ..logic.translate import Env, lin


def loop_at(tree: ProcDef, path: Path) -> For:
    """The loop at a path."""
    node = get(tree, path)
    assert isinstance(node, For), f"{path} is no loop"
    return node


def escaping(tree: ProcDef, span: Span) -> frozenset[Sym]:
    """The buffers and windows that a run of statements defines and later statements of its block use."""
    defined = {s.sym for s in span.members(tree) if isinstance(s, Alloc | WindowDef)}
    later = getattr(get(tree, span.parent), span.label)[span.hi :]
    return frozenset(defined).intersection(frozenset[Sym]().union(*map(mentions, later)))


def trip_count(loop: For) -> int | None:
    """How often a loop runs (maybe a number below 1), if that is a constant."""
    n = lin(loop.hi, Env()) - lin(loop.lo, Env())
    return None if n.terms else n.const
