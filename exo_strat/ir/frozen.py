"""Frozen classes that are cheap to build, and may be nested deeply. Imports `pickled` and `room`."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

from .pickled import reduce_node
from .room import run_again

T = TypeVar("T")


def fast_init(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, built in two thirds of the time. The constructor takes the same arguments.

    Each edit and each question builds many small objects. The constructor that a frozen dataclass comes with
    finds every slot by its name; this one has the slots' setters at hand.
    """
    scope: dict[str, Any] = {}
    params, sets = ["self"], ["pass"]
    for f in fields(cls):  # type: ignore[arg-type]
        if not f.init:
            continue
        scope[f"set_{f.name}"] = getattr(cls, f.name).__set__
        scope[f"default_{f.name}"] = f.default
        params.append(f.name if f.default is MISSING else f"{f.name}=default_{f.name}")
        sets.append(f"set_{f.name}(self, {f.name})")
    exec(f"def __init__({', '.join(params)}): {'; '.join(sets)}", scope)
    cls.__init__ = scope["__init__"]  # type: ignore[method-assign]
    return cls


def deep(cls: type[T]) -> type[T]:
    """A class of nodes, which may be nested deeply: they are compared, hashed and pickled all the same."""
    equal, hashed = cls.__eq__, cls.__hash__

    def __eq__(self: T, other: object) -> bool:
        if self is other:
            return True
        try:
            return equal(self, other)
        except RecursionError as e:
            error = e
        return run_again(error, equal, self, other)

    def __hash__(self: T) -> int:
        try:
            return hashed(self)
        except RecursionError as e:
            error = e
        return run_again(error, hashed, self)

    cls.__eq__, cls.__hash__ = __eq__, __hash__  # type: ignore[method-assign, assignment]
    cls.__reduce__ = reduce_node  # type: ignore[method-assign, assignment]
    return cls
