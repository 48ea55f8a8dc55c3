"""Strategies with holes: choices of Ops, limits on several holes, and the space of what they may be filled with.

    op = divide_loop(hole("rows", (4, 6, 8), default=6), ("io", "ii"), tail="cut")
    op = pick("how", {"dots": by_dots, "columns": by_columns})
    space(op)                                    # holes, candidates, limits, size
    op.fill({"rows": 8})                         # an ordinary Op

An Op with holes is an Op: where nothing says otherwise, they have their defaults. A hole belongs to the function in
which it is written: one that the strategy `gemm` draws, or has in its equation, is called `gemm.rows`; one in an
argument of `gemm` belongs to who calls it. Holes of one name in one strategy are one choice.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from random import Random
from types import CodeType, FunctionType
from typing import Any, Final

from pyrsistent import pmap
from returns.result import Failure as Err
from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..source import Pieces, Text, brief, call, show
from .failure import BadArgument, NotApplicable, Refused
from .holes import FIRST, Decision, Hole, Met, Scope, is_name, no_candidate
from .strategy import (
    Called,
    Composed,
    Named,
    Op,
    Outcome,
    Scripted,
    Steps,
    check_op,
    evaluate,
    fill_holes,
    freeze,
)

TRIES: Final = 1000
"""How often random values are drawn until some are within the limits."""


def hole(name: str, candidates: Sequence[Any], default: Any = FIRST) -> Any:
    """An argument that is left open: it stands where an argument of any Op does, at any depth, or is drawn in a
    `@strategy` by `x = yield hole(..)`.

    `candidates` are the values that it can have, at least one; they are compared, printed and hashed. `default`, the
    first unless said, is one of them, or a further one: what a model says of the `Machine`, for example.

    Raises `ValueError` if the name is none, or a candidate stands there twice.

    >>> from exo_strat import divide_loop
    >>> op = divide_loop(hole("rows", (4, 6, 8), default=6), ("io", "ii"), tail="cut")
    >>> op
    divide_loop(hole('rows', (4, 6, 8), default=6), ('io', 'ii'), tail='cut')
    >>> op.fill({"rows": 8}), op.fill({})
    (divide_loop(8, ('io', 'ii'), tail='cut'), divide_loop(6, ('io', 'ii'), tail='cut'))
    """
    if not is_name(name):
        raise ValueError(f"a hole has a Python name, not {brief(show(name))}")
    given = freeze(list(candidates))
    if not given:
        raise ValueError(f"the hole {name} has no candidates")
    made = Hole(name, given, given[0])
    twice = [x for k, x in enumerate(given) if Hole(name, given[:k], None).takes(x)]
    if twice:
        raise ValueError(f"{show(twice[0])} stands twice among the candidates of {name}")
    if default is FIRST:
        return made
    value = freeze(default)
    return Hole(name, given if made.takes(value) else (*given, value), value)


@dataclass(frozen=True, repr=False)
class Pick(Op):
    """A choice of Ops; see `pick`."""

    name: str
    options: tuple[tuple[str, Op], ...]
    default: str

    def _hole(self) -> Hole:
        return Hole(self.name, tuple(label for label, _ in self.options), self.default)

    def own_holes(self) -> tuple[Hole, ...]:
        return (self._hole(),)

    def kept(self, value: Callable[[Hole], Any]) -> tuple[Op, ...]:
        return (dict(self.options)[value(self._hole())],)

    def filled(self, value: Callable[[Hole], Any], part: Callable[[Op], Op]) -> Op:
        return part(*self.kept(value))

    def source(self) -> Pieces:
        given = () if self.default == self.options[0][0] else (Text(", default="), self.default)
        return Text("pick("), self.name, Text(", "), *_braced(self.options), *given, Text(")")


def _braced(items: Sequence[tuple[str, object]]) -> Pieces:
    """A dictionary in source."""
    for n, (key, value) in enumerate(items):
        yield from (Text("{" if n == 0 else ", "), key, Text(": "), value)
    yield Text("}" if items else "{}")


def pick(name: str, options: Mapping[str, Op], default: str | None = None) -> Op:
    """A choice of Ops: the hole of an Op, filled with one of the labels. The default is the first unless said.

    >>> from exo_strat import fail, identity
    >>> op = pick("how", {"dots": identity, "columns": fail("not yet")})
    >>> op, op.fill({"how": "columns"})
    (pick('how', {'dots': identity, 'columns': fail('not yet')}), fail('not yet'))
    """
    if not is_name(name):
        raise ValueError(f"a choice has a Python name, not {brief(show(name))}")
    if not isinstance(options, Mapping) or not options:
        raise ValueError(f"pick({name!r}, options) takes at least one Op, by label: {{'dots': .., 'columns': ..}}")
    for label, op in options.items():
        if not isinstance(label, str):
            raise ValueError(f"the labels of the choice {name} are texts, not {brief(show(label))}")
        check_op(op, f"pick({name!r}, ..) chooses among Ops")
    first = next(iter(options)) if default is None else default
    if first not in options:
        raise ValueError(no_candidate(name, first, options))
    return Pick(name, tuple(options.items()), first)


@dataclass(frozen=True, repr=False)
class Filled(Composed):
    """An Op whose hidden holes, in what its functions make, have the values given: see `fill`."""

    op: Op
    values: tuple[tuple[str, Any], ...]

    @property
    def shows_holes(self) -> bool:
        return False

    def scope(self, around: Scope) -> Scope:
        return around.filled(self.values)

    def steps(self, p: Proc, c: Cursor) -> Steps:
        return (yield self.op, p, c)

    def ended(self, outcome: Outcome, within: Scope) -> Outcome:
        unknown = _unknown(self.op, [name for name, _ in self.values], within) if isinstance(outcome, Success) else None
        return outcome if unknown is None else Err(replace(unknown, op=self))

    def source(self) -> Pieces:
        return self.op, Text(".fill("), *_braced(self.values), Text(")")


@dataclass(frozen=True, repr=False)
class scoped(Composed):
    """`op`, whose holes are called `name.rows` in place of `rows`: so two uses of one strategy have choices of their
    own. Raises `ValueError` for what is no name.

    >>> from exo_strat import unroll_buffer
    >>> op = unroll_buffer(hole("dim", (0, 1)))
    >>> [choice.name for choice in space(scoped("first", op) >> scoped("second", op)).choices]
    ['first.dim', 'second.dim']
    """

    name: str
    op: Op

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_name(self.name):
            raise ValueError(f"a scope has a Python name, not {brief(show(self.name))}")

    @property
    def shows_holes(self) -> bool:
        return False

    def scope(self, around: Scope) -> Scope:
        return around.inside(self.name)

    def steps(self, p: Proc, c: Cursor) -> Steps:
        return (yield self.op, p, c)


@dataclass(frozen=True, repr=False)
class Limited(Op):
    """An Op with a limit on several holes; see `limited`."""

    op: Op
    within: Callable[..., bool]
    holes: tuple[Hole, ...]

    def own_holes(self) -> tuple[Hole, ...]:
        return self.holes

    def filled(self, value: Callable[[Hole], Any], part: Callable[[Op], Op]) -> Op:
        values = [value(h) for h in self.holes]
        if not self.within(*values):
            given = ", ".join(f"{h.name} = {show(v)}" for h, v in zip(self.holes, values, strict=True))
            raise Refused(NotApplicable(f"{show(self.within)} does not hold of {given}"))
        return part(self.op)

    def source(self) -> Pieces:
        return call("limited", self.op, self.within, *(h.name for h in self.holes))


def limited(op: Op, within: Callable[..., bool], *names: str) -> Op:
    """`op`, for values of the holes of these names for which a predicate holds, which gets them in this order. For
    others it fails, before anything is applied, and `fill` raises `ValueError`.

    Raises `ValueError` if `op` has no hole of a name: those that functions have are theirs to limit.

    >>> from exo_strat import ForCursor, divide_loop, strategy
    >>> def fit(rows, columns):
    ...     return rows * columns <= 24
    >>> rows, columns = hole("rows", (4, 6, 8)), hole("columns", (2, 4))
    >>> tiles = divide_loop(rows, ("io", "ii"), tail="cut") >> divide_loop(columns, ("jo", "ji"), tail="cut")
    >>> [tuple(a.values()) for a in space(limited(tiles, fit, "rows", "columns")).assignments()]
    [(4, 2), (4, 4), (6, 2), (6, 4), (8, 2)]
    """
    check_op(op, "limited(op, within, *names) takes an Op")
    if not callable(within) or not names:
        raise ValueError("limited(op, within, *names) takes a predicate and the names of its holes")
    there = {c.name: c for c in space(op).choices if not c.hidden}
    for name in names:
        if name not in there:
            raise ValueError(f"{brief(show(op))} has no hole {brief(show(name))} to limit: {_listed(there)}")
    return Limited(op, within, tuple(Hole(n, there[n].candidates, there[n].default) for n in names))


def _near(name: str, known: Iterable[str]) -> str:
    """What is asked of who may have misspelt the name of a hole."""
    near = get_close_matches(name, sorted(known), 1)
    return f" (did you mean {show(near[0])}?)" if near else ""


def _listed(names: Iterable[str]) -> str:
    return f"its holes are {', '.join(names)}" if names else "it has none"


# -- spaces -------------------------------------------------------------------------------------------

Under = tuple[tuple[str, str], ...]
"""The labels of choices that lead to a place in a strategy."""


@dataclass(frozen=True)
class Choice:
    """A hole in a space: its full name, candidates and default. It counts where, for one member of `under`, all of the
    choices named have these labels. `hidden` are those in what functions make, which is known when it runs."""

    name: str
    candidates: tuple[Any, ...]
    default: Any
    under: tuple[Under, ...] = ((),)
    hidden: bool = False

    def counts(self, values: Mapping[str, Any]) -> bool:
        """Whether the hole is reached when others have these values."""
        return any(all(values.get(name) == label for name, label in way) for way in self.under)


@dataclass(frozen=True)
class Limit:
    """A predicate that values of several holes, given by full name, must satisfy; see `limited`."""

    within: Callable[..., bool]
    names: tuple[str, ...]

    def admits(self, values: Mapping[str, Any]) -> bool:
        """Whether it holds, or one of the holes is not reached or not known yet."""
        return any(n not in values for n in self.names) or self.within(*(values[n] for n in self.names))


@dataclass(frozen=True)
class Space:
    """What the holes of a strategy may be filled with: choices, outer ones first, and limits. It may be `open`: further
    holes are known when the strategy runs."""

    choices: tuple[Choice, ...] = ()
    limits: tuple[Limit, ...] = ()
    open: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The full names of all holes."""
        return tuple(c.name for c in self.choices)

    @property
    def size(self) -> int:
        """How many assignments there are, leaving limits aside."""
        return _count(self.choices, {})

    def admits(self, values: Mapping[str, Any]) -> bool:
        """Whether all limits hold of values."""
        return all(limit.admits(values) for limit in self.limits)

    def assignments(self) -> Iterator[dict[str, Any]]:
        """All assignments within the limits, each to the holes that it reaches, in the order of the candidates."""
        stack: list[dict[str, Any]] = [{}]
        while stack:
            values = stack.pop()
            choice = self.next(values)
            if choice is None:
                yield values
            else:
                more = [values | {choice.name: x} for x in choice.candidates]
                stack.extend(v for v in reversed(more) if self.admits(v))

    def defaults(self) -> dict[str, Any]:
        """The assignment of the defaults."""
        return self.completed({})

    def completed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The assignment of these values, as far as holes are reached, and of defaults.

        Raises `ValueError` for a value that is no candidate.
        """
        made: dict[str, Any] = {}
        while (choice := self.next(made)) is not None:
            made[choice.name] = value = values.get(choice.name, choice.default)
            if not Hole(choice.name, choice.candidates, None).takes(value):
                raise ValueError(no_candidate(choice.name, value, choice.candidates))
        return made

    def random(self, random: Random) -> dict[str, Any] | None:
        """A random assignment within the limits; None if none of many draws is."""
        for _ in range(TRIES):
            values: dict[str, Any] = {}
            while (choice := self.next(values)) is not None:
                values[choice.name] = random.choice(choice.candidates)
            if self.admits(values):
                return values
        return None

    def neighbours(self, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The assignments within the limits that differ in one hole, and in what follows from it."""
        for choice in self.choices:
            if choice.name in values:
                for x in choice.candidates:
                    near = self.completed({**values, choice.name: x})
                    if x != values[choice.name] and self.admits(near):
                        yield near

    def joined(self, other: Space) -> Space:
        """Both: what a run found beside what was known. Raises `ValueError` if they differ in a hole's candidates."""
        found = _Found()
        for space in (self, other):
            for c in space.choices:
                found.add(c)
            found.limits.update(dict.fromkeys(space.limits))
        return replace(found.space(), open=other.open)

    def next(self, values: Mapping[str, Any]) -> Choice | None:
        """The first hole that these values reach, and say nothing of."""
        return next((c for c in self.choices if c.name not in values and c.counts(values)), None)

    def __str__(self) -> str:
        lines = list(map(_line, self.choices))
        if self.open:
            told = "further holes may be known when it runs" if lines else "no holes are known before it runs"
            lines.append(f"{told}: space(op, p)")
        return "\n".join(lines or ["no holes"])


def _line(c: Choice) -> str:
    ways = " or ".join(" and ".join(f"{n} = {show(label)}" for n, label in way) for way in c.under if way)
    return f"{c.name}: {', '.join(map(show, c.candidates))} (default {show(c.default)}{', where ' * bool(ways)}{ways})"


def _count(choices: Sequence[Choice], values: dict[str, Any]) -> int:
    total = 1
    for k, c in enumerate(choices):
        if c.counts(values):
            rest = choices[k + 1 :]
            if any(c.name == name for d in rest for way in d.under for name, _ in way):
                return total * sum(_count(rest, values | {c.name: x}) for x in c.candidates)
            total *= len(c.candidates)
    return total


@dataclass
class _Found:
    """A space that grows."""

    choices: dict[str, Choice] = field(default_factory=dict)
    limits: dict[Limit, None] = field(default_factory=dict)

    def add(self, c: Choice) -> None:
        known = self.choices.get(c.name, c)
        if (known.candidates, known.default) != (c.candidates, c.default):
            one, two = (f"{', '.join(map(show, x.candidates))} (default {show(x.default)})" for x in (known, c))
            raise ValueError(f"the hole {c.name} stands twice, and not for the same: {one}; {two}")
        under = tuple(dict.fromkeys((*known.under, *c.under)))
        self.choices[c.name] = replace(c, under=under, hidden=known.hidden and c.hidden)

    def space(self) -> Space:
        return Space(tuple(self.choices.values()), tuple(self.limits))


def space(op: Op, p: Proc | None = None, c: Cursor | None = None) -> Space:
    """The holes that a strategy has: in its arguments and, by full name, in the equations of `@named` functions.

    Those that a `@strategy` draws are known when it runs: given a procedure, and a place if not the root, it is applied
    there with the defaults, then with each other label of its choices, and what it draws is added.

    Raises `ValueError` if a hole stands twice with other candidates or defaults.

    >>> from exo_strat import divide_loop
    >>> print(space(divide_loop(hole("width", (4, 8)), ("io", "ii"), tail=hole("tail", ("cut", "guard")))))
    width: 4, 8 (default 4)
    tail: 'cut', 'guard' (default 'cut')
    """
    check_op(op, "space(op) takes an Op")
    found = _Found()
    for place in _places(op):
        for h in place.op.own_holes():
            name = place.path + h.name
            found.add(Choice(name, h.candidates, h.default, (place.under,), bool(place.path)))
        if isinstance(place.op, Limited):
            found.limits[Limit(place.op.within, tuple(place.path + h.name for h in place.op.holes))] = None
    if p is None:
        return replace(found.space(), open=any(isinstance(place.op, Scripted) for place in _places(op)))
    known = found.space().joined(drawn(decisions(op, p, c)[1]))
    for way in dict.fromkeys(_ways(op)):
        more = drawn(run_with(op, p, c, dict(way))[1]).choices
        new = tuple(replace(x, under=(way,)) for x in more if x.name not in known.names)
        known = known.joined(Space(new))
    return known


def _ways(op: Op) -> Iterator[Under]:
    """The labels that lead to the options of a strategy's choices, those by default left out."""
    for place in _places(op):
        if isinstance(place.op, Pick):
            labels = (label for label, _ in place.op.options if label != place.op.default)
            yield from ((*place.under, (place.path + place.op.name, label)) for label in labels)


@dataclass(frozen=True)
class _Place:
    """An Op in a strategy, with the names and labels around it. Of what stands in an argument of a function, only the
    holes that can be `seen` from outside are there; the rest of it is inside the function."""

    op: Op
    path: str = ""
    under: Under = ()
    seen: bool = False


def _places(op: Op) -> Iterator[_Place]:
    """The places in a strategy that have holes, as far as is known before it runs, each once."""
    stack, met = [_Place(op)], set[_Place]()
    while stack:
        here = stack.pop()
        if here not in met:
            met.add(here)
            yield here
            stack.extend(reversed(tuple(_inside(here))))


def _inside(at: _Place) -> Iterator[_Place]:
    op = at.op
    match op:
        case Pick():
            for label, option in op.options:
                yield replace(at, op=option, under=(*at.under, (at.path + op.name, label)))
        case scoped():
            if not at.seen:
                yield replace(at, op=op.op, path=f"{at.path}{op.name}.")
        case Called():
            yield from (replace(at, op=part, seen=True) for part in op.parts())
            if not at.seen:
                yield from _within(at, op)
        case _ if op.shows_holes:
            yield from (replace(at, op=part) for part in op.parts())


def _within(at: _Place, op: Called) -> Iterator[_Place]:
    """What a function applies: what its equation says, or else maybe the Ops that it is given. One that is inside
    itself is not looked into again."""
    closed = fill_holes(op, lambda h: h.default)
    inner = replace(at, path=f"{at.path}{op.name}.")
    if isinstance(closed, Named) and op.name not in at.path.split("."):
        yield replace(inner, op=closed.definition())
    elif not isinstance(closed, Named):
        yield from (replace(inner, op=part) for part in closed.parts())


class _Listener:
    """What is decided while the driver runs."""

    def __init__(self) -> None:
        self.decisions: dict[str, Decision] = {}

    def enter(self, op: Op, place: Cursor) -> None: ...
    def leave(self, outcome: Outcome) -> None: ...
    def decided(self, decision: Decision) -> None:
        if decision.free:
            self.decisions.setdefault(decision.name, decision)


def decisions(
    op: Op, p: Proc, c: Cursor | None = None, values: Mapping[str, Any] | None = None
) -> tuple[Outcome, tuple[Decision, ...]]:
    """What comes of a strategy whose holes have values, by full name, or their defaults; and the holes that it came to,
    in this order. It is a failure if a name is that of no hole.

    >>> from exo_strat import proc_from_source, rename
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> outcome, made = decisions(rename(hole("name", ("one", "two"))), p, values={"name": "two"})
    >>> outcome.unwrap()[0].name(), *map(str, made)
    ('two', "name = 'two' (of 'one', 'two')")
    """
    given = values or {}
    met = Met()
    outcome, made = run_with(op, p, c, given, met)
    unknown = _unknown(op, given, Scope(met=met)) if isinstance(outcome, Success) else None
    return (outcome if unknown is None else Err(replace(unknown, op=op))), made


def run_with(
    op: Op, p: Proc, c: Cursor | None, values: Mapping[str, Any], met: Met | None = None
) -> tuple[Outcome, tuple[Decision, ...]]:
    """The same, with values of which some may be for holes of other runs."""
    listener = _Listener()
    scope = Scope(pmap({name: freeze(v) for name, v in values.items()}), met=met)
    outcome = evaluate(op, p, p.root() if c is None else c, listener, scope)
    return outcome, tuple(listener.decisions.values())


def _leads(op: Op, name: str) -> bool:
    """Whether an Op has a hole of this name, or a function that may draw it."""
    own = (place.path + h.name == name for place in _places(op) for h in place.op.own_holes())
    return any(own) or any(isinstance(p.op, Scripted) and name.startswith(f"{p.path}{p.op.name}.") for p in _places(op))


def _unknown(op: Op, names: Iterable[str], within: Scope) -> BadArgument | None:
    """What is said of the first of some names that can be that of no hole, after a run with values for them: no hole
    asked for it, none that is known before a run has it, and no strategy on the way there has the next part of the name
    in its code. So a name in an option that was not taken, or in a branch that was not reached, is none of these."""
    met = within.met or Met()
    asked = {name.removeprefix(within.path) for name in met.holes if name.startswith(within.path)}
    missing = [name for name in names if name not in asked]
    if not missing:
        return None
    known = asked | {c.name for c in space(op).choices if c.hidden}
    ways: dict[str, list[object]] = {}
    for place in _places(op):
        if isinstance(place.op, Called):
            ways.setdefault(f"{place.path}{place.op.name}.", []).append(place.op)
    for path, entered in met.strategies.items():
        ways.setdefault(path.removeprefix(within.path), []).extend(entered)
    for name in missing:
        way = max((path for path in ways if name.startswith(path)), key=len, default="")
        part = name.removeprefix(way).partition(".")[0]
        if name not in known and not any(isinstance(x, Called) and part in _words(x) for x in ways.get(way, ())):
            return BadArgument(f"it has no hole {brief(show(name))}{_near(name, known)}: {_listed(sorted(known))}")
    return None


def _words(op: Called) -> set[str]:
    """The names and texts in the code of a function and of the plain functions that it uses, and in its arguments."""
    found, stack, seen = set(re.findall(r"\w+", show(op))), [inspect.unwrap(op.fn)], set[object]()
    while stack:
        fn = stack.pop()
        if not isinstance(fn, FunctionType) or fn in seen:
            continue
        seen.add(fn)
        codes = [fn.__code__]
        for code in codes:
            codes += (x for x in code.co_consts if isinstance(x, CodeType))
            found |= {*code.co_names, *code.co_freevars, *(x for x in code.co_consts if isinstance(x, str))}
            used = (fn.__globals__.get(name) for name in code.co_names)
            stack += (
                f for f in used if getattr(f, "__module__", "") == fn.__module__ and not hasattr(f, "__wrapped__")
            )
    return found


def drawn(made: Iterable[Decision]) -> Space:
    """The space of the holes that a run came to."""
    return Space(tuple(Choice(d.name, d.hole.candidates, d.hole.default, hidden="." in d.name) for d in made))


def fill(op: Op, values: Mapping[str, Any]) -> Op:
    """An Op with values, by full name, in its holes; those left over get their defaults. What is in arguments is put in
    its place, what functions draw is kept beside the Op.

    Raises `ValueError` for a name that no hole has, a value that is no candidate, and values outside of a limit. Where
    a `@strategy` draws holes, an unknown name is known when it has run: then the Op fails, with the holes there are.

    >>> from exo_strat import named, divide_loop
    >>> @named
    ... def strips(tail):
    ...     return divide_loop(hole("width", (4, 8)), ("io", "ii"), tail=tail)
    >>> strips(hole("tail", ("cut", "guard"))).fill({"tail": "guard", "strips.width": 8})
    strips('guard').fill({'strips.width': 8})
    """
    given = {name: freeze(value) for name, value in values.items()}
    known = {c.name: c for c in space(op).choices}
    for name, value in given.items():
        if name in known and not Hole(name, known[name].candidates, None).takes(value):
            raise ValueError(no_candidate(name, value, known[name].candidates))
        if name not in known and not any(isinstance(place.op, Scripted) for place in _places(op)):
            raise ValueError(f"{brief(show(op))} has no hole {brief(show(name))}{_near(name, known)}: {_listed(known)}")
    try:
        closed = fill_holes(op, lambda h: given.get(h.name, h.default))
    except Refused as r:
        raise ValueError(r.failure.message) from None
    hidden = {name: v for name, v in given.items() if name not in known or known[name].hidden}
    hidden = {name: v for name, v in hidden.items() if _leads(closed, name) or not _leads(op, name)}
    kept = hidden or any(c.hidden for c in known.values())
    return Filled(closed, tuple(sorted(hidden.items()))) if kept else closed
