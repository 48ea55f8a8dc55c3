"""What a NumPy function is translated to: statements and expressions of the object language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ..control import Poly, Symbol
from ..report import Place, Problem
from .kinds import BOOL, PYTHON_BOOL, Kind


@dataclass(eq=False)
class Buffer:
    """A tensor or a scalar: an argument, something that is allocated, or an output."""

    name: str
    kind: Kind
    shape: tuple[Poly, ...]
    role: str = "local"
    """`argument`, `local` or `output`."""


# -- data -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Num:
    """A number or truth value."""

    value: int | float | bool
    kind: Kind


@dataclass(frozen=True)
class Elem:
    """An element of a buffer, or a scalar."""

    buffer: Buffer
    indices: tuple[Poly, ...]
    kind: Kind


@dataclass(frozen=True)
class Whole:
    """A control integer as a number."""

    value: Poly
    kind: Kind


@dataclass(frozen=True)
class Neg:
    """`-arg`"""

    arg: Data
    kind: Kind


@dataclass(frozen=True)
class Bin:
    """`lhs op rhs`, both operands at its kind."""

    op: str
    lhs: Data
    rhs: Data
    kind: Kind


@dataclass(frozen=True)
class Fn:
    """An extern function's value."""

    name: str
    args: tuple[Data, ...]
    kind: Kind


@dataclass(frozen=True)
class Conv:
    """`f64(arg)` and the like."""

    arg: Data
    kind: Kind


@dataclass(frozen=True)
class Cmp:
    """A comparison of data, or of control integers."""

    op: str
    lhs: Data | Poly
    rhs: Data | Poly
    kind: Kind = BOOL


@dataclass(frozen=True)
class Logic:
    """`and`, `or` of truth values."""

    op: str
    lhs: Data
    rhs: Data
    kind: Kind = BOOL


@dataclass(frozen=True)
class Not:
    """`not arg`"""

    arg: Data
    kind: Kind = BOOL


@dataclass(frozen=True)
class Flag:
    """A truth value that is an argument."""

    name: str
    kind: Kind = PYTHON_BOOL


@dataclass(frozen=True)
class Select:
    """`yes if cond else no`: only the side that is taken is computed."""

    cond: Data
    yes: Data
    no: Data
    kind: Kind


Data: TypeAlias = Num | Elem | Whole | Neg | Bin | Fn | Conv | Cmp | Logic | Not | Flag | Select


def is_control(e: Data) -> bool:
    """Whether a condition asks for no data."""
    match e:
        case Cmp(lhs=a):
            return isinstance(a, Poly)
        case Logic(lhs=a, rhs=b):
            return is_control(a) and is_control(b)
        case Not(arg=a):
            return is_control(a)
        case _:
            return isinstance(e, Num | Flag)


def parts(e: Data) -> Iterator[Data]:
    """A condition, and the conditions in it."""
    yield e
    match e:
        case Logic(lhs=a, rhs=b):
            yield from parts(a)
            yield from parts(b)
        case Not(arg=a):
            yield from parts(a)
        case _:
            return


# -- statements -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A loop around a place: what `range(lo, hi, step)` visits."""

    symbol: Symbol
    lo: Poly
    hi: Poly
    step: int = 1


@dataclass(eq=False)
class For:
    """A loop."""

    frame: Frame
    body: list[Stmt]
    place: Place


@dataclass(eq=False)
class If:
    """A branch."""

    cond: Data
    yes: list[Stmt]
    no: list[Stmt]
    place: Place


@dataclass(eq=False)
class Store:
    """An assignment, or with `op` other than `=` a reduction: `+=`, `min`, `max`."""

    buffer: Buffer
    indices: tuple[Poly, ...]
    value: Data
    place: Place
    op: str = "="


@dataclass(eq=False)
class Alloc:
    """A buffer, from here to the end of its block."""

    buffer: Buffer
    place: Place


@dataclass(eq=False)
class Renamed:
    """A name for all of a buffer with other extents, `buffer = of.view(..)`, from here to the end of its block."""

    buffer: Buffer
    of: Buffer
    place: Place


Stmt: TypeAlias = For | If | Store | Alloc | Renamed


@dataclass(eq=False)
class Procedure:
    """A translated function: control arguments with their types, data, what is assumed, the body."""

    name: str
    controls: dict[str, str] = field(default_factory=dict)
    arguments: list[Buffer] = field(default_factory=list)
    outputs: list[Buffer] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    """By the names of arguments those that the function has."""
    assertions: dict[str, str] = field(default_factory=dict)
    """Conditions on the arguments that were added, and why."""
    notes: list[str] = field(default_factory=list)
    externs: set[str] = field(default_factory=set)
    unlike: list[Problem] = field(default_factory=list)
    """What is returned and looks different to a caller: copies of what NumPy shares, numbers of another type. Output
    arguments don't show it."""
    outside: Buffer | None = None
    """The output that says whether an index that is computed was outside of its array."""
    body: list[Stmt] = field(default_factory=list)
