"""Buffers and windows as the printer knows them, and the names in scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pyrsistent import PMap, pmap

from ..kernel import Path, Scalar, Sym
from .memory import CMemory, Index
from .names import fresh
from .terms import Term, add, num


@dataclass(frozen=True)
class View:
    """A data variable in C: all of a buffer or a window of one.

    `name` is the C array or pointer of the underlying buffer, `strides` are that buffer's; `dims`
    tells, for each of its dimensions, where this view starts and whether the view has the dimension.
    A single value has none; `pointer` if it is reached through a pointer.
    """

    name: str
    scalar: Scalar
    mem: CMemory
    strides: tuple[Term, ...]
    dims: tuple[Index, ...]
    const: bool = False
    pointer: bool = False

    def narrowed(self, window: Sequence[Index]) -> View:
        """The window of this view with one index per dimension of the view."""
        given = iter(window)
        dims: list[Index] = []
        for d in self.dims:
            if d.kept:
                w = next(given)
                d = Index(add(d.at, w.at), w.kept)
            dims.append(d)
        return replace(self, dims=tuple(dims))

    def element(self, index: Sequence[Term]) -> Term:
        """The lvalue of one element."""
        return self.narrowed([Index(i, False) for i in index]).first()

    def first(self) -> Term:
        """The lvalue of the first element; raises `Objection` where the memory has no such access."""
        if not self.dims:
            return Term(f"*{self.name}", 90) if self.pointer else Term(self.name)
        return Term(self.mem.element(self.name, self.dims, self.strides))

    def address(self) -> Term:
        """A pointer to the first element."""
        if not self.dims:
            return Term(self.name) if self.pointer else Term(f"&{self.name}", 90)
        text = str(self.first())
        return Term(self.name) if text == f"{self.name}[0]" else Term(f"&{text}", 90)

    def kept_strides(self) -> tuple[Term, ...]:
        """The strides of the dimensions that the view has."""
        return tuple(s for s, d in zip(self.strides, self.dims, strict=True) if d.kept)


def whole(name: str, scalar: Scalar, mem: CMemory, strides: tuple[Term, ...], const: bool = False) -> View:
    """The view of all of a tensor."""
    return View(name, scalar, mem, strides, tuple(Index(num(0), True) for _ in strides), const)


@dataclass(frozen=True)
class Env:
    """What is in scope where the printer stands: the C text of control variables, the views of data
    variables, the constants that name a value of config state, the spellings taken; and the path of the
    statement being printed."""

    controls: PMap[Sym, Term] = field(default_factory=pmap)
    views: PMap[Sym, View] = field(default_factory=pmap)
    constants: tuple[str, ...] = ()
    taken: frozenset[str] = frozenset()
    path: Path = ()

    def spell(self, name: str) -> tuple[str, Env]:
        """A C name like `name` that nothing in scope has, and the scope with it taken."""
        text = fresh(name, self.taken)
        return text, replace(self, taken=self.taken | {text})

    def constant(self, name: str) -> tuple[str, Env]:
        """`spell`, for a constant of the printer."""
        text, env = self.spell(name)
        return text, replace(env, constants=(*self.constants, text))

    def with_control(self, sym: Sym, text: Term) -> Env:
        return replace(self, controls=self.controls.set(sym, text))

    def with_view(self, sym: Sym, view: View) -> Env:
        return replace(self, views=self.views.set(sym, view))

    def at(self, path: Path) -> Env:
        return replace(self, path=path)
