"""The accesses of a scope: which buffers, at which indices, under which conditions. Imports `affine`.

Windows are resolved to the buffers that they view, calls to what the callee does. An index is an affine form of
what is in scope outside and of `Bound` atoms, for iterators inside; constraints are forms that are not negative
when the access happens. What is not affine is an atom of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from exo_strat import (
    BlockCursor,
    Control,
    NodeCursor,
    ProcCursor,
    StmtCursor,
    Sym,
    Tensor,
    children,
    declarations,
    get,
    nodes,
)

from .affine import Affine, Bound, Free, affine, known

Scope: TypeAlias = NodeCursor | BlockCursor
Path: TypeAlias = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class Access:
    """One place of the code that accesses a buffer.

    `kind` is "R" (read), "W" (write), "A" (accumulation) or "P": a window is made, or something is passed to a
    call; all that it shows is then between the indices. `path` is that of the expression or statement, of the
    call if it is in a callee.
    """

    sym: Sym
    kind: str
    index: tuple[Affine, ...]
    constraints: tuple[Affine, ...]
    path: Path

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
    tree, place = c.proc.tree, c.place()
    here = Place(tree, views=_views_at(tree, place, frozenset(through)))
    if isinstance(c, BlockCursor | ProcCursor):
        body = c if isinstance(c, BlockCursor) else c.body()
        return tuple(_block(here, body.stmts, body.span.parent, body.span.label, body.span.lo))
    if isinstance(c, StmtCursor):
        return tuple(_block(here, [c.node], c.path[:-1], c.path[-1][0], c.path[-1][1] or 0))  # type: ignore[list-item]
    return tuple(_reads(here, c.node, c.path))


# -- windows ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """A buffer, and for each of its dimensions where a window begins and whether the window has that dimension;
    None is the buffer itself."""

    sym: Sym
    dims: tuple[tuple[Affine, bool], ...] | None = None

    def index(self, index: Sequence[Affine]) -> tuple[Affine, ...]:
        """Indices in the buffer for some in the window."""
        if self.dims is None:
            return tuple(index)
        rest = iter(index)
        return tuple(offset + next(rest) if kept else offset for offset, kept in self.dims)

    def window(self, dims: Sequence[tuple[Affine, bool]]) -> View:
        """The view of the buffer that a window of this one is."""
        if self.dims is None:
            return View(self.sym, tuple(dims))
        rest, out = iter(dims), []
        for offset, kept in self.dims:
            inner, still = next(rest) if kept else (Affine(0), False)
            out.append((offset + inner, still))
        return View(self.sym, tuple(out))


def _views_at(tree: nodes.ProcDef, path: Path, stop: frozenset[Sym]) -> Mapping[Sym, View | None]:
    """The windows that are in scope at a path, resolved."""
    here = Place(tree, views={s: View(s) for s in stop})
    for n, (label, i) in enumerate(path):
        if i is not None and label in ("body", "orelse"):
            for k, s in enumerate(getattr(get(tree, path[:n]), label)[:i]):
                if isinstance(s, nodes.WindowDef) and s.sym not in stop:
                    here = here.window(s, (*path[:n], (label, k)))
    return here.views


# -- the walk -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """What is known where the walk is: what control variables stand for, what windows show, which conditions
    hold. In a callee, `call` is the path of the call and `key` tells its variables from all others."""

    tree: nodes.ProcDef
    env: Mapping[Sym, Affine] = field(default_factory=dict)
    views: Mapping[Sym, View | None] = field(default_factory=dict)
    facts: tuple[Affine, ...] = ()
    call: Path | None = None
    key: tuple[object, ...] = ()

    def value(self, sym: Sym) -> Affine | None:
        """What a control variable stands for."""
        outside = Affine.of(Free(sym)) if self.call is None else None
        return self.env.get(sym, outside)

    def form(self, e: nodes.Expr, path: Path) -> Affine:
        """A control expression; an atom of its own if nothing is known of it."""
        found = affine(e, self.value)
        return Affine.of(Bound((*self.key, path))) if found is None else found

    def knowing(self, *facts: Affine) -> Place:
        """The place, where some forms are not negative, too."""
        return replace(self, facts=(*self.facts, *facts))

    def inside(self, loop: nodes.For, path: Path) -> Place:
        """The place in a loop."""
        i = Affine.of(Bound((*self.key, loop.iter)))
        lo, hi = (self.form(e, (*path, (label, None))) for e, label in ((loop.lo, "lo"), (loop.hi, "hi")))
        return replace(self, env={**self.env, loop.iter: i}).knowing(i - lo, hi - i - 1)

    def branch(self, cond: nodes.Expr, truth: bool) -> Place:
        """The place in a branch."""
        return self.knowing(*known(cond, truth, self.value))

    def view(self, sym: Sym) -> View | None:
        """The buffer that a name shows; None for one of a callee's own."""
        return self.views.get(sym, View(sym) if self.call is None else None)

    def shown(self, w: nodes.WindowExpr, path: Path) -> View | None:
        """The buffer that a window shows."""
        base = self.view(w.sym)
        return None if base is None else base.window([self.start(d, (*path, ("idx", k))) for k, d in enumerate(w.idx)])

    def start(self, d: nodes.WinDim, path: Path) -> tuple[Affine, bool]:
        """Where a window begins along a dimension, and whether it keeps that."""
        if isinstance(d, nodes.Point):
            return self.form(d.pt, path), False
        return self.form(d.lo, path), True

    def callee(self, s: nodes.Call, path: Path) -> Place:
        """The place at the beginning of the procedure that is called."""
        env: dict[Sym, Affine] = {}
        views: dict[Sym, View | None] = {}
        sizes: list[Affine] = []
        for k, (formal, e) in enumerate(zip(s.f.tree.args, s.args, strict=True)):
            at = (*path, ("args", k))
            if isinstance(formal.type, Control):
                env[formal.sym] = self.form(e, at)
                sizes += [env[formal.sym] - 1] if formal.type.name == "size" else []
            elif isinstance(e, nodes.Read | nodes.WindowExpr):
                views[formal.sym] = self.actual(e, at)
        inside = Place(s.f.tree, env, views, (*self.facts, *sizes), self.call or path, (*self.key, path))
        for cond in s.f.tree.preds:
            inside = inside.branch(cond, True)
        return inside

    def actual(self, e: nodes.Read | nodes.WindowExpr, path: Path) -> View | None:
        """The buffer, window or element that a call's argument shows."""
        if isinstance(e, nodes.WindowExpr):
            return self.shown(e, path)
        base = self.view(e.sym)
        if base is None or not e.idx:
            return base
        return base.window([(self.form(i, (*path, ("idx", k))), False) for k, i in enumerate(e.idx)])

    def window(self, s: nodes.WindowDef, path: Path) -> Place:
        """The place after a window's definition."""
        return replace(self, views={**self.views, s.sym: self.shown(s.rhs, (*path, ("rhs", None)))})


def _block(here: Place, stmts: Sequence[nodes.Stmt], path: Path, label: str, first: int = 0) -> Iterator[Access]:
    for k, s in enumerate(stmts, first):
        at = (*path, (label, k))
        yield from _statement(here, s, at)
        if isinstance(s, nodes.WindowDef) and s.sym not in here.views:
            here = here.window(s, at)


def _statement(here: Place, s: nodes.Stmt, path: Path) -> Iterator[Access]:
    match s:
        case nodes.For():
            yield from _block(here.inside(s, path), s.body, path, "body")
        case nodes.If(cond=cond, body=body, orelse=orelse):
            yield from _reads(here, cond, (*path, ("cond", None)))
            yield from _block(here.branch(cond, True), body, path, "body")
            yield from _block(here.branch(cond, False), orelse, path, "orelse")
        case nodes.Assign() | nodes.Reduce():
            yield from _reads(here, s.rhs, (*path, ("rhs", None)))
            yield from _element(here, "W" if isinstance(s, nodes.Assign) else "A", s, path)
        case nodes.WindowDef(rhs=w):
            yield from _passed(here, w, (*path, ("rhs", None)))
        case nodes.WriteConfig(rhs=e):
            yield from _reads(here, e, (*path, ("rhs", None)))
        case nodes.Call():
            yield from _call(here, s, path)
        case _:
            pass


def _element(here: Place, kind: str, n: nodes.Read | nodes.Assign | nodes.Reduce, path: Path) -> Iterator[Access]:
    view = here.view(n.sym)
    if view is not None:
        index = [here.form(e, (*path, ("idx", k))) for k, e in enumerate(n.idx)]
        yield Access(view.sym, kind, view.index(index), here.facts, here.call or path)


def _reads(here: Place, e: nodes.Node, path: Path) -> Iterator[Access]:
    if isinstance(e, nodes.Read):
        whole = not e.idx and isinstance(declarations(here.tree)[e.sym], Tensor)
        yield from _passed(here, e, path) if whole else _element(here, "R", e, path)
    elif isinstance(e, nodes.WindowExpr):
        yield from _passed(here, e, path)
    else:
        for step, part in children(e):
            yield from _reads(here, part, (*path, step))


# -- calls --------------------------------------------------------------------------------------------


def _passed(here: Place, e: nodes.Read | nodes.WindowExpr, path: Path) -> Iterator[Access]:
    """All that a window, a whole buffer or an element shows."""
    view = here.view(e.sym)
    if view is None:
        return
    if isinstance(e, nodes.Read) and e.idx:
        yield from _element(here, "P", e, path)
        return
    index: list[Affine] = []
    facts: list[Affine] = []
    for k, (lo, hi) in enumerate(_ranges(here, e, path)):
        i = lo if hi is None else Affine.of(Bound((*here.key, path, "any", k)))
        index.append(i)
        facts += () if hi is None else (i - lo, hi - i - 1)
    yield Access(view.sym, "P", view.index(index), (*here.facts, *facts), here.call or path)


def _ranges(here: Place, e: nodes.Read | nodes.WindowExpr, path: Path) -> Iterator[tuple[Affine, Affine | None]]:
    """For each dimension of a buffer, the range that is passed, or the point."""
    if isinstance(e, nodes.WindowExpr):
        for k, d in enumerate(e.idx):
            at = (*path, ("idx", k))
            if isinstance(d, nodes.Point):
                yield here.form(d.pt, at), None
            else:
                yield here.form(d.lo, at), here.form(d.hi, (*at, ("hi", None)))
    else:
        t = declarations(here.tree)[e.sym]
        for k, extent in enumerate(t.shape if isinstance(t, Tensor) else ()):
            yield Affine(0), here.form(extent, (*path, ("extent", k)))


def _call(here: Place, s: nodes.Call, path: Path) -> Iterator[Access]:
    for k, (formal, e) in enumerate(zip(s.f.tree.args, s.args, strict=True)):
        at = (*path, ("args", k))
        if isinstance(formal.type, Control):
            continue
        if isinstance(e, nodes.Read | nodes.WindowExpr):
            yield from _passed(here, e, at)
        else:
            yield from _reads(here, e, at)
    yield from _block(here.callee(s, path), s.f.tree.body, (), "body")
