"""Pictures of counterexamples."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from exo_strat import *
from exo_strat.ops.iteration_space import AROUND, picture, space_of


def refused(op: Op, text: str) -> Failure:
    return op(proc_from_source(text)).failure()


WAVE = """
def wave(n: size, x: f32[n + 1, n + 1]):
    for i in seq(0, n):
        for j in seq(1, n):
            x[i + 1, j - 1] = x[i, j]
"""


def test_two_loops_make_a_grid_with_the_two_iterations_that_clash() -> None:
    failure = refused(at("for i in _: _", reorder_loops()), WAVE)
    space = space_of(failure)
    assert space is not None and isinstance(failure, Unsafe) and failure.counterexample is not None
    assert [a.name for a in space.axes] == ["i", "j"]
    first, second = space.marked
    example = failure.counterexample
    assert first == (example["i"], example["j"]) and second == (example["i'"], example["j'"])
    assert {first, second} <= set(space.points)
    n = example["n"]
    assert all(0 <= i < n and 1 <= j < n for i, j in space.points)


def test_the_iterations_of_a_triangle_are_those_that_run() -> None:
    failure = refused(
        at("for i in _: _", parallelize_loop()),
        """
def triangle(n: size, x: f32[n + 1]):
    for i in seq(0, n):
        for j in seq(0, i + 1):
            x[j] = 1.0
""",
    )
    space = space_of(failure)
    assert space is not None
    assert all(j <= i for i, j in space.points) if len(space.axes) == 2 else space.points


def test_a_loop_of_millions_is_drawn_near_the_clash() -> None:
    failure = refused(
        at("for i in _: _", parallelize_loop()),
        """
def far(x: f32[1000001]):
    for i in seq(0, 1000000):
        x[i + 1] = x[i]
""",
    )
    space = space_of(failure)
    assert space is not None and 2 <= len(space.points) <= 2 * AROUND + 2


def test_the_picture_is_well_formed_and_says_what_happens() -> None:
    root = ElementTree.fromstring(picture(refused(at("for i in _: _", reorder_loops()), WAVE)))
    texts = [t.text or "" for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any("x[i + 1, j - 1]" in t for t in texts) and any(t.startswith("i' = ") for t in texts)
    width = float(root.attrib["width"])
    assert all(float(t.attrib["x"]) < width for t in root.iter("{http://www.w3.org/2000/svg}text"))


def test_what_has_no_counterexample_has_no_picture() -> None:
    assert picture(refused(at("for k in _: _", reorder_loops()), WAVE)) == ""
    assert picture(refused(fail("no"), WAVE)) == ""


PARTS = """
def parts(n: size, x: f32[n + 1, n + 1]):
    for i in seq(0, n):
        x[i, 0] = 1.0
        for j in seq(0, n):
            x[i + 1, j] = 2.0
"""
TWICE = """
def twice(n: size, x: f32[n + 1, n + 1]):
    for i in seq(0, n):
        for j in seq(0, n):
            x[i, j] = 1.0
        for j in seq(0, n):
            x[i + 1, j] = 2.0
"""


@pytest.mark.parametrize("text", [PARTS, TWICE, TWICE.replace("j in seq", "k in seq", 1).replace("i, j", "i, k")])
def test_a_loop_that_only_one_of_the_two_is_in_is_told_but_not_drawn(text: str) -> None:
    failure = refused(at("for i in _: _", parallelize_loop()), text)
    space = space_of(failure)
    assert space is not None and isinstance(failure, Unsafe) and failure.counterexample is not None
    assert [a.name for a in space.axes] == ["i"]
    inner = {name: n for name, n in failure.counterexample.items() if name[0] in "jk"}
    assert inner and all(f"{name} = {n}" in space.caption[-1] for name, n in inner.items())
