"""What keeps its order where some things change places."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from exo_strat.ir.order import longest_rising


@pytest.mark.parametrize("seed", range(30))
def test_a_longest_rising_part_rises_and_none_is_longer(seed: int) -> None:
    numbers = Random(seed).sample(range(9), 7)
    found = longest_rising(numbers)
    assert list(found) == sorted(found) and [numbers[i] for i in found] == sorted(numbers[i] for i in found)
    assert not any(list(part) == sorted(part) for part in combinations(numbers, len(found) + 1))
