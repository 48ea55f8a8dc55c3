"""`return` and `continue`: the statements after one become the other side of its if.

    if (c) return a; rest;   is   if (c) return a; else { rest; }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from .syntax import Block, Continue, If, Loop, Return, Stmt, Untaken
from .walks import parts

Leaving: TypeAlias = type[Return] | type[Continue]


def at_the_ends(body: Block, leaving: Leaving = Return) -> Block:
    """The body with every `return`, or every `continue` of a loop's body, at an end of it. A `return` in a loop becomes
    an `Untaken`."""
    out: list[Stmt] = []
    left = list(body.parts)
    while left:
        s = left.pop(0)
        found = next(_leaves(s, leaving), None)
        if found is None:
            out.append(s)
        elif isinstance(s, Block):
            left = [*s.parts, *left]
        elif isinstance(s, Loop):
            why = "the object language has only counted loops and branches"
            remedy = "a loop that ends early needs a flag, tested by an if around the rest of the body"
            out.append(Untaken("return inside of a loop", why, remedy, found.place))
        elif isinstance(s, If):
            sides = [_followed(side, left, leaving) for side in (s.yes, s.no)]
            out.append(replace(s, yes=sides[0], no=sides[1]))
            break
        else:
            out.append(s)
            break
    return Block(tuple(out), body.place)


def _followed(side: Block, rest: list[Stmt], leaving: Leaving) -> Block:
    """One side of an if, and what comes after the if, unless the side leaves."""
    whole = side if _always(side, leaving) else Block((*side.parts, *rest), side.place)
    return at_the_ends(whole, leaving)


def _leaves(s: Stmt, leaving: Leaving) -> Iterator[Return | Continue]:
    """The statements in s that leave; an inner loop's `continue` is its own."""
    if isinstance(s, leaving):
        yield s
    elif not (isinstance(s, Loop) and leaving is Continue):
        for p in parts(s):
            yield from _leaves(p, leaving)


def _always(s: Stmt, leaving: Leaving) -> bool:
    """Whether a statement surely leaves."""
    match s:
        case Block(parts=found):
            return any(_always(p, leaving) for p in found)
        case If(yes=yes, no=no):
            return _always(yes, leaving) and _always(no, leaving)
        case _:
            return isinstance(s, leaving)
