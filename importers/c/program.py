"""What a C function is translated to, before the shapes of its arrays are known.

Statements and expressions of the object language, but for accesses: these still have the index that C computes, and
`shapes.py` says later how many dimensions the array has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ..control import Poly, Symbol
from ..report import Place
from .syntax import Variable
from .types import Number


@dataclass(frozen=True)
class Frame:
    """A loop around a place: its iterator runs from `lo` to below `hi`."""

    symbol: Symbol
    lo: Poly
    hi: Poly


@dataclass(eq=False)
class Access:
    """An element of an array, and the loops around. `indices` is one index for each dimension that C's type has."""

    var: Variable
    indices: tuple[Poly, ...]
    frames: tuple[Frame, ...]
    place: Place
    facts: tuple[Poly, ...] = ()
    """What isn't negative here, by the conditions around."""
    other: tuple[Poly, ...] = ()
    """What isn't 0 here, by the conditions around."""


# -- data -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lit:
    """A number, held at its type."""

    value: int | float
    type: Number


@dataclass(frozen=True)
class Scalar:
    """A scalar data variable; between which numbers it is, if that is known."""

    var: Variable
    type: Number
    range: tuple[int, int] | None = None


@dataclass(frozen=True)
class Read:
    """An element; between which numbers it is, if that is known."""

    access: Access
    type: Number
    range: tuple[int, int] | None = None


@dataclass(frozen=True)
class Negative:
    """`-arg`"""

    arg: Data
    type: Number


@dataclass(frozen=True)
class Arithmetic:
    """`lhs op rhs`; both operands have its type."""

    op: str
    lhs: Data
    rhs: Data
    type: Number


@dataclass(frozen=True)
class Extern:
    """An extern function's value, at its arguments' type."""

    name: str
    args: tuple[Data, ...]
    type: Number


@dataclass(frozen=True)
class Chosen:
    """`yes if cond else no`; both sides have its type, and only the one that the condition says is evaluated."""

    cond: Cond
    yes: Data
    no: Data
    type: Number


@dataclass(frozen=True)
class Converted:
    """`f64(arg)` and the like."""

    arg: Data
    type: Number


@dataclass(frozen=True)
class Whole:
    """A control integer as a data value: `f64(i)`."""

    value: Poly
    type: Number


Data: TypeAlias = Lit | Scalar | Read | Negative | Arithmetic | Extern | Chosen | Converted | Whole


# -- conditions -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compare:
    """A comparison of control integers, or of data of one type."""

    op: str
    lhs: Poly | Data
    rhs: Poly | Data


@dataclass(frozen=True)
class Logic:
    """`lhs and rhs`, or `or`."""

    op: str
    lhs: Cond
    rhs: Cond


@dataclass(frozen=True)
class Not:
    """`not arg`"""

    arg: Cond


@dataclass(frozen=True)
class Truth:
    """A condition whose value is known."""

    value: bool


Cond: TypeAlias = Compare | Logic | Not | Truth


OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def facts_of(c: Cond, holds: bool = True) -> tuple[Poly, ...]:
    """What isn't negative where a condition on control integers holds, or doesn't."""
    if isinstance(c, Not):
        return facts_of(c.arg, not holds)
    if isinstance(c, Logic):
        return (*facts_of(c.lhs, holds), *facts_of(c.rhs, holds)) if (c.op == "and") == holds else ()
    if not isinstance(c, Compare) or not isinstance(c.lhs, Poly) or not isinstance(c.rhs, Poly):
        return ()
    d = c.rhs - c.lhs
    found = {"<": (d - 1,), "<=": (d,), ">": (-d - 1,), ">=": (-d,), "==": (d, -d), "!=": ()}
    return found[c.op if holds else OPPOSITE[c.op]]


def other_than_0(c: Cond, holds: bool = True) -> tuple[Poly, ...]:
    """What isn't 0 where a condition on control integers holds, or doesn't."""
    match c:
        case Not(arg=arg):
            return other_than_0(arg, not holds)
        case Logic(op=op, lhs=a, rhs=b) if (op == "and") == holds:
            return (*other_than_0(a, holds), *other_than_0(b, holds))
        case Compare(op=op, lhs=Poly() as a, rhs=Poly() as b) if op == ("!=" if holds else "=="):
            return (a - b,)
        case _:
            return ()


# -- statements -----------------------------------------------------------------------------------------


@dataclass(eq=False)
class For:
    """A loop."""

    frame: Frame
    body: list[Stmt]
    place: Place


@dataclass(eq=False)
class Branch:
    """An if."""

    cond: Cond
    yes: list[Stmt]
    no: list[Stmt]
    place: Place


@dataclass(eq=False)
class Store:
    """`target op value`; `op` is `=`, `+=` or `*=`, or `min` or `max` of the target and the
    value."""

    target: Access | Variable
    op: str
    value: Data
    place: Place


@dataclass(eq=False)
class Allocate:
    """The declaration of a local buffer."""

    var: Variable
    shape: tuple[Poly, ...]
    place: Place


@dataclass(frozen=True)
class Window:
    """A part of an array that is passed: from the first element, how far in each of its last dimensions."""

    access: Access
    extents: tuple[Poly, ...]


@dataclass(eq=False)
class Invoke:
    """A call of a procedure."""

    name: str
    args: list[Poly | Variable | Window]
    place: Place


@dataclass(eq=False)
class Need:
    """What must hold here so that C computes what is written: `value` is not negative, in all iterations of `frames`,
    where the `guards` hold. The front end proves it; it isn't printed."""

    value: Poly
    why: str
    remedy: str
    place: Place
    frames: tuple[Frame, ...] = ()
    guards: tuple[Cond, ...] = ()


Stmt: TypeAlias = For | Branch | Store | Allocate | Invoke | Need


@dataclass
class Procedure:
    """A translated function: its arguments in order, and what is assumed of them."""

    name: str
    args: list[Argument]
    body: list[Stmt]
    place: Place
    accesses: list[Access] = field(default_factory=list)
    assertions: list[tuple[Poly, str]] = field(default_factory=list)
    """Polynomials that are not negative, and why that is assumed."""
    claims: list[tuple[Variable, Poly, Poly]] = field(default_factory=list)
    """Arrays that indices are read from, with the least element that is allowed, and one past the greatest."""
    written: set[Variable] = field(default_factory=set)
    """The arrays that it writes."""
    notes: list[str] = field(default_factory=list)
    externs: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)
    indexing: set[Variable] = field(default_factory=set)
    """The arguments that it takes indices from, itself or in what it calls."""
    passed: list[tuple[str, Variable, Variable]] = field(default_factory=list)
    """The arrays that it passes: the function, its argument, and the array."""
    indices: dict[Access, tuple[Poly, ...]] = field(default_factory=dict)
    windows: bool = False
    """Whether its arrays may be parts of others: it is called by another procedure of the file."""
    c_name: str = ""


@dataclass(eq=False)
class Argument:
    """An argument: a control integer has a symbol, an array a shape once it is known."""

    var: Variable
    symbol: Symbol | None = None
    size: bool = False
    type: Number | None = None
    shape: tuple[Poly, ...] = ()
    position: int = 0
    """Which of C's arguments it is."""
    extent_of: Variable | None = None
    """The array whose extent it is, if C hasn't got that."""
