"""Constructors of frozen classes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from exo_strat.ir.frozen import fast_init


@fast_init
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    _memo: int = field(init=False, repr=False, compare=False)


def test_arguments_are_those_of_the_dataclass() -> None:
    assert Point(1) == Point(1, 2) == Point(y=2, x=1)
    assert repr(Point(3, 4)) == "Point(x=3, y=4)"
    with pytest.raises(TypeError, match="'x'"):
        Point()  # type: ignore[call-arg]


def test_it_stays_frozen_and_replaceable() -> None:
    p = Point(1)
    with pytest.raises(FrozenInstanceError):
        p.x = 2  # type: ignore[misc]
    assert replace(p, y=5) == Point(1, 5)
    assert {p: "found"}[Point(1, 2)] == "found"
