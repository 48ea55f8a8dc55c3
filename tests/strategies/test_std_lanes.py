"""A plan for vectors says what no instruction of the machine computes."""

from __future__ import annotations

import warnings

import pytest

from backends.targets import avx2
from exo_strat import at, proc_from_source, schedule
from strategies import demos, std

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
