"""What the text of statements says before they are translated: which variables they set, through which names arrays are
written."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .expressions import PYTHON
from .jumps import own

VIEWS = frozenset(("reshape", "ravel", "transpose", "swapaxes", "squeeze", "expand_dims", "asarray", "view")) | {
    "real", "ascontiguousarray", "diagonal", "diag", "flip", "flipud", "fliplr", "rot90", "moveaxis", "conj",
    "conjugate", "einsum", "broadcast_to",
}  # fmt: skip
"""Functions and methods that may give a part of what they get."""
WRITING = ("fill", "copyto", "sort", "partition", "at", "fill_diagonal")
"""Functions and methods that write to what they get first."""
FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.BoolOp)


def names_set(stmts: Sequence[ast.AST]) -> frozenset[str]:
    """The variables that statements set."""
    return frozenset(
        n.id for s in stmts for n in own(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)
    )


def variables(f: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that are a function's own, wherever it sets them."""
    a = f.args
    given = {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    if isinstance(f, ast.Lambda):
        return frozenset(given)
    defined = {n.name for s in f.body for n in own(s) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    modules = {(n.asname or n.name).split(".")[0] for s in f.body for n in own(s) if isinstance(n, ast.alias)}
    return names_set(f.body) | given | defined | modules


def written_through(f: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names of a function through which arrays may be written, with those that they may be parts of."""
    out: set[str] = set()
    parts: list[tuple[set[str], ast.expr]] = []
    for s in ast.walk(f):
        match s:
            case ast.Assign(targets=targets, value=v):
                for t in targets:
                    out |= _subscripted(t)
                    parts.append((set(names_set([t])), v))
            case ast.AugAssign(target=t):
                out |= _subscripted(t) | ({t.id} if isinstance(t, ast.Name) else set())
            case ast.For(target=t, iter=v):
                parts.append((set(names_set([t])), v))
            case ast.Call(func=func, args=args, keywords=named):
                out |= {n.id for k in named if k.arg == "out" for n in ast.walk(k.value) if isinstance(n, ast.Name)}
                if isinstance(func, ast.Attribute) and func.attr in (
                    "fill",
                    "copyto",
                    "sort",
                    "partition",
                    "at",
                    "fill_diagonal",
                ):
                    out |= {n.id for x in (func.value, *args[:1]) for n in ast.walk(x) if isinstance(n, ast.Name)}
                elif isinstance(func, ast.Attribute):
                    out |= {n.id for a in args[2:] for n in ast.walk(a) if isinstance(n, ast.Name)}
                elif not (isinstance(func, ast.Name) and func.id in PYTHON):
                    out |= {n.id for a in args for n in ast.walk(a) if isinstance(n, ast.Name)}
            case _:
                pass
    before = -1
    while before != len(out):
        before = len(out)
        for names, v in parts:
            if names & out and not _fresh(v):
                out |= _shared(v)
    return frozenset(out)


def _shared(e: ast.expr) -> set[str]:
    """The names that a value may share memory with: of `a[i]` that is a."""
    match e:
        case ast.Subscript(value=of) | ast.Attribute(value=of):
            return _shared(of)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return {n for x in items for n in _shared(x)}
        case _:
            return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}


def _fresh(e: ast.expr) -> bool:
    """Whether a value surely shares no memory with what it is made of."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
        plain = len(e.args) <= 2 and not any(k.arg == "out" for k in e.keywords)
        return plain and e.func.attr not in VIEWS
    return isinstance(e, FRESH)


def _subscripted(t: ast.expr) -> set[str]:
    if isinstance(t, ast.Tuple | ast.List):
        return {n for x in t.elts for n in _subscripted(x)}
    if not isinstance(t, ast.Subscript):
        return set()
    of: ast.expr = t
    while isinstance(of, ast.Subscript | ast.Attribute):
        of = of.value
    return {n.id for n in ast.walk(of) if isinstance(n, ast.Name)}
