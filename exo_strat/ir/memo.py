"""Memoisation on node identity. Imports nothing of the project.

Trees never change, so what was computed of a node stays true for as long as the node lives; an entry
goes when its node goes. `forget` empties all memos, for who wants to see everything computed again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_tables: list[dict[int, Any]] = []  # one a memoised function, entered when its module is imported


def memo_by_identity(f: Callable[[K], V]) -> Callable[[K], V]:
    """`f`, remembered for each argument *object* (`is`), without keeping the object alive."""
    table: dict[int, tuple[weakref.ref[object], V]] = {}
    _tables.append(table)

    @wraps(f)
    def remembered(node: K) -> V:
        key = id(node)
        hit = table.get(key)
        if hit is not None and hit[0]() is node:
            return hit[1]
        value = f(node)
        table[key] = (weakref.ref(node, lambda _: table.pop(key, None)), value)
        return value

    return remembered


def forget() -> None:
    """Empties every memo. Nothing changes but time: what is asked for again is computed again."""
    for table in _tables:
        table.clear()
