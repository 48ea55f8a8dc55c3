"""Patterns: object code with holes, searched for in trees.

`_` matches any expression, block, name or list of indices; `#n` at the end picks the n-th match,
from 0. What the forms match says `matching`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from ..ir import nodes as ir
from ..ir.room import with_room
from ..ir.span import Span
from ..ir.walk import Path, get, statements, walk
from .errors import PatternError
from .matching import BINARY, OPERATIONS, Matcher
from .source import Source, parse_python


@dataclass(frozen=True)
class NodeAt:
    """A match: one statement or expression."""

    path: Path


Match = NodeAt | Span


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern: statements, or one expression. `nth` is the number of the match wanted, if one is."""

    text: str
    stmts: tuple[ast.stmt, ...] = field(compare=False, repr=False)
    nth: int | None

    def matches(self, tree: ir.ProcDef, root: Path = ()) -> Iterator[Match]:
        """Matches at and below the node at `root`, in textual order. Of a whole procedure: in its body."""
        if not root:
            return self.matches_block(tree, (), "body", 0, len(tree.body))
        return self._pick(self._below(tree, root))

    def matches_block(self, tree: ir.ProcDef, parent: Path, label: str, lo: int, hi: int) -> Iterator[Match]:
        """Matches within a run of statements, in textual order."""

        def found() -> Iterator[Match]:
            for i in range(lo, hi):
                if len(self.stmts) > 1:
                    yield from self._run(tree, parent, label, i, hi)
                yield from self._below(tree, (*parent, (label, i)))

        return self._pick(found())

    def _pick(self, found: Iterator[Match]) -> Iterator[Match]:
        return found if self.nth is None else islice(found, self.nth, self.nth + 1)

    def expr(self) -> ast.expr | None:
        """The pattern as an expression, if it is one. A call may be a statement or an expression."""
        s = self.stmts[0]
        return s.value if len(self.stmts) == 1 and isinstance(s, ast.Expr) else None

    def _below(self, tree: ir.ProcDef, root: Path) -> Iterator[Match]:
        matcher, here, e = Matcher(tree), get(tree, root), self.expr()
        if e is None:
            yield from self._statements(matcher, here, root)
            return
        for path, node in walk(here, root):
            if isinstance(node, ir.Expr):
                if matcher.expr(e, node):
                    yield NodeAt(path)
            elif isinstance(e, ast.Call) and isinstance(node, ir.Stmt) and matcher.stmt(self.stmts[0], node):
                yield NodeAt(path)

    def _statements(self, matcher: Matcher, here: ir.Node, root: Path) -> Iterator[Match]:
        """Matches of a pattern that is no expression, so that only statements need be looked at."""
        kinds = _KINDS.get(type(self.stmts[0]), ())
        for path, s in statements(here, root):
            if len(self.stmts) > 1:
                if path != root:
                    yield from self._run(matcher.tree, path[:-1], *_position(matcher.tree, path))
            elif isinstance(s, kinds) and matcher.stmt(self.stmts[0], s):
                yield NodeAt(path)

    def _run(self, tree: ir.ProcDef, parent: Path, label: str, i: int, end: int) -> Iterator[Span]:
        """The run of statements that starts at position i, if it matches and ends before `end`."""
        matcher, n = Matcher(tree), len(self.stmts)
        block = getattr(get(tree, parent), label)[i : min(i + n, end)]
        if len(block) == n and all(matcher.stmt(p, s) for p, s in zip(self.stmts, block, strict=True)):
            yield Span(parent, label, i, i + n)


# What a fragment of a kind can match. (An expression, and `_`, can be a call or a statement of any kind.)
_KINDS: dict[type[ast.stmt], tuple[type, ...]] = {
    ast.For: (ir.For,),
    ast.If: (ir.If,),
    ast.AnnAssign: (ir.Alloc,),
    ast.Assign: (ir.Assign, ir.Reduce, ir.WindowDef, ir.WriteConfig),
    ast.AugAssign: (ir.Reduce,),
    ast.Pass: (ir.Pass,),
}


def _position(tree: ir.ProcDef, path: Path) -> tuple[str, int, int]:
    label, i = path[-1]
    assert i is not None
    return label, i, len(getattr(get(tree, path[:-1]), label))


# -- parsing ------------------------------------------------------------------------------------------

_NTH = re.compile(r"\s*#\s*([0-9]+)\s*$")
_FRAGMENTS = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.Pass,
    ast.Name, ast.Constant, ast.Subscript, ast.Slice, ast.Tuple, ast.Attribute, ast.Call,
    ast.UnaryOp, ast.BinOp, ast.Compare, ast.BoolOp, ast.IfExp,
    ast.Not, ast.USub, ast.MatMult, ast.expr_context, *BINARY, *OPERATIONS,
)  # fmt: skip


@lru_cache(maxsize=4096)
@with_room
def parse_pattern(text: object) -> Pattern:
    """A pattern from its text. Raises `PatternError`, with the place marked, if it is none.

    >>> parse_pattern("x[_] = _ + 1.0 #2").nth
    2
    """
    if not isinstance(text, str):
        raise PatternError(f"a pattern is a text, not {text!r}")
    m = _NTH.search(text)
    source = Source("<pattern>", tuple((text[: m.start()] if m else text).strip().splitlines()))
    for n, line in enumerate(source.lines, 1):
        if "#" in line:
            raise PatternError("after # stands the number of the match, counted from 0", source.at(n, line.index("#")))
    stmts = parse_python(source, PatternError, "not a pattern (such as `for i in _: _`, `x[_] = _` or `x[_]`)").body
    if not stmts:
        raise PatternError("an empty pattern matches nothing", source.at(1, 0))
    for s in stmts:
        for node in ast.walk(s):
            if (what := _foreign(node)) is not None:
                source.fail(PatternError, _placed(node, s), f"not a pattern: the object language has no {what}")
    return Pattern(text, tuple(stmts), _number(m[1]) if m else None)


def _number(digits: str) -> int:
    """The number of a match. Numbers beyond those of any procedure's matches count as one."""
    return int(digits) if len(digits) < 10 else 10**9


def _placed(node: ast.AST, near: ast.AST) -> ast.AST:
    return node if hasattr(node, "lineno") else near


def _foreign(node: ast.AST) -> str | None:
    """What a fragment has that no object code has, in words."""
    match node:
        case ast.Assign(targets=targets) if len(targets) > 1:
            return "assignment to several targets"
        case ast.AnnAssign(value=value) if value is not None:
            return "allocation with a value: `x: f32 = e` is `x: f32` and `x = e`"
        case ast.AugAssign(op=op) if not isinstance(op, ast.Add | ast.Mult):
            what = "reduction but +=, *=, `x = min(x, e)` and `x = max(x, e)`"
            return f"{what}: `x -= e` is `x += -e`, `x /= e` is `x = x / e`"
        case ast.For(orelse=orelse, target=target) if orelse or not isinstance(target, ast.Name):
            return "loop of this form: write `for i in _: _`"
        case ast.For(iter=ast.Call(args=[_, _, _])):
            return "loop with a step: such a loop counts from 0, and has its index in terms of the counter"
        case ast.Pow():
            return "power: `x ** 2` is `x * x`"
        case ast.Constant(value=value) if not isinstance(value, int | float):
            return f"literal {value!r}"
        case ast.Call(keywords=keywords) if keywords:
            return "arguments by name"
        case ast.Slice(step=step) if step is not None:
            return "slice with a step"
        case _ if not isinstance(node, _FRAGMENTS):
            return type(node).__name__.lower()
        case _:
            return None
