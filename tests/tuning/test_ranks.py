"""Spearman's rank correlation."""

from __future__ import annotations

import pytest

from exo_strat.tuning.ranks import spearman


def test_only_the_order_counts() -> None:
    assert spearman([1, 2, 3], [10, 1000, 1e9]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)


def test_equal_values_share_their_ranks() -> None:
    """Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4."""
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9486832980505138)


@pytest.mark.parametrize("x", [[], [1.0], [2.0, 2.0, 2.0]])
def test_without_an_order_there_is_none(x: list[float]) -> None:
    assert spearman(x, x) is None
