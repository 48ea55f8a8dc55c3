"""Families of processors: each is found by what it says of itself, and has numbers that can be true."""

from __future__ import annotations

from itertools import pairwise

import pytest

from backends.families import FAMILIES, GENERIC, GENERIC_NEON, find_family


@pytest.mark.parametrize(
    ("vendor", "family", "model", "name"),
    [
        ("AuthenticAMD", 25, 1, "Zen 3"),
        ("AuthenticAMD", 25, 17, "Zen 4"),
        ("AuthenticAMD", 25, 97, "Zen 4"),
        ("AuthenticAMD", 26, 2, "Zen 5"),
        ("GenuineIntel", 6, 85, "Skylake-X"),
        ("GenuineIntel", 6, 143, "Sapphire Rapids"),
        ("GenuineIntel", 6, 207, "Sapphire Rapids"),
        ("GenuineIntel", 6, 63, "Haswell"),
        ("0x41", 8, 0xD0C, "Neoverse N1"),
    ],
)
def test_a_processor_is_found_by_its_numbers(vendor: str, family: int, model: int, name: str) -> None:
    found = find_family(vendor, family, model)
    assert found is not None and found.processor.name == name


def test_another_generation_is_no_member() -> None:
    assert find_family("AuthenticAMD", 23, 1) is None, "Zen 1"
    assert find_family("GenuineIntel", 25, 17) is None, "another maker"


@pytest.mark.parametrize("p", [GENERIC, GENERIC_NEON, *(f.processor for f in FAMILIES)], ids=lambda p: str(p.name))
def test_each_level_has_more_than_the_one_before(p: object) -> None:
    caches = p.caches  # type: ignore[attr-defined]
    assert all(before.bytes < after.bytes for before, after in pairwise(caches))
    assert all(c.sets * c.ways * c.line == c.bytes for c in caches)
