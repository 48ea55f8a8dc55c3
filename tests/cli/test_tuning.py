"""`exo-strat tune` and `exo-strat tuned`: what they find, print and keep, and what they say of mistakes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from backends.settings import setting_here
from backends.targets import plain_c
from exo_strat.cli.commands import app
from exo_strat.cli.files import read as read_file
from exo_strat.cli.targets import find_target
from exo_strat.cli.tuning import _report
from exo_strat.ops.combinators import identity
from exo_strat.ops.spaces import space
from exo_strat.tuning import Tried, Tuning
from exo_strat.tuning.keys import strategy_key
from exo_strat.tuning.records import Record, append, read, recorded
from exo_strat.tuning.search import Status
from exo_strat.tuning.tune import OVER

SOURCE = """
from __future__ import annotations
from exo_strat import *

@proc
def scale(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = 2.0 * x[i]

@proc
def halves(n: size, x: f32[n]):
    assert n % 2 == 0
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

@strategy
def strips(p, c: ForCursor):
    p, c = yield divide_loop((yield hole("width", (4, 8, 16))), ("io", "ii"), tail=hole("tail", ("cut", "perfect")))

op = at("for i in _: _", strips())
nothing = at("for i in _: _", divide_loop(hole("width", (7, 9)), ("io", "ii"), tail="perfect"))
many = at("for i in _: _", divide_loop(hole("width", tuple(range(2, 300))), ("io", "ii"), tail="cut"))

def wide(machine: Machine) -> Op:
    return at("for i in _: _", divide_loop(hole("width", (machine.vec_width("f32"), 2)), ("io", "ii"), tail="cut"))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "scales.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's records are those of the test."""
    monkeypatch.setenv("EXO_STRAT_DATA_DIR", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "home" / "records.jsonl"


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args])


def tune(file: Path, strategy: str = "op", name: str = "scale", *more: str | Path) -> Result:
    return run("tune", f"{file}:{strategy}", f"{file}:{name}", "--trials", "20", "-j", "1", "--target", "c", *more)


def candidates(path: Path) -> list[Record]:
    """The records of a file, less those of procedures as they were."""
    return [r for r in read(path) if r.strategy_key != strategy_key(identity)]


def stops(result: Result, code: int, *words: str) -> None:
    """The command stops with this code and one message on stderr that holds these words."""
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


# -- tune ---------------------------------------------------------------------------------------------


def test_tune_says_what_was_best_and_what_was_refused_and_keeps_what_it_measured(file: Path, home: Path) -> None:
    found = tune(file, "op", "scale", "--sizes", "n=1000")
    assert found.exit_code == 0, found.output
    assert "6 tried (3 measured, 3 refused): nothing is left to try" in found.stdout
    rows = {line.split("│")[1].strip(): line for line in found.stdout.splitlines() if line.startswith("│")}
    assert {"best", "defaults", "unscheduled"} <= rows.keys()
    assert "strips.width = 4" in rows["defaults"] and "the procedure as it was" in rows["unscheduled"]
    assert re.search(r"1 refused, such as strips.width = 16, .*: 16 divides the loop's number", found.stdout)
    assert f"4 records were added to {home}" in found.stdout
    kept = candidates(home)
    assert [r.sizes for r in kept] == [(("n", 1000),)] * 3
    assert {dict(r.values)["strips.width"] for r in kept} == {4, 8, 16} and all(r.seconds > 0 for r in kept)


def test_several_sizes_are_searched_one_after_the_other_each_from_what_is_known(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "project.jsonl"
    found = tune(file, "op", "scale", "--sizes", "n=100", "--sizes", "n=3000", "--records", out)
    assert found.exit_code == 0, found.output
    kept = candidates(out)
    assert [dict(r.sizes)["n"] for r in kept] == [100] * 3 + [3000] * 3
    best = min(kept[:3], key=lambda r: r.seconds)
    first, second, *_ = kept[3:]  # the defaults come first, then what was best before
    assert best.values in (first.values, second.values)


def test_a_seed_makes_a_search_repeat(file: Path, tmp_path: Path) -> None:
    def tried(seed: str, name: str) -> list[object]:
        out = tmp_path / name
        made = run(
            *("tune", f"{file}:many", f"{file}:scale", "--sizes", "n=500", "--trials", "5", "-j", "1"),
            *("--seed", seed, "--records", out, "--target", "c"),
        )
        assert made.exit_code == 0, made.output
        return [r.values for r in candidates(out)]

    one, again, other = tried("1", "a"), tried("1", "b"), tried("2", "c")
    assert one == again != other


@pytest.mark.parametrize("search", ["exhaustive", "model", "optuna"])
def test_searches_go_by_name(search: str, file: Path, home: Path) -> None:
    if search == "optuna":
        pytest.importorskip("optuna")
    found = tune(file, "op", "scale", "--sizes", "n=1000", "--search", search)
    assert found.exit_code == 0, found.output
    assert len(candidates(home)) == 3
    assert ("rank correlation of model and times" in found.stdout) == (search == "model")


def test_a_strategy_for_a_machine_gets_that_of_the_target(file: Path, home: Path) -> None:
    assert tune(file, "wide", "scale", "--sizes", "n=64").exit_code == 0
    assert {dict(r.values)["width"] for r in candidates(home)} == {1, 2}
    assert {r.setting.machine for r in read(home)} == {"c"}


def test_where_all_is_refused_it_is_said_why(file: Path) -> None:
    found = tune(file, "nothing", "scale", "--sizes", "n=64")
    assert found.exit_code == 1
    assert "such as width = 7: not true: 7 divides the loop's number of iterations" in found.stdout


def test_a_strategy_without_a_place_is_told_how_to_get_one(file: Path) -> None:
    found = tune(file, "strips()", "scale", "--sizes", "n=64")
    assert found.exit_code == 1
    assert "give it a place" in found.stdout and "at('for i in _: _', strips())" in found.stdout


@pytest.mark.parametrize(
    ("strategy", "name", "more", "words"),
    [
        ("op", "scale", [], ["scale can't be measured: scale takes n, too"]),
        ("op", "scale", ["--sizes", "n=4,m=5"], ["has no integer argument m; it has n"]),
        ("op", "scale", ["--sizes", "n=0"], ["n is a size, which is at least 1, not 0"]),
        ("op", "halves", ["--sizes", "n=3"], ["halves asserts n % 2 == 0, which does not hold of n = 3"]),
        ("op", "scale", ["--sizes", "n"], ["'n' is no size: write n=1000,m=500"]),
        ("op", "scale", ["--sizes", "n=4,n=5"], ["n is said twice"]),
        ("op", "scale", ["--sizes", "n=4", "--budget", "soon"], ["'soon' is no time: write 60s, 2m or 1h"]),
        ("op", "scale", ["--sizes", "n=4", "--budget", "0s"], ["'0s' leaves no time to search"]),
        ("op", "scale", ["--sizes", "k=4"], ["scale can't be measured at k = 4", "no integer argument k; it has n"]),
        ("op", "scale", ["--sizes", "n=4", "--search", "luck"], ["there are random, exhaustive, model, optuna"]),
        ("op", "scale", ["--sizes", "n=4", "--trials", "0"], ["--trials 0: at least 1"]),
        ("op", "scale", ["--sizes", "n=4", "-t", "riscv"], ["there is no target 'riscv'"]),
        ("op", "scale", ["--sizes", "n=1000000000000000"], ["can't be measured at n = 1000000000000000"]),
        ("op", "none", ["--sizes", "n=4"], ["none does not exist"]),
        ("none", "scale", ["--sizes", "n=4"], ["'none' gives no strategy"]),
        ("at('for i in _: _', lift(lambda p, c: (p, c)))", "scale", ["--sizes", "n=4"], ["is in no file"]),
    ],
)
def test_bad_input_is_explained(
    strategy: str, name: str, more: list[str], words: list[str], file: Path, home: Path
) -> None:
    stops(tune(file, strategy, name, *more), 2, *words)
    assert not home.exists()


def test_what_records_know_to_be_slower_is_not_measured_again(file: Path, home: Path) -> None:
    assert "slower" not in tune(file, "op", "scale", "--sizes", "n=100").stdout
    best, *others = sorted(candidates(home), key=lambda r: r.seconds)
    home.unlink()
    append([best, *(replace(r, seconds=2 * best.seconds) for r in others)], home)
    again = tune(file, "op", "scale", "--sizes", "n=100")
    assert f"{len(others)} were not tried, as records say that they are slower" in again.stdout
    assert 1 <= len(candidates(home)) - 3 <= 2, "the best, and the defaults"
    everything = tune(file, "op", "scale", "--sizes", "n=100", "--again")
    assert "were not tried" not in everything.stdout


@pytest.mark.parametrize("statuses", [(), ("same",), ("same", "refused"), ("refused", "measured")])
def test_where_the_time_was_over_after_the_defaults_it_is_said(
    statuses: tuple[Status, ...], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if what else was tried is the same program: nothing was compared."""
    source = read_file(file)
    op, p = source.op("many"), source.proc("scale")
    tried = tuple(Tried({}, {}, s, 1e-6) for s in ("measured", *statuses))
    _report(Tuning(op, p, None, space(op), tried, tried[0], f"5 s {OVER}"), {}, find_target("c"), Console())
    what = "no other program was measured" if statuses else "nothing else was tried"
    said = f"the time was over after the defaults: {what}, so give it more"
    assert (said in capsys.readouterr().out) == ("measured" not in statuses)


def test_a_strategy_without_holes_leaves_nothing_to_choose(file: Path) -> None:
    plain = "at('for i in _: _', divide_loop(4, ('io', 'ii'), tail='cut'))"
    assert "the strategy has no holes here" in tune(file, plain, "scale", "--sizes", "n=100").stdout


def test_names_of_holes_are_not_cut(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However narrow the terminal is: what is too long goes on in the next line."""
    monkeypatch.setenv("COLUMNS", "60")
    name = "a_name_that_is_as_long_as_those_of_holes_deep_inside_of_strategies"
    shown = tune(
        *(file, f"at('for i in _: _', divide_loop(hole('{name}', (4,)), ('io', 'ii'), tail='cut'))", "scale"),
        *("--sizes", "n=100"),
    )
    cells = "".join(line.split("│")[4].replace(" ", "") for line in shown.stdout.splitlines() if line.startswith("│"))
    assert f"{name}=4" in cells and "…" not in shown.stdout


def test_names_are_short_and_break_at_dots_only(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = read_file(file)
    op, p = source.op("many"), source.proc("scale")
    deep = "auto.planned.by_nest.as_products.as_product"
    values = {"auto.how": "planned", f"{deep}.rows": 6, f"{deep}.vectors_that_are_used": 2}
    best = Tried({}, values, "measured", 1e-6)
    found = Tuning(op, p, None, space(op), (best,), Tried({}, {}, "measured", 2e-6), "1 trials were made")
    _report(found, {}, find_target("c"), Console(width=80))
    out = capsys.readouterr().out
    cells = [line.split("│")[4].strip() for line in out.splitlines() if line.startswith("│")]
    assert cells[0] == "the defaults" and "values, of auto" in out
    assert cells[1:] == [
        *("how = 'planned'", "planned.by_nest.as_products.as_product."),
        *("rows = 6", "vectors_that_are_used = 2", "the procedure as it was"),
    ]


def test_a_strategy_that_is_slower_than_nothing_is_told(file: Path, known: tuple[Record, ...], home: Path) -> None:
    asked = ("tuned", f"{file}:op", f"{file}:scale", "--sizes", "n=100", "-t", "c")
    assert "slower" not in run(*asked).stderr
    best, source = min(known[:3], key=lambda r: r.seconds), read_file(file)
    plain = Tried({}, {}, "measured", best.seconds / 2, 0.0)
    append(recorded(identity, source.proc("scale"), [plain], best.setting, {"n": 100}, "2026-11-27"), home)
    told = run(*asked)
    assert told.exit_code == 0 and "the procedure as it was" in told.stdout
    assert re.search(r"scale at n = 100 is slower by .*, at best 100 us, than as it was, 50 us: leave", told.stderr)


def test_a_place_where_records_cannot_be_is_told_before_the_search(file: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "m.jsonl"
    stops(tune(file, "op", "scale", "--sizes", "n=4", "--records", nowhere), 2, "there is no folder", "nowhere")
    stops(tune(file, "op", "scale", "--sizes", "n=4", "--records", tmp_path), 2, "is a folder, and a file is needed")
    stops(tune(file, "op", "scale", "--sizes", "n=4", "--records", file / "x"), 2, "is a file, and a folder is needed")


def test_a_wrong_result_is_told_and_ends_with_1(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a rewrite were wrong: a bug of this library."""
    monkeypatch.setattr("backends.measuring.differing", lambda found, wanted: "y is 1.0 from what it should be")
    found = tune(file, "op", "scale", "--sizes", "n=100")
    assert found.exit_code == 1
    assert "computes something else: y is 1.0 from what it should be; please report this as a bug" in found.stderr


BAD = """
@strategy
def bad(p, c: ForCursor):
    width = yield hole("width", (4, 8))
    if width == 8:
        FATE
    yield divide_loop(width, ("io", "ii"), tail="cut")
"""


def test_a_candidate_that_crashes_is_told_and_passed_over(file: Path, home: Path) -> None:
    file.write_text(SOURCE + BAD.replace("FATE", "import os; os.kill(os.getpid(), 9)"))
    found = tune(file, "at('for i in _: _', bad())", "scale", "--sizes", "n=100")
    assert found.exit_code == 0, found.output
    assert "1 crashed, such as bad.width = 8: the process ended with SIGKILL" in found.stdout
    assert len(candidates(home)) == 1


def test_a_candidate_that_goes_on_forever_does_not_outlast_the_budget(file: Path, home: Path) -> None:
    file.write_text(SOURCE + BAD.replace("FATE", "while True: pass"))
    found = tune(file, "at('for i in _: _', bad())", "scale", "--sizes", "n=100", "--budget", "10s")
    assert found.exit_code == 0, found.output
    assert "10 s are over" in found.stdout and "nothing else was tried, so give it more" in found.stdout
    assert len(candidates(home)) == 1


def test_a_search_has_an_end(file: Path) -> None:
    stops(run("tune", f"{file}:op", f"{file}:scale", "--sizes", "n=4"), 2, "--budget 60s", "--trials 100")


def test_a_line_that_is_no_record_is_told_and_passed_over(file: Path, home: Path) -> None:
    home.parent.mkdir()
    home.write_text("no record\n")
    found = tune(file, "op", "scale", "--sizes", "n=100")
    assert found.exit_code == 0
    assert f"{home}, line 1, is skipped: it is truncated, or no JSON" in found.stderr


def started(file: Path, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "exo_strat.cli", "tune", f"{file}:many", f"{file}:scale", "--sizes", "n=1000"]
    command += ["--budget", "10m", "-j", "1", "--records", str(out), "--target", "c"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for(path: Path, count: int) -> None:
    end = time.monotonic() + 120
    while lines(path) < count:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_ctrl_c_keeps_what_was_found_and_says_it(file: Path, tmp_path: Path) -> None:
    """To all in the foreground, as a terminal sends it, wherever the search is."""
    out, before = tmp_path / "records.jsonl", 0
    for _ in range(2):
        process = started(file, out)
        wait_for(out, before + 2)
        os.killpg(process.pid, signal.SIGINT)
        said, errors = process.communicate(timeout=60)
        assert process.returncode == 130, errors
        assert re.search(r"interrupted: \d+ tried, \d+ records were added to ", said.splitlines()[-1])
        assert "best" in said and "Traceback" not in errors
        assert len(read(out)) == lines(out) >= before + 2
        before = lines(out)


def test_ctrl_c_before_the_search_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exo_strat.cli.tuning.known_values", pressed)
    stopped = tune(file, "op", "scale", "--sizes", "n=4")
    assert stopped.exit_code == 130 and stopped.stderr == "exo-strat: interrupted; nothing more is written\n"


def test_kill_9_loses_at_most_a_line(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    process = started(file, out)
    wait_for(out, 2)
    process.kill()
    process.communicate()
    kept = read(out)
    assert len(kept) >= 2
    again = run(
        "tune", f"{file}:many", f"{file}:scale", "--sizes", "n=1000", "--trials", "2", "--records", out, "-t", "c"
    )
    assert again.exit_code == 0 and len(read(out)) > len(kept)


# -- tuned --------------------------------------------------------------------------------------------


@pytest.fixture
def known(file: Path, home: Path) -> tuple[Record, ...]:
    """Records of two sizes, with times that are made up."""
    source, made = read_file(file), list[Record]()
    for n, best in ((100, 8), (5000, 16)):
        times = {width: 1e-6 * n * (1 + abs(width - best)) for width in (4, 8, 16)}
        tried = [Tried({}, {"strips.width": w, "strips.tail": "cut"}, "measured", t, 0.0) for w, t in times.items()]
        made += recorded(source.op("op"), source.proc("scale"), tried, setting_here(plain_c), {"n": n}, "2026-11-26")
    append(made, home)
    return tuple(made)


def test_tuned_shows_what_is_known(file: Path, known: tuple[Record, ...]) -> None:
    shown = run("tuned", f"{file}:scale", "--target", "c")
    assert shown.exit_code == 0, shown.output
    assert "at('for i in _: _', strips())" in shown.stdout and "c, " in shown.stdout
    rows = [line for line in shown.stdout.splitlines() if line.startswith("│")]
    assert ["n = 100" in rows[0], "n = 5000" in rows[1], len(rows)] == [True, True, 2]


def test_tuned_says_where_nothing_is_known(file: Path, home: Path) -> None:
    assert run("tuned", f"{file}:scale").stdout.startswith("nothing is known of scale: `exo-strat tune`")
    stops(run("tuned", f"{file}:scale", "--records", home), 2, "does not exist: expected a file of records")
    stops(run("tuned", f"{file}:scale", "--emit", "c"), 2, "name one before the Proc")
    stops(run("tuned", f"{file}:scale", "--by-sizes"), 2, "name one before the Proc")
    stops(run("tuned", f"{file}:scale", "--emit", "java"), 2, "there are strategy, proc, c")


def test_records_of_a_program_before_it_was_edited_are_told(file: Path, known: tuple[Record, ...]) -> None:
    file.write_text(SOURCE.replace("y[i] = 2.0 * x[i]", "y[i] = 3.0 * x[i]"))
    said = run("tuned", f"{file}:op", f"{file}:scale", "-t", "c").stdout
    assert said.count("6 records are of another version of scale") == 1 and "scale as it is now" in said
    emitted = run("tuned", f"{file}:op", f"{file}:scale", "-t", "c", "--emit", "proc")
    assert "6 records are of another version of scale" in emitted.stderr
    assert "another version" not in run("tuned", f"{file}:halves", "-t", "c").stdout


def test_records_of_another_target_are_told_apart(file: Path, known: tuple[Record, ...]) -> None:
    other = next((t for t in ("avx2", "neon") if run("tuned", f"{file}:scale", "-t", t).exit_code == 0), None)
    if other is None:
        pytest.skip("this processor has plain C only")
    assert f"not as here: machine: c there, {other} here" in run("tuned", f"{file}:scale", "-t", other).stdout
    assert "the defaults" in run("tuned", f"{file}:op", f"{file}:scale", "-t", other).stdout


@pytest.mark.parametrize("by_sizes", [[], ["--by-sizes"]])
@pytest.mark.parametrize("emit", ["c", "strategy", "proc"])
def test_where_no_record_fits_what_is_emitted_has_a_warning_beside_it(
    emit: str, by_sizes: list[str], file: Path, known: tuple[Record, ...], home: Path
) -> None:
    """With the kinds of records that there are, and why none of them fits."""
    asked = ("tuned", f"{file}:op", f"{file}:scale", "-t", "c", "--emit", emit, *by_sizes)
    fits = run(*asked)
    assert "no record" not in fits.stderr and re.search("exo-strat: numbers from (a record|records): ", fits.stderr)
    assert ("saved as scale.c, compile with: " in fits.stderr) == (emit == "c") and "numbers from" not in fits.stdout
    home.unlink()
    nothing = run(*asked)
    assert "exo-strat: no record of scale fits: the defaults\n" in nothing.stderr
    here = known[0].setting
    numbers = tuple((name, "999" if name == "cores" else n) for name, n in here.numbers)
    append([replace(r, setting=replace(here, machine_key="another", numbers=numbers)) for r in known], home)
    warned = run(*asked)
    assert warned.exit_code == 0 and warned.stdout == nothing.stdout != ""
    kind = r"  6 of at\('for i in _: _', strips\(\)\), c, .*; not as here: cores: 999 there, \d+ here\n"
    assert re.search(kind, warned.stderr)


def test_a_strategy_without_a_key_is_taken_where_nothing_is_known(file: Path) -> None:
    made = run("tuned", f"{file}:lift(lambda p, c: (p, c))", f"{file}:scale", "-t", "c", "--emit", "proc")
    assert made.exit_code == 0 and "no record of scale fits: the defaults\n" in made.stderr


def test_where_records_lack_a_size_this_is_why_none_fits(file: Path, known: tuple[Record, ...], home: Path) -> None:
    home.unlink()
    append([replace(r, sizes=()) for r in known], home)
    warned = run("tuned", f"{file}:op", f"{file}:scale", "-t", "c", "--sizes", "n=5", "--emit", "c")
    assert "no record of scale fits" in warned.stderr and "none tells all the sizes that are asked for" in warned.stderr


def test_without_sizes_it_is_said_that_the_values_are_best_over_all(file: Path, known: tuple[Record, ...]) -> None:
    """The time is that at one of the sizes, where others may be faster."""
    assert "the best over all sizes that are known; measured at n = " in run(
        *("tuned", f"{file}:op", f"{file}:scale", "-t", "c")
    ).stdout.replace("\n", " ")


def test_tuned_gives_the_strategy_with_the_best_values_known(file: Path, known: tuple[Record, ...]) -> None:
    best = min(known[:3], key=lambda r: r.seconds)
    shown = run("tuned", f"{file}:op", f"{file}:scale", "--sizes", "n=90", "-t", "c")
    assert shown.exit_code == 0, shown.output
    assert "measured at n = 100" in shown.stdout
    assert "at('for i in _: _', strips()).fill({" in shown.stdout
    assert f"'strips.width': {dict(best.values)['strips.width']}" in shown.stdout


@pytest.mark.parametrize("folder", [".", "elsewhere"])
def test_the_strategy_is_a_module_that_makes_the_same_c(
    folder: str, file: Path, known: tuple[Record, ...], tmp_path: Path
) -> None:
    """The strategy is in one file, the program in another, and both are imported from a third."""
    (tmp_path / folder).mkdir(exist_ok=True)
    plans, out = tmp_path / "plans.py", tmp_path / folder / "fast.py"
    plans.write_text(SOURCE)
    args = ["tuned", f"{plans}:op", f"{file}:scale", "-t", "c", "--emit"]
    made = run(*args, "strategy", "-o", out)
    assert made.exit_code == 0, made.output
    code = "import fast; from backends.c import compile; print(compile([fast.scale], 'scale').text, end='')"
    env = {**os.environ, "PYTHONPATH": str(out.parent)}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert found.stdout == run(*args, "c").stdout and "ii" in found.stdout


def test_by_sizes_the_program_decides(file: Path, known: tuple[Record, ...], tmp_path: Path) -> None:
    """All that can be printed of it, and the module makes the same program."""
    args = ["tuned", f"{file}:op", f"{file}:scale", "--by-sizes", "-t", "c"]
    said = run(*args).stdout
    assert "within 3% of the best at each size" in said
    assert said.index("'strips.width': 8}") < said.index("'strips.width': 16}")
    code = run(*args, "--emit", "proc").stdout
    assert code.index("def scale_1") < code.index("def scale_2") < code.index("def scale(")
    assert "if n <= 707:" in code and "for ii in seq(0, 16)" in code
    out = tmp_path / "fast.py"
    assert run(*args, "--emit", "strategy", "-o", out).exit_code == 0
    assert "if n <= 707:" in run("show", f"{out}:scale").stdout
    stops(run(*args, "--sizes", "n=3"), 2, "leave --sizes out")


def test_a_file_that_python_cannot_import_is_told(file: Path, known: tuple[Record, ...], tmp_path: Path) -> None:
    other = tmp_path / "my-scales.py"
    other.write_text(SOURCE)
    stops(run("tuned", f"{file}:op", f"{other}:scale", "--emit", "strategy"), 2, "'my-scales' is no name in Python")
    assert run("tuned", f"{file}:op", f"{other}:scale", "--emit", "proc").exit_code == 0


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("scale", ["--sizes", "n=0"], ["scale can't be called at n = 0", "n is a size, which is at least 1, not 0"]),
        ("scale", ["--sizes", "n=-3"], ["scale can't be called at n = -3"]),
        ("scale", ["--sizes", "k=3"], ["scale has no argument 'k'; it takes n, x, y"]),
        ("halves", ["--sizes", "n=3"], ["halves can't be called at n = 3", "it asserts n % 2 == 0"]),
        ("scale", ["--sizes", "n=3", "--sizes", "n=4"], ["give --sizes once"]),
        ("scale", ["-o", "x.py"], ["--out needs --emit"]),
    ],
)
def test_what_tuned_cannot_take_is_said(name: str, more: list[str], words: list[str], file: Path) -> None:
    stops(run("tuned", f"{file}:op", f"{file}:{name}", *more), 2, *words)


def test_a_changed_strategy_has_its_defaults(file: Path, known: tuple[Record, ...]) -> None:
    file.write_text(SOURCE.replace("(4, 8, 16)", "(4, 8, 16, 32)"))
    shown = run("tuned", f"{file}:op", f"{file}:scale", "-t", "c")
    assert "no record of scale fits: the defaults" in shown.stdout
    assert "of another strategy, or of this one before it or a file that it uses was changed" in shown.stdout


def test_fresh_processes_make_the_same_c_without_measuring(
    file: Path, known: tuple[Record, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ["tuned", f"{file}:op", f"{file}:scale", "--sizes", "n=5000", "--emit", "c", "-t", "c"]
    texts = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-m", "exo_strat.cli", *args]
        texts.add(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout)

    def measured(*_: object) -> None:
        raise AssertionError("this measures")

    monkeypatch.setattr("backends.measuring.measuring", measured)
    texts.add(run(*args).stdout)
    (text,) = texts
    width = dict(min(known[3:], key=lambda r: r.seconds).values)["strips.width"]
    assert "void scale(" in text and f"ii < {width}" in text


MISTAKES = """
@strategy
def wrong(p, c: ForCursor):
    yield 3

@strategy
def divides(p, c: ForCursor):
    yield identity
    1 // 0

@strategy
def no_yield(p, c: ForCursor):
    unroll_loop()

@strategy
def returns(p, c: ForCursor):
    yield identity
    return 5

@strategy
def takes_more(p, c: ForCursor):
    import neighbour
    yield at(neighbour.wrong, identity)

@strategy
def takes_fewer(p, c: ForCursor):
    yield at(lambda: None, identity)

@named
def is_none():
    pass
"""


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("wrong", ["yield 3", "TypeError: @strategy wrong yields Ops, not 3"]),
        ("divides", ["1 // 0", "ZeroDivisionError"]),
        ("no_yield", ["TypeError: no_yield is a @strategy, but has no", "in the strategy no_yield, ", "line 36"]),
        ("returns", ["TypeError: @strategy returns returns the cursor", "in the strategy returns, ", "line 40"]),
        ("takes_fewer", ["TypeError: ", "in the strategy takes_fewer, ", "scales.py, line 50"]),
        ("takes_more", ["neighbour.py", "return c.nothing_such", "AttributeError"]),
        ("is_none", ["TypeError: @named is_none returns an Op", "in the strategy is_none, "]),
        ("nothing_such", ["gives no strategy"]),
    ],
)
@pytest.mark.parametrize("command", ["tuned", "explain"])
def test_mistakes_in_strategies_are_told_with_the_line(
    command: str, strategy: str, words: list[str], file: Path
) -> None:
    file.write_text(SOURCE + MISTAKES)
    (file.parent / "neighbour.py").write_text("def wrong(c):\n    return c.nothing_such()\n")
    made = run(command, f"{file}:at('for i in _: _', {strategy}())", f"{file}:scale")
    assert made.exit_code == 2 and isinstance(made.exception, SystemExit)
    assert all(word in made.stderr for word in words), made.stderr
    assert "exo_strat/ops/strategy.py" not in made.stderr.partition(words[0])[2]
    sys.modules.pop("neighbour", None)


def test_a_move_of_the_wrong_kind_is_told_without_a_traceback(file: Path) -> None:
    made = run("explain", f"{file}:at(lambda: None, identity)", f"{file}:scale")
    stops(made, 2, "TypeError: ", "in the strategy ", "<lambda>, identity)")


def test_unreadable_records_are_passed_over_with_a_message(file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(bytes(range(128, 256)))
    said = run("tuned", f"{file}:op", f"{file}:scale", "--records", bad)
    assert said.exit_code == 0 and "bad.jsonl, line 1, is skipped" in said.stderr
    assert "no record of scale fits: the defaults" in said.stdout
    stops(run("tuned", f"{file}:scale", "--records", tmp_path), 2, "is a folder: expected a file of records")


@pytest.mark.parametrize("args", [["tune", "--trials", "2", "--sizes", "n=8"], ["tuned"]])
def test_without_a_c_compiler_it_is_said_what_is_missing(
    args: list[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    stops(run(*args, f"{file}:op", f"{file}:scale"), 1, "no C compiler on the path", "set CC")
