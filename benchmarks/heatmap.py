"""Tables of ratios as SVG: green where we are faster, red where we are slower. Imports nothing of the project."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import log2

CELL_WIDTH, CELL_HEIGHT, LABELS, TOP = 44, 15, 120, 44
STYLE = (
    "text{font:10px sans-serif;text-anchor:middle}.t{font-size:13px;text-anchor:start}.r{text-anchor:end}"
    f"rect{{width:{CELL_WIDTH - 1}px;height:{CELL_HEIGHT - 1}px}}"
)


def colour(ratio: float) -> str:
    """White at 1, full at 2 or a half.

    >>> colour(1.0), colour(2.0), colour(0.25)
    ('#ffffff', '#4daf62', '#e0594b')
    """
    full = (0x4D, 0xAF, 0x62) if ratio >= 1 else (0xE0, 0x59, 0x4B)
    share = min(1.0, abs(log2(ratio)))
    return "#" + "".join(f"{round(255 + (c - 255) * share):02x}" for c in full)


def heatmap(title: str, cells: Mapping[tuple[str, str], float]) -> str:
    """An SVG document: a row for each first name, a column for each second, in the order in which they come.

    >>> svg = heatmap("times as fast", {("saxpy", "100"): 1.25})
    >>> "1.25" in svg and "saxpy" in svg
    True
    """
    rows, columns = (list(dict.fromkeys(key[k] for key in cells)) for k in (0, 1))
    width, height = LABELS + CELL_WIDTH * len(columns) + 8, TOP + CELL_HEIGHT * len(rows) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
        f"<style>{STYLE}</style>",
        f'<rect style="width:{width}px;height:{height}px" fill="white"/>',
        f'<text class="t" x="8" y="16">{escape(title)}</text>',
    ]
    for j, column in enumerate(columns):
        lines.append(f'<text x="{LABELS + CELL_WIDTH * (j + 0.5):g}" y="{TOP - 6}">{escape(column)}</text>')
    for i, row in enumerate(rows):
        y = TOP + CELL_HEIGHT * i
        lines.append(f'<text class="r" x="{LABELS - 6}" y="{y + 11}">{escape(row)}</text>')
        lines += [_cell(LABELS + CELL_WIDTH * j, y, cells[row, c]) for j, c in enumerate(columns) if (row, c) in cells]
    return "\n".join((*lines, "</svg>", ""))


def _cell(x: int, y: int, ratio: float) -> str:
    box = f'<rect x="{x}" y="{y}" fill="{colour(ratio)}"/>'
    return f'{box}<text x="{x + CELL_WIDTH // 2}" y="{y + 11}">{ratio:.2f}</text>'
