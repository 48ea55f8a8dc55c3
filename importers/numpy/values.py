"""What the expressions of a NumPy function stand for while it is translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..control import Poly, number
from .kinds import Kind
from .program import Buffer, Data, Elem

Indices: TypeAlias = tuple[Poly, ...]


@dataclass(frozen=True)
class Along:
    """An index as it depends on those of a view: `offset + step * index[axis]`, or without an axis `offset`."""

    offset: Poly
    axis: int | None = None
    step: int = 1

    def at(self, idx: Indices) -> Poly:
        return self.offset if self.axis is None else self.offset + idx[self.axis] * self.step

    def after(self, outer: tuple[Along, ...]) -> Along:
        """This index, where those that it depends on depend on others in turn."""
        if self.axis is None:
            return self
        o = outer[self.axis]
        return Along(self.offset + o.offset * self.step, o.axis, self.step * o.step)


@dataclass(frozen=True)
class View:
    """A part of a buffer: for each of its dimensions, the index. Without dimensions, of a buffer that has some, it is
    not known which."""

    buffer: Buffer
    dims: tuple[Along, ...]
    shape: tuple[Poly, ...]

    def at(self, idx: Indices) -> Indices:
        return tuple(d.at(idx) for d in self.dims)

    def after(self, outer: tuple[Along, ...], shape: tuple[Poly, ...]) -> View:
        return View(self.buffer, tuple(d.after(outer) for d in self.dims), shape)


def whole(b: Buffer) -> View:
    """All of a buffer."""
    return View(b, tuple(Along(number(0), k) for k in range(len(b.shape))), b.shape)


def in_a_row(v: View) -> bool:
    """Whether the elements of a view surely stand one after the other in memory."""
    axes: list[int] = []
    for d, e in zip(v.dims, v.buffer.shape, strict=True):
        if d.axis is None and (not axes or e.constant == 1):
            continue
        if d.axis is None or d.step != 1 or (axes and (d.offset != number(0) or v.shape[d.axis] != e)):
            return False
        axes.append(d.axis)
    rest = (e for k, e in enumerate(v.shape) if k not in axes)
    return axes == sorted(set(axes)) and all(e.constant == 1 for e in rest)


@dataclass(frozen=True, eq=False)
class Array:
    """An array or scalar, computed where it is used: `at` gives an element for indices.

    `reads` are the places that it depends on, as views with its own indices. `view` is set if it is a place in memory,
    which other names may share. `cheap`: to compute an element again costs nothing.
    """

    shape: tuple[Poly, ...]
    kind: Kind
    at: Callable[[Indices], Data]
    reads: tuple[View, ...] = ()
    view: View | None = None
    cheap: bool = True
    copies: bool = False
    """In NumPy it may share memory with what it reads, here it doesn't; or NumPy forbids to write to it."""
    boxed: bool = False
    """Without dimensions, and in NumPy an array all the same."""

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False)
class Computed:
    """An array that is computed as a whole: `fill` writes it to a place that nothing else uses."""

    shape: tuple[Poly, ...]
    kind: Kind
    fill: Callable[[View], None]
    reads: tuple[Buffer, ...] = ()
    name: str = "t"

    @property
    def ndim(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The elements of an array where a mask holds: how many there are isn't known. Those with one `key` are chosen
    alike."""

    part: Array
    mask: Array
    key: str


@dataclass(frozen=True)
class Integer:
    """A Python integer that sizes and iterators determine."""

    value: Poly


@dataclass(frozen=True)
class Tuple:
    """A tuple or list."""

    items: tuple[Value, ...]
    is_list: bool = False


@dataclass(frozen=True)
class Static:
    """What is known now: None, a string, a truth value, a slice's ellipsis, a NumPy type, a name of a module."""

    value: object


@dataclass(frozen=True)
class Member:
    """A function or constant of NumPy or math, such as `numpy.linalg.norm`; or an array's method."""

    path: str
    of: Array | Computed | Chosen | None = None


@dataclass(frozen=True)
class Unknown:
    """What isn't known: the reason, empty if it was reported, and what to do."""

    why: str
    remedy: str = "give it a value before"


Value: TypeAlias = "Array | Computed | Chosen | Integer | Tuple | Static | Member | Unknown | Helper"


@dataclass(frozen=True, eq=False)
class Helper:
    """A function of the program: `node` is its definition, `names` where what it sees comes from: the definition of the
    function around, or of one that runs its number among these."""

    node: object
    names: object
    name: str = "lambda"
    defaults: Mapping[str, Value] = field(default_factory=dict)
    """Of one that is defined in a function: what its arguments are if they aren't given, as it was then."""


def of_view(v: View) -> Array:
    """The array at a place."""
    return Array(v.shape, v.buffer.kind, lambda idx: Elem(v.buffer, v.at(idx), v.buffer.kind), (v,), v)


def scalar(e: Data) -> Array:
    """A number that reads nothing."""
    return Array((), e.kind, lambda _: e)


def reindexed(a: Array, dims: tuple[Along, ...], shape: tuple[Poly, ...]) -> Array:
    """An array with other indices: `dims` has one of the old for each."""
    reads = tuple(r.after(dims, shape) for r in a.reads)
    view = None if a.view is None else a.view.after(dims, shape)
    at = a.at
    return Array(shape, a.kind, lambda idx: at(tuple(d.at(idx) for d in dims)), reads, view, a.cheap, a.copies)
