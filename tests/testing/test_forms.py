"""Forms of the object language in random programs, and every primitive on them (at length: `soak --form all`)."""

from __future__ import annotations

from functools import partial

import pytest

from exo_strat.cursors.proc import Proc
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import SHAPES, Tally, check_primitive, samples
from exo_strat.testing.applications import applications
from exo_strat.testing.choices import Choices
from exo_strat.testing.equivalence import assert_equivalent
from exo_strat.testing.forms import FORMS, formed
from exo_strat.testing.knockouts import conditions, without
from exo_strat.testing.programs import random_proc
from exo_strat.testing.soak import soak

NAMES = sorted(PRIMITIVES)


def drawn(form: str, programs: int) -> list[Proc]:
    """Random programs, as many of so many as could be given a form."""
    found = []
    for seed in range(programs):
        ch = Choices.seeded(seed)
        p = random_proc(ch, tuple(SHAPES))
        if p is not None and (q := formed(ch, p, FORMS[form])) is not None:
            found.append(q)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_most_programs_can_be_given_a_form_and_run(form: str) -> None:
    found = drawn(form, 5)
    assert len(found) >= 2 and all(FORMS[form].has(p.tree) for p in found)
    assert sum(assert_equivalent(p, p) > 0 for p in found) >= 1, "most runs trap"


@pytest.mark.parametrize("form", FORMS)
def test_primitives_are_tried_where_a_program_has_a_form(form: str) -> None:
    """A few primitives, others for each form."""
    k, tally = sorted(FORMS).index(form), Tally()
    for name in NAMES[k :: 4 * len(FORMS)]:
        few = partial(lambda name: tally.tried(name) >= 2, name)
        check_primitive(PRIMITIVES[name], 30, tally, form=form, shrink=False, enough=few)
    assert sum(map(tally.tried, NAMES)) > 0


def test_what_has_no_form_does_not_count() -> None:
    p = random_proc(Choices.seeded(0), ("anything",))
    assert p is not None and samples(p)
    cells = FORMS["cells"]
    assert not cells.has(p.tree)
    for seed in range(8):
        tried = list(applications(Choices.seeded(seed), p, PRIMITIVES["simplify"], cells))
        assert all(cells.has(q.tree) for q, _, _ in tried)


def test_the_soak_counts_applications_to_a_form() -> None:
    row, other = soak(["simplify", "reverse_loop"], 8, form="select")
    assert row.tried >= 8 and row.accepted == row.tried and not row.violations
    assert row.cells()[0] == "`simplify`, select" and other.tried >= 8


def test_of_primitives_that_share_programs_the_soak_tells_which_went_wrong() -> None:
    with without(conditions(PRIMITIVES["shift_loop"])[0]):
        right, wrong = soak(["simplify", "shift_loop"], 20)
    assert not right.violations and "shift_loop, seed" in wrong.violations[0]
