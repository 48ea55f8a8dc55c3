"""A run of statements: a part of a list in a tree."""

from __future__ import annotations

from typing import NamedTuple

from pyrsistent.typing import PVector

from .nodes import Node, Stmt
from .walk import Path, get


class Span(NamedTuple):
    """Positions lo..hi-1 of the list `label` of the node at `parent`."""

    parent: Path
    label: str
    lo: int
    hi: int

    def step_of(self, path: Path) -> int | None:
        """The position in this list that `path` goes through, if it does."""
        n = len(self.parent)
        if len(path) > n and path[:n] == self.parent and path[n][0] == self.label:
            return path[n][1]
        return None

    def covers(self, path: Path) -> bool:
        """Whether `path` leads to a member or to something in one."""
        i = self.step_of(path)
        return i is not None and self.lo <= i < self.hi

    def moved(self, path: Path, position: int) -> Path:
        """`path`, which goes through this list, going through another position of it."""
        n = len(self.parent)
        return (*path[:n], (self.label, position), *path[n + 1 :])

    def path(self, i: int = 0) -> Path:
        """The path of the i-th member."""
        return (*self.parent, (self.label, self.lo + i))

    def members(self, tree: Node) -> PVector[Stmt]:
        """The statements that the span covers."""
        whole: PVector[Stmt] = getattr(get(tree, self.parent), self.label)
        return whole[self.lo : self.hi]


def span_of(path: Path) -> Span:
    """The one-member span of a node that stands in a list."""
    label, i = path[-1]
    assert i is not None, f"{path} is not in a list"
    return Span(path[:-1], label, i, i + 1)
