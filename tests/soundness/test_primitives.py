"""Every primitive on random programs, at random targets, with random arguments.

What is accepted must compute the same on sample inputs, pass the checks, print as text that means the same,
forward every cursor to a place of its kind or to nowhere, and leave the procedure it was given alone. The
counterexample of what is refused must happen in a run (see `exo_strat.testing.counterexamples`).
Each primitive must be accepted and refused often enough for that to mean something.
"""

from __future__ import annotations

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import Tally, check_primitive, examples

QUOTA = 100
"""How often a primitive must be accepted on a program that has a meaning, and how often refused."""

PROGRAMS = 2000
"""Where the search for more ends."""

NEVER_REFUSED = {
    "simplify": "never fails",
    "insert_pass": "never fails",
    "delete_pass": "never fails",
    "inline_window": "fails only where a config field in an offset changes, and such offsets are seldom in bounds",
    "rename": "fails only where the name is no name",
    "rename_variable": "fails only where the name is no name",
}
"""Primitives that are hardly ever refused, and why."""


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_what_is_accepted_computes_the_same_and_what_is_refuted_is_false(name: str) -> None:
    tally, quota = Tally(), examples(QUOTA)

    def enough() -> bool:
        refused = name in NEVER_REFUSED or tally.refusals(name) >= quota
        return refused and tally.compared[name] >= quota

    check_primitive(name, examples(PROGRAMS), tally, enough=enough)
    assert enough(), f"{name} is too seldom accepted or refused\n{tally}"
