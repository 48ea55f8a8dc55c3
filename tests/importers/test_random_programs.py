"""Random C functions: loops of every form, affine indices, branches, counters. What is imported does what C does."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exo_strat.testing import examples
from importers.c import ImportRefusedError

FORMS = (
    "for (int {i} = {lo}; {i} < {hi}; {i}++)",
    "for (int {i} = {lo}; {i} <= {hi}; {i} += 2)",
    "for (int {i} = {hi}; {i} > {lo}; {i}--)",
    "for (int {i} = {hi}; {i} >= {lo}; {i} -= 3)",
)
"""Loops from `lo` to `hi`, rising and falling."""


@dataclass
class Writer:
    """Writes one function: an array of each type, and what is in scope."""

    draw: st.DrawFn
    iterators: list[str] = field(default_factory=list)
    names: count[int] = field(default_factory=count)

    def one_of(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def number(self, lo: int, hi: int) -> int:
        return self.draw(st.integers(lo, hi))

    def index(self) -> str:
        """An affine index that is not negative."""
        parts = [f"{self.number(1, 3)} * {i}" for i in self.iterators if self.number(0, 2)]
        counter = ["k"] if self.number(0, 3) == 0 else []
        return " + ".join([*parts, *counter, str(self.number(0, 3))])

    def element(self) -> str:
        return f"{self.one_of('x', 'y', 'z', 'a')}[{self.index()}]"

    def value(self, depth: int = 2) -> str:
        """A number of any type."""
        if depth == 0 or self.number(0, 2) == 0:
            chosen = f"({self.condition()} ? {self.one_of('0.1', '0.1f', '2')} : 0.7f)"
            return self.one_of(self.element(), self.element(), "s", "2", "0.1", "0.7f", "1.5", chosen)
        a, b = self.value(depth - 1), self.value(depth - 1)
        both = self.one_of(f"({a} + {b})", f"({a} - {b})", f"({a} > {b} ? {a} : {b})")
        return self.one_of(both, both, f"{a} * 0.25", f"-({a})", f"(float){a}", f"fabs({a})")

    def condition(self) -> str:
        i = self.one_of(*self.iterators) if self.iterators else "n"
        control = self.one_of(f"{i} % 2 == 0", f"{i} > {self.number(0, 4)}", f"2 * {i} < n", f"{i} != n - 1")
        data = self.one_of(f"{self.element()} > 0.5", f"s <= {self.element()}", f"!(a[{self.index()}] < 3)")
        return self.one_of(control, data, f"{control} && {data}", f"{control} || {data}")

    def store(self) -> str:
        if self.number(0, 3) == 0:
            return f"a[{self.index()}] = (a[{self.index()}] / 3 - b[{self.index()}]) % 50;"
        target = self.one_of(f"x[{self.index()}]", f"y[{self.index()}]", f"z[{self.index()}]", "s")
        return f"{target} {self.one_of('=', '=', '+=', '-=')} {self.value()};"

    def statement(self, depth: int) -> str:
        """A statement; loops nest at most three deep."""
        kind = self.number(0, 5) if depth else 0
        if kind >= 4 and len(self.iterators) < 3:
            return self.loop(depth)
        if kind == 3:
            other = f" else {{ {self.block(depth - 1)} }}" if self.number(0, 1) else ""
            return f"if ({self.condition()}) {{ {self.block(depth - 1)} }}{other}"
        return self.store()

    def block(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.number(1, 2)))

    def loop(self, depth: int) -> str:
        i = f"i{next(self.names)}"
        lo = self.one_of("0", "1", *self.iterators[-1:])
        hi = self.one_of("n", "n - 1", "5", "n + 2")
        head = self.one_of(*FORMS).format(i=i, lo=lo, hi=hi)
        self.iterators.append(i)
        body = self.block(depth - 1)
        self.iterators.pop()
        counted = " k += 2;" if self.number(0, 3) == 0 and not self.iterators else ""
        return f"{head} {{ {body}{counted} }}"


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a C function `f`."""
    w = Writer(draw)
    body = " ".join(w.loop(3) for _ in range(w.number(1, 2)))
    sizes = 90
    arrays = f"float x[{sizes} + 12 * n], double y[{sizes} + 12 * n], double z[{sizes} + 12 * n]"
    whole = f"int a[{sizes} + 12 * n], const signed char b[{sizes} + 12 * n]"
    return f"#include <math.h>\ndouble f(int n, {arrays}, {whole}) {{ double s = 0; int k = 0; {body} return s; }}\n"


@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_random_program_does_what_it_does_in_c(roundtrip, source: str) -> None:
    roundtrip(source, "f", [{"n": n} for n in (1, 2, 5)], some=True)


INTEGERS = ("_Bool", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "size_t")
CONSTANTS = ("1", "-3", "7", "5u", "0u - 8", "2654435761u", "4294967295u", "-3L", "~7L", "(size_t)-1", "(_Bool)4")


@st.composite
def conversions(draw: st.DrawFn) -> str:
    """The text of a C function `f` that converts counters from type to type."""
    one_of = lambda *options: draw(st.sampled_from(options))  # noqa: E731

    def leaf() -> str:
        return one_of("i", "i", f"({one_of(*CONSTANTS)})", f"({one_of(*INTEGERS)})(i + 1)")

    lines = []
    for k in range(6):
        by = one_of("2", "3u", "4L", "5ul")
        value = one_of(
            f"{leaf()} {one_of(*'+-*')} {leaf()}", f"({leaf()} {one_of(*'+-*')} {leaf()}) {one_of(*'/%')} {by}"
        )
        masked = one_of(
            value, f"({value}) & {one_of('7', '~7u', '~0L')}", f"({leaf()} < {leaf()} ? {leaf()} : {leaf()})"
        )
        lines.append(f"x[6 * i + {k}] = ({one_of(*INTEGERS)})({masked});")
    counter, result = one_of("int", "unsigned", "long", "size_t"), one_of("int", "unsigned", "long", "double")
    loop = f"for ({counter} i = 0; i < n; i++) {{ {' '.join(lines)} }}"
    return f"#include <stddef.h>\nvoid f(int n, {result} x[6 * n]) {{ {loop} }}\n"


@settings(max_examples=examples(6), suppress_health_check=list(HealthCheck))
@given(conversions())
def test_conversions_of_counters_are_those_of_c(roundtrip, source: str) -> None:
    with suppress(ImportRefusedError):
        roundtrip(source, "f", [{"n": n} for n in (1, 5)], some=True)
