"""Why a pattern matched nothing: what was looked for, and what comes nearest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from ..ir import nodes as ir
from ..ir.printing import callee_names, names_at, print_expr, print_stmt
from ..ir.walk import Path, get, walk
from .matching import is_hole
from .patterns import Match, Pattern

_TOKEN = re.compile(r"[A-Za-z]\w*|\d[\d.]*")
_SHOWN, _COMPARED = 3, 400  # a message is short, and quickly made: strategies may meet many


def missed(pattern: Pattern, tree: ir.ProcDef, roots: tuple[Path, ...], found: int = 0) -> str:
    """A message for a pattern without a match below `roots`. `found` counts the matches that `#n` passed over."""
    head = f"nothing matches {pattern.text!r} {f'in {tree.name}' if roots == ((),) else 'here'}"
    if found:
        there = "is 1 match" if found == 1 else f"are {found} matches"
        return f"{head}: there {there}, and the first is #0"
    if len(pattern.stmts) > 1:
        return f"{head}: {_missed_run(pattern, tree, roots)}"
    return f"{head}: {_nearest(pattern, tree, roots)}"


def count(found: Iterator[Match]) -> int:
    """How many matches there are, at most a hundred."""
    return sum(1 for _ in islice(found, 100))


def _missed_run(pattern: Pattern, tree: ir.ProcDef, roots: tuple[Path, ...]) -> str:
    for s in pattern.stmts:
        one = Pattern(ast.unparse(s), (s,), None)
        if not any(True for root in roots for _ in one.matches(tree, root)):
            return f"there is no {one.text!r}; {_nearest(one, tree, roots)}"
    return "each of these statements is there, but not one right after the other"


def _nearest(pattern: Pattern, tree: ir.ProcDef, roots: tuple[Path, ...]) -> str:
    what, kinds = _looked_for(pattern)
    match pattern.stmts[0]:
        case ast.AnnAssign(target=ast.Name(id=name)) if any(a.sym.name == name for a in tree.args):
            return f"{name} is an argument, and this finds statements: moves.find_alloc_or_arg({name!r}) goes to it"
    nodes = [n for root in roots for p, n in walk(get(tree, root), root) if isinstance(n, kinds) and _searched(p)]
    if not nodes:
        return f"it has no {what}"
    names = names_at(tree)
    if what == "loop" and _is_simple_loop(pattern.stmts[0]):
        spelled = dict.fromkeys(names[n.iter] for n in nodes if isinstance(n, ir.For))
        return f"its loops are {', '.join(islice(spelled, 12))}{' ..' if len(spelled) > 12 else ''}"
    texts = dict.fromkeys(_line(n, tree) for n in nodes[:_COMPARED])
    wanted = set(_TOKEN.findall(pattern.text))

    def likeness(text: str) -> int:
        return sum(2 if t[0].isalpha() else 1 for t in wanted & set(_TOKEN.findall(text)))

    ranked = sorted(texts, key=likeness, reverse=True)  # stable: textual order breaks ties
    return f"the nearest {what}: {'; '.join(f'`{t}`' for t in ranked[:_SHOWN])}"


def _searched(path: Path) -> bool:
    return not path or path[0][0] == "body"


def _line(n: ir.Node, tree: ir.ProcDef) -> str:
    names = names_at(tree)
    text = print_expr(n, names) if isinstance(n, ir.Expr) else print_stmt(n, names, callee_names(tree))  # type: ignore[arg-type]
    return text.partition("\n")[0]


def _is_simple_loop(s: ast.stmt) -> bool:
    return isinstance(s, ast.For) and is_hole(s.iter)


def _looked_for(pattern: Pattern) -> tuple[str, tuple[type, ...]]:
    """What a pattern looks for, in words, and the nodes that are such."""
    match pattern.stmts[0]:
        case ast.For():
            return "loop", (ir.For,)
        case ast.If():
            return "`if`", (ir.If,)
        case ast.AnnAssign():
            return "allocation", (ir.Alloc,)
        case ast.Assign(targets=[ast.Attribute()]):
            return "config write", (ir.WriteConfig,)
        case ast.Assign() | ast.AugAssign():
            return "assignment", (ir.Assign, ir.Reduce, ir.WindowDef)
        case ast.Pass():
            return "`pass`", (ir.Pass,)
        case ast.Expr(value=ast.Call()):
            return "call", (ir.Call, ir.ExternCall, ir.StrideExpr)
        case ast.Expr(value=ast.Name() | ast.Subscript()):
            return "read", (ir.Var, ir.Read, ir.WindowExpr)
        case ast.Expr(value=ast.Constant()):
            return "literal", (ir.Const,)
        case ast.Expr(value=ast.Attribute()):
            return "config read", (ir.ReadConfig,)
        case _:
            return "expression", (ir.Binary, ir.Unary, ir.Select)
