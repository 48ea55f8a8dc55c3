"""Keys: any change to a program, a strategy's source or a machine is another key; where a file is found makes none."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace as with_
from pathlib import Path

import pytest

from exo_strat import *
from exo_strat.cli.files import read
from exo_strat.tuning import keys
from exo_strat.tuning.keys import NoKeyError, machine_key, program_key, strategy_key
from strategies import std

FOO = """
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        x[i] = {expression}
"""

PLAN = """
from __future__ import annotations
from exo_strat import *
from helpers import WIDTH

@strategy
def plan(p, c: ForCursor):
    p, c = yield divide_loop(hole("width", (WIDTH, 16)), ("io", "ii"), tail="cut")

op = at("for i in _: _", plan())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a strategy, and what it imports."""
    (tmp_path / "plan_to_edit.py").write_text(PLAN)
    (tmp_path / "helpers.py").write_text("from deeper import WIDTH\n")
    (tmp_path / "deeper.py").write_text("WIDTH = 8\n")
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))
    forgotten()


def forgotten() -> None:
    """As if nothing of the folder was imported yet."""
    importlib.invalidate_caches()
    for name in ("plan_to_edit", "helpers", "deeper", "within"):
        sys.modules.pop(name, None)


def imported() -> Op:
    forgotten()
    return importlib.import_module("plan_to_edit").op


def foo(expression: str = "2.0 * y[i]", **env: object) -> Proc:
    return proc_from_source(FOO.format(expression=expression), env)


# -- programs -----------------------------------------------------------------------------------------


def test_a_program_is_known_by_its_text_not_by_how_it_came_about() -> None:
    assert program_key(foo()) == program_key(foo())
    there_and_back = rename("foo")(rename("bar")(foo()).unwrap()[0]).unwrap()[0]
    assert there_and_back.tree.next_id == foo().tree.next_id
    divided = schedule(at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut")), foo())
    assert program_key(divided) == program_key(proc_from_source(str(divided)))


def instruction(c: str) -> Proc:
    source = "def load(y: [f32][8], x: [f32][8]):\n    for i in seq(0, 8):\n        y[i] = x[i]"
    return make_instr(c)(proc_from_source(source)).unwrap()[0]


def test_another_number_name_or_callee_is_another_program() -> None:
    one, two = instruction("one({y_data});"), instruction("two({y_data});")
    caller = "def foo(x: f32[8], y: f32[8]):\n    load(x[0:8], y[0:8])"
    programs = [foo(), foo("3.0 * y[i]"), foo("2.0 * x[i]"), schedule(rename("bar"), foo())]
    programs += [proc_from_source(caller, {"load": load}) for load in (one, two)]
    memories = [Memory("A"), Memory("B")]
    staged = proc_from_source("def foo(x: f32):\n    y: f32\n    y = 1.0\n    x = y")
    programs += [schedule(at("y: _", set_memory(m)), staged) for m in memories]
    twice = [extern("twice", 1, lambda x: 2 * x, c) for c in ("(2 * ({0}))", "(({0}) + ({0}))")]
    programs += [foo("twice(y[i])", twice=f) for f in twice]
    assert len({program_key(p) for p in programs}) == len(programs)


# -- strategies ---------------------------------------------------------------------------------------


def test_the_same_strategy_has_one_key_in_any_process(folder: Path) -> None:
    program = (
        "from plan_to_edit import op; from exo_strat.tuning.keys import *; from exo_strat import *\n"
        f"print(strategy_key(op), program_key(proc_from_source({FOO.format(expression='2.0 * y[i]')!r})))"
    )
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "7"}
    there = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert there.stdout.split() == [strategy_key(imported()), program_key(foo())]


def test_the_command_line_finds_the_same_strategy(folder: Path) -> None:
    assert strategy_key(read(folder / "plan_to_edit.py").op("op")) == strategy_key(imported())


@pytest.mark.parametrize("edited", ["plan_to_edit.py", "helpers.py", "deeper.py"])
def test_an_edit_of_a_file_that_a_strategy_is_made_of_is_another_strategy(folder: Path, edited: str) -> None:
    before = strategy_key(imported())
    path = folder / edited
    path.write_text(path.read_text() + "# the same, but for this\n")
    assert strategy_key(imported()) != before


def test_what_is_imported_inside_of_a_function_counts(folder: Path) -> None:
    path = folder / "plan_to_edit.py"
    path.write_text(PLAN.replace("    p, c =", "    import within\n    p, c ="))
    (folder / "within.py").write_text("x = 1\n")
    before = strategy_key(imported())
    (folder / "within.py").write_text("x = 2\n")
    assert strategy_key(imported()) != before


def test_a_file_that_is_changed_after_it_was_imported_is_refused(folder: Path) -> None:
    op = imported()
    path = folder / "plan_to_edit.py"
    path.write_text(PLAN.replace('"io", "ii"', '"i0", "i1"'))
    with pytest.raises(NoKeyError, match=r"plan_to_edit.py was changed since .* start Python again"):
        strategy_key(op)


def test_a_function_that_is_in_no_file_has_no_key() -> None:
    names: dict[str, object] = {"__name__": "nowhere"}
    exec("from exo_strat import *\n@named\ndef plan(): return identity", names)
    with pytest.raises(NoKeyError, match=r"nowhere.plan is in no file.*define it in a file"):
        strategy_key(names["plan"]())  # type: ignore[operator]


def wide(c: Cursor) -> bool:
    return True


def test_arguments_candidates_and_functions_count() -> None:
    width = hole("width", (4, 8))
    ops = [
        divide_loop(width, ("io", "ii"), tail="cut"),
        divide_loop(hole("width", (4, 16)), ("io", "ii"), tail="cut"),
        divide_loop(hole("width", (4, 8), default=8), ("io", "ii"), tail="cut"),
        divide_loop(4, ("io", "ii"), tail="cut"),
        divide_loop(True, ("io", "ii"), tail="cut"),
        divide_loop(1, ("io", "ii"), tail="cut"),
        at("for i in _: _", std.jam()),
        std.jam(),
        std.cse(),
        when(wide, identity),
        when(lambda c: True, identity),
        when(lambda c: False, identity),
        replace(foo()),
        replace(foo("3.0 * y[i]")),
    ]
    found = [strategy_key(op) for op in ops]
    assert len(set(found)) == len(ops)
    assert [strategy_key(op) for op in ops] == found


# -- versions -----------------------------------------------------------------------------------------


def test_a_checkout_that_is_not_installed_goes_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys.version() == keys.version.__wrapped__()
    monkeypatch.setattr(keys, "DISTRIBUTION", "nothing-that-is-installed")
    here = keys.version.__wrapped__()
    assert here.startswith("from sources ") and here == keys.version.__wrapped__()
    (tmp_path / "a.py").write_text("x = 1")
    one = keys._sources_of(tmp_path)
    (tmp_path / "a.py").write_text("x = 2")
    assert len({here, one, keys._sources_of(tmp_path)}) == 3


# -- machines -----------------------------------------------------------------------------------------


def test_every_number_of_a_machine_counts() -> None:
    m = Machine("m", {"f32": 8}, DRAM, {})  # type: ignore[arg-type]
    others = [
        with_(m, name="n"),
        with_(m, vec_widths={"f32": 16}),
        with_(m, registers=32),
        with_(m, cc_flags=("-mavx2",)),
        with_(m, instructions={"f32": (instruction("one({y_data});"),)}),
        with_(m, mem_type=Memory("A")),
    ]
    assert len({machine_key(x) for x in (m, *others)}) == 1 + len(others)
    assert machine_key(m) == machine_key(Machine("m", {"f32": 8}, DRAM, {}))  # type: ignore[arg-type]
