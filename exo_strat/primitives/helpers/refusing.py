"""How a primitive refuses: its conditions end it with a failure."""

from __future__ import annotations

from dataclasses import replace
from typing import Never, TypeVar

from ...cursors.cursor import Cursor
from ...ir.nodes import Node
from ...ir.walk import walk
from ...logic.questions import Undecided, Verdict
from ...ops.failure import About, BadArgument, Failure, NotApplicable, Refused, Unknown, unsafe

MAYBE_SKIPPED = "this may be skipped: it is the second part of an `and` or `or`, or a side of `a if c else b`"


def refuse(failure: Failure) -> Never:
    """End the primitive with a failure."""
    raise Refused(failure)


def require(verdict: Verdict, place: Cursor | None = None, about: About = "old code") -> None:
    """Go on if the verdict is `Safe`; otherwise end with its obligation and counterexample. `about`: see `Unsafe`.

    Raises `TypeError` for a mere truth value, which nobody proved.
    """
    given: object = verdict  # whatever its type promises
    if isinstance(given, bool):
        raise TypeError("require takes what a question of logic.questions answers, no truth value: see `applicable`")
    if verdict:
        return
    if isinstance(verdict, Undecided):
        raise Refused(Unknown(f"could not decide whether {verdict.obligation}", place=place))
    failure = unsafe(verdict.obligation, verdict.counterexample, verdict.details)
    raise Refused(replace(failure, place=place, about=about))


def applicable(condition: bool, message: str, place: Cursor | None = None) -> None:
    """Go on if the target has the form that the primitive needs."""
    if not condition:
        refuse(NotApplicable(message, place=place))


def of_kind(value: object, kind: type[T], message: str, place: Cursor | None = None) -> T:
    """The value, which the primitive needs to be of a kind."""
    if not isinstance(value, kind):
        refuse(NotApplicable(message, place=place))
    return value


def argument(condition: bool, message: str) -> None:
    """Go on if an argument makes sense."""
    if not condition:
        refuse(BadArgument(message))


T = TypeVar("T")

MOST_NODES = 100_000
"""How much code a rewrite may make of a piece of code by copies. Ten thousand statements take each later rewrite
seconds, and a C compiler minutes; what is more would end in memory that runs out, without a word."""


def not_too_many(node: Node, copies: int, instead: str, place: Cursor) -> None:
    """Go on if so many copies of a node are few enough. `instead` is what to do."""
    fits = copies <= MOST_NODES and copies * sum(1 for _ in walk(node)) <= MOST_NODES
    applicable(fits, f"{copies} copies would be more code than anybody can use: {instead}", place)
