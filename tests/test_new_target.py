"""docs/new-target.md is its example file, piece by piece; the example is right at each step, and its model is strict.

The programs between the pieces are run by `test_readme.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from examples import toy_accelerator as toy
from exo_strat import Proc, proc_from_source, schedule, seq
from exo_strat.interp import run

ROOT = Path(__file__).parent.parent
PIECE = re.compile(r"^```py\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled into the user's cache."""
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path))


def lines(text: str) -> list[str]:
    """The lines with something in them."""
    return [line for line in text.splitlines() if line]


def test_the_pieces_on_the_page_are_the_file() -> None:
    pieces = PIECE.findall((ROOT / "docs/new-target.md").read_text())
    assert len(pieces) == 7
    assert lines("".join(pieces)) == lines((ROOT / "examples/toy_accelerator.py").read_text())


@pytest.mark.parametrize("count", range(1, len(toy.STEPS) + 1))
def test_every_step_computes_the_same(count: int) -> None:
    rng = Random(count)
    a, b, c = ([[rng.randrange(-9, 10) for _ in range(cols)] for _ in range(rows)] for rows, cols in SHAPES)
    given = {"M": 8, "N": 16, "K": 16, "A": a, "B": b, "C": c}
    wanted, found = run(toy.products, given), run(schedule(seq(*toy.STEPS[:count]), toy.products), given)
    assert wanted.trap is None and found.trap is None
    assert found.outputs == wanted.outputs


SHAPES = ((8, 16), (16, 16), (8, 16))

# -- the model ----------------------------------------------------------------------------------------

LOOSE = """
@instr("toy_set_pitch({pitch});", MODEL)
def set_pitch(pitch: index):
    Toy.pitch = pitch
@instr("toy_load({dst}, {src}, {n});", MODEL)
def load(n: size, dst: [f32][n, 8] @ PAD, src: [f32][n, 8] @ DRAM):
    for i in seq(0, n):
        for j in seq(0, 8):
            dst[i, j] = src[i, j]
@instr("toy_dots({c}, {c_stride_0}, {a}, {n}, {b}, {m});", MODEL)
def dots(n: size, m: size, c: [f32][n, m] @ DRAM, a: [f32][n, 8] @ PAD, b: [f32][m, 8] @ PAD):
    for i in seq(0, n):
        for j in seq(0, m):
            for k in seq(0, 8):
                c[i, j] += a[i, k] * b[j, k]
"""
"""The instructions without what they assert, so that the model is all that is left."""


def loose(body: str) -> Proc:
    """A procedure on a tile `t` of the scratchpad, x and y in DRAM, that may break all rules."""
    env: dict[str, object] = {"PAD": toy.PAD, "Toy": toy.Toy}
    for text in re.split(r"(?m)^(?=@instr)", LOOSE)[1:]:
        p = proc_from_source(text.replace("MODEL", repr(toy.MODEL)), env)
        env[p.name()] = p
    text = "".join(f"    {line}\n" for line in body.split("; "))
    return proc_from_source(f"def foo(x: f32[16, 8], y: f32[16, 16]):\n    t: f32[64, 8] @ PAD\n{text}", env)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("load(8, t[0:8, 0:8], x[0:8, 0:8])", "load: the pitch was never set"),
        ("set_pitch(7); load(8, t[0:8, 0:8], x[0:8, 0:8])", "rows overlap: the pitch is less than 8"),
        ("set_pitch(8); load(9, t[0:9, 0:8], x[0:9, 0:8])", "a tile has 1 to 8 rows"),
        ("dots(8, 8, y[0:8, 0:8], t[0:8, 0:8], t[0:8, 0:8])", "a row is used that was never loaded"),
        (
            "set_pitch(8); load(8, t[0:8, 0:8], x[0:8, 0:8]); dots(8, 1, y[0:8, 0:1], t[0:8, 0:8], t[8:9, 0:8])",
            "a row is used that was never loaded",
        ),
    ],
)
def test_the_model_refuses_what_the_hardware_does_not_do(body: str, fault: str) -> None:
    x, y = np.ones((16, 8), np.float32), np.zeros((16, 16), np.float32)
    with pytest.raises(toy.ToyFault, match=f"^{fault}$"):
        toy.simulate(loose(body), x, y)
    assert not y.any()


def test_the_model_does_what_the_instructions_say() -> None:
    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    y = np.zeros((16, 16), np.float32)
    body = "set_pitch(8); load(3, t[61:64, 0:8], x[5:8, 0:8]); dots(3, 2, y[1:4, 7:9], t[61:64, 0:8], t[61:63, 0:8])"
    wanted = y.copy()
    wanted[1:4, 7:9] += x[5:8] @ x[5:7].T
    assert toy.simulate(loose(body), x, y) == (1, 1)
    assert np.array_equal(y, wanted)
