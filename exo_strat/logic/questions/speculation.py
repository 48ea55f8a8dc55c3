"""Whether code may also run where nobody needs what it does.

`if e: s` becomes `if e: s else: s2`, where s2 is s itself or sets something to a number. This is right if, where e is
false,

* s2 runs to its end: it is in bounds (the static checks see to that), its operations have a value for all operands, no
  integer in it can overflow, and each element of a local buffer that it reads was surely written before;
* s2 writes only to local buffers, and only elements that no code that was there before reads while the buffer lives.

What s2 computes there need not be what anybody expects, as only s2 may read it, again where e is false. Every read that
was there finds what it found, by induction over them, so all other values stay. The question is not asked in order of
time: an element that is written in addition, then written again, and then read is taken for one that is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pyrsistent import pvector

from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Assign,
    Call,
    ExternCall,
    If,
    Node,
    Pass,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    WindowDef,
    WriteConfig,
)
from ...ir.span import Span
from ...ir.types import Scalar, Tensor, Type
from ...ir.walk import Path, get, get_as, in_scope, mentions, put_at, update, walk, with_child
from ..effects.accesses import Access, block_accesses, effects, windows_at
from ..effects.contents import readable
from ..effects.context import facts_at
from ..effects.coverage import cover
from ..effects.dependence import SAFE, Clash, Readiness, Verdict, clash, if_reached, prime, show
from ..forms.formula import TRUE
from .evaluation import undefined


def may_idle(tree: ProcDef, path: Path, other: Sequence[Stmt], types: Mapping[Sym, Type]) -> Verdict:
    """Whether the `if` at `path`, which has no else branch, may get `other` as one. `types` are those of all buffers.

    It is left to be asked whether `other` is in bounds, and whether iterations of parallel loops stay apart.
    """
    nodes = [n for s in other for _, n in walk(s)]
    lack = next((text for n in nodes if (text := _lack(n, types))), None)
    if lack is not None:
        return Clash("the code surely runs to its end where the condition is false", details=lack)
    both = update(tree, path, lambda s: with_child(s, "orelse", pvector(other)))
    added = Added(tree, both, _alone(both, path), frozenset(map(id, nodes)))
    seen = next((a for a in added.accesses(Span((), "body", 0, len(tree.body))) if a.writes), None)
    if seen is not None:
        return Clash("only local buffers are written where the condition is false", details=f"it {show(both, seen)}")
    used = _buffers(tree, path, other)
    for where, n in in_scope(tree, path):
        if isinstance(n, Alloc) and n.sym in used:
            label, k = where[-1]
            assert k is not None
            scope = Span(where[:-1], label, k + 1, len(getattr(get(tree, where[:-1]), label)))
            verdict = _unnoticed(added, scope, n.sym)
            if not verdict:
                return if_reached(tree, path, verdict)
    return SAFE


def idle_needs(tree: ProcDef, path: Path, other: Sequence[Stmt]) -> Readiness:
    """Whether what `other`, the else branch that the `if` at `path` is to get, reads of arguments is there."""
    cond, views = get_as(tree, path, If), windows_at(tree, path)
    both = If(cond.cond, pvector([Pass()]), pvector(other))
    arguments = frozenset(a.sym for a in tree.args)
    label, k = path[-1]
    assert k is not None
    reads = [a for a in block_accesses([both], views) if a.buffer in arguments and a.reads]
    return readable(tree, Span(path[:-1], label, k, k + 1), reads)


class Added(NamedTuple):
    """Code that is added to a tree as an else branch: the tree before and after, the latter with nothing else in it,
    and the identities of the nodes that are added."""

    before: ProcDef
    after: ProcDef
    alone: ProcDef
    nodes: frozenset[int]

    def accesses(self, blk: Span) -> list[Access]:
        """What it accesses in a run of statements."""
        return [a for a in effects(self.alone, blk) if id(a.node) in self.nodes]


def _unnoticed(added: Added, scope: Span, buffer: Sym) -> Verdict:
    """Whether added code writes no element of a local buffer that is read in its scope, and reads only what is
    written."""
    here, facts = [a for a in added.accesses(scope) if a.buffer == buffer], facts_at(added.before, scope.path())
    writes = [a for a in here if a.writes]
    if writes:
        reads = [prime(a) for a in effects(added.before, scope) if a.buffer == buffer and a.reads]
        what = "nobody reads what the code writes where the condition is false"
        verdict = clash(added.before, facts, writes, reads, TRUE, what, order_free=False)
        if not verdict:
            return verdict
    what = f"what the code reads of {buffer} where the condition is false is surely written"
    stores = [a for a in effects(added.after, scope) if a.buffer == buffer and a.kind == "W"]
    for a in here:
        if a.reads:
            verdict = cover(added.after, facts, a, stores, what)
            if not verdict:
                return verdict
    return SAFE


def _buffers(tree: ProcDef, path: Path, stmts: Sequence[Stmt]) -> frozenset[Sym]:
    """What statements at a path name, and the buffers and windows that the windows among it view."""
    views = windows_at(tree, path)
    names = [*frozenset[Sym]().union(*map(mentions, stmts))]
    for name in names:  # which grows
        if name in views:
            names.append(views[name].sym)
    return frozenset(names)


def _lack(n: Node, types: Mapping[Sym, Type]) -> str | None:
    """What a node does that may fail, or that is more than to compute; None if nothing."""
    match n:
        case Alloc() | Call() | WindowDef() | WriteConfig():
            return "it consists of loops, branches, assignments and reductions only"
        case ReadConfig(config=c, field=f):
            return f"{c.name}.{f} may not be set"
        case ExternCall(f=f) if f.converts and not Scalar(str(f.result)).is_float:
            return f"what {f.name} converts need not fit"
        case Read(sym=sym) | Assign(sym=sym) | Reduce(sym=sym):
            t = types[sym]
            scalar = t.base if isinstance(t, Tensor) else t
            if isinstance(scalar, Scalar) and not scalar.is_float:
                return f"{sym} holds integers, which may overflow"
    return undefined(n)


def _alone(tree: ProcDef, path: Path) -> ProcDef:
    """A tree in which `pass` stands for all statements but the else branch of the `if` at `path`, what is around it,
    and what is in scope there."""
    for n, (label, k) in enumerate(path):
        assert k is not None
        block = getattr(get(tree, path[:n]), label)
        kept = pvector(s if i == k or isinstance(s, Alloc | WindowDef) else Pass() for i, s in enumerate(block))
        tree = put_at(tree, (*path[:n], (label, None)), kept)
    return update(tree, path, lambda s: with_child(s, "body", pvector([Pass()])))
