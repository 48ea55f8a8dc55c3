"""Code that is to run once more, or no longer once more, with what it would compute already there.

All questions are asked of the old or the new tree of a rewrite; see `safety` for what their answers mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pyrsistent import pvector

from ...ir.difference import where_apart
from ...ir.names import Sym
from ...ir.nodes import Alloc, Binary, Call, Expr, For, If, Node, Pass, ProcDef, Stmt, Var, WindowDef
from ...ir.span import Span
from ...ir.walk import Path, get, get_as, is_control, mentions, rename, with_child
from ..effects.accesses import Access, Tick, block_accesses, effects, in_loops, windows_at
from ..effects.accesses import move as moved
from ..effects.context import branch_facts, env_of, facts_at, range_facts
from ..effects.coverage import before
from ..effects.dependence import SAFE, Clash, Undecided, Verdict, clash, example, if_reached, prime
from ..forms.affine import OTHER, Lin, Opaque, V
from ..forms.formula import Formula, conj, disj, ge, gt, lt, ne, neg, subst
from ..forms.translate import is_opaque, lin, unknown
from ..solver.answers import Refuted
from ..solver.proofs import prove
from .safety import equal_at, idempotent, same_again


def _loop(tree: ProcDef, path: Path) -> For:
    return get_as(tree, path, For)


# -- tiles that overlap -------------------------------------------------------------------------------


TILE = "the tile"
"""What the number of a tile is called in counterexamples: no name of a variable."""


def overlap(
    tree: ProcDef, path: Path, first: Expr, end: Expr, step: int, width: Expr | None = None
) -> Verdict:
    """Whether a loop over (lo, hi) may run in tiles that overlap, or such tiles as one loop.

    Their numbers go from `first` to `end`, each has the iterations that start `step` after those of the tile before,
    and they end with hi; or, each has `width` iterations, as far as there are so many. So all but the first begin
    with iterations that the one before ended with. If doing these again, all together, changes nothing, then memory
    after each tile is as it is after the last of its iterations in the loop. (That each iteration alone can be
    repeated is not enough: between its two turns run others, which may overwrite what it reads.)
    """
    loop = _loop(tree, path)
    what = "the iterations that two tiles share change nothing when they are done again"
    i, k = unknown(loop.iter), unknown(Sym(TILE, tree.next_id))
    start = lin(loop.lo) if not is_opaque(loop.lo) else Lin.of(Opaque("first iteration"))
    shared = [ge(i, start + (k - lin(first)) * step)]
    if width is not None:
        shared.append(lt(i, start + (k - lin(first) - 1) * step + lin(width)))
    elif not is_opaque(loop.hi):
        shared.append(lt(i, lin(loop.hi) - (lin(end) - k) * step))
    label, at = path[-1]
    assert at is not None
    body = [a for a in effects(tree, Span(path[:-1], label, at, at + 1)) if V(loop.iter) in a.iters]
    again = [replace(a, guard=conj(a.guard, *shared)) for a in body]
    later = (*facts_at(tree, path), gt(k, lin(first)), lt(k, lin(end)))
    verdict = same_again(tree, again, later)
    return if_reached(tree, path, verdict or verdict.said(what))


# -- equal bodies -------------------------------------------------------------------------------------


def same_body(tree: ProcDef, path: Path, after: Path) -> Verdict:
    """Whether the body of the loop at `path` does what that of the loop at `after` does, in the iterations of
    the latter: the same statements up to names, with control expressions that are equal there."""
    one, two = _loop(tree, path), _loop(tree, after)
    names: dict[Sym, Sym] = {one.iter: two.iter}
    return _same_block(tree, one.body, two.body, after, "body", names)


_DIFFERENT = Clash("the bodies of the two loops are equal")


def _same_block(
    tree: ProcDef, ours: Sequence[Stmt], theirs: Sequence[Stmt], parent: Path, label: str, names: dict[Sym, Sym]
) -> Verdict:
    if len(ours) != len(theirs):
        return replace(_DIFFERENT, details=f"one has {len(ours)} statements where the other has {len(theirs)}")
    for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        verdict = _same_node(tree, a, b, (*parent, (label, k)), names)
        if not verdict:
            return verdict if verdict.details else replace(verdict, details=where_apart(tree, a, b, names))
    return SAFE


def _same_node(tree: ProcDef, a: Node, b: Node, at: Path, names: dict[Sym, Sym]) -> Verdict:
    """Whether two nodes are the same; `at` is the statement around `b`, `names` what ours are called there."""
    if isinstance(a, Var | Binary) and is_control(a) and not is_opaque(a):
        if not isinstance(b, Expr) or not is_control(b) or is_opaque(b):
            return _DIFFERENT
        return equal_at(tree, at, rename(a, names), b, _DIFFERENT.obligation)
    if type(a) is not type(b):
        return _same_value(tree, a, b, at, names)
    verdict = _same_fields(a, b, names)
    if not verdict:
        return verdict
    for label, is_list in a.CHILDREN:
        x, y = getattr(a, label), getattr(b, label)
        if label in ("body", "orelse"):
            verdict = _same_block(tree, x, y, at, label, names)
        elif not is_list:
            verdict = _same_node(tree, x, y, at, names)
        elif len(x) != len(y):
            return _DIFFERENT
        else:
            each = (_same_node(tree, p, q, at, names) for p, q in zip(x, y, strict=True))
            verdict = next((v for v in each if not v), SAFE)
        if not verdict:
            return verdict
    return SAFE


def _same_value(tree: ProcDef, a: Node, b: Node, at: Path, names: dict[Sym, Sym]) -> Verdict:
    """Of two nodes of different kinds: whether they are control expressions with one value."""
    if not isinstance(a, Expr) or not isinstance(b, Expr):
        return _DIFFERENT
    if not all(is_control(e) and not is_opaque(e) for e in (a, b)):
        return _DIFFERENT
    return equal_at(tree, at, rename(a, names), b, _DIFFERENT.obligation)


def _same_fields(a: Node, b: Node, names: dict[Sym, Sym]) -> Verdict:
    """Whether what two nodes of one kind have besides children is the same. Learns what binders are called."""
    children = {label for label, _ in a.CHILDREN}
    for field in type(a).__match_args__:
        if field in children:
            continue
        x, y = getattr(a, field), getattr(b, field)
        if isinstance(a, For | Alloc | WindowDef) and field in ("iter", "sym"):
            names[x] = y
        elif isinstance(x, Sym):
            if names.get(x, x) != y:
                return _DIFFERENT
        elif isinstance(a, Call):
            if x.tree is not y.tree:
                return _DIFFERENT
        elif type(x) is not type(y) or x != y:
            return _DIFFERENT
    return SAFE


# -- only the first time ------------------------------------------------------------------------------


def first_suffices(tree: ProcDef, path: Path, blk: Span) -> Verdict:
    """Whether statements somewhere in a sequential loop need only run in its first iteration.

    They do if in every later one they run as in the first (in the same iterations of the loops between),
    repeating them right away changes nothing, and what they read or write is not written by others in between.
    The same code may run several times in one iteration: runs count as the same if all iterators that the code
    mentions are.
    """
    loop = _loop(tree, path)
    if loop.mode != "seq":
        return Clash(f"the iterations of {loop.iter} have an order")
    local = _defined_around(tree, path, blk)
    around = list(_around(tree, path, blk))
    asked: list[Node] = [*blk.members(tree)]
    for node, _ in around:
        asked += [node.lo, node.hi] if isinstance(node, For) else [node.cond]
    used = sorted(frozenset[Sym]().union(*map(mentions, asked)) & local, key=lambda s: s.id)
    if used:
        return Clash(f"the code uses nothing that the loop's body defines, such as {used[0]}")
    if any(loop.iter in mentions(s) for s in blk.members(tree)):
        return Clash(f"the code does not depend on {loop.iter}")
    verdict = _runs_at_first(tree, path, blk, around)
    if not verdict:
        return verdict
    verdict = idempotent(tree, blk)
    return verdict if not verdict else _kept(tree, path, blk, around)


Around = tuple[For | If, str]


def _around(tree: ProcDef, path: Path, blk: Span) -> Iterator[Around]:
    """The loops and branches between a loop and statements in it, outermost first, with the branch taken."""
    for n in range(len(path) + 1, len(blk.parent) + 1):
        node = get(tree, blk.parent[:n])
        assert isinstance(node, For | If)
        yield node, blk.parent[n][0] if n < len(blk.parent) else blk.label


def _defined_around(tree: ProcDef, path: Path, blk: Span) -> frozenset[Sym]:
    """The buffers and windows that the body of a loop defines for statements in it."""
    found: set[Sym] = set()
    for n, (label, k) in enumerate((*blk.parent, (blk.label, blk.lo))):
        if n >= len(path):
            before_it = getattr(get(tree, blk.parent[:n]), label)[:k]
            found |= {s.sym for s in before_it if isinstance(s, Alloc | WindowDef)}
    return frozenset(found)


def _runs_at_first(tree: ProcDef, path: Path, blk: Span, around: Sequence[Around]) -> Verdict:
    """Whether the statements run in the loop's first iteration if they do in a later one."""
    loop, env = _loop(tree, path), env_of(tree)
    what = f"the code runs in the first iteration of {loop.iter} if it runs in a later one"
    runs: list[Formula] = []
    for node, label in around:
        if any(is_opaque(e) for e in ([node.lo, node.hi] if isinstance(node, For) else [node.cond])):
            return Clash(f"{what}: no bound or condition around it in the loop reads data or config fields")
        runs += range_facts(node) if isinstance(node, For) else branch_facts(node, label, env)
    first = lin(loop.lo)
    goal = conj(*(subst(f, {V(loop.iter): first}) for f in runs))
    answer = prove([*facts_at(tree, blk.path()), gt(unknown(loop.iter), first)], goal, what)
    if answer:
        return SAFE
    if isinstance(answer, Refuted):
        return if_reached(tree, blk.path(), Clash(what, example(tree, answer.model, goal, *runs)))
    return Undecided(what)


def _kept(tree: ProcDef, path: Path, blk: Span, around: Sequence[Around]) -> Verdict:
    """Whether nothing else writes what the statements read or write, between their first run and a later one."""
    loop = _loop(tree, path)
    i, first = V(loop.iter), lin(loop.lo)
    what = f"what the code reads and writes stays as it is until a later iteration of {loop.iter}"
    keys = [n.iter for n, _ in around if isinstance(n, For) and any(n.iter in mentions(s) for s in blk.members(tree))]
    another = disj(*(ne(unknown(k), unknown(k, OTHER)) for k in keys))
    mine, others = (_timed(tree, path, blk, only) for only in (True, False))
    writes = [(w, another) for w in mine if w.writes] + [(w, conj()) for w in others if w.writes and not w.joint]
    later = [(prime(w, (loop.iter,)), other) for w, other in writes]
    facts = (*facts_at(tree, path), gt(Lin.of(i), first))
    found: Verdict = SAFE
    for a in mine:
        at_first = moved(replace(a, iters=()), {i: first}).when
        for w, other in later:
            between = conj(other, neg(before(w.end, at_first)), neg(before(a.end, w.when)))
            verdict = clash(tree, facts, [a], [w], between, what, order_free=False)
            if not verdict:
                found = verdict
                if isinstance(verdict, Clash) and verdict.counterexample is not None:
                    return if_reached(tree, blk.path(), verdict)
    return found


def _timed(tree: ProcDef, path: Path, blk: Span, only: bool) -> list[Access]:
    """The accesses of a loop's body that the statements make (`only`), or that all others make, each in the
    loop's range and with a time that starts with the iteration."""
    loop = _loop(tree, path)
    body = _reduced(loop.body, (*blk.parent[len(path) :], (blk.label, blk.lo)), blk.hi - blk.lo, only)
    found = block_accesses(body, windows_at(tree, (*path, ("body", 0))))
    tick = Tick(unknown(loop.iter), loop.mode == "seq")
    return [a.timed(tick) for a in in_loops(found, loop)]


def _reduced(block: Sequence[Stmt], rest: Path, count: int, only: bool) -> list[Stmt]:
    """A block in which `pass` stands for all but the `count` statements at the end of the path `rest`, which
    starts in the block; or for just these."""
    k = rest[0][1]
    assert k is not None
    if len(rest) == 1:
        return [s if (k <= n < k + count) == only else Pass() for n, s in enumerate(block)]
    inner: Stmt = block[k]
    for label in ("body", "orelse"):
        if label == rest[1][0]:
            inner = with_child(inner, label, pvector(_reduced(getattr(inner, label), rest[1:], count, only)))
        elif only and label == "orelse" and isinstance(inner, If):
            inner = with_child(inner, label, pvector())
        elif only and isinstance(inner, If):
            inner = with_child(inner, label, pvector([Pass()]))
    return [inner if n == k else Pass() if only else s for n, s in enumerate(block)]


__all__ = ["TILE", "first_suffices", "overlap", "same_body"]
