"""Whether the counterexample of a refusal is real.

A counterexample gives sizes, iterations and, where two accesses clash, both of them in words. The original is
run on inputs with these sizes, and all accesses are logged. Then either two logged accesses must be of the
kinds that the refusal names, made in the iterations that it names, and of one location; or, where a condition
is claimed to be false somewhere, it must be, in those iterations; or, where the refusal
is about one place, the run must get to it (or to the scope directly around it) in those iterations; of a divisor,
inputs with these sizes must be admitted. So the facts, ranges, guards, windows and indices from which the refusal was
derived are compared with what runs do; the solver is not asked again.

That the refused rewrite would give other results is not demanded: two writes of equal values clash, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from unittest.mock import patch

from ..cursors.cursor import Cursor
from ..cursors.kinds import AllocCursor
from ..cursors.proc import Proc
from ..ir.names import Sym
from ..ir.nodes import Expr, For, If, ProcDef, Read
from ..ir.printing import names_at
from ..ir.walk import Path, get, walk
from ..logic.effects import Clash, Verdict
from ..logic.forms import is_opaque
from ..logic.questions import safety
from ..ops.failure import Failure, Unsafe
from .index_data import about_elements
from .inputs import Inputs, with_controls
from .recording import Event, Log, record

Model = Mapping[str, int]

LARGEST: Final = 1000
"""Counterexamples with larger numbers are not run."""
RUNS: Final = 40
"""How many inputs with the sizes of the counterexample are tried: it leaves other arguments free."""

_PAIR: Final = re.compile(r"one (reads|writes|accumulates into) .*, the other (reads|writes|accumulates into) ", re.S)
_DIVISOR: Final = re.compile(r"[/%] (\w+|\([^:]*\)): the divisor may be less than 1")
"""A divisor that is refused: it is to be at least 1 for all arguments that are admitted, also in code that never runs
(`frontend.check_arithmetic`)."""
_KIND: Final = {"reads": "R", "writes": "W", "accumulates into": "A"}


class Unreal(AssertionError):
    """A refusal whose counterexample cannot happen."""


@dataclass(frozen=True)
class Claim:
    """A condition that is claimed to be false at a place of a procedure, which may be one in the making."""

    tree: ProcDef
    path: Path
    condition: Expr
    counterexample: Mapping[str, int] | None


@contextmanager
def claims() -> Iterator[list[Claim]]:
    """Collects the conditions that are refuted meanwhile, by `safety.holds`."""
    found, ask = list[Claim](), safety.holds

    def holds(tree: ProcDef, path: Path, condition: Expr, *rest: Any, **named: Any) -> Verdict:
        verdict = ask(tree, path, condition, *rest, **named)
        if isinstance(verdict, Clash):
            found.append(Claim(tree, path, condition, verdict.counterexample))
        return verdict

    with patch.object(safety, "holds", holds):
        yield found


def assert_real(p: Proc, failure: Failure, claimed: Sequence[Claim] = ()) -> str:
    """Asserts that a refusal's counterexample happens in a run of the original; and if it is of one of the conditions
    that are `claimed` to be false, that this one is.

    Returns "real", "none" if there is no counterexample, or "open" if none of the runs shows it but one of
    them ended early, or it depends on what inputs cannot be chosen by (data that is asserted, very large numbers).

    Raises `Unreal`.

    >>> from exo_strat import parallelize_loop, proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1]):
    ...     for i in seq(0, n):
    ...         x[i + 1] = x[i]
    ... ''')
    >>> failure = parallelize_loop()(p, p.find_loop("i")).failure()
    >>> assert_real(p, failure)
    'real'
    """
    model = failure.counterexample if isinstance(failure, Unsafe) else None
    place = failure.place
    if not model or place is None or not isinstance(failure, Unsafe):
        return "none"
    if any(abs(v) > LARGEST for v in model.values()):
        return "open"
    claim = next((c for c in claimed[::-1] if c.counterexample == model), None)
    pair, runs, cut_short = _PAIR.match(failure.details), 0, False
    tree = p.tree if pair or claim is None else claim.tree
    watched = {} if pair or claim is None else {claim.path: claim.condition}
    for given in with_controls(tree, {k: v for k, v in model.items() if "'" not in k}, RUNS):
        if _is_no_divisor(failure, given):
            return "real"
        log = record(tree, given, watched)
        if watched:
            happens = _is_false(log, tree, next(iter(watched)), model) or _arrives_beside(log, watched, place, model)
        else:
            happens = _clashes(log, place, model, pair, failure) if pair else _arrives(log, place, model)
        if happens:
            return "real"
        runs, cut_short = runs + 1, cut_short or log.trapped
    if cut_short or any(is_opaque(e) or about_elements(e) for e in p.tree.preds) or _data_decides(place):
        return "open"
    what = f"does not happen in any of {runs} runs" if runs else "is of no inputs that are admitted"
    raise Unreal(f"the counterexample {what}: {failure}\n\nin\n{place.proc}")


def _arrives(log: Log, place: Cursor, model: Model) -> bool:
    """Whether the run gets to a place in the iterations of the model. What is said of a place may be about the
    loop or branch directly around it: that it runs at all, say."""
    names, path = _spellings(place), _statement(place)[:-1]
    return any(
        a.path[: len(path)] == path and _agrees(a.iterations, names, {k: v for k, v in model.items() if "'" not in k})
        for a in log.arrivals
    )


def _is_no_divisor(failure: Failure, given: Inputs) -> bool:
    """Whether a failure is about a divisor that is less than 1 for these inputs."""
    found = _DIVISOR.search(str(failure))
    if found is None:
        return False
    controls = {name: v for name, v in given.args.items() if isinstance(v, int)}
    try:
        value: int = eval(found[1].replace("/", "//"), {}, controls)  # made of literals and control arguments
    except (NameError, SyntaxError):  # it is about other names
        return False
    return value < 1


def _is_false(log: Log, tree: ProcDef, path: Path, model: Model) -> bool:
    """Whether the run finds the condition that is watched false, in the iterations and with the fields of the model."""
    names = names_at(tree)
    return any(
        a.truth is False and _agrees(a.iterations, names, model) and _has_fields(a.fields, model)
        for a in log.arrivals
        if a.path == path
    )


def _data_decides(place: Cursor) -> bool:
    """Whether data decides whether a run gets to a place: the condition of a branch, or bounds that are elements, of
    which a counterexample names only those that it is about."""
    path = _statement(place)
    asked: list[Expr] = []
    for n in (get(place.proc.tree, path[:k]) for k in range(len(path))):
        asked += [n.cond] if isinstance(n, If) else [n.lo, n.hi] if isinstance(n, For) else []
    return any(isinstance(x, Read) for e in asked for _, x in walk(e))


def _has_fields(fields: Mapping[str, object], model: Model) -> bool:
    return all(fields[k] == v for k, v in model.items() if k in fields)


def _arrives_beside(log: Log, watched: Mapping[Path, Expr], place: Cursor, model: Model) -> bool:
    """Whether the run gets to a place where no statement is executed that could be watched: the end of a block, or
    what is inside a statement; or to one whose condition is about variables that are not there yet."""
    asked = [a for a in log.arrivals if a.path in watched]
    return all(a.truth is None for a in asked) and _arrives(log, place, model)


def _clashes(log: Log, place: Cursor, model: Model, pair: re.Match[str], failure: Unsafe) -> bool:
    """Whether the run makes two accesses of the kinds and in the iterations named, of one location."""
    names, around = _spellings(place), _around(place)
    one = {k: v for k, v in model.items() if "'" not in k}
    two = {k: v for k, v in one.items() if k in around} | {k[:-1]: v for k, v in model.items() if k[-1] == "'"}
    first, second = _KIND[pair[1]], _KIND[pair[2]]
    later = [e for e in log.events if e.kind == second and _agrees(e.iterations, names, two)]
    if failure.about == "new code" and later:  # what was to be added must meet an access that the run does make
        return True
    moved = [cells for s, cells in log.locals if isinstance(place, AllocCursor) and s == place.sym]
    return any(
        e.same_place(other) or _would_meet(e, other, moved, failure.about == "new layout")
        for e in log.events
        if e.kind == first and _agrees(e.iterations, names, one)
        for other in later
        if other is not e
    )


def _would_meet(e: Event, other: Event, moved: Sequence[object], anew: bool) -> bool:
    """Whether two accesses are to one element of a buffer of which each iteration has its own, so far; or just
    to that buffer, if the refused rewrite would have changed where elements live."""
    return (anew or e.at == other.at) and all(any(c is x.cells for c in moved) for x in (e, other))


def _agrees(iterations: Mapping[Sym, int], names: Mapping[Sym, str], values: Model) -> bool:
    """Whether the iterators that the model names, as far as there are such loops around, have its values."""
    return all(values.get(names[s], v) == v for s, v in iterations.items())


def _spellings(place: Cursor) -> dict[Sym, str]:
    """How iterators are called in refusals: as they print; the next loop's like this one's, for questions about
    two neighbouring loops that are to become one."""
    tree, names = place.proc.tree, dict(names_at(place.proc.tree))
    path = _statement(place)
    one = get(tree, path) if path else None
    if isinstance(one, For):
        label, k = path[-1]
        block = getattr(get(tree, path[:-1]), label)
        two = block[k + 1] if k is not None and k + 1 < len(block) else None
        if isinstance(two, For):
            names[two.iter] = names[one.iter]
    return names


def _around(place: Cursor) -> set[str]:
    """The iterators of the loops around a place, as they are spelled."""
    tree, names, path = place.proc.tree, names_at(place.proc.tree), _statement(place)
    nodes = [get(tree, path[:k]) for k in range(len(path))]
    return {names[n.iter] for n in nodes if isinstance(n, For)}


def _statement(place: Cursor) -> Path:
    """The path to the statement that a place is, or that it is in."""
    path = place.place()
    inside = [k for k, (label, _) in enumerate(path) if label not in ("body", "orelse")]
    return path[: inside[0]] if inside else path
