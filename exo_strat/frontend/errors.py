"""What is wrong with object code, said for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from traceback import format_exception


@dataclass(frozen=True)
class Place:
    """A place in a source text: the file, the line's number, the line itself, the column (from 0)."""

    file: str
    line: int
    text: str
    col: int

    def __str__(self) -> str:
        caret = " " * self.col + "^"
        return f"{self.file}:{self.line}\n    {self.text}\n    {caret}"


class FrontendError(ValueError):
    """Object code that cannot be accepted. `place` is where, if it came from a source text."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message if place is None else f"{message}\n{place}")
        self.message = message
        self.place = place

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: of a fault in object code the place, and not where in this package it was found."""
        if self.place is None:
            return "".join(format_exception(self)).splitlines()
        return [f"{type(self).__name__}: {self}", *getattr(self, "__notes__", ())]


class ParseError(FrontendError):
    """Not object code: Python that the object language does not have."""


class ScopeError(FrontendError):
    """A name that means nothing here."""


class ObjectTypeError(FrontendError):
    """An expression of the wrong type, or of the wrong number of dimensions."""


class PatternError(FrontendError):
    """A pattern that is not one."""


class CheckError(FrontendError):
    """An access out of bounds, a false assertion, an alias ..: well-typed code that may go wrong.

    `path` is where in the tree, `counterexample` values for which it goes wrong.
    """

    def __init__(
        self,
        path: Sequence[tuple[str, int | None]],
        message: str,
        counterexample: Mapping[str, int] | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(message, place)
        self.path = tuple(path)
        self.counterexample = counterexample
