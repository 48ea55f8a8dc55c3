"""The questions that primitives ask. Imports the rest of `logic`.

Each takes the old tree and paths (or runs of statements) in it, and returns `Safe`, or a `Clash` with
the obligation in words and, where the solver found one that is possible, a counterexample. What a safe
rewrite preserves: on every input that satisfies the assertions and on which the old program does not
trap, the new one does not trap and leaves equal values in arguments and config fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir.names import Sym
from ..ir.nodes import Alloc, Expr, For, Interval, Node, ProcDef, Stmt, Var, WindowDef, WindowExpr
from ..ir.walk import Path, get, is_bool, is_control, mentions
from .affine import Atom, Lin, V
from .answers import Answer, Proved, Refuted
from .configs import value_facts, values_at
from .contents import (
    carried,
    covered,
    fully_written,
    initialised,
    only_accumulates,
    reads_from,
    within,
    writes_to,
)
from .context import env_of, facts_at
from .coverage import cover
from .dependence import (
    SAFE,
    Clash,
    Safe,
    Verdict,
    clash,
    example,
    if_reached,
    prime,
    same_place,
    show,
)
from .effects import Access, Blk, block_accesses, effects, in_loops, move, reads_of, resolve, windows_at
from .formula import TRUE, Formula, conj, eq, gt, iff, lt, ne
from .solver import prove
from .translate import cond, is_opaque, lin, unknown


def _loop(tree: ProcDef, path: Path) -> For:
    node = get(tree, path)
    assert isinstance(node, For), f"{path} is no loop"
    return node


def _body(tree: ProcDef, path: Path) -> Blk:
    return Blk(path, "body", 0, len(_loop(tree, path).body))


def _clash(
    tree: ProcDef,
    path: Path,
    first: Sequence[Access],
    second: Sequence[Access],
    what: str,
    relation: Formula = TRUE,
    order_free: bool = True,
) -> Verdict:
    """Whether accesses of two instances of code at `path` clash."""
    verdict = clash(tree, facts_at(tree, path), first, second, relation, what, order_free)
    return if_reached(tree, path, verdict)


def defined(stmts: Sequence[Stmt]) -> frozenset[Sym]:
    """The buffers and windows that statements introduce for those after them."""
    return frozenset(s.sym for s in stmts if isinstance(s, Alloc | WindowDef))


def _uses(stmts: Sequence[Node], names: frozenset[Sym]) -> Verdict:
    for s in stmts:
        used = sorted(mentions(s) & names, key=lambda x: x.id)
        if used:
            return Clash(f"{used[0]} is defined in the first part and used in the second")
    return SAFE


# -- control expressions ------------------------------------------------------------------------------


def _known(tree: ProcDef, path: Path, goal: Formula, *about: Expr) -> Answer:
    """Whether `goal`, made of the expressions `about`, is true just before `path`."""
    facts = facts_at(tree, path)
    if any(map(is_opaque, about)):
        facts += value_facts(values_at(tree, path), env_of(tree))
    return prove(facts, goal)


def _verdict(tree: ProcDef, path: Path, goal: Formula, obligation: str, *about: Expr) -> Verdict:
    answer = _known(tree, path, goal, *about)
    if isinstance(answer, Proved):
        return SAFE
    if isinstance(answer, Refuted):
        shown = None if any(map(is_opaque, about)) else example(tree, answer.model, goal)
        return if_reached(tree, path, Clash(obligation, shown))
    return Clash(obligation, None, True)


def holds(tree: ProcDef, path: Path, condition: Expr, obligation: str) -> Verdict:
    """Whether a control condition is true wherever control reaches `path`."""
    return _verdict(tree, path, cond(condition, env_of(tree)), obligation, condition)


def holds_everywhere(tree: ProcDef, path: Path, condition: Expr) -> bool:
    """Whether a control condition is provably true wherever control reaches `path`."""
    return isinstance(_known(tree, path, cond(condition, env_of(tree)), condition), Proved)


def linear(tree: ProcDef, path: Path, x: Lin) -> bool:
    """Whether an affine form is provably zero wherever control reaches `path`."""
    return isinstance(prove(facts_at(tree, path), eq(x, 0)), Proved)


def equal_at(tree: ProcDef, path: Path, a: Expr, b: Expr, obligation: str = "") -> Verdict:
    """Whether two expressions are equal wherever control reaches `path`. Data values are equal if they are
    the same expression."""
    what = obligation or "the two expressions are equal"
    if a == b:
        return SAFE
    if not (is_control(a) and is_control(b)):
        return Clash(what)
    env = env_of(tree)
    truth = any(is_bool(e) or (isinstance(e, Var) and e.sym in env.bools) for e in (a, b))
    goal = iff(cond(a, env), cond(b, env)) if truth else eq(lin(a, env), lin(b, env))
    return _verdict(tree, path, goal, what, a, b)


def unchanged(tree: ProcDef, blk: Blk, e: Expr) -> Verdict:
    """Whether nothing in a run of statements can change the value that `e` has before it; of a window, what
    it shows."""
    if not is_opaque(e):
        return SAFE
    views = windows_at(tree, blk.path())
    reads = [resolve(a, views) for a in (*reads_of(e), *_shown(e))]
    writes = [prime(a) for a in effects(tree, blk) if a.writes]
    return _clash(tree, blk.path(), reads, writes, "the code does not change the expression")


def _shown(e: Expr) -> list[Access]:
    """A read of all that a window shows, as far as points bound it."""
    if not isinstance(e, WindowExpr):
        return []
    index = tuple(None if isinstance(d, Interval) or is_opaque(d.pt) else lin(d.pt) for d in e.idx)
    return [Access(e.sym, "R", index, e, exact=False)]


def apart(tree: ProcDef, path: Path, write: Access, reads: Sequence[Access], what: str) -> Verdict:
    """Whether reads, already in base buffers, are of other locations than one that is written."""
    return _clash(tree, path, [write], reads, what)


# -- order --------------------------------------------------------------------------------------------


def commute(tree: ProcDef, one: Blk, two: Blk) -> Verdict:
    """Whether two neighbouring runs of statements may be exchanged."""
    scoped = _uses(two.stmts(tree), defined(one.stmts(tree)))
    if isinstance(scoped, Clash):
        return scoped
    # What `one` defines is not used in `two`: the windows in scope before both are enough.
    views = windows_at(tree, one.path())
    first = block_accesses(one.stmts(tree), views)
    second = [prime(a) for a in block_accesses(two.stmts(tree), views)]
    return _clash(tree, one.path(), first, second, "the two statements commute")


def interchange(tree: ProcDef, path: Path) -> Verdict:
    """Whether the body of two perfectly nested loops may run in the order of the inner loop first.

    An inner loop that is not `seq` gets all iterations of the outer one inside: none of them may race.
    """
    outer = _loop(tree, path)
    inner_path: Path = (*path, ("body", 0))
    inner = _loop(tree, inner_path)
    for e in (inner.lo, inner.hi, outer.lo, outer.hi):
        verdict = unchanged(tree, _body(tree, inner_path), e)
        if isinstance(verdict, Clash):
            return verdict
    body = in_loops(effects(tree, _body(tree, inner_path)), outer, inner)
    i, j = outer.iter, inner.iter
    later = [prime(a, (i, j)) for a in body]
    what = f"iterations of {i} and {j} that change places commute"
    if inner.mode == "seq":
        swapped = conj(lt(unknown(i), unknown(i, 1)), gt(unknown(j), unknown(j, 1)))
        return _clash(tree, path, body, later, what, swapped)
    apart = conj(ne(unknown(i), unknown(i, 1)), ne(unknown(j), unknown(j, 1)))
    return _clash(tree, path, body, later, what, apart, order_free=False)


def fission(tree: ProcDef, path: Path, k: int) -> Verdict:
    """Whether a loop may be split into two, before the k-th statement of its body."""
    loop = _loop(tree, path)
    first, second = Blk(path, "body", 0, k), Blk(path, "body", k, len(loop.body))
    scoped = _uses(second.stmts(tree), defined(first.stmts(tree)))
    verdicts = (scoped, *(unchanged(tree, first, e) for e in (loop.lo, loop.hi)))
    against = next((v for v in verdicts if isinstance(v, Clash)), None)
    if against is not None:
        return against
    s1, s2 = (in_loops(effects(tree, part), loop) for part in (first, second))
    what = "the second part does not touch what the first one does later"
    return _pulled_ahead(tree, path, loop.iter, s1, s2, what)


def fuse(tree: ProcDef, path: Path, after: Path) -> Verdict:
    """Whether two neighbouring loops of one range may become one: a loop of their mode, else `seq`."""
    one, two = _loop(tree, path), _loop(tree, after)
    for e in (two.lo, two.hi):
        verdict = unchanged(tree, _body(tree, path), e)
        if isinstance(verdict, Clash):
            return verdict
    s1 = in_loops(effects(tree, _body(tree, path)), one)
    renamed: dict[Atom, Lin] = {V(two.iter): unknown(one.iter)}
    s2 = in_loops([move(a, renamed) for a in effects(tree, _body(tree, after))], one)
    i = one.iter
    if one.mode == two.mode != "seq":
        what = f"no two iterations of {i} touch one location that either writes"
        apart = ne(unknown(i), unknown(i, 1))
        return _clash(tree, path, s2, [prime(a, (i,)) for a in s1], what, apart, order_free=False)
    what = "the second loop does not touch what the first one does in a later iteration"
    return _pulled_ahead(tree, path, i, s1, s2, what)


def _pulled_ahead(tree: ProcDef, path: Path, i: Sym, s1: Sequence[Access], s2: Sequence[Access], what: str) -> Verdict:
    """Whether s2 of iteration i may change places with s1 of every later iteration i'."""
    later = [prime(a, (i,)) for a in s1]
    return _clash(tree, path, s2, later, what, lt(unknown(i), unknown(i, 1)))


def parallel(tree: ProcDef, path: Path) -> Verdict:
    """Whether no iteration of a loop touches what another one writes."""
    loop = _loop(tree, path)
    body = in_loops(effects(tree, _body(tree, path)), loop)
    i = loop.iter
    later = [prime(a, (i,)) for a in body]
    what = f"no two iterations of {i} touch one location that either writes"
    return _clash(tree, path, body, later, what, ne(unknown(i), unknown(i, 1)), order_free=False)


# -- repetition ---------------------------------------------------------------------------------------


def idempotent(tree: ProcDef, blk: Blk) -> Verdict:
    """Whether running the statements once more right after themselves changes nothing."""
    verdict = _same_again(tree, effects(tree, blk), facts_at(tree, blk.path()))
    return if_reached(tree, blk.path(), verdict)


def repeatable(tree: ProcDef, path: Path) -> Verdict:
    """Whether a loop that runs at least once may become one run of its body."""
    loop = _loop(tree, path)
    if any(loop.iter in mentions(s) for s in loop.body):
        return Clash(f"the loop's body does not depend on {loop.iter}")
    return idempotent(tree, _body(tree, path))


def _same_again(tree: ProcDef, accesses: Sequence[Access], facts: Sequence[Formula]) -> Verdict:
    """Whether accesses do the same if all are repeated: then every value that they need, and that one of
    them may have changed, is written anew before."""
    what = "the code writes what it reads, before it reads it"
    writes = [a for a in accesses if a.writes]
    later = [prime(w) for w in writes]
    for r in accesses:
        if not r.reads or isinstance(clash(tree, facts, [r], later, TRUE, what, order_free=False), Safe):
            continue
        for w in later:
            if w.buffer == r.buffer:
                verdict = cover(tree, (*facts, w.guard, same_place(r, w)), r, writes, what)
                if isinstance(verdict, Clash):
                    shown = verdict.counterexample if w.exact else None
                    return replace(verdict, counterexample=shown, details=f"it {show(tree, r)}")
    return SAFE


__all__ = [
    "SAFE", "Blk", "Clash", "Safe", "Verdict", "apart", "carried", "commute", "covered", "defined", "effects",
    "equal_at", "fission", "fully_written", "fuse", "holds", "holds_everywhere", "idempotent", "initialised",
    "interchange", "linear", "only_accumulates", "parallel", "reads_from", "repeatable", "unchanged", "within",
    "writes_to",
]  # fmt: skip
