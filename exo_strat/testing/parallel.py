"""Random procedures with parallel loops whose iterations share buffers.

Each piece of code has places of its own, which it may write, and places that nobody writes meanwhile, which it may
read. A `par` or `vec` loop over i gives its iterations the rows `x[i, ..]`, or a whole place to one iteration only. So
no program has a race, and each element is written before it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from .choices import Choices

EXTENT = 4
"""Of each dimension, and the number of iterations of each loop."""

CALLEES = f"""
def put(a: f64, b: f64):
    a = b + 1.0

def bump(v: [f64][{EXTENT}]):
    for i in par(0, {EXTENT}):
        v[i] += 1.0

def turn(v: [f64][{EXTENT}], w: [f64][{EXTENT}]):
    t: f64[{EXTENT}] @ MEMORY
    last: f64
    for i in par(0, {EXTENT}):
        t[i] = w[i]
        if i == 2:
            put(last, t[i])
    for i in par(0, {EXTENT}):
        v[i] = t[{EXTENT - 1} - i] + last
"""


def callees(memories: Sequence[str], env: Mapping[str, object]) -> dict[str, object]:
    """The procedures that programs call: one writes a single value, others have parallel loops and buffers."""
    found: dict[str, object] = {}
    for text in CALLEES.replace("turn", "turn_MEMORY").strip().split("\n\n"):
        for memory in memories if "MEMORY" in text else [""]:
            p = proc_from_source(text.replace("MEMORY", memory), {**env, **found})
            found[p.name()] = p
    return found


@dataclass(frozen=True)
class Place:
    """All of a buffer, or the part below some indices: `x[i, ..]` with `left` dimensions below it."""

    name: str
    idx: tuple[str, ...]
    left: int

    def at(self, *more: str) -> str:
        """The text of an element, or of a single value."""
        idx = ", ".join((*self.idx, *more))
        return f"{self.name}[{idx}]" if idx else self.name

    def below(self, i: str) -> Place:
        return Place(self.name, (*self.idx, i), self.left - 1)

    def row(self, ch: Choices) -> str:
        """A window on one row."""
        return self.at(*(str(ch.upto(EXTENT - 1)) for _ in range(self.left - 1)), f"0:{EXTENT}")


@dataclass
class _Writer:
    ch: Choices
    memories: Sequence[str]
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    names: int = 0
    mine: list[Place] = field(default_factory=list)
    """What the code may read and write."""
    seen: list[Place] = field(default_factory=list)
    """What it may only read."""

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    @contextmanager
    def inside(self, head: str, mine: Sequence[Place], seen: Sequence[Place]) -> Iterator[None]:
        """The block of a loop or branch. What is declared in it is gone after it."""
        before = self.mine, self.seen
        self.line(head)
        self.mine, self.seen, self.depth = list(mine), list(seen), self.depth + 1
        yield
        self.depth -= 1
        self.mine, self.seen = before

    def block(self, most: int) -> None:
        for _ in range(1 + self.ch.upto(most)):
            self.stmt()

    def stmt(self) -> None:
        deep = self.depth > 4
        kinds = {"assign": 4, "call": 3, "alloc": 2 if self.depth < 4 else 0, "loop": 0 if deep else 5}
        getattr(self, self.ch.weighted(kinds))()

    # -- statements -----------------------------------------------------------------------------

    def element(self, places: Sequence[Place]) -> str:
        p = self.ch.pick(places)
        return p.at(*(str(self.ch.upto(EXTENT - 1)) for _ in range(p.left)))

    def value(self) -> str:
        one, other = self.element([*self.mine, *self.seen]), self.element([*self.mine, *self.seen])
        return self.ch.pick([f"{one} + 1.0", f"{one} - {other}", f"{one} + {other}"])

    def assign(self) -> None:
        if self.mine:
            self.line(f"{self.element(self.mine)} {self.ch.pick(['=', '=', '+='])} {self.value()}")

    def call(self) -> None:
        rows = [p for p in self.mine if p.left]
        others = [p for p in (*self.mine, *self.seen) if p.left]
        if self.mine and (not rows or self.ch.chance(40)):
            target = self.element(self.mine)
            source = self.element([*self.mine, *self.seen])
            if source.partition("[")[0] != target.partition("[")[0]:
                self.line(f"put({target}, {source})")
        elif rows:
            to, frm = self.ch.pick(rows), self.ch.pick(others)
            turned = f"turn_{self.ch.pick(self.memories)}({to.row(self.ch)}, {frm.row(self.ch)})"
            self.line(turned if to.name != frm.name else f"bump({to.row(self.ch)})")

    def alloc(self) -> None:
        rank, name = self.ch.upto(2), self.fresh("t")
        shape = f"[{', '.join([str(EXTENT)] * rank)}]" if rank else ""
        self.line(f"{name}: f64{shape} @ {self.ch.pick(self.memories)}")
        value = self.value() if self.mine or self.seen else "1.0"
        depth, idx = self.depth, []
        for _ in range(rank):
            idx.append(self.fresh("i"))
            self.line(f"for {idx[-1]} in {self.mode()}(0, {EXTENT}):")
            self.depth += 1
        place = Place(name, (), rank)
        self.line(f"{place.at(*idx)} = {value}")
        self.depth = depth
        self.mine.append(place)

    def mode(self) -> str:
        return self.ch.weighted({"par": 4, "vec": 1, "seq": 1})

    def loop(self) -> None:
        i, mode = self.fresh("i"), self.mode()
        rows, ones, seen = list[Place](), list[Place](), list(self.seen)
        for p in self.mine if mode != "seq" else []:
            use = self.ch.weighted({"row": 3 if p.left else 0, "one": 2, "seen": 2})
            {"row": rows, "one": ones, "seen": seen}[use].append(p)
        mine = [p.below(i) for p in rows] if mode != "seq" else [*self.mine]
        with self.inside(f"for {i} in {mode}(0, {EXTENT}):", mine, seen):
            if mode != "seq" and ones and self.ch.chance(70):
                with self.inside(f"if {i} == {self.ch.upto(EXTENT - 1)}:", [*self.mine, *ones], self.seen):
                    self.block(1)
                    self.line("pass")
            self.block(2)
            self.line("pass")


def parallel_source(ch: Choices, memories: Sequence[str], name: str = "foo") -> str:
    """The text of a random procedure `name` on x, y and r."""
    w = _Writer(ch, memories)
    w.mine = [Place("x", (), 2), Place("y", (), 2), Place("r", (), 0)]
    w.block(4)
    w.line("pass")
    n = EXTENT
    return "\n".join([f"def {name}(x: f64[{n}, {n}], y: [f64][{n}, {n}], r: f64):", *w.lines]) + "\n"


def parallel_proc(ch: Choices, memories: Sequence[str], env: Mapping[str, object], name: str = "foo") -> Proc:
    """A random procedure whose loops are `par` in most cases. `env` has the memories by name and `callees`."""
    return proc_from_source(parallel_source(ch, memories, name), env)
