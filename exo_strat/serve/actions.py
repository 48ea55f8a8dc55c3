"""Actions: an Op by name, with arguments, at a place; as JSON, and as Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..cursors.cursor import Cursor
from ..cursors.proc import InvalidCursorError, Proc
from ..ir.memory import Memory
from ..ops.strategy import Op, freeze
from ..source import show
from .faults import Fault
from .naming import Names, signature_of
from .places import ROOT, PlaceError, found, place_at

Json = Mapping[str, Any]
Known = Callable[[str], Proc]
"""The procedure of a version."""


@dataclass(frozen=True)
class Reading:
    """Reads what a request says of a version: places and arguments."""

    p: Proc
    names: Names
    version: Known

    def cursor(self, given: Any) -> Cursor:
        """A cursor as a request writes it."""
        try:
            if isinstance(given, str):
                return place_at(self.p, given)
            if "find" in given:
                return found(self.p, given["find"])
            old = self.version(given["version"])
            now = self.p.forward(place_at(old, given["at"]))
        except (PlaceError, InvalidCursorError) as e:
            raise Fault("unknown_cursor", str(e)) from None
        if not now.is_valid:
            raise Fault("unknown_cursor", f"what was at {given['at']} in {given['version']} is gone")
        return now

    def value(self, given: Any) -> Any:
        """An argument as a request writes it."""
        if isinstance(given, list):
            return tuple(map(self.value, given))
        match given:
            case {"memory": name}:
                return self.names.memory(name, self.p)
            case {"proc": name}:
                return self.names.proc(name, self.p)
            case {"version": version}:
                return self.version(version)
            case {"config": name}:
                return self.names.config(name, self.p)
            case {"machine": None}:
                return self.names.machine
            case {"cursor": cursor}:
                return self.cursor(cursor)
            case {"op": name}:
                return self.op(name, given.get("args", {}))
        return given

    def op(self, name: str, args: Json) -> Op:
        """The Op of a name with arguments."""
        maker = self.names.maker(name)
        if isinstance(maker, Op):
            if args:
                raise Fault("bad_arguments", f"{name} takes no arguments")
            return maker
        pos, kws = self._spread(name, signature_of(maker), args)
        with self.names.applying(name):
            try:
                made = maker(*pos, **kws)
            except (TypeError, ValueError) as e:
                raise Fault("bad_arguments", f"{name}: {e}") from None
        if not isinstance(made, Op):
            raise Fault("unknown_op", f"{name} made a {type(made).__name__}, no Op")
        return made

    def _spread(self, name: str, signature: inspect.Signature, args: Json) -> tuple[list[Any], dict[str, Any]]:
        """Arguments as they are written at a call."""
        unknown = [a for a in args if a not in signature.parameters]
        if unknown:
            there = ", ".join(signature.parameters) or "none"
            raise Fault("bad_arguments", f"{name} has no parameter {unknown[0]!r}; it has {there}")
        first, pos, kws = True, list[Any](), dict[str, Any]()
        for prm in signature.parameters.values():
            if prm.name not in args:
                first = False
                continue
            given = args[prm.name]
            if prm.kind is prm.VAR_POSITIONAL:
                pos += self._listed(name, prm.name, given)
            elif prm.kind is prm.VAR_KEYWORD:
                kws |= self._named(name, prm.name, given)
            elif first and prm.kind is not prm.KEYWORD_ONLY:
                pos.append(freeze(self.value(given)))
            else:
                kws[prm.name] = freeze(self.value(given))
        return pos, kws

    def _listed(self, name: str, parameter: str, given: Any) -> list[Any]:
        if not isinstance(given, list):
            raise Fault("bad_arguments", f"{name}: {parameter} takes a list, of what stands at `*{parameter}`")
        return [self.value(x) for x in given]

    def _named(self, name: str, parameter: str, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise Fault("bad_arguments", f"{name}: {parameter} takes an object, of what stands at `**{parameter}`")
        return {k: self.value(x) for k, x in given.items()}

    def action(self, given: Json) -> tuple[Op, Cursor]:
        """The Op and the place of an action."""
        op = self.op(given["op"], given.get("args", {}))
        if "fill" in given:
            try:
                op = op.fill({name: self.value(x) for name, x in given["fill"].items()})
            except ValueError as e:
                raise Fault("bad_arguments", f"{given['op']}: {e}") from None
        return op, self.cursor(given.get("at", ROOT))


def as_json(value: Any) -> Any:
    """A candidate of a hole as a request writes it; a text of what none can write."""
    if isinstance(value, tuple):
        return [as_json(x) for x in value]
    if isinstance(value, Memory):
        return {"memory": value.name}
    return value if value is None or isinstance(value, bool | int | float | str) else show(value)
