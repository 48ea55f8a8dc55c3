"""The harness finds what goes wrong when rewrites of buffers leave out a condition, or get something a little
wrong: resized, folded, merged and divided dimensions, shared and unrolled buffers, rotated windows and windows
that are staged in part; see `test_knockouts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from exo_strat.ir import build as b
from exo_strat.ir.nodes import Interval, Point
from exo_strat.logic.effects import contents
from exo_strat.logic.effects.coverage import before
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.forms.formula import FALSE
from exo_strat.logic.questions import safety
from exo_strat.logic.questions import storage_sharing as slots
from exo_strat.primitives import dims, resize, reuse, rotate, staging
from exo_strat.primitives.helpers import access

Caught = Callable[..., None]

literal, joint_window, index_along = resize.literal, resize._joint_window, reuse._index_along


def always(answer: object) -> Callable[..., object]:
    return lambda *_, **__: answer


def larger(e: Any) -> int | None:
    k = literal(e)
    return None if k is None else max(1, k - 1)


def low(d: Any) -> Any:
    return d.pt if isinstance(d, Point) else d.lo


def outer_only(i: Any, j: Any, joint: Any, single: bool) -> Any:
    """The window of the inner dimension, whatever the index of the outer one is."""
    return j if isinstance(i, Point) and isinstance(j, Interval) else joint_window(i, j, joint, single)


# where the condition stands, its name, what it is replaced by, who asks, shapes of programs if not the usual ones
CONDITIONS: list[tuple[Any, str, object, str, str]] = [
    # resize_dim
    (safety, "holds", always(SAFE), "resize_dim", ""),
    (resize, "_nothing_lost", always(None), "resize_dim", ""),
    (resize, "_ring_holds", always(None), "resize_dim", ""),
    (slots, "neg", always(FALSE), "resize_dim", "ring"),
    (access, "_same_stride", always(None), "resize_dim", "grid"),
    # mult_dim
    (resize, "times", lambda x, y: b.mul(larger(y) or larger(x) or 1, x if larger(y) else y), "mult_dim", "grid"),
    (resize, "_joint_window", outer_only, "mult_dim", "grid"),
    (access, "_same_stride", always(None), "mult_dim", "grid"),
    # divide_dim
    (safety, "holds", always(SAFE), "divide_dim", ""),
    (dims, "one_block", always(None), "divide_dim", "grid temporary"),
    (dims, "_split", lambda d, c: [Point(b.div(low(d), c)), d], "divide_dim", "grid"),
    # reuse_buffer
    (reuse, "_values_stay", always(None), "reuse_buffer", ""),
    (reuse, "same_place", always(FALSE), "reuse_buffer", ""),
    (slots, "before", lambda x, y: before(y, x), "reuse_buffer", ""),
    (resize, "well_formed", always(None), "reuse_buffer", "pair"),
    (reuse, "_alike", always(None), "reuse_buffer", ""),
    # unroll_buffer
    (reuse, "literal", lambda e: literal(e) or 0, "unroll_buffer", "grid"),
    (reuse, "_index_along", lambda *a: max(0, index_along(*a) - 1), "unroll_buffer", ""),
    (access, "_same_stride", always(None), "unroll_buffer", "grid"),
    # rotate_buffer
    (rotate, "_slides", always(None), "rotate_buffer", ""),
    (rotate, "_same_code", always(True), "rotate_buffer", ""),
    (rotate, "_inputs_stay", always(None), "rotate_buffer", ""),
    (safety, "fully_written", always(SAFE), "rotate_buffer", ""),
    (safety, "holds_everywhere", always(True), "rotate_buffer", ""),
    (safety, "writes_to", always(False), "rotate_buffer", ""),
    # stage_mem in part
    (contents, "_misses", always(True), "stage_mem", "patch grid"),
    (staging, "_beside", always(b.TRUE), "stage_mem", "patch grid"),
    (staging, "_inside", always(b.TRUE), "stage_mem", "patch grid"),
]


@pytest.mark.parametrize(("module", "name", "answer", "primitive", "shapes"), CONDITIONS)
def test_a_condition_that_is_not_asked(
    module: Any, name: str, answer: object, primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch,
    must_be_caught: Caught,
) -> None:  # fmt: skip
    monkeypatch.setattr(module, name, answer)
    must_be_caught(primitive, shapes)


@pytest.mark.parametrize(("primitive", "shapes"), [("resize_dim", "ring"), ("reuse_buffer", "pair")])
def test_iterations_that_come_to_share_memory(
    primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    for module in (resize, reuse):
        monkeypatch.setattr(module, "sharing_is_seen", always(None))
    must_be_caught(primitive, shapes)
