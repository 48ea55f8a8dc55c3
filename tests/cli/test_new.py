"""`exo-strat new`: a project that is whole, or one message and nothing. tests/test_project.py runs its commands."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exo_strat.cli.commands import app
from exo_strat.cli.files import read
from exo_strat.cli.new import TEMPLATES


def run(*args: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["new", *map(str, args)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def test_a_new_project(tmp_path: Path) -> None:
    code, printed, said = run(tmp_path / "mine")
    assert (code, said) == (0, "")
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]
    found = {p.relative_to(tmp_path / "mine").as_posix(): p for p in (tmp_path / "mine").rglob("*") if p.is_file()}
    assert found.keys() == {
        *("kernels.py", "tests/test_kernels.py", "benchmark.py", "Makefile", "README.md"),
        *("pyproject.toml", "hatch_build.py", ".gitignore"),
    }
    assert len(found) == len(list(TEMPLATES.iterdir()))
    assert not any("@NAME@" in p.read_text() for p in found.values())
    for name, p in found.items():
        if name.endswith(".py"):
            ast.parse(p.read_text())
    assert tomllib.loads(found["pyproject.toml"].read_text())["project"]["name"] == "mine"
    for command in (f"cd {tmp_path / 'mine'}", "make test", "make bench"):
        assert f"  {command}" in printed


def test_its_file_exports_the_schedule(tmp_path: Path) -> None:
    run(tmp_path / "mine")
    source = read(tmp_path / "mine" / "kernels.py")
    assert source.exports == ("fast_smooth",) and source.strategies() == ("in_vectors",)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my-kernels", "the name 'my-kernels' can't be a module's: take letters, digits and _"),
        ("1st", "can't be a module's"),
        ("import", "can't be a module's"),
        ("kérnels", "can't be a module's"),
        ("numpy", "'numpy' is that of a module, a library or a header"),
        ("kernels", "'kernels' is that of a module in the project, or of a tool"),
        ("hypothesis", "'hypothesis' is that of a module in the project, or of a tool"),
        ("there", "there is there already"),
        ("a_file", "a_file is there already"),
        ("no/such", "there is no folder"),
        ("a_file/inner", "there is no folder"),
    ],
)
def test_what_can_not_be_made(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "a_file").touch()
    before = sorted(tmp_path.rglob("*"))
    code, printed, said = run(tmp_path / name)
    assert (code, printed) == (2, "") and message in said
    assert sorted(tmp_path.rglob("*")) == before
