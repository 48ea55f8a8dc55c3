"""What value reasoning licenses makes no difference to any run, for random producers and consumers.

The programs are made of what recomputation looks like, and of the ways in which it only seems to be one: tiles that
overlap, sums, chains of stages, guards, windows, config fields, temporaries; values that depend on the tile, inputs
that change, sums in the making; a temporary that all share. Each question is asked with and without value reasoning;
that it makes a difference often enough is part of the test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pmap

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import FrontendError
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.span import Span
from exo_strat.ir.types import Control, Scalar
from exo_strat.logic.questions import safety
from exo_strat.logic.questions.safety import Safe, Verdict

FIELDS: dict[str, Control | Scalar] = {"k": types.index, "d": types.f32}
LIB: dict[str, object] = {"CFG": Config("CFG", pmap(FIELDS))}
LIB["set_k"] = proc_from_source("def set_k(v: index):\n    CFG.k = v", LIB)
LIB["copy"] = proc_from_source("def copy(v: [f32][1], w: [f32][1]):\n    v[0] = w[0]", LIB)

Lines = list[str]
BUFFERS = "xbcy"


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


@dataclass(frozen=True)
class Stages:
    """Writes stages of computations, in terms of the outer iterators `outer` with their strides; with `shared`,
    values go through a temporary that all iterations use."""

    r: Random
    outer: str
    shared: bool = False

    def place(self, inner: str) -> str:
        return f"{self.outer} + {inner} + 4"

    def near(self, place: str) -> str:
        return f"{place} + {self.r.choice([0, 0, 1, 2])}" if self.r.random() < 0.8 else place.replace(self.outer, "3")

    def operand(self, place: str, sources: str) -> str:
        r = self.r
        if r.random() < 0.25:
            return r.choice(["s", "2.0", "CFG.d", "s"])
        return f"{r.choice(sources)}[{self.near(place)}]"

    def value(self, place: str, sources: str) -> str:
        a, b = self.operand(place, sources), self.operand(place, sources)
        return self.r.choice([a, f"{a} + {b}", f"{a} * {b} + s", f"fmax({a}, {b})"])

    def condition(self, inner: str) -> str:
        fixed = ["flag", "s < 2.0", "n > 1", f"{inner} < 2", f"{self.outer} + {inner} < 3", f"{self.outer} > 0"]
        return self.r.choice([*fixed, "CFG.k == 1"])

    def through_temporary(self, to: str) -> Lines:
        """A value that goes through the temporary; sometimes that of another iteration."""
        r = self.r
        fill = [f"t = {self.value(to, 'xb')}"] if r.random() < 0.85 else []
        more = [f"t {r.choice(['+=', '*='])} s"] if r.random() < 0.3 else []
        return [*fill, *more, f"{to} = t"]

    def through_scalars(self, t: str, u: str, to: str, place: str, sources: str) -> Lines:
        """A value that goes through two scalars of the iteration, of which one may be set once more."""
        r, fill = self.r, [f"{v} = {self.value(place, sources)}" for v in (u, t)]
        again = [f"{u} = {self.value(place, sources)}"] if r.random() < 0.4 else []
        more = [f"{t} += {r.choice([u, f'x[{place}]'])}"] if r.random() < 0.5 else []
        return [f"{t}: f32", f"{u}: f32", *fill, *again, *more, f"{to} = {r.choice([t, f'{t} + {u}'])}"]

    def producer(self, to: str, sources: str, inner: str) -> Lines:
        """A loop that computes some places of a buffer."""
        r, width = self.r, self.r.choice([2, 3, 4])
        place = self.place(inner if r.random() < 0.8 else f"{width} - {inner}")
        store = [f"{to}[{place}] = {self.value(place, sources)}"]
        kinds = ["sum", "sum", "later", "select", "bare", "guard", "guarded sum", "local", "call", "window"]
        match "shared" if self.shared else r.choice(["plain"] * 4 + kinds):
            case "sum":
                i = f"{inner}k"
                more = f"{to}[{place}] {r.choice(['+=', '*='])} x[{r.choice([f'{place} + {i}', i, place])}]"
                store += [f"for {i} in seq(0, {r.choice(['3', f'{inner} + 1', '2'])}):", f"    {more}"]
            case "later":
                store += [f"y[{self.near(place)}] = {to}[{place}]", f"{to}[{place}] += s"]
            case "bare":
                store = [f"{to}[{place}] += {self.value(place, sources)}"]
            case "guard":
                store = [f"if {self.condition(inner)}:", *indented(store)]
            case "select":
                other = f"{to}[{place}] = {self.value(place, sources)}"
                asked = r.choice([f"x[{place}] < 3.0", f"x[{self.near(place)}] < 2.0", f"y[{place}] < 2.0", "flag"])
                store = [f"if {asked}:", *indented(store), "else:", f"    {other}"]
            case "guarded sum":
                store += [f"if {self.condition(inner)}:", f"    {to}[{place}] += {self.value(place, 'x')}"]
            case "local":
                store = self.through_scalars(f"t{inner}", f"u{inner}", f"{to}[{place}]", place, sources)
            case "call":
                at = self.near(place)
                store = [f"copy({to}[{place}:{place} + 1], x[{at}:{at} + 1])"]
            case "shared":
                store = self.through_temporary(f"{to}[{place}]")
            case "window":
                store = [f"w{inner} = {to}[{place}:{place} + 1]", f"w{inner}[0] = {self.value(place, sources)}"]
            case _:
                pass
        return [f"for {inner} in seq(0, {width}):", *indented(store)]

    def disturb(self) -> Lines:
        """What may spoil it: another write to what is read or written."""
        r = self.r
        target = f"{r.choice('xbcy')}[{self.place(r.choice('012'))}]"
        return r.choice([[f"{target} {r.choice(['=', '+='])} {r.choice(['s', '1.0', target])}"], self.config()])

    def config(self) -> Lines:
        return [self.r.choice(["CFG.k = 1", "set_k(n)", "CFG.k = 1", f"CFG.k = {self.outer}", "CFG.d = s", "set_k(2)"])]

    def produce(self) -> Lines:
        r = self.r
        lines = self.config() if r.random() < 0.2 else []
        lines += self.disturb() if r.random() < 0.1 else []
        if r.random() < 0.3:
            lines += self.producer("c", "xxxc", "a")
            lines += self.producer("b", "cccx", "e")
        else:
            lines += self.producer("b", r.choice(["x", "x", "xb"]), "e")
        return lines + (self.disturb() if r.random() < 0.1 else [])

    def consume(self) -> Lines:
        r = self.r
        place = self.place("g")
        use = [f"y[{place}] {r.choice(['=', '+='])} {self.value(place, r.choice(['b', 'b', 'bx', 'bc']))}"]
        if self.shared:
            use = self.through_temporary(f"y[{place}]")
        if r.random() < 0.25:
            use = [f"if {self.condition('g')}:", *indented(use)]
        lines = [f"for g in seq(0, {r.choice([1, 2, 3])}):", *indented(use)]
        return (self.disturb() if r.random() < 0.12 else []) + lines


def proc(lines: Lines) -> Proc | None:
    head = "def foo(n: size, flag: bool, s: f32, " + ", ".join(f"{v}: f32[24]" for v in BUFFERS) + "):\n"
    try:
        return proc_from_source(head + "    assert n <= 3\n" + "\n".join(indented(["t: f32", *lines])), LIB)
    except FrontendError:
        return None


def loop(i: str, *parts: Lines, bounds: str = "0, n") -> Lines:
    return [f"for {i} in seq({bounds}):", *(line for part in parts for line in indented(part))]


def same(p: Proc, q: Proc) -> bool:
    data = {v: [(k * k + 3 * j) % 11 - 2 for k in range(24)] for j, v in enumerate(BUFFERS)}
    for n, (flag, s), k in product((1, 3), ((False, 1), (True, 1), (True, 3)), (0, 1)):
        one, two = (run(x, {"n": n, "flag": flag, "s": s, **data}, {"CFG.k": k, "CFG.d": 5}) for x in (p, q))
        if not one.trap and (two.trap or (one.outputs, one.configs) != (two.outputs, two.configs)):
            return False
    return True


def strictly(question: Callable[[], Verdict]) -> Verdict:
    """The answer without value reasoning."""
    with pytest.MonkeyPatch.context() as patch:
        for excuse in ("recomputation", "exchange", "private"):
            patch.setattr(safety, excuse, lambda *_: lambda *_: False)
        return question()


def check(question: Callable[[], Verdict], p: Proc, q: Proc, tally: Counter[str]) -> None:
    safe, plain = (isinstance(verdict, Safe) for verdict in (question(), strictly(question)))
    assert safe or not plain
    tally["licensed" if safe and not plain else "plain" if plain else "refused"] += 1
    if safe:
        assert same(p, q), f"{p}\n{q}"


SEEDS = st.integers(0, 2**32 - 1)
FIRST, SECOND = (("body", 1),), (("body", 2),)  # the temporary is allocated before


def enough(once: Callable[[int], None], tally: Counter[str]) -> None:
    """Runs a test on random programs, and asks that all kinds of answers occur."""
    given(SEEDS)(once)()
    assert min(tally["licensed"], tally["refused"]) >= 5, tally


@pytest.mark.hypothesis
def test_producers_and_consumers_fused_and_split() -> None:
    tally: Counter[str] = Counter()

    def once(seed: int) -> None:
        r = Random(seed)
        stages = Stages(r, r.choice(["i", "2 * i", "3 * i"]), r.random() < 0.25)
        first, second = stages.produce(), stages.consume()
        end = ["y[0] += t"] if r.random() < 0.1 else []
        apart, together = proc([*loop("i", first), *loop("i", second), *end]), proc([*loop("i", first, second), *end])
        if apart is None or together is None:
            return
        body = apart.tree.body[1].body  # type: ignore[union-attr]
        check(lambda: safety.fuse(apart.tree, FIRST, SECOND), apart, together, tally)
        check(lambda: safety.fission(together.tree, FIRST, len(body)), together, apart, tally)

    enough(once, tally)


@pytest.mark.hypothesis
def test_iterations_interchanged() -> None:
    tally: Counter[str] = Counter()

    def once(seed: int) -> None:
        r = Random(seed)
        stages = Stages(r, r.choice(["i + j", "2 * i + j", "i + 2 * j", "i"]), r.random() < 0.25)
        body = stages.produce() + (stages.consume() if r.random() < 0.5 else [])
        p, q = (
            proc(loop(one, loop(two, body, bounds="0, 2"), bounds="0, 2")) for one, two in (("i", "j"), ("j", "i"))
        )
        if p is not None and q is not None:
            check(lambda: safety.interchange(p.tree, FIRST), p, q, tally)

    enough(once, tally)


@pytest.mark.hypothesis
def test_statements_exchanged() -> None:
    tally: Counter[str] = Counter()

    def once(seed: int) -> None:
        r = Random(seed)
        stages = Stages(r, "i", r.random() < 0.25)
        one, two = stages.produce(), (stages.produce() if r.random() < 0.8 else stages.consume())
        if r.random() < 0.4:
            two = one + (stages.disturb() if r.random() < 0.5 else [])
        p, q = proc(loop("i", one, two)), proc(loop("i", two, one))
        if p is not None and q is not None:
            k, n = (len(x.tree.body[1].body) for x in (proc(loop("i", one)), p) if x)  # type: ignore[union-attr]
            check(lambda: safety.commute(p.tree, Span(FIRST, "body", 0, k), Span(FIRST, "body", k, n)), p, q, tally)

    enough(once, tally)
