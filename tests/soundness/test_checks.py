"""What the static checks let through never goes wrong in a way that they are there to exclude."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from exo_strat.cursors.proc import Proc
from exo_strat.frontend import check_expr, checks
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.logic.effects import config_state as configs
from exo_strat.logic.forms.formula import TRUE
from exo_strat.testing import examples, procs, samples, sources
from exo_strat.testing.library import environment

from .test_regressions_eval import parsed

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

    @settings(max_examples=examples(80))
    @given(procs())
    def once(p: Proc) -> None:
        ends.update(endings(p))

    once()
    assert ends[None] > 3 * (ends.total() - ends[None]), f"most runs should end without a trap: {ends}"


@pytest.mark.hypothesis
def test_indices_that_may_miss_are_refused_or_do_not_miss() -> None:
    outcomes: Counter[str] = Counter()

    @settings(max_examples=examples(80))
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


# -- what the checks know of fields ---------------------------------------------------------------------

WIDER = [
    ("a write that is forgotten", configs, "_kept", lambda known, s: known,
     "if 0 <= C.k and C.k < 8:\n    C.k = n + 8\n    x[C.k] = 0.0", {"C.k": 1}),
    ("a write in a loop that is forgotten", configs, "_round", lambda loop, known, facts: known,
     "C.k = 1\nfor i in seq(0, 3):\n    x[C.k] = 0.0\n    C.k = 9", {}),
    ("any field taken for a size", configs, "size", types.index, "if C.k < 8:\n    x[C.k] = 0.0", {"C.k": -1}),
    ("one part of an `or` taken for true", configs, "_on_fields", lambda e, truth: iter([(e.rhs, truth)]),
     "if n < 4 or (0 <= C.k and C.k < 8):\n    x[C.k] = 0.0", {"C.k": 9}),
    ("a branch taken for the other", configs, "_asked", lambda s, label: ((s.cond, True),),
     "if C.n < 8:\n    pass\nelse:\n    x[C.n] = 0.0", {"C.n": 8}),
    ("a size that need not be positive", checks, "ge", lambda *_: TRUE, "C.n = 2 - n", {}),
    ("a first part taken for true where it is false", check_expr, "neg", lambda f: f,
     "if n < 8 or x[n] > 0.0:\n    pass", {}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "lines", "fields"), [(row[0], *row[4:]) for row in WIDER])
def test_programs_that_pass_where_too_much_is_known(
    what: str, lines: str, fields: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check of the front end that is left out lets in a program that traps."""
    with pytest.raises(CheckError):
        parsed(lines)
    where, name, instead = next(row[1:4] for row in WIDER if row[0] == what)
    monkeypatch.setattr(where, name, instead)
    tree = parsed(lines).tree
    monkeypatch.undo()
    assert run(tree, {"n": 2 if "2 - n" in lines else 9 if "x[n]" in lines else 1, "x": [1] * 8, "y": 1}, fields).trap
