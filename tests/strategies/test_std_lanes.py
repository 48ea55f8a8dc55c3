"""A plan for vectors says what no instruction of the machine computes."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import pytest
from pyrsistent import pmap

from backends.targets import avx2, avx512, neon
from exo_strat import Machine, at, proc_from_source, schedule
from exo_strat.testing.equivalence import assert_equivalent
from strategies import demos, std
from strategies.std.instructions import steps

EXP = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = expf(x[i]) + 1.0
""")
LOOP = "for i in _: _"


def test_what_no_instruction_computes_is_named_once() -> None:
    with pytest.warns(std.NoInstructionWarning, match="no instruction computes `v_1.ii. = expf") as said:
        p = schedule(at(LOOP, std.vectorize_for(avx2, "f32", tail="cut")), EXP)
    assert len(said) == 1 and "mm256_add_ps" in str(p)


def test_it_can_be_a_failure() -> None:
    failure = at(LOOP, std.vectorize_for(avx2, "f32", strict=True))(EXP).failure()
    assert "no instruction computes `v_1[ii] = expf" in failure.message


def test_nothing_is_said_where_instructions_compute_everything() -> None:
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i]\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule(at(LOOP, std.vectorize_for(avx2, "f32", strict=True)), p)
        for demo in (demos.axpy, demos.gemv_n):
            demo.schedule(avx2)


def test_the_numbers_of_integers_are_loaded_from_memory() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[i] * f32(i) + f32(n)
""")
    q = schedule(at(LOOP, std.vectorize_for(avx2, "f32", tail="cut")), p)
    lines = [line.strip() for line in str(q).splitlines()]
    store = lines.index("t[ii] = f32(8 * io + ii)")
    assert lines[store + 1] == "mm256_loadu_ps(v_2[0:8], t[0:8])"
    assert assert_equivalent(p, q) > 0


MASKED_SUM = proc_from_source("""
def foo(n: size, m: f32[n], x: f32[n], s: f32):
    for i in seq(0, n):
        if m[i] != 0.0:
            s += sqrt(x[i])
""")


def test_a_statement_that_has_no_instruction_for_its_condition_is_named_with_it() -> None:
    with pytest.warns(std.NoInstructionWarning) as said:
        schedule(at(LOOP, std.vectorize_for(avx2, "f32")), MASKED_SUM)
    [warning] = said
    text = str(warning.message)
    assert "`acc[ii] += v[ii]` under `if m[8 * io + ii] != 0.0`" in text
    assert text.count("with strict=True") == text.count("`evaluate_both` at the `if`") == 1
    assert warning.filename == __file__


def test_windows_whose_elements_may_lie_apart_are_named() -> None:
    head = "def f(n: size, x: [f32][n], y: [f32][n]):\n"
    body = "    for i in seq(0, n):\n        y[i] = 2.0 * x[i]\n"
    x, both = "stride(x, 0) == 1", "stride(x, 0) == 1 and stride(y, 0) == 1"
    plan = at(LOOP, std.vectorize_for(avx2, "f32"))
    with pytest.warns(std.NoInstructionWarning, match=re.escape(f"`assert {both}`, if they are")):
        schedule(plan, proc_from_source(head + body))
    with pytest.warns(std.NoInstructionWarning, match=re.escape("`assert stride(y, 0) == 1`")):
        schedule(plan, proc_from_source(head + f"    assert {x}\n" + body))
    with warnings.catch_warnings(action="error"):
        schedule(plan, proc_from_source(head + f"    assert {both}\n" + body))


def test_the_failure_marks_the_loop() -> None:
    failure = at(LOOP, std.vectorize_for(avx2, "f32", strict=True))(MASKED_SUM).failure()
    assert "-->         for ii in seq(0, 8):" in str(failure)


@pytest.mark.parametrize("machine", [avx2, avx512], ids=str)
def test_the_tail_is_masked_only_where_the_sums_can_be(machine: Machine) -> None:
    largest, total = (
        proc_from_source(f"def f(n: size, x: f32[n], r: f32):\n    r = x[0]\n    for i in seq(0, n):\n        {how}\n")
        for how in ("r = max(r, x[i])", "r += x[i]")
    )
    plan = at(LOOP, std.vectorize_for(machine, "f32", strict=True))
    assert "for ii in seq(0, n % " in str(schedule(plan, largest))
    assert "mask_reduce_add_ps" in str(schedule(plan, total))


def test_a_machine_without_masks_or_fused_products() -> None:
    head = "def f(n: size, a: f32, x: f32[n], y: f32[n]):\n    "
    p = proc_from_source(f"{head}for i in seq(0, n):\n        y[i] += a * x[i]\n")
    few = tuple(i for i in neon.get_instructions("f32") if not any(std.fma_rule(s) for s in steps((i,))))
    plain = replace(neon, name="plain", instructions=pmap({"f32": few}))
    q = schedule(at(LOOP, std.vectorize_for(plain, "f32", strict=True)), p)
    assert "mul" in str(q) and "add" in str(q)
    for tail in ("predicate", "cut_and_predicate"):
        failure = at(LOOP, std.vectorize_for(plain, "f32", tail=tail))(p).failure()
        assert f"plain has no instructions with a mask, which tail='{tail}' needs" in str(failure)
