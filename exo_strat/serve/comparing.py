"""Two versions side by side: whether they compute the same, and where their code differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher, unified_diff
from typing import Any

from ..cursors.cursor import NodeCursor, StmtCursor
from ..cursors.proc import Proc
from ..ir.order import longest_rising
from ..ir.printing import print_lines
from ..ir.walk import Path, alpha_normal, statements
from ..primitives import Primitive
from ..source import brief, show
from .places import spelled

Change = dict[str, Any]


def compared(p: Proc, q: Proc) -> dict[str, Any]:
    """What is the same of two versions, and what is not. Statements are followed from one to the other by cursors, if
    `q` was made from `p`; else lines are compared."""
    related = any(v is p for v in q.versions())
    changes = list(_by_cursors(p, q) if related else _by_text(p, q))
    same = p.origin is q.origin
    return {
        "same_program": alpha_normal(p.tree) == alpha_normal(q.tree),
        "same_values": same,
        "because": SAME if same else _why(p, q),
        "leaves": sorted(f"{f.config.name}.{f.field}" for f in q.leaves_since(p)) if related else [],
        "needs": sorted(str(s) for s in q.needs_since(p)) if related else [],
        "by": "cursors" if related else "text",
        "changes": changes,
        "diff": list(unified_diff(str(p).splitlines(), str(q).splitlines(), lineterm=""))[2:],
    }


SAME = "they are of one origin: every rewrite between them is proved to leave the same values"


def _why(p: Proc, q: Proc) -> str:
    """Why two versions are not known to compute the same."""
    mine, theirs = list(p.versions()), list(q.versions())
    if mine[-1] is not theirs[-1]:
        return "they were not made from one procedure"
    common = next(v for v in mine if any(v is w for w in theirs))
    ops = [o for line in (mine, theirs) for o in _others(line, common)]
    return f"what these make starts an origin of its own: {', '.join(dict.fromkeys(ops))}"


def _others(line: list[Proc], common: Proc) -> Iterator[str]:
    """The rewrites after a common version that are not known to leave the same values, the first one first."""
    later = line[: next(k for k, v in enumerate(line) if v is common)]
    for v in reversed(later):
        if v.parent is not None and v.rewritten is not None and v.origin is not v.parent.origin:
            op = v.rewritten.op
            yield brief(show(op)) if isinstance(op, Primitive) else str(op)


def _lines(p: Proc) -> dict[Path, str]:
    """The line of each statement."""
    return {path: text.strip() for path, text in print_lines(p.tree) if path}


def _line(path: Path, p: Proc, text: str) -> dict[str, str]:
    return {"at": spelled(NodeCursor(p, path)), "line": text}


def _by_cursors(p: Proc, q: Proc) -> Iterator[Change]:
    """What became of each statement, in the order of the old version; then those that came from none."""
    old, new = _lines(p), _lines(q)
    went: dict[Path, Path] = {(): ()}
    for s in p.root().statements():
        there = q.forward(s)
        if isinstance(there, StmtCursor):
            went[s.path] = there.path
    passed = _passed(went)
    for s in p.root().statements():
        was = _line(s.path, p, old[s.path])
        now = went.get(s.path)
        if now is None:
            yield {"change": "gone", "was": was}
        elif old[s.path] != new[now]:
            yield {"change": "edited", "was": was, "is": _line(now, q, new[now])}
        elif went.get(_scope(s.path)) != _scope(now) or s.path in passed:
            yield {"change": "moved", "was": was, "is": _line(now, q, new[now])}
    known = set(went.values())
    for path, _ in statements(q.tree):
        if path not in known:
            yield {"change": "new", "is": _line(path, q, new[path])}


def _passed(went: Mapping[Path, Path]) -> set[Path]:
    """The statements that changed places with others of their scope, as few as can be."""
    scopes: dict[tuple[object, ...], list[Path]] = {}
    for was, now in went.items():
        if was:
            scopes.setdefault((_scope(was), was[-1][0], _scope(now), now[-1][0]), []).append(was)
    found = set[Path]()
    for together in scopes.values():
        kept = {*longest_rising([went[was][-1][1] or 0 for was in together])}
        found |= {was for k, was in enumerate(together) if k not in kept}
    return found


def _scope(path: Path) -> Path:
    """The path of the statement around one, or of the procedure."""
    return path[:-1]


def _by_text(p: Proc, q: Proc) -> Iterator[Change]:
    """The lines that only one of two versions has."""
    old, new = list(_lines(p).items()), list(_lines(q).items())
    before, after = ([text for _, text in lines] for lines in (old, new))
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from ({"change": "gone", "was": _line(path, p, text)} for path, text in old[a:b])
            yield from ({"change": "new", "is": _line(path, q, text)} for path, text in new[c:d])
