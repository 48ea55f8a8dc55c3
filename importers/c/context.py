"""What the translation of a function carries along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..control import Poly, Symbol
from ..names import spelled
from ..report import SAID, Place, Problem, Report, Stop, stop
from .kinds import Kinds
from .options import Options
from .program import Access, Allocate, Cond, Frame, Need, Procedure, Stmt, facts_of, other_than_0
from .syntax import Expr, Function, Use, Variable
from .types import Int, Number
from .values import Address, Held, Known, Lost, Value
from .walks import inside

NOT_CLOSED = "sizes, indices and loop bounds are followed in closed form, and this has none"
QUOTIENT = "of sizes and indices, C's quotient is one of a product by its factor, or of what is surely not negative"


class Sometimes(Stop):
    """What is computed only sometimes needs statements of its own: as a branch it may be taken."""


@dataclass(frozen=True)
class Hints:
    """What earlier attempts to translate a function found out: the integers that are data, though indices or bounds
    are made of them, the arrays of indices that the function writes, and the flat arrays whose indices depend on data
    so that they can't be taken apart."""

    data: frozenset[Variable] = frozenset()
    changing: frozenset[Variable] = frozenset()
    flat: frozenset[Variable] = frozenset()
    shared: frozenset[Variable] = frozenset()
    """Arguments for which callers pass arrays that are written elsewhere: they change, though not here."""
    sized: frozenset[Variable] = frozenset()
    """Pointers whose extents are arguments that C hasn't, as functions get these that are called."""


@dataclass(frozen=True)
class Given:
    """What a variable is given: a number in closed form, and the loops and conditions around; None if it is none."""

    value: Poly | None
    frames: tuple[Frame, ...] = ()
    facts: tuple[Poly, ...] = ()


@dataclass
class Context:
    """The state of a translation. Statements go to `block`; `values` says what is known of control variables."""

    function: Function
    functions: Mapping[str, Function]
    kinds: Kinds
    report: Report
    procedure: Procedure
    callees: Mapping[str, Procedure]
    options: Options
    hints: Hints
    values: dict[Variable, Value] = field(default_factory=dict)
    block: list[Stmt] = field(default_factory=list)
    frames: tuple[Frame, ...] = ()
    guards: tuple[Cond, ...] = ()
    """Conditions in the expression around, before && and ||."""
    facts: tuple[Poly, ...] = ()
    """What isn't negative, by the branches around."""
    other: tuple[Poly, ...] = ()
    """What isn't 0, by the branches around."""
    names: set[str] = field(default_factory=set)
    live: tuple[str, ...] = ()
    counter: int = 0
    result: Variable | None = None
    ranges: dict[Variable | tuple[Variable, tuple[Poly, ...]], tuple[int, int]] = field(default_factory=dict)
    """Between which numbers integer data is here: variables, and elements."""
    accesses: list[Access] = field(default_factory=list)
    counting: bool = False
    """Whether a condition tells how often a loop runs: what it reads from memory is a bound."""
    indexing: dict[Variable, Place] = field(default_factory=dict)
    """The arrays that indices and bounds are read from, and where."""
    written: set[Variable] = field(default_factory=set)
    """The arrays that are written."""
    doubts: int = 0
    """How many conversions of control integers were not surely without loss. Numbers that have one are data."""
    cells: bool = False
    """Whether what is read from memory may be an index here: it is used at once."""
    lost: set[Variable] = field(default_factory=set)
    """Control integers that can't be followed: as data they might be."""
    flat: set[Variable] = field(default_factory=set)
    """Flat arrays whose indices can't be taken apart."""
    unsized: set[Variable] = field(default_factory=set)
    """Pointers whose extents functions are passed that are called."""
    allocated: dict[Variable, Allocate] = field(default_factory=dict)
    """Where buffers of the heap are allocated."""
    flat_windows: list[tuple[Access, tuple[Poly, ...]]] = field(default_factory=list)
    """Parts of flat arrays that other functions see with rows, and the extents that these see."""
    windowed: set[Variable] = field(default_factory=set)
    """Arrays of which other functions get parts."""
    given: dict[Variable, list[Given]] = field(default_factory=dict)
    """What integer data is given, each time."""
    shapes: dict[Variable, tuple[Poly | None, ...]] = field(default_factory=dict)
    """The extents of arrays, as they were where they were declared."""

    # -- names ------------------------------------------------------------------------------------

    def symbol(self, name: str, iterator: bool = True) -> Symbol:
        """A new symbol, that nothing around is called by."""
        self.counter += 1
        return Symbol(spelled(name, {*self.names, *self.live}), self.counter, iterator)

    def temporary(self, name: str, t: Number, place: Place) -> Variable:
        """A new scalar variable."""
        self.counter += 1
        v = Variable(spelled(name, {*self.names, *self.live}), name, t, "local", place)
        self.names.add(v.name)
        return v

    # -- state ------------------------------------------------------------------------------------

    @contextmanager
    def into(self, block: list[Stmt]) -> Iterator[list[Stmt]]:
        """Statements go to another block."""
        before, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = before

    @contextmanager
    def within(self, *inner: Frame) -> Iterator[None]:
        """Inside loops."""
        frames, live = self.frames, self.live
        self.frames, self.live = (*frames, *inner), (*live, *(f.symbol.name for f in inner))
        try:
            yield
        finally:
            self.frames, self.live = frames, live

    @contextmanager
    def where(self, cond: Cond) -> Iterator[None]:
        """In a branch."""
        before = self.facts, self.other
        self.facts, self.other = (*self.facts, *facts_of(cond)), (*self.other, *other_than_0(cond))
        try:
            yield
        finally:
            self.facts, self.other = before

    @contextmanager
    def guarded(self, *conds: Cond) -> Iterator[None]:
        """Where conditions hold."""
        before, self.guards = self.guards, (*self.guards, *conds)
        try:
            yield
        finally:
            self.guards = before

    def only_sometimes(self, place: Place, what: str) -> Sometimes:
        """The exception to raise for what needs statements of its own, behind a condition in an expression."""
        return Sometimes(Problem(place, what, "it is computed only sometimes", "write an if"))

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Run something that may be `Sometimes`: then nothing of it is left."""
        saved = self.values.copy(), self.names.copy(), self.ranges.copy()
        counts = len(self.block), len(self.accesses), len(self.flat_windows)
        try:
            yield
        except Sometimes:
            self.values, self.names, self.ranges = saved
            del self.block[counts[0] :], self.accesses[counts[1] :], self.flat_windows[counts[2] :]
            raise

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Run something to see what it does to variables, and forget all else."""
        saved = (self.values.copy(), self.names.copy(), len(self.accesses), self.report.muted)
        windows = len(self.flat_windows)
        ranges = self.ranges.copy()
        self.report.muted = True
        try:
            with self.into([]):
                yield
        finally:
            self.values, self.names, count, self.report.muted = saved
            self.ranges = ranges
            del self.accesses[count:]
            del self.flat_windows[windows:]

    # -- what is known ----------------------------------------------------------------------------

    def known(self, v: Variable, place: Place) -> Known | Address:
        """What a control variable or pointer holds here; what must hold for that is asked for."""
        value = self.values.get(v, Lost(f"{v.c_name} has no value yet"))
        if isinstance(value, Lost) and value.reported:
            raise Stop(SAID)
        if isinstance(value, Lost):
            why = f"its value is not known here: {value.why.removeprefix('its value is not known here: ')}"
            remedy = "give it a value in closed form, or keep it in an array of numbers that isn't used as an index"
            if self.counting:
                remedy = "count to a bound, and put an if with a break inside"
            if self.counting and value.why.endswith((NOT_CLOSED, QUOTIENT)):
                why = "it tells how often the loop runs, and is computed in a way that says nothing of that beforehand"
            self.lose(v)
            raise stop(place, v.c_name, why, remedy)
        if isinstance(value, Held):
            why = f"{v.c_name} has its value from where a loop was left: this is an index or bound that depends on data"
            raise stop(place, v.c_name, why, "give it a value in closed form")
        for n in value.needs:
            why = f"{v.c_name} has its value after a loop only if the loop's bounds are in order"
            self.need(n, why, "start and end of the loop must be known to be in order", place)
        return value

    def lose(self, v: Variable) -> None:
        """A control integer can't be followed here."""
        if isinstance(v.type, Int) and not self.report.muted:
            self.lost.add(v)

    @contextmanager
    def reading(self, cells: bool) -> Iterator[None]:
        """Whether what is read from memory may be an index."""
        before, self.cells = self.cells, cells
        try:
            yield
        finally:
            self.cells = before

    def need(self, value: Poly, why: str, remedy: str, place: Place, frames: tuple[Frame, ...] = ()) -> None:
        """Something must not be negative here."""
        if value.constant is not None and value.constant >= 0:
            return
        self.block.append(Need(value, why, remedy, place, frames, self.guards))

    def access(self, var: Variable, indices: tuple[Poly, ...], place: Place) -> Access:
        """An access to an element."""
        facts = (*self.facts, *(f for g in self.guards for f in facts_of(g)))
        other = (*self.other, *(f for g in self.guards for f in other_than_0(g)))
        found = Access(var, indices, self.frames, place, facts, other)
        self.accesses.append(found)
        return found

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """A problem ends what is inside, and goes to the report."""
        try:
            yield
        except Stop as s:
            self.report.add(s.problem)

    def has_data(self, e: Expr) -> bool:
        """Whether the value of an expression depends on memory."""
        return self.kinds.has_data(e) or any(
            isinstance(x, Use) and isinstance(self.values.get(x.var), Held) for x in inside(e)
        )

    def is_control(self, v: Variable) -> bool:
        """Whether a variable is a control integer."""
        return not self.kinds.is_data(v)
