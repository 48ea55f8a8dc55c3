"""What a system tells of its processor, in folders of our own: what is missing or can't be true counts as not told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from backends.readings import CPU, Kind, Reading, read
from backends.system import System, this_system

ZEN = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
cpu MHz\t\t: 2596.148
"""
L1 = {"level": "1", "type": "Data", "size": "32K", "ways_of_associativity": "8", "coherency_line_size": "64"}
CODE = {**L1, "type": "Instruction"}
L2 = {**L1, "level": "2", "type": "Unified", "size": "1024K", "shared_cpu_list": "0,4"}
L3 = {**L2, "level": "3", "size": "32M", "ways_of_associativity": "16", "shared_cpu_list": "0-7"}
GETCONF = """LEVEL1_DCACHE_SIZE                 49152
LEVEL1_DCACHE_ASSOC                12
LEVEL1_DCACHE_LINESIZE             64
LEVEL2_CACHE_SIZE                  2097152
LEVEL2_CACHE_ASSOC                 16
LEVEL2_CACHE_LINESIZE              64
LEVEL3_CACHE_SIZE                  335544320
LEVEL3_CACHE_ASSOC                 0
LEVEL3_CACHE_LINESIZE              64
"""
CPUID = """vendor GenuineIntel
family 6
model 63
cache 1 32768 8 64 2
cache 2 262144 8 64 2
cache 3 20971520 20 64 16
"""
SYSCTL = """hw.physicalcpu: 8
hw.cachelinesize: 128
hw.l1dcachesize: 65536
hw.l2cachesize: 4194304
hw.perflevel0.l1dcachesize: 131072
hw.perflevel0.l2cachesize: 12582912
hw.cpufrequency_max: 3200000000
"""


def with_files(root: Path, *indices: Mapping[str, str], cpuinfo: str = "", cpu: int = 0) -> Path:
    """A root folder with these caches of a processor, and its /proc/cpuinfo."""
    for k, files in enumerate(indices):
        folder = root / CPU / f"cpu{cpu}" / "cache" / f"index{k}"
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(f"{text}\n")
    if cpuinfo:
        (root / "proc").mkdir()
        (root / "proc" / "cpuinfo").write_text(cpuinfo)
    return root


def saying(**answers: str) -> System:
    """A system without files, in which these commands print something; `probe` is the compiled one."""
    return System(
        Path("/nowhere"), "x86_64", (), lambda *command: answers.get(command[0], ""), lambda _: answers.get("probe", "")
    )


def sizes(system: System) -> dict[int, int | None]:
    return {n: level.bytes.value if level.bytes else None for n, level in read(system).levels.items()}


# -- files --------------------------------------------------------------------------------------------


def test_sysfs_tells_of_each_level_and_in_which_file(tmp_path: Path) -> None:
    told = read(System(with_files(tmp_path, L1, CODE, L2, L3, cpuinfo=ZEN)))
    assert told.kind == Kind("AuthenticAMD", 25, 17, "/proc/cpuinfo")
    assert told.levels[1].bytes == Reading(32 << 10, f"/{CPU}/cpu0/cache/index0/size")
    assert [told.levels[n].threads and told.levels[n].threads.value for n in (1, 2, 3)] == [None, 2, 8]  # type: ignore[union-attr]
    assert told.levels[3].ways and told.levels[3].ways.value == 16
    assert told.hertz is None, "the frequency of the moment would be another one each time"


def test_the_first_processor_that_we_may_run_on_is_asked(tmp_path: Path) -> None:
    with_files(tmp_path, {**L1, "size": "48K"}, cpu=3)
    assert sizes(System(with_files(tmp_path, L1), cpus=(3, 4))) == {1: 48 << 10}


def test_a_processor_without_a_third_level_has_none(tmp_path: Path) -> None:
    system = System(with_files(tmp_path, L1, L2, cpuinfo=ZEN), run=lambda *command: GETCONF + SYSCTL)
    assert set(sizes(system)) == {1, 2}, "nobody else is asked if all is told"


@pytest.mark.parametrize(
    "lie",
    [
        {"size": "0K"},
        {"size": "lots"},
        {"size": "-32K"},
        {"size": "9" * 5000},
        {"size": "99999999999G"},
        {"size": "2048K"},
        {"level": "99999999"},
        {"level": ""},
        {"number_of_sets": "63"},
        {"ways_of_associativity": "100000"},
    ],
    ids=str,
)
def test_a_size_that_can_not_be_true_is_not_told(tmp_path: Path, lie: dict[str, str]) -> None:
    system = System(with_files(tmp_path, {**L1, **lie}, L2))
    assert sizes(system).get(1) is None


def test_a_line_is_a_power_of_two_and_ways_are_some(tmp_path: Path) -> None:
    system = System(with_files(tmp_path, {**L1, "coherency_line_size": "65"}, {**L2, "ways_of_associativity": "0"}))
    told = read(system).levels
    assert told[1].line is None and told[2].ways is None and told[1].bytes and told[2].bytes


def test_files_that_are_no_text_tell_nothing(tmp_path: Path) -> None:
    root = with_files(tmp_path, L1, L2, cpuinfo=ZEN)
    (root / CPU / "cpu0/cache/index0/size").write_bytes(b"\xff\xfe\x00")
    (root / "proc/cpuinfo").write_bytes(bytes(range(256)))
    (root / CPU / "cpu0/cache/index1/size").unlink()
    (root / CPU / "cpu0/cache/index1/size").mkdir()
    assert sizes(System(root)) == {1: None, 2: None} and read(System(root)).kind is None


def test_cores_are_sets_of_threads(tmp_path: Path) -> None:
    for n, pair in enumerate(("0,2", "1,3", "0,2", "1,3")):
        folder = tmp_path / CPU / f"cpu{n}" / "topology"
        folder.mkdir(parents=True)
        (folder / "core_cpus_list").write_text(pair)
    told = read(System(tmp_path, cpus=(0, 1, 2, 3)))
    assert told.cores and told.cores.value == 2 and told.threads == Reading(4, "nproc")
    one = read(System(tmp_path, cpus=(0, 2)))
    assert one.cores and one.cores.value == 1


def test_a_container_may_get_the_time_of_fewer_threads(tmp_path: Path) -> None:
    quota = tmp_path / "sys/fs/cgroup/cpu.max"
    quota.parent.mkdir(parents=True)
    found = []
    for text in ("max 100000", "250000 100000", "100 100000", "x 0"):
        quota.write_text(text)
        told = read(System(tmp_path, cpus=tuple(range(8)))).threads
        found.append(told and told.value)
    assert found == [8, 2, 1, 8]


@pytest.mark.parametrize(
    ("name", "hertz"),
    [("Intel(R) Xeon(R) CPU E5-2690 v3 @ 2.60GHz", 2_600_000_000), ("AMD EPYC", None), ("@ 9.9.9GHz", None)],
)
def test_a_name_may_tell_the_frequency(tmp_path: Path, name: str, hertz: int | None) -> None:
    found = read(System(with_files(tmp_path, cpuinfo=f"model name : {name}\n"))).hertz
    assert (found and found.value) == hertz


def test_an_arm_processor_tells_its_part(tmp_path: Path) -> None:
    text = "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
    assert read(System(with_files(tmp_path, cpuinfo=text))).kind == Kind("0x41", 8, 0xD0C, "/proc/cpuinfo")


# -- commands -----------------------------------------------------------------------------------------


def test_getconf_tells_of_levels_whose_ways_it_knows() -> None:
    told = read(saying(getconf=GETCONF)).levels
    assert set(told) == {1, 2}, "335 MB are those of all processors together"
    assert told[1].ways == Reading(12, "getconf LEVEL1_DCACHE_ASSOC")


def test_macos_tells_of_its_faster_cores() -> None:
    told = read(saying(sysctl=SYSCTL))
    assert told.levels[1].bytes == Reading(131072, "sysctl hw.perflevel0.l1dcachesize")
    assert told.levels[2].ways is None and told.levels[2].line == Reading(128, "sysctl hw.cachelinesize")
    assert told.cores == Reading(8, "sysctl hw.physicalcpu") and told.hertz and told.hertz.value == 3_200_000_000


def test_the_processor_itself_is_asked_last() -> None:
    told = read(saying(probe=CPUID))
    assert told.kind == Kind("GenuineIntel", 6, 63, "cpuid")
    assert told.levels[3].ways == Reading(20, "cpuid") and told.levels[3].threads == Reading(16, "cpuid")
    both = read(saying(getconf=GETCONF, probe=CPUID)).levels
    assert both[1].bytes and both[1].bytes.how == "getconf LEVEL1_DCACHE_SIZE"


@pytest.mark.parametrize("nonsense", ["cache", "cache 1 2", "cache a b c d e", "vendor\nmodel 1", "cache 1 9 8 64 2"])
def test_nonsense_tells_nothing(nonsense: str) -> None:
    told = read(saying(probe=nonsense, getconf=nonsense, sysctl=nonsense))
    assert told.kind is None and not any(level.bytes for level in told.levels.values())


def test_other_architectures_have_no_such_instruction() -> None:
    system = System(Path("/nowhere"), "aarch64", (), probe=lambda _: CPUID)
    assert read(system).levels == {}


# -- this one -----------------------------------------------------------------------------------------


def test_the_system_at_hand_tells_something_or_nothing() -> None:
    here = this_system()
    told = read(here)
    assert told.threads and 1 <= told.threads.value <= len(here.cpus)
    assert here.run("exo-strat-has-no-such-command") == "" and here.run("sh", "-c", "echo no; exit 3") == ""
    assert here.run("sh", "-c", "echo yes") == "yes\n"


def test_a_probe_that_does_not_compile_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "exo-strat-has-no-such-compiler")
    assert this_system().probe("int main(void) { return 0; }") == ""
