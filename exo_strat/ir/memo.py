"""Memoisation on nodes. Imports nothing of the project.

Trees never change, so what was computed of a node stays true for as long as the node lives. It is kept in the node
itself, and goes with it; in a table beside, a result that mentions its node would keep both alive for ever.
`forget` drops it all, for who wants to see everything computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

K = TypeVar("K", bound="Remembers")
V = TypeVar("V")


class Remembers:
    """An object that keeps what was computed of it. That is no part of its value."""

    __slots__ = ("_memo",)
    _memo: tuple[object, dict[Callable[..., Any], Any]]


_era: Final[list[object]] = [object()]  # what was remembered in another one does not count


def memo_by_identity(f: Callable[[K], V]) -> Callable[[K], V]:
    """`f`, remembered for each argument *object* (`is`)."""

    @wraps(f)
    def remembered(node: K) -> V:
        now = _era[0]
        try:
            era, known = node._memo
        except AttributeError:
            era = None
        if era is not now:
            known = {}
            object.__setattr__(node, "_memo", (now, known))
        if f in known:
            return known[f]  # type: ignore[no-any-return]
        value = known[f] = f(node)
        return value

    return remembered


def forget() -> None:
    """Makes every memo count for nothing. Nothing changes but time: what is asked for again is computed again."""
    _era[0] = object()
