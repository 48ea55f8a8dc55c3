"""Buffers that have other extents under a second name.

The object language has no place where one of the two is used while the other one is needed later. There the second one
becomes a buffer of its own, and the elements are copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..control import Symbol, number, of
from ..names import spelled
from .printing import stmt
from .program import Alloc, Buffer, Elem, For, Frame, If, Procedure, Renamed, Stmt, Store


def settle(p: Procedure) -> None:
    """Copy where a second name and the first are both needed."""
    if any(isinstance(s, Renamed) for s in _all(p.body)):
        words = {w for s in p.body for w in _words(s)} | set(p.controls) | {b.name for b in (*p.arguments, *p.outputs)}
        _settle(p.body, words, False)


def _settle(stmts: list[Stmt], taken: set[str], looping: bool) -> None:
    for s in list(stmts):
        match s:
            case For(body=body):
                _settle(body, taken, True)
            case If(yes=yes, no=no):
                _settle(yes, taken, looping)
                _settle(no, taken, looping)
            case Renamed() if _apart(s, stmts, looping):
                at = stmts.index(s)
                stmts[at : at + 1] = list(_copied(s, taken))
            case _:
                pass


def _apart(r: Renamed, stmts: Sequence[Stmt], looping: bool) -> bool:
    """Whether the first name, or another second one of it, is used up to the last use of this one. In a loop that
    takes single elements it would be copied again and again, which is left to be refused."""
    rest = stmts[stmts.index(r) + 1 :]
    after = [set(_words(s)) for s in rest]
    if looping and not any(isinstance(s, For) for s, used in zip(rest, after, strict=True) if r.buffer.name in used):
        return False
    last = max((k for k, used in enumerate(after) if r.buffer.name in used), default=-1)
    others = {x.buffer.name for x in _all(stmts) if isinstance(x, Renamed) and x.of is r.of and x is not r}
    return any(({r.of.name} | others) & used for used in after[: last + 1])


def _copied(r: Renamed, taken: set[str]) -> Iterator[Stmt]:
    """The second name as a buffer of its own, which is filled by the indices of the first."""
    yield Alloc(r.buffer, r.place)
    names: list[str] = []
    for k in range(len(r.of.shape) + 1):
        names.append(spelled("ijkl"[k % 4] if k else f"{r.buffer.name}_as", taken))
        taken.add(names[-1])
    flat = Buffer(names[0], r.of.kind, r.of.shape)
    yield Renamed(flat, r.buffer, r.place)
    iterators = [Symbol(n, -1 - k, True) for k, n in enumerate(names[1:])]
    at = tuple(of(i) for i in iterators)
    body: Stmt = Store(flat, at, Elem(r.of, at, r.of.kind), r.place)
    for i, e in zip(reversed(iterators), reversed(r.of.shape), strict=True):
        body = For(Frame(i, number(0), e), [body], r.place)
    yield body


def _words(s: Stmt) -> list[str]:
    """The names in a statement."""
    return re.findall(r"[A-Za-z_]\w*", "\n".join(x.text for x in stmt(s)))


def _all(stmts: Sequence[Stmt]) -> Iterator[Stmt]:
    for s in stmts:
        yield s
        match s:
            case For(body=body):
                yield from _all(body)
            case If(yes=yes, no=no):
                yield from _all(yes)
                yield from _all(no)
            case _:
                pass
