"""Every primitive on random programs, at random targets, with random arguments.

What is accepted must compute the same on sample inputs, pass the checks, print as text that means the same,
forward every cursor to a place of its kind or to nowhere, and leave the procedure it was given alone. The
counterexample of what is refused must happen in a run (see `exo_strat.testing.counterexamples`).
Each primitive must be accepted often enough for that to mean something, and its condition of safety refuse often
enough. A primitive `by_form` has none.
"""

from __future__ import annotations

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import Tally, check_primitive, examples

QUOTA = 15
"""How often a primitive must be accepted on a program that has a meaning, and how often its condition refuse. That is a
short run; the long one is `python -m exo_strat.testing.soak` (`make soak`)."""

FEWER = {"bind_expr": 8, "extract_subproc": 5, "merge_recompute": 8, "specialize": 8}
"""How often the condition must refuse of primitives for which that is seldom drawn: more would take too long."""

PROGRAMS = 2000
"""Where the search for more ends."""

MOST_OPEN = 5
"""Of how many counterexamples in a hundred it may stay open whether they are real."""


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_what_is_accepted_computes_the_same_and_what_is_refuted_is_false(name: str) -> None:
    tally, by_form = Tally(), PRIMITIVES[name].spec.by_form
    accepted, refused = examples(QUOTA), 0 if by_form else examples(FEWER.get(name, QUOTA))

    def enough() -> bool:
        return tally.compared[name] >= accepted and tally.unsafe(name) >= refused

    # while refusals are looked for, more that is accepted would take most of the time
    check_primitive(PRIMITIVES[name], examples(PROGRAMS), tally, enough=enough, most=accepted)
    assert enough(), f"{name} is too seldom accepted or refused\n{tally}"
    left = tally.examples[name, "open"]
    assert 100 * left <= MOST_OPEN * tally.claimed(name), f"{left} of {tally.claimed(name)} counterexamples are open"
    assert not by_form or not tally.unsafe(name), f"{name} has a condition that is not of its form\n{tally}"
