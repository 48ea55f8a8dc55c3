"""The panels of `exo-strat view`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from backends.targets import avx2
from exo_strat import *
from exo_strat.tuning import Timed
from strategies.panels import FAR, ROUNDS, footprints, roofline


@proc
def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    for i in seq(0, m):
        for j in seq(0, n):
            y[i] += a[i, j] * x[j]


def never(p: Proc, sizes: Mapping[str, int]) -> Timed:
    raise AssertionError("nothing is measured without sizes")


def measured(p: Proc, sizes: Mapping[str, int]) -> Timed:
    """A peak of 100 GFLOP/s, copies of 10 GB/s, and gemv at 2 GFLOP/s."""
    known = {"multiply_adds": ROUNDS * 160 / 100e9, "copying": 8 * FAR / 10e9}
    return Timed(known.get(p.name(), 2 * 1000 * 500 / 2e9))


def test_footprints_are_formulas_and_with_sizes_numbers() -> None:
    without, given = footprints(gemv, avx2, {}, never), footprints(gemv, avx2, {"m": 1000, "n": 500}, never)
    assert without is not None and "4 * m * n" in without.html
    assert given is not None and f"{4 * (1000 * 500 + 500 + 1000):,}" in given.html
    assert "L3" in given.html and "L1" in given.html


def test_the_roofline_counts_the_program_as_it_was_written() -> None:
    tiled = schedule(at("for i in _: _", divide_loop(8, ("io", "ii"), tail="guard")), gemv)
    panels = [roofline(p, avx2, {"m": 1000, "n": 500}, measured) for p in (gemv, tiled)]
    for panel in panels:
        assert panel is not None
        assert f"{2 * 1000 * 500:,}" in panel.html and ">2 GFLOP/s" in panel.html
        assert ">100 GFLOP/s" in panel.html and ">10 GB/s" in panel.html


def test_there_is_no_roofline_without_sizes_or_of_mixed_precision() -> None:
    assert roofline(gemv, avx2, {}, never) is None
    mixed = proc_from_source("def f(n: size, x: f32[n], y: f64[n]):\n    for i in seq(0, n):\n        y[i] = 2.0")
    panel = roofline(mixed, avx2, {"n": 8}, never)
    assert panel is not None and "There is none" in panel.html


def test_why_nothing_could_be_measured_is_told() -> None:
    panel = roofline(gemv, avx2, {"m": 1000, "n": 500}, lambda p, sizes: "no room")
    assert panel is not None and "no room" in panel.html


def test_buffers_that_are_allocated_in_a_loop_count() -> None:
    p = proc_from_source("""
def far(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        t: f32[16384]
        for j in seq(0, 16384):
            t[j] = x[i]
        for j in seq(0, 16384):
            y[i] += t[j]
""")
    panel = footprints(p, avx2, {"n": 4}, never)
    assert panel is not None
    outer, first, _ = re.findall(r"<tr><td>(.*?)</tr>", panel.html)
    assert f"{4 * 16384 + 2 * 4 * 4:,}" in outer and outer.endswith("L2") and "<td>4<td>" in outer
    assert "<td>16,384<td>" in first


def rows(p: Proc, **sizes: int) -> list[list[str]]:
    panel = footprints(p, avx2, sizes, never)
    assert panel is not None
    return [re.split("<td>|<br>", row)[1:] for row in panel.html.split("<tr>")[2:]]


def test_an_iterator_that_has_the_name_of_a_size_is_not_that_size() -> None:
    p = proc_from_source("""
def low(n: size, m: size, x: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, i):
            x[i, j] = 1.0
""")
    outer, inner = rows(schedule(at("for i in _: _", rename_variable("m")), p), n=10, m=1000)
    assert outer[1:3] == ["m_1", "10"]
    assert inner[1:4] == ["&nbsp;&nbsp;j", "m_1", "4"] and "depends on m_1" in inner[4]
    assert not any("1,000" in cell for cell in (*outer, *inner))


def test_a_loop_that_never_runs_touches_nothing() -> None:
    p = proc_from_source("""
def late(n: size, k: size, x: f32[n]):
    for i in seq(k, n):
        x[i] = 1.0
""")
    [row] = rows(p, n=4, k=9)
    assert row[2:5] == ["0", "", "0"]
