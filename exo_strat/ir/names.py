"""Hygienic names. Imports nothing of the project.

A variable is a `Sym`: a readable name and a number that tells it from every other variable of its
procedure. Numbers are drawn from a counter that the procedure itself carries (`ProcDef.next_id`), so
a rewrite stays a pure function of its arguments.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Sym:
    """A variable: equal only to itself, however it is spelled.

    >>> Sym("i", 1) == Sym("i", 2)
    False
    >>> str(Sym("i", 1))
    'i'
    """

    name: str
    id: int

    def __hash__(self) -> int:
        return self.id

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self.name}_{self.id}"
