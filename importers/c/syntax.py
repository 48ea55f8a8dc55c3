"""C as far as the importer looks at it: expressions, statements and functions, with names resolved.

Every use of a variable refers to its declaration, so scopes are gone. What isn't taken at all is an `Untaken`,
which the translation reports when it comes to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ..control import Poly, digits
from ..report import NOWHERE, Place
from .types import Float, Int, Number, Other, Void


@dataclass(frozen=True)
class Array:
    """An array type; the extent is None in `x[]`, which only an argument may have."""

    of: Type
    extent: Expr | None


@dataclass(frozen=True)
class Pointer:
    """A pointer type."""

    to: Type


Type: TypeAlias = Int | Float | Void | Other | Array | Pointer


@dataclass(eq=False)
class Variable:
    """A declared variable: one object for each declaration. `name` is how object code spells it."""

    name: str
    c_name: str
    type: Type
    storage: str
    """`argument`, `local`, `static`, `file` for those at file scope, or `member` of a struct that outlives the call."""
    place: Place
    const: bool = False
    init: Expr | Table | None = None
    elsewhere: bool = False
    """Whether it is `extern`: another file says what it begins with."""
    flag: bool = False
    """Whether it is none of C's, but data that says how a loop ended."""

    rows: tuple[Poly, ...] = ()
    """The extents of a flat array's dimensions but the first, once they are known."""

    single: bool = False
    """Whether it is a pointer to one number, which object code has as a number."""

    shared: bool = False
    """Whether a caller passes an array for it that is written elsewhere: its elements as indices are `now(x[i])`."""

    def __repr__(self) -> str:
        return self.name

    def placed(self, indices: tuple[Poly, ...]) -> tuple[Poly, ...]:
        """The indices of an element in the shape that object code has."""
        if self.single:
            return ()
        return digits(indices[0], self.rows) if len(indices) == 1 and self.rows else indices


# -- expressions --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal:
    """A number. `text` is how the source writes it."""

    value: int | float
    type: Number
    text: str
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Use:
    """A variable."""

    var: Variable
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Index:
    """`base[at]`"""

    base: Expr
    at: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Unary:
    """One of `- + ! ~ * &` before an operand."""

    op: str
    arg: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Step:
    """`++` or `--`; `after` if the value is the one before the step."""

    by: int
    after: bool
    target: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Binary:
    """An operator between two operands, `&&` and `||` among them."""

    op: str
    lhs: Expr
    rhs: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Assign:
    """`target = value`, or with an operator such as `+`, `target += value`."""

    op: str
    target: Expr
    value: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Choice:
    """`cond ? yes : no`"""

    cond: Expr
    yes: Expr
    no: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Cast:
    """`(type)arg`"""

    type: Type
    arg: Expr
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Call:
    """A call of a function by its name."""

    name: str
    args: tuple[Expr, ...]
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Comma:
    """`a, b`: one after the other; the value is the last one's."""

    parts: tuple[Expr, ...]
    place: Place = field(compare=False)


@dataclass(frozen=True)
class SizeOf:
    """`sizeof` of a type, or of an expression's type."""

    what: Expr | Type
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Untaken:
    """What isn't taken wherever it stands: an expression or a statement."""

    what: str
    why: str
    remedy: str
    place: Place = field(compare=False)


Expr: TypeAlias = (
    Literal | Use | Index | Unary | Step | Binary | Assign | Choice | Cast | Call | Comma | SizeOf | Untaken
)


@dataclass(frozen=True)
class Table:
    """`{a, b, ..}` after a declaration; parts may be tables."""

    parts: tuple[Expr | Table, ...]
    place: Place = field(compare=False)


# -- statements ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Declare:
    """The declaration of a local variable."""

    var: Variable
    place: Place


@dataclass(frozen=True)
class Do:
    """An expression for its effects."""

    value: Expr
    place: Place


@dataclass(frozen=True)
class If:
    """A branch."""

    cond: Expr
    yes: Block
    no: Block
    place: Place


@dataclass(frozen=True)
class Loop:
    """`for` and `while`: what comes first, the condition, the body, and the step after it."""

    first: Block
    cond: Expr | None
    step: Expr | None
    body: Block
    place: Place
    flag: Variable | None = None
    """What tells that the loop was left early: then its iterations do nothing."""
    ended: tuple[tuple[Variable, Variable], ...] = ()
    """Integers that are read after the loop, and the data variables that have their values if it was left early."""


@dataclass(frozen=True)
class Return:
    """`return` with or without a value."""

    value: Expr | None
    place: Place


@dataclass(frozen=True)
class Continue:
    """`continue`"""

    place: Place


@dataclass(frozen=True)
class Break:
    """`break`"""

    place: Place


@dataclass(frozen=True)
class Goto:
    """`goto`"""

    label: str
    place: Place


@dataclass(frozen=True)
class Label:
    """`name:` before a statement."""

    name: str
    place: Place


@dataclass(frozen=True)
class Result:
    """What the function returns, if nothing else comes after: the end isn't here."""

    value: Expr
    place: Place


Jump: TypeAlias = Return | Continue | Break | Goto
Stmt: TypeAlias = "Declare | Do | If | Loop | Jump | Label | Result | Untaken | Block"


@dataclass(frozen=True)
class Block:
    """Statements in a scope of their own."""

    parts: tuple[Stmt, ...]
    place: Place = NOWHERE


@dataclass(frozen=True)
class Function:
    """A function with its body."""

    name: str
    result: Type
    args: tuple[Variable, ...]
    body: Block
    place: Place
    notes: tuple[str, ...] = ()
    """What is assumed of it."""
    exits: Place | None = None
    """Where it ends the whole program."""


@dataclass(frozen=True)
class Unit:
    """A file: its functions by name, and the variables at file scope."""

    file: str
    functions: dict[str, Function]
    variables: tuple[Variable, ...]
