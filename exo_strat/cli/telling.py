"""What a plan did to a program, in words: a line for each nest of loops, or every step and what was refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..cursors.cursor import NodeCursor, ProcCursor
from ..cursors.kinds import CallCursor, ForCursor, IfCursor
from ..ir.nodes import Expr, For
from ..ir.walk import declarators
from ..ops.explain import line_of
from ..ops.failure import Failure, Unsafe
from ..ops.strategy import Called
from ..ops.tracing import Trace
from ..primitives import Primitive, specialize
from ..source import brief, show
from ..tuning.tuned import remark
from .reasons import BY_DATA, in_the_way
from .thresholds import from_where
from .writing import Step, changed, steps


def told(done: Iterable[Step]) -> Iterator[str]:
    """Steps in words: at which line, what was done, with which values; and what was not, and why."""
    for step in done:
        yield step.line or "the whole procedure"
        if step.op is None:
            yield "  stays as it is"
        else:
            yield f"  {brief(show(step.op))}"
            yield from (f"    {name} = {show(value)}" for name, value in step.values.items())
        yield from (f"  not {name}: {why}" for name, why in step.refused)


LOOPS: Final = ForCursor | IfCursor
"""Where a nest begins."""


@dataclass(frozen=True)
class Nest:
    """A nest of loops that a plan looked at: its first line, what became of it, whether it is another; and what may
    have been in the way."""

    line: str
    said: str
    is_done: bool
    why: str = ""

    def lines(self) -> Iterator[str]:
        """What is printed of it."""
        yield f"  {self.line}"
        yield from (f"    {text}" for text in (self.said, self.why) if text)


def in_short(t: Trace) -> tuple[str, ...]:
    """What a plan did, for who does not schedule: how many nests were made fast, and a line for each, in the order of
    the program; then what later passes did, a line for each loop."""
    found = [sorted(some, key=_where) for some in _passes(t)]
    nests = [[x for x in some if isinstance(x.place, LOOPS)] for some in found]
    at = next((k for k, some in enumerate(nests) if some), len(found))
    first = [_nest(x) for some in nests[at : at + 1] for x in some]
    again = dict.fromkeys(n for some in found[at + 1 :] for x in some for n in _again(x))
    done = sum(n.is_done for n in first)
    if not first:
        has_loops = any(isinstance(n, For) for n in declarators(t.place.proc.tree))
        head = "left as it was" if has_loops else "there are no loops to make fast"
    elif not done and not again:
        head = "nothing could be made fast"
    elif not done:
        head = "nothing could be made fast but by threads"
    else:
        head = f"{done} of {len(first)} nest{'s' * (len(first) > 1)} of loops made fast"
    return head, *(line for n in (*first, *again) for line in n.lines())


def _passes(t: Trace) -> list[list[Trace]]:
    """The functions that were applied to whole nests, or calls: those that each function at the procedure's root
    applies."""
    found: list[list[Trace]] = []
    scripts = [t]
    while scripts:
        script = scripts.pop(0)
        nests: list[Trace] = []
        stack = list(reversed(script.inside))
        while stack:
            x = stack.pop()
            at_root = isinstance(x.place, ProcCursor)
            if isinstance(x.op, Called) and at_root and x.failure is None:
                scripts.append(x)
            elif isinstance(x.op, Called) and isinstance(x.place, LOOPS | CallCursor):
                nests.append(x)
            elif not isinstance(x.op, Called):
                stack.extend(reversed(x.inside))
        if nests:
            found.append(nests)
    return found


def _where(t: Trace) -> tuple[tuple[str, int], ...]:
    """Where a nest stood when it was looked at: a plan need not go by the order of the program."""
    return tuple((label, -1 if n is None else n) for label, n in t.place.place())


def _nest(t: Trace) -> Nest:
    line = line_of(t.place.proc, t.place.place())
    if t.failure is None and changed(t):
        (step, *_) = steps(t)
        remarks = dict.fromkeys(text for _, text in sorted(_remarks(t, 0), key=lambda x: x[0]))
        return Nest(line, "; ".join(remarks) or brief(show(step.op)), True)
    causes = [f.grounds()[-1][0] if f.causes else f for f in _failures(t)]
    last = [f for f in causes if f.place is None or t.failure is not None or isinstance(f.place, LOOPS)][-1:]
    why = in_the_way(t.place) if isinstance(t.place, NodeCursor) else ""
    refused = "".join(map(_why, last))
    if why.endswith(BY_DATA):  # this is what can be acted on
        why, refused = refused, why
    return Nest(line, "left as it is" + f": {refused}" * bool(refused), False, why)


def _again(t: Trace) -> Iterator[Nest]:
    """What a later pass did to a nest or a call: what it says of each loop, and from which sizes on."""
    if t.failure is not None or not changed(t):
        return
    found = list(_remarked(t, t))
    if not found and isinstance(t.place, LOOPS):
        yield _nest(t)
    for by, text in found:
        line = line_of(by.place.proc, by.place.place())
        conditions = [x for x in by.inside if _specializes(x)]
        match conditions:
            case [Trace(op=Primitive(args=(condition,)), place=NodeCursor() as place)] if isinstance(condition, Expr):
                sizes = from_where(place, condition)
                if sizes is not None:
                    yield Nest(line, f"{text} {sizes}", True)
            case _:
                yield Nest(line, text, True)


def _specializes(t: Trace) -> bool:
    return t.failure is None and isinstance(t.op, Primitive) and t.op.spec is specialize.spec


def _remarked(t: Trace, by: Trace) -> Iterator[tuple[Trace, str]]:
    """What is remarked in what was done, each time with the innermost function of a loop or a call that says it."""
    if t.failure is not None:
        return
    if isinstance(t.op, remark):
        yield by, t.op.text
    else:
        by = t if isinstance(t.op, Called) and isinstance(t.place, LOOPS | CallCursor) else by
        for x in t.inside:
            yield from _remarked(x, by)


def _remarks(t: Trace, depth: int) -> Iterator[tuple[int, str]]:
    """What is remarked in what was done, and of what was left in it, with how deep inside."""
    if t.failure is not None:
        return
    if isinstance(t.op, remark):
        yield depth, t.op.text
    else:
        for x in t.inside:
            yield from _remarks(x, depth + 1)


def _failures(t: Trace) -> Iterator[Failure]:
    """Why something was refused: as a whole, or each part that was passed over."""
    if t.failure is not None:
        yield t.failure
    else:
        for x in t.inside:
            yield from _failures(x)


def _why(failure: Failure) -> str:
    """A failure in a line."""
    reason = failure.message.splitlines()[0].rstrip(",")
    return f"there is no proof that {reason}" if isinstance(failure, Unsafe) else reason
