"""C's arithmetic types, and the conversions between them that C makes without saying so.

Widths are those of 64-bit Linux and macOS: `long` has 64 bits. Plain `char` is signed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias


@dataclass(frozen=True)
class Int:
    """An integer type. `rank` tells types of one width apart, such as `long` and `long long`: C never needs to here."""

    bits: int
    signed: bool
    truth: bool = False
    """Whether it is `_Bool`: a byte that is 0 or 1."""

    def __str__(self) -> str:
        if self.truth:
            return "bool"
        names = {8: "signed char", 16: "short", 32: "int", 64: "long"}
        return names[self.bits] if self.signed else f"unsigned {names[self.bits].removeprefix('signed ')}"

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest value."""
        if self.truth:
            return 0, 1
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.signed else (0, (1 << self.bits) - 1)


@dataclass(frozen=True)
class Float:
    """`float` or `double`."""

    bits: int

    def __str__(self) -> str:
        return "float" if self.bits == 32 else "double"


@dataclass(frozen=True)
class Void:
    """No value."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True)
class Other:
    """A type that isn't taken, as it is written."""

    text: str

    def __str__(self) -> str:
        return self.text


Number: TypeAlias = Int | Float

I32: Final = Int(32, True)
I64: Final = Int(64, True)
U64: Final = Int(64, False)
F32: Final = Float(32)
F64: Final = Float(64)
NAMED: Final = {
    "size_t": U64,
    "ptrdiff_t": I64,
    "ssize_t": I64,
    "intptr_t": I64,
    "uintptr_t": U64,
    **{f"int{b}_t": Int(b, True) for b in (8, 16, 32, 64)},
    **{f"uint{b}_t": Int(b, False) for b in (8, 16, 32, 64)},
}
"""Types that the standard headers name."""


def basic(words: tuple[str, ...]) -> Int | Float | Void | Other:
    """The type that words such as `unsigned long` mean, in any order.

    >>> basic(("long", "unsigned")), basic(("double",)), basic(("long", "double"))
    (Int(bits=64, signed=False, truth=False), Float(bits=64), Other(text='long double'))
    """
    if len(words) == 1 and words[0] in NAMED:
        return NAMED[words[0]]
    simple: dict[tuple[str, ...], Int | Float | Void] = {
        ("float",): F32, ("double",): F64, ("void",): Void(), ("_Bool",): Int(8, False, True)
    }  # fmt: skip
    if words in simple:
        return simple[words]
    rest = sorted(w for w in words if w not in ("signed", "unsigned", "int"))
    bits = {(): 32, ("char",): 8, ("short",): 16, ("long",): 64, ("long", "long"): 64}.get(tuple(rest))
    return Other(" ".join(words)) if bits is None else Int(bits, "unsigned" not in words)


def promoted(t: Number) -> Number:
    """What C computes with instead of a type that is narrower than `int`."""
    return I32 if isinstance(t, Int) and t.bits < 32 else t


def common(a: Number, b: Number) -> Number:
    """The type at which C combines two values: the usual arithmetic conversions.

    >>> str(common(F32, I64)), str(common(I32, U64)), str(common(Int(8, False), Int(16, True)))
    ('float', 'unsigned long', 'int')
    """
    if isinstance(a, Float) or isinstance(b, Float):
        return Float(max(t.bits for t in (a, b) if isinstance(t, Float)))
    a, b = promoted(a), promoted(b)
    assert isinstance(a, Int) and isinstance(b, Int)
    if a.bits == b.bits:
        return Int(a.bits, a.signed and b.signed)
    return a if a.bits > b.bits else b


def precision(t: Number) -> str:
    """The object language's name of a type.

    >>> precision(F32), precision(Int(8, False))
    ('f32', 'u8')
    """
    if isinstance(t, Float):
        return f"f{t.bits}"
    return f"{'i' if t.signed else 'u'}{t.bits}"
