"""HTML for notebooks: pieces of text and object code, escaped, bounded, legible in light and dark.

What is shown in a notebook may be looked at anywhere: in Jupyter, in an editor, on a page that takes styles and scripts
away. So all styles are inline, colours are those that the colour-blind tell apart and lie behind text of the notebook's
own colour, and what a colour says is said in characters, too. There are no scripts, and nothing is loaded.

Functions here make `Html` of texts. Only `escaped`, and what calls it, makes some of a text that others wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final, Literal, NamedTuple, NewType, TypeAlias

from .hunks import Hunk
from .nodes import ProcDef
from .printing import Line, print_lines
from .walk import Path

Html = NewType("Html", str)
"""Text that is markup already."""

WIDEST: Final = 400
"""Longer texts are cut, also longer lines."""
SHOWN: Final = 60
"""So many lines of code are shown at once; further ones are folded."""
FOLDED: Final = 400
"""So many lines are folded at most; of the others there is the number."""
LARGEST: Final = 60_000
"""So many characters of code are shown and folded at most."""
AROUND: Final = 3
"""So many lines are shown before a place and after it."""
INSIDE: Final = 12
"""So many lines are shown of what is inside of a place."""

_OWN: Final = "color:inherit;background:transparent"
_PRE: Final = f"{_OWN};margin:0;padding:0;border:0;line-height:1.35;overflow-x:auto;white-space:pre"
_CELL: Final = f"{_OWN};border:1px solid rgba(128,128,128,.5);padding:2px 8px;text-align:left;vertical-align:top"
_ORANGE: Final = "background:rgba(230,159,0,.3)"
_BLUE: Final = "background:rgba(86,180,233,.3)"


# -- pieces -------------------------------------------------------------------------------------------


def escaped(text: object, most: int = WIDEST) -> Html:
    """Text as HTML that shows it, cut if it is long.

    >>> escaped("i < n"), escaped("abcdef", most=3)
    ('i &lt; n', 'abc… (3 more characters)')
    """
    whole = str(text)
    more = len(whole) - most
    return Html(escape(whole if more <= 0 else f"{whole[:most]}… ({more} more characters)"))


def joined(*parts: Html) -> Html:
    """Pieces of HTML, one after the other."""
    return Html("".join(parts))


def box(*parts: Html) -> Html:
    """What a value shows."""
    return Html(f'<div style="{_OWN};line-height:1.4">{"".join(parts)}</div>')


def bold(text: Html) -> Html:
    """Text that stands out."""
    return Html(f"<b>{text}</b>")


def dim(text: Html) -> Html:
    """Text that stands back."""
    return Html(f'<span style="opacity:.7">{text}</span>')


def as_code(text: Html) -> Html:
    """A text as code, inside a line."""
    return Html(f'<code style="{_OWN};padding:0">{text}</code>')


def ended(refused: bool) -> Html:
    """How an Op ended, in one word."""
    return Html(f'<b style="{_ORANGE if refused else _BLUE}">&nbsp;{"refused" if refused else "ok"}&nbsp;</b>')


def paragraph(text: Html) -> Html:
    """A text on lines of its own, in which ends of lines count."""
    return Html(f'<div style="white-space:pre-wrap;margin:2px 0">{text}</div>')


def folded(summary: Html, *parts: Html, is_open: bool = False) -> Html:
    """What is shown when its summary is clicked."""
    inside = f'<div style="margin-left:1.2em">{"".join(parts)}</div>'
    return Html(f"<details{' open' * is_open}><summary>{summary}</summary>{inside}</details>")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """A table of texts. Who calls it sees to it that there are not too many rows.

    >>> "i &lt; 4" in table(["n"], [["i < 4"]])
    True
    """
    lines = [f"<tr>{''.join(_cell('th', h) for h in head)}</tr>"] if head else []
    lines += [f"<tr>{''.join(_cell('td', c) for c in row)}</tr>" for row in rows]
    return Html(f'<table style="{_OWN};border-collapse:collapse;margin:4px 0">{"".join(lines)}</table>')


def _cell(tag: str, content: object) -> str:
    return f'<{tag} style="{_CELL}">{escaped(content)}</{tag}>'


# -- code ---------------------------------------------------------------------------------------------

Kind: TypeAlias = Literal["", "here", "inside", "old", "new", "note"]
"""What a line is: the place that is meant, one inside of it, one that was removed or added, or a remark."""

_TAGS: Final[Mapping[Kind, tuple[str, str]]] = {
    "here": ("b", _ORANGE),
    "inside": ("span", "background:rgba(230,159,0,.12)"),
    "old": ("del", f"{_ORANGE};text-decoration:none"),
    "new": ("ins", f"{_BLUE};text-decoration:none"),
    "note": ("i", "opacity:.7"),
}
_SIGNS: Final[Mapping[Kind, str]] = {"here": "--> ", "old": "- ", "new": "+ "}
_KEYWORD: Final = re.compile(r" *((?:for|if|elif|else|def)\b(?=.*:$)|assert\b|pass$)")
"""The word that a line of object code begins with; a line of prose may begin with `for`, too."""


class Row(NamedTuple):
    """A line of code, what it is, and the part of it that is meant, if that is not all."""

    text: str
    kind: Kind = ""
    part: str = ""


LEFT_OUT: Final = Row("…", "note")


def code(rows: Sequence[Row], shown: int = SHOWN) -> Html:
    """Lines of code: so many at once, some folded, of the others the number.

    >>> text = code([Row(f"line {n}") for n in range(1000)])
    >>> "line 459" in text, "line 460" in text, "540 more lines are left out" in text
    (True, False, True)
    """
    at_once = len(rows) if len(rows) <= shown + shown // 4 else shown
    width = max((len(_SIGNS.get(row.kind, "")) for row in rows), default=0)
    lines = [_line(row, width) for row in _affordable(rows[: at_once + FOLDED])]
    left = len(rows) - len(lines)
    last = [dim(Html(f"{left} more lines are left out"))] if left else []
    if len(lines) <= at_once:
        return joined(_pre(lines), *last)
    more = folded(Html(f"{len(rows) - at_once} more lines"), _pre(lines[at_once:]), *last)
    return joined(_pre(lines[:at_once]), more)


def _affordable(rows: Iterable[Row]) -> Iterator[Row]:
    """The first of some rows, as far as their texts are not too large."""
    used = 0
    for row in rows:
        yield row
        used += min(len(row.text), WIDEST)
        if used > LARGEST:
            return


def _pre(lines: Iterable[str]) -> Html:
    text = "\n".join(lines)
    return Html(f'<pre style="{_PRE}">{text}</pre>')


def _line(row: Row, width: int) -> str:
    once = row.part and row.text.count(row.part) == 1
    before, part, after = row.text.partition(row.part) if once else (row.text, "", "")
    word = _KEYWORD.match(row.text)
    start, end = word.span(1) if word is not None and word.end() <= len(before) else (0, 0)
    text = f"{_SIGNS.get(row.kind, '').ljust(width)}{before[:start]}"
    text += f"<b>{before[start:end]}</b>" if end else ""
    text += escaped(before[end:]) + (f"<u>{escaped(part)}</u>{escaped(after)}" if part else "")
    tag, style = _TAGS.get(row.kind, ("", ""))
    return f'<{tag} style="{style}">{text}</{tag}>' if tag else text


# -- object code --------------------------------------------------------------------------------------


def object_code(tree: ProcDef) -> Html:
    """A procedure."""
    return code([Row(text) for _, text in print_lines(tree)])


def around(tree: ProcDef, path: Path, part: str = "", count: int = 1, note: str = "") -> Html:
    """The lines around a place, which is marked with what is inside of it. `part` is the text of an expression at that
    place; a statement may be the first of so many. A note stands before them."""
    lines = print_lines(tree)
    at = max(i for i, (p, _) in enumerate(lines) if p is not None and path[: len(p)] == p)
    here = _places(path, count) if path and lines[at][0] == path else ()
    end = _end(lines, at, here)
    marked = [Row(text, "here" if p in here or i == at else "inside") for i, (p, text) in enumerate(lines[at:end], at)]
    marked[0] = marked[0]._replace(part=part)
    rows = [LEFT_OUT] * (at > AROUND) + [Row(text) for _, text in lines[max(0, at - AROUND) : at]]
    rows += [Row(f"{_indent(lines[at][1])}({note})", "note")] if note else []
    rows += marked[:INSIDE] + [LEFT_OUT] * (len(marked) > INSIDE)
    rows += [Row(text) for _, text in lines[end : end + AROUND]]
    return code(rows + [LEFT_OUT] * (end + AROUND < len(lines)))


def _places(path: Path, count: int) -> tuple[Path, ...]:
    """The paths of so many statements, the first of which is at `path`."""
    label, first = path[-1]
    return (path,) if first is None else tuple((*path[:-1], (label, first + n)) for n in range(count))


def _end(lines: Sequence[Line], at: int, places: Sequence[Path]) -> int:
    """One past the last line that shows code inside of some places, of which the first begins at a line."""
    end = at + 1
    for i in range(at + 1, len(lines)):
        path = lines[i][0]
        if path is not None:  # else an `else`, which goes with what comes next
            if not any(path[: len(p)] == p for p in places):
                break
            end = i + 1
    return end


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


# -- changes ------------------------------------------------------------------------------------------


def changes(old: Sequence[str], hunks: Iterable[Hunk], around: int = 2, shown: int = SHOWN) -> Html:
    """What changed in a text: the lines that were removed and added, and some around them."""
    rows, at = list[Row](), 0
    for h in hunks:
        rows += _between(old[at : h.at], around, at == 0)
        rows += [Row(text, "old") for text in h.removed]
        rows += [Row(text, "new") for text in h.added]
        at = h.at + len(h.removed)
    rest = old[at:]
    rows += [Row(text) for text in rest[:around]] + [LEFT_OUT] * (len(rest) > around)
    return code(rows, shown)


def _between(lines: Sequence[str], around: int, is_first: bool) -> list[Row]:
    """The lines between two changes, less those in the middle; before the first change only the last ones."""
    before = 0 if is_first else around
    if len(lines) <= before + around:
        return [Row(text) for text in lines]
    return [*(Row(t) for t in lines[:before]), LEFT_OUT, *(Row(t) for t in lines[len(lines) - around :])]
