"""The numbers of a processor, read from where a system tells them.

Asked one after the other, until all is known: sysfs and /proc/cpuinfo, `getconf`, `sysctl` (macOS), and the processor
itself by a compiled probe (`cpuid`). Each may be missing, empty or wrong, as in containers and virtual machines: what
can't be true counts as not told, and nothing here fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from .system import System

CPU = "sys/devices/system/cpu"
MOST_LEVELS, MOST_BYTES = 4, 1 << 36
"""No processor has more levels of caches, or a cache of so many bytes: who tells of them tells nonsense."""
CPUID = """
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    unsigned a, b, c, d, v[3];
    if (!__get_cpuid(0, &a, &v[0], &v[2], &v[1])) return 0;
    printf("vendor %.12s\\n", (const char *)v);
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    unsigned family = a >> 8 & 15, model = a >> 4 & 15;
    if (family == 6 || family == 15) model |= a >> 12 & 0xf0;
    if (family == 15) family += a >> 20 & 255;
    printf("family %u\\nmodel %u\\n", family, model);
    unsigned leaf = memcmp(v, "AuthenticAMD", 12) ? 4 : 0x8000001d;
    for (unsigned i = 0; i < 16 && __get_cpuid_count(leaf, i, &a, &b, &c, &d) && (a & 31); i++) {
        unsigned ways = (b >> 22) + 1, parts = (b >> 12 & 1023) + 1, line = (b & 4095) + 1;
        if ((a & 31) == 2) continue;
        unsigned long long bytes = (unsigned long long)ways * parts * line * (c + 1ull);
        printf("cache %u %llu %u %u %u\\n", a >> 5 & 7, bytes, ways, line, (a >> 14 & 4095) + 1);
    }
    return 0;
}
"""
"""Prints what the instruction tells: the maker, the family and model, and of each cache for data its level, bytes,
ways, bytes of a line, and for how many hardware threads at most it is."""


class Reading(NamedTuple):
    """A number, and the file or command that tells it."""

    value: int
    how: str


class Kind(NamedTuple):
    """What a processor calls itself: maker, family and model (of Arm: implementer, architecture and part)."""

    vendor: str
    family: int
    model: int
    how: str


class Level(NamedTuple):
    """What is told of a level of the caches; None where a number isn't told."""

    bytes: Reading | None = None
    ways: Reading | None = None
    line: Reading | None = None
    threads: Reading | None = None

    @property
    def complete(self) -> bool:
        """Whether all is told of the cache itself."""
        return None not in self[:3]

    def otherwise(self, other: Level) -> Level:
        """These numbers, or of those that aren't told another's."""
        return Level(*(mine or its for mine, its in zip(self, other, strict=True)))


Levels: TypeAlias = Mapping[int, Level]
"""Levels of the caches by number, from 1 on."""


@dataclass(frozen=True)
class Told:
    """What is told of a processor; None and no levels where nothing is."""

    kind: Kind | None = None
    levels: Levels = field(default_factory=dict)
    cores: Reading | None = None
    threads: Reading | None = None
    hertz: Reading | None = None

    @property
    def complete(self) -> bool:
        """Whether no further source need be asked: there are processors without a third level."""
        return self.kind is not None and {1, 2} <= self.levels.keys() and all(x.complete for x in self.levels.values())

    def otherwise(self, other: Told) -> Told:
        """These numbers, or of those that aren't told another's."""
        levels = {
            n: self.levels.get(n, Level()).otherwise(other.levels.get(n, Level()))
            for n in sorted({*self.levels, *other.levels})
        }
        return Told(
            self.kind or other.kind,
            levels,
            self.cores or other.cores,
            self.threads or other.threads,
            self.hertz or other.hertz,
        )


def read(system: System) -> Told:
    """All that a system tells of its processor.

    >>> from pathlib import Path
    >>> read(System(Path("/nowhere"), cpus=()))
    Told(kind=None, levels={}, cores=None, threads=None, hertz=None)
    """
    told = _sysfs(system).otherwise(_cpuinfo(system))
    for source in (_getconf, _sysctl, _cpuid):
        if not told.complete:
            told = told.otherwise(source(system))
    return told


# -- Linux --------------------------------------------------------------------------------------------


def _sysfs(system: System) -> Told:
    indices = next(filter(None, (system.folders(f"{CPU}/cpu{n}/cache/index*") for n in system.cpus)), ())
    levels = {n: level for n, level in (_index(system, folder) for folder in indices) if n}
    # older kernels have the second file only
    topologies = [f"{CPU}/cpu{n}/topology" for n in system.cpus]
    sharing = [system.read(f"{x}/core_cpus_list") or system.read(f"{x}/thread_siblings_list") for x in topologies]
    cores = len({*sharing}) if all(sharing) else 0
    return Told(
        levels=_possible(levels),
        cores=_reading(cores, f"/{CPU}/cpu*/topology/core_cpus_list"),
        threads=_threads(system),
        hertz=_frequency(system),
    )


def _index(system: System, folder: str) -> tuple[int, Level]:
    """A level of the caches and what its folder tells; level 0 if it is none for data, or its numbers contradict each
    other."""
    level, lines = _number(system.read(f"{folder}/level")), system.read(f"{folder}/shared_cpu_list")
    if level is None or system.read(f"{folder}/type") not in ("Data", "Unified"):
        return 0, Level()

    def told(name: str, value: int | None = None) -> Reading | None:
        return _reading(_number(system.read(f"{folder}/{name}")) if value is None else value, f"/{folder}/{name}")

    size, ways, line = told("size"), told("ways_of_associativity"), told("coherency_line_size")
    sets, parts = told("number_of_sets"), told("physical_line_partition")
    product = sets.value * ways.value * line.value * (parts.value if parts else 1) if sets and ways and line else None
    if size and product and size.value != product:
        return 0, Level()
    return level, Level(size, ways, line, told("shared_cpu_list", _count(lines)) if lines else None)


def _threads(system: System) -> Reading | None:
    """The hardware threads of this process: those that it may run on, or fewer if a container gets fewer' time."""
    if not system.cpus:
        return None
    allowed = Reading(len(system.cpus), "nproc")
    quota, _, period = system.read("sys/fs/cgroup/cpu.max").partition(" ")
    if (time := _number(quota)) and (of := _number(period)):
        granted = max(1, time // of)
        return min(allowed, Reading(granted, "/sys/fs/cgroup/cpu.max"))
    return allowed


def _frequency(system: System) -> Reading | None:
    for n in system.cpus:
        file = f"{CPU}/cpu{n}/cpufreq/cpuinfo_max_freq"
        if found := _number(system.read(file)):
            return Reading(1000 * found, f"/{file}")
    return None


def _cpuinfo(system: System) -> Told:
    found: dict[str, str] = {}
    for line in system.read("proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    x86, arm = ("vendor_id", "cpu family", "model"), ("CPU implementer", "CPU architecture", "CPU part")
    kinds = (_kind("/proc/cpuinfo", *(found.get(name, "") for name in names)) for names in (x86, arm))
    # the frequency of the moment, as `cpu MHz` says, would make another machine each time
    marked = re.search(r"@ ([0-9]{1,2}\.[0-9]{1,4}) ?GHz", found.get("model name", ""))
    hertz = round(float(marked[1]) * 1e9) if marked else None
    return Told(kind=next(filter(None, kinds), None), hertz=_reading(hertz, "/proc/cpuinfo, in the model's name"))


def _getconf(system: System) -> Told:
    """As glibc tells. Of a level whose ways it doesn't know, its size may be that of several processors."""
    found = dict(re.findall(r"^(LEVEL\w+)\s+(\d+)\s*$", system.run("getconf", "-a"), re.MULTILINE))
    levels = {}
    for n, name in ((1, "LEVEL1_DCACHE"), (2, "LEVEL2_CACHE"), (3, "LEVEL3_CACHE")):
        names = (f"{name}_SIZE", f"{name}_ASSOC", f"{name}_LINESIZE")
        level = Level(*(_reading(_number(found.get(x, "")), f"getconf {x}") for x in names))
        if level.complete:
            levels[n] = level
    return Told(levels=_possible(levels))


# -- others -------------------------------------------------------------------------------------------


def _sysctl(system: System) -> Told:
    """As macOS tells: of a processor with two kinds of cores, those of the faster ones."""
    found = dict(re.findall(r"^(\S+): (.*)$", system.run("sysctl", "hw", "machdep.cpu"), re.MULTILINE))

    def told(*names: str) -> Reading | None:
        return next((Reading(n, f"sysctl {x}") for x in names if (n := _number(found.get(x, "")))), None)

    line = told("hw.cachelinesize")
    sizes = {n: told(f"hw.perflevel0.{name}", f"hw.{name}") for n, name in ((1, "l1dcachesize"), (2, "l2cachesize"))}
    sizes[3] = told("hw.l3cachesize")
    kind = _kind("sysctl machdep.cpu", *(found.get(f"machdep.cpu.{x}", "") for x in ("vendor", "family", "model")))
    return Told(
        kind=kind,
        levels=_possible({n: Level(bytes=size, line=line) for n, size in sizes.items() if size}),
        cores=told("hw.physicalcpu"),
        hertz=told("hw.cpufrequency_max"),
    )


def _cpuid(system: System) -> Told:
    if system.architecture.lower() not in ("x86_64", "amd64", "i386", "i686"):
        return Told()
    lines = [line.split(maxsplit=1) for line in system.probe(CPUID).splitlines()]
    words = {name: value for name, value in (x for x in lines if len(x) == 2) if name != "cache"}
    levels = {}
    for numbers in ([*map(_number, x[1].split())] for x in lines if len(x) == 2 and x[0] == "cache"):
        if len(numbers) == 5 and numbers[0]:
            levels[numbers[0]] = Level(*(_reading(n, "cpuid") for n in numbers[1:]))
    kind = _kind("cpuid", *(words.get(name, "") for name in ("vendor", "family", "model")))
    return Told(kind=kind, levels=_possible(levels))


# -- what can be true ---------------------------------------------------------------------------------


def _possible(levels: Levels) -> Levels:
    """Levels of which each has more bytes than the one before; none if the source tells otherwise, or of more bytes or
    levels than there are. A line has a power of two of bytes, and a set of lines is no more than all."""
    sizes = [0, *(level.bytes.value for _, level in sorted(levels.items()) if level.bytes), MOST_BYTES]
    if any(after <= before for before, after in pairwise(sizes)) or not 0 <= max(levels, default=0) <= MOST_LEVELS:
        return {}
    return {n: _of_whole_sets(level) for n, level in levels.items()}


def _of_whole_sets(level: Level) -> Level:
    size, ways, line, threads = level
    if line and line.value & (line.value - 1):
        line = None
    if size and size.value < (ways.value if ways else 1) * (line.value if line else 1):
        return Level(threads=threads)
    return Level(size, ways, line, threads)


def _reading(value: int | None, how: str) -> Reading | None:
    """A number that was found: 0 and less mean that it isn't known."""
    return Reading(value, how) if value is not None and value > 0 else None


def _kind(how: str, *parts: str) -> Kind | None:
    """A processor's kind by the texts of its three parts, if they are all there."""
    vendor, family, model = parts[0], *map(_number, parts[1:])
    return Kind(vendor, family, model, how) if vendor and family is not None and model is not None else None


def _number(text: str) -> int | None:
    """A whole number, hexadecimal after 0x, that may count K, M or G; None of anything else.

    >>> _number("32K"), _number("0xd0c"), _number("lots")
    (32768, 3340, None)
    """
    found = re.fullmatch(r"(0x[0-9a-fA-F]{1,16}|[0-9]{1,18})([KMG]?)", text.strip())
    if found is None:
        return None
    digits, unit = found.groups()
    return int(digits, 16 if digits.startswith("0x") else 10) << 10 * " KMG".index(unit or " ")


def _count(cpus: str) -> int | None:
    """How many a list of ranges has.

    >>> _count("0-3,8,10-11"), _count("none")
    (7, None)
    """
    total = 0
    for part in cpus.split(","):
        first, _, last = part.partition("-")
        lo, hi = _number(first), _number(last or first)
        if lo is None or hi is None:
            return None
        total += hi - lo + 1
    return total
