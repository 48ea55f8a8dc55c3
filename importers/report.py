"""What an importer has to say about a program that it doesn't take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Place:
    """A place in a source file: the line and the column, both from 1."""

    line: int
    col: int
    file: str = field(default="", compare=False)


NOWHERE = Place(0, 0)


@dataclass(frozen=True, order=True)
class Problem:
    """A construct that isn't taken: where, what it is, why not, and what to do."""

    place: Place
    what: str
    why: str
    remedy: str = ""


SAID = Problem(NOWHERE, "", "")
"""What follows from a problem that was reported, and isn't reported itself."""


class ImportRefusedError(ValueError):
    """A program that is not taken: all that was found, in the order of the file. `several` are the functions of a file
    of which one must be named."""

    def __init__(self, text: str, problems: Sequence[Problem] = (), several: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.several = tuple(several)
        self.problems = tuple(problems)


class Stop(Exception):
    """A problem that keeps the statement around it from being translated."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.what)
        self.problem = problem


class TooMuch(Exception):
    """A problem that keeps the whole program from being translated: it takes too long."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.what)
        self.problem = problem


def stop(place: Place, what: str, why: str, remedy: str = "") -> Stop:
    """The exception to raise for a construct that isn't taken."""
    return Stop(Problem(place, what, why, remedy))


@dataclass
class Report:
    """The problems of a file. A muted report forgets them: so runs what only finds out how variables change."""

    problems: list[Problem] = field(default_factory=list)
    muted: bool = False

    def add(self, problem: Problem) -> None:
        if self.muted:
            return
        if problem is SAID:
            assert self.problems, "something was left out, and nothing says so"
        elif problem not in self.problems:
            self.problems.append(problem)

    def refuse(self, file: str, lines: Sequence[str]) -> ImportRefusedError:
        """The error that shows all problems, each with its line."""
        found = sorted(self.problems)
        return ImportRefusedError("\n".join(shown(p, file, lines) for p in found), found)


def shown(p: Problem, file: str, lines: Sequence[str]) -> str:
    """A problem for people.

    >>> print(shown(Problem(Place(1, 3), "goto", "jumps are not taken", "write a loop"), "a.c", ["  goto x;"]))
    a.c:1:3: goto: jumps are not taken
          goto x;
          ^
        write a loop
    """
    where = f"{p.place.file or file}:{p.place.line}:{p.place.col}: " if p.place.line else f"{file}: "
    out = [f"{where}{p.what}: {p.why}"]
    if 0 < p.place.line <= len(lines) and p.place.file in ("", file):
        line = lines[p.place.line - 1]
        pad = "".join(c if c == "\t" else " " for c in line[: p.place.col - 1])
        out += [f"    {line}", f"    {pad}^"]
    if p.remedy:
        out.append(f"    {p.remedy}")
    return "\n".join(out)
