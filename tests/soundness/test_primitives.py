"""Every primitive on random programs, at random targets, with random arguments.

What is accepted must compute the same on sample inputs, pass the checks, print as text that means the same,
forward every cursor to a place of its kind or to nowhere, and leave the procedure it was given alone.
Each primitive must be accepted and refused often enough for that to mean something.
"""

from __future__ import annotations

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import Tally, check_primitive, examples

PROGRAMS = 100
"""Random programs for each primitive."""

RARE = {"merge_writes", "sink_alloc", "remove_loop", "delete_buffer", "divide_dim", "reorder_loops", "fission"}
"""Primitives that are seldom applicable: they get three times as many programs."""

QUOTA = 10
"""How often a primitive must be accepted on a program that has a meaning."""

NEVER_REFUSED = {"simplify", "rename", "shift_loop", "inline"}
"""Primitives that are refused on rare programs only."""


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_what_is_accepted_computes_the_same(name: str) -> None:
    tally = Tally()
    check_primitive(name, examples(3 * PROGRAMS if name in RARE else PROGRAMS), tally)
    assert tally.compared[name] >= QUOTA, f"{name} is hardly ever accepted\n{tally}"
    if name not in NEVER_REFUSED:
        assert tally.refusals(name) >= 3, f"{name} is hardly ever refused\n{tally}"
