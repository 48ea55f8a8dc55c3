"""Where a run of statements stands after some edits.

A block goes on to cover all of its code: it becomes the smallest run of neighbouring statements that holds what is left
of it, at any depth, and what came in the place of what is not (`Spread`). So it grows where code is put between, and
where its statements part it becomes the scope around them. It is gone if nothing is left and nothing came.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.nodes import ProcDef
from ..ir.span import Span, span_of
from ..ir.walk import Path, get, statements
from .edits import Edit, Move, Spread


def forward_path(path: Path, edits: Iterable[Edit]) -> Path | None:
    """A path carried through edits."""
    for e in edits:
        moved = e.forward(path)
        if moved is None:
            return None
        path = moved
    return path


def forward_span(tree: ProcDef, span: Span, edits: Sequence[Edit]) -> Span | None:
    """A run of statements of `tree`, carried through edits."""
    members = [span.path(i) for i in range(span.hi - span.lo)]
    parted = any(isinstance(e, Move | Spread) for e in edits)  # else what is in a statement stays in it
    return _joined(tree, [p for m in members for p, _ in statements(get(tree, m), m)] if parted else members, edits)


def _joined(tree: ProcDef, paths: Iterable[Path], edits: Sequence[Edit]) -> Span | None:
    """The smallest run that holds all of what some statements became."""
    found = [_places(p, edits) for p in paths]
    places = {p for left, _ in found for p in left} or {p for _, came in found for p in came}
    return _hull(sorted(places)) if places else None


def _places(path: Path, edits: Iterable[Edit]) -> tuple[list[Path], list[Path]]:
    """Where a statement's code is: its own places, and those of what came in the place of a statement around it."""
    own: list[Path] = [path]
    around: list[Path] = []
    for e in edits:
        if isinstance(e, Spread):
            dst = [e.dst.path(i) for i in range(e.dst.hi - e.dst.lo)]
            held = [p for p in own if e.src.covers(p)]
            own += [q for q in dst if q not in own and any(len(p) == len(e.src.parent) + 1 for p in held)]
            around += [q for q in dst if q not in around and any(len(p) > len(e.src.parent) + 1 for p in held)]
        else:
            own, around = _forward(own, e), _forward(around, e)
    return own, around


def _forward(paths: Iterable[Path], e: Edit) -> list[Path]:
    return [there for p in paths if (there := e.forward(p)) is not None]


def _hull(paths: Sequence[Path]) -> Span:
    """The smallest run of neighbouring statements that holds all of these, which are in textual order but for
    branches."""
    first, *others = paths
    n = min((_common(first, p) for p in others), default=len(first))
    steps = {p[n] for p in paths if len(p) > n}
    labels = {label for label, _ in steps}
    if len(labels) != 1 or any(len(p) == n for p in paths):  # one holds the others, or they stand in two branches
        return span_of(first[:n])
    at = [i for _, i in steps if i is not None]
    return Span(first[:n], labels.pop(), min(at), max(at) + 1)


def _common(a: Path, b: Path) -> int:
    """How many steps two paths share."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
