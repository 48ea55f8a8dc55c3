"""`exo-strat check`: every mistake at its place, in forms that editors take; what uses a missing Proc is left out."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from exo_strat.cli.check import check_file
from exo_strat.cli.commands import app

HEAD = """\
from __future__ import annotations
from exo_strat import *

"""
GOOD = HEAD + """\
@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]
"""
BAD = HEAD + """\
@proc
def beyond(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i + 1] = 2.0

@proc
def unknown(n: size, x: f32[n]):
    for i in seq(0, m):
        x[i] = 2.0

@proc
def fine(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0

tiled = schedule(at("i", divide_loop(4, ["io", "ii"], perfect=True)), fine)

@proc
def caller(n: size, x: f32[n]):
    beyond(n, x)

again = direct.rename(caller, "again")
"""


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, args)])


def places(result: Result) -> list[str]:
    """The lines that an editor takes: those with a place, as in vim's default errorformat, %f:%l:%c:%m."""
    found = re.finditer(r"^\S*?(\w+\.py):(\d+):(\d+): (error|note): .*$", result.stdout, re.M)
    return [f"{m[1]}:{m[2]}:{m[3]}: {m[4]}" for m in found]


def written(folder: Path, text: str, name: str = "kernels.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_good_file_has_nothing_to_say(tmp_path: Path) -> None:
    result = run(written(tmp_path, GOOD))
    assert (result.exit_code, result.stdout) == (0, "")


def test_every_mistake_is_found_in_one_run_each_at_its_place(tmp_path: Path) -> None:
    result = run(written(tmp_path, BAD))
    assert result.exit_code == 1
    assert places(result) == [
        "kernels.py:7:9: error",
        "kernels.py:11:21: error",
        "kernels.py:19:9: error",
        "kernels.py:22:1: note",
    ]
    assert "not checked: it uses beyond, which could not be made" in result.stdout


def test_what_stands_below_a_message_is_indented(tmp_path: Path) -> None:
    lines = run(written(tmp_path, BAD)).stdout.splitlines()
    assert all(re.match(r"    |\S+?:\d+:\d+: (error|note): ", line) for line in lines)
    at = lines.index("    for i in seq(0, m):")
    assert lines[at + 1] == "    " + " " * 16 + "^"


def test_the_column_is_that_in_the_file_also_inside_of_a_function(tmp_path: Path) -> None:
    inner = "\n".join(f"    {line}" for line in BAD.removeprefix(HEAD).splitlines()[:4])
    path = written(tmp_path, f"{HEAD}def make():\n{inner}\n    return beyond\n\nmade = make()\n")
    assert places(run(path)) == ["kernels.py:8:13: error"]


def test_a_name_of_the_function_itself_is_not_the_missing_one(tmp_path: Path) -> None:
    text = BAD + "\n@proc\ndef other(beyond: size, x: f32[beyond]):\n    x[0] = 1.0\n    x[beyond] = 1.0\n"
    assert places(run(written(tmp_path, text)))[-1] == "kernels.py:30:5: error"


def test_a_name_that_is_defined_again_is_no_longer_missing(tmp_path: Path) -> None:
    text = BAD + "\n" + GOOD.removeprefix(HEAD).replace("scale", "beyond") + "\nnamed = direct.rename(beyond, 'b')\n"
    text += "\n@proc\ndef last(n: size, x: f32[n]):\n    beyond(n, x)\n    x[n] = 0.0\n"
    assert places(run(written(tmp_path, text)))[-1] == "kernels.py:37:5: error"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("x = (\n", "1:5", "SyntaxError"),
        ("x = 1\ny = x.nothing\n", "2:5", "AttributeError: 'int' object has no attribute 'nothing'"),
        ("import sys\nsys.exit(3)\n", "2:1", "ends the program, by exit(3)"),
        ("from nowhere import x\n", "1:1", "ModuleNotFoundError"),
        ("from exo_strat import *\n@config\nclass C:\n    x: nothing\n", "4:8", "NameError"),
        (HEAD + "@config\nclass C:\n    x: nothing\n", "4:2", "has no type of the object language"),
        (HEAD + 'p = proc_from_source("def f(n: size):\\n    x = 0.0")\n', "4:5", "x"),
        ("return 1\n", "1:1", "SyntaxError"),
        (f"x = {'-' * 200_000}1\n", "1:1", "nested too deeply"),
        (f"x = {' + '.join('1' * 20_000)}\n", "1:1", "nested too deeply"),
        ("import sys\nsys.path.clear()\n1 / 0\n", "3:1", "ZeroDivisionError"),
        ("import sys\ndel sys.modules[__name__]\n1 / 0\n", "3:1", "ZeroDivisionError"),
        ("class E(Exception):\n    def __str__(self):\n        return 1 / 0\nraise E\n", "4:1", "E: (no message: Zero"),
        ("raise ValueError('\\ud800')\n", "1:1", "ValueError: \\ud800"),
    ],
)
def test_other_mistakes_have_a_place_too(text: str, place: str, words: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as m:  # the file may empty it
        m.setattr(sys, "path", [*sys.path])
        result = run(written(tmp_path, text))
    assert (result.exit_code, places(result)) == (1, [f"kernels.py:{place}: error"])
    assert words in result.stdout
    assert "Traceback" not in result.output


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    text = f"# coding: latin-1\n{HEAD}def made():\n    @proc\n    def p(x: f32):\n        y = 1.0  # é\nmade()\n"
    (tmp_path / "kernels.py").write_bytes(text.encode("latin-1"))
    assert places(run(tmp_path / "kernels.py")) == ["kernels.py:8:9: error"]


def test_a_mistake_in_a_file_that_is_imported_is_told_there(tmp_path: Path) -> None:
    written(tmp_path, BAD, "other.py")
    result = run(written(tmp_path, "from other import fine\n\nagain = fine\n"))
    assert places(result) == ["other.py:7:9: error"]


def test_json_has_the_same_as_data(tmp_path: Path) -> None:
    path = written(tmp_path, BAD + "print('hello')\n")
    result = run(path, "--format", "json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [(f["line"], f["column"], f["severity"]) for f in found] == [
        (f.line, f.column, f.severity) for f in check_file(path)
    ]
    assert json.loads(run(written(tmp_path, GOOD), "--format", "json").stdout) == []


def test_github_gets_one_command_a_line(tmp_path: Path) -> None:
    result = run(written(tmp_path, BAD), "--format", "github")
    assert [line.partition(" ")[0] for line in result.stdout.splitlines()] == ["::error"] * 3 + ["::notice"]
    assert ",line=7,col=9::" in result.stdout


def test_several_files_are_checked_at_once(tmp_path: Path) -> None:
    result = run(written(tmp_path, GOOD, "good.py"), written(tmp_path, BAD, "bad.py"))
    assert {p.partition(":")[0] for p in places(result)} == {"bad.py"}


@pytest.mark.parametrize(("name", "words"), [("none.py", "does not exist"), ("", "is a folder"), ("a.c", "no Python")])
def test_what_is_no_python_file_is_told(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    result = run(tmp_path / name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
