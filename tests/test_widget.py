"""The widget that steps through a derivation: what it hands over to the page, and what it is without anywidget."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import exo_strat.widget
from exo_strat import Op, Trace, at, divide_loop, fail, proc_from_source, rename, reorder_loops, seq, trace
from exo_strat.ir.hunks import applied
from exo_strat.widget import LACKING, film, stepper

P = proc_from_source("""
def zero(n: size, x: f32[n, 16]):
    for i in seq(0, n):
        for j in seq(0, 16):
            x[i, j] = 0.0
""")
TILE = seq(at("for j in _: _", divide_loop(4, ("jo", "ji"), tail="perfect")), at("for i in _: _", reorder_loops()))


def traced(op: Op) -> Trace:
    return trace(op, P)[1]


def replayed(data: dict[str, Any]) -> list[list[str]]:
    """All versions, as the page makes them of what it gets."""
    versions = [data["first"]]
    for step in data["steps"]:
        lines, at, after = versions[-1], 0, list[str]()
        for start, removed, added in step["hunks"]:
            after += [*lines[at:start], *added]
            at = start + removed
        versions.append([*after, *lines[at:]])
    return versions


def test_a_film_has_every_version() -> None:
    t = traced(TILE)
    versions = [P, *t.rewrites()]
    assert replayed(film(t).data()) == [str(p).splitlines() for p in versions]
    assert [step.op for step in film(t).steps] == [str(p.rewritten.op) for p in versions[1:] if p.rewritten]
    assert film(t).steps[0].place == "for j in seq(0, 16):"


def test_a_film_of_what_was_refused_goes_to_the_refusal() -> None:
    assert len(film(traced(TILE >> fail("no"))).steps) == 2


def test_the_data_is_plain_json() -> None:
    data = film(traced(TILE)).data()
    assert json.loads(json.dumps(data)) == data


def test_a_film_that_is_too_long_ends_early_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exo_strat.widget, "LARGEST", 500)
    cut = film(traced(seq(*(rename(f"p{n}") for n in range(100)))))
    assert 0 < len(cut.steps) < 100 and cut.data()["leftOut"] == 100 - len(cut.steps)
    lines = list(cut.first)
    for step in cut.steps:
        lines = applied(lines, step.hunks)
    assert lines[0].startswith(f"def p{len(cut.steps) - 1}(")


def test_a_film_of_thousands_of_rewrites_is_small() -> None:
    whole = film(traced(seq(*(rename(f"p{n}") for n in range(1_900)))))
    assert whole.left_out == 0 and len(json.dumps(whole.data())) < 500_000


def test_the_widget_has_the_film_and_a_step_that_can_be_set() -> None:
    pytest.importorskip("anywidget")
    shown = stepper(traced(TILE))
    assert shown.film == film(traced(TILE)).data() and shown.step == 0
    shown.step = 2
    assert shown.get_state()["step"] == 2
    with pytest.raises(Exception, match="not be greater than 2"):
        shown.step = 3


def test_without_anywidget_it_says_how_to_get_it_and_shows_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exo_strat.widget, "find_spec", lambda name: None)
    still = stepper(traced(TILE))
    assert repr(still) == LACKING and "pip install" in LACKING
    assert "pip install" in still._repr_html_() and "reorder_loops()" in still._repr_html_()


def test_only_traces_have_steps() -> None:
    with pytest.raises(TypeError, match=r"takes what trace\(op, p\)\[1\] is, not"):
        stepper(P)  # type: ignore[arg-type]


SCRIPT = files("exo_strat").joinpath("stepper.js").read_text()


def test_the_page_loads_nothing_and_takes_no_text_for_markup() -> None:
    for word in ("http", "import ", "innerHTML", "eval(", "fetch("):
        assert word not in SCRIPT


def test_the_page_makes_the_same_versions(tmp_path: Path) -> None:
    """Where there is a JavaScript interpreter."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    data = film(traced(TILE)).data()
    program = f"""
import {{ applied, marked }} from "./stepper.mjs";
const film = {json.dumps(data)};
let lines = film.first;
const versions = [lines];
for (const step of film.steps) {{
  const rows = marked(lines, step.hunks);
  lines = applied(lines, step.hunks);
  const after = rows.filter(([sign]) => sign !== "-").map(([, text]) => text);
  if (JSON.stringify(after) !== JSON.stringify(lines)) throw new Error("marked lines differ");
  versions.push(lines);
}}
console.log(JSON.stringify(versions));
"""
    (tmp_path / "stepper.mjs").write_text(SCRIPT)
    (tmp_path / "main.mjs").write_text(program)
    done = subprocess.run([node, tmp_path / "main.mjs"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == replayed(data)
