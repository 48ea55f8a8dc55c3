"""The harness is as good as what it finds: with one safety question answered "yes" whatever is asked, it must
find a miscompiled program within its budget.

The classes are those in which such systems go wrong: lower bounds and empty loops, equality of text taken for
equality of values, values carried between iterations, writes dropped or moved, idempotence, staging, config
state, calls, aliases.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from math import prod
from pathlib import Path

import pytest

from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import safety
from exo_strat.primitives import PRIMITIVES

Caught = Callable[..., None]

def yes(*_: object, **__: object) -> object:
    return SAFE


# the question that is not asked any more; a primitive that asks it; shapes of programs if not the usual ones
QUESTIONS = [
    ("interchange", "reorder_loops", ""),
    ("fission", "fission", ""),
    ("fuse", "fuse", ""),
    ("commute", "reorder_stmts", ""),
    ("parallel", "parallelize_loop", ""),
    ("parallel", "lift_alloc", "independent"),
    ("idempotent", "add_loop", ""),
    ("repeatable", "remove_loop", ""),
    ("carried", "sink_alloc", ""),
    ("covered", "stage_mem", ""),
    ("fully_written", "stage_mem", ""),
    ("initialised", "stage_mem", "patch"),
    ("within", "stage_mem", ""),
    ("unchanged", "lift_scope", "lone_scope"),
    ("unchanged", "fission", "configuration"),
    ("unchanged", "fuse", "configuration twin_ifs"),
    ("unchanged", "inline", "configuration"),
    ("unchanged", "divide_loop", "configuration"),
    ("holds", "divide_loop", ""),
    ("holds", "cut_loop", ""),
    ("holds", "remove_loop", ""),
    ("holds", "add_loop", ""),
    ("holds", "expand_dim", ""),
    ("holds", "eliminate_dead_code", ""),
    ("apart", "merge_writes", ""),
    ("equal_at", "merge_writes", ""),
    ("equal_at", "fuse", ""),
    ("equal_at", "rewrite_expr", ""),
]


@pytest.mark.parametrize(("question", "primitive", "shapes"), QUESTIONS)
def test_a_question_that_is_not_asked(
    question: str, primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(safety, question, yes)
    must_be_caught(primitive, shapes)


# other conditions that primitives share: the function, what it is replaced by, who asks, shapes of programs
CONDITIONS: list[tuple[str, object, str, str]] = [
    ("escaping", frozenset(), "fission", "temporary accumulation"),
    ("escaping", frozenset(), "stage_mem", "windows"),
    ("bounds_stay", None, "divide_loop", "configuration"),
    ("call_error", None, "replace", "lookalikes"),
]


@pytest.mark.parametrize(("name", "answer", "primitive", "shapes"), CONDITIONS)
def test_a_condition_that_is_not_asked(
    name: str, answer: object, primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    modules = [m for key, m in sorted(sys.modules.items()) if key.startswith("exo_strat.primitives.")]
    holders = [m for m in modules if name in vars(m)]
    assert holders, f"no module of primitives has {name}"
    for module in holders:
        monkeypatch.setattr(module, name, lambda *_: answer)
    must_be_caught(primitive, shapes)


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_a_block_that_does_more_than_accumulate(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(safety, "only_accumulates", lambda *_: True)
    must_be_caught(primitive, "")


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_a_store_that_is_left_out(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(safety, "writes_to", lambda *_: False)
    must_be_caught(primitive, "")


Effects = Callable[..., list[object]]


def without(keep: Callable[[object], bool]) -> Effects:
    """The effects of a block without some of its accesses."""
    effects = safety.effects
    return lambda *args, **kwargs: [a for a in effects(*args, **kwargs) if keep(a)]


@pytest.mark.parametrize("primitive", ["add_loop", "fission", "fuse", "remove_loop", "parallelize_loop"])
def test_config_fields_that_do_not_count(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(safety, "effects", without(lambda a: not isinstance(a.buffer, tuple)))  # type: ignore[attr-defined]
    must_be_caught(primitive, "configuration")


@pytest.mark.parametrize("primitive", ["reorder_loops", "fission", "fuse", "add_loop", "parallelize_loop"])
def test_reads_that_do_not_count(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(safety, "effects", without(lambda a: a.kind != "R"))  # type: ignore[attr-defined]
    must_be_caught(primitive, "")


@pytest.mark.parametrize("primitive", ["fission", "fuse", "add_loop", "remove_loop", "parallelize_loop"])
def test_accumulations_that_do_not_count(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(safety, "effects", without(lambda a: a.kind != "A"))  # type: ignore[attr-defined]
    must_be_caught(primitive, "")


# -- enough of them ---------------------------------------------------------------------------------------

FEWEST = 3
"""How many variants each primitive has at least."""


def knocked_out(file: Path) -> Iterator[str]:
    """The primitive of each test of a file of knock-outs, as its parameters state it."""
    spec = spec_from_file_location(f"tests.soundness.counted_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look themselves up
    spec.loader.exec_module(module)
    tests = [fn for name, fn in vars(module).items() if name.startswith("test_")]
    for fn in tests:
        cases = [m.args for m in getattr(fn, "pytestmark", []) if m.name == "parametrize"]
        stated = [(names, rows) for names, rows in cases if "primitive" in names]
        if fn.__name__ != test_every_primitive_has_variants.__name__:
            assert len(stated) == 1, f"{file.name}: {fn.__name__} does not state its primitive as a parameter"
            (names, rows), times = stated[0], prod(len(rows) for names, rows in cases if "primitive" not in names)
            for row in rows:
                yield from [row if isinstance(names, str) else row[names.index("primitive")]] * times


def test_every_primitive_has_variants() -> None:
    files = sorted(Path(__file__).parent.glob("test_knockouts*.py"))
    count = Counter(name for file in files for name in knocked_out(file))
    assert not set(count) - set(PRIMITIVES)
    few = {name: count[name] for name in sorted(PRIMITIVES) if count[name] < FEWEST}
    assert not few, f"primitives with fewer than {FEWEST} knocked-out variants: {few}"
