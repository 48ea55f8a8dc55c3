"""Calls: found by unification, and exchanged for equivalent ones; and what each of them owes."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent

import pytest
from pyrsistent import pmap

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    call_eqv,
    delete_buffer,
    divide_loop,
    rename,
    reorder_loops,
    replace,
    set_memory,
    set_precision,
    unroll_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.memory import DRAM, Memory
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, SchedulingError, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import call_eqv as eqv_op
from exo_strat.primitives import replace as replace_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]

VEC = Memory("VEC")
LOOP = "for i in _: _"


@config
class Cfg:
    n: index
    st: stride
    on: bool
    scale: f32


def source(text: str, **env: object) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "VEC": VEC, "DRAM": DRAM, **env})


def program(lines: str, args: str = "n: size, x: f32[n + 8], y: f32[8]", **env: object) -> Proc:
    return source(f"def foo({args}):\n" + "".join(f"    {s}\n" for s in lines.strip("\n").splitlines()), **env)


# -- replace: what is found ---------------------------------------------------------------------------

ADD = source("""
def add(n: size, d: [f32][n], a: [f32][n], b: [f32][n]):
    assert n <= 8
    for i in seq(0, n):
        d[i] = a[i] + b[i]
""")


def test_replace_finds_offsets_points_shifts_and_sizes(same: Same, body: Body, applied: Applied) -> None:
    p = program(
        """
for j in seq(0, 4):
    for k in seq(-3, j - 1):
        x[j, k + 5] = z[k + 3, 2] + y[2 * j + k + 3]
    y[j] = 1.0
""",
        "x: f32[4, 8], y: f32[12], z: f32[6, 3]",
    )
    q, c = applied(replace_op(ADD), p, p.find_loop("k"))
    assert body(q) == (
        "for j in seq(0, 4):\n    add(j + 2, x[j, 2:j + 4], z[0:j + 2, 2], y[2 * j:3 * j + 2])\n    y[j] = 1.0"
    )
    assert c == q.find("add(_)") and not q.forward(p.find("x[_] = _")).is_valid
    assert not q.forward(p.find_loop("k")).is_valid and q.forward(p.find("y[_] = _")) == q.find("y[_] = _")
    same(p, q)


def test_replace_finds_operands_in_either_order_if_that_is_the_same(same: Same, body: Body, refused: Refused) -> None:
    fma = source("""
def fma(d: [f32][4], a: [f32][4], b: f32):
    for i in seq(0, 4):
        d[i] += a[i] * b
""")
    p = program("for i in seq(0, 4):\n    x[i] += y[5] * x[i + 4]")
    q = replace(p, LOOP, fma)
    assert body(q) == "fma(x[0:4], x[4:8], y[5])"
    same(p, q, n=1)
    sub = source("def sub(d: [f32][4], a: [f32][4], b: f32):\n    for i in seq(0, 4):\n        d[i] = a[i] - b\n")
    p = program("for i in seq(0, 4):\n    x[i] = y[5] - x[i + 4]")
    assert isinstance(refused(replace, p, LOOP, sub), NotApplicable)


def test_replace_several_statements_branches_and_buffers_of_its_own(same: Same, body: Body) -> None:
    f = source("""
def swap(n: size, z: [f32][n], k: size):
    for i in seq(0, n):
        t: f32[k]
        if i < n - 1:
            t[k - 1] = z[i]
            z[i] = z[i + 1]
            z[i + 1] = t[k - 1]
        else:
            z[i] += 1.0
    z[0] = 0.0
""")
    p = program("""
for i in seq(1, n + 1):
    u: f32[3]
    if i < n:
        u[2] = x[i]
        x[i] = x[i + 1]
        x[i + 1] = u[2]
    else:
        x[i] += 1.0
x[1] = 0.0
""")
    q = replace(p, p.body(), f)
    assert body(q) == "swap(n, x[1:n + 1], 3)"
    same(p, q, n=4)


def test_replace_masks(same: Same, body: Body, refused: Refused) -> None:
    store = source("""
def store(n: size, d: [f32][n], v: f32):
    assert n <= 8
    for i in seq(0, 8):
        if i < n:
            d[i] = v
""")
    p = program("""
assert n <= 8
for i in seq(0, 8):
    if i + 1 <= n:
        x[i] = 2.0
for i in seq(0, 8):
    if i < n - 1:
        x[i] = 2.0
""")
    q = replace(p, LOOP, store)
    assert body(q).startswith("store(n, x[0:n], 2.0)")
    same(p, q, n=5)
    f = refused(replace, q, LOOP, store)  # no size is 0
    assert isinstance(f, Unsafe) and f.counterexample == {"n": 1}


def test_replace_finds_bools_strides_and_config_writes(same: Same, body: Body, refused: Refused) -> None:
    setup = source("""
def setup(s: stride, on: bool, k: index, a: f32):
    Cfg.st = s
    Cfg.n = k + 1
    Cfg.on = on
    Cfg.scale = a
""")
    p = program("Cfg.st = stride(x, 0)\nCfg.n = n\nCfg.on = n < 4\nCfg.scale = y[1]", "n: size, x: [f32][n], y: f32[8]")
    q = replace(p, p.body(), setup)
    assert body(q) == "setup(stride(x, 0), n < 4, n - 1, y[1])"
    same(p, q, n=3)
    p = program("Cfg.st = stride(x, 0)\nCfg.n = Cfg.n\nCfg.on = n < 4\nCfg.scale = y[1]")
    assert isinstance(refused(replace, p, p.body(), setup), NotApplicable)


def test_replace_takes_whole_buffers_where_the_callee_wants_them(same: Same, body: Body, refused: Refused) -> None:
    dense = source("def clear(z: f32[8]):\n    for i in seq(0, 4):\n        z[i] = 0.0\n")
    p = program("for i in seq(2, 6):\n    y[i - 2] = 0.0\nfor i in seq(0, 4):\n    y[i + 4] = 0.0")
    q = replace(p, LOOP, dense)
    assert body(q).startswith("clear(y)")
    same(p, q, n=1)
    assert isinstance(refused(replace, q, LOOP, dense), NotApplicable)  # it would have to be y[4:8]
    rows = program("for i in seq(0, 4):\n    x[1, i] = 0.0", "x: f32[2, 8]")
    assert isinstance(refused(replace, rows, LOOP, dense), NotApplicable)


INSIDE = """
def inside(k: size, a: f32, x: [f32][k, 4]):
    for i in seq(0, k):
        w = x[i, 1:3]
        add(2, w, a)
        add(2, x[i, 2:4], 2.0 * a)
"""


def nested() -> tuple[Proc, Proc]:
    """A procedure that makes windows and calls of another, which is the first."""
    add = proc_from_source("def add(k: size, y: [f32][k], b: f32):\n    for i in seq(0, k):\n        y[i] += b")
    return add, proc_from_source(INSIDE, {"add": add})


def test_replace_finds_windows_and_calls(same: Same, body: Body) -> None:
    add, inside = nested()
    p = proc_from_source(
        """
    def foo(m: size, s: f32[m], y: f32[m, 2, 8]):
        for j in seq(0, m):
            for i in seq(0, 2):
                v = y[j, i, 3:5]
                add(2, v[0:2], s[j])
                add(2, y[j, i, 4:6], 2.0 * s[j])
    """,
        {"add": add},
    )
    q = replace(p, LOOP, inside)
    assert body(q) == "for j in seq(0, m):\n    inside(2, s[j], y[j, 0:2, 2:6])"
    same(p, q, m=3)


@pytest.mark.parametrize(
    ("window", "call", "last"),
    [
        ("y[0, i, 3:5]", "add(2, v, s[0])", "add(2, y[0, i, 5:7], 2.0 * s[0])"),  # not where the first one says
        ("y[0, i, 3:5]", "add(2, v, s[0])", "add(2, y[1, i, 4:6], 2.0 * s[0])"),
        ("y[0, i, 3:5]", "add(2, v, s[0])", "add(2, y[0, i, 4:6], s[0])"),
        ("y[0, i, 3:5]", "add(1, v[0:1], s[0])", "add(2, y[0, i, 4:6], 2.0 * s[0])"),
        ("y[0, i, 3:5]", "add(2, v, s[i])", "add(2, y[0, i, 4:6], 2.0 * s[i])"),  # the scalar moves
        ("y[0, 0:2, i]", "add(2, v, s[0])", "add(2, y[0, i, 4:6], 2.0 * s[0])"),
        ("y[0, i, 3:5]", "add(2, v, s[0])", "other(2, y[0, i, 4:6], 2.0 * s[0])"),
    ],
)
def test_replace_wants_the_same_windows_and_calls(window: str, call: str, last: str, refused: Refused) -> None:
    add, inside = nested()
    lines = [f"v = {window}", call, last]
    text = "def foo(s: f32[2], y: f32[2, 2, 8]):\n    for i in seq(0, 2):\n" + "".join(f"        {x}\n" for x in lines)
    p = proc_from_source(text, {"add": add, "other": rename(add, "other")})
    assert isinstance(refused(replace, p, LOOP, inside), NotApplicable)


def test_replace_gives_up_quickly_where_there_are_many_ways(refused: Refused) -> None:
    total = " + ".join(f"a[{k}] * b[{k}]" for k in range(12))
    f = source(f"def dot(a: [f32][12], b: [f32][12], d: f32):\n    d = {total}\n")
    p = program("y[0] = " + " + ".join(f"x[{k}] * y[{k % 7}]" for k in range(12)), "x: f32[12], y: f32[8]")
    assert isinstance(refused(replace, p, "y[0] = _", f), NotApplicable)


# -- replace: what a call owes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("for i in seq(0, 4):\n    x[i] = x[i + 1] + y[i]", "overlap"),
        ("for i in seq(0, 4):\n    x[i] = x[i] + y[i]", "overlap"),
        ("for i in seq(0, 9):\n    x[i] = z[i] + z[i]", "n <= 8"),
        ("for i in seq(0, n - 1):\n    x[i] = z[i] + z[i]", "less than 1"),
    ],
)
def test_replace_proves_what_the_callee_relies_on(refused: Refused, lines: str, reason: str) -> None:
    p = program(lines, "n: size, x: f32[n + 12], y: f32[8], z: f32[n + 12]")
    f = refused(replace, p, LOOP, ADD)
    assert isinstance(f, Unsafe) and reason in f.message


def test_replace_sees_overlaps_through_windows(refused: Refused, body: Body, same: Same) -> None:
    lines = "w = x[2:9]\nfor i in seq(0, 4):\n    x[i] = w[i + {}] + y[i]"
    p = program(lines.format(2))
    assert body(replace(p, LOOP, ADD)).endswith("add(4, x[0:4], w[2:6], y[0:4])")
    same(p, replace(p, LOOP, ADD), n=2)
    f = refused(replace, program(lines.format(1)), LOOP, ADD)
    assert isinstance(f, Unsafe) and "overlap" in f.message


def test_replace_one_buffer_may_be_read_under_two_names(same: Same, body: Body) -> None:
    p = program("for i in seq(0, 4):\n    x[i] = y[i] + y[7 - 3]\nfor i in seq(0, 4):\n    x[i] = y[i] + y[i + 1]")
    q = replace(p, f"{LOOP} #1", ADD)
    assert body(q).endswith("add(4, x[0:4], y[0:4], y[1:5])")
    same(p, q, n=1)


def test_replace_a_scalar_must_stay_the_same(refused: Refused) -> None:
    fill = source("def fill(d: [f32][4], v: f32):\n    for i in seq(0, 4):\n        d[i] = v\n")
    changes = program("for i in seq(0, 4):\n    x[i] = x[0]")
    f = refused(replace, changes, LOOP, fill)
    assert isinstance(f, Unsafe) and "overlap" in f.message
    moves = program("for i in seq(0, 4):\n    x[i] = y[i]")
    assert isinstance(refused(replace, moves, LOOP, fill), NotApplicable)
    two = source("def two(a: f32, b: f32):\n    b = a\n    b += a\n")
    differ = program("x[0] = y[0]\nx[0] += y[1]")
    assert isinstance(refused(replace, differ, differ.body(), two), NotApplicable)
    itself = program("x[0] = x[0]\nx[0] += x[0]")
    assert isinstance(refused(replace, itself, itself.body(), two), Unsafe)


def test_replace_windows_must_lie_in_their_buffers(refused: Refused) -> None:
    some = source("def some(d: [f32][10]):\n    for i in seq(0, 10):\n        if i < 2:\n            d[i] = 0.0\n")
    p = program("for i in seq(0, 10):\n    if i < 2:\n        y[i] = 0.0")
    f = refused(replace, p, LOOP, some)
    assert isinstance(f, Unsafe) and "out of bounds" in f.message


def test_replace_strides(same: Same, body: Body, refused: Refused) -> None:
    unit = source("""
def unit(d: [f32][4]):
    assert stride(d, 0) == 1
    for i in seq(0, 4):
        d[i] = 0.0
""")
    p = program("for i in seq(0, 4):\n    x[2, i] = 0.0\nfor i in seq(0, 4):\n    x[i, 2] = 0.0", "x: f32[4, 4]")
    q = replace(p, LOOP, unit)
    assert body(q).startswith("unit(x[2, 0:4])")
    same(p, q)
    f = refused(replace, q, LOOP, unit)
    assert isinstance(f, Unsafe) and "stride" in f.message


def test_replace_tries_another_window_if_the_first_may_not_be_passed(body: Body) -> None:
    one = source("def one(d: [f32][1]):\n    assert stride(d, 0) != 1\n    d[0] = 0.0\n")
    p = program("x[2, 3] = 0.0", "x: f32[4, 4]")
    assert body(replace(p, "x[_] = _", one)) == "one(x[2:3, 3])"


def test_replace_memories_and_precisions(refused: Refused) -> None:
    vec = source("def zero(d: [f32][8] @ VEC):\n    for i in seq(0, 8):\n        d[i] = 0.0\n")
    p = program("t: f32[8] @ VEC\nfor i in seq(0, 8):\n    t[i] = 0.0\nfor i in seq(0, 8):\n    x[i] = 0.0")
    q = replace(p, LOOP, vec)
    assert "zero(t[0:8])" in str(q)
    assert isinstance(refused(replace, q, LOOP, vec), NotApplicable)
    double = set_precision(p, "t", "f64")
    assert isinstance(refused(replace, double, LOOP, vec), NotApplicable)


def test_replace_keeps_what_is_used_later(refused: Refused) -> None:
    f = source("def f(d: [f32][1]):\n    t: f32\n    t = 1.0\n    d[0] = t\n")
    p = program("t: f32\nt = 1.0\nx[0] = t\nx[1] = t")
    g = refused(replace, p, p.body()[0].as_block().expand(0, 2), f)
    assert isinstance(g, NotApplicable) and "used after" in g.message
    other = program("t: f64\nt = 1.0\nx[0] = t")
    assert isinstance(refused(replace, other, other.body(), f), NotApplicable)
    inside = source("def inside(d: [f32][1], v: f32):\n    t: f32\n    t = 1.0\n    d[0] = v\n")
    assert isinstance(refused(replace, p, p.body()[0].as_block().expand(0, 2), inside), NotApplicable)


@pytest.mark.parametrize(
    "lines",
    [
        "for i in seq(0, 4):\n    y[i] = 1.0",
        "for i in par(0, 4):\n    y[i] = 0.0",
        "for i in seq(0, 5):\n    y[i] = 0.0",
        "for i in seq(0, 4):\n    y[2 * i] = 0.0",
        "for i in seq(0, 4):\n    y[3 - i] = 0.0",
        "for i in seq(0, 4):\n    y[i / 2] = 0.0",
        "for i in seq(0, 4):\n    y[i] += 0.0",
        "for i in seq(0, 4):\n    y[i] = 0.0\n    y[i] = 0.0",
    ],
)
def test_replace_something_else(refused: Refused, lines: str) -> None:
    zero = source("def zero(d: [f32][4]):\n    for i in seq(0, 4):\n        d[i] = 0.0\n")
    assert isinstance(refused(replace, program(lines), LOOP, zero), NotApplicable)


def test_replace_arguments_must_be_determined(refused: Refused) -> None:
    more = source("def more(n: size, d: [f32][n]):\n    d[0] = 0.0\n")
    assert isinstance(refused(replace, program("y[0] = 0.0"), "y[_] = _", more), NotApplicable)
    assert isinstance(refused(replace, program("y[0] = 0.0"), "y[_] = _", "more"), BadArgument)


def test_replace_code_that_later_calls_rely_on(refused: Refused) -> None:
    need = source("def need(d: [f32][1]):\n    assert Cfg.n == 3\n    d[0] = 0.0\n")
    put = source("def put(k: index):\n    Cfg.n = k\n    Cfg.n = k\n")
    p = program("Cfg.n = 3\nCfg.n = 3\nneed(y[0:1])", need=need)
    assert "put(3)" in str(replace(p, p.body()[0].as_block().expand(0, 1), put))


# -- call_eqv -----------------------------------------------------------------------------------------

WORK = source("""
def work(x: [f32][8], y: [f32][8]):
    t: f32
    t = y[0]
    for i in seq(0, 8):
        x[i] = y[i]
""")
LEAN = rename(delete_buffer(WORK, "t"), "lean")
TILED = divide_loop(LEAN, "i", 4, ["io", "ii"], perfect=True)


def test_call_a_version_made_from_the_one_called(same: Same, body: Body, applied: Applied) -> None:
    p = program("work(x[0:8], y[0:8])", work=WORK)
    q, c = applied(eqv_op(rename(TILED, "fast")), p, p.find("work(_)"))
    assert body(q) == "fast(x[0:8], y[0:8])" and c == q.find("fast(_)")
    same(p, q, n=1)


def test_call_another_version_only_if_what_both_are_made_from_runs(same: Same, refused: Refused) -> None:
    p = program(
        "u: f32[8]\nfor i in seq(0, 8):\n    u[i] = 0.0\nlean(x[0:8], u[0:8])\nlean(x[0:8], y[0:8])\n"
        "v: f32[8]\nfor i in seq(1, 8):\n    v[i] = 0.0\nif n > 4:\n    lean(x[0:8], v[0:8])",
        lean=LEAN,
    )
    unrolled = rename(unroll_loop(WORK, "i"), "unrolled")
    q = call_eqv(call_eqv(p, "lean(_)", WORK), "lean(_)", unrolled)
    same(p, q, n=1)
    call_eqv(q, "lean(_)", WORK)  # it reads v[0], as `lean` does
    assert "fast" in str(call_eqv(q, "lean(_)", rename(TILED, "fast")))
    first = source("def first(x: [f32][8], y: [f32][8]):\n    t: f32\n    t = y[0]\n    x[1] = y[1]\n")
    p = program("u: f32[8]\nu[1] = 0.0\nlean(x[0:8], u[0:8])", lean=rename(delete_buffer(first, "t"), "lean"))
    f = refused(call_eqv, p, "lean(_)", first)
    assert isinstance(f, Unsafe) and "u, which first reads, is initialised" in f.message


def test_call_a_version_that_may_fail_where_the_other_does_not(refused: Refused) -> None:
    divide = source("def divide(x: [f32][8], y: f32):\n    t: f32\n    t = 1.0 / y\n    x[0] = 1.0\n")
    lean = rename(delete_buffer(divide, "t"), "lean")
    p = program("lean(x[0:8], y[0])", lean=lean)
    f = refused(call_eqv, p, "lean(_)", divide)
    assert isinstance(f, Unsafe) and "divide by zero" in f.message
    total = source("def total(x: [f32][8], y: f32):\n    t: f32\n    t = relu(y / 2.0)\n    x[0] = 1.0\n")
    p = program("lean(x[0:8], y[0])", lean=rename(delete_buffer(total, "t"), "lean"))
    assert "total(" in str(call_eqv(p, "lean(_)", total))
    local = source("def local(x: [f32][8]):\n    t: f32\n    s: f32\n    s = t\n    x[0] = 1.0\n")
    p = program("lean(x[0:8])", lean=rename(delete_buffer(local, "s"), "lean"))
    f = refused(call_eqv, p, "lean(_)", local)
    assert isinstance(f, Unsafe) and "before it is written" in f.message


def test_call_strangers(refused: Refused) -> None:
    p = program("work(x[0:8], y[0:8])", work=WORK)
    twin = source(str(WORK))
    assert twin == WORK
    assert isinstance(refused(call_eqv, p, "work(_)", twin), NotApplicable)
    assert isinstance(refused(call_eqv, p, "work(_)", set_precision(WORK, "x", "f64")), NotApplicable)
    assert isinstance(refused(call_eqv, p, "work(_)", set_precision(WORK, "t", "f64")), NotApplicable)
    assert isinstance(refused(call_eqv, p, "work(_)", set_memory(WORK, "x", VEC)), NotApplicable)
    assert isinstance(refused(call_eqv, p, "work(_)", "work"), BadArgument)


def test_call_a_version_that_computes_something_else(refused: Refused) -> None:
    p = source("def foo(x: f32[8], y: f32[8]):\n    add(8, x, y, y)", add=ADD)
    message = refused(call_eqv, p, "add", rename(set_precision(ADD, "d", "f64"), "wide")).message
    assert message == (
        "add and wide are not versions of one procedure that compute the same for the same arguments, "
        "after set_precision('f64')"
    )


def test_call_in_a_nest_that_was_replaced(same: Same) -> None:
    mm = source("""
def mm(m: size, n: size, c: [f32][m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] += 1.0
""")
    p = program("for k in seq(0, n):\n    for i in seq(0, 4):\n        for j in seq(0, n):\n            x[i, j] += 1.0",
                "n: size, x: f32[4, n]")  # fmt: skip
    q = call_eqv(replace(p, "for i in _: _", mm), "mm(_)", rename(reorder_loops(mm, "i j"), "mm_ji"))
    assert "mm_ji(4, n, x[0:4, 0:n])" in str(q)
    same(p, q, n=3)


@pytest.mark.parametrize(
    "lines, why",
    [
        ("for i in seq(0, 4):\n    x[i] = x[i] * C.s", "or one element, and here it is C.s"),
        ("for i in seq(0, 5):\n    x[i] = x[i] * r", "`for q in seq(0, 4)` of scaled equal to `for i in seq(0, 5)`"),
        ("for i in seq(0, 4):\n    x[i] = x[i + 1] * r", "`y[q] = y[q] * c` of scaled equal to `x[i] = x[i + 1] * r`"),
        ("for i in seq(0, 4):\n    d[i] = d[i] * 2.0", "a buffer is of another memory or precision"),
        ("for i in seq(0, 4):\n    x[i] += r", "`x[i] += r` stands where that has `y[q] = y[q] * c`"),
        ("for i in seq(0, 4):\n    x[i] = x[i] * r\n    x[i] = r", "it has 2 statements where that has 1"),
    ],
)
def test_what_does_not_unify_is_named(lines: str, why: str) -> None:
    config = Config("C", pmap({"s": types.f32}))
    scaled = proc_from_source("def scaled(y: [f32][4], c: f32):\n    for q in seq(0, 4):\n        y[q] = y[q] * c")
    p = proc_from_source(f"def p(x: f32[9], d: f64[9], r: f32):\n{indent(lines, '    ')}", {"C": config})
    with pytest.raises(SchedulingError, match=re.escape(why)):
        replace(p, "for i in _: _", scaled)
