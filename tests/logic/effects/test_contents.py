"""Which part of a buffer code touches, and what it holds: the questions of staging and moving allocations.

The block that is asked about stands between two `pass` statements.
"""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.exprs import parse_window
from exo_strat.frontend.scope import scope_at
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import For, Pass, ProcDef
from exo_strat.ir.span import Span
from exo_strat.ir.walk import binders, get, walk
from exo_strat.logic.effects.contents import (
    carried,
    covered,
    fully_written,
    initialised,
    only_accumulates,
    reads_from,
    within,
    writes_to,
)
from exo_strat.logic.effects.dependence import Clash, Given, Readiness, Safe, Verdict

CFG = Config("CFG", pmap({"k": types.index}))
PUT = proc_from_source("def put(k: index, w: [f32][4]):\n    assert k >= 0 and k < 4\n    w[k] = 0.0")


def tree(body: str) -> ProcDef:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    text = f"def foo(n: size, m: size, flag: bool, x: f32[n + 4, 8], y: f32[n + 4]):\n{lines}"
    return proc_from_source(text, {"CFG": CFG, "put": PUT}).tree


def block(t: ProcDef) -> Span:
    """The statements between the two `pass`es, or a single `pass` itself."""
    found = [p for p, node in walk(t) if isinstance(node, Pass)]
    (label, lo), (_, hi) = found[0][-1], found[-1][-1]
    assert lo is not None and hi is not None
    return Span(found[0][:-1], label, lo + 1 if lo < hi else lo, hi if lo < hi else lo + 1)


def sym(t: ProcDef, name: str) -> Sym:
    return next(s for s in binders(t) if s.name == name)


# -- what is touched ----------------------------------------------------------------------------------


def in_window(body: str, window: str) -> Verdict:
    t = tree(body)
    buffer, dims = parse_window(window, scope_at(t, block(t).path()))
    return within(t, block(t), buffer, dims)


TILE = """
for io in seq(0, n / 4):
    pass
    for ii in seq(0, 4):
        for j in seq(0, 8):
            x[4 * io + ii, j] += y[4 * io + ii]
    pass
"""


def test_accesses_inside_a_window() -> None:
    assert in_window(TILE, "x[4 * io:4 * io + 4, 0:8]") == Safe()
    assert in_window(TILE, "y[4 * io:4 * io + 4]") == Safe()
    assert in_window(TILE, "x[0:n, 0:8]") == Safe()
    assert in_window("pass\nw = x[1:5, 2]\nput(n % 4, w[0:4])\nput(1, x[1:5, 2])\npass", "x[1:5, 2]") == Safe()
    assert in_window("pass\nif m < 3:\n    x[m, 0] = 0.0\npass", "x[1:3, 0]") == Safe()


OUTSIDE = {
    "x[4 * io:4 * io + 3, 0:8]": {"n": 4, "m": 1, "io": 0, "ii": 3, "j": 0},
    "x[4 * io:4 * io + 4, 1:8]": {"n": 4, "m": 1, "io": 0, "ii": 0, "j": 0},
    "x[4 * io + 1, 0:8]": {"n": 4, "m": 1, "io": 0, "ii": 0, "j": 0},
    "y[4 * io + 1:4 * io + 4]": {"n": 4, "m": 1, "io": 0, "ii": 0, "j": 0},
}


@pytest.mark.parametrize("window", OUTSIDE)
def test_an_access_outside_a_window(window: str) -> None:
    verdict = in_window(TILE, window)
    assert isinstance(verdict, Clash) and verdict.counterexample is not None
    assert verdict.counterexample == OUTSIDE[window]


def test_every_access_counts() -> None:
    verdict = in_window("pass\ny[0] = 0.0\ny[1] = y[2]\npass", "y[0:2]")
    assert isinstance(verdict, Clash) and verdict.details == "it reads y[2]"
    assert verdict.counterexample == {"n": 1, "m": 1}


def test_an_access_that_a_config_field_places_may_be_outside() -> None:
    verdict = in_window("pass\ny[CFG.k % 2] = 0.0\npass", "y[0:2]")
    assert isinstance(verdict, Clash) and verdict.counterexample is None


def test_kinds_of_access() -> None:
    t = tree("pass\ny[0] += x[0, 0]\nw = x[1:3, 0]\nput(1, y[0:4])\nif CFG.k == 1:\n    w[0] = 2.0\npass")
    blk, x, y = block(t), sym(t, "x"), sym(t, "y")
    assert writes_to(t, blk, x) and writes_to(t, blk, y) and reads_from(t, blk, x) and reads_from(t, blk, y)
    assert not only_accumulates(t, blk, y)
    assert only_accumulates(t, Span((), "body", 1, 2), y) and not only_accumulates(t, Span((), "body", 1, 2), x)
    assert not writes_to(t, Span((), "body", 1, 2), x) and not reads_from(t, Span((), "body", 3, 4), y)
    field = ("config", "CFG", "k")
    assert reads_from(t, blk, field) and not writes_to(t, blk, field)


def test_windows_are_no_buffers() -> None:
    t = tree("w = y[0:4]\npass\nw[0] = 0.0\npass")
    with pytest.raises(ValueError, match="w is a window: ask about the buffer that it views"):
        writes_to(t, block(t), sym(t, "w"))
    with pytest.raises(ValueError, match="w is a window"):
        covered(t, block(t), sym(t, "w"))


# -- what is there ------------------------------------------------------------------------------------


def written(body: str, window: str) -> Verdict:
    t = tree(body)
    buffer, dims = parse_window(window, scope_at(t, block(t).path()))
    return fully_written(t, block(t), buffer, dims)


WRITE_TILE = TILE.replace("+=", "=")


def test_fully_written() -> None:
    assert written(WRITE_TILE, "x[4 * io:4 * io + 4, 0:8]") == Safe()
    assert written(WRITE_TILE, "x[4 * io + 1:4 * io + 3, 2]") == Safe()
    assert written("pass\nput(0, y[0:4])\nw = y[1:4]\nw[0] = 1.0\npass", "y[0:2]") == Safe()
    branches = "pass\nfor i in seq(0, n):\n    if i < m:\n        y[i] = 0.0\n    else:\n        y[i] = 1.0\npass"
    assert written(branches, "y[0:n]") == Safe()


@pytest.mark.parametrize(
    ("body", "window"),
    [
        (WRITE_TILE, "x[4 * io:4 * io + 5, 0:8]"),
        (TILE, "x[4 * io:4 * io + 4, 0:8]"),
        ("pass\nfor i in seq(0, n):\n    if flag:\n        y[i] = 0.0\npass", "y[0:n]"),
        ("pass\nfor i in seq(0, n):\n    if i != m:\n        y[i] = 0.0\npass", "y[0:n]"),
        ("pass\nfor i in seq(0, CFG.k):\n    y[0] = 0.0\npass", "y[0:1]"),
        ("pass\nfor i in seq(1, n):\n    y[0] = 0.0\npass", "y[0]"),
        ("pass\nif y[3] < 0.0:\n    y[0] = 0.0\npass", "y[0]"),
    ],
)
def test_not_surely_written_everywhere(body: str, window: str) -> None:
    verdict = written(body, window)
    assert isinstance(verdict, Clash) and verdict.obligation == "every location of the window is surely written"


def test_where_nothing_is_written() -> None:
    verdict = written("pass\nfor i in seq(0, n):\n    if i != m:\n        y[i] = 0.0\npass", "y[0:n]")
    assert isinstance(verdict, Clash) and verdict.counterexample == {"n": 2, "m": 1}


def ready(body: str, window: str) -> Readiness:
    t = tree(body)
    buffer, dims = parse_window(window, scope_at(t, block(t).path()))
    return initialised(t, block(t), buffer, dims)


def test_initialised() -> None:
    assert ready("a: f32[n]\nfor i in seq(0, n):\n    a[i] = 0.0\npass", "a[0:n]") == Safe()
    assert ready("a: f32[n]\nfor i in seq(0, n):\n    a[i] = 0.0\n    pass\n    y[i] = a[i]", "a[0:i + 1]") == Safe()
    chain = "a: f32[n + 1]\na[0] = 0.0\nfor i in seq(0, n):\n    pass\n    a[i + 1] = a[i]"
    assert ready(chain, "a[0:i + 1]") == Safe()
    assert ready("a: f32[8]\nput(3, a[0:4])\nif flag:\n    pass", "a[3]") == Safe()
    inner = "for i in seq(0, n):\n    a: f32[8]\n    for j in seq(0, 8):\n        a[j] = 0.0\n        if j > 3:\n"
    inner += "            pass"
    assert ready(inner, "a[0:4]") == Safe()


@pytest.mark.parametrize(
    ("body", "window"),
    [
        ("a: f32[n]\npass", "a[0:n]"),
        ("a: f32[n]\nfor i in seq(0, n):\n    pass\n    a[i] = 0.0", "a[0:i + 1]"),
        ("a: f32[n]\nfor i in seq(0, n):\n    a[i] = 0.0\n    pass", "a[0:n]"),
        ("a: f32[n]\nfor i in par(0, n):\n    a[i] = 0.0\n    pass", "a[0:i + 1]"),
        ("a: f32[n]\nif flag:\n    a[0] = 0.0\npass", "a[0]"),
        ("a: f32[n]\nif flag:\n    a[0] = 0.0\nelse:\n    pass", "a[0]"),
        ("a: f32[n]\nif flag:\n    pass\n    a[0] = 0.0", "a[0]"),
        ("a: f32[n]\nif flag:\n    pass\nelse:\n    a[0] = 0.0", "a[0]"),
        ("for i in seq(0, n):\n    a: f32\n    if i > 0:\n        pass\n    a = 0.0", "a"),
        ("a: f32[8]\nput(3, a[0:4])\npass", "a[0:4]"),
    ],
)
def test_not_surely_initialised(body: str, window: str) -> None:
    assert isinstance(ready(body, window), Clash)


@pytest.mark.parametrize(
    ("body", "needed"),
    [
        ("pass", True),
        ("for i in seq(0, n):\n    y[i] = 0.0\npass", False),
        ("for i in seq(1, n):\n    y[i] = 0.0\npass", True),
        ("for i in seq(0, n):\n    x[i, 0] = y[i]\npass", False),
        ("if flag:\n    for i in seq(0, n):\n        x[i, 0] = y[i]\npass", True),
        ("pass\nfor i in seq(0, n):\n    x[i, 0] = y[i]\npass", False),
        ("pass\nfor i in seq(0, n):\n    y[i] += 1.0\npass", False),
        ("pass\nfor i in seq(0, n):\n    if x[i, 0] < 1.0:\n        y[i] += 1.0\npass", True),
        ("pass\nfor i in seq(0, n):\n    y[i] = 0.0\n    y[i] += 1.0\npass", True),
        ("pass\nfor i in seq(0, n):\n    y[0] = 0.0\nfor i in seq(0, n):\n    y[i] += 1.0\npass", True),
        ("pass\nfor i in seq(0, n):\n    y[i] = y[i + 1]\npass", True),
        ("pass\nfor i in seq(0, n):\n    y[i + 1] = y[i] + y[i + 1]\npass", True),
        ("pass\nfor i in seq(0, n):\n    y[n] = y[i]\npass", False),
        ("for i in seq(0, n):\n    x[i, 0] = y[i]\n    pass\n    y[i] = 0.0", True),
        ("pass\nfor k in seq(0, 4):\n    for i in seq(0, n):\n        y[i] += x[i, k]\npass", False),
        ("pass\nfor k in seq(0, m - 1):\n    for i in seq(0, n):\n        y[i] += x[i, 0]\npass", True),
        ("put(3, x[0, 0:4])\npass", True),
    ],
)
def test_what_the_caller_must_have_written(body: str, needed: bool) -> None:
    verdict = ready(body, "y[0:n]")
    assert verdict == (Given(frozenset({sym(tree(body), "y")})) if needed else Safe())


def test_initialised_needs_a_buffer() -> None:
    t = tree("pass\nfor i in seq(0, n):\n    a: f32\n    a = 1.0\npass")
    with pytest.raises(ValueError, match="a is neither an argument nor allocated around"):
        initialised(t, block(t), sym(t, "a"), ())


# -- from one iteration to the next -------------------------------------------------------------------


def kept(body: str) -> Verdict:
    """Whether the iterations of the first loop keep what they leave in `a` for themselves."""
    t = tree(f"a: f32[n + 4]\n{body}")
    path = next(p for p, node in walk(t) if isinstance(node, For))
    assert isinstance(get(t, path), For)
    return carried(t, path, sym(t, "a"))


@pytest.mark.parametrize(
    "body",
    [
        "for i in seq(0, n):\n    a[0] = y[i]\n    y[i] = a[0]",
        "for i in seq(0, n):\n    for k in seq(0, 4):\n        a[k] = 0.0\n    for k in seq(1, 4):\n        a[k] += 1.",
        "for i in seq(0, n):\n    if i == m:\n        a[i] = 1.0\n        y[i] = a[i]",
        "for i in seq(0, n):\n    a[i] = y[i]",
    ],
)
def test_private_to_an_iteration(body: str) -> None:
    assert kept(body) == Safe()


@pytest.mark.parametrize(
    ("body", "example"),
    [
        ("for i in seq(0, n):\n    if i == 0:\n        a[0] = 1.0\n    y[i] = a[0]", {"n": 2, "i": 1}),
        ("for i in seq(0, n):\n    y[i] = a[i]\n    a[i + 1] = y[i]", {"n": 1, "i": 0}),
        ("for i in seq(0, n):\n    for k in seq(0, i):\n        a[0] = 0.0\n    a[0] += y[i]", {"n": 1, "i": 0}),
    ],
)
def test_carried_between_iterations(body: str, example: dict[str, int]) -> None:
    verdict = kept(body)
    assert isinstance(verdict, Clash) and verdict.counterexample == {**example, "m": 1}
