"""Programs that are one of several, by where a triangle is and how it is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from exo_strat import CallCursor, Proc, direct, proc_from_source, traversals

DIAGONALS = {"": "a stored diagonal", "_unit": "one of ones, which is not read"}
TRIANGLES = tuple(f"{half}{way}{diagonal}" for half in "lu" for way in "nt" for diagonal in DIAGONALS)
"""The lower or the upper triangle; rows of which the dot products with x are made (`n`) or that are added up (`t`); and
whose diagonal is stored, or ones."""
HALVES = ("l", "u")
"""The lower or the upper triangle of a symmetric matrix."""
SCALED = """\
if beta == 0.0:
    for k in seq(0, n):
        y[k] = 0.0
elif beta != 1.0:
    for k in seq(0, n):
        y[k] = beta * y[k]"""
"""y := beta y, which isn't read if beta is 0."""


def by_half(statement: Callable[[str], str]) -> str:
    """`if lower: s["l"] else: s["u"]`.

    >>> print(by_half(lambda half: f"symv_{half}(n, x)"))
    if lower:
        symv_l(n, x)
    else:
        symv_u(n, x)
    """
    return choice("lower", statement("l"), statement("u"))


def by_orientation(statement: Callable[[str], str]) -> str:
    """`if lower: if dots: if unit: s["ln_unit"] else: s["ln"] ..`, for each of the `TRIANGLES`."""

    def by_diagonal(way: str) -> str:
        return choice("unit", statement(f"{way}_unit"), statement(way))

    return by_half(lambda half: choice("dots", by_diagonal(f"{half}n"), by_diagonal(f"{half}t")))


def choice(condition: str, one: str, other: str) -> str:
    """`if e: s1 else: s2` as object code."""
    return f"if {condition}:\n{indented(one)}\nelse:\n{indented(other)}"


def indented(code: str, levels: int = 1) -> str:
    """Object code so many levels deeper."""
    return "\n".join("    " * levels + line for line in code.split("\n"))


def any_stride(program: Proc) -> Proc:
    """A program for vectors with any increments."""
    return proc_from_source(re.sub(r"\n *assert stride\((?!a,).*", "", str(program)))


def inlined(source: str, env: Mapping[str, Any]) -> Proc:
    """A program that calls others, with all of them put in.

    >>> zero = proc_from_source('''
    ... def zero(n: size, x: [R][n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(inlined("def two(n: size, x: R[n + 1]):\\n    zero(n, x[0:n])\\n    zero(n, x[1:])", {"zero": zero}))
    def two(n: size, x: R[n + 1] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            x[1 + i] = 0.0
    """
    program = proc_from_source(source, env)
    for call in [c for c in traversals.nlr(program.root()) if isinstance(c, CallCursor)]:
        program = direct.inline(program, call)
    return program
