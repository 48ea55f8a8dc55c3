"""Writes random statements of object code that are well-formed by construction.

A `Writer` keeps what is in scope: control values with their bounds, buffers with their extents, and which
buffers and cells surely hold values. Reads of memory that was never written are drawn too, but rarely:
a program that always traps tests nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from .choices import Choices
from .ranges import FAR, ONE, ZERO, Bound, M, N, Range, index, parens, shifted

ITERATORS = ("i", "j", "k", "l", "i2", "j2", "k2", "l2", "i3", "j3", "k3", "l3")
LOCALS = ("a", "b", "e", "f", "a2", "b2", "e2", "f2", "a3", "b3", "e3", "f3", "a4", "b4", "e4", "f4")
WINDOWS = ("v", "w", "v2", "w2", "v3", "w3", "v4", "w4", "v5", "w5", "v6", "w6")


@dataclass(frozen=True)
class Buffer:
    """A buffer or window in scope. `base` is the buffer that it shows; `constant` if nothing writes it."""

    name: str
    shape: tuple[Bound, ...]
    base: str
    constant: bool = False
    dense: bool = True


@dataclass
class Writer:
    """A procedure's body in the making. `fuel` bounds how many statements random blocks still get. A `sloppy`
    one does not care much about bounds."""

    ch: Choices
    buffers: list[Buffer]
    ranges: list[Range]
    configs: bool
    fuel: int = 10
    depth: int = 1
    lines: list[str] = field(default_factory=list)
    ready: set[str] = field(default_factory=set)
    cells: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    flags: tuple[str, ...] = ()
    sloppy: bool = False
    operator: str = "+"

    # -- lines and scopes ---------------------------------------------------------------------------

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def inside(self, head: str, *more: Range) -> Iterator[None]:
        """The block under a loop or branch. What it brings into scope, or writes, is forgotten after it."""
        self.emit(head)
        scope = self.buffers, self.ranges, self.ready, self.cells, self.names
        self.buffers, self.ranges = list(self.buffers), [*self.ranges, *more]
        self.ready, self.cells, self.names = set(self.ready), list(self.cells), set(self.names)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1
        self.buffers, self.ranges, self.ready, self.cells, self.names = scope

    def fresh(self, names: Sequence[str]) -> str:
        """A name that means nothing in this scope; other scopes may use it too."""
        name = next(n for n in names if n not in self.names)
        self.names.add(name)
        return name

    # -- places and values --------------------------------------------------------------------------

    def index(self, extent: Bound) -> str:
        """An index within an extent; when sloppy, one that may miss it by a little."""
        if self.sloppy and self.ranges and self.ch.chance(30):
            return shifted(self.ch.pick(self.ranges).text, self.ch.pick([0, 1, -1]))
        return index(self.ch, extent, self.ranges)

    def place(self, b: Buffer) -> str:
        """An element of a buffer."""
        return self.at(b, [self.index(n) for n in b.shape])

    @staticmethod
    def at(b: Buffer, idx: Sequence[str]) -> str:
        return f"{b.name}[{', '.join(idx)}]" if idx else b.name

    def is_ready(self, b: Buffer) -> bool:
        return b.base in self.ready

    def read(self) -> str:
        """A value in memory, nearly always one that was written."""
        if self.cells and self.ch.chance(40):
            return self.ch.pick(self.cells[-3:])
        known = [b for b in self.buffers if self.is_ready(b) or self.ch.chance(3)]
        return self.place(self.ch.pick(known))

    def value(self, depth: int = 2) -> str:
        """A data expression. Numbers stay small: no two values that grow are multiplied."""
        kinds = {"read": 6, "literal": 3}
        if depth:
            kinds |= {"+": 4, "*": 2, "-": 1, "call": 1, "choice": 1}
        if self.configs:
            kinds |= {"config": 1}
        match self.ch.weighted(kinds):
            case "read":
                return self.read()
            case "config":
                return "Cfg.scale"
            case "+":
                return f"{self.value(depth - 1)} + {self.value(depth - 1)}"
            case "-":
                return f"{self.value(depth - 1)} - ({self.value(depth - 1)})"
            case "*":
                return f"{self.factor()} * {self.read()}"
            case "call":
                return self.ch.pick([f"relu({self.read()})", f"fmax({self.read()}, {self.value(0)})"])
            case "choice":
                return f"({self.choice(depth - 1)})"
            case _:
                return self.number()

    def choice(self, depth: int = 1) -> str:
        """One of two values, as a condition says: the other one need not exist."""
        guarded = self._neighbour() if self.ch.chance(40) else self._quotient() if self.ch.chance(25) else None
        if guarded is not None:
            (condition, value), other = guarded, self.value(depth)
            if self.ch.chance(30):
                condition, value, other = f"not ({condition})", other, value
            return f"{value} if {condition} else {other}"
        ranges, cells = self.ranges, list(self.cells)
        condition, yes, no = self.condition(self.ch.chance(50))
        sides: list[str] = []
        for known in (yes, no):  # what is looked at in a side may not be there elsewhere
            self.ranges, self.cells = [*ranges, *known], list(cells)
            sides.append(self.value(depth))
        self.ranges, self.cells = ranges, cells
        return f"{sides[0]} if {condition} else {sides[1]}"

    def _neighbour(self) -> tuple[str, str] | None:
        """An element that may lie outside of its buffer, and the condition that it does not."""
        known = [b for b in self.buffers if len(b.shape) == 1 and self.is_ready(b)]
        if not known or not self.ranges:
            return None
        b, at = self.ch.pick(known), shifted(self.ch.pick(self.ranges).text, self.ch.pick([-1, 1, 2]))
        return f"0 <= {at} and {at} < {b.shape[0]}", self.at(b, [at])

    def _quotient(self) -> tuple[str, str] | None:
        """A quotient, and the condition that its divisor is not zero."""
        constants = [b for b in self.buffers if b.constant]
        if not constants:
            return None
        y = self.place(self.ch.pick(constants))
        return f"{y} != 0.0", f"{self.read()} / {y}"

    def number(self) -> str:
        """A literal, or the number of an integer in scope."""
        literal = self.ch.pick(["1.0", "0.0", "2.0", "3.0"])
        if literal != "3.0" or not self.ranges:
            return literal
        first, last = self.ranges[0].text, self.ranges[-1].text
        return f"f32({last})" if first == last else f"f32({last} - {parens(first)})"

    def factor(self) -> str:
        """What values may be multiplied by."""
        constants = [b for b in self.buffers if b.constant]
        return self.place(self.ch.pick(constants)) if constants and self.ch.chance(50) else "2.0"

    # -- simple statements --------------------------------------------------------------------------

    def writable(self) -> list[Buffer]:
        return [b for b in self.buffers if not b.constant]

    def target(self, known: Sequence[Buffer]) -> str:
        """An element to write, sometimes one that was written or looked at before."""
        names = {b.name for b in known}
        again = [c for c in self.cells if c.partition("[")[0] in names]
        return self.ch.pick(again[-3:]) if again and self.ch.chance(25) else self.place(self.ch.pick(known))

    def assign(self, b: Buffer | None = None) -> None:
        place = self.target([b] if b else self.writable())
        self.emit(f"{place} = {self.value()}")
        self.cells.append(place)

    def reduce(self, b: Buffer | None = None) -> None:
        place = self.target([b] if b else [x for x in self.writable() if self.is_ready(x)])
        self.accumulate(place, self.value())

    def accumulate(self, place: str, value: str) -> None:
        """A reduction, by `+` or now and then by another operator, mostly the one before."""
        if self.ch.chance(12):
            self.operator = self.ch.pick(["+", "max", "*", "min"])
        if self.operator == "*":  # a value that grows must not be multiplied by one
            value = self.ch.pick(["-1.0", self.factor()])
        if self.operator in ("min", "max"):
            self.emit(f"{place} = {self.operator}({place}, {value})")
        else:
            self.emit(f"{place} {self.operator}= {value}")

    def update(self, place: str, value: str, reduce: bool) -> None:
        """A reduction or an assignment."""
        if reduce:
            self.accumulate(place, value)
        else:
            self.emit(f"{place} = {value}")

    def leaf(self) -> None:
        """An assignment or a reduction."""
        if self.ch.chance(40):
            self.reduce()
        else:
            self.assign()

    def alloc(self, shape: tuple[Bound, ...] | None = None, init: bool | None = None) -> Buffer:
        """A local buffer, mostly filled right away."""
        if shape is None:
            shapes: list[tuple[Bound, ...]] = [(), (Bound(4),), (N,), (Bound(2), Bound(4)), (N.plus(ONE),)]
            shape = self.ch.pick(shapes)
        name = self.fresh(LOCALS)
        b = Buffer(name, shape, name)
        self.emit(f"{name}: f32" + (f"[{', '.join(map(str, shape))}]" if shape else ""))
        self.buffers.append(b)
        self.ready.discard(name)
        self.cells = [c for c in self.cells if not re.search(rf"\b{name}\b", c)]
        if init if init is not None else self.ch.chance(75):
            self.fill(b)
        return b

    def fill(self, b: Buffer) -> None:
        """Writes all of a buffer."""
        iters: list[str] = []
        value = self.ch.pick(["0.0", "1.0"])
        start = self.depth
        for n in b.shape:
            i = next(x for x in ITERATORS[::-1] if x not in self.names | set(iters))
            iters.append(i)
            self.emit(f"for {i} in seq(0, {n}):")
            self.depth += 1
        self.emit(f"{self.at(b, iters)} = {value}")
        self.depth = start
        self.ready.add(b.name)

    def window(self, of: Buffer | None = None) -> Buffer | None:
        """A window of a tensor, or of one in scope: a shifted part of it, or a row."""
        tensors = [b for b in self.buffers if b.shape] if of is None else [of]
        if not tensors:
            return None
        b = self.ch.pick(tensors)
        kept = [not self.ch.chance(30) for _ in b.shape]
        if not any(kept):
            kept[0] = True
        dims: list[str] = []
        shape: list[Bound] = []
        for n, keep in zip(b.shape, kept, strict=True):
            lo, hi = self.ch.pick([(ZERO, n), (ONE, n)] if _exceeds(n, 2) else [(ZERO, n)])
            dims.append(f"{lo}:{hi}" if keep else self.index(n))
            shape += [hi.minus(lo)] if keep else []
        name = self.fresh(WINDOWS)
        self.emit(f"{name} = {self.at(b, dims)}")
        w = Buffer(name, tuple(shape), b.base, b.constant, dense=False)
        self.buffers.append(w)
        return w

    def configure(self) -> None:
        """A write of a config field."""
        numbers = [r.text for r in self.ranges if "[" not in r.text] or ["1"]
        options = {"mode": self.ch.pick(["1", "0", numbers[-1], "2 - Cfg.mode"]), "on": self.ch.pick(["True", "False"])}
        options["width"] = self.ch.pick(["1", "2", "4"])
        name = self.ch.pick(["mode", "on", "scale", "mode", "on", "scale", "width"])
        scale = self.ch.pick([self.read(), "Cfg.scale + 1.0"])
        self.emit(f"Cfg.{name} = {options.get(name) or scale}")

    # -- calls --------------------------------------------------------------------------------------

    def part(self, width: Bound, avoid: str = "", write: bool = False, i: str = "") -> str | None:
        """A window of so many elements of a buffer other than `avoid`; given an iterator, an element of it."""
        known = [b for b in self.buffers if self.is_ready(b) and b.base != avoid and not (write and b.constant)]
        wide = [b for b in known if any(_room(n, width) for n in b.shape)]
        if not wide:
            return None
        b = self.ch.pick(wide)
        along = self.ch.pick([d for d, n in enumerate(b.shape) if _room(n, width)])
        dims = [self.index(n) for n in b.shape]
        lo = self.index(b.shape[along].minus(width).plus(ONE))
        dims[along] = f"{lo} + {i}" if i else f"{lo}:{shifted_by(lo, width)}"
        return self.at(b, dims)

    def scalar(self, avoid: str | None) -> str | None:
        """An element to write of a buffer other than that of a window."""
        known = [b for b in self.writable() if self.is_ready(b) and b.base != self.base_of(avoid)]
        return self.place(self.ch.pick(known)) if known else None

    def base_of(self, text: str | None) -> str:
        name = (text or "").partition("[")[0]
        return next((b.base for b in self.buffers if b.name == name), "")

    def call(self, name: str | None = None) -> None:
        """A call of a procedure of the library, with arguments that do not alias."""
        plain = ["double", "axpy", "copy", "zero", "total", "pick", "first", "tail", "put", "under", "square"]
        if name is None and self.ch.chance(25):
            return self.lend()
        name = name or self.ch.pick([*plain, "some", "tell", "toggle", "fit"] if self.configs else plain)
        if name == "square":
            return self.square()
        width = self.ch.pick([Bound(2), N, ONE])
        if name in ("zero", "total", "toggle", "fit"):
            width = Bound(4)
        elif name == "tail":
            width = Bound(3)
        if name == "tell":
            numbers = [*(r.text for r in self.ranges[-1:]), "Cfg.mode", "1"]
            self.emit(f"tell({self.ch.pick([self.read(), 'Cfg.scale'])}, {self.ch.pick(numbers)})")
            return
        v = self.part(width, write=name not in ("axpy", "copy", "total", "pick"))
        if v is None:
            return
        out: str | None = ""
        match name:
            case "double" | "some" | "tail" | "gauge":
                out = f"{name}({width}, {v})"
            case "axpy" | "copy":
                w = self.part(width, self.base_of(v), write=True)
                first = f"{width}, {self.ch.pick(['2.0', 'u[1]'])}" if name == "axpy" else str(width)
                out = w and f"{name}({first}, {v}, {w})"
            case "total":
                r = self.scalar(v)
                out = r and f"total({v}, {r})"
            case "pick":
                r = self.scalar(v)
                out = r and f"pick({self.index(width)}, {width}, {v}, {r})"
            case "put":
                r = self.scalar(v)
                out = r and f"put({self.element(v)}, {r})"
            case "under":
                a = [b for b in self.buffers if self.is_ready(b) and b.base != self.base_of(v)]
                out = f"under({width}, {self.place(self.ch.pick(a)) if a else '2.0'}, {v})"
            case "first":
                self._first()
            case "toggle":
                self.emit("Cfg.on = True")
                out = f"toggle({v})"
            case _:
                out = f"{name}({v})"
        if out:
            self.emit(out)

    def square(self) -> None:
        """A call that takes two dimensions of a buffer, or all of it."""
        known = [b for b in self.writable() if len(b.shape) == 2 and self.is_ready(b)]
        whole = [b for b in known if b.name == "z"]
        if whole and self.ch.chance(50):
            if self.ch.chance(50):
                self.emit("if n > 1:")
                self.emit("    corner(z[0:2, 0:2])")
            else:
                self.emit("row(n, z)")
        elif known:
            b = self.ch.pick(known)
            lows = [self.index(n.minus(ONE)) for n in b.shape if _exceeds(n, 2)]
            if len(lows) == 2:
                self.emit(f"corner({self.at(b, [f'{lo}:{shifted_by(lo, Bound(2))}' for lo in lows])})")

    def element(self, part: str) -> str:
        """An element of the buffer that a window shows, maybe beside it."""
        base = self.base_of(part)
        return self.place(self.ch.pick([b for b in self.buffers if b.base == base]))

    def lend(self) -> None:
        """A call that needs only some of a local buffer, which is all that was written; or none of it."""
        name = self.ch.pick(["pick", "mark", "first", "late", "put", "zero", *["some"] * self.configs])
        if name == "put":
            a, r = self.alloc((), init=self.ch.chance(20)), self.scalar(None)
            self.emit(f"put({a.name}, {r})")
            return
        b = self.alloc((Bound(4),), init=self.ch.chance(15))
        of = f"{b.name}[0:4]"
        k = self.index(Bound(4))
        match name:
            case "pick":
                self.emit(f"{b.name}[{k}] = {self.value(1)}")
                self.emit(f"pick({k}, 4, {of}, {self.scalar(of)})")
            case "late":
                self.emit(f"late(4, {self.read()}, {of})")
                k = self.ch.pick(["1", "3"])
            case "zero":
                self.emit(f"zero({of})")
            case "some":
                self.emit(f"some(4, {of})")
                return
            case _:
                self.emit(f"{name}(4, {of}{', 2.0' if name == 'first' else ''})")
                k = "0"
        self.cells.append(f"{b.name}[{k}]")
        if self.ch.chance(70):
            self.emit(f"{self.place(self.ch.pick([x for x in self.writable() if x.base != b.name]))} = {b.name}[{k}]")

    def _first(self) -> None:
        """A call that needs unit stride: a part of a dense buffer along its last dimension."""
        dense = [b for b in self.writable() if b.shape and b.dense and self.is_ready(b)]
        if dense:
            b = self.ch.pick(dense)
            dims = [self.index(n) for n in b.shape[:-1]]
            lo = self.index(b.shape[-1])
            self.emit(f"first(1, {self.at(b, [*dims, f'{lo}:{shifted_by(lo, ONE)}'])}, 2.0)")

    # -- control ------------------------------------------------------------------------------------

    def limits(self, constant: bool = False) -> tuple[str, str, Bound, Bound]:
        """A loop's range as text and bounds. It may start anywhere, and may be empty."""
        options = [("0", "n", ZERO, N), ("0", "4", ZERO, Bound(4))]
        fixed = [
            ("0", "4", ZERO, Bound(4)),
            ("1", "4", ONE, Bound(4)),
            ("0", "1", ZERO, ONE),
            ("-2", "1", Bound(-2), ONE),
            ("2", "2", Bound(2), Bound(2)),
            ("3", "1", Bound(3), ONE),
            ("0", "6", ZERO, Bound(6)),
            ("2", "4", Bound(2), Bound(4)),
        ]
        if constant:
            return self.ch.pick(fixed)
        symbolic = [
            ("1", "n", ONE, N),
            ("0", "n - 1", ZERO, N.minus(ONE)),
            ("n - 2", "n", N.minus(Bound(2)), N),
            ("0", "n / 2", ZERO, N),
            ("-1", "n", Bound(-1), N),
            ("0", "m", ZERO, M),
            ("n", "2 * n", N, N.plus(N)),
        ]
        inner = [
            x
            for r in self.ranges[-2:]
            for x in (
                (r.text, "n", r.lo, N),
                ("0", shifted(r.text, 1), ZERO, r.hi),
                (r.text, shifted(r.text, 2), r.lo, r.hi.plus(ONE)),
                ("0", r.text, ZERO, r.hi.minus(ONE)),
            )
        ]
        if self.configs and self.ch.chance(12):
            return self.ch.pick([("0", "Cfg.width", ZERO, FAR), ("0", "Cfg.mode % 3", ZERO, Bound(2))])
        kind = self.ch.weighted({"common": 5, "symbolic": 3, "fixed": 3, "inner": 2})
        return self.ch.pick({"common": options, "symbolic": symbolic, "fixed": fixed, "inner": inner or options}[kind])

    @contextmanager
    def loop(self, limits: tuple[str, str, Bound, Bound] | None = None, use: bool = True) -> Iterator[str]:
        """A loop; with `use` false its body does not see the iterator."""
        lo, hi, least, end = limits or self.limits()
        i = next(n for n in ITERATORS if n not in self.names)
        with self.inside(f"for {i} in seq({lo}, {hi}):", *([Range(i, least, end)] if use else [])):
            self.names.add(i)
            yield i

    def condition(self, fickle: bool = False) -> tuple[str, list[Range], list[Range]]:
        """A condition, and what it tells about control values where it holds and where not. With `fickle` one
        that code may change."""
        if self.ch.chance(80):
            return self.test(fickle)
        one, yes, no = self.test(fickle)
        joint = self.ch.pick(["and", "or"])
        ranges, self.ranges = self.ranges, [*self.ranges, *(yes if joint == "and" else no)]
        two, again, never = self.test(fickle)  # need only make sense if the first part does not decide
        self.ranges = ranges
        known = ([*yes, *again], []) if joint == "and" else ([], [*no, *never])
        return f"{one} {joint} {two}", *known

    def test(self, fickle: bool) -> tuple[str, list[Range], list[Range]]:
        """A condition without `and` and `or`; see `condition`."""
        kinds = {"data": 2} if fickle else {"bound": 5, "equal": 3, "parity": 1, "data": 2, "stride": 1, "guard": 1}
        if self.flags:
            kinds |= {"flag": 2}
        if self.configs:
            kinds |= {"config": 3}
        r = self.ch.pick(self.ranges[::-1]) if self.ranges else Range("n", ONE, N.plus(ONE))
        match self.ch.weighted(kinds):
            case "equal":
                return f"{r.text} == {self.ch.pick(['0', '1', 'n - 1'])}", [], []
            case "parity":
                return f"{parens(r.text)} % 2 == {self.ch.upto(1)}", [], []
            case "data":
                place = self.read()
                self.cells.append(place)
                return f"{place} < {self.ch.pick(['2.0', self.read()])}", [], []
            case "guard":
                return self.guarded(), [], []
            case "stride":
                b = self.ch.pick([b for b in self.buffers if b.shape])
                return f"stride({b.name}, {self.ch.upto(len(b.shape) - 1)}) == {self.ch.pick(['1', '2', 'n'])}", [], []
            case "flag":
                return self.ch.pick(self.flags), [], []
            case "config":
                return self.ch.pick(["Cfg.mode == 1", "Cfg.on", "Cfg.mode < n", "not Cfg.on"]), [], []
            case _:
                return self._bound(r)

    def guarded(self) -> str:
        """A condition whose second part may have no value where the first decides."""
        y, x = self.read(), self.read()
        options = [
            f"({y} != 0.0 and {x} / {y} < 3.0)", f"({y} == 0.0 or {x} / {y} < 2.0)",
            f"({y} >= 0.0 and sqrt({y}) < 2.0)", f"({y} <= 0.0 or log({y}) < 1.0)",
        ]  # fmt: skip
        return self.ch.pick(options)

    def _bound(self, r: Range) -> tuple[str, list[Range], list[Range]]:
        end = self.ch.pick([N.minus(ONE), N, Bound(2), ONE, ZERO, Bound(3)])
        if not r.text.isidentifier():  # a config field, which may change
            return f"{r.text} < {end}", [], []
        return f"{r.text} < {end}", [Range(r.text, r.lo, end)], [Range(r.text, end, r.hi)]

    def branch(self, size: int = 2, fickle: bool = False) -> None:
        """An `if`, sometimes with an else branch."""
        cond, yes, no = self.condition(fickle)
        with self.inside(f"if {cond}:", *yes):
            self.block(size)
        if self.ch.chance(40):
            with self.inside("else:", *no):
                self.block(size)

    # -- random blocks ------------------------------------------------------------------------------

    def block(self, most: int = 3, leaves: bool = False) -> None:
        """One statement or a few."""
        for _ in range(1 + self.ch.upto(most - 1)):
            self.stmt(leaves)

    def stmt(self, leaf: bool = False) -> None:
        """A random statement: a simple one when fuel or depth runs out."""
        self.fuel -= 1
        kinds = {"leaf": 8}
        if not leaf and self.fuel > 0 and self.depth < 5:
            kinds |= {"loop": 4, "branch": 3, "alloc": 2, "call": 1, "window": 1}
            if self.configs:
                kinds |= {"config": 2, "call": 2}
        match self.ch.weighted(kinds):
            case "loop":
                with self.loop():
                    self.block(2)
            case "branch":
                self.branch()
            case "alloc":
                self.alloc()
                self.stmt(leaf=True)
            case "call":
                self.call()
            case "window":
                self.window()
                self.stmt(leaf=True)
            case "config":
                self.configure()
            case _:
                self.leaf()


def _exceeds(n: Bound, k: int) -> bool:
    least = n.least()
    return least is not None and least >= k


def _room(n: Bound, width: Bound) -> bool:
    least = n.minus(width).least()
    return least is not None and least >= 0


def shifted_by(text: str, by: Bound) -> str:
    """The text of a sum with a bound."""
    if by.a == by.b == 0:
        return str(int(text) + by.c) if text.lstrip("-").isdigit() else shifted(text, by.c)
    return str(by) if text == "0" else f"{text} + {by}"

