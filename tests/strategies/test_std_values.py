from __future__ import annotations

import pytest

from exo_strat import DRAM_STACK, Proc, at, proc_from_source, schedule
from exo_strat.testing import assert_equivalent
from strategies import std


def program(body: str, head: str = "n: size, a: f32, b: f32, x: f32[n], y: f32[n], z: f32[n]") -> Proc:
    lines = "\n    ".join(body.strip("\n").splitlines())
    return proc_from_source(f"def foo({head}):\n    {lines}\n")


def body(p: Proc) -> str:
    return "\n".join(line[4:] for line in str(p).splitlines()[1:])


# -- shared values ------------------------------------------------------------------------------------------


def test_the_largest_expression_is_shared_first() -> None:
    p = program("x[0] = (a + b) * (a + b)\ny[0] = (a + b) * (a + b)")
    q = schedule(std.cse(), p)
    assert body(q) == """\
t: f32 @ DRAM
t_1: f32 @ DRAM
t_1 = a + b
t = t_1 * t_1
x[0] = t
y[0] = t"""


def test_what_changes_in_between_is_not_shared() -> None:
    p = program("y[0] = x[0]\nx[0] = a\nz[0] = x[0]")
    assert schedule(std.cse(), p) is p


def test_a_shared_value_may_begin_after_a_change() -> None:
    q = schedule(std.cse(), program("z[0] = x[0]\nx[0] = a\ny[0] = x[0]\nz[0] = x[0]"))
    assert body(q) == """\
z[0] = x[0]
x[0] = a
t: f32 @ DRAM
t = x[0]
y[0] = t
z[0] = t"""


# -- invariant code ---------------------------------------------------------------------------------------------


def test_invariant_statements_take_their_buffers_along() -> None:
    p = program("""
for i in seq(0, n):
    s: f32
    t: f32
    s = a * b
    t = s + 1.0
    y[i] = t * x[i]
""")
    q = schedule(at("for i in _: _", std.licm()), p)
    assert body(q) == """\
s: f32 @ DRAM
s = a * b
t: f32 @ DRAM
t = s + 1.0
for i in seq(0, n):
    y[i] = t * x[i]"""
    assert assert_equivalent(p, q) > 0


def test_a_loop_that_may_be_empty_is_asked_first() -> None:
    p = program("for i in seq(1, n):\n    y[i] = (a + b) * x[i]")
    q = schedule(at("for i in _: _", std.licm()), p)
    assert body(q) == """\
if 1 < n:
    t: f32 @ DRAM
    t = a + b
    for i in seq(1, n):
        y[i] = t * x[i]"""
    assert assert_equivalent(p, q) > 0


def test_a_sum_is_not_moved_with_its_start() -> None:
    p = program("""
for i in seq(0, n):
    s: f32
    s = 0.0
    for j in seq(0, n):
        s += x[j]
    y[i] = s + a
""")
    assert "for i in seq(0, n):\n    s = 0.0" not in body(p)
    q = schedule(at("for i in _: _", std.licm()), p)
    assert assert_equivalent(p, q) > 0


def test_a_loop_keeps_something_to_do() -> None:
    p = program("for i in seq(0, n):\n    x[0] = a\n    x[1] = b", "n: size, a: f32, b: f32, x: f32[2]")
    q, loop = std.licm()(p, p.find_loop("i")).unwrap()  # type: ignore[arg-type]
    assert body(q) == "x[0] = a\nfor i in seq(0, n):\n    x[1] = b" and loop == q.find_loop("i")


def test_the_loop_is_returned() -> None:
    p = program("for i in seq(0, n):\n    y[i] = (a + b) * x[i]")
    q, loop = std.licm()(p, p.find_loop("i")).unwrap()  # type: ignore[arg-type]
    assert loop == q.find_loop("i")


def test_hoisting_stops_at_what_it_depends_on() -> None:
    p = program("y[0] = a\nfor i in seq(0, n):\n    x[0] = y[0]\n    z[i] = 1.0")
    q = schedule(at("x[_] = _", std.hoist()), p)
    assert body(q) == "y[0] = a\nx[0] = y[0]\nfor i in seq(0, n):\n    z[i] = 1.0"


# -- staged values ------------------------------------------------------------------------------------------------


def test_an_expression_is_computed_for_several_loops_before() -> None:
    p = program("for i in seq(0, n):\n    for j in seq(0, 4):\n        y[i] += (x[i] + a) * b")
    q = schedule(at("x[_] + a", std.stage_expr("t", DRAM_STACK, n_lifts=2)), p)
    assert body(q) == """\
t: f32[n, 4] @ DRAM_STACK
for i in seq(0, n):
    for j in seq(0, 4):
        t[i, j] = x[i] + a
for i in seq(0, n):
    for j in seq(0, 4):
        y[i] += t[i, j] * b"""


def test_what_is_read_and_written_is_staged_both_ways() -> None:
    p = program("for i in seq(0, n):\n    for j in seq(0, 8):\n        y[i] += x[i]")
    q = schedule(at("for j in _: _", std.auto_stage_mem("y", "acc", DRAM_STACK)), p)
    assert "acc: f32 @ DRAM_STACK" in body(q) and "y[i] = acc" in body(q)


def test_a_buffer_that_is_not_used_is_not_staged() -> None:
    p = program("for i in seq(0, n):\n    y[i] = 0.0")
    failure = at("for i in _: _", std.auto_stage_mem("x", "xs"))(p).failure()
    assert "nothing here accesses x" in str(failure)


# -- less code ------------------------------------------------------------------------------------------------------


def test_buffers_that_only_fill_each_other_go() -> None:
    p = program("s: f32\nt: f32\ns = a\nt = s\nfor i in seq(0, 0):\n    x[i] = t\ny[0] = b")
    assert body(schedule(std.cleanup(), p)) == "y[0] = b"


def test_buffers_that_only_calls_and_windows_fill_go() -> None:
    copy = proc_from_source("def copy(v: [f32][4], w: [f32][4]):\n    for q in seq(0, 4):\n        w[q] = v[q]")
    kept = "copy(x[0:4], y[0:4])"
    text = """
    def foo(x: f32[4], y: f32[4]):
        s: f32[4]
        t: f32[4]
        copy(x[0:4], s[0:4])
        copy(s[0:4], t[0:4])
        copy(x[0:4], y[0:4])
    """
    p = proc_from_source(text, {"copy": copy})
    assert body(schedule(std.dce(), p)) == kept
    u = proc_from_source(text.replace("copy(s[0:4], t[0:4])", "u = t[0:4]\n        u[0] = s[0]"), {"copy": copy})
    assert body(schedule(std.dce(), u)) == kept
    read = proc_from_source(text.replace("copy(x[0:4], y", "copy(t[0:4], y"), {"copy": copy})
    assert schedule(std.dce(), read) is read


@pytest.mark.parametrize("values", ((1, 2, 3), [1, 2, 3]))
def test_sizes_make_bounds_literal(values: tuple[int, ...]) -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    assert n <= 24
    for i in seq(0, (n + 7) / 8):
        x[i] = 0.0
""")
    q = schedule(at("for i in _: _", std.specialize_sizes("(n + 7) / 8", values)) >> std.unroll_loops(), p)
    assert not q.find_all("for _ in _: _") and len(q.find_all("x[_] = _")) == 6
    assert assert_equivalent(p, q) > 0
