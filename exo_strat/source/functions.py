"""Functions as Python source: named ones by name, lambdas by their text."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

PACKAGE: Final = __name__.partition(".")[0]
QUALIFIED: Final = ("direct", "moves", "traversals")
"""The modules of the package by which users name functions; other functions are exported by the package itself."""

NO_SOURCE: Final = "<lambda>"
"""What stands for a lambda whose text can't be found: one typed at a prompt, say, or made by `eval`."""


def function_name(f: FunctionType | BuiltinFunctionType | type) -> str:
    """The name by which users call a function or class.

    >>> from exo_strat.ops.traversals import lrn
    >>> function_name(lrn), function_name(dict.fromkeys), function_name(abs)
    ('traversals.lrn', 'dict.fromkeys', 'abs')
    """
    name = f.__name__ if "<locals>" in f.__qualname__ else f.__qualname__
    parts = (f.__module__ or "").split(".")
    return f"{parts[-1]}.{name}" if parts[0] == PACKAGE and parts[-1] in QUALIFIED else name


def lambda_source(f: FunctionType, show: Callable[[object], str]) -> str:
    """The text of a lambda, with the values that it closes over put in; `NO_SOURCE` if the text can't be found."""
    node = _find(f)
    if node is None:
        return NO_SOURCE
    values = dict(zip(f.__code__.co_freevars, (c.cell_contents for c in f.__closure__ or ()), strict=True))
    if any(n in values for n in _bound(node)) or any(getattr(v, "__closure__", None) for v in values.values()):
        return NO_SOURCE  # a name means one thing here and another there, or functions may call each other
    given = iter((*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()))
    try:
        closed = {name: _expression(show(v)) for name, v in values.items()}
        defaults = [_expression(show(v)) for v in given]
    except SyntaxError:  # a value with no source of its own
        return NO_SOURCE
    found: ast.Lambda = _Closing(closed).visit(ast.parse(ast.unparse(node), mode="eval").body)
    n = len(found.args.defaults)
    found.args.defaults = defaults[:n]
    rest = iter(defaults[n:])
    found.args.kw_defaults = [None if d is None else next(rest) for d in found.args.kw_defaults]
    return ast.unparse(found)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Closing(ast.NodeTransformer):
    """Puts expressions in the places of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)


def _bound(node: ast.Lambda) -> Iterator[str]:
    """The names that a lambda binds, itself or inside."""
    for n in ast.walk(node):
        if isinstance(n, ast.arg):
            yield n.arg
        elif isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            yield n.id


def _find(f: FunctionType) -> ast.Lambda | None:
    """The lambda in its file: the innermost one at its line that holds all of its code."""
    lines = linecache.getlines(f.__code__.co_filename, f.__globals__)
    found = [node for node in _lambdas("".join(lines)) if _holds(node, f)]
    return min(found, key=_extent, default=None)


@lru_cache(maxsize=64)
def _lambdas(text: str) -> tuple[ast.Lambda, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # not what was run: the file has changed
        return ()
    return tuple(n for n in ast.walk(tree) if isinstance(n, ast.Lambda))


def _holds(node: ast.Lambda, f: FunctionType) -> bool:
    code, body = f.__code__, node.body
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    if node.lineno != code.co_firstlineno or list(code.co_varnames[: len(names)]) != names:
        return False
    first, last = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    places = [p for p in code.co_positions() if None not in p and (p[2], p[3]) != (0, 0)]
    return any(places) and all(first <= (a, c) and (b, d) <= last for a, b, c, d in places)


def _extent(node: ast.Lambda) -> Any:
    return node.body.end_lineno, node.body.end_col_offset
