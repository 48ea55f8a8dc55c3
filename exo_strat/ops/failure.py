"""Failures: why an Op did not apply.

A failure is a value of a closed set. Combinators recover from these and from nothing else: a bug in
the program raises an ordinary exception and is never swallowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from textwrap import indent
from typing import Literal, TypeAlias, TypeVar

from pyrsistent import PMap, pmap

from ..cursors.cursor import Cursor
from ..cursors.proc import InvalidCursorError
from ..ir.printing import render
from ..source import brief, show

F = TypeVar("F", bound="Failure")
About: TypeAlias = Literal["old code", "new code", "new layout"]


@dataclass(frozen=True)
class Failure:
    """Why an Op did not apply: in words, by which Op, where, and because of what."""

    message: str
    op: object = None
    place: Cursor | None = field(default=None, repr=False)
    causes: tuple[Failure, ...] = ()

    def at(self: F, op: object, place: Cursor) -> F:
        """The same failure with the Op and place filled in, unless they are known already."""
        return replace(self, op=self.op if self.op is not None else op, place=self.place or place)

    def __str__(self) -> str:
        lines = [self.reason() if self.op is None else f"{brief(show(self.op))}: {self.reason()}"]
        if self.place is not None and self.place.is_valid:
            shown = render(self.place.proc.tree, self.place.place())
            lines += [] if lines[0].endswith(shown) else [shown]
        for cause, times in self.grounds():
            lines.append(indent(f"because{f', at {times} places,' if times > 1 else ''} {cause}", "  "))
        return "\n".join(lines)

    def grounds(self) -> list[tuple[Failure, int]]:
        """The first causes: the failures from which this one comes and that have none themselves. Each is given once,
        with the number of its like, as a traversal may be refused for one reason at a hundred statements."""
        found: dict[tuple[str, str], tuple[Failure, int]] = {}
        stack = list(reversed(self.causes))
        while stack:
            cause = stack.pop()
            if cause.causes:
                stack.extend(reversed(cause.causes))
                continue
            kind = (show(cause.op), cause.reason())
            first, times = found.get(kind, (cause, 0))
            found[kind] = (first, times + 1)
        return list(found.values())

    def reason(self) -> str:
        """Why, without the place and the causes: what does not hold, and a counterexample if there is one."""
        values = [f"{k} = {v}" for k, v in sorted(self.example().items())]
        fresh = [value for value in values if not _says(self.message, value)]
        told = [f"{'for instance with' if fresh == values else 'with'} {', '.join(fresh)}"] if fresh else []
        return "\n".join((self.headline(), *self.remarks(), *told))

    def headline(self) -> str:
        """What does not hold."""
        return self.message

    def remarks(self) -> tuple[str, ...]:
        """What there is to say besides."""
        return ()

    def example(self) -> Mapping[str, int]:
        """The counterexample, by variables; empty if there is none."""
        return {}

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .html import failure_html

        return failure_html(self)


@dataclass(frozen=True)
class Unsafe(Failure):
    """The new program could not be shown to compute the same: the obligation that does not hold, and
    values of sizes and iterators for which it does not, if the solver found any. `about` says whose accesses clash:
    those of the code that is there, one of code that the rewrite would add, or two to elements that would come to share
    a location."""

    counterexample: PMap[str, int] | None = None
    details: str = ""
    about: About = "old code"

    def headline(self) -> str:
        return f"{'not provable' if self.counterexample is None else 'not true'}: {self.message}"

    def remarks(self) -> tuple[str, ...]:
        return (self.details,) if self.details else ()

    def example(self) -> Mapping[str, int]:
        return self.counterexample or {}


def _says(message: str, value: str) -> bool:
    """Whether a message says already what a variable is, as those of the static checks do."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", message) is not None


@dataclass(frozen=True)
class Unknown(Failure):
    """The solver gave up before it found a proof or a counterexample. Treated as unsafe."""


@dataclass(frozen=True)
class NotApplicable(Failure):
    """The target is of the wrong kind, or nothing matches."""


@dataclass(frozen=True)
class InvalidCursor(Failure):
    """A reference points to code that is gone, or into another procedure."""


@dataclass(frozen=True)
class BadArgument(Failure):
    """An argument makes no sense here: a factor of zero, a name that is not in scope, a pattern with a typo."""


@dataclass(frozen=True)
class Exhausted(Failure):
    """A `repeat` or a recursion does not end."""


class SchedulingError(Exception):
    """Raised by the direct forms (`exo_strat.direct`) where an Op returns a failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure

    def __reduce__(self) -> tuple[type[SchedulingError], tuple[Failure]]:
        """Another process gets the text: Ops, places and procedures stay in their own."""
        return SchedulingError, (Failure(str(self.failure)),)


class Refused(Exception):
    """How a primitive's condition leaves its function. Caught in one place, `primitives.framework`."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def unsafe(message: str, counterexample: Mapping[str, int] | None = None, details: str = "") -> Unsafe:
    """An `Unsafe` failure."""
    return Unsafe(message, counterexample=None if counterexample is None else pmap(counterexample), details=details)


def invalid(error: InvalidCursorError) -> InvalidCursor:
    """The failure for a navigation that led nowhere."""
    return InvalidCursor(str(error))
