"""What the translation of a function carries along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ..control import Poly, Symbol, assertion, number, of
from ..names import spelled
from ..report import NOWHERE, SAID, Place, Problem, Report, Stop, TooMuch, stop
from .kinds import I64, Kind
from .printing import data as shown
from .program import (
    Alloc,
    Bin,
    Buffer,
    Data,
    Elem,
    Flag,
    For,
    Frame,
    If,
    Num,
    Procedure,
    Renamed,
    Select,
    Stmt,
    Store,
    is_control,
    parts,
)
from .prover import Prover, arguments, facts_of, least
from .values import Array, Chosen, Computed, Helper, Indices, Unknown, Value, View, of_view, whole

ITERATORS = ("i", "j", "k", "l")
MOST = 10_000
"""How many statements are translated. Each side of a branch is translated twice, and a function in each place where it
is called, so this is reached by some dozen branches in each other, and by calls that multiply."""


@dataclass
class Context:
    """The state of a translation. Statements go to `block`; `envs` has the variables of the functions that run."""

    procedure: Procedure
    report: Report
    prover: Prover
    arguments: frozenset[Symbol]
    envs: list[dict[str, Value]] = field(default_factory=list)
    locals: list[frozenset[str]] = field(default_factory=list)
    """The variables of each function: these names mean nothing outside of it."""
    slots: list[dict[str, View]] = field(default_factory=list)
    """Where variables that loops and branches give new values are kept."""
    changed_in_place: list[frozenset[str]] = field(default_factory=list)
    """The names of each function through which arrays are written."""
    block: list[Stmt] = field(default_factory=list)
    frames: tuple[Frame, ...] = ()
    facts: tuple[str, ...] = ()
    names: set[str] = field(default_factory=set)
    reserved: frozenset[str] = frozenset()
    """The names in the program, which iterators of ours don't take."""
    live: tuple[str, ...] = ()
    counter: int = 0
    place: Place = field(default_factory=lambda: Place(0, 0))
    index_buffers: set[Buffer] = field(default_factory=set)
    """The arguments that indices are read from."""
    outside: Buffer = field(default_factory=lambda: Buffer("outside", I64, (), "output"))
    """Set to 1 where an index that is computed lies outside of its array."""
    running: list[object] = field(default_factory=list)
    """The definitions of the functions that run."""
    trials: int = 0
    work: int = 0
    """How many statements were translated."""
    stopped: bool = False
    """Whether a statement was left out, for a reason that is reported here or was before."""
    top: object = None
    """The expression that is the whole right side of a statement, where a call may write to arrays."""

    def spend(self) -> None:
        """One more statement is translated, of which there may be so many."""
        self.work += 1
        if self.work > MOST:
            why = f"more than {MOST} statements are translated to get here"
            what, remedy = "branches in each other, or calls that multiply", "split the function, or write a loop"
            raise TooMuch(Problem(self.place, what, why, remedy))

    # -- variables --------------------------------------------------------------------------------

    @property
    def env(self) -> dict[str, Value]:
        return self.envs[-1]

    def holders(self, b: Buffer) -> list[str]:
        """The names that stand for a buffer or a part of it."""
        return [n for env in self.envs for n, v in env.items() if _mentions(v, b)]

    # -- names ------------------------------------------------------------------------------------

    def symbol(self, name: str = "") -> Symbol:
        """A new iterator; without a name, the next of i, j, k, l."""
        self.counter += 1
        if not name:
            name = next((n for n in ITERATORS if n not in {*self.names, *self.live, *self.reserved}), "i")
        return Symbol(spelled(name, {*self.names, *self.live}), self.counter, True)

    def buffer(self, name: str, kind: Kind, shape: Indices) -> View:
        """A new buffer, allocated here."""
        b = Buffer(spelled(name, {*self.names, *self.live}), kind, tuple(self.extent(e) for e in shape))
        self.names.add(b.name)
        self.block.append(Alloc(b, self.place))
        return View(b, whole(b).dims, shape)

    def renamed(self, b: Buffer, shape: Indices) -> Buffer:
        """A whole buffer with other extents, of as many elements: a name for it from here on."""
        v = Buffer(spelled(f"{b.name}_as", {*self.names, *self.live}), b.kind, shape)
        self.names.add(v.name)
        self.block.append(Renamed(v, b, self.place))
        return v

    def extent(self, e: Poly) -> Poly:
        """An extent that is at least 1: by an assertion, or as the larger of it and 1."""
        if self.proves(e - 1):
            return e
        if arguments(e, self.arguments) and self.assume(e - 1, "so that arrays have elements"):
            return e
        self.counter += 1
        return of(Symbol(f"max({e}, 1)", self.counter))

    # -- what is certain --------------------------------------------------------------------------

    def proves(self, value: Poly) -> bool:
        """Whether a value is never negative here."""
        asserted = tuple(self.procedure.assertions)
        if value.is_affine():
            return self.prover.holds(value, asserted, self.facts)
        low = least(value, self.frames)
        return low is not None and self.prover.holds(low, asserted, self.facts)

    def require(self, value: Poly, why: str, what: str, remedy: str) -> None:
        """A value must not be negative here; an assertion is added if that needs one."""
        if self.proves(value):
            return
        low = least(value, self.frames)
        if low is None or not arguments(low, self.arguments) or not self.assume(low, why) or not self.proves(value):
            raise stop(self.place, what, f"{value} may be negative here", remedy)

    def assume(self, value: Poly, why: str) -> bool:
        """Add the assertion that a value isn't negative; False if that can't be."""
        if value.constant is not None and value.constant < 0:
            return False
        if not value.is_affine():
            return False
        text = assertion(value)
        if self.prover.holds(-value - 1, tuple(self.procedure.assertions)):
            return False
        self.procedure.assertions.setdefault(text, why)
        return True

    def same(self, a: Poly, b: Poly, what: str) -> Poly:
        """Two extents that must be equal: one of them."""
        if a == b:
            return a
        apart = (a - b).constant
        if apart:
            raise stop(self.place, what, f"extents {a} and {b} don't go together", "NumPy raises a ValueError here")
        if self.proves(a - b) and self.proves(b - a):
            return a
        if not arguments(a - b, self.arguments):
            raise stop(self.place, what, f"it isn't known that the extents {a} and {b} are equal", "slice both alike")
        low, high = (a, b) if arguments(a, self.arguments) else (a - b, number(0))
        self.procedure.assertions.setdefault(f"{low} == {high}", "so that shapes go together")
        return a

    # -- statements -------------------------------------------------------------------------------

    @contextmanager
    def into(self, block: list[Stmt]) -> Iterator[list[Stmt]]:
        """Statements go to another block."""
        before, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = before

    @contextmanager
    def scratch(self) -> Iterator[list[Stmt]]:
        """What is emitted is looked at, and dropped."""
        names = self.names.copy()
        try:
            with self.into([]) as block:
                yield block
        finally:
            self.names = names

    @contextmanager
    def loop(self, f: Frame) -> Iterator[None]:
        """Inside a loop, which is emitted."""
        frames, facts, live = self.frames, self.facts, self.live
        s = For(f, [], self.place)
        self.block.append(s)
        self.frames, self.facts = (*frames, f), (*facts, *facts_of(f))
        self.live = (*live, f.symbol.name)
        self.prover.types.setdefault(f.symbol.name, "index")
        try:
            with self.into(s.body):
                yield
        finally:
            self.frames, self.facts, self.live = frames, facts, live

    @contextmanager
    def where(self, cond: Data, holds: bool) -> Iterator[None]:
        """Where a condition holds, or doesn't: of sizes that is a fact."""
        facts = self.facts
        if is_control(cond) and not any(isinstance(c, Num | Flag) for c in parts(cond)):
            self.facts = (*facts, shown(cond) if holds else f"not ({shown(cond)})")
        try:
            yield
        finally:
            self.facts = facts

    def nest(self, shape: Indices, body: Callable[[Indices], None], start: Indices | None = None) -> None:
        """Loops over all indices of a shape."""
        self._nest(list(shape), (), body, start)

    def _nest(self, rest: list[Poly], idx: Indices, body: Callable[[Indices], None], start: Indices | None) -> None:
        if not rest:
            body(idx)
            return
        lo = number(0) if start is None else start[len(idx)]
        if (rest[0] - lo).constant == 1:
            self._nest(rest[1:], (*idx, lo), body, start)
            return
        f = Frame(self.symbol(), lo, rest[0])
        with self.loop(f):
            self._nest(rest[1:], (*idx, of(f.symbol)), body, start)

    def store(self, v: View, idx: Indices, value: Data, op: str = "=") -> None:
        """One element gets a value, which is of its kind."""
        where = v.at(idx)
        if op == "=" and isinstance(value, Bin) and value.op == "+" and value.lhs == Elem(v.buffer, where, value.kind):
            value, op = value.rhs, "+="
        self.block.append(Store(v.buffer, where, value, self.place, op))

    def branch(self, cond: Data, yes: Callable[[], None], no: Callable[[], None] | None = None) -> None:
        """A branch on data."""
        s = If(cond, [], [], self.place)
        with self.into(s.yes):
            yes()
        if no is not None:
            with self.into(s.no):
                no()
        self.block.append(s)

    def scalar(self, value: Data, name: str = "t") -> Elem:
        """A new scalar variable that holds a value."""
        v = self.buffer(name, value.kind, ())
        self.store(v, (), value)
        return Elem(v.buffer, (), value.kind)

    # -- arrays -----------------------------------------------------------------------------------

    def lazy(self, a: Array | Computed) -> Array:
        """An array whose elements can be asked for: one that is computed as a whole gets a buffer."""
        return self.materialised(a) if isinstance(a, Computed) else a

    def materialised(self, a: Array | Computed, name: str = "") -> Array:
        """An array in a buffer of its own."""
        if isinstance(a, Computed):
            v = self.buffer(name or a.name, a.kind, a.shape)
            a.fill(v)
        else:
            v = self.buffer(name or "t", a.kind, a.shape)
            self.nest(a.shape, lambda idx: self.put(v, idx, a.at(idx)))
        return of_view(v)

    def put(self, v: View, idx: Indices, value: Data) -> None:
        """Store a value; a truth value as 0 or 1."""
        if isinstance(value, Num) and isinstance(value.value, bool):
            value = Num(int(value.value), v.buffer.kind)
        elif value.kind.is_bool and not isinstance(value, Num):
            value = Select(value, Num(1, v.buffer.kind), Num(0, v.buffer.kind), v.buffer.kind)
        self.store(v, idx, value)

    # -- trials -----------------------------------------------------------------------------------

    @contextmanager
    def trial(self, asserted: bool = False) -> Iterator[None]:
        """Run something to see what it does to variables, and forget all else, but for assertions with `asserted`."""
        p = self.procedure
        saved = (self.names.copy(), self.report.muted, dict(p.assertions), list(p.notes), set(p.externs))
        envs, slots = [e.copy() for e in self.envs], [s.copy() for s in self.slots]
        self.report.muted = True
        self.trials += 1
        try:
            with self.into([]):
                yield
        finally:
            self.names, self.report.muted, assertions, p.notes, p.externs = saved
            p.assertions = p.assertions if asserted else assertions
            self.envs, self.slots = envs, slots
            self.trials -= 1

    def unshared(self, v: Array, name: str) -> None:
        """A copy of what NumPy shares is as good only if neither is written."""
        if not v.copies or not v.ndim:
            return
        names = {name, *(h for r in v.reads for h in self.holders(r.buffer)), *(r.buffer.name for r in v.reads)}
        if names & self.changed_in_place[-1]:
            why = "in NumPy it shares memory with another array, here it is a copy, and one of them may be written"
            raise stop(self.place, name, why, "copy it: x = y.copy()")

    def placed(self, problem: Problem) -> Problem:
        """A problem where it stands: one that doesn't say it stands here."""
        return replace(problem, place=self.place) if problem.place == NOWHERE and problem is not SAID else problem

    @contextmanager
    def reporting(self, names: Callable[[], frozenset[str]]) -> Iterator[None]:
        """A problem ends what is inside, and goes to the report; the variables that it sets aren't known then."""
        try:
            yield
        except Stop as s:
            self.report.add(self.placed(s.problem))
            self.stopped = self.stopped or not self.report.muted
            for n in names():
                self.env[n] = Unknown("")


Call: TypeAlias = Callable[[Context, Sequence[Value], Mapping[str, Value]], Value]
"""What a function of NumPy does with its arguments."""


def _mentions(v: Value, b: Buffer) -> bool:
    match v:
        case Array(reads=reads):
            return any(r.buffer is b for r in reads)
        case Computed(reads=reads):
            return b in reads
        case Chosen(part=part, mask=mask):
            return _mentions(part, b) or _mentions(mask, b)
        case Helper(defaults=defaults):
            return any(_mentions(d, b) for d in defaults.values())
        case _:
            items = getattr(v, "items", ())
            return any(_mentions(i, b) for i in items)
