"""The table of primitives says what their docstrings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.reference import Entry, reference

FILE = Path(__file__).parents[2] / "docs" / "primitives.md"


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text() == reference(), "make it anew: python -m exo_strat.testing.reference > docs/primitives.md"


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_a_docstring_says_what_is_rewritten_and_what_cursor_comes_back(name: str) -> None:
    entry = Entry.of(PRIMITIVES[name].spec)
    assert entry.rewrite and entry.result, "its last sentence begins with 'Returns'"
