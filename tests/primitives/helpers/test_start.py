"""Minima and maxima in parts: `stage_mem` with `accum` starts them from what the buffer was set to, if it may."""

from __future__ import annotations

import pytest

from exo_strat import SchedulingError, at, direct, divide_loop, proc_from_source, schedule
from exo_strat.interp import run
from exo_strat.interp.values import blank
from strategies import std

HEAD = "def foo(n: size, x: f32[n], least: f32, y: f32[4], r: f32):\n    m: f32\n"
LOOP = "    for i in seq(0, n):\n        m = max(m, x[i])\n"


def program(before, loop=LOOP, after="    r = m\n"):
    return proc_from_source(HEAD + before + loop + after)


def staged(p, window="m", loop="for i in _: _"):
    return direct.stage_mem(p, loop, window, "t", accum=True)


@pytest.mark.parametrize(
    ("before", "start"),
    [
        ("    m = least\n", "t = least"),
        ("    m = 0.0\n", "t = 0.0"),
        ("    m = y[0] + least\n", "t = y[0] + least"),
        ("    m = least\n    r = 1.0\n", "t = least"),  # what does not touch m
        ("    m = least\n    m = max(m, x[0])\n", "t = least"),  # the same accumulation
    ],
)
def test_a_maximum_starts_from_what_the_buffer_was_set_to(before, start):
    assert f"    {start}\n" in str(staged(program(before)))


@pytest.mark.parametrize(
    "before",
    [
        "    m = least\n    m += 1.0\n",  # another accumulation
        "    m = least\n    m = min(m, x[0])\n",
        "    m = least\n    least = 1.0\n",  # the value is another now
        "    m = y[0]\n    y[0] = 1.0\n",
        "    m = least\n    m = max(m, x[0])\n    m = m + 1.0\n",  # m reads itself
        "    for k in seq(0, n - 1):\n        m = least\n    m = max(m, least)\n",  # maybe not set at all
        "    m = least\n    if n < 3:\n        m = 1.0\n",  # maybe set to another value
    ],
)
def test_nothing_else_will_do(before):
    p = proc_from_source(HEAD.replace("    m: f32\n", "").replace("r: f32", "r: f32, m: f32") + before + LOOP)
    with pytest.raises(SchedulingError, match="max has no neutral number"):
        staged(p)


def test_a_loop_around_counts_as_a_whole():
    """In the second iteration of k, m was lowered in between."""
    source = HEAD + "    m = least\n    for k in seq(0, 2):\n        {}for i in seq(0, n):\n"
    source += "            m = max(m, x[i])\n"
    assert "t = least" in str(staged(proc_from_source(source.format("") + "    r = m\n")))
    with pytest.raises(SchedulingError, match="max has no neutral number"):
        staged(proc_from_source(source.format("m = min(m, y[k])\n        ") + "    r = m\n"))


def test_an_array_must_be_set_as_a_whole():
    source = "def foo(n: size, x: f32[n], least: f32, y: f32[4]):\n    for l in seq(0, {}):\n        y[l] = {}\n"
    source += "    for l in seq(0, 4):\n        for i in seq(0, n):\n            y[l] = max(y[l], x[i])\n"
    assert "t = least" in str(staged(proc_from_source(source.format(4, "least")), "y[l]"))
    for extent, value in ((3, "least"), (4, "x[0] + y[l]")):
        with pytest.raises(SchedulingError, match="max has no neutral number"):
            staged(proc_from_source(source.format(extent, value)), "y[l]")


@pytest.mark.parametrize("op", ["min", "max"])
def test_lanes_have_maxima_and_minima_of_their_own(op):
    p = proc_from_source(HEAD + f"    m = least\n    for i in seq(0, n):\n        m = {op}(m, x[i])\n    r = m\n")
    lanes = schedule(at("for i in _: _", divide_loop(4, ("io", "l"), tail="guard") >> std.parallelize_reductions()), p)
    for least in (-9, 0, 9):
        for n in (1, 3, 4, 9):
            given = {"n": n, "x": array([(7 * i) % 5 - 2 for i in range(n)]), "least": array([least], ())}
            given |= {"y": array([0] * 4), "r": array([0], ())}
            assert run(p, given).outputs == run(lanes, given).outputs


def array(cells, shape=None):
    return blank(shape if shape is not None else (len(cells),))._replace(cells=cells)
