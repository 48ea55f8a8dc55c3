"""`python -m examples.exo_blas`: a row for each kernel of the catalogue, and clear messages."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from backends.targets import plain_c
from backends.toolchain import NoCompilerError
from examples.exo_blas import __main__ as command
from examples.exo_blas.builder.library import BuildError
from examples.exo_blas.builder.listing import Effort, efforts
from examples.exo_blas.builder.units import units
from examples.exo_blas.conformance import flexiblas
from exo_strat import Machine


def catalogue(machine: Machine) -> Iterator[Effort]:
    yield Effort("saxpy", "axpy", "plan", 2, 70, 0.25)
    yield Effort("sdot", "dot", "plan", 2, 90, 0.5)


def test_kernels_are_listed_with_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "efforts", catalogue)
    shown = CliRunner().invoke(command.app, ["list", "--target", "avx2"])
    assert shown.exit_code == 0
    for word in ("BLAS for avx2", "saxpy", "sdot", "2 kernels", "160", "0.8"):
        assert word in shown.stdout


def test_each_row_is_printed_before_the_next_kernel_is_scheduled() -> None:
    seen: list[str] = []
    out = StringIO()

    def slowly() -> Iterator[Effort]:
        for k in catalogue(plain_c):
            seen.append(out.getvalue())
            yield k

    command.list_kernels(plain_c, slowly(), Console(file=out))
    assert "minutes" in seen[0] and "saxpy" not in seen[0]
    assert "saxpy" in seen[1] and "sdot" not in seen[1]


def test_a_target_or_a_library_that_is_not_there_is_told(tmp_path: Path) -> None:
    shown = CliRunner().invoke(command.app, ["list", "--target", "avx3"])
    assert shown.exit_code == 2
    assert "there is no target avx3, only c" in shown.output
    for program in ("netlib", "callers", "flexiblas"):
        shown = CliRunner().invoke(command.app, [program, str(tmp_path / "none.so")])
        assert shown.exit_code == 2
        assert "there is no such library; `make blas` builds" in shown.output


FLEXIBLAS = """
#include <stdio.h>
void dasum_(const void *n, const void *x, const void *inc) {
    fputs("--> BLAS uses LP64. (4-byte integers)\\n", stderr);
    fputs("Load cblas_zaxpby from internal fallback BLAS.\\nLoad dgemmtr from internal fallback BLAS.\\n", stderr);
    if (MISSING) fputs("Load cblas_dgemm from internal fallback BLAS.\\n", stderr);
}
"""
"""What FlexiBLAS says, as it begins."""


@pytest.mark.parametrize("missing", [0, 1])
def test_what_flexiblas_takes_from_elsewhere_is_told(
    missing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "libexo_blas.so"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin/flexiblas").touch(0o755)
    source, made = tmp_path / "wrapper.c", tmp_path / "lib/libflexiblas.so.3"
    source.write_text(FLEXIBLAS)
    subprocess.run(["cc", "-shared", "-fPIC", f"-DMISSING={missing}", source, "-o", made], check=True)
    assert flexiblas.found({32: library}) == []
    library.touch()
    (to,) = flexiblas.found({32: library})
    assert to == (made, 32, "FLEXIBLAS", library)
    assert flexiblas.not_handed_on(to) == missing * "not from the library: cblas_dgemm"
    assert "ended with 0" in flexiblas.not_handed_on(to._replace(integers=64))


def test_without_flexiblas_it_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "libexo_blas.so").touch()
    shown = CliRunner().invoke(command.app, ["flexiblas", str(tmp_path / "libexo_blas.so")])
    assert shown.exit_code == 77 and "skipped: FlexiBLAS is not there" in shown.output


@pytest.mark.parametrize("error", [BuildError("no kernel"), NoCompilerError("no compiler"), OSError("no folder")])
def test_what_keeps_the_library_from_being_built_is_told(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(directory: Path, integers: int = 32) -> Path:
        raise error

    monkeypatch.setattr(command, "build", fails)
    shown = CliRunner().invoke(command.app, ["build", "out"])
    assert shown.exit_code == 1
    assert shown.output == f"exo_blas: out: {error}\n"


def test_it_says_what_can_be_asked() -> None:
    shown = CliRunner().invoke(command.app, [])
    assert shown.exit_code == 2
    for name in ("build", "list", "netlib", "callers"):
        assert name in shown.output


def test_a_kernel_is_scheduled_once_and_then_known() -> None:
    copies = [u for u in units() if u.name == "scopy" and u.letter == "s"]
    first = list(efforts(plain_c, copies))
    assert [e.kernel for e in first] == list(copies[0].kernels())
    assert all(e.lines > 0 for e in first)
    assert list(efforts(plain_c, copies)) == first
