"""The Gemmini strategies refuse the steps that would not keep a program right."""

from __future__ import annotations

import pytest

from backends.gemmini import INSTRUCTIONS, operations
from backends.gemmini.build import ENV
from exo_strat import Proc, SchedulingError, at, on, proc_from_source, replace, schedule
from exo_strat.interp import run
from strategies import gemmini

# -- what must be refused -----------------------------------------------------------------------------


def code(text: str) -> Proc:
    return proc_from_source(text, ENV)


def test_zeroing_does_not_leave_the_loops_that_share_its_tile() -> None:
    """The step in the published schedule that makes wrong programs: the tile is used again for each `jo`."""
    p = code("""
        def foo(x: i32[4, 4], y: i32[4]):
            res: i32
            for jo in seq(0, 4):
                res = 0.0
                for k in seq(0, 4):
                    res += x[jo, k]
                y[jo] = res
    """)
    assert schedule(at("res = _", gemmini.fission_as_much_as_possible()), p) == p


def test_a_tile_that_changes_is_not_loaded_once() -> None:
    p = code("""
        def foo(x: i8[4], y: i8[3, 4]):
            t: i8
            for i in seq(0, 3):
                for j in seq(0, 4):
                    t = x[j]
                    y[i, j] = t
    """)
    assert schedule(at("t = _", gemmini.load_once()), p) == p


def test_a_source_that_is_written_is_not_loaded_once() -> None:
    p = code("""
        def foo(x: i8[4], y: i8[3, 4]):
            t: i8[4]
            for i in seq(0, 3):
                for j in seq(0, 4):
                    t[j] = x[j]
                    y[i, j] = t[j]
                    x[j] = 0.0
    """)
    assert schedule(at("t[_] = _", gemmini.load_once()), p) == p


def test_loops_that_may_be_empty_or_accumulate_are_not_redundant() -> None:
    p = code("""
        def foo(n: size, x: i8[1], y: i8[1]):
            for i in seq(0, n - 1):
                x[0] = 0.0
            for i in seq(0, n):
                y[0] += 1.0
    """)
    for pattern in ("x[_] = _", "y[_] += _"):
        assert schedule(at(pattern, gemmini.remove_redundant_loops()), p) == p


def test_as_many_redundant_loops_go_as_asked_for() -> None:
    p = code("""
        def foo(n: size, x: i8[1]):
            for i in seq(0, n):
                for j in seq(0, n):
                    x[0] = 0.0
    """)
    q = schedule(at("x[_] = _", gemmini.remove_redundant_loops(num=1)), p)
    assert [s.name() for s in q.body()] == ["i"] and q.find("x[_] = _").parent() == q.find_loop("i")


def test_loops_with_a_dependence_keep_their_order() -> None:
    p = code("""
        def foo(x: i8[5, 4]):
            for j in seq(0, 3):
                for i in seq(0, 4):
                    x[i + 1, j] = x[i, j + 1]
    """)
    with pytest.raises(SchedulingError, match="not true"):
        schedule(at("x[_] = _", gemmini.reorder_loops_from_idx()), p)


def test_tiles_divide_their_loop() -> None:
    p = code("def foo(x: i8[20]):\n    for i in seq(0, 20):\n        x[i] = 0.0")
    with pytest.raises(SchedulingError, match="16 divides"):
        schedule(at("for i in _: _", gemmini.tile_loops([("i", 16)])), p)
    with pytest.raises(SchedulingError, match="there is no loop j here"):
        schedule(at("for i in _: _", gemmini.tile_loops([("j", 16)])), p)


def test_a_configuration_that_changes_stays_in_its_loop() -> None:
    """Two loads by one register with different strides: neither setting can be hoisted out."""
    p = code("""
        def foo(x: i8[8, 16, 16], y: i8[8, 16, 32]):
            S: i8[2, 16, 16] @ GEMM_SCRATCH
            for i in seq(0, 8):
                for j in seq(0, 16):
                    for k in seq(0, 16):
                        S[0, j, k] = x[i, j, k]
                for j in seq(0, 16):
                    for k in seq(0, 16):
                        S[1, j, k] = y[i, j, k]
    """)
    load = operations.load("ld_i8", 0)
    q = schedule(gemmini.map_all([(load.plain, load.configured)]), p)
    inside = [c for c in q.find_loop("i").descendants() if gemmini.is_config_call(c)]
    assert len(inside) == 2 and schedule(gemmini.hoist_configs(), q) == q


def test_an_expression_is_bound_and_lifted_into_a_memory() -> None:
    p = code("""
        def foo(x: i8[32, 16], y: i8[32, 16]):
            for i in seq(0, 32):
                for j in seq(0, 16):
                    y[i, j] = x[i, j]
    """)
    q = schedule(on(p.find("y[_] = _").rhs(), gemmini.bind_and_lift("t", ENV["DRAM"], 256)), p)
    assert "for i in seq(0, 32):\n        t: i8[16]" in str(q)
    q = schedule(on(p.find("y[_] = _").rhs(), gemmini.bind_and_lift("t", ENV["DRAM"], 512)), p)
    assert str(q).splitlines()[1].strip() == "t: i8[32, 16] @ DRAM"


def test_sums_that_begin_with_their_own_zero_start_in_the_loop_only() -> None:
    """Of another value, or with a loop that reads it otherwise, the loops stay apart or the step is refused."""
    p = code("""
        def foo(x: i32[4], y: i32[8, 4], z: i32[8, 4]):
            for i in seq(0, 4):
                x[i] = z[0, i]
            for k in seq(0, 8):
                for i in seq(0, 4):
                    z[0, i] = y[k, i]
    """)
    q = schedule(at("for i in _: _", gemmini.start_in_loop()), p)
    cells = {n: [[7 * i + j for j in range(4)] for i in range(8)] for n in "yz"}
    given = {"x": [None] * 4, **cells}
    assert run(q, given).outputs == run(p, given).outputs


def test_configuration_is_set_for_code_that_asks_for_nothing() -> None:
    p = code("""
        def foo(x: i8[16, 16]):
            S: i8[16, 16] @ GEMM_SCRATCH
            for i in seq(0, 16):
                for j in seq(0, 16):
                    S[i, j] = x[i, j]
    """)
    setting = INSTRUCTIONS["config_ld1"]
    q = schedule(at("for i in _: _", gemmini.configure(setting, "16", "False", "False", "16")), p)
    q = schedule(at("S[_] = _", gemmini.map_again(INSTRUCTIONS["do_ld_i8_id1"])), q)
    assert str(q).splitlines()[-2].strip() == "config_ld1(16, False, 16)"
    with pytest.raises(SchedulingError, match="block == 16"):
        r = schedule(at("for i in _: _", gemmini.configure(setting, "16", "False", "False", "32")), p)
        schedule(at("for i in _: _", replace(INSTRUCTIONS["do_ld_i8_id1"])), r)
    with pytest.raises(SchedulingError, match="sets 4 fields, not 1"):
        schedule(at("for i in _: _", gemmini.configure(setting, "16")), p)


def test_tiles_of_what_has_no_literal_size_are_refused() -> None:
    p = code("""
        def foo(n: size, x: i8[n, n]):
            for i in seq(0, n):
                for j in seq(0, n):
                    x[i, j] = 0.0
    """)
    with pytest.raises(SchedulingError, match="how often i runs is no literal"):
        schedule(at("for i in _: _", gemmini.block_loop(16)), p)
    with pytest.raises(SchedulingError, match="a loop i around a loop of a literal range is wanted"):
        schedule(at("x[_] = _", gemmini.tile_nest("i")), p)


def test_a_loop_with_buffers_of_its_own_keeps_them() -> None:
    """Unrolled, the buffer would live as long as the code around it, beside those of other loops."""
    p = code("""
        def foo(x: i8[16, 16]):
            for i in seq(0, 1):
                t: i8[16, 16]
                for j in seq(0, 16):
                    for k in seq(0, 16):
                        t[j, k] = x[j, k]
    """)
    assert schedule(gemmini.unroll_single(), p) == p
