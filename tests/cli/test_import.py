"""`exo-strat import`: a file that `show` and `build` read, or all that isn't taken and no file."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exo_strat.cli.commands import app

AXPY = "void axpy(int n, float a, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }\n"
SUM = """#include <stddef.h>
void add(int n, double *x, double *y) { if (y == NULL) return; for (int i = 0; i < n; i++) x[i] += y[i]; }
"""


@pytest.fixture
def axpy(tmp_path: Path) -> Path:
    file = tmp_path / "axpy.c"
    file.write_text(AXPY)
    return file


def run(*args: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(a) for a in args])
    return done.exit_code, done.stdout, done.stderr


def test_an_imported_file_is_shown_and_built(axpy: Path, tmp_path: Path) -> None:
    out = tmp_path / "axpy.py"
    assert run("import", f"{axpy}:axpy", "-o", out) == (0, "", "")
    assert out.read_text().startswith('"""axpy, imported from axpy.c by exo-strat.\n\nAssumed:\n')
    code, shown, _ = run("show", f"{out}:axpy")
    assert code == 0 and "y[i] += a * x[i]" in shown
    assert run("build", out, "-o", tmp_path / "c")[0] == 0
    assert "float" in (tmp_path / "c" / "axpy.c").read_text()


def test_without_a_file_the_text_is_printed(axpy: Path, tmp_path: Path) -> None:
    code, printed, _ = run("import", axpy)
    assert code == 0
    assert run("import", axpy, "-o", tmp_path / "again.py")[0] == 0
    assert printed == (tmp_path / "again.py").read_text()


def test_what_is_not_taken_ends_with_1_and_writes_nothing(tmp_path: Path) -> None:
    file, out = tmp_path / "add.c", tmp_path / "add.py"
    file.write_text(SUM)
    code, printed, said = run("import", file, "-o", out)
    assert (code, printed) == (1, "") and not out.exists()
    assert f"{file}:2:45: a test whether y is null" in said and "--nonnull y" in said
    assert run("import", file, "--nonnull", "y", "-o", out)[0] == 0
    assert "y is no null pointer" in out.read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.c", "does not exist: expected a file"),
        (".", "is a folder"),
        ("a.txt", "its name must end in .c or .py"),
        ("a.txt:add,scale", "'add,scale' is no name of a function: one is imported"),
    ],
)
def test_what_is_no_c_file_ends_with_2(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    code, printed, said = run("import", tmp_path / name)
    assert (code, printed) == (2, "") and message in said


@pytest.fixture
def smooth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a NumPy function; its importer is there, whatever is installed."""
    from exo_strat import plugins

    usual = plugins._found
    ours = EntryPoint("py", "importers.numpy:from_file", plugins.IMPORTERS)
    monkeypatch.setattr(plugins, "_found", lambda g: usual(g) | ({"py": ours} if g == plugins.IMPORTERS else {}))
    file = tmp_path / "smooth.py"
    file.write_text("def smooth(a, k):\n    a[1:-1] = k * (a[:-2] + a[2:])\n")
    return file


def test_a_numpy_function_is_imported_with_shapes(smooth: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.py"
    assert run("import", f"{smooth}:smooth", "--shape", "a=f32[n]", "--shape", "k=float", "-o", out) == (0, "", "")
    code, shown, _ = run("show", f"{out}:smooth")
    assert code == 0 and "def smooth(n: size, a: f32[n] @ DRAM, k: f64 @ DRAM):" in shown


def test_an_argument_without_a_type_is_reported(smooth: Path) -> None:
    code, printed, said = run("import", smooth, "--shape", "a=f32[n]")
    assert (code, printed) == (1, "") and f"{smooth}:1:15: the argument k: its type isn't known" in said


def test_an_option_of_another_language_is_refused(smooth: Path, axpy: Path) -> None:
    assert "--shape: the importer of axpy.c has no such option" in run("import", axpy, "--shape", "x=f32[n]")[2]
    assert "--nonnull: the importer of smooth.py has no such option" in run("import", smooth, "--nonnull", "a")[2]
