"""The numbers of a processor that a strategy may know."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest

from backends import targets
from exo_strat import DRAM, Cache, Machine, Pipes, Processor


def test_a_cache_has_sets_of_lines() -> None:
    assert Cache(48 << 10, ways=12).sets == 64
    assert Cache(256, ways=8).sets == 1, "the least there is"


def test_a_long_vector_takes_a_unit_for_several_cycles() -> None:
    units = Pipes(2, 256)
    assert [units.rate(bits) for bits in (32, 256, 512, 1024)] == [2.0, 2.0, 1.0, 0.5]


def test_a_level_that_is_not_there_is_the_last_one() -> None:
    p = Processor(caches=(Cache(32 << 10, 8), Cache(1 << 20, 8)))
    assert p.cache(1).bytes == 32 << 10 and p.cache(3) == p.cache(2)


def test_a_vector_has_bits() -> None:
    assert [targets.avx512.vec_bits(p) for p in ("f32", "f64")] == [512, 512]
    assert targets.plain_c.vec_bits("f64") == 64, "of one element where there are no vectors"


def test_a_machine_is_another_one_with_another_processor() -> None:
    one = Machine("toy", {"f32": 4}, DRAM, {})  # type: ignore[arg-type]
    other = replace(one, processor=replace(one.processor, cores=8))
    assert one.processor == Processor() and one != other and repr(one) == repr(other) == "toy"
    assert pickle.loads(pickle.dumps(other)) == other


def test_targets_keep_the_cache_that_they_were_measured_with() -> None:
    machines = (targets.plain_c, targets.avx2, targets.avx512, targets.neon)
    assert {m.processor.cache(2).bytes for m in machines} == {1 << 20}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Cache(-5, 8), "Cache: bytes is a positive integer, not -5"),
        (lambda: Cache(1024, 0), "Cache: ways is a positive integer, not 0"),
        (lambda: Pipes(0, 256), "Pipes: count is a positive integer, not 0"),
        (lambda: Processor(cores=0), "Processor: cores is a positive integer, not 0"),
        (lambda: Processor(hertz=-1), "Processor: hertz is a positive integer, not -1"),
        (lambda: Processor(fork=2.5), "Processor: fork is a positive integer, not 2.5"),  # type: ignore[arg-type]
        (lambda: Processor(caches=()), "Processor: caches has one at least"),
        (lambda: Machine("toy", {"f32": 0}, DRAM, {}), r"Machine: vec_widths\['f32'\] is a positive"),  # type: ignore[arg-type]
        (lambda: replace(targets.plain_c, registers=-1), "Machine: registers is how many there are, not -1"),
    ],
)
def test_numbers_are_positive(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
