"""What may stand in the way of vectors in a nest of loops, in words of its own loops and accesses.

A refusal tells of the program in the middle of the work. Here the nest is looked at as it was. What is said is true of
it; that it is the reason is a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..cursors.cursor import NodeCursor
from ..frontend.scope import types_at
from ..ir.names import Sym
from ..ir.nodes import Assign, Cell, Const, Expr, For, Read, Reduce, Var
from ..ir.precisions import element
from ..ir.printing import Names, names_at, print_expr
from ..ir.types import Tensor, Type
from ..ir.walk import walk

BY_DATA: Final = "which element that is comes from data"
"""What is said of a loop whose accesses no rewrite can know."""


@dataclass(frozen=True)
class Touch:
    """An element that a loop reads, or writes."""

    sym: Sym
    idx: Sequence[Expr]
    writes: bool


@dataclass(frozen=True)
class Innermost:
    """A loop without loops in it, with what it touches."""

    iter: Sym
    touches: Sequence[Touch]
    types: Mapping[Sym, Type]
    names: Names

    def show(self, e: Expr) -> str:
        return print_expr(e, self.names)

    def text(self, t: Touch) -> str:
        index = f"[{', '.join(map(self.show, t.idx))}]" if t.idx else ""
        return f"{self.names[t.sym]}{index}"

    def moves(self, e: Expr) -> bool:
        """Whether an index changes with the loop."""
        return any(isinstance(n, Var) and n.sym == self.iter for _, n in walk(e))

    def differs(self, a: Expr, b: Expr) -> bool:
        """Whether two indices are others, and one changes with the loop."""
        return self.show(a) != self.show(b) and (self.moves(a) or self.moves(b))


def in_the_way(nest: NodeCursor) -> str:
    """What may keep the first of the innermost loops of a nest that is said something of from being done in vectors; an
    empty text if nothing is known.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def third(n: size, m: size, a: f32[n, m], v: f32[n]):
    ...     assert m > 3
    ...     for i in seq(0, n):
    ...         v[i] = a[i, 3]
    ... ''')
    >>> in_the_way(p.find_loop("i"))
    'a[i, 3]: its elements lie m apart from one i to the next'
    """
    said = (tell(loop) for tell in TOLD for loop in _innermost(nest))
    return next(filter(None, said), "")


def _innermost(nest: NodeCursor) -> Iterator[Innermost]:
    tree = nest.proc.tree
    names = names_at(tree)
    for path, n in walk(nest.node, nest.path):
        if isinstance(n, For) and not any(isinstance(x, For) and x is not n for _, x in walk(n)):
            yield Innermost(n.iter, tuple(_touches(n)), types_at(tree, (*path, ("body", 0))), names)


def _touches(loop: For) -> Iterator[Touch]:
    nodes = [n for _, n in walk(loop)]
    inside = {id(n.read) for n in nodes if isinstance(n, Cell)}
    for n in nodes:
        if isinstance(n, Assign | Reduce):
            yield Touch(n.sym, n.idx, True)
        elif isinstance(n, Read) and id(n) not in inside:
            yield Touch(n.sym, n.idx, False)


def _by_data(loop: Innermost) -> str:
    for t in loop.touches:
        if any(isinstance(n, Cell) for e in t.idx for _, n in walk(e)):
            return f"{loop.text(t)}: {BY_DATA}"
    return ""


def _precisions(loop: Innermost) -> str:
    found = {t.sym: element(loop.types[t.sym]) for t in loop.touches if t.sym in loop.types}
    if len(set(found.values())) < 2:
        return ""
    return f"several precisions: {', '.join(f'{loop.names[sym]} is {kind}' for sym, kind in found.items())}"


def _waits(loop: Innermost) -> str:
    for w in loop.touches:
        for r in loop.touches:
            same = w.sym == r.sym and len(w.idx) == len(r.idx)
            if w.writes and not r.writes and same and any(map(loop.differs, w.idx, r.idx)):
                return f"{loop.text(r)}: another iteration of {loop.names[loop.iter]} may write it, as {loop.text(w)}"
    return ""


def _apart(loop: Innermost) -> str:
    for t in loop.touches:
        of = loop.types.get(t.sym)
        first = next((k for k, e in enumerate(t.idx) if loop.moves(e)), None)
        if isinstance(of, Tensor) and first is not None and first + 1 < len(t.idx):
            rest = of.shape[first + 1 :]
            far = " * ".join(loop.show(e) if isinstance(e, Var | Const) else f"({loop.show(e)})" for e in rest)
            return f"{loop.text(t)}: its elements lie {far} apart from one {loop.names[loop.iter]} to the next"
    return ""


TOLD: Final[Sequence[Callable[[Innermost], str]]] = (_by_data, _precisions, _waits, _apart)
"""What is looked for, first what weighs most."""
