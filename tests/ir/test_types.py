"""Types of data."""

from __future__ import annotations

from exo_strat.ir.types import SCALARS


def test_floats_are_told_from_integers_whatever_their_names_begin_with() -> None:
    assert {name for name, t in SCALARS.items() if t.is_float} == {"R", "bf16", "f16", "f32", "f64"}
