"""What a primitive is given: references to code, expressions and windows as object code, names."""

from __future__ import annotations

from typing import TypeAlias, TypeVar, cast

from returns.result import Success

from ...cursors.cursor import BlockCursor, Cursor, NodeCursor, StmtCursor
from ...cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    CallCursor,
    ForCursor,
    WindowDefCursor,
)
from ...cursors.proc import InvalidCursorError, Proc
from ...cursors.rewrite import Rewrite
from ...frontend.exprs import parse_expr, parse_window, read_again
from ...frontend.scope import scope_at, types_at
from ...ir.build import num
from ...ir.cells import indexing
from ...ir.names import Sym, checked_name
from ...ir.nodes import Cell, Expr, Node, WinDim
from ...ir.numbers import is_integer
from ...ir.walk import Path, is_control, mentions, walk
from ...ops.failure import BadArgument, Refused
from ...ops.moves import Move, run_move
from ...ops.strategy import coerce
from .refusing import applicable, argument, refuse

ExprLike: TypeAlias = str | int | Expr | NodeCursor
C = TypeVar("C", bound=Cursor)

BY_NAME: dict[type[Cursor], str] = {CallCursor: "(_)", AssignCursor: " = _", WindowDefCursor: " = _"}
"""What a name means where one of these is wanted: the name with this pattern after it."""


def find_target(p: Proc, ref: object, kinds: tuple[type[Cursor], ...]) -> Cursor:
    """The cursor that a reference (cursor, pattern, name, move) means in `p`."""
    if isinstance(ref, Cursor):
        c = p.forward(ref)
        if not c.is_valid:
            raise InvalidCursorError("this cursor points to code that is gone")
        return coerce(c, kinds)
    if isinstance(ref, str):
        return coerce(_by_text(p, ref, kinds), kinds)
    if isinstance(ref, Move):
        moved = run_move(ref, p.root())
        if isinstance(moved, Success):
            return coerce(p.forward(moved.unwrap()), kinds)
        raise Refused(moved.failure())
    if isinstance(ref, Proc) and CallCursor in kinds:
        return _call_of(p, ref)
    refuse(BadArgument(f"a reference is a cursor, a pattern or a move, not {ref!r}"))


def _call_of(p: Proc, callee: Proc) -> Cursor:
    """The first call of a procedure, which the paper's `call_eqv(p, foo, bar)` and `inline(p, foo)` refer to by it."""
    for c in p.root().find_all("_(_)"):
        if isinstance(c, CallCursor) and c.subproc().tree == callee.tree:
            return c
    raise InvalidCursorError(f"nothing calls {callee.name()} in\n{p}")


def _by_text(p: Proc, text: str, kinds: tuple[type[Cursor], ...]) -> Cursor:
    words = text.partition("#")[0].split()
    names = all(w.isidentifier() and w != "_" for w in words)
    if names and len(words) == 2 and ForCursor in kinds:
        return _nest(p, *words)
    if names and len(words) == 1:
        if ForCursor in kinds:
            return p.find_loop(text)
        for kind, pattern in BY_NAME.items():
            if kind in kinds:
                name, sharp, number = text.partition("#")
                return p.find(f"{name.strip()}{pattern} {sharp}{number}")
        if BlockCursor in kinds or StmtCursor in kinds:
            return _statement(p, text)
        if ArgCursor in kinds:
            return p.find_alloc_or_arg(text)
        if AllocCursor in kinds:
            return p.find_alloc(text)
    return p.find(text)


def _statement(p: Proc, text: str) -> Cursor:
    """The loop or, if there is none, the allocation that a name means where a statement is wanted."""
    for find in (p.find_loop, p.find_alloc):
        try:
            return find(text)
        except InvalidCursorError:
            continue
    return p.find(text)


def _nest(p: Proc, outer: str, inner: str) -> Cursor:
    for c in p.root().find_all(f"for {outer} in _: _"):
        first = c.body()[0] if isinstance(c, ForCursor) else None
        if isinstance(first, ForCursor) and first.name() == inner:
            return c
    raise InvalidCursorError(f"no loop {outer} has a loop {inner} directly inside it in\n{p}")


def ref(rw: Rewrite, value: object, kind: type[C]) -> C:
    """A further reference argument, resolved in the version that is being rewritten."""
    return cast(C, find_target(rw.proc, value, (kind,)))


def expr_arg(rw: Rewrite, given: ExprLike, at: Path) -> Expr:
    """A control expression argument: a number, object code in the scope at `at`, which may name the configs of the
    procedure, or a cursor."""
    if isinstance(given, str):
        if given.isascii() and given.isdecimal() and str(int(given)) == given:  # most are: then no scope is needed
            return num(int(given))
        return _known_indices(rw, parse_expr(given, scope_at(rw.proc.tree, at)))
    value = node_now(rw, given) if isinstance(given, NodeCursor) else given
    if is_integer(value):
        return num(value)
    if not isinstance(value, Expr) or not is_control(value):
        refuse(BadArgument(f"{given!r} is no control expression"))
    in_scope_at(rw, value, at, given)
    return _known_indices(rw, read_again(value, rw.proc.tree, at))


def _known_indices(rw: Rewrite, e: Expr) -> Expr:
    """Go on if an expression takes indices only from arguments from which the procedure does: of others not even the
    range of their precision is known."""
    taken = indexing(rw.proc.tree)
    new = next((n.read.sym for _, n in walk(e) if isinstance(n, Cell) and n.steady and n.read.sym not in taken), None)
    applicable(new is None, f"{new} would come to be one of the arguments that indices are taken from")
    return e


def node_now(rw: Rewrite, c: NodeCursor) -> Node:
    """What a cursor that is an argument points to, in the version that is being rewritten."""
    found = rw.proc.forward(c)
    if not isinstance(found, NodeCursor):
        raise InvalidCursorError("this cursor points to code that is gone")
    node: Node = found.node
    return node


def in_scope_at(rw: Rewrite, e: Expr, at: Path, given: object) -> None:
    """Go on if all that an expression mentions, which an argument is or points to, is in scope at a place."""
    unknown = sorted(mentions(e) - types_at(rw.proc.tree, at).keys())
    argument(not unknown, f"{', '.join(map(str, unknown))} is not in scope where {given!r} is needed")


def window_arg(rw: Rewrite, text: str, at: Path) -> tuple[Sym, tuple[WinDim, ...]]:
    """A window argument in object code, such as `"x[0:n, j]"`."""
    sym, dims = parse_window(text, scope_at(rw.proc.tree, at))
    return sym, tuple(dims)


def positive(value: int, what: str) -> int:
    """An integer of at least 1."""
    argument(value >= 1, f"{what} must be a positive integer, not {value}")
    return value


def name_arg(value: object) -> str:
    """A new name, which must be an identifier."""
    try:
        return checked_name(value)
    except ValueError as e:
        raise Refused(BadArgument(str(e))) from None
