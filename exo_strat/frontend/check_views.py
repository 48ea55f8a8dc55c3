"""Buffers as the checks see them: shapes, and which part of which buffer a window shows."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.names import Sym
from ..logic.forms import Formula, Lin, conj, disj, ge, le


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension of a buffer as a view shows it: from `offset`, moving with the view's dimension `kept`,
    or staying there if that is None."""

    offset: Lin
    kept: int | None


@dataclass(frozen=True, slots=True)
class View:
    """A buffer, or a window of one: its own shape, and for each dimension of `base` where it lies in it.

    `whole` tells dense buffers from windows.
    """

    base: Sym
    shape: tuple[Lin, ...]
    dims: tuple[Dim, ...]
    whole: bool

    @property
    def rank(self) -> int:
        return len(self.shape)

    def window(self, parts: list[tuple[Lin, Lin | None]]) -> View:
        """The window with a `(lo, hi)` or a `(point, None)` for each dimension of this view."""
        shape: list[Lin] = []
        place: list[int | None] = []
        for lo, hi in parts:
            place.append(None if hi is None else len(shape))
            if hi is not None:
                shape.append(hi - lo)
        dims = [d if d.kept is None else Dim(d.offset + parts[d.kept][0], place[d.kept]) for d in self.dims]
        return View(self.base, tuple(shape), tuple(dims), False)

    def extent_in(self, dim: Dim) -> Lin:
        """How much of a dimension of the buffer the view covers."""
        return Lin(1) if dim.kept is None else self.shape[dim.kept]


def buffer_view(sym: Sym, shape: tuple[Lin, ...], whole: bool) -> View:
    """The view that is all of a buffer."""
    return View(sym, shape, tuple(Dim(Lin(0), k) for k in range(len(shape))), whole)


def disjoint(v: View, w: View) -> Formula:
    """That two views of one buffer share no element."""
    apart = []
    for d, e in zip(v.dims, w.dims, strict=True):
        apart.append(le(d.offset + v.extent_in(d), e.offset))
        apart.append(le(e.offset + w.extent_in(e), d.offset))
    return disj(*apart)


def inside(index: Lin, extent: Lin) -> Formula:
    """`0 <= index < extent`."""
    return conj(ge(index, 0), le(index + 1, extent))
