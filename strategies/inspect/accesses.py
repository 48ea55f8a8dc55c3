"""The accesses of a scope: which buffers, at which indices, under which conditions.

Windows are resolved to the buffers that they view, calls to what the callee does. An index is an affine form of
what is in scope outside and of bound atoms, for iterators inside; constraints are forms that are not negative
when the access happens. What is not affine is an atom of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TypeAlias

from exo_strat import (
    BlockCursor,
    Control,
    NodeCursor,
    Sym,
    Tensor,
    children,
    declarations,
    forms,
    in_scope,
    nodes,
)

from .elimination import bound
from .structure import pieces

Scope: TypeAlias = NodeCursor | BlockCursor
Path: TypeAlias = tuple[tuple[str, int | None], ...]
Index: TypeAlias = tuple[forms.Lin, ...]
Touch: TypeAlias = nodes.Read | nodes.WindowExpr | nodes.Assign | nodes.Reduce
View: TypeAlias = Callable[[Index], tuple[Sym, Index]]
"""What a name shows: the buffer and the indices in it, for indices in what has the name."""


@dataclass(frozen=True)
class Access:
    """One place of the code that accesses a buffer.

    `kind` is "R" (read), "W" (write), "A" (accumulation) or "P": a window is made, or something is passed to a
    call; all that it shows is then between the indices.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> [(str(a.sym), a.kind) for a in accesses(p.root())]
    [('y', 'W'), ('x', 'R'), ('y', 'A')]
    """

    sym: Sym
    kind: str
    index: Index
    constraints: Index

    @property
    def reads(self) -> bool:
        """Whether a value is used that was there before."""
        return self.kind in "RA"

    @property
    def writes(self) -> bool:
        """Whether the value changes."""
        return self.kind in "WA"


def accesses(c: Scope, through: Iterable[Sym] = ()) -> tuple[Access, ...]:
    """The accesses below a statement, block, expression or procedure, in textual order.

    They are given in the buffers themselves, even where they are made by windows; but for the windows in `through`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 2], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = x[i] + x[i + 2]
    ... ''')
    >>> [(str(a.sym), a.kind) for a in accesses(p.find_loop("i"))]
    [('x', 'R'), ('x', 'R'), ('y', 'W')]
    """
    tree, kept = c.proc.tree, tuple(through)
    return tuple(a for x in pieces(c) for a in _walk(_before(tree, x.path, kept), x.node, x.path))


def _before(tree: nodes.ProcDef, path: Path, kept: Iterable[Sym]) -> Place:
    """The place at a path, with the windows that are in scope there but for some."""
    here = Place(tree, views={s: partial(_itself, s) for s in kept})
    for at, s in in_scope(tree, path):
        here = here.after(s, at)
    return here


# -- places -------------------------------------------------------------------------------------------


def _itself(sym: Sym, index: Index) -> tuple[Sym, Index]:
    return sym, index


def _through(base: View, dims: Sequence[tuple[forms.Lin, bool]], index: Index) -> tuple[Sym, Index]:
    """A window of what `base` shows, by where it begins along each dimension, and whether it has that dimension."""
    rest = iter(index)
    return base(tuple(lo + next(rest) if kept else lo for lo, kept in dims))


@dataclass(frozen=True)
class Place:
    """What is known where the walk is: what control variables stand for, what windows show, which conditions
    hold. In a callee, `key` has the paths of the calls, and tells its variables from all others."""

    tree: nodes.ProcDef
    env: Mapping[Sym, forms.Lin] = field(default_factory=dict)
    views: Mapping[Sym, View | None] = field(default_factory=dict)
    facts: Index = ()
    key: tuple[Path, ...] = ()

    def form(self, e: nodes.Expr, path: Path) -> forms.Lin:
        """A control expression; an atom of its own if nothing is known of it."""
        found = forms.affine(e, self.env)
        return bound(*self.key, path) if found is None else found

    def inside(self, loop: nodes.For, path: Path) -> Place:
        """The place in a loop."""
        i = bound(*self.key, loop.iter)
        lo, hi = self.form(loop.lo, (*path, ("lo", None))), self.form(loop.hi, (*path, ("hi", None)))
        return replace(self, env={**self.env, loop.iter: i}, facts=(*self.facts, i - lo, hi - i - 1))

    def where(self, cond: nodes.Expr, truth: bool = True) -> Place:
        """The place, where a condition is true, or false, too."""
        return replace(self, facts=(*self.facts, *forms.what_holds(cond, truth, self.env)))

    def view(self, sym: Sym) -> View | None:
        """What a name shows; None for a buffer of a callee's own."""
        return self.views.get(sym, None if self.key else partial(_itself, sym))

    def ranges(self, n: Touch, path: Path) -> Iterator[tuple[forms.Lin, forms.Lin | None]]:
        """For each dimension of the buffer or window that a node names, the range that the node means, or the point."""
        t = declarations(self.tree)[n.sym]
        whole = t.shape if isinstance(t, Tensor) and not n.idx else ()
        for k, extent in enumerate(whole):
            yield forms.Lin(0), self.form(extent, (*path, ("extent", k)))
        for k, d in enumerate(n.idx):
            at = (*path, ("idx", k))
            if isinstance(d, nodes.Interval):
                yield self.form(d.lo, at), self.form(d.hi, (*at, ("hi", None)))
            else:
                yield self.form(d.pt if isinstance(d, nodes.Point) else d, at), None

    def shown(self, n: nodes.Read | nodes.WindowExpr, path: Path) -> View | None:
        """What a window, or a call's argument, shows."""
        base = self.view(n.sym)
        if base is None:
            return None
        return partial(_through, base, [(lo, hi is not None) for lo, hi in self.ranges(n, path)])

    def after(self, s: nodes.Node, path: Path) -> Place:
        """The place after a statement."""
        if not isinstance(s, nodes.WindowDef) or s.sym in self.views:
            return self
        shown = None if isinstance(s.rhs, nodes.ViewExpr) else self.shown(s.rhs, (*path, ("rhs", None)))
        return replace(self, views={**self.views, s.sym: shown})

    def callee(self, s: nodes.Call, path: Path) -> Place:
        """The place at the beginning of the procedure that is called."""
        env: dict[Sym, forms.Lin] = {}
        views: dict[Sym, View | None] = {}
        sizes: list[forms.Lin] = []
        for k, (formal, e) in enumerate(zip(s.f.tree.args, s.args, strict=True)):
            at = (*path, ("args", k))
            if isinstance(formal.type, Control):
                env[formal.sym] = self.form(e, at)
                sizes += [env[formal.sym] - 1] if formal.type.name == "size" else []
            elif isinstance(e, nodes.Read | nodes.WindowExpr):
                views[formal.sym] = self.shown(e, at)
        inside = Place(s.f.tree, env, views, (*self.facts, *sizes), (*self.key, path))
        return reduce(Place.where, s.f.tree.preds, inside)


# -- the walk -----------------------------------------------------------------------------------------


def _walk(here: Place, n: nodes.Node, path: Path) -> Iterator[Access]:
    """The accesses of a statement or an expression."""
    match n:
        case nodes.For(lo=lo, hi=hi):
            yield from _walk(here, lo, (*path, ("lo", None)))
            yield from _walk(here, hi, (*path, ("hi", None)))
            yield from _block(here.inside(n, path), n.body, path, "body")
        case nodes.If(cond=cond):
            yield from _walk(here, cond, (*path, ("cond", None)))
            yield from _block(here.where(cond), n.body, path, "body")
            yield from _block(here.where(cond, False), n.orelse, path, "orelse")
        case nodes.Select(cond=cond, then=then, other=other):
            yield from _walk(here, cond, (*path, ("cond", None)))
            yield from _walk(here.where(cond), then, (*path, ("then", None)))
            yield from _walk(here.where(cond, False), other, (*path, ("other", None)))
        case nodes.Assign() | nodes.Reduce():
            yield from _walk(here, n.rhs, (*path, ("rhs", None)))
            yield from _access(here, "W" if isinstance(n, nodes.Assign) else "A", n, path)
        case nodes.Read() | nodes.WindowExpr():
            single = isinstance(n, nodes.Read) and (n.idx or not isinstance(declarations(here.tree)[n.sym], Tensor))
            yield from _access(here, "R" if single else "P", n, path)
        case nodes.Call():
            for k, e in enumerate(n.args):
                at = (*path, ("args", k))
                is_passed = isinstance(e, nodes.Read | nodes.WindowExpr)
                yield from _access(here, "P", e, at) if is_passed else _walk(here, e, at)  # type: ignore[arg-type]
            yield from _block(here.callee(n, path), n.f.tree.body, (), "body")
        case _:
            for step, part in children(n):
                yield from _walk(here, part, (*path, step))


def _block(here: Place, stmts: Sequence[nodes.Stmt], path: Path, label: str) -> Iterator[Access]:
    for k, s in enumerate(stmts):
        at = (*path, (label, k))
        yield from _walk(here, s, at)
        here = here.after(s, at)


def _access(here: Place, kind: str, n: Touch, path: Path) -> Iterator[Access]:
    """That of the buffer that a node names, at one place or in a range; none if the buffer is a callee's own. First
    those of what its indices are taken from."""
    for step, part in children(n):
        if step[0] == "idx":
            yield from _walk(here, part, (*path, step))
    view = here.view(n.sym)
    if view is None:
        return
    index, facts = list[forms.Lin](), list(here.facts)
    for k, (lo, hi) in enumerate(here.ranges(n, path)):
        index.append(lo if hi is None else bound(*here.key, path, k))
        facts += [] if hi is None else [index[-1] - lo, hi - index[-1] - 1]
    sym, where = view(tuple(index))
    yield Access(sym, kind, where, tuple(facts))
