"""The processor at hand as a machine: its numbers, and how each was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from .families import Family, find_family, unknown
from .kernel import Cache, Machine, Processor
from .readings import Kind, Level, Levels, Reading, read
from .system import System, this_system

FIRST_AND_SECOND = 2
"""Levels of caches that every processor here has; a third one only if the system or the family tells of it."""


@dataclass(frozen=True)
class Fact:
    """A number of a processor in words, with its unit, and how it was found."""

    what: str
    value: str
    how: str


@dataclass(frozen=True)
class Native:
    """A machine with the numbers of a processor, and where each of them is from."""

    machine: Machine
    facts: tuple[Fact, ...]


def native_machine(target: Machine, system: System | None = None) -> Native:
    """A target with the numbers of the processor at hand, or of another `system`.

    Caches, cores and the frequency are what the system tells (`readings` says where it is asked). Latency and units,
    and what the system does not tell or can't be true, are those of the processor's family; where that isn't known,
    those of no processor in particular. It never fails: at worst only these are left. The same answers of the system
    give the same machine.

    >>> from pathlib import Path
    >>> from backends.targets import avx2
    >>> untold = native_machine(avx2, System(Path("/nowhere")))
    >>> untold.machine.processor.name, untold.facts[1].value, untold.facts[1].how
    ('generic', '32 KiB', 'not told: as if generic')
    """
    told = read(system or this_system())
    family = find_family(*told.kind[:3]) if told.kind else None
    default = family.processor if family else unknown(target)
    source = family.source if family else f"as if {default.name}"
    caches, found = _caches(told.levels, default.caches, source)
    threads = told.threads or Reading(default.threads, _untold(source))
    cores = told.cores or Reading(threads.value, "not told: as many as threads")
    if cores.value > threads.value:
        cores = Reading(threads.value, "no more than threads")
    hertz = told.hertz.value if told.hertz else default.hertz
    processor = replace(default, caches=caches, cores=cores.value, threads=threads.value, hertz=hertz)
    facts = (
        Fact("processor", default.name, _kind(told.kind, family, source)),
        *found,
        Fact("cores", str(cores.value), cores.how),
        Fact("hardware threads", str(threads.value), threads.how),
        Fact("frequency", f"{hertz / 1e9:g} GHz" if hertz else "unknown", told.hertz.how if told.hertz else "not told"),
        *_units(target, processor, source),
    )
    return Native(replace(target, processor=processor), facts)


def _caches(levels: Levels, default: tuple[Cache, ...], source: str) -> tuple[tuple[Cache, ...], list[Fact]]:
    """The caches, and each of their numbers; the default ones if a level would be no larger than the one before."""
    highest = max(levels, default=0)
    count = highest if highest >= FIRST_AND_SECOND else max(len(default), FIRST_AND_SECOND)
    known = [levels.get(n, Level()) for n in range(1, count + 1)]
    caches = tuple(_cache(level, default[min(n, len(default) - 1)]) for n, level in enumerate(known))
    if any(after.bytes <= before.bytes for before, after in pairwise(caches)):
        return default, [f for n, c in enumerate(default, 1) for f in _level(n, c, Level(), source)]
    levelled = enumerate(zip(caches, known, strict=True), 1)
    return caches, [f for n, (c, told) in levelled for f in _level(n, c, told, source)]


def _cache(told: Level, default: Cache) -> Cache:
    """A cache with what is told of it, and else by default; all but the sharing by default if no set of lines fits."""
    size, ways, line, threads = (r.value if r else d for r, d in zip(told, _numbers(default), strict=True))
    return Cache(size, ways, line, threads) if size >= ways * line else replace(default, threads=threads)


def _numbers(c: Cache) -> tuple[int, int, int, int]:
    return c.bytes, c.ways, c.line, c.threads


def _level(n: int, c: Cache, told: Level, source: str) -> Iterator[Fact]:
    """Each number of a cache; how it was found, if it is what was told."""
    names = (f"L{n} cache", f"L{n} ways", f"L{n} line", f"L{n} shared by")
    sharing = f"{c.threads} hardware thread{'s' * (c.threads > 1)}"
    texts = (f"{c.bytes / 1024:g} KiB", str(c.ways), f"{c.line} bytes", sharing)
    for name, text, value, reading in zip(names, texts, _numbers(c), told, strict=True):
        yield Fact(name, text, reading.how if reading and reading.value == value else _untold(source))


def _units(target: Machine, p: Processor, source: str) -> Iterator[Fact]:
    """What no system tells: registers, latency, operations a cycle on the target's vectors, and what threads cost."""
    yield Fact("vector registers", str(target.registers), f"of {target}")
    yield Fact("latency of a multiply-add", f"{p.fma_latency} cycles", source)
    for what, pipes in (("multiply-adds", p.fmas), ("loads", p.loads), ("stores", p.stores)):
        yield Fact(f"{what} a cycle", f"{pipes.count} of up to {pipes.bits} bits", source)
    yield Fact("to share a loop", f"{p.fork} vector operations", "by default; python -m benchmarks.threads measures it")


def _kind(kind: Kind | None, family: Family | None, source: str) -> str:
    """How the family was found."""
    if kind is None:
        return _untold(source)
    told = f"{kind.how}: {kind.vendor}, family {kind.family}, model {kind.model}"
    return told if family else f"{told}, of which nothing is known here: {source}"


def _untold(source: str) -> str:
    return f"not told: {source}"
