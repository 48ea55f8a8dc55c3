"""The set-up: what pyproject.toml promises exists, the files a user meets first do, the wheel works alone."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import threading
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest

from exo_strat.ir.room import FRAMES, STACK, with_room

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = ("exo_strat", "strategies", "backends", "importers")
ENTRY_POINTS = [
    *(("scripts", name, target) for name, target in PROJECT["scripts"].items()),
    *((group, name, target) for group, found in PROJECT["entry-points"].items() for name, target in found.items()),
]


@pytest.mark.parametrize(("group", "name", "target"), ENTRY_POINTS, ids=lambda v: str(v))
def test_every_entry_point_exists(group: str, name: str, target: str) -> None:
    module, _, attribute = target.partition(":")
    assert hasattr(importlib.import_module(module), attribute)
    assert module.partition(".")[0] in PACKAGES, "the wheel has nothing else"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_packages_are_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_what_ci_runs_can_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)
    targets = " ".join(re.findall(r"'make ([a-z -]+)'", script.read_text())).split()
    assert targets == ["test", "lint", "docs", "blas-all", "wheel-test"]
    for target in targets:
        subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)


def test_only_threads_with_room_raise_the_recursion_limit() -> None:
    """On a thread with a stack to match, and no longer than it runs."""
    sources = [p for package in PACKAGES for p in (ROOT / package).rglob("*.py")]
    raising = [p.relative_to(ROOT).as_posix() for p in sources if "setrecursionlimit" in p.read_text()]
    assert raising == ["exo_strat/ir/room.py"]
    usual = sys.getrecursionlimit()

    @with_room
    def depth(n: int) -> tuple[int, int, int]:
        return depth.__wrapped__(n - 1) if n else (sys.getrecursionlimit(), threading.get_ident(), STACK)  # type: ignore[attr-defined]

    limit, thread, stack = depth(5 * usual)
    assert limit == FRAMES and stack >= 1024 * FRAMES and thread != threading.get_ident()
    assert sys.getrecursionlimit() == usual


@pytest.mark.slow
def test_the_wheel_alone_runs_the_demos(tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    clean["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / "bin"
    run(binaries / "python", "-m", "pip", "install", "--quiet", f"{wheel}[image]")
    assert PROJECT["version"] in run(binaries / "exo-strat", "--version")
    for demo in ("axpy", "gemv", "sgemm"):
        report = run(binaries / "exo-strat", "demo", demo, "--out", tmp_path / demo)
        assert "GFLOP/s" in report
        assert (tmp_path / demo / f"{demo}.c").is_file()
    run(binaries / "exo-strat", "demo", "blur", "--out", tmp_path / "blur.png")
    assert (tmp_path / "blur.png").is_file()
