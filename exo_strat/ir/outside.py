"""What a procedure mentions of the Python program around it, but for the procedures that it calls: memories, configs,
extern functions. Imports nodes and walks only.

A name means one of them in a whole program, with all that it calls: in C there is one record of that name and one
function, and a text names it once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from .config import Config
from .externs import ExternFn
from .memo import memo_by_identity
from .memory import Memory
from .nodes import Alloc, Arg, Call, ExternCall, For, If, Node, ProcDef, ReadConfig, Stmt, WriteConfig
from .walk import walk

Outside: TypeAlias = Memory | Config | ExternFn


def mentioned_by(n: Node) -> Outside | None:
    """What a node itself mentions, if anything. A conversion goes by the name of a type, and is none."""
    match n:
        case Alloc(mem=mem) | Arg(mem=mem):
            return mem
        case WriteConfig(config=c) | ReadConfig(config=c):
            return c
        case ExternCall(f=f) if f.result is None:
            return f
        case _:
            return None


@memo_by_identity
def mentioned(n: ProcDef | Stmt) -> frozenset[Outside]:
    """All that a procedure or statement mentions, and what it calls."""
    match n:
        case ProcDef():
            heads = (mentioned_by(m) for part in (*n.args, *n.preds) for _, m in walk(part))
            return _found(heads).union(*map(mentioned, n.body))
        case For(lo=lo, hi=hi, body=body):
            return _found(mentioned_by(m) for e in (lo, hi) for _, m in walk(e)).union(*map(mentioned, body))
        case If(cond=cond, body=body, orelse=orelse):
            return _found(mentioned_by(m) for _, m in walk(cond)).union(*map(mentioned, (*body, *orelse)))
        case _:
            own = _found(mentioned_by(m) for _, m in walk(n))
            return own | mentioned(n.f.tree) if isinstance(n, Call) else own


def _found(things: Iterator[Outside | None]) -> frozenset[Outside]:
    return frozenset([t for t in things if t is not None])


def two_of_one_name(tree: ProcDef) -> str | None:
    """A name by which a program would mean two different things, if there is one."""
    found: dict[str, Outside] = {}
    for thing in sorted(mentioned(tree), key=lambda t: t.name):
        if found.setdefault(thing.name, thing) != thing:
            return thing.name
    return None
