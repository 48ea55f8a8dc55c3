"""Knocked-out conditions of the primitives about procedures and config fields: each must be caught.

`make_instr` and `add_assertion` owe next to nothing: what is knocked out there is that their result is of another
class, or that a text is needed at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from exo_strat.cursors.proc import Proc
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.ir.span import Span
from exo_strat.logic.effects import liveness
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import evaluation
from exo_strat.primitives import PRIMITIVES, configs, framework, procs, subprocs
from exo_strat.primitives.helpers import extraction, scoping

Caught = Callable[..., None]

# -- config fields -------------------------------------------------------------------------------------

CONFIG = ["bind_config", "delete_config", "write_config"]


@pytest.mark.parametrize("primitive", CONFIG)
def test_a_field_that_is_read_afterwards(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(scoping, "unread_after", lambda *_: SAFE)
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", CONFIG)
def test_a_field_that_is_left_to_the_caller(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(scoping, "may_last", lambda *_: False)
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", CONFIG)
def test_a_field_that_does_not_hold_the_value_yet(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(configs, "_holds_already", lambda *_: True)
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", CONFIG)
def test_a_field_that_the_next_iteration_reads(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    ahead = liveness.ahead
    monkeypatch.setattr(liveness, "ahead", lambda *args: [(rest, None) for rest, _ in ahead(*args)])
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", CONFIG)
def test_a_field_that_is_read_after_the_block(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    ahead = liveness.ahead
    monkeypatch.setattr(liveness, "ahead", lambda *args: ahead(*args)[:1])
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", CONFIG)
def test_a_write_that_may_not_happen(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(liveness, "fully_written", lambda *_: SAFE)
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", ["bind_config", "write_config"])
def test_a_field_that_parallel_iterations_share(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(configs, "no_new_races", lambda *_: None)
    must_be_caught(primitive, "independent configuration")


@pytest.mark.parametrize("primitive", ["bind_config"])
def test_an_expression_that_no_field_can_stand_for(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    """One of which something must be known: nobody knows it of the field."""
    monkeypatch.setattr(framework, "_fields_still_known", lambda *_: None)
    must_be_caught(primitive, "nest counted")


@pytest.mark.parametrize("primitive", ["bind_config"])
def test_an_argument_that_is_written(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(configs, "is_value", lambda *_: True)
    must_be_caught(primitive, "calls")


@pytest.mark.parametrize("primitive", ["delete_config"])
def test_what_a_callee_asserts_of_a_field(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(framework, "_fields_still_known", lambda *_: None)
    monkeypatch.setattr(scoping, "unread_after", lambda *_: SAFE)
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", ["write_config"])
@pytest.mark.parametrize(("where", "name"), [(evaluation, "has_value"), (configs, "well_formed")])
def test_a_value_that_is_not_there(
    primitive: str, where: object, name: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(where, name, lambda *_, **__: SAFE)
    must_be_caught(primitive, "temporary patch decided")


@pytest.mark.parametrize("primitive", ["call_eqv"])
@pytest.mark.parametrize("name", ["unread_after", "may_last"])
def test_a_version_that_leaves_another_value(
    primitive: str, name: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(scoping, name, lambda *_: SAFE if name == "unread_after" else False)
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", ["call_eqv"])
def test_versions_that_leave_other_values(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(procs, "other_value", lambda *_: None)
    must_be_caught(primitive, "configuration")


# -- procedures of procedures --------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", ["extract_subproc"])
def test_a_name_that_is_used_after_the_block(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(subprocs, "escaping", lambda *_: frozenset())
    must_be_caught(primitive, "temporary")


@pytest.mark.parametrize("primitive", ["extract_subproc"])
def test_a_buffer_that_is_passed_twice(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(extraction, "call_error", lambda *_: None)
    must_be_caught(primitive, "windows")


@pytest.mark.parametrize("primitive", ["extract_subproc"])
def test_an_extracted_procedure_that_knows_too_little(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(extraction, "known_at", lambda *_: iter(()))
    monkeypatch.setattr(extraction, "make_proc", Proc)
    must_be_caught(primitive, "patch")


@pytest.mark.parametrize("primitive", ["extract_subproc"])
def test_an_extracted_procedure_that_asserts_too_much(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(extraction, "OPPOSITE", {op: op for op in extraction.OPPOSITE})
    monkeypatch.setattr(extraction, "call_error", lambda *_: None)
    must_be_caught(primitive, "decided")


@pytest.mark.parametrize("primitive", ["partial_eval"])
def test_a_value_that_is_off_by_one(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    fixed = subprocs.fixed_values

    def off(*args: object) -> object:
        found = fixed(*args)  # type: ignore[arg-type]
        return {s: replace(c, value=c.value + 1) if c.type.name == "int" else c for s, c in found.items()}

    monkeypatch.setattr(subprocs, "fixed_values", off)
    must_be_caught(primitive, "sequence nest")


@pytest.mark.parametrize("primitive", ["partial_eval"])
def test_assertions_that_are_dropped(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(subprocs, "_settle", lambda rw, k: rw.delete(Span((), "preds", k, k + 1)))
    monkeypatch.setattr(subprocs, "well_formed", lambda *_: None)
    must_be_caught(primitive, "")


@pytest.mark.parametrize("primitive", ["partial_eval"])
def test_an_argument_that_is_dropped_and_still_used(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(Rewrite, "substitute", lambda *_: None)
    monkeypatch.setattr(subprocs, "well_formed", lambda *_: None)
    monkeypatch.setattr(subprocs, "admits_some", lambda *_: True)
    must_be_caught(primitive, "nest")


@pytest.mark.parametrize("primitive", ["add_assertion"])
def test_a_procedure_that_was_narrowed_is_another_one(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    form = PRIMITIVES["add_assertion"]
    monkeypatch.setattr(form, "_spec", replace(form.spec, same_values=True))
    must_be_caught(primitive)


@pytest.mark.parametrize("primitive", ["transpose"])
def test_strides_that_somebody_asks_for(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(subprocs, "strides_asked", lambda _: {})
    must_be_caught(primitive, "turned")


@pytest.mark.parametrize("primitive", ["transpose"])
def test_windows_that_are_not_turned(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    turn = subprocs._turn

    def only_once(*args: object) -> list[object]:
        turn(*args)  # type: ignore[arg-type]
        return []

    monkeypatch.setattr(subprocs, "_turn", only_once)
    must_be_caught(primitive, "windows")


@pytest.mark.parametrize("primitive", ["transpose"])
def test_accesses_that_are_not_turned(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(subprocs, "_turn", lambda *_: [])
    must_be_caught(primitive, "nest sequence")
