"""What a version of a film changed, line by line: what is new, edited, moved, copied and gone.

`page.js` does the same for every version of a film.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from ..ir.order import longest_rising
from .film import Film, Frame, Was


class Kind(StrEnum):
    """What a rewrite did to a line."""

    SAME = "same"
    NEW = "new"
    EDITED = "edited"
    MOVED = "moved"
    """It reads as before, but stands deeper, less deep, or past lines that were before or after it."""
    COPIED = "copied"
    GONE = "gone"


MARKS: Final[Mapping[Kind, str]] = MappingProxyType(
    {Kind.SAME: "", Kind.NEW: "+", Kind.EDITED: "~", Kind.MOVED: "⇅", Kind.COPIED: "⧉", Kind.GONE: "−"}
)
"""A sign for each, so that colour is not all that tells them apart."""

WORDS: Final[Mapping[Kind, str]] = MappingProxyType({kind: kind.value for kind in Kind} | {Kind.COPIED: "a copy"})


@dataclass(frozen=True)
class Line:
    """A line of a version, what became of it, and its line in the other version: of a copy the line that was copied.
    -1 if there is none."""

    text: str
    kind: Kind
    other: int


@dataclass(frozen=True)
class Changes:
    """The lines of a version and of the one before it."""

    before: tuple[Line, ...]
    after: tuple[Line, ...]


def changes(film: Film, k: int) -> Changes:
    """What the rewrite did that made version `k`.

    Raises ValueError if the film has no such version, or nothing before it.

    >>> from exo_strat import proc_from_source, rename
    >>> from exo_strat.view.film import film
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> [str(line.kind) for line in changes(film(rename("bar")(p).unwrap()[0]), 1).after]
    ['edited', 'same']
    """
    if not 0 < k < len(film.frames):
        raise ValueError(f"no rewrite made version {k} of {len(film.frames)}")
    old, new, came = film.lines(k - 1), film.lines(k), list(_origins(film.frames[k]))
    stays = [was in (Was.SAME, Was.EDITED) for was, _ in came]
    rising = [i for i, stay in enumerate(stays) if stay]
    kept = {rising[n] for n in longest_rising([came[i][1] for i in rising])}
    after = [
        Line(text, _kind(was, old[line] if line >= 0 else "", text, i in kept), line)
        for i, (text, (was, line)) in enumerate(zip(new, came, strict=True))
    ]
    now = {line.other: i for i, line in enumerate(after) if stays[i]}
    before = [Line(text, after[now[a]].kind if a in now else Kind.GONE, now.get(a, -1)) for a, text in enumerate(old)]
    return Changes(tuple(before), tuple(after))


def _origins(frame: Frame) -> Iterator[tuple[Was, int]]:
    """Of each line of a version: what it was, and which line of the version before."""
    for run in frame.runs:
        if run.was is Was.SAME:
            yield from ((Was.SAME, line) for line in range(run.a, run.a + run.b))
        else:
            yield run.was, run.a


def _kind(was: Was, old: str, new: str, in_order: bool) -> Kind:
    if was is Was.NEW:
        return Kind.NEW
    if was is Was.COPIED:
        return Kind.COPIED
    if old.strip() != new.strip():
        return Kind.EDITED
    return Kind.SAME if in_order and old == new else Kind.MOVED
