"""What the tests of soundness draw."""

from __future__ import annotations

import pytest

from exo_strat.testing import precisions


@pytest.fixture(autouse=True)
def _one_precision(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions that are knocked out know nothing of precisions: programs are at one, and more of them tell."""
    if request.module.__name__.rpartition(".")[2].startswith("test_knockouts"):
        monkeypatch.setattr(precisions, "PERCENT", 0)
