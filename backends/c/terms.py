"""C expressions as text with binding strength, folding constants.

`Term`s are what the printer composes: parentheses appear only where C, or a reader, needs them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

ATOM, UNARY, MUL, ADD, SHIFT, REL, EQ, BITS, AND, OR, CHOICE, LOWEST = 100, 90, 80, 70, 65, 60, 50, 45, 40, 30, 20, 0

PRECEDENCE = {
    "*": MUL, "/": MUL, "%": MUL, "+": ADD, "-": ADD, "<": REL, "<=": REL, ">": REL, ">=": REL,
    "==": EQ, "!=": EQ, "&&": AND, "||": OR, "<<": SHIFT, ">>": SHIFT, "&": BITS, "|": BITS, "^": BITS,
}  # fmt: skip
"""`&`, `^` and `|` have levels of their own in C; here, as for a reader, their operands are in parentheses."""


@dataclass(frozen=True, slots=True)
class Term:
    """The text of a C expression, how tightly its outermost operator binds, and its value if it is
    a literal integer."""

    text: str
    strength: int = ATOM
    value: int | None = None

    def __str__(self) -> str:
        return self.text

    def within(self, strength: int) -> str:
        """The text, in parentheses unless it binds at least that tightly."""
        return self.text if self.strength >= strength else f"({self.text})"


def num(n: int) -> Term:
    """A literal integer. The least of 64 bits has a name: C reads `-9223372036854775808` as minus a number it lacks."""
    return Term("INT64_MIN", ATOM, n) if n == -(2**63) else Term(str(n), ATOM if n >= 0 else UNARY, n)


def unary(op: str, a: Term) -> Term:
    """`op a`; nested unary operators are parenthesised (`--x` is another operator in C)."""
    return Term(f"{op}{a.within(ATOM)}", UNARY)


def binary(op: str, a: Term, b: Term) -> Term:
    """`a op b`, left associative; mixed comparisons and logical operators are parenthesised, and operations on bits."""
    p = PRECEDENCE[op]
    if p in (SHIFT, BITS):
        return Term(f"{a.within(UNARY)} {op} {b.within(UNARY)}", p)
    left = p + 1 if p in (REL, EQ) else p
    lhs = a.within(ATOM if p <= AND and a.strength in (AND, OR) and a.strength != p else left)
    rhs = b.within(ATOM if p <= AND and b.strength in (AND, OR) and b.strength != p else p + 1)
    return Term(f"{lhs} {op} {rhs}", p)


def choice(cond: Term, then: Term, other: Term) -> Term:
    """`cond ? then : other`; a chain goes on in `other`.

    >>> choice(Term("a && b", AND), Term("x"), choice(Term("c"), Term("y"), Term("z"))).text
    '(a && b) ? x : c ? y : z'
    """
    return Term(f"{cond.within(EQ)} ? {then.within(OR)} : {other.within(CHOICE)}", CHOICE)


def add(a: Term, b: Term) -> Term:
    """`a + b`.

    >>> add(num(0), Term("i")).text, add(Term("i"), num(-1)).text
    ('i', 'i - 1')
    """
    if a.value is not None and b.value is not None:
        return num(a.value + b.value)
    if a.value == 0:
        return b
    if b.value == 0:
        return a
    if b.value is not None and b.value < 0:
        return binary("-", a, num(-b.value))
    return binary("+", a, b)


def sub(a: Term, b: Term) -> Term:
    """`a - b`."""
    return add(a, num(-b.value)) if b.value is not None else binary("-", a, b)


def mul(a: Term, b: Term) -> Term:
    """`a * b`."""
    if a.value is not None and b.value is not None:
        return num(a.value * b.value)
    if a.value == 0 or b.value == 0:
        return num(0)
    if a.value == 1:
        return b
    return a if b.value == 1 else binary("*", a, b)


def offset(index: Iterable[Term], strides: Iterable[Term]) -> Term:
    """The distance in elements of a point from the first element."""
    return reduce(add, (mul(i, s) for i, s in zip(index, strides, strict=True)), num(0))


def row_major(shape: tuple[Term, ...]) -> tuple[Term, ...]:
    """The strides of a dense tensor of that shape."""
    strides = [num(1)]
    for extent in reversed(shape[1:]):
        strides.append(mul(extent, strides[-1]))
    return tuple(reversed(strides))
