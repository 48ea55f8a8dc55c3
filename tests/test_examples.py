"""The examples run from any folder, and print what each is there to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SHOWN = {
    "matmul.py": ["stage_mem('C[4*io : 4*io+4, 16*jo : 16*jo+16]', 'c')", "same as NumPy"],
    "refusals.py": ["one writes x[i + 1], the other reads x[i]", "for i in par(0, n):", "must be a positive integer"],
    "own_instruction.py": ["copy64(y[64 * r:64 * r + 64], x[r, 0:64])", "memcpy(&y[64 * r], &x[r * 64], 64 * sizeof"],
    "toy_accelerator.py": ["set_pitch(K)", "same as NumPy: True - 36 loads, 30 products"],
    "sparse_product.py": ["for io in par(0, (n + 63) / 64):", "same as the dense product: True", "col[7] = 800"],
    "own_primitive.py": [],  # see test_new_primitive
    "own_strategy.py": ["tile_and_unroll(4)", "held on"],
    "property_test_your_strategy.py": [
        "expected seq ii 4, but there is seq k 8", "depths=[3, 2]", "block_here keeps its promise", "step=2",
        "with n = 1, x = (3,)\nx should be (6,), is (3,)",
    ],
}
ELSEWHERE = {"greedy_client.py"}
"""See test_examples_greedy_client."""


def test_every_example_is_tested() -> None:
    assert {p.name for p in EXAMPLES.glob("[!_]*.py")} == {*SHOWN, *ELSEWHERE}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs_and_shows_what_it_is_for(name: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for text in SHOWN[name]:
        assert text in done.stdout
