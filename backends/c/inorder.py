"""Loops that C compilers must not take several iterations of at a time.

gcc 12.2 does so with loops that read what earlier iterations wrote, if their bodies access several neighbours, as
they do where it has unrolled an inner loop: `a[i, j] = a[i - 1, j - 1] + b[i, j]` with constant bounds comes out wrong.
So does clang 14 for AVX-512, of rows in which `a[i, j] += a[i, j - 1]`; of other rows it is kept from that by a flag
(`toolchain`). An empty statement that they take for one with an effect keeps them from that. Only loops that may be of
this kind have it, and their iterations can't be side by side in any case. Flags by which gcc avoids the fault keep all
loops of a file from becoming vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    Var,
    WindowExpr,
    declarators,
    iterations_apart,
    walk,
)
from .program import Function, with_callees

STATEMENT = "EXO_IN_ORDER;"
PRELUDE = """\
// In loops whose iterations may need each other: gcc 12.2 and clang 14 take several at a time of some.
#ifdef __GNUC__
#define EXO_IN_ORDER __asm__ volatile("")
#else
#define EXO_IN_ORDER ((void)0)
#endif"""

Place = tuple[Sym, Sym, tuple[Expr | Point | Interval, ...]]
Written = Assign | Reduce | Read | WindowExpr


def in_order(s: For, path: Path, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a loop needs the statement: not if all it writes are registers, or if no iteration touches what another
    one writes. Instructions that write to memory may do so number by number, as one does that stores few lanes.

    A loop inside it of unknown length may be one of known length for the C compiler: by a condition around it, or by
    what a caller passes. If it is none, it stays a loop, and the statement costs nothing: what iterations touch, which
    takes long to find out, is asked where all inside may be unrolled.
    """
    if s.mode != "seq" or not _several_places(s, f, by_tree) or not _writes_memory(s, f, by_tree):
        return False
    if _stays_in_its_column([n for _, n in walk(s) if n is not s], f):
        return False
    return _holds_a_loop_of_any_length(s, f, by_tree) or not iterations_apart(f.tree, path)


def _holds_a_loop_of_any_length(s: For, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a loop, or what it calls, holds one whose bounds are no numbers."""
    loops = (n for n, _ in with_callees(s, f, by_tree) if isinstance(n, For) and n is not s)
    return any(not (isinstance(n.lo, Const) and isinstance(n.hi, Const)) for n in loops)


def _stays_in_its_column(inside: Sequence[Node], f: Function) -> bool:
    """Whether a body is one statement that gets values only from itself: `a[i, j]` from `a[i - 1, j]`, where `j` is a
    loop inside. Of the copies that a compiler makes of it, each then goes on with its own values."""
    writes = [n for n in inside if isinstance(n, Assign | Reduce)]
    if len(writes) != 1 or any(isinstance(n, Call) for n in inside):
        return False
    (w,) = writes
    inner = {n.iter for n in inside if isinstance(n, For)}
    if not inner:
        return False
    columns = {d: e.sym for d, e in enumerate(w.idx) if isinstance(e, Var) and e.sym in inner}
    return set(columns.values()) == inner and all(
        n.sym == w.sym and all(n.idx[d] == w.idx[d] for d in columns)
        for n in inside
        if isinstance(n, Read | WindowExpr) and f.data[n.sym].owner == f.data[w.sym].owner
    )


def _writes_memory(s: Node, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether code, or what it calls, writes to memory that lives longer, and not only to registers."""
    found = list(with_callees(s, f, by_tree))
    own = {n.sym for n, _ in found if isinstance(n, Alloc)}
    written = (g.data[w.sym] for n, g in found for w in _written(n, by_tree))
    return any(data.mem.direct and data.owner not in own for data in written)


def _written(n: Node, by_tree: Mapping[int, Function]) -> Sequence[Written]:
    """What a statement, or an instruction, writes."""
    if isinstance(n, Assign | Reduce):
        return (n,)
    if not isinstance(n, Call) or n.f.tree.instr is None:
        return ()
    return [a for i in sorted(by_tree[id(n.f.tree)].written) if isinstance(a := n.args[i], Read | WindowExpr)]


def _several_places(s: For, f: Function, by_tree: Mapping[int, Function]) -> bool:
    """Whether a buffer of longer life is written, and accessed in more ways than one. A function may do so itself."""
    own = {n.sym for n in declarators(s) if isinstance(n, Alloc)}
    places: set[Place] = set()
    writes: set[Place] = set()
    for _, n in walk(s):
        if isinstance(n, Read | WindowExpr):
            places.add((f.data[n.sym].owner, n.sym, tuple(n.idx)))
        if isinstance(n, Assign | Reduce):
            writes.add((f.data[n.sym].owner, n.sym, tuple(n.idx)))
        elif isinstance(n, Call):
            callee = by_tree[id(n.f.tree)]
            changed = [a for a in (n.args[i] for i in sorted(callee.written)) if isinstance(a, Read | WindowExpr)]
            if callee.tree.instr is None and any(f.data[a.sym].owner not in own for a in changed):
                return True
            writes |= {(f.data[a.sym].owner, a.sym, tuple(a.idx)) for a in changed}
    return any(p[0] == w[0] and p != w for w in writes for p in places | writes if w[0] not in own)
