"""The figure of a schedule: what it says, that it is well drawn, and that the ones in docs/ are up to date."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner, Result

from examples.halide import blur, convolution, harris, pyramid, unsharp
from exo_strat import Op, Proc, proc_from_source, schedule
from exo_strat.cli.commands import app
from strategies.halide.figure import figure

ROOT = Path(__file__).parent.parent.parent
SVG = "{http://www.w3.org/2000/svg}"
CASES: dict[str, tuple[Proc, Op | None]] = {
    "blur, naive": (blur.blur, None),
    "blur, Figure 11": (blur.blur, blur.figure_11()),
    "blur, rows": (blur.blur, blur.rows()),
    "blur, groups": (blur.blur, blur.groups()),
    "unsharp, rows": (unsharp.unsharp, unsharp.rows()),
    "unsharp, pixels": (unsharp.unsharp, unsharp.pixels()),
    "harris, rows": (harris.harris, harris.rows()),
    "pyramid, tiles": (pyramid.pyramid, pyramid.tiles()),
    "layer, channels": (convolution.layer, convolution.channels()),
}


@cache
def drawn(name: str) -> str:
    p, op = CASES[name]
    return figure(p if op is None else schedule(op, p))


def texts(svg: str) -> list[str]:
    return [t.text or "" for t in ET.fromstring(svg).iter(f"{SVG}text")]


# -- geometry -----------------------------------------------------------------------------------------


class Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Area) -> bool:
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom

    def meets(self, other: Area) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def boxes(svg: str) -> list[Area]:
    found = []
    for r in ET.fromstring(svg).iter(f"{SVG}rect"):
        x, y, width, height = (float(r.get(k, "0")) for k in ("x", "y", "width", "height"))
        found.append(Area(x, y, x + width, y + height))
    return found


def words(svg: str, advance: float | None) -> list[Area]:
    """Where texts are: from 10 above the baseline to 3 below, as long as they say, or as a font's letters make them."""
    found = []
    for t in ET.fromstring(svg).iter(f"{SVG}text"):
        x, y, length = (float(t.get(k, "0")) for k in ("x", "y", "textLength"))
        if advance is not None:
            length = advance * len(t.text or "")
        found.append(Area(x, y - 10, x + length, y + 3))
    return found


@pytest.mark.parametrize("advance", [None, 0.602 * 12, 0.65 * 12], ids=["its length", "DejaVu Sans Mono", "wide"])
@pytest.mark.parametrize("name", CASES)
def test_boxes_nest_and_texts_are_apart_and_inside(name: str, advance: float | None) -> None:
    """Also in a viewer that doesn't read `textLength`."""
    svg = drawn(name)
    around, inside = boxes(svg), words(svg, advance)
    for a, b in combinations(around, 2):
        assert not a.meets(b) or a.holds(b) or b.holds(a), (a, b)
    for a, b in combinations(inside, 2):
        assert not a.meets(b), (a, b)
    for t in inside:
        meeting = [b for b in around if b.meets(t)]
        assert meeting and all(b.holds(t) for b in meeting), t


# -- what it says -------------------------------------------------------------------------------------


def test_each_stage_is_in_the_loop_where_it_is_computed_with_its_windows() -> None:
    shown = texts(drawn("blur, Figure 11"))
    at = {words: shown.index(words) for words in ("for y in par(0, (H + 31) / 32)", "for x in seq(0, (W + 255) / 256)")}
    buffer = shown.index("blur_x: f32[34, 256] @ DRAM")
    assert sorted(at.values()) == list(at.values()) and max(at.values()) < buffer
    assert shown[buffer + 2 : buffer + 6] == [
        "blur_x",
        "stage",
        "computes blur_x[0:34, 0:256]",
        "needs inp[32 * y:32 * y + 34, 256 * x:256 * x + 258]",
    ]
    assert "needs blur_x[0:34, 0:256]" in shown
    assert (shown.count("parallel"), shown.count("vector"), shown.count("stage")) == (1, 2, 2)


def test_a_ring_is_shown_as_one() -> None:
    shown = texts(drawn("unsharp, rows"))
    assert "an iteration computes gray[(yi + 6) % 7, 0:W + 6]" in shown
    assert "an iteration needs gray[0:7, 0:W + 6]" in shown


def test_many_statements_in_a_row_are_one_box() -> None:
    assert "31 statements" in texts(drawn("harris, rows"))


def test_what_a_stage_accumulates_into_it_does_not_need() -> None:
    text = "def foo(n: size, x: f32[n], y: f32):\n    for i in seq(0, n):\n        y += x[i]"
    shown = texts(figure(proc_from_source(text)))
    assert [line for line in shown if line.startswith(("computes", "needs"))] == ["computes y", "needs x[0:n]"]


def test_calls_and_windows_are_named() -> None:
    scale = proc_from_source("def scale(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i]")
    text = "def foo(n: size, x: f32[n, n]):\n    for i in par(0, n):\n        w = x[i, 0:n]\n        scale(n, w)"
    shown = texts(figure(proc_from_source(text, {"scale": scale})))
    assert {"w = ..", "scale(..)", "parallel"} <= set(shown)


# -- the same text everywhere, and the files in docs/ -------------------------------------------------


@pytest.mark.parametrize(("module", "op"), [("blur", "figure_11()"), ("unsharp", "rows()")])
def test_docs_show_what_is_generated(module: str, op: str, tmp_path: Path) -> None:
    """In a process of its own, as docs/halide.md says: the text depends on nothing else."""
    out = tmp_path / "figure.svg"
    source = ROOT / "examples" / "halide" / f"{module}.py"
    command = ["figure", f"{source}:{module}", "--schedule", op, "-o", str(out)]
    subprocess.run([sys.executable, "-m", "exo_strat.cli", *command], check=True, cwd=ROOT, capture_output=True)
    assert out.read_text() == (ROOT / "docs" / f"{module}-schedule.svg").read_text()
    assert f"exo-strat figure examples/halide/{module}.py:{module}" in (ROOT / "docs" / "halide.md").read_text()


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["figure", *map(str, args)])


@pytest.mark.parametrize(
    ("reference", "options", "words"),
    [
        ("blur.py", [], "names no Proc"),
        ("blur.py:nothing", [], "nothing does not exist"),
        ("none.py:blur", [], "does not exist"),
        ("blur.py:blur", ["--schedule", "nothing()"], "gives no strategy"),
        ("blur.py:blur", ["--schedule", "H_parallel('blur_y', 'z')"], "blur_y has no loop z"),
    ],
)
def test_mistakes_are_explained(reference: str, options: list[str], words: str, tmp_path: Path) -> None:
    result = run(ROOT / "examples" / "halide" / reference, *options, "-o", tmp_path / "out.svg")
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    assert words in result.stderr
    assert not list(tmp_path.iterdir())
