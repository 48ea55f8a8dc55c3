"""One cursor class for each kind of node, so that `isinstance` asks what a cursor points to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from ..frontend.scope import shown_type, types_at
from ..ir import nodes as ir
from ..ir.config import Config
from ..ir.externs import ExternFn
from ..ir.memory import Memory
from ..ir.types import Tensor, Type
from . import cursor as c
from .proc import InvalidCursorError

if TYPE_CHECKING:
    from .proc import Proc

K = TypeVar("K", bound=type[c.NodeCursor])
B = TypeVar("B", bound=ir.Alloc | ir.WindowDef | ir.Arg)
U = TypeVar("U", bound=ir.Assign | ir.Reduce)


def _cursor_to(*nodes: type) -> Callable[[K], K]:
    """Marks a class as that of the cursors to these kinds of nodes."""

    def register(cls: K) -> K:
        c.KINDS.update(dict.fromkeys(nodes, cls))
        return cls

    return register


class _Buffer(c._Named[B]):
    """What declares a buffer: an allocation, a window or an argument."""

    def type(self) -> Type:
        """The declared type."""
        node: ir.Alloc | ir.WindowDef | ir.Arg = self.node
        if isinstance(node, ir.WindowDef):
            return shown_type(node.rhs, types_at(self.proc.tree, self.path)[node.rhs.sym])
        return node.type

    def is_tensor(self) -> bool:
        """Whether it has dimensions."""
        return isinstance(self.type(), Tensor)

    def shape(self) -> list[c.ExprCursor]:
        """Cursors to the extents (of an allocation or argument)."""
        n = len(t.shape) if isinstance(t := self.type(), Tensor) else 0
        paths = [(*self.path, ("type", None), ("shape", i)) for i in range(n)]
        return [cast(c.ExprCursor, c.at_path(self.proc, path)) for path in paths]


@_cursor_to(ir.Arg)
class ArgCursor(_Buffer[ir.Arg]):
    """An argument of the procedure."""

    def mem(self) -> Memory | None:
        """Where a data argument lives."""
        return self.node.mem


@_cursor_to(ir.For)
class ForCursor(c._Named[ir.For], c.StmtCursor[ir.For]):
    """A loop."""

    def lo(self) -> c.ExprCursor:
        """The first iteration."""
        return self._child("lo")

    def hi(self) -> c.ExprCursor:
        """One past the last iteration."""
        return self._child("hi")

    def body(self) -> c.BlockCursor:
        """What is repeated."""
        return self._block("body")

    def mode(self) -> str:
        """`seq`, `par` or `vec`."""
        return self.node.mode


@_cursor_to(ir.If)
class IfCursor(c.StmtCursor[ir.If]):
    """A conditional."""

    def cond(self) -> c.ExprCursor:
        """The condition."""
        return self._child("cond")

    def body(self) -> c.BlockCursor:
        """What runs if the condition holds."""
        return self._block("body")

    def orelse(self) -> c.BlockCursor:
        """What runs otherwise."""
        if not self.node.orelse:
            raise InvalidCursorError(f"this `if` has no else branch\n{self}")
        return self._block("orelse")

    def has_else(self) -> bool:
        """Whether there is an else branch."""
        return bool(self.node.orelse)


class _Update(c._Named[U], c.StmtCursor[U]):
    def idx(self) -> list[c.ExprCursor]:
        """The indices of the element written."""
        return self._list("idx")

    def rhs(self) -> c.ExprCursor:
        """The value."""
        return self._child("rhs")

    def type(self) -> Type:
        """The precision of the buffer written."""
        t = types_at(self.proc.tree, self.path)[self.sym]
        return t.base if isinstance(t, Tensor) else t


@_cursor_to(ir.Assign)
class AssignCursor(_Update[ir.Assign]):
    """`x[i] = e`."""


@_cursor_to(ir.Reduce)
class ReduceCursor(_Update[ir.Reduce]):
    """`x[i] += e`, or by another operator."""

    def op(self) -> str:
        """The operator that accumulates."""
        return self.node.op


@_cursor_to(ir.Alloc)
class AllocCursor(_Buffer[ir.Alloc], c.StmtCursor[ir.Alloc]):
    """An allocation."""

    def mem(self) -> Memory:
        """Where the buffer lives."""
        return self.node.mem


@_cursor_to(ir.WindowDef)
class WindowDefCursor(_Buffer[ir.WindowDef], c.StmtCursor[ir.WindowDef]):
    """`w = x[..]`."""

    def rhs(self) -> c.ExprCursor:
        """The window expression."""
        return self._child("rhs")


@_cursor_to(ir.Call)
class CallCursor(c.StmtCursor[ir.Call]):
    """A call."""

    def subproc(self) -> Proc:
        """The procedure that is called."""
        return cast("Proc", self.node.f)

    def args(self) -> list[c.ExprCursor]:
        """The actual arguments."""
        return self._list("args")


@_cursor_to(ir.WriteConfig)
class WriteConfigCursor(c.StmtCursor[ir.WriteConfig]):
    """`Config.field = e`."""

    def config(self) -> Config:
        """The config."""
        return self.node.config

    def field(self) -> str:
        """The field's name."""
        return self.node.field

    def rhs(self) -> c.ExprCursor:
        """The value."""
        return self._child("rhs")


@_cursor_to(ir.Pass)
class PassCursor(c.StmtCursor[ir.Pass]):
    """`pass`."""


@_cursor_to(ir.Var, ir.Read)
class ReadCursor(c._Named[ir.Var | ir.Read], c.ExprCursor[ir.Var | ir.Read]):
    """A variable's or an element's value."""

    def idx(self) -> list[c.ExprCursor]:
        """The indices (none for a control variable or a scalar)."""
        return [] if isinstance(self.node, ir.Var) else self._list("idx")

    def type(self) -> Type:
        """The type of the value: a control type, a precision, or a tensor passed whole."""
        t = types_at(self.proc.tree, self.path)[self.sym]
        return t.base if isinstance(t, Tensor) and self.idx() else t


@_cursor_to(ir.WindowExpr)
class WindowExprCursor(c._Named[ir.WindowExpr], c.ExprCursor[ir.WindowExpr]):
    """`x[0:n, i]`."""


@_cursor_to(ir.ViewExpr)
class ViewExprCursor(c._Named[ir.ViewExpr], c.ExprCursor[ir.ViewExpr]):
    """`x.view(n, m)`."""


@_cursor_to(ir.Const)
class LiteralCursor(c.ExprCursor[ir.Const]):
    """A literal."""

    def value(self) -> int | float | bool:
        """Its value."""
        return self.node.value


@_cursor_to(ir.Unary)
class UnaryCursor(c.ExprCursor[ir.Unary]):
    """`-e` or `not e`."""

    def op(self) -> str:
        """`-` or `not`."""
        return self.node.op

    def arg(self) -> c.ExprCursor:
        """The operand."""
        return self._child("arg")


@_cursor_to(ir.Binary)
class BinaryOpCursor(c.ExprCursor[ir.Binary]):
    """`a op b`."""

    def op(self) -> str:
        """The operator."""
        return self.node.op

    def lhs(self) -> c.ExprCursor:
        """The left operand."""
        return self._child("lhs")

    def rhs(self) -> c.ExprCursor:
        """The right operand."""
        return self._child("rhs")


@_cursor_to(ir.ExternCall)
class ExternCursor(c.ExprCursor[ir.ExternCall]):
    """A call of an extern function."""

    def function(self) -> ExternFn:
        """The function."""
        return self.node.f

    def args(self) -> list[c.ExprCursor]:
        """The operands."""
        return self._list("args")


@_cursor_to(ir.Select)
class SelectCursor(c.ExprCursor[ir.Select]):
    """`a if c else b`."""

    def cond(self) -> c.ExprCursor:
        """The condition c."""
        return self._child("cond")

    def then(self) -> c.ExprCursor:
        """The value a where c holds."""
        return self._child("then")

    def other(self) -> c.ExprCursor:
        """The value b elsewhere."""
        return self._child("other")


@_cursor_to(ir.StrideExpr)
class StrideExprCursor(c._Named[ir.StrideExpr], c.ExprCursor[ir.StrideExpr]):
    """`stride(x, d)`."""


@_cursor_to(ir.ReadConfig)
class ReadConfigCursor(c.ExprCursor[ir.ReadConfig]):
    """The value of a config field."""


@_cursor_to(ir.Cell)
class CellCursor(c.ExprCursor[ir.Cell]):
    """An element of a buffer of integers where an index or a bound is needed."""


@_cursor_to(ir.Claim)
class ClaimCursor(c._Named[ir.Claim], c.ExprCursor[ir.Claim]):
    """What an assertion says of all elements of a buffer."""


KIND_NAMES: dict[type[c.Cursor], str] = {
    ForCursor: "a loop",
    IfCursor: "an `if`",
    AllocCursor: "an allocation",
    ArgCursor: "an argument",
    c.BlockCursor: "a block of statements",
    c.GapCursor: "a gap between statements",
    c.StmtCursor: "a statement",
    c.ProcCursor: "a procedure",
    c.ExprCursor: "an expression",
    AssignCursor: "an assignment",
    ReduceCursor: "a reduction",
    WindowDefCursor: "a window's definition",
    WriteConfigCursor: "a write to a config field",
    PassCursor: "a `pass`",
    WindowExprCursor: "a window",
    ViewExprCursor: "a buffer with other extents",
    UnaryCursor: "a unary operation",
    BinaryOpCursor: "a binary operation",
    ExternCursor: "a call of an extern function",
    SelectCursor: "a conditional expression",
    StrideExprCursor: "a stride",
    ReadConfigCursor: "a config field",
    CellCursor: "an element as an index",
    ClaimCursor: "an assertion about a buffer",
}


def kind_name(kind: type[c.Cursor]) -> str:
    """A kind of cursor in words."""
    return KIND_NAMES.get(kind, f"a {kind.__name__.removesuffix('Cursor').lower()}")
