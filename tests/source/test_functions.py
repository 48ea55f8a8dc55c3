"""Functions as source: by name, or by the text of a lambda."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from exo_strat import direct, divide_loop, moves, traversals
from exo_strat.source import show


class Group:
    @staticmethod
    def member(x: int) -> int:
        return x


def test_named_functions_by_the_name_that_users_have() -> None:
    def local() -> None: ...

    named = (len, Group.member, local, traversals.lrn, moves.find, direct.rename, divide_loop, Group, reduce)
    assert [show(f) for f in named] == [
        "len", "Group.member", "local", "traversals.lrn", "moves.find", "rename.direct", "divide_loop", "Group",
        "reduce",
    ]  # fmt: skip


def test_lambdas_by_their_text() -> None:
    f: Callable[..., Any] = lambda c, n=3, *, key="a(": (  # noqa: E731
        c.parent(),
        [n for x in c], key)
    assert show(f) == "lambda c, n=3, *, key='a(': (c.parent(), [n for x in c], key)"


def test_of_several_on_one_line_the_right_one() -> None:
    pair = (lambda x: x + 1, lambda x: (lambda y: x + y))
    assert [show(f) for f in pair] == ["lambda x: x + 1", "lambda x: lambda y: x + y"]
    assert show(pair[1](5)) == "lambda y: 5 + y"


def test_closed_values_stand_in_the_text() -> None:
    def made(k: int, names: tuple[str, ...]) -> Callable[..., Any]:
        return lambda x, y=k: (x, k, names, max)

    assert show(made(2, ("io",))) == "lambda x, y=2: (x, 2, ('io',), max)"


def test_a_lambda_without_text_says_so() -> None:
    assert show(eval("lambda x: x")) == "<lambda>"


def test_a_lambda_that_refers_to_itself_has_no_text() -> None:
    f: Any = lambda n: f(n - 1)  # noqa: E731
    assert show(f) == "<lambda>"


def test_a_name_that_means_two_things_is_not_put_in() -> None:
    k = 1
    f = lambda x: (lambda k: k)(x) + k  # noqa: E731
    assert show(f) == "<lambda>"
