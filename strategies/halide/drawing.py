"""Nested boxes with text, as SVG.

Each text has its length written down (`textLength`), so it takes the same room in any viewer's monospaced font. Boxes
have room for more, for viewers that don't read that, or have a wider font.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

SIZE: Final = 12.0
CHAR: Final = 7.2  # of the usual monospaced fonts, the advance in parts of SIZE is 0.6
ROOM: Final = 8.4  # what a box has for each: 0.7
LINE: Final = 17.0
BASE: Final = 12.5  # of a line's height, what is above the baseline
PAD: Final = 9.0
GAP: Final = 6.0
BADGE: Final = 5.0  # around a badge's text, left and right

INK, FAINT, PAPER = "#1b1b1b", "#565656", "#ffffff"


@dataclass(frozen=True)
class Look:
    """How a box is drawn: its fill, its border, and whether the border is dashed."""

    fill: str = PAPER
    border: str = "#8a8a8a"
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True)
class Box:
    """A title, lines below it, a word in the corner, and boxes inside from top to bottom."""

    title: str
    look: Look = Look()
    badge: str = ""
    lines: tuple[str, ...] = ()
    inside: tuple[Box, ...] = ()

    @property
    def width(self) -> float:
        """The least width: boxes inside are as wide as the widest of them."""
        badge = len(self.badge) * ROOM + 2 * BADGE + 2 * PAD if self.badge else 0.0
        texts = [len(self.title) * ROOM + badge, *(len(line) * ROOM for line in self.lines)]
        return max((*texts, *(b.width for b in self.inside))) + 2 * PAD

    @property
    def height(self) -> float:
        """The height: of the texts, and of the boxes inside with gaps before them."""
        return self.head + sum(GAP + b.height for b in self.inside) + (PAD if self.inside else 0.0)

    @property
    def head(self) -> float:
        """The height of the texts."""
        return (1 + len(self.lines)) * LINE + GAP


def draw(box: Box, title: str, description: str) -> str:
    """A box as an SVG document, which says its title and description to those who can't see it.

    >>> print(draw(Box("for x in seq(0, W)"), "a loop", "one box")[:38])
    <?xml version='1.0' encoding='utf-8'?>
    """
    width, height = box.width + 2 * PAD, box.height + 2 * PAD
    svg = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=_n(width),
        height=_n(height),
        viewBox=f"0 0 {_n(width)} {_n(height)}",
        role="img",
    )
    ET.SubElement(svg, "title").text = title
    ET.SubElement(svg, "desc").text = description
    font = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
    paper = ET.SubElement(svg, "g", {"font-family": font, "font-size": _n(SIZE)})
    ET.SubElement(paper, "rect", width=_n(width), height=_n(height), fill=PAPER)
    for element in _placed(box, PAD, PAD, box.width):
        paper.append(element)
    ET.indent(svg)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(svg, encoding='unicode')}\n"


def _placed(box: Box, x: float, y: float, width: float) -> Iterator[ET.Element]:
    """The shapes and texts of a box whose corner is at x, y."""
    yield _rect(x, y, width, box.height, box.look)
    base = y + GAP / 2 + BASE
    yield _text(box.title, x + PAD, base, INK, bold=True)
    if box.badge:
        room = len(box.badge) * ROOM + 2 * BADGE
        left = x + width - PAD / 2 - room
        yield _rect(left, y + GAP / 2 + 1, room, LINE - 2, Look(box.look.border, box.look.border))
        yield _text(box.badge, left + (room - len(box.badge) * CHAR) / 2, base, PAPER, bold=True)
    for n, line in enumerate(box.lines, 1):
        yield _text(line, x + PAD, base + n * LINE, FAINT)
    top = y + box.head
    for b in box.inside:
        yield from _placed(b, x + PAD, top + GAP, width - 2 * PAD)
        top += GAP + b.height


def _rect(x: float, y: float, width: float, height: float, look: Look) -> ET.Element:
    shape = {"x": _n(x), "y": _n(y), "width": _n(width), "height": _n(height), "rx": "3"}
    dashes = {"stroke-dasharray": "4 3"} if look.dashed else {}
    drawn = {"fill": look.fill, "stroke": look.border, "stroke-width": _n(look.width)}
    return ET.Element("rect", shape | drawn | dashes)


def _text(words: str, x: float, y: float, colour: str, bold: bool = False) -> ET.Element:
    place = {"x": _n(x), "y": _n(y), "fill": colour} | ({"font-weight": "bold"} if bold else {})
    room = {"textLength": _n(len(words) * CHAR), "lengthAdjust": "spacingAndGlyphs"}
    element = ET.Element("text", place | room)
    element.text = words
    return element


def _n(x: float) -> str:
    """A number without needless digits."""
    return f"{x:.1f}".removesuffix(".0")
