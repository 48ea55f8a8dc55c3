"""A version as JSON: its text with the places of statements, its tree, numbers that describe it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from .. import plugins
from ..cursors.cursor import ExprCursor, at_path
from ..cursors.proc import Proc
from ..ir.nodes import Binary, Const, ExternCall, For, If, Node, Stmt
from ..ir.printing import Names, callee_names, names_at, print_lines, print_type
from ..ir.room import with_room
from ..ir.types import Control, Scalar, Tensor
from ..ir.walk import is_control, walk
from .faults import Fault
from .places import kind, spelled
from .session import Version

Json = dict[str, Any]


def shown(v: Version, parts: list[str]) -> Json:
    """A version, with the parts that are asked for."""
    told: Json = {"version": v.id, "name": v.proc.name(), "key": v.key, "text": str(v.proc)}
    return told | {part: PARTS[part](v.proc) for part in parts}


def lines(p: Proc) -> list[Json]:
    """The lines of a procedure, with the places of the statements that they show."""
    found: list[Json] = []
    for path, text in print_lines(p.tree):
        is_stmt = path is not None and (not path or path[0][0] == "body")
        c = at_path(p, path) if is_stmt and path is not None else None
        found.append({"at": None if c is None else spelled(c), "kind": "" if c is None else kind(c), "text": text})
    return found


def args(p: Proc) -> list[Json]:
    """The arguments of a procedure."""
    names = names_at(p.tree)
    return [
        {
            "at": spelled(a),
            "name": names[a.node.sym],
            "type": print_type(a.node.type, a.node.mem, names),
            "is_size": isinstance(a.node.type, Control),
        }
        for a in p.args()
    ]


def expressions(p: Proc) -> list[Json]:
    """All expressions, with their places."""
    found = (c for c in p.root().descendants() if isinstance(c, ExprCursor))
    return [{"at": spelled(c), "kind": kind(c), "text": c.text()} for c in found]


def features(p: Proc) -> dict[str, int]:
    """Numbers that describe a procedure: how many nodes of each kind, how deep loops are nested.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def zero(n: size, x: f32[n]):\\n    for i in seq(0, n):\\n        x[i] = 0.0")
    >>> found = features(p)
    >>> found["For"], found["Assign"], found["loop_depth"], found["operations"]
    (1, 1, 1, 0)
    """
    nodes = [(path, n) for path, n in walk(p.tree)]
    counts = Counter(type(n).__name__ for _, n in nodes)
    loops = {path for path, n in nodes if isinstance(n, For)}
    scopes = {path for path, n in nodes if isinstance(n, For | If)}
    depth = {path: sum(path[:k] in loops for k in range(len(path) + 1)) for path, n in nodes if isinstance(n, Stmt)}
    data = [n for _, n in nodes if isinstance(n, Binary | ExternCall) and not is_control(n)]
    return dict(sorted(counts.items())) | {
        "nodes": len(nodes),
        "statements": len(depth),
        "scopes": len(scopes),
        "loop_depth": max(depth.values(), default=0),
        "operations": len(data),
        "constant_loops": sum(isinstance(n, For) and isinstance(n.hi, Const) for _, n in nodes),
        "parallel_loops": sum(isinstance(n, For) and n.mode == "par" for _, n in nodes),
    }


@with_room
def tree(p: Proc) -> Json:
    """The tree: nodes by the names of their classes, variables by the names that they print with."""
    return _node(p.tree, names_at(p.tree), {id(f): n for f, n in callee_names(p.tree).items()})


def _node(n: Node, names: Names, callees: Mapping[int, str]) -> Json:
    told: Json = {"node": type(n).__name__}
    lists = dict(n.CHILDREN)
    for name in type(n).__match_args__:
        value = getattr(n, name)
        if name not in lists:
            told |= _leaf(name, value, names, callees)
        elif lists[name]:
            told[name] = [_node(x, names, callees) for x in value]
        else:
            told[name] = _node(value, names, callees)
    return told


def _leaf(name: str, value: Any, names: Names, callees: Mapping[int, str]) -> Json:
    """A field that is no node."""
    if name in ("sym", "iter"):
        return {name: names.get(value, value.name)}
    if name == "f":
        return {name: callees.get(id(value)) or getattr(value, "name", "") or str(value)}
    if isinstance(value, bool | int | float | str) or value is None:
        return {name: value}
    if isinstance(value, Scalar | Control | Tensor):
        return {name: str(value)}
    return {name: getattr(value, "name", str(value))}


def c_text(p: Proc) -> str:
    """The C that the backend makes. Raises `Fault` where it makes none."""
    compile_ = cast(Callable[[list[Proc], str], Any], plugins.load(plugins.BACKENDS, "c"))
    try:
        return str(compile_([p], p.name()).text)
    except (ValueError, RuntimeError) as e:  # what a backend says of code, or of the machine
        raise Fault("not_compiled", str(e)) from None


PARTS: Final[Mapping[str, Callable[[Proc], Any]]] = {
    "lines": lines,
    "args": args,
    "expressions": expressions,
    "features": features,
    "tree": tree,
    "c": c_text,
}
