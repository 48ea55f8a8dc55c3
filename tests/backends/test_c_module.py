"""How functions of a C module are declared."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from backends.c import CModule, compile
from exo_strat import Proc

Code = Callable[..., Proc]


@pytest.fixture
def nest(code: Code) -> Proc:
    """A procedure that calls one that calls another."""
    leaf = code("""
    def leaf(x: f32):
        x = 1.0
    """)
    middle = code(
        """
    def middle(x: f32):
        leaf(x)
    """,
        leaf=leaf,
    )
    return code(
        """
    def top(x: f32):
        middle(x)
    """,
        middle=middle,
    )


def declared(module: CModule) -> dict[str, set[str]]:
    """What stands before `void` where a function is declared or defined."""
    found: dict[str, set[str]] = {}
    for before, name in re.findall(r"^(.*)void (\w+)\(", module.text, re.MULTILINE):
        found.setdefault(name, set()).add(before)
    return found


def test_what_nobody_asked_for_is_static(nest: Proc) -> None:
    assert declared(compile([nest])) == {"leaf": {"static "}, "middle": {"static "}, "top": {""}}


def test_of_an_embedded_module_leaves_are_parts_of_their_callers(nest: Proc) -> None:
    assert declared(compile([nest], embedded=True)) == {
        "leaf": {"static inline __attribute__((always_inline)) "},
        "middle": {"static __attribute__((noinline)) "},
        "top": {"static "},
    }
