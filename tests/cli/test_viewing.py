"""`exo-strat view`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from backends.targets import avx2
from exo_strat import schedule
from exo_strat.cli.commands import app
from exo_strat.cli.demo import rewrites
from exo_strat.cli.viewing import write_film
from strategies.axpy import axpy
from strategies.programs import saxpy

FILE = """
from __future__ import annotations
from exo_strat import *

@proc
def shift(n: size, x: f32[n + 1], y: f32[n]):
    for i in seq(0, n):
        y[i] = 2.0 * x[i]
        x[i + 1] = x[i]

split = at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut"))
wrong = split >> at("for io in _: _", parallelize_loop())
made = schedule(split, shift)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shift.py"
    path.write_text(FILE)
    return path


def view(*args: object) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["view", *map(str, args)])
    return found.exit_code, found.output


def data_of(page: Path) -> Any:
    [data] = re.findall(r'id="data">(.*?)</script>', page.read_text(), re.S)
    return json.loads(data)


def test_a_strategy_on_a_procedure_is_written(file: Path) -> None:
    out = file.with_suffix(".html")
    code, said = view(f"{file}:split", f"{file}:shift", "-o", out)
    assert code == 0 and str(out) in said.replace("\n", "")
    assert "divide_loop(4" in out.read_text()
    shown = data_of(out)["code"]
    assert any("2.0f" in line for line in shown["c"])
    assert any("mul" in line or "add" in line for line in shown["assembly"]) or shown["note"]


def test_the_film_of_a_demo_has_its_strategy_and_all_rewrites(tmp_path: Path) -> None:
    write_film(saxpy, avx2, axpy(avx2), tmp_path / "axpy.html")
    shown = data_of(tmp_path / "axpy.html")
    [film] = shown["films"]
    assert "optimize_level_1" in " ".join(shown["words"][op] for _, op, *_ in film["steps"])
    assert len(film["frames"]) == 1 + rewrites(schedule(axpy(avx2), saxpy))


def test_a_procedure_alone_is_shown_with_its_history(file: Path) -> None:
    out = file.with_suffix(".html")
    assert view(f"{file}:made", "-o", out)[0] == 0
    assert "divide_loop(4" in out.read_text()


def test_a_refused_strategy_is_shown_as_far_as_it_came(file: Path) -> None:
    out = file.with_suffix(".html")
    code, said = view(f"{file}:wrong", f"{file}:shift", "-o", out)
    assert code == 1 and "refused" in said
    assert "not true" in out.read_text()


def test_sizes_that_fit_no_memory_cost_only_the_roofline(file: Path) -> None:
    out = file.with_suffix(".html")
    assert view(f"{file}:split", f"{file}:shift", "-o", out, "--sizes", f"n={10**15}")[0] == 0
    assert "GB are free" in out.read_text()


def test_with_sizes_there_is_a_roofline(file: Path) -> None:
    out = file.with_suffix(".html")
    assert view(f"{file}:split", f"{file}:shift", "-o", out, "--sizes", "n=1000")[0] == 0
    text = out.read_text()
    assert "Footprints" in text and "n = 1000" in text and ("GFLOP/s" in text)


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (["--sizes", "m=3"], "m"),
        (["--sizes", "n"], "no size"),
        (["--target", "vax"], "vax"),
    ],
)
def test_wrong_options_are_told_and_nothing_is_written(file: Path, args: list[str], what: str) -> None:
    out = file.with_suffix(".html")
    code, said = view(f"{file}:split", f"{file}:shift", "-o", out, *args)
    assert code == 2 and what in said and not out.exists()


def test_a_folder_that_is_not_there_is_told(file: Path) -> None:
    code, said = view(f"{file}:made", "-o", file.parent / "none" / "film.html")
    assert code == 2 and "none" in said
