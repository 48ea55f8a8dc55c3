"""Control values that a generated program may use as indices, with bounds.

Indices are right by construction: each value in scope has bounds that are affine in the sizes `n` and
`m`, and for an extent only those index expressions are offered that stay inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .choices import Choices


class Bound(NamedTuple):
    """`c + a*n + b*m`, for sizes n and m of at least 1."""

    c: int
    a: int = 0
    b: int = 0

    def plus(self, other: Bound) -> Bound:
        return Bound(self.c + other.c, self.a + other.a, self.b + other.b)

    def minus(self, other: Bound) -> Bound:
        return Bound(self.c - other.c, self.a - other.a, self.b - other.b)

    def least(self) -> int | None:
        """The smallest value; None if there is none."""
        return None if self.a < 0 or self.b < 0 else self.c + self.a + self.b

    def __str__(self) -> str:
        text = " + ".join(("" if k == 1 else f"{k} * ") + size for k, size in ((self.a, "n"), (self.b, "m")) if k)
        if not text:
            return str(self.c)
        return shifted(text, self.c)


ZERO, ONE, N, M = Bound(0), Bound(1), Bound(0, 1), Bound(0, 0, 1)
FAR = Bound(1000)
"""For values without a bound: beyond every extent."""


class Range(NamedTuple):
    """A control value and its bounds: `lo <= text < hi`."""

    text: str
    lo: Bound
    hi: Bound


def shifted(text: str, by: int) -> str:
    """The text of a sum with a constant."""
    return text if by == 0 else f"{text} + {by}" if by > 0 else f"{text} - {-by}"


def fits(r: Range, extent: Bound) -> Iterator[str]:
    """Indices within an extent, made of a value by adding a constant: the nearest to the value first."""
    below, above = r.lo.least(), extent.minus(r.hi).least()
    if below is None or above is None or above < -below:
        return
    first = min(max(0, -below), above)
    for by in sorted(range(max(-below, first - 2), min(above, first + 2) + 1), key=lambda d: (abs(d), d)):
        yield shifted(r.text, by)


def mirrored(r: Range, extent: Bound) -> Iterator[str]:
    """An index within an extent that falls as a value rises."""
    last = r.hi.minus(ONE)
    room = extent.minus(last).plus(r.lo).minus(ONE).least()
    if room is not None and room >= 0:
        yield f"{last} - {parens(r.text)}"


def parens(text: str) -> str:
    """The text as an operand."""
    return text if text.isidentifier() else f"({text})"


def derived(ranges: Sequence[Range]) -> Iterator[Range]:
    """Quotients, remainders, sums and combinations of values."""
    for r in ranges:
        for c in (2, 3):
            yield Range(f"{parens(r.text)} % {c}", ZERO, Bound(c))
        if r.lo != Bound(-FAR.c) and r.hi != FAR:
            yield Range(f"max({shifted(r.text, -1)}, {r.lo})", r.lo, r.hi)
            yield Range(f"min({shifted(r.text, 1)}, {r.hi.minus(ONE)})", r.lo, r.hi)
        if (least := r.hi.least()) is not None and least >= 1:
            low = r.lo.least()
            yield Range(f"{parens(r.text)} / 2", ZERO if low is not None and low >= 0 else r.lo, r.hi)
    for one in ranges:
        for two in ranges:
            if one is not two:
                yield Range(f"{one.text} + {two.text}", one.lo.plus(two.lo), one.hi.plus(two.hi).minus(ONE))
                twice = one.lo.plus(one.lo), one.hi.plus(one.hi).minus(ONE)
                yield Range(
                    f"2 * {parens(one.text)} + {two.text}",
                    twice[0].plus(two.lo),
                    twice[1].plus(two.hi).minus(ONE),
                )


def constants(extent: Bound) -> list[str]:
    """Constant indices within an extent."""
    most = extent.least()
    assert most is not None and most >= 1, f"the extent {extent} may be empty"
    inside = [str(k) for k in range(min(most, 3))]
    return inside if most == extent.c else [*inside, str(extent.minus(ONE))]


def index(ch: Choices, extent: Bound, ranges: Sequence[Range]) -> str:
    """A drawn index within an extent."""
    kind = ch.weighted({"plain": 12, "constant": 3, "derived": 3, "mirrored": 2})
    options: list[str] = []
    if kind == "plain":
        options = [text for r in reversed(ranges) for text in fits(r, extent)]
    elif kind == "derived":
        options = [text for r in derived(ranges[-3:]) for text in fits(r, extent)]
    elif kind == "mirrored":
        options = [text for r in ranges for text in mirrored(r, extent)]
    return ch.pick(options or constants(extent))
