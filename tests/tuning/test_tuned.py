"""`tuned`: the values of a record that fits, or the defaults; every rewrite is proved as ever."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace as with_
from pathlib import Path

import pytest

from exo_strat import *
from exo_strat.ops.holes import Told
from exo_strat.tuning.records import NOWHERE, Record, Setting, _check, append, read, recorded
from exo_strat.tuning.search import Tried
from exo_strat.tuning.tuned import Tuned, remark, tuned

HERE = Setting("m", "key of m", "gcc 12", ("-O3",))


@proc
def scale(n: size, x: f32[n]):  # type: ignore
    for i in seq(0, n):  # type: ignore
        x[i] = 2.0 * x[i]


@strategy
def strips(p: Proc, c: ForCursor) -> Script:
    width = yield hole("width", (4, 8, 16))
    _, c = yield divide_loop(width, ("io", "ii"), tail=hole("tail", ("cut", "guard")))
    return c


OP = at("for i in _: _", strips())


def measured(width: int, seconds: float, n: int = 512, op: Op = OP, p: Proc = scale) -> Record:
    values = {"strips.width": width, "strips.tail": "guard"}
    (found,) = recorded(op, p, [Tried(values, values, "measured", seconds, 0.0)], HERE, {"n": n}, "2026-11-24")
    return found


def width(op: Op, p: Proc = scale) -> int:
    return int(schedule(op, p).find_loop("ii").hi().value())


def test_the_fastest_record_that_fits_fills_the_holes() -> None:
    records = [measured(4, 3e-6), measured(16, 1e-6), measured(8, 2e-6)]
    op = tuned(OP, records, HERE)
    assert schedule(op, scale) == schedule(OP.fill({"strips.width": 16, "strips.tail": "guard"}), scale)
    assert tuned(OP, reversed(records), HERE) == op


def test_without_a_record_holes_have_their_defaults() -> None:
    assert schedule(tuned(OP, [], HERE), scale) == schedule(OP, scale)


def test_explain_says_what_was_known() -> None:
    found = explain(trace(tuned(OP, [measured(16, 1e-6)], HERE), scale)[1])
    assert "remark('measured at n = 512: 1 us, 2026-11-24')" in found
    assert "strips.width = 16\n" in found
    modelled = recorded(OP, scale, [Tried({}, {"strips.width": 8}, "measured", 12.0)], NOWHERE, {}, "2026-11-24")
    assert "remark('by a model: 12, 2026-11-24')" in explain(trace(tuned(OP, modelled), scale)[1])
    nothing = explain(trace(tuned(OP, [], HERE), scale)[1])
    assert "remark('no record of scale fits: holes have their defaults')" in nothing
    assert "strips.width = 4 (of 4, 8, 16)" in nothing


def test_the_defaults_are_decisions_and_what_is_known_is_none() -> None:
    assert [d.name for d in decisions(tuned(OP, [], HERE), scale)[1]] == ["strips.width", "strips.tail"]
    assert decisions(tuned(OP, [measured(16, 1e-6)], HERE), scale)[1] == ()


KNOWN = measured(16, 1e-6)


@pytest.mark.parametrize(
    "record",
    [
        with_(KNOWN, program_key="another"),
        with_(KNOWN, strategy_key="another"),
        with_(KNOWN, setting=with_(HERE, machine_key="another")),
        with_(KNOWN, setting=with_(HERE, machine="another")),
        with_(KNOWN, setting=with_(HERE, compiler="gcc 13")),
        with_(KNOWN, setting=with_(HERE, flags=("-O2",))),
        with_(KNOWN, version="0.0.1"),
    ],
)
def test_whatever_differs_in_the_key_is_a_miss(record: Record) -> None:
    assert width(tuned(OP, [KNOWN], HERE)) == 16
    assert width(tuned(OP, [record], HERE)) == 4


def test_another_program_setting_or_place_is_a_miss() -> None:
    op = tuned(OP, [KNOWN], HERE)
    assert width(op, schedule(rename("bar"), scale)) == 4
    assert width(tuned(OP, [KNOWN])) == 4
    assert width(tuned(at("for i in _: _", strips()) >> identity, [KNOWN], HERE)) == 4
    inside = tuned(strips(), [measured(16, 1e-6, op=strips())], HERE)
    assert width(at("for i in _: _", inside)) == 4
    assert isinstance(inside, Tuned) and inside.record(scale) and not inside.record(scale, scale.body()[0])


def test_of_several_sizes_the_nearest_count() -> None:
    records = [measured(4, 1e-8, 8), measured(8, 1e-6, 500), measured(16, 1e-7, 500), measured(8, 1e-4, 9000)]
    assert [width(tuned(OP, records, HERE, {"n": n})) for n in (1, 30, 500, 1000, 10_000)] == [4, 4, 16, 16, 8]


def test_a_record_that_lacks_a_size_asked_for_does_not_count() -> None:
    assert width(tuned(OP, [measured(16, 1e-6)], HERE, {"k": 512})) == 4


def test_without_sizes_it_is_what_is_best_over_all_that_were_measured() -> None:
    sizes = {8: {4: 1.0, 8: 1.1, 16: 3.0}, 500: {4: 90.0, 8: 61.0, 16: 60.0}, 9000: {8: 1001.0, 16: 1000.0}}
    records = [measured(w, t, n) for n, row in sizes.items() for w, t in row.items()]
    assert width(tuned(OP, records, HERE)) == 8


def test_it_prints_compares_and_pickles() -> None:
    op = tuned(OP, [KNOWN], HERE, {"n": 9})
    assert eval(repr(op)) == op
    assert pickle.loads(pickle.dumps(op)) == op
    assert hash(eval(repr(op))) == hash(op)
    assert op != tuned(OP, [], HERE, {"n": 9})


def test_holes_that_are_filled_by_hand_ask_no_record() -> None:
    assert width(tuned(OP.fill({"strips.width": 8}), [KNOWN], HERE)) == 8


def test_its_holes_are_nobody_elses_to_fill() -> None:
    op = tuned(at("for i in _: _", divide_loop(hole("width", (4, 8)), ("io", "ii"), tail="cut")), [], HERE)
    assert space(op).names == ()
    with pytest.raises(ValueError, match="has no hole 'width'"):
        op.fill({"width": 8})


def test_a_remark_changes_nothing() -> None:
    assert schedule(remark("so"), scale) is scale


# -- edited records -----------------------------------------------------------------------------------


def edited(path: Path, **values: object) -> None:
    """Change values in a file's only record, and its check too."""
    content = json.loads(path.read_text())
    del content["check"]
    content["values"] |= values
    path.write_text(json.dumps({**content, "check": _check(content)}) + "\n")


def test_a_record_that_was_edited_can_only_give_right_results_or_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    append([KNOWN], path)
    edited(path, **{"strips.width": 8})
    assert width(tuned(OP, read(path), HERE)) == 8
    edited(path, **{"strips.width": 7})
    with pytest.raises(SchedulingError, match=r"the hole strips.width can't be 7: its candidates are 4, 8, 16"):
        schedule(tuned(OP, read(path), HERE), scale)
    edited(path, **{"strips.width": 8, "nobody": 3})
    with pytest.raises(SchedulingError, match="it has no hole 'nobody'"):
        schedule(tuned(OP, read(path), HERE), scale)


def fits(width: int, tail: str) -> bool:
    return width < 8


def test_values_outside_of_a_limit_are_refused() -> None:
    inner = divide_loop(hole("width", (4, 8)), ("io", "ii"), tail=hole("tail", ("cut", "guard")))
    op = limited(at("for i in _: _", inner), fits, "width", "tail")
    values = {"width": 8, "tail": "cut"}
    records = recorded(op, scale, [Tried(values, values, "measured", 1e-6, 0.0)], HERE, {}, "2026-11-24")
    with pytest.raises(SchedulingError, match="fits does not hold of width = 8, tail = 'cut'"):
        schedule(tuned(op, records, HERE), scale)


def test_a_value_that_no_json_has_goes_by_its_text() -> None:
    op = at("y: _", set_precision(hole("to", (f32, f64))))
    p = proc_from_source("def foo(x: f64):\n    y: R\n    y = 1.0\n    x = y")
    records = recorded(op, p, [Tried({}, {"to": f64}, "measured", 1e-6, 0.0)], HERE, {}, "2026-11-24")
    assert records[0].values == (("to", Told("f64")),)
    assert schedule(tuned(op, records, HERE), p) == schedule(op.fill({"to": f64}), p)


# -- another process ----------------------------------------------------------------------------------

PLAN = """
from exo_strat import *

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

@strategy
def strips(p, c: ForCursor):
    p, c = yield divide_loop((yield hole("width", (4, 8, 16))), ("io", "ii"), tail="cut")

op = at("for i in _: _", strips())
"""
REPLAY = """
import plan
from exo_strat import schedule
from exo_strat.tuning.records import NOWHERE, read
from exo_strat.tuning.tuned import tuned
from backends.c import compile
print(compile([schedule(tuned(plan.op, read("records.jsonl")), plan.scale)], "scale").source)
"""


def test_a_fresh_process_makes_the_same_c_of_a_record(tmp_path: Path) -> None:
    from backends.c import compile
    from exo_strat.cli.files import read as run
    from exo_strat.tuning.records import NOWHERE

    path = tmp_path / "plan.py"
    path.write_text("from __future__ import annotations\n" + PLAN)
    source = run(path)
    op, p = source.op("op"), source.proc("scale")
    values = {"strips.width": 16}
    records = recorded(op, p, [Tried(values, values, "measured", 1e-6, 0.0)], NOWHERE, {"n": 9}, "2026-11-24")
    append(records, tmp_path / "records.jsonl")
    here = compile([schedule(tuned(op, records), p)], "scale").source
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    there = subprocess.run(
        [sys.executable, "-c", REPLAY], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here.strip()
    assert "16" in here
