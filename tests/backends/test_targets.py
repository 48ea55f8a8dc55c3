"""What machines there are, and which of them this processor can be."""

from __future__ import annotations

import pytest

from backends import PLAIN_C, available, available_targets, best_machine, cpu, targets
from exo_strat import DRAM, Machine


def test_a_machine_is_available_if_the_processor_has_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "features", lambda: frozenset({"avx2", "fma", "f16c"}))
    assert [m.name for m in available_targets()] == ["c", "avx2"]
    assert best_machine().name == "avx2"
    monkeypatch.setattr(targets, "features", lambda: frozenset({"fp", "asimd"}))
    assert best_machine() is targets.neon
    monkeypatch.setattr(targets, "features", lambda: frozenset[str]())
    assert best_machine() is PLAIN_C and not available(targets.avx512)


def test_targets_go_by_name() -> None:
    assert targets.avx2.name == "avx2" and targets.neon.vec_width("f32") == 4 and targets.avx512.vec_width("f64") == 8
    assert targets.plain_c.vec_width("f32") == 1
    with pytest.raises(AttributeError, match="no target sparc"):
        _ = targets.sparc


def test_a_machine_of_ones_own_takes_plain_dicts_and_has_a_hash() -> None:
    one, two = (Machine("toy", {"f32": 4}, DRAM, {}) for _ in range(2))  # type: ignore[arg-type]
    assert one == two and hash(one) == hash(two) and one.vec_width("f32") == 4


def test_the_processor_is_asked_once() -> None:
    assert cpu.features() is cpu.features()
