"""Loops that C compilers must not take several iterations of at a time. Imports the kernel's names.

gcc 12.2 does so with loops that read what earlier iterations wrote, if their bodies access several neighbours, as
they do where it has unrolled an inner loop: `a[i, j] = a[i - 1, j - 1] + b[i, j]` with constant bounds comes out wrong.
An empty statement that it takes for one with an effect keeps it from that. Only loops that may be of this kind have
it, and these have nothing to lose, as their iterations can't be side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from ..kernel import (
    Alloc,
    Assign,
    Call,
    Expr,
    For,
    Interval,
    Path,
    Point,
    Read,
    Reduce,
    Sym,
    WindowExpr,
    parallel,
    walk,
)
from .program import Function

STATEMENT = "EXO_IN_ORDER;"
PRELUDE = """\
// In loops whose iterations may need each other: gcc 12.2 takes several at a time of some.
#if defined(__GNUC__) && !defined(__clang__)
#define EXO_IN_ORDER __asm__ volatile("")
#else
#define EXO_IN_ORDER ((void)0)
#endif"""

Place = tuple[Sym, tuple[Expr | Point | Interval, ...]]


def in_order(s: For, path: Path, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a loop needs the statement. Of innermost loops it is known which iterations meet; of others, it is asked
    only whether they access a buffer in several places and write to it."""
    if s.mode != "seq" or _has_registers(s, f) or not _several_places(s, f, by_tree):
        return False
    innermost = not any(isinstance(n, For | Call) for _, n in walk(s) if n is not s)
    return not innermost or bool(asdict(parallel(f.tree, path)))


def _has_registers(s: For, f: Function) -> bool:
    """Whether its body has vectors already, of which C compilers make no larger ones."""
    return any(isinstance(n, Read | WindowExpr) and not f.data[n.sym].mem.direct for _, n in walk(s))


def _several_places(s: For, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a buffer of longer life is written, and accessed in more ways than one. A function may do so itself."""
    own = {n.sym for _, n in walk(s) if isinstance(n, Alloc)}
    places: dict[Sym, set[Place]] = {}
    written: set[Sym] = set()
    for _, n in walk(s):
        if isinstance(n, Assign | Reduce | Read | WindowExpr) and f.data[n.sym].rank:
            places.setdefault(f.data[n.sym].owner, set()).add((n.sym, tuple(n.idx)))
        if isinstance(n, Assign | Reduce):
            written.add(f.data[n.sym].owner)
        elif isinstance(n, Call):
            callee = by_tree[id(n.f.tree)]
            args = [n.args[i] for i in sorted(callee.written)]
            changed = {f.data[a.sym].owner for a in args if isinstance(a, Read | WindowExpr)} - own
            if changed and callee.tree.instr is None:
                return True
            written |= changed
    return any(len(places.get(b, ())) > 1 for b in written - own)
