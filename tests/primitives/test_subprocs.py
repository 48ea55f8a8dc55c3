"""Procedures made of procedures: extracted, made instructions, narrowed, specialised, called another way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat import direct
from exo_strat.cursors.cursor import Cursor, ProcCursor
from exo_strat.cursors.kinds import CallCursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    add_assertion,
    call_eqv,
    divide_loop,
    extract_subproc,
    inline,
    make_instr,
    parallelize_loop,
    partial_eval,
    rename,
    transpose,
)
from exo_strat.frontend.decorators import config, proc_from_source, reparse_env
from exo_strat.interp import run
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import add_assertion as assert_op
from exo_strat.primitives import extract_subproc as extract_op
from exo_strat.primitives import make_instr as instr_op
from exo_strat.primitives import partial_eval as eval_op
from exo_strat.primitives import transpose as transpose_op
from exo_strat.testing import assert_equivalent, assert_lawful

Body = Callable[[Proc], str]
Same = Callable[..., None]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]

LOOP = "for i in _: _"


@config
class Cfg:
    n: index
    on: bool


def source(text: str, **env: object) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, **env})


def program(lines: str, args: str = "n: size, x: f32[n]", **env: object) -> Proc:
    return source(f"def foo({args}):\n" + "".join(f"    {s}\n" for s in lines.strip("\n").splitlines()), **env)


def head(p: Proc) -> list[str]:
    """The signature and the assertions, without the memory."""
    lines = str(p).replace(" @ DRAM", "").splitlines()
    return [lines[0], *(s.strip() for s in lines if s.startswith("    assert"))]


# -- extract_subproc -----------------------------------------------------------------------------------


def test_extract_subproc_replaces_the_block_by_a_call(body: Body, same: Same, applied: Applied) -> None:
    p = program("x[0] = 1.0\nfor i in seq(0, n):\n    x[i] = 2.0\nx[0] = 3.0")
    q, c = applied(extract_op("fill"), p, p.find_loop("i"))
    assert body(q) == "x[0] = 1.0\nfill(n, x)\nx[0] = 3.0"
    assert isinstance(c, CallCursor) and str(c.subproc()) == str(
        source("def fill(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 2.0")
    )
    assert not q.forward(p.find("x[_] = 2.0")).is_valid
    assert q.forward(p.find("x[_] = 3.0")) == q.find("x[_] = 3.0")
    same(p, q, n=3)


def test_the_papers_form_returns_both(same: Same) -> None:
    p = program("for i in seq(0, n):\n    x[i] = 2.0")
    q, fill = extract_subproc(p, LOOP, "fill")
    assert fill.name() == "fill" and q.find("fill(_)").subproc() is fill  # type: ignore[union-attr]
    assert q.origin is p.origin, "the caller is still the same procedure"
    same(p, inline(q, "fill(_)"), n=3)
    assert direct.replace(p, LOOP, fill) == q, "the block is a call of what was extracted"


def test_what_is_extracted_is_scheduled_by_itself(body: Body, same: Same) -> None:
    p = program("assert n % 4 == 0\nfor i in seq(0, n):\n    x[i] = 2.0")
    q, fill = extract_subproc(p, LOOP, "fill")
    fast = rename(divide_loop(fill, "i", 4, ["io", "ii"], perfect=True), "fast")
    q = call_eqv(q, "fill(_)", fast)
    assert body(q) == "fast(n, x)"
    same(p, q, n=8)


def extracted(lines: str, pattern: str, args: str = "n: size, x: f32[n]", **env: object) -> tuple[Proc, Proc]:
    p = program(lines, args, **env)
    q, sub = extract_subproc(p, pattern, "sub")
    assert_lawful(p, q, str(p))
    assert assert_equivalent(p, q) > 0
    assert proc_from_source(str(sub), reparse_env(sub.tree)) == sub, "it is a procedure as if it had been written"
    return q, sub


def test_arguments_come_in_the_order_of_their_scopes() -> None:
    q, sub = extracted(
        "a: f32[n]\nfor i in seq(0, n):\n    a[i] = y\n    for j in seq(0, m):\n        x[i, j] = a[i]",
        "x[_] = _",
        "n: size, m: size, k: size, y: f32, x: f32[n, m]",
    )
    assert head(sub)[0] == "def sub(n: size, m: size, x: f32[n, m], a: f32[n], i: index, j: index):"
    assert head(sub)[1:] == ["assert 0 <= i", "assert i < n", "assert 0 <= j", "assert j < m"]
    assert "sub(n, m, x, a, i, j)" in str(q)


def test_conditions_around_are_asserted() -> None:
    lines = "assert n >= 2\nif n < 8 and m != 3:\n    pass\nelse:\n    x[1] = 1.0"
    assert head(extracted(lines, "x[_] = _", "n: size, m: size, x: f32[n]")[1])[1:] == ["assert n >= 2"]
    lines = "if not (n < 2 or m == 3):\n    x[1] = 1.0"
    assert head(extracted(lines, "x[_] = _", "n: size, m: size, x: f32[n]")[1])[1:] == ["assert n >= 2"]


def test_variables_that_only_what_is_known_speaks_of_are_passed_if_needed() -> None:
    lines = "for i in seq(0, n):\n    for j in seq(0, i):\n        x[j] = 1.0"
    _, sub = extracted(lines, "x[_] = _")
    assert head(sub) == [
        "def sub(n: size, x: f32[n], i: index, j: index):",
        "assert 0 <= i", "assert i < n", "assert 0 <= j", "assert j < i",
    ]  # fmt: skip


def test_only_what_it_takes_is_asserted_on_demand() -> None:
    p = program("assert n % 4 == 0\nfor i in seq(0, n - 1):\n    x[i] = 2.0")
    _, sub = extract_subproc(p, "x[_] = _", "sub", include_asserts=False)
    assert head(sub) == ["def sub(n: size, x: f32[n], i: index):", "assert 0 <= i", "assert i < n - 1"]
    _, sub = extract_subproc(p, "x[_] = _", "sub")
    assert head(sub)[1:] == ["assert n % 4 == 0", "assert 0 <= i", "assert i < n - 1"]


def test_windows_are_passed_as_windows() -> None:
    lines = "w = x[2:n]\nfor i in seq(0, n - 2):\n    w[i] = 2.0"
    q, sub = extracted("assert n >= 4\n" + lines, LOOP)
    assert head(sub) == ["def sub(n: size, w: [f32][n - 2]):", "assert n >= 4"]
    assert "sub(n, w)" in str(q)


def test_windows_of_a_buffer_that_is_used_too_are_defined_inside() -> None:
    lines = "assert n >= 4\nw = x[2:n]\nw[0] = x[1]"
    q, sub = extracted(lines, "w[_] = _")
    assert str(sub).splitlines()[-2:] == ["    w = x[2:n]", "    w[0] = x[1]"]
    assert "sub(n, x)" in str(q)


def test_two_windows_that_are_only_read_are_passed_both() -> None:
    lines = "assert n >= 4\nw = x[2:n]\ny = w[0] + x[1]"
    q, _ = extracted(lines, "y = _", "n: size, x: f32[n], y: f32")
    assert "sub(n, x, y, w)" in str(q)


def test_a_stride_that_a_callee_asks_for_is_asserted() -> None:
    first = source("def first(k: size, v: [f32][k]):\n    assert stride(v, 0) == 1\n    v[0] = 1.0")
    _, sub = extracted("w = x[1, 0:4]\nfirst(4, w)", "first(_)", "x: f32[4, 4]", first=first)
    assert head(sub) == ["def sub(w: [f32][4]):", "assert stride(w, 0) == 1"]


def test_a_field_that_a_callee_asks_for_is_asserted(body: Body) -> None:
    asks = source("def asks(v: f32):\n    assert Cfg.on == True\n    v = 1.0\n    Cfg.on = False")
    q, sub = extracted("Cfg.on = True\nasks(y)\nCfg.on = True\nasks(y)", "asks(_)", "y: f32", asks=asks)
    assert head(sub) == ["def sub(y: f32):", "assert Cfg.on == True"]
    assert body(q) == "Cfg.on = True\nsub(y)\nCfg.on = True\nasks(y)"


def test_scalars_flags_and_iterators_of_one_name() -> None:
    lines = "for i in seq(0, n):\n    for i in seq(0, 2):\n        if on:\n            x[i] = r\n            r = 0.0"
    p = program("assert n >= 2\n" + lines, "n: size, x: f32[n], r: f32, on: bool")
    q, sub = extract_subproc(p, "if on: _", "sub")
    assert head(sub)[0] == "def sub(n: size, x: f32[n], r: f32, on: bool, i: index):"
    assert_equivalent(p, q)


def test_a_procedure_of_the_callers_name_prints_with_its_own() -> None:
    one = source("def sub(v: f32):\n    v = 1.0")
    p = program("sub(y)\ny = 2.0", "y: f32", sub=one)
    q, _ = extract_subproc(p, "y = _", "sub")
    assert str(q).splitlines()[1:] == ["    sub(y)", "    sub_1(y)"]
    assert_lawful(p, q, str(p))


def test_a_block_that_defines_what_is_used_after_it_stays(refused: Refused) -> None:
    p = program("a: f32\na = 1.0\nx[0] = a")
    failure = refused(extract_subproc, p, p.body()[0:2], "sub")
    assert isinstance(failure, NotApplicable) and "used after it" in failure.message


def test_a_field_that_is_written_in_the_loop_is_known_in_it() -> None:
    asks = source("def asks(v: f32):\n    assert Cfg.n == 1\n    v = 1.0")
    p = program("for i in seq(0, n):\n    Cfg.n = 1\n    asks(x[i])", asks=asks)
    q, sub = extract_subproc(p, "asks(_)", "sub")
    assert "assert Cfg.n == 1" in head(sub)
    assert_equivalent(p, q)


def test_iterations_in_parallel_stay_apart(same: Same) -> None:
    p = parallelize_loop(program("for i in seq(0, n):\n    x[i] = 2.0"), "i")
    q, _ = extract_subproc(p, "x[_] = _", "sub")
    same(p, q, n=4)


def test_a_name_is_needed(refused: Refused) -> None:
    failure = refused(extract_subproc, program("x[0] = 1.0"), "x[_] = _", "a b")
    assert isinstance(failure, BadArgument)


# -- make_instr ----------------------------------------------------------------------------------------


def test_make_instr_keeps_the_body_and_the_callers(same: Same, applied: Applied, body: Body) -> None:
    zero = source("def zero(y: [f32][4]):\n    for i in seq(0, 4):\n        y[i] = 0.0")
    made, c = applied(instr_op("zero4(&{y_data});", "#include <zero.h>"), zero, zero.root())
    assert made.is_instr() and made.tree.instr.c == "zero4(&{y_data});" and isinstance(c, ProcCursor)  # type: ignore[union-attr]
    assert made.forward(zero.find_loop("i")) == made.find_loop("i")
    assert str(made).partition("\n")[2] == str(zero)
    assert proc_from_source(str(made)) == made
    p = program("zero(x[0:4])\nx[0] = 1.0", "x: f32[8]", zero=zero)
    q = call_eqv(p, "zero(_)", rename(made, "zero_c"))
    assert body(q) == "zero_c(x[0:4])\nx[0] = 1.0"
    same(p, q)


TEXTS = [("", "needs C text"), ("  ", "needs C text"), (3, "c_template: a text is needed")]


@pytest.mark.parametrize(("template", "message"), TEXTS)
def test_make_instr_needs_a_text(template: object, message: str, refused: Refused) -> None:
    failure = refused(make_instr, program("x[0] = 1.0"), template)
    assert isinstance(failure, BadArgument) and message in failure.message


# -- partial_eval --------------------------------------------------------------------------------------

TWO = "n: size, m: size, on: bool, x: f32[n, m]"
FILL = "assert n % 4 == 0\nassert n <= m\nfor i in seq(0, n):\n    if on:\n        x[i, m - 1] = 0.0"


def test_partial_eval_by_position_and_by_name(body: Body, applied: Applied) -> None:
    p = program(FILL, TWO)
    q, c = applied(eval_op(8, on=True), p, p.root())
    assert head(q) == ["def foo(m: size, x: f32[8, m]):", "assert 8 <= m"]
    assert body(q) == "for i in seq(0, 8):\n    if True:\n        x[i, m - 1] = 0.0" and isinstance(c, ProcCursor)
    assert q.forward(p.find("x[_] = _")) == q.find("x[_] = _")
    assert [q.forward(a).is_valid for a in p.args()] == [False, True, False, True]
    assert q.origin is not p.origin and assert_equivalent(p, q, narrower=True) > 0
    assert partial_eval(p, 8, on=True) == q == partial_eval(p, on=True, n=8)


def test_partial_eval_drops_what_is_then_always_true() -> None:
    p = program("assert k >= 0 and k < n\nassert m > n\nx[k] = 0.0", "n: size, m: size, k: index, x: f32[m - n + k]")
    assert head(partial_eval(p, k=0)) == ["def foo(n: size, m: size, x: f32[m - n + 0]):", "assert m > n"]
    assert head(partial_eval(p, n=1))[1:] == ["assert k >= 0 and k < 1", "assert m > 1"]
    assert head(partial_eval(p, n=1, m=2))[1:] == ["assert k >= 0 and k < 1"]


def test_it_prints_as_it_is_written() -> None:
    assert repr(eval_op(8, 9)) == "partial_eval(8, 9)"
    assert repr(eval_op(8, on=True, m=3)) == "partial_eval(8, m=3, on=True)"
    assert eval_op(on=True, m=3) == eval_op(m=3, on=True) and hash(eval_op(m=3)) != hash(eval_op(m=4))


VALUES: dict[str, tuple[tuple[object, ...], dict[str, object], str]] = {
    "none": ((), {}, "no value is given"),
    "too many": ((4, 4, True, 1, 1), {}, "takes 4 arguments, not 5"),
    "data": ((4, 4, True, 1), {}, "x is data"),
    "no size": ((0,), {}, "n is a size, which is at least 1, not 0"),
    "no integer": ((4.0,), {}, "values: an integer or True or False is needed, not 4.0"),
    "a truth value for a size": ((True,), {}, "n is an integer, not True"),
    "a number for a truth value": ((), {"on": 1}, "on is a truth value, not 1"),
    "twice": ((4,), {"n": 4}, "two values are given for n"),
    "no such name": ((), {"k": 4}, "foo has no argument 'k'; it takes n, m, on, x"),
    "a false assertion": ((6,), {}, "an assertion is false"),
    "assertions that cannot be met": ((), {"m": 3}, "no arguments meet all that is asserted"),
}


@pytest.mark.parametrize("why", sorted(VALUES))
def test_what_partial_eval_refuses(why: str, refused: Refused) -> None:
    values, named, message = VALUES[why]
    failure = refused(partial_eval, program(FILL, TWO), *values, **named)
    assert isinstance(failure, BadArgument) and message in failure.message


def test_an_instruction_keeps_its_arguments(refused: Refused) -> None:
    p = make_instr(program("x[0, 0] = 1.0", "n: size, x: f32[n, 2]"), "f({n});")
    assert isinstance(refused(partial_eval, p, 4), NotApplicable)
    assert isinstance(refused(transpose, p, "x"), NotApplicable)


# -- add_assertion -------------------------------------------------------------------------------------


def test_add_assertion_narrows(applied: Applied) -> None:
    p = program("assert n < 100\nfor i in seq(0, n):\n    x[i] = 0.0")
    q, c = applied(assert_op("n % 8 == 0"), p, p.root())
    assert head(q)[1:] == ["assert n < 100", "assert n % 8 == 0"] and isinstance(c, ProcCursor)
    assert q.forward(p.find_loop("i")) == q.find_loop("i") and q.origin is not p.origin
    assert "n / 8" in str(divide_loop(q, "i", 8, ["io", "ii"], perfect=True))
    assert run(p, {"n": 12, "x": [0] * 12}).trap is None
    assert run(q, {"n": 12, "x": [0] * 12}).trap is not None


def test_a_narrower_procedure_takes_no_calls_of_the_original(refused: Refused) -> None:
    callee = source("def callee(n: size, v: [f32][n]):\n    v[0] = 1.0")
    p = program("callee(5, x[0:5])", "x: f32[8]", callee=callee)
    narrow = rename(add_assertion(callee, "n >= 4"), "narrow")
    assert isinstance(refused(call_eqv, p, "callee(_)", narrow), NotApplicable)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("n < 1", "could never be called"),
        ("n", "condition"),
        ("k < 1", "'k' means nothing here"),
        ("n <", "not object code"),
        ("x[0] < 1.0 and", "not object code"),
    ],
)
def test_what_add_assertion_refuses(condition: str, message: str, refused: Refused) -> None:
    failure = refused(add_assertion, program("x[0] = 0.0"), condition)
    assert isinstance(failure, BadArgument) and message in failure.message, failure.message


def test_sizes_may_be_multiplied_and_fields_asked_for() -> None:
    p = program("Cfg.n = 1\nx[0] = 0.0", "n: size, m: size, x: f32[n]")
    assert head(add_assertion(p, "n * m <= 64"))[1:] == ["assert n * m <= 64"]
    assert head(add_assertion(p, "Cfg.n == 1"))[1:] == ["assert Cfg.n == 1"]


# -- transpose -----------------------------------------------------------------------------------------


def test_transpose_turns_every_access(body: Body, applied: Applied) -> None:
    p = program("for i in seq(0, n):\n    x[i, 1] += 2.0 * x[i, 0]\n    y = x[0, 0]", "n: size, x: f32[n, 2], y: f32")
    q, c = applied(transpose_op(), p, p.args()[1])
    assert head(q)[0] == "def foo(n: size, x: f32[2, n], y: f32):" and c == q.args()[1]
    assert body(q) == "for i in seq(0, n):\n    x[1, i] += 2.0 * x[0, i]\n    y = x[0, 0]"
    assert q.forward(p.find("x[i, 0]")) == q.find("x[0, i]") and q.origin is not p.origin
    assert assert_equivalent(p, q, narrower=True) > 0
    assert transpose(q, "x").tree.body == p.tree.body, "twice is once back"


def test_windows_of_the_argument_are_turned_too(body: Body) -> None:
    lines = "w = x[0:2, 1:4]\nv = w[1, 0:3]\nw[0, 2] = v[1]\nx[3, 3] = 1.0"
    p = program(lines, "x: [f32][4, 4]")
    q = transpose(p, "x")
    assert body(q) == "w = x[1:4, 0:2]\nv = w[0:3, 1]\nw[2, 0] = v[1]\nx[3, 3] = 1.0"
    assert assert_equivalent(p, q, narrower=True) > 0


def test_strides_of_a_window_turn_with_it() -> None:
    p = program("assert stride(x, 1) == 1\nif stride(x, 0) == 8:\n    x[0, 1] = 1.0", "x: [f32][4, 4]")
    q = transpose(p, "x")
    assert head(q)[1] == "assert stride(x, 0) == 1" and "if stride(x, 1) == 8:" in str(q)


def test_what_transpose_refuses(refused: Refused) -> None:
    p = program("x[0] = y[0, 0]\nif stride(y, 0) == 4:\n    x[0] = 1.0", "n: size, x: f32[n], y: f32[4, 4]")
    for arg in ("x", "n"):
        failure = refused(transpose, p, arg)
        assert isinstance(failure, NotApplicable) and "not two dimensions" in failure.message
    failure = refused(transpose, p, "y")
    assert isinstance(failure, Unsafe) and "stride of dimension 0 of y, which is asked for" in failure.message
    callee = source("def callee(v: [f32][4, 4]):\n    v[0, 1] = 1.0")
    for passed in ("x", "x[0:4, 0:4]"):
        failure = refused(transpose, program(f"callee({passed})", "x: f32[4, 4]", callee=callee), "x")
        assert isinstance(failure, NotApplicable) and "a callee takes" in failure.message
    first = source("def first(v: [f32][4]):\n    assert stride(v, 0) == 1\n    v[0] = 1.0")
    failure = refused(transpose, program("first(x[0, 0:4])", "x: f32[4, 4]", first=first), "x")
    assert isinstance(failure, Unsafe)
    transpose(program("first(x[0, 0:4])", "x: f32[1, 4]", first=first), "x")  # a row and a column at once


def test_a_row_becomes_a_column(body: Body) -> None:
    row = source("def row(v: [f32][4]):\n    for i in seq(0, 4):\n        v[i] = 1.0")
    p = program("row(x[2, 0:4])", "x: f32[4, 4]", row=row)
    q = transpose(p, "x")
    assert body(q) == "row(x[0:4, 2])"
    assert assert_equivalent(p, q, narrower=True) > 0
