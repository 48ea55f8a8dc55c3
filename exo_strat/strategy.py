"""Ops: rewrites as values. Imports `cursors` and `failure`.

    Op = (Proc, Cursor) -> Result[(Proc, Cursor), Failure]

An Op is frozen data with a name and arguments: it can be compared, hashed, printed as the expression
that rebuilds it, walked and counted. `op(p)` starts at the procedure's root; `a >> b` is `seq(a, b)`,
`a | b` is `try_else(a, b)`. `@strategy` writes longer ones as generators.

There are two kinds. An `Atomic` Op (a primitive) computes its outcome itself. A `Composed` Op yields
the calls of other Ops that it wants made, and is sent their outcomes; one driver, `_evaluate`, makes
those calls on a stack of its own, so no depth of nesting meets Python's recursion limit.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Generator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeAlias

from returns.result import Failure as Err
from returns.result import Result, Success

from .cursors.cursor import Cursor
from .cursors.proc import InvalidCursorError, Proc
from .failure import Failure, InvalidCursor, SchedulingError, invalid

State: TypeAlias = tuple[Proc, Cursor]
Outcome: TypeAlias = Result[State, Failure]


# -- Ops ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Op:
    """A rewrite as a value: an `Atomic` or a `Composed` one, each a frozen dataclass."""

    def __call__(self, p: Proc, c: Cursor | None = None) -> Outcome:
        """Apply at `c`, carried forward to `p` first; at the root if no cursor is given."""
        return _evaluate(self, p, p.root() if c is None else c)

    def __rshift__(self, other: Op) -> Op:
        from .combinators import seq

        return seq(self, other)

    def __or__(self, other: Op) -> Op:
        from .combinators import try_else

        return try_else(self, other)

    def parts(self) -> tuple[Op, ...]:
        """The Ops that this one is made of."""
        found: list[Op] = []
        for value in vars(self).values():
            members = value if isinstance(value, tuple) else (value,)
            found.extend(v for v in members if isinstance(v, Op))
        return tuple(found)


@dataclass(frozen=True)
class Atomic(Op):
    """An Op that computes its outcome itself."""

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        """The outcome at `c`, a valid cursor of `p`."""
        raise TypeError(f"{type(self).__name__} does not define apply")


Request: TypeAlias = tuple[Op, Proc, Cursor]
Steps: TypeAlias = Generator[Request, Outcome, Outcome]


@dataclass(frozen=True)
class Composed(Op):
    """An Op that is made of others."""

    def steps(self, p: Proc, c: Cursor) -> Steps:
        """Yields the calls `(op, p, c)` to make, is sent their outcomes, returns its own."""
        raise TypeError(f"{type(self).__name__} does not define steps")


def _enter(op: Op, p: Proc, c: Cursor) -> tuple[Cursor, Outcome | None]:
    """The focus in `p`, or the failure if it is not there any more."""
    try:
        here = p.forward(c)
    except InvalidCursorError as e:
        return c, Err(invalid(e).at(op, p.root()))
    if not here.is_valid:
        return c, Err(InvalidCursor("the focus points to code that is gone").at(op, p.root()))
    return here, None


def _evaluate(op: Op, p: Proc, c: Cursor) -> Outcome:
    stack: list[Steps] = []
    recorder = _recorder.get()
    while True:
        here, outcome = _enter(op, p, c)
        if recorder is not None:
            recorder.enter(op, here)
        if outcome is None:
            if isinstance(op, Composed):
                stack.append(op.steps(p, here))
            else:
                assert isinstance(op, Atomic)
                outcome = op.apply(p, here)
                if recorder is not None:
                    recorder.leave(outcome)
        elif recorder is not None:
            recorder.leave(outcome)
        while True:
            if not stack:
                assert outcome is not None
                return outcome
            try:
                op, p, c = next(stack[-1]) if outcome is None else stack[-1].send(outcome)
                break
            except StopIteration as end:
                stack.pop()
                outcome = end.value
                if recorder is not None:
                    recorder.leave(outcome)


def schedule(op: Op, p: Proc, c: Cursor | None = None) -> Proc:
    """The procedure that `op` makes of `p`. Raises `SchedulingError` if it fails."""
    outcome = op(p, c)
    if isinstance(outcome, Success):
        q: Proc = outcome.unwrap()[0]
        return q
    raise SchedulingError(outcome.failure())


# -- tracing ------------------------------------------------------------------------------------------


@dataclass
class Derivation:
    """One Op tried: where, how it ended, how long it took, and the Ops tried inside it."""

    op: Op
    place: str
    seconds: float
    outcome: str = ""
    inside: list[Derivation] = field(default_factory=list)

    def walk(self) -> Iterator[Derivation]:
        """This one and all those inside it, in order of time."""
        stack = [self]
        while stack:
            d = stack.pop()
            yield d
            stack.extend(reversed(d.inside))

    def __str__(self) -> str:
        lines: list[str] = []
        stack = [(0, self)]
        while stack:
            depth, d = stack.pop()
            lines.append(f"{'  ' * depth}{d.op} at {d.place}: {d.outcome} ({d.seconds * 1e3:.1f} ms)")
            stack.extend((depth + 1, x) for x in reversed(d.inside))
        return "\n".join(lines)


class _Recorder:
    def __init__(self) -> None:
        self.open: list[Derivation] = []
        self.done: list[Derivation] = []

    def enter(self, op: Op, c: Cursor) -> None:
        self.open.append(Derivation(op, repr(c), time.perf_counter()))

    def leave(self, outcome: Outcome) -> None:
        d = self.open.pop()
        d.seconds = time.perf_counter() - d.seconds
        d.outcome = "ok" if isinstance(outcome, Success) else outcome.failure().message
        (self.open[-1].inside if self.open else self.done).append(d)


_recorder: ContextVar[_Recorder | None] = ContextVar("recorder", default=None)


def trace(op: Op, p: Proc, c: Cursor | None = None) -> tuple[Outcome, Derivation]:
    """`op(p, c)` together with the tree of all that was tried. Tracing is off otherwise."""
    recorder = _Recorder()
    token = _recorder.set(recorder)
    try:
        outcome = op(p, c)
    finally:
        _recorder.reset(token)
    return outcome, recorder.done[-1]


# -- printing -----------------------------------------------------------------------------------------


def show_args(args: tuple[object, ...], kwargs: tuple[tuple[str, object], ...] = ()) -> str:
    """Arguments as Python source."""
    return ", ".join([*map(show, args), *(f"{k}={show(v)}" for k, v in kwargs)])


def show(value: object) -> str:
    """A value as it would stand in Python source: procedures by name."""
    if isinstance(value, Proc):
        return value.name()
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    name = getattr(value, "__name__", None)
    return str(name) if callable(value) and name and not isinstance(value, Op) else repr(value)


# -- do-notation --------------------------------------------------------------------------------------

Script: TypeAlias = Generator[Op, tuple[Proc, Any], Cursor | None]
"""A strategy's steps. What kind of cursor an Op leaves is known to its author, not to the type checker."""


@dataclass(frozen=True, repr=False)
class Scripted(Composed):
    """An Op written as a generator; see `strategy`."""

    fn: Callable[..., Script]
    args: tuple[object, ...]
    kwargs: tuple[tuple[str, object], ...]

    def steps(self, p: Proc, c: Cursor) -> Steps:
        script = self.fn(p, c, *self.args, **dict(self.kwargs))
        try:
            op = next(script)
            while True:
                outcome = yield op, p, c
                if not isinstance(outcome, Success):
                    script.close()
                    return outcome
                p, c = outcome.unwrap()
                op = script.send((p, c))
        except StopIteration as end:
            return Success((p, c if end.value is None else p.forward(end.value)))
        except InvalidCursorError as e:
            return Err(invalid(e).at(self, p.root()))

    def __repr__(self) -> str:
        return f"{self.fn.__name__}({show_args(self.args, self.kwargs)})"


def strategy(fn: Callable[..., Script]) -> Callable[..., Op]:
    """Turns a generator function `(p, c, *args)` into a function `(*args)` that returns an Op.

    Inside, `p, c = yield op` applies `op` at the current state and goes on from the new one, or ends
    the whole with its failure. What is returned, if anything, is the resulting cursor.
    """
    signature = inspect.signature(fn)
    params = list(signature.parameters.values())[2:]
    outer = signature.replace(parameters=params)

    @wraps(fn)
    def build(*args: Any, **kwargs: Any) -> Op:
        outer.bind(*args, **kwargs)
        return Scripted(fn, freeze(args), tuple(sorted((k, freeze(v)) for k, v in kwargs.items())))

    build.__signature__ = outer.replace(return_annotation="Op")  # type: ignore[attr-defined]
    return build


def freeze(value: Any) -> Any:
    """Lists as tuples, so that arguments can be compared and hashed."""
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else value
