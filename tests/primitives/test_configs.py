"""Config fields: bound to expressions, written and written no more; who reads them, and what a run leaves in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.kinds import AssignCursor, ForCursor, IfCursor, WriteConfigCursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    bind_config,
    call_eqv,
    delete_config,
    fission,
    parallelize_loop,
    remove_loop,
    rename,
    write_config,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.interp import run
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import bind_config as bind_op
from exo_strat.primitives import delete_config as delete_op
from exo_strat.primitives import write_config as write_op

Body = Callable[[Proc], str]
Same = Callable[..., None]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]

READ_LATER = "is not read afterwards, before it is written again"
WRITE = "Cfg.n = _"


@config
class Cfg:
    n: index
    st: stride
    on: bool
    scale: f32


def source(text: str, **env: object) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, **env})


def program(lines: str, args: str = "n: size, x: f32[n], a: f32", **env: object) -> Proc:
    return source(f"def foo({args}):\n" + "".join(f"    {s}\n" for s in lines.strip("\n").splitlines()), **env)


def left(q: Proc, p: Proc) -> list[str]:
    """The fields in which `q` may leave other values than `p`."""
    return sorted(f"{f.config.name}.{f.field}" for f in q.leaves_since(p))


def before(p: Proc, pattern: str) -> Cursor:
    return p.find(pattern).before()


def after(p: Proc, pattern: str) -> Cursor:
    return p.find(pattern).after()


# -- delete_config: who reads the field ----------------------------------------------------------------


def test_a_write_that_is_overwritten_goes_without_a_trace(body: Body, same: Same, applied: Applied) -> None:
    p = program("Cfg.n = 1\nx[0] = a\nCfg.n = 2")
    q, c = applied(delete_op(), p, p.find(WRITE))
    assert body(q) == "x[0] = a\nCfg.n = 2" and c == q.root() and left(q, p) == []
    assert q.forward(p.find("x[_] = _")) == q.find("x[_] = _") and not q.forward(p.find(WRITE)).is_valid
    same(p, q, n=2)


def test_a_write_that_nobody_reads_goes_but_the_field_is_noted(body: Body) -> None:
    p = program("Cfg.n = 1\nx[0] = a")
    q = delete_config(p, WRITE)
    assert body(q) == "x[0] = a" and left(q, p) == ["Cfg.n"]
    assert left(rename(q, "bar"), p) == ["Cfg.n"] and left(q, q) == []


def test_the_only_statement_of_a_block_leaves_a_pass(body: Body, applied: Applied) -> None:
    p = program("if n < 4:\n    Cfg.n = 1")
    q, c = applied(delete_op(), p, p.find(WRITE))
    assert body(q) == "if n < 4:\n    pass" and isinstance(c, IfCursor)


CALLEES = {
    "reads": source("def reads(v: f32):\n    if Cfg.n == 1:\n        v = 0.0"),
    "asks": source("def asks(v: f32):\n    assert Cfg.n == 1\n    v = 0.0"),
    "sets": source("def sets(v: f32):\n    Cfg.n = 3\n    v = 0.0"),
    "may_set": source("def may_set(k: index, v: f32):\n    if k < 1:\n        Cfg.n = 3\n    v = 0.0"),
}

READERS = {
    "a condition": "Cfg.n = 1\nif Cfg.n == 1:\n    x[0] = a",
    "a bound": "Cfg.n = 1\nfor i in seq(0, Cfg.n):\n    a = 0.0",
    "another field's value": "Cfg.n = 1\nCfg.st = Cfg.n",
    "its own next value": "Cfg.n = 1\nCfg.n = Cfg.n + 1",
    "a callee": "Cfg.n = 1\nreads(a)",
    "a callee's assertion": "Cfg.n = 1\nasks(a)",
    "after a write that may not happen": "Cfg.n = 1\nif n < 4:\n    Cfg.n = 2\nif Cfg.n == 1:\n    x[0] = a",
    "after a loop that may be empty": "Cfg.n = 1\nfor i in seq(1, n):\n    Cfg.n = 2\nif Cfg.n == 1:\n    x[0] = a",
    "after a callee that may not write": "Cfg.n = 1\nmay_set(n, a)\nreads(a)",
    "the next iteration": "for i in seq(0, n):\n    if Cfg.n == 1:\n        x[i] = a\n    Cfg.n = 1",
    "after the loop": "for i in seq(0, n):\n    Cfg.n = 1\nreads(a)",
    "after the branch": "if n < 4:\n    Cfg.n = 1\nelse:\n    Cfg.n = 2\nreads(a)",
    "an outer loop's next iteration": "for i in seq(0, n):\n    reads(a)\n    for j in seq(0, n):\n        Cfg.n = 1",
}


@pytest.mark.parametrize("why", sorted(READERS))
def test_a_write_that_is_read_stays(why: str, refused: Refused) -> None:
    failure = refused(delete_config, program(READERS[why], **CALLEES), WRITE)
    assert isinstance(failure, Unsafe) and f"Cfg.n {READ_LATER}" in failure.message
    assert "reads Cfg.n" in failure.details


def test_a_refusal_knows_for_which_sizes_the_field_is_read(refused: Refused) -> None:
    p = program("Cfg.n = 1\nfor i in seq(4, n):\n    reads(a)", **CALLEES)
    failure = refused(delete_config, p, WRITE)
    assert failure.counterexample["n"] > 4  # type: ignore[attr-defined]


OVERWRITTEN = {
    "in both branches": "Cfg.n = 1\nif n < 4:\n    Cfg.n = 2\nelse:\n    Cfg.n = 3\nreads(a)",
    "by a loop that runs": "Cfg.n = 1\nfor i in seq(0, n):\n    Cfg.n = 2\nreads(a)",
    "by a callee": "Cfg.n = 1\nsets(a)\nreads(a)",
    "before it is read in the loop": "Cfg.n = 1\nfor i in seq(0, n):\n    Cfg.n = 2\n    reads(a)",
    "at the start of each iteration": "for i in seq(0, n):\n    Cfg.n = 2\n    reads(a)\n    Cfg.n = 1\nCfg.n = 4",
    "by a callee that surely writes here": "Cfg.n = 1\nmay_set(0, a)\nreads(a)",
}


@pytest.mark.parametrize("how", sorted(OVERWRITTEN))
def test_a_write_that_is_surely_overwritten(how: str, same: Same) -> None:
    p = program(OVERWRITTEN[how], **CALLEES)
    q = delete_config(p, "Cfg.n = 1")
    assert left(q, p) == []
    same(p, q, {"Cfg.n": 7}, n=3)
    same(p, q, {"Cfg.n": 7}, n=5)


REPEATED = {
    "a write of the same": "Cfg.n = n\nx[0] = a\nCfg.n = n\nreads(a)",
    "of an equal value": "Cfg.n = n\nCfg.n = 2 * n - n\nreads(a)",
    "in a loop": "Cfg.n = n\nfor i in seq(0, n):\n    Cfg.n = n\n    reads(a)",
    "in a nest": "Cfg.n = n\nfor i in seq(0, n):\n    for j in seq(0, i):\n        Cfg.n = n\n        reads(a)",
}


@pytest.mark.parametrize("how", sorted(REPEATED))
def test_a_write_of_what_the_field_holds_anyway(how: str, same: Same) -> None:
    p = program(REPEATED[how], **CALLEES)
    q = delete_config(p, "Cfg.n = _ #1")
    assert left(q, p) == [] and len(q.find_all(WRITE)) == 1
    same(p, q, n=3)


def test_a_field_that_changes_in_between_is_not_known_to_hold_it(refused: Refused) -> None:
    p = program("Cfg.n = n\nfor i in seq(0, n):\n    Cfg.n = n\n    reads(a)\n    sets(a)", **CALLEES)
    assert isinstance(refused(delete_config, p, "Cfg.n = _ #1"), Unsafe)


# -- bind_config ---------------------------------------------------------------------------------------


def test_bind_config_writes_right_before_the_statement(body: Body, applied: Applied) -> None:
    p = program("for i in seq(0, n):\n    x[i] = a * x[i]\n    a = 0.0")
    q, c = applied(bind_op(Cfg, "scale"), p, p.find("a"))
    assert body(q) == "for i in seq(0, n):\n    Cfg.scale = a\n    x[i] = Cfg.scale * x[i]\n    a = 0.0"
    assert isinstance(c, WriteConfigCursor) and c == q.find("Cfg.scale = _") and left(q, p) == ["Cfg.scale"]
    store = q.forward(p.find("x[_] = _"))
    assert isinstance(store, AssignCursor) and store.prev() == c
    assert q.forward(p.find("a = 0.0")) == q.find("a = 0.0")


def test_bind_config_of_control_values(body: Body, same: Same) -> None:
    p = program("if n < 4:\n    callee(n + 1, a)", callee=source("def callee(k: index, v: f32):\n    v = 0.0"))
    q = bind_config(p, "n + 1", Cfg, "n")
    assert body(q) == "if n < 4:\n    Cfg.n = n + 1\n    callee(Cfg.n, a)"
    q = bind_config(p, "n < 4", Cfg, "on")
    assert body(q) == "Cfg.on = n < 4\nif Cfg.on:\n    callee(n + 1, a)"
    inputs = {"n": 2, "x": [1, 2], "a": 1}
    assert run(q, inputs).outputs == run(p, inputs).outputs


def test_bind_config_serves_a_callee_that_asserts_the_field(body: Body) -> None:
    load = source("def load(k: stride, v: [f32][4]):\n    assert Cfg.st == k\n    v[0] = 0.0")
    text = "assert n == 8\nCfg.st = 8\nload(8, x[0:4])"
    p = program(text, load=load)
    q = bind_config(p, "8 #1", Cfg, "st")
    assert body(q) == "Cfg.st = 8\nCfg.st = 8\nload(Cfg.st, x[0:4])"


BINDINGS: dict[str, tuple[str, str, str, type[Failure], str]] = {
    "data in a control field": ("x[0] = a", "a", "n", NotApplicable, "Cfg.n holds index"),
    "an integer in a data field": ("x[n - 1] = 0.0", "n - 1", "scale", NotApplicable, "Cfg.scale holds f32"),
    "an integer as a truth value": ("x[n - 1] = 0.0", "n - 1", "on", NotApplicable, "Cfg.on holds bool"),
    "another precision": ("b: f64\nb = 1.0\nx[0] = b", "b", "scale", NotApplicable, "Cfg.scale holds f32"),
    "no such field": ("x[0] = a", "a", "size", BadArgument, "Cfg has no field 'size'; its fields are n, on, sc"),
    "an argument that is written": ("sets(a)", "a", "scale", NotApplicable, "stands for a buffer"),
    "what may not be evaluated": ("if n < 4 and n < 3:\n    a = 0.0", "n < 3", "on", NotApplicable, "second part"),
    "a field that is read later": ("x[0] = a\nx[0] = Cfg.scale", "a", "scale", Unsafe, READ_LATER),
    "a field that the statement reads": ("x[0] = a + Cfg.scale", "a", "scale", Unsafe, READ_LATER),
    "a field that the callee reads": ("reads_(n, a)", "n", "n", Unsafe, READ_LATER),
}


@pytest.mark.parametrize("line", ["pass", "Cfg.n = i"])
def test_bind_a_bound(line: str, body: Body) -> None:
    p = program(f"for i in seq(0, n):\n    {line}\n    x[i] = a")
    q = bind_config(p, p.find_loop("i").hi(), Cfg, "n")
    assert body(q).startswith("Cfg.n = n\nfor i in seq(0, Cfg.n):")


@pytest.mark.parametrize("why", sorted(BINDINGS))
def test_what_bind_config_refuses(why: str, refused: Refused) -> None:
    text, pattern, field, kind, message = BINDINGS[why]
    reader = source("def reads_(k: index, v: f32):\n    if Cfg.n == 1:\n        v = 0.0")
    p = program(text, reads_=reader, **CALLEES)
    target = p.body().find_all(pattern)[-1]
    failure = refused(bind_config, p, target, Cfg, field)
    assert isinstance(failure, kind) and message in str(failure), str(failure)


def test_iterations_in_parallel_do_not_share_a_field(refused: Refused) -> None:
    p = parallelize_loop(program("for i in seq(0, n):\n    x[i] = a"), "i")
    failure = refused(bind_config, p, p.find("x[_] = _").rhs(), Cfg, "scale")
    assert isinstance(failure, Unsafe) and "no two iterations of i" in failure.message
    assert "in the new code, for instance with" in failure.details
    assert isinstance(refused(write_config, p, before(p, "x[_] = _"), Cfg, "n", 1), Unsafe)


def test_a_signature_is_no_statement(refused: Refused) -> None:
    p = program("x[0] = a", "n: size, x: f32[n + 1], a: f32")
    failure = refused(bind_config, p, p.args()[1].shape()[0], Cfg, "n")
    assert isinstance(failure, NotApplicable) and "signature" in failure.message


# -- write_config --------------------------------------------------------------------------------------


def test_write_config_hoists_a_write_with_delete_config(body: Body, same: Same, applied: Applied) -> None:
    p = program("for i in seq(0, n):\n    Cfg.n = n + 1\n    reads(a)", **CALLEES)
    q, c = applied(write_op(Cfg, "n", "n + 1"), p, before(p, "for i in _: _"))
    assert body(q).startswith("Cfg.n = n + 1\nfor i") and isinstance(c, WriteConfigCursor) and left(q, p) == []
    assert isinstance(q.forward(p.find_loop("i")), ForCursor)
    q = delete_config(q, "Cfg.n = _ #1")
    assert body(q) == "Cfg.n = n + 1\nfor i in seq(0, n):\n    reads(a)" and left(q, p) == []
    same(p, q, n=3)


def test_write_config_takes_numbers_texts_and_cursors(body: Body) -> None:
    p = program("x[n - 1] = a")
    gap = after(p, "x[_] = _")
    assert body(write_config(p, gap, Cfg, "n", 3)).endswith("\nCfg.n = 3")
    assert body(write_config(p, gap, Cfg, "on", "n < 4")).endswith("\nCfg.on = n < 4")
    assert body(write_config(p, gap, Cfg, "on", True)).endswith("\nCfg.on = True")
    assert body(write_config(p, gap, Cfg, "scale", 2)).endswith("\nCfg.scale = 2.0")
    assert body(write_config(p, gap, Cfg, "scale", 0.5)).endswith("\nCfg.scale = 0.5")
    assert body(write_config(p, gap, Cfg, "scale", "2 * x[0]")).endswith("\nCfg.scale = 2.0 * x[0]")
    assert body(write_config(p, gap, Cfg, "st", "stride(x, 0)")).endswith("\nCfg.st = stride(x, 0)")
    assert body(write_config(p, gap, Cfg, "n", p.find("n - 1"))).endswith("\nCfg.n = n - 1")


def test_a_write_of_the_known_value_is_free(same: Same) -> None:
    p = program("Cfg.n = n\nreads(a)", **CALLEES)
    q = write_config(p, before(p, "reads(_)"), Cfg, "n", "n")
    assert left(q, p) == []
    same(p, q, n=3)


WRITES: dict[str, tuple[str, str, object, type[Failure], str]] = {
    "a field that is read": ("reads(a)", "n", "n", Unsafe, READ_LATER),
    "a field that an assertion reads": ("Cfg.n = 1\nasks(a)", "n", 1.5, BadArgument, "Cfg.n holds index"),
    "out of bounds": ("a = 0.0", "scale", "x[n]", Unsafe, "out of bounds"),
    "never written": ("b: f32\na = 0.0", "scale", "b", Unsafe, "surely written"),
    "a field that may not be set": ("a = 0.0\nCfg.on = True", "on", "Cfg.on", Unsafe, "surely written"),
    "no value for some operands": ("a = 0.0", "scale", "1.0 / a", Unsafe, "does not divide by zero"),
    "a partial function": ("a = 0.0", "scale", "sqrt(a)", Unsafe, "sqrt surely has a value"),
    "no number": ("a = 0.0", "n", "n < 4", BadArgument, "which 'n < 4' is not"),
    "no such name": ("a = 0.0", "n", "m", BadArgument, "'m' means nothing here"),
}


@pytest.mark.parametrize("why", sorted(WRITES))
def test_what_write_config_refuses(why: str, refused: Refused) -> None:
    text, field, value, kind, message = WRITES[why]
    p = program(text, **CALLEES)
    failure = refused(write_config, p, p.body()[-1].before(), Cfg, field, value)
    assert isinstance(failure, kind) and message in str(failure), str(failure)


def test_a_write_between_a_write_and_an_assertion(refused: Refused) -> None:
    p = program("Cfg.n = 1\nasks(a)", **CALLEES)
    assert isinstance(refused(write_config, p, before(p, "asks(_)"), Cfg, "n", 2), Unsafe)
    assert left(write_config(p, before(p, "asks(_)"), Cfg, "n", 1), p) == []


def test_a_config_is_needed(refused: Refused) -> None:
    p = program("a = 0.0")
    failure = refused(write_config, p, before(p, "a = _"), "Cfg", "n", 1)
    assert isinstance(failure, BadArgument) and "config: a config is needed, not 'Cfg'" in failure.message


# -- call_eqv ------------------------------------------------------------------------------------------

SETUP = source("def setup(v: f32):\n    Cfg.n = 3\n    v = 0.0")
PLAIN = rename(delete_config(SETUP, WRITE), "plain")


def test_versions_that_leave_other_fields_are_exchanged_where_nobody_reads_them(body: Body, same: Same) -> None:
    p = program("setup(a)\nCfg.n = 1\nreads(a)", setup=SETUP, **CALLEES)
    q = call_eqv(p, "setup(_)", PLAIN)
    assert body(q) == "plain(a)\nCfg.n = 1\nreads(a)" and left(q, p) == []
    same(p, q, n=2)


def test_what_a_call_leaves_is_what_its_caller_leaves() -> None:
    p = program("setup(a)\nx[0] = a", setup=SETUP)
    assert left(call_eqv(p, "setup(_)", PLAIN), p) == ["Cfg.n"]


def test_a_reader_after_the_call_keeps_the_version(refused: Refused) -> None:
    failure = refused(call_eqv, program("setup(a)\nreads(a)", setup=SETUP, **CALLEES), "setup(_)", PLAIN)
    assert isinstance(failure, Unsafe) and READ_LATER in failure.message


def test_the_way_back_owes_the_same(refused: Refused) -> None:
    p = program("Cfg.n = 1\nplain(a)\nreads(a)", plain=PLAIN, **CALLEES)
    failure = refused(call_eqv, p, "plain(_)", SETUP)
    assert isinstance(failure, Unsafe) and READ_LATER in failure.message


def test_versions_that_differ_by_a_field_on_the_way_and_not_at_the_end() -> None:
    twice = source("def twice(v: f32):\n    Cfg.n = 3\n    v = 0.0\n    Cfg.n = 4")
    once = rename(delete_config(twice, WRITE), "once")
    p = program("twice(a)\nreads(a)", twice=twice, **CALLEES)
    assert left(call_eqv(p, "twice(_)", once), p) == []


# -- data in fields --------------------------------------------------------------------------------------

SET_SCALE = source("def set_scale(v: f32):\n    Cfg.scale = v")
SCALED = source("def scaled(x: [f32][2]):\n    x[0] = Cfg.scale * x[0]")
EACH = "n: size, x: f32[n, 2], a: f32"


def test_a_write_of_data_goes_if_the_field_holds_that_value_already(body: Body, same: Same) -> None:
    p = program("for i in seq(0, n):\n    Cfg.scale = a\n    x[i, 0] = Cfg.scale * x[i, 0]", EACH)
    q = write_config(p, before(p, "for i in _: _"), Cfg, "scale", "a")
    q = delete_config(q, "Cfg.scale = _ #1")
    assert body(q) == "Cfg.scale = a\nfor i in seq(0, n):\n    x[i, 0] = Cfg.scale * x[i, 0]" and left(q, p) == []
    same(p, q, n=3)


@pytest.mark.parametrize("last", ["a += 1.0", "Cfg.scale = x[i, 1]", "set_scale(x[i, 1])"])
def test_a_write_of_data_that_may_have_changed_is_kept(last: str, refused: Refused) -> None:
    text = f"Cfg.scale = a\nfor i in seq(0, n):\n    Cfg.scale = a\n    x[i, 0] = Cfg.scale\n    {last}"
    f = refused(delete_config, program(text, EACH, set_scale=SET_SCALE), "Cfg.scale = _ #1")
    assert isinstance(f, Unsafe) and READ_LATER in f.message


def test_an_instruction_that_sets_data_moves_out_of_the_loop(body: Body, same: Same) -> None:
    text = "for i in seq(0, n):\n    set_scale(a)\n    scaled(x[i, 0:2])"
    p = program(text, EACH, set_scale=SET_SCALE, scaled=SCALED)
    q = remove_loop(fission(p, after(p, "set_scale(_)")), "i")
    assert body(q) == "set_scale(a)\nfor i in seq(0, n):\n    scaled(x[i, 0:2])"
    same(p, q, n=3)


@pytest.mark.parametrize(
    ("value", "more"),
    [("x[i, 0]", "pass"), ("x[0, 0]", "pass"), ("a", "a = 2.0 * a"), ("a", "set_scale(x[i, 1])")],
)
def test_an_instruction_that_sets_other_data_stays(value: str, more: str, refused: Refused) -> None:
    text = f"for i in seq(0, n):\n    set_scale({value})\n    scaled(x[i, 0:2])\n    {more}"
    p = program(text, EACH, set_scale=SET_SCALE, scaled=SCALED)
    assert isinstance(refused(fission, p, after(p, "set_scale(_)")), Unsafe)


def test_two_loops_that_surely_run_are_left_by_an_instruction_that_others_rely_on(body: Body, same: Same) -> None:
    set_n = source("def set_n(k: index):\n    Cfg.n = k")
    needs = source("def needs(x: [f32][2]):\n    assert Cfg.n == 2\n    x[0] = 0.0")
    text = "for i in seq(0, n):\n    for j in seq(0, n):\n        set_n(2)\n        needs(x[j, 0:2])"
    p = program(text, EACH, set_n=set_n, needs=needs)
    q = remove_loop(remove_loop(fission(p, after(p, "set_n(_)"), n_lifts=2), "j"), "i")
    assert body(q) == "set_n(2)\nfor i in seq(0, n):\n    for j in seq(0, n):\n        needs(x[j, 0:2])"
    same(p, q, n=3)
