"""How values that may be deep are pickled. Imports memos and `room`.

Pickling recurses, a few calls a level, and meets the recursion limit like any walk. So a deep value names, before its own
parts, some of what is inside it, from the inside out: then each of these finds what is below the one before it pickled
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


_height_of = with_room(_height)


def reduce_node(node: Any) -> tuple[Any, ...]:
    """`__reduce__` of a node of a tree."""
    inside, stack = [], _children(node)
    if _height_of(node) > LEVELS:
        while stack:
            here = stack.pop()
            if _height(here) >= LEVELS:
                stack += _children(here)
                if _height(here) % LEVELS == 0:
                    inside.append(here)
    inside.sort(key=_height)
    return reduced(inside, type(node), *[getattr(node, name) for name in type(node).__match_args__])


def check_functions(value: object, of: str) -> None:
    """Raises `PicklingError` if a function, which `of` holds, can't be found again by its name."""
    if isinstance(value, tuple):
        for v in value:
            check_functions(v, of)
    elif isinstance(value, partial):
        check_functions((value.func, *value.args, *value.keywords.values()), of)
    elif isinstance(value, FunctionType) and "<" in value.__qualname__:
        what = "a lambda" if value.__name__ == "<lambda>" else f"{value.__name__}, which is defined inside a function"
        raise pickle.PicklingError(
            f"{of} can't be pickled: it holds {what}. Define it with `def` at the top level of a module"
        )
