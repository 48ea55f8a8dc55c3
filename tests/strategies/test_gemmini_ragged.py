"""Strategies for loops and loads of any size, and for many instructions at once: what they do, and what they refuse."""

from __future__ import annotations

import pytest

from backends.gemmini import INSTRUCTIONS
from backends.gemmini.build import ENV
from exo_strat import Proc, SchedulingError, at, proc_from_source, schedule, sketch
from exo_strat.interp import run
from strategies import gemmini


def code(text: str) -> Proc:
    return proc_from_source(text, ENV)


@pytest.mark.parametrize(
    "lo, hi, shape",
    [
        (0, 3, "seq i 0..3"),
        (0, 4, "seq i 0..4"),
        (1, 4, "seq i 1..4"),
        (5, 7, "seq i 5..7"),
        (3, 6, "seq i 3..4; seq i 4..6"),
        (1, 8, "seq i 1..4; seq i 4..8"),
        (4, 12, "seq io 0..2"),
        (3, 21, "seq i 3..4; seq io 0..4; seq ii 0..1"),
    ],
)
def test_tiles_begin_at_multiples(lo: int, hi: int, shape: str) -> None:
    p = code(f"def foo(x: i8[32], y: i8[32]):\n    for i in seq({lo}, {hi}):\n        y[i] = x[i]")
    q = schedule(gemmini.tile_ragged("i", 4), p)
    assert "; ".join(f"seq {s.name()} {s.lo().text()}..{s.hi().text()}" for s in q.body()) == shape
    given = {"x": list(range(32)), "y": [None] * 32}
    assert run(q, given).outputs == run(p, given).outputs


def test_tiles_of_a_range_that_nobody_knows() -> None:
    p = code("def foo(n: size, x: i8[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    with pytest.raises(SchedulingError, match="the range of i has no literals"):
        schedule(gemmini.tile_ragged("i", 4), p)


def test_a_loop_rises_with_the_branch_between() -> None:
    p = code("""
        def foo(x: i8[3, 4, 5]):
            for i in seq(0, 3):
                for j in seq(0, 4):
                    if j > 0:
                        for k in seq(0, 5):
                            x[i, j, k] = 0.0
    """)
    q = schedule(at("for k in _: _", gemmini.rise_over("j")), p)
    assert sketch(q) == "seq i 3 > seq k 5 > seq j 4 > if"


def test_a_loop_does_not_rise_over_one_with_a_dependence() -> None:
    p = code("""
        def foo(x: i8[5, 5]):
            for i in seq(0, 4):
                for j in seq(0, 4):
                    x[i + 1, j] = x[i, j + 1]
    """)
    with pytest.raises(SchedulingError, match="not true"):
        schedule(at("for j in _: _", gemmini.rise_over("i")), p)


LINES = """
    def foo(x: i8[8], y: i8[8]):
        t: i8[8]
        for i in seq(0, 8):
            t[i] = x[i]
        for j in seq(0, 8):
            if j + {reach} < 8:
                y[j] = t[j + {reach}]
"""


@pytest.mark.parametrize("distance, reach", [(1, 0), (1, 1), (2, 1), (3, 3)])
def test_loads_as_far_ahead_as_they_are_used(distance: int, reach: int) -> None:
    p = code(LINES.format(reach=reach))
    q = schedule(at("for i in _: _", gemmini.load_ahead(distance)), p)
    given = {"x": list(range(8)), "y": [0] * 8}
    assert run(q, given).outputs == run(p, given).outputs and len(q.find_loop("j").body()) == 2


def test_loads_too_late_are_refused() -> None:
    with pytest.raises(SchedulingError, match="not true"):
        schedule(at("for i in _: _", gemmini.load_ahead(1)), code(LINES.format(reach=2)))


def test_loads_that_overwrite_what_is_still_read_are_refused() -> None:
    p = code("""
        def foo(x: i8[8], y: i8[8]):
            t: i8[1]
            for i in seq(0, 8):
                t[0] = x[i]
            for j in seq(0, 8):
                y[j] = t[0]
    """)
    with pytest.raises(SchedulingError, match="not true"):
        schedule(at("for i in _: _", gemmini.load_ahead(1)), p)


COPY = """
    def foo(act: bool, x: i8[20, 16], y: i8[20, 16]):
        S: i8[20, 16] @ GEMM_SCRATCH
        for i in seq(0, 16):
            for j in seq(0, 16):
                S[i, j] = x[i, j]
        for i in seq(16, 20):
            for j in seq(0, 16):
                S[i, j] = x[i, j]
"""


def test_every_nest_becomes_an_instruction() -> None:
    setting = gemmini.configure(INSTRUCTIONS["config_ld1"], "16", "False", "False", "16")
    p = schedule(at("for i in _: _", setting) >> gemmini.map_every(INSTRUCTIONS["do_ld_i8_id1"]), code(COPY))
    assert str(p).count("do_ld_i8_id1(") == 2 and "for" not in str(p)


def test_nests_that_are_no_instruction_are_told_of() -> None:
    with pytest.raises(SchedulingError, match=r"ConfigLd1\.scaled == False"):
        schedule(gemmini.map_every(INSTRUCTIONS["do_ld_i8_id1"]), code(COPY))
    with pytest.raises(SchedulingError, match="no nest of 3 loops is here"):
        schedule(gemmini.map_every(INSTRUCTIONS["do_matmul_acc_i8"]), code(COPY))


def test_registers_are_read_only_where_they_hold_the_value() -> None:
    text = """
        def foo(act: bool, scale: f32, x: f32[4]):
            for i in seq(0, 4):
                x[i] = scale
    """
    values = ("0", "act", "scale")
    loop = at("for i in _: _", gemmini.read_registers(INSTRUCTIONS["config_st"], *values))
    p = schedule(at("for i in _: _", gemmini.configure(INSTRUCTIONS["config_st"], *values)) >> loop, code(text))
    assert "x[i] = ConfigSt.scale" in str(p)
    assert schedule(loop, p) == p


def test_a_register_without_the_value_is_set_first() -> None:
    """Nothing holds the scale, so the write that `read_registers` adds can't go again."""
    p = code("""
        def foo(act: bool, scale: f32, x: f32[4]):
            for i in seq(0, 4):
                x[i] = scale
    """)
    with pytest.raises(SchedulingError, match="ConfigSt"):
        schedule(at("for i in _: _", gemmini.read_registers(INSTRUCTIONS["config_st"], "0", "act", "scale")), p)


def test_tiles_of_a_height_in_blocks() -> None:
    p = code("""
        def foo(x: i8[32, 96], y: i8[32, 96]):
            t: i8[32, 96]
            for i in seq(0, 32):
                for j in seq(0, 96):
                    t[i, j] = x[i, j]
            for i in seq(0, 32):
                for j in seq(0, 96):
                    y[i, j] = t[i, j]
    """)
    q = schedule(at("for i in _: _", gemmini.tile_layout(height=16, block=3)), p)
    assert sketch(q).startswith("seq io 2 > seq jb 2 > seq ii 16 > seq jt 3 > seq ji 16")
    assert "t: i8[2, 6, 16, 16]" in str(q)
