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
    Const,
    Expr,
    For,
    Interval,
    Node,
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

Place = tuple[Sym, Sym, tuple[Expr | Point | Interval, ...]]


def in_order(s: For, path: Path, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a loop needs the statement: not if it holds one of unknown length, as that stays a loop, or vectors. Of
    innermost loops it is known which iterations meet; of others, it is asked only what they read and write."""
    if s.mode != "seq" or not _reads_other_places(s, f, by_tree):
        return False
    inside = [n for _, n in walk(s) if n is not s]
    if _has_vectors(s, f, by_tree) or (any(map(_of_unknown_length, inside)) and not _is_called(f, by_tree)):
        return False
    innermost = not any(isinstance(n, For | Call) for n in inside)
    return not innermost or bool(asdict(parallel(f.tree, path)))


def _of_unknown_length(n: Node) -> bool:
    """Whether it is a loop from a number to an expression."""
    return isinstance(n, For) and isinstance(n.lo, Const) and not isinstance(n.hi, Const)


def _is_called(f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether other procedures call it: a compiler then may know what they pass."""
    trees = (g.tree for g in by_tree.values())
    return any(by_tree[id(n.f.tree)] is f for tree in trees for _, n in walk(tree) if isinstance(n, Call))


def _has_vectors(s: Node, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether code, or what it calls, has vectors already, of which compilers make no larger ones."""
    for _, n in walk(s):
        if isinstance(n, Read | WindowExpr) and not f.data[n.sym].mem.direct:
            return True
        if isinstance(n, Call) and n.f.tree.instr is None:
            callee = by_tree[id(n.f.tree)]
            if _has_vectors(callee.tree, callee, by_tree):
                return True
    return False


def _reads_other_places(s: For, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a buffer of longer life is written in one way, and read in another. A function may do so itself."""
    own = {n.sym for _, n in walk(s) if isinstance(n, Alloc)}
    reads: set[Place] = set()
    writes: set[Place] = set()
    for _, n in walk(s):
        if isinstance(n, Read | Reduce | WindowExpr):
            reads.add((f.data[n.sym].owner, n.sym, tuple(n.idx)))
        if isinstance(n, Assign | Reduce):
            writes.add((f.data[n.sym].owner, n.sym, tuple(n.idx)))
        elif isinstance(n, Call):
            callee = by_tree[id(n.f.tree)]
            changed = [a for a in (n.args[i] for i in sorted(callee.written)) if isinstance(a, Read | WindowExpr)]
            if callee.tree.instr is None and any(f.data[a.sym].owner not in own for a in changed):
                return True
            writes |= {(f.data[a.sym].owner, a.sym, tuple(a.idx)) for a in changed}
    return any(r[0] == w[0] and r != w for w in writes for r in reads if w[0] not in own)
