"""What is known of a control variable or a pointer at a place of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..control import Poly, Symbol
from .syntax import Variable


@dataclass(frozen=True)
class Known:
    """A control integer in closed form. It is right if `needs` are not negative: so often did the loops run."""

    value: Poly
    needs: tuple[Poly, ...] = ()


@dataclass(frozen=True)
class Address:
    """A pointer into an array: the element, an index for each dimension of its C type as far as it was followed."""

    var: Variable
    indices: tuple[Poly, ...]
    needs: tuple[Poly, ...] = ()


@dataclass(frozen=True)
class Lost:
    """A value that isn't known, and why; `reported` if a problem was reported that says it."""

    why: str
    reported: bool = False


@dataclass(frozen=True)
class Held:
    """A control integer whose value depends on data, and is in a data variable: it is a number, but no index."""

    var: Variable


Value: TypeAlias = Known | Address | Lost | Held


NEITHER = Lost("it doesn't move in closed form")


@dataclass(frozen=True)
class Motion:
    """How a variable moves in a loop: `by` each iteration, or to `then` at the end of one; else `lost` says why
    neither."""

    by: Poly | None = None
    then: Value | None = None
    lost: Lost = NEITHER
    needs: tuple[Poly, ...] = ()
    """What must not be negative in each iteration, for `by` to be right: so often do inner loops run."""
    mark: Symbol | None = None
    """What stood for it in the trial."""


def last(v: Known | Address) -> Poly:
    """The number that moves when the value is counted up."""
    return v.value if isinstance(v, Known) else v.indices[-1]


def moved(v: Known | Address, to: Poly, needs: tuple[Poly, ...] = ()) -> Known | Address:
    """The value with another number."""
    every = tuple(dict.fromkeys((*v.needs, *needs)))
    return Known(to, every) if isinstance(v, Known) else Address(v.var, (*v.indices[:-1], to), every)


def replaced(v: Value, by: Mapping[Symbol, Poly]) -> Value:
    """The value with polynomials in the place of symbols."""
    if isinstance(v, Lost | Held):
        return v
    needs = tuple(n.replaced(by) for n in v.needs)
    if isinstance(v, Known):
        return Known(v.value.replaced(by), needs)
    return Address(v.var, tuple(i.replaced(by) for i in v.indices), needs)


def symbols(v: Value) -> frozenset[Symbol]:
    """All symbols in a value."""
    if isinstance(v, Lost | Held):
        return frozenset()
    parts = (v.value,) if isinstance(v, Known) else v.indices
    return frozenset(s for p in (*parts, *v.needs) for s in p.symbols())


def joined(a: Value, b: Value, name: str) -> Value:
    """What is known after a branch."""
    if a == b:
        return a
    if isinstance(a, Lost):
        return a
    if isinstance(b, Lost):
        return b
    if type(a) is type(b) and not isinstance(a, Held) and not isinstance(b, Held):
        same = a.value == b.value if isinstance(a, Known) and isinstance(b, Known) else _same_place(a, b)
        if same:
            return moved(a, last(a), b.needs)
    return Lost(f"{name} has another value on each side of an if before")


def _same_place(a: object, b: object) -> bool:
    return isinstance(a, Address) and isinstance(b, Address) and a.var is b.var and a.indices == b.indices
