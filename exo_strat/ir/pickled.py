"""How values that may be deep are pickled.

Pickling recurses, a few calls a level, and meets the recursion limit like any walk. So a deep value names, before its
own parts, some of what is inside it, from the inside out: each of these then finds what is further inside pickled
already. What is shared stays shared.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType
from typing import Any, Final, TypeVar

from .memo import memo_by_identity
from .room import with_room

T = TypeVar("T")

LEVELS: Final = 16
"""How many levels are pickled by recursion."""


def rebuilt(inside: tuple[object, ...], make: Callable[..., T], *args: object) -> T:
    """What a pickle calls: `inside` is there so that it is pickled before the arguments."""
    return make(*args)


def reduced(inside: Iterable[object], make: Callable[..., T], *args: object) -> tuple[Any, ...]:
    """What `__reduce__` returns for a value that `make` builds, and that has these deep things inside, inner ones
    first."""
    found = tuple(inside)
    return (rebuilt, (found, make, *args)) if found else (make, args)


def _children(node: Any) -> list[Any]:
    found: list[Any] = []
    for label, is_list in node.CHILDREN:
        value = getattr(node, label)
        found += value if is_list else (value,)
    return found


@memo_by_identity
def _height(node: Any) -> int:
    return 1 + max(map(_height, _children(node)), default=0)


@memo_by_identity
def _inside(node: Any) -> tuple[Any, ...]:
    """Some of what is deep inside a node, inner nodes first."""
    if _height(node) <= LEVELS:
        return ()
    found: dict[int, Any] = {}
    for c in _children(node):
        found |= {id(n): n for n in _inside(c)}
        if _height(c) % LEVELS == 0:
            found[id(c)] = c
    return tuple(found.values())


_all_inside = with_room(_inside)


def reduce_node(node: Any) -> tuple[Any, ...]:
    """`__reduce__` of a node of a tree."""
    return reduced(_all_inside(node), type(node), *[getattr(node, name) for name in type(node).__match_args__])


def check_functions(value: object, holder: object) -> None:
    """Raises `PicklingError` if a function, which `holder` has, can't be found again by its name."""
    if isinstance(value, tuple):
        for v in value:
            check_functions(v, holder)
    elif isinstance(value, partial):
        check_functions((value.func, *value.args, *value.keywords.values()), holder)
    elif isinstance(value, FunctionType) and "<" in value.__qualname__:
        what = "a lambda" if value.__name__ == "<lambda>" else f"{value.__name__}, which is defined inside a function"
        raise pickle.PicklingError(
            f"{holder!r} can't be pickled: it holds {what}. Define it with `def` at the top level of a module"
        )
