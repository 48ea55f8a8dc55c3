"""Forms of loops and indices: changed ranges, indices and bounds from buffers, loops that end early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyrsistent import pvector

from ..cursors.kinds import ForCursor
from ..cursors.proc import Proc
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.memory import DRAM
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Cell,
    Claim,
    Const,
    Expr,
    For,
    If,
    Node,
    ProcDef,
    Read,
    Reduce,
    Stmt,
    Var,
)
from ..ir.types import Scalar, Tensor, i32, size
from ..ir.walk import Path, get, in_scope, mentions, put_at, walk
from ..ops.strategy import Op
from ..primitives import reorder_loops, reverse_loop, shift_loop, widen_loop
from .choices import Choices
from .form_places import checked, condition_at, elements_at, fresh, indices_of, integers_at, is_integer, loops_of
from .targets import targets


def ranges(ch: Choices, p: Proc) -> Proc | None:
    """Of a random loop the range is changed by the primitives for that, if they may."""
    loops = [c for c in targets(p, (ForCursor,)) if isinstance(c, ForCursor)]
    if not loops:
        return None
    c = ch.pick(loops)
    s, outer = c.node, [e for e in integers_at(p.tree, c.path) if isinstance(e, Var)]
    assert isinstance(s, For)
    text = {k: getattr(c, k)().text() for k in ("lo", "hi")}
    near_, far = f"{text['lo']} - {ch.upto(2)}", f"{text['hi']} + {ch.upto(2)}"
    options: list[Op] = [widen_loop(near_, far), reverse_loop(), reorder_loops()]
    if outer:
        options.append(shift_loop(f"{ch.pick(outer).sym} + {ch.upto(1)}"))
    for op in [ch.pick(options), options[0]]:
        done = op(p, c).value_or(None)
        if done is not None:
            return done[0]
    return None


def range_spots(tree: ProcDef) -> Iterator[Path]:
    """Loops with a guard on their own iterator, loops in whose bounds others occur, and indices that fall."""
    iters = {s.iter for _, s in loops_of(tree)}
    for path, s in loops_of(tree):
        guard = s.body[0] if len(s.body) == 1 else None
        if (mentions(s.lo) | mentions(s.hi)) & iters or (isinstance(guard, If) and s.iter in mentions(guard.cond)):
            yield path
    for path, e in indices_of(tree):
        if isinstance(e, Binary) and e.op == "-" and mentions(e.rhs) & iters:
            yield path


def cells(ch: Choices, p: Proc) -> Proc | None:
    """Some indices along one extent are taken from a new argument, which has that extent and is within it."""
    types, args = declarations(p.tree), {a.sym for a in p.tree.args}
    indices: dict[Expr, list[Path]] = {}
    for path, _ in indices_of(p.tree):
        n = get(p.tree, path[:-1] if path[-1][0] == "idx" else path[:-2])
        t = types.get(n.sym)  # type: ignore[union-attr]
        k = path[-1][1] if path[-1][0] == "idx" else path[-2][1]
        if isinstance(t, Tensor) and k is not None and k < len(t.shape) and mentions(t.shape[k]) <= args:
            indices.setdefault(t.shape[k], []).append(path)
    if not indices:
        return None
    extent = ch.pick(list(indices))
    tree, at = fresh(p.tree, ch.pick(["at", "to"]))
    chosen = {ch.pick(indices[extent]), *(path for path in indices[extent] if ch.chance(30))}
    for path in sorted(chosen, key=len, reverse=True):
        e = get(tree, path)
        if ch.chance(15):
            e = b.ZERO
        tree = put_at(tree, path, Cell(Read(at, pvector([e])), True))  # type: ignore[list-item]
    kind = Scalar(ch.pick(["i32", "i32", "i64", "u8", "i16"]))
    claims: list[Expr] = [Claim("within", at, 1, pvector([b.ZERO, extent]))]
    if ch.chance(50):
        claims.append(Claim(ch.pick(["distinct", "distinct", "rising"]), at, 1, pvector()))
    arg = Arg(at, Tensor(kind, pvector([extent]), False), DRAM)
    return checked(_with_head(tree, arg, claims))


def _with_head(tree: ProcDef, arg: Arg, claims: Sequence[Expr]) -> ProcDef:
    """The procedure with one more argument, and what is asserted of it."""
    return ProcDef(tree.name, tree.args.append(arg), tree.preds.extend(claims), tree.body, tree.instr, tree.next_id)


def rows(ch: Choices, p: Proc) -> Proc | None:
    """The range of a loop is a row between bounds from a new argument, where the loop around it allows that, or a part
    of that range."""
    loops = loops_of(p.tree)
    if not loops:
        return None
    path, s = ch.pick(loops)
    sizes = {a.sym for a in p.tree.args if a.type == size}
    outer = [d for _, d in in_scope(p.tree, path) if isinstance(d, For)][::-1]
    tree, ptr = fresh(p.tree, "ptr")

    def taken(e: Expr) -> Expr:
        return Cell(Read(ptr, pvector([e])), True)

    whole = [o for o in outer if isinstance(o.lo, Const) and o.lo.value >= 0 and mentions(o.hi) <= sizes]
    count: Expr = b.num(4)
    if whole:
        o = ch.pick(whole)
        i: Expr = Var(o.iter)
        count = o.hi
    else:
        i = b.minimum(b.maximum(ch.pick(integers_at(tree, path) or [b.ONE]), b.ZERO), b.num(3))
    first, last = (taken(i), taken(b.add(i, b.ONE))) if ch.chance(75) else (b.ZERO, taken(i))
    plain = isinstance(s.lo, Const) and s.lo.value >= 0 and mentions(s.hi) <= sizes
    if not plain or ch.chance(30):
        first, last = b.maximum(s.lo, first), b.minimum(s.hi, last)
    new = For(s.iter, first, last, s.body, s.mode)
    hi = b.add(s.hi, b.ONE) if mentions(s.hi) <= sizes else b.num(6)
    lo = s.lo if isinstance(s.lo, Const) else b.ZERO
    claims: list[Expr] = [Claim("within", ptr, 1, pvector([lo, hi]))]
    if ch.chance(80):
        claims.append(Claim("rising", ptr, 1, pvector()))
    kind = Tensor(ch.pick([i32, Scalar("u8"), Scalar("i64")]), pvector([b.add(count, b.ONE)]), False)
    return checked(_with_head(put_at(tree, path, new), Arg(ptr, kind, DRAM), claims))


def row_spots(tree: ProcDef) -> Iterator[Path]:
    return (path for path, s in loops_of(tree) if any(isinstance(n, Cell) for e in (s.lo, s.hi) for _, n in walk(e)))


def early_exit(ch: Choices, p: Proc) -> Proc | None:
    """A loop goes on only as long as a flag is down, or a condition holds that its body may change."""
    loops = loops_of(p.tree)
    if not loops:
        return None
    path, s = ch.pick(loops)
    inner: Path = (*path, ("body", len(s.body)))
    written = [r for r in elements_at(p.tree, path) if not is_integer(r, p.tree)]
    own = [e for e in written if isinstance(e, Read) and any(_writes(x, e.sym) for x in s.body)]
    label, k = path[-1]
    assert k is not None
    if own and ch.chance(35):
        c: Expr = Binary(ch.pick(["<", "!=", ">="]), ch.pick(own), b.data(float(ch.upto(2))))
        guarded = For(s.iter, s.lo, s.hi, pvector([If(c, s.body, pvector())]), s.mode)
        return checked(put_at(p.tree, path, guarded))
    tree, stop = fresh(p.tree, "stop")
    flag = Read(stop, pvector())
    rise: Stmt = Assign(stop, pvector(), b.data(1.0))
    until = If(condition_at(ch, p.tree, inner), pvector([rise]), pvector())
    body = s.body.append(until) if ch.chance(75) else pvector([until, *s.body])
    go_on = If(Binary("==", flag, b.data(0.0)), body, pvector())
    loop = For(s.iter, s.lo, s.hi, pvector([go_on]), "seq")
    down = Assign(stop, pvector(), b.data(0.0))
    alloc = Alloc(stop, Scalar(ch.pick(["u8", "i32", "f32"])), DRAM)
    block = getattr(get(tree, path[:-1]), label)
    made = pvector([*block[:k], alloc, down, loop, *block[k + 1 :]])
    return checked(put_at(tree, (*path[:-1], (label, None)), made))


def _writes(n: Node, sym: Sym) -> bool:
    return any(isinstance(s, Assign | Reduce) and s.sym == sym for _, s in walk(n))


def exit_spots(tree: ProcDef) -> Iterator[Path]:
    """Loops whose body is a branch on data that only the body changes."""
    for path, s in loops_of(tree):
        guard = s.body[0] if len(s.body) == 1 else None
        if isinstance(guard, If) and not guard.orelse and s.iter not in mentions(guard.cond):
            read = {n.sym for _, n in walk(guard.cond) if isinstance(n, Read)}
            if any(_writes(x, sym) for sym in read for x in guard.body):
                yield path
