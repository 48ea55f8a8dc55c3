"""The demos' schedules of `y += a x` and `y += A x`, and the steps of a loop over lanes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from backends.targets import avx2, avx512, neon, plain_c
from exo_strat import CallCursor, Machine, Proc, ReduceCursor, at, proc_from_source, schedule
from strategies import std
from strategies.axpy import schedule_axpy
from strategies.blas.level1 import optimize_level_1
from strategies.gemv import schedule_gemv, schedule_gemv_t
from strategies.inspect import enclosing_loops
from strategies.programs import saxpy, sgemv, sgemv_trans

Same = Callable[..., None]
axpy, gemv, gemv_t = cache(schedule_axpy), cache(schedule_gemv), cache(schedule_gemv_t)
VECTORS = (avx2, avx512)


def lanes(body: str, width: int = 8) -> Proc:
    return proc_from_source(f"""
def foo(n: size, a: f32, x: f32[{width}], y: f32[{width}], s: f32):
    assert n <= {width}
    for l in seq(0, {width}):
        {body}
""")


def steps(p: Proc) -> list[str]:
    """The calls of a program in order, without prefix and suffix."""
    calls = [n for n in p.root().descendants() if isinstance(n, CallCursor)]
    return [c.subproc().name().removeprefix("mm256_").removesuffix("_ps") for c in calls]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("y[l] = x[l]", ["loadu", "storeu"]),
        ("y[l] = x[l] * y[l]", ["loadu", "loadu", "mul", "storeu"]),
        ("y[l] += x[l] * a", ["loadu", "loadu", "set1_value", "fmadd_to", "storeu"]),
        ("s += x[0] * y[l]", ["setzero", "loadu", "fmadd_set1", "reduce_add"]),
        ("s += x[l]", ["setzero", "loadu", "acc", "reduce_add"]),
        ("if l < n: y[l] = x[l]", ["mask_loadu", "mask_storeu"]),
    ],
)
def test_each_step_of_a_loop_is_an_instruction(body: str, wanted: list[str], computes_the_same: Same) -> None:
    p = lanes(body)
    steps_of = std.stage_compute("f32", avx2.mem_type, (std.broadcast_rule, std.fma_rule))
    plan = at("for l in _: _", steps_of >> std.fission_into_singles())
    q = schedule(plan >> std.replace_all(avx2.get_instructions("f32")), p)
    assert steps(q) == wanted
    computes_the_same(p, q, n=5)


@pytest.mark.parametrize("machine", (*VECTORS, neon, plain_c), ids=repr)
@pytest.mark.parametrize("n", [1, 7, 8, 15, 17, 32, 64, 83, 128])
def test_a_loop_of_independent_iterations_is_computed_for_any_length(
    machine: Machine, n: int, computes_the_same: Same
) -> None:
    computes_the_same(saxpy, axpy(machine), N=n)
    p = proc_from_source("""
def scale(N: size, x: f32[N], y: f32[N]):
    for i in seq(0, N):
        y[i] = -x[i]
""")
    computes_the_same(p, schedule(at("for i in _: _", optimize_level_1(machine, "f32", vectors=2)), p), N=n)


@pytest.mark.parametrize("machine", (*VECTORS, neon, plain_c), ids=repr)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (8, 16), (9, 17), (3, 40), (16, 7)], ids=str)
def test_gemv_is_computed_for_any_shape(machine: Machine, m: int, n: int, computes_the_same: Same) -> None:
    computes_the_same(sgemv, gemv(machine), M=m, N=n)
    computes_the_same(sgemv_trans, gemv_t(machine), M=m, N=n)


@pytest.mark.parametrize("machine", VECTORS, ids=repr)
def test_sums_leave_no_scalar_code_where_there_are_masks(machine: Machine) -> None:
    p = gemv(machine)
    assert not p.find_all("_[_] += _") and not p.find_all("_[_] = _")


@pytest.mark.parametrize("machine", (*VECTORS, neon), ids=repr)
def test_elsewhere_scalar_code_is_left_for_the_last_lanes_only(machine: Machine) -> None:
    """A vector that was stored with a mask can't be loaded before the store is done, so updates have none."""
    masked = machine.supports_predication
    for p in (axpy(machine), gemv_t(machine), *(() if masked else (gemv(machine),))):
        scalar = [s for s in p.find_all("_ += _") if isinstance(s, ReduceCursor)]
        loops = [next(x for x in enclosing_loops(s)[::-1]) for s in scalar]
        assert scalar and {x.hi().text() for x in loops} == {f"N % {machine.vec_width('f32')}"}
