"""Holes: arguments that are left open, and the values that they have while a strategy runs.

A hole stands where an argument of an Op does, or is drawn by a `@strategy` with `x = yield hole(..)`. The Ops with
holes are in `spaces`; here is what the driver in `strategy` needs to know of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pyrsistent import PMap, pmap

from ..source import Pieces, brief, call, show
from .failure import BadArgument, Refused

FIRST: Final = object()
"""What stands for the first candidate."""


@dataclass(frozen=True, repr=False)
class Hole:
    """An argument that is left open; see `hole`."""

    name: str
    candidates: tuple[Any, ...]
    default: Any

    def source(self) -> Pieces:
        given = {} if self.default == self.candidates[0] else {"default": self.default}
        return call("hole", self.name, self.candidates, **given)

    def __repr__(self) -> str:
        return show(self)

    def takes(self, value: object) -> bool:
        """Whether a value is a candidate."""
        return any(value == x and type(value) is type(x) for x in self.candidates)


@dataclass(frozen=True, repr=False)
class Told:
    """A value of a hole that is known by its text, as records of other processes know it: it stands for the candidate
    that is shown so."""

    text: str

    def source(self) -> Pieces:
        return call("Told", self.text)

    def __repr__(self) -> str:
        return show(self)


def is_name(text: object) -> bool:
    """Whether a text can name a hole: a Python name."""
    return isinstance(text, str) and text.isidentifier()


class Holder:
    """A frozen dataclass, not an Op, whose fields may have holes."""


HOLDERS: Final = (Hole, Holder, tuple)
"""What may be or have a hole."""


def held(value: object) -> Iterator[Hole]:
    """The holes that are a value, or are in tuples and `Holder`s inside it. Ops in it are not looked into."""
    if isinstance(value, Hole):
        yield value
    elif isinstance(value, tuple):
        for v in value:
            if isinstance(v, HOLDERS):
                yield from held(v)
    elif isinstance(value, Holder):
        yield from held(tuple(vars(value).values()))


@dataclass(frozen=True)
class Decision:
    """A hole that a run of a strategy came to: its full name, such as `gemm.rows`, its candidates, the value that it
    had. It is `free` if nothing in the strategy itself had filled it."""

    name: str
    hole: Hole
    value: Any
    free: bool = True

    def checked(self) -> Any:
        """The value. Raises `Refused` if it is none of the candidates."""
        if not self.hole.takes(self.value):
            raise Refused(BadArgument(no_candidate(self.name, self.value, self.hole.candidates)))
        return self.value

    def __str__(self) -> str:
        of = ", ".join(show(x) for x in self.hole.candidates)
        return f"{self.name} = {show(self.value)}" + (f" (of {of})" if self.free else "")


@dataclass
class Met:
    """What a run came to where holes were filled: the full names of the holes that were decided, and by their names
    the strategies that were entered."""

    holes: dict[str, None] = field(default_factory=dict)
    strategies: dict[str, list[object]] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """The values that holes have in one part of a strategy, by full name, and the names of the strategies around it.
    What it does not say has its default. Who gave the values may be told what the run `met`."""

    values: PMap[str, Any] = field(default_factory=pmap)
    path: str = ""
    free: bool = True
    met: Met | None = field(default=None, compare=False)

    def inside(self, name: str, strategy: object = None) -> Scope:
        """The scope of the holes in a strategy of this name."""
        path = f"{self.path}{name}."
        if self.met is not None:
            self.met.strategies.setdefault(path, []).append(strategy)
        return replace(self, path=path)

    def filled(self, values: Iterable[tuple[str, Any]]) -> Scope:
        """The scope of what was filled with values, whose names are as from here. Nothing further out changes them."""
        return Scope(pmap({f"{self.path}{name}": v for name, v in values}), self.path, False, Met())

    def decide(self, hole: Hole) -> Decision:
        """The value of a hole, which may be none of its candidates."""
        name = f"{self.path}{hole.name}"
        if self.met is not None:
            self.met.holes[name] = None
        value = self.values.get(name, hole.default)
        if isinstance(value, Told):
            value = next((x for x in hole.candidates if show(x) == value.text), value)
        return Decision(name, hole, value, self.free)


DEFAULTS: Final = Scope()
"""The scope in which all holes have their defaults."""


def no_candidate(name: str, value: object, candidates: Iterable[object]) -> str:
    """What is said of a value that a hole can't have."""
    of = ", ".join(show(x) for x in candidates)
    return f"the hole {name} can't be {brief(show(value))}: its candidates are {of}"


def put(value: Any, values: Callable[[Hole], Any]) -> Any:
    """A value with others in place of the holes that are in it."""
    if isinstance(value, Hole):
        return values(value)
    if not any(held(value)):
        return value
    if isinstance(value, tuple):
        return tuple(put(v, values) for v in value)
    return replace(value, **{name: put(v, values) for name, v in vars(value).items()})
