"""The reference of primitives says what their docstrings say, and each of them says all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.reference import Entry, reference

FILE = Path(__file__).parents[2] / "docs" / "primitives.md"
PROOF_FAILED = ("not true", "not provable")


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text() == reference(), "make it anew: python -m exo_strat.testing.reference > docs/primitives.md"


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_a_docstring_says_form_condition_failures_and_the_cursor_returned(name: str) -> None:
    entry = Entry.of(PRIMITIVES[name].spec)
    assert entry.form and entry.condition
    assert entry.result, "a sentence begins with 'Returns'"
    assert entry.failures, "a sentence begins with 'Fails with', or is 'Never fails.'"
    assert entry.accepted.steps


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_what_can_fail_has_an_example_that_is_refused(name: str) -> None:
    spec = PRIMITIVES[name].spec
    entry = Entry.of(spec)
    if "Never fails." in entry.failures:
        assert entry.refused is None
        return
    assert entry.refused is not None, "a paragraph of the docstring begins with 'Refused:', and an example follows"
    assert entry.refused.why
    [(_, message)] = entry.refused.steps
    assert message.startswith(f"{name}("), "it is this primitive that fails"
    assert not (spec.by_form and any(words in message for words in PROOF_FAILED))


def test_each_primitive_has_a_section_to_which_the_contents_lead() -> None:
    text = reference()
    for op in PRIMITIVES.values():
        entry = Entry.of(op.spec)
        assert text.count(f"### {entry.heading}\n") == 1
        assert text.count(entry.link()) == 1
