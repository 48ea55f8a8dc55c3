"""The harness finds what goes wrong when a question of recomputation, guards, joined loops or special cases is not
asked, or is asked with something left out; see `test_knockouts`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from exo_strat.ir.span import Span
from exo_strat.ir.walk import get
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.forms.formula import FALSE
from exo_strat.logic.questions import evaluation, recomputation, safety
from exo_strat.primitives.helpers import scoping

Caught = Callable[..., None]

specialize = import_module("exo_strat.primitives.specialization")  # the package has the primitive by this name


def yes(*_: object, **__: object) -> object:
    return SAFE


# where the question is asked, the question, a primitive that asks it, shapes of programs if not the usual ones
QUESTIONS = [
    (recomputation, "overlap", "divide_with_recompute", ""),
    (safety, "holds", "divide_with_recompute", ""),
    (recomputation, "overlap", "merge_recompute", ""),
    (safety, "holds", "merge_recompute", ""),
    (safety, "equal_at", "join_loops", ""),
    (safety, "holds", "join_loops", ""),
    (recomputation, "same_body", "join_loops", ""),
    (recomputation, "first_suffices", "guard_first", ""),
    (recomputation, "idempotent", "guard_first", ""),
    (recomputation, "_runs_at_first", "guard_first", ""),
    (recomputation, "_kept", "guard_first", ""),
    (evaluation, "has_value", "specialize", ""),
    (safety, "parallel", "vectorize_loop", ""),
]


@pytest.mark.parametrize(("where", "question", "primitive", "shapes"), QUESTIONS)
def test_a_question_that_is_not_asked(
    where: object, question: str, primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(where, question, yes)
    must_be_caught(primitive, shapes)


@pytest.mark.parametrize("primitive", ["guard_first"])
def test_names_that_are_defined_in_the_loop(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(recomputation, "_defined_around", lambda *_: frozenset())
    must_be_caught(primitive, "temporary windows")


@pytest.mark.parametrize("primitive", ["specialize"])
def test_names_that_escape(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(specialize, "escaping", lambda *_: frozenset())
    must_be_caught(primitive, "temporary windows")


@pytest.mark.parametrize("primitive", ["specialize"])
def test_conditions_out_of_bounds_or_racing(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(scoping, "stays_race_free", lambda *_, **__: None)
    must_be_caught(primitive, "independent")


# -- accesses that do not count -----------------------------------------------------------------------

Effects = Callable[..., list[object]]


def without(keep: Callable[[object], bool]) -> Effects:
    """The effects of a block without some of its accesses."""
    effects = safety.effects
    return lambda *args, **kwargs: [a for a in effects(*args, **kwargs) if keep(a)]


LEFT_OUT: list[tuple[str, Callable[[object], bool], str]] = [
    ("config fields", lambda a: not isinstance(a.buffer, tuple), "configuration"),  # type: ignore[attr-defined]
    ("reads", lambda a: a.kind != "R", ""),  # type: ignore[attr-defined]
    ("accumulations", lambda a: a.kind != "A", ""),  # type: ignore[attr-defined]
]


@pytest.mark.parametrize("primitive", ["divide_with_recompute", "merge_recompute"])
@pytest.mark.parametrize(("what", "keep", "shapes"), LEFT_OUT[1:])
def test_accesses_that_do_not_count(
    primitive: str, what: str, keep: Callable[[object], bool], shapes: str, monkeypatch: pytest.MonkeyPatch,
    must_be_caught: Caught,
) -> None:  # fmt: skip
    monkeypatch.setattr(recomputation, "effects", without(keep))
    must_be_caught(primitive, shapes)


@pytest.mark.parametrize("primitive", ["divide_with_recompute"])
def test_config_fields_that_do_not_count(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(recomputation, "effects", without(LEFT_OUT[0][1]))
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", ["vectorize_loop"])
@pytest.mark.parametrize(("what", "keep", "shapes"), LEFT_OUT)
def test_accesses_that_do_not_count_for_lanes(
    primitive: str, what: str, keep: Callable[[object], bool], shapes: str, monkeypatch: pytest.MonkeyPatch,
    must_be_caught: Caught,
) -> None:  # fmt: skip
    monkeypatch.setattr(safety, "effects", without(keep))
    must_be_caught(primitive, shapes)


# -- conditions that are nearly right -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("primitive", "shapes"), [("divide_with_recompute", "neighbours"), ("merge_recompute", "tiles")]
)
def test_idempotence_of_one_iteration_is_not_enough(
    primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    """The paper's condition: each iteration can be repeated right away."""

    def each_alone(tree: object, path: tuple[object, ...], *_: object) -> object:
        loop = get(tree, path)  # type: ignore[arg-type]
        return safety.idempotent(tree, Span(path, "body", 0, len(loop.body)))  # type: ignore[arg-type, union-attr]

    monkeypatch.setattr(recomputation, "overlap", each_alone)
    must_be_caught(primitive, shapes)


@pytest.mark.parametrize("primitive", ["guard_first"])
def test_others_may_write_in_between(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    """Only the code itself is looked at, not the rest of the loop."""
    timed = recomputation._timed
    monkeypatch.setattr(recomputation, "_timed", lambda *args: timed(*args) if args[-1] else [])
    must_be_caught(primitive)


@pytest.mark.parametrize("primitive", ["guard_first"])
def test_a_tile_of_another_iteration(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    """Only the rest of the loop is looked at, not the code in other iterations of the loops between."""
    monkeypatch.setattr(recomputation, "ne", lambda *_: FALSE)
    must_be_caught(primitive, "reload")
