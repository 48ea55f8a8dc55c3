"""What is best by the numbers of a machine alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backends.families import HASWELL, SKYLAKE_X
from backends.gemmini.memories import DIM
from backends.targets import avx2, avx512, neon, plain_c
from exo_strat import Cache, Machine, Pipes, Processor
from strategies.gemmini.buffers import TILE
from strategies.models import Blocks, TileSize, blocks, flops_a_cycle, in_flight, partial_sums, tile_size

MACHINES = [
    replace(m, processor=p)
    for m in (plain_c, avx2, avx512, neon)
    for p in (m.processor, HASWELL, SKYLAKE_X, Processor(caches=(Cache(4096, 1),), fmas=Pipes(1, 64)))
]


def test_a_product_is_cut_as_the_model_was_published_for_sandy_bridge() -> None:
    p = Processor(caches=(Cache(32 << 10, 8), Cache(256 << 10, 8)))
    assert blocks(replace(avx2, processor=p), "f64", TileSize(4, 2)) == Blocks(4, 8, depth=256, near=96, far=None)


def test_more_units_and_latency_want_more_under_way() -> None:
    assert in_flight(replace(avx2, processor=HASWELL), "f64") == 10
    assert in_flight(replace(avx512, processor=SKYLAKE_X), "f32") == 8
    assert flops_a_cycle(replace(avx512, processor=SKYLAKE_X), "f32") == 64


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: f"{m}-{m.processor.name}")
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_what_is_held_fits(machine: Machine, precision: str) -> None:
    tile, cut = tile_size(machine, precision), blocks(machine, precision)
    caches, element = machine.processor.caches, 4 if precision == "f32" else 8
    assert tile.rows * tile.vectors + tile.vectors + 1 <= machine.registers
    assert tile.rows * tile.vectors >= in_flight(machine, precision)
    assert cut.near % cut.columns == 0 and (cut.far or 0) % cut.rows == 0 and cut.depth >= 1
    if len(caches) > 2:
        assert cut.far is not None
        assert cut.depth * (cut.rows + cut.columns) * element <= caches[0].bytes
        assert cut.depth * cut.near * element <= caches[1].bytes
        assert cut.depth * cut.far * element <= caches[2].bytes
    parts = partial_sums(machine)
    assert parts & (parts - 1) == 0 and 2 * parts <= machine.registers


@pytest.mark.parametrize("machine", [plain_c, avx2, avx512, neon], ids=str)
def test_sums_of_the_targets_are_in_eight_parts(machine: Machine) -> None:
    assert partial_sums(machine) == 8


def test_few_registers_leave_a_small_tile() -> None:
    assert [tile_size(replace(avx2, registers=n), "f32") for n in (0, 1, 3, 4)] == [(1, 1), (1, 1), (1, 1), (2, 1)]
    assert partial_sums(replace(avx2, registers=1)) == 1


def test_a_tile_of_gemmini_is_its_array() -> None:
    assert TILE == DIM
