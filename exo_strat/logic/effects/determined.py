"""Determined writes: recomputing a value does no harm.

A buffer is *determined* in a region of code if any two writes to one location store equal values. Then it does
not matter which of them ran last: a location holds what it held before the region, or the one value that the
region gives it. Here this is proved from the text. What is written to the buffer are *stores*: an assignment
with the accumulations that follow it in its block and complete it, all of one location. Two stores of one
location are of the same code; their operands are equal, and so are the places that they read, each of which is

* steady: nothing in the region writes there, or
* of a buffer that is determined itself, and surely written before the read (chains of stages). By induction
  over time, these reads find the one value too, also in a cycle of buffers.

Two stores in opposite branches of conditions on data with one value, in this sense, never are to one location.

Not determined, to be on the safe side: what a call stores (but for a config field that it sets to a value in terms
of its arguments), values from a buffer that is allocated in the region (but for a scalar that the same block
assigns right before, with all that is accumulated into it), accumulations without their assignment, places that
depend on config fields, and equal values of different form (`0.0` and `x - x`).

Two licences follow, each a function that excuses a clash of two accesses. Let `b` be determined.

`recomputation` (fuse, fission): part C of iteration i changes places with part P of a later iteration i'. Where
C(i) reads what P(i') writes, it still finds the same if some P(i''), i'' <= i, surely wrote the location: with P
run up to i only, and with all of P run, the location holds the one value. P itself does not notice: nothing that
C writes is excused, so P sees the same in either order.

`exchange` (interchange, reordering): whole instances of code change places. Writes of two instances to one
location are harmless, and so is a read that its own instance has covered by a write before. Every instance then
computes the same wherever it runs.

Repetition (`idempotent`) gains nothing by it: what a block reads before it writes it is, the first time, not what
any store of the block left there, so that a covering write is owed as before.

Neither excuses a race: a location that two parallel iterations write is refused, whatever they write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple, TypeAlias

from pyrsistent import pmap

from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Assign,
    Call,
    Expr,
    For,
    If,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    WindowDef,
    WriteConfig,
)
from ...ir.walk import is_control, walk
from ..forms.affine import Atom, Lin, V
from ..forms.formula import TRUE, Formula, subst
from ..forms.translate import is_opaque, unknown
from ..solver.answers import Unsat
from ..solver.proofs import prove, satisfiable
from .accesses import Access, Buffer, Tick, accesses, block_accesses, config_key, resolve
from .config_data import left_by
from .config_state import after, written_fields
from .context import range_facts
from .coverage import cover
from .dependence import clash, positions, prime, same_place
from .same_value import Pair, all_windows, place_of, same_value

Excuse = Callable[[Access, Access], bool]
"""Whether two accesses to one location, in two instances that change places, do no harm."""

ONE, TWO, BOTH = ".1", ".2", ".both"  # instances of iterators: of two writes, and those that both run through together


class Part(NamedTuple):
    """Code that keeps its own order: its statements, and their accesses at times of that order."""

    stmts: Sequence[Stmt]
    accesses: Sequence[Access]


Asked: TypeAlias = tuple[tuple[Expr, bool], ...]
"""Conditions that led to code, and whether they were true."""


class Store(NamedTuple):
    """An assignment, or what else sets a value, with the accumulations that complete it; its write; the conditions
    on data that led to it; and the statements of its block that ran before it."""

    code: tuple[Stmt, ...]
    write: Access
    asked: Asked = ()
    before: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class Region:
    """Instances of code of which some change places. `facts` hold in all; iterators in `fixed` surround the
    parts and have other values in another instance."""

    tree: ProcDef
    facts: tuple[Formula, ...]
    parts: tuple[Part, ...]
    fixed: tuple[Sym, ...] = ()
    inner: frozenset[Sym] = field(default=frozenset())

    @classmethod
    def of(cls, tree: ProcDef, facts: Sequence[Formula], parts: Sequence[Part], fixed: Sequence[Sym] = ()) -> Region:
        """A region; what its statements bring into scope is found in them."""
        inside = (n for part in parts for s in part.stmts for _, n in walk(s))
        inner = frozenset(n.sym for n in inside if isinstance(n, Alloc | WindowDef))
        return cls(tree, tuple(facts), tuple(parts), tuple(fixed), inner)

    def touched(self, s: Stmt, buffer: Buffer) -> list[Access]:
        """What a statement does to a buffer."""
        views = all_windows(self.tree)
        return [a for a in (resolve(a, views) for a in accesses(s)) if a.buffer == buffer]

    def writes(self, buffer: Buffer) -> list[Access]:
        """Every write and accumulation to a buffer in another instance."""
        found = [a for part in self.parts for a in part.accesses if a.buffer == buffer and a.writes]
        return [prime(a, self.fixed, ONE) for a in found]


# -- what is stored -------------------------------------------------------------------------------------


def _codes(
    region: Region, stmts: Sequence[Stmt], buffer: Buffer, asked: Asked = ()
) -> Iterator[tuple[tuple[Stmt, ...], Asked] | None]:
    """The code of each store to a buffer, with what was asked before; None for a write that belongs to none.

    A store ends before a statement that reads the buffer: so what is read is never a sum in the making.
    """
    using = [(s, found) for s in stmts if (found := region.touched(s, buffer))]
    k = 0
    while k < len(using):
        s, found = using[k]
        k += 1
        if not any(a.writes for a in found):
            continue
        if isinstance(s, For):
            yield from _codes(region, s.body, buffer, asked)
        elif isinstance(s, If):
            yes, no = [(*asked, (s.cond, truth)) if is_opaque(s.cond) else asked for truth in (True, False)]
            yield from _codes(region, s.body, buffer, yes)
            yield from _codes(region, s.orelse, buffer, no)
        elif isinstance(s, Assign | WriteConfig):
            first = k
            while k < len(using) and all(a.kind == "A" for a in using[k][1]):
                k += 1
            yield (s, *(more for more, _ in using[first:k])), asked
        else:
            yield ((s,), asked) if isinstance(s, Call) and not isinstance(buffer, Sym) else None


def _stores(region: Region, buffer: Buffer) -> list[Store] | None:
    """All stores to a buffer in the region; None if something else writes it, or a store is not of one location."""
    found: list[Store] = []
    for part in region.parts:
        for each in _codes(region, part.stmts, buffer):
            if each is None:
                return None
            code, asked = each
            writes = [a for a in part.accesses if a.node is code[0] and a.buffer == buffer and a.kind == "W"]
            for w in writes:
                if w.joint:
                    continue
                if not _one_place(region, code, w):
                    return None
                found.append(Store(code, w, asked, _before(part.stmts, code)))
    return found


def _one_place(region: Region, code: Sequence[Stmt], write: Access) -> bool:
    """Whether the accumulations of a store are to the location that its assignment writes."""
    views = all_windows(region.tree)
    for a in block_accesses(code[1:], views):
        if a.buffer != write.buffer:
            continue
        known = all(x is not None and y is not None for x, y in positions(write, a))
        facts = (*region.facts, write.guard, a.guard)
        if not known or not prove(facts, same_place(write, a), "a sum is of one location"):
            return False
    return True


# -- whether it depends on the location only ------------------------------------------------------------


def determined(region: Region, buffer: Buffer) -> bool:
    """Whether any two writes to one location of a buffer, in one or two instances, store equal values."""
    needed: dict[Buffer, None] = {buffer: None}
    for b in _growing(needed):
        stores = _stores(region, b)
        if stores is None:
            return False
        steady = _steady(region, needed)
        for k, x in enumerate(stores):
            if not all(_same_store(region, x, y, b, steady) for y in stores[k:]):
                return False
    return True


def _growing(needed: dict[Buffer, None]) -> Iterator[Buffer]:
    """The buffers, also those that are added meanwhile."""
    done = 0
    while done < len(needed):
        yield list(needed)[done]
        done += 1


def _steady(region: Region, needed: dict[Buffer, None]) -> Callable[[Read | ReadConfig], bool]:
    """Whether what a read in the region finds depends on the location only, if the buffers that are then added
    to `needed` are determined."""

    def steady(e: Read | ReadConfig) -> bool:
        reads = [(part, a) for part in region.parts for a in part.accesses if a.node is e]
        for part, a in reads:
            if not untouched(region, a):
                if not covered_in(region, part, a):
                    return False
                needed[a.buffer] = None
        return bool(reads)  # what the region allocates does not occur among its accesses

    return steady


def untouched(region: Region, read: Access) -> bool:
    """Whether nothing in the region writes what is read."""
    what = "nothing writes what is read"
    return bool(clash(region.tree, region.facts, [read], region.writes(read.buffer), TRUE, what))


def covered_in(region: Region, part: Part, read: Access) -> bool:
    """Whether a read of a part finds its location written by that part before."""
    what = "what is read was surely written before"
    return bool(cover(region.tree, region.facts, read, part.accesses, what))


def _same_store(
    region: Region, x: Store, y: Store, buffer: Buffer, steady: Callable[[Read | ReadConfig], bool]
) -> bool:
    """Whether two stores give any location that both write the same value."""
    a, b = prime(x.write, region.fixed, ONE), prime(y.write, region.fixed, TWO)
    facts = (*region.facts, a.guard, b.guard, same_place(a, b))
    if isinstance(satisfiable(facts, "two writes are to one location"), Unsat):
        return True
    one, two = (_iterators(region, w, n) for w, n in ((x.write, ONE), (y.write, TWO)))
    pair = Pair(region.tree, facts, steady, one, two, region.inner)
    if any(a != b and same_value(pair, c, d) for c, a in x.asked for d, b in y.asked):
        return True  # one condition cannot be both true and false
    return _same_code(region, _holding(region, pair, x, y), x.code, y.code, buffer)


# -- values held in scalars -----------------------------------------------------------------------------


def _before(stmts: Sequence[Stmt], code: Sequence[Stmt]) -> tuple[Stmt, ...]:
    """The statements before some code in its block, which is in one of `stmts`. None if it occurs more than once, or
    others run in the midst of it: these may change what it reads."""
    found = list(_befores(stmts, code))
    return found[0] if len(found) == 1 else ()


def _befores(stmts: Sequence[Stmt], code: Sequence[Stmt]) -> Iterator[tuple[Stmt, ...]]:
    for k, each in enumerate(stmts):
        run = stmts[k : k + len(code)]
        if each is code[0]:
            yield tuple(stmts[:k]) if all(a is b for a, b in zip(run, code, strict=False)) else ()
        for label in ("body", "orelse"):
            if isinstance(each, For | If) and hasattr(each, label):
                yield from _befores(getattr(each, label), code)


def _holding(region: Region, pair: Pair, x: Store, y: Store) -> Pair:
    """The pair, knowing that a scalar holds what the blocks of two stores put into it before."""

    def held(a: Expr, b: Expr) -> bool:
        if not (isinstance(a, Read) and isinstance(b, Read)) or a.idx or b.idx or a.sym != b.sym:
            return False
        one, two = _definition(region, x, a.sym), _definition(region, y, a.sym)
        if one is None or two is None:
            return False
        return _same_code(region, _holding(region, pair, one, two), one.code, two.code, a.sym)

    return replace(pair, held=held)


def _definition(region: Region, store: Store, scalar: Sym) -> Store | None:
    """The assignment, with the accumulations that complete it, of which a scalar holds the value in a store: one
    run of statements, so that what all of them read was there before the first."""
    if any(a.writes for s in store.code for a in region.touched(s, scalar)):
        return None
    more: list[Stmt] = []
    for k in range(len(store.before) - 1, -1, -1):
        s = store.before[k]
        kinds = {a.kind for a in region.touched(s, scalar)}
        if isinstance(s, Assign) and kinds == {"W"}:
            return store._replace(code=(s, *more), before=store.before[:k])
        if kinds == {"A"}:
            more.insert(0, s)
        elif more or not kinds <= {"R"}:
            return None
    return None


def _iterators(region: Region, write: Access, instance: str) -> dict[Atom, Lin]:
    """What the iterators around a write are called at another instance."""
    return {V(s): unknown(s, instance) for s in (*region.fixed, *(i.sym for i in write.iters if not i.instance))}


def _same_code(region: Region, p: Pair, xs: Sequence[Stmt], ys: Sequence[Stmt], buffer: Buffer) -> bool:
    """Whether two runs of statements store the same in a buffer, each in one location."""
    xs, ys = ([s for s in run if region.touched(s, buffer)] for run in (xs, ys))
    return len(xs) == len(ys) and all(_same_stmt(region, p, x, y, buffer) for x, y in zip(xs, ys, strict=True))


def _same_stmt(region: Region, p: Pair, x: Stmt, y: Stmt, buffer: Buffer) -> bool:
    match x, y:
        case Assign(), Assign():
            return same_value(p, x.rhs, y.rhs)
        case Reduce(), Reduce():
            return x.op == y.op and same_value(p, x.rhs, y.rhs)
        case For(), For():
            return _same_loop(region, p, x, y, buffer)
        case If(), If():
            yes = _same_code(region, p, x.body, y.body, buffer)
            return yes and same_value(p, x.cond, y.cond) and _same_code(region, p, x.orelse, y.orelse, buffer)
        case (Call() | WriteConfig(), Call() | WriteConfig()):
            one, two = (_set_value(s, buffer) for s in (x, y))
            return one is not None and two is not None and same_value(_by_place(region, p), one, two)
        case _:
            return False


def _same_loop(region: Region, p: Pair, x: For, y: For, buffer: Buffer) -> bool:
    """Two loops that start and end together: both iterators run through the same values."""
    bounds = (x.lo, x.hi, y.lo, y.hi)
    if any(map(is_opaque, bounds)) or not (same_value(p, x.lo, y.lo) and same_value(p, x.hi, y.hi)):
        return False
    shared: dict[Atom, Lin] = {V(x.iter): unknown(x.iter, BOTH)}
    facts = [subst(subst(f, shared), p.one) for f in range_facts(x)]
    inside = p.given(facts, shared, {V(y.iter): unknown(x.iter, BOTH)})
    return _same_code(region, inside, x.body, y.body, buffer)


def _set_value(s: Call | WriteConfig, buffer: Buffer) -> Expr | None:
    """The value that a statement leaves in a config field, in terms of what is there before it; None if not known."""
    if isinstance(s, WriteConfig):
        return s.rhs
    fields = [f for f in written_fields(s) if config_key(f.config.name, f.field) == buffer]
    if not fields:
        return None
    return after(pmap(), s).get(fields[0]) if is_control(fields[0]) else left_by(s, fields[0])


def _by_place(region: Region, p: Pair) -> Pair:
    """The pair with reads in the arguments of calls, which are no accesses by themselves, told by their places."""
    return replace(p, steady=lambda e: p.steady(e) or untouched(region, place_of(region.tree, e)))


# -- what this licenses ---------------------------------------------------------------------------------


def recomputation(tree: ProcDef, facts: Sequence[Formula], loop: For, part: Part, relation: Formula) -> Excuse:
    """The excuse for a read by other code in an iteration of a sequential loop, and a write by a part of the
    loop's body in a later one.

    The accesses of the part are guarded by the loop's range. The excuse takes the read, in the iteration called
    as the loop's iterator, and the write, in the primed iteration, which stand in `relation`.
    """
    turn = Tick(unknown(loop.iter), loop.mode == "seq")
    what = "what is read was surely computed before"

    @cache  # most loops need no excuse
    def timed() -> list[Access]:
        return [a.placed((turn, Tick(Lin(0))), (V(loop.iter), *a.iters), a.guard) for a in part.accesses]

    @cache
    def region() -> Region:
        return Region.of(tree, facts, [Part(part.stmts, timed())])

    @cache
    def is_determined(buffer: Buffer) -> bool:
        return determined(region(), buffer)

    def harmless(read: Access, write: Access) -> bool:
        if read.kind != "R" or not write.writes or loop.mode != "seq" or not is_determined(write.buffer):
            return False
        now = read.timed(turn, Tick(Lin(1)))
        given = (*facts, write.guard, same_place(read, write), relation)
        return bool(cover(tree, given, now, timed(), what))

    return harmless


def exchange(tree: ProcDef, facts: Sequence[Formula], parts: Sequence[Part], fixed: Sequence[Sym] = ()) -> Excuse:
    """The excuse for accesses of two instances of code that change places as a whole. `fixed` are the iterators
    around it that differ between instances."""
    region = Region.of(tree, facts, parts, fixed)

    @cache
    def replayed(buffer: Buffer) -> bool:
        reads = ((part, a) for part in parts for a in part.accesses if a.buffer == buffer and a.kind == "R")
        return determined(region, buffer) and all(
            untouched(region, a) or covered_in(region, part, a) for part, a in reads
        )

    return lambda a, b: replayed(a.buffer)


__all__ = ["Excuse", "Part", "Region", "determined", "exchange", "recomputation"]
