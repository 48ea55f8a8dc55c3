"""A folder of the user that hides one of our packages is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from exo_strat.shadow import HOME, shadows


def test_nothing_is_hidden_here() -> None:
    assert shadows() == ()


def test_a_package_that_comes_from_elsewhere_is_a_shadow(tmp_path: Path) -> None:
    (shadow,) = shadows(["backends"], home=tmp_path)
    assert (shadow.ours, shadow.theirs) == (tmp_path / "backends", HOME / "backends")
    assert "hides exo_strat's own package backends" in str(shadow)


@pytest.mark.parametrize("kind", ["package", "module"])
def test_the_start_of_the_command_line_says_so(kind: str, tmp_path: Path) -> None:
    theirs = tmp_path / ("backends" if kind == "package" else "backends.py")
    if kind == "package":
        theirs.mkdir()
        (theirs / "__init__.py").touch()
    else:
        theirs.touch()
    run = "from exo_strat.cli.commands import main; main()"
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(HOME)!r}]; {run}"
    run = subprocess.run([sys.executable, "-c", code, "targets"], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 2
    assert f"{theirs} hides exo_strat's own package backends" in run.stderr
    assert "Traceback" not in run.stderr
