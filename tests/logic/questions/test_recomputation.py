"""Whether code may run once more, or once less: the questions, asked of small procedures.

The code that is asked about is the loop over `i`, or stands between two `pass` statements.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.exprs import parse_expr
from exo_strat.frontend.scope import scope_at
from exo_strat.ir import build as b
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.nodes import Expr, For, Pass, ProcDef
from exo_strat.ir.span import Span
from exo_strat.ir.walk import Path, walk
from exo_strat.logic.effects.dependence import Clash, Readiness, Safe, Verdict
from exo_strat.logic.questions.evaluation import has_value
from exo_strat.logic.questions.recomputation import TILE, first_suffices, overlap, same_body

CFG = Config("CFG", pmap({"k": types.index, "on": types.bool_, "v": types.f32}))
PUT = proc_from_source("def put(w: [f32][4], v: f32):\n    w[0] = v")


def tree(body: str) -> ProcDef:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    text = f"def foo(n: size, flag: bool, x: f32[n + 16], y: f32[n + 16], s: f32):\n{lines}"
    return proc_from_source(text, {"CFG": CFG, "put": PUT}).tree


def loops(t: ProcDef, name: str = "i") -> list[Path]:
    return [path for path, n in walk(t) if isinstance(n, For) and n.iter.name == name]


def block(t: ProcDef) -> Span:
    """The statements between the two `pass`es."""
    found = [p for p, node in walk(t) if isinstance(node, Pass)]
    (label, lo), (_, hi) = found[0][-1], found[1][-1]
    assert lo is not None and hi is not None
    return Span(found[0][:-1], label, lo + 1, hi)


def safe(verdict: Verdict) -> bool:
    assert isinstance(verdict, Safe | Clash)
    return isinstance(verdict, Safe)


# -- overlapping tiles --------------------------------------------------------------------------------


def in_tiles(body: str, count: int = 2, step: int = 3, bounds: str = "0, 10") -> Verdict:
    """Whether the body, in a loop of ten iterations, may run in tiles."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    t = tree(f"for i in seq({bounds}):\n{lines}")
    (path,) = loops(t)
    return overlap(t, path, b.ZERO, b.num(count), step)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x[i] = y[i]", True),
        ("x[i + 1] = x[i]", True),
        ("x[i] = x[i + 1]", False),
        ("x[i] += 1.0", False),
        ("x[i] = 0.0\nfor j in seq(0, 3):\n    x[i] += y[j]", True),
        ("x[i] = 0.0\nfor j in seq(0, 3):\n    x[i + 1] += y[j]", False),
        ("s = y[i]\nx[i] = s", True),
        ("x[i] = s\ns = y[i]", False),
        ("CFG.v = y[i]\nx[i] = CFG.v", True),
        ("x[i] = CFG.v\nCFG.v = y[i]", False),
        ("w = y[i:i + 4]\nput(w, x[i])", True),
        ("w = y[i:i + 4]\ns = y[i + 1]\nput(w, s)", False),
    ],
)
def test_shared_iterations_done_again(body: str, expected: bool) -> None:
    assert safe(in_tiles(body)) == expected


def test_what_two_tiles_share() -> None:
    body = "y[i] = x[i + 2]\nx[i] = 0.0"  # wrong once iterations i and i + 2 are shared
    assert not safe(in_tiles(body, 2, 3))  # four are
    assert safe(in_tiles(body, 2, 4))  # two are
    assert safe(in_tiles("x[i] += 1.0", 5, 2))  # none is
    assert safe(in_tiles("x[i] += 1.0", 1, 3))  # there is one tile


def test_a_counterexample_has_the_tile_and_the_iteration() -> None:
    verdict = in_tiles("x[i] = x[i + 1]", 2, 3, "5, 15")
    assert isinstance(verdict, Clash) and verdict.counterexample is not None
    assert verdict.counterexample[TILE] == 1 and 8 <= verdict.counterexample["i"] < 12


def test_bounds_that_may_change() -> None:
    assert safe(in_tiles("x[i % 3] = y[i % 3]", bounds="0, CFG.k"))
    assert not safe(in_tiles("x[i % 3] += 1.0", bounds="CFG.k, 10"))


# -- equal bodies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("x[i] = y[i]", "x[i] = y[i]", True),
        ("x[i] = y[i]", "x[1 + i] = y[i]", False),
        ("x[i + 1] = y[i]", "x[1 + i] = y[2 * i - i]", True),
        ("x[i] = y[i] + 1.0", "x[i] = 1.0 + y[i]", False),  # data is compared as it is written
        ("x[i % 8] = 1.0", "x[i - 8] = 1.0", True),  # for 8 <= i < 12
        ("if i < 12:\n    x[i] = 1.0", "if 0 < 1:\n    x[i] = 1.0", True),
        ("if flag:\n    x[i] = 1.0", "if not flag:\n    x[i] = 1.0", False),
        ("if CFG.on:\n    x[i] = 1.0", "if CFG.on:\n    x[i] = 1.0", True),
        ("if CFG.k == 1:\n    x[i] = 1.0", "if 1 == CFG.k:\n    x[i] = 1.0", False),
        ("a: f32\na = y[i]\nx[i] = a", "e: f32\ne = y[i]\nx[i] = e", True),
        ("a: f32\na = y[i]\nx[i] = a", "e: f32\ne = y[i]\nx[i] = s", False),
        ("a: f32\ne: f32\na = 1.0\ne = 2.0\nx[i] = a", "a: f32\ne: f32\na = 1.0\ne = 2.0\nx[i] = e", False),
        ("w = x[i:i + 4]\nw[0] = 1.0", "v = x[i:i + 4]\nv[0] = 1.0", True),
        ("w = x[i:i + 4]\nw[0] = 1.0", "w = x[i:i + 3]\nw[0] = 1.0", False),
        ("CFG.k = i", "CFG.k = i", True),
        ("CFG.on = flag", "CFG.k = i", False),
        ("for j in seq(0, i):\n    x[j] = 1.0", "for l in seq(0, i):\n    x[l] = 1.0", True),
        ("for j in seq(0, i):\n    x[i] = 1.0", "for l in seq(0, i):\n    x[l] = 1.0", False),
        ("put(x[i:i + 4], 1.0)", "put(x[i:i + 4], s)", False),
        ("x[i] = relu(y[i])", "x[i] = relu(y[i])", True),
    ],
)
def test_bodies(one: str, two: str, expected: bool) -> None:
    def body(text: str) -> str:
        return "".join(f"    {line}\n" for line in text.splitlines())

    t = tree(f"for i in seq(0, 8):\n{body(one)}for i in seq(8, 12):\n{body(two)}")
    assert safe(same_body(t, *loops(t))) == expected


# -- only the first time ------------------------------------------------------------------------------


def only_first(body: str, loop: str = "i", head: str = "for i in seq(1, n):") -> Verdict:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    t = tree(f"{head}\n{lines}")
    return first_suffices(t, loops(t, loop)[0], block(t))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass\ns = 1.0\npass\nx[i] = s", True),
        ("pass\ns = y[0]\npass\nx[i] = s", True),
        ("pass\ns = y[0]\npass\ny[i] = s", True),  # y[0] is written in no iteration
        ("pass\ns = y[2]\npass\ny[i] = s", False),
        ("pass\ns = y[i]\npass\nx[i] = s", False),
        ("pass\ns += 1.0\npass\nx[i] = s", False),
        ("pass\ns = 0.0\ns += y[0]\npass\nx[i] = s", True),
        ("pass\ns = 0.0\npass\ns += y[i]", False),
        ("pass\nCFG.v = y[0]\npass\nx[i] = CFG.v", True),
        ("pass\nCFG.v = y[0]\npass\nCFG.v = x[i]", False),
        ("s = 2.0\npass\ns = 1.0\npass\nx[i] = s", False),
        ("if i == 1:\n    y[0] = 3.0\npass\ns = y[0]\npass\nx[i] = s", True),  # only ever before
        ("pass\ns = y[0]\npass\nif i == 1:\n    y[0] = 3.0\nx[i] = s", False),
        ("pass\nput(y[0:4], 2.0)\npass\nput(x[i:i + 4], y[0])", True),
        ("pass\nput(y[0:4], 2.0)\npass\nput(y[i:i + 4], 1.0)", True),  # y[1] and later
        ("pass\nput(y[2:6], 2.0)\npass\nput(y[i:i + 4], 1.0)", False),
        ("a: f32\npass\na = 1.0\npass\nx[i] = a", False),
        ("w = x[i:i + 4]\npass\nw[0] = 1.0\npass", False),
    ],
)
def test_what_stands_in_a_loop(body: str, expected: bool) -> None:
    assert safe(only_first(body)) == expected


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ("for j in seq(0, 4):", True),
        ("for j in seq(0, i):", False),
        ("for j in seq(i, n):", True),
        ("for j in seq(0, CFG.k):", False),
        ("if flag:", True),
        ("if i > 1:", False),
        ("if i < 5:", True),
        ("if y[0] < 1.0:", False),
    ],
)
def test_what_stands_deeper(around: str, expected: bool) -> None:
    assert safe(only_first(f"{around}\n    pass\n    s = 1.0\n    pass\nx[i] = s")) == expected


def test_runs_in_other_iterations_between() -> None:
    inner = "for j in seq(0, 4):\n    pass\n    {}\n    pass\n    y[i] = x[0]"
    assert safe(only_first(inner.format("x[j] = 1.0")))
    assert not safe(only_first(inner.format("x[j / 2] = 2.0\n    CFG.k = j")))
    assert safe(only_first(inner.format("x[0] = 1.0")))  # the same in each of them
    assert not safe(only_first(inner.format("x[1] = y[j + 1]\n    x[2] = x[1]")))


def test_iterations_that_have_no_order() -> None:
    assert not safe(only_first("pass\ns = 1.0\npass\nx[i] = s", head="for i in par(1, n):"))


# -- conditions ---------------------------------------------------------------------------------------


def asked(cond: str, before: str, code: str = "s = 1.0") -> Readiness:
    """Whether a condition may be asked before the code."""
    t = tree(f"{before}\npass\n{code}\npass")
    blk = block(t)
    e: Expr = parse_expr(cond, replace(scope_at(t, blk.path()), env={"CFG": CFG}))
    return has_value(t, blk, e)


@pytest.mark.parametrize(
    ("cond", "before", "code", "expected"),
    [
        ("n == 2", "s = 0.0", "s = 1.0", True),
        ("x[0] < s", "s = 0.0", "s = 1.0", True),
        ("a < 1.0", "a: f32\na = 0.0", "s = 1.0", True),
        ("a < 1.0", "a: f32", "s = 1.0", False),
        ("a < 1.0", "a: f32\nif flag:\n    a = 1.0", "s = a", True),
        ("a < 1.0", "a: f32\nif flag:\n    a = 1.0", "if flag:\n    s = a", False),
        ("a < 1.0", "a: f32\nif flag:\n    a = 1.0", "a = 2.0\ns = a", False),
        ("a < 1.0", "a: f32\nif flag:\n    a = 1.0", "s = a\na = 2.0", True),
        ("a[1] < 1.0", "a: f32[4]\na[1] = 0.0", "s = 1.0", True),
        ("a[1] < 1.0", "a: f32[4]\na[0] = 0.0", "s = 1.0", False),
        ("CFG.k == 1", "s = 0.0", "s = 1.0", False),
        ("CFG.k == 1", "CFG.k = 3", "s = 1.0", True),
        ("CFG.k == 1", "s = 0.0", "if CFG.k == 2:\n    s = 1.0", True),
        ("CFG.k == 1", "s = 0.0", "for i in seq(0, n):\n    x[i] = CFG.v", False),
        ("x[0] / x[1] < s", "s = 0.0", "s = 1.0", False),
        ("x[0] / 2.0 < s", "s = 0.0", "s = 1.0", True),
        ("log(x[0]) < s", "s = 0.0", "s = 1.0", False),
    ],
)
def test_conditions(cond: str, before: str, code: str, expected: bool) -> None:
    assert isinstance(asked(cond, before, code), Clash) != expected
