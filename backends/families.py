"""What is known of some families of processors, and how to tell them.

The numbers are facts that their makers publish; each family says where. Sizes of caches differ within a family: what
the system tells of the processor at hand is taken before these (`native_machine`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .kernel import Cache, Machine, Pipes, Processor

KIB, MIB = 1 << 10, 1 << 20

GENERIC = Processor()
"""A processor of which nothing is known."""

ZEN_3 = Processor(
    name="Zen 3",
    caches=(Cache(32 * KIB, 8, threads=2), Cache(512 * KIB, 8, threads=2), Cache(32 * MIB, 16, threads=16)),
    fma_latency=4,
    fmas=Pipes(2, 256),
    loads=Pipes(2, 256),
    stores=Pipes(1, 256),
    reorder=256,
)

ZEN_4 = Processor(
    name="Zen 4",
    caches=(Cache(32 * KIB, 8, threads=2), Cache(1 * MIB, 8, threads=2), Cache(32 * MIB, 16, threads=16)),
    fma_latency=4,
    fmas=Pipes(2, 256),
    loads=Pipes(2, 256),
    stores=Pipes(1, 256),
    reorder=320,
)
"""The processor on which the times of this repository are measured, and so what the x86 targets are unless said."""

ZEN_5 = Processor(
    name="Zen 5",
    caches=(Cache(48 * KIB, 12, threads=2), Cache(1 * MIB, 16, threads=2), Cache(32 * MIB, 16, threads=16)),
    fma_latency=4,
    fmas=Pipes(2, 512),
    loads=Pipes(2, 512),
    stores=Pipes(2, 256),
    reorder=448,
)
"""Of servers and desktops; some models for laptops compute with 512 bits in two halves."""

SKYLAKE_X = Processor(
    name="Skylake-X",
    caches=(Cache(32 * KIB, 8, threads=2), Cache(1 * MIB, 16, threads=2), Cache(1408 * KIB, 11, threads=2)),
    fma_latency=4,
    fmas=Pipes(2, 512),
    loads=Pipes(2, 512),
    stores=Pipes(1, 512),
    reorder=224,
)
"""Of the third level, the part of one core; of models with one unit for 512 bits, half of the multiply-adds."""

SAPPHIRE_RAPIDS = Processor(
    name="Sapphire Rapids",
    caches=(Cache(48 * KIB, 12, threads=2), Cache(2 * MIB, 16, threads=2), Cache(5 * MIB, 20, threads=2)),
    fma_latency=4,
    fmas=Pipes(2, 512),
    loads=Pipes(2, 512),
    stores=Pipes(2, 256),
    reorder=512,
)
"""And Emerald Rapids, whose part of the third level for each core this is: Sapphire Rapids has less of it than of the
second. The manual has three loads of 256 bits a cycle; no more than two were measured on Emerald Rapids."""

HASWELL = Processor(
    name="Haswell",
    caches=(Cache(32 * KIB, 8, threads=2), Cache(256 * KIB, 8, threads=2), Cache(8 * MIB, 16, threads=8)),
    fma_latency=5,
    fmas=Pipes(2, 256),
    loads=Pipes(2, 256),
    stores=Pipes(1, 256),
    reorder=192,
)

NEOVERSE_N1 = Processor(
    name="Neoverse N1",
    caches=(Cache(64 * KIB, 4), Cache(1 * MIB, 8)),
    fma_latency=4,
    fmas=Pipes(2, 128),
    loads=Pipes(2, 128),
    stores=Pipes(1, 128),
    reorder=128,
)
"""Its third level is another one in each product."""

GENERIC_NEON = replace(NEOVERSE_N1, name="generic Neon")
"""A processor with Neon of which nothing else is known: as Neoverse N1."""


@dataclass(frozen=True)
class Family:
    """A family of processors: its numbers, the maker's name for itself, the `family` and the models that
    `/proc/cpuinfo` tells (of Arm, the part), and where the numbers are published."""

    processor: Processor
    vendor: str
    family: int
    models: frozenset[int]
    source: str


def _models(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(n for first, last in ranges for n in range(first, last + 1))


FAMILIES: tuple[Family, ...] = (
    Family(
        ZEN_3,
        "AuthenticAMD",
        0x19,
        _models((0x00, 0x0F), (0x20, 0x5F)),
        "AMD, Software Optimization Guide for AMD Family 19h Processors (56665)",
    ),
    Family(
        ZEN_4,
        "AuthenticAMD",
        0x19,
        _models((0x10, 0x1F), (0x60, 0x7F), (0xA0, 0xAF)),
        "AMD, Software Optimization Guide for the Zen 4 microarchitecture (57647)",
    ),
    Family(
        ZEN_5,
        "AuthenticAMD",
        0x1A,
        _models((0x00, 0x1F), (0x40, 0x4F)),
        "AMD, Software Optimization Guide for the AMD Zen5 Microarchitecture (58455)",
    ),
    Family(
        SKYLAKE_X,
        "GenuineIntel",
        6,
        _models((0x55, 0x55)),
        "Intel 64 and IA-32 Architectures Optimization Reference Manual, Skylake server",
    ),
    Family(
        SAPPHIRE_RAPIDS,
        "GenuineIntel",
        6,
        _models((0x8F, 0x8F), (0xCF, 0xCF)),
        "Intel 64 and IA-32 Architectures Optimization Reference Manual, Golden Cove",
    ),
    Family(
        HASWELL,
        "GenuineIntel",
        6,
        _models((0x3C, 0x3C), (0x3F, 0x3F), (0x45, 0x46)),
        "Intel 64 and IA-32 Architectures Optimization Reference Manual, Haswell",
    ),
    Family(
        NEOVERSE_N1,
        "0x41",
        8,
        _models((0xD0C, 0xD0C)),
        "Arm, Neoverse N1 Software Optimization Guide and Technical Reference Manual",
    ),
)


def unknown(target: Machine) -> Processor:
    """What a processor of no family here is taken for as a target: no one in particular, not the one on which the
    target was measured.

    >>> from backends.targets import avx2, neon
    >>> unknown(avx2).name, unknown(neon).name
    ('generic', 'generic Neon')
    """
    return GENERIC if any(f.processor == target.processor for f in FAMILIES) else target.processor


def find_family(vendor: str, family: int, model: int, families: Iterable[Family] = FAMILIES) -> Family | None:
    """The family of a processor by what it says of itself; none if it is of no family here.

    >>> found = find_family("GenuineIntel", 6, 0x3F)
    >>> found and found.processor.name
    'Haswell'
    """
    return next((f for f in families if (f.vendor, f.family) == (vendor, family) and model in f.models), None)
