"""Each condition of each primitive is left out in turn, without anybody asking for it: random programs must show that
it counts. See `testing.knockouts`; the other files of knock-outs break primitives in finer ways.

`unseen.txt` has the conditions that 1,000 random programs do not show. Each is refused by a test of its module, but
whether it counts beside all others only an example by hand could say. Its lines may go, and none be added.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.counterexamples import Unreal
from exo_strat.testing.knockouts import Condition, conditions, without

Caught = Callable[..., None]

UNSEEN = frozenset(Path(__file__).with_name("unseen.txt").read_text().splitlines())
EACH = {f"{name}-{c}": (name, c) for name in sorted(PRIMITIVES) for c in conditions(PRIMITIVES[name])}
assert EACH.keys() >= UNSEEN, f"no conditions any more: {UNSEEN - EACH.keys()}"
SEEN = {name: of for name, of in EACH.items() if name not in UNSEEN}

SHAPES = {
    "widen_loop-scoping.integer_arg: in_bounds": "gathered rows",
    "add_loop-scoping.integer_arg: in_bounds": "gathered rows",
    "bind_config-configs.bind_config: no_new_races": "lanes configuration",
    "cut_loop-loops.cut_loop: bounds_stay": "counted configuration",
    "cut_loop-scoping.integer_arg: in_bounds": "gathered rows",
    "divide_loop-scoping.integer_arg: in_bounds": "gathered rows",
    "divide_with_recompute-recompute.divide_with_recompute: start_stays": "counted",
    "divide_with_recompute-scoping.integer_arg: in_bounds": "gathered rows",
    "expand_dim-scoping.integer_arg: in_bounds": "gathered rows",
    "expand_dim-dims._index: in_bounds": "gathered rows",
    "fission-loops._condition_stays": "guarded accumulation",
    "fold_into_reduce-arithmetic.fold_into_reduce: require(verdicts[right]": "drifting",
    "inline_assign-inlining.inline_assign: well_formed": "handed",
    "lift_reduce_constant-arithmetic._common_factor": "scaled",
    "lift_scope-scopes._if_out_of_for: ready": "patch",
    "merge_writes-writes._same_place_and_independent: require(safety.same_location": "windows",
    "resize_dim-resize._ring_holds": "stages",
    "reuse_buffer-reuse._alike": "stencil",
    "rewrite_expr-simplification._equal_and_evaluated: in_bounds": "gathered rows",
    "set_window-annotations.set_window: still_parallel": "windows",
    "stage_mem-staging._window_fits: in_bounds": "gathered rows",
    "stage_mem-staging._window_fits: require(safety.unchanged": "sliding configuration",
}
"""Shapes of programs that show a condition sooner than those that suit its primitive."""

FOR_COUNTEREXAMPLES = (
    "scoping.integer_arg: in_bounds",
    "dims._index: in_bounds",
    "simplification._equal_and_evaluated: in_bounds",
    "staging._window_fits: in_bounds",
    "loops._factor: require(safety.holds",
)
"""What is asked before all else, so that no counterexample has an element that does not exist, or divides by nothing.
Without it the result is still checked."""

@pytest.mark.parametrize(("primitive", "condition"), [*SEEN.values()], ids=[*SEEN])
def test_a_condition_that_is_left_out(primitive: str, condition: Condition, must_be_caught: Caught) -> None:
    named = f"{primitive}-{condition}"
    shapes = next((shapes for start, shapes in SHAPES.items() if named.startswith(start)), "")
    with without(condition):
        if str(condition).startswith(FOR_COUNTEREXAMPLES):
            must_be_caught(primitive, shapes, (Unreal,))
        else:
            must_be_caught(primitive, shapes)
