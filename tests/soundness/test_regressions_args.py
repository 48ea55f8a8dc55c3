"""Violations about what a version may ask of its arguments, and about parallel loops around a call that is swapped:
what was accepted once, and is not any more; and what next to it is still accepted."""

from __future__ import annotations

import pytest

from exo_strat import f32, index
from exo_strat.cursors.kinds import CallCursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    bind_config,
    bind_expr,
    call_eqv,
    delete_buffer,
    drop_guard,
    insert_noop_call,
    lift_reduce_constant,
    lift_scope,
    rename,
    replace,
    rewrite_expr,
    specialize,
    stage_mem,
    write_config,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.interp import Array
from exo_strat.ops.failure import SchedulingError
from exo_strat.testing import Inputs, Miscompiled, assert_equivalent


@config
class Cfg:
    n: index
    scale: f32


def parsed(args: str, lines: str, **names: object) -> Proc:
    body = "".join(f"    {s}\n" for s in lines.strip("\n").splitlines())
    return proc_from_source(f"def foo({args}):\n{body}", {"Cfg": Cfg, **names})


def needs(new: Proc, old: Proc) -> list[str]:
    return sorted(s.name for s in new.needs_since(old))


def cells(values: list[float | None]) -> Array:
    return Array(list(values), 0, (len(values),), (1,))  # type: ignore[arg-type]


NOP = rename(parsed("a: f32", "pass"), "nop")
SOME = rename(parsed("x: [f32][8], y: [f32][8]", "for i in seq(0, 4):\n    x[2 * i] = y[i]"), "some")
"""It writes every second element of x, and reads half of y."""
STAGED = rename(stage_mem(SOME, "for i in _: _", "x[0:8]", "t"), "staged")
READS = rename(parsed("x: [f32][8], y: [f32][8]", "t: f32\nt = y[0]\nx[1] = y[1]"), "reads")
LEAN = rename(delete_buffer(READS, "t"), "lean")


# -- what a version notes ------------------------------------------------------------------------------


def test_a_window_that_is_written_in_part_is_loaded() -> None:
    """Its caller need not have written the rest."""
    assert needs(STAGED, SOME) == ["x"]
    values = Inputs({"x": cells([None] * 8), "y": cells([1.0] * 8)}, {})
    with pytest.raises(Miscompiled, match="x was read but never written"):
        assert_equivalent(SOME, STAGED, values)


@pytest.mark.parametrize(
    "lines",
    [
        "for i in seq(0, 8):\n    y[0] = x[i]",
        "for i in seq(0, 8):\n    x[i] += y[0]",
        "for k in seq(0, 3):\n    for i in seq(0, 8):\n        x[i] += y[k]",
        "for i in seq(0, 8):\n    x[i] = y[i]",
        "for i in seq(0, 8):\n    if i < 4:\n        y[i] = x[i]\n    else:\n        x[i] += 1.0",
    ],
)
def test_a_window_that_the_code_needs_anyway(lines: str) -> None:
    p = parsed("x: f32[8], y: f32[8]", lines)
    assert needs(stage_mem(p, p.body(), "x[0:8]", "t"), p) == []


def test_a_window_that_was_accessed_before() -> None:
    for before in ("x[i] = 0.0", "y[i] = x[i]", "x[i] += 1.0"):
        p = parsed("x: f32[8], y: f32[8]", f"for i in seq(0, 8):\n    {before}\nfor j in seq(0, 4):\n    x[j] = y[j]")
        assert needs(stage_mem(p, "for j in _: _", "x[0:8]", "t"), p) == []
    p = parsed("x: f32[8], y: f32[8]", "for j in seq(0, 4):\n    x[j] = y[j]\nfor i in seq(0, 8):\n    x[i] = 0.0")
    assert needs(stage_mem(p, "for j in _: _", "x[0:8]", "t"), p) == ["x"]


def test_a_sum_that_may_be_empty_is_accumulated_back() -> None:
    p = parsed("n: size, x: f32, y: f32[n]", "for i in seq(1, n):\n    x += y[i]")
    assert needs(stage_mem(p, "for i in _: _", "x", "t", accum=True), p) == ["x"]
    p = parsed("n: size, x: f32, y: f32[n]", "for i in seq(0, n):\n    x += y[i]")
    assert needs(stage_mem(p, "for i in _: _", "x", "t", accum=True), p) == []


def test_a_condition_on_data_that_was_not_asked() -> None:
    p = parsed("x: f32[8], y: f32[8]", "for i in seq(0, 8):\n    x[i] = 0.0\ny[0] = y[1]")
    assert needs(specialize(p, "for i in _: _", "y[2] < 1.0"), p) == ["y"]
    assert needs(specialize(p, "y[0] = _", "y[1] < 1.0"), p) == []
    assert needs(specialize(p, "y[0] = _", "x[3] < 1.0"), p) == []


@pytest.mark.parametrize("value", ["x[1]", "a"])
def test_an_element_that_a_call_gets_by_reference_is_not_read(value: str) -> None:
    p = parsed("x: f32[8], a: f32", f"nop({value})", nop=NOP)
    call = p.find("nop(_)")
    assert isinstance(call, CallCursor)
    q = bind_expr(p, call.args()[0], "t")
    assert needs(q, p) == needs(bind_config(p, call.args()[0], Cfg, "scale"), p) == [value[0]]


def test_a_local_element_that_a_call_gets_by_reference_need_not_be_there() -> None:
    p = parsed("x: f32[8]", "a: f32[2]\na[0] = 1.0\nnop(a[1])\nnop(a[0])", nop=NOP)
    first, second = p.find_all("nop(_)")
    assert isinstance(first, CallCursor) and isinstance(second, CallCursor)
    bind_expr(p, second.args()[0], "t")
    for rewritten in (lambda e: bind_expr(p, e, "t"), lambda e: bind_config(p, e, Cfg, "scale")):
        with pytest.raises(SchedulingError, match="a, which the expression reads, is surely written before"):
            rewritten(first.args()[0])


def test_a_callee_that_reads_what_it_gets_by_reference() -> None:
    put = rename(parsed("a: f32, x: [f32][8]", "x[0] = a"), "put")
    p = parsed("x: f32[8], a: f32[2]", "put(a[1], x[0:8])", put=put)
    call = p.find("put(_)")
    assert isinstance(call, CallCursor)
    assert needs(bind_expr(p, call.args()[0], "t"), p) == []


def test_a_parallel_loop_in_which_a_call_does_not_read_what_it_gets_by_reference() -> None:
    p = parsed("x: f32[8]", "for i in par(0, 8):\n    nop(x[3])\n    x[i] = 0.0", nop=NOP)
    call = p.find("nop(_)")
    assert isinstance(call, CallCursor)
    with pytest.raises(SchedulingError, match="no two iterations of i touch one location"):
        bind_expr(p, call.args()[0], "t")


def test_a_guard_that_kept_reads_away() -> None:
    lines = "t: f32[8]\nfor i in seq(0, 8):\n    if i < 4:\n        t[i] = {}\nfor i in seq(0, 4):\n    y[i] = t[i]"
    p = parsed("x: f32[8], y: f32[8]", lines.format("x[i]"))
    assert needs(drop_guard(p, "if _: _"), p) == ["x"]
    p = parsed("x: f32[8], y: f32[8]", lines.format("x[i / 4]"))
    assert needs(drop_guard(p, "if _: _"), p) == ["x"]
    p = parsed("x: f32[8], y: f32[8]", f"for i in seq(0, 8):\n    x[i] += 1.0\n{lines.format('x[i]')}")
    assert needs(drop_guard(p, "if _: _"), p) == []


def test_code_that_was_not_there() -> None:
    p = parsed("n: size, x: f32[8], y: f32[8]", "x[0] = y[0]\nx[1] = 0.0")
    last = p.body()[-1]
    assert needs(write_config(p, last.before(), Cfg, "scale", "y[1]"), p) == ["y"]
    assert needs(write_config(p, last.before(), Cfg, "scale", "y[0] + x[0]"), p) == []
    look = rename(parsed("x: [f32][2]", "a: f32\na = x[0] + x[1]"), "look")
    assert needs(insert_noop_call(p, last.after(), look, ["y[0:2]"]), p) == ["y"]
    assert needs(insert_noop_call(p, last.after(), look, ["x[0:2]"]), p) == []


def test_what_a_loop_asks_only_if_it_runs() -> None:
    p = parsed("n: size, x: f32[n], y: f32", "for i in seq(1, n):\n    if y < 1.0:\n        x[i] = 0.0")
    assert needs(lift_scope(p, "if _: _"), p) == ["y"]
    p = parsed("n: size, x: f32[n], y: f32", "for i in seq(0, n):\n    if y < 1.0:\n        x[i] = 0.0")
    assert needs(lift_scope(p, "if _: _"), p) == []
    p = parsed("n: size, x: f32[n], y: f32, z: f32", "z = 0.0\nfor i in seq(1, n):\n    z += y * x[i]")
    assert needs(lift_reduce_constant(p, p.body()), p) == ["y"]


# -- who is asked --------------------------------------------------------------------------------------


def test_a_version_that_needs_what_the_caller_did_not_write() -> None:
    """A caller trapped."""
    p = parsed("y: f32[8]", "z: f32[8]\nz[1] = 0.0\nsome(z[0:8], y[0:8])", some=SOME)
    with pytest.raises(SchedulingError, match="z, which staged reads, is initialised"):
        call_eqv(p, "some(_)", STAGED)


@pytest.mark.parametrize("first", ["z[i] = 0.0", "z[i] = 1.0\n    z[i] += y[0]"])
def test_a_version_that_needs_what_the_caller_wrote(first: str) -> None:
    p = parsed("y: f32[8]", f"z: f32[8]\nfor i in seq(0, 8):\n    {first}\nsome(z[0:8], y[0:8])", some=SOME)
    q = call_eqv(p, "some(_)", STAGED)
    assert needs(q, p) == []
    assert_equivalent(p, q)


def test_what_a_version_needs_of_its_callers_argument_is_noted_there() -> None:
    p = parsed("y: f32[8], z: f32[8]", "some(z[0:8], y[0:8])", some=SOME)
    q = rename(call_eqv(p, "some(_)", STAGED), "outer")
    assert needs(q, p) == ["z"]
    p2 = parsed("y: f32[8], z: f32[8]", "foo(y, z)\nfoo(y, z)\nw: f32[8]\nfoo(y, w)", foo=p)
    q2 = call_eqv(p2, "foo(_)", q)
    assert needs(q2, p2) == ["z"]
    with pytest.raises(SchedulingError, match="w, which outer reads, is initialised"):
        call_eqv(p2, "foo(_) #2", q)
    q3 = call_eqv(p2, "foo(_) #1", q)  # half of it was written by the first call, not all
    assert needs(q3, p2) == ["z"]


def test_what_the_old_version_reads_itself() -> None:
    reading = rename(parsed("x: [f32][4], y: f32", "for i in seq(0, 4):\n    y += x[i]\nx[0] = y"), "reading")
    staged = rename(stage_mem(reading, reading.body()[1], "x[0:4]", "t"), "more")
    assert needs(staged, reading) == []
    noted = rename(specialize(reading, reading.body(), "x[3] < 1.0"), "noted")
    assert needs(noted, reading) == []


def test_the_version_that_both_were_made_from_reads_more() -> None:
    p = parsed("y: f32[8], z: f32[8]", "w: f32[8]\nw[1] = 0.0\nlean(z[0:8], w[0:8])\nlean(w[0:8], y[0:8])", lean=LEAN)
    with pytest.raises(SchedulingError, match="w, which reads reads, is initialised"):
        call_eqv(p, "lean(_)", READS)
    assert needs(call_eqv(p, "lean(_) #1", READS), p) == ["y"]


# -- parallel loops ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["par", "vec"])
def test_a_version_that_stages_all(mode: str) -> None:
    """Each iteration wrote its own element, and then each writes all."""
    one = rename(parsed("i: index, x: [f32][8]", "assert 0 <= i and i < 8\nx[i] = 1.0"), "one")
    staged = rename(stage_mem(one, "x[_] = _", "x[0:8]", "t"), "all_of_x")
    lines = f"for i in seq(0, 8):\n    x[i] = 0.0\nfor i in {mode}(0, 8):\n    one(i, x[0:8])"
    p = parsed("x: f32[8]", lines, one=one)
    with pytest.raises(SchedulingError, match="no two iterations of i touch one location"):
        call_eqv(p, "one(_)", staged)
    call_eqv(parsed("x: f32[8]", lines.replace(mode, "seq"), one=one), "one(_)", staged)


@pytest.mark.parametrize("mode", ["par", "vec"])
def test_a_version_that_writes_a_config_field(mode: str) -> None:
    one = rename(parsed("a: f32, x: [f32][1]", "x[0] = a"), "one")
    bound = rename(bind_config(one, "a", Cfg, "scale"), "bound")
    p = parsed("a: f32, x: f32[8]", f"for i in {mode}(0, 8):\n    one(a, x[i:i + 1])", one=one)
    with pytest.raises(SchedulingError, match="no two iterations of i touch one location"):
        call_eqv(p, "one(_)", bound)


def test_a_call_of_which_less_is_known_than_of_its_body() -> None:
    put = rename(parsed("b: bool, x: [f32][8]", "if b:\n    x[0] = 1.0"), "put")
    p = parsed("x: f32[8]", "for i in par(0, 8):\n    if i == 0:\n        x[0] = 1.0")
    with pytest.raises(SchedulingError, match="no two iterations of i touch one location"):
        replace(p, "if _: _", put)


def test_a_condition_that_only_a_config_field_makes_equal() -> None:
    lines = "Cfg.n = 0\nfor i in par(0, 8):\n    if i == 0:\n        y = 1.0\n    if i == Cfg.n:\n        pass"
    p = parsed("y: f32", lines)
    conditions = [c.cond() for c in p.find_all("if _: _")]  # type: ignore[attr-defined]
    with pytest.raises(SchedulingError, match="no two iterations of i touch one location"):
        rewrite_expr(p, *conditions)


# -- staging -------------------------------------------------------------------------------------------


def test_an_element_beside_the_window_that_a_callee_does_not_touch() -> None:
    """It became `t[-1]`."""
    lines = "for i in seq(0, 4):\n    x[4 + i] += y[i]\n    nop(x[{}])"
    p = parsed("x: f32[8], y: f32[8]", lines.format(3), nop=NOP)
    q = stage_mem(p, "for i in _: _", "x[4:8]", "t")
    assert "nop(x[3])" in str(q) and "t[i] += y[i]" in str(q)
    assert_equivalent(p, q)
    p = parsed("x: f32[8], y: f32[8]", lines.format(5), nop=NOP)
    assert "nop(t[1])" in str(stage_mem(p, "for i in _: _", "x[4:8]", "t"))
    p = parsed("k: index, x: f32[8], y: f32[8]", "assert 0 <= k and k < 8\n" + lines.format("k"), nop=NOP)
    with pytest.raises(SchedulingError, match="inside the window, or else surely beside it"):
        stage_mem(p, "for i in _: _", "x[4:8]", "t")
