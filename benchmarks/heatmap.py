"""Tables of ratios as SVG: green where we are faster, red where we are slower. Imports nothing of the project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from math import ceil, log2
from typing import Final, TypeAlias

Cells: TypeAlias = Mapping[tuple[str, str], float]
"""By row and column, ratios."""

SIZE: Final = 10
TITLE_SIZE: Final = 13
CELL_WIDTH, CELL_HEIGHT, EDGE, TOP, HEAD, GAP = 44, 15, 8, 26, 18, 10
STYLE: Final = (
    f"text{{font:{SIZE}px sans-serif;text-anchor:middle}}"
    f".t{{font-size:{TITLE_SIZE}px;text-anchor:start}}.r{{text-anchor:end}}"
)


def colour(ratio: float) -> str:
    """White at 1, full at 2 or a half.

    >>> colour(1.0), colour(2.0), colour(0.25)
    ('#ffffff', '#4daf62', '#e0594b')
    """
    full = (0x4D, 0xAF, 0x62) if ratio >= 1 else (0xE0, 0x59, 0x4B)
    share = min(1.0, abs(log2(ratio)))
    return "#" + "".join(f"{round(255 + (c - 255) * share):02x}" for c in full)


def width_of(text: str, size: int = SIZE) -> int:
    """At least the room that a text takes, in pixels, in any sans-serif font that is usual.

    >>> width_of("1000x1000x40")
    80
    """
    return ceil(size * sum(1.0 if c in "mwMW%@" else 0.8 if c.isupper() else 0.66 for c in text))


@dataclass(frozen=True)
class _Map:
    """Rows that have the same columns."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of the columns, with the gap after each: a head fits above its cells."""
        return tuple(max(CELL_WIDTH, width_of(c) + GAP) for c in self.columns)

    @property
    def height(self) -> int:
        return HEAD + CELL_HEIGHT * len(self.rows) + GAP


def _maps(cells: Cells) -> tuple[_Map, ...]:
    """One for each kind of row: routines that are measured at the same sizes."""
    columns = list(dict.fromkeys(column for _, column in cells))
    kinds: dict[tuple[str, ...], list[str]] = {}
    for row in dict.fromkeys(row for row, _ in cells):
        kinds.setdefault(tuple(c for c in columns if (row, c) in cells), []).append(row)
    return tuple(_Map(tuple(rows), of) for of, rows in kinds.items())


def heatmap(title: str, cells: Cells) -> str:
    """An SVG document: a row for each first name, a column for each second, in the order in which they come. Rows that
    have other columns make a map of their own, below.

    >>> svg = heatmap("times as fast", {("saxpy", "100"): 1.25})
    >>> "1.25" in svg and "saxpy" in svg
    True
    """
    maps = _maps(cells)
    labels = EDGE + max((width_of(row) for row, _ in cells), default=0) + 6
    widths = [width_of(title, TITLE_SIZE) + EDGE, *(labels + sum(m.widths) for m in maps)]
    width, height = max(widths) + EDGE, TOP + sum(m.height for m in maps)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text class="t" x="{EDGE}" y="16">{escape(title)}</text>',
    ]
    top = TOP
    for m in maps:
        lines += _drawn(m, cells, labels, top)
        top += m.height
    return "\n".join((*lines, "</svg>", ""))


def _drawn(m: _Map, cells: Cells, left: int, top: int) -> Iterator[str]:
    lefts = [*accumulate(m.widths, initial=left)]
    for column, x, width in zip(m.columns, lefts, m.widths, strict=False):
        yield f'<text x="{x + width / 2:g}" y="{top + HEAD - 6}">{escape(column)}</text>'
    for i, row in enumerate(m.rows):
        y = top + HEAD + CELL_HEIGHT * i
        yield f'<text class="r" x="{left - 6}" y="{y + 11}">{escape(row)}</text>'
        for column, x, width in zip(m.columns, lefts, m.widths, strict=False):
            yield _cell(x, y, width, cells[row, column])


def _cell(x: int, y: int, width: int, ratio: float) -> str:
    box = f'<rect x="{x}" y="{y}" width="{width - 1}" height="{CELL_HEIGHT - 1}" fill="{colour(ratio)}"/>'
    return f'{box}<text x="{x + width / 2:g}" y="{y + 11}">{ratio:.2f}</text>'
