"""Seeded choices: the same every time, recorded, and made smaller where a test fails."""

from __future__ import annotations

import pytest

from exo_strat.testing.choices import Choices
from exo_strat.testing.search import search


def drawn(ch: Choices) -> list[int]:
    return [ch.upto(9) for _ in range(ch.upto(20))]


def test_a_seed_gives_the_same_choices_every_time() -> None:
    assert drawn(Choices.seeded(3)) == drawn(Choices.seeded(3)) != drawn(Choices.seeded(4))


def test_recorded_choices_can_be_drawn_again() -> None:
    recorded: list[int] = []
    first = drawn(Choices.seeded(3, recorded))
    assert drawn(Choices.replayed(recorded)) == first
    assert drawn(Choices.replayed([2])) == [0, 0], "when they run out, the simplest follow"


def test_what_passes_for_all_seeds_passes() -> None:
    search(lambda ch: None, range(10))


def test_a_failure_is_made_smaller() -> None:
    def test(ch: Choices) -> None:
        xs = drawn(ch)
        assert sum(xs) < 12, xs

    with pytest.raises(AssertionError, match=r"\[\d, \d\]\nassert 12 < 12"):
        search(test, range(20))


def test_other_errors_are_not_touched() -> None:
    def test(ch: Choices) -> None:
        raise KeyError(ch.upto(5))

    with pytest.raises(KeyError):
        search(test, range(3))
