"""What may be applied: candidates at places, applied, so that an offer is what really succeeds."""

from __future__ import annotations

import inspect
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, ExprCursor, GapCursor, NodeCursor, ProcCursor, StmtCursor
from ..cursors.kinds import ArgCursor, ForCursor, kind_name
from ..cursors.proc import Proc
from ..machine import Machine
from ..ops.explain import line_of
from ..ops.strategy import Op, focus_kinds
from ..primitives import PRIMITIVES, PrimitiveForm
from ..source import brief, show
from .actions import Reading
from .candidates import BY_NAME, Site, arguments
from .faults import Fault
from .naming import Maker, Names, signature_of
from .places import spelled
from .refusals import refusal
from .session import key_of

BLOCKS: Final = (1, 2)
"""How many statements more than one the blocks have that begin at a statement."""
Cost = Callable[[Proc], float | None]


@dataclass(frozen=True)
class Wanted:
    """What is asked for: see the schema, `offers.params`."""

    ops: frozenset[str] = frozenset()
    modules: tuple[str, ...] = ()
    factors: tuple[int, ...] = ()
    all_values: bool = False
    unchanged: bool = False
    refused: bool = False
    sample: int | None = None
    first: int = 0
    most: int | None = None
    seconds: float | None = None
    cost: Cost | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Candidate:
    """An action that may succeed."""

    maker: Maker
    action: Mapping[str, Any]
    place: Cursor


def offers(reading: Reading, places: Sequence[Cursor], wanted: Wanted) -> dict[str, Any]:
    """What may be applied at some places, in an order that is the same in any process."""
    found = list(candidates(reading.names, places, wanted))
    if wanted.sample is not None:
        random.Random(wanted.sample).shuffle(found)
    begin, told, at = time.monotonic(), list[dict[str, Any]](), wanted.first
    seen = set[tuple[str, str]]()
    while at < len(found) and (wanted.most is None or len(told) < wanted.most):
        if wanted.seconds is not None and time.monotonic() - begin > wanted.seconds and at > wanted.first:
            break
        offer = _tried(reading, found[at], wanted)
        at += 1
        same = (found[at - 1].action["op"], str(offer.get("key"))) if offer is not None else ("", "")
        if offer is not None and ("key" not in offer or same not in seen):
            seen.add(same)
            told.append(offer)
    tried = max(at - wanted.first, 0)
    rest = at if at < len(found) else None
    return {"offers": told, "tried": tried, "candidates": len(found), "next": rest}


def _tried(reading: Reading, c: Candidate, wanted: Wanted) -> dict[str, Any] | None:
    """An offer of a candidate; None if it is refused, or is not wanted as it is."""
    told: dict[str, Any] = {"action": c.action}
    try:
        op = reading.op(c.action["op"], c.action["args"])
        with reading.names.applying(c.action["op"]):
            outcome = op(reading.p, c.place)
    except Fault as e:
        why = {"kind": "BadArgument", "message": e.message, "obligation": e.message}
        return _refused(told, c, why) if wanted.refused else None
    if not isinstance(outcome, Success):
        told["text"] = brief(show(op))
        return _refused(told, c, refusal(outcome.failure())) if wanted.refused else None
    q, focus = outcome.unwrap()
    same, key = q.origin is reading.p.origin, key_of(q)
    changed = key != key_of(reading.p)
    if not (changed or wanted.unchanged) or not (same or wanted.all_values):
        return None
    told |= _about(c) | {"text": brief(show(op)), "key": key, "focus": spelled(focus)}
    told |= {"same_values": same, "changed": changed}
    return told | ({} if wanted.cost is None else {"cost": wanted.cost(q)})


def _refused(told: dict[str, Any], c: Candidate, why: dict[str, Any]) -> dict[str, Any]:
    return {"text": c.action["op"], **told, **_about(c), "refused": why}


def _about(c: Candidate) -> dict[str, str]:
    return {"line": line_of(c.place.proc, c.place.place()), **described(c.maker)}


# -- candidates ---------------------------------------------------------------------------------------


def candidates(names: Names, places: Sequence[Cursor], wanted: Wanted) -> Iterator[Candidate]:
    """All that may be tried at some places."""
    makers = list(_makers(names, wanted))
    for place in places:
        site = Site(place, names, wanted.factors)
        for name, maker in makers:
            if not acts_at(maker, place):
                continue
            given = arguments(maker, site) if isinstance(maker, PrimitiveForm) else _for_strategy(maker, site)
            for args in given:
                yield Candidate(maker, {"op": name, "args": dict(args), "at": spelled(place)}, place)


def _makers(names: Names, wanted: Wanted) -> Iterator[tuple[str, Maker]]:
    """The Ops that take part: primitives, and strategies of modules; those that are named, or all but a few."""
    known: dict[str, Maker] = {**PRIMITIVES, **dict(names.strategies(list(wanted.modules)))}
    for name in sorted(wanted.ops - known.keys()):
        known[name] = names.maker(name)
    for name, maker in known.items():
        if name in wanted.ops or not (wanted.ops or name in BY_NAME):
            yield name, maker


def acts_at(maker: Maker, place: Cursor) -> bool:
    """Whether a place is of a kind at which an Op acts: the whole procedure serves those that act on it, a block
    those that act on blocks."""
    kinds = targets(maker)
    if isinstance(place, BlockCursor) and len(place) == 1:
        return False  # the statement stands for it
    return isinstance(place, kinds) or (BlockCursor in kinds and isinstance(place, StmtCursor))


def targets(maker: Maker) -> tuple[type[Cursor], ...]:
    """The kinds of cursor at which an Op acts; of strategies that act anywhere, those of statements and procedures."""
    if isinstance(maker, PrimitiveForm):
        return maker.spec.targets
    fn = getattr(maker, "__wrapped__", None)
    kinds = (Cursor,) if fn is None or not inspect.isgeneratorfunction(fn) else focus_kinds(fn)
    return (ProcCursor, StmtCursor) if kinds == (Cursor,) else kinds


def _for_strategy(maker: Maker, site: Site) -> Iterator[Mapping[str, Any]]:
    """Arguments for a strategy, if all that it needs is known by its annotations: nothing, the machine, a precision."""
    found: list[dict[str, Any]] = [{}]
    for prm in signature_of(maker).parameters.values():
        if prm.default is not prm.empty or prm.kind is prm.VAR_KEYWORD:
            continue
        options = _for_parameter(prm, site)
        if prm.kind is prm.VAR_POSITIONAL:
            options = [[x] * n for n in range(1, _depth(site.place) + 1) for x in options]
        found = [{**args, prm.name: x} for args in found for x in options]
    yield from found


def _depth(c: Cursor) -> int:
    """How many loops are directly in each other, from a cursor on; 1 if it is none."""
    depth = 1
    while isinstance(c, ForCursor) and len(c.body()) == 1 and isinstance(c.body()[0], ForCursor):
        c, depth = c.body()[0], depth + 1
    return depth


def _for_parameter(prm: inspect.Parameter, site: Site) -> list[Any]:
    """What a parameter of a strategy may be, by its annotation and its name."""
    told = prm.annotation if isinstance(prm.annotation, str) else getattr(prm.annotation, "__name__", "")
    if prm.annotation is Machine or told == "Machine":
        return [{"machine": None}]
    if told == "str" and prm.name == "precision":
        return sorted(site.names.machine.vec_widths)
    if told == "int":
        return site.numbers(None)
    if told == "Memory" or told.startswith("Memory |"):
        return [{"memory": site.names.machine.mem_type.name}]
    return []


# -- places -------------------------------------------------------------------------------------------


def places(c: Cursor, below: bool) -> list[Cursor]:
    """Where something may be applied: at a cursor, and at what begins there; with `below` at all that is in it."""
    found: list[Cursor] = []
    inside = c.descendants() if isinstance(c, NodeCursor) else c.statements() if isinstance(c, BlockCursor) else ()
    if not below or not isinstance(c, NodeCursor):
        found += _beginning(c)
    for d in inside if below else ():
        found += _beginning(d)
    return found


def _beginning(c: Cursor) -> Iterator[Cursor]:
    """A cursor; of a statement also the blocks that begin there, and the gap after it."""
    if isinstance(c, ProcCursor | StmtCursor | ExprCursor | ArgCursor | BlockCursor | GapCursor):
        yield c
    if isinstance(c, StmtCursor):
        left = len(c.expand(0, None)) - 1
        yield from (c.expand(0, more) for more in BLOCKS if more <= left)
        if left:
            yield c.after()


# -- descriptions -------------------------------------------------------------------------------------


def described(maker: Maker) -> dict[str, str]:
    """The equation of an Op, and what it does, in a sentence: from its docstring.

    >>> from exo_strat import fuse, lift_alloc
    >>> described(lift_alloc)["equation"]
    'for i: s0; a: T; s  ~>  a: T; for i: s0; s'
    >>> described(lift_alloc)["doc"]
    '`for i: s0; a: T; s  ~>  a: T; for i: s0; s`, also out of an `if`, `n_lifts` times.'
    """
    text = "" if isinstance(maker, Op) else inspect.getdoc(maker) or ""
    first = " ".join(text.partition("\n\n")[0].split("\n"))
    equations = [e for e in re.findall(r"`([^`]+)`", first) if "~>" in e]
    sentence = re.match(r".*?[.](?=\s|$)", first)
    return {"equation": equations[0] if equations else "", "doc": sentence[0] if sentence else first}


def catalogue(names: Names, modules: Sequence[str]) -> list[dict[str, Any]]:
    """All primitives, and the strategies of some modules, with what is declared of them."""
    known: dict[str, Maker] = {**PRIMITIVES, **dict(names.strategies(list(modules)))}
    return [_declared(name, maker) for name, maker in known.items()]


def _declared(name: str, maker: Maker) -> dict[str, Any]:
    signature, spec = signature_of(maker), maker.spec if isinstance(maker, PrimitiveForm) else None
    params = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return {
        "op": name,
        "form": f"{name}{inspect.Signature(params)}",
        **described(maker),
        "targets": [kind_name(k) for k in targets(maker)],
        "parameters": [_parameter(maker, p) for p in signature.parameters.values()],
        "primitive": spec is not None,
        "same_values": spec is not None and spec.same_values,
        "again": spec is not None and spec.again,
        "by_name": name in BY_NAME,
    }


def _parameter(maker: Maker, p: inspect.Parameter) -> dict[str, Any]:
    kind = maker.spec.kinds.get(p.name) if isinstance(maker, PrimitiveForm) else None
    hint = maker.spec.hints.get(p.name) if isinstance(maker, PrimitiveForm) else p.annotation
    starred = p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    told = {
        "name": p.name,
        "kind": "" if kind is None else kind.words,
        "type": hint if isinstance(hint, str) else inspect.formatannotation(hint),
        "required": p.default is p.empty and not starred,
    }
    return told if p.default is p.empty else {**told, "default": show(p.default)}
