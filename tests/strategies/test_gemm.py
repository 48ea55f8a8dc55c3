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
from exo_strat import CallCursor, Machine, Proc, SchedulingError, schedule
from strategies.gemm import Tile, largest_tile, schedule_block, schedule_sgemm
from strategies.programs import saxpy, sgemm, sgemm_block

MACHINES = (plain_c, neon, avx2, avx512)
Same = Callable[..., None]


@cache
def block(machine: Machine) -> Proc:
    return schedule(schedule_block(machine), sgemm_block)


@cache
def product(machine: Machine) -> Proc:
    return schedule_sgemm(machine)


def called(p: Proc) -> set[str]:
    return {n.subproc().name() for n in p.root().descendants() if isinstance(n, CallCursor)}


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (6, 32, 2), (7, 17, 3), (5, 33, 1), (13, 15, 2), (1, 83, 2)], ids=str
)
def test_the_block_computes_a_product_of_any_shape(
    machine: Machine, m: int, n: int, k: int, computes_the_same: Same
) -> None:
    computes_the_same(sgemm_block, block(machine), M=m, N=n, K=k)


@pytest.mark.parametrize(("m", "n", "k"), [(1, 2, 256), (2, 1, 257), (385, 1, 1)], ids=str)
def test_the_rests_of_blocks_are_computed_too(m: int, n: int, k: int, computes_the_same: Same) -> None:
    computes_the_same(sgemm, product(avx512), M=m, N=n, K=k)


def test_the_micro_kernel_is_instructions_only() -> None:
    p = block(avx512)
    assert called(p) == {
        "mm512_loadu_ps", "mm512_storeu_ps", "mm512_fmadd_set1_ps",
        "mm512_mask_loadu_ps", "mm512_mask_storeu_ps", "mm512_mask_fmadd_set1_ps",
    }  # fmt: skip
    assert not p.find_all("_[_] += _") and not p.find_all("_[_] = _")


def test_without_masks_the_last_columns_are_scalar_tiles() -> None:
    p = block(neon)
    assert called(p) == {"neon_load_f32", "neon_store_f32", "neon_fma_broadcast_f32"}
    assert "for js in seq(0, N % 4):" in str(p) and "c: f32[6, 1] @ DRAM_STACK" in str(p)


def test_the_product_calls_the_scheduled_block() -> None:
    p = product(avx2)
    calls = p.find_all("sgemm_block(_)")
    assert len(calls) == 4 and all(x.subproc() == block(avx2) for x in calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("machine", "cols"), [(avx512, 64), (avx2, 16), (neon, 16), (plain_c, 16)], ids=repr)
def test_a_tile_fits_the_registers(machine: Machine, cols: int) -> None:
    tile = largest_tile(machine)
    assert (tile.rows, tile.cols) == (6, cols)


def test_single_rows_come_after_the_tiles() -> None:
    full, single = Tile(avx2, 6, 16, col="0").by_rows()
    assert (full.rows, full.row) == (6, "6 * io")
    assert (single.rows, single.row) == (1, "6 * (M / 6) + ir")


def test_registers_that_no_instruction_reaches_are_refused_by_the_backend() -> None:
    bare = Machine("bare", avx2.vec_widths, avx2.mem_type, pmap())
    with pytest.raises(c.MemoryAccessError, match="AVX2"):
        c.compile([schedule(schedule_block(bare), sgemm_block)])


def test_the_plan_is_refused_on_another_program() -> None:
    with pytest.raises(SchedulingError, match="nothing matches 'for j in _: _'"):
        schedule(schedule_block(avx2), saxpy)


def test_the_c_text_is_the_same_in_every_process() -> None:
    program = (
        "import sys; from backends import c; from backends.targets import avx2;"
        "from strategies.gemm import schedule_sgemm; sys.stdout.write(c.compile([schedule_sgemm(avx2)], 'g').source)"
    )
    here = c.compile([product(avx2)], "g").source
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert there.stdout == here
