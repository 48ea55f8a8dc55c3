"""A schedule as a film: the versions of a procedure line by line, what made each, and what it had to prove.

Of each version it is kept what became of the lines of the one before, so a film of thousands of rewrites is small, and
every statement can be followed through time in both directions. The edits of the rewrites tell, as they do for cursors;
no texts are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import TypeAlias

from ..audit.replay import ReplayError, replay
from ..audit.replay import versions as made_again
from ..cursors.blocks import forward_path
from ..cursors.edits import Edit
from ..cursors.proc import Proc
from ..ir.nodes import Call, ProcDef
from ..ir.printing import Line, print_lines, render
from ..ir.walk import Path, declarators, get
from ..logic.solver import Proved, Question, Refuted
from ..ops.explain import Row, rows
from ..ops.iteration_space import picture
from ..ops.tracing import Trace
from ..primitives import PRIMITIVES
from ..primitives.framework import Primitive
from ..source import show


class Was(IntEnum):
    """What a run of lines was in the version before."""

    SAME = 0
    """`a`, `b`: so many lines from the line `a` on, as they were."""
    EDITED = 1
    """The line `a`, which reads `texts[b]` now."""
    COPIED = 2
    """A copy of the line `a`, which stays or is gone; it reads `texts[b]`."""
    NEW = 3
    """Nothing: the line `texts[b]` is new."""


@dataclass(frozen=True)
class Run:
    """Lines of a version, by what they were: see `Was`."""

    was: Was
    a: int
    b: int


@dataclass(frozen=True)
class Obligation:
    """What a rewrite had to prove, in words; how the solver answered, to how many questions, in how many seconds."""

    words: str
    answer: str
    questions: int
    seconds: float


Asked: TypeAlias = Mapping[int, tuple[Obligation, ...]]
"""What versions had to prove, by their identity."""


@dataclass(frozen=True)
class Frame:
    """A version: the Op that made it, the line of the version before at which it acts (-1: the procedure), the lines,
    and what was proved; None if nobody listened."""

    op: str
    at: int
    runs: tuple[Run, ...]
    obligations: tuple[Obligation, ...] | None = None


@dataclass(frozen=True)
class Refusal:
    """Why an Op was refused, in words, the object code around the place, and the counterexample as a picture."""

    reason: str
    place: str
    picture: str


@dataclass(frozen=True)
class Step:
    """An Op that was tried, so deep inside others: its text, place, seconds and questions; the versions from which and
    to which it led, -1 if the film does not go through them; why it was refused."""

    depth: int
    op: str
    place: str
    seconds: float
    questions: int
    first: int
    last: int
    refusal: Refusal | None
    notes: tuple[str, ...]
    failed: bool


@dataclass(frozen=True)
class Film:
    """All versions of a procedure. The first frame is the original. `docs` says of primitives what they do, `calls` of
    lines of the last version which film is that of the procedure that they call."""

    name: str
    texts: tuple[str, ...]
    frames: tuple[Frame, ...]
    steps: tuple[Step, ...]
    docs: Mapping[str, str]
    failure: str = ""
    calls: Mapping[int, int] = field(default_factory=dict)

    def lines(self, k: int) -> list[str]:
        """The object code of a version."""
        found: list[int] = []
        for frame in self.frames[: k + 1]:
            found = [t for r in frame.runs for t in (found[r.a : r.a + r.b] if r.was is Was.SAME else [r.b])]
        return [self.texts[t] for t in found]


def film(p: Proc, t: Trace | None = None, asked: Asked = MappingProxyType({}), among: Sequence[Proc] = ()) -> Film:
    """The film of how a procedure was made, with the steps of a strategy if its trace is given: then it begins where
    the strategy did, and `p` is what it reached. `asked` is what else is known of what was proved: see `replayed`.
    `among` are the procedures whose films stand beside this one, in their order: see `reels`.

    >>> from exo_strat import at, divide_loop, proc_from_source
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> q = at("for i in _: _", divide_loop(4, ("io", "ii")))(p).unwrap()[0]
    >>> found = film(q)
    >>> found.lines(1) == str(q).splitlines(), found.frames[1].op
    (True, "divide_loop(4, ('io', 'ii'))")
    """
    versions = [*p.versions()][::-1]
    if t is not None:
        versions = [t.place.proc, *t.rewrites()]
    texts = _Texts()
    heard = {**({} if t is None else _asked(t)), **asked}
    frames = [_frame(v, versions[k - 1] if k else None, texts, heard) for k, v in enumerate(versions)]
    steps = _history(frames) if t is None else tuple(_steps(t, versions))
    ops = {v.rewritten.op for v in versions[1:] if v.rewritten is not None}
    docs = {op.name: _doc(op.name) for op in ops if isinstance(op, Primitive)}
    failed = "" if t is None or t.failure is None else str(t.failure)
    calls = dict(_calls(p, among))
    return Film(p.name(), tuple(texts.numbers), tuple(frames), steps, dict(sorted(docs.items())), failed, calls)


def replayed(p: Proc, progress: Callable[[int, int], None] | None = None) -> Asked:
    """What every version of a procedure, and of those that it calls, had to prove: all rewrites are made again, which
    takes as long as it did. Nothing is known if one can't be; `progress` is that of `audit.replay`."""
    try:
        made = replay(p, progress)
    except ReplayError:
        return {}
    return {id(v): tuple(obligations(r.questions)) for (_, v), r in zip(made_again(p), made, strict=True)}


def reels(p: Proc) -> tuple[Proc, ...]:
    """A procedure and all that it calls but instructions, each once: those whose films belong together."""
    found: dict[int, Proc] = {id(p.tree): p}
    for q in (todo := [p]):
        for s in declarators(q.tree):
            if isinstance(s, Call) and isinstance(s.f, Proc) and s.f.tree.instr is None and id(s.f.tree) not in found:
                found[id(s.f.tree)] = s.f
                todo.append(s.f)
    return tuple(found.values())


def lines_of(p: Proc) -> dict[Path, int]:
    """The line of object code of each statement and assertion, counted from 0."""
    return {path: k for k, (path, _) in enumerate(print_lines(p.tree)) if path is not None}


def _calls(p: Proc, among: Sequence[Proc]) -> Iterator[tuple[int, int]]:
    """The lines that call one of some procedures, and which."""
    known = {id(q.tree): n for n, q in enumerate(among)}
    for path, line in lines_of(p).items() if known else ():
        node = get(p.tree, path)
        if isinstance(node, Call) and isinstance(node.f, Proc) and id(node.f.tree) in known:
            yield line, known[id(node.f.tree)]


def _doc(name: str) -> str:
    """What a primitive does, in a sentence or an equation: the first part of its docstring."""
    text = (PRIMITIVES[name].__doc__ or "") if name in PRIMITIVES else ""
    return "\n".join(line.strip() for line in text.strip().split("\n\n")[0].splitlines())


@dataclass
class _Texts:
    """Lines of object code, each once."""

    numbers: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


# -- versions -----------------------------------------------------------------------------------------


def _frame(v: Proc, old: Proc | None, texts: _Texts, asked: Asked) -> Frame:
    new = print_lines(v.tree)
    if old is None or v.rewritten is None:
        return Frame("", -1, tuple(Run(Was.NEW, -1, texts[text]) for _, text in new))
    before = print_lines(old.tree)
    runs = _runs(old.tree, before, v.tree, new, v.rewritten.edits, texts)
    at = v.rewritten.at
    places = [i for i, (path, _) in enumerate(before) if path and at[: len(path)] == path]
    return Frame(show(v.rewritten.op), places[-1] if at and places else -1, tuple(runs), asked.get(id(v)))


def _runs(
    old: ProcDef,
    before: Sequence[Line],
    new: ProcDef,
    after: Sequence[Line],
    edits: Sequence[Edit],
    texts: _Texts,
) -> Iterator[Run]:
    """What each line of a version was, equal neighbours together."""
    start = count = 0
    for a, text in zip(_origins(old, before, new, after, edits), (text for _, text in after), strict=True):
        was, line = a
        if was is Was.EDITED and before[line][1] == text:
            if count and line == start + count:
                count += 1
                continue
            if count:
                yield Run(Was.SAME, start, count)
            start, count = line, 1
            continue
        if count:
            yield Run(Was.SAME, start, count)
            count = 0
        yield Run(was, line, texts[text])
    if count:
        yield Run(Was.SAME, start, count)


def _origins(
    old: ProcDef, before: Sequence[Line], new: ProcDef, after: Sequence[Line], edits: Sequence[Edit]
) -> Iterator[tuple[Was, int]]:
    """The line of the version before that each line was, or of which it is a copy."""
    came: dict[Path, int] = {}
    for i, (path, _) in enumerate(before):
        to = None if path is None else forward_path(path, edits)
        if to is not None:
            came.setdefault(to, i)
    nodes: dict[int, int] = {}
    ends, openers = {opener: i for i, opener in _openers(before).items()}, _openers(after)
    found: list[tuple[Was, int]] = []
    for i, (path, _) in enumerate(after):
        if path is None:  # it goes with the line that it belongs to
            was, line = found[openers[i]] if openers[i] >= 0 else (Was.EDITED, -1)
            found.append((was, ends[line]) if line in ends else (Was.NEW, -1))
        elif path in came:
            found.append((Was.EDITED, came[path]))
        else:
            nodes = nodes or {id(get(old, p)): k for k, (p, _) in enumerate(before) if p}
            source = nodes.get(id(get(new, path)), -1)
            found.append((Was.COPIED, source) if source >= 0 else (Was.NEW, -1))
    yield from found


def _openers(lines: Sequence[Line]) -> dict[int, int]:
    """Of each line that shows no statement the line that it belongs to: of an `else` that of its branch before it, -1
    of the one above the whole procedure."""
    last, found = dict[int, int](), dict[int, int]()
    for i, (path, text) in enumerate(lines):
        indentation = len(text) - len(text.lstrip())
        if path is None:
            found[i] = last.get(indentation, -1)
        else:
            last[indentation] = i
    return found


# -- what was tried and proved ------------------------------------------------------------------------


def _asked(t: Trace) -> Asked:
    """What each primitive rewrite of a trace proved, by the identity of its result. A rewrite that changes nothing
    gives the version that there was, which another one made."""
    tried = (x for x in t.walk() if isinstance(x.op, Primitive))
    made = ((x, x.result) for x in tried if x.result is not None and x.result.parent is x.place.proc)
    return {id(v): tuple(obligations(x.questions)) for x, v in made}


def obligations(questions: Sequence[Question]) -> Iterator[Obligation]:
    """Questions as obligations: those with the same words and the same answer together."""
    found: dict[tuple[str, str], tuple[int, float]] = {}
    for q in questions:
        key = q.obligation or "a question without words", _answered(q)
        n, seconds = found.get(key, (0, 0.0))
        found[key] = n + 1, seconds + q.seconds
    for (words, answer), (n, seconds) in found.items():
        yield Obligation(words, answer, n, seconds)


def _answered(q: Question) -> str:
    if isinstance(q.answer, Proved):
        return "proved"
    return "refuted" if isinstance(q.answer, Refuted) else "undecided"


def _history(frames: Sequence[Frame]) -> tuple[Step, ...]:
    """The rewrites one after the other, where there is no trace."""
    return tuple(Step(0, f.op, "", 0.0, 0, k - 1, k, None, (), False) for k, f in enumerate(frames) if k)


def _steps(t: Trace, versions: Sequence[Proc]) -> Iterator[Step]:
    numbers = {id(v): k for k, v in enumerate(versions)}
    for row in rows(t):
        x = row.of
        first = numbers.get(id(x.place.proc), -1)
        last = numbers.get(id(x.result), -1) if x.result is not None else -1
        notes = (*row.decisions, *([f"and {row.more} more like it"] if row.more else []))
        yield Step(
            row.depth, show(x.op), row.place, row.seconds, row.questions, first, last, _refusal(row), notes,
            x.failure is not None,
        )  # fmt: skip


def _refusal(row: Row) -> Refusal | None:
    if row.reason is None or row.of.failure is None or not row.reason:
        return None
    failure = row.of.failure
    place = failure.place
    around = render(place.proc.tree, place.place()) if place is not None and place.is_valid else ""
    return Refusal("\n".join(row.reason), around, picture(failure))
