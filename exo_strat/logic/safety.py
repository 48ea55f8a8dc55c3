"""The questions that primitives ask. Imports the rest of `logic`.

Each takes the old tree and paths (or runs of statements) in it, and returns `Safe`, or a `Clash` with
the obligation in words and, where the solver found one that is possible, a counterexample. What a safe
rewrite preserves: on every input that satisfies the assertions and on which the old program does not
trap, the new one does not trap and leaves equal values in arguments and config fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..ir.names import Sym
from ..ir.nodes import Alloc, Expr, For, Interval, Node, ProcDef, Stmt, WinDim, WindowDef
from ..ir.types import bool_
from ..ir.walk import Path, get, is_bool, mentions
from .affine import Atom, Lin, V
from .answers import Proved, Refuted
from .context import env_of, facts_at, range_facts, show_model
from .context import holds as _holds
from .coverage import all_covered, box, cell, cover
from .dependence import SAFE, Clash, Safe, Verdict, clash, prime, show
from .effects import Access, Buffer, Tick, block_accesses, move, reads_of, resolve, windows_at
from .formula import TRUE, Formula, conj, eq, iff, lt, ne
from .solver import prove
from .translate import EMPTY, cond, is_opaque, lin, unknown

Facts = tuple[Formula, ...]


class Blk(NamedTuple):
    """A run of statements: positions lo..hi-1 of the list `label` of the node at `parent`."""

    parent: Path
    label: str
    lo: int
    hi: int

    def path(self) -> Path:
        """The path of the first statement."""
        return (*self.parent, (self.label, self.lo))

    def stmts(self, tree: ProcDef) -> Sequence[Stmt]:
        """The statements."""
        whole: Sequence[Stmt] = getattr(get(tree, self.parent), self.label)
        return whole[self.lo : self.hi]


def effects(tree: ProcDef, blk: Blk) -> list[Access]:
    """The accesses of a run of statements, in base buffers."""
    return block_accesses(tuple(blk.stmts(tree)), windows_at(tree, blk.path()))


def _loop(tree: ProcDef, path: Path) -> For:
    node = get(tree, path)
    assert isinstance(node, For), f"{path} is no loop"
    return node


def _body(tree: ProcDef, path: Path) -> Blk:
    return Blk(path, "body", 0, len(_loop(tree, path).body))


def _ranges(loop: For) -> Formula:
    return conj(*range_facts(loop, EMPTY))


def _in_loop(accesses: Sequence[Access], *loops: For) -> list[Access]:
    guard = conj(*map(_ranges, loops))
    return [replace(a, guard=conj(guard, a.guard)) for a in accesses]


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


def holds(tree: ProcDef, path: Path, condition: Expr, obligation: str) -> Verdict:
    """Whether a control condition is true wherever control reaches `path`."""
    answer = _holds(tree, path, condition)
    if isinstance(answer, Proved):
        return SAFE
    if isinstance(answer, Refuted):
        return Clash(obligation, None if is_opaque(condition) else show_model(tree, answer.model))
    return Clash(obligation, None, True)


def holds_everywhere(tree: ProcDef, path: Path, condition: Expr) -> bool:
    """Whether a control condition is provably true wherever control reaches `path`."""
    return isinstance(_holds(tree, path, condition), Proved)


def linear(tree: ProcDef, path: Path, x: Lin) -> bool:
    """Whether an affine form is provably zero wherever control reaches `path`."""
    return isinstance(prove(facts_at(tree, path), eq(x, 0)), Proved)


def equal_at(tree: ProcDef, path: Path, a: Expr, b: Expr, obligation: str = "") -> Verdict:
    """Whether two expressions are equal wherever control reaches `path`. Those that read data or config
    fields are equal if they are the same expression."""
    what = obligation or "the two expressions are equal"
    if a == b:
        return SAFE
    if is_opaque(a) or is_opaque(b):
        return Clash(what)
    env = env_of(tree)
    truth = is_bool(a) or is_bool(b) or any(x.type == bool_ and getattr(a, "sym", None) == x.sym for x in tree.args)
    goal = iff(cond(a, env), cond(b, env)) if truth else eq(lin(a, env), lin(b, env))
    answer = prove(facts_at(tree, path), goal)
    if isinstance(answer, Proved):
        return SAFE
    if isinstance(answer, Refuted):
        return Clash(what, show_model(tree, answer.model))
    return Clash(what, None, True)


def unchanged(tree: ProcDef, blk: Blk, e: Expr) -> Verdict:
    """Whether nothing in a run of statements can change the value that `e` has before it."""
    if not is_opaque(e):
        return SAFE
    views = windows_at(tree, blk.path())
    reads = [resolve(a, views) for a in reads_of(e)]
    writes = [prime(a) for a in effects(tree, blk) if a.writes]
    return clash(tree, facts_at(tree, blk.path()), reads, writes, TRUE, "the code does not change the expression")


def apart(tree: ProcDef, path: Path, write: Access, reads: Sequence[Access], what: str) -> Verdict:
    """Whether reads, already in base buffers, are of other locations than one that is written."""
    return clash(tree, facts_at(tree, path), [write], reads, TRUE, what)


# -- order --------------------------------------------------------------------------------------------


def commute(tree: ProcDef, one: Blk, two: Blk) -> Verdict:
    """Whether two neighbouring runs of statements may be exchanged."""
    scoped = _uses(two.stmts(tree), defined(one.stmts(tree)))
    if isinstance(scoped, Clash):
        return scoped
    whole = Blk(one.parent, one.label, one.lo, two.hi)
    views = windows_at(tree, whole.path())
    views |= {s.sym: s.rhs for s in whole.stmts(tree) if isinstance(s, WindowDef)}
    first = block_accesses(tuple(one.stmts(tree)), views)
    second = [prime(a) for a in block_accesses(tuple(two.stmts(tree)), views)]
    return clash(tree, facts_at(tree, one.path()), first, second, TRUE, "the two statements commute")


def interchange(tree: ProcDef, path: Path) -> Verdict:
    """Whether the body of two perfectly nested loops may run in the order of the inner loop first."""
    outer = _loop(tree, path)
    inner_path: Path = (*path, ("body", 0))
    inner = _loop(tree, inner_path)
    for e in (inner.lo, inner.hi, outer.lo, outer.hi):
        verdict = unchanged(tree, _body(tree, inner_path), e)
        if isinstance(verdict, Clash):
            return verdict
    body = _in_loop(effects(tree, _body(tree, inner_path)), outer, inner)
    i, j = outer.iter, inner.iter
    later = [prime(a, (i, j)) for a in body]
    relation = conj(lt(unknown(i), unknown(i, 1)), lt(unknown(j, 1), unknown(j)))
    what = f"iterations of {i} and {j} that change places commute"
    return clash(tree, facts_at(tree, path), body, later, relation, what)


def fission(tree: ProcDef, path: Path, k: int) -> Verdict:
    """Whether a loop may be split into two, before the k-th statement of its body."""
    loop = _loop(tree, path)
    n = len(loop.body)
    scoped = _uses(loop.body[k:], defined(loop.body[:k]))
    if isinstance(scoped, Clash):
        return scoped
    s1 = _in_loop(effects(tree, Blk(path, "body", 0, k)), loop)
    s2 = _in_loop(effects(tree, Blk(path, "body", k, n)), loop)
    return _pulled_ahead(tree, path, loop.iter, s1, s2, "the second part does not touch what the first one does later")


def fuse(tree: ProcDef, path: Path, after: Path) -> Verdict:
    """Whether two neighbouring loops of one range may become one."""
    one, two = _loop(tree, path), _loop(tree, after)
    s1 = _in_loop(effects(tree, _body(tree, path)), one)
    renamed: dict[Atom, Lin] = {V(two.iter): unknown(one.iter)}
    s2 = _in_loop([move(a, renamed) for a in effects(tree, _body(tree, after))], one)
    what = "the second loop does not touch what the first one does in a later iteration"
    return _pulled_ahead(tree, path, one.iter, s1, s2, what)


def _pulled_ahead(
    tree: ProcDef, path: Path, i: Sym, s1: Sequence[Access], s2: Sequence[Access], what: str
) -> Verdict:
    """Whether s2 of iteration i may change places with s1 of every later iteration i'."""
    later = [prime(a, (i,)) for a in s1]
    return clash(tree, facts_at(tree, path), s2, later, lt(unknown(i), unknown(i, 1)), what)


def parallel(tree: ProcDef, path: Path) -> Verdict:
    """Whether no iteration of a loop touches what another one writes."""
    loop = _loop(tree, path)
    body = _in_loop(effects(tree, _body(tree, path)), loop)
    later = [prime(a, (loop.iter,)) for a in body]
    relation = ne(unknown(loop.iter), unknown(loop.iter, 1))
    what = f"no two iterations of {loop.iter} touch one location that either writes"
    return clash(tree, facts_at(tree, path), body, later, relation, what, order_free=False)


# -- repetition ---------------------------------------------------------------------------------------


def idempotent(tree: ProcDef, blk: Blk) -> Verdict:
    """Whether running the statements once more right after themselves changes nothing."""
    return _repeatable(tree, effects(tree, blk), facts_at(tree, blk.path()))


def repeatable(tree: ProcDef, path: Path) -> Verdict:
    """Whether a loop whose body does not use its iterator may become one run of the body."""
    loop = _loop(tree, path)
    return _repeatable(tree, _in_loop(effects(tree, _body(tree, path)), loop), facts_at(tree, path))


def _repeatable(tree: ProcDef, accesses: Sequence[Access], facts: Facts) -> Verdict:
    for a in accesses:
        if a.kind == "A":
            return Clash("the code does the same when it is repeated", details=f"it {show(tree, a)}")
    writes = [a for a in accesses if a.writes]
    for r in accesses:
        if r.kind != "R":
            continue
        touched = clash(tree, facts, [r], [prime(w) for w in writes], TRUE, "the code reads nothing that it writes")
        if isinstance(touched, Safe):
            continue
        covered = cover(tree, facts, r, writes, "the code writes what it reads, before it reads it")
        if isinstance(covered, Clash):
            return replace(covered, counterexample=None)
    return SAFE


# -- coverage, staging --------------------------------------------------------------------------------


def covered(tree: ProcDef, blk: Blk, buffer: Buffer) -> Verdict:
    """Whether each read of a buffer in a run of statements is preceded there by a write that covers it."""
    return all_covered(tree, facts_at(tree, blk.path()), effects(tree, blk), buffer)


def carried(tree: ProcDef, path: Path, buffer: Buffer) -> Verdict:
    """Whether no iteration of a loop reads what an earlier one, or the code before, left in a buffer."""
    loop = _loop(tree, path)
    facts = (*facts_at(tree, path), _ranges(loop))
    return all_covered(tree, facts, effects(tree, _body(tree, path)), buffer)


def writes_to(tree: ProcDef, blk: Blk, buffer: Buffer) -> bool:
    """Whether a run of statements may change a buffer."""
    return any(a.buffer == buffer and a.writes for a in effects(tree, blk))


def reads_from(tree: ProcDef, blk: Blk, buffer: Buffer) -> bool:
    """Whether a run of statements may need a buffer's old contents (accumulations do)."""
    return any(a.buffer == buffer and a.reads for a in effects(tree, blk))


def only_accumulates(tree: ProcDef, blk: Blk, buffer: Buffer, op: str = "+") -> bool:
    """Whether a run of statements touches a buffer by one accumulation operator only."""
    return all(a.kind == "A" and a.op == op for a in effects(tree, blk) if a.buffer == buffer)


def _bounds(window: Sequence[WinDim]) -> list[tuple[Lin, Lin]]:
    def one(d: WinDim) -> tuple[Lin, Lin]:
        if isinstance(d, Interval):
            return lin(d.lo), lin(d.hi)
        return lin(d.pt), lin(d.pt) + Lin(1)

    return [one(d) for d in window]


def within(tree: ProcDef, blk: Blk, buffer: Buffer, window: Sequence[WinDim]) -> Verdict:
    """Whether every access of a run of statements to a buffer falls inside a window (half-open)."""
    bounds = _bounds(window)
    facts = facts_at(tree, blk.path())
    for a in effects(tree, blk):
        if a.buffer != buffer:
            continue
        what = "every access of the block is inside the window"
        if None in a.index:
            return Clash(what, details=f"it {show(tree, a)}")
        where = [x for x in a.index if x is not None]
        answer = prove([*facts, a.guard], box(where, bounds))
        if not isinstance(answer, Proved):
            model = show_model(tree, answer.model) if isinstance(answer, Refuted) and a.exact else None
            return Clash(what, model, not isinstance(answer, Refuted), f"it {show(tree, a)}")
    return SAFE


def fully_written(tree: ProcDef, blk: Blk, buffer: Buffer, window: Sequence[WinDim]) -> Verdict:
    """Whether a run of statements surely writes every location of a window."""
    here = cell(len(window))
    accesses = effects(tree, blk)
    end = (Tick(Lin(blk.hi - blk.lo)),)
    return _written(tree, blk, buffer, accesses, end, here, box(here, _bounds(window)))


def initialised(tree: ProcDef, blk: Blk, buffer: Sym, window: Sequence[WinDim]) -> Verdict:
    """Whether every location of a window of a local buffer was surely written when control reaches a run
    of statements. Arguments count as initialised."""
    if any(a.sym == buffer for a in tree.args):
        return SAFE
    parent, label, k = _home(tree, blk.path(), buffer)
    node = get(tree, parent)
    scope = Blk(parent, label, k + 1, len(getattr(node, label)))
    accesses = effects(tree, scope)
    when = _time(tree, scope, blk.path())
    here = cell(len(window))
    return _written(tree, blk, buffer, accesses, when, here, box(here, _bounds(window)))


def _written(
    tree: ProcDef,
    blk: Blk,
    buffer: Buffer,
    accesses: Sequence[Access],
    when: Sequence[Tick],
    here: Sequence[Lin],
    guard: Formula,
) -> Verdict:
    writes = [a for a in accesses if a.buffer == buffer and a.kind == "W"]
    what = "every location of the window is surely written"
    if not writes:
        return Clash(what)
    read = replace(writes[0], kind="R", index=tuple(here), guard=guard, iters=(), when=tuple(when))
    verdict = cover(tree, facts_at(tree, blk.path()), read, writes, what)
    return replace(verdict, details="") if isinstance(verdict, Clash) else verdict


def _home(tree: ProcDef, path: Path, buffer: Sym) -> tuple[Path, str, int]:
    """Where a buffer that is in scope at `path` is allocated: the block's owner, its label, the position."""
    for n in range(len(path) - 1, -1, -1):
        label, i = path[n]
        if i is None or label not in ("body", "orelse"):
            continue
        block = getattr(get(tree, path[:n]), label)
        for k in range(min(i, len(block)) - 1, -1, -1):
            if isinstance(block[k], Alloc) and block[k].sym == buffer:
                return path[:n], label, k
    raise AssertionError(f"{buffer} is not allocated around {path}")


def _time(tree: ProcDef, scope: Blk, path: Path) -> tuple[Tick, ...]:
    """The time, in a run of statements, at which the statement at `path` starts."""
    when: list[Tick] = []
    for n in range(len(scope.parent), len(path)):
        label, k = path[n]
        assert k is not None
        if n == len(scope.parent):
            when.append(Tick(Lin(k - scope.lo)))
            continue
        node = get(tree, path[:n])
        if isinstance(node, For):
            when += [Tick(Lin(1)), Tick(unknown(node.iter), node.mode == "seq"), Tick(Lin(k))]
        else:
            when += [Tick(Lin(1 if label == "body" else 2)), Tick(Lin(k))]
    return tuple(when)


__all__ = [
    "SAFE", "Blk", "Clash", "Safe", "Verdict", "carried", "commute", "covered", "effects", "equal_at", "fission",
    "fully_written", "fuse", "holds", "holds_everywhere", "idempotent", "initialised", "interchange",
    "only_accumulates", "parallel", "reads_from", "repeatable", "unchanged", "within", "writes_to",
]  # fmt: skip
