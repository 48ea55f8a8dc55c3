"""Values as Python source.

A value that knows its source has a method `source()`, which gives pieces: `Text`, and values to be shown in
their turn. `show` puts them together without recursion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Protocol, TypeAlias, cast

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ir.names import Sym
from ..ir.nodes import Binary, Const, Var
from ..ir.printing import print_expr
from ..ir.types import Scalar
from .functions import function_name, lambda_source
from .places import place_source
from .text import Text

Pieces: TypeAlias = Iterable[object]


class HasSource(Protocol):
    """A value that knows the expression that rebuilds it."""

    def source(self) -> Pieces: ...


def call(function: object, /, *args: object, **kwargs: object) -> Pieces:
    """The pieces of a call. The function may be given by name."""
    head = Text(function) if isinstance(function, str) else function
    named = ((Text(f"{k}="), v) for k, v in kwargs.items())
    return head, Text("("), *_listed((*((a,) for a in args), *named)), Text(")")


def _listed(items: Iterable[tuple[object, ...]]) -> Iterator[object]:
    for n, item in enumerate(items):
        yield from (Text(", "), *item) if n else item


def show(value: object) -> str:
    """A value as it stands in Python source: procedures by name, cursors as the navigation that leads there.

    >>> from exo_strat import *
    >>> show((4, ("io", "ii"), divide_loop.direct, at("x = _", identity)))
    "(4, ('io', 'ii'), divide_loop.direct, at('x = _', identity))"
    """
    return "".join(piece for piece in _flat(value) if isinstance(piece, Text))


def holds_lambda(value: object) -> bool:
    """Whether a value holds a lambda. Its source then evaluates to a value that does the same, but is not equal: two
    lambdas never are.

    >>> holds_lambda((1, print)), holds_lambda((1, lambda: 2))
    (False, True)
    """
    return any(isinstance(piece, FunctionType) and piece.__name__ == "<lambda>" for piece in _flat(value))


def _flat(value: object) -> Iterator[object]:
    """The value, the pieces that it is written with, what these are written with, and so on: text is written as it
    stands."""
    stack: list[object] = [value]
    while stack:
        top = stack.pop()
        yield top
        if not isinstance(top, Text):
            stack.extend(reversed(tuple(_pieces(top))))


def _is_sum(e: object) -> bool:
    """Whether something is an expression of integers, variables and operators. What is made by hand may be none."""
    match e:
        case Var(sym=Sym()):
            return True
        case Const(value=v):
            return type(v) is int
        case Binary(op="+" | "-" | "*" | "/" | "%", lhs=a, rhs=b):
            return _is_sum(a) and _is_sum(b)
        case _:
            return False


def _pieces(value: object) -> Pieces:
    """What a value is written with."""
    match value:
        case tuple():
            return Text("("), *_listed((v,) for v in value), Text(",)" if len(value) == 1 else ")")
        case Proc():
            return (Text(value.name()),)
        case Cursor():
            return (Text(place_source(value)),)
        case Scalar():
            return (Text(value.name),)
        case Var() | Const() | Binary() if _is_sum(value):  # as a user writes it
            return (Text(repr(print_expr(value, {}))),)
        case partial():
            return call("partial", value.func, *value.args, **value.keywords)
        case MethodType():
            return value.__self__, Text(f".{value.__name__}")
        case FunctionType() if value.__name__ == "<lambda>":
            return (Text(lambda_source(value, show)),)
        case FunctionType() | BuiltinFunctionType() | type():
            return (Text(function_name(value)),)
    if hasattr(type(value), "source"):  # `isinstance` of a protocol takes twenty times as long
        return cast(HasSource, value).source()
    name = getattr(value, "__name__", None)
    return (Text(name if callable(value) and isinstance(name, str) else repr(value)),)
