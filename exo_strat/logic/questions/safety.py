"""The questions that primitives ask.

Each takes the old tree and paths (or runs of statements) in it. Most return a `Verdict`: `Safe`; a `Clash` with the
obligation in words and, where the solver found one that is possible, a counterexample; or `Undecided`, where the
solver gave up. Only `Safe` counts as true. Others return a `Readiness`, a mere bool, or what questions are made of.

What a safe rewrite preserves: on every input that satisfies the assertions and on which the old program does not
trap, the new one does not trap and leaves equal values in arguments and config fields. There are two exceptions,
which the new version notes. It may leave other values in some fields (`Rewritten.leaves`). And of some arguments it
may read elements before it writes them that the old one need not read (`Rewritten.needs`): it traps where such an
element was never written. So an argument promises nothing but that what is read of it, before it is written, is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ir.names import Sym
from ...ir.nodes import Alloc, Call, Expr, For, Interval, Node, ProcDef, Stmt, Var, WindowDef, WindowExpr
from ...ir.reductions import IDEMPOTENT
from ...ir.span import Span
from ...ir.walk import Path, declarators, get_as, is_bool, is_control, mentions
from ..effects.accesses import (
    Access,
    effects,
    effects_at_most,
    in_loops,
    move,
    reads_of,
    resolve,
    windows_at,
    with_known_fields,
)
from ..effects.config_state import field_facts
from ..effects.contents import (
    carried,
    covered,
    fully_written,
    initialised,
    only_accumulates,
    reads_from,
    within,
    writes_to,
)
from ..effects.context import env_of, facts_at, with_more
from ..effects.coverage import cover
from ..effects.dependence import (
    SAFE,
    Clash,
    Safe,
    Undecided,
    Verdict,
    clash,
    example,
    if_reached,
    prime,
    same_place,
    show,
)
from ..effects.determined import Excuse, Part, exchange, recomputation
from ..effects.same_value import Pair, same_value
from ..forms.affine import OTHER, Atom, Lin, V
from ..forms.formula import TRUE, Formula, conj, eq, gt, iff, le, lt, ne
from ..forms.translate import cond, is_opaque, lin, unknown
from ..solver.answers import Answer, Refuted
from ..solver.proofs import prove
from .privatization import either, private


def _loop(tree: ProcDef, path: Path) -> For:
    return get_as(tree, path, For)


def _body(tree: ProcDef, path: Path) -> Span:
    return Span(path, "body", 0, len(_loop(tree, path).body))


def known_at(tree: ProcDef, path: Path) -> tuple[Formula, ...]:
    """What is known just before `path`, of config fields, too: as they are then."""
    return with_more(facts_at(tree, path), field_facts(tree, path, env_of(tree)))


def _in_range(tree: ProcDef, accesses: Sequence[Access], *loops: For) -> list[Access]:
    """Accesses of a body, guarded by the ranges of the loops around it, whose iterators stay fixed. A bound that reads
    fields is what it is where the question is asked: who asks makes sure that it does not change in the loops."""
    inside, env = in_loops(accesses, *loops), env_of(tree)
    ends = [(le, loop.lo, loop.iter) for loop in loops] + [(gt, loop.hi, loop.iter) for loop in loops]
    guard = conj(*(rel(lin(e, env), unknown(i)) for rel, e, i in ends if is_opaque(e)))
    return inside if guard == TRUE else [replace(a, guard=conj(guard, a.guard)) for a in inside]


def _clash(
    tree: ProcDef,
    path: Path,
    first: Sequence[Access],
    second: Sequence[Access],
    what: str,
    relation: Formula = TRUE,
    order_free: bool = True,
    excuse: Excuse | None = None,
) -> Verdict:
    """Whether accesses of two instances of code at `path` clash, where nothing excuses it."""
    verdict = clash(tree, known_at(tree, path), first, second, relation, what, order_free, excuse)
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


def _known(tree: ProcDef, path: Path, goal: Formula, obligation: str) -> Answer:
    """Whether `goal` is true just before `path`."""
    return prove(known_at(tree, path), goal, obligation)


def _verdict(tree: ProcDef, path: Path, goal: Formula, obligation: str, *about: Expr) -> Verdict:
    """Whether `goal`, made of the expressions `about`, is true just before `path`."""
    answer = _known(tree, path, goal, obligation)
    if answer:
        return SAFE
    if isinstance(answer, Refuted):
        shown = None if any(map(is_opaque, about)) else example(tree, answer.model, goal)
        return if_reached(tree, path, Clash(obligation, shown))
    return Undecided(obligation)


def holds(tree: ProcDef, path: Path, condition: Expr, obligation: str) -> Verdict:
    """Whether a control condition is true wherever control reaches `path`."""
    return _verdict(tree, path, cond(condition, env_of(tree)), obligation, condition)


def holds_everywhere(tree: ProcDef, path: Path, condition: Expr) -> bool:
    """Whether a control condition is provably true wherever control reaches `path`."""
    goal = cond(condition, env_of(tree))
    return bool(_known(tree, path, goal, "the condition is always true"))


def linear(tree: ProcDef, path: Path, x: Lin) -> bool:
    """Whether an affine form is provably zero wherever control reaches `path`."""
    return bool(prove(facts_at(tree, path), eq(x, 0), "two integers are equal"))


def same_location(tree: ProcDef, path: Path, a: Access, b: Access, obligation: str) -> Verdict:
    """Whether two accesses to one base buffer are to the same location wherever control reaches `path`."""
    if None in a.index or None in b.index:
        return Clash(obligation)
    return _verdict(tree, path, same_place(a, b), obligation)


def equal_at(tree: ProcDef, path: Path, a: Expr, b: Expr, obligation: str = "") -> Verdict:
    """Whether two expressions are equal wherever control reaches `path`. Data values are equal if they are
    the same operations on equal places; operands of sums and products may come in another order."""
    what = obligation or "the two expressions are equal"
    control = is_control(a) and is_control(b)
    if a == b:
        return SAFE
    if (not control or is_opaque(a)) and same_value(Pair(tree, facts_at(tree, path), lambda _: True), a, b):
        return SAFE
    if not control:
        return Clash(what)
    env = env_of(tree)
    truth = any(is_bool(e) or (isinstance(e, Var) and e.sym in env.bools) for e in (a, b))
    goal = iff(cond(a, env), cond(b, env)) if truth else eq(lin(a, env), lin(b, env))
    return _verdict(tree, path, goal, what, a, b)


def unchanged(tree: ProcDef, blk: Span, e: Expr) -> Verdict:
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


def _happening(tree: ProcDef, blk: Span) -> list[Access]:
    """The accesses of a run of statements that may happen, given what is known of config fields."""
    known, reads = with_known_fields(tree, blk)
    return [*effects(known, blk), *reads]


def commute(tree: ProcDef, one: Span, two: Span) -> Verdict:
    """Whether two neighbouring runs of statements may be exchanged."""
    scoped = _uses(two.members(tree), defined(one.members(tree)))
    if not scoped:
        return scoped
    parts = [Part(blk.members(tree), _happening(tree, blk)) for blk in (one, two)]
    second = [prime(a) for a in parts[1].accesses]
    facts, end = known_at(tree, one.path()), (*two.parent, (two.label, two.hi))
    excuse = either(exchange(tree, facts, parts), private(tree, end, facts, [p.accesses for p in parts]))
    return _clash(tree, one.path(), parts[0].accesses, second, "the two statements commute", excuse=excuse)


def interchange(tree: ProcDef, path: Path) -> Verdict:
    """Whether the body of two perfectly nested loops may run in the order of the inner loop first.

    An inner loop that is not `seq` gets all iterations of the outer one inside: none of them may race.
    """
    outer = _loop(tree, path)
    inner_path: Path = (*path, ("body", 0))
    inner = _loop(tree, inner_path)
    for e in (inner.lo, inner.hi, outer.lo, outer.hi):
        verdict = unchanged(tree, _body(tree, inner_path), e)
        if not verdict:
            return verdict
    body = _in_range(tree, _happening(tree, _body(tree, inner_path)), outer, inner)
    i, j = outer.iter, inner.iter
    later = [prime(a, (i, j)) for a in body]
    what = f"iterations of {i} and {j} that change places commute"
    if inner.mode == "seq":
        swapped = conj(lt(unknown(i), unknown(i, OTHER)), gt(unknown(j), unknown(j, OTHER)))
        facts = known_at(tree, path)
        same = exchange(tree, facts, [Part(inner.body, body)], (i, j))
        excuse = either(same, private(tree, _after(path), facts, [body]))
        return _clash(tree, path, body, later, what, swapped, excuse=excuse if outer.mode == "seq" else None)
    apart = conj(ne(unknown(i), unknown(i, OTHER)), ne(unknown(j), unknown(j, OTHER)))
    return _clash(tree, path, body, later, what, apart, order_free=False)


def reversal(tree: ProcDef, path: Path) -> Verdict:
    """Whether the iterations of a loop may run in the opposite order."""
    loop, facts = _loop(tree, path), known_at(tree, path)
    i = loop.iter
    body = _in_range(tree, _happening(tree, _body(tree, path)), loop)
    later = [prime(a, (i,)) for a in body]
    same = exchange(tree, facts, [Part(loop.body, body)], (i,))
    excuse = either(same, private(tree, _after(path), facts, [body]))
    swapped = lt(unknown(i), unknown(i, OTHER))
    return _clash(tree, path, body, later, f"iterations of {i} commute", swapped, excuse=excuse)


def fission(tree: ProcDef, path: Path, k: int) -> Verdict:
    """Whether a loop may be split into two, before the k-th statement of its body."""
    loop = _loop(tree, path)
    first, second = Span(path, "body", 0, k), Span(path, "body", k, len(loop.body))
    scoped = _uses(second.members(tree), defined(first.members(tree)))
    verdicts = (scoped, *(unchanged(tree, first, e) for e in (loop.lo, loop.hi)))
    against = next((v for v in verdicts if not v), None)
    if against is not None:
        return against
    s1, s2 = (_in_range(tree, _happening(tree, part), loop) for part in (first, second))
    what = "the second part does not touch what the first one does later"
    return _pulled_ahead(tree, path, Part(first.members(tree), s1), s2, what, _after(path))


def fuse(tree: ProcDef, path: Path, after: Path) -> Verdict:
    """Whether two neighbouring loops of one range may become one: a loop of their mode, else `seq`."""
    one, two = _loop(tree, path), _loop(tree, after)
    for e in (two.lo, two.hi):
        verdict = unchanged(tree, _body(tree, path), e)
        if not verdict:
            return verdict
    s1 = _in_range(tree, _happening(tree, _body(tree, path)), one)
    renamed: dict[Atom, Lin] = {V(two.iter): unknown(one.iter)}
    s2 = _in_range(tree, [move(a, renamed) for a in _happening(tree, _body(tree, after))], one)
    i = one.iter
    if one.mode == two.mode != "seq":
        what = f"no two iterations of {i} touch one location that either writes"
        apart = ne(unknown(i), unknown(i, OTHER))
        return _clash(tree, path, s2, [prime(a, (i,)) for a in s1], what, apart, order_free=False)
    what = "the second loop does not touch what the first one does in a later iteration"
    return _pulled_ahead(tree, path, Part(one.body, s1), s2, what, _after(after))


def unseen_later(tree: ProcDef, path: Path, write: Stmt, reads: Sequence[Node], obligation: str) -> Verdict:
    """Whether no iteration of the loop at `path` reads, where one of the given nodes stands, what an earlier
    iteration wrote by a statement in it."""
    loop = _loop(tree, path)
    body = _in_range(tree, effects(tree, _body(tree, path)), loop)
    left = [a for a in body if a.node is write and a.writes]
    seen = [prime(a, (loop.iter,)) for a in body if a.reads and any(a.node is n for n in reads)]
    return _clash(tree, path, left, seen, obligation, lt(unknown(loop.iter), unknown(loop.iter, OTHER)))


def _after(path: Path) -> Path:
    """The gap after the statement at a path."""
    label, k = path[-1]
    assert k is not None
    return (*path[:-1], (label, k + 1))


def _pulled_ahead(
    tree: ProcDef, path: Path, first: Part, s2: Sequence[Access], what: str, end: Path
) -> Verdict:
    """Whether s2 of iteration i of a loop may change places with its first part of every later iteration i'. `end`
    is the gap after all iterations of both."""
    loop, facts = _loop(tree, path), known_at(tree, path)
    i = loop.iter
    ahead = lt(unknown(i), unknown(i, OTHER))
    excuse = recomputation(tree, facts, loop, first, ahead)
    if loop.mode == "seq":
        excuse = either(excuse, private(tree, end, facts, [first.accesses, s2]))
    met = {a.buffer for a in s2}
    later = [prime(a, (i,)) for a in first.accesses if a.buffer in met]  # others clash with nothing
    return _clash(tree, path, s2, later, what, ahead, excuse=excuse)


def parallel(tree: ProcDef, path: Path) -> Verdict:
    """Whether no iteration of a loop touches what another one writes.

    It is enough if this is so of all that calls may touch, which are few questions; else their accesses are looked at.
    """
    loop, block = _loop(tree, path), _body(tree, path)
    i = loop.iter
    what = f"no two iterations of {i} touch one location that either writes"

    def apart(effects: Sequence[Access]) -> Verdict:
        body = _in_range(tree, effects, loop)
        later = [prime(a, (i,)) for a in body]
        return _clash(tree, path, body, later, what, ne(unknown(i), unknown(i, OTHER)), order_free=False)

    calls = any(isinstance(n, Call) and n.f.tree.instr is None for n in declarators(loop))
    if calls and (verdict := apart(effects_at_most(tree, block))):
        return verdict
    return apart(effects(tree, block))


# -- repetition ---------------------------------------------------------------------------------------


def idempotent(tree: ProcDef, blk: Span) -> Verdict:
    """Whether running the statements once more right after themselves changes nothing."""
    verdict = same_again(tree, effects(tree, blk), facts_at(tree, blk.path()))
    return if_reached(tree, blk.path(), verdict)


def repeatable(tree: ProcDef, path: Path) -> Verdict:
    """Whether a loop that runs at least once may become one run of its body."""
    loop = _loop(tree, path)
    if any(loop.iter in mentions(s) for s in loop.body):
        return Clash(f"the loop's body does not depend on {loop.iter}")
    return idempotent(tree, _body(tree, path))


def _bounds(a: Access) -> bool:
    return a.kind == "A" and a.op in IDEMPOTENT


def same_again(tree: ProcDef, accesses: Sequence[Access], facts: Sequence[Formula]) -> Verdict:
    """Whether accesses do the same if all are repeated: then every value that they need, and that one of
    them may have changed, is written anew before. Places that only `min` and `max` change need not be: bounding a
    number from below and above, however often and in whatever order, is idempotent."""
    what = "the code writes what it reads, before it reads it"
    writes = [a for a in accesses if a.writes]
    later = [prime(w) for w in writes]
    for r in accesses:
        if not r.reads or clash(tree, facts, [r], later, TRUE, what, order_free=False):
            continue
        for w in later:
            if w.buffer == r.buffer and not (_bounds(r) and _bounds(w)):
                verdict = cover(tree, (*facts, w.guard, same_place(r, w)), r, writes, what)
                if not verdict:
                    return verdict.said(details=f"it {show(tree, r)}", shown=w.exact)
    return SAFE


__all__ = [
    "SAFE", "Clash", "Safe", "Verdict", "apart", "carried", "commute", "covered", "defined", "effects",
    "equal_at", "fission", "fully_written", "fuse", "holds", "holds_everywhere", "idempotent", "initialised",
    "interchange", "known_at", "linear", "only_accumulates", "parallel", "reads_from", "repeatable", "same_again",
    "reversal", "same_location", "unchanged", "unseen_later", "within", "writes_to",
]  # fmt: skip
