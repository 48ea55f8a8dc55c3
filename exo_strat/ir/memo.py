"""Memoisation on nodes, and marks.

Trees never change, so what was computed of a node stays true for as long as the node lives. It is kept in the node
itself, and goes with it; in a table beside, a result that mentions its node would keep both alive for ever.
`forget` drops it all, for who wants to see everything computed again.

A mark says which node of an older tree a node is, however it was rebuilt since. Tests put marks on trees, to see
where cursors should lead (`testing.forwarding`); nothing else reads them, and they are no part of a node's value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

K = TypeVar("K", bound="Remembers")
P = ParamSpec("P")
V = TypeVar("V")


class Remembers:
    """An object that never changes and keeps what was computed of it. That is no part of its value."""

    __slots__ = ("_mark", "_memo")
    _mark: object
    _memo: dict[object, Any]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self


_era: Final[list[object]] = [object()]  # what was remembered in another one does not count


def memo_by_identity(f: Callable[Concatenate[K, P], V]) -> Callable[Concatenate[K, P], V]:
    """`f`, remembered for each first argument *object* (`is`), and the values of the others if there are any."""

    @wraps(f)
    def remembered(node: K, /, *args: P.args, **kwargs: P.kwargs) -> V:
        memo = _memo(node)
        key = (None, f, args, *kwargs.items()) if kwargs else (f, *args) if args else f
        known = memo.get(key, memo)  # `memo` is no value of anything
        if known is memo:
            known = memo[key] = f(node, *args, **kwargs)
        value: V = known
        return value

    of_one: Any = f

    @wraps(f)
    def remembered_alone(node: Any, /) -> Any:  # the same, in less time
        memo = getattr(node, "_memo", None)
        if memo is None or memo[None] is not _era[0]:
            memo = _memo(node)
        known = memo.get(f, memo)
        if known is memo:
            known = memo[f] = of_one(node)
        return known

    alone: Any = remembered_alone
    return alone if len(signature(f).parameters) == 1 else remembered


def _memo(node: Remembers) -> dict[object, Any]:
    """What is remembered of a node; nothing if that does not count any more."""
    memo: dict[object, Any] | None = getattr(node, "_memo", None)
    if memo is None or memo[None] is not _era[0]:
        memo = {None: _era[0]}
        object.__setattr__(node, "_memo", memo)
    return memo


def same_mark(old: K, new: K) -> K:
    """`new`, which was made from `old` by changing parts of it, with the mark of `old` if it has one."""
    mark = getattr(old, "_mark", None)
    if mark is not None:
        object.__setattr__(new, "_mark", mark)
    return new


def forget() -> None:
    """Makes every memo count for nothing. Nothing changes but time: what is asked for again is computed again."""
    _era[0] = object()
