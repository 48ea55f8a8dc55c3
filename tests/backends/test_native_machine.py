"""A target with the numbers of a processor: what the system tells, else the family's, else the target's own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from backends import targets
from backends.families import HASWELL, ZEN_4, unknown
from backends.native_machine import Native, native_machine
from backends.readings import CPU
from backends.readings import CPUID as SOURCE
from backends.system import System, this_system
from exo_strat import Cache

GENOA = "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\n"
UNKNOWN = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 106\n"


def files(root: Path, cpuinfo: str, *caches: tuple[str, str, str, str]) -> System:
    """A system whose caches are of these sizes, ways, lines and threads."""
    for k, texts in enumerate(caches):
        folder = root / CPU / f"cpu0/cache/index{k}"
        folder.mkdir(parents=True)
        names = ("size", "ways_of_associativity", "coherency_line_size", "shared_cpu_list", "level", "type")
        for name, text in zip(names, (*texts, str(k + 1), "Data" if k == 0 else "Unified"), strict=True):
            (folder / name).write_text(text)
    (root / "proc").mkdir(parents=True)
    (root / "proc/cpuinfo").write_text(cpuinfo)
    return System(root)


def how(native: Native) -> dict[str, str]:
    return {f.what: f.how for f in native.facts}


def test_what_is_told_is_taken_and_the_rest_is_the_familys(tmp_path: Path) -> None:
    found = native_machine(targets.avx2, files(tmp_path, GENOA, ("48K", "12", "64", "0-1"), ("2M", "16", "64", "0-1")))
    p = found.machine.processor
    assert p.caches == (Cache(48 << 10, 12, 64, 2), Cache(2 << 20, 16, 64, 2)), "there is no third level"
    assert p.name == "Zen 4" and p.fmas == ZEN_4.fmas
    assert how(found)["L1 cache"] == f"/{CPU}/cpu0/cache/index0/size"
    assert how(found)["latency of a multiply-add"].startswith("AMD, Software Optimization Guide")
    assert how(found)["processor"] == "/proc/cpuinfo: AuthenticAMD, family 25, model 17"
    assert replace(found.machine, processor=targets.avx2.processor) == targets.avx2, "only the numbers differ"


def test_a_number_that_lies_is_the_familys(tmp_path: Path) -> None:
    told = files(tmp_path, GENOA, ("0K", "8", "64", "0"), ("1024K", "0", "63", "x"), ("32M", "16", "64", "0-3"))
    found = native_machine(targets.avx512, told)
    first, second = replace(ZEN_4.cache(1), threads=1), ZEN_4.cache(2)
    assert found.machine.processor.caches == (first, second, Cache(32 << 20, 16, 64, 4))
    for what in ("L1 cache", "L2 ways", "L2 line", "L2 shared by"):
        assert how(found)[what].startswith("not told: AMD"), what


def test_a_processor_of_no_family_here_is_not_taken_for_one(tmp_path: Path) -> None:
    found = native_machine(targets.avx512, files(tmp_path, UNKNOWN, ("48K", "12", "64", "0"), ("2M", "16", "64", "0")))
    assert found.machine.processor.name == "generic" and found.machine.processor.cache(1).bytes == 48 << 10
    assert "of which nothing is known here: as if generic" in how(found)["processor"]


@pytest.mark.parametrize("name", ["plain_c", "avx2", "avx512", "neon", "gemmini"])
def test_a_system_that_tells_nothing_leaves_no_one_in_particular(name: str) -> None:
    machine = getattr(targets, name)
    found = native_machine(machine, System(Path("/nowhere"), cpus=()))
    assert found.machine == replace(machine, processor=unknown(machine))
    assert all(f.how for f in found.facts) and how(found)["L1 cache"].startswith("not told: as if generic")


def test_sizes_that_contradict_the_familys_are_dropped(tmp_path: Path) -> None:
    told = files(tmp_path, "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 63\n", ("512K", "8", "64", "0"))
    found = native_machine(targets.avx2, told)
    assert found.machine.processor.caches == HASWELL.caches, "its second level has 256 KiB"
    assert how(found)["L1 cache"].startswith("not told")


WORDS = ("", "0", "1", "2", "3", "-1", "8", "63", "64", "32K", "1024K", "32M", "9" * 30, "4G", "0-1", "-", "é", "Data")
FILES = ("size", "ways_of_associativity", "coherency_line_size", "shared_cpu_list", "level", "type", "number_of_sets")


def test_whatever_a_system_says_the_numbers_can_be_true(tmp_path: Path) -> None:
    for seed in range(60):
        rng, root = Random(seed), tmp_path / str(seed)
        told = files(root, rng.choice((GENOA, UNKNOWN, "")), *[("32K", "8", "64", "0")] * rng.randrange(4))
        for folder in root.glob(f"{CPU}/cpu0/cache/*"):
            for name in rng.sample(FILES, rng.randrange(4)):
                (folder / name).write_text(rng.choice(WORDS))
        (root / "sys/fs/cgroup").mkdir(parents=True)
        (root / "sys/fs/cgroup/cpu.max").write_text(f"{rng.choice(WORDS)} {rng.choice(WORDS)}")
        p = native_machine(targets.avx2, told).machine.processor
        assert len(p.caches) >= 2 and all(x.bytes < y.bytes for x, y in pairwise(p.caches)), (seed, p)
        assert all(c.bytes >= c.ways * c.line > 0 and c.threads > 0 for c in p.caches), (seed, p)
        assert 1 <= p.cores <= p.threads


def test_the_same_answers_give_the_same_machine(tmp_path: Path) -> None:
    told = files(tmp_path, GENOA, ("32K", "8", "64", "0"))
    assert native_machine(targets.avx2, told) == native_machine(targets.avx2, told)
    assert native_machine(targets.avx2) == native_machine(targets.avx2)


def test_the_processor_at_hand_has_caches_that_can_be_true() -> None:
    p = native_machine(targets.best_machine()).machine.processor
    assert 1 << 12 <= p.cache(1).bytes < p.cache(2).bytes and 1 <= p.cores <= p.threads


@pytest.mark.skipif(this_system().architecture != "x86_64" or not shutil.which("cc"), reason="asks an x86 processor")
def test_the_probe_compiles_and_agrees_with_the_files() -> None:
    here = this_system()
    answer = here.probe(SOURCE)
    assert answer.startswith("vendor ")
    asked = native_machine(targets.plain_c, System(Path("/nowhere"), here.architecture, (), probe=lambda _: answer))
    assert asked.machine.processor.cache(1).line == native_machine(targets.plain_c).machine.processor.cache(1).line
