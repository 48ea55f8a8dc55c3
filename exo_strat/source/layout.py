"""Python expressions on several lines, or cut short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 100
"""Longer expressions are broken into lines."""
DEEPEST: Final = 40
"""Brackets inside so many others are left on one line."""

TOKEN: Final = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\blambda\b|[()\[\]{},:]""")


@dataclass(frozen=True)
class Group:
    """A pair of brackets: their positions, how many are around them, and those of the commas directly inside."""

    start: int
    end: int
    depth: int
    commas: tuple[int, ...]


def layout(text: str, width: int = WIDTH) -> str:
    """An expression broken into lines at the commas of its outer brackets, then of inner ones, until all fit.

    >>> print(layout("seq(rename('first'), attempt(try_else(rename('a'), rename('b'))))", 40))
    seq(
        rename('first'),
        attempt(try_else(
            rename('a'),
            rename('b'),
        )),
    )
    """
    return _Layout(text, width, _groups(text)).lines(0, len(text), 0, 0) if len(text) > width else text


def brief(text: str, width: int = WIDTH) -> str:
    """An expression with what is deepest inside it left out, until it fits.

    >>> brief("seq(rename('first'), attempt(try_else(rename('a'), rename('b'))))", 45)
    "seq(rename('first'), attempt(try_else(...)))"
    """
    if len(text) <= width:
        return text
    groups = _groups(text)
    for depth in range(min(DEEPEST, max((g.depth for g in groups), default=0)), -1, -1):
        short = _without(text, [g for g in groups if g.depth == depth and g.end > g.start + 1])
        if len(short) <= width:
            return short
    return text


def _without(text: str, groups: list[Group]) -> str:
    """The text with nothing inside these brackets, none of which is inside another."""
    pieces, at = [], 0
    for g in groups:
        pieces += [text[at : g.start + 1], "..."]
        at = g.end
    return "".join((*pieces, text[at:]))


def _groups(text: str) -> list[Group]:
    """The pairs of brackets of an expression, in the order in which they open."""
    found: list[Group] = []
    stack: list[tuple[int, list[int]]] = []
    parameters: list[int] = []  # the depths at which a `lambda` waits for its colon
    for m in TOKEN.finditer(text):
        token = m[0]
        if token in "([{":
            stack.append((m.start(), []))
        elif token in ")]}" and stack:
            start, commas = stack.pop()
            found.append(Group(start, m.start(), len(stack), tuple(commas)))
        elif token == "lambda":
            parameters.append(len(stack))
        elif token == ":" and parameters and parameters[-1] == len(stack):
            parameters.pop()
        elif token == "," and stack and not (parameters and parameters[-1] == len(stack)):
            stack[-1][1].append(m.start())
    return sorted(found, key=lambda g: g.start)


@dataclass(frozen=True)
class _Layout:
    text: str
    width: int
    groups: list[Group]

    def lines(self, lo: int, hi: int, depth: int, used: int) -> str:
        """The expression from `lo` to `hi`, so many steps indented; `used` characters of its line are taken."""
        group = self._widest(lo, hi)
        if used + hi - lo <= self.width or group is None or group.depth > DEEPEST:
            return self.text[lo:hi]
        head, tail = self.text[lo : group.start + 1], self.text[group.end : hi]
        if not group.commas:
            inner = self.lines(group.start + 1, group.end, depth, used + len(head) + len(tail))
            return f"{head}{inner}{tail}"
        indent = "    " * (depth + 1)
        inside = [self.lines(a, b, depth + 1, len(indent) + 1) for a, b in self._items(group)]
        return "\n".join((head, *(f"{indent}{item}," for item in inside), "    " * depth + tail))

    def _widest(self, lo: int, hi: int) -> Group | None:
        inside = [g for g in self.groups if lo <= g.start and g.end < hi]
        return max(inside, key=lambda g: g.end - g.start, default=None)

    def _items(self, group: Group) -> Iterator[tuple[int, int]]:
        """Where the expressions between a group's commas start and end."""
        at = group.start + 1
        for end in (*group.commas, group.end):
            text = self.text[at:end]
            if text.strip():
                yield at + len(text) - len(text.lstrip()), end
            at = end + 1
