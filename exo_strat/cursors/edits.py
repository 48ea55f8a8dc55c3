"""The five atomic edits, as data, and two notes for cursors.

Every changed tree is made by these and by nothing else. Each edit knows how to `apply` itself to a
tree (copying the spine, sharing the rest) and how to `forward` a path of the old tree to the new one
(None: what stood there is gone). Paper: section 5.2, "Implementation".

A run of statements is `Span(parent, label, lo, hi)`: positions lo..hi-1 of the list `label` of the
node at `parent`. Coordinates are those of the tree that the edit is applied to.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import TypeAlias

from pyrsistent import PVector, pvector

from ..ir.frozen import fast_init
from ..ir.nodes import Node, ProcDef, Stmt
from ..ir.span import Span
from ..ir.types import Control, Scalar
from ..ir.walk import Path, children, update, walk, with_child


def _splice(tree: ProcDef, at: Span, new: PVector[Stmt]) -> ProcDef:
    def edit(node: object) -> object:
        old = getattr(node, at.label)
        return with_child(node, at.label, old[: at.lo] + new + old[at.hi :])

    return update(tree, at.parent, edit)


@fast_init
@dataclass(frozen=True, slots=True)
class Insert:
    """Put statements before position `lo` of a list (`at.hi` is `at.lo`)."""

    at: Span
    new: PVector[Stmt]

    def apply(self, tree: ProcDef) -> ProcDef:
        return _splice(tree, self.at, self.new)

    def forward(self, path: Path) -> Path | None:
        j = self.at.step_of(path)
        return path if j is None or j < self.at.lo else self.at.moved(path, j + len(self.new))


@fast_init
@dataclass(frozen=True, slots=True)
class Delete:
    """Take statements out of a list."""

    at: Span

    def apply(self, tree: ProcDef) -> ProcDef:
        return _splice(tree, self.at, pvector())

    def forward(self, path: Path) -> Path | None:
        j = self.at.step_of(path)
        if j is None or j < self.at.lo:
            return path
        return None if j < self.at.hi else self.at.moved(path, j - (self.at.hi - self.at.lo))


@fast_init
@dataclass(frozen=True, slots=True)
class Replace:
    """Put another node in the place of one. The place stays valid. What was below it is gone, except

    * for the child fields named in `keep`: there every place of the old node is one of the new, but for
      what was below the places `but` (paths from the node);
    * for what the new node holds too: `moved` has its old places and its new ones. That may be the old node itself,
      as part of a new one.
    """

    path: Path
    new: Node
    keep: frozenset[str] = frozenset()
    but: tuple[Path, ...] = ()
    moved: tuple[tuple[Path, Path], ...] = ()

    def apply(self, tree: ProcDef) -> ProcDef:
        return update(tree, self.path, lambda _: self.new)

    def forward(self, path: Path) -> Path | None:
        n = len(self.path)
        if path[:n] != self.path:
            return path
        below = path[n:]
        for old, new in self.moved:
            if below[: len(old)] == old:
                return (*self.path, *new, *below[len(old) :])
        if not below:
            return path
        gone = below[0][0] not in self.keep or any(len(below) > len(b) and below[: len(b)] == b for b in self.but)
        return None if gone else path


def shared(old: Node, new: Node, keep: Container[str] = ()) -> tuple[tuple[Path, Path], ...]:
    """Where `new` holds the very parts of `old`, itself or what is below its fields but for those in `keep`: the places
    in `old` and in `new`, largest parts only. What stands n times in `old` is found n times."""
    places: dict[int, list[Path]] = {id(new): [()]}
    for step, c in children(new):
        for path, n in walk(c, (step,)) if step[0] not in keep else ():
            if not isinstance(n, Scalar | Control):
                places.setdefault(id(n), []).append(path)
    found: list[tuple[Path, Path]] = []
    stack: list[tuple[Path, Node]] = [((), old)]
    while stack:
        path, n = stack.pop()
        at = places.get(id(n))
        if at:
            found.append((path, at.pop(at.index(path) if path in at else 0)))
        else:
            stack += [((*path, step), c) for step, c in children(n) if path or step[0] not in keep][::-1]
    return tuple(found)


@fast_init
@dataclass(frozen=True, slots=True)
class Move:
    """Take statements from `src` and put them before position `dst.lo` of another (or the same) list.

    `dst` is in the coordinates of the tree before the move and does not lie inside `src`.
    """

    src: Span
    dst: Span

    def _landing(self) -> Span:
        """`dst` in the coordinates of the tree from which `src` was taken."""
        cut = Delete(self.src)
        parent = cut.forward(self.dst.parent)
        assert parent is not None, "a block cannot move into itself"
        at = self.dst.lo
        if self.dst.parent == self.src.parent and self.dst.label == self.src.label and at >= self.src.hi:
            at -= self.src.hi - self.src.lo
        return Span(parent, self.dst.label, at, at)

    def apply(self, tree: ProcDef) -> ProcDef:
        moved = self.src.members(tree)
        return Insert(self._landing(), moved).apply(Delete(self.src).apply(tree))

    def forward(self, path: Path) -> Path | None:
        to = self._landing()
        j = self.src.step_of(path)
        if j is not None and self.src.lo <= j < self.src.hi:
            tail = path[len(self.src.parent) + 1 :]
            return (*to.parent, (to.label, to.lo + j - self.src.lo), *tail)
        rest = Delete(self.src).forward(path)
        assert rest is not None
        k = to.step_of(rest)
        return rest if k is None or k < to.lo else to.moved(rest, k + self.src.hi - self.src.lo)


@fast_init
@dataclass(frozen=True, slots=True)
class Wrap:
    """Put statements into the (empty) list `slot` of a new statement, which takes their place."""

    at: Span
    frame: Stmt
    slot: str

    def apply(self, tree: ProcDef) -> ProcDef:
        return _splice(tree, self.at, pvector([with_child(self.frame, self.slot, self.at.members(tree))]))

    def forward(self, path: Path) -> Path | None:
        j = self.at.step_of(path)
        if j is None or j < self.at.lo:
            return path
        if j >= self.at.hi:
            return self.at.moved(path, j - (self.at.hi - self.at.lo) + 1)
        n = len(self.at.parent)
        return (*self.at.path(), (self.slot, j - self.at.lo), *path[n + 1 :])


@fast_init
@dataclass(frozen=True, slots=True)
class Spread:
    """Nothing changes, but the code of the statements `src` from here on stands in `dst` too, or will when they are
    deleted: a call in the place of a block, a body in the place of a call, the second half of a loop that was cut.

    Cursors to a statement lead to one place and know nothing of it. Blocks and gaps do: see `cursors.blocks`.
    """

    src: Span
    dst: Span

    def apply(self, tree: ProcDef) -> ProcDef:
        return tree

    def forward(self, path: Path) -> Path | None:
        return path


@fast_init
@dataclass(frozen=True, slots=True)
class Carry:
    """Nothing changes, but cursors to what is at and below a place go to another one, which holds the same."""

    src: Path
    dst: Path

    def apply(self, tree: ProcDef) -> ProcDef:
        return tree

    def forward(self, path: Path) -> Path | None:
        n = len(self.src)
        return (*self.dst, *path[n:]) if path[:n] == self.src else path


Edit: TypeAlias = Insert | Delete | Replace | Move | Wrap | Spread | Carry
