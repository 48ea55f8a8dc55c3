"""How records, and what a search found, show in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from exo_strat import at, divide_loop, hole, proc_from_source
from exo_strat.tuning import Modelled, Tried, exhaustive, tune
from exo_strat.tuning.html import ROWS
from exo_strat.tuning.records import Records, append, read, recorded, setting

P = proc_from_source("""
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]
""")
OP = at("for i in _: _", divide_loop(hole("width", (4, 8, 16)), ("io", "ii"), tail=hole("tail", ("cut", "perfect"))))


def measured(*seconds: float) -> Records:
    tried = [Tried({}, {"width": n}, "measured", t, 0.0) for n, t in enumerate(seconds)]
    return recorded(OP, P, tried, setting(compiler="<cc>"), {"n": 100}, "2026-11-24")


def test_records_show_as_a_table_with_what_is_common_above() -> None:
    text = measured(1e-6, 2e-6)._repr_html_()
    assert text.count("<table") == 2
    assert text.count("scale") == 1 and text.count("n = 100") == 1
    assert "width = 0" in text and "width = 1" in text and "1 us" in text and "2 us" in text
    assert "&lt;cc&gt;" in text and "<cc>" not in text


def test_one_record_shows_as_well() -> None:
    (record,) = measured(1e-6)
    assert "width = 0" in record._repr_html_()


def test_records_of_a_file_show_too(tmp_path: Path) -> None:
    assert "no records" in read(tmp_path / "none")._repr_html_()
    append(measured(1e-6), tmp_path / "some")
    found = read(tmp_path / "some")
    assert found == measured(1e-6) and "1 us" in found._repr_html_()


def test_many_records_are_counted() -> None:
    text = measured(*(1e-6 * n for n in range(1, 5_001)))._repr_html_()
    assert f"{5_000 - ROWS} more records are left out" in text
    assert len(text) < 50_000


@pytest.mark.parametrize("n", [1, 6])
def test_a_search_shows_all_that_was_tried(n: int) -> None:
    def lines(p: object) -> float:
        return float(len(str(p).splitlines()))

    found = tune(OP, P, Modelled(lines, "lines"), search=exhaustive(), jobs=1, trials=n)
    text = found._repr_html_()
    assert text.count("<tr>") == 1 + n
    assert "6 lines" in text
    assert ("divides the loop&#x27;s number of iterations" in text) == (n == 6)
