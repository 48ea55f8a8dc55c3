"""What a procedure mentions of the Python program around it, but for the procedures that it calls: memories, configs,
extern functions.

A name means one of them in a whole program, with all that it calls: in C there is one record of that name and one
function, and a text names it once.
"""

from __future__ import annotations

from typing import TypeAlias

from .config import Config
from .externs import ExternFn
from .memo import memo_by_identity
from .memory import Memory
from .nodes import Alloc, Arg, Call, ExternCall, For, If, Node, ProcDef, ReadConfig, Stmt, WriteConfig
from .walk import children, parts

Outside: TypeAlias = Memory | Config | ExternFn


def mentioned_by(n: Node) -> Outside | None:
    """What a node itself mentions, if anything. A conversion goes by the name of a type, and is none."""
    match n:
        case Alloc(mem=mem) | Arg(mem=mem):
            return mem
        case WriteConfig(config=c) | ReadConfig(config=c):
            return c
        case ExternCall(f=f) if not f.converts:
            return f
        case _:
            return None


@memo_by_identity
def fields_and_externs(n: ProcDef | Stmt) -> tuple[ReadConfig | ExternCall, ...]:
    """What reads a config field or calls an extern function in a procedure or statement, but for the statements that
    it holds."""
    found: list[ReadConfig | ExternCall] = []
    todo = [e for (label, _), e in children(n) if label not in ("body", "orelse")]
    while todo:
        e = todo.pop()
        if isinstance(e, ReadConfig | ExternCall):
            found.append(e)
        if e.CHILDREN:
            todo += parts(e)
    return tuple(found)


@memo_by_identity
def mentioned(n: ProcDef | Stmt) -> frozenset[Outside]:
    """All that a procedure or statement mentions, and what it calls."""
    heads = (*n.args, *fields_and_externs(n)) if isinstance(n, ProcDef) else (n, *fields_and_externs(n))
    own = frozenset([thing for m in heads if (thing := mentioned_by(m)) is not None])
    match n:
        case ProcDef(body=body) | For(body=body):
            return own.union(*map(mentioned, body))
        case If(body=body, orelse=orelse):
            return own.union(*map(mentioned, (*body, *orelse)))
        case Call(f=f):
            return own | mentioned(f.tree)
        case _:
            return own


@memo_by_identity
def has_configs(tree: ProcDef) -> bool:
    """Whether a procedure mentions a config, itself or in what it calls."""
    return any(isinstance(thing, Config) for thing in mentioned(tree))


def two_of_one_name(tree: ProcDef) -> str | None:
    """A name by which a program would mean two different things, if there is one: the first in the alphabet."""
    found = mentioned(tree)
    names = [t.name for t in found]
    return min((n for n in names if names.count(n) > 1), default=None) if len({*names}) < len(names) else None
