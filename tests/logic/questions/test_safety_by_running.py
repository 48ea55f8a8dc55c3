"""What the safety questions answer with `Safe` makes no difference to any run, for random small programs.

Each test asks about a program and runs it together with its rewritten form, for all small sizes, both
values of a bool argument and some values of config fields. What `Safe` must not mean is met often: windows,
calls, branches on data and config fields, writes of config fields, local buffers, loops of any kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyrsistent import pmap

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import FrontendError
from exo_strat.interp import Outcome, run
from exo_strat.ir import build as b
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Assign, For, Interval
from exo_strat.ir.span import Span
from exo_strat.ir.types import Control, Scalar
from exo_strat.ir.walk import binders, get, walk
from exo_strat.logic.questions import safety
from exo_strat.logic.questions.safety import Safe, Verdict

FIELDS: dict[str, Control | Scalar] = {"k": types.index, "d": types.f32, "on": types.bool_}
LIB: dict[str, object] = {"CFG": Config("CFG", pmap(FIELDS))}
LIB["set_k"] = proc_from_source("def set_k(v: index):\n    CFG.k = v", LIB)
LIB["put"] = proc_from_source(
    """
    def put(k: index, on: bool, v: f32, w: [f32][4]):
        u = w[1:3]
        for i in seq(0, 2):
            if on:
                u[i] += v
            else:
                w[k % 4] = v
    """,
    LIB,
)
LIB["sum"] = proc_from_source(
    """
    def sum(k: index, w: [f32][8], s: f32):
        t: f32[2]
        for i in seq(0, 2):
            t[i] = w[i]
        put(k, CFG.k == k, t[1], w[2:6])
        s += t[0]
    """,
    LIB,
)

# -- random programs ----------------------------------------------------------------------------------

Lines = list[str]


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


@dataclass(frozen=True)
class Writer:
    """Writes random code over the control variables `names` and the buffers `buffers` of 24 numbers."""

    r: Random
    names: tuple[str, ...]
    buffers: str
    depth: int = 0

    def index(self) -> str:
        r = self.r
        if r.random() < 0.08:
            return "CFG.k % 4 + 10"
        terms = [r.choice(["", "", f"{v} + ", f"{v} + ", f"2 * {v} + ", f"-1 * {v} + "]) for v in self.names[:3]]
        affine = f"{''.join(terms)}{r.choice([9, 10, 10, 10, 11])}"
        return f"({affine}) / 2 + 5" if r.random() < 0.15 else affine

    def place(self) -> str:
        return "s" if self.r.random() < 0.2 else f"{self.r.choice(self.buffers)}[{self.index()}]"

    def value(self) -> str:
        fixed = ["0.0", "1.0", "2.5", "CFG.d"]
        return self.r.choice([self.r.choice(fixed), self.place(), self.place(), f"{self.place()} + {self.place()}"])

    def condition(self) -> str:
        fixed = ["flag", "not flag", "n == 2", "CFG.on", "CFG.k == n", "flag or CFG.on", f"{self.place()} < 3.0"]
        shapes = ["{} == 0", "{} < n - 1", "{} % 2 == 0", "{} == CFG.k", "{} > 0 and flag"]
        return self.r.choice([*fixed, *(c.format(v) for v in self.names for c in shapes * 2)])

    def statement(self) -> Lines:
        r, i = self.r, f"v{self.depth}"
        op, who = r.choice(["=", "=", "+="]), r.choice([*self.names, "1", "CFG.k"])
        base, at = r.choice(self.buffers), self.index()
        kinds = ["store"] * 5 + ["config", "set", "window", "local", "put", "sum"]
        match r.choice(kinds if self.depth == 2 else [*kinds, "if", "if", "if", "for", "for"]):
            case "store":
                return [f"{self.place()} {op} {self.value()}"]
            case "config":
                return [r.choice([f"CFG.k = {who}", f"CFG.d = {self.value()}", "CFG.on = flag"])]
            case "set":
                return [f"set_k({who})"]
            case "window":
                part, k = r.choice(["w[1:4]", "w[0:3]"]), r.randrange(3)
                return [f"w = {base}[{at} - 1:20]", f"u = {part}", f"{r.choice('uw')}[{k}] {op} {self.value()}"]
            case "local":
                return ["t: f32[2]", f"t[1] = {self.value()}", f"t[1] += {self.value()}", f"{self.place()} {op} t[1]"]
            case "put":
                return [f"put({who}, {self.condition()}, {self.value()}, {base}[{at}:{at} + 4])"]
            case "sum":
                return [f"sum({who}, {base}[{at}:{at} + 8], s)"]
            case "for":
                lo, hi = r.choice(["0", "0", "1", *self.names]), r.choice(["2", "n", "CFG.k", *self.names])
                inner = replace(self, names=(*self.names, i), depth=self.depth + 1)
                return [f"for {i} in {r.choice(['seq', 'seq', 'par'])}({lo}, {hi}):", *indented(inner.block())]
            case _:
                inner = replace(self, depth=self.depth + 1)
                lines = [f"if {self.condition()}:", *indented(inner.block())]
                return [*lines, "else:", *indented(inner.block())] if r.random() < 0.4 else lines

    def block(self) -> Lines:
        size = self.r.choice([1, 1, 2] if self.depth else [1, 1, 2, 3])
        return [line for _ in range(size) for line in self.statement()]


def block(names: tuple[str, ...] = ("i",), buffers: str = "xxy") -> st.SearchStrategy[Lines]:
    """Random blocks, by their seed: drawing each choice would take longer than the runs."""
    return st.integers(0, 2**32 - 1).map(lambda seed: Writer(Random(seed), names, buffers).block())


RANGES = st.sampled_from(["0, n", "0, 3", "1, n", "0, CFG.k"])
MODES = st.sampled_from(["seq", "seq", "seq", "par"])


def count(lines: Lines) -> int:
    """The statements of a block."""
    return sum(not line.startswith((" ", "else")) for line in lines)


def loop(i: str, bounds: str, *blocks: Lines, mode: str = "seq") -> Lines:
    return [f"for {i} in {mode}({bounds}):", *indented([line for lines in blocks for line in lines])]


def proc(lines: Lines) -> Proc:
    head = "def foo(n: size, flag: bool, s: f32, x: f32[24], y: f32[24]):\n    assert n <= 3\n"
    try:
        return proc_from_source(head + "\n".join(indented(lines)), LIB)
    except FrontendError:
        assume(False)
        raise


# -- comparison ---------------------------------------------------------------------------------------

X, Y = [7 * k % 11 - 2 for k in range(24)], [5 * k % 13 - 4 for k in range(24)]
SHUFFLES = (None, 1, 2, 3)


def runs(p: Proc, shuffle: int | None = None, **inputs: object) -> Iterator[Outcome]:
    for n, flag, k in product((1, 2, 3), (False, True), (0, 1, 2)):
        given: Mapping[str, object] = {"n": n, "flag": flag, "s": 3, "x": X, "y": Y, **inputs}
        yield run(p, given, {"CFG.k": k, "CFG.d": 17, "CFG.on": k == 1}, shuffle)


def same(p: Proc, q: Proc) -> bool:
    """Whether each run of q, in whatever order its parallel loops run, does what p does, if p does not trap."""
    return all(
        one.trap or (not two.trap and (one.outputs, one.configs) == (two.outputs, two.configs))
        for shuffle in SHUFFLES
        for one, two in zip(runs(p), runs(q, shuffle), strict=True)
    )


def check(verdict: Verdict, p: Proc, q: Proc) -> None:
    if isinstance(verdict, Safe) and not races(p):
        assert same(p, q), f"{p}\n{q}"


def races(p: Proc) -> bool:
    """Whether parallel loops of the program itself may race: then it means nothing."""
    loops = [path for path, node in walk(p.tree) if isinstance(node, For) and node.mode != "seq"]
    return not all(isinstance(safety.parallel(p.tree, path), Safe) for path in loops)


def sym(p: Proc, name: str) -> Sym:
    return next(s for s in binders(p.tree) if s.name == name)


ROOT = (("body", 0),)
few = settings(max_examples=settings().max_examples // 2)

# -- the questions ------------------------------------------------------------------------------------


@few
@given(block(("i", "j")), RANGES, RANGES, MODES)
def test_interchange(body: Lines, one: str, two: str, mode: str) -> None:
    p = proc(loop("i", one, loop("j", two, body, mode=mode)))
    check(safety.interchange(p.tree, ROOT), p, proc(loop("j", two, loop("i", one, body), mode=mode)))


@few
@given(block(("i", "j")))
def test_interchange_of_a_triangle(body: Lines) -> None:
    p = proc(loop("i", "0, n", loop("j", "0, i + 1", body)))
    check(safety.interchange(p.tree, ROOT), p, proc(loop("j", "0, n", loop("i", "j, n", body))))


@few
@given(block(), block(), RANGES, MODES)
def test_fission(one: Lines, two: Lines, bounds: str, mode: str) -> None:
    p = proc(loop("i", bounds, one, two, mode=mode))
    q = proc([*loop("i", bounds, one, mode=mode), *loop("i", bounds, two, mode=mode)])
    check(safety.fission(p.tree, ROOT, count(one)), p, q)


@few
@given(block(), block(), RANGES, MODES)
def test_fuse(one: Lines, two: Lines, bounds: str, mode: str) -> None:
    p = proc([*loop("i", bounds, one, mode=mode), *loop("i", bounds, two, mode=mode)])
    check(safety.fuse(p.tree, ROOT, (("body", 1),)), p, proc(loop("i", bounds, one, two, mode=mode)))


@few
@given(block(), block())
def test_commute(one: Lines, two: Lines) -> None:
    k, n = count(one), count(one) + count(two)
    p, q = proc(loop("i", "0, n", one, two)), proc(loop("i", "0, n", two, one))
    check(safety.commute(p.tree, Span(ROOT, "body", 0, k), Span(ROOT, "body", k, n)), p, q)


@few
@given(block())
def test_parallel(body: Lines) -> None:
    p, q = (proc(loop("i", "0, n", body, mode=mode)) for mode in ("seq", "par"))
    check(safety.parallel(p.tree, ROOT), p, q)


@few
@given(block())
def test_idempotent(body: Lines) -> None:
    p, q = proc(loop("i", "0, n", body)), proc(loop("i", "0, n", body, body))
    check(safety.idempotent(p.tree, Span(ROOT, "body", 0, count(body))), p, q)


@few
@given(block(()))
def test_repeatable(body: Lines) -> None:
    p = proc(loop("i", "0, n", body))
    check(safety.repeatable(p.tree, ROOT), p, proc(body))


@few
@given(block(), st.integers(0, 2**32 - 1).map(lambda seed: Writer(Random(seed), ("i",), "xy").value()))
def test_unchanged(body: Lines, expression: str) -> None:
    p = proc(["before: f32", *loop("i", "0, n", [f"before = {expression}"], body, [f"s = {expression}"])])
    q = proc(["before: f32", *loop("i", "0, n", [f"before = {expression}"], body, ["s = before"])])
    inner = Span((("body", 1),), "body", 1, 1 + count(body))
    first = get(p.tree, (("body", 1), ("body", 0)))
    assert isinstance(first, Assign)
    check(safety.unchanged(p.tree, inner, first.rhs), p, q)


@few
@given(block(buffers="aax"), block(buffers="aax"), RANGES, MODES)
def test_carried(one: Lines, two: Lines, bounds: str, mode: str) -> None:
    p = proc(["a: f32[24]", *loop("i", bounds, one, two, mode=mode)])
    q = proc(loop("i", bounds, ["a: f32[24]"], one, two, mode=mode))
    check(safety.carried(p.tree, (("body", 1),), sym(p, "a")), p, q)


@few
@given(block((), "aax"), block(buffers="aax"), st.sampled_from(["9:11", "10:12", "10:n + 9", "i + 10:i + 11"]), MODES)
def test_initialised(one: Lines, two: Lines, window: str, mode: str) -> None:
    lo, hi = window.split(":")
    p, q = (
        proc(["a: f32[24]", *one, *loop("i", "0, n", two, look, mode=mode)])
        for look in (["s = 0.0"], [f"for k in seq({lo}, {hi}):", "    s = a[k]", "s = 0.0"])
    )
    path = (("body", 1 + count(one)),)
    interval = next(Interval(x.lo, x.hi) for _, x in walk(q.tree) if isinstance(x, For) and x.iter.name == "k")
    check(safety.initialised(p.tree, Span(path, "body", count(two), count(two) + 1), sym(p, "a"), [interval]), p, q)


# -- contents of arguments that start uninitialised ---------------------------------------------------

BLANK = [None] * 24


def cells(o: Outcome, name: str) -> list[object]:
    value = o.outputs[name]
    assert isinstance(value, tuple)
    return list(value)


@few
@given(block((), "xxy"))
def test_covered(body: Lines) -> None:
    p = proc(body)
    if isinstance(safety.covered(p.tree, Span((), "body", 0, count(body)), sym(p, "x")), Safe):
        for shuffle in SHUFFLES:
            for o, full in zip(runs(p, shuffle, x=BLANK), runs(p, shuffle), strict=True):
                assert full.trap or not o.trap


@few
@given(block((), "xxy"), st.integers(9, 10), st.integers(10, 12))
def test_fully_written(body: Lines, lo: int, hi: int) -> None:
    p = proc(body)
    window = [Interval(b.num(lo), b.num(hi))]
    if isinstance(safety.fully_written(p.tree, Span((), "body", 0, count(body)), sym(p, "x"), window), Safe):
        for o in runs(p, x=BLANK):
            assert o.trap or None not in cells(o, "x")[lo:hi]


@few
@given(block(), st.integers(2, 10), st.integers(11, 20))
def test_within(body: Lines, lo: int, hi: int) -> None:
    p = proc(loop("i", "0, n", body))
    window = [Interval(b.num(lo), b.num(hi))]
    if isinstance(safety.within(p.tree, Span(ROOT, "body", 0, count(body)), sym(p, "x"), window), Safe):
        part = [v if lo <= k < hi else None for k, v in enumerate(X)]
        for o, full in zip(runs(p, x=part), runs(p), strict=True):
            x = cells(o, "x")
            assert full.trap or (not o.trap and x[:lo] == part[:lo] and x[hi:] == part[hi:])
