"""What changed between two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exo_strat.ir.hunks import LARGEST, Hunk, applied, hunks

TEXTS = st.lists(st.sampled_from("abc"), max_size=12)


@given(old=TEXTS, new=TEXTS)
def test_hunks_lead_from_the_old_text_to_the_new_one(old: list[str], new: list[str]) -> None:
    found = hunks(old, new)
    assert applied(old, found) == new
    assert all(tuple(old[h.at : h.at + len(h.removed)]) == h.removed for h in found)
    assert (found == ()) == (old == new)


def test_lines_that_stay_are_in_no_hunk() -> None:
    assert hunks([*"abcde"], [*"aXcdeY"]) == (Hunk(1, ("b",), ("X",)), Hunk(5, (), ("Y",)))


def test_long_texts_that_differ_are_one_hunk() -> None:
    n = int(LARGEST**0.5) + 1
    old, new = [f"old {i}" for i in range(n)], [f"new {i}" for i in range(n)]
    (found,) = hunks(["same", *old, "same"], ["same", *new, "same"])
    assert (found.at, found.removed, found.added) == (1, tuple(old), tuple(new))
