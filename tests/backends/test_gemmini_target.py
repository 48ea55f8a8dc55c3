"""Gemmini as a target: listed, not runnable here, and built as C with the headers that it includes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backends import targets
from backends.gemmini import GEMMINI_MACHINE, INSTRUCTIONS
from exo_strat.cli.commands import app

KERNEL = """
from examples.gemmini.matmul import Product, scheduled

product = scheduled(Product(20, 16, 33))
"""


def build(folder: Path) -> list[str]:
    (folder / "kernel.py").write_text(KERNEL)
    where = f"{folder / 'kernel.py'}:product"
    done = CliRunner().invoke(app, ["build", where, "--target", "gemmini", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    return sorted(p.name for p in folder.iterdir())


def test_it_has_all_instructions_and_runs_nowhere_here() -> None:
    assert targets.gemmini is GEMMINI_MACHINE
    assert GEMMINI_MACHINE.get_instructions("i8") == tuple(INSTRUCTIONS.values())
    assert not targets.available(GEMMINI_MACHINE) and GEMMINI_MACHINE.vec_width("i8") == 1


def test_a_build_has_the_headers_that_the_code_includes(tmp_path: Path) -> None:
    assert build(tmp_path) == ["exo_gemmini.h", "exo_gemmini_model.h", "kernel.c", "kernel.h", "kernel.py"]


@pytest.mark.skipif(
    shutil.which("riscv64-linux-gnu-gcc") is None,
    reason="no RISC-V compiler; on Debian: apt install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
)
def test_the_build_compiles_for_risc_v_by_itself(tmp_path: Path) -> None:
    build(tmp_path)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["riscv64-linux-gnu-gcc", *flags, "-c", "kernel.c"], check=True, cwd=tmp_path)
