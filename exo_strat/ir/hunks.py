"""What changed between two texts, line by line: for those who show a rewrite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

LARGEST: Final = 250_000
"""Where so many pairs of lines may differ, the texts count as different from the first such line to the last: it takes
too long to compare all pairs."""


class Hunk(NamedTuple):
    """Lines that are replaced: those of the old text from a position on, and what comes in their place."""

    at: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


def hunks(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...]:
    """How one text becomes another one. `applied` goes by it.

    >>> hunks(["a", "b", "c"], ["a", "x", "y", "c"])
    (Hunk(at=1, removed=('b',), added=('x', 'y')),)
    """
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    a, b = old[first : len(old) - last], new[first : len(new) - last]
    if not (a and b) or len(a) * len(b) > LARGEST:
        return (Hunk(first, tuple(a), tuple(b)),) if a or b else ()
    found = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return tuple(Hunk(first + i, tuple(a[i:j]), tuple(b[k:m])) for kind, i, j, k, m in found if kind != "equal")


def applied(old: Sequence[str], changes: Iterable[Hunk]) -> list[str]:
    """The new text.

    >>> applied(["a", "b"], hunks(["a", "b"], ["b", "c"]))
    ['b', 'c']
    """
    lines, at = list[str](), 0
    for h in changes:
        lines += [*old[at : h.at], *h.added]
        at = h.at + len(h.removed)
    return [*lines, *old[at:]]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many lines two texts have in common at the start."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
