"""Products and quotients by sizes, as a form."""

from __future__ import annotations

from collections.abc import Iterator

from pyrsistent import pvector

from ..cursors.proc import Proc
from ..frontend.check_arithmetic import is_symbolic
from ..ir import build as b
from ..ir.nodes import Binary, Expr, For, ProcDef, Var
from ..ir.types import size
from ..ir.walk import Path, get, put_at, subst, with_child
from .choices import Choices
from .form_places import checked, indices_of, integers_at, loops_of, where


def size_spots(tree: ProcDef) -> Iterator[Path]:
    """Where integers are multiplied or divided by sizes."""
    return where(lambda n: isinstance(n, Binary) and is_symbolic(n))(tree)


def sizes(ch: Choices, p: Proc) -> Proc | None:
    """A loop that does each of its iterations as often as a size says, one after the other; or an index that is
    computed by a size."""
    tree, loops, indices = p.tree, loops_of(p.tree), indices_of(p.tree)
    args: list[Expr] = [Var(a.sym) for a in tree.args if a.type == size]
    if not args:
        return None
    by = ch.pick(args)
    if ch.chance(20):
        by = ch.pick([b.add(by, b.ONE), b.times(by, ch.pick(args)), b.mul(2, by)])
    if loops and (not indices or ch.chance(40)):
        path, loop = ch.pick(loops)
        assert isinstance(loop, For)
        i: Expr = Var(loop.iter)
        into = ch.pick([b.div(i, by), b.div(i, by), b.mod(i, by), i])
        body = [subst(s, {loop.iter: into}) for s in loop.body]
        ends = (b.times(loop.lo, by), b.times(loop.hi, by))
        many = with_child(with_child(with_child(loop, "lo", ends[0]), "hi", ends[1]), "body", pvector(body))
        return checked(put_at(tree, path, many))
    if not indices:
        return None
    at, _ = ch.pick(indices)
    old = get(tree, at)
    assert isinstance(old, Expr)
    rest = ch.pick([b.ZERO, b.sub(by, b.ONE), *(b.mod(x, by) for x in integers_at(tree, at)[:2])])
    within = b.div(b.add(b.times(by, old), rest), by)
    other = [b.mod(old, by), b.div(old, by), b.div(b.times(old, by), by)]
    return checked(put_at(tree, at, ch.pick([within, within, *other])))
