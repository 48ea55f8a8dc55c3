"""Normal forms: sound, idempotent, and what the recognisers recognise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent, indent

import pytest
from hypothesis import given, settings

from exo_strat import Op, Proc, StmtCursor, proc_from_source, schedule, unroll_loop
from exo_strat.testing import check_strategy, every, examples, procs
from strategies.inspect import nest_shape
from strategies.normal import (
    exhaust,
    fission_nf,
    fuse_nf,
    index_nf,
    is_fission_nf,
    is_fuse_nf,
    is_index_nf,
    is_loop_nf,
    is_name_nf,
    is_nest_nf,
    is_statement_nf,
    is_tidy,
    loop_nf,
    name_nf,
    nest_nf,
    seq_nf,
    statement_nf,
    tidy,
)
from strategies.normal.fission_and_fusion import (
    fission_step,
    fuse_next,
    fuse_step,
    narrow_alloc,
    nest_step,
    raise_alloc,
)
from strategies.normal.loops import loop_step
from strategies.normal.names import name_step
from strategies.normal.statements import statement_step
from strategies.normal.tidying import fuse_user, use_where_needed

FORMS = {
    "index": (index_nf(), is_index_nf),
    "name": (name_nf(), is_name_nf),
    "loop": (loop_nf(), is_loop_nf),
    "nest": (nest_nf(), is_nest_nf),
    "fission": (fission_nf(), is_fission_nf),
    "fuse": (fuse_nf(), is_fuse_nf),
    "statement": (statement_nf(), is_statement_nf),
    "tidy": (tidy(), is_tidy),
}

Form = tuple[Op, Callable[[Proc], bool]]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    return FORMS[request.param]


def test_it_keeps_the_meaning(form: Form) -> None:
    check_strategy(form[0], max_examples=examples(20))


STEPS = [
    *(name_step(), loop_step(), nest_step(), fission_step(), fuse_step(), fuse_next(), narrow_alloc()),
    *(raise_alloc(), statement_step(), use_where_needed(), fuse_user()),
]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_step_keeps_the_meaning(step: Op) -> None:
    check_strategy(step, at=every(StmtCursor), max_examples=examples(60))


@pytest.mark.parametrize("name", FORMS)
@given(p=procs())
@settings(max_examples=examples(25))
def test_it_is_idempotent_and_recognised(name: str, p: Proc) -> None:
    nf, is_nf = FORMS[name]
    once = schedule(nf, p)
    assert is_nf(once)
    assert schedule(nf, once) is once
    assert is_nf(p) == (once is p)


# -- examples -----------------------------------------------------------------------------------------


def procedure(lines: str, args: str = "n: size, x: f32[n], y: f32[n], r: f32") -> Proc:
    """A procedure of some lines."""
    return proc_from_source(f"def foo({args}):\n{indent(lines.strip(), '    ')}")


def body(op: Op, lines: str) -> str:
    """What an Op makes of some lines."""
    return dedent("\n".join(str(schedule(op, procedure(lines))).splitlines()[1:]))


def test_a_form_is_a_value_and_keeps_the_focus(form: Form) -> None:
    nf, _ = form
    assert str(nf).endswith(("_nf()", "tidy()"))
    assert nf == replace(nf)
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i] + 1.0")
    (update,) = p.find_all("x[_] = _")
    q, c = nf(p, update).unwrap()
    assert c == q.find("x[_] = _")


def test_copies_of_an_unrolled_loop_get_names_of_their_own() -> None:
    lines = "for i in seq(0, 2):\n    a: f32\n    a = r\n    w = x[0:1]\n    w[0] = a"
    found = body(exhaust(unroll_loop()) >> name_nf(), lines)
    assert found.splitlines() == [
        *("a: f32 @ DRAM", "a = r", "w = x[0:1]", "w[0] = a"),
        *("a_1: f32 @ DRAM", "a_1 = r", "w_1 = x[0:1]", "w_1[0] = a_1"),
    ]


def test_idle_loops_and_branches_go() -> None:
    lines = """
for i in seq(3, 3):
    x[0] = 1.0
for i in seq(0, n):
    if i < n:
        pass
for i in seq(0, n):
    if i >= n:
        x[i] = 1.0
    else:
        x[i] = 2.0
"""
    assert body(loop_nf(), lines) == "for i in seq(0, n):\n    x[i] = 2.0"


def test_loops_that_run_once_go_if_that_is_known() -> None:
    assert body(loop_nf() >> index_nf(), "for i in seq(n - 1, n):\n    x[i] = 1.0") == "x[n - 1] = 1.0"
    kept = "for i in seq(0, n):\n    r += 1.0"
    assert body(loop_nf(), kept) == kept


def test_loops_start_at_zero() -> None:
    found = body(loop_nf() >> index_nf(), "for i in seq(1, n):\n    for j in seq(i, n):\n        x[j] = y[j - i]")
    assert found == "for i in seq(0, n - 1):\n    for j in seq(0, n - i - 1):\n        x[i + j + 1] = y[j]"


def test_every_sum_of_a_matrix_product_gets_a_nest() -> None:
    lines = """
for i in seq(0, n):
    for j in seq(0, n):
        c[i, j] = 0.0
        for k in seq(0, n):
            c[i, j] += a[i, k] * b[k, j]
"""
    p = procedure(lines, "n: size, a: f32[n, n], b: f32[n, n], c: f32[n, n]")
    found = nest_shape(schedule(nest_nf(), p).root())
    assert str(found) == "foo > [seq n > seq n > c =; seq n > seq n > seq n > c +=]"


def test_what_depends_on_each_other_stays_together() -> None:
    lines = "for i in seq(1, n):\n    x[i] = y[i - 1]\n    y[i] = x[i] + 1.0"
    assert body(fission_nf(), lines) == lines
    assert body(nest_nf(), lines) == lines


def test_fusion_undoes_fission() -> None:
    lines = "for i in seq(0, n):\n    a: f32[1]\n    a[0] = x[i] * x[i]\n    y[i] = a[0]"
    wide = body(fission_nf(), lines).replace(" @ DRAM", "")
    assert wide.splitlines()[0] == "a: f32[n, 1]"
    assert body(fuse_nf(), wide).replace(" @ DRAM", "").replace("[1, 1]", "[1]").replace("[0, 0]", "[0]") == lines


def test_statements_of_one_operation() -> None:
    found = body(statement_nf(), "x[0] = sin(x[0] + r) * (-r + 2.0)")
    assert found.splitlines() == [
        *("t: f32 @ DRAM", "t = -r", "t_1: f32 @ DRAM", "t_1 = t + 2.0"),
        *("t_2: f32 @ DRAM", "t_2 = x[0] + r", "t_3: f32 @ DRAM", "t_3 = sin(t_2)", "x[0] = t_3 * t_1"),
    ]


def test_the_forms_hold_together() -> None:
    """One after the other, as a strategy would use them: the last is established, and the meaning is kept."""
    op = seq_nf(index_nf(), loop_nf(), name_nf(), fission_nf(), nest_nf())
    assert str(op) == "seq_nf(index_nf(), loop_nf(), name_nf(), fission_nf(), nest_nf())"
    check_strategy(op, max_examples=examples(15))
