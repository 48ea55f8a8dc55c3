"""Records: what is appended is read again; what is no record is skipped, with the line at which it stands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace as with_
from pathlib import Path

import pytest

from exo_strat import *
from exo_strat.ops.holes import Told
from exo_strat.tuning.keys import version
from exo_strat.tuning.records import (
    NOWHERE,
    Record,
    RecordWarning,
    Setting,
    append,
    differences,
    read,
    recorded,
    records_file,
    setting,
)
from exo_strat.tuning.search import Tried

HERE = Setting("m", "key of m", "gcc 12", ("-O3",))
ONE = Record(
    "foo", "key of foo", "plan()", "key of plan", HERE, (("n", 8),), (("w", 4),), 1e-6, 1e-8, "2026-11-24", version()
)


def test_what_is_appended_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "records.jsonl"
    values = (("a", (1, (True, None))), ("b", "ä\n☃"), ("c", 2.5), ("d", Told("f32")), ("e", -(2**70)))
    other = with_(ONE, values=values, sizes=(), setting=NOWHERE)
    append([ONE], path)
    append([], path)
    append([other, ONE], path)
    assert read(path) == (ONE, other, ONE)
    assert path.read_bytes().count(b"\n") == 3


def test_there_are_no_records_where_there_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(tmp_path / "nothing") == ()
    monkeypatch.setenv("EXO_STRAT_DATA_DIR", str(tmp_path))
    assert records_file() == tmp_path / "records.jsonl"
    append([ONE])
    assert read() == (ONE,)


def test_a_record_prints_as_the_expression_that_makes_it() -> None:
    assert eval(repr(ONE)) == ONE
    assert hash(eval(repr(ONE))) == hash(ONE)


def test_what_was_not_measured_is_not_recorded() -> None:
    p = proc_from_source("def foo(x: f32):\n    x = 1.0")
    op = rename(hole("name", ("bar", f32)))
    tried = [
        Tried({}, {"name": "bar"}, "measured", 1e-6, 1e-8),
        Tried({}, {"name": f32}, "measured", 2e-6, None),
        Tried({}, {"name": "bar"}, "refused", reason="no"),
        Tried({}, {"name": "bar"}, "same", 1e-6, 1e-8),
    ]
    found = recorded(op, p, tried, HERE, {"n": 4}, "2026-11-24")
    assert [r.values for r in found] == [(("name", "bar"),), (("name", Told("f32")),)]
    assert [(r.seconds, r.spread) for r in found] == [(1e-6, 1e-8), (2e-6, 0.0)]


def test_a_setting_has_the_numbers_of_its_machine() -> None:
    m = Machine("m", {"f32": 8}, DRAM, {})  # type: ignore[arg-type]
    assert setting(m) == setting(with_(m))
    assert setting(m) != setting(with_(m, registers=32))
    assert setting(m).machine == setting(with_(m, registers=32)).machine == "m"


def test_what_differs_between_settings_is_named() -> None:
    def of(cores: int, near: int = 32 << 10) -> Machine:
        processor = Processor(caches=(Cache(near, 8), Cache(1 << 20, 8)), cores=cores)
        return Machine("m", {"f32": 8}, DRAM, {}, processor=processor)  # type: ignore[arg-type]

    there = setting(of(2), "gcc 12", ("-O3", "-DA"))
    assert differences(there, there) == ()
    assert differences(there, setting(of(1), "gcc 12", ("-O3", "-DA"))) == ("cores: 2 there, 1 here",)
    assert differences(there, setting(of(2, 48 << 10), "gcc 13", ("-O3", "-DB", "-DC"))) == (
        "compiler: gcc 12 there, gcc 13 here",
        "L1 cache's bytes: 32768 there, 49152 here",
        "flags: -DA there, -DB -DC here",
    )
    (untold,) = differences(with_(there, numbers=()), setting(of(1), "gcc 12", ("-O3", "-DA")))
    assert "a number that was not kept" in untold


def test_a_record_without_the_numbers_of_its_machine_is_read(tmp_path: Path) -> None:
    """As earlier versions wrote it. The numbers are for people: keys tell settings apart."""
    from exo_strat.tuning.records import _check

    path, m = tmp_path / "records.jsonl", Machine("m", {"f32": 8}, DRAM, {})  # type: ignore[arg-type]
    record = with_(ONE, setting=setting(m))
    append([record], path)
    assert read(path)[0].setting.numbers == record.setting.numbers != ()
    content = json.loads(path.read_text())
    del content["check"], content["setting"]["numbers"]
    path.write_text(json.dumps({**content, "check": _check(content)}) + "\n")
    assert read(path) == (record,) and read(path)[0].setting.numbers == ()


@pytest.mark.parametrize(
    "other",
    [
        with_(ONE, strategy_key="another"),
        with_(ONE, version="0.0.1"),
        with_(ONE, setting=NOWHERE),
        with_(ONE, setting=with_(HERE, machine_key="another")),
        with_(ONE, setting=with_(HERE, compiler="gcc 13")),
        with_(ONE, setting=with_(HERE, flags=("-O2",))),
    ],
)
def test_a_record_of_anything_else_does_not_fit(other: Record) -> None:
    assert ONE.fits("key of plan", HERE)
    assert not other.fits("key of plan", HERE)


# -- lines that are no records ------------------------------------------------------------------------


def edited(change: Callable[[dict[str, object]], object]) -> Callable[[str], str]:
    def make(line: str) -> str:
        content = json.loads(line)
        change(content)
        return json.dumps(content)

    return make


BROKEN: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "truncated": (lambda line: line[: len(line) // 2], "truncated, or no JSON"),
    "text": (lambda line: "hello", "truncated, or no JSON"),
    "bytes": (lambda line: b"\xff\xfe", "truncated, or no JSON"),
    "deep": (lambda line: "[" * 100_000, "nested too deeply"),
    "number": (lambda line: "9" * 10_000, "truncated, or no JSON"),
    "a list": (lambda line: "[1, 2]", "no record"),
    "foreign": (lambda line: '{"time": 3}', "no record"),
    "future": (edited(lambda d: d.update(format=2)), "of format 2"),
    "faster": (edited(lambda d: d.update(seconds=1e-9)), "was edited, or is damaged"),
    "no check": (edited(lambda d: d.pop("check")), "was edited, or is damaged"),
    "other value": (lambda line: line.replace('"w": 4', '"w": 8'), "was edited, or is damaged"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_line_is_skipped_and_told(kind: str, tmp_path: Path) -> None:
    breaking, reason = BROKEN[kind]
    path = tmp_path / "records.jsonl"
    append([ONE, ONE, ONE], path)
    first, second, third, _ = path.read_text().split("\n")
    broken = breaking(second)
    middle = broken if isinstance(broken, bytes) else broken.encode()
    path.write_bytes(b"\n".join([first.encode(), middle, b"", third.encode()]))
    with pytest.warns(RecordWarning, match=rf"records.jsonl, line 2, is skipped: .*{reason}") as told:
        assert read(path) == (ONE, ONE)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("lines", "more"), [(1, r"\)"), (2, r"\. So is 1 further line\."), (40, r"\. So are 39 further lines\.")]
)
def test_of_many_broken_lines_there_is_one_warning(lines: int, more: str, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\xff\xfe\n" * lines)
    with pytest.warns(RecordWarning, match=rf"line 1, is skipped: .*{more}$") as told:
        assert read(path) == ()
    assert len(told) == 1


WRONG: dict[str, Callable[[dict[str, object]], object]] = {
    "a field too many": lambda d: d.update(more=1),
    "no date": lambda d: d.pop("date"),
    "a time that is none": lambda d: d.update(seconds="fast"),
    "a negative time": lambda d: d.update(spread=-1.0),
    "no end": lambda d: d.update(seconds=float("inf")),
    "a time beyond floating-point numbers": lambda d: d.update(seconds=10**400),
    "a size that is none": lambda d: d.update(sizes={"n": 2.5}),
    "a list of values": lambda d: d.update(values=[1]),
    "an object as a value": lambda d: d.update(values={"w": {"x": 1}}),
    "a text of no text": lambda d: d.update(values={"w": {"told": 1}}),
    "a setting that is none": lambda d: d.update(setting={"machine": "m"}),
    "flags that are none": lambda d: d.update(setting={**d["setting"], "flags": [1]}),  # type: ignore[dict-item]
    "numbers that are none": lambda d: d.update(setting={**d["setting"], "numbers": {"cores": 2}}),  # type: ignore[dict-item]
    "a name of no text": lambda d: d.update(program=1),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_record_is_skipped_though_its_check_is_right(kind: str, tmp_path: Path) -> None:
    from exo_strat.tuning.records import _check

    path = tmp_path / "records.jsonl"
    append([ONE], path)
    content = json.loads(path.read_text())
    del content["check"]
    WRONG[kind](content)
    path.write_text(json.dumps({**content, "check": _check(content)}) + "\n")
    with pytest.warns(RecordWarning, match="line 1, is skipped"):
        assert read(path) == ()


def test_what_another_process_left_unfinished_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    append([ONE], path)
    path.write_bytes(path.read_bytes() + b'{"format": 1, "prog')
    append([ONE], path)
    with pytest.warns(RecordWarning, match="line 2"):
        assert read(path) == (ONE, ONE)


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    children = []
    for k in range(4):
        child = os.fork()
        if not child:
            for n in range(50):
                append([with_(ONE, program=f"{k} {n} {'long' * 500}")], path)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(c, 0)[1] for c in children] == [0] * 4
    found = read(path)
    assert len({r.program for r in found}) == len(found) == 200
