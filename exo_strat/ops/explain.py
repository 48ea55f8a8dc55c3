"""What a strategy did, as text: the derivation as a tree, and the program's changes.

    outcome, t = trace(strategy, p)
    print(explain(t))

Plumbing is left out unless `everything` is asked for: successful moves, the insides of `at` and of traversals
(of which the uses of the Ops that they are given remain), and most of many like tries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import groupby

from ..cursors.proc import Proc
from ..ir.printing import print_lines
from ..ir.walk import Path
from ..source import brief, show
from .combinators import Identity, focus, nav
from .failure import BadArgument, InvalidCursor
from .strategy import Called, Named, Op, ops_in
from .tracing import Trace

MOST_ALIKE = 3
"""Of so many neighbours with one Op and one outcome, the rest are counted."""
OP_WIDTH = 72


@dataclass(frozen=True)
class Row:
    """One line of a derivation: an Op tried so deep inside others, at a line of object code, and how it ended.

    `reason` is why it was refused, in lines, unless a row inside says it; None if it succeeded. `more` like it
    with the same end follow and are left out. `decisions` are the values of its holes. The seconds and questions of
    what is inside are counted in. `of` is what it shows.
    """

    depth: int
    op: str
    place: str
    reason: tuple[str, ...] | None
    seconds: float
    questions: int
    more: int
    decisions: tuple[str, ...]
    of: Trace


@dataclass(frozen=True)
class Change:
    """What one primitive rewrite changed: the lines of a unified diff of the object code, none if only
    annotations changed that are not printed."""

    op: str
    place: str
    diff: tuple[str, ...]


def explain(t: Trace, everything: bool = False) -> str:
    """A derivation as text: the outcome, time and questions of each Op tried, and why what was refused was.

    >>> from exo_strat import at, divide_loop, proc_from_source, trace
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> names = ("io", "ii")
    >>> op = at("for i in _: _", divide_loop(4, names, tail="perfect") | divide_loop(4, names, tail="cut"))
    >>> for line in explain(trace(op, p)[1]).splitlines()[1:-1]:
    ...     print(line[:7], line[31:])
    ok      at('for i in _: _', try_else(divide_loop(...), divide_loop(...)))
    refused   divide_loop(4, ('io', 'ii'), tail='perfect')  # for i in seq(0, n):
                not true: 4 divides the loop's number of iterations
                for instance with n = 1
    ok        divide_loop(4, ('io', 'ii'), tail='cut')  # for i in seq(0, n):
    """
    if not isinstance(t, Trace):
        raise TypeError(f"explain(t) takes what trace(op, p)[1] is, not {t!r}")
    return "\n".join([HEADER, *(line for row in rows(t, everything) for line in lines(row)), summary(t)])


HEADER = f"{'':9}{'ms':>9}{'questions':>11}"


def lines(row: Row) -> Iterator[str]:
    """A row in columns; the first line starts with `ok` or `refused`."""
    pad = "  " * row.depth
    mark, blank = "ok" if row.reason is None else "refused", " " * (len(HEADER) + 2)
    place = f"  # {row.place}" if row.place else ""
    yield f"{mark:9}{row.seconds * 1e3:9.1f}{row.questions or '':>11}  {pad}{row.op}{place}"
    yield from (f"{blank}{pad}  {text}" for text in (*row.decisions, *(row.reason or ())))
    if row.more:
        yield f"{blank}{pad}and {row.more} more like it"


def summary(t: Trace) -> str:
    """The references that led nowhere and were passed over, and the counts of a trace in words."""
    n = t.counts
    ended = f"{'refused after ' if t.failure else ''}{_many(n.rewrites, 'rewrite')}"
    counts = f"{ended}; {n.steps} of {_many(n.tried, 'step')} succeeded, {_many(n.questions, 'question')}"
    return "\n".join((*map(_nowhere, astray(t)), counts))


def astray(t: Trace) -> tuple[Trace, ...]:
    """The first tries of Ops whose place or arguments meant nothing wherever they were tried, though the whole went on:
    a pattern that nothing matches, a name that is not in scope.

    `attempt`, `|` and traversals pass over such a failure as over any other, and it may be a mistake in writing.

    >>> from exo_strat import at, attempt, proc_from_source, simplify, trace
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> print(summary(trace(attempt(at("y = _", simplify())), p)[1]))
    nothing matches 'y = _' in foo: the nearest assignment: `x = 1.0`
        so nav(moves.find('y = _')) never applied, and was passed over
    0 rewrites; 2 of 5 steps succeeded, 0 questions
    """
    tried: dict[Op, list[Trace]] = {}
    for x in t.walk():
        if not x.inside:
            tried.setdefault(x.op, []).append(x)
    nowhere = (x for x in tried.values() if all(isinstance(y.failure, InvalidCursor | BadArgument) for y in x))
    return tuple(x[0] for x in nowhere if t.failure is None or all(y.failure is not t.failure for y in x))


def _nowhere(t: Trace) -> str:
    message = t.failure.message.splitlines()[0] if t.failure else ""
    return f"{message}\n    so {brief(show(t.op), OP_WIDTH)} never applied, and was passed over"


def changes(t: Trace) -> Iterator[Change]:
    """What each primitive rewrite changed that led to a trace's result, or to where it was refused, in order."""
    for p in t.rewrites():
        if p.parent is not None and p.rewritten is not None:
            texts = (str(p.parent).splitlines(), str(p).splitlines())
            diff = tuple(unified_diff(*texts, lineterm=""))[2:]
            yield Change(show(p.rewritten.op), line_of(p.parent, p.rewritten.at), diff)


def _many(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


# -- the tree -----------------------------------------------------------------------------------------


def rows(t: Trace, everything: bool = False) -> Iterator[Row]:
    """The rows of a derivation, each before those of what is inside it."""
    asked = questions(t)
    stack: list[tuple[int, Trace, int]] = [(0, t, 0)]
    while stack:
        depth, here, more = stack.pop()
        shown = here.inside if everything else telling(here)
        yield row(here, depth, more, asked[id(here)], shown)
        inside = [(x, 0) for x in shown] if everything else alike(shown)
        stack.extend((depth + 1, x, left_out) for x, left_out in reversed(inside))


def questions(t: Trace) -> dict[int, int]:
    """How many questions were asked in a trace and in each inside it, by identity."""
    asked: dict[int, int] = {}
    for x in reversed(tuple(t.walk())):  # what is inside first
        asked[id(x)] = len(x.questions) + sum(asked[id(y)] for y in x.inside)
    return asked


def row(t: Trace, depth: int, more: int, asked: int, shown: Sequence[Trace]) -> Row:
    """The row of a trace that is so deep inside others, and of which some of those inside are shown."""
    op, place = brief(show(t.op), OP_WIDTH), line_of(t.place.proc, t.place.place())
    decided = tuple(dict.fromkeys(str(d) for x in _left_out(t, shown) for d in x.decisions))
    return Row(depth, op, place, _reason(t), t.seconds, asked, more, decided, t)


def _reason(t: Trace) -> tuple[str, ...] | None:
    """Why an Op was refused, unless it passed on the failure of an Op inside it."""
    if t.failure is None:
        return None
    return () if any(x.failure is t.failure for x in t.inside) else tuple(t.failure.reason().splitlines())


def telling(t: Trace) -> Sequence[Trace]:
    """The tries inside that say something that the Op itself does not."""
    if isinstance(t.op, Named) and (given := tuple(ops_in((t.op.args, t.op.kwargs)))):
        return tuple(_uses(t, given))
    inside = t.inside
    while True:
        inside = tuple(x for x in inside if x.failure is not None or not isinstance(x.op, nav | focus | Identity))
        if len(inside) != 1 or not inside[0].inside or isinstance(inside[0].op, Called):
            return inside
        inside = inside[0].inside


def _left_out(t: Trace, shown: Sequence[Trace]) -> Iterator[Trace]:
    """A trace, and those inside it that are in none of those shown."""
    stack, known = [t], {id(x) for x in shown}
    while stack:
        x = stack.pop()
        yield x
        stack.extend(y for y in reversed(x.inside) if id(y) not in known)


def _uses(t: Trace, ops: Sequence[object]) -> Iterator[Trace]:
    """The outermost tries of some Ops inside a trace."""
    stack = list(reversed(t.inside))
    while stack:
        x = stack.pop()
        if any(x.op == op for op in ops):
            yield x
        else:
            stack.extend(reversed(x.inside))


def alike(inside: Iterable[Trace]) -> list[tuple[Trace, int]]:
    """Each trace with how many like ones after it are left out."""
    found: list[tuple[Trace, int]] = []
    for _, group in groupby(inside, lambda x: (x.op, x.failure and x.failure.message)):
        like = tuple(group)
        kept = like[:MOST_ALIKE]
        found += [(x, 0) for x in kept[:-1]]
        found.append((kept[-1], len(like) - len(kept)))
    return found


def line_of(p: Proc, path: Path) -> str:
    """The line of object code that shows a path; none for the procedure as a whole."""
    shown = [text for at, text in print_lines(p.tree) if at and path[: len(at)] == at]
    return shown[-1].strip() if shown else ""
