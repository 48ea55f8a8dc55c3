"""Moves: navigation as values.

    Move = Cursor -> Result[Cursor, Failure]

A move is frozen data, composed with `>>`; combinators take moves (or plain functions on cursors). Each calls the cursor
method of its name; where the cursor has no such method, or there is nothing there, it fails.

| Move | Leads from | to |
|---|---|---|
| `here` | anything | the same cursor |
| `root`, `parent` | anything | the procedure; the loop, branch or expression around |
| `body`, `orelse` | a procedure, loop or branch | the block of its statements |
| `nth(i)` | a block | its i-th statement |
| `next_(n)`, `prev(n)` | a statement | the n-th statement after or before it in the block |
| `before`, `after` | a statement or block | the gap on that side |
| `as_block`, `expand(n, m)` | a statement or block | the block of it; with n statements more before and m after |
| `lo`, `hi`; `cond`; `lhs`, `rhs` | a loop; a branch; an operation, assignment or reduction | that expression of it |
| `find(pattern)` | anything | the first match below |
| `find_loop(name)`, `find_alloc(name)` | anything | the first loop or allocation of this name below |
| `find_alloc_or_arg(name)` | anything | the argument of this name, or else the allocation |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from returns.result import Failure as Err
from returns.result import Result, Success

from ..cursors.cursor import Cursor
from ..cursors.proc import InvalidCursorError
from ..frontend.patterns import parse_pattern
from .failure import Failure, NotApplicable, invalid
from .holes import Holder


@dataclass(frozen=True, repr=False)
class Move(Holder):
    """Cursor methods by name, with their arguments, called one after the other.

    >>> parent >> next_()
    moves.parent >> moves.next_()
    """

    steps: tuple[tuple[str, str, tuple[Any, ...]], ...]

    def __call__(self, *given: Cursor) -> Result[Cursor, Failure]:
        if len(given) != 1:
            raise TypeError(f"{self!r} is a move already: a combinator takes it as it is, as in at({self!r}, op)")
        (c,) = given
        for name, method, args in self.steps:
            if method == "[]":
                go: Callable[..., Cursor] | None = getattr(c, "__getitem__", None)
            else:
                go = getattr(c, method, None)
            if go is None:
                return Err(NotApplicable(f"a {type(c).__name__} has no {name}", place=c))
            try:
                c = go(*args)
            except InvalidCursorError as e:
                return Err(invalid(e))
        return Success(c)

    def __rshift__(self, other: Move) -> Move:
        if not isinstance(other, Move):
            raise TypeError(f"after {self!r} comes another move; an Op is applied where it leads by at({self!r}, op)")
        return Move(self.steps + other.steps)

    def pattern(self) -> str | None:
        """The pattern, if the move is to the first match of one and no more."""
        match self.steps:
            case (("find", "find", (str(text),)),):
                return text
        return None

    def __repr__(self) -> str:
        if not self.steps:
            return "moves.here"
        texts = [n if n in _BARE else f"{n}({', '.join(map(repr, args))})" for n, _, args in self.steps]
        return " >> ".join(f"moves.{t}" for t in texts)


AnyMove: TypeAlias = Move | Callable[[Cursor], Any]

_BARE = frozenset(("parent", "before", "after", "body", "orelse", "lo", "hi", "cond", "rhs", "lhs", "as_block", "root"))


def _move(name: str, *args: Any, method: str | None = None) -> Move:
    return Move(((name, method or name, args),))


here = Move(())
parent, before, after, body, orelse = (_move(n) for n in ("parent", "before", "after", "body", "orelse"))
lo, hi, cond, rhs, lhs = (_move(n) for n in ("lo", "hi", "cond", "rhs", "lhs"))
as_block, root = _move("as_block"), _move("root")


def next_(dist: int = 1) -> Move:
    """To the statement `dist` places after this one in the same block."""
    return _move("next_", *(() if dist == 1 else (dist,)), method="next")


def prev(dist: int = 1) -> Move:
    """To the statement `dist` places before this one in the same block."""
    return _move("prev", *(() if dist == 1 else (dist,)))


def expand(before: int = 0, after: int = 0) -> Move:
    """To the block of the focus with so many more statements before and after it."""
    return _move("expand", before, after)


def nth(i: int) -> Move:
    """To the i-th statement of a block, from 0; negative numbers count from the end."""
    return _move("nth", i, method="[]")


def find(pattern: str) -> Move:
    """To the first match of a pattern below the focus. Raises `PatternError` if the text is no pattern."""
    parse_pattern(pattern)
    return _move("find", pattern)


def find_loop(name: str) -> Move:
    """To the first loop of this name below the focus."""
    return _move("find_loop", name)


def find_alloc(name: str) -> Move:
    """To the first allocation of this name below the focus."""
    return _move("find_alloc", name)


def find_alloc_or_arg(name: str) -> Move:
    """To the argument of this name, or else to the first allocation of it below the focus.

    >>> from exo_strat import at, proc_from_source, schedule, set_precision
    >>> p = proc_from_source("def zero(n: size, x: f32[n]): x[0] = 0.0")
    >>> print(schedule(at(find_alloc_or_arg("x"), set_precision("f64")), p))
    def zero(n: size, x: f64[n] @ DRAM):
        x[0] = 0.0
    """
    return _move("find_alloc_or_arg", name)


def takes_arguments(move: object) -> bool:
    """Whether this is one of the functions here that make a move, and so none itself."""
    return any(move is f for f in (next_, prev, expand, nth, find, find_loop, find_alloc, find_alloc_or_arg))


def run_move(move: AnyMove, c: Cursor) -> Result[Cursor, Failure]:
    """Apply a move, or a plain function that may raise `InvalidCursorError`."""
    try:
        found = move(c)
    except InvalidCursorError as e:
        return Err(invalid(e))
    return found if isinstance(found, Result) else Success(found)
