"""What is known of buffers with other extents, knocked out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.ir.nodes import ViewExpr
from exo_strat.logic.effects import accesses
from exo_strat.primitives import framework

Caught = Callable[..., None]


@pytest.mark.parametrize("primitive", ["reorder_stmts"])
def test_nobody_looks_whether_the_buffer_is_named(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(framework, "_cells_still_good", lambda _: None)
    must_be_caught(primitive, "reshaped")


@pytest.mark.parametrize("primitive", ["reorder_stmts"])
def test_what_is_done_to_it_is_not_done_to_the_buffer(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    resolve = accesses.resolve

    def alone(a: accesses.Access, views: dict[object, object]) -> accesses.Access:
        others = {s: rhs for s, rhs in views.items() if not isinstance(rhs, ViewExpr)}
        return resolve(a, others)  # type: ignore[arg-type]

    monkeypatch.setattr(accesses, "resolve", alone)
    must_be_caught(primitive, "reshaped")
