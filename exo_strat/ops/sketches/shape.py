"""The shape of a program: its loops and branches, and the sketch that describes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...cursors.cursor import BlockCursor, Cursor, ProcCursor, StmtCursor
from ...cursors.kinds import ForCursor, IfCursor
from ...cursors.proc import Proc
from ...ir.nodes import Expr
from ...ir.printing import names_at, print_expr
from ...logic.forms import Env
from ...logic.questions import difference, normalize_expr


@dataclass(frozen=True)
class Part:
    """A loop, a branch of an `if`, or another statement, with what is inside it."""

    word: str
    cursor: StmtCursor
    inside: tuple[Part, ...] = ()

    @property
    def is_scope(self) -> bool:
        """Whether it is a loop or a branch."""
        return self.word != ""

    def __str__(self) -> str:
        if isinstance(self.cursor, ForCursor):
            return f"{self.word} {self.cursor.name()} {extent_text(self.cursor)}"
        return self.word


def parts_at(c: Cursor) -> tuple[Part, ...]:
    """The statements that a cursor points to, as parts: those of a procedure or block, or the one in focus."""
    if isinstance(c, ProcCursor):
        return _parts(c.body())
    if isinstance(c, BlockCursor):
        return _parts(tuple(c))
    return _parts((c,)) if isinstance(c, StmtCursor) else ()


def _parts(stmts: Sequence[StmtCursor] | BlockCursor) -> tuple[Part, ...]:
    return tuple(part for s in stmts for part in _part(s))


def _part(s: StmtCursor) -> Iterator[Part]:
    match s:
        case ForCursor():
            yield Part(s.mode(), s, _parts(s.body()))
        case IfCursor():
            yield Part("if", s, _parts(s.body()))
            if s.has_else():
                yield Part("else", s, _parts(s.orelse()))
        case _:
            yield Part("", s)


def extent(c: ForCursor) -> Expr:
    """The number of iterations of a loop, if it is not negative."""
    loop = c.node
    return difference(loop.hi, loop.lo)


def extent_text(c: ForCursor) -> str:
    """The same as object code, so that it can stand after a name."""
    text = print_expr(normalize_expr(extent(c), (), Env()), names_at(c.proc.tree))
    return f"0 + ({text})" if text[0] == "-" else text


def sketch(place: Proc | Cursor) -> str:
    """The loops and branches of a procedure or at a place, as the sketch that describes them: see `expect`.

    >>> from exo_strat import proc_from_source, sketch
    >>> print(sketch(proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     for i in par(0, m):
    ...         y[i] = 0.0
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')))
    par i m > seq j n
    """
    c = place.root() if isinstance(place, Proc) else place
    return sketched(parts_at(c))


def sketched(parts: Sequence[Part]) -> str:
    """The sketch that describes parts."""
    return "; ".join(_item(p) for p in parts if p.is_scope) or "..."


def _item(p: Part) -> str:
    inner = [x for x in p.inside if x.is_scope]
    if not inner:
        return str(p)
    text = sketched(inner)
    return f"{p} > {text}" if len(inner) == 1 else f"{p} > {{ {text} }}"
