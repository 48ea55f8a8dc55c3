"""Whether a program has the shape of a sketch, and if not where it differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...cursors.cursor import StmtCursor
from ...cursors.kinds import ForCursor
from ...frontend.errors import FrontendError
from ...frontend.exprs import parse_expr
from ...frontend.scope import scope_at
from ...logic.effects import SAFE
from ...logic.questions import equal_at
from .grammar import ANY, AnySketch, Block, BranchSketch, Item, LoopSketch, StmtSketch
from .shape import Part, extent


@dataclass(frozen=True)
class Mismatch:
    """What was expected and what is there instead, so many scopes deep, and the statement that is, if one is."""

    depth: int
    expected: str
    found: str
    cursor: StmtCursor | None


ANYTHING = AnySketch(None)
Result = Mismatch | None
"""None stands for a match."""


def mismatch(sketch: Block, parts: Sequence[Part], depth: int = 0) -> Result:
    """The deepest place at which parts of a program differ from a sketch; None if they have its shape."""
    if not sketch:
        more = next((p for p in parts if p.is_scope), None)
        return None if more is None else Mismatch(depth, "no further loop or branch", str(more), more.cursor)
    item, rest = sketch[0], sketch[1:]
    if isinstance(item, LoopSketch | BranchSketch):
        return _scope(item, rest, parts, depth)
    return _best(_ways(item, rest, tuple(parts), depth))


def _best(results: Iterable[Result]) -> Result:
    """A match if there is one, else the deepest mismatch."""
    deepest: Result = None
    for r in results:
        if r is None:
            return None
        if deepest is None or r.depth > deepest.depth:
            deepest = r
    return deepest


def _ways(item: AnySketch | StmtSketch, rest: Block, parts: tuple[Part, ...], depth: int) -> Iterator[Result]:
    """The outcome of each way to let an item stand for some of the parts; at least one."""
    if isinstance(item, StmtSketch):
        yield Mismatch(depth, str(item), *_next(parts))
        for n, p in enumerate(parts):
            if p.is_scope:
                break
            if any(c == p.cursor for c in p.cursor.find_all(item.pattern)):
                yield mismatch(rest, parts[n + 1 :], depth)
    elif item.inside is None:
        for n in range(len(parts) + 1):
            yield mismatch(rest, parts[n:], depth)
    else:
        for n in range(len(parts), -1, -1):
            found = _somewhere(item.inside, parts[:n], depth)
            yield mismatch(rest, parts[n:], depth) if found is None else found


def _somewhere(sketch: Block, parts: Sequence[Part], depth: int) -> Result:
    """Whether some block of the parts has the shape of a sketch in it. If not, what begins like it tells most."""
    results = [(mismatch((ANYTHING, *sketch, ANYTHING), block, d), d) for block, d in _blocks(parts, depth)]
    begun = [m for m, d in results if m is None or m.depth > d]
    return _best(begun) if begun else Mismatch(depth, f"{sketch[0]} somewhere inside", *_next(parts))


def _blocks(parts: Sequence[Part], depth: int) -> Iterator[tuple[Sequence[Part], int]]:
    """The parts, and the contents of those and so on, each with its depth."""
    yield parts, depth
    for p in parts:
        if p.is_scope:
            yield from _blocks(p.inside, depth + 1)


def _scope(item: LoopSketch | BranchSketch, rest: Block, parts: Sequence[Part], depth: int) -> Result:
    n = next((n for n, p in enumerate(parts) if p.is_scope), None)
    if n is None or not _is_head(item, parts[n]):
        return Mismatch(depth, str(item), *_next(parts))
    inner = mismatch(item.inside, parts[n].inside, depth + 1)
    return mismatch(rest, parts[n + 1 :], depth) if inner is None else inner


def _next(parts: Sequence[Part]) -> tuple[str, StmtCursor | None]:
    """The next loop or branch: what there is instead of what was expected."""
    for p in parts:
        if p.is_scope:
            return str(p), p.cursor
    return "no further loop or branch", None


def _is_head(item: Item, p: Part) -> bool:
    """Whether a loop or branch is what a sketch says, leaving aside what is inside."""
    if not isinstance(item, LoopSketch):
        return str(item) == p.word
    c = p.cursor
    return (
        isinstance(c, ForCursor)
        and item.mode in (ANY, c.mode())
        and item.name in (ANY, c.name())
        and (item.extent == ANY or _runs(c, item.extent))
    )


def _runs(c: ForCursor, times: str) -> bool:
    """Whether a loop has so many iterations wherever it is reached."""
    tree, runs = c.proc.tree, extent(c)
    try:
        wanted = parse_expr(times, scope_at(tree, c.path))
    except FrontendError:  # of names that mean nothing here
        return False
    return equal_at(tree, c.path, runs, wanted) == SAFE
