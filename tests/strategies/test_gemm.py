from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache

import pytest
from pyrsistent import pmap

from backends import c
from backends.targets import avx2, avx512, neon, plain_c
from exo_strat import Machine, Proc, SchedulingError, schedule
from strategies.blas.level3 import DEPTH, optimize_deep_gemm
from strategies.gemm import schedule_sgemm
from strategies.programs import saxpy, sgemm, sgemm_tile

MACHINES = (plain_c, neon, avx2, avx512)
Same = Callable[..., None]


@cache
def product(machine: Machine) -> Proc:
    return schedule_sgemm(machine)


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (6, 32, 2), (7, 17, 3), (5, 33, 1), (13, 15, 2), (1, 83, 2)])
def test_a_product_of_any_shape(machine: Machine, m: int, n: int, k: int, computes_the_same: Same) -> None:
    computes_the_same(sgemm, product(machine), m=m, n=n, k=k)


@pytest.mark.parametrize(("m", "n", "k"), [(1, 2, DEPTH), (2, 1, DEPTH + 1), (1, 257, 1)])
def test_the_rests_of_blocks_are_computed_too(m: int, n: int, k: int, computes_the_same: Same) -> None:
    computes_the_same(sgemm, product(avx512), m=m, n=n, k=k)


def test_the_product_calls_one_scheduled_block() -> None:
    full, rest = product(avx2).find_all("sgemm_deep(_)")
    assert full.subproc() == rest.subproc()  # type: ignore[attr-defined]
    blocks = full.subproc().find_all("sgemm_deep_block(_)")  # type: ignore[attr-defined]
    assert len(blocks) == 2 and "panels: f32[16, k, 16] @ DRAM" in str(blocks[0].subproc())


def test_registers_that_no_instruction_reaches_are_refused_by_the_backend() -> None:
    bare = Machine("bare", avx2.vec_widths, avx2.mem_type, pmap())
    with pytest.raises(c.MemoryAccessError, match="AVX2"):
        c.compile([schedule_sgemm(bare)])


def test_the_plan_is_refused_on_another_program() -> None:
    with pytest.raises(SchedulingError, match="nothing matches 'for p in _: _'"):
        schedule(optimize_deep_gemm(avx2, "f32", sgemm_tile), saxpy)


def test_the_c_text_is_the_same_in_every_process() -> None:
    program = (
        "import sys; from backends import c; from backends.targets import avx2;"
        "from strategies.gemm import schedule_sgemm; sys.stdout.write(c.compile([schedule_sgemm(avx2)], 'g').source)"
    )
    here = c.compile([product(avx2)], "g").source
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert there.stdout == here
