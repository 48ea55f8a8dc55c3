"""Refusals in coordinates of the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toolz import unique

from exo_strat import (
    AssignCursor,
    Composed,
    Cursor,
    Failure,
    ForCursor,
    Op,
    Proc,
    ReduceCursor,
    Steps,
    StmtCursor,
    Sym,
    Unsafe,
    forms,
    names_at,
    nodes,
    print_expr,
)

from ..inspect import enclosing_loops, statements
from .references import Write, factor, form, is_inside, writes


@dataclass(frozen=True, repr=False)
class in_pixels(Composed):
    """`op`; where it is refused with a counterexample, the failure tells which pixels of the stage are meant."""

    stage: str
    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        outcome = yield self.op, p, c
        return outcome.alt(lambda failure: told(shown(failure), self.stage))


def shown(failure: Failure) -> Failure:
    """Of several ways that were tried, the last one that is refused with a counterexample: it is the most general."""
    if isinstance(failure, Unsafe):
        return failure
    found = [f for f in map(shown, failure.causes) if isinstance(f, Unsafe) and f.counterexample]
    return found[-1] if found else failure


def told(failure: Failure, stage: str) -> Failure:
    """A failure with the pixels that its counterexample is about, and so its causes."""
    told_before = replace(failure, causes=tuple(told(f, stage) for f in failure.causes))
    if not isinstance(told_before, Unsafe) or not told_before.counterexample:
        return told_before
    place = told_before.place
    if not isinstance(place, StmtCursor) or " at pixel " in told_before.details:
        return told_before
    where = " and ".join(pixels(place, stage, told_before.counterexample))
    return replace(told_before, details="\n".join(filter(None, (told_before.details, f"that is, at pixel {where}"))))


def pixels(place: StmtCursor, stage: str, values: Mapping[str, int]) -> list[str]:
    """What is written at or in `place`, or else what the stage writes, at a counterexample: in each of the two
    iterations if it is about two."""
    written = [s for s in statements(place.proc.root()) if isinstance(s, AssignCursor | ReduceCursor)]
    near = [s for s in written if s == place or is_inside(s, place)] or writes(place.proc, stage)
    plain = {k: v for k, v in values.items() if not k.endswith("'")}
    primed = {**plain, **{k[:-1]: v for k, v in values.items() if k.endswith("'")}}
    return list(unique(pixel(s, which) for which in (plain, primed) for s in near))


def pixel(s: Write, values: Mapping[str, int]) -> str:
    """The element that a statement writes where iterators and sizes have these values; of an iterator that has none,
    the range of elements."""
    names = names_at(s.proc.tree)
    known = {x.sym: values[names[x.sym]] for x in enclosing_loops(s) if names[x.sym] in values}
    known |= {a.sym: values[a.name()] for a in s.proc.args() if a.name() in values}
    shown = [_index(e.node, enclosing_loops(s), known, names) for e in s.idx()]
    return f"{names[s.sym]}[{', '.join(shown)}]" if shown else names[s.sym]


def _index(e: nodes.Expr, loops: Sequence[ForCursor], known: Mapping[Sym, int], names: Mapping[Sym, str]) -> str:
    """An index as a number, or else as a range."""
    x = form(e)
    if x is None:
        return print_expr(e, names)
    values = {sym: forms.Lin(n) for sym, n in known.items()}
    least = most = _put(x, values)
    for loop in reversed([x for x in loops if x.sym not in known]):
        lo, hi = (form(e.node) for e in (loop.lo(), loop.hi()))
        if lo is not None and hi is not None:
            ends = _put(lo, values), _put(hi, values) - 1
            up = factor(x, loop) >= 0
            least, most = _put(least, {loop.sym: ends[not up]}), _put(most, {loop.sym: ends[up]})
    shown = [print_expr(forms.to_expr(y), names) for y in (least, most + 1)]
    return shown[0] if least == most else ":".join(shown)


def _put(x: forms.Lin, values: Mapping[Sym, forms.Lin]) -> forms.Lin:
    """A form with the values of variables."""
    return forms.subst_lin(x, {forms.V(sym): value for sym, value in values.items()})
