"""A Proc's history done again, to hear what the solver is asked.

Every version that the Proc was made from is made again: the same primitive, with the same arguments, at the
same place of the same parent; and the first version is checked as the front end checked it. The same goes for
the procedures that any of these versions calls, and for those that a rewrite took as an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from returns.result import Success

from ..cursors.proc import Proc
from ..frontend.checks import check
from ..frontend.errors import CheckError
from ..ir.memo import forget
from ..ir.nodes import Call
from ..ir.printing import print_lines
from ..ir.walk import Path, walk
from ..logic.solver import Question, listening
from ..ops.strategy import Op

Progress = Callable[[int, int], None]


class ReplayError(Exception):
    """A version that its parent and its rewrite do not give again."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One version made again: of which procedure, by what, at which line, and what was asked for it.

    `number` counts the rewrites of the procedure; 0 is its definition.
    """

    proc: str
    number: int
    op: str
    line: str
    questions: tuple[Question, ...]

    def __str__(self) -> str:
        if not self.number:
            return f"the definition of {self.proc}"
        return f"rewrite {self.number} of {self.proc}: {self.op}" + (f" at `{self.line}`" if self.line else "")


def replay(p: Proc, progress: Progress | None = None) -> tuple[Replayed, ...]:
    """All that `p` rests on, made again in the order in which it was made, with the questions asked.

    All memos are emptied first, so what is asked is what a process that starts now would ask.
    `progress` is called with how many of how many versions are done. Raises `ReplayError` if a version does not come
    out as it is.
    """
    todo = versions(p)
    forget()
    done: list[Replayed] = []
    for k, (number, version) in enumerate(todo):
        if progress is not None:
            progress(k, len(todo))
        done.append(_defined(version) if version.parent is None else _rewritten(number, version, version.parent))
    if progress is not None:
        progress(len(todo), len(todo))
    return tuple(done)


def versions(p: Proc) -> tuple[tuple[int, Proc], ...]:
    """`p`, what it was made from, and the same for all procedures that these mention; each once, with the
    number of rewrites that made it, no version before its parent."""
    seen: dict[int, Proc] = {}
    chains: list[list[tuple[int, Proc]]] = []
    todo = [p]
    while todo:
        chain: list[tuple[int, Proc]] = []
        line = list(todo.pop().versions())
        for age, version in enumerate(line):
            if id(version) in seen:
                break
            seen[id(version)] = version
            chain.append((len(line) - 1 - age, version))
            todo += _mentioned(version)
        chains.append(chain[::-1])
    return tuple(entry for chain in chains[::-1] for entry in chain)


def _mentioned(p: Proc) -> Iterator[Proc]:
    """The procedures that a version calls, and those that its rewrite was given."""
    for _, n in walk(p.tree):
        if isinstance(n, Call) and isinstance(n.f, Proc):
            yield n.f
    if p.rewritten is not None and isinstance(p.rewritten.op, Op):
        yield from _procs_in(tuple(vars(p.rewritten.op).values()))


def _procs_in(value: object) -> Iterator[Proc]:
    if isinstance(value, Proc):
        yield value
    elif isinstance(value, tuple):
        for v in value:
            yield from _procs_in(v)


def _defined(p: Proc) -> Replayed:
    with listening() as heard:
        try:
            check(p.tree)
        except CheckError as e:
            raise ReplayError(f"the definition of {p.name()} is refused: {e}") from e
    return Replayed(p.name(), 0, "", "", tuple(heard))


def _rewritten(number: int, p: Proc, parent: Proc) -> Replayed:
    made = p.rewritten
    assert made is not None, "a version with a parent has a rewrite"
    what = f"rewrite {number} of {p.name()}, {made.op!r},"
    if not isinstance(made.op, Op) or made.target is None:
        raise ReplayError(f"{what} is not one that can be replayed")
    with listening() as heard:
        outcome = made.op(parent, made.target)
    if not isinstance(outcome, Success):
        raise ReplayError(f"{what} is refused now: {outcome.failure()}")
    again: Proc = outcome.unwrap()[0]
    if again != p:
        raise ReplayError(f"{what} gives another procedure now:\n{again}\ninstead of\n{p}")
    return Replayed(p.name(), number, repr(made.op), _line(parent, made.at), tuple(heard))


def _line(p: Proc, path: Path) -> str:
    """The line of object code that shows `path`; nothing for the procedure as a whole."""
    if not path:
        return ""
    shown = [text for at, text in print_lines(p.tree) if at is not None and path[: len(at)] == at]
    return shown[-1].strip() if shown else ""
