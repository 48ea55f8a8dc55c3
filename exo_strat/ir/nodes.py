"""The tree.

Nodes are immutable; children that are lists are `PVector`s. `CHILDREN` names each child field and
says whether it is a list: with it, paths, traversals and edits are generic (`ir/walk.py`). Fields
not named there are leaves. Control variables are `Var`, data is `Read`: no environment is needed to
tell them apart. Nodes are frozen slotted dataclasses rather than `PClass`es: an eighth of the cost
to build, and mypy sees their fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from pyrsistent import PVector

from .config import Config
from .externs import ExternFn
from .frozen import deep, fast_init
from .memo import Remembers
from .memory import Memory
from .names import Sym
from .types import Control, Scalar, Tensor, Type

Children: TypeAlias = tuple[tuple[str, bool], ...]

# -- expressions -------------------------------------------------------------------------------


@fast_init
@dataclass(frozen=True, slots=True)
class Var(Remembers):
    """A control variable: a loop iterator, or a size, index, int, bool or stride argument."""

    sym: Sym
    CHILDREN: ClassVar[Children] = ()


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Read(Remembers):
    """The value of a data scalar or tensor element; with no indices and as a call's argument, the
    whole of a tensor."""

    sym: Sym
    idx: PVector[Expr]
    CHILDREN: ClassVar[Children] = (("idx", True),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Interval(Remembers):
    """`lo:hi` in a window expression: keeps the dimension."""

    lo: Expr
    hi: Expr
    CHILDREN: ClassVar[Children] = (("lo", False), ("hi", False))


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Point(Remembers):
    """A single index in a window expression: drops the dimension."""

    pt: Expr
    CHILDREN: ClassVar[Children] = (("pt", False),)


WinDim: TypeAlias = Interval | Point


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class WindowExpr(Remembers):
    """`x[i, 0:n]`: a view of part of a tensor. Has at least one `Interval`."""

    sym: Sym
    idx: PVector[WinDim]
    CHILDREN: ClassVar[Children] = (("idx", True),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class ViewExpr(Remembers):
    """`x.view(n, m)`: all of a dense buffer of `rank` dimensions, with other extents but as many elements, row by row
    in the same order. It only stands on the right of a `WindowDef`."""

    sym: Sym
    rank: int
    shape: PVector[Expr]
    CHILDREN: ClassVar[Children] = (("shape", True),)


@fast_init
@dataclass(frozen=True, slots=True)
class Const(Remembers):
    """A literal. `type` is `R` for data (value int or float), `int_` or `bool_` for control."""

    value: int | float | bool
    type: Scalar | Control
    CHILDREN: ClassVar[Children] = ()


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Unary(Remembers):
    """`-e` (data or control) or `not e`. `op` is "-" or "not"."""

    op: str
    arg: Expr
    CHILDREN: ClassVar[Children] = (("arg", False),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Binary(Remembers):
    """`lhs op rhs`; op one of `+ - * / %`, `< <= > >= == !=`, `and or`.

    On control values `/` and `%` take a positive literal on the right and are floor operations.
    """

    op: str
    lhs: Expr
    rhs: Expr
    CHILDREN: ClassVar[Children] = (("lhs", False), ("rhs", False))


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class ExternCall(Remembers):
    """A call of a pure extern function on data values. A conversion may also be of a control integer: `f32(n - i)`."""

    f: ExternFn
    args: PVector[Expr]
    CHILDREN: ClassVar[Children] = (("args", True),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Select(Remembers):
    """`then if cond else other`: a data value. Only the chosen side is evaluated."""

    cond: Expr
    then: Expr
    other: Expr
    CHILDREN: ClassVar[Children] = (("then", False), ("cond", False), ("other", False))


@fast_init
@dataclass(frozen=True, slots=True)
class StrideExpr(Remembers):
    """`stride(x, dim)`: the distance in elements between neighbours along a dimension."""

    sym: Sym
    dim: int
    CHILDREN: ClassVar[Children] = ()


@fast_init
@dataclass(frozen=True, slots=True)
class ReadConfig(Remembers):
    """The value of a config field."""

    config: Config
    field: str
    CHILDREN: ClassVar[Children] = ()


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Cell(Remembers):
    """The number in an element of a buffer of integers, as a control integer: `idx[i]` in `x[idx[i]]`. It is `steady`
    if it is of an argument that nothing in the procedure writes: then it never changes while the procedure runs, and is
    known to be initialised. `now(idx[i])`, of such an argument, is none the less not steady, and asks nothing of the
    caller; `now` says so in the text."""

    read: Read
    steady: bool
    now: bool = False
    CHILDREN: ClassVar[Children] = (("read", False),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Claim(Remembers):
    """What an assertion says of all elements of a buffer of integers: that they are `within(idx, lo, hi)`, of which
    `args` are the bounds, that no two are equal, `distinct(idx)`, or that none is less than the one before,
    `rising(ptr)`."""

    kind: str
    sym: Sym
    rank: int
    args: PVector[Expr]
    CHILDREN: ClassVar[Children] = (("args", True),)


Expr: TypeAlias = (
    Var | Read | WindowExpr | ViewExpr | Const | Unary | Binary | ExternCall | Select | StrideExpr | ReadConfig | Cell
    | Claim
)

# -- statements --------------------------------------------------------------------------------


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Assign(Remembers):
    """`sym[idx] = rhs` on data."""

    sym: Sym
    idx: PVector[Expr]
    rhs: Expr
    CHILDREN: ClassVar[Children] = (("idx", True), ("rhs", False))


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Reduce(Remembers):
    """`sym[idx] op= rhs` on data. `op` is the accumulation operator: "+", "*", "min" or "max"."""

    sym: Sym
    idx: PVector[Expr]
    rhs: Expr
    op: str = "+"
    CHILDREN: ClassVar[Children] = (("idx", True), ("rhs", False))


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class For(Remembers):
    """`for iter in mode(lo, hi)`; mode "seq", "par" or "vec". Zero iterations when hi <= lo."""

    iter: Sym
    lo: Expr
    hi: Expr
    body: PVector[Stmt]
    mode: str = "seq"
    CHILDREN: ClassVar[Children] = (("lo", False), ("hi", False), ("body", True))


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class If(Remembers):
    """`if cond: body else: orelse`; `orelse` is empty when there is no else branch."""

    cond: Expr
    body: PVector[Stmt]
    orelse: PVector[Stmt]
    CHILDREN: ClassVar[Children] = (("cond", False), ("body", True), ("orelse", True))


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Alloc(Remembers):
    """`sym: type @ mem`: a fresh, uninitialised buffer that lives to the end of its block."""

    sym: Sym
    type: Scalar | Tensor
    mem: Memory
    CHILDREN: ClassVar[Children] = (("type", False),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class WindowDef(Remembers):
    """`sym = x[..]`: names a window; `sym` aliases `x` to the end of the block. Or `sym = x.view(..)`: while `sym` is
    used, it is a buffer of its own, and `x` has no name."""

    sym: Sym
    rhs: WindowExpr | ViewExpr
    CHILDREN: ClassVar[Children] = (("rhs", False),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Call(Remembers):
    """A call of another procedure; arguments are control expressions, reads and windows."""

    f: Callee
    args: PVector[Expr]
    CHILDREN: ClassVar[Children] = (("args", True),)


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class WriteConfig(Remembers):
    """`Config.field = rhs`."""

    config: Config
    field: str
    rhs: Expr
    CHILDREN: ClassVar[Children] = (("rhs", False),)


@fast_init
@dataclass(frozen=True, slots=True)
class Pass(Remembers):
    """Does nothing; keeps a block from being empty."""

    CHILDREN: ClassVar[Children] = ()


Stmt: TypeAlias = Assign | Reduce | For | If | Alloc | WindowDef | Call | WriteConfig | Pass
Block: TypeAlias = PVector[Stmt]

# -- procedures --------------------------------------------------------------------------------


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class Arg(Remembers):
    """A formal argument. `mem` is None for control arguments."""

    sym: Sym
    type: Type
    mem: Memory | None
    CHILDREN: ClassVar[Children] = (("type", False),)


@fast_init
@dataclass(frozen=True, slots=True)
class Instr:
    """What makes a procedure an instruction: its C text (`{name}`: an argument; `{name_data}`: a
    window's or buffer's first element), C text needed once a file (includes), and what must follow
    before another thread may see what it wrote."""

    c: str
    c_global: str = ""
    c_fence: str = ""


@deep
@fast_init
@dataclass(frozen=True, slots=True)
class ProcDef(Remembers):
    """A procedure's tree. `next_id` is the smallest number that no Sym of it has."""

    name: str
    args: PVector[Arg]
    preds: PVector[Expr]
    body: Block
    instr: Instr | None
    next_id: int
    CHILDREN: ClassVar[Children] = (("args", True), ("preds", True), ("body", True))


class Callee(Protocol):
    """What a `Call` refers to: a procedure (`exo_strat.Proc`), seen from the tree."""

    @property
    def tree(self) -> ProcDef: ...


Node: TypeAlias = ProcDef | Arg | Stmt | Expr | WinDim | Type
