"""Each condition of each primitive is left out in turn, without anybody asking for it: random programs must show that
it counts. See `testing.knockouts`; the other files of knock-outs break primitives in finer ways."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.knockouts import Condition, conditions, without

Caught = Callable[..., None]

EACH = [(name, c) for name in sorted(PRIMITIVES) for c in conditions(PRIMITIVES[name])]


@pytest.mark.parametrize(("primitive", "condition"), EACH, ids=[f"{name}-{c}" for name, c in EACH])
def test_a_condition_that_is_left_out(primitive: str, condition: Condition, must_be_caught: Caught) -> None:
    with without(condition):
        must_be_caught(primitive)
