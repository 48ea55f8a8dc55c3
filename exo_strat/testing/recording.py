"""The reference interpreter with a log of which location was read and written in which iterations.

What a callee does is logged as done by the call; its own iterations have no name in
the caller and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ..frontend.scope import declarations
from ..interp import Array
from ..interp.compiler import Compiler, Eval, Exec, Frame, State, Trapped
from ..ir.names import Sym
from ..ir.nodes import Block, Call, Expr, For, ProcDef, Reduce, Stmt
from ..ir.types import DataType
from ..ir.walk import Path, get, mentions
from .inputs import Inputs

Place = Callable[[Frame], tuple[list[int], int]]


class Event(NamedTuple):
    """One access: "R", "W" or "A" (by `op`), of an element of `cells` or of the config field that `cells` names."""

    kind: str
    op: str
    cells: object
    at: int
    iterations: Mapping[Sym, int]

    def same_place(self, other: Event) -> bool:
        """Whether both are of one location."""
        if isinstance(self.cells, str) or isinstance(other.cells, str):
            return self.cells == other.cells
        return self.cells is other.cells and self.at == other.at


class Arrival(NamedTuple):
    """One execution of the statement at `path`: the values of fields then, and of the condition that is watched."""

    path: Path
    iterations: Mapping[Sym, int]
    fields: Mapping[str, object]
    truth: bool | None


@dataclass
class Log:
    """What happened in a run, in order; the arguments; the cells of each local buffer; whether the run ended early."""

    events: list[Event] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    args: dict[Sym, object] = field(default_factory=dict)
    locals: list[tuple[Sym, object]] = field(default_factory=list)
    iterations: dict[Sym, int] = field(default_factory=dict)
    trapped: bool = False


MOST: Final = 200_000
"""After so many events a run is not followed any further."""


def record(tree: ProcDef, given: Inputs, watched: Mapping[Path, Expr] | None = None) -> Log:
    """Runs a procedure on inputs that it admits, up to its end or to a trap, or until much has happened. Conditions
    are `watched` where the statement at a path is executed.

    Local buffers hold numbers from the start: most questions do not ask whether what is read was written, and their
    answers are to be compared with all that comes after such a read, too."""
    log = Log()
    make = _Recorder({}, declarations(tree), tree, log, watched or {})
    values = [v._replace(cells=list(v.cells)) if isinstance(v, Array) else v for v in given.args.values()]
    for a, value in zip(tree.args, values, strict=True):
        make.slot(a.sym)
        log.args[a.sym] = value
    body = make.block(tree.body, (), "body")
    try:
        body(_frame(make, State(dict(given.configs), None), values))
    except Trapped:
        log.trapped = True
    return log


def _frame(make: _Recorder, state: State, values: list[object]) -> Frame:
    return [state, *values, *[None] * (len(make.slots) - len(values))]


@dataclass(frozen=True)
class _Recorder(Compiler):
    """Compiles `tree` into functions that also write to a log."""

    tree: ProcDef
    log: Log
    watched: Mapping[Path, Expr] = field(default_factory=dict)
    is_callee: bool = False

    def _note(self, kind: str, cells: object, at: int, op: str = "") -> None:
        if len(self.log.events) + len(self.log.arrivals) > MOST:
            raise Trapped("length", "this takes long", ())
        self.log.events.append(Event(kind, op, cells, at, dict(self.log.iterations)))

    def _noted(self, kind: str, place: Place, op: str = "") -> Place:
        def noted(f: Frame) -> tuple[list[int], int]:
            cells, at = place(f)
            self._note(kind, cells, at, op)
            return cells, at

        return noted

    def _read(self, s: Sym, place: Place, path: Path) -> Eval:  # type: ignore[override]
        return super()._read(s, self._noted("R", place), path)  # type: ignore[arg-type]

    def _assign(self, place: Place, rhs: Eval) -> Exec:  # type: ignore[override]
        return super()._assign(self._noted("W", place), rhs)  # type: ignore[arg-type]

    def _reduce(self, s: Reduce, path: Path) -> Exec:
        note, accumulate = self._noted("A", self._place(s.sym, s.idx, path), s.op), super()._reduce(s, path)  # type: ignore[arg-type]

        def both(f: Frame) -> None:
            note(f)
            accumulate(f)

        return both

    def _config(self, key: str, path: Path) -> Eval:
        read = super()._config(key, path)

        def config(f: Frame) -> object:
            self._note("R", key, 0)
            return read(f)

        return config

    def _set_config(self, key: str, value: Eval) -> Exec:
        write = super()._set_config(key, value)

        def config(f: Frame) -> None:
            write(f)
            self._note("W", key, 0)

        return config

    def _alloc(self, s: Sym, t: DataType, path: Path) -> Exec:
        allocate, slot = super()._alloc(s, t, path), self.slot(s)

        def alloc(f: Frame) -> None:
            allocate(f)
            f[slot].cells[:] = [1] * len(f[slot].cells)
            self.log.locals.append((s, f[slot].cells))

        return alloc

    def block(self, stmts: Block, path: Path, label: str) -> Exec:
        run, scope = super().block(stmts, path, label), get(self.tree, path)
        if self.is_callee or not isinstance(scope, For):
            return run
        i, slot = scope.iter, self.slot(scope.iter)

        def turn(f: Frame) -> None:
            self.log.iterations[i] = f[slot]
            run(f)
            del self.log.iterations[i]

        return turn

    def stmt(self, s: Stmt, path: Path) -> Exec:
        ask = self._question(path)
        run = super().stmt(s, path)
        if self.is_callee:
            return run

        def arrive(f: Frame) -> None:
            fields = {k: v for k, v in f[0].configs.items() if isinstance(v, int)}
            self.log.arrivals.append(Arrival(path, dict(self.log.iterations), fields, ask(f)))
            run(f)

        return arrive

    def _question(self, path: Path) -> Callable[[Frame], bool | None]:
        """What tells whether the condition that is watched at a path is true; None if that has no value there."""
        condition = self.watched.get(path)
        if condition is None or not mentions(condition) <= self.slots.keys():  # of a variable that is not there yet
            return lambda _: None
        truth = Compiler(self.slots, self.types).expr(condition, path)

        def ask(f: Frame) -> bool | None:
            try:
                return bool(truth(f))
            except (Trapped, TypeError):  # of one that another iteration of a loop left, or of nothing
                return None

        return ask

    def _call(self, s: Call, path: Path) -> Exec:
        callee = s.f.tree
        actuals = [self._actual(a, e, path) for a, e in zip(callee.args, s.args, strict=True)]
        inner = _Recorder({}, declarations(callee), callee, self.log, {}, is_callee=True)
        for a in callee.args:
            inner.slot(a.sym)
        parts = [*(inner.asserted(e, callee.name, path) for e in callee.preds), inner.block(callee.body, (), "body")]

        def call(f: Frame) -> None:
            frame = _frame(inner, f[0], [a(f) for a in actuals])
            for part in parts:
                part(frame)

        return call
