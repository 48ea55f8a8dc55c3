"""Whether what is read was surely written before: exact on affine programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import ProcDef
from exo_strat.ir.span import Span
from exo_strat.logic.effects.accesses import Tick
from exo_strat.logic.effects.contents import covered
from exo_strat.logic.effects.coverage import before
from exo_strat.logic.effects.dependence import Clash, Safe, Verdict
from exo_strat.logic.forms.formula import FALSE, TRUE, Lin, V, disj, eq, lt

CFG = Config("CFG", pmap({"k": types.index}))
FILL = proc_from_source("""
def fill(m: size, flag: bool, w: [f32][m]):
    for i in seq(0, m):
        w[i] = 0.0
    if flag:
        w[0] = 1.0
""")


def tree(body: str) -> ProcDef:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    args = "n: size, m: size, flag: bool, a: f32[n + 4], y: f32[n + 4]"
    return proc_from_source(f"def foo({args}):\n{lines}", {"CFG": CFG, "fill": FILL}).tree


def ask(body: str) -> Verdict:
    """Whether each read of `a` is covered."""
    t = tree(body)
    return covered(t, Span((), "body", 0, len(t.body)), next(x.sym for x in t.args if x.sym.name == "a"))


READ_ALL = "for i in seq(0, n):\n    y[i] = a[i]"

COVERED = {
    "the same loop": "for i in seq(0, n):\n    a[i] = 0.0\n    y[i] = a[i]",
    "a loop before": "for j in seq(0, n):\n    a[j] = 0.0\n" + READ_ALL,
    "the other way round": "for j in seq(0, n):\n    a[n - 1 - j] = 0.0\n" + READ_ALL,
    "more than is read": "for j in seq(0, n + 4):\n    a[j] = 0.0\nfor i in seq(0, n):\n    y[i] = a[i] + a[i + 2]",
    "two halves": "for j in seq(0, n / 2):\n    a[j] = 0.0\nfor j in seq(n / 2, n):\n    a[j] = 1.0\n" + READ_ALL,
    "even and odd": "for j in seq(0, n / 2 + 1):\n    a[2 * j] = 0.0\n    a[2 * j + 1] = 1.0\n" + READ_ALL,
    "tiles and a tail": """
for io in seq(0, n / 4):
    for ii in seq(0, 4):
        a[4 * io + ii] = 0.0
for ii in seq(0, n % 4):
    a[n / 4 * 4 + ii] = 0.0
""" + READ_ALL,
    "guarded tiles": """
for io in seq(0, (n + 3) / 4):
    for ii in seq(0, 4):
        if 4 * io + ii < n:
            a[4 * io + ii] = 0.0
""" + READ_ALL,
    "either branch": """
for j in seq(0, n):
    if j < m:
        a[j] = 0.0
    else:
        a[j] = 1.0
""" + READ_ALL,
    "an earlier iteration": "a[0] = 0.0\nfor i in seq(0, n):\n    a[i + 1] = 1.0\n    y[i] = a[i]",
    "the same bool condition": "if flag:\n    a[0] = 0.0\nif flag:\n    y[0] = a[0]",
    "a rotating buffer": "for i in seq(0, n):\n    a[i % 3] = 1.0\n    y[i] = a[i % 3]",
    "a triangle": "for i in seq(0, n):\n    for j in seq(0, i + 1):\n        a[j] = 0.0\n    y[i] = a[i / 2]",
    "through a window": "w = a[1:n + 1]\nfor i in seq(0, n):\n    w[i] = 0.0\n    y[i] = a[i + 1]",
    "by a call": "fill(n, True, a[0:n])\n" + READ_ALL,
    "by a call of which a part may not run": "fill(n, CFG.k == 2, a[0:n])\n" + READ_ALL,
    "an accumulation": "a[0] = 0.0\nfor i in seq(0, n):\n    a[0] += y[i]",
    "after a loop in any order": "for j in par(0, n):\n    a[j] = 0.0\n" + READ_ALL,
    "no read": "for i in seq(0, n):\n    if i < 0:\n        y[i] = a[i]",
}  # fmt: skip


@pytest.mark.parametrize("how", COVERED)
def test_covered(how: str) -> None:
    assert ask(COVERED[how]) == Safe()


ONE = {"n": 1, "m": 1}  # the sizes of every counterexample that needs no larger ones
UNCOVERED = {
    "never": (READ_ALL, {**ONE, "i": 0}),
    "only later": ("for i in seq(0, n):\n    y[i] = a[i]\n    a[i] = 0.0", {**ONE, "i": 0}),
    "by its own statement": ("a[0] = a[0] + 1.0", ONE),
    "one missing": ("for j in seq(0, n - 1):\n    a[j] = 0.0\n" + READ_ALL, {**ONE, "i": 0}),
    "one missing at the front": ("for j in seq(1, n):\n    a[j] = 0.0\n" + READ_ALL, {**ONE, "i": 0}),
    "the odd ones missing": ("for j in seq(0, n / 2 + 1):\n    a[2 * j] = 0.0\n" + READ_ALL, {**ONE, "n": 2, "i": 1}),
    "one branch only": ("for i in seq(0, n):\n    if i < m:\n        a[i] = 0.0\n    y[i] = a[i]",
                        {"n": 2, "m": 1, "i": 1}),
    "the first iteration": ("for i in seq(0, n):\n    if i > 0:\n        a[0] = 0.0\n    y[i] = a[0]",
                            {**ONE, "i": 0}),
    "a later iteration": ("for i in seq(0, n):\n    y[i] = a[i + 1]\n    a[i] = 0.0", {**ONE, "i": 0}),
    "under a bool": ("if flag:\n    a[0] = 0.0\ny[0] = a[0]", {**ONE, "flag": 0}),
    "accumulated only": ("a[0] += 1.0\ny[0] = a[0]", ONE),
    "a loop that may be empty": ("for j in seq(2, n):\n    a[0] = 0.0\ny[0] = a[0]", ONE),
}  # fmt: skip


@pytest.mark.parametrize("how", UNCOVERED)
def test_not_covered(how: str) -> None:
    body, example = UNCOVERED[how]
    verdict = ask(body)
    assert isinstance(verdict, Clash)
    assert verdict.obligation == "a is surely written before it is read"
    assert verdict.counterexample == example


DATA = """
    k: i32[n]
    for i in seq(0, n):
        k[i] = i32(y[i])
"""


def ask_data(body: str, *args: str) -> Verdict:
    """Whether each read of `a` is covered, where its place is an element of `k` that the procedure has written."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    given = ", ".join(("n: size", "y: f32[n]", *args))
    t = proc_from_source(f"def foo({given}):{DATA}{lines}").tree
    return covered(t, Span((), "body", 0, len(t.body)), next(x.sym for x in t.args if x.sym.name == "a"))


def test_a_read_somewhere_is_covered_by_writes_everywhere() -> None:
    read = "for i in seq(0, n):\n    y[i] = a[i, min(max(k[i], 0), 7)]"
    fill = "for i in seq({}, n):\n    for j in seq(0, {}):\n        a[i, j] = 0.0\n"
    assert ask_data(fill.format(0, 8) + read, "a: f32[n, 8]")
    assert ask_data(fill.format(0, "n + 7") + read, "a: f32[n, n + 7]")
    for lo, hi in ((0, 7), (1, 8)):
        verdict = ask_data(fill.format(lo, hi) + read, "a: f32[n, 8]")
        assert isinstance(verdict, Clash) and verdict.counterexample is None  # data say whether it is read
    assert not ask_data(read + "\n" + fill.format(0, 8), "a: f32[n, 8]")
    late = "for i in seq(0, n):\n    y[i] = a[i, min(max(k[i], 0), 7)]\n    a[i, 0] = 0.0"
    assert not ask_data(late, "a: f32[n, 8]")


MAYBE = {
    "under a condition on data": "if y[0] < 1.0:\n    a[0] = 0.0\ny[0] = a[0]",
    "under a condition on a config field": "if CFG.k == 1:\n    a[0] = 0.0\ny[0] = a[0]",
    "under the same one, which may have changed": """
if CFG.k == 1:
    a[0] = 0.0
CFG.k = 1
if CFG.k == 1:
    y[0] = a[0]
""",
    "as often as a config field says": "for i in seq(0, CFG.k):\n    a[0] = 0.0\ny[0] = a[0]",
    "where a config field says": "a[CFG.k % 2] = 0.0\ny[0] = a[0]",
    "read where a config field says": "a[0] = 0.0\ny[0] = a[CFG.k % 2]",
    "by a call that may do it": "fill(1, CFG.k == 1, a[1:2])\nif CFG.k == 2:\n    y[0] = a[0]",
    "through a window that a config field places": "w = a[CFG.k % 2:2]\nw[0] = 1.0\ny[0] = a[0]",
}


@pytest.mark.parametrize("how", MAYBE)
def test_writes_that_need_not_happen_cover_nothing(how: str) -> None:
    verdict = ask(MAYBE[how])
    assert isinstance(verdict, Clash) and verdict.counterexample is None


def test_iterations_of_a_parallel_loop_come_in_no_order() -> None:
    body = "a[0] = 0.0\nfor i in {}(0, n):\n    a[i + 1] = 1.0\n    y[i] = a[i]"
    assert ask(body.format("seq")) == Safe()
    assert isinstance(ask(body.format("par")), Clash)


def test_times_are_compared_lexicographically() -> None:
    i, j = Lin.of(V(Sym("i", 1))), Lin.of(V(Sym("j", 2)))
    one, two = Tick(Lin(1)), Tick(Lin(2))
    assert before([one], [two]) == TRUE and before([two, one], [one, two]) == FALSE
    assert before([Tick(i), one], [Tick(j), two]) == disj(lt(i, j), eq(i, j))
    assert before([Tick(i, False), one], [Tick(j, False), two]) == eq(i, j)
    assert before([Tick(i, False), two], [Tick(j, False), one]) == FALSE


# -- by running ---------------------------------------------------------------------------------------

indices = st.builds(
    "{0} * i + {1} * j + {2}".format, st.integers(-1, 2), st.integers(-1, 2), st.integers(6, 9)
)  # fmt: skip
guards = st.sampled_from(["True", "i < 2", "j > 0", "i < j", "i % 2 == 0", "i + j != 2", "not i == j"])


@st.composite
def bodies(draw: st.DrawFn) -> list[str]:
    """Some loops, each around a guarded write of `x`, a read, or both."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines.append(f"for i in seq({draw(st.integers(0, 1))}, {draw(st.integers(1, 4))}):")
        lines.append(f"    for j in seq(0, {draw(st.sampled_from(['1', '2', '3', 'i', 'i + 1']))}):")
        for _ in range(draw(st.integers(1, 2))):
            place = f"x[{draw(indices)}]"
            stmt = draw(st.sampled_from([f"{place} = 1.0", f"{place} = 1.0", f"y = {place}", f"{place} += 1.0"]))
            lines += [f"        if {draw(guards)}:", f"            {stmt}"]
    return lines


@given(bodies())
def test_covered_exactly_if_no_run_reads_what_was_never_written(lines: list[str]) -> None:
    p = proc_from_source("def foo(x: f32[24], y: f32):\n" + "".join(f"    {line}\n" for line in lines))
    verdict = covered(p.tree, Span((), "body", 0, len(p.tree.body)), p.tree.args[0].sym)
    trap = run(p, {"x": [None] * 24, "y": 0}).trap
    assert isinstance(verdict, Safe) == (trap is None)
