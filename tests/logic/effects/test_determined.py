"""Recomputing values does no harm, by examples: a program, a question, the answer.

Programs have `n: size`, which 4 divides, `flag: bool`, `s: f32` and the buffers `x`, `b`, `c`, `y` of 2 * n + 16
numbers. The producer P and the consumer C are the bodies of two loops over `io`, or the parts of one.
"""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.span import Span
from exo_strat.ir.types import Control, Scalar
from exo_strat.logic.questions import safety
from exo_strat.logic.questions.safety import Clash, Safe

FIELDS: dict[str, Control | Scalar] = {"k": types.index, "on": types.bool_, "scale": types.f32}
LIB: dict[str, object] = {"CFG": Config("CFG", pmap(FIELDS))}
LIB["set_k"] = proc_from_source("def set_k(v: index):\n    CFG.k = v", LIB)
LIB["fill"] = proc_from_source("def fill(w: [f32][1]):\n    w[0] = 1.0", LIB)
LIB["look"] = proc_from_source("def look(w: [f32][1], v: f32):\n    v = w[0]", LIB)


def proc(body: str) -> Proc:
    head = "def foo(n: size, flag: bool, s: f32, "
    head += ", ".join(f"{v}: f32[2 * n + 16]" for v in "xbcy") + "):\n    assert n % 4 == 0\n"
    return proc_from_source(head + indented(body), LIB)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.strip("\n").splitlines())


def loop(*parts: str, i: str = "io", bounds: str = "0, n / 4", mode: str = "seq") -> str:
    return f"for {i} in {mode}({bounds}):\n" + "".join(map(indented, parts))


def tile(i: str, width: int, stmt: str) -> str:
    """`stmt` for each place `p` of the tile `io`."""
    return f"for {i} in seq(0, {width}):\n" + indented(stmt.replace("p", f"4 * io + {i}"))


BLUR = tile("ii", 4, "y[p] = b[p] + b[p + 1] + b[p + 2]")
"""A consumer that reads two places of the next tile."""

HARMLESS = {
    "tiles that overlap": (tile("ii", 6, "b[p] = x[p] + x[p + 1]"), BLUR),
    "another order of operands": (
        "for ii in seq(0, 4):\n    b[4 * io + ii] = x[4 * io + ii] * 2.0 + s\n"
        + "for ii in seq(4, 6):\n    b[4 * io + ii] = s + 2.0 * x[4 * io + ii]", BLUR),
    "backwards": ("for ii in seq(0, 6):\n    b[4 * io + 5 - ii] = x[4 * io - ii + 5]", BLUR),
    "a value for all": (tile("ii", 6, "b[p] = s"), BLUR),
    "a sum for each place": (
        tile("ii", 6, "b[p] = 0.0\nfor k in seq(0, 3):\n    b[p] += x[p + k]"), BLUR),
    "a sum over a triangle": (
        tile("ii", 6, "b[p] = s\nfor k in seq(0, p + 1):\n    if k > 1:\n        b[p] += x[k] * x[p - k]"), BLUR),
    "a maximum": (tile("ii", 6, "b[p] = x[p]\nfor k in seq(0, 3):\n    b[p] = max(b[p], x[p + k])"), BLUR),
    "a chain of stages": (tile("ii", 8, "c[p] = x[p] + x[p + 1]") + tile("jj", 6, "b[p] = c[p] * c[p + 2]"), BLUR),
    "a recurrence": (
        "b[0] = s\nfor ii in seq(1, 4 * io + 6):\n    b[ii] = b[ii - 1] + x[ii]", BLUR),
    "all that is known so far": ("for ii in seq(0, 4 * io + 6):\n    b[ii] = x[ii]", BLUR),
    "more now and then": (tile("ii", 6, "b[p] = x[p]") + "if s < 1.0:\n    b[4 * io + 6] = x[4 * io + 6]", BLUR),
    "through windows": (
        "w = b[4 * io:4 * io + 6]\nv = x[4 * io + 1:4 * io + 8]\nfor ii in seq(0, 6):\n    w[ii] = v[ii]", BLUR),
    "a function": (tile("ii", 6, "b[p] = fmax(x[p], 0.0) / s"), BLUR),
    "read by a call": (tile("ii", 6, "b[p] = x[p]"), tile("ii", 4, "look(b[p + 2:p + 3], y[p])")),
    "read under a condition": (tile("ii", 6, "b[p] = x[p]"), tile("ii", 4, "if y[p] < 0.0:\n    y[p] = b[p + 2]")),
    "one place": ("b[0] = s", tile("ii", 4, "y[p] = b[0]")),
    "a config field": ("CFG.k = 3", tile("ii", 4, "if CFG.k == 3:\n    y[p] = 0.0")),
    "a config field that a call sets": ("set_k(n)", tile("ii", 4, "if CFG.k == n:\n    y[p] = 0.0")),
    "a value of a config field": (tile("ii", 6, "b[p] = x[p] * CFG.scale"), BLUR),
    "a guarded tile": (tile("ii", 6, "if p < n:\n    b[p] = x[p]"),
                       tile("ii", 4, "if p + 2 < n:\n    y[p] = b[p] + b[p + 2]")),
}  # fmt: skip


@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_computed_again_need_not_stand_in_the_way(what: str) -> None:
    producer, consumer = HARMLESS[what]
    two, one = proc(loop(producer) + loop(consumer, i="io")), proc(loop(producer, consumer))
    assert safety.fuse(two.tree, (("body", 0),), (("body", 1),)) == Safe()
    first = len(two.tree.body[0].body)  # type: ignore[union-attr]
    assert safety.fission(one.tree, (("body", 0),), first) == Safe()
    assert results(one) == results(two)


def results(p: Proc) -> object:
    def inputs(n: int) -> dict[str, object]:
        data = {v: [k * k % 17 + ord(v) for k in range(2 * n + 16)] for v in "xbcy"}
        return {"n": n, "flag": True, "s": 3, **data}

    return [run(p, inputs(n), {"CFG.scale": 2, "CFG.k": 1}).outputs for n in (4, 8, 12)]


HARMFUL = {
    "values that depend on the tile": (tile("ii", 6, "b[p] = x[ii]"), BLUR),
    "values that depend on the place in the tile": (
        "for ii in seq(0, 6):\n    if ii < 4:\n        b[4 * io + ii] = 0.0\n    else:\n        b[4 * io + ii] = s",
        BLUR),
    "inputs that change": (tile("ii", 6, "b[p] = x[p]") + "x[4 * io + 4] = 0.0", BLUR),
    "inputs that change before": ("x[4 * io + 5] = 0.0\n" + tile("ii", 6, "b[p] = x[p]"), BLUR),
    "the consumer changes inputs": (tile("ii", 6, "b[p] = x[p]"), "x[4 * io + 4] = 0.0\n" + BLUR),
    "accumulations": (tile("ii", 6, "b[p] += x[p]"), BLUR),
    "a sum that is completed later": (
        tile("ii", 6, "b[p] = 0.0") + tile("jj", 6, "b[p] += x[p + io]"), BLUR),
    "a sum as long as the tiles are many": (tile("ii", 6, "b[p] = 0.0\nfor k in seq(0, io):\n    b[p] += x[k]"), BLUR),
    "a sum of other terms": (tile("ii", 6, "b[p] = 0.0\nfor k in seq(0, 3):\n    b[p] += x[ii + k]"), BLUR),
    "a sum under another condition": (
        tile("ii", 6, "b[p] = 0.0\nfor k in seq(0, 3):\n    if k < ii:\n        b[p] += x[p]"), BLUR),
    "a sum of several places": (tile("ii", 6, "b[p] = 0.0\nfor k in seq(0, 3):\n    b[p + k] += x[p]"), BLUR),
    "a sum of which a part is read": (
        tile("ii", 6, "b[p] = 0.0\nc[p] = b[p]\nb[p] += x[p]"), tile("ii", 4, "y[p] = b[p + 1] + b[p + 2]")),
    "a sum of several kinds": (
        "for ii in seq(0, 4):\n    b[4 * io + ii] = s\n    b[4 * io + ii] += x[4 * io + ii]\n"
        "for jj in seq(4, 6):\n    b[4 * io + jj] = s\n    b[4 * io + jj] *= x[4 * io + jj]", BLUR),
    "too little at first": (tile("ii", 6, "b[p] = x[p]"), tile("ii", 4, "y[p] = b[p + 3]")),
    "only now and then": (tile("ii", 6, "if s < 1.0:\n    b[p] = x[p]"), BLUR),
    "from the second tile on": (tile("ii", 6, "if io > 0:\n    b[p] = x[p]"), BLUR),
    "the consumer writes too": (tile("ii", 6, "b[p] = x[p]"), "b[4 * io + 5] = 7.0\n" + BLUR),
    "the consumer accumulates": (tile("ii", 6, "b[p] = x[p]"), tile("ii", 4, "b[p + 2] += 1.0\ny[p] = b[p + 1]")),
    "a stage that is not determined": (
        tile("ii", 8, "c[p] = x[ii]") + tile("jj", 6, "b[p] = c[p] * c[p + 2]"), BLUR),
    "a stage that comes too late": (
        tile("jj", 6, "b[p] = c[p + 1]") + tile("ii", 8, "c[p] = x[p]"), BLUR),
    "a stage of the tile before": (
        tile("ii", 6, "if io > 0:\n    b[p] = c[p]\nc[p + 4] = x[p]"), BLUR),
    "a call's values": (tile("ii", 6, "fill(b[p:p + 1])"), BLUR),
    "a temporary": (tile("ii", 6, "t: f32\nt = x[ii]\nb[p] = t"), BLUR),
    "another sign": (
        "for ii in seq(0, 4):\n    b[4 * io + ii] = x[4 * io + ii] - s\n"
        "for ii in seq(4, 6):\n    b[4 * io + ii] = s - x[4 * io + ii]", BLUR),
    "another function": (
        "for ii in seq(0, 4):\n    b[4 * io + ii] = fmax(x[4 * io + ii], s)\n"
        "for ii in seq(4, 6):\n    b[4 * io + ii] = fmin(x[4 * io + ii], s)", BLUR),
    "a config field that changes": (tile("ii", 6, "b[p] = CFG.scale") + "CFG.scale = x[io]", BLUR),
    "a config field of each tile": ("CFG.k = io", tile("ii", 4, "if CFG.k == 1:\n    y[p] = 0.0")),
    "a config field set by a call": ("set_k(io)", tile("ii", 4, "if CFG.k == 1:\n    y[p] = 0.0")),
    "a config field set now and then": ("if s < 1.0:\n    CFG.k = 3", tile("ii", 4, "if CFG.k == 3:\n    y[p] = 0.0")),
}  # fmt: skip


@pytest.mark.parametrize("what", HARMFUL)
def test_what_must_not_be_taken_for_a_recomputation(what: str) -> None:
    producer, consumer = HARMFUL[what]
    two, one = proc(loop(producer) + loop(consumer)), proc(loop(producer, consumer))
    verdict = safety.fuse(two.tree, (("body", 0),), (("body", 1),))
    assert isinstance(verdict, Clash) and verdict.obligation.startswith("the second loop does not touch")
    first = len(two.tree.body[0].body)  # type: ignore[union-attr]
    assert isinstance(safety.fission(one.tree, (("body", 0),), first), Clash)


def test_overlapping_tiles_still_race() -> None:
    producer = tile("ii", 6, "b[p] = x[p]")
    for modes in (("par", "par"), ("par", "seq")):
        one, two = (loop(part, mode=mode) for part, mode in zip((producer, BLUR), modes, strict=True))
        assert isinstance(safety.fuse(proc(one + two).tree, (("body", 0),), (("body", 1),)), Clash)
    assert isinstance(safety.parallel(proc(loop(producer)).tree, (("body", 0),)), Clash)


# -- whole instances that change places -----------------------------------------------------------------


def nest(body: str, inner: str = "seq", outer: str = "seq") -> Proc:
    return proc(loop(loop(body, i="j", bounds="0, 4", mode=inner), i="i", bounds="0, 4", mode=outer))


@pytest.mark.parametrize(
    ("body", "free"),
    [
        ("b[i + j] = x[i + j]", True),
        ("b[i + j] = x[i]", False),
        ("b[i + j] = x[i + j]\ny[i] += b[i + j]", True),
        ("y[i] += b[i + j]\nb[i + j] = x[i + j]", False),
        ("b[i + j] = x[i + j]\ny[i] += b[i + j + 8]", True),
        ("b[i + j] = x[i + j]\ny[i] += b[i + j + 1]", False),
        ("b[i + j] = 0.0\nfor k in seq(0, i + j):\n    b[i + j] += x[k]", True),
        ("b[i + j] = 0.0\nfor k in seq(0, j):\n    b[i + j] += x[k]", False),
        ("b[i + j] = x[i + j]\nc[i] = b[i + j]", True),
        ("b[i + j] = x[i + j]\nc[0] = b[i + j]", False),
        ("b[i + j] = x[i + j]\nc[i + j] = b[i + j] * b[i + j]", True),
        ("if x[i] < 0.0:\n    b[0] = s", True),
        ("if b[0] < 0.0:\n    b[0] = s", False),
        ("CFG.k = n", True),
        ("CFG.k = n\nif CFG.k == 4:\n    y[i + j] = 0.0", True),
        ("if CFG.k == 4:\n    y[i + j] = 0.0\nCFG.k = n", False),
        ("CFG.k = i", False),
    ],
)
def test_interchange_of_iterations_that_write_equal_values(body: str, free: bool) -> None:
    assert (safety.interchange(nest(body).tree, (("body", 0),)) == Safe()) == free
    writes = not isinstance(safety.interchange(nest(body, inner="par").tree, (("body", 0),)), Safe)
    assert writes, "iterations that come into a parallel loop may not write one place, whatever they write"


@pytest.mark.parametrize(
    ("one", "two", "free"),
    [
        ("b[0] = x[1] + s", "b[0] = s + x[1]", True),
        ("b[0] = x[1]", "b[0] = x[2]", False),
        ("for k in seq(0, 4):\n    b[k] = x[k]", "for l in seq(2, 6):\n    b[l] = x[l]", True),
        ("b[0] = x[0]\ny[0] = b[0]", "b[0] = x[0]\ny[1] = b[0]", True),
        ("b[0] = x[0]", "y[1] = b[0]", False),
        ("b[0] = x[0]\ny[0] = b[0]", "y[1] = b[0]", False),
        ("b[0] = x[0]\nx[0] = 0.0", "b[0] = x[0]", False),
        ("CFG.k = n", "set_k(n)", True),
        ("CFG.k = n", "set_k(n + 1)", False),
    ],
)
def test_statements_that_write_equal_values_commute(one: str, two: str, free: bool) -> None:
    p = proc(one + "\n" + two)
    k = len(proc(one).tree.body)
    verdict = safety.commute(p.tree, Span((), "body", 0, k), Span((), "body", k, len(p.tree.body)))
    assert (verdict == Safe()) == free
