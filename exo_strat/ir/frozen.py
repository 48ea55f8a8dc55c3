"""Frozen classes that are cheap to build, and may be nested deeply."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

from .pickled import reduce_node
from .room import run_again

T = TypeVar("T")


def fast_init(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots that is built in three quarters of the time, and never filled in again. The class
    takes the same arguments; `__post_init__` is called as ever.

    Each edit and each question builds many small objects. The constructor that a frozen dataclass comes with
    finds every slot by its name; this one has the slots' setters at hand. It is `__new__`: an `__init__`, or a
    `__setstate__`, could be called on an object that others hold.
    """
    scope: dict[str, Any] = {"new_object": object.__new__}
    params, sets = ["cls"], []
    for f in fields(cls):  # type: ignore[arg-type]
        if not f.init:
            continue
        scope[f"set_{f.name}"] = getattr(cls, f.name).__set__
        scope[f"default_{f.name}"] = f.default
        params.append(f.name if f.default is MISSING else f"{f.name}=default_{f.name}")
        sets.append(f"set_{f.name}(self, {f.name}); ")
    if hasattr(cls, "__post_init__"):
        sets.append("self.__post_init__(); ")
    exec(f"def __new__({', '.join(params)}): self = new_object(cls); {''.join(sets)}return self", scope)
    methods = {"__new__": scope["__new__"]} | ({} if "__reduce__" in vars(cls) else {"__reduce__": _reduce})
    for name, method in methods.items():
        setattr(cls, name, method)
    for name in {"__init__", "__getstate__", "__setstate__"} & vars(cls).keys():
        delattr(cls, name)
    return cls


def _reduce(self: Any) -> tuple[Any, ...]:
    return type(self), tuple(getattr(self, name) for name in type(self).__match_args__)


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

    for name, method in {"__eq__": __eq__, "__hash__": __hash__, "__reduce__": reduce_node}.items():
        setattr(cls, name, method)
    return cls
