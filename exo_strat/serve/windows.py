"""The windows that a block touches, as object code: what may be staged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..cursors.cursor import BlockCursor
from ..forms import Lin, affine, to_expr
from ..frontend.scope import scope_at
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Assign, Cell, Expr, For, Read, Reduce, Stmt
from ..ir.printing import Names, names_at, print_expr
from ..ir.types import Tensor
from ..ir.walk import mentions, subst, walk

MOST: Final = 3
"""Of so many accesses to one buffer, the windows around any two are made."""
Ends = tuple[Lin, Lin]
"""The first and the last index of a range."""


def windows(block: BlockCursor) -> Iterator[tuple[str, Sym, str]]:
    """The buffers that a block touches, each with windows: what one access touches, or two, over all iterations of the
    loops in the block; and the whole.

    The ends are those at the first and the last iterations, which is right for indices that grow with them: it is for
    `stage_mem` to prove.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 2, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for k in seq(0, 4):
    ...             y[i] += x[i + 2, k]
    ... ''')
    >>> [text for _, _, text in windows(p.find_loop("k").as_block())]
    ['x[i + 2, 0:4]', 'x[0:n + 2, 0:4]', 'y[i]', 'y[0:n]']
    """
    tree, stmts = block.proc.tree, list(block.stmts)
    names, scope = names_at(tree), scope_at(tree, block.place())
    for sym in sorted(set[Sym]().union(*map(mentions, stmts)), key=lambda s: s.id):
        t = scope.types.get(sym)
        if not isinstance(t, Tensor):
            continue
        found = list[str]()
        ends = ranges(stmts, sym, frozenset(scope.types))[:MOST]
        for first in ends:
            for last in ends:
                dims = [_dim(f, g, names) for f, g in zip(first, last, strict=True)]
                found.append(f"{names[sym]}[{', '.join(dims)}]")
        whole = ", ".join(f"0:{print_expr(e, names)}" for e in t.shape)
        for text in dict.fromkeys((*found, f"{names[sym]}[{whole}]")):
            yield names[sym], sym, text


def ranges(stmts: Sequence[Stmt], sym: Sym, known: frozenset[Sym]) -> list[tuple[Ends, ...]]:
    """What each access to a buffer touches over all iterations of the loops in some statements, one range a dimension;
    of those accesses whose indices are sums of what is `known` around the statements."""
    loops = [n for s in stmts for _, n in walk(s) if isinstance(n, For)]
    touched = dict.fromkeys(
        tuple(n.idx)
        for s in stmts
        for _, n in walk(s)
        if isinstance(n, Assign | Reduce | Read) and n.sym == sym and n.idx
    )
    found: dict[tuple[Ends, ...], None] = {}
    for idx in touched:
        ends = [_ends(e, loops, known) for e in idx]
        dims = tuple(e for e in ends if e is not None)
        if len(dims) == len(ends):
            found.setdefault(dims)
    return list(found)


def _ends(e: Expr, loops: Sequence[For], known: frozenset[Sym]) -> Ends | None:
    """An index at the first and at the last iterations of loops."""
    lo, hi = e, e
    for loop in reversed(loops):  # bounds of inner ones may mention outer ones
        lo = subst(lo, {loop.iter: loop.lo})
        hi = subst(hi, {loop.iter: b.sub(loop.hi, b.ONE)})
    if not mentions(lo) | mentions(hi) <= known or any(isinstance(n, Cell) for _, n in walk(e)):
        return None
    first, last = affine(lo), affine(hi)
    return None if first is None or last is None else (first, last)


def _dim(first: Ends, last: Ends, names: Names) -> str:
    """A dimension of a window, from where one range begins to where another one ends."""
    lo, hi = first[0], last[1]
    begin = print_expr(to_expr(lo), names)
    return begin if lo == hi else f"{begin}:{print_expr(to_expr(hi + 1), names)}"
