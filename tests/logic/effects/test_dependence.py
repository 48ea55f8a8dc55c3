"""When two instances of code touch one location: exact on affine programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir.span import Span
from exo_strat.logic.effects.accesses import Access, effects, move
from exo_strat.logic.effects.dependence import Clash, Safe, Verdict, commuting
from exo_strat.logic.forms.formula import Lin, V
from exo_strat.logic.questions.safety import interchange, parallel

ROOT = (("body", 0),)


class Side(NamedTuple):
    """An access `x[a*i + b*j + c]`, where `i % m == r` if m > 1."""

    kind: str
    a: int
    b: int
    c: int
    m: int
    r: int

    def lines(self) -> list[str]:
        place = f"x[{self.a} * i + {self.b} * j + {self.c}]"
        stmt = {"R": f"y[i, j] = {place}", "W": f"{place} = y[i, j]", "A": f"{place} += y[i, j]"}[self.kind]
        return [f"if i % {self.m} == {self.r}:", f"    {stmt}"] if self.m > 1 else [stmt]

    def places(self, i: int, j: int) -> Iterator[int]:
        if i % self.m == self.r % self.m:
            yield self.a * i + self.b * j + self.c


class Nest(NamedTuple):
    """Two loops around two accesses."""

    n: int
    lo: int
    hi: int
    body: tuple[Side, Side]

    def text(self) -> str:
        head = ["def foo(x: f32[40], y: f32[4, 4]):", f"    for i in seq(0, {self.n}):"]
        head.append(f"        for j in seq({self.lo}, {self.hi}):")
        return "\n".join([*head, *("            " + line for side in self.body for line in side.lines())])

    def instances(self) -> list[tuple[int, int]]:
        return list(product(range(self.n), range(self.lo, self.hi)))

    def clash_between(self, one: tuple[int, int], two: tuple[int, int], order_free: bool) -> bool:
        """Whether two instances touch one location in a way that does not commute."""
        for a, b in product(self.body, repeat=2):
            free = a.kind == b.kind == "R" or (order_free and a.kind == b.kind == "A")
            if not free and not set(a.places(*one)).isdisjoint(b.places(*two)):
                return True
        return False


sides = st.builds(
    Side, st.sampled_from("RWA"), st.integers(-2, 3), st.integers(-2, 3), st.integers(12, 16), st.integers(1, 2),
    st.integers(0, 1),
)  # fmt: skip
nests = st.builds(Nest, st.integers(1, 4), st.integers(0, 1), st.integers(1, 4), st.tuples(sides, sides))

Instance = tuple[int, int]
RELATIONS: dict[str, tuple[Callable[..., Verdict], Callable[[Instance, Instance], bool], bool]] = {
    "interchange": (interchange, lambda p, q: p[0] < q[0] and p[1] > q[1], True),
    "parallel": (parallel, lambda p, q: p[0] != q[0], False),
}


@pytest.mark.parametrize("question", RELATIONS)
@given(nests)
def test_safe_exactly_if_no_two_instances_clash(question: str, nest: Nest) -> None:
    ask, related, order_free = RELATIONS[question]
    verdict = ask(proc_from_source(nest.text()).tree, ROOT)
    pairs = [(p, q) for p, q in product(nest.instances(), repeat=2) if related(p, q)]
    clashes = [(p, q) for p, q in pairs if nest.clash_between(p, q, order_free)]
    assert isinstance(verdict, Safe) == (not clashes)
    if isinstance(verdict, Clash):
        shown = verdict.counterexample
        assert shown is not None
        both = (shown["i"], shown["i'"])
        # `j` is shown if its values matter.
        assert any((p[0], q[0]) == both and shown.get("j", p[1]) == p[1] for p, q in clashes)


def clash_of(body: str, at: int = 0) -> Clash:
    """Why the loop at a position of a procedure may not run in parallel."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    tree = proc_from_source(f"def foo(n: size, m: size, flag: bool, x: f32[n], y: f32[n], z: [f32][n]):\n{lines}").tree
    verdict = parallel(tree, (("body", at),))
    assert isinstance(verdict, Clash)
    return verdict


def test_a_counterexample_shows_the_sizes_and_what_the_accesses_and_guards_are_about() -> None:
    c = clash_of("for i in seq(0, n):\n    x[i / 2] = y[i]")
    assert c.counterexample == {"n": 2, "m": 1, "i": 1, "i'": 0}
    assert c.details == "one writes x[i / 2], the other writes x[i / 2]"
    c = clash_of("for i in seq(0, n):\n    if flag:\n        z[0] = y[i]")
    assert c.counterexample == {"n": 2, "m": 1, "flag": 1, "i": 1, "i'": 0}


def test_what_need_not_happen_has_no_counterexample() -> None:
    c = clash_of("for i in seq(0, n):\n    if y[0] < 1.0:\n        x[0] = y[i]")
    assert c.counterexample is None and "writes x[0]" in c.details


def test_a_sure_clash_is_shown_before_one_that_need_not_happen() -> None:
    c = clash_of("for i in seq(0, n):\n    if y[0] < 1.0:\n        x[0] = y[i]\n    x[0] += 1.0")
    assert c.counterexample == {"n": 2, "m": 1, "i": 1, "i'": 0}
    assert c.details == "one accumulates into x[0], the other accumulates into x[0]"


def test_no_counterexample_where_control_may_never_get() -> None:
    tree = proc_from_source("""
    def foo(n: size, x: f32[n]):
        if x[0] < 1.0:
            for i in seq(0, n):
                x[0] = 1.0
    """).tree
    verdict = parallel(tree, (*ROOT, ("body", 0)))
    assert isinstance(verdict, Clash) and verdict.counterexample is None


def test_iterations_move_with_their_accesses() -> None:
    tree = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0").tree
    (write,) = effects(tree, Span((), "body", 0, 1))
    (i,) = write.iters
    other: Access = move(write, {i: Lin.of(V(i.sym, "7"))})
    assert other.iters == (V(i.sym, "7"),) and other.index == (Lin.of(V(i.sym, "7")),)


def test_only_accumulations_by_one_operator_commute() -> None:
    tree = proc_from_source("def foo(s: f32):\n    s += 1.0\n    s += s").tree
    add, read, _ = effects(tree, Span((), "body", 0, 2))
    assert commuting(add, add) and commuting(read, read)
    assert not commuting(add, replace(add, op="max")) and not commuting(add, read)
    assert not commuting(replace(add, kind="W"), replace(add, kind="W"))


def test_calls_are_shown_by_their_name() -> None:
    set_first = proc_from_source("def set_first(a: [f32][4]):\n    for k in seq(0, 2):\n        a[k] = 0.0")
    text = "def foo(n: size, x: f32[n + 4]):\n    for i in seq(0, n):\n        set_first(x[i:i + 4])"
    verdict = parallel(proc_from_source(text, {"set_first": set_first}).tree, ROOT)
    assert isinstance(verdict, Clash) and verdict.counterexample == {"n": 2, "i": 1, "i'": 0}
    assert verdict.details == "one writes x in a call of set_first, the other writes x in a call of set_first"
