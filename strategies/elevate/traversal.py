"""Functions from strategies to strategies, as values.

ELEVATE writes `s @ t` for "strategy s at the places that t says". A `Traversal` is such a t; here too it
can be applied, `t(s)`, or written `s @ t`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from exo_strat import Op


@dataclass(frozen=True, repr=False)
class Traversal:
    """The function `s -> equation(*args, s)`, with a name; equal to another of the same name and arguments.

    `help` shows its `meaning`, else what the equation's docstring says.

    >>> from exo_strat import attempt, identity
    >>> maybe = Traversal("maybe", attempt)
    >>> maybe, identity @ maybe
    (maybe, attempt(identity))
    """

    name: str
    equation: Callable[..., Op] = field(compare=False)
    args: tuple[Any, ...] = ()
    meaning: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.meaning or self.equation.__doc__)

    def __call__(self, s: Op) -> Op:
        return self.equation(*self.args, s)

    def __rmatmul__(self, s: Op) -> Op:
        return self(s)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.args))})" if self.args else self.name
