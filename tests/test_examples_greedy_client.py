"""The example client: short, and its search ends with a strategy that makes what it found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from exo_strat import proc_from_source, schedule
from exo_strat.cli.files import read

ROOT = Path(__file__).parent.parent
CLIENT = ROOT / "examples" / "greedy_client.py"


def test_the_client_has_no_more_than_a_hundred_lines_and_knows_only_the_protocol() -> None:
    text = CLIENT.read_text()
    assert len(text.splitlines()) <= 100
    assert not re.search(r"^\s*(from|import) exo_strat", text, re.M)


def test_a_search_prints_what_it_measured_and_the_strategy(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.greedy_client", "--steps", "1", "--tries", "2", "--size", "64"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT, check=True)
    times, _, strategy = ran.stdout.partition("\n\n")
    rows = [line.split() for line in times.splitlines()]
    assert rows[0][1:3] == ["ms", "the"] and all(float(row[0]) > 0 for row in rows)
    file = tmp_path / "saved.py"
    file.write_text(strategy)
    from examples.greedy_client import PRODUCT

    p = proc_from_source(PRODUCT)
    assert (schedule(read(file).op("found"), p) != p) == (len(rows) > 1)
