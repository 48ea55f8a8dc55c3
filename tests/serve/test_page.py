"""The session in docs/serve.md, run; and what the page lists is what there is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from exo_strat.serve.faults import CODES
from exo_strat.serve.requests import METHODS

PAGE = (Path(__file__).parents[2] / "docs" / "serve.md").read_text()
BLOCKS = re.findall(r"^```jsonl session\n(.*?)^```$", PAGE, re.M | re.S)
LINES = [line for block in BLOCKS for line in block.splitlines()]
DOTS = ".."


def fits(told: Any, shown: Any) -> bool:
    """Whether an answer is what the page shows, where dots stand for anything."""
    if shown == DOTS:
        return True
    if isinstance(shown, dict) and isinstance(told, dict):
        left_out = shown.keys() == told.keys() or (DOTS in shown and shown.keys() - {DOTS} <= told.keys())
        return left_out and all(fits(told[k], v) for k, v in shown.items() if k != DOTS)
    if isinstance(shown, list) and isinstance(told, list):
        rest = shown[-1:] == [DOTS]
        shown = shown[: len(shown) - rest]
        return (len(told) == len(shown) or rest) and all(map(fits, told, shown)) and len(told) >= len(shown)
    return type(told) is type(shown) and bool(told == shown)


def test_dots_stand_for_what_is_left_out() -> None:
    assert fits({"a": 1, "b": 2}, {"a": 1, DOTS: DOTS}) and not fits({"a": 1, "b": 2}, {"a": 1})
    assert fits([1, 2], [1, DOTS]) and not fits([1, 2], [1]) and not fits([], [1, DOTS])
    assert not fits({"a": 1}, {"a": True}) and not fits({"a": 1}, {"b": DOTS, DOTS: DOTS})


def test_the_session_of_the_page(tmp_path: Path) -> None:
    requests = "".join(f"{line[2:]}\n" for line in LINES if line.startswith("> "))
    command = [sys.executable, "-m", "exo_strat.cli", "serve-json"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    ran = subprocess.run(command, input=requests, capture_output=True, text=True, env=env, cwd=tmp_path, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    shown = [json.loads(line[2:]) for line in LINES if line.startswith("< ")]
    assert len(answers) == len(shown) > 10
    for told, wanted in zip(answers, shown, strict=True):
        assert fits(told, wanted), f"{json.dumps(told)}\nis not\n{json.dumps(wanted)}"


def test_the_page_lists_the_methods_and_the_codes() -> None:
    heads = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    cells = set(re.findall(r"`(\w+)`", "".join(heads)))
    assert cells >= METHODS.keys() | CODES.keys()
    for code, meaning in CODES.items():
        assert f"| `{code}` | {meaning[0].upper()}{meaning[1:]}. |" in PAGE
