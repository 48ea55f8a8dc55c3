"""Heat maps: no text overlaps another or leaves the picture, no map has holes; those of docs/blas are up to date."""

from __future__ import annotations

import shutil
import sys
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from benchmarks import blas_maps
from benchmarks.heatmap import Cells, heatmap

BLAS = Path(__file__).parent.parent.parent / "docs" / "blas"
SVG = "{http://www.w3.org/2000/svg}"
DEJAVU = {"m": 0.97, "w": 0.82, "M": 0.86, "W": 0.99, "i": 0.28, "l": 0.28, "-": 0.36, ".": 0.32, " ": 0.32, "_": 0.5}
"""Advances of DejaVu Sans in parts of the size, the widest of the usual fonts; digits 0.64, other letters less, or in
capitals at most 0.79."""
LONG: Cells = {
    **{("sgemv_n", size): 1.0 for size in ("4", "1000", "40x4000")},
    **{("sgbmv_n", size): 0.5 for size in ("100x100x3", "30x30x20", "10007x10007x20")},
    ("dgemm_nn inc -3 and a long name", "1"): 2.0,
}


class Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, o: Area) -> bool:
        return self.left < o.right and o.left < self.right and self.top < o.bottom and o.top < self.bottom

    def holds(self, o: Area) -> bool:
        return self.left <= o.left and o.right <= self.right and self.top <= o.top and o.bottom <= self.bottom


def advance(text: str) -> float:
    return sum(DEJAVU.get(c, 0.79 if c.isupper() else 0.64) for c in text)


def texts(svg: str) -> list[tuple[str, Area]]:
    found = []
    for t in ET.fromstring(svg).iter(f"{SVG}text"):
        words, size = t.text or "", 13 if t.get("class") == "t" else 10
        x, y, length = float(t.get("x", "")), float(t.get("y", "")), size * advance(t.text or "")
        left = x - {"t": 0.0, "r": length}.get(t.get("class", ""), length / 2)
        found.append((words, Area(left, y - 0.8 * size, left + length, y + 0.25 * size)))
    return found


def boxes(svg: str) -> list[Area]:
    rects = ET.fromstring(svg).iter(f"{SVG}rect")
    sides = [tuple(float(r.get(k, "0")) for k in ("x", "y", "width", "height")) for r in rects]
    return [Area(x, y, x + width, y + height) for x, y, width, height in sides]


def check_drawn(svg: str) -> None:
    """No two texts meet, none leaves the picture, and each ratio is in one cell, each cell has one."""
    named = texts(svg)
    picture, *cells = boxes(svg)
    rows: dict[float, list[tuple[str, Area]]] = {}
    for words, area in named:
        assert picture.holds(area), words
        rows.setdefault(area.top, []).append((words, area))
    for here in rows.values():
        for (words, a), (other, b) in combinations(here, 2):
            assert not a.meets(b), (words, other)
    for upper, lower in zip(sorted(rows), sorted(rows)[1:], strict=False):
        assert rows[upper][0][1].bottom <= lower
    for cell in cells:
        assert sum(cell.holds(area) for _, area in named) == 1
        assert sum(cell.meets(area) for _, area in named) == 1


def heads(svg: str) -> list[str]:
    return [words for words, _ in texts(svg)]


def test_long_heads_and_names_are_apart() -> None:
    check_drawn(heatmap("times as fast as the best of several", LONG))


def test_a_narrow_map_has_room_for_its_title() -> None:
    check_drawn(heatmap("WWW" * 10, {("a", "1"): 1.0}))


def test_rows_with_other_columns_are_maps_of_their_own() -> None:
    shown = heads(heatmap("t", LONG))
    assert shown[1:6] == ["4", "1000", "40x4000", "sgemv_n", "1.00"]
    assert shown[8:13] == ["100x100x3", "30x30x20", "10007x10007x20", "sgbmv_n", "0.50"]
    assert shown[-3:] == ["1", "dgemm_nn inc -3 and a long name", "2.00"]


def test_rows_with_the_same_columns_share_a_map() -> None:
    cells = {(row, column): 1.0 for row in ("a", "b") for column in ("1", "2")}
    assert heads(heatmap("t", cells)) == ["t", "1", "2", "a", "1.00", "1.00", "b", "1.00", "1.00"]


def test_what_is_drawn_over_is_found_out() -> None:
    """The check of this file is one: heads of cells that are too narrow meet."""
    svg = heatmap("t", {("sgbmv_n", "10007x10007x20"): 1.0, ("sgbmv_n", "10007x10007x21"): 1.0})
    close = svg.replace(f'x="{texts_x(svg)[2]:g}"', f'x="{texts_x(svg)[1] + 44:g}"')
    with pytest.raises(AssertionError):
        check_drawn(close)


def texts_x(svg: str) -> list[float]:
    return [float(t.get("x", "")) for t in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("file", sorted(BLAS.glob("*.svg")), ids=lambda f: f.stem)
def test_maps_in_docs_are_well_drawn(file: Path) -> None:
    check_drawn(file.read_text())


def test_maps_in_docs_are_those_of_the_figures_in_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in BLAS.glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(sys, "argv", ["blas_maps", str(tmp_path)])
    blas_maps.main()
    drawn = {f.name: f.read_text() for f in tmp_path.glob("*.svg")}
    assert drawn == {f.name: f.read_text() for f in BLAS.glob("*.svg")}


def test_a_folder_without_figures_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["blas_maps", str(tmp_path)])
    with pytest.raises(SystemExit, match="has no CSV files"):
        blas_maps.main()


def test_a_case_that_is_no_more_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ('routine,size,bytes,"limit, ns","ours, avx2, ns","a, ns"', "snone,3,12,0.1,3.1,3.1", "")
    (tmp_path / "level1-avx2.csv").write_text("\n".join(lines))
    monkeypatch.setattr(sys, "argv", ["blas_maps", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"a case that is measured no more: \('snone', '3'\)"):
        blas_maps.main()
