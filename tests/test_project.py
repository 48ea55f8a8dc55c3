"""The first minutes: exo-strat's wheel in an empty environment, a project made there, and the wheels that come of it
where nothing is but NumPy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CALL = (
    "import numpy as np, mykernels; x, y = np.arange(12, dtype=np.float32), np.empty(10, np.float32);"
    "mykernels.smooth(10, x, y); print(y.tolist() == list(range(1, 11)), mykernels.INSTRUCTION_SET)"
)


@pytest.mark.slow
def test_a_new_project_is_tested_timed_and_packed(tmp_path: Path) -> None:
    def run(*command: str | Path, at: Path = tmp_path) -> str:
        done = subprocess.run(command, cwd=at, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def environment(name: str, *packages: str | Path) -> Path:
        venv.create(tmp_path / name, with_pip=True)
        run(tmp_path / name / "bin/python", "-m", "pip", "install", "--quiet", *packages)
        return tmp_path / name / "bin"

    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
    clean = {k: v for k, v in os.environ.items() if k not in hidden} | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT)
    made_with = environment("made_with", *(tmp_path / "dist").glob("*.whl"))
    project = tmp_path / "mykernels"

    said = run(made_with / "exo-strat", "new", "mykernels")
    test, bench = re.findall(r"^  (make .*)$", said, re.MULTILINE)
    assert f"PYTHON={made_with / 'python'}" in test
    assert re.search(r"^\d+ passed", run("bash", "-c", test, at=project), re.MULTILINE)
    assert re.search(r"kernel +[\d.]+ us, [\d.]+ times as fast", run("bash", "-c", bench, at=project))
    run("make", "wheel", f"PYTHON={made_with / 'python'}", at=project)
    run(made_with / "exo-strat", "package", "kernels.py", "-o", "packed", "--name", "mykernels", at=project)

    (of_the_project,), (of_the_file,) = (project / "dist").glob("*.whl"), (project / "packed").glob("*.whl")
    assert of_the_project.name == of_the_file.name
    for k, wheel in enumerate((of_the_project, of_the_file)):
        python = environment(f"numpy_only_{k}", wheel) / "python"
        listed = run(python, "-m", "pip", "list", "--format=freeze")
        assert {line.partition("==")[0] for line in listed.split()} <= {"numpy", "mykernels", "pip", "setuptools"}
        right, _ = run(python, "-c", CALL).split()
        assert right == "True"
        assert run(python, "-m", "mykernels").startswith("-I")
