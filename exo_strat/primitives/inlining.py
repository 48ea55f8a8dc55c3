"""Values and windows put in where they are used (paper, appendix A.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pyrsistent import pmap

from ..cursors.cursor import at_path
from ..cursors.kinds import AssignCursor, WindowDefCursor
from ..cursors.rewrite import Rewrite
from ..frontend.precisions import put_at
from ..frontend.scope import declarations
from ..ir.cells import written_args
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Assign,
    Call,
    Expr,
    For,
    If,
    Node,
    Pass,
    ProcDef,
    Read,
    Reduce,
    StrideExpr,
    ViewExpr,
    WindowExpr,
)
from ..ir.precisions import element
from ..ir.printing import names_at, print_expr
from ..ir.span import Span, span_of
from ..ir.types import Tensor
from ..ir.walk import Path, get, get_as
from ..logic.forms import is_opaque
from ..logic.questions import Access, accesses, index_of, safety, windows_at
from ..ops.failure import unsafe
from .framework import Trial, Where, primitive
from .helpers.access import bounds, relist, statement_of, uses_in
from .helpers.refusing import applicable, of_kind, refuse, require
from .helpers.wellformed import well_formed
from .procs import Actuals

__all__ = ["inline_assign", "inline_window"]

# -- inline_window ------------------------------------------------------------------------------------


@primitive(
    "A.6",
    same_values=True,
    cursors={"target": "gone", "values inside": "gone, lost", "values elsewhere": "stay, replaced, gone"},
    trial=Trial(programs="windows sliding sliding sliding"),
)
def inline_window(rw: Rewrite, w: WindowDefCursor) -> Where:
    """`w = a[..]; s  ~>  s[w -> a[..]]`. Returns the statements after the definition, or their scope.

    A window stays where it was defined: if its offsets read config fields, nothing after it may change those.
    Windows of the window, calls that get it and strides go through to the buffer.

    Fails with `Unsafe` if the code after it changes what the offsets read.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[8, 8]):
    ...     w = x[2, 1:7]
    ...     for i in seq(0, 6):
    ...         w[i] = 0.0
    ... ''')
    >>> print(inline_window.direct(p, "w = _"))
    def foo(x: f32[8, 8] @ DRAM):
        for i in seq(0, 6):
            x[2, 1 + i] = 0.0

    Refused: the window begins at the row that the field named when it was made; the field is changed before it is used.

    >>> from exo_strat import config
    >>> @config
    ... class Cfg:
    ...     row: index
    >>> q = proc_from_source('''
    ... def foo(x: f32[8, 8]):
    ...     assert Cfg.row == 0
    ...     w = x[Cfg.row, 0:8]
    ...     Cfg.row = 1
    ...     w[0] = 0.0
    ... ''', {"Cfg": Cfg})
    >>> print(inline_window()(q, q.find("w = _")).failure())
    inline_window(): not provable: the code does not change the expression
    one reads Cfg.row, the other writes Cfg.row
        def foo(x: f32[8, 8] @ DRAM):
            assert Cfg.row == 0
    -->     w = x[Cfg.row, 0:8]
            Cfg.row = 1
            w[0] = 0.0
    """
    tree, node, at = rw.proc.tree, w.node, span_of(w.path)
    what = f"{node.sym} is no window: it has other extents than {node.rhs.sym}"
    shown = of_kind(node.rhs, WindowExpr, what, w)
    rest = Span(at.parent, at.label, at.hi, len(getattr(get(tree, at.parent), at.label)))
    for d in shown.idx:
        for e in bounds(d):
            require(safety.unchanged(tree, rest, e), w)
    actuals = Actuals(pmap(), pmap({node.sym: shown}))
    for path in reversed(uses_in(tree, rest, node.sym)):  # inner places first: lists around them may shift
        _put(rw, path, actuals)
    _drop(rw, at)
    well_formed(rw)
    return at._replace(hi=rest.hi - 1) if rest.hi > rest.lo else at.parent


def _drop(rw: Rewrite, at: Span) -> None:
    """Delete a statement; a block needs another in its place."""
    if at.label == "body" and len(getattr(rw.node(at.parent), at.label)) == 1:
        rw.insert_after(at.path(), Pass())
    rw.delete(at)


def _put(rw: Rewrite, path: Path, actuals: Actuals) -> None:
    """The buffer in place of its window, with what stands in the indices kept."""
    old = rw.node(path)
    new = actuals.put(old)
    if isinstance(old, Assign | Reduce) or (isinstance(old, Read) and isinstance(new, Read)):
        assert isinstance(new, Assign | Reduce | Read)
        rw.set(path, sym=new.sym)
        relist(rw, path, "idx", new.idx)
    else:
        rw.replace(path, new)


# -- inline_assign ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Uses:
    """Where a buffer is used besides one assignment to it: in the statements that may see the value, up to one
    that surely overwrites it (`killed`), and elsewhere."""

    region: Span
    killed: bool
    inside: Sequence[Path]
    outside: Sequence[Path]


@primitive(
    "A.6",
    same_values=True,
    cursors={
        "target": "gone",
        "values inside": "stay, first copy, gone",
        "values elsewhere": "stay, replaced, gone",
    },
    trial=Trial(programs="assigned assigned assigned temporary sequence"),
)
def inline_assign(rw: Rewrite, s: AssignCursor) -> Where:
    """`x = e; s  ~>  s[x -> e]`. Returns the statements that may see the value, or the scope.

    The location x is an element of a buffer of which no window is made. The statements are those after the
    assignment in its block, up to one that surely overwrites the element. They must not write it otherwise, nor
    change what `e` reads before the last place where it is put in. Unless the element is overwritten, nobody else
    may see it: the buffer is local, and what is after the block, or a later iteration, does not read it. Where the
    buffer has another precision than `e`, the assignment converts, and so does what is put in: `f64(e)`.

    Fails with `NotApplicable` if x is an argument that is not overwritten, or seen through windows or by reference;
    with `Unsafe` if one of the other conditions does not hold.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         a: f32
    ...         a = 2.0 * x[i]
    ...         y[i] = a * a
    ... ''')
    >>> print(inline_assign.direct(p, "a = _"))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            a: f32 @ DRAM
            y[i] = 2.0 * x[i] * (2.0 * x[i])

    Refused: `x` is changed before `a` is used.

    >>> q = proc_from_source('''
    ... def foo(x: f32, y: f32):
    ...     a: f32
    ...     a = x
    ...     x = 0.0
    ...     y = a
    ... ''')
    >>> print(inline_assign()(q, q.find("a = _")).failure())
    inline_assign(): not true: the code does not change the expression
    one reads x, the other writes x
        def foo(x: f32 @ DRAM, y: f32 @ DRAM):
            a: f32 @ DRAM
    -->     a = x
            x = 0.0
            y = a
    """
    tree, path, node = rw.proc.tree, s.path, s.node
    region, reads = _readers(rw, s, node)
    _operands_stay(tree, path, node, region, reads, s)
    types = declarations(tree)
    # a read in the index of another one goes with it
    for p in (p for p in reads if not any(p[:k] in reads for k in range(len(p)))):
        rw.replace(p, put_at(tree, p, node.rhs, element(types[node.sym]), types))
    if reads:
        rw.carry((*path, ("rhs", None)), reads[0])
    at = span_of(path)
    _drop(rw, at)
    well_formed(rw)
    left = region.hi - region.lo
    return at._replace(hi=at.lo + left) if left else at.parent


def _readers(rw: Rewrite, s: AssignCursor, node: Assign) -> tuple[Span, list[Path]]:
    """The statements that may see what an assignment stores, and the places in them that do. Owed: nobody else."""
    tree, path = rw.proc.tree, s.path
    local = _scope(tree, path, node.sym)
    scope = local or Span((), "body", 0, len(tree.body))
    uses = _uses(tree, path, node, scope)
    own = local is not None or (uses.killed and node.sym not in windows_at(tree, path))
    applicable(own, f"{node.sym} is no local buffer: what it holds may be seen elsewhere", s)
    for p in (*uses.inside, *uses.outside):
        single = _is_element(tree, p)
        applicable(single, f"{node.sym} is also used through a window, or by reference", at_path(rw.proc, p))
    reads = [p for p in uses.inside if _sees(rw, path, node, uses, p)]
    if not uses.killed:
        for p in uses.outside:
            _not_after(rw, path, p)
        for p in (*uses.outside, *uses.inside):
            if p not in reads:
                _not_later(rw, path, scope, p)
    return uses.region, reads


def _scope(tree: ProcDef, path: Path, sym: Sym) -> Span | None:
    """The statements after the allocation of a buffer that is in scope at `path`; None if it isn't allocated."""
    for n in range(len(path) - 1, -1, -1):
        label, k = path[n]
        if k is None or label not in ("body", "orelse"):
            continue
        block = getattr(get(tree, path[:n]), label)
        for i in range(k):
            if isinstance(block[i], Alloc) and block[i].sym == sym:
                return Span(path[:n], label, i + 1, len(block))
    return None


def _uses(tree: ProcDef, path: Path, node: Assign, scope: Span) -> _Uses:
    """The uses of the buffer that the assignment at `path` writes."""
    at = span_of(path)
    block = getattr(get(tree, at.parent), at.label)
    again = (k for k in range(at.hi, len(block)) if _overwrites(tree, Span(*at[:2], k, k + 1).path(), node))
    end = next(again, None)
    region = Span(at.parent, at.label, at.hi, len(block) if end is None else end + 1)
    inside = uses_in(tree, region, node.sym)
    outside = [p for p in uses_in(tree, scope, node.sym) if p != path and p not in inside]
    return _Uses(region, end is not None, inside, outside)


def _overwrites(tree: ProcDef, path: Path, node: Assign) -> bool:
    """Whether the statement at `path` surely assigns to the same element, in the same iteration."""
    other = get(tree, path)
    if not isinstance(other, Assign) or other.sym != node.sym or any(map(is_opaque, other.idx)):
        return False
    return _equal(tree, path, node.idx, other.idx)


def _equal(tree: ProcDef, path: Path, one: Sequence[Expr], two: Sequence[Expr]) -> bool:
    return all(safety.equal_at(tree, path, x, y) for x, y in zip(one, two, strict=True))


def _is_element(tree: ProcDef, path: Path) -> bool:
    """Whether the use of a buffer at `path` is of the value of one element, or none (a stride)."""
    n = get(tree, path)
    if isinstance(n, WindowExpr | ViewExpr):
        return False
    if not isinstance(n, Read):
        return True
    t, call, k = declarations(tree)[n.sym], get(tree, path[:-1]), path[-1][1]
    if isinstance(t, Tensor) and not n.idx:
        return False
    if not isinstance(call, Call) or k is None:
        return True
    callee = call.f.tree
    return callee.args[k].sym not in written_args(callee)


# -- who sees the value ---------------------------------------------------------------------------------


def _not_after(rw: Rewrite, path: Path, use: Path) -> None:
    """Owed of a use of the buffer outside the statements that may see the value: it is not after them."""
    tree, n = rw.proc.tree, get(rw.proc.tree, use)
    if isinstance(n, Read | Reduce) and _is_after(use, path):
        reads = f"it reads {print_expr(Read(n.sym, n.idx), names_at(tree))}"
        _refuse_at(rw, use, f"nothing after the block reads {n.sym}", reads)


def _not_later(rw: Rewrite, path: Path, scope: Span, use: Path) -> None:
    """Owed of a use of the buffer that does not see the value in the same iteration: nor does it in a later one."""
    tree, n, write = rw.proc.tree, get(rw.proc.tree, use), get_as(rw.proc.tree, path, Assign)
    if isinstance(n, Assign | StrideExpr):
        return
    what = f"no later iteration reads what the assignment leaves in {write.sym}"
    reads = (n, get(tree, statement_of(use)))
    for loop in _shared_loops(tree, path, scope, use):
        if not safety.carried(tree, loop, write.sym):
            unseen = safety.unseen_later(tree, loop, write, reads, what)
            require(unseen, at_path(rw.proc, statement_of(use)))


def _refuse_at(rw: Rewrite, use: Path, obligation: str, details: str) -> None:
    refuse(replace(unsafe(obligation, details=details), place=at_path(rw.proc, statement_of(use))))


def _is_after(use: Path, path: Path) -> bool:
    """Whether a place is reached after the statement at `path` in the same iterations. Of two branches, only one
    is."""
    for (label, k), (at, i) in zip(use, path, strict=False):
        if (label, k) != (at, i):
            return label == at and k is not None and i is not None and k > i
    return False


def _shared_loops(tree: ProcDef, path: Path, scope: Span, use: Path) -> Iterator[Path]:
    """The loops in the buffer's scope around both a use and the statement at `path`."""
    for n in range(len(scope.parent) + 1, len(path)):
        if path[:n] == use[:n] and isinstance(get(tree, path[:n]), For):
            yield path[:n]


def _sees(rw: Rewrite, path: Path, node: Assign, uses: _Uses, use: Path) -> bool:
    """Whether a use after the assignment reads the element; it must be known, and must not write it."""
    tree, n = rw.proc.tree, get(rw.proc.tree, use)
    if isinstance(n, StrideExpr) or (uses.killed and use == uses.region._replace(lo=uses.region.hi - 1).path()):
        return False
    assert isinstance(n, Read | Assign | Reduce)
    if isinstance(n, Read) and _equal(tree, use, n.idx, node.idx):
        return True
    what = "it is known whether this reads the element" if isinstance(n, Read) else "the element is not written again"
    require(safety.apart(tree, use, accesses(node)[-1], [_access(n)], what), at_path(rw.proc, use))
    return False


def _access(n: Read | Assign | Reduce) -> Access:
    """The access that an element's use is."""
    return Access(n.sym, "R", index_of(n.idx), n) if isinstance(n, Read) else accesses(n)[-1]


def _operands_stay(
    tree: ProcDef, path: Path, node: Assign, region: Span, reads: Sequence[Path], s: AssignCursor
) -> None:
    """Owed: what the value reads, and where the element lies, stay the same until the last read of it."""
    if not reads:
        return
    last = max(p[len(region.parent)][1] or 0 for p in reads)
    there = [p for p in reads if p[len(region.parent)][1] == last]
    stmt = get(tree, region._replace(lo=last).path())
    hi = last + 1 if _evaluates_later(stmt, there, len(region.parent) + 1) else last
    for e in (node.rhs, *node.idx):
        require(safety.unchanged(tree, Span(*region[:2], region.lo, hi), e), s)


def _evaluates_later(stmt: Node, reads: Sequence[Path], depth: int) -> bool:
    """Whether a statement may evaluate some of its expressions after it has changed something."""
    if isinstance(stmt, If):
        return any(p[depth][0] != "cond" for p in reads)
    return isinstance(stmt, For | Call)
