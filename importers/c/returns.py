"""`return` in the middle of a function: the statements after it become the other side of its if.

    if (c) return a; rest;   is   if (c) return a; else { rest; }
"""

from __future__ import annotations

from dataclasses import replace

from .syntax import Block, If, Loop, Return, Stmt, Untaken
from .walks import statements


def at_the_ends(body: Block) -> Block:
    """The body with every `return` at an end of it; one in a loop becomes an `Untaken`."""
    return _block(body)


def _block(body: Block) -> Block:
    out: list[Stmt] = []
    parts = list(body.parts)
    while parts:
        s = parts.pop(0)
        if isinstance(s, Block):
            if _returns(s):
                parts = [*s.parts, *parts]
            else:
                out.append(s)
            continue
        if isinstance(s, Loop) and _returns(s):
            found = next(t for t in statements(s) if isinstance(t, Return))
            why = "the object language has only counted loops and branches"
            remedy = "a loop that ends early needs a flag, tested by an if around the rest of the body"
            out.append(Untaken("return inside of a loop", why, remedy, found.place))
            continue
        if isinstance(s, If) and _returns(s):
            rest = tuple(parts)
            yes, no = s.yes, s.no
            if not _always(yes):
                yes = Block((*yes.parts, *rest), yes.place)
            if not _always(no):
                no = Block((*no.parts, *rest), no.place)
            out.append(replace(s, yes=_block(yes), no=_block(no)))
            break
        out.append(s)
        if isinstance(s, Return):
            break
    return Block(tuple(out), body.place)


def _returns(s: Stmt) -> bool:
    return any(isinstance(t, Return) for t in statements(s))


def _always(s: Stmt) -> bool:
    """Whether a statement surely returns."""
    match s:
        case Return():
            return True
        case Block(parts=parts):
            return any(_always(p) for p in parts)
        case If(yes=yes, no=no):
            return _always(yes) and _always(no)
        case _:
            return False
