"""What the static checks let through never goes wrong in a way that they are there to exclude."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import run
from exo_strat.testing import examples, procs, samples, sources
from exo_strat.testing.library import environment

ALLOWED = {None, "uninitialised", "division", "domain"}
"""How a run of a well-formed procedure may end: values of data are not checked statically."""


def endings(p: Proc) -> Counter[str | None]:
    ends: Counter[str | None] = Counter()
    for given_ in samples(p):
        trap = run(p, given_.args, given_.configs).trap
        assert trap is None or trap.kind in ALLOWED, f"with {given_}\n{trap}"
        ends[None if trap is None else trap.kind] += 1
    return ends


@pytest.mark.hypothesis
def test_well_formed_procedures_stay_in_bounds_and_keep_the_promises_of_calls() -> None:
    ends: Counter[str | None] = Counter()

    @settings(max_examples=examples(200))
    @given(procs())
    def once(p: Proc) -> None:
        ends.update(endings(p))

    once()
    assert ends[None] > 3 * (ends.total() - ends[None]), f"most runs should end without a trap: {ends}"


@pytest.mark.hypothesis
def test_indices_that_may_miss_are_refused_or_do_not_miss() -> None:
    outcomes: Counter[str] = Counter()

    @settings(max_examples=examples(200))
    @given(sources())
    def once(text: str) -> None:
        try:
            p = proc_from_source(text, environment())
        except CheckError:
            outcomes["refused"] += 1
        else:
            outcomes["accepted"] += 1
            endings(p)

    once()
    assert min(outcomes["refused"], outcomes["accepted"]) > 20, outcomes
