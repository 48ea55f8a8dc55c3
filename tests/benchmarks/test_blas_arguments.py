"""What the command that measures the BLAS is asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.blas import arguments_given


def test_a_part_is_not_put_where_all_figures_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["blas", "--isa", "avx2", "--only", "saxpy", "--out", str(tmp_path)])
    assert arguments_given().only == ["saxpy"]
    (tmp_path / "level3-avx2.csv").write_text("figures\n")
    with pytest.raises(SystemExit):
        arguments_given()
    assert f"--only would leave a part of the figures in {tmp_path}" in capsys.readouterr().err
