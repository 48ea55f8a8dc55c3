"""A form of code: calls of procedures that have the newer forms of the language themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from pyrsistent import pvector

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.nodes import Call, Expr, For, If, Interval, ProcDef, Read, Stmt, WindowExpr
from ..ir.types import Tensor, f32
from ..ir.walk import Path, get, in_scope, put_at, statements
from .choices import Choices
from .form_places import checked, elements_at, integers_at

_SOURCES: Final = """
def seek(k: size, v: [f32][k], r: f32):
    stop: u8 = 0
    for i in seq(0, k):
        if stop == 0:
            r = f32(i)
            if v[i] > 1.0:
                v[i] = r
                stop = 1

def shrink(j: index, k: size, v: [f32][k], r: f32):
    for i in seq(max(j - 1, 0), min(j + 2, k)):
        if r < 2.0:
            v[i] = v[i - 1] if i > 0 else r
            r += 1.0

def mean(j: index, k: size, v: [f32][k], r: f32):
    r = v[j] if 0 <= j and j < k else f32(j)
    r = 1.0 / r if r > 0.0 else 0.0

def mix(j: index, k: size, v: [f32][k], r: f32):
    h: u8 = 3
    for i in seq(0, min(k, 4)):
        h = wrap_u8(h * 31 + u8(i)) ^ (h >> 1)
    v[0] = f32(h % 5)

def hold(j: index, k: size, v: [f32][k], r: f32):
    s: bf16[2]
    s[0] = v[k - 1]
    s[1] = f32(s[0]) + 1.0
    r = f32(s[1])

def turn(j: index, k: size, v: [f32][k], r: f32):
    b: i32[4]
    for i in seq(0, 4):
        b[i] = i32(3 - i)
    for i in seq(0, min(max(index(b[min(max(j, 0), 3)]), 0), k)):
        v[i] += r
"""


@cache
def formed_callees() -> Mapping[str, Proc]:
    """The procedures by name."""
    made = (proc_from_source(text, {}) for text in _SOURCES.strip().split("\n\n"))
    return {p.name(): p for p in made}


def calls(ch: Choices, p: Proc) -> Proc | None:
    """A call of one of them at a random place, of buffers that lie there."""
    tree, callee = p.tree, formed_callees()[ch.pick(sorted(formed_callees()))]
    path, _ = ch.pick(list(statements(tree)))
    types = declarations(tree)
    lines = [
        d.sym
        for _, d in in_scope(tree, path)
        if not isinstance(d, For) and isinstance(t := types[d.sym], Tensor) and t.base == f32 and len(t.shape) == 1
    ]
    if not lines:
        return None
    v = ch.pick(lines)
    shape = types[v]
    assert isinstance(shape, Tensor)
    whole = WindowExpr(v, pvector([Interval(b.ZERO, shape.shape[0])]))
    scalars: list[Expr] = [
        e for e in elements_at(tree, path) if isinstance(e, Read) and e.sym != v and _is_f32(types[e.sym])
    ]
    if not scalars:
        return None
    numbers = [*integers_at(tree, path), b.num(ch.upto(3))]
    last = [shape.shape[0], whole, ch.pick(scalars)]
    call: Stmt = Call(callee, pvector(last if callee.name() == "seek" else [ch.pick(numbers), *last]))
    if ch.chance(20):
        call = If(b.lt(b.num(ch.upto(2)), ch.pick(numbers)), pvector([call]), pvector())
    label, k = path[-1]
    assert k is not None
    before = _block(tree, path[:-1], label)
    return checked(put_at(tree, (*path[:-1], (label, None)), pvector([*before[:k], call, *before[k:]])))


def _block(tree: ProcDef, path: Path, label: str) -> list[Stmt]:
    return list(getattr(get(tree, path), label))


def _is_f32(t: object) -> bool:
    return (t.base if isinstance(t, Tensor) else t) == f32


def call_spots(tree: ProcDef) -> Iterator[Path]:
    """Where they are called, or versions of them."""
    names = formed_callees()
    return (path for path, s in statements(tree) if isinstance(s, Call) and s.f.tree.name in names)


__all__ = ["call_spots", "calls", "formed_callees"]
