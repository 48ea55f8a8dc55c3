"""What a procedure mentions of the Python program around it, but for the procedures that it calls: memories, configs,
extern functions. In the same walk it is found which rarities it has (`heads`).

A name means one of them in a whole program, with all that it calls: in C there is one record of that name and one
function, and a text names it once.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from .config import Config
from .externs import ExternFn
from .heads import CELLS, inner, notable, own_rarities
from .memo import memo_by_identity
from .memory import Memory
from .nodes import Alloc, Arg, Call, Expr, ExternCall, Node, ProcDef, ReadConfig, Stmt, WriteConfig

Outside: TypeAlias = Memory | Config | ExternFn
_NOTHING: Final = (0, frozenset[Outside]())


def mentioned_by(n: Node) -> Outside | None:
    """What a node itself mentions, if anything. A conversion goes by the name of a type, and is none."""
    if isinstance(n, (Alloc, Arg)):
        return n.mem
    if isinstance(n, (WriteConfig, ReadConfig)):
        return n.config
    return n.f if isinstance(n, ExternCall) and not n.f.converts else None


def fields_and_externs(n: ProcDef | Stmt | Expr) -> list[ReadConfig | ExternCall]:
    """What reads a config field or calls an extern function in a procedure or statement, but for the statements that
    it holds."""
    return [e for e in notable(n) if isinstance(e, ReadConfig | ExternCall)]


@memo_by_identity
def mentioned_here(n: ProcDef | Stmt) -> frozenset[Outside]:
    """All that a procedure or statement mentions, without what it calls."""
    return _own(n).union(*map(mentioned_here, inner(n)))


def mentioned(n: ProcDef | Stmt) -> frozenset[Outside]:
    """All that a procedure or statement mentions, and what it calls."""
    return _found(n)[1]


def rarities(n: ProcDef | Stmt | Expr) -> int:
    """Which of `CELLS`, `VIEWS` and `PRODUCTS` a procedure, statement or expression has; of what it calls, `CELLS`."""
    return _found(n)[0]


@memo_by_identity
def _found(n: ProcDef | Stmt | Expr) -> tuple[int, frozenset[Outside]]:
    """The `rarities` of a procedure, statement or expression, and what it mentions: after each rewrite both are asked
    for, so they are found in one walk."""
    rare, things = own_rarities(n), _own(n)
    if isinstance(n, Call):
        there, called = _found(n.f.tree)
        rare, things = rare | there & CELLS, things | called
    for s in inner(n):
        there, inside = _found(s)
        rare |= there
        if not inside <= things:
            things |= inside
    return (rare, things) if rare or things else _NOTHING


def _own(n: ProcDef | Stmt | Expr) -> frozenset[Outside]:
    heads = (*(n.args if isinstance(n, ProcDef) else [n]), *fields_and_externs(n))
    return frozenset([thing for m in heads if (thing := mentioned_by(m)) is not None])


@memo_by_identity
def has_configs(tree: ProcDef) -> bool:
    """Whether a procedure mentions a config, itself or in what it calls."""
    return any(isinstance(thing, Config) for thing in mentioned(tree))


def two_of_one_name(tree: ProcDef) -> str | None:
    """A name by which a program would mean two different things, if there is one: the first in the alphabet."""
    found = mentioned(tree)
    names = [t.name for t in found]
    return min((n for n in names if names.count(n) > 1), default=None) if len({*names}) < len(names) else None
